"""Files of MJCF documents: where they are found, and what MuJoCo gets."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import loaders
from loaders.model import Mesh
from tests.support.mjcf_documents import BALL, TETRAHEDRON, document, problems, written

MESH = '<body><geom type="mesh" mesh="m"/></body>'


def with_mesh(file: str, compiler: str = "") -> str:
    return document(MESH, f'<compiler {compiler}/><asset><mesh name="m" file="{file}"/></asset>')


def mesh_of(path: Path) -> Mesh:
    (link,) = loaders.load(path, quiet=True).links
    geometry = link.collisions[0].geometry
    assert isinstance(geometry, Mesh)
    return geometry


@pytest.mark.parametrize(
    ("compiler", "place"),
    [
        ("", "m.obj"),
        ('meshdir="a"', "a/m.obj"),
        ('assetdir="b"', "b/m.obj"),
        ('assetdir="b" meshdir="a"', "a/m.obj"),
        ('strippath="true" meshdir="a"', "a/m.obj"),
    ],
)
def test_a_mesh_is_found_where_mujoco_finds_it(compiler: str, place: str, tmp_path: Path) -> None:
    import mujoco

    file = "x/m.obj" if "strippath" in compiler else "m.obj"
    path = written(
        tmp_path,
        with_mesh(file, compiler),
        **{place.replace("/", "__").replace(".obj", "_obj"): TETRAHEDRON},
    )
    assert mujoco.MjModel.from_xml_path(str(path)).nmesh == 1
    assert mesh_of(path).path == str(tmp_path / place)


PLACES = ("m.obj", "sub/m.obj", "md/m.obj", "sub/md/m.obj")


@pytest.mark.parametrize("file", ["m.obj", "../m.obj", "../sub/m.obj"])
@pytest.mark.parametrize("compiler", ["", 'meshdir="md"', 'assetdir="md"', 'strippath="true"'])
@pytest.mark.parametrize(
    "absent", [(), ("m.obj",), ("md/m.obj",), ("m.obj", "md/m.obj"), ("sub/m.obj",)]
)
def test_a_mesh_of_an_included_file_is_found_where_mujoco_finds_it(
    absent: tuple[str, ...], compiler: str, file: str, tmp_path: Path
) -> None:
    """The height of the mesh that MuJoCo reads tells which of the files it found."""
    import mujoco

    part = f'<mujoco><asset><mesh name="m" file="{file}"/></asset></mujoco>'
    text = document(MESH, f'<compiler {compiler}/><include file="sub/part.xml"/>')
    path = written(tmp_path / "r", text, sub__part_xml=part)
    heights = {place: i + 1 for i, place in enumerate(PLACES) if place not in absent}
    for place, height in heights.items():
        (tmp_path / "r" / place).parent.mkdir(exist_ok=True)
        (tmp_path / "r" / place).write_text(TETRAHEDRON.replace("v 0 0 1", f"v 0 0 {height}"))
    try:
        expected = float(mujoco.MjModel.from_xml_path(str(path)).body_mass[1])
    except ValueError:
        assert mesh_of(path).path is None
        return
    assert loaders.load(path, quiet=True).links[0].inertia.mass == pytest.approx(expected, rel=1e-6)


def test_a_missing_mesh_is_reported_and_replaced_for_the_compiler(tmp_path: Path) -> None:
    scene = loaders.load(written(tmp_path, with_mesh("gone.obj")), quiet=True)
    assert "resource.not-found" in [entry.code for entry in scene.diagnostics]
    assert isinstance(scene.links[0].collisions[0].geometry, Mesh)


def test_two_contents_under_one_name_stay_apart(tmp_path: Path) -> None:
    """MuJoCo caches a decoded file by its name for the life of the process."""
    masses = []
    for size in ("1", "2"):
        text = TETRAHEDRON.replace("1 0 0", f"{size} 0 0")
        path = written(tmp_path / size, with_mesh("m.obj"), m_obj=text)
        inertia = loaders.load(path, quiet=True).links[0].inertia
        assert inertia is not None
        masses.append(inertia.mass)
    assert masses[1] == pytest.approx(2 * masses[0])


def test_a_texture_is_found_and_never_decoded(tmp_path: Path) -> None:
    asset = (
        '<asset><texture name="t" type="2d" file="t.png"/><material name="paint" texture="t" '
        'rgba="1 0 0 1"/></asset>'
    )
    path = written(tmp_path, document('<body><geom size="1" material="paint"/></body>', asset))
    (tmp_path / "t.png").write_bytes(b"no picture")
    material = loaders.load(path, quiet=True).links[0].visuals[0].material
    assert material is not None
    assert (material.name, material.texture) == ("paint", str(tmp_path / "t.png"))


def test_a_skin_is_noted(tmp_path: Path) -> None:
    skin = '<deformable><skin file="s.skn"/></deformable>'
    scene = loaders.load(written(tmp_path, document(f"<body>{BALL}</body>", skin)))
    assert [entry.code for entry in scene.diagnostics] == ["mjcf-in.skin"]


def test_no_other_element_may_name_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, document(f'<body><site file="/etc/passwd"/>{BALL}</body>'))
    assert [problem.code for problem in problems(path)] == ["mjcf-in.file"]


@pytest.mark.parametrize(
    "frame",
    [
        "",
        'scale="2 3 -4"',
        'refpos="0.1 0.2 0.3"',
        'refquat="1 2 3 4"',
        'refpos="1 0 0" scale="2 2 2"',
    ],
)
def test_a_mesh_is_where_mujoco_has_it(frame: str, tmp_path: Path) -> None:
    """The vertices of the file, in the pose and the scale of the scene, are those of the compiled
    model.
    """
    import mujoco

    text = (
        with_mesh("m.obj")
        .replace('name="m"', f'name="m" {frame}')
        .replace("<geom", '<geom pos="1 2 3" euler="10 20 30"')
    )
    path = written(tmp_path, text, m_obj=TETRAHEDRON)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    expected = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    collision = loaders.load(path, quiet=True).links[0].collisions[0]
    assert isinstance(collision.geometry, Mesh)
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) * collision.geometry.scale
    found = vertices @ collision.X_LG.R.T + collision.X_LG.p
    distances = np.linalg.norm(found[:, None] - expected[None], axis=2)
    assert distances.min(axis=1).max() < 1e-6  # MuJoCo keeps vertices in single precision


def test_refquat_with_uneven_scale_is_reported(tmp_path: Path) -> None:
    text = with_mesh("m.obj").replace('name="m"', 'name="m" refquat="1 2 3 4" scale="1 2 3"')
    scene = loaders.load(written(tmp_path, text, m_obj=TETRAHEDRON), quiet=True)
    assert [entry.code for entry in scene.diagnostics] == ["mjcf-in.mesh-frame"]
    assert dataclasses.is_dataclass(scene.diagnostics[0])


def test_an_inertia_of_a_missing_mesh_is_not_blamed_on_the_document(tmp_path: Path) -> None:
    """A mesh in millimeters: the document is right, as MuJoCo says when the mesh is there."""
    import mujoco

    body = '<body><joint/><geom type="mesh" mesh="m"/></body>'
    asset = '<asset><mesh name="m" file="m.obj" scale=".001 .001 .001"/></asset>'
    path = written(tmp_path, document(body, asset))
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(path, quiet=True)
    (error,) = (entry for entry in caught.value.diagnostics if entry.code == "mjcf-in.refused")
    assert "provide the missing files first" in error.hint
    (tmp_path / "m.obj").write_text(
        TETRAHEDRON.replace("1", "100", 3)
    )  # the coordinates of the vertices
    assert mujoco.MjModel.from_xml_path(str(path)).nbody == 2
    assert loaders.load(path, quiet=True).links
