"""``<contact>``: the pairs of bodies that touch in the running MuJoCo are those that may touch in the model.

MuJoCo itself lets no two bodies touch that are welded together, nor a body and the one that it hangs from by joints,
unless that one is fixed to the world. Where the model filters those pairs too, only the others are written; where it
does not, MuJoCo's rule is switched off and every filtered pair is written.
"""

from __future__ import annotations

from bridge.mechanism import ROOT
from loaders.diagnostics import Fate

from .context import Context

Pair = frozenset[str]


def contacts(context: Context) -> None:
    """Write the excludes, and the flag that they need."""
    mechanism = context.mechanism
    names = [body.name for body in mechanism.bodies if body.link.collisions]
    everything = {frozenset((a, b)) for i, a in enumerate(names) for b in names[i + 1 :]}
    allowed = mechanism.collidable_pairs(context.options.collision_policy)
    filtered = everything - allowed
    group = weld_groups(context)
    welded = {pair for pair in everything if len({group[name] for name in pair}) == 1}
    if allowed & welded:
        message = f"{len(allowed & welded)} pairs of links that cannot move against each other do not touch in MuJoCo"
        context.report(Fate.NOTED, "welded-contact", message)
    adjacent = _adjacent(everything - welded, group, context)
    if adjacent <= filtered:
        written = filtered - welded - adjacent
    else:
        written = filtered - welded
        context.document["option"].add("flag", filterparent="disable")
    order = {name: i for i, name in enumerate(names)}
    for i, j in sorted(sorted(order[name] for name in pair) for pair in written):
        context.document["contact"].add("exclude", body1=names[i], body2=names[j])


def weld_groups(context: Context) -> dict[str, int]:
    """For each link the body, by index, that moves all that is welded to it; `ROOT` where that is the world."""
    groups: list[int] = []
    for i, body in enumerate(context.mechanism.bodies):
        above = ROOT if body.parent == ROOT else groups[body.parent]
        groups.append(i if body.primitives else above)
    return {body.name: group for body, group in zip(context.mechanism.bodies, groups, strict=True)}


def _adjacent(pairs: set[Pair], group: dict[str, int], context: Context) -> set[Pair]:
    """The pairs that MuJoCo's own rule keeps apart."""
    bodies = context.mechanism.bodies
    above = {
        g: group[bodies[bodies[g].parent].name] if bodies[g].parent != ROOT else ROOT
        for g in set(group.values()) - {ROOT}
    }
    found = set()
    for pair in pairs:
        a, b = (group[name] for name in pair)
        if ROOT not in (a, b) and (above[a] == b or above[b] == a):
            found.add(pair)
    return found
