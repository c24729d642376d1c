"""Sensors, by what they measure in the original and in the export."""

from __future__ import annotations

import numpy as np
import pytest

import bridge
import loaders
from tests.support.mjcf_documents import BALL, document, read

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
