"""The switches of MuJoCo, resolved: what a flag of ``<option>`` switches off has no value in the
scene, as in any other simulator.

The source's own fields stay in the scene that a reader makes, so that an export to MJCF states both
the switch and what it switches. All other targets ask `as_switched` first.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .engine_settings import FLUID, MUJOCO, OVERRIDE, SETTINGS
from .model import (
    Actuator,
    Friction,
    Joint,
    Link,
    SceneData,
    Settings,
    Surface,
    Tendon,
    of_engine,
    settings_of,
)
from .pose import IDENTITY

S = TypeVar("S", bound=SceneData)
T = TypeVar("T")

_IMPLIED: Mapping[str, tuple[str, ...]] = {
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
_IDLE, _FRICTION = "option/actuatorgroupdisable", "option/o_friction"
_OFF = 0
"""Bitmask of what touches nothing."""
_FRICTIONLESS = ("condim", "1")
_OVERRIDDEN = frozenset({"friction", "margin", "solimp", "solref"})
"""Settings of a shape in whose place an override has its own."""
RESOLVED = frozenset({*_AXES, *_IMPLIED, "actuation", "clampctrl", "contact", "equality"})
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
    idle = stated.get(_IDLE, "").split()
    if not off and not idle and surface is None:
        return scene
    resolved = _resolved(stated, off)
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
    if "passive" in off:
        changes["wind"] = IDENTITY.p
    return dataclasses.replace(scene, **changes)


def _resolved(stated: Mapping[str, str], off: frozenset[str]) -> frozenset[str]:
    """Return the options and flags that the changed scene need not state."""
    found = {_IDLE, *(f"flag/{flag}" for flag in RESOLVED)}
    if "passive" in off:
        found |= {*FLUID, "option/wind"}
    first, second, *_ = _friction_of_override(stated)
    return frozenset(found | {_FRICTION} if first == second else found)


def _friction_of_override(stated: Mapping[str, str]) -> list[str]:
    """Return the coefficients of an override, in two directions and about three axes."""
    numbers, default = stated.get(_FRICTION, "").split(), SETTINGS[_FRICTION].default.split()
    return numbers + default[len(numbers) :]


def _switched_off(stated: Mapping[str, str]) -> frozenset[str]:
    """Return the flags that are off, with those that they stand for; ``passive`` if no passive
    force acts: without springs and dampers MuJoCo computes none.
    """
    named = {flag for flag in RESOLVED if stated.get(f"flag/{flag}") == "disable"}
    off = named.union(*(_IMPLIED.get(flag, ()) for flag in named))
    return frozenset(off | {"passive"} if {"damper", "spring"} <= off else off)


def _surfaces(
    scene: SceneData, stated: Mapping[str, str], off: frozenset[str]
) -> Callable[[Surface], Surface] | None:
    """Return what makes the surface that acts of one that is stated; None if all act as stated."""
    if "contact" in off:
        return lambda surface: dataclasses.replace(
            surface, collide_bitmask=_OFF, category_bitmask=_OFF, engine_settings=_fluid_of(surface)
        )
    surfaces = [c.surface for link in scene.links for c in link.collisions]
    if stated.get(OVERRIDE) == "enable":
        mu = float(_friction_of_override(stated)[0])
        return lambda surface: _without(_OVERRIDDEN, _with_friction(surface, mu))
    if surfaces and all(_FRICTIONLESS in settings_of(each, MUJOCO) for each in surfaces):
        return lambda surface: _without({"condim", "friction"}, _with_friction(surface, 0.0))
    return None


def _with_friction(surface: Surface, mu: float) -> Surface:
    return dataclasses.replace(surface, friction=Friction(mu=mu, mu2=mu))


def _fluid_of(surface: Surface) -> Any:
    settings = settings_of(surface, MUJOCO)
    return of_engine(MUJOCO, tuple(entry for entry in settings if entry[0].startswith("fluid")))


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
