"""Scale a mechanism: all lengths change, masses stay."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, Closure, DofCoupling, Primitive, PrimitiveKind
from bridge.mechanism.connections import BodyConnection, MechanismConstraint
from loaders.model import (
    Box,
    Buoyancy,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    DistanceConstraint,
    Ellipsoid,
    Empty,
    FluidForce,
    Geometry,
    Heightmap,
    JointAxis,
    Link,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    SpringDamper,
    Visual,
    Wing,
)
from loaders.spatial import Pose, SpatialInertia, frozen


def scaled(mechanism: Mechanism, scale: float) -> Mechanism:
    """Return the mechanism with every length multiplied by a factor; masses and stiffnesses stay.

    Args:
        mechanism: The mechanism.
        scale: The factor.
    """
    slides = _slides(mechanism)
    return dataclasses.replace(
        mechanism,
        bodies=tuple(_scaled_body(body, scale) for body in mechanism.bodies),
        closures=tuple(_scaled_closure(closure, scale) for closure in mechanism.closures),
        couplings=tuple(_scaled_coupling(coupling, slides, scale) for coupling in mechanism.couplings),
        constraints=tuple(_scaled_constraint(constraint, scale) for constraint in mechanism.constraints),
        force_elements=tuple(_scaled_connection(element, scale) for element in mechanism.force_elements),
        fluid_forces=tuple(_scaled_fluid_force(force, scale) for force in mechanism.fluid_forces),
    )


def _slides(mechanism: Mechanism) -> set[int]:
    """Return the indices in ``v_order`` of the velocities that are lengths per second: slides, but not screws."""
    kinds: dict[int, set[PrimitiveKind]] = {}
    for body in mechanism.bodies:
        for primitive in body.primitives:
            kinds.setdefault(body.v_start + primitive.dof_index, set()).add(primitive.kind)
    return {dof for dof, kind in kinds.items() if kind == {PrimitiveKind.SLIDE}}


def _scaled_coupling(coupling: DofCoupling, slides: set[int], scale: float) -> DofCoupling:
    follower = scale if coupling.follower in slides else 1.0
    leader = scale if coupling.leader in slides else 1.0
    multiplier, offset = coupling.multiplier * follower / leader, coupling.offset * follower
    return dataclasses.replace(coupling, multiplier=multiplier, offset=offset)


def _scaled_closure(closure: Closure, scale: float) -> Closure:
    X_PJ, X_CJ = _pose(closure.joint.X_PJ, scale), _pose(closure.joint.X_CJ, scale)
    return dataclasses.replace(closure, joint=dataclasses.replace(closure.joint, X_PJ=X_PJ, X_CJ=X_CJ))


def _scaled_constraint(constraint: MechanismConstraint, scale: float) -> MechanismConstraint:
    return _scaled_connection(constraint, scale) if isinstance(constraint, BodyConnection) else constraint


def _scaled_connection(connection: BodyConnection, scale: float) -> BodyConnection:
    element = connection.element
    if isinstance(element, DistanceConstraint):
        element = dataclasses.replace(element, distance=scale * element.distance)
    elif isinstance(element, SpringDamper):
        element = dataclasses.replace(element, free_length=scale * element.free_length)
    X_AP, X_BQ = _pose(connection.X_AP, scale), _pose(connection.X_BQ, scale)
    return dataclasses.replace(connection, element=element, X_AP=X_AP, X_BQ=X_BQ)


def _scaled_fluid_force(force: FluidForce, scale: float) -> FluidForce:
    """Return a force of a fluid with its lengths, area and volume scaled; coefficients of drag stay."""
    X_WS = _pose(force.X_WS, scale)
    if isinstance(force, Buoyancy):
        layers = tuple((scale * height, density) for height, density in force.layers)
        volume = None if force.volume is None else scale**3 * force.volume
        return dataclasses.replace(force, X_WS=X_WS, layers=layers, volume=volume, p_LV=frozen(scale * force.p_LV))
    X_LF = _pose(force.X_LF, scale)
    if isinstance(force, Wing):
        return dataclasses.replace(force, X_WS=X_WS, X_LF=X_LF, area=scale**2 * force.area)
    return dataclasses.replace(force, X_WS=X_WS, X_LF=X_LF)


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


def _scaled_primitive(primitive: Primitive, scale: float, is_screw: bool) -> Primitive:
    """Scale the limits of a slide, or its pitch if it shares its coordinate with a hinge."""
    if primitive.kind is not PrimitiveKind.SLIDE:
        return primitive
    if is_screw:
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
"""Names of the fields of each geometry that are lengths or factors of lengths."""


def _scaled_geometry(geometry: Geometry, scale: float) -> Geometry:
    values = {name: _times(getattr(geometry, name), scale) for name in _LENGTHS[type(geometry)]}
    if isinstance(geometry, Mesh) and geometry.reference is not None:
        values["reference"] = _scaled_geometry(geometry.reference, scale)
    return dataclasses.replace(geometry, **values)


def _times(value: Any, scale: float) -> Any:
    """Return a number, or nested tuples of numbers, times ``scale``."""
    return tuple(_times(item, scale) for item in value) if isinstance(value, tuple) else scale * value
