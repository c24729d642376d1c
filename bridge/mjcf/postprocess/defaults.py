"""``<default>``: what elements have in common, written once.

All classes stand inside one that has the name of the model, which its bodies have as ``childclass``: what includes the
file keeps its own defaults. Geoms are of class ``visual`` or ``collision``, frames and constraint points of class
``frame``; for joints and what drives them see `families`. A class changes the text only: the compiled model is the
same, bit by bit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from bridge.mjcf.constraint.equality import SOLIMP, solref
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element

from .default_classes import DYNAMICS, families, label, move_shared

_MASKS = ("contype", "conaffinity")
_SURFACE = ("condim", "friction", "solref", "rgba", "material")
"""Attributes of a geom that its class may hold."""

_ONE_TO_ONE = "0 1 0 0 0"
"""How MuJoCo couples joints where nothing is said."""

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
    families(joints, document["actuator"].children, model)
    if model.children:
        document["default"].children.append(model)
        for body in (e for e in document["worldbody"].children if e.tag == "body"):
            label(body, "childclass", model)


def _class_name(model: str) -> str:
    """The name of the model, where no class within has it."""
    plain = re.sub(r"[^\w.-]+", "_", model, flags=re.ASCII).strip("_") or "model"
    return f"{plain}_model" if plain in {"main", "frame", *_GEOM_CLASSES} else plain


def _mesh(model: Element, assets: Element) -> None:
    """Meshes need not be closed: nothing is weighed by them."""
    meshes = [asset for asset in assets.children if asset.tag == "mesh"]
    if meshes:
        model.add("mesh", inertia="shell")
    for mesh in meshes:
        label(mesh, "class", model)


def _equality(model: Element, section: Element, context: Context) -> None:
    if section.children:
        model.add("equality", solref=solref(context), solimp=SOLIMP)
    for element in section.children:
        label(element, "class", model)
        if element.attributes.get("polycoef") == _ONE_TO_ONE:
            del element.attributes["polycoef"]


def _joint(model: Element, joints: Sequence[Element], context: Context) -> None:
    """What holds for all joints: how hard stops are, and dynamics that every one has."""
    common = Element("joint")
    if len(joints) > 1:
        common.set(**move_shared(joints, DYNAMICS))
    if any("range" in joint.attributes for joint in joints):
        common.set(solreflimit=solref(context), solimplimit=SOLIMP)
    if common.attributes:
        model.children.append(common)


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
