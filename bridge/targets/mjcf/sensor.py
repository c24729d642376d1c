"""sensor and camera, with rays of lidars."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from bridge.mechanism.bodies import PrimitiveKind, primitive_names
from bridge.mechanism.coordinates import joint_index
from bridge.targets.mjcf import codes
from bridge.targets.numbers import placement, round_to_short
from loaders.model import WORLD, Joint, JointType, Sensor
from loaders.pose import CAMERA_AXES, IDENTITY, Array, Pose, frozen, rotation_about

from .context import MjcfContext, Value, own_settings
from .site import add_site, target_name


def positive_number(parameters: Mapping[str, str], path: str, default: float) -> float:
    """Return a parameter that must be positive.

    Args:
        parameters: Text of each parameter, by its path.
        path: Path of the parameter.
        default: Value of a parameter that is missing or not a positive number.
    """
    try:
        value = float(parameters[path])
    except (KeyError, ValueError):
        return default
    return value if value > 0.0 else default


def finite_number(parameters: Mapping[str, str], path: str) -> float:
    """Return a parameter; zero if it is missing or not a finite number."""
    try:
        value = float(parameters[path])
    except (KeyError, ValueError):
        return 0.0
    return value if math.isfinite(value) else 0.0


_UP, _LEFT = frozen((0.0, 0.0, 1.0)), frozen((0.0, 1.0, 0.0))
_SCANS, _SPREAD = ("lidar", "ray"), ("samples", "min_angle", "max_angle")
MAX_RAYS = 100
"""Largest number of range finders of one lidar; if it has more rays, every second, third, ... ray
is written.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LidarRays:
    """The rays of a lidar that are written.

    Attributes:
        rays: Suffix of the ray's name, and the rotation of its direction in the sensor's frame,
            shape (3, 3).
        count: Number of rays in the source.
        stride: One ray in this many is written.
        max_range: Length of the rays [m]; None if unlimited.
        parameters: Paths of the sensor's parameters that the rays represent.
    """

    rays: tuple[tuple[str, Array], ...]
    count: int
    stride: int
    max_range: float | None
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Fan:
    """Rays in one plane, evenly spaced from the first angle to the last [rad]."""

    samples: int
    first: float
    last: float

    def angle(self, i: int) -> float:
        part = i / (self.samples - 1) if self.samples > 1 else 0.5
        return self.first + (self.last - self.first) * part


def lidar_rays(sensor: Sensor) -> LidarRays:
    """Return the rays of a lidar, row by row from the lowest, each row from its first angle to its
    last.
    """
    parameters = dict(sensor.parameters)
    scan = next(
        (path for path in _SCANS if any(key.startswith(path) for key in parameters)), _SCANS[0]
    )
    horizontal, vertical = (
        _fan(parameters, f"{scan}/scan/{plane}") for plane in ("horizontal", "vertical")
    )
    count = horizontal.samples * vertical.samples
    stride = -(-count // MAX_RAYS)
    max_range = positive_number(parameters, f"{scan}/range/max", math.inf)
    rays = []
    for i in range(0, count, stride):
        row, column = divmod(i, horizontal.samples)
        R = rotation_about(_UP, horizontal.angle(column)) @ rotation_about(
            _LEFT, -vertical.angle(row)
        )
        rays.append((f"_{i}" if count > 1 else "", R))
    paths = [
        f"{scan}/scan/{plane}/{name}" for plane in ("horizontal", "vertical") for name in _SPREAD
    ]
    return LidarRays(
        rays=tuple(rays),
        count=count,
        stride=stride,
        max_range=max_range if math.isfinite(max_range) else None,
        parameters=(*paths, f"{scan}/range/max"),
    )


def _fan(parameters: Mapping[str, str], path: str) -> _Fan:
    """Return the rays in one plane; a single ray straight ahead if the source states none."""
    samples = max(1, round(min(positive_number(parameters, f"{path}/samples", 1.0), 1e9)))
    return _Fan(
        samples,
        finite_number(parameters, f"{path}/min_angle"),
        finite_number(parameters, f"{path}/max_angle"),
    )


_RAY = Pose.of(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)))
"""MuJoCo's range finder, which looks along z, in SDFormat's, which looks along x."""
_FORCE_TORQUE = (
    "force_torque/frame",
    "frame",
    "force_torque/measure_direction",
    "measure_direction",
)

_WATCHED = "contact/collision"
_WITHOUT_ROTATION = frozenset({JointType.FIXED, JointType.PRISMATIC})

GeomNames = Mapping[tuple[str, str], tuple[str, ...]]
"""Names of the geoms of each collision, by link and collision."""


@dataclass(frozen=True, slots=True)
class _Mounted:
    """A sensor, the body that carries it, and its pose on the body."""

    sensor: Sensor
    body: int
    X_BS: Pose
    geoms: tuple[str, ...]
    """Names of the geoms of the collisions that the sensor watches; empty for the whole body."""
    unknown: tuple[str, ...] = ()
    """Names of the collisions to watch that the link does not have."""


def write_sensors(geom_names: GeomNames, context: MjcfContext) -> None:
    """Write every sensor that MuJoCo has, and report the others.

    Args:
        geom_names: Names of the geoms of each collision, by link and collision.
        context: The export.
    """
    for mounted in _mounted_sensors(geom_names, context):
        sensor = mounted.sensor
        write = _WRITERS.get(sensor.type)
        if write is None:
            context.report(
                codes.SENSOR_TYPE,
                sensor.where,
                subjects=(sensor.name,),
                sensor=sensor.name,
                sensor_type=sensor.type,
            )
            continue
        supported = write(mounted, context)
        _report_unsupported_parameters(sensor, supported, context)


def _mounted_sensors(geom_names: GeomNames, context: MjcfContext) -> list[_Mounted]:
    mechanism = context.mechanism
    on_bodies = [
        (sensor, i) for i, body in enumerate(mechanism.bodies) for sensor in body.link.sensors
    ]
    on_joints = [
        (sensor, mechanism.body_index[joint.child])
        for joint in mechanism.scene.joints
        for sensor in joint.sensors
    ]
    return [
        _mounted(sensor, body, geom_names, context) for sensor, body in (*on_bodies, *on_joints)
    ]


def _mounted(sensor: Sensor, body: int, geom_names: GeomNames, context: MjcfContext) -> _Mounted:
    link = _link_name(body, context)
    watched = dict.fromkeys(value for path, value in sensor.parameters if path == _WATCHED)
    geoms = tuple(geom for collision in watched for geom in geom_names.get((link, collision), ()))
    stated = (
        {collision.name for collision in context.mechanism.bodies[body].link.collisions}
        if body >= 0
        else set()
    )
    unknown = tuple(collision for collision in watched if collision not in stated)
    return _Mounted(sensor, body, sensor.X_LS, geoms, unknown)


def _link_name(body: int, context: MjcfContext) -> str:
    return context.mechanism.bodies[body].name if body >= 0 else WORLD


def _report_unsupported_parameters(
    sensor: Sensor, supported: tuple[str, ...], context: MjcfContext
) -> None:
    parameters = [f"{path}={value}" for path, value in sensor.parameters if path not in supported]
    if sensor.update_rate:
        parameters.append(f"update_rate={sensor.update_rate:g}")
    if parameters:
        context.report(
            codes.SENSOR_PARAMETERS,
            sensor.where,
            subjects=(sensor.name,),
            sensor=sensor.name,
            parameters=", ".join(parameters),
        )


def _add_sensor(kind: str, suffix: str, site: str, mounted: _Mounted, context: MjcfContext) -> None:
    name = context.names.claim("sensor", mounted.sensor.name + suffix)
    context.document["sensor"].add(kind, name=name, site=site)


def _add_site(mounted: _Mounted, context: MjcfContext, X_SM: Pose = IDENTITY) -> str:
    return add_site(mounted.sensor.name, mounted.body, mounted.X_BS @ X_SM, context)


def _imu(mounted: _Mounted, context: MjcfContext) -> tuple[str, ...]:
    site = _add_site(mounted, context)
    _add_sensor("accelerometer", "_acceleration", site, mounted, context)
    _add_sensor("gyro", "_angular_velocity", site, mounted, context)
    name = context.names.claim("sensor", f"{mounted.sensor.name}_orientation")
    context.document["sensor"].add("framequat", name=name, objtype="site", objname=site)
    return ()


# --- force and torque -----------------------------------------------------------------------------


def _force_torque(mounted: _Mounted, context: MjcfContext) -> tuple[str, ...]:
    """Write a force and a torque sensor.

    MuJoCo measures, at the site and in its axes, the force that the parent in the tree exerts on
    the child body.
    """
    parameters = dict(mounted.sensor.parameters)
    sensor, joint = mounted.sensor, _joint_of(mounted.sensor, context)
    frame = parameters.get("force_torque/frame", parameters.get("frame", "child"))
    direction = parameters.get(
        "force_torque/measure_direction", parameters.get("measure_direction", "child_to_parent")
    )
    is_opposite = direction != "parent_to_child"
    if joint is not None:
        body = joint_index(context.mechanism.bodies).get(joint.name)
        if body is None:
            _report_loop_joint(sensor, joint, "force", context)
            return _FORCE_TORQUE
        is_reversed = context.mechanism.bodies[body].reversed
        is_opposite ^= is_reversed
        mounted = replace(
            mounted, body=body, X_BS=_measurement_pose(joint, frame, is_reversed, sensor.X_LS)
        )
        is_fixed_to_body = (frame == "parent") == is_reversed
        if not is_fixed_to_body and joint.type not in _WITHOUT_ROTATION:
            _report_turning_axes(sensor, joint, frame, is_reversed, context)
    site = _add_site(mounted, context)
    _add_sensor("force", "_force", site, mounted, context)
    _add_sensor("torque", "_torque", site, mounted, context)
    if is_opposite:
        context.report(
            codes.FORCE_TORQUE_SIGN, sensor.where, subjects=(sensor.name,), sensor=sensor.name
        )
    return _FORCE_TORQUE


def _report_loop_joint(sensor: Sensor, joint: Joint, quantity: str, context: MjcfContext) -> None:
    context.report(
        codes.SENSOR,
        sensor.where,
        subjects=(sensor.name, joint.name),
        sensor=sensor.name,
        joint=joint.name,
        quantity=quantity,
    )


def _measurement_pose(joint: Joint, frame: str, is_reversed: bool, X_CS: Pose) -> Pose:
    """Return the pose of the measurement on the body below a joint, in the axes of child, parent or
    sensor.
    """
    R_PC = joint.X_PJ.R @ joint.X_CJ.R.T
    R_CM = {"child": IDENTITY.R, "parent": R_PC.T}.get(frame, X_CS.R)
    return Pose.of(R_PC @ R_CM, joint.X_PJ.p) if is_reversed else Pose.of(R_CM, joint.X_CJ.p)


def _report_turning_axes(
    sensor: Sensor, joint: Joint, frame: str, is_reversed: bool, context: MjcfContext
) -> None:
    """Report that the site is on one link of a joint, and the axes of the measurement turn with the
    other one.
    """
    turn = "R_PC(q) R_PC(0)^T"
    if is_reversed:
        turn = "R_PC(q)^T R_PC(0)" if frame == "child" else "R_CS^T R_PC(q)^T R_PC(0) R_CS"
    context.report(
        codes.FORCE_TORQUE_AXES,
        sensor.where,
        hint=f"multiply the reading by {turn}: P is {joint.parent}, C is {joint.child}, S is the "
        f"sensor",
        subjects=(sensor.name, joint.name),
        sensor=sensor.name,
        frame=frame,
        joint=joint.name,
    )


def _joint_of(sensor: Sensor, context: MjcfContext) -> Joint | None:
    return next(
        (joint for joint in context.mechanism.scene.joints if joint.name == sensor.joint), None
    )


# --- other sensors --------------------------------------------------------------------------------


def _at_site(
    kind: str, X_SM: Pose = IDENTITY
) -> Callable[[_Mounted, MjcfContext], tuple[str, ...]]:
    """Return a writer of a sensor that is one MuJoCo sensor on a site."""

    def write(mounted: _Mounted, context: MjcfContext) -> tuple[str, ...]:
        _add_sensor(kind, "", _add_site(mounted, context, X_SM), mounted, context)
        return ()

    return write


def _lidar(mounted: _Mounted, context: MjcfContext) -> tuple[str, ...]:
    """Write a range finder for each ray."""
    sensor = mounted.sensor
    lidar = lidar_rays(sensor)
    for suffix, R in lidar.rays:
        site = add_site(
            sensor.name + suffix, mounted.body, mounted.X_BS @ Pose.of(R) @ _RAY, context
        )
        name = context.names.claim("sensor", sensor.name + suffix)
        context.document["sensor"].add("rangefinder", name=name, site=site, cutoff=lidar.max_range)
    if lidar.stride > 1:
        context.report(
            codes.SENSOR_RAYS,
            sensor.where,
            subjects=(sensor.name,),
            sensor=sensor.name,
            count=lidar.count,
            stride=lidar.stride,
        )
    return lidar.parameters


def _frame(kind: str) -> Callable[[_Mounted, MjcfContext], tuple[str, ...]]:
    """Return a writer of a sensor that measures the motion of a site's frame."""

    def write(mounted: _Mounted, context: MjcfContext) -> tuple[str, ...]:
        name = context.names.claim("sensor", mounted.sensor.name)
        context.document["sensor"].add(
            kind, name=name, objtype="site", objname=_add_site(mounted, context)
        )
        return ()

    return write


def _contact(mounted: _Mounted, context: MjcfContext) -> tuple[str, ...]:
    """Write a sensor for each geom of the collisions that the source names, or one for the whole
    body.
    """
    if mounted.unknown:
        _report_unknown_collisions(mounted, context)
    watched: list[dict[str, Value]] = [{"geom1": geom} for geom in mounted.geoms]
    watched = watched or [{"body1": _link_name(mounted.body, context)}]
    for i, target in enumerate(watched):
        name = context.names.claim(
            "sensor", mounted.sensor.name + (f"_{i}" if len(watched) > 1 else "")
        )
        context.document["sensor"].add(
            "contact", name=name, **target, data="found force", reduce="netforce"
        )
    return (_WATCHED,)


def _report_unknown_collisions(mounted: _Mounted, context: MjcfContext) -> None:
    sensor = mounted.sensor
    context.report(
        codes.SENSOR_COLLISION,
        sensor.where,
        subjects=(sensor.name,),
        sensor=sensor.name,
        link=_link_name(mounted.body, context),
        collisions=mounted.unknown,
        watched="the others that it names" if mounted.geoms else "all of the link",
    )


def _camera(mounted: _Mounted, context: MjcfContext) -> tuple[str, ...]:
    """Write a camera; the vertical field of view follows from the horizontal one and the shape of
    the image.
    """
    parameters = dict(mounted.sensor.parameters)
    fov = positive_number(parameters, "camera/horizontal_fov", 1.047)
    width = positive_number(parameters, "camera/image/width", 320.0)
    height = positive_number(parameters, "camera/image/height", 240.0)
    fovy = round_to_short(math.degrees(2.0 * math.atan(math.tan(fov / 2.0) * height / width)))
    element = context.document.body(mounted.body).add(
        "camera",
        name=context.names.claim("camera", mounted.sensor.name),
        **placement(mounted.X_BS @ CAMERA_AXES),
        fovy=None if "sensorsize" in own_settings(mounted.sensor) else fovy,
        resolution=(round(width), round(height)),
    )
    element.set(**(own_settings(mounted.sensor) | {"target": target_name(mounted.sensor, context)}))
    return ("camera/horizontal_fov", "camera/image/width", "camera/image/height")


# --- what Gazebo's plugins publish ----------------------------------------------------------------

_SCALAR_STATE = {"position": "jointpos", "velocity": "jointvel"}
_JOINT_STATE = {
    PrimitiveKind.HINGE: _SCALAR_STATE,
    PrimitiveKind.SLIDE: _SCALAR_STATE,
    PrimitiveKind.BALL: {"position": "ballquat", "velocity": "ballangvel"},
}
"""Sensor of each quantity of a joint."""


def _joint_state(mounted: _Mounted, context: MjcfContext) -> tuple[str, ...]:
    """Write the position and the velocity of each degree of freedom of a joint."""
    sensor, joint = mounted.sensor, _joint_of(mounted.sensor, context)
    bodies = context.mechanism.bodies
    body = None if joint is None else joint_index(bodies).get(joint.name)
    if joint is None or body is None:
        if joint is not None:
            _report_loop_joint(sensor, joint, "motion", context)
        return ()
    names = primitive_names(bodies[body])
    for name, primitive in zip(names, bodies[body].primitives, strict=True):
        suffix = name.removeprefix(joint.name) if len(names) > 1 else ""
        for quantity, tag in _JOINT_STATE.get(primitive.kind, {}).items():
            claimed = context.names.claim("sensor", f"{sensor.name}{suffix}_{quantity}")
            context.document["sensor"].add(tag, name=claimed, joint=name)
    return ()


def _odometry(mounted: _Mounted, context: MjcfContext) -> tuple[str, ...]:
    """Write the pose of a frame in the world, and its velocity in its own axes, as Gazebo publishes
    them.
    """
    site = _add_site(mounted, context)
    for quantity, tag in (("position", "framepos"), ("orientation", "framequat")):
        name = context.names.claim("sensor", f"{mounted.sensor.name}_{quantity}")
        context.document["sensor"].add(tag, name=name, objtype="site", objname=site)
    _add_sensor("velocimeter", "_velocity", site, mounted, context)
    _add_sensor("gyro", "_angular_velocity", site, mounted, context)
    return ()


_WRITERS: dict[str, Callable[[_Mounted, MjcfContext], tuple[str, ...]]] = {
    "imu": _imu,
    "force_torque": _force_torque,
    "contact": _contact,
    "magnetometer": _at_site("magnetometer"),
    "altimeter": _frame("framepos"),
    "joint_state": _joint_state,
    "odometry": _odometry,
    "navsat": _frame("framepos"),
    "gps": _frame("framepos"),
    "sonar": _at_site("rangefinder", _RAY),
    **dict.fromkeys(
        ("camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "wideanglecamera"), _camera
    ),
    **dict.fromkeys(("ray", "gpu_ray", "lidar", "gpu_lidar"), _lidar),
}
"""Function that writes each type of sensor; it returns the paths of the parameters that MuJoCo
supports.
"""
