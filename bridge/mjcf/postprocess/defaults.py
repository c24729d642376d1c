"""``<default>``: attributes that elements share, written once.

All classes are inside one that has the name of the model, which its bodies have as ``childclass``: a file that includes
the model keeps its own defaults. Geoms are of class ``visual`` or ``collision``, sites of class ``frame``; for joints
and their actuators see `default_classes`. Classes change the text only: the compiled model is identical bit by bit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element

from .default_classes import DYNAMICS, group_into_classes, move_shared, set_class
from .softness import DEFAULT, Softness, hard, share_softness

_MASKS = ("contype", "conaffinity")
_ALL = ("1", "1")
"""MuJoCo's default masks."""
_SURFACE = ("condim", "friction", "solref", "rgba", "material")
"""Attributes of a geom that may be in its class."""

_SOFTENED = {"range": "limit", "frictionloss": "friction"}
"""Attributes of a joint that make a constraint, and the ends of the names of those that soften it."""
_ONE_TO_ONE = "0 1 0 0 0"
"""MuJoCo's default coupling of joints."""

_GEOM_CLASSES = {
    "visual": {"group": 2, "contype": 0, "conaffinity": 0, "mass": 0},
    "collision": {"group": 3, "mass": 0},
}
"""Settings of the classes of geoms. Shapes have no mass, because the mass of each link is stated."""


def write_defaults(context: Context) -> None:
    """Write the default classes in use, and move shared attributes of elements into them."""
    document = context.document
    elements = [e for e in document["worldbody"].walk() if e.tag in {"geom", "joint", "site"}]
    joints = [e for e in elements if e.tag == "joint"]
    model_class = Element("default", class_=_class_name(context.mechanism.scene.name))
    _set_mesh_defaults(model_class, document["asset"])
    _set_joint_defaults(model_class, joints, context)
    _set_equality_defaults(model_class, document["equality"], context)
    _add_geom_and_site_classes(model_class, elements)
    group_into_classes(joints, document["actuator"].children, model_class)
    if model_class.children:
        document["default"].children.append(model_class)
        for body in (e for e in document["worldbody"].children if e.tag == "body"):
            set_class(body, "childclass", model_class)


def _class_name(model: str) -> str:
    """Return the name of the model, unless a class inside has it."""
    plain = re.sub(r"[^\w.-]+", "_", model, flags=re.ASCII).strip("_") or "model"
    return f"{plain}_model" if plain in {"main", "frame", *_GEOM_CLASSES} else plain


def _set_mesh_defaults(model_class: Element, assets: Element) -> None:
    """Allow meshes that are not closed: their volume is not used."""
    meshes = [asset for asset in assets.children if asset.tag == "mesh"]
    if meshes:
        model_class.add("mesh", inertia="shell")
    for mesh in meshes:
        set_class(mesh, "class", model_class)


def _unstated_softness(context: Context) -> Softness:
    """Return the softness of constraints that state none: hard, unless the source has MuJoCo's own settings."""
    return DEFAULT if context.mechanism.physics.engine == "mujoco" else hard(context.time_step)


def _set_equality_defaults(model_class: Element, section: Element, context: Context) -> None:
    shared = share_softness(section.children, _unstated_softness(context))
    if shared:
        model_class.add("equality", **shared)
    for element in section.children:
        if shared:
            set_class(element, "class", model_class)
        if element.attributes.get("polycoef") == _ONE_TO_ONE:
            del element.attributes["polycoef"]


def _set_joint_defaults(model_class: Element, joints: Sequence[Element], context: Context) -> None:
    """Set what applies to all joints: the hardness of limits and of friction, and the dynamics that all joints have."""
    common = Element("joint")
    softened = {name: [joint for joint in joints if name in joint.attributes] for name in _SOFTENED}
    if len(joints) > 1:
        common.set(**move_shared(joints, DYNAMICS))
    for attribute, members in softened.items():
        common.set(**share_softness(members, _unstated_softness(context), _SOFTENED[attribute]))
    if common.attributes:
        model_class.children.append(common)


# --- geoms and sites -------------------------------------------------------------------------------------------------


def _add_geom_and_site_classes(model_class: Element, elements: Sequence[Element]) -> None:
    used = {e.attributes.get("class") for e in elements}
    for name, attributes in _GEOM_CLASSES.items():
        if name in used:
            members = [e for e in elements if e.attributes.get("class") == name]
            _move_common_geom_attributes(model_class.add("default", class_=name).add("geom", **attributes), members)
    if "frame" in used:
        model_class.add("default", class_="frame").add("site", group=4)


def _move_common_geom_attributes(shared: Element, members: Sequence[Element]) -> None:
    """Give a class the type and surface that most of its geoms have; the other geoms state theirs."""
    types = Counter(member.attributes.get("type", "sphere") for member in members)
    (most_common, count), *_ = types.most_common(1)
    if most_common != "sphere" and 2 * count > len(members):
        for member in members:
            _set_type(member, most_common)
        shared.attributes = {"type": most_common, **shared.attributes}
    _move_most_common(shared, members, _MASKS)
    if shared.attributes.get("contype") != "0":
        _leave_out_default_masks(shared, members)
    for name in _SURFACE:
        _move_most_common(shared, members, (name,))


def _leave_out_default_masks(shared: Element, members: Sequence[Element]) -> None:
    """Leave out the masks of shapes that collide with all others, if that is the default of their class."""
    if _masks(shared) == _ALL:
        shared.attributes = {name: text for name, text in shared.attributes.items() if name not in _MASKS}
    for member in members if _masks(shared) is None else ():
        if _masks(member) == _ALL:
            for name in _MASKS:
                del member.attributes[name]


def _masks(geom: Element) -> tuple[str, ...] | None:
    return tuple(geom.attributes[name] for name in _MASKS) if "contype" in geom.attributes else None


def _set_type(geom: Element, default: str) -> None:
    """State the type of a geom, unless it is the default of its class."""
    geom_type = geom.attributes.pop("type", "sphere")
    if geom_type != default:
        first: dict[str, str] = {name: geom.attributes[name] for name in ("name", "class") if name in geom.attributes}
        geom.attributes = {**first, "type": geom_type, **geom.attributes}


def _move_most_common(shared: Element, members: Sequence[Element], names: Sequence[str]) -> None:
    """Give a class the most common values of attributes that every member has."""
    if not all(name in member.attributes for member in members for name in names):
        return
    values = [tuple((name, member.attributes[name]) for name in names) for member in members]
    (most_common, count), *_ = Counter(values).most_common(1)
    if count == 1:
        return
    shared.set(**dict(most_common))
    for member, member_values in zip(members, values, strict=True):
        if member_values == most_common:
            for name in names:
                del member.attributes[name]
