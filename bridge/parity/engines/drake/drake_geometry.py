"""The collision shapes of Drake: read from the file a second time, with a scene graph, and without network access.

Drake refuses a file whose meshes it cannot read, so that the shapes are kept apart from the plant that moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from bridge.geometry.support import SupportFunction, half_space, support_function, supports_of, supports_of_points
from bridge.mechanism import Mechanism
from bridge.parity.engines.protocol import NotReportedError
from bridge.parity.engines.stated.hulls import hull_of_points
from bridge.parity.engines.stated.shapes import Hull, Surfaces, stacked
from loaders import Search
from loaders.model import Box, Capsule, Cylinder, Ellipsoid, Sphere
from loaders.spatial import Array, Pose

from .drake_names import ModelMismatchError, links_by_name
from .drake_plant import UnsupportedModelError, read_plant, without_log

_UP = np.array((0.0, 0.0, 1.0))


class DrakeGeometry:
    """The shapes that Drake reads from the file of a mechanism.

    Raises:
        NotReportedError: If Drake does not read the file with its shapes.
    """

    def __init__(self, mechanism: Mechanism, search: Search) -> None:
        from pydrake.geometry import SceneGraph

        scene_graph: Any = SceneGraph()
        try:
            with without_log():
                plant = read_plant(mechanism.scene, search, scene_graph=scene_graph)
            self._link_of = {int(body.index()): name for name, body in links_by_name(plant, mechanism).items()}
        except (UnsupportedModelError, ModelMismatchError) as error:
            reason = str(error).partition("\n")[0]
            raise NotReportedError(f"Drake does not read the shapes: {reason}") from error
        self._plant, self._graph = plant, scene_graph
        self._inspector = scene_graph.model_inspector()

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """Return the pairs of links of which Drake's filters let shapes collide."""
        candidates = self._inspector.GetCollisionCandidates()
        pairs = (frozenset(map(self._link, pair)) for pair in candidates)
        return frozenset(pair for pair in pairs if len(pair) == 2)

    def surfaces(self) -> Surfaces:
        """Return shapes and friction; what is drawn is left out, since Drake skips formats of meshes."""
        supports: list[tuple[str, Array]] = []
        friction: dict[str, list[float]] = {}
        hulls: dict[str, list[Hull]] = {}
        for body, link in self._link_of.items():
            for geometry in self._plant.GetCollisionGeometriesForBody(self._body(body)):
                X_LG = self._inspector.GetPoseInFrame(geometry)
                pose = Pose.of(np.asarray(X_LG.rotation().matrix()), np.asarray(X_LG.translation()))
                form = self._form(geometry)
                if callable(form):
                    supports.append((link, supports_of(form, pose)))
                elif form is not None:
                    supports.append((link, supports_of_points(form, pose)))
                    hulls.setdefault(link, []).append(partial(hull_of_points, form))
                friction.setdefault(link, []).append(self._friction(geometry))
        return Surfaces(supports=stacked(supports), visuals=None, friction=friction, hulls=hulls)

    def _body(self, index: int) -> Any:
        from pydrake.multibody.tree import BodyIndex

        return self._plant.get_body(BodyIndex(index))

    def _link(self, geometry: Any) -> str:
        body = self._plant.GetBodyFromFrameId(self._inspector.GetFrameId(geometry))
        return self._link_of.get(int(body.index()), str(body.name()))

    def _friction(self, geometry: Any) -> float:
        properties = self._inspector.GetProximityProperties(geometry)
        return float(properties.GetProperty("material", "coulomb_friction").dynamic_friction())

    def _form(self, geometry: Any) -> SupportFunction | Array | None:
        """The support function of a primitive, or the corners of the hull with which a mesh collides."""
        hull = self._inspector.GetConvexHull(geometry)
        if hull is not None:
            return np.array([hull.vertex(k) for k in range(hull.num_vertices())], dtype=np.float64)
        return _primitive(self._inspector.GetShape(geometry))


def _primitive(shape: Any) -> SupportFunction | None:
    shapes: Mapping[str, Any] = {
        "Sphere": lambda: Sphere(radius=shape.radius()),
        "Box": lambda: Box(size=(shape.width(), shape.depth(), shape.height())),
        "Cylinder": lambda: Cylinder(radius=shape.radius(), length=shape.length()),
        "Capsule": lambda: Capsule(radius=shape.radius(), length=shape.length()),
        "Ellipsoid": lambda: Ellipsoid(radii=(shape.a(), shape.b(), shape.c())),
    }
    kind = type(shape).__name__
    if kind == "HalfSpace":
        return half_space(_UP)
    return support_function(shapes[kind]()) if kind in shapes else None
