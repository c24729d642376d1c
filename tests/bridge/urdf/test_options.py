"""Unknown options and values are refused with the choices."""

from __future__ import annotations

import dataclasses

import pytest

import bridge
from loaders import model as m
from tests.code_examples import scenes as s
from tests.support.scenes import link, scene

T = m.JointType


def test_unknown_options_and_values() -> None:
    given = scene([link("a")])
    with pytest.raises(TypeError, match="did you mean 'extensions'"):
        bridge.to_urdf(given, extension=())  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="drake, gazebo, pybullet"):
        bridge.to_urdf(given, extensions=("ros",))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a sequence"):
        bridge.to_urdf(given, extensions="drake")  # type: ignore[arg-type]
    for option in ("joints", "frame_links", "meshes"):
        with pytest.raises(ValueError, match=f"unknown value 'some' of {option}; expected one of"):
            bridge.to_urdf(given, **{option: "some"})  # type: ignore[arg-type]


def test_couplings_and_actuators_are_written_unless_they_are_switched_off() -> None:
    given = dataclasses.replace(
        s.coupled("bc", "ab", T.REVOLUTE, T.REVOLUTE), actuators=(m.Actuator(name="x", joint="ab"),)
    )
    assert "<mimic" in bridge.to_urdf(given)
    assert "<transmission" in bridge.to_urdf(given)
    urdf = bridge.to_urdf(given, couplings=False, transmissions=False)
    assert "<mimic" not in urdf
    assert "<transmission" not in urdf
    assert [
        entry.arguments["field"] for entry in urdf.diagnostics if entry.code == "urdfout.field"
    ] == [
        "couplings",
        "actuators",
    ]


@pytest.mark.parametrize("extension", ["drake", "gazebo", "pybullet"])
def test_each_extension_is_written_only_where_it_is_allowed(extension: str) -> None:
    tags = {"drake": "drake:surface_velocity_axis", "gazebo": "<gazebo", "pybullet": "<contact"}
    given = s.rubbing(mu=0.5, mu2=0.5, rolling=0.1)
    links = tuple(
        dataclasses.replace(k, gravity=False, surface_velocity_axis=(1.0, 0.0, 0.0))
        for k in given.links
    )
    given = dataclasses.replace(given, links=links)
    assert tags[extension] in bridge.to_urdf(given)
    others = tuple(name for name in tags if name != extension)
    assert tags[extension] not in bridge.to_urdf(given, extensions=others)  # type: ignore[arg-type]
