"""Check the mesh files of a scene: whether they can be read, whether their unit is plausible, and
which axis of a COLLADA file points up, where only the robot as a whole tells it.

Many COLLADA files state ``Y_UP`` without a unit, though z points up in them; in those of some
robots y does. Read the wrong way, neighboring links stand apart.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

import numpy as np

from loaders import codes as loaders_codes
from loaders.diagnostics import Diagnostic, Diagnostics
from loaders.files.read_file import note_file, status_of
from loaders.limits import charge, keep_in_call, kept_in_call, metered
from loaders.meshes import MeshData, read_mesh
from loaders.meshes.collada import both_ways, is_open
from loaders.model import WORLD, Collision, Link, Mesh, Visual
from loaders.pose import IDENTITY, Array
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR

FACTOR = 100.0
"""Largest plausible ratio of mesh size to longest joint offset, and of offset to size."""


MOST_POINTS = 200
"""Number of vertices from which only extreme ones are kept."""
_DIRECTIONS = 160
"""Number of directions in which they are extreme."""
_BLOCK = 1 << 16
"""Number of vertices that are compared at once."""


def check_meshes(scene: Scene, diagnostics: Diagnostics) -> dict[Mesh, Array | None]:
    """Report meshes that cannot be read; return the vertices of each, shape (n, 3) [m], or None.

    This reads every mesh of the scene once, and one whose file is unchanged not again. Of a large
    one only vertices on its hull are kept.

    Args:
        scene: The scene.
        diagnostics: Record for the findings.

    Raises:
        LimitError: if the meshes have too many triangles.
    """
    found: dict[Mesh, Array | None] = {}
    for link, shape, mesh in meshes_of(scene):
        if mesh in found:
            continue
        before = len(diagnostics)
        points, findings = _measured(mesh)
        diagnostics.extend(findings)
        subjects = (link.name, f"{link.name}{SEPARATOR}{shape.name}")
        diagnostics.add_missing_subjects(range(before, len(diagnostics)), subjects)
        found[mesh] = points
    return found


_State = tuple[Mesh, int, int, int]
"""A mesh and the state of its file."""
_MEASURED: dict[_State, tuple[Array | None, tuple[Diagnostic, ...], dict[str, int]]] = {}
"""The vertices of the last meshes on their hulls, None where a mesh cannot be read, with the
findings and costs of reading."""
_MOST_MEASURED = 256


def _measured(mesh: Mesh) -> tuple[Array | None, tuple[Diagnostic, ...]]:
    key, found = _key_of(mesh), Diagnostics()
    if key not in _MEASURED:
        with metered() as costs:
            data = read_mesh_once(mesh, found)
        if key is None:
            return None if data is None else extreme(data.vertices), tuple(found)
        if key not in _MEASURED:
            _measure(key, data, tuple(found), costs)
        points, findings, _ = _MEASURED[key]
        return points, findings
    points, findings, costs = _MEASURED[key]
    note_file(str(mesh.path))
    charge(costs, mesh.path)
    return points, findings


def _measure(
    key: _State, data: MeshData | None, findings: tuple[Diagnostic, ...], costs: dict[str, int]
) -> None:
    while len(_MEASURED) >= _MOST_MEASURED:
        _MEASURED.pop(next(iter(_MEASURED)))
    points = None if data is None else extreme(data.vertices)
    _MEASURED[key] = points, findings, costs


def read_mesh_once(mesh: Mesh, diagnostics: Diagnostics) -> MeshData | None:
    """Return the triangles of a mesh as `loaders.meshes.read_mesh` does, without reading it again
    in the call that is running.

    A large mesh, which is not kept, is measured for `check_meshes`.
    """
    key = _key_of(mesh)
    if key is None:
        return read_mesh(mesh, diagnostics)
    known: tuple[MeshData | None, Diagnostics, dict[str, int]] | None = kept_in_call().get(key)
    if known is not None:
        note_file(str(mesh.path))
        charge(known[2], mesh.path)
        diagnostics.extend(known[1])
        return known[0]
    findings = Diagnostics()
    with metered() as costs:
        data = read_mesh(mesh, findings)
    diagnostics.extend(findings)
    triangles = 0 if data is None else len(data.faces)
    if not keep_in_call(key, (data, findings, costs), triangles):
        _measure(key, data, tuple(findings), costs)
    return data


def _key_of(mesh: Mesh) -> _State | None:
    """Return a mesh with the state of its file; None if there is no file."""
    try:
        state = status_of(mesh.path or "")
    except (OSError, ValueError):
        return None
    return mesh, state.st_mtime_ns, state.st_size, state.st_ino


def check_mesh_sizes(
    scene: Scene,
    meshes: Mapping[Mesh, Array | None],
    diagnostics: Diagnostics,
    explained: Collection[str] = (),
) -> None:
    """Report meshes whose size is implausible compared with the joint offsets.

    Args:
        scene: The scene.
        meshes: The vertices of its meshes; see `check_meshes`.
        diagnostics: Record for the findings.
        explained: Links whose sizes another finding is about.
    """
    offsets = _longest_joint_offsets(scene)
    sizes = {
        mesh: math.nan if points is None or not len(points) else float(np.ptp(points, axis=0).max())
        for mesh, points in meshes.items()
    }
    reported: set[Mesh] = set()
    for link, shape, mesh in meshes_of(scene):
        offset = offsets.get(link.model, 0.0)
        if (
            offset
            and link.name not in explained
            and mesh not in reported
            and not _is_plausible(sizes[mesh], offset, _beside(link, shape, sizes))
        ):
            reported.add(mesh)
            _report_size(link, shape, mesh, sizes[mesh], offset, diagnostics)


def extreme(vertices: Array) -> Array:
    """Return the vertices that are farthest in some direction, if there are many."""
    if len(vertices) <= MOST_POINTS:
        return vertices
    spread = np.random.default_rng(0).normal(size=(_DIRECTIONS, 3))
    towards = np.concatenate((spread, np.eye(3), -np.eye(3)))
    kept = vertices[:0]
    for start in range(0, len(vertices), _BLOCK):
        some = np.concatenate((kept, vertices[start : start + _BLOCK]))
        kept = some[np.unique(np.argmax(towards @ some.T, axis=1))]
    return kept


def _is_plausible(size: float, offset: float, beside: Iterable[float]) -> bool:
    """Return whether a mesh may have its size; a small one may be a part of a shape whose parts are
    files.

    Args:
        size: Its size [m]; NaN if it cannot be read, which is reported elsewhere.
        offset: Longest joint offset of the model [m].
        beside: Sizes of the meshes of the link that are shapes of the same kind [m].
    """
    if size * FACTOR <= offset:
        return any(offset < other * FACTOR < offset * FACTOR**2 for other in beside)
    return not size >= offset * FACTOR


def _beside(link: Link, shape: Collision | Visual, sizes: Mapping[Mesh, float]) -> Iterator[float]:
    shapes: tuple[Collision | Visual, ...] = (
        link.visuals if isinstance(shape, Visual) else link.collisions
    )
    return (sizes[other.geometry] for other in shapes if isinstance(other.geometry, Mesh))


def _report_size(
    link: Link,
    shape: Collision | Visual,
    mesh: Mesh,
    size: float,
    offset: float,
    diagnostics: Diagnostics,
) -> None:
    diagnostics.add(
        loaders_codes.MESH_IMPLAUSIBLE_SIZE,
        shape.where,
        subjects=(link.name, f"{link.name}{SEPARATOR}{shape.name}"),
        uri=mesh.uri,
        size=size,
        offset=offset,
    )


def _longest_joint_offsets(scene: Scene) -> dict[str, float]:
    """Return the longest joint offset [m] of each model, keyed by the model's name; one that is
    longer than the others by the factor of implausible sizes does not count.
    """
    model_of = {link.name: link.model for link in scene.links}
    offsets: dict[str, list[float]] = {}
    for joint in scene.joints:
        if WORLD in (joint.parent, joint.child):  # the place of a model, not its size
            continue
        longest = max(float(np.linalg.norm(joint.X_PJ.p)), float(np.linalg.norm(joint.X_CJ.p)))
        if longest > 0.0:
            offsets.setdefault(model_of.get(joint.child, ""), []).append(longest)
    longest_of: dict[str, float] = {}
    for model, found in offsets.items():
        most = FACTOR * float(np.median(found))
        longest_of[model] = max(offset for offset in found if offset <= most)
    return longest_of


def meshes_of(scene: Scene) -> Iterator[tuple[Link, Collision | Visual, Mesh]]:
    """Yield every mesh of the scene with its shape and link."""
    for link in scene.links:
        shapes: tuple[Collision | Visual, ...] = (*link.collisions, *link.visuals)
        for shape in shapes:
            if isinstance(shape.geometry, Mesh):
                yield link, shape, shape.geometry


_CLEARER = 3.0
"""Least ratio of the gaps between the links in two orientations for a choice of the second."""
_GAP = 0.02
"""Least gap between two links on average, over the extent of the model, for a choice."""
_Box = tuple[Array, Array]
"""Lower and upper corner [m], each of shape (3,)."""


def with_up_axis(scene: Scene, *, stated: bool) -> Scene:
    """Return a scene whose COLLADA meshes are all read with the up axis that their files state, or
    all with z up.
    """
    meshes = dict.fromkeys(mesh for link in scene.links for _, mesh in _meshes(link))
    collada = [mesh for mesh in meshes if (mesh.path or mesh.uri).lower().endswith(".dae")]
    turned = dict.fromkeys(collada, stated)
    links = tuple(_turned(link, turned) for link in scene.links)
    return dataclasses.replace(scene, links=links) if collada else scene


def models_to_turn(scene: Scene) -> tuple[set[str], set[Mesh]]:
    """Return the models whose COLLADA meshes are to be turned, and the meshes for which nothing but
    the robot tells it: they state another up axis than Z, without a unit.

    Meshes are turned if the links of their model stand apart otherwise and do not so.
    """
    meshes = dict.fromkeys(mesh for link in scene.links for _, mesh in _meshes(link))
    opened = dict.fromkeys(filter(is_open, meshes), True)
    models = (model.name for model in scene.models)
    return {model for model in models if opened and _stands_apart(model, scene, opened)}, {*opened}


def turned_in(scene: Scene, models: Collection[str], opened: Iterable[Mesh]) -> Scene:
    """Return a scene with some of the meshes of models turned.

    Args:
        scene: The scene.
        models: The models, of `models_to_turn`.
        opened: The meshes that are turned.
    """
    turned = dict.fromkeys(opened, True)
    links = (_turned(link, turned) if link.model in models else link for link in scene.links)
    return dataclasses.replace(scene, links=tuple(links)) if models else scene


def with_meshes_as_they_are(link: Link) -> Link:
    """Return a link whose meshes are read as they are, whatever the robot is of which it becomes a
    part.

    Args:
        link: A link of a robot of which the meshes to turn are turned.
    """
    return _turned(link, {mesh: False for _, mesh in _meshes(link) if is_open(mesh)})


def _meshes(link: Link) -> Iterator[tuple[Collision | Visual, Mesh]]:
    shapes: tuple[Collision | Visual, ...] = (*link.collisions, *link.visuals)
    for shape in shapes:
        if isinstance(shape.geometry, Mesh):
            yield shape, shape.geometry


def _turned(link: Link, opened: dict[Mesh, bool]) -> Link:
    def turn(shape: Collision | Visual) -> Collision | Visual:
        mesh = shape.geometry
        if not isinstance(mesh, Mesh):
            return shape
        reference = mesh.reference
        if mesh in opened:
            mesh = dataclasses.replace(mesh, turned=opened[mesh])
        elif reference is not None and is_open(reference):  # what follows it turns with it
            reference = dataclasses.replace(reference, turned=True)
            mesh = dataclasses.replace(mesh, reference=reference)
        return dataclasses.replace(shape, geometry=mesh)

    return dataclasses.replace(
        link,
        collisions=tuple(map(turn, link.collisions)),  # type: ignore[arg-type]  # of one class
        visuals=tuple(map(turn, link.visuals)),  # type: ignore[arg-type]
    )


def _stands_apart(model: str, scene: Scene, opened: dict[Mesh, bool]) -> bool:
    """Return whether the links of a model stand apart with its meshes as they are, and much less so
    with the open ones turned.
    """
    links = [link for link in scene.links if link.model == model]
    shapes = [mesh for link in links for _, mesh in _meshes(link)]
    if 2 * sum(mesh in opened for mesh in shapes) < max(len(shapes), 1):
        return False  # few stand apart, if any
    boxes = {link.name: _boxes(link, opened) for link in links}
    pairs = [
        (boxes[joint.parent], boxes[joint.child])
        for joint in scene.joints
        if boxes.get(joint.parent) and boxes.get(joint.child)
    ]
    known = [box for both in boxes.values() for box in both[:1]]
    if not pairs or not known:
        return False
    plain = sum(_gap(a[0], b[0]) for a, b in pairs)
    turned = sum(_gap(a[1], b[1]) for a, b in pairs)
    extent = float(np.ptp([corner for box in known for corner in box], axis=0).max())
    return plain > _GAP * extent * len(pairs) and plain > _CLEARER * turned


def _boxes(link: Link, opened: dict[Mesh, bool]) -> list[_Box]:
    """Return the bounding box of the meshes of a link in the world as they are read, and with the
    open ones turned; nothing if it has none.
    """
    points: dict[int, list[Array]] = defaultdict(list)
    X_WL = IDENTITY if link.name == WORLD else link.X_WL
    for shape, mesh in _meshes(link):
        X_WG = X_WL @ shape.X_LG
        for way, vertices in enumerate(_points(mesh, mesh in opened, _changed(mesh))):
            points[way].append(vertices @ X_WG.R.T + X_WG.p)
    corners = (np.concatenate(found) for _, found in sorted(points.items()))
    return [(found.min(axis=0), found.max(axis=0)) for found in corners]


def _changed(mesh: Mesh) -> float:
    """Return when the file of a mesh was changed; 0 without one."""
    try:
        return os.stat(str(mesh.path)).st_mtime
    except OSError:
        return 0.0


@lru_cache(maxsize=256)
def _points(mesh: Mesh, may_turn: bool, _changed: float) -> tuple[Array, ...]:
    """Return the extreme points of a mesh as it is read, and with its up axis applied; nothing if
    it cannot be read.
    """
    return tuple(map(extreme, both_ways(mesh, is_open=may_turn) or ()))


def _gap(a: _Box, b: _Box) -> float:
    """Return the distance of two boxes [m]."""
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(a[0] - b[1], b[0] - a[1]))))
