"""``sdfbridge print``: the model as one SDFormat document, composed, upgraded and resolved."""

from __future__ import annotations

from argparse import Namespace

from bridge.cli.inputs import load_scene
from bridge.cli.output import Output
from bridge.sdf import printed_sdf
from loaders.diagnostics import without_repeats


def print_(options: Namespace, output: Output) -> int:
    """Print a model as SDFormat, with includes inserted, poses resolved, and files named where the source has them.

    Returns:
        0.

    Raises:
        ModelError: if the model cannot be read; with ``--strict`` also if anything is lost.
    """
    scene = load_scene(options)
    sdf = printed_sdf(scene, strict=options.strict, quiet=True)
    if options.json:
        output.json({"sdf": str(sdf), "names": sdf.names})
    else:
        output.data(str(sdf).rstrip("\n"))
    output.diagnostics(without_repeats((*scene.diagnostics, *sdf.diagnostics)))
    return 0
