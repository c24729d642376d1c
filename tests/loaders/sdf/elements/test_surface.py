"""Surfaces: friction, restitution and contact parameters."""

from __future__ import annotations

import math

import pytest

import loaders
from loaders.model import Surface
from tests.support.sdf import (
    collision_with,
)


def surface_with(inside: str) -> Surface:
    """Return the surface of a collision with the given child elements."""
    return collision_with(f"<geometry><box/></geometry><surface>{inside}</surface>").surface


def test_a_missing_surface_has_the_defaults_of_the_specification() -> None:
    read_surface = collision_with("<geometry><box/></geometry>").surface
    assert (read_surface.friction.mu, read_surface.friction.mu2, read_surface.restitution) == (
        1,
        1,
        0,
    )
    assert read_surface.collide_bitmask == 0xFFFF


def test_the_second_friction_coefficient_does_not_depend_on_the_first() -> None:
    friction = surface_with(
        "<friction><ode><mu>0.3</mu><fdir1>1 0 0</fdir1><slip1>0.1</slip1></ode></friction>"
    ).friction
    assert (friction.mu, friction.mu2, friction.fdir1, friction.slip1) == (0.3, 1, (1, 0, 0), 0.1)


def test_friction_of_bullet_is_used_where_ode_has_none() -> None:
    friction = surface_with(
        "<friction><bullet><friction>0.2</friction><friction2>0.4</friction2><rolling_friction>0.01</rolling_friction>"
        "</bullet><ode><mu2>0.5</mu2></ode><torsional><coefficient>0.7</coefficient><patch_radius>0.02</patch_radius>"
        "</torsional></friction>"
    ).friction
    assert (friction.mu, friction.mu2, friction.rolling) == (0.2, 0.5, 0.01)
    assert (friction.torsional, friction.patch_radius, friction.use_patch_radius) == (
        0.7,
        0.02,
        True,
    )


def test_contact_and_bounce_are_read() -> None:
    read_surface = surface_with(
        "<bounce><restitution_coefficient>0.5</restitution_coefficient><threshold>0.1</threshold></bounce>"
        "<contact><collide_bitmask>3</collide_bitmask><category_bitmask>2</category_bitmask>"
        "<ode><kp>1e6</kp><kd>10</kd><max_vel>0.2</max_vel><min_depth>0.001</min_depth></ode></contact>"
    )
    assert (read_surface.restitution, read_surface.restitution_threshold) == (0.5, 0.1)
    assert (read_surface.stiffness, read_surface.damping) == (1e6, 10)
    assert (read_surface.max_velocity, read_surface.min_depth) == (0.2, 0.001)
    assert (read_surface.collide_bitmask, read_surface.category_bitmask) == (3, 2)


@pytest.mark.parametrize(
    "friction", ["<ode><mu>-1</mu></ode>", "<torsional><coefficient>-1</coefficient></torsional>"]
)
def test_a_negative_friction_coefficient_is_an_error(friction: str) -> None:
    with pytest.raises(loaders.LoadError, match=r"xml\.out-of-range"):
        surface_with(f"<friction>{friction}</friction>")


def test_an_infinite_restitution_threshold_is_valid() -> None:
    assert math.isinf(
        surface_with("<bounce><threshold>inf</threshold></bounce>").restitution_threshold
    )
