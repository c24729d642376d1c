"""Options of an export: the keywords that callers pass, and the checked values that the exporter reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from bridge.geometry.convex_decomposition import CollisionMeshes, check_choice
from bridge.lowering.base import with_chosen_base
from bridge.lowering.inputs import Source, mechanism_of, split_options
from bridge.mechanism import Mechanism
from bridge.mechanism.mechanism import Base
from loaders import LoadOptions
from loaders.keyword_options import check_option_value

from .target import TARGET

Actuators = Literal["none", "motor", "dcmotor", "position", "velocity"]
Contacts = Literal["geoms", "pairs"]
Inertia = Literal["keep", "repair", "from_geometry", "error"]


class MjcfOptions(LoadOptions, total=False):
    """Keywords of `bridge.to_mjcf`, which documents them, and of the other exports to MJCF; each may be omitted."""

    actuators: Actuators
    base: Base
    inertia: Inertia
    policy: str | None
    collision_meshes: CollisionMeshes
    contacts: Contacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The keywords of `MjcfOptions` that concern the export, checked, with their defaults.

    ``strict`` concerns reading too.
    """

    actuators: Actuators = "none"
    base: Base = "as_is"
    inertia: Inertia = "keep"
    policy: str = "drake"
    collision_meshes: CollisionMeshes = "as_is"
    contacts: Contacts = "geoms"
    strict: bool = False

    def __post_init__(self) -> None:
        check_option_value("actuators", self.actuators, get_args(Actuators))
        check_option_value("base", self.base, get_args(Base))
        check_option_value("inertia", self.inertia, get_args(Inertia))
        check_option_value("contacts", self.contacts, get_args(Contacts))
        check_choice(self.collision_meshes, TARGET)

    @classmethod
    def split(cls, keywords: Mapping[str, Any]) -> tuple[Options, LoadOptions]:
        """Separate the options of the export from those of `loaders.load`; None stands for the default.

        Raises:
            TypeError: if an option is unknown.
            ValueError: if an option has an unknown value.
        """
        given = {name: value for name, value in keywords.items() if value is not None}
        options, load_options = split_options(cls, given, MjcfOptions)
        return cls(**options), load_options


def mechanism_and_options(source: Source, keywords: MjcfOptions) -> tuple[Mechanism, Options]:
    """Load and lower a source, apply the option ``base``, and return the mechanism with the checked options.

    Raises:
        TypeError: if a keyword is unknown; the message suggests the closest one.
        ValueError: if an option has an unknown value.
        LoadError: if the source cannot be read.
        ExportError: if the scene cannot be lowered.
    """
    options, load_options = Options.split(keywords)
    mechanism = mechanism_of(source, **load_options)
    if keywords.get("policy") is None:
        options = replace(options, policy=mechanism.default_policy)
    return with_chosen_base(mechanism, options.base), options
