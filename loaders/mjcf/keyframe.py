"""Keyframes: positions and velocities of joints, controls and states of actuators, poses of mocap
bodies, by name.
"""

from __future__ import annotations

from typing import Any

from loaders.model import Keyframe
from loaders.pose import quaternion_to_matrix

from .actuator import carried_actuators
from .body import BALL, FREE
from .compiled_model import Source


def read_keyframes(source: Source) -> tuple[Keyframe, ...]:
    """Return the keyframes of a model."""
    return tuple(_keyframe(k, source) for k in range(source.model.nkey))


def _keyframe(k: int, source: Source) -> Keyframe:
    model, poses = source.model, _poses(k, source)
    controls, activations = model.key_ctrl[k], model.key_act[k]
    actuators = carried_actuators(source) if any(controls) or any(activations) else []
    positions = _positions(k, model)
    return Keyframe(
        name=source.names("key")[k],
        joints=source.names("joint"),
        positions=positions,
        velocities=_velocities(k, positions, model),
        actuators=tuple(source.names("actuator")[i] for i in actuators),
        controls=tuple(_slice(controls, *_controls(i, model)) for i in actuators),
        activations=tuple(
            _slice(activations, model.actuator_actadr[i], model.actuator_actnum[i])
            for i in actuators
        ),
        links=tuple(poses),
        poses=tuple(poses.values()),
        where=source.where("key", k),
    )


def _positions(k: int, model: Any) -> tuple[tuple[float, ...], ...]:
    """Return the position of each joint; that of a free joint is the pose of its body in the
    world.
    """
    values = model.key_qpos[k]
    places = zip(model.jnt_qposadr, model.jnt_type, strict=True)
    return tuple([tuple(values[start : start + _SIZES.get(kind, 1)]) for start, kind in places])


def _velocities(
    k: int, positions: tuple[tuple[float, ...], ...], model: Any
) -> tuple[tuple[float, ...], ...]:
    """Return the velocity of each joint; nothing if all are zero."""
    values = model.key_qvel[k]
    if not any(values):
        return ()
    places = zip(model.jnt_dofadr, model.jnt_type, positions, strict=True)
    return tuple(_velocity(values, start, kind, position) for start, kind, position in places)


def _velocity(
    values: list[float], start: int, kind: int, position: tuple[float, ...]
) -> tuple[float, ...]:
    """Return the velocity of a joint; angular ones of MuJoCo are in the axes of the body, those of
    a scene are not.
    """
    if kind not in _SIZES:
        return _slice(values, start, 1)
    linear = _slice(values, start, 3) if kind == FREE else ()
    R = quaternion_to_matrix(position[-4:])
    return (*linear, *(R @ _slice(values, start + len(linear), 3)).tolist())


def _controls(i: int, model: Any) -> tuple[int, int]:
    """Return the first control of an actuator, and their number, which is 1 in older versions of
    MuJoCo.
    """
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
