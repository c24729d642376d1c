"""DART's steps are those of the semi-implicit Euler method, converge to closed forms, and keep what
was set.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.mechanism import Mechanism
from bridge.parity import BaseEngine, Outcome, Verdict, compare
from bridge.parity.engines.dart.engine import DartEngine
from bridge.parity.engines.dart.worker import DartSimulation
from bridge.parity.quantity import matrix, pose_distance
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states, without_solver_effects
from loaders.model import WORLD, JointType
from tests.support.scenes import MOVING, joint, link, random_scene, scene

pytest.importorskip("dartpy")


# DART's steps are those of the semi-implicit Euler method; as exported, its motion converges to
# closed forms.

AXIS = {
    "damping": 0.4,
    "spring_stiffness": 8.0,
    "spring_reference": 0.2,
    "lower": -2.0,
    "upper": 2.5,
}


@pytest.mark.parametrize("fixed", [True, False])
def test_steps_are_those_of_the_reference(fixed: bool) -> None:
    axis = {"damping": 0.1, "spring_stiffness": 1.0}
    kinds = (
        JointType.REVOLUTE,
        JointType.BALL,
        JointType.UNIVERSAL,
        JointType.PLANAR,
        JointType.PRISMATIC,
    )
    mechanism = without_solver_effects(
        bridge.lower(random_scene(3, fixed=fixed, kinds=kinds, size=4, axis=axis))
    )
    engines = DartEngine(mechanism), ReferenceEngine(mechanism)
    state = random_states(mechanism, 1, 0)[0]
    for engine in engines:
        engine.set_step(5e-3)  # DART cuts the series of rotations below 1e-3 rad per step
        engine.set_state(*state)
        engine.step(20)
    poses, expected = (engine.link_poses() for engine in engines)
    for name, X in expected.items():
        assert matrix(poses[name]) == pytest.approx(matrix(X), abs=1e-12)
    engines[0].close()


def hinge(**axis: Any) -> Mechanism:
    return bridge.lower(
        scene([link("a")], [joint("j", WORLD, "a", xyz=(0, 1, 0), axis=axis)], gravity=np.zeros(3))
    )


def test_own_springs_and_dampers_converge_to_the_oscillation() -> None:
    mechanism = hinge(damping=0.1, spring_stiffness=8.0)
    inertia = float(mechanism.mass_matrix()[0, 0])
    decay = 0.1 / (2 * inertia)
    frequency = math.sqrt(8.0 / inertia - decay**2)
    exact = 0.3 * math.exp(-0.5 * decay)
    exact *= math.cos(0.5 * frequency) + decay / frequency * math.sin(0.5 * frequency)
    errors = []
    for step in (2e-3, 2.5e-4):
        dart = DartEngine.as_exported(mechanism)
        dart.set_step(step)
        dart.set_state({"j": 0.3}, {})
        dart.step(round(0.5 / step))
        errors.append(abs(float(np.ravel(dart.positions()["j"])[0]) - exact))
        dart.close()
    assert errors[1] < 0.2 * errors[0] < 0.02


def test_dry_friction_stops_a_hinge_where_it_should() -> None:
    mechanism = hinge(friction=0.5)
    inertia = float(mechanism.mass_matrix()[0, 0])
    dart = DartEngine.as_exported(mechanism)
    dart.set_step(2.5e-4)
    dart.set_state({"j": 0.0}, {"j": 2.0})
    dart.step(round(2.0 / 2.5e-4))
    stopped = 2.0**2 * inertia / (2.0 * 0.5)
    assert float(np.ravel(dart.positions()["j"])[0]) == pytest.approx(stopped, rel=2e-3)
    assert abs(float(dart.velocities()[0])) < 1e-9
    dart.close()


@pytest.mark.slow
def test_a_comparison_with_mujoco_is_equivalent() -> None:
    links = [link("a"), link("b")]
    joints = [
        joint("j", WORLD, "a", xyz=(0, 1, 0), axis=AXIS),
        joint("k", "a", "b", xyz=(0, 1, 0), axis=AXIS),
    ]
    found = compare(scene(links, joints), ("mujoco", "dart"), configurations=2)
    assert found.verdict is Verdict.EQUIVALENT, found.failures
    assert {"mass matrix", "one step", "exported motion", "stops in motion"} <= {
        row.quantity
        for row in found.rows
        if "dart" in row.engines and row.outcome is Outcome.PASSED
    }


# --- faults in the running skeleton ---------------------------------------------------------------


def faulty(change: Any) -> Any:
    """A factory of skeletons in this process, which are changed after they are built."""

    class Faulty(DartSimulation, BaseEngine):
        name, version, diagnostics = "dart", "", ()

        def __init__(self, mechanism: Mechanism, *, as_exported: bool = False) -> None:
            super().__init__(mechanism, as_exported=as_exported)
            change(self.skeleton)

        @classmethod
        def as_exported(cls, mechanism: Mechanism) -> Any:
            return cls(mechanism, as_exported=True)

        def close(self) -> None:
            """Nothing is open."""

    return Faulty


def heavier(skeleton: Any) -> None:
    skeleton.getBodyNode("b").setMass(1.01 * skeleton.getBodyNode("b").getMass())


def turned(skeleton: Any) -> None:
    skeleton.getJoint(0).setAxis(np.array([math.sin(1e-3), math.cos(1e-3), 0.0]))


def moved(skeleton: Any) -> None:
    X = skeleton.getJoint(1).getTransformFromParentBodyNode()
    X.set_translation(np.asarray(X.translation()) + np.array([1e-3, 0.0, 0.0]))
    skeleton.getJoint(1).setTransformFromParentBodyNode(X)


def unlimited(skeleton: Any) -> None:
    skeleton.getJoint(1).setPositionLowerLimit(0, -9.0)
    skeleton.getJoint(1).setPositionUpperLimit(0, 9.0)


def weightless(skeleton: Any) -> None:
    skeleton.getBodyNode("b").setGravityMode(False)


def rubbing(skeleton: Any) -> None:
    skeleton.getJoint(1).setCoulombFriction(0, 0.2)


FAULTS = {
    "mass": heavier,
    "joint motion": turned,
    "link poses": moved,
    "stops in motion": unlimited,
    "bias forces": weightless,
    "exported motion": rubbing,
}


@pytest.mark.slow
@pytest.mark.parametrize("quantity", FAULTS)
def test_a_fault_in_the_running_skeleton_is_found(quantity: str) -> None:
    links = [link("a"), link("b")]
    axis = {"lower": -0.3, "upper": 0.3} if quantity == "stops in motion" else AXIS
    joints = [
        joint("j", WORLD, "a", xyz=(0, 1, 0), axis=axis),
        joint("k", "a", "b", xyz=(0, 1, 0), axis=axis),
    ]
    levels = ("L2",) if "motion" in quantity and quantity != "joint motion" else ("L0", "L1")
    found = compare(
        scene(links, joints), ("mujoco", faulty(FAULTS[quantity])), levels=levels, configurations=1
    )
    assert found.verdict is Verdict.DIFFERS
    assert quantity in {row.quantity for row in found.failures}


# Positions and velocities come back from DART as they were set.


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
