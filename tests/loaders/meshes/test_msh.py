"""MSH files, MuJoCo's own binary meshes, compared with MuJoCo."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from loaders.meshes.mesh_data import has_triangles
from tests.support.mesh_files import BOX_CORNERS, BOX_FACES, assert_box

mujoco = pytest.importorskip("mujoco")

MODEL = (
    "<mujoco><asset><mesh name='m' file='box.{}'/><mesh name='n' "
    "file='box.msh'/></asset><worldbody><body>"
    "<freejoint/><geom type='mesh' mesh='m' name='g'/></body></worldbody></mujoco>"
)


def msh(
    corners: object = BOX_CORNERS, faces: object = BOX_FACES, coordinates: object = ()
) -> bytes:
    """Return a file without normals."""
    vertices, uv = np.asarray(corners, "<f4"), np.asarray(coordinates, "<f4").reshape(-1, 2)
    triangles = np.asarray(faces, "<i4").reshape(-1, 3)
    counts = struct.pack("<4i", len(vertices), 0, len(uv), len(triangles))
    return counts + vertices.tobytes() + uv.tobytes() + triangles.tobytes()


def test_vertices_and_triangles_are_those_of_the_file(read) -> None:
    data = read(msh(), "box.msh")
    assert_box(data, (0, 0, 0), (1, 2, 3))
    assert data.is_closed
    assert data.volume == pytest.approx(6.0)


def test_texture_coordinates_point_up_as_those_of_the_obj_file_that_mujoco_reads_alike(
    read,
) -> None:
    uv = [(0.1 * i, 0.07 * i) for i in range(8)]
    lines = [*(f"v {x} {y} {z}" for x, y, z in BOX_CORNERS), *(f"vt {u} {1.0 - v}" for u, v in uv)]
    lines += [f"f {a + 1}/{a + 1} {b + 1}/{b + 1} {c + 1}/{c + 1}" for a, b, c in BOX_FACES]
    assets = {"box.msh": msh(coordinates=uv), "box.obj": "\n".join(lines).encode()}
    model = mujoco.MjModel.from_xml_string(MODEL.format("obj"), assets)
    first, second = model.mesh_texcoordadr
    theirs = model.mesh_texcoord
    assert sorted(map(tuple, theirs[first:second].round(6))) == sorted(
        map(tuple, theirs[second:].round(6))
    )
    ours = read(assets["box.msh"], "box.msh").parts[0].uv
    np.testing.assert_allclose(ours, [(u, 1.0 - v) for u, v in uv], atol=1e-6)


@pytest.mark.parametrize(
    "content", [b"", msh()[:-1], msh() + b"0", struct.pack("<4i", 8, 0, 0, -1), msh(faces=())]
)
def test_a_file_that_is_not_as_long_as_its_counts_is_refused(read, content: bytes) -> None:
    assert read(content, "box.msh") is None
    assert read.codes == ["mesh.unreadable"]


def test_the_header_tells_whether_a_file_has_triangles() -> None:
    assert [has_triangles(data[:16]) for data in (msh(), msh(faces=()), msh()[:15], b"")] == [
        True,
        False,
        False,
        False,
    ]


def test_a_body_with_such_a_mesh_touches_and_looks_the_same_in_the_export(tmp_path: Path) -> None:
    (tmp_path / "box.msh").write_bytes(msh())
    (tmp_path / "model.xml").write_text(MODEL.format("msh"))
    mjcf = bridge.to_mjcf(loaders.load(tmp_path / "model.xml"))
    original = mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"))
    exported = mujoco.MjModel.from_xml_string(str(mjcf), mjcf.assets)
    collision = next(g for g in range(exported.ngeom) if exported.geom_contype[g])
    np.testing.assert_allclose(exported.geom_aabb[collision], original.geom_aabb[0], atol=1e-6)
    np.testing.assert_allclose(exported.body_mass[1:], original.body_mass[1:], rtol=1e-9)
