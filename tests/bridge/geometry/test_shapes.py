"""Shapes as triangles and support functions: against the running engines, closed forms and points
on each shape.
"""

from __future__ import annotations

import math
import random

import mujoco
import numpy as np
import pybullet
import pytest
import trimesh
from PIL import Image

from bridge import load_into_pybullet, to_mjspec
from bridge.geometry import shapes
from bridge.geometry.mesh import shape_asset
from bridge.geometry.shapes import (
    DIRECTIONS,
    MAX_CORNERS,
    cone,
    directions,
    half_space,
    prisms,
    support_function,
    support_of_points,
    supports_of,
    supports_of_points,
    triangulate,
    twice_area,
)
from loaders.diagnostics import Diagnostics, Where
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Geometry,
    Heightmap,
    JointType,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    Visual,
)
from loaders.pose import IDENTITY, Array, Pose, rotation_about
from tests.support.scenes import codes, joint, link, scene

# Height maps and pictures on meshes, asked of the running PyBullet; heights are held against
# MuJoCo's.

SIZE = (6.0, 3.0, 2.0)
X_WL = Pose.of(p=(0.5, -0.25, 1.0))


@pytest.fixture
def heightmap(tmp_path):
    """Seven by four pixels of random grey, none of them black or white, raised and moved."""
    pixels = np.random.default_rng(3).integers(40, 200, (4, 7)).astype(np.uint8)
    Image.fromarray(pixels).save(tmp_path / "hills.png")
    return Heightmap(
        uri="hills.png", path=str(tmp_path / "hills.png"), size=SIZE, position=(0.1, 0.2, -0.3)
    )


def ground(heightmap, **rest):
    return scene(
        [link("hills", shape=heightmap, X_WL=X_WL, **rest)],
        [joint("w", WORLD, "hills", JointType.FIXED, X_PJ=X_WL)],
    )


def test_a_height_map_is_as_high_as_in_mujoco(bullet_client, heightmap):
    source = ground(heightmap)
    load_into_pybullet(source, physicsClientId=bullet_client)
    model = to_mjspec(source).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    down, hit = np.array((0.0, 0.0, -1.0)), np.zeros(1, dtype=np.int32)
    for x, y in np.random.default_rng(4).uniform((-2.4, -1.5), (3.5, 1.4), (60, 2)):
        top = np.array((x, y, 9.0))
        depth = mujoco.mj_ray(model, data, top, down, None, 1, -1, hit)
        (body, _, _, point, _), *_ = pybullet.rayTest(
            top, (x, y, -9.0), physicsClientId=bullet_client
        )
        assert body >= 0
        assert point[2] == pytest.approx(9.0 - depth, abs=2e-6)


def test_the_first_row_of_the_image_is_far_and_white_is_the_full_height(bullet_client, tmp_path):
    pixels = np.zeros((3, 3), dtype=np.uint8)
    pixels[0, 2] = 255
    Image.fromarray(pixels).save(tmp_path / "corner.png")
    corner = Heightmap(uri="corner.png", path=str(tmp_path / "corner.png"), size=SIZE)
    load_into_pybullet(
        scene([link("c", shape=corner)], [joint("w", WORLD, "c", JointType.FIXED)]),
        physicsClientId=bullet_client,
    )
    ((_, _, _, (_, _, height), _),) = pybullet.rayTest(
        (2.7, 1.35, 9), (2.7, 1.35, -9), physicsClientId=bullet_client
    )
    assert height == pytest.approx(2.0 * 0.9, abs=1e-6)


def test_a_ball_comes_to_rest_on_a_height_map(bullet_client, tmp_path):
    Image.fromarray(np.full((5, 5), 51, dtype=np.uint8)).save(tmp_path / "flat.png")
    flat = Heightmap(uri="flat.png", path=str(tmp_path / "flat.png"), size=(2.0, 2.0, 1.0))
    load_into_pybullet(
        scene([link("f", shape=flat)], [joint("w", WORLD, "f", JointType.FIXED)]),
        physicsClientId=bullet_client,
    )
    ball = pybullet.createCollisionShape(
        pybullet.GEOM_SPHERE, radius=0.1, physicsClientId=bullet_client
    )
    body = pybullet.createMultiBody(
        1.0, ball, basePosition=(0.1, 0.2, 0.5), physicsClientId=bullet_client
    )
    pybullet.setGravity(0, 0, -9.81, bullet_client)
    for _ in range(480):
        pybullet.stepSimulation(bullet_client)
    assert pybullet.getBasePositionAndOrientation(body, bullet_client)[0][2] == pytest.approx(
        0.3, abs=1e-3
    )


def test_a_height_map_that_moves_or_cannot_be_read_is_left_out_and_reported(
    bullet_client, heightmap, tmp_path
):
    moving = load_into_pybullet(scene([link("m", shape=heightmap)]), physicsClientId=bullet_client)
    assert "pybullet.shape-dropped" in codes(moving)
    (tmp_path / "hills.png").write_text("no picture")
    still = load_into_pybullet(ground(heightmap), physicsClientId=bullet_client)
    assert "pybullet.shape-dropped" in codes(still)
    assert pybullet.getCollisionShapeData(still, -1, bullet_client) in ((), None)


# --- pictures -------------------------------------------------------------------------------------


def pixels_of(client, body):
    """The colors that PyBullet draws a body in, seen from above, shape (n, 3)."""
    view = pybullet.computeViewMatrix((0, 0, 3), (0, 0, 0), (0, 1, 0))
    lens = pybullet.computeProjectionMatrixFOV(45, 1, 0.1, 10)
    shot = pybullet.getCameraImage(
        160,
        160,
        view,
        lens,
        lightDirection=(0, 0, 1),
        shadow=0,
        lightAmbientCoeff=1.0,
        lightDiffuseCoeff=0.0,
        lightSpecularCoeff=0.0,
        renderer=pybullet.ER_TINY_RENDERER,
        physicsClientId=client,
    )
    colors = np.reshape(np.array(shot[2], dtype=np.uint8), (160, 160, 4))[:, :, :3]
    return colors, np.reshape(shot[4], (160, 160)) == int(body)


def sheet(tmp_path, folder="sheet"):
    """A square of 2 m with a picture of four colors on it."""
    colors = np.array((((255, 0, 0), (0, 255, 0)), ((0, 0, 255), (255, 255, 0))), dtype=np.uint8)
    home = tmp_path / folder
    home.mkdir()
    Image.fromarray(colors.repeat(32, axis=0).repeat(32, axis=1)).save(home / "four.png")
    (home / "sheet.mtl").write_text("newmtl m\nKd 1 1 1\nmap_Kd four.png\n")
    corners = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    (home / "sheet.obj").write_text(
        f"mtllib sheet.mtl\n{corners}usemtl m\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"
    )
    return Mesh(uri="sheet.obj", path=str(home / "sheet.obj"))


@pytest.mark.parametrize("cache", ["cache", "a folder with blanks"])
def test_the_picture_on_a_mesh_is_drawn(bullet_client, tmp_path, monkeypatch, cache):
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / cache))
    visuals = (Visual(name="v", X_LG=IDENTITY, geometry=sheet(tmp_path)),)
    robot = load_into_pybullet(scene([link("a", visuals=visuals)]), physicsClientId=bullet_client)
    image, seen = pixels_of(bullet_client, robot)
    assert seen.sum() > 5000
    for (row, column), color in {
        (50, 50): (255, 0, 0),
        (50, 110): (0, 255, 0),
        (110, 50): (0, 0, 255),
        (110, 110): (255, 255, 0),
    }.items():
        assert image[row, column] == pytest.approx(np.array(color), abs=30), (row, column)


def test_a_changed_picture_is_converted_again(bullet_client, tmp_path, monkeypatch):
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    mesh = sheet(tmp_path)
    source = scene([link("a", visuals=(Visual(name="v", X_LG=IDENTITY, geometry=mesh),))])
    load_into_pybullet(source, physicsClientId=bullet_client).remove()
    Image.new("RGB", (8, 8), (255, 0, 255)).save(tmp_path / "sheet" / "four.png")
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    image, _ = pixels_of(bullet_client, robot)
    assert image[80, 80] == pytest.approx(np.array((255, 0, 255)), abs=30)


# --- margins --------------------------------------------------------------------------------------


def test_a_free_mesh_touches_where_it_is_and_a_mesh_on_a_joint_a_millimeter_before(
    bullet_client, tmp_path
):
    corners = "".join(
        f"v {x} {y} {z}\n" for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)
    )
    quads = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
    (tmp_path / "box.obj").write_text(corners + "".join(f"f {quad}\n" for quad in quads))
    box = Mesh(uri="box.obj", path=str(tmp_path / "box.obj"))
    far = Pose.of(p=(5.0, 0.0, 0.0))
    robot = load_into_pybullet(
        scene(
            [link("a", shape=box), link("b", shape=box, X_WL=far)], [joint("j", "a", "b", X_PJ=far)]
        ),
        physicsClientId=bullet_client,
    )
    shape = pybullet.createCollisionShape(
        pybullet.GEOM_SPHERE, radius=0.5, physicsClientId=bullet_client
    )
    for index, x, margin in ((-1, 0.0, 0.0), (0, 5.0, 1e-3)):
        ball = pybullet.createMultiBody(
            0.0, shape, basePosition=(x, 3.0, 0.0), physicsClientId=bullet_client
        )
        (point,) = pybullet.getClosestPoints(
            robot, ball, 9.0, index, -1, physicsClientId=bullet_client
        )
        assert point[8] == pytest.approx(2.0 - margin, abs=1e-6)


# Triangles fill polygons. The shoelace formula, and cutting ears by trying every corner, are the
# witnesses.

Outline = tuple[tuple[float, float], ...]


def circle(n: int, spikes: float = 0.0) -> Outline:
    radii = (1.0 + spikes * (i % 2) for i in range(n))
    return tuple(
        (r * math.cos(math.tau * i / n), r * math.sin(math.tau * i / n))
        for i, r in enumerate(radii)
    )


def comb(n: int) -> Outline:
    teeth = [(float(i), 10.0 * (i % 2)) for i in reversed(range(n - 2))]
    return (*teeth, (-1.0, -1.0), (float(n), -1.0))


def spiral(n: int) -> Outline:
    """A thin band around the origin, two turns."""
    arm = [(math.tau * 2 * i / (n // 2), 1.0 + 3.0 * i / (n // 2)) for i in range(n // 2)]
    sides = [
        (angle, radius + width)
        for width, side in ((0.3, arm), (0.0, arm[::-1]))
        for angle, radius in side
    ]
    return tuple((r * math.cos(a), r * math.sin(a)) for a, r in sides)


def area(outline: Outline) -> float:
    return 0.5 * sum(
        x * v - u * y for (x, y), (u, v) in zip(outline, outline[1:] + outline[:1], strict=True)
    )


def is_ear(outline: Outline, rest: list[int], k: int) -> bool:
    a, b, c = (outline[rest[i % len(rest)]] for i in (k - 1, k, k + 1))
    others = (outline[i] for i in rest if outline[i] not in (a, b, c))
    inside = any(
        min(twice_area(a, b, p), twice_area(b, c, p), twice_area(c, a, p)) >= 0.0 for p in others
    )
    return twice_area(a, b, c) > 0.0 and not inside


def by_trying_every_corner(outline: Outline) -> list[tuple[int, int, int]]:
    rest, triangles = list(range(len(outline))), []
    while len(rest) > 3:
        k = next((k for k in range(len(rest)) if is_ear(outline, rest, k)), 0)
        triangles.append((rest[k - 1], rest[k], rest[(k + 1) % len(rest)]))
        del rest[k]
    return [*triangles, (rest[0], rest[1], rest[2])]


@pytest.mark.parametrize("outline", [circle(600), circle(600, 1.0), comb(600), spiral(600)])
def test_triangles_fill_a_simple_polygon(outline: Outline) -> None:
    triangles, is_filled = triangulate(outline)
    assert is_filled
    areas = [twice_area(*(outline[i] for i in triangle)) / 2.0 for triangle in triangles]
    assert min(areas) >= 0.0
    assert sum(areas) == pytest.approx(area(outline))
    assert len(triangles) == len(outline) - 2


def test_the_ear_of_the_smallest_index_is_cut_each_time() -> None:
    chance = random.Random(3)
    for _ in range(300):
        grid = chance.choice((3, 6, 50))
        corners = [
            (float(chance.randint(0, grid)), float(chance.randint(0, grid)))
            for _ in range(chance.randint(3, 15))
        ]
        if chance.random() < 0.5:
            corners.sort(key=lambda p: math.atan2(p[1] - grid / 2, p[0] - grid / 2))
        outline = tuple(corners)
        assert triangulate(outline)[0] == by_trying_every_corner(outline)


@pytest.mark.parametrize("make", [circle, comb, spiral])
def test_the_number_of_examinations_is_linear(monkeypatch: pytest.MonkeyPatch, make) -> None:
    def examinations(n: int) -> int:
        calls = []
        inside = shapes._is_inside
        monkeypatch.setattr(shapes, "_is_inside", lambda *args: calls.append(1) or inside(*args))
        triangulate(make(n))
        monkeypatch.undo()
        return len(calls)

    assert examinations(1600) < 4.8 * examinations(400)


def test_a_polygon_that_cannot_be_triangulated_is_reported() -> None:
    chance = random.Random(0)
    outline = tuple((chance.random(), chance.random()) for _ in range(1000))
    triangles, is_filled = triangulate(outline)
    assert len(triangles) == 998
    assert not is_filled


# Tessellated cones and polylines are closed and have the volumes of the shapes.

HERE = Where("robot.sdf", 3)


def tessellation_codes(diagnostics):
    return [entry.code for entry in diagnostics]


def solid(vertices, faces):
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_watertight
    return mesh


def test_a_cone_has_the_volume_of_its_polygon_and_its_center_a_quarter_up():
    mesh = solid(*cone(Cone(radius=0.5, length=2.0)))
    area = 32 * 0.25 * math.sin(math.tau / 64)
    assert mesh.volume == pytest.approx(area * 2.0 / 3.0)
    assert np.allclose(mesh.center_mass, (0, 0, -0.5))


@pytest.mark.parametrize(
    ("outline", "area"),
    [
        (((0, 0), (2, 0), (2, 1), (0, 1)), 2.0),
        (((0, 1), (2, 1), (2, 0), (0, 0)), 2.0),
        (((0, 0), (2, 0), (2, 1), (0, 1), (0, 0)), 2.0),
        (((0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (4, 3), (4, 4), (0, 4)), 10.0),
        (((0, 0), (1, 0), (2, 0), (2, 2), (1, 1)), 2.0),
    ],
)
def test_an_outline_of_any_shape_and_direction_encloses_its_area_times_the_height(outline, area):
    (prism,) = prisms(Polyline(outlines=(outline,), height=0.5))
    assert prism.is_filled
    assert solid(prism.vertices, prism.faces).volume == pytest.approx(area * 0.5)


@pytest.mark.parametrize(
    ("outline", "height"),
    [
        (((0.0, 0.0),), 1.0),
        (((0.0, 0.0),) * 4, 1.0),
        (((0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (5.0, 5.0)), 1.0),
        (((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), 0.0),
        (((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), -1.0),
        (((0.0, 0.0), (1e300, 0.0), (0.0, 1e300)), 1.0),
        (tuple((math.cos(i), math.sin(i)) for i in range(MAX_CORNERS + 1)), 1.0),
    ],
)
def test_an_outline_without_a_volume_is_left_out_with_a_finding(outline, height) -> None:
    square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    diagnostics = Diagnostics()
    assert shape_asset(Polyline(outlines=(outline,), height=height), "mjcf", diagnostics) == ()
    assert tessellation_codes(diagnostics) == ["mesh.degenerate"]
    if height > 0.0:
        assert (
            len(
                shape_asset(
                    Polyline(outlines=(outline, square), height=height), "mjcf", diagnostics
                )
            )
            == 1
        )


@pytest.mark.parametrize(("radius", "length"), [(0.0, 1.0), (1.0, 0.0), (1e-300, 1.0), (1.0, -1.0)])
def test_a_cone_without_a_volume_is_left_out_with_a_finding(radius, length) -> None:
    diagnostics = Diagnostics()
    assert shape_asset(Cone(radius=radius, length=length), "mjcf", diagnostics) == ()
    assert tessellation_codes(diagnostics) == ["mesh.degenerate"]


def test_an_outline_that_intersects_itself_is_reported() -> None:
    """No corner of this outline that remains after the first cut is an ear."""
    outline = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 2.0), (1.0, 1.0))
    diagnostics = Diagnostics()
    (asset,) = shape_asset(Polyline(outlines=(outline,)), "mjcf", diagnostics, where=HERE)
    assert tessellation_codes(diagnostics) == ["mesh.polyline", "mesh.polyline-not-simple"]
    assert len(asset.faces) == 2 * 3 + 2 * 5


# Support functions, against those of many points on each shape.

X_LG = Pose.of(rotation_about(np.array((0.0, 0.6, 0.8)), 0.7), (0.1, -0.2, 0.3))
CONE = Cone(radius=0.5, length=2.0)
OUTLINE = Polyline(outlines=(((0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)),), height=0.5)
SHAPES: list[tuple[Geometry, Array]] = [
    (Box(size=(1.0, 2.0, 3.0)), trimesh.creation.box((1.0, 2.0, 3.0)).vertices),
    (Sphere(radius=0.7), trimesh.creation.icosphere(5, 0.7).vertices),
    (Ellipsoid(radii=(1.0, 2.0, 3.0)), trimesh.creation.icosphere(5).vertices * (1.0, 2.0, 3.0)),
    (Cylinder(radius=0.5, length=2.0), trimesh.creation.cylinder(0.5, 2.0, 256).vertices),
    (Capsule(radius=0.5, length=2.0), trimesh.creation.capsule(2.0, 0.5, (128, 128)).vertices),
    (CONE, cone(CONE)[0]),
    (OUTLINE, prisms(OUTLINE)[0].vertices),
]


@pytest.mark.parametrize(
    ("shape", "points"), SHAPES, ids=[type(shape).__name__ for shape, _ in SHAPES]
)
def test_a_shape_reaches_as_far_as_its_points(shape: Geometry, points: Array) -> None:
    support = support_function(shape)
    assert support is not None
    points = np.asarray(points)
    centered = (
        points - (points.max(axis=0) + points.min(axis=0)) / 2.0
        if isinstance(shape, Capsule)
        else points
    )
    of_points = support_of_points(centered)
    for direction in np.random.default_rng(0).normal(size=(20, 3)):
        d = direction / np.linalg.norm(direction)
        assert support(d) == pytest.approx(of_points(d), rel=2e-3, abs=2e-3)


def test_nothing_reaches_nowhere_and_a_plane_has_no_end() -> None:
    empty = support_function(Empty())
    assert empty is not None
    assert empty(np.array((1.0, 0.0, 0.0))) == -math.inf
    assert support_function(Plane()) is None


def test_the_directions_are_unit_vectors_that_fill_the_sphere() -> None:
    d = directions()
    assert d.shape == (DIRECTIONS, 3)
    assert np.linalg.norm(d, axis=1) == pytest.approx(1.0)
    probes = np.random.default_rng(0).normal(size=(500, 3))
    nearest = (probes / np.linalg.norm(probes, axis=1, keepdims=True) @ d.T).max(axis=1)
    assert nearest.min() > np.cos(0.35)


def test_a_sphere_reaches_its_radius_from_its_center() -> None:
    support = support_function(Sphere(radius=0.5))
    assert support is not None
    assert supports_of(support, X_LG) == pytest.approx(directions() @ X_LG.p + 0.5)


def test_points_reach_as_far_as_the_farthest_of_them() -> None:
    points = np.random.default_rng(1).normal(size=(20, 3))
    placed = points @ X_LG.R.T + X_LG.p
    assert supports_of_points(points, X_LG) == pytest.approx((placed @ directions().T).max(axis=0))


def test_a_plane_is_told_from_one_that_is_tilted_or_moved() -> None:
    up = supports_of(half_space(np.array((0.0, 0.0, 1.0))), Pose.of())
    moved = supports_of(half_space(np.array((0.0, 0.0, 1.0))), Pose.of(p=(0.0, 0.0, 0.1)))
    tilted = supports_of(half_space(np.array((0.0, 0.001, 1.0)) / np.hypot(0.001, 1.0)), Pose.of())
    assert np.abs(up - moved).max() == pytest.approx(0.1)
    assert np.abs(up - tilted).max() > 100.0
