"""``<sensor>``: a sensor on a link or a joint. Its parameters are kept as text."""

from __future__ import annotations

from loaders.diagnostics import Fate
from loaders.model import Sensor
from loaders.node import Node
from loaders.sdf.frames.frame_graph import FrameVertex, VertexKind
from loaders.sdf.frames.solve import attached_link, resolve_pose
from loaders.sdf.unmodeled_elements import flat_parameters, mark_read, report_ignored

_CAMERAS = (
    frozenset({"camera", "depth", "depth_camera", "multicamera", "rgbd", "rgbd_camera", "logical_camera"})
    | frozenset({"boundingbox", "boundingbox_camera", "bounding_box", "bounding_box_camera"})
    | frozenset({"segmentation", "segmentation_camera", "thermal", "thermal_camera"})
    | frozenset({"wideanglecamera", "wide_angle_camera"})
)
_TYPES = (
    _CAMERAS
    | frozenset({"air_pressure", "air_speed", "altimeter", "force_torque", "imu", "magnetometer"})
    | frozenset({"ray", "gpu_ray", "lidar", "gpu_lidar", "sonar", "gps", "navsat", "rfid", "rfidtag"})
    | frozenset({"contact", "custom", "wireless_receiver", "wireless_transmitter"})
)
_PLUGIN = (Fate.NOTED, "sdf.plugin", "a plugin is code for another simulator")


def read_sensors(vertex: FrameVertex) -> tuple[Sensor, ...]:
    """Return the sensors of a link or a joint."""
    if vertex.node.lacks(("sensor",)):
        return ()
    sensors = (_read_sensor(node, vertex) for node in vertex.node.all("sensor"))
    return tuple(sensor for sensor in sensors if sensor is not None)


def _read_sensor(node: Node, vertex: FrameVertex) -> Sensor | None:
    """Return the sensor, or None if it has no known type."""
    with node.diagnostics.tolerating("the sensor is left out"):
        sensor_type = node.word("@type")
        if sensor_type and sensor_type not in _TYPES:
            node.invalid(
                "sdf.sensor-type",
                "unknown sensor type {type!r}; expected one of: {known}",
                type=sensor_type,
                known=tuple(sorted(_TYPES)),
            )
    if sensor_type not in _TYPES:
        mark_read(node)
        return None
    with node.diagnostics.tolerating("the value is not used"):
        return _read_known_sensor(node, sensor_type, vertex)


def _read_known_sensor(node: Node, sensor_type: str, vertex: FrameVertex) -> Sensor:
    report_ignored(node, {"plugin": _PLUGIN})
    X_VS = resolve_pose(node, vertex)
    on_joint = vertex.kind is VertexKind.JOINT
    link = attached_link(vertex) if on_joint else None
    return Sensor(
        name=node.word("@name", ""),
        type=sensor_type,
        X_LS=X_VS if link is None else link.X_WV.inverse() @ vertex.X_WV @ X_VS,
        joint=vertex.name if on_joint else None,
        update_rate=node.number("update_rate", 0.0),
        parameters=flat_parameters(node, "pose", "plugin", "update_rate"),
        where=node.where,
    )
