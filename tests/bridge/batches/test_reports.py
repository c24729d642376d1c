"""The results of a batch with hostile names, and their reports: pages, summary, JUnit and SARIF."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from bridge.batches.report import totals_of, write_reports
from bridge.batches.results import BatchOutcome, BatchResult
from tests.support.chromium import EXECUTABLE, Chromium
from tests.support.sarif_schema import SCHEMA

SETTINGS = {"task": "check", "options": {"strict": True}, "version": "1<b>"}
HOSTILE = "a/<script>alert(1)</script>|`\"'&\x1b[31m\u202e\x9b\ufffe.sdf"
RESULTS = [
    BatchResult(
        source=HOSTILE,
        task="check",
        outcome=BatchOutcome.INVALID,
        detail=f"{HOSTILE} [sdf.x]",
        model=HOSTILE,
        severities={"error": 1, "warning": 1},
        fates={"invalid": 1, "dropped": 1},
        diagnostics=(
            {
                "code": "sdf.frame-cycle",
                "severity": "error",
                "message": HOSTILE,
                "file": HOSTILE,
                "line": 3,
            },
            {
                "code": "sdf.plugin",
                "severity": "warning",
                "message": "m",
                "file": "/b.sdf",
                "hint": HOSTILE,
            },
        ),
        report=f"reports/{HOSTILE}/report.html",
        thumbnail="thumbnails/a.png",
    ),
    BatchResult(
        source="b.sdf",
        task="check",
        outcome=BatchOutcome.VALID,
        size={"links": 10, "joints": 2, "dofs": 1},
    ),
    BatchResult(source="c.sdf", task="check", outcome=BatchOutcome.CRASH, detail="SIGSEGV"),
    BatchResult(source="d.sdf", task="check", outcome=BatchOutcome.INCOMPLETE),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reports")
    write_reports(path, SETTINGS, lambda: RESULTS)
    return path


# The page over all models, with hostile names.


class Page(HTMLParser):
    """Tags, rows, links and pictures of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[dict[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.append(dict(attrs))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    if EXECUTABLE is None:
        pytest.skip("there is no browser")
    with Chromium(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def rows(folder: Path) -> list[Any]:
    """The rows that the script of the page shows."""
    text = (folder / "index.html").read_text()
    head = '<script type="application/json" id="rows">'
    found: list[Any] = json.loads(text.partition(head)[2].partition("</script>")[0])
    return found


def test_the_page_has_a_row_for_each_model_and_no_tag_of_a_name(folder: Path) -> None:
    page = Page((folder / "index.html").read_text())
    assert [row[1] for row in rows(folder)] == ["invalid", "valid", "crash", "INCOMPLETE"]
    assert page.tags.count("script") == 2
    assert page.tags.count("b") == page.tags.count("img") == 0


def test_hostile_names_are_text_in_the_browser(folder: Path, browser: Chromium) -> None:
    browser.open((folder / "index.html").as_uri())
    outcomes = browser.run("[...document.querySelectorAll('td.o')].map(cell => cell.innerText)")
    assert outcomes == ["invalid", "crash", "INCOMPLETE", "valid"]
    browser.run("document.querySelector('tbody details').open = true")
    browser.until(lambda: browser.run("document.querySelectorAll('tbody li').length"))
    cells = browser.run("document.querySelector('tbody tr').innerText")
    assert cells.count("<script>alert(1)</script>") >= 4
    assert not {"\x1b", "\u202e", "\x9b"} & set(cells)
    assert browser.run("document.querySelectorAll('tbody script').length") == 0
    link = browser.run("document.querySelector('tbody a').getAttribute('href')")
    assert link.startswith("reports/")
    assert ":" not in link


def test_ten_thousand_models_are_sorted_and_filtered_at_once_one_line_each(
    tmp_path: Path, browser: Chromium
) -> None:
    many = [
        BatchResult(
            source=f"robots/{n % 7}/a_robot_with_a_long_name_{n:05}.urdf",
            task="check",
            outcome=BatchOutcome.INVALID if n in (4321, 9999) else BatchOutcome.VALID,
            detail="joint elbow names no link " * 20,
            size={"links": n, "joints": n, "dofs": n},
            diagnostics=({"code": "urdf.x", "severity": "warning", "message": "m"},) * 2,
        )
        for n in range(10_000)
    ]
    many[20] = dataclasses.replace(many[20], source=f"robots/{'n' * 190}.urdf")
    (tmp_path / "out").mkdir()
    write_reports(tmp_path / "out", SETTINGS, lambda: many)
    browser.open((tmp_path / "out" / "index.html").as_uri())
    assert browser.run(
        "[...document.querySelectorAll('tbody tr')].slice(0, 3).map(row => row.className)"
    ) == ["s1", "s1", "s0"]
    assert (
        browser.run(
            "Math.max(...[...document.querySelectorAll('tbody tr')]"
            ".filter(row => !row.innerText.includes('nnn')).map(row => row.offsetHeight))"
        )
        < 40
    )
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    for width in (390, 820, 1000):
        browser.open((tmp_path / "out" / "index.html").as_uri(), width=width)
        assert browser.run("document.documentElement.scrollWidth <= innerWidth"), width
    assert browser.run("document.querySelectorAll('tbody tr').length") <= 200
    assert browser.run("document.querySelectorAll('*').length") < 5000
    browser.run(
        "performance.mark('a'), words.value = '_04321', words.dispatchEvent(new Event('input'))"
    )
    assert "04321" in browser.run("document.querySelector('tbody').innerText")
    assert browser.run("document.querySelector('#count').innerText") == "1 of 10000 models"
    assert browser.run("performance.now() - performance.getEntriesByName('a')[0].startTime") < (
        5000
    )


def test_the_page_needs_no_network(folder: Path) -> None:
    text = (folder / "index.html").read_text()
    assert "http:" not in text
    assert "https:" not in text
    page = Page(text)
    assert not [name for names in page.attributes for name in names if name in ("src", "href")]
    links = [link for *_, report, picture in rows(folder) for link in (report, picture) if link]
    assert links
    assert not any("//" in link or ":" in link for link in links)


# The test cases of a batch.

_PROBLEM = (
    '<xs:complexType mixed="true"><xs:attribute name="message" use="required"/>'
    '<xs:attribute name="type" use="required"/></xs:complexType>'
)
_COUNTS = "".join(
    f'<xs:attribute name="{name}" type="xs:nonNegativeInteger" use="required"/>'
    for name in ("tests", "failures", "errors", "skipped")
)
_SCHEMA = f"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:element name="testcase"><xs:complexType>
  <xs:choice minOccurs="0">
    <xs:element name="failure">{_PROBLEM}</xs:element><xs:element name="error">{_PROBLEM}</xs:element>
  </xs:choice>
  <xs:attribute name="name" use="required"/><xs:attribute name="classname" use="required"/>
</xs:complexType></xs:element>
<xs:element name="testsuite"><xs:complexType>
  <xs:sequence><xs:element ref="testcase" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
  <xs:attribute name="name" use="required"/>{_COUNTS}
</xs:complexType></xs:element>
</xs:schema>"""
"""The elements and attributes that are written here, in the structure that readers of JUnit results
commonly expect.
"""


def test_junit_follows_its_schema_and_its_counts_are_those_of_the_cases(folder: Path) -> None:
    suite = etree.parse(folder / "junit.xml")
    etree.XMLSchema(etree.fromstring(_SCHEMA)).assertValid(suite)
    counts = [len(suite.xpath(path)) for path in ("testcase", "testcase/failure", "testcase/error")]
    assert counts == [int(suite.getroot().get(name)) for name in ("tests", "failures", "errors")]


def test_junit_has_a_case_for_each_model(folder: Path) -> None:
    suite = etree.parse(folder / "junit.xml").getroot()
    assert {key: suite.get(key) for key in ("tests", "failures", "errors")} == {
        "tests": "4",
        "failures": "2",
        "errors": "1",
    }
    assert [len(case) for case in suite] == [1, 0, 1, 1]
    assert suite[2][0].get("message") == "crash: SIGSEGV"


# All reports of a batch.


def test_no_page_has_a_control_character(folder: Path) -> None:
    for name in ("index.html", "summary.md", "junit.xml", "results.sarif"):
        assert not {"\x1b", "\u202e", "\x9b"} & set((folder / name).read_text()), name
    line = RESULTS[0].to_line()
    assert not {"\x1b", "\u202e", "\x9b"} & set(line.decode())
    assert json.loads(line)["source"] == HOSTILE


def test_a_name_that_is_not_utf_8_ends_no_report(tmp_path: Path) -> None:
    """Python has its bytes as surrogates, which no text file can hold."""
    name = os.fsdecode(b"n\xff\xfe.sdf")
    finding = {"code": "sdf.plugin", "severity": "error", "message": name, "file": name}
    result = BatchResult(
        source=name, task="check", outcome=BatchOutcome.INVALID, diagnostics=(finding,)
    )
    assert json.loads(result.to_line())["source"] == name
    settings = {"task": "check", "options": {}, "version": "1"}
    write_reports(tmp_path, settings, lambda: iter([result]))
    (found,) = json.loads((tmp_path / "results.sarif").read_text())["runs"][0]["results"]
    place = found["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "n%FF%FE.sdf"


def test_an_empty_batch_has_reports_too(tmp_path: Path) -> None:
    write_reports(tmp_path, {"task": "check", "options": {}, "version": "1"}, list)
    assert json.loads((tmp_path / "results.sarif").read_text())["runs"][0]["results"] == []
    assert etree.parse(tmp_path / "junit.xml").getroot().get("tests") == "0"


# The findings of a batch for code hosts.


@pytest.mark.slow
def test_sarif_has_the_structure_of_version_2_1_0(folder: Path) -> None:
    import jsonschema

    log: dict[str, Any] = json.loads((folder / "results.sarif").read_text())
    jsonschema.validate(log, SCHEMA)
    assert log.keys() == {
        "$schema",
        "version",
        "runs",
        "properties",
    }  # the standard allows no other names
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["sdf.frame-cycle", "sdf.plugin", "batch.failed"]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    levels = [result["level"] for result in run["results"]]
    assert levels == ["error", "warning", "error", "warning"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 3}
    assert " " not in place["artifactLocation"]["uri"]


# The summary for a code host, with hostile names.


def test_the_summary_counts_and_lists_what_is_not_fine(folder: Path) -> None:
    text = (folder / "summary.md").read_text()
    assert "# Batch `check`: 3 of 4 models failed" in text
    assert "| valid | 1 |" in text
    assert "| c.sdf | crash | SIGSEGV |" in text
    assert "<script>" not in text
    rows = [line for line in text.splitlines() if "alert" in line]
    assert all(line.replace("\\|", "").count("|") == 4 for line in rows)


# Numbers over all results.


def of(outcome: BatchOutcome, **fields: object) -> BatchResult:
    return BatchResult(source="a", task="check", outcome=outcome, **fields)  # type: ignore[arg-type]


def test_the_numbers_of_a_batch() -> None:
    entry = {"code": "a.b", "severity": "error", "message": "m"}
    bad = of(
        BatchOutcome.INVALID,
        severities={"error": 2},
        fates={"invalid": 2},
        diagnostics=(entry, entry),
    )
    totals = totals_of([of(BatchOutcome.CRASH), bad, of(BatchOutcome.VALID), bad])
    assert (totals.models, totals.failures, totals.status) == (4, 3, 1)
    assert totals.ordered() == [("valid", 1), ("invalid", 2), ("crash", 1)]
    assert totals.codes == {"a.b": 2}
    assert totals.to_dict()["diagnostics"] == {"error": 4}


def test_no_models_are_fine() -> None:
    assert totals_of([]).status == 0
