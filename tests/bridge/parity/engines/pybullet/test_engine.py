"""PyBullet in a separate server: positions, and joints, efforts and constraints that its own steps
show.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bridge
import loaders
from bridge.parity import Outcome, compare
from bridge.parity.engines.pybullet.engine import CONTACT_MARGIN, PyBulletEngine, sorts_pairs
from bridge.targets.pybullet.client import BASE
from loaders.model import WORLD, JointType
from tests.support.actuated_model import sdf
from tests.support.fault_robots import drake_model
from tests.support.scenes import joint, link, random_scene, random_state, relative, scene

pybullet = pytest.importorskip("pybullet")


# PyBullet in a separate server: positions, merged links, and the margin of convex hulls.


def test_positions_are_read_back_as_they_were_set() -> None:
    mechanism = bridge.lower(random_scene(4, fixed=False))
    engine = PyBulletEngine(mechanism)
    q, v = random_state(mechanism, 5)
    engine.set_state(q, v)
    for name, value in engine.positions().items():
        given, read = np.atleast_1d(q[name]), np.atleast_1d(value)
        distance = min(np.abs(read[-4:] - sign * given[-4:]).max() for sign in (1.0, -1.0))
        assert distance == pytest.approx(0.0, abs=1e-9), name
    engine.close()


def test_every_engine_has_its_own_server_and_closes_it() -> None:
    mechanism = bridge.lower(random_scene(1, fixed=True))
    one, two = PyBulletEngine(mechanism), PyBulletEngine(mechanism)
    one.set_state({}, {})
    one.close()
    one.close()
    assert two.link_poses().keys() == {body.name for body in mechanism.bodies}
    two.close()


def test_inertias_are_those_of_the_links_that_move() -> None:
    links = [link("base"), link("arm")]
    joints = [joint("weld", WORLD, "base", JointType.FIXED), joint("hinge", "base", "arm")]
    engine = PyBulletEngine(bridge.lower(scene(links, joints)))
    inertias = engine.inertias()
    engine.close()
    assert inertias.keys() == {"arm"}
    assert inertias["arm"].mass == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kinds", "source"), [((JointType.REVOLUTE,), "query"), ((JointType.BALL,), "steps")]
)
def test_mass_matrix_and_forces_are_those_of_the_running_body(
    kinds: tuple[JointType, ...], source: str
) -> None:
    """Another mass in the running body is in PyBullet's answers."""
    import pybullet

    mechanism = bridge.lower(random_scene(2, fixed=False, kinds=kinds))
    engine = PyBulletEngine(mechanism)
    assert engine.dynamics_source == source
    q, v = random_state(mechanism, 5)
    engine.set_state(q, v)
    expected = mechanism.mass_matrix(q)
    assert relative(engine.mass_matrix(), expected) <= 1e-11
    engine.close()
    engine = PyBulletEngine(mechanism)
    mass = 1.01 * mechanism.bodies[2].inertia.mass
    pybullet.changeDynamics(0, 1, mass=mass, physicsClientId=engine._client)
    engine.set_state(q, v)
    assert relative(engine.mass_matrix(), expected) > 1e-5
    assert relative(engine.bias_forces(), mechanism.bias_forces(q, v)) > 1e-5
    engine.close()


@pytest.mark.parametrize("function", ["calculateMassMatrix", "calculateInverseDynamics"])
def test_a_query_of_pybullet_that_is_wrong_by_a_thousandth_is_found(
    monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    import pybullet

    original = getattr(pybullet, function)
    monkeypatch.setattr(
        pybullet, function, lambda *a, **k: (1.001 * np.array(original(*a, **k))).tolist()
    )
    result = bridge.compare("assets/arm/model.sdf", levels=("L1",), configurations=2)
    wrong = {row.quantity for row in result.failures if "pybullet" in row.engines}
    assert wrong == (
        {"mass matrix"}
        if function == "calculateMassMatrix"
        else {"bias forces", "inverse dynamics"}
    )


def test_convex_hulls_touch_at_the_contact_margin() -> None:
    assert pytest.approx(1e-3) == CONTACT_MARGIN


# What one short step at a high speed shows of joints in PyBullet, compared with what it was told.

SOLID = (
    "<inertial><origin xyz='.1 0 0'/><mass value='1'/>"
    "<inertia ixx='.01' iyy='.02' izz='.02' ixy='0' ixz='0' iyz='0'/></inertial>"
)
LIMITS = "<limit lower='1' upper='2' effort='9' velocity='3'/>"
ARM = f"""<robot name='arm'><link name='world'/><link name='a'>{SOLID}</link><link name='b'>{SOLID}</link>
<link name='c'>{SOLID}</link>
<joint name='ja' type='revolute'><parent link='world'/><child link='a'/><axis xyz='0 1 0'/>{LIMITS}
<dynamics friction='0.37' damping='0.5'/></joint>
<joint name='jb' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='1 0 0'/>{LIMITS}
<dynamics friction='2e3'/></joint>
<joint name='jc' type='continuous'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/></joint></robot>"""


@pytest.fixture
def engine() -> Iterator[PyBulletEngine]:
    opened = PyBulletEngine(bridge.lower(loaders.load_string(ARM, format="urdf")))
    yield opened
    opened.close()


def test_dry_friction_is_read_back_from_the_motors(engine: PyBulletEngine) -> None:
    friction = {joint: p.friction for (joint, _), p in engine.joint_parameters().items()}
    assert friction == pytest.approx({"ja": 0.37, "jb": 2e3, "jc": 0.0}, rel=1e-12)


def test_dry_friction_is_the_same_after_the_time_step_was_changed(engine: PyBulletEngine) -> None:
    engine.set_step(2.5e-4)
    assert engine.joint_parameters()["ja", 0].friction == pytest.approx(0.37, rel=1e-12)


def test_a_motor_that_is_left_on_counts_as_dry_friction(engine: PyBulletEngine) -> None:
    pybullet.setJointMotorControl2(
        int(engine._bodies[0]),
        2,
        pybullet.VELOCITY_CONTROL,
        force=7.0,
        physicsClientId=engine._client,
    )
    assert engine.joint_parameters()["jc", 0].friction == pytest.approx(7.0)


def test_a_motor_that_stops_the_joint_shows_no_force(engine: PyBulletEngine) -> None:
    pybullet.setJointMotorControl2(
        int(engine._bodies[0]),
        2,
        pybullet.VELOCITY_CONTROL,
        force=1e12,
        physicsClientId=engine._client,
    )
    assert engine.joint_parameters()["jc", 0].friction is None


def test_the_state_and_the_time_step_stay(engine: PyBulletEngine) -> None:
    engine.set_state({"ja": 1.5, "jb": 1.1, "jc": -2.0}, {"ja": 0.1, "jb": 0.2, "jc": 0.3})
    before, step = (engine.positions(), engine.velocities().tolist()), engine.settings().time_step
    engine.joint_parameters()
    assert (engine.positions(), engine.velocities().tolist()) == before
    assert engine.settings().time_step == step


def test_a_limit_of_speed_that_pybullet_enforces_is_found(engine: PyBulletEngine) -> None:
    assert engine.enforced_speed_limits() == {}
    pybullet.changeDynamics(
        int(engine._bodies[0]), BASE, maxJointVelocity=100.0, physicsClientId=engine._client
    )
    limits = engine.enforced_speed_limits()
    assert {joint for joint, _ in limits} == {"ja", "jb", "jc"}
    assert set(limits.values()) == {100.0}


def test_sub_steps_shorten_the_time_step(engine: PyBulletEngine) -> None:
    step = engine.settings().time_step
    pybullet.setPhysicsEngineParameter(numSubSteps=4, physicsClientId=engine._client)
    assert engine.settings().time_step == pytest.approx(0.25 * step)
    assert math.isfinite(step)


def test_a_joint_that_its_stops_hold_is_not_cut_off() -> None:
    axis = {"lower": 0.0, "upper": 0.0}
    engine = PyBulletEngine(bridge.lower(scene([link("a")], [joint("j", WORLD, "a", axis=axis)])))
    limits = engine.enforced_speed_limits()
    engine.close()
    assert limits == {}


SCREW = """<sdf version='1.10'><model name='m'>
<link name='a'><inertial><pose>0.05 -0.02 0.1 0 0 0</pose><mass>1.2</mass></inertial></link>
<joint name='j' type='screw'><parent>world</parent><child>a</child><axis><xyz>0 0.6 0.8</xyz></axis>
<screw_thread_pitch>{pitch}</screw_thread_pitch></joint></model></sdf>"""


@pytest.mark.parametrize("pitch", [0.04, 2.0, 20.0])
def test_a_screw_that_its_thread_slows_down_is_not_cut_off(pitch: float) -> None:
    engine = PyBulletEngine(
        bridge.lower(loaders.load_string(SCREW.format(pitch=pitch), format="sdf"))
    )
    constraint = pybullet.getConstraintUniqueId(0, physicsClientId=engine._client)
    before = pybullet.getConstraintInfo(constraint, physicsClientId=engine._client)
    free = engine.enforced_speed_limits()
    assert pybullet.getConstraintInfo(constraint, physicsClientId=engine._client) == before
    pybullet.changeDynamics(
        int(engine._bodies[0]), BASE, maxJointVelocity=0.01, physicsClientId=engine._client
    )
    cut_off = engine.enforced_speed_limits()
    engine.close()
    assert free == {}
    assert set(cut_off.values()) == {0.01}


# Efforts in PyBullet are measured by its own steps: what acts beside the actuator shows.


class PyBulletWithMotor(PyBulletEngine):
    """PyBullet in which a motor of a joint is left on."""

    def __init__(self, mechanism: Any) -> None:
        super().__init__(mechanism)
        (body,) = self._bodies
        mode = pybullet.VELOCITY_CONTROL
        joint = body.joints["ja"][0] if isinstance(body.joints["ja"], tuple) else body.joints["ja"]
        pybullet.setJointMotorControl2(
            int(body), joint, mode, force=1.0, physicsClientId=self._client
        )


def test_a_motor_that_is_left_on_in_pybullet_is_found_and_its_joint_named() -> None:
    scene = loaders.load_string(sdf(), format="sdf")
    found = compare(scene, ("mujoco", PyBulletWithMotor), levels=("L0",), configurations=1)
    row = next(
        r
        for r in found.rows
        if r.quantity == "actuator efforts" and r.engines == ("reference", "pybullet")
    )
    assert (row.outcome, row.where) == (Outcome.FAILED, "ja")


def test_an_effort_that_turns_a_free_base_within_one_step_is_measured_exactly() -> None:
    """The base turns by 1e-5 rad in the step, and the velocity of its origin with it."""
    scene = loaders.load_string(sdf(effort="1000", gains=""), format="sdf")
    found = compare(scene, ("pybullet",), levels=("L0",), configurations=1)
    row = next(
        r
        for r in found.rows
        if r.quantity == "actuator efforts" and r.engines == ("reference", "pybullet")
    )
    assert (row.outcome, row.error < 1e-9) == (Outcome.PASSED, True), row


# Constraints that hold bodies in PyBullet, and those that were removed, weakened or added.


@pytest.fixture
def pybullet_constraints_engine() -> Iterator[PyBulletEngine]:
    opened = PyBulletEngine(bridge.lower(drake_model()))
    yield opened
    opened.close()


def gear(engine: PyBulletEngine) -> int:
    return engine._loaded.constraints["follow"][0]


def test_a_gear_is_read_back(pybullet_constraints_engine: PyBulletEngine) -> None:
    ((ends, law),) = pybullet_constraints_engine.couplings().items()
    assert ends == (("follow", 0), ("lead", 0))
    assert law.coefficients == pytest.approx((0.1, 0.5))
    assert pybullet_constraints_engine.violations() == {"follow": pytest.approx(0.0, abs=1e-12)}


def test_a_gear_that_was_removed_holds_nothing(pybullet_constraints_engine: PyBulletEngine) -> None:
    pybullet.removeConstraint(
        gear(pybullet_constraints_engine), physicsClientId=pybullet_constraints_engine._client
    )
    assert pybullet_constraints_engine.couplings() == {}
    assert pybullet_constraints_engine.violations() == {}


def test_a_gear_without_force_holds_nothing(pybullet_constraints_engine: PyBulletEngine) -> None:
    pybullet.changeConstraint(
        gear(pybullet_constraints_engine),
        maxForce=0.0,
        physicsClientId=pybullet_constraints_engine._client,
    )
    assert pybullet_constraints_engine.couplings() == {}
    assert pybullet_constraints_engine.violations() == {}


def test_a_constraint_that_the_model_does_not_have_is_named_by_its_links(
    pybullet_constraints_engine: PyBulletEngine,
) -> None:
    body = pybullet_constraints_engine._bodies[0]
    pybullet.createConstraint(
        int(body),
        body.links["b"],
        int(body),
        body.links["d"],
        pybullet.JOINT_POINT2POINT,
        (0, 0, 0),
        (0, 0, 0),
        (0, 0, 0),
        physicsClientId=pybullet_constraints_engine._client,
    )
    assert set(pybullet_constraints_engine.violations()) == {"follow", "b, d"}


# The order of contacts, which Bullet keeps or sorts.


@given(
    sizes=st.lists(st.floats(0.02, 0.5), min_size=1, max_size=30),
    seed=st.integers(0, 2**32 - 1),
    removed=st.booleans(),
)
@settings(max_examples=15)
def test_sorted_pairs_are_seen_whatever_a_world_holds_and_none_are_seen_where_none_are_sorted(
    sizes: list[float], seed: int, removed: bool
) -> None:
    """PyBullet does not report whether it sorts pairs. Where bodies were removed before, sorting
    may remain unseen, but is never seen without.
    """
    client = pybullet.connect(pybullet.DIRECT)
    with ExitStack() as stack:
        stack.callback(pybullet.disconnect, client)
        server = {"physicsClientId": client}
        pybullet.setPhysicsEngineParameter(deterministicOverlappingPairs=0, **server)
        rng = np.random.default_rng(seed)
        bodies = [
            pybullet.createMultiBody(
                float(rng.integers(0, 2)),
                pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=size, **server),
                basePosition=rng.uniform(-1.0, 1.0, 3),
                **server,
            )
            for size in sizes
        ]
        pybullet.stepSimulation(**server)
        if removed:
            pybullet.removeBody(bodies[int(rng.integers(len(bodies)))], **server)
        assert not sorts_pairs(pybullet, client)
        pybullet.setPhysicsEngineParameter(deterministicOverlappingPairs=1, **server)
        assert sorts_pairs(pybullet, client) or removed
        pybullet.setPhysicsEngineParameter(deterministicOverlappingPairs=0, **server)
        assert not sorts_pairs(pybullet, client)
