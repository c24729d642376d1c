"""Contact properties of Drake, in SDFormat and URDF, compared with Drake."""

from __future__ import annotations

import pytest

from tests.support.drake_files import (
    BOTH,
    codes,
    collision,
    sdf,
    shaped,
    urdf,
)
from tests.support.drake_oracle import DrakePlant

NUMBERS = {
    "point_contact_stiffness": ("material", "point_contact_stiffness", lambda s: s.stiffness),
    "hunt_crossley_dissipation": ("material", "hunt_crossley_dissipation", lambda s: s.dissipation),
    "relaxation_time": ("material", "relaxation_time", lambda s: s.relaxation_time),
    "mesh_resolution_hint": (
        "hydroelastic",
        "resolution_hint",
        lambda s: s.hydroelastic.resolution_hint,
    ),
    "hydroelastic_modulus": (
        "hydroelastic",
        "hydroelastic_modulus",
        lambda s: s.hydroelastic.modulus,
    ),
    "hydroelastic_margin": ("hydroelastic", "margin", lambda s: s.hydroelastic.margin),
}


def properties(form, values, flags=""):
    def child(tag, value):
        return (
            f"<drake:{tag}>{value}</drake:{tag}>"
            if form is sdf
            else f'<drake:{tag} value="{value}"/>'
        )

    body = "".join(child(tag, value) for tag, value in values.items())
    return f"<drake:proximity_properties>{body}{flags}</drake:proximity_properties>"


@BOTH
@pytest.mark.parametrize("tag", NUMBERS)
def test_a_proximity_property_is_that_of_drake(form, tag):
    source = shaped(form, properties(form, {tag: 0.25}))
    group, name, ours = NUMBERS[tag]
    assert ours(collision(source).surface) == DrakePlant(*source).proximity(group, name) == 0.25


@BOTH
@pytest.mark.parametrize(
    "values", [{"mu_static": 0.5, "mu_dynamic": 0.4}, {"mu_static": 0.5}, {"mu_dynamic": 0.4}]
)
def test_friction_is_that_of_drake(form, values):
    source = shaped(form, properties(form, values))
    friction, theirs = (
        collision(source).surface.friction,
        DrakePlant(*source).proximity("material", "coulomb_friction"),
    )
    assert friction.mu == friction.mu2 == theirs.dynamic_friction()
    assert (
        friction.mu if friction.mu_static is None else friction.mu_static
    ) == theirs.static_friction()


@BOTH
@pytest.mark.parametrize("kind", ["rigid", "compliant"])
def test_hydroelastic_kinds_are_read(form, kind):
    values = {
        "mesh_resolution_hint": 0.1,
        **({"hydroelastic_modulus": 1e6} if kind == "compliant" else {}),
    }
    source = shaped(form, properties(form, values, f"<drake:{kind}_hydroelastic/>"))
    assert collision(source).surface.hydroelastic.compliance == kind
    DrakePlant(*source)


def test_the_older_compliance_of_a_urdf_is_read():
    inside = "<static_friction>0.5</static_friction><dynamic_friction>0.4</dynamic_friction>"
    source = shaped(urdf, f"<drake_compliance>{inside}</drake_compliance>")
    friction, theirs = (
        collision(source).surface.friction,
        DrakePlant(*source).proximity("material", "coulomb_friction"),
    )
    assert (friction.mu, friction.mu_static) == (
        theirs.dynamic_friction(),
        theirs.static_friction(),
    )


def test_drakes_friction_counts_before_that_of_ode():
    ode = "<surface><friction><ode><mu>0.9</mu><mu2>0.8</mu2></ode></friction></surface>"
    source = shaped(sdf, ode + properties(sdf, {"mu_dynamic": 0.4}))
    assert collision(source).surface.friction.mu == 0.4
    assert "drake.two-frictions" in codes(source)
