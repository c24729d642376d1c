"""Constraints and force elements that stand in the model itself."""

from __future__ import annotations

from typing import TypedDict

from loaders.model import (
    BallConstraint,
    Bushing,
    Constraint,
    DistanceConstraint,
    ForceElement,
    SpringDamper,
    TendonConstraint,
)
from loaders.node import Node
from loaders.spatial import IDENTITY, Array, Pose

from .dialect import Dialect, Element, Names, number


def read_forces(model: Node, names: Names, dialect: Dialect) -> list[ForceElement]:
    """Bushings, springs and dampers."""
    bushings = (_read_bushing(node, names, dialect) for node in model.all("drake:linear_bushing_rpy"))
    springs = (_read_spring(node, names, dialect) for node in model.all("drake:linear_spring_damper"))
    return [*bushings, *springs]


def read_constraints(model: Node, names: Names, dialect: Dialect) -> list[Constraint]:
    """Constraints of points, distances and tendons."""
    balls = (_read_ball(node, names, dialect) for node in model.all("drake:ball_constraint"))
    distances = (_read_distance(node, names, dialect) for node in model.all("drake:distance_constraint"))
    tendons = (_read_tendon(node, names, dialect) for node in model.all("drake:tendon_constraint"))
    return [*balls, *distances, *tendons]


def _element(node: Node, dialect: Dialect) -> Element:
    return Element(node, dialect, prefix=f"{node.tag}_")


def _read_bushing(node: Node, names: Names, dialect: Dialect) -> Bushing:
    element = Element(node, dialect, prefix="drake:bushing_")
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


def _read_spring(node: Node, names: Names, dialect: Dialect) -> SpringDamper:
    element = _element(node, dialect)
    return SpringDamper(
        **_points(element, names),
        free_length=element.number("free_length", above=0.0),
        stiffness=element.number("stiffness", minimum=0.0),
        damping=element.number("damping", minimum=0.0),
        where=node.where,
    )


def _read_ball(node: Node, names: Names, dialect: Dialect) -> BallConstraint:
    return BallConstraint(**_points(_element(node, dialect), names), where=node.where)


def _read_distance(node: Node, names: Names, dialect: Dialect) -> DistanceConstraint:
    element = _element(node, dialect)
    return DistanceConstraint(
        **_points(element, names),
        distance=element.number("distance", above=0.0),
        stiffness=element.number("stiffness", above=0.0, inf=True),
        damping=element.number("damping", minimum=0.0),
        where=node.where,
    )


def _read_tendon(node: Node, names: Names, dialect: Dialect) -> TendonConstraint:
    element = _element(node, dialect)
    joints, coefficients = _tendon_joints(node, names)
    lower = element.number("lower_limit", inf=True)
    upper = element.number("upper_limit", inf=True)
    if lower > upper:
        node.invalid(
            "drake.out-of-range",
            "the lower limit {lower:g} is above the upper limit {upper:g}",
            lower=lower,
            upper=upper,
        )
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


def _tendon_joints(tendon: Node, names: Names) -> tuple[tuple[str, ...], tuple[float, ...]]:
    found: dict[str, float] = {}
    nodes = tendon.all("drake:tendon_constraint_joint")
    if not nodes:
        tendon.invalid("drake.missing", "<drake:tendon_constraint> needs a <drake:tendon_constraint_joint>")
    for node in nodes:
        name, coefficient = node.word("@name"), number(node, "@a")
        joint = names.joint(name)
        if joint is None:
            node.invalid("drake.unknown-joint", "{name!r} is no joint of {model}", name=name, model=names.model)
        elif len(joint.axes) != 1:
            node.invalid(
                "drake.tendon-joint",
                "a tendon takes joints of one degree of freedom; {name} is {joint_type}",
                name=name,
                joint_type=joint.type,
            )
        elif joint.name in found:
            node.invalid("drake.tendon-joint", "joint {name} is in the tendon twice", name=name)
        else:
            found[joint.name] = coefficient
    return tuple(found), tuple(found.values())


class _Points(TypedDict):
    """A point P of link A, and a point Q of link B."""

    link_A: str
    link_B: str
    p_AP: Array
    p_BQ: Array


def _points(element: Element, names: Names) -> _Points:
    link_A, link_B = _link(element, "body_A", names), _link(element, "body_B", names)
    if link_A and link_A == link_B:
        element.node.invalid(
            "drake.same-body", "both ends of <{tag}> are on the link {link_a}", tag=element.node.tag, link_a=link_A
        )
    return {"link_A": link_A, "link_B": link_B, "p_AP": element.vector("p_AP"), "p_BQ": element.vector("p_BQ")}


def _link(element: Element, key: str, names: Names) -> str:
    name, node = element.name(key)
    found = names.link(name) if name else None
    if name and found is None:
        node.invalid("drake.unknown-link", "{name!r} is no link of {model}", name=name, model=names.model)
    return found or ""


def _frame(element: Element, key: str, names: Names) -> tuple[str, Pose]:
    name, node = element.name(key)
    found = names.frame(name) if name else None
    if name and found is None:
        node.invalid("drake.unknown-frame", "{name!r} is no frame or link of {model}", name=name, model=names.model)
    return found or ("", IDENTITY)
