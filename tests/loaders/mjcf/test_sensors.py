"""Sensors, cameras and lights: what they measure and show in the original and in the export."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bridge
import loaders
from tests.support.mjcf_documents import BALL, beside_a_body, document, read
from tests.support.mjcf_round_trip import compiled, differing_arrays

# Sensors, by what they measure in the original and in the export.

BODY = (
    f'<body name="a"><joint name="j" ref="20"/>{BALL}<site name="s" pos="0.1 0 0"/>'
    f'<body name="b" pos="1 0 0"><joint name="k"/><geom name="g" size="0.1"/><site '
    f'name="t"/></body></body>'
)
SECTIONS = (
    '<tendon><fixed name="n"><joint joint="j" coef="2"/></fixed></tendon>'
    '<actuator><motor name="m" joint="k"/></actuator>'
)
SENSORS = (
    '<jointpos name="p" joint="j"/>',
    '<jointvel joint="k" cutoff="0.1"/>',
    '<tendonpos tendon="n"/>',
    '<actuatorfrc actuator="m"/>',
    '<accelerometer site="s"/>',
    '<gyro site="t"/>',
    '<force site="t"/>',
    '<framepos objtype="body" objname="b" reftype="site" refname="s"/>',
    '<subtreecom body="a"/>',
    "<clock/>",
    '<framelinvel objtype="geom" objname="g"/>',
    '<rangefinder site="s" cutoff="3"/>',
    '<velocimeter site="s"/>',
)


@pytest.mark.parametrize("sensor", SENSORS)
def test_a_sensor_measures_what_it_did(sensor: str) -> None:
    import mujoco

    text = document(BODY, f"{SECTIONS}<sensor>{sensor}</sensor>")
    mjcf = bridge.to_mjcf(loaders.load_string(text, format="mjcf", quiet=True), quiet=True)
    readings = []
    for model in (mujoco.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(mjcf)):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:], data.ctrl[:] = (0.3, -0.4), (1.0, 2.0), 0.5
        mujoco.mj_forward(model, data)
        readings.append(np.array(data.sensordata))
    assert readings[0].size
    assert np.allclose(readings[0], readings[1], rtol=1e-9, atol=1e-12)


def test_sensors_of_replicas_name_their_own_sites() -> None:
    body = f'<body name="r"><joint/>{BALL}<site name="s"/></body>'
    found = read(
        f'<replicate count="2" offset="1 0 0">{body}</replicate>',
        '<sensor><gyro name="w" site="s"/></sensor>',
    ).engine_elements
    assert [element.references for element in found] == [(("site", "s0"),), (("site", "s1"),)]


SHAPES = (
    'size="0.3"', 'type="box" size="0.3 0.2 0.3"', 'type="cylinder" size="0.3 0.25"',
    'type="ellipsoid" size="0.4 0.3 0.3"', 'type="capsule" fromto="0 0 -0.5 0 0 0.5" size="0.3"',
)  # fmt: skip
REGIONS = (
    '<touch site="s"/>',
    '<insidesite site="s" objtype="body" objname="c"/>',
    '<contact site="s" data="found force"/>',
)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sensor", REGIONS)
def test_a_sensor_measures_within_the_shape_of_its_site(shape: str, sensor: str) -> None:
    import mujoco

    text = document(
        '<geom type="plane" size="1 1 0.1"/><body name="a" pos="0 0 0.095"><freejoint/><geom '
        'size="0.1"/>'
        f'<site name="s" {shape}/></body><body name="c" pos="0.15 0 0.2"><joint '
        f'type="slide"/>{BALL}</body>',
        f"<sensor>{sensor}</sensor>",
    )
    scene = loaders.load_string(text, format="mjcf", quiet=True)
    readings = []
    for source in (text, bridge.to_mjcf(scene, quiet=True)):
        model = mujoco.MjModel.from_xml_string(source)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        readings.append(np.array(data.sensordata))
    assert readings[0].any()
    assert np.allclose(readings[0], readings[1], rtol=1e-9, atol=1e-12)
    assert "mjcf-in.not-carried" not in {entry.code for entry in scene.diagnostics}


# Cameras, by what MuJoCo compiles of the original and of the export.

CAMERAS = (
    '<camera name="c"/>',
    '<camera pos="1 2 3" xyaxes="0 1 0 -0.5 0 1" fovy="37" ipd="0.1"/>',
    '<camera euler="10 20 30" fovy="37" resolution="640 480"/>',
    '<camera resolution="640 480" sensorsize="0.01 0.008" focal="0.02 0.021" principal="0.001 0"/>',
    '<camera resolution="2 2" sensorsize="1 1"/>',
    '<camera fovy="179.9" resolution="2 1"/>',
    '<camera fovy="0.01"/>',
    '<camera projection="orthographic" fovy="2" output="rgb depth"/>',
    '<camera mode="trackcom"/>',
    '<camera mode="targetbody" target="t"/>',
    '<camera mode="targetbodycom" target="b" resolution="30 20"/>',
)


@pytest.mark.parametrize("camera", CAMERAS)
@pytest.mark.parametrize("body", ["world", "b"])
def test_a_camera_is_the_one_of_the_original(camera: str, body: str) -> None:
    text = beside_a_body(inside=camera) if body == "b" else beside_a_body(outside=camera)
    original, exported = compiled(text)
    assert original.ncam == 1
    assert differing_arrays("cam", original, exported) == []
    assert not read(text).diagnostics


def test_a_sensor_of_a_camera_measures_what_it_did() -> None:
    import mujoco

    sensors = (
        '<sensor><camprojection site="s" camera="c"/><framequat objtype="camera" '
        'objname="c"/></sensor>'
    )
    text = (
        beside_a_body('<camera name="c" resolution="64 48" euler="5 6 7"/>')
        + '<site name="s" pos="0.2 0 -3"/>'
    )
    readings = []
    for model in compiled(text, sensors):
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        readings.append(np.array(data.sensordata))
    assert readings[0].size == 6
    np.testing.assert_allclose(readings[1], readings[0], atol=1e-12)


def test_a_camera_is_a_sensor_of_sdformat_that_looks_along_x() -> None:
    """In SDFormat, too, the camera sees the point below it at the same place; a view upright is
    upright.
    """
    text = document(
        beside_a_body(
            '<camera name="c" pos="0 0 2" fovy="60" resolution="200 100" zaxis="-1 0 0"/>'
        )
    )
    sdf = bridge.to_sdf(loaders.load_string(text, format="mjcf"), quiet=True)
    (link,) = (link for link in loaders.load_string(str(sdf), format="sdf").links if link.sensors)
    (camera,) = link.sensors
    assert (camera.name, camera.type) == ("c", "camera")
    np.testing.assert_allclose(camera.X_LS.R[:, 0], (1, 0, 0), atol=1e-12)
    values = dict(camera.parameters)
    assert (values["camera/image/width"], values["camera/image/height"]) == ("200", "100")
    half = math.tan(float(values["camera/horizontal_fov"]) / 2.0)
    assert math.isclose(half, 2.0 * math.tan(math.radians(30.0)), rel_tol=1e-12)
    assert not [entry for entry in sdf.diagnostics if "Sensor" in str(entry)]


def test_the_target_of_a_camera_has_the_scope_of_an_include(tmp_path) -> None:
    import mujoco

    text = document(
        beside_a_body(
            '<camera name="c" mode="targetbody" target="t"/><light mode="targetbody" target="t"/>'
        )
    )
    (tmp_path / "r.xml").write_text(text)
    include = "<include><uri>r.xml</uri><name>i</name></include>"
    world = loaders.load_string(
        f'<sdf version="1.9"><world name="w">{include}</world></sdf>', format="sdf", base=tmp_path
    )
    model = mujoco.MjModel.from_xml_string(str(bridge.to_mjcf(world, quiet=True)))
    assert (
        model.body(model.cam_targetbodyid[0]).name
        == model.body(model.light_targetbodyid[0]).name
        == "i::t"
    )


# Lights, by what MuJoCo compiles of the original and of the export.

LIGHTS = (
    '<light name="l"/>',
    '<light pos="1 2 3" dir="1 2 -2" type="directional" castshadow="false"/>',
    '<light type="point" attenuation="1 0.1 0.2" range="3" cutoff="20" exponent="3"/>',
    (
        '<light ambient="0.1 0.2 0.3" diffuse="1 0.3 0.33" specular="0 0 0" cutoff="33.3" '
        'exponent="7"/>'
    ),
    '<light cutoff="0" exponent="0" active="false" bulbradius="0.1" intensity="3"/>',
    '<light mode="track"/>',
    '<light mode="targetbody" target="t"/>',
    '<light mode="targetbodycom" target="b"/>',
)


@pytest.mark.parametrize("light", LIGHTS)
@pytest.mark.parametrize("body", ["world", "b"])
def test_a_light_is_the_one_of_the_original(light: str, body: str) -> None:
    text = beside_a_body(inside=light) if body == "b" else beside_a_body(outside=light)
    original, exported = compiled(text)
    assert original.nlight == 1
    assert differing_arrays("light", original, exported) == []
    assert not read(text).diagnostics


def test_a_light_of_a_scene_is_that_of_sdformat() -> None:
    (light,) = read(
        beside_a_body('<light name="l" pos="1 2 3" dir="0 3 -4" cutoff="30" exponent="2"/>')
    ).lights
    assert (light.type, light.link, light.falloff, light.target) == ("spot", "b", 2, None)
    np.testing.assert_allclose(
        (*light.X_LLight.p, *light.direction), (1, 2, 3, 0, 0.6, -0.8), atol=1e-15
    )
    assert math.isclose(light.outer_angle, math.radians(60.0)), (
        "SDFormat has the whole angle of the cone"
    )


def test_a_light_that_is_a_picture_is_noted() -> None:
    texture = (
        '<asset><texture name="sky" type="skybox" builtin="flat" width="8" height="8"/></asset>'
    )
    scene = read(beside_a_body('<light name="l" type="image" texture="sky"/>'), texture)
    assert scene.lights == ()
    assert [entry.subjects for entry in scene.diagnostics if "image" in str(entry)] == [("l",)]


# Modes of lights and cameras.


def test_a_view_that_turns_with_its_body_has_no_mode() -> None:
    scene = read(f'<body name="b">{BALL}<light/><light mode="targetbody" target="b"/></body>')
    assert [(light.target, light.engine_settings) for light in scene.lights] == [
        (None, ()),
        ("b", (("mujoco", (("mode", "targetbody"),)),)),
    ]
