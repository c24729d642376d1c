"""The SDFormat files that come with PyBullet load leniently, and stand and move as its own
``loadSDF`` has them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pybullet
import pybullet_data
import pytest

import bridge
import loaders
from loaders.pose import quaternion_to_matrix

DATA = Path(pybullet_data.getDataPath())
FILES = sorted(str(path.relative_to(DATA)) for path in DATA.rglob("*.sdf"))
MOVING = (
    "kuka_iiwa/model.sdf",
    "gripper/wsg50_one_motor_gripper.sdf",
    "gripper/wsg50_with_r2d2_gripper.sdf",
)
"""Files with joints; the grippers name a link ``world``, to which a joint holds them."""


@pytest.mark.parametrize("name", FILES)
def test_every_file_loads_leniently(name: str) -> None:
    scene = loaders.load(DATA / name, lenient=True, quiet=True, paths=[DATA])
    assert scene.links
    assert not [entry for entry in scene.diagnostics if entry.severity == "error"]


def link_poses(client: int, body: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Position and rotation of the frame of each link but the base, by the local name of the
    link.
    """
    poses = {}
    for joint in range(pybullet.getNumJoints(body, physicsClientId=client)):
        name = pybullet.getJointInfo(body, joint, physicsClientId=client)[12].decode()
        state = pybullet.getLinkState(
            body, joint, computeForwardKinematics=True, physicsClientId=client
        )
        x, y, z, w = state[5]
        poses[name] = np.array(state[4]), quaternion_to_matrix((w, x, y, z))
    return poses


@pytest.mark.parametrize("name", MOVING)
def test_links_stand_as_load_sdf_places_them(bullet_client: int, name: str) -> None:
    (native,) = pybullet.loadSDF(str(DATA / name), physicsClientId=bullet_client)
    scene = loaders.load(DATA / name, lenient=True, quiet=True, paths=[DATA])
    ours = bridge.lower(scene).link_poses()
    by_local_name = {link.rpartition("::")[2]: X for link, X in ours.items()}
    theirs = link_poses(bullet_client, native)
    assert len(theirs) >= 5
    for link, (p, R) in theirs.items():
        np.testing.assert_allclose(by_local_name[link].p, p, atol=1e-6)
        np.testing.assert_allclose(by_local_name[link].R, R, atol=1e-6)


NOT_LOADED = {
    "kuka_iiwa/kuka_world.sdf",
    "kuka_iiwa/model2.sdf",
    "gripper/wsg50_one_motor_gripper_free_base.sdf",
}
"""Files with includes, which ``loadSDF`` refuses, and one that crashes it."""
STEPS, STEP = 100, 1e-3


def joints(client: int, body: int) -> dict[str, int]:
    """PyBullet's index of each joint, by the local name of its child link."""
    count = pybullet.getNumJoints(body, physicsClientId=client)
    infos = (pybullet.getJointInfo(body, joint, physicsClientId=client) for joint in range(count))
    return {info[12].decode().rpartition("::")[2]: info[0] for info in infos}


def prepare(client: int, body: int, time_step: float) -> None:
    """Let a body move under gravity alone: no motors, no drag."""
    pybullet.setGravity(0, 0, -9.8, physicsClientId=client)
    pybullet.setTimeStep(time_step, physicsClientId=client)
    pybullet.changeDynamics(body, -1, linearDamping=0, angularDamping=0, physicsClientId=client)
    for joint in joints(client, body).values():
        if pybullet.getJointInfo(body, joint, physicsClientId=client)[2] in (
            pybullet.JOINT_REVOLUTE,
            pybullet.JOINT_PRISMATIC,
        ):
            pybullet.setJointMotorControl2(
                body, joint, pybullet.VELOCITY_CONTROL, force=0, physicsClientId=client
            )


def moments(client: int, body: int, joint: int) -> tuple[float, ...]:
    return pybullet.getDynamicsInfo(body, joint, physicsClientId=client)[2]


@pytest.mark.parametrize("name", [name for name in FILES if name not in NOT_LOADED])
def test_links_move_as_in_load_sdf_with_the_inertias_of_the_file(name: str) -> None:
    """``loadSDF`` holds a base without mass, lets no links of a model collide, and computes moments
    from the shapes.
    """
    client, witness = pybullet.connect(pybullet.DIRECT), pybullet.connect(pybullet.DIRECT)
    try:
        natives = pybullet.loadSDF(str(DATA / name), physicsClientId=witness)
        jointed = [body for body in natives if pybullet.getNumJoints(body, physicsClientId=witness)]
        held = any(
            pybullet.getDynamicsInfo(body, -1, physicsClientId=witness)[0] == 0.0
            and pybullet.getBodyInfo(body, physicsClientId=witness)[0] != b"world"
            for body in jointed
        )
        options = {"useFixedBase": True} if held else {}
        scene = loaders.load(DATA / name, lenient=True, quiet=True, paths=[DATA])
        bodies = bridge.load_world_into_pybullet(
            scene,
            physicsClientId=client,
            policy="pybullet",
            damping="exact",
            quiet=True,
            **options,
        )
        assert len(bodies) == len(natives)
        for ours, native in zip(map(int, bodies), natives, strict=True):
            prepare(client, ours, STEP)
            prepare(witness, native, STEP)
            own = joints(client, ours)
            for link, joint in joints(witness, native).items():
                stated = moments(client, ours, own[link])
                pybullet.changeDynamics(
                    native, joint, localInertiaDiagonal=stated, physicsClientId=witness
                )
        for _ in range(STEPS):
            pybullet.stepSimulation(physicsClientId=client)
            pybullet.stepSimulation(physicsClientId=witness)
        for ours, native in zip(map(int, bodies), natives, strict=True):
            moved = {link.rpartition("::")[2]: X for link, X in link_poses(client, ours).items()}
            for link, (p, R) in link_poses(witness, native).items():
                np.testing.assert_allclose(moved[link][0], p, atol=1e-9)
                np.testing.assert_allclose(moved[link][1], R, atol=1e-9)
    finally:
        pybullet.disconnect(client)
        pybullet.disconnect(witness)
