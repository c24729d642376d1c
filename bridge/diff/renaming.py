"""Renaming of the items of a scene, with every reference to them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from loaders.model import WORLD, Tendon
from loaders.scene import Scene

REFERENCES: Mapping[str, Mapping[str, str]] = {
    "models": {"name": "model", "canonical_link": "link"},
    "links": {"name": "link", "model": "model"},
    "joints": {"name": "joint", "parent": "link", "child": "link", "gear_reference": "link"},
    "frames": {"name": "frame", "link": "link"},
    "lights": {"name": "light", "link": "link", "target": "link"},
    "couplings": {"follower": "joint", "leader": "joint"},
    "actuators": {"name": "actuator", "joint": "joint"},
    "constraints": {"link_A": "link", "link_B": "link", "joints": "joint"},
    "forces": {"link_A": "link", "link_B": "link", "link_C": "link"},
    "fluid_forces": {"link": "link", "joint": "joint"},
    "contact_pairs": {"link_A": "link", "link_B": "link"},
    "keyframes": {"joints": "joint", "actuators": "actuator", "links": "link"},
    "filter_groups": {"name": "group", "links": "link", "groups": "group"},
    "filter_rules": {"a": "group", "b": "group"},
}
"""Kind of the item that each field names, for each collection of a scene."""

Names = Mapping[str, Mapping[str, str]]
"""New names by old name, for each kind of item: ``link``, ``joint``, ``frame``, ``model`` and so on."""


def renamed(scene: Scene, names: Names) -> Scene:
    """Return a scene with other names; names that are not given stay, and so does the world.

    Args:
        scene: The scene.
        names: The new names.
    """
    items: dict[str, Any] = {
        collection: tuple(_renamed_item(item, fields, names) for item in getattr(scene, collection))
        for collection, fields in REFERENCES.items()
    }
    for collection in ("joints", "links"):
        items[collection] = tuple(_with_renamed_sensors(item, names) for item in items[collection])
    items["tendons"] = tuple(_renamed_tendon(item, names) for item in scene.tendons)
    return dataclasses.replace(scene, **items)


def _renamed_tendon(tendon: Tendon, names: Names) -> Tendon:
    fields = {"joint": "joint", "link": "link", "link_S": "link"}
    return dataclasses.replace(tendon, parts=tuple(_renamed_item(part, fields, names) for part in tendon.parts))


def _renamed_item(item: Any, fields: Mapping[str, str], names: Names) -> Any:
    changed = {}
    for field, kind in fields.items():
        value = getattr(item, field, None)
        is_world = value == WORLD and kind == "link"
        new = _new(value, names.get(kind, {})) if value and not is_world else value
        if new != value:
            changed[field] = new
    return dataclasses.replace(item, **changed) if changed else item


def _new(value: str | tuple[str, ...], names: Mapping[str, str]) -> str | tuple[str, ...]:
    if isinstance(value, tuple):
        return tuple(names.get(name, name) for name in value)
    return names.get(value, value)


def _with_renamed_sensors(item: Any, names: Names) -> Any:
    fields = {"joint": "joint", "target": "link"}
    sensors = tuple(_renamed_item(sensor, fields, names) for sensor in item.sensors)
    return item if sensors == item.sensors else dataclasses.replace(item, sensors=sensors)
