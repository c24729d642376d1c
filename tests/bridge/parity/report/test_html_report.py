"""The HTML report: complete, self-contained and safe, with and without a fault."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.cli import main
from bridge.diff.files import difference_table, page
from bridge.parity import Comparison, Outcome, Verdict
from bridge.parity.causes import Gap
from bridge.parity.engine import factory_of
from bridge.parity.report.report import GLOSSARY
from tests.support.chromium import EXECUTABLE, Chromium
from tests.support.comparisons import comparison, row

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
pytest.importorskip("matplotlib")


class Page(HTMLParser):
    """Collects addresses and words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [
            value or "" for name, value in attrs if name in {"src", "href", "xlink:href"}
        ]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


MEASURE = (
    "<script>document.title = JSON.stringify({wide: document.documentElement.scrollWidth, room: "
    "innerWidth, "
    "missing: [...document.querySelectorAll('nav a')].filter(a => "
    "!document.querySelector(a.hash)).length, "
    "drawings: [...document.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().height "
    "> 100).length, "
    "images: [...document.images].filter(i => i.naturalWidth > 100).length})</script>"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command writes."""
    out = tmp_path_factory.mktemp("report")
    words = [
        "compare",
        str(ARM),
        "--set",
        "elbow=-30deg",
        "--set",
        "waist=0.5",
        "--report",
        str(out),
        "-q",
    ]
    assert main([*words, "--configurations", "3"]) == 0
    return out


def faulty() -> Comparison:
    scene = loaders.load(ARM)
    links = tuple(
        dataclasses.replace(k, inertia=dataclasses.replace(k.inertia, mass=1.01 * k.inertia.mass))
        if k.name == "forearm"
        else k
        for k in scene.links
    )

    def heavier(_mechanism: object) -> object:
        return factory_of("mujoco")(bridge.lower(dataclasses.replace(scene, links=links)))

    heavier.name = "mujoco"  # type: ignore[attr-defined]
    return bridge.compare(scene, (heavier, "pybullet"), levels=("L0", "L1"), configurations=2)


@pytest.mark.slow
def test_the_page_has_everything_that_it_promises(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    for heading in (
        "Pictures",
        "Quantities",
        "Error over time, motion with damping",
        "Error over the step",
        "Mass matrix",
        "Collidable pairs of links",
        "Mass and inertia",
        "Fidelity report",
        "Environment",
    ):
        assert f">{heading}" in page, heading
    assert page.count("<svg") >= 4
    assert "slope 1.0" in page
    assert "tolerance 1e-09" in page


@pytest.mark.slow
@pytest.mark.skipif(EXECUTABLE is None, reason="there is no browser")
def test_a_browser_shows_it_whole_at_1280_pixels_and_every_link_leads_somewhere(
    folder: Path, tmp_path: Path
) -> None:
    page = tmp_path / "measured.html"
    page.write_text(
        (folder / "report.html").read_text(encoding="utf-8") + MEASURE, encoding="utf-8"
    )
    command = [
        str(EXECUTABLE),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--window-size=1280,900",
        "--dump-dom",
    ]
    done = subprocess.run(
        [*command, f"--user-data-dir={tmp_path / 'browser'}", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    measured = json.loads(re.search(r"<title>(.*?)</title>", done.stdout)[1].replace("&quot;", '"'))
    assert measured["wide"] <= measured["room"], "nothing is cut off or scrolls sideways"
    assert measured["missing"] == 0
    assert measured["drawings"] >= 4
    assert measured["images"] >= 1


@pytest.mark.slow
def test_a_chosen_configuration_is_compared_drawn_and_repeated_by_the_command(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    command = json.loads((folder / "results.json").read_text(encoding="utf-8"))["command"]
    assert "--set elbow=-0.5235987755982988 --set waist=0.5" in command
    assert (
        "MuJoCo and PyBullet at the same joint positions" in page or "pictures are left out" in page
    )


@pytest.mark.parametrize(
    "text", ["elbow", "elbow=", "=1", "elbow=up", "elbow=nan", "elbows=0.1", "elbow=1,2"]
)
def test_a_configuration_that_is_none_is_wrong_usage(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(ARM), "--set", text, "--level", "L0"]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.slow
def test_results_tell_series_sensitivity_and_order(folder: Path) -> None:
    rows = json.loads((folder / "results.json").read_text(encoding="utf-8"))["rows"]
    (moved,) = (
        r
        for r in rows
        if r["quantity"] == "motion without damping" and r["engines"] == ["mujoco", "pybullet"]
    )
    assert len(moved["series"]) == 20
    assert moved["sensitivity"] >= 1.0
    orders = [r["order"] for r in rows if r["quantity"] == "order of convergence"]
    assert orders == pytest.approx([1.0] * 3, abs=0.1)
    assert all(len(r["convergence"]) == 4 for r in rows if r["quantity"] == "order of convergence")


def test_a_fault_stands_at_the_head_with_its_place_and_beside_the_link_that_has_it(
    tmp_path: Path,
) -> None:
    found = faulty()
    page = found.to_html(tmp_path / "r.html").read_text(encoding="utf-8")
    assert found.verdict is Verdict.DIFFERS
    head = page[: page.index("<nav>")]
    assert "<b>mass</b> (reference / mujoco)" in head
    assert "<b>forearm</b>" in head
    assert "likely mujoco: the only engine that differs from the model in mass" in head
    later = next(row for row in found.failures if row.quantity == "mass matrix")
    assert "may follow from the mass of forearm" in later.cause
    row = next(line for line in page.splitlines() if line.startswith("<tr><td>forearm</td><td"))
    assert "1.0e-02" in row
    assert "✗" in page, "a difference is told by a sign and not by color alone"


def test_pairs_that_an_engine_holds_otherwise_are_marked_in_the_matrix(tmp_path: Path) -> None:
    scene = loaders.load(ARM)
    bare = dataclasses.replace(scene, filter_groups=(), filter_rules=(), links=scene.links)

    def unfiltered(_mechanism: object) -> object:
        return factory_of("mujoco")(bridge.lower(bare))

    unfiltered.name = "mujoco"  # type: ignore[attr-defined]
    found = bridge.compare(scene, (unfiltered,), levels=("L1",), configurations=1)
    page = found.to_html(tmp_path / "r.html").read_text(encoding="utf-8")
    expected = bridge.lower(scene).collidable_pairs() != bridge.lower(bare).collidable_pairs()
    assert ('class="off">✗' in page) is expected
    assert expected, "the model filters some pair"


def test_the_command_line_tells_the_first_difference_with_size_and_likely_cause(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pendulum = ARM.parents[1] / "double_pendulum.urdf"
    assert (
        main(
            [
                "compare",
                str(pendulum),
                "--engines",
                "mujoco-urdf",
                "--level",
                "L0",
                "--configurations",
                "1",
            ]
        )
        == 1
    )
    told = capsys.readouterr()
    (first,) = (row for row in told.out.splitlines() if row.startswith("first difference"))
    assert re.search(
        r"joint motion \(reference / mujoco-urdf\): error inf .* at mount, .* likely: .*merges links",
        first,
    )
    assert "\x1b" not in told.err, "progress is for terminals"


@pytest.fixture(scope="module")
def arm() -> Comparison:
    return bridge.compare(ARM, configurations=2)


@pytest.fixture(scope="module")
def page_of_arm(arm: Comparison, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the comparison of the arm."""
    return arm.to_html(tmp_path_factory.mktemp("page") / "r.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_needs_nothing_from_outside(arm: Comparison, tmp_path: Path) -> None:
    page = Page(arm.to_html(tmp_path / "r.html", {"both": b"\x89PNG"}).read_text(encoding="utf-8"))
    assert all(address.startswith(("data:", "#")) for address in page.addresses)
    text = " ".join(page.words)
    assert "EQUIVALENT" in text
    assert all(r.quantity in text for r in arm.rows)
    assert all(entry.code in text for entry in arm.diagnostics)


@pytest.mark.slow
def test_equal_comparisons_make_equal_pages(arm: Comparison, tmp_path: Path) -> None:
    pages = [arm.to_html(tmp_path / name).read_bytes() for name in ("a.html", "b.html")]
    assert pages[0] == pages[1]


@pytest.mark.slow
def test_the_page_begins_with_the_file_and_one_line_of_counts(
    arm: Comparison, page_of_arm: str
) -> None:
    start, end = page_of_arm.index("<h1>"), page_of_arm.index("<nav>")
    head = " ".join(Page(page_of_arm[start:end]).words)
    assert head.split()[0] == "model.sdf"
    passed = sum(row.outcome is Outcome.PASSED for row in arm.rows)
    warnings = sum(entry.severity == "warning" for entry in arm.diagnostics)
    assert f"{len(arm.rows)} rows" in head
    assert f"{passed} within tolerance" in head
    assert f"{warnings} warnings" in head


def test_differences_come_before_everything_else_the_worst_first(tmp_path: Path) -> None:
    rows = [
        row(Outcome.PASSED, quantity="first"),
        row(Outcome.EXPLAINED, quantity="second"),
        row(Outcome.FAILED, quantity="third"),
    ]
    text = (
        comparison(*rows).to_html(tmp_path / "r.html", {"both": b"png"}).read_text(encoding="utf-8")
    )
    body = text[text.index("<main>") :]
    assert (
        body.index("third") < body.index("second") < body.index(">Pictures") < body.index("first")
    )


def test_the_date_is_that_of_the_argument_or_of_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = comparison(row(Outcome.PASSED))
    assert "2020-02-29" in found.to_html(tmp_path / "a.html", date="2020-02-29").read_text(
        encoding="utf-8"
    )
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert "1970-01-02" in found.to_html(tmp_path / "b.html").read_text(encoding="utf-8")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "tomorrow")
    with pytest.raises(ValueError, match="'tomorrow'; expected a number of seconds"):
        found.to_html(tmp_path / "c.html")
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert re.search(
        r"\d{4}-\d{2}-\d{2}", found.to_html(tmp_path / "d.html").read_text(encoding="utf-8")
    )


def test_drawings_have_no_metadata_and_the_page_no_script(page_of_arm: str) -> None:
    foreign = r"<metadata|purl\.org|creativecommons|matplotlib\.org|<script"
    assert "<svg" in page_of_arm
    assert not re.search(foreign, page_of_arm)
    assert "prefers-color-scheme: dark" in page_of_arm


def test_every_term_of_the_glossary_is_explained(page_of_arm: str) -> None:
    words = " ".join(Page(page_of_arm).words)
    assert all(text in words for text in GLOSSARY.values())
    assert "name[k]" in words


COLORS = (
    "(() => { const parse = c => c.match(/[\\d.]+/g).slice(0, 3).map(x => { const v = x / 255;"
    " return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 });"
    " const light = c => { const [r, g, b] = parse(c); return 0.2126 * r + 0.7152 * g + 0.0722 * "
    "b };"
    " const page = light(getComputedStyle(document.body).backgroundColor);"
    " return [...document.querySelectorAll('h1, h1 + p, td, th, a, dt, figcaption, .key')].map(e "
    "=> {"
    " let b = e; while (b && getComputedStyle(b).backgroundColor === 'rgba(0, 0, 0, 0)') b = "
    "b.parentElement;"
    " const back = b ? light(getComputedStyle(b).backgroundColor) : page, text = "
    "light(getComputedStyle(e).color);"
    " return (Math.max(back, text) + 0.05) / (Math.min(back, text) + 0.05) }).reduce((a, b) => "
    "Math.min(a, b)) })()"
)
"""The smallest contrast of a text with its background, as WCAG defines it."""
NARROWEST = (
    "Math.min(...[...document.querySelectorAll('td')].filter(t => t.innerText.length > 50)"
    ".map(t => t.getBoundingClientRect().width))"
)
"""Width of the narrowest cell with a sentence [pixels]."""
CAUSE = "document.querySelector('.rows td:last-child').getBoundingClientRect().right"
"""The right end of the first cause [pixels]."""
ROWS = (
    "[...document.querySelectorAll('.choices tbody tr')].filter(t => "
    "t.getBoundingClientRect().height > 0)"
    ".sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map(t => "
    "t.innerText)"
)


@pytest.mark.slow
@pytest.mark.skipif(EXECUTABLE is None, reason="there is no browser")
def test_a_browser_shows_it_at_four_widths_in_both_color_schemes_filtered_and_sorted(
    tmp_path: Path,
) -> None:
    pytest.importorskip("websockets")
    rows = [
        row(Outcome.PASSED, 1e-12, quantity="c"),
        row(Outcome.PASSED, 1e-10, quantity="b"),
        row(Outcome.FAILED, 1.0, quantity="a", cause="the engines differ " * 9),
        row(Outcome.UNKNOWN, 0.0, quantity="d", cause="no report"),
    ]
    gap = Gap(quantity="effort", engines=("mujoco", "pybullet"), reason="why " * 30)
    compared = dataclasses.replace(comparison(*rows), gaps=(gap,), inputs={"m.sdf": "0" * 64})
    file = compared.to_html(tmp_path / "r.html")
    notebook = tmp_path / "n.html"
    notebook.write_text(f"<!doctype html>{compared._repr_html_()}", encoding="utf-8")
    with Chromium(tmp_path / "browser") as browser:
        browser.open(notebook.as_uri(), width=420)
        browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert browser.run(NARROWEST) >= 200
        for width, dark in product((390, 800, 1280, 1900), (False, True)):
            browser.open(file.as_uri(), width=width, dark=dark)
            assert browser.run("document.documentElement.scrollWidth") <= width
            assert browser.run(CAUSE) <= width
            assert browser.run(COLORS) >= 4.5
            assert browser.run(NARROWEST) >= 200
            assert (
                browser.run("getComputedStyle(document.body).backgroundColor")
                == "rgb(255, 255, 255)"
            ) is not dark
        browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
        for choice, expected in {
            "sort-name": "abcd",
            "sort-error": "abcd",
            "sort-file": "cbad",
        }.items():
            browser.run(f"document.querySelector('#{choice}').click()")
            assert [re.split(r"\s+", text)[3] for text in browser.run(ROWS)] == list(expected), (
                choice
            )
        for choice, expected in {
            "show-differing": "a",
            "show-unknown": "d",
            "show-passed": "cb",
        }.items():
            browser.run(f"document.querySelector('#{choice}').click()")
            assert [re.split(r"\s+", text)[3] for text in browser.run(ROWS)] == list(expected), (
                choice
            )


@pytest.mark.slow
@pytest.mark.skipif(EXECUTABLE is None, reason="there is no browser")
def test_pages_of_two_files_and_of_a_replay_fit_a_telephone(tmp_path: Path) -> None:
    pytest.importorskip("websockets")
    names = [f"arm::{'long_' * 6}{k}" for k in range(2)]
    table = difference_table(("joint", *"abcdef"), [(name, *["0.00012"] * 6) for name in names])
    drawing = "<figure><svg width='900' height='300'></svg></figure>"
    file = tmp_path / "two.html"
    sections = [("Errors", table), ("Curves", drawing)]
    file.write_text(page("A: a.urdf, B: b.urdf", "agrees", sections, f"B lacks {'long' * 50}."))
    with Chromium(tmp_path / "browser") as browser:
        for width in (390, 800):
            browser.open(file.as_uri(), width=width)
            assert browser.run("document.documentElement.scrollWidth") <= width
            assert browser.run("document.querySelector('td').offsetHeight") < 40
            assert browser.run("document.querySelector('svg').clientWidth") > 600


def test_names_in_a_page_are_text_and_never_markup(tmp_path: Path) -> None:
    hostile = comparison(
        row(Outcome.FAILED, cause="<script>alert(1)</script>"), model="<img src=x onerror=alert(1)>"
    )
    text = hostile.to_html(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<img" not in text


@pytest.mark.slow
def test_names_in_drawings_are_text_without_formulas_and_turned_characters(tmp_path: Path) -> None:
    """The name is legal in XML; as a formula it is none, and it turns the text that follows."""
    link = (
        "<link name='{}'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    )
    (tmp_path / "a.urdf").write_text(
        f"<robot name='r'>{link.format('a')}{link.format('b')}<joint name='$\\frac{{$\u202e' "
        "type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/></joint></robot>",
        encoding="utf-8",
    )
    result = bridge.compare(tmp_path / "a.urdf", engines=("mujoco", "pybullet"), quiet=True)
    text = result.to_html(tmp_path / "r.html").read_text(encoding="utf-8")
    drawings = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
    assert r"$\frac{$" in drawings
    assert "\u202e" not in text
