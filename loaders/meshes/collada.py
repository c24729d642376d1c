"""COLLADA, with its unit, its upward axis and the transforms of its nodes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from loaders.diagnostics import Fate
from loaders.model import Rgba
from loaders.spatial import Array, frozen

from .mesh_data import Faces, MeshPart
from .precheck import Asset, MeshError, screen_collada
from .textures import Remark, Textures

_LOOK = re.compile(r"image|surface|sampler|effect|material|texture|camera|light", re.IGNORECASE)

_R_ZX = {
    "Y_UP": np.array(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))),
    "X_UP": np.array(((0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0))),
}
"""Rotation from the axes that a file declares to ours, Z up."""


def up_axis_counts(asset: Asset) -> bool:
    """Whether the upward axis that a file declares is to be believed.

    Programs that know nothing of their coordinates (MeshLab above all) write ``Y_UP`` without a unit into files whose Z
    points up, and robots are full of such files. One that states its unit is believed in both.
    """
    return asset.metres is not None


def read_collada(data: bytes, path: Path) -> tuple[list[MeshPart], list[Remark]]:
    """The parts of a file, in metres, Z up, and remarks on what was decided.

    Raises:
        MeshError: if it cannot be read.
    """
    import collada

    asset, textures = screen_collada(data), Textures(path)
    try:
        document = _open(data)
        parts = [part for use in _uses(document) for part in _parts(use, textures)]
    except (collada.DaeError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise MeshError(f"it is not valid COLLADA: {type(error).__name__}: {error}") from error
    R, remarks = _orientation(asset)
    remarks += [
        (Fate.NOTED if _LOOK.search(str(error)) else Fate.DROPPED, "mesh.incomplete", f"it is broken: {error.msg}")
        for error in document.errors
    ]
    remarks += textures.remarks()
    metres = 1.0 if asset.metres is None else asset.metres
    return [replace(part, vertices=frozen(metres * part.vertices @ R.T)) for part in parts], remarks


def _orientation(asset: Asset) -> tuple[Array, list[Remark]]:
    R = _R_ZX.get(asset.up_axis)
    if R is None:
        return np.eye(3), []
    if up_axis_counts(asset):
        message = f"it declares {asset.up_axis} and is turned to Z up; Gazebo, RViz and PyBullet do not turn it"
        return R, [(Fate.ASSUMED, "mesh.up-axis", message)]
    message = f"it declares {asset.up_axis} but no unit; it is not turned, as in Gazebo, RViz and PyBullet"
    return np.eye(3), [(Fate.ASSUMED, "mesh.up-axis", message)]


def _open(data: bytes) -> Any:
    """The document. A node whose material is broken would be left out; it is kept without material."""
    import collada

    document = collada.Collada(io.BytesIO(data), ignore=[collada.DaeError])
    if not any(isinstance(error, collada.DaeBrokenRefError) for error in document.errors):
        return document
    known = {"#" + str(material.id) for material in document.materials}
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    root = etree.fromstring(data, parser)
    for binding in list(root.iter("{*}bind_material")):
        if not {use.get("target") for use in binding.iter("{*}instance_material")} <= known:
            binding.getparent().remove(binding)
    return collada.Collada(io.BytesIO(etree.tostring(root)), ignore=[collada.DaeError])


# --- the nodes of the scene ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Use:
    """A geometry in its place in the scene."""

    geometry: Any
    X: Array
    """Where it is put, shape (4, 4); it may scale and mirror."""
    materials: dict[str, Any]
    """Materials by the symbols that its primitives use."""
    names: tuple[str, ...]
    """Of the nodes that hold it, innermost first."""


def _uses(document: Any) -> Iterator[_Use]:
    from collada.scene import GeometryNode

    if document.scene is None:
        yield from (_Use(geometry, np.eye(4), {}, ()) for geometry in document.geometries)
        return
    pending = [(node, np.eye(4), ()) for node in reversed(document.scene.nodes)]
    while pending:
        node, X, names = pending.pop()
        if isinstance(node, GeometryNode):
            yield _Use(node.geometry, X, {use.symbol: use.target for use in node.materials}, names)
            continue
        inner = getattr(node, "node", node)
        own = tuple(name for name in (getattr(inner, "name", None), getattr(inner, "id", None)) if name)
        matrix = getattr(node, "matrix", None)
        below = X if matrix is None else X @ np.asarray(matrix, dtype=np.float64)
        pending.extend((child, below, (*own, *names)) for child in reversed(getattr(inner, "children", [])))


def _parts(use: _Use, textures: Textures) -> Iterator[MeshPart]:
    """The primitives of a geometry that are surfaces."""
    from collada.triangleset import TriangleSet

    names = (name for name in (use.geometry.name, use.geometry.id, *use.names) if name)
    unique = tuple(dict.fromkeys(names))
    A, p = use.X[:3, :3], use.X[:3, 3]
    for primitive in use.geometry.primitives:
        triangles = primitive.triangleset() if hasattr(primitive, "triangleset") else primitive
        if not isinstance(triangles, TriangleSet) or not len(triangles.vertex_index):
            continue  # lines and points bound nothing
        vertices, faces, uv = _corners(triangles)
        colour, texture = _look(use.materials.get(triangles.material), textures)
        yield MeshPart(
            names=unique,
            vertices=frozen(vertices @ A.T + p),
            faces=faces[:, ::-1] if np.linalg.det(A) < 0.0 else faces,
            uv=uv,
            colour=colour,
            texture=texture,
        )


def _corners(triangles: Any) -> tuple[Array, Faces, Array | None]:
    """Vertices that are used, with one texture coordinate each."""
    index = np.asarray(triangles.vertex_index, dtype=np.int64).reshape(-1)
    coordinates = triangles.texcoordset
    if not coordinates:
        used, faces = np.unique(index, return_inverse=True)
        return np.asarray(triangles.vertex[used], dtype=np.float64), faces.reshape(-1, 3), None
    texture = np.asarray(triangles.texcoord_indexset[0], dtype=np.int64).reshape(-1)
    used, faces = np.unique(np.column_stack((index, texture)), axis=0, return_inverse=True)
    vertices = np.asarray(triangles.vertex[used[:, 0]], dtype=np.float64)
    return vertices, faces.reshape(-1, 3), frozen(coordinates[0][used[:, 1]][:, :2])


def _look(material: Any, textures: Textures) -> tuple[Rgba | None, str | None]:
    """Colour, or file of the texture, of a material."""
    diffuse = getattr(getattr(material, "effect", None), "diffuse", None)
    if isinstance(diffuse, tuple | list) and len(diffuse) >= 3:
        r, g, b, a = (float(min(max(value, 0.0), 1.0)) for value in (*diffuse[:3], (*diffuse, 1.0)[3]))
        return (r, g, b, a), None
    image = getattr(getattr(getattr(diffuse, "sampler", None), "surface", None), "image", None)
    return None, textures.find(getattr(image, "path", None))
