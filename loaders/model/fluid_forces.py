"""Forces of a fluid on a link: buoyancy, drag, and the lift of a wing."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from loaders.diagnostics import NOWHERE, Where
from loaders.spatial import IDENTITY, Array, Pose, frozen

_MATRIX, _CUBE = frozen(np.zeros((6, 6))), frozen(np.zeros((6, 6, 6)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Buoyancy:
    """The weight of the fluid that a link displaces, upwards at the center of the displaced volume.

    The displaced volume is that of the link's collision shapes, each counted by itself.

    Attributes:
        link: Name of the link.
        density: Density of the fluid, below the first layer if there are layers [kg/m^3].
        layers: Height above which another density holds, and that density, from the lowest to the highest.
        volume: Displaced volume [m^3], if it is not that of the shapes.
        p_LV: Center of that volume in the link [m], shape (3,).
        X_WS: Frame S of the fluid, in whose z the layers are measured.
        where: Place in the source.
    """

    link: str
    density: float = 1000.0
    layers: tuple[tuple[float, float], ...] = ()
    volume: float | None = None
    p_LV: Array = field(default_factory=lambda: IDENTITY.p)
    X_WS: Pose = IDENTITY
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FluidDrag:
    """Drag on a link, from its velocity relative to the fluid at the origin of a frame F on it.

    With the velocity ``v = (linear, angular)`` of F in the axes of F, force and torque at the origin of F are
    ``f_i = sum_j (linear_ij + sum_k (absolute_ijk |v_k| + quadratic_ijk v_k)) v_j``.

    Attributes:
        link: Name of the link.
        linear: Linear coefficients, shape (6, 6); those of a drag are negative.
        absolute: Coefficients of products with magnitudes, shape (6, 6, 6).
        quadratic: Coefficients of signed products, shape (6, 6, 6).
        current: Velocity of the fluid in S [m/s], shape (3,).
        X_LF: Frame F on the link.
        X_WS: Frame S of the fluid.
        where: Place in the source.

    Source: Fossen, "Guidance and Control of Ocean Vehicles" (1994).
    """

    link: str
    linear: Array = field(default_factory=lambda: _MATRIX)
    absolute: Array = field(default_factory=lambda: _CUBE)
    quadratic: Array = field(default_factory=lambda: _CUBE)
    current: Array = field(default_factory=lambda: IDENTITY.p)
    X_LF: Pose = IDENTITY
    X_WS: Pose = IDENTITY
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class Slopes:
    """Slopes of the coefficients of a wing over the angle of attack [1/rad]."""

    lift: float = 1.0
    drag: float = 0.01
    moment: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wing:
    """Lift, drag and moment of a wing at its center of pressure, the origin of a frame F on its link.

    Each coefficient is linear in the angle of attack up to the stall, and has another slope beyond it. They count for
    the flow without its part along the span, and are multiplied by the squared cosine of the sweep.

    Attributes:
        link: Name of the link.
        X_LF: Frame F on the link.
        forward: Direction of flight at zero angle of attack, in F.
        upward: Direction of positive lift, in F.
        area: Area [m^2].
        density: Density of the fluid [kg/m^3].
        alpha_0: Angle of attack in flight along ``forward`` [rad].
        alpha_stall: Angle of the stall [rad].
        slopes: Slopes below the stall.
        stalled: Slopes beyond the stall.
        radial_symmetry: Whether the upward direction follows the flow.
        reversible: Whether flow from behind has forces too.
        joint: Name of the joint of a control surface, or None.
        lift_by_joint: Change of the lift coefficient by the position of that joint.
        moment_by_joint: Change of the moment coefficient by the position of that joint.
        current: Velocity of the fluid in S [m/s], shape (3,).
        X_WS: Frame S of the fluid.
        where: Place in the source.

    Source: the system LiftDrag of gz-sim.
    """

    link: str
    X_LF: Pose = IDENTITY
    forward: Array = field(default_factory=lambda: frozen((1.0, 0.0, 0.0)))
    upward: Array = field(default_factory=lambda: frozen((0.0, 0.0, 1.0)))
    area: float = 1.0
    density: float = 1.2041
    alpha_0: float = 0.0
    alpha_stall: float = math.pi / 2.0
    slopes: Slopes = Slopes()
    stalled: Slopes = Slopes(lift=0.0, drag=1.0)
    radial_symmetry: bool = False
    reversible: bool = False
    joint: str | None = None
    lift_by_joint: float = 4.0
    moment_by_joint: float = 0.0
    current: Array = field(default_factory=lambda: IDENTITY.p)
    X_WS: Pose = IDENTITY
    where: Where = NOWHERE


FluidForce = Buoyancy | FluidDrag | Wing
