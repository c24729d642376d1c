"""Text form of a scene."""

from __future__ import annotations

from bridge.cli.scene_text import dot, tree
from bridge.lowering import lower
from loaders import load_string

INERTIAL = (
    "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
)
SDF = f"""<sdf version='1.11'><model name='m'>
<link name='a'>{INERTIAL}</link><link name='b"'>{INERTIAL}</link><link name='c'>{INERTIAL}</link>
<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>
<joint name='j' type='revolute'><parent>a</parent><child>b"</child>
<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis></joint>
<joint name='k' type='ball'><parent>a</parent><child>c</child></joint>
</model></sdf>"""


def test_the_tree_indents_each_link_below_its_parent() -> None:
    assert tree(lower(load_string(SDF, format="sdf"))).splitlines() == [
        "m: 1 model, 3 links, 3 joints, 4 degrees of freedom",
        "model m, canonical link a",
        "world",
        "`-- a  <- w (fixed)  2 kg",
        '    |-- b"  <- j (revolute [-1, 2])  2 kg',
        "    `-- c  <- k (ball)  2 kg",
    ]


def test_the_graph_quotes_names() -> None:
    lines = dot(load_string(SDF, format="sdf")).splitlines()
    assert '  "a" -> "b\\"" [label="j (revolute)"];' in lines
    assert sum(" -> " in line for line in lines) == 3


LIMIT = "<limit lower='0' upper='1' effort='1' velocity='1'/>"
GRIPPER = f"""<robot name='g'><link name='palm'/><link name='a'/><link name='b'/><link name='c'/>
<joint name='left' type='prismatic'><parent link='palm'/><child link='a'/>{LIMIT}</joint>
<joint name='right' type='prismatic'><parent link='palm'/><child link='b'/>{LIMIT}<mimic joint='left' multiplier='-1'/>
</joint><joint name='tip' type='revolute'><parent link='b'/><child link='c'/>{LIMIT}
<mimic joint='right' multiplier='2' offset='0.5'/></joint></robot>"""


def test_joints_that_follow_others_say_so_and_count_once() -> None:
    scene = load_string(GRIPPER, format="urdf", quiet=True)
    lines = tree(lower(scene)).splitlines()
    assert lines[0] == "g: 1 model, 4 links, 3 joints, 9 degrees of freedom, 7 of them independent"
    assert [line.split("  ")[-2].removeprefix("<- ") for line in lines if "mimics" in line] == [
        "right (prismatic [0, 1], mimics left x -1 + 0)",
        "tip (revolute [0, 1], mimics right x 2 + 0.5)",
    ]
    assert (
        '  "palm" -> "b" [label="right (prismatic, mimics left x -1 + 0)"];'
        in dot(scene).splitlines()
    )


def test_a_name_with_a_line_break_is_one_line_of_the_tree() -> None:
    """Names of MJCF may have any character."""
    text = (
        "<mujoco><worldbody><body name='a&#10;b'><joint name='j&#10;'/><geom "
        "size='1'/></body></worldbody></mujoco>"
    )
    lines = tree(lower(load_string(text, format="mjcf"))).splitlines()
    assert lines[0].endswith("1 link, 1 joint, 1 degree of freedom")
    assert lines[-1].startswith(r"`-- a\x0ab  <- j\x0a (continuous")
