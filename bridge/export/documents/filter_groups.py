"""Collision filters of MuJoCo as filter groups, for formats that have neither its bitmasks nor its rules."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from itertools import combinations

from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import FilterGroup, FilterRule
from loaders.scene import Scene
from loaders.scene_queries.excluded_pairs import default_policy, excluded_pairs, masked_pairs

_MAX_LINKS = 400
"""Largest number of links with collisions for which groups are sought; their pairs are listed."""

_Neighbors = Mapping[str, Set[str]]
"""The links that each link may not touch."""


def has_writable_pairs(scene: Scene) -> bool:
    """Return whether the pairs that a scene excludes are MuJoCo's, and few enough to be written as filter groups."""
    return default_policy(scene) == "mujoco" and sum(1 for link in scene.links if link.collisions) <= _MAX_LINKS


def with_filter_groups(scene: Scene) -> Scene:
    """Return the scene with filter groups for the pairs that MuJoCo excludes and Drake's rules do not.

    A scene whose rules are not MuJoCo's stays as it is. Links that may not touch the same links share a group.

    Args:
        scene: The scene.
    """
    if not has_writable_pairs(scene):
        return scene
    colliding = [link.name for link in scene.links if link.collisions]
    wanted = excluded_pairs(scene)
    missing = wanted - excluded_pairs(scene, "drake")
    pairs = [pair for pair in missing if pair <= set(colliding)]
    if not pairs:
        return scene
    masked = masked_pairs(scene)
    pairs += [pair for pair in map(frozenset, combinations(colliding, 2)) if pair in masked and pair in wanted]
    groups, rules = _grouped(_neighbors(pairs), colliding, {group.name for group in scene.filter_groups})
    return dataclasses.replace(
        scene, filter_groups=(*scene.filter_groups, *groups), filter_rules=(*scene.filter_rules, *rules)
    )


def report_pairs_kept_apart(scene: Scene, report: Report, code: str) -> None:
    """Report the pairs of links that may touch by MuJoCo's rules, if they are those of the scene, but not by Drake's.

    Args:
        scene: The scene.
        report: Receives a finding for each pair.
        code: The code of the findings.
    """
    for a, b in _pairs_kept_apart(scene):
        report.add(
            Fate.DROPPED,
            code,
            "links {a} and {b} may touch in MuJoCo; by Drake's rules links that a joint connects or that are fixed to "
            "each other never do",
            subjects=(a, b),
            a=a,
            b=b,
        )


def _pairs_kept_apart(scene: Scene) -> list[list[str]]:
    if not has_writable_pairs(scene):
        return []
    return sorted(sorted(pair) for pair in excluded_pairs(scene, "drake") - excluded_pairs(scene))


def _neighbors(pairs: Iterable[frozenset[str]]) -> _Neighbors:
    found: dict[str, set[str]] = defaultdict(set)
    for a, b in map(sorted, pairs):
        found[a].add(b)
        found[b].add(a)
    return found


def _grouped(neighbors: _Neighbors, order: list[str], taken: Set[str]) -> tuple[list[FilterGroup], list[FilterRule]]:
    """Return groups of links with the same neighbors, in the order of the links, and the rules between them."""
    classes = _classes(neighbors, [name for name in order if name in neighbors])
    names = [f"filter_{i}" for i in range(1, len(classes) + len(taken) + 1) if f"filter_{i}" not in taken]
    groups = [FilterGroup(name=name, links=tuple(links)) for name, links in zip(names, classes, strict=False)]
    rules = []
    for i, a in enumerate(groups):
        if len(a.links) > 1 and a.links[1] in neighbors[a.links[0]]:
            rules.append(FilterRule(a=a.name, b=a.name))
        rules += [FilterRule(a=a.name, b=b.name) for b in groups[i + 1 :] if b.links[0] in neighbors[a.links[0]]]
    return groups, rules


def _classes(neighbors: _Neighbors, order: list[str]) -> list[list[str]]:
    """Return the links in classes: those that exclude each other and the same others, and those that exclude the same.

    Args:
        neighbors: The links that each link may not touch.
        order: The links.
    """
    together: dict[frozenset[str], list[str]] = defaultdict(list)
    for name in order:
        together[frozenset(neighbors[name] | {name})].append(name)
    apart: dict[frozenset[str], list[str]] = defaultdict(list)
    for names in together.values():
        if len(names) == 1:
            apart[frozenset(neighbors[names[0]])] += names
    found = [names for names in together.values() if len(names) > 1] + list(apart.values())
    return sorted(found, key=lambda names: order.index(names[0]))
