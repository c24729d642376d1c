"""The arrays of a compiled model as lists of Python's numbers, an element of which is read in a fifth of the time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from loaders.reading.makers import maker
from loaders.spatial import IDENTITY, Array, Pose, SpatialInertia, frozen, frozen_matrices, frozen_matrix, frozen_vector

_Pose, _SpatialInertia = maker(Pose), maker(SpatialInertia)
_list_of = np.ndarray.tolist
_KINDS = {
    "actuator": (
        "actearly", "actlimited", "actnum", "actrange", "biasprm", "biastype", "ctrladr", "ctrllimited", "ctrlnum",
        "ctrlrange", "ctrlspec", "damping", "dampingpoly", "delay", "dynprm", "dyntype", "forcelimited", "forcerange",
        "gainprm", "gaintype", "gear", "group", "history", "lengthrange", "outadr", "plugin", "trnid",
    ),
    "body": ("gravcomp", "inertia", "ipos", "iquat", "jntadr", "jntnum", "mass", "mocapid", "parentid"),
    "cam": (
        "bodyid", "fovy", "ipd", "mode", "output", "projection", "resolution", "sensorsize", "targetbodyid",
    ),
    "dof": ("armature", "damping", "dampingpoly", "frictionloss"),
    "eq": ("active0", "data", "obj1id", "obj2id", "objtype", "solimp", "solref"),
    "geom": (
        "bodyid", "conaffinity", "condim", "contype", "dataid", "friction", "gap", "group", "margin", "matid",
        "priority", "rgba", "size", "solimp", "solmix", "solref", "type",
    ),
    "jnt": (
        "actfrclimited", "actfrcrange", "actgravcomp", "axis", "dofadr", "limited", "margin", "pos", "qposadr", "range",
        "stiffness", "stiffnesspoly", "type",
    ),
    "light": (
        "active", "ambient", "attenuation", "bodyid", "bulbradius", "castshadow", "cutoff", "diffuse", "dir",
        "exponent", "intensity", "mode", "pos", "range", "softness", "specular", "targetbodyid", "type",
    ),
    "mat": ("emission", "rgba", "shininess", "specular", "texid"),
    "mesh": ("pos", "quat", "scale"),
    "tendon": (
        "actfrclimited", "actfrcrange", "adr", "armature", "damping", "dampingpoly", "frictionloss", "lengthspring",
        "limited", "margin", "num", "range", "stiffness", "stiffnesspoly",
    ),
    "wrap": ("objid", "prm", "type"),
}  # fmt: skip
"""Arrays of the kinds that many models have, each of which a scene needs."""
_COUNTS = (
    "nbody", "ncam", "neq", "ngeom", "nhfield", "nkey", "nlight", "nmat", "nmesh", "npair", "nplugin", "nsensor",
    "nskin", "ntendon", "ntex", "flg_adhesion", "flg_surfacevel", "names", "opt",
)  # fmt: skip
"""Attributes that are no arrays, most of which tell whether there is anything of a kind."""
_FEW = (
    "actuator_armature", "actuator_trntype", "eq_type", "exclude_signature", "name_actuatoradr", "name_bodyadr",
    "name_geomadr", "name_jntadr", "name_siteadr", "name_tendonadr", "qpos0", "qpos_spring", "site_bodyid",
)  # fmt: skip
"""Arrays that every model is asked for."""
_GROUPS = (_FEW, *(tuple(f"{kind}_{name}" for name in names) for kind, names in _KINDS.items()))
_TOGETHER = {name: group for group in (_COUNTS, *_GROUPS) for name in group}
"""The attributes that are read together, by the name of each: one call takes less time than many."""


class Rows:
    """A compiled model, each array of which becomes a list when it is first read.

    Attributes that are no arrays are those of the model. An array that the installed version of MuJoCo does not have
    is an ``AttributeError``.
    """

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        model, known = self._model, self.__dict__
        group = _TOGETHER.get(name)
        if group is None:
            value = getattr(model, name)
            known[name] = value.tolist() if isinstance(value, np.ndarray) else value
            return known[name]
        names, values_of = _reader(group, model.__class__)
        values = values_of(model)
        known.update(zip(names, values if group is _COUNTS else map(_list_of, values), strict=True))
        if name not in names:
            raise AttributeError(f"this version of MuJoCo has no {name}")
        return known[name]

    def has(self, name: str) -> bool:
        """Return whether an array has a number other than zero, which takes less time than to make a list of it.

        Args:
            name: Name of the array.
        """
        return bool(np.count_nonzero(getattr(self._model, name)))

    def poses(self, kind: str) -> list[Pose]:
        """Return the pose that each element of a kind has in its body; the lists of its numbers are not kept.

        Args:
            kind: The kind as in the names of the arrays.
        """
        return poses(getattr(self._model, f"{kind}_pos"), getattr(self._model, f"{kind}_quat"))


@cache
def _reader(group: tuple[str, ...], kind: type) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """Return the names of a group that a type of models has, and a function that returns their values."""
    names = tuple(name for name in group if hasattr(kind, name))
    return names, attrgetter(*names)


def rotation(w: float, x: float, y: float, z: float) -> tuple[float, ...]:
    """Return the rotation matrix of a unit quaternion as nine numbers, row by row.

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
    return (
        1.0 - (yy + zz), xy - wz, xz + wy,
        xy + wz, 1.0 - (xx + zz), yz - wx,
        xz - wy, yz + wx, 1.0 - (xx + yy),
    )  # fmt: skip


def poses(positions: Array, quaternions: Array) -> list[Pose]:
    """Return the poses with the given positions and unit quaternions ``w x y z``.

    All positions are rows of one array, and all rotations are parts of another one: to make one takes a third of the
    time that an array of its own takes.

    Args:
        positions: Positions [m], shape (n, 3).
        quaternions: Quaternions, shape (n, 4).
    """
    turns: list[list[float]] = quaternions.tolist()
    entries: list[float] = []
    for w, x, y, z in turns:
        if x or y or z:  # the first number of a small turn rounds to 1
            entries += rotation(w, x, y, z)
    matrices, origins, found = iter(frozen_matrices(entries)), frozen(positions), []
    for i, ((px, py, pz), (_, x, y, z)) in enumerate(zip(positions.tolist(), turns, strict=True)):
        p = origins[i] if px or py or pz else IDENTITY.p
        if x or y or z:
            found.append(_Pose(next(matrices), p))
        else:
            found.append(IDENTITY if p is IDENTITY.p else _Pose(IDENTITY.R, p))
    return found


def inverse_pose(position: Sequence[float], quaternion: Sequence[float]) -> Pose:
    """Return the inverse of the pose with a position [m] and a unit quaternion ``w x y z``.

    Args:
        position: The position, three numbers.
        quaternion: The quaternion, four numbers.
    """
    (x, y, z), turn = position, quaternion
    if not any(turn[1:]):
        return _Pose(IDENTITY.R, frozen_vector(-x, -y, -z)) if x or y or z else IDENTITY
    a, b, c, d, e, f, g, h, i = rotation(*turn)
    p = frozen_vector(-(a * x + d * y + g * z), -(b * x + e * y + h * z), -(c * x + f * y + i * z))
    return _Pose(frozen_matrix(a, d, g, b, e, h, c, f, i), p)


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
        return _SpatialInertia(mass, frozen_vector(*center), frozen_matrix(a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c))
    r, s, t, u, v, m, k, n, q = rotation(w, x, y, z)
    xy, xz, yz = r * a * u + s * b * v + t * c * m, r * a * k + s * b * n + t * c * q, u * a * k + v * b * n + m * c * q
    xx, yy, zz = r * a * r + s * b * s + t * c * t, u * a * u + v * b * v + m * c * m, k * a * k + n * b * n + q * c * q
    return _SpatialInertia(mass, frozen_vector(*center), frozen_matrix(xx, xy, xz, xy, yy, yz, xz, yz, zz))
