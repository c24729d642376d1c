"""Collision shapes that the caller chooses for the meshes of links, with certificates.

A choice replaces each collision mesh of a link in the scene, before any target sees it, so that all
targets get the same shape: a primitive shape that is fitted to the mesh, its convex hull or convex
parts as mesh files, or nothing. What the choice cost is measured (`bridge.geometry.fitting`)
and is a finding of each collision.
"""

from __future__ import annotations

import hashlib
import io
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

import numpy as np

from bridge.choices import CollisionMeshes, CollisionShape, Fit, Shapes
from bridge.codes import MESH_SHAPE, MESH_SHAPE_NONE, MESH_SHAPE_UNKNOWN, MESH_SHAPE_VOLUME
from bridge.geometry.fitting import (
    Certificate,
    Deviation,
    certificate_of_fit,
    certificate_of_solids,
    inward_deviation,
    outward_deviation,
)
from loaders.deferred import Deferred
from loaders.diagnostics import Diagnostic, Diagnostics
from loaders.meshes import MeshData, read_mesh
from loaders.model import Box, Capsule, Collision, Cylinder, Link, Mesh, Sphere
from loaders.pose import Array, Pose
from loaders.scene import Scene
from loaders.text import check_option_value, closest, unknown_name

from .cache import cache_folder, read_checked, stored_as, write_checked
from .convex_decomposition import (
    DEFAULT_MAX_PARTS,
    HULL,
    PARTS,
    CollisionMesh,
    Solid,
    check_decomposition,
    collision_parts,
    hull_faces,
    normal_if_flat,
)
from .fitting import Fitted, Primitive, fitted, least_thickness, shrunk
from .mesh import obj, with_mesh_files

if TYPE_CHECKING:
    from loaders.picture import ColoredSurface, Layer

# an export without a picture draws nothing
_new_layer: Callable[..., Layer] = Deferred("loaders.picture:Layer")
_paint_layers: Callable[..., bytes] = Deferred("loaders.picture:paint_layers")
_surfaces: Callable[[Collision], Iterable[ColoredSurface]] = Deferred("loaders.picture:surfaces")

_PRIMITIVES = frozenset({"box", "capsule", "cylinder", "sphere"})
_VERSION = "1"
"""Version of the shapes in the cache."""
_STEPS = 7
"""Number of halvings in the search for the closest shape."""
_SEARCH = 0.05
"""Error of the distances in this search, relative to the extent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeCertificate:
    """The result of a choice for a collision mesh, and its distances from the mesh.

    Attributes:
        link: Name of the link.
        collision: Name of the collision.
        mesh: Name of the mesh.
        shape: The shape that the caller chose.
        parts: Number of shapes that collide.
        vertices: Number of vertices of the hulls; 0 for primitive shapes.
        outward: Largest distance of the result beyond the mesh [m].
        outward_error: The true distance is at most this much larger [m].
        p_LOutward: Where the result lies farthest beyond the mesh, in the link's frame [m].
        inward: Largest distance of the mesh beyond the result [m].
        inward_error: The true distance is at most this much larger [m].
        p_LInward: Where the mesh lies farthest beyond the result, in the link's frame [m].
        volume_ratio: Volume of the result over that of the mesh; None if the mesh is open.
    """

    link: str
    collision: str
    mesh: str
    shape: str
    parts: int
    vertices: int
    outward: float
    outward_error: float
    p_LOutward: tuple[float, float, float]
    inward: float
    inward_error: float
    p_LInward: tuple[float, float, float]
    volume_ratio: float | None

    @classmethod
    def of(cls, finding: Diagnostic) -> ShapeCertificate:
        """Return the certificate that a finding ``mesh.shape`` states."""
        values: dict[str, Any] = dict(finding.arguments)
        return cls(**{"volume_ratio": None} | values)


def shape_certificates(findings: Iterable[Diagnostic]) -> tuple[ShapeCertificate, ...]:
    """Return the certificates among findings.

    Args:
        findings: The findings of an export or a load, ``diagnostics`` of its result.
    """
    return tuple(ShapeCertificate.of(f) for f in findings if f.code == MESH_SHAPE.name)


@dataclass(frozen=True, slots=True)
class ShapeChoice:
    """The choice of the caller, checked.

    Attributes:
        shapes: The shape for each name or pattern of links; of several that match, the last counts.
        fit: Whether fitted shapes contain the mesh, or are the closest to it.
    """

    shapes: tuple[tuple[str, CollisionShape], ...]
    fit: Fit

    @classmethod
    def of(
        cls, shapes: Shapes, fit: Fit = "contain", collision_meshes: CollisionMeshes = "as_is"
    ) -> ShapeChoice:
        """Return the choice of a caller, in which the shapes of single links count more.

        Args:
            shapes: The shapes of links.
            fit: How shapes are fitted.
            collision_meshes: The shape of all links.

        Raises:
            TypeError: if the shapes are neither a word nor a mapping of words.
            ValueError: if there is no such shape.
        """
        check_option_value("collision_meshes", collision_meshes, get_args(CollisionMeshes))
        check_option_value("fit", fit, get_args(Fit))
        chosen = check_shapes(shapes)
        if collision_meshes != "as_is" and "*" not in chosen:
            chosen = {"*": collision_meshes, **chosen}
        return cls(tuple(chosen.items()), fit)


KEEP = ShapeChoice((), "contain")
"""The choice that leaves all meshes as they are."""


# --- choices --------------------------------------------------------------------------------------


def check_shapes(shapes: Shapes) -> dict[str, CollisionShape]:
    """Return the shape of each pattern of links; a word alone is that of all links.

    Args:
        shapes: The choice of the caller.

    Raises:
        TypeError: if it is neither a word nor a mapping of words.
        ValueError: if there is no such shape.
    """
    given = {"*": shapes} if isinstance(shapes, str) else shapes or {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise TypeError(
            f"invalid shapes {shapes!r}; expected a shape, or a mapping from names of links to "
            f"shapes"
        )
    for word in given.values():
        check_option_value("shapes", word, get_args(CollisionShape))
    return cast("dict[str, CollisionShape]", dict(given))


def with_shapes(scene: Scene, choice: ShapeChoice, target: str, diagnostics: Diagnostics) -> Scene:
    """Return the scene with the shapes that the caller chose in place of collision meshes.

    Args:
        scene: The scene.
        choice: The choice.
        target: The engine or format that the findings are about.
        diagnostics: Receives the findings, among them the certificates.

    Raises:
        ValueError: if no link matches a pattern.
        ExportError: if meshes are to be decomposed and coacd is not installed.
    """
    chosen = dict(choice.shapes)
    if not chosen:
        return scene
    if "decompose" in chosen.values():
        check_decomposition(target)
    names = [link.name for link in scene.links]
    for pattern in chosen:
        _require_match(pattern, names)
    context = _Context(choice.fit, target, diagnostics, {}, {})
    scene = with_mesh_files(scene)
    links = tuple(_with_shape(link, _shape_of(link.name, chosen), context) for link in scene.links)
    pairs = tuple(itertools.chain.from_iterable(map(context.pairs, scene.contact_pairs)))
    return replace(scene, links=links, contact_pairs=pairs)


def _require_match(pattern: str, names: Sequence[str]) -> None:
    """Refuse a pattern that no link matches."""
    if any(_matches(name, pattern) for name in names) or pattern == "*":
        return
    close = closest(pattern, names) or closest(pattern.replace("*", ""), names)
    advice = f"did you mean {close!r}?" if close else f"expected one of: {', '.join(names[:8])}"
    raise ValueError(f"no link matches {pattern!r} of shapes; {advice}")


def _matches(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)


def _shape_of(name: str, chosen: Mapping[str, CollisionShape]) -> CollisionShape:
    found = [shape for pattern, shape in chosen.items() if _matches(name, pattern)]
    return found[-1] if found else "mesh"


# --- scenes ---------------------------------------------------------------------------------------


class _Context(NamedTuple):
    """One replacement in progress."""

    fit: Fit
    target: str
    diagnostics: Diagnostics
    results: dict[tuple[Mesh, str], _Result | None]
    """The result for each mesh."""
    names: dict[tuple[str, str], tuple[str, ...]]
    """Names of the collisions in place of one, by link and collision."""

    def pairs(self, pair: Any) -> Iterator[Any]:
        """Yield the pairs of the collisions in place of those of a pair."""
        for a in self.names.get((pair.link_A, pair.collision_A), (pair.collision_A,)):
            for b in self.names.get((pair.link_B, pair.collision_B), (pair.collision_B,)):
                yield replace(pair, collision_A=a, collision_B=b)


class _Result(NamedTuple):
    """The result for a mesh: a fitted shape, or convex solids."""

    fit: Fitted | None
    solids: tuple[Solid, ...]
    certificate: Certificate
    findings: tuple[Diagnostic, ...]


def _with_shape(link: Link, shape: CollisionShape, context: _Context) -> Link:
    if shape == "mesh" or not any(isinstance(c.geometry, Mesh) for c in link.collisions):
        return link
    collisions: list[Collision] = []
    for collision in link.collisions:
        made = _replaced(collision, link, shape, context)
        collisions += made
        context.names[link.name, collision.name] = tuple(entry.name for entry in made)
    return replace(link, collisions=tuple(collisions))


def _replaced(
    collision: Collision, link: Link, shape: CollisionShape, context: _Context
) -> list[Collision]:
    """Return the collisions in place of one, and report the certificate."""
    mesh = collision.geometry
    if not isinstance(mesh, Mesh):
        return [collision]
    about = {"link": link.name, "collision": collision.name, "mesh": _name(mesh)}
    where: dict[str, Any] = {"target": context.target, "subjects": (link.name,)}
    if shape == "none":
        context.diagnostics.add(MESH_SHAPE_NONE, collision.where, **where, **about)
        return []
    key = (mesh, shape)
    if key not in context.results:
        context.results[key] = _result(mesh, shape, context, collision)
    result = context.results[key]
    if result is None:
        context.diagnostics.add(MESH_SHAPE_UNKNOWN, collision.where, **where, **about)
        return [collision]
    context.diagnostics.extend(
        replace(entry, where=collision.where, subjects=(link.name,)) for entry in result.findings
    )
    values = _arguments(result.certificate, collision.X_LG)
    code = MESH_SHAPE_VOLUME if "volume_ratio" in values else MESH_SHAPE
    context.diagnostics.add(code, collision.where, **where, **about, shape=shape, **values)
    if result.fit is not None:
        X_LG = collision.X_LG @ result.fit.X_GS
        return [replace(collision, geometry=result.fit.shape, X_LG=X_LG)]
    return _parts(collision, mesh, result.solids)


def _name(mesh: Mesh) -> str:
    return PurePosixPath(mesh.uri).stem or PurePosixPath(mesh.path or "mesh").stem


def _parts(collision: Collision, mesh: Mesh, solids: Sequence[Solid]) -> list[Collision]:
    """Return a collision for each convex solid, as a mesh file."""
    made = []
    for i, (vertices, faces) in enumerate(solids):
        is_one = len(solids) == 1
        name = f"{_name(mesh)}_hull" if is_one else f"{_name(mesh)}_convex_{i}"
        data = obj(vertices, faces)
        try:
            path, content = str(stored_as(data, f"{name}.obj", "shapes")), None
        except OSError:
            path, content = None, data
        geometry = Mesh(uri=f"{name}.obj", path=path, convex=True, data=content)
        label = collision.name if is_one else f"{collision.name}_{i}"
        made.append(replace(collision, name=label, geometry=geometry))
    return made


def _arguments(found: Certificate, X_LG: Pose) -> dict[str, Any]:
    """Return the numbers of a certificate, with points in the link's frame."""

    def values(name: str, side: Deviation) -> dict[str, Any]:
        point = X_LG.R @ np.array(side.point) + X_LG.p
        rounded = tuple(float(f"{x:.6g}") + 0.0 for x in point.tolist())
        return {
            name: side.distance,
            f"{name}_error": side.error,
            f"p_L{name.capitalize()}": rounded,
        }

    ratio = {} if found.volume_ratio is None else {"volume_ratio": found.volume_ratio}
    return {
        "parts": found.parts,
        "vertices": found.vertices,
        **values("outward", found.outward),
        **values("inward", found.inward),
        **ratio,
    }


# --- results --------------------------------------------------------------------------------------


def _result(
    mesh: Mesh, shape: CollisionShape, context: _Context, collision: Collision
) -> _Result | None:
    """Return what a mesh becomes; None if it cannot be read, or is flat and has no fitted shape."""
    data = read_mesh(mesh, context.diagnostics)
    if data is None or (shape in _PRIMITIVES and normal_if_flat(data.vertices) is not None):
        return None
    findings = Diagnostics()
    if shape in _PRIMITIVES:
        key = _key(data, shape, context.fit)
        known = _known(key)
        fit = _fit_from(shape, known) if known else _fit(shape, context.fit, data)
        made = _certificate_from(known) if known else certificate_of_fit(fit, data)
        if not known:
            _keep(key, made, _fit_arrays(fit))
        return _Result(fit, (), made, ())
    found = CollisionMesh(mesh, data, _name(mesh), context.target, findings, collision.where)
    solids = _solids(mesh, shape, found)
    key = _key(data, shape, *(vertices for vertices, _ in solids))
    known = _known(key)
    made = _certificate_from(known) if known else certificate_of_solids(solids, data)
    if not known:
        _keep(key, made, {})
    return _Result(None, solids, made, tuple(findings))


def _solids(mesh: Mesh, shape: CollisionShape, collision: CollisionMesh) -> tuple[Solid, ...]:
    """Return the convex solids of a mesh, each with the corners and triangles of its hull."""
    if shape == "hull":
        asked = replace(mesh, decomposition=HULL)
    elif shape == "decompose":
        limits = mesh.max_convex_hulls if mesh.decomposition == PARTS else DEFAULT_MAX_PARTS
        asked = replace(mesh, decomposition=PARTS, max_convex_hulls=limits)
    else:
        asked = replace(mesh, decomposition=None)
    solids = collision_parts(replace(collision, mesh=asked)).values()
    return tuple(map(_hull, solids))


def _hull(solid: Solid) -> Solid:
    vertices, _ = solid
    found = hull_faces(vertices)
    if found is None:
        return solid
    used, index = np.unique(found, return_inverse=True)
    return vertices[used], _outward(vertices[used], index.reshape(-1, 3))


def _outward(corners: Array, faces: Any) -> Any:
    """Return the triangles of a hull, all counterclockwise from outside."""
    a, b, c = (corners[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    is_inward = np.einsum("ni,ni->n", normals, a - corners.mean(axis=0)) < 0.0
    return np.where(is_inward[:, None], faces[:, ::-1], faces)


def _fit(shape: str, fit: Fit, data: MeshData) -> Fitted:
    """Return the shape of a kind that contains a mesh, or is the closest to it."""
    vertices = data.vertices[np.unique(data.faces)]
    found = fitted(shape, vertices)
    if fit == "contain":
        return found
    low, high = 0.0, 0.95 * least_thickness(found.shape)
    for _ in range(_STEPS):
        depth = (low + high) / 2.0
        smaller = shrunk(found, depth)
        if inward_deviation(smaller, vertices) < outward_deviation(smaller, data, _SEARCH):
            low = depth
        else:
            high = depth
    return shrunk(found, low)


# --- cache ----------------------------------------------------------------------------------------


def _key(data: MeshData, *arguments: object) -> str:
    key = hashlib.sha256(_VERSION.encode())
    for array in (data.vertices, data.faces, *arguments):
        key.update(array.tobytes() if isinstance(array, np.ndarray) else repr(array).encode())
    return key.hexdigest()[:32]


def _known(key: str) -> dict[str, Array] | None:
    """Return the arrays of a certificate in the cache; None if it holds none that is whole."""
    try:
        content = read_checked(cache_folder() / "certificates" / f"{key}.npz")
    except OSError:
        return None
    if content is None:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)


def _keep(key: str, found: Certificate, arrays: Mapping[str, Array]) -> None:
    """Write a certificate, and the shape, to the cache if it can be written."""
    ratio = np.nan if found.volume_ratio is None else found.volume_ratio
    sides = [[side.distance, side.error, *side.point] for side in (found.outward, found.inward)]
    numbers = np.array([*sides[0], *sides[1], ratio, found.parts, found.vertices])
    content = io.BytesIO()
    np.savez(content, **{"certificate": numbers, **arrays})  # type: ignore[arg-type]
    with suppress(OSError):
        write_checked(cache_folder() / "certificates" / f"{key}.npz", content.getvalue())


def _certificate_from(known: Mapping[str, Array]) -> Certificate:
    numbers = known["certificate"].tolist()
    sides = [Deviation(d, e, (x, y, z)) for d, e, x, y, z in (numbers[:5], numbers[5:10])]
    ratio, parts, vertices = numbers[10:]
    return Certificate(
        outward=sides[0],
        inward=sides[1],
        volume_ratio=None if np.isnan(ratio) else ratio,
        parts=int(parts),
        vertices=int(vertices),
    )


_KINDS: Mapping[str, type[Primitive]] = {
    "box": Box,
    "sphere": Sphere,
    "capsule": Capsule,
    "cylinder": Cylinder,
}


def _fit_arrays(fit: Fitted) -> dict[str, Array]:
    shape = fit.shape
    if isinstance(shape, Box):
        size = np.array(shape.size)
    elif isinstance(shape, Sphere):
        size = np.array([shape.radius])
    else:
        size = np.array([shape.radius, shape.length])
    return {"size": size, "R": fit.X_GS.R, "p": fit.X_GS.p}


def _fit_from(shape: str, known: Mapping[str, Array]) -> Fitted:
    size = known["size"].tolist()
    X_GS = Pose.of(known["R"], known["p"])
    if shape == "box":
        return Fitted(Box(size=(size[0], size[1], size[2])), X_GS)
    if shape == "sphere":
        return Fitted(Sphere(radius=size[0]), X_GS)
    kind: Any = _KINDS[shape]
    return Fitted(kind(radius=size[0], length=size[1]), X_GS)


# --- picture of collision meshes and the shapes that they become ----------------------------------

_SIZE = (640, 480)
"""Width and height of a picture [pixels]."""
_MESH_COLOR, _RESULT_COLOR = (0.90, 0.55, 0.20), (0.25, 0.50, 0.90)
_OPACITY = 0.45
"""Opacity of the results before the meshes."""


def shapes_picture(
    scene: Scene, shapes: Shapes, *, fit: Fit = "contain", link: str | None = None
) -> bytes | None:
    """Return a picture of collision meshes with what they become before them, as PNG; None if there
    is no mesh.

    Meshes are orange, the shapes blue and transparent.

    Args:
        scene: The scene.
        shapes: The shape for each name or pattern of links; see `bridge.to_mjcf`.
        fit: Whether fitted shapes contain the mesh, or are the closest to it.
        link: Name of the only link that is drawn; None draws all at their initial poses.

    Raises:
        ValueError: as for `bridge.to_mjcf`.
        UnknownNameError: if there is no such link.

    Example:
        >>> import bridge, loaders
        >>> scene = loaders.load("assets/double_pendulum.urdf", quiet=True)
        >>> bridge.shapes_picture(scene, "box") is None  # it has no mesh
        True
    """
    scene = with_mesh_files(scene)
    after = with_shapes(scene, ShapeChoice.of(shapes, fit), "", Diagnostics())
    names = [entry.name for entry in scene.links]
    chosen = names if link is None else [link]
    if link is not None and link not in names:
        raise unknown_name("link", link, names)
    old_links: list[Link] = []
    new_links: list[Link] = []
    for old, new in zip(scene.links, after.links, strict=True):
        if old.name in chosen and any(isinstance(c.geometry, Mesh) for c in old.collisions):
            old_links.append(old)
            new_links.append(new)
    layers = [
        _layer(old_links, _MESH_COLOR, 1.0),
        _layer(new_links, _RESULT_COLOR, _OPACITY),
    ]
    drawn = [layer for layer in layers if len(layer.corners)]
    return _paint_layers(drawn, _SIZE) if drawn else None


def _layer(links: Sequence[Link], color: tuple[float, float, float], opacity: float) -> Layer:
    """Return the triangles of the collisions of links in the world."""
    corners = [np.zeros((0, 3, 3))]
    for link in links:
        for collision in link.collisions:
            X_WG = link.X_WL @ collision.X_LG
            for part in _surfaces(collision):
                corners.append((part.vertices @ X_WG.R.T + X_WG.p)[part.faces])
    triangles = np.concatenate(corners)
    return _new_layer(triangles, np.broadcast_to(color, (len(triangles), 3)), opacity)
