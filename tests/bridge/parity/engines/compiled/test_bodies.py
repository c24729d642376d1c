"""What a compiled model states about joints and contacts."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

import bridge
import loaders
from bridge.parity import compare
from bridge.parity.engines.mujoco.engine import MujocoEngine
from loaders import Pose
from loaders.pose import Array

TEXT = (
    "<mujoco><worldbody><light name='l'/><camera name='c'/>"
    "<body name='a' gravcomp='0.5'><joint name='j' {joint}/><geom size='1' condim='6' "
    "margin='0.2'/></body>"
    "<body name='b' pos='5 0 0'><freejoint/><geom name='g' size='1'/><geom name='h' "
    "size='1'/></body></worldbody>"
    "<contact><pair geom1='g' geom2='h' gap='0.1' condim='1'/></contact></mujoco>"
)


def stated(joint: str = "") -> dict[str, Array]:
    scene = loaders.load_string(TEXT.format(joint=joint), format="mjcf", quiet=True)
    return {
        label: found
        for (label, _), found in MujocoEngine(bridge.lower(scene)).compiled_statements().items()
    }


def test_shapes_and_pairs_are_named_by_their_links() -> None:
    found = stated()
    assert {
        "contact of a",
        "contact of b",
        "contact of b (2)",
        "contact of b with b",
    } <= found.keys()
    assert found["contact of a"][0] == 6.0
    assert found["contact of b with b"][0] == 1.0


def test_settings_of_stops_and_friction_count_only_where_they_act() -> None:
    plain = stated()["settings of j"]
    np.testing.assert_array_equal(
        stated("solreflimit='0.1 1' solreffriction='0.1 1'")["settings of j"], plain
    )
    assert stated("frictionloss='1'")["settings of j"].size > plain.size
    assert stated("range='-10 10'")["settings of j"].size > plain.size


def test_links_cameras_and_lights_are_stated() -> None:
    found = stated()
    assert found["gravity compensation of a"].tolist() == [0.5]
    assert {"camera c of world", "light l of world"} <= found.keys()


def test_joints_are_stated_where_the_document_draws_them() -> None:
    """MuJoCo's initial position is not that of the first key, with which an export starts."""
    text = (
        "<mujoco><worldbody><body name='a' pos='1 2 3' quat='0 1 0 0'><freejoint name='f'/><geom "
        "size='1'/>"
        "<body><joint name='h' ref='90'/><geom size='1'/></body></body></worldbody>"
        "<keyframe><key qpos='9 9 9 1 0 0 0 0'/></keyframe></mujoco>"
    )
    scene = loaders.load_string(text, format="mjcf", quiet=True)
    found = {
        label: numbers
        for (label, _), numbers in MujocoEngine(bridge.lower(scene)).compiled_statements().items()
    }
    places = [x for x in found["settings of a"].tolist() if x in {1.0, 2.0, 3.0, -1.0, 9.0}]
    assert places == [1.0, 2.0, 3.0, 1.0, -1.0, -1.0]
    assert (
        np.pi / 2 in found["settings of h"].round(15)
        or np.isclose(found["settings of h"], np.pi / 2).any()
    )


def test_a_free_link_that_is_drawn_elsewhere_is_found(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(
        "<mujoco><worldbody><body name='a' pos='1 2 3'><freejoint/><geom "
        "size='1'/></body></worldbody>"
        "<keyframe><key name='home' qpos='9 9 9 1 0 0 0'/></keyframe></mujoco>"
    )
    scene = loaders.load(path, quiet=True)
    moved = dataclasses.replace(
        scene.links[0], X_WL=scene.links[0].X_WL @ Pose.of(p=(1e-6, 0.0, 0.0))
    )
    for links, is_found in ((scene.links, False), ((moved,), True)):
        changed = dataclasses.replace(scene, links=links)
        found = compare(
            changed, engines=("mujoco", "mujoco-native"), levels=("L0",), configurations=1
        )
        assert ("settings of a" in {row.where for row in found.failures}) is is_found


def test_the_inertia_of_a_link_that_cannot_move_is_stated() -> None:
    text = (
        "<mujoco><worldbody><body name='a'><geom size='1' mass='3' pos='0 0 "
        "1'/></body></worldbody></mujoco>"
    )
    engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf", quiet=True)))
    found = engine.compiled_statements()["inertia of a", ("a",)]
    assert found.tolist() == [3.0, 0.0, 0.0, 1.0, *(x * 1.2 for x in np.eye(3).ravel())]


def test_masks_of_single_shapes_and_shapes_of_pairs_are_found(tmp_path: Path) -> None:
    """Other shapes of the same links touch all the same, so that no pair of links shows the
    fault.
    """
    path = tmp_path / "robot.xml"
    body = (
        "<body name='{0}' pos='{1} 0 0'><freejoint/><geom name='{0}1' size='1'/><geom "
        "name='{0}2' size='2'/></body>"
    )
    path.write_text(
        f"<mujoco><worldbody>{body.format('a', 0)}{body.format('b', 9)}</worldbody>"
        "<contact><pair geom1='a1' geom2='b2'/></contact></mujoco>"
    )
    scene = loaders.load(path, quiet=True)
    link = scene.links[0]
    surface = dataclasses.replace(link.collisions[0].surface, collide_bitmask=2, category_bitmask=2)
    masked = dataclasses.replace(
        link,
        collisions=(dataclasses.replace(link.collisions[0], surface=surface), *link.collisions[1:]),
    )
    pair = dataclasses.replace(scene.contact_pairs[0], collision_A="a2")
    for changed, where in (
        (scene, set()),
        (
            dataclasses.replace(scene, links=(masked, *scene.links[1:])),
            {"contact of a", "contact of b", "contact of b (2)"},
        ),
        (dataclasses.replace(scene, contact_pairs=(pair,)), {"contact of a with b"}),
    ):
        found = compare(
            changed, engines=("mujoco", "mujoco-native"), levels=("L0", "L1"), configurations=1
        )
        failed = {row.where for row in found.failures}
        assert (not failed and not where) or failed & where
