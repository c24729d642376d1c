"""Mesh files that cannot be read."""

from __future__ import annotations

import base64
import json
import re
import struct
from contextlib import suppress
from pathlib import Path

import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.meshes.precheck import MeshError, read_checked
from loaders.model import Mesh
from tests.support.mesh_files import collada

LYING_STL = b"\0" * 80 + struct.pack("<I", 4_000_000_000) + b"\0" * 50


DEEP = "<node>" * 400 + "</node>" * 400


BROKEN = {
    "empty.obj": b"",
    "empty.stl": b"",
    "empty.dae": b"",
    "lying.stl": LYING_STL,
    "lying.ply": (
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nelement face "
        b"4000000000\nend_header\n"
    ),
    "lying.off": b"OFF\n3 4000000000 0\n0 0 0\n",
    "lying.gltf": (
        b'{"asset": {"version": "2.0"}, "accessors": [{"count": 4000000000, '
        b'"componentType": 5126}]}'
    ),
    "numbers.gltf": (
        b'{"asset": {"version": "2.0"}, "accessors": 3, "images": 5, "meshes": 7, "materials": [1]}'
    ),
    "broken.glb": b"glTF\x02\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7fJSON{",
    "doctype.dae": b"<!DOCTYPE x [<!ENTITY a 'b'>]><COLLADA/>",
    "deep.dae": collada(nodes=DEEP).encode(),
    "cut.dae": collada()[:-300].encode(),
    "compressed.dae": b"\x1f\x8b\x08\0\0\0\0\0",
    "archive.dae": b"PK\x03\x04rest",
    "far.obj": b"v 1e200 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "nan.obj": b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "index.off": b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n",
    "unknown.mesh": b"whatever",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_left_out_with_a_reason(read, name: str) -> None:
    assert read(BROKEN[name], name) is None
    assert read.codes == ["mesh.unreadable"]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.binary(max_size=300),
    st.sampled_from(["obj", "stl", "dae", "gltf", "glb", "ply", "off"]),
    st.booleans(),
)
def test_no_bytes_raise(tmp_path: Path, content: bytes, suffix: str, with_head: bool) -> None:
    head = {
        "ply": b"ply\nformat ascii 1.0\n",
        "glb": b"glTF\x02\0\0\0",
        "off": b"OFF\n",
        "obj": b"v 1 2 3\nf ",
    }
    path = tmp_path / f"any.{suffix}"
    path.write_bytes((head.get(suffix, b"") if with_head else b"") + content)
    read_mesh(Mesh(uri="", path=str(path)), Diagnostics())


@pytest.mark.parametrize("missing", [0, 1, 49, 50])
def test_a_binary_stl_has_84_bytes_and_50_for_each_triangle(tmp_path: Path, missing: int) -> None:
    content = trimesh.creation.icosphere(subdivisions=2).export(file_type="stl")
    path = tmp_path / "sphere.stl"
    path.write_bytes(content[: len(content) - missing])
    assert len(content) == 84 + 50 * 320
    if missing:
        with pytest.raises(MeshError, match="declares 320 faces and ends before the last one"):
            read_checked(path)
    else:
        assert read_checked(path) == content


# --- small files of much content ------------------------------------------------------------------


def doubling_collada(levels: int) -> str:
    """Nodes of which each places the next one twice: one box, placed ``2 ** levels`` times."""
    twice = "<node id='n{0}'><instance_node url='#n{1}'/><instance_node url='#n{1}'/></node>"
    nodes = [twice.format(i, i + 1) for i in range(levels)]
    library = "".join(
        (*reversed(nodes[1:]), f"<node id='n{levels}'><instance_geometry url='#box-mesh'/></node>")
    )
    return collada(nodes=nodes[0]).replace(
        "<library_visual_scenes>",
        f"<library_nodes>{library}</library_nodes><library_visual_scenes>",
    )


def gltf(nodes: int, primitives: int, corners: int) -> bytes:
    """Nodes that place one mesh, whose primitives share the same corners."""
    data = bytes(12 * corners)
    return json.dumps(
        {
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": list(range(nodes))}],
            "nodes": [{"mesh": 0}] * nodes,
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}] * primitives}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": corners, "type": "VEC3"}
            ],
            "bufferViews": [{"buffer": 0, "byteLength": len(data)}],
            "buffers": [
                {
                    "byteLength": len(data),
                    "uri": f"data:application/octet-stream;base64,{base64.b64encode(data).decode()}",
                }
            ],
        }
    ).encode()


@pytest.mark.parametrize(
    ("name", "data", "limit"),
    [
        ("a.dae", doubling_collada(25).encode(), "triangles|parts|nodes"),
        ("a.gltf", gltf(4000, 1, 30000), "triangles"),
        ("a.gltf", gltf(1, 4000, 30000), "triangles"),
        ("a.gltf", gltf(6000, 1, 3), "parts"),
        ("a.gltf", gltf(200_001, 1, 3), "nodes, the limit mesh_nodes"),
        (
            "a.gltf",
            b'{"asset": {"version": "2.0"}, "nodes": [{"children": [%s0]}]}' % (b"0, " * 200_000),
            "nodes",
        ),
        (
            "a.obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
            + b"".join(b"usemtl m%d\nf 1 2 3\n" % i for i in range(6000)),
            "parts",
        ),
    ],
)
def test_instances_count_as_often_as_they_are_placed(
    tmp_path: Path, name: str, data: bytes, limit: str
) -> None:
    (tmp_path / name).write_bytes(data)
    diagnostics = Diagnostics()
    assert read_mesh(Mesh(uri=name, path=str(tmp_path / name)), diagnostics) is None
    (entry,) = diagnostics
    assert entry.code == "mesh.unreadable"
    assert re.search(limit, entry.message)


def test_a_few_instances_are_no_matter(tmp_path: Path) -> None:
    (tmp_path / "a.dae").write_text(doubling_collada(4))
    data = read_mesh(Mesh(uri="a.dae", path=str(tmp_path / "a.dae")), Diagnostics())
    assert data is not None
    assert len(data.faces) == 16 * 12


@pytest.mark.parametrize("filler", [b"\n", b" ", b"\t", b"1", b"1 ", b"1\n"])
def test_the_check_of_a_file_is_linear_in_its_size(tmp_path: Path, filler: bytes) -> None:
    """A quadratic expression takes minutes for this."""
    path = tmp_path / "a.off"
    path.write_bytes(b"OFF\n" + filler * 65536)
    with suppress(MeshError):
        read_checked(path)


@pytest.mark.parametrize("scale", [(0.0, 1.0, 1.0), (1e-30, 1.0, 1.0), (1.0, 1.0, 1e300)])
def test_a_scale_that_leaves_no_shape_is_refused(
    tmp_path: Path, scale: tuple[float, float, float]
) -> None:
    (tmp_path / "a.dae").write_text(collada())
    diagnostics = Diagnostics()
    assert (
        read_mesh(Mesh(uri="a.dae", path=str(tmp_path / "a.dae"), scale=scale), diagnostics) is None
    )
    assert [entry.code for entry in diagnostics] == ["mesh.unreadable"]


@pytest.mark.parametrize("corners", ["v 1 1 1\nv 1 1 1\nv 1 1 1\n", "v 0 0 0\nv 1 1 1\nv 2 2 2\n"])
def test_a_mesh_without_any_area_is_no_mesh(tmp_path: Path, corners: str) -> None:
    (tmp_path / "a.obj").write_text(f"{corners}f 1 2 3\n")
    diagnostics = Diagnostics()
    assert read_mesh(Mesh(uri="a.obj", path=str(tmp_path / "a.obj")), diagnostics) is None
    assert "degenerate" in next(iter(diagnostics)).message


@pytest.mark.parametrize("cause", [MemoryError, RecursionError, AssertionError, UnboundLocalError])
@pytest.mark.parametrize("name", ["a.obj", "a.dae"])
def test_whatever_a_library_raises_is_a_finding_about_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, cause: type[Exception]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise cause

    monkeypatch.setattr("trimesh.load_scene", fail)
    monkeypatch.setattr("collada.Collada", fail)
    (tmp_path / name).write_text(collada())
    diagnostics = Diagnostics()
    assert read_mesh(Mesh(uri=name, path=str(tmp_path / name)), diagnostics) is None
    (entry,) = diagnostics
    assert cause.__name__ in entry.message
    assert entry.where.file == str(tmp_path / name)
