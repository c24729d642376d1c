"""Content of a source as files of the cache."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import bridge
from bridge.geometry.mesh import with_asset_files
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.mjcf_documents import TETRAHEDRON
from tests.support.scenes import link, scene

INLINE = m.Mesh(uri="t.obj", path=None, data=TETRAHEDRON.encode())


def with_shape(mesh: m.Geometry) -> bridge.Mechanism:
    item = link("a", shape=mesh)
    return bridge.lower(scene([item]))


def test_a_mesh_of_the_source_becomes_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path))
    mesh = with_shape(INLINE).scene.links[0].collisions[0].geometry
    assert isinstance(mesh, m.Mesh)
    assert Path(str(mesh.path)).read_text() == TETRAHEDRON
    assert mesh.data is None


def test_a_scene_without_content_is_returned_as_it_is() -> None:
    plain = scene([link("a", shape=m.Sphere(radius=1.0))])
    assert with_asset_files(plain) is plain


def test_a_cache_that_cannot_be_written_leaves_the_file_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "file"))
    visual = m.Visual(name="v", X_LG=IDENTITY, geometry=INLINE)
    item = dataclasses.replace(link("a", shape=INLINE), visuals=(visual,))
    mjcf = bridge.to_mjcf(scene([item]), quiet=True)
    assert {"mesh.missing"} <= {entry.code for entry in mjcf.diagnostics}
