"""SensorReader: what Gazebo would publish, from the state of MuJoCo."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bridge.camera import Image
from bridge.mechanism.force_laws import FrameMotion
from bridge.sensors import (
    CAMERAS,
    FRAME_MESSAGES,
    LIDARS,
    CameraImage,
    Contact,
    ContactReport,
    ForceTorque,
    Imu,
    JointState,
    LaserScan,
    LogicalCameraImage,
    Magnetometer,
    Message,
    Optics,
    logical_camera,
    optics_of,
    orientation_reference,
    rays_of,
)
from loaders.pose import CAMERA_AXES, Array, Pose, matrix_to_quaternion, quaternion_to_matrix
from loaders.text import NameIndex

from .sensor import WrittenSensor

_NONE = np.zeros(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SensorReader:
    """Reads the sensors of an exported model as Gazebo publishes them.

    Attributes:
        sensors: The sensors that were written.
        collisions: Scoped name of the collision of each geom.
    """

    sensors: tuple[WrittenSensor, ...] = ()
    collisions: Mapping[str, str] = field(default_factory=dict)

    def of_types(self, types: Collection[str]) -> SensorReader:
        """Return a reader of the sensors of some types only."""
        sensors = tuple(s for s in self.sensors if s.placed.sensor.type in types)
        return replace(self, sensors=sensors)

    def read(self, data: Any, *, images: bool = False, prefix: str = "") -> dict[str, Message]:
        """Return the message of each sensor of the model by its scoped name.

        In the file of one model of a world, those of other models are left out.

        Args:
            data: The ``mujoco.MjData``, after ``mj_forward`` or a step: its ``sensordata`` is that
                of the state in which MuJoCo computed it.
            images: Whether cameras render what they see, which takes a while.
            prefix: Text that ``MjSpec.attach`` put before the names.

        Raises:
            KeyError: if the model of the data has none of the sensors.
        """
        state = _State(data, prefix, images, self.collisions)
        found = [written for written in self.sensors if state.has_any(written)]
        if self.sensors and not found:
            names = ", ".join(written.placed.name for written in self.sensors)
            raise KeyError(
                f"the model of the data has none of the exported sensors ({names}); pass data of "
                f"the exported model, with the prefix that MjSpec.attach put before its names "
                f"(here {prefix!r})"
            )
        messages = {
            written.placed.name: _READERS[written.placed.sensor.type](written, state)
            for written in found
        }
        return NameIndex("sensor", messages)


@dataclass(frozen=True, slots=True)
class _State:
    """A state of MuJoCo."""

    data: Any
    prefix: str
    images: bool
    collisions: Mapping[str, str]

    @property
    def model(self) -> Any:
        """The ``mujoco.MjModel``."""
        return self.data.model

    def has(self, written: WrittenSensor, part: str) -> bool:
        """Return whether the model has a sensor or a camera of MuJoCo; in a world, those that
        measure relative to the world are in its main file alone.
        """
        import mujoco

        kind = mujoco.mjtObj.mjOBJ_CAMERA if part == "camera" else mujoco.mjtObj.mjOBJ_SENSOR
        name = self.prefix + written.parts[part]
        return bool(mujoco.mj_name2id(self.model, kind, name) >= 0)

    def has_any(self, written: WrittenSensor) -> bool:
        """Return whether the model has a part of a sensor; the body, if it has no parts."""
        if not written.parts:
            return self.has_body(written.frame)
        return any(self.has(written, part) for part in written.parts)

    def has_body(self, name: str) -> bool:
        """Return whether the model has a body."""
        import mujoco

        kind = mujoco.mjtObj.mjOBJ_BODY
        return name == "world" or mujoco.mj_name2id(self.model, kind, self.prefix + name) >= 0

    def value(self, written: WrittenSensor, part: str) -> Array:
        """Return what a sensor of MuJoCo reads."""
        return np.array(self.data.sensor(self.prefix + written.parts[part]).data)

    def body(self, name: str) -> int:
        """Return MuJoCo's index of a body."""
        return 0 if name == "world" else int(self.model.body(self.prefix + name).id)

    def body_pose(self, name: str) -> Pose:
        """Return the pose of a body."""
        i = self.body(name)
        return Pose.of(self.data.xmat[i].reshape(3, 3), self.data.xpos[i])

    def pose(self, written: WrittenSensor) -> Pose:
        """Return the pose of the sensor."""
        return self.body_pose(written.frame) @ written.X_BS


def _quaternion(values: Array) -> tuple[float, float, float, float]:
    w, x, y, z = values.tolist()
    return w, x, y, z


def _imu(written: WrittenSensor, state: _State) -> Imu:
    """Return the message; the accelerometer of a fixed body is replaced by the reaction to
    gravity.
    """
    f = state.value(written, "acceleration")
    if state.model.body_weldid[state.body(written.frame)] == 0:
        f = -(state.pose(written).R.T @ state.model.opt.gravity)
    orientation = None
    if "orientation" in written.parts:
        R_RS = orientation_reference(written.placed).T @ state.pose(written).R
        orientation = (
            _quaternion(state.value(written, "orientation"))
            if state.has(written, "orientation")
            else matrix_to_quaternion(R_RS)
        )
    return Imu(
        orientation=orientation,
        angular_velocity=state.value(written, "angular_velocity"),
        linear_acceleration=f,
    )


def _force_torque(written: WrittenSensor, state: _State) -> ForceTorque:
    R_SF = np.eye(3)
    if "axes" in written.parts:
        R_SF = (
            quaternion_to_matrix(state.value(written, "axes"))
            if state.has(written, "axes")
            else state.pose(written).R.T  # the other link is the world
        )
    force, torque = (
        written.sign * (R_SF.T @ state.value(written, part)) for part in ("force", "torque")
    )
    return ForceTorque(force=force, torque=torque)


def _frame_message(written: WrittenSensor, state: _State) -> Message:
    """Return the message that follows from the motion of the frame."""
    parts, placed = written.parts, written.placed
    R = placed.start.R
    if "orientation" in parts:
        R = quaternion_to_matrix(state.value(written, "orientation"))
    p = state.pose(written).p
    if placed.sensor.type != "altimeter":
        p = state.value(written, "position")
    elif state.has(written, "position"):
        p = state.value(written, "position") + placed.start.p
    v = w = _NONE
    if "world_velocity" in parts:
        v = state.value(written, "world_velocity")
    if "velocity" in parts:
        v = R @ state.value(written, "velocity")
    if "angular_velocity" in parts:
        w = R @ state.value(written, "angular_velocity")
    motion = FrameMotion(Pose.of(R, p), w, v)
    return FRAME_MESSAGES[placed.sensor.type](placed, motion)


def _magnetometer(written: WrittenSensor, state: _State) -> Magnetometer:
    return Magnetometer(field_tesla=state.value(written, ""))


def _joint_state(written: WrittenSensor, state: _State) -> JointState:
    def numbers(quantity: str) -> tuple[float, ...]:
        found = [part for part in written.parts if part.endswith(quantity)]
        return tuple(x for part in found for x in state.value(written, part).tolist())

    return JointState(position=numbers("position"), velocity=numbers("velocity"))


# --- rays -----------------------------------------------------------------------------------------

_VISUALS, _COLLISIONS = 2, 3
"""Groups of geoms in the export; a plane that is drawn and collides is in that of visuals."""


def _lidar(written: WrittenSensor, state: _State) -> LaserScan:
    """Cast every ray on what the sensor sees, except on the body that has it."""
    rays, X_WS = rays_of(written.placed.sensor), state.pose(written)
    body = state.body(written.frame)
    groups = (_VISUALS,) if rays.sees_visuals else (_COLLISIONS, _VISUALS)
    distances = []
    for direction in rays.directions @ X_WS.R.T:
        found = (
            _distance(X_WS.p, direction, group, not rays.sees_visuals, body, state)
            for group in groups
        )
        distances.append(min(found))
    return rays.scan(distances)


def _distance(
    p: Array, direction: Array, group: int, collides: bool, body: int, state: _State
) -> float:
    """Return the distance at which a ray meets a geom of a group [m]; infinite if it meets none.

    Args:
        p: Start of the ray in W, shape (3,).
        direction: Its unit direction in W, shape (3,).
        group: The group.
        collides: Whether the geom must be one that collides.
        body: The body whose geoms it passes.
        state: The state.
    """
    import mujoco

    model, met = state.model, np.array([-1], dtype=np.int32)
    mask = (np.arange(6) == group).astype(np.uint8)
    found = mujoco.mj_ray(model, state.data, p, direction, mask, 1, body, met)
    if found < 0.0:
        return math.inf
    is_seen = not collides or model.geom_contype[met[0]] or model.geom_conaffinity[met[0]]
    return float(found) if is_seen else math.inf


# --- contacts -------------------------------------------------------------------------------------


def _contacts(written: WrittenSensor, state: _State) -> ContactReport:
    model = state.model
    if written.geoms:
        own = {int(model.geom(state.prefix + name).id) for name in written.geoms}
    else:
        own = set(np.flatnonzero(model.geom_bodyid == state.body(written.frame)).tolist())
    found = []
    for i, contact in enumerate(state.data.contact):
        a, b = contact.geom.tolist()
        if contact.efc_address >= 0 and (a in own) != (b in own):
            found.append(_contact(i, (a, b), 1.0 if b in own else -1.0, state))
    return ContactReport(contacts=tuple(found))


def _contact(i: int, geoms: Sequence[int], sign: float, state: _State) -> Contact:
    """Return a contact of which the second geom is that of the sensor, for a sign of 1."""
    import mujoco

    contact, wrench = state.data.contact[i], np.zeros(6)
    mujoco.mj_contactForce(state.model, state.data, i, wrench)
    axes = contact.frame.reshape(3, 3)
    own, other = reversed(geoms) if sign > 0.0 else geoms
    return Contact(
        collision=_collision(own, state),
        other=_collision(other, state),
        position=contact.pos.copy(),
        normal=sign * axes[0],
        depth=-float(contact.dist),
        force=sign * (axes.T @ wrench[:3]),
    )


def _collision(geom: int, state: _State) -> str:
    """Return the scoped name of the collision of a geom; of its body if the model has no such
    collision.
    """
    name = state.model.geom(geom).name.removeprefix(state.prefix)
    body = state.model.body(int(state.model.geom_bodyid[geom])).name
    return state.collisions.get(name, body.removeprefix(state.prefix))


# --- cameras --------------------------------------------------------------------------------------


def _camera(written: WrittenSensor, state: _State) -> CameraImage:
    optics = optics_of(written.placed.sensor)
    camera = state.data.camera(state.prefix + written.parts["camera"])
    X_WS = Pose.of(camera.xmat.reshape(3, 3) @ CAMERA_AXES.R.T, camera.xpos)
    if not state.images:
        return CameraImage(X_WS=X_WS, optics=optics)
    rgb, depth = _images(camera.id, optics, state)
    return CameraImage(X_WS=X_WS, optics=optics, rgb=rgb, depth=depth)


def _logical_camera(written: WrittenSensor, state: _State) -> LogicalCameraImage:
    models = {
        name: state.body_pose(body) @ X_BM
        for name, body, X_BM in written.models
        if state.has_body(body)
    }
    return logical_camera(written.placed, state.pose(written), models)


def _images(camera: int, optics: Optics, state: _State) -> tuple[Image, Array]:
    """Return the colors and the depth that a camera sees, within its planes and without the rays of
    range finders.
    """
    import mujoco

    model, planes, size = state.model, state.model.vis.map, state.model.vis.global_
    before = planes.znear, planes.zfar, size.offwidth, size.offheight
    planes.znear, planes.zfar = optics.near / model.stat.extent, optics.far / model.stat.extent
    size.offwidth = max(size.offwidth, optics.width)
    size.offheight = max(size.offheight, optics.height)
    options = mujoco.MjvOption()
    options.flags[mujoco.mjtVisFlag.mjVIS_RANGEFINDER] = False
    try:
        renderer = mujoco.Renderer(model, optics.height, optics.width)
        try:
            renderer.update_scene(state.data, camera, options)
            rgb = np.array(renderer.render())
            renderer.enable_depth_rendering()
            depth = np.array(renderer.render(), dtype=np.float64)
        finally:
            renderer.close()
    finally:
        planes.znear, planes.zfar, size.offwidth, size.offheight = before
    return rgb, np.where(depth < 0.999 * optics.far, depth, math.inf)


_READERS: dict[str, Callable[[WrittenSensor, _State], Message]] = {
    "imu": _imu,
    "force_torque": _force_torque,
    "contact": _contacts,
    "joint_state": _joint_state,
    **dict.fromkeys(FRAME_MESSAGES, _frame_message),
    "magnetometer": _magnetometer,
    **dict.fromkeys((*LIDARS, "sonar"), _lidar),
    **dict.fromkeys(CAMERAS, _camera),
    "logical_camera": _logical_camera,
}
"""Function that reads each type of sensor."""
