"""A finished export compiles: what MuJoCo refuses is an error of ours that names the link of the
source.
"""

from __future__ import annotations

from pathlib import Path

import mujoco
import pytest
from PIL import Image

import bridge
from loaders.diagnostics import ExportError, ModelError

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
