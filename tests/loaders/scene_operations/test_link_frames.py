"""Moving the frames of links and back changes nothing; what is on a link stays where it is in the
world.
"""

from __future__ import annotations

import dataclasses

import numpy as np

import loaders
from bridge.diff import differences
from bridge.diff.mechanics import mechanical_error
from loaders.finish.transform import moved_frames
from loaders.model import Light
from loaders.pose import Array, Pose
from loaders.scene import Scene
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


def places(scene: Scene) -> list[Array]:
    """Positions in the world of the lights and of the points of tendons."""
    links = {link.name: link.X_WL for link in scene.links}
    parts = [part for tendon in scene.tendons for part in tendon.parts]
    return [
        *((links[light.link] @ light.X_LLight).p for light in scene.lights),
        *((links[part.link] @ part.X_LP).p for part in parts),
        *((links[part.link_S] @ Pose.of(p=part.p_LS)).p for part in parts if part.p_LS is not None),
    ]


def test_lights_and_points_of_tendons_stay_where_they_are() -> None:
    mjcf = """<mujoco><worldbody><body name="a" pos="1 2 3"><geom size=".1"/><site name="s" pos="0 1 0"/>
      <site name="t" pos="0 2 0"/><geom name="g" type="cylinder" size=".1 1"/></body></worldbody>
      <tendon><spatial name="r"><site site="s"/><geom geom="g" sidesite="t"/><site site="t"/></spatial></tendon>
      </mujoco>"""
    light = Light(name="lamp", type="point", link="a", X_LLight=Pose.of(p=(0.0, 0.0, 1.0)))
    scene = dataclasses.replace(loaders.load_string(mjcf, format="mjcf"), lights=(light,))
    moved = moved_frames(scene, {"a": random_pose(np.random.default_rng(1))})
    assert not np.allclose(scene.links[0].X_WL.p, moved.links[0].X_WL.p)
    assert len(places(scene)) == 5
    np.testing.assert_allclose(places(scene), places(moved), atol=1e-12)
