"""Keyframes: the positions of joints, by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from loaders.diagnostics import Fate
from loaders.mjcf.compilation.source import Source
from loaders.model import Keyframe

from .joints import BALL, FREE


def read_keyframes(source: Source) -> tuple[Keyframe, ...]:
    """Return the keyframes of a model; report what they state besides positions of joints."""
    return tuple(_keyframe(k, source) for k in range(source.model.nkey))


def _keyframe(k: int, source: Source) -> Keyframe:
    model, names = source.model, source.names("joint")
    _report_rest(k, source)
    return Keyframe(
        name=source.names("key")[k],
        joints=tuple(names[j] for j in range(model.njnt)),
        positions=tuple(_position(k, j, model) for j in range(model.njnt)),
        where=source.where("key", k),
    )


def _position(k: int, j: int, model: Any) -> tuple[float, ...]:
    """Return the position of a joint; that of a free joint is the pose of its body in the world."""
    start, size = int(model.jnt_qposadr[j]), _SIZES.get(int(model.jnt_type[j]), 1)
    return tuple(model.key_qpos[k][start : start + size])


_SIZES = {FREE: 7, BALL: 4}
"""Length of a position in ``qpos``, where it is not 1."""


def _report_rest(k: int, source: Source) -> None:
    """Report velocities, controls, activations and the poses of mocap bodies."""
    model, name = source.model, source.names("key")[k]
    stated = [key for key in ("qvel", "act", "ctrl") if np.any(getattr(model, f"key_{key}")[k])]
    bodies = [b for b in range(model.nbody) if model.body_mocapid[b] >= 0]
    drawn = np.array([(*model.body_pos[b], *model.body_quat[b]) for b in bodies]).reshape(-1, 7)
    for key, initial in (("mpos", drawn[:, :3]), ("mquat", drawn[:, 3:])):
        if not np.allclose(np.ravel(getattr(model, f"key_{key}")[k]), initial.ravel(), rtol=0.0, atol=1e-12):
            stated.append(key)
    if stated:
        source.diagnostics.add(
            Fate.NOTED,
            "mjcf-in.keyframe",
            "keyframe {name}: {stated} is not carried; only positions of joints are",
            source.where("key", k),
            subjects=(name,),
            name=name,
            stated=tuple(stated),
        )
