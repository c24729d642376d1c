"""What a compiled model states about joints and contacts."""

from __future__ import annotations

import numpy as np

import bridge
import loaders
from bridge.parity.engines.mujoco_engine import MujocoEngine
from loaders.spatial import Array

TEXT = (
    "<mujoco><worldbody><light name='l'/><camera name='c'/>"
    "<body name='a' gravcomp='0.5'><joint name='j' {joint}/><geom size='1' condim='6' margin='0.2'/></body>"
    "<body name='b' pos='5 0 0'><freejoint/><geom name='g' size='1'/><geom name='h' size='1'/></body></worldbody>"
    "<contact><pair geom1='g' geom2='h' gap='0.1' condim='1'/></contact></mujoco>"
)


def stated(joint: str = "") -> dict[str, Array]:
    scene = loaders.load_string(TEXT.format(joint=joint), format="mjcf", quiet=True)
    return {label: found for (label, _), found in MujocoEngine(bridge.lower(scene)).compiled_statements().items()}


def test_shapes_and_pairs_are_named_by_their_links() -> None:
    found = stated()
    assert {"contact of a", "contact of b", "contact of b (2)", "contact of b with b"} <= found.keys()
    assert found["contact of a"][0] == 6.0
    assert found["contact of b with b"][0] == 1.0


def test_settings_of_stops_and_friction_count_only_where_they_act() -> None:
    plain = stated()["settings of j"]
    np.testing.assert_array_equal(stated("solreflimit='0.1 1' solreffriction='0.1 1'")["settings of j"], plain)
    assert stated("frictionloss='1'")["settings of j"].size > plain.size
    assert stated("range='-10 10'")["settings of j"].size > plain.size


def test_links_cameras_and_lights_are_stated() -> None:
    found = stated()
    assert found["gravity compensation of a"].tolist() == [0.5]
    assert {"camera c of world", "light l of world"} <= found.keys()
