"""The element that is open at an error of syntax."""

from __future__ import annotations

import pytest

import loaders
from loaders.repairs.syntax_reason import open_element


@pytest.mark.parametrize(
    ("text", "expected"),
    [("<a>\n<b>\n</a>", ("b", 2)), ("<a>\n<b/>\n", ("a", 1)), ("", None), ("<a/><b/>", None)],
)
def test_the_innermost_open_element_is_found(text: str, expected: tuple[str, int] | None) -> None:
    assert open_element(text.encode()) == expected


def test_a_mismatch_names_the_start_tag_and_its_line() -> None:
    with pytest.raises(loaders.LoadError, match="the start tag <link> of line 2 is still open there"):
        loaders.load_string("<robot name='r'>\n<link name='a'>\n</robot>", format="urdf")


def test_an_empty_file_is_called_empty() -> None:
    with pytest.raises(loaders.LoadError, match="the file is empty"):
        loaders.load_string(" \n", format="urdf")
