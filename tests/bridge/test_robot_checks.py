"""The checks of a robot find one cause each, in every format, and nothing in sound robots."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pybullet
import pybullet_data
import pytest
import trimesh
from hypothesis import example, given
from hypothesis import strategies as st

import bridge
import loaders
from bridge.geometry.mesh import hulls
from bridge.lowering.transform import mechanism_of
from bridge.robot_checks import (
    DENSITIES,
    _distance_to_hull,
    _has_surely_a_density,
    _hull_volumes,
    _Part,
    check_robot,
)
from loaders import Scene
from loaders.diagnostics import Diagnostic, Diagnostics, LossWarning
from loaders.inertia import SpatialInertia
from loaders.meshes import MeshData, read_mesh
from loaders.model import Mesh
from tests.code_examples.robot import EXAMPLES, changed, robot

DATA = Path(pybullet_data.getDataPath())


def checked(scene: Scene) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    check_robot(mechanism_of(scene), diagnostics)
    return [entry for entry in diagnostics if entry.code.startswith("robot.")]


def codes(path: Path, **options: object) -> list[str]:
    return [entry.code for entry in checked(loaders.load(path, quiet=True, **options))]


@pytest.fixture
def robot_file(tmp_path: Path) -> Path:
    path = tmp_path / "robot.urdf"
    path.write_text(robot())
    return path


@pytest.mark.parametrize("code", sorted(set(EXAMPLES) - {"robot.weak"}))
def test_one_mistake_gives_one_finding(code: str, tmp_path: Path) -> None:
    found = [entry.code for entry in EXAMPLES[code].diagnose(tmp_path)]
    assert found == [code]


@pytest.mark.parametrize(
    ("item", "old", "new", "code"),
    [
        ("left_upper", "mass value='2'", "mass value='2000'", "robot.density"),
        ("left_upper", "xyz='0 0 -0.15'/><mass", "xyz='0 0 0.3'/><mass", "robot.center-of-mass"),
        ("left_shoulder", "lower='-1.5' upper='1.5'", "lower='-86' upper='86'", "robot.degrees"),
        ("left_upper", "ixx='0.0154' iyy='0.0154'", "ixx='15.4' iyy='15.4'", "robot.gyration"),
    ],
)
def test_a_mistake_is_found_in_every_format(
    item: str, old: str, new: str, code: str, robot_file: Path, tmp_path: Path
) -> None:
    robot_file.write_text(changed(item, old, new))
    scene = loaders.load(robot_file, quiet=True)
    (tmp_path / "robot.sdf").write_text(bridge.to_sdf(scene, quiet=True))
    (tmp_path / "robot.xml").write_text(bridge.to_mjcf(scene, quiet=True, overlaps="keep"))
    for name in ("robot.urdf", "robot.sdf", "robot.xml"):
        assert code in codes(tmp_path / name), name


@pytest.mark.parametrize(
    "name",
    ["kuka_iiwa/model.urdf", "a1/a1.urdf", "xarm/xarm6_robot.urdf"],
)
def test_sound_robots_give_no_warning(name: str) -> None:
    scene = loaders.load(DATA / name, quiet=True, lenient=True)
    assert [str(entry) for entry in checked(scene) if entry.severity == "warning"] == []


TURNING = (
    "type='revolute'><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='{}' velocity='9'/>"
)
PLANAR = "".join(
    f"<link name='{child}'/><joint name='to_{child}' {TURNING.format(0)}"
    f"<parent link='{parent}'/><child link='{child}'/></joint>"
    for parent, child in (("world", "x"), ("x", "z"), ("z", "base"))
).replace("<link name='base'/>", "")
SOUND = {
    "a building that stands still": (
        "sdf",
        "<sdf version='1.9'><model name='m'><static>1</static><link name='l'><visual name='v'>"
        "<geometry><box><size>30 20 9</size></box></geometry></visual></link></model></sdf>",
    ),
    "counters with thin parts": (
        "mjcf",
        "<mujoco><worldbody><body><joint/><geom type='box' size='1.4 0.3 0.02'/>"
        "<geom type='box' size='0.03 0.02 0.01' pos='1.3 0 0.03'/><body name='arm' pos='0 0 0.1'>"
        "<joint/><geom type='box' size='0.15 0.1 0.05'/></body></body><body name='b' pos='3 0 0'>"
        "<joint/><geom type='box' size='0.15 0.1 0.05'/></body></worldbody></mujoco>",
    ),
    "the target of a task": (
        "mjcf",
        "<mujoco><worldbody><body name='arm'><joint/><geom size='0.1'/></body><body name='target'>"
        "<joint type='slide'/><geom size='0.1' contype='0' conaffinity='0'/></body></worldbody>"
        "</mujoco>",
    ),
    "a biped in a plane": (
        "urdf",
        robot().replace("<link name='base'>", f"<link name='world'/>{PLANAR}<link name='base'>"),
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_is_meant_so_gives_no_warning(name: str) -> None:
    form, text = SOUND[name]
    scene = loaders.load_string(text, format=form, quiet=True)
    assert [str(entry) for entry in checked(scene) if entry.severity == "warning"] == []


def _of_siblings(change: tuple[str, str, str], folder: Path) -> list[Diagnostic]:
    path = folder / "robot.urdf"
    path.write_text(changed(*change))
    return checked(loaders.load(path, quiet=True))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (("left_upper", "mass value='2'", "mass value='2.5'"), "mass of the child"),
        (("right_fore", "xyz='0 0 -0.15'/><mass", "xyz='0 0 -0.11'/><mass"), "center of mass"),
        (("right_elbow", "xyz='0 0 -0.3'", "xyz='0 0 -0.28'"), "offset from the parent"),
    ],
)
def test_what_one_side_has_elsewhere_is_noted(
    change: tuple[str, str, str], field: str, tmp_path: Path
) -> None:
    (found,) = _of_siblings(change, tmp_path)
    assert found.code == "robot.siblings"
    assert field in found.message


LEGS = {"FL": (0.3, 0.2), "FR": (0.3, -0.2), "RL": (-0.3, 0.2), "RR": (-0.3, -0.2)}
FINGERS = {"index": (0.1, 0.0), "middle": (0.15, 0.05), "ring": (0.1, 0.1)}


@pytest.mark.parametrize(("parts", "odd"), [(LEGS, "FL"), (LEGS, "RR"), (FINGERS, "middle")])
@pytest.mark.parametrize(
    ("item", "old", "new"),
    [
        ("upper", "mass value='2'", "mass value='0.002'"),
        ("shoulder", "effort='60'", "effort='6000'"),
        ("fore", "ixx='0.0154' iyy='0.0154'", "ixx='0.0054' iyy='0.0054'"),
    ],
)
def test_the_odd_one_of_several_legs_or_fingers_is_noted(
    parts: dict[str, tuple[float, float]],
    odd: str,
    item: str,
    old: str,
    new: str,
    tmp_path: Path,
) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(robot(parts))
    assert codes(path) == []
    path.write_text(changed(f"{odd}_{item}", old, new, robot(parts)))
    (found,) = checked(loaders.load(path, quiet=True))
    assert found.code == "robot.siblings"
    assert any(name.startswith(odd) for name in found.subjects)


def test_a_mass_in_grams_is_that_of_its_link_however_light_the_others_are(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    heavy = changed("base", "mass value='2'", "mass value='20'", robot(LEGS))
    path.write_text(changed("FR_upper", "mass value='2'", "mass value='2000'", heavy))
    found = [entry for entry in checked(loaders.load(path, quiet=True)) if entry.severity != "note"]
    assert [(entry.code, entry.subjects) for entry in found] == [("robot.density", ("FR_upper",))]


@pytest.mark.parametrize("factor", [1.0 / 0.0254, 100.0, 1000.0])
def test_an_offset_in_another_unit_is_no_fault_of_a_mesh(factor: float, tmp_path: Path) -> None:
    part = trimesh.creation.box((0.05, 0.05, 0.3))
    (tmp_path / "part.stl").write_bytes(part.export(file_type="stl"))
    text = robot().replace("<box size='0.05 0.05 0.3'/>", "<mesh filename='part.stl'/>")
    path = tmp_path / "robot.urdf"
    path.write_text(changed("left_elbow", "xyz='0 0 -0.3'", f"xyz='0 0 {-0.3 * factor}'", text))
    diagnostics = Diagnostics()
    check_robot(mechanism_of(loaders.load(path, quiet=True)), diagnostics)
    assert [entry.code for entry in diagnostics if entry.severity != "note"] == ["robot.offset"]


def test_a_mirrored_collision_lies_apart(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(
        changed("left_upper", "<collision><origin xyz='0 0 -", "<collision><origin xyz='0 0 ")
    )
    assert codes(path) == ["robot.collision-apart"]


def test_moments_of_a_thousandth_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    wrong = "ixx='0.0000154' iyy='0.0000154' izz='0.0000008'"
    path.write_text(changed("base", "ixx='0.0154' iyy='0.0154' izz='0.0008'", wrong))
    (found,) = checked(loaders.load(path, quiet=True))
    assert (found.code, found.severity, found.subjects) == ("robot.gyration", "note", ("base",))


def test_small_differences_of_sides_are_none(tmp_path: Path) -> None:
    change = ("left_upper", "xyz='0 0 -0.15'/><mass", "xyz='0 0 -0.1503'/><mass")
    assert _of_siblings(change, tmp_path) == []


@given(st.integers(0, 10_000))
def test_a_density_that_is_surely_in_a_range_is_in_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    points = random.normal(size=(random.integers(4, 40), 3)) * random.uniform(0.01, 1.0, 3)
    volume = float(trimesh.convex.convex_hull(points).volume)
    scene = loaders.load_string(robot(), format="urdf")
    link = replace(scene.links[0], inertia=SpatialInertia.of(volume * 10 ** random.uniform(-1, 6)))
    part = _Part(link, ((link.collisions[0], points),), is_complete=True)
    if _has_surely_a_density(part, *DENSITIES):
        assert DENSITIES[0] <= part.mass / volume <= DENSITIES[1]


@given(st.integers(0, 10_000))
def test_the_density_of_a_box_is_surely_in_a_range_that_holds_it(seed: int) -> None:
    """The product of a diagonal and the projection along it is three times the volume of a box."""
    random = np.random.default_rng(seed)
    sides, density = random.uniform(0.01, 1.0, 3), 10 ** random.uniform(0.01, 4.39)
    points = sides * [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    scene = loaders.load_string(robot(), format="urdf")
    link = replace(scene.links[0], inertia=SpatialInertia.of(density * float(np.prod(sides))))
    for shown in (points, points @ turn.T):
        part = _Part(link, ((link.collisions[0], shown),), is_complete=True)
        box = float(np.prod(np.ptp(shown, axis=0)))
        if part.mass >= box and density <= 0.6 * DENSITIES[1]:
            assert _has_surely_a_density(part, *DENSITIES)


def test_unit_moments_of_a_small_finger_are_found() -> None:
    """PyBullet's panda states 0.1 kg m^2 for fingers of 0.1 kg and 9 cm."""
    assert codes(DATA / "franka_panda" / "panda.urdf") == ["robot.gyration"]


def test_a_ground_and_a_single_object_have_no_size_of_a_robot() -> None:
    assert codes(DATA / "plane.urdf") == []
    assert codes(DATA / "table" / "table.urdf") == []


@given(st.integers(0, 10_000))
@example(1696)
def test_the_distance_to_a_hull_is_that_of_the_nearest_point_of_a_box(seed: int) -> None:
    random = np.random.default_rng(seed)
    half, center = random.uniform(0.1, 1.0, 3), random.uniform(-3.0, 3.0, 3)
    corners = center + half * np.array(
        [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    )
    exact = float(np.linalg.norm(np.maximum(np.abs(center) - half, 0.0)))
    assert exact - 1e-9 <= _distance_to_hull(corners) <= 1.0011 * exact + 1e-6


def test_the_volume_of_a_hull_is_that_of_the_box(robot_file: Path) -> None:
    scene = loaders.load(robot_file, quiet=True)
    corners = np.array([[x, y, z] for x in (0, 2e-3) for y in (0, 3e-3) for z in (0, 5e-3)])
    shape = scene.links[0].collisions[0]
    part = _Part(scene.links[0], ((shape, corners),), is_complete=True)
    flat = _Part(scene.links[0], ((shape, corners * [1, 1, 0]),), is_complete=True)
    assert _hull_volumes([part, flat]) == pytest.approx([3e-8, 0.0], rel=1e-6)


@pytest.mark.parametrize("thickness", [10.0**-k for k in range(1, 13)])
def test_a_thin_hull_takes_no_volume_from_the_others(thickness: float, robot_file: Path) -> None:
    scene = loaders.load(robot_file, quiet=True)
    shape = scene.links[0].collisions[0]
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    parts = [
        _Part(scene.links[0], ((shape, corners * size + [far, 0, 0]),), is_complete=True)
        for size in ([1, 1, 1], [1, 1, thickness], [1, thickness, thickness])
        for far in (0.0, 1e9)
    ]
    cube, far_cube, *thin = _hull_volumes(parts)
    assert [cube, far_cube] == pytest.approx([1.0, 1.0], rel=1e-5)
    exact = [thickness, thickness, thickness**2, thickness**2]
    for volume, expected in zip(thin, exact, strict=True):
        assert volume == 0.0 or volume == pytest.approx(expected, rel=1e-2) or thickness < 1e-6


def test_a_mesh_in_millimeters_is_one_finding(tmp_path: Path) -> None:
    points = [(x, y, z) for x in (-30, 30) for y in (-30, 30) for z in (-150, 150)]
    hull = trimesh.convex.convex_hull(np.array(points, float))
    (tmp_path / "upper.stl").write_bytes(hull.export(file_type="stl"))
    box = "<geometry><box size='0.05 0.05 0.3'/></geometry></collision>"
    mesh = "<visual><geometry><mesh filename='upper.stl'/></geometry></visual>"
    path = tmp_path / "robot.urdf"
    path.write_text(robot().replace(box, f"{box}{mesh}", 1))
    diagnostics = Diagnostics()
    check_robot(mechanism_of(loaders.load(path, quiet=True)), diagnostics)
    assert [entry.code for entry in diagnostics if entry.severity == "warning"] == [
        "robot.shape-unit"
    ]


def test_a_folder_lists_doubtful_numbers_and_their_meshes_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(mesh: Mesh, diagnostics: Diagnostics) -> MeshData | None:
        read.append(str(mesh.path))
        return read_mesh(mesh, diagnostics)

    monkeypatch.setattr("loaders.finish.mesh_check.read_mesh", counted)
    box = trimesh.creation.box((0.05, 0.05, 0.3))
    (tmp_path / "upper.stl").write_bytes(box.export(file_type="stl"))
    shape = "<visual><geometry><mesh filename='upper.stl'/></geometry></visual></link>"
    path = tmp_path / "robot.urdf"
    text = robot().replace("</link>", shape, 1).replace("mass value='2'", "mass value='2000'", 1)
    path.write_text(text)
    for number in range(2):
        bridge.export_mjcf(path, tmp_path / f"out{number}", quiet=True)
    report = (tmp_path / "out0" / "FIDELITY.md").read_text()
    assert "## Doubtful numbers of the source" in report
    assert "robot.density" in report
    assert read == [str(tmp_path / "upper.stl")]
    box.apply_scale(2.0)
    (tmp_path / "upper.stl").write_bytes(box.export(file_type="stl"))
    bridge.export_mjcf(path, tmp_path / "out2", quiet=True)
    assert len(read) == 2


def test_loads_into_engines_say_what_is_doubtful(robot_file: Path) -> None:
    """A limit in degrees changes motion, and so does a mass that the shapes cannot have."""
    text = changed("left_shoulder", "upper='1.5'", "upper='86'")
    robot_file.write_text(changed("right_upper", "mass value='2'", "mass value='2000'", text))
    client = pybullet.connect(pybullet.DIRECT)
    try:
        for load in (
            partial(bridge.load_into_pybullet, physicsClientId=client),
            bridge.to_mjspec,
            bridge.to_mjcf,
        ):
            with pytest.warns(LossWarning) as found:
                load(robot_file)
            said = "".join(str(warning.message) for warning in found)
            assert re.search(r"limits of joint left_shoulder.*robot\.degrees", said)
            assert re.search(r"link right_upper has 2000 kg.*robot\.density", said)
        body = bridge.load_into_pybullet(robot_file, physicsClientId=client, quiet=True)
        assert "robot.degrees" not in {entry.code for entry in body.diagnostics}  # not lost
    finally:
        pybullet.disconnect(client)


def test_the_hulls_of_meshes_are_kept_between_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    trimesh.creation.box((0.05, 0.05, 0.3)).export(tmp_path / "upper.stl")
    mesh = "<mesh filename='upper.stl'/></geometry></collision>"
    path = tmp_path / "robot.urdf"
    path.write_text(robot().replace("<box size='0.05 0.05 0.3'/></geometry></collision>", mesh))
    scene = loaders.load(path, quiet=True)
    first = hulls(scene, Diagnostics())
    monkeypatch.setattr("bridge.geometry.mesh.check_meshes", lambda *_: pytest.fail("read again"))
    assert [points.tolist() for points in hulls(scene, Diagnostics()).values()] == [
        points.tolist() for points in first.values()
    ]
    assert checked(scene) == []


def test_few_warnings_about_files_in_use_are_false() -> None:
    """At most one file in 50 of those that were read; the page says how many these are."""
    page = (Path(__file__).parents[2] / "docs" / "robot_checks.md").read_text()
    count = re.search(r"held against (\d+) files in use", page)
    with (Path(__file__).parents[2] / "docs/data/robot-checks-warnings.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["judgment"] for row in rows} <= {"right", "unclear", "false"}
    assert all(row["reason"] for row in rows)
    assert count is not None
    false = {(row["source"], row["file"]) for row in rows if row["judgment"] == "false"}
    assert len(false) <= int(count[1]) / 50
