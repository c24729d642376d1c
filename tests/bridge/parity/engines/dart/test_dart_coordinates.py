"""Positions and velocities come back from DART as they were set."""

from __future__ import annotations

import pytest

import bridge
from bridge.parity.engines.dart.engine import DartEngine
from bridge.parity.quantity import matrix, pose_distance
from bridge.parity.states import random_states
from loaders.model import JointType
from tests.support.scenes import MOVING, random_scene

pytest.importorskip("dartpy")


@pytest.mark.parametrize("kinds", [MOVING, (JointType.BALL,), (JointType.SCREW, JointType.PLANAR)])
def test_states_come_back(kinds: tuple[JointType, ...]) -> None:
    mechanism = bridge.lower(random_scene(7, fixed=False, kinds=kinds))
    dart = DartEngine(mechanism)
    q, v = random_states(mechanism, 1, 7)[0]
    dart.set_state(q, v)
    poses = mechanism.link_poses(dart.positions())
    for name, X in mechanism.link_poses(q).items():
        assert pose_distance(matrix(poses[name]), matrix(X), 0.0) < 1e-12
    assert dart.velocities() == pytest.approx(mechanism.velocities(v), abs=1e-12)
    dart.close()
