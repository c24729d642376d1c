"""Sensors: what Gazebo publishes, and the same message from the motion of a frame in any engine.

`SENSOR_KINDS` is the table of all types of sensors; ``docs/sensors.md`` shows it. Each message is a
dataclass whose fields are those of Gazebo's message, and each function computes one message from
quantities that every engine has, so that engines answer alike.

Sources: gz-sensors and gz-sim for the messages, SDFormat's specification for frame and direction of
forces. Frames: W is the world, S the sensor, R the reference of an orientation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from bridge.camera import Image
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.mechanism.coordinates import initial_positions
from bridge.mechanism.force_laws import FrameMotion
from loaders.deferred import cached_property
from loaders.model import WORLD, Y_AXIS, Z_AXIS, Joint, Sensor
from loaders.numbers import plain_number, plain_numbers
from loaders.pose import (
    IDENTITY,
    Array,
    Pose,
    frozen,
    matrix_to_quaternion,
    quaternion_to_matrix,
    rotation_about,
)
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR

# --- messages -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Imu:
    """The message of an inertial measurement unit."""

    orientation: tuple[float, float, float, float] | None
    """Quaternion ``w x y z`` of S in R; None if the source disables it."""
    angular_velocity: Array
    """Angular velocity of S in W [rad/s], in the axes of S, shape (3,)."""
    linear_acceleration: Array
    """Acceleration of S minus gravity [m/s^2], in the axes of S, shape (3,): at rest it points up.
    NaN if it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ForceTorque:
    """The message of a force-torque sensor: what one link of the joint exerts on the other."""

    force: Array
    """Force [N] in the direction and axes that the source requests, shape (3,)."""
    torque: Array
    """Torque about the origin of the joint frame [N m], in the same axes, shape (3,)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contact:
    """One point of contact."""

    collision: str
    """Scoped name of the collision of the sensor's link."""
    other: str
    """Scoped name of the other collision, or of its link if the engine does not tell which."""
    position: Array
    """Point [m], in W, shape (3,)."""
    normal: Array
    """Unit vector from the other collision to that of the sensor, in W, shape (3,)."""
    depth: float
    """Penetration [m]; negative for a gap."""
    force: Array
    """Force that acts on the link of the sensor [N], in W, shape (3,)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ContactReport:
    """The message of a contact sensor."""

    contacts: tuple[Contact, ...]
    """The points, each with its force."""

    @property
    def force(self) -> Array:
        """Sum of the forces that act on the link of the sensor [N], in W, shape (3,)."""
        total = np.zeros(3)
        for contact in self.contacts:
            total += contact.force
        return total


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Altimeter:
    """The message of an altimeter."""

    vertical_position: float
    """Height above the start [m]."""
    vertical_velocity: float
    """Rate of the height [m/s]."""
    vertical_reference: float
    """Height of the start in W [m]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Magnetometer:
    """The message of a magnetometer."""

    field_tesla: Array
    """Magnetic field [T], in the axes of S, shape (3,)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NavSat:
    """The message of a satellite navigation receiver; NaN without ``<spherical_coordinates>``."""

    latitude_deg: float
    """Latitude [degrees]."""
    longitude_deg: float
    """Longitude [degrees]."""
    altitude: float
    """Height above the ellipsoid [m]."""
    velocity_east: float
    """Velocity along x of W [m/s], which Gazebo takes for east at any heading."""
    velocity_north: float
    """Velocity along y of W [m/s]."""
    velocity_up: float
    """Velocity along z of W [m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AirPressure:
    """The message of a barometer."""

    pressure: float
    """Pressure of the standard atmosphere [Pa]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AirSpeed:
    """The message of an air speed sensor."""

    diff_pressure: float
    """Dynamic pressure along x of S [Pa]."""
    temperature: float
    """Temperature of the standard atmosphere [K]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaserScan:
    """The message of a lidar or a sonar."""

    ranges: Array
    """Distances [m], shape (rows, columns): row by row from the lowest, each from its first angle
    to its last; inf if nothing is in range, -inf for what is nearer than ``range_min``."""
    range_min: float
    """Smallest distance [m]."""
    range_max: float
    """Largest distance [m]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointState:
    """The state of one joint, as a publisher of joint states has it."""

    position: tuple[float, ...]
    """Position, in the convention of positions."""
    velocity: tuple[float, ...]
    """Velocity, in the convention of velocities."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Odometry:
    """The message of an odometry publisher."""

    position: Array
    """Position in W [m], shape (3,)."""
    orientation: tuple[float, float, float, float]
    """Quaternion ``w x y z`` in W."""
    linear_velocity: Array
    """Velocity [m/s], in the axes of the frame, shape (3,)."""
    angular_velocity: Array
    """Angular velocity [rad/s], in the axes of the frame, shape (3,)."""


NEAR, FAR = 0.1, 100.0
"""Distances of the planes of a camera that states none [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Optics:
    """A pinhole and its image; u counts columns from the left edge, v rows from the top edge."""

    width: int
    """Width of the image [pixels]."""
    height: int
    """Height of the image [pixels]."""
    fx: float
    """Focal length along u [pixels]."""
    fy: float
    """Focal length along v [pixels]."""
    cx: float
    """Column of the principal point [pixels]."""
    cy: float
    """Row of the principal point [pixels]."""
    near: float = NEAR
    """Distance of the near plane [m]."""
    far: float = FAR
    """Distance of the far plane [m]."""

    def project(self, p_SP: Array) -> tuple[float, float]:
        """Return the column and the row of a point [pixels].

        Args:
            p_SP: The point in the frame of the camera, which looks along x with z up [m], shape
                (3,).
        """
        x, y, z = p_SP
        return self.cx - self.fx * float(y / x), self.cy - self.fy * float(z / x)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CameraImage:
    """The message of a camera."""

    X_WS: Pose
    """Pose of the camera, which looks along x with z up."""
    optics: Optics
    """The pinhole."""
    rgb: Image | None = None
    """Colors, shape (height, width, 3); None unless pictures are requested."""
    depth: Array | None = None
    """Distance of what is seen along x of S [m], shape (height, width); inf where nothing is within
    the far plane."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogicalCameraImage:
    """The message of a logical camera."""

    models: Mapping[str, Pose]
    """Pose in S of each model whose origin is within the frustum, by scoped name."""


Message = (
    Imu | ForceTorque | ContactReport | Altimeter | Magnetometer | NavSat | AirPressure | AirSpeed
    | LaserScan | JointState | Odometry | CameraImage | LogicalCameraImage
)  # fmt: skip
"""The message of any sensor."""

# --- the table ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorKind:
    """A kind of sensors, and what each engine has of it."""

    types: tuple[str, ...]
    """Types in SDFormat, and of plugins."""
    message: type | None
    """The message that `read` returns; None if there is none."""
    gazebo: str
    """Message of Gazebo: quantities, frame, sign, reference."""
    mujoco: str = ""
    """The sensors of MuJoCo in the export; empty if there are none."""
    pybullet: str = ""
    """Source in PyBullet; empty if there is none."""
    difference: str = ""
    """Reading of the sensors of MuJoCo in place of the message; empty if they are exact."""


CAMERAS = (
    "camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "wideanglecamera",
    "wide_angle_camera", "segmentation", "segmentation_camera", "thermal", "thermal_camera",
    "boundingbox", "boundingbox_camera", "bounding_box", "bounding_box_camera",
)  # fmt: skip
"""Types of sensors with one camera."""
WIDE_CAMERAS = frozenset({"wideanglecamera", "wide_angle_camera"})
"""Cameras with a lens that is not a pinhole."""
SPECIAL_CAMERAS = frozenset(CAMERAS) - {
    "camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "segmentation", "segmentation_camera",
}  # fmt: skip
"""Cameras whose image no engine renders."""
VISUAL_LIDARS, LIDARS = ("gpu_ray", "lidar", "gpu_lidar"), ("ray", "gpu_ray", "lidar", "gpu_lidar")
"""Lidars that see visuals, and all lidars."""

SENSOR_KINDS = (
    SensorKind(
        types=("imu",),
        message=Imu,
        gazebo="orientation relative to the start or to the stated reference, angular velocity, "
        "and acceleration minus gravity, in the axes of the sensor",
        mujoco="`accelerometer` `_acceleration`, `gyro` `_angular_velocity`, `framequat` "
        "`_orientation` relative to a site of the world",
        pybullet="pose and velocity of the link; the acceleration of the last `step()`",
        difference="the accelerometer of a link that is fixed to the world reads 0 in place of the "
        "reaction to gravity",
    ),
    SensorKind(
        types=("force_torque",),
        message=ForceTorque,
        gazebo="force and torque between the links of a joint, child to parent unless stated; in "
        "the axes of the child, the parent or the sensor; gz-sim takes the torque about the "
        "sensor, SDFormat about the joint, as here",
        mujoco="`force` `_force` and `torque` `_torque`, and `framequat` `_axes` if the axes turn "
        "with the other link",
        pybullet="reaction of the joint, moved to its origin, with the torque of its motor",
        difference="the sign where child to parent is requested, and axes that turn with the link "
        "that has no site; both are named",
    ),
    SensorKind(
        types=("contact",),
        message=ContactReport,
        gazebo="every contact of the named collisions: point, normal, depth, and the force on each "
        "collision, in world axes",
        mujoco="a `contact` for each geom: the number of contacts, and the force in world axes "
        "that the link exerts on others",
        pybullet="`getContactPoints`",
        difference="sums in place of points, with the opposite sign",
    ),
    SensorKind(
        types=("altimeter",),
        message=Altimeter,
        gazebo="height above the start, and its rate",
        mujoco="z of `framepos` `_position` relative to a site of the world at the start, z of "
        "`framelinvel` `_world_velocity`",
        pybullet="pose and velocity of the link",
    ),
    SensorKind(
        types=("magnetometer",),
        message=Magnetometer,
        gazebo="the magnetic field of the world, in the axes of the sensor [T]",
        mujoco="`magnetometer`",
        pybullet="orientation of the link",
    ),
    SensorKind(
        types=("navsat", "gps"),
        message=NavSat,
        gazebo="latitude, longitude, altitude by `<spherical_coordinates>`, and the velocity in "
        "world axes",
        mujoco="`framepos` `_position` and `framelinvel` `_world_velocity`",
        pybullet="pose and velocity of the link",
        difference="the position in the world [m] in place of degrees",
    ),
    SensorKind(
        types=("air_pressure",),
        message=AirPressure,
        gazebo="pressure of the standard atmosphere at the height in the world above "
        "`<reference_altitude>`",
        mujoco="`framepos` `_position`",
        pybullet="pose of the link",
        difference="the position in place of the pressure",
    ),
    SensorKind(
        types=("air_speed",),
        message=AirSpeed,
        gazebo="dynamic pressure of the motion along x of the sensor through the wind, and the "
        "temperature at its height",
        mujoco="`framepos` `_position`, `framequat` `_orientation`, `velocimeter` `_velocity`",
        pybullet="pose and velocity of the link",
        difference="the velocity in place of the pressure",
    ),
    SensorKind(
        types=LIDARS,
        message=LaserScan,
        gazebo="distances, row by row from the lowest; gpu_ray, lidar and gpu_lidar see visuals, "
        "ray sees collisions; -inf nearer than the smallest range, inf beyond the largest",
        mujoco="a `rangefinder` for each ray, numbered from 0; of more than 100 rays every second, "
        "third, ... one",
        pybullet="`rayTestBatch`, which sees collisions",
        difference="a range finder sees visuals and collisions alike, reads -1 if nothing is in "
        "range and the largest range beyond it, and has no smallest range; `read` casts every ray "
        "on what the sensor sees",
    ),
    SensorKind(
        types=("sonar",),
        message=LaserScan,
        gazebo="the nearest distance in a cone",
        mujoco="one `rangefinder` along the axis of the cone",
        pybullet="one ray along the axis of the cone",
        difference="one ray in place of a cone",
    ),
    SensorKind(
        types=CAMERAS,
        message=CameraImage,
        gazebo="an image by the field of view, or by `<lens><intrinsics>`",
        mujoco="`<camera>` with `fovy`, or `sensorsize`, `focalpixel` and `principalpixel`",
        pybullet="`getCameraImage`",
        difference="no noise, distortion, skew, temperature or boxes; a wide-angle lens becomes a "
        "pinhole",
    ),
    SensorKind(
        types=("multicamera",),
        message=CameraImage,
        gazebo="an image of each of its cameras",
        mujoco="a `<camera>` for each, `sensor::camera`",
        pybullet="`getCameraImage` for each",
    ),
    SensorKind(
        types=("joint_state",),
        message=JointState,
        gazebo="position and velocity of a joint",
        mujoco="`jointpos` `_position` and `jointvel` `_velocity`, or `ballquat` and `ballangvel`",
        pybullet="`getJointState`",
    ),
    SensorKind(
        types=("odometry",),
        message=Odometry,
        gazebo="pose of a frame in the world, and its velocity in its own axes",
        mujoco="`framepos` `_position`, `framequat` `_orientation`, `velocimeter` `_velocity`, "
        "`gyro` `_angular_velocity`",
        pybullet="pose and velocity of the link",
    ),
    SensorKind(
        types=("logical_camera",),
        message=LogicalCameraImage,
        gazebo="names of the models whose origins are in a frustum, and their poses in the sensor",
        mujoco="a site; `read` computes the message from the poses of bodies",
        difference="nothing",
    ),
    SensorKind(
        types=("rfid", "rfidtag"),
        message=None,
        gazebo="tags within range; no simulator of rigid bodies has tags, and gz-sim has no such "
        "sensor",
    ),
    SensorKind(
        types=("wireless_receiver", "wireless_transmitter"),
        message=None,
        gazebo="strength of a radio signal, with random losses; no simulator of rigid bodies has "
        "such signals, and gz-sim has no such sensor",
    ),
    SensorKind(types=("custom",), message=None, gazebo="what its plugin computes"),
)
"""Every type of sensor that SDFormat and the plugins of Gazebo have."""
_IN_PYBULLET = frozenset(name for kind in SENSOR_KINDS if kind.pybullet for name in kind.types)


def is_readable(sensor: Sensor) -> bool:
    """Return whether a message of the sensor can be computed in every simulator: a camera must be a
    pinhole.
    """
    if sensor.type in CAMERAS and not has_intrinsics(dict(sensor.parameters)):
        return field_of_view(sensor) <= LARGEST_FIELD_OF_VIEW
    return sensor.type in _IN_PYBULLET


# --- the sensors of a scene -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedSensor:
    """A sensor of a scene, and what its message depends on.

    Attributes:
        name: Scoped name, in the model of its link or joint; where two sensors share that, in the
            link.
        sensor: The sensor.
        body: Index of the body that has it, or `ROOT`.
        link: Name of that link.
        joint: The joint that has it, or None.
        start: Pose of the sensor in W at the start.
        world: The scene.
    """

    name: str
    sensor: Sensor
    body: int
    link: str
    joint: Joint | None
    start: Pose
    world: Scene

    @property
    def parameters(self) -> Mapping[str, str]:
        """Text of each parameter by its path."""
        return dict(self.sensor.parameters)


def scope_of(name: str, model: str) -> str:
    """Return what stands before the name of an item in its model; empty if the names are flat.

    Args:
        name: Scoped name of its link or joint.
        model: Name of the model.
    """
    prefix = f"{model}{SEPARATOR}"
    return prefix if name.startswith(prefix) else ""


def placed_sensors(mechanism: Mechanism) -> tuple[PlacedSensor, ...]:
    """Return the sensors of a mechanism, those of links first; a multicamera as its cameras."""
    scene = mechanism.scene
    found: list[tuple[Sensor, int, str, Joint | None]] = [
        (sensor, i, body.link.model, None)
        for i, body in enumerate(mechanism.bodies)
        for sensor in body.link.sensors
    ]
    measured = [j for j in scene.joints if j.sensors and j.child in mechanism.body_index]
    models = {link.name: link.model for link in scene.links} if measured else {}
    found += [
        (sensor, mechanism.body_index[joint.child], models.get(joint.child, ""), joint)
        for joint in measured
        for sensor in joint.sensors
    ]
    if not found:
        return ()
    poses = {WORLD: IDENTITY} | mechanism.link_poses(initial_positions(mechanism))
    placed, taken = [], set[str]()
    for whole, i, model, joint in found:
        link = mechanism.bodies[i].name if i != ROOT else WORLD
        owner = link if joint is None else joint.name
        for sensor in cameras_of(whole):
            name = f"{scope_of(owner, model)}{sensor.name}"
            if name in taken:
                name = f"{owner}{SEPARATOR}{sensor.name}"
            taken.add(name)
            placed.append(
                PlacedSensor(
                    name=name,
                    sensor=sensor,
                    body=i,
                    link=link,
                    joint=joint,
                    start=poses[link] @ sensor.X_LS,
                    world=scene,
                )
            )
    return tuple(placed)


def cameras_of(sensor: Sensor) -> tuple[Sensor, ...]:
    """Return the cameras of a multicamera as sensors, each at its own pose; else the sensor."""
    if sensor.type != "multicamera":
        return (sensor,)
    cameras: list[dict[str, str]] = []
    for path, text in sensor.parameters:
        is_next = path == "camera@name" or (bool(cameras) and path in cameras[-1])
        if path.partition("/")[0].partition("@")[0] == "camera" and (is_next or not cameras):
            cameras.append({})
        if cameras:
            cameras[-1][path] = text
    return tuple(
        replace(
            sensor,
            name=f"{sensor.name}{SEPARATOR}{camera.pop('camera@name', i)}",
            type="camera",
            X_LS=sensor.X_LS @ _pose_of(camera),
            parameters=tuple(camera.items()),
        )
        for i, camera in enumerate(cameras)
    )


_POSE = "camera/pose"


def _pose_of(camera: dict[str, str]) -> Pose:
    """Return the pose of a camera in its sensor, and take it out of its parameters."""
    pose = camera_pose(camera)
    if pose is not None:
        for path in (_POSE, f"{_POSE}@degrees", f"{_POSE}@rotation_format"):
            camera.pop(path, None)
    return IDENTITY if pose is None else pose


def camera_pose(parameters: Mapping[str, str]) -> Pose | None:
    """Return the pose that ``<camera>`` states; None if it states none that can be read.

    Args:
        parameters: Parameters of the sensor.
    """
    numbers = plain_numbers(parameters.get(_POSE, ""), len(parameters.get(_POSE, "").split()))
    if numbers is None or f"{_POSE}@relative_to" in parameters or len(numbers) not in {6, 7}:
        return None
    if len(numbers) == 7:
        x, y, z, w = numbers[3:]
        return Pose.from_vector((*numbers[:3], w, x, y, z))
    in_degrees = parameters.get(f"{_POSE}@degrees", "").lower() in {"true", "1"}
    angles = map(math.radians, numbers[3:]) if in_degrees else numbers[3:]
    return Pose.from_xyz_rpy(numbers[:3], tuple(angles))


# --- motion of a frame ----------------------------------------------------------------------------

_LOCALIZATION = "imu/orientation_reference_frame/localization"
_CUSTOM = "imu/orientation_reference_frame/custom_rpy"
_NAMED_AXES = {
    "ENU": IDENTITY.R,
    "NED": Pose.from_xyz_rpy((0.0, 0.0, 0.0), (math.pi, 0.0, math.pi / 2.0)).R,
    "NWU": rotation_about(Z_AXIS, math.pi / 2.0),
}
"""Axes of the named references in east, north, up."""


def orientation_reference(placed: PlacedSensor) -> Array:
    """Return ``R_WR``, the axes in which an IMU gives its orientation, shape (3, 3)."""
    heading = rotation_about(Z_AXIS, math.radians(earth_number(placed.world, "heading_deg") or 0.0))
    word = placed.parameters.get(_LOCALIZATION, "CUSTOM")
    if word in _NAMED_AXES:
        return frozen(heading @ _NAMED_AXES[word])
    angles = _custom_angles(placed.parameters)
    if angles is not None:
        return frozen(heading @ Pose.from_xyz_rpy((0.0, 0.0, 0.0), angles).R)
    return placed.start.R


def _custom_angles(parameters: Mapping[str, str]) -> tuple[float, ...] | None:
    """Return the angles of the stated reference in the world; None if gz-sensors uses none: it
    takes those in the world alone.
    """
    is_custom = parameters.get(_LOCALIZATION, "CUSTOM") == "CUSTOM"
    if not is_custom or parameters.get(f"{_CUSTOM}@parent_frame") != WORLD:
        return None
    return plain_numbers(parameters.get(_CUSTOM, "0 0 0"), 3)


def has_orientation(placed: PlacedSensor) -> bool:
    """Return whether an IMU publishes its orientation."""
    return placed.parameters.get("imu/enable_orientation", "1").lower() not in {"0", "false"}


def imu(placed: PlacedSensor, motion: FrameMotion, a: Array, gravity: Array) -> Imu:
    """Return the message of an IMU.

    Args:
        placed: The sensor.
        motion: Motion of S.
        a: Acceleration of its origin [m/s^2], in W, shape (3,).
        gravity: Gravity [m/s^2], in W, shape (3,).
    """
    R_WS = motion.X_WF.R
    return Imu(
        orientation=matrix_to_quaternion(orientation_reference(placed).T @ R_WS)
        if has_orientation(placed)
        else None,
        angular_velocity=R_WS.T @ motion.w,
        linear_acceleration=R_WS.T @ (a - gravity),
    )


def altimeter(placed: PlacedSensor, motion: FrameMotion) -> Altimeter:
    """Return the message of an altimeter."""
    start = float(placed.start.p[2])
    return Altimeter(
        vertical_position=float(motion.X_WF.p[2]) - start,
        vertical_velocity=float(motion.v[2]),
        vertical_reference=start,
    )


def magnetometer(placed: PlacedSensor, motion: FrameMotion) -> Magnetometer:
    """Return the message of a magnetometer."""
    return Magnetometer(field_tesla=motion.X_WF.R.T @ placed.world.magnetic_field)


def logical_camera(
    placed: PlacedSensor, X_WS: Pose, models: Mapping[str, Pose]
) -> LogicalCameraImage:
    """Return the message of a logical camera.

    Args:
        placed: The sensor.
        X_WS: Pose of S.
        models: Pose of each model in W, by scoped name.
    """
    parameters, X_SW = placed.parameters, X_WS.inverse()
    near, far, aspect, view = (
        positive_number(parameters, path, default) for path, default in _FRUSTUM.items()
    )
    half = math.tan(min(view, LARGEST_FIELD_OF_VIEW) / 2.0)
    seen = {}
    for name, X_WM in models.items():
        X_SM = X_SW @ X_WM
        x, y, z = X_SM.p.tolist()
        if near <= x <= far and abs(y) <= half * x and abs(z) <= half / aspect * x:
            seen[name] = X_SM
    return LogicalCameraImage(models=seen)


_FRUSTUM = {
    "logical_camera/near": 0.0,
    "logical_camera/far": 1.0,
    "logical_camera/aspect_ratio": 1.0,
    "logical_camera/horizontal_fov": 1.0,
}
"""Paths and defaults of the parameters of a logical camera."""


def odometry(placed: PlacedSensor, motion: FrameMotion) -> Odometry:
    """Return the message of an odometry publisher."""
    del placed
    R_WS = motion.X_WF.R
    return Odometry(
        position=motion.X_WF.p,
        orientation=matrix_to_quaternion(R_WS),
        linear_velocity=R_WS.T @ motion.v,
        angular_velocity=R_WS.T @ motion.w,
    )


# --- the earth ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Ellipsoid:
    """An ellipsoid of revolution [m]."""

    a: float
    b: float

    @property
    def e2(self) -> float:
        """Square of the eccentricity."""
        return 1.0 - (self.b / self.a) ** 2


_SURFACES = {
    "EARTH_WGS84": _Ellipsoid(6378137.0, 6356752.314245),
    "MOON_SCS": _Ellipsoid(1738100.0, 1736000.0),
}
"""Surfaces by name; `CUSTOM_SURFACE` states its own."""


def earth_number(scene: Scene, tag: str) -> float | None:
    """Return a number of ``<spherical_coordinates>``; None if the source does not state it."""
    return plain_number(dict(scene.spherical_coordinates).get(tag, ""))


def _surface(scene: Scene) -> _Ellipsoid:
    name = dict(scene.spherical_coordinates).get("surface_model", "EARTH_WGS84")
    equator = earth_number(scene, "surface_axis_equatorial")
    polar = earth_number(scene, "surface_axis_polar")
    if name not in _SURFACES and equator and polar:
        return _Ellipsoid(equator, polar)
    return _SURFACES.get(name, _SURFACES["EARTH_WGS84"])


def _east_north_up(latitude: float, longitude: float) -> Array:
    """Return the axes east, north and up of a place as columns in those of the earth, shape (3,
    3).
    """
    s, c, k, m = math.sin(latitude), math.cos(latitude), math.sin(longitude), math.cos(longitude)
    return np.array(((-k, -s * m, c * m), (m, -s * k, c * k), (0.0, c, s)))


def _from_geodetic(latitude: float, longitude: float, height: float, shape: _Ellipsoid) -> Array:
    """Return a place in the axes of the earth [m], shape (3,); angles in radians."""
    normal = shape.a / math.sqrt(1.0 - shape.e2 * math.sin(latitude) ** 2)
    across = (normal + height) * math.cos(latitude)
    return np.array(
        (
            across * math.cos(longitude),
            across * math.sin(longitude),
            (normal * (1.0 - shape.e2) + height) * math.sin(latitude),
        )
    )


def _to_geodetic(p: Array, shape: _Ellipsoid) -> tuple[float, float, float]:
    """Return latitude and longitude [rad] and height [m] of a place in the axes of the earth, by
    Bowring's iteration.
    """
    x, y, z = p
    across, longitude = math.hypot(x, y), math.atan2(y, x)
    reduced = math.atan2(z * shape.a, across * shape.b)
    latitude = 0.0
    second = shape.e2 / (1.0 - shape.e2)
    for _ in range(5):
        latitude = math.atan2(
            z + second * shape.b * math.sin(reduced) ** 3,
            across - shape.e2 * shape.a * math.cos(reduced) ** 3,
        )
        reduced = math.atan2(shape.b * math.sin(latitude), shape.a * math.cos(latitude))
    s = math.sin(latitude)
    normal = shape.a / math.sqrt(1.0 - shape.e2 * s * s)
    height = across * math.cos(latitude) + z * s - shape.a**2 / normal
    return latitude, longitude, height


def navsat(placed: PlacedSensor, motion: FrameMotion) -> NavSat:
    """Return the message of a satellite navigation receiver."""
    scene, shape = placed.world, _surface(placed.world)
    place = [math.nan] * 3
    if scene.spherical_coordinates:
        origin = [earth_number(scene, tag) or 0.0 for tag in _ORIGIN]
        latitude, longitude = math.radians(origin[0]), math.radians(origin[1])
        heading = math.radians(earth_number(scene, "heading_deg") or 0.0)
        offset = _east_north_up(latitude, longitude) @ (
            rotation_about(Z_AXIS, heading) @ motion.X_WF.p
        )
        p = _from_geodetic(latitude, longitude, origin[2], shape) + offset
        place = list(_to_geodetic(p, shape))
    return NavSat(
        latitude_deg=math.degrees(place[0]),
        longitude_deg=math.degrees(place[1]),
        altitude=place[2],
        velocity_east=float(motion.v[0]),
        velocity_north=float(motion.v[1]),
        velocity_up=float(motion.v[2]),
    )


_ORIGIN = ("latitude_deg", "longitude_deg", "elevation")

# --- the air --------------------------------------------------------------------------------------

_TEMPERATURE, _LAPSE = 288.15, 0.0065
"""Temperature at sea level [K], and its decrease with height [K/m]."""
_SEA_PRESSURE, _SEA_DENSITY = 101325.0, 1.225
"""Pressure [Pa] and density [kg/m^3] at sea level."""
_RADIUS = 6356766.0
"""Radius of the earth for the geopotential height [m]."""
_EXPONENT = 9.80665 * 28.9644 / (8314.32 * _LAPSE)
"""Exponent of the pressure in the temperature."""


def air_pressure(placed: PlacedSensor, motion: FrameMotion) -> AirPressure:
    """Return the message of a barometer."""
    altitude = plain_number(placed.parameters.get("air_pressure/reference_altitude", "")) or 0.0
    height = altitude + float(motion.X_WF.p[2])
    temperature = _TEMPERATURE - _LAPSE * _RADIUS * height / (_RADIUS + height)
    return AirPressure(pressure=_SEA_PRESSURE * (temperature / _TEMPERATURE) ** _EXPONENT)


def air_speed(placed: PlacedSensor, motion: FrameMotion) -> AirSpeed:
    """Return the message of an air speed sensor."""
    temperature = _TEMPERATURE - _LAPSE * float(motion.X_WF.p[2])
    density = _SEA_DENSITY * (temperature / _TEMPERATURE) ** 4.256
    speed = float(motion.X_WF.R[:, 0] @ (motion.v - placed.world.wind))
    return AirSpeed(diff_pressure=0.5 * density * speed * abs(speed), temperature=temperature)


FRAME_MESSAGES: Mapping[str, Callable[[PlacedSensor, FrameMotion], Message]] = {
    "altimeter": altimeter,
    "magnetometer": magnetometer,
    "navsat": navsat,
    "gps": navsat,
    "air_pressure": air_pressure,
    "air_speed": air_speed,
    "odometry": odometry,
}
"""Function that computes the message from the motion of S, by type of the sensor."""

# --- forces ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrenchAxes:
    """The axes and the direction in which a force-torque sensor measures."""

    frame: str
    """``child``, ``parent`` or ``sensor``."""
    sign: float
    """1 for what the parent exerts on the child, -1 for the opposite."""


def wrench_axes(placed: PlacedSensor) -> WrenchAxes:
    """Return the axes and the direction that the source requests."""
    parameters = placed.parameters

    def word(tag: str, default: str) -> str:
        return parameters.get(f"force_torque/{tag}", parameters.get(tag, default))

    direction = word("measure_direction", "child_to_parent")
    return WrenchAxes(word("frame", "child"), 1.0 if direction == "parent_to_child" else -1.0)


def force_torque(
    placed: PlacedSensor, force: Array, torque: Array, R_WP: Array, R_WC: Array
) -> ForceTorque:
    """Return the message of a force-torque sensor.

    Args:
        placed: The sensor.
        force: Force that the parent exerts on the child [N], in W, shape (3,).
        torque: Torque that it exerts, about the origin of the joint frame [N m], in W, shape (3,).
        R_WP: Axes of the parent link, shape (3, 3).
        R_WC: Axes of the child link, shape (3, 3).
    """
    axes = wrench_axes(placed)
    R_WF = {"parent": R_WP, "sensor": R_WC @ placed.sensor.X_LS.R}.get(axes.frame, R_WC)
    return ForceTorque(force=axes.sign * (R_WF.T @ force), torque=axes.sign * (R_WF.T @ torque))


# --- rays -----------------------------------------------------------------------------------------

_SCANS = ("lidar", "ray")
_SPREAD = ("samples", "min_angle", "max_angle")


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


@dataclass(frozen=True, slots=True)
class _Fan:
    """Rays in one plane, evenly spaced from the first angle to the last [rad]."""

    samples: int
    first: float
    last: float

    def angle(self, i: int) -> float:
        """Return the angle of a ray [rad]."""
        return self.first + (self.last - self.first) * i / max(self.samples - 1, 1)


@dataclass(frozen=True, kw_only=True)
class Rays:
    """The rays of a lidar or a sonar.

    Attributes:
        horizontal: The rays of a row.
        vertical: The rows.
        range_min: Smallest distance [m].
        range_max: Largest distance [m]; infinite if unlimited.
        sees_visuals: Whether visuals are seen; else collisions are.
        parameters: Paths of the sensor's parameters that the rays represent.
    """

    horizontal: _Fan
    vertical: _Fan
    range_min: float
    range_max: float
    sees_visuals: bool
    parameters: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.vertical.samples, self.horizontal.samples

    @property
    def count(self) -> int:
        """Number of rays."""
        return self.horizontal.samples * self.vertical.samples

    def rotation(self, i: int) -> Array:
        """Return the axes of a ray, which looks along x, in S, shape (3, 3)."""
        row, column = divmod(i, self.horizontal.samples)
        R: Array = rotation_about(Z_AXIS, self.horizontal.angle(column)) @ rotation_about(
            Y_AXIS, -self.vertical.angle(row)
        )
        return R

    @cached_property
    def directions(self) -> Array:
        """Directions of all rays in S, row by row from the lowest, shape (n, 3)."""
        return np.array([self.rotation(i)[:, 0] for i in range(self.count)])

    def scan(self, distances: Sequence[float] | Array) -> LaserScan:
        """Return the message.

        Args:
            distances: Distance of what each ray meets [m], infinite for nothing.
        """
        ranges = np.array(distances, dtype=np.float64).reshape(self.shape)
        ranges[ranges > self.range_max] = math.inf
        ranges[ranges < self.range_min] = -math.inf
        return LaserScan(ranges=ranges, range_min=self.range_min, range_max=self.range_max)


def rays_of(sensor: Sensor) -> Rays:
    """Return the rays of a lidar, or the one of a sonar along the axis of its cone."""
    parameters = dict(sensor.parameters)
    scan = next(
        (path for path in _SCANS if any(key.startswith(path) for key in parameters)), _SCANS[0]
    )
    sees_visuals = sensor.type in VISUAL_LIDARS
    place = "sonar" if sensor.type == "sonar" else f"{scan}/range"
    planes = [f"{scan}/scan/{plane}" for plane in ("horizontal", "vertical")]
    ranges = (f"{place}/min", f"{place}/max")
    return Rays(
        horizontal=_fan(parameters, planes[0], is_rendered=sees_visuals),
        vertical=_fan(parameters, planes[1], is_rendered=sees_visuals),
        range_min=positive_number(parameters, ranges[0], 0.0),
        range_max=positive_number(parameters, ranges[1], math.inf),
        sees_visuals=sees_visuals,
        parameters=(*(f"{plane}/{name}" for plane in planes for name in _SPREAD), *ranges),
    )


def _fan(parameters: Mapping[str, str], path: str, *, is_rendered: bool) -> _Fan:
    """Return the rays in one plane; a single ray straight ahead if the source states none.

    A single ray at stated angles has the first of them where rays are rendered, as in
    gz-rendering, and none of them where they are cast, as in Gazebo classic.
    """
    samples = max(1, round(min(positive_number(parameters, f"{path}/samples", 1.0), 1e9)))
    if samples == 1 and not is_rendered:
        return _Fan(1, 0.0, 0.0)
    first, last = (finite_number(parameters, f"{path}/{end}_angle") for end in ("min", "max"))
    return _Fan(samples, first, last)


# --- cameras --------------------------------------------------------------------------------------

INTRINSICS = "camera/lens/intrinsics"
"""Path of the intrinsics of a lens."""
_PROJECTION = "camera/lens/projection"
OPTICS = (
    "camera/horizontal_fov", "camera/image/width", "camera/image/height",
    *(f"{INTRINSICS}/{tag}" for tag in ("fx", "fy", "cx", "cy")),
    *(f"{_PROJECTION}/p_{tag}" for tag in ("fx", "fy", "cx", "cy")),
)  # fmt: skip
"""Paths of the parameters that `optics_of` reads for every engine."""
FIELD_OF_VIEW = 1.047
"""Default of ``<horizontal_fov>`` [rad]."""
LARGEST_FIELD_OF_VIEW = 3.1412
"""Field of view from which a pinhole shows nothing [rad]: the half width of the image is 5000 times
the focal length."""


def field_of_view(sensor: Sensor) -> float:
    """Return the horizontal field of view that a camera states [rad]."""
    return positive_number(dict(sensor.parameters), "camera/horizontal_fov", FIELD_OF_VIEW)


def has_intrinsics(parameters: Mapping[str, str]) -> bool:
    """Return whether a lens states focal lengths and a principal point."""
    return any(path.startswith((INTRINSICS, _PROJECTION)) for path in parameters)


def optics_of(sensor: Sensor) -> Optics:
    """Return the pinhole of a camera.

    ``<projection>`` and ``<intrinsics>`` count before the field of view, as in gz-sensors.
    """
    parameters = dict(sensor.parameters)
    width = round(positive_number(parameters, "camera/image/width", 320.0))
    height = round(positive_number(parameters, "camera/image/height", 240.0))
    view = min(field_of_view(sensor), LARGEST_FIELD_OF_VIEW)
    focal = width / 2.0 / math.tan(view / 2.0)
    numbers = {"fx": focal, "fy": focal, "cx": width / 2.0, "cy": height / 2.0}
    for path in (f"{INTRINSICS}/", f"{_PROJECTION}/p_"):
        if any(key.startswith(path) for key in parameters):
            defaults = {"fx": 277.0, "fy": 277.0, "cx": 160.0, "cy": 120.0}
            stated = {key: plain_number(parameters.get(path + key, "")) for key in defaults}
            numbers = defaults | {key: x for key, x in stated.items() if x is not None}
    near, far = _planes(parameters) or (NEAR, FAR)
    return Optics(width=width, height=height, near=near, far=far, **numbers)


def _planes(parameters: Mapping[str, str]) -> tuple[float, float] | None:
    """Return the distances of the planes of a camera [m]; None if nothing is between them."""
    near, far = (
        positive_number(parameters, path, default)
        for path, default in zip(_PLANES, (NEAR, FAR), strict=True)
    )
    return (near, far) if near < far else None


# --- readings as numbers --------------------------------------------------------------------------

STATE_TYPES = frozenset({*FRAME_MESSAGES, "imu"})
"""Types of sensors whose readings, as `state_numbers` has them, follow from the state alone."""


def state_numbers(message: Message) -> Array | None:
    """Return the numbers of a message that follow from positions and velocities; None if it has
    none.

    Accelerations, forces, joint states, rays and images are not among them.
    """
    parts: tuple[float | Sequence[float] | Array, ...] | None = None
    match message:
        case Imu():
            turn = () if message.orientation is None else quaternion_to_matrix(message.orientation)
            parts = (turn, message.angular_velocity)
        case Odometry():
            turn = quaternion_to_matrix(message.orientation)
            parts = (message.position, turn, message.linear_velocity, message.angular_velocity)
        case Altimeter() | NavSat() | AirPressure() | AirSpeed() | Magnetometer():
            parts = tuple(getattr(message, item.name) for item in fields(message))
    return None if parts is None else np.concatenate([np.ravel(part) for part in parts])


FORCE_TYPES = frozenset({"imu", "force_torque"})
"""Types of sensors whose readings depend on accelerations."""


def force_readings(messages: Mapping[str, Message]) -> dict[str, Array]:
    """Return accelerations of IMUs, and forces and torques of joints, by name of the sensor."""
    found: dict[str, Array] = {}
    for name, message in messages.items():
        if isinstance(message, Imu):
            found[name] = message.linear_acceleration
        elif isinstance(message, ForceTorque):
            found[name] = np.concatenate((message.force, message.torque))
    return found


def state_readings(messages: Mapping[str, Message]) -> dict[str, Array]:
    """Return the numbers of the messages that follow from the state, by name of the sensor."""
    found = {name: state_numbers(message) for name, message in messages.items()}
    return {name: values for name, values in found.items() if values is not None}


def motion_messages(
    mechanism: Mechanism, poses: Mapping[str, Pose], velocities: Mapping[str, Array]
) -> dict[str, Message]:
    """Return the messages of the sensors that measure the motion of a link.

    Args:
        mechanism: The mechanism.
        poses: ``X_WL`` of each link.
        velocities: Angular velocity and velocity of the origin of each link in W, shape (6,).
    """
    X_WL_of = {WORLD: IDENTITY, **poses}
    messages: dict[str, Message] = {}
    for placed in placed_sensors(mechanism):
        kind, X_WL = placed.sensor.type, X_WL_of[placed.link]
        X_WS = X_WL @ placed.sensor.X_LS
        w, v = np.split(velocities.get(placed.link, np.zeros(6)), 2)
        motion = FrameMotion(X_WS, w, v + np.cross(w, X_WS.p - X_WL.p))
        if kind in FRAME_MESSAGES:
            messages[placed.name] = FRAME_MESSAGES[kind](placed, motion)
        elif kind == "imu":
            messages[placed.name] = imu(placed, motion, np.zeros(3), mechanism.gravity)
    return messages


# --- what the messages represent ------------------------------------------------------------------

WATCHED = "contact/collision"
"""Path of the collisions that a contact sensor names."""
_PLANES = ("camera/clip/near", "camera/clip/far")
_USED: dict[str, tuple[str, ...]] = {
    "imu": ("imu/enable_orientation", _LOCALIZATION),
    "force_torque": (
        "frame", "measure_direction", "force_torque/frame", "force_torque/measure_direction",
    ),
    "contact": (WATCHED,),
    "logical_camera": tuple(_FRUSTUM),
    "air_pressure": ("air_pressure/reference_altitude",),
    **dict.fromkeys(CAMERAS, (*OPTICS, "camera/pose")),
}  # fmt: skip
"""Paths of the parameters that the message or a finding represents, by type."""


def used_parameters(sensor: Sensor, *, has_planes: bool = False) -> tuple[str, ...]:
    """Return the paths of the parameters of a sensor that its message represents.

    Args:
        sensor: The sensor.
        has_planes: Whether the planes of a camera are represented.
    """
    if sensor.type in {*LIDARS, "sonar"}:
        return (*rays_of(sensor).parameters, "sonar/radius")
    has_planes = has_planes and sensor.type in CAMERAS
    more = _PLANES if has_planes and _planes(dict(sensor.parameters)) else ()
    if sensor.type == "imu" and _custom_angles(dict(sensor.parameters)) is not None:
        more = (_CUSTOM, f"{_CUSTOM}@parent_frame")
    return (*_USED.get(sensor.type, ()), *more)


def unused_parameters(sensor: Sensor, used: Sequence[str]) -> list[str]:
    """Return the parameters of a sensor without some of them, as ``path=text``."""
    parameters = [f"{path}={text}" for path, text in sensor.parameters if path not in used]
    return parameters + ([f"update_rate={sensor.update_rate:g}"] if sensor.update_rate else [])
