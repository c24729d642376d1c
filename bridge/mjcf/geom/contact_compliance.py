"""Contacts that yield or bounce: stiffness in N/m and restitution as MuJoCo's ``solref`` and ``solimp``.

MuJoCo's contact is a spring of acceleration, not of force: with ``solref="-k -b"`` and a constant impedance d, what
presses with a force f sinks by ``f (1 - d) w / k``, where w is the sum of both bodies' inverse masses as MuJoCo counts
them: the mean over the three directions, at the zero configuration. Hence ``k = K (1 - d) w`` for a stiffness K. While
they touch, both move as if their mass were ``1 / (1 - d)`` times what it is: d is as small as the time step allows.

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

_LEAST, _MOST = 0.01, 0.9999
"""Impedances: the least that leaves the motion within 1 %, and MuJoCo's most."""
_RIGID = 0.99
"""Impedance of a contact that only bounces: then it bounces alike whether a point touches or a side."""
_STIFFEST = 0.01
"""Of ``k`` times the square of the step; beyond a few times as much, boxes on their corners shake."""
_BOUNCE_STEPS = 10.0
"""Time constant of a contact that only bounces, in time steps."""
_MOST_DAMPED = 2.5
"""Damping ratio, at which ``b`` times the step is 0.5."""
_ERP = 0.2
"""SDFormat's default of ``soft_erp``."""
_MOST_FREEDOMS = 1000
"""Above it the mass matrix is not worth the time."""


@dataclass(frozen=True, slots=True)
class Yielding:
    """The parameters of a contact."""

    solref: tuple[float, float]
    solimp: tuple[float, float, float]


def inverse_masses(mechanism: Mechanism) -> dict[str, float] | None:
    """Of each link with collisions [1/kg], 0 for one that is still; None if no contact needs any, or none is found."""
    links = [link for link in mechanism.scene.links if link.collisions]
    surfaces = [collision.surface for link in links for collision in link.collisions]
    stated = any(surface.stiffness is not None or surface.soft_cfm for surface in surfaces)
    if not stated or len(mechanism.v_order) > _MOST_FREEDOMS:
        return None
    M = mechanism.mass_matrix()
    if not np.all(np.isfinite(M)):
        return None
    M_inverse = _inverse(M)
    J, poses, groups = mechanism.jacobians(), mechanism.link_poses(), mechanism.weld_group_of
    by_name = {body.name: body for body in mechanism.bodies}
    found = {}
    for link in links:
        p_cm = poses[link.name].R @ by_name[link.name].inertia.p_LLcm
        J_cm = J[link.name][3:] - skew(p_cm) @ J[link.name][:3]
        found[link.name] = 0.0 if groups(link.name) == ROOT else _mean(J_cm @ M_inverse @ J_cm.T)
    return found if all(math.isfinite(w) and w >= 0.0 for w in found.values()) else None


def _inverse(M: Array) -> Array:
    """Of what has mass; what has none at the end of a chain is of no consequence for the rest."""
    try:
        inverse = np.linalg.inv(M)
    except np.linalg.LinAlgError:
        inverse = np.linalg.pinv(M, hermitian=True)
    return np.asarray(inverse, dtype=np.float64)


def _mean(A: Array) -> float:
    return float(np.trace(A)) / 3.0


def yielding(stiffness: float, ratio: float, w: float, step: float) -> Yielding | None:
    """A spring; None if the time step cannot hold one so stiff.

    Args:
        stiffness: [N/m].
        ratio: Damping ratio of both bodies on the spring.
        w: Sum of their inverse masses [1/kg].
        step: [s].
    """
    softness = min(1.0 - _LEAST, _STIFFEST / (stiffness * w * step**2)) if stiffness * w > 0.0 else 0.0
    if softness < 1.0 - _MOST:
        return None
    k = stiffness * softness * w
    return _of(k, min(ratio, _MOST_DAMPED), 1.0 - softness)


def bouncing(restitution: float, step: float) -> Yielding:
    """A contact as hard as bouncing allows."""
    return _of((_BOUNCE_STEPS * step) ** -2, ratio_of(restitution), _RIGID)


def _of(k: float, ratio: float, impedance: float) -> Yielding:
    return Yielding((-k, -2.0 * ratio * math.sqrt(k)), (impedance, impedance, 0.001))


def damping_ratio(surface: Surface, stiffness: float, w: float, gravity: float) -> float:
    """Of a spring between two bodies: by restitution, damping, dissipation or relaxation time, else critical.

    Hunt-Crossley dissipation counts as at rest under the bodies' own weight, where it is a damping.
    """
    if surface.restitution > 0.0:
        return ratio_of(surface.restitution)
    if surface.damping is not None:
        damping = surface.damping
    elif surface.dissipation is not None:
        damping = surface.dissipation * gravity / w
    elif surface.relaxation_time is not None:
        damping = surface.relaxation_time * stiffness
    else:
        return 1.0
    return 0.5 * damping * math.sqrt(w / stiffness)


def sprung(surface: Surface, step: float) -> Surface:
    """The surface with the stiffness and damping that ODE's ``soft_cfm`` and ``soft_erp`` stand for, if they do.

    Source: ODE's manual, "ERP and CFM": ``ERP = h kp / (h kp + kd)``, ``CFM = 1 / (h kp + kd)``.
    """
    cfm, erp = surface.soft_cfm or 0.0, _ERP if surface.soft_erp is None else surface.soft_erp
    if surface.stiffness is not None or cfm <= 0.0 or not 0.0 < erp <= 1.0:
        return surface
    return dataclasses.replace(surface, stiffness=erp / (step * cfm), damping=(1.0 - erp) / cfm)


def ratio_of(restitution: float) -> float:
    """The damping ratio at which a spring that does not pull gives back this part of the speed."""
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
