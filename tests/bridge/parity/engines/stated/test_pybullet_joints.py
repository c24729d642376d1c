"""What one short step at a high speed shows of joints in PyBullet, compared with what it was
told.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

import bridge
import loaders
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.targets.pybullet.client import BASE
from loaders.model import WORLD
from tests.support.scenes import joint, link, scene

pybullet = pytest.importorskip("pybullet")
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
