"""Stops hold in motion; states away from stops are within the limits, move slowly, and keep
couplings.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.parity import Outcome
from bridge.parity.engine import Engine, factory_of
from bridge.parity.motion.stops import away_from_stops, is_free_of_stops, limited_dofs, stop_rows
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states, without_solver_effects
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Coupling, JointType
from loaders.pose import Pose, rotation_about
from tests.corpora.robots_corpus import robots
from tests.support.running_faults import faulty_mujoco
from tests.support.scenes import joint, link, scene
from tests.support.seeds import seeds

ASSETS = Path(__file__).parents[4] / "assets"
ARM = scene(
    [link("a"), link("b")],
    [
        joint("j", WORLD, "a", xyz=(0, 1, 0), axis={"lower": -0.2, "upper": 0.6}),
        joint("k", "a", "b", xyz=(0, 1, 0)),
    ],
)


def test_limited_joints_are_those_with_finite_rigid_limits() -> None:
    assert limited_dofs(bridge.lower(ARM)) == {("j", 0): (-0.2, 0.6)}


@pytest.mark.parametrize("seed", seeds(5))
def test_a_state_away_from_stops_needs_longer_than_the_duration(seed: int) -> None:
    coupled = bridge.lower(
        dataclasses.replace(ARM, couplings=(Coupling(follower="k", leader="j", multiplier=2.0),))
    )
    q, v = away_from_stops(coupled, random_states(coupled, 1, seed)[0], 0.5)
    j, rate = float(np.ravel(q["j"])[0]), float(np.ravel(v["j"])[0])
    assert -0.2 < j + 0.5 * rate < 0.6
    assert float(np.ravel(q["k"])[0]) == pytest.approx(2.0 * j)


def test_a_joint_that_would_reach_its_stop_is_not_free() -> None:
    engine = ReferenceEngine(bridge.lower(ARM))
    engine.set_state({"j": 0.5}, {"j": 0.1})
    assert is_free_of_stops(engine.mechanism, engine, 0.1)
    engine.set_state({"j": 0.5}, {"j": 1.0})
    assert not is_free_of_stops(engine.mechanism, engine, 0.1)


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
@pytest.mark.parametrize("model", ["arm/model.sdf", "gripper/model.sdf"])
def test_every_stop_is_loaded_and_one_that_is_missing_is_found(model: str, engine: str) -> None:
    """Gravity takes the fingers away from their stops, so that they are pushed there."""
    mechanism = bridge.lower(loaders.load(ASSETS / model, quiet=True))
    limits = limited_dofs(mechanism)
    (row,) = stop_rows(mechanism, {engine: factory_of(engine)}, 0)
    assert (row.outcome, row.loaded) == (Outcome.PASSED, (len(limits), len(limits)))
    for name in dict.fromkeys(dof[0] for dof in limits):
        missing = {engine: lambda m, name=name: factory_of(engine)(_without_stops(m, name))}
        (row, *_) = stop_rows(mechanism, missing, 0)
        assert row.outcome is Outcome.FAILED, name


def _without_stops(mechanism: Mechanism, name: str) -> Mechanism:
    joints = tuple(
        dataclasses.replace(
            joint,
            axes=tuple(
                dataclasses.replace(axis, lower=-np.inf, upper=np.inf) for axis in joint.axes
            ),
        )
        if joint.name == name
        else joint
        for joint in mechanism.scene.joints
    )
    return relowered(mechanism, dataclasses.replace(mechanism.scene, joints=joints))


def test_a_stop_behind_a_damper_that_holds_the_joint_is_unknown() -> None:
    """The damper brakes the joint within a thousandth of what a stop may yield."""
    axis = {"lower": -1.0, "upper": 1.0}
    free = scene([link("a")], [joint("j", WORLD, "a", xyz=(0, 1, 0), axis=axis)])
    axis["damping"] = 6000.0 * float(bridge.lower(free).mass_matrix()[0, 0])
    held = scene([link("a")], [joint("j", WORLD, "a", xyz=(0, 1, 0), axis=axis)])
    compared, unknown = stop_rows(bridge.lower(held), {"mujoco": factory_of("mujoco")}, 0)
    assert compared.loaded == (0, 1)
    assert (unknown.outcome, unknown.where) == (Outcome.UNKNOWN, "j")
    assert unknown.is_stated  # a gap: the stop is in the file and nothing has shown it


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_a_stop_yields_little_to_a_joint_that_the_impact_of_another_one_pushes(engine: str) -> None:
    """In this state the fingers of the arm reach their stops as other joints do; stops that are
    missing are found.
    """
    arm = bridge.lower(loaders.load(Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"))
    (row,) = stop_rows(arm, {engine: factory_of(engine)}, 2)
    assert row.outcome is Outcome.PASSED
    assert 0.0 < row.error < row.tolerance
    without = {engine: lambda mechanism: factory_of(engine)(without_solver_effects(mechanism))}
    (row,) = stop_rows(arm, without, 2)
    assert row.outcome is Outcome.FAILED


def _robot(name: str) -> Mechanism:
    (robot,) = (robot for robot in robots() if robot.path.match(name))
    return bridge.lower(loaders.load(robot.path, paths=[robot.root]))


def test_a_stop_that_holds_with_more_iterations_of_the_solver_has_that_cause() -> None:
    z1 = _robot("z1_description/urdf/z1.urdf")
    (row, _) = stop_rows(z1, {"pybullet": factory_of("pybullet")}, 0)
    assert (row.outcome, row.code) == (Outcome.EXPLAINED, "parity.solver-iterations")
    assert row.tolerance < row.error <= row.known_cause.bound  # type: ignore[union-attr]


def test_a_motion_that_ends_too_fast_for_its_step_leaves_stops_unknown() -> None:
    """The links of the neck have almost no inertia, and their stops drive them to 1e9 rad/s; what
    is allowed beyond a stop grows with the speed.
    """
    (row,) = stop_rows(_robot("human.urdf"), {"pybullet": factory_of("pybullet")}, 0)
    assert row.outcome is Outcome.UNKNOWN
    assert "rad or m in a step" in row.cause


def test_a_damper_that_pybullet_cannot_follow_where_the_motion_starts_leaves_stops_unknown() -> (
    None
):
    """At zero the elbow is bent, so that the shoulder carries the forearm; where it is straight, it
    carries little.
    """
    light, heavy = (
        SpatialInertia.of(m, (x, 0, 0), 1e-5 * np.eye(3)) for m, x in ((0.01, 0.01), (1.0, 0.3))
    )
    bent = Pose.of(rotation_about(np.array((0.0, 1.0, 0.0)), np.pi / 2), (0.3, 0.0, 0.0))
    arm = scene(
        [link("a", inertia=light), link("b", inertia=heavy)],
        [
            joint(
                "j", WORLD, "a", xyz=(0, 1, 0), axis={"lower": -1.0, "upper": 1.0, "damping": 8.0}
            ),
            joint("k", "a", "b", xyz=(0, 1, 0), X_PJ=bent, axis={"lower": -1.6, "upper": -1.54}),
        ],
    )
    (row,) = stop_rows(bridge.lower(arm), {"pybullet": factory_of("pybullet")}, 0)
    assert row.outcome is Outcome.UNKNOWN
    assert "explicit integration does not follow" in row.cause


@pytest.mark.parametrize(("damping", "outcome"), [(0.5, Outcome.PASSED), (50.0, Outcome.UNKNOWN)])
def test_a_damper_is_as_fast_as_the_inertia_that_pybullet_holds(
    damping: float, outcome: Outcome
) -> None:
    """PyBullet has no rotors: the damper of 0.5 acts on 1e-4 kg m^2, at 5e3 1/s, not on 1e-2."""
    inertia = SpatialInertia.of(1e-3, I_Lcm=1e-4 * np.eye(3))
    axis = {"lower": -0.5, "upper": 0.5, "damping": damping, "inertia": 1e-2}
    chain = zip("ijk", (WORLD, "a", "b"), "abc", strict=True)
    finger = scene(
        [link(name, inertia=inertia) for name in "abc"],
        [joint(name, p, c, xyz=(0, 1, 0), axis=axis) for name, p, c in chain],
    )
    (row, *_) = stop_rows(bridge.lower(finger), {"pybullet": factory_of("pybullet")}, 0)
    assert (row.outcome, row.tolerance < 1e-3) == (outcome, True)  # of a diverged motion, over 600
    assert ("without the inertia of rotors" in row.cause) is (outcome is Outcome.UNKNOWN)


def _gimbal() -> Mechanism:
    """A pendulum on a gimbal of almost no inertia, whose first and last axes are parallel."""
    ring = SpatialInertia.of(1e-6, I_Lcm=1e-8 * np.eye(3))
    pendulum = SpatialInertia.of(1.0, (0.0, 0.0, 0.1), 1e-3 * np.eye(3))
    axis = {"lower": -1.0, "upper": 1.0, "damping": 0.1}
    links = [link("a", inertia=ring), link("b", inertia=ring), link("c", inertia=pendulum)]
    chain = zip("ijk", (WORLD, "a", "b"), "abc", ((0, 1, 0), (1, 0, 0), (0, 1, 0)), strict=True)
    joints = [joint(name, p, c, xyz=xyz, axis=axis) for name, p, c, xyz in chain]
    return bridge.lower(scene(links, joints))


def test_a_stop_that_holds_with_rotors_that_slow_its_dampers_down_has_that_cause() -> None:
    first, *_ = stop_rows(_gimbal(), {"mujoco": factory_of("mujoco")}, 0)
    assert (first.outcome, first.code) == (Outcome.EXPLAINED, "parity.unresolved-dampers")
    assert first.tolerance < first.error <= first.known_cause.bound  # type: ignore[union-attr]


def test_a_stop_that_is_missing_is_missed_also_with_heavy_rotors() -> None:
    def missing(mechanism: Mechanism) -> Engine:
        return factory_of("mujoco")(_without_stops(mechanism, "k"))

    first, *_ = stop_rows(_gimbal(), {"mujoco": missing}, 0)
    assert (first.outcome, first.where) == (Outcome.FAILED, "k")


@pytest.mark.parametrize("missing", [False, True])
def test_a_heavy_slide_passes_a_stop_of_pybullet_whose_force_has_a_bound(missing: bool) -> None:
    """By 100 N s a step, 1000 kg lose 0.1 m/s, as `changeDynamics` with a ``jointLimitForce``
    shows; a stop that is missing does not hold without that bound either.
    """
    box = link("box", inertia=SpatialInertia.of(1e3, I_Lcm=1e2 * np.eye(3)))
    slide = joint("slide", WORLD, "box", JointType.PRISMATIC, axis={"lower": -20.0, "upper": 5.0})
    mechanism = bridge.lower(scene([box], [slide]))

    def opened(model: Mechanism) -> Engine:
        return factory_of("pybullet")(_without_stops(model, "slide") if missing else model)

    (row, *_) = stop_rows(mechanism, {"pybullet": opened}, 0)
    expected = (Outcome.FAILED, "") if missing else (Outcome.EXPLAINED, "parity.stop-force")
    assert (row.outcome, row.code) == expected
    assert row.error > row.tolerance


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_a_follower_whose_leader_puts_it_beyond_its_stop_is_left_out(engine: str) -> None:
    """The leader moves from 0.5 to 0.6, where the follower would be at -1; its stop is at 0."""
    axes = {"j": {"lower": 0.5, "upper": 0.6}, "k": {"lower": 0.0, "upper": 0.6}}
    arm = scene(
        [link("a"), link("b")],
        [
            joint("j", WORLD, "a", xyz=(0, 1, 0), axis=axes["j"]),
            joint("k", "a", "b", xyz=(0, 1, 0), axis=axes["k"]),
        ],
    )
    coupled = dataclasses.replace(
        arm, couplings=(Coupling(follower="k", leader="j", multiplier=-2.0),)
    )
    (row,) = stop_rows(bridge.lower(coupled), {engine: factory_of(engine)}, 0)
    assert row.where == "j"


SOFT = """<mujoco><worldbody><body name="a" pos="0 0 1">
  <joint name="j" type="slide" range="-0.3 0.2" {}/><geom size="0.1"/>
</body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("settings", "outcome"),
    [
        ('solreflimit="0.05 0.8" solimplimit="0.8 0.95 0.01"', Outcome.EXPLAINED),
        ('solreflimit="0.002 1"', Outcome.PASSED),
        ("", Outcome.EXPLAINED),
    ],
)
def test_a_stop_of_mujoco_yields_as_far_as_the_file_states(settings: str, outcome: Outcome) -> None:
    """The softness is that of the original, in which MuJoCo passes the stop as far."""
    mechanism = bridge.lower(loaders.load_string(SOFT.format(settings), format="mjcf"))
    (row,) = stop_rows(mechanism, {"mujoco": factory_of("mujoco")}, 0)
    assert row.outcome is outcome


def test_a_soft_stop_that_is_missing_or_softer_than_stated_is_a_difference() -> None:
    mechanism = bridge.lower(loaders.load_string(SOFT.format(""), format="mjcf"))

    def unlimit(model: Any) -> None:
        model.jnt_limited[:] = 0

    def soften(model: Any) -> None:
        model.jnt_solref[:] = (0.2, 1.0)

    for change in (unlimit, soften):
        (row,) = stop_rows(mechanism, {"mujoco": faulty_mujoco(change)}, 0)
        assert row.outcome is Outcome.FAILED
        assert "passes by at most" in row.cause
