"""Geometry as PyBullet's URDF has it: its own primitives where it has one, meshes in files where it has not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from bridge.bullet.urdf.segments import TARGET
from bridge.geometry import mesh_assets
from bridge.geometry.convex_decomposition import CollisionMeshes, is_simplified, with_choice
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Rgba,
    Sphere,
)
from loaders.spatial import IDENTITY, Pose, rotation_to

from .mesh_files import MeshFiles, corners_stl, faces_stl, stl, under_picture
from .temporary_files import Scratch
from .terrain import surface
from .textured_primitives import skin

HULL_MARGIN = 1e-3
"""By how much PyBullet inflates a convex hull [m]."""


class Use(Enum):
    """What a geometry is for."""

    SEEN = "seen"
    MOVING = "moving"
    """It collides on a link that moves: PyBullet takes the convex hull of a mesh."""
    STILL = "still"
    """It collides on what the world holds: PyBullet takes a mesh as it is, unless it is to be simplified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One element of ``<geometry>``, and where it stands in the geometry's frame."""

    element: str
    X_GS: Pose = IDENTITY
    rgba: Rgba | None = None
    """The colour that a mesh file states."""
    concave: bool = False


def _number(value: float) -> str:
    return repr(float(value))


def _vector(values: tuple[float, ...]) -> str:
    return " ".join(map(_number, values))


def _box(box: Box) -> str:
    return f'<box size="{_vector(box.size)}"/>'


def _sphere(sphere: Sphere) -> str:
    return f'<sphere radius="{_number(sphere.radius)}"/>'


def _cylinder(cylinder: Cylinder) -> str:
    return f'<cylinder radius="{_number(cylinder.radius)}" length="{_number(cylinder.length)}"/>'


def _capsule(capsule: Capsule) -> str:
    return f'<capsule radius="{_number(capsule.radius)}" length="{_number(capsule.length)}"/>'


def _plane(plane: Plane) -> str:
    return f'<plane normal="{_vector(plane.normal)}"/>'


_PRIMITIVES: dict[type, Callable[[Any], str]] = {
    Box: _box,
    Sphere: _sphere,
    Cylinder: _cylinder,
    Capsule: _capsule,
    Plane: _plane,
}


@dataclass(slots=True, eq=False)
class Shapes:
    """Turns geometry into elements, and writes the files that they name."""

    files: Scratch
    diagnostics: Diagnostics
    collision_meshes: CollisionMeshes = "as_is"
    _known: dict[tuple[Geometry, Use, str | None], tuple[Shape, ...]] = field(default_factory=dict)
    _files: MeshFiles = field(default_factory=MeshFiles)
    _materials: int = 0

    def of(self, geometry: Geometry, where: Where, use: Use, picture: str | None = None) -> tuple[Shape, ...]:
        """The elements of a geometry; none, with a diagnostic, if PyBullet cannot have it.

        Args:
            geometry: Box, mesh, ...
            where: The place in the source.
            use: What it is for.
            picture: The file of an image that it is covered with, if it is seen.
        """
        if isinstance(geometry, Mesh) and use is not Use.SEEN:
            geometry = with_choice(geometry, self.collision_meshes)
        key = (geometry, use, picture)
        if key not in self._known:
            covered = self._covered(geometry, where, picture) if picture is not None else None
            self._known[key] = (covered,) if covered else tuple(self._shapes(geometry, where, use, picture))
        return self._known[key]

    def material_name(self) -> str:
        """A name that no other material of the document has."""
        self._materials += 1
        return f"material_{self._materials}"

    def _covered(self, geometry: Geometry, where: Where, picture: str) -> Shape | None:
        """A primitive under a picture; None for anything else, or if there is no cache to keep it in."""
        if isinstance(geometry, Plane):
            box, X_GS = _sheet(geometry)
            covered = self._covered(box, where, picture)
            return replace(covered, X_GS=X_GS) if covered else None
        covering = skin(geometry)
        if covering is None:
            return None
        vertices, faces, uv = covering
        name = type(geometry).__name__.lower()
        asset = mesh_assets.MeshAsset(name=name, vertices=vertices, faces=faces, uv=uv, texture=picture)
        try:
            return _mesh(str(under_picture(asset, where, self.diagnostics)))
        except OSError:
            return None

    def _shapes(self, geometry: Geometry, where: Where, use: Use, picture: str | None) -> Iterator[Shape]:
        if isinstance(geometry, Plane) and use is Use.SEEN:
            box, X_GS = _sheet(geometry)
            yield Shape(element=_box(box), X_GS=X_GS)
        elif type(geometry) in _PRIMITIVES:
            yield Shape(element=_PRIMITIVES[type(geometry)](geometry))
        elif isinstance(geometry, Ellipsoid):
            asset, error = _ellipsoid(geometry)
            self._report_hull("ellipsoid", error, where, use)
            yield self._file(asset, collides=use is not Use.SEEN)
        elif isinstance(geometry, Heightmap):
            yield from self._terrain(geometry, where, use)
        elif isinstance(geometry, Mesh | Cone | Polyline):
            yield from self._assets(geometry, where, use, picture)

    def _terrain(self, heightmap: Heightmap, where: Where, use: Use) -> Iterator[Shape]:
        if use is Use.MOVING:
            message = f"the height map {heightmap.uri} is on a link that moves, where it cannot collide; it is left out"
            return self._drop(message, "use a mesh", where)
        triangles = surface(heightmap)
        if triangles is None:
            hint = "it must be an image of 2 x 2 pixels or more; Pillow reads it: pip install pillow"
            return self._drop(f"the height map {heightmap.uri} cannot be read; it is left out", hint, where)
        yield replace(_mesh(self.files.file(stl(triangles), ".stl")), concave=use is Use.STILL)

    def _assets(self, geometry: Mesh | Cone | Polyline, where: Where, use: Use, picture: str | None) -> Iterator[Shape]:
        concave = use is Use.STILL and isinstance(geometry, Mesh) and self._collides_as_it_is(geometry)
        collides = use is not Use.SEEN and not concave
        for shape in self._meshes(geometry, where, picture, collides=collides):
            yield replace(shape, concave=concave)

    def _collides_as_it_is(self, mesh: Mesh) -> bool:
        return self.collision_meshes != "hull" and not is_simplified(mesh)

    def _meshes(
        self, geometry: Mesh | Cone | Polyline, where: Where, picture: str | None, *, collides: bool
    ) -> Iterator[Shape]:
        if not isinstance(geometry, Mesh):
            found = mesh_assets.shape_asset(geometry, TARGET, self.diagnostics, where=where)
        else:
            files = self._files.of(geometry, self.diagnostics, where, collides=collides, picture=picture)
            if files is not None:
                yield from (_mesh(file.path, file.rgba) for file in files)
                return
            found = mesh_assets.mesh_asset(geometry, TARGET, self.diagnostics, where=where, collides=collides)
        for asset in found:
            yield self._file(asset, collides=collides)

    def _file(self, asset: mesh_assets.MeshAsset, *, collides: bool) -> Shape:
        """An asset in a file that is not kept."""
        return _mesh(self.files.file(corners_stl(asset) if collides else faces_stl(asset), ".stl"), asset.rgba)

    def _report_hull(self, name: str, error: float, where: Where, use: Use) -> None:
        if use is not Use.SEEN:
            self.diagnostics.add(
                Fate.APPROXIMATED,
                "pybullet.shape-as-hull",
                (
                    "PyBullet has no {name}; it collides as a convex hull that lies up to {error:.2g} m "
                    "inside, inflated by PyBullet's margin of {hull_margin:g} m"
                ),
                where,
                target=TARGET,
                name=name,
                error=error,
                hull_margin=HULL_MARGIN,
            )

    def _drop(self, message: str, hint: str, where: Where) -> None:
        self.diagnostics.add(Fate.DROPPED, "pybullet.shape-dropped", message, where, target=TARGET, hint=hint)


_SHEET = 1e-4
"""Thickness of what is drawn for a plane [m]."""


def _sheet(plane: Plane) -> tuple[Box, Pose]:
    """PyBullet draws no planes; a thin box of the plane's size below it stands for what is seen."""
    box = Box(size=(*plane.size, _SHEET))
    return box, Pose.of(rotation_to(plane.normal)) @ Pose.of(p=(0.0, 0.0, -_SHEET / 2.0))


def _mesh(path: str, rgba: Rgba | None = None) -> Shape:
    return Shape(element=f"<mesh filename={quoteattr(path)}/>", rgba=rgba)


def _ellipsoid(ellipsoid: Ellipsoid) -> tuple[mesh_assets.MeshAsset, float]:
    """642 vertices on the surface, and how far the faces lie inside at most [m]."""
    from trimesh.creation import icosphere

    ball = icosphere(subdivisions=3)
    gap = 1.0 - float(np.abs(np.einsum("ij,ij->i", ball.face_normals, ball.triangles[:, 0])).min())
    asset = mesh_assets.MeshAsset(name="ellipsoid", vertices=ball.vertices * ellipsoid.radii, faces=ball.faces)
    return asset, gap * max(ellipsoid.radii)
