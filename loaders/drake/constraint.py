"""Drake's constraints, force elements and filter groups.

A group may name member groups in other files of the load, whichever is read first.
"""

from __future__ import annotations

from typing import TypedDict

from loaders import codes as loaders_codes
from loaders.drake import codes
from loaders.model import (
    BallConstraint,
    Bushing,
    Constraint,
    DistanceConstraint,
    FilterGroup,
    FilterRule,
    ForceElement,
    SpringDamper,
    TendonConstraint,
)
from loaders.node import Node
from loaders.pose import IDENTITY, Array, Pose
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR

from .dialect import Dialect, DrakeElement, NameResolver, number

GROUP = "drake:collision_filter_group"
"""Tag of a filter group."""


def read_groups(
    model: Node, names: NameResolver, dialect: Dialect
) -> tuple[list[FilterGroup], list[FilterRule]]:
    """Return the filter groups of a model and the rules between them.

    Args:
        model: The ``<model>`` or ``<robot>``.
        names: The names in the model.
        dialect: The dialect of the file.
    """
    groups: dict[str, FilterGroup] = {}
    rules: list[FilterRule] = []
    for node in model.all(GROUP):
        if _is_ignored(node):
            continue
        group = _read_group(node, names, dialect)
        if not node.attributes.get("name"):
            continue
        if group.name in groups:
            node.report(loaders_codes.DRAKE_DUPLICATE_GROUP, group=group.name)
        groups.setdefault(group.name, group)
        for ignored in node.all("drake:ignored_collision_filter_group"):
            rules.append(
                FilterRule(
                    a=group.name, b=names.prefix + ignored.word(dialect.name), where=ignored.where
                )
            )
    return list(groups.values()), rules


def _is_ignored(node: Node) -> bool:
    if node.maybe_word("@ignore") not in {"true", "1"}:
        return False
    for child in node.walk():
        child.mark(*(c.tag for c in child.children), *("@" + name for name in child.attributes))
    node.report(codes.IGNORED)
    return True


def _read_group(node: Node, names: NameResolver, dialect: Dialect) -> FilterGroup:
    name = node.word("@name")
    if SEPARATOR in name:
        node.report(codes.SCOPED_GROUP, name=name)
    links = []
    for member in node.all("drake:member"):
        word = member.word(dialect.member)
        link = names.link(word) if word else None
        if link is not None:
            links.append(link)
        elif word:
            member.report(codes.UNKNOWN_MEMBER_OF_MODEL, link=word, model=names.model)
        elif dialect.member == "." or member.attributes:
            member.report(codes.EMPTY_MEMBER, group=name)
    member_groups = tuple(
        names.prefix + member.word(dialect.name) for member in node.all("drake:member_group")
    )
    if not (member_groups or node.has("drake:member")):
        node.report(codes.EMPTY_GROUP, group=name)
    members = tuple(dict.fromkeys(links))
    return FilterGroup(
        name=names.prefix + name, links=members, groups=member_groups, where=node.where
    )


BUSHING, SPRING = FORCES = ("drake:linear_bushing_rpy", "drake:linear_spring_damper")
"""Tags of force elements."""
BALL, DISTANCE, TENDON = CONSTRAINTS = (
    "drake:ball_constraint",
    "drake:distance_constraint",
    "drake:tendon_constraint",
)
"""Tags of constraints."""


def read_forces(model: Node, names: NameResolver, dialect: Dialect) -> list[ForceElement]:
    """Return the bushings and the spring-dampers of a model.

    Args:
        model: The ``<model>`` or ``<robot>``.
        names: The names in the model.
        dialect: The dialect of the file.
    """
    bushings = (_read_bushing(node, names, dialect) for node in model.all(BUSHING))
    springs = (_read_spring(node, names, dialect) for node in model.all(SPRING))
    return [*bushings, *springs]


def read_constraints(model: Node, names: NameResolver, dialect: Dialect) -> list[Constraint]:
    """Return the ball, distance and tendon constraints of a model.

    Args:
        model: The ``<model>`` or ``<robot>``.
        names: The names in the model.
        dialect: The dialect of the file.
    """
    balls = (
        BallConstraint(**_points(_element(node, dialect), names), where=node.where)
        for node in model.all(BALL)
    )
    distances = (_read_distance(node, names, dialect) for node in model.all(DISTANCE))
    tendons = (_read_tendon(node, names, dialect) for node in model.all(TENDON))
    return [*balls, *distances, *tendons]


def _element(node: Node, dialect: Dialect) -> DrakeElement:
    return DrakeElement(node, dialect, prefix=f"{node.tag}_")


def _read_bushing(node: Node, names: NameResolver, dialect: Dialect) -> Bushing:
    element = DrakeElement(node, dialect, prefix="drake:bushing_")
    link_A, X_LA = _frame(element, "frameA", names)
    link_C, X_LC = _frame(element, "frameC", names)
    return Bushing(
        link_A=link_A,
        X_LA=X_LA,
        link_C=link_C,
        X_LC=X_LC,
        torque_stiffness=element.vector("torque_stiffness", minimum=0.0),
        torque_damping=element.vector("torque_damping", minimum=0.0),
        force_stiffness=element.vector("force_stiffness", minimum=0.0),
        force_damping=element.vector("force_damping", minimum=0.0),
        where=node.where,
    )


def _read_spring(node: Node, names: NameResolver, dialect: Dialect) -> SpringDamper:
    element = _element(node, dialect)
    return SpringDamper(
        **_points(element, names),
        free_length=element.number("free_length", above=0.0),
        stiffness=element.number("stiffness", minimum=0.0),
        damping=element.number("damping", minimum=0.0),
        where=node.where,
    )


def _read_distance(node: Node, names: NameResolver, dialect: Dialect) -> DistanceConstraint:
    element = _element(node, dialect)
    return DistanceConstraint(
        **_points(element, names),
        distance=element.number("distance", above=0.0),
        stiffness=element.number("stiffness", above=0.0, inf=True),
        damping=element.number("damping", minimum=0.0),
        where=node.where,
    )


def _read_tendon(node: Node, names: NameResolver, dialect: Dialect) -> TendonConstraint:
    element = _element(node, dialect)
    joints, coefficients = _tendon_joints(node, names)
    lower = element.number("lower_limit", inf=True)
    upper = element.number("upper_limit", inf=True)
    if lower > upper:
        node.report(codes.OUT_OF_RANGE_LIMITS, subjects=joints, lower=lower, upper=upper)
    return TendonConstraint(
        joints=joints,
        coefficients=coefficients,
        offset=element.number("offset"),
        lower=lower,
        upper=upper,
        stiffness=element.number("stiffness", above=0.0, inf=True),
        damping=element.number("damping", minimum=0.0),
        where=node.where,
    )


def _tendon_joints(tendon: Node, names: NameResolver) -> tuple[tuple[str, ...], tuple[float, ...]]:
    coefficients: dict[str, float] = {}
    nodes = tendon.all("drake:tendon_constraint_joint")
    if not nodes:
        tendon.report(
            codes.MISSING, tag="drake:tendon_constraint", child="drake:tendon_constraint_joint"
        )
    for node in nodes:
        name, coefficient = node.word("@name"), number(node, "@a")
        joint = names.joint(name)
        if joint is None:
            node.report(codes.UNKNOWN_JOINT, joint=name, model=names.model)
        elif len(joint.axes) != 1:
            node.report(
                codes.TENDON_JOINT, subjects=(joint.name,), joint=name, type=joint.type.value
            )
        elif joint.name in coefficients:
            node.report(codes.TENDON_JOINT_TWICE, subjects=(joint.name,), joint=name)
        else:
            coefficients[joint.name] = coefficient
    return tuple(coefficients), tuple(coefficients.values())


class _Points(TypedDict):
    """Point P of link A and point Q of link B."""

    link_A: str
    link_B: str
    p_AP: Array
    p_BQ: Array


def _points(element: DrakeElement, names: NameResolver) -> _Points:
    link_A, link_B = _link(element, "body_A", names), _link(element, "body_B", names)
    if link_A and link_A == link_B:
        element.node.report(codes.SAME_BODY, subjects=(link_A,), tag=element.node.tag, link=link_A)
    return {
        "link_A": link_A,
        "link_B": link_B,
        "p_AP": element.vector("p_AP"),
        "p_BQ": element.vector("p_BQ"),
    }


def _link(element: DrakeElement, key: str, names: NameResolver) -> str:
    name, node = element.name(key)
    link = names.link(name) if name else None
    if name and link is None:
        node.report(codes.UNKNOWN_LINK, link=name, model=names.model)
    return link or ""


def _frame(element: DrakeElement, key: str, names: NameResolver) -> tuple[str, Pose]:
    name, node = element.name(key)
    frame = names.frame(name) if name else None
    if name and frame is None:
        node.report(codes.UNKNOWN_FRAME, frame=name, model=names.model)
    return frame or ("", IDENTITY)


ELEMENTS = (GROUP, *CONSTRAINTS, *FORCES)
"""Tags of the elements that `read_model` reads; a model without them needs no call of it."""


def read_model(model: Node, names: NameResolver, dialect: Dialect) -> Scene:
    """Return the constraints, force elements and filter groups of one model, as a scene to merge
    with the rest.

    Args:
        model: The ``<model>`` or ``<robot>``.
        names: The names in the model.
        dialect: The dialect of the file.
    """
    groups, rules = read_groups(model, names, dialect)
    return Scene(
        name=names.model,
        constraints=tuple(read_constraints(model, names, dialect)),
        forces=tuple(read_forces(model, names, dialect)),
        filter_groups=tuple(groups),
        filter_rules=tuple(rules),
    )
