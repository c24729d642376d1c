"""PyBulletSensor: what Gazebo would publish, from the state of PyBullet."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.dynamics import reactions_to_bias
from bridge.mechanism.force_laws import FrameMotion
from bridge.sensors import (
    CAMERAS,
    FRAME_MESSAGES,
    LIDARS,
    SPECIAL_CAMERAS,
    VISUAL_LIDARS,
    WATCHED,
    CameraImage,
    Contact,
    ContactReport,
    ForceTorque,
    JointState,
    LaserScan,
    Message,
    Optics,
    PlacedSensor,
    force_torque,
    imu,
    is_readable,
    optics_of,
    placed_sensors,
    rays_of,
    unused_parameters,
    used_parameters,
)
from bridge.targets.pybullet.articulation import Articulation
from bridge.targets.pybullet.client import BASE
from bridge.targets.pybullet.state import State, motion_of
from loaders.inertia import SpatialInertia
from loaders.model import WORLD
from loaders.pose import CAMERA_AXES, IDENTITY, Array, Pose
from loaders.scoped_names import SEPARATOR
from loaders.text import NameIndex


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PyBulletSensor:
    """A sensor of a body in PyBullet.

    Attributes:
        placed: The sensor, and where it was when the body was loaded.
    """

    placed: PlacedSensor
    _state: Callable[[], State] = field(repr=False)
    _steps: dict[str, LastStep] = field(repr=False)

    @property
    def name(self) -> str:
        """Scoped name."""
        return self.placed.name

    def read(self) -> Message:
        """Return what Gazebo would publish in the present state.

        Forces of joints and contacts are those of the last step. An IMU knows its acceleration
        after `step` of the handle, until something else changes the state.

        Raises:
            RuntimeError: if the body is no longer in PyBullet.
        """
        if self.placed.sensor.type == "imu":
            placed, state = self.placed, self._state()
            motion, step = _motion(placed, state), self._steps.get(placed.name)
            is_present = step is not None and np.array_equal(step.v, motion.v)
            a = step.a if step is not None and is_present else np.full(3, math.nan)
            if state.articulation.mechanism.moving_ancestor(placed.body) < 0:
                a = np.zeros(3)
            return imu(placed, motion, a, np.array(state.gravity()))
        return _READERS[self.placed.sensor.type](self.placed, self._state())


@dataclass(frozen=True, slots=True, eq=False)
class LastStep:
    """The velocity of a sensor after the last step, and its acceleration in that step, in W."""

    v: Array
    a: Array


def sensors_of(
    state: State, present: Callable[[], State], steps: dict[str, LastStep]
) -> dict[str, PyBulletSensor]:
    """Return the sensors of a body that was just loaded, by scoped name, and let PyBullet measure
    the forces of their joints.

    Args:
        state: State of the body.
        present: Function that returns its state as long as it is loaded.
        steps: The last step of each IMU, which `record_step` fills.
    """
    mechanism = state.articulation.mechanism
    found = {}
    placed_here = placed_sensors(mechanism)
    names = {body.joint for body in mechanism.bodies} if placed_here else set()
    for placed in placed_here:
        in_body = placed.link in state.articulation.link_segments
        is_measured = placed.joint is None or placed.joint.name in names
        if not is_readable(placed.sensor) or not in_body or not is_measured:
            continue
        start = state.link_pose(placed.link) @ placed.sensor.X_LS
        sensor = PyBulletSensor(placed=replace(placed, start=start), _state=present, _steps=steps)
        found[placed.name] = sensor
    measured = (s.placed.joint for s in found.values() if s.placed.sensor.type == "force_torque")
    for name in {joint.name for joint in measured if joint is not None}:
        index = state.articulation.joints[name]
        state.client.enableJointForceTorqueSensor(state.body, index, True)
    return NameIndex("sensor", found)


def imu_velocities(sensors: Mapping[str, PyBulletSensor], state: State) -> dict[str, Array]:
    """Return the velocity of each IMU in W, by name."""
    return {
        name: _motion(sensor.placed, state).v
        for name, sensor in sensors.items()
        if sensor.placed.sensor.type == "imu"
    }


def record_step(before: dict[str, Array], after: dict[str, Array], state: State) -> dict[str, Any]:
    """Return the last step of each IMU.

    Args:
        before: Velocities before the step, by name.
        after: Velocities after it.
        state: State of the body.
    """
    step = state.client.getPhysicsEngineParameters()["fixedTimeStep"]
    return {name: LastStep(v, (v - before[name]) / step) for name, v in after.items()}


def _motion(placed: PlacedSensor, state: State) -> FrameMotion:
    return motion_of([state], placed.link, placed.sensor.X_LS)[1]


def _frame_message(placed: PlacedSensor, state: State) -> Message:
    return FRAME_MESSAGES[placed.sensor.type](placed, _motion(placed, state))


# --- joints ---------------------------------------------------------------------------------------


def _force_torque(placed: PlacedSensor, state: State) -> ForceTorque:
    """Return the message from PyBullet's reaction, which is about the center of mass of the moving
    segment, in the axes of its inertial frame, and without the torque of the motor.
    """
    joint, articulation = placed.joint, state.articulation
    index = BASE if joint is None else articulation.joints[joint.name]
    if joint is None or index in _without_own_inertia(articulation):
        nan = np.full(3, math.nan)
        return ForceTorque(force=nan, torque=nan)
    body = next(body for body in articulation.mechanism.bodies if body.joint == joint.name)
    X_WI = state.segment_pose(index) @ state.inertial_pose(index)
    reaction = _reaction(state, index)
    force, torque = X_WI.R @ reaction[:3], X_WI.R @ reaction[3:]
    X_WL = _link_pose(state, body.name)
    p_WJ = (X_WL @ (joint.X_PJ if body.reversed else joint.X_CJ)).p
    surplus_torque, surplus_force = np.split(_surplus(state)[body.name], 2)
    torque = torque + np.cross(X_WI.p - p_WJ, force) - surplus_torque
    force = force - surplus_force
    if body.reversed:
        force, torque = -force, -torque
    R_WP, R_WC = (_link_pose(state, name).R for name in (joint.parent, joint.child))
    return force_torque(placed, force, torque, R_WP, R_WC)


def _without_own_inertia(articulation: Articulation) -> set[int]:
    """Return the indices of the segments that carry a segment whose inertia the base has; their
    reactions lack it.
    """
    segments, found = articulation.segments, set[int]()
    pending = [segments[0].inertia_lender, segments[0].products_holder]
    while pending:
        index = pending.pop()
        if index is not None and index != BASE and index not in found:
            found.add(index)
            pending.append(segments[index + 1].parent)
    return found


def _surplus(state: State) -> dict[str, Array]:
    """Return what PyBullet adds to each reaction, moment first: it computes reactions in two
    passes, without and with the forces of its solver, and counts the velocity products in both.
    """
    mechanism = state.articulation.mechanism
    positions = mechanism.positions_by_body(state.positions())
    held = _bodies_of(state.articulation)
    return reactions_to_bias(held, positions, mechanism.velocities(state.velocities()))


def _bodies_of(articulation: Articulation) -> list[Body]:
    """Return the bodies with the inertia that PyBullet holds: of links that it holds in one of its
    own, the first one has that of all.
    """
    held = {
        segment.links[0].link.name: segment.inertia.moved(segment.links[0].X_SL.inverse())
        for segment in articulation.segments
        if segment.links
    }
    nothing = SpatialInertia.of(0.0)
    return [
        replace(body, inertia=held.get(body.name, nothing))
        for body in articulation.mechanism.bodies
    ]


def _reaction(state: State, index: int) -> Array:
    """Return what the joint of a segment exerts on it, motor included, in its inertial frame, force
    first, shape (6,).
    """
    segment = state.articulation.segments[index + 1]
    primitive = segment.primitive
    if primitive is None or primitive.kind is PrimitiveKind.BALL:
        values = state.client.getJointStateMultiDof(state.body, index)[2]
        return np.array(values, dtype=np.float64)
    _, _, values, effort = state.client.getJointState(state.body, index)
    reaction = np.array(values, dtype=np.float64)
    axis_I = state.inertial_pose(index).R.T @ primitive.axis
    part = slice(0, 3) if primitive.kind is PrimitiveKind.SLIDE else slice(3, 6)
    reaction[part] += effort * axis_I
    return reaction


def _link_pose(state: State, link: str) -> Pose:
    return IDENTITY if link == WORLD else state.link_pose(link)


def _joint_state(placed: PlacedSensor, state: State) -> JointState:
    name = "" if placed.joint is None else placed.joint.name
    q, v = (values[name] for values in (state.positions(), state.velocities()))
    return JointState(position=_numbers(q), velocity=_numbers(v))


def _numbers(value: Any) -> tuple[float, ...]:
    return tuple(float(x) for x in np.atleast_1d(value))


# --- contacts -------------------------------------------------------------------------------------


def _contacts(placed: PlacedSensor, state: State) -> ContactReport:
    """Return the contacts of a link; PyBullet does not tell those of its collisions apart."""
    index, _ = state.articulation.link_segments[placed.link]
    points = state.client.getContactPoints(bodyA=state.body, linkIndexA=index)
    body = state.articulation.mechanism.bodies[placed.body]
    shapes = [collision.name for collision in body.link.collisions]
    own = f"{placed.link}{SEPARATOR}{shapes[0]}" if len(shapes) == 1 else placed.link
    return ContactReport(contacts=tuple(_contact(own, point, state) for point in points))


def _contact(own: str, point: Any, state: State) -> Contact:
    _, _, other, _, link, _, p_WB, normal, distance, force, *sliding = point
    normal_W = np.array(normal)
    force_W = force * normal_W
    for size, direction in zip(sliding[::2], sliding[1::2], strict=True):
        force_W = force_W + size * np.array(direction)
    return Contact(
        collision=own,
        other=_name_of(other, link, state),
        position=np.array(p_WB),
        normal=normal_W,
        depth=-float(distance),
        force=force_W,
    )


def _name_of(body: int, link: int, state: State) -> str:
    """Return the name of a link of any body."""
    if body == state.body:
        segments = state.articulation.link_segments
        return next((name for name, (i, _) in segments.items() if i == link), str(link))
    client = state.client
    name = client.getBodyInfo(body)[0] if link < 0 else client.getJointInfo(body, link)[12]
    return str(name.decode(errors="replace"))


# --- rays and cameras -----------------------------------------------------------------------------

_LONGEST = 1e4
"""Length of a ray without a largest range [m]."""
_BATCH = 8192
"""Number of rays that PyBullet casts at once."""
_BEYOND = 1e-6
"""Distance behind the own link from which a ray goes on [m]."""
_MAX_OWN_HITS = 8


def _lidar(placed: PlacedSensor, state: State) -> LaserScan:
    """Cast every ray on the collisions of all links but that of the sensor."""
    rays, X_WS = rays_of(placed.sensor), _motion(placed, state).X_WF
    own = state.body, state.articulation.link_segments[placed.link][0]
    length = min(rays.range_max, _LONGEST)
    directions = rays.directions @ X_WS.R.T
    starts, distances = np.zeros(len(directions)), np.full(len(directions), math.inf)
    pending = np.arange(len(directions))
    for _ in range(_MAX_OWN_HITS):
        if not len(pending):
            break
        begin = X_WS.p + starts[pending, None] * directions[pending]
        end = X_WS.p + length * directions[pending]
        again = []
        for i, hit in zip(pending, _cast(state, begin, end), strict=True):
            if hit[0] < 0:
                continue
            distance = starts[i] + hit[2] * (length - starts[i])
            if hit[:2] == own:
                starts[i] = distance + _BEYOND
                again.append(i)
            else:
                distances[i] = distance
        pending = np.array(again, dtype=int)
    return rays.scan(distances)


def _cast(state: State, begin: Array, end: Array) -> list[Any]:
    hits: list[Any] = []
    for i in range(0, len(begin), _BATCH):
        part = slice(i, i + _BATCH)
        hits += state.client.rayTestBatch(begin[part].tolist(), end[part].tolist())
    return hits


def _camera(placed: PlacedSensor, state: State) -> CameraImage:
    X_WS, optics = _motion(placed, state).X_WF, optics_of(placed.sensor)
    view = np.eye(4)
    X_CW = (X_WS @ CAMERA_AXES).inverse()
    view[:3, :3], view[:3, 3] = X_CW.R, X_CW.p
    result = state.client.getCameraImage(
        optics.width,
        optics.height,
        view.T.ravel().tolist(),
        projection_matrix(optics).T.ravel().tolist(),
        renderer=state.client.modes.ER_TINY_RENDERER,
    )
    shape = optics.height, optics.width
    rgb = np.reshape(np.array(result[2], dtype=np.uint8), (*shape, -1))[:, :, :3]
    buffer = np.reshape(np.array(result[3], dtype=np.float64), shape)
    near, far = optics.near, optics.far
    is_met = np.reshape(np.array(result[4]), shape) >= 0
    depth = np.where(is_met, near * far / (far - (far - near) * buffer), math.inf)
    return CameraImage(X_WS=X_WS, optics=optics, rgb=rgb, depth=depth)


def projection_matrix(optics: Optics) -> Array:
    """Return OpenGL's projection matrix of a pinhole for PyBullet's software renderer, shape (4,
    4).

    That renderer draws in each pixel what is at its lower left corner, half a pixel from its
    middle; the principal point is moved by as much.
    """
    near, far = optics.near, optics.far
    cx, cy = optics.cx - 0.5, optics.cy + 0.5
    P = np.zeros((4, 4))
    P[0, 0], P[0, 2] = 2.0 * optics.fx / optics.width, 1.0 - 2.0 * cx / optics.width
    P[1, 1], P[1, 2] = 2.0 * optics.fy / optics.height, 2.0 * cy / optics.height - 1.0
    P[2, 2], P[2, 3] = -(far + near) / (far - near), -2.0 * far * near / (far - near)
    P[3, 2] = -1.0
    return P


_READERS: dict[str, Callable[[PlacedSensor, State], Message]] = {
    "force_torque": _force_torque,
    "contact": _contacts,
    "joint_state": _joint_state,
    **dict.fromkeys(FRAME_MESSAGES, _frame_message),
    **dict.fromkeys((*LIDARS, "sonar"), _lidar),
    **dict.fromkeys(CAMERAS, _camera),
}
"""Function that reads each type of sensor but the IMU."""


# --- what sensors lack ---------------------------------------------------------------------------


def without_reading(placed: PlacedSensor, mechanism: Mechanism) -> str | None:
    """Return the type of a sensor that cannot be read; None if it can."""
    joint = placed.joint
    is_on_loop = joint is not None and all(body.joint != joint.name for body in mechanism.bodies)
    return placed.sensor.type if is_on_loop or not is_readable(placed.sensor) else None


def other_reading(placed: PlacedSensor, mechanism: Mechanism) -> str | None:
    """Return how the readings of a sensor differ from those of Gazebo; None if they do not."""
    sensor_type = placed.sensor.type
    if sensor_type in VISUAL_LIDARS:
        return "its rays see collisions, Gazebo's see visuals"
    if sensor_type == "sonar":
        cone = placed.parameters.get("sonar/radius", "0.5")
        return f"one ray in place of a cone of radius {cone} m"
    if sensor_type == "contact" and placed.body >= 0:
        shapes = {collision.name for collision in mechanism.bodies[placed.body].link.collisions}
        named = {text for path, text in placed.sensor.parameters if path == WATCHED}
        others = ", ".join(sorted(shapes - named)) if named else ""
        return f"of all collisions of the link, also of {others}" if others else None
    if sensor_type in CAMERAS and "camera/pose" in placed.parameters:
        return (
            f"gz-sim ignores the pose {placed.parameters['camera/pose']} of <camera>, Gazebo "
            f"classic adds it"
        )
    return f"a {sensor_type} shows colors and depth" if sensor_type in SPECIAL_CAMERAS else None


def without_effect(placed: PlacedSensor, mechanism: Mechanism) -> str | None:
    """Return the parameters of a sensor that its readings do not depend on; None without any."""
    del mechanism
    is_read = is_readable(placed.sensor)
    used = used_parameters(placed.sensor, has_planes=True) if is_read else ()
    return ", ".join(unused_parameters(placed.sensor, used)) or None
