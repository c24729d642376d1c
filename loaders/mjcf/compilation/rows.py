"""The arrays of a compiled model as lists of Python's numbers, an element of which is read in a fifth of the time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from loaders.spatial import IDENTITY, Array, Pose, SpatialInertia, frozen_matrix, frozen_vector

_KINDS = {
    "body": ("gravcomp", "inertia", "ipos", "iquat", "jntadr", "jntnum", "mass", "mocapid", "parentid", "pos", "quat"),
    "geom": (
        "bodyid", "conaffinity", "condim", "contype", "fluid", "friction", "gap", "group", "margin", "matid", "pos",
        "priority", "quat", "rgba", "size", "solimp", "solmix", "solref", "type",
    ),
    "jnt": ("actfrclimited", "actfrcrange", "actgravcomp", "axis", "dofadr", "limited", "margin", "pos", "qposadr",
        "range", "stiffness", "type"),
    "dof": ("armature", "damping", "frictionloss"),
    "light": ("active", "ambient", "attenuation", "bodyid", "castshadow", "cutoff", "diffuse", "dir", "exponent",
        "mode", "pos", "range", "specular", "targetbodyid", "type"),
}  # fmt: skip
"""Arrays of the kinds that most models have, each of which a scene needs."""
_GROUPS = [tuple(f"{kind}_{name}" for name in names) for kind, names in _KINDS.items()]
_TOGETHER = {name: group for group in _GROUPS for name in group}
"""The arrays that are read together, by the name of each: one call takes less time than many."""


class Rows:
    """A compiled model, each array of which becomes a list when it is first read.

    Attributes that are no arrays are those of the model. An array that the installed version of MuJoCo does not have
    is an ``AttributeError``.
    """

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        model, known = self._model, self.__dict__
        for each in _TOGETHER.get(name, (name,)):
            value = getattr(model, each)
            known[each] = value.tolist() if isinstance(value, np.ndarray) else value
        return known[name]


def rotation(w: float, x: float, y: float, z: float) -> Array:
    """Return the rotation matrix, shape (3, 3), of a unit quaternion.

    In plain numbers, since the loops of NumPy take longer to start than a few bodies take.

    Args:
        w: Real part.
        x: First imaginary part.
        y: Second imaginary part.
        z: Third imaginary part.
    """
    s = 2.0 / (w * w + x * x + y * y + z * z)
    sx, sy, sz = x * s, y * s, z * s
    wx, wy, wz, xx, xy, xz, yy, yz, zz = w * sx, w * sy, w * sz, x * sx, x * sy, x * sz, y * sy, y * sz, z * sz
    return frozen_matrix(
        1.0 - (yy + zz), xy - wz, xz + wy,
        xy + wz, 1.0 - (xx + zz), yz - wx,
        xz - wy, yz + wx, 1.0 - (xx + yy),
    )  # fmt: skip


def poses(positions: Sequence[Sequence[float]], quaternions: Sequence[Sequence[float]]) -> list[Pose]:
    """Return the poses with the given positions and unit quaternions ``w x y z``.

    Args:
        positions: Positions [m], three numbers each.
        quaternions: Quaternions, four numbers each.
    """
    return list(map(pose, positions, quaternions))


def pose(position: Sequence[float], quaternion: Sequence[float]) -> Pose:
    """Return the pose with a position [m] and a unit quaternion ``w x y z``.

    Args:
        position: The position, three numbers.
        quaternion: The quaternion, four numbers.
    """
    (px, py, pz), (w, x, y, z) = position, quaternion
    p = frozen_vector(px, py, pz) if px or py or pz else IDENTITY.p
    if x or y or z:  # the first number of a small turn rounds to 1
        return Pose(rotation(w, x, y, z), p)
    return IDENTITY if p is IDENTITY.p else Pose(IDENTITY.R, p)


def inertias(rows: Rows) -> list[SpatialInertia | None]:
    """Return the inertia of each body; None if it has neither mass nor moments.

    Args:
        rows: The compiled model.
    """
    return [
        _inertia(mass, center, axes, moments) if mass or any(moments) else None
        for mass, center, axes, moments in zip(
            rows.body_mass, rows.body_ipos, rows.body_iquat, rows.body_inertia, strict=True
        )
    ]


def _inertia(mass: float, center: list[float], axes: list[float], moments: list[float]) -> SpatialInertia:
    """Return an inertia, given the quaternion of its principal axes and its principal moments."""
    (w, x, y, z), (a, b, c) = axes, moments
    if not (x or y or z):
        return SpatialInertia(mass, frozen_vector(*center), frozen_matrix(a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c))
    (r, s, t), (u, v, m), (k, n, q) = rotation(w, x, y, z).tolist()
    xy, xz, yz = r * a * u + s * b * v + t * c * m, r * a * k + s * b * n + t * c * q, u * a * k + v * b * n + m * c * q
    xx, yy, zz = r * a * r + s * b * s + t * c * t, u * a * u + v * b * v + m * c * m, k * a * k + n * b * n + q * c * q
    return SpatialInertia(mass, frozen_vector(*center), frozen_matrix(xx, xy, xz, xy, yy, yz, xz, yz, zz))
