"""The end of a load: its errors with their warnings, repaired inertias, and checks and references
of meshes.
"""

from __future__ import annotations

import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from loaders.diagnostics import Diagnostics
from loaders.finish.finish import with_references
from loaders.finish.mesh_check import check_mesh_sizes, check_meshes, extreme
from loaders.model import Box, Collision, Link, Mesh, Visual
from loaders.pose import IDENTITY, Pose
from tests.support.mesh_files import collada
from tests.support.scenes import link, scene

# The error that refuses a source has its warnings too.

WINGED = "<robot name='r'><link name='a'><wings/></link><link name='a'/></robot>"


def refusal(text: str, *, strict: bool = False) -> loaders.LoadError:
    with pytest.raises(loaders.LoadError) as error:
        loaders.load_string(text, format="urdf", strict=strict)
    return error.value


def test_warnings_are_among_the_findings_of_the_error_but_no_reasons() -> None:
    error = refusal(WINGED)
    assert [entry.code for entry in error.diagnostics] == ["urdf.duplicate-name"]
    assert [entry.code for entry in error.findings] == ["urdf.duplicate-name", "xml.unread"]
    assert "wings" not in str(error)


def test_with_strict_a_warning_is_a_reason() -> None:
    assert len(refusal(WINGED, strict=True).diagnostics) == 2


def test_an_error_that_lenient_loading_skips_has_the_warnings_too() -> None:
    limit = "<limit lower='0' upper='1' effort='1' velocity='x' efort='1'/>"
    joint = f"<joint name='j' type='revolute'><parent link='a'/><child link='b'/>{limit}</joint>"
    error = refusal(f"<robot name='r'><link name='a'/><link name='b'/>{joint}</robot>")
    assert error.skipped
    assert [entry.code for entry in error.others] == ["xml.unread"]


def test_the_findings_of_an_error_travel_to_another_process() -> None:
    error = refusal(WINGED)
    assert pickle.loads(pickle.dumps(error)).findings == error.findings


# A warning that would be untrue of the corrected file is not shown beside the error that causes it.

SDF = "<sdf version='1.9'><model name='m'>{}</model></sdf>"
MOMENTS = "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>{}</iyy><izz>0.1</izz></inertia></inertial>"


def others(text: str, kind: str) -> list[str]:
    with pytest.raises(loaders.LoadError) as error:
        loaders.load_string(text, format=kind)
    return [entry.code for entry in error.value.others]


def test_an_inertia_with_an_invalid_number_is_not_judged() -> None:
    assert others(SDF.format(f"<link name='a'>{MOMENTS.format('nan')}</link>"), "sdf") == []


def test_the_inertia_of_another_link_is_judged() -> None:
    links = (
        f"<link name='a'>{MOMENTS.format('nan')}</link><link name='b'>{MOMENTS.format('9')}</link>"
    )
    assert others(SDF.format(links), "sdf") == ["model.impossible-inertia"]


def test_links_that_an_invalid_joint_connects_are_not_called_separate() -> None:
    joint = "<joint name='j' type='fixed'><parent link='a'/></joint>"
    assert others(f"<robot name='r'><link name='a'/><link name='b'/>{joint}</robot>", "urdf") == []
    lone = (
        "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint><link "
        "name='c'><visual><geometry>"
    )
    lone += "<sphere radius='x'/></geometry></visual></link>"
    assert others(f"<robot name='r'><link name='a'/><link name='b'/>{lone}</robot>", "urdf") == [
        "urdf.several-roots"
    ]


# Repair of impossible inertias in lenient loading: the nearest valid one, against a search over all
# valid ones.

MODEL = """<sdf version="1.11"><model name="m"><link name="a"><inertial><mass>{mass}</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>{izz}</izz></inertia></inertial></link></model></sdf>"""


def test_the_nearest_valid_moments_are_used_and_the_change_is_stated() -> None:
    scene = loaders.load_string(MODEL.format(mass=2, izz=5), format="sdf", lenient=True, quiet=True)
    inertia = scene.links[0].inertia
    assert inertia is not None
    grid = np.linspace(0.0, 6.0, 61)
    a, b, c = np.meshgrid(grid, grid, grid, indexing="ij")
    distance = np.where(
        (a + b >= c - 1e-9) & (a + c >= b) & (b + c >= a),
        (a - 1) ** 2 + (b - 1) ** 2 + (c - 5) ** 2,
        99,
    )
    nearest = np.unravel_index(np.argmin(distance), distance.shape)
    assert np.diag(inertia.I_Lcm) == pytest.approx(grid[list(nearest)])
    (finding,) = (entry for entry in scene.diagnostics if entry.code == "model.repaired-inertia")
    assert finding.arguments["change"] == pytest.approx(1.0)
    assert finding.arguments["percent"] == pytest.approx(20.0)


def test_a_negative_mass_becomes_zero() -> None:
    scene = loaders.load_string(
        MODEL.format(mass=-2, izz=1), format="sdf", lenient=True, quiet=True
    )
    (finding,) = (entry for entry in scene.diagnostics if entry.fate is loaders.Fate.SKIPPED)
    assert finding.arguments["mass"] == 2.0


def test_valid_inertias_stay_and_strict_loading_keeps_impossible_ones() -> None:
    text = MODEL.format(mass=2, izz=2)
    assert loaders.load_string(text, format="sdf", lenient=True).links[0].inertia.mass == 2.0
    kept = loaders.load_string(MODEL.format(mass=2, izz=5), format="sdf", quiet=True)
    assert np.diag(kept.links[0].inertia.I_Lcm).tolist() == [1.0, 1.0, 5.0]


# A COLLADA visual refers to the one collision mesh of another file at its pose; no file is opened
# for it.

ASIDE = Pose.of(p=(0.0, 0.0, 1.0))


def mesh(path: str) -> Mesh:
    """A mesh whose file does not exist."""
    return Mesh(uri=path, path=f"/nowhere/{path}")


def body(drawn: Mesh, *touched: tuple[Mesh, Pose]) -> Link:
    shapes = tuple(
        Collision(name=f"c{i}", X_LG=at, geometry=item) for i, (item, at) in enumerate(touched)
    )
    box = Visual(name="box", X_LG=IDENTITY, geometry=Box(size=(1.0, 1.0, 1.0)))
    made: Link = link(
        "a", collisions=shapes, visuals=(box, Visual(name="v", X_LG=IDENTITY, geometry=drawn))
    )
    return made


def test_the_collision_mesh_at_the_same_pose_is_the_reference() -> None:
    item = body(mesh("seen.DAE"), (mesh("aside.stl"), ASIDE), (mesh("touched.stl"), IDENTITY))
    for found in (
        with_references(scene([item])).links[0],
        bridge.lower(scene([item])).bodies[0].link,
    ):
        shape = found.visuals[1].geometry
        assert isinstance(shape, Mesh)
        assert shape.reference is not None
        assert shape.reference.path == "/nowhere/touched.stl"


@pytest.mark.parametrize(
    "touched",
    [
        (),
        (("seen.dae", IDENTITY),),
        (("a.stl", ASIDE),),
        (("a.stl", IDENTITY), ("b.stl", IDENTITY)),
    ],
    ids=["no collision", "the same file", "another pose", "two meshes"],
)
def test_there_is_no_reference_without_exactly_one_such_mesh(
    touched: tuple[tuple[str, Pose], ...],
) -> None:
    item = body(mesh("seen.dae"), *((mesh(path), at) for path, at in touched))
    shape = with_references(scene([item])).links[0].visuals[1].geometry
    assert isinstance(shape, Mesh)
    assert shape.reference is None


def test_a_scene_without_collada_visuals_stays_as_it_is() -> None:
    made = scene([body(mesh("seen.stl"), (mesh("touched.stl"), IDENTITY))])
    assert with_references(made) is made


# The checks of the mesh files of a scene.


def test_the_extreme_points_of_a_large_mesh_are_found_piece_by_piece() -> None:
    vertices = np.random.default_rng(0).normal(size=(200_000, 3))
    tracemalloc.start()
    found = extreme(vertices)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150e6  # all products together have 266 MB
    for axis in range(3):
        assert found[:, axis].min() == vertices[:, axis].min()
        assert found[:, axis].max() == vertices[:, axis].max()
    assert 6 < len(found) <= 166
    assert {*map(tuple, found)} == {*map(tuple, extreme(found))} <= {*map(tuple, vertices)}


@pytest.mark.parametrize(
    ("scale", "codes"),
    [("1", []), ("1000", ["mesh.implausible-size"]), ("0.001", ["mesh.implausible-size"])],
)
def test_a_mesh_far_too_large_or_small_for_its_robot_is_noticed(
    tmp_path: Path, scale: str, codes: list[str]
) -> None:
    (tmp_path / "box.dae").write_text(collada())
    (tmp_path / "robot.urdf").write_text(
        "<robot name='r'><link name='a'/><link name='b'><visual><geometry>"
        f"<mesh filename='box.dae' scale='{scale}'/></geometry></visual></link>"
        "<joint name='j' type='fixed'><parent link='a'/><child link='b'/><origin xyz='0 3 "
        "4'/></joint></robot>"
    )
    diagnostics = Diagnostics()
    scene = loaders.load(tmp_path / "robot.urdf")
    check_mesh_sizes(scene, check_meshes(scene, diagnostics), diagnostics)
    assert [entry.code for entry in diagnostics] == codes


@pytest.mark.parametrize(
    ("other", "kind", "codes"),
    [
        (
            "1",
            "visual",
            [],
        ),  # a part of a shape that is divided into several files, as in many MJCF files
        ("0.001", "visual", ["mesh.implausible-size"] * 2),
        ("1", "collision", ["mesh.implausible-size"]),  # one of both is in another unit
        ("1000", "visual", ["mesh.implausible-size"] * 2),
    ],
)
def test_a_small_part_of_a_shape_is_plausible(
    tmp_path: Path, other: str, kind: str, codes: list[str]
) -> None:
    (tmp_path / "box.dae").write_text(collada())
    small = "<visual><geometry><mesh filename='box.dae' scale='0.001'/></geometry></visual>"
    large = (
        f"<{kind}><geometry><mesh filename='box.dae' scale='{other} {other} "
        f"{other}1'/></geometry></{kind}>"
    )
    (tmp_path / "robot.urdf").write_text(
        f"<robot name='r'><link name='a'/><link name='b'>{small}{large}</link>"
        "<joint name='j' type='fixed'><parent link='a'/><child link='b'/><origin xyz='0 3 "
        "4'/></joint></robot>"
    )
    diagnostics = Diagnostics()
    scene = loaders.load(tmp_path / "robot.urdf")
    check_mesh_sizes(scene, check_meshes(scene, diagnostics), diagnostics)
    assert [entry.code for entry in diagnostics] == codes
