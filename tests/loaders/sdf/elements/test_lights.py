"""Lights in worlds and on links."""

from __future__ import annotations

from tests.support.sdf import (
    read_sdf,
)


def test_lights_are_fixed_to_the_world_or_a_link() -> None:
    scene = read_sdf(
        "<world name='w'><light name='sun' type='directional'><pose>0 0 9 0 0 "
        "0</pose><direction>1 0 -1</direction>"
        "<attenuation><range>50</range><quadratic>0.5</quadratic></attenuation></light>"
        "<model name='m'><link name='l'><light name='lamp' "
        "type='spot'><spot><outer_angle>0.6</outer_angle></spot>"
        "</light></link></model></world>"
    )
    sun, lamp = scene.lights
    assert (sun.name, sun.link, sun.direction, sun.range, sun.attenuation) == (
        "sun",
        "world",
        (1, 0, -1),
        50,
        (1, 1, 0.5),
    )
    assert sun.X_LLight.p.tolist() == [0, 0, 9]
    assert (lamp.name, lamp.link, lamp.type, lamp.outer_angle) == (
        "m::l::lamp",
        "m::l",
        "spot",
        0.6,
    )
