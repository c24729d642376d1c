"""Cards for notebooks: what is text stays text, and nothing is loaded or run."""

from __future__ import annotations

from loaders.diagnostics import Diagnostic, Diagnostics, Fate, Where
from loaders.text import MAX_CELL, MAX_ROWS, card, details, findings_table, summary_of, table
from tests.support.web_page import WebPage, is_inert

HOSTILE = "<script>alert(1)</script><img src=x onerror='a'>\"'&\x1b[0m\u202e"


def finding(fate: Fate, message: str = "m", hint: str = "") -> Diagnostic:
    return Diagnostic("sdf.x", fate, message.replace("{", "{{"), Where("a.sdf", 3), hint=hint)


def test_names_are_text_in_every_part_of_a_card() -> None:
    inner = table([HOSTILE], [[HOSTILE]]) + details(
        HOSTILE, findings_table([finding(Fate.DROPPED, HOSTILE, HOSTILE)])
    )
    text = card(HOSTILE, [HOSTILE], inner, png=b"\x89PNG")
    assert is_inert(text)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert WebPage(text).text.count("<script>alert(1)</script>") >= 6


def test_what_is_not_inert_is_found() -> None:
    assert not is_inert("<img src='http://a/b.png'>")
    assert not is_inert("<b onclick='x'>")
    assert is_inert("<b>&lt;script&gt;</b>")


def test_every_tag_is_closed() -> None:
    text = card("t", ["a", ""], table(["h"], [["c"]]), details("d", "x"))
    assert all(
        text.count(f"<{tag}") == text.count(f"</{tag}>")
        for tag in set(WebPage(text).tags) - {"img"}
    )


def test_long_tables_and_cells_are_cut_and_say_so() -> None:
    text = table(["h"], [["x" * 1000]] * (MAX_ROWS + 7))
    assert text.count("<tr>") == MAX_ROWS + 2
    assert "and 7 more" in text
    assert "x" * MAX_CELL not in text


def test_findings_are_counted_and_errors_come_first() -> None:
    findings = [
        finding(Fate.NOTED, "third"),
        finding(Fate.DROPPED, "second", "add it"),
        finding(Fate.INVALID, "first"),
    ]
    assert summary_of(findings) == "1 error, 1 warning, 1 note"
    words = WebPage(findings_table(findings)).text
    assert words.index("first") < words.index("second (add it)") < words.index("third")
    assert "a.sdf:3" in words
    assert summary_of([]) == "no diagnostics"


def test_a_list_of_diagnostics_shows_itself() -> None:
    assert "first" in Diagnostics([finding(Fate.INVALID, "first")])._repr_html_()
