"""A document as a ``mujoco.MjSpec``, whose bodies may be nested deeper than MuJoCo's XML reader allows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bridge.mjcf.geom.contact_parameters import DEFAULT_FRICTION
from bridge.mjcf.xml.element import Element, write
from bridge.mjcf.xml.target import TARGET
from loaders.diagnostics import Diagnostic, ExportError, Fate

XML_DEPTH = 490
"""Deepest nesting of bodies that MuJoCo's XML reader accepts, with room for the contents of the last."""


def depth_of(root: Element) -> tuple[int, str]:
    """Return the greatest nesting of bodies, and the name of a body at that depth."""
    deepest = (0, "")
    pending = [(root, 0)]
    while pending:
        element, depth = pending.pop()
        depth += element.tag == "body"
        if depth > deepest[0]:
            deepest = (depth, element.attributes.get("name", ""))
        pending.extend((child, depth) for child in element.children)
    return deepest


def require_xml_depth(root: Element) -> None:
    """Refuse a document that MuJoCo's XML reader would refuse.

    Raises:
        ExportError: if bodies are nested too deeply; it names a link at the greatest depth.
    """
    depth, link = depth_of(root)
    if depth > XML_DEPTH:
        diagnostic = Diagnostic(
            f"{TARGET}.too-deep",
            Fate.INVALID,
            "link {link} is nested {depth} bodies deep; MuJoCo's XML reader accepts {limit}",
            target=TARGET,
            hint="use bridge.to_mjspec, which builds such a model without XML",
            arguments={"link": link, "depth": depth, "limit": XML_DEPTH},
            subjects=(link,),
        )
        raise ExportError((diagnostic,))


def folder_name(assets: Mapping[str, bytes], digests: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a name for the folder of assets, another one for other contents.

    MuJoCo keeps decoded meshes and pictures for the life of the process and tells them apart by folder, name and length
    only: of two files ``link.stl`` with as many triangles, the second would have the shape of the first.

    Args:
        assets: Contents of each asset file, by its name.
        digests: SHA-256 of the contents of those assets of which it is known.
    """
    digest = hashlib.sha256()
    for name, data in sorted(assets.items()):
        digest.update(name.encode(errors="surrogateescape") + b"\0")
        digest.update((digests.get(name) or hashlib.sha256(data).hexdigest()).encode())
    return f"sdfbridge-{digest.hexdigest()[:24]}"


def to_spec(root: Element, assets: dict[str, bytes], digests: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Return the document as a ``mujoco.MjSpec``; bodies nested too deeply for XML are added through the API.

    Args:
        root: The document.
        assets: Contents of each asset file, by its name.
        digests: SHA-256 of the contents of those assets of which it is known.
    """
    import mujoco

    detached = _detach_deep_bodies(root)
    try:
        spec = mujoco.MjSpec.from_string(write(root), assets=assets)
    finally:
        for parent, children in detached:
            parent.children.extend(children)
    if assets:
        spec.modelfiledir = folder_name(assets, digests)
    bodies = {body.name: body for body in spec.bodies} if detached else {}
    pending = [
        (bodies[e.attributes["name"]], child) for e, children in reversed(detached) for child in reversed(children)
    ]
    while pending:
        parent, element = pending.pop()
        body = _add_body(spec, parent, element)
        pending.extend((body, child) for child in reversed(element.children) if child.tag == "body")
    return spec


def _detach_deep_bodies(root: Element) -> list[tuple[Element, list[Element]]]:
    """Remove the bodies below `XML_DEPTH` from the tree; return each parent with the bodies removed from it."""
    detached = []
    pending = [(root, 0)]
    while pending:
        element, depth = pending.pop()
        depth += element.tag == "body"
        below = [child for child in element.children if child.tag == "body"]
        if depth >= XML_DEPTH and below:
            element.children = [child for child in element.children if child.tag != "body"]
            detached.append((element, below))
        else:
            pending.extend((child, depth) for child in reversed(element.children))
    return detached


# --- bodies through the API ------------------------------------------------------------------------------------------

_FIELDS = {
    "solreflimit": "solref_limit",
    "solimplimit": "solimp_limit",
    "solreffriction": "solref_friction",
    "solimpfriction": "solimp_friction",
    "actuatorfrcrange": "actfrcrange",
    "mesh": "meshname",
    "hfield": "hfieldname",
}
"""MjSpec's field for each attribute of MJCF, where the names differ."""
_WORDS = frozenset({"name", "material", "mesh", "hfield"})
_INTEGERS = frozenset({"contype", "conaffinity", "condim", "group", "resolution"})
_FLAGS = frozenset({"active", "castshadow"})
_FILL = {"size": (0.0, 0.0, 0.0), "friction": DEFAULT_FRICTION}
"""Default values of vectors of three, which MJCF allows to be shorter."""
_TYPES = {"geom": ("mjtGeom", "mjGEOM_"), "joint": ("mjtJoint", "mjJNT_"), "light": ("mjtLightType", "mjLIGHT_")}


def _add_body(spec: Any, parent: Any, element: Element) -> Any:
    """Add one body with its contents, without the bodies below it."""
    body = parent.add_body(**_fields(element))
    for child in element.children:
        if child.tag == "inertial":
            _set_inertia(body, child)
        elif child.tag != "body":
            named = child.attributes.get("class")
            default = spec.find_default(named) if named else None  # None is the default class of the body
            add = getattr(body, f"add_{child.tag}")
            _ = add(**_fields(child)) if child.tag == "freejoint" else add(default, **_fields(child))
    return body


def _set_inertia(body: Any, inertial: Element) -> None:
    fields = _fields(inertial)
    body.explicitinertial = True
    body.mass = fields["mass"]
    body.ipos = fields["pos"]
    body.iquat = fields.get("quat", (1.0, 0.0, 0.0, 0.0))
    body.inertia = fields["diaginertia"]


def _fields(element: Element) -> dict[str, Any]:
    """Return the attributes of an element as fields of MjSpec."""
    return {
        _FIELDS.get(name, name): _value(element.tag, name, text)
        for name, text in element.attributes.items()
        if name != "class"
    }


def _value(tag: str, name: str, text: str) -> Any:
    if name in _WORDS:
        return text
    if name in _FLAGS:
        return text == "true"
    if name == "type":
        import mujoco

        enumeration, prefix = _TYPES[tag]
        return getattr(getattr(mujoco, enumeration), prefix + text.upper())
    parse = int if name in _INTEGERS else float
    values = [parse(word) for word in text.split()]
    values += _FILL.get(name, ())[len(values) :]
    return values if len(values) > 1 else values[0]
