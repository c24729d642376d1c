"""Mesh files that cannot be read."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.model import Mesh
from tests.support.mesh_files import collada

LYING_STL = b"\0" * 80 + struct.pack("<I", 4_000_000_000) + b"\0" * 50


DEEP = "<node>" * 400 + "</node>" * 400


BROKEN = {
    "empty.obj": b"",
    "empty.stl": b"",
    "empty.dae": b"",
    "lying.stl": LYING_STL,
    "lying.ply": b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nelement face 4000000000\nend_header\n",
    "lying.off": b"OFF\n3 4000000000 0\n0 0 0\n",
    "lying.gltf": b'{"asset": {"version": "2.0"}, "accessors": [{"count": 4000000000, "componentType": 5126}]}',
    "numbers.gltf": b'{"asset": {"version": "2.0"}, "accessors": 3, "images": 5, "meshes": 7, "materials": [1]}',
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


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.sampled_from(["obj", "stl", "dae", "gltf", "glb", "ply", "off"]), st.booleans())
def test_no_bytes_raise(tmp_path: Path, content: bytes, suffix: str, with_head: bool) -> None:
    head = {"ply": b"ply\nformat ascii 1.0\n", "glb": b"glTF\x02\0\0\0", "off": b"OFF\n", "obj": b"v 1 2 3\nf "}
    path = tmp_path / f"any.{suffix}"
    path.write_bytes((head.get(suffix, b"") if with_head else b"") + content)
    read_mesh(Mesh(uri="", path=str(path)), Diagnostics())
