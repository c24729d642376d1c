"""Reader of COLLADA, with its unit and up axis.

A visual mesh and a collision mesh at one pose have nearly the same bounding box, if both are the
right way up.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from loaders import codes
from loaders.files.read_file import read_start
from loaders.limits import FileError, keep_in_call, kept_in_call, limit_of, raised_as
from loaders.meshes.mesh_data import (
    BLACK,
    WHITE,
    Losses,
    StatedLook,
    colored,
    emitted,
    glowing,
    opacity,
)
from loaders.model import Mesh, Rgba
from loaders.pose import Array, frozen
from loaders.xml import mended_xml

from .mesh_data import Faces, MeshData, MeshPart, Remark, Textures, unique_rows
from .precheck import (
    MAX_DEPTH,
    ColladaAsset,
    MeshError,
    MeshLimitError,
    NotWellFormedError,
    check_collada,
    check_faces,
    check_parts,
    read_checked,
)
from .trimesh_formats import SUFFIXES, read_with_trimesh

_EMPTY = re.compile(
    rb"<(triangles|polylist|polygons|trifans|tristrips|lines|linestrips)\s[^<>]{0,200}\bcount\s{0,9}=\s{0,9}[\"']0[\"']"
    rb"[^<>]{0,200}(?:/>|(?<!/)>[^<]*(?:<(?!/\1>)[^<]*)*+</\1>)"
)
"""Primitives without elements, for which pycollada raises a TypeError."""
_APPEARANCE = re.compile(
    r"image|surface|sampler|effect|material|texture|camera|light", re.IGNORECASE
)

R_ZX = {
    "Y_UP": np.array(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))),
    "X_UP": np.array(((0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0))),
}
"""Rotation from the axes of the file to Z up, keyed by its up axis."""


_CARELESS = ("OpenCOLLADA", "Assimp", "VCGLib", "MeshLab")
"""Names of programs that write ``Y_UP`` into files whose z axis points up.

Against the collision mesh of the same link, 11 of 11 files of OpenCOLLADA and MeshLab in
gazebo_models, 12 of 12 of PR2 and 6 of 6 of Assimp in unitree_ros point up in z; 30 of 30 of Cinema
4D in unitree_ros point up in y, as they state."""


def is_up_axis_trusted(asset: ColladaAsset) -> bool:
    """Return whether the up axis that a file states is applied: only with a unit, and by the name
    of its exporter.

    Programs that do not know their coordinates write ``Y_UP`` into files whose up axis is Z. Many
    robots have such files, and Gazebo, RViz and PyBullet ignore the axis.
    """
    return asset.unit is not None and not any(name in asset.exporter for name in _CARELESS)


def read_collada(
    data: bytes, path: Path, *, turned: bool | None = None, by_robot: bool = False
) -> tuple[list[MeshPart], list[Remark]]:
    """Return the parts of a file in meters, Z up, and remarks on the reading.

    Args:
        data: Contents of the file.
        path: The file.
        turned: Whether the up axis that the file states is applied; None if the name of its
            exporter decides.
        by_robot: Whether the robot as a whole decided that.

    Raises:
        MeshError: if the file cannot be read.
    """
    textures, losses, mended = Textures(path), Losses(), []
    try:
        asset = check_collada(data)
    except NotWellFormedError as error:
        data = mended_xml(data)
        asset = check_collada(data)
        mended = [Remark(codes.MESH_MENDED, {"reason": str(error)})]
    data = _EMPTY.sub(b"", data)
    with raised_as(MeshError, "the file is not valid COLLADA"):
        document = _open(data)
        parts = list(_all_parts(document, textures, losses))
    R, remarks = _orientation(asset, turned, by_robot=by_robot)
    remarks += [*mended, *map(_incomplete, document.errors)]
    remarks += [*textures.remarks(), *losses.remarks()]
    unit = 1.0 if asset.unit is None else asset.unit
    return [replace(part, vertices=frozen(unit * part.vertices @ R.T)) for part in parts], remarks


def _all_parts(document: Any, textures: Textures, losses: Losses) -> Iterator[MeshPart]:
    """Yield every placed part, until there are too many.

    Raises:
        MeshError: if nodes place more parts or triangles than the limits.
    """
    parts, faces = 0, 0
    looks = _Looks(textures, losses)
    for placed in _placed_geometries(document):
        parts += len(placed.geometry.primitives)
        check_parts(parts)
        for part in _parts(placed, looks):
            faces += len(part.faces)
            check_faces(faces)
            yield part


def _incomplete(error: Any) -> Remark:
    """Return the remark on an error that pycollada skipped."""
    is_appearance = _APPEARANCE.search(str(error)) is not None
    code = codes.MESH_INCOMPLETE_APPEARANCE if is_appearance else codes.MESH_INCOMPLETE
    return Remark(code, {"reason": str(error.msg)})


def _orientation(
    asset: ColladaAsset, turned: bool | None, *, by_robot: bool
) -> tuple[Array, list[Remark]]:
    R = R_ZX.get(asset.up_axis)
    if R is None:
        return np.eye(3), []
    if is_up_axis_trusted(asset) if turned is None else turned:
        code = codes.MESH_UP_AXIS_OF_ROBOT if by_robot else codes.MESH_UP_AXIS
    elif by_robot:
        return np.eye(3), []
    else:
        code = codes.MESH_UP_AXIS_NOT_TURNED
        R = np.eye(3)
    reason = "but no unit" if asset.unit is None else f"and was written by {asset.exporter[:40]}"
    reason = reason if turned is None or by_robot else "unlike the collision mesh of the link"
    return R, [Remark(code, {"up_axis": asset.up_axis, "reason": reason})]


def _open(data: bytes) -> Any:
    """Return the document; nodes with an invalid material, which pycollada would skip, are kept
    without material.
    """
    import collada

    document = collada.Collada(io.BytesIO(data), ignore=[collada.DaeError])
    if not any(isinstance(error, collada.DaeBrokenRefError) for error in document.errors):
        return document
    known = {"#" + str(material.id) for material in document.materials}
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    root = etree.fromstring(data, parser)
    for binding in list(root.iter("{*}bind_material")):
        if not {user.get("target") for user in binding.iter("{*}instance_material")} <= known:
            binding.getparent().remove(binding)
    return collada.Collada(io.BytesIO(etree.tostring(root)), ignore=[collada.DaeError])


# --- the nodes of the scene -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _PlacedGeometry:
    """A geometry placed in the scene by a node."""

    geometry: Any
    """Geometry of pycollada."""
    X: Array
    """Transform of the geometry, shape (4, 4); it may scale and mirror."""
    materials: dict[str, Any]
    """Nodes with a material, keyed by the symbols that the primitives use."""
    names: tuple[str, ...]
    """Names of the enclosing nodes, innermost first."""


def _placed_geometries(document: Any) -> Iterator[_PlacedGeometry]:
    from collada.scene import GeometryNode

    if document.scene is None:
        yield from (
            _PlacedGeometry(geometry, np.eye(4), {}, ()) for geometry in document.geometries
        )
        return
    pending = [(node, np.eye(4), ()) for node in reversed(document.scene.nodes)]
    visited, most = 0, limit_of("mesh_nodes")
    while pending:
        node, X, names = pending.pop()
        visited += 1
        if visited > most:
            raise MeshLimitError(
                "mesh_nodes", f"the file places more than {most} nodes, the limit mesh_nodes"
            )
        if len(names) > MAX_DEPTH:
            raise MeshError(f"the file nests nodes more than {MAX_DEPTH} deep")
        if isinstance(node, GeometryNode):
            yield _PlacedGeometry(
                node.geometry, X, {use.symbol: use for use in node.materials}, names
            )
            continue
        inner = getattr(node, "node", node)
        inner_names = tuple(
            name for name in (getattr(inner, "name", None), getattr(inner, "id", None)) if name
        )
        matrix = getattr(node, "matrix", None)
        X_inner = X if matrix is None else X @ np.asarray(matrix, dtype=np.float64)
        pending.extend(
            (child, X_inner, (*inner_names, *names))
            for child in reversed(getattr(inner, "children", []))
        )


def _parts(placed: _PlacedGeometry, looks: _Looks) -> Iterator[MeshPart]:
    """Yield a part for each primitive of a geometry that is a surface."""
    from collada.triangleset import TriangleSet

    names = (name for name in (placed.geometry.name, placed.geometry.id, *placed.names) if name)
    unique = tuple(dict.fromkeys(names))
    A, p = placed.X[:3, :3], placed.X[:3, 3]
    for primitive in placed.geometry.primitives:
        triangles = primitive.triangleset() if hasattr(primitive, "triangleset") else primitive
        if not isinstance(triangles, TriangleSet) or not len(triangles.vertex_index):
            continue  # lines and points have no surface
        use = placed.materials.get(triangles.material)
        look = looks.of(getattr(use, "target", None))
        vertices, faces, uv, colors = _corners(triangles, _uv_index(triangles, use, look))
        part = MeshPart(
            names=unique,
            vertices=frozen(vertices @ A.T + p),
            faces=faces[:, ::-1] if np.linalg.det(A) < 0.0 else faces,
            uv=uv,
        )
        of_faces = None if colors is None else colors[faces].mean(axis=1)
        yield colored(look.look.on(part, looks.losses), of_faces, looks.losses)


def _corners(triangles: Any, uv_index: int) -> tuple[Array, Faces, Array | None, Array | None]:
    """Return the used vertices with one texture coordinate and color each: positions, faces,
    coordinates and colors.

    Args:
        triangles: The triangles.
        uv_index: Index of the set of texture coordinates.
    """
    columns = [triangles.vertex_index]
    coordinates = triangles.texcoordset
    if coordinates:
        columns.append(triangles.texcoord_indexset[uv_index])
    colors = triangles.sources.get("COLOR") or []
    if colors:
        columns.append(triangles.index[:, :, colors[0][0]])
    index = np.column_stack([np.asarray(column, dtype=np.int64).reshape(-1) for column in columns])
    used, faces = unique_rows(index)
    vertices = np.asarray(triangles.vertex[used[:, 0]], dtype=np.float64)
    uv = frozen(coordinates[uv_index][used[:, 1]][:, :2]) if coordinates else None
    rgba = _rgba(colors[0][4].data, used[:, -1]) if colors else None
    return vertices, faces.reshape(-1, 3), uv, rgba


def _rgba(colors: Any, index: NDArray[np.int64]) -> Array | None:
    """Return colors of corners with their opacity, shape (n, 4); None if they are no colors."""
    values = np.asarray(colors, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] not in (3, 4) or index.max() >= len(values):
        return None
    return np.column_stack((values, np.ones(len(values))))[index, :4].clip(0.0, 1.0)


def _uv_index(triangles: Any, use: Any, look: _EffectLook) -> int:
    """Return the index of the set of texture coordinates that a material is bound to."""
    sets = [entry[3] for entry in triangles.sources.get("TEXCOORD") or []]
    for symbol, semantic, number in getattr(use, "inputs", ()):
        if symbol == look.texcoord and semantic == "TEXCOORD" and (number or "0") in sets:
            return sets.index(number or "0")
    return 0


@dataclass(frozen=True, slots=True)
class _EffectLook:
    """The look of an effect, and its name of the texture coordinates that its texture uses."""

    look: StatedLook
    texcoord: str | None = None


class _Looks:
    """The looks of the materials of one file, each of which is read once."""

    def __init__(self, textures: Textures, losses: Losses) -> None:
        self._textures, self.losses = textures, losses
        self._looks: dict[int, _EffectLook] = {}

    def of(self, material: Any) -> _EffectLook:
        """Return the look of a material of pycollada, or of none."""
        effect = getattr(material, "effect", None)
        if effect is None:
            return _EffectLook(StatedLook())
        if id(material) not in self._looks:
            self._looks[id(material)] = self._look(effect)
            if next(material.xmlnode.iter("{*}setparam"), None) is not None:
                self.losses.add("parameters of an effect in a material")
        return self._looks[id(material)]

    def _look(self, effect: Any) -> _EffectLook:
        diffuse = BLACK if effect.shadingtype == "constant" else effect.diffuse
        file, color = self._file(diffuse), _color(diffuse)
        alpha = opacity((color or WHITE)[3] * self._opaque(effect, diffuse))
        if color is None and file is not None:
            color = WHITE
        look = StatedLook(
            color=None if color is None else (*color[:3], alpha),
            texture=file,
            emissive=emitted(_color(effect.emission)),
            double_sided=bool(effect.double_sided),
        )
        shown = glowing(look, StatedLook(texture=self._file(effect.emission)), self.losses)
        if not shown.has_texture:
            self.losses.add_ambient(shown, _color(effect.ambient))
        source = effect.emission if shown.texture != file else diffuse
        return _EffectLook(shown, getattr(source, "texcoord", None))

    def _opaque(self, effect: Any, diffuse: Any) -> float:
        """Return the opacity of an effect by its mode, 0 where it states none at all."""
        node = next(effect.xmlnode.iter("{*}transparent"), None)
        if node is not None and next(node.iter("{*}texture"), None) is not None:
            if _image(effect.transparent) != _image(diffuse):
                self.losses.add("opacity by a texture")
            return 1.0
        stated = next(effect.xmlnode.iter("{*}transparency"), None)
        if node is None and stated is None:
            return 1.0
        mode = "A_ONE" if node is None else node.get("opaque", "A_ONE")
        unstated = (*BLACK[:3], 1.0) if mode == "RGB_ZERO" else WHITE
        color = _color(effect.transparent) if node is not None else None
        red, green, blue, alpha = color or unstated
        light = float(np.dot((0.212671, 0.715160, 0.072169), (red, green, blue)))
        amount = (light if mode.startswith("RGB") else alpha) * (
            1.0 if stated is None else _float(stated)
        )
        return 1.0 - amount if mode.endswith("ZERO") else amount

    def _file(self, property_: Any) -> str | None:
        name = getattr(_image(property_), "path", None)
        return self._textures.find(name)


def _image(property_: Any) -> Any:
    """Return the image of a property of an effect, or None."""
    return getattr(getattr(getattr(property_, "sampler", None), "surface", None), "image", None)


def _float(node: Any) -> float:
    """Return the number in an element; 1 if there is none."""
    try:
        return float("".join(node.itertext()))
    except ValueError:
        return 1.0


def _color(property_: Any) -> Rgba | None:
    """Return the color of a property of an effect; None if it is a texture or not stated."""
    if not isinstance(property_, tuple | list) or len(property_) < 3:
        return None
    levels = [float(min(max(value, 0.0), 1.0)) for value in property_[:4]]
    red, green, blue, alpha = [*levels, 1.0][:4]  # without a fourth number it is opaque
    return red, green, blue, alpha


_STATED = re.compile(rb"<up_axis>\s*([XYZ]_UP)")
_HEAD = 1 << 16
"""Bytes at the beginning of a file that have its up axis."""
_FITS = 0.1
"""Largest difference of the bounding boxes of two meshes of one shape, over their extent."""
_CLEARER = 3.0
"""Least ratio of the differences of two orientations for a choice of one."""


def is_turned(mesh: Mesh, data: bytes) -> bool | None:
    """Return whether the up axis that a COLLADA file states is applied, given its reference mesh.

    It stays undecided (None) for a file that states Z, for a mesh without a reference that can be
    read, and if no orientation fits clearly better than the other.

    Args:
        mesh: The mesh.
        data: Content of its file.
    """
    if mesh.turned is not None:
        return mesh.turned
    known, key = kept_in_call(), (is_turned, mesh)
    if key not in known:
        known[key] = _is_turned(mesh, data)
    turned: bool | None = known[key]
    return turned


def _is_turned(mesh: Mesh, data: bytes) -> bool | None:
    reference = mesh.reference
    stated = (
        _STATED.search(data, 0, _HEAD) if reference is not None and mesh.submesh is None else None
    )
    R = None if stated is None else R_ZX.get(stated[1].decode())
    if R is None or reference is None:
        return None
    seen, touched = _vertices(mesh, turned=False), _vertices(reference, turned=reference.turned)
    if seen is None or touched is None:
        return None
    plain, turned = (
        _difference(points * mesh.scale, touched * reference.scale) for points in (seen, seen @ R.T)
    )
    if min(plain, turned) > _FITS or max(plain, turned) < _CLEARER * min(plain, turned):
        return None
    return turned < plain


def is_open(mesh: Mesh) -> bool:
    """Return whether nothing but the robot can tell if the up axis of a COLLADA file is applied."""
    return may_be_open(mesh) and is_turned(mesh, _head(mesh)) is None


def may_be_open(mesh: Mesh) -> bool:
    """Return whether a COLLADA file states another up axis than Z, without a unit."""
    if mesh.path is None or mesh.turned is not None or not mesh.path.lower().endswith(".dae"):
        return False
    try:
        head = _head(mesh)
    except FileError:
        return False
    stated = _STATED.search(head)
    return stated is not None and stated[1].decode() in R_ZX and b"<unit" not in head


def _head(mesh: Mesh) -> bytes:
    return read_start(str(mesh.path), _HEAD, option="mesh_file_bytes")


def both_ways(mesh: Mesh, *, is_open: bool) -> tuple[Array, Array] | None:
    """Return the positions in a mesh file, scaled [m], as it is read and with the up axis applied
    that it states; None if it cannot be read.

    Args:
        mesh: The mesh.
        is_open: Whether the two may differ.
    """
    vertices = _vertices(mesh, turned=False if is_open else mesh.turned)
    if vertices is None:
        return None
    stated = _STATED.search(_head(mesh)) if is_open else None
    R = np.eye(3) if stated is None else R_ZX[stated[1].decode()]
    return vertices * mesh.scale, (vertices @ R.T) * mesh.scale


def _vertices(mesh: Mesh, *, turned: bool | None) -> Array | None:
    """Return the positions in a file, without its scale; None if it cannot be read."""
    key = _vertices, mesh, turned
    known: Array | None = kept_in_call().get(key)
    if known is None:
        known = _read_vertices(mesh, turned)
        keep_in_call(key, known, 0 if known is None else len(known))
    return known


def _read_vertices(mesh: Mesh, turned: bool | None) -> Array | None:
    path = Path(str(mesh.path))
    suffix = path.suffix.lower()
    if mesh.submesh is not None or (suffix != ".dae" and suffix not in SUFFIXES):
        return None
    try:
        with raised_as(MeshError, "the mesh cannot be processed"):
            data = read_checked(path)
            parts, _ = (
                read_collada(data, path, turned=turned)
                if suffix == ".dae"
                else read_with_trimesh(data, path)
            )
    except MeshError:
        return None
    return MeshData(parts=tuple(parts)).vertices if parts else None


def _difference(a: Array, b: Array) -> float:
    """Return the largest distance of the corners of two bounding boxes, over the extent of the
    second.
    """
    corners = (np.array((points.min(axis=0), points.max(axis=0))) for points in (a, b))
    first, second = corners
    extent = float(np.ptp(second, axis=0).max())
    return float(np.abs(first - second).max()) / extent if extent else np.inf
