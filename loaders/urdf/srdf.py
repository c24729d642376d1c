"""SRDF: collision filters, and group states as keyframes.

Disabled link pairs become collision filters, and group states become keyframes.

Source: MoveIt's ``srdfdom``: a value has one number for each variable of its joint, ``x y theta``
for a planar joint.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from loaders.diagnostics import Diagnostics, Where
from loaders.model import TRAITS, FilterGroup, FilterRule, Joint, JointType, Keyframe
from loaders.node import IgnoredElements, Node, report_ignored
from loaders.numbers import parse_number
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR
from loaders.urdf import codes
from loaders.xml import parse, read_bytes

_SIZES = {
    joint_type: traits.position_count
    for joint_type, traits in TRAITS.items()
    if traits.urdf_tag == "joint" and traits.is_series and traits.motions
}
"""Number of positions of the joints whose states are read: URDF's own, but for floating ones."""


def read_states(root: Node, joints: Mapping[str, Joint]) -> tuple[Keyframe, ...]:
    """Return a keyframe for each group state, named after the state, and after the group too if
    several share a name.

    Args:
        root: The root element of the SRDF.
        joints: The joints of the robot, by name.
    """
    states = [
        (node, node.word("@name"), node.word("@group", "")) for node in root.all("group_state")
    ]
    counts = Counter(name for _, name, _ in states)
    keyframes: dict[str, Keyframe] = {}
    for node, name, group in states:
        unique = name if counts[name] == 1 else f"{group}_{name}"
        if unique in keyframes:
            node.report(codes.SRDF_DUPLICATE_STATE, subjects=(unique,), state=name, group=group)
            continue
        positions = _positions(node, unique, joints)
        if positions:
            keyframes[unique] = Keyframe(
                name=unique,
                joints=tuple(positions),
                positions=tuple(positions.values()),
                where=node.where,
            )
    return tuple(keyframes.values())


def _positions(node: Node, state: str, joints: Mapping[str, Joint]) -> dict[str, tuple[float, ...]]:
    """Return the positions that a state names; what cannot be used is reported."""
    positions = {}
    for child in node.all("joint"):
        name, value = child.word("@name"), child.word("@value")
        joint = joints.get(name)
        if joint is None or joint.type not in _SIZES:
            _report_joint(child, state, name, joint)
            continue
        numbers = _numbers(value)
        if len(numbers) != _SIZES[joint.type]:
            child.report(
                codes.SRDF_STATE_VALUE,
                subjects=(name,),
                state=state,
                value=value,
                joint=name,
                count=_SIZES[joint.type],
            )
            continue
        positions[name] = numbers
    if not node.all("joint"):
        node.report(codes.SRDF_EMPTY_STATE, subjects=(state,), state=state)
    return positions


def _report_joint(node: Node, state: str, name: str, joint: Joint | None) -> None:
    if joint is None:
        node.report(codes.SRDF_UNKNOWN_JOINT, subjects=(state,), state=state, joint=name)
        return
    is_fixed = joint.type is JointType.FIXED
    code = codes.SRDF_STATE_JOINT_FIXED if is_fixed else codes.SRDF_STATE_JOINT
    node.report(code, subjects=(name,), state=state, joint=name, type=str(joint.type))


def _numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of a text; none if a word is not a finite number."""
    found = [(word, parse_number(word)) for word in text.split()]
    numbers = tuple(number[0] for word, number in found if number is not None and number[1] == word)
    return numbers if len(numbers) == len(found) and all(map(math.isfinite, numbers)) else ()


ROBOT_SUFFIXES = (".urdf", ".xacro")
"""Ends of the names of files that may have an SRDF beside them."""
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
    codes.SRDF_PLANNING,
)


def with_srdf(scene: Scene, path: Path, diagnostics: Diagnostics) -> Scene:
    """Return the scene with the disabled link pairs of an SRDF file as filter groups and rules, and
    its states.

    A link with ``disable_default_collisions`` still collides with the links that
    ``enable_collisions`` pairs with it.

    Source: http://wiki.ros.org/srdf, and MoveIt's ``disable_default_collisions`` and
    ``enable_collisions``.

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
        root.report(codes.SRDF_ROOT, tag=root.tag)
        return scene
    root.mark("@name", "@version")
    report_ignored(root, _IGNORED)
    known = tuple(link.name for link in scene.links)
    pairs = list(dict.fromkeys(_disabled_pairs(root, known)))
    keyframes = read_states(root, {joint.name: joint for joint in scene.joints})
    root.report_unread()
    names = dict.fromkeys(name for pair in pairs for name in pair)
    groups = tuple(
        FilterGroup(name=_group(name), links=(name,), where=root.where) for name in names
    )
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
    """Yield the disabled pairs, each sorted: listed pairs, and pairs of links that collide with
    nothing by default.
    """
    links = set(known)
    for node in root.all("disable_collisions"):
        node.mark("@reason")
        yield from _pair(node, links)
    enabled = {pair for node in root.all("enable_collisions") for pair in _pair(node, links)}
    for node in root.all("disable_default_collisions"):
        link = node.word("@link")
        if _is_known(link, links, node):
            pairs = ((min(link, other), max(link, other)) for other in known if other != link)
            yield from (pair for pair in pairs if pair not in enabled)


def _pair(node: Node, links: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pair of links of an element; nothing, with a diagnostic, unless they are two links
    of the robot.
    """
    node.mark("@reason")
    a, b = node.word("@link1"), node.word("@link2")
    known = [_is_known(name, links, node) for name in (a, b)]
    if not all(known):
        return []
    if a == b:
        node.report(codes.SRDF_SAME_LINK, subjects=(a,), link=a)
        return []
    return [(min(a, b), max(a, b))]


def _is_known(name: str, links: Iterable[str], node: Node) -> bool:
    if name and name not in links:
        node.report(codes.SRDF_UNKNOWN_LINK, link=name)
    return name in links


def report_unused(path: Path, diagnostics: Diagnostics) -> None:
    """Report an SRDF that lies beside a robot's file under its name and is not used.

    Args:
        path: The file of the robot, with one of `ROBOT_SUFFIXES`.
        diagnostics: Record for the finding.
    """
    folder, name = os.path.split(path)
    srdf = f"{name.partition('.')[0]}.srdf"
    if os.path.isfile(os.path.join(folder, srdf)):
        diagnostics.add(codes.SRDF_NOT_USED, Where(str(path)), file=srdf)
