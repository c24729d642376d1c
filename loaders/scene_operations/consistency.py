"""Consistency of a scene that was made or changed in Python: names, and numbers that no model can have.

Readers refuse such files with the element and its line, so that what they return has none of these errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from loaders.diagnostics import Diagnostics, ExportError, Fate
from loaders.model import WORLD, Collision, Joint, Link, SceneData, Visual
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import IDENTITY, Array, Pose

_Item = Link | Collision | Visual | Joint
_TOLERANCE = 1e-9
"""Largest error of the length of an axis, and of the products of the rows of a rotation."""


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
    _check_numbers(scene, diagnostics)
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


def _check_numbers(scene: SceneData, diagnostics: Diagnostics) -> None:
    """Report numbers that are not finite, axes that are not unit vectors, and matrices that are not rotations."""
    poses, axes = _poses(scene), [axis.xyz for joint in scene.joints for axis in joint.axes]
    numbers = np.concatenate(_all_numbers(scene, poses, axes), axis=None)
    if np.isfinite(numbers).all() and _are_unit(axes) and _are_rotations([X.R for X in poses]):
        return
    for item, link in _items(scene):
        message, hint = _fault(item)
        if message:
            kind = "link" if isinstance(item, Link) else "joint" if isinstance(item, Joint) else "shape"
            name = item.name if link is None else f"{link.name}{SEPARATOR}{item.name}"
            diagnostics.add(
                Fate.INVALID,
                "model.bad-number",
                message,
                item.where,
                hint=hint,
                subjects=(name,),
                kind=kind,
                name=name,
            )


def _are_unit(vectors: Sequence[Array]) -> bool:
    lengths = np.linalg.norm(np.array(vectors).reshape(-1, 3), axis=1)
    return bool((np.abs(lengths - 1.0) <= _TOLERANCE).all())


def _are_rotations(matrices: Sequence[Array]) -> bool:
    R = np.array([matrix for matrix in matrices if matrix is not IDENTITY.R]).reshape(-1, 3, 3)
    is_orthogonal = (np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)) <= _TOLERANCE).all()
    return bool(is_orthogonal and (np.linalg.det(R) > 0.0).all())


def _fault(item: _Item) -> tuple[str, str]:
    """Return what is wrong with the numbers of an item, and what to do about it; empty if nothing is."""
    if not all(np.isfinite(array).all() for array in _numbers(item)):
        message = "a number of the pose, the inertia or an axis of {kind} {name} is not finite"
        return message, "replace what is infinite or not a number"
    if isinstance(item, Joint) and not _are_unit([axis.xyz for axis in item.axes]):
        return "an axis of joint {name} is not a unit vector", "divide it by its length"
    if not _are_rotations([X.R for X in _poses_of(item)]):
        message = "the rotation of the pose of {kind} {name} is not orthogonal, or mirrors"
        return message, "make it orthonormal in double precision, with a determinant of 1"
    return "", ""


def _all_numbers(scene: SceneData, poses: Iterable[Pose], axes: Iterable[Array]) -> list[Array]:
    """Return the numbers of all items, given their poses and axes."""
    inertias = [link.inertia for link in scene.links if link.inertia is not None]
    return [
        np.array([inertia.mass for inertia in inertias]),
        *[X.p for X in poses],
        *[X.R for X in poses if X.R is not IDENTITY.R],
        *[inertia.p_LLcm for inertia in inertias],
        *[inertia.I_Lcm for inertia in inertias],
        *axes,
    ]


def _poses(scene: SceneData) -> list[Pose]:
    """Return the poses of all items but those that are the identity, as many are, which have no wrong number."""
    X_of_shapes = [shape.X_LG for link in scene.links for shapes in (link.collisions, link.visuals) for shape in shapes]
    X_of_joints = [X for joint in scene.joints for X in (joint.X_PJ, joint.X_CJ)]
    return [X for X in (*(link.X_WL for link in scene.links), *X_of_shapes, *X_of_joints) if X is not IDENTITY]


def _items(scene: SceneData) -> Iterator[tuple[_Item, Link | None]]:
    """Yield links, shapes with their link, and joints."""
    for link in scene.links:
        yield link, None
        shapes: tuple[Collision | Visual, ...] = (*link.collisions, *link.visuals)
        for shape in shapes:
            yield shape, link
    for joint in scene.joints:
        yield joint, None


def _poses_of(item: _Item) -> tuple[Pose, ...]:
    if isinstance(item, Joint):
        return (item.X_PJ, item.X_CJ)
    return (item.X_WL,) if isinstance(item, Link) else (item.X_LG,)


def _numbers(item: _Item) -> tuple[Array, ...]:
    """Return the poses, inertia and axes of an item."""
    of_poses = tuple(array for X in _poses_of(item) for array in (X.R, X.p))
    if isinstance(item, Joint):
        return (*of_poses, *(axis.xyz for axis in item.axes))
    inertia = item.inertia if isinstance(item, Link) else None
    own = () if inertia is None else (np.array(inertia.mass), inertia.p_LLcm, inertia.I_Lcm)
    return (*of_poses, *own)
