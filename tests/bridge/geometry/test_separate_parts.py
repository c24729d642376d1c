"""A mesh of separate convex parts collides as these parts, as with PyBullet's loadURDF."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import collada
import mujoco
import numpy as np
import pybullet
import pytest
import trimesh
from pybullet_data import getDataPath

import bridge
import loaders
from bridge.geometry import convex_decomposition
from bridge.geometry.convex_decomposition import MAX_SEPARATE_HULLS, hull_distance
from bridge.mechanism import Mechanism
from bridge.parity import Verdict, compare
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.readings import model_surfaces, volume_and_sensitivity
from bridge.targets.mjcf import to_mjcf
from loaders.model import Mesh
from tests.support.mesh_assets import codes, made, read_back
from tests.support.mujoco_oracle import compiled
from tests.support.seeds import few

LEFT, RIGHT = ((-0.5, -0.5, -0.1), (-0.3, 0.5, 0.1)), ((0.3, -0.5, -0.1), (0.5, 0.5, 0.1))
BESIDE = ((-0.3, -0.5, -0.1), (0.5, -0.3, 0.1))
"""A box that touches the left one, and has four corners in common with none."""
DIRECTIONS = np.random.default_rng(0).normal(size=(200, 3))
ROBOT = """<robot name="two"><link name="b">
<inertial><mass value="5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<visual><geometry><mesh filename="{file}"/></geometry></visual>
<collision><geometry><mesh filename="{file}"/></geometry></collision></link></robot>"""


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One empty cache for all of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDFBRIDGE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def box(bounds: Any) -> trimesh.Trimesh:
    return trimesh.creation.box(bounds=np.array(bounds))


def obj(*bodies: trimesh.Trimesh, statement: str = "o {name}\n") -> str:
    """An OBJ file with a statement before each body."""
    lines, start = [], 1
    for i, body in enumerate(bodies):
        lines.append(statement.format(name=f"part{i}"))
        lines += [f"v {x} {y} {z}\n" for x, y, z in body.vertices]
        lines += [f"f {a + start} {b + start} {c + start}\n" for a, b, c in body.faces]
        start += len(body.vertices)
    return "".join(lines)


def saved(folder: Path, name: str, *bodies: trimesh.Trimesh) -> str:
    """A file of some bodies in the format of its suffix: nodes where the format has them."""
    path = folder / name
    if path.suffix == ".dae":
        path.write_bytes(dae(bodies))
    elif path.suffix == ".glb":
        scene = trimesh.Scene(dict(zip(("one", "two", "three"), bodies, strict=False)))
        path.write_bytes(scene.export(file_type="glb"))
    else:
        trimesh.util.concatenate(bodies).export(path)
    return str(path)


def dae(bodies: Sequence[trimesh.Trimesh]) -> bytes:
    """A COLLADA file with a node for each body."""
    document, nodes = collada.Collada(), []
    document.assetInfo.upaxis = "Z_UP"
    for i, body in enumerate(bodies):
        source = collada.source.FloatSource(f"p{i}", np.ravel(body.vertices), ("X", "Y", "Z"))
        geometry = collada.geometry.Geometry(document, f"g{i}", f"g{i}", [source])
        inputs = collada.source.InputList()
        inputs.addInput(0, "VERTEX", f"#p{i}")
        geometry.primitives.append(geometry.createTriangleSet(np.ravel(body.faces), inputs, "m"))
        document.geometries.append(geometry)
        nodes.append(collada.scene.Node(f"n{i}", [collada.scene.GeometryNode(geometry, [])]))
    scene = collada.scene.Scene("scene", nodes)
    document.scenes.append(scene)
    document.scene = scene
    data = io.BytesIO()
    document.write(data)
    return data.getvalue()


def supports(vertices: Any) -> Any:
    return (np.asarray(vertices) @ DIRECTIONS.T).max(axis=0)


def parts_of(path: Path | str, **asked: Any) -> tuple[list[Any], list[str]]:
    """The vertices of the parts that collide for a file, and the findings."""
    assets, found = made(Mesh(uri=Path(path).name, path=str(path), **asked), collides=True)
    return [read_back(asset).vertices for asset in assets], codes(found)


def written(folder: Path, text: str, name: str = "two.obj") -> Path:
    path = folder / name
    path.write_text(text)
    return path


# --- what a robot does ----------------------------------------------------------------------------


def height_in_pybullet(load: Callable[..., int], file: Path, client: int, **options: Any) -> float:
    """Where a ball comes to rest that is dropped between the boxes."""
    pybullet.resetSimulation(physicsClientId=client)
    pybullet.setGravity(0.0, 0.0, -9.81, client)
    plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE, physicsClientId=client)
    pybullet.createMultiBody(0.0, plane, physicsClientId=client)
    load(str(file), [0, 0, 0.1], physicsClientId=client, **options)
    sphere = pybullet.createCollisionShape(
        pybullet.GEOM_SPHERE, radius=0.05, physicsClientId=client
    )
    ball = pybullet.createMultiBody(0.1, sphere, basePosition=[0, 0, 0.6], physicsClientId=client)
    for _ in range(480):
        pybullet.stepSimulation(client)
    return float(pybullet.getBasePositionAndOrientation(ball, client)[0][2])


def test_a_ball_falls_between_two_boxes(tmp_path: Path, bullet_client: int) -> None:
    written(tmp_path, obj(box(LEFT), box(RIGHT)))
    file = written(tmp_path, ROBOT.format(file="two.obj"), "two.urdf")
    native = height_in_pybullet(pybullet.loadURDF, file, bullet_client)
    here = height_in_pybullet(bridge.load_into_pybullet, file, bullet_client, quiet=True)
    hull = height_in_pybullet(
        bridge.load_into_pybullet, file, bullet_client, quiet=True, collision_meshes="hull"
    )
    assert native == pytest.approx(0.05, abs=2e-3)
    assert here == pytest.approx(0.05, abs=2e-3)
    assert hull == pytest.approx(0.25, abs=3e-3)


def test_a_ball_falls_between_two_boxes_in_mujoco(tmp_path: Path) -> None:
    written(tmp_path, obj(box(LEFT), box(RIGHT)))
    file = written(tmp_path, ROBOT.format(file="two.obj"), "two.urdf")
    spec = bridge.to_mjspec(file, base="fixed", quiet=True)
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=(5, 5, 1), pos=(0, 0, -0.1), contype=1
    )
    ball = spec.worldbody.add_body(name="ball", pos=(0.0, 0.0, 0.5))
    ball.add_freejoint()
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.05, 0, 0), mass=0.1)
    model = spec.compile()
    data = mujoco.MjData(model)
    while data.time < 2.0:
        mujoco.mj_step(model, data)
    assert data.body("ball").xpos[2] == pytest.approx(-0.05, abs=2e-3)


def test_the_parts_share_mass_names_friction_and_drawing(tmp_path: Path) -> None:
    written(tmp_path, obj(box(LEFT), box(RIGHT)))
    text = ROBOT.format(file="two.obj").replace(
        "<inertial>", "<contact><lateral_friction value='0.3'/></contact><inertial>"
    )
    model = compiled(to_mjcf(written(tmp_path, text, "two.urdf"), quiet=True))
    assert model.body("b").mass == pytest.approx(5.0)
    assert model.body("b").inertia == pytest.approx((1.0, 1.0, 1.0))
    touching = [i for i in range(model.ngeom) if model.geom_contype[i]]
    assert [model.geom(i).name for i in touching] == ["b_collision_0", "b_collision_1"]
    assert [model.geom_friction[i][0] for i in touching] == pytest.approx([0.3, 0.3])
    (drawn,) = (i for i in range(model.ngeom) if not model.geom_contype[i])
    assert model.mesh_vertnum[model.geom_dataid[drawn]] == 16


@pytest.mark.parametrize(
    ("name", "scale"),
    few(
        [
            ("duck_vhacd.obj", 0.05),
            ("teddy2_VHACD_CHs.obj", 3.0),
            ("laikago/chassis_vhacd_mod.obj", 1.0),
        ],
        1,
    ),
)
def test_rays_hit_the_parts_where_they_hit_those_of_loadurdf(
    name: str, scale: float, tmp_path: Path, bullet_client: int
) -> None:
    """Parallel rays along three axes; PyBullet adds 1 mm to its own hulls, and its rays miss
    some.
    """
    mesh = Path(getDataPath(), name)
    shutil.copy(mesh, tmp_path)
    text = ROBOT.format(file=f'{mesh.name}" scale="{scale} {scale} {scale}')
    file = str(written(tmp_path, text, "robot.urdf"))
    client = {"physicsClientId": bullet_client}
    found = []
    for load in (
        pybullet.loadURDF,
        partial(bridge.load_into_pybullet, quiet=True),
        partial(bridge.load_into_pybullet, quiet=True, collision_meshes="hull"),
    ):
        pybullet.resetSimulation(**client)
        body = load(file, **client)
        if not found:
            low, high = map(np.array, pybullet.getAABB(body, -1, **client))
            starts, ends = rays(low, high)
        hits = pybullet.rayTestBatch(starts, ends, **client)
        found.append(np.array([hit[2] if hit[0] >= 0 else 2.0 for hit in hits]))
    native, here, hull = found
    both = (native < 2.0) & (here < 2.0)
    length = float(np.linalg.norm(np.subtract(ends[0], starts[0])))
    assert np.median(np.abs(native - here)[both]) * length < 3e-3
    wrong, wrong_of_hull = (np.mean((native < 2.0) != (other < 2.0)) for other in (here, hull))
    assert wrong < 0.1
    assert wrong < 0.6 * wrong_of_hull


def rays(low: Any, high: Any) -> tuple[list[Any], list[Any]]:
    grid = np.linspace(0.02, 0.98, 20)
    starts, ends = [], []
    for axis in range(3):
        for u in grid:
            for v in grid:
                point = low + (high - low) * np.insert((u, v), axis, 0.0)
                before, behind = point.copy(), point.copy()
                before[axis], behind[axis] = low[axis] - 1.0, high[axis] + 1.0
                starts.append(before.tolist())
                ends.append(behind.tolist())
    return starts, ends


# --- which meshes ---------------------------------------------------------------------------------

FORMATS: dict[str, Callable[[Path], Any]] = {
    "objects": lambda folder: written(folder, obj(box(LEFT), box(RIGHT))),
    "groups": lambda folder: written(folder, obj(box(LEFT), box(RIGHT), statement="g {name}\n")),
    "one name": lambda folder: written(folder, obj(box(LEFT), box(RIGHT), statement="o same\n")),
    "materials": lambda folder: written(
        folder, obj(box(LEFT), box(RIGHT), statement="usemtl {name}\n")
    ),
    "nothing": lambda folder: written(folder, obj(box(LEFT), box(RIGHT), statement="")),
    **{
        suffix: lambda folder, suffix=suffix: saved(folder, f"two{suffix}", box(LEFT), box(RIGHT))
        for suffix in (".stl", ".ply", ".off", ".glb", ".dae")
    },
}


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_gives_the_boxes(form: str, tmp_path: Path) -> None:
    parts, found = parts_of(FORMATS[form](tmp_path))
    assert found == ["mesh.separate-parts"]
    turned = form == ".glb"  # its y axis points up
    expected = []
    for corners in (LEFT, RIGHT):
        vertices = np.array(box(corners).vertices)
        expected.append(
            vertices @ np.array(((1, 0, 0), (0, 0, 1), (0, -1, 0))) if turned else vertices
        )
    for part, vertices in zip(parts, expected, strict=True):
        assert supports(part) == pytest.approx(supports(vertices), abs=1e-6)


@pytest.mark.parametrize("statement", ["o {name}\n", "g {name}\n"])
def test_objects_that_touch_stay_apart(statement: str, tmp_path: Path) -> None:
    upper = ((-0.5, -0.5, 0.1), (-0.3, 0.5, 0.9))  # with the left one's upper corners
    bodies = (box(LEFT), box(upper), box(BESIDE))
    parts, found = parts_of(written(tmp_path, obj(*bodies, statement=statement)))
    assert found == ["mesh.separate-parts"]
    assert len(parts) == 3


@pytest.mark.slow
def test_the_files_of_pybullet_give_a_hull_for_each_object() -> None:
    """As loadURDF makes them; the objects of one file are not convex, which is reported."""
    data, counted = Path(getDataPath()), {}
    for path in sorted(data.rglob("*.obj")):
        text = path.read_text(errors="replace")
        objects = len(re.findall(r"^o ", text, re.MULTILINE))
        if objects > 1 and (
            "vhacd" in path.name.lower() or path.stem.startswith(("mug_c", "tray"))
        ):
            parts, found = parts_of(path)
            counted[path.relative_to(data).as_posix()] = (objects, len(parts), *found)
    assert len(counted) >= 15
    different = {name: row for name, row in counted.items() if row[0] != row[1]}
    assert {Path(name).name for name in different} == {"mug_col.obj"}
    assert {row[2] for row in different.values()} == {"mesh.convex-hull"}


def l_shape(height: float) -> trimesh.Trimesh:
    """A solid with an L for an outline; a flat one if it has no height."""
    outline = ((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    if not height:
        return trimesh.Trimesh([(x, y, 0) for x, y in outline], caps, process=False)
    vertices = [(x, y, z) for z in (0, height) for x, y in outline]
    faces = [t[::-1] for t in caps] + [tuple(i + 6 for i in t) for t in caps]
    for i in range(6):
        j = (i + 1) % 6
        faces += [(i, j, j + 6), (i, j + 6, i + 6)]
    return trimesh.Trimesh(vertices, faces, process=False)


def hollow_ball() -> list[trimesh.Trimesh]:
    inner = trimesh.creation.icosphere(radius=0.8)
    inner.invert()
    return [trimesh.creation.icosphere(radius=1.0), inner]


def shaded(body: trimesh.Trimesh) -> str:
    """An OBJ file whose triangles have corners of their own, each with its normal."""
    body = body.copy()
    body.unmerge_vertices()
    lines = [f"v {x} {y} {z}" for x, y, z in body.vertices]
    lines += [f"vn {x} {y} {z}" for x, y, z in body.face_normals]
    lines += [f"f {' '.join(f'{i + 1}//{k + 1}' for i in t)}" for k, t in enumerate(body.faces)]
    return "\n".join(lines)


WHOLE: dict[str, Callable[[], str]] = {
    "a part that is not convex": lambda: obj(box(RIGHT).apply_translation((5, 0, 0)), l_shape(1.0)),
    "a body with sharp edges": lambda: shaded(l_shape(1.0)),
    "a cavity": lambda: obj(*hollow_ball()),
    "too many": lambda: obj(
        *(box(LEFT).apply_translation((i, 0, 0)) for i in range(MAX_SEPARATE_HULLS + 1))
    ),
    "a flat part that is not convex": lambda: obj(
        box(RIGHT).apply_translation((5, 0, 0)), l_shape(0.0)
    ),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_other_meshes_stay_one_hull_and_the_finding_has_the_distance(
    kind: str, tmp_path: Path
) -> None:
    path = written(tmp_path, WHOLE[kind]())
    assets, found = made(Mesh(uri="two.obj", path=str(path)), collides=True)
    (entry,) = found
    assert len(assets) == 1
    assert entry.code == "mesh.convex-hull"
    assert f"up to {entry.arguments['distance']:.2g} m from its surface" in entry.message


@pytest.mark.parametrize("asked", [{"convex": True}, {"decomposition": "convex_hull"}])
def test_a_file_may_ask_for_one_hull(asked: dict[str, Any], tmp_path: Path) -> None:
    assert len(parts_of(written(tmp_path, obj(box(LEFT), box(RIGHT))), **asked)[0]) == 1


def test_an_mjcf_source_means_one_hull(tmp_path: Path, bullet_client: int) -> None:
    written(tmp_path, obj(box(LEFT), box(RIGHT)))
    text = (
        "<mujoco><asset><mesh name='m' file='two.obj'/></asset><worldbody><body><freejoint/>"
        "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
    )
    file = written(tmp_path, text, "two.xml")
    assert np.count_nonzero(compiled(to_mjcf(file, quiet=True)).geom_contype) == 1
    body = bridge.load_into_pybullet(file, physicsClientId=bullet_client, quiet=True)
    assert len(pybullet.getCollisionShapeData(body, -1, bullet_client)) == 1


def test_flat_parts_and_open_parts_are_kept(tmp_path: Path) -> None:
    plate = trimesh.Trimesh(
        [(0, 0, 2), (1, 0, 2), (1, 1, 2), (0, 1, 2)], [(0, 1, 2), (0, 2, 3)], process=False
    )
    triangle = trimesh.Trimesh([(0, 0, 3), (1, 0, 3), (0, 1, 3)], [(0, 1, 2)], process=False)
    parts, found = parts_of(written(tmp_path, obj(box(RIGHT), plate, triangle)))
    assert found == ["mesh.separate-parts"]
    heights = sorted(float(np.ptp(part[:, 2])) for part in parts)
    assert heights == pytest.approx([1e-3, 1e-3, 0.2], rel=1e-6)
    lidless = box(LEFT)
    lidless.update_faces(lidless.face_normals[:, 2] < 0.5)
    assets, (entry,) = made(
        Mesh(uri="", path=str(written(tmp_path, obj(lidless, box(RIGHT)), "open.obj"))),
        collides=True,
    )
    assert (len(assets), entry.code, entry.fate) == (2, "mesh.separate-parts", "approximated")
    assert entry.arguments["distance"] == pytest.approx(0.1, rel=0.02)  # the middle of the lid


def test_an_object_without_a_surface_is_not_lost(tmp_path: Path) -> None:
    line = trimesh.Trimesh([(0, 0, 3), (1, 0, 3), (2, 0, 3)], [(0, 1, 2)], process=False)
    parts, _ = parts_of(written(tmp_path, obj(box(LEFT), box(RIGHT), line)))
    assert max(part[:, 2].max() for part in parts) == pytest.approx(3.0)


@pytest.mark.parametrize("size", [1e-5, 1e-6, 1e-7, 1e-9])
@pytest.mark.parametrize("is_flat", [False, True])
def test_a_speck_beside_a_box_compiles(size: float, is_flat: bool, tmp_path: Path) -> None:
    speck = trimesh.Trimesh([(0, 0, 0), (size, 0, 0), (0, size, 0)], [(0, 1, 2)], process=False)
    if not is_flat:
        speck = trimesh.creation.box((size, size, size))
    written(tmp_path, obj(box(LEFT), speck))
    file = written(tmp_path, ROBOT.format(file="two.obj"), "two.urdf")
    parts = np.count_nonzero(compiled(to_mjcf(file, quiet=True)).geom_contype)
    assert parts == (2 if size >= 1e-6 else 1)


# --- distance and comparison ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mesh", "distance"),
    [
        (trimesh.util.concatenate([box(LEFT), box(RIGHT)]), 0.3),
        (trimesh.creation.icosphere(3), 0.0),
        (trimesh.creation.torus(1.0, 0.3, 64, 64), np.hypot(1.0, 0.3) - 0.3),
    ],
    ids=["two boxes", "ball", "torus"],
)
def test_the_distance_of_a_hull_from_its_mesh(mesh: trimesh.Trimesh, distance: float) -> None:
    measured = hull_distance(np.array(mesh.vertices), np.array(mesh.faces))
    assert measured == pytest.approx(distance, rel=0.01, abs=1e-9)


@pytest.mark.parametrize("has_parts", [True, False])
def test_a_comparison_sees_the_parts(
    has_parts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    if not has_parts:  # as an exporter that makes one hull of a mesh
        monkeypatch.setattr(convex_decomposition, "separate_hulls", lambda *_: ())
    written(tmp_path, obj(box(LEFT), box(RIGHT)))
    file = written(tmp_path, ROBOT.format(file="two.obj"), "two.urdf")
    found = compare(file, ("mujoco", "pybullet"), levels=("L0",), configurations=1, quiet=True)
    failed = {(row.quantity, row.engines) for row in found.failures}
    wrong = {("mesh volumes", ("reference", name)) for name in ("mujoco", "pybullet")}
    assert failed == (set() if has_parts else wrong)
    assert (found.verdict is Verdict.DIFFERS) is not has_parts


def test_the_volume_of_parts_at_rest_that_share_corners(tmp_path: Path) -> None:
    """PyBullet runs a mesh at rest as triangles, whose file has no parts."""

    def held(name: str, height: float) -> Mechanism:
        middle = (-0.3, -0.5, -0.1), (0.3, 0.5, 0.1)
        above = (0.3, -0.5, 0.1), (0.5, 0.5, 0.1 + height)
        (tmp_path / f"{name}.obj").write_text(obj(box(LEFT), box(middle), box(above)))
        weld = (
            '<link name="world"/><joint name="w" type="fixed"><parent link="world"/>'
            '<child link="b"/></joint></robot>'
        )
        text = ROBOT.format(file=f"{name}.obj").replace("</robot>", weld)
        return bridge.lower(loaders.load(written(tmp_path, text, f"{name}.urdf"), quiet=True))

    mechanism = held("stated", 0.1)

    class Smaller(PyBulletEngine):
        def __init__(self, _mechanism: Mechanism) -> None:
            super().__init__(held("smaller", 0.09))
            self.mechanism = mechanism

    surfaces = model_surfaces(mechanism)
    volume, _ = volume_and_sensitivity([hull() for hull in surfaces.hulls["b"]])  # type: ignore[misc]
    assert volume == pytest.approx(0.2 * 0.2 + 0.6 * 0.2 + 0.2 * 0.1)
    sound, faulty = (
        compare(mechanism, engines, levels=("L0",), configurations=1)
        for engines in (("mujoco", "pybullet"), (Smaller,))
    )
    assert not sound.failures
    assert "mesh volumes" in {row.quantity for row in faulty.failures}


@pytest.mark.slow
@pytest.mark.parametrize("name", few(["xarm6_robot.urdf", "base_com.urdf"], 1))
def test_the_base_of_an_arm_of_five_parts_is_as_large_as_stated(name: str) -> None:
    """PyBullet holds one file of triangles of the base alone, and five parts of that of the arm."""
    file = Path(getDataPath()) / "xarm" / name
    found = compare(
        file, ("mujoco", "pybullet"), levels=("L0",), configurations=1, inertia="repair", quiet=True
    )
    assert not found.failures


def test_loaders_are_asked_for_no_more(tmp_path: Path) -> None:
    """The scene states the mesh as the file does, and its mass is what it was."""
    written(tmp_path, obj(box(LEFT), box(RIGHT)))
    scene = loaders.load(written(tmp_path, ROBOT.format(file="two.obj"), "two.urdf"))
    (collision,) = scene.links[0].collisions
    assert isinstance(collision.geometry, Mesh)
    assert scene.links[0].inertia is not None
    assert scene.links[0].inertia.mass == 5.0
