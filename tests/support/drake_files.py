"""SDFormat and URDF files with Drake's elements, for tests."""

from __future__ import annotations

import pytest

import loaders
from loaders.model import by_name

NAMESPACE = 'xmlns:drake="http://drake.mit.edu"'


BALL = "<sphere><radius>0.1</radius></sphere>"


SDF_MASS = "<inertial><mass>2</mass><inertia><ixx>0.5</ixx><iyy>0.6</iyy><izz>0.7</izz></inertia></inertial>"


URDF_MASS = (
    '<inertial><mass value="2"/><inertia ixx="0.5" iyy="0.6" izz="0.7" ixy="0" ixz="0" '
    'iyz="0"/></inertial>'
)


def sdf(body, links="ab"):
    text = "".join(f'<link name="{name}">{SDF_MASS}</link>' for name in links)
    return f'<sdf version="1.11" {NAMESPACE}><model name="m">{text}{body}</model></sdf>', "sdf"


def urdf(body, links="ab"):
    text = "".join(f'<link name="{name}">{URDF_MASS}</link>' for name in links)
    return f'<robot {NAMESPACE} name="m">{text}{body}</robot>', "urdf"


def sdf_joint(inside="", kind="revolute", parent="a", limits="", name="j", child="b"):
    axis = f"<axis><xyz>0 0 1</xyz><limit>{limits}</limit></axis>"
    return (
        f'<joint name="{name}" '
        f'type="{kind}"><parent>{parent}</parent><child>{child}</child>{axis}{inside}</joint>'
    )


def urdf_joint(
    inside="",
    kind="revolute",
    tag="joint",
    name="j",
    parent="a",
    child="b",
    limits="",
    axis="0 0 1",
):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    axis = f'<axis xyz="{axis}"/>' if axis else ""
    limit = (
        f'<limit effort="9" velocity="9" lower="-1" upper="1" {limits}/>' if tag == "joint" else ""
    )
    return f'<{tag} name="{name}" type="{kind}">{ends}{axis}{limit}{inside}</{tag}>'


def urdf_motor(inside="", joint="j"):
    kind = "<type>transmission_interface/SimpleTransmission</type>"
    return (
        f'<transmission>{kind}<joint name="{joint}"/><actuator '
        f'name="motor">{inside}</actuator></transmission>'
    )


def load(source):
    text, form = source
    return loaders.load_string(text, format=form)


def codes(source):
    """Codes of what is wrong, or of what is reported if nothing is."""
    try:
        return {entry.code for entry in load(source).diagnostics}
    except loaders.LoadError as error:
        return {entry.code for entry in error.diagnostics if entry.severity == "error"}


ROTOR = {
    "sdf": sdf(
        sdf_joint(kind="fixed", parent="world", child="a", name="w")
        + sdf_joint(
            "<drake:rotor_inertia>0.01</drake:rotor_inertia><drake:gear_ratio>7</drake:gear_ratio>"
        )
    ),
    "urdf": urdf(
        urdf_joint(kind="fixed", parent="world", child="a", name="w")
        + urdf_joint()
        + urdf_motor('<drake:rotor_inertia value="0.01"/><drake:gear_ratio value="7"/>')
    ),
}


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
    '<drake:curves><drake:line_segment length="1"/><drake:circular_arc radius="0.5" '
    'angle="-1.5"/></drake:curves>'
)


CURVES = {
    "sdf": sdf(
        f'{FRAMES}<drake:joint name="j" type="curvilinear">{ENDS}<drake:initial_tangent><xyz>0 2 '
        f"0</xyz>"
        "</drake:initial_tangent><drake:plane_normal><xyz>1 0 0</xyz></drake:plane_normal>"
        f"<drake:is_periodic>false</drake:is_periodic><drake:damping>0.2</drake:damping>{CURVES_SDF}</drake:joint>"
    ),
    "urdf": urdf(
        urdf_joint(
            '<drake:initial_tangent xyz="0 2 0"/><drake:plane_normal xyz="1 0 '
            '0"/><drake:is_periodic value="false"/>'
            f'<dynamics damping="0.2"/>{CURVES_URDF}',
            "curvilinear",
            "drake:joint",
            axis="",
        )
    ),
}


URDF_FRAMES = (
    '<frame name="p" link="a" xyz="0.1 0 0" rpy="0.3 0 0"/><frame name="c" link="b" '
    'xyz="0 0.2 0" rpy="0 0.4 0"/>'
)


BOTH = pytest.mark.parametrize("form", [sdf, urdf], ids=["sdf", "urdf"])


def shaped(form, inside, geometry=None):
    if form is sdf:
        shape = f'<collision name="c"><geometry>{geometry or BALL}</geometry>{inside}</collision>'
        return sdf(f'<link name="c">{SDF_MASS}{shape}</link>')
    shape = f"<collision><geometry>{geometry or '<sphere radius=' + chr(34) + '0.1' + chr(34) + '/>'}</geometry>{inside}"
    return urdf(f'<link name="c">{URDF_MASS}{shape}</collision></link>')


def collision(source):
    return by_name(load(source).links)["c"].collisions[0]


def visuals(source):
    return by_name(load(source).links)["c"].visuals
