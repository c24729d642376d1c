"""Contact properties and visuals of Drake, compared with Drake; surface velocities and deformable
bodies.
"""

from __future__ import annotations

import pytest

import loaders
from loaders.model import Mesh, by_name
from tests.support.drake_files import (
    BALL,
    BOTH,
    SDF_MASS,
    URDF_MASS,
    codes,
    collision,
    load,
    sdf,
    shaped,
    urdf,
    visuals,
)
from tests.support.drake_oracle import DrakePlant

# Contact properties of Drake, in SDFormat and URDF, compared with Drake.

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


# Roles, renderers and textures of visuals, in SDFormat and URDF.


@BOTH
def test_a_mesh_may_be_declared_convex(form, tmp_path):
    file = tmp_path / "m.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    if form is sdf:
        mesh = f"<mesh><uri>{file}</uri><drake:declare_convex/></mesh>"
    else:
        mesh = f'<mesh filename="{file}"><drake:declare_convex/></mesh>'
    text, name = shaped(form, "", mesh)
    links = loaders.load_string(text, format=name, paths=[tmp_path]).links
    geometry = by_name(links)["c"].collisions[0].geometry
    assert isinstance(geometry, Mesh)
    assert geometry.convex
    path = tmp_path / f"m.{name}"
    path.write_text(text)
    inspector = DrakePlant(path).scene_graph.model_inspector()
    assert type(inspector.GetShape(inspector.GetAllGeometryIds()[0])).__name__ == "Convex"


def seen(form, inside, material=""):
    if form is sdf:
        visual = f'<visual name="v"><geometry>{BALL}</geometry>{inside}{material}</visual>'
        return sdf(f'<link name="c">{SDF_MASS}{visual}</link>')
    visual = f'<visual><geometry><sphere radius="0.1"/></geometry>{inside}{material}</visual>'
    return urdf(f'<link name="c">{URDF_MASS}{visual}</link>')


def off(*roles):
    return "".join(f'<drake:{role}_properties enabled="false"/>' for role in roles)


@BOTH
def test_the_roles_of_a_visual_are_read(form):
    assert visuals(seen(form, ""))[0].roles == ("illustration", "perception")
    assert visuals(seen(form, off("perception")))[0].roles == ("illustration",)
    assert visuals(seen(form, off("illustration")))[0].roles == ("perception",)


@BOTH
def test_a_visual_without_any_role_is_left_out_and_reported(form):
    source = seen(form, off("illustration", "perception"))
    assert visuals(source) == ()
    assert "drake.no-role" in codes(source)
    assert DrakePlant(*source).scene_graph.model_inspector().num_geometries() == 0


@BOTH
def test_renderers_are_read(form):
    names = ("one", "two")
    tag = "drake:accepting_renderer"
    inside = "".join(
        f"<{tag}>{n}</{tag}>" if form is sdf else f'<{tag} name="{n}"/>' for n in names
    )
    assert visuals(seen(form, inside))[0].renderers == names


def test_a_diffuse_map_is_the_texture(tmp_path):
    (tmp_path / "t.png").write_bytes(b"\x89PNG")
    material = f"<material><drake:diffuse_map>{tmp_path / 't.png'}</drake:diffuse_map></material>"
    text, form = seen(sdf, "", material)
    scene = loaders.load_string(text, format=form, paths=[tmp_path])
    assert by_name(scene.links)["c"].visuals[0].material.texture == str(tmp_path / "t.png")


# Surface velocities and deformable bodies.


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
