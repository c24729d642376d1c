"""A sample of files, whose warnings are printed so that a person can check them against the
files.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator

import loaders
from benchmarks.field.measurement import File
from benchmarks.field.stages import is_piece
from loaders.diagnostics import ModelError

COUNT, SEED = 100, 18


def warnings_of_sample(files: Iterable[File]) -> Iterator[str]:
    """Yield the lines of the report: each kind of warning with its number, and each warning with
    its place.

    Args:
        files: All files; pieces for other files are no part of the sample.
    """
    whole = [file for file in files if not is_piece(file.path)]
    kinds: dict[tuple[str, str], list[str]] = defaultdict(list)
    for file in random.Random(SEED).sample(whole, min(COUNT, len(whole))):
        for entry in _findings(file):
            if entry.severity != "note":
                kinds[entry.code, entry.template].append(str(entry))
    yield (
        f"{sum(map(len, kinds.values()))} warnings of {len(kinds)} kinds in {COUNT} of "
        f"{len(whole)} files"
    )
    for (code, template), found in sorted(kinds.items(), key=lambda item: -len(item[1])):
        yield f"{len(found)} {code}: {template}"
        yield from (f"    {text}" for text in found)


def _findings(file: File) -> Iterable[loaders.Diagnostic]:
    try:
        options = {"paths": [file.root], "lenient": True, "allow_xacro": True, "quiet": True}
        return loaders.load(file.path, **options).diagnostics  # type: ignore[arg-type]
    except ModelError as error:
        return error.diagnostics
