"""The actuators of a plant of Drake."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.parity.engines.stated.actuator_trials import ActuatorTrial
from loaders.spatial import Array


def efforts_in_drake(plant: Any, joints: Mapping[str, Any], trials: Mapping[str, ActuatorTrial]) -> dict[str, Array]:
    """Return the efforts that follow from the limits and gains of the plant, for joints that have an actuator there.

    Args:
        plant: The plant.
        joints: Drake's joints by name.
        trials: The trials by joint.
    """
    found = (plant.get_joint_actuator(index) for index in plant.GetJointActuatorIndices())
    actuators = {int(actuator.joint().index()): actuator for actuator in found}
    driven = {name: actuators.get(int(joints[name].index())) for name in trials if name in joints}
    return {
        name: trials[name].efforts(float(actuator.effort_limit()), _gains(actuator))
        for name, actuator in driven.items()
        if actuator is not None
    }


def _gains(actuator: Any) -> tuple[float, float] | None:
    if not actuator.has_controller():
        return None
    gains = actuator.get_controller_gains()
    return float(gains.p), float(gains.d)
