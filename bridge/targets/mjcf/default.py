"""default: shared attributes, classes and softness.

All classes are inside one that has the name of the model, which its bodies have as ``childclass``:
a file that includes the model keeps its own defaults. Geoms are of class ``visual`` or
``collision``, sites of class ``frame``; for joints and their actuators see `group_into_classes`.
Classes change the text only: the compiled model is identical bit by bit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from loaders.engine_settings import conventions_of
from loaders.scoped_names import UnusedNames
from loaders.text import numbers

from .context import (
    DEFAULT_SOLIMP,
    DEFAULT_SOLIMP_SHAPE,
    DEFAULT_SOLREF,
    HARD_SOLIMP,
    MjcfContext,
    MjcfElement,
    hard_solref,
)

DYNAMICS = ("damping", "armature", "frictionloss", "stiffness", "springref", "actuatorfrcrange")
"""Attributes of a joint that may be in a class; so may the range, and type and axis together with
it."""
_OWN_ATTRIBUTES = frozenset({"name", "joint", "class"})
"""Attributes of an actuator that may not be in a class."""
_MIN_MEMBERS = 3
_FRAMES = 4
"""Group of the sites."""
_NUMBER = re.compile(r"_\d+$")
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


def group_into_classes(
    joints: Sequence[MjcfElement], actuators: Sequence[MjcfElement], model_class: MjcfElement
) -> None:
    """Make a class for each set of dynamics and range that several joints share, then for dynamics
    alone.

    Args:
        joints: The joints, moved into their classes.
        actuators: The actuators, moved into the classes of their joints, or else into the class of
            the model.
        model_class: The class of the model, which contains the others.
    """
    classes = {child.attributes.get("class", "main") for child in model_class.children}
    unused = UnusedNames({*classes, "main", model_class.attributes["class"]})
    for names in ((*DYNAMICS, "range"), DYNAMICS):
        _group_joints(joints, names, unused, model_class)
    are_alike = len({actuator.tag for actuator in actuators}) == 1
    if (
        are_alike
        and len(actuators) > 1
        and all("joint" in actuator.attributes for actuator in actuators)
    ):
        _group_actuators(actuators, joints, model_class)


def _group_joints(
    joints: Sequence[MjcfElement],
    names: Sequence[str],
    unused: UnusedNames,
    model_class: MjcfElement,
) -> None:
    """Make a class for each set of values of some attributes that several joints without a class
    have.
    """
    without_class = [joint for joint in joints if "class" not in joint.attributes]
    members: dict[tuple[tuple[str, str], ...], list[MjcfElement]] = {}
    for joint in without_class:
        key = tuple((name, joint.attributes[name]) for name in names if name in joint.attributes)
        members.setdefault(key, []).append(joint)
    for key, group in members.items():
        if key and len(group) >= _MIN_MEMBERS:
            name = _joint_class_name(
                [joint.attributes["name"] for joint in group], dict(key), unused
            )
            joint_class = model_class.add("default", class_=name)
            joint_class.add("joint").set(**move_shared(group, ("type", "axis", "range", *DYNAMICS)))
            for joint in group:
                set_class(joint, "class", joint_class)


def move_shared(members: Sequence[MjcfElement], names: Iterable[str]) -> dict[str, str]:
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


def set_class(element: MjcfElement, attribute: str, default_class: MjcfElement) -> None:
    """Set the class of an element, after the element's name.

    Args:
        element: The element.
        attribute: ``class`` or ``childclass``.
        default_class: The class.
    """
    first = {"name": element.attributes["name"]} if "name" in element.attributes else {}
    element.attributes = {
        **first,
        attribute: default_class.attributes["class"],
        **element.attributes,
    }


# --- actuators ------------------------------------------------------------------------------------


def _group_actuators(
    actuators: Sequence[MjcfElement], joints: Iterable[MjcfElement], model_class: MjcfElement
) -> None:
    """Move attributes common to all actuators into the model's class, the rest into the classes of
    their joints.
    """
    tag = actuators[0].tag
    common = _move_shared_settings(actuators)
    if common:
        own = [child for child in model_class.children if child.tag != "default"]
        model_class.children.insert(len(own), MjcfElement(tag, **common))
    class_of_joint = {joint.attributes["name"]: joint.attributes.get("class") for joint in joints}
    for joint_class in (child for child in model_class.children if child.tag == "default"):
        _move_into_class(actuators, joint_class, class_of_joint)
    for actuator in actuators if common else ():
        if "class" not in actuator.attributes:
            set_class(actuator, "class", model_class)


def _move_into_class(
    actuators: Sequence[MjcfElement],
    joint_class: MjcfElement,
    class_of_joint: dict[str, str | None],
) -> None:
    """Move the attributes that the actuators of the joints of a class share into that class."""
    name = joint_class.attributes["class"]
    members = [
        actuator
        for actuator in actuators
        if class_of_joint.get(actuator.attributes["joint"]) == name
    ]
    shared = _move_shared_settings(members) if len(members) > 1 else {}
    if shared:
        joint_class.add(members[0].tag, **shared)
        for actuator in members:
            set_class(actuator, "class", joint_class)


def _move_shared_settings(members: Sequence[MjcfElement]) -> dict[str, str]:
    return move_shared(
        members, [name for name in members[0].attributes if name not in _OWN_ATTRIBUTES]
    )


# --- names ----------------------------------------------------------------------------------------


def _joint_class_name(joints: Sequence[str], shared: dict[str, str], unused: UnusedNames) -> str:
    """Return the first candidate that is not taken, or else the first one with a number."""
    candidates = list(_candidate_names(joints, shared))
    return unused.claim(
        next((name for name in candidates if name not in unused.taken), candidates[0])
    )


def _candidate_names(joints: Sequence[str], shared: dict[str, str]) -> Iterator[str]:
    """Yield the common ending of the joints' names, then the same extended by shared attributes.

    For example ``hip_joint`` of ``FL_hip_joint`` and ``FR_hip_joint``; ``effort_87`` if the names
    share no ending.
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


def _common_prefix(lists: Sequence[Sequence[str]]) -> list[str]:
    """Return the words with which all lists begin."""
    i = 0
    while all(len(words) > i for words in lists) and len({words[i] for words in lists}) == 1:
        i += 1
    return list(lists[0][:i])


_SHAPE = f" {numbers(DEFAULT_SOLIMP_SHAPE)}"
"""End of a ``solimp`` whose last two numbers are MuJoCo's default."""


class SoftnessText(NamedTuple):
    """The softness of a constraint, as text; ``solimp`` has all its five numbers."""

    solref: str
    solimp: str


DEFAULT = SoftnessText(numbers(DEFAULT_SOLREF), numbers(DEFAULT_SOLIMP) + _SHAPE)
"""MuJoCo's default."""


def hard(time_step: float) -> SoftnessText:
    """Return the softness of a hard constraint."""
    return SoftnessText(numbers(hard_solref(time_step)), numbers(HARD_SOLIMP) + _SHAPE)


def share_softness(
    members: Sequence[MjcfElement], unstated: SoftnessText, suffix: str = ""
) -> dict[str, str]:
    """Return the attributes of a class of constraints; of its members, only those that differ state
    their softness.

    Args:
        members: The constraints.
        unstated: The softness of the members that state none.
        suffix: End of the names of the attributes: ``limit``, ``friction`` or nothing.
    """
    found = [_softness_of(member, unstated, suffix) for member in members]
    shared = Counter(found).most_common(1)[0][0] if found else DEFAULT
    for member, own in zip(members, found, strict=True):
        _state(member, own, shared, suffix)
    if shared == DEFAULT:
        return {}
    return {f"solref{suffix}": shared.solref, f"solimp{suffix}": shared.solimp.removesuffix(_SHAPE)}


def _softness_of(member: MjcfElement, unstated: SoftnessText, suffix: str) -> SoftnessText:
    solref, solimp = (member.attributes.get(f"{name}{suffix}") for name in SoftnessText._fields)
    stated = [] if solimp is None else solimp.split()
    return SoftnessText(
        solref or unstated.solref, " ".join([*stated, *unstated.solimp.split()[len(stated) :]])
    )


def _state(member: MjcfElement, own: SoftnessText, shared: SoftnessText, suffix: str) -> None:
    """Let a member state what differs from its class, in place of what it states."""
    has_shape = shared.solimp.endswith(_SHAPE)
    for name, text, default in zip(SoftnessText._fields, own, shared, strict=True):
        member.attributes.pop(f"{name}{suffix}", None)
        if text != default:
            member.attributes[f"{name}{suffix}"] = (
                text.removesuffix(_SHAPE) if has_shape and name == "solimp" else text
            )


_MASKS = ("contype", "conaffinity")
_ALL = ("1", "1")
"""MuJoCo's default masks."""
_SURFACE = ("condim", "friction", "solref", "rgba", "material")
"""Attributes of a geom that may be in its class."""

_SOFTENED = {"range": "limit", "frictionloss": "friction"}
"""Attributes of a joint that make a constraint, and the ends of the names of those that soften
it."""
_ONE_TO_ONE = "0 1 0 0 0"
"""MuJoCo's default coupling of joints."""

_GEOM_CLASSES = {
    "visual": {"group": 2, "contype": 0, "conaffinity": 0, "mass": 0},
    "collision": {"group": 3, "mass": 0},
}
"""Settings of the classes of geoms. Shapes have no mass, because the mass of each link is
stated."""


def write_defaults(context: MjcfContext) -> None:
    """Write the default classes in use, and move shared attributes of elements into them."""
    document = context.document
    elements = [e for e in document["worldbody"].walk() if e.tag in {"geom", "joint", "site"}]
    joints = [e for e in elements if e.tag == "joint"]
    model_class = MjcfElement("default", class_=_class_name(context.mechanism.scene.name))
    meshes = [asset for asset in document["asset"].children if asset.tag == "mesh"]
    if meshes:
        model_class.add("mesh", inertia="shell")  # a mesh may be open: its volume is not used
    for mesh in meshes:
        set_class(mesh, "class", model_class)
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


def _unstated_softness(context: MjcfContext) -> SoftnessText:
    """Return the softness of constraints that state none: hard, unless the source has MuJoCo's own
    settings.
    """
    states_softness = conventions_of(context.mechanism.physics).has_solver_settings
    return DEFAULT if states_softness else hard(context.time_step)


def _set_equality_defaults(
    model_class: MjcfElement, section: MjcfElement, context: MjcfContext
) -> None:
    shared = share_softness(section.children, _unstated_softness(context))
    if shared:
        model_class.add("equality", **shared)
    for element in section.children:
        if shared:
            set_class(element, "class", model_class)
        if element.attributes.get("polycoef") == _ONE_TO_ONE:
            del element.attributes["polycoef"]


def _set_joint_defaults(
    model_class: MjcfElement, joints: Sequence[MjcfElement], context: MjcfContext
) -> None:
    """Set what applies to all joints: the hardness of limits and of friction, and the dynamics that
    all joints have.
    """
    common = MjcfElement("joint")
    softened = {name: [joint for joint in joints if name in joint.attributes] for name in _SOFTENED}
    if len(joints) > 1:
        common.set(**move_shared(joints, DYNAMICS))
    for attribute, members in softened.items():
        common.set(**share_softness(members, _unstated_softness(context), _SOFTENED[attribute]))
    if common.attributes:
        model_class.children.append(common)


# --- geoms and sites ------------------------------------------------------------------------------


def _add_geom_and_site_classes(model_class: MjcfElement, elements: Sequence[MjcfElement]) -> None:
    used = {e.attributes.get("class") for e in elements}
    for name, attributes in _GEOM_CLASSES.items():
        if name in used:
            members = [e for e in elements if e.attributes.get("class") == name]
            _move_common_geom_attributes(
                model_class.add("default", class_=name).add("geom", **attributes), members
            )
    if "frame" in used:
        model_class.add("default", class_="frame").add("site", group=_FRAMES)
        _group_rays([e for e in elements if e.tag == "site"], model_class)


def _group_rays(sites: Iterable[MjcfElement], model_class: MjcfElement) -> None:
    """Make a class for the position of sites whose names differ by a number: rays of a lidar."""
    unused = UnusedNames({child.attributes.get("class", "") for child in model_class.children})
    members: dict[tuple[str, str], list[MjcfElement]] = {}
    for site in sites:
        name, pos = site.attributes["name"], site.attributes.get("pos", "")
        stem = _NUMBER.sub("", name)
        if pos and stem != name:
            members.setdefault((stem, pos), []).append(site)
    for (stem, _), group in members.items():
        if len(group) >= _MIN_MEMBERS:
            rays = model_class.add("default", class_=unused.claim(f"{stem}_rays"))
            rays.add("site", group=_FRAMES, **move_shared(group, ("pos",)))
            for site in group:
                del site.attributes["class"]
                set_class(site, "class", rays)


def _move_common_geom_attributes(shared: MjcfElement, members: Sequence[MjcfElement]) -> None:
    """Give a class the type and surface that most of its geoms have; the other geoms state
    theirs.
    """
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


def _leave_out_default_masks(shared: MjcfElement, members: Sequence[MjcfElement]) -> None:
    """Leave out the masks of shapes that collide with all others, if that is the default of their
    class.
    """
    if _masks(shared) == _ALL:
        shared.attributes = {
            name: text for name, text in shared.attributes.items() if name not in _MASKS
        }
    for member in members if _masks(shared) is None else ():
        if _masks(member) == _ALL:
            for name in _MASKS:
                del member.attributes[name]


def _masks(geom: MjcfElement) -> tuple[str, ...] | None:
    return tuple(geom.attributes[name] for name in _MASKS) if "contype" in geom.attributes else None


def _set_type(geom: MjcfElement, default: str) -> None:
    """State the type of a geom, unless it is the default of its class."""
    geom_type = geom.attributes.pop("type", "sphere")
    if geom_type != default:
        first: dict[str, str] = {
            name: geom.attributes[name] for name in ("name", "class") if name in geom.attributes
        }
        geom.attributes = {**first, "type": geom_type, **geom.attributes}


def _move_most_common(
    shared: MjcfElement, members: Sequence[MjcfElement], names: Sequence[str]
) -> None:
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
