"""What a page of Markdown shows, for tests, by a parser of CommonMark with the tables of GitHub."""

from __future__ import annotations

from markdown_it import MarkdownIt

from tests.support.web_page import WebPage

_PLAIN = {"p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "code"}
"""Tags of a page whose texts are shown as they are."""


class MarkdownPage:
    """The tags and the words of a page.

    Attributes:
        html: The page as HTML.
        words: All words, with one space between each two.
        addresses: What it links or loads.
        tags: All tags, as often as they occur.
    """

    def __init__(self, text: str) -> None:
        """Render a page."""
        parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
        parser.validateLink = lambda _: True  # type: ignore[method-assign] # other programs link any address
        self.html = parser.render(text)
        page = WebPage(self.html)
        self.words = " ".join("".join(page.words).split())
        self.addresses = page.addresses
        self.tags = page.tags

    @property
    def is_markup(self) -> bool:
        """Whether it has anything but paragraphs, items, one table and code."""
        return not _PLAIN.issuperset(self.tags)
