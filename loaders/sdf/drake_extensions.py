"""Extensions in an SDF file: the ``drake:`` elements of models and joints, and the plugins of Gazebo."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from loaders.drake.dialect import SDF
from loaders.drake.joints import read_mimic, read_sdf_actuator, read_sdf_joints
from loaders.drake.model_elements import ELEMENTS, read_model
from loaders.gazebo.added_items import AddedItems, merged, with_followers, with_forces_and_sensors
from loaders.model import WORLD, Actuator, Coupling, Joint, by_name
from loaders.reading.deferred import Deferred
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import attach_joints, merge
from loaders.sdf.frames.frame_graph import FrameGraph, FrameVertex, Scope, VertexKind
from loaders.sdf.frames.solve import attached_link
from loaders.spatial import Pose

_read_plugins: Callable[..., None] = Deferred("loaders.gazebo.plugins:read_plugins")


@dataclass(frozen=True, slots=True)
class ScopeNames:
    """The names that an extension in a model may refer to; see `loaders.drake.dialect.Names`."""

    scope: Scope
    joints: Mapping[str, Joint]

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.scope.name

    @property
    def prefix(self) -> str:
        """Prefix of the names of the model's elements in the scene."""
        return self.scope.prefix

    def link(self, name: str) -> str | None:
        """Return the scoped name of a link of this model or a nested one; None if it is unknown."""
        vertex = self.scope.find(name)
        return vertex.name if vertex is not None and vertex.kind is VertexKind.LINK else None

    def frame(self, name: str) -> tuple[str, Pose] | None:
        """Return the link that a frame F is attached to, and ``X_LF``; None if the frame is unknown."""
        vertex = self.scope.find(name)
        if vertex is None:
            return None
        link = attached_link(vertex)
        return (WORLD, vertex.X_WV) if link is None else (link.name, link.X_WV.inverse() @ vertex.X_WV)

    def joint(self, name: str) -> Joint | None:
        """Return a joint of this model or a nested one; None if it is unknown."""
        vertex = self.scope.find(name)
        return self.joints.get(self.scope.prefix + name if vertex is None else vertex.name)


def with_extensions(scene: Scene, graph: FrameGraph) -> Scene:
    """Return the scene with the joints, couplings, actuators and other items of Drake and of Gazebo's plugins."""
    joints = by_name(scene.joints)
    models = [scope for scope in graph.scopes if scope.origin.kind is VertexKind.MODEL]
    drake_joints = [joint for scope in models for joint in read_sdf_joints(scope.node, ScopeNames(scope, joints))]
    scene = attach_joints(scene, drake_joints)
    joints |= by_name(drake_joints)
    names = {id(scope): ScopeNames(scope, joints) for scope in graph.scopes}
    parts = [read_model(scope.node, names[id(scope)], SDF) for scope in models if not scope.node.lacks(ELEMENTS)]
    scene = merge(scene, *parts) if parts else scene
    vertices = list(_joint_vertices(graph, joints))
    extras = AddedItems(scene)
    for scope in graph.scopes:
        if scope.node.peek("plugin") is not None:
            _read_plugins(scope.node, names[id(scope)], extras, "sdf.plugin")
    return dataclasses.replace(
        with_forces_and_sensors(scene, extras),
        couplings=with_followers(scene.couplings + tuple(_couplings(vertices, names, joints)), extras),
        actuators=merged(tuple(_actuators(vertices, joints)) + scene.actuators, extras),
    )


def _joint_vertices(graph: FrameGraph, joints: Mapping[str, Joint]) -> Iterator[FrameVertex]:
    """Yield the vertices of the ``<joint>`` elements that were read without an error."""
    for vertex in graph.vertices:
        if vertex.node.tag == "joint" and vertex.name in joints:
            yield vertex


def _couplings(
    vertices: list[FrameVertex], names: Mapping[int, ScopeNames], joints: Mapping[str, Joint]
) -> Iterator[Coupling]:
    for vertex in vertices:
        coupling = read_mimic(vertex.node, joints[vertex.name], names[id(vertex.scope)])
        if coupling is not None:
            yield coupling


def _actuators(vertices: list[FrameVertex], joints: Mapping[str, Joint]) -> Iterator[Actuator]:
    """Yield the actuator of each joint for which Drake creates one; joints of static models have none."""
    for vertex in vertices:
        if not vertex.scope.static:
            actuator = read_sdf_actuator(vertex.node, joints[vertex.name])
            if actuator is not None:
                yield actuator
