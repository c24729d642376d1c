"""Options of an export: names, values and their documentation."""

from __future__ import annotations

import dataclasses

import pytest

from bridge.mjcf import export_mjcf, stale_files, to_mjcf, to_mjspec
from bridge.mjcf.xml.options import MjcfOptions, Options
from tests.support.mjcf_scenes import link, scene_of


def test_an_unknown_kind_of_actuator_is_the_callers_mistake():
    known = "none, motor, dcmotor, position, velocity"
    with pytest.raises(ValueError, match=f"actuators must be one of {known}, not 'spring'"):
        to_mjcf(scene_of(link("a")), actuators="spring")


def test_help_names_every_option_and_each_is_one_of_the_keywords():
    for field in dataclasses.fields(Options):
        assert f"{field.name}: " in (to_mjcf.__doc__ or "")
        assert MjcfOptions.__annotations__[field.name].__forward_arg__ == field.type


@pytest.mark.parametrize("source", [scene_of(link("a")), "assets/leg.sdf"])
@pytest.mark.parametrize("call", [to_mjcf, to_mjspec, export_mjcf, stale_files])
def test_an_option_that_there_is_not_is_the_callers_mistake(call, source, tmp_path):
    folder = (tmp_path / "out",) if call in (export_mjcf, stale_files) else ()
    with pytest.raises(TypeError, match="unknown option"):
        call(source, *folder, actuator="motor")
