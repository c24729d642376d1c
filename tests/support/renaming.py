"""Give the links and joints of a scene other names, consistently in everything that refers to
them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from loaders.scene import Scene

_REFERENCES: Mapping[str, tuple[str, ...]] = {
    "links": ("name",),
    "joints": ("name", "parent", "child", "gear_reference"),
    "models": ("canonical_link",),
    "frames": ("link",),
    "lights": ("link",),
    "couplings": ("follower", "leader"),
    "actuators": ("joint",),
    "constraints": ("link_A", "link_B", "joints"),
    "forces": ("link_A", "link_B", "link_C"),
    "filter_groups": ("links",),
    "keyframes": ("joints",),
    "diagnostics": ("subjects",),
}
"""The fields with names of links and joints, for each kind of item in a scene."""


def renamed(scene: Scene, names: Mapping[str, str]) -> Scene:
    """Return the scene with new names of links and joints.

    Args:
        scene: The scene.
        names: New names by old names; a name that is missing stays.
    """
    items: dict[str, Any] = {
        kind: tuple(
            dataclasses.replace(item, **_fields(item, fields, names))
            for item in getattr(scene, kind)
        )
        for kind, fields in _REFERENCES.items()
    }
    return dataclasses.replace(scene, **items)


def _fields(item: Any, fields: tuple[str, ...], names: Mapping[str, str]) -> dict[str, Any]:
    values = {field: getattr(item, field, None) for field in fields}
    return {
        field: tuple(names.get(name, name) for name in value)
        if isinstance(value, tuple)
        else names.get(value, value)
        for field, value in values.items()
        if value is not None
    }
