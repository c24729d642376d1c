"""A chain of hinges and slides moves as the joint whose place it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from loaders import model as m
from loaders.pose import Pose, frozen
from tests.support.scenes import joint, link, scene
from tests.support.urdf_writer import with_poses

T = m.JointType
PLACED = {"X_PJ": Pose.of(p=(0.3, 0.1, 0.2)), "X_CJ": Pose.of(p=(0.0, 0.1, -0.2))}
PLAIN = {"revolute", "prismatic", "continuous", "fixed"}


def given(kind: T, **more: Any) -> loaders.Scene:
    return with_poses(scene([link("a"), link("b")], [joint("j", "a", "b", kind, **PLACED, **more)]))


def moved(source: loaders.Scene, q: dict[str, Sequence[float]]) -> Pose:
    poses = bridge.lower(source).link_poses({name: tuple(value) for name, value in q.items()})
    return poses["b_origin" if "b_origin" in poses else "b"]


def plain(source: loaders.Scene, **options: Any) -> loaders.Scene:
    found = loaders.load_string(bridge.to_urdf(source, extensions=(), **options), format="urdf")
    assert {joint.type.value for joint in found.joints} <= PLAIN
    return found


def named(*names: str) -> Callable[[Sequence[float]], dict[str, Sequence[float]]]:
    return lambda q: {name: (value,) for name, value in zip(names, q, strict=True)}


SKEW = (m.JointAxis(xyz=frozen((1.0, 0.0, 0.0))), m.JointAxis(xyz=frozen((0.8, 0.6, 0.0))))


@pytest.mark.parametrize(
    ("kind", "more", "joints", "option"),
    [
        (T.UNIVERSAL, {}, ("j_axis1", "j_axis2"), "plain"),
        (T.UNIVERSAL, {"axes": SKEW}, ("j_axis1", "j_axis2"), "all"),
        (T.REVOLUTE2, {}, ("j_axis1", "j_axis2"), "all"),
        (T.PLANAR, {}, ("j_axis1", "j_axis2", "j_axis3"), "plain"),
    ],
)
def test_a_chain_has_the_positions_of_its_joint(
    kind: T, more: Any, joints: tuple[str, ...], option: str
) -> None:
    source = given(kind, **more)
    q = np.random.default_rng(0).uniform(-1.0, 1.0, len(joints)).tolist()
    assert moved(plain(source, joints=option), named(*joints)(q)).is_close(
        moved(source, {"j": q}), 1e-9
    )


def test_a_screw_is_a_hinge_with_a_slide_that_follows_it() -> None:
    source = given(T.SCREW, pitch=0.5)
    found = plain(source, joints="plain")
    (coupling,) = found.couplings
    assert (coupling.follower, coupling.leader) == ("j_slide", "j")
    assert coupling.multiplier == pytest.approx(0.5 / math.tau)
    q = {"j": (0.7,), "j_slide": (0.7 * coupling.multiplier,)}
    assert moved(found, q).is_close(moved(source, {"j": (0.7,)}), 1e-9)


def test_a_ball_is_turned_about_x_then_y_then_z() -> None:
    source = given(T.BALL, axes=())
    quaternion = [math.cos(0.35), math.sin(0.35), 0.0, 0.0]
    found = plain(source, joints="plain")
    q = {"j_x": (0.7,), "j_y": (0.0,), "j_z": (0.0,)}
    assert moved(found, q).is_close(moved(source, {"j": quaternion}), 1e-9)


def test_couplings_of_an_axis_are_those_of_its_hinge() -> None:
    links, joints = (
        [link(name) for name in "abc"],
        [joint("j", "a", "b", T.REVOLUTE2), joint("k", "a", "c")],
    )
    source = scene(links, joints, couplings=(m.Coupling(follower="k", leader="j", leader_axis=1),))
    assert [coupling.leader for coupling in plain(source).couplings] == ["j_axis2"]


def test_a_chain_is_reported() -> None:
    entries = bridge.to_urdf(given(T.REVOLUTE2)).diagnostics
    assert [entry.subjects for entry in entries if entry.code == "urdfout.chain"] == [("j",)]


def test_without_couplings_the_slide_of_a_screw_is_free_and_reported() -> None:
    urdf = bridge.to_urdf(given(T.SCREW, pitch=0.5), joints="plain", couplings=False)
    assert "<mimic" not in urdf
    assert [entry.subjects for entry in urdf.diagnostics if entry.code == "urdfout.coupling"] == [
        ("j_slide", "j")
    ]
