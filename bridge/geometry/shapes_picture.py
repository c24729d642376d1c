"""Picture of collision meshes and the shapes that they become."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bridge.choices import Fit, Shapes
from loaders.diagnostics import Diagnostics
from loaders.finish.finish import with_references
from loaders.finish.up_axis import with_up_axes
from loaders.model import Link, Mesh
from loaders.picture import Layer, paint_layers, surfaces
from loaders.scene import Scene
from loaders.text import unknown_name

from .collision_shapes import ShapeChoice, with_shapes
from .mesh import with_asset_files

_SIZE = (640, 480)
"""Width and height of a picture [pixels]."""
_MESH_COLOR, _RESULT_COLOR = (0.90, 0.55, 0.20), (0.25, 0.50, 0.90)
_OPACITY = 0.45
"""Opacity of the results before the meshes."""


def shapes_picture(
    scene: Scene, shapes: Shapes, *, fit: Fit = "contain", link: str | None = None
) -> bytes | None:
    """Return a picture of collision meshes with what they become before them, as PNG; None if there
    is no mesh.

    Meshes are orange, the shapes blue and transparent.

    Args:
        scene: The scene.
        shapes: The shape for each name or pattern of links; see `bridge.to_mjcf`.
        fit: Whether fitted shapes contain the mesh, or are the closest to it.
        link: Name of the only link that is drawn; None draws all at their initial poses.

    Raises:
        ValueError: as for `bridge.to_mjcf`.
        UnknownNameError: if there is no such link.

    Example:
        >>> import bridge, loaders
        >>> scene = loaders.load("assets/double_pendulum.urdf", quiet=True)
        >>> bridge.shapes_picture(scene, "box") is None  # it has no mesh
        True
    """
    scene = with_up_axes(with_references(with_asset_files(scene)))
    after = with_shapes(scene, ShapeChoice.of(shapes, fit), "", Diagnostics())
    names = [entry.name for entry in scene.links]
    chosen = names if link is None else [link]
    if link is not None and link not in names:
        raise unknown_name("link", link, names)
    pairs = [
        (old, new)
        for old, new in zip(scene.links, after.links, strict=True)
        if old.name in chosen and any(isinstance(c.geometry, Mesh) for c in old.collisions)
    ]
    layers = [
        _layer([pair[k] for pair in pairs], color, opacity)
        for k, color, opacity in ((0, _MESH_COLOR, 1.0), (1, _RESULT_COLOR, _OPACITY))
    ]
    drawn = [layer for layer in layers if len(layer.corners)]
    return paint_layers(drawn, _SIZE) if drawn else None


def _layer(links: Sequence[Link], color: tuple[float, float, float], opacity: float) -> Layer:
    """Return the triangles of the collisions of links in the world."""
    corners = [np.zeros((0, 3, 3))]
    for link in links:
        for collision in link.collisions:
            X_WG = link.X_WL @ collision.X_LG
            for part in surfaces(collision):
                corners.append((part.vertices @ X_WG.R.T + X_WG.p)[part.faces])
    triangles = np.concatenate(corners)
    return Layer(triangles, np.broadcast_to(color, (len(triangles), 3)), opacity)
