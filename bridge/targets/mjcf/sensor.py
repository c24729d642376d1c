"""sensor and camera, with rays of lidars; what `SensorReader` needs to read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bridge.mechanism.bodies import ROOT, PrimitiveKind, primitive_names
from bridge.mechanism.coordinates import joint_index
from bridge.sensors import (
    CAMERAS,
    LIDARS,
    SPECIAL_CAMERAS,
    WATCHED,
    WIDE_CAMERAS,
    PlacedSensor,
    field_of_view,
    has_intrinsics,
    has_orientation,
    is_readable,
    optics_of,
    orientation_reference,
    placed_sensors,
    rays_of,
    unused_parameters,
    used_parameters,
    wrench_axes,
)
from bridge.targets.mjcf import codes
from bridge.targets.mjcf.geom import add_site, site_at, target_name
from bridge.targets.numbers import placement, round_to_short
from loaders.code import Code
from loaders.model import WORLD, Joint, JointType
from loaders.pose import CAMERA_AXES, IDENTITY, Pose

from .context import MjcfContext, Value, own_settings
from .ros2_control import sensor_name

MAX_RAYS = 100
"""Largest number of range finders of one lidar; if it has more rays, every second, third, ... ray
is written."""


_RAY = Pose.of(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)))
"""MuJoCo's range finder, which looks along z, in SDFormat's, which looks along x."""
_WITHOUT_ROTATION = frozenset({JointType.FIXED, JointType.PRISMATIC})

GeomNames = Mapping[tuple[str, str], tuple[str, ...]]
"""Names of the geoms of each collision, by link and collision."""


@dataclass(frozen=True, kw_only=True, eq=False)
class WrittenSensor:
    """A sensor and its elements in the document.

    Attributes:
        placed: The sensor.
        name: The name in the document, which the names of its elements start with.
        body: Index of the body that has the site.
        frame: Name of that body in the document.
        X_BS: Pose of the site on that body.
        parts: Name of each sensor of MuJoCo, by its suffix without the underscore.
        geoms: Names of the geoms of the collisions that it watches; empty for the whole body.
        sign: Factor on the readings of a force.
        models: Name of each model, with the body of its canonical link and its pose on that body;
            of a logical camera.
    """

    placed: PlacedSensor
    name: str
    body: int
    X_BS: Pose
    frame: str = WORLD
    parts: dict[str, str] = field(default_factory=dict)
    geoms: tuple[str, ...] = ()
    sign: float = 1.0
    models: tuple[tuple[str, str, Pose], ...] = ()


def write_sensors(geom_names: GeomNames, context: MjcfContext) -> tuple[WrittenSensor, ...]:
    """Write every sensor that MuJoCo has, report the others, and return the written ones.

    Args:
        geom_names: Names of the geoms of each collision, by link and collision.
        context: The export.
    """
    found = []
    for placed in placed_sensors(context.mechanism):
        write = _WRITERS.get(placed.sensor.type)
        if write is None:
            _report(codes.SENSOR_TYPE, placed, context, sensor_type=placed.sensor.type)
            written = None
        else:
            written = write(_named(placed, geom_names, context), context)
        if written is not None:
            frame = context.document.body(written.body).attributes.get("name", WORLD)
            found.append(replace(written, frame=frame))
        used = () if written is None else used_parameters(placed.sensor)
        parameters = unused_parameters(placed.sensor, used)
        if parameters:
            _report(codes.SENSOR_PARAMETERS, placed, context, parameters=", ".join(parameters))
    _report_drawn_rays(found, context)
    return tuple(found)


def _report_drawn_rays(found: Sequence[WrittenSensor], context: MjcfContext) -> None:
    """Report that MuJoCo draws the rays of lidars into the pictures of cameras."""
    names = [(each.placed.name, each.placed.sensor.type) for each in found]
    cameras = tuple(name for name, kind in names if kind in CAMERAS)
    lidars = tuple(name for name, kind in names if kind in (*LIDARS, "sonar"))
    if cameras and lidars:
        where = found[0].placed.sensor.where
        subjects = (*cameras, *lidars)
        code = codes.SENSOR_READING_DRAWN
        context.add(code, where, subjects=subjects, cameras=cameras, lidars=lidars)


def _named(placed: PlacedSensor, geom_names: GeomNames, context: MjcfContext) -> WrittenSensor:
    return WrittenSensor(
        placed=placed,
        name=_claimed_name(placed, context),
        body=placed.body,
        X_BS=placed.sensor.X_LS,
        geoms=_watched_geoms(placed, geom_names),
    )


def _claimed_name(placed: PlacedSensor, context: MjcfContext) -> str:
    name = context.names.claim("sensor of the source", placed.name)
    if name != placed.name and placed.sensor.name:
        context.names.changed[placed.name] = name
    return name


def _report(code: Code, placed: PlacedSensor, context: MjcfContext, **arguments: object) -> None:
    values: dict[str, Any] = {"sensor": placed.name, **arguments}
    context.add(code, placed.sensor.where, subjects=(placed.name,), **values)


_Writer = Callable[[WrittenSensor, MjcfContext], WrittenSensor | None]
"""Writes a sensor and returns it with its elements; None if MuJoCo cannot have it."""


def _add(
    written: WrittenSensor, tag: str, suffix: str, context: MjcfContext, **attributes: Value
) -> None:
    """Add a sensor of MuJoCo; without a suffix it has the name of the sensor."""
    name = context.names.claim("sensor", sensor_name(written.name, tag, suffix, context))
    context.document["sensor"].add(tag, name=name, **attributes)
    written.parts[suffix] = name


_IN_SITE = {
    "acceleration": "accelerometer",
    "angular_velocity": "gyro",
    "velocity": "velocimeter",
    "force": "force",
    "torque": "torque",
    "": "magnetometer",
}
"""Sensor of MuJoCo in the axes of a site, by suffix."""
_OF_SITE = {"position": "framepos", "orientation": "framequat", "world_velocity": "framelinvel"}
"""Sensor of MuJoCo of the frame of a site in the world, by suffix."""


def _add_all(written: WrittenSensor, suffixes: str, context: MjcfContext) -> str:
    """Add the sensors of MuJoCo with these suffixes on one site, and return its name."""
    site = add_site(written.name, written.body, written.X_BS, context)
    for suffix in suffixes.split():
        key = "" if suffix == "-" else suffix
        if key in _IN_SITE:
            _add(written, _IN_SITE[key], key, context, site=site)
        else:
            _add(written, _OF_SITE[key], key, context, objtype="site", objname=site)
    return site


def _frame(suffixes: str, reading: str = "") -> _Writer:
    """Return a writer of a sensor that measures the motion of a site.

    Args:
        suffixes: Suffixes of its sensors in MuJoCo; ``-`` for none.
        reading: What MuJoCo's sensors read in place of the message; empty if that is exact.
    """

    def write(written: WrittenSensor, context: MjcfContext) -> WrittenSensor | None:
        _add_all(written, suffixes, context)
        if reading:
            _report(codes.SENSOR_READING, written.placed, context, reading=reading)
        return written

    return write


def _imu(written: WrittenSensor, context: MjcfContext) -> WrittenSensor | None:
    site = _add_all(written, "acceleration angular_velocity", context)
    if has_orientation(written.placed):
        R_WR = orientation_reference(written.placed)
        start = site_at(f"{written.name}_reference", ROOT, Pose.of(R_WR), context)
        _add(
            written,
            "framequat",
            "orientation",
            context,
            objtype="site",
            objname=site,
            reftype="site",
            refname=start,
        )
    if context.mechanism.moving_ancestor(written.body) == ROOT:
        up = -(written.placed.start.R.T @ context.mechanism.gravity)
        _report(
            codes.SENSOR_READING_FIXED,
            written.placed,
            context,
            link=written.placed.link,
            expected=" ".join(f"{x:g}" for x in up.round(9) + 0.0),
        )
    return written


def _altimeter(written: WrittenSensor, context: MjcfContext) -> WrittenSensor | None:
    site = add_site(written.name, written.body, written.X_BS, context)
    start = Pose.of(p=written.placed.start.p)
    reference = site_at(f"{written.name}_reference", ROOT, start, context)
    frame = {"objtype": "site", "objname": site}
    _add(written, "framepos", "position", context, **frame, reftype="site", refname=reference)
    _add(written, "framelinvel", "world_velocity", context, **frame)
    return written


# --- force and torque -----------------------------------------------------------------------------


def _force_torque(written: WrittenSensor, context: MjcfContext) -> WrittenSensor | None:
    """Write a force and a torque sensor.

    MuJoCo measures, at the site and in its axes, the force that the parent in the tree exerts on
    the child body.
    """
    placed = written.placed
    axes, joint = wrench_axes(placed), placed.joint
    sign = axes.sign
    if joint is not None:
        body = joint_index(context.mechanism.bodies).get(joint.name)
        if body is None:
            _report_loop_joint(placed, joint, "force", context)
            return None
        is_reversed = context.mechanism.bodies[body].reversed
        sign = -sign if is_reversed else sign
        R_PC = joint.X_PJ.R @ joint.X_CJ.R.T
        R_CM = {"child": IDENTITY.R, "parent": R_PC.T}.get(axes.frame, placed.sensor.X_LS.R)
        X_BM = Pose.of(R_PC @ R_CM, joint.X_PJ.p) if is_reversed else Pose.of(R_CM, joint.X_CJ.p)
        written = replace(written, body=body, X_BS=X_BM)
    written = replace(written, sign=sign)
    site = _add_all(written, "force torque", context)
    if joint is not None:
        is_fixed_to_body = (axes.frame == "parent") == is_reversed
        if not is_fixed_to_body and joint.type not in _WITHOUT_ROTATION:
            _report_turning_axes(placed, joint, axes.frame, is_reversed, context)
            _add_axes(written, joint, axes.frame, site, context)
    if sign < 0.0:
        _report(codes.FORCE_TORQUE_SIGN, placed, context)
    return written


def _add_axes(
    written: WrittenSensor, joint: Joint, frame: str, site: str, context: MjcfContext
) -> None:
    """Measure the axes of the source, which turn with the other link, in those of the site."""
    other = joint.parent if frame == "parent" else joint.child
    R_LM = written.placed.sensor.X_LS.R if frame == "sensor" else IDENTITY.R
    body = context.mechanism.body_index.get(other, ROOT)
    turning = site_at(f"{written.name}_axes", body, Pose.of(R_LM), context)
    _add(
        written,
        "framequat",
        "axes",
        context,
        objtype="site",
        objname=turning,
        reftype="site",
        refname=site,
    )


def _report_loop_joint(
    placed: PlacedSensor, joint: Joint, quantity: str, context: MjcfContext
) -> None:
    context.add(
        codes.SENSOR,
        placed.sensor.where,
        subjects=(placed.name, joint.name),
        sensor=placed.name,
        joint=joint.name,
        quantity=quantity,
    )


def _report_turning_axes(
    placed: PlacedSensor, joint: Joint, frame: str, is_reversed: bool, context: MjcfContext
) -> None:
    """Report that the site is on one link of a joint, and the axes of the measurement turn with the
    other one.
    """
    turn = "R_PC(q) R_PC(0)^T"
    if is_reversed:
        turn = "R_PC(q)^T R_PC(0)" if frame == "child" else "R_CS^T R_PC(q)^T R_PC(0) R_CS"
    context.add(
        codes.FORCE_TORQUE_AXES,
        placed.sensor.where,
        hint=f"multiply the reading by {turn}: P is {joint.parent}, C is {joint.child}, S is the "
        f"sensor; or use read(), which does so",
        subjects=(placed.name, joint.name),
        sensor=placed.name,
        frame=frame,
        joint=joint.name,
    )


# --- rays and contacts ----------------------------------------------------------------------------


def _lidar(written: WrittenSensor, context: MjcfContext) -> WrittenSensor | None:
    """Write a range finder for each ray."""
    placed, rays = written.placed, rays_of(written.placed.sensor)
    stride = -(-rays.count // MAX_RAYS)
    cutoff = rays.range_max if math.isfinite(rays.range_max) else None
    for i in range(0, rays.count, stride):
        suffix = f"_{i}" if rays.count > 1 else ""
        X_BR = written.X_BS @ Pose.of(rays.rotation(i)) @ _RAY
        site = add_site(written.name + suffix, written.body, X_BR, context)
        _add(written, "rangefinder", suffix.removeprefix("_"), context, site=site, cutoff=cutoff)
    if stride > 1:
        _report(codes.SENSOR_RAYS, placed, context, count=rays.count, stride=stride)
    _report(
        codes.SENSOR_READING_SIGHT,
        placed,
        context,
        seen="visuals" if rays.sees_visuals else "collisions",
        minimum=rays.range_min,
    )
    if placed.sensor.type == "sonar":
        _report(
            codes.SENSOR_READING_CONE,
            placed,
            context,
            radius=placed.parameters.get("sonar/radius", "0.5"),
        )
    return written


def _watched_geoms(placed: PlacedSensor, geom_names: GeomNames) -> tuple[str, ...]:
    return tuple(geom for name in _watched(placed) for geom in geom_names.get(name, ()))


def _watched(placed: PlacedSensor) -> list[tuple[str, str]]:
    """Return the link and the name of each collision that a contact sensor names."""
    names = dict.fromkeys(text for path, text in placed.sensor.parameters if path == WATCHED)
    return [(placed.link, name) for name in names]


def _contact(written: WrittenSensor, context: MjcfContext) -> WrittenSensor | None:
    """Write a sensor for each geom of the collisions that the source names, or one for the whole
    body.
    """
    placed = written.placed
    _report_unknown_collisions(written, context)
    watched: list[dict[str, Value]] = [{"geom1": geom} for geom in written.geoms]
    watched = watched or [{"body1": placed.link}]
    for i, target in enumerate(watched):
        suffix = f"{i}" if len(watched) > 1 else ""
        _add(written, "contact", suffix, context, **target, data="found force", reduce="netforce")
    return written


def _report_unknown_collisions(written: WrittenSensor, context: MjcfContext) -> None:
    placed = written.placed
    body = context.mechanism.bodies[placed.body] if placed.body >= 0 else None
    stated = set() if body is None else {collision.name for collision in body.link.collisions}
    unknown = tuple(name for _, name in _watched(placed) if name not in stated)
    if unknown:
        _report(
            codes.SENSOR_COLLISION,
            placed,
            context,
            link=placed.link,
            collisions=unknown,
            watched="the others that it names" if written.geoms else "all of the link",
        )


# --- cameras --------------------------------------------------------------------------------------


def _camera(written: WrittenSensor, context: MjcfContext) -> WrittenSensor | None:
    """Write a camera; the vertical field of view follows from the horizontal one and the shape of
    the image, unless the lens states focal lengths.
    """
    placed = written.placed
    sensor, parameters, settings = placed.sensor, placed.parameters, own_settings(placed.sensor)
    view, optics = field_of_view(sensor), optics_of(sensor)
    if not is_readable(sensor):
        _report(codes.SENSOR_FIELD_OF_VIEW, placed, context, view=view)
        return None
    tangent = math.tan(view / 2.0) * optics.height / optics.width
    element = context.document.body(written.body).add(
        "camera",
        name=context.names.claim("camera", written.name),
        **placement(written.X_BS @ CAMERA_AXES),
        fovy=round_to_short(math.degrees(2.0 * math.atan(tangent))),
        resolution=(optics.width, optics.height),
    )
    written.parts["camera"] = element.attributes["name"]
    if has_intrinsics(parameters):
        element.set(
            sensorsize=(1e-3 * optics.width, 1e-3 * optics.height),
            focalpixel=(optics.fx, optics.fy),
            principalpixel=(optics.width / 2.0 - optics.cx, optics.height / 2.0 - optics.cy),
        )
    if "sensorsize" in element.attributes | settings:
        element.attributes.pop("fovy")
    element.set(**(settings | {"target": target_name(sensor, context)}))
    _report_camera(placed, context)
    return written


def _report_camera(placed: PlacedSensor, context: MjcfContext) -> None:
    """Report what a pinhole does not have."""
    if "camera/pose" in placed.parameters:
        _report(codes.CAMERA_POSE, placed, context, pose=placed.parameters["camera/pose"])
    if placed.sensor.type in WIDE_CAMERAS:
        lens = placed.parameters.get("camera/lens/type", "stereographic")
        _report(
            codes.SENSOR_READING_LENS, placed, context, lens=lens, view=field_of_view(placed.sensor)
        )
    if placed.sensor.type in SPECIAL_CAMERAS - WIDE_CAMERAS:
        _report(codes.SENSOR_READING_IMAGE, placed, context, sensor_type=placed.sensor.type)


def _logical_camera(written: WrittenSensor, context: MjcfContext) -> WrittenSensor | None:
    """Write the site of a logical camera, whose message follows from the poses of bodies."""
    add_site(written.name, written.body, written.X_BS, context)
    _report(codes.SENSOR_READING, written.placed, context, reading="nothing of it")
    scene, bodies = context.mechanism.scene, context.mechanism.body_index
    X_WL = {WORLD: IDENTITY} | {link.name: link.X_WL for link in scene.links}
    models = []
    for model in scene.models:
        link = model.canonical_link or WORLD
        body = context.document.body(bodies.get(link, ROOT)).attributes.get("name", WORLD)
        models.append((model.name, str(body), X_WL[link].inverse() @ model.X_WM))
    return replace(written, models=tuple(models))


# --- what Gazebo's plugins publish ----------------------------------------------------------------

_SCALAR_STATE = {"position": "jointpos", "velocity": "jointvel"}
_JOINT_STATE = {
    PrimitiveKind.HINGE: _SCALAR_STATE,
    PrimitiveKind.SLIDE: _SCALAR_STATE,
    PrimitiveKind.BALL: {"position": "ballquat", "velocity": "ballangvel"},
}
"""Sensor of each quantity of a joint."""


def _joint_state(written: WrittenSensor, context: MjcfContext) -> WrittenSensor | None:
    """Write the position and the velocity of each degree of freedom of a joint; the slide of a
    screw is that of its hinge.
    """
    joint, bodies = written.placed.joint, context.mechanism.bodies
    body = None if joint is None else joint_index(bodies).get(joint.name)
    if joint is None or body is None:
        if joint is not None:
            _report_loop_joint(written.placed, joint, "motion", context)
        return None
    names, seen = primitive_names(bodies[body]), set[int]()
    for name, primitive in zip(names, bodies[body].primitives, strict=True):
        if primitive.dof_index in seen:
            continue
        seen.add(primitive.dof_index)
        suffix = name.removeprefix(joint.name).removeprefix("_") if len(names) > 1 else ""
        for quantity, tag in _JOINT_STATE.get(primitive.kind, {}).items():
            _add(written, tag, f"{suffix}_{quantity}".removeprefix("_"), context, joint=name)
    return written


_WRITERS: dict[str, _Writer] = {
    "imu": _imu,
    "force_torque": _force_torque,
    "contact": _contact,
    "magnetometer": _frame("-"),
    "altimeter": _altimeter,
    "joint_state": _joint_state,
    "odometry": _frame("position orientation velocity angular_velocity"),
    **dict.fromkeys(
        ("navsat", "gps"),
        _frame("position world_velocity", "the position in the world [m] and its velocity"),
    ),
    "air_pressure": _frame("position", "the position in the world [m]"),
    "air_speed": _frame(
        "position orientation velocity", "the motion through the world, not the pressure"
    ),
    **dict.fromkeys((*LIDARS, "sonar"), _lidar),
    **dict.fromkeys(CAMERAS, _camera),
    "logical_camera": _logical_camera,
}
"""Function that writes each type of sensor."""
