"""Errors in extensions, where Drake refuses the file too; undeclared and undocumented elements."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import loaders
from tests.support.drake_files import BOTH, CURVES, NAMESPACE, ROTOR, load
from tests.support.drake_oracle import DrakePlant

# What is wrong with an extension: where Drake refuses a file, so do we, with a code and a line.

ERRORS_NAMESPACE = 'xmlns:drake="http://drake.mit.edu"'
SPHERE = "<geometry><sphere><radius>1</radius></sphere></geometry>"
MASS = (
    '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
    'iyz="0"/></inertial>'
)
JOINT = (
    '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 '
    "1</xyz>{}</axis>{}</joint>"
)
POINTS = (
    "<drake:{0}_body_A>a</drake:{0}_body_A><drake:{0}_body_B>{1}</drake:{0}_body_B>"
    "<drake:{0}_p_AP>0 0 0</drake:{0}_p_AP><drake:{0}_p_BQ>0 0 0</drake:{0}_p_BQ>"
)
SPRING = "<drake:linear_spring_damper>{}</drake:linear_spring_damper>"


def spring(length, stiffness, body="b"):
    names = ("free_length", "stiffness", "damping")
    tags = (f"drake:linear_spring_damper_{name}" for name in names)
    numbers = "".join(
        f"<{tag}>{n}</{tag}>" for tag, n in zip(tags, (length, stiffness, 0), strict=True)
    )
    return SPRING.format(POINTS.format("linear_spring_damper", body) + numbers)


def collision(inside):
    return (
        f'<link name="c"><collision name="c">{SPHERE}<drake:proximity_properties>{inside}'
        "</drake:proximity_properties></collision></link>"
    )


def group(inside, name="g"):
    return f'<drake:collision_filter_group name="{name}">{inside}</drake:collision_filter_group>'


def tendon(joints, lower="-1"):
    numbers = {
        "offset": "0",
        "lower_limit": lower,
        "upper_limit": "1",
        "stiffness": "9",
        "damping": "0",
    }
    body = "".join(
        f"<drake:tendon_constraint_{k}>{v}</drake:tendon_constraint_{k}>"
        for k, v in numbers.items()
    )
    return f"<drake:tendon_constraint>{joints}{body}</drake:tendon_constraint>"


def drake_joint(inside, kind="planar"):
    return f'<drake:joint name="k" type="{kind}">{inside}</drake:joint>'


MEMBER = "<drake:member>a</drake:member>"
ENDS = "<drake:parent>a</drake:parent><drake:child>b</drake:child>"
DAMPING = "<drake:damping>0 0 0</drake:damping>"
TENDON_JOINT = '<drake:tendon_constraint_joint name="j" a="1"/>'

SDF = {
    "acceleration below zero": (
        "drake.out-of-range",
        JOINT.format("<limit><drake:acceleration>-1</drake:acceleration></limit>", ""),
    ),
    "gains without d": ("xml.missing", JOINT.format("", '<drake:controller_gains p="1"/>')),
    "negative gain": (
        "drake.out-of-range",
        JOINT.format("", '<drake:controller_gains p="-1" d="1"/>'),
    ),
    "mimic without multiplier": (
        "xml.missing",
        JOINT.format("", '<drake:mimic joint="j" offset="0"/>'),
    ),
    "mimic of nothing": (
        "drake.mimic",
        JOINT.format("", '<drake:mimic joint="z" multiplier="1" offset="0"/>'),
    ),
    "mimic of itself": (
        "drake.mimic",
        JOINT.format("", '<drake:mimic joint="j" multiplier="1" offset="0"/>'),
    ),
    "joint of no type": ("drake.joint-type", drake_joint(ENDS + DAMPING, "helical")),
    "joint without parent": (
        "drake.missing",
        drake_joint("<drake:child>b</drake:child>" + DAMPING),
    ),
    "joint from nowhere": (
        "drake.unknown-frame",
        drake_joint(ENDS.replace(">a<", ">z<") + DAMPING),
    ),
    "planar joint without damping": ("drake.missing", drake_joint(ENDS)),
    "planar joint with a pose": (
        "drake.joint-pose",
        drake_joint(ENDS + DAMPING + "<pose>0 0 0 0 0 0</pose>"),
    ),
    "joint twice": ("drake.duplicate-joint", drake_joint(ENDS + DAMPING) * 2),
    "joint on one link": ("drake.same-body", drake_joint(ENDS.replace(">b<", ">a<") + DAMPING)),
    "curve without pieces": ("drake.no-curve", drake_joint(ENDS, "curvilinear")),
    "curve out of its plane": (
        "drake.skew-curve",
        drake_joint(
            f"{ENDS}<drake:initial_tangent><xyz>0 1 "
            f"1</xyz></drake:initial_tangent><drake:curves><drake:line_segment>"
            "<drake:length>1</drake:length></drake:line_segment></drake:curves>",
            "curvilinear",
        ),
    ),
    "curve of an unknown piece": (
        "drake.unknown-curve",
        drake_joint(f"{ENDS}<drake:curves><drake:spiral/></drake:curves>", "curvilinear"),
    ),
    "line of no length": (
        "drake.out-of-range",
        drake_joint(
            f"{ENDS}<drake:curves><drake:line_segment><drake:length>0</drake:length></drake:line_segment></drake:curves>",
            "curvilinear",
        ),
    ),
    "spring of no length": ("drake.out-of-range", spring(0, 1)),
    "spring of negative stiffness": ("drake.out-of-range", spring(1, -1)),
    "spring to nothing": ("drake.unknown-link", spring(1, 1, "z")),
    "spring to the world": ("drake.unknown-link", spring(1, 1, "world")),
    "spring to a blank name": ("drake.missing", spring(1, 1, " ")),
    "spring without numbers": (
        "drake.missing",
        SPRING.format(POINTS.format("linear_spring_damper", "b")),
    ),
    "ball on one link": (
        "drake.same-body",
        f"<drake:ball_constraint>{POINTS.format('ball_constraint', 'a')}</drake:ball_constraint>",
    ),
    "bushing without frames": ("drake.missing", "<drake:linear_bushing_rpy/>"),
    "tendon without joints": ("drake.missing", tendon("")),
    "tendon of an unknown joint": (
        "drake.unknown-joint",
        tendon('<drake:tendon_constraint_joint name="z" a="1"/>'),
    ),
    "tendon through a joint twice": (
        "drake.tendon-joint",
        JOINT.format("", "") + tendon(TENDON_JOINT * 2),
    ),
    "tendon with limits reversed": (
        "drake.out-of-range",
        JOINT.format("", "") + tendon(TENDON_JOINT, "2"),
    ),
    "rigid and compliant": (
        "drake.rigid-and-compliant",
        collision("<drake:rigid_hydroelastic/><drake:compliant_hydroelastic/>"),
    ),
    "soft": ("drake.soft-hydroelastic", collision("<drake:soft_hydroelastic/>")),
    "negative dissipation": (
        "drake.out-of-range",
        collision("<drake:hunt_crossley_dissipation>-1</drake:hunt_crossley_dissipation>"),
    ),
    "no stiffness": (
        "drake.out-of-range",
        collision("<drake:point_contact_stiffness>0</drake:point_contact_stiffness>"),
    ),
    "negative margin": (
        "drake.out-of-range",
        collision("<drake:hydroelastic_margin>-1</drake:hydroelastic_margin>"),
    ),
    "sliding harder than sticking": (
        "drake.friction-order",
        collision("<drake:mu_static>0.1</drake:mu_static><drake:mu_dynamic>0.2</drake:mu_dynamic>"),
    ),
    "group of nothing": ("drake.empty-group", group("")),
    "group without a name": ("xml.missing", group(MEMBER).replace(' name="g"', "")),
    "group with a scope": ("drake.scoped-group", group(MEMBER, "x::g")),
    "group twice": ("drake.duplicate-group", group(MEMBER) * 2),
    "member that is nothing": ("drake.unknown-member", group("<drake:member>z</drake:member>")),
    "member group that is nothing": (
        "drake.unknown-group",
        group("<drake:member_group>z</drake:member_group>"),
    ),
    "ignored group that is nothing": (
        "drake.unknown-group",
        group(
            f"{MEMBER}<drake:ignored_collision_filter_group>z</drake:ignored_collision_filter_group>"
        ),
    ),
    "unprefixed in a drake:visual": (
        "drake.visual-prefix",
        f'<link name="c"><drake:visual name="v">{SPHERE}</drake:visual></link>',
    ),
    "capsule without length": (
        "drake.missing",
        '<link name="c"><collision '
        'name="c"><geometry><drake:capsule><radius>1</radius></drake:capsule></geometry>'
        "</collision></link>",
    ),
    "conveyor of no direction": (
        "drake.zero-axis",
        '<link name="c"><drake:surface_velocity_axis>0 0 0</drake:surface_velocity_axis></link>',
    ),
    "unnamed renderer": (
        "drake.missing",
        f'<link name="c"><visual name="v">{SPHERE}<drake:accepting_renderer/></visual></link>',
    ),
}

URDF_JOINT = '<{tag} name="j" type="{kind}"><parent link="a"/><child link="b"/>{inside}</{tag}>'


def urdf_collision(inside):
    return (
        f'<link name="c"><collision><geometry><sphere '
        f'radius="1"/></geometry>{inside}</collision></link>'
    )


URDF = {
    "standard type in drake:joint": (
        "drake.joint-type",
        URDF_JOINT.format(tag="drake:joint", kind="revolute", inside=""),
    ),
    "screw without pitch": (
        "drake.missing",
        URDF_JOINT.format(tag="drake:joint", kind="screw", inside=""),
    ),
    "screw without value": (
        "xml.missing",
        URDF_JOINT.format(tag="drake:joint", kind="screw", inside="<drake:screw_thread_pitch/>"),
    ),
    "curve without pieces": (
        "drake.no-curve",
        URDF_JOINT.format(tag="drake:joint", kind="curvilinear", inside=""),
    ),
    "property without value": (
        "xml.missing",
        urdf_collision(
            "<drake:proximity_properties><drake:mu_static/></drake:proximity_properties>"
        ),
    ),
    "half of a compliance": (
        "drake.missing",
        urdf_collision("<drake_compliance><static_friction>1</static_friction></drake_compliance>"),
    ),
    "diffuse map": (
        "drake.urdf-diffuse-map",
        '<link name="c"><visual><geometry><sphere radius="1"/></geometry><material '
        'name="m"><color rgba="1 1 1 1"/>'
        "<drake:diffuse_map>t.png</drake:diffuse_map></material></visual></link>",
    ),
    "frame on nothing": (
        "drake.unknown-link",
        '<frame name="f" link="z" xyz="0 0 0" rpy="0 0 0"/>',
    ),
    "member that is nothing": ("drake.unknown-member", group('<drake:member link="z"/>')),
}


def sdf(body):
    return (
        f'<sdf version="1.11" {ERRORS_NAMESPACE}><model name="m"><link name="a"/><link '
        f'name="b"/>\n{body}</model></sdf>'
    )


def urdf(body):
    links = "".join(f'<link name="{name}">{MASS}</link>' for name in "ab")
    return f'<robot {ERRORS_NAMESPACE} name="m">{links}\n{body}</robot>'


CASES = [
    pytest.param("sdf", sdf(body), code, id=f"sdf {name}") for name, (code, body) in SDF.items()
] + [
    pytest.param("urdf", urdf(body), code, id=f"urdf {name}") for name, (code, body) in URDF.items()
]


@pytest.mark.parametrize(("form", "text", "code"), CASES)
def test_what_drake_refuses_is_an_error_with_a_line(form, text, code):
    with pytest.raises((RuntimeError, ValueError, SystemExit)):
        DrakePlant(text, form)
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load_string(text, format=form)
    found = {entry.code: entry for entry in caught.value.diagnostics}
    assert code in found
    assert found[code].where.line == 2


def test_all_problems_of_a_file_are_reported_at_once():
    text = sdf(spring(0, 1) + group("") + drake_joint(ENDS))
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load_string(text, format="sdf")
    assert {e.code for e in caught.value.diagnostics} >= {
        "drake.out-of-range",
        "drake.empty-group",
        "drake.missing",
    }


WARNINGS = {
    "rigid with modulus": (
        "drake.rigid-modulus",
        collision(
            "<drake:rigid_hydroelastic/><drake:hydroelastic_modulus>1</drake:hydroelastic_modulus>"
            "<drake:mesh_resolution_hint>1</drake:mesh_resolution_hint>"
        ),
    ),
    "renderer without perception": (
        "drake.idle-renderer",
        f'<link name="c"><visual name="v">{SPHERE}<drake:perception_properties enabled="false"/>'
        "<drake:accepting_renderer>r</drake:accepting_renderer></visual></link>",
    ),
    "ignored group": ("drake.ignored", '<drake:collision_filter_group ignore="true"/>'),
    "mimic of two axes": (
        "drake.mimic-ignored",
        JOINT.format("", '<drake:mimic joint="k" multiplier="1" offset="0"/>')
        + '<link name="c"/>'
        + JOINT.format("", "<axis2><xyz>1 0 0</xyz></axis2>")
        .replace('"j"', '"k"')
        .replace("revolute", "universal")
        .replace(">b<", ">c<"),
    ),
}


@pytest.mark.parametrize(("code", "body"), WARNINGS.values(), ids=WARNINGS)
def test_what_drake_goes_on_with_is_reported(code, body):
    DrakePlant(sdf(body), "sdf")
    assert code in {
        entry.code for entry in loaders.load_string(sdf(body), format="sdf").diagnostics
    }


def test_the_older_parts_of_a_compliance_are_reported():
    inside = "<static_friction>1</static_friction><dynamic_friction>1</dynamic_friction><youngs_modulus>9</youngs_modulus>"
    text = urdf(urdf_collision(f"<drake_compliance>{inside}</drake_compliance>"))
    assert "drake.old-compliance" in {
        entry.code for entry in loaders.load_string(text, format="urdf").diagnostics
    }


DEFORMABLE = "<drake:deformable_properties>{}</drake:deformable_properties>"


@pytest.mark.parametrize(
    ("code", "shapes", "inside"),
    [
        ("drake.out-of-range", 1, "<drake:poissons_ratio>0.5</drake:poissons_ratio>"),
        ("drake.material-model", 1, "<drake:material_model>jelly</drake:material_model>"),
        ("drake.deformable-shape", 2, ""),
    ],
)
def test_deformable_properties_are_checked(code, shapes, inside):
    shape = "".join(f'<collision name="c{i}">{SPHERE}</collision>' for i in range(shapes))
    text = sdf(f'<link name="c">{shape}{DEFORMABLE.format(inside)}</link>')
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load_string(text, format="sdf")
    assert code in {entry.code for entry in caught.value.diagnostics}


UNIVERSAL = '<joint name="j" type="universal"><parent>a</parent><child>b</child>{}</joint>'
TOLERATED = {
    "limits reversed": (
        "sdf.reversed-limit",
        sdf(JOINT.format("<limit><lower>1</lower><upper>-1</upper></limit>", "")),
    ),
    "negative damping": (
        "sdf.negative-dynamics",
        sdf(JOINT.format("<dynamics><damping>-1</damping></dynamics>", "")),
    ),
    "negative spring": (
        "sdf.negative-dynamics",
        sdf(JOINT.format("<dynamics><spring_stiffness>-1</spring_stiffness></dynamics>", "")),
    ),
    "skew axes": (
        "model.skew-axes",
        sdf(UNIVERSAL.format("<axis><xyz>1 0 0</xyz></axis><axis2><xyz>1 1 0</xyz></axis2>")),
    ),
    "static and moving": ("sdf.static-joint", sdf("<static>true</static>" + JOINT.format("", ""))),
    "member without a name": ("drake.empty-member", sdf(group(MEMBER + "<drake:member/>"))),
    "universal in a plain joint": (
        "drake.plain-joint",
        urdf(URDF_JOINT.format(tag="joint", kind="universal", inside="")),
    ),
}


@pytest.mark.parametrize(("code", "text"), TOLERATED.values(), ids=TOLERATED)
def test_a_file_that_drake_refuses_and_we_read_has_a_diagnostic(code, text):
    form = "urdf" if text.startswith("<robot") else "sdf"
    with pytest.raises((RuntimeError, ValueError, SystemExit)):
        DrakePlant(text, form)
    assert [entry.code for entry in loaders.load_string(text, format=form).diagnostics] == [code]


# Names of Drake's elements: undeclared prefixes and unknown elements.


def bare(source):
    """The file without the declaration of the prefix."""
    return source[0].replace(NAMESPACE, ""), source[1]


@pytest.mark.parametrize("source", [ROTOR["sdf"], ROTOR["urdf"], CURVES["sdf"], CURVES["urdf"]])
def test_the_prefix_need_not_be_declared(source):
    assert load(bare(source)).joints[-1].name == "j"


@BOTH
def test_an_unknown_element_is_a_warning_with_its_line_and_an_error_when_strict(form):
    text, name = form("\n<drake:no_such_thing/>")
    (entry,) = (
        e
        for e in loaders.load_string(text, format=name).diagnostics
        if "no_such_thing" in e.message
    )
    assert (entry.severity, entry.where.line) == ("warning", 2)
    with pytest.raises(loaders.LoadError, match="no_such_thing"):
        loaders.load_string(text, format=name, strict=True)


# Every Drake extension is documented.

ROOT = Path(__file__).parents[3]


def test_every_element_is_documented():
    text = (ROOT / "docs" / "drake.md").read_text()
    source = "".join(path.read_text() for path in (ROOT / "loaders" / "drake").glob("*.py"))
    tops = set(re.findall(r'"(drake:[a-z_]+)"', source))
    parts = re.compile(
        r"drake:(?:parent|child|curves|is_periodic|initial_tangent|plane_normal|line_segment|circular_arc"
        r"|member|member_group|ignored_collision_filter_group|rigid_hydroelastic|compliant_hydroelastic"
        r"|soft_hydroelastic|youngs_modulus|poissons_ratio|mass_density|mass_damping|stiffness_damping"
        r"|material_model|point_on_plane|outward_normal|wall_boundary_condition|tendon_constraint_joint"
        r"|bushing_)$"
    )
    assert {tag for tag in tops if not parts.match(tag) and f"`{tag}`" not in text} == set()
