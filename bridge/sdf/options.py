"""Options of the export to SDFormat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, cast, get_args

from loaders import LoadOptions
from loaders.option_names import check_option_names

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
            if getattr(self, key) not in known:
                raise ValueError(f"unknown {key} {getattr(self, key)!r}; expected one of: {', '.join(known)}")
        if self.model_config and self.world == "always":
            raise ValueError("model.config describes a model; expected world='auto' or 'never' beside model_config")

    @classmethod
    def split(cls, keywords: Mapping[str, Any]) -> tuple[Options, LoadOptions]:
        """Separate the options of the export from those of `loaders.load`.

        Raises:
            TypeError: if an option is unknown.
            ValueError: if an option has an unknown value.
        """
        check_option_names(keywords, SdfOptions.__optional_keys__)
        names = {field.name for field in fields(cls)} & keywords.keys()
        load_names = keywords.keys() & LoadOptions.__optional_keys__
        options = cls(**{name: keywords[name] for name in names})
        return options, cast(LoadOptions, {name: keywords[name] for name in load_names})
