"""What a page of HTML holds, for tests: its tags, the addresses that it loads or links, and its
words.
"""

from __future__ import annotations

from html.parser import HTMLParser


class WebPage(HTMLParser):
    """The parts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.addresses: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.update(name for name, _ in attrs)
        self.addresses += [
            value or "" for name, value in attrs if name in {"src", "href", "xlink:href", "action"}
        ]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        """All words."""
        return " ".join(self.words)


def is_inert(text: str) -> bool:
    """Return whether a page runs nothing and loads nothing from elsewhere."""
    page = WebPage(text)
    return (
        not {"script", "iframe", "object", "embed", "link", "meta"} & set(page.tags)
        and not any(name.startswith("on") for name in page.attributes)
        and all(address.startswith(("data:", "#")) for address in page.addresses)
    )
