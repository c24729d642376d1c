"""Level L0: how stops yield, and limits of speed, read from the running engines."""

from __future__ import annotations

import numpy as np

from bridge.mechanism import Mechanism
from bridge.parity.engines.dofs import scalar_dofs, without_sentinel
from bridge.parity.engines.protocol import Dof, Engine, NotReportedError
from bridge.parity.levels.quantities import Quantity, Readings, absolute, dof_place, relative
from bridge.parity.results.verdict import Level
from loaders.model import JointAxis


def _compliance(engine: Engine, mechanism: Mechanism) -> Readings:
    """Read how far a limited joint yields beyond its stop per effort [rad/(N m) or m/N]; zero for a hard stop."""
    limited = _limited_axes(mechanism)
    if engine.name == "reference":
        stated = {dof: axis.limit_stiffness for dof, axis in limited.items()}
        return {dof_place(dof): np.array([1.0 / k if k else 0.0]) for dof, k in stated.items()}
    read = getattr(engine, "stop_compliance", None)
    if read is None:
        raise NotReportedError(f"{engine.name} does not report it")
    found = read()
    return {dof_place(dof): np.array([found[dof]]) for dof in limited if dof in found}


def _settings(engine: Engine, mechanism: Mechanism) -> Readings:
    """Read the limits and the softness of stops as MuJoCo has them, if the source states those."""
    read = getattr(engine, "stop_settings", None)
    if read is None:
        raise NotReportedError(f"{engine.name} has no stops of MuJoCo")
    found = read() if mechanism.scene.physics.engine == "mujoco" else {}
    return {dof_place(dof): numbers for dof, numbers in found.items()}


def _limited_axes(mechanism: Mechanism) -> dict[Dof, JointAxis]:
    """The axes with a range; none if the source states stops by the settings of MuJoCo's solver."""
    if mechanism.scene.physics.engine == "mujoco":
        return {}
    axes = ((dof, scalar.primitive.limits) for dof, scalar in scalar_dofs(mechanism).items())
    return {
        dof: axis
        for dof, axis in axes
        if axis is not None
        and axis.lower < axis.upper
        and np.isfinite((without_sentinel(axis.lower), without_sentinel(axis.upper))).any()
    }


def _states_stops(mechanism: Mechanism) -> bool:
    return any(axis.limit_stiffness for joint in mechanism.scene.joints for axis in joint.axes)


def _velocity_limits(engine: Engine, mechanism: Mechanism) -> Readings:
    axes = {dof: scalar.primitive.limits for dof, scalar in scalar_dofs(mechanism).items()}
    stated = {dof: axis.velocity for dof, axis in axes.items() if axis is not None and np.isfinite(axis.velocity)}
    if engine.name == "reference":
        return {dof_place(dof): np.array([limit]) for dof, limit in stated.items()}
    read = getattr(engine, "velocity_limits", None)
    if read is None:
        raise NotReportedError(f"{engine.name} has no limits of speed")
    found = read()
    return {dof_place(dof): np.array([found[dof]]) for dof in stated if dof in found}


def _enforced_limits(engine: Engine, _mechanism: Mechanism) -> Readings:
    """Read the speeds at which an engine cuts off joints; no model states any."""
    read = getattr(engine, "enforced_speed_limits", None)
    return {} if read is None else {dof_place(dof): np.array([limit]) for dof, limit in read().items()}


STOP_QUANTITIES = (
    Quantity(
        level=Level.MODEL, name="compliance of stops", unit="rad/(N m) or m/N", error=absolute, read=_compliance,
        is_stated=_states_stops, causes=frozenset({"mjcf.rigid-stops", "mjcf.yielding-stops", "mjcf.empty-range"}),
    ),
    Quantity(
        level=Level.MODEL, name="settings of stops", unit="", error=relative, read=_settings,
        is_stated=lambda _mechanism: False,
    ),
    Quantity(
        level=Level.MODEL, name="velocity limits", unit="", error=relative, read=_velocity_limits,
        is_stated=lambda _mechanism: False,
    ),
    Quantity(
        level=Level.MODEL, name="enforced limits of speed", unit="rad/s or m/s", error=absolute, read=_enforced_limits,
        is_stated=lambda _mechanism: False,
    ),
)  # fmt: skip
"""The quantities in the order of the report.

Limits of speed, which no engine enforces, are conditions of the verdict, and only MuJoCo has its settings of stops: a
row without them leaves no gap.
"""
