"""``sdfbridge demo``: run the demonstration on the bundled arm."""

from __future__ import annotations

from argparse import Namespace

from bridge.cli.errors import MISSING, CommandError
from bridge.cli.inputs import writing_to
from bridge.cli.output import Output
from bridge.cli.reports.comparison_text import exit_status, show_comparison
from bridge.cli.reports.tree_output import tree
from bridge.demo.demo import Demo, run_demo
from bridge.lowering import lower
from bridge.parity import EngineMissingError


def demo(options: Namespace, output: Output) -> int:
    """Convert, draw and compare the bundled arm.

    Returns:
        0 only if the simulators are equivalent.

    Raises:
        CommandError: if a simulator is not installed.
    """
    result = _run(options, output)
    if options.json:
        output.json({"files": list(map(str, result.files)), **result.comparison.to_dict()})
    else:
        show_comparison(result.comparison, output, result.comparison.command)
        output.data(tree(lower(result.scene)))
        output.data("\n".join(map(str, result.files)))
    for note in result.notes:
        output.progress(note)
    output.progress("\n".join(["try next:", *(f"  {step}" for step in result.next_steps)]))
    return exit_status(result.comparison.verdict, strict=True)


def _run(options: Namespace, output: Output) -> Demo:
    folder = options.folder or options.out
    try:
        with writing_to(folder):
            return run_demo(folder, progress=output.progress, force=options.force)
    except EngineMissingError as error:
        raise CommandError(str(error), MISSING) from error
