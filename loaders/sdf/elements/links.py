"""``<link>``: inertia, collisions, visuals, sensors and lights of a rigid body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.drake.contact import read_surface as read_drake_surface
from loaders.drake.dialect import SDF
from loaders.drake.links import read_deformable, read_surface_velocity_axis
from loaders.drake.visuals import read_display
from loaders.model import Collision, Light, Link, Visual
from loaders.node import Node
from loaders.nodes.key_groups import KeyGroup
from loaders.reading.makers import maker
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.sdf.frames.frame_graph import FrameVertex
from loaders.sdf.frames.solve import resolve_pose
from loaders.sdf.unmodeled_elements import report_ignored

from .geometry import read_geometry
from .inertia import read_added_mass, read_inertia
from .lights import read_light
from .materials import read_material
from .sensors import read_sensors
from .surface import read_surface

_Link, _Collision, _Visual = maker(Link), maker(Collision), maker(Visual)
_NOT_MECHANICAL = (Fate.NOTED, "sdf.not-mechanical", "it does not affect motion or contact")
_IGNORED = dict.fromkeys(
    ("audio_sink", "audio_source", "battery", "projector", "particle_emitter", "must_be_base_link"), _NOT_MECHANICAL
)
_IGNORED_IN_COLLISION = {
    "laser_retro": _NOT_MECHANICAL,
    "max_contacts": (Fate.NOTED, "sdf.engine-setting", "each engine has its own limit of contacts"),
}
_IGNORED_IN_VISUAL = {
    "laser_retro": _NOT_MECHANICAL,
    "visibility_flags": (Fate.NOTED, "sdf.appearance", "it affects only rendering"),
    "meta": (Fate.NOTED, "sdf.appearance", "it affects only user interfaces"),
    "plugin": (Fate.NOTED, "sdf.plugin", "a plugin is code for another simulator"),
}
_DECAYS = KeyGroup("linear", "angular")
_OPTIONS = ("velocity_decay", "gravity", "kinematic", "self_collide", "enable_wind")


def read_link(vertex: FrameVertex, context: Context) -> Link:
    """Return the link of a solved vertex."""
    node = vertex.node
    report_ignored(node, _IGNORED)
    collisions = tuple(_read_collision(child, vertex, context) for child in node.all("collision"))
    velocity_axis = node.child("drake:surface_velocity_axis")
    return _Link(
        name=vertex.name,
        model=vertex.scope.name,
        X_WL=vertex.X_WV,
        inertia=read_inertia(node, collisions),
        collisions=collisions,
        visuals=tuple(_read_visuals(vertex, context)),
        sensors=read_sensors(vertex),
        added_mass=read_added_mass(node),
        surface_velocity_axis=None if velocity_axis is None else read_surface_velocity_axis(velocity_axis, SDF),
        deformable=read_deformable(node, SDF),
        where=node.where,
        **_read_options(node),
    )


def _read_options(node: Node) -> dict[str, Any]:
    """Return the options of a link by the names of the fields of `Link`; empty if it has none."""
    if node.lacks(_OPTIONS):
        return {}
    decay = node.child("velocity_decay")
    return {
        "gravity": node.flag("gravity", True),
        "kinematic": node.flag("kinematic", False),
        "self_collide": node.flag("self_collide", False) if node.has("self_collide") else None,
        "enable_wind": node.flag("enable_wind", False),
        "velocity_decay": (0.0, 0.0) if decay is None else tuple(decay.numbers_of(_DECAYS, 0.0)),
    }


def read_link_lights(vertex: FrameVertex) -> Iterator[Light]:
    """Yield the lights on a link."""
    for node in vertex.node.all("light"):
        name = f"{vertex.name}{SEPARATOR}{node.word('@name', '')}"
        yield read_light(node, name, vertex.name, resolve_pose(node, vertex))


def _read_collision(node: Node, vertex: FrameVertex, context: Context) -> Collision:
    report_ignored(node, _IGNORED_IN_COLLISION)
    return _Collision(
        name=node.word("@name", ""),
        X_LG=resolve_pose(node, vertex),
        geometry=read_geometry(node, context),
        surface=read_drake_surface(node, read_surface(node), SDF),
        density=node.maybe_number("density"),
        where=node.where,
    )


def _read_visuals(vertex: FrameVertex, context: Context) -> Iterator[Visual]:
    """Yield the visuals of a link, except those that Drake's elements disable for every role."""
    for node in vertex.node.all("visual"):
        visual = _read_visual(node, vertex, context)
        if visual.roles:
            yield visual


def _read_visual(node: Node, vertex: FrameVertex, context: Context) -> Visual:
    report_ignored(node, _IGNORED_IN_VISUAL)
    roles, renderers = read_display(node, SDF)
    return _Visual(
        name=node.word("@name", ""),
        X_LG=resolve_pose(node, vertex),
        geometry=read_geometry(node, context),
        material=read_material(node, context),
        transparency=node.number("transparency", 0.0),
        cast_shadows=node.flag("cast_shadows", True),
        roles=roles,
        renderers=renderers,
        where=node.where,
    )
