"""Poses of links, joints and frames."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.cli.scene_text import frame_rows
from loaders import load, load_string
from loaders.pose import Pose
from tests.support.command_line import ROOT, call

ARM = ROOT / "assets" / "arm" / "model.sdf"


def test_the_poses_are_those_that_the_file_states() -> None:
    text = (
        "<sdf version='1.11'><model name='m'><pose>1 0 0 0 0 0</pose>"
        "<link name='a'><pose>0 2 0 0.1 0.2 0.3</pose></link>"
        "<frame name='f' attached_to='a'><pose>0 0 0.5 0 0 0</pose></frame></model></sdf>"
    )
    rows = {
        (kind, name): [float(x) for x in numbers]
        for kind, name, *numbers in frame_rows(load_string(text, format="sdf"))
    }
    assert rows["link", "a"] == [1, 2, 0, 0.1, 0.2, 0.3]
    tip = Pose.from_xyz_rpy((1, 2, 0), (0.1, 0.2, 0.3)) @ Pose.of(p=(0, 0, 0.5))
    assert rows["frame", "f"][:3] == pytest.approx(tip.p.tolist(), abs=1e-5)


def test_info_prints_every_link_and_joint_with_a_pose_that_can_be_read_back() -> None:
    done = call("info", ARM, "--frames")
    assert done.returncode == 0
    scene = load(ARM)
    lines = [line.split() for line in done.stdout.splitlines()]
    rows = {
        tuple(words[:2]): np.array(words[2:], float)
        for words in lines
        if len(words) == 8 and words[0] != "name"
    }
    for link in scene.links:
        row = rows["link", link.name]
        assert Pose.from_xyz_rpy(row[:3], row[3:]).is_close(link.X_WL, 1e-5), link.name
    assert {name for kind, name in rows if kind == "joint"} == {
        joint.name for joint in scene.joints
    }
    assert {name for kind, name in rows if kind == "frame"} == {
        frame.name for frame in scene.frames
    }
