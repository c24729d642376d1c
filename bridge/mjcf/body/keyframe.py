"""``<keyframe>``: the initial position, and the named states of the source.

The initial position is the first key. It is the one that the source states, moved into the limits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, Position, default_position, kind_of
from bridge.mechanism.couplings import with_followers
from bridge.mechanism.loop_closure import with_loops_closed
from bridge.mechanism.target_names import primitive_names
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from loaders.diagnostics import Fate
from loaders.model import JointAxis, Keyframe

from .qpos import body_qpos

_QPOS_SIZES = {PrimitiveKind.FREE: 7, PrimitiveKind.BALL: 4}
"""Length of a position in ``qpos``, where it is not 1."""


def home_positions(mechanism: Mechanism) -> list[Coordinates]:
    """Return the initial position of each body's joint: the source's, or zero, within the limits and loops closed."""
    bodies = mechanism.bodies
    stated = {i for i, body in enumerate(bodies) if body.source is not None and body.source.default_position}
    return with_loops_closed(bodies, mechanism.closures, [_home(body) for body in bodies], stated)


def write_keyframes(actuators: Sequence[Element], context: Context) -> None:
    """Write the initial position as the first key, unless it is zero and there are no states, and a key for each state.

    The first key is named ``home``, or ``initial`` if a state has that name.

    Args:
        actuators: The actuators, in their final order; position controllers hold the keys.
        context: The export.
    """
    bodies, home = context.mechanism.bodies, home_positions(context.mechanism)
    outside = tuple(body.joint or "" for body in bodies if _clamped(body, default_position(body)))
    if outside:
        context.report(
            Fate.NOTED,
            "zero-outside-limits",
            "zero is outside the limits of {joints}; the keyframe home is inside",
            hint="start from it: mj_resetDataKeyframe(model, data, 0)",
            subjects=outside,
            joints=outside,
        )
    keyframes = context.mechanism.keyframes
    if keyframes or home != [default_position(body) for body in bodies]:
        name = "initial" if any(keyframe.name == "home" for keyframe in keyframes) else "home"
        _write_key(context.names.claim("key", name), home, actuators, context)
    for keyframe in keyframes:
        _write_state(keyframe, home, actuators, context)


def _write_state(
    keyframe: Keyframe, home: Sequence[Coordinates], actuators: Sequence[Element], context: Context
) -> None:
    """Write a state of the source; joints that it does not name are at their initial position or follow others."""
    mechanism = context.mechanism
    bodies = _bodies_by_joint(mechanism)
    stated = _stated_positions(keyframe, home, context)
    positions = list(home)
    for joint, value in with_followers(mechanism, stated).items():
        positions[bodies[joint]] = tuple(np.atleast_1d(value).tolist())
    indices = {bodies[joint] for joint in stated}
    positions = with_loops_closed(mechanism.bodies, mechanism.closures, positions, indices)
    _report_limits(keyframe, positions, context)
    _write_key(context.names.claim("key", keyframe.name), positions, actuators, context)


def _bodies_by_joint(mechanism: Mechanism) -> dict[str, int]:
    return {body.joint: i for i, body in enumerate(mechanism.bodies) if body.joint is not None}


def _stated_positions(keyframe: Keyframe, home: Sequence[Coordinates], context: Context) -> dict[str, Position]:
    """Return the positions of a state by joint; report those that have no place."""
    bodies = _bodies_by_joint(context.mechanism)
    stated: dict[str, Position] = {}
    for joint, position in zip(keyframe.joints, keyframe.positions, strict=True):
        if joint in bodies and len(position) == len(home[bodies[joint]]):
            stated[joint] = position
        else:
            context.report(
                Fate.DROPPED,
                "keyframe-joint",
                "state {state}: joint {joint} has no position of {count} number(s); ignored",
                keyframe.where,
                subjects=(keyframe.name, joint),
                state=keyframe.name,
                joint=joint,
                count=len(position),
            )
    return stated


def _report_limits(keyframe: Keyframe, positions: Sequence[Coordinates], context: Context) -> None:
    bodies = context.mechanism.bodies
    outside = tuple(b.joint or "" for b, q in zip(bodies, positions, strict=True) if _clamped(b, q))
    if outside:
        context.report(
            Fate.NOTED,
            "keyframe-limits",
            "the keyframe {state} is outside the limits of {joints}; MuJoCo pushes them back",
            keyframe.where,
            hint="correct the state in the source",
            subjects=outside,
            state=keyframe.name,
            joints=outside,
        )


def _write_key(name: str, positions: Sequence[Coordinates], actuators: Sequence[Element], context: Context) -> None:
    bodies = context.mechanism.bodies
    qpos = [x for body, q in zip(bodies, positions, strict=True) for x in body_qpos(body, q)]
    ctrl = _ctrl(qpos, actuators, context.mechanism)
    context.document["keyframe"].add("key", name=name, qpos=qpos, ctrl=ctrl)


def _ctrl(qpos: list[float], actuators: Sequence[Element], mechanism: Mechanism) -> list[float] | None:
    """Return the controls that hold a position; None if the actuators are not position controllers."""
    if not any(actuator.tag == "position" for actuator in actuators):
        return None
    position_of = dict(zip(_joint_names(mechanism), qpos, strict=True))
    return [position_of[a.attributes["joint"]] if a.tag == "position" else 0.0 for a in actuators]


def _joint_names(mechanism: Mechanism) -> list[str]:
    """Return the joint to which each number of ``qpos`` belongs."""
    return [
        name
        for body in mechanism.bodies
        for name, primitive in zip(primitive_names(body), body.primitives, strict=True)
        for _ in range(_QPOS_SIZES.get(primitive.kind, 1))
    ]


def _home(body: Body) -> Coordinates:
    """Return the source's default position, or zero, moved into the limits."""
    position = body.source.default_position if body.source is not None else ()
    position = position or default_position(body)
    return _clamped(body, position) or position


def _clamped(body: Body, position: Coordinates) -> Coordinates | None:
    """Return a position moved into the limits, or None if it is inside."""
    if kind_of(body) is not None:
        return None
    axes = {p.dof_index: p.limits for p in body.primitives}
    moved = tuple(_clamp(axes.get(i), x) for i, x in enumerate(position))
    return None if moved == tuple(position) else moved


def _clamp(axis: JointAxis | None, x: float) -> float:
    return x if axis is None or axis.lower > axis.upper else min(max(x, axis.lower), axis.upper)
