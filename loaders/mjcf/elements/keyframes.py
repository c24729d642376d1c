"""Keyframes: positions and velocities of joints, controls and states of actuators, poses of mocap bodies, by name."""

from __future__ import annotations

from typing import Any

from loaders.mjcf.compilation.source import Source
from loaders.model import Keyframe
from loaders.spatial import quaternion_to_matrix

from .actuators import carried_actuators
from .joints import BALL, FREE


def read_keyframes(source: Source) -> tuple[Keyframe, ...]:
    """Return the keyframes of a model."""
    return tuple(_keyframe(k, source) for k in range(source.model.nkey))


def _keyframe(k: int, source: Source) -> Keyframe:
    model, names = source.model, source.names("joint")
    joints, poses = range(model.njnt), _poses(k, source)
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
        links=tuple(poses),
        poses=tuple(poses.values()),
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
_ROUNDING = 1e-12
"""Largest difference of poses that are the same."""


def _poses(k: int, source: Source) -> dict[str, tuple[float, ...]]:
    """Return the pose of each mocap body that a keyframe moves, by the name of its link."""
    model, found = source.model, {}
    for b, i in enumerate(model.body_mocapid):
        if i >= 0:
            stated = (*_slice(model.key_mpos[k], 3 * i, 3), *_slice(model.key_mquat[k], 4 * i, 4))
            drawn = (*model.body_pos[b], *model.body_quat[b])
            if any(abs(x - y) > _ROUNDING for x, y in zip(stated, drawn, strict=True)):
                found[source.link(b)] = stated
    return found
