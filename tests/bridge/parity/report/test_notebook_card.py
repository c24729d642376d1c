"""The card of a comparison in a notebook."""

from __future__ import annotations

from bridge.parity import Comparison, Level, Outcome, Row
from bridge.parity.causes import Gap
from bridge.parity.report.report import counts_of, worst_first
from tests.support.web_page import WebPage, is_inert


def row(outcome: Outcome, quantity: str = "mass", cause: str = "") -> Row:
    return Row(
        level=Level.MODEL,
        quantity=quantity,
        unit="kg",
        engines=("a", "b"),
        error=1e-3,
        tolerance=1e-9,
        where="elbow",
        outcome=outcome,
        cause=cause,
    )


def comparison(*rows: Row, gaps: tuple[Gap, ...] = ()) -> Comparison:
    return Comparison(
        model="m",
        source="/somewhere/arm.sdf",
        rows=rows,
        engines=("a", "b"),
        environment={"seed": "0"},
        diagnostics=(),
        gaps=gaps,
    )


def test_the_verdict_stands_first_then_what_differs() -> None:
    found = comparison(
        row(Outcome.PASSED, "inertia"), row(Outcome.UNKNOWN, "speed"), row(Outcome.FAILED)
    )
    page = WebPage(found._repr_html_())
    assert page.words[0] == "DIFFERS arm.sdf"
    assert "1 failed, 1 unknown, 1 passed" in page.text
    assert "✗\N{NO-BREAK SPACE}failed" in page.text
    assert page.text.index("mass") < page.text.index("inertia")
    assert "sdfbridge compare" in page.text


def test_gaps_are_listed_with_their_reasons() -> None:
    found = comparison(
        row(Outcome.PASSED), gaps=(Gap(quantity="rotors", reason="the engine has none"),)
    )
    page = WebPage(found._repr_html_())
    assert page.words[0] == "INCOMPLETE arm.sdf"
    assert "the engine has none" in page.text


def test_hostile_text_is_text() -> None:
    text = comparison(row(Outcome.FAILED, "<script>", "<img src=x onerror=alert(1)>"))._repr_html_()
    assert is_inert(text)
    assert "onerror=alert(1)" in WebPage(text).text


def test_the_worst_come_first_in_their_order() -> None:
    rows = [
        row(Outcome.PASSED),
        row(Outcome.EXPLAINED, "x"),
        row(Outcome.FAILED, "y"),
        row(Outcome.EXPLAINED, "z"),
    ]
    assert [r.quantity for r in worst_first(rows)] == ["y", "x", "z", "mass"]
    assert counts_of([]) == "nothing compared"
