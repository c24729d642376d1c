"""A page is one file, and text is never markup."""

from __future__ import annotations

from xml.etree import ElementTree

from bridge.diff.files import difference_table as table
from bridge.diff.files import page


def test_a_page_holds_its_sections_and_escapes_text() -> None:
    text = page("a < b", "EQUAL", [("One & two", table(("x",), [("<script>",)]))])
    root = ElementTree.fromstring(
        text.replace("<!doctype html>", "").replace('<meta charset="utf-8">', "")
    )
    assert root.findtext("body/h1") == "a < b"
    assert root.findtext("body/h2") == "One & two"
    assert root.findtext("body/table/tbody/tr/td") == "<script>"
    assert "http" not in text
