"""Every ``drake:`` element, in SDF and URDF, against Drake itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bridge
import loaders
from loaders.model import Arc, Box, Capsule, Cylinder, Ellipsoid, JointType, Mesh, by_name
from tests.support.drake_reader import Drake

NAMESPACE = 'xmlns:drake="http://drake.mit.edu"'
BALL = "<sphere><radius>0.1</radius></sphere>"
SDF_MASS = "<inertial><mass>2</mass><inertia><ixx>0.5</ixx><iyy>0.6</iyy><izz>0.7</izz></inertia></inertial>"
URDF_MASS = '<inertial><mass value="2"/><inertia ixx="0.5" iyy="0.6" izz="0.7" ixy="0" ixz="0" iyz="0"/></inertial>'


def sdf(body, links="ab"):
    text = "".join(f'<link name="{name}">{SDF_MASS}</link>' for name in links)
    return f'<sdf version="1.11" {NAMESPACE}><model name="m">{text}{body}</model></sdf>', "sdf"


def urdf(body, links="ab"):
    text = "".join(f'<link name="{name}">{URDF_MASS}</link>' for name in links)
    return f'<robot {NAMESPACE} name="m">{text}{body}</robot>', "urdf"


def sdf_joint(inside="", kind="revolute", parent="a", limits="", name="j", child="b"):
    axis = f"<axis><xyz>0 0 1</xyz><limit>{limits}</limit></axis>"
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{axis}{inside}</joint>'


def urdf_joint(inside="", kind="revolute", tag="joint", name="j", parent="a", child="b", limits="", axis="0 0 1"):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    axis = f'<axis xyz="{axis}"/>' if axis else ""
    limit = f'<limit effort="9" velocity="9" lower="-1" upper="1" {limits}/>' if tag == "joint" else ""
    return f'<{tag} name="{name}" type="{kind}">{ends}{axis}{limit}{inside}</{tag}>'


def urdf_motor(inside="", joint="j"):
    kind = "<type>transmission_interface/SimpleTransmission</type>"
    return f'<transmission>{kind}<joint name="{joint}"/><actuator name="motor">{inside}</actuator></transmission>'


def load(source):
    text, form = source
    return loaders.load_string(text, format=form)


def codes(source):
    """Codes of what is wrong, or of what is reported if nothing is."""
    try:
        return {entry.code for entry in load(source).diagnostics}
    except loaders.LoadError as error:
        return {entry.code for entry in error.diagnostics if entry.severity == "error"}


def bare(source):
    """The file without the declaration of the prefix."""
    return source[0].replace(NAMESPACE, ""), source[1]


# --- joints and actuators --------------------------------------------------------------------------------------------

ROTOR = {
    "sdf": sdf(
        sdf_joint(kind="fixed", parent="world", child="a", name="w")
        + sdf_joint("<drake:rotor_inertia>0.01</drake:rotor_inertia><drake:gear_ratio>7</drake:gear_ratio>")
    ),
    "urdf": urdf(
        urdf_joint(kind="fixed", parent="world", child="a", name="w")
        + urdf_joint()
        + urdf_motor('<drake:rotor_inertia value="0.01"/><drake:gear_ratio value="7"/>')
    ),
}


@pytest.mark.parametrize("source", ROTOR.values(), ids=ROTOR)
def test_a_rotor_adds_its_inertia_times_the_gear_ratio_squared(source):
    mass = bridge.lower(load(source)).mass_matrix()
    np.testing.assert_allclose(mass, Drake(*source).mass_matrix(), rtol=1e-12)
    np.testing.assert_allclose(mass, [[0.7 + 49 * 0.01]], rtol=1e-12)


ACCELERATION = {
    "sdf": sdf(sdf_joint(limits="<drake:acceleration>3</drake:acceleration>")),
    "urdf": urdf(urdf_joint(limits='drake:acceleration="3"')),
}


@pytest.mark.parametrize("source", ACCELERATION.values(), ids=ACCELERATION)
def test_the_acceleration_limit_is_read(source):
    joint = Drake(*source).plant.GetJointByName("j")
    assert load(source).joints[0].axes[0].acceleration == joint.acceleration_upper_limits()[0] == 3.0


GAINS = {
    "sdf": sdf(sdf_joint('<drake:controller_gains p="10" d="0.5"/>', limits="<effort>4</effort>")),
    "urdf": urdf(urdf_joint() + urdf_motor('<drake:controller_gains p="10" d="0.5"/>')),
}


@pytest.mark.parametrize("source", GAINS.values(), ids=GAINS)
def test_controller_gains_and_effort_are_those_of_drakes_actuator(source):
    ours, plant = load(source).actuators[0], Drake(*source).plant
    theirs = plant.get_joint_actuator(plant.GetJointActuatorIndices()[0])
    gains = theirs.get_controller_gains()
    assert (
        (ours.p_gain, ours.d_gain, ours.effort) == (gains.p, gains.d, theirs.effort_limit()) != (None, None, math.inf)
    )


EFFORTS = ["", "<effort>0</effort>", "<effort>5</effort>", "<effort>-1</effort>", "<effort>inf</effort>"]


@pytest.mark.parametrize("limits", EFFORTS)
@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "screw", "universal", "ball"])
def test_sdf_joints_are_driven_where_drake_drives_them(kind, limits):
    second = "<axis2><xyz>1 0 0</xyz></axis2>" if kind == "universal" else ""
    source = sdf(sdf_joint(second, kind=kind, limits=limits))
    plant = Drake(*source).plant
    theirs = [plant.get_joint_actuator(i) for i in plant.GetJointActuatorIndices()]
    ours = load(source).actuators
    assert [(a.name, a.effort) for a in ours] == [(a.name(), a.effort_limit()) for a in theirs]


def test_a_rotor_without_an_actuator_is_reported():
    source = sdf(sdf_joint("<drake:rotor_inertia>1</drake:rotor_inertia>", limits="<effort>0</effort>"))
    assert codes(source) == {"drake.idle-actuator"}


def test_a_mimic_in_sdf_may_name_a_joint_that_comes_later():
    mimic = '<drake:mimic joint="k" multiplier="2" offset="0.5"/>'
    source = sdf(sdf_joint(mimic) + sdf_joint(name="k", parent="b", child="c"), links="abc")
    (coupling,) = load(source).couplings
    assert (coupling.follower, coupling.leader, coupling.multiplier, coupling.offset) == ("j", "k", 2.0, 0.5)
    assert Drake(*source).plant.num_constraints() == 1


# --- joints that only Drake has --------------------------------------------------------------------------------------

FRAMES = (
    '<frame name="p" attached_to="a"><pose>0.1 0 0 0.3 0 0</pose></frame>'
    '<frame name="c" attached_to="b"><pose>0 0.2 0 0 0.4 0</pose></frame>'
)
ENDS = "<drake:parent>p</drake:parent><drake:child>c</drake:child>"
CURVES_SDF = (
    "<drake:curves><drake:line_segment><drake:length>1</drake:length></drake:line_segment><drake:circular_arc>"
    "<drake:radius>0.5</drake:radius><drake:angle>-1.5</drake:angle></drake:circular_arc></drake:curves>"
)
CURVES_URDF = (
    '<drake:curves><drake:line_segment length="1"/><drake:circular_arc radius="0.5" angle="-1.5"/></drake:curves>'
)
ARC_SDF = "<drake:circular_arc><drake:radius>0.5</drake:radius><drake:angle>-1.5</drake:angle></drake:circular_arc>"
ARC_URDF = '<drake:circular_arc radius="0.5" angle="-1.5"/>'
TYPES = {
    "sdf arc": (
        sdf(
            f'{FRAMES}<drake:joint name="j" type="curvilinear">{ENDS}<drake:initial_tangent><xyz>0 2 0</xyz>'
            "</drake:initial_tangent><drake:plane_normal><xyz>1 0 0</xyz></drake:plane_normal>"
            f"<drake:damping>0.2</drake:damping><drake:curves>{ARC_SDF}</drake:curves></drake:joint>"
        ),
        (0.3,),
    ),
    "urdf arc": (
        urdf(
            urdf_joint(
                '<drake:initial_tangent xyz="0 2 0"/><drake:plane_normal xyz="1 0 0"/>'
                f'<dynamics damping="0.2"/><drake:curves>{ARC_URDF}</drake:curves>',
                "curvilinear",
                "drake:joint",
                axis="",
            )
        ),
        (0.3,),
    ),
    "sdf planar": (
        sdf(f'{FRAMES}<drake:joint name="j" type="planar">{ENDS}<drake:damping>1 2 3</drake:damping></drake:joint>'),
        (0.3, -0.2, 0.5),
    ),
    "urdf planar": (urdf(urdf_joint('<dynamics damping="1 2 3"/>', "planar", "drake:joint")), (0.3, -0.2, 0.5)),
    "urdf screw": (urdf(urdf_joint('<drake:screw_thread_pitch value="0.04"/>', "screw", "drake:joint")), (0.7,)),
    "urdf universal": (urdf(urdf_joint('<dynamics damping="0.2"/>', "universal", "drake:joint")), (0.7, -0.4)),
}


@pytest.mark.parametrize(("source", "q"), TYPES.values(), ids=TYPES)
def test_drakes_joints_move_as_in_drake(source, q):
    scene, drake = load(source), Drake(*source)
    joint = drake.plant.GetJointByName("j")
    positions = drake.plant.GetPositions(drake.context)
    positions[joint.position_start() : joint.position_start() + len(q)] = q
    drake.plant.SetPositions(drake.context, positions)
    a, b = (drake.plant.GetBodyByName(name) for name in "ab")
    ours = bridge.lower(scene).link_poses({"j": q if len(q) > 1 else q[0]})
    theirs = drake.plant.CalcRelativeTransform(drake.context, a.body_frame(), b.body_frame())
    X_AB = ours["a"].inverse() @ ours["b"]
    np.testing.assert_allclose(X_AB.R, theirs.rotation().matrix(), atol=1e-12)
    np.testing.assert_allclose(X_AB.p, theirs.translation(), atol=1e-12)
    np.testing.assert_allclose(
        [axis.damping for axis in scene.joints[0].axes], joint.GetDampingVector(drake.context)[: len(q)]
    )


def test_a_ball_of_a_urdf_has_its_damping():
    source = urdf(urdf_joint('<dynamics damping="0.3"/>', "ball", "drake:joint", axis=""))
    joint = load(source).joints[0]
    assert joint.type is JointType.BALL
    assert joint.axes[0].damping == Drake(*source).plant.GetJointByName("j").default_damping() == 0.3


CURVES = {
    "sdf": sdf(
        f'{FRAMES}<drake:joint name="j" type="curvilinear">{ENDS}<drake:initial_tangent><xyz>0 2 0</xyz>'
        "</drake:initial_tangent><drake:plane_normal><xyz>1 0 0</xyz></drake:plane_normal>"
        f"<drake:is_periodic>false</drake:is_periodic><drake:damping>0.2</drake:damping>{CURVES_SDF}</drake:joint>"
    ),
    "urdf": urdf(
        urdf_joint(
            '<drake:initial_tangent xyz="0 2 0"/><drake:plane_normal xyz="1 0 0"/><drake:is_periodic value="false"/>'
            f'<dynamics damping="0.2"/>{CURVES_URDF}',
            "curvilinear",
            "drake:joint",
            axis="",
        )
    ),
}


@pytest.mark.parametrize("source", CURVES.values(), ids=CURVES)
def test_a_curve_is_as_long_as_in_drake(source):
    joint, theirs = load(source).joints[0], Drake(*source).plant.GetJointByName("j")
    assert joint.curve.arcs == (Arc(length=1.0), Arc(length=0.75, curvature=-2.0))
    np.testing.assert_array_equal(joint.curve.initial_tangent, (0, 1, 0))
    np.testing.assert_array_equal(joint.curve.plane_normal, (1, 0, 0))
    (axis,) = joint.axes
    assert (axis.lower, axis.upper) == (theirs.position_lower_limits()[0], theirs.position_upper_limits()[0])
    assert axis.damping == 0.2


def test_a_closed_curve_has_no_ends():
    text, form = CURVES["urdf"]
    axis = load((text.replace('value="false"', 'value="true"'), form)).joints[0].axes[0]
    assert (axis.lower, axis.upper) == (-math.inf, math.inf)


# --- constraints and forces ------------------------------------------------------------------------------------------


def element(form, tag, values, prefix=None):
    """An element whose children hold numbers, or the names of links and frames."""
    prefix = f"drake:{tag}_" if prefix is None else prefix
    body = ""
    for key, value in values.items():
        attribute = "name" if any(word in key for word in ("body", "frame")) else "value"
        name = prefix + key
        body += f"<{name}>{value}</{name}>" if form is sdf else f'<{name} {attribute}="{value}"/>'
    return f"<drake:{tag}>{body}</drake:{tag}>"


POINTS = {"body_A": "a", "body_B": "b", "p_AP": "1 2 3", "p_BQ": "4 5 6"}
BUSHING = {
    "frameA": "p",
    "frameC": "c",
    "torque_stiffness": "1 2 3",
    "torque_damping": "4 5 6",
    "force_stiffness": "7 8 9",
    "force_damping": "10 11 12",
}
URDF_FRAMES = (
    '<frame name="p" link="a" xyz="0.1 0 0" rpy="0.3 0 0"/><frame name="c" link="b" xyz="0 0.2 0" rpy="0 0.4 0"/>'
)
SPRING = {**POINTS, "free_length": "2", "stiffness": "30", "damping": "0.4"}
BOTH = pytest.mark.parametrize("form", [sdf, urdf], ids=["sdf", "urdf"])


@BOTH
def test_a_bushing_is_that_of_drake(form):
    frames = FRAMES if form is sdf else URDF_FRAMES
    source = form(frames + element(form, "linear_bushing_rpy", BUSHING, "drake:bushing_"))
    (ours,), plant = load(source).forces, Drake(*source).plant
    assert plant.num_force_elements() == 2  # gravity, and this one
    assert (ours.link_A, ours.link_C) == ("a", "b")
    X_AF = plant.GetFrameByName("p").GetFixedPoseInBodyFrame()
    np.testing.assert_allclose(ours.X_LA.R, X_AF.rotation().matrix(), atol=1e-12)
    np.testing.assert_allclose(ours.X_LA.p, X_AF.translation(), atol=1e-12)
    keys = ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping")
    np.testing.assert_array_equal([getattr(ours, key) for key in keys], np.arange(1.0, 13.0).reshape(4, 3))


@BOTH
def test_a_spring_and_damper_is_read(form):
    (spring,) = load(form(element(form, "linear_spring_damper", SPRING))).forces
    assert (spring.link_A, spring.link_B, spring.free_length, spring.stiffness, spring.damping) == (
        "a",
        "b",
        2,
        30,
        0.4,
    )
    np.testing.assert_array_equal((spring.p_AP, spring.p_BQ), ((1, 2, 3), (4, 5, 6)))


@BOTH
def test_a_ball_constraint_is_read(form):
    (ball,) = load(form(element(form, "ball_constraint", POINTS))).constraints
    assert (ball.link_A, ball.link_B) == ("a", "b")
    np.testing.assert_array_equal((ball.p_AP, ball.p_BQ), ((1, 2, 3), (4, 5, 6)))


@BOTH
def test_a_distance_constraint_is_read(form):
    values = {**POINTS, "distance": "2", "stiffness": "30", "damping": "0.4"}
    (rod,) = load(form(element(form, "distance_constraint", values))).constraints
    assert (rod.distance, rod.stiffness, rod.damping) == (2, 30, 0.4)


TENDON = {"offset": "0.1", "lower_limit": "-0.2", "upper_limit": "inf", "stiffness": "1000", "damping": "5"}


def test_a_tendon_is_read_from_sdf():
    text = element(sdf, "tendon_constraint", TENDON)
    joints = '<drake:tendon_constraint_joint name="j" a="0.5"/>'
    (tendon,) = load(sdf(sdf_joint() + text.replace("constraint>", f"constraint>{joints}", 1))).constraints
    assert (tendon.joints, tendon.coefficients, tendon.offset) == (("j",), (0.5,), 0.1)
    assert (tendon.lower, tendon.upper, tendon.stiffness, tendon.damping) == (-0.2, math.inf, 1000, 5)


def test_frames_of_a_urdf_are_those_of_drake():
    source = urdf(URDF_FRAMES)
    frame = by_name(load(source).frames)["p"]
    theirs = Drake(*source).plant.GetFrameByName("p").GetFixedPoseInBodyFrame()
    np.testing.assert_allclose(frame.X_LF.R, theirs.rotation().matrix(), atol=1e-12)
    np.testing.assert_allclose(frame.X_LF.p, theirs.translation(), atol=1e-12)


# --- geometry --------------------------------------------------------------------------------------------------------


def shaped(form, inside, geometry=None):
    if form is sdf:
        shape = f'<collision name="c"><geometry>{geometry or BALL}</geometry>{inside}</collision>'
        return sdf(f'<link name="c">{SDF_MASS}{shape}</link>')
    shape = (
        f"<collision><geometry>{geometry or '<sphere radius=' + chr(34) + '0.1' + chr(34) + '/>'}</geometry>{inside}"
    )
    return urdf(f'<link name="c">{URDF_MASS}{shape}</collision></link>')


def collision(source):
    return by_name(load(source).links)["c"].collisions[0]


SHAPES = {
    "sdf capsule": (
        sdf,
        "<drake:capsule><radius>1</radius><length>2</length></drake:capsule>",
        Capsule(radius=1, length=2),
    ),
    "sdf ellipsoid": (sdf, "<drake:ellipsoid><a>1</a><b>2</b><c>3</c></drake:ellipsoid>", Ellipsoid(radii=(1, 2, 3))),
    "urdf capsule": (urdf, '<drake:capsule radius="1" length="2"/>', Capsule(radius=1, length=2)),
    "urdf plain capsule": (urdf, '<capsule radius="1" length="2"/>', Capsule(radius=1, length=2)),
    "urdf ellipsoid": (urdf, '<drake:ellipsoid a="1" b="2" c="3"/>', Ellipsoid(radii=(1, 2, 3))),
}


@pytest.mark.parametrize(("form", "geometry", "expected"), SHAPES.values(), ids=SHAPES)
def test_drakes_shapes_are_the_plain_ones(form, geometry, expected):
    source = shaped(form, "", geometry)
    assert collision(source).geometry == expected
    inspector = Drake(*source).scene_graph.model_inspector()
    shape = inspector.GetShape(inspector.GetAllGeometryIds()[0])
    if isinstance(expected, Capsule):
        assert (shape.radius(), shape.length()) == (expected.radius, expected.length)
    else:
        assert (shape.a(), shape.b(), shape.c()) == expected.radii


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
    inspector = Drake(path).scene_graph.model_inspector()
    assert type(inspector.GetShape(inspector.GetAllGeometryIds()[0])).__name__ == "Convex"


NUMBERS = {
    "point_contact_stiffness": ("material", "point_contact_stiffness", lambda s: s.stiffness),
    "hunt_crossley_dissipation": ("material", "hunt_crossley_dissipation", lambda s: s.dissipation),
    "relaxation_time": ("material", "relaxation_time", lambda s: s.relaxation_time),
    "mesh_resolution_hint": ("hydroelastic", "resolution_hint", lambda s: s.hydroelastic.resolution_hint),
    "hydroelastic_modulus": ("hydroelastic", "hydroelastic_modulus", lambda s: s.hydroelastic.modulus),
    "hydroelastic_margin": ("hydroelastic", "margin", lambda s: s.hydroelastic.margin),
}


def properties(form, values, flags=""):
    def child(tag, value):
        return f"<drake:{tag}>{value}</drake:{tag}>" if form is sdf else f'<drake:{tag} value="{value}"/>'

    body = "".join(child(tag, value) for tag, value in values.items())
    return f"<drake:proximity_properties>{body}{flags}</drake:proximity_properties>"


@BOTH
@pytest.mark.parametrize("tag", NUMBERS)
def test_a_proximity_property_is_that_of_drake(form, tag):
    source = shaped(form, properties(form, {tag: 0.25}))
    group, name, ours = NUMBERS[tag]
    assert ours(collision(source).surface) == Drake(*source).proximity(group, name) == 0.25


@BOTH
@pytest.mark.parametrize("values", [{"mu_static": 0.5, "mu_dynamic": 0.4}, {"mu_static": 0.5}, {"mu_dynamic": 0.4}])
def test_friction_is_that_of_drake(form, values):
    source = shaped(form, properties(form, values))
    friction, theirs = collision(source).surface.friction, Drake(*source).proximity("material", "coulomb_friction")
    assert friction.mu == friction.mu2 == theirs.dynamic_friction()
    assert (friction.mu if friction.mu_static is None else friction.mu_static) == theirs.static_friction()


@BOTH
@pytest.mark.parametrize("kind", ["rigid", "compliant"])
def test_hydroelastic_kinds_are_read(form, kind):
    values = {"mesh_resolution_hint": 0.1, **({"hydroelastic_modulus": 1e6} if kind == "compliant" else {})}
    source = shaped(form, properties(form, values, f"<drake:{kind}_hydroelastic/>"))
    assert collision(source).surface.hydroelastic.compliance == kind
    Drake(*source)


def test_the_older_compliance_of_a_urdf_is_read():
    inside = "<static_friction>0.5</static_friction><dynamic_friction>0.4</dynamic_friction>"
    source = shaped(urdf, f"<drake_compliance>{inside}</drake_compliance>")
    friction, theirs = collision(source).surface.friction, Drake(*source).proximity("material", "coulomb_friction")
    assert (friction.mu, friction.mu_static) == (theirs.dynamic_friction(), theirs.static_friction())


def test_drakes_friction_counts_before_that_of_ode():
    ode = "<surface><friction><ode><mu>0.9</mu><mu2>0.8</mu2></ode></friction></surface>"
    source = shaped(sdf, ode + properties(sdf, {"mu_dynamic": 0.4}))
    assert collision(source).surface.friction.mu == 0.4
    assert "drake.two-frictions" in codes(source)


# --- visuals ---------------------------------------------------------------------------------------------------------


def seen(form, inside, material=""):
    if form is sdf:
        visual = f'<visual name="v"><geometry>{BALL}</geometry>{inside}{material}</visual>'
        return sdf(f'<link name="c">{SDF_MASS}{visual}</link>')
    visual = f'<visual><geometry><sphere radius="0.1"/></geometry>{inside}{material}</visual>'
    return urdf(f'<link name="c">{URDF_MASS}{visual}</link>')


def visuals(source):
    return by_name(load(source).links)["c"].visuals


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
    assert Drake(*source).scene_graph.model_inspector().num_geometries() == 0


@BOTH
def test_renderers_are_read(form):
    names = ("one", "two")
    tag = "drake:accepting_renderer"
    inside = "".join(f"<{tag}>{n}</{tag}>" if form is sdf else f'<{tag} name="{n}"/>' for n in names)
    assert visuals(seen(form, inside))[0].renderers == names


def test_a_diffuse_map_is_the_texture(tmp_path):
    (tmp_path / "t.png").write_bytes(b"\x89PNG")
    material = f"<material><drake:diffuse_map>{tmp_path / 't.png'}</drake:diffuse_map></material>"
    text, form = seen(sdf, "", material)
    scene = loaders.load_string(text, format=form, paths=[tmp_path])
    assert by_name(scene.links)["c"].visuals[0].material.texture == str(tmp_path / "t.png")


def test_drake_visuals_come_after_the_plain_ones():
    box = "<drake:geometry><drake:box><drake:size>1 2 3</drake:size></drake:box></drake:geometry>"
    special = f'<drake:visual name="w"><drake:pose>1 0 0 0 0 0</drake:pose>{box}</drake:visual>'
    plain = '<visual name="v"><geometry><cylinder><radius>1</radius><length>2</length></cylinder></geometry></visual>'
    found = visuals(sdf(f'<link name="c">{SDF_MASS}{special}{plain}</link>'))
    assert [(v.name, v.geometry) for v in found] == [("v", Cylinder(radius=1, length=2)), ("w", Box(size=(1, 2, 3)))]
    np.testing.assert_array_equal(found[1].X_LG.p, (1, 0, 0))


# --- links -----------------------------------------------------------------------------------------------------------


@BOTH
def test_the_surface_velocity_axis_is_made_unit(form):
    tag = "drake:surface_velocity_axis"
    inside = f"<{tag}>0 0 3</{tag}>" if form is sdf else f'<{tag} axis="0 0 3"/>'
    links = load(form(f'<link name="c">{inside}</link>')).links
    assert by_name(links)["c"].surface_velocity_axis == (0, 0, 1)


def test_a_deformable_body_is_reported_with_its_properties():
    inside = "<drake:youngs_modulus>1e5</drake:youngs_modulus><drake:material_model>linear</drake:material_model>"
    deformable = f"<drake:deformable_properties>{inside}</drake:deformable_properties>"
    source = sdf(f'<link name="c"><collision name="c"><geometry>{BALL}</geometry></collision>{deformable}</link>')
    assert by_name(load(source).links)["c"].deformable == (("youngs_modulus", "100000.0"), ("material_model", "linear"))
    assert "drake.deformable" in codes(source)


def test_ignored_links_and_joints_of_a_urdf_are_left_out():
    source = urdf(
        '<link name="c" drake_ignore="true"/>' + urdf_joint().replace("<joint ", '<joint drake_ignore="true" ')
    )
    scene, plant = load(source), Drake(*source).plant
    assert [link.name for link in scene.links] == ["a", "b"]
    assert scene.joints == ()
    assert not plant.HasBodyNamed("c")
    assert codes(source) >= {"drake.ignored"}


@pytest.mark.parametrize("source", [ROTOR["sdf"], ROTOR["urdf"], CURVES["sdf"], CURVES["urdf"]])
def test_the_prefix_need_not_be_declared(source):
    assert load(bare(source)).joints[-1].name == "j"


@BOTH
def test_an_unknown_element_is_a_warning_with_its_line_and_an_error_when_strict(form):
    text, name = form("\n<drake:no_such_thing/>")
    (entry,) = (e for e in loaders.load_string(text, format=name).diagnostics if "no_such_thing" in e.message)
    assert (entry.severity, entry.where.line) == ("warning", 2)
    with pytest.raises(loaders.LoadError, match="no_such_thing"):
        loaders.load_string(text, format=name, strict=True)
