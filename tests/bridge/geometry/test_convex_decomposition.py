"""Meshes that collide, their convexity, and their convex parts."""

import dataclasses
import os
import subprocess
import sys
import time
from pathlib import Path

import mujoco
import numpy as np
import pybullet
import pytest
import trimesh

import bridge
from bridge.geometry import convex_decomposition
from bridge.geometry.convex_decomposition import is_convex
from bridge.geometry.mesh import mesh_asset
from bridge.parity.engines.mujoco.shapes import pairs_in_mujoco
from bridge.parity.engines.pybullet.shapes import pairs_in_pybullet
from bridge.targets.mjcf import to_mjcf
from loaders.diagnostics import Diagnostics, ExportError, Fate, Where
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Collision,
    Joint,
    JointType,
    Link,
    Mesh,
    Model,
    Plane,
    Sensor,
    Sphere,
)
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from tests.support.mesh_assets import codes, made, read_back, written
from tests.support.mujoco_oracle import compiled

# Meshes collide as convex parts where that is asked for, and nothing that coacd does reaches the
# user.

WALL, HEIGHT, RADIUS = 0.02, 0.15, 0.05
PROFILE = (
    (-0.1, 0),
    (0.1, 0),
    (0.1, 0.15),
    (0.08, 0.15),
    (0.08, 0.02),
    (-0.08, 0.02),
    (-0.08, 0.15),
    (-0.1, 0.15),
)
CAPS = ((0, 5, 6), (0, 6, 7), (0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4))
VOLUME, HULL = 0.3 * (0.2 * 0.15 - 0.16 * 0.13), 0.3 * 0.2 * 0.15
PARTS_ASKED = {"decomposition": convex_decomposition.PARTS, "max_convex_hulls": 8}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """One cache for all of these tests."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDFBRIDGE_CACHE", str(folder))
        yield folder


def gutter() -> trimesh.Trimesh:
    """A gutter along y with a U for a profile: three boxes make it."""
    vertices = [(x, y, z) for y in (-0.15, 0.15) for x, z in PROFILE]
    faces = [*CAPS, *((c + 8, b + 8, a + 8) for a, b, c in CAPS)]
    for i in range(8):
        j = (i + 1) % 8
        faces += [(i, i + 8, j + 8), (i, j + 8, j)]
    return trimesh.Trimesh(vertices, faces, process=False)


@pytest.fixture(scope="module")
def gutter_file(tmp_path_factory):
    """Each triangle with separate corners, as STL has them: what is closed must be found out."""
    path = tmp_path_factory.mktemp("meshes") / "gutter.stl"
    gutter().export(path)
    return str(path)


def mesh_of(path, **asked) -> Mesh:
    return Mesh(uri=os.path.basename(path), path=path, **asked)


def convex_decomposition_made(mesh):
    diagnostics = Diagnostics()
    return mesh_asset(mesh, "mjcf", diagnostics, where=Where("a.sdf", 3), collides=True), list(
        diagnostics
    )


def link(name, geometry, z=0.0, mass=1.0):
    inertia = SpatialInertia.of(mass, (0.0, 0.0, 0.0), 0.01 * mass * np.eye(3))
    collision = Collision(name=f"{name}_shape", X_LG=IDENTITY, geometry=geometry)
    return Link(
        name=name,
        model="m",
        X_WL=Pose.of(p=(0.0, 0.0, z)),
        inertia=inertia,
        collisions=(collision,),
    )


def scene_of(*links, joints=()) -> Scene:
    models = (Model(name="m", X_WM=IDENTITY, canonical_link=links[0].name),)
    return Scene(name="test", models=models, links=links, joints=joints)


def gutter_with_a_ball(mesh) -> Scene:
    """A heavy gutter that is free to move, on the ground, and a ball above its hollow."""
    ground = link("ground", Plane(normal=(0.0, 0.0, 1.0), size=(10.0, 10.0)))
    weld = Joint(
        name="weld",
        type=JointType.FIXED,
        parent=WORLD,
        child="ground",
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(),
    )
    ball = link("ball", Sphere(radius=RADIUS), z=0.25)
    return scene_of(ground, link("gutter", mesh, mass=50.0), ball, joints=(weld,))


def height_in_mujoco(scene, **options) -> float:
    mjcf = bridge.to_mjcf(scene, **options)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    while data.time < 2.0:
        mujoco.mj_step(model, data)
    return float(data.body("ball").xpos[2])


def height_in_pybullet(scene, client, **options) -> float:
    pybullet.setGravity(0, 0, -9.8, client)
    with bridge.load_into_pybullet(scene, physicsClientId=client, **options) as bodies:
        for _ in range(480):
            pybullet.stepSimulation(client)
        return float(bodies.link_pose("ball").p[2])


# --- what the engines do --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "option", "rest"),
    [
        ({}, {}, HEIGHT),
        ({}, {"collision_meshes": "decompose"}, WALL),
        (PARTS_ASKED, {}, WALL),
        (PARTS_ASKED, {"collision_meshes": "hull"}, HEIGHT),
        ({"convex": True}, {"collision_meshes": "decompose"}, HEIGHT),
    ],
)
def test_a_ball_falls_into_a_hollow_that_was_taken_apart_and_onto_a_hull(
    gutter_file, bullet_client, asked, option, rest
):
    scene = gutter_with_a_ball(mesh_of(gutter_file, **asked))
    assert height_in_mujoco(scene, **option) == pytest.approx(rest + RADIUS, abs=2e-3)
    assert height_in_pybullet(scene, bullet_client, **option) == pytest.approx(
        rest + RADIUS, abs=2.5e-3
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "rest"), [("as_is", WALL), ("hull", HEIGHT), ("decompose", WALL)]
)
def test_what_the_world_holds_keeps_its_hollow_in_pybullet_unless_the_hull_is_asked_for(
    gutter_file, bullet_client, option, rest
):
    weld = Joint(
        name="weld",
        type=JointType.FIXED,
        parent=WORLD,
        child="gutter",
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(),
    )
    scene = scene_of(
        link("gutter", mesh_of(gutter_file)),
        link("ball", Sphere(radius=RADIUS), z=0.25),
        joints=(weld,),
    )
    height = height_in_pybullet(scene, bullet_client, collision_meshes=option)
    assert height == pytest.approx(rest + RADIUS, abs=2.5e-3)


@pytest.mark.slow
def test_the_pairs_that_touch_are_those_of_the_model(gutter_file):
    scene = gutter_with_a_ball(mesh_of(gutter_file, **PARTS_ASKED))
    mechanism = bridge.lower(scene)
    allowed = {frozenset(pair) for pair in mechanism.collidable_pairs("drake")}
    model = compiled(bridge.to_mjcf(mechanism))
    names = {model.body(body.name).id: body.name for body in mechanism.bodies}
    assert pairs_in_mujoco(mujoco, model, names) == allowed
    assert pairs_in_pybullet(pybullet, mechanism) == allowed


# --- what is written ------------------------------------------------------------------------------


def test_the_parts_are_convex_and_make_up_the_mesh(gutter_file):
    parts, said = convex_decomposition_made(mesh_of(gutter_file, **PARTS_ASKED))
    assert [part.name for part in parts] == [
        "gutter_convex_0",
        "gutter_convex_1",
        "gutter_convex_2",
    ]
    solids = [
        trimesh.load(trimesh.util.wrap_as_stream(part.data), file_type="obj") for part in parts
    ]
    assert all(solid.is_watertight and is_convex(solid.vertices, solid.faces) for solid in solids)
    volume = sum(solid.volume for solid in solids)
    assert volume == pytest.approx(VOLUME, rel=0.01)
    (entry,) = said
    assert (entry.code, entry.fate, entry.where) == (
        "mesh.convex-parts",
        Fate.APPROXIMATED,
        Where("a.sdf", 3),
    )
    excess = 100 * (volume / VOLUME - 1)
    assert (
        f"3 convex parts, of {volume:.3g} m^3 instead of {VOLUME:.3g} m^3 ({excess:+.1f} %)"
        in entry.message
    )


def test_the_hull_is_reported_with_how_much_more_it_holds(gutter_file):
    (entry,) = convex_decomposition_made(mesh_of(gutter_file))[1]
    assert entry.code == "mesh.convex-hull"
    assert (
        f"of {HULL:.3g} m^3 instead of {VOLUME:.3g} m^3 ({100 * (HULL / VOLUME - 1):+.1f} %)"
        in entry.message
    )


def test_an_open_mesh_has_no_volume_to_compare_with(tmp_path):
    mesh = gutter()
    trimesh.Trimesh(mesh.vertices, mesh.faces[1:], process=False).export(tmp_path / "open.obj")
    (entry,) = convex_decomposition_made(mesh_of(str(tmp_path / "open.obj")))[1]
    assert "encloses no volume" in entry.message


def test_a_mesh_that_fills_its_hull_is_convex_whatever_its_slivers(tmp_path):
    """A box with another corner next to an edge, so that a sliver of a triangle faces sideways."""
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    a, b, c = box.faces[0]
    vertices = np.vstack((box.vertices, 0.5 * (box.vertices[a] + box.vertices[b]) * 0.9999))
    faces = [*box.faces[1:], (a, b, 8), (b, c, 8), (c, a, 8)]
    assert not is_convex(vertices, np.array(faces))
    trimesh.Trimesh(vertices, faces, process=False).export(tmp_path / "dent.obj", digits=12)
    found, said = convex_decomposition_made(mesh_of(str(tmp_path / "dent.obj"), **PARTS_ASKED))
    assert [part.name for part in found] == ["dent"]
    assert said == []


def test_a_mesh_that_faces_both_ways_has_no_volume(tmp_path):
    mesh = gutter()
    both = trimesh.util.concatenate(
        [mesh, trimesh.Trimesh(mesh.vertices, mesh.faces[:, ::-1], process=False)]
    )
    both.export(tmp_path / "both.stl")
    (entry,) = convex_decomposition_made(mesh_of(str(tmp_path / "both.stl")))[1]
    assert "encloses no volume" in entry.message


def test_geoms_are_named_after_the_collision_and_a_contact_sensor_watches_all_of_them(gutter_file):
    watched = (("contact/collision", "gutter_shape"),)
    sensor = Sensor(name="touch", type="contact", X_LS=IDENTITY, parameters=watched)
    plain = link("gutter", mesh_of(gutter_file, **PARTS_ASKED))
    mjcf = bridge.to_mjcf(scene_of(dataclasses.replace(plain, sensors=(sensor,))))
    model = compiled(mjcf)
    assert [model.geom(i).name for i in range(model.ngeom)] == [
        f"gutter_shape_{i}" for i in range(3)
    ]
    assert [model.sensor(i).name for i in range(model.nsensor)] == [f"touch_{i}" for i in range(3)]
    assert sorted(mjcf.assets) == [f"gutter_convex_{i}.obj" for i in range(3)]


def test_a_mesh_of_convex_pieces_needs_no_coacd(tmp_path, monkeypatch):
    monkeypatch.setattr(convex_decomposition, "installed", lambda: False)
    steps = [
        trimesh.creation.box((1.0, 0.3, 0.2)).apply_translation((0, 0.4 * i, 0.2 * i))
        for i in range(3)
    ]
    trimesh.util.concatenate(steps).export(tmp_path / "stairs.stl")
    parts, (entry,) = convex_decomposition_made(
        mesh_of(str(tmp_path / "stairs.stl"), **PARTS_ASKED)
    )
    assert len(parts) == 3
    assert entry.code == "mesh.convex-parts"
    assert "0.18 m^3 instead of 0.18 m^3 (+0.0 %)" in entry.message


def test_a_convex_mesh_stays_whole(tmp_path):
    trimesh.creation.icosphere(radius=0.1).export(tmp_path / "ball.obj")
    assert [
        part.name
        for part in convex_decomposition_made(mesh_of(str(tmp_path / "ball.obj"), **PARTS_ASKED))[0]
    ] == ["ball"]


# --- what coacd does ------------------------------------------------------------------------------


@pytest.mark.slow
def test_nothing_is_printed_and_the_same_parts_come_from_an_empty_cache(gutter_file, tmp_path):
    code = (
        "import sys; from pathlib import Path; from bridge.geometry.convex_decomposition import "
        "convex_parts\n"
        "from loaders.meshes import read_mesh\n"
        "from loaders.model import Mesh; from loaders.diagnostics import Diagnostics\n"
        "mesh = Mesh(uri='', path=sys.argv[1], max_convex_hulls=8); data = read_mesh(mesh, "
        "Diagnostics())\n"
        "convex_parts((data.vertices, data.faces), mesh, Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", code, gutter_file]
    folders = [tmp_path / "a", tmp_path / "b"]
    runs = [
        subprocess.run([*command, f], capture_output=True, timeout=120, check=False)
        for f in folders
    ]
    assert [(run.returncode, run.stdout, run.stderr) for run in runs] == [(0, b"", b"")] * 2
    one, two = ([file.read_bytes() for file in folder.iterdir()] for folder in folders)
    assert one == two
    assert len(one) == 1


def test_parts_are_made_once(gutter_file, monkeypatch, caplog):
    with caplog.at_level("INFO", "sdfbridge"):
        first, _ = convex_decomposition_made(mesh_of(gutter_file, **PARTS_ASKED))
    assert caplog.messages == ["decomposing gutter.stl into convex parts"]
    monkeypatch.setattr(convex_decomposition, "_make", lambda *_: pytest.fail("made again"))
    again, _ = convex_decomposition_made(mesh_of(gutter_file, **PARTS_ASKED))
    assert [part.data for part in again] == [part.data for part in first]


def test_a_mesh_that_takes_too_long_collides_as_its_hull_and_is_not_tried_again(
    gutter_file, monkeypatch
):
    mesh = mesh_of(gutter_file, decomposition=convex_decomposition.PARTS, max_convex_hulls=5)
    monkeypatch.setattr(convex_decomposition, "TIME_LIMIT", 0.01)
    parts, (entry,) = convex_decomposition_made(mesh)
    assert [part.name for part in parts] == ["gutter"]
    assert (entry.code, entry.fate) == ("mesh.decomposition", Fate.APPROXIMATED)
    assert "takes longer than 0.01 s" in entry.message
    monkeypatch.setattr(convex_decomposition, "_make", lambda *_: pytest.fail("tried again"))
    assert convex_decomposition_made(mesh)[1] == [entry]


def test_a_crash_of_coacd_is_a_diagnostic(gutter_file, monkeypatch, tmp_path):
    (tmp_path / "coacd.py").write_text("import os\nos.abort()\n")
    monkeypatch.syspath_prepend(tmp_path)
    parts, (entry,) = convex_decomposition_made(
        mesh_of(gutter_file, decomposition=convex_decomposition.PARTS, max_convex_hulls=6)
    )
    assert len(parts) == 1
    assert entry.arguments["reason"].startswith("coacd crashes")


def test_the_reason_why_coacd_does_not_start_is_reported(gutter_file, monkeypatch, tmp_path):
    (tmp_path / "coacd.py").write_text("raise ImportError('no library')\n")
    monkeypatch.syspath_prepend(tmp_path)
    _, (entry,) = convex_decomposition_made(
        mesh_of(gutter_file, decomposition=convex_decomposition.PARTS, max_convex_hulls=7)
    )
    assert entry.arguments["reason"] == "ImportError: no library"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no prctl")
def test_a_decomposition_ends_with_the_process_that_asked_for_it(tmp_path):
    (tmp_path / "coacd.py").write_text(
        "import os, time\nprint(os.getpid(), file=open('child', 'w'), flush=True)\ntime.sleep(60)\n"
    )
    asking = (
        "from pathlib import Path; from bridge.geometry import convex_decomposition as c; "
        "c._run(Path('mesh.npz'), Path('parts.npz'))"
    )
    path = os.pathsep.join([str(tmp_path), os.getcwd()])
    command, environment = [sys.executable, "-c", asking], os.environ | {"PYTHONPATH": path}
    with subprocess.Popen(command, cwd=tmp_path, env=environment) as parent:
        child = tmp_path / "child"
        wait_until(lambda: child.is_file() and child.read_text().endswith("\n"))
        parent.kill()
    status = Path(f"/proc/{int(child.read_text())}/stat")
    wait_until(lambda: not status.is_file() or " Z " in status.read_text())


def wait_until(holds, seconds=60.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_parts_without_volume_are_none(gutter_file, monkeypatch):
    flat = (
        np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float),
        np.array([(0, 1, 2), (0, 2, 3)]),
    )
    monkeypatch.setattr(convex_decomposition, "_read", lambda _: iter([flat]))
    parts, (entry,) = convex_decomposition_made(mesh_of(gutter_file, **PARTS_ASKED))
    assert [part.name for part in parts] == ["gutter"]
    assert entry.arguments["reason"] == "it is too thin"


def test_planes_that_cross_are_taken_apart_as_one(tmp_path, monkeypatch):
    monkeypatch.setattr(convex_decomposition, "_run", lambda *_: "seen as one")
    upright = trimesh.creation.box((1.0, 1e-9, 1.0))
    low = trimesh.creation.box(bounds=[(0.0, -1.0, -1.0), (1e-9, 0.0, 1.0)])
    lower = trimesh.creation.box(bounds=[(0.0, 0.0, -1.0), (1e-9, 1.0, 0.0)])  # with `low` an L
    trimesh.util.concatenate([upright, low, lower]).export(tmp_path / "tree.obj", digits=12)
    assert (
        convex_decomposition_made(mesh_of(str(tmp_path / "tree.obj"), **PARTS_ASKED))[1][
            0
        ].arguments["reason"]
        == "seen as one"
    )


@pytest.mark.parametrize(
    "faces",
    [[(0, 0, 1)] * 4, [(0, 1, 2), (0, 2, 1), (0, 1, 3), (1, 2, 3)]],
    ids=["no area", "turned over"],
)
def test_a_mesh_that_is_hardly_one_does_no_harm(tmp_path, faces):
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.1, 0.1, 0.1)], dtype=float)
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [
        f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces
    ]
    (tmp_path / "bad.obj").write_text("\n".join(lines))
    parts, said = convex_decomposition_made(mesh_of(str(tmp_path / "bad.obj"), **PARTS_ASKED))
    assert {entry.code for entry in said} <= {
        "mesh.convex-parts",
        "mesh.decomposition",
        "mesh.flat",
        "mesh.unreadable",
    }
    assert parts or said


def test_large_meshes_are_refused_before_coacd_sees_them(gutter_file, monkeypatch):
    monkeypatch.setattr(convex_decomposition, "MAX_FACES", 20)
    (entry,) = convex_decomposition_made(mesh_of(gutter_file, **PARTS_ASKED))[1]
    assert entry.arguments["reason"] == "it has 28 triangles; the limit is 20"


def test_a_long_strip_of_triangles_in_any_order_is_one_piece_in_a_moment(monkeypatch, tmp_path):
    """Neighbors far apart in the file: what hangs together is found in near-linear time."""
    monkeypatch.setattr(convex_decomposition, "_run", lambda *_: "seen as one")
    n = 60_000
    angles = np.linspace(0.0, 200.0, n)
    points = np.stack((np.cos(angles), np.sin(angles), 1e-3 * np.arange(n)), axis=1)
    strip = np.random.default_rng(1).permutation(n)[
        np.stack([np.arange(n - 2) + k for k in range(3)], axis=1)
    ]
    shuffled = np.empty_like(points)
    shuffled[strip[:, 0]], shuffled[strip[-1]] = points[:-2], points[-3:]
    start = time.perf_counter()
    with pytest.raises(convex_decomposition.DecompositionError, match="seen as one"):
        convex_decomposition.convex_parts((shuffled, strip), Mesh(uri="", path=""), tmp_path)
    assert time.perf_counter() - start < 10.0


# --- without coacd --------------------------------------------------------------------------------


def test_without_coacd_a_file_that_asks_for_parts_gets_the_hull_and_the_command_that_helps(
    gutter_file, monkeypatch
):
    monkeypatch.setattr(convex_decomposition, "installed", lambda: False)
    parts, (entry,) = convex_decomposition_made(mesh_of(gutter_file, **PARTS_ASKED))
    assert len(parts) == 1
    assert (entry.code, entry.hint) == ("mesh.decomposition", 'pip install "sdfbridge[convex]"')


def test_without_coacd_the_error_names_the_package_to_install(
    gutter_file, monkeypatch, bullet_client
):
    monkeypatch.setattr(convex_decomposition, "installed", lambda: False)
    scene = scene_of(link("gutter", mesh_of(gutter_file)))
    for call in (bridge.to_mjcf, bridge.to_mjspec, bridge.load_into_pybullet):
        where = {"physicsClientId": bullet_client} if call is bridge.load_into_pybullet else {}
        with pytest.raises(ExportError, match=r'pip install "sdfbridge\[convex\]".*mesh\.no-coacd'):
            call(scene, collision_meshes="decompose", **where)


def test_an_unknown_keyword_is_refused():
    with pytest.raises(ValueError, match="'parts' of collision_meshes; expected one of: as_is"):
        bridge.to_mjcf(Scene(name="empty"), collision_meshes="parts")


# Meshes that collide, and what is reported about them.


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
    assert compiled(to_mjcf(collision_meshes_scene_of(collisions=(shape,)))).nmesh == 1


def collision_meshes_scene_of(**parts):
    link = Link(
        name="a", model="m", X_WL=IDENTITY, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3)), **parts
    )
    model = Model(name="m", X_WM=IDENTITY, canonical_link="a", static=True)
    return Scene(name="m", models=(model,), links=(link,))


def test_a_mesh_without_a_file_is_named_as_in_the_scene():
    torus = trimesh.creation.torus(1.0, 0.3).export(file_type="obj").encode()
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Mesh(uri="ring.obj", path=None, data=torus))
    found = to_mjcf(collision_meshes_scene_of(collisions=(shape,))).diagnostics
    assert [entry.arguments["mesh"] for entry in found if entry.code == "mesh.convex-hull"] == [
        "ring"
    ]


# Convexity of triangle meshes.


@pytest.mark.parametrize(
    ("mesh", "expected"),
    [
        (trimesh.creation.box((1, 2, 3)), True),
        (trimesh.creation.icosphere(subdivisions=4), True),
        (trimesh.creation.cylinder(radius=1.0, height=2.0), True),
        (trimesh.creation.torus(1.0, 0.3), False),
        (trimesh.creation.annulus(0.5, 1.0, 1.0), False),
    ],
)
def test_convexity_is_that_of_the_surface(mesh, expected):
    assert is_convex(mesh.vertices, mesh.faces) is expected
