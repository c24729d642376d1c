"""A journal of verdicts: one line of JSON for each model and set of levels; later lines replace
earlier ones.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.corpora.proof_corpus import Proof

_TUPLES = ("causes", "witness_causes", "gaps")


def read_journals(paths: Iterable[Path], levels: Sequence[str]) -> dict[str, Proof]:
    """Return the verdicts at these levels by model, of several journals in their order.

    A line that was cut off when a run was interrupted is left out.

    Args:
        paths: The journals; one that does not exist is empty.
        levels: The levels.
    """
    found = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            entry = _entry(line)
            if entry is not None and entry.pop("levels") == list(levels):
                found[entry["model"]] = Proof(
                    **entry | {name: tuple(entry[name]) for name in _TUPLES}
                )
    return found


def append(path: Path, proof: Proof, levels: Sequence[str]) -> None:
    """Append a verdict to a journal.

    Args:
        path: The journal.
        proof: The verdict.
        levels: The levels that were compared.
    """
    line = json.dumps({"levels": list(levels), **dataclasses.asdict(proof)})
    with path.open("a", encoding="utf-8") as journal:
        journal.write(f"{line}\n")


def _entry(line: str) -> dict[str, Any] | None:
    try:
        entry: dict[str, Any] = json.loads(line)
    except json.JSONDecodeError:
        return None
    return entry
