"""Overlaps of collision shapes: which links lie in each other at a position, and how deep.

A mesh counts as its convex hull, or as the convex parts that collide for it, as in MuJoCo and for
moving meshes in PyBullet. Height maps are left out. MuJoCo computes the depths: the length of the
shortest translation that separates two convex shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from loaders.collision_pairs import PairSet
from loaders.diagnostics import Diagnostics
from loaders.model import (
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Geometry,
    Link,
    Mesh,
    Plane,
    Sphere,
)
from loaders.pose import IDENTITY, Array, Pose, matrix_to_quaternion, rotation_to

from .cache import remembered
from .mesh import mesh_files, mesh_record, pose_key, source_files
from .shapes import FLAT_SOLIDS

HULL_MARGIN = 1e-3
"""Margin by which PyBullet enlarges the convex hull of a mesh [m]."""
TOUCH = 1e-6
"""Smallest overlap of links that push each other apart [m]."""
MAX_PAIRS = 500
"""Number of overlapping pairs after which no further ones are sought: links in one place by the
hundred are no robot."""
MAX_BOXES, MAX_DEPTHS = 20_000_000, 200_000
"""Numbers of pairs of boxes that are compared, and of depths that are computed, after which no
further overlaps are sought: half a second and two."""
MIN_OVERLAP = 1e-3
"""Smallest overlap that counts [m]; smaller ones result from the tessellation of meshes."""
_SHIFT = 1e-5
"""Displacement of a shape whose center is that of another one, relative to its size.

MuJoCo finds no direction of penetration there."""
_FLAT = 1e-9
"""Relative thickness below which points have no hull."""
_FAR = 1e3
"""Widest gap that is measured where distances are compared [m]."""
_BOX_MARGIN = 1e-9
"""Added to each side of the box around a link, for the rounding of numbers [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Two links whose collision shapes lie in each other.

    Attributes:
        link_A: Name of the first link, in the order of the scene.
        link_B: Name of the second link.
        collision_A: Name of the collision of the first link that lies deepest in the second.
        collision_B: Name of the collision of the second link.
        depth: Length of the shortest translation that separates the two collisions [m].
        p_WO: The middle between the points that lie deepest in the other collision [m], shape (3,),
            in the world.
    """

    link_A: str
    link_B: str
    collision_A: str
    collision_B: str
    depth: float
    p_WO: tuple[float, float, float]


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
    **FLAT_SOLIDS,  # MuJoCo's collider of a box and a capsule is not exact, that of two hulls is
    Mesh: lambda mesh: [
        file.vertices for file in mesh_files(mesh, "", Diagnostics(), collides=True)
    ],
}
"""Points of each convex solid of the other shapes [m]."""


def has_volume(points: Array) -> bool:
    """Return whether points have a convex hull with a volume, in the single precision of MuJoCo
    too.
    """
    with np.errstate(over="ignore"):
        single = points.astype(np.float32).astype(np.float64)
    if len(points) < 4 or not np.isfinite(single).all():
        return False
    for kept in (points, single):
        extents = np.linalg.svd(kept - kept.mean(axis=0), compute_uv=False)
        if not extents[2] > _FLAT * extents[0]:
            return False
    return True


class Poses(Protocol):
    """Poses ``X_WL`` of a link at n positions."""

    @property
    def R(self) -> Array:
        """Rotation matrices, shape (n, 3, 3)."""

    @property
    def p(self) -> Array:
        """Positions of the origin [m], shape (n, 3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contacts:
    """The knowledge of pairs of links of a `ShapeModel`.

    Attributes:
        pairs: Indices of the links of each pair, shape (m, 2).
        touched: Whether the pair has touched at any position, shape (m,).
        apart: Whether it has been apart at any position, shape (m,).
        gap: Least gap between the boxes around both links at the last positions [m], shape (m,);
            negative for an overlap; infinite for a pair that was left out.
        nearest: Number of the position with this gap, shape (m,).
    """

    pairs: NDArray[np.int64]
    touched: NDArray[np.bool_]
    apart: NDArray[np.bool_]
    gap: Array
    nearest: NDArray[np.int64]

    @staticmethod
    def of(pairs: Sequence[tuple[int, int]]) -> Contacts:
        """Return pairs of which nothing is known yet."""
        unknown = np.zeros(len(pairs), dtype=np.bool_)
        return Contacts(
            pairs=np.array(pairs, dtype=np.int64).reshape(-1, 2),
            touched=unknown,
            apart=unknown.copy(),
            gap=np.full(len(pairs), np.inf),
            nearest=np.zeros(len(pairs), dtype=np.int64),
        )


def _meeting(
    boxes: tuple[Array, Array],
    links: Sequence[str],
    groups: Mapping[str, object],
    excluded: PairSet[str],
) -> Iterator[tuple[int, int]]:
    """Yield the shapes (i < j) of links of different groups whose bounding boxes overlap.

    Args:
        boxes: The lower and upper corners of the boxes [m], each of shape (n, 3).
        links: The link of each shape.
        groups: Group of each link.
        excluded: Pairs of links that are left out.
    """
    number: dict[object, int] = {}
    group = np.array([number.setdefault(groups[link], len(number)) for link in links])
    if len(number) < 2:
        return
    low, high = boxes
    order = np.argsort(low[:, 0], kind="stable")
    ends = np.searchsorted(low[order, 0], high[order, 0], side="right")
    compared = np.cumsum(ends - np.arange(len(order)))
    for place, i in enumerate(order[: np.searchsorted(compared, MAX_BOXES)].tolist()):
        others = order[place + 1 : ends[place]]
        others = others[group[others] != group[i]]
        apart = (low[others, 1:] > high[i, 1:]) | (high[others, 1:] < low[i, 1:])
        for j in others[~apart.any(axis=1)].tolist():
            if frozenset((links[i], links[j])) not in excluded:
                yield (i, j) if i < j else (j, i)


_NO_PAIRS: PairSet[str] = PairSet()


class ShapeModel:
    """The collision shapes of links, at any poses of the links."""

    def __init__(
        self, links: Iterable[Link], solids_of: Callable[[Collision], Iterable[_Solid]] = _solids
    ) -> None:
        """Compile the shapes.

        Args:
            links: The links; those without shapes with a volume are left out.
            solids_of: Returns the convex solids of a collision.

        Raises:
            LimitError: if a mesh exceeds a limit of the call that is running.
        """
        import mujoco

        spec = mujoco.MjSpec()
        spec.option.ccd_tolerance, spec.option.ccd_iterations = 1e-9, 1000
        self.links: list[str] = []
        """Names of the links with shapes."""
        self.partial: set[str] = set()
        """Those of them of which a collision is left out, because it has no volume."""
        self._names: list[str] = []
        link_of_geom: list[int] = []
        margins: list[float] = []
        for link in links:
            solids = [(shape, solid) for shape in link.collisions for solid in solids_of(shape)]
            solids = [
                (shape, solid)
                for shape, solid in solids
                if solid.points is None or has_volume(solid.points)
            ]
            if solids:
                self.links.append(link.name)
                shown = {collision.name for collision, _ in solids}
                if any(collision.name not in shown for collision in link.collisions):
                    self.partial.add(link.name)
            for collision, solid in solids:
                _add(spec, solid, f"{len(self._names)}")
                self._names.append(collision.name)
                margins.append(HULL_MARGIN if isinstance(collision.geometry, Mesh) else 0.0)
                link_of_geom.append(len(self.links) - 1)
        self._link = np.array(link_of_geom, dtype=np.int64)
        self._margin = np.array(margins, dtype=np.float64)
        self._geoms: list[list[int]] = [
            np.flatnonzero(self._link == i).tolist() for i in range(len(self.links))
        ]
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        self._points = np.zeros(6)
        mujoco.mj_kinematics(self._model, self._data)
        self._p_LG = self._data.geom_xpos.copy()
        self._R_LG = self._data.geom_xmat.reshape(-1, 3, 3).copy()
        self._boxes = self._link_boxes()

    def overlaps(
        self,
        X_WL: Mapping[str, Pose],
        groups: Mapping[str, object],
        min_depth: float = MIN_OVERLAP,
        *,
        with_margins: bool = False,
        excluded: PairSet[str] = _NO_PAIRS,
    ) -> tuple[Overlap, ...]:
        """Return the pairs of links that overlap, the deepest first.

        Args:
            X_WL: Pose of each link in the world.
            groups: Group of each link; links of one group are not looked at.
            min_depth: Smallest depth that counts [m].
            with_margins: Whether the depth that counts is that in PyBullet, which enlarges the hull
                of a mesh by `HULL_MARGIN`; the depth of the result may be negative then, a gap.
            excluded: Pairs of links that are not looked at.

        Returns:
            The deepest overlap of each pair of links; of the first `MAX_PAIRS` pairs found, within
            `MAX_BOXES` and `MAX_DEPTHS`.
        """
        margin = self._margin if with_margins else np.zeros_like(self._margin)
        deepest: dict[tuple[int, int], tuple[float, int, int, tuple[float, float, float]]] = {}
        self._place([X_WL[name] for name in self.links])
        low, high = self._bounds()
        boxes = low - margin[:, np.newaxis], high + margin[:, np.newaxis]
        candidates = _meeting(boxes, [self.links[k] for k in self._link], groups, excluded)
        for i, j in islice(candidates, MAX_DEPTHS):
            pair = (int(self._link[i]), int(self._link[j]))
            if len(deepest) == MAX_PAIRS:
                break
            margins = float(margin[i] + margin[j])
            depth = self._depth(i, j, margins + 1e-9)
            is_deepest = pair not in deepest or depth > deepest[pair][0]
            if depth + margins > min_depth and is_deepest:
                x, y, z = (0.5 * (self._points[:3] + self._points[3:])).tolist()
                deepest[pair] = (depth, i, j, (x, y, z))
        found = [
            Overlap(
                link_A=self.links[a],
                link_B=self.links[b],
                collision_A=self._names[i],
                collision_B=self._names[j],
                depth=depth,
                p_WO=p_WO,
            )
            for (a, b), (depth, i, j, p_WO) in deepest.items()
        ]
        return deepest_of(found)

    def observe(self, contacts: Contacts, X_WL: Mapping[str, Poses]) -> None:
        """Add what pairs of links do at n positions: touch, or stay apart.

        A pair of which both are known is left out. Shapes touch if no gap is between them.

        Args:
            contacts: The pairs, and what is known of them; it is changed.
            X_WL: Poses of each link in the world, at the same number of positions.
        """
        contacts.gap[:] = np.inf
        for k in np.flatnonzero(~(contacts.touched & contacts.apart)):
            a, b = contacts.pairs[k]
            X_WA, X_WB = X_WL[self.links[a]], X_WL[self.links[b]]
            gap = self._gap(a, b, X_WA, X_WB)
            contacts.gap[k], contacts.nearest[k] = gap.min(), gap.argmin()
            contacts.apart[k] |= gap.max() > 0.0
            near = np.argsort(gap, kind="stable")[: np.count_nonzero(gap <= 0.0)]
            for _ in self._placed(a, b, X_WA, X_WB, near):
                if self._touch(a, b):
                    contacts.touched[k] = True
                else:
                    contacts.apart[k] = True
                if contacts.touched[k] and contacts.apart[k]:
                    break

    def depths(self, pairs: Sequence[tuple[int, int]], X_WL: Mapping[str, Poses]) -> Array:
        """Return how deep pairs of links lie in each other at n positions [m], shape (m, n); zero
        where they do not.

        Args:
            pairs: Indices of the links of each pair in `links`.
            X_WL: Poses of each link in the world, at the same number of positions.
        """
        count = max((len(X_WL[name].p) for name in self.links), default=0)
        depth = np.zeros((len(pairs), count))
        for k, (a, b) in enumerate(pairs):
            X_WA, X_WB = X_WL[self.links[a]], X_WL[self.links[b]]
            near = np.flatnonzero(self._gap(a, b, X_WA, X_WB) <= 0.0)
            depth[k, near] = [-self._distance(a, b) for _ in self._placed(a, b, X_WA, X_WB, near)]
        return np.maximum(depth, 0.0)

    def distances(self, a: int, b: int, X_WA: Poses, X_WB: Poses) -> Array:
        """Return the distance of two links at n positions [m], shape (n,): zero or less if they
        touch.

        Args:
            a: Index of the first link in `links`.
            b: Index of the second link.
            X_WA: Poses of the first link in the world.
            X_WB: Poses of the second link in the world.
        """
        rows = np.arange(len(X_WA.p))
        return np.array([self._distance(a, b) for _ in self._placed(a, b, X_WA, X_WB, rows)])

    def _distance(self, a: int, b: int) -> float:
        """Return the distance of two links where they have been placed [m]."""
        centers, radius = self._data.geom_xpos, self._model.geom_rbound
        pairs = [(i, j) for i in self._geoms[a] for j in self._geoms[b]]
        if len(pairs) == 1:
            return -self._depth(pairs[0][0], pairs[0][1], _FAR)
        first, second = (list(geoms) for geoms in zip(*pairs, strict=True))
        least = np.linalg.norm(centers[first] - centers[second], axis=1)
        least -= radius[first] + radius[second]
        least[(radius[first] == 0.0) | (radius[second] == 0.0)] = -np.inf
        distance = np.inf
        for k in np.argsort(least, kind="stable"):
            if least[k] >= distance:
                break
            i, j = pairs[k]
            distance = min(distance, -self._depth(i, j, _FAR))
        return float(distance)

    def _gap(self, a: int, b: int, X_WA: Poses, X_WB: Poses) -> Array:
        """Return the widest gap between the boxes around two links along a side of one, at each
        position [m]; negative for an overlap along all of them.
        """
        (center_a, half_a), (center_b, half_b) = self._boxes[a], self._boxes[b]
        R_AW = X_WA.R.transpose(0, 2, 1)
        R_AB = R_AW @ X_WB.R
        p_AB = np.einsum("nij,nj->ni", R_AW, X_WB.p - X_WA.p)
        offset_A = p_AB + R_AB @ center_b - center_a
        if not (np.isfinite(half_a).all() and np.isfinite(half_b).all()):
            return np.full(len(offset_A), -np.inf)
        size = np.abs(R_AB)
        offset_B = np.einsum("nji,nj->ni", R_AB, offset_A)
        gap_A = np.abs(offset_A) - half_a - size @ half_b
        gap_B = np.abs(offset_B) - half_b - np.einsum("nji,j->ni", size, half_a)
        return np.asarray(np.maximum(gap_A.max(axis=1), gap_B.max(axis=1)), dtype=np.float64)

    def _touch(self, a: int, b: int) -> bool:
        """Return whether any shapes of two links touch, where they have been placed."""
        geoms_a, geoms_b = self._geoms[a], self._geoms[b]
        radius = self._model.geom_rbound
        if len(geoms_a) * len(geoms_b) == 1 or not (
            radius[geoms_a].all() and radius[geoms_b].all()
        ):
            return any(self._depth(i, j) >= 0.0 for i in geoms_a for j in geoms_b)
        centers = self._data.geom_xpos
        gap = np.linalg.norm(centers[geoms_a, None] - centers[None, geoms_b], axis=2)
        close = np.argwhere(gap <= radius[geoms_a, None] + radius[None, geoms_b]).tolist()
        return any(self._depth(geoms_a[i], geoms_b[j]) >= 0.0 for i, j in close)

    def _placed(
        self, a: int, b: int, X_WA: Poses, X_WB: Poses, rows: NDArray[np.int64]
    ) -> Iterator[None]:
        """Move the shapes of two links to their poses at each of some positions, in order."""
        moved = []
        for link, X_WL in ((a, X_WA), (b, X_WB)):
            geoms = slice(self._geoms[link][0], self._geoms[link][-1] + 1)
            R_WL, p_WL = X_WL.R[rows], X_WL.p[rows]
            p_WG = p_WL[:, None] + np.einsum("nij,gj->ngi", R_WL, self._p_LG[geoms])
            R_WG = R_WL[:, None] @ self._R_LG[geoms]
            moved.append((geoms, p_WG, R_WG.reshape(*p_WG.shape[:2], 9)))
        for n in range(len(rows)):
            for geoms, p_WG, R_WG in moved:
                self._data.geom_xpos[geoms] = p_WG[n]
                self._data.geom_xmat[geoms] = R_WG[n]
            yield

    def _link_boxes(self) -> list[tuple[Array, Array]]:
        """Return the center and the half sizes of a box around the shapes of each link, in the
        frame of the link [m]; infinite half sizes for a plane.
        """
        self._place([IDENTITY] * len(self.links))
        low, high = self._bounds()
        boxes = []
        for geoms in self._geoms:
            lowest, highest = low[geoms].min(axis=0), high[geoms].max(axis=0)
            is_finite = bool(np.isfinite(highest).all())
            center = 0.5 * (lowest + highest) if is_finite else np.zeros(3)
            boxes.append((center, 0.5 * (highest - lowest) + _BOX_MARGIN))
        return boxes

    def _place(self, X_WL: Sequence[Pose]) -> None:
        """Move the shapes of each link to its pose."""
        if not X_WL:
            return
        R_WL = np.array([pose.R for pose in X_WL])[self._link]
        p_WL = np.array([pose.p for pose in X_WL])[self._link]
        self._data.geom_xpos[:] = p_WL + np.einsum("nij,nj->ni", R_WL, self._p_LG)
        self._data.geom_xmat[:] = (R_WL @ self._R_LG).reshape(-1, 9)

    def _bounds(self) -> tuple[Array, Array]:
        """Return the corners of the bounding boxes in the world [m], each of shape (n, 3)."""
        R = self._data.geom_xmat.reshape(-1, 3, 3)
        center, half = self._model.geom_aabb[:, :3], self._model.geom_aabb[:, 3:]
        middle = self._data.geom_xpos + np.einsum("nij,nj->ni", R, center)
        reach = np.einsum("nij,nj->ni", np.abs(R), half)
        planes = self._model.geom_rbound == 0.0
        reach[planes] = np.inf
        return middle - reach, middle + reach

    def _depth(self, i: int, j: int, widest: float = 1e-9) -> float:
        """Return how deep two geoms lie in each other [m]; negative for a gap, up to the widest one
        that is of interest. The points that show it are in `_points` then.
        """
        import mujoco

        points = self._points
        distance = mujoco.mj_geomDistance(self._model, self._data, i, j, widest, points)
        if distance == 0.0:
            before = self._data.geom_xpos[j].copy()
            size = _SHIFT * float(self._model.geom_rbound[j])
            self._data.geom_xpos[j] += size * np.array((0.9, 0.5, 0.3))
            distance = mujoco.mj_geomDistance(self._model, self._data, i, j, widest, points)
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


# --- what touches at the start --------------------------------------------------------------------

_VERSION = "1"
"""Version of the records of what touches."""
_FIELDS = frozenset(field.name for field in fields(Overlap))
_STEPS = 40
"""Number of steps after which it is left to MuJoCo whether two solids touch."""
_ROUNDING = 1e-6
"""Bound of the rounding of positions by MuJoCo, which keeps single precision, over their size."""


def touching(
    links: Sequence[Link],
    positions: Sequence[Mapping[str, Pose]],
    groups: Mapping[str, int],
    excluded: PairSet[str] = _NO_PAIRS,
) -> tuple[Overlap, ...]:
    """Return the links that overlap, or touch within PyBullet's margins, at any of some positions.

    The answer is in the cache if there are meshes, or if shapes touch: it takes neither the
    positions of the meshes then nor MuJoCo, whose import takes 0.2 s.

    Args:
        links: The links.
        positions: Pose of each link in the world, for each position.
        groups: Group of each link; links of one group are not looked at.
        excluded: Pairs of links that are not looked at.

    Returns:
        The deepest overlap of each pair of links, the deepest first.
    """
    shapes = [collision.geometry for link in links for collision in link.collisions]
    meshes = dict.fromkeys(shape for shape in shapes if isinstance(shape, Mesh))

    def found(_: Diagnostics) -> list[dict[str, Any]]:
        solids = {id(shape): list(_solids(shape)) for link in links for shape in link.collisions}
        near = _near(links, solids, positions, groups, excluded)
        if not near:
            return [{"overlaps": []}] if meshes else []
        model = ShapeModel(near, lambda shape: solids[id(shape)])
        overlaps = deepest_of(
            entry
            for X_WL in positions
            for entry in model.overlaps(X_WL, groups, TOUCH, with_margins=True, excluded=excluded)
        )
        return [{"overlaps": [asdict(entry) for entry in overlaps]}]

    known = remembered(
        "touching",
        lambda: (_VERSION, _key(links, positions, groups), excluded.content),
        lambda: (file for mesh in meshes for file in source_files(mesh)),
        _is_answer,
        found,
    )
    entries = known.parts[0]["overlaps"] if known.parts else ()
    return tuple(Overlap(**entry | {"p_WO": tuple(entry["p_WO"])}) for entry in entries)


def _key(
    links: Sequence[Link], positions: Sequence[Mapping[str, Pose]], groups: Mapping[str, int]
) -> tuple[object, ...]:
    """Return what affects the answer except the excluded pairs and the content of files.

    Raises:
        OSError: if the cache cannot be used.
    """
    shapes: list[object] = []
    for link in links:
        own = [(s.name, pose_key(s.X_LG), _geometry_key(s.geometry)) for s in link.collisions]
        shapes.append((link.name, groups[link.name], own))
    return shapes, [pose_key(X_WL[link.name]) for X_WL in positions for link in links]


def _geometry_key(shape: Geometry) -> object:
    return mesh_record(shape, collides=True) if isinstance(shape, Mesh) else shape


def _is_answer(part: Any) -> bool:
    overlaps = part.get("overlaps") if isinstance(part, dict) else None
    return isinstance(overlaps, list) and all(
        isinstance(entry, dict) and entry.keys() == _FIELDS for entry in overlaps
    )


@dataclass(frozen=True, slots=True)
class _Placed:
    """A solid in the world: points whose hull contains it [m], shape (n, 3); of a plane one point
    and the normal.
    """

    points: Array
    normal: Array | None = None


def _placed(solid: _Solid, X_WL: Pose) -> _Placed:
    X_WS = X_WL @ solid.X_LS
    kind, (x, y, z) = solid.geom or ("", (0.0, 0.0, 0.0))
    if kind == "PLANE":
        return _Placed(X_WS.p[None], X_WS.R[:, 2])
    if solid.points is not None:
        return _Placed(solid.points @ X_WS.R.T + X_WS.p)
    half = {"SPHERE": (x, x, x), "CYLINDER": (x, x, y), "CAPSULE": (x, x, x + y)}.get(
        kind, (x, y, z)
    )
    return _Placed(_CUBE * half @ X_WS.R.T + X_WS.p)


_CUBE = np.stack(np.meshgrid((-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0)), axis=-1).reshape(-1, 3)
"""Corners of a cube, shape (8, 3)."""


def _near(
    links: Sequence[Link],
    solids: Mapping[int, Sequence[_Solid]],
    positions: Sequence[Mapping[str, Pose]],
    groups: Mapping[str, int],
    excluded: PairSet[str],
) -> list[Link]:
    """Return the links with those of their collisions that may touch others: no plane separates
    them. Links without any are left out.

    MuJoCo compiles these shapes only; of most robots there are none.
    """
    shapes = [(link.name, shape) for link in links for shape in link.collisions]
    flat = [(name, shape, solid) for name, shape in shapes for solid in solids[id(shape)]]
    names = [name for name, _, _ in flat]
    margin = np.array([HULL_MARGIN * isinstance(shape.geometry, Mesh) for _, shape, _ in flat])
    near: set[int] = set()
    for X_WL in positions:
        placed = [_placed(solid, X_WL[name]) for name, _, solid in flat]
        reach = margin + [_ROUNDING * float(np.ptp(some.points)) for some in placed]
        far = np.array([0.0 if some.normal is None else np.inf for some in placed]) + reach
        low = np.array([some.points.min(axis=0) for some in placed]).reshape(-1, 3) - far[:, None]
        high = np.array([some.points.max(axis=0) for some in placed]).reshape(-1, 3) + far[:, None]
        for i, j in islice(_meeting((low, high), names, groups, excluded), MAX_DEPTHS):
            is_known = i in near and j in near
            if not is_known and not _are_apart(placed[i], placed[j], float(reach[i] + reach[j])):
                near |= {i, j}
    kept = {id(flat[i][1]) for i in near}
    reduced: list[Link] = []
    for link in links:
        collisions = tuple(shape for shape in link.collisions if id(shape) in kept)
        if collisions:
            reduced.append(replace(link, collisions=collisions))
    return reduced


def _are_apart(a: _Placed, b: _Placed, gap: float) -> bool:
    """Return whether a plane shows that two solids are farther from each other than a gap [m]; not
    if none is found in some steps.

    Source: Gilbert (1966), An iterative procedure for computing the minimum of a quadratic form on
    a convex set.
    """
    for plane, other in ((a, b), (b, a)):
        if plane.normal is not None:
            heights = (other.points - plane.points) @ plane.normal
            return other.normal is None and bool(heights.min() > gap)
    x = a.points.mean(axis=0) - b.points.mean(axis=0)
    for _ in range(_STEPS):
        length = float(np.linalg.norm(x))
        if length <= gap:
            return False
        farthest = a.points[np.argmin(a.points @ x)] - b.points[np.argmax(b.points @ x)]
        if float(farthest @ x) > gap * length:
            return True
        step = x - farthest
        x = x - min(1.0, float(x @ step) / float(step @ step)) * step
    return False
