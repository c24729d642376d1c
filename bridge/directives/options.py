"""Options of the export to Drake's directives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from bridge.lowering.inputs import split_options
from loaders import LoadOptions
from loaders.keyword_options import check_option_value

Inertia = Literal["keep", "repair"]
Models = Literal["sdf", "urdf"]


class DirectivesOptions(LoadOptions, total=False):
    """Keywords of `bridge.export_directives`, which documents them; each may be omitted."""

    inertia: Inertia
    models: Models


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The keywords of `DirectivesOptions` that concern the export, checked, with their defaults."""

    inertia: Inertia = "keep"
    models: Models = "sdf"
    strict: bool = False

    def __post_init__(self) -> None:
        for key, choice in (("inertia", Inertia), ("models", Models)):
            check_option_value(key, getattr(self, key), get_args(choice))

    @classmethod
    def split(cls, keywords: Mapping[str, Any]) -> tuple[Options, LoadOptions]:
        """Separate the options of the export from those of `loaders.load`.

        Raises:
            TypeError: if an option is unknown.
            ValueError: if an option has an unknown value.
        """
        options, load_options = split_options(cls, keywords, DirectivesOptions)
        return cls(**options), load_options
