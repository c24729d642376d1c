"""``<keyframe>``: the initial position of the source, or a position within all limits if zero is outside of one."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, default_position, kind_of
from bridge.mechanism.loop_closure import with_loops_closed
from bridge.mechanism.target_names import primitive_names
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from loaders.diagnostics import Fate
from loaders.model import JointAxis

from .qpos import body_qpos

_QPOS_SIZES = {PrimitiveKind.FREE: 7, PrimitiveKind.BALL: 4}
"""Length of a position in ``qpos``, where it is not 1."""


def home_positions(mechanism: Mechanism) -> list[Coordinates]:
    """Return the initial position of each body's joint: the source's, or zero, within the limits and loops closed."""
    bodies = mechanism.bodies
    stated = {i for i, body in enumerate(bodies) if body.source is not None and body.source.default_position}
    return with_loops_closed(bodies, mechanism.closures, [_home(body) for body in bodies], stated)


def write_keyframe(actuators: Sequence[Element], context: Context) -> None:
    """Write the key ``home`` if the source has a default position, or if zero is outside the limits of a joint.

    Args:
        actuators: The actuators, in their final order; position controllers hold the key.
        context: The export.
    """
    bodies, positions = context.mechanism.bodies, home_positions(context.mechanism)
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
    if positions == [default_position(body) for body in bodies]:
        return
    qpos = [x for body, q in zip(bodies, positions, strict=True) for x in body_qpos(body, q)]
    ctrl = _ctrl(qpos, actuators, context.mechanism)
    context.document["keyframe"].add("key", name="home", qpos=qpos, ctrl=ctrl)


def _ctrl(qpos: list[float], actuators: Sequence[Element], mechanism: Mechanism) -> list[float] | None:
    """Return the controls that hold a position; None if the actuators are not position controllers."""
    if not actuators or actuators[0].tag != "position":
        return None
    position_of = dict(zip(_joint_names(mechanism), qpos, strict=True))
    return [position_of[actuator.attributes["joint"]] for actuator in actuators]


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
