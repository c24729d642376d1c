"""Meshes in the form that targets read, converted once to OBJ.

The same input gives the same bytes, so that targets can find equal assets, and name files, by
content.

Positions in double precision, which OBJ rounds, are in a separate file, which is read
only by those who ask for them. Where the cache cannot be used, a mesh is converted each time.

They are written here and not by trimesh, whose import takes 0.3 s: the bytes must be the same for
the same mesh with every version of it, because targets name files, and find equal meshes, by
content.
"""

from __future__ import annotations

import hashlib
import io
import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache, partial
from importlib import metadata
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from bridge.codes import (
    MESH_CONE,
    MESH_DEGENERATE,
    MESH_POLYLINE,
    MESH_POLYLINE_NOT_SIMPLE,
    MESH_POLYLINE_OUTLINES,
)
from loaders.codes import MESH_EMBEDDED_TEXTURE, MESH_MISSING, MESH_MISSING_TEXTURE, MESH_OUTSIDE
from loaders.deferred import cached_property
from loaders.diagnostics import NOWHERE, Diagnostic, Diagnostics, Where
from loaders.files.read_file import is_file
from loaders.finish.finish import with_references
from loaders.finish.mesh_check import (
    check_meshes,
    meshes_of,
    models_to_turn,
    read_mesh_once,
    turned_in,
)
from loaders.limits import keep_in_call, kept_in_call, metered
from loaders.meshes import MeshData, MeshPart
from loaders.meshes.collada import may_be_open
from loaders.meshes.mesh_data import (
    companion_files,
    folder_of_files,
    parts_by_appearance,
    places_in_reach,
)
from loaders.model import Collision, Cone, Geometry, Heightmap, Mesh, Polyline, Visual
from loaders.model.link import UNSTATED, PartLook, tints
from loaders.pose import Array, Pose
from loaders.scene import Scene

from .cache import (
    Conversion,
    FileState,
    cache_path,
    content_of,
    has_members,
    is_look,
    look_from_json,
    look_to_json,
    read_record,
    record_path,
    remembered,
    states_of,
    stored,
    stored_as,
    write_record,
)
from .convex_decomposition import (
    PARTS,
    CollisionMesh,
    Faces,
    collision_parts,
    installed,
    normal_if_flat,
    report_large_hull,
    two_sided,
)
from .shapes import SIDES, cone, prisms, problem

_Shape = TypeVar("_Shape", Collision, Visual)


def with_asset_files(scene: Scene) -> Scene:
    """Return the scene with a file for each mesh and height map whose content is in the source.

    Where the cache cannot be written the file is missing, which every target reports.
    """
    shapes: Iterator[Collision | Visual] = chain.from_iterable(
        (*link.collisions, *link.visuals) for link in scene.links
    )
    if not any(
        isinstance(shape.geometry, Mesh | Heightmap) and shape.geometry.data for shape in shapes
    ):
        return scene
    links = tuple(
        replace(link, collisions=_with_files(link.collisions), visuals=_with_files(link.visuals))
        for link in scene.links
    )
    return replace(scene, links=links)


def _with_files(shapes: tuple[_Shape, ...]) -> tuple[_Shape, ...]:
    return tuple(replace(shape, geometry=_with_file(shape.geometry)) for shape in shapes)


def _with_file(geometry: Geometry) -> Geometry:
    if not isinstance(geometry, Mesh | Heightmap) or geometry.data is None:
        return geometry
    suffix = ".obj" if isinstance(geometry, Mesh) else ".png"
    try:
        path = str(stored(geometry.data, suffix))
    except OSError:
        return replace(geometry, path=None, data=None)
    return replace(geometry, path=path, data=None)


def obj(
    vertices: Array, faces: Faces, uv: Array | None = None, *, has_normals: bool = False
) -> bytes:
    """Return an OBJ file of one shape, with coordinates in single precision, as engines keep them.

    Args:
        vertices: Positions [m], shape (n, 3).
        faces: Triangles, shape (m, 3).
        uv: Texture coordinates of the vertices, shape (n, 2).
        has_normals: Whether the file has normals of the vertices, without which Drake's renderer
            refuses it: the mean of those of the triangles around each.
    """
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices.tolist()]
    lines += [] if uv is None else [f"vt {u:.9g} {v:.9g}" for u, v in uv.tolist()]
    if has_normals:
        lines += [f"vn {x:.6g} {y:.6g} {z:.6g}" for x, y, z in _normals(vertices, faces).tolist()]
    if uv is None:
        corner = "{0}//{0}" if has_normals else "{0}"
    else:
        corner = "{0}/{0}/{0}" if has_normals else "{0}/{0}"
    face = "f " + " ".join(corner.replace("0", str(i)) for i in range(3))
    lines += [face.format(*corners) for corners in (faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()


def _normals(vertices: Array, faces: Faces) -> Array:
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    sums = np.zeros((len(vertices), 3))
    np.add.at(sums, faces.reshape(-1), np.repeat(np.cross(b - a, c - a), 3, axis=0))
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    normals: Array = np.where(lengths > 0.0, sums / np.maximum(lengths, 1e-300), (0.0, 0.0, 1.0))
    return normals


_TEXTURES = "textures"
"""Subfolder of the cache with the pictures that lie in mesh files."""
_MIN_SIZE = 1e-9
"""Smallest radius and length of a cone [m]."""


class Appearance(StrEnum):
    """The part of a mesh file's appearance that matters."""

    ALL = "all"
    """Its colors and textures: one part for each material."""
    TEXTURES = "textures"
    """Its textures: one part for each material if it has textures, else one part without
    appearance."""
    NONE = "none"
    """Nothing: one part without appearance."""


def appearance_of(visual: Visual) -> Appearance:
    """Return the part of a mesh file's appearance that the material of a visual leaves in effect,
    by the rule of `loaders.model.link.look_of`.
    """
    material = visual.material
    if material is None or material.diffuse is None or material.texture is not None:
        return Appearance.ALL
    return Appearance.TEXTURES if tints(visual) else Appearance.NONE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshAsset:
    """One part of a shape, ready to be written to a file."""

    name: str
    """Name for people: that of the mesh file, with a number if the mesh has several parts."""
    vertices: Array
    """Positions [m], shape (n, 3)."""
    faces: Faces
    """Vertex indices of triangles, shape (m, 3)."""
    uv: Array | None = None
    """Texture coordinates of the vertices, shape (n, 2)."""
    look: PartLook = UNSTATED
    """Look that the mesh file states."""

    @property
    def data(self) -> bytes:
        """The part as an OBJ file."""
        return obj(self.vertices, self.faces, self.uv)


def mesh_asset(
    mesh: Mesh,
    target: str,
    diagnostics: Diagnostics,
    *,
    where: Where = NOWHERE,
    collides: bool = False,
    appearance: Appearance = Appearance.ALL,
) -> tuple[MeshAsset, ...]:
    """Return the parts of a mesh, one for each of its materials; none, with a diagnostic, if it
    cannot be read.

    Args:
        mesh: The mesh.
        target: The engine that the diagnostics are about.
        diagnostics: Receives the findings.
        where: The place in the source.
        collides: Whether the engine computes contacts with it. Then it is one part, or several
            convex ones if it consists of such or is to be decomposed; a flat mesh gets a thickness,
            and a mesh that is not convex is reported, because engines take its convex hull.
        appearance: The part of its appearance that matters; none of it does if the mesh collides.
    """
    if mesh.path is None:
        diagnostics.add(MESH_MISSING, where, target=target, uri=mesh.uri)
        return ()
    data = read_mesh_once(mesh, diagnostics)
    if data is None:
        return ()
    name = Path(mesh.path).stem
    if collides:
        assets, found = _colliding(mesh, data, name)
        diagnostics.extend(placed(finding, where, target) for finding in found)
        return assets
    seen = MeshData(parts=tuple(map(_with_back, data.parts)))
    has_texture = any(part.texture or part.picture for part in seen.parts)
    if appearance is Appearance.NONE or (appearance is Appearance.TEXTURES and not has_texture):
        return (_visual_part(MeshPart(names=(), vertices=seen.vertices, faces=seen.faces), name),)
    looks = [
        _with_texture_file(part, mesh, diagnostics) for part in parts_by_appearance(seen.parts)
    ]
    return tuple(
        _visual_part(part, f"{name}_{i}" if len(looks) > 1 else name)
        for i, part in enumerate(looks)
    )


def _colliding(mesh: Mesh, data: MeshData, name: str) -> tuple[tuple[MeshAsset, ...], Diagnostics]:
    """Return the parts that collide for a mesh, and findings about any engine and place.

    They are computed once in a call, for its overlaps and for its target: the distance of a hull
    from the mesh takes 0.1 s.
    """
    key = _colliding, mesh, data
    made: tuple[tuple[MeshAsset, ...], Diagnostics] | None = kept_in_call().get(key)
    if made is None:
        found = Diagnostics()
        collision = CollisionMesh(mesh, data, name, _ANY, found, NOWHERE)
        parts = collision_parts(collision)
        for vertices, _ in parts.values():
            report_large_hull(collision, vertices)
        assets = tuple(
            MeshAsset(name=part, vertices=vertices, faces=faces)
            for part, (vertices, faces) in parts.items()
        )
        made = assets, found
        keep_in_call(key, made, len(data.faces))
    return made


def _with_back(part: MeshPart) -> MeshPart:
    """Return a part with both of its sides, if both are to be seen: engines draw the front only."""
    if not part.double_sided or MeshData(parts=(part,)).is_closed:
        return part
    return replace(
        part,
        vertices=np.concatenate((part.vertices, part.vertices)),
        faces=np.concatenate((part.faces, part.faces[:, ::-1] + len(part.vertices))),
        uv=None if part.uv is None else np.concatenate((part.uv, part.uv)),
    )


def _with_texture_file(part: MeshPart, mesh: Mesh, diagnostics: Diagnostics) -> MeshPart:
    """Return a part whose texture, if it lies in the mesh file, is a file of the cache."""
    if part.picture is None:
        return part
    try:
        file = stored_as(part.picture, f"{Path(mesh.path or mesh.uri).stem}.png", _TEXTURES)
    except OSError as error:
        reason = f"the cache cannot be written: {error.strerror}"
        diagnostics.add(MESH_EMBEDDED_TEXTURE, Where(mesh.path or ""), reason=reason)
        return replace(part, picture=None)
    return replace(part, texture=str(file), picture=None)


def _visual_part(part: MeshPart, name: str) -> MeshAsset:
    """Return a part as it is; a single flat triangle with a second side, for engines that need four
    vertices.
    """
    vertices, faces, uv = part.vertices, part.faces, part.uv
    normal = normal_if_flat(vertices) if len(vertices) < 4 else None
    if normal is not None:
        vertices, faces = two_sided(vertices, faces, normal)
        uv = None if uv is None else np.concatenate((uv, uv))
    look = PartLook(color=part.color, texture=part.texture, emissive=part.emissive)
    return MeshAsset(name=name, vertices=vertices, faces=faces, uv=uv, look=look)


def shape_asset(
    shape: Cone | Polyline, target: str, diagnostics: Diagnostics, *, where: Where = NOWHERE
) -> tuple[MeshAsset, ...]:
    """Return a shape that the engine lacks as meshes, and report how much they differ from it.

    Args:
        shape: The shape.
        target: The engine that the diagnostics are about.
        diagnostics: Receives the findings.
        where: The place in the source.
    """
    if isinstance(shape, Cone):
        if not min(shape.radius, shape.length) >= _MIN_SIZE:
            reason = f"its radius is {shape.radius:g} m and its length {shape.length:g} m"
            _report_degenerate("a cone", reason, target, diagnostics, where)
            return ()
        share = f"{1.0 - np.cos(np.pi / SIDES):.2%}"
        diagnostics.add(MESH_CONE, where, target=target, sides=SIDES, share=share)
        vertices, faces = cone(shape)
        return (MeshAsset(name="cone", vertices=vertices, faces=faces),)
    return _polyline_asset(shape, target, diagnostics, where)


def _report_degenerate(
    shape: str, reason: str, target: str, diagnostics: Diagnostics, where: Where
) -> None:
    diagnostics.add(MESH_DEGENERATE, where, target=target, shape=shape, reason=reason)


def _polyline_asset(
    shape: Polyline, target: str, diagnostics: Diagnostics, where: Where
) -> tuple[MeshAsset, ...]:
    solids = prisms(shape)
    for reason in filter(None, (problem(outline, shape.height) for outline in shape.outlines)):
        _report_degenerate("an outline of a polyline", reason, target, diagnostics, where)
    if not solids:
        return ()
    code = MESH_POLYLINE if len(solids) == 1 else MESH_POLYLINE_OUTLINES
    diagnostics.add(code, where, target=target, count=len(solids))
    if not all(solid.is_filled for solid in solids):
        diagnostics.add(MESH_POLYLINE_NOT_SIMPLE, where, target=target)
    names = ["polyline"] if len(solids) == 1 else [f"polyline_{i}" for i in range(len(solids))]
    return tuple(
        MeshAsset(name=name, vertices=solid.vertices, faces=solid.faces)
        for name, solid in zip(names, solids, strict=True)
    )


_VERSION = "10"
"""Version of the conversion and of its record."""
_SUBFOLDER = "obj"
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "digest": str,
    "has_uv": bool,
    "color": (list, type(None)),
    "texture": (str, type(None)),
    "emissive": (list, type(None)),
    "obj": str,
    "npy": str,
}
"""Kinds of the members of a part in a record."""
_values_of = attrgetter(
    *(entry.name for entry in fields(Mesh) if entry.name not in {"uri", "path"})
)
"""Function that returns what a mesh states apart from its file."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshFile:
    """One part of a shape as an OBJ file.

    Attributes:
        name: Name for people.
        data: The OBJ file.
        digest: Hash of the OBJ file.
        has_uv: Whether it has texture coordinates.
        look: What the mesh file states about its look.
        source: The positions [m], shape (n, 3), or the file of the cache that has them.
    """

    name: str
    data: bytes
    digest: str
    has_uv: bool
    look: PartLook
    source: Array | str

    @cached_property
    def vertices(self) -> Array:
        """Positions [m], shape (n, 3)."""
        return (
            np.load(self.source, allow_pickle=False)
            if isinstance(self.source, str)
            else self.source
        )

    @staticmethod
    def of(asset: MeshAsset) -> MeshFile:
        """Return the file of a part."""
        data = asset.data
        return MeshFile(
            name=asset.name,
            data=data,
            digest=hashlib.sha256(data).hexdigest(),
            has_uv=asset.uv is not None,
            look=asset.look,
            source=asset.vertices,
        )


def mesh_files(
    mesh: Mesh,
    target: str,
    diagnostics: Diagnostics,
    *,
    where: Where = NOWHERE,
    collides: bool = False,
    appearance: Appearance = Appearance.ALL,
) -> tuple[MeshFile, ...]:
    """Return the parts of a mesh as `bridge.geometry.mesh.mesh_asset` does, as files, from the
    cache.

    Args:
        mesh: The mesh.
        target: The engine that the diagnostics are about.
        diagnostics: Receives the findings, also those of a conversion in the past.
        where: The place in the source.
        collides: Whether the engine computes contacts with it.
        appearance: The part of its appearance that matters.
    """
    convert = partial(mesh_asset, mesh, _ANY, where=where, collides=collides, appearance=appearance)
    try:
        record = mesh_record(mesh, collides=collides, appearance=appearance)
        known = read_record(record, _is_part)
        files = _read(known) if known else None
        if known is not None and files is not None:
            diagnostics.extend(placed(finding, where, target) for finding in known.findings)
            return files
        sources = states_of(source_files(mesh))
    except OSError:
        record = ""
    found = Diagnostics()
    with metered() as costs:
        files = tuple(MeshFile.of(asset) for asset in convert(found))
    diagnostics.extend(placed(finding, where, target) for finding in found)
    if files and record:
        with suppress(OSError):
            _store(files, _Source(mesh, sources, where, costs), tuple(found), record)
    return files


def hulls(scene: Scene, diagnostics: Diagnostics) -> Mapping[Mesh, Array | None]:
    """Return vertices on the hull of each mesh of a scene, as `loaders.finish.mesh_check` does,
    from the cache.

    Args:
        scene: The scene.
        diagnostics: Receives the findings about meshes that cannot be read.

    Raises:
        LimitError: if the meshes have too many triangles.
    """
    uses = {mesh: (link.name, shape.name) for link, shape, mesh in meshes_of(scene)}
    if not uses:
        return {}
    known = remembered(
        _SUBFOLDER,
        lambda: (_VERSION, "hulls", [(*names, repr(mesh)) for mesh, names in uses.items()]),
        lambda: _files_of(uses),
        _is_hull,
        lambda found: [_hull_record(points) for points in check_meshes(scene, found).values()],
    )
    diagnostics.extend(known.findings)
    return dict(zip(uses, map(_hull, known.parts), strict=True))


def with_mesh_files(scene: Scene) -> Scene:
    """Return the scene with a file for each mesh and height map whose content is in the source, and
    with the up axes of its COLLADA meshes decided; the decision is in the cache.
    """
    scene = with_references(with_asset_files(scene))
    shapes = [(shape, mesh) for _, shape, mesh in meshes_of(scene)]
    meshes = list(dict.fromkeys(mesh for _, mesh in shapes))
    if not any(may_be_open(mesh) for mesh in meshes):
        return scene

    def made(_: Diagnostics) -> list[dict[str, list[Any]]]:
        models, opened = models_to_turn(scene)
        return [{"models": sorted(models), "meshes": [*map(meshes.index, opened)]}]

    def key() -> object:
        placed = [(mesh_key(mesh), pose_key(shape.X_LG)) for shape, mesh in shapes]
        joints = [(joint.parent, joint.child) for joint in scene.joints]
        links = [
            (link.name, link.model, pose_key(link.X_WL), len(link.collisions), len(link.visuals))
            for link in scene.links
        ]
        return _VERSION, placed, joints, links, [model.name for model in scene.models]

    known = remembered(
        "up_axes",
        key,
        lambda: _files_of(meshes),
        partial(has_members, models=list, meshes=list),
        made,
    )
    (decided,) = known.parts
    return turned_in(scene, decided["models"], [meshes[k] for k in decided["meshes"]])


def _files_of(meshes: Iterable[Mesh]) -> Iterator[str]:
    """Yield the files that meshes are read from."""
    for mesh in meshes:
        if mesh.path:
            yield from source_files(mesh)


def _hull_record(points: Array | None) -> dict[str, str | None]:
    """Return points in the form of a record: bytes, since numbers as text take long to read."""
    if points is None:
        return {"hull": None}
    return {"hull": b64encode(np.ascontiguousarray(points, dtype="<f8").tobytes()).decode()}


def _is_hull(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("hull", 0), str | None)


def _hull(part: Mapping[str, Any]) -> Array | None:
    text = part["hull"]
    return None if text is None else np.frombuffer(b64decode(text), dtype="<f8").reshape(-1, 3)


def source_files(mesh: Mesh) -> tuple[str, ...]:
    """Return the paths of the files that a mesh is read from, without textures.

    Raises:
        FileNotFoundError: if the mesh has no file.
    """
    if mesh.path is None or not is_file(mesh.path):
        raise FileNotFoundError(mesh.uri)
    path = os.path.abspath(mesh.path)
    reference = () if mesh.reference is None else source_files(mesh.reference)
    return path, *companion_files(path), *reference


def texture_files(
    textures: Iterable[str | None], findings: Iterable[Diagnostic], mesh: Mesh
) -> list[str]:
    """Return the paths of the textures of a mesh, and those in reach at which missing ones were
    looked for.

    Args:
        textures: The textures of its parts.
        findings: The findings of the conversion.
        mesh: The mesh.
    """
    path = Path(os.path.abspath(mesh.path or ""))
    absent = {MESH_MISSING_TEXTURE.name: "texture", MESH_OUTSIDE.name: "files"}
    names = (str(entry.arguments[absent[entry.code]]) for entry in findings if entry.code in absent)
    looked_for = map(str, places_in_reach(chain.from_iterable(n.split(", ") for n in names), path))
    return [
        *dict.fromkeys(os.path.abspath(texture) for texture in textures if texture),
        *looked_for,
    ]


@cache
def reader_versions() -> tuple[str, ...]:
    """Return the versions of the libraries that meshes are read with."""
    return tuple(metadata.version(name) for name in ("trimesh", "pycollada", "numpy"))


def pose_key(X_AB: Pose) -> bytes:
    """Return the bytes of a pose, for keys of records."""
    return X_AB.R.tobytes() + X_AB.p.tobytes()


def mesh_key(mesh: Mesh) -> tuple[object, ...]:
    """Return what affects the conversion of a mesh, except the content of files."""
    path = os.path.abspath(mesh.path) if mesh.path else ""
    folder = folder_of_files(path) if path else ""
    return path, folder, _values_of(mesh), reader_versions()


_ANY = "*"
"""The engine that the findings of a record are about: any, as the same parts serve all."""


def placed(finding: Diagnostic, where: Where, target: str) -> Diagnostic:
    """Return a finding from a record with its place and its engine, if it is about the use of a
    mesh and not about its file.

    Args:
        finding: The finding.
        where: The place in the source that uses the mesh.
        target: The engine that uses it.
    """
    of_target = finding if finding.target != _ANY else replace(finding, target=target)
    return of_target if of_target.where != NOWHERE else replace(of_target, where=where)


def mesh_record(mesh: Mesh, *, collides: bool, appearance: Appearance = Appearance.ALL) -> str:
    """Return the path of the record of `mesh_files`, whose name tells what affects the result
    except the content of files.

    Args:
        mesh: The mesh.
        collides: Whether the mesh collides.
        appearance: Parts of its looks that count.

    Raises:
        OSError: if the cache cannot be used.
    """
    decomposes = mesh.decomposition == PARTS and installed()
    key = (_VERSION, decomposes, mesh_key(mesh), collides, appearance)
    return record_path(f"{cache_path()}/{_SUBFOLDER}", *key)


def _read(conversion: Conversion) -> tuple[MeshFile, ...] | None:
    """Return the files of a conversion; None if one cannot be read."""
    try:
        return tuple(_file(part) for part in conversion.parts)
    except OSError:
        return None


def _is_part(part: Any) -> bool:
    return has_members(part, **_KINDS) and is_look(part)


def _file(part: dict[str, Any]) -> MeshFile:
    return MeshFile(
        name=part["name"],
        data=content_of(part["obj"]),
        digest=part["digest"],
        has_uv=part["has_uv"],
        look=look_from_json(part),
        source=part["npy"],
    )


class _Source(NamedTuple):
    """The origin of a conversion, and its costs."""

    mesh: Mesh
    files: tuple[FileState, ...]
    where: Where
    costs: Mapping[str, int]


def _store(
    files: Sequence[MeshFile], source: _Source, findings: tuple[Diagnostic, ...], record: str
) -> None:
    """Write the files of a mesh and the record of its conversion.

    Raises:
        OSError: if they cannot be written.
    """
    parts = [_stored(file) for file in files]
    others = [*texture_files((file.look.texture for file in files), findings, source.mesh)]
    others += [part[kind] for part in parts for kind in ("obj", "npy")]
    anywhere = tuple(
        replace(entry, where=NOWHERE) if entry.where == source.where else entry
        for entry in findings
    )
    made = (*source.files, *states_of(others))
    write_record(
        Conversion(parts=tuple(parts), findings=anywhere, files=made, costs=source.costs), record
    )


def _stored(file: MeshFile) -> dict[str, Any]:
    positions = io.BytesIO()
    np.save(positions, file.vertices, allow_pickle=False)
    return {
        "name": file.name,
        "digest": file.digest,
        "has_uv": file.has_uv,
        **look_to_json(file.look),
        "obj": str(stored(file.data, ".obj", _SUBFOLDER)),
        "npy": str(stored(positions.getvalue(), ".npy", _SUBFOLDER)),
    }
