"""Initial joint positions in directives."""

from __future__ import annotations

import loaders
from loaders.model import by_name
from tests.support.directives_files import drake, load, model


def test_joints_start_at_the_given_positions(folder):
    positions = ", default_joint_positions: {j1: [0.25], j2: [0.1, 0.2, 0.3]}"
    text = "directives:\n" + model("a", extra=positions)
    joints, plant = by_name(load(folder, text).joints), drake(folder, text).plant
    assert (
        joints["a::j1"].default_position
        == (0.25,)
        == tuple(plant.GetJointByName("j1").default_positions())
    )
    w, x, y, z = joints["a::j2"].default_position
    roll, pitch, yaw = plant.GetJointByName("j2").default_positions()
    expected = loaders.Pose.from_xyz_rpy((0, 0, 0), (roll, pitch, yaw))
    assert loaders.Pose.from_vector((0, 0, 0, w, x, y, z)).is_close(expected)
