"""The documentation site builds without a warning, has every public name, and works without a
network.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import bridge
import loaders.model
import sdfbridge
from bridge import parity
from bridge.targets import mjcf
from docs.make_search_ranks import questions, ranks
from tests.support.chromium import EXECUTABLE, Chromium

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


class References(HTMLParser):
    """The links and resources of a page, and the anchors in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.resources: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        self.anchors.update(values[key] for key in ("id", "name") if key in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in ("script", "img", "iframe") and "src" in values:
            self.resources.append(values["src"])
        if tag == "link" and values.get("rel") == "stylesheet":
            self.resources.append(values["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "sphinx",
            "-q",
            "-W",
            "--keep-going",
            "-b",
            "html",
            str(ROOT / "docs"),
            str(folder),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, References]:
    return {path: References(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_every_public_name_is_documented(pages: dict[Path, References]) -> None:
    documented = {anchor for page in pages.values() for anchor in page.anchors}
    public = {f"sdfbridge.{name}" for name in sdfbridge.__all__} - {
        "sdfbridge.parity",
        "sdfbridge.WORLD",
    }
    public |= {f"bridge.parity.{name}" for name in set(parity.__all__) - {"compare"}}
    public |= {
        f"loaders.model.{name}"
        for name in loaders.model.__all__
        if isinstance(getattr(loaders.model, name), type)
    }
    assert {name for name in bridge.__all__ if name not in sdfbridge.__all__} == {"mujoco_plugin"}
    assert "bridge.targets.mjcf.MjcfExport" in documented
    assert mjcf.MjcfExport.__doc__
    assert sorted(public - documented - {"loaders.model.SceneData"}) == []


def test_every_link_within_the_site_leads_to_a_page_and_an_anchor(
    site: Path, pages: dict[Path, References]
) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or not (parts.path or parts.fragment):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[target].anchors if target in pages else set()
            if not target.exists() or (
                parts.fragment and anchors and unquote(parts.fragment) not in anchors
            ):
                broken.append((path.name, link))
    assert broken == []


def clicks_to(site: Path, pages: dict[Path, References]) -> dict[tuple[Path, str], int]:
    """Clicks from the first page to every page and anchor, by links in the text; the menu beside it
    would be one.
    """
    found: dict[tuple[Path, str], int] = {(site / "index.html", ""): 0}
    pending = [site / "index.html"]
    seen = {site / "index.html"}
    for path in pending:
        for link in References(ARTICLE.findall(path.read_text(encoding="utf-8"))[0]).links:
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if parts.scheme or target not in pages:
                continue
            count = found[path, ""] + 1
            for place in ((target, ""), (target, unquote(parts.fragment))):
                found[place] = min(found.get(place, count), count)
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return found


ARTICLE = re.compile(r"<article.*?</article>", re.DOTALL)
LOOKED_FOR = (
    "lenient.html",
    "migration.html#from-loadurdf",
    "writers.html#urdf",
    "pybullet.html#an-environment-for-gymnasium-and-many-in-one-process",
    "security.html#which-files-are-written",
    "mjcf_input.html",
    "mujoco.html#materials-and-textures",
    "urdf.html#srdf",
    "accelerators.html",
    "mujoco.html#opening-sdformat-in-mujoco",
    "equivalence.html#verdicts",
    "writers.html#compare-two-files",
    "cli.html#many-files-and-ci",
    "parity.html#pytest-plugin",
    "cli.html#reports-as-json",
    "cli.html#options-of-compare",
    "cli.html#output-streams-and-exit-status",
    "drake.html#packages",
    "drake.html#forces-and-constraints-in-the-simulators",
    "mapping.html",
    "reference/sdfbridge.html",
    "gallery.html",
    "faq.html",
    "cli.html#completion",
    "viewing.html",
    "cli.html#files-folders-and-standard-input",
    "tutorials/pybullet.html",
    "tutorials/mujoco.html",
    "tutorials/testing.html",
    "tutorials/drake.html",
    "parity.html#report",
    "glossary.html",
)
"""The places that readers of four kinds looked for."""


def test_what_readers_look_for_is_three_clicks_away(
    site: Path, pages: dict[Path, References]
) -> None:
    clicks = clicks_to(site.resolve(), {path.resolve(): page for path, page in pages.items()})
    far = {}
    for place in LOOKED_FOR:
        file, _, anchor = place.partition("#")
        count = clicks.get((site.resolve() / file, anchor), 99)
        if count > 3:
            far[place] = count
    assert far == {}


def test_every_question_leads_to_a_section_two_clicks_away(
    site: Path, pages: dict[Path, References]
) -> None:
    clicks = clicks_to(site.resolve(), {path.resolve(): page for path, page in pages.items()})
    text = (site / "questions.html").read_text(encoding="utf-8")
    rows = re.findall(r"<tr.*?</tr>", ARTICLE.findall(text)[0], re.DOTALL)
    answers = [References(row).links for row in rows if "<td" in row]
    assert len(answers) >= 50
    assert all(answers)
    for link in {link for links in answers for link in links}:
        file, _, anchor = link.partition("#")
        assert clicks[site.resolve() / file, anchor] <= 2, link


def test_every_page_is_reached_from_the_first(site: Path, pages: dict[Path, References]) -> None:
    names = {path.relative_to(site).as_posix() for path in pages} - {
        "genindex.html",
        "py-modindex.html",
        "search.html",
    }
    linked = {
        unquote(urlsplit(link).path)
        for link in pages[site / "index.html"].links
        if not urlsplit(link).scheme and urlsplit(link).path
    }
    assert sorted(names - linked - {"index.html"}) == []


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, References]) -> None:
    assert {
        item
        for page in pages.values()
        for item in page.resources
        if re.match(r"(https?:)?//", item)
    } == set()


def test_the_search_works_without_a_server(site: Path) -> None:
    assert "load_into_pybullet" in (site / "searchindex.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    if EXECUTABLE is None:
        pytest.skip("there is no browser")
    with Chromium(tmp_path_factory.mktemp("browser")) as page:
        yield page


def test_questions_of_users_are_answered_by_the_first_three_results(
    site: Path, browser: Chromium
) -> None:
    rows = questions()
    places = ranks(browser, site, rows)
    missed = [
        row["question"] for row, place in zip(rows, places, strict=True) if not 1 <= place <= 3
    ]
    assert len(rows) >= 60
    assert len(missed) <= len(rows) // 30, missed


def test_a_name_of_a_function_leads_to_its_reference(site: Path, browser: Chromium) -> None:
    row = {"question": "load_into_pybullet", "pages": "reference/sdfbridge"}
    assert ranks(browser, site, [row]) == [1]


def test_no_page_is_wider_than_a_telephone(site: Path, browser: Chromium) -> None:
    """A table or code that is wider scrolls within the page."""
    wide = {}
    for path in sorted(site.rglob("*.html")):
        browser.open(path.as_uri(), width=390, height=844)
        width = browser.run("document.documentElement.scrollWidth")
        if width > 390:
            wide[path.name] = width
    assert wide == {}


def test_on_a_telephone_the_remedy_of_a_message_is_on_the_screen(
    site: Path, browser: Chromium
) -> None:
    for name in ("troubleshooting.html", "diagnostics.html", "first_minute.html"):
        browser.open((site / name).as_uri(), width=390, height=844)
        ends = browser.run(
            "[...document.querySelectorAll('table.cards td')].map(d => d.getBoundingClientRect().right)"
        )
        assert len(ends) > 20
        assert max(ends) <= 390


def test_the_page_of_results_shows_headings(site: Path, browser: Chromium) -> None:
    browser.open((site / "search.html").as_uri() + "?q=vhacd")
    shown = "[...document.querySelectorAll('ul.search li a')].map(a => a.innerText)"
    found = browser.until(lambda: browser.run(shown))
    assert any(title.startswith("Questions >") for title in found)
