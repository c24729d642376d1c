"""The documentation site builds without a warning, has every public name, and works without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import bridge
import loaders
import sdfbridge
from bridge import mjcf, parity

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
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(ROOT / "docs"), str(folder)],
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
    public = {f"sdfbridge.{name}" for name in sdfbridge.__all__} - {"sdfbridge.parity", "sdfbridge.WORLD"}
    public |= {f"bridge.parity.{name}" for name in set(parity.__all__) - {"compare"}}
    public |= {
        f"loaders.model.{name}" for name in loaders.model.__all__ if isinstance(getattr(loaders.model, name), type)
    }
    assert {name for name in bridge.__all__ if name not in sdfbridge.__all__} == {"mujoco_plugin"}
    assert "bridge.mjcf.MjcfExport" in documented
    assert mjcf.MjcfExport.__doc__
    assert sorted(public - documented - {"loaders.model.SceneData"}) == []


def test_every_link_within_the_site_leads_to_a_page_and_an_anchor(site: Path, pages: dict[Path, References]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or not (parts.path or parts.fragment):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[target].anchors if target in pages else set()
            if not target.exists() or (parts.fragment and anchors and unquote(parts.fragment) not in anchors):
                broken.append((path.name, link))
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, References]) -> None:
    assert {item for page in pages.values() for item in page.resources if re.match(r"(https?:)?//", item)} == set()


def test_the_search_works_without_a_server(site: Path) -> None:
    assert "load_into_pybullet" in (site / "searchindex.js").read_text(encoding="utf-8")
