"""Group states of an SRDF: named positions of joints, which become keyframes.

Source: MoveIt's ``srdfdom``: a value has one number for each variable of its joint, ``x y theta`` for a planar joint.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from loaders.diagnostics import Fate
from loaders.model import Joint, JointType, Keyframe
from loaders.node import Node
from loaders.nodes.number_syntax import parse_number

_SIZES = {JointType.REVOLUTE: 1, JointType.CONTINUOUS: 1, JointType.PRISMATIC: 1, JointType.PLANAR: 3}
"""Number of positions of the joints whose states are read."""


def read_states(root: Node, joints: Mapping[str, Joint]) -> tuple[Keyframe, ...]:
    """Return a keyframe for each group state, named after the state, and after the group too if several share a name.

    Args:
        root: The root element of the SRDF.
        joints: The joints of the robot, by name.
    """
    states = [(node, node.word("@name"), node.word("@group", "")) for node in root.all("group_state")]
    counts = Counter(name for _, name, _ in states)
    keyframes: dict[str, Keyframe] = {}
    for node, name, group in states:
        unique = name if counts[name] == 1 else f"{group}_{name}"
        if unique in keyframes:
            node.report(
                Fate.DROPPED,
                "srdf.duplicate-state",
                "state {state} of group {group} is defined twice; ignored the second",
                subjects=(unique,),
                hint="rename one of them",
                state=name,
                group=group,
            )
            continue
        positions = _positions(node, unique, joints)
        if positions:
            keyframes[unique] = Keyframe(
                name=unique, joints=tuple(positions), positions=tuple(positions.values()), where=node.where
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
                Fate.DROPPED,
                "srdf.state-value",
                "state {state}: invalid position {value!r} of joint {joint}; expected {count} finite number(s)",
                subjects=(name,),
                state=state,
                value=value,
                joint=name,
                count=_SIZES[joint.type],
            )
            continue
        positions[name] = numbers
    if not node.all("joint"):
        message = "state {state} has no joints; ignored"
        node.report(Fate.DROPPED, "srdf.empty-state", message, subjects=(state,), state=state)
    return positions


def _report_joint(node: Node, state: str, name: str, joint: Joint | None) -> None:
    if joint is None:
        message = "state {state}: the robot has no joint {joint}; ignored"
        node.report(Fate.DROPPED, "srdf.unknown-joint", message, subjects=(state,), state=state, joint=name)
        return
    message = "state {state}: joint {joint} is {type}; its position is not read"
    fate = Fate.NOTED if joint.type is JointType.FIXED else Fate.DROPPED
    node.report(fate, "srdf.state-joint", message, subjects=(name,), state=state, joint=name, type=str(joint.type))


def _numbers(text: str) -> tuple[float, ...]:
    """The numbers of a text; none if a word is not a finite number."""
    found = [(word, parse_number(word)) for word in text.split()]
    numbers = tuple(number[0] for word, number in found if number is not None and number[1] == word)
    return numbers if len(numbers) == len(found) and all(map(math.isfinite, numbers)) else ()
