"""FIDELITY.md: what an export lost, grouped by what is to be done about it, each sentence written once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from loaders.diagnostics import Diagnostic, Fate, Where, without_repeats
from loaders.scene import Scene

_WORDS = {
    Fate.DROPPED: "dropped: it has a meaning that the MJCF does not carry",
    Fate.APPROXIMATED: "approximated: carried, with the error stated",
    Fate.REPAIRED: "repaired: changed on request",
    Fate.ASSUMED: "assumed: the source gives no usable value",
    Fate.NOTED: "noted: nothing that moves or collides depends on it",
    Fate.INVALID: "invalid",
}
_BETWEEN = re.compile(r"([:;,)]*\s+\(?)")
"""What stands between two words of a message."""
_GAP = "…"

_Words = tuple[str, ...]
"""A message, its words and what stands between them by turns."""


def fidelity(scene: Scene, diagnostics: Iterable[Diagnostic]) -> str:
    """Everything that is not carried exactly; silence is exact."""
    entries = without_repeats((*scene.diagnostics, *diagnostics))
    counts = Counter(entry.fate for entry in entries)
    lines = ["# Fidelity", "", "What is not listed here is carried exactly.", ""]
    lines += [f"- {counts[fate]} {words}" for fate, words in _WORDS.items() if counts[fate]] or ["- nothing was lost"]
    for fate, words in _WORDS.items():
        if counts[fate]:
            lines += ["", f"## {words.partition(':')[0].capitalize()}"]
            lines += _section([entry for entry in entries if entry.fate is fate], scene)
    return "\n".join(lines) + "\n"


def _section(entries: Iterable[Diagnostic], scene: Scene) -> Iterator[str]:
    """A heading for each code, below it each sentence, what to do, and what and where it is about."""
    codes: dict[str, list[Diagnostic]] = {}
    for entry in entries:
        codes.setdefault(entry.code, []).append(entry)
    for code, members in codes.items():
        yield from ("", f"### `{code}` ({len(members)})")
        for hint, messages in _alike(members):
            yield from _group(hint, messages, scene)


def _alike(entries: Iterable[Diagnostic]) -> Iterator[tuple[str, list[tuple[_Words, Where]]]]:
    """What to do, and the messages that say the same of different things."""
    groups: dict[tuple[str, _Words], list[tuple[_Words, Where]]] = {}
    for entry in entries:
        words = tuple(_BETWEEN.split(" ".join(entry.message.split())))
        groups.setdefault((entry.hint, (words[0], *words[1::2])), []).append((words, entry.where))
    for (hint, _), members in groups.items():
        fixed = [len(set(column)) == 1 for column in zip(*(words for words, _ in members), strict=True)]
        if 2 * sum(fixed[::2]) >= len(fixed[::2]):
            yield hint, members
        else:
            yield from ((hint, [member]) for member in members)


def _group(hint: str, members: Sequence[tuple[_Words, Where]], scene: Scene) -> Iterator[str]:
    """One sentence with gaps, and what fills them, where."""
    columns = list(zip(*(words for words, _ in members), strict=True))
    differs = [len(set(column)) > 1 for column in columns]
    sentence = "".join(_GAP if gap else column[0] for column, gap in zip(columns, differs, strict=True))
    if columns[0][0].isalpha():  # and so is no name of the source
        sentence = sentence[0].upper() + sentence[1:]
    yield from ("", _tagged(sentence) + (f". To do: {_tagged(hint)}." if hint else "."))
    places: dict[tuple[str, ...], list[Where]] = {}
    for words, where in members:
        filled = tuple(word for word, gap in zip(words, differs, strict=True) if gap)
        places.setdefault(filled, []).append(where)
    found = {filled: _listed(where, scene) for filled, where in places.items()}
    if any(filled or place for filled, place in found.items()):
        yield ""
    for filled, place in found.items():
        about = ", ".join(f"`{word}`" for word in filled)
        if about or place:
            yield f"- {about} ({place})" if about and place else f"- {about or place}"


def _tagged(text: str) -> str:
    """Text whose tags are quoted, or Markdown would hide them."""
    return re.sub(r"<[^<>\s]+>", r"`\g<0>`", text)


def _listed(places: Iterable[Where], scene: Scene) -> str:
    """Files, each with its lines."""
    files: dict[str, set[int]] = {}
    for where in places:
        files.setdefault(_relative(where.file, scene), set()).update([where.line] if where.line else [])
    return "; ".join(
        file + (f":{', '.join(map(str, sorted(lines)))}" if lines else "") for file, lines in files.items()
    )


def _relative(file: str, scene: Scene) -> str:
    """A file as seen from the source's folder, or its folder and name: papers do not depend on the machine."""
    path = Path(file)
    if scene.source and path.is_relative_to(Path(scene.source).parent):
        return path.relative_to(Path(scene.source).parent).as_posix()
    return "/".join(path.parts[-2:])
