"""Picture of links and joints, as SVG or PNG.

Matplotlib draws it, so Graphviz is not needed: links are drawn in columns by their distance from the world,
each beside the middle of its children; joints that close a loop are dashed.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loaders.model import WORLD, Joint
from loaders.scene import Scene

from .tree_output import joint_label, mimicked

_ROW, _CHARACTER = 0.4, 0.076
"""Height of a row and width of a character [inch]."""
_GAP = 0.4
"""Width for the arrow and name of a joint, besides its characters [inch]."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Places of the links in a picture.

    Attributes:
        place: Column and row of each link.
        tree: The joint that holds each link; a link without one is drawn in the first column.
        loops: The joints that are not in the tree.
        followers: What joints mimic, by name.
    """

    place: Mapping[str, tuple[int, float]]
    tree: Mapping[str, Joint]
    loops: Sequence[Joint]
    followers: Mapping[str, str]


def layout(scene: Scene) -> Layout:
    """Place each link in the column of its depth, and in the middle of the rows of its children.

    Args:
        scene: The links and joints.
    """
    names = list(dict.fromkeys([*(link.name for link in scene.links), *_ends(scene.joints)]))
    tree, loops = _spanning_tree(scene.joints)
    children: dict[str, list[str]] = {name: [] for name in names}
    for child, joint in tree.items():
        children[joint.parent].append(child)
    order = _depth_first([name for name in names if name not in tree], children)
    place: dict[str, tuple[int, float]] = {}
    leaves = sum(not children[name] for name, _ in order)
    for name, depth in reversed(order):
        rows = [place[child][1] for child in children[name]]
        leaves -= not rows
        place[name] = depth, (rows[0] + rows[-1]) / 2 if rows else float(leaves)
    return Layout(place, tree, loops, mimicked(scene))


def _ends(joints: Sequence[Joint]) -> list[str]:
    return [name for joint in joints for name in (joint.parent, joint.child)]


def _spanning_tree(joints: Sequence[Joint]) -> tuple[dict[str, Joint], list[Joint]]:
    """The joint that holds each link, and the joints that would close a loop."""
    tree: dict[str, Joint] = {}
    loops = []
    for joint in joints:
        above, seen = joint.parent, {joint.child}
        while above in tree and above not in seen:
            above = tree[above].parent
        if joint.child in tree or joint.child == WORLD or above in seen:
            loops.append(joint)
        else:
            tree[joint.child] = joint
    return tree, loops


def _depth_first(roots: Sequence[str], children: Mapping[str, Sequence[str]]) -> list[tuple[str, int]]:
    """Every link after its parent, with its depth."""
    order = []
    pending = [(root, 0) for root in reversed(roots)]
    while pending:
        name, depth = pending.pop()
        order.append((name, depth))
        pending.extend((child, depth + 1) for child in reversed(children[name]))
    return order


def picture(scene: Scene, form: str) -> bytes:
    """Return a picture of the links and joints.

    Args:
        scene: The scene to draw.
        form: ``svg`` or ``png``.

    Raises:
        ImportError: if Matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        message = 'SVG and PNG need Matplotlib; run: pip install "sdfbridge[report]" (DOT works without it)'
        raise ImportError(message) from error
    plan = layout(scene)
    left, width = _columns(plan)
    rows = 1 + max((row for _, row in plan.place.values()), default=0.0)
    stream = io.BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "sdfbridge"}):
        figure = Figure(figsize=(max(width, 1.0), max(_ROW * rows, 1.0)))
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(rows - 0.5, -0.5))
        axes.set_axis_off()
        _draw(axes, plan, {name: (left[column], row) for name, (column, row) in plan.place.items()})
        figure.savefig(stream, format=form, dpi=120, metadata={"Date": None} if form == "svg" else None)
    return stream.getvalue()


def _columns(plan: Layout) -> tuple[list[float], float]:
    """The left edge of each column, and the width of all [inch]."""
    depth = 1 + max((column for column, _ in plan.place.values()), default=0)
    links, joints = [0.0] * depth, [0.0] * depth
    for name, (column, _) in plan.place.items():
        links[column] = max(links[column], len(name) * _CHARACTER)
        if name in plan.tree:
            joints[column] = max(
                joints[column], len(joint_label(plan.tree[name], plan.followers)) * _CHARACTER * 0.8 + _GAP
            )
    left, x = [], 0.2
    for k in range(depth):
        x += joints[k]
        left.append(x)
        x += links[k] + 0.2
    return left, x


def _draw(axes: Any, plan: Layout, at: Mapping[str, tuple[float, float]]) -> None:
    for name, (x, y) in at.items():
        box = {"boxstyle": "round,pad=0.3", "facecolor": "#e8eef7" if name != WORLD else "#dddddd", "edgecolor": "#456"}
        axes.text(x, y, name, va="center", ha="left", fontsize=9, family="monospace", bbox=box, parse_math=False)
    for joint in (*plan.tree.values(), *plan.loops):
        _draw_joint(axes, joint, at, joint_label(joint, plan.followers), loop=joint in plan.loops)


def _draw_joint(axes: Any, joint: Joint, at: Mapping[str, tuple[float, float]], label: str, *, loop: bool) -> None:
    (x0, y0), (x1, y1) = at[joint.parent], at[joint.child]
    start, end = (x0 + len(joint.parent) * _CHARACTER + 0.06, y0), (x1 - 0.08, y1)
    line = {"arrowstyle": "-|>", "color": "#a33" if loop else "#555", "linestyle": "--" if loop else "-"}
    if not loop and y0 != y1:
        line["connectionstyle"] = "angle,angleA=90,angleB=0,rad=4"
    axes.annotate("", xy=end, xytext=start, arrowprops=line)
    middle = ((start[0] + end[0]) / 2, (y0 + y1) / 2) if loop else (end[0] - 0.15, y1 - 0.05)
    axes.text(*middle, label, ha="center" if loop else "right", va="bottom", fontsize=7, parse_math=False)
