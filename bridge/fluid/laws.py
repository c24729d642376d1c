"""Force laws of buoyancy, drag and wings: wrenches as functions of the motion of a link."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bridge.mechanism.force_laws import Motion, Wrench
from loaders.model import Buoyancy, FluidDrag, Slopes, Wing
from loaders.spatial import IDENTITY, Array, Pose

from .submerged_volume import Solid

_STILL = 0.01
"""Speed [m/s] up to which a wing has no forces."""
_NOTHING = Wrench(IDENTITY.p, IDENTITY.p, IDENTITY.p)


# --- buoyancy --------------------------------------------------------------------------------------------------------


def buoyancy_wrench(buoyancy: Buoyancy, shapes: Sequence[tuple[Pose, Solid]], link: Motion, gravity: Array) -> Wrench:
    """Return the weight of the displaced fluid, upwards.

    Args:
        buoyancy: The fluid.
        shapes: Pose in the link, and solid, of each shape.
        link: Motion of the link.
        gravity: Acceleration of gravity in the world [m/s^2], shape (3,).
    """
    if buoyancy.volume is not None:
        p_WV = link.X_WF.p + link.X_WF.R @ buoyancy.p_LV
        return Wrench(-buoyancy.density * buoyancy.volume * gravity, IDENTITY.p, p_WV)
    mass, moment = 0.0, np.zeros(3)
    for X_LG, solid in shapes:
        displaced, first = _displaced(buoyancy, link.X_WF @ X_LG, solid)
        mass, moment = mass + displaced, moment + first
    return Wrench(-mass * gravity, IDENTITY.p, moment / mass) if mass else _NOTHING


def _displaced(buoyancy: Buoyancy, X_WG: Pose, solid: Solid) -> tuple[float, Array]:
    """Return the mass of the displaced fluid, and its first moment in the world."""
    if not buoyancy.layers:
        mass = buoyancy.density * solid.volume
        return mass, mass * X_WG.p
    up = buoyancy.X_WS.R[:, 2]
    normal, base = X_WG.R.T @ up, float(up @ (X_WG.p - buoyancy.X_WS.p))
    densities = [buoyancy.density, *(density for _, density in buoyancy.layers)]
    mass, moment, lower = 0.0, np.zeros(3), (0.0, np.zeros(3))
    for density, (height, _) in zip(densities, (*buoyancy.layers, (math.inf, 0.0)), strict=True):
        part = solid.below(normal, min(height - base, 1e12))
        mass += density * (part.volume - lower[0])
        moment += density * (part.moment - lower[1])
        lower = part.volume, part.moment
    return mass, mass * X_WG.p + X_WG.R @ moment


# --- drag ------------------------------------------------------------------------------------------------------------


def drag_wrench(drag: FluidDrag, F: Motion) -> Wrench:
    """Return the drag on a frame that moves in a fluid.

    Args:
        drag: The drag.
        F: Motion of its frame.
    """
    R = F.X_WF.R
    state = np.concatenate((R.T @ (F.v - drag.X_WS.R @ drag.current), R.T @ F.w))
    force = (drag.linear + drag.absolute @ np.abs(state) + drag.quadratic @ state) @ state
    return Wrench(R @ force[:3], R @ force[3:], F.X_WF.p)


# --- wings -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Flow:
    """The flow at a wing, without its part along the span."""

    speed: float
    alpha: float
    """Angle of attack [rad]."""
    squared_cosine: float
    """Squared cosine of the sweep."""
    lift: Array
    """Direction of the lift in the world."""
    drag: Array
    """Direction of the drag in the world."""
    span: Array
    """Direction of the span in the world."""


def wing_wrench(wing: Wing, F: Motion, deflection: float = 0.0) -> Wrench:
    """Return lift, drag and moment of a wing.

    Args:
        wing: The wing.
        F: Motion of its frame.
        deflection: Position of the joint of its control surface.
    """
    flow = _flow(wing, F)
    if flow is None:
        return _NOTHING
    lift = _coefficient(wing, "lift", flow) + wing.lift_by_joint * deflection
    drag = abs(_coefficient(wing, "drag", flow))
    moment = _coefficient(wing, "moment", flow) + wing.moment_by_joint * deflection
    scale = 0.5 * wing.density * flow.speed**2 * wing.area
    return Wrench(scale * (lift * flow.lift + drag * flow.drag), scale * moment * flow.span, F.X_WF.p)


def _flow(wing: Wing, F: Motion) -> _Flow | None:
    """Return the flow at a wing; None if it is too slow, or from behind."""
    R = F.X_WF.R
    v, forward = F.v - wing.X_WS.R @ wing.current, R @ wing.forward
    speed = float(np.linalg.norm(v))
    if speed <= _STILL or (not wing.reversible and forward @ v <= 0.0):
        return None
    upward = R @ wing.upward
    if wing.radial_symmetry:
        across = np.cross(forward, np.cross(forward, v / speed))
        upward = _unit(across) if np.linalg.norm(across) > 1e-9 else upward
    span = _unit(np.cross(forward, upward))
    along = float(span @ v)
    in_plane = v - along * span
    lift = _unit(np.cross(span, in_plane))
    angle = math.acos(min(max(float(lift @ upward), -1.0), 1.0))
    alpha = wing.alpha_0 + (angle if lift @ forward >= 0.0 else -angle)
    alpha -= math.pi * round(alpha / math.pi) if abs(alpha) > math.pi / 2.0 else 0.0
    squared_cosine = 1.0 - (along / speed) ** 2
    return _Flow(float(np.linalg.norm(in_plane)), alpha, squared_cosine, lift, -_unit(in_plane), span)


def _coefficient(wing: Wing, kind: str, flow: _Flow) -> float:
    """Return a coefficient: linear up to the stall, with another slope beyond; lift and moment keep their sign."""
    slope, beyond = _slope(wing.slopes, kind), _slope(wing.stalled, kind)
    excess = abs(flow.alpha) - wing.alpha_stall
    if excess <= 0.0:
        return slope * flow.alpha * flow.squared_cosine
    value = (slope * wing.alpha_stall + beyond * excess) * flow.squared_cosine
    return math.copysign(1.0, flow.alpha) * (value if kind == "drag" else max(value, 0.0))


def _slope(slopes: Slopes, kind: str) -> float:
    return {"lift": slopes.lift, "drag": slopes.drag, "moment": slopes.moment}[kind]


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
