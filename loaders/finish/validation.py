"""Checks of every scene: names, numbers, and poses of joints and links.

Readers refuse such files with the element and its line, so that what they return has none of these
errors.

Readers compute the frames of joints from the poses of links, or the reverse, so that both agree in
what they return.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from operator import attrgetter, not_
from typing import Any

import numpy as np

from loaders import codes as loaders_codes
from loaders.collision_pairs import connected_components
from loaders.diagnostics import Code, Diagnostics, ExportError
from loaders.inertia import are_physical
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Heightmap,
    Joint,
    JointType,
    Link,
    SceneData,
    Sphere,
    Visual,
)
from loaders.pose import IDENTITY, Array, Pose, matrix_to_quaternion
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR

_Item = Link | Collision | Visual | Joint
_TOLERANCE = 1e-9
"""Largest error of the length of an axis, and of the products of the rows of a rotation."""


def require_consistent(scene: SceneData) -> None:
    """Raise an error for names that nothing has or that are used twice, and for numbers that no
    model can have.

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
            loaders_codes.MODEL_DUPLICATE_NAME,
            where[name],
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
                    loaders_codes.MODEL_UNKNOWN_NAME,
                    joint.where,
                    subjects=(name,),
                    name=name,
                    end=end,
                    joint=joint.name,
                )


def _check_numbers(scene: SceneData, diagnostics: Diagnostics) -> None:
    """Report numbers that are not finite, axes that are not unit vectors, and matrices that are not
    rotations.
    """
    poses, axes = _poses(scene), [axis.xyz for joint in scene.joints for axis in joint.axes]
    numbers = np.concatenate(_all_numbers(scene, poses, axes), axis=None)
    if np.isfinite(numbers).all() and _are_unit(axes) and _are_rotations([X.R for X in poses]):
        return
    for item, link in _items(scene):
        code = _fault(item)
        if code is not None:
            kind = _KINDS.get(type(item), "shape")
            name = item.name if link is None else f"{link.name}{SEPARATOR}{item.name}"
            diagnostics.add(code, item.where, subjects=(name,), kind=kind, name=name)


_KINDS: dict[type, str] = {Link: "link", Joint: "joint"}


def _are_unit(vectors: Sequence[Array]) -> bool:
    lengths = np.linalg.norm(np.array(vectors).reshape(-1, 3), axis=1)
    return bool((np.abs(lengths - 1.0) <= _TOLERANCE).all())


def _are_rotations(matrices: Sequence[Array]) -> bool:
    R = np.array([matrix for matrix in matrices if matrix is not IDENTITY.R]).reshape(-1, 3, 3)
    is_orthogonal = (np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)) <= _TOLERANCE).all()
    return bool(is_orthogonal and (np.linalg.det(R) > 0.0).all())


def _fault(item: _Item) -> Code | None:
    """Return what is wrong with the numbers of an item; None if nothing is."""
    if not all(np.isfinite(array).all() for array in _numbers(item)):
        return loaders_codes.MODEL_BAD_NUMBER
    if isinstance(item, Joint) and not _are_unit([axis.xyz for axis in item.axes]):
        return loaders_codes.MODEL_BAD_NUMBER_AXIS
    if not _are_rotations([X.R for X in _poses_of(item)]):
        return loaders_codes.MODEL_BAD_NUMBER_ROTATION
    return None


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
    """Return the poses of all items but those that are the identity, as many are, which have no
    wrong number.
    """
    poses = [link.X_WL for link in scene.links]
    for link in scene.links:
        poses += [shape.X_LG for shape in link.collisions]
        poses += [shape.X_LG for shape in link.visuals]
    for joint in scene.joints:
        poses += [joint.X_PJ, joint.X_CJ]
    return [X for X in poses if X is not IDENTITY]


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


def report_contradictions(scene: SceneData, diagnostics: Diagnostics) -> None:
    """Report joints that, at zero, put their child link elsewhere than the poses of the links say.

    A joint that only closes a kinematic loop may be open at zero, and is not reported.

    Args:
        scene: The scene; its joints have the links of the scene.
        diagnostics: Record for the findings.
    """
    joints = [joint for joint in scene.joints if joint.type is not JointType.FLOATING]
    if not joints:
        return
    X_WL = {link.name: link.X_WL for link in scene.links}
    X_WL[WORLD] = IDENTITY
    off = [joints[i] for i in np.flatnonzero(_are_apart(joints, X_WL))]
    if off:
        _report(scene, off, X_WL, diagnostics)


def _are_apart(joints: Sequence[Joint], X_WL: dict[str, Pose]) -> Array:
    """Return for each joint whether its frames on parent and child differ, shape (n,)."""
    parents, children = (
        [X_WL[joint.parent] for joint in joints],
        [X_WL[joint.child] for joint in joints],
    )
    R_P, p_P = _frames(parents, [joint.X_PJ for joint in joints])
    R_C, p_C = _frames(children, [joint.X_CJ for joint in joints])
    sizes = np.maximum(1.0, np.abs(p_P).max(axis=1))
    apart = np.maximum(np.abs(p_P - p_C).max(axis=1) / sizes, np.abs(R_P - R_C).max(axis=(1, 2)))
    found: Array = apart > _TOLERANCE
    return found


def _frames(links: Sequence[Pose], frames: Sequence[Pose]) -> tuple[Array, Array]:
    """Return the orientations, shape (n, 3, 3), and positions, shape (n, 3), in the world of frames
    on links.
    """
    R = np.array([X.R for X in links])
    p = np.array([X.p for X in links]) + (R @ np.array([X.p for X in frames])[:, :, None])[:, :, 0]
    return R @ np.array([X.R for X in frames]), p


def _report(
    scene: SceneData, off: Sequence[Joint], X_WL: dict[str, Pose], diagnostics: Diagnostics
) -> None:
    """Report joints between parts of the scene that no other joints put where they are."""
    names = {joint.name for joint in off}
    parts = connected_components(
        scene, lambda joint: joint.name not in names and joint.type is not JointType.FLOATING
    )
    part = {name: i for i, members in enumerate(parts) for name in members}
    for joint in (joint for joint in off if part[joint.parent] != part[joint.child]):
        X_WC = X_WL[joint.parent] @ joint.X_PJ @ joint.X_CJ.inverse()
        distance, angle = _difference(X_WL[joint.child], X_WC)
        moved = (name for i in (part[joint.child], part[joint.parent]) if i for name in parts[i])
        diagnostics.add(
            loaders_codes.MODEL_POSE_AGAINST_JOINT,
            joint.where,
            subjects=dict.fromkeys((joint.child, joint.name, *moved)),
            joint=joint.name,
            link=joint.child,
            distance=distance,
            angle=angle,
        )


def _difference(a: Pose, b: Pose) -> tuple[float, float]:
    """Return the distance [m] and the angle [rad] between two poses."""
    w, *xyz = matrix_to_quaternion(a.R.T @ b.R)
    return float(np.linalg.norm(a.p - b.p)), 2.0 * math.atan2(math.hypot(*xyz), abs(w))


_CROSSED = frozenset({JointType.UNIVERSAL, JointType.REVOLUTE2})
MAX_SIZE = 1e12
"""Largest dimension of a shape [m]; its square and cube must fit into single precision."""
_PARALLEL = 1e-9
"""Sine of an angle below which two axes are parallel."""
_SKEW = 1e-9
"""Cosine of an angle above which two axes are not perpendicular."""


_DIMENSIONS: dict[type, Callable[[Any], tuple[float, ...]]] = {
    Box: attrgetter("size"),
    Heightmap: attrgetter("size"),
    Ellipsoid: attrgetter("radii"),
    Sphere: lambda sphere: (sphere.radius,),
    **dict.fromkeys((Cylinder, Capsule, Cone), attrgetter("radius", "length")),
}
"""Lengths that a shape of the file states, by its type; those of planes, which are unbounded, do
not matter."""


def check_scene(scene: Scene, diagnostics: Diagnostics) -> None:
    """Report non-physical inertias, too large and flat shapes, and pairs of joint axes that are
    parallel or skew.

    Args:
        scene: The scene to check.
        diagnostics: Record for the findings.
    """
    _check_inertias(scene, diagnostics)
    _check_sizes(scene, diagnostics)
    _check_axes(scene, diagnostics)


def _check_inertias(scene: Scene, diagnostics: Diagnostics) -> None:
    links = [(link, link.inertia) for link in scene.links if link.inertia is not None]
    physical = are_physical([inertia for _, inertia in links])
    for link, inertia in compress(links, map(not_, physical)):
        for defect in inertia.defects():
            diagnostics.add(
                loaders_codes.MODEL_IMPOSSIBLE_INERTIA, link, link=link.name, defect=defect
            )


def _check_sizes(scene: Scene, diagnostics: Diagnostics) -> None:
    measure_of = _DIMENSIONS.get
    for link in scene.links:
        shapes: tuple[Collision | Visual, ...] = (*link.collisions, *link.visuals)
        for shape in shapes:
            measure = measure_of(type(shape.geometry))
            sizes = () if measure is None else measure(shape.geometry)
            for size in sizes:  # `min` and `max` take three times as long
                if not 0.0 < size <= MAX_SIZE:
                    _check_size(link, shape, sizes, diagnostics)
                    break


def _check_size(
    link: Link, shape: Collision | Visual, sizes: tuple[float, ...], diagnostics: Diagnostics
) -> None:
    """Report the dimensions of a shape if one is too large or zero; they may be negative."""
    name, largest = f"{link.name}{SEPARATOR}{shape.name}", max(map(abs, sizes))
    if largest > MAX_SIZE:
        diagnostics.add(
            loaders_codes.MODEL_SHAPE_SIZE,
            shape.where,
            subjects=(link.name, name),
            shape=name,
            size=largest,
            limit=MAX_SIZE,
        )
    elif 0.0 in sizes and not isinstance(shape.geometry, Heightmap):  # which may be flat
        diagnostics.add(
            loaders_codes.MODEL_ZERO_SIZE,
            shape.where,
            subjects=(link.name, name),
            shape=name,
            sizes=sizes,
        )


def _check_axes(scene: Scene, diagnostics: Diagnostics) -> None:
    for joint in scene.joints:
        if joint.type not in _CROSSED or len(joint.axes) != 2:
            continue
        first, second = (axis.xyz for axis in joint.axes)
        if float(np.linalg.norm(np.cross(first, second))) < _PARALLEL:
            diagnostics.add(
                loaders_codes.MODEL_PARALLEL_AXES, joint, type=joint.type.value, joint=joint.name
            )
        elif joint.type is JointType.UNIVERSAL and abs(float(first @ second)) > _SKEW:
            diagnostics.add(loaders_codes.MODEL_SKEW_AXES, joint, joint=joint.name)
