"""The report of elements and attributes that no reader read."""

from __future__ import annotations

import pytest

from loaders.diagnostics import Fate
from tests.support.xml_nodes import root_of


def test_the_sweep_reports_the_topmost_unread_pieces_with_a_guess() -> None:
    root, found = root_of(
        "<link name='l' colour='red'><mass>1</mass><inertial><ixx/></inertial><gravty/></link>"
    )
    root.word("@name")
    root.number("mass")
    root.flag("gravity", True)
    root.report_unread()
    assert [entry.code for entry in found] == ["xml.unread"] * 3
    assert ["colour" in str(e) or "inertial" in str(e) or "gravty" in str(e) for e in found] == [
        True
    ] * 3
    assert any(entry.hint == "did you mean gravity?" for entry in found)


def test_elements_of_other_namespaces_are_a_note_but_drakes_are_not() -> None:
    root, found = root_of("<a xmlns:b='urn:b'><b:c/><drake:d/></a>")
    root.report_unread()
    assert [(entry.code, entry.fate) for entry in found] == [
        ("xml.foreign", Fate.NOTED),
        ("xml.unread", Fate.DROPPED),
    ]


def test_a_key_that_was_asked_for_is_read_however_it_was_asked_for() -> None:
    root, found = root_of("<a b='1' c='2' xmlns:x='u'><d e='3'/><f g='4'><h/></f></a>")
    root.word("@b")
    root.mark("@c", "d", "f")
    root.children[0].mark("@e")
    root.children[1].mark_all()
    root.report_unread()
    assert list(found) == []


@pytest.mark.parametrize(
    "text",
    [
        "<origin quat_wxyz='1 0 0 0'/>",
        "<origin unit='mm'/>",
        "<pose unit='mm'/>",
        "<frame xyz='1 0 0'/>",
        "<radius unit='mm'/>",
        "<axis direction='0 1 0'/>",
        "<box corner='1 1 1'/>",
        "<sphere><diameter>2</diameter></sphere>",
        "<mesh scael='2 2 2'/>",
        "<link rpy='0 0 1'/>",
        "<link><origin xyz='0 0 1'/></link>",
        "<visual><box><pose>0 0 1 0 0 0</pose></box></visual>",
    ],
)
def test_an_unread_pose_or_shape_is_an_error_that_lenient_loading_ignores(text: str) -> None:
    root, found = root_of(f"<a>{text}</a>")
    root.mark(root.children[0].tag)
    root.children[0].mark("box")
    root.report_unread()
    assert {(entry.code, entry.fate, entry.leniency) for entry in found} == {
        ("xml.unread-pose", Fate.INVALID, "it is ignored")
    }


@pytest.mark.parametrize(
    "text",
    [
        "<axis rpy='0 0 0'/>",
        "<link><origin xyz='0 0 0' rpy='0 -0 0'/></link>",
        "<mesh name='m'/>",
        "<geometry><material/></geometry>",
        "<axis><initial_position>1</initial_position></axis>",
    ],
)
def test_an_unread_piece_that_states_no_pose_and_no_shape_is_a_warning(text: str) -> None:
    root, found = root_of(f"<a>{text}</a>")
    root.mark(*(child.tag for child in root.children))
    root.report_unread()
    assert {(entry.code, entry.fate) for entry in found} == {("xml.unread", Fate.DROPPED)}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("<link><static/></link>", "it belongs into `<model>`"),
        ("<collision><material/></collision>", "it belongs into `<visual>`"),
        (
            "<surface><friction><ode><max_vel/></ode></friction></surface>",
            "it belongs into `<ode>` of `<contact>`",
        ),
        (
            "<joint><joint_properties/></joint>",
            "used by ROS before 2012 only; state damping and friction in `<dynamics>`",
        ),
        ("<transmission><robotNamespace/></transmission>", "used by Gazebo's ros_control only"),
        ("<pose frame='a'/>", "the attribute is `relative_to` since SDFormat 1.7"),
        ("<link><nonsense/></link>", ""),
    ],
)
def test_misplaced_and_foreign_pieces_have_a_hint(text: str, hint: str) -> None:
    root, found = root_of(f"<a>{text}</a>")
    for node in root.walk():
        node.mark(*(child.tag for child in node.children if child.children or child.attributes))
    root.report_unread()
    assert [entry.hint for entry in found] == [hint]
