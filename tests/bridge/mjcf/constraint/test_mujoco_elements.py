"""Elements that only MuJoCo has; for their effect see the tests of the reader."""

from __future__ import annotations

import dataclasses

import pytest

import bridge
import loaders
from loaders import Scene
from loaders.model import EngineElement
from tests.support.mjcf_documents import BALL, read


def with_element(element: EngineElement) -> Scene:
    return dataclasses.replace(
        read(f'<body name="a"><joint name="j"/>{BALL}</body>'), engine_elements=(element,)
    )


def sensor(joint: str, section: str = "sensor") -> EngineElement:
    return EngineElement(
        engine="mujoco", name="n", section=section, tag="jointpos", references=(("joint", joint),)
    )


def test_an_element_is_written_with_its_attributes() -> None:
    element = dataclasses.replace(sensor("j"), settings=(("cutoff", "2"), ("noise", "0.1")))
    assert '<jointpos name="n" joint="j" cutoff="2" noise="0.1"/>' in bridge.to_mjcf(
        with_element(element), quiet=True
    )


LIMIT = dataclasses.replace(sensor("j"), tag="jointlimitpos")


@pytest.mark.parametrize("element", [sensor("gone"), sensor("j", "custom"), LIMIT])
def test_an_element_that_has_no_place_is_reported(element: EngineElement) -> None:
    mjcf = bridge.to_mjcf(with_element(element), quiet=True)
    assert [e.code for e in mjcf.diagnostics if e.subjects[:1] == ("n",)] == ["mjcf.mujoco-element"]
    assert "jointpos" not in mjcf


def test_an_included_robot_keeps_its_sensors(tmp_path) -> None:  # type: ignore[no-untyped-def]
    import mujoco

    (tmp_path / "r.xml").write_text(
        '<mujoco model="r"><worldbody><body name="a"><joint name="j"/><geom '
        'size="0.1"/></body></worldbody>'
        '<sensor><jointpos name="q" joint="j"/></sensor></mujoco>'
    )
    include = "<include><uri>r.xml</uri><name>{}</name></include>"
    world = (
        f'<sdf version="1.9"><world '
        f'name="w">{include.format("left")}{include.format("right")}</world></sdf>'
    )
    (tmp_path / "w.sdf").write_text(world)
    mjcf = bridge.to_mjcf(loaders.load(tmp_path / "w.sdf", quiet=True), quiet=True)
    model = mujoco.MjModel.from_xml_string(mjcf)
    assert [model.sensor(i).name for i in range(model.nsensor)] == ["left::q", "right::q"]
    assert sorted(model.sensor_objid.tolist()) == [0, 1]
