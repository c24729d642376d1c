"""Text for people: printable, escaped for Markdown and HTML, and suggestions for misspelt names and
options.
"""

from __future__ import annotations

import base64
import difflib
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, TypeVar

from .limits import has_time_to_compare

__all__ = ["card", "details", "findings_table", "summary_of", "table"]


MAX_LENGTH = 60
"""Largest number of characters of a name that is compared; the comparison is quadratic in it."""
MAX_NAMES = 300
"""Largest number of names that one is compared with."""


WILDCARDS = frozenset("*?[")
"""Characters of patterns of names, as in `fnmatch`."""
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_compatible(name: str) -> str:
    """Return a text with underscores in place of the control characters that XML does not allow."""
    return _NOT_XML.sub("_", name)


def encoded(text: str) -> bytes:
    """Return a text as UTF-8; names of files may hold bytes that encode no character."""
    return text.encode(errors="backslashreplace")


def as_utf8(data: bytes) -> bytes:
    """Return a text in UTF-8; one in another code page, of an old program, is read as Latin-1."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1").encode()
    return data


def suggestion(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return a hint with the known name that is closest to a misspelt one; empty if none is close.

    Args: as for `closest`.
    """
    close = closest(name, known, cutoff)
    return f"did you mean {close}?" if close else ""


def closest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the known name that is closest to a misspelt one; empty if none is close, or the names
    are long.

    A call that reads files makes no further suggestions after some seconds of them.

    Args:
        name: The misspelt name.
        known: Names that exist.
        cutoff: The smallest similarity, from 0 to 1.
    """
    if len(name) > MAX_LENGTH or not has_time_to_compare(0):
        return ""
    short = list(islice((other for other in known if len(other) <= MAX_LENGTH), MAX_NAMES))
    if not has_time_to_compare(len(name) * sum(map(len, short))):
        return ""
    matches = difflib.get_close_matches(name, short, n=1, cutoff=cutoff)
    return matches[0] if matches else ""


def check_option_names(
    given: Mapping[str, object],
    kind: type | None,
    others: Collection[str] = (),
    *,
    excluded: Collection[str] = (),
) -> None:
    """Check that every given option exists, and that those that are true or false are either.

    Args:
        given: The options of one call.
        kind: Typed dictionary of the options that the function takes; None if it takes none but
            ``others``.
        others: Names of further options that the function takes.
        excluded: Names of options in ``kind`` that the function does not take.

    Raises:
        TypeError: if an option is unknown, with the closest name in the message, or neither true
        nor false.
    """
    types = {} if kind is None else kind.__annotations__
    unknown = [name for name in given if name in excluded or not (name in types or name in others)]
    if unknown:
        allowed = sorted((types.keys() | set(others)) - set(excluded))
        raise TypeError("; ".join(_describe_unknown_option(name, allowed) for name in unknown))
    for name in given:
        if name in types and _is_flag(types[name]):
            check_flag(name, given[name])


def _is_flag(annotation: object) -> bool:
    """Return whether the type of an option, which may be stated by its name, is `bool`."""
    return getattr(annotation, "__forward_arg__", annotation) in (bool, "bool")


def check_flag(name: str, value: object) -> None:
    """Check that an option is true or false; a word such as ``"no"`` would count as true.

    Args:
        name: Name of the option.
        value: Its value: a `bool` of Python or NumPy, or 0 or 1.

    Raises:
        TypeError: if it is something else.
    """
    if value is True or value is False:
        return
    if isinstance(value, str | bytes) or not any(value == known for known in (True, False)):
        raise TypeError(f"{name} = {value!r}; expected True or False")


def check_whole_number(name: str, value: object, least: int = 0) -> None:
    """Check that an option is a whole number that is large enough.

    Args:
        name: Name of the option.
        value: Its value.
        least: The smallest number that it may be.

    Raises:
        ValueError: if it is something else.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} = {value!r}; expected a whole number of at least {least}")


def _describe_unknown_option(name: str, allowed: list[str]) -> str:
    close = closest(name, allowed)
    advice = f"did you mean {close!r}?" if close else f"expected one of: {', '.join(allowed)}"
    return f"unknown option {name!r}; {advice}"


def check_option_value(name: str, value: str, known: Collection[str]) -> None:
    """Check that an option has one of the values that exist.

    Args:
        name: Name of the option.
        value: Its value.
        known: The values that exist.

    Raises:
        ValueError: if it has another value.
    """
    if value not in known:
        raise ValueError(f"unknown value {value!r} of {name}; expected one of: {', '.join(known)}")


MAX_MESSAGE = 4_000
"""Largest number of characters of a message that are printed."""
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Control characters of ASCII and Latin-1, of the direction of writing, separators of lines,
surrogates, and the two other characters that XML does not have.
"""
_CONTROL_IN_LINES = re.compile(_CONTROL.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))


def number(value: float) -> str:
    """Return the shortest decimal of a double: ``1`` for 1.0, ``0`` for -0.0."""
    value = float(value)
    if value == 0.0:
        return "0"
    text = repr(value)
    return text.removesuffix(".0")


def numbers(values: Iterable[float]) -> str:
    """Return numbers separated by spaces."""
    return " ".join(map(number, values))


def printable(text: str, *, lines: bool = False) -> str:
    r"""Return a text with control characters as escapes such as ``\x1b``; those that JSON leaves,
    as JSON's own.

    Args:
        text: The text.
        lines: Whether it has several lines, with tabs, which remain.
    """
    return (_CONTROL_IN_LINES if lines else _CONTROL).sub(_escape, text)


def counted(count: int, noun: str) -> str:
    """Return a number with a noun in the right number: ``1 body``, ``2 bodies``, ``3 boxes``.

    Args:
        count: The number.
        noun: The noun in the singular; its last word gets the plural.
    """
    if count == 1:
        return f"1 {noun}"
    if re.search("[^aeiou]y$", noun):
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}{'es' if re.search('(s|x|z|ch|sh)$', noun) else 's'}"


def shortened(text: str, limit: int = MAX_MESSAGE) -> str:
    """Return a text, or its beginning and the number of characters left out.

    Args:
        text: The text.
        limit: The largest number of its characters to return.
    """
    return (
        text
        if len(text) <= limit
        else f"{text[:limit]}... ({counted(len(text) - limit, 'more character')})"
    )


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 32 else f"\\u{code:04x}"


MAX_ROWS = 50
"""Largest number of rows of a table; it states how many more there are."""
MAX_LINES = 400
"""Largest number of lines of a document that a card shows."""
_DOCUMENT = "overflow-x:auto;font:.85em monospace;max-height:40em"
_VALUE = re.compile('("[^"\\n]*")')
_TAG = re.compile(r"(&lt;/?)([\w:.-]+)")
MAX_CELL = 240
"""Largest number of characters of a cell."""
_SIGNS = {"error": "✗", "warning": "!", "note": "·"}
"""Severities in the order of their weight, each with its sign."""
_LINE = "rgba(128,128,128,.35)"
_CARD = (
    "display:flex;flex-wrap:wrap;gap:.5em 1.2em;align-items:flex-start;"
    f"border:1px solid {_LINE};border-radius:6px;padding:.8em 1em;max-width:64em"
)
_PICTURE = "width:16em;max-width:100%;border-radius:4px;background:linear-gradient(#fcfcfc,#e6e9ec)"
_SENTENCE = 40
"""Number of characters from which a cell is a sentence, which a narrow window does not squeeze."""
_WORDS = 20
"""Number of characters up to which a cell is not broken."""
_CELL = (
    f"text-align:left;vertical-align:top;padding:.15em .9em .15em "
    f"0;border:0;border-bottom:1px solid {_LINE}"
)


class Finding(Protocol):
    """The part of a `loaders.Diagnostic` that lists and tables of findings read."""

    @property
    def severity(self) -> str:
        """``error``, ``warning`` or ``note``."""

    @property
    def code(self) -> str:
        """The code."""

    @property
    def message(self) -> str:
        """The message."""

    @property
    def template(self) -> str:
        """The message without its values."""

    @property
    def harm(self) -> float:
        """The place in the order of harm; see `loaders.code.Code.rank`."""

    @property
    def where(self) -> Any:
        """The place, with ``file`` and ``line``."""


AnyFinding = TypeVar("AnyFinding", bound=Finding)


def by_harm(entries: Iterable[AnyFinding]) -> list[AnyFinding]:
    """Return findings by severity, those of one severity by their harm, otherwise in order."""
    order = tuple(_SIGNS)
    return sorted(entries, key=lambda entry: (order.index(entry.severity), -entry.harm))


def by_place(entries: Iterable[AnyFinding]) -> list[AnyFinding]:
    """Return findings by file, in the order in which the files come first, and by line."""
    listed = list(entries)
    files: dict[str, int] = {}
    for entry in listed:
        files.setdefault(entry.where.file, len(files))
    return sorted(listed, key=lambda entry: (files[entry.where.file], entry.where.line))


def folded(entries: Iterable[AnyFinding], limit: int) -> list[tuple[AnyFinding, int]]:
    """Return the first few findings of each kind by severity, harm and place, with the number of
    further ones of the kind after the last of it. Findings that read alike are returned once.

    Args:
        entries: The findings; those with the same code and template are of one kind.
        limit: The largest number of findings of one kind to return.
    """
    found = by_harm(by_place(entries))
    kinds: dict[tuple[str, str], dict[tuple[str, str, int], int]] = {}
    for index, entry in enumerate(found):
        alike = entry.message, entry.where.file, entry.where.line
        kinds.setdefault((entry.code, entry.template), {}).setdefault(alike, index)
    total = Counter((entry.code, entry.template) for entry in found)
    further: dict[int, int] = {}
    for kind, first in kinds.items():
        shown = list(first.values())[:limit]
        further |= dict.fromkeys(shown, 0) | {shown[-1]: total[kind] - len(shown)}
    return [(found[index], further[index]) for index in sorted(further)]


MAX_SIMILAR = 5
"""Number of findings with the same code and template that a list shows before it counts the rest.
"""
MAX_WORST = 3
"""Number of kinds of findings that a summary says in words."""


def worst_lines(
    entries: Iterable[AnyFinding], write: Callable[[AnyFinding], str] = str, more: str = ""
) -> Iterator[str]:
    """Yield the summary of findings: the first one of each of the worst kinds with the number of
    those alike, then the numbers of the others.

    Args:
        entries: The findings; those with the same code are of one kind.
        write: Returns the line of a finding.
        more: The end of a line with a number, such as how all findings are shown.
    """
    kinds: dict[str, list[AnyFinding]] = {}
    for entry in by_harm(by_place(entries)):
        kinds.setdefault(entry.code, []).append(entry)
    for found in list(kinds.values())[:MAX_WORST]:
        yield write(found[0])
        if len(found) > 1:
            yield f"and {len(found) - 1} more like it  [{found[0].code}]{more}"
    others = [f"{len(found)} {code}" for code, found in list(kinds.items())[MAX_WORST:]]
    if others:
        yield f"less harmful: {', '.join(others)}{more}"


def nearest_path(file: str) -> str:
    """Return the path of a file as people read it: relative to the current folder, also upwards, if
    that is shorter.

    Args:
        file: The path as a finding has it.
    """
    if not os.path.isabs(file):
        return file
    try:
        return min(file, os.path.relpath(file), key=len)
    except (OSError, ValueError):  # there is no current folder, or it is on another drive
        return file


def without_current_folder(text: str) -> str:
    """Return a text whose paths below the current folder are relative to it."""
    try:
        folder = os.path.join(os.getcwd(), "")
    except OSError:
        return text
    if folder == os.sep or folder not in text:
        return text
    return re.sub(rf"(?<![\w./-]){re.escape(folder)}", "", text)


def card(title: str, facts: Iterable[str], *parts: str, png: bytes | None = None) -> str:
    """Return a card: a title, lines of facts, further parts, and beside them a picture.

    Args:
        title: Heading, as text.
        facts: Lines, as text; empty ones are left out.
        parts: Further contents, as HTML of this module.
        png: The picture; None for none.
    """
    lines = "".join(f'<div style="opacity:.8">{_text(fact)}</div>' for fact in facts if fact)
    picture = ""
    if png is not None:
        data = base64.b64encode(png).decode()
        source = f"data:image/png;base64,{data}"
        picture = f'<img alt="{_text(title)}" width="256" style="{_PICTURE}" src="{source}"/>'
    text = f'<div style="flex:1 1 22em;min-width:0"><b>{_text(title)}</b>{lines}</div>'
    rest = f'<div style="flex:1 1 100%;min-width:0">{"".join(parts)}</div>' if parts else ""
    return f'<div style="{_CARD}">{picture}{text}{rest}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of text; of many rows, the first `MAX_ROWS`.

    Args:
        heads: Headings of the columns.
        rows: Cells of each row.
    """
    every = list(rows)
    lines = [_row("th", heads), *(_row("td", row) for row in every[:MAX_ROWS])]
    if len(every) > MAX_ROWS:
        lines.append(
            f'<tr><td colspan="{len(heads)}" style="{_CELL}">and {len(every) - MAX_ROWS} '
            f"more</td></tr>"
        )
    body = "".join(lines)
    return (
        f'<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.3em '
        f'0">{body}</table></div>'
    )


def details(title: str, content: str) -> str:
    """Return contents that a click on their title unfolds.

    Args:
        title: The title, as text.
        content: The contents, as HTML of this module.
    """
    return f'<details style="margin-top:.4em"><summary>{_text(title)}</summary>{content}</details>'


def document(text: str) -> str:
    """Return the beginning of an XML document, with its tags and values in colors.

    Args:
        text: The document.
    """
    from html import escape

    lines = text.splitlines()
    more = len(lines) - MAX_LINES
    shown = escape(printable("\n".join(lines[:MAX_LINES]), lines=True), quote=False)
    colored = _VALUE.sub(r'<span style="color:#b5651d">\1</span>', shown)
    colored = _TAG.sub(r'\1<b style="color:#2f7fb8">\2</b>', colored)
    rest = f"\n... and {counted(more, 'more line')}" if more > 0 else ""
    return f'<pre style="{_DOCUMENT}">{colored}{rest}</pre>'


def summary_of(findings: Iterable[Finding]) -> str:
    """Return the number of findings of each severity: ``1 error, 3 warnings``."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(counted(counts[s], s) for s in _SIGNS if counts[s]) or "no diagnostics"


def findings_table(findings: Iterable[Finding]) -> str:
    """Return a table of findings, errors first, and of each severity what does most harm; of many
    of one kind the first ones and the number of the others.
    """
    rows = []
    for entry, others in folded(findings, MAX_SIMILAR):
        sign = f"{_SIGNS[entry.severity]}\N{NO-BREAK SPACE}{entry.severity}"
        rows.append((sign, _advised(entry), _short_place(entry), entry.code))
        if others:
            rows.append(("", f"and {others} more like it", "", entry.code))
    return table(("severity", "message", "place", "code"), rows)


def _short_place(entry: Finding) -> str:
    """Return the place from the current folder; of a long path the file and its folder."""
    place = str(entry.where)
    return place if len(place) < _SENTENCE else "/".join(place.split("/")[-2:])


def findings_card(findings: Sequence[Finding]) -> str:
    """Return a card of findings: their number by severity, and a table, errors first."""
    tables = [findings_table(findings)] if findings else []
    return card(summary_of(findings).capitalize(), (), *tables)


def folded_findings(text: str, findings: Sequence[Finding]) -> str:
    """Return findings as one line, which a click unfolds.

    Args:
        text: The line.
        findings: The findings.
    """
    return details(f"! {text}", findings_table(findings))


def _advised(entry: Finding) -> str:
    """Return the message, with the advice if there is any."""
    hint = getattr(entry, "hint", "")
    return f"{entry.message} ({hint})" if hint else entry.message


def _row(tag: str, cells: Sequence[object]) -> str:
    written = (f'<{tag} style="{_style(text)}">{text}</{tag}>' for text in map(_text, cells))
    return f"<tr>{''.join(written)}</tr>"


def _style(text: str) -> str:
    if len(text) >= _SENTENCE:
        return f"{_CELL};min-width:16em"
    return f"{_CELL};white-space:nowrap" if len(text) <= _WORDS else _CELL


def _text(value: object) -> str:
    """Return a value as text in HTML, shortened, without control characters."""
    from html import (
        escape,
    )  # takes longer to import than all text functions, and only notebooks need it

    text = printable(str(value))
    return escape(text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…")


_TAGS = re.compile(r"((?:<[^<>\s|]+>)+)")
_MARKUP = re.compile(
    r"[`*|~$]|\\(?=[!-/:-@\[-`{-~]|\Z)|<(?=[A-Za-z/!?])|&(?=#?\w)|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])"
)
"""Characters that Markdown reads as markup in a line, in these places."""
_BEGINNING = re.compile(r"\A(?:(\d{1,9})(?=[.)](?:\s|\Z))|(?=[#>=]|[+-](?:[\s-]|\Z)))")
"""A number before a period, or the place before a sign, that would begin a list, a heading or a
quotation."""


def plain(text: str, *, tags: bool = False) -> str:
    r"""Return a text that Markdown shows as it is, in a paragraph, an item or a cell of a table.

    Args:
        text: The text.
        tags: Whether to write tags as code, which is easier to read.

    Example:
        >>> print(plain("[x](javascript:alert(1)) of <b>"))
        [x\](javascript:alert(1)) of &lt;b>
    """
    pieces = _TAGS.split(printable(text).strip()) if tags else [printable(text).strip()]
    shown = [
        code(piece) if position % 2 else _MARKUP.sub(_escape_markdown, piece)
        for position, piece in enumerate(pieces)
    ]
    return _BEGINNING.sub(r"\g<1>\\", "".join(shown))


def code(text: str, *, cell: bool = False) -> str:
    """Return a text as code, with as many backticks as it needs.

    Args:
        text: The text.
        cell: Whether it is in a table, where a vertical bar needs an escape.

    Example:
        >>> print(code("left`arm"))
        ``left`arm``
    """
    line = printable(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    space = " " if not line or line[0] in " `" or line[-1] in " `" else ""
    return f"{fence}{space}{line.replace('|', chr(92) + '|') if cell else line}{space}{fence}"


def _escape_markdown(match: re.Match[str]) -> str:
    return "&lt;" if match[0] == "<" else f"\\{match[0]}"


_MAX_LISTED = 10

T = TypeVar("T")


class UnknownNameError(KeyError, ValueError):
    """An error about an unknown name: a `KeyError` and a `ValueError`, whose text is a sentence
    without quotes.
    """

    def __str__(self) -> str:
        return str(self.args[0])


class NameIndex(dict[str, T]):
    """A dictionary by name that suggests the closest one for a name that it does not have.

    ``reasons`` states why names that the user knows are not in the dictionary, such as ``"closes a
    kinematic loop"``.
    """

    def __init__(
        self, kind: str, entries: Mapping[str, T], reasons: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(entries)
        self._kind = kind
        self._reasons = reasons or {}

    def __missing__(self, name: str) -> T:
        if name in self._reasons:
            raise UnknownNameError(f"the {self._kind} {name!r} {self._reasons[name]}")
        raise unknown_name(self._kind, name, self)


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return an error about an unknown name, with the closest one or all that are known.

    Args:
        kind: What is named, such as ``joint``.
        name: The unknown name.
        known: The names that there are.
    """
    names = list(known)
    close = closest(str(name), names)
    if close:
        return UnknownNameError(f"unknown {kind} {name!r}; did you mean {close!r}?")
    rest = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    listed = ", ".join(names[:_MAX_LISTED]) or "none"
    return UnknownNameError(f"unknown {kind} {name!r}; expected one of: {listed}{rest}")
