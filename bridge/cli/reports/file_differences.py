"""``sdfbridge compare A B``: what differs between two files."""

from __future__ import annotations

from argparse import Namespace

from bridge.cli.inputs import load_scene
from bridge.cli.output import Output
from bridge.diff.files import FileComparison, compare_files


def compare_two(options: Namespace, output: Output) -> int:
    """Print each difference between two files, and whether both move alike.

    Returns:
        1 if they differ.

    Raises:
        ModelError: if a file cannot be read.
    """
    result = compare_files(load_scene(options), load_scene(options, options.other))
    if options.json:
        output.json(result.to_dict())
    elif result.differences:
        rows = [(d.kind, d.name, d.field or "only in one", _text(d.a), _text(d.b)) for d in result.differences]
        output.table(("kind", "name", "field", "A", "B"), rows)
    output.progress(_verdict(result))
    return 0 if result.equal else 1


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return " ".join(f"{x:.6g}" for x in value)
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def _verdict(result: FileComparison) -> str:
    if result.equal:
        return "equal: no item differs"
    motion = "both move alike" if result.moves_alike else "they do not move alike"
    return f"different: {len(result.differences)} differences; {motion}"
