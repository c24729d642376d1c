"""Check the mesh files of a scene: whether they can be read, and whether their unit is plausible."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loaders.diagnostics import Diagnostics, Fate
from loaders.meshes import read_mesh
from loaders.model import Collision, Link, Mesh, Visual
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR

FACTOR = 100.0
"""Largest plausible ratio of mesh size to longest joint offset, and of offset to size."""


def check_meshes(scene: Scene, diagnostics: Diagnostics) -> None:
    """Report meshes that cannot be read, and those whose size is implausible compared with the joint offsets.

    This reads every mesh of the scene once.

    Args:
        scene: The scene.
        diagnostics: Record for the findings.

    Raises:
        LimitError: if the meshes have too many triangles.
    """
    offsets = _longest_joint_offsets(scene)
    seen: set[Mesh] = set()
    for link, shape, mesh in _meshes(scene):
        if mesh in seen:
            continue
        seen.add(mesh)
        before = len(diagnostics)
        data = read_mesh(mesh, diagnostics)
        subjects = (link.name, f"{link.name}{SEPARATOR}{shape.name}")
        diagnostics.add_missing_subjects(range(before, len(diagnostics)), subjects)
        offset = offsets.get(link.model)
        if data is None or not offset:
            continue
        size = float((data.bounds[1] - data.bounds[0]).max())
        if not 1.0 / FACTOR < size / offset < FACTOR:
            diagnostics.add(
                Fate.ASSUMED,
                "mesh.implausible-size",
                "mesh {uri} is {size:g} m large, but the longest joint offset of its model is {offset:g} m",
                shape.where,
                hint="if the mesh is in millimeters or inches, set its scale to 0.001 or 0.0254",
                subjects=subjects,
                uri=mesh.uri,
                size=size,
                offset=offset,
            )


def _longest_joint_offsets(scene: Scene) -> dict[str, float]:
    """Return the longest joint offset [m] of each model, keyed by the model's name."""
    model_of = {link.name: link.model for link in scene.links}
    offsets: dict[str, float] = {}
    for joint in scene.joints:
        model = model_of.get(joint.child, "")
        longest = max(float(np.linalg.norm(joint.X_PJ.p)), float(np.linalg.norm(joint.X_CJ.p)))
        offsets[model] = max(offsets.get(model, 0.0), longest)
    return offsets


def _meshes(scene: Scene) -> Iterator[tuple[Link, Collision | Visual, Mesh]]:
    """Yield every mesh of the scene with its shape and link."""
    for link in scene.links:
        shapes: tuple[Collision | Visual, ...] = (*link.collisions, *link.visuals)
        for shape in shapes:
            if isinstance(shape.geometry, Mesh):
                yield link, shape, shape.geometry
