"""The causes of differences come first, in words and units; what follows from them is counted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.diff.changes import changes_of
from bridge.diff.files import FileComparison

ROBOT = """<robot name="arms">
  <link name="base"><inertial><mass value="8"/>
    <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  {arms}
</robot>"""
ARM = """
  <joint name="{side}_shoulder" type="revolute"><parent link="base"/><child link="{side}_upper"/>
    <origin xyz="0 {y} 0.2" rpy="{roll} 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="60" velocity="3"/><dynamics damping="0.5"/></joint>
  <link name="{side}_upper"><inertial><origin xyz="0 0 -0.15"/><mass value="2"/>
    <inertia ixx=".02" iyy=".02" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -0.15"/><geometry><box size="0.06 0.06 0.3"/></geometry></collision>
  </link>
  <joint name="{side}_elbow" type="revolute"><parent link="{side}_upper"/>
    <child link="{side}_fore"/><origin xyz="0 0 -0.3"/><axis xyz="0 1 0"/>
    <limit lower="-2.0" upper="0" effort="30" velocity="4"/></joint>
  <link name="{side}_fore"><inertial><origin xyz="0 0 -0.1"/><mass value="{mass}"/>
    <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
LEFT = ARM.format(side="left", y=0.2, roll=0.2, mass=1.2)
RIGHT = ARM.format(side="right", y=-0.2, roll=-0.2, mass=1.1)
TEXT = ROBOT.format(arms=LEFT + RIGHT)


def _compared(folder: Path, old: str, new: str, suffix: str = "urdf") -> FileComparison:
    paths = [folder / f"{name}.{suffix}" for name in ("old", "new")]
    for path, text in zip(paths, (old, new), strict=True):
        path.write_text(text)
    return bridge.compare_files(*paths)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            'xyz="0 0 -0.3"',
            'xyz="0 0 -300"',
            "joint left_elbow: origin xyz 0 0 -0.3 to 0 0 -300 m "
            "(1000 times as large: millimeters?); 1 difference follows from it",
        ),
        (
            'xyz="0 0 -0.3"',
            'xyz="0 0 -0.31"',
            "joint left_elbow: origin xyz 0 0 -0.3 to 0 0 -0.31 m (by 10 mm); "
            "1 difference follows from it",
        ),
        (
            'rpy="0.2 0 0"',
            'rpy="0.2 0.3 0"',
            "joint left_shoulder: origin rpy 0.2 0 0 to 0.2 0.3 0 rad "
            "(11.4592 0 0 to 11.4592 17.1887 0 deg; turned by 17.19 deg); "
            "2 differences follow from it",
        ),
        ('value="1.2"', 'value="2.4"', "link left_fore: mass 1.2 to 2.4 kg (2 times)"),
        ('value="1.2"', 'value="1.5"', "link left_fore: mass 1.2 to 1.5 kg (+25 %)"),
        ('value="1.2"', 'value="1200"', "link left_fore: mass 1.2 to 1200 kg (1000 times as "),
        (
            'lower="-2.0"',
            'lower="-115"',
            "joint left_elbow: lower limit -2 to -115 rad (-114.592 to -6589.01 deg; 57.3 times",
        ),
        ('damping="0.5"', 'damping="0"', "joint left_shoulder: damping 0.5 to 0 N m s/rad"),
        ('xyz="0 1 0"', 'xyz="0 -1 0"', "axis 0 1 0 to 0 -1 0 (the sign is reversed)"),
        ('size="0.06 0.06 0.3"', 'size="0.06 0.06 0.6"', "size 0.06 0.06 0.3 to 0.06 0.06 0.6 m"),
    ],
)
def test_a_change_is_one_sentence_with_units(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    comparison = _compared(tmp_path, TEXT, TEXT.replace(old, new, 1))
    (change,) = comparison.changes
    assert change.acts
    assert expected in change.message
    assert re.match(r"old\.urdf:\d+: new\.urdf:\d+: ", str(change))
    assert len(comparison.differences) == change.follows + 1


def test_exchanged_names_explain_all_rows(tmp_path: Path) -> None:
    other = {"left": "right", "right": "left"}
    swapped = re.sub("left|right", lambda match: other[match[0]], TEXT)
    comparison = _compared(tmp_path, TEXT, swapped)
    (change,) = comparison.changes
    assert change.text == "left and right are exchanged in the names of 4 links and 4 joints"
    assert change.follows == len(comparison.differences)
    assert comparison.verdict == "DIFFERENT"


def test_two_exchanged_names_are_named_and_another_change_stays(tmp_path: Path) -> None:
    names = {"left_fore": "right_fore", "right_fore": "left_fore"}
    swapped = re.sub("left_fore|right_fore", lambda match: names[match[0]], TEXT)
    comparison = _compared(tmp_path, TEXT, swapped.replace('effort="60"', 'effort="50"'))
    texts = [change.message for change in comparison.changes]
    assert "names of 2 links and 0 joints" in texts[0]
    assert any("effort 60 to 50 N m (-16.7 %)" in text for text in texts)


def test_a_file_in_millimeters_is_one_change(tmp_path: Path) -> None:
    scaled = re.sub(
        r'(xyz|size)="([^"]*[.][^"]*)"',
        lambda m: f'{m[1]}="{" ".join(str(1e3 * float(x)) for x in m[2].split())}"',
        TEXT,
    )
    comparison = _compared(tmp_path, TEXT, scaled)
    assert "1000 times as large: millimeters?" in comparison.changes[0].text
    assert len(comparison.changes) == 1


MODEL = """<sdf version="1.9"><model name="m"><link name="a"/>
  <link name="b"><pose>0 0 {z} 0 0 0</pose></link><link name="c"><pose>0 0 2 0 0 0</pose></link>
  <joint name="j" type="revolute"><parent>a</parent><child>b</child>
    <axis><xyz>1 0 0</xyz></axis></joint>
  <joint name="k" type="revolute"><parent>b</parent><child>c</child>
    <axis><xyz>1 0 0</xyz></axis></joint></model></sdf>"""


def test_a_link_that_moves_alone_is_the_cause_of_what_is_placed_in_it(tmp_path: Path) -> None:
    comparison = _compared(tmp_path, MODEL.format(z=1), MODEL.format(z=1.5), "sdf")
    (change,) = [c for c in comparison.changes if c.kind == "joint"]
    assert change.name == "j"
    assert change.text == "pose xyz 0 0 1 to 0 0 1.5 m (by 500 mm)"


def test_the_effect_has_units(tmp_path: Path) -> None:
    moved = _compared(tmp_path, TEXT, TEXT.replace('xyz="0 0 -0.3"', 'xyz="0 0 -0.4"', 1))
    assert moved.effects[0] == "left_fore is up to 0.1 m away from its place in A"
    heavy = _compared(tmp_path, TEXT, TEXT.replace('value="1.2"', 'value="2.4"'))
    assert heavy.effects[0] == "the total mass changes from 14.3 to 15.5 kg"
    assert "masses differ by up to 100 % of their value" in heavy.reasons


def test_equal_scenes_have_no_changes(tmp_path: Path) -> None:
    comparison = _compared(tmp_path, TEXT, TEXT)
    assert comparison.changes == comparison.effects == ()
    scene = loaders.load(tmp_path / "old.urdf")
    assert changes_of((), (), scene, scene) == ()
