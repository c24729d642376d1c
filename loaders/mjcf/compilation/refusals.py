"""Everything that MuJoCo refuses in a document: it stops at the first error, so errors are taken out one by one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from loaders.safety.library_errors import describe_exception
from loaders.safety.limits import LimitError

from .compiler import CompileError

MAX_REFUSALS = 20
"""Largest number of errors that are searched for in one document."""
MAX_SECONDS = 5.0
"""Longest time after which MuJoCo is asked again; a document of a few lines may take it seconds."""
MAX_CHARACTERS = 500_000
"""Largest length of texts in which further errors are searched for."""
_CABLE = re.compile(r'<composite [^>]*\bcount="\s*[^\s"]{3,}')
"""A cable of 100 parts or more: without its first error, 1,000 parts take half a minute to be compiled."""

_TAG = re.compile(r"<(/?)([^\s/>]+)([^>]*?)(/?)>")
_ATTRIBUTES = (
    (re.compile(r"attribute:? '([^']+)'"), r' {}="[^"]*"'),
    (re.compile(r"invalid keyword: '([^']*)'"), r' [\w:.-]+="{}"'),
    (re.compile(r"repeated name '([^']*)'"), r' name="{}"'),
    (re.compile(r"unknown default (childclass)"), r' {}="[^"]*"'),
    (re.compile(r"unknown default class name '([^']*)'"), r' class="{}"'),
    (re.compile(r"material '([^']*)' not found"), r' material="{}"'),
    (re.compile(r"multiple (orientation) specifiers"), r' (?:quat|axisangle|xyaxes|zaxis|euler)="[^"]*"'),
    (re.compile(r"keyframe .*invalid (\w+) size"), r' {}="[^"]*"'),
)
"""Patterns of messages that name an attribute, each with the pattern of that attribute."""
_PREFIX = re.compile(r"^ValueError: (?:(?:XML )?Error: |could not parse model file with error: |Schema violation: )*")
_PLACE = re.compile(r"\s*Element (?:'[^']*'|name '[^']*'(?:, id -?\d+)?)(?:,? line \d+\.?)?\s*")
_SECTIONS = (
    ("keyframe", re.compile(r"keyframe .*Element name '(?P<name>[^']*)', id (?P<index>\d+)")),
    ("actuator", re.compile(r"in actuator (?P<index>\d+)")),
)
"""Sections of whose elements MuJoCo states the name or the number, and no line."""
_NO_INERTIA = "mass and inertia of moving bodies"
_INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
_OF_CHILDREN = "unknown default childclass"
_MISSING_NUMBER = re.compile(r"must be positive|mass and inertia|range|required|missing|without")
"""Errors of elements that may have no number only because a class lacks it."""
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
    is_of_text: bool = False
    """Whether it is about the text, which MuJoCo reads before it compiles what the text makes."""


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
    is_small = is_small and not any(map(_CABLE.search, search.texts.values()))
    found: list[Refusal] = []
    next_error: CompileError | None = error
    start = time.perf_counter()
    for _ in range(MAX_REFUSALS):
        if next_error is None:
            break
        refusal = _refusal(next_error, search)
        place = search.element(refusal.line)
        is_new = refusal not in found
        if is_new and not search.follows(refusal, place):
            found.append(refusal)
        if place is None or not is_small or time.perf_counter() - start > MAX_SECONDS:
            break
        search.correct(refusal, place, by_inertia=is_new)
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


def _refusal(error: CompileError, search: _Search) -> Refusal:
    """Return an error with the message of MuJoCo without the place in the text, which is not that in the source."""
    cause = error.__cause__
    text = " ".join((str(error) if cause is None else describe_exception(cause)).split())
    reason = _PLACE.sub(" ", _PREFIX.sub("", text)).strip()
    return Refusal(error.line or search.line_in_section(text), reason, "XML Error" in text)


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
    lacks_classes: bool = False
    """Whether something was taken out of the defaults, from which any element may have its numbers."""
    lacks_elements: bool = False
    """Whether an element was taken out, so that keyframes have too many numbers."""

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

    def line_in_section(self, message: str) -> int:
        """Return the line of the element of the document that a message names without a line; 0 if it names none.

        A number counts the elements of attached models too.
        """
        for section, pattern in _SECTIONS:
            if named := pattern.search(message):
                tags, name = list(_children(self.texts[""], section)), named.groupdict().get("name")
                by_number = tags[int(named["index"]) :] if len(self.texts) == 1 else []
                found = [tag for tag in tags if f' name="{name}"' in tag[3]] if name else by_number
                return self.texts[""].count("\n", 0, found[0].start()) + 1 if found else 0
        return 0

    def follows(self, refusal: Refusal, place: _Element | None) -> bool:
        """Return whether an error only follows from what was taken out: of its element, or of what it refers to."""
        quoted = {a or b for a, b in _QUOTED.findall(refusal.reason)}
        is_changed = place is not None and any(line in self.lines for line in place.lines)
        if self.lacks_elements and refusal.reason.startswith("keyframe "):
            return True
        if self.lacks_classes and not refusal.is_of_text and _MISSING_NUMBER.search(refusal.reason):
            return True
        return bool(quoted & self.names) or (is_changed and _attribute(place, refusal) is None)

    def correct(self, refusal: Refusal, place: _Element, *, by_inertia: bool) -> None:
        """Change a text so that an error is gone: add the inertia that a body lacks, else take a part out.

        Args:
            refusal: The error.
            place: Its element.
            by_inertia: Whether an inertia may help; the error stays where geoms are to give it.
        """
        text, start, end = self.texts[place.model], place.tag.end(), place.end
        if by_inertia and _NO_INERTIA in refusal.reason and "<inertial" not in text[start:end].partition("<body")[0]:
            self.texts[place.model] = text[:start] + _INERTIAL + text[start:]
        else:
            self.take_out(refusal, place)

    def take_out(self, refusal: Refusal, place: _Element) -> None:
        """Take the attribute that an error names out of a text, else the element."""
        text, tag = self.texts[place.model], place.tag
        attribute = _attribute(place, refusal)
        self.lacks_elements |= attribute is None
        self.lacks_classes |= refusal.reason == _OF_CHILDREN or _is_of_defaults(text, tag)
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


def _is_of_defaults(text: str, place: re.Match[str]) -> bool:
    """Return whether an element, given by its start tag, is in the defaults."""
    tags = [tag for tag in _TAG.finditer(text, 0, place.end()) if tag[2] == "default"]
    return place[2] == "default" or sum(-1 if tag[1] else 0 if tag[4] else 1 for tag in tags) > 0


def _children(text: str, section: str) -> Iterator[re.Match[str]]:
    """Yield the start tags of the elements in all sections of a kind, without the elements in them."""
    for opening in re.finditer(rf"<{section}>", text):
        depth = 0
        for tag in _TAG.finditer(text, opening.end()):
            if depth == 0 and not tag[1]:
                yield tag
            depth += -1 if tag[1] else 0 if tag[4] else 1
            if depth < 0:
                break


def _end(text: str, start: int) -> int:
    """Return where the element ends whose start tag ends at a place."""
    depth = 1
    for tag in _TAG.finditer(text, start):
        depth += 0 if tag[4] else -1 if tag[1] else 1
        if depth == 0:
            return tag.end()
    return len(text)
