"""``sdfbridge graph``: draw links and joints as a graph."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from bridge.cli.errors import UsageError
from bridge.cli.inputs import load_scene, writing_to
from bridge.cli.output import Output
from bridge.cli.reports.graph_picture import picture
from bridge.cli.reports.tree_output import dot
from bridge.output import Form, check_file, write_sealed
from loaders.safety.text import printable
from loaders.scene import Scene

_FORMS = {"dot": Form.LINES, "svg": Form.MARKUP, "png": Form.PNG}


def graph(options: Namespace, output: Output) -> int:
    """Write links and joints as a graph in DOT, SVG or PNG; with ``--json`` as lists, with the couplings of joints.

    Raises:
        UsageError: if the format is unknown, if a picture would be written to a terminal, or if standard output would
            get both the graph and the lists.
    """
    form = _form(options)
    if options.out:
        check_file(options.out, force=options.force)
    scene = load_scene(options)
    output.diagnostics(scene.diagnostics)
    if options.out:
        with writing_to(options.out):
            write_sealed(options.out, _drawn(scene, form), _FORMS[form], force=options.force)
        output.progress(f"wrote {options.out}")
    elif not options.json:
        data = _drawn(scene, form)
        sys.stdout.buffer.write(data if form == "png" else printable(data.decode(), lines=True).encode())
        sys.stdout.buffer.flush()
    if options.json:
        output.json(_lists(scene))
    return 0


def _lists(scene: Scene) -> dict[str, list[Any]]:
    """Return links, joints and couplings as plain data; axes are counted from 0."""
    fields = ("follower", "leader", "multiplier", "offset", "follower_axis", "leader_axis")
    return {
        "links": [link.name for link in scene.links],
        "joints": [{"joint": j.name, "type": str(j.type), "parent": j.parent, "child": j.child} for j in scene.joints],
        "couplings": [{name: getattr(coupling, name) for name in fields} for coupling in scene.couplings],
    }


def _form(options: Namespace) -> str:
    out: Path | None = options.out
    form: str = options.format or (out.suffix.lower().removeprefix(".") if out else "dot")
    if form not in _FORMS:
        raise UsageError(f"unknown format of graph {out}; expected a file that ends in .dot, .svg or .png, or --format")
    if options.json and options.format and out is None:
        raise UsageError("--json prints lists in place of a graph; expected -o FILE for the graph, or no --format")
    if form == "png" and out is None and sys.stdout.isatty():
        raise UsageError("a PNG picture cannot be shown as text; expected -o FILE.png, or a pipe")
    return form


def _drawn(scene: Scene, form: str) -> bytes:
    return f"{dot(scene)}\n".encode() if form == "dot" else picture(scene, form)
