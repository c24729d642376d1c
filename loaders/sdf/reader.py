"""The reader of a document in SDFormat, of every version."""

from __future__ import annotations

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.drake.canonicalize import canonicalize_sdf
from loaders.model import WORLD
from loaders.node import Node
from loaders.scene import Scene

from .assembly import assemble_scene
from .composition.includes import compose
from .elements.lights import read_light
from .elements.world import IGNORED_IN_WORLD
from .frames.frame_graph import build_frame_graph
from .frames.name_rules import check_names
from .frames.poses import read_pose
from .frames.solve import solve
from .unmodeled_elements import mark_read, report_ignored


def read(root: Node, context: Context) -> Scene:
    """Read the document whose root element is ``<sdf>``, or ``<gazebo>`` in old files.

    Problems are reported to ``context.diagnostics``; after an error the returned scene is not meaningful.

    Source: the SDFormat specification, http://sdformat.org, with the behavior of libsdformat 17.
    """
    composition = compose(root, context)
    canonicalize_sdf(root)
    check_names(root, composition.versions)
    body = _main_element(root)
    if body is None:
        scene = Scene(name="")
    elif body.tag in ("world", "model"):
        graph = build_frame_graph(body, composition.interface_models)
        solve(graph)
        scene = assemble_scene(graph, context)
        graph.free()
    else:
        scene = _read_single(root, body)
    root.report_unread()
    return scene


def _main_element(root: Node) -> Node | None:
    """Return the first world, else the first model, light or actor; report all others."""
    root.skip("@version")
    elements = [child for tag in ("world", "model", "light", "actor") for child in root.all(tag)]
    if not elements:
        root.report(Fate.ASSUMED, "sdf.empty", "the file has no world, model, light or actor; the scene is empty")
        return None
    for extra in elements[1:]:
        extra.report(
            Fate.DROPPED,
            "sdf.extra-element",
            "a file provides one element; using the first <{used}> and ignoring this <{tag}>",
            hint="move it to another file, or put both into a world",
            used=elements[0].tag,
            tag=extra.tag,
        )
        mark_read(extra)
    return elements[0]


def _read_single(root: Node, body: Node) -> Scene:
    """Return the scene of a file that contains only a light or an actor."""
    if body.tag == "actor":
        report_ignored(root, {"actor": IGNORED_IN_WORLD["actor"]})
        return Scene(name=body.attributes.get("name", ""))
    light = read_light(body, body.word("@name", ""), WORLD, read_pose(body)[1])
    return Scene(name=light.name, lights=(light,))
