"""Sensors: their parameters as text."""

from __future__ import annotations

from tests.support.sdf import (
    link_with,
)


def test_the_parameters_of_a_sensor_are_kept_as_text() -> None:
    sensor = link_with(
        "<sensor name='eye' type='camera'><update_rate>30</update_rate><camera name='c'>"
        "<horizontal_fov>1.5</horizontal_fov><image><width>64</width></image></camera><plugin "
        "filename='x'/></sensor>"
    ).sensors[0]
    assert (sensor.name, sensor.type, sensor.update_rate) == ("eye", "camera", 30)
    assert sensor.parameters == (
        ("camera@name", "c"),
        ("camera/horizontal_fov", "1.5"),
        ("camera/image/width", "64"),
    )
