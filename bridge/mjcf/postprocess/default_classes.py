"""Default classes of joints that share their dynamics, and of their actuators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from bridge.mjcf.xml.element import Element

DYNAMICS = ("damping", "armature", "frictionloss", "stiffness", "springref", "actuatorfrcrange")
"""Attributes of a joint that may be in a class; so may the range, and type and axis together with it."""
_OWN_ATTRIBUTES = frozenset({"name", "joint", "class"})
"""Attributes of an actuator that may not be in a class."""
_MIN_MEMBERS = 3
_PROPERTIES = {
    "actuatorfrcrange": "effort",
    "damping": "damping",
    "frictionloss": "friction",
    "armature": "armature",
    "stiffness": "stiffness",
    "springref": "springref",
    "range": "range",
}
"""Word for each attribute in the name of a class."""
_GENERIC_WORDS = frozenset({"joint", "link", "motor"})


def group_into_classes(joints: Sequence[Element], actuators: Sequence[Element], model_class: Element) -> None:
    """Make a class for each set of dynamics and range that several joints share, then for dynamics alone.

    Args:
        joints: The joints, moved into their classes.
        actuators: The actuators, moved into the classes of their joints, or else into the class of the model.
        model_class: The class of the model, which contains the others.
    """
    taken = {child.attributes.get("class", "main") for child in model_class.children}
    taken |= {"main", model_class.attributes["class"]}
    for names in ((*DYNAMICS, "range"), DYNAMICS):
        _group_joints(joints, names, taken, model_class)
    are_alike = len({actuator.tag for actuator in actuators}) == 1
    if are_alike and len(actuators) > 1 and all("joint" in actuator.attributes for actuator in actuators):
        _group_actuators(actuators, joints, model_class)


def _group_joints(joints: Sequence[Element], names: Sequence[str], taken: set[str], model_class: Element) -> None:
    """Make a class for each set of values of some attributes that several joints without a class have."""
    without_class = [joint for joint in joints if "class" not in joint.attributes]
    members: dict[tuple[tuple[str, str], ...], list[Element]] = {}
    for joint in without_class:
        key = tuple((name, joint.attributes[name]) for name in names if name in joint.attributes)
        members.setdefault(key, []).append(joint)
    for key, group in members.items():
        if key and len(group) >= _MIN_MEMBERS:
            name = _class_name([joint.attributes["name"] for joint in group], dict(key), taken)
            joint_class = model_class.add("default", class_=name)
            joint_class.add("joint").set(**move_shared(group, ("type", "axis", "range", *DYNAMICS)))
            for joint in group:
                set_class(joint, "class", joint_class)


def move_shared(members: Sequence[Element], names: Iterable[str]) -> dict[str, str]:
    """Remove the attributes that every member has with the same value, and return them.

    Args:
        members: The elements.
        names: Names of the attributes to compare.
    """
    shared = {}
    for name in names:
        values = {member.attributes.get(name) for member in members}
        (value, *others) = values
        if value is not None and not others:
            shared[name] = value
            for member in members:
                del member.attributes[name]
    return shared


def set_class(element: Element, attribute: str, default_class: Element) -> None:
    """Set the class of an element, after the element's name.

    Args:
        element: The element.
        attribute: ``class`` or ``childclass``.
        default_class: The class.
    """
    first = {"name": element.attributes["name"]} if "name" in element.attributes else {}
    element.attributes = {**first, attribute: default_class.attributes["class"], **element.attributes}


# --- actuators -------------------------------------------------------------------------------------------------------


def _group_actuators(actuators: Sequence[Element], joints: Iterable[Element], model_class: Element) -> None:
    """Move attributes common to all actuators into the model's class, the rest into the classes of their joints."""
    tag = actuators[0].tag
    common = _move_shared_settings(actuators)
    if common:
        model_class.children.insert(_settings_end(model_class), Element(tag, **common))
    class_of_joint = {joint.attributes["name"]: joint.attributes.get("class") for joint in joints}
    for joint_class in (child for child in model_class.children if child.tag == "default"):
        _move_into_class(actuators, joint_class, class_of_joint)
    for actuator in actuators if common else ():
        if "class" not in actuator.attributes:
            set_class(actuator, "class", model_class)


def _move_into_class(actuators: Sequence[Element], joint_class: Element, class_of_joint: dict[str, str | None]) -> None:
    """Move the attributes that the actuators of the joints of a class share into that class."""
    name = joint_class.attributes["class"]
    members = [actuator for actuator in actuators if class_of_joint.get(actuator.attributes["joint"]) == name]
    shared = _move_shared_settings(members) if len(members) > 1 else {}
    if shared:
        joint_class.add(members[0].tag, **shared)
        for actuator in members:
            set_class(actuator, "class", joint_class)


def _move_shared_settings(members: Sequence[Element]) -> dict[str, str]:
    return move_shared(members, [name for name in members[0].attributes if name not in _OWN_ATTRIBUTES])


def _settings_end(default_class: Element) -> int:
    """Return the index in a class at which its own settings end and the nested classes begin."""
    return sum(child.tag != "default" for child in default_class.children)


# --- names -----------------------------------------------------------------------------------------------------------


def _class_name(joints: Sequence[str], shared: dict[str, str], taken: set[str]) -> str:
    name = next(name for name in _candidate_names(joints, shared) if name not in taken)
    taken.add(name)
    return name


def _candidate_names(joints: Sequence[str], shared: dict[str, str]) -> Iterator[str]:
    """Yield the common ending of the joints' names, extended by shared attributes until the name is unique.

    For example ``hip_joint`` of ``FL_hip_joint`` and ``FR_hip_joint``; ``effort_87`` if the names share no ending.
    """
    words = [re.split(r"[_\-:./ ]+", name)[::-1] for name in joints]
    suffix = "_".join(_common_prefix(words)[::-1]).strip("_0123456789")
    parts = [suffix] if len(suffix) >= 3 and suffix not in _GENERIC_WORDS else []
    if parts:
        yield suffix
    for attribute, word in _PROPERTIES.items():
        if attribute in shared:
            parts.append(f"{word}_{shared[attribute].split()[-1]}")
            yield "_".join(parts)
    yield from (f"{parts[0]}_{n}" for n in count(2))


def _common_prefix(lists: Sequence[Sequence[str]]) -> list[str]:
    """Return the words with which all lists begin."""
    i = 0
    while all(len(words) > i for words in lists) and len({words[i] for words in lists}) == 1:
        i += 1
    return list(lists[0][:i])
