"""``<contact>``: the pairs of bodies that touch in the running MuJoCo are those that may touch in the model.

MuJoCo itself lets no two bodies touch that are welded together, nor a body and the one that it hangs from by joints,
unless that one is fixed to the world. Where the model filters those pairs too, only the others are written; where it
does not, MuJoCo's rule is switched off and every filtered pair is written.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product

from bridge.mechanism import ROOT
from loaders.diagnostics import Fate

from .context import Context

Pair = frozenset[str]


def contacts(context: Context) -> None:
    """Write the excludes, and the flag that they need."""
    mechanism = context.mechanism
    colliding: dict[int, list[str]] = defaultdict(list)
    group = weld_groups(context)
    for body in mechanism.bodies:
        if body.link.collisions:
            colliding[group[body.name]].append(body.name)
    excluded = mechanism.scene.excluded_collision_pairs(context.options.collision_policy)
    apart = {pair for pair in excluded if len({group[name] for name in pair}) == 2}
    _report_welded(colliding, len(excluded) - len(apart), context)
    adjacent = _adjacent(colliding, group, context)
    if adjacent <= apart:
        apart -= adjacent
    else:
        context.document["option"].add("flag", filterparent="disable")
    order = {body.name: i for i, body in enumerate(mechanism.bodies)}
    for i, j in sorted(sorted(order[name] for name in pair) for pair in apart):
        names = mechanism.bodies[i].name, mechanism.bodies[j].name
        context.document["contact"].add("exclude", body1=names[0], body2=names[1])


def _report_welded(colliding: dict[int, list[str]], excluded: int, context: Context) -> None:
    still = sum(len(names) * (len(names) - 1) // 2 for names in colliding.values()) - excluded
    if still:
        message = f"{still} pairs of links that may touch cannot move against each other; they do not touch in MuJoCo"
        context.report(Fate.NOTED, "welded-contact", message)


def weld_groups(context: Context) -> dict[str, int]:
    """For each link the body, by index, that moves all that is welded to it; `ROOT` where that is the world."""
    groups: list[int] = []
    for i, body in enumerate(context.mechanism.bodies):
        above = ROOT if body.parent == ROOT else groups[body.parent]
        groups.append(i if body.primitives else above)
    return {body.name: group for body, group in zip(context.mechanism.bodies, groups, strict=True)}


def _adjacent(colliding: dict[int, list[str]], group: dict[str, int], context: Context) -> set[Pair]:
    """The pairs that MuJoCo's own rule keeps apart."""
    bodies = context.mechanism.bodies
    found: set[Pair] = set()
    for below, names in colliding.items():
        parent = bodies[below].parent if below != ROOT else ROOT
        above = group[bodies[parent].name] if parent != ROOT else ROOT
        if above != ROOT:
            found.update(frozenset(pair) for pair in product(names, colliding.get(above, ())))
    return found
