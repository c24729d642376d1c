"""Files of MJCF documents: where they are found, which a document may name, and what MuJoCo gets."""

from __future__ import annotations

import dataclasses
import struct
from pathlib import Path

import mujoco
import numpy as np
import pytest

import loaders
from loaders.model import Mesh
from tests.support.mjcf_documents import BALL, TETRAHEDRON, document, problems, written

# Files of MJCF documents: where they are found, and what MuJoCo gets.

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


@pytest.mark.parametrize(
    "content",
    [
        b"",
        struct.pack("<4i", 1, 0, 1, 1),
        struct.pack("<4i6f", 1, 0, 1, 1, *[0.0] * 6) + struct.pack("<40s7fi", b"b", *[0.0] * 7, 9),
        struct.pack("<4i", 1 << 30, 0, 1 << 30, 1) + bytes(64),
    ],
)
def test_a_file_that_is_no_skin_is_not_given_to_mujoco(tmp_path: Path, content: bytes) -> None:
    skin = '<deformable><skin file="s.skn"/></deformable>'
    (tmp_path / "s.skn").write_bytes(content)
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


# Which files a document may name.

ARM = f'<mujocoinclude><body name="arm">{BALL}</body></mujocoinclude>'


def including(name: str) -> str:
    return document(f'<include file="{name}"/>')


def test_a_relative_name_may_lead_up_to_a_file_of_a_format_of_mjcf(tmp_path: Path) -> None:
    path = written(
        tmp_path, including("../../parts/arm.xml"), "robots/one/robot.xml", parts__arm_xml=ARM
    )
    assert [link.name for link in loaders.load(path).links] == ["arm"]


def test_an_included_file_above_names_files_beside_it(tmp_path: Path) -> None:
    """As MuJoCo does, from the folder of the included file where the folder of the main file has
    none.
    """
    asset = '<asset><mesh name="m" file="arm.obj"/></asset>'
    arm = f'<mujoco>{asset}<worldbody><include file="hand.xml"/></worldbody></mujoco>'
    hand = '<mujocoinclude><body name="hand"><geom type="mesh" mesh="m"/></body></mujocoinclude>'
    files = {"parts__arm_xml": arm, "parts__hand_xml": hand, "parts__arm_obj": TETRAHEDRON}
    path = written(
        tmp_path, '<mujoco><include file="../parts/arm.xml"/></mujoco>', "one/robot.xml", **files
    )
    link = loaders.load(path, quiet=True).links[0]
    assert link.name == "hand"
    assert link.inertia is not None
    assert link.inertia.mass == pytest.approx(
        mujoco.MjModel.from_xml_path(str(path)).body_mass[1], rel=1e-12
    )


def test_a_folder_and_the_dots_after_it_cancel_as_text(tmp_path: Path) -> None:
    """As MuJoCo does: the folder of ``meshdir`` or of an include need not exist, nor lead elsewhere
    if it is a link.
    """
    sections = '<compiler meshdir="assets"/><asset><mesh name="m" file="../../arm.obj"/></asset>'
    body = (
        '<body name="b"><geom type="mesh" mesh="m"/></body><include '
        'file="none/../../parts/arm.xml"/>'
    )
    path = written(
        tmp_path, document(body, sections), "one/robot.xml", arm_obj=TETRAHEDRON, parts__arm_xml=ARM
    )
    assert mujoco.MjModel.from_xml_path(str(path)).nbody == 3
    scene = loaders.load(path, quiet=True)
    assert [link.name for link in scene.links] == ["b", "arm"]
    assert "resource.not-found" not in [entry.code for entry in scene.diagnostics]


def test_an_attached_model_above_names_files_beside_it(tmp_path: Path) -> None:
    arm = document(
        '<body name="arm"><geom type="mesh" mesh="m"/></body>',
        '<asset><mesh name="m" file="m/a.obj"/></asset>',
    )
    robot = document(
        '<frame><attach model="arm" prefix="left_"/></frame>',
        '<asset><model name="arm" file="../arm.xml"/></asset>',
    )
    path = written(tmp_path, robot, "one/robot.xml", arm_xml=arm, m__a_obj=TETRAHEDRON)
    assert mujoco.MjModel.from_xml_path(str(path)).nbody == 2
    assert [link.name for link in loaders.load(path, quiet=True).links] == ["left_arm"]


@pytest.mark.parametrize("name", [".ssh/key.xml", "secret.txt", "../../../../../../../far.xml"])
def test_an_included_file_above_leads_no_further_than_the_main_file(
    name: str, tmp_path: Path
) -> None:
    main = tmp_path / "1/2/3/4/5/6/7/one"
    arm = f'<mujoco><worldbody><include file="{name}"/></worldbody></mujoco>'
    path = written(
        main.parent,
        '<mujoco><include file="../parts/arm.xml"/></mujoco>',
        "one/robot.xml",
        parts__arm_xml=arm,
    )
    target = (path.parent.parent / "parts" / name).resolve()
    target.parent.mkdir(exist_ok=True)
    target.write_text(ARM)
    assert mujoco.MjModel.from_xml_path(str(path)).nbody == 2
    assert {"mjcf-in.include", "resource.outside"} <= {problem.code for problem in problems(path)}


def test_a_model_in_a_hidden_folder_names_its_own_files(tmp_path: Path) -> None:
    """Packages of a virtual environment and downloaded models lie in folders such as ``.venv`` and
    ``.cache``.
    """
    text = including("../parts/arm.xml")
    path = written(tmp_path, text, ".cache/robots/one/robot.xml")
    written(tmp_path, ARM, ".cache/robots/parts/arm.xml")
    assert [link.name for link in loaders.load(path).links] == ["arm"]


def test_a_name_does_not_lead_up_to_a_hidden_folder(tmp_path: Path) -> None:
    path = written(tmp_path, including("../../arm.xml"), ".config/app/one/robot.xml")
    written(tmp_path, ARM, ".config/arm.xml")
    assert "resource.outside" in [problem.code for problem in problems(path)]


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../../../../../../../../../../etc/passwd", "../secret.txt", "../.ssh/key.xml"],
)
def test_other_files_outside_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    for secret in (".ssh/key.xml", "secret.txt"):
        (tmp_path / secret).write_text(ARM)
    path = written(tmp_path, including(name), "robot/robot.xml")
    assert {problem.code for problem in problems(path)} & {"resource.outside", "mjcf-in.include"}


def test_an_absolute_name_outside_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "elsewhere", ARM, "arm.xml")
    path = written(tmp_path / "robot", including(str(tmp_path / "elsewhere" / "arm.xml")))
    assert "resource.outside" in [problem.code for problem in problems(path)]
    assert loaders.load(path, unsafe_paths=True).links[0].name == "arm"


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "elsewhere", "secret", "secret.txt")
    path = written(tmp_path / "a" / "robot", including("../arm.xml"))
    (tmp_path / "a" / "arm.xml").symlink_to(tmp_path / "elsewhere" / "secret.txt")
    assert "mjcf-in.include" in [problem.code for problem in problems(path)]


@pytest.mark.parametrize(
    "name", ["parts/arm.xml", "deep/parts/arm.xml", "deep/../parts/arm.xml", "arm.xml"]
)
@pytest.mark.parametrize("where", ["elsewhere", "robot/inside"])
def test_a_link_in_the_main_folder_leads_only_to_files_below_it(
    where: str, name: str, tmp_path: Path
) -> None:
    written(tmp_path / where, ARM, "arm.xml")
    path = written(tmp_path / "robot", including(name))
    (tmp_path / "robot/deep").mkdir()
    for link in ("parts", "deep/parts"):
        (tmp_path / "robot" / link).symlink_to(tmp_path / where)
    (tmp_path / "robot/arm.xml").symlink_to(tmp_path / where / "arm.xml")
    assert mujoco.MjModel.from_xml_path(str(path)).nbody == 2
    found = [problem.code for problem in problems(path)]
    assert found == ([] if where == "robot/inside" else ["resource.outside", "mjcf-in.include"])


def test_a_main_file_reached_through_a_link_names_its_own_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "real/robot", including("parts/../arm.xml"), arm_xml=ARM)
    (tmp_path / "link").symlink_to(path.parent)
    monkeypatch.chdir(tmp_path / "link")
    for main in (tmp_path / "link/robot.xml", "robot.xml", "../robot/robot.xml"):
        assert [link.name for link in loaders.load(main).links] == ["arm"]


def test_the_home_folder_is_never_read_from_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = written(tmp_path, including("../arm.xml"), "robot/robot.xml", arm_xml=ARM)
    assert "resource.outside" in [problem.code for problem in problems(path)]


def test_mujoco_opens_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From another working folder, and with a mesh of another content where MuJoCo would look."""
    text = document(
        '<body><geom type="mesh" mesh="m"/></body>', '<asset><mesh name="m" file="m.obj"/></asset>'
    )
    path = written(tmp_path / "robot", text, m_obj=TETRAHEDRON)
    monkeypatch.chdir(written(tmp_path / "work", "not a mesh", "m.obj").parent)
    assert loaders.load(path, quiet=True).links[0].inertia is not None
    assert not (tmp_path / "work" / "MUJOCO_LOG.TXT").exists()
