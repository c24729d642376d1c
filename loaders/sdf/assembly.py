"""A solved layout to a `Scene`: every link, joint, frame and model is read in the order of the document."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.model import WORLD, Frame, Joint, Model
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import merge, place
from loaders.scene_queries.scoped_names import SEPARATOR, root_model
from loaders.sdf.elements.ignored_elements import report_ignored
from loaders.sdf.elements.joints import read_couplings, read_joint
from loaders.sdf.elements.links import read_link, read_link_lights
from loaders.sdf.elements.world import ASIDES, read_world
from loaders.sdf.frames.frame_graph import CONTENTS, FrameGraph, FrameVertex, Scope, VertexKind
from loaders.sdf.frames.solve import carrier

from .drake_extensions import with_extensions

_MODEL_ASIDES = {
    "gripper": (Fate.NOTED, "sdf.gripper", "it is a behaviour of Gazebo classic"),
    **{tag: ASIDES[tag] for tag in ("plugin", "model_state", "state")},
}


def assemble(layout: FrameGraph, context: Context) -> Scene:
    """Read everything that the vertices of a layout stand for."""
    outermost = layout.outermost
    shell = read_world(outermost) if outermost.origin.kind is VertexKind.WORLD else Scene(name=outermost.name)
    own = [vertex for vertex in layout.vertices if vertex.node.tag != CONTENTS]
    links = [vertex for vertex in own if vertex.kind is VertexKind.LINK]
    joints = [vertex for vertex in own if vertex.kind is VertexKind.JOINT]
    scene = dataclasses.replace(
        shell,
        models=tuple(_read_model(scope) for scope in layout.scopes if scope.origin.kind is VertexKind.MODEL),
        links=tuple(read_link(vertex, vertex.scope.name, context) for vertex in links),
        joints=tuple(_read_joints(joints)),
        frames=tuple(_read_frame(vertex) for vertex in own if vertex.kind is VertexKind.FRAME),
        lights=shell.lights + tuple(light for vertex in links for light in read_link_lights(vertex)),
        couplings=tuple(coupling for vertex in joints for coupling in read_couplings(vertex)),
    )
    others = list(_other_scenes(layout))
    return with_extensions(merge(scene, *others) if others else scene, layout)


def _read_joints(vertices: list[FrameVertex]) -> Iterator[Joint]:
    for vertex in vertices:
        joint = read_joint(vertex)
        if joint is not None:
            yield joint


def _read_model(scope: Scope) -> Model:
    node = scope.node
    report_ignored(node, _MODEL_ASIDES)
    node.skip("@namespace")
    return Model(
        name=scope.name,
        X_WM=scope.origin.X_WV,
        canonical_link=None if scope.canonical is None else scope.canonical.name,
        static=scope.static,
        self_collide=node.flag("self_collide", False),
        allow_auto_disable=node.flag("allow_auto_disable", True),
        enable_wind=node.flag("enable_wind", False),
        placement_frame=node.maybe_word("@placement_frame") or None,
        where=node.where,
    )


def _read_frame(vertex: FrameVertex) -> Frame:
    link = carrier(vertex)
    return Frame(
        name=vertex.name,
        link=WORLD if link is None else link.name,
        X_LF=vertex.X_WV if link is None else link.X_WV.inverse() @ vertex.X_WV,
        where=vertex.node.where,
    )


# --- contents of another format --------------------------------------------------------------------------------------


def _other_scenes(layout: FrameGraph) -> Iterator[Scene]:
    for scope in layout.scopes:
        for origin in scope.contents:
            yield _placed(layout.scenes[origin.node], origin, scope)


def _placed(scene: Scene, origin: FrameVertex, scope: Scope) -> Scene:
    """The scene at its place; the model that it is, if it is one, is the scope's own, which the layout has."""
    there = place(scene, scope.prefix.removesuffix(SEPARATOR), origin.X_WV)
    first = 0 if root_model(scene) is None else 1
    roots = {model.name for model in there.models[:first]}
    return dataclasses.replace(
        there,
        models=tuple(dataclasses.replace(model, static=scope.static or model.static) for model in there.models[first:]),
        links=tuple(
            dataclasses.replace(link, model=scope.name) if link.model in roots else link for link in there.links
        ),
    )
