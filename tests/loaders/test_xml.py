"""XML files: limits, refused constructs, encodings, common errors, and the repair of ill-formed
text.
"""

from __future__ import annotations

import contextlib
import gc
import gzip
import resource
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

import mujoco
import pytest
from hypothesis import given
from hypothesis import strategies as st

import loaders
from loaders import xml
from loaders.diagnostics import Diagnostics
from loaders.limits import Limits
from loaders.xml import MAX_DEPTH, MAX_ELEMENTS, MAX_NAMES, mended_xml, parse, read_bytes
from tests.support.xml_nodes import FUZZ, root_of

# XML files: limits, refused constructs, encodings and common errors.


def codes(data: bytes) -> list[str]:
    """What a document is refused for."""
    found = Diagnostics()
    assert parse(data, "f.sdf", found) is None
    assert all(entry.severity == "error" for entry in found)
    return [entry.code for entry in found]


@contextlib.contextmanager
def within(megabytes: float) -> Iterator[None]:
    """Fails if the process grows by more than that; what takes for ever never ends."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < megabytes * 1024


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


def test_undeclared_entities_are_text_as_in_tinyxml() -> None:
    found = Diagnostics()
    root = parse(b"<sdf>&x;</sdf>", "f.sdf", found)
    assert root is not None
    assert root.text == "&x;"
    assert [entry.code for entry in found] == ["xml.mended"]


def test_an_inclusion_instruction_is_an_element_like_any_other() -> None:
    root, _ = root_of(
        "<sdf xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='/etc/passwd'/></sdf>"
    )
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
        stream.truncate(Limits().text_file_bytes + 1)
    found = Diagnostics()
    assert read_bytes(large, found) is None
    assert [entry.code for entry in found] == ["file.too-large"]


@pytest.mark.slow
def test_elements_past_the_limit_are_given_up_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml, "MAX_ELEMENTS", 20_000)
    monkeypatch.setattr(xml, "limit_of", lambda _: 20_000)
    data = b"<sdf>" + b"<a/>" * 2_000_000 + b"</sdf>"
    with within(megabytes=100):  # all of them take 700 MB
        assert codes(data) == ["file.too-large"]


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 100_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    with within(megabytes=100):
        assert codes(b"<a>" * depth + b"</a>" * depth) == ["file.too-large"]
        assert codes(b"<a>" * depth) == ["file.too-large"]


def test_many_openings_that_are_no_elements_are_read() -> None:
    comments = b"<!---->" * (MAX_ELEMENTS + 1)
    root = parse(b"<sdf>" + comments + b"<a/></sdf>", "f.sdf", Diagnostics())
    assert root is not None
    assert [child.tag for child in root.children] == ["a"]


def test_depth_counts_the_levels_and_not_the_elements() -> None:
    level = b"<a><b/><b><c/></b></a>"
    assert parse(b"<sdf>" + level * MAX_DEPTH + b"</sdf>", "f.sdf", Diagnostics()) is not None
    opening = b"<a><b/>" * MAX_DEPTH
    assert codes(opening + b"</a>" * MAX_DEPTH) == ["file.too-large"]


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
    ],
)
def test_what_is_not_xml_is_one_error(data: bytes) -> None:
    assert codes(data) == ["xml.syntax"]


def test_a_folder_or_a_missing_file_is_one_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.sdf"):
        found = Diagnostics()
        assert read_bytes(path, found) is None
        assert [entry.code for entry in found] == ["file.unreadable"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_names_are_read_in_the_encoding_that_the_file_declares(encoding: str) -> None:
    label = encoding.removesuffix("-sig")
    data = f"<?xml version='1.0' encoding='{label}'?><sdf name='Gelenkträger'/>".encode(encoding)
    root = parse(data, "f.sdf", Diagnostics())
    assert root is not None
    assert root.attributes["name"] == "Gelenkträger"


def test_an_unknown_encoding_is_one_error() -> None:
    assert codes(b"<?xml version='1.0' encoding='klingon'?><sdf/>") == ["xml.syntax"]


def test_an_undeclared_prefix_is_part_of_the_name() -> None:
    root, found = root_of("<sdf><drake:joint drake:x='1'/></sdf>")
    assert root.children[0].tag == "drake:joint"
    assert root.children[0].attributes == {"drake:x": "1"}
    assert list(found) == []


@pytest.mark.parametrize(
    "data",
    [
        b"\n\n<?xml version='1.0'?><sdf/>",
        b"<sdf><!-- a -- b --></sdf>",
        b"<sdf/>\0\0",
        b"<!-- -- -->\n<sdf/>",
    ],
)
def test_common_xml_errors_are_repaired_with_a_note(data: bytes) -> None:
    found = Diagnostics()
    root = parse(data, "f.sdf", found)
    assert root is not None
    assert [(entry.code, entry.severity) for entry in found] == [("xml.mended", "note")]


def test_every_element_keeps_its_line_with_and_without_repairs() -> None:
    root, _ = root_of("<a>\n<!-- x -- \n y -->\n<b/>\n\n<c>\n</c></a>")
    assert [child.line for child in root.children] == [4, 6]


def test_lines_are_those_on_which_elements_start_also_beyond_the_numbers_of_libxml2() -> None:
    """Against the parser of Python's standard library, which counts lines itself."""
    tag = (
        "<b\n  c='1>'\r\n  d='&gt;'\n>\n<!-- <e>\n -->\r<f/><f\n/><![CDATA[\n<g>\n]]><?h\n<i> "
        "?></b>"
    )
    comments = "<!--\n-->" * 70_000
    for start in (
        "<a>\n",
        "<a\n>\n",
        "<?xml version='1.0'?>\n<a>",
        "\ufeff<a>\n\n",
        "\n<!---->\n<a>\n",
    ):
        data = f"{start}{tag * 3}{comments}{tag}<h/></a>".encode()
        expected: list[tuple[str, int]] = []
        parser = expat.ParserCreate()
        parser.StartElementHandler = lambda name, _, at=parser, to=expected: to.append(
            (name, at.CurrentLineNumber)
        )
        parser.Parse(data, True)
        root = parse(data, "f.sdf", Diagnostics())
        assert root is not None
        assert [(node.tag, node.line) for node in root.walk()] == expected
        assert expected[-1][1] > 70_000


def test_characters_that_are_escaped_in_a_value_or_text_are_themselves() -> None:
    root, _ = root_of("<a b='&amp;&lt;&quot;&#10;&#xe9;'>&amp;&lt;<![CDATA[&amp;<]]>&#xe9;</a>")
    assert root.attributes == {"b": '&<"\n\xe9'}
    assert root.text == "&<&amp;<\xe9"


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("<a xmlns:d='u'><d:b d:c='1'/></a>", ["a", "d:b"]),
        ("<a><d:b><e:c d:x='1' xml:space='preserve'/></d:b></a>", ["a", "d:b", "e:c"]),
        ("<a xmlns='u'><b/><d:b xmlns:d='v'/><d:c/></a>", ["a", "b", "d:b", "d:c"]),
        ("<!-- d:x <a> --><?d:e?><d:a\n>http://x.org<d:b f='g:h'/></d:a>", ["d:a", "d:b"]),
        ("<a:b:c/>", ["a:b:c"]),
    ],
)
def test_prefixes_are_part_of_names_whether_they_are_declared_or_not(
    text: str, tags: list[str]
) -> None:
    """With their attributes as the document has them, for which the parser of the standard library
    is the witness.
    """
    expected: list[tuple[str, dict[str, str], int]] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, given: expected.append(
        (name, given, parser.CurrentLineNumber)
    )
    parser.Parse(text.encode(), True)
    root, found = root_of(text)
    assert [(node.tag, node.attributes, node.line) for node in root.walk()] == expected
    assert [node.tag for node in root.walk()] == tags
    assert list(found) == []


def test_an_attribute_that_the_library_would_lose_is_an_error() -> None:
    assert codes(b"<a xmlns:d='u' xmlns:e='u' d:b='1' e:b='2'/>") == ["xml.syntax"]


def test_a_syntax_error_has_its_column_where_a_prefix_is_not_declared() -> None:
    """The prefix is declared for the parser, in the same line."""
    for text in ("<a><drake:b/></c>", "<a><drake_b/></c>"):
        found = Diagnostics()
        assert parse(text.encode(), "f.sdf", found) is None
        assert next(iter(found)).arguments["column"] == 18


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"<n{i}/>" for i in range(MAX_NAMES)),
        "".join(f"<b n{i}='1'/>" for i in range(MAX_NAMES)),
        "".join(f"<?n{i}?>" for i in range(MAX_NAMES)),
        "".join(f"<b xmlns='urn:n{i}'/>" for i in range(MAX_NAMES)),
        "".join(f"<p{i}:b/>" for i in range(MAX_NAMES)),
        "".join(f"<{'n' * 1_000}{i}/>" for i in range(MAX_NAMES // 10)),
    ],
    ids=["elements", "attributes", "instructions", "namespaces", "prefixes", "long names"],
)
def test_names_that_the_library_would_keep_in_memory_are_limited(text: str) -> None:
    assert codes(f"<a>{text}</a>".encode()) == ["file.too-large"]


def test_hostile_names_fill_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each document has other names, of which few reach the library before the document is
    refused.
    """
    monkeypatch.setattr(xml, "MAX_NAMES", 1_000)

    def refused(number: int) -> None:
        names = (f"<{'n' * 50}{number}_{i}/>" for i in range(40_000))
        assert codes("\n".join(["<a>", *names, "</a>"]).encode()) == ["file.too-large"]
        gc.collect()

    refused(0)
    with within(megabytes=8):
        for number in range(1, 5):  # 4 MB each, were all of them kept
            refused(number)


def test_many_warnings_about_namespaces_are_an_error() -> None:
    for data in (b"<b xmlns:c='d e'/>\n" * 2_000, b"<b:c:d xmlns:b='e'/>\n" * 100_000):
        with within(megabytes=100):
            assert codes(b"<a>" + data + b"</a>") == ["xml.syntax"]


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("<a>\n<!-- b -->\n <!-- c\n<d>\n</a>", "unclosed comment", (3, 2)),
        ("<a>\n <![CDATA[ c\n<d>\n</a>", "unclosed CDATA section", (4, 5)),
        ("<a>\n<b>\n</a>", "mismatched tag", (3, 5)),
        ("<a>\n<b/>\n", "no element found", (3, 1)),
        ("<a/>\n<b/>\n", "junk after document element", (2, 1)),
        ("<a>\n&c;</b>", "undefined entity", (2, 4)),
        ("<a>\n<b c='1' c='2'/></a>", "duplicate attribute", (2, 15)),
        ("<a>\n<b c=1/></a>", "AttValue: \" or ' expected", (2, 6)),
    ],
)
def test_a_syntax_error_has_a_reason_and_a_place(
    text: str, reason: str, place: tuple[int, int]
) -> None:
    found = Diagnostics()
    assert parse(text.encode(), "f.sdf", found) is None
    assert next(iter(found)).arguments["reason"] == reason
    assert (next(iter(found)).where.line, next(iter(found)).arguments["column"]) == place


@pytest.mark.parametrize(
    ("text", "expected"),
    [("<a>\n<b>\n</a>", ("b", 2)), ("<a>\n<b/>\n", ("a", 1)), ("", ("", 0)), ("<a/><b/>", ("", 0))],
)
def test_the_innermost_open_element_is_found(text: str, expected: tuple[str, int]) -> None:
    found = Diagnostics()
    assert parse(text.encode(), "f.sdf", found) is None
    assert (next(iter(found)).arguments["tag"], next(iter(found)).arguments["line"]) == expected


def test_a_mismatch_names_the_start_tag_and_its_line() -> None:
    with pytest.raises(
        loaders.LoadError, match="the start tag <link> of line 2 is still open there"
    ):
        loaders.load_string("<robot name='r'>\n<link name='a'>\n</robot>", format="urdf")


def test_an_empty_file_is_called_empty() -> None:
    with pytest.raises(loaders.LoadError, match="the file is empty"):
        loaders.load_string(" \n", format="urdf")


@pytest.mark.parametrize(
    ("data", "is_named"),
    [
        ("<a>\n<b c='caf\xe9'/></b>".encode("latin-1"), True),
        (b"<a>\n<b c=1/></a>", False),
        ("<a>\n<b c=1/>\n\xe9</a>".encode("latin-1"), False),
        ("<?xml version='1.0' encoding='latin-1'?><a b=1>\xe9</a>".encode("latin-1"), False),
        ("<a b=1>\xe9</a>".encode("utf-16"), False),
    ],
    ids=["latin-1", "no quotes", "an error before", "declared", "utf-16"],
)
def test_a_byte_of_another_encoding_is_named(data: bytes, is_named: bool) -> None:
    found = Diagnostics()
    assert parse(data, "f.sdf", found) is None
    assert ("byte 0xe9 is not UTF-8" in next(iter(found)).message) is is_named


@pytest.mark.parametrize("label", ["shift_jis", "utf-16", "punycode", "zlib"])
def test_an_encoding_that_a_document_may_not_have_is_one_error(label: str) -> None:
    assert codes(f"<?xml version='1.0' encoding='{label}'?><a/>".encode()) == ["xml.syntax"]


def test_a_byte_that_the_declared_encoding_does_not_have_is_one_error() -> None:
    assert codes(b"<?xml version='1.0' encoding='windows-1252'?>\n<a>\x81</a>") == ["xml.syntax"]
    assert codes("<a>".encode("utf-16") + b"\x00") == ["xml.syntax"]


@FUZZ
@given(st.binary(max_size=60))
def test_any_bytes_are_a_tree_or_an_error(data: bytes) -> None:
    for document in (data, b"<a>" + data + b"</a>"):
        found = Diagnostics()
        root = parse(document, "f", found)
        assert (root is None) == any(entry.severity == "error" for entry in found)


@pytest.mark.parametrize("version", ["0.0", "1.0", "1.1", "2.0"])
def test_any_version_of_xml_is_read(version: str) -> None:
    """Files of PyBullet's data state 0.0; PyBullet and Drake load them."""
    diagnostics = Diagnostics()
    root = parse(f"<?xml version='{version}' ?><robot name='r'/>".encode(), "r.urdf", diagnostics)
    assert root is not None
    assert root.attributes == {"name": "r"}
    assert list(diagnostics) == []


# Repair of ill-formed XML: the repaired text is what TinyXML reads, line by line, and well-formed
# text stays.

BROKEN = {
    "a license before the declaration": (
        "<!-- (c) -->\n<?xml version='1.0'?>\n<sdf><a/></sdf>",
        {"a": {}},
    ),
    "text before the declaration": ("hello\n<?xml version='1.0'?>\n<sdf><a/></sdf>", {"a": {}}),
    "text before the root": ("hello <sdf><a/></sdf>", {"a": {}}),
    "a value without quotes": ("<sdf>\n<a name=blade_1/></sdf>", {"a": {"name": "blade_1"}}),
    "a bracket in a value": ('<sdf><a id="<STL_BINARY>"/></sdf>', {"a": {"id": "<STL_BINARY>"}}),
    "an ampersand": ("<sdf><a name='R&D'/><!-- & < --></sdf>", {"a": {"name": "R&D"}}),
    "a repeated attribute": ("<sdf><a x='1' y='2' x='3'/></sdf>", {"a": {"x": "1", "y": "2"}}),
    "a second root": ("<sdf><a/></sdf>\n<sdf><b/></sdf>", {"a": {}}),
    "a control character": ("<sdf><a name='\x02b'/></sdf>", {"a": {"name": "b"}}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_malformed_document_is_repaired(name: str) -> None:
    text, children = BROKEN[name]
    with pytest.raises(ElementTree.ParseError):
        ElementTree.fromstring(text)
    root = ElementTree.fromstring(mended_xml(text.encode()))
    assert {child.tag: child.attrib for child in root} == children


def test_text_in_another_code_page_is_decoded() -> None:
    text = "<sdf><a name='J\xf6rg'/></sdf>"
    assert ElementTree.fromstring(mended_xml(text.encode("latin-1")))[0].get("name") == "J\xf6rg"


def test_elements_keep_their_lines() -> None:
    text = (
        b"<!-- a\nb -->\n<?xml version='1.0'?>\n<sdf\n version=1.9>\n<a\n name='x' "
        b"name='y'\n/></sdf>"
    )
    mended = mended_xml(text)
    assert [line for line, content in enumerate(mended.splitlines(), 1) if b"<sdf" in content] == [
        4
    ]
    assert [line for line, content in enumerate(mended.splitlines(), 1) if b"<a" in content] == [6]


def test_a_well_formed_document_keeps_its_meaning() -> None:
    text = (
        b"<?xml version='1.0'?><sdf a='1 &lt; 2'><![CDATA[<a b=c & d>]]><!-- <x y=z> --><p "
        b'q="\'">3 &amp; 4</p></sdf>'
    )
    before, after = ElementTree.fromstring(text), ElementTree.fromstring(mended_xml(text))
    assert [(e.tag, e.attrib, e.text, e.tail) for e in before.iter()] == [
        (e.tag, e.attrib, e.text, e.tail) for e in after.iter()
    ]


@pytest.mark.parametrize("piece", ["<a ", "<a b", "<a b='", "<!--", "<?xml ", "&", "<a b=c "])
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    assert mended_xml(piece.encode() * 100_000)


# What TinyXML2 accepts is read by default. MuJoCo, which has this parser, is the witness.

GEOM = "<worldbody><geom size='1'/></worldbody></mujoco>"
FORMS = {
    "an ampersand": "<mujoco model='a & b'>",
    "an entity of HTML": "<mujoco model='a&nbsp;b'>",
    "an ampersand in text": "<mujoco>a & b",
    "a bracket in a value": "<mujoco model='a < b'>",
    "a control character": "<mujoco model='a\x01b'>",
    "another encoding": "<mujoco model='caf\xe9'>",
    "a repeated attribute": "<mujoco model='a' model='b'>",
    "a value without quotes": "<mujoco model=a>",
    "a tag that is not closed": "<mujoco><a>",
}


@pytest.mark.parametrize("name", FORMS)
def test_what_tinyxml_accepts_is_read_with_a_warning_and_nothing_else(
    name: str, tmp_path: Path
) -> None:
    data = (FORMS[name] + GEOM).encode("latin-1")
    (tmp_path / "m.xml").write_bytes(data)
    try:
        mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
        is_accepted = True
    except ValueError:
        is_accepted = False
    found = Diagnostics()
    root = parse(data, "m.xml", found)
    assert (root is not None) is is_accepted
    (entry,) = found
    code = ("xml.mended", "warning") if is_accepted else ("xml.syntax", "error")
    assert (entry.code, entry.severity) == code
