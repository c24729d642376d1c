"""Joints: a chain of massless virtual links for a body with several, as MuJoCo composes them.

The first joint of a body is the outermost. The position of a joint counts from its ``ref``, at which the document draws
the body; the scene is at the position zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loaders.diagnostics import Where
from loaders.mjcf.compilation.source import Source
from loaders.model import WORLD, Joint, JointAxis, JointType
from loaders.model.common import Z_AXIS
from loaders.spatial import IDENTITY, Pose, frozen, rotation_about

from .settings import joint_settings

FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's types of joints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The joints that connect a body to its parent."""

    X_PB: Pose
    """Pose of the body in its parent at the position zero."""
    joints: tuple[int, ...]
    """Indices of the joints, from the parent outwards."""
    frames: tuple[Pose, ...]
    """Pose of the frame of each joint in the body at the position zero."""


def chain_of(body: int, source: Source) -> Chain:
    """Return the joints of a body with their frames at the position zero."""
    model = source.model
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    joints = tuple(range(first, first + count)) if count else ()
    X_PB = source.pose("body", body)
    moved = [_displacement(j, -reference_of(j, model), model) for j in joints]
    frames = []
    X_DB = IDENTITY  # the body at zero in the frame that the joints before have moved
    for j, X in reversed(list(zip(joints, moved, strict=True))):
        X_DB = X @ X_DB
        frames.append(X_DB.inverse() @ _anchor(j, model))
    return Chain(X_PB=X_PB @ X_DB, joints=joints, frames=tuple(reversed(frames)))


def reference_of(j: int, model: Any) -> float:
    """Return the position of a joint at which the document draws its body; 0 for a ball or a free joint."""
    return 0.0 if model.jnt_type[j] in {FREE, BALL} else float(model.qpos0[model.jnt_qposadr[j]])


def _anchor(j: int, model: Any) -> Pose:
    is_anywhere = model.jnt_type[j] == SLIDE and reference_of(j, model) != 0.0
    return IDENTITY if model.jnt_type[j] == FREE or is_anywhere else Pose.of(p=model.jnt_pos[j])


def _displacement(j: int, q: float, model: Any) -> Pose:
    """Return the motion of a hinge or a slide by a coordinate."""
    if q == 0.0:
        return IDENTITY
    if model.jnt_type[j] == SLIDE:
        return Pose.of(p=[q * c for c in model.jnt_axis[j]])
    anchor = _anchor(j, model)
    return anchor @ Pose.of(rotation_about(model.jnt_axis[j], q)) @ anchor.inverse()


def joints_of(body: int, chain: Chain, links: Sequence[str], source: Source) -> list[Joint]:
    """Return the joints of a body; a fixed one if it has none.

    Args:
        body: Index of the body.
        chain: Its joints.
        links: The parent link, the virtual links, and the link of the body.
        source: The model.
    """
    if not chain.joints:
        return [_fixed(links[0], links[-1], chain.X_PB, source.where("body", body))]
    joints = []
    for k, (j, X_CJ) in enumerate(zip(chain.joints, chain.frames, strict=True)):
        X_PJ = chain.X_PB @ X_CJ if k == 0 else X_CJ
        joints.append(_joint(j, links[k], links[k + 1], X_PJ, X_CJ, source))
    return joints


def _fixed(parent: str, child: str, X_PB: Pose, where: Where) -> Joint:
    name, kind = f"{child}_fixed", JointType.FIXED
    return Joint(name=name, type=kind, parent=parent, child=child, X_PJ=X_PB, X_CJ=IDENTITY, where=where)


def _joint(j: int, parent: str, child: str, X_PJ: Pose, X_CJ: Pose, source: Source) -> Joint:
    model, kind = source.model, int(source.model.jnt_type[j])
    name, where = source.names("joint")[j], source.where("joint", j)
    if kind == FREE:
        return _floating(j, child, source)
    axis = _axis(j, model)
    reference = reference_of(j, model)
    return Joint(
        name=name,
        type=_type(kind, axis),
        parent=parent,
        child=child,
        X_PJ=X_PJ,
        X_CJ=X_CJ,
        axes=(axis,),
        default_position=(reference,) if reference else (),
        mujoco=joint_settings(j, model),
        where=where,
    )


def _floating(j: int, child: str, source: Source) -> Joint:
    """Return a floating joint, whose two axes hold for every direction; without axes if it has no dynamics."""
    axis, settings = _axis(j, source.model), joint_settings(j, source.model)
    has_dynamics = any((axis.damping, axis.friction, axis.spring_stiffness, axis.inertia, settings))
    return Joint(
        name=source.names("joint")[j],
        type=JointType.FLOATING,
        parent=WORLD,
        child=child,
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(axis, axis) if has_dynamics else (),
        mujoco=settings,
        where=source.where("joint", j),
    )


def _type(kind: int, axis: JointAxis) -> JointType:
    if kind == BALL:
        return JointType.BALL
    if kind == SLIDE:
        return JointType.PRISMATIC
    return JointType.REVOLUTE if math.isfinite(axis.lower) or math.isfinite(axis.upper) else JointType.CONTINUOUS


def _axis(j: int, model: Any) -> JointAxis:
    dof, is_turning = int(model.jnt_dofadr[j]), model.jnt_type[j] in {FREE, BALL}
    is_limited = bool(model.jnt_limited[j]) and not is_turning
    lower, upper = map(float, model.jnt_range[j]) if is_limited else (-math.inf, math.inf)
    force = max(map(abs, map(float, model.jnt_actfrcrange[j]))) if model.jnt_actfrclimited[j] else math.inf
    return JointAxis(
        xyz=Z_AXIS if is_turning else frozen(model.jnt_axis[j]),
        lower=lower,
        upper=upper,
        effort=force,
        damping=float(model.dof_damping[dof]),
        friction=float(model.dof_frictionloss[dof]),
        inertia=float(model.dof_armature[dof]),
        spring_stiffness=float(model.jnt_stiffness[j]),
        spring_reference=0.0 if is_turning else float(model.qpos_spring[model.jnt_qposadr[j]]),
    )
