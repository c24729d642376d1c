"""Bounds of what the approximations of shapes, friction and stops may explain."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest

import bridge
from bridge.parity.bounds.contact import surface_bound
from loaders.diagnostics import Code, Diagnostics, Fate
from loaders.model import Box, Collision, Cone, Ellipsoid, Friction, Mesh, Surface
from loaders.pose import IDENTITY
from tests.support.scenes import link, scene


def bound(code: str, geometry: object, names: set[str], **arguments: object) -> float | None:
    diagnostics = Diagnostics()
    template = " ".join(f"{{{name}}}" for name in arguments)
    diagnostics.add(
        Code(code, Fate.APPROXIMATED, template, meaning=""), subjects=("a",), **arguments
    )
    shapes = tuple(
        Collision(
            name=f"c{mu}",
            X_LG=IDENTITY,
            geometry=geometry,
            surface=Surface(friction=Friction(mu=mu)),
        )  # type: ignore[arg-type]
        for mu in (0.2, 0.9)
    )
    carrier = dataclasses.replace(link("a"), collisions=shapes)
    return surface_bound(next(iter(diagnostics)), names, bridge.lower(scene([carrier, link("b")])))


def test_an_ellipsoid_explains_the_depth_of_its_hull() -> None:
    egg = Ellipsoid(radii=(0.1, 0.2, 0.3))
    assert bound("pybullet.shape-as-hull", egg, {"a"}, error=0.006) == pytest.approx(0.01)
    assert bound("pybullet.shape-as-hull", egg, {"b"}, error=0.006) == 0.0


def test_a_cone_explains_the_depth_of_its_sides_and_nothing_elsewhere() -> None:
    cone = Cone(radius=1.0, length=1.0)
    assert bound("mesh.cone", cone, {"a"}, sides=64) == pytest.approx(0.0012, rel=0.01)
    assert bound("mesh.cone", Box(size=(1.0, 1.0, 1.0)), {"a"}, sides=64) == 0.0


def test_a_flat_mesh_explains_half_of_the_thickness_that_it_gets(tmp_path: Path) -> None:
    path = tmp_path / "flat.obj"
    path.write_text("v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n", encoding="utf-8")
    sheet = Mesh(uri="flat.obj", path=str(path))
    assert bound("mesh.flat", sheet, {"a"}, thickness=2e-3) == pytest.approx(5e-4)
    assert bound("mesh.flat", sheet, {"b"}, thickness=2e-3) == 0.0


def test_convex_parts_explain_one_cell_of_the_grid_on_which_a_mesh_is_closed() -> None:
    mesh = Mesh(
        uri="a.obj", path=None, decomposition="convex_decomposition", voxel_resolution=27_000
    )
    assert bound("mesh.convex-parts", mesh, {"a"}) == pytest.approx(math.sqrt(3.0) / 30.0)
    assert bound("mesh.convex-parts", mesh, {"b"}) == 0.0


def test_mixed_friction_explains_its_range() -> None:
    box = Box(size=(1.0, 1.0, 1.0))
    assert bound("pybullet.surface-per-link", box, {"b"}) == pytest.approx(0.7)
    assert bound("mjcf.friction-combination", box, {"a"}) == pytest.approx(0.7)
    assert bound("mjcf.friction-combination", box, {"b"}) == 0.0
    assert bound("pybullet.friction-product", box, {"a"}, difference=0.02) == 0.02


def test_a_stop_that_is_too_stiff_explains_its_compliance_and_other_codes_nothing() -> None:
    box = Box(size=(1.0, 1.0, 1.0))
    assert bound("mjcf.rigid-stops", box, {"a"}, stiffness=100.0) == 0.01
    assert bound("mjcf.rigid-stops", box, {"a"}, stiffness=0.0) == 0.0
    assert bound("mjcf.massless-link", box, {"a"}) is None
