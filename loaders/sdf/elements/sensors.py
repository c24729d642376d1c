"""``<sensor>``: what measures, on a link or a joint. Its settings are kept as they are written."""

from __future__ import annotations

from loaders.diagnostics import Fate
from loaders.model import Sensor
from loaders.node import Node
from loaders.sdf.frames.frame_graph import FrameVertex, Scope, VertexKind
from loaders.sdf.frames.solve import carrier, pose_in

from .ignored_elements import leaves, report_ignored

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
_PLUGIN = (Fate.NOTED, "sdf.plugin", "it is code for another simulator")


def read_sensors(vertex: FrameVertex, element: Node, scope: Scope) -> tuple[Sensor, ...]:
    """The sensors of a link or a joint."""
    return tuple(_read_sensor(node, vertex, scope) for node in element.all("sensor"))


def _read_sensor(node: Node, vertex: FrameVertex, scope: Scope) -> Sensor:
    kind = node.word("@type")
    if kind and kind not in _TYPES:
        node.invalid("sdf.sensor-type", "the sensor type {kind!r} is unknown", kind=kind)
    report_ignored(node, {"plugin": _PLUGIN})
    X_VS = pose_in(vertex, node, scope)
    on_joint = vertex.kind is VertexKind.JOINT
    link = carrier(vertex) if on_joint else None
    return Sensor(
        name=node.word("@name", ""),
        type=kind,
        X_LS=X_VS if link is None else link.X_WV.inverse() @ vertex.X_WV @ X_VS,
        joint=vertex.name if on_joint else None,
        update_rate=node.number("update_rate", 0.0),
        parameters=leaves(node, "pose", "plugin", "update_rate"),
        where=node.where,
    )
