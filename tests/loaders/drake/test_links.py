"""Surface velocities and deformable bodies."""

from __future__ import annotations

from loaders.model import by_name
from tests.support.drake_files import (
    BALL,
    BOTH,
    codes,
    load,
    sdf,
)


@BOTH
def test_the_surface_velocity_axis_is_made_unit(form):
    tag = "drake:surface_velocity_axis"
    inside = f"<{tag}>0 0 3</{tag}>" if form is sdf else f'<{tag} axis="0 0 3"/>'
    links = load(form(f'<link name="c">{inside}</link>')).links
    assert by_name(links)["c"].surface_velocity_axis == (0, 0, 1)


def test_a_deformable_body_is_reported_with_its_properties():
    inside = "<drake:youngs_modulus>1e5</drake:youngs_modulus><drake:material_model>linear</drake:material_model>"
    deformable = f"<drake:deformable_properties>{inside}</drake:deformable_properties>"
    source = sdf(
        f'<link name="c"><collision '
        f'name="c"><geometry>{BALL}</geometry></collision>{deformable}</link>'
    )
    assert by_name(load(source).links)["c"].deformable == (
        ("youngs_modulus", "100000.0"),
        ("material_model", "linear"),
    )
    assert "drake.deformable" in codes(source)
