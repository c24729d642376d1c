"""Meshes in the form that targets read: parts of a shape, in meters, Z up, scale applied.

The same input gives the same bytes, so that targets can find equal assets, and name files, by content.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from loaders.diagnostics import NOWHERE, Diagnostics, Fate, Where
from loaders.meshes import MeshData, MeshPart, read_mesh
from loaders.meshes.mesh_data import parts_by_appearance
from loaders.model import Cone, Mesh, Polyline, Rgba
from loaders.spatial import Array

from .collision_meshes import CollisionMesh, collision_parts, two_sided
from .mesh_properties import Faces, normal_if_flat
from .obj_format import obj
from .tessellation import SIDES, cone, prisms, problem

_MIN_SIZE = 1e-9
"""Smallest radius and length of a cone [m]."""


class Appearance(StrEnum):
    """The part of a mesh file's appearance that matters."""

    ALL = "all"
    """Its colors and textures: one part for each material."""
    TEXTURES = "textures"
    """Its textures: one part for each material if it has textures, else one part without appearance."""
    NONE = "none"
    """Nothing: one part without appearance."""


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
    rgba: Rgba | None = None
    """Color that the mesh file states."""
    texture: str | None = None
    """Image file that the mesh file states."""

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
    """Return the parts of a mesh, one for each of its materials; none, with a diagnostic, if it cannot be read.

    Args:
        mesh: The mesh.
        target: The engine that the diagnostics are about.
        diagnostics: Receives the findings.
        where: The place in the source.
        collides: Whether the engine computes contacts with it. Then it is one part, or several convex ones if it is to
            be decomposed; a flat mesh gets a thickness, and a mesh that is not convex is reported, because engines
            take its convex hull.
        appearance: The part of its appearance that matters; none of it does if the mesh collides.
    """
    if mesh.path is None:
        diagnostics.add(
            Fate.DROPPED,
            "mesh.missing",
            "mesh {uri} was not found; leaving out the shape",
            where,
            target=target,
            hint="add its folder to paths",
            uri=mesh.uri,
        )
        return ()
    data = read_mesh(mesh, diagnostics)
    if data is None:
        return ()
    name = Path(mesh.path).stem
    if collides:
        parts = collision_parts(CollisionMesh(mesh, data, name, target, diagnostics, where))
        return tuple(MeshAsset(name=part, vertices=vertices, faces=faces) for part, (vertices, faces) in parts.items())
    if appearance is Appearance.NONE or (appearance is Appearance.TEXTURES and not _has_texture(data)):
        return (_visual_part(MeshPart(names=(), vertices=data.vertices, faces=data.faces), name),)
    looks = parts_by_appearance(data.parts)
    return tuple(_visual_part(part, f"{name}_{i}" if len(looks) > 1 else name) for i, part in enumerate(looks))


def _has_texture(data: MeshData) -> bool:
    return any(part.texture for part in data.parts)


def _visual_part(part: MeshPart, name: str) -> MeshAsset:
    """Return a part as it is; a single flat triangle with a second side, for engines that need four vertices."""
    vertices, faces, uv = part.vertices, part.faces, part.uv
    normal = normal_if_flat(vertices) if len(vertices) < 4 else None
    if normal is not None:
        vertices, faces = two_sided(vertices, faces, normal)
        uv = None if uv is None else np.concatenate((uv, uv))
    return MeshAsset(name=name, vertices=vertices, faces=faces, uv=uv, rgba=part.color, texture=part.texture)


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
        diagnostics.add(
            Fate.APPROXIMATED,
            "mesh.cone",
            "a cone becomes a mesh of {sides} sides, which lies up to 0.12 % of the radius inside",
            where,
            target=target,
            sides=SIDES,
        )
        vertices, faces = cone(shape)
        return (MeshAsset(name="cone", vertices=vertices, faces=faces),)
    return _polyline_asset(shape, target, diagnostics, where)


def _report_degenerate(shape: str, reason: str, target: str, diagnostics: Diagnostics, where: Where) -> None:
    message, hint = "leaving out {shape}: {reason}", "correct the dimensions"
    diagnostics.add(
        Fate.DROPPED, "mesh.degenerate", message, where, target=target, hint=hint, shape=shape, reason=reason
    )


def _polyline_asset(shape: Polyline, target: str, diagnostics: Diagnostics, where: Where) -> tuple[MeshAsset, ...]:
    solids = prisms(shape)
    for reason in filter(None, (problem(outline, shape.height) for outline in shape.outlines)):
        _report_degenerate("an outline of a polyline", reason, target, diagnostics, where)
    if not solids:
        return ()
    if len(solids) > 1:
        template = "a polyline becomes {count} meshes, one for each outline; each collides as its convex hull, filled"
    else:
        template = "a polyline becomes a mesh, which collides as its convex hull"
    diagnostics.add(Fate.APPROXIMATED, "mesh.polyline", template, where, target=target, count=len(solids))
    if not all(solid.is_filled for solid in solids):
        diagnostics.add(
            Fate.APPROXIMATED,
            "mesh.polyline-not-simple",
            "an outline of a polyline intersects itself or is too intricate; its mesh does not have the area that the "
            "outline encloses",
            where,
            target=target,
            hint="correct the order of the points",
        )
    names = ["polyline"] if len(solids) == 1 else [f"polyline_{i}" for i in range(len(solids))]
    return tuple(
        MeshAsset(name=name, vertices=solid.vertices, faces=solid.faces)
        for name, solid in zip(names, solids, strict=True)
    )
