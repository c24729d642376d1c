"""Mesh files that PyBullet reads fast.

PyBullet rounds positions to a grid of 10,216 cells along each side of the bounding box, and takes
the hull of the rounded positions. Of a mesh of 5,000 corners that takes 25 ms, of the 500 corners
of its hull 1.4 ms.

They are binary STL, which needs no parsing; PyBullet draws flat faces from it, as it does from OBJ
without normals. If a mesh collides as its convex hull, PyBullet uses only the corners of its faces;
the file then has every corner of the hull once, whatever the faces are. A textured mesh is an OBJ
file with every position and every texture coordinate once.

PyBullet caches every file by its name and does not read it again. The name therefore depends on the
content: repeating a load needs no more memory, and changed content is never confused with old
content. The files lie directly in the temporary folder, because creating and removing a folder can
take longer than loading a small robot.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bridge.geometry import mesh as mesh_assets
from bridge.geometry.cache import (
    Conversion,
    cache_path,
    is_look,
    look_from_json,
    look_to_json,
    read_record,
    record_path,
    states_of,
    stored,
    write_record,
)
from bridge.geometry.convex_decomposition import is_simplified
from bridge.geometry.mesh import Appearance, mesh_key, source_files, texture_files
from bridge.geometry.textures import JPEG, PNG, Picture, engine_picture
from bridge.output import create_scratch_file, scratch_path
from bridge.stdout_capture import capture_stdout
from bridge.targets.pybullet import codes
from loaders.diagnostics import Diagnostics, Where
from loaders.limits import metered
from loaders.meshes.mesh_data import unique_rows
from loaders.model import Mesh
from loaders.model.link import DEFAULT_COLOR, PartLook

from .client import TARGET, Client

_CELLS = 10_216
"""Number of cells of PyBullet's grid along each side of the bounding box."""
_REACH = 2
"""Distance in cells from a corner of the hull within which rounding may have moved it there."""
_MIN_CORNERS = 32
"""Number of corners below which leaving some out saves nothing."""
Corners = NDArray[np.float32]


def hull_corners(corners: Corners) -> Corners:
    """Return the corners without those that PyBullet's convex hull does not depend on, in order.

    Args:
        corners: Different positions, shape (n, 3) [m]. All are returned if there are few, or if
            PyBullet's hulls of all and of those that remain are not the same, point by point.
    """
    cell = (
        np.ptp(corners.astype(np.float64), axis=0) / _CELLS
        if len(corners) >= _MIN_CORNERS
        else np.zeros(3)
    )
    if not (np.isfinite(cell).all() and cell.min() > np.finfo(np.float32).tiny):
        return corners
    with _server() as client:
        hull = _hull(corners, client)
        kept = corners[_are_near(corners, np.array(sorted(hull)), cell)] if hull else corners
        is_same = len(kept) < len(corners) and _hull(kept, client) == hull
    return kept if is_same else corners


def _are_near(
    corners: Corners, hull: NDArray[np.float64], cell: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which corners may be points of the hull, or touch the bounding box.

    Args:
        corners: Positions, shape (n, 3).
        hull: The points of the hull, shape (m, 3), on PyBullet's grid.
        cell: Size of a cell of the grid along each axis.
    """
    offsets = np.array(list(product(range(-_REACH, _REACH + 1), repeat=3)))
    origin = corners.min(axis=0)
    near = np.isin(_numbers(corners, origin, cell), _numbers(hull, origin, cell, offsets))
    near[corners.argmin(axis=0)] = near[corners.argmax(axis=0)] = True
    return np.asarray(near, dtype=np.bool_)


def _numbers(
    positions: NDArray[Any],
    origin: Corners,
    cell: NDArray[np.float64],
    offsets: NDArray[np.int_] | None = None,
) -> NDArray[np.int_]:
    """Return the number of the cell of each position; with offsets, those of all cells around it.

    Args:
        positions: Positions, shape (n, 3).
        origin: Lowest corner of the bounding box.
        cell: Size of a cell.
        offsets: Steps to the cells around, shape (m, 3).
    """
    cells = np.rint((positions.astype(np.float64) - origin) / cell).astype(np.int_)[:, None]
    x, y, z = np.moveaxis(cells + (0 if offsets is None else offsets) + _REACH, -1, 0)
    side = _CELLS + 4 * _REACH
    return np.asarray(((x * side + y) * side + z).ravel(), dtype=np.int_)


@contextmanager
def _server() -> Iterator[Client]:
    """Start a physics server of its own."""
    import pybullet

    client = Client(pybullet.connect(pybullet.DIRECT))
    try:
        with capture_stdout([]):
            yield client
    finally:
        client.disconnect()


def _hull(corners: Corners, client: Client) -> set[tuple[float, ...]]:
    """Return the points of PyBullet's hull; none if it refuses the corners, as there are too
    many.
    """
    modes = client.modes
    try:
        shape = client.createCollisionShape(modes.GEOM_MESH, vertices=corners.tolist())
        body = client.createMultiBody(0.0, shape)
        return set(map(tuple, client.getMeshData(body, -1)[1]))
    except modes.error:
        return set()


_VERSION = "16"
"""Version of the conversion and of its record; a record of another version is not used."""
_SUBFOLDER = "bullet"
"""Subfolder of the cache. All files are in one folder because PyBullet caches a texture by the name
it is found by."""
MAX_PATH = 1000
"""Maximum length of the path of a mesh in bytes; a longer one aborts the process inside
PyBullet."""


@dataclass(frozen=True, slots=True)
class ColoredMeshFile:
    """A mesh file and the look that the source mesh states, which the file has but its color."""

    path: str
    look: PartLook
    pixels: int
    """Number of pixels of its texture."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The way in which visuals are drawn."""

    smooth: bool = False
    """Whether round visuals are smooth meshes, rather than PyBullet's own shapes."""
    largest: int | None = None
    """Largest width and height of textures [pixels]; None for any."""


def files_of(
    mesh: Mesh,
    diagnostics: Diagnostics,
    where: Where,
    *,
    collides: bool,
    texture: str | None = None,
    appearance: Appearance = Appearance.ALL,
    largest: int | None = None,
) -> tuple[ColoredMeshFile, ...] | None:
    """Return the files of a mesh, converting it if needed; None if the cache cannot be used.

    Args:
        mesh: The mesh to convert.
        diagnostics: Record of the findings of the conversion.
        where: The place in the source.
        collides: Whether the mesh is for collision rather than for drawing.
        texture: Path of the image to cover the mesh with; None for the textures of the mesh file
            itself.
        appearance: The part of its appearance that matters; without any, it is one file.
        largest: Largest width and height of its textures [pixels]; None for any.
    """
    use = _Use(collides, texture, appearance, None if collides else largest)
    try:
        purpose = (use.collides, use.texture, str(use.appearance), use.largest)
        key = (_VERSION, mesh_key(mesh), is_simplified(mesh), *purpose)
        record = record_path(f"{cache_path()}/{_SUBFOLDER}", *key)
        conversion = read_record(record, _is_part) or _convert(mesh, where, use, record)
    except OSError:
        return None
    files = tuple(
        ColoredMeshFile(part["path"], look_from_json(part), part["pixels"])
        for part in conversion.parts
    )
    if any(len(os.fsencode(file.path)) > MAX_PATH for file in files):
        return None
    diagnostics.extend(replace(finding, where=where) for finding in conversion.findings)
    return files


def _is_part(part: Any) -> bool:
    path = part.get("path") if isinstance(part, dict) else None
    is_file = isinstance(path, str) and "\0" not in path and isinstance(part.get("pixels"), int)
    return is_file and is_look(part)


class _Use(NamedTuple):
    """The purpose for which a mesh is converted."""

    collides: bool
    texture: str | None
    appearance: Appearance
    largest: int | None


def _convert(mesh: Mesh, where: Where, use: _Use, record: str) -> Conversion:
    """Convert a mesh, and record the conversion.

    Raises:
        OSError: if the cache cannot be written.
    """
    found = Diagnostics()
    sources = states_of(source_files(mesh))
    with metered() as costs:
        assets = mesh_assets.mesh_asset(
            mesh, TARGET, found, where=where, collides=use.collides, appearance=use.appearance
        )
        if use.texture is not None:
            assets = tuple(replace(asset, look=PartLook(texture=use.texture)) for asset in assets)
        made = [_cached_files(asset, use, where, found) for asset in assets]
        for asset in assets if not use.collides else ():
            if _emits_beside_color(asset.look):
                found.add(codes.EMISSION, where, target=TARGET, mesh=asset.name)
    files = tuple(
        {"path": drawn.paths[0], "pixels": drawn.pixels, **look_to_json(asset.look)}
        for drawn, asset in zip(made, assets, strict=True)
    )
    others = [
        *texture_files((asset.look.texture for asset in assets), found, mesh),
        *chain.from_iterable(drawn.paths for drawn in made),
    ]
    conversion = Conversion(
        parts=files, findings=tuple(found), files=(*sources, *states_of(others)), costs=costs
    )
    if files:
        write_record(conversion, record)
    return conversion


def _emits_beside_color(look: PartLook) -> bool:
    """Return whether a part emits light of another color than the one it is drawn in."""
    color = look.color or DEFAULT_COLOR
    return look.emissive is not None and any(color[:3]) and color[:3] != look.emissive[:3]


# --- files ----------------------------------------------------------------------------------------


class CachedFiles(NamedTuple):
    """The cached files of a mesh."""

    paths: tuple[str, ...]
    """The file of the mesh, then those that it refers to."""
    pixels: int = 0
    """Number of pixels of its texture."""


def _cached_files(
    asset: mesh_assets.MeshAsset, use: _Use, where: Where, diagnostics: Diagnostics
) -> CachedFiles:
    if use.collides:
        hull = _points_stl(hull_corners(_corners(asset)))
        return CachedFiles((str(stored(hull, ".stl", _SUBFOLDER)),))
    return drawn_files(asset, where, diagnostics, Drawing(largest=use.largest))


def drawn_files(
    asset: mesh_assets.MeshAsset, where: Where, diagnostics: Diagnostics, drawing: Drawing
) -> CachedFiles:
    """Return the cached file of a mesh to draw, then its material library and texture if it has
    one.

    Args:
        asset: The mesh.
        where: The place in the source.
        diagnostics: Record of a texture that cannot be drawn.
        drawing: How it is drawn; if smooth, faces that meet at less than 45° look like one round
            surface.

    Raises:
        OSError: if the cache cannot be written.
    """
    picture = _picture(asset, where, diagnostics, drawing.largest)
    if picture is None:
        if not drawing.smooth:
            return CachedFiles((str(stored(faces_stl(asset), ".stl", _SUBFOLDER)),))
        plain = _obj(replace(asset, uv=None), smooth=True)
        return CachedFiles((str(stored(plain.encode(), ".obj", _SUBFOLDER)),))
    image = stored(picture.data, picture.suffix, _SUBFOLDER)
    library = stored(f"newmtl skin\nKd 1 1 1\nmap_Kd {image.name}\n".encode(), ".mtl", _SUBFOLDER)
    document = f"mtllib {library.name}\nusemtl skin\n{_obj(asset, smooth=drawing.smooth)}"
    mesh = stored(document.encode(), ".obj", _SUBFOLDER)
    return CachedFiles((str(mesh), str(library), str(image)), picture.pixels)


def _picture(
    asset: mesh_assets.MeshAsset, where: Where, diagnostics: Diagnostics, largest: int | None
) -> Picture | None:
    if asset.look.texture is None:
        return None
    if asset.uv is None:
        diagnostics.add(
            codes.NO_TEXTURE_COORDINATES,
            where,
            target=TARGET,
            mesh=asset.name,
            texture=Path(asset.look.texture).name,
        )
        return None
    file = asset.look.texture
    picture = engine_picture(
        file, TARGET, diagnostics, where=where, formats=(PNG, JPEG), largest=largest
    )
    if picture is not None and picture.has_transparent_pixels:
        diagnostics.add(codes.TEXTURE_TRANSPARENCY, where, target=TARGET, file=Path(file).name)
    return picture


def _obj(asset: mesh_assets.MeshAsset, *, smooth: bool) -> str:
    """Return the text of an OBJ file, with texture coordinates if the mesh has some."""
    positions, p = unique_rows(np.asarray(asset.vertices, np.float32))
    corners = p[asset.faces] + 1
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in positions.tolist()]
    names = [corners.astype(str)]
    if asset.uv is not None:
        coordinates, t = unique_rows(np.asarray(asset.uv, np.float32))
        lines += [f"vt {u:.9g} {v:.9g}\n" for u, v in coordinates.tolist()]
        names.append((t[asset.faces] + 1).astype(str))
    if smooth:
        normals = _corner_normals(positions[corners - 1].astype(float), corners - 1)
        directions, n = unique_rows(normals.astype(np.float32).reshape(-1, 3))
        lines += [f"vn {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in directions.tolist()]
        names += [np.full(corners.shape, "")] * (asset.uv is None)
        names.append((n.reshape(-1, 3) + 1).astype(str))
    for face in np.stack(names, axis=2).tolist():
        words = " ".join("/".join(corner) for corner in face)
        lines.append(f"f {words}\n")
    return "".join(lines)


_SAME_SURFACE = 0.7
"""Least cosine of the angle between faces that look like one surface."""


def _corner_normals(triangles: NDArray[Any], corners: NDArray[Any]) -> NDArray[Any]:
    """Return the normal at each corner of triangles, the mean of the faces around it that look like
    one surface, shape (m, 3, 3).

    Args:
        triangles: Positions, shape (m, 3, 3).
        corners: Number of the position of each corner, shape (m, 3).
    """
    areas = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    units = areas / np.maximum(np.linalg.norm(areas, axis=1, keepdims=True), 1e-300)
    numbers = corners.ravel()
    order = np.argsort(numbers, kind="stable")
    normals = np.zeros((len(numbers), 3))
    for group in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
        faces = group // 3
        normals[group] = (units[faces] @ units[faces].T > _SAME_SURFACE) @ areas[faces]
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return normals.reshape(-1, 3, 3)


# --- STL ------------------------------------------------------------------------------------------


_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def stl(triangles: NDArray[Any]) -> bytes:
    """Return a binary STL file of triangles of shape (n, 3, 3)."""
    records = np.zeros(len(triangles), dtype=_TRIANGLE)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    records["normal"] = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
    records["corners"] = triangles
    return bytes(80) + len(triangles).to_bytes(4, "little") + records.tobytes()


def faces_stl(asset: mesh_assets.MeshAsset) -> bytes:
    """Return a binary STL file of all faces."""
    return stl(asset.vertices[asset.faces])


def corners_stl(asset: mesh_assets.MeshAsset) -> bytes:
    """Return a binary STL file whose triangles have each corner of the faces once; its convex hull
    is the same.
    """
    return _points_stl(_corners(asset))


def _corners(asset: mesh_assets.MeshAsset) -> Corners:
    """Return each corner of the faces once, shape (n, 3)."""
    return unique_rows(np.asarray(asset.vertices[np.unique(asset.faces)], np.float32))[0]


def _points_stl(corners: Corners) -> bytes:
    """Return a binary STL file whose triangles have each of these points, the last of them repeated
    where needed.
    """
    padded = np.minimum(np.arange(3 * -(-len(corners) // 3)), len(corners) - 1)
    return stl(corners[padded].reshape(-1, 3, 3))


@dataclass(slots=True, eq=False)
class TemporaryFiles:
    """The temporary files of one load; as a context, they are removed at its end, also after an
    error.
    """

    folder: str
    _paths: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._paths)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def write(self, data: bytes, suffix: str, former: str = "") -> str:
        """Write a file with this content, unless it exists already, and return its path.

        Args:
            data: The content.
            suffix: End of the name.
            former: The path of a former file with this content.
        """
        name = os.path.basename(former)
        if not name:
            name = f"sdfbridge-{hashlib.sha256(data).hexdigest()[:32]}-{os.getpid()}{suffix}"
        if name not in self._paths:
            self._paths[name] = self._create(name, data, suffix)
        return self._paths[name]

    def _create(self, name: str, data: bytes, suffix: str) -> str:
        """Create a file of this name, or of another name if a thread or another process uses this
        one.
        """
        path = f"{self.folder}/{name}"
        while not create_scratch_file(path, data):
            path = f"{self.folder}/{name.removesuffix(suffix)}-{secrets.token_hex(8)}{suffix}"
        return path

    def clear(self) -> None:
        """Remove the files."""
        while self._paths:
            with suppress(OSError):
                os.remove(self._paths.popitem()[1])


def temporary_files() -> TemporaryFiles:
    """Return the context of the temporary files of one load."""
    return TemporaryFiles(scratch_path())
