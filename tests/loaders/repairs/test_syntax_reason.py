"""The element that is open at an error of syntax, and bytes in another encoding."""

from __future__ import annotations

from xml.parsers import expat

import pytest

import loaders
from loaders.xml import open_element, reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [("<a>\n<b>\n</a>", ("b", 2)), ("<a>\n<b/>\n", ("a", 1)), ("", None), ("<a/><b/>", None)],
)
def test_the_innermost_open_element_is_found(text: str, expected: tuple[str, int] | None) -> None:
    assert open_element(text.encode()) == expected


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
        ("<a>\n<b c='caf\xe9'/></a>".encode("latin-1"), True),
        (b"<a>\n<b c=1/></a>", False),
        ("<a>\n<b c=1/>\n\xe9</a>".encode("latin-1"), False),
        ("<?xml version='1.0' encoding='latin-1'?><a b=1>\xe9</a>".encode("latin-1"), False),
        ("<a b=1>\xe9</a>".encode("utf-16"), False),
    ],
    ids=["latin-1", "no quotes", "an error before", "declared", "utf-16"],
)
def test_a_byte_of_another_encoding_is_named(data: bytes, is_named: bool) -> None:
    with pytest.raises(expat.ExpatError) as caught:
        expat.ParserCreate().Parse(data, True)
    assert ("byte 0xe9 is not UTF-8" in reason(data, caught.value)) is is_named
