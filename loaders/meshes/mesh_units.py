"""Meshes in the wrong unit: those far larger or far smaller than the robot that they are part of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.model import Collision, Mesh, Visual
from loaders.scene import Scene

from . import read_mesh

FACTOR = 100.0
"""How many times the longest joint offset a mesh may measure, or the other way round."""


def check_units(scene: Scene, diagnostics: Diagnostics) -> None:
    """Warn of meshes whose bounding box is implausible against the offsets of the joints of their model.

    Every mesh of the scene is read for this; what cannot be read is for others to report.
    """
    reach = _reach(scene)
    seen: set[Mesh] = set()
    for model, mesh, where in _meshes(scene):
        data = read_mesh(mesh, Diagnostics()) if mesh not in seen and reach.get(model) else None
        seen.add(mesh)
        if data is None:
            continue
        size = float((data.bounds[1] - data.bounds[0]).max())
        ratio = size / reach[model]
        if not 1.0 / FACTOR < ratio < FACTOR:
            message = f"{mesh.uri} measures {size:g} m, where the longest joint offset is {reach[model]:g} m"
            hint = "is it in millimetres or inches? Then scale it by 0.001 or 0.0254"
            diagnostics.add(Fate.ASSUMED, "mesh.implausible-size", message, where, hint=hint)


def _reach(scene: Scene) -> dict[str, float]:
    """The longest offset of any joint of each model [m]."""
    model_of = {link.name: link.model for link in scene.links}
    reach: dict[str, float] = {}
    for joint in scene.joints:
        model = model_of.get(joint.child, "")
        longest = max(float(np.linalg.norm(joint.X_PJ.p)), float(np.linalg.norm(joint.X_CJ.p)))
        reach[model] = max(reach.get(model, 0.0), longest)
    return reach


def _meshes(scene: Scene) -> Iterator[tuple[str, Mesh, Where]]:
    for link in scene.links:
        shapes: tuple[Collision | Visual, ...] = (*link.collisions, *link.visuals)
        for shape in shapes:
            if isinstance(shape.geometry, Mesh):
                yield link.model, shape.geometry, shape.where
