"""Picture and notebook card of a scene, drawn from triangles in NumPy.

It needs neither a display nor a graphics library, so that every notebook shows the same picture.
"""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loaders.model.link import DEFAULT_COLOR, PartLook, look_of, total_mass

from .diagnostics import Diagnostics
from .files.images import PictureError, decoded, in_8_bits, picture_bytes
from .files.read_file import status_of
from .limits import LimitError
from .meshes import Faces, MeshData, MeshPart, read_mesh
from .meshes.mesh_data import parts_by_appearance
from .model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Joint,
    JointAxis,
    Link,
    Mesh,
    Plane,
    Polyline,
    Rgba,
    SceneData,
    Sphere,
    Visual,
)
from .pose import Array, Pose, rotation_to
from .text import card, counted, details, findings_table, summary_of, table

AZIMUTH, ELEVATION = 140.0, -18.0
"""Direction in which the camera looks [degrees], the same as in all pictures of this project."""
_OVERSAMPLING = 2
"""Number of samples per pixel in each direction."""
_MARGIN = 1.06
"""Factor on the extent of the scene."""
_LIGHT = (-0.35, 0.55, -0.76)
"""Direction of the light: to the right, up and forward in the picture."""
_AMBIENT = 0.45
"""Share of the light that has no direction."""
_CHUNK = 400_000
"""Largest number of samples that are computed at once."""
_DEPTHS = 2**30
"""Number of depths that are told apart."""
_MAX_LEVEL = 11
"""Largest power of two that divides an edge."""


def view_axes() -> Array:
    """Return the directions right, up and forward of the camera in the world, shape (3, 3)."""
    a, e = math.radians(AZIMUTH), math.radians(ELEVATION)
    forward = np.array((math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)))
    right = np.array((math.sin(a), -math.cos(a), 0.0))
    return np.array((right, np.cross(right, forward), forward))


class Layer(NamedTuple):
    """Triangles of a picture."""

    corners: Array
    """Their corners in the world [m], shape (n, 3, 3)."""
    colors: Array
    """Red, green and blue of each, from 0 to 1, shape (n, 3)."""
    opacity: float = 1.0
    """Opacity before the layers behind it, from 0 to 1."""


def paint(corners: Array, colors: Array, size: tuple[int, int]) -> bytes:
    """Return a picture of triangles as PNG.

    Args:
        corners: Corners of the triangles in the world [m], shape (n, 3, 3).
        colors: Red, green and blue of each triangle, from 0 to 1, shape (n, 3).
        size: Width and height [pixels].
    """
    return paint_layers([Layer(corners, colors)], size)


def paint_layers(layers: Sequence[Layer], size: tuple[int, int]) -> bytes:
    """Return a picture of triangles, some of which may be transparent, as PNG.

    Args:
        layers: The triangles, each layer before all those that precede it.
        size: Width and height [pixels].
    """
    width, height = (_OVERSAMPLING * pixels for pixels in size)
    seen = [layer.corners @ view_axes().T for layer in layers]
    screen = _on_screen(np.concatenate(seen), width, height)
    pixels = np.zeros((height * width, 4), dtype=np.float64)
    ends = np.cumsum([len(corners) for corners in seen])[:-1]
    for layer, corners, on_screen in zip(layers, seen, np.split(screen, ends), strict=True):
        shaded = layer.colors * _brightness(corners)[:, None]
        colors = (255.0 * np.clip(shaded, 0.0, 1.0)).astype(np.uint8)
        nearest = _nearest(on_screen, width, height)
        is_drawn = nearest >= 0
        front = np.append(colors[nearest[is_drawn]], np.full((is_drawn.sum(), 1), 255.0), axis=1)
        has_back = pixels[is_drawn, 3:] > 0.0
        mixed = layer.opacity * front + (1.0 - layer.opacity) * pixels[is_drawn]
        pixels[is_drawn] = np.where(has_back, mixed, front)
    return _png(_downsampled(pixels.reshape(height, width, 4)))


def _brightness(seen: Array) -> Array:
    """Return the share of light that each triangle sends to the camera; both of its sides are lit
    alike.
    """
    normals = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    normals *= -np.sign(normals[:, 2:])  # toward the camera
    brightness: Array = _AMBIENT + (1.0 - _AMBIENT) * np.clip(normals @ np.array(_LIGHT), 0.0, 1.0)
    return brightness


def _on_screen(seen: Array, width: int, height: int) -> Array:
    """Return the corners in samples from the top left, with depths from 0 to 1."""
    low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
    middle, extent = (low + high) / 2.0, np.maximum(high - low, 1e-12)
    scale = min(width / extent[0], height / extent[1]) / _MARGIN
    screen = (seen - middle) * (scale, -scale, 1.0 / extent[2])
    placed: Array = screen + np.array((width / 2.0, height / 2.0, 0.5))
    return placed


def _nearest(screen: Array, width: int, height: int) -> NDArray[np.int64]:
    """Return the index of the nearest triangle at each sample, -1 where there is none."""
    empty = np.iinfo(np.int64).max
    buffer = np.full(width * height, empty)
    edges = np.linalg.norm(screen[:, :, :2] - np.roll(screen[:, :, :2], 1, axis=1), axis=2).max(
        axis=1
    )
    levels = np.clip(np.ceil(np.log2(np.maximum(edges, 1.0))), 0, _MAX_LEVEL).astype(np.int64)
    for level in np.unique(levels):
        weights = _weights(2 ** int(level))
        members = np.flatnonzero(levels == level)
        step = max(1, _CHUNK // len(weights))
        for start in range(0, len(members), step):
            _draw(buffer, screen, members[start : start + step], weights, width)
    return np.where(buffer == empty, -1, buffer & 0xFFFFFFFF)


def _weights(n: int) -> Array:
    """Return the weights of the corners at the points that divide the edges of a triangle into n
    parts.
    """
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    inside = i + j <= n
    u, v = i[inside] / n, j[inside] / n
    return np.column_stack((u, v, 1.0 - u - v))


def _draw(
    buffer: NDArray[np.int64], screen: Array, members: NDArray[np.int64], weights: Array, width: int
) -> None:
    """Draw some triangles: each sample shows the one with the smallest depth, of equal ones the
    first.
    """
    points = weights @ screen[members]
    columns, rows = points[..., 0].astype(np.int64), points[..., 1].astype(np.int64)
    depths = np.clip(points[..., 2] * _DEPTHS, 0, _DEPTHS).astype(np.int64)
    keys = (depths << 32) | members[:, None]
    np.minimum.at(buffer, (rows * width + columns).ravel(), keys.ravel())


def _downsampled(samples: Array) -> NDArray[np.uint8]:
    """Return the pixels: the mean color of the samples that are drawn, with their share as
    opacity.
    """
    n = _OVERSAMPLING
    height, width = samples.shape[0] // n, samples.shape[1] // n
    total = samples.reshape(height, n, width, n, 4).sum(axis=(1, 3))
    count = total[..., 3:] / 255.0
    color = total[..., :3] / np.maximum(count, 1.0)
    return np.concatenate((color, total[..., 3:] / n**2), axis=2).astype(np.uint8)


def _png(pixels: NDArray[np.uint8]) -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


_INSIDE = "\0"
"""Stands for the file of a texture inside a mesh file; no file has this name."""
COLLISION_COLOR: Rgba = (0.90, 0.55, 0.20, 0.5)
"""Color of collisions."""
_SIDES = 32
"""Number of sides of round shapes."""
_MAX_PLANE = 50.0
"""Largest extent with which a plane is drawn [m]."""
_CACHED_MESHES = 256
"""Number of meshes that are kept in memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColoredSurface:
    """Triangles of one appearance, in the frame of their shape."""

    vertices: Array
    """Positions [m], shape (n, 3)."""
    faces: Faces
    """Vertex indices, shape (m, 3)."""
    rgba: Rgba
    """Color; of a texture, its factor."""
    uv: Array | None = None
    """Texture coordinates of the vertices, shape (n, 2), v upward, if there is a texture."""
    texture: str | None = None
    """File of the color texture, or None."""
    picture: bytes | None = None
    """Content of the color texture, where it is no file of its own."""
    emissive: Rgba | None = None
    """Color of the light that it emits, or None."""


def surfaces(shape: Visual | Collision) -> Iterator[ColoredSurface]:
    """Yield the surfaces of a visual in its colors, or of a collision in the color of all
    collisions.

    A mesh that cannot be read has none; reading a scene and exporting it report why.
    """
    for part in _parts(shape.geometry):
        if len(part.faces) and np.isfinite(part.vertices).all():
            yield _surface(shape, part)


def _surface(shape: Visual | Collision, part: MeshPart) -> ColoredSurface:
    if isinstance(shape, Collision):
        return ColoredSurface(vertices=part.vertices, faces=part.faces, rgba=COLLISION_COLOR)
    own = PartLook(
        color=part.color,
        texture=part.texture or (_INSIDE if part.picture else None),
        emissive=part.emissive,
    )
    look = look_of(shape, own)
    texture = look.texture if part.uv is not None else None
    return ColoredSurface(
        vertices=part.vertices,
        faces=part.faces,
        rgba=look.diffuse or DEFAULT_COLOR,
        uv=part.uv if texture else None,
        texture=None if texture == _INSIDE else texture,
        picture=part.picture if texture == _INSIDE else None,
        emissive=look.emissive,
    )


def _parts(geometry: Geometry) -> Iterator[MeshPart]:
    if isinstance(geometry, Mesh):
        data = _mesh(geometry)
        yield from parts_by_appearance(data.parts) if data else ()
    elif isinstance(geometry, Polyline):
        for outline in geometry.outlines:
            yield _plain(*_prism(np.array(outline), geometry.height))
    elif isinstance(geometry, Plane | Heightmap):
        yield _plain(*_rectangle(geometry))
    else:
        mesh = _primitive(geometry)
        if mesh is not None:
            yield _plain(np.asarray(mesh.vertices), np.asarray(mesh.faces))


def _plain(vertices: Array, faces: Faces) -> MeshPart:
    return MeshPart(names=(), vertices=vertices, faces=faces)


def _mesh(mesh: Mesh) -> MeshData | None:
    try:
        stamp = status_of(mesh.path).st_mtime_ns if mesh.path else 0
    except OSError:
        return None
    return _read(mesh, stamp)


@lru_cache(maxsize=_CACHED_MESHES)
def _read(mesh: Mesh, _stamp: int) -> MeshData | None:
    return read_mesh(mesh, Diagnostics())


def _primitive(geometry: Geometry) -> Any:
    """Return a convex shape as a mesh of trimesh, about the origin; None if it has no surface."""
    from trimesh import creation

    mesh: Any = None
    match geometry:
        case Box():
            mesh = creation.box(extents=geometry.size)
        case Sphere():
            mesh = creation.icosphere(subdivisions=3, radius=geometry.radius)
        case Ellipsoid():
            mesh = creation.icosphere(subdivisions=3).apply_scale(geometry.radii)
        case Cylinder():
            mesh = creation.cylinder(
                radius=geometry.radius, height=geometry.length, sections=_SIDES
            )
        case Capsule():
            mesh = creation.capsule(
                radius=geometry.radius, height=geometry.length, count=(_SIDES, _SIDES)
            )
        case Cone():
            mesh = creation.cone(radius=geometry.radius, height=geometry.length, sections=_SIDES)
            mesh.apply_translation((0.0, 0.0, -geometry.length / 2.0))
    return mesh


def _rectangle(geometry: Plane | Heightmap) -> tuple[Array, Faces]:
    """Return the part of a plane that is drawn, or the ground of a height map."""
    x, y = (min(extent, _MAX_PLANE) / 2.0 for extent in geometry.size[:2])
    corners = np.array(((-x, -y, 0.0), (x, -y, 0.0), (x, y, 0.0), (-x, y, 0.0)))
    R = rotation_to(geometry.normal if isinstance(geometry, Plane) else (0.0, 0.0, 1.0))
    p = (0.0, 0.0, 0.0) if isinstance(geometry, Plane) else geometry.position
    return corners @ R.T + p, np.array(((0, 1, 2), (0, 2, 3)))


def _prism(outline: Array, height: float) -> tuple[Array, Faces]:
    """Return an extruded outline, whose lids are fans around its middle."""
    n = len(outline)
    middle = outline.mean(axis=0)
    z = np.concatenate((np.zeros(n), np.full(n, height), (0.0, height)))
    faces = []
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, j + n), (i, j + n, i + n), (j, i, 2 * n), (i + n, j + n, 2 * n + 1)]
    return np.column_stack((np.vstack((outline, outline, middle, middle)), z)), np.array(faces)


SIZE = (384, 288)
"""Width and height [pixels]."""
MAX_TRIANGLES = 1_000_000
"""Largest number of triangles of a picture."""
_TEXELS = 256
"""Largest width and height of a texture in a picture [pixels]."""
_INVISIBLE = 0.05
"""Opacity below which a visual is left out."""


def picture(scene: SceneData, poses: Mapping[str, Pose] | None = None) -> bytes | None:
    """Return a picture of a scene as PNG; None if it has nothing to draw, or more than
    `MAX_TRIANGLES`.

    Args:
        scene: The scene.
        poses: Pose of each link in the world; None for those of the scene.
    """
    try:
        triangles = _triangles(scene, poses or {})
    except LimitError:
        return None
    return paint(*triangles, SIZE) if triangles else None


def _triangles(scene: SceneData, poses: Mapping[str, Pose]) -> tuple[Array, Array] | None:
    """Return the corners and colors of all triangles in the world."""
    has_visuals = any(link.visuals for link in scene.links)
    corners, colors, count = [], [], 0
    for link in scene.links:
        for surface, X_WG in _drawn_surfaces(link, poses.get(link.name, link.X_WL), has_visuals):
            count += len(surface.faces)
            if count > MAX_TRIANGLES:
                return None
            corners.append((surface.vertices @ X_WG.R.T + X_WG.p)[surface.faces])
            colors.append(_face_colors(surface))
    return (np.concatenate(corners), np.concatenate(colors)) if corners else None


def _drawn_surfaces(link: Link, X_WL: Pose, visuals: bool) -> Iterator[tuple[ColoredSurface, Pose]]:
    """Yield the surfaces of a link that are drawn, with their poses in the world; grounds would
    hide the rest.
    """
    for shape in link.visuals if visuals else link.collisions:
        if isinstance(shape.geometry, Plane | Heightmap):
            continue
        for surface in surfaces(shape):
            if surface.rgba[3] >= _INVISIBLE:
                yield surface, X_WL @ shape.X_LG


def _face_colors(surface: ColoredSurface) -> Array:
    """Return red, green and blue of each triangle, that of the texture being the one at its middle,
    shape (n, 3).
    """
    plain: Array = np.broadcast_to(surface.rgba[:3], (len(surface.faces), 3))
    pixels = _pixels(surface)
    if pixels is None or surface.uv is None:
        return plain
    height, width, _ = pixels.shape
    u, v = np.mod(surface.uv[surface.faces].mean(axis=1), 1.0).T
    rows, columns = (np.minimum((1.0 - v) * height, height - 1), np.minimum(u * width, width - 1))
    colors: Array = plain * pixels[rows.astype(np.int64), columns.astype(np.int64)] / 255.0
    return colors


def _pixels(surface: ColoredSurface) -> NDArray[np.uint8] | None:
    """Return the texture of a surface, at most `_TEXELS` wide and high, shape (rows, columns, 3);
    None if it has none that can be read.
    """
    file = surface.texture or "texture"
    try:
        data = surface.picture or (picture_bytes(file) if surface.texture else b"")
        if not data:
            return None
        with decoded(data, file) as image:
            small = in_8_bits(image).convert("RGB")
            small.thumbnail((_TEXELS, _TEXELS))
            return np.asarray(small)
    except (PictureError, LimitError):
        return None


def scene_card(
    scene: SceneData, kind: str, *facts: str, poses: Mapping[str, Pose] | None = None
) -> str:
    """Return the card of a scene: picture, counts, joints and diagnostics.

    Args:
        scene: The scene.
        kind: The noun of the title.
        facts: Further lines.
        poses: Pose of each link in the world; None for those of the scene.
    """
    parts = []
    if scene.joints:
        heads = ("joint", "type", "parent", "child", "range")
        parts.append(
            details(
                f"{counted(len(scene.joints), 'joint')}",
                table(heads, map(_joint_row, scene.joints)),
            )
        )
    if scene.diagnostics:
        parts.append(details(summary_of(scene.diagnostics), findings_table(scene.diagnostics)))
    lines = (PurePath(scene.source).name, _contents(scene), *facts)
    return card(f"{kind} {scene.name}", lines, *parts, png=picture(scene, poses))


def _contents(scene: SceneData) -> str:
    types = Counter(joint.type.value for joint in scene.joints)
    mass = total_mass(scene.links)
    stated = [
        counted(len(scene.models), "model"),
        counted(len(scene.links), "link"),
        *(f"{count} {name}" for name, count in types.most_common()),
        f"{mass:.4g} kg",
    ]
    return ", ".join(stated)


def _joint_row(joint: Joint) -> tuple[str, ...]:
    return (
        joint.name,
        joint.type.value,
        joint.parent,
        joint.child,
        ", ".join(map(_range, joint.axes)),
    )


def _range(axis: JointAxis) -> str:
    is_limited = axis.lower > -math.inf or axis.upper < math.inf
    return f"{axis.lower:.4g} to {axis.upper:.4g}" if is_limited else "any"
