"""Assembly of a `Scene` from a solved frame graph; its items are in document order."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from loaders.context import Context
from loaders.diagnostics import Diagnostics, Fate
from loaders.model import WORLD, Frame, Joint, Model
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import merge, place
from loaders.scene_queries.scoped_names import SEPARATOR, renaming, root_model
from loaders.sdf.elements.joints import read_couplings, read_joint
from loaders.sdf.elements.links import read_link, read_link_lights
from loaders.sdf.elements.world import STATE, read_world
from loaders.sdf.frames.frame_graph import (
    INTERFACE_MODEL,
    FrameGraph,
    FrameVertex,
    InterfaceModel,
    Scope,
    VertexKind,
)
from loaders.sdf.frames.solve import attached_link
from loaders.sdf.unmodeled_elements import report_ignored

from .drake_extensions import with_extensions
from .world_state import apply_state

_IGNORED_IN_MODEL = {
    "gripper": (Fate.NOTED, "sdf.gripper", "a gripper is a feature of Gazebo classic"),
    "model_state": STATE,
    "state": STATE,
}


def assemble_scene(graph: FrameGraph, context: Context) -> Scene:
    """Read the elements of all vertices of a solved graph, and add the scenes of its interface models."""
    scene = _with_items(_base_scene(graph), graph, context)
    interface_scenes = [
        _place_interface_scene(graph.interface_models[origin.node].scene, origin, scope)
        for scope in graph.scopes
        for origin in scope.interface_origins
    ]
    _rename_subjects(graph, context.diagnostics)
    scene = with_extensions(merge(scene, *interface_scenes) if interface_scenes else scene, graph)
    return apply_state(scene, graph.outermost.node) if graph.outermost.node.tag == "world" else scene


def _base_scene(graph: FrameGraph) -> Scene:
    """Return the scene of a world without its models, or the empty scene of a model."""
    outermost = graph.outermost
    return read_world(outermost) if outermost.origin.kind is VertexKind.WORLD else Scene(name=outermost.name)


def _with_items(base: Scene, graph: FrameGraph, context: Context) -> Scene:
    """Return ``base`` with the models, links, joints, frames, lights and couplings of the SDFormat elements."""
    links = _vertices_of_kind(graph, VertexKind.LINK)
    vertices = _vertices_of_kind(graph, VertexKind.JOINT)
    joints = tuple(_read_joints(vertices))
    left_out = {vertex.name for vertex in vertices} - {joint.name for joint in joints}
    couplings = (coupling for vertex in vertices for coupling in read_couplings(vertex))
    return dataclasses.replace(
        base,
        models=tuple(_read_model(scope) for scope in graph.scopes if scope.origin.kind is VertexKind.MODEL),
        links=tuple(read_link(vertex, context) for vertex in links),
        joints=joints,
        frames=tuple(_read_frame(vertex) for vertex in _vertices_of_kind(graph, VertexKind.FRAME)),
        lights=base.lights + tuple(light for vertex in links for light in read_link_lights(vertex)),
        couplings=tuple(coupling for coupling in couplings if not {coupling.follower, coupling.leader} & left_out),
    )


def _vertices_of_kind(graph: FrameGraph, kind: VertexKind) -> list[FrameVertex]:
    """Return the vertices of one kind, without those of interface models."""
    return [vertex for vertex in graph.vertices if vertex.kind is kind and vertex.node.tag != INTERFACE_MODEL]


def _read_joints(vertices: list[FrameVertex]) -> Iterator[Joint]:
    for vertex in vertices:
        joint = read_joint(vertex)
        if joint is not None:
            yield joint


def _read_model(scope: Scope) -> Model:
    node = scope.node
    report_ignored(node, _IGNORED_IN_MODEL)
    node.skip("@namespace")
    return Model(
        name=scope.name,
        X_WM=scope.origin.X_WV,
        canonical_link=None if scope.canonical_link is None else scope.canonical_link.name,
        static=scope.static,
        self_collide=node.flag("self_collide", False),
        allow_auto_disable=node.flag("allow_auto_disable", True),
        enable_wind=node.flag("enable_wind", False),
        placement_frame=node.maybe_word("@placement_frame") or None,
        where=node.where,
    )


def _read_frame(vertex: FrameVertex) -> Frame:
    link = attached_link(vertex)
    return Frame(
        name=vertex.name,
        link=WORLD if link is None else link.name,
        X_LF=vertex.X_WV if link is None else link.X_WV.inverse() @ vertex.X_WV,
        where=vertex.node.where,
    )


# --- interface models ------------------------------------------------------------------------------------------------


def _place_interface_scene(scene: Scene, origin: FrameVertex, scope: Scope) -> Scene:
    """Return the scene of an interface model at its pose in the world.

    The root model of the scene is left out, because the scope itself is that model; its links belong to the scope.
    """
    placed = place(scene, scope.prefix.removesuffix(SEPARATOR), origin.X_WV)
    has_root = root_model(scene) is not None
    root_names = {placed.models[0].name} if has_root else set()
    return dataclasses.replace(
        placed,
        models=tuple(
            dataclasses.replace(model, static=scope.static or model.static)
            for model in placed.models[1 if has_root else 0 :]
        ),
        links=tuple(
            dataclasses.replace(link, model=scope.name) if link.model in root_names else link for link in placed.links
        ),
    )


def _rename_subjects(graph: FrameGraph, diagnostics: Diagnostics) -> None:
    """Rename the subjects of the diagnostics of interface models as their elements are named in this scene."""
    scopes: dict[InterfaceModel, list[Scope]] = {}
    for scope in graph.scopes:
        for origin in scope.interface_origins:
            scopes.setdefault(graph.interface_models[origin.node], []).append(scope)
    for model, parents in scopes.items():
        names = [(scope.name, scope.prefix) for scope in parents]
        diagnostics.rename_subjects(model.findings, renaming(model.scene, names))
