"""``<actuator>``: what drives the joints, on request; the source says which joints and how hard, rarely how."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from bridge.mechanism import Mechanism
from bridge.mjcf.body.effective_inertia import Mobility, bearable, mobility, report_light_joints
from bridge.mjcf.body.joints import UNLIMITED, Carrier
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from loaders.diagnostics import NOWHERE, Fate
from loaders.model import Actuator, JointAxis
from loaders.scene_queries.scoped_names import SEPARATOR

_BANDWIDTH = 30.0
"""Of a controller that the source gives no gain: its frequency [rad/s] while all other joints stand still."""
_STIFFEST = 0.25
"""Of gain times inverse inertia times the step squared, while other joints move freely: twice is still stable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drive:
    """A joint and what drives it, in the coordinate of the MJCF joint."""

    actuator: Actuator
    joint: str
    axis: JointAxis
    """Its limits."""
    effort: float
    """The least limit that the source states [N m or N]."""
    seen: Mobility | None
    """Inertias of all joints; None if unknown."""
    v: int
    """The joint's velocity component."""
    ratio: float
    """Of the MJCF joint's coordinate to the model's."""

    def bears(self, step: float, speed: float) -> float:
        """The largest effort that the time step bears, to three digits; see `bearable`."""
        alone = self.seen.alone[self.v] / self.ratio**2 if self.seen else math.inf
        return _rounded(bearable(alone, self.axis, step, speed=speed))

    def stiffness(self, step: float) -> float:
        """The gain of a position controller of our bandwidth that the time step can hold, to three digits."""
        if self.seen is None:
            return _BANDWIDTH**2
        locked, least = self.seen.locked[self.v], self.seen.least[self.v]
        return _rounded(min(_BANDWIDTH**2 * locked, _STIFFEST * least / step**2) / self.ratio**2)


def actuators(by_component: dict[int, Carrier], context: Context) -> None:
    """Write one actuator for each joint that the source drives: by an actuator of its own, or by an effort limit."""
    scene, kind = context.mechanism.scene, context.options.actuators
    seen = mobility(context.mechanism)
    if seen is not None:
        report_light_joints(seen, by_component, context)
    if kind == "none":
        if scene.actuators:
            names = ", ".join(actuator.name for actuator in scene.actuators)
            message = f"actuators are left out as asked: {names}"
            hint = 'actuators="motor", "dcmotor", "position" or "velocity" writes them'
            context.report(Fate.NOTED, "no-actuators", message, scene.actuators[0].where, hint=hint)
        return
    components = {key: v for v, key in enumerate(context.mechanism.v_order)}
    for actuator in (*_stated(context), *_implied(context.mechanism)):
        v = components.get((actuator.joint, 0), -1)
        carrier = by_component.get(v)
        if carrier is None:
            context.report(
                Fate.DROPPED,
                "actuator",
                "actuator {actuator} drives {joint}, which is no hinge or slide of the tree",
                actuator.where,
                actuator=actuator.name,
                joint=actuator.joint,
            )
            continue
        drive = _drive(actuator, carrier, v, seen, context.mechanism)
        name = context.names.claim("actuator", actuator.name, otherwise=f"{actuator.joint}{SEPARATOR}{actuator.name}")
        element = context.document["actuator"].add(_TAGS.get(kind, kind), name=name, joint=carrier.joint)
        _WRITERS[kind](element, drive, context)


def _stated(context: Context) -> list[Actuator]:
    """The actuators of the source, without those that a follower has for its limit of effort alone."""
    scene, followers = context.mechanism.scene, _followers(context.mechanism)
    joints = {joint.name: joint.where for joint in scene.joints if joint.name in followers}
    idle = [a for a in scene.actuators if a.joint in joints and a.where == joints[a.joint] and _has_no_gain(a)]
    if idle:
        context.report(
            Fate.NOTED,
            "idle-followers",
            "joints that follow others are not driven: {names}",
            idle[0].where,
            hint="give them controller gains",
            names=", ".join(actuator.joint for actuator in idle),
        )
    return [actuator for actuator in scene.actuators if actuator not in idle]


def _followers(mechanism: Mechanism) -> set[str]:
    return {mechanism.v_order[coupling.follower][0] for coupling in mechanism.couplings}


def _has_no_gain(actuator: Actuator) -> bool:
    return actuator.p_gain is None and actuator.d_gain is None


def _implied(mechanism: Mechanism) -> list[Actuator]:
    """Actuators of joints that have an effort limit and no actuator of their own."""
    driven = {actuator.joint for actuator in mechanism.scene.actuators}
    followers = _followers(mechanism)
    return [
        Actuator(
            name=body.joint,
            joint=body.joint,
            effort=body.primitives[0].limits.effort,
            where=body.source.where if body.source is not None else NOWHERE,
        )
        for body in mechanism.bodies
        if body.joint is not None
        and body.joint not in driven | followers
        and body.nv == 1
        and body.primitives[0].limits is not None
        and 0.0 < body.primitives[0].limits.effort < math.inf
    ]


def _drive(actuator: Actuator, carrier: Carrier, v: int, seen: Mobility | None, mechanism: Mechanism) -> _Drive:
    primitive = mechanism.bodies[carrier.body].primitives[carrier.primitive]
    axis, r = primitive.limits or JointAxis(xyz=primitive.axis), abs(carrier.ratio)
    lower, upper = sorted((axis.lower * carrier.ratio, axis.upper * carrier.ratio))
    return _Drive(
        actuator=actuator,
        joint=carrier.joint,
        axis=replace(axis, lower=lower, upper=upper, velocity=axis.velocity * r),
        effort=min(actuator.effort, axis.effort if axis.effort > 0.0 else math.inf) / r,
        seen=seen,
        v=v,
        ratio=r,
    )


# --- one kind each ---------------------------------------------------------------------------------------------------


def _motor(element: Element, drive: _Drive, _context: Context) -> None:
    """Effort as commanded."""
    element.set(ctrlrange=_both_sides(drive.effort))


def _dc_motor(element: Element, drive: _Drive, context: Context) -> None:
    """Effort that falls with speed: at rest as commanded, at full control none at the speed limit."""
    effort, speed, where = drive.effort, drive.axis.velocity, drive.actuator.where
    if math.isfinite(effort) and 0.0 < speed < math.inf:
        element.set(biastype="affine", biasprm=(0.0, 0.0, -effort / speed))
        context.speed_limited.add(drive.actuator.joint)
        context.report(
            Fate.APPROXIMATED,
            "velocity-limit",
            ("the effort of the motor of joint {joint} ends at {speed:g} rad/s or m/s; other forces do not"),
            where,
            joint=drive.joint,
            speed=speed,
        )
    else:
        missing = "speed" if math.isfinite(effort) else "effort"
        context.report(
            Fate.ASSUMED,
            "no-speed-line",
            "joint {joint} has no limit of {missing}; the effort of its motor does not fall with speed",
            where,
            hint="state both limits of the joint",
            joint=drive.joint,
            missing=missing,
        )
        speed = math.inf
    element.set(ctrlrange=_both_sides(_bearable_control(drive, speed, context)), forcerange=_both_sides(effort))


def _bearable_control(drive: _Drive, speed: float, context: Context) -> float:
    """The effort limit, or what the time step bears if that is less, which is reported."""
    effort, step = drive.effort, context.time_step
    bears = drive.bears(step, speed)
    if bears < effort < math.inf:
        context.report(
            Fate.ASSUMED,
            "control-range",
            (
                "the limits of joint {joint}, {effort:g} N m or N and {speed:g} rad/s or m/s, are more "
                "than its inertia bears at a time step of {step:g} s; its control ends at {bears:g}"
            ),
            drive.actuator.where,
            hint="state the true limits",
            joint=drive.joint,
            effort=effort,
            speed=speed,
            step=step,
            bears=bears,
        )
    return min(bears, effort) if math.isfinite(effort) else effort


def _position(element: Element, drive: _Drive, context: Context) -> None:
    """A spring and a damper towards the commanded position."""
    actuator, stiffness = drive.actuator, drive.stiffness(context.time_step)
    element.set(kp=stiffness if actuator.p_gain is None else actuator.p_gain)
    if actuator.d_gain is None:
        element.set(dampratio=1.0)
    else:
        element.set(kv=actuator.d_gain)
    if -UNLIMITED < drive.axis.lower < drive.axis.upper < UNLIMITED:
        element.set(inheritrange=1.0)
    element.set(forcerange=_both_sides(drive.effort))
    if actuator.p_gain is None:
        _report_gain(drive, stiffness, context)


def _velocity(element: Element, drive: _Drive, context: Context) -> None:
    """A damper towards the commanded speed."""
    gain = drive.actuator.d_gain
    damping = _rounded(2.0 * drive.stiffness(context.time_step) / _BANDWIDTH)
    element.set(
        kv=damping if gain is None else gain,
        ctrlrange=_both_sides(drive.axis.velocity),
        forcerange=_both_sides(drive.effort),
    )
    if gain is None:
        _report_gain(drive, damping, context)


_WRITERS: dict[str, Callable[[Element, _Drive, Context], None]] = {
    "motor": _motor,
    "dcmotor": _dc_motor,
    "position": _position,
    "velocity": _velocity,
}
_TAGS = {"dcmotor": "general"}
"""MJCF's element, where it is not of the same name; its own ``dcmotor`` takes volts."""


def _both_sides(limit: float) -> tuple[float, float] | None:
    return (-limit, limit) if math.isfinite(limit) else None


def _rounded(x: float) -> float:
    return float(f"{x:.3g}")


def _report_gain(drive: _Drive, assumed: float, context: Context) -> None:
    message = (
        f"actuator {drive.actuator.name} has no gain in the source; it gets {assumed:g}, "
        f"which reacts within {1.0 / _BANDWIDTH:.2g} s to the inertia that the joint sees"
    )
    hint = "tune it, or state it in the source"
    context.report(Fate.ASSUMED, "assumed-gain", message, drive.actuator.where, hint=hint)
