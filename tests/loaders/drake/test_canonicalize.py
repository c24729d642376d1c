"""Drake's elements that repeat a standard element, and ignored elements."""

from __future__ import annotations

import numpy as np
import pytest

from loaders.model import Box, Capsule, Cylinder, Ellipsoid
from tests.support.drake_files import (
    SDF_MASS,
    codes,
    collision,
    load,
    sdf,
    shaped,
    urdf,
    urdf_joint,
    visuals,
)
from tests.support.drake_oracle import DrakePlant

SHAPES = {
    "sdf capsule": (
        sdf,
        "<drake:capsule><radius>1</radius><length>2</length></drake:capsule>",
        Capsule(radius=1, length=2),
    ),
    "sdf ellipsoid": (
        sdf,
        "<drake:ellipsoid><a>1</a><b>2</b><c>3</c></drake:ellipsoid>",
        Ellipsoid(radii=(1, 2, 3)),
    ),
    "urdf capsule": (urdf, '<drake:capsule radius="1" length="2"/>', Capsule(radius=1, length=2)),
    "urdf plain capsule": (urdf, '<capsule radius="1" length="2"/>', Capsule(radius=1, length=2)),
    "urdf ellipsoid": (urdf, '<drake:ellipsoid a="1" b="2" c="3"/>', Ellipsoid(radii=(1, 2, 3))),
}


@pytest.mark.parametrize(("form", "geometry", "expected"), SHAPES.values(), ids=SHAPES)
def test_drakes_shapes_are_the_plain_ones(form, geometry, expected):
    source = shaped(form, "", geometry)
    assert collision(source).geometry == expected
    inspector = DrakePlant(*source).scene_graph.model_inspector()
    shape = inspector.GetShape(inspector.GetAllGeometryIds()[0])
    if isinstance(expected, Capsule):
        assert (shape.radius(), shape.length()) == (expected.radius, expected.length)
    else:
        assert (shape.a(), shape.b(), shape.c()) == expected.radii


def test_drake_visuals_come_after_the_plain_ones():
    box = "<drake:geometry><drake:box><drake:size>1 2 3</drake:size></drake:box></drake:geometry>"
    special = f'<drake:visual name="w"><drake:pose>1 0 0 0 0 0</drake:pose>{box}</drake:visual>'
    plain = (
        "<visual "
        'name="v"><geometry><cylinder><radius>1</radius><length>2</length></cylinder></geometry></visual>'
    )
    found = visuals(sdf(f'<link name="c">{SDF_MASS}{special}{plain}</link>'))
    assert [(v.name, v.geometry) for v in found] == [
        ("v", Cylinder(radius=1, length=2)),
        ("w", Box(size=(1, 2, 3))),
    ]
    np.testing.assert_array_equal(found[1].X_LG.p, (1, 0, 0))


def test_ignored_links_and_joints_of_a_urdf_are_left_out():
    source = urdf(
        '<link name="c" drake_ignore="true"/>'
        + urdf_joint().replace("<joint ", '<joint drake_ignore="true" ')
    )
    scene, plant = load(source), DrakePlant(*source).plant
    assert [link.name for link in scene.links] == ["a", "b"]
    assert scene.joints == ()
    assert not plant.HasBodyNamed("c")
    assert codes(source) >= {"drake.ignored"}
