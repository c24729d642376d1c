"""Options of the export to Drake's directives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, cast, get_args

from loaders import LoadOptions
from loaders.option_names import check_option_names

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
            known = get_args(choice)
            if getattr(self, key) not in known:
                raise ValueError(f"unknown {key} {getattr(self, key)!r}; expected one of: {', '.join(known)}")

    @classmethod
    def split(cls, keywords: Mapping[str, Any]) -> tuple[Options, LoadOptions]:
        """Separate the options of the export from those of `loaders.load`.

        Raises:
            TypeError: if an option is unknown.
            ValueError: if an option has an unknown value.
        """
        check_option_names(keywords, DirectivesOptions.__optional_keys__)
        names = {entry.name for entry in fields(cls)} & keywords.keys()
        load_names = keywords.keys() & LoadOptions.__optional_keys__
        options = cls(**{name: keywords[name] for name in names})
        return options, cast(LoadOptions, {name: keywords[name] for name in load_names})
