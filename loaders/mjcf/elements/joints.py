"""Joints: a chain of massless virtual links for a body with several, as MuJoCo composes them.

The first joint of a body is the outermost. The position of a joint counts from its ``ref``, at which the document draws
the body; the scene is at the position zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from loaders.diagnostics import Where
from loaders.mjcf.compilation.source import Source
from loaders.model import WORLD, Joint, JointAxis, JointType, Settings
from loaders.model.common import Z_AXIS
from loaders.reading.makers import maker
from loaders.spatial import IDENTITY, Pose, frozen_vector, rotation_about

from .settings import joint_settings

_Joint, _JointAxis, _Pose = maker(Joint), maker(JointAxis), maker(Pose)

FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's types of joints."""
_DRIVES = frozenset({0, 1, 6})
"""MuJoCo's types of transmission that drive a joint: at the joint, in its parent, by a rotation."""


class Chain(NamedTuple):
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
    X_PB, count = source.poses("body")[body], model.body_jntnum[body]
    if not count:
        return Chain(X_PB=X_PB, joints=(), frames=())
    first = model.body_jntadr[body]
    if count == 1 and not reference_of(first, model):
        return Chain(X_PB=X_PB, joints=(first,), frames=(_anchor(first, model),))
    joints = tuple(range(first, first + count))
    references = [reference_of(j, model) for j in joints]
    moved = [_displacement(j, -q, model) for j, q in zip(joints, references, strict=True)]
    frames = []
    X_DB = IDENTITY  # the body at zero in the frame that the joints before have moved
    for j, X in reversed(list(zip(joints, moved, strict=True))):
        X_DB = X @ X_DB
        frames.append(X_DB.inverse() @ _anchor(j, model))
    return Chain(X_PB=X_PB @ X_DB, joints=joints, frames=tuple(reversed(frames)))


def reference_of(j: int, model: Any) -> float:
    """Return the position of a joint at which the document draws its body; 0 for a ball or a free joint."""
    return 0.0 if model.jnt_type[j] <= BALL else float(model.qpos0[model.jnt_qposadr[j]])


def _anchor(j: int, model: Any) -> Pose:
    x, y, z = model.jnt_pos[j]
    kind = model.jnt_type[j]
    if not (x or y or z) or kind == FREE or (kind == SLIDE and reference_of(j, model) != 0.0):
        return IDENTITY
    return _Pose(IDENTITY.R, frozen_vector(x, y, z))


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
        return [_fixed(links[0], links[-1], chain.X_PB, source.places("body")[body])]
    joints = []
    for k, (j, X_CJ) in enumerate(zip(chain.joints, chain.frames, strict=True)):
        X_PJ = chain.X_PB @ X_CJ if k == 0 else X_CJ
        joints.append(_joint(j, links[k], links[k + 1], X_PJ, X_CJ, source))
    return joints


def _fixed(parent: str, child: str, X_PB: Pose, where: Where) -> Joint:
    name, kind = f"{child}_fixed", JointType.FIXED
    return _Joint(name=name, type=kind, parent=parent, child=child, X_PJ=X_PB, X_CJ=IDENTITY, where=where)


def _joint(j: int, parent: str, child: str, X_PJ: Pose, X_CJ: Pose, source: Source) -> Joint:
    model, kind = source.model, source.model.jnt_type[j]
    axis, settings = _axis(j, kind, source), joint_settings(j, model)
    name, where = source.names("joint")[j], source.places("joint")[j]
    if kind == FREE:
        return _floating(name, child, axis, settings, where)
    reference = reference_of(j, model)
    return _Joint(
        name=name,
        type=_type(kind, axis),
        parent=parent,
        child=child,
        X_PJ=X_PJ,
        X_CJ=X_CJ,
        axes=(axis,),
        default_position=(reference,) if reference else (),
        mujoco=settings,
        where=where,
    )


def _floating(name: str, child: str, axis: JointAxis, settings: Settings, where: Where) -> Joint:
    """Return a floating joint, whose two axes hold for every direction; without axes if it has no dynamics."""
    has_dynamics = any((axis.damping, axis.friction, axis.spring_stiffness, axis.inertia, settings))
    return _Joint(
        name=name,
        type=JointType.FLOATING,
        parent=WORLD,
        child=child,
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(axis, axis) if has_dynamics else (),
        mujoco=settings,
        where=where,
    )


def _type(kind: int, axis: JointAxis) -> JointType:
    if kind == BALL:
        return JointType.BALL
    if kind == SLIDE:
        return JointType.PRISMATIC
    return JointType.REVOLUTE if math.isfinite(axis.lower) or math.isfinite(axis.upper) else JointType.CONTINUOUS


def _axis(j: int, kind: int, source: Source) -> JointAxis:
    model = source.model
    dof, is_turning = model.jnt_dofadr[j], kind <= BALL
    lower, upper = (-math.inf, math.inf) if is_turning or not model.jnt_limited[j] else model.jnt_range[j]
    return _JointAxis(
        xyz=Z_AXIS if is_turning else frozen_vector(*model.jnt_axis[j]),
        lower=lower,
        upper=upper,
        effort=max(map(abs, model.jnt_actfrcrange[j])) if model.jnt_actfrclimited[j] else math.inf,
        damping=model.dof_damping[dof],
        friction=model.dof_frictionloss[dof],
        inertia=model.dof_armature[dof] + source.rotors(_DRIVES).get(j, 0.0),
        spring_stiffness=model.jnt_stiffness[j],
        spring_reference=0.0 if is_turning else model.qpos_spring[model.jnt_qposadr[j]],
    )
