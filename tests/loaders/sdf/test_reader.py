"""Whole files: those of the libsdformat corpus, diagnostics of the reader, and elements without a
place in the scene.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

import loaders
from bridge.diagnostic_codes import CODES
from loaders import Diagnostic, LoadError, Scene
from loaders.diagnostics import Diagnostics, Fate
from loaders.model import JointType
from loaders.node import Node
from loaders.sdf import codes
from loaders.sdf.frame import FrameVertex, Scope
from loaders.sdf.unmodeled import flat_parameters, mark_read, report_ignored
from loaders.xml import parse
from tests.code_examples.sdf import TEXTS, model
from tests.support.sdf import error_codes, joint_of, read_sdf
from tests.support.sdf_elements import ELEMENTS
from tests.support.seeds import few

# Every element of the specification is known.


_NAMED = {"world", "model", "link", "joint", "light", "sensor", "visual", "collision", "actor"}
_TYPES = {"sensor": "camera", "joint": "revolute", "light": "point"}


def _filled(tag: str, children: Mapping[str, list[str]], inside: tuple[str, ...] = ()) -> str:
    """Return an element with every child that it may have; none repeats inside itself."""
    name = f" name='{tag}{len(inside)}'" if tag in _NAMED else ""
    kind = f" type='{_TYPES[tag]}'" if tag in _TYPES else ""
    below = (*inside, tag)
    tags = children.get("/".join(below[-2:]), [])
    inner = "".join(_filled(child, children, below) for child in tags if child not in below)
    return f"<{tag}{name}{kind}>{inner or '1'}</{tag}>"


@pytest.mark.parametrize("version", ["1.5", "1.6", "1.8", "1.11", "1.12"])
def test_every_element_of_the_specification_is_known(version: str) -> None:
    children: dict[str, list[str]] = {}
    for last, table in ELEMENTS.items():
        if tuple(map(int, last.split("."))) >= tuple(map(int, version.split("."))):
            for parent, tags in table.items():
                known = children.setdefault(parent, [])
                known += [tag for tag in tags.split() if tag not in {"include", "state", *known}]
    body = _filled("world", children)
    found: tuple[Diagnostic, ...] = ()
    text = f"<sdf version='{version}'>{body}</sdf>"
    try:
        found = loaders.load_string(text, format="sdf", quiet=True, lenient=True).diagnostics
    except LoadError as error:
        found = error.findings
    assert len(found) > 50
    unread = {entry.message for entry in found if entry.code.startswith("xml.unread")}
    assert not unread


# Every file of the libsdformat corpus is read, or rejected with a `LoadError`.

ROOT = Path(__file__).parents[3]
CORPUS = Path(os.environ.get("SDFBRIDGE_CORPUS", ROOT.parent / "shared" / "corpus")) / "libsdformat"


def entries() -> list[tuple[Path, list[Path]]]:
    if not CORPUS.is_dir():
        return []
    inputs = CORPUS / "inputs"
    listed = json.loads((CORPUS / "manifest.json").read_text())["shared"]
    files = {
        entry["source"]: entry["paths"] for entry in listed if not entry["source"].endswith(".urdf")
    }
    return [(inputs / source, [inputs / path for path in paths]) for source, paths in files.items()]


def outcome(source: Path, paths: list[Path]) -> object:
    """Return the scene as plain data, or the errors as text."""
    try:
        return loaders.load(source, paths=paths).to_dict()
    except LoadError as error:
        return str(error)


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not on this machine")
@pytest.mark.parametrize("step", few([8, 1], 1))
def test_no_file_raises_another_exception_than_load_error(step: int) -> None:
    for source, paths in entries()[::step]:
        with contextlib.suppress(LoadError):
            loaders.load(source, paths=paths)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not on this machine")
def test_loading_a_file_twice_gives_the_same_result() -> None:
    for source, paths in entries()[::40]:
        assert outcome(source, paths) == outcome(source, paths)


# Every diagnostic of the SDFormat reader: what provokes it and its fate.


def findings(text: str) -> tuple[Diagnostic, ...]:
    try:
        return loaders.load_string(text, format="sdf").diagnostics
    except LoadError as error:
        return error.diagnostics


@pytest.mark.parametrize("code", TEXTS)
def test_each_code_is_provoked_with_its_fate_and_a_place(code: str) -> None:
    found = [entry for entry in findings(TEXTS[code]) if entry.code == code]
    assert found
    assert {entry.fate for entry in found} <= set(CODES[code].fates)
    assert all(entry.where.line == 1 and entry.where.path.startswith("/sdf") for entry in found)


@pytest.mark.parametrize("code", [code for code in TEXTS if Fate.INVALID in CODES[code].fates])
def test_one_cause_gives_one_error(code: str) -> None:
    errors = [entry for entry in findings(TEXTS[code]) if entry.severity == "error"]
    distinct = {entry.code for entry in errors}
    assert distinct <= {code, "sdf.joint-same-body"} if code == "sdf.mimic" else distinct == {code}


def test_one_error_contains_all_problems_of_a_file() -> None:
    text = model(
        "<link name='a'><pose relative_to='x'/></link>\n<link name='a'/>\n<frame name='f' "
        "attached_to='y'/>\n"
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


def test_strict_loading_rejects_warnings_but_not_notes() -> None:
    with pytest.raises(LoadError, match=r"sdf\.no-axis"):
        loaders.load_string(TEXTS["sdf.no-axis"], format="sdf", strict=True)
    loaders.load_string(TEXTS["sdf.plugin"], format="sdf", strict=True)


def elements_and_frames() -> int:
    gc.collect()
    return sum(isinstance(held, Node | FrameVertex | Scope) for held in gc.get_objects())


@pytest.mark.slow
def test_the_garbage_collector_frees_all_that_a_load_needed() -> None:
    """Elements and frames refer to each other in circles; the scene refers to none of them."""
    text = model(
        "<link name='a'/><frame name='f' attached_to='a'/><model name='n'><link name='b'/></model>"
    )
    before = elements_and_frames()
    scene = loaders.load_string(text, format="sdf")
    assert elements_and_frames() == before
    assert scene.links


# Scenes of whole files: single lights, unknown elements, and interface models.


def test_a_file_can_contain_only_a_light() -> None:
    scene = read_sdf("<light name='sun' type='point'><pose>1 2 3 0 0 0</pose></light>")
    assert (scene.lights[0].name, scene.lights[0].X_LLight.p.tolist()) == ("sun", [1, 2, 3])


def test_elements_of_other_namespaces_are_noted() -> None:
    scene = read_sdf(
        "<model name='m' my:mark='1'><link name='a'/><my:thing><link name='x'/></my:thing></model>"
    )
    assert {entry.severity for entry in scene.diagnostics} == {"note"}
    assert len(scene.links) == 1


def test_an_unknown_element_is_a_warning_with_a_suggestion() -> None:
    scene = read_sdf("<model name='m'><link name='a'><inertail/></link></model>")
    assert [entry.code for entry in scene.diagnostics] == ["xml.unread"]
    assert "inertial" in scene.diagnostics[0].hint


@pytest.mark.parametrize(
    "body",
    [
        "<frame name='f' attached_to='f'/>",
        "<link name='k'><pose relative_to='k'/></link>",
        (
            "<frame name='f'><pose relative_to='g'/></frame><frame name='g'><pose "
            "relative_to='f'/></frame>"
        ),
        "<joint name='j' type='fixed'><parent>l</parent><child>l</child></joint>",
        (
            "<frame name='f' attached_to='l'/><joint name='j' "
            "type='fixed'><parent>f</parent><child>l</child></joint>"
        ),
        "<joint name='j' type='bend'><parent>l</parent><child>k</child></joint><link name='k'/>",
        "<joint name='j' type='fixed'><child>l</child></joint>",
        "<frame name='f' attached_to='__root__'/>",
        "<frame name='__f__'/>",
        "<link name=''/>",
        "<link/>",
        "<link name='k'><gravity>maybe</gravity></link>",
        "<link name='k'><inertial><mass>heavy</mass></inertial></link>",
        "<model name='n'><link name='x'><pose relative_to='l'/></link></model>",
        (
            "<model name='n'><link name='x'/></model><model name='o'><link name='y'><pose "
            "relative_to='n'/></link></model>"
        ),
        "<link name='k'/><joint name='j' type='revolute'><parent>l</parent><child>k</child>"
        "<axis><xyz>0 0 0</xyz></axis></joint>",
        "<include><uri>nothing_of_this_name</uri></include>",
        "<include/>",
    ],
)
def test_these_are_errors_in_a_model(body: str) -> None:
    assert error_codes(f"<model name='m'><link name='l'/>{body}</model>")


@pytest.mark.parametrize(
    "body",
    [
        "<frame name='___'/>",
        "<link name='k'><visual name='x'/><collision name='x'/></link>",
        "<link name='k'><gravity>TRUE</gravity><kinematic>0</kinematic></link>",
        "<link name='k'/><joint name='j' type='FIXED'><parent>l</parent><child>k</child></joint>",
        (
            "<link name='k'/><joint name='j' "
            "type='revolute'><parent>l</parent><child>k</child><axis/></joint>"
        ),
        "<link name='k'><inertial><mass>0x10</mass></inertial></link>",
        "<frame name='f' attached_to='n::__model__'/><model name='n'><link name='x'/></model>",
        "<my:own xmlns:my='urn:x' attribute='1'><deep/></my:own>",
    ],
)
def test_these_are_valid_in_a_model(body: str) -> None:
    read_sdf(f"<model name='m'><link name='l'/>{body}</model>")


# Drake's extensions in nested models: names are looked up in the scope of their model.

NESTED = """<world name='w'><model name='m'><link name='l'/><model name='n'><pose>0 0 1 0 0 0</pose>
  <link name='a'/><link name='b'/>
  <joint name='lead' type='revolute'><parent>a</parent><child>b</child><axis/></joint></model>
  <link name='c'/><joint name='follow' type='revolute'><parent>l</parent><child>c</child>
    <axis/><drake:mimic joint='n::lead' multiplier='2' offset='0.5'/></joint>
  <drake:joint name='plane' type='planar'><drake:parent>l</drake:parent><drake:child>n::a</drake:child>
    <drake:damping>0 0 0</drake:damping></drake:joint></model></world>"""


def test_a_mimic_and_a_drake_joint_refer_to_elements_of_nested_models() -> None:
    scene = read_sdf(NESTED)
    (coupling,) = scene.couplings
    assert (coupling.follower, coupling.leader, coupling.multiplier) == (
        "m::follow",
        "m::n::lead",
        2,
    )
    plane = joint_of(scene, "m::plane")
    assert (plane.type, plane.parent, plane.child) == (JointType.PLANAR, "m::l", "m::n::a")


def test_joints_of_static_models_have_no_actuators() -> None:
    body = "<model name='m'>{}<link name='a'/><link name='b'/><joint name='j' type='revolute'>\
<parent>a</parent><child>b</child><axis/></joint></model>"
    assert [actuator.joint for actuator in read_sdf(body.format("")).actuators] == ["j"]
    assert not read_sdf(body.format("<static>true</static>")).actuators


# Elements without a place in the scene: reported once, checked, and flattened to parameters.


def element(text: str) -> Node:
    root = parse(text.encode(), "f.sdf", Diagnostics())
    assert root is not None
    return root


def test_an_ignored_element_is_reported_once_with_its_content() -> None:
    node = element("<link><battery name='b'><voltage>12</voltage></battery></link>")
    report_ignored(node, {"battery": codes.NOT_MECHANICAL})
    node.report_unread()
    assert [entry.code for entry in node.diagnostics] == ["sdf.not-mechanical"]


def test_a_wrong_value_in_an_ignored_element_is_an_error() -> None:
    node = element("<link><battery name='b'><voltage>high</voltage></battery></link>")
    mark_read(node)
    assert [entry.code for entry in node.diagnostics] == ["xml.not-a-number"]


def test_parameters_are_attributes_and_texts_with_their_paths_in_document_order() -> None:
    node = element(
        "<sensor><pose/><camera name='c'><clip><near>1</near></clip></camera><topic> t "
        "</topic></sensor>"
    )
    parameters = flat_parameters(node, "pose")
    assert parameters == (("camera@name", "c"), ("camera/clip/near", "1"), ("topic", "t"))
    node.mark("pose")
    node.report_unread()
    assert not list(node.diagnostics)


# Checks of the values in elements without a place in the scene, as in libsdformat.


def read(inside_link: str) -> Scene:
    text = f"<sdf version='1.11'><model name='m'><link name='a'>{inside_link}</link></model></sdf>"
    return loaders.load_string(text, format="sdf")


def sensor(inside: str) -> str:
    return f"<sensor name='s' type='camera'>{inside}</sensor>"


@pytest.mark.parametrize(
    ("element", "code"),
    [
        (sensor("<camera><horizontal_fov>wide</horizontal_fov></camera>"), "xml.not-a-number"),
        (sensor("<camera><horizontal_fov>7</horizontal_fov></camera>"), "xml.out-of-range"),
        (sensor("<camera><clip><near>-0.1</near></clip></camera>"), "xml.out-of-range"),
        (sensor("<always_on>maybe</always_on>"), "xml.not-a-flag"),
        (sensor("<update_rate>often</update_rate>"), "xml.not-a-number"),
        ("<battery name='b'><voltage>high</voltage></battery>", "xml.not-a-number"),
        ("<battery/>", "xml.missing"),
        (
            "<particle_emitter name='p' type='box'><size>1 2</size></particle_emitter>",
            "xml.not-a-vector",
        ),
        ("<must_be_base_link>perhaps</must_be_base_link>", "xml.not-a-flag"),
        ("<collision name='c'><laser_retro>bright</laser_retro></collision>", "xml.not-a-number"),
        ("<visual name='v'><plugin name='p'/></visual>", "xml.missing"),
    ],
)
def test_a_malformed_value_is_an_error_in_any_element(element: str, code: str) -> None:
    with pytest.raises(LoadError) as caught:
        read(element)
    assert [entry.code for entry in caught.value.diagnostics if entry.severity == "error"] == [code]


@pytest.mark.parametrize(
    "element",
    [
        sensor(
            "<plugin "
            "filename='p.so'><voltage>high</voltage><camera><near>no</near></camera></plugin>"
        ),
        sensor("<my:battery><voltage>high</voltage></my:battery>"),
        sensor("<camera><clip><far>inf</far></clip><image><width> 640 </width></image></camera>"),
    ],
)
def test_values_in_plugins_and_other_namespaces_are_not_checked(element: str) -> None:
    assert all(entry.severity == "note" for entry in read(element).diagnostics)
