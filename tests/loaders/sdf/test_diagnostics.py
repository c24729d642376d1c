"""Every diagnostic of the SDFormat reader: what provokes it and its fate."""

from __future__ import annotations

import pytest

import loaders
from loaders import Diagnostic, LoadError
from loaders.diagnostic_codes import CODES
from loaders.diagnostics import Fate

LINK = "<link name='a'/>"
TWO = "<link name='a'/><link name='b'/>"
ENDS = "<parent>a</parent><child>b</child>"
SHAPE = "<geometry><sphere/></geometry>"


def model(body: str, attributes: str = "", version: str = "1.9") -> str:
    return f"<sdf version='{version}'><model name='m'{attributes}>{body}</model></sdf>"


def world(body: str, version: str = "1.10") -> str:
    return f"<sdf version='{version}'><world name='w'>{body}</world></sdf>"


def collision(geometry: str) -> str:
    return model(f"<link name='a'><collision name='c'><geometry>{geometry}</geometry></collision></link>")


def material(body: str) -> str:
    return model(f"<link name='a'><visual name='v'>{SHAPE}<material>{body}</material></visual></link>")


def joint(body: str, kind: str = "revolute") -> str:
    return model(f"{TWO}<joint name='j' type='{kind}'>{body}</joint>")


PROVOKING = {
    "sdf.actor": world("<actor name='walker'/>"),
    "sdf.appearance": world("<scene/>"),
    "sdf.attached-to": model(LINK + "<frame name='f' attached_to='nowhere'/>"),
    "sdf.attached-to-cycle": model(LINK + "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"),
    "sdf.auto-inertia-ignores": model(
        f"<link name='a'><inertial auto='true'><inertia/></inertial><collision name='c'>{SHAPE}</collision></link>"
    ),
    "sdf.auto-inertia-no-collision": model("<link name='a'><inertial auto='true'/></link>"),
    "sdf.auto-inertia-shape": model(
        "<link name='a'><inertial auto='true'/><collision name='c'><geometry><plane/></geometry></collision></link>"
    ),
    "sdf.axis-expressed-in": joint(ENDS + "<axis><xyz expressed_in='nowhere'>0 0 1</xyz></axis>"),
    "sdf.canonical-link": model(LINK, " canonical_link='nowhere'"),
    "sdf.duplicate-name": model(LINK + LINK),
    "sdf.elastic-modulus": model(
        f"<link name='a'><collision name='c'>{SHAPE}<surface><contact><elastic_modulus>2e11</elastic_modulus></contact>"
        "</surface></collision></link>"
    ),
    "sdf.empty": "<sdf version='1.9'/>",
    "sdf.engine-setting": joint(ENDS + "<axis/><physics><ode><cfm>0.1</cfm></ode></physics>"),
    "sdf.extra-axis": joint(ENDS + "<axis/><axis2/>"),
    "sdf.extra-element": f"<sdf version='1.9'><model name='m'>{LINK}</model><model name='n'>{LINK}</model></sdf>",
    "sdf.gearbox-reference": joint(ENDS + "<axis/><axis2/>", "gearbox"),
    "sdf.gripper": model(LINK + "<gripper name='g'/>"),
    "sdf.image-geometry": collision("<image><uri>a.png</uri></image>"),
    "sdf.include-no-uri": world("<include/>"),
    "sdf.include-not-found": world("<include><uri>model://nowhere_at_all</uri></include>"),
    "sdf.joint-child": joint("<parent>a</parent><child>nowhere</child><axis/>"),
    "sdf.joint-parent": joint("<parent>nowhere</parent><child>b</child><axis/>"),
    "sdf.joint-same-body": joint("<parent>a</parent><child>a</child><axis/>"),
    "sdf.joint-type": joint(ENDS, "floating"),
    "sdf.light-type": world("<light name='l' type='candle'/>"),
    "sdf.material-script": material("<script><name>Gazebo/Red</name></script>"),
    "sdf.mimic": joint(ENDS + "<axis><mimic joint='j'/></axis>"),
    "sdf.name-clash": model(f"{TWO}<joint name='b' type='fixed'>{ENDS}</joint>", version="1.6"),
    "sdf.nested-joint": model(
        LINK + "<model name='n'><link name='x'/>"
        "<joint name='j' type='fixed'><parent>no</parent><child>x</child></joint></model>"
    ),
    "sdf.negative-dynamics": joint(ENDS + "<axis><dynamics><damping>-1</damping></dynamics></axis>"),
    "sdf.no-axis": joint(ENDS),
    "sdf.no-link": model("<frame name='f'/>"),
    "sdf.no-name": model("<link name=''/>"),
    "sdf.no-version": f"<sdf><model name='m'>{LINK}</model></sdf>",
    "sdf.unflattened": world("<model name='m'><link name='a'/><link name='n::b'/></model>", version="1.6"),
    "sdf.unknown-material": material("<script><uri>nowhere</uri><name>Nothing</name></script>"),
    "sdf.unknown-version": model(LINK, version="1.13"),
    "sdf.no-points": collision("<polyline><height>1</height></polyline>"),
    "sdf.no-uri": collision("<mesh/>"),
    "sdf.not-mechanical": model("<link name='a'><battery name='b'/></link>"),
    "sdf.placement-frame": model(LINK, " placement_frame='nowhere'"),
    "sdf.plugin": model(LINK + "<plugin name='p' filename='libp.so'><knob>1</knob></plugin>"),
    "sdf.polyline-height": collision(
        "<polyline><point>0 0</point><point>1 0</point><point>0 1</point><height>1</height></polyline>"
        "<polyline><point>2 0</point><point>3 0</point><point>2 1</point><height>2</height></polyline>"
    ),
    "sdf.population": world("<population name='p'/>"),
    "sdf.pose-cycle": model("".join(f"<link name='{x}'><pose relative_to='{y}'/></link>" for x, y in ("ab", "ba"))),
    "sdf.pose-format": model("<link name='a'><pose>1 2 3</pose></link>"),
    "sdf.pose-relative-to": model("<link name='a'><pose relative_to='nowhere'/></link>"),
    "sdf.pose-relative-to-ignored": model("<link name='a'><inertial><pose relative_to='a'/></inertial></link>"),
    "sdf.reserved-name": model("<link name='__base__'/>"),
    "sdf.reversed-limit": joint(ENDS + "<axis><limit><lower>2</lower><upper>1</upper></limit></axis>"),
    "sdf.road": world("<road name='r'/>"),
    "sdf.root-relative-to": model(LINK + "<pose relative_to='a'>0 0 1 0 0 0</pose>"),
    "sdf.scoped-name": model("<link name='a::b'/>"),
    "sdf.second-physics": world("<physics type='ode'/><physics type='bullet' default='true'/>"),
    "sdf.second-shape": collision("<box/><sphere/>"),
    "sdf.sensor-type": model("<link name='a'><sensor name='s' type='nose'/></link>"),
    "sdf.shader": material("<shader type='normal_map_tangent_space'/>"),
    "sdf.static-joint": model(f"<static>1</static>{TWO}<joint name='j' type='revolute'>{ENDS}<axis/></joint>"),
    "sdf.state": world("<state world_name='w'/>"),
    "sdf.zero-axis": joint(ENDS + "<axis><xyz>0 0 0</xyz></axis>"),
    "sdf.zero-normal": collision("<plane><normal>0 0 0</normal></plane>"),
    "sdf.zero-quaternion": model("<link name='a'><pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose></link>"),
}  # fmt: skip


def findings(text: str) -> tuple[Diagnostic, ...]:
    try:
        return loaders.load_string(text, format="sdf").diagnostics
    except LoadError as error:
        return error.diagnostics


@pytest.mark.parametrize("code", PROVOKING)
def test_each_code_is_provoked_with_its_fate_and_a_place(code: str) -> None:
    found = [entry for entry in findings(PROVOKING[code]) if entry.code == code]
    assert found
    assert {entry.fate for entry in found} <= set(CODES[code].fates)
    assert all(entry.where.line == 1 and entry.where.path.startswith("/sdf") for entry in found)


@pytest.mark.parametrize("code", [code for code in PROVOKING if Fate.INVALID in CODES[code].fates])
def test_one_cause_gives_one_error(code: str) -> None:
    errors = [entry for entry in findings(PROVOKING[code]) if entry.severity == "error"]
    distinct = {entry.code for entry in errors}
    assert distinct <= {code, "sdf.joint-same-body"} if code == "sdf.mimic" else distinct == {code}


def test_all_problems_of_a_file_come_at_once_in_one_error() -> None:
    text = model(
        "<link name='a'><pose relative_to='x'/></link>\n<link name='a'/>\n<frame name='f' attached_to='y'/>\n"
        "<joint name='j' type='odd'><parent>a</parent><child>z</child></joint>"
    )
    with pytest.raises(LoadError) as caught:
        loaders.load_string(text, format="sdf")
    lines = {entry.code: entry.where.line for entry in caught.value.diagnostics}
    assert lines == {
        "sdf.pose-relative-to": 1,
        "sdf.duplicate-name": 2,
        "sdf.attached-to": 3,
        "sdf.joint-type": 4,
        "sdf.joint-child": 4,
    }


def test_strict_refuses_warnings_and_lets_notes_pass() -> None:
    with pytest.raises(LoadError, match=r"sdf\.no-axis"):
        loaders.load_string(PROVOKING["sdf.no-axis"], format="sdf", strict=True)
    loaders.load_string(PROVOKING["sdf.plugin"], format="sdf", strict=True)
