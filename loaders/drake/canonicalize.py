"""Elements that only repeat a standard one, turned into that one before anything is read."""

from __future__ import annotations

from loaders.diagnostics import Fate
from loaders.node import Node

from .dialect import PREFIX
from .joints import URDF_TYPES

_PROPERTIES = ("illustration_properties", "perception_properties", "accepting_renderer", "proximity_properties")
_KEPT = frozenset({*(PREFIX + tag for tag in _PROPERTIES), "drake:diffuse_map", "drake:declare_convex"})
_SIZES = {"drake:capsule": ("radius", "length"), "drake:ellipsoid": ("a", "b", "c")}
"""What SDFormat would give a default to, and Drake does not."""
_URDF_JOINTS = frozenset({"ball", "planar", "screw", "universal", "curvilinear"})


def normalise_sdf(root: Node) -> None:
    """Rewrite ``drake:visual``, ``drake:capsule`` and ``drake:ellipsoid`` of an SDF file as SDFormat's own."""
    for node in list(root.walk()):
        if node.tag == "drake:visual" and node.parent is not None and node.parent.tag == "link":
            _strip(node)
            node.parent.append(node)  # after the link's own visuals
    for node in root.walk():
        if node.tag in _SIZES:
            _require_sizes(node)
            node.tag = node.tag.removeprefix(PREFIX)
            if node.tag == "ellipsoid":
                node.add("radii", " ".join(node.word(key, "") for key in "abc"))


def _strip(visual: Node) -> None:
    """Take the prefix off every tag of a ``drake:visual``."""
    for node in visual.walk():
        if not node.tag.startswith(PREFIX):
            node.invalid(
                "drake.visual-prefix",
                "<{tag}> within <drake:visual> must be <{prefix}{tag}>",
                tag=node.tag,
                prefix=PREFIX,
            )
        elif node.tag not in _KEPT:
            node.tag = node.tag.removeprefix(PREFIX)


def _require_sizes(shape: Node) -> None:
    for key in _SIZES[shape.tag]:
        if not shape.has(key):
            shape.invalid("drake.missing", "<{tag}> needs a <{key}>", tag=shape.tag, key=key)


def normalise_urdf(root: Node) -> None:
    """Take ``drake_ignore`` out of a URDF, and rewrite ``drake:joint`` and the ``drake:`` shapes as plain elements."""
    for node in list(root.children):
        if node.tag in {"link", "joint", "drake:joint"} and node.attributes.get("drake_ignore") == "true":
            node.report(Fate.NOTED, "drake.ignored", "drake_ignore leaves this <{tag}> out", tag=node.tag)
            node.detach()
        elif node.tag == "drake:joint":
            _unprefix_joint(node)
        elif node.tag == "link":
            node.skip("@drake_ignore")
            _unprefix_shapes(node)
        elif node.tag == "joint":
            node.skip("@drake_ignore")
            if node.attributes.get("type") in URDF_TYPES:
                node.report(
                    Fate.NOTED,
                    "drake.plain-joint",
                    "the joint type {attributes} is Drake's; it is read all the same",
                    hint="write <drake:joint>",
                    attributes=node.attributes["type"],
                )


def _unprefix_joint(node: Node) -> None:
    kind = node.attributes.get("type", "")
    node.tag = "joint"
    if kind not in _URDF_JOINTS:
        known = ", ".join(sorted(_URDF_JOINTS))
        node.invalid(
            "drake.joint-type",
            "a <drake:joint> of type {kind!r}; the types are {known}",
            hint="a standard type belongs into a <joint>",
            kind=kind,
            known=known,
        )


def _unprefix_shapes(link: Node) -> None:
    for part in link.children:
        geometry = part.peek("geometry")
        for shape in () if geometry is None else geometry.children:
            if shape.tag in {"drake:capsule", "drake:ellipsoid"}:
                shape.tag = shape.tag.removeprefix(PREFIX)
