"""Sensors: as elements of MuJoCo, with the names of the compiled model."""

from __future__ import annotations

from collections.abc import Mapping

from loaders.diagnostics import Fate
from loaders.mjcf.compilation.source import Source
from loaders.mjcf.elements.settings import text_of
from loaders.model import MujocoElement, Settings
from loaders.node import Node

from .left_out import OF_REGIONS

_OBJECTS = (
    "site", "joint", "tendon", "actuator", "body", "objname", "camera", "geom1", "body1", "subtree1", "geom",
)  # fmt: skip
"""Attributes with the name of what a sensor measures."""
_REFERENCES = ("site", "refname", "geom2", "body2", "subtree2", "camera")
"""Attributes with the name of a second item."""
_KINDS = {"xbody": "body", "unknown": ""}
_FOREIGN = frozenset({"mesh", "plugin", "instance"})
"""Attributes that a scene cannot follow."""
_SHAPES = {2: ("sphere", 1), 3: ("capsule", 2), 4: ("ellipsoid", 3), 5: ("cylinder", 2), 6: ("box", 3)}
"""Name, and number of sizes, of each of MuJoCo's types of the shape of a site."""


def read_sensors(source: Source) -> tuple[MujocoElement, ...]:
    """Return each sensor as an element of MuJoCo; report those of plugins."""
    found = (_sensor(i, source) for i in range(source.model.nsensor))
    return tuple(sensor for sensor in found if sensor is not None)


def _sensor(i: int, source: Source) -> MujocoElement | None:
    node, name = source.node("sensor", i), source.names("sensor")[i]
    where = source.where("sensor", i)
    first, second = _item(i, "obj", source), _item(i, "ref", source)
    references = {} if node is None else _references(node, first, second)
    if node is None or node.tag == "plugin" or _FOREIGN & node.attributes.keys() or _is_mesh(node, references, source):
        message = "sensor {name} is left out: a plugin or a mesh is a part of it"
        source.diagnostics.add(Fate.DROPPED, "mjcf-in.plugin", message, where, subjects=(name,), name=name)
        return None
    kept = {k: v for k, v in node.attributes.items() if k not in references and k != "name"}
    return MujocoElement(
        name=name,
        section="sensor",
        tag=node.tag,
        settings=(*kept.items(), *_region(node.tag, references, source)),
        references=tuple(references.items()),
        where=where,
    )


def _references(node: Node, first: str, second: str) -> dict[str, str]:
    """Return the attributes that name the items of a sensor, with their names in the compiled model.

    Args:
        node: The element of the sensor.
        first: Name of what it measures.
        second: Name of its second item.
    """
    objects = ("objname",) if node.tag == "insidesite" else _OBJECTS
    found = dict(_named(node.attributes, objects, first)[:1])
    return found | dict(_named({k: v for k, v in node.attributes.items() if k not in found}, _REFERENCES, second))


def _site_of_region(tag: str, references: Mapping[str, str], source: Source) -> int | None:
    """Return the index of the site in which a sensor measures; None if it measures in none."""
    if tag not in OF_REGIONS or "site" not in references:
        return None
    return source.names("site").index(references["site"])


def _is_mesh(node: Node, references: Mapping[str, str], source: Source) -> bool:
    """Return whether a sensor measures in a site whose shape is a mesh, or one that a scene does not know."""
    site = _site_of_region(node.tag, references, source)
    return site is not None and int(source.model.site_type[site]) not in _SHAPES


def _region(tag: str, references: Mapping[str, str], source: Source) -> Settings:
    """Return the shape of the site in which a sensor measures, as settings of that site."""
    site = _site_of_region(tag, references, source)
    if site is None:
        return ()
    kind, count = _SHAPES[int(source.model.site_type[site])]
    return ("site/type", kind), ("site/size", text_of(source.model.site_size[site][:count]))


def _named(attributes: Mapping[str, str], keys: tuple[str, ...], name: str) -> list[tuple[str, str]]:
    """Return the attributes that name an item, with the name in the compiled model, where replicas have their own."""
    return [(key, name or attributes[key]) for key in keys if key in attributes]


def _item(i: int, role: str, source: Source) -> str:
    """Return the name of an item of a sensor; empty if it has none."""
    model = source.model
    kind = source.compiled.names["mjtObj"][int(getattr(model, f"sensor_{role}type")[i])]
    kind = kind.removeprefix("mjOBJ_").lower()
    kind, index = _KINDS.get(kind, kind), int(getattr(model, f"sensor_{role}id")[i])
    return source.names(kind)[index] if kind and index >= 0 else ""
