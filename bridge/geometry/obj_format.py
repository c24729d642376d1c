"""Wavefront OBJ files.

They are written here and not by trimesh, whose import takes 0.3 s: the bytes must be the same for the same mesh with
every version of it, because targets name files, and find equal meshes, by content.
"""

from __future__ import annotations

from loaders.spatial import Array

from .mesh_properties import Faces


def obj(vertices: Array, faces: Faces, uv: Array | None = None) -> bytes:
    """Return an OBJ file of one shape, with coordinates in single precision, as engines keep them.

    Args:
        vertices: Positions [m], shape (n, 3).
        faces: Triangles, shape (m, 3).
        uv: Texture coordinates of the vertices, shape (n, 2).
    """
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices.tolist()]
    if uv is None:
        lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    else:
        lines += [f"vt {u:.9g} {v:.9g}" for u, v in uv.tolist()]
        lines += [f"f {a}/{a} {b}/{b} {c}/{c}" for a, b, c in (faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()
