"""Links whose frame differs between two scenes, while what is on them is in the same place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loaders.model import JointType, Link
from loaders.scene import Scene
from loaders.spatial import Array, Pose


def other_frames(a: Scene, b: Scene, tolerance: float) -> dict[str, Pose]:
    """Return the pose of the frame that B gives a link, in its frame in A, for each link whose frame alone differs.

    Such a link has an inertia or shapes, and their places in the world are those of B. The children of floating joints
    are left out, because their positions are those of their frames.

    Args:
        a: Scene A.
        b: Scene B, with the names of A.
        tolerance: Largest difference of equal lengths [m] and entries of rotation matrices, absolute below 1 and
            relative above.
    """
    others = {link.name: link for link in b.links}
    floating = {joint.child for joint in (*a.joints, *b.joints) if joint.type is JointType.FLOATING}
    return {
        link.name: link.X_WL.inverse() @ other.X_WL
        for link in a.links
        if (other := others.get(link.name)) is not None
        and link.name not in floating
        and not _equal(link.X_WL, other.X_WL, tolerance)
        and _same_places(link, other, tolerance)
    }


def _same_places(a: Link, b: Link, tolerance: float) -> bool:
    """Return whether the centers of mass and the shapes of a link are where they are in the other scene."""
    if a.inertia is not None and b.inertia is not None:
        p_a, p_b = _center_of_mass(a), _center_of_mass(b)
        if np.abs(p_a - p_b).max() > _scaled(tolerance, p_a):
            return False
    elif a.inertia is not None or b.inertia is not None:
        return False
    in_b = dict(_shapes(b))
    both = [(X_WG, in_b[key]) for key, X_WG in _shapes(a) if key in in_b]
    return (a.inertia is not None or bool(both)) and all(_equal(X, Y, tolerance) for X, Y in both)


def _center_of_mass(link: Link) -> Array:
    """Return the center of mass in the world [m], shape (3,), of a link with an inertia."""
    assert link.inertia is not None  # noqa: S101
    p_W: Array = link.X_WL.p + link.X_WL.R @ link.inertia.p_LLcm
    return p_W


def _shapes(link: Link) -> Iterator[tuple[tuple[str, str], Pose]]:
    """Yield kind and name of each shape, and its pose in the world."""
    for kind, shapes in (("collision", link.collisions), ("visual", link.visuals)):
        for shape in shapes:
            yield (kind, shape.name), link.X_WL @ shape.X_LG


def _equal(a: Pose, b: Pose, tolerance: float) -> bool:
    return a.is_close(b, _scaled(tolerance, a.p))


def _scaled(tolerance: float, p: Array) -> float:
    return tolerance * max(1.0, float(np.abs(p).max()))
