"""URDF documents: write one articulation so that PyBullet's parser reads every digit.

The parser splits lines longer than 8191 bytes, accepts vectors only with single spaces, crashes on two roots, on
duplicate joint names and on links out of order, assumes 1 kg for a link without inertia, and diagonalizes inertias to
nine digits only. The document therefore has one element per line, every inertia on its principal axes, and every link
after its parent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from lxml import etree

from bridge.bullet.geometry.shapes import Shape, ShapeUse, ShapeWriter
from bridge.export.pose_format import roll_pitch_yaw
from bridge.export.xml_text import xml_compatible
from bridge.mechanism.bodies import Primitive, PrimitiveKind
from loaders.model import Rgba, Visual
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import IDENTITY, Array, Pose

from .articulation import Articulation
from .segments import CarriedLink, Segment

_DECLARATION = '<?xml version="1.0"?>\n'
_JOINT_TYPES = {PrimitiveKind.HINGE: "revolute", PrimitiveKind.SLIDE: "prismatic", PrimitiveKind.BALL: "spherical"}
_NO_ROTATION = "0.0 0.0 0.0"
_WHITE = (1.0, 1.0, 1.0, 1.0)

_MAX_NAME = 250
"""Largest number of characters in the name of a body: PyBullet copies it into 1,024 bytes without a check."""
_Element = etree._Element
_child = etree.SubElement


def urdf_text(articulation: Articulation, shapes: ShapeWriter) -> str:
    """Return the URDF document of an articulation; ``shapes`` writes the mesh files that it names."""
    robot = etree.Element("robot", name=xml_compatible(articulation.model)[:_MAX_NAME])
    segments, static = articulation.segments, _static_segments(articulation)
    for i, segment in enumerate(segments):
        _add_link(robot, segment, i == 0 and articulation.is_fixed, shapes, is_static=static[i])
    for segment in segments[1:]:
        _add_joint(robot, segment, segments[segment.parent + 1].name)
    etree.indent(robot, space="")
    return f"{_DECLARATION}{etree.tostring(robot, encoding='unicode')}\n"


def _static_segments(articulation: Articulation) -> list[bool]:
    """Return for each segment whether it is welded to the world."""
    static = [articulation.is_fixed]
    for segment in articulation.segments[1:]:
        static.append(segment.primitive is None and static[segment.parent + 1])
    return static


# --- links -----------------------------------------------------------------------------------------------------------


def _add_link(robot: _Element, segment: Segment, is_fixed_base: bool, shapes: ShapeWriter, *, is_static: bool) -> None:
    element = _child(robot, "link", name=segment.name)
    _add_inertial(element, segment, is_fixed_base)
    use = ShapeUse.STATIC_COLLISION if is_static else ShapeUse.MOVING_COLLISION
    for carried in segment.links:
        _add_collisions(element, carried, shapes, use)
        for visual in carried.link.visuals:
            _add_visual(element, carried, visual, shapes)


def _add_inertial(link: _Element, segment: Segment, is_fixed_base: bool) -> None:
    """Add the inertia; a fixed base has identity axes because PyBullet's inverse dynamics ignores their rotation."""
    R_SI, moments = segment.principal
    inertial = _child(link, "inertial")
    _add_origin(inertial, IDENTITY if is_fixed_base else Pose(R_SI, segment.inertia.p_LLcm))
    _child(inertial, "mass", value=repr(segment.inertia.mass))
    ixx, iyy, izz = map(repr, moments.tolist())
    _child(inertial, "inertia", ixx=ixx, iyy=iyy, izz=izz, ixy="0", ixz="0", iyz="0")


def _add_collisions(link: _Element, carried: CarriedLink, shapes: ShapeWriter, use: ShapeUse) -> None:
    for collision in carried.link.collisions:
        X_SG = carried.X_SL @ collision.X_LG
        about = (carried.link.name, f"{carried.link.name}{SEPARATOR}{collision.name}")
        for shape in shapes.shapes(collision.geometry, collision.where, use, subjects=about):
            element = _child(link, "collision", {"concave": "yes"} if shape.concave else None)
            _add_shape(element, shape, X_SG)


def _add_visual(link: _Element, carried: CarriedLink, visual: Visual, shapes: ShapeWriter) -> None:
    X_SG = carried.X_SL @ visual.X_LG
    texture = visual.material.texture if visual.material is not None else None
    about = (carried.link.name, f"{carried.link.name}{SEPARATOR}{visual.name}")
    for shape in shapes.shapes(visual.geometry, visual.where, ShapeUse.VISUAL, texture, subjects=about):
        element = _child(link, "visual")
        _add_shape(element, shape, X_SG)
        material = _child(element, "material", name=shapes.material_name())
        _child(material, "color", rgba=_vector(map(float, _color(visual, shape.rgba))))


def _color(visual: Visual, mesh_color: Rgba | None) -> Rgba:
    material = visual.material
    r, g, b, a = (material.diffuse if material is not None else None) or mesh_color or _WHITE
    return r, g, b, a * (1.0 - visual.transparency)


def _add_shape(element: _Element, shape: Shape, X_SG: Pose) -> None:
    _add_origin(element, X_SG @ shape.X_GS)
    _child(_child(element, "geometry"), shape.tag, shape.attributes)


# --- joints ----------------------------------------------------------------------------------------------------------


def _add_joint(robot: _Element, segment: Segment, parent: str) -> None:
    joint = _child(robot, "joint", name=segment.joint, type=_joint_type(segment))
    _child(joint, "parent", link=parent)
    _child(joint, "child", link=segment.name)
    _add_origin(joint, segment.X_PJ)
    primitive = segment.primitive
    if primitive is not None:
        _child(joint, "axis", xyz=_vector(_normalized(primitive.axis)))
        _add_limits(joint, segment, primitive)
        _add_dynamics(joint, segment, primitive)


def _joint_type(segment: Segment) -> str:
    primitive = segment.primitive
    if primitive is None:
        return "fixed"
    if primitive.kind is PrimitiveKind.HINGE and displacement_limits(segment) == (-math.inf, math.inf):
        return "continuous"
    return _JOINT_TYPES[primitive.kind]


def displacement_limits(segment: Segment) -> tuple[float, float]:
    """Return the lower and upper limit of the joint position in PyBullet [rad or m]; infinite without a limit."""
    primitive = segment.primitive
    if primitive is None or primitive.limits is None or not segment.is_primary or primitive.kind is PrimitiveKind.BALL:
        return -math.inf, math.inf
    if primitive.limits.lower > primitive.limits.upper:
        return -math.inf, math.inf
    ends = sorted((primitive.ratio * primitive.limits.lower, primitive.ratio * primitive.limits.upper))
    return ends[0], ends[1]


def _add_limits(joint: _Element, segment: Segment, primitive: Primitive) -> None:
    """Add ``<limit>``; for PyBullet a lower limit above the upper one means no limit."""
    if primitive.kind is PrimitiveKind.BALL:
        return
    lower, upper = displacement_limits(segment)
    if (lower, upper) == (-math.inf, math.inf):
        lower, upper = 0.0, -1.0
    axis = primitive.limits if segment.is_primary else None
    effort = axis.effort / abs(primitive.ratio) if axis is not None else math.inf
    velocity = axis.velocity * abs(primitive.ratio) if axis is not None else math.inf
    _child(joint, "limit", lower=repr(lower), upper=repr(upper), effort=repr(effort), velocity=repr(velocity))


def _add_dynamics(joint: _Element, segment: Segment, primitive: Primitive) -> None:
    axis = primitive.limits if segment.is_primary else None
    if axis is not None and (axis.damping or axis.friction):
        damping, friction = axis.damping / primitive.ratio**2, axis.friction / abs(primitive.ratio)
        _child(joint, "dynamics", damping=repr(damping), friction=repr(friction))


# --- numbers ---------------------------------------------------------------------------------------------------------


def _add_origin(element: _Element, X: Pose) -> None:
    position = _vector(X.p.tolist())
    _child(element, "origin", xyz=position, rpy=_NO_ROTATION if X.R is IDENTITY.R else _vector(roll_pitch_yaw(X.R)))


def _normalized(axis: Array) -> list[float]:
    unit: list[float] = (axis / np.linalg.norm(axis)).tolist()
    return unit


def _vector(values: Iterable[float]) -> str:
    """Return numbers of Python as text with every digit."""
    return " ".join(map(repr, values))
