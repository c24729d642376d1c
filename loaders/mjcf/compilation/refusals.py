"""Everything that MuJoCo refuses in a document: it stops at the first error, so errors are taken out one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from loaders.safety.fence import describe
from loaders.safety.limits import LimitError

from .compiler import CompileError

MAX_REFUSALS = 20
"""Largest number of errors that are searched for in one document."""
MAX_CHARACTERS = 500_000
"""Largest length of texts in which further errors are searched for."""

_TAG = re.compile(r"<(/?)([^\s/>]+)([^>]*?)(/?)>")
_ATTRIBUTES = (
    (re.compile(r"attribute:? '([^']+)'"), r' {}="[^"]*"'),
    (re.compile(r"invalid keyword: '([^']*)'"), r' [\w:.-]+="{}"'),
    (re.compile(r"repeated name '([^']*)'"), r' name="{}"'),
)
"""Patterns of messages that name an attribute, each with the pattern of that attribute."""
_PREFIX = re.compile(r"^ValueError: (?:XML )?(?:Error: )*(?:Schema violation: )?")
_PLACE = re.compile(r"\s*Element (?:'[^']*'|name '[^']*'(?:, id -?\d+)?),? line \d+\.?\s*")
_NAME = re.compile(r' (?:name|class)="([^"]*)"')
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")

Compile = Callable[[str, Mapping[str, str]], object]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One part of a document that MuJoCo refuses."""

    line: int
    """Line of the text, from 1; 0 if MuJoCo states none."""
    reason: str
    """MuJoCo's message, without the place."""


def refusals(error: CompileError, text: str, models: Mapping[str, str], compile_: Compile) -> list[Refusal]:
    """Return what MuJoCo refuses in a document, in the order in which MuJoCo finds it.

    The attribute that a message names is taken out of the text, else the element, and MuJoCo is asked again. What only
    follows from a part that was taken out is left out.

    Args:
        error: The first error.
        text: The document, with a line for each element.
        models: Texts of the attached models, by name; no two texts share a line.
        compile_: Compiles the document and the attached models.
    """
    search = _Search({"": text, **models})
    is_small = sum(map(len, search.texts.values())) <= MAX_CHARACTERS
    found: list[Refusal] = []
    next_error: CompileError | None = error
    for _ in range(MAX_REFUSALS):
        if next_error is None:
            break
        refusal = Refusal(next_error.line, _reason(next_error))
        place = search.element(refusal.line)
        if not search.follows(refusal, place):
            found.append(refusal)
        if place is None or not is_small:
            break
        search.take_out(refusal, place)
        next_error = _error(search.texts, compile_)
    return found


def _error(texts: Mapping[str, str], compile_: Compile) -> CompileError | None:
    try:
        compile_(texts[""], {name: text for name, text in texts.items() if name})
    except CompileError as error:
        return error
    except LimitError:
        return None
    return None


def _reason(error: CompileError) -> str:
    """Return the message of MuJoCo without the place in the text, which is not that in the source."""
    cause = error.__cause__
    text = " ".join((str(error) if cause is None else describe(cause)).split())
    return _PLACE.sub(" ", _PREFIX.sub("", text)).strip()


@dataclass(frozen=True, slots=True)
class _Element:
    """The place of an element."""

    model: str
    """Name of the text."""
    tag: re.Match[str]
    """Its start tag."""
    end: int
    """Its end in the text."""
    lines: range
    """Its line, and those of the elements in it."""


@dataclass(slots=True)
class _Search:
    """The texts, and what was taken out of them."""

    texts: dict[str, str]
    names: set[str] = field(default_factory=set)
    """Names of elements and classes that were taken out."""
    lines: set[int] = field(default_factory=set)
    """Lines of which something was taken out."""

    def element(self, line: int) -> _Element | None:
        """Return the element of a line; None if there is none, or if it is the root."""
        for name, text in self.texts.items():
            above = _start(text, line)
            tags = [] if above is None else [tag for tag in _TAG.finditer(text, *above) if not tag[1]]
            if tags and tags[-1][2] not in {"mujoco", "mujocoinclude"}:
                end = tags[-1].end() if tags[-1][4] else _end(text, tags[-1].end())
                count = text.count("\n", tags[-1].start(), end)
                return _Element(name, tags[-1], end, range(line, line + max(count, 1)))
        return None

    def follows(self, refusal: Refusal, place: _Element | None) -> bool:
        """Return whether an error only follows from what was taken out: of its element, or of what it refers to."""
        quoted = {a or b for a, b in _QUOTED.findall(refusal.reason)}
        is_changed = place is not None and any(line in self.lines for line in place.lines)
        return bool(quoted & self.names) or (is_changed and _attribute(place, refusal) is None)

    def take_out(self, refusal: Refusal, place: _Element) -> None:
        """Take the attribute that an error names out of a text, else the element."""
        text, tag = self.texts[place.model], place.tag
        attribute = _attribute(place, refusal)
        start, end = attribute or (tag.start(), place.end)
        removed = text[start:end]
        self.texts[place.model] = text[:start] + "\n" * removed.count("\n") + text[end:]
        self.lines.update(place.lines[:1])
        if attribute is None:
            self.names.update(_NAME.findall(removed))


def _start(text: str, line: int) -> tuple[int, int] | None:
    """Return where a line starts and ends in a text; None if it is empty or missing."""
    lines = text.split("\n")
    if not 0 < line <= len(lines) or not lines[line - 1]:
        return None
    start = sum(map(len, lines[: line - 1])) + line - 1
    return start, start + len(lines[line - 1])


def _attribute(place: _Element | None, refusal: Refusal) -> tuple[int, int] | None:
    """Return start and end of the attribute that an error names; None if the element has no such attribute."""
    if place is None:
        return None
    for pattern, attribute in _ATTRIBUTES:
        if named := pattern.search(refusal.reason):
            found = re.search(attribute.format(re.escape(named[1])), place.tag[3])
            first = place.tag.start(3)
            return None if found is None else (first + found.start(), first + found.end())
    return None


def _end(text: str, start: int) -> int:
    """Return where the element ends whose start tag ends at a place."""
    depth = 1
    for tag in _TAG.finditer(text, start):
        depth += 0 if tag[4] else -1 if tag[1] else 1
        if depth == 0:
            return tag.end()
    return len(text)
