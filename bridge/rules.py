"""Selection of findings: by code, by comments in the file, and by a baseline.

A comment switches a rule off for the element that follows it, with all that this contains, and for
the element that it stands in: ``<!-- sdfbridge: ignore robot.weak because a spring helps -->``; in
YAML ``# sdfbridge: ignore ...`` for the entry in whose line it stands, or that follows. A code may
be the start of several: ``robot``. Errors are never ignored, since no model is read then.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from bridge import codes
from bridge.markup import MARKUP, NAME
from loaders.code import Code
from loaders.deferred import Deferred
from loaders.diagnostics import Diagnostic, Where, finding_of
from loaders.files.read_file import read
from loaders.limits import FileError
from loaders.text import closest

_COMMENT = re.compile(r" ?sdfbridge: ?ignore (?P<codes>.*?)(?: because ?(?P<reason>.*?))? ?")
_MARK = "sdfbridge:"
all_codes: Callable[[], dict[str, Code]] = Deferred("bridge.diagnostic_codes:all_codes")
"""Return every code by name."""


def codes_of(prefix: str) -> list[Code]:
    """Return the codes that a word means: that code, or all whose names begin with it.

    Args:
        prefix: A code, such as ``robot.weak``, or its beginning, such as ``robot``.
    """
    return [code for name, code in sorted(all_codes().items()) if begins(name, prefix)]


def begins(name: str, prefix: str) -> bool:
    """Return whether a code begins with whole words of another one."""
    word = prefix.rstrip(".-*")
    return name == word or name.startswith((f"{word}.", f"{word}-"))


def checked_codes(words: Iterable[str]) -> tuple[str, ...]:
    """Return words that mean codes.

    Raises:
        ValueError: if one means none.
    """
    found = tuple(words)
    for word in found:
        if not codes_of(word):
            near = closest(word, all_codes())
            hint = f"; did you mean {near!r}?" if near else ""
            raise ValueError(
                f"unknown code {word!r}{hint or ';'} sdfbridge check --rules lists them"
            )
    return found


@dataclass(frozen=True, slots=True)
class _Comment:
    """A comment that ignores findings.

    Attributes:
        codes: Words that mean codes.
        parent: Line and path of the element that it stands in.
        first, last: Lines of the element that follows; 0 if none does.
        path: Path of that element; empty where paths do not count, as in a source of xacro, whose
            findings have those of the expanded document.
        of_file: Whether it holds for findings about the whole file.
        reason: The reason.
    """

    codes: tuple[str, ...]
    parent: tuple[int, str]
    first: int = 0
    last: int = 0
    path: str = ""
    of_file: bool = False
    reason: str = ""

    def covers(self, entry: Diagnostic) -> bool:
        """Return whether a finding is one that the comment ignores."""
        if not any(begins(entry.code, word) for word in self.codes):
            return False
        line, path = entry.where.line, entry.where.path
        if not line:  # a finding about the whole file
            return self.of_file
        if line == self.parent[0] and (not self.parent[1] or path in {"", self.parent[1]}):
            return True
        return self.first <= line <= self.last and (not path or path.startswith(self.path))


class _Ignore(NamedTuple):
    """The codes that a comment ignores, and its reason."""

    codes: tuple[str, ...]
    reason: str


@dataclass(slots=True)
class _Element:
    """An element that is read: its start, and comments before it that wait for its end."""

    tag: str
    line: int
    path: str
    comments: list[tuple[_Ignore, tuple[int, str]]]
    waiting: list[_Ignore] = field(default_factory=list)


def comments_of(file: str, text: str) -> tuple[list[_Comment], list[Diagnostic]]:
    """Return the comments of a file that ignore findings, and findings about those that lack a
    reason or name no code.

    Args:
        file: The file.
        text: Its content.
    """
    found: list[_Comment] = []
    wrong: list[Diagnostic] = []
    if _MARK not in text:
        return found, wrong
    if not text.lstrip("\ufeff \t\r\n").startswith("<"):
        return list(_comments_of_yaml(file, text, wrong)), wrong
    has_paths = "xmlns:xacro" not in text
    open_elements = [_Element("", 0, "", [])]
    line, place = 1, 0
    for mark in MARKUP.finditer(text):
        line += text.count("\n", place, mark.start())
        place = mark.start()
        end_line = line + text.count("\n", place, mark.end())
        inner = open_elements[-1]
        if mark["comment"] is not None:
            inner.waiting += _codes_in(mark["comment"], Where(file, line, inner.path), wrong)
        elif mark["tag"] is not None:
            name = NAME.search(mark["attributes"])
            path = f"{inner.path}/{mark['tag']}" + (f"[{name[1]}]" if name else "")
            before = [(words, (inner.line, inner.path)) for words in inner.waiting]
            inner.waiting = []
            element = _Element(mark["tag"], line, path, before)
            if mark["attributes"].endswith("/"):
                found += _closed(element, end_line)
            else:
                open_elements.append(element)
        elif mark["end"] is not None and mark["end"] == inner.tag:
            found += _closed(open_elements.pop(), end_line)
    return found if has_paths else list(map(_without_paths, found)), wrong


def _closed(element: _Element, last: int) -> Iterator[_Comment]:
    """Yield the comments before an element that ends, and those at its own end."""
    is_root = "/" not in element.path[1:]
    for (words, reason), parent in element.comments:
        of_file = is_root or "/" not in parent[1][1:]
        yield _Comment(words, parent, element.line, last, element.path, of_file, reason)
    for words, reason in element.waiting:
        yield _Comment(words, (element.line, element.path), of_file=is_root, reason=reason)


def _without_paths(comment: _Comment) -> _Comment:
    return replace(comment, parent=(comment.parent[0], ""), path="")


_YAML_COMMENT = re.compile(r"[^#]*#(?P<comment> ?sdfbridge: ?ignore .*)")


def _comments_of_yaml(file: str, text: str, wrong: list[Diagnostic]) -> Iterator[_Comment]:
    """Yield the comments of a YAML file: of the entry in whose line one stands, or that follows it,
    with all that is indented more.
    """
    lines = text.splitlines()
    depths = map(_indentation, lines)
    entries = [(i, depth) for i, depth in enumerate(depths) if depth is not None]
    for index, line in enumerate(lines):
        match = _YAML_COMMENT.fullmatch(line)
        following = [(i, depth) for i, depth in entries if i >= index]
        if match is None or not following:
            continue
        start, depth = following[0]
        of_file = start == entries[0][0]
        end = next((i for i, other in following[1:] if other <= depth), len(lines))
        last = len(lines) if of_file else end
        for words, reason in _codes_in(match["comment"], Where(file, index + 1), wrong):
            yield _Comment(words, (0, ""), start + 1, last, of_file=of_file, reason=reason)


def _indentation(line: str) -> int | None:
    """Return the number of spaces before an entry; None of an empty line or a comment."""
    content = line.strip()
    return None if not content or content.startswith("#") else len(line) - len(line.lstrip())


def _codes_in(comment: str, where: Where, wrong: list[Diagnostic]) -> list[_Ignore]:
    """Return the codes that a comment ignores, as one entry; nothing if it is another comment or
    is wrong.
    """
    match = _COMMENT.fullmatch(" ".join(comment.split()))
    if match is None:
        return []
    words = tuple(match["codes"].replace(",", " ").split())
    unknown = [word for word in words if not codes_of(word)]
    if unknown or not words:
        named = ", ".join(unknown) or "no code"
        wrong.append(finding_of(codes.CHECK_IGNORE_UNKNOWN, where, codes=named))
    elif not match["reason"]:
        wrong.append(finding_of(codes.CHECK_IGNORE_REASON, where, codes=", ".join(words)))
    else:
        return [_Ignore(words, match["reason"])]
    return []


@dataclass(frozen=True, slots=True)
class Ignored:
    """A finding that is not reported.

    Attributes:
        entry: The finding.
        reason: The reason that a comment in the file states; empty if an option or a baseline
            ignores it.
    """

    entry: Diagnostic
    reason: str = ""


@dataclass
class Selection:
    """The choice of the findings that are reported and count for the status.

    Attributes:
        selected: Words that mean codes; only these are reported. Empty for all.
        ignored: Words that mean codes that are not reported.
        known: Number of findings of each kind in a baseline that still may be taken as known; None
            without a baseline.
    """

    selected: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    known: Counter[str] | None = None

    def split(
        self, main: str, entries: Iterable[Diagnostic]
    ) -> tuple[list[Diagnostic], list[Ignored]]:
        """Return the findings that are reported, and those that are ignored.

        Args:
            main: The file that was checked.
            entries: Its findings.
        """
        listed = list(entries)
        comments, wrong = self._comments(main, listed)
        reported: list[Diagnostic] = []
        ignored: list[Ignored] = []
        for entry in (*listed, *wrong):
            found = None if entry.severity == "error" else self._ignored(entry, main, comments)
            if found is None and self._is_known(entry, main):
                found = Ignored(entry)
            if found is None:
                reported.append(entry)
            else:
                ignored.append(found)
        return reported, ignored

    def _comments(
        self, main: str, entries: Sequence[Diagnostic]
    ) -> tuple[dict[str, list[_Comment]], list[Diagnostic]]:
        """Return the comments of all files that findings name, and what is wrong with them."""
        comments: dict[str, list[_Comment]] = {}
        wrong: list[Diagnostic] = []
        files = {entry.where.file or main for entry in entries} | {main}
        for file in sorted(files):
            found, mistakes = comments_of(file, _text(file))
            comments[file] = found
            wrong += mistakes
        return comments, wrong

    def _ignored(
        self, entry: Diagnostic, main: str, comments: dict[str, list[_Comment]]
    ) -> Ignored | None:
        if any(begins(entry.code, word) for word in self.ignored):
            return Ignored(entry)
        if self.selected and not any(begins(entry.code, word) for word in self.selected):
            return Ignored(entry)
        near = comments[entry.where.file or main]
        reasons = (comment.reason for comment in near if comment.covers(entry))
        return next((Ignored(entry, reason) for reason in reasons), None)

    def _is_known(self, entry: Diagnostic, main: str) -> bool:
        if self.known is None or entry.severity == "note":
            return False
        key = key_of(entry, main)
        self.known[key] -= 1
        return self.known[key] >= 0


def _text(file: str) -> str:
    if os.path.basename(file).startswith("<") or not os.path.isfile(file):
        return ""
    try:
        return read(file).decode("utf-8-sig", "replace")
    except FileError:
        return ""


# --- baselines ------------------------------------------------------------------------------------

VERSION = 1


def key_of(entry: Diagnostic, main: str) -> str:
    """Return what identifies a finding in a baseline: file, code and subjects, without its line and
    its numbers, which change where nothing new is wrong.

    Args:
        entry: The finding.
        main: The file that was checked.
    """
    file = os.path.relpath(entry.where.file or main).replace(os.sep, "/")
    about = ",".join(entry.subjects) or entry.where.path
    return " ".join(filter(None, (file, entry.code, about)))


def read_baseline(path: str | os.PathLike[str]) -> Counter[str]:
    """Return how many findings of each kind a baseline accepts.

    Raises:
        ValueError: if the file cannot be read or is no baseline.
    """
    try:
        content = json.loads(read(str(path)))
        return Counter({str(key): int(count) for key, count in content["findings"].items()})
    except FileError as error:
        raise ValueError(
            f"cannot read the baseline {path}: {error}; --write-baseline writes it"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no baseline; --write-baseline writes one") from error


def baseline_text(results: Iterable[tuple[str, Iterable[Diagnostic]]]) -> str:
    """Return a baseline that accepts the errors and warnings of files.

    Args:
        results: Each file with its findings.
    """
    found = [(entry, main) for main, entries in results for entry in entries]
    keys = (key_of(entry, main) for entry, main in found if entry.severity != "note")
    content = {"sdfbridge-baseline": VERSION, "findings": dict(sorted(Counter(keys).items()))}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
