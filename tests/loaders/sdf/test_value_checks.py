"""Checks of the values in elements without a place in the scene, as in libsdformat."""

from __future__ import annotations

import pytest

import loaders
from loaders import LoadError, Scene


def read(inside_link: str) -> Scene:
    text = f"<sdf version='1.11'><model name='m'><link name='a'>{inside_link}</link></model></sdf>"
    return loaders.load_string(text, format="sdf")


def sensor(inside: str) -> str:
    return f"<sensor name='s' type='camera'>{inside}</sensor>"


@pytest.mark.parametrize(
    ("element", "code"),
    [
        (sensor("<camera><horizontal_fov>wide</horizontal_fov></camera>"), "xml.not-a-number"),
        (sensor("<camera><horizontal_fov>7</horizontal_fov></camera>"), "xml.out-of-range"),
        (sensor("<camera><clip><near>-0.1</near></clip></camera>"), "xml.out-of-range"),
        (sensor("<always_on>maybe</always_on>"), "xml.not-a-flag"),
        (sensor("<update_rate>often</update_rate>"), "xml.not-a-number"),
        ("<battery name='b'><voltage>high</voltage></battery>", "xml.not-a-number"),
        ("<battery/>", "xml.missing"),
        (
            "<particle_emitter name='p' type='box'><size>1 2</size></particle_emitter>",
            "xml.not-a-vector",
        ),
        ("<must_be_base_link>perhaps</must_be_base_link>", "xml.not-a-flag"),
        ("<collision name='c'><laser_retro>bright</laser_retro></collision>", "xml.not-a-number"),
        ("<visual name='v'><plugin name='p'/></visual>", "xml.missing"),
    ],
)
def test_a_malformed_value_is_an_error_in_any_element(element: str, code: str) -> None:
    with pytest.raises(LoadError) as caught:
        read(element)
    assert [entry.code for entry in caught.value.diagnostics if entry.severity == "error"] == [code]


@pytest.mark.parametrize(
    "element",
    [
        sensor(
            "<plugin "
            "filename='p.so'><voltage>high</voltage><camera><near>no</near></camera></plugin>"
        ),
        sensor("<my:battery><voltage>high</voltage></my:battery>"),
        sensor("<camera><clip><far>inf</far></clip><image><width> 640 </width></image></camera>"),
    ],
)
def test_values_in_plugins_and_other_namespaces_are_not_checked(element: str) -> None:
    assert all(entry.severity == "note" for entry in read(element).diagnostics)
