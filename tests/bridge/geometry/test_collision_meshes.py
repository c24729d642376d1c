"""Meshes that collide, and what is reported about them."""

import numpy as np
import trimesh

from bridge.targets.mjcf import to_mjcf
from loaders.inertia import SpatialInertia
from loaders.model import Collision, Link, Mesh, Model
from loaders.pose import IDENTITY
from loaders.scene import Scene
from tests.support.mesh_assets import codes, made, read_back, written
from tests.support.mujoco_oracle import compiled


def test_a_mesh_that_is_not_convex_is_reported_and_a_convex_one_is_not(tmp_path):
    torus = written(tmp_path, trimesh.creation.torus(1.0, 0.3))
    assert codes(made(torus, collides=True)[1]) == ["mesh.convex-hull"]
    assert codes(made(torus)[1]) == []


def flat_square():
    return trimesh.Trimesh(
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)], process=False
    )


def test_a_flat_mesh_gets_a_thickness_to_collide_and_mujoco_takes_it(tmp_path):
    mesh = written(tmp_path, flat_square())
    ((asset,), diagnostics) = made(mesh, collides=True)
    assert np.allclose(np.ptp(read_back(asset).vertices, axis=0), (1.0, 1.0, 1e-3))
    assert codes(diagnostics) == ["mesh.flat"]
    shape = Collision(name="c", X_LG=IDENTITY, geometry=mesh)
    assert compiled(to_mjcf(scene_of(collisions=(shape,)))).nmesh == 1


def scene_of(**parts):
    link = Link(
        name="a", model="m", X_WL=IDENTITY, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3)), **parts
    )
    model = Model(name="m", X_WM=IDENTITY, canonical_link="a", static=True)
    return Scene(name="m", models=(model,), links=(link,))


def test_a_mesh_without_a_file_is_named_as_in_the_scene():
    torus = trimesh.creation.torus(1.0, 0.3).export(file_type="obj").encode()
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Mesh(uri="ring.obj", path=None, data=torus))
    found = to_mjcf(scene_of(collisions=(shape,))).diagnostics
    assert [entry.arguments["mesh"] for entry in found if entry.code == "mesh.convex-hull"] == [
        "ring"
    ]
