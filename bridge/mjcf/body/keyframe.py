"""``<keyframe>``: the position that the source starts from, or one within all limits where zero is not."""

from __future__ import annotations

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, default_position, kind_of, primitive_positions
from bridge.mechanism.loop_closure import with_loops_closed
from bridge.mechanism.target_names import primitive_names
from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate
from loaders.model import JointAxis

_NUMBERS = {PrimitiveKind.FREE: 7, PrimitiveKind.BALL: 4}
"""Length of a position in ``qpos``, where it is not 1."""


def home(mechanism: Mechanism) -> list[Coordinates]:
    """Of each body's joint, the position that the source starts from, or zero, moved into the limits; loops closed."""
    bodies = mechanism.bodies
    stated = {i for i, body in enumerate(bodies) if body.source is not None and body.source.default_position}
    return with_loops_closed(bodies, mechanism.closures, [_home(body) for body in bodies], stated)


def keyframe(context: Context) -> None:
    """Write the key ``home`` if the source has a default position, or if zero is outside the limits of a joint."""
    bodies, positions = context.mechanism.bodies, home(context.mechanism)
    outside = [body.joint or "" for body in bodies if _clamped(body, default_position(body))]
    if outside:
        message = f"zero is outside the limits of {', '.join(outside)}; the keyframe home is inside"
        hint = "start from it: mj_resetDataKeyframe(model, data, 0)"
        context.report(Fate.NOTED, "zero-outside-limits", message, hint=hint)
    if positions == [default_position(body) for body in bodies]:
        return
    qpos = [x for body, q in zip(bodies, positions, strict=True) for x in _qpos(body, q)]
    context.document["keyframe"].add("key", name="home", qpos=qpos, ctrl=_ctrl(qpos, context))


def _ctrl(qpos: list[float], context: Context) -> list[float] | None:
    """Controls that hold the position; None where there are no position controllers."""
    actuators = context.document["actuator"].children
    if not actuators or actuators[0].tag != "position":
        return None
    where = dict(zip(_scalar_joints(context), qpos, strict=True))
    return [where[actuator.attributes["joint"]] for actuator in actuators]


def _scalar_joints(context: Context) -> list[str]:
    """The joint that each number of ``qpos`` belongs to."""
    return [
        name
        for body in context.mechanism.bodies
        for name, primitive in zip(primitive_names(body), body.primitives, strict=True)
        for _ in range(_NUMBERS.get(primitive.kind, 1))
    ]


def _home(body: Body) -> Coordinates:
    """The source's default position, or zero, moved into the limits."""
    position = body.source.default_position if body.source is not None else ()
    position = position or default_position(body)
    return _clamped(body, position) or position


def _clamped(body: Body, position: Coordinates) -> Coordinates | None:
    """The position moved into the limits, or None if it is inside."""
    if kind_of(body) is not None:
        return None
    axes = {p.dof_index: p.limits for p in body.primitives}
    moved = tuple(_into(axes.get(i), x) for i, x in enumerate(position))
    return None if moved == tuple(position) else moved


def _into(axis: JointAxis | None, x: float) -> float:
    return x if axis is None or axis.lower > axis.upper else min(max(x, axis.lower), axis.upper)


def _qpos(body: Body, position: Coordinates) -> list[float]:
    """MuJoCo's coordinates: a ball's turn is about the axes of the body, not of the joint's frame."""
    if kind_of(body) is PrimitiveKind.BALL:
        ((w, *v),) = primitive_positions(body, position)
        return [w, *(body.X_BM.R @ v).tolist()]
    return [x for displacement in primitive_positions(body, position) for x in displacement]
