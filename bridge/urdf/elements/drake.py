"""Drake's elements of a robot: frames, constraints, force elements and collision filter groups."""

from __future__ import annotations

from collections import defaultdict

from bridge.export.xml_text import Element, Value, add
from bridge.urdf.normal.forces import frame_at
from loaders.model import (
    WORLD,
    BallConstraint,
    Bushing,
    Constraint,
    DistanceConstraint,
    ForceElement,
    SpringDamper,
    TendonConstraint,
    WeldConstraint,
)
from loaders.scene import Scene

from .basics import pose_attributes, vector

_VALUES: dict[type, tuple[str, tuple[str, ...]]] = {
    BallConstraint: ("drake:ball_constraint", ()),
    DistanceConstraint: ("drake:distance_constraint", ("distance", "stiffness", "damping")),
    SpringDamper: ("drake:linear_spring_damper", ("free_length", "stiffness", "damping")),
}
_BUSHING = ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping")
_TENDON = {
    "offset": "offset",
    "lower_limit": "lower",
    "upper_limit": "upper",
    "stiffness": "stiffness",
    "damping": "damping",
}


def add_drake_elements(robot: Element, scene: Scene) -> None:
    """Add the frames, constraints, force elements and filter groups.

    Args:
        robot: The ``<robot>``.
        scene: The scene.
    """
    for frame in scene.frames:
        X = frame.X_LF if frame.link != WORLD else scene.models[0].X_WM.inverse() @ frame.X_LF  # <origin> moves it
        add(robot, "frame", None, name=frame.name, link=frame.link, **pose_attributes(X))
    for item in (*scene.constraints, *scene.forces):
        _add_item(robot, item, scene)
    ignored: dict[str, list[str]] = defaultdict(list)
    for rule in scene.filter_rules:
        ignored[rule.a].append(rule.b)
    for group in scene.filter_groups:
        element = add(robot, "drake:collision_filter_group", name=group.name)
        for link in group.links:
            add(element, "drake:member", link=link)
        for other in group.groups:
            add(element, "drake:member_group", name=other)
        for other in ignored[group.name]:
            add(element, "drake:ignored_collision_filter_group", name=other)


def _add_item(robot: Element, item: Constraint | ForceElement, scene: Scene) -> None:
    if isinstance(item, TendonConstraint):
        _add_tendon(robot, item)
    elif isinstance(item, Bushing):
        element = add(robot, "drake:linear_bushing_rpy")
        for end, link, X in (("A", item.link_A, item.X_LA), ("C", item.link_C, item.X_LC)):
            add(element, f"drake:bushing_frame{end}", name=frame_at(scene, link, X) or link)
        for key in _BUSHING:
            add(element, f"drake:bushing_{key}", value=vector(getattr(item, key)))
    elif not isinstance(item, WeldConstraint):  # reported, and left out of the normal form
        _add_pair(robot, item)


def _add_pair(robot: Element, item: BallConstraint | DistanceConstraint | SpringDamper) -> None:
    tag, keys = _VALUES[type(item)]
    element = add(robot, tag)
    add(element, f"{tag}_body_A", name=item.link_A)
    add(element, f"{tag}_body_B", name=item.link_B)
    values: dict[str, Value] = {"p_AP": vector(item.p_AP), "p_BQ": vector(item.p_BQ)}
    for key, value in (values | {key: getattr(item, key) for key in keys}).items():
        add(element, f"{tag}_{key}", value=value)


def _add_tendon(robot: Element, item: TendonConstraint) -> None:
    tag = "drake:tendon_constraint"
    element = add(robot, tag)
    for joint, coefficient in zip(item.joints, item.coefficients, strict=True):
        add(element, f"{tag}_joint", name=joint, a=coefficient)
    for key, field in _TENDON.items():
        add(element, f"{tag}_{key}", value=getattr(item, field))
