"""``<sensor>``: a sensor on a link or a joint. Its parameters are kept as text."""

from __future__ import annotations

from loaders.diagnostics import Fate
from loaders.model import Sensor
from loaders.node import Node
from loaders.sdf.frames.frame_graph import FrameVertex, VertexKind
from loaders.sdf.frames.solve import attached_link, resolve_pose
from loaders.sdf.unmodeled_elements import flat_parameters, report_ignored

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
    return tuple(_read_sensor(node, vertex) for node in vertex.node.all("sensor"))


def _read_sensor(node: Node, vertex: FrameVertex) -> Sensor:
    sensor_type = node.word("@type")
    if sensor_type and sensor_type not in _TYPES:
        node.invalid("sdf.sensor-type", "unknown sensor type {type!r}", type=sensor_type)
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
