"""Skeletons of DART have the joints, poses and inertias of the mechanism, for trees of all types of
joint.
"""

from __future__ import annotations

import numpy as np
import pytest

import bridge
from bridge.parity.engines.dart.engine import DartEngine
from bridge.parity.quantity import matrix
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states
from tests.support.scenes import random_scene

pytest.importorskip("dartpy")


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_random_trees_have_the_kinematics_and_dynamics_of_the_reference(
    seed: int, fixed: bool
) -> None:
    mechanism = bridge.lower(
        random_scene(seed, fixed=fixed, axis={"damping": 0.3, "lower": -2.0, "upper": 3.0})
    )
    dart, reference = DartEngine(mechanism), ReferenceEngine(mechanism)
    state = random_states(mechanism, 1, seed)[0]
    accelerations = np.random.default_rng(seed).uniform(-1.0, 1.0, len(mechanism.v_order))
    for engine in (dart, reference):
        engine.set_state(*state)
    for name, X in reference.link_poses().items():
        assert matrix(dart.link_poses()[name]) == pytest.approx(matrix(X), abs=1e-12)
        assert dart.jacobians()[name] == pytest.approx(reference.jacobians()[name], abs=1e-12)
    assert dart.mass_matrix() == pytest.approx(reference.mass_matrix(), abs=1e-11)
    assert dart.inverse_dynamics(accelerations) == pytest.approx(
        reference.inverse_dynamics(accelerations), abs=1e-9
    )
    assert dart.joint_parameters() == reference.joint_parameters()
    for name, inertia in reference.inertias().items():
        assert dart.inertias()[name].mass == pytest.approx(inertia.mass, rel=1e-14)
        assert dart.inertias()[name].I_Lcm == pytest.approx(inertia.I_Lcm, rel=1e-12, abs=1e-15)
    dart.close()


def test_gravity_and_time_step_are_those_of_the_world() -> None:
    scene = random_scene(1, fixed=True, size=2)
    mechanism = bridge.lower(scene)
    settings = DartEngine(mechanism).settings()
    assert settings.gravity.tolist() == list(scene.gravity)
    assert settings.time_step == scene.physics.time_step
