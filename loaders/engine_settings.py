"""The settings that only one simulator has: the conventions of the engine for which a scene was
written, the effect of each setting that a scene carries, and those that act on its motion or its
contacts.

A setting is judged by what it does, not by the place where it is stated. One that the table does
not have counts as one that changes the motion.

`as_switched` resolves the switches of MuJoCo: what a flag of ``<option>`` switches off has no value
in the scene, as in any other simulator.

The source's own fields stay in the scene that a reader makes, so that an export to MJCF states both
the switch and what it switches. All other targets ask it first.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from loaders.diagnostics import NOWHERE, Where
from loaders.model import (
    Actuator,
    BallConstraint,
    ContactPair,
    EngineElement,
    Friction,
    HasEngineSettings,
    Joint,
    Light,
    Link,
    Physics,
    SceneData,
    Settings,
    Surface,
    Tendon,
    WeldConstraint,
    of_engine,
    settings_of,
)
from loaders.pose import IDENTITY
from loaders.scoped_names import SEPARATOR
from loaders.text import counted

MUJOCO = "mujoco"
"""Name of MuJoCo, as the engine of settings and as that for which a scene was written."""
ROS2_CONTROL = "ros2_control"
"""Name of mujoco_ros2_control, as the engine of the elements that only it reads."""
XML_TEXT = "text"
"""Setting of such an element that holds it as XML."""
INERTIA_SETTINGS = frozenset({"inertial/diaginertia", "inertial/quat"})
"""Settings of MuJoCo that state the inertia of a link a second time, by its principal axes and
moments."""
SKY = "skybox/"
"""Beginning of the paths of what the texture around a scene states."""
LOOKS_SECTIONS = ("statistic", "visual")
"""Sections of MuJoCo that say how a scene looks."""
SKIN = "skin"
"""Section of the elements that are skins, which only MuJoCo draws."""

_NAMED = {
    "body": "link",
    "subtree": "link",
    "node": "link",
    "joint": "joint",
    "jointinparent": "joint",
    "site": "frame",
    "refsite": "frame",
    "cranksite": "frame",
    "slidersite": "frame",
    "actuator": "actuator",
    "tendon": "tendon",
    "geom": "part",
    "camera": "part",
    "flex": "engine element",
    "name": "constraint",
}
"""Kind of the item that each attribute of MuJoCo names, without the number of the attribute."""
_TYPE_OF = {"objname": "objtype", "refname": "reftype"}
"""Attribute with the type of the item that another attribute names."""


def elements_in(section: str, scene: SceneData) -> list[EngineElement]:
    """Return the elements of simulators in a section of their file, such as `SKIN`."""
    return [element for element in scene.engine_elements if element.section == section]


def named_kind(attribute: str, settings: Settings = ()) -> str:
    """Return the kind of item that an attribute of MuJoCo names, as in `loaders.finish.transform`;
    ``part`` for a shape or a camera, whose name has no scope; empty if it names none.

    Args:
        attribute: The attribute.
        settings: Further settings of the same element.
    """
    type_of_item = dict(settings).get(_TYPE_OF.get(attribute, ""), attribute)
    return _NAMED.get(type_of_item.removeprefix("x").rstrip("12"), "")


def beyond_inertia(settings: Settings) -> Settings:
    """Return settings without those that state the inertia a second time."""
    return tuple(entry for entry in settings if entry[0] not in INERTIA_SETTINGS)


def gravity_share(link: Link) -> float:
    """Return the share of gravity that acts on a link: 1 unless the source compensates a part of
    it.
    """
    if not link.gravity:
        return 0.0
    settings = settings_of(link, MUJOCO)
    return 1.0 - float(dict(settings).get("gravcomp", "0")) if settings else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Conventions:
    """The meaning of what a scene does not state, which depends on the engine for which it was
    written.

    Attributes:
        policy: Rule for the pairs of links that no filter names; one of
            `loaders.collision_pairs.POLICIES`.
        friction_rule: Rule for the coefficients of friction of two surfaces; one of
            `FRICTION_RULES`. By default it is that of SDFormat.
        has_solver_settings: Whether stops, constraints and contacts are as soft as the settings of
            the solver say, and the integrator and the friction cone are those of these settings:
            its defaults, where none is stated.
        wind_moves_medium: Whether wind is a velocity of the medium, which acts on every link; else
            on the links that enable it.
        filters_are_pairs: Whether each rule of the collision filters is a pair of links.
        numbers_visuals: Whether a visual that has no name in the source has a number as its name.
        planes_have_sizes: Whether a plane for contact ends at its drawn size for rays.
        is_compiled: Whether the engine compiles the source itself, so that its numbers are known.
    """

    policy: str = "neighbors"
    friction_rule: str = "smaller"
    has_solver_settings: bool = False
    wind_moves_medium: bool = False
    filters_are_pairs: bool = False
    numbers_visuals: bool = False
    planes_have_sizes: bool = False
    is_compiled: bool = False


_CONVENTIONS = {
    MUJOCO: Conventions(
        policy="mujoco",
        friction_rule="larger",
        has_solver_settings=True,
        wind_moves_medium=True,
        filters_are_pairs=True,
        numbers_visuals=True,
        planes_have_sizes=True,
        is_compiled=True,
    )
}
"""Conventions of each engine that has its own; all others have those of the fields' defaults."""


def conventions_of(physics: Physics) -> Conventions:
    """Return the conventions of the engine for which a scene was written.

    Args:
        physics: The physics of the scene.
    """
    return _CONVENTIONS.get(physics.engine, Conventions())


def with_mujoco_settings(physics: Physics, settings: Mapping[str, str]) -> Physics:
    """Return the physics with options and flags of MuJoCo; a scene that has any is one for MuJoCo.

    Args:
        physics: The physics.
        settings: Texts by path, such as ``option/integrator`` and ``flag/contact``.
    """
    if not settings:
        return physics
    stated = dict(settings_of(physics, MUJOCO)) | dict(settings)
    return replace(physics, engine=MUJOCO, parameters=tuple(sorted(stated.items())))


@dataclass(frozen=True, slots=True)
class FrictionRule:
    """A rule that makes one coefficient of friction of those of two surfaces.

    Attributes:
        words: The words for it, in a sentence.
        combined: The coefficient of the pair.
    """

    words: str
    combined: Callable[[float, float], float]

    def between(self, one: Surface, other: Surface) -> float:
        """Return the coefficient of two surfaces. By MuJoCo's settings that of the surface with the
        higher priority holds, and contacts of one dimension have no friction.

        Args:
            one: A surface.
            other: The other one.
        """
        return self.of_grips(grip_of(one), grip_of(other))

    def of_grips(self, a: Grip, b: Grip) -> float:
        """Return the same for the properties of two surfaces."""
        if a.priority == b.priority:
            dimension, mu = max(a.dimension, b.dimension), self.combined(a.mu, b.mu)
        else:
            first = a if a.priority > b.priority else b
            dimension, mu = first.dimension, first.mu
        return mu if dimension > 1 else 0.0


class Grip(NamedTuple):
    """The properties of a surface that decide on the friction of a pair."""

    mu: float
    """Coefficient of friction."""
    dimension: int = 3
    """Dimension of contacts, by MuJoCo's setting ``condim``: 1 is without friction."""
    priority: int = 0
    """Priority over the other surface, by MuJoCo's setting."""


def grip_of(surface: Surface) -> Grip:
    """Return the properties of a surface that decide on the friction of a pair."""
    settings = dict(settings_of(surface, MUJOCO)) if surface.engine_settings else {}
    dimension, priority = settings.get("condim", "3"), settings.get("priority", "0")
    return Grip(surface.friction.mu, int(dimension), int(priority))


def _harmonic(a: float, b: float) -> float:
    return 2.0 * a * b / (a + b) if a + b > 0.0 else 0.0


def _product(a: float, b: float) -> float:
    return a * b


FRICTION_RULES = {
    "smaller": FrictionRule("the smaller", min),
    "larger": FrictionRule("the larger", max),
    "product": FrictionRule("the product", _product),
    "harmonic": FrictionRule("2ab/(a+b)", _harmonic),
}
"""Rules of SDFormat, MuJoCo, PyBullet and Drake for two coefficients of friction."""


def friction_rule(scene: SceneData) -> FrictionRule:
    """Return the rule for two coefficients of friction that a scene states, else that of the
    engine for which it was written.

    Raises:
        ValueError: if the rule is not one of `FRICTION_RULES`.
    """
    name = scene.friction_rule or conventions_of(scene.physics).friction_rule
    if name not in FRICTION_RULES:
        rules = ", ".join(FRICTION_RULES)
        raise ValueError(f"unknown rule of friction {name!r}; expected one of: {rules}")
    return FRICTION_RULES[name]


class Effect(StrEnum):
    """The kind of change that a setting makes."""

    MOTION = "motion"
    """How links move, also without contact."""
    CONTACT = "contact"
    """Which shapes touch, and what forces act between them."""
    ACCURACY = "accuracy"
    """How well a solver or an integrator approximates the same laws."""
    LOOKS = "looks"
    """How the scene looks, and the pictures of cameras."""
    NONE = "none"
    """Nothing of these."""


_IDLE = frozenset({Effect.LOOKS, Effect.NONE})
"""Effects of settings that change no number."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a setting.

    Attributes:
        effect: What it changes.
        default: Text of MuJoCo's default; empty if a scene holds the setting only with another
            value.
        needs: Settings; unless one has another value than its default, this one has no
            effect.
    """

    effect: Effect
    default: str = ""
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting as a scene states it.

    Attributes:
        path: Element and attribute, such as ``geom/condim`` and ``flag/contact``.
        text: Its value.
        subjects: Scoped names of the items that have it; empty for the whole scene.
        where: Place of the item in the source.
    """

    path: str
    text: str
    subjects: tuple[str, ...] = ()
    where: Where = NOWHERE

    @property
    def effect(self) -> Effect:
        """The kind of change that it makes."""
        return effect_of(self.path)

    @property
    def full_name(self) -> str:
        """Element, attribute and value as in MJCF, such as ``option/flag contact="disable"``."""
        return f'{full_name(self.path)}="{self.text}"'


_SHOWN_VALUES = 3
"""Number of values of a setting that a message shows."""


@dataclass(frozen=True, slots=True)
class SettingGroup:
    """A setting with all items that state it.

    Attributes:
        path: Element and attribute.
        settings: The setting of each item.
    """

    path: str
    settings: tuple[Setting, ...]

    @property
    def effect(self) -> Effect:
        """The kind of change that it makes."""
        return effect_of(self.path)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Scoped names of the items."""
        return tuple(dict.fromkeys(name for each in self.settings for name in each.subjects))

    @property
    def is_of_solver(self) -> bool:
        """True if it acts on the accuracy alone, or is an option that acts on nothing, or the name
        of the sky, or another setting of how a scene looks.
        """
        is_of_scene = self.path.partition("/")[0] in {"option", "flag", "size", *LOOKS_SECTIONS}
        is_idle = self.path == f"{SKY}name" or (self.effect in _IDLE and is_of_scene)
        return self.effect is Effect.ACCURACY or is_idle

    def without(self, kept: Set[str]) -> SettingGroup | None:
        """Return the group without some settings; None if no other is left.

        Args:
            kept: Element and attribute, such as ``geom/condim``, or with a value,
                ``geom/condim=1``.
        """
        left = tuple(each for each in self.settings if f"{self.path}={each.text}" not in kept)
        return SettingGroup(self.path, left) if left and self.path not in kept else None

    @property
    def where(self) -> Where:
        """Place of the first item in the source."""
        return self.settings[0].where

    def __str__(self) -> str:
        values = tuple(dict.fromkeys(each.text for each in self.settings))
        shown = ", ".join(f'"{value}"' for value in values[:_SHOWN_VALUES])
        others = len(values) - _SHOWN_VALUES
        return f"{full_name(self.path)}={shown}" + (
            f" and {counted(others, 'other value')}" * (others > 0)
        )


def grouped(settings: Iterable[Setting]) -> list[SettingGroup]:
    """Return settings by element and attribute, in their order."""
    groups: dict[str, list[Setting]] = {}
    for setting in settings:
        groups.setdefault(setting.path, []).append(setting)
    return [SettingGroup(path, tuple(members)) for path, members in groups.items()]


_UNKNOWN = Meaning(Effect.MOTION)
FLUID = ("option/density", "option/viscosity")
"""Options of a medium, without which it exerts no force."""
_ROLLING = ("geom/condim",)
_SOFTNESS = ("geom/solref", "geom/solimp")


def _all(element: str, names: str, meaning: Meaning) -> dict[str, Meaning]:
    """Return the same meaning for some attributes of an element."""
    return {f"{element}/{name}": meaning for name in names.split()}


SETTINGS = {
    # options
    **_all("option", "density viscosity", Meaning(Effect.MOTION, "0")),
    **_all("option", "wind", Meaning(Effect.MOTION, "0 0 0", FLUID)),
    **_all("option", "actuatorgroupdisable", Meaning(Effect.MOTION)),
    **_all("option", "sleep_tolerance", Meaning(Effect.MOTION, "0.001", ("flag/sleep",))),
    **_all("option", "o_margin", Meaning(Effect.CONTACT, "0", ("flag/override",))),
    **_all("option", "o_solref", Meaning(Effect.CONTACT, "0.02 1", ("flag/override",))),
    **_all(
        "option", "o_solimp", Meaning(Effect.CONTACT, "0.9 0.95 0.001 0.5 2", ("flag/override",))
    ),
    **_all(
        "option",
        "o_friction",
        Meaning(Effect.CONTACT, "1 1 0.005 0.0001 0.0001", ("flag/override",)),
    ),
    **_all(
        "option",
        "ccd_iterations ccd_tolerance cone impratio integrator iterations ls_iterations "
        "ls_tolerance mpr_iterations mpr_tolerance noslip_iterations noslip_tolerance "
        "sdf_initpoints sdf_iterations solver tolerance",
        Meaning(Effect.ACCURACY),
    ),
    **_all("option", "apirate jacobian magnetic", Meaning(Effect.NONE)),
    **_all("size", "memory", Meaning(Effect.NONE)),
    # flags
    **_all(
        "flag",
        "actuation clampctrl constraint damper equality frictionloss gravity limit passive spring",
        Meaning(Effect.MOTION, "enable"),
    ),
    **_all("flag", "sleep", Meaning(Effect.MOTION, "disable")),
    **_all("flag", "contact filterparent", Meaning(Effect.CONTACT, "enable")),
    **_all("flag", "ipc override", Meaning(Effect.CONTACT, "disable")),
    **_all(
        "flag",
        "diagexact eulerdamp island multiccd nativeccd refsafe warmstart",
        Meaning(Effect.ACCURACY),
    ),
    **_all("flag", "autoreset energy fwdinv invdiscrete midphase sensor", Meaning(Effect.NONE)),
    # shapes and pairs of shapes
    **_all(
        "geom", "adhesion gap margin priority solimp solref surfacevel", Meaning(Effect.CONTACT)
    ),
    **_all("geom", "condim", Meaning(Effect.CONTACT, "3")),
    **_all("geom", "friction", Meaning(Effect.CONTACT, needs=_ROLLING)),
    **_all("geom", "solmix", Meaning(Effect.CONTACT, "1", _SOFTNESS)),
    **_all("geom", "fluidcoef fluidshape", Meaning(Effect.MOTION, needs=FLUID)),
    **_all("pair", "adhesion friction gap margin solimp solref", Meaning(Effect.CONTACT)),
    **_all("pair", "condim", Meaning(Effect.CONTACT, "3")),
    **_all("pair", "solreffriction", Meaning(Effect.ACCURACY)),
    # bodies, joints, tendons, equalities and actuators
    **_all("body", "gravcomp", Meaning(Effect.MOTION, "0")),
    **_all("body", "inertial/diaginertia inertial/quat", Meaning(Effect.NONE)),
    **_all(
        "joint",
        "actuatorfrcrange actuatorgravcomp damping limited margin range solimplimit solreflimit "
        "stiffness",
        Meaning(Effect.MOTION),
    ),
    **_all("joint", "solimpfriction solreffriction", Meaning(Effect.ACCURACY)),
    **_all("joint", "ref", Meaning(Effect.NONE)),
    **_all(
        "tendon",
        "actuatorfrcrange damping margin solimplimit solreflimit stiffness",
        Meaning(Effect.MOTION),
    ),
    **_all("tendon", "solimpfriction solreffriction", Meaning(Effect.ACCURACY)),
    **_all("equality", "solimp solref torquescale", Meaning(Effect.MOTION)),
    **_all("equality", "name", Meaning(Effect.NONE)),
    **_all("actuator", "group lengthrange", Meaning(Effect.NONE)),
    # the looks of a scene, the sky, cameras and lights
    **_all("statistic", "center extent meanmass meansize", Meaning(Effect.LOOKS)),
    **_all("visual", "global headlight map quality rgba scale", Meaning(Effect.LOOKS)),
    **_all(
        "skybox",
        "builtin colorspace file fileback filedown filefront fileleft fileright fileup gridlayout "
        "gridsize height hflip mark markrgb name nchannel random rgb1 rgb2 type vflip width",
        Meaning(Effect.LOOKS),
    ),
    **_all(
        "camera",
        "fovy focal ipd mode output principal projection resolution sensorsize",
        Meaning(Effect.LOOKS),
    ),
    **_all(
        "light", "ambient bulbradius cutoff exponent intensity mode softness", Meaning(Effect.LOOKS)
    ),
}
"""The meaning of each setting by element and attribute; laws of actuators are not listed, since all
of them move."""


_CONSTRAINTS = {
    "cfm": Meaning(Effect.MOTION, "0"),
    **dict.fromkeys(
        (
            "contact_max_correcting_vel",
            "contact_surface_layer",
            "erp",
            "split_impulse",
            "split_impulse_penetration_threshold",
        ),
        Meaning(Effect.ACCURACY),
    ),
}
_SOLVER = (
    "type min_step_size island_threads iters precon_iters sor thread_position_correction "
    "use_dynamic_moi_rescaling solver_type"
)
PHYSICS_SETTINGS = {
    **{
        f"{engine}/constraints/{name}": meaning
        for engine in ("ode", "bullet")
        for name, meaning in _CONSTRAINTS.items()
    },
    **{
        path: meaning
        for engine in ("ode", "bullet", "dart")
        for path, meaning in _all(f"{engine}/solver", _SOLVER, Meaning(Effect.ACCURACY)).items()
    },
    "ode/solver/friction_model": Meaning(Effect.CONTACT, "pyramid_model"),
    "dart/collision_detector": Meaning(Effect.ACCURACY),
    **_all("simbody", "min_step_size accuracy max_transient_velocity", Meaning(Effect.ACCURACY)),
    "simbody/contact/stiffness": Meaning(Effect.CONTACT, "1e8"),
    "simbody/contact/dissipation": Meaning(Effect.CONTACT, "100"),
    "simbody/contact/plastic_coef_restitution": Meaning(Effect.CONTACT, "0.5"),
    "simbody/contact/plastic_impact_velocity": Meaning(Effect.CONTACT, "0.5"),
    "simbody/contact/static_friction": Meaning(Effect.CONTACT, "0.9"),
    "simbody/contact/dynamic_friction": Meaning(Effect.CONTACT, "0.9"),
    "simbody/contact/viscous_friction": Meaning(Effect.CONTACT, "0"),
    "simbody/contact/override_impact_capture_velocity": Meaning(Effect.ACCURACY),
    "simbody/contact/override_stiction_transition_velocity": Meaning(Effect.ACCURACY),
}
"""The meaning of each setting of an engine of Gazebo by its path below ``<physics>``.

Source: SDFormat 1.12, ``physics``, with its defaults."""
_ENGINES = frozenset({"ode", "bullet", "dart", "simbody"})
"""Engines of Gazebo with settings below ``<physics>``."""
_MEANINGS = SETTINGS | PHYSICS_SETTINGS


def effect_of(path: str) -> Effect:
    """Return what a setting changes; the motion, if it is not in the tables.

    Args:
        path: Element and attribute, such as ``option/density``.
    """
    return _MEANINGS.get(without_attribute(path), _UNKNOWN).effect


def without_attribute(path: str) -> str:
    """Return the path by which `SETTINGS` has a setting: of ``<visual>`` only the group."""
    return path.rpartition("/")[0] if path.startswith("visual/") else path


def is_default(path: str, text: str) -> bool:
    """Return whether a value is MuJoCo's default; further numbers that are not stated are the
    default, too.

    Args:
        path: Element and attribute.
        text: The value.
    """
    stated, default = text.split(), _MEANINGS.get(path, _UNKNOWN).default.split()
    if stated == default or not stated or len(stated) > len(default):
        return stated == default
    try:
        return all(float(a) == float(b) for a, b in zip(stated, default, strict=False))
    except ValueError:
        return False


def full_name(path: str) -> str:
    """Return element and attribute as in MJCF: ``option/flag contact`` for ``flag/contact``; for a
    setting of Gazebo ``physics`` and its path.
    """
    element, _, attribute = path.partition("/")
    if element in _ENGINES:
        return f"physics {path}"
    return f"{'option/flag' if element == 'flag' else element} {attribute}"


def stated_settings(scene: SceneData) -> Iterator[Setting]:
    """Yield all settings of MuJoCo that a scene states, whatever their effect; elements of its own
    are no settings.
    """
    place = Where(scene.source)
    yield from _settings("", scene.physics, where=place)
    if scene.wind.any() and conventions_of(scene.physics).wind_moves_medium:
        text = " ".join(f"{x:g}" for x in scene.wind)
        yield Setting(path="option/wind", text=text, where=place)
    for link in scene.links:
        yield from _settings("body/", link, link.name, where=link.where)
        for shape in link.collisions:
            name = f"{link.name}{SEPARATOR}{shape.name}"
            yield from _settings("geom/", shape.surface, name, where=shape.where)
    named: tuple[tuple[str, tuple[Joint | Tendon | Actuator | Light, ...]], ...] = (
        ("joint/", scene.joints),
        ("tendon/", scene.tendons),
        ("actuator/", scene.actuators),
        ("light/", scene.lights),
    )
    for element, items in named:
        for item in items:
            yield from _settings(element, item, item.name, where=item.where)
    for link in scene.links:
        for sensor in link.sensors:
            name = f"{link.name}{SEPARATOR}{sensor.name}"
            yield from _settings("camera/", sensor, name, where=sensor.where)
    yield from _settings_of_connections(scene)


def _settings_of_connections(scene: SceneData) -> Iterator[Setting]:
    """Yield the settings of contact pairs, and of the equalities that hold."""
    for coupling in scene.couplings:
        ends = (coupling.follower, coupling.leader)
        yield from _settings("equality/", coupling, *ends, where=coupling.where)
    for constraint in scene.constraints:
        if isinstance(constraint, BallConstraint | WeldConstraint) and constraint.active:
            ends = (constraint.link_A, constraint.link_B)
            yield from _settings("equality/", constraint, *ends, where=constraint.where)
    for pair in scene.contact_pairs:
        names = (
            f"{pair.link_A}{SEPARATOR}{pair.collision_A}",
            f"{pair.link_B}{SEPARATOR}{pair.collision_B}",
        )
        yield from _settings("pair/", pair, *names, where=pair.where)


def physics_settings(physics: Physics) -> Iterator[Setting]:
    """Yield the settings of an engine of Gazebo that a scene states.

    Args:
        physics: The physics of the scene.
    """
    if not conventions_of(physics).has_solver_settings:
        yield from (Setting(path=path, text=text) for path, text in physics.parameters)


def acting_physics_settings(physics: Physics) -> tuple[Setting, ...]:
    """Return those of them that act on motion or contact, without those at the default and those of
    engines for which the scene was not written.

    Args:
        physics: The physics of the scene.
    """
    unused = _ENGINES - {physics.engine}
    return tuple(
        setting
        for setting in physics_settings(physics)
        if setting.effect in {Effect.MOTION, Effect.CONTACT}
        and not is_default(setting.path, setting.text)
        and setting.path.partition("/")[0] not in unused
    )


def acting_settings(scene: SceneData) -> tuple[Setting, ...]:
    """Return the settings of MuJoCo in a scene that act on its motion or its contacts, without
    those at the default.
    """
    stated = [
        setting for setting in stated_settings(scene) if not is_default(setting.path, setting.text)
    ]
    paths = {setting.path for setting in stated}
    return tuple(setting for setting in stated if _acts(setting, paths))


def _acts(setting: Setting, stated: set[str]) -> bool:
    meaning = SETTINGS.get(without_attribute(setting.path), _UNKNOWN)
    is_active = not meaning.needs or not stated.isdisjoint(meaning.needs)
    return is_active and meaning.effect in {Effect.MOTION, Effect.CONTACT}


def _settings(
    element: str, item: HasEngineSettings, *subjects: str, where: Where
) -> Iterator[Setting]:
    for name, text in settings_of(item, MUJOCO):
        yield Setting(path=f"{element}{name}", text=text, subjects=subjects, where=where)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFriction:
    """The friction of two links by two rules.

    Attributes:
        link_A: Name of one link.
        link_B: Name of the other link.
        coefficients: The coefficient of each.
        wanted: The coefficient of the pair by the rule of the source.
        found: The coefficient of the pair in the target.
    """

    link_A: str
    link_B: str
    coefficients: tuple[float, float]
    wanted: float
    found: float

    @property
    def difference(self) -> float:
        """The difference of the two coefficients of the pair."""
        return abs(self.wanted - self.found)


_NO_DIFFERENCE = 1e-9
"""Difference of friction that is a rounding error."""


def worst_of(frictions: Iterable[PairFriction]) -> PairFriction | None:
    """Return the pair whose friction differs most between source and target; None if none does."""
    worst = max(frictions, key=lambda pair: pair.difference, default=None)
    return worst if worst is not None and worst.difference > _NO_DIFFERENCE else None


S = TypeVar("S", bound=SceneData)
T = TypeVar("T")

_OVERRIDE = "flag/override"
"""Flag of MuJoCo that gives all contacts the parameters of the options ``o_*``."""
SOLVED = frozenset({"flag/filterparent", _OVERRIDE})
"""The flags of `solved_settings`."""
IMPLIED: Mapping[str, tuple[str, ...]] = {
    "constraint": ("contact", "equality", "frictionloss", "limit"),
    "passive": ("damper", "spring"),
}
"""Flags that a flag stands for."""
_AXES: Mapping[str, Mapping[str, float]] = {
    "damper": {"damping": 0.0},
    "frictionloss": {"friction": 0.0},
    "limit": {"lower": -math.inf, "upper": math.inf},
    "spring": {"spring_stiffness": 0.0},
}
"""Fields of a joint axis without effect, by flag."""
_TENDONS: Mapping[str, Mapping[str, float]] = {
    **{flag: _AXES[flag] for flag in ("damper", "frictionloss", "limit")},
    "spring": {"stiffness": 0.0},
}
_SETTINGS: Mapping[str, frozenset[str]] = {
    "damper": frozenset({"damping"}),
    "frictionloss": frozenset({"solimpfriction", "solreffriction"}),
    "limit": frozenset({"limited", "margin", "range", "solimplimit", "solreflimit"}),
    "spring": frozenset({"stiffness"}),
}
"""Settings of a joint or a tendon without effect, by flag."""
_IDLE_GROUPS, _FRICTION = "option/actuatorgroupdisable", "option/o_friction"
_OFF = 0
"""Bitmask of what touches nothing."""
FRICTIONLESS = ("condim", "1")
"""Setting of a shape without friction, unless a shape that it touches has more dimensions."""
_OVERRIDDEN = frozenset({"friction", "margin", "solimp", "solref"})
"""Settings of a shape in whose place an override has its own."""
RESOLVED = frozenset({*_AXES, *IMPLIED, "actuation", "clampctrl", "contact", "equality"})
"""The flags that `as_switched` resolves."""


def as_switched(scene: S) -> S:
    """Return a scene whose fields say what MuJoCo's settings make of them, without the settings
    that this resolves; the scene itself if it states none.

    Limits, dampers, springs, dry friction, equalities, contacts and actuators that a flag switches
    off are left out; the friction of an override is that of all surfaces; contacts are without
    friction if all shapes state ``condim="1"``.
    """
    stated = dict(settings_of(scene.physics, MUJOCO))
    off = _switched_off(stated)
    surface = _surfaces(scene, stated, off)
    idle = stated.get(_IDLE_GROUPS, "").split()
    if not off and not idle and surface is None:
        return scene
    resolved = _resolved(off)
    parameters = tuple(entry for entry in scene.physics.parameters if entry[0] not in resolved)
    changes: dict[str, Any] = {
        "physics": dataclasses.replace(scene.physics, parameters=parameters),
        "joints": _each(scene.joints, lambda joint: _joint(joint, off)),
        "tendons": _each(scene.tendons, lambda tendon: _tendon(tendon, off)),
        "actuators": _each(scene.actuators, lambda actuator: _actuator(actuator, off, idle)),
        "links": _each(scene.links, lambda link: _link(link, off, surface)),
    }
    if "equality" in off:
        elements = tuple(e for e in scene.engine_elements if e.section != "equality")
        changes |= {"couplings": (), "constraints": (), "engine_elements": elements}
    if "contact" in off:
        changes["contact_pairs"] = ()
    elif stated.get(_OVERRIDE) == "enable":
        friction = ("friction", " ".join(_friction_of_override(stated)))
        changes["contact_pairs"] = tuple(_overridden(p, friction) for p in scene.contact_pairs)
    if "passive" in off:
        changes["wind"] = IDENTITY.p
    return dataclasses.replace(scene, **changes)


def solved_settings(physics: Physics) -> frozenset[str]:
    """Return the settings of MuJoCo that other simulators obey by pairs of links and by the
    coefficients that `as_switched` gives surfaces, which have no directions.

    Args:
        physics: The physics of a scene.
    """
    stated = dict(settings_of(physics, MUJOCO))
    first, second, *_ = _friction_of_override(stated)
    has_friction = stated.get(_OVERRIDE) == "enable" and first == second
    return SOLVED | {_FRICTION} if has_friction else SOLVED


def _resolved(off: frozenset[str]) -> frozenset[str]:
    """Return the options and flags that the changed scene need not state."""
    found = {_IDLE_GROUPS, *(f"flag/{flag}" for flag in RESOLVED)}
    if "passive" in off:
        found |= {*FLUID, "option/wind"}
    return frozenset(found)


def _friction_of_override(stated: Mapping[str, str]) -> list[str]:
    """Return the coefficients of an override, in two directions and about three axes."""
    numbers, default = stated.get(_FRICTION, "").split(), SETTINGS[_FRICTION].default.split()
    return numbers + default[len(numbers) :]


def _switched_off(stated: Mapping[str, str]) -> frozenset[str]:
    """Return the flags that are off, with those that they stand for; ``passive`` if no passive
    force acts: without springs and dampers MuJoCo computes none.
    """
    named = {flag for flag in RESOLVED if stated.get(f"flag/{flag}") == "disable"}
    off = named.union(*(IMPLIED.get(flag, ()) for flag in named))
    return frozenset(off | {"passive"} if {"damper", "spring"} <= off else off)


def _surfaces(
    scene: SceneData, stated: Mapping[str, str], off: frozenset[str]
) -> Callable[[Surface], Surface] | None:
    """Return what makes the surface that acts of one that is stated; None if all act as stated."""
    mu = float(_friction_of_override(stated)[0]) if stated.get(_OVERRIDE) == "enable" else None
    if "contact" in off:
        return lambda surface: dataclasses.replace(
            surface if mu is None else _with_friction(surface, mu),
            collide_bitmask=_OFF,
            category_bitmask=_OFF,
            engine_settings=_fluid_of(surface),
        )
    surfaces = [c.surface for link in scene.links for c in link.collisions]
    if mu is not None:
        return lambda surface: _without(_OVERRIDDEN, _with_friction(surface, mu))
    if surfaces and all(FRICTIONLESS in settings_of(each, MUJOCO) for each in surfaces):
        return lambda surface: _without({"condim", "friction"}, _with_friction(surface, 0.0))
    return None


def with_override(surface: Surface, physics: Physics) -> Surface:
    """Return a surface with what MuJoCo's override states in place of its own settings; the surface
    itself if there is none.

    Args:
        surface: A surface of a scene that `as_switched` returned.
        physics: The physics of the scene.
    """
    stated = dict(settings_of(physics, MUJOCO))
    names = [name for name in sorted(_OVERRIDDEN) if f"option/o_{name}" in stated]
    if stated.get(_OVERRIDE) != "enable" or not names:
        return surface
    given = tuple((name, stated[f"option/o_{name}"]) for name in names if name != "friction")
    kept = settings_of(_without(_OVERRIDDEN, surface), MUJOCO)
    return dataclasses.replace(surface, engine_settings=of_engine(MUJOCO, (*kept, *given)))


def _with_friction(surface: Surface, mu: float) -> Surface:
    return dataclasses.replace(surface, friction=Friction(mu=mu, mu2=mu))


def _fluid_of(surface: Surface) -> Any:
    settings = settings_of(surface, MUJOCO)
    return of_engine(MUJOCO, tuple(entry for entry in settings if entry[0].startswith("fluid")))


def _overridden(pair: ContactPair, friction: tuple[str, str]) -> ContactPair:
    kept = settings_of(_without(_OVERRIDDEN, pair), MUJOCO)
    return dataclasses.replace(pair, engine_settings=of_engine(MUJOCO, (*kept, friction)))


def _each(items: tuple[T, ...], change: Callable[[T], T]) -> tuple[T, ...]:
    """Return changed items; the same tuple if none changes."""
    changed = tuple(map(change, items))
    return items if all(a is b for a, b in zip(items, changed, strict=True)) else changed


def _fields(table: Mapping[str, Mapping[str, Any]], off: frozenset[str]) -> dict[str, Any]:
    return {field: value for flag in table.keys() & off for field, value in table[flag].items()}


def _settings_off(off: frozenset[str]) -> frozenset[str]:
    return frozenset[str]().union(*(_SETTINGS[flag] for flag in _SETTINGS.keys() & off))


def _without(names: frozenset[str] | set[str], item: Any) -> Any:
    """Return an item without settings of some names."""
    stated: Settings = settings_of(item, MUJOCO)
    kept = tuple(entry for entry in stated if entry[0] not in names)
    if kept == stated:
        return item
    return dataclasses.replace(item, engine_settings=of_engine(MUJOCO, kept))


def _joint(joint: Joint, off: frozenset[str]) -> Joint:
    fields = _fields(_AXES, off)
    if fields and joint.axes:
        axes = tuple(dataclasses.replace(axis, **fields) for axis in joint.axes)
        joint = dataclasses.replace(joint, axes=axes)
    changed: Joint = _without(_settings_off(off), joint)
    return changed


def _tendon(tendon: Tendon, off: frozenset[str]) -> Tendon:
    fields = _fields(_TENDONS, off)
    changed: Tendon = _without(_settings_off(off), tendon)
    return dataclasses.replace(changed, **fields) if fields else changed


def _actuator(actuator: Actuator, off: frozenset[str], idle: list[str]) -> Actuator:
    """Return an actuator; without gains and law if it is switched off."""
    group = dict(settings_of(actuator, MUJOCO)).get("group", "0")
    if "actuation" in off or group in idle:
        return dataclasses.replace(
            actuator, p_gain=None, d_gain=None, control=(-math.inf, math.inf), engine_settings=()
        )
    unclamped = dataclasses.replace(actuator, control=(-math.inf, math.inf))
    return unclamped if "clampctrl" in off else actuator


def _link(link: Link, off: frozenset[str], surface: Callable[[Surface], Surface] | None) -> Link:
    if "passive" in off:
        link = dataclasses.replace(_without({"gravcomp"}, link), gravity=True)
    if surface is None or not link.collisions:
        return link
    collisions = tuple(dataclasses.replace(c, surface=surface(c.surface)) for c in link.collisions)
    return dataclasses.replace(link, collisions=collisions)
