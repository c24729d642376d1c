"""``<default>``: what elements have in common, written once.

All classes stand inside one that has the name of the model, which its bodies have as ``childclass``: what includes the
file keeps its own defaults. Geoms are of class ``visual`` or ``collision``, frames and constraint points of class
``frame``. Joints that share all of their dynamics form a class of their own, named by what their names share or by
their effort. A class changes the text only: the compiled model is the same, bit by bit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from .context import Context
from .element import Element
from .equality import SOLIMP, solref

_DYNAMICS = ("damping", "armature", "frictionloss", "stiffness", "springref", "actuatorfrcrange")
"""Attributes of a joint that a class may hold; so it may hold the range, and the type and the axis with them."""
_SMALLEST_FAMILY = 3
_MASKS = ("contype", "conaffinity")
_SURFACE = ("condim", "friction", "solref", "rgba")
"""Attributes of a geom that its class may hold."""

_GEOM_CLASSES = {
    "visual": {"group": 2, "contype": 0, "conaffinity": 0, "mass": 0},
    "collision": {"group": 3, "mass": 0},
}
"""Shapes have no mass: that of a link is stated."""


def defaults(context: Context) -> None:
    """Write the classes in use, and move what elements share into theirs."""
    document = context.document
    elements = [e for e in document["worldbody"].walk() if e.tag in {"geom", "joint", "site"}]
    used = {e.attributes.get("class") for e in elements}
    joints = [e for e in elements if e.tag == "joint"]
    model = Element("default", class_=_class_name(context.mechanism.scene.name))
    _mesh(model, document["asset"])
    _joint(model, joints, context)
    _equality(model, document["equality"], context)
    for name, attributes in _GEOM_CLASSES.items():
        if name in used:
            members = [e for e in elements if e.attributes.get("class") == name]
            _geom(model.add("default", class_=name).add("geom", **attributes), members)
    if "frame" in used:
        model.add("default", class_="frame").add("site", group=4)
    _families(joints, model)
    if model.children:
        document["default"].children.append(model)
        for body in (e for e in document["worldbody"].children if e.tag == "body"):
            _label(body, "childclass", model)


def _class_name(model: str) -> str:
    """The name of the model, where no class within has it."""
    plain = re.sub(r"[^\w.-]+", "_", model, flags=re.ASCII).strip("_") or "model"
    return f"{plain}_model" if plain in {"main", "frame", *_GEOM_CLASSES} else plain


def _label(element: Element, attribute: str, model: Element) -> None:
    """Name the class of the model on an element, after its name."""
    first = {"name": element.attributes["name"]} if "name" in element.attributes else {}
    element.attributes = {**first, attribute: model.attributes["class"], **element.attributes}


def _mesh(model: Element, assets: Element) -> None:
    """Meshes need not be closed: nothing is weighed by them."""
    meshes = [asset for asset in assets.children if asset.tag == "mesh"]
    if meshes:
        model.add("mesh", inertia="shell")
    for mesh in meshes:
        _label(mesh, "class", model)


def _equality(model: Element, section: Element, context: Context) -> None:
    if section.children:
        model.add("equality", solref=solref(context), solimp=SOLIMP)
    for element in section.children:
        _label(element, "class", model)


def _joint(model: Element, joints: Sequence[Element], context: Context) -> None:
    """What holds for all joints: how hard stops are, and dynamics that every one has."""
    common = Element("joint")
    if len(joints) > 1:
        common.set(**_move_shared(joints, _DYNAMICS))
    if any("range" in joint.attributes for joint in joints):
        common.set(solreflimit=solref(context), solimplimit=SOLIMP)
    if common.attributes:
        model.children.append(common)


def _move_shared(members: Sequence[Element], names: Iterable[str]) -> dict[str, str]:
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


# --- geoms -----------------------------------------------------------------------------------------------------------


def _geom(shared: Element, members: Sequence[Element]) -> None:
    """Give a class the type and surface that most of its geoms have; the others state theirs."""
    kinds = Counter(member.attributes.get("type", "sphere") for member in members)
    (kind, count), *_ = kinds.most_common(1)
    if kind != "sphere" and 2 * count > len(members):
        for member in members:
            _retype(member, kind)
        shared.attributes = {"type": kind, **shared.attributes}
    _most(shared, members, _MASKS)
    for name in _SURFACE:
        _most(shared, members, (name,))


def _retype(geom: Element, kind: str) -> None:
    """State the type where it is not that of the class."""
    own = geom.attributes.pop("type", "sphere")
    if own != kind:
        first: dict[str, str] = {name: geom.attributes[name] for name in ("name", "class") if name in geom.attributes}
        geom.attributes = {**first, "type": own, **geom.attributes}


def _most(shared: Element, members: Sequence[Element], names: Sequence[str]) -> None:
    """Give a class the commonest values of attributes that every member states."""
    if not all(name in member.attributes for member in members for name in names):
        return
    values = [tuple((name, member.attributes[name]) for name in names) for member in members]
    (most, count), *_ = Counter(values).most_common(1)
    if count == 1:
        return
    shared.set(**dict(most))
    for member, own in zip(members, values, strict=True):
        if own == most:
            for name in names:
                del member.attributes[name]


# --- joints ----------------------------------------------------------------------------------------------------------


def _families(joints: Sequence[Element], model: Element) -> None:
    """A class for each set of dynamics and range that several joints share, then for dynamics alone."""
    taken = {child.attributes.get("class", "main") for child in model.children} | {"main", model.attributes["class"]}
    for names in ((*_DYNAMICS, "range"), _DYNAMICS):
        free = [joint for joint in joints if "class" not in joint.attributes]
        keys = [tuple((name, e.attributes[name]) for name in names if name in e.attributes) for e in free]
        for key in (key for key, count in Counter(keys).items() if key and count >= _SMALLEST_FAMILY):
            members = [joint for joint, own in zip(free, keys, strict=True) if own == key]
            name = _free(_family_name([joint.attributes["name"] for joint in members], dict(key)), taken)
            family = model.add("default", class_=name).add("joint")
            family.set(**_move_shared(members, ("type", "axis", "range", *_DYNAMICS)))
            for joint in members:
                own = joint.attributes
                joint.attributes = {"name": own["name"], "class": name, **own}


def _family_name(names: list[str], shared: dict[str, str]) -> str:
    """What the names end with, their effort, or what they begin with.

    ``hip_joint`` of ``FL_hip_joint`` and ``FR_hip_joint``; ``effort_87`` of joints that share nothing but a word.
    """
    ends = [re.split(r"[_\-:./ ]+", name) for name in names]
    suffix = "_".join(_common([words[::-1] for words in ends])[::-1]).strip("_0123456789")
    if len(suffix) >= 3 and suffix not in {"joint", "link", "motor"}:
        return suffix
    if "actuatorfrcrange" in shared:
        return f"effort_{shared['actuatorfrcrange'].split()[-1]}"
    prefix = "_".join(_common(ends)).strip("_0123456789")
    return next((words for words in (suffix, prefix) if len(words) >= 3), "joint")


def _common(lists: Sequence[Sequence[str]]) -> list[str]:
    """The words that all lists begin with."""
    count = 0
    while all(len(words) > count for words in lists) and len({words[count] for words in lists}) == 1:
        count += 1
    return list(lists[0][:count])


def _free(wanted: str, taken: set[str]) -> str:
    name, n = wanted, 2
    while name in taken:
        name, n = f"{wanted}_{n}", n + 1
    taken.add(name)
    return name
