"""``<link>``: inertia, collisions, visuals and all else that a rigid body carries."""

from __future__ import annotations

from collections.abc import Iterator

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.drake.contact import read_surface as drake_surface
from loaders.drake.dialect import SDF
from loaders.drake.links import read_deformable, read_surface_velocity_axis
from loaders.drake.visuals import read_renderers, read_roles
from loaders.model import Collision, Light, Link, Visual
from loaders.node import Node
from loaders.sdf.frames.frame_graph import FrameVertex
from loaders.sdf.frames.solve import pose_in

from .geometry import read_geometry
from .ignored_elements import report_ignored
from .inertia import read_added_mass, read_inertia
from .lights import read_light
from .materials import read_material
from .sensors import read_sensors
from .surface import read_surface

_NOTHING_MOVES = "nothing that moves or collides depends on it"
_ASIDES = dict.fromkeys(
    ("audio_sink", "audio_source", "battery", "projector", "particle_emitter", "must_be_base_link"),
    (Fate.NOTED, "sdf.not-mechanical", _NOTHING_MOVES),
)
_COLLISION_ASIDES = {
    "laser_retro": (Fate.NOTED, "sdf.not-mechanical", _NOTHING_MOVES),
    "max_contacts": (Fate.NOTED, "sdf.engine-setting", "each engine chooses its own number of contacts"),
}
_VISUAL_ASIDES = {
    "laser_retro": (Fate.NOTED, "sdf.not-mechanical", _NOTHING_MOVES),
    "visibility_flags": (Fate.NOTED, "sdf.appearance", "it only tells a renderer what to draw"),
    "meta": (Fate.NOTED, "sdf.appearance", "it only tells a user interface what to show"),
    "plugin": (Fate.NOTED, "sdf.plugin", "it is code for another simulator"),
}


def read_link(vertex: FrameVertex, model: str, context: Context) -> Link:
    """The link of a solved vertex; ``model`` is the name of the model that it belongs to."""
    node = vertex.node
    report_ignored(node, _ASIDES)
    collisions = tuple(_read_collision(child, vertex, context) for child in node.all("collision"))
    decay = node.child("velocity_decay")
    return Link(
        name=vertex.name,
        model=model,
        X_WL=vertex.X_WV,
        inertia=read_inertia(node, collisions),
        collisions=collisions,
        visuals=tuple(v for child in node.all("visual") if (v := _read_visual(child, vertex, context)).roles),
        sensors=read_sensors(vertex, node, vertex.scope),
        gravity=node.flag("gravity", True),
        kinematic=node.flag("kinematic", False),
        self_collide=node.flag("self_collide", False) if node.has("self_collide") else None,
        enable_wind=node.flag("enable_wind", False),
        velocity_decay=(0.0, 0.0) if decay is None else (decay.number("linear", 0.0), decay.number("angular", 0.0)),
        added_mass=read_added_mass(node),
        surface_velocity_axis=read_surface_velocity_axis(node, SDF),
        deformable=read_deformable(node, SDF),
        where=node.where,
    )


def read_link_lights(vertex: FrameVertex) -> Iterator[Light]:
    """The lamps on a link."""
    for node in vertex.node.all("light"):
        name = f"{vertex.name}::{node.word('@name', '')}"
        yield read_light(node, name, vertex.name, pose_in(vertex, node, vertex.scope))


def _read_collision(node: Node, vertex: FrameVertex, context: Context) -> Collision:
    report_ignored(node, _COLLISION_ASIDES)
    return Collision(
        name=node.word("@name", ""),
        X_LG=pose_in(vertex, node, vertex.scope),
        geometry=read_geometry(node, context),
        surface=drake_surface(node, read_surface(node), SDF),
        density=node.maybe_number("density"),
        where=node.where,
    )


def _read_visual(node: Node, vertex: FrameVertex, context: Context) -> Visual:
    report_ignored(node, _VISUAL_ASIDES)
    roles = read_roles(node)
    return Visual(
        name=node.word("@name", ""),
        X_LG=pose_in(vertex, node, vertex.scope),
        geometry=read_geometry(node, context),
        material=read_material(node, context),
        transparency=node.number("transparency", 0.0),
        cast_shadows=node.flag("cast_shadows", True),
        roles=roles,
        renderers=read_renderers(node, roles, SDF),
        where=node.where,
    )
