"""Mesh files and pictures in the form that targets eat: OBJ of one shape, in metres, z up, scale applied; PNG.

Every function is pure but for the diagnostics that it appends to. Bytes are the same for the same input, so that
targets may tell assets apart, and name files, by content. `stored` keeps a file for an engine that wants a path.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loaders.diagnostics import NOWHERE, Diagnostics, Fate, Where
from loaders.meshes import MeshData, MeshPart, read_mesh
from loaders.model import Cone, Mesh, Polyline, Rgba
from loaders.spatial import Array

from . import convex_decomposition
from .tessellation import Faces, cone, extent, is_convex, normal_if_flat, prisms

_THICKNESS = 1e-3
"""What a flat body gets to collide with, over its extent."""


_ROUNDED = 1e-3
"""Share of its volume that a mesh may lack to its convex hull and still be convex: corners in single precision."""
_EMPTY = 1e-6
"""Share of its bounding box below which a mesh has no volume."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshAsset:
    """One part of a shape, ready to be written."""

    name: str
    """For people: the mesh file's, and the part's where there are several."""
    vertices: Array
    """Positions [m], shape (n, 3)."""
    faces: Faces
    """Indices of corners, shape (m, 3)."""
    uv: Array | None = None
    """Texture coordinates of the vertices, shape (n, 2)."""
    rgba: Rgba | None = None
    """The colour that the mesh file states."""
    texture: str | None = None
    """The picture that the mesh file states."""

    @property
    def data(self) -> bytes:
        """An OBJ file."""
        return obj(self.vertices, self.faces, self.uv)


def mesh_asset(
    mesh: Mesh,
    target: str,
    diagnostics: Diagnostics,
    *,
    where: Where = NOWHERE,
    collides: bool = False,
    plain: bool = False,
) -> tuple[MeshAsset, ...]:
    """The parts of a mesh, one for each of its materials; nothing, with a diagnostic, if it cannot be read.

    Args:
        mesh: The mesh.
        target: The engine that the diagnostics are about.
        diagnostics: Appended to.
        where: The place in the source.
        collides: Whether the engine computes contacts with it. Then it is one part, or several convex ones if it asks
            to be taken apart; flat ones get a thickness, and a shape that is not convex is reported, because engines
            take its convex hull.
        plain: Whether its looks do not matter; then it is one part, without them.
    """
    if mesh.path is None:
        diagnostics.add(
            Fate.DROPPED,
            "mesh.missing",
            "the mesh {uri} was not found; the shape is left out",
            where,
            target=target,
            hint="give the folder it is in",
            uri=mesh.uri,
        )
        return ()
    data = read_mesh(mesh, diagnostics)
    if data is None:
        return ()
    stem = Path(mesh.path).stem
    if collides:
        return _solids(mesh, data, _Ledger(stem, target, diagnostics, where))
    if plain:
        return (_thick(MeshPart(names=(), vertices=data.vertices, faces=data.faces), stem),)
    looks = _alike(data.parts)
    return tuple(_thick(part, f"{stem}_{i}" if len(looks) > 1 else stem) for i, part in enumerate(looks))


def _thick(part: MeshPart, name: str) -> MeshAsset:
    """A part as it is; a lone flat triangle with another side, for engines that want four vertices."""
    vertices, faces, uv = part.vertices, part.faces, part.uv
    normal = normal_if_flat(vertices) if len(vertices) < 4 else None
    if normal is not None:
        vertices, faces, uv = _doubled(vertices, faces, uv, normal)
    return MeshAsset(name=name, vertices=vertices, faces=faces, uv=uv, rgba=part.color, texture=part.texture)


def shape_asset(
    shape: Cone | Polyline, target: str, diagnostics: Diagnostics, *, where: Where = NOWHERE
) -> tuple[MeshAsset, ...]:
    """A shape that the engine lacks, as meshes; reports by how much they differ."""
    name = type(shape).__name__.lower()
    if isinstance(shape, Cone):
        message = "a cone becomes a mesh of 64 sides, which lies up to 0.12 % of the radius inside"
        diagnostics.add(Fate.APPROXIMATED, "mesh.cone", message, where, target=target)
        solids = [cone(shape)]
    else:
        solids = prisms(shape)
        message = "a polyline becomes a mesh, which collides as its convex hull"
        if len(solids) > 1:
            message += f", as does each of its {len(solids)} outlines; holes are filled"
        diagnostics.add(Fate.APPROXIMATED, "mesh.polyline", message, where, target=target)
    names = [name] if len(solids) == 1 else [f"{name}_{i}" for i in range(len(solids))]
    return tuple(
        MeshAsset(name=name, vertices=vertices, faces=faces)
        for name, (vertices, faces) in zip(names, solids, strict=True)
    )


def _alike(parts: Sequence[MeshPart]) -> list[MeshPart]:
    """The parts of a mesh, those that look the same as one."""
    groups: dict[tuple[Rgba | None, str | None, bool], list[MeshPart]] = defaultdict(list)
    for part in parts:
        groups[part.color, part.texture, part.uv is None].append(part)
    return [_one(group) for group in groups.values()]


def _one(parts: list[MeshPart]) -> MeshPart:
    together = MeshData(parts=tuple(parts))
    uv = [part.uv for part in parts if part.uv is not None]
    return replace(parts[0], vertices=together.vertices, faces=together.faces, uv=np.concatenate(uv) if uv else None)


# --- parts -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Ledger:
    """Where to say what becomes of one mesh that collides."""

    name: str
    target: str
    diagnostics: Diagnostics
    where: Where

    def add(self, fate: Fate, code: str, template: str, hint: str = "", **arguments: str | float) -> None:
        message = "mesh {mesh} " + template
        where, target = self.where, self.target
        self.diagnostics.add(
            fate, code, message, where, target=target, hint=hint, subjects=(), mesh=self.name, **arguments
        )


def _solids(mesh: Mesh, data: MeshData, ledger: _Ledger) -> tuple[MeshAsset, ...]:
    """All parts as one shape with a volume, or as convex ones if it asks for that; without looks."""
    vertices, faces = data.vertices, data.faces
    normal = normal_if_flat(vertices)
    if normal is not None:
        vertices, faces, _ = _doubled(vertices, faces, None, normal)
        ledger.add(
            Fate.APPROXIMATED,
            "mesh.flat",
            "is flat; to collide it gets a thickness of {value:.2g} m",
            "use a box",
            value=_THICKNESS * extent(vertices),
        )
    elif not (mesh.convex or mesh.decomposition == convex_decomposition.HULL or is_convex(vertices, faces)):
        own, hull = _volume(data), convex_decomposition.hull_volume((vertices, faces))
        is_its_hull = own is not None and hull is not None and hull < own * (1.0 + _ROUNDED)
        if mesh.decomposition == convex_decomposition.PARTS and not is_its_hull:
            return _parts(mesh, data, ledger)
        if not is_its_hull:
            what = f"is not convex; it collides as its convex hull{_excess(hull, own)}"
            hint = 'take it apart with collision_meshes="decompose"'
            ledger.add(Fate.APPROXIMATED, "mesh.convex-hull", what, hint)
    return (MeshAsset(name=ledger.name, vertices=vertices, faces=faces),)


def _parts(mesh: Mesh, data: MeshData, ledger: _Ledger) -> tuple[MeshAsset, ...]:
    """The convex parts of a mesh; if it cannot be taken apart it stays whole, and that is said."""
    try:
        solids = _kept_parts(mesh, data)
    except convex_decomposition.DecompositionError as error:
        asked = f"up to {mesh.max_convex_hulls} convex parts ({mesh.voxel_resolution} voxels)"
        what = f"is not taken apart into {asked}, because {error}; it collides as its convex hull"
        hint = (
            "use several convex shapes; to try again, empty the cache"
            if convex_decomposition.installed()
            else convex_decomposition.INSTALL
        )
        ledger.add(Fate.APPROXIMATED, "mesh.decomposition", what, hint)
        return (MeshAsset(name=ledger.name, vertices=data.vertices, faces=data.faces),)
    volume = sum(abs(MeshData(parts=(MeshPart(names=(), vertices=v, faces=f),)).volume) for v, f in solids)
    ledger.add(
        Fate.APPROXIMATED,
        "mesh.convex-parts",
        "is not convex; it collides as {count} convex parts{excess}",
        count=len(solids),
        excess=_excess(volume, _volume(data)),
    )
    return tuple(
        MeshAsset(name=f"{ledger.name}_convex_{i}", vertices=vertices, faces=faces)
        for i, (vertices, faces) in enumerate(solids)
    )


def _kept_parts(mesh: Mesh, data: MeshData) -> tuple[convex_decomposition.Solid, ...]:
    """The convex parts of a mesh, from the cache if there is a place for one."""
    solid = (data.vertices, data.faces)
    try:
        return convex_decomposition.convex_parts(solid, mesh, cache_folder() / "convex")
    except OSError:
        with tempfile.TemporaryDirectory(prefix="sdfbridge-") as folder:
            return convex_decomposition.convex_parts(solid, mesh, Path(folder))


def _volume(data: MeshData) -> float | None:
    """The volume inside a mesh [m^3]; None if it is open, or its triangles face both ways and enclose none."""
    volume = abs(data.volume)
    return volume if data.is_closed and volume > _EMPTY * np.prod(np.ptp(data.vertices, axis=0)) else None


def _excess(volume: float | None, own: float | None) -> str:
    """By how much a volume [m^3] exceeds that of a mesh, in words."""
    if own is None:
        return "; the mesh encloses no volume to compare with"
    return f", of {volume:.3g} m^3 instead of {own:.3g} ({100.0 * (volume / own - 1.0):+.1f} %)" if volume else ""


def _doubled(vertices: Array, faces: Faces, uv: Array | None, normal: Array) -> tuple[Array, Faces, Array | None]:
    """A flat shape with two sides, `_THICKNESS` of its extent apart."""
    offset = normal * (_THICKNESS / 2.0) * extent(vertices)
    return (
        np.concatenate((vertices + offset, vertices - offset)),
        np.concatenate((faces, faces[:, ::-1] + len(vertices))),
        None if uv is None else np.concatenate((uv, uv)),
    )


# --- files -----------------------------------------------------------------------------------------------------------


def obj(vertices: Array, faces: NDArray[np.int64], uv: Array | None = None) -> bytes:
    """Triangles as an OBJ file of one shape; coordinates as engines keep them, in single precision."""
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices.tolist()]
    if uv is None:
        lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    else:
        lines += [f"vt {u:.9g} {v:.9g}" for u, v in uv.tolist()]
        lines += [f"f {a}/{a} {b}/{b} {c}/{c}" for a, b, c in (faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()


def png_texture(file: str, target: str, diagnostics: Diagnostics, *, where: Where = NOWHERE) -> bytes | None:
    """A picture as PNG; None with a diagnostic if it is missing or cannot be converted.

    Other formats than PNG need Pillow.
    """
    path = Path(file)
    try:
        data = path.read_bytes()
    except OSError as error:
        diagnostics.add(
            Fate.NOTED,
            "texture.unreadable",
            "the texture {path} cannot be read: {strerror}",
            where,
            target=target,
            path=path.name,
            strerror=error.strerror,
        )
        return None
    if data.startswith(b"\x89PNG"):
        return data
    converted = _converted(data)
    if converted is None:
        diagnostics.add(
            Fate.NOTED,
            "texture.format",
            "the texture {path} is no PNG; it is left out",
            where,
            target=target,
            hint="pip install pillow",
            path=path.name,
        )
    return converted


def is_seen_through(png: bytes) -> bool:
    """Whether a picture has parts that are more transparent than not; False where Pillow is missing."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        return False
    try:
        with Image.open(io.BytesIO(png)) as image:
            return bool(np.asarray(image.convert("RGBA"))[:, :, 3].min() < 128)
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError):
        return False


def _converted(picture: bytes) -> bytes | None:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        return None
    out = io.BytesIO()
    try:
        with Image.open(io.BytesIO(picture)) as image:
            image.convert("RGBA" if "A" in image.getbands() else "RGB").save(out, "PNG")
    except (OSError, UnidentifiedImageError):
        return None
    return out.getvalue()


def cache_folder() -> Path:
    """Where `stored` keeps files: ``SDFBRIDGE_CACHE``, or the user's cache folder."""
    chosen = os.environ.get("SDFBRIDGE_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "sdfbridge" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "sdfbridge"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "sdfbridge"


def stored(data: bytes, suffix: str, shelf: str = "") -> Path:
    """A file with this content, in the cache, named by it; written once, whole or not at all.

    Args:
        data: The content.
        suffix: How the name ends.
        shelf: A folder of the cache, for files that lie beside each other because one names another.
    """
    digest = hashlib.sha256(data).hexdigest()
    path = cache_folder() / (shelf or digest[:2]) / f"{digest}{suffix}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(scratch, path)
    return path
