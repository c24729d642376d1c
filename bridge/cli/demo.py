"""``sdfbridge demo``: run the demonstration on the bundled arm."""

from __future__ import annotations

from argparse import Namespace

from bridge.demo.demo import run_demo
from bridge.lowering import lower
from bridge.parity import Verdict

from . import tree_output
from .compare import show_comparison
from .output import Output


def demo(options: Namespace, output: Output) -> int:
    """Convert, draw and compare the bundled arm.

    Returns:
        0 only if the simulators are equivalent.
    """
    result = run_demo(options.folder or options.out, progress=output.progress)
    if options.json:
        output.json({"files": list(map(str, result.files)), **result.comparison.to_dict()})
    else:
        output.data(tree_output.tree(lower(result.scene)))
        show_comparison(result.comparison, output)
        output.data("\n".join(map(str, result.files)))
    for note in result.notes:
        output.progress(note)
    return 0 if result.comparison.verdict is Verdict.EQUIVALENT else 1
