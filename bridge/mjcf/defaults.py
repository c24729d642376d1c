"""``<default>``: what elements have in common, written once.

Geoms are of class ``visual`` or ``collision``, frames and constraint points of class ``frame``. Joints that share all
of their dynamics form a class of their own, named by what their names share. A class changes the text only: the
compiled model is the same, bit by bit.
"""

from __future__ import annotations

from collections import Counter

from .context import Context
from .element import Element
from .equality import SOLIMP, solref

_SHARED = ("armature", "frictionloss", "damping", "stiffness", "springref", "actuatorfrcrange", "range")
"""Attributes of a joint that a class may hold."""
_SMALLEST_FAMILY = 3
_MASKS = ("contype", "conaffinity")

_GEOM_CLASSES = {
    "visual": {"group": 2, "contype": 0, "conaffinity": 0},
    "collision": {"group": 3},
}


def defaults(context: Context) -> None:
    """Write the classes in use, and move what joints share into theirs."""
    document = context.document
    elements = [e for e in document["worldbody"].walk() if e.tag in {"geom", "joint", "site"}]
    used = {e.attributes.get("class") for e in elements}
    section = document["default"]
    if any(child.tag == "mesh" for child in document["asset"].children):
        section.add("mesh", inertia="shell")
    if any("range" in e.attributes for e in elements if e.tag == "joint"):
        section.add("joint", solreflimit=solref(context), solimplimit=SOLIMP)
    if document["equality"].children:
        section.add("equality", solref=solref(context), solimp=SOLIMP)
    for name, attributes in _GEOM_CLASSES.items():
        if name in used:
            section.add("default", class_=name).add("geom", **attributes)
    _masks([e for e in elements if e.attributes.get("class") == "collision"], section)
    if "frame" in used:
        section.add("default", class_="frame").add("site", group=4)
    _joint_families([e for e in elements if e.tag == "joint"], section)


def _masks(masked: list[Element], section: Element) -> None:
    """The masks that most collision geoms have are those of the class, where all have some."""
    if not all("contype" in element.attributes for element in masked):
        return
    pairs = [tuple((name, e.attributes[name]) for name in _MASKS) for e in masked]
    if not pairs:
        return
    (most, _), *_ = Counter(pairs).most_common(1)
    for child in section.children:
        if child.attributes.get("class") == "collision":
            child.children[0].set(**dict(most))
    for element, pair in zip(masked, pairs, strict=True):
        if pair == most:
            for name in _MASKS:
                del element.attributes[name]


def _joint_families(joints: list[Element], section: Element) -> None:
    """A class for each set of dynamics that several joints share."""
    keys = [tuple((name, e.attributes[name]) for name in _SHARED if name in e.attributes) for e in joints]
    counts = Counter(key for key in keys if key)
    families = [key for key, count in counts.items() if count >= _SMALLEST_FAMILY]
    taken = {child.attributes.get("class", "main") for child in section.children} | {"main"}
    for family in families:
        members = [joint for joint, key in zip(joints, keys, strict=True) if key == family]
        name = _free(_family_name([joint.attributes["name"] for joint in members]), taken)
        section.add("default", class_=name).add("joint", **dict(family))
        for joint in members:
            _reclass(joint, name, dict(family))


def _reclass(joint: Element, name: str, family: dict[str, str]) -> None:
    """Give a joint its class, right after its name, and drop what the class says."""
    rest = {k: v for k, v in joint.attributes.items() if k not in family and k != "name"}
    joint.attributes = {"name": joint.attributes["name"], "class": name, **rest}


def _family_name(names: list[str]) -> str:
    """What the names end or begin with: ``hip_joint`` of ``FL_hip_joint`` and ``FR_hip_joint``."""
    suffix = _shared_start([name[::-1] for name in names])[::-1]
    prefix = _shared_start(names)
    for shared in (suffix, prefix):
        words = shared.strip("_-:./ 0123456789")
        if len(words) >= 3:
            return words
    return "joint"


def _shared_start(names: list[str]) -> str:
    first, last = min(names), max(names)
    count = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:count]


def _free(wanted: str, taken: set[str]) -> str:
    name, n = wanted, 2
    while name in taken:
        name, n = f"{wanted}_{n}", n + 1
    taken.add(name)
    return name
