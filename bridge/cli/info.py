"""``sdfbridge info`` and ``sdfbridge graph``: show the links and joints of a file."""

from __future__ import annotations

from argparse import Namespace

from bridge.lowering import lower

from . import tree_output
from .options import load_scene
from .output import Output


def info(options: Namespace, output: Output) -> int:
    """Print the tree of models, links and joints; with ``--json`` the scene in the conformance format."""
    scene = load_scene(options)
    if options.json:
        output.json(scene.to_dict())
    else:
        output.data(tree_output.tree(lower(scene)))
    output.diagnostics(scene.diagnostics)
    return 0


def graph(options: Namespace, output: Output) -> int:
    """Print links and joints as a graph in DOT; with ``--json`` as lists."""
    scene = load_scene(options)
    if options.json:
        edges = [{"joint": j.name, "type": str(j.type), "parent": j.parent, "child": j.child} for j in scene.joints]
        output.json({"links": [link.name for link in scene.links], "joints": edges})
    else:
        output.data(tree_output.dot(scene))
    return 0
