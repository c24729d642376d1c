"""Reader of ``<gazebo>``: Gazebo's extensions of a link, a joint or the robot.

Source: the extensions that libsdformat's URDF reader supports. Those that affect mechanics or
collisions are read; so is the material of a link whose visuals have none, with its color in Gazebo.
Settings of one solver and of the appearance are reported as ignored. Fixed joints are always kept,
as with ``preserveFixedJoint``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from loaders.context import Context
from loaders.deferred import Deferred
from loaders.model import Joint, Link, Material, Model, Sensor, Surface, Visual, by_name
from loaders.node import IgnoredElements, Node, mark_read, report_ignored
from loaders.scene import Scene
from loaders.sdf.frame import read_local_pose
from loaders.sdf.geometry import read_surface
from loaders.sdf.unmodeled import flat_parameters
from loaders.urdf import codes

_read_material: Callable[..., Material | None] = Deferred("loaders.sdf.material:read_material")
_gazebo_material: Callable[[str], Material | None] = Deferred(
    "loaders.sdf.material:gazebo_material"
)

_IGNORED_IN_JOINT: IgnoredElements = {
    **dict.fromkeys(("axis", "axis2", "pose"), codes.EMBEDDED_SDF),
    **dict.fromkeys(
        ("implicitSpringDamper", "cfmDamping", "stopCfm", "stopErp", "fudgeFactor"),
        codes.ENGINE_SETTING,
    ),
}
_NOT_MECHANICAL = (
    "audio_sink", "audio_source", "battery", "must_be_base_link", "particle_emitter", "projector",
)  # fmt: skip
_IGNORED_IN_LINK: IgnoredElements = {
    **dict.fromkeys(_NOT_MECHANICAL, codes.APPEARANCE_OF_COLLISION),
    **dict.fromkeys(("inertial", "pose", "frame"), codes.EMBEDDED_SDF),
    "laserRetro": codes.APPEARANCE,
    "maxContacts": codes.ENGINE_SETTING,
    "light": codes.EMBEDDED_SDF,
    **_IGNORED_IN_JOINT,  # often stated for links too, where they have no effect
}
_IGNORED_IN_ROBOT: IgnoredElements = {
    "pose": codes.GAZEBO_POSE,
    "canonicalBody": codes.CANONICAL_BODY,
    "light": codes.EMBEDDED_SDF,
}
_SDF_ELEMENTS = ("link", "joint", "frame", "model", "include", "gripper")
"""Elements of SDFormat that libsdformat adds to the model."""
_FIXED_JOINT_OPTIONS = ("preserveFixedJoint", "disableFixedJointLumping")
"""They keep a fixed joint, as every fixed joint is kept here."""

_FRICTION = {"mu1": "mu", "mu2": "mu2"}
_SURFACE = {"kp": "stiffness", "kd": "damping", "maxVel": "max_velocity", "minDepth": "min_depth"}
_AXIS = {
    "springStiffness": "spring_stiffness",
    "springReference": "spring_reference",
    "stopKp": "limit_stiffness",
    "stopKd": "limit_dissipation",
}


class GazeboExtensions:
    """The ``<gazebo>`` elements of a robot, keyed by the link or joint that they refer to."""

    def __init__(
        self, root: Node, known: Iterable[str], context: Context, left_out: Iterable[str] = ()
    ) -> None:
        self._context = context
        self._by_name: dict[str, list[Node]] = {}
        self._robot: list[Node] = []
        names, lost = frozenset(known), frozenset(left_out)
        for node in root.all("gazebo"):
            if node.word("@reference", "") in lost - names:
                mark_read(node)  # reported with the joint
            else:
                self._add(node, names)

    def _add(self, node: Node, known: frozenset[str]) -> None:
        reference = node.word("@reference", "")
        if not reference:
            self._robot.append(node)
        elif reference in known:
            self._by_name.setdefault(reference, []).append(node)
        else:
            node.report(codes.UNKNOWN_REFERENCE, reference=reference)
            mark_read(node)

    def link(self, link: Link) -> Link:
        """Return the link with its extensions."""
        for node in self._by_name.get(link.name, ()):
            report_ignored(node, _IGNORED_IN_LINK)
            node.mark(*_FIXED_JOINT_OPTIONS)
            damping = _number(node, "dampingFactor")
            decay = link.velocity_decay if damping is None else (damping, damping)
            gravity = _flag(node, "gravity", link.gravity) and not _flag(
                node, "turnGravityOff", not link.gravity
            )
            self_collide = _flag(node, "self_collide", link.self_collide)
            link = dataclasses.replace(
                link,
                collisions=tuple(
                    dataclasses.replace(collision, surface=surface)
                    for collision, surface in zip(
                        link.collisions, _surfaces(link, node), strict=True
                    )
                ),
                visuals=_with_appearance(_with_material(link, node), node, self._context),
                sensors=link.sensors
                + tuple(_read_sensor(child, None) for child in node.all("sensor")),
                gravity=gravity,
                kinematic=_flag(node, "kinematic", link.kinematic),
                self_collide=_flag(node, "selfCollide", self_collide),
                enable_wind=_flag(node, "enable_wind", link.enable_wind),
                velocity_decay=_read_decay(node, decay),
            )
        return link

    def joint(self, joint: Joint) -> Joint:
        """Return the joint with its extensions."""
        for node in self._by_name.get(joint.name, ()):
            report_ignored(node, _IGNORED_IN_JOINT)
            node.mark(*_FIXED_JOINT_OPTIONS)
            values: dict[str, Any] = _numbers(node, _AXIS)
            feedback = joint.provide_feedback
            for physics in node.all("physics"):
                report_ignored(physics, dict.fromkeys(("ode", "simbody"), codes.ENGINE_SETTING))
                feedback = physics.flag("provide_feedback", feedback)
            joint = dataclasses.replace(
                joint,
                axes=tuple(dataclasses.replace(axis, **values) for axis in joint.axes),
                provide_feedback=_flag(node, "provideFeedback", feedback),
                sensors=joint.sensors
                + tuple(_read_sensor(child, joint.name) for child in node.all("sensor")),
            )
        return joint

    def sdf_elements(self, scene: Scene) -> list[Node]:
        """Return the elements of SDFormat for the model of a robot; one whose name is taken is
        reported and left out.

        Args:
            scene: The scene of the robot.
        """
        elements = [node for robot in self._robot for node in robot.all(*_SDF_ELEMENTS)]
        if not elements:
            return []
        names = {*by_name(scene.links), *by_name(scene.joints), *by_name(scene.frames)}
        kept = []
        for node in elements:
            if (name := node.attributes.get("name", "")) in names:
                node.report(codes.DUPLICATE_NAME_EMBEDDED, tag=node.tag, name=name)
            else:
                kept.append(node)
        return kept

    def model(self, model: Model) -> Model:
        """Return the model with the extensions of the robot."""
        for node in self._robot:
            report_ignored(node, _IGNORED_IN_ROBOT)
            node.mark(*_FIXED_JOINT_OPTIONS)
            model = dataclasses.replace(
                model,
                static=_flag(node, "static", model.static),
                self_collide=_flag(node, "self_collide", model.self_collide),
                allow_auto_disable=_flag(node, "allow_auto_disable", model.allow_auto_disable),
                enable_wind=_flag(node, "enable_wind", model.enable_wind),
            )
        return model


def _read_decay(node: Node, default: tuple[float, float]) -> tuple[float, float]:
    """Return the linear and angular velocity decay of a link."""
    decay = node.child("velocity_decay")
    if decay is None:
        return default
    linear, angular = default
    return decay.number("linear", linear), decay.number("angular", angular)


def _with_material(link: Link, node: Node) -> tuple[Visual, ...]:
    """Return the visuals of a link; those without a material have the one that ``<material>``
    names.
    """
    name = node.word("material", "")
    if not name or not link.visuals or any(visual.material is not None for visual in link.visuals):
        report_ignored(node, {"material": codes.APPEARANCE})
        return link.visuals
    material = _gazebo_material(name) or Material(name=name)
    return tuple(dataclasses.replace(visual, material=material) for visual in link.visuals)


def _with_appearance(
    visuals: tuple[Visual, ...], node: Node, context: Context
) -> tuple[Visual, ...]:
    """Return the visuals of a link with what ``<visual>`` elements in SDFormat state, which holds
    for every visual.
    """
    for element in node.all("visual"):
        material = _read_material(element, context)
        stated: dict[str, Any] = {} if material is None else {"material": material}
        if element.has("transparency"):
            stated["transparency"] = element.number("transparency", 0.0)
        if element.has("cast_shadows"):
            stated["cast_shadows"] = element.flag("cast_shadows", True)
        others = {child.tag for child in element.children} - {"material", *stated}
        report_ignored(element, dict.fromkeys(others, codes.APPEARANCE))
        element.mark(*("@" + name for name in element.attributes))
        visuals = tuple(dataclasses.replace(visual, **stated) for visual in visuals)
    return visuals


def _surfaces(link: Link, node: Node) -> list[Surface]:
    """Return the surface of each collision of a link, with the values from this element."""
    embedded = [read_surface(child) for child in node.all("collision") if child.has("surface")]
    friction: dict[str, Any] = _numbers(node, _FRICTION)
    surface: dict[str, Any] = _numbers(node, _SURFACE)
    direction = _direction(node)
    if direction is not None:
        friction["fdir1"] = direction
    bases = embedded[-1:] * len(link.collisions) or [
        collision.surface for collision in link.collisions
    ]
    return [
        dataclasses.replace(
            base, friction=dataclasses.replace(base.friction, **friction), **surface
        )
        for base in bases
    ]


def _direction(node: Node) -> Any:
    child = node.child("fdir1")
    return None if child is None else child.numbers(_value_key(child), 3)


def _read_sensor(node: Node, joint: str | None) -> Sensor:
    """Read a sensor in SDFormat; the pose of a sensor of a joint is that in the child link, whose
    frame is J.
    """
    report_ignored(node, {"plugin": codes.PLUGIN})
    return Sensor(
        name=node.word("@name", ""),
        type=node.word("@type", ""),
        X_LS=read_local_pose(node),
        joint=joint,
        update_rate=node.number("update_rate", 0.0),
        parameters=flat_parameters(node, "pose", "plugin", "update_rate"),
        where=node.where,
    )


# --- values: the text of a child or its attribute ``value``, as in libsdformat --------------------


def _value_key(child: Node) -> str:
    """Return the key of the value of a child: its attribute ``value``, else its text."""
    return "@value" if child.has("@value") else "."


def _number(node: Node, tag: str) -> float | None:
    child = node.child(tag)
    return None if child is None else child.maybe_number(_value_key(child))


def _numbers(node: Node, fields: Mapping[str, str]) -> dict[str, float]:
    """Return the numbers of those children that exist, keyed by field; ``fields`` gives the field
    of each tag.
    """
    return {
        field: value for tag, field in fields.items() if (value := _number(node, tag)) is not None
    }


def _flag(node: Node, tag: str, default: Any) -> Any:
    child = node.child(tag)
    return default if child is None else child.flag(_value_key(child), False)
