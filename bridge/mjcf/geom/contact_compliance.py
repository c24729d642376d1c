"""Compliant and bouncing contacts: stiffness in N/m and restitution as MuJoCo's ``solref`` and ``solimp``.

MuJoCo's contact is a spring of acceleration, not of force: with ``solref="-k -b"`` and a constant impedance d, a body
that is pressed with a force f sinks by ``f (1 - d) w / k``, where w is the sum of both bodies' inverse masses as MuJoCo
computes them: the mean over the three directions, at the zero configuration. Hence ``k = K (1 - d) w`` for a stiffness
K. While they touch, both bodies move as if their mass were ``1 / (1 - d)`` times as large: d is as small as the time
step allows.

Source: MuJoCo's documentation, "Computation", constraint model; restitution of a linear spring and damper that do not
pull: Schwager and Pöschel, "Coefficient of restitution and linear-dashpot model revisited", 2007, equation 21.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from loaders.model import Surface
from loaders.spatial import Array, skew

_MIN_IMPEDANCE, _MAX_IMPEDANCE = 0.01, 0.9999
"""The impedance that changes the motion by 1 %, and MuJoCo's largest."""
_BOUNCE_IMPEDANCE = 0.99
"""Impedance of a contact with restitution only: it bounces alike on one contact point and on several."""
_MAX_K_STEP_SQUARED = 0.01
"""Largest product of ``k`` and the squared time step; at a few times as much, boxes shake on their corners."""
_BOUNCE_STEPS = 10.0
"""Time constant of a contact with restitution only, in time steps."""
_MAX_DAMPING_RATIO = 2.5
"""Damping ratio at which ``b`` times the time step is 0.5."""
_DEFAULT_ERP = 0.2
"""SDFormat's default of ``soft_erp``."""


@dataclass(frozen=True, slots=True)
class ContactSpring:
    """MuJoCo's parameters of a compliant contact."""

    solref: tuple[float, float]
    solimp: tuple[float, float, float]

    @classmethod
    def from_stiffness(cls, stiffness: float, ratio: float, w: float, step: float) -> ContactSpring | None:
        """Return a spring of a given stiffness; None if the time step cannot hold it.

        Args:
            stiffness: Stiffness [N/m].
            ratio: Damping ratio of both bodies on the spring.
            w: Sum of the bodies' inverse masses [1/kg].
            step: Time step [s].
        """
        limit = _MAX_K_STEP_SQUARED / (stiffness * w * step**2) if stiffness * w > 0.0 else 0.0
        softness = min(1.0 - _MIN_IMPEDANCE, limit)
        if softness < 1.0 - _MAX_IMPEDANCE:
            return None
        k = stiffness * softness * w
        return cls._of(k, min(ratio, _MAX_DAMPING_RATIO), 1.0 - softness)

    @classmethod
    def from_restitution(cls, restitution: float, step: float) -> ContactSpring:
        """Return the hardest contact that bounces with a given restitution at a time step [s]."""
        return cls._of((_BOUNCE_STEPS * step) ** -2, damping_ratio_of_restitution(restitution), _BOUNCE_IMPEDANCE)

    @staticmethod
    def friction_solref(step: float) -> tuple[float, float]:
        """Return ``solreffriction`` at a time step [s]: friction is damped critically, however the contact bounces.

        With the damping of the bounce it would slow a sliding body down by a multiple of the speed that is as small as
        that damping, and not at all for a restitution of one. Blocks stop within 1.5 % of the closed form with this
        time constant, for a friction of 0.05 to 2 and a restitution of 0.1 to 1; with 2 or 20 steps, within 38 or 3 %.
        """
        return (_BOUNCE_STEPS * step, 1.0)

    @classmethod
    def _of(cls, k: float, ratio: float, impedance: float) -> ContactSpring:
        return cls((-k, -2.0 * ratio * math.sqrt(k)), (impedance, impedance, 0.001))


def inverse_masses(mechanism: Mechanism) -> dict[str, float]:
    """Return the inverse mass [1/kg] that MuJoCo assigns to each link with collisions; 0 for one that cannot move.

    The result is empty if no contact needs one, or if they cannot be computed.
    """
    at_zero = mechanism.mass_matrix_at_zero if _has_compliant_contacts(mechanism) else None
    if at_zero is None or at_zero.pseudo_inverse is None:
        return {}
    jacobians, poses = mechanism.jacobians(), mechanism.link_poses()
    masses = {}
    for i, body in enumerate(mechanism.bodies):
        if body.link.collisions:
            p_cm = poses[body.name].R @ body.inertia.p_LLcm
            J_cm = jacobians[body.name][3:] - skew(p_cm) @ jacobians[body.name][:3]
            is_fixed = mechanism.moving_ancestor(i) == ROOT
            masses[body.name] = 0.0 if is_fixed else _mean(J_cm @ at_zero.pseudo_inverse @ J_cm.T)
    return masses if all(math.isfinite(w) and w >= 0.0 for w in masses.values()) else {}


def _has_compliant_contacts(mechanism: Mechanism) -> bool:
    surfaces = (collision.surface for body in mechanism.bodies for collision in body.link.collisions)
    return any(surface.stiffness is not None or surface.soft_cfm for surface in surfaces)


def _mean(A: Array) -> float:
    return float(np.trace(A)) / 3.0


def damping_ratio(surface: Surface, stiffness: float, w: float, gravity: float) -> float:
    """Return the damping ratio of a spring between two bodies.

    It follows from restitution, damping, dissipation or relaxation time, in that order, or else is critical.
    Hunt-Crossley dissipation depends on the penetration; its value at rest under the bodies' own weight is used.

    Args:
        surface: The surface that states the damping.
        stiffness: Stiffness of the spring [N/m].
        w: Sum of the bodies' inverse masses [1/kg].
        gravity: Magnitude of gravity [m/s^2].
    """
    if surface.restitution > 0.0:
        return damping_ratio_of_restitution(surface.restitution)
    if surface.damping is not None:
        damping = surface.damping
    elif surface.dissipation is not None:
        damping = surface.dissipation * gravity / w
    elif surface.relaxation_time is not None:
        damping = surface.relaxation_time * stiffness
    else:
        return 1.0
    return 0.5 * damping * math.sqrt(w / stiffness) if stiffness > 0.0 else 1.0


def with_ode_spring(surface: Surface, step: float) -> Surface:
    """Return the surface with the stiffness and damping that ODE's ``soft_cfm`` and ``soft_erp`` represent, if any.

    Source: ODE's manual, "ERP and CFM": ``ERP = h kp / (h kp + kd)``, ``CFM = 1 / (h kp + kd)``.
    """
    cfm, erp = surface.soft_cfm or 0.0, _DEFAULT_ERP if surface.soft_erp is None else surface.soft_erp
    if surface.stiffness is not None or cfm <= 0.0 or not 0.0 < erp <= 1.0:
        return surface
    return dataclasses.replace(surface, stiffness=erp / (step * cfm), damping=(1.0 - erp) / cfm)


def damping_ratio_of_restitution(restitution: float) -> float:
    """Return the damping ratio at which a spring that does not pull has a given coefficient of restitution."""
    e = min(restitution, 1.0)
    low, high = 0.0, 1.0 - 1e-9
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _restitution(middle) > e else (low, middle)
    return low


def _restitution(ratio: float) -> float:
    w = math.sqrt(1.0 - ratio**2)
    time = (math.pi - math.atan2(2.0 * ratio * w, w**2 - ratio**2)) / w
    return math.exp(-ratio * time)
