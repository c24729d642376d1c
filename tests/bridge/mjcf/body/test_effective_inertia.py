"""Effective inertia of joints, compared with the closed form of a double pendulum and with
MuJoCo.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge import lower
from bridge.targets.mjcf.inertial import effective_inertia, max_effort
from loaders.model import JointAxis, JointType
from loaders.pose import frozen
from tests.support.mjcf_scenes import chain, random_tree


@pytest.mark.parametrize("seed", range(4))
def test_a_force_on_one_joint_accelerates_it_by_its_inverse_effective_inertia(seed: int) -> None:
    mechanism = lower(random_tree(seed, kinds=(JointType.REVOLUTE,), size=5))
    inertia = effective_inertia(mechanism)
    assert inertia is not None
    M = mechanism.mass_matrix()
    for i, force in enumerate(np.eye(len(M))):
        assert np.linalg.solve(M, force)[i] == pytest.approx(1.0 / inertia.free[i], rel=1e-9)
        assert M[i, i] == pytest.approx(inertia.locked[i], rel=1e-9)
    assert np.all(inertia.min_free <= inertia.free)


def test_more_than_a_thousand_velocities_have_no_effective_inertia() -> None:
    assert effective_inertia(lower(chain(1000))) is None


def test_the_largest_effort_turns_a_hinge_by_a_fifth_of_a_radian_in_one_step() -> None:
    axis = JointAxis(xyz=frozen((0.0, 0.0, 1.0)), lower=-1e9, upper=1e9)
    effort = max_effort(0.5, axis, 1e-3, speed=100.0)
    assert effort / 0.5 * 1e-3 * 1e-3 == pytest.approx(0.2)


def test_a_negative_mass_is_an_error_of_ours_although_no_speed_follows_from_it() -> None:
    """The inertia that a motor moves is negative, so that full effort has no speed."""
    tensor = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    body = f'<inertial><origin xyz="0 0 1"/><mass value="-1"/>{tensor}</inertial>'
    ends = '<parent link="a"/><child link="b"/><axis xyz="0 1 0"/>'
    joint = (
        f'<joint name="j" type="revolute">{ends}<limit lower="-1" upper="1" effort="9" '
        f'velocity="1"/></joint>'
    )
    urdf = f'<robot name="r"><link name="a"/><link name="b">{body}</link>{joint}</robot>'
    with pytest.raises(loaders.ExportError, match="negative"):
        bridge.to_mjcf(loaders.load_string(urdf, format="urdf", quiet=True), quiet=True)


def test_the_turn_of_a_light_joint_is_the_speed_that_full_effort_gives_it_between_its_stops_in_mujoco() -> (
    None
):
    inertia = (
        '<inertial><mass value="1"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" '
        'izz="1e-3"/></inertial>'
    )
    joint = (
        '<joint name="j" type="revolute"><parent link="world"/><child link="b"/><axis xyz="0 '
        '0 1"/>{}</joint>'
    )
    limits = '<limit lower="-1" upper="1" effort="100" velocity="1e6"/>'
    urdf = (
        f'<robot name="r"><link name="world"/><link '
        f'name="b">{inertia}</link>{joint.format(limits)}</robot>'
    )
    mjcf = bridge.to_mjcf(loaders.load_string(urdf, format="urdf", quiet=True), quiet=True)
    (found,) = (entry for entry in mjcf.diagnostics if entry.code == "mjcf.light-joint")
    model = mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)
    step, model.opt.timestep = model.opt.timestep, 2e-6
    data = mujoco.MjData(model)
    data.qpos[0], data.qfrc_applied[0] = model.jnt_range[0, 0], 100.0
    while data.qpos[0] < model.jnt_range[0, 1]:
        mujoco.mj_step(model, data)
    assert found.arguments["turn"] == pytest.approx(data.qvel[0] * step, rel=2e-3)
