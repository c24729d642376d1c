"""Roles, renderers and textures of visuals, in SDFormat and URDF."""

from __future__ import annotations

import loaders
from loaders.model import Mesh, by_name
from tests.support.drake_files import (
    BALL,
    BOTH,
    SDF_MASS,
    URDF_MASS,
    codes,
    sdf,
    shaped,
    urdf,
    visuals,
)
from tests.support.drake_oracle import DrakePlant


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
