"""Geoms have the type, size and pose of the model's shapes."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from bridge.targets.mjcf import to_mjcf
from loaders.diagnostics import Where
from loaders.model import Box, Collision, Cone, Friction, Plane, Polyline, Sphere, Visual
from loaders.pose import IDENTITY, quaternion_to_matrix
from tests.support.mjcf_scenes import SHAPES, X_LG, ball, codes, extent, link, scene_of
from tests.support.mujoco_oracle import compiled


@pytest.mark.parametrize(("geometry", "kind", "size"), SHAPES)
def test_a_primitive_has_its_type_size_and_pose(geometry, kind, size):
    shape = Collision(name="shape", X_LG=X_LG, geometry=geometry)
    geom = compiled(to_mjcf(scene_of(link("a", collisions=(shape,))))).geom("shape")
    assert geom.type[0] == getattr(mujoco.mjtGeom, f"mjGEOM_{kind}")
    assert tuple(geom.size[: len(size)]) == size
    assert np.abs(geom.pos - X_LG.p).max() <= 1e-15
    assert np.abs(quaternion_to_matrix(geom.quat) - X_LG.R).max() <= 1e-15


def test_a_plane_of_the_world_has_its_normal():
    normal = np.array((0.0, 0.6, 0.8))
    shape = Collision(name="floor", X_LG=IDENTITY, geometry=Plane(normal=tuple(normal)))
    geom = compiled(to_mjcf(scene_of(link("floor", model="ground", collisions=(shape,))))).geom(
        "floor"
    )
    assert np.abs(quaternion_to_matrix(geom.quat)[:, 2] - normal).max() <= 1e-15


def test_a_plane_that_moves_is_left_out_and_reported():
    shape = Collision(name="floor", X_LG=IDENTITY, geometry=Plane(), where=Where("a.sdf", 5))
    mjcf = to_mjcf(scene_of(link("a", collisions=(shape,))))
    assert compiled(mjcf).ngeom == 0
    assert "mjcf.moving-plane" in codes(mjcf)


def test_a_shape_without_extent_is_left_out_and_reported():
    shape = Visual(name="v", X_LG=IDENTITY, geometry=Box(size=(0.0, 1.0, 1.0)))
    mjcf = to_mjcf(scene_of(link("a", visuals=(shape,))))
    assert compiled(mjcf).ngeom == 0
    assert "mjcf.empty-shape" in codes(mjcf)


def test_a_cone_stands_on_its_base_half_its_length_below_the_origin():
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Cone(radius=0.5, length=2.0))
    mjcf = to_mjcf(scene_of(link("a", collisions=(shape,))))
    low, high = extent(compiled(mjcf), "c")
    assert np.allclose(low, (-0.5, -0.5, -1.0), atol=1e-6)
    assert np.allclose(high, (0.5, 0.5, 1.0), atol=1e-6)
    assert "mesh.cone" in codes(mjcf)


def test_a_polyline_is_raised_from_its_plane():
    outline = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 0.4), (0.0, 1.0))
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Polyline(outlines=(outline,), height=0.3))
    low, high = extent(compiled(to_mjcf(scene_of(link("a", collisions=(shape,))))), "c")
    assert np.allclose((low, high), ((0, 0, 0), (1, 1, 0.3)), atol=1e-6)


def test_a_visual_shape_does_not_collide():
    shape = Visual(name="v", X_LG=IDENTITY, geometry=Sphere(radius=0.1))
    geom = compiled(to_mjcf(scene_of(link("a", visuals=(shape,))))).geom("v")
    assert (geom.contype[0], geom.conaffinity[0], geom.group[0]) == (0, 0, 2)


def test_friction_is_that_of_the_source():
    shape = ball("c", friction=Friction(mu=0.3, mu2=0.3, rolling=0.01))
    geom = compiled(to_mjcf(scene_of(link("a", collisions=(shape,))))).geom("c")
    assert tuple(geom.friction) == (0.3, 0.005, 0.01)
    assert geom.condim[0] == 6
