"""What every part of the exporter is handed: the mechanism, the document under construction, names and the ledger."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from itertools import chain, count
from typing import Any, Literal, cast, get_args

from bridge.geometry.convex_decomposition import CollisionMeshes, check_choice
from bridge.geometry.support import SupportFunction
from bridge.lowering.base import with_base
from bridge.lowering.inputs import Source, mechanism_of
from bridge.mechanism import Mechanism
from bridge.mjcf.geom.collision_filters import Filters
from loaders import LoadOptions
from loaders.diagnostics import NOWHERE, Diagnostics, Fate, Where
from loaders.model import Physics
from loaders.spatial import Array, Pose

from .element import Element

Actuators = Literal["none", "motor", "dcmotor", "position", "velocity"]
Contacts = Literal["geoms", "pairs"]
Inertia = Literal["keep", "repair", "from_geometry", "error"]
Base = Literal["as_is", "fixed", "free"]

TARGET = "mjcf"

_SECTIONS = (
    "compiler",
    "option",
    "default",
    "asset",
    "worldbody",
    "contact",
    "tendon",
    "equality",
    "actuator",
    "sensor",
    "keyframe",
)
_ASSETS = ("texture", "material", "mesh", "hfield")
_FILES = frozenset({"mesh", "picture"})
"""Kinds of names that are also those of files: OBJ and PNG."""


class Choices(LoadOptions, total=False):
    """Keywords of `bridge.to_mjcf`, which says what they mean, and of its kin; each may be left out."""

    actuators: Actuators
    base: Base
    inertia: Inertia
    collision_policy: str
    collision_meshes: CollisionMeshes
    contacts: Contacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the caller chose, or what holds without a word."""

    actuators: Actuators = "none"
    base: Base = "as_is"
    inertia: Inertia = "keep"
    collision_policy: str = "drake"
    collision_meshes: CollisionMeshes = "as_is"
    contacts: Contacts = "geoms"

    def __post_init__(self) -> None:
        _one_of("actuators", self.actuators, get_args(Actuators))
        _one_of("base", self.base, get_args(Base))
        _one_of("inertia", self.inertia, get_args(Inertia))
        _one_of("contacts", self.contacts, get_args(Contacts))
        check_choice(self.collision_meshes, TARGET)

    @classmethod
    def of(cls, choices: Mapping[str, Any]) -> tuple[Options, LoadOptions]:
        """From the keywords of a call; and those that are for loading."""
        own = {field.name for field in fields(cls)} & choices.keys()
        options = cls(**{name: choices[name] for name in own})
        return options, cast(LoadOptions, {name: value for name, value in choices.items() if name not in own})


def requested(source: Source, choices: Choices) -> tuple[Mechanism, Options]:
    """The mechanism that a caller wants written, and how."""
    options, loading = Options.of(choices)
    mechanism = mechanism_of(source, **loading)
    return mechanism if options.base == "as_is" else with_base(mechanism, fixed=options.base == "fixed"), options


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")


class Document:
    """The sections of an MJCF file, in MuJoCo's customary order, and the element of each body."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._sections = {tag: Element(tag) for tag in _SECTIONS}
        self.bodies: list[Element] = []
        """The element of each body of the mechanism, by index; that of a link named ``world`` is the world's."""

    def __getitem__(self, section: str) -> Element:
        return self._sections[section]

    def body(self, index: int) -> Element:
        """The element of a body; that of the world for `bridge.mechanism.bodies.ROOT`."""
        return self["worldbody"] if index < 0 else self.bodies[index]

    def root(self) -> Element:
        """The whole, without empty sections; assets by kind."""
        self["asset"].children.sort(key=lambda asset: _ASSETS.index(asset.tag))
        root = Element("mujoco", model=self._name)
        root.children = [e for e in self._sections.values() if e.attributes or e.children]
        return root


@dataclass(slots=True)
class Names:
    """Names in use, for each kind of element, and where a name had to differ from the source's."""

    changed: dict[str, str] = field(default_factory=dict)
    """Canonical name to MJCF name, where they differ."""
    _taken: dict[str, set[str]] = field(default_factory=dict)

    def claim(self, kind: str, wanted: str, *, otherwise: str = "") -> str:
        """``wanted`` if no other element of the kind has it, else ``otherwise``, else that with a number.

        Names of files differ by more than capital letters, which some file systems do not tell apart.
        """
        taken = self._taken.setdefault(kind, set())
        marked = str.casefold if kind in _FILES else str
        base = otherwise or wanted
        names = chain(filter(None, (wanted, otherwise)), (f"{base}_{n}" for n in count(2)))
        name = next(name for name in names if marked(name) not in taken)
        taken.add(marked(name))
        return name


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """The shape of a geom, on its link."""

    link: str
    X_LS: Pose
    reach: SupportFunction
    touches: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One export in progress."""

    mechanism: Mechanism
    options: Options
    diagnostics: Diagnostics
    document: Document
    filters: Filters
    """What keeps links from touching."""
    names: Names = field(default_factory=Names)
    index: dict[str, int] = field(default_factory=dict)
    """Body index of each link; `bridge.mechanism.bodies.ROOT` for the world."""
    inverse_inertias: Array | None = None
    """What `stops.inverse_inertias` found."""
    inverse_masses: dict[str, float] | None = None
    """What `compliance.inverse_masses` found."""
    collision_names: Counter[str] = field(default_factory=Counter)
    """How often each name is that of a collision: those whose name is not theirs alone have their link's before it."""
    shape_names: Counter[str] = field(default_factory=Counter)
    """How often each name is that of a shape: visuals whose name is not theirs alone go without."""
    geom_names: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Names of the geoms of each collision, by link and collision."""
    shapes: list[Placed] = field(default_factory=list)
    """Those of all geoms that end somewhere, but for terrain."""
    speed_limited: set[str] = field(default_factory=set)
    """Joints of the source whose motors end at the speed limit."""
    assets: dict[str, bytes] = field(default_factory=dict)
    """File name to contents, for the folder ``assets``."""

    @property
    def time_step(self) -> float:
        """Of the integrator [s]: the scene's, or the default if that is none."""
        step = self.mechanism.scene.physics.time_step
        return step if 0.0 < step < math.inf else Physics().time_step

    def report(
        self,
        fate: Fate,
        code: str,
        template: str,
        where: Where = NOWHERE,
        /,
        *,
        hint: str = "",
        subjects: Iterable[str] = (),
        **arguments: object,
    ) -> None:
        """Record what MJCF cannot hold; ``code`` without its prefix."""
        self.diagnostics.add(
            fate, f"{TARGET}.{code}", template, where, target=TARGET, hint=hint, subjects=subjects, **arguments
        )
