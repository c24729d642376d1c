"""FIDELITY.md: what an export cannot carry exactly, grouped by code, message and hint.

Findings that differ in one argument only, and are more than a few, are one line: their number, the values and places.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from string import Formatter

from loaders.diagnostics import Argument, Diagnostic, Fate, Where, without_repeats
from loaders.files import file_of
from loaders.safety.markdown import code, plain
from loaders.safety.text import printable
from loaders.scene import Scene

_HEADINGS = {
    Fate.DROPPED: "dropped: it has a meaning that the {format} does not represent",
    Fate.SKIPPED: "skipped: invalid in the source, and left out or assumed by lenient loading",
    Fate.APPROXIMATED: "approximated: represented, with the error stated",
    Fate.REPAIRED: "repaired: changed on request",
    Fate.ASSUMED: "assumed: the source gives no usable value",
    Fate.NOTED: "noted: nothing that moves or collides depends on it",
    Fate.INVALID: "invalid",
}
"""Meaning of each fate, in the order of the report."""

_MOST_ITEMS = 3
"""Number of findings that differ in one argument that have a line each; more are one line."""


class _Omitted(str):
    """Stands for an argument whose values are listed below the message."""

    __slots__ = ()

    def __format__(self, _spec: str) -> str:
        return "…"

    def __repr__(self) -> str:
        return "…"


def fidelity_text(scene: Scene, diagnostics: Iterable[Diagnostic], form: str = "MJCF") -> str:
    """Return the report of everything that is not represented exactly; what it does not list is exact.

    Args:
        scene: The exported scene, with the findings of its reader.
        diagnostics: The findings of lowering and export.
        form: Name of the format.
    """
    entries = without_repeats((*scene.diagnostics, *diagnostics))
    counts = Counter(entry.fate for entry in entries)
    lines = ["# Fidelity", "", "What is not listed here is represented exactly.", ""]
    lines += [f"- {counts[fate]} {text.format(format=form)}" for fate, text in _HEADINGS.items() if counts[fate]] or [
        "- nothing was lost"
    ]
    for fate, text in _HEADINGS.items():
        if counts[fate]:
            lines += ["", f"## {text.partition(':')[0].capitalize()}"]
            lines += _section([entry for entry in entries if entry.fate is fate], scene)
    return printable("\n".join(lines) + "\n", lines=True)


def _section(entries: Iterable[Diagnostic], scene: Scene) -> Iterator[str]:
    """Yield a heading for each code, and below it each message once."""
    codes: dict[str, dict[tuple[str, str], list[Diagnostic]]] = {}
    for entry in entries:
        codes.setdefault(entry.code, {}).setdefault((entry.template, entry.hint), []).append(entry)
    for name, groups in codes.items():
        yield from ("", f"### {code(name)} ({sum(map(len, groups.values()))})")
        for group in groups.values():
            for part in _parts(_merged(group)):
                yield from _group(part, scene)


def _merged(entries: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Return findings of one template, those about the same item at the same place as one, with the values of each."""
    for name in entries[0].arguments:
        if f"{{{name}}}" in entries[0].template:
            entries = _merged_by(entries, name)
    return entries


def _merged_by(entries: Iterable[Diagnostic], name: str) -> Sequence[Diagnostic]:
    """Return findings, those that differ in one argument only as one, unless it names what they are about."""
    groups: dict[object, list[Diagnostic]] = {}
    for i, entry in enumerate(entries):
        is_detail = bool(entry.subjects) and _is_detail(entry, name)
        rest = tuple(pair for pair in entry.arguments.items() if pair[0] != name)
        groups.setdefault((entry.where, entry.subjects, rest) if is_detail else i, []).append(entry)
    return [_with_all(group, name) for group in groups.values()]


def _with_all(group: Sequence[Diagnostic], name: str) -> Diagnostic:
    values = ", ".join(str(entry.arguments[name]) for entry in group)
    return replace(group[0], arguments={**group[0].arguments, name: values}) if len(group) > 1 else group[0]


def _parts(entries: Sequence[Diagnostic]) -> Iterable[Sequence[Diagnostic]]:
    """Return findings of one template in parts, such that a message keeps the arguments that many of them share."""
    values = {name: [str(entry.arguments[name]) for entry in entries] for name in entries[0].arguments}
    varying = {name: len(set(texts)) for name, texts in values.items() if len(set(texts)) > 1}
    shared = [name for name, count in varying.items() if _is_shared(name, count, entries)]
    if len(varying) < 2 or not shared:
        return [entries]
    if len(shared) == len(varying):
        shared.remove(max(shared, key=varying.__getitem__))
    parts: dict[tuple[str, ...], list[Diagnostic]] = {}
    for i, entry in enumerate(entries):
        parts.setdefault(tuple(values[name][i] for name in shared), []).append(entry)
    return parts.values()


def _is_shared(name: str, count: int, entries: Sequence[Diagnostic]) -> bool:
    """Return whether an argument has few values: half as many as findings, or two thirds if they are words."""
    words = all(_is_detail(entry, name) for entry in entries)
    return (3 * count <= 2 * len(entries)) if words else (2 * count <= len(entries))


def _is_detail(entry: Diagnostic, name: str) -> bool:
    """Return whether an argument is text that does not name what the finding is about."""
    value = entry.arguments[name]
    return isinstance(value, str) and value not in entry.subjects


def _group(entries: Sequence[Diagnostic], scene: Scene) -> Iterator[str]:
    """Yield the message that entries share, then a line for each of their different arguments, with the places."""
    first = entries[0]
    varying = [name for name in first.arguments if len({str(entry.arguments[name]) for entry in entries}) > 1]
    omitted: dict[str, Argument] = {name: _Omitted() for name in varying}
    message = _capitalized(replace(first, arguments={**first.arguments, **omitted}).message, first.template)
    remedy = f" To do: {plain(first.hint, tags=True)}." if first.hint else ""
    yield ""
    yield f"{plain(message, tags=True)}.{remedy}"
    places: dict[str, list[Where]] = {}
    for entry in entries:
        values = ", ".join(code(text) for text in _argument_texts(entry, varying))
        places.setdefault(values, []).append(entry.where)
    lines = [line for values, where in places.items() if (line := _line(values, _places_text(where, scene)))]
    if len(varying) == 1 and len(lines) > _MOST_ITEMS:
        lines = [f"{len(lines)} times: {', '.join(lines)}"]
    if lines:
        yield ""
        yield from (f"- {line}" for line in lines)


def _line(values: str, places: str) -> str:
    """Return an item of a list, with what varies and the places; empty if there is neither."""
    return f"{values} ({places})" if values and places else values or places


def _argument_texts(entry: Diagnostic, names: Sequence[str]) -> list[str]:
    """Return the texts of arguments, formatted and ordered as in the template."""
    fields = {name: spec for _, name, spec, _ in Formatter().parse(entry.template) if name}
    return [
        replace(entry, template=f"{{{name}:{spec}}}" if spec else f"{{{name}}}").message
        for name, spec in fields.items()
        if name in names
    ]


def _capitalized(message: str, template: str) -> str:
    """Return a message with a capital letter, unless its first word is an argument or a name with punctuation."""
    begins_with_word = re.match(r"[a-z]+\s", template) is not None
    return message[:1].upper() + message[1:] if begins_with_word else message


def _places_text(places: Iterable[Where], scene: Scene) -> str:
    """Return the files, each with its lines."""
    files: dict[str, set[int]] = {}
    for where in places:
        files.setdefault(_relative_path(where.file, scene), set()).update([where.line] if where.line else [])
    return "; ".join(
        plain(file + (f":{', '.join(map(str, sorted(lines)))}" if lines else "")) for file, lines in files.items()
    )


def _relative_path(file: str, scene: Scene) -> str:
    """Return a file relative to the source's folder, or its folder and name: the report is the same on any machine."""
    path, folder = Path(file), Path(file_of(scene.source)).parent
    if scene.source and path.is_relative_to(folder):
        return path.relative_to(folder).as_posix()
    return "/".join(path.parts[-2:])
