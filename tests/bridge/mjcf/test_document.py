"""What the text says: numbers, shapes, pairs that touch, surroundings, actuators, classes, names, folders."""

import dataclasses
import math
import os
import re

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge import lower
from bridge.mjcf import export_mjcf, stale_files, to_mjcf, to_mjspec
from bridge.mjcf.document import build
from bridge.mjcf.xml.element import Element, write
from bridge.mjcf.xml.number_format import color, number, quaternion, round_to_short
from bridge.mjcf.xml.options import MjcfOptions, Options
from loaders.diagnostics import Fate, Where
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    FilterGroup,
    FilterRule,
    Frame,
    Friction,
    Joint,
    JointAxis,
    JointType,
    Light,
    Link,
    Material,
    Mesh,
    Model,
    Physics,
    Plane,
    Polyline,
    Sensor,
    Sphere,
    Surface,
    Visual,
)
from loaders.scene import Scene
from loaders.scene_queries.excluded_pairs import POLICIES, weld_groups
from loaders.spatial import IDENTITY, Pose, SpatialInertia, frozen, quaternion_to_matrix, rotation_about
from tests.support.mujoco_oracle import can_touch, compiled, quietly

UNIT = SpatialInertia.of(1.0, I_Lcm=np.eye(3))
X_LG = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))


def scene_of(*links, joints=(), **more):
    names = dict.fromkeys(link.model for link in links)
    models = tuple(
        Model(
            name=name,
            X_WM=IDENTITY,
            canonical_link=next(link.name for link in links if link.model == name),
            static=name == "ground",
        )
        for name in names
    )
    return Scene(name="demo", **({"models": models, "links": links, "joints": tuple(joints)} | more))


def link(name, *, model="m", p=(0.0, 0.0, 0.0), **more):
    return Link(name=name, model=model, X_WL=Pose.of(p=p), **({"inertia": UNIT} | more))


def hinge(name, parent, child, kind=JointType.REVOLUTE, **axis):
    axes = (JointAxis(xyz=frozen((0.0, 0.0, 1.0)), **axis),) if kind is not JointType.FIXED else ()
    return Joint(name=name, type=kind, parent=parent, child=child, X_PJ=IDENTITY, X_CJ=IDENTITY, axes=axes)


def codes(found):
    return [entry.code for entry in found.diagnostics]


# --- numbers ---------------------------------------------------------------------------------------------------------


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_reads_back_as_it_was(x):
    assert float(number(x)) == x


@given(st.floats(0.0, 1.0))
def test_a_colour_reads_back_as_mujoco_keeps_it_and_no_longer(c):
    (written,) = map(number, color((c,)))
    assert np.float32(float(written)) == np.float32(c)
    assert len(re.sub(r"e.*|[.]", "", written).lstrip("0")) <= 9


def test_whole_numbers_have_no_point_and_zero_no_sign():
    assert [number(x) for x in (1.0, -0.0, 2, 0.1, 1e-5)] == ["1", "0", "2", "0.1", "1e-05"]


def test_the_rounding_of_a_sum_is_not_written():
    assert (round_to_short(0.1 + 0.2), round_to_short(math.sin(math.pi)), round_to_short(1 / 3)) == (0.3, 0.0, 1 / 3)


@given(st.floats(-1e6, 1e6))
def test_snapping_moves_a_value_by_rounding_at_most(x):
    assert abs(round_to_short(x) - x) <= max(5e-16, 4 * math.ulp(x))


@given(st.tuples(*[st.floats(-1, 1)] * 3), st.floats(-3, 3))
def test_a_written_rotation_is_the_rotation(axis, angle):
    length = math.sqrt(sum(c * c for c in axis))
    if length < 1e-3:
        return
    R = rotation_about([c / length for c in axis], angle)
    written = quaternion(R)
    again = np.eye(3) if written is None else quaternion_to_matrix(written)
    assert np.abs(again - R).max() <= 2e-15


def test_right_angles_are_whole_numbers():
    assert quaternion(rotation_about((0, 1, 0), math.pi / 2)) == [1, 0, 1, 0]
    assert quaternion(rotation_about((1, 0, 0), math.pi)) == [0, 1, 0, 0]
    assert quaternion(np.eye(3)) is None


def test_text_is_indented_escaped_and_in_order():
    root = Element("mujoco", model='a "b" <c> & d')
    root.add("option", timestep=0.001, gravity=(0.0, 0.0, -9.8), none=None)
    assert write(root, ["one -- two"]) == (
        "<!-- one - - two -->\n"
        '<mujoco model="a &quot;b&quot; &lt;c&gt; &amp; d">\n\n'
        '  <option timestep="0.001" gravity="0 0 -9.8"/>\n'
        "</mujoco>\n"
    )


# --- shapes ----------------------------------------------------------------------------------------------------------

SHAPES = [
    (Box(size=(0.2, 0.4, 0.6)), "BOX", (0.1, 0.2, 0.3)),
    (Sphere(radius=0.3), "SPHERE", (0.3,)),
    (Cylinder(radius=0.1, length=0.5), "CYLINDER", (0.1, 0.25)),
    (Capsule(radius=0.1, length=0.5), "CAPSULE", (0.1, 0.25)),
    (Ellipsoid(radii=(0.1, 0.2, 0.3)), "ELLIPSOID", (0.1, 0.2, 0.3)),
]


@pytest.mark.parametrize(("geometry", "kind", "size"), SHAPES)
def test_a_primitive_has_its_type_size_and_pose(geometry, kind, size):
    shape = Collision(name="shape", X_LG=X_LG, geometry=geometry)
    geom = compiled(to_mjcf(scene_of(link("a", collisions=(shape,))))).geom("shape")
    assert geom.type[0] == getattr(mujoco.mjtGeom, f"mjGEOM_{kind}")
    assert tuple(geom.size[: len(size)]) == size
    assert np.abs(geom.pos - X_LG.p).max() <= 1e-15
    assert np.abs(quaternion_to_matrix(geom.quat) - X_LG.R).max() <= 1e-15


def test_a_plane_of_the_world_has_its_normal():
    normal = np.array((0.0, 0.6, 0.8))
    shape = Collision(name="floor", X_LG=IDENTITY, geometry=Plane(normal=tuple(normal)))
    geom = compiled(to_mjcf(scene_of(link("floor", model="ground", collisions=(shape,))))).geom("floor")
    assert np.abs(quaternion_to_matrix(geom.quat)[:, 2] - normal).max() <= 1e-15


def test_a_plane_that_moves_is_left_out_and_it_is_said():
    shape = Collision(name="floor", X_LG=IDENTITY, geometry=Plane(), where=Where("a.sdf", 5))
    mjcf = to_mjcf(scene_of(link("a", collisions=(shape,))))
    assert compiled(mjcf).ngeom == 0
    assert "mjcf.moving-plane" in codes(mjcf)


def test_a_shape_without_extent_is_left_out_and_it_is_said():
    shape = Visual(name="v", X_LG=IDENTITY, geometry=Box(size=(0.0, 1.0, 1.0)))
    mjcf = to_mjcf(scene_of(link("a", visuals=(shape,))))
    assert compiled(mjcf).ngeom == 0
    assert "mjcf.empty-shape" in codes(mjcf)


def extent(model, geom):
    """Lowest and highest corner of a mesh geom, in the body."""
    g = model.geom(geom)
    mesh = int(g.dataid[0])
    start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    points = model.mesh_vert[start : start + count] @ quaternion_to_matrix(g.quat).T + g.pos
    return points.min(axis=0), points.max(axis=0)


def test_a_cone_stands_on_its_base_half_its_length_below_the_origin():
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Cone(radius=0.5, length=2.0))
    mjcf = to_mjcf(scene_of(link("a", collisions=(shape,))))
    low, high = extent(compiled(mjcf), "c")
    assert np.allclose(low, (-0.5, -0.5, -1.0), atol=1e-6)
    assert np.allclose(high, (0.5, 0.5, 1.0), atol=1e-6)
    assert "mesh.cone" in codes(mjcf)


def test_a_polyline_is_raised_from_its_plane():
    outline = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 0.4), (0.0, 1.0))
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Polyline(outlines=(outline,), height=0.3))
    low, high = extent(compiled(to_mjcf(scene_of(link("a", collisions=(shape,))))), "c")
    assert np.allclose((low, high), ((0, 0, 0), (1, 1, 0.3)), atol=1e-6)


def test_what_is_seen_does_not_touch():
    shape = Visual(name="v", X_LG=IDENTITY, geometry=Sphere(radius=0.1))
    geom = compiled(to_mjcf(scene_of(link("a", visuals=(shape,))))).geom("v")
    assert (geom.contype[0], geom.conaffinity[0], geom.group[0]) == (0, 0, 2)


def test_colours_names_and_transparency_are_seen():
    red = Material(name="red", diffuse=(0.8, 0.1, 0.1, 1.0), specular=(0.5, 0.5, 0.5, 1.0))
    bare = Material(diffuse=(0.1, 0.2, 0.3, 1.0))
    visuals = (
        Visual(name="a", X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=red),
        Visual(name="b", X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=bare, transparency=0.75),
    )
    model = compiled(to_mjcf(scene_of(link("l", visuals=visuals))))
    assert np.allclose(model.material("red").rgba, (0.8, 0.1, 0.1, 1.0))
    assert model.material("red").specular[0] == 0.5
    assert model.geom("a").matid[0] == model.material("red").id
    assert np.allclose(model.geom("b").rgba, (0.1, 0.2, 0.3, 0.25))


def test_a_colour_of_several_geoms_is_one_material():
    paint, other = (Material(diffuse=(r, 0.2, 0.4, 1.0)) for r in (0.1, 0.3))
    looks = {"a": paint, "b": paint, "c": other}
    visuals = tuple(
        Visual(name=name, X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=look) for name, look in looks.items()
    )
    model = compiled(to_mjcf(scene_of(link("l", visuals=visuals))))
    assert (model.nmat, model.geom("a").matid[0], model.geom("b").matid[0]) == (1, 0, 0)
    assert np.allclose(model.mat_rgba[0], (0.1, 0.2, 0.4, 1.0))
    assert model.geom("c").matid[0] == -1
    assert np.allclose(model.geom("c").rgba, (0.3, 0.2, 0.4, 1.0))


def test_mass_comes_from_the_model_alone_and_never_from_shapes():
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Box(size=(1.0, 1.0, 1.0)))
    tool = link("tool", collisions=(shape,), inertia=None)
    scene = scene_of(link("a"), tool, joints=(hinge("weld", "a", "tool", JointType.FIXED),))
    assert compiled(to_mjcf(scene)).body("tool").mass[0] == 0.0


# --- contacts --------------------------------------------------------------------------------------------------------


def ball(name, **surface):
    return Collision(name=name, X_LG=IDENTITY, geometry=Sphere(radius=0.1), surface=Surface(**surface))


def family(seed):
    """Two robots of random shape, one of which stands on the world, and a ground."""
    rng = np.random.default_rng(seed)
    links, joints = [link("floor", model="ground", collisions=(ball("floor"),))], []
    for robot in ("r", "s"):
        for i in range(6):
            name = f"{robot}{i}"
            shapes = (ball(name),) if rng.random() < 0.8 else ()
            links.append(link(name, model=robot, collisions=shapes))
            kind = JointType.FIXED if rng.random() < 0.4 else JointType.REVOLUTE
            if i:
                joints.append(hinge(f"j{name}", f"{robot}{rng.integers(0, i)}", name, kind))
            elif robot == "r":
                joints.append(hinge("stand", WORLD, name, kind))
    groups = tuple(FilterGroup(name=f"g{k}", links=(f"r{k}", f"s{k + 1}")) for k in range(3))
    rules = (FilterRule(a="g0", b="g0"), FilterRule(a="g1", b="g2"))
    return scene_of(*links, joints=joints, filter_groups=groups, filter_rules=rules)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", range(8))
def test_the_pairs_that_touch_in_mujoco_are_the_pairs_that_may_touch(seed, policy):
    """All but pairs that cannot move against each other, which MuJoCo leaves out, and the ledger names."""
    scene = family(seed)
    mechanism = lower(scene)
    mjcf = to_mjcf(mechanism, policy=policy)
    group = {name: i for i, names in enumerate(weld_groups(scene)) for name in names}
    expected = mechanism.collidable_pairs(policy)
    still = {pair for pair in expected if len({group[name] for name in pair}) == 1}
    assert can_touch(compiled(mjcf)) == expected - still
    assert ("mjcf.welded-contact" in codes(mjcf)) == bool(still)


def test_an_arm_on_the_ground_needs_one_exclude():
    links = [link(f"l{i}", collisions=(ball("c"),)) for i in range(4)]
    joints = [hinge("stand", WORLD, "l0", JointType.FIXED)]
    joints += [hinge(f"j{i}", f"l{i - 1}", f"l{i}") for i in range(1, 4)]
    mjcf = to_mjcf(scene_of(*links, joints=joints))
    assert re.findall(r"<exclude .*?>", mjcf) == ['<exclude body1="l0" body2="l1"/>']
    assert "filterparent" not in mjcf


MASKS = [(0x1, 0x2), (0x3, 0x2), (0xFFFF, 0x10), (0x0, 0xFFFF), (0x80000000, 0xC0000000), (0xFFFF, 0xFFFF)]


@pytest.mark.parametrize("masks", MASKS)
def test_bitmasks_decide_as_in_the_source(masks):
    balls = [
        link(f"l{i}", model=f"m{i}", collisions=(ball(f"c{i}", collide_bitmask=mask),)) for i, mask in enumerate(masks)
    ]
    heeded = to_mjcf(scene_of(*balls), policy="sdformat")
    assert bool(can_touch(compiled(heeded))) == bool(masks[0] & masks[1])
    unheeded = to_mjcf(scene_of(*balls))
    assert can_touch(compiled(unheeded))
    assert ("mjcf.contact-policy" in codes(unheeded)) == (masks != (0xFFFF, 0xFFFF))


def test_friction_is_that_of_the_source():
    shape = ball("c", friction=Friction(mu=0.3, mu2=0.3, rolling=0.01))
    geom = compiled(to_mjcf(scene_of(link("a", collisions=(shape,))))).geom("c")
    assert tuple(geom.friction) == (0.3, 0.005, 0.01)
    assert geom.condim[0] == 6


@pytest.mark.parametrize(("e", "error"), [(1.0, 0.05), (0.8, 0.06), (0.5, 0.1)])
def test_a_ball_bounces_within_the_stated_error(e, error):
    floor = link("floor", model="ground", collisions=(Collision(name="f", X_LG=IDENTITY, geometry=Plane()),))
    drop = link("ball", p=(0.0, 0.0, 1.0), collisions=(ball("b", restitution=e),))
    mjcf = to_mjcf(scene_of(floor, drop))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    speeds = []
    for _ in range(1500):
        mujoco.mj_step(model, data)
        speeds.append(data.qvel[2])
    impact = min(speeds)
    rebound = max(speeds[speeds.index(impact) :])
    assert -rebound / impact == pytest.approx(e, abs=error)
    assert "mjcf.restitution" in codes(mjcf)


# --- surroundings ----------------------------------------------------------------------------------------------------


def test_gravity_and_time_step_are_the_scenes():
    scene = scene_of(link("a"), gravity=frozen((0.1, 0.2, -1.6)), physics=Physics(time_step=0.004))
    model = compiled(to_mjcf(scene))
    assert (tuple(model.opt.gravity), model.opt.timestep) == ((0.1, 0.2, -1.6), 0.004)


@pytest.mark.parametrize("step", [0.0, -1.0])
def test_a_time_step_that_is_none_becomes_the_default_and_it_is_said(step):
    mjcf = to_mjcf(scene_of(link("a"), physics=Physics(time_step=step)))
    assert compiled(mjcf).opt.timestep == 0.001
    assert "mjcf.time-step" in codes(mjcf)


def test_a_link_without_gravity_floats():
    model = compiled(to_mjcf(scene_of(link("a", gravity=False))))
    data = mujoco.MjData(model)
    for _ in range(100):
        mujoco.mj_step(model, data)
    assert np.abs(data.qvel).max() <= 1e-12


def test_frames_and_lights_stand_where_the_model_has_them():
    frame = Frame(name="tip", link="a", X_LF=X_LG)
    light = Light(name="sun", type="directional", link=WORLD, X_LLight=X_LG, direction=(0.0, 0.6, -0.8))
    model = compiled(to_mjcf(scene_of(link("a"), frames=(frame,), lights=(light,))))
    site = model.site("tip")
    assert np.abs(site.pos - X_LG.p).max() <= 1e-15
    assert np.abs(quaternion_to_matrix(site.quat) - X_LG.R).max() <= 1e-15
    assert np.allclose(model.light("sun").dir, X_LG.R @ (0.0, 0.6, -0.8))


def test_an_imu_at_rest_feels_the_ground_push():
    imu = Sensor(name="imu", type="imu", X_LS=X_LG)
    model = compiled(to_mjcf(scene_of(link("a", sensors=(imu,)), joints=(hinge("s", WORLD, "a"),))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert np.allclose(data.sensor("imu_acceleration").data, X_LG.R.T @ (0, 0, 9.8))


def test_a_camera_looks_along_x_with_z_up_and_has_the_sources_view():
    parameters = (("camera/horizontal_fov", "1.2"), ("camera/image/width", "640"), ("camera/image/height", "480"))
    camera = Sensor(name="eye", type="camera", X_LS=X_LG, parameters=parameters)
    model = compiled(to_mjcf(scene_of(link("a", sensors=(camera,)))))
    R = quaternion_to_matrix(model.cam_quat[0])
    assert np.allclose(-R[:, 2], X_LG.R[:, 0])
    assert np.allclose(R[:, 1], X_LG.R[:, 2])
    width = 2 * math.tan(math.radians(model.cam_fovy[0]) / 2) * 640 / 480
    assert width == pytest.approx(2 * math.tan(0.6))


def test_a_force_sensor_in_a_joint_reads_the_weight_that_hangs_from_it():
    sensor = Sensor(name="ft", type="force_torque", X_LS=IDENTITY, joint="weld")
    weld = dataclasses.replace(hinge("weld", "a", "b", JointType.FIXED), sensors=(sensor,))
    mjcf = to_mjcf(scene_of(link("a"), link("b"), joints=(hinge("s", WORLD, "a", JointType.FIXED), weld)))
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert np.allclose(data.sensor("ft_force").data, (0, 0, 9.8))
    assert "mjcf.force-torque-sign" in codes(mjcf)


def test_a_range_finder_looks_along_x():
    wall = link(
        "wall",
        model="ground",
        collisions=(Collision(name="w", X_LG=Pose.of(p=(2.0, 0, 0)), geometry=Box(size=(1, 1, 1))),),
    )
    lidar = Sensor(name="lidar", type="lidar", X_LS=IDENTITY)
    model = compiled(to_mjcf(scene_of(wall, link("a", sensors=(lidar,)))))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.sensor("lidar").data[0] == pytest.approx(1.5)


def test_a_default_position_becomes_the_key_home():
    joint = dataclasses.replace(hinge("j", WORLD, "a", lower=-1.0, upper=1.0), default_position=(0.5,))
    model = compiled(to_mjcf(scene_of(link("a"), joints=(joint,))))
    assert tuple(model.key("home").qpos) == (0.5,)


def test_position_controllers_hold_the_key_home():
    joint = dataclasses.replace(hinge("j", WORLD, "a", lower=-1.0, upper=1.0, effort=9.0), default_position=(0.5,))
    free = link("b", p=(0.0, 0.0, 5.0))
    model = compiled(to_mjcf(scene_of(free, link("a"), joints=(joint,)), actuators="position"))
    assert tuple(model.key("home").ctrl) == (0.5,)
    assert tuple(model.key("home").qpos) == (0, 0, 5, 1, 0, 0, 0, 0.5)


def test_where_zero_is_outside_the_limits_home_is_inside():
    mjcf = to_mjcf(scene_of(link("a"), joints=(hinge("j", WORLD, "a", lower=0.2, upper=1.0),)))
    assert tuple(compiled(mjcf).key("home").qpos) == (0.2,)
    assert "mjcf.zero-outside-limits" in codes(mjcf)


# --- actuators -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["motor", "position", "velocity"])
def test_actuators_compile_and_push_within_the_effort(kind):
    joint = hinge("j", WORLD, "a", lower=-1.0, upper=1.0, effort=3.0, velocity=2.0)
    model = compiled(to_mjcf(scene_of(link("a"), joints=(joint,)), actuators=kind))
    data = mujoco.MjData(model)
    data.ctrl[0] = 1.0 if kind == "position" else 2.0
    mujoco.mj_forward(model, data)
    assert 0.0 < data.qfrc_actuator[0] <= 3.0


def test_an_unknown_kind_of_actuator_is_the_callers_mistake():
    known = "none, motor, dcmotor, position, velocity"
    with pytest.raises(ValueError, match=f"actuators must be one of {known}, not 'spring'"):
        to_mjcf(scene_of(link("a")), actuators="spring")


# --- options ---------------------------------------------------------------------------------------------------------


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


# --- classes ---------------------------------------------------------------------------------------------------------


def leg():
    links = [
        link(
            f"l{i}",
            collisions=(ball(f"c{i}"),),
            visuals=(Visual(name=f"v{i}", X_LG=X_LG, geometry=Sphere(radius=0.2)),),
        )
        for i in range(5)
    ]
    joints = [
        hinge(f"FL{i}_hip_joint", f"l{i - 1}", f"l{i}", lower=-1.0, upper=2.0, damping=0.3, effort=20.0)
        for i in range(1, 5)
    ]
    return scene_of(*links, joints=joints)


def test_joints_with_the_same_dynamics_share_a_class_named_by_what_their_names_share():
    mjcf = to_mjcf(leg())
    assert '<default class="hip_joint">' in mjcf
    assert '<joint name="FL1_hip_joint" class="hip_joint"/>' in mjcf


def test_what_drives_joints_of_a_class_is_of_that_class_and_says_no_more_than_which():
    mjcf = to_mjcf(leg(), actuators="motor")
    assert '<motor ctrlrange="-20 20"/>' in mjcf
    assert '<motor name="FL1_hip_joint" class="demo" joint="FL1_hip_joint"/>' in mjcf
    mixed = dataclasses.replace(
        leg(), joints=(*leg().joints[:3], hinge("toe", "l3", "l4", lower=0.0, upper=1.0, effort=5.0))
    )
    mjcf = to_mjcf(mixed, actuators="motor")
    assert '<motor name="FL1_hip_joint" class="hip_joint" joint="FL1_hip_joint"/>' in mjcf
    assert '<motor name="toe" joint="toe" ctrlrange="-5 5"/>' in mjcf


def test_classes_of_joints_whose_names_say_nothing_are_named_by_what_tells_them_apart():
    limits = [{"damping": 3.0, "friction": 0.1}, {"damping": 3.0, "friction": 0.2}, {"damping": 3.0, "friction": 0.2}]
    names = [f"joint_{i}" for i in range(9)]
    joints = [hinge(name, WORLD, f"l{i}", effort=9.0 + i, **limits[i // 3]) for i, name in enumerate(names)]
    joints = [
        dataclasses.replace(j, axes=(dataclasses.replace(j.axes[0], effort=5.0 if i < 6 else 7.0),))
        for i, j in enumerate(joints)
    ]
    mjcf = to_mjcf(scene_of(*(link(f"l{i}") for i in range(9)), joints=joints))
    assert re.findall('<default class="(effort[^"]*)">', mjcf) == ["effort_5", "effort_5_friction_0.2", "effort_7"]


@pytest.mark.parametrize("actuators", ["none", "motor", "dcmotor", "position", "velocity"])
def test_classes_change_the_text_and_not_the_model(actuators):
    """Every class is written out on its elements, and MuJoCo compiles the same arrays, bit by bit."""
    toe = hinge("toe", "l3", "l4", lower=0.0, upper=1.0, effort=5.0, velocity=3.0)
    scene = dataclasses.replace(leg(), joints=(*leg().joints[:3], toe))
    factored = build(lower(scene), Options(actuators=actuators)).root
    flat = build(lower(scene), Options(actuators=actuators)).root
    classes = {}

    def learn(element, above):
        own = {child.tag: {**above.get(child.tag, {}), **child.attributes} for child in element.children}
        classes[element.attributes.get("class")] = settings = {**above, **own}
        for child in element.children:
            if child.tag == "default":
                learn(child, settings)

    def write_out(element, inherited):
        inherited = element.attributes.pop("childclass", inherited)
        name = element.attributes.pop("class", inherited)
        element.attributes = {**classes.get(name, {}).get(element.tag, {}), **element.attributes}
        for child in element.children:
            write_out(child, inherited)

    (section,) = (e for e in flat.children if e.tag == "default")
    learn(section, {})
    assert len(classes) >= 4
    flat.children.remove(section)
    write_out(flat, None)
    a, b = compiled(write(factored)), compiled(write(flat))
    arrays = [name for name in dir(a) if isinstance(getattr(a, name, None), np.ndarray)]
    assert len(arrays) > 100
    assert [name for name in arrays if not np.array_equal(getattr(a, name), getattr(b, name), equal_nan=True)] == []


# --- names -----------------------------------------------------------------------------------------------------------


def test_names_that_clash_are_made_unique_and_those_of_links_and_joints_never_change():
    links = [link(f"m::l{i}", collisions=(ball("c"),)) for i in range(3)]
    model = compiled(to_mjcf(scene_of(*links)))
    assert [model.body(i).name for i in range(1, 4)] == ["m::l0", "m::l1", "m::l2"]
    assert [model.geom(i).name for i in range(3)] == ["m::l0::c", "m::l1::c", "m::l2::c"]


def test_a_link_named_world_is_the_world():
    ground = link("world", model="ground", collisions=(Collision(name="g", X_LG=IDENTITY, geometry=Plane()),))
    model = compiled(to_mjcf(scene_of(ground, link("a"))))
    assert (model.nbody, model.geom("g").bodyid[0]) == (2, 0)


# --- folders ---------------------------------------------------------------------------------------------------------


def cone_scene():
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Cone(radius=0.5, length=2.0), where=Where("robot.sdf", 9))
    return scene_of(link("a", collisions=(shape,)), joints=(hinge("j", WORLD, "a", velocity=2.0),))


def test_a_folder_holds_a_model_a_scene_assets_and_papers(tmp_path):
    found = export_mjcf(cone_scene(), tmp_path / "demo")
    assert found.path == tmp_path / "demo" / "demo.xml"
    assert found.files == ("FIDELITY.md", "README.md", "assets/cone.obj", "demo.xml", "scene.xml")
    for file in ("demo.xml", "scene.xml"):
        quietly(lambda file=file: mujoco.MjModel.from_xml_path(str(tmp_path / "demo" / file)))
    fidelity = (tmp_path / "demo" / "FIDELITY.md").read_text()
    assert "robot.sdf:9" in fidelity
    assert "mjcf.velocity-limit" in fidelity
    assert "- 1 approximated" in fidelity
    assert "`j` | hinge | 0" in (tmp_path / "demo" / "README.md").read_text()


@pytest.mark.parametrize("held", [False, True])
def test_the_papers_of_a_robot_say_that_nothing_holds_it(held, tmp_path):
    weld = [hinge("weld", WORLD, "a", JointType.FIXED)] if held else []
    export_mjcf(scene_of(link("a"), link("b"), joints=(*weld, hinge("j", "a", "b"))), tmp_path / "demo")
    assert ("The source does not fix `a` to the world" in (tmp_path / "demo" / "README.md").read_text()) is not held


def test_the_file_of_a_model_has_no_ending_of_its_source(tmp_path):
    found = export_mjcf(dataclasses.replace(cone_scene(), name="table.urdf"), tmp_path / "demo")
    assert found.path.name == "table.xml"


def test_the_same_source_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        export_mjcf(cone_scene(), tmp_path / name / "demo")
    files = sorted(p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*") if p.is_file())
    assert len(files) == 5
    assert all((tmp_path / "one" / f).read_bytes() == (tmp_path / "two" / f).read_bytes() for f in files)


def test_what_is_out_of_date_is_told(tmp_path):
    out = tmp_path / "demo"
    assert "demo.xml" in stale_files(cone_scene(), out)
    export_mjcf(cone_scene(), out)
    assert stale_files(cone_scene(), out) == ()
    (out / "assets" / "old.obj").write_text("v 0 0 0\n")
    (out / "demo.xml").write_text("<mujoco/>")
    assert stale_files(cone_scene(), out) == ("assets/old.obj", "demo.xml")
    export_mjcf(cone_scene(), out)
    assert stale_files(cone_scene(), out) == ()


def test_files_of_others_are_never_replaced(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match=r"not part of an export: notes\.txt"):
        export_mjcf(cone_scene(), tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_a_refused_export_leaves_no_trace(tmp_path):
    impossible = SpatialInertia.of(1.0, I_Lcm=np.diag((1.0, 1.0, 5.0)))
    with pytest.raises(ValueError, match="link a"):
        export_mjcf(scene_of(link("a", inertia=impossible)), tmp_path / "demo")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../../escape", "a/b", "scene", "", "con spaces", "..", "käfer"])
def test_a_models_name_never_leads_out_of_the_folder(tmp_path, name):
    out = tmp_path / "in" / "demo"
    found = export_mjcf(dataclasses.replace(cone_scene(), name=name), out)
    assert found.path.parent == out
    assert found.path.name not in {"scene.xml", ".xml"}
    assert sorted(p.name for p in (tmp_path / "in").iterdir()) == ["demo"]
    quietly(lambda: mujoco.MjModel.from_xml_path(os.fspath(out / "scene.xml")))


def test_a_spec_has_the_assets_too():
    assert to_mjspec(cone_scene()).compile().nmesh == 1


def test_every_finding_names_its_target():
    mjcf = to_mjcf(cone_scene())
    assert {entry.target for entry in mjcf.diagnostics} == {"mjcf"}
    assert {entry.fate for entry in mjcf.diagnostics} == {Fate.DROPPED, Fate.APPROXIMATED}


def test_each_link_that_loses_its_shape_to_a_missing_mesh_is_told_of():
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Mesh(uri="nowhere.stl", path=None))
    links = [
        Link(
            name=name,
            model="m",
            X_WL=IDENTITY,
            inertia=UNIT,
            collisions=(dataclasses.replace(shape, where=Where("r.urdf", line)),),
        )
        for name, line in (("a", 3), ("b", 9))
    ]
    entries = to_mjcf(scene_of(*links)).diagnostics
    assert [entry.where.line for entry in entries if entry.code == "mesh.missing"] == [3, 9]
