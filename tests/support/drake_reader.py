"""Drake itself, asked what a model means."""

from __future__ import annotations

import os
from itertools import combinations
from pathlib import Path

os.environ.setdefault("DRAKE_ALLOW_NETWORK", "package_map")

from pydrake.geometry import Role
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder


class Drake:
    """A finalised plant, with its scene graph and the filter groups of the parser."""

    def __init__(self, source: str | Path, form: str = "", packages: dict[str, Path] | None = None) -> None:
        builder = DiagramBuilder()
        self.plant, self.scene_graph = AddMultibodyPlantSceneGraph(builder, 0.0)
        parser = Parser(builder)
        for name, folder in (packages or {}).items():
            parser.package_map().Add(name, str(folder))
        if form:
            self.instances = parser.AddModelsFromString(str(source), form)
        else:
            self.instances = parser.AddModels(str(source))
        self.plant.Finalize()
        self.groups = parser.GetCollisionFilterGroups()
        self.diagram = builder.Build()
        self.context = self.plant.GetMyContextFromRoot(self.diagram.CreateDefaultContext())

    def name(self, body) -> str:
        """Name with the scope of its model, as in a world."""
        if body.index() == self.plant.world_body().index():
            return "world"
        return f"{self.plant.GetModelInstanceName(body.model_instance())}::{body.name()}"

    def filtered_pairs(self) -> set[frozenset[str]]:
        """Pairs of bodies of which no two proximity geometries may touch."""
        inspector = self.scene_graph.model_inspector()
        geometries: dict[str, list] = {}
        for gid in inspector.GetAllGeometryIds(Role.kProximity):
            body = self.plant.GetBodyFromFrameId(inspector.GetFrameId(gid))
            geometries.setdefault(self.name(body), []).append(gid)
        return {
            frozenset((a, b))
            for a, b in combinations(geometries, 2)
            if all(inspector.CollisionFiltered(g, h) for g in geometries[a] for h in geometries[b])
        }

    def proximity(self, group: str, name: str):
        """A proximity property of the only geometry that has any, or None."""
        inspector = self.scene_graph.model_inspector()
        (gid,) = inspector.GetAllGeometryIds(Role.kProximity)
        properties = inspector.GetProximityProperties(gid)
        return properties.GetProperty(group, name) if properties.HasProperty(group, name) else None

    def mass_matrix(self):
        """At the default configuration."""
        return self.plant.CalcMassMatrix(self.context)
