"""``<sensor>`` and ``<camera>``: the sensors that MuJoCo has, each on a site of its link."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from bridge.mechanism.coordinates import joint_index
from bridge.mjcf.constraint.equality import site
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Value
from bridge.mjcf.xml.number_format import placement
from loaders.diagnostics import Fate
from loaders.model import Joint, Sensor
from loaders.spatial import IDENTITY, Pose, frozen, rotation_about

_CAMERA = Pose.of(((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
"""MuJoCo's camera, which looks along -z with y up, in SDFormat's, which looks along x with z up."""
_RAY = Pose.of(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)))
"""MuJoCo's range finder, which looks along z, in SDFormat's, which looks along x."""


_UP, _LEFT = frozen((0.0, 0.0, 1.0)), frozen((0.0, 1.0, 0.0))
_SCANS, _SPREAD = ("lidar", "ray"), ("samples", "min_angle", "max_angle")
MOST_RAYS = 100
"""Sites and sensors of one lidar; of one with more rays every second, third, ... is written."""
_FORCE_TORQUE = ("force_torque/frame", "frame", "force_torque/measure_direction", "measure_direction")


@dataclass(frozen=True, slots=True)
class _Mounted:
    """A sensor, the body that carries it, and where."""

    sensor: Sensor
    body: int
    X_BS: Pose


def sensors(context: Context) -> None:
    """Write what MuJoCo has of every sensor, and report the rest."""
    for mounted in _mounted(context):
        sensor = mounted.sensor
        write = _WRITERS.get(sensor.type)
        if write is None:
            context.report(
                Fate.DROPPED,
                "sensor",
                "sensor {sensor} is of type {sensor_type}, which MuJoCo does not have",
                sensor.where,
                sensor=sensor.name,
                sensor_type=sensor.type,
            )
            continue
        read = write(mounted, context)
        _report_rest(sensor, read, context)


def _mounted(context: Context) -> list[_Mounted]:
    found = [
        _Mounted(sensor, i, sensor.X_LS)
        for i, body in enumerate(context.mechanism.bodies)
        for sensor in body.link.sensors
    ]
    for joint in context.mechanism.scene.joints:
        found.extend(_Mounted(sensor, context.index[joint.child], sensor.X_LS) for sensor in joint.sensors)
    return found


def _report_rest(sensor: Sensor, read: tuple[str, ...], context: Context) -> None:
    lost = [path for path, _ in sensor.parameters if path not in read]
    if sensor.update_rate:
        lost.append("update_rate")
    if lost:
        values = dict(sensor.parameters) | {"update_rate": f"{sensor.update_rate:g}"}
        message = f"of sensor {sensor.name} these are not carried: " + ", ".join(f"{k}={values[k]}" for k in lost)
        context.report(Fate.NOTED, "sensor-parameters", message, sensor.where)


def _add(kind: str, suffix: str, at: str, mounted: _Mounted, context: Context) -> None:
    name = context.names.claim("sensor", mounted.sensor.name + suffix)
    context.document["sensor"].add(kind, name=name, site=at)


def _site(mounted: _Mounted, context: Context, X_SM: Pose = IDENTITY) -> str:
    return site(mounted.sensor.name, mounted.body, mounted.X_BS @ X_SM, context)


def _imu(mounted: _Mounted, context: Context) -> tuple[str, ...]:
    at = _site(mounted, context)
    _add("accelerometer", "_acceleration", at, mounted, context)
    _add("gyro", "_angular_velocity", at, mounted, context)
    name = context.names.claim("sensor", f"{mounted.sensor.name}_orientation")
    context.document["sensor"].add("framequat", name=name, objtype="site", objname=at)
    return ()


def _force_torque(mounted: _Mounted, context: Context) -> tuple[str, ...]:
    """MuJoCo measures, at the site and in its axes, what the tree's parent exerts on the body that hangs from it."""
    parameters = dict(mounted.sensor.parameters)
    sensor, joint = mounted.sensor, _joint_of(mounted.sensor, context)
    frame = parameters.get("force_torque/frame", parameters.get("frame", "child"))
    direction = parameters.get("force_torque/measure_direction", parameters.get("measure_direction", "child_to_parent"))
    is_opposite = direction != "parent_to_child"
    if joint is not None:
        i = joint_index(context.mechanism.bodies).get(joint.name)
        if i is None:
            context.report(
                Fate.DROPPED,
                "sensor",
                "sensor {sensor} is on joint {joint}, which no body hangs by; MuJoCo measures no force",
                sensor.where,
                sensor=sensor.name,
                joint=joint.name,
            )
            return _FORCE_TORQUE
        backwards = context.mechanism.bodies[i].reversed
        is_opposite ^= backwards
        mounted = _Mounted(sensor, i, _measuring(joint, frame, backwards, sensor.X_LS))
    at = _site(mounted, context)
    _add("force", "_force", at, mounted, context)
    _add("torque", "_torque", at, mounted, context)
    if is_opposite:
        context.report(
            Fate.APPROXIMATED,
            "force-torque-sign",
            "sensor {sensor} reads the force with the opposite sign to the one that the source asks for",
            sensor.where,
            hint="negate the reading",
            sensor=sensor.name,
        )
    return _FORCE_TORQUE


def _measuring(joint: Joint, frame: str, backwards: bool, X_CS: Pose) -> Pose:
    """Where a joint's force is measured, on the link that hangs by it, in the axes of child, parent or sensor."""
    R_PC = joint.X_PJ.R @ joint.X_CJ.R.T
    R_CM = {"child": IDENTITY.R, "parent": R_PC.T}.get(frame, X_CS.R)
    return Pose.of(R_PC @ R_CM, joint.X_PJ.p) if backwards else Pose.of(R_CM, joint.X_CJ.p)


def _joint_of(sensor: Sensor, context: Context) -> Joint | None:
    return next((joint for joint in context.mechanism.scene.joints if joint.name == sensor.joint), None)


def _at_site(kind: str, X_SM: Pose = IDENTITY) -> Callable[[_Mounted, Context], tuple[str, ...]]:
    """A sensor that is one MuJoCo sensor on a site."""

    def write(mounted: _Mounted, context: Context) -> tuple[str, ...]:
        _add(kind, "", _site(mounted, context, X_SM), mounted, context)
        return ()

    return write


def _rays(mounted: _Mounted, context: Context) -> tuple[str, ...]:
    """A range finder for each ray, row by row from below, each from its first angle to its last."""
    parameters = dict(mounted.sensor.parameters)
    scan = next((path for path in _SCANS if any(key.startswith(path) for key in parameters)), _SCANS[0])
    wide, high = (_fan(parameters, f"{scan}/scan/{way}") for way in ("horizontal", "vertical"))
    count = wide.samples * high.samples
    every = -(-count // MOST_RAYS)
    reach = _number(parameters, f"{scan}/range/max", math.inf)
    for i in range(0, count, every):
        suffix = f"_{i}" if count > 1 else ""
        row, column = divmod(i, wide.samples)
        R = rotation_about(_UP, wide.angle(column)) @ rotation_about(_LEFT, -high.angle(row))
        at = site(mounted.sensor.name + suffix, mounted.body, mounted.X_BS @ Pose.of(R) @ _RAY, context)
        name = context.names.claim("sensor", mounted.sensor.name + suffix)
        cutoff = reach if math.isfinite(reach) else None
        context.document["sensor"].add("rangefinder", name=name, site=at, cutoff=cutoff)
    if every > 1:
        context.report(
            Fate.APPROXIMATED,
            "sensor-rays",
            "sensor {name} has {count} rays; one in {every} is written, named by its number",
            mounted.sensor.where,
            name=mounted.sensor.name,
            count=count,
            every=every,
        )
    ways = [f"{scan}/scan/{way}/{what}" for way in ("horizontal", "vertical") for what in _SPREAD]
    return (*ways, f"{scan}/range/max")


@dataclass(frozen=True, slots=True)
class _Fan:
    """Rays in one plane, evenly from the first angle to the last [rad]."""

    samples: int
    first: float
    last: float

    def angle(self, i: int) -> float:
        part = i / (self.samples - 1) if self.samples > 1 else 0.5
        return self.first + (self.last - self.first) * part


def _fan(parameters: dict[str, str], way: str) -> _Fan:
    """One ray straight ahead where the source says nothing."""
    samples = max(1, round(min(_number(parameters, f"{way}/samples", 1.0), 1e9)))
    return _Fan(samples, _real(parameters, f"{way}/min_angle"), _real(parameters, f"{way}/max_angle"))


def _real(parameters: dict[str, str], path: str) -> float:
    try:
        value = float(parameters[path])
    except (KeyError, ValueError):
        return 0.0
    return value if math.isfinite(value) else 0.0


def _frame(kind: str) -> Callable[[_Mounted, Context], tuple[str, ...]]:
    """A sensor that is the motion of a site's frame."""

    def write(mounted: _Mounted, context: Context) -> tuple[str, ...]:
        name = context.names.claim("sensor", mounted.sensor.name)
        context.document["sensor"].add(kind, name=name, objtype="site", objname=_site(mounted, context))
        return ()

    return write


def _touch(mounted: _Mounted, context: Context) -> tuple[str, ...]:
    """The contacts of the collision that the source names, geom by geom, or of the whole body."""
    named = dict(mounted.sensor.parameters).get("contact/collision", "")
    link = context.mechanism.bodies[mounted.body].link if mounted.body >= 0 else None
    body = link.name if link is not None else "world"
    geoms = context.geom_names.get((body, named), [])
    of: list[dict[str, Value]] = [{"geom1": geom} for geom in geoms] or [{"body1": body}]
    for i, one in enumerate(of):
        name = context.names.claim("sensor", mounted.sensor.name + (f"_{i}" if len(of) > 1 else ""))
        context.document["sensor"].add("contact", name=name, **one, data="found force", reduce="netforce")
    return ("contact/collision",) if geoms else ()


def _camera(mounted: _Mounted, context: Context) -> tuple[str, ...]:
    """The vertical field of view follows from the horizontal one and the shape of the image."""
    parameters = dict(mounted.sensor.parameters)
    fov = _number(parameters, "camera/horizontal_fov", 1.047)
    width = _number(parameters, "camera/image/width", 320.0)
    height = _number(parameters, "camera/image/height", 240.0)
    fovy = math.degrees(2.0 * math.atan(math.tan(fov / 2.0) * height / width))
    context.document.body(mounted.body).add(
        "camera",
        name=context.names.claim("camera", mounted.sensor.name),
        **placement(mounted.X_BS @ _CAMERA),
        fovy=fovy,
        resolution=(round(width), round(height)),
    )
    return ("camera/horizontal_fov", "camera/image/width", "camera/image/height")


def _number(parameters: dict[str, str], path: str, default: float) -> float:
    try:
        value = float(parameters[path])
    except (KeyError, ValueError):
        return default
    return value if value > 0.0 else default


_WRITERS: dict[str, Callable[[_Mounted, Context], tuple[str, ...]]] = {
    "imu": _imu,
    "force_torque": _force_torque,
    "contact": _touch,
    "magnetometer": _at_site("magnetometer"),
    "altimeter": _frame("framepos"),
    "navsat": _frame("framepos"),
    "gps": _frame("framepos"),
    "sonar": _at_site("rangefinder", _RAY),
    **dict.fromkeys(("camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "wideanglecamera"), _camera),
    **dict.fromkeys(("ray", "gpu_ray", "lidar", "gpu_lidar"), _rays),
}
