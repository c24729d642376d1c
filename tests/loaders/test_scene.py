"""The scene and its model: gravity and friction of links, items by name, and its text and plain
forms.
"""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from loaders.diagnostics import Diagnostic, Fate
from loaders.engine_settings import gravity_share
from loaders.model import X_AXIS, Y_AXIS, Z_AXIS, FilterGroup, Friction, by_name
from loaders.model.contact import UNIT_PATCH_RADIUS, torsional_length
from loaders.scene import Scene
from tests.support.mjcf_documents import BALL, document, read

# The share of gravity, against MuJoCo and PyBullet.

BODY = (
    '<body name="a" gravcomp="{}"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.5 0 '
    '0"/></body>'
)


@pytest.mark.parametrize("part", [0.0, 0.4, 1.0, 1.5])
def test_the_torque_of_gravity_is_that_of_mujoco(part: float) -> None:
    import mujoco

    model = mujoco.MjModel.from_xml_string(document(BODY.format(part)))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    scene = read(BODY.format(part))
    assert gravity_share(scene.links[0]) == pytest.approx(1.0 - part)
    expected = data.qfrc_gravcomp - data.qfrc_bias
    assert bridge.lower(scene).gravity_forces() == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_link_without_a_statement_has_its_weight() -> None:
    assert gravity_share(read(f'<body name="a">{BALL}</body>').links[0]) == 1.0


# Torsional friction as a length.


def test_the_length_is_that_of_sdformat() -> None:
    expected = 3.0 * math.pi / 16.0 * 0.5 * 0.02
    assert torsional_length(Friction(torsional=0.5, patch_radius=0.02)) == pytest.approx(
        expected, rel=1e-15
    )
    by_surface = Friction(torsional=0.5, surface_radius=0.2, use_patch_radius=False)
    assert torsional_length(by_surface, 0.002) == pytest.approx(expected, rel=1e-15)
    assert torsional_length(by_surface) == 0.0
    assert torsional_length(Friction()) == 0.0


def test_a_patch_of_unit_radius_has_the_length_of_its_coefficient() -> None:
    assert torsional_length(Friction(torsional=0.02, patch_radius=UNIT_PATCH_RADIUS)) == 0.02


# Items keyed by name, and the unit axes.


def test_items_are_keyed_by_name_in_their_order() -> None:
    groups = [FilterGroup(name=name, links=()) for name in "ba"]
    assert by_name(groups) == {"b": groups[0], "a": groups[1]}
    assert list(by_name(groups)) == ["b", "a"]


def test_unit_axes_are_right_handed_and_read_only() -> None:
    np.testing.assert_array_equal(np.cross(X_AXIS, Y_AXIS), Z_AXIS)
    with pytest.raises(ValueError, match="read-only"):
        X_AXIS[0] = 2.0


# The scene: its short text form.


def test_repr_states_name_counts_and_source(assets: Path) -> None:
    scene = loaders.load(assets / "double_pendulum.urdf")
    counts = f"1 model, {len(scene.links)} links, {len(scene.joints)} joints"
    assert repr(scene).startswith(f"<Scene {scene.name!r}: {counts} from ")
    assert repr(scene).endswith("double_pendulum.urdf>")
    assert repr(Scene(name="s")) == "<Scene 's': 0 models, 0 links, 0 joints>"


def test_repr_is_short_for_long_names() -> None:
    assert len(repr(Scene(name="n" * 500, source="/folder" * 100))) < 200
    assert len(repr(Diagnostic("a.code", Fate.NOTED, "text " * 100))) < 200


def test_replace_keeps_the_type_of_a_scene() -> None:
    assert type(dataclasses.replace(Scene(name="s"), name="t")) is Scene


# The conformance format is plain JSON with every pose, size and diagnostic.

TEXT = """<sdf version="1.9"><model name="m"><link name="a"><pose>1 2 3 0 0 0</pose>
<inertial><mass>2</mass></inertial><collision name="c"><geometry><box><size>1 2 3</size></box></geometry></collision>
</link><link name="b"/><joint name="j" type="revolute"><parent>a</parent><child>b</child>
<axis><xyz>0 0 1</xyz></axis></joint><frame name="f" attached_to="b"/></model></sdf>"""


def test_a_scene_as_plain_data() -> None:
    plain = loaders.load_string(TEXT, format="sdf").to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["links"]["a"]["X_WL"] == [1, 2, 3, 1, 0, 0, 0]
    assert plain["links"]["a"]["inertia"] == [1, 1, 1, 0, 0, 0]
    assert plain["links"]["a"]["collisions"]["c"]["size"] == [1, 2, 3]
    assert plain["joints"]["j"]["axes"][0]["upper"] == "inf"
    assert plain["joints"]["j"]["axes"][0]["lower"] == "-inf"
    assert plain["frames"]["f"]["link"] == "b"
    assert plain["models"]["m"]["canonical_link"] == "a"
