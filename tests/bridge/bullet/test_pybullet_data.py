"""The SDFormat files that come with PyBullet load leniently, and stand as its own ``loadSDF`` has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pybullet
import pybullet_data
import pytest

import bridge
import loaders
from loaders.spatial import quaternion_to_matrix

DATA = Path(pybullet_data.getDataPath())
FILES = sorted(str(path.relative_to(DATA)) for path in DATA.rglob("*.sdf"))
MOVING = ("kuka_iiwa/model.sdf", "gripper/wsg50_one_motor_gripper.sdf", "gripper/wsg50_with_r2d2_gripper.sdf")
"""Files with joints; the grippers name a link ``world``, to which a joint holds them."""


@pytest.mark.parametrize("name", FILES)
def test_every_file_loads_leniently(name: str) -> None:
    scene = loaders.load(DATA / name, lenient=True, quiet=True, paths=[DATA])
    assert scene.links
    assert not [entry for entry in scene.diagnostics if entry.severity == "error"]


def link_poses(client: int, body: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Position and rotation of the frame of each link but the base, by the local name of the link."""
    poses = {}
    for joint in range(pybullet.getNumJoints(body, physicsClientId=client)):
        name = pybullet.getJointInfo(body, joint, physicsClientId=client)[12].decode()
        state = pybullet.getLinkState(body, joint, computeForwardKinematics=True, physicsClientId=client)
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
