"""Consistency of a scene that was made or changed in Python: names, and numbers that no model can have.

Readers refuse such files with the element and its line, so that what they return has none of these errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from loaders.diagnostics import Diagnostics, ExportError, Fate
from loaders.model import WORLD, Collision, Joint, Link, SceneData, Visual
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import IDENTITY, Array

_Item = Link | Collision | Visual | Joint


def require_consistent(scene: SceneData) -> None:
    """Raise an error for names that nothing has or that are used twice, and for numbers that no model can have.

    Args:
        scene: The scene.

    Raises:
        ExportError: with one diagnostic for each such name and number.
    """
    diagnostics = Diagnostics()
    _check_unique("link", scene.links, diagnostics)
    _check_unique("joint", scene.joints, diagnostics)
    _check_references(scene, diagnostics)
    _check_finite(scene, diagnostics)
    diagnostics.raise_for(ExportError, strict=False)


def _check_unique(kind: str, items: Iterable[Link | Joint], diagnostics: Diagnostics) -> None:
    """Report names that several items have."""
    items = tuple(items)
    if len({item.name for item in items}) == len(items):
        return
    counts, where = Counter(item.name for item in items), {item.name: item.where for item in items}
    for name in (name for name, count in counts.items() if count > 1):
        diagnostics.add(
            Fate.INVALID,
            "model.duplicate-name",
            "{count} {kind}s of the scene are named {name}",
            where[name],
            hint="give each link and each joint a name of its own, with dataclasses.replace(item, name=...)",
            subjects=(name,),
            count=counts[name],
            kind=kind,
            name=name,
        )


def _check_references(scene: SceneData, diagnostics: Diagnostics) -> None:
    links = {link.name for link in scene.links} | {WORLD}
    for joint in scene.joints:
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                diagnostics.add(
                    Fate.INVALID,
                    "model.unknown-name",
                    "{name!r} is the {end} of joint {joint}, but the scene has no such link",
                    joint.where,
                    hint="add it to the links of the scene, or correct the name",
                    subjects=(name,),
                    name=name,
                    end=end,
                    joint=joint.name,
                )


def _check_finite(scene: SceneData, diagnostics: Diagnostics) -> None:
    if np.isfinite(np.concatenate(_all_numbers(scene), axis=None)).all():
        return
    for item, link in _items(scene):
        if not all(np.isfinite(array).all() for array in _numbers(item)):
            kind = "link" if isinstance(item, Link) else "joint" if isinstance(item, Joint) else "shape"
            name = item.name if link is None else f"{link.name}{SEPARATOR}{item.name}"
            diagnostics.add(
                Fate.INVALID,
                "model.bad-number",
                "a number of the pose, the inertia or an axis of {kind} {name} is not finite",
                item.where,
                hint="replace what is infinite or not a number",
                subjects=(name,),
                kind=kind,
                name=name,
            )


def _all_numbers(scene: SceneData) -> list[Array]:
    """Return the numbers of all items; poses that are the identity, as many are, have none that may be wrong."""
    X_of_shapes = [shape.X_LG for link in scene.links for shapes in (link.collisions, link.visuals) for shape in shapes]
    X_of_joints = [X for joint in scene.joints for X in (joint.X_PJ, joint.X_CJ)]
    poses = [X for X in (*(link.X_WL for link in scene.links), *X_of_shapes, *X_of_joints) if X is not IDENTITY]
    inertias = [link.inertia for link in scene.links if link.inertia is not None]
    return [
        np.array([inertia.mass for inertia in inertias]),
        *[X.p for X in poses],
        *[X.R for X in poses if X.R is not IDENTITY.R],
        *[inertia.p_LLcm for inertia in inertias],
        *[inertia.I_Lcm for inertia in inertias],
        *[axis.xyz for joint in scene.joints for axis in joint.axes],
    ]


def _items(scene: SceneData) -> Iterator[tuple[_Item, Link | None]]:
    """Yield links, shapes with their link, and joints."""
    for link in scene.links:
        yield link, None
        shapes: tuple[Collision | Visual, ...] = (*link.collisions, *link.visuals)
        for shape in shapes:
            yield shape, link
    for joint in scene.joints:
        yield joint, None


def _numbers(item: _Item) -> tuple[Array, ...]:
    """Return the poses, inertia and axes of an item."""
    if isinstance(item, Joint):
        return (item.X_PJ.R, item.X_PJ.p, item.X_CJ.R, item.X_CJ.p, *(axis.xyz for axis in item.axes))
    if not isinstance(item, Link):
        return (item.X_LG.R, item.X_LG.p)
    inertia = item.inertia
    own = () if inertia is None else (np.array(inertia.mass), inertia.p_LLcm, inertia.I_Lcm)
    return (item.X_WL.R, item.X_WL.p, *own)
