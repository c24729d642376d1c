"""Files that state the same model in other words are equal to `compare`, and to Drake or MuJoCo."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from bridge import compare_files
from bridge.parity import compare
from tests.support.seeds import few

pytest.importorskip("pydrake")

SDF = """<sdf version='1.11'><model name='m'><link name='a'><inertial><mass>2</mass><inertia>
<ixx>.02</ixx><iyy>.03</iyy><izz>.04</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>
<collision name='c'><geometry><box><size>.1 .2 .3</size></box></geometry></collision></link>
<link name='b'><pose>.2 .1 0 .3 0 1.5707963267948966</pose><inertial><mass>1</mass><inertia>
<ixx>.01</ixx><iyy>.02</iyy><izz>.02</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>
</link><joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
<limit><lower>-1</lower><upper>2</upper></limit></axis></joint></model></sdf>"""
POSE = "<pose>.2 .1 0 .3 0 1.5707963267948966</pose>"
HALF = math.pi / 4
QUATERNION = (
    math.sin(0.15) * math.cos(HALF),
    math.sin(0.15) * math.sin(HALF),
    math.cos(0.15) * math.sin(HALF),
    math.cos(0.15) * math.cos(HALF),
)
"""Of a roll of 0.3 and a yaw of a quarter turn, in the order ``x y z w``."""
SDF_EDITS = {
    "degrees": (POSE, f"<pose degrees='true'>.2 .1 0 {math.degrees(0.3):.17g} 0 90</pose>"),
    "a quaternion": (
        POSE,
        "<pose rotation_format='quat_xyzw'>.2 .1 0 {:.17g} {:.17g} {:.17g} {:.17g}</pose>".format(
            *QUATERNION
        ),
    ),
    "a pose that is relative to a frame": (
        POSE,
        POSE.replace("<pose>.2 .1 0", "<pose relative_to='f'>.1 0 0"),
    ),
    "a pose that is relative to a link": (POSE, POSE.replace("<pose>", "<pose relative_to='a'>")),
    "an axis in the frame of the model": (
        "<xyz>0 0 1</xyz>",
        f"<xyz expressed_in='a'>{math.sin(0.3):.17g} 0 {math.cos(0.3):.17g}</xyz>",
    ),
    "defaults written out": (
        "<upper>2</upper>",
        "<upper>2</upper><effort>inf</effort><velocity>inf</velocity>",
    ),
    "a parent that is a frame": ("<parent>a</parent>", "<parent>f</parent>"),
    "a longer axis": ("<xyz>0 0 1</xyz>", "<xyz>0 0 7</xyz>"),
    "an older version": ("version='1.11'", "version='1.8'"),
    "the joint first": None,
}
FRAME = "<frame name='f' attached_to='a'><pose>.1 .1 0 0 0 0</pose></frame>"


def with_frame(text: str) -> str:
    return text.replace("</model>", f"{FRAME}</model>")


@pytest.mark.parametrize("edit", few(SDF_EDITS, 4))
def test_an_sdf_in_other_words_is_equal(edit: str, tmp_path: Path) -> None:
    one, two = tmp_path / "one.sdf", tmp_path / "two.sdf"
    text = SDF
    if SDF_EDITS[edit] is None:
        start, end = text.index("<joint"), text.index("</joint>") + len("</joint>")
        text = text.replace(text[start:end], "").replace(
            "<model name='m'>", f"<model name='m' canonical_link='a'>{text[start:end]}"
        )
    else:
        assert SDF_EDITS[edit][0] in text
        text = text.replace(*SDF_EDITS[edit])
    one.write_text(with_frame(SDF), encoding="utf-8")
    two.write_text(with_frame(text), encoding="utf-8")
    for path in (one, two):
        assert compare(path, ("drake",), levels=("L0", "L1"), configurations=2).failures == ()
    found = compare_files(one, two)
    assert (found.equal, found.moves_alike) == (True, True)


MJCF = """<mujoco><compiler angle='radian'/><default><geom friction='.7 .01 .001'/></default><worldbody>
<body name='a' pos='0 0 1' euler='.3 0 0'><joint name='j' damping='.1' range='-1 1'/>
<geom name='g' type='box' size='.1 .2 .3' density='900'/></body></worldbody></mujoco>"""
MJCF_EDITS = {
    "degrees": (
        "<compiler angle='radian'/>",
        "<compiler angle='degree'/>",
        "euler='.3 0 0'",
        f"euler='{math.degrees(0.3):.17g} 0 0'",
        "range='-1 1'",
        f"range='{-math.degrees(1):.17g} {math.degrees(1):.17g}'",
    ),
    "a quaternion": ("euler='.3 0 0'", f"quat='{math.cos(0.15):.17g} {math.sin(0.15):.17g} 0 0'"),
    "an axis and angle": ("euler='.3 0 0'", "axisangle='1 0 0 .3'"),
    "a class": (
        "<default><geom friction='.7 .01 .001'/></default>",
        "<default><default class='k'><geom friction='.7 .01 .001'/></default></default>",
        "<geom name='g'",
        "<geom class='k' name='g'",
    ),
    "a mass": ("density='900'", f"mass='{900 * 0.2 * 0.4 * 0.6:.17g}'"),
    "a frame around it": (
        "<body name='a' pos='0 0 1'",
        "<frame pos='0 0 .4'><body name='a' pos='0 0 .6'",
        "</body>",
        "</body></frame>",
    ),
    "defaults written out": ("<joint name='j'", "<joint name='j' type='hinge' axis='0 0 1'"),
}


@pytest.mark.parametrize("edit", MJCF_EDITS)
def test_an_mjcf_in_other_words_is_equal(edit: str, tmp_path: Path) -> None:
    one, two, text = tmp_path / "one.xml", tmp_path / "two.xml", MJCF
    for old, new in zip(MJCF_EDITS[edit][::2], MJCF_EDITS[edit][1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    one.write_text(MJCF, encoding="utf-8")
    two.write_text(text, encoding="utf-8")
    for path in (one, two):
        witnessed = compare(path, ("mujoco-native",), levels=("L0", "L1"), configurations=2)
        assert witnessed.failures == ()
    found = compare_files(one, two)
    assert (found.equal, found.moves_alike) == (True, True)
