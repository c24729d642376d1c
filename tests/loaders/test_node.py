"""XML from strangers, typed reads, and the sweep of what nobody read."""

from __future__ import annotations

import contextlib
import gzip
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loaders
from loaders import LoadError
from loaders.diagnostics import Diagnostics, Fate
from loaders.node import Node
from loaders.xml import MAX_BYTES, MAX_DEPTH, MAX_ELEMENTS, parse, read_bytes

FUZZ = settings(max_examples=80, deadline=None)


def codes(data: bytes) -> list[str]:
    """What a document is refused for."""
    found = Diagnostics()
    assert parse(data, "f.sdf", found) is None
    assert all(entry.severity == "error" for entry in found)
    return [entry.code for entry in found]


def root_of(text: str) -> tuple[Node, Diagnostics]:
    found = Diagnostics()
    root = parse(text.encode(), "f.sdf", found)
    assert root is not None
    return root, found


@contextlib.contextmanager
def within(megabytes: float) -> Iterator[None]:
    """Fails if the process grows by more than that; what takes for ever never ends."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < megabytes * 1024


# --- attacks ---------------------------------------------------------------------------------------------------------

LAUGHS = "".join(f"<!ENTITY l{i + 1} '{f'&l{i};' * 10}'>" for i in range(9))


@pytest.mark.parametrize(
    "document",
    [
        f"<!DOCTYPE sdf [<!ENTITY l0 'ha'>{LAUGHS}]><sdf>&l9;</sdf>",
        "<!DOCTYPE sdf [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><sdf>&x;</sdf>",
        "<!DOCTYPE sdf SYSTEM 'http://127.0.0.1:9/x.dtd'><sdf/>",
        "<!DOCTYPE sdf [<!ENTITY % p SYSTEM 'http://127.0.0.1:9/p'> %p;]><sdf/>",
        "<!DOCTYPE sdf><sdf/>",
        f"<!DOCTYPE sdf [<!ENTITY q '{'q' * 10000}'>]><sdf>{'&q;' * 10000}</sdf>",
    ],
    ids=["billion laughs", "file", "external dtd", "parameter entity", "plain", "quadratic"],
)
def test_a_doctype_is_refused_before_anything_in_it_is_expanded_or_fetched(document: str) -> None:
    with within(megabytes=100):
        assert codes(document.encode()) == ["xml.doctype"]


def test_entities_that_nobody_declared_are_a_syntax_error() -> None:
    assert codes(b"<sdf>&x;</sdf>") == ["xml.syntax"]


def test_an_inclusion_instruction_is_an_element_like_any_other() -> None:
    root, _ = root_of("<sdf xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='/etc/passwd'/></sdf>")
    assert [child.tag for child in root.children] == ["xi:include"]
    assert root.children[0].text == ""


def test_a_compressed_file_is_not_unpacked_whatever_it_is_called(tmp_path: Path) -> None:
    bomb = tmp_path / "small.sdf"
    bomb.write_bytes(gzip.compress(b"<sdf>" + b" " * 100_000_000 + b"</sdf>", mtime=0))
    found = Diagnostics()
    with within(megabytes=50):
        assert read_bytes(bomb, found) is None
    assert [entry.code for entry in found] == ["file.compressed"]
    assert codes(bomb.read_bytes()) == ["xml.syntax"]


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    large = tmp_path / "large.sdf"
    with large.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    found = Diagnostics()
    assert read_bytes(large, found) is None
    assert [entry.code for entry in found] == ["file.too-large"]


def test_five_million_elements_are_given_up_early() -> None:
    data = b"<sdf>" + b"<a/>" * 5_000_000 + b"</sdf>"
    with within(megabytes=900):
        assert codes(data) == ["file.too-large"]


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 100_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    with within(megabytes=100):
        assert codes(b"<a>" * depth + b"</a>" * depth) == ["file.too-large"]
        assert codes(b"<a>" * depth) == ["file.too-large"]


def test_what_is_within_the_limits_is_read() -> None:
    deepest = b"<a>" * MAX_DEPTH + b"</a>" * MAX_DEPTH
    found = Diagnostics()
    assert parse(deepest, "f", found) is not None
    assert list(found) == []
    assert MAX_ELEMENTS >= 500_000


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"\0",
        b"<",
        b"<a>",
        b"<a></b>",
        b"<a/><b/>",
        b"text",
        b"<a b=1/>",
        b"<a b='1' b='2'/>",
        b"<a>\xff</a>",
    ],
)
def test_what_is_not_xml_is_one_error(data: bytes) -> None:
    assert codes(data) == ["xml.syntax"]


def test_a_folder_or_a_missing_file_is_one_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.sdf"):
        found = Diagnostics()
        assert read_bytes(path, found) is None
        assert [entry.code for entry in found] == ["file.unreadable"]


# --- encodings and real files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_names_are_read_in_the_encoding_that_the_file_declares(encoding: str) -> None:
    label = encoding.removesuffix("-sig")
    data = f"<?xml version='1.0' encoding='{label}'?><sdf name='Gelenkträger'/>".encode(encoding)
    root = parse(data, "f.sdf", Diagnostics())
    assert root is not None
    assert root.attributes["name"] == "Gelenkträger"


def test_an_unknown_encoding_is_one_error() -> None:
    assert codes(b"<?xml version='1.0' encoding='klingon'?><sdf/>") == ["xml.syntax"]


def test_a_prefix_that_nobody_declared_is_plain_text() -> None:
    root, found = root_of("<sdf><drake:joint drake:x='1'/></sdf>")
    assert root.children[0].tag == "drake:joint"
    assert root.children[0].attributes == {"drake:x": "1"}
    assert list(found) == []


@pytest.mark.parametrize(
    "data", [b"\n\n<?xml version='1.0'?><sdf/>", b"<sdf><!-- a -- b --></sdf>", b"<sdf/>\0\0", b"<!-- -- -->\n<sdf/>"]
)
def test_what_real_files_get_wrong_is_mended_with_a_note(data: bytes) -> None:
    found = Diagnostics()
    root = parse(data, "f.sdf", found)
    assert root is not None
    assert [(entry.code, entry.severity) for entry in found] == [("xml.mended", "note")]


def test_mended_or_not_every_element_keeps_its_line() -> None:
    root, _ = root_of("<a>\n<!-- x -- \n y -->\n<b/>\n\n<c>\n</c></a>")
    assert [child.line for child in root.children] == [4, 6]


def test_a_place_tells_file_line_and_a_readable_path() -> None:
    root, _ = root_of("<sdf>\n<model name='arm'>\n<link name='hand'><pose/></link></model></sdf>")
    pose = root.children[0].children[0].children[0]
    assert (pose.where.file, pose.where.line, pose.where.path) == ("f.sdf", 3, "/sdf/model[arm]/link[hand]/pose")


# --- numbers ---------------------------------------------------------------------------------------------------------


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
    "text", ["0,5", "1,000", "one", "--1", "1e", "٣", "0x", "$x", "1e999", "nan", "-nan", "inf", "1_0"]
)
def test_no_number_is_guessed_in_silence(text: str) -> None:
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


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("TRUE", True), ("1", True), (" false ", False), ("0", False)]
)
def test_flags_are_words_or_digits(text: str, value: bool) -> None:
    root, found = root_of(f"<a><f>{text}</f></a>")
    assert root.flag("f", not value) is value
    assert list(found) == []


def test_what_is_no_flag_no_whole_number_or_too_small_is_reported() -> None:
    root, found = root_of("<a><f>yes</f><i>2.5</i><m>-1</m></a>")
    assert root.flag("f", True) is True
    assert root.integer("i", 0) == 2
    assert root.number("m", 3.0, minimum=0.0) == 3.0
    assert [entry.code for entry in found] == ["xml.not-a-flag", "xml.not-whole", "xml.out-of-range"]


# --- the trace of what was read --------------------------------------------------------------------------------------


def test_the_sweep_reports_the_topmost_unread_pieces_with_a_guess() -> None:
    root, found = root_of("<link name='l' colour='red'><mass>1</mass><inertial><ixx/></inertial><gravty/></link>")
    root.word("@name")
    root.number("mass")
    root.flag("gravity", True)
    root.report_unread()
    assert [entry.code for entry in found] == ["xml.unread"] * 3
    assert ["colour" in str(e) or "inertial" in str(e) or "gravty" in str(e) for e in found] == [True] * 3
    assert any(entry.hint == "did you mean gravity?" for entry in found)


def test_elements_of_other_namespaces_are_a_note_but_drakes_are_not() -> None:
    root, found = root_of("<a xmlns:b='urn:b'><b:c/><drake:d/></a>")
    root.report_unread()
    assert [(entry.code, entry.fate) for entry in found] == [("xml.foreign", Fate.NOTED), ("xml.unread", Fate.DROPPED)]


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


# --- noise -----------------------------------------------------------------------------------------------------------

TAGS = (
    *("sdf", "world", "model", "link", "joint", "frame", "pose", "include", "uri", "merge", "name", "static", "plugin"),
    *("collision", "visual", "geometry", "box", "size", "mesh", "polyline", "point", "material", "script", "surface"),
    *("inertial", "inertia", "mass", "friction", "ode", "mu", "axis", "axis2", "xyz", "limit", "lower", "mimic"),
    *("parent", "child", "sensor", "light", "gripper", "physics", "gravity", "placement_frame", "actor", "state"),
    *("drake:joint", "experimental:params", "population"),
)
NAMES = ("", "a", "b", "a::b", "world", "__model__", "__root__", "a::__model__", "::", "m")
KEYS = (
    "name",
    "relative_to",
    "attached_to",
    "expressed_in",
    "type",
    "frame",
    "placement_frame",
    "merge",
    "auto",
    "joint",
)
TEXTS = st.one_of(
    st.sampled_from([*NAMES, "true", "1 0 0", "0 0 0 0 0 0", "nan", "1e999", "-1", "revolute", "model://a", "0 0 0 x"]),
    st.text("ab01 .:-_xé", max_size=6),
)
ATTRIBUTES = st.dictionaries(
    st.sampled_from(KEYS), st.one_of(st.sampled_from([*NAMES, "revolute", "true"])), max_size=3
)


def element(tag: str, attributes: dict[str, str], content: list[str]) -> str:
    words = "".join(f" {key}='{value}'" for key, value in attributes.items())
    return f"<{tag}{words}>{''.join(content)}</{tag}>"


ELEMENTS = st.recursive(
    st.builds(element, st.sampled_from(TAGS), ATTRIBUTES, TEXTS.map(lambda text: [text])),
    lambda inner: st.builds(element, st.sampled_from(TAGS), ATTRIBUTES, st.lists(inner, max_size=5)),
    max_leaves=25,
)


def load_or_refuse(text: str, format: str = "sdf") -> None:
    with contextlib.suppress(LoadError):
        loaders.load_string(text, format=format)


@FUZZ
@given(st.sampled_from(["1.0", "1.2", "1.4", "1.6", "1.7", "1.12", "7"]), st.lists(ELEMENTS, max_size=4))
def test_any_tree_of_known_words_is_read_or_refused(version: str, body: list[str]) -> None:
    load_or_refuse(f"<sdf version='{version}'><world name='w'>{''.join(body)}</world></sdf>")
    load_or_refuse(f"<sdf version='{version}'><model name='m'>{''.join(body)}</model></sdf>")
    load_or_refuse(f"<sdf version='{version}'>{''.join(body)}</sdf>")


@FUZZ
@given(st.text(max_size=40), st.sampled_from(["sdf", "urdf"]))
def test_any_text_is_read_or_refused(text: str, format: str) -> None:
    load_or_refuse(text, format)
    load_or_refuse(f"<sdf version='1.9'>{text}</sdf>", format)


SOUND = """<sdf version='1.9'><model name='m'><pose>1 0 0 0 0 0</pose><link name='a'><inertial><mass>2</mass></inertial>
<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision></link><link name='b'/>
<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""


@FUZZ
@given(st.integers(0, len(SOUND) - 1), st.integers(0, 30), st.text(max_size=4))
def test_a_sound_file_with_a_piece_exchanged_is_read_or_refused(start: int, length: int, piece: str) -> None:
    load_or_refuse(SOUND[:start] + piece + SOUND[start + length :])


@FUZZ
@given(st.binary(max_size=60))
def test_any_bytes_are_a_tree_or_an_error(data: bytes) -> None:
    for document in (data, b"<a>" + data + b"</a>"):
        found = Diagnostics()
        root = parse(document, "f", found)
        assert (root is None) == any(entry.severity == "error" for entry in found)


# --- subjects --------------------------------------------------------------------------------------------------------


def subjects_of(text: str) -> dict[str, tuple[str, ...]]:
    """The subjects of each element of a document that has a mark, by the mark."""
    root, _ = root_of(text)
    return {node.attributes["mark"]: node.subjects for node in root.walk() if "mark" in node.attributes}


PARTS = """<link name='l' mark='link'><collision name='c'><geometry mark='shape'/></collision></link>
<joint name='j' mark='joint'><sensor name='s' mark='sensor'/></joint><frame name='f' mark='frame'/>
<drake:joint name='d' mark='drake'/><gripper name='g' mark='gripper'/><plugin name='p' mark='plugin'/>"""


@pytest.mark.parametrize(
    ("text", "prefix", "model"),
    [
        ("<sdf><model name='m'>{}</model></sdf>", "", "m"),
        ("<sdf><world name='w'><model name='m'>{}</model></world></sdf>", "m::", "m"),
        ("<sdf><model name='m'><model name='n'>{}</model></model></sdf>", "n::", "n"),
        ("<sdf><world name='w'><model name='m'><model name='n'>{}</model></model></world></sdf>", "m::n::", "m::n"),
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
