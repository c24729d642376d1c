"""Connection to a physics server, flags of ``loadURDF``, and the fields of PyBullet's replies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pybullet
import pybullet as p
import pytest
from pybullet_utils.bullet_client import BulletClient

from bridge import load_into_pybullet
from bridge.targets.pybullet.client import (
    ALLOWED,
    ALWAYS,
    IGNORED,
    ConstraintInfo,
    DynamicsInfo,
    JointInfo,
    named,
)
from loaders.model import JointType, Visual
from loaders.pose import IDENTITY
from tests.support.scenes import UNIT_BOX, codes, joint, link, scene
from tests.support.urdf_robots import HINGE_AND_SLIDE

# The names of the fields of PyBullet's replies, against bodies and constraints with known values.

URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="2"/>
<inertia ixx="3" iyy="4" izz="5" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 2 3"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="2" effort="7" velocity="8"/><dynamics damping="0.5" friction="0.25"/></joint></robot>"""


@pytest.fixture
def body(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """A physics server and a body in it."""
    client = p.connect(p.DIRECT)
    (tmp_path / "r.urdf").write_text(URDF, encoding="utf-8")
    flags = p.URDF_USE_INERTIA_FROM_FILE
    yield (
        client,
        p.loadURDF(
            str(tmp_path / "r.urdf"), useFixedBase=True, flags=flags, physicsClientId=client
        ),
    )
    p.disconnect(client)


def test_fields_of_a_joint(body: tuple[int, int]) -> None:
    client, number = body
    info = named(JointInfo, p.getJointInfo(number, 0, physicsClientId=client))
    assert (info.joint_index, info.name, info.link_name, info.parent_index) == (0, b"j", b"b", -1)
    assert (info.type, info.axis) == (p.JOINT_REVOLUTE, (0.0, 1.0, 0.0))
    assert (info.lower, info.upper, info.max_force, info.max_velocity) == (-1.0, 2.0, 7.0, 8.0)
    assert (info.damping, info.friction) == (0.5, 0.25)
    assert info.position_in_parent == (1.0, 2.0, 3.0)


def test_fields_of_the_dynamics_of_a_link(body: tuple[int, int]) -> None:
    client, number = body
    values = {
        "lateralFriction": 0.1,
        "spinningFriction": 0.2,
        "rollingFriction": 0.3,
        "restitution": 0.4,
        "contactStiffness": 600.0,
        "contactDamping": 7.0,
    }
    p.changeDynamics(number, 0, physicsClientId=client, **values)
    info = named(DynamicsInfo, p.getDynamicsInfo(number, 0, physicsClientId=client))
    assert (info.mass, info.moments) == (2.0, (3.0, 4.0, 5.0))
    assert (info.lateral_friction, info.spinning_friction, info.rolling_friction) == (0.1, 0.2, 0.3)
    assert (info.restitution, info.contact_stiffness, info.contact_damping) == (0.4, 600.0, 7.0)


def test_fields_of_a_constraint(body: tuple[int, int]) -> None:
    client, number = body
    constraint = p.createConstraint(
        number,
        0,
        -1,
        -1,
        p.JOINT_POINT2POINT,
        (0, 0, 0),
        (1, 2, 3),
        (4, 5, 6),
        physicsClientId=client,
    )
    p.changeConstraint(constraint, maxForce=50, physicsClientId=client)
    info = named(ConstraintInfo, p.getConstraintInfo(constraint, physicsClientId=client))
    assert (info.parent, info.child, info.type) == ((number, 0), (-1, -1), p.JOINT_POINT2POINT)
    assert (info.parent_position, info.child_position, info.max_force) == (
        (1.0, 2.0, 3.0),
        (4.0, 5.0, 6.0),
        50.0,
    )


def test_a_later_version_may_add_fields() -> None:
    assert named(JointInfo, (*range(17), "new")).parent_index == 16


# Connection to a physics server: by id or ``BulletClient``; bodies of several servers are
# independent.


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_way_to_name_a_server_is_taken():
    client = BulletClient(pybullet.DIRECT)
    other = pybullet.connect(pybullet.DIRECT)
    source = scene([link("a"), link("b")], [joint("j", "a", "b")])
    by_object = load_into_pybullet(source, physicsClientId=client)
    by_id = load_into_pybullet(source, physicsClientId=other)
    by_numpy = load_into_pybullet(source, physicsClientId=np.int64(other))
    assert (by_object, by_id, by_numpy) == (0, 0, 1)
    by_object.set_positions({"j": 0.3})
    assert client.getJointState(by_object, by_object.joints["j"])[0] == 0.3
    assert (by_id.positions()["j"], by_numpy.positions()["j"]) == (0.0, 0.0)
    by_id.remove()
    assert client.getNumBodies() == 1
    assert pybullet.getNumBodies(other) == 1
    pybullet.disconnect(other)
    client.disconnect()


def test_bodies_of_several_servers_do_not_know_of_each_other():
    """Ids are the same; states, gravity and time are each server's own."""
    clients = [pybullet.connect(pybullet.DIRECT) for _ in range(4)]
    bodies = [load_into_pybullet(scene([link("a")]), physicsClientId=client) for client in clients]
    for k, client in enumerate(clients):
        pybullet.setGravity(0, 0, -float(k), physicsClientId=client)
        pybullet.setTimeStep(0.01 * (k + 1), client)
        pybullet.stepSimulation(client)
    assert [body.velocities()["a"][2] for body in bodies] == pytest.approx(
        [0.0, -0.02, -0.06, -0.12]
    )
    for client in clients:
        pybullet.disconnect(client)


def test_a_closed_server_is_an_error():
    client = pybullet.connect(pybullet.DIRECT)
    body = load_into_pybullet(scene([link("a")]), physicsClientId=client)
    pybullet.disconnect(client)
    body.remove()
    with pytest.raises(ValueError, match="no physics server"):
        load_into_pybullet(scene([link("a")]), physicsClientId=client)


# Flags of ``loadURDF``: each is always set, passed to PyBullet, or ignored with a diagnostic.

SHOWN = link("a", shape=UNIT_BOX, visuals=(Visual(name="v", X_LG=IDENTITY, geometry=UNIT_BOX),))


def test_every_flag_of_pybullet_has_its_fate():
    names = {name for name in dir(pybullet) if name.startswith("URDF_")}
    assert sorted(names) == sorted((*ALWAYS, *IGNORED, *ALLOWED))


@pytest.mark.parametrize("name", ALWAYS)
def test_flags_without_effect_are_not_reported(bullet_client, name):
    body = load_into_pybullet(
        scene([SHOWN]), flags=getattr(pybullet, name), physicsClientId=bullet_client
    )
    assert codes(body) == set()


@pytest.mark.parametrize("name", [*IGNORED, "4"])
def test_flags_that_would_change_the_model_are_ignored_and_reported(bullet_client, name):
    flags = 4 if name == "4" else getattr(pybullet, name)
    source = scene([SHOWN, link("b")], [joint("j", "a", "b", JointType.FIXED)])
    body = load_into_pybullet(source, flags=flags, physicsClientId=bullet_client)
    (entry,) = (e for e in body.diagnostics if e.code == "pybullet.flag-ignored")
    assert name in entry.message
    assert pybullet.getNumJoints(body, bullet_client) == 1


@pytest.mark.parametrize("name", ALLOWED)
def test_other_flags_are_pybullets_own(bullet_client, name):
    body = load_into_pybullet(
        scene([SHOWN]), flags=getattr(pybullet, name), physicsClientId=bullet_client
    )
    assert "pybullet.flag-ignored" not in codes(body)
    shapes = len(pybullet.getCollisionShapeData(body, -1, bullet_client))
    assert shapes == (0 if name == "URDF_IGNORE_COLLISION_SHAPES" else 1)
    assert ("pybullet.console" in codes(body)) == (name == "URDF_PRINT_URDF_INFO")


@pytest.mark.parametrize(("flags", "far"), [(0, 0.05), (pybullet.URDF_ENABLE_SLEEPING, 0.02)])
def test_a_body_with_the_sleeping_flag_falls_asleep(bullet_client, tmp_path, flags, far):
    """PyBullet freezes what has moved slowly for 2 s."""
    (tmp_path / "robot.urdf").write_text(HINGE_AND_SLIDE)
    body = load_into_pybullet(tmp_path / "robot.urdf", flags=flags, physicsClientId=bullet_client)
    body.set_velocities({"base": (0.01, 0, 0, 0, 0, 0)})
    for _ in range(1200):
        pybullet.stepSimulation(bullet_client)
    assert body.link_pose("base").p[0] == pytest.approx(far, abs=1e-3)
