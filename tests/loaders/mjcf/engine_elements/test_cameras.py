"""Cameras, by what MuJoCo compiles of the original and of the export."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bridge
import loaders
from tests.support.mjcf_documents import beside_a_body, document, read
from tests.support.mjcf_round_trip import compiled, differing_arrays

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
