"""Shapes that URDF lacks become meshes, or are left out; names of materials are unique."""

from __future__ import annotations

from typing import Any

import pytest

import bridge
from loaders import model as m
from loaders.spatial import IDENTITY
from tests.code_examples import scenes as s
from tests.support.scenes import UNIT_BOX, joint, link, scene
from tests.support.urdf_writer import read


@pytest.mark.parametrize(
    ("shape", "extensions"),
    [
        (m.Cone(radius=1.0, length=1.0), ("drake",)),
        (m.Polyline(outlines=(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),)), ("drake",)),
        (m.Capsule(radius=1.0, length=1.0), ()),
        (m.Ellipsoid(radii=(1.0, 2.0, 3.0)), ()),
    ],
)
def test_a_shape_that_urdf_lacks_becomes_a_mesh(shape: m.Geometry, extensions: Any) -> None:
    urdf = bridge.to_urdf(s.touching(shape), extensions=extensions)
    name = f"{type(shape).__name__.lower()}.obj"
    assert f'<mesh filename="assets/{name}"' in urdf
    assert set(urdf.assets) == {name}
    (entry,) = [entry for entry in urdf.diagnostics if entry.code == "urdfout.shape"]
    assert entry.fate == "approximated"


def test_a_terrain_without_its_picture_is_left_out() -> None:
    urdf = bridge.to_urdf(s.touching(m.Heightmap(uri="no.png", path=None)))
    assert "<collision" not in urdf
    assert [entry.fate for entry in urdf.diagnostics if entry.code == "urdfout.shape"] == ["dropped"]


def test_a_link_without_inertia_has_no_mass_in_pybullet_either() -> None:
    given = scene([link("a"), link("b", inertia=None)], [joint("j", "a", "b")])
    assert "urdfout.no-inertia" in {entry.code for entry in bridge.to_urdf(given).diagnostics}
    found = read(given).links[1].inertia
    assert found is not None
    assert found.mass == 0.0
    assert read(given, extensions=("drake",)).links[1].inertia is None


def test_two_materials_of_one_name_get_two_names() -> None:
    looks = [m.Material(name="paint", diffuse=(x, 0.0, 0.0, 1.0)) for x in (0.0, 1.0, 0.0)]
    visuals = [m.Visual(name=f"v{i}", X_LG=IDENTITY, geometry=UNIT_BOX, material=look) for i, look in enumerate(looks)]
    found = [v.material for v in read(s.one(visuals=tuple(visuals))).links[0].visuals]
    assert [material.name for material in found if material] == ["paint", "paint_2", "paint"]
    assert [material.diffuse for material in found if material] == [look.diffuse for look in looks]
