"""A world in several files: one for each model of several links, which the file of the world includes.

What models share, and what ties them to one another, stays with the world: options, classes, assets of several models,
constraints and sensors between them, and models of a single link. Elements are ordered so that the text in one piece
and the text in several compile to the same model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from pathlib import PurePath

from bridge.mechanism.bodies import ROOT
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from loaders.scene_queries.scoped_names import outermost_scope

_REFERENCES = {
    "joint": ("joint", "joint1", "joint2"),
    "body": ("body", "body1", "body2"),
    "site": ("site", "site1", "site2", "refsite"),
    "geom": ("geom", "geom1", "geom2"),
    "tendon": ("tendon", "tendon1", "tendon2"),
}
"""By kind of element, the attributes that name one."""
_SECTIONS = ("contact", "tendon", "equality", "actuator", "sensor")
_ASSETS = ("texture", "material", "mesh", "hfield")

Names = dict[tuple[str, str], str]
"""The model of each named element, by tag and name."""


def arrange(context: Context) -> None:
    """Say of every element which model's file it stands in, and order each section accordingly.

    Nothing is done to a scene of one model. To be called before bodies are nested.
    """
    models = _models(context)
    places = _own_file(models, context)
    if not places:
        return
    names: Names = {}
    for element, model in zip(context.document.bodies, models, strict=True):
        element.owner = model if model in places and element.tag == "body" else ""
        names["body", element.attributes.get("name", "")] = element.owner
        names |= {(_kind(child), child.attributes.get("name", "")): element.owner for child in element.children}
    for tag in _SECTIONS:
        section = context.document[tag]
        for element in section.children:
            element.owner = _single(_referred(element, names))
            names[tag, element.attributes.get("name", "")] = element.owner
        section.children.sort(key=lambda element: places.get(element.owner, len(places)))
    _assets(context, places)


def _models(context: Context) -> list[str]:
    """Of each body, the outermost model that its tree begins in."""
    found: list[str] = []
    for body in context.mechanism.bodies:
        found.append(outermost_scope(body.link.model) if body.parent == ROOT else found[body.parent])
    return found


def _own_file(models: list[str], context: Context) -> dict[str, int]:
    """The models that get a file of their own, in order: those of several links whose trees stand side by side."""
    if len(set(models)) < 2:
        return {}
    roots = [m for m, body in zip(models, context.mechanism.bodies, strict=True) if body.parent == ROOT]
    runs = Counter(model for model, _ in groupby(roots))
    sizes = Counter(models)
    chosen = [model for model in dict.fromkeys(roots) if model and sizes[model] > 1 and runs[model] == 1]
    return {model: i for i, model in enumerate(chosen)}


def _kind(element: Element) -> str:
    return "joint" if element.tag == "freejoint" else element.tag


def _referred(element: Element, names: Names) -> Iterable[str]:
    """The models of everything that an element names."""
    for part in element.walk():
        for kind, attributes in _REFERENCES.items():
            yield from (names.get((kind, part.attributes[a]), "") for a in attributes if a in part.attributes)
        for name, type_ in (("objname", "objtype"), ("refname", "reftype")):
            if name in part.attributes:
                yield names.get((part.attributes[type_].removeprefix("x"), part.attributes[name]), "")


def _single(models: Iterable[str]) -> str:
    """The one model of all, or none."""
    found = set(models)
    return found.pop() if len(found) == 1 else ""


def _assets(context: Context, places: dict[str, int]) -> None:
    """An asset belongs to the model that alone uses it; those of several come first."""
    users: dict[tuple[str, str], set[str]] = {}
    for body in context.document.bodies:
        for child in body.children:
            _use(child, body.owner, users)
    section = context.document["asset"]
    for material in (asset for asset in section.children if asset.tag == "material"):
        for owner in users.get(("material", _asset_name(material)), {""}):
            _use(material, owner, users)
            for layer in material.children:
                _use(layer, owner, users)
    for asset in section.children:
        asset.owner = _single(users.get((asset.tag, _asset_name(asset)), {""}))
    section.children.sort(key=lambda asset: (_ASSETS.index(asset.tag), places.get(asset.owner, -1)))


def _use(element: Element, owner: str, users: dict[tuple[str, str], set[str]]) -> None:
    for kind in _ASSETS:
        if kind in element.attributes:
            users.setdefault((kind, element.attributes[kind]), set()).add(owner)


def _asset_name(asset: Element) -> str:
    return asset.attributes.get("name") or PurePath(asset.attributes.get("file", "")).stem


# --- cutting ---------------------------------------------------------------------------------------------------------


def cut(root: Element, files: dict[str, str]) -> tuple[Element, dict[str, Element]]:
    """The document of the world, which includes the others, and that of each model.

    Args:
        root: The whole document.
        files: The file of each model that has one.
    """
    world = Element("mujoco", **root.attributes)
    parts = {model: Element("mujoco", model=model) for model in files}
    for section in root.children:
        if section.tag == "compiler":
            for part in parts.values():
                part.children.append(section)
        if section.tag == "worldbody":
            world.children.extend(_places(section, files))
        else:
            world.children.extend(_of(section, ""))
        for model, part in parts.items():
            part.children.extend(_of(section, model))
    return world, parts


def _of(section: Element, owner: str) -> list[Element]:
    """The section with what belongs to one model only; nothing if that is nothing."""
    mine = Element(section.tag, **section.attributes)
    mine.children = [child for child in section.children if child.owner == owner]
    settings = not owner and not section.children
    return [mine] if mine.children or settings else []


def _places(worldbody: Element, files: dict[str, str]) -> list[Element]:
    """The world's own bodies, and in their places the files of the others."""
    found: list[Element] = []
    for owner, run in groupby(worldbody.children, key=lambda child: child.owner):
        if owner:
            found.append(Element("include", file=files[owner]))
        else:
            found.append(Element("worldbody"))
            found[-1].children.extend(run)
    return found


def owners(root: Element) -> list[str]:
    """The models that have a file of their own, in the order of their bodies."""
    bodies = [child for section in root.children if section.tag == "worldbody" for child in section.children]
    return list(dict.fromkeys(child.owner for child in bodies if child.owner))
