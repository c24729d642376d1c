"""Options of the export to SDFormat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from bridge.lowering.inputs import split_options
from loaders import LoadOptions
from loaders.keyword_options import check_option_value

from .versions import LOWEST, VERSIONS

World = Literal["auto", "always", "never"]
Inertia = Literal["keep", "repair"]


class SdfOptions(LoadOptions, total=False):
    """Keywords of `bridge.to_sdf`, which documents them; each may be omitted."""

    world: World
    inertia: Inertia
    version: str
    model_config: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The keywords of `SdfOptions` that concern the export, checked, with their defaults."""

    world: World = "auto"
    inertia: Inertia = "keep"
    version: str = VERSIONS[0]
    model_config: bool = False
    strict: bool = False

    def __post_init__(self) -> None:
        choices = {"world": get_args(World), "inertia": get_args(Inertia), "version": (*VERSIONS, LOWEST)}
        for key, known in choices.items():
            check_option_value(key, getattr(self, key), known)
        if self.model_config and self.world == "always":
            raise ValueError("model.config describes a model; expected world='auto' or 'never' beside model_config")

    @classmethod
    def split(cls, keywords: Mapping[str, Any]) -> tuple[Options, LoadOptions]:
        """Separate the options of the export from those of `loaders.load`.

        Raises:
            TypeError: if an option is unknown.
            ValueError: if an option has an unknown value.
        """
        options, load_options = split_options(cls, keywords, SdfOptions)
        return cls(**options), load_options
