"""URDF documents: the layout that PyBullet's parser needs, and numbers that lose no digit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from lxml import etree
from transforms3d.euler import euler2mat

from bridge import lower
from bridge.targets.numbers import roll_pitch_yaw
from bridge.targets.pybullet.articulation import articulate
from bridge.targets.pybullet.geometry import ShapeWriter
from bridge.targets.pybullet.mesh import TemporaryFiles
from bridge.targets.pybullet.urdf import urdf_text
from loaders.diagnostics import Diagnostics
from loaders.model import WORLD, JointType
from loaders.pose import Array, rotation_about
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, joint, link, scene


def text_of(source: Scene) -> str:
    (articulation,) = articulate(lower(source), Diagnostics())
    return urdf_text(articulation, ShapeWriter(TemporaryFiles("")))


def test_each_element_is_on_one_line_and_links_come_before_joints() -> None:
    text = text_of(scene([link("a", shape=UNIT_BOX), link("b")], [joint("j", "a", "b")]))
    assert text.startswith('<?xml version="1.0"?>\n<robot name="')
    assert text.endswith("\n</robot>\n")
    assert all(
        line.startswith("<") and line.endswith(">") and line.count("<") == 1
        for line in text.splitlines()
    )
    root = etree.fromstring(text.encode())
    assert [child.tag for child in root] == ["link", "link", "joint"]


def test_numbers_keep_all_digits() -> None:
    limit = 0.1 + 0.2
    root = etree.fromstring(
        text_of(scene([link("a")], [joint("j", WORLD, "a", axis={"upper": limit})])).encode()
    )
    (element,) = root.iter("limit")
    assert float(str(element.get("upper"))) == limit


@pytest.mark.parametrize("name", ['quote"', "<tag>", "a & b", "line\nfeed", "\u00fc", "bell\x07"])
def test_names_need_no_escape(bullet_client: int, name: str) -> None:
    from bridge import load_into_pybullet

    source = scene([link(name), link("b")], [joint("j", name, "b", JointType.REVOLUTE)])
    assert load_into_pybullet(source, physicsClientId=bullet_client).links == {name: -1, "b": 0}


@pytest.mark.parametrize("distance", [0.0, 1e-16, 1e-14, 1e-12, 1e-9, 1e-6, 1e-3, 1.0])
def test_angles_reproduce_a_rotation_near_a_pitch_of_90_degrees(distance: float) -> None:
    rng = np.random.default_rng(0)

    def turn(axis: tuple[int, int, int], angle: float) -> Array:
        return rotation_about(axis, angle)

    for _ in range(50):
        yaw, roll, skew = rng.uniform(-3.0, 3.0, 3)
        R = turn((0, 0, 1), yaw) @ turn((0, 1, 0), math.pi / 2 - distance) @ turn((1, 0, 0), roll)
        rounded = turn((1, 0, 0), skew) @ (turn((1, 0, 0), -skew) @ R)
        np.testing.assert_allclose(euler2mat(*roll_pitch_yaw(rounded), "sxyz"), rounded, atol=5e-15)
