"""The folder of an export: the scene as MuJoCo compiles it, its files, its README, and what it
refuses.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
import warnings
from dataclasses import replace
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
import trimesh

import loaders
from bridge.targets.mjcf import export_mjcf, to_mjcf
from bridge.targets.target import BUILT_IN
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType
from loaders.text import printable
from tests.support.markdown_page import MarkdownPage
from tests.support.mjcf_scenes import cone_scene, hinge, link, scene_of
from tests.support.mujoco_oracle import quietly

# The scene around a model as MuJoCo compiles it: the floor under it, the camera before it, the
# light on it.

LEG = """
<sdf version="1.10"><model name="stool">
  <link name="seat">
    <inertial><mass>2</mass></inertial>
    <visual name="v"><geometry><box><size>0.4 0.4 0.05</size></box></geometry></visual>
    <collision name="c"><geometry><box><size>0.4 0.4 0.05</size></box></geometry></collision>
  </link>
  <link name="leg">
    <pose relative_to="seat">0 0 -0.1 0.3 0.2 0</pose>
    <inertial><mass>1</mass></inertial>
    <collision name="c"><pose>0 0 -0.2 0 0 0</pose>{shape}</collision>
  </link>
  <joint name="j" type="fixed"><parent>seat</parent><child>leg</child></joint>
</model></sdf>
"""
TILT = math.cos(0.3) * math.cos(0.2)
"""How upright the leg's axis is."""


def staged(text, folder):
    """The compiled scene of a model, and its state at the start."""
    result = export_mjcf(loaders.load_string(text, format="sdf", base=folder), folder / "out")
    model = quietly(lambda: mujoco.MjModel.from_xml_path(str(result.path.parent / "scene.xml")))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def floor(model, data):
    return float(data.geom("scene_floor").xpos[2])


@pytest.mark.parametrize(
    ("shape", "below"),
    [
        ("<sphere><radius>0.05</radius></sphere>", 0.05),
        ("<capsule><radius>0.02</radius><length>0.2</length></capsule>", 0.02 + 0.1 * TILT),
        (
            "<cylinder><radius>0.02</radius><length>0.2</length></cylinder>",
            0.02 * math.sqrt(1 - TILT**2) + 0.1 * TILT,
        ),
    ],
)
def test_the_floor_lies_under_the_lowest_point_of_what_touches(shape, below, tmp_path):
    model, data = staged(LEG.format(shape=f"<geometry>{shape}</geometry>"), tmp_path)
    lowest = -0.1 - 0.2 * TILT - below
    assert lowest - 1e-4 <= floor(model, data) <= lowest


def test_a_mesh_stands_on_the_floor_by_its_lowest_corner(tmp_path):
    trimesh.creation.box((0.04, 0.04, 0.2)).export(tmp_path / "leg.obj")
    shape = "<geometry><mesh><uri>leg.obj</uri><scale>1 1 2</scale></mesh></geometry>"
    model, data = staged(LEG.format(shape=shape), tmp_path)
    geom = next(i for i in range(model.ngeom) if model.geom_type[i] == mujoco.mjtGeom.mjGEOM_MESH)
    vertices = model.mesh_vert @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
    assert vertices[:, 2].min() - 1.01e-4 <= floor(model, data) <= vertices[:, 2].min() + 1e-7
    assert not [contact for contact in data.contact if contact.dist < -1e-6]


def test_visual_shapes_stand_on_the_floor(tmp_path):
    seen = "<visual name='v'><geometry><sphere><radius>0.3</radius></sphere></geometry></visual>"
    model = f"<model name='ghost'><link name='l'>{seen}</link></model>"
    assert floor(*staged(f'<sdf version="1.10">{model}</sdf>', tmp_path)) == pytest.approx(-0.3)


def test_a_model_above_the_origin_leaves_the_floor_at_zero(tmp_path):
    text = LEG.format(shape="<geometry><sphere><radius>0.05</radius></sphere></geometry>")
    text = text.replace('<model name="stool">', '<model name="stool"><pose>0 0 3 0 0 0</pose>')
    assert floor(*staged(text, tmp_path)) == 0.0


def test_the_viewer_opens_on_the_whole_model_and_not_on_its_ground(tmp_path):
    ground = """<model name="g"><static>true</static><link name="l"><collision name="c"><geometry>
        <plane><size>100 100</size></plane></geometry></collision></link></model>"""
    body = """<model name="b"><pose>30 -4 1 0 0 0</pose><link name="l"><collision name="c"><geometry>
        <box><size>0.2 0.4 0.8</size></box></geometry></collision></link></model>"""
    text = f'<sdf version="1.10"><world name="w">{ground}{body}</world></sdf>'
    model, _ = staged(text, tmp_path)
    camera = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, camera)
    assert camera.lookat == pytest.approx((30.0, -4.0, 1.0))
    radius = math.hypot(0.2, 0.4, 0.8) / 2.0
    assert math.asin(radius / camera.distance) < math.radians(model.vis.global_.fovy / 2.0)
    assert camera.distance < 4.0 * radius


@pytest.mark.parametrize("lit", [False, True])
def test_the_scene_adds_no_light_beside_lights_of_the_source(lit, tmp_path):
    lamp = (
        '<light name="sun" type="directional"><direction>0 0 -1</direction></light>' if lit else ""
    )
    text = f'<sdf version="1.10"><world name="w">{lamp}</world></sdf>'
    model, _ = staged(text, tmp_path)
    assert model.nlight == 1
    assert bool(np.any(model.vis.headlight.diffuse)) is not lit


GROUNDS = {
    "plane": ("0 0 0 0 0 0", "<plane><normal>0 0 1</normal><size>10 10</size></plane>"),
    "tilted frame": ("0 0 0 1.5707963267948966 0 0", "<plane><normal>0 1 0</normal></plane>"),
    "box": ("0 0 -0.05 0 0 0", "<box><size>10 10 0.1</size></box>"),
    "cylinder": ("0 0 -0.05 0 0 0", "<cylinder><radius>3</radius><length>0.1</length></cylinder>"),
}


@pytest.mark.parametrize(("pose", "shape"), GROUNDS.values(), ids=GROUNDS)
def test_the_floor_never_coincides_with_a_ground_that_is_only_drawn(pose, shape, tmp_path):
    box = "<geometry><box><size>0.6 0.6 0.6</size></box></geometry>"
    text = f"""<sdf version="1.9"><world name="w"><model name="g"><static>true</static>
        <link name="l"><visual name="v"><pose>{pose}</pose><geometry>{shape}</geometry></visual>
        </link></model><model name="b"><pose>0 0 0.3 0 0 0</pose><link name="l">
        <collision name="c">{box}</collision></link></model></world></sdf>"""
    assert -2e-3 < floor(*staged(text, tmp_path)) <= -5e-4


def test_the_lights_of_a_scene_do_not_saturate_white(tmp_path):
    model, _ = staged(LEG.format(shape=""), tmp_path)
    head = model.vis.headlight
    assert np.all(head.ambient + head.diffuse + model.light_diffuse.sum(axis=0) <= 1.0 + 1e-6)


def test_the_ambient_light_beside_a_sun_does_not_saturate_white(tmp_path):
    sun = '<light name="sun" type="directional"><diffuse>0.8 0.8 0.8 1</diffuse></light>'
    model, _ = staged(f'<sdf version="1.10"><world name="w">{sun}</world></sdf>', tmp_path)
    head = model.vis.headlight
    assert np.all(head.ambient + head.diffuse + model.light_diffuse.sum(axis=0) <= 1.0 + 1e-6)


def test_terrain_is_found_on_disk_is_there_once_and_is_the_ground(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    Image.fromarray(np.arange(16, dtype=np.uint8).reshape(4, 4)).save(tmp_path / "hill.png")
    hill = "<geometry><heightmap><uri>hill.png</uri><size>4 4 1</size></heightmap></geometry>"
    text = f"""<sdf version="1.10"><model name="hills"><static>true</static><link name="l">
        <visual name="v">{hill}</visual><collision name="c">{hill}</collision></link></model></sdf>"""
    model, _ = staged(text, tmp_path)
    assert model.nhfield == 1
    assert list(model.hfield_size[0][:3]) == pytest.approx([2.0, 2.0, 15 / 255])
    assert mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "scene_floor") == -1


def test_colors_of_the_surroundings_are_colors(tmp_path):
    result = export_mjcf(loaders.load_string(LEG.format(shape=""), format="sdf"), tmp_path / "out")
    textures = ElementTree.parse(result.path.parent / "scene.xml").getroot().iter("texture")
    values = [
        float(x) for t in textures for key, text in t.items() if "rgb" in key for x in text.split()
    ]
    assert len(values) == 15
    assert 0.0 <= min(values) <= max(values) <= 1.0


# The folder of an export: its files, its replacement and what it refuses.


def test_a_folder_holds_a_model_a_scene_assets_readme_and_fidelity_report(tmp_path):
    found = export_mjcf(cone_scene(), tmp_path / "demo")
    assert found.path == tmp_path / "demo" / "demo.xml"
    assert found.files == ("FIDELITY.md", "README.md", "assets/cone.obj", "demo.xml", "scene.xml")
    for file in ("demo.xml", "scene.xml"):
        quietly(lambda file=file: mujoco.MjModel.from_xml_path(str(tmp_path / "demo" / file)))
    fidelity = (tmp_path / "demo" / "FIDELITY.md").read_text()
    assert "robot.sdf:9" in fidelity
    assert "mjcf.velocity-limit" in fidelity
    assert "- 1 approximated" in fidelity
    assert "`j` | hinge | 0" in (tmp_path / "demo" / "README.md").read_text()


def test_the_file_of_a_model_has_no_ending_of_its_source(tmp_path):
    found = export_mjcf(dataclasses.replace(cone_scene(), name="table.urdf"), tmp_path / "demo")
    assert found.path.name == "table.xml"


def test_the_same_source_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        export_mjcf(cone_scene(), tmp_path / name / "demo")
    files = sorted(
        p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*") if p.is_file()
    )
    assert len(files) == 6
    assert all(
        (tmp_path / "one" / f).read_bytes() == (tmp_path / "two" / f).read_bytes() for f in files
    )


def test_an_outdated_output_is_reported(tmp_path):
    out = tmp_path / "demo"
    assert "demo.xml" in BUILT_IN["mjcf"].stale_files(cone_scene(), out)
    export_mjcf(cone_scene(), out)
    assert BUILT_IN["mjcf"].stale_files(cone_scene(), out) == ()
    (out / "assets" / "old.obj").write_text("v 0 0 0\n")
    (out / "demo.xml").write_text("<mujoco/>")
    assert BUILT_IN["mjcf"].stale_files(cone_scene(), out) == ("assets/old.obj", "demo.xml")
    with pytest.raises(FileExistsError, match=r"edited since it was written: demo\.xml"):
        export_mjcf(cone_scene(), out)
    export_mjcf(cone_scene(), out, force=True)
    assert BUILT_IN["mjcf"].stale_files(cone_scene(), out) == ("assets/old.obj",)


def test_a_long_name_of_a_model_is_cut_in_the_name_of_its_file(tmp_path):
    one, two = (
        export_mjcf(
            dataclasses.replace(cone_scene(), name="x" * 300 + end), tmp_path / end
        ).path.name
        for end in "ab"
    )
    assert len(one) < 110
    assert one != two


def test_files_of_others_are_never_replaced(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match=r"not written by sdfbridge: notes\.txt"):
        export_mjcf(cone_scene(), tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_a_refused_export_leaves_no_trace(tmp_path):
    impossible = SpatialInertia.of(1.0, I_Lcm=np.diag((1.0, 1.0, 5.0)))
    with pytest.raises(ValueError, match="link a"):
        export_mjcf(scene_of(link("a", inertia=impossible)), tmp_path / "demo")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../../escape", "a/b", "scene", "", "con spaces", "..", "käfer"])
def test_a_models_name_never_leads_out_of_the_folder(tmp_path, name):
    out = tmp_path / "in" / "demo"
    found = export_mjcf(dataclasses.replace(cone_scene(), name=name), out)
    assert found.path.parent == out
    assert found.path.name not in {"scene.xml", ".xml"}
    assert sorted(p.name for p in (tmp_path / "in").iterdir()) == ["demo"]
    quietly(lambda: mujoco.MjModel.from_xml_path(os.fspath(out / "scene.xml")))


def test_a_printed_result_says_how_to_view_the_model_and_how_to_write_actuators(
    tmp_path: Path, assets: Path
) -> None:
    result = export_mjcf(assets / "arm" / "model.sdf", tmp_path / "arm")
    text = str(result)
    assert text.splitlines()[0] == str(result.path)
    command = next(line for line in text.splitlines() if line.startswith("view it: "))
    assert Path(command.partition("--mjcf=")[2]).is_file()
    assert 'actuators="motor"' in text
    driven = export_mjcf(assets / "arm" / "model.sdf", tmp_path / "driven", actuators="motor")
    assert "actuators" not in str(driven)


# The exported README.md.


@pytest.mark.parametrize("held", [False, True])
def test_the_readme_of_a_robot_says_that_nothing_holds_it(held, tmp_path):
    weld = [hinge("weld", WORLD, "a", JointType.FIXED)] if held else []
    export_mjcf(
        scene_of(link("a"), link("b"), joints=(*weld, hinge("j", "a", "b"))), tmp_path / "demo"
    )
    assert (
        "The source does not fix `a` to the world" in (tmp_path / "demo" / "README.md").read_text()
    ) is not held


def test_names_in_the_pages_of_an_export_are_text_and_never_markup(tmp_path):
    names = (
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "a|b`c",
        "a\n# b",
    )
    links = [link(name) for name in ("base", *names)]
    joints = [hinge(name, "base", name) for name in names]
    scene = replace(scene_of(*links, joints=joints), source="/[x](javascript:alert(1))`|<b>.sdf")
    export_mjcf(scene, tmp_path / "demo")
    for file, addresses in {"README.md": ["FIDELITY.md"], "FIDELITY.md": []}.items():
        page = MarkdownPage((tmp_path / "demo" / file).read_text())
        assert page.addresses == addresses
        assert {"script", "img", "b", "em", "h4"}.isdisjoint(page.tags)
        assert page.tags.count("h1") == 1
        assert [
            name for name in names if file == "README.md" and printable(name) not in page.words
        ] == []


def test_every_row_of_the_tables_is_whole(tmp_path):
    names = ("a|b`c", "```", "a\nb", "\\|")
    scene = scene_of(
        link("base"), *map(link, names), joints=[hinge(name, "base", name) for name in names]
    )
    export_mjcf(scene, tmp_path / "demo")
    html = MarkdownPage((tmp_path / "demo" / "README.md").read_text()).html
    rows = re.findall(r"<td><code>(.*?)</code></td>\s<td>hinge</td>\s<td>(\d+)</td>", html)
    assert [(unescape(name), int(number)) for name, number in rows] == [
        (printable(name), 7 + i) for i, name in enumerate(names)
    ]


OPTIONS = ("timestep", "gravity", "integrator", "cone")
ARM = (
    "<robot name='arm'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link></robot>"
)
WORLD_OF_ONE = (
    "<sdf version='1.9'><world name='w'><gravity>0 0 -9.8</gravity><model name='m'>"
    "<link name='a'/></model></world></sdf>"
)


def test_the_model_of_a_urdf_is_attached_to_another_without_a_warning(tmp_path: Path) -> None:
    result = export_mjcf(loaders.load_string(ARM, format="urdf"), tmp_path / "arm")
    parent = mujoco.MjSpec()
    child = mujoco.MjSpec.from_file(str(result.path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parent.attach(child, frame=parent.worldbody.add_frame(), prefix="arm_")
        assert parent.compile().nbody == 2
    text = mujoco.MjModel.from_xml_string(to_mjcf(loaders.load_string(ARM, format="urdf")))
    for key in OPTIONS:  # the scene has the options that the model lacks
        assert np.array_equal(getattr(result.model.opt, key), getattr(text.opt, key))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (WORLD_OF_ONE, "sdf"),
        (f"{ARM[:-8]}<mujoco><option timestep='0.004'/></mujoco></robot>", "urdf"),
        (
            "<mujoco model='m'><option gravity='0 0 -1'/><worldbody><body name='a'>"
            "<geom size='1'/></body></worldbody></mujoco>",
            "mjcf",
        ),
    ],
    ids=["world", "urdf with options", "mjcf"],
)
def test_the_model_of_a_source_that_states_a_world_keeps_its_options(
    text: str, kind: str, tmp_path: Path
) -> None:
    result = export_mjcf(loaders.load_string(text, format=kind, quiet=True), tmp_path / "m")
    model = mujoco.MjModel.from_xml_path(str(result.path))
    for key in OPTIONS:
        assert np.array_equal(getattr(result.model.opt, key), getattr(model.opt, key))


def test_options_that_are_the_default_of_mujoco_are_left_out_of_the_model(tmp_path: Path) -> None:
    text = "<mujoco><worldbody><body name='a'><geom size='1'/></body></worldbody></mujoco>"
    result = export_mjcf(loaders.load_string(text, format="mjcf", quiet=True), tmp_path / "m")
    assert ElementTree.parse(result.path).find("option") is None
    fresh = mujoco.MjModel.from_xml_string(text).opt
    for key in OPTIONS:
        assert np.array_equal(getattr(result.model.opt, key), getattr(fresh, key))
