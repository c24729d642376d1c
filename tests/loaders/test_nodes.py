"""Nodes of a source: typed reads, subjects, and reports of unread, misplaced and ignored elements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from loaders.diagnostics import Code, Diagnostics, Fate
from loaders.node import escaped, home_of, report_ignored
from loaders.xml import parse
from tests.support.xml_nodes import FUZZ, root_of

# Typed reads, reports of unread elements, and subjects of a node.


def test_a_place_tells_file_line_and_a_readable_path() -> None:
    root, _ = root_of("<sdf>\n<model name='arm'>\n<link name='hand'><pose/></link></model></sdf>")
    pose = root.children[0].children[0].children[0]
    assert (pose.where.file, pose.where.line, pose.where.path) == (
        "f.sdf",
        3,
        "/sdf/model[arm]/link[hand]/pose",
    )


def number(text: str, *, inf: bool = False) -> tuple[float, list[str]]:
    root, found = root_of(f"<a><n>{text}</n></a>")
    value = root.number("n", -99.0, inf=inf)
    return value, [entry.code for entry in found]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        (" -2.5e-3\n", -0.0025),
        ("+.5", 0.5),
        ("5.", 5.0),
        ("0x10", 16.0),
        ("1e3", 1000.0),
        ("-0", 0.0),
        ("", -99.0),
    ],
)
def test_numbers_are_read_as_c_reads_them(text: str, value: float) -> None:
    assert number(text) == (value, [])


@pytest.mark.parametrize(
    "text",
    ["0,5", "1,000", "one", "--1", "1e", "٣", "0x", "$x", "1e999", "nan", "-nan", "inf", "1_0"],
)
def test_an_invalid_number_is_always_reported(text: str) -> None:
    value, found = number(text)
    assert len(found) == 1
    assert value == -99.0 or found == ["xml.trailing-text"]


def test_a_decimal_comma_is_an_error_in_every_locale() -> None:
    assert number("0,5") == (-99.0, ["xml.not-a-number"])


@pytest.mark.parametrize("word", ["inf", "+INF", "Infinity", "-inf"])
def test_infinity_is_a_number_only_where_it_makes_sense(word: str) -> None:
    assert number(word, inf=True) == (float(word), [])
    assert number(word) == (-99.0, ["xml.not-finite"])


@pytest.mark.parametrize(("text", "value"), [("1.5kg", 1.5), ("2 3", 2.0), ("0x1Fz", 31.0)])
def test_what_follows_a_number_is_reported(text: str, value: float) -> None:
    assert number(text) == (value, ["xml.trailing-text"])


@FUZZ
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_that_python_writes_is_read_exactly(value: float) -> None:
    assert number(repr(value)) == (value, [])


def test_vectors_need_their_length() -> None:
    root, found = root_of("<a><v>1 2</v><w>1 2 3 4</w><x>1 b 3</x></a>")
    assert root.numbers("v", 3, (7.0, 8.0, 9.0)) == (7.0, 8.0, 9.0)
    assert root.numbers("w", 3) == (1.0, 2.0, 3.0)
    assert root.numbers("x", 3, (7.0, 8.0, 9.0)) == (7.0, 8.0, 9.0)
    assert root.numbers("missing", 2) == (0.0, 0.0)
    assert [entry.code for entry in found] == [
        "xml.not-a-vector",
        "xml.trailing-text",
        "xml.not-a-number",
        "xml.missing",
    ]


def test_a_required_attribute_is_not_blank() -> None:
    root, found = root_of("<a link=' ' other=''/>")
    assert (root.word("@link"), root.word("@other", "")) == ("", "")
    assert [str(entry.message) for entry in found] == [
        "<a> requires the attribute 'link', which is empty"
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("TRUE", True), ("1", True), (" false ", False), ("0", False)],
)
def test_flags_are_words_or_digits(text: str, value: bool) -> None:
    root, found = root_of(f"<a><f>{text}</f></a>")
    assert root.flag("f", not value) is value
    assert list(found) == []


def test_an_invalid_flag_an_invalid_integer_and_a_value_too_small_are_reported() -> None:
    root, found = root_of("<a><f>yes</f><i>2.5</i><m>-1</m></a>")
    assert root.flag("f", True) is True
    assert root.integer("i", 0) == 2
    assert root.number("m", 3.0, minimum=0.0) == 3.0
    assert [entry.code for entry in found] == [
        "xml.not-a-flag",
        "xml.not-whole",
        "xml.out-of-range",
    ]


def test_asking_for_one_child_reports_a_second() -> None:
    root, found = root_of("<a><b>1</b><b>2</b></a>")
    assert root.word("b") == "1"
    assert [entry.code for entry in found] == ["xml.repeated-element"]


def test_a_copy_shares_nothing_with_its_original() -> None:
    root, found = root_of("<a><b x='1'><c>t</c></b></a>")
    root.child("b")
    twin = root.copy()
    twin.children[0].attributes["x"] = "2"
    twin.children[0].children[0].detach()
    assert root.children[0].attributes == {"x": "1"}
    assert [node.tag for node in root.walk()] == ["a", "b", "c"]
    twin.report_unread()
    assert [entry.code for entry in found] == ["xml.unread"]


def subjects_of(text: str) -> dict[str, tuple[str, ...]]:
    """The subjects of each element of a document that has a mark, by the mark."""
    root, _ = root_of(text)
    return {
        node.attributes["mark"]: node.subjects for node in root.walk() if "mark" in node.attributes
    }


PARTS = """<link name='l' mark='link'><collision name='c'><geometry mark='shape'/></collision></link>
<joint name='j' mark='joint'><sensor name='s' mark='sensor'/></joint><frame name='f' mark='frame'/>
<drake:joint name='d' mark='drake'/><gripper name='g' mark='gripper'/><plugin name='p' mark='plugin'/>"""


@pytest.mark.parametrize(
    ("text", "prefix", "model"),
    [
        ("<sdf><model name='m'>{}</model></sdf>", "", "m"),
        ("<sdf><world name='w'><model name='m'>{}</model></world></sdf>", "m::", "m"),
        ("<sdf><model name='m'><model name='n'>{}</model></model></sdf>", "n::", "n"),
        (
            "<sdf><world name='w'><model name='m'><model name='n'>{}</model></model></world></sdf>",
            "m::n::",
            "m::n",
        ),
        ("<sdf><model name='m'><model name='m'>{}</model></model></sdf>", "m::", "m::m"),
        ("<robot name='r'>{}</robot>", "", "r"),
    ],
    ids=["model", "world", "nested", "nested in world", "nested of the same name", "robot"],
)
def test_subjects_are_the_scoped_names_of_the_scene(text: str, prefix: str, model: str) -> None:
    assert subjects_of(text.format(PARTS)) == {
        "link": (prefix + "l",),
        "shape": (prefix + "l", prefix + "l::c"),
        "joint": (prefix + "j",),
        "sensor": (prefix + "j", prefix + "j::s"),
        "frame": (prefix + "f",),
        "drake": (prefix + "d",),
        "gripper": (prefix + "g",),
        "plugin": (model,),
    }


def test_joints_of_transmissions_and_references_of_gazebo_are_subjects_without_a_prefix() -> None:
    subjects = subjects_of(
        "<robot name='r'><transmission name='t'><joint name='j' mark='joint'/></transmission>"
        "<gazebo reference='l'><mu1 mark='friction'/></gazebo></robot>"
    )
    assert subjects == {"joint": ("t", "j"), "friction": ("l",)}


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("1,5", "expected a number in <mass>, not '1,5'"),
        ("nan", "expected a finite number in <mass>, not 'nan'"),
    ],
)
def test_text_in_place_of_a_number_is_reported_with_its_element(word: str, message: str) -> None:
    root, found = root_of(f"<inertial><mass>{word}</mass></inertial>")
    root.number("mass", 1.0)
    assert [entry.message for entry in found] == [message]


def test_a_repeated_element_is_reported_once_with_all_that_it_contains() -> None:
    root, found = root_of("<a><b><c/></b><b d='1'><c e='2'/></b></a>")
    first = root.child("b")
    assert first is not None
    first.mark("c")
    root.report_unread()
    assert [entry.code for entry in found] == ["xml.repeated-element"]


@pytest.mark.parametrize(
    ("inside", "value", "codes"),
    [
        ("", None, []),
        ("<n>-2</n>", None, ["xml.range"]),
        ("<n>0</n>", 0.0, []),
        ("<n>1.5</n>", 1.5, []),
    ],
)
def test_a_number_that_may_be_missing_is_no_number_below_its_minimum(
    inside: str, value: float | None, codes: list[str]
) -> None:
    root, found = root_of(f"<a>{inside}</a>")
    assert root.maybe_number("n", minimum=0.0) == value
    assert len(found) == len(codes)


@pytest.mark.parametrize("inside", ["<n>word</n>", ""])
def test_a_required_number_is_reported_once_whether_it_is_missing_or_wrong(inside: str) -> None:
    root, found = root_of(f"<a>{inside}</a>")
    assert root.number("n") == 0.0
    assert len(found) == 1


def test_what_is_lacking_is_marked_as_read() -> None:
    root, diagnostics = root_of("<a><b/><c/></a>")
    assert root.lacks(("x", "y"))
    assert not root.lacks(("x", "b"))
    root.report_unread()
    assert [entry.arguments["name"] for entry in diagnostics] == ["c"]


@pytest.mark.parametrize("order", ["xyz", "zyx", "yyx", "x", ""])
def test_all_attributes_are_reported_but_those_that_were_read_in_any_order(order: str) -> None:
    root, diagnostics = root_of("<a x='1' y='2' z='3'/>")
    assert [root.number(f"@{name}") for name in order] == [
        float("xyz".index(name) + 1) for name in order
    ]
    root.report_unread()
    assert [entry.arguments["name"] for entry in diagnostics] == sorted({*"xyz"} - {*order})


# Values of attributes survive a parser.


def test_a_parser_reads_the_value_that_was_escaped() -> None:
    value = """<a> & 'b' "c" &amp;\n\t\r d é"""
    assert etree.fromstring(f'<x y="{escaped(value)}"/>').get("y") == value


# Hints about elements that their parent may not have, against the schema of libsdformat as
# documented.


def test_an_element_is_not_sent_to_where_it_is() -> None:
    assert home_of("link", "self_collide") == "it belongs into `<model>`"
    assert home_of("world", "physics") == ""


def test_several_homes_are_alternatives() -> None:
    assert home_of("model", "gravity") == "it belongs into `<world>` or `<link>`"


def test_elements_of_one_other_program_name_it() -> None:
    assert "PyBullet" in home_of("robot", "deformable")
    assert home_of("sphere", "size") == "a sphere has a `<radius>`"


# The report of elements and attributes that no reader read.


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


# Known elements without a counterpart in the model.


def test_each_ignored_element_is_reported_once_with_its_subtree_read() -> None:
    diagnostics = Diagnostics()
    root = parse(b"<link name='l'><fog a='1'><deep/></fog><fog/><other/></link>", "f", diagnostics)
    assert root is not None
    root.mark("@name")
    fog = Code("test.fog", Fate.NOTED, "ignored <{tag}>: it is fog", meaning="Fog.")
    report_ignored(root, {"fog": fog})
    root.report_unread()
    entries = [(entry.code, entry.message, entry.subjects) for entry in diagnostics]
    assert entries[:2] == [("test.fog", "ignored <fog>: it is fog", ("l",))] * 2
    assert [entry[0] for entry in entries[2:]] == ["xml.unread"]
