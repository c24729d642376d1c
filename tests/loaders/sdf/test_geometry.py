"""Shapes and surfaces: sizes, defaults, files, friction and contact parameters."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import loaders
from loaders.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    Surface,
)
from tests.support.sdf import collision_with

# Shapes: sizes, defaults, and files.

DOCUMENT = (
    "<sdf version='1.9'><model name='m'><link name='l'><collision "
    "name='c'><geometry>{}</geometry></collision></link>"
    "</model></sdf>"
)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("<box/>", Box(size=(1, 1, 1))),
        ("<box><size>1 2 3</size></box>", Box(size=(1, 2, 3))),
        ("<sphere/>", Sphere(radius=1)),
        ("<cylinder/>", Cylinder(radius=1, length=1)),
        ("<capsule/>", Capsule(radius=0.5, length=1)),
        ("<cone><radius>2</radius><length>3</length></cone>", Cone(radius=2, length=3)),
        ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", Ellipsoid(radii=(1, 2, 3))),
        (
            "<plane><normal>0 0 0</normal><size>5 6</size></plane>",
            Plane(normal=(0, 0, 1), size=(5, 6)),
        ),
        ("<plane/>", Plane(normal=(0, 0, 1), size=(1, 1))),
        (
            "<plane><normal>0 3 4</normal><size>5 6</size></plane>",
            Plane(normal=(0, 0.6, 0.8), size=(5, 6)),
        ),
        (
            (
                "<polyline><point>0 0</point><point>1 0</point><point>0 "
                "1</point><height>2</height></polyline>"
            ),
            Polyline(outlines=(((0, 0), (1, 0), (0, 1)),), height=2),
        ),
        ("<empty/>", Empty()),
        ("", Empty()),
    ],
)
def test_each_shape_has_its_sizes_and_defaults(shape: str, expected: Geometry) -> None:
    assert collision_with(f"<geometry>{shape}</geometry>").geometry == expected


def test_a_mesh_has_its_uri_and_the_path_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "part.obj").write_text("v 0 0 0\n")
    (tmp_path / "robot.sdf").write_text(
        "<sdf version='1.11'><model name='m'><link name='a'><collision name='c'><geometry>"
        "<mesh optimization='convex_decomposition'><uri>part.obj</uri><scale>1 2 3</scale>"
        "<submesh><name>s</name><center>true</center></submesh>"
        "<convex_decomposition><max_convex_hulls>4</max_convex_hulls></convex_decomposition></mesh>"
        "</geometry></collision></link></model></sdf>"
    )
    mesh = loaders.load(tmp_path / "robot.sdf").links[0].collisions[0].geometry
    assert mesh == Mesh(
        uri="part.obj",
        path=str(tmp_path / "part.obj"),
        scale=(1, 2, 3),
        submesh="s",
        center=True,
        decomposition="convex_decomposition",
        max_convex_hulls=4,
    )


def test_a_heightmap_has_a_size_and_a_position(tmp_path: Path) -> None:
    (tmp_path / "hills.png").write_bytes(b"")
    (tmp_path / "robot.sdf").write_text(
        "<sdf version='1.11'><model name='m'><link name='a'><collision "
        "name='c'><geometry><heightmap>"
        "<uri>hills.png</uri><size>10 20 3</size><pos>1 2 3</pos><sampling>2</sampling>"
        "<texture><size>1</size></texture>"
        "</heightmap></geometry></collision></link></model></sdf>"
    )
    shape = loaders.load(tmp_path / "robot.sdf").links[0].collisions[0].geometry
    path = str(tmp_path / "hills.png")
    assert shape == Heightmap(
        uri="hills.png", path=path, size=(10, 20, 3), position=(1, 2, 3), sampling=2
    )


@pytest.mark.parametrize(
    "shape",
    [
        "<sphere><radius>-1</radius></sphere>",
        "<box><size>-1 1 1</size></box>",
        "<cylinder><radius>-1</radius><length>1</length></cylinder>",
        "<cylinder><radius>1</radius><length>-1</length></cylinder>",
        "<capsule><radius>-1</radius><length>1</length></capsule>",
        "<cone><radius>1</radius><length>-1</length></cone>",
        "<ellipsoid><radii>1 -1 1</radii></ellipsoid>",
        "<plane><size>-1 1</size></plane>",
        (
            "<polyline><point>0 0</point><point>1 0</point><point>0 "
            "1</point><height>-1</height></polyline>"
        ),
    ],
)
def test_a_negative_size_is_an_error_that_states_it(shape: str) -> None:
    with pytest.raises(loaders.LoadError, match="-1") as error:
        loaders.load_string(DOCUMENT.format(shape), format="sdf")
    assert [entry.code for entry in error.value.findings] == ["xml.out-of-range"]


def test_lenient_loading_takes_the_default_for_a_negative_size_as_drake_does() -> None:
    text = DOCUMENT.format("<box><size>-2 3 4</size></box>")
    scene = loaders.load_string(text, format="sdf", lenient=True, quiet=True)
    assert scene.links[0].collisions[0].geometry == Box(size=(1, 1, 1))
    pydrake = pytest.importorskip("pydrake.all")
    builder = pydrake.DiagramBuilder()
    plant, graph = pydrake.AddMultibodyPlantSceneGraph(builder, 0.001)
    pydrake.Parser(plant).AddModelsFromString(text, "sdf")
    (geometry,) = plant.GetCollisionGeometriesForBody(plant.GetBodyByName("l"))
    assert tuple(graph.model_inspector().GetShape(geometry).size()) == (1, 1, 1)


# Surfaces: friction, restitution and contact parameters.


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
