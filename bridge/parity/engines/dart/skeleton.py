"""Skeleton, shapes and constraints in DART."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, DofCoupling, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.parity.engine import ScalarDof, constraint_frames, scalar_dofs
from loaders.inertia import SpatialInertia
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    JointAxis,
    JointType,
    Plane,
    Sphere,
    WeldConstraint,
)
from loaders.pose import IDENTITY, Array, Pose

_HINGE, _SLIDE = PrimitiveKind.HINGE, PrimitiveKind.SLIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class SkeletonIndices:
    """The parts of a skeleton that stand for one body of the mechanism.

    Attributes:
        body: Index of its body node.
        start: Index of the first degree of freedom of its joints.
        joints: Index of the joint of each primitive, and the number of the degree of freedom in
            that joint.
    """

    body: int
    start: int
    joints: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSkeleton:
    """A skeleton and the indices of each body of the mechanism in it."""

    skeleton: Any
    bodies: tuple[SkeletonIndices, ...]


def build_skeleton(mechanism: Mechanism) -> BuiltSkeleton:
    """Return the skeleton of a mechanism: its tree, inertias and frames, without passive forces,
    limits and shapes.
    """
    import dartpy

    skeleton = dartpy.dynamics.Skeleton(mechanism.scene.name or "model")
    nodes: list[Any] = []
    found: list[SkeletonIndices] = []
    for body in mechanism.bodies:
        start = skeleton.getNumDofs()
        parent = skeleton if body.parent == ROOT else nodes[body.parent]
        joints, node = _add_body(dartpy, parent, body)
        node.setInertia(_inertia(dartpy, body.inertia))
        node.setGravityMode(body.link.gravity)
        nodes.append(node)
        index = node.getIndexInSkeleton()
        found.append(
            SkeletonIndices(body=index, start=start, joints=_numbered(joints, len(body.primitives)))
        )
    return BuiltSkeleton(skeleton=skeleton, bodies=tuple(found))


def _numbered(joints: list[Any], count: int) -> tuple[tuple[int, int], ...]:
    """Return the joint and degree of freedom of each primitive; those of a screw share one."""
    numbered = [
        (joint.getJointIndexInSkeleton(), k) for joint in joints for k in range(joint.getNumDofs())
    ]
    return tuple(numbered[min(k, len(numbered) - 1)] for k in range(count))


def _add_body(dartpy: Any, parent: Any, body: Body) -> tuple[list[Any], Any]:
    """Add the joints and the node of a body; types of joints that DART does not have become
    chains.
    """
    names = f"{body.joint or body.name} of {body.name}", body.name
    joint, node = _native(parent, body)
    if joint is not None:
        joint.setName(names[0])
        node.setName(names[1])
        _place(dartpy, joint, body.X_PF, body.X_BM)
        return [joint], node
    joints = []
    for number, primitive in enumerate(body.primitives):
        last = number == len(body.primitives) - 1
        joint, node = _single(parent, primitive)
        joint.setName(f"{names[0]} {number}")
        node.setName(names[1] if last else f"{names[1]} {number}")
        _place(
            dartpy, joint, body.X_PF if number == 0 else IDENTITY, body.X_BM if last else IDENTITY
        )
        node.setInertia(_inertia(dartpy, SpatialInertia.in_frame(0.0, IDENTITY, np.zeros((3, 3)))))
        joints.append(joint)
        parent = node
    return joints, node


def _native(parent: Any, body: Body) -> tuple[Any, Any]:
    """DART's own joint for the primitives of a body; None without one."""
    primitives, kinds = body.primitives, [p.kind for p in body.primitives]
    if not primitives:
        joint, node = parent.createWeldJointAndBodyNodePair()
    elif kind_of(body) is PrimitiveKind.FREE:
        joint, node = parent.createFreeJointAndBodyNodePair()
    elif kind_of(body) is PrimitiveKind.BALL:
        joint, node = parent.createBallJointAndBodyNodePair()
    elif len(primitives) == 1:
        joint, node = _single(parent, primitives[0])
    elif is_screw(primitives):
        joint, node = _screw(parent, primitives)
    elif kinds == [_HINGE, _HINGE]:
        joint, node = parent.createUniversalJointAndBodyNodePair()
        joint.setAxis1(primitives[0].axis)
        joint.setAxis2(primitives[1].axis)
    elif kinds == [_SLIDE, _SLIDE, _HINGE] and _is_plane(primitives):
        joint, node = parent.createPlanarJointAndBodyNodePair()
        joint.setArbitraryPlane(primitives[0].axis, primitives[1].axis)
    else:
        joint, node = None, None
    return joint, node


def _single(parent: Any, primitive: Primitive) -> tuple[Any, Any]:
    """Return a revolute or prismatic joint."""
    is_hinge = primitive.kind is _HINGE
    create = (
        parent.createRevoluteJointAndBodyNodePair
        if is_hinge
        else parent.createPrismaticJointAndBodyNodePair
    )
    joint, node = create()
    joint.setAxis(primitive.axis)
    return joint, node


def is_screw(primitives: tuple[Primitive, ...]) -> bool:
    """Return whether a hinge and a slide share a coordinate."""
    return len(primitives) == 2 and primitives[0].dof_index == primitives[1].dof_index


def _screw(parent: Any, primitives: tuple[Primitive, ...]) -> tuple[Any, Any]:
    hinge, slide = sorted(primitives, key=lambda p: p.kind is not _HINGE)
    joint, node = parent.createScrewJointAndBodyNodePair()
    joint.setAxis(hinge.axis)
    advance = slide.ratio * float(slide.axis @ hinge.axis) / hinge.ratio
    joint.setPitch(2.0 * np.pi * advance)
    return joint, node


def _is_plane(primitives: tuple[Primitive, ...]) -> bool:
    """Return whether two slides and a hinge are those of DART's planar joint: x, y and their
    normal.
    """
    x, y, normal = (p.axis for p in primitives)
    return bool(np.allclose(np.cross(x, y), normal, rtol=0.0, atol=1e-12))


def _place(dartpy: Any, joint: Any, X_PF: Pose, X_BM: Pose) -> None:
    joint.setTransformFromParentBodyNode(isometry(dartpy, X_PF))
    joint.setTransformFromChildBodyNode(isometry(dartpy, X_BM))


def isometry(dartpy: Any, X: Pose) -> Any:
    """Return a pose as DART has it.

    Args:
        dartpy: The module.
        X: The pose.
    """
    T = dartpy.math.Isometry3()
    T.set_rotation(np.asarray(X.R))
    T.set_translation(np.asarray(X.p))
    return T


def _inertia(dartpy: Any, inertia: SpatialInertia) -> Any:
    return dartpy.dynamics.Inertia(
        inertia.mass, np.asarray(inertia.p_LLcm), np.asarray(inertia.I_Lcm)
    )


def place_again(dartpy: Any, joint: Any, properties: Any, body: Body) -> None:
    """Give a hinge or slide other properties, and its name, axis and frames again.

    Args:
        dartpy: The module.
        joint: The joint.
        properties: The properties, which replace all.
        body: The body that the joint carries.
    """
    name = joint.getName()
    joint.setProperties(properties)
    joint.setName(name)
    joint.setAxis(body.primitives[0].axis)
    _place(dartpy, joint, body.X_PF, body.X_BM)


# --- passive forces -------------------------------------------------------------------------------


def set_passive_forces(built: BuiltSkeleton, mechanism: Mechanism) -> None:
    """Give the joints the dampers, springs, dry friction and limits of the mechanism, which DART
    itself simulates.

    Args:
        built: The skeleton.
        mechanism: The mechanism.
    """
    for body, indices in zip(mechanism.bodies, built.bodies, strict=True):
        for primitive, (joint, number) in zip(body.primitives, indices.joints, strict=True):
            is_slide_of_screw = is_screw(body.primitives) and primitive.kind is _SLIDE
            if primitive.limits is not None and not is_slide_of_screw:
                _set_axis(built.skeleton.getJoint(joint), number, primitive, primitive.limits)


def _set_axis(joint: Any, number: int, primitive: Primitive, axis: JointAxis) -> None:
    if primitive.kind in {PrimitiveKind.BALL, PrimitiveKind.FREE}:
        for k in range(joint.getNumDofs()):
            joint.setDampingCoefficient(k, axis.damping)
            joint.setCoulombFriction(k, axis.friction)
        return
    r = primitive.ratio
    joint.setDampingCoefficient(number, axis.damping / r**2)
    joint.setCoulombFriction(number, axis.friction / abs(r))
    joint.setSpringStiffness(number, axis.spring_stiffness / r**2)
    joint.setRestPosition(number, axis.spring_reference * r)
    joint.setForceLowerLimit(number, -axis.effort / abs(r))
    joint.setForceUpperLimit(number, axis.effort / abs(r))
    lower, upper = sorted((axis.lower * r, axis.upper * r))
    joint.setPositionLowerLimit(number, lower)
    joint.setPositionUpperLimit(number, upper)
    joint.setLimitEnforcement(True)


def pose_of(T: Any) -> Pose:
    """Return the pose of a transform of DART.

    Args:
        T: The transform, a homogeneous matrix or an isometry.
    """
    M: Array = np.asarray(T.matrix() if hasattr(T, "matrix") else T)
    return Pose.of(M[:3, :3], M[:3, 3])


_HINGE_REACH = 0.1
"""Distance of the two points that hold the axis of a hinge [m]."""


def follows(mechanism: Mechanism, coupling: DofCoupling) -> tuple[ScalarDof, ScalarDof] | None:
    """Return follower and leader of a coupling that DART can hold, a line between two joints with
    one hinge or slide each; or None.
    """
    dofs, order = scalar_dofs(mechanism), mechanism.v_order
    follower, leader = dofs.get(order[coupling.follower]), dofs.get(order[coupling.leader])
    if follower is None or leader is None or coupling.higher:
        return None
    single = len(mechanism.bodies[follower.body].primitives) == 1
    return (
        (follower, leader)
        if single and len(mechanism.bodies[leader.body].primitives) == 1
        else None
    )


def add_couplings(dartpy: Any, built: BuiltSkeleton, mechanism: Mechanism) -> None:
    """Let joints follow others, as motors; DART's constraint in both directions makes chains of
    joints diverge.

    Their properties are new, so that this precedes everything else that sets them.

    Args:
        dartpy: The module.
        built: The skeleton.
        mechanism: The mechanism.
    """
    for coupling in mechanism.couplings:
        pair = follows(mechanism, coupling)
        if pair is not None:
            _couple(dartpy, built, mechanism, coupling, *pair)


def _couple(
    dartpy: Any,
    built: BuiltSkeleton,
    mechanism: Mechanism,
    coupling: DofCoupling,
    one: ScalarDof,
    two: ScalarDof,
) -> None:
    followers, leaders = (built.bodies[dof.body].joints[0] for dof in (one, two))
    joint = built.skeleton.getJoint(followers[0])
    mimic = dartpy.dynamics.MimicDofProperties()
    mimic.mReferenceJoint = built.skeleton.getJoint(leaders[0])
    mimic.mReferenceDofIndex = leaders[1]
    law = coupling.scaled(one.primitive.ratio, two.primitive.ratio)
    mimic.mMultiplier, mimic.mOffset = law.multiplier, law.offset
    is_hinge = one.primitive.kind is PrimitiveKind.HINGE
    properties = (
        dartpy.dynamics.RevoluteJointProperties
        if is_hinge
        else dartpy.dynamics.PrismaticJointProperties
    )()
    properties.mMimicDofProps = [mimic]
    place_again(dartpy, joint, properties, mechanism.bodies[one.body])
    joint.setActuatorType(dartpy.dynamics.ActuatorType.MIMIC)


def mimic_of(joint: Any) -> Any:
    """Return the coupling that DART holds of a hinge or slide, with multiplier and offset.

    Args:
        joint: The joint that follows.
    """
    is_hinge = joint.getType() == "RevoluteJoint"
    properties = (
        joint.getRevoluteJointProperties() if is_hinge else joint.getPrismaticJointProperties()
    )
    return properties.mMimicDofProps[0]


def add_loops(dartpy: Any, world: Any, built: BuiltSkeleton, mechanism: Mechanism) -> None:
    """Close the loops and hold the constraints of a mechanism, whose skeleton is where they hold.

    Args:
        dartpy: The module.
        world: The world.
        built: The skeleton.
        mechanism: The mechanism.
    """
    welded = {
        closure.joint.name
        for closure in mechanism.closures
        if closure.joint.type is JointType.FIXED
    }
    welded |= {
        f"{c.link_A}, {c.link_B}"
        for c in mechanism.scene.constraints
        if isinstance(c, WeldConstraint) and c.active
    }
    axes = {
        closure.joint.name: closure.joint.axes[0].xyz
        for closure in mechanism.closures
        if closure.joint.type.traits.closing_points == 2
    }
    solver = world.getConstraintSolver()
    for name, ((a, X_AP), (b, _)) in constraint_frames(mechanism):
        nodes = [built.skeleton.getBodyNode(built.bodies[i].body) for i in (b, a) if i != ROOT]
        X_WA = (
            IDENTITY
            if a == ROOT
            else pose_of(built.skeleton.getBodyNode(built.bodies[a].body).getWorldTransform())
        )
        X_WP = X_WA @ X_AP
        if name in welded:
            solver.addConstraint(dartpy.constraint.WeldJointConstraint(*nodes))
            continue
        reach = [np.zeros(3)] + ([_HINGE_REACH * np.asarray(axes[name])] if name in axes else [])
        for p in reach:
            solver.addConstraint(dartpy.constraint.BallJointConstraint(*nodes, X_WP.p + X_WP.R @ p))


_SHAPES: dict[type, Callable[[Any, Any], Any]] = {
    Box: lambda d, g: d.BoxShape(np.array(g.size)),
    Sphere: lambda d, g: d.SphereShape(g.radius),
    Cylinder: lambda d, g: d.CylinderShape(g.radius, g.length),
    Capsule: lambda d, g: d.CapsuleShape(g.radius, g.length),
    Ellipsoid: lambda d, g: d.EllipsoidShape(2.0 * np.array(g.radii)),
    Cone: lambda d, g: d.ConeShape(g.radius, g.length),
    Plane: lambda d, g: d.PlaneShape(np.array(g.normal), 0.0),
}
"""DART's shape of each kind of geometry."""


def is_supported(collision: Collision) -> bool:
    """Return whether DART gets the shape of a collision; meshes need files that it reads itself."""
    return type(collision.geometry) in _SHAPES


def add_shapes(dartpy: Any, world: Any, built: BuiltSkeleton, mechanism: Mechanism) -> None:
    """Add the collision shapes with their friction and restitution, and filter all pairs that never
    collide.

    Args:
        dartpy: The module.
        world: The world.
        built: The skeleton.
        mechanism: The mechanism.
    """
    nodes = {
        body.name: built.skeleton.getBodyNode(at.body)
        for body, at in zip(mechanism.bodies, built.bodies, strict=True)
    }
    for body in mechanism.bodies:
        for collision in filter(is_supported, body.link.collisions):
            _add_shape(dartpy, nodes[body.name], collision)
    solver = world.getConstraintSolver()
    solver.setCollisionDetector(dartpy.collision.OdeCollisionDetector())
    built.skeleton.enableSelfCollisionCheck()
    built.skeleton.enableAdjacentBodyCheck()
    collidable = mechanism.collidable_pairs()
    collision_filter = solver.getCollisionOption().collisionFilter
    for one, two in combinations(colliding_links(mechanism), 2):
        if frozenset((one, two)) not in collidable:
            collision_filter.addBodyNodePairToBlackList(nodes[one], nodes[two])


def colliding_links(mechanism: Mechanism) -> Iterator[str]:
    """Yield the links with shapes that DART has."""
    return (body.name for body in mechanism.bodies if any(map(is_supported, body.link.collisions)))


def _add_shape(dartpy: Any, node: Any, collision: Collision) -> None:
    shape = _SHAPES[type(collision.geometry)](dartpy.dynamics, collision.geometry)
    frame = node.createShapeNode(shape)
    frame.setRelativeTransform(isometry(dartpy, collision.X_LG))
    frame.createCollisionAspect()
    if collision.surface.collide_without_contact:
        frame.getCollisionAspect().setCollidable(False)
    frame.createDynamicsAspect()
    dynamics = frame.getDynamicsAspect()
    dynamics.setFrictionCoeff(collision.surface.friction.mu)
    dynamics.setRestitutionCoeff(collision.surface.restitution)
