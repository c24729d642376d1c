"""Reader of SRDF, MoveIt's companion file of a URDF: collision filters and keyframes.

Disabled link pairs become collision filters, and group states become keyframes.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.ignored_elements import IgnoredElements, report_ignored
from loaders.model import FilterGroup, FilterRule
from loaders.node import Node
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.xml import parse, read_bytes

from .srdf_states import read_states

_ROBOT_SUFFIXES = (".urdf", ".xacro")
_PLANNING = (Fate.NOTED, "srdf.planning", "it is for motion planning and has no effect on the mechanics")
_IGNORED: IgnoredElements = dict.fromkeys(
    (
        "group",
        "end_effector",
        "virtual_joint",
        "passive_joint",
        "link_sphere_approximation",
        "joint_property",
        "chain",
    ),
    _PLANNING,
)


def with_srdf(scene: Scene, path: Path, diagnostics: Diagnostics) -> Scene:
    """Return the scene with the disabled link pairs of an SRDF file as filter groups and rules, and its states.

    A link with ``disable_default_collisions`` still collides with the links that ``enable_collisions`` pairs with it.

    Source: http://wiki.ros.org/srdf, and MoveIt's ``disable_default_collisions`` and ``enable_collisions``.

    Args:
        scene: The scene of the URDF.
        path: The SRDF file.
        diagnostics: Record for the findings.
    """
    data = read_bytes(path, diagnostics)
    root = None if data is None else parse(data, str(path), diagnostics)
    if root is None:
        return scene
    if root.tag != "robot":
        root.invalid("srdf.root", "unknown root element <{tag}> of an SRDF; expected <robot>", tag=root.tag)
        return scene
    root.skip("@name", "@version")
    report_ignored(root, _IGNORED)
    known = tuple(link.name for link in scene.links)
    pairs = list(dict.fromkeys(_disabled_pairs(root, known)))
    keyframes = read_states(root, {joint.name: joint for joint in scene.joints})
    root.report_unread()
    names = dict.fromkeys(name for pair in pairs for name in pair)
    groups = tuple(FilterGroup(name=_group(name), links=(name,), where=root.where) for name in names)
    rules = tuple(FilterRule(a=_group(a), b=_group(b), where=root.where) for a, b in pairs)
    return dataclasses.replace(
        scene,
        filter_groups=scene.filter_groups + groups,
        filter_rules=scene.filter_rules + rules,
        keyframes=scene.keyframes + keyframes,
    )


def _group(link: str) -> str:
    return f"srdf{SEPARATOR}{link}"


def _disabled_pairs(root: Node, known: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the disabled pairs, each sorted: listed pairs, and pairs of links that collide with nothing by default."""
    links = set(known)
    for node in root.all("disable_collisions"):
        node.skip("@reason")
        yield from _pair(node, links)
    enabled = {pair for node in root.all("enable_collisions") for pair in _pair(node, links)}
    for node in root.all("disable_default_collisions"):
        link = node.word("@link")
        if _is_known(link, links, node):
            pairs = ((min(link, other), max(link, other)) for other in known if other != link)
            yield from (pair for pair in pairs if pair not in enabled)


def _pair(node: Node, links: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pair of links of an element; nothing, with a diagnostic, unless they are two links of the robot."""
    node.skip("@reason")
    a, b = node.word("@link1"), node.word("@link2")
    known = [_is_known(name, links, node) for name in (a, b)]
    if not all(known):
        return []
    if a == b:
        node.report(
            Fate.ASSUMED, "srdf.same-link", "link {link} never collides with itself; ignored", subjects=(a,), link=a
        )
        return []
    return [(min(a, b), max(a, b))]


def _is_known(name: str, links: Iterable[str], node: Node) -> bool:
    if name and name not in links:
        node.report(Fate.DROPPED, "srdf.unknown-link", "unknown link {link!r}; ignored", link=name)
    return name in links


def report_unused(path: Path, diagnostics: Diagnostics) -> None:
    """Report an SRDF that lies beside a robot's file under its name and is not used.

    Args:
        path: The file of the robot.
        diagnostics: Record for the finding.
    """
    if not str(path).endswith(_ROBOT_SUFFIXES):
        return
    folder, name = os.path.split(path)
    srdf = f"{name.partition('.')[0]}.srdf"
    if os.path.isfile(os.path.join(folder, srdf)):
        diagnostics.add(
            Fate.NOTED,
            "srdf.not-used",
            "{file} beside this file is not used",
            Where(str(path)),
            hint="use srdf=... for its collision filters and states",
            file=srdf,
        )
