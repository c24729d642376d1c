"""MeshData, the looks that mesh files state, the MSH format, and the files that belong to a mesh.

Volume and inertia are computed here, not by trimesh, which takes longer to import than most meshes
take to read.

`places_in_reach` says where they may lie. Whoever opens one, or keeps what it knows of one, gets
its path from there.
"""

from __future__ import annotations

import io
import math
import os
import re
import struct
from collections import Counter, defaultdict
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
from loaders.meshes.precheck import MeshError, check_faces, gltf_header, read_checked
from loaders.model import Rgba
from loaders.pose import Array, frozen

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


BLACK: Rgba = (0.0, 0.0, 0.0, 1.0)
WHITE: Rgba = (1.0, 1.0, 1.0, 1.0)
COLORS_BESIDE = "colors of vertices beside the color or texture of a material"
_ROUNDING = 1e-3
"""Distance from a texture within which coordinates count as inside."""
_MOST_COLORS = 4096
"""Largest number of colors of faces that are kept apart; of more, each channel has 16 levels."""
_TEXELS = 4
"""Width of the square of one color in a picture of colors [pixels]."""


@dataclass(frozen=True, slots=True)
class Losses:
    """Count of what a mesh file states about looks and no part carries."""

    counts: Counter[str] = field(default_factory=Counter)
    """Number of materials or parts, by what they state."""

    def add(self, what: str, count: int = 1) -> None:
        """Count materials or parts."""
        self.counts[what] += count

    def add_ambient(self, look: StatedLook, ambient: Sequence[float] | None) -> None:
        """Count a material that is black but for its hue in ambient light; gray is what exporters
        write into every material.
        """
        is_black = look.color is not None and not any(look.color[:3]) and look.emissive is None
        if is_black and ambient is not None and len(set(ambient[:3])) > 1:
            self.add("ambient light of a black material")

    def remarks(self) -> list[Remark]:
        """Return one remark for each kind of loss."""
        return [
            Remark(codes.MESH_LOOKS, {"what": what, "count": str(count)})
            for what, count in self.counts.items()
            if count
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedLook:
    """The look that one material of a mesh file states, with its textures as files or bytes."""

    color: Rgba | None = None
    texture: str | None = None
    picture: bytes | None = None
    emissive: Rgba | None = None
    double_sided: bool = False
    uv_set: int = 0
    """Number of the set of texture coordinates that the texture uses."""
    uv_transform: Array | None = None
    """Transform of the texture coordinates, v upward, shape (2, 3); None for none."""
    repeats: bool = True
    """Whether the texture repeats outside its own range of coordinates."""

    @property
    def has_texture(self) -> bool:
        """Return whether the look has a picture, as a file or as bytes."""
        return self.texture is not None or self.picture is not None

    def on(self, part: MeshPart, losses: Losses) -> MeshPart:
        """Return a part with this look; the transform of its texture coordinates is applied.

        Args:
            part: The part, without look.
            losses: Count of what is not carried.
        """
        uv = part.uv
        if uv is not None and self.uv_transform is not None and self.has_texture:
            uv = frozen(uv @ self.uv_transform[:, :2].T + self.uv_transform[:, 2])
        if uv is not None and self.has_texture and not self.repeats and _is_outside(uv):
            losses.add("a texture that does not repeat")
        return replace(
            part,
            uv=uv,
            color=self.color,
            texture=self.texture,
            picture=self.picture,
            emissive=self.emissive,
            double_sided=self.double_sided,
        )


def _is_outside(uv: Array) -> bool:
    """Return whether coordinates lie outside the texture, where it may repeat."""
    return bool(uv.min(initial=0.0) < -_ROUNDING or uv.max(initial=1.0) > 1.0 + _ROUNDING)


def glowing(look: StatedLook, glow: StatedLook, losses: Losses) -> StatedLook:
    """Return a look with the texture by which it emits light, if it shows nothing else.

    Args:
        look: The look without this texture.
        glow: The texture of the emitted light, and its factor as the color.
        losses: Count of the textures that cannot be shown beside another.
    """
    if not glow.has_texture:
        return look
    if look.has_texture or (look.color is not None and any(look.color[:3])):
        losses.add("a texture of emitted light beside another color")
        return look
    color = glow.color or WHITE
    return replace(
        glow,
        color=(*color[:3], look.color[3] if look.color else 1.0),
        emissive=color,
        double_sided=look.double_sided,
    )


def opacity(alpha: float) -> float:
    """Return the opacity that an alpha means: many exporters write 0 for what is opaque."""
    alpha = min(max(alpha, 0.0), 1.0)
    return alpha if alpha > 0.0 else 1.0


def emitted(color: Sequence[float] | None) -> Rgba | None:
    """Return the color of emitted light; None if there is none, or it is black."""
    if color is None or len(color) < 3:
        return None
    red, green, blue = (min(max(float(value), 0.0), 1.0) for value in color[:3])
    return (red, green, blue, 1.0) if max(red, green, blue) > 0.0 else None


def srgb(linear: Any) -> Array:
    """Return numbers from 0 to 1 of light as those of colors on a screen (IEC 61966-2-1)."""
    light = np.clip(np.asarray(linear, dtype=np.float64), 0.0, 1.0)
    curve = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1.0 / 2.4) - 0.055)
    return np.asarray(np.round(curve, 9), dtype=np.float64)


def colored(part: MeshPart, colors: Array | None, losses: Losses) -> MeshPart:
    """Return a part with the colors of its faces, unless its material states another look.

    Args:
        part: The part, with the look of its material.
        colors: Red, green, blue and alpha of each face from 0 to 1, shape (n, 4), or None.
        losses: Count of what is not carried.
    """
    if colors is None:
        return part
    is_white = part.color is None or part.color[:3] == WHITE[:3]
    if is_white and not part.texture and part.picture is None:
        return _with_colors(part, colors * (1.0, 1.0, 1.0, part.color[3] if part.color else 1.0))
    if colors[:, :3].min() < 1.0:
        losses.add(COLORS_BESIDE)
    return part


def _with_colors(part: MeshPart, colors: Array) -> MeshPart:
    """Return a part in the colors of its faces.

    Colors that are not all equal become a picture with a square for each.

    Args:
        part: The part, without texture; its own color is ignored.
        colors: Red, green, blue and alpha of each face from 0 to 1, shape (n, 4).
    """
    of_faces = np.rint(255.0 * colors).astype(np.int64)
    alpha = opacity(float(of_faces[:, 3].mean()) / 255.0)
    kept = of_faces[:, :3]
    unique, index = _unique_colors(kept)
    if len(unique) > _MOST_COLORS:
        unique, index = _unique_colors(kept // 16 * 17)
    if len(unique) == 1:
        red, green, blue = (float(value) / 255.0 for value in unique[0])
        return replace(part, color=(red, green, blue, alpha), uv=None)
    picture, centers = _palette(unique)
    corners = np.column_stack((part.faces.reshape(-1), np.repeat(index, 3)))
    used, faces = np.unique(corners, axis=0, return_inverse=True)
    return replace(
        part,
        vertices=frozen(part.vertices[used[:, 0]]),
        faces=faces.reshape(-1, 3),
        uv=frozen(centers[used[:, 1]]),
        color=(1.0, 1.0, 1.0, alpha),
        picture=picture,
    )


def _unique_colors(colors: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    keys, index = np.unique(colors @ (1 << 16, 1 << 8, 1), return_inverse=True)
    return np.column_stack((keys >> 16, keys >> 8 & 255, keys & 255)), index.reshape(-1)


def _palette(colors: NDArray[np.int64]) -> tuple[bytes, Array]:
    """Return a picture of colors as PNG, and the texture coordinates of the middle of each."""
    from PIL import Image

    side = math.ceil(math.sqrt(len(colors)))
    squares = np.zeros((side * side, 3), dtype=np.uint8)
    squares[: len(colors)] = colors
    pixels = squares.reshape(side, side, 3).repeat(_TEXELS, axis=0).repeat(_TEXELS, axis=1)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    row, column = np.divmod(np.arange(len(colors)), side)
    return stream.getvalue(), np.column_stack(((column + 0.5) / side, 1.0 - (row + 0.5) / side))
