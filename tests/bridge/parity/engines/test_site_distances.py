"""Several constraints of the same links: their violations add up as the root of the sum of squares,
in each engine.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.parity.engine import factory_of
from loaders.model import JointType
from tests.support.mjcf_scenes import four_bar

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

ENGINES = ("reference", "mujoco", "mujoco-native", "pybullet")
POINTS = (
    "<mujoco><worldbody><body name='a'><freejoint/><geom size='0.1'/></body>"
    "<body name='b' pos='3 0 0'><freejoint/><geom size='0.1'/></body></worldbody><equality>"
    "<connect body1='a' body2='b' anchor='0 0 1'/><connect body1='a' body2='b' anchor='0 2 0'/>"
    "<weld body1='a' body2='b' active='false'/></equality></mujoco>"
)


@pytest.mark.parametrize("name", ENGINES)
def test_two_points_of_a_moved_link_are_as_far_from_their_places_as_it_moved(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "m.xml").write_text(POINTS)
    engine = factory_of(name)(bridge.lower(loaders.load(tmp_path / "m.xml", quiet=True)))
    engine.set_state({"a": (0, 0, 0.5, 1, 0, 0, 0), "b": (3, 0, 0, 1, 0, 0, 0)}, {})
    assert engine.violations() == pytest.approx({"a, b": math.sqrt(2.0) * 0.5})
    engine.close()


@pytest.mark.parametrize("name", ENGINES[:2] + ENGINES[3:])
def test_a_hinge_that_closes_a_loop_has_the_violation_of_its_point(name: str) -> None:
    engine = factory_of(name)(bridge.lower(four_bar(JointType.REVOLUTE)))
    engine.set_state({}, {})
    assert set(engine.violations()) == {closure.joint.name for closure in engine.mechanism.closures}
    engine.close()
