"""Meshes are converted for PyBullet once, and again only when they change."""

import json
import os

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet
from bridge.geometry import mesh as mesh_assets
from bridge.geometry.cache import read_checked, write_checked
from loaders.model import Mesh
from tests.support.scenes import link, scene

CORNERS = np.array(((0, 0, 0), (0.1, 0, 0), (0, 0.2, 0), (0.05, 0.05, 0.3)))
L_SHAPE = np.array(((0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (0, 2, 0), (0, 0, 1)))


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Use an empty cache."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(folder))
    return folder


def write_tetrahedron(path, scale=1.0):
    vertices = "".join(f"v {x} {y} {z}\n" for x, y, z in scale * CORNERS)
    path.write_text(vertices + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    return Mesh(uri=path.name, path=str(path))


def reach(client, mesh):
    """Return the height of a mesh in PyBullet, and the findings."""
    robot = load_into_pybullet(scene([link("a", shape=mesh)]), physicsClientId=client)
    (_, _, top), said = pybullet.getAABB(robot, -1, client)[1], robot.diagnostics
    robot.remove()
    return top, said


def test_a_mesh_is_converted_once(bullet_client, tmp_path, cache, monkeypatch):
    mesh = write_tetrahedron(tmp_path / "t.obj")
    first = reach(bullet_client, mesh)
    assert first[0] == pytest.approx(0.3, abs=2e-2)
    files = sorted(cache.rglob("*.*"))
    monkeypatch.setattr(mesh_assets, "mesh_asset", lambda *_, **__: pytest.fail("converted again"))
    assert reach(bullet_client, mesh) == first
    assert sorted(cache.rglob("*.*")) == files


@pytest.mark.parametrize("parts", [[], [5], [["\0", None]], [["/", "red"]], [[7, [1, 1, 1, 1]]]])
def test_a_record_with_other_values_is_written_again(bullet_client, tmp_path, cache, parts):
    mesh = write_tetrahedron(tmp_path / "t.obj")
    first = reach(bullet_client, mesh)
    for record in cache.rglob("*.json"):
        content = json.loads(read_checked(record))
        write_checked(record, json.dumps({**content, "parts": parts}).encode())
    assert reach(bullet_client, mesh) == first


def test_a_changed_mesh_is_converted_again(bullet_client, tmp_path):
    path = tmp_path / "t.obj"
    low, _ = reach(bullet_client, write_tetrahedron(path))
    mesh = write_tetrahedron(path, 10.0)
    os.utime(path, (1, 1))
    high, _ = reach(bullet_client, mesh)
    assert high - low == pytest.approx(2.7, abs=1e-2)


def test_diagnostics_of_a_cached_mesh_are_repeated(bullet_client, tmp_path):
    path = tmp_path / "l.obj"
    vertices = "".join(f"v {x} {y} {z}\n" for x, y, z in L_SHAPE)
    path.write_text(vertices + "".join(f"f {i} {i % 6 + 1} 7\n" for i in range(1, 7)))
    mesh = Mesh(uri="l.obj", path=str(path))
    first, second = reach(bullet_client, mesh)[1], reach(bullet_client, mesh)[1]
    assert [entry.code for entry in first] == ["mesh.convex-hull"]
    assert second == first


def test_without_a_cache_folder_meshes_are_converted_each_time(
    bullet_client, tmp_path, monkeypatch
):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(blocked / "cache"))
    top, _ = reach(bullet_client, write_tetrahedron(tmp_path / "t.obj"))
    assert top == pytest.approx(0.3, abs=2e-2)


def test_a_corrupt_record_is_written_again(bullet_client, tmp_path, cache):
    mesh = write_tetrahedron(tmp_path / "t.obj")
    first = reach(bullet_client, mesh)
    (record,) = (cache / "bullet").glob("*.json")
    record.write_text('{"files": [["/gone.obj", null]], "diagnostics": []}')
    assert reach(bullet_client, mesh) == first
    record.write_text("nonsense")
    assert reach(bullet_client, mesh) == first


def test_a_folder_with_special_characters_in_its_name_is_used(bullet_client, tmp_path, monkeypatch):
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "a b & 'c' \"d\" ü"))
    top, _ = reach(bullet_client, write_tetrahedron(tmp_path / "t.obj"))
    assert top == pytest.approx(0.3, abs=2e-2)


def test_loading_again_and_again_leaves_no_more_behind(bullet_client, tmp_path, cache):
    mesh = write_tetrahedron(tmp_path / "t.obj")
    for _ in range(20):
        reach(bullet_client, mesh)
    assert pybullet.getNumBodies(bullet_client) == 0
    assert len(list(cache.rglob("*.stl"))) == 1
