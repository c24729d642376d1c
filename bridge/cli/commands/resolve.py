"""``sdfbridge resolve``: list the files that a model refers to."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import loaders
from bridge.batches.inputs import manifest_file
from bridge.cli.errors import UsageError
from bridge.cli.inputs import STDIN, input_file, load_scene, search
from bridge.cli.output import Output


def resolve(options: Namespace, output: Output) -> int:
    """Print where each file that a model refers to was found, or every place that was tried.

    Returns:
        1 if a file is missing.

    Raises:
        LoadError: if the file cannot be read.
        UsageError: if the model is to be read from standard input.
    """
    file = input_file(options)
    if file == STDIN:
        raise UsageError("resolve reads a file; expected its name, not standard input")
    if os.path.isdir(file):
        file = manifest_file(Path(file), unsafe_paths=options.unsafe_paths)
    how = {"allow_xacro": options.xacro, "lenient": options.lenient}
    lookups = loaders.resolve(file, xacro_args=dict(options.xacro_arg), **how, **search(options))
    if not lookups:
        load_scene(options, file)  # raises an error if the file cannot be read
        output.progress(f"{file} refers to no other file")
    if options.json:
        output.json([_to_json(lookup) for lookup in lookups])
    else:
        output.data_lines(line for lookup in lookups for line in _to_text(lookup))
    return 0 if all(lookup.path for lookup in lookups) else 1


def _to_json(lookup: loaders.Lookup) -> dict[str, Any]:
    return {
        "uri": lookup.uri,
        "file": lookup.file,
        "line": lookup.line,
        "path": str(lookup.path) if lookup.path else None,
        "tried": [str(place) for place in lookup.tried],
        "problem": lookup.problem,
    }


def _to_text(lookup: loaders.Lookup) -> Iterator[str]:
    yield f"{lookup.uri}\t{lookup.path or f'not found: {lookup.file}:{lookup.line}'}"
    if not lookup.path:
        yield from (f"    tried {place}" for place in lookup.tried)
