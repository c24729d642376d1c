"""Drake's extensions in an SDF file: what stands in models and joints."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loaders.drake.dialect import SDF
from loaders.drake.joints import read_mimic, read_sdf_actuator, read_sdf_joints
from loaders.drake.model_elements import read_model
from loaders.model import WORLD, Actuator, Coupling, Joint, by_name
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import attach_joints, merge
from loaders.sdf.frames.frame_graph import FrameGraph, FrameVertex, Scope, VertexKind
from loaders.sdf.frames.solve import carrier
from loaders.spatial import Pose


@dataclass(frozen=True, slots=True)
class ScopeNames:
    """The names that an extension in a model may use; see `loaders.drake.dialect.Names`."""

    scope: Scope
    joints: Mapping[str, Joint]

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.scope.name

    @property
    def prefix(self) -> str:
        """What the names of its parts start with in the scene."""
        return self.scope.prefix

    def link(self, name: str) -> str | None:
        """The link of a name, here or in a nested model."""
        found = self.scope.find(name)
        return found.name if found is not None and found.kind is VertexKind.LINK else None

    def frame(self, name: str) -> tuple[str, Pose] | None:
        """The link that a frame F is fixed to, and ``X_LF``."""
        found = self.scope.find(name)
        if found is None:
            return None
        link = carrier(found)
        return (WORLD, found.X_WV) if link is None else (link.name, link.X_WV.inverse() @ found.X_WV)

    def joint(self, name: str) -> Joint | None:
        """The joint of a name, here or in a nested model."""
        found = self.scope.find(name)
        return self.joints.get(self.scope.prefix + name if found is None else found.name)


def with_extensions(scene: Scene, layout: FrameGraph) -> Scene:
    """The scene with what Drake's elements add to its models and joints."""
    joints = by_name(scene.joints)
    models = [scope for scope in layout.scopes if scope.origin.kind is VertexKind.MODEL]
    added = [joint for scope in models for joint in read_sdf_joints(scope.node, ScopeNames(scope, joints))]
    scene = attach_joints(scene, added)
    joints |= by_name(added)
    names = {id(scope): ScopeNames(scope, joints) for scope in layout.scopes}
    vertices = [v for v in layout.vertices if v.kind is VertexKind.JOINT and v.node.tag == "joint" and v.name in joints]
    parts = [read_model(scope.node, names[id(scope)], SDF) for scope in models]
    scene = merge(scene, *parts) if any(map(_has_parts, parts)) else scene
    return dataclasses.replace(
        scene,
        couplings=scene.couplings + tuple(_couplings(vertices, names, joints)),
        actuators=tuple(_actuators(vertices, joints)) + scene.actuators,
    )


def _has_parts(part: Scene) -> bool:
    return bool(part.constraints or part.forces or part.filter_groups)


def _couplings(
    vertices: list[FrameVertex], names: Mapping[int, ScopeNames], joints: Mapping[str, Joint]
) -> Iterator[Coupling]:
    for vertex in vertices:
        coupling = read_mimic(vertex.node, joints[vertex.name], names[id(vertex.scope)])
        if coupling is not None:
            yield coupling


def _actuators(vertices: list[FrameVertex], joints: Mapping[str, Joint]) -> Iterator[Actuator]:
    """One for each joint that Drake drives; a static model drives none."""
    for vertex in vertices:
        if vertex.scope is not None and not vertex.scope.static:
            actuator = read_sdf_actuator(vertex.node, joints[vertex.name])
            if actuator is not None:
                yield actuator
