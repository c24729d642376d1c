"""What the caller asks of the mechanism before PyBullet sees it: where it stands, how large it is."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, Closure, Primitive, PrimitiveKind
from bridge.mechanism.connections import BodyConnection
from bridge.mechanism.coordinates import kind_of
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Geometry,
    Heightmap,
    JointAxis,
    Link,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    Visual,
)
from loaders.spatial import Pose, SpatialInertia, frozen


def placed(mechanism: Mechanism, X_WN: Pose) -> Mechanism:
    """The mechanism moved as one: what stood in the world now stands in N."""
    bodies = []
    for body in mechanism.bodies:
        link = dataclasses.replace(body.link, X_WL=X_WN @ body.link.X_WL)
        moves_root = body.parent == ROOT and kind_of(body) is not PrimitiveKind.FREE
        bodies.append(dataclasses.replace(body, link=link, X_PF=X_WN @ body.X_PF if moves_root else body.X_PF))
    return dataclasses.replace(
        mechanism,
        bodies=tuple(bodies),
        closures=tuple(_placed_closure(closure, X_WN) for closure in mechanism.closures),
        constraints=tuple(
            _placed_connection(c, X_WN) if isinstance(c, BodyConnection) else c for c in mechanism.constraints
        ),
        force_elements=tuple(_placed_connection(element, X_WN) for element in mechanism.force_elements),
    )


def _placed_closure(closure: Closure, X_WN: Pose) -> Closure:
    """Return a closure whose ends on the world, if it has any, are moved to N."""
    joint = closure.joint
    X_PJ = X_WN @ joint.X_PJ if closure.parent == ROOT else joint.X_PJ
    X_CJ = X_WN @ joint.X_CJ if closure.child == ROOT else joint.X_CJ
    return dataclasses.replace(closure, joint=dataclasses.replace(joint, X_PJ=X_PJ, X_CJ=X_CJ))


def _placed_connection(connection: BodyConnection, X_WN: Pose) -> BodyConnection:
    """Return a connection whose ends on the world, if it has any, are moved to N."""
    X_AP = X_WN @ connection.X_AP if connection.body_a == ROOT else connection.X_AP
    X_BQ = X_WN @ connection.X_BQ if connection.body_b == ROOT else connection.X_BQ
    return dataclasses.replace(connection, X_AP=X_AP, X_BQ=X_BQ)


# --- size ------------------------------------------------------------------------------------------------------------


def scaled(mechanism: Mechanism, scale: float) -> Mechanism:
    """With every length ``scale`` times as large and every mass as it was."""
    bodies = tuple(_scaled_body(body, scale) for body in mechanism.bodies)
    slides = {
        (str(body.joint), p.dof_index) for body in bodies for p in body.primitives if p.kind is PrimitiveKind.SLIDE
    } - {(str(body.joint), p.dof_index) for body in bodies for p in body.primitives if p.kind is PrimitiveKind.HINGE}
    couplings = []
    for coupling in mechanism.couplings:
        follower = scale if mechanism.v_order[coupling.follower] in slides else 1.0
        leader = scale if mechanism.v_order[coupling.leader] in slides else 1.0
        couplings.append(
            dataclasses.replace(
                coupling, multiplier=coupling.multiplier * follower / leader, offset=coupling.offset * follower
            )
        )
    return dataclasses.replace(mechanism, bodies=bodies, couplings=tuple(couplings))


def _pose(X: Pose, scale: float) -> Pose:
    return Pose(X.R, frozen(scale * X.p))


def _scaled_body(body: Body, scale: float) -> Body:
    hinged = {p.dof_index for p in body.primitives if p.kind is PrimitiveKind.HINGE}
    return dataclasses.replace(
        body,
        link=_scaled_link(body.link, scale),
        X_PF=_pose(body.X_PF, scale),
        X_BM=_pose(body.X_BM, scale),
        primitives=tuple(_scaled_primitive(p, scale, p.dof_index in hinged) for p in body.primitives),
        inertia=_scaled_inertia(body.inertia, scale),
    )


def _scaled_primitive(primitive: Primitive, scale: float, hinged: bool) -> Primitive:
    """A slide of its own has larger limits; one that goes with a hinge has a larger pitch."""
    if primitive.kind is not PrimitiveKind.SLIDE:
        return primitive
    if hinged:
        return dataclasses.replace(primitive, ratio=scale * primitive.ratio)
    axis = primitive.limits
    return dataclasses.replace(primitive, limits=_scaled_axis(axis, scale) if axis is not None else None)


def _scaled_axis(axis: JointAxis, scale: float) -> JointAxis:
    return dataclasses.replace(
        axis, lower=scale * axis.lower, upper=scale * axis.upper, spring_reference=scale * axis.spring_reference
    )


def _scaled_inertia(inertia: SpatialInertia, scale: float) -> SpatialInertia:
    return SpatialInertia(inertia.mass, frozen(scale * inertia.p_LLcm), frozen(scale**2 * inertia.I_Lcm))


def _scaled_link(link: Link, scale: float) -> Link:
    collisions = tuple(_scaled_shape(collision, scale) for collision in link.collisions)
    visuals = tuple(_scaled_shape(visual, scale) for visual in link.visuals)
    inertia = _scaled_inertia(link.inertia, scale) if link.inertia is not None else None
    X_WL = _pose(link.X_WL, scale)
    return dataclasses.replace(link, X_WL=X_WL, inertia=inertia, collisions=collisions, visuals=visuals)


S = TypeVar("S", Collision, Visual)


def _scaled_shape(shape: S, scale: float) -> S:
    return dataclasses.replace(shape, X_LG=_pose(shape.X_LG, scale), geometry=_scaled_geometry(shape.geometry, scale))


_LENGTHS: dict[type, tuple[str, ...]] = {
    Box: ("size",),
    Sphere: ("radius",),
    Cylinder: ("radius", "length"),
    Capsule: ("radius", "length"),
    Cone: ("radius", "length"),
    Ellipsoid: ("radii",),
    Plane: ("size",),
    Mesh: ("scale",),
    Heightmap: ("size", "position"),
    Polyline: ("outlines", "height"),
    Empty: (),
}
"""The fields of each geometry that are lengths, or multiply them."""


def _scaled_geometry(geometry: Geometry, scale: float) -> Geometry:
    values = {name: _times(getattr(geometry, name), scale) for name in _LENGTHS[type(geometry)]}
    return dataclasses.replace(geometry, **values)


def _times(value: Any, scale: float) -> Any:
    """A number, or numbers in tuples to any depth, times ``scale``."""
    return tuple(_times(item, scale) for item in value) if isinstance(value, tuple) else scale * value
