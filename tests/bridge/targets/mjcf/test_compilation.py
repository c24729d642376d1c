"""A finished export compiles, measures as closed forms say, and equals the MjSpec."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from PIL import Image

import bridge
import loaders
from bridge.lowering.transform import mechanism_of
from bridge.targets.mjcf import export_mjcf, to_mjcf, to_mjspec
from bridge.targets.mjcf.document import build
from bridge.targets.mjcf.spec import folder_name, measure
from bridge.targets.options import MjcfExportOptions
from loaders.diagnostics import ExportError, ModelError
from loaders.pose import Pose
from tests.support.mjcf_scenes import chain, codes, cone_scene, random_tree
from tests.support.mujoco_oracle import compiled

# Measurements of a compiled export, against closed forms.


def two_balls(folder: Path, distance: float) -> tuple[loaders.Scene, Any]:
    """Two free balls of radius 0.1 m at a distance [m], and their compiled export."""
    ball = (
        "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
    )
    links = "".join(
        f"<link name='{name}'><pose>{x} 0 0 0 0 0</pose>{ball}</link>"
        for name, x in (("a", 0.0), ("b", distance))
    )
    scene = loaders.load_string(
        f"<sdf version='1.10'><model name='two'>{links}</model></sdf>", format="sdf"
    )
    return scene, bridge.export_mjcf(scene, folder / "two").model


def test_the_overlap_of_two_balls_is_twice_the_radius_minus_the_distance(tmp_path: Path) -> None:
    scene, model = two_balls(tmp_path, 0.15)
    compiled = measure(model, scene, None)
    assert compiled.overlaps == {("a", "b"): pytest.approx(0.05)}
    assert (compiled.bodies, compiled.joints) == (2, 2)
    assert compiled.pose_error < 1e-15


def test_balls_that_do_not_touch_do_not_overlap(tmp_path: Path) -> None:
    scene, model = two_balls(tmp_path, 0.21)
    assert measure(model, scene, None).overlaps == {}


def test_the_pose_error_is_the_largest_error_of_a_link(tmp_path: Path) -> None:
    scene, model = two_balls(tmp_path, 0.3)
    shifted = dataclasses.replace(
        scene.links[1], X_WL=Pose.of(scene.links[1].X_WL.R, (0.3, 0.0, 0.004))
    )
    wrong = dataclasses.replace(scene, links=(scene.links[0], shifted))
    assert measure(model, wrong, None).pose_error == pytest.approx(0.004)


# A finished export compiles: what MuJoCo refuses is an error of ours that names the link of the
# source.

LINK = (
    '<sdf version="1.11"><model name="m"><link name="arm">'
    '<{0} name="s"><geometry>{1}</geometry></{0}></link></model></sdf>'
)
TETRAHEDRON = "v 0 0 0\nv {0} 0 0\nv 0 {0} 0\nv 0 0 {0}\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
MESH = "<mesh><uri>mesh.obj</uri></mesh>"
CASES = {
    "one point": ("v 0 0 0\n" * 4 + "f 1 2 3\nf 2 3 4\n", MESH),
    "one line": ("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\nf 2 3 4\n", MESH),
    "tiny": (TETRAHEDRON.format("1e-9"), MESH),
    "scaled to nothing": (
        TETRAHEDRON.format(1),
        "<mesh><uri>mesh.obj</uri><scale>1e-30 1e-30 1e-30</scale></mesh>",
    ),
    "cone": ("", "<cone><radius>1e-9</radius><length>1e-9</length></cone>"),
    "polyline": (
        "",
        (
            "<polyline><height>1</height><point>0 0</point><point>1 0</point><point>2 "
            "0</point></polyline>"
        ),
    ),
    "terrain": ("", "<heightmap><uri>height.png</uri><size>-1 1 1</size></heightmap>"),
}


@pytest.mark.parametrize("tag", ["collision", "visual"])
@pytest.mark.parametrize("case", CASES)
def test_a_shape_without_extent_never_becomes_an_export_that_mujoco_refuses(
    tmp_path: Path, case: str, tag: str
) -> None:
    """Each is refused by an error of ours, or compiles; the folder is written only if it
    compiles.
    """
    text, geometry = CASES[case]
    (tmp_path / "mesh.obj").write_text(text)
    Image.linear_gradient("L").resize((17, 17)).save(tmp_path / "height.png")
    (tmp_path / "m.sdf").write_text(LINK.format(tag, geometry))
    try:
        result = bridge.export_mjcf(tmp_path / "m.sdf", tmp_path / "new" / "out", quiet=True)
    except ModelError:
        found = None
    else:
        found = result.path.with_name("scene.xml")
    if found is None:
        assert not (tmp_path / "new").exists()
    else:
        mujoco.MjModel.from_xml_path(str(found))


def refused(folder: Path, **options: bool) -> ExportError:
    (folder / "mesh.obj").write_text(TETRAHEDRON.format("1e-9"))
    (folder / "m.sdf").write_text(LINK.format("visual", MESH))
    with pytest.raises(ExportError) as error:
        bridge.export_mjcf(folder / "m.sdf", folder / "out", quiet=True, **options)
    return error.value


def test_the_error_names_the_mesh_the_link_and_the_place(tmp_path: Path) -> None:
    (entry,) = (e for e in refused(tmp_path).diagnostics if e.code == "mjcf.refused")
    assert entry.message == "MuJoCo refuses mesh mesh of arm: its surface area is too small"
    assert entry.subjects == ("arm",)
    assert entry.where.file.endswith("m.sdf")
    assert "unit of lengths" in entry.hint


def test_an_old_export_stays_when_mujoco_refuses_the_new_one(tmp_path: Path) -> None:
    (tmp_path / "m.sdf").write_text(LINK.format("visual", "<sphere><radius>1</radius></sphere>"))
    path = bridge.export_mjcf(tmp_path / "m.sdf", tmp_path / "out", quiet=True).path
    old = path.read_bytes()
    refused(tmp_path)
    assert path.read_bytes() == old


def test_the_check_can_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "mesh.obj").write_text(TETRAHEDRON.format("1e-9"))
    (tmp_path / "m.sdf").write_text(LINK.format("visual", MESH))
    result = bridge.export_mjcf(tmp_path / "m.sdf", tmp_path / "out", check=False, quiet=True)
    assert result.model is None
    with pytest.raises(ValueError, match="surface area"):
        mujoco.MjModel.from_xml_path(str(result.path))


def test_the_model_that_was_compiled_is_that_of_the_folder(tmp_path: Path) -> None:
    result = bridge.export_mjcf("assets/arm/model.sdf", tmp_path / "out", quiet=True)
    model = mujoco.MjModel.from_xml_path(str(result.path.with_name("scene.xml")))
    assert (result.model.nbody, result.model.ngeom, result.model.nmesh) == (
        model.nbody,
        model.ngeom,
        model.nmesh,
    )
    assert (result.model.body_inertia == model.body_inertia).all()


MODEL = (
    '<model name="{}"><link name="base"/><link name="tip">{}</link><joint name="j" type="revolute">'
    "<parent>base</parent><child>tip</child><axis><xyz>0 0 1</xyz></axis></joint></model>"
)


def world(geometry: str) -> str:
    """Return a world with two models, of which the second has a visual of this shape."""
    visual = f'<visual name="v"><geometry>{geometry}</geometry></visual>'
    models = MODEL.format("one", "") + MODEL.format("two", visual)
    return f'<sdf version="1.9"><world name="w">{models}</world></sdf>'


def test_a_world_of_several_files_compiles_from_the_disk(tmp_path: Path) -> None:
    (tmp_path / "w.sdf").write_text(world("<box><size>1 1 1</size></box>"))
    result = bridge.export_mjcf(tmp_path / "w.sdf", tmp_path / "out", quiet=True)
    assert {"w.xml", "one.xml", "two.xml", "scene.xml"} <= set(result.files)
    for file in ("w.xml", "scene.xml"):
        model = mujoco.MjModel.from_xml_path(str(tmp_path / "out" / file))
        assert model.nbody == result.model.nbody == 5


def test_what_mujoco_refuses_in_a_file_of_a_world_is_named_by_its_source(tmp_path: Path) -> None:
    (tmp_path / "mesh.obj").write_text(TETRAHEDRON.format("1e-9"))
    (tmp_path / "w.sdf").write_text(world(MESH))
    with pytest.raises(ExportError) as error:
        bridge.export_mjcf(tmp_path / "w.sdf", tmp_path / "out", quiet=True)
    (entry,) = (e for e in error.value.diagnostics if e.code == "mjcf.refused")
    assert entry.subjects == ("two::tip",)
    assert not (tmp_path / "out").exists()


def test_a_source_whose_name_is_no_text_is_exported(tmp_path: Path) -> None:
    """The name of a file may hold bytes that are no UTF-8; README and comments name the source."""
    path = tmp_path / "arm\udcff.urdf"
    try:
        path.write_text('<robot name="arm"><link name="base"/></robot>')
    except (OSError, UnicodeError):
        return  # this file system knows text only
    result = bridge.export_mjcf(path, tmp_path / "out", quiet=True)
    assert "arm\\udcff.urdf" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert mujoco.MjModel.from_xml_path(str(result.path)).nbody == 2


# The MjSpec equals the compiled text, and has bodies that are nested too deeply for XML.


def test_a_spec_has_the_assets_too():
    assert to_mjspec(cone_scene()).compile().nmesh == 1


def tetrahedron(folder: Path, size: str) -> Path:
    """A model with a tetrahedron whose edges along the axes have this length [m], in a file of a
    fixed name.
    """
    folder.mkdir()
    vertices = f"v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\n"
    (folder / "part.obj").write_text(f"{vertices}f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    shape = '<collision name="c"><geometry><mesh><uri>part.obj</uri></mesh></geometry></collision>'
    (folder / "m.sdf").write_text(
        f'<sdf version="1.9"><model name="m"><link name="l">{shape}</link></model></sdf>'
    )
    return folder / "m.sdf"


def longest_edge(model: Any) -> float:
    """The largest distance of two vertices [m]."""
    vertices = model.mesh_vert
    return float(np.linalg.norm(vertices[:, None] - vertices[None], axis=-1).max())


def test_meshes_of_one_name_and_length_keep_their_own_size(tmp_path: Path) -> None:
    """MuJoCo has decoded a file of the same name and length before; the longest edge is a
    diagonal.
    """
    paths = {size: tetrahedron(tmp_path / size, size) for size in ("1.5", "2.5", "3.5")}
    specified = [longest_edge(to_mjspec(path, quiet=True).compile()) for path in paths.values()]
    exported = [
        export_mjcf(path, tmp_path / f"out{size}", quiet=True).model for size, path in paths.items()
    ]
    expected = [math.sqrt(2) * float(size) for size in paths]
    assert specified == pytest.approx(expected, rel=1e-6)
    assert [longest_edge(model) for model in exported] == pytest.approx(expected, rel=1e-6)


def test_the_folder_of_assets_is_the_same_with_hashes_that_are_known_and_without(
    tmp_path: Path,
) -> None:
    built = build(
        mechanism_of(tetrahedron(tmp_path / "model", "1.5"), quiet=True), MjcfExportOptions()
    )
    assert built.digests.keys() == built.assets.keys()
    assert folder_name(built.assets, built.digests) == folder_name(built.assets)


@pytest.mark.slow
def test_a_chain_of_490_links_is_the_longest_that_xml_holds():
    assert compiled(to_mjcf(chain(490))).nbody == 491
    with pytest.raises(ExportError, match=r"nested 491 bodies deep.*to_mjspec") as caught:
        to_mjcf(chain(491))
    assert codes(caught.value.diagnostics) == ["mjcf.too-deep"]


@pytest.mark.slow
def test_a_deeper_chain_is_built_without_xml():
    scene = chain(1000)
    model = to_mjspec(scene).compile()
    assert (model.nbody, model.nv) == (1001, 999 + 6)
    last = model.joint("j999")
    assert (last.damping[0], tuple(last.range), tuple(last.axis)) == (
        0.1,
        (-1.0, 1.0),
        (1.0, 0.0, 0.0),
    )
    assert tuple(last.solimp if hasattr(last, "solimp") else model.jnt_solimp[-1])[:2] == (
        0.9999,
        0.9999,
    )


def test_both_ways_to_build_give_the_same_model():
    scene = random_tree(5, size=6)
    by_text, by_spec = compiled(to_mjcf(scene)), to_mjspec(scene).compile()
    for name in (
        "body_pos",
        "body_quat",
        "body_inertia",
        "body_iquat",
        "jnt_axis",
        "jnt_pos",
        "qpos0",
        "dof_damping",
    ):
        assert np.array_equal(getattr(by_text, name), getattr(by_spec, name)), name


def test_the_check_of_an_export_does_without_its_pictures(tmp_path):
    Image.fromarray(np.arange(300, dtype=np.uint8).reshape(10, 10, 3)).save(tmp_path / "a.png")
    (tmp_path / "m.sdf").write_text(
        "<sdf version='1.9'><model name='m'><link name='l'><visual name='v'><geometry><box>"
        "<size>1 1 1</size></box></geometry><material><pbr><metal><albedo_map>a.png</albedo_map>"
        "</metal></pbr></material></visual></link></model></sdf>"
    )
    result = export_mjcf(tmp_path / "m.sdf", tmp_path / "out", quiet=True)
    assert result.compiled.plain.texture("a").width == 1
    assert result.model.texture("a").width == 10
    assert result.model is result.model
