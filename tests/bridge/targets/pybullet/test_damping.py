"""PyBullet's hidden defaults have no effect, and damping that is unstable at the time step is
reported.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, lower
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import joint_coefficients
from bridge.parity.states import fastest_rate
from bridge.targets.pybullet.damping import rate_bound
from bridge.targets.pybullet.dynamics import OwnDynamics
from loaders.diagnostics import ExportError, Fate
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Actuator,
    BallConstraint,
    Coupling,
    JointAxis,
    JointType,
    Physics,
    WeldConstraint,
)
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene
from tests.corpora.robots_corpus import robots
from tests.support import stick_slip
from tests.support.scenes import joint, link, random_scene, random_state, scene

# PyBullet's hidden defaults have no effect: no drag, no velocity limit, and dry friction is
# Coulomb's.


def test_dry_friction_stops_a_slider_as_coulomb_says(bullet_client):
    slide = joint("s", WORLD, "a", JointType.PRISMATIC, xyz=(1, 0, 0), axis={"friction": 2.0})
    robot = load_into_pybullet(scene([link("a")], [slide]), physicsClientId=bullet_client)
    pybullet.setTimeStep(1e-3, bullet_client)
    robot.set_velocities({"s": 1.0})
    for _ in range(250):
        robot.step()  # which notices that the time step is not what it was
    assert robot.velocities()["s"] == pytest.approx(0.5, abs=1e-12)  # mass 1 kg, friction 2 N
    for _ in range(400):
        pybullet.stepSimulation(bullet_client)
    assert robot.velocities()["s"] == pytest.approx(0.0, abs=1e-12)


def test_dry_friction_converges_to_the_exact_stick_slip_motion(bullet_client):
    errors = [_stick_slip_error(bullet_client, step) for step in (2e-3, 1e-3, 5e-4)]
    assert errors[0] < 6e-3
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx([1.0, 1.0], abs=0.05)


def _stick_slip_error(client, step):
    """The largest error [m] until 0.5 s after the mass sticks."""
    robot = load_into_pybullet(stick_slip.oscillator(step), physicsClientId=client)
    robot.apply_physics()
    robot.set_positions({"s": stick_slip.START})
    errors = []
    for k in range(round((stick_slip.STOP + 0.5) / step)):
        robot.step()
        errors.append(abs(robot.positions()["s"] - stick_slip.position((k + 1) * step)))
    robot.remove()
    assert errors[-1] < 5e-5
    return max(errors)


def test_joints_turn_faster_than_pybullets_own_limit(bullet_client):
    wheel = scene(
        [link("a", inertia=SpatialInertia.of(1.0, (0, 0, 0), np.eye(3)))], [joint("j", WORLD, "a")]
    )
    robot = load_into_pybullet(wheel, physicsClientId=bullet_client)
    robot.set_velocities({"j": 300.0})
    pybullet.stepSimulation(bullet_client)
    assert robot.velocities()["j"] == pytest.approx(300.0, abs=1e-9)


def test_a_free_body_falls_without_drag(bullet_client):
    pybullet.setGravity(0, 0, -10.0, physicsClientId=bullet_client)
    pybullet.setTimeStep(1e-3, bullet_client)
    robot = load_into_pybullet(scene([link("a")]), physicsClientId=bullet_client)
    for _ in range(1000):
        pybullet.stepSimulation(bullet_client)
    assert robot.velocities()["a"][2] == pytest.approx(-10.0, abs=1e-9)


# Damping that is unstable at the time step of the server is reported, and no other; the running
# engine judges.

CODE = "pybullet.stiff-damping"
STEP = 1.0 / 240.0
KUKA = "kuka_iiwa/model.sdf"


def wheel(moment: float) -> SpatialInertia:
    return SpatialInertia.of(1.0, (0.0, 0.0, 0.0), moment * np.eye(3))


def wheels(damping: float = 1.0, moment: float = 1e-3, **rest: Any) -> Scene:
    """Two wheels on one axle, the second on the first; the damping of the second is unstable above
    2 ms.
    """
    joints = [joint("free", WORLD, "a"), joint("damped", "a", "b", axis={"damping": damping})]
    return scene([link("a", inertia=wheel(1.0)), link("b", inertia=wheel(moment))], joints, **rest)


def findings(client: int, source: Any, step: float, **options: Any) -> tuple[Any, list[Any]]:
    """The handle of a source that is loaded at a time step, and what is reported of its damping."""
    pybullet.setTimeStep(step, physicsClientId=client)
    robot = load_into_pybullet(
        source, damping="exact", physicsClientId=client, quiet=True, **options
    )
    return robot, [entry for entry in robot.diagnostics if entry.code == CODE]


def growth(client: int, robot: Any, steps: int = 400) -> float:
    """The speed after some steps without gravity, as a multiple of the initial one, which all
    joints have.
    """
    start = {
        name: np.full(np.size(v), 1e-3) for name, v in robot.velocities().items() if np.size(v) < 6
    }
    robot.set_velocities(
        {name: tuple(v) if v.size > 1 else float(v[0]) for name, v in start.items()}
    )
    for _ in range(steps):
        pybullet.stepSimulation(physicsClientId=client)
    return max(float(np.abs(robot.velocities()[name]).max()) for name in start) / 1e-3


def limit(client: int, source: Any, **options: Any) -> float:
    """The largest stable step that is stated at a step that is far too long; the client is empty
    again.
    """
    robot, (finding,) = findings(client, source, 10.0, **options)
    robot.remove()
    return float(finding.arguments["max_step"])


BALL = scene(
    [link("a", inertia=SpatialInertia.of(1.0, (0, 0, 0), np.diag((1e-3, 2e-3, 2e-3))))],
    [joint("j", WORLD, "a", JointType.BALL, axes=(JointAxis(xyz=frozen((0, 0, 1)), damping=1.0),))],
)
SLIDE = scene(
    [link("a")], [joint("j", WORLD, "a", JointType.PRISMATIC, xyz=(1, 0, 0), axis={"damping": 1e3})]
)
CLOSED_FORMS = {
    "two wheels, of which the damper sees 1 and 1e-3 kg m^2 in series": (
        wheels(),
        2.0 / (1.0 + 1.0 / 1e-3),
    ),
    "slide of 1 kg with 1000 N s/m": (SLIDE, 2e-3),
    "ball joint, by its smallest moment": (BALL, 2e-3),
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_the_step_that_is_stated_divides_the_stable_from_the_unstable(
    bullet_client: int, name: str
) -> None:
    source, expected = CLOSED_FORMS[name]
    assert limit(bullet_client, source) == pytest.approx(expected, rel=1e-9)
    with findings(bullet_client, source, 0.95 * expected)[0] as robot:
        assert [entry for entry in robot.diagnostics if entry.code == CODE] == []
        assert growth(bullet_client, robot) < 2.0
    robot, (finding,) = findings(bullet_client, source, 1.05 * expected)
    assert finding.fate is Fate.APPROXIMATED
    assert growth(bullet_client, robot) > 1e3


def test_the_arm_of_pybullet_data_is_unstable_at_the_default_step_and_stable_at_that_of_its_file(
    bullet_client: int, pybullet_robots: Path
) -> None:
    path = pybullet_robots / KUKA
    robot, (finding,) = findings(bullet_client, path, STEP)
    assert finding.subjects == ("lbr_iiwa::lbr_iiwa_joint_7",)
    assert "apply_physics(), which sets that of the scene, 0.001 s" in finding.hint
    assert growth(bullet_client, robot, 240) > 1e6
    robot.remove()
    robot = load_into_pybullet(path, physicsClientId=bullet_client, quiet=True)
    robot.apply_physics()
    for _ in range(1000):
        pybullet.stepSimulation(physicsClientId=bullet_client)
    assert max(np.abs(v).max() for v in robot.velocities().values()) < 20.0
    robot.remove()
    stated = float(finding.arguments["max_step"])
    for factor, is_stable in ((0.97, True), (1.03, False)):
        with findings(bullet_client, path, factor * stated)[0] as robot:
            assert (growth(bullet_client, robot) < 10.0) is is_stable


def test_the_advice_is_a_stable_step(bullet_client: int) -> None:
    source = wheels(physics=Physics(time_step=3e-3))
    robot, (finding,) = findings(bullet_client, source, STEP)
    assert "apply_physics" not in finding.hint
    advised = float(finding.hint.partition("setTimeStep(")[2].partition(")")[0])
    assert 0.8 * finding.arguments["max_step"] < advised < finding.arguments["max_step"]
    pybullet.setTimeStep(advised, physicsClientId=bullet_client)
    assert growth(bullet_client, robot) < 2.0


def test_a_light_joint_that_follows_a_heavy_one_is_damped_as_one_with_it(
    bullet_client: int,
) -> None:
    """Alone it would be unstable; the gear holds it, in the engine as well as in what is stated."""
    bodies = [link("a", inertia=wheel(1.0)), link("b", inertia=wheel(1e-3))]
    joints = [
        joint("leader", WORLD, "a", axis={"damping": 1.0}),
        joint("follower", WORLD, "b", axis={"damping": 1.0}),
    ]
    source = scene(
        bodies, joints, couplings=(Coupling(follower="follower", leader="leader", multiplier=2.0),)
    )
    assert limit(bullet_client, source) == pytest.approx(2.0 * (1.0 + 4e-3) / 5.0)
    robot, found = findings(bullet_client, source, STEP)
    assert found == []
    assert growth(bullet_client, robot) < 10.0


@pytest.mark.parametrize("moment", [1e-3, 1.7e-3, 2.9e-3, 3.1e-3])
def test_of_coupled_joints_that_move_alike_the_first_is_named(
    bullet_client: int, moment: float
) -> None:
    """Both have the same part in the mode; numbers with rounding errors do not decide between
    them.
    """
    bodies = [link(name, inertia=wheel(moment)) for name in ("a", "b", "c")]
    joints = [joint(f"j_{name}", WORLD, name, axis={"damping": 3.0}) for name in ("a", "b", "c")]
    couplings = tuple(
        Coupling(follower=f"j_{name}", leader="j_b", multiplier=1.0) for name in ("a", "c")
    )
    _, (finding,) = findings(bullet_client, scene(bodies, joints, couplings=couplings), STEP)
    assert finding.subjects == ("j_a",)


def test_rotor_inertia_which_pybullet_lacks_does_not_count(bullet_client: int) -> None:
    actuator = Actuator(name="m", joint="damped", gear_ratio=100.0, rotor_inertia=1.0)
    source = wheels(actuators=(actuator,))
    assert limit(bullet_client, source) == pytest.approx(limit(bullet_client, wheels()))


def test_substeps_do_not_help(bullet_client: int) -> None:
    """PyBullet keeps the forces of dampers for the whole step."""
    pybullet.setPhysicsEngineParameter(numSubSteps=4, physicsClientId=bullet_client)
    robot, (finding,) = findings(bullet_client, wheels(), STEP)
    assert finding.arguments["step"] == STEP
    assert growth(bullet_client, robot) > 1e3


def test_a_strict_load_needs_a_stable_step(bullet_client: int) -> None:
    with pytest.raises(ExportError, match=r"stable below 0\.002 s: damped"):
        findings(bullet_client, wheels(), STEP, strict=True)
    findings(bullet_client, wheels(), 1e-3, strict=True)


def bound_of(mechanism: Mechanism) -> float:
    """The bound of the rates with the damping that the mechanism states."""
    return rate_bound(
        mechanism, joint_coefficients(mechanism.bodies, lambda axis: float(axis.damping))
    )


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_bound_holds_at_all_positions(seed: int, fixed: bool) -> None:
    """With it most models are known to be stable without their mass matrix."""
    kinds = (JointType.REVOLUTE, JointType.BALL, JointType.FIXED)
    mechanism = lower(random_scene(seed, fixed=fixed, kinds=kinds, axis={"damping": 0.7}))
    bound = bound_of(mechanism)
    rates = [fastest_rate(mechanism, random_state(mechanism, seed=k)[0]) for k in range(5)]
    assert max(rates) <= bound < 100.0 * min(rates)


def test_slides_have_no_simple_bound_and_free_links_no_damping() -> None:
    assert bound_of(lower(SLIDE)) == np.inf
    assert bound_of(lower(wheels(damping=0.0))) == 0.0
    assert bound_of(lower(scene([link("a")]))) == 0.0


def test_a_wheel_that_a_constraint_holds_is_not_unstable(bullet_client: int) -> None:
    weld = WeldConstraint(link_A="a", link_B="b", X_AP=IDENTITY, X_BQ=IDENTITY)
    robot, found = findings(bullet_client, wheels(constraints=(weld,)), STEP)
    assert found == []
    assert growth(bullet_client, robot) < 10.0


@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_without_stiff_damping_there_is_no_finding(bullet_client: int, damping: float) -> None:
    assert findings(bullet_client, wheels(damping), STEP)[1] == []


PARALLELOGRAM = 1e-3 + 1e-5 + 1e-3
"""Inertia that the damper of a parallelogram of 1 m moves: two cranks, and a coupler of 1 g that
only translates.
"""


def parallelogram(closing: str) -> Scene:
    """Two cranks and a coupler; the damper is at the lighter crank, which alone would be unstable
    above 0.02 ms.
    """
    light = SpatialInertia.of(1e-3, (0.0, 0.0, 0.0), 1e-5 * np.eye(3))
    links = [
        link("heavy", inertia=wheel(1e-3)),
        link("coupler", X_WL=Pose.of(p=(0, 1, 0)), inertia=light),
        link("light", X_WL=Pose.of(p=(1, 0, 0)), inertia=wheel(1e-5)),
    ]
    joints = [
        joint("a", WORLD, "heavy"),
        joint("b", WORLD, "light", X_PJ=Pose.of(p=(1, 0, 0)), axis={"damping": 1.0}),
        joint("c", "heavy", "coupler", X_PJ=Pose.of(p=(0, 1, 0))),
    ]
    if closing == "hinge":
        joints.append(
            joint("d", "coupler", "light", X_PJ=Pose.of(p=(1, 0, 0)), X_CJ=Pose.of(p=(0, 1, 0)))
        )
        return scene(links, joints)
    ball = BallConstraint(
        link_A="coupler", link_B="light", p_AP=frozen((1, 0, 0)), p_BQ=frozen((0, 1, 0))
    )
    return scene(links, joints, constraints=(ball,))


@pytest.mark.parametrize("closing", ["hinge", "ball"])
def test_the_links_of_a_loop_are_damped_as_one(bullet_client: int, closing: str) -> None:
    source, expected = parallelogram(closing), 2.0 * PARALLELOGRAM
    assert limit(bullet_client, source) == pytest.approx(expected, rel=1e-9)
    with findings(bullet_client, source, 0.95 * expected)[0] as robot:
        assert [entry for entry in robot.diagnostics if entry.code == CODE] == []
        assert growth(bullet_client, robot) < 10.0
    robot, (_,) = findings(bullet_client, source, 1.05 * expected)
    assert growth(bullet_client, robot) > 1e3


# --- limited damping ------------------------------------------------------------------------------

LIMITED = "pybullet.limited-damping"


def limited(client: int, source: Any, step: float = STEP, **options: Any) -> tuple[Any, list[Any]]:
    """The handle of a source whose damping is limited, and what is reported of it."""
    pybullet.setTimeStep(step, physicsClientId=client)
    robot = load_into_pybullet(source, physicsClientId=client, quiet=True, **options)
    assert CODE not in {entry.code for entry in robot.diagnostics}
    return robot, [entry for entry in robot.diagnostics if entry.code == LIMITED]


def series(damping: float, count: int = 1) -> Scene:
    """Wheels of 1e-3 kg m^2 on one axle, each damped against the one before it."""
    names = [f"w{k}" for k in range(count)]
    links = [link(name, inertia=wheel(1e-3)) for name in names]
    joints = [
        joint(f"j{k}", parent, name, axis={"damping": damping})
        for k, (parent, name) in enumerate(zip((WORLD, *names), names, strict=False))
    ]
    return scene(links, joints)


def test_a_wheel_is_stopped_within_one_step(bullet_client: int) -> None:
    """By the closed form d = I / h; the damping of the file, four times as large, diverges."""
    robot, (finding,) = limited(bullet_client, series(4.0 * 1e-3 / STEP))
    assert finding.fate is Fate.APPROXIMATED
    assert finding.subjects == ("j0",)
    assert finding.arguments["factor"] == pytest.approx(4.0)
    robot.set_velocities([3.0])
    robot.step()
    assert robot.v[0] == pytest.approx(0.0, abs=1e-9)
    assert robot.q[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("count", [2, 5, 20])
@pytest.mark.parametrize("seed", range(3))
def test_no_motion_of_several_damped_wheels_reverses(
    bullet_client: int, count: int, seed: int
) -> None:
    """Each mode of the velocities shrinks at every step and keeps its sign, whatever the start."""
    robot, (_,) = limited(bullet_client, series(1.0, count))
    M = lower(series(1.0, count)).mass_matrix()
    robot.set_velocities(np.random.default_rng(seed).normal(size=count))
    energy = [robot.v @ M @ robot.v]
    for _ in range(30):
        before = robot.v
        robot.step()
        energy.append(robot.v @ M @ robot.v)
        assert robot.v @ M @ before >= -0.02 * energy[-2]
    assert energy == sorted(energy, reverse=True)
    assert energy[-1] < 0.9 * energy[0]


def test_damping_that_the_step_resolves_is_that_of_the_file(bullet_client: int) -> None:
    """A soft damper beside a stiff one, and all dampers at a short step, keep their numbers."""
    light, heavy = link("a", inertia=wheel(1e-3)), link("b", inertia=wheel(1.0))
    joints = [
        joint("stiff", WORLD, "a", axis={"damping": 1.0}),
        joint("soft", WORLD, "b", axis={"damping": 1.0}),
    ]
    robot, (finding,) = limited(bullet_client, scene([light, heavy], joints))
    assert finding.subjects == ("stiff",)
    robot.set_velocities([0.0, 1.0])
    robot.step()
    assert robot.v[1] == pytest.approx(1.0 - STEP)
    assert limited(bullet_client, series(1.0), 1e-3)[1] == []


def test_limited_damping_follows_the_time_step(bullet_client: int) -> None:
    robot, (_,) = limited(bullet_client, series(1.0))
    for step in (1e-3, 1e-4, 1e-2, STEP):
        pybullet.setTimeStep(step, physicsClientId=bullet_client)
        robot.set_velocities([1.0])
        robot.step()
        expected = 1.0 - step / 1e-3 if step < 2e-3 else 0.0
        assert robot.v[0] == pytest.approx(expected, abs=1e-9)


def test_questions_about_the_dynamics_keep_the_limit(bullet_client: int) -> None:
    """A mass matrix that is measured by steps without damping restores what was there."""
    robot, (_,) = limited(bullet_client, series(1.0))
    OwnDynamics(robot.dynamics, "steps").mass_matrix()
    robot.set_velocities([1.0])
    pybullet.stepSimulation(physicsClientId=bullet_client)
    assert robot.v[0] == pytest.approx(0.0, abs=1e-9)


def test_damping_is_kept_or_limited_by_choice(bullet_client: int) -> None:
    with pytest.raises(ValueError, match="unknown value 'exakt' of damping; expected one of"):
        load_into_pybullet(series(1.0), damping="exakt", physicsClientId=bullet_client)
    with pytest.raises(ExportError, match=r"up to 4\.17 times as fast: j0"):
        limited(bullet_client, series(1.0), strict=True)
    with findings(bullet_client, series(1.0), STEP)[0] as robot:
        assert growth(bullet_client, robot) > 1e3


@pytest.mark.parametrize("name", ["kuka_iiwa/model.urdf", "xarm/xarm6_robot.urdf"])
def test_an_arm_with_stiff_damping_falls_as_at_a_short_step(
    bullet_client: int, pybullet_robots: Path, name: str
) -> None:
    """At 0.1 ms nothing is limited; the positions after half a second are the witness."""
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    options = {"useFixedBase": True, "policy": "pybullet"}
    fine, found = limited(bullet_client, pybullet_robots / name, 1e-4, **options)
    assert found == []
    start = 0.1 * np.ones(len(fine.q))
    fine.set_positions(start)
    for _ in range(5000):
        fine.step()
    expected = fine.q
    fine.remove()
    robot, (_,) = limited(bullet_client, pybullet_robots / name, **options)
    robot.set_positions(start)
    for _ in range(120):
        robot.step()
    np.testing.assert_allclose(robot.q, expected, atol=0.1)
    assert np.abs(robot.v).max() < 10.0


# Damping that is limited is stable along the motion, also where the joints move less inertia than
# at the positions that are examined first; and motions that move no mass are not damped.


def wrist(aligned_at: float, ring: float = 1e-5) -> Scene:
    """Three damped hinges that meet in the center of mass of a heavy link, with light rings between
    them: where the second aligns the axes of the others, these turn the rings alone.
    """
    tilted = (0.0, np.sin(aligned_at), np.cos(aligned_at))
    light, heavy = wheel(ring), wheel(0.1)
    links = [link("r", inertia=light), link("s", inertia=light), link("t", inertia=heavy)]
    ends = ((WORLD, "r", (0, 0, 1)), ("r", "s", (1, 0, 0)), ("s", "t", tilted))
    joints = [
        joint(f"j{child}", parent, child, xyz=xyz, axis={"damping": 1.0})
        for parent, child, xyz in ends
    ]
    return scene(links, joints)


@pytest.mark.parametrize("aligned_at", [0.7, 1.3, 2.6])
def test_limited_damping_is_stable_where_hinges_align(
    bullet_client: int, aligned_at: float
) -> None:
    robot, (finding,) = limited(bullet_client, wrist(aligned_at))
    assert {"jr", "jt"} <= set(finding.subjects)
    robot.set_positions({"js": aligned_at})
    robot.set_velocities({"jr": 1e-6, "jt": -1e-6})
    for _ in range(100):
        pybullet.stepSimulation(physicsClientId=bullet_client)
    assert np.abs(robot.v).max() < 2e-6


STATED = {"lower.singular-position", "pybullet.limited-damping"}


def icub(client: int, **options: Any) -> Any:
    """The iCub of example-robot-data, under gravity: its head has mass and no inertia, so that two
    hinges of its neck move no mass together.
    """
    (path,) = (each.path for each in robots() if each.path.name == "icub.urdf")
    pybullet.setGravity(0, 0, -9.81, physicsClientId=client)
    robot = load_into_pybullet(path, physicsClientId=client, quiet=True, **options)
    assert {entry.code for entry in robot.diagnostics} >= STATED
    return robot


def fastest_in(client: int, robot: Any, seconds: float = 2.0) -> float:
    """The largest speed of a joint in a motion without commands."""
    largest = 0.0
    for _ in range(round(seconds / STEP)):
        pybullet.stepSimulation(physicsClientId=client)
        largest = max(largest, float(np.abs(robot.v[-32:]).max()))
    return largest


@pytest.mark.slow
def test_a_humanoid_whose_neck_moves_no_mass_falls_calmly(bullet_client: int) -> None:
    robot = icub(bullet_client, useFixedBase=False)
    assert fastest_in(bullet_client, robot) < 1.0


@pytest.mark.slow
def test_a_neck_that_moves_no_mass_diverges_under_gravity_for_lack_of_inertia(
    bullet_client: int,
) -> None:
    """It does without any damping, and does not with the inertia that a head of 1.3 kg has."""
    robot = icub(bullet_client, useFixedBase=True)
    for joint_index in robot.joints.values():
        pybullet.changeDynamics(robot, joint_index, jointDamping=0, physicsClientId=bullet_client)
    assert fastest_in(bullet_client, robot, 0.1) > 1e6
    robot.remove()
    robot = icub(bullet_client, useFixedBase=True)
    pybullet.changeDynamics(
        robot,
        robot.links["head"],
        localInertiaDiagonal=(2.5e-3,) * 3,
        physicsClientId=bullet_client,
    )
    assert fastest_in(bullet_client, robot) < 50.0
