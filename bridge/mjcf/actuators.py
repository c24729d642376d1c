"""``<actuator>``: what drives the joints, on request; the source says which joints and how hard, rarely how."""

from __future__ import annotations

import math

from bridge.mechanism import Mechanism
from loaders.diagnostics import Fate
from loaders.model import Actuator

from .context import Context
from .element import Element
from .joints import Carrier

_DEFAULT_KP = 100.0
"""Gain of a position or velocity controller that the source says nothing about [N m/rad or N/m]."""


def actuators(by_component: dict[int, Carrier], context: Context) -> None:
    """Write one actuator for each joint that the source drives: by an actuator of its own, or by an effort limit."""
    scene, kind = context.mechanism.scene, context.options.actuators
    if kind == "none":
        if scene.actuators:
            names = ", ".join(actuator.name for actuator in scene.actuators)
            message = f"actuators are left out as asked: {names}"
            hint = 'actuators="motor", "position" or "velocity" writes them'
            context.report(Fate.NOTED, "no-actuators", message, scene.actuators[0].where, hint=hint)
        return
    components = {key: v for v, key in enumerate(context.mechanism.v_order)}
    for actuator in (*scene.actuators, *_implied(context.mechanism)):
        carrier = by_component.get(components.get((actuator.joint, 0), -1))
        if carrier is None:
            message = f"actuator {actuator.name} drives {actuator.joint}, which is no hinge or slide of the tree"
            context.report(Fate.DROPPED, "actuator", message, actuator.where)
            continue
        context.document["actuator"].children.append(_element(actuator, carrier, kind, context))


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


def _element(actuator: Actuator, carrier: Carrier, kind: str, context: Context) -> Element:
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
    _gains(element, actuator, kind, context)
    if kind == "position" and axis is not None and math.isfinite(axis.lower) and math.isfinite(axis.upper):
        element.set(inheritrange=1.0 if axis.lower < axis.upper else None)
    if kind == "velocity" and axis is not None and math.isfinite(axis.velocity):
        element.set(ctrlrange=(-axis.velocity * abs(carrier.ratio), axis.velocity * abs(carrier.ratio)))
    if math.isfinite(effort):
        element.set(forcerange=(-effort, effort))
    return element


def _gains(element: Element, actuator: Actuator, kind: str, context: Context) -> None:
    """``kp`` and ``kv`` of a controller; where the source gives none, values to start from, and it is said so."""
    if kind == "position":
        element.set(kp=_DEFAULT_KP if actuator.p_gain is None else actuator.p_gain)
        if actuator.d_gain is None:
            element.set(dampratio=1.0)
        else:
            element.set(kv=actuator.d_gain)
    else:
        element.set(kv=_DEFAULT_KP if actuator.d_gain is None else actuator.d_gain)
    needed = actuator.p_gain if kind == "position" else actuator.d_gain
    if needed is None:
        message = f"actuator {actuator.name} has no gain in the source; it gets {_DEFAULT_KP:g}"
        context.report(Fate.ASSUMED, "assumed-gain", message, actuator.where, hint="tune it, or state it in the source")
