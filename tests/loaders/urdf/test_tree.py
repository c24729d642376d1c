"""The kinematic tree of a URDF."""

from __future__ import annotations

import numpy as np
import pytest

import bridge
import loaders
from tests.support.urdf_documents import LINKS, codes, errors, fixed, robot


@pytest.mark.parametrize(
    ("joints", "code"),
    [
        (fixed("j", "a", "b") + fixed("k", "b", "c") + fixed("m", "c", "a"), "urdf.loop"),
        (fixed("j", "a", "b") + fixed("k", "b", "a"), "urdf.loop"),
        (fixed("j", "a", "a"), "urdf.loop"),
        (fixed("j", "a", "c") + fixed("k", "b", "c"), "urdf.two-parents"),
        (fixed("j", "world", "a") + fixed("k", "a", "world"), "urdf.loop"),
        (fixed("j", "a", "b") + fixed("k", "a", "world") + fixed("m", "b", "world"), "urdf.loop"),
    ],
)
def test_what_is_no_tree_is_an_error(joints: str, code: str) -> None:
    assert set(errors(LINKS + joints)) == {code}


def test_an_unknown_link_gets_a_suggestion() -> None:
    with pytest.raises(loaders.LoadError, match="did you mean gripper"):
        robot("<link name='gripper'/>" + fixed("j", "griper", "gripper"))


def test_several_roots_each_move_on_their_own_and_are_noticed() -> None:
    scene = robot(LINKS + fixed("j", "a", "b"))
    assert codes(scene) == ["urdf.several-roots"]
    assert [body.parent for body in bridge.lower(scene).bodies].count(-1) == 2


def test_a_joint_to_the_world_may_stand_the_other_way_round() -> None:
    scene = robot("<link name='a'/>" + fixed("j", "a", "world", "<origin xyz='1 2 3'/>"))
    np.testing.assert_allclose(scene.links[0].X_WL.p, (-1, -2, -3))


def test_a_chain_of_ten_thousand_links_is_read() -> None:
    links = "".join(f"<link name='l{i}'/>" for i in range(10_001))
    joints = "".join(
        (
            f"<joint name='j{i}' type='fixed'><parent link='l{i}'/><child link='l{i + 1}'/><origin "
            f"xyz='1 0 0'/></joint>"
        )
        for i in range(10_000)
    )
    assert robot(joints + links).links[-1].X_WL.p[0] == pytest.approx(10_000)
