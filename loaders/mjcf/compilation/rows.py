"""The arrays of a compiled model as lists of Python's numbers, an element of which is read in a fifth of the time."""

from __future__ import annotations

from typing import Any

import numpy as np

from loaders.spatial import IDENTITY, Array, Pose, quaternion_to_matrix


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


def poses(positions: Array, quaternions: Array) -> list[Pose]:
    """Return the poses with the given positions and unit quaternions ``w x y z``.

    Args:
        positions: Positions [m], shape (n, 3).
        quaternions: Quaternions, shape (n, 4).
    """
    vectors = np.array(positions)
    vectors.setflags(write=False)
    found = []
    for p, stated, quaternion in zip(vectors, positions.tolist(), quaternions.tolist(), strict=True):
        if quaternion[0] != 1.0:
            R = quaternion_to_matrix(quaternion)
            R.setflags(write=False)
            found.append(Pose(R, p if any(stated) else IDENTITY.p))
        else:
            found.append(Pose(IDENTITY.R, p) if any(stated) else IDENTITY)
    return found
