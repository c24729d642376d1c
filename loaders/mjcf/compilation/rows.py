"""The arrays of a compiled model as lists of Python's numbers, an element of which is read in a fifth of the time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from loaders.reading.makers import maker
from loaders.spatial import IDENTITY, Array, Pose, SpatialInertia, frozen_matrix, frozen_vector

_Pose, _SpatialInertia = maker(Pose), maker(SpatialInertia)
_KINDS = {
    "actuator": (
        "actearly", "actlimited", "actnum", "actrange", "biasprm", "biastype", "ctrladr", "ctrllimited", "ctrlnum",
        "ctrlrange", "damping", "dampingpoly", "dynprm", "dyntype", "forcelimited", "forcerange", "gainprm", "gaintype",
        "gear", "group", "history", "lengthrange", "outadr", "plugin", "trnid",
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
}  # fmt: skip
"""Arrays of the kinds that many models have, each of which a scene needs."""
_COUNTED = (
    "nbody", "ncam", "neq", "ngeom", "nhfield", "nkey", "nlight", "nmat", "nmesh", "npair", "nplugin", "nsensor",
    "ntendon", "ntex", "flg_adhesion", "flg_surfacevel", "actuator_armature", "actuator_trntype", "eq_type",
    "exclude_signature", "names", "name_actuatoradr", "name_bodyadr", "name_geomadr", "name_jntadr", "name_siteadr",
    "name_tendonadr", "qpos0", "qpos_spring", "site_bodyid",
)  # fmt: skip
"""Attributes that tell whether there is anything of a kind, and few numbers beside them."""
_GROUPS = (_COUNTED, *(tuple(f"{kind}_{name}" for name in names) for kind, names in _KINDS.items()))
_TOGETHER = {name: group for group in _GROUPS for name in group}
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
        names, values_of = ((name,), None) if group is None else _reader(group, model.__class__)
        if name not in names:
            raise AttributeError(f"this version of MuJoCo has no {name}")
        values = (getattr(model, name),) if values_of is None else values_of(model)
        known.update(zip(names, [v.tolist() if isinstance(v, np.ndarray) else v for v in values], strict=True))
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
        return poses(getattr(self._model, f"{kind}_pos").tolist(), getattr(self._model, f"{kind}_quat").tolist())


@cache
def _reader(group: tuple[str, ...], kind: type) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """Return the names of a group that a type of models has, and a function that returns their values."""
    names = tuple(name for name in group if hasattr(kind, name))
    return names, attrgetter(*names)


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
        return _Pose(rotation(w, x, y, z), p)
    return IDENTITY if p is IDENTITY.p else _Pose(IDENTITY.R, p)


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
    (r, s, t), (u, v, m), (k, n, q) = rotation(w, x, y, z).tolist()
    xy, xz, yz = r * a * u + s * b * v + t * c * m, r * a * k + s * b * n + t * c * q, u * a * k + v * b * n + m * c * q
    xx, yy, zz = r * a * r + s * b * s + t * c * t, u * a * u + v * b * v + m * c * m, k * a * k + n * b * n + q * c * q
    return _SpatialInertia(mass, frozen_vector(*center), frozen_matrix(xx, xy, xz, xy, yy, yz, xz, yz, zz))
