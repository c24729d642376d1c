"""What Drake adds to ``<visual>``, its material, and meshes."""

from __future__ import annotations

from loaders.diagnostics import Fate
from loaders.node import Node

from .dialect import SDF, Dialect

_ROLES = ("illustration", "perception")


def read_roles(visual: Node) -> tuple[str, ...]:
    """The uses that a visual has; empty, with a diagnostic, if it has none and is to be left out."""
    roles = tuple(role for role in _ROLES if _is_enabled(visual, role))
    if not roles:
        visual.report(
            Fate.NOTED, "drake.no-role", "neither illustration nor perception uses this visual; it is left out"
        )
    return roles


def _is_enabled(visual: Node, role: str) -> bool:
    properties = visual.child(f"drake:{role}_properties")
    return properties is None or properties.flag("@enabled", True)


def read_renderers(visual: Node, roles: tuple[str, ...], dialect: Dialect) -> tuple[str, ...]:
    """The renderers that alone may draw a visual; empty is all."""
    names = []
    for node in visual.all("drake:accepting_renderer"):
        name = node.word(dialect.name)
        if name:
            names.append(name)
        elif dialect is SDF:
            node.invalid("drake.missing", "<drake:accepting_renderer> names no renderer")
    if names and "perception" not in roles:
        message = "no renderer draws what perception does not use; drake:accepting_renderer has no effect"
        visual.report(Fate.NOTED, "drake.idle-renderer", message)
    return tuple(dict.fromkeys(names))


def diffuse_map(material: Node, dialect: Dialect) -> Node | None:
    """The element that names the file of the colour texture; in a URDF it is wrong."""
    node = material.child("drake:diffuse_map")
    if node is not None and dialect is not SDF:
        hint = 'write <texture filename="..."/>'
        node.invalid("drake.urdf-diffuse-map", "<drake:diffuse_map> is not known in URDF", hint=hint)
        return None
    return node


def declares_convex(mesh: Node) -> bool:
    """Whether a mesh is declared to be its convex hull."""
    return mesh.child("drake:declare_convex") is not None
