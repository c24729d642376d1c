"""Twelve differences between an arm and its model, planted in logs that Drake and DART make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.support.foreign_logs import Arm, in_dart, in_drake

MODEL = Arm()
BARE = Arm(armature=(0.0, 0.0, 0.0))


@dataclass(frozen=True, kw_only=True)
class Planted:
    """The arm that moves, its model, and what must be named."""

    arm: Arm
    model: Arm = MODEL
    simulate: Callable[..., Any] = in_drake
    kind: str
    subjects: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


def turned(roll: float, pitch: float) -> tuple[float, float, float]:
    """Gravity in a base that is turned about its x axis, then about the y axis of the world."""
    import numpy as np
    from scipy.spatial.transform import Rotation

    R_WB = Rotation.from_euler("y", pitch) * Rotation.from_euler("x", roll)
    return tuple((R_WB.inv().apply(np.array(MODEL.gravity))).tolist())


PLANTED = {
    "gains in other units": Planted(
        arm=replace(MODEL, p=tuple(0.25 * p for p in MODEL.p)),
        kind="position gain", values=(0.25,),
    ),
    "gain of one joint": Planted(
        arm=replace(BARE, d=(4.0, 4.0, 3.1)), model=BARE, simulate=in_dart,
        kind="velocity gain", subjects=("elbow",), values=(3.1,),
    ),
    "effort clamp": Planted(
        arm=replace(MODEL, effort=(60.0, 8.0, 40.0)),
        kind="effort limit", subjects=("shoulder",), values=(8.0,),
    ),
    "armature missing": Planted(
        arm=MODEL, model=replace(MODEL, armature=(0.02, 0.0, 0.01)), options={"efforts": True},
        kind="armature", subjects=("shoulder",), values=(0.015,),
    ),
    "damping missing": Planted(
        arm=replace(BARE, damping=(0.05, 0.9, 0.04)), model=BARE, simulate=in_dart,
        options={"efforts": True}, kind="damping", subjects=("shoulder",), values=(0.9,),
    ),
    "Coulomb friction": Planted(
        arm=replace(BARE, friction=(0.0, 0.0, 0.8)), model=BARE, simulate=in_dart,
        kind="friction", subjects=("elbow",), values=(0.8,),
    ),
    "delay": Planted(arm=replace(MODEL, delay=3), kind="delay of commands", values=(0.006,)),
    "order": Planted(
        arm=replace(MODEL, order=(0, 2, 1)), kind="order of joints", subjects=("shoulder", "elbow")
    ),
    "sign": Planted(
        arm=replace(BARE, sign=(1.0, -1.0, 1.0)), model=BARE, simulate=in_dart,
        kind="sign", subjects=("shoulder",),
    ),
    "gravity off": Planted(arm=replace(MODEL, gravity=(0.0, 0.0, 0.0)), kind="gravity off"),
    "gravity turned": Planted(
        arm=replace(BARE, gravity=turned(0.2, -0.15)), model=BARE, simulate=in_dart,
        kind="gravity turned", values=(0.2, -0.15),
    ),
    "payload": Planted(
        arm=replace(MODEL, masses=(2.0, 1.5, 1.4)), kind="mass", subjects=("l2",), values=(1.4,)
    ),
}  # fmt: skip
