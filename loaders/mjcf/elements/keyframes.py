"""Keyframes: the positions of hinges and slides, by name."""

from __future__ import annotations

import numpy as np

from loaders.diagnostics import Fate
from loaders.mjcf.compilation.source import Source
from loaders.model import Keyframe

from .joints import HINGE, SLIDE


def read_keyframes(source: Source) -> tuple[Keyframe, ...]:
    """Return the keyframes of a model; report what they state besides positions of hinges and slides."""
    return tuple(_keyframe(k, source) for k in range(source.model.nkey))


def _keyframe(k: int, source: Source) -> Keyframe:
    model, names = source.model, source.names("joint")
    scalar = [j for j in range(model.njnt) if model.jnt_type[j] in {SLIDE, HINGE}]
    _report_rest(k, source)
    return Keyframe(
        name=source.names("key")[k],
        joints=tuple(names[j] for j in scalar),
        positions=tuple((float(model.key_qpos[k, model.jnt_qposadr[j]]),) for j in scalar),
        where=source.where("key", k),
    )


def _report_rest(k: int, source: Source) -> None:
    """Report velocities, controls, activations and the positions of free and ball joints and of mocap bodies."""
    model, name = source.model, source.names("key")[k]
    stated = [key for key in ("qvel", "act", "ctrl") if np.any(getattr(model, f"key_{key}")[k])]
    turning = [j for j in range(model.njnt) if model.jnt_type[j] not in {SLIDE, HINGE}]
    for j in turning:
        first, size = int(model.jnt_qposadr[j]), 7 if model.jnt_type[j] == 0 else 4
        if not np.array_equal(model.key_qpos[k, first : first + size], model.qpos0[first : first + size]):
            stated.append(f"qpos of {source.names('joint')[j]}")
    if stated:
        source.diagnostics.add(
            Fate.NOTED,
            "mjcf-in.keyframe",
            "keyframe {name}: {stated} is not carried; only positions of hinges and slides are",
            source.where("key", k),
            subjects=(name,),
            name=name,
            stated=tuple(stated),
        )
