"""Names and places of a compiled model."""

from __future__ import annotations

import pytest

from loaders.model import Sphere
from tests.support.mjcf_documents import BALL, read


def test_a_number_that_is_taken_gets_an_underscore() -> None:
    scene = read(f'<body>{BALL}</body><body name="body_1">{BALL}</body>')
    assert [link.name for link in scene.links] == ["_body_1", "body_1"]


def test_replicas_share_the_line_of_their_template() -> None:
    scene = read(
        f'\n<replicate count="2" offset="1 0 0">\n<body name="r">{BALL}</body></replicate>'
    )
    assert [link.name for link in scene.links] == ["r0", "r1"]
    assert [link.where.line for link in scene.links] == [3, 3]


BODIES = """
<body pos="1 0 0">
<body pos="0 0 1">
<geom size="0.2"/>
</body>
<frame pos="0 1 0">
<geom size="0.3"/>
<body>
<joint axis="1 0 0"/>
<geom size="0.4"/>
</body>
</frame>
<geom size="0.5"/>
<body>
<joint axis="1 0 0"/>
<geom size="0.6"/>
</body>
<body pos="0 0 2">
<geom size="0.8"/>
</body>
</body>
<geom size="0.7"/>"""
"""Bodies before the geoms of their parent, of which each radius tells its line; nothing has a
name.
"""


@pytest.mark.parametrize("compiler", ["", '<compiler fusestatic="true"/>'])
def test_places_are_those_of_the_elements_in_any_order(compiler: str) -> None:
    """MuJoCo lists the geoms of a body before those of its children, and fuses bodies without
    joints with parents.
    """
    stated = {
        line.split('"')[1]: i for i, line in enumerate(BODIES.splitlines(), 1) if "<geom" in line
    }
    scene = read(BODIES, compiler)
    shapes = [shape for link in scene.links for shape in link.collisions]
    found = {
        str(shape.geometry.radius): shape.where.line
        for shape in shapes
        if isinstance(shape.geometry, Sphere)
    }
    assert found == stated
