"""Canonical form of a document: Drake's elements that repeat a standard one are rewritten before reading."""

from __future__ import annotations

from loaders.diagnostics import Fate
from loaders.node import Node

from .dialect import PREFIX
from .joints import URDF_TYPES

_PROPERTIES = ("illustration_properties", "perception_properties", "accepting_renderer", "proximity_properties")
_PREFIXED = frozenset({*(PREFIX + tag for tag in _PROPERTIES), "drake:diffuse_map", "drake:declare_convex"})
_SIZES = {"drake:capsule": ("radius", "length"), "drake:ellipsoid": ("a", "b", "c")}
"""Required sizes of shapes whose sizes have defaults in SDFormat but not in Drake."""
_REWRITTEN = frozenset({"drake:visual", *_SIZES})
_URDF_JOINTS = frozenset({"ball", "planar", "screw", "universal", "curvilinear"})


def canonicalize_sdf(root: Node) -> None:
    """Rewrite ``drake:visual``, ``drake:capsule`` and ``drake:ellipsoid`` of an SDFormat file as standard elements."""
    nodes = [root]
    for node in nodes:
        if node.children:
            nodes += node.children
    if _REWRITTEN.isdisjoint([node.tag for node in nodes]):
        return
    for node in list(root.walk()):
        if node.tag == "drake:visual" and node.parent is not None and node.parent.tag == "link":
            _remove_prefix(node)
            node.parent.append(node)  # after the standard visuals of the link
    for node in root.walk():
        if node.tag in _SIZES:
            _require_sizes(node)
            node.tag = node.tag.removeprefix(PREFIX)
            if node.tag == "ellipsoid":
                node.add("radii", " ".join(node.word(key, "") for key in "abc"))


def _remove_prefix(visual: Node) -> None:
    """Remove the prefix from every tag of a ``drake:visual``."""
    for node in visual.walk():
        if not node.tag.startswith(PREFIX):
            node.invalid(
                "drake.visual-prefix",
                "<{tag}> in <drake:visual> must be written <{prefix}{tag}>",
                tag=node.tag,
                prefix=PREFIX,
            )
        elif node.tag not in _PREFIXED:
            node.tag = node.tag.removeprefix(PREFIX)


def _require_sizes(shape: Node) -> None:
    for key in _SIZES[shape.tag]:
        if not shape.has(key):
            shape.invalid("drake.missing", "<{tag}> requires a <{child}>", tag=shape.tag, child=key)


def canonicalize_urdf(root: Node) -> None:
    """Remove elements with ``drake_ignore`` from a URDF; rewrite ``drake:`` joints as standard elements."""
    for node in [child for child in root.children if _is_of_drake(child)]:
        if node.attributes.get("drake_ignore") == "true":
            node.report(Fate.NOTED, "drake.ignored", "ignored <{tag}>, as its drake_ignore requests", tag=node.tag)
            node.detach()
        elif node.tag == "drake:joint":
            _unprefix_joint(node)
        elif node.tag == "joint" and node.attributes.get("type") in URDF_TYPES:
            node.report(
                Fate.NOTED,
                "drake.plain-joint",
                "joint type {type} is an extension of Drake; accepted in <joint>",
                hint="write <drake:joint>",
                type=node.attributes["type"],
            )


def _is_of_drake(node: Node) -> bool:
    if "drake_ignore" in node.attributes:
        return node.tag in _IGNORABLE
    return node.tag == "drake:joint" or (node.tag == "joint" and node.attributes.get("type") in URDF_TYPES)


_IGNORABLE = frozenset({"link", "joint", "drake:joint"})


def _unprefix_joint(node: Node) -> None:
    kind = node.attributes.get("type", "")
    node.tag = "joint"
    if kind not in _URDF_JOINTS:
        node.invalid(
            "drake.joint-type",
            "unknown type {type!r} of <drake:joint>; expected one of: {known}",
            hint="write <joint> for a standard type",
            type=kind,
            known=tuple(sorted(_URDF_JOINTS)),
        )
