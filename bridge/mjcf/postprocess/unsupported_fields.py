"""What the model says and MJCF has no place for, as tables: one line for each field and what becomes of it.

A rule fires where a field differs from what the model takes when the source is silent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate, Where
from loaders.model import Collision, Friction, Joint, JointAxis, Link, Model, Physics, Surface, Visual
from loaders.scene import Scene


@dataclass(frozen=True, slots=True)
class _Rule:
    """Fields, apart by space, that are not carried; ``text`` ends the sentence that begins with owner and value."""

    fields: str
    fate: Fate
    code: str
    text: str
    hint: str = ""


_AIR = "MuJoCo's wind is one for all bodies, and needs a density of the air"
_WIND = _Rule("enable_wind", Fate.DROPPED, "wind", _AIR)
_MODEL = (
    _Rule("allow_auto_disable", Fate.NOTED, "sleep", "MuJoCo does not put it to sleep unless told to"),
    _WIND,
)
_LINK = (
    _WIND,
    _Rule("velocity_decay", Fate.DROPPED, "velocity-decay", "use the damping of joints"),
    _Rule("added_mass", Fate.DROPPED, "added-mass", "MuJoCo's fluid forces follow from shapes, not from a matrix"),
    _Rule(
        "surface_velocity_axis",
        Fate.DROPPED,
        "surface-velocity",
        "its surface does not move; the source states no speed",
        "set surfacevel of its geoms, in MuJoCo 3.11 and later",
    ),
    _Rule("deformable", Fate.DROPPED, "deformable", "it is a rigid body"),
)
_SURFACE = (
    _Rule("restitution_threshold", Fate.DROPPED, "restitution-threshold", "it bounces at any speed"),
    _Rule("max_velocity min_depth", Fate.DROPPED, "contact-solver", "a setting of another solver"),
    _Rule(
        "collide_without_contact",
        Fate.APPROXIMATED,
        "collide-without-contact",
        "it meets nothing, so nothing tells of it",
    ),
    _Rule("hydroelastic", Fate.DROPPED, "hydroelastic", "MuJoCo has point contacts"),
)
_FRICTION = (
    _Rule("mu_static", Fate.DROPPED, "static-friction", "MuJoCo has one coefficient, at rest and in motion"),
    _Rule("fdir1", Fate.DROPPED, "friction-direction", "friction of a geom is the same in every direction"),
    _Rule("slip1 slip2 torsional_slip", Fate.DROPPED, "slip", "MuJoCo has no force-dependent slip"),
)
_VISUAL = (
    _Rule("cast_shadows", Fate.NOTED, "visual", "every geom casts a shadow"),
    _Rule("roles renderers", Fate.NOTED, "visual", "a geom is seen by every camera"),
)
_COLLISION = (_Rule("density", Fate.NOTED, "density", "the mass is that of the link"),)
_SPEED = (
    _Rule(
        "velocity",
        Fate.DROPPED,
        "velocity-limit",
        "MuJoCo does not limit speed",
        'let a controller limit it; actuators="dcmotor" ends there',
    ),
)
_AXIS = (_Rule("acceleration", Fate.DROPPED, "acceleration-limit", "MuJoCo does not limit acceleration"),)
_PHYSICS = (
    _Rule(
        "real_time_factor real_time_update_rate",
        Fate.NOTED,
        "physics",
        "MuJoCo leaves the pace to whoever steps it",
    ),
    _Rule("max_contacts", Fate.NOTED, "physics", "MuJoCo finds its own number of contacts"),
    _Rule("engine", Fate.NOTED, "physics", "the model now runs in MuJoCo"),
    _Rule("parameters", Fate.NOTED, "physics", "settings of another engine"),
)


def ledger(context: Context) -> None:
    """Report every field of the scene that MJCF has no place for and that the source states."""
    scene = context.mechanism.scene
    _physics_and_groups(scene, context)
    for model in scene.models:
        _apply(_MODEL, model, f"model {model.name}", model.where, context)
    for link in scene.links:
        _link(link, context)
    for joint in scene.joints:
        for axis in joint.axes:
            lost = _AXIS if joint.name in context.speed_limited else (*_SPEED, *_AXIS)
            _apply(lost, axis, f"joint {joint.name}", joint.where, context)
        _curve(joint, context)
        if joint.provide_feedback:
            context.report(
                Fate.NOTED,
                "joint-feedback",
                "joint {joint}: provide_feedback is not carried; add a force and a torque sensor",
                joint.where,
                joint=joint.name,
            )
    for actuator in scene.actuators:
        if actuator.interfaces:
            context.report(
                Fate.NOTED,
                "actuator-interfaces",
                "actuator {actuator}: the interfaces {names} are not carried",
                actuator.where,
                actuator=actuator.name,
                names=", ".join(actuator.interfaces),
            )


def _physics_and_groups(scene: Scene, context: Context) -> None:
    where = Where(scene.source)
    _apply(_PHYSICS, scene.physics, "physics", where, context)
    if scene.physics.time_step != context.time_step:
        context.report(
            Fate.ASSUMED,
            "time-step",
            "the time step {time_step:g} s is none; {time_step_2:g} s is taken",
            where,
            time_step=scene.physics.time_step,
            time_step_2=context.time_step,
        )
    if scene.wind.any():
        message = "the wind pushes nothing: the source states no density of the air, and MuJoCo's is zero"
        context.report(Fate.DROPPED, "wind", message, where, hint="set density and viscosity of <option>")
    if scene.filter_groups:
        names = ", ".join(" with ".join((group.name, *group.groups)) for group in scene.filter_groups)
        context.report(
            Fate.NOTED,
            "filter-groups",
            "the collision filter groups {names} are written as the pairs that they exclude",
            scene.filter_groups[0].where,
            names=names,
        )
    nameless = sum(context.shape_names[visual.name] > 1 for link in scene.links for visual in link.visuals)
    if nameless:
        context.report(
            Fate.NOTED,
            "visual-names",
            "{nameless} visuals have no name, because theirs is that of another shape too",
            nameless=nameless,
        )
    if len(scene.models) > 1:
        names = ", ".join(f"{model.name} ({model.canonical_link})" for model in scene.models)
        context.report(
            Fate.NOTED,
            "model-scopes",
            "models, with their canonical links, are carried as prefixes of names only: {names}",
            scene.models[0].where,
            names=names,
        )


def _link(link: Link, context: Context) -> None:
    _apply(_LINK, link, f"link {link.name}", link.where, context)
    for visual in link.visuals:
        _apply(_VISUAL, visual, f"visual {link.name}/{visual.name}", visual.where, context)
    for collision in link.collisions:
        owner = f"collision {link.name}/{collision.name}"
        _apply(_COLLISION, collision, owner, collision.where, context)
        _apply(_SURFACE, collision.surface, owner, collision.where, context)
        _apply(_FRICTION, collision.surface.friction, owner, collision.where, context)
        friction = collision.surface.friction
        if friction.mu2 != friction.mu:
            context.report(
                Fate.DROPPED,
                "friction-direction",
                "{owner}: mu2 = {mu2:g} is not carried; friction is {mu:g} in every direction",
                collision.where,
                owner=owner,
                mu2=friction.mu2,
                mu=friction.mu,
            )


def _curve(joint: Joint, context: Context) -> None:
    if joint.curve is not None:
        length = sum(arc.length for arc in joint.curve.arcs)
        kind = "closed" if joint.curve.periodic else "open"
        context.report(
            Fate.NOTED,
            "curve",
            "the {kind} curve of joint {joint} is {length:g} m long; its limits are those of the axis",
            joint.where,
            kind=kind,
            joint=joint.name,
            length=length,
        )


Owner = Scene | Model | Link | Visual | Collision | Surface | Friction | JointAxis | Physics


def _apply(rules: Iterable[_Rule], owner: Owner, name: str, where: Where, context: Context) -> None:
    defaults = _defaults(type(owner))
    for field, rule in [(field, each) for each in rules for field in each.fields.split()]:
        value = getattr(owner, field)
        if _differs(value, defaults[field]):
            context.report(
                rule.fate,
                rule.code,
                "{name}: {field} = {brief} is not carried; {text}",
                where,
                hint=rule.hint,
                name=name,
                field=field,
                brief=_brief(value),
                text=rule.text,
            )


def _defaults(kind: type[Any]) -> dict[str, Any]:
    return {field.name: field.default for field in fields(kind)}


def _differs(value: Any, default: Any) -> bool:
    return value is not default and (isinstance(value, np.ndarray) or bool(value != default))


def _brief(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= 80 else text[:77] + "..."
