"""Materials and meshes of the document."""

from __future__ import annotations

import dataclasses

import numpy as np

from bridge.mjcf import to_mjcf
from loaders.diagnostics import Where
from loaders.model import (
    Collision,
    Link,
    Material,
    Mesh,
    Sphere,
    Visual,
)
from loaders.spatial import IDENTITY
from tests.support.mjcf_scenes import UNIT, link, scene_of
from tests.support.mujoco_oracle import compiled


def test_colors_names_and_transparency_are_seen():
    red = Material(name="red", diffuse=(0.8, 0.1, 0.1, 1.0), specular=(0.5, 0.5, 0.5, 1.0))
    bare = Material(diffuse=(0.1, 0.2, 0.3, 1.0))
    visuals = (
        Visual(name="a", X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=red),
        Visual(name="b", X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=bare, transparency=0.75),
    )
    model = compiled(to_mjcf(scene_of(link("l", visuals=visuals))))
    assert np.allclose(model.material("red").rgba, (0.8, 0.1, 0.1, 1.0))
    assert model.material("red").specular[0] == 0.5
    assert model.geom("a").matid[0] == model.material("red").id
    assert np.allclose(model.geom("b").rgba, (0.1, 0.2, 0.3, 0.25))


def test_a_color_of_several_geoms_is_one_material():
    paint, other = (Material(diffuse=(r, 0.2, 0.4, 1.0)) for r in (0.1, 0.3))
    looks = {"a": paint, "b": paint, "c": other}
    visuals = tuple(
        Visual(name=name, X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=look) for name, look in looks.items()
    )
    model = compiled(to_mjcf(scene_of(link("l", visuals=visuals))))
    assert (model.nmat, model.geom("a").matid[0], model.geom("b").matid[0]) == (1, 0, 0)
    assert np.allclose(model.mat_rgba[0], (0.1, 0.2, 0.4, 1.0))
    assert model.geom("c").matid[0] == -1
    assert np.allclose(model.geom("c").rgba, (0.3, 0.2, 0.4, 1.0))


def test_each_link_without_its_shape_because_of_a_missing_mesh_is_reported():
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Mesh(uri="nowhere.stl", path=None))
    links = [
        Link(
            name=name,
            model="m",
            X_WL=IDENTITY,
            inertia=UNIT,
            collisions=(dataclasses.replace(shape, where=Where("r.urdf", line)),),
        )
        for name, line in (("a", 3), ("b", 9))
    ]
    entries = to_mjcf(scene_of(*links)).diagnostics
    assert [entry.where.line for entry in entries if entry.code == "mesh.missing"] == [3, 9]
