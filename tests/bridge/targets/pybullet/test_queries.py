"""Every function of PyBullet that asks or changes a body, against bodies of ``loadURDF`` and
``createMultiBody``; the table is in `tests.support.pybullet_queries`.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest
import trimesh

from bridge import load_into_pybullet
from bridge.targets.pybullet.client import Client
from tests.corpora.robots_corpus import robots
from tests.support import pybullet_queries as queries

GEOMETRY = {
    "box": '<box size="0.2 0.3 0.4"/>',
    "sphere": '<sphere radius="0.2"/>',
    "cylinder": '<cylinder radius="0.1" length="0.4"/>',
    "capsule": '<capsule radius="0.1" length="0.3"/>',
    "convex": '<mesh filename="convex.obj" scale="0.5 0.5 0.5"/>',
    "concave": '<mesh filename="concave.stl"/>',
}
INERTIA = {
    "aligned": 'ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"',
    "turned": 'ixx="0.02" ixy="0.004" ixz="-0.003" iyy="0.03" iyz="0.002" izz="0.04"',
}


def meshes(folder: Path) -> None:
    trimesh.creation.cylinder(radius=0.3, height=0.6, sections=9).export(folder / "convex.obj")
    corner = np.array([(0, 0), (0.4, 0), (0.4, 0.1), (0.1, 0.1), (0.1, 0.4), (0, 0.4)]) - 0.15
    faces = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)])
    trimesh.creation.extrude_triangulation(corner, faces, 0.2).export(folder / "concave.stl")


def urdf(shape: str, inertia: str, *, fixed: bool) -> str:
    """A chain of links with one shape each, moved by every type of joint.

    A mesh of a held link collides as it is; ``loadURDF`` needs an attribute for that.
    """
    link = f"""<inertial><origin xyz="0.05 -0.02 0.1" rpy="0.1 0.2 -0.3"/><mass value="1.5"/>
      <inertia {INERTIA[inertia]}/></inertial>
      <visual><origin xyz="0 0 0.1" rpy="0.3 0 0"/><geometry>{GEOMETRY[shape]}</geometry>
      <material name="m"><color rgba="0.2 0.4 0.6 1"/></material></visual>
      <collision><origin xyz="0 0 0.1" rpy="0.3 0 0"/><geometry>{GEOMETRY[shape]}</geometry></collision>"""
    limit = '<limit lower="-1.5" upper="1.2" effort="30" velocity="4"/>'
    joints = [
        ("revolute", '<axis xyz="0 0.6 0.8"/><dynamics damping="0.02"/>' + limit),
        ("fixed", ""),
        ("prismatic", '<axis xyz="1 0 0"/>' + limit),
        ("continuous", '<axis xyz="0 0 -1"/><limit effort="10" velocity="3"/>'),
        ("revolute", '<axis xyz="0 1 0"/>' + limit),
    ]
    text = [f'<link name="l0">{link}</link>']
    for number, (kind, more) in enumerate(joints, start=1):
        parent = (0, 0, 1, 1, 3, 4)[number]
        text.append(
            f'<link name="l{number}">{link}</link><joint name="j{number}" type="{kind}">'
            f'<parent link="l{parent}"/><child link="l{number}"/>'
            f'<origin xyz="0.1 0.{number} 0.5" rpy="0.4 -0.{number} 0.2"/>{more}</joint>'
        )
    if fixed and "mesh" in GEOMETRY[shape]:
        text[0] = text[0].replace("<collision>", '<collision concave="yes">')
    return f'<robot name="r">{"".join(text)}</robot>'


@pytest.mark.parametrize("fixed", [True, False], ids=["fixed", "free"])
@pytest.mark.parametrize("inertia", INERTIA)
@pytest.mark.parametrize("shape", GEOMETRY)
def test_queries_answer_as_of_a_body_of_loadurdf(tmp_path, shape, inertia, fixed):
    meshes(tmp_path)
    path = tmp_path / "r.urdf"
    path.write_text(urdf(shape, inertia, fixed=fixed))
    with queries.both(path, fixed=fixed) as (native, own, setting):
        found = queries.outcomes(native, own, setting)
    assert [str(one) for one in found if not one.is_same] == []


def test_the_table_has_every_function_of_pybullet_once():
    functions = [name for name in dir(pybullet) if callable(getattr(pybullet, name))]
    asked = [name for query in queries.QUERIES for name in query.functions]
    others = [name for names in queries.OTHERS.values() for name in names]
    assert sorted([*asked, *queries.STATED, *others]) == sorted(functions)


# --- habits of users, on robots as they come ------------------------------------------------------


def reached_by_motors(body: int, joints: list[int], client: int) -> Any:
    for joint in joints:
        pybullet.changeDynamics(body, joint, jointDamping=0, physicsClientId=client)
    pybullet.changeDynamics(body, -1, linearDamping=0, angularDamping=0, physicsClientId=client)
    pybullet.setJointMotorControlMultiDofArray(
        body,
        joints,
        pybullet.POSITION_CONTROL,
        targetPositions=[[0.1]] * len(joints),
        forces=[[20]] * len(joints),
        physicsClientId=client,
    )
    for _ in range(30):
        pybullet.stepSimulation(client)
    return [state[0] for state in pybullet.getJointStates(body, joints, client)]


def reached_in_the_null_space(body: int, joints: list[int], client: int) -> Any:
    tip, n = joints[-1], len(joints)
    target = np.add(
        pybullet.getLinkState(body, tip, physicsClientId=client)[4], (-0.03, 0.02, -0.05)
    )
    return pybullet.calculateInverseKinematics(
        body,
        tip,
        target.tolist(),
        lowerLimits=[-2.0] * n,
        upperLimits=[2.0] * n,
        jointRanges=[4.0] * n,
        restPoses=[0.1] * n,
        maxNumIterations=200,
        residualThreshold=1e-7,
        physicsClientId=client,
    )


def held_by_mass_zero(body: int, joints: list[int], client: int) -> Any:
    before = pybullet.getBasePositionAndOrientation(body, client)[0]
    pybullet.changeDynamics(body, -1, mass=0, physicsClientId=client)
    for _ in range(10):
        pybullet.stepSimulation(client)
    return np.subtract(pybullet.getBasePositionAndOrientation(body, client)[0], before)


def answer_after_removal(body: int, joints: list[int], client: int) -> Any:
    pybullet.removeBody(body, client)
    for ask in (pybullet.getBasePositionAndOrientation, pybullet.getBaseVelocity):
        with pytest.raises(pybullet.error):
            ask(body, client)
    return [pybullet.getNumBodies(client)]


INERTIA_OF_FILE = pybullet.URDF_USE_INERTIA_FROM_FILE
HABITS = (reached_by_motors, reached_in_the_null_space, held_by_mass_zero, answer_after_removal)


@pytest.mark.parametrize(
    "name",
    [
        "solo12.urdf",
        pytest.param("ur5_robot.urdf", marks=pytest.mark.slow),
        pytest.param("so101.urdf", marks=pytest.mark.slow),
    ],
)
def test_habits_give_what_they_give_with_loadurdf(name: str) -> None:
    """With ``policy="pybullet"``, as ``loadURDF`` lets no links of a robot touch one another."""
    (path,) = (str(robot.path) for robot in robots() if robot.path.name == name)
    for habit in HABITS:
        answers = []
        for load in (pybullet.loadURDF, partial(load_into_pybullet, quiet=True, policy="pybullet")):
            client = pybullet.connect(pybullet.DIRECT)
            pybullet.setGravity(0, 0, -9.81, physicsClientId=client)
            own = {} if load is not pybullet.loadURDF else {"flags": INERTIA_OF_FILE}
            body = load(path, useFixedBase=name != "solo12.urdf", physicsClientId=client, **own)
            joints = [
                joint
                for joint in range(pybullet.getNumJoints(body, client))
                if pybullet.getJointInfo(body, joint, client)[2] < pybullet.JOINT_SPHERICAL
            ]
            answers.append(habit(body, joints, client))
            pybullet.disconnect(client)
        np.testing.assert_allclose(answers[1], answers[0], atol=1e-4, err_msg=habit.__name__)


# --- order of links -------------------------------------------------------------------------------

FORK = f"""<robot name="r"><link name="root"/><link name="left"/><link name="right"/>
  <link name="left_tip"/><link name="right_tip"/>
  {
    "".join(
        f'<joint name="{parent}_{child}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'
        for parent, child in (
            ("root", "left"),
            ("root", "right"),
            ("left", "left_tip"),
            ("right", "right_tip"),
        )
    )
}</robot>"""


@pytest.mark.parametrize("flags", [0, pybullet.URDF_MAINTAIN_LINK_ORDER], ids=["tree", "file"])
def test_indices_are_those_of_loadurdf_or_a_finding_says_so(bullet_client, tmp_path, flags):
    path = tmp_path / "r.urdf"
    path.write_text(FORK)

    def order(body):
        p = Client(bullet_client)
        return [p.getJointInfo(body, index)[12] for index in range(p.getNumJoints(body))]

    native = order(pybullet.loadURDF(str(path), flags=flags, physicsClientId=bullet_client))
    robot = load_into_pybullet(path, flags=flags, physicsClientId=bullet_client, quiet=True)
    reported = any("MAINTAIN_LINK_ORDER" in str(entry) for entry in robot.diagnostics)
    assert (order(robot) == native) is not reported
    assert reported is bool(flags)


# --- bodies of createMultiBody --------------------------------------------------------------------

MASS, MOMENTS = 1.5, (0.02, 0.03, 0.04)
PLAIN = f"""<inertial><mass value="{MASS}"/><inertia ixx="{MOMENTS[0]}" ixy="0" ixz="0"
  iyy="{MOMENTS[1]}" iyz="0" izz="{MOMENTS[2]}"/></inertial>"""
BALL = '<collision><geometry><sphere radius="0.2"/></geometry></collision>'
BOX = '<collision><geometry><box size="0.2 0.3 0.4"/></geometry></collision>'
OPEN = '<limit lower="0" upper="-1" effort="0" velocity="0"/>'
CHAIN = f"""<robot name="r"><link name="link0">{PLAIN}{BOX}</link>
  <link name="link1">{PLAIN}{BALL}</link><link name="link2">{PLAIN}{BOX}</link>
  <joint name="joint1" type="continuous"><parent link="link0"/><child link="link1"/>
    <origin xyz="0.1 0.2 0.6"/><axis xyz="0 1 0"/>{OPEN}</joint>
  <joint name="joint2" type="prismatic"><parent link="link1"/><child link="link2"/>
    <origin xyz="0 0.3 0.6"/><axis xyz="1 0 0"/>{OPEN}</joint></robot>"""


def multi_body(p: Any, *, fixed: bool) -> int:
    """The same chain by ``createMultiBody``."""
    box = p.createCollisionShape(pybullet.GEOM_BOX, halfExtents=(0.1, 0.15, 0.2))
    ball = p.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.2)
    origin, identity = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    body: int = p.createMultiBody(
        0.0 if fixed else MASS,
        box,
        linkMasses=[MASS] * 2,
        linkCollisionShapeIndices=[ball, box],
        linkVisualShapeIndices=[-1, -1],
        linkPositions=[(0.1, 0.2, 0.6), (0.0, 0.3, 0.6)],
        linkOrientations=[identity] * 2,
        linkInertialFramePositions=[origin] * 2,
        linkInertialFrameOrientations=[identity] * 2,
        linkParentIndices=[0, 1],
        linkJointTypes=[pybullet.JOINT_REVOLUTE, pybullet.JOINT_PRISMATIC],
        linkJointAxis=[(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)],
    )
    for index in (0, 1) if fixed else (-1, 0, 1):
        p.changeDynamics(body, index, localInertiaDiagonal=MOMENTS)
    return body


@pytest.mark.parametrize("fixed", [True, False], ids=["fixed", "free"])
def test_queries_answer_as_of_a_body_of_createmultibody(tmp_path, fixed):
    """But for the name of the robot, and the effort and velocity that its joints are made with."""
    path = tmp_path / "r.urdf"
    path.write_text(CHAIN)
    make = partial(multi_body, fixed=fixed)
    with queries.both(path, fixed=fixed, make=make) as (made, own, setting):
        found = queries.outcomes(made, own, setting)
    assert [str(one) for one in found if not one.is_same and one.query.name != "getBodyInfo"] == []


# --- ball joints ----------------------------------------------------------------------------------


def test_ball_joints_are_set_read_and_moved_as_those_of_loadurdf(bullet_client, tmp_path):
    """By the functions of several degrees of freedom, alone and for all joints."""
    path = tmp_path / "r.urdf"
    path.write_text(CHAIN.replace("continuous", "spherical").replace("prismatic", "spherical"))
    answers = []
    for load in (pybullet.loadURDF, partial(load_into_pybullet, quiet=True)):
        p = Client(bullet_client)
        p.resetSimulation()
        source, flags = (str(path), pybullet.URDF_USE_INERTIA_FROM_FILE)
        body = load(source, useFixedBase=True, flags=flags, physicsClientId=bullet_client)
        p.changeDynamics(body, -1, linearDamping=0.0, angularDamping=0.0)
        turned, spin = (0.0, 0.6, 0.0, 0.8), (0.1, -0.2, 0.3)
        p.resetJointStatesMultiDof(body, [0, 1], [turned] * 2, [spin] * 2)
        p.resetJointStateMultiDof(body, 1, (0.6, 0.0, 0.0, 0.8), spin)
        answer = [p.getJointStatesMultiDof(body, [0, 1]), [p.getJointStateMultiDof(body, 1)]]
        p.setJointMotorControlMultiDof(
            body, 0, pybullet.POSITION_CONTROL, targetPosition=turned, force=(1.0, 1.0, 1.0)
        )
        p.setJointMotorControlMultiDofArray(
            body,
            [1],
            pybullet.POSITION_CONTROL,
            targetPositions=[turned],
            targetVelocities=[(0.0, 0.0, 0.0)],
            forces=[(2.0, 2.0, 2.0)],
        )
        for _ in range(10):
            p.stepSimulation()
        answer += [p.getJointStatesMultiDof(body, [0, 1])]
        parts = [part for state in answer for one in state for part in one[:2]]
        answers.append(np.concatenate([np.ravel(part) for part in parts]))
    native, own = answers
    assert np.abs(native[-14:] - native[:14]).max() > 1e-3  # it moved
    np.testing.assert_allclose(own, native, atol=1e-9)


# --- what differs by intention --------------------------------------------------------------------


@pytest.fixture
def both_bodies(tmp_path):
    """A function that loads a text with both loaders, and asks a question of each."""

    def ask(text, question, *, fixed=True):
        meshes(tmp_path)
        path = tmp_path / "r.urdf"
        path.write_text(text)
        answers = []
        for load in (pybullet.loadURDF, partial(load_into_pybullet, quiet=True)):
            p = Client(pybullet.connect(pybullet.DIRECT))
            flags = pybullet.URDF_USE_INERTIA_FROM_FILE
            try:
                source = str(path)
                body = load(source, useFixedBase=fixed, flags=flags, physicsClientId=p.id)
                answers.append(question(p, body))
            finally:
                p.disconnect()
        return answers

    return ask


def test_the_jacobian_of_a_held_base_with_turned_axes_is_right_only_here(both_bodies):
    """Against differences of positions of the link, which PyBullet reports in single precision."""

    def errors(p, body):
        joints, step = (0, 2, 3, 4), 1e-3
        zero = [0.0] * len(joints)
        J, _ = p.calculateJacobian(body, 4, (0, 0, 0), zero, zero, zero)
        found = np.zeros((3, len(joints)))
        for column, joint in enumerate(joints):
            ends = []
            for q in (step, -step):
                p.resetJointState(body, joint, q)
                ends.append(np.array(p.getLinkState(body, 4, computeForwardKinematics=1)[4]))
                p.resetJointState(body, joint, 0.0)
            found[:, column] = (ends[0] - ends[1]) / (2.0 * step)
        return float(np.abs(found - J).max() / np.abs(found).max())

    native, own = both_bodies(urdf("box", "turned", fixed=True), errors)
    assert own < 1e-3
    assert native == pytest.approx(0.34, abs=0.15)


@pytest.mark.parametrize("shape", GEOMETRY)
def test_the_box_of_a_held_base_is_not_larger_than_that_of_loadurdf(both_bodies, shape):
    def sides(p, body):
        low, high = p.getAABB(body, -1)
        return np.subtract(high, low)

    native, own = both_bodies(urdf(shape, "turned", fixed=True), sides)
    assert (own <= native + 1e-9).all()


def test_effort_friction_mass_and_limits_that_no_file_states(both_bodies):
    plain = """<robot name="r"><link name="a"/><link name="b"><collision><geometry><sphere radius="1"/>
      </geometry></collision></link><joint name="j" type="continuous"><parent link="a"/>
      <child link="b"/><axis xyz="0 0 1"/>LIMIT</joint></robot>"""

    def stated(p, body):
        info, dynamics = p.getJointInfo(body, 0), p.getDynamicsInfo(body, 0)
        return info[8:12], dynamics[0], dynamics[1]

    native, own = both_bodies(plain.replace("LIMIT", ""), stated)
    assert native == ((0.0, -1.0, 0.0, 0.0), 1.0, 0.5)
    assert own[0] == (0.0, -1.0, np.inf, np.inf)
    assert own[1] < 1e-6
    assert own[2] == 1.0
    limited = plain.replace("LIMIT", '<limit lower="-1" upper="1" effort="2" velocity="3"/>')
    native, own = both_bodies(limited, stated)
    assert native[0] == (-1.0, 1.0, 2.0, 3.0)
    assert own[0] == (0.0, -1.0, 2.0, 3.0)


def test_a_link_with_collisions_only_is_invisible(both_bodies):
    text = urdf("box", "aligned", fixed=True)
    head, visual, tail = text.partition("<visual>")
    text = head + tail.partition("</visual>")[2]

    def alphas(p, body):
        return {data[1]: data[7][3] for data in p.getVisualShapeData(body)}

    native, own = both_bodies(text, alphas)
    assert visual
    assert native[-1] == 1.0
    assert own == {**native, -1: 0.0}


def test_a_saved_world_names_a_file_that_is_gone(both_bodies, tmp_path):
    def files(p, _body):
        path = str(tmp_path / "world.py")
        p.saveWorld(path)
        return re.findall(r'loadURDF\("([^"]*)"', Path(path).read_text())

    native, own = both_bodies(urdf("box", "aligned", fixed=True), files)
    assert [Path(name).exists() for name in native] == [True]
    assert [Path(name).exists() for name in own] == [False]


def test_no_body_is_made_of_a_saved_state(both_bodies, tmp_path):
    def count(p, body):
        path = str(tmp_path / "state.bullet")
        p.saveBullet(path)
        p.removeBody(body)
        p.loadBullet(path)
        return p.getNumBodies()

    assert both_bodies(urdf("box", "aligned", fixed=True), count) == [0, 0]


def test_a_motor_by_its_old_name_moves_a_joint_of_the_server_0(both_bodies):
    def moved(p, body):
        assert p.id == 0
        off = [2, 3, 4]
        p.setJointMotorControlArray(body, off, pybullet.VELOCITY_CONTROL, forces=[0.0] * len(off))
        p.changeDynamics(body, -1, linearDamping=0.0, angularDamping=0.0)
        for _ in range(5):
            pybullet.setJointMotorControl(body, 0, pybullet.VELOCITY_CONTROL, 0.2, 50.0)
            p.stepSimulation()
        return p.getJointState(body, 0)[1]

    native, own = both_bodies(urdf("box", "aligned", fixed=True), moved)
    assert native > 0.1
    assert own == pytest.approx(native, abs=1e-6)


def test_a_deformable_body_is_anchored_to_a_link(tmp_path, pybullet_robots, bullet_client):
    """The nearest corner of a cloth that falls stays at the link that holds it."""
    path = tmp_path / "r.urdf"
    path.write_text(CHAIN)
    p, ends = Client(bullet_client), []
    for load in (pybullet.loadURDF, partial(load_into_pybullet, quiet=True)):
        p.resetSimulation(pybullet.RESET_USE_DEFORMABLE_WORLD)
        p.setGravity(0, 0, -9.8)
        source = str(path)
        body = load(source, useFixedBase=True, physicsClientId=bullet_client)
        cloth = p.loadSoftBody(
            str(pybullet_robots / "cloth_z_up.obj"),
            basePosition=(0.0, 0.0, 3.0),
            scale=0.3,
            mass=0.1,
            useMassSpring=1,
            springElasticStiffness=40,
        )
        p.createSoftBodyAnchor(cloth, 0, body, 1)
        start = np.array(p.getMeshData(cloth)[1])
        for _ in range(20):
            p.stepSimulation()
        ends.append(np.array(p.getMeshData(cloth)[1]) - start)
    native, own = ends
    assert np.abs(native).max() > 1e-3
    assert np.abs(own[0]).max() == pytest.approx(np.abs(native[0]).max(), abs=0.02)


def test_the_page_states_the_table(monkeypatch):
    root = Path(__file__).parents[4]
    monkeypatch.syspath_prepend(str(root))
    from docs import make_pybullet_queries_table as page

    text = (root / "docs" / "pybullet_queries.md").read_text()
    assert page.without_robots(text) == "".join(page.functions())


# --- what the comparison sees ---------------------------------------------------------------------

PLANTS = {
    "getDynamicsInfo": lambda p, body: p.changeDynamics(body, 1, mass=1.6),
    "rayTest": lambda p, body: [
        p.setCollisionFilterGroupMask(body, index, 0, 0) for index in range(-1, 5)
    ],
    "stepSimulation": lambda p, body: p.changeDynamics(body, -1, linearDamping=0.5),
    "getVisualShapeData": lambda p, body: p.changeVisualShape(body, 0, rgbaColor=(0, 0, 0, 1)),
    "setJointMotorControl2": lambda p, body: p.changeDynamics(body, 4, mass=3.0),
}


@pytest.mark.parametrize("row", PLANTS)
def test_a_difference_of_the_bodies_is_seen(tmp_path, row):
    meshes(tmp_path)
    path = tmp_path / "r.urdf"
    path.write_text(urdf("box", "turned", fixed=False))
    (query,) = (query for query in queries.QUERIES if query.name == row)
    with queries.both(path, fixed=False) as (native, own, setting):
        assert queries.outcome(query, native, own, setting).is_same
        PLANTS[row](own.p, own.body)
        assert not queries.outcome(query, native, own, setting).is_same
