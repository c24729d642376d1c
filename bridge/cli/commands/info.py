"""info, print, resolve and graph: the tree, graph and frames of a scene as text.

Matplotlib draws the graph, so Graphviz is not needed: links are drawn in columns by their distance
from the world, each beside the middle of its children; joints that close a loop are dashed.
"""

from __future__ import annotations

import io
import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transforms3d.euler import mat2euler

import loaders
from bridge.batches.inputs import manifest_file
from bridge.cli.errors import UsageError
from bridge.cli.inputs import STDIN, input_file, load_scene, search, writing_to
from bridge.cli.output import Output
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body
from bridge.output import Form, check_file, write_sealed
from bridge.targets.sdf import printed_sdf
from loaders.diagnostics import without_repeats
from loaders.model import WORLD, Joint, Link
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.text import counted, nearest_path, printable


def info(options: Namespace, output: Output) -> int:
    """Print the tree of models, links and joints, or the poses of frames; with ``--json`` the
    conformance format.
    """
    scene = load_scene(options)
    if options.json:
        output.json(scene.to_dict())
    elif options.frames:
        output.table(("", "name", "x", "y", "z", "roll", "pitch", "yaw"), frame_rows(scene))
    else:
        output.outline(tree(lower(scene)))
    output.diagnostics(scene.diagnostics)
    return 0


def print_(options: Namespace, output: Output) -> int:
    """Print a model as SDFormat, with includes inserted, poses resolved, and files named where the
    source has them.

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


def resolve(options: Namespace, output: Output) -> int:
    """Print where each file that a model refers to was found, or every place that was tried.

    Returns:
        1 if a file is missing.

    Raises:
        LoadError: if the file cannot be read.
        UsageError: if the model is to be read from standard input.
    """
    file = input_file(options)
    if file == STDIN:
        raise UsageError("resolve reads a file; expected its name, not standard input")
    if os.path.isdir(file):
        file = manifest_file(Path(file), unsafe_paths=options.unsafe_paths)
    how = {"allow_xacro": options.xacro, "lenient": options.lenient}
    lookups = loaders.resolve(file, xacro_args=dict(options.xacro_arg), **how, **search(options))
    if not lookups:
        load_scene(options, file)  # raises an error if the file cannot be read
        output.progress(f"{file} refers to no other file")
    if options.json:
        output.json([_to_json(lookup) for lookup in lookups])
    else:
        output.data_lines(dict.fromkeys(line for lookup in lookups for line in _to_text(lookup)))
    return 0 if all(lookup.path for lookup in lookups) else 1


def _to_json(lookup: loaders.Lookup) -> dict[str, Any]:
    return {
        "uri": lookup.uri,
        "file": lookup.file,
        "line": lookup.line,
        "path": str(lookup.path) if lookup.path else None,
        "tried": [str(place) for place in lookup.tried],
        "problem": lookup.problem,
    }


def _to_text(lookup: loaders.Lookup) -> Iterator[str]:
    found = nearest_path(str(lookup.path)) if lookup.path else ""
    yield f"{lookup.uri}\t{found or f'not found: {nearest_path(lookup.file)}:{lookup.line}'}"
    if not lookup.path:
        yield from (f"    tried {nearest_path(str(place))}" for place in lookup.tried)


_ROW, _CHARACTER = 0.4, 0.076
"""Height of a row and width of a character [inch]."""
_GAP = 0.4
"""Width for the arrow and name of a joint, besides its characters [inch]."""


@dataclass(frozen=True, slots=True)
class TreeLayout:
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


def layout(scene: Scene) -> TreeLayout:
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
    return TreeLayout(place, tree, loops, mimicked(scene))


def _ends(joints: Sequence[Joint]) -> list[str]:
    return [name for joint in joints for name in (joint.parent, joint.child)]


def _spanning_tree(joints: Sequence[Joint]) -> tuple[dict[str, Joint], list[Joint]]:
    """Return the joint that holds each link, and the joints that would close a loop."""
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


def _depth_first(
    roots: Sequence[str], children: Mapping[str, Sequence[str]]
) -> list[tuple[str, int]]:
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
        message = (
            'SVG and PNG need Matplotlib; run: pip install "sdfbridge[report]" (DOT works '
            "without it)"
        )
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
        figure.savefig(
            stream, format=form, dpi=120, metadata={"Date": None} if form == "svg" else None
        )
    return stream.getvalue()


def _columns(plan: TreeLayout) -> tuple[list[float], float]:
    """Return the left edge of each column, and the width of all [inch]."""
    depth = 1 + max((column for column, _ in plan.place.values()), default=0)
    links, joints = [0.0] * depth, [0.0] * depth
    for name, (column, _) in plan.place.items():
        links[column] = max(links[column], len(name) * _CHARACTER)
        if name in plan.tree:
            joints[column] = max(
                joints[column],
                len(joint_label(plan.tree[name], plan.followers)) * _CHARACTER * 0.8 + _GAP,
            )
    left, x = [], 0.2
    for k in range(depth):
        x += joints[k]
        left.append(x)
        x += links[k] + 0.2
    return left, x


def _draw(axes: Any, plan: TreeLayout, at: Mapping[str, tuple[float, float]]) -> None:
    for name, (x, y) in at.items():
        box = {
            "boxstyle": "round,pad=0.3",
            "facecolor": "#e8eef7" if name != WORLD else "#dddddd",
            "edgecolor": "#456",
        }
        axes.text(
            x,
            y,
            name,
            va="center",
            ha="left",
            fontsize=9,
            family="monospace",
            bbox=box,
            parse_math=False,
        )
    for joint in (*plan.tree.values(), *plan.loops):
        _draw_joint(axes, joint, at, joint_label(joint, plan.followers), loop=joint in plan.loops)


def _draw_joint(
    axes: Any, joint: Joint, at: Mapping[str, tuple[float, float]], label: str, *, loop: bool
) -> None:
    (x0, y0), (x1, y1) = at[joint.parent], at[joint.child]
    start, end = (x0 + len(joint.parent) * _CHARACTER + 0.06, y0), (x1 - 0.08, y1)
    line = {
        "arrowstyle": "-|>",
        "color": "#a33" if loop else "#555",
        "linestyle": "--" if loop else "-",
    }
    if not loop and y0 != y1:
        line["connectionstyle"] = "angle,angleA=90,angleB=0,rad=4"
    axes.annotate("", xy=end, xytext=start, arrowprops=line)
    middle = ((start[0] + end[0]) / 2, (y0 + y1) / 2) if loop else (end[0] - 0.15, y1 - 0.05)
    axes.text(
        *middle, label, ha="center" if loop else "right", va="bottom", fontsize=7, parse_math=False
    )


_FORMS = {"dot": Form.LINES, "svg": Form.MARKUP, "png": Form.PNG}


def graph(options: Namespace, output: Output) -> int:
    """Write links and joints as a graph in DOT, SVG or PNG; with ``--json`` as lists, with the
    couplings of joints.

    Raises:
        UsageError: if the format is unknown, if a picture would be written to a terminal, or if
            standard output would get both the graph and the lists.
    """
    form = _form(options)
    if options.out:
        check_file(options.out, force=options.force)
    scene = load_scene(options)
    output.diagnostics(scene.diagnostics)
    if options.out:
        with writing_to(options.out):
            data = _drawn(scene, form)
            write_sealed(options.out, data, _FORMS[form], force=options.force)
        output.progress(f"wrote {options.out}")
    elif not options.json:
        sys.stdout.buffer.write(_drawn(scene, form))
        sys.stdout.buffer.flush()
    if options.json:
        output.json(_lists(scene))
    return 0


def _lists(scene: Scene) -> dict[str, list[Any]]:
    """Return links, joints and couplings as plain data; axes are counted from 0."""
    fields = (
        "follower", "leader", "multiplier", "offset", "higher", "follower_axis", "leader_axis",
    )  # fmt: skip
    return {
        "links": [link.name for link in scene.links],
        "joints": [
            {"joint": j.name, "type": str(j.type), "parent": j.parent, "child": j.child}
            for j in scene.joints
        ],
        "couplings": [
            {name: getattr(coupling, name) for name in fields} for coupling in scene.couplings
        ],
    }


def _form(options: Namespace) -> str:
    out: Path | None = options.out
    form: str = options.format or (out.suffix.lower().removeprefix(".") if out else "dot")
    if form not in _FORMS:
        raise UsageError(
            f"unknown format of graph {out}; expected a file that ends in .dot, .svg or .png, or "
            f"--format"
        )
    if options.json and options.format and out is None:
        raise UsageError(
            "--json prints lists in place of a graph; expected -o FILE for the graph, or no "
            "--format"
        )
    if form == "png" and out is None and sys.stdout.isatty():
        raise UsageError("a PNG picture cannot be shown as text; expected -o FILE.png, or a pipe")
    return form


def _drawn(scene: Scene, form: str) -> bytes:
    if form == "png":
        return picture(scene, form)
    text = f"{dot(scene)}\n" if form == "dot" else picture(scene, form).decode()
    return printable(text, lines=True).encode()


def frame_rows(scene: Scene) -> Iterator[tuple[str, ...]]:
    """Yield kind, name, position [m] and roll, pitch and yaw [rad] of each link, joint and frame at
    zero configuration.
    """
    X_WL = {WORLD: IDENTITY} | {link.name: link.X_WL for link in scene.links}
    for link in scene.links:
        yield "link", link.name, *_numbers(link.X_WL)
    for joint in scene.joints:
        yield "joint", joint.name, *_numbers(X_WL[joint.child] @ joint.X_CJ)
    for frame in scene.frames:
        yield "frame", frame.name, *_numbers(X_WL[frame.link] @ frame.X_LF)


def _numbers(pose: Pose) -> tuple[str, ...]:
    return tuple(f"{round(x, 9) + 0.0:.6g}" for x in (*pose.p, *mat2euler(pose.R, "sxyz")))


def tree(mechanism: Mechanism) -> str:
    """Return the models, then the tree of links, each with the joint that connects it to its
    parent.
    """
    scene = mechanism.scene
    head = (
        f"{scene.name or 'scene'}: {counted(len(scene.models), 'model')}, "
        f"{counted(len(scene.links), 'link')}, "
    )
    degrees = counted(len(mechanism.v_order), "degree")
    head += f"{counted(len(scene.joints), 'joint')}, {degrees} of freedom"
    if mechanism.couplings:
        head += f", {_independent(mechanism)} of them independent"
    lines = [head, *(_model(scene, k) for k in range(len(scene.models))), WORLD]
    return "\n".join(map(printable, [*lines, *_bodies(mechanism)]))  # a name may have line breaks


def _model(scene: Scene, k: int) -> str:
    model = scene.models[k]
    static = ", static" if model.static else ""
    return f"model {model.name}{static}, canonical link {model.canonical_link or 'none'}"


def _bodies(mechanism: Mechanism) -> Iterator[str]:
    children: dict[int, list[int]] = {}
    followers = mimicked(mechanism.scene)
    for i, body in enumerate(mechanism.bodies):
        children.setdefault(body.parent, []).append(i)
    pending = [(i, "", k == 0) for k, i in enumerate(reversed(children.get(ROOT, [])))]
    while pending:
        i, indent, last = pending.pop()
        yield f"{indent}{'`-- ' if last else '|-- '}{_body(mechanism.bodies[i], followers)}"
        below = indent + ("    " if last else "|   ")
        pending.extend((j, below, k == 0) for k, j in enumerate(reversed(children.get(i, []))))


def _independent(mechanism: Mechanism) -> int:
    """Return the number of degrees of freedom that follow no other; those of one chain of couplings
    count once.
    """
    chains = list(range(len(mechanism.v_order)))
    for coupling in mechanism.couplings:
        old, new = chains[coupling.follower], chains[coupling.leader]
        chains = [new if chain == old else chain for chain in chains]
    return len(set(chains))


def mimicked(scene: Scene) -> Mapping[str, str]:
    """Return what each joint that follows others mimics, in words, by its name.

    Args:
        scene: The scene with the joints.
    """
    axes = {joint.name: len(joint.axes) for joint in scene.joints}
    words: dict[str, list[str]] = {}
    for coupling in scene.couplings:
        leader = coupling.leader + (
            f"[{coupling.leader_axis}]" if axes.get(coupling.leader, 1) > 1 else ""
        )
        text = f"mimics {leader} x {coupling.multiplier:g} + {coupling.offset:g}"
        text += "".join(f" + {c:g} {leader}^{k}" for k, c in enumerate(coupling.higher, 2))
        words.setdefault(coupling.follower, []).append(text)
    return {name: ", ".join(texts) for name, texts in words.items()}


def joint_label(joint: Joint, followers: Mapping[str, str]) -> str:
    """Return the name of a joint with its type, and with what it mimics.

    Args:
        joint: The joint.
        followers: What joints mimic; see `mimicked`.
    """
    return f"{joint.name} ({', '.join(filter(None, (str(joint.type), followers.get(joint.name))))})"


def _body(body: Body, followers: Mapping[str, str]) -> str:
    if body.source is not None:
        axes = body.source.axes
        limits = (
            f" [{axes[0].lower:g}, {axes[0].upper:g}]" if len(axes) == 1 and body.primitives else ""
        )
        follows = f", {followers[body.source.name]}" if body.source.name in followers else ""
        joint = f"{body.source.name} ({body.source.type}{limits}{follows})"
    else:
        joint = "free" if body.primitives else "static"
    return f"{body.name}  <- {joint}  {_mass(body.link)}"


def _mass(link: Link) -> str:
    return f"{link.inertia.mass:g} kg" if link.inertia is not None else "no inertia"


def dot(scene: Scene) -> str:
    """Return links and joints as a directed graph in DOT."""
    lines = [f"digraph {_quoted(scene.name)} {{", f"  {_quoted(WORLD)} [shape=box];"]
    lines += [f"  {_quoted(link.name)};" for link in scene.links if link.name != WORLD]
    followers = mimicked(scene)
    lines += [
        f"  {_quoted(j.parent)} -> {_quoted(j.child)} [label={_quoted(joint_label(j, followers))}];"
        for j in scene.joints
    ]
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
