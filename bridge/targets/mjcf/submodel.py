"""A world in several files, and bodies in their reference pose.

MuJoCo's regularization of constraints depends on the reference pose, so that a model written at
zero would move a little differently. The document is written at zero; this pass moves it.

The main file keeps what models share, and what connects them: options, classes, assets of several
models, constraints and sensors between them, and models of a single link. Elements are ordered such
that the text in one piece and the text in several files compile to the same model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

import numpy as np

from bridge.mechanism.bodies import ROOT
from bridge.targets.numbers import placement
from loaders.pose import IDENTITY, Pose, rotation_about
from loaders.scoped_names import outermost_scope

from .context import ASSETS, MjcfContext, MjcfElement, asset_name


def move_to_reference(context: MjcfContext) -> None:
    """Move each body with a reference, the joints in it, and the couplings of its joints."""
    references: dict[str, float] = {}
    for element in {id(body): body for body in context.document.bodies}.values():
        joints = [child for child in element.children if child.tag == "joint"]
        found = {
            joint.attributes["name"]: float(joint.attributes.get("ref", "0")) for joint in joints
        }
        if any(found.values()):
            _move(element, joints, found)
            references |= found
    for equality in context.document["equality"].children if references else ():
        if equality.tag == "joint":
            _shift(equality, references)


def _move(element: MjcfElement, joints: list[MjcfElement], references: dict[str, float]) -> None:
    """Move a body by the displacements of its joints, and each joint by those of the joints after
    it.
    """
    X_DB = IDENTITY  # the body in the frame that the joints before have moved
    for joint in reversed(joints):
        displacement = _displacement(joint, references[joint.attributes["name"]])
        if joint.attributes.get("type") == "slide" and displacement is not IDENTITY:
            joint.attributes.pop(
                "pos", None
            )  # of no effect: a slide acts on every point of a body alike
        if X_DB is not IDENTITY:
            X_BD = X_DB.inverse()
            joint.set(pos=(X_BD @ Pose.of(p=_vector(joint, "pos", (0, 0, 0)))).p.tolist())
            if joint.attributes.get("type") != "ball":
                joint.set(axis=(X_BD.R @ _vector(joint, "axis", (0, 0, 1))).tolist())
        X_DB = displacement @ X_DB
    X_PB = (
        Pose.from_vector(
            (*_vector(element, "pos", (0, 0, 0)), *_vector(element, "quat", (1, 0, 0, 0)))
        )
        @ X_DB
    )
    for key in ("pos", "quat"):
        element.attributes.pop(key, None)
    element.set(**placement(X_PB))


def _vector(element: MjcfElement, key: str, default: tuple[float, ...]) -> np.ndarray:
    text = element.attributes.get(key)
    return np.array(default if text is None else [float(x) for x in text.split()], dtype=np.float64)


def _displacement(joint: MjcfElement, reference: float) -> Pose:
    if reference == 0.0 or joint.attributes.get("type") == "ball":
        return IDENTITY
    axis = _vector(joint, "axis", (0, 0, 1))
    if joint.attributes.get("type") == "slide":
        return Pose.of(p=reference * axis)
    anchor = Pose.of(p=_vector(joint, "pos", (0, 0, 0)))
    return anchor @ Pose.of(rotation_about(axis, reference)) @ anchor.inverse()


def _shift(equality: MjcfElement, references: dict[str, float]) -> None:
    """Count the positions of a coupling from the references, as MuJoCo does."""
    follower = references.get(equality.attributes["joint1"], 0.0)
    leader = references.get(equality.attributes.get("joint2", ""), 0.0)
    old = _vector(equality, "polycoef", (0, 1, 0, 0, 0))
    new = [
        sum(math.comb(k, j) * leader ** (k - j) * old[k] for k in range(j, len(old)))
        for j in range(len(old))
    ]
    new[0] -= follower
    equality.set(polycoef=[float(x) for x in new])


_REFERENCES = {
    "joint": ("joint", "joint1", "joint2"),
    "body": ("body", "body1", "body2"),
    "site": ("site", "site1", "site2", "refsite"),
    "geom": ("geom", "geom1", "geom2"),
    "tendon": ("tendon", "tendon1", "tendon2"),
}
"""Attributes that name an element, by the kind of element."""
_SECTIONS = ("contact", "tendon", "equality", "actuator", "sensor")

OwnerByName = dict[tuple[str, str], str]
"""The model of each named element, by tag and name."""


def assign_files(context: MjcfContext) -> None:
    """Assign every element to the file of a model, and order each section accordingly.

    A scene of one model is not changed. Bodies must not be nested yet.
    """
    bodies = context.mechanism.bodies
    models = [
        outermost_scope(bodies[context.mechanism.root_of(i)].link.model) for i in range(len(bodies))
    ]
    order = _models_with_files(models, context)
    if not order:
        return
    owners: OwnerByName = {}
    for element, model in zip(context.document.bodies, models, strict=True):
        element.owner = model if model in order and element.tag == "body" else ""
        owners["body", element.attributes.get("name", "")] = element.owner
        owners |= {
            (_kind(child), child.attributes.get("name", "")): element.owner
            for child in element.children
        }
    for tag in _SECTIONS:
        section = context.document[tag]
        for element in section.children:
            element.owner = _single(_owners_of_references(element, owners))
            owners[tag, element.attributes.get("name", "")] = element.owner
        section.children.sort(key=lambda element: order.get(element.owner, len(order)))
    _assign_assets(context, order)


def _models_with_files(models: list[str], context: MjcfContext) -> dict[str, int]:
    """Return the models that get a file, with their order: those of several links whose trees are
    adjacent.
    """
    if len(set(models)) < 2:
        return {}
    roots = [
        m for m, body in zip(models, context.mechanism.bodies, strict=True) if body.parent == ROOT
    ]
    runs = Counter(model for model, _ in groupby(roots))
    sizes = Counter(models)
    chosen = [
        model for model in dict.fromkeys(roots) if model and sizes[model] > 1 and runs[model] == 1
    ]
    return {model: i for i, model in enumerate(chosen)}


def _kind(element: MjcfElement) -> str:
    return "joint" if element.tag == "freejoint" else element.tag


def _owners_of_references(element: MjcfElement, owners: OwnerByName) -> Iterator[str]:
    """Yield the model of each element that an element refers to."""
    for part in element.walk():
        for kind, attributes in _REFERENCES.items():
            yield from (
                owners.get((kind, part.attributes[a]), "")
                for a in attributes
                if a in part.attributes
            )
        for name, type_ in (("objname", "objtype"), ("refname", "reftype")):
            if name in part.attributes:
                yield owners.get(
                    (part.attributes[type_].removeprefix("x"), part.attributes[name]), ""
                )


def _single(models: Iterable[str]) -> str:
    """Return the model if all are the same, else the empty string."""
    distinct = set(models)
    return distinct.pop() if len(distinct) == 1 else ""


def _assign_assets(context: MjcfContext, order: dict[str, int]) -> None:
    """Assign an asset to the model that alone uses it; assets of several models come first."""
    users: dict[tuple[str, str], set[str]] = {}
    for body in context.document.bodies:
        for child in body.children:
            _add_user(child, body.owner, users)
    section = context.document["asset"]
    for material in (asset for asset in section.children if asset.tag == "material"):
        for owner in users.get(("material", asset_name(material)), {""}):
            _add_user(material, owner, users)
            for layer in material.children:
                _add_user(layer, owner, users)
    for asset in section.children:
        asset.owner = _single(users.get((asset.tag, asset_name(asset)), {""}))
    section.children.sort(key=lambda asset: (ASSETS.index(asset.tag), order.get(asset.owner, -1)))


def _add_user(element: MjcfElement, owner: str, users: dict[tuple[str, str], set[str]]) -> None:
    for kind in ASSETS:
        if kind in element.attributes:
            users.setdefault((kind, element.attributes[kind]), set()).add(owner)


# --- splitting ------------------------------------------------------------------------------------


def split_document(
    root: MjcfElement, files: dict[str, str]
) -> tuple[MjcfElement, dict[str, MjcfElement]]:
    """Split a document into the main file and one for each model.

    Args:
        root: The document.
        files: Name of the file of each model that has one.

    Returns:
        The document of the main file, which includes the others, and that of each model.
    """
    main = MjcfElement("mujoco", **root.attributes)
    parts = {model: MjcfElement("mujoco", model=model) for model in files}
    for section in root.children:
        if section.tag == "compiler":
            for part in parts.values():
                part.children.append(section)
        if section.tag == "worldbody":
            main.children.extend(_worldbody_with_includes(section, files))
        else:
            main.children.extend(_section_of(section, ""))
        for model, part in parts.items():
            part.children.extend(_section_of(section, model))
    return main, parts


_SHARED = ("compiler", "option", "size", "visual", "statistic", "default", "asset")


def model_alone(root: MjcfElement, model: str, file: str) -> MjcfElement:
    """Return the document of one model alone: what models share, and the file of the model.

    Args:
        root: The document of the world.
        model: The model.
        file: The file with the part of the model.
    """
    alone = MjcfElement("mujoco", model=model)
    for section in root.children:
        if section.tag in _SHARED:
            alone.children.extend(_section_of(section, ""))
    alone.add("include", file=file)
    return alone


def _section_of(section: MjcfElement, owner: str) -> list[MjcfElement]:
    """Return the section with the elements of one model, or nothing if the model has no element in
    it.
    """
    part = MjcfElement(section.tag, **section.attributes)
    part.children = [child for child in section.children if child.owner == owner]
    has_only_settings = not owner and not section.children
    return [part] if part.children or has_only_settings else []


def _worldbody_with_includes(worldbody: MjcfElement, files: dict[str, str]) -> list[MjcfElement]:
    """Return the bodies of the main file, with the files of the other models included in their
    places.
    """
    elements: list[MjcfElement] = []
    for owner, run in groupby(worldbody.children, key=lambda child: child.owner):
        if owner:
            elements.append(MjcfElement("include", file=files[owner]))
        else:
            elements.append(MjcfElement("worldbody"))
            elements[-1].children.extend(run)
    return elements


def file_owners(root: MjcfElement) -> list[str]:
    """Return the models that have a separate file, in the order of their bodies."""
    worlds = [section for section in root.children if section.tag == "worldbody"]
    bodies = [child for world in worlds for child in world.children]
    return list(dict.fromkeys(child.owner for child in bodies if child.owner))
