"""Reader of PyBullet's ``<contact>``: contact properties of all collisions of a link."""

from __future__ import annotations

import dataclasses
from typing import Any

from loaders.diagnostics import Fate
from loaders.ignored_elements import IgnoredElements, report_ignored
from loaders.model import Friction, Surface
from loaders.node import Node
from loaders.scene_queries.torsional_friction import UNIT_PATCH_RADIUS

_IGNORED: IgnoredElements = {
    "friction_anchor": (Fate.NOTED, "urdf.engine-setting", "it sets the solver of PyBullet"),
    "inertia_scaling": (Fate.DROPPED, "urdf.inertia-scaling", "only PyBullet scales inertias; they are not scaled"),
}
_FRICTION = {"lateral_friction": ("mu", "mu2"), "rolling_friction": ("rolling",), "spinning_friction": ("torsional",)}
_SURFACE = {
    "restitution": "restitution",
    "stiffness": "stiffness",
    "damping": "damping",
    "contact_cfm": "soft_cfm",
    "contact_erp": "soft_erp",
}


DEFAULT_SURFACE = Surface()
"""The surface of a collision of which the file says nothing."""


def read_contact(contact: Node) -> Surface:
    """Return the surface of all collisions of a link, with defaults for values that are not given."""
    report_ignored(contact, _IGNORED)
    values = {tag: value for tag in (*_FRICTION, *_SURFACE) if (value := _value(contact, tag)) is not None}
    friction: dict[str, Any] = {
        field: values[tag] for tag, fields in _FRICTION.items() if tag in values for field in fields
    }
    if friction.get("torsional"):
        friction["patch_radius"] = UNIT_PATCH_RADIUS  # PyBullet states a length
    surface: dict[str, Any] = {field: values[tag] for tag, field in _SURFACE.items() if tag in values}
    return dataclasses.replace(Surface(**surface), friction=Friction(**friction))


def _value(contact: Node, tag: str) -> float | None:
    child = contact.child(tag)
    return None if child is None else child.number("@value", minimum=0.0)
