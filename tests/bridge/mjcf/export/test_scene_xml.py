"""The scene around a model as MuJoCo compiles it: the floor under it, the camera before it, the
light on it.
"""

import math
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
import trimesh

import loaders
from bridge.targets.mjcf import export_mjcf
from tests.support.mujoco_oracle import quietly

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
