"""Drake's extensions of ``<visual>``, ``<material>`` and ``<mesh>``."""

from __future__ import annotations

from loaders.diagnostics import Fate
from loaders.node import Node

from .dialect import SDF, Dialect

_ROLES = ("illustration", "perception")
_ELEMENTS = (*(f"drake:{role}_properties" for role in _ROLES), "drake:accepting_renderer")


def read_display(visual: Node, dialect: Dialect) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the roles of a visual, and the names of the only renderers that may draw it; no renderer is all of them.

    Args:
        visual: The ``<visual>``; with no role, which is reported, it is to be ignored.
        dialect: The dialect of the file.
    """
    if visual.lacks(_ELEMENTS):
        return _ROLES, ()
    roles = _read_roles(visual)
    return roles, _read_renderers(visual, roles, dialect)


def _read_roles(visual: Node) -> tuple[str, ...]:
    roles = tuple(role for role in _ROLES if _is_enabled(visual, role))
    if not roles:
        message = "both the illustration and the perception role are disabled; ignored this visual"
        visual.report(Fate.NOTED, "drake.no-role", message)
    return roles


def _is_enabled(visual: Node, role: str) -> bool:
    properties = visual.child(f"drake:{role}_properties")
    return properties is None or properties.flag("@enabled", True)


def _read_renderers(visual: Node, roles: tuple[str, ...], dialect: Dialect) -> tuple[str, ...]:
    names = []
    for node in visual.all("drake:accepting_renderer"):
        name = node.word(dialect.name)
        if name:
            names.append(name)
        elif dialect is SDF:
            node.invalid("drake.missing", "<drake:accepting_renderer> requires the name of a renderer")
    if names and "perception" not in roles:
        message = "drake:accepting_renderer has no effect without the perception role"
        visual.report(Fate.NOTED, "drake.idle-renderer", message)
    return tuple(dict.fromkeys(names))


def diffuse_map(material: Node, dialect: Dialect) -> Node | None:
    """Return the element with the file of the color texture; in a URDF it is invalid."""
    node = material.child("drake:diffuse_map")
    if node is not None and dialect is not SDF:
        hint = 'write <texture filename="..."/>'
        node.invalid("drake.urdf-diffuse-map", "URDF does not support <drake:diffuse_map>", hint=hint)
        return None
    return node


def declares_convex(mesh: Node) -> bool:
    """Return whether a mesh is declared convex, which means its convex hull."""
    return mesh.child("drake:declare_convex") is not None
