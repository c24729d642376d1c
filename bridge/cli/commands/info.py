"""``sdfbridge info``: show the links, joints and frames of a file."""

from __future__ import annotations

from argparse import Namespace

from bridge.cli.inputs import load_scene
from bridge.cli.output import Output
from bridge.cli.reports.frames import frame_rows
from bridge.cli.reports.tree_output import tree
from bridge.lowering import lower


def info(options: Namespace, output: Output) -> int:
    """Print the tree of models, links and joints, or the poses of frames; with ``--json`` the conformance format."""
    scene = load_scene(options)
    if options.json:
        output.json(scene.to_dict())
    elif options.frames:
        output.table(("", "name", "x", "y", "z", "roll", "pitch", "yaw"), frame_rows(scene))
    else:
        output.data(tree(lower(scene)))
    output.diagnostics(scene.diagnostics)
    return 0
