"""Meshes and height fields that a document has in itself, as the content of files."""

from __future__ import annotations

import io

import numpy as np

from loaders.model import Heightmap, Mesh

from .source import Source

_MAX_LEVEL = 65535


def inline_mesh(mesh: int, source: Source) -> Mesh:
    """Return a mesh of the compiled model as an OBJ file, in the frame of the geom.

    Args:
        mesh: Its index.
        source: The compiled model.
    """
    model = source.compiled.model
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[first : first + count].astype(np.float64).tolist()
    first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    faces = (model.mesh_face[first : first + count] + 1).tolist()
    lines = [*(f"v {x!r} {y!r} {z!r}" for x, y, z in vertices), *(f"f {a} {b} {c}" for a, b, c in faces)]
    return Mesh(uri=f"{source.names('mesh')[mesh]}.obj", path=None, data="\n".join((*lines, "")).encode())


def inline_heights(hfield: int, size: tuple[float, float, float], source: Source) -> Heightmap:
    """Return a height field of the compiled model as a picture with 16 bits.

    MuJoCo's first row is at the smallest y, that of a picture at the largest.

    Args:
        hfield: Its index.
        size: Full extent in x, y and z [m].
        source: The compiled model.
    """
    from PIL import Image

    model = source.compiled.model
    first, rows, columns = (int(getattr(model, f"hfield_{key}")[hfield]) for key in ("adr", "nrow", "ncol"))
    heights = model.hfield_data[first : first + rows * columns].reshape(rows, columns)[::-1]
    stream = io.BytesIO()
    Image.fromarray(np.round(heights * _MAX_LEVEL).astype(np.uint16)).save(stream, "PNG")
    return Heightmap(uri=f"{source.names('hfield')[hfield]}.png", path=None, size=size, data=stream.getvalue())
