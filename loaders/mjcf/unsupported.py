"""Reports of what a scene cannot hold."""

from __future__ import annotations

from collections.abc import Collection

from loaders.diagnostics import Where
from loaders.mjcf import codes
from loaders.node import Node

from .compiled_model import Source
from .document import LineMap
from .geom import row_of_textures, sky_of

_RANGES = (
    (
        "joint",
        "name_jntadr",
        (("jnt_limited", "jnt_range"), ("jnt_actfrclimited", "jnt_actfrcrange")),
    ),
    (
        "tendon",
        "name_tendonadr",
        (("tendon_limited", "tendon_range"), ("tendon_actfrclimited", "tendon_actfrcrange")),
    ),
    (
        "actuator",
        "name_actuatoradr",
        (
            ("actuator_forcelimited", "actuator_forcerange"),
            ("actuator_actlimited", "actuator_actrange"),
        ),
    ),
)
"""Kinds of elements, each with an array that tells whether there are any, and its arrays of
switches and of ranges."""
_WITH_PLUGINS = ("body", "geom", "actuator", "sensor")
"""Kinds of elements on which a plugin may act."""


def report_unsupported(source: Source) -> None:
    """Report everything of a model that the scene does not hold."""
    _report_plugins(source)
    _report_ranges(source)


def _report_plugins(source: Source) -> None:
    """Report the plugins that a document uses, with what they act on."""
    model = source.model
    if not model.nplugin:
        return
    nodes = [
        node for node in source.lines.nodes if node.tag == "plugin" and "plugin" in node.attributes
    ]
    used = [
        node
        for node in nodes
        if node.children or node.parent is None or node.parent.tag != "extension"
    ]
    owned = [
        (kind, i)
        for kind in _WITH_PLUGINS
        for i, k in enumerate(getattr(model, f"{kind}_plugin"))
        if k >= 0
    ]
    bodies = [i for kind, i in owned if kind == "body"]
    bodies += [model.geom_bodyid[i] for kind, i in owned if kind == "geom"]
    source.diagnostics.add(
        codes.PLUGIN_OF_ITEMS,
        used[0].where if used else Where(source.file),
        subjects=tuple(dict.fromkeys(map(source.link, bodies))),
        count=model.nplugin,
        plugins=tuple(dict.fromkeys(node.attributes["plugin"] for node in used)),
        items=tuple(f"{kind} {source.names(kind)[i]}" for kind, i in owned) or ("no element",),
    )


def _report_ranges(source: Source) -> None:
    """Report ranges that are stated and switched off, which only MuJoCo's editors show."""
    for kind, elements, arrays in _RANGES:
        if not getattr(source.model, elements):
            continue
        found = [
            *dict.fromkeys(
                i for switches, ranges in arrays for i in _switched_off(switches, ranges, source)
            )
        ]
        if found:
            names = source.names(kind)
            off = tuple(names[i] for i in found)
            where = source.where(kind, found[0])
            source.diagnostics.add(
                codes.NOT_CARRIED_RANGE, where, subjects=off, kind=kind, names=off
            )


def _switched_off(switches: str, ranges: str, source: Source) -> list[int]:
    limits = getattr(source.model, switches)
    if all(limits):
        return []
    pairs = zip(limits, getattr(source.model, ranges), strict=True)
    return [
        i for i, (limited, (lower, upper)) in enumerate(pairs) if (lower or upper) and not limited
    ]


_UNREAD_SECTIONS = frozenset({"numeric", "text", "tuple"})
"""Elements that are left out with all that is in them."""
_OF_TENDONS = frozenset({"group", "material", "rgba", "user", "width"})
_ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
    "adhesion", "dcmotor", "pid", "orientation",
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
    "mesh": frozenset({"material", "normal", "smoothnormal", "texcoord"}),
    "site": frozenset({"group", "material", "mesh", "rgba", "size", "type", "user"}),
    "size": frozenset({"nuserdata", *(f"nuser_{kind}" for kind in _WITH_DATA_OF_USER)}),
    "spatial": _OF_TENDONS,
    "statistic": frozenset({"meaninertia"}),
    "fixed": _OF_TENDONS,
    "tendon": _OF_TENDONS,
    **dict.fromkeys(_ACTUATORS, frozenset({"user"})),
}
"""Attributes that are left out, by the name of the element."""
OF_REGIONS = frozenset({"touch", "insidesite", "contact"})
"""Sensors that measure within the shape of a site, with which they are read."""
_SHAPE = frozenset({"size", "type"})


def left_out(lines: LineMap) -> dict[str, Node]:
    """Return what the elements state that a scene does not hold, with the first element that states
    it.

    Args:
        lines: The elements.
    """
    regions = _regions(lines)
    found, unseen = dict[str, Node](), dict(_ATTRIBUTES)
    for node in lines.nodes:
        tag, attributes = node.tag, node.attributes
        keys = unseen.get(tag)
        if keys is None:
            if tag in _UNREAD_SECTIONS:
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
    return {
        n.attributes["site"] for n in lines.nodes if n.tag in OF_REGIONS and "site" in n.attributes
    }


def report_left_out(source: Source) -> None:
    """Report looks, sizes of lists, and data of the user that a scene does not hold."""
    found = left_out(source.lines) | _layers_left_out(source)
    if source.model.has("jnt_group") and "joint/group" not in found:
        found |= _groups_of_made_joints(source)
    if found:
        names = tuple(sorted(found))
        first = next(iter(found.values()))
        source.diagnostics.add(codes.NOT_CARRIED_STILL, first.where, names=names)


_LAYERS = frozenset({"rgb", "rgba", "occlusion", "roughness", "metallic", "normal", "emissive"})
"""Roles of textures that a material of a scene has."""


def _layers_left_out(source: Source) -> dict[str, Node]:
    """Return the layers of materials that a scene does not hold: those of other roles, and those
    other than the color whose texture is no file.
    """
    layers = (node for node in source.lines.nodes if node.tag == "layer")
    stated = ((n, n.attributes.get("role", ""), n.attributes.get("texture", "")) for n in layers)
    return {
        f"layer {role} {texture}": node
        for node, role, texture in stated
        if role not in _LAYERS
        or (not role.startswith("rgb") and texture not in source.assets.textures)
    }


def _groups_of_made_joints(source: Source) -> dict[str, Node]:
    """Return the group of joints that no document states, such as those of a cable."""
    groups = enumerate(source.model.jnt_group)
    nodes = [source.node("joint", j) for j, group in groups if group]
    made = [node for node in nodes if node is None or "group" not in node.attributes]
    if not made:
        return {}
    return {"joint/group": made[0] or source.lines.nodes[0]}


_HFIELD, _MESH, _SDF = 1, 7, 8
_MATERIALS = ("flex_matid", "site_matid", "skin_matid", "tendon_matid")
"""The materials of what is no geom; older versions of MuJoCo lack some."""


def report_unused_assets(source: Source) -> None:
    """Report meshes, height fields, materials and textures that no shape uses, all in one finding.

    The sky that MuJoCo draws is no asset of a shape.
    """
    model = source.model
    found: list[tuple[str, int]] = []
    if model.nmesh or model.nhfield:
        found += _unused_files(source)
    if model.nmat and (
        materials := _others("material", model.nmat, {*model.geom_matid} if model.ngeom else set())
    ):
        used = set[int]().union(*(getattr(model, name, ()) for name in _MATERIALS))
        found += [(kind, i) for kind, i in materials if i not in used]
    if model.ntex:
        of_materials = set[int]().union(
            *map(row_of_textures, model.mat_texid if model.nmat else ())
        )
        textures = _others("texture", model.ntex, of_materials)
        sky = sky_of(model)
        found += [(kind, i) for kind, i in textures if i != sky]
    if found:
        names = tuple(f"{kind} {source.names(kind)[i]}" for kind, i in found)
        first = source.node(*found[0]) or source.lines.nodes[0]
        source.diagnostics.add(codes.UNUSED_ASSET, first.where, names=names)


def _others(kind: str, count: int, used: Collection[int]) -> list[tuple[str, int]]:
    return [(kind, i) for i in range(count) if i not in used]


def _unused_files(source: Source) -> list[tuple[str, int]]:
    """Return the meshes and height fields that no element names; a geom that only has the size of a
    mesh does.
    """
    model = source.model
    shapes = {*zip(model.geom_type, model.geom_dataid, strict=True)} if model.ngeom else ()
    meshes = _others("mesh", model.nmesh, {data for kind, data in shapes if kind in {_MESH, _SDF}})
    hfields = _others("hfield", model.nhfield, {data for kind, data in shapes if kind == _HFIELD})
    return [*_unnamed(meshes, source), *_unnamed(hfields, source)]


def _unnamed(assets: list[tuple[str, int]], source: Source) -> list[tuple[str, int]]:
    """Return the assets of one kind that no element names."""
    if not assets:
        return []
    kind, nodes = assets[0][0], source.lines.nodes
    stated = {node.attributes[kind] for node in nodes if kind in node.attributes}
    ends = tuple(stated) if "attach" in source.lines.tags else ()  # a prefix may be in front
    names = source.names(kind)
    return [
        (kind, i)
        for kind, i in assets
        if names[i] not in stated and not (ends and names[i].endswith(ends))
    ]
