"""Meshes that collide: as their convex hull, as convex parts, or with a thickness if they are flat."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from bridge.output import scratch_folder
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.meshes import MeshData, MeshPart
from loaders.model import Mesh
from loaders.spatial import Array

from . import convex_decomposition
from .file_cache import cache_folder
from .mesh_properties import Faces, extent, is_convex, normal_if_flat

Solid = tuple[Array, Faces]
"""Vertices, shape (n, 3) [m], and faces, shape (m, 3)."""

_THICKNESS = 1e-3
"""Thickness given to a flat mesh, relative to its extent."""
_CONVEX_TOLERANCE = 1e-3
"""Relative difference of the volumes of a mesh and its convex hull below which the mesh is convex.

Corners in single precision make as much."""
_EMPTY = 1e-6
"""Share of its bounding box below which a mesh has no volume."""


@dataclass(frozen=True, slots=True)
class CollisionMesh:
    """A mesh that collides, and where to report what becomes of it.

    Attributes:
        mesh: The mesh as the scene has it.
        data: Its triangles.
        name: Name of the parts.
        target: The engine that the diagnostics are about.
        diagnostics: Receives the findings.
        where: The place in the source.
    """

    mesh: Mesh
    data: MeshData
    name: str
    target: str
    diagnostics: Diagnostics
    where: Where

    @property
    def solid(self) -> Solid:
        """Vertices and faces of all parts."""
        return self.data.vertices, self.data.faces

    def report(self, code: str, template: str, hint: str = "", **arguments: Any) -> None:
        """Report how the mesh is approximated.

        Args:
            code: The code of the diagnostic.
            template: The message, in which ``{mesh}`` is the name of the mesh.
            hint: What the user can do.
            arguments: Further values of the template.
        """
        name = PurePosixPath(self.mesh.uri).stem or self.name  # the file may be one of the cache
        self.diagnostics.add(
            Fate.APPROXIMATED, code, template, self.where, target=self.target, hint=hint, mesh=name, **arguments
        )


def collision_parts(collision: CollisionMesh) -> dict[str, Solid]:
    """Return the solids that collide for a mesh, by name: one, or several convex parts if it is to be decomposed."""
    vertices, faces = collision.solid
    normal = normal_if_flat(vertices)
    if normal is not None:
        vertices, faces = two_sided(vertices, faces, normal)
        collision.report(
            "mesh.flat",
            "mesh {mesh} is flat; to collide it gets a thickness of {thickness:.2g} m",
            "use a box",
            thickness=_THICKNESS * extent(vertices),
        )
    elif not _collides_exactly_as_hull(collision.mesh, collision.solid):
        return _non_convex_parts(collision)
    return {collision.name: (vertices, faces)}


def _collides_exactly_as_hull(mesh: Mesh, solid: Solid) -> bool:
    """Return whether the mesh is convex, or the source asks for its hull."""
    return mesh.convex or mesh.decomposition == convex_decomposition.HULL or is_convex(*solid)


def _non_convex_parts(collision: CollisionMesh) -> dict[str, Solid]:
    volume, hull = _volume(collision.data), convex_decomposition.hull_volume(collision.solid)
    if volume is not None and hull is not None and hull < volume * (1.0 + _CONVEX_TOLERANCE):
        return {collision.name: collision.solid}
    if collision.mesh.decomposition == convex_decomposition.PARTS:
        return _decomposed(collision)
    template, volumes = _with_volumes("mesh {mesh} is not convex; it collides as its convex hull", hull, volume)
    collision.report("mesh.convex-hull", template, 'decompose it with collision_meshes="decompose"', **volumes)
    return {collision.name: collision.solid}


def _decomposed(collision: CollisionMesh) -> dict[str, Solid]:
    """Return the convex parts of a mesh; the mesh itself, with a diagnostic, if it cannot be decomposed."""
    try:
        solids = _cached_parts(collision)
    except convex_decomposition.DecompositionError as error:
        _report_failure(collision, error)
        return {collision.name: collision.solid}
    parts_volume = sum(abs(MeshData(parts=(MeshPart(names=(), vertices=v, faces=f),)).volume) for v, f in solids)
    template, volumes = _with_volumes(
        "mesh {mesh} is not convex; it collides as {count} convex parts", parts_volume, _volume(collision.data)
    )
    collision.report("mesh.convex-parts", template, count=len(solids), **volumes)
    return {f"{collision.name}_convex_{i}": solid for i, solid in enumerate(solids)}


def _report_failure(collision: CollisionMesh, error: convex_decomposition.DecompositionError) -> None:
    is_installed = convex_decomposition.installed()
    collision.report(
        "mesh.decomposition",
        "mesh {mesh} cannot be decomposed into up to {count} convex parts ({voxels} voxels): {reason}; "
        "it collides as its convex hull",
        "use several convex shapes; clear the cache to try again" if is_installed else convex_decomposition.INSTALL,
        count=collision.mesh.max_convex_hulls,
        voxels=collision.mesh.voxel_resolution,
        reason=str(error),
    )


def _cached_parts(collision: CollisionMesh) -> tuple[Solid, ...]:
    """Return the convex parts of a mesh, from the cache if it can be written."""
    try:
        return convex_decomposition.convex_parts(collision.solid, collision.mesh, cache_folder() / "convex")
    except OSError:
        with scratch_folder() as folder:
            return convex_decomposition.convex_parts(collision.solid, collision.mesh, folder)


def _volume(data: MeshData) -> float | None:
    """Return the volume of a mesh [m^3]; None if it is open, or its triangles face both ways and enclose none."""
    volume = abs(data.volume)
    return volume if data.is_closed and volume > _EMPTY * np.prod(np.ptp(data.vertices, axis=0)) else None


def _with_volumes(template: str, volume: float | None, exact: float | None) -> tuple[str, dict[str, Any]]:
    """Return a template that compares the volume that collides [m^3] with that of the mesh, and its arguments."""
    if exact is None:
        return template + "; the mesh encloses no volume to compare with", {}
    if not volume:
        return template, {}
    compared = template + ", of {volume:.3g} m^3 instead of {exact:.3g} m^3 ({percent:+.1f} %)"
    return compared, {"volume": volume, "exact": exact, "percent": 100.0 * (volume / exact - 1.0)}


def two_sided(vertices: Array, faces: Faces, normal: Array) -> Solid:
    """Return a flat mesh with two sides, at a distance of a thousandth of its extent.

    Args:
        vertices: Positions [m], shape (n, 3).
        faces: Triangles, shape (m, 3).
        normal: Unit normal of the plane of the mesh, shape (3,).
    """
    offset = normal * (_THICKNESS / 2.0) * extent(vertices)
    return (
        np.concatenate((vertices + offset, vertices - offset)),
        np.concatenate((faces, faces[:, ::-1] + len(vertices))),
    )
