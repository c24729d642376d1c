"""Initial joint positions, and poses of free bodies."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, assert_never

import numpy as np

from loaders.collision_pairs import connected_components, is_connection, static_links
from loaders.diagnostics import Code, Fate
from loaders.drake import codes
from loaders.finish.transform import attach_joints
from loaders.model import WORLD, Curve, Joint, JointType, Motion, by_name
from loaders.node import Node
from loaders.pose import IDENTITY, Pose, matrix_to_quaternion, quaternion_to_matrix, rotation_about
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR
from loaders.text import closest

from .yaml_nodes import expect, numbers


def bases_of(scene: Scene, number: Mapping[str, int]) -> dict[int, str]:
    """Return the link that carries the others in each component: the first that no joint carries,
    or the first one.

    Args:
        scene: The scene.
        number: The number of the component of each link.
    """
    carried = {joint.child for joint in scene.joints if is_connection(joint)}
    names = [link.name for link in scene.links]
    bases: dict[int, str] = {}
    for name in (*(name for name in names if name not in carried), *names):
        bases.setdefault(number[name], name)
    return bases


def initial_link_poses(scene: Scene, bases: Sequence[str]) -> dict[str, Pose]:
    """Return ``X_WL`` of every link and of the world with all joints at their initial positions.

    Args:
        scene: The scene; joints without an initial position are at zero, and couplings do not
            count, as in Drake.
        bases: The links that stay where they are at zero, one of each component of the scene but
            that of the world.
    """
    X_WL = {WORLD: IDENTITY, **{link.name: link.X_WL for link in scene.links}}
    if not any(any(joint.default_position) for joint in scene.joints):
        return X_WL
    incident: dict[str, list[Joint]] = {name: [] for name in X_WL}
    for joint in filter(is_connection, scene.joints):
        incident[joint.parent].append(joint)
        incident[joint.child].append(joint)
    pending = [WORLD, *sorted(static_links(scene) - {WORLD}), *bases]
    seen = set(pending)
    for here in pending:  # the list grows during the loop
        for joint in incident[here]:
            is_reversed = joint.child == here
            there = joint.parent if is_reversed else joint.child
            if there not in seen:
                seen.add(there)
                X_PC = joint.X_PJ @ displacement(joint) @ joint.X_CJ.inverse()
                X_WL[there] = X_WL[here] @ (X_PC.inverse() if is_reversed else X_PC)
                pending.append(there)
    return X_WL


def displacement(joint: Joint) -> Pose:
    """Return the pose of the child joint frame in the parent joint frame at the initial position of
    a joint.
    """
    q = joint.default_position
    if not any(q):
        return IDENTITY
    match joint.type:
        case JointType.BALL:
            return Pose.of(quaternion_to_matrix(q))
        case JointType.SCREW:
            (axis,) = joint.axes
            return Pose.of(rotation_about(axis.xyz, q[0]), q[0] * joint.pitch / math.tau * axis.xyz)
        case JointType.CURVILINEAR:
            return IDENTITY if joint.curve is None else _along_curve(joint.curve, q[0])
        case (
            JointType.REVOLUTE
            | JointType.CONTINUOUS
            | JointType.PRISMATIC
            | JointType.UNIVERSAL
            | JointType.REVOLUTE2
            | JointType.PLANAR
        ):
            return _in_series(joint)
        case JointType.FIXED | JointType.GEARBOX | JointType.FLOATING:
            return IDENTITY
        case _:
            assert_never(joint.type)


def _in_series(joint: Joint) -> Pose:
    """Return the pose at the initial position of a joint with a hinge or slide for each axis."""
    X = IDENTITY
    motions = zip(joint.type.traits.motions, joint.axes, joint.default_position, strict=False)
    for motion, axis, value in motions:
        X = X @ (
            Pose.of(rotation_about(axis.xyz, value))
            if motion is Motion.HINGE
            else Pose.of(p=value * axis.xyz)
        )
    return X


def _along_curve(curve: Curve, position: float) -> Pose:
    """Return the pose at a position [m] along a curve, which turns about the normal of its plane.

    A periodic curve goes on at its start; the first and last piece of another one go on beyond its
    ends.
    """
    length = sum(arc.length for arc in curve.arcs)
    rest = position % length if curve.periodic and length > 0.0 else position
    X = IDENTITY
    for i, arc in enumerate(curve.arcs):
        is_last = i == len(curve.arcs) - 1
        s = rest if is_last else min(rest, arc.length)
        X = X @ _along_arc(curve, arc.curvature, s)
        rest -= s
        if rest <= 0.0:
            break
    return X


def _along_arc(curve: Curve, curvature: float, s: float) -> Pose:
    """Return the pose at an arc length from the start of an arc, in the frame of its start."""
    if curvature == 0.0:
        return Pose.of(p=s * curve.initial_tangent)
    R = rotation_about(curve.plane_normal, s * curvature)
    center = np.cross(curve.plane_normal, curve.initial_tangent) / curvature
    return Pose.of(R, center - R @ center)


def read_positions(add_model: Node, model: str, scene: Scene) -> Scene:
    """Return the scene of a model with the initial positions in the directive.

    Args:
        add_model: The directive.
        model: Scoped name of the model.
        scene: The scene of the model.
    """
    node = add_model.peek("default_joint_positions")
    if node is None or not expect(node, "mapping"):
        return scene
    joints = by_name(scene.joints)
    for child in node.children:
        name = f"{model}{SEPARATOR}{child.tag}"
        joint = joints.get(name)
        if joint is None:
            close = closest(name, joints)
            hint = f"did you mean {close.removeprefix(model + SEPARATOR)}?" if close else ""
            child.report(
                codes.DIRECTIVES_UNKNOWN_JOINT,
                hint=hint,
                subjects=(model,),
                joint=child.tag,
                model=model,
            )
        else:
            joints[name] = _with_default_position(joint, child)
    return dataclasses.replace(scene, joints=tuple(joints.values()))


def _with_default_position(joint: Joint, node: Node) -> Joint:
    values = numbers(node)
    size = joint.type.traits.position_count
    if joint.type is JointType.BALL:
        size = 3  # Drake uses roll, pitch and yaw
    elif joint.type is JointType.FLOATING:
        size = 0  # Drake has a free body and no joint
    if len(values) != size:
        node.report(
            codes.DIRECTIVES_POSITION_COUNT,
            subjects=(joint.name,),
            type=joint.type.value,
            joint=joint.name,
            size=size,
            count=len(values),
        )
        return joint
    if joint.type is JointType.BALL:
        values = matrix_to_quaternion(Pose.from_xyz_rpy((0.0, 0.0, 0.0), values).R)
    return dataclasses.replace(joint, default_position=values)


class FreePose(NamedTuple):
    """The initial pose of a body that is to be free: of its frame C, measured from a frame F on
    another link.
    """

    child: str
    """The link of C."""
    X_LC: Pose
    """Pose of C in its link."""
    base: str
    """The link of F, or `WORLD`."""
    X_BC: Pose
    """Pose of C, measured from the link of F."""
    is_joint: bool
    """Whether Drake makes a joint of it: unless C is the frame of the link and F the frame of the
    world."""
    node: Node
    """The element with the pose."""


def place_free_bodies(scene: Scene, poses: Sequence[FreePose]) -> Scene:
    """Return the scene with free bodies, and what they carry, at their initial poses; report poses
    that have no effect.

    Args:
        scene: The scene with all its joints.
        poses: The poses, in order.
    """
    if not poses:
        return scene
    components = connected_components(scene, is_connection)
    number = {name: i for i, names in enumerate(components) for name in names}
    bases = bases_of(scene, number)
    used = _used(poses, number, bases)
    X_WL = initial_link_poses(scene, [link for i, link in bases.items() if i])
    X_VW = _motions(used, number, X_WL)
    at_zero = {link.name: link.X_WL for link in scene.links}
    return _moved(
        scene, {pose.child: X_VW[i] @ at_zero[pose.child] for i, pose in used.items() if i in X_VW}
    )


def _used(
    poses: Sequence[FreePose], number: Mapping[str, int], bases: Mapping[int, str]
) -> dict[int, FreePose]:
    """Return the pose that each component has, keyed by its number; joints precede poses of bodies,
    as in Drake.
    """
    used: dict[int, FreePose] = {}
    for pose in sorted(poses, key=lambda pose: not pose.is_joint):
        i = number[pose.child]
        if i == 0:
            _report(pose, codes.DIRECTIVES_UNUSED_POSE)
        elif i in used:
            _report(pose, codes.DIRECTIVES_UNUSED_POSE_SECOND)
        elif number[pose.base] == i:
            _report(pose, codes.DIRECTIVES_UNUSED_POSE_CYCLE)
        elif not pose.is_joint and pose.child != bases[i]:
            _report(pose, codes.DIRECTIVES_UNUSED_POSE_CARRIED, bases[i])
        else:
            used[i] = pose
    return used


def _report(pose: FreePose, code: Code, base: str = "") -> None:
    """Report a pose without effect; where Drake makes a joint of it, it refuses the loop."""
    pose.node.report(
        code.variant(fate=Fate.INVALID) if pose.is_joint else code,
        subjects=(pose.child,),
        link=pose.child,
        base=base,
    )


def _motions(
    used: Mapping[int, FreePose], number: Mapping[str, int], X_WL: Mapping[str, Pose]
) -> dict[int, Pose]:
    """Return the motion ``X_VW`` of each component with a pose, after that of what it is measured
    from.
    """
    X_VW: dict[int, Pose] = {}
    for start in used:
        chain: dict[int, None] = {}
        below = start
        while below in used and below not in X_VW and below not in chain:
            chain[below] = None
            below = number[used[below].base]
        if below in chain:
            _report(used[start], codes.DIRECTIVES_UNUSED_POSE_CYCLE)
            continue
        for i in reversed(chain):
            pose = used[i]
            X_WF = X_VW.get(number[pose.base], IDENTITY) @ X_WL[pose.base]
            X_VW[i] = X_WF @ pose.X_BC @ pose.X_LC.inverse() @ X_WL[pose.child].inverse()
    return X_VW


def _moved(scene: Scene, X_WL: Mapping[str, Pose]) -> Scene:
    """Return the scene with links at poses, and what is connected to them moved along."""
    temporary = [
        Joint(name="", type=JointType.FIXED, parent=WORLD, child=link, X_PJ=pose, X_CJ=IDENTITY)
        for link, pose in X_WL.items()
    ]
    moved = attach_joints(scene, temporary)
    return replace(moved, joints=moved.joints[: len(scene.joints)])
