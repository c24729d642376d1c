"""Compliant joint limits: stiffness and dissipation of a limit as MuJoCo's ``solreflimit`` and ``solimplimit``.

MuJoCo scales the spring of a limit by the effective inertia of the joint at the zero configuration. With an impedance
``d`` and the inverse ``w`` of that inertia, a stiffness K is ``solreflimit = -K (1 - d) w``; a damping is scaled alike.
While the limit is active, the joint moves as if its inertia were ``1 / (1 - d)`` times as large: hence a small ``d``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body
from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate
from loaders.model import JointAxis

from .joint_source import where_of

_IMPEDANCE = 0.01
_MAX_STIFFNESS = 0.25
"""Largest product of stiffness, inverse inertia and squared time step at which the integrator remains stable."""


def limit_compliance(axis: JointAxis, dof: int, joint: str, body: Body, context: Context) -> dict[str, Any]:
    """Return ``solreflimit`` and ``solimplimit`` of a joint whose source states stiffness or dissipation of its limits.

    Args:
        axis: The limits.
        dof: Index of the joint's velocity in `bridge.Mechanism.v_order`.
        joint: Name of the MJCF joint.
        body: The body that the joint moves.
        context: The export.

    Returns:
        The attributes; none if the source states neither value, or if the time step cannot hold them.
    """
    if axis.limit_stiffness is None and axis.limit_dissipation is None:
        return {}
    stiffness, damping = axis.limit_stiffness or 0.0, axis.limit_dissipation or 0.0
    w, step = _inverse_inertia(dof, context.mechanism), context.time_step
    if not 0.0 < stiffness * w * step**2 < _MAX_STIFFNESS or not damping * w * step < 1.0:
        context.report(
            Fate.APPROXIMATED,
            "rigid-stops",
            "joint {joint}: the time step cannot hold limits of stiffness {stiffness:g} and dissipation "
            "{dissipation:g}; they are as hard as MuJoCo's solver allows",
            where_of(body),
            subjects=(str(body.joint),),
            joint=joint,
            stiffness=stiffness,
            dissipation=damping,
        )
        return {}
    context.report(
        Fate.APPROXIMATED,
        "yielding-stops",
        "joint {joint}: limit stiffness {stiffness:g} and dissipation {dissipation:g} are exact for the effective "
        "inertia of the joint at the zero configuration",
        where_of(body),
        subjects=(str(body.joint),),
        joint=joint,
        stiffness=stiffness,
        dissipation=damping,
    )
    scale = (1.0 - _IMPEDANCE) * w
    return {"solreflimit": (-stiffness * scale, -damping * scale), "solimplimit": (_IMPEDANCE, _IMPEDANCE, 0.001)}


def _inverse_inertia(dof: int, mechanism: Mechanism) -> float:
    """Return a diagonal element of the inverse mass matrix at zero; 0 if that is not positive and finite everywhere."""
    at_zero = mechanism.mass_matrix_at_zero
    if at_zero is None or at_zero.inverse is None:
        return 0.0
    diagonal = np.diag(at_zero.inverse)
    is_valid = np.all(np.isfinite(diagonal)) and diagonal.min(initial=1.0) > 0.0
    return float(diagonal[dof]) if is_valid else 0.0
