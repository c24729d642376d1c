"""``<world>``: gravity, air, physics, and the lamps that hang in it."""

from __future__ import annotations

from collections.abc import Iterator

from loaders.diagnostics import Fate
from loaders.model import WORLD, Light, Physics
from loaders.node import Node
from loaders.scene import Scene
from loaders.sdf.frames.frame_graph import Scope
from loaders.sdf.frames.solve import pose_in
from loaders.spatial import frozen

from .ignored_elements import leaves, mark_read, report_ignored
from .lights import read_light

_EARTHS_FIELD = (5.5645e-6, 22.8758e-6, -42.3884e-6)

_LOOK = (Fate.NOTED, "sdf.appearance", "it only tells how the world looks or sounds")
_PLACE = (Fate.NOTED, "sdf.not-mechanical", "nothing that moves or collides depends on it")
_STATE = (Fate.NOTED, "sdf.state", "it is the record of a running simulation, not part of the model")
ASIDES = {
    "actor": (Fate.NOTED, "sdf.actor", "it is an animation without a body"),
    "plugin": (Fate.NOTED, "sdf.plugin", "it is code for another simulator"),
    "scene": _LOOK,
    "gui": _LOOK,
    "audio": _LOOK,
    "road": (Fate.DROPPED, "sdf.road", "its surface is drawn and not touched"),
    "atmosphere": _PLACE,
    "spherical_coordinates": _PLACE,
    "state": _STATE,
    "model_state": _STATE,
    "light_state": _STATE,
    "population": (Fate.DROPPED, "sdf.population", "models that are strewn at random are not placed"),
}


def read_world(scope: Scope) -> Scene:
    """A scene with everything in a ``<world>`` but its models, joints and frames."""
    node = scope.node
    report_ignored(node, ASIDES)
    wind = node.child("wind")
    return Scene(
        name=scope.name,
        gravity=frozen(node.numbers("gravity", 3, (0.0, 0.0, -9.8))),
        physics=_read_physics(node.all("physics")),
        wind=frozen((0.0, 0.0, 0.0) if wind is None else wind.numbers("linear_velocity", 3, (0.0, 0.0, 0.0))),
        magnetic_field=frozen(node.numbers("magnetic_field", 3, _EARTHS_FIELD)),
        lights=tuple(_read_lights(scope)),
    )


def _read_lights(scope: Scope) -> Iterator[Light]:
    for node in scope.node.all("light"):
        yield read_light(node, node.word("@name", ""), WORLD, pose_in(scope.origin, node, scope))


def _read_physics(profiles: list[Node]) -> Physics:
    """The profile that is marked as the default one, else the first."""
    if not profiles:
        return Physics()
    node = next((profile for profile in profiles if profile.flag("@default", False)), profiles[0])
    for other in profiles:
        if other is not node:
            other.report(Fate.NOTED, "sdf.second-physics", "one set of physics is used; this is not it")
            mark_read(other)
    node.skip("@name", "@default")
    return Physics(
        time_step=node.number("max_step_size", 0.001),
        real_time_factor=node.number("real_time_factor", 1.0),
        real_time_update_rate=node.number("real_time_update_rate", 1000.0),
        max_contacts=node.integer("max_contacts", 20),
        engine=node.word("@type") or "ode",
        parameters=leaves(node, "max_step_size", "real_time_factor", "real_time_update_rate", "max_contacts"),
    )
