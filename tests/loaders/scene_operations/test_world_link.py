"""Merged scenes have one world with the shapes of all; `tests/loaders/mjcf/test_includes.py` asks
the simulators.
"""

from __future__ import annotations

import loaders
from loaders.finish.transform import merge, place
from loaders.model import WORLD, Link

FLOOR = """<mujoco model="r"><worldbody><geom name="floor" type="plane" size="1 1 1"/><geom name="r_floor" size="1"/>
<body name="b"><geom name="g" size=".1"/></body></worldbody>
<contact><pair geom1="floor" geom2="g"/></contact></mujoco>"""


def merged(*scopes: str) -> loaders.Scene:
    scene = loaders.load_string(FLOOR, format="mjcf", quiet=True)
    return merge(*(place(scene, scope) for scope in scopes))


def world(scene: loaders.Scene) -> Link:
    (link,) = (link for link in scene.links if link.name == WORLD)
    return link


def test_one_scene_keeps_the_names_of_its_shapes() -> None:
    assert [shape.name for shape in world(merged("q")).collisions] == ["floor", "r_floor"]


def test_names_that_another_scene_has_get_that_of_their_own_scene() -> None:
    scene = merged("p", "q", "r")
    names = ["floor", "r_floor", "q_floor", "q_r_floor", "r_floor_2", "r_r_floor"]
    assert [shape.name for shape in world(scene).collisions] == names
    assert [shape.name for shape in world(scene).visuals] == names


def test_contact_pairs_keep_their_shapes() -> None:
    pairs = [(pair.collision_A, pair.link_B) for pair in merged("p", "q", "r").contact_pairs]
    assert pairs == [("floor", "p::b"), ("q_floor", "q::b"), ("r_floor_2", "r::b")]


def test_the_other_links_stay_in_order() -> None:
    assert [link.name for link in merged("p", "q").links] == [WORLD, "p::b", "q::b"]
