"""Worlds: gravity, wind, magnetic field and physics."""

from __future__ import annotations

from tests.support.sdf import (
    read_sdf,
)


def test_an_empty_world_has_the_defaults_of_the_specification() -> None:
    scene = read_sdf("<world name='w'/>")
    assert scene.gravity.tolist() == [0, 0, -9.8]
    assert scene.wind.tolist() == [0, 0, 0]
    assert scene.magnetic_field.tolist() == [5.5645e-6, 22.8758e-6, -42.3884e-6]
    physics = scene.physics
    assert (physics.time_step, physics.real_time_factor, physics.engine, physics.max_contacts) == (
        0.001,
        1,
        "ode",
        20,
    )


def test_gravity_wind_and_the_default_physics_profile_are_read() -> None:
    scene = read_sdf(
        "<world name='w'><gravity>0 0 -1.6</gravity><wind><linear_velocity>1 2 "
        "3</linear_velocity></wind>"
        "<physics name='a' type='ode'/><physics name='b' type='bullet' default='true'>"
        "<max_step_size>0.005</max_step_size><bullet><solver><iters>77</iters></solver></bullet></physics></world>"
    )
    assert (scene.gravity.tolist(), scene.wind.tolist()) == ([0, 0, -1.6], [1, 2, 3])
    assert (scene.physics.engine, scene.physics.time_step) == ("bullet", 0.005)
    assert ("bullet/solver/iters", "77") in scene.physics.parameters
