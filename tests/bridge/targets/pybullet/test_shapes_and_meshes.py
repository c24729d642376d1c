"""Shapes have their size and place in the running engine; meshes are converted once, for one
reading.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pybullet
import pytest
import trimesh
from trimesh.creation import icosphere

from bridge import load_into_pybullet
from bridge.geometry import mesh as mesh_assets
from bridge.geometry.cache import read_checked, write_checked
from bridge.targets.pybullet.geometry import textured_mesh
from bridge.targets.pybullet.mesh import hull_corners, stl, temporary_files
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    JointType,
    Material,
    Mesh,
    Plane,
    Sphere,
    Visual,
)
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import UNIT_BOX, codes, joint, link, scene
from tests.support.seeds import seeds

# Shapes have their size and place in the running engine.

EXTENTS = [
    (Box(size=(0.2, 0.4, 0.6)), (0.2, 0.4, 0.6)),
    (Sphere(radius=0.3), (0.6, 0.6, 0.6)),
    (Cylinder(radius=0.2, length=0.5), (0.4, 0.4, 0.5)),
    (Capsule(radius=0.2, length=0.5), (0.4, 0.4, 0.9)),
]


def distance_from(loaded, client, direction):
    """Return the extent of a link's shape at the origin along a direction, found with a small ball
    far out.
    """
    radius, far = 0.01, 5.0
    shape = pybullet.createCollisionShape(
        pybullet.GEOM_SPHERE, radius=radius, physicsClientId=client
    )
    place = (far * np.asarray(direction)).tolist()
    ball = pybullet.createMultiBody(0, shape, basePosition=place, physicsClientId=client)
    (closest, *_) = pybullet.getClosestPoints(int(loaded), ball, 10.0, physicsClientId=client)
    pybullet.removeBody(ball, client)
    return far - radius - closest[8]


@pytest.mark.parametrize(("shape", "extent"), EXTENTS, ids=lambda x: type(x).__name__)
def test_primitives_have_their_size(bullet_client, shape, extent):
    robot = load_into_pybullet(scene([link("a", shape=shape)]), physicsClientId=bullet_client)
    reached = [distance_from(robot, bullet_client, axis) for axis in np.eye(3)]
    np.testing.assert_allclose(
        reached, np.array(extent) / 2, atol=2e-6
    )  # the engine's own solver for distances
    assert not any(entry.code.startswith("mesh.") for entry in robot.diagnostics)


def test_an_ellipsoid_is_a_hull_within_the_reported_error(bullet_client):
    source = scene([link("a", shape=Ellipsoid(radii=(0.1, 0.2, 0.3)))])
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    reached = [distance_from(robot, bullet_client, axis) for axis in np.eye(3)]
    np.testing.assert_allclose(reached, (0.1, 0.2, 0.3), atol=0.001 + 0.003)
    assert "pybullet.shape-as-hull" in codes(robot)


def test_a_cone_is_a_hull(bullet_client):
    robot = load_into_pybullet(
        scene([link("a", shape=Cone(radius=0.2, length=0.6))]), physicsClientId=bullet_client
    )
    reached = [distance_from(robot, bullet_client, axis) for axis in ((0, 0, 1), (0, 0, -1))]
    np.testing.assert_allclose(reached, (0.3, 0.3), atol=0.002)


def test_a_plane_holds_what_falls_on_it(bullet_client):
    ground = scene(
        [
            link("g", shape=Plane()),
            link("box", shape=Box(size=(0.2, 0.2, 0.2)), X_WL=Pose.of(p=(0, 0, 0.3))),
        ],
        [joint("w", WORLD, "g", JointType.FIXED, X_PJ=Pose.of(p=(0, 0, 0.1)))],
    )
    bodies = load_into_pybullet(ground, physicsClientId=bullet_client)
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    for _ in range(480):
        pybullet.stepSimulation(bullet_client)
    assert bodies.link_pose("box").p[2] == pytest.approx(0.2, abs=2e-3)


def test_a_mesh_of_its_own_scale_collides_where_it_is(bullet_client, tmp_path):
    vertices = np.array(((0, 0, 0), (0.1, 0, 0), (0, 0.2, 0), (0.05, 0.05, 0.3)))
    path = tmp_path / "tetrahedron.obj"
    faces = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in vertices) + faces)
    mesh = Mesh(uri="tetrahedron.obj", path=str(path), scale=(2.0, 3.0, -4.0))
    robot = load_into_pybullet(scene([link("a", shape=mesh)]), physicsClientId=bullet_client)
    scaled = vertices * (2.0, 3.0, -4.0)
    for axis in np.eye(3):
        assert distance_from(robot, bullet_client, axis) == pytest.approx(
            (scaled @ axis).max(), abs=2e-3
        )


def test_a_mesh_that_stands_still_has_its_hollows(bullet_client, tmp_path):
    """A valley: what falls into it comes to rest below the ridge, inside the convex hull."""
    path = tmp_path / "valley.obj"
    profile = ((-1, 1), (0, 0), (1, 1))
    corners = [(x, y, z) for y in (-1, 1) for x, z in profile]
    path.write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 5\nf 1 5 4\nf 2 3 6\nf 2 6 5\n"
    )
    ball = link("ball", shape=Sphere(radius=0.1), X_WL=Pose.of(p=(0.02, 0, 0.8)))
    valley = link("valley", shape=Mesh(uri="valley.obj", path=str(path)))
    source = scene([valley, ball], [joint("w", WORLD, "valley", JointType.FIXED)])
    bodies = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "mesh.convex-hull" not in {entry.code for entry in bodies.diagnostics}
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    for _ in range(480):
        pybullet.stepSimulation(bullet_client)
    assert bodies.link_pose("ball").p[2] == pytest.approx(0.1 * math.sqrt(2), abs=0.05)


def test_a_mesh_of_several_materials_that_stands_still_is_one_shape(bullet_client, tmp_path):
    path = tmp_path / "two.obj"
    corners = [
        (x + d, y, z) for d in (0, 3) for x, y, z in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    ]
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    faces = ["usemtl red", "f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    faces += ["usemtl blue", "f 5 7 6", "f 5 6 8", "f 5 8 7", "f 6 7 8"]
    path.write_text(
        "mtllib m.mtl\n" + "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "\n".join(faces)
    )
    source = scene(
        [link("a", shape=Mesh(uri="two.obj", path=str(path)))],
        [joint("w", WORLD, "a", JointType.FIXED)],
    )
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    index = robot.links["a"]
    assert (
        len(pybullet.getCollisionShapeData(int(robot), index, physicsClientId=bullet_client)) == 1
    )
    assert pybullet.getAABB(int(robot), index, physicsClientId=bullet_client)[1][
        0
    ] == pytest.approx(4.0, abs=0.05)


def test_a_plane_is_drawn_in_its_stated_size(bullet_client):
    seen = Visual(name="v", X_LG=IDENTITY, geometry=Plane(normal=(1.0, 0.0, 0.0), size=(2.0, 3.0)))
    robot = load_into_pybullet(scene([link("a", visuals=(seen,))]), physicsClientId=bullet_client)
    ((_, _, kind, size, *_),) = pybullet.getVisualShapeData(robot, physicsClientId=bullet_client)
    assert kind == pybullet.GEOM_BOX
    assert size[:2] == pytest.approx((2.0, 3.0))


def test_every_collision_and_visual_stands_in_its_place(bullet_client):
    X_LG = Pose.from_vector((0.1, 0.2, 0.3, 0.9, 0.1, -0.3, 0.2))
    look = Material(diffuse=(0.1, 0.2, 0.3, 0.8))
    shapes = {
        "collisions": tuple(
            Collision(name=f"c{i}", X_LG=X_LG, geometry=UNIT_BOX) for i in range(3)
        ),
        "visuals": (
            Visual(name="v", X_LG=X_LG, geometry=UNIT_BOX, material=look, transparency=0.5),
        ),
    }
    source = scene(
        [link("a"), link("b", **shapes)], [joint("j", "a", "b", X_CJ=Pose.of(p=(0.3, 0, 0)))]
    )
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    found = pybullet.getCollisionShapeData(robot, robot.links["b"], physicsClientId=bullet_client)
    assert len(found) == 3
    (drawn,) = pybullet.getVisualShapeData(robot, physicsClientId=bullet_client)
    assert drawn[7] == pytest.approx((0.1, 0.2, 0.3, 0.4))
    state = pybullet.getLinkState(robot, robot.links["b"], physicsClientId=bullet_client)
    for shape in found:  # in the inertial frame of the link
        position, _ = pybullet.multiplyTransforms(state[0], state[1], shape[5], shape[6])
        np.testing.assert_allclose(
            position, robot.link_pose("b").p + robot.link_pose("b").R @ X_LG.p, atol=1e-6
        )


# The corners on a convex hull: PyBullet itself says which hull it makes of all corners, and of
# those that are kept.


def hull_in_pybullet(corners: np.ndarray, path: Path) -> set[tuple[float, ...]]:
    """Return the points of the convex hull of an STL file that collides on a body."""
    padded = np.minimum(np.arange(3 * -(-len(corners) // 3)), len(corners) - 1)
    path.write_bytes(stl(corners[padded].reshape(-1, 3, 3)))
    client = pybullet.connect(pybullet.DIRECT)
    try:
        shape = pybullet.createCollisionShape(
            pybullet.GEOM_MESH, fileName=str(path), physicsClientId=client
        )
        body = pybullet.createMultiBody(0.0, shape, physicsClientId=client)
        return set(map(tuple, pybullet.getMeshData(body, -1, physicsClientId=client)[1]))
    finally:
        pybullet.disconnect(client)


def random_corners(seed: int, count: int = 500) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.unique(
        (rng.normal(size=(count, 3)) * (0.3, 1.0, 20.0) + (5.0, 0.0, -1.0)).astype(np.float32),
        axis=0,
    )


def rounded_box(count: int = 12) -> np.ndarray:
    """Return corners on the flat faces of a box, nearly all of them within its hull but for
    rounding.
    """
    steps = np.linspace(-0.1, 0.2, count)
    faces = [
        np.roll(np.stack((x.ravel(), y.ravel(), np.full(x.size, z)), axis=1), k, axis=1)
        for k in range(3)
        for z in (-0.1, 0.2)
        for x, y in [np.meshgrid(steps, steps)]
    ]
    return np.unique(np.concatenate(faces).astype(np.float32), axis=0)


@pytest.mark.parametrize("seed", seeds(5))
def test_hull_of_the_kept_corners_is_that_of_all(seed: int, tmp_path: Path) -> None:
    corners = random_corners(seed)
    kept = hull_corners(corners)
    assert 4 <= len(kept) < len(corners) / 3
    assert hull_in_pybullet(kept, tmp_path / "kept.stl") == hull_in_pybullet(
        corners, tmp_path / "all.stl"
    )


def test_corners_within_flat_faces_are_left_out(tmp_path: Path) -> None:
    corners = rounded_box()
    kept = hull_corners(corners)
    assert len(kept) < len(corners) / 4
    assert hull_in_pybullet(kept, tmp_path / "kept.stl") == hull_in_pybullet(
        corners, tmp_path / "all.stl"
    )


def test_all_corners_of_a_convex_mesh_are_kept() -> None:
    corners = np.unique(np.asarray(icosphere(subdivisions=2).vertices, np.float32), axis=0)
    assert np.array_equal(hull_corners(corners), corners)


@pytest.mark.parametrize(
    "corners",
    [
        pytest.param(random_corners(0, 4), id="few"),
        pytest.param(random_corners(0) * np.float32((1.0, 1.0, 0.0)), id="flat"),
        pytest.param(random_corners(0) * np.float32(1e-42), id="tiny"),
        pytest.param(random_corners(0, 140_000), id="more than PyBullet takes"),
    ],
)
def test_corners_without_a_comparable_hull_are_all_kept(corners: np.ndarray) -> None:
    assert np.array_equal(hull_corners(corners), corners)


def test_servers_of_the_caller_stay_as_they_are() -> None:
    client = pybullet.connect(pybullet.DIRECT)
    try:
        _ = hull_corners(random_corners(0))
        assert pybullet.isConnected(client)
        assert pybullet.getNumBodies(physicsClientId=client) == 0
    finally:
        pybullet.disconnect(client)


# Textured primitives: closed surfaces of the right volume, with texture coordinates in the unit
# square.

VOLUMES: list[tuple[Geometry, float]] = [
    (Box(size=(1.0, 2.0, 3.0)), 6.0),
    (Sphere(radius=0.5), math.pi / 6.0),
    (Cylinder(radius=0.5, length=2.0), math.pi / 2.0),
    (Capsule(radius=0.5, length=2.0), math.pi / 2.0 + math.pi / 6.0),
    (Cone(radius=0.5, length=3.0), math.pi / 4.0),
    (Ellipsoid(radii=(1.0, 2.0, 3.0)), 8.0 * math.pi),
]


@pytest.mark.parametrize(("shape", "volume"), VOLUMES)
def test_a_surface_is_closed_and_encloses_the_volume(shape: Geometry, volume: float) -> None:
    mesh = textured_mesh(shape)
    assert mesh is not None
    vertices, faces, uv = mesh
    assert uv.shape == (len(vertices), 2)
    assert uv.min() >= 0.0
    assert uv.max() <= 1.0
    surface = trimesh.Trimesh(np.round(vertices, 12), faces)
    surface.merge_vertices(merge_tex=True)
    assert surface.volume == pytest.approx(volume, rel=0.03)


def test_other_geometry_has_no_textured_mesh() -> None:
    assert textured_mesh(Plane()) is None


# Meshes are converted for PyBullet once, and again only when they change.

CORNERS = np.array(((0, 0, 0), (0.1, 0, 0), (0, 0.2, 0), (0.05, 0.05, 0.3)))
L_SHAPE = np.array(((0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (0, 2, 0), (0, 0, 1)))


@pytest.fixture
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


@pytest.mark.usefixtures("cache")
def test_a_changed_mesh_is_converted_again(bullet_client, tmp_path):
    path = tmp_path / "t.obj"
    low, _ = reach(bullet_client, write_tetrahedron(path))
    mesh = write_tetrahedron(path, 10.0)
    os.utime(path, (1, 1))
    high, _ = reach(bullet_client, mesh)
    assert high - low == pytest.approx(2.7, abs=1e-2)


@pytest.mark.parametrize(
    ("shape", "direction", "area"),
    [
        (Cylinder(radius=0.4, length=0.6), (0, 0, 1), np.pi * 0.4**2),
        (Sphere(radius=0.4), (1, 1, 1), np.pi * 0.4**2),
        (Capsule(radius=0.2, length=0.4), (1, 0, 0), np.pi * 0.2**2 + 0.4 * 0.4),
        (Ellipsoid(radii=(0.2, 0.3, 0.4)), (1, 0, 0), np.pi * 0.3 * 0.4),
    ],
)
def test_smooth_visuals_are_as_large_as_round_shapes_are(bullet_client, shape, direction, area):
    drawn = Visual(name="v", X_LG=IDENTITY, geometry=shape)
    given = scene([link("l", visuals=(drawn,))])
    load_into_pybullet(given, smooth_visuals=True, physicsClientId=bullet_client, quiet=True)
    eye = (200.0 * np.array(direction) / np.linalg.norm(direction)).tolist()
    view = pybullet.computeViewMatrix(eye, (0, 0, 0), (0, 1, 0) if direction[2] else (0, 0, 1))
    half, near, far = 0.5 * 150.0 / 200.0, 150.0, 250.0
    lens = pybullet.computeProjectionMatrix(-half, half, -half, half, near, far)
    image = pybullet.getCameraImage(
        200, 200, view, lens, physicsClientId=bullet_client, renderer=pybullet.ER_TINY_RENDERER
    )
    assert (np.reshape(image[4], -1) >= 0).mean() == pytest.approx(area, rel=0.015)


@pytest.mark.usefixtures("cache")
def test_diagnostics_of_a_cached_mesh_are_repeated(bullet_client, tmp_path):
    path = tmp_path / "l.obj"
    vertices = "".join(f"v {x} {y} {z}\n" for x, y, z in L_SHAPE)
    path.write_text(vertices + "".join(f"f {i} {i % 6 + 1} 7\n" for i in range(1, 7)))
    mesh = Mesh(uri="l.obj", path=str(path))
    first, second = reach(bullet_client, mesh)[1], reach(bullet_client, mesh)[1]
    assert [entry.code for entry in first] == ["mesh.convex-hull"]
    assert second == first


@pytest.mark.usefixtures("cache")
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


@pytest.mark.usefixtures("cache")
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


# Files that PyBullet reads once: named by what they hold, and gone afterwards.


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_same_content_has_the_same_name_each_time(folder):
    paths = []
    for _ in range(2):
        with temporary_files() as files:
            paths.append(files.write(b"abc", ".urdf"))
            assert Path(paths[-1]).read_bytes() == b"abc"
            assert files.write(b"abc", ".urdf") == paths[-1]
    assert paths[0] == paths[1]


def test_other_content_has_another_name(folder):
    with temporary_files() as files:
        assert files.write(b"abc", ".urdf") != files.write(b"abd", ".urdf")
        assert len(list(folder.iterdir())) == 2
    assert list(folder.iterdir()) == []


def test_files_are_gone_after_an_error(folder):
    with suppress(KeyError), temporary_files() as files:
        files.write(b"abc", ".urdf")
        raise KeyError
    assert list(folder.iterdir()) == []


def test_what_lies_there_already_is_neither_read_nor_written_nor_removed(folder):
    with temporary_files() as files:
        path = Path(files.write(b"abc", ".urdf"))
    target = folder / "precious"
    target.write_bytes(b"kept")
    path.symlink_to(target)
    with temporary_files() as files:
        other = Path(files.write(b"abc", ".urdf"))
        assert other != path
        assert other.read_bytes() == b"abc"
    assert target.read_bytes() == b"kept"
    assert path.is_symlink()
    assert not other.exists()


def test_a_file_that_is_gone_already_is_no_error(folder):
    with temporary_files() as files:
        Path(files.write(b"abc", ".urdf")).unlink()


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_held_mesh_is_a_hull_if_links_of_the_robot_collide_with_it(
    bullet_client: int, tmp_path: Path, is_alone: bool
) -> None:
    """A ray into the notch of an L-shaped base reaches the corner, or ends at the hull."""
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)
    faces = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
    trimesh.creation.extrude_triangulation(outline, faces, 1.0).export(tmp_path / "corner.stl")
    base = '<geometry><mesh filename="corner.stl"/></geometry>'
    hand = '<geometry><sphere radius="0.1"/></geometry>'
    links = [("base", base)] if is_alone else [("base", base), ("arm", ""), ("hand", hand)]
    text = "".join(
        f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        f'ixz="0" iyz="0"/></inertial>{f"<collision>{shape}</collision>" if shape else ""}</link>'
        for name, shape in links
    )
    for parent, child in itertools.pairwise(name for name, _ in links):
        text += (
            f'<joint name="{child}" type="continuous"><parent link="{parent}"/><child '
            f'link="{child}"/><origin xyz="0 0 3"/><axis xyz="0 0 1"/></joint>'
        )
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{text}</robot>')
    body = load_into_pybullet(path, useFixedBase=True, physicsClientId=bullet_client)
    ((hit, _, fraction, *_),) = pybullet.rayTest(
        [3, 3, 0.5], [0, 0, 0.5], physicsClientId=bullet_client
    )
    assert hit == int(body)
    assert 3.0 * (1.0 - fraction) == pytest.approx(1.0 if is_alone else 1.5, abs=2e-3)
