"""Mass properties of meshes, compared with closed forms and trimesh."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from loaders.meshes.mesh_data import unique_rows
from tests.support.mesh_files import collada


def test_a_box_has_the_inertia_of_a_box(read) -> None:
    inertia = read(collada()).inertia(500.0)
    mass = 500.0 * 6.0
    assert inertia.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(inertia.p_LLcm, (0.5, 1.0, 1.5), atol=1e-12)
    np.testing.assert_allclose(
        inertia.I_Lcm, np.diag((4 + 9, 1 + 9, 1 + 4)) * mass / 12.0, atol=1e-9
    )


def test_inertia_is_that_of_trimesh(read) -> None:
    mesh = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    mesh.apply_transform(
        [[1.0, 0.3, 0.0, 3.0], [0.0, 2.0, 0.1, -2.0], [0.2, 0.0, 0.5, 1.0], [0.0, 0.0, 0.0, 1.0]]
    )
    mesh.density = 7.0
    inertia = read(mesh.export(file_type="off", digits=17), "hull.off").inertia(7.0)
    assert inertia.mass == pytest.approx(mesh.mass, rel=1e-9)
    np.testing.assert_allclose(inertia.p_LLcm, mesh.center_mass, rtol=1e-9)
    np.testing.assert_allclose(inertia.I_Lcm, mesh.moment_inertia, rtol=1e-7, atol=1e-9)


def test_triangles_that_face_inwards_weigh_the_same(read, box: trimesh.Trimesh) -> None:
    box.invert()
    data = read(box.export(file_type="off"), "box.off")
    assert data.volume == pytest.approx(-6.0)
    assert data.inertia(2.0).mass == pytest.approx(12.0)


def test_a_mesh_with_a_hole_is_not_closed(read, box: trimesh.Trimesh) -> None:
    box.update_faces(np.arange(12) != 3)
    assert not read(box.export(file_type="off"), "box.off").is_closed


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_unique_rows_are_those_of_numpy(count: int) -> None:
    rows = np.random.default_rng(0).integers(-3, 3, (count, 3)).astype(np.float32)
    found, index = unique_rows(rows)
    expected, inverse = np.unique(rows, axis=0, return_inverse=True)
    assert np.array_equal(found, expected)
    assert np.array_equal(index, inverse.reshape(-1))
    assert np.array_equal(found[index], rows)
