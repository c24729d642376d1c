"""Report of the elements and attributes of MJCF that a scene has no place for and that change no motion."""

from __future__ import annotations

from loaders.diagnostics import Fate
from loaders.mjcf.compilation.source import Source
from loaders.mjcf.compilation.text import LineMap
from loaders.node import Node

_SECTIONS = frozenset({"visual", "statistic", "numeric", "text", "tuple", "layer"})
"""Elements that are left out with all that is in them."""
_OF_TENDONS = frozenset({"group", "material", "rgba", "user", "width"})
_ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor",
    "pid", "orientation",
)  # fmt: skip
_WITH_DATA_OF_USER = ("actuator", "body", "cam", "geom", "jnt", "sensor", "site", "tendon")
_ATTRIBUTES = {
    "body": frozenset({"simple", "sleep", "user"}),
    "camera": frozenset({"user"}),
    "compiler": frozenset({"discardvisual"}),
    "flex": frozenset({"material"}),
    "flexcomp": frozenset({"material"}),
    "freejoint": frozenset({"group"}),
    "geom": frozenset({"user", "group"}),
    "joint": frozenset({"user", "group"}),
    "key": frozenset({"time"}),
    "material": frozenset({"metallic", "reflectance", "roughness", "texrepeat", "texuniform"}),
    "mesh": frozenset({"material", "normal", "smoothnormal", "texcoord"}),
    "site": frozenset({"group", "material", "mesh", "rgba", "size", "type", "user"}),
    "size": frozenset({"nuserdata", *(f"nuser_{kind}" for kind in _WITH_DATA_OF_USER)}),
    "spatial": _OF_TENDONS,
    "fixed": _OF_TENDONS,
    "tendon": _OF_TENDONS,
    **dict.fromkeys(_ACTUATORS, frozenset({"user"})),
}
"""Attributes that are left out, by the name of the element."""
OF_REGIONS = frozenset({"touch", "insidesite", "contact"})
"""Sensors that measure within the shape of a site, with which they are read."""
_SHAPE = frozenset({"size", "type"})


def left_out(lines: LineMap) -> dict[str, Node]:
    """Return what the elements state that a scene does not hold, with the first element that states it.

    Args:
        lines: The elements.
    """
    regions = _regions(lines)
    found, unseen = dict[str, Node](), dict(_ATTRIBUTES)
    for node in lines.nodes:
        tag, attributes = node.tag, node.attributes
        keys = unseen.get(tag)
        if keys is None:
            if tag in _SECTIONS:
                found.setdefault(tag, node)
        elif not keys.isdisjoint(attributes):
            stated = keys & attributes.keys()
            if tag == "site" and attributes.get("name") in regions:
                stated -= _SHAPE
            found.update({f"{tag}/{key}": node for key in stated})
            unseen[tag] = keys - stated
    return found


def _regions(lines: LineMap) -> set[str]:
    """Return the names of the sites that are regions of sensors."""
    if OF_REGIONS.isdisjoint(lines.tags):
        return set()
    return {n.attributes["site"] for n in lines.nodes if n.tag in OF_REGIONS and "site" in n.attributes}


def report_left_out(source: Source) -> None:
    """Report looks, sizes of lists, and data of the user that a scene does not hold."""
    found = left_out(source.lines) | source.assets.drawn
    if source.model.has("jnt_group") and "joint/group" not in found:
        found |= _groups_of_made_joints(source)
    if found:
        names = tuple(sorted(found))
        message = "elements and attributes that change no motion are left out: {names}"
        first = next(iter(found.values()))
        source.diagnostics.add(Fate.NOTED, "mjcf-in.not-carried", message, first.where, names=names)


def _groups_of_made_joints(source: Source) -> dict[str, Node]:
    """Return the group of joints that no document states, such as those of a cable."""
    groups = enumerate(source.model.jnt_group)
    nodes = [source.node("joint", j) for j, group in groups if group]
    made = [node for node in nodes if node is None or "group" not in node.attributes]
    return {"joint/group": made[0] or source.lines.nodes[0]} if made else {}
