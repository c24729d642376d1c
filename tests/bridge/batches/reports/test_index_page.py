"""The page over all models, with hostile names."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path


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


def test_the_page_has_a_row_for_each_model_and_one_script(folder: Path) -> None:
    page = Page((folder / "index.html").read_text())
    rows = [
        attributes
        for tag, attributes in zip(page.tags, page.attributes, strict=True)
        if tag == "tr"
    ]
    assert [row.get("data-outcome") for row in rows[1:]] == [
        "invalid",
        "valid",
        "crash",
        "INCOMPLETE",
    ]
    assert page.tags.count("script") == 1
    assert page.tags.count("b") == 0
    assert page.tags.count("img") == 1


def test_the_page_needs_no_network(folder: Path) -> None:
    text = (folder / "index.html").read_text()
    assert "http:" not in text
    assert "https:" not in text
    page = Page(text)
    links = [
        value
        for attributes in page.attributes
        for key, value in attributes.items()
        if key in ("src", "href")
    ]
    assert links
    assert not any(link and ("//" in link or ":" in link) for link in links)
