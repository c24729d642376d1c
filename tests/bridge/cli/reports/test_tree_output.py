"""Text form of a scene."""

from __future__ import annotations

from bridge.cli.reports.tree_output import dot, tree
from bridge.lowering import lower
from loaders import load_string

INERTIAL = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
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
