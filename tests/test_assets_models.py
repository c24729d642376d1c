"""The bundled models load without losses, and their joints move as the specification defines."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from loaders import Fate

ANGLE = 0.78
MODELS = [
    "orthogonal_z.sdf",
    "orthogonal_x.sdf",
    "double_pendulum.urdf",
    "arm/model.sdf",
    "leg.sdf",
]


def closed_form(p_CJ: tuple[float, float, float]) -> np.ndarray:
    """Return ``X_WC`` of the child, shape (4, 4), from the definition of the pose of a joint.

    At zero, the child is at (0.1, 0, 0.1) with the axes of the world, and J is at ``p_WJ = p_WC0 +
    p_CJ``. It is fixed to the parent. The joint rotates the child by R about the y axis through it:
    ``p_WC = p_WJ - R p_CJ``.
    """
    c, s = math.cos(ANGLE), math.sin(ANGLE)
    R = np.array(((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)))
    p_WJ = np.array((0.1, 0.0, 0.1)) + p_CJ
    X_WC = np.eye(4)
    X_WC[:3, :3] = R
    X_WC[:3, 3] = p_WJ - R @ p_CJ
    return X_WC


ORTHOGONAL = {
    "orthogonal_z.sdf": closed_form((0.0, 0.0, -0.1)),
    "orthogonal_x.sdf": closed_form((-0.1, 0.0, 0.0)),
}


def difference(R: np.ndarray, p: np.ndarray, X: np.ndarray) -> float:
    """Return the largest difference between the pose (R, p) and the matrix X."""
    return max(
        float(np.abs(np.asarray(R) - X[:3, :3]).max()),
        float(np.abs(np.asarray(p) - X[:3, 3]).max()),
    )


@pytest.mark.parametrize("name", MODELS)
def test_a_bundled_model_loads_without_losses(assets: Path, name: str) -> None:
    scene = loaders.load(assets / name)
    assert [str(entry) for entry in scene.diagnostics if entry.fate is not Fate.NOTED] == []


@pytest.mark.parametrize("name", ORTHOGONAL)
def test_the_scene_moves_the_child_as_the_closed_form_says(assets: Path, name: str) -> None:
    X_WC = bridge.lower(loaders.load(assets / name)).link_poses({"joint": ANGLE})["child"]
    assert difference(X_WC.R, X_WC.p, ORTHOGONAL[name]) <= 1e-12


@pytest.mark.parametrize("name", ORTHOGONAL)
def test_mujoco_moves_the_child_as_the_closed_form_says(assets: Path, name: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    model = bridge.to_mjspec(loaders.load(assets / name)).compile()
    data = mujoco.MjData(model)
    data.joint("joint").qpos[0] = ANGLE
    mujoco.mj_kinematics(model, data)
    child = data.body("child")
    assert difference(child.xmat.reshape(3, 3), child.xpos, ORTHOGONAL[name]) <= 1e-9


@pytest.mark.parametrize("name", ORTHOGONAL)
def test_pybullet_moves_the_child_as_the_closed_form_says(
    assets: Path, name: str, bullet_client: int
) -> None:
    robot = bridge.load_into_pybullet(assets / name, physicsClientId=bullet_client)
    robot.set_positions({"joint": ANGLE})
    X_WC = robot.link_pose("child")
    assert difference(X_WC.R, X_WC.p, ORTHOGONAL[name]) <= 1e-9


def test_the_two_models_start_alike_and_move_apart(assets: Path) -> None:
    z, x = (bridge.lower(loaders.load(assets / name)) for name in ORTHOGONAL)
    assert z.link_poses()["child"].is_close(x.link_poses()["child"])
    p_z, p_x = (mechanism.link_poses({"joint": ANGLE})["child"].p for mechanism in (z, x))
    # Above its joint the child swings forward; level with it, down.
    np.testing.assert_allclose(
        p_z, (0.1 + 0.1 * math.sin(ANGLE), 0.0, 0.1 * math.cos(ANGLE)), atol=1e-12
    )
    np.testing.assert_allclose(
        p_x, (0.1 * math.cos(ANGLE), 0.0, 0.1 - 0.1 * math.sin(ANGLE)), atol=1e-12
    )


def test_the_gripper_is_placed_by_its_own_frame(assets: Path) -> None:
    scene = loaders.load(assets / "arm" / "model.sdf")
    poses = {link.name: link.X_WL for link in scene.links}
    frames = {frame.name: poses[frame.link] @ frame.X_LF for frame in scene.frames}
    assert frames["gripper::mounting_face"].is_close(frames["flange"])
    # tool is 2 cm behind gripper::grasp, which is 12 cm above the palm, and the palm is on the
    # flange.
    assert frames["tool"].p == pytest.approx(
        frames["flange"].p + frames["flange"].R @ (0.0, 0.0, 0.14), abs=1e-12
    )
    assert {frame.name: frame.link for frame in scene.frames}["tool"] == "gripper::palm"


def test_the_gripper_never_touches_the_arm_that_carries_it(assets: Path) -> None:
    scene = loaders.load(assets / "arm" / "model.sdf")
    excluded = scene.excluded_collision_pairs()
    for hand in ("gripper::palm", "gripper::left_finger", "gripper::right_finger"):
        for carrier in ("forearm", "wrist"):
            assert frozenset((hand, carrier)) in excluded
    assert frozenset(("gripper::left_finger", "gripper::right_finger")) not in excluded


def test_the_leg_has_a_joint_of_each_kind_that_simulators_lack(assets: Path) -> None:
    scene = loaders.load(assets / "leg.sdf")
    kinds = {joint.name: str(joint.type) for joint in scene.joints}
    expected = {
        "bolts": "fixed",
        "rail": "planar",
        "hip": "ball",
        "knee": "universal",
        "ankle": "screw",
    }
    assert kinds == expected
