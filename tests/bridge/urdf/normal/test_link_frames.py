"""Moving the frames of links and back changes nothing; a body keeps its mechanics in another frame."""

from __future__ import annotations

import numpy as np

from bridge.diff import differences
from bridge.diff.mechanics import mechanical_error
from bridge.urdf.normal.link_frames import moved_frames
from tests.support.scenes import random_pose, random_scene
from tests.support.urdf_writer import with_poses


def test_frames_moved_and_moved_back() -> None:
    scene = with_poses(random_scene(1, fixed=True))
    rng = np.random.default_rng(0)
    frames = {link.name: random_pose(rng) for link in scene.links}
    moved = moved_frames(scene, frames)
    assert differences(scene, moved)
    back = moved_frames(moved, {name: X.inverse() for name, X in frames.items()})
    assert differences(scene, back) == ()
    assert mechanical_error(scene, moved).mass_matrix < 1e-12
