"""Fields that MJCF cannot hold, and features without MJX support.

The rules hold for MJX 3.17 with its own backend (JAX); ``docs/make_accelerators_table.py`` asks MJX
itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridge.targets.fields import LostSettings, losses, lost_values, report_lost_physics
from bridge.targets.mjcf import codes
from bridge.targets.report import value_text
from loaders.diagnostics import NOWHERE, Where
from loaders.engine_settings import conventions_of
from loaders.model import (
    Collision,
    Friction,
    Joint,
    JointAxis,
    Link,
    Model,
    Physics,
    Surface,
    Visual,
)
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR

from .context import MjcfContext, MjcfElement
from .geom import shape_name_counts

_ROUND = frozenset({"cylinder", "ellipsoid"})
_FLAT = frozenset({"box", "mesh", "hfield"})
"""MJX has no collision function for a round shape and a flat one."""


def report_mjx_support(context: MjcfContext) -> None:
    """Report the features of the model that MJX refuses, in one entry."""
    links, features = _unsupported_collision(context)
    contacts = [
        element for element in context.document["sensor"].children if element.tag == "contact"
    ]
    sensors = [element.attributes["name"] for element in contacts if "name" in element.attributes]
    if contacts:
        features.append(
            "contact sensors that sum forces" + (f" ({' '.join(sensors)})" if sensors else "")
        )
    finders = [e for e in context.document["sensor"].children if e.tag == "rangefinder"]
    materials = [e for e in context.document["asset"].children if e.tag == "material"]
    if finders and not materials:  # it asks for the opacity of materials
        features.append("range finders in a model without a material")
    if context.mechanism.scene.wind.any():
        features.append("wind with implicitfast")
    if features:
        context.add(codes.MJX, subjects=(*links, *sensors), features=tuple(features))


def _unsupported_collision(context: MjcfContext) -> tuple[tuple[str, ...], list[str]]:
    """Return the first two links that may collide with shapes that MJX cannot collide, and the
    feature.
    """
    types = {
        body.name: _collision_types(i, context) for i, body in enumerate(context.mechanism.bodies)
    }
    pair = _first_unsupported_pair(types, context)
    if pair is None:
        return (), []
    a, b = pair
    return pair, [
        "collisions of cylinders and ellipsoids with boxes and meshes and height fields "
        f"(a {min(types[a] & _ROUND)} of {a} with a {min(types[b] & _FLAT)} of {b})"
    ]


def _first_unsupported_pair(
    types: Mapping[str, set[str]], context: MjcfContext
) -> tuple[str, str] | None:
    mechanism = context.mechanism
    excluded, index = mechanism.excluded_pairs(context.options.policy), mechanism.body_index
    round_links = [name for name, shapes in types.items() if shapes & _ROUND]
    flat_links = [name for name, shapes in types.items() if shapes & _FLAT]
    groups = [mechanism.weld_group_of(name) for name in flat_links]
    ends = _ends_of_runs(groups)
    for a in round_links:
        group, i = mechanism.weld_group_of(a), 0
        while i < len(flat_links):
            if groups[i] == group:
                i = ends[i]
                continue
            if frozenset((index[a], index[flat_links[i]])) not in excluded:
                return a, flat_links[i]
            i += 1
    return None


def _ends_of_runs(values: Sequence[object]) -> list[int]:
    """Return for each place the first one after it with another value."""
    ends = [len(values)] * len(values)
    for i in range(len(values) - 2, -1, -1):
        ends[i] = ends[i + 1] if values[i] == values[i + 1] else i + 1
    return ends


def _collision_types(index: int, context: MjcfContext) -> set[str]:
    """Return the types of the colliding geoms of one body."""
    return {
        _type(e)
        for e in context.document.bodies[index].children
        if e.attributes.get("class") == "collision"
    }


def _type(geom: MjcfElement) -> str:
    return geom.attributes.get("type", "sphere")


LOSSES = losses(
    (Model, "allow_auto_disable", codes.SLEEP),
    (Model, "enable_wind", codes.WIND_OF_MODEL),
    (Link, "enable_wind", codes.WIND_OF_LINK),
    (Link, "velocity_decay", codes.VELOCITY_DECAY),
    (Link, "added_mass", codes.ADDED_MASS),
    (Link, "surface_velocity_axis", codes.SURFACE_VELOCITY),
    (Link, "deformable", codes.DEFORMABLE),
    (Visual, "cast_shadows", codes.VISUAL),
    (Visual, "roles renderers", codes.VISUAL_IN_CAMERAS),
    (Collision, "density", codes.DENSITY),
    (Surface, "restitution_threshold", codes.RESTITUTION_THRESHOLD),
    (Surface, "max_velocity min_depth", codes.CONTACT_SOLVER_FIELD),
    (Surface, "collide_without_contact", codes.COLLIDE_WITHOUT_CONTACT),
    (Surface, "hydroelastic", codes.HYDROELASTIC),
    (Friction, "mu_static", codes.STATIC_FRICTION),
    (Friction, "fdir1", codes.FRICTION_DIRECTION_FIELD),
    (Friction, "slip1 slip2 torsional_slip", codes.SLIP),
    (JointAxis, "velocity", codes.VELOCITY_LIMIT_DROPPED),
    (JointAxis, "acceleration", codes.ACCELERATION_LIMIT),
    (Physics, "real_time_factor real_time_update_rate", codes.PHYSICS_PACE),
    (Physics, "max_contacts", codes.PHYSICS_MAX_CONTACTS),
    (Physics, "engine", codes.PHYSICS_ENGINE),
    (Physics, "parameters", codes.PHYSICS),
)
"""Fields that MJCF lacks; the messages name the owner of the field, the field and its value."""
_LOST_PHYSICS = LostSettings(
    codes.PHYSICS_OF_MOTION, codes.PHYSICS_OF_CONTACT, codes.PHYSICS_OF_SOLVER
)
"""Findings about the settings of an engine of Gazebo."""


def report_unsupported_fields(speed_limited: frozenset[str], context: MjcfContext) -> None:
    """Report every field that the source states and MJCF cannot hold.

    Args:
        speed_limited: Joints whose actuators have no effort beyond the joint's speed limit.
        context: The export.
    """
    scene = context.mechanism.scene
    _report_physics(scene, context)
    _report_filter_groups(scene, context)
    _report_names(scene, context)
    for model in scene.models:
        owner = _Owner(model.name, (model.name,), model.where)
        _report_lost(model, owner, context, _without_wind(scene))
    for link in scene.links:
        _report_link(link, context)
    for joint in scene.joints:
        _report_joint(joint, joint.name in speed_limited, context)
    for actuator in (driven.actuator for driven in context.mechanism.actuators):
        if actuator.interfaces:
            context.add(
                codes.ACTUATOR_INTERFACES,
                actuator,
                actuator=actuator.name,
                interfaces=actuator.interfaces,
            )


# --- the scene ------------------------------------------------------------------------------------


def _report_physics(scene: Scene, context: MjcfContext) -> None:
    where = Where(scene.source)
    conventions = conventions_of(scene.physics)
    carried = (*(("engine",) if conventions.has_solver_settings else ()), "parameters")
    _report_lost(scene.physics, _Owner("", (), where), context, carried)
    report_lost_physics(scene.physics, _LOST_PHYSICS, context.add)
    if scene.physics.time_step != context.time_step:
        context.add(
            codes.TIME_STEP, where, time_step=scene.physics.time_step, default=context.time_step
        )
    if _has_wind(scene) and not conventions.wind_moves_medium:
        context.add(codes.WIND, where)
    if scene.spherical_coordinates:
        settings = tuple(f"{tag} = {text}" for tag, text in scene.spherical_coordinates)
        context.add(codes.SPHERICAL_COORDINATES, where, settings=settings)


def _has_wind(scene: Scene) -> bool:
    """Return whether there is a wind and something on which it acts."""
    is_felt = any(m.enable_wind for m in scene.models) or any(k.enable_wind for k in scene.links)
    return bool(scene.wind.any()) and is_felt


def _without_wind(scene: Scene) -> tuple[str, ...]:
    """Return the fields without effect if there is no wind."""
    return () if scene.wind.any() else ("enable_wind",)


def _report_filter_groups(scene: Scene, context: MjcfContext) -> None:
    if scene.filter_groups:
        names = tuple(group.name for group in scene.filter_groups)
        members = (" with ".join((group.name, *group.groups)) for group in scene.filter_groups)
        context.add(
            codes.FILTER_GROUPS,
            scene.filter_groups[0].where,
            subjects=names,
            groups=", ".join(members),
        )


def _report_names(scene: Scene, context: MjcfContext) -> None:
    counts = shape_name_counts(scene)
    unnamed = [
        f"{link.name}{SEPARATOR}{visual.name}"
        for link in scene.links
        for visual in link.visuals
        if counts[visual.name] > 1
    ]
    if unnamed:
        context.add(codes.VISUAL_NAMES, subjects=unnamed, count=len(unnamed))
    if len(scene.models) > 1:
        models = ", ".join(f"{model.name} ({model.canonical_link})" for model in scene.models)
        context.add(
            codes.MODEL_SCOPES,
            scene.models[0].where,
            subjects=[model.name for model in scene.models],
            models=models,
        )


# --- links ----------------------------------------------------------------------------------------


def _report_link(link: Link, context: MjcfContext) -> None:
    owner = _Owner(link.name, (link.name,), link.where)
    _report_lost(link, owner, context, _without_wind(context.mechanism.scene))
    for visual in link.visuals:
        _report_lost(visual, _shape_owner(visual, link), context)
    for collision in link.collisions:
        owner, friction = _shape_owner(collision, link), collision.surface.friction
        for item in (collision, collision.surface, friction):
            _report_lost(item, owner, context)
        if friction.mu2 != friction.mu:
            context.add(
                codes.FRICTION_DIRECTION,
                collision.where,
                subjects=owner.subjects,
                name=owner.name,
                mu2=friction.mu2,
                mu=friction.mu,
            )


def _shape_owner(shape: Visual | Collision, link: Link) -> _Owner:
    return _Owner(
        f"{link.name}/{shape.name}", (link.name, f"{link.name}{SEPARATOR}{shape.name}"), shape.where
    )


# --- joints ---------------------------------------------------------------------------------------


def _report_joint(joint: Joint, ends_at_speed_limit: bool, context: MjcfContext) -> None:
    owner = _Owner(joint.name, (joint.name,), joint.where)
    for axis in joint.axes:
        _report_lost(axis, owner, context, ("velocity",) if ends_at_speed_limit else ())
    if joint.curve is not None:
        context.add(
            codes.CURVE,
            joint,
            joint=joint.name,
            length=sum(arc.length for arc in joint.curve.arcs),
            kind="closed" if joint.curve.periodic else "open",
        )
    if joint.provide_feedback:
        context.add(codes.JOINT_FEEDBACK, joint, joint=joint.name)


# --- values that are lost -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Owner:
    """The owner of a field in diagnostics.

    Attributes:
        name: The name.
        subjects: Scoped names of the link, joint or shape.
        where: The place in the source.
    """

    name: str
    subjects: tuple[str, ...] = ()
    where: Where = NOWHERE


def _report_lost(
    item: Model | Link | Visual | Collision | Surface | Friction | JointAxis | Physics,
    owner: _Owner,
    context: MjcfContext,
    carried: Sequence[str] = (),
) -> None:
    """Report the values of an item that MJCF lacks, without the fields that it has in this case."""
    lost = LOSSES[type(item)]
    for field, value, _ in lost_values(item, lost):
        if field not in carried:
            context.add(
                lost[field],
                owner.where,
                subjects=owner.subjects,
                name=owner.name,
                field=field,
                value=_short_text(value),
            )


def _short_text(value: Any) -> str:
    text = value_text(value)
    return text if len(text) <= 80 else text[:77] + "..."
