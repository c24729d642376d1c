"""Text that Markdown shows as it is. A parser of CommonMark with the tables of GitHub is the
witness.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.text import code, plain, printable
from tests.support.markdown_page import MarkdownPage

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![x](y)",
    "[x]: y",
    "a|b`c",
    "``` x",
    "`a`",
    "# a",
    "- a",
    "-",
    "---",
    "1. a",
    "> a",
    "+ a",
    "*a* **b**",
    "_a_ __b__",
    "~~a~~",
    "&lt;b&gt;",
    "\\*a\\*",
    "<a><b>",
    "<a|b>",
    "`<a>`",
    "a\n# b",
    "a\n\nb",
    "http:<x>",
)
"""Names that are markup if they are written raw."""
TEXTS = st.sampled_from(HOSTILE) | st.text(
    st.sampled_from("ab1 <>[]()!|`*_~$&;#-+=.:/\\\n\"'\u202e"), max_size=12
)


def words(text: str) -> str:
    """Return what a page shows of a text."""
    return " ".join(printable(text).split())


@pytest.mark.parametrize("text", HOSTILE)
def test_each_of_these_names_is_markup_if_it_is_raw(text: str) -> None:
    page = MarkdownPage(f"{text}\n\n| a | b |\n|---|---|\n| {text} | c |\n")
    assert page.is_markup or page.words != words(f"{text} a b {text} c")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TEXTS)
def test_tags_as_code_are_shown_as_they_are(text: str) -> None:
    shown = MarkdownPage(f"{plain(text, tags=True)}\n\n- {plain(text, tags=True)}\n")
    assert not shown.is_markup
    assert shown.words == words(f"{text} {text}")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TEXTS)
def test_plain_text_is_shown_as_it_is_in_paragraphs_items_and_cells(text: str) -> None:
    shown = MarkdownPage(
        f"{plain(text)}\n\n- {plain(text)}\n\n| a | b |\n|---|---|\n| {plain(text)} | c |\n"
    )
    assert not shown.is_markup
    assert shown.words == words(f"{text} {text} a b {text} c")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TEXTS)
def test_code_is_shown_as_it_is_in_sentences_and_cells(text: str) -> None:
    shown = MarkdownPage(
        f"See {code(text)} there.\n\n| a | b |\n|---|---|\n| {code(text, cell=True)} | c |\n"
    )
    assert not shown.is_markup
    assert shown.words == words(f"See {text} there. a b {text} c")


@pytest.mark.parametrize(
    "text", ["left_knee_joint", "a < b & c > d", "[m] and [x]", "-1.5", "2.5 kg", "C:\\models"]
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert plain(text) == text
