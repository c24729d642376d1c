"""The tree of a robot: who carries whom, and where every link stands at the zero configuration."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from loaders.diagnostics import Diagnostics, Fate
from loaders.model import WORLD, Joint
from loaders.node import Node
from loaders.spatial import IDENTITY, Pose


def connected(joints: Iterable[Joint], links: dict[str, Node], diagnostics: Diagnostics) -> list[Joint]:
    """The joints whose both ends are links or the world; the others are reported."""
    known = {WORLD, *links}
    kept = []
    for joint in joints:
        unknown = [end for end in (joint.parent, joint.child) if end and end not in known]
        for end in unknown:
            close = difflib.get_close_matches(end, known, n=1)
            hint = f"did you mean {close[0]}?" if close else "correct the name, or add the link"
            diagnostics.add(
                Fate.INVALID,
                "urdf.unknown-link",
                "joint {joint} names {end!r}, which is no link",
                joint.where,
                hint=hint,
                subjects=(joint.name,),
                joint=joint.name,
                end=end,
            )
        if joint.parent == joint.child and joint.parent:
            diagnostics.add(
                Fate.INVALID,
                "urdf.loop",
                "joint {joint} connects link {child} with itself",
                joint.where,
                subjects=(joint.name,),
                joint=joint.name,
                child=joint.child,
            )
        elif joint.parent and joint.child and not unknown:
            kept.append(joint)
    return kept


def root_link(links: Iterable[str], joints: Iterable[Joint]) -> str | None:
    """The first link that nothing carries, or that the world carries."""
    carried = {joint.child for joint in joints if joint.parent != WORLD}
    return next((name for name in links if name != WORLD and name not in carried), None)


def link_poses(links: dict[str, Node], joints: list[Joint], diagnostics: Diagnostics) -> dict[str, Pose]:
    """``X_WL`` of every link at the zero configuration, each root at the origin.

    Whatever is no tree is reported: links with two parents, loops, and more roots than one.
    """
    carriers = _carriers(joints, diagnostics)
    roots = [name for name in links if name != WORLD and name not in carriers]
    incident: dict[str, list[Joint]] = {name: [] for name in (WORLD, *links)}
    for joint in _distinct(joints, carriers):
        incident[joint.parent].append(joint)
        incident[joint.child].append(joint)
    poses = _walk(WORLD, incident, {}, diagnostics)
    floating = [name for name in roots if name not in poses]
    for name in (*floating, *links):
        _walk(name, incident, poses, diagnostics)
    if len(floating) > 1:
        message = f"{len(floating)} links have no parent: {', '.join(floating)}; each moves on its own"
        where = links[floating[1]].where
        diagnostics.add(Fate.ASSUMED, "urdf.several-roots", message, where, hint="connect them by joints")
    return poses


def _carriers(joints: list[Joint], diagnostics: Diagnostics) -> dict[str, Joint]:
    """The first joint above every link; a second one is reported. The world may stand below many joints."""
    carriers: dict[str, Joint] = {}
    for joint in joints:
        first = carriers.setdefault(joint.child, joint)
        if first is not joint and joint.child != WORLD:
            parents = f"{first.parent} by joint {first.name}, {joint.parent} by joint {joint.name}"
            message = f"link {joint.child} has two parents: {parents}"
            hint = "a URDF is a tree: leave one out; SDFormat can close a loop"
            diagnostics.add(Fate.INVALID, "urdf.two-parents", message, joint.where, hint=hint)
    return carriers


def _distinct(joints: list[Joint], carriers: dict[str, Joint]) -> list[Joint]:
    """The joints but for those to a second parent."""
    return [joint for joint in joints if joint.child == WORLD or carriers[joint.child] is joint]


def _walk(
    root: str, incident: dict[str, list[Joint]], poses: dict[str, Pose], diagnostics: Diagnostics
) -> dict[str, Pose]:
    """Place all that hangs together with ``root``, in both directions of the joints, and report what closes a loop."""
    if root in poses:
        return poses
    poses[root] = IDENTITY
    used: set[str] = set()
    pending = [root]
    while pending:
        here = pending.pop()
        for joint in incident[here]:
            if joint.name in used:
                continue
            used.add(joint.name)
            downwards = joint.parent == here
            there = joint.child if downwards else joint.parent
            if there in poses:
                diagnostics.add(
                    Fate.INVALID,
                    "urdf.loop",
                    "joint {joint} closes a loop of links: {parent} and {child} are connected",
                    joint.where,
                    hint="a URDF is a tree",
                    subjects=(joint.name,),
                    joint=joint.name,
                    parent=joint.parent,
                    child=joint.child,
                )
                continue
            X_PC = joint.X_PJ @ joint.X_CJ.inverse()
            poses[there] = poses[here] @ (X_PC if downwards else X_PC.inverse())
            pending.append(there)
    return poses
