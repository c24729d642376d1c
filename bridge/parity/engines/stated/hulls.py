"""Volumes of convex hulls: of the hulls of a compiled MuJoCo model, and of points.

MuJoCo computes the hull of points, since the convex hull of trimesh needs scipy, which is no dependency.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bridge.parity.engines.protocol import NotReportedError
from loaders.spatial import Array

_AREA = 0.5
"""Area of a triangle relative to the product of two of its edges as vectors."""
_VOLUME = 1.0 / 6.0
"""Volume of a tetrahedron relative to the triple product of three of its edges."""


def hull_of_points(points: Array) -> Array | None:
    """Return the triangles of the convex hull of points, shape (m, 3, 3) [m]; None if they lie in one plane.

    Args:
        points: The points, shape (n, 3) [m].

    Raises:
        NotReportedError: If MuJoCo is not installed.
    """
    try:
        import mujoco
    except ImportError as error:
        raise NotReportedError("MuJoCo, which computes the hulls of meshes, is not installed") from error
    origin, size = points[0], float(np.ptp(points, axis=0).max())
    if not size > 0.0:
        return None
    spec = mujoco.MjSpec()
    mesh = spec.add_mesh(name="mesh", inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
    mesh.uservert = ((points - origin) / size).ravel()  # at unit size, because MuJoCo refuses small volumes
    spec.worldbody.add_body(name="body", mass=1.0, inertia=(1.0, 1.0, 1.0)).add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH, meshname="mesh"
    )
    try:
        model = spec.compile()
    except ValueError:
        return None
    hull = hull_in_mujoco(model, 0)
    return None if hull is None else hull * size


def hull_in_mujoco(model: Any, mesh: int) -> Array | None:
    """Return the triangles of the hull with which a compiled model collides, shape (m, 3, 3) [m].

    Args:
        model: The compiled model.
        mesh: The number of the mesh.

    Returns:
        The triangles in the frame of the compiled mesh; None if the model has no hull of it.
    """
    start = int(model.mesh_graphadr[mesh])
    if start < 0:
        return None
    vertices, faces = (int(count) for count in model.mesh_graph[start : start + 2])
    last = start + 2 + 3 * (vertices + faces)  # two rows of vertices, then edges; the faces come after them
    numbers = model.mesh_graph[last : last + 3 * faces].reshape(faces, 3)
    first = int(model.mesh_vertadr[mesh])
    return np.asarray(model.mesh_vert[first + numbers], dtype=np.float64)


def volume_and_sensitivity(hulls: Iterable[Array]) -> Array:
    """Return the volume of convex hulls, and by how much it changes if each surface moves by its extent, both [m^3].

    Args:
        hulls: The triangles of each hull, shape (m, 3, 3) [m].
    """
    return np.asarray(np.sum([_volume_and_sensitivity(hull) for hull in hulls], axis=0))


def _volume_and_sensitivity(hull: Array) -> Array:
    """The volume from tetrahedra with a point within; extent times area."""
    a, b, c = (hull - hull.reshape(-1, 3).mean(axis=0)).transpose(1, 0, 2)
    volume = _VOLUME * float(np.abs(np.einsum("ni,ni->n", a, np.cross(b, c))).sum())
    area = _AREA * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    return np.array((volume, area * float(np.ptp(hull.reshape(-1, 3), axis=0).max())))
