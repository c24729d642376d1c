"""``<gazebo>``: what Gazebo adds to a link, a joint or the whole robot.

Source: the extensions that libsdformat's URDF reader knows. What changes mechanics or collisions is read; what tunes
one solver or only looks different is noted; fixed joints are always kept, as ``preserveFixedJoint`` asks for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from loaders.diagnostics import Fate
from loaders.ignored_elements import IgnoredElements, mark_read, report_ignored
from loaders.model import Joint, Link, Model, Sensor, Surface
from loaders.node import Node
from loaders.sdf.elements.ignored_elements import flat_parameters
from loaders.sdf.elements.surface import read_surface
from loaders.sdf.frames.poses import read_local_pose

_ENGINE = (Fate.NOTED, "urdf.engine-setting", "it tunes one engine's solver")
_LOOK = (Fate.NOTED, "urdf.appearance", "it only tells Gazebo how to draw")
_PLUGIN = (Fate.NOTED, "urdf.plugin", "it is code for another simulator")
_EMBEDDED = (Fate.DROPPED, "urdf.embedded-sdf", "a part of a model in SDFormat inside a URDF has no place here")

_LINK_ASIDES: IgnoredElements = {
    "material": _LOOK,
    "visual": _LOOK,
    "laserRetro": _LOOK,
    "maxContacts": _ENGINE,
    "plugin": _PLUGIN,
}
_JOINT_ASIDES: IgnoredElements = {
    **dict.fromkeys(("implicitSpringDamper", "cfmDamping", "stopCfm", "stopErp", "fudgeFactor"), _ENGINE),
    "plugin": _PLUGIN,
}
_ROBOT_ASIDES: IgnoredElements = {
    "plugin": _PLUGIN,
    "pose": (Fate.DROPPED, "urdf.gazebo-pose", "it is where Gazebo puts the robot; here its root is at the origin"),
    "canonicalBody": (Fate.NOTED, "urdf.canonical-body", "the canonical link is the root"),
    **dict.fromkeys(("link", "joint", "model", "frame", "include", "light"), _EMBEDDED),
}
_KEPT_JOINTS = ("preserveFixedJoint", "disableFixedJointLumping")

_FRICTION = {"mu1": "mu", "mu2": "mu2"}
_SURFACE = {"kp": "stiffness", "kd": "damping", "maxVel": "max_velocity", "minDepth": "min_depth"}
_AXIS = {
    "springStiffness": "spring_stiffness",
    "springReference": "spring_reference",
    "stopKp": "limit_stiffness",
    "stopKd": "limit_dissipation",
}


class Extensions:
    """The ``<gazebo>`` elements of a robot, by what they refer to."""

    def __init__(self, root: Node, known: Iterable[str]) -> None:
        self._by_name: dict[str, list[Node]] = {name: [] for name in known}
        self._robot: list[Node] = []
        for node in root.all("gazebo"):
            self._sort_in(node)

    def _sort_in(self, node: Node) -> None:
        reference = node.word("@reference", "")
        if not reference:
            self._robot.append(node)
        elif reference in self._by_name:
            self._by_name[reference].append(node)
        else:
            node.report(
                Fate.DROPPED,
                "urdf.unknown-reference",
                "<gazebo> refers to {reference!r}, which is no link or joint",
                reference=reference,
            )
            mark_read(node)

    def link(self, link: Link) -> Link:
        """The link with what extends it."""
        for node in self._by_name[link.name]:
            link = _extended_link(link, node)
        return link

    def joint(self, joint: Joint) -> Joint:
        """The joint with what extends it."""
        for node in self._by_name[joint.name]:
            joint = _extended_joint(joint, node)
        return joint

    def model(self, model: Model) -> Model:
        """The model with what extends the whole robot."""
        for node in self._robot:
            report_ignored(node, _ROBOT_ASIDES)
            model = dataclasses.replace(
                model,
                static=_flag(node, "static", model.static),
                self_collide=_flag(node, "self_collide", model.self_collide),
                allow_auto_disable=_flag(node, "allow_auto_disable", model.allow_auto_disable),
                enable_wind=_flag(node, "enable_wind", model.enable_wind),
            )
        return model


def _extended_link(link: Link, node: Node) -> Link:
    report_ignored(node, _LINK_ASIDES)
    decay = _number(node, "dampingFactor")
    heavy = _flag(node, "gravity", link.gravity) and not _flag(node, "turnGravityOff", not link.gravity)
    self_collide = _flag(node, "self_collide", link.self_collide)
    return dataclasses.replace(
        link,
        collisions=tuple(
            dataclasses.replace(collision, surface=surface)
            for collision, surface in zip(link.collisions, _surfaces(link, node), strict=True)
        ),
        sensors=link.sensors + tuple(_read_sensor(child, None) for child in node.all("sensor")),
        gravity=heavy,
        kinematic=_flag(node, "kinematic", link.kinematic),
        self_collide=_flag(node, "selfCollide", self_collide),
        enable_wind=_flag(node, "enable_wind", link.enable_wind),
        velocity_decay=link.velocity_decay if decay is None else (decay, decay),
    )


def _surfaces(link: Link, node: Node) -> list[Surface]:
    """The surface of every collision of a link, with what this element says of it."""
    blobs = [read_surface(blob) for blob in node.all("collision") if blob.has("surface")]
    friction: dict[str, Any] = _numbers(node, _FRICTION)
    surface: dict[str, Any] = _numbers(node, _SURFACE)
    direction = _direction(node)
    if direction is not None:
        friction["fdir1"] = direction
    bases = blobs[-1:] * len(link.collisions) or [collision.surface for collision in link.collisions]
    return [
        dataclasses.replace(base, friction=dataclasses.replace(base.friction, **friction), **surface) for base in bases
    ]


def _direction(node: Node) -> Any:
    child = node.child("fdir1")
    return None if child is None else child.numbers("@value" if child.has("@value") else ".", 3)


def _extended_joint(joint: Joint, node: Node) -> Joint:
    report_ignored(node, _JOINT_ASIDES)
    node.skip(*_KEPT_JOINTS)
    acting: dict[str, Any] = _numbers(node, _AXIS)
    return dataclasses.replace(
        joint,
        axes=tuple(dataclasses.replace(axis, **acting) for axis in joint.axes),
        provide_feedback=_flag(node, "provideFeedback", joint.provide_feedback),
        sensors=joint.sensors + tuple(_read_sensor(child, joint.name) for child in node.all("sensor")),
    )


def _read_sensor(node: Node, joint: str | None) -> Sensor:
    """A sensor in SDFormat; that of a joint is posed in the child link, which is the joint's own frame."""
    report_ignored(node, {"plugin": _PLUGIN})
    return Sensor(
        name=node.word("@name", ""),
        type=node.word("@type", ""),
        X_LS=read_local_pose(node),
        joint=joint,
        update_rate=node.number("update_rate", 0.0),
        parameters=flat_parameters(node, "pose", "plugin", "update_rate"),
        where=node.where,
    )


# --- values: the text of a child, or its attribute ``value``, as libsdformat reads them ------------------------------


def _number(node: Node, tag: str) -> float | None:
    child = node.child(tag)
    return None if child is None else child.maybe_number("@value" if child.has("@value") else ".")


def _numbers(node: Node, fields: Mapping[str, str]) -> dict[str, float]:
    """The numbers of these tags that are there, by the fields that they fill."""
    return {field: value for tag, field in fields.items() if (value := _number(node, tag)) is not None}


def _flag(node: Node, tag: str, default: Any) -> Any:
    child = node.child(tag)
    return default if child is None else child.flag("@value" if child.has("@value") else ".", False)
