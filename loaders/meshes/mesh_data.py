"""MeshData, the MSH format, and the files that belong to a mesh.

Volume and inertia are computed here, not by trimesh, which takes longer to import than most meshes
take to read.

`places_in_reach` says where they may lie. Whoever opens one, or keeps what it knows of one, gets
its path from there.
"""

from __future__ import annotations

import os
import re
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from loaders import codes
from loaders.code import Code
from loaders.deferred import cached_property
from loaders.files.folders import begins_model, enclosing
from loaders.files.read_file import (
    checked,
    checked_path,
    direct_path,
    is_file,
    is_inside,
    real_path,
)
from loaders.inertia import SpatialInertia
from loaders.limits import kept_in_call
from loaders.model import Rgba
from loaders.pose import Array, frozen

from .precheck import MeshError, check_faces, gltf_header, read_checked

Faces = NDArray[np.int64]
"""Vertex indices of triangles, shape (m, 3)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshPart:
    """Triangles of a mesh with the same appearance."""

    names: tuple[str, ...]
    """Names of this part in the file: of its geometry, then of the enclosing nodes, innermost
    first."""
    vertices: Array
    """Positions [m], shape (n, 3), in the mesh's frame G, Z up, scale applied."""
    faces: Faces
    """Vertex indices, shape (m, 3), counterclockwise seen from outside."""
    uv: Array | None = None
    """Texture coordinates of the vertices, shape (n, 2), v upward."""
    color: Rgba | None = None
    """Color of the material, or None."""
    texture: str | None = None
    """File of the color texture, or None."""
    picture: bytes | None = None
    """Content of the color texture, where it is no file of its own."""
    emissive: Rgba | None = None
    """Color of the light that the material emits, or None."""
    double_sided: bool = False
    """Whether both sides are seen."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshData:
    """A mesh as a list of parts."""

    parts: tuple[MeshPart, ...]
    """The parts, at least one."""

    @cached_property
    def vertices(self) -> Array:
        """The positions of all parts [m], shape (n, 3)."""
        return frozen(np.concatenate([part.vertices for part in self.parts]))

    @cached_property
    def faces(self) -> Faces:
        """The triangles of all parts, shape (m, 3), as indices into `vertices`."""
        starts = np.cumsum([0, *(len(part.vertices) for part in self.parts)])
        return np.concatenate(
            [part.faces + start for part, start in zip(self.parts, starts, strict=False)]
        )

    @cached_property
    def bounds(self) -> Array:
        """Lowest and highest corner of the bounding box [m], shape (2, 3)."""
        return frozen((self.vertices.min(axis=0), self.vertices.max(axis=0)))

    @cached_property
    def is_closed(self) -> bool:
        """Return whether every edge has two triangles of opposite orientation; equal positions are
        one vertex.
        """
        _, index = unique_rows(self.vertices)
        faces = index[self.faces]
        edges = np.concatenate((faces[:, (0, 1)], faces[:, (1, 2)], faces[:, (2, 0)]))
        edges = edges[edges[:, 0] != edges[:, 1]]
        keys = edges[:, 0] * (len(self.vertices) + 1) + edges[:, 1]
        mirrored = edges[:, 1] * (len(self.vertices) + 1) + edges[:, 0]
        return bool(np.array_equal(np.sort(keys), np.sort(mirrored)))

    @property
    def volume(self) -> float:
        """Enclosed volume [m^3], negative if the triangles face inward; meaningful only for a
        closed mesh.
        """
        return float(_moments(self.vertices, self.faces)[0])

    def inertia(self, density: float) -> SpatialInertia | None:
        """Return the mass properties in G at a density [kg/m^3]; None if the mesh encloses no
        volume.

        A mesh whose triangles face inward is treated as if they faced outward. Meaningful only for
        a closed mesh.
        """
        center = self.vertices.mean(axis=0)
        volume, first, second = _moments(self.vertices - center, self.faces)
        if volume == 0.0:
            return None
        com = first / volume
        spread = (second / volume - np.outer(com, com)) * abs(volume) * density
        return SpatialInertia.of(
            abs(volume) * density, center + com, np.trace(spread) * np.eye(3) - spread
        )


def parts_by_appearance(parts: Iterable[MeshPart]) -> list[MeshPart]:
    """Return the parts of a mesh, with those that look the same merged."""
    groups: dict[tuple[object, ...], list[MeshPart]] = defaultdict(list)
    for part in parts:
        picture = part.texture or part.picture
        groups[part.color, picture, part.emissive, part.double_sided, part.uv is None].append(part)
    return [_merged(group) for group in groups.values()]


def _merged(parts: list[MeshPart]) -> MeshPart:
    together = MeshData(parts=tuple(parts))
    uv = [part.uv for part in parts if part.uv is not None]
    return replace(
        parts[0],
        vertices=together.vertices,
        faces=together.faces,
        uv=np.concatenate(uv) if uv else None,
    )


def unique_rows(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the different rows of numbers in lexicographic order, and the index of each row among
    them.

    ``numpy.unique`` gives the same, but compares rows as records; for 100,000 positions it takes
    ten times as long.

    Args:
        rows: Finite numbers, shape (n, k).
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    index = np.empty(len(rows), dtype=np.intp)
    index[order] = np.cumsum(is_first) - 1
    return ordered[is_first], index


def _moments(vertices: Array, faces: Faces) -> tuple[float, Array, Array]:
    """Return the volume and the integrals of ``p`` and ``p p^T`` over it, as sums over tetrahedra
    from the origin.
    """
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    six_volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
    total = a + b + c
    second = np.einsum("n,ni,nj->ij", six_volumes, total, total)
    for corner in (a, b, c):
        second += np.einsum("n,ni,nj->ij", six_volumes, corner, corner)
    return float(six_volumes.sum() / 6.0), six_volumes @ total / 24.0, second / 120.0


SUFFIX = ".msh"
HEADER = struct.Struct("<4i")
"""Number of vertices, normals, texture coordinates and triangles."""


def read_msh(data: bytes, path: Path) -> list[MeshPart]:
    """Return the one part of a file; none if it has no triangles.

    Source: MuJoCo's XML reference, ``asset/mesh``. As in MuJoCo, ``v`` of texture coordinates
    points down.

    Args:
        data: Contents of the file.
        path: The file, whose name is that of the part.

    Raises:
        MeshError: if it is not as long as the counts that it declares, or has more triangles than
        the limit.
    """
    vertices, normals, coordinates, faces = _counts(data)
    check_faces(faces)
    if not faces:
        return []
    uv = _rows(data, "<f4", HEADER.size + 12 * (vertices + normals), coordinates, 2).astype(
        np.float64
    )
    uv[:, 1] = 1.0 - uv[:, 1]
    corners = _rows(
        data, "<i4", HEADER.size + 12 * (vertices + normals) + 8 * coordinates, faces, 3
    )
    return [
        MeshPart(
            names=(path.stem,),
            vertices=frozen(_rows(data, "<f4", HEADER.size, vertices, 3).astype(np.float64)),
            faces=corners.astype(np.int64),
            uv=frozen(uv) if coordinates == vertices else None,
        )
    ]


def has_triangles(start: bytes) -> bool:
    """Return whether a file declares triangles; of one without, MuJoCo takes the convex hull.

    Args:
        start: The first bytes of the file, at least those of its `HEADER`.
    """
    return len(start) >= HEADER.size and HEADER.unpack_from(start)[3] > 0


def _counts(data: bytes) -> tuple[int, int, int, int]:
    """Return the numbers of vertices, normals, texture coordinates and triangles that a file
    declares.
    """
    counts = HEADER.unpack_from(data) if len(data) >= HEADER.size else (-1, 0, 0, 0)
    vertices, normals, coordinates, faces = counts
    if min(counts) < 0 or len(data) != HEADER.size + 4 * (
        3 * vertices + 3 * normals + 2 * coordinates + 3 * faces
    ):
        raise MeshError(
            "the file is not valid MSH: its size is not that of the vertices and triangles it "
            "declares"
        )
    return vertices, normals, coordinates, faces


def _rows(data: bytes, kind: str, start: int, count: int, width: int) -> NDArray[np.generic]:
    """Return some rows of numbers, shape (count, width), which begin at a byte."""
    return np.frombuffer(data, dtype=kind, count=count * width, offset=start).reshape(count, width)


COMPANIONS = frozenset({".mtl", ".bin"})
"""Suffixes of material libraries and of buffers, in lower case."""
_PICTURES = frozenset(
    {
        *(
            ".bmp",
            ".dds",
            ".exr",
            ".gif",
            ".hdr",
            ".jpe",
            ".jpeg",
            ".jpg",
            ".jp2",
            ".ktx",
            ".ktx2",
            ".pbm",
            ".pcx",
        ),
        *(".pgm", ".png", ".pnm", ".ppm", ".psd", ".svg", ".tga", ".tif", ".tiff", ".webp"),
    }
)
"""Suffixes of pictures, in lower case; those that cannot be decoded are named when one is drawn."""
_SUFFIXES = COMPANIONS | _PICTURES


class Remark(NamedTuple):
    """A finding about a mesh file: its code and the arguments of the message."""

    code: Code
    arguments: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Textures:
    """Search for the textures of one mesh, with a list of those that it has not."""

    path: Path
    """File of the mesh."""
    absent: list[str] = field(default_factory=list)
    """Names of the textures that were not found, or may not be opened."""

    def find(self, name: str | None) -> str | None:
        """Return the file of a texture, or None."""
        file = local_file(name, self.path)
        if name and file is None:
            self.absent.append(name)
        return file

    def remarks(self) -> list[Remark]:
        """Return one remark for each texture that was not found, and one for those outside."""
        names = dict.fromkeys(self.absent)
        outside = names_out_of_reach(names, self.path)
        missing = (name for name in names if name not in outside)
        remarks = [Remark(codes.MESH_MISSING_TEXTURE, {"texture": name}) for name in missing]
        return [*remarks, *remarks_on_outside(outside)]


def local_file(name: str | None, path: Path) -> str | None:
    """Return the file that a mesh refers to, or None; it must lie in `folder_of_files`.

    Gazebo models also keep such files in ``materials/textures`` beside the folder of the meshes.

    Args:
        name: Name of the file as the mesh has it.
        path: File of the mesh.
    """
    places = places_in_reach((name,) if name else (), path)
    return next((str(place) for place in places if is_file(place)), None)


def places_in_reach(names: Iterable[str], path: Path) -> Iterator[Path]:
    """Yield the places where the files that a mesh refers to may lie, in order, whether there are
    files or not.

    A place whose real path lies elsewhere, or that has the suffix of no such file, is left out.

    Args:
        names: Names of the files as the mesh has them.
        path: File of the mesh.
    """
    reach = folder_of_files(path)
    for name in names:
        for place in _candidates(name, path):
            is_fitting = place.suffix.lower() in _SUFFIXES and "\0" not in str(place)
            if is_fitting and is_inside(real := real_path(place), (reach,)):
                direct = direct_path(str(place))
                checked(direct, real)
                yield Path(direct)


def names_out_of_reach(names: Iterable[str], path: Path) -> list[str]:
    """Return the names that lead from the folder of a mesh to where its files may not lie.

    Args:
        names: Names of the files as the mesh has them.
        path: File of the mesh.
    """
    reach = folder_of_files(path)
    return [
        name for name in names if not is_inside(real_path(_candidates(name, path)[0]), (reach,))
    ]


def folder_of_files(path: str | Path) -> str:
    """Return the real path of the folder in which the files that a mesh refers to must lie.

    It is that of the model or package around the mesh, the innermost one. Of a mesh in none it is
    the folder above that of the mesh, or that of the mesh if it holds descriptions of models or
    the one above holds the home folder.

    Args:
        path: File of the mesh.
    """
    folder = os.path.dirname(path)
    known, key = kept_in_call(), ("folder of files", folder)
    if key not in known:  # a robot has many meshes in one folder: 5 to 10 % of a load
        known[key] = _reach(checked_path(folder))
    reach: str = known[key]
    return reach


def _reach(own: str) -> str:
    around = enclosing(Path(own))
    if around:
        return str(around[0])
    above = os.path.dirname(own)
    holds_home = is_inside(real_path(os.path.expanduser("~")), (above,))
    return own if holds_home or begins_model(Path(own)) else above


def _candidates(name: str, path: Path) -> tuple[Path, Path]:
    """Return the places where a file that a mesh refers to is looked for, in order."""
    written = Path(unquote(name.removeprefix("file://")).replace("\\", "/"))
    return path.parent / written, path.parent.parent / "materials" / "textures" / written.name


_LIBRARY = re.compile(rb"mtllib([^\r\n]*)")


def companion_files(path: str) -> tuple[str, ...]:
    """Return the paths at which the reader looks for material libraries and buffers, whether they
    exist or not.

    The reader does not look outside the folders of the mesh, so what lies there changes nothing.

    Args:
        path: Path of the mesh file.
    """
    file = Path(path)
    try:
        names = tuple(_names(read_checked(file), file.suffix.lower()))
    except MeshError:
        return ()
    places = places_in_reach(dict.fromkeys(names), file)
    return tuple(str(place) for place in places if place.suffix.lower() in COMPANIONS)


def remarks_on_libraries(data: bytes, path: Path) -> list[Remark]:
    """Return a remark on the material libraries of an OBJ file outside the folder of its model,
    which stay closed.

    Args:
        data: Contents of the file.
        path: The file.
    """
    return remarks_on_outside(names_out_of_reach(dict.fromkeys(libraries(data, "utf-8")), path))


def remarks_on_outside(names: Sequence[str]) -> list[Remark]:
    """Return a remark on the files that a mesh names and that stay closed, if there are any.

    Args:
        names: Their names as the mesh has them.
    """
    return [Remark(codes.MESH_OUTSIDE, {"files": ", ".join(names)})] if names else []


def libraries(data: bytes, encoding: str) -> Iterator[str]:
    """Yield the names of the material libraries of an OBJ file; a name may have spaces, and a
    statement may have several names.

    Args:
        data: Contents of the file.
        encoding: Encoding of the names.
    """
    for match in _LIBRARY.finditer(data):
        line = match[1].decode(encoding, errors="ignore").strip()
        words = line.split()
        yield from words if all(word.lower().endswith(".mtl") for word in words) else (line,)


def _names(data: bytes, suffix: str) -> Iterator[str]:
    if suffix == ".obj":
        yield from libraries(data, "latin-1")
        yield from libraries(data, "utf-8")
    if suffix in (".gltf", ".glb"):
        buffers = gltf_header(data).get("buffers")
        for buffer in buffers if isinstance(buffers, list) else ():
            uri = buffer.get("uri") if isinstance(buffer, dict) else None
            if isinstance(uri, str) and not uri.startswith("data:"):
                yield uri
