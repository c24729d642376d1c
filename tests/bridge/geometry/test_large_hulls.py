"""Hulls of many vertices: the finding, MuJoCo's limit on them, and an interrupted decomposition."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import trimesh

import bridge
from bridge.geometry.convex_decomposition import (
    TriangleSurface,
    hull_error,
    hull_faces,
    outer_planes,
    spread_directions,
)
from loaders.model import Mesh
from tests.support.scenes import link, scene

pytest.importorskip("mujoco")


@pytest.fixture
def ball(tmp_path, monkeypatch):
    """Return a scene with a mesh of a ball of radius 1 m with 2,562 vertices."""
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    trimesh.creation.icosphere(4).export(tmp_path / "ball.stl")
    mesh = Mesh(uri="ball.stl", path=str(tmp_path / "ball.stl"))
    return scene([link("a", shape=mesh)])


def found(result, code):
    (entry,) = [entry for entry in result.diagnostics if entry.code == code]
    return entry


def hull_of(model):
    """Return the corners of the hull that MuJoCo collides."""
    count = model.mesh_graph[0]
    chosen = model.mesh_graph[2 + count : 2 + 2 * count]
    return model.mesh_vert[chosen]


def reach(points):
    return (points @ spread_directions(5000).T).max(axis=0)


def test_a_large_hull_is_named_with_the_number_of_vertices_that_suffices(ball):
    entry = found(bridge.to_mjcf(ball, quiet=True), "mesh.large-hull")
    assert entry.arguments["count"] == 2562
    assert entry.arguments["error"] <= 0.01 * 2.0
    fewer = entry.arguments["fewer"]
    # a cap of a ball of radius 1 m with the height h covers the share h / 2 of its surface
    assert 0.25 * 2.0 / 0.02 < fewer < 10.0 * 2.0 / 0.02
    assert f"maxhullvert={fewer}" in entry.hint


def test_pybullet_names_large_hulls_too(ball, bullet_client):
    loaded = bridge.load_into_pybullet(ball, physicsClientId=bullet_client, quiet=True)
    assert found(loaded, "mesh.large-hull").arguments["count"] == 2562


def test_a_hull_of_few_vertices_is_not_named(tmp_path):
    trimesh.creation.icosphere(2).export(tmp_path / "b.stl")
    mesh = Mesh(uri="b.stl", path=str(tmp_path / "b.stl"))
    result = bridge.to_mjcf(scene([link("a", shape=mesh)]), quiet=True)
    assert "mesh.large-hull" not in {entry.code for entry in result.diagnostics}


@pytest.mark.parametrize("most", [20, 60, 200])
def test_mujoco_makes_a_hull_of_fewer_vertices_within_the_stated_error(ball, most):
    whole = hull_of(bridge.to_mjspec(ball, quiet=True).compile())
    fewer = hull_of(bridge.to_mjspec(ball, quiet=True, maxhullvert=most).compile())
    entry = found(bridge.to_mjcf(ball, quiet=True, maxhullvert=most), "mjcf.fewer-vertices")
    assert len(whole) == 2562
    assert len(fewer) == entry.arguments["fewer"] <= most
    lost = float((reach(whole) - reach(fewer)).max())
    assert lost == pytest.approx(entry.arguments["error"], rel=0.1)


def test_a_hull_of_no_more_vertices_is_not_limited(ball):
    result = bridge.to_mjcf(ball, quiet=True, maxhullvert=5000)
    assert "maxhullvert" not in result


@pytest.mark.parametrize("most", [3, -1, 2.5])
def test_a_limit_that_no_hull_can_have_is_refused(ball, most):
    with pytest.raises(ValueError, match="maxhullvert"):
        bridge.to_mjcf(ball, quiet=True, maxhullvert=most)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupted_decomposition_leaves_nothing_in_the_cache(tmp_path):
    pytest.importorskip("coacd")
    knot = trimesh.creation.torus(1.0, 0.3, major_sections=150, minor_sections=120)
    knot.vertices += 0.05 * np.sin(40.0 * knot.vertices)
    knot.export(tmp_path / "knot.stl")
    program = (
        "import bridge, loaders\n"
        "from loaders.model import Mesh\n"
        "from tests.support.scenes import link, scene\n"
        f"mesh = Mesh(uri='knot.stl', path={str(tmp_path / 'knot.stl')!r})\n"
        "print('begins', flush=True)\n"
        "bridge.to_mjcf(scene([link('a', shape=mesh)]), quiet=True, shapes='decompose')\n"
    )
    environment = os.environ | {"SDFBRIDGE_CACHE": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = os.pathsep.join(path or os.getcwd() for path in sys.path)
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(3.0)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=30.0)
    finally:
        process.kill()
    assert b"KeyboardInterrupt" in errors
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("count", [20, 60, 200])
def test_the_error_of_a_hull_is_the_largest_distance_of_all_corners(count: int) -> None:
    rng = np.random.default_rng(count)
    points = rng.normal(size=(1500, 3))
    points *= np.array((1.0, 0.3, 0.05)) / np.linalg.norm(points, axis=1)[:, None]
    fewer = points[np.unique(np.argmax(points @ spread_directions(count).T, axis=0))]
    hull = hull_faces(fewer)
    assert hull is not None
    normals, offsets = outer_planes(fewer, hull)
    outside = points[(points @ normals.T > offsets + 1e-12).any(axis=1)]
    largest = float(TriangleSurface.of(fewer, hull).distances(outside).max())
    assert hull_error(points, fewer) == pytest.approx(largest, rel=1e-12)
    assert 0.5 * largest < hull_error(points, fewer, limit=0.5 * largest) <= 1.000001 * largest
