"""``<sensor>`` and ``<camera>``: the sensors that MuJoCo has, each on a site of its link."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from loaders.diagnostics import Fate
from loaders.model import Joint, Sensor
from loaders.spatial import IDENTITY, Pose

from .context import Context
from .decimals import placement
from .element import Value
from .equality import site

_CAMERA = Pose.of(((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
"""MuJoCo's camera, which looks along -z with y up, in SDFormat's, which looks along x with z up."""
_RAY = Pose.of(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)))
"""MuJoCo's range finder, which looks along z, in SDFormat's, which looks along x."""


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
            message = f"sensor {sensor.name} is of type {sensor.type}, which MuJoCo does not have"
            context.report(Fate.DROPPED, "sensor", message, sensor.where)
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
    """MuJoCo measures what the parent exerts on the child, at the site, in the site's axes."""
    parameters = dict(mounted.sensor.parameters)
    joint = _joint_of(mounted.sensor, context)
    frame = parameters.get("force_torque/frame", parameters.get("frame", "child"))
    if joint is not None:
        X_CJ, X_PJ = joint.X_CJ, joint.X_PJ
        R = {"child": IDENTITY.R, "parent": X_CJ.R @ X_PJ.R.T}.get(frame, X_CJ.R)
        mounted = _Mounted(mounted.sensor, context.index[joint.child], Pose.of(R, X_CJ.p))
    at = _site(mounted, context)
    _add("force", "_force", at, mounted, context)
    _add("torque", "_torque", at, mounted, context)
    direction = parameters.get("force_torque/measure_direction", parameters.get("measure_direction", "child_to_parent"))
    if direction != "parent_to_child":
        message = (
            f"sensor {mounted.sensor.name} reads what the parent exerts on the child; "
            "the source asks for the opposite sign"
        )
        context.report(Fate.APPROXIMATED, "force-torque-sign", message, mounted.sensor.where, hint="negate the reading")
    return ("force_torque/frame", "frame", "force_torque/measure_direction", "measure_direction")


def _joint_of(sensor: Sensor, context: Context) -> Joint | None:
    return next((joint for joint in context.mechanism.scene.joints if joint.name == sensor.joint), None)


def _at_site(kind: str, X_SM: Pose = IDENTITY) -> Callable[[_Mounted, Context], tuple[str, ...]]:
    """A sensor that is one MuJoCo sensor on a site."""

    def write(mounted: _Mounted, context: Context) -> tuple[str, ...]:
        _add(kind, "", _site(mounted, context, X_SM), mounted, context)
        return ()

    return write


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
    **dict.fromkeys(("ray", "gpu_ray", "lidar", "gpu_lidar"), _at_site("rangefinder", _RAY)),
}
