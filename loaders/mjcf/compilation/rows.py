"""The arrays of a compiled model as lists of Python's numbers, an element of which is read in a fifth of the time."""

from __future__ import annotations

from typing import Any

import numpy as np

from loaders.spatial import IDENTITY, Array, Pose, SpatialInertia


class Rows:
    """A compiled model, each array of which becomes a list when it is first read.

    Attributes that are no arrays are those of the model. An array that the installed version of MuJoCo does not have
    is an ``AttributeError``.
    """

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._model, name)
        if isinstance(value, np.ndarray):
            value = value.tolist()
        self.__dict__[name] = value
        return value


def rotations(quaternions: Array) -> Array:
    """Return the rotation matrices, shape (n, 3, 3), of unit quaternions ``w x y z``, shape (n, 4)."""
    w, x, y, z = quaternions.T
    s = 2.0 / (w * w + x * x + y * y + z * z)
    sx, sy, sz = x * s, y * s, z * s
    wx, wy, wz, xx, xy, xz, yy, yz, zz = w * sx, w * sy, w * sz, x * sx, x * sy, x * sz, y * sy, y * sz, z * sz
    entries = (1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy))
    return np.stack(entries, axis=-1).reshape(-1, 3, 3)


def poses(positions: Array, quaternions: Array) -> list[Pose]:
    """Return the poses with the given positions and unit quaternions ``w x y z``.

    Args:
        positions: Positions [m], shape (n, 3).
        quaternions: Quaternions, shape (n, 4).
    """
    vectors = np.array(positions)
    vectors.setflags(write=False)
    turned = np.flatnonzero(quaternions[:, 1:].any(axis=1))  # the first number of a small turn rounds to 1
    matrices = rotations(quaternions[turned])
    matrices.setflags(write=False)
    R = dict(zip(turned.tolist(), matrices, strict=True))
    found = []
    for i, (p, stated) in enumerate(zip(vectors, positions.tolist(), strict=True)):
        if i in R:
            found.append(Pose(R[i], p if any(stated) else IDENTITY.p))
        else:
            found.append(Pose(IDENTITY.R, p) if any(stated) else IDENTITY)
    return found


def inertias(model: Any) -> list[SpatialInertia | None]:
    """Return the inertia of each body; None if it has neither mass nor moments.

    Args:
        model: The ``mujoco.MjModel``.
    """
    R, centers = rotations(model.body_iquat), np.array(model.body_ipos)
    moments = np.matmul(R * model.body_inertia[:, None, :], R.transpose(0, 2, 1))
    for array in (centers, moments):
        array.setflags(write=False)
    is_massive = ((model.body_mass != 0.0) | model.body_inertia.any(axis=1)).tolist()
    return [
        SpatialInertia(mass, center, moment) if massive else None
        for massive, mass, center, moment in zip(is_massive, model.body_mass.tolist(), centers, moments, strict=True)
    ]
