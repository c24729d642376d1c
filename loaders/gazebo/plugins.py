"""Plugins that become actuators, couplings, sensors and forces of fluids: buoyancy, hydrodynamic
drag, and lift and drag of wings.

The rest is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from loaders import codes as loaders_codes
from loaders.diagnostics import Code
from loaders.drake.dialect import NameResolver
from loaders.gazebo.controllers import read_controller
from loaders.gazebo.items import (
    AddedItems,
    effect_of,
    first_number,
    flag_of,
    label_of,
    number_of,
    report_unread,
    text_of,
    vector_of,
    words,
)
from loaders.inertia import SpatialInertia
from loaders.model import (
    Buoyancy,
    Coupling,
    FluidDrag,
    FluidForce,
    Joint,
    JointType,
    Link,
    Sensor,
    Settings,
    Slopes,
    Wing,
)
from loaders.node import Node, mark_read
from loaders.numbers import plain_number
from loaders.pose import IDENTITY, Array, Pose, frozen
from loaders.scoped_names import SEPARATOR

_GAZEBO = r"\b(?:gz sim|ignition gazebo|gazebo)(?: \d+)?"
_BUOYANCY = re.compile(rf"{_GAZEBO} buoyancy system|systems buoyancy$|^buoyancy plugin so\b")
_DRAG = re.compile(rf"{_GAZEBO} hydrodynamics system|systems hydrodynamics$")
_WING = re.compile(rf"{_GAZEBO} lift drag system|systems lift drag$|^lift drag plugin so\b")
_CLASSIC = re.compile(r"^(?:buoyancy|lift drag) plugin so\b")
_WATER, _CLASSIC_WATER = 1000.0, 999.1026
"""Default densities of Gazebo and of Gazebo classic [kg/m^3]."""
_FORCES, _VELOCITIES = "xyzkmn", "UVWPQR"


_KINDS_OF_FORCE = {Buoyancy: "buoyancy", FluidDrag: "drag", Wing: "lift and drag"}


def read_fluid(plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Read a plugin of buoyancy, drag or lift; return whether it is one whose forces are known.

    Args:
        plugin: The plugin.
        names: The names in the model.
        extras: Receives the forces.
    """
    text = words(plugin)
    found = next((each for each in _FLUIDS if each[0].search(text)), None)
    forces = [] if found is None else list(found[1](plugin, names, extras))
    if found is None or not forces:
        return False
    extras.fluid_forces += forces
    links = tuple(dict.fromkeys(force.link for force in forces))
    plugin.report(
        loaders_codes.GAZEBO_FLUID,
        subjects=links,
        plugin=label_of(plugin),
        links=links,
        kind=_KINDS_OF_FORCE[type(forces[0])],
    )
    report_unread(plugin, found[2], loaders_codes.GAZEBO_SETTING_UNREAD)
    return True


# --- buoyancy -------------------------------------------------------------------------------------


def _read_buoyancy(plugin: Node, names: NameResolver, extras: AddedItems) -> Iterator[FluidForce]:
    if _CLASSIC.search(words(plugin)):
        yield from _read_classic_buoyancy(plugin, names, extras)
        return
    density, layers = _density(plugin)
    enabled = [child.text.strip() for child in plugin.children if child.tag == "enable"]
    for link in _movable(extras):
        if (
            link.name.startswith(names.prefix)
            and (not enabled or _is_enabled(link.name, enabled))
            and link.collisions
        ):
            yield Buoyancy(link=link.name, density=density, layers=layers, where=plugin.where)


def _density(plugin: Node) -> tuple[float, tuple[tuple[float, float], ...]]:
    """Return the density of the fluid, and its layers."""
    uniform, graded = number_of(plugin, "uniform_fluid_density"), plugin.peek("graded_buoyancy")
    if uniform is not None or graded is None:
        return _WATER if uniform is None else uniform, ()
    lowest = number_of(graded, "default_density")
    changes = (child for child in graded.children if child.tag == "density_change")
    layers = {number_of(c, "above_depth") or 0.0: number_of(c, "density") or 0.0 for c in changes}
    return _WATER if lowest is None else lowest, tuple(sorted(layers.items()))


def _is_enabled(link: str, enabled: list[str]) -> bool:
    return any(f"{link}{SEPARATOR}".startswith(f"{name}{SEPARATOR}") for name in enabled)


def _read_classic_buoyancy(
    plugin: Node, names: NameResolver, extras: AddedItems
) -> Iterator[FluidForce]:
    """Yield the buoyancy of each link of a model, with the volumes that the plugin states."""
    density = number_of(plugin, "fluid_density")
    stated = {
        child.attributes.get("name", ""): child for child in plugin.children if child.tag == "link"
    }
    for link in _movable(extras):
        if not link.name.startswith(names.prefix):
            continue
        node = stated.get(link.name.removeprefix(names.prefix))
        volume = None if node is None else number_of(node, "volume")
        center = None if node is None else vector_of(node, "center_of_volume")
        if volume or link.collisions:
            yield Buoyancy(
                link=link.name,
                density=_CLASSIC_WATER if density is None else density,
                volume=volume,
                p_LV=_center_of_mass(link) if center is None else center,
                where=plugin.where,
            )


def _movable(extras: AddedItems) -> Iterator[Link]:
    """Yield the links that have an inertia and belong to no static model."""
    static = tuple(f"{model.name}{SEPARATOR}" for model in extras.scene.models if model.static)
    for link in extras.scene.links:
        if link.inertia is not None and not f"{link.model}{SEPARATOR}".startswith(static):
            yield link


def _center_of_mass(link: Link) -> Array:
    return IDENTITY.p if link.inertia is None else link.inertia.p_LLcm


# --- drag -----------------------------------------------------------------------------------------


def _read_drag(plugin: Node, names: NameResolver, extras: AddedItems) -> Iterator[FluidForce]:
    link = names.link(text_of(plugin, "link_name"))
    if link is None:
        return
    values = {child.tag: plain_number(child.text.strip()) or 0.0 for child in plugin.children}
    pairs = [(i, f, j, v) for i, f in enumerate(_FORCES) for j, v in enumerate(_VELOCITIES)]
    linear, absolute, quadratic = np.zeros((6, 6)), np.zeros((6, 6, 6)), np.zeros((6, 6, 6))
    for i, f, j, v in pairs:
        linear[i, j] = values.get(f + v, 0.0)
        for k, w in enumerate(_VELOCITIES):
            absolute[i, j, k] = values.get(f"{f}{v}abs{w}", 0.0)
            quadratic[i, j, k] = values.get(f + v + w, 0.0)
    current = vector_of(plugin, "default_current")
    yield FluidDrag(
        link=link,
        linear=frozen(linear),
        absolute=frozen(absolute),
        quadratic=frozen(quadratic),
        current=IDENTITY.p if current is None else current,
        where=plugin.where,
    )
    added = {f"{f}Dot{v}": values[f"{f}Dot{v}"] for _, f, _, v in pairs if values.get(f"{f}Dot{v}")}
    if added and not flag_of(plugin, "disable_added_mass"):
        matrix = np.array([[added.get(f"{f}Dot{v}", 0.0) for v in _VELOCITIES] for f in _FORCES])
        inertia = next(item.inertia for item in extras.scene.links if item.name == link)
        _report_added_mass(
            plugin, link, added, 1.0 if inertia is None else _acceleration_ratio(inertia, matrix)
        )


def _report_added_mass(plugin: Node, link: str, added: dict[str, float], ratio: float) -> None:
    plugin.report(
        loaders_codes.GAZEBO_ADDED_MASS,
        subjects=(link,),
        link=link,
        plugin=label_of(plugin),
        values=", ".join(f"{key} = {value:g}" for key, value in added.items()),
        ratio=ratio,
    )


def _acceleration_ratio(inertia: SpatialInertia, added: Array) -> float:
    """Return the largest ratio of the accelerations without and with added mass that any wrench
    causes.

    Gazebo applies the force ``added @ acceleration`` at the link, whose derivatives are negative
    for a fluid that resists. With the mass matrix M, the acceleration is thus ``solve(M - added,
    wrench)`` in place of ``solve(M, wrench)``.

    Args:
        inertia: The inertia of the link.
        added: The derivatives, by force and acceleration in link axes, shape (6, 6).
    """
    x, y, z = inertia.p_LLcm
    lever = inertia.mass * np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    M = np.block([[inertia.mass * np.eye(3), -lever], [lever, inertia.about(IDENTITY.p)]])
    if np.linalg.matrix_rank(M) < len(M):
        return np.inf
    return float(np.abs(np.linalg.eigvals(np.linalg.solve(M, M - added))).max())


# --- wings ----------------------------------------------------------------------------------------

_SLOPES = {"lift": "cla", "drag": "cda", "moment": "cma"}
_PLAIN = {
    "area": "area",
    "density": "air_density",
    "alpha_0": "a0",
    "alpha_stall": "alpha_stall",
    "lift_by_joint": "control_joint_rad_to_cl",
    "moment_by_joint": "cm_delta",
}


def _read_wing(plugin: Node, names: NameResolver, extras: AddedItems) -> Iterator[FluidForce]:
    link = names.link(text_of(plugin, "link_name"))
    if link is None:
        return
    classic = bool(_CLASSIC.search(words(plugin)))
    pressure = vector_of(plugin, "cp")
    p_LF = IDENTITY.p if pressure is None else pressure
    if classic:  # Gazebo classic measures it from the center of mass, and has no moment
        p_LF = p_LF + next(
            _center_of_mass(item) for item in extras.scene.links if item.name == link
        )
    joint = names.joint(text_of(plugin, "control_joint_name"))
    directions = {key: vector_of(plugin, key) for key in ("forward", "upward")}
    stated: dict[str, Any] = {field: number_of(plugin, tag) for field, tag in _PLAIN.items()}
    stated |= {
        key: v / np.linalg.norm(v) for key, v in directions.items() if v is not None and v.any()
    }
    slopes, stalled = Slopes(), Slopes(lift=0.0, drag=1.0)
    yield Wing(
        link=link,
        X_LF=Pose.of(p=p_LF),
        slopes=_slopes(plugin, "", slopes, classic=classic),
        stalled=_slopes(plugin, "_stall", stalled, classic=classic),
        radial_symmetry=flag_of(plugin, "radial_symmetry"),
        reversible=flag_of(plugin, "reversible"),
        joint=None if joint is None else joint.name,
        current=extras.scene.wind,
        where=plugin.where,
        **{key: value for key, value in stated.items() if value is not None},
    )


def _slopes(plugin: Node, suffix: str, default: Slopes, *, classic: bool) -> Slopes:
    stated = {key: number_of(plugin, tag + suffix) for key, tag in _SLOPES.items()}
    if classic:
        stated["moment"] = 0.0
    values = {
        key: getattr(default, key) if value is None else value for key, value in stated.items()
    }
    return Slopes(**values)


_Reader = Callable[[Node, NameResolver, AddedItems], Iterator[FluidForce]]
_BUOYANCY_TAGS = (
    "uniform_fluid_density", "default_density", "above_depth", "density", "enable",
    "fluid_density", "volume", "center_of_volume",
)  # fmt: skip
_ABSOLUTE = [f"abs{w}" for w in _VELOCITIES]
_MOTIONS = [*_VELOCITIES, *(v + w for v in _VELOCITIES for w in (*_VELOCITIES, *_ABSOLUTE))]
_DRIVERS = [*_MOTIONS, *(f"Dot{v}" for v in _VELOCITIES)]
_DRAG_TAGS = (
    "link_name", "default_current", "disable_added_mass",
    *(force + driver for force in _FORCES for driver in _DRIVERS),
)  # fmt: skip
_WING_TAGS = (
    "link_name", "cp", "control_joint_name", "forward", "upward", "radial_symmetry", "reversible",
    *_PLAIN.values(), *(f"{tag}{end}" for tag in _SLOPES.values() for end in ("", "_stall")),
)  # fmt: skip
_FLUIDS: tuple[tuple[re.Pattern[str], _Reader, tuple[str, ...]], ...] = (
    (_BUOYANCY, _read_buoyancy, _BUOYANCY_TAGS),
    (_DRAG, _read_drag, _DRAG_TAGS),
    (_WING, _read_wing, _WING_TAGS),
)
"""The words of a plugin, the function that reads it, and the tags of the settings that it reads."""


JOINT_STATE, ODOMETRY = "joint_state", "odometry"
_JOINT_STATES = re.compile(r"\bjoint state (publisher|pub)\b")
_ODOMETRY = re.compile(r"\b(odometry publisher|p 3 d)\b")
_UNMEASURED = frozenset({JointType.FIXED, JointType.FLOATING})
_JOINT_TAGS = frozenset({"joint_name", "jointName"})
_BODY_TAGS = ("body_name", "bodyName")


def read_publisher(plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Read a plugin that publishes joint states or odometry; return whether it is one.

    Args:
        plugin: The plugin.
        names: The names in the model.
        extras: Receives the sensors.
    """
    text = words(plugin)
    if _JOINT_STATES.search(text):
        _read_joint_states(plugin, names, extras)
        return True
    if _ODOMETRY.search(text):
        return _read_odometry(plugin, names, extras)
    return False


def _read_joint_states(plugin: Node, names: NameResolver, extras: AddedItems) -> None:
    joints = list(_published_joints(plugin, names, extras))
    for joint in joints:
        sensor = Sensor(
            name=f"{joint.name.rpartition(SEPARATOR)[2]}_state",
            type=JOINT_STATE,
            X_LS=IDENTITY,
            joint=joint.name,
            update_rate=rate_of(plugin),
            where=plugin.where,
        )
        extras.joint_sensors[joint.name].append(sensor)
    _report(plugin, "position and velocity", tuple(joint.name for joint in joints))
    report_unread(plugin, (*_JOINT_TAGS, *RATES), loaders_codes.GAZEBO_PUBLISHER_SETTING)


def _published_joints(plugin: Node, names: NameResolver, extras: AddedItems) -> list[Joint]:
    """Return the joints that a plugin names, or all moving joints of its model."""
    stated = [
        word for child in plugin.children if child.tag in _JOINT_TAGS for word in child.text.split()
    ]
    if stated:
        found = [names.joint(name) for name in stated]
    else:
        found = [joint for joint in extras.scene.joints if joint.name.startswith(names.prefix)]
    return [joint for joint in found if joint is not None and joint.type not in _UNMEASURED]


def _read_odometry(plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Read an odometry publisher: the pose and the velocity of a link, or of the frame of the
    model.
    """
    body = _first_text(plugin, _BODY_TAGS)
    if body:
        link, X_LS = names.link(body), IDENTITY
    else:
        link, X_LS = _model_frame(names, extras)
    if link is None:
        return False
    name = f"{body or names.model.rpartition(SEPARATOR)[2]}_odometry"
    extras.link_sensors[link].append(
        Sensor(name=name, type=ODOMETRY, X_LS=X_LS, update_rate=rate_of(plugin), where=plugin.where)
    )
    _report(plugin, "pose and velocity", (link,))
    report_unread(plugin, (*_BODY_TAGS, *RATES), loaders_codes.GAZEBO_PUBLISHER_SETTING)
    return True


def _model_frame(names: NameResolver, extras: AddedItems) -> tuple[str | None, Pose]:
    """Return the canonical link of a model, and the frame of the model in it."""
    prefix = names.prefix.removesuffix(SEPARATOR)
    links = {link.name: link for link in extras.scene.links}
    for model in extras.scene.models:
        link = links.get(model.canonical_link or "")
        if link is not None and model.name in {prefix, names.model}:
            return link.name, link.X_WL.inverse() @ model.X_WM
    return None, IDENTITY


def _report(plugin: Node, quantities: str, subjects: tuple[str, ...]) -> None:
    plugin.report(
        loaders_codes.GAZEBO_PUBLISHER,
        subjects=subjects,
        plugin=label_of(plugin),
        quantities=quantities,
        items=subjects,
    )


# --- sensors of ROS 1, which measure a link or a joint without a ``<sensor>`` ---------------------

RATES = ("update_rate", "updateRate", "odom_publish_frequency")
"""Tags of the rate at which a plugin publishes."""
_LINKS = ("bodyName", "body_name", "linkName", "link_name")
_JOINTS = ("jointName", "joint_name")
_IN_WORLD = "imu/orientation_reference_frame"


@dataclass(frozen=True, slots=True)
class _SensorPlugin:
    """A kind of plugin that is a sensor.

    Attributes:
        pattern: Matches the words of the plugin.
        type: The type of the sensor.
        parameters: What the plugin always does, as parameters of the sensor.
    """

    pattern: re.Pattern[str]
    type: str
    parameters: Settings = ()


_IMU: Settings = (
    (f"{_IN_WORLD}/localization", "CUSTOM"),
    (f"{_IN_WORLD}/custom_rpy", "0 0 0"),
    (f"{_IN_WORLD}/custom_rpy@parent_frame", "world"),
)
_PLUGINS = (
    _SensorPlugin(re.compile(r"\bgazebo ros imu\b"), "imu", _IMU),
    _SensorPlugin(
        re.compile(r"\bgazebo ros ft sensor\b"),
        "force_torque",
        (("force_torque/frame", "child"), ("force_torque/measure_direction", "child_to_parent")),
    ),
    _SensorPlugin(re.compile(r"\bhector gazebo ros gps\b"), "navsat"),
    _SensorPlugin(re.compile(r"\bhector gazebo ros magnetic\b"), "magnetometer"),
)
_MEASURES = re.compile(
    r"\b(imu|lidar|laser|ray|sonar|gps|magnetic|magnetometer|baro(meter)?|altimeter|force|ft|f 3 d|"
    r"contact|bumper|range|camera)\b"
)


def read_sensor_plugin(plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Read a plugin that measures a link or a joint which it names; return whether it is one.

    A kind that has no counterpart is reported as lost.

    Args:
        plugin: The plugin.
        names: The names in the model.
        extras: Receives the sensor.
    """
    link, joint = (_first_text(plugin, tags) for tags in (_LINKS, _JOINTS))
    text = words(plugin).partition(" | ")[0]
    if not (link or joint) or not _MEASURES.search(text):
        return False
    kind = next((kind for kind in _PLUGINS if kind.pattern.search(text)), None)
    if kind is None or not _add_sensor(kind, plugin, names, extras):
        plugin.report(
            loaders_codes.GAZEBO_PUBLISHER_LOST, plugin=label_of(plugin), items=link or joint
        )
    return True


def _first_text(plugin: Node, tags: tuple[str, ...]) -> str:
    return next(filter(None, (text_of(plugin, tag) for tag in tags)), "")


def _add_sensor(kind: _SensorPlugin, plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Add the sensor of a plugin; return whether its link or joint exists."""
    is_on_joint = kind.type == "force_torque"
    item = _first_text(plugin, _JOINTS if is_on_joint else _LINKS)
    joint = names.joint(item) if is_on_joint else None
    owner = None
    if joint is not None:
        owner = joint.name
    elif not is_on_joint:
        owner = names.link(item)
    if owner is None:
        return False
    sensor = Sensor(
        name=f"{owner.rpartition(SEPARATOR)[2]}_{kind.type}",
        type=kind.type,
        X_LS=IDENTITY if joint is None else joint.X_CJ,
        joint=None if joint is None else joint.name,
        update_rate=rate_of(plugin),
        parameters=kind.parameters,
        where=plugin.where,
    )
    (extras.link_sensors if joint is None else extras.joint_sensors)[owner].append(sensor)
    plugin.report(
        loaders_codes.GAZEBO_PUBLISHER,
        subjects=(owner,),
        plugin=label_of(plugin),
        quantities=f"what a sensor of type {kind.type} measures",
        items=(owner,),
    )
    read = (*_LINKS, *_JOINTS, *RATES)
    report_unread(plugin, read, loaders_codes.GAZEBO_PUBLISHER_SETTING)
    return True


def rate_of(plugin: Node) -> float:
    """Return the rate at which a plugin publishes [Hz]; 0 if it states none."""
    return first_number(plugin, RATES)


# --- all ------------------------------------------------------------------------------------------

_MIMIC = re.compile(r"\bmimic joint\b")
_READERS = (read_fluid, read_publisher, read_controller, read_sensor_plugin)
"""Functions that read a plugin if they know it, and return whether they do."""


def read_plugins(owner: Node, names: NameResolver, extras: AddedItems, code: Code) -> None:
    """Read the plugins of a model, a world, or of ``<gazebo>`` in a URDF.

    Args:
        owner: The element that has the plugins.
        names: The names in the model.
        extras: Receives what has a counterpart in every simulator.
        code: The note about a plugin that moves nothing, with the argument ``plugin``.
    """
    for plugin in owner.all("plugin"):
        mark_read(plugin)
        if any(read(plugin, names, extras) for read in _READERS):
            continue
        effect = effect_of(plugin)
        if effect and _MIMIC.search(words(plugin)):
            _read_mimic(plugin, names, extras)
        elif effect:
            _report_dropped(plugin, effect)
        else:
            plugin.report(code, plugin=label_of(plugin))


def _report_dropped(plugin: Node, effect: str) -> None:
    plugin.report(loaders_codes.GAZEBO_PLUGIN_MOVES, plugin=label_of(plugin), effect=effect)


# --- followers ------------------------------------------------------------------------------------


def _read_mimic(plugin: Node, names: NameResolver, extras: AddedItems) -> None:
    leader, follower = (names.joint(text_of(plugin, tag)) for tag in ("joint", "mimicJoint"))
    if (
        leader is None
        or follower is None
        or len(leader.axes) != 1
        or len(follower.axes) != 1
        or leader is follower
    ):
        _report_dropped(plugin, effect_of(plugin))
        return
    multiplier = number_of(plugin, "multiplier")
    coupling = Coupling(
        follower=follower.name,
        leader=leader.name,
        multiplier=1.0 if multiplier is None else multiplier,
        offset=number_of(plugin, "offset") or 0.0,
        where=plugin.where,
    )
    extras.couplings.append(coupling)
    read = ("joint", "mimicJoint", "multiplier", "offset")
    report_unread(plugin, read, loaders_codes.GAZEBO_SETTING_UNREAD)
