"""Joint states and odometry, which Gazebo's plugins publish and which are no sensors of a document."""

from __future__ import annotations

import dataclasses

from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import Joint, Link, Sensor
from loaders.scene import Scene

_TYPES = frozenset({"joint_state", "odometry"})


def without_published_sensors(scene: Scene, report: Report, code: str) -> Scene:
    """Return the scene without joint states and odometry.

    Args:
        scene: The scene.
        report: Receives the findings.
        code: Code of the findings.
    """
    owners: tuple[Link | Joint, ...] = (*scene.links, *scene.joints)
    published = [(item, s) for item in owners for s in item.sensors if s.type in _TYPES]
    if not published:
        return scene
    for item, sensor in published:
        report.add(
            Fate.DROPPED,
            code,
            "the document has no place for sensor {sensor} of type {type}, which a plugin publishes; left it out",
            sensor.where,
            subjects=(item.name, sensor.name),
            sensor=sensor.name,
            type=sensor.type,
        )
    return dataclasses.replace(
        scene,
        links=tuple(dataclasses.replace(link, sensors=_stated(link.sensors)) for link in scene.links),
        joints=tuple(dataclasses.replace(joint, sensors=_stated(joint.sensors)) for joint in scene.joints),
    )


def _stated(sensors: tuple[Sensor, ...]) -> tuple[Sensor, ...]:
    return tuple(sensor for sensor in sensors if sensor.type not in _TYPES)
