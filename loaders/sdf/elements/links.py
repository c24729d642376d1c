"""``<link>``: inertia, collisions, visuals, sensors and lights of a rigid body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loaders.context import Context
from loaders.diagnostics import Fate, Where
from loaders.drake.contact import read_surface as read_drake_surface
from loaders.drake.dialect import SDF
from loaders.drake.links import read_deformable, read_surface_velocity_axis
from loaders.drake.visuals import read_display
from loaders.model import Collision, Light, Link, Visual
from loaders.node import Node
from loaders.nodes.number_syntax import KeyGroup
from loaders.reading.makers import maker
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.sdf.frames.frame_graph import FrameVertex
from loaders.sdf.frames.solve import resolve_pose
from loaders.sdf.unmodeled_elements import report_ignored

from .geometry import read_geometry
from .inertia import UNIT, read_added_mass, read_inertia
from .lights import read_light
from .materials import read_material
from .sensors import read_sensors
from .surface import DEFAULT, read_surface

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
_RARE = (*_IGNORED, *_OPTIONS, "sensor", "drake:surface_velocity_axis", "drake:deformable_properties")
_RARE_IN_COLLISION = (*_IGNORED_IN_COLLISION, "surface", "density", "drake:proximity_properties")
_RARE_IN_VISUAL = (*_IGNORED_IN_VISUAL, "transparency", "cast_shadows")


def read_link(vertex: FrameVertex, context: Context) -> Link:
    """Return the link of a solved vertex."""
    node, where = vertex.node, vertex.where
    is_plain = node.lacks(_RARE)
    if not is_plain:
        report_ignored(node, _IGNORED)
    collisions = tuple(_read_collision(child, where, vertex, context) for child in node.all("collision"))
    inertial = node.child("inertial")
    return _Link(
        name=vertex.name,
        model=vertex.scope.name,
        X_WL=vertex.X_WV,
        inertia=UNIT if inertial is None else read_inertia(inertial, collisions),
        collisions=collisions,
        visuals=tuple(_read_visuals(where, vertex, context)),
        added_mass=None if inertial is None else read_added_mass(inertial),
        where=where,
        **({} if is_plain else _read_rare(vertex)),
    )


def _read_rare(vertex: FrameVertex) -> dict[str, Any]:
    """Return what few links have, by the names of the fields of `Link`."""
    node = vertex.node
    velocity_axis = node.child("drake:surface_velocity_axis")
    return {
        "sensors": read_sensors(vertex),
        "surface_velocity_axis": None if velocity_axis is None else read_surface_velocity_axis(velocity_axis, SDF),
        "deformable": read_deformable(node, SDF),
        **_read_options(node),
    }


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


def _read_collision(node: Node, link: Where, vertex: FrameVertex, context: Context) -> Collision:
    is_plain = node.lacks(_RARE_IN_COLLISION)
    if not is_plain:
        report_ignored(node, _IGNORED_IN_COLLISION)
    return _Collision(
        name=node.word("@name", ""),
        X_LG=resolve_pose(node, vertex),
        geometry=read_geometry(node, context),
        surface=DEFAULT if is_plain else read_drake_surface(node, read_surface(node), SDF),
        density=None if is_plain else node.maybe_number("density"),
        where=node.where_in(link),
    )


def _read_visuals(link: Where, vertex: FrameVertex, context: Context) -> Iterator[Visual]:
    """Yield the visuals of a link, except those that Drake's elements disable for every role."""
    for node in vertex.node.all("visual"):
        visual = _read_visual(node, link, vertex, context)
        if visual.roles:
            yield visual


def _read_visual(node: Node, link: Where, vertex: FrameVertex, context: Context) -> Visual:
    is_plain = node.lacks(_RARE_IN_VISUAL)
    if not is_plain:
        report_ignored(node, _IGNORED_IN_VISUAL)
    roles, renderers = read_display(node, SDF)
    return _Visual(
        name=node.word("@name", ""),
        X_LG=resolve_pose(node, vertex),
        geometry=read_geometry(node, context),
        material=read_material(node, context),
        transparency=0.0 if is_plain else node.number("transparency", 0.0),
        cast_shadows=True if is_plain else node.flag("cast_shadows", True),
        roles=roles,
        renderers=renderers,
        where=node.where_in(link),
    )
