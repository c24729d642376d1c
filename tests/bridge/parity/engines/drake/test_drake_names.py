"""Positions of Drake's joints are those of the mechanism: there and back, for every type of
joint.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity.engines.drake.engine import DrakeEngine
from bridge.parity.quantity import matrix, pose_distance
from bridge.parity.states import random_states

pytest.importorskip("pydrake")

ASSETS = Path(__file__).parents[5] / "assets"

BALL_AND_BASE = (
    "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/>"
    "<joint name='j' type='ball'><parent>a</parent><child>b</child></joint></model></sdf>"
)


@pytest.mark.parametrize("model", ["leg.sdf", "ball"])
def test_positions_and_velocities_come_back(model: str, tmp_path: Path) -> None:
    path = ASSETS / model
    if model == "ball":
        path = tmp_path / "ball.sdf"
        path.write_text(BALL_AND_BASE, encoding="utf-8")
    mechanism = bridge.lower(loaders.load(path))
    engine = DrakeEngine(mechanism)
    q, v = random_states(mechanism, 1, 3)[0]
    engine.set_state(q, v)
    poses = mechanism.link_poses(engine.positions())
    assert (
        max(
            pose_distance(matrix(X), matrix(mechanism.link_poses(q)[n]), 0.0)
            for n, X in poses.items()
        )
        < 1e-12
    )
    assert engine.velocities() == pytest.approx(mechanism.velocities(v), abs=1e-12)
    assert set(engine.positions()) == {name for name, _ in mechanism.v_order}
    assert all(np.isfinite(np.atleast_1d(value)).all() for value in engine.positions().values())
