"""The names of the fields of PyBullet's replies, against bodies and constraints with known
values.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pybullet as p
import pytest

from bridge.targets.pybullet.client import ConstraintInfo, DynamicsInfo, JointInfo, named

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
