"""Shapes that URDF lacks become meshes, or are left out."""

from __future__ import annotations

from typing import Any

import pytest

import bridge
from loaders import model as m
from tests.code_examples import scenes as s
from tests.support.scenes import joint, link, scene
from tests.support.urdf_writer import read


@pytest.mark.parametrize(
    ("shape", "extensions"),
    [
        (m.Cone(radius=1.0, length=1.0), ("drake",)),
        (m.Polyline(outlines=(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),)), ("drake",)),
        (m.Capsule(radius=1.0, length=1.0), ()),
        (m.Ellipsoid(radii=(1.0, 2.0, 3.0)), ()),
        (m.Ellipsoid(radii=(1.0, 2.0, 3.0)), ("drake", "gazebo")),
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
    assert [entry.fate for entry in urdf.diagnostics if entry.code == "urdfout.shape"] == [
        "dropped"
    ]


def test_a_link_without_inertia_has_no_mass_in_pybullet_either() -> None:
    given = scene([link("a"), link("b", inertia=None)], [joint("j", "a", "b")])
    assert "urdfout.no-inertia" in {entry.code for entry in bridge.to_urdf(given).diagnostics}
    found = read(given).links[1].inertia
    assert found is not None
    assert found.mass == 0.0
    assert read(given, extensions=("drake",)).links[1].inertia is None
