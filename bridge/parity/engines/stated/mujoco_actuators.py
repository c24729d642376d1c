"""Efforts and laws of the actuators of compiled MuJoCo models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bridge.mjcf.xml.options import Actuators
from bridge.parity.engines.compiled.view import actuator_numbers
from loaders.spatial import Array

from .actuator_trials import ActuatorTrial

_LAW = (
    "gear", "gaintype", "gainprm", "biastype", "biasprm", "dyntype", "dynprm", "trntype", "ctrllimited", "ctrlrange",
    "forcelimited", "forcerange", "actlimited", "actrange", "actnum", "damping", "dampingpoly", "delay",
    "history",
)  # fmt: skip
"""Arrays of a compiled model, without their prefix, that determine the force of an actuator.

An actuator with a fixed gain has one control, whatever its signature (``ctrlspec``) calls it.
"""


def efforts_in_mujoco(
    mujoco: Any,
    compile_with: Callable[[Actuators], Any],
    joints: Mapping[str, tuple[int, float]],
    trials: Mapping[str, ActuatorTrial],
) -> dict[str, Array]:
    """Return the efforts at the joints after the commands of their trials.

    Args:
        mujoco: The module.
        compile_with: Returns the compiled export with actuators of a kind.
        joints: Joint id and ratio of the coordinates of each joint.
        trials: The trials by joint.
    """
    motors = compile_with("motor")
    has_gains = any(trial.gains is not None for trial in trials.values())
    servos = compile_with("position") if has_gains else None
    found = {}
    for name, trial in trials.items():
        joint, ratio = joints[name]
        at_rest = [(motors, c * ratio, 0.0) for c in trial.commands]
        if trial.gains is not None:
            at_rest.append((servos, (trial.position + trial.displacement) * ratio, 0.0))
            at_rest.append((servos, trial.position * ratio, trial.speed * ratio))
        forces = [_force(mujoco, m, joint, trial.position * ratio, c, v) for m, c, v in at_rest]
        found[name] = np.array(forces) * ratio
    return found


def _force(mujoco: Any, model: Any, joint: int, position: float, control: float, velocity: float) -> float:
    """The force of the actuators of one joint, in the coordinate of the MJCF joint."""
    data = mujoco.MjData(model)
    data.qpos[model.jnt_qposadr[joint]] = position
    data.qvel[model.jnt_dofadr[joint]] = velocity
    data.ctrl[_of_joint(mujoco, model, joint)] = control
    mujoco.mj_forward(model, data)
    return float(data.qfrc_actuator[model.jnt_dofadr[joint]])


def _of_joint(mujoco: Any, model: Any, joint: int) -> Array:
    """Return whether each actuator drives a joint, shape (nu,)."""
    return np.asarray((model.actuator_trntype == mujoco.mjtTrn.mjTRN_JOINT) & (model.actuator_trnid[:, 0] == joint))


def driving_actuators(
    mujoco: Any, model: Any, joints: Mapping[str, tuple[int, float]]
) -> dict[str, tuple[Array, float]]:
    """Return which actuators drive each joint and the ratio of its coordinate; all others lose their gains.

    Args:
        mujoco: The module.
        model: The compiled model.
        joints: Joint id and ratio of the coordinates of each joint.
    """
    found = {name: (_of_joint(mujoco, model, joint), ratio) for name, (joint, ratio) in joints.items()}
    idle = ~np.any([numbers for numbers, _ in found.values()], axis=0)
    model.actuator_gainprm[idle] = model.actuator_biasprm[idle] = 0.0
    return found


def laws_in_mujoco(model: Any) -> list[Array]:
    """Return the numbers that determine the force of each actuator of a compiled model, in its order.

    Args:
        model: The compiled model.
    """
    kinds = [int(kind) for kind in model.actuator_gaintype]
    return [actuator_numbers(model, i, *_LAW, *(("ctrlspec",) if kind else ())) for i, kind in enumerate(kinds)]
