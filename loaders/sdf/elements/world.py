"""``<world>``: gravity, wind, magnetic field, physics and lights."""

from __future__ import annotations

from collections.abc import Iterator

from loaders.diagnostics import Fate
from loaders.model import WORLD, Light, Physics
from loaders.node import Node
from loaders.scene import Scene
from loaders.sdf.frames.frame_graph import Scope
from loaders.sdf.frames.solve import resolve_pose
from loaders.sdf.unmodeled_elements import flat_parameters, mark_read, report_ignored
from loaders.spatial import frozen

from .lights import read_light

_MAGNETIC_FIELD = (5.5645e-6, 22.8758e-6, -42.3884e-6)
"""Default magnetic field [T], from the specification."""

_APPEARANCE = (Fate.NOTED, "sdf.appearance", "it affects only how the world looks or sounds")
_NOT_MECHANICAL = (Fate.NOTED, "sdf.not-mechanical", "it does not affect motion or contact")
STATE = (Fate.NOTED, "sdf.state", "it records the state of a running simulation and is not part of the model")
IGNORED_IN_WORLD = {
    "actor": (Fate.NOTED, "sdf.actor", "an actor is an animation without a body"),
    "scene": _APPEARANCE,
    "gui": _APPEARANCE,
    "audio": _APPEARANCE,
    "road": (Fate.DROPPED, "sdf.road", "a road is drawn but has no contact surface"),
    "atmosphere": _NOT_MECHANICAL,
    "spherical_coordinates": _NOT_MECHANICAL,
    "model_state": STATE,
    "light_state": STATE,
    "population": (Fate.DROPPED, "sdf.population", "randomly distributed copies of a model are not created"),
}


def read_world(scope: Scope) -> Scene:
    """Return a scene with the properties and lights of a ``<world>``, without its models, joints and frames."""
    node = scope.node
    report_ignored(node, IGNORED_IN_WORLD)
    wind = node.child("wind")
    return Scene(
        name=scope.name,
        gravity=frozen(node.numbers("gravity", 3, (0.0, 0.0, -9.8))),
        physics=_read_physics(node.all("physics")),
        wind=frozen((0.0, 0.0, 0.0) if wind is None else wind.numbers("linear_velocity", 3, (0.0, 0.0, 0.0))),
        magnetic_field=frozen(node.numbers("magnetic_field", 3, _MAGNETIC_FIELD)),
        lights=tuple(_read_lights(scope)),
    )


def _read_lights(scope: Scope) -> Iterator[Light]:
    for node in scope.node.all("light"):
        yield read_light(node, node.word("@name", ""), WORLD, resolve_pose(node, scope.origin))


def _read_physics(profiles: list[Node]) -> Physics:
    """Return the profile that is marked as the default, else the first."""
    if not profiles:
        return Physics()
    node = next((profile for profile in profiles if profile.flag("@default", False)), profiles[0])
    for unused in profiles:
        if unused is not node:
            unused.report(Fate.NOTED, "sdf.second-physics", "a world uses one <physics>; ignoring this one")
            mark_read(unused)
    node.skip("@name", "@default")
    return Physics(
        time_step=node.number("max_step_size", 0.001),
        real_time_factor=node.number("real_time_factor", 1.0),
        real_time_update_rate=node.number("real_time_update_rate", 1000.0),
        max_contacts=node.integer("max_contacts", 20),
        engine=node.word("@type") or "ode",
        parameters=flat_parameters(node, "max_step_size", "real_time_factor", "real_time_update_rate", "max_contacts"),
    )
