"""``<actuator>``: what drives the joints, on request; the source says which joints and how hard, rarely how."""

from __future__ import annotations

import math

from bridge.mechanism import Mechanism
from loaders.diagnostics import Fate
from loaders.model import Actuator

from .context import Context
from .element import Element
from .joints import UNLIMITED, Carrier
from .mobility import Mobility, mobility, report_light_joints

_BANDWIDTH = 30.0
"""Of a controller that the source gives no gain: its frequency [rad/s] while all other joints stand still."""
_STIFFEST = 0.25
"""Of gain times inverse inertia times the step squared, while other joints move freely: twice is still stable."""


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
            hint = 'actuators="motor", "position" or "velocity" writes them'
            context.report(Fate.NOTED, "no-actuators", message, scene.actuators[0].where, hint=hint)
        return
    components = {key: v for v, key in enumerate(context.mechanism.v_order)}
    for actuator in (*scene.actuators, *_implied(context.mechanism)):
        v = components.get((actuator.joint, 0), -1)
        carrier = by_component.get(v)
        if carrier is None:
            message = f"actuator {actuator.name} drives {actuator.joint}, which is no hinge or slide of the tree"
            context.report(Fate.DROPPED, "actuator", message, actuator.where)
            continue
        context.document["actuator"].children.append(
            _element(actuator, carrier, kind, _stiffness(seen, v, context), context)
        )


def _implied(mechanism: Mechanism) -> list[Actuator]:
    """Actuators of joints that have an effort limit and no actuator of their own."""
    driven = {actuator.joint for actuator in mechanism.scene.actuators}
    followers = {mechanism.v_order[coupling.follower][0] for coupling in mechanism.couplings}
    return [
        Actuator(name=body.joint, joint=body.joint, effort=body.primitives[0].limits.effort)
        for body in mechanism.bodies
        if body.joint is not None
        and body.joint not in driven | followers
        and len(body.reflected_inertia) == 1
        and body.primitives[0].limits is not None
        and 0.0 < body.primitives[0].limits.effort < math.inf
    ]


def _stiffness(seen: Mobility | None, v: int, context: Context) -> float:
    """The gain of a position controller of our bandwidth that the time step can hold, to three digits."""
    if seen is None:
        return _BANDWIDTH**2
    most = _STIFFEST * float(seen.alone[v]) / context.time_step**2
    return float(f"{min(_BANDWIDTH**2 * float(seen.locked[v]), most):.3g}")


def _element(actuator: Actuator, carrier: Carrier, kind: str, stiffness: float, context: Context) -> Element:
    name = context.names.claim("actuator", actuator.name, otherwise=f"{actuator.joint}::{actuator.name}")
    element = Element(kind, name=name, joint=carrier.joint)
    body = context.mechanism.bodies[carrier.body]
    axis = body.primitives[carrier.primitive].limits
    limit = min(actuator.effort, axis.effort if axis is not None and axis.effort > 0.0 else math.inf)
    effort = limit / abs(carrier.ratio)
    if kind == "motor":
        if math.isfinite(effort):
            element.set(ctrlrange=(-effort, effort))
        return element
    _gains(element, actuator, kind, stiffness / carrier.ratio**2, context)
    if kind == "position" and axis is not None and -UNLIMITED < axis.lower < axis.upper < UNLIMITED:
        element.set(inheritrange=1.0)
    if kind == "velocity" and axis is not None and math.isfinite(axis.velocity):
        element.set(ctrlrange=(-axis.velocity * abs(carrier.ratio), axis.velocity * abs(carrier.ratio)))
    if math.isfinite(effort):
        element.set(forcerange=(-effort, effort))
    return element


def _gains(element: Element, actuator: Actuator, kind: str, stiffness: float, context: Context) -> None:
    """``kp`` and ``kv`` of a controller; where the source gives none, values to start from, and it is said so."""
    damping = float(f"{2.0 * stiffness / _BANDWIDTH:.3g}")
    if kind == "position":
        element.set(kp=stiffness if actuator.p_gain is None else actuator.p_gain)
        if actuator.d_gain is None:
            element.set(dampratio=1.0)
        else:
            element.set(kv=actuator.d_gain)
    else:
        element.set(kv=damping if actuator.d_gain is None else actuator.d_gain)
    gain, assumed = (actuator.p_gain, stiffness) if kind == "position" else (actuator.d_gain, damping)
    if gain is None:
        message = (
            f"actuator {actuator.name} has no gain in the source; it gets {assumed:g}, "
            f"which reacts within {1.0 / _BANDWIDTH:.2g} s to the inertia that the joint sees"
        )
        context.report(Fate.ASSUMED, "assumed-gain", message, actuator.where, hint="tune it, or state it in the source")
