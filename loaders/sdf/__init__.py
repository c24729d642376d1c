"""SDFormat, every version, to a `Scene`."""

from __future__ import annotations

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.drake.canonicalize import normalise_sdf
from loaders.model import WORLD
from loaders.node import Node
from loaders.scene import Scene

from .assembly import assemble
from .composition.includes import compose
from .elements.ignored_elements import mark_read, report_ignored
from .elements.lights import read_light
from .elements.world import ASIDES
from .frames.frame_graph import build_frame_graph
from .frames.name_rules import check_names
from .frames.poses import read_pose
from .frames.solve import solve


def read(root: Node, context: Context) -> Scene:
    """Read the document whose root element is ``<sdf>`` (or ``<gazebo>``, as it was called).

    Problems go to ``context.diagnostics``; what is returned after an error is harmless, and not to be used.

    Source: the SDFormat specification, http://sdformat.org, with the behaviour of libsdformat 17.
    """
    composition = compose(root, context)
    normalise_sdf(root)
    check_names(root, composition.versions)
    body = _main_element(root)
    if body is None:
        scene = Scene(name="")
    elif body.tag in ("world", "model"):
        layout = build_frame_graph(body, composition.scenes)
        solve(layout)
        scene = assemble(layout, context)
    else:
        scene = _read_alone(root, body)
    root.report_unread()
    return scene


def _main_element(root: Node) -> Node | None:
    """What the file is about: its first world, else its first model, light or actor."""
    root.skip("@version")
    found = [child for tag in ("world", "model", "light", "actor") for child in root.all(tag)]
    if not found:
        root.report(Fate.ASSUMED, "sdf.empty", "the file has no world, model, light or actor; the scene is empty")
        return None
    for extra in found[1:]:
        extra.report(
            Fate.DROPPED,
            "sdf.extra-element",
            "a file gives one <{tag}>; this <{tag_2}> is a further one and is not read",
            tag=found[0].tag,
            tag_2=extra.tag,
        )
        mark_read(extra)
    return found[0]


def _read_alone(root: Node, body: Node) -> Scene:
    """A file that holds but a light or an actor."""
    if body.tag == "actor":
        report_ignored(root, {"actor": ASIDES["actor"]})
        return Scene(name=body.attributes.get("name", ""))
    light = read_light(body, body.word("@name", ""), WORLD, read_pose(body)[1])
    return Scene(name=light.name, lights=(light,))
