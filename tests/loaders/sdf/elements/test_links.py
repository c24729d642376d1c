"""Links and what they carry, worlds and what is in them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import loaders
from loaders import Scene
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Geometry,
    Heightmap,
    Link,
    Material,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    Surface,
)


def read(body: str, version: str = "1.11") -> Scene:
    return loaders.load_string(f"<sdf version='{version}'>{body}</sdf>", format="sdf")


def link(inside: str) -> Link:
    return read(f"<model name='m'><link name='a'>{inside}</link></model>").links[0]


def collision(inside: str) -> Collision:
    return link(f"<collision name='c'>{inside}</collision>").collisions[0]


def surface(inside: str) -> Surface:
    return collision(f"<geometry><box/></geometry><surface>{inside}</surface>").surface


def material(inside: str) -> Material:
    visual = link(f"<visual name='v'><geometry><box/></geometry><material>{inside}</material></visual>").visuals[0]
    assert visual.material is not None
    return visual.material


# --- inertia ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inertial", ["", "<inertial/>", "<inertial><mass>1</mass><inertia/></inertial>"])
def test_an_inertia_left_out_is_that_of_one_kilogram_and_unit_moments(inertial: str) -> None:
    inertia = link(inertial).inertia
    assert inertia is not None
    assert inertia.mass == 1
    assert np.array_equal(inertia.I_Lcm, np.eye(3))


def test_moments_are_turned_from_the_inertial_frame_to_the_link() -> None:
    inertia = link(
        "<inertial><pose degrees='true'>0.1 0.2 0.3 0 0 90</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy>"
        "<izz>2.5</izz><ixy>0.1</ixy><ixz>0.2</ixz><iyz>0.3</iyz></inertia></inertial>"
    ).inertia
    assert inertia is not None
    assert inertia.p_LLcm.tolist() == [0.1, 0.2, 0.3]
    # x of the inertial frame is y of the link, and y is -x
    assert np.allclose(inertia.I_Lcm, [[2, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2.5]], atol=1e-15)


def test_an_inertia_that_no_body_has_is_kept_with_a_warning() -> None:
    scene = read("<model name='m'><link name='a'><inertial><inertia><ixx>9</ixx></inertia></inertial></link></model>")
    assert [entry.code for entry in scene.diagnostics] == ["model.impossible-inertia"]


def test_fluid_added_mass_is_a_symmetric_matrix_linear_first() -> None:
    added = link("<inertial><fluid_added_mass><xx>1</xx><xq>2</xq><rr>3</rr></fluid_added_mass></inertial>").added_mass
    assert added is not None
    assert (added[0, 0], added[0, 4], added[4, 0], added[5, 5], np.count_nonzero(added)) == (1, 2, 2, 3, 4)


# --- shapes ----------------------------------------------------------------------------------------------------------


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
        ("<plane><normal>0 3 4</normal><size>5 6</size></plane>", Plane(normal=(0, 0.6, 0.8), size=(5, 6))),
        (
            "<polyline><point>0 0</point><point>1 0</point><point>0 1</point><height>2</height></polyline>",
            Polyline(outlines=(((0, 0), (1, 0), (0, 1)),), height=2),
        ),
        ("<empty/>", Empty()),
        ("", Empty()),
    ],
)
def test_each_shape_has_its_sizes_and_defaults(shape: str, expected: Geometry) -> None:
    assert collision(f"<geometry>{shape}</geometry>").geometry == expected


def test_a_mesh_keeps_its_uri_and_the_file_that_it_names(tmp_path: Path) -> None:
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


def test_a_heightmap_has_an_extent_and_a_place(tmp_path: Path) -> None:
    (tmp_path / "hills.png").write_bytes(b"")
    (tmp_path / "robot.sdf").write_text(
        "<sdf version='1.11'><model name='m'><link name='a'><collision name='c'><geometry><heightmap>"
        "<uri>hills.png</uri><size>10 20 3</size><pos>1 2 3</pos><sampling>2</sampling>"
        "<texture><size>1</size></texture>"
        "</heightmap></geometry></collision></link></model></sdf>"
    )
    shape = loaders.load(tmp_path / "robot.sdf").links[0].collisions[0].geometry
    path = str(tmp_path / "hills.png")
    assert shape == Heightmap(uri="hills.png", path=path, size=(10, 20, 3), position=(1, 2, 3), sampling=2)


def test_parts_are_posed_from_anything_in_the_model() -> None:
    scene = read(
        "<model name='m'><pose>7 7 7 1 2 3</pose><link name='a'><pose>0 0 1 0 0 0</pose>"
        "<collision name='c'><pose relative_to='f'>0 0 0.5 0 0 0</pose></collision>"
        "<sensor name='s' type='imu'><pose relative_to='__model__'>0 0 0 0 0 0</pose></sensor></link>"
        "<frame name='f'><pose>1 2 3 0 0 0</pose></frame></model>"
    )
    assert np.allclose(scene.links[0].collisions[0].X_LG.p, (1, 2, 2.5), atol=1e-14)
    assert np.allclose(scene.links[0].sensors[0].X_LS.p, (0, 0, -1), atol=1e-14)


# --- surfaces and materials ------------------------------------------------------------------------------------------


def test_a_surface_that_is_not_stated_has_the_defaults_of_the_specification() -> None:
    read_surface = collision("<geometry><box/></geometry>").surface
    assert (read_surface.friction.mu, read_surface.friction.mu2, read_surface.restitution) == (1, 1, 0)
    assert read_surface.collide_bitmask == 0xFFFF


def test_the_second_friction_coefficient_does_not_follow_the_first() -> None:
    friction = surface("<friction><ode><mu>0.3</mu><fdir1>1 0 0</fdir1><slip1>0.1</slip1></ode></friction>").friction
    assert (friction.mu, friction.mu2, friction.fdir1, friction.slip1) == (0.3, 1, (1, 0, 0), 0.1)


def test_bullets_friction_counts_where_ode_states_none() -> None:
    friction = surface(
        "<friction><bullet><friction>0.2</friction><friction2>0.4</friction2><rolling_friction>0.01</rolling_friction>"
        "</bullet><ode><mu2>0.5</mu2></ode><torsional><coefficient>0.7</coefficient><patch_radius>0.02</patch_radius>"
        "</torsional></friction>"
    ).friction
    assert (friction.mu, friction.mu2, friction.rolling) == (0.2, 0.5, 0.01)
    assert (friction.torsional, friction.patch_radius, friction.use_patch_radius) == (0.7, 0.02, True)


def test_contact_and_bounce_are_read() -> None:
    read_surface = surface(
        "<bounce><restitution_coefficient>0.5</restitution_coefficient><threshold>0.1</threshold></bounce>"
        "<contact><collide_bitmask>3</collide_bitmask><category_bitmask>2</category_bitmask>"
        "<ode><kp>1e6</kp><kd>10</kd><max_vel>0.2</max_vel><min_depth>0.001</min_depth></ode></contact>"
    )
    assert (read_surface.restitution, read_surface.restitution_threshold) == (0.5, 0.1)
    assert (read_surface.stiffness, read_surface.damping) == (1e6, 10)
    assert (read_surface.max_velocity, read_surface.min_depth) == (0.2, 0.001)
    assert (read_surface.collide_bitmask, read_surface.category_bitmask) == (3, 2)


@pytest.mark.parametrize("friction", ["<ode><mu>-1</mu></ode>", "<torsional><coefficient>-1</coefficient></torsional>"])
def test_a_negative_coefficient_is_refused(friction: str) -> None:
    with pytest.raises(loaders.LoadError, match=r"xml\.out-of-range"):
        surface(f"<friction>{friction}</friction>")


def test_colours_have_three_or_four_parts_in_zero_to_one() -> None:
    read_material = material("<diffuse>1 0 0</diffuse><ambient>0 1 0 0.5</ambient><emissive/>")
    assert (read_material.diffuse, read_material.ambient) == ((1, 0, 0, 1), (0, 1, 0, 0.5))
    assert read_material.emissive is None
    for bad in ("1 2 0", "1 0", "1 0 0 1 0", "red"):
        with pytest.raises(loaders.LoadError, match="xml"):
            material(f"<diffuse>{bad}</diffuse>")


def test_physically_based_materials_keep_their_numbers_and_maps() -> None:
    read_material = material(
        "<pbr><metal><metalness>0.4</metalness><roughness>0.6</roughness><albedo_map>a.png</albedo_map>"
        "<normal_map type='tangent'>n.png</normal_map></metal></pbr>"
        "<script><uri>u</uri><name>Gazebo/Red</name></script>"
    )
    assert (read_material.metalness, read_material.roughness, read_material.texture) == (0.4, 0.6, "a.png")
    assert read_material.maps == (("albedo_map", "a.png"), ("normal_map", "n.png"))
    assert read_material.name == "Gazebo/Red"


# --- flags, lights, sensors ------------------------------------------------------------------------------------------


def test_flags_of_links_and_models_have_the_defaults_of_the_specification() -> None:
    scene = read(
        "<model name='m'><self_collide>1</self_collide><allow_auto_disable>false</allow_auto_disable>"
        "<link name='a'/><link name='b'><gravity>FALSE</gravity><kinematic>True</kinematic>"
        "<self_collide>0</self_collide><enable_wind>1</enable_wind>"
        "<velocity_decay><linear>0.1</linear></velocity_decay></link></model>"
    )
    model, (plain, flagged) = scene.models[0], scene.links
    assert (model.self_collide, model.allow_auto_disable, model.static, model.enable_wind) == (
        True,
        False,
        False,
        False,
    )
    assert (plain.gravity, plain.kinematic, plain.self_collide, plain.enable_wind) == (True, False, None, False)
    assert (flagged.gravity, flagged.kinematic, flagged.self_collide, flagged.enable_wind) == (False, True, False, True)
    assert flagged.velocity_decay == (0.1, 0)


def test_lights_hang_in_the_world_and_on_links() -> None:
    scene = read(
        "<world name='w'><light name='sun' type='directional'><pose>0 0 9 0 0 0</pose><direction>1 0 -1</direction>"
        "<attenuation><range>50</range><quadratic>0.5</quadratic></attenuation></light>"
        "<model name='m'><link name='l'><light name='lamp' type='spot'><spot><outer_angle>0.6</outer_angle></spot>"
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
    assert (lamp.name, lamp.link, lamp.type, lamp.outer_angle) == ("m::l::lamp", "m::l", "spot", 0.6)


def test_a_sensor_keeps_its_settings_as_written() -> None:
    sensor = link(
        "<sensor name='eye' type='camera'><update_rate>30</update_rate><camera name='c'>"
        "<horizontal_fov>1.5</horizontal_fov><image><width>64</width></image></camera><plugin filename='x'/></sensor>"
    ).sensors[0]
    assert (sensor.name, sensor.type, sensor.update_rate) == ("eye", "camera", 30)
    assert sensor.parameters == (
        ("camera@name", "c"),
        ("camera/horizontal_fov", "1.5"),
        ("camera/image/width", "64"),
    )


# --- worlds ----------------------------------------------------------------------------------------------------------


def test_an_empty_world_has_the_surroundings_of_the_specification() -> None:
    scene = read("<world name='w'/>")
    assert scene.gravity.tolist() == [0, 0, -9.8]
    assert scene.wind.tolist() == [0, 0, 0]
    assert scene.magnetic_field.tolist() == [5.5645e-6, 22.8758e-6, -42.3884e-6]
    physics = scene.physics
    assert (physics.time_step, physics.real_time_factor, physics.engine, physics.max_contacts) == (0.001, 1, "ode", 20)


def test_the_surroundings_are_read_and_the_default_physics_counts() -> None:
    scene = read(
        "<world name='w'><gravity>0 0 -1.6</gravity><wind><linear_velocity>1 2 3</linear_velocity></wind>"
        "<physics name='a' type='ode'/><physics name='b' type='bullet' default='true'>"
        "<max_step_size>0.005</max_step_size><bullet><solver><iters>77</iters></solver></bullet></physics></world>"
    )
    assert (scene.gravity.tolist(), scene.wind.tolist()) == ([0, 0, -1.6], [1, 2, 3])
    assert (scene.physics.engine, scene.physics.time_step) == ("bullet", 0.005)
    assert ("bullet/solver/iters", "77") in scene.physics.parameters


def test_a_file_may_hold_but_a_light() -> None:
    scene = read("<light name='sun' type='point'><pose>1 2 3 0 0 0</pose></light>")
    assert (scene.lights[0].name, scene.lights[0].X_LLight.p.tolist()) == ("sun", [1, 2, 3])


def test_elements_of_other_namespaces_pass_with_a_note() -> None:
    scene = read("<model name='m' my:mark='1'><link name='a'/><my:thing><link name='x'/></my:thing></model>")
    assert {entry.severity for entry in scene.diagnostics} == {"note"}
    assert len(scene.links) == 1


def test_an_unknown_element_is_a_warning_with_a_suggestion() -> None:
    scene = read("<model name='m'><link name='a'><inertail/></link></model>")
    assert [entry.code for entry in scene.diagnostics] == ["xml.unread"]
    assert "inertial" in scene.diagnostics[0].hint


def test_numbers_may_be_written_in_every_way_of_c() -> None:
    inertia = link("<inertial><mass> 0x10 </mass><pose>1e0 .5 +2. 0 0 0</pose></inertial>").inertia
    assert inertia is not None
    assert (inertia.mass, inertia.p_LLcm.tolist()) == (16, [1, 0.5, 2])
    with pytest.raises(loaders.LoadError, match=r"xml\.not-finite"):
        link("<pose>nan 0 0 0 0 0</pose>")
    assert math.isinf(surface("<bounce><threshold>inf</threshold></bounce>").restitution_threshold)
