"""Overlaps of collision shapes: which links lie in each other at a position, and how deep.

A mesh counts as its convex hull, or as the convex parts that collide for it, as in MuJoCo and for
moving meshes in PyBullet. Height maps are left out. MuJoCo computes the depths: the length of the
shortest translation that separates two convex shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loaders.diagnostics import Diagnostics
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Link,
    Mesh,
    Plane,
    Polyline,
    Sphere,
)
from loaders.pose import Array, Pose, matrix_to_quaternion, rotation_to

from .mesh import mesh_files
from .shapes import cone, prisms

MIN_OVERLAP = 1e-3
"""Smallest overlap that counts [m]; smaller ones result from the tessellation of meshes."""
_SHIFT = 1e-5
"""Displacement of a shape whose center is that of another one, relative to its size.

MuJoCo finds no direction of penetration there.
"""
_FLAT = 1e-9
"""Relative thickness below which points have no hull."""
_BOX = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Two links whose collision shapes lie in each other.

    Attributes:
        link_A: Name of the first link, in the order of the scene.
        link_B: Name of the second link.
        collision_A: Name of the collision of the first link that lies deepest in the second.
        collision_B: Name of the collision of the second link.
        depth: Length of the shortest translation that separates the two collisions [m].
    """

    link_A: str
    link_B: str
    collision_A: str
    collision_B: str
    depth: float


def deepest_of(overlaps: Iterable[Overlap]) -> tuple[Overlap, ...]:
    """Return the deepest overlap of each pair of links, the deepest first."""
    found: dict[tuple[str, str], Overlap] = {}
    for entry in sorted(overlaps, key=lambda entry: (-entry.depth, entry.link_A, entry.link_B)):
        found.setdefault((entry.link_A, entry.link_B), entry)
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class _Solid:
    """A convex shape for MuJoCo: the type and size of its geom, or the points of its hull [m]."""

    X_LS: Pose
    geom: tuple[str, tuple[float, float, float]] | None = None
    points: Array | None = None


def _solids(collision: Collision) -> Iterator[_Solid]:
    """Yield the convex solids of a collision; none for a shape without volume."""
    shape, X_LS = collision.geometry, collision.X_LG
    if isinstance(shape, Plane):
        X_GS = Pose(rotation_to(np.array(shape.normal)), np.zeros(3))
        yield _Solid(X_LS @ X_GS, ("PLANE", (0.0, 0.0, 1.0)))
    elif type(shape) in _ROUND:
        yield _Solid(X_LS, _ROUND[type(shape)](shape))
    elif type(shape) in _POINTS:
        for points in _POINTS[type(shape)](shape):
            yield _Solid(X_LS, points=points)


_ROUND: dict[type, Callable[[Any], tuple[str, tuple[float, float, float]]]] = {
    Sphere: lambda shape: ("SPHERE", (shape.radius, 0.0, 0.0)),
    Cylinder: lambda shape: ("CYLINDER", (shape.radius, shape.length / 2.0, 0.0)),
    Capsule: lambda shape: ("CAPSULE", (shape.radius, shape.length / 2.0, 0.0)),
    Ellipsoid: lambda shape: ("ELLIPSOID", shape.radii),
}
"""Type and size of MuJoCo's geom for each round shape."""
_POINTS: dict[type, Callable[[Any], list[Array]]] = {
    # MuJoCo's collider of a box and a capsule is not exact, that of two hulls is
    Box: lambda shape: [_BOX * shape.size],
    Cone: lambda shape: [cone(shape)[0]],
    Polyline: lambda shape: [prism.vertices for prism in prisms(shape)],
    Mesh: lambda mesh: [
        file.vertices for file in mesh_files(mesh, "", Diagnostics(), collides=True)
    ],
}
"""Points of each convex solid of the other shapes [m]."""


def _has_volume(points: Array) -> bool:
    """Return whether points have a convex hull with a volume."""
    if len(points) < 4 or not np.isfinite(points).all():
        return False
    extents = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(extents[2] > _FLAT * extents[0])


class ShapeModel:
    """The collision shapes of links, at any poses of the links."""

    def __init__(self, links: Iterable[Link]) -> None:
        """Compile the shapes.

        Args:
            links: The links; those without shapes with a volume are left out.

        Raises:
            LimitError: if a mesh exceeds a limit of the call that is running.
        """
        import mujoco

        spec = mujoco.MjSpec()
        spec.option.ccd_tolerance, spec.option.ccd_iterations = 1e-9, 1000
        self.links: list[str] = []
        """Names of the links with shapes."""
        self._names: list[str] = []
        link_of_geom: list[int] = []
        for link in links:
            solids = [
                (collision.name, solid)
                for collision in link.collisions
                for solid in _solids(collision)
                if solid.points is None or _has_volume(solid.points)
            ]
            if solids:
                self.links.append(link.name)
            for name, solid in solids:
                _add(spec, solid, f"{len(self._names)}")
                self._names.append(name)
                link_of_geom.append(len(self.links) - 1)
        self._link = np.array(link_of_geom, dtype=np.int64)
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        mujoco.mj_kinematics(self._model, self._data)
        self._p_LG = self._data.geom_xpos.copy()
        self._R_LG = self._data.geom_xmat.reshape(-1, 3, 3).copy()

    def overlaps(
        self,
        X_WL: Mapping[str, Pose],
        groups: Mapping[str, object],
        min_depth: float = MIN_OVERLAP,
    ) -> tuple[Overlap, ...]:
        """Return the pairs of links that overlap, the deepest first.

        Args:
            X_WL: Pose of each link in the world.
            groups: Group of each link; links of one group are not looked at.
            min_depth: Smallest depth that counts [m].

        Returns:
            The deepest overlap of each pair of links.
        """
        deepest: dict[tuple[int, int], tuple[float, int, int]] = {}
        group = [groups[name] for name in self.links]
        self._place([X_WL[name] for name in self.links])
        for i, j in self._candidates():
            pair = (int(self._link[i]), int(self._link[j]))
            if group[pair[0]] != group[pair[1]]:
                depth = self._depth(i, j)
                if depth > max(min_depth, deepest.get(pair, (0.0, 0, 0))[0]):
                    deepest[pair] = (depth, i, j)
        found = [
            Overlap(
                link_A=self.links[a],
                link_B=self.links[b],
                collision_A=self._names[i],
                collision_B=self._names[j],
                depth=depth,
            )
            for (a, b), (depth, i, j) in deepest.items()
        ]
        return deepest_of(found)

    def _place(self, X_WL: Sequence[Pose]) -> None:
        """Move the shapes of each link to its pose."""
        if not X_WL:
            return
        R_WL = np.array([pose.R for pose in X_WL])[self._link]
        p_WL = np.array([pose.p for pose in X_WL])[self._link]
        self._data.geom_xpos[:] = p_WL + np.einsum("nij,nj->ni", R_WL, self._p_LG)
        self._data.geom_xmat[:] = (R_WL @ self._R_LG).reshape(-1, 9)

    def _candidates(self) -> Iterator[tuple[int, int]]:
        """Yield the geoms (i < j) of different links whose bounding boxes overlap."""
        low, high = self._bounds()
        order = np.argsort(low[:, 0], kind="stable")
        sorted_low = low[order, 0]
        ends = np.searchsorted(sorted_low, high[order, 0], side="right")
        for place, i in enumerate(order):
            others = order[place + 1 : ends[place]]
            apart = (low[others, 1:] > high[i, 1:]) | (high[others, 1:] < low[i, 1:])
            touching = others[~apart.any(axis=1) & (self._link[others] != self._link[i])]
            for j in touching.tolist():
                yield (int(i), j) if i < j else (j, int(i))

    def _bounds(self) -> tuple[Array, Array]:
        """Return the corners of the bounding boxes in the world [m], each of shape (n, 3)."""
        R = self._data.geom_xmat.reshape(-1, 3, 3)
        center, half = self._model.geom_aabb[:, :3], self._model.geom_aabb[:, 3:]
        middle = self._data.geom_xpos + np.einsum("nij,nj->ni", R, center)
        reach = np.einsum("nij,nj->ni", np.abs(R), half)
        planes = self._model.geom_rbound == 0.0
        reach[planes] = np.inf
        return middle - reach, middle + reach

    def _depth(self, i: int, j: int) -> float:
        """Return how deep two geoms lie in each other [m]; negative for a gap, at most 1e-9."""
        import mujoco

        points: NDArray[np.float64] = np.zeros(6)
        distance = mujoco.mj_geomDistance(self._model, self._data, i, j, 1e-9, points)
        if distance == 0.0:
            before = self._data.geom_xpos[j].copy()
            size = _SHIFT * float(self._model.geom_rbound[j])
            self._data.geom_xpos[j] += size * np.array((0.9, 0.5, 0.3))
            distance = mujoco.mj_geomDistance(self._model, self._data, i, j, 1e-9, points)
            self._data.geom_xpos[j] = before
        return -float(distance)


def _add(spec: Any, solid: _Solid, name: str) -> None:
    """Add a solid to the world of a ``mujoco.MjSpec``."""
    import mujoco

    pose = {"pos": solid.X_LS.p, "quat": matrix_to_quaternion(solid.X_LS.R)}
    if solid.points is None:
        kind, size = solid.geom or ("SPHERE", (0.0, 0.0, 0.0))
        shape = getattr(mujoco.mjtGeom, f"mjGEOM_{kind}")
        spec.worldbody.add_geom(name=name, type=shape, size=size, **pose)
        return
    mesh = spec.add_mesh(name=name, uservert=solid.points.ravel())
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, **pose)
