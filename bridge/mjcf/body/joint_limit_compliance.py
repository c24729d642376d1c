"""Joint limits that yield: a stop's stiffness and damping as MuJoCo's ``solreflimit``.

MuJoCo scales the spring of a limit by the inertia that the joint sees at the zero configuration. With an impedance
``d`` and that inertia's inverse ``w``, a stiffness K is ``solreflimit = -K (1 - d) w``; a damping goes the same way.
While the stop is touched the joint moves as if its inertia were ``1 / (1 - d)`` times what it is: hence a small ``d``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate, Where
from loaders.model import JointAxis
from loaders.spatial import Array

_IMPEDANCE = 0.01
_MOST_FREEDOMS = 1000
"""Above it the mass matrix is not worth the time."""
_STIFFEST = 0.25
"""Of stiffness times inverse inertia times the step squared: beyond it the integrator shakes."""


def inverse_inertias(mechanism: Mechanism) -> Array | None:
    """The diagonal of the inverse mass matrix at the zero configuration; None if no stop needs it or it is singular."""
    yielding = any(axis.limit_stiffness is not None for joint in mechanism.scene.joints for axis in joint.axes)
    if not yielding or len(mechanism.v_order) > _MOST_FREEDOMS:
        return None
    try:
        diagonal: Array = np.diag(np.linalg.inv(mechanism.mass_matrix()))
    except np.linalg.LinAlgError:
        return None
    return diagonal if np.all(np.isfinite(diagonal)) and diagonal.min(initial=1.0) > 0.0 else None


def stop_attributes(
    axis: JointAxis, component: int, name: str, inverses: Array | None, where: Where, context: Context
) -> dict[str, Any]:
    """``solreflimit`` and ``solimplimit`` of a joint whose source states how its stops yield; else nothing."""
    if axis.limit_stiffness is None and axis.limit_dissipation is None:
        return {}
    stated = f"stiffness {axis.limit_stiffness} and dissipation {axis.limit_dissipation} of the stops of joint {name}"
    stiffness, damping = axis.limit_stiffness or 0.0, axis.limit_dissipation or 0.0
    w = 0.0 if inverses is None else float(inverses[component])
    step = context.time_step
    if not 0.0 < stiffness * w * step**2 < _STIFFEST or not damping * w * step < 1.0:
        context.report(
            Fate.APPROXIMATED,
            "rigid-stops",
            ("{stated} are beyond what the time step can hold; the stops are as hard as MuJoCo's solver allows"),
            where,
            stated=stated,
        )
        return {}
    context.report(
        Fate.APPROXIMATED,
        "yielding-stops",
        "{stated} are exact for the inertia that it sees at the zero configuration",
        where,
        stated=stated,
    )
    scale = (1.0 - _IMPEDANCE) * w
    return {"solreflimit": (-stiffness * scale, -damping * scale), "solimplimit": (_IMPEDANCE, _IMPEDANCE, 0.001)}
