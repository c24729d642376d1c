"""XML files: limits, refused constructs, encodings and common errors."""

from __future__ import annotations

import contextlib
import gzip
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.diagnostics import Diagnostics
from loaders.limits import Limits
from loaders.xml import MAX_DEPTH, MAX_ELEMENTS, parse, read_bytes
from tests.support.xml_nodes import FUZZ, root_of


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


def test_undeclared_entities_are_a_syntax_error() -> None:
    assert codes(b"<sdf>&x;</sdf>") == ["xml.syntax"]


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


def test_five_million_elements_are_given_up_early() -> None:
    data = b"<sdf>" + b"<a/>" * 5_000_000 + b"</sdf>"
    with within(megabytes=900):
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


@FUZZ
@given(st.binary(max_size=60))
def test_any_bytes_are_a_tree_or_an_error(data: bytes) -> None:
    for document in (data, b"<a>" + data + b"</a>"):
        found = Diagnostics()
        root = parse(document, "f", found)
        assert (root is None) == any(entry.severity == "error" for entry in found)
