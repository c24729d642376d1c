"""Classes of joints that share their dynamics, and of what drives them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from bridge.mjcf.xml.element import Element

DYNAMICS = ("damping", "armature", "frictionloss", "stiffness", "springref", "actuatorfrcrange")
"""Attributes of a joint that a class may hold; so it may hold the range, and the type and the axis with them."""
_OWN = frozenset({"name", "joint", "class"})
"""Attributes of an actuator that no class may hold."""
_SMALLEST = 3
_PROPERTIES = {
    "actuatorfrcrange": "effort",
    "damping": "damping",
    "frictionloss": "friction",
    "armature": "armature",
    "stiffness": "stiffness",
    "springref": "springref",
    "range": "range",
}
"""What a class may be named by, and the word for it."""


def families(joints: Sequence[Element], actuators: Sequence[Element], model: Element) -> None:
    """A class for each set of dynamics and range that several joints share, then for dynamics alone.

    Args:
        joints: Moved into their classes.
        actuators: The same; each into the class of its joint, if it has one.
        model: The class of the model, which the others stand in.
    """
    taken = {child.attributes.get("class", "main") for child in model.children} | {"main", model.attributes["class"]}
    for names in ((*DYNAMICS, "range"), DYNAMICS):
        free = [joint for joint in joints if "class" not in joint.attributes]
        keys = [tuple((name, e.attributes[name]) for name in names if name in e.attributes) for e in free]
        for key in (key for key, size in Counter(keys).items() if key and size >= _SMALLEST):
            members = [joint for joint, own in zip(free, keys, strict=True) if own == key]
            name = _name([joint.attributes["name"] for joint in members], dict(key), taken)
            family = model.add("default", class_=name)
            family.add("joint").set(**move_shared(members, ("type", "axis", "range", *DYNAMICS)))
            for joint in members:
                label(joint, "class", family)
    _actuators(actuators, joints, model)


def move_shared(members: Sequence[Element], names: Iterable[str]) -> dict[str, str]:
    """Take away what every member states alike, and return it."""
    found = {}
    for name in names:
        values = {member.attributes.get(name) for member in members}
        (value, *others) = values
        if value is not None and not others:
            found[name] = value
            for member in members:
                del member.attributes[name]
    return found


def label(element: Element, attribute: str, model: Element) -> None:
    """Name a class on an element, after the element's name."""
    first = {"name": element.attributes["name"]} if "name" in element.attributes else {}
    element.attributes = {**first, attribute: model.attributes["class"], **element.attributes}


# --- actuators -------------------------------------------------------------------------------------------------------


def _actuators(actuators: Sequence[Element], joints: Iterable[Element], model: Element) -> None:
    """What all share is the model's; what those of a class of joints share, that class's."""
    if len({actuator.tag for actuator in actuators}) != 1 or len(actuators) == 1:
        return
    tag = actuators[0].tag
    common = _moved(actuators)
    if common:
        model.children.insert(_after_settings(model), Element(tag, **common))
    classes = {joint.attributes["name"]: joint.attributes.get("class") for joint in joints}
    left = list(actuators)
    for family in (child for child in model.children if child.tag == "default"):
        members = [a for a in left if classes.get(a.attributes["joint"]) == family.attributes["class"]]
        shared = _moved(members) if len(members) > 1 else {}
        if shared:
            family.add(tag, **shared)
            left = [actuator for actuator in left if actuator not in members]
            for actuator in members:
                label(actuator, "class", family)
    for actuator in left if common else ():
        label(actuator, "class", model)


def _moved(members: Sequence[Element]) -> dict[str, str]:
    return move_shared(members, [name for name in members[0].attributes if name not in _OWN])


def _after_settings(model: Element) -> int:
    """Where in a class its own settings end, and the classes in it begin."""
    return sum(child.tag != "default" for child in model.children)


# --- names -----------------------------------------------------------------------------------------------------------


def _name(joints: Sequence[str], shared: dict[str, str], taken: set[str]) -> str:
    name = next(name for name in _names(joints, shared) if name not in taken)
    taken.add(name)
    return name


def _names(joints: Sequence[str], shared: dict[str, str]) -> Iterator[str]:
    """What the names end with; and what the joints share, as much as tells one class from another.

    ``hip_joint`` of ``FL_hip_joint`` and ``FR_hip_joint``; ``effort_87`` where names share nothing but a word.
    """
    words = [re.split(r"[_\-:./ ]+", name)[::-1] for name in joints]
    suffix = "_".join(_common(words)[::-1]).strip("_0123456789")
    parts = [suffix] if len(suffix) >= 3 and suffix not in {"joint", "link", "motor"} else []
    if parts:
        yield suffix
    for attribute, word in _PROPERTIES.items():
        if attribute in shared:
            parts.append(f"{word}_{shared[attribute].split()[-1]}")
            yield "_".join(parts)
    yield from (f"{parts[0]}_{n}" for n in count(2))


def _common(lists: Sequence[Sequence[str]]) -> list[str]:
    """The words that all lists begin with."""
    i = 0
    while all(len(words) > i for words in lists) and len({words[i] for words in lists}) == 1:
        i += 1
    return list(lists[0][:i])
