"""The skeleton of a mechanism in DART: one body node for each body, and DART's own type of joint where it has one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from loaders.model import JointAxis
from loaders.spatial import IDENTITY, Array, Pose, SpatialInertia

_HINGE, _SLIDE = PrimitiveKind.HINGE, PrimitiveKind.SLIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyIndices:
    """The parts of a skeleton that stand for one body of the mechanism.

    Attributes:
        body: Index of its body node.
        start: Index of the first degree of freedom of its joints.
        joints: Index of the joint of each primitive, and the number of the degree of freedom in that joint.
    """

    body: int
    start: int
    joints: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSkeleton:
    """A skeleton and the indices of each body of the mechanism in it."""

    skeleton: Any
    bodies: tuple[BodyIndices, ...]


def build_skeleton(mechanism: Mechanism) -> BuiltSkeleton:
    """Return the skeleton of a mechanism: its tree, inertias and frames, without passive forces, limits and shapes."""
    import dartpy

    skeleton = dartpy.dynamics.Skeleton(mechanism.scene.name or "model")
    nodes: list[Any] = []
    found: list[BodyIndices] = []
    for body in mechanism.bodies:
        start = skeleton.getNumDofs()
        parent = skeleton if body.parent == ROOT else nodes[body.parent]
        joints, node = _add_body(dartpy, parent, body)
        node.setInertia(_inertia(dartpy, body.inertia))
        node.setGravityMode(body.link.gravity)
        nodes.append(node)
        index = node.getIndexInSkeleton()
        found.append(BodyIndices(body=index, start=start, joints=_numbered(joints, len(body.primitives))))
    return BuiltSkeleton(skeleton=skeleton, bodies=tuple(found))


def _numbered(joints: list[Any], count: int) -> tuple[tuple[int, int], ...]:
    """The joint and degree of freedom of each primitive; both of a screw have the same one."""
    numbered = [(joint.getJointIndexInSkeleton(), k) for joint in joints for k in range(joint.getNumDofs())]
    return tuple(numbered[min(k, len(numbered) - 1)] for k in range(count))


def _add_body(dartpy: Any, parent: Any, body: Body) -> tuple[list[Any], Any]:
    """Add the joints and the node of a body; types of joints that DART does not have become chains."""
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
        _place(dartpy, joint, body.X_PF if number == 0 else IDENTITY, body.X_BM if last else IDENTITY)
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
    """A revolute or prismatic joint."""
    is_hinge = primitive.kind is _HINGE
    create = parent.createRevoluteJointAndBodyNodePair if is_hinge else parent.createPrismaticJointAndBodyNodePair
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
    """Return whether two slides and a hinge are those of DART's planar joint: x, y and their normal."""
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
    return dartpy.dynamics.Inertia(inertia.mass, np.asarray(inertia.p_LLcm), np.asarray(inertia.I_Lcm))


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


# --- passive forces --------------------------------------------------------------------------------------------------


def set_passive_forces(built: BuiltSkeleton, mechanism: Mechanism) -> None:
    """Give the joints the dampers, springs, dry friction and limits of the mechanism, which DART itself simulates.

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
