"""Shapes that URDF lacks are left out; names of materials are unique."""

from __future__ import annotations

import bridge
from loaders import model as m
from loaders.spatial import IDENTITY
from tests.code_examples import scenes as s
from tests.support.scenes import UNIT_BOX
from tests.support.urdf_writer import read


def test_a_shape_that_urdf_lacks_is_left_out() -> None:
    urdf = bridge.to_urdf(s.touching(m.Cone(radius=1.0, length=1.0)))
    assert "<collision" not in urdf
    assert [entry.code for entry in urdf.diagnostics] == ["urdfout.shape"]


def test_two_materials_of_one_name_get_two_names() -> None:
    looks = [m.Material(name="paint", diffuse=(x, 0.0, 0.0, 1.0)) for x in (0.0, 1.0, 0.0)]
    visuals = [m.Visual(name=f"v{i}", X_LG=IDENTITY, geometry=UNIT_BOX, material=look) for i, look in enumerate(looks)]
    found = [v.material for v in read(s.one(visuals=tuple(visuals))).links[0].visuals]
    assert [material.name for material in found if material] == ["paint", "paint_2", "paint"]
    assert [material.diffuse for material in found if material] == [look.diffuse for look in looks]
