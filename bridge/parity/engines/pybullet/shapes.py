"""Shapes, surfaces and collidable pairs in PyBullet.

PyBullet does not report its collision filters. The bodies are therefore moved to random positions,
far beyond the limits of their joints. A pair of links that overlaps there, which PyBullet measures
without regard to filters, must be in contact, or else it is disabled. Links that only come near
each other are then moved closer, until they overlap. For pairs that never overlap, every shape is
replaced by a sphere that overlaps all others, in another physics server.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from bridge.geometry.shapes import (
    SupportFunction,
    half_space,
    support_function,
    supports_of,
    supports_of_points,
)
from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, PrimitiveKind
from bridge.mechanism.coordinates import Position, kind_of
from bridge.parity.engine import Hull, Surfaces
from bridge.parity.readings import (
    Pair,
    hull_of_points,
    is_world,
    model_surfaces,
    shapes_of,
    stacked,
)
from bridge.targets.pybullet import PyBulletBody, load_into_pybullet
from bridge.targets.pybullet.client import DynamicsInfo, named
from bridge.targets.pybullet.state import pose_from
from loaders.diagnostics import Diagnostics
from loaders.meshes import MeshData, read_mesh
from loaders.model import Box, Capsule, Cylinder, Link, Mesh, Sphere, Surface
from loaders.pose import IDENTITY, Array, Pose
from loaders.scene import Scene

_CHOSEN_FOR_PAIRS = "PyBullet's coefficients are chosen for pairs of links"

RADIUS = 1e4
"""Radius of a sphere that overlaps every other one [m]."""


# --- PyBullet -------------------------------------------------------------------------------------


def pairs_in_pybullet(pybullet: Any, mechanism: Mechanism) -> frozenset[Pair]:
    """Return the pairs of links that touch in PyBullet if all collision shapes overlap."""
    client: int = pybullet.connect(pybullet.DIRECT)
    try:
        scene = with_overlapping_spheres(mechanism.scene)
        loaded = load_into_pybullet(relowered(mechanism, scene), physicsClientId=client, quiet=True)
        names = links_by_index([loaded] if isinstance(loaded, PyBulletBody) else loaded)
        pybullet.performCollisionDetection(physicsClientId=client)
        contacts = pybullet.getContactPoints(physicsClientId=client)
        touching = {((contact[1], contact[3]), (contact[2], contact[4])) for contact in contacts}
        pairs = [pair for one, two in touching for pair in product(names[one], names[two])]
        return frozenset(map(frozenset, pairs))
    finally:
        pybullet.disconnect(client)


def with_overlapping_spheres(scene: Scene) -> Scene:
    """Return the scene without visuals and sensors, with collision shapes replaced by huge
    spheres.
    """
    return dataclasses.replace(
        scene, links=tuple(_with_overlapping_spheres(link) for link in scene.links)
    )


def _with_overlapping_spheres(link: Link) -> Link:
    masks = {(c.surface.collide_bitmask, c.surface.category_bitmask): c for c in link.collisions}
    spheres = tuple(
        dataclasses.replace(
            collision,
            X_LG=IDENTITY,
            geometry=Sphere(radius=RADIUS),
            surface=Surface(collide_bitmask=collide, category_bitmask=category),
        )
        for (collide, category), collision in masks.items()
    )
    return dataclasses.replace(link, collisions=spheres, visuals=(), sensors=())


def links_by_index(bodies: Sequence[PyBulletBody]) -> dict[tuple[int, int], list[str]]:
    """Return the links with collision shapes, by body id and link index.

    Args:
        bodies: The handles of the bodies.
    """
    names: dict[tuple[int, int], list[str]] = defaultdict(list)
    for name, index in _indices(bodies):
        names[index].append(name)
    return names


def _indices(bodies: Sequence[PyBulletBody]) -> Iterator[tuple[str, tuple[int, int]]]:
    for body in bodies:
        colliding = {link.name for link in body.mechanism.scene.links if link.collisions}
        yield from (
            (name, (int(body), index)) for name, index in body.links.items() if name in colliding
        )


LinkIndex = tuple[int, int]
"""PyBullet's body and link."""
Positions = dict[str, Position]
"""Positions by joint."""
MAX_POSITIONS = 24
"""Number of random positions."""
_DEEP = -1e-5
"""Distance [m] at which shapes overlap; plates that graze each other overlap by 2e-5."""
_CERTAIN = -1e-4
"""Distance [m] at which shapes overlap for certain: Bullet measures overlaps to 1e-4 m
(``EPA_ACCURACY``), and looks for contacts of boxes by another method. Pairs that overlap by less
are moved closer."""
_NEAR = 0.02
"""Distance [m] from which links are moved closer."""
MAX_MOVES = 40
"""Number of random moves that bring one pair closer."""
MAX_APPROACHED = 200
"""Number of pairs that are brought closer."""


@dataclass(slots=True)
class ObservedPairs:
    """Pairs of PyBullet links, as contacts and overlaps show them.

    Attributes:
        touching: Pairs that were in contact.
        disabled: Pairs that overlapped without a contact.
        nearest: Smallest distance of each pair that came near, with the positions of the joints of
            each body there.
    """

    touching: set[frozenset[LinkIndex]] = field(default_factory=set)
    disabled: set[frozenset[LinkIndex]] = field(default_factory=set)
    nearest: dict[frozenset[LinkIndex], tuple[float, Sequence[Positions]]] = field(
        default_factory=dict
    )

    def record(
        self,
        distances: Mapping[frozenset[LinkIndex], float],
        contacts: Collection[frozenset[LinkIndex]],
        positions: Sequence[Positions],
    ) -> None:
        """Record the pairs of one position.

        Args:
            distances: Distances of near pairs, negative where they overlap.
            contacts: Pairs in contact.
            positions: Positions of the joints of each body.
        """
        self.touching |= set(contacts)
        self.disabled |= {
            pair for pair, distance in distances.items() if distance < _DEEP
        } - self.touching
        self.disabled -= self.touching
        for pair, distance in distances.items():
            if distance < self.nearest.get(pair, (_NEAR, ()))[0]:
                self.nearest[pair] = distance, positions

    @property
    def seen(self) -> set[frozenset[LinkIndex]]:
        """The pairs that are known for certain."""
        return self.touching | {pair for pair in self.disabled if self.nearest[pair][0] < _CERTAIN}


def observe_pairs(
    pybullet: Any, client: int, bodies: Sequence[Any], wanted: Collection[frozenset[LinkIndex]]
) -> ObservedPairs:
    """Move the bodies to random positions, and record which of their links touch.

    The bodies are at their last positions afterwards.

    Args:
        pybullet: The module.
        client: The physics server.
        bodies: The handles of the bodies.
        wanted: The pairs to observe; the search ends when all are known.
    """
    search = _Search(pybullet, client, bodies)
    for number in range(MAX_POSITIONS):
        if search.observed.seen.issuperset(wanted):
            break
        if number:
            search.move_anywhere()
        search.observe()
    search.approach([pair for pair in search.observed.nearest if pair in wanted][:MAX_APPROACHED])
    return search.observed


class _Search:
    """Random positions of bodies, and the pairs that touch there."""

    def __init__(self, pybullet: Any, client: int, bodies: Sequence[Any]) -> None:
        self._pybullet, self._client, self._bodies = pybullet, client, bodies
        self._rng = np.random.default_rng(0)
        self.observed = ObservedPairs()

    def move_anywhere(self) -> None:
        """Move all bodies to random positions."""
        for body in self._bodies:
            extent = _extent(self._pybullet, self._client, self._bodies)
            body.set_positions(random_positions(body.mechanism, self._rng, extent))

    def observe(self) -> None:
        """Record the pairs that touch or overlap."""
        self._pybullet.performCollisionDetection(physicsClientId=self._client)
        contacts = self._pybullet.getContactPoints(physicsClientId=self._client)
        self.observed.record(
            _distances(self._pybullet, self._client, self._bodies),
            set(_by_pair(contacts)),
            [dict(body.positions()) for body in self._bodies],
        )

    def approach(self, pairs: Sequence[frozenset[LinkIndex]]) -> None:
        """Move the joints so that pairs that came near overlap, and record what is seen there.

        Args:
            pairs: The pairs; those that are known by then are left out.
        """
        for pair in pairs:
            if pair in self.observed.seen:
                continue
            distance, positions = self.observed.nearest[pair]
            joints = {name for body in self._bodies for name in _joints_between(body, pair)}
            self._move_to(positions)
            for move in range(MAX_MOVES):
                if distance < 2.0 * _CERTAIN:
                    break
                by = 0.1 * 0.5 ** (move // 10)
                closer = [_disturbed(each, joints, by, self._rng) for each in positions]
                self._move_to(closer)
                if (reached := self._distance(pair)) < distance:
                    distance, positions = reached, closer
            self._move_to(positions)
            self.observe()

    def _move_to(self, positions: Sequence[Positions]) -> None:
        for body, each in zip(self._bodies, positions, strict=True):
            body.set_positions(each)

    def _distance(self, pair: frozenset[LinkIndex]) -> float:
        (one, i), (two, j) = sorted(pair)
        points = self._pybullet.getClosestPoints(
            one, two, _NEAR, i, j, physicsClientId=self._client
        )
        return min((float(point[8]) for point in points), default=_NEAR)


def _joints_between(body: Any, pair: frozenset[LinkIndex]) -> set[str]:
    """Return the joints of a body that move the links of a pair against each other."""
    bodies = body.mechanism.bodies
    paths: list[set[int]] = []
    for i, part in enumerate(bodies):
        if (int(body), body.links.get(part.name)) in pair:
            path, index = set(), i
            while index != ROOT:
                path.add(index)
                index = bodies[index].parent
            paths.append(path)
    one, two = (*paths, set[int](), set[int]())[:2]
    return {str(bodies[i].joint) for i in one ^ two}


def _disturbed(
    positions: Positions, joints: set[str], by: float, rng: np.random.Generator
) -> Positions:
    """Positions with random changes of a size at some joints; quaternions become unit quaternions
    again.
    """
    changed: Positions = dict(positions)
    for name in sorted(joints & positions.keys()):
        numbers = np.atleast_1d(np.asarray(positions[name], dtype=np.float64))
        numbers = numbers + by * rng.normal(size=len(numbers))
        if len(numbers) in {4, 7}:
            numbers[-4:] /= np.linalg.norm(numbers[-4:])
        changed[name] = tuple(numbers.tolist())
    return changed


def random_positions(
    mechanism: Mechanism, rng: np.random.Generator, extent: float
) -> dict[str, Position]:
    """Return positions of all joints: any angle, and translations up to the extent of the bodies.

    Args:
        mechanism: The mechanism.
        rng: The source of random numbers.
        extent: The extent of all bodies [m].
    """
    positions: dict[str, Position] = {}
    for body in mechanism.bodies:
        kind = kind_of(body)
        turn = rng.normal(size=4)
        wxyz = tuple((turn / np.linalg.norm(turn)).tolist())
        if not body.primitives:
            continue
        if kind is PrimitiveKind.FREE:
            positions[str(body.joint)] = (
                *rng.uniform(-0.5 * extent, 0.5 * extent, 3).tolist(),
                *wxyz,
            )
        elif kind is PrimitiveKind.BALL:
            positions[str(body.joint)] = wxyz
        else:
            positions[str(body.joint)] = tuple(
                _scalar(body, k, rng, extent) for k in range(body.nv)
            )
    return positions


def _scalar(body: Any, dof: int, rng: np.random.Generator, extent: float) -> float:
    slides = all(p.kind is PrimitiveKind.SLIDE for p in body.primitives if p.dof_index == dof)
    return float(rng.uniform(-0.3 * extent, 0.3 * extent) if slides else rng.uniform(-np.pi, np.pi))


def _extent(pybullet: Any, client: int, bodies: Sequence[Any]) -> float:
    """Return the length of the box around all links of a size below a kilometer [m]."""
    boxes: list[Array] = []
    for body in bodies:
        for index in {-1, *body.links.values()}:
            box = np.array(pybullet.getAABB(int(body), index, physicsClientId=client))
            if np.abs(box).max() < 1e3:
                boxes.append(box)
    return max((float((box[1] - box[0]).max()) for box in boxes), default=1.0) * 2.0


def _distances(
    pybullet: Any, client: int, bodies: Sequence[Any]
) -> dict[frozenset[LinkIndex], float]:
    """Return the distances of links that are near each other, without regard to the filters."""
    found: dict[frozenset[LinkIndex], float] = {}
    for number, one in enumerate(bodies):
        for two in bodies[number:]:
            points = pybullet.getClosestPoints(int(one), int(two), _NEAR, physicsClientId=client)
            for pair, distance in _by_pair(points).items():
                found[pair] = min(distance, found.get(pair, distance))
    return found


def _by_pair(points: Iterable[Sequence[Any]]) -> dict[frozenset[LinkIndex], float]:
    """Return the smallest distance of each pair of links among contact points."""
    distances: dict[frozenset[LinkIndex], float] = {}
    for point in points:
        pair = frozenset(((point[1], point[3]), (point[2], point[4])))
        if len(pair) == 2:
            distances[pair] = min(float(point[8]), distances.get(pair, float(point[8])))
    return distances


def of_links(
    pairs: Iterable[frozenset[LinkIndex]], names: Mapping[LinkIndex, Sequence[str]]
) -> set[frozenset[str]]:
    """Return pairs of links by name; merged links share one index.

    Args:
        pairs: Pairs of PyBullet links.
        names: The names of the links with shapes, by body and index.
    """
    found: set[frozenset[str]] = set()
    for one, two in pairs:
        both = product(names.get(one, ()), names.get(two, ()))
        found |= {frozenset((a, b)) for a, b in both if a != b}
    return found


def surfaces_in_pybullet(
    pybullet: Any, client: int, bodies: Sequence[PyBulletBody], mechanism: Mechanism
) -> Surfaces:
    """Return the readings of running bodies.

    PyBullet has one coefficient of friction for each of its links, that is for all shapes of the
    links that are merged in it.

    Args:
        pybullet: The module.
        client: The physics server.
        bodies: The bodies.
        mechanism: The mechanism that they hold.
    """
    links = {link.name: link for link in mechanism.scene.links}
    model = model_surfaces(mechanism)
    supports: list[tuple[str, Array]] = []
    visuals: dict[str, list[Pose]] = {}
    friction: dict[str, Sequence[float]] = {}
    restitution: dict[str, Sequence[float]] = {}
    contact: dict[str, Sequence[Sequence[float]]] = {}
    hulls: dict[str, list[Hull]] = {}
    unread: list[str] = []
    for body in bodies:
        drawn = pybullet.getVisualShapeData(int(body), physicsClientId=client)
        for index, names in _merged(body).items():
            stands_still = any(mechanism.weld_group_of(name) == ROOT for name in names)
            read = list(_supports(pybullet, client, body, index, stands_still=stands_still))
            found = [shape for shape in read if shape is not None]
            with_shapes = [name for name in names if shapes_of(links[name])]
            unread += with_shapes if len(found) < len(read) else []
            owners = _owners(found, with_shapes, links, model.supports, body)
            owned = list(zip(owners, found, strict=True))
            meshes = Counter(name for name, shape in owned if not callable(shape.form))
            for name, shape in owned:
                supports.append((name, _in_link(shape, body, name)))
                if not callable(shape.form):
                    is_whole = meshes[name] < len(model.hulls.get(name, ()))  # with all its parts
                    triangles = shape.triangles if is_whole else None
                    hulls.setdefault(name, []).append(
                        partial(hull_of_points, shape.form)
                        if triangles is None
                        else partial(np.asarray, triangles)
                    )
            dynamics = named(
                DynamicsInfo, pybullet.getDynamicsInfo(int(body), index, physicsClientId=client)
            )
            for name in with_shapes:
                count = len(shapes_of(links[name]))
                friction[name] = [float(dynamics.lateral_friction)] * count
                restitution[name] = [float(dynamics.restitution)] * count
                contact[name] = [_contact(dynamics)] * count
            poses = [pose_from(visual[5], visual[6]) for visual in drawn if visual[1] == index]
            visuals |= _visuals(poses, [links[name] for name in names if links[name].visuals], body)
    return Surfaces(
        supports=stacked(supports),
        visuals=visuals,
        friction=friction,
        restitution=restitution,
        contact=contact,
        hulls=hulls,
        unread=unread,
        reasons={"friction": _CHOSEN_FOR_PAIRS} if is_world(mechanism) else {},
    )


def _contact(dynamics: DynamicsInfo) -> tuple[float, ...]:
    """Torsional and rolling friction [m], stiffness and damping of contacts; NaN for what PyBullet
    chooses.
    """
    spring = (dynamics.contact_stiffness, dynamics.contact_damping)
    return (
        dynamics.spinning_friction,
        dynamics.rolling_friction,
        *(x if x >= 0.0 else math.nan for x in spring),
    )


def _merged(body: PyBulletBody) -> dict[int, list[str]]:
    """Return the links of the scene by PyBullet's index."""
    stated = {link.name for link in body.mechanism.scene.links}
    by_index: dict[int, list[str]] = {}
    for name, index in body.links.items():
        if name in stated:
            by_index.setdefault(index, []).append(name)
    return by_index


# --- visual shapes --------------------------------------------------------------------------------


def _visuals(
    poses: Sequence[Pose], links: Sequence[Link], body: PyBulletBody
) -> dict[str, list[Pose]]:
    """Return the poses of the visual shapes of links that share one PyBullet link; each belongs to
    the link that it fits.
    """
    found: dict[str, list[Pose]] = {}
    X_LS = {link.name: _segment_pose(body, link.name).inverse() for link in links}
    stated = {
        link.name: np.array([visual.X_LG.to_vector() for visual in link.visuals]) for link in links
    }
    for X_SG in poses:
        placed = {name: X @ X_SG for name, X in X_LS.items()}
        if placed:
            name = min(placed, key=lambda name: _misfit(placed[name], stated[name]))
            found.setdefault(name, []).append(placed[name])
    return found


def _misfit(X_LG: Pose, stated: Array) -> float:
    """Return how far a pose is from the nearest one of some.

    Args:
        X_LG: The pose.
        stated: The others as vectors of positions [m] and quaternions, shape (n, 7).
    """
    return float(np.abs(stated - X_LG.to_vector()).max(axis=1).min())


def _segment_pose(body: PyBulletBody, link: str) -> Pose:
    """Return the pose of a link in the PyBullet link that carries it."""
    return body.state.articulation.link_segments[link][1]


# --- collision shapes -----------------------------------------------------------------------------


class _Shape(NamedTuple):
    """A shape that PyBullet holds.

    Attributes:
        form: Its corners, shape (n, 3) [m], or its support function.
        X_SG: Its pose in the PyBullet link.
        triangles: The triangles, shape (m, 3, 3) [m], of a mesh that runs as such.
    """

    form: Array | SupportFunction
    X_SG: Pose
    triangles: Array | None = None


def _owners(
    found: Sequence[_Shape],
    names: Sequence[str],
    links: dict[str, Link],
    stated: dict[str, Array] | Any,
    body: PyBulletBody,
) -> list[str]:
    """Return the link of each shape of a PyBullet link: in order, or the one that it fits if a mesh
    became several shapes.
    """
    in_order = [name for name in names for _ in shapes_of(links[name])]
    if len(in_order) == len(found):
        return in_order
    if not names:
        return [next(iter(body.links))] * len(found)
    return [
        min(names, key=lambda name: _distance(_in_link(shape, body, name), stated.get(name)))
        for shape in found
    ]


def _distance(support: Array, stated: Array | None) -> float:
    """Return how far a shape reaches beyond those of a link [m]."""
    return np.inf if stated is None else float((support - stated.max(axis=0)).max())


def _in_link(shape: _Shape, body: PyBulletBody, link: str) -> Array:
    """Return the support of a shape, given in the frame of a PyBullet link, in that of a link."""
    form, X_LG = shape.form, _segment_pose(body, link).inverse() @ shape.X_SG
    return supports_of(form, X_LG) if callable(form) else supports_of_points(form, X_LG)


def _supports(
    pybullet: Any, client: int, body: PyBulletBody, index: int, *, stands_still: bool
) -> Iterator[_Shape | None]:
    """Yield each shape; None if it is not shown."""
    X_SI = body.state.inertial_pose(index)
    for k, shape in enumerate(
        pybullet.getCollisionShapeData(int(body), index, physicsClientId=client)
    ):
        if shape[2] == pybullet.GEOM_MESH and stands_still:
            # PyBullet keeps no vertices of such a mesh, and prints a question mark if it is asked;
            # it names the file.
            data = _data_of_file(shape[4].decode(), shape[3])
            X_SG = X_SI @ pose_from(shape[5], shape[6])
            triangles = None if data is None else data.vertices[data.faces]
            yield None if data is None else _Shape(data.vertices, X_SG, triangles)
            continue
        if (
            shape[2] == pybullet.GEOM_MESH
        ):  # its vertices are given in the inertial frame of the link
            _, vertices = pybullet.getMeshData(int(body), index, k, physicsClientId=client)
            if len(vertices):
                yield _Shape(np.array(vertices, dtype=np.float64), X_SI)
            continue
        support = _primitive(pybullet, shape[2], shape[3])
        if support is not None:
            yield _Shape(support, X_SI @ pose_from(shape[5], shape[6]))


def _data_of_file(path: str, scale: Sequence[float]) -> MeshData | None:
    """Return the mesh in a file that PyBullet has loaded; None if it is gone or cannot be read."""
    mesh = Mesh(
        uri=path, path=path if os.path.isfile(path) else None, scale=(scale[0], scale[1], scale[2])
    )
    return read_mesh(mesh, Diagnostics())


def _primitive(pybullet: Any, kind: int, size: Sequence[float]) -> SupportFunction | None:
    if kind == pybullet.GEOM_SPHERE:
        return support_function(Sphere(radius=size[0]))
    if kind == pybullet.GEOM_BOX:
        return support_function(Box(size=(size[0], size[1], size[2])))
    if kind == pybullet.GEOM_CYLINDER:
        return support_function(Cylinder(radius=size[1], length=size[0]))
    if kind == pybullet.GEOM_CAPSULE:
        return support_function(Capsule(radius=size[1], length=size[0]))
    return half_space(np.array(size)) if kind == pybullet.GEOM_PLANE else None
