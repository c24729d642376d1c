"""Keyframes: the positions and velocities of joints, and the controls and states of actuators, by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from loaders.diagnostics import Fate
from loaders.mjcf.compilation.source import Source
from loaders.model import Keyframe
from loaders.spatial import quaternion_to_matrix

from .actuators import carried_actuators
from .joints import BALL, FREE


def read_keyframes(source: Source) -> tuple[Keyframe, ...]:
    """Return the keyframes of a model; report the poses of mocap bodies that they state."""
    return tuple(_keyframe(k, source) for k in range(source.model.nkey))


def _keyframe(k: int, source: Source) -> Keyframe:
    model, names = source.model, source.names("joint")
    _report_poses(k, source)
    joints = range(model.njnt)
    has_state = any(model.key_ctrl[k]) or any(model.key_act[k])
    actuators = carried_actuators(source) if has_state else []
    return Keyframe(
        name=source.names("key")[k],
        joints=tuple(names[j] for j in joints),
        positions=tuple(_position(k, j, model) for j in joints),
        velocities=tuple(_velocity(k, j, model) for j in joints) if any(model.key_qvel[k]) else (),
        actuators=tuple(source.names("actuator")[i] for i in actuators),
        controls=tuple(_slice(model.key_ctrl[k], *_controls(i, model)) for i in actuators),
        activations=tuple(
            _slice(model.key_act[k], model.actuator_actadr[i], model.actuator_actnum[i]) for i in actuators
        ),
        where=source.where("key", k),
    )


def _position(k: int, j: int, model: Any) -> tuple[float, ...]:
    """Return the position of a joint; that of a free joint is the pose of its body in the world."""
    return _slice(model.key_qpos[k], model.jnt_qposadr[j], _SIZES.get(int(model.jnt_type[j]), 1))


def _velocity(k: int, j: int, model: Any) -> tuple[float, ...]:
    """Return the velocity of a joint; angular ones of MuJoCo are in the axes of the body, those of a scene are not."""
    kind, start = int(model.jnt_type[j]), model.jnt_dofadr[j]
    if kind not in _SIZES:
        return _slice(model.key_qvel[k], start, 1)
    linear = _slice(model.key_qvel[k], start, 3) if kind == FREE else ()
    R = quaternion_to_matrix(_position(k, j, model)[-4:])
    return (*linear, *(R @ _slice(model.key_qvel[k], start + len(linear), 3)).tolist())


def _controls(i: int, model: Any) -> tuple[int, int]:
    """Return the first control of an actuator, and their number, which is 1 in older versions of MuJoCo."""
    addresses = getattr(model, "actuator_ctrladr", None)
    return (i, 1) if addresses is None else (int(addresses[i]), int(model.actuator_ctrlnum[i]))


def _slice(values: list[float], start: int, count: int) -> tuple[float, ...]:
    return tuple(values[start : start + count])


_SIZES = {FREE: 7, BALL: 4}
"""Length of a position in ``qpos``, where it is not 1."""


def _report_poses(k: int, source: Source) -> None:
    """Report the poses of mocap bodies."""
    model, name = source.model, source.names("key")[k]
    bodies = [b for b in range(model.nbody) if model.body_mocapid[b] >= 0]
    drawn = np.array([(*model.body_pos[b], *model.body_quat[b]) for b in bodies]).reshape(-1, 7)
    stated = []
    for key, initial in (("mpos", drawn[:, :3]), ("mquat", drawn[:, 3:])):
        if not np.allclose(np.ravel(getattr(model, f"key_{key}")[k]), initial.ravel(), rtol=0.0, atol=1e-12):
            stated.append(key)
    if stated:
        source.diagnostics.add(
            Fate.NOTED,
            "mjcf-in.keyframe",
            "keyframe {name}: {stated} is not carried; mocap bodies are where the file draws them",
            source.where("key", k),
            subjects=(name,),
            name=name,
            stated=tuple(stated),
        )
