"""URDF documents: write one articulation so that PyBullet's parser reads every digit.

The parser splits lines longer than 8191 bytes, accepts vectors only with single spaces, crashes on
two roots, on duplicate joint names and on links out of order, assumes 1 kg for a link without
inertia, and diagonalizes inertias to nine digits only. The document therefore has one element per
line, every inertia on its principal axes, and every link after its parent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from bridge.geometry.mesh import appearance_of
from bridge.mechanism.bodies import Primitive, PrimitiveKind
from bridge.targets.numbers import roll_pitch_yaw
from loaders.looks import DEFAULT_COLOR, look_of
from loaders.model import Visual
from loaders.node import escaped
from loaders.pose import IDENTITY, Array, Pose
from loaders.scoped_names import SEPARATOR
from loaders.text import xml_compatible

from .articulation import Articulation, CarriedLink, Segment
from .geometry import Shape, ShapeUse, ShapeWriter

_DECLARATION = '<?xml version="1.0"?>'
_JOINT_TYPES = {
    PrimitiveKind.HINGE: "revolute",
    PrimitiveKind.SLIDE: "prismatic",
    PrimitiveKind.BALL: "spherical",
}
_MAX_NAME = 250
"""Largest number of characters in the name of a body: PyBullet copies it into 1,024 bytes without a
check."""


def urdf_text(
    articulation: Articulation, shapes: ShapeWriter, *, collides_with_itself: bool = False
) -> str:
    """Return the URDF document of an articulation.

    Args:
        articulation: The body.
        shapes: Writes the mesh files that the document names.
        collides_with_itself: Whether its links collide with one another. Then the meshes of its
            held links are hulls, as those of the others: contacts of triangles with the links of
            the same robot are computed in each step, and take 15 times the time of the rest of it.
    """
    lines = [
        _DECLARATION,
        f'<robot name="{escaped(xml_compatible(articulation.model)[:_MAX_NAME])}">',
    ]
    segments, static = articulation.segments, _static_segments(articulation)
    for i, segment in enumerate(segments):
        keeps_triangles = static[i] and not collides_with_itself
        use = ShapeUse.STATIC_COLLISION if keeps_triangles else ShapeUse.MOVING_COLLISION
        _add_link(lines, segment, i == 0 and articulation.is_fixed, shapes, use)
    for segment in segments[1:]:
        _add_joint(lines, segment, segments[segment.parent + 1].name)
    lines.append("</robot>\n")
    return "\n".join(lines)


def _static_segments(articulation: Articulation) -> list[bool]:
    """Return for each segment whether it is welded to the world."""
    static = [articulation.is_fixed]
    for segment in articulation.segments[1:]:
        static.append(segment.primitive is None and static[segment.parent + 1])
    return static


# --- links ----------------------------------------------------------------------------------------


def _add_link(
    lines: list[str], segment: Segment, is_fixed_base: bool, shapes: ShapeWriter, use: ShapeUse
) -> None:
    lines.append(f'<link name="{escaped(segment.name)}">')
    _add_inertial(lines, segment, is_fixed_base)
    for carried in segment.links:
        for collision in carried.link.collisions:
            X_SG = carried.X_SL @ collision.X_LG
            about = (carried.link.name, f"{carried.link.name}{SEPARATOR}{collision.name}")
            for shape in shapes.shapes(collision.geometry, collision.where, use, subjects=about):
                lines.append('<collision concave="yes">' if shape.concave else "<collision>")
                _add_shape(lines, shape, X_SG)
                lines.append("</collision>")
        for visual in carried.link.visuals:
            _add_visual(lines, carried, visual, shapes)
    lines.append("</link>")


def _add_inertial(lines: list[str], segment: Segment, is_fixed_base: bool) -> None:
    """Add the inertia; a fixed base has identity axes because PyBullet's inverse dynamics ignores
    their rotation. Moments that no body has are zero: PyBullet sets them to zero and prints a line.
    """
    R_SI, moments = segment.principal
    ixx, iyy, izz = moments.tolist() if segment.is_realizable() else (0.0, 0.0, 0.0)
    lines += (
        "<inertial>",
        *_origin(IDENTITY if is_fixed_base else Pose(R_SI, segment.inertia.p_LLcm)),
        f'<mass value="{segment.inertia.mass!r}"/>',
        f'<inertia ixx="{ixx!r}" iyy="{iyy!r}" izz="{izz!r}" ixy="0" ixz="0" iyz="0"/>',
        "</inertial>",
    )


def _add_visual(
    lines: list[str], carried: CarriedLink, visual: Visual, shapes: ShapeWriter
) -> None:
    X_SG = carried.X_SL @ visual.X_LG
    texture = visual.material.texture if visual.material is not None else None
    about = (carried.link.name, f"{carried.link.name}{SEPARATOR}{visual.name}")
    for shape in shapes.shapes(
        visual.geometry,
        visual.where,
        ShapeUse.VISUAL,
        texture,
        appearance=appearance_of(visual),
        subjects=about,
    ):
        lines.append("<visual>")
        _add_shape(lines, shape, X_SG)
        color = _vector(map(float, look_of(visual, shape.look).diffuse or DEFAULT_COLOR))
        lines += (
            f'<material name="{shapes.material_name()}">',
            f'<color rgba="{color}"/>',
            "</material>",
            "</visual>",
        )


def _add_shape(lines: list[str], shape: Shape, X_SG: Pose) -> None:
    attributes = "".join(
        [f' {name}="{escaped(value)}"' for name, value in shape.attributes.items()]
    )
    lines += (
        *_origin(X_SG @ shape.X_GS),
        "<geometry>",
        f"<{shape.tag}{attributes}/>",
        "</geometry>",
    )


# --- joints ---------------------------------------------------------------------------------------


def _add_joint(lines: list[str], segment: Segment, parent: str) -> None:
    lines += (
        f'<joint name="{escaped(segment.joint)}" type="{_joint_type(segment)}">',
        f'<parent link="{escaped(parent)}"/>',
        f'<child link="{escaped(segment.name)}"/>',
        *_origin(segment.X_PJ),
    )
    primitive = segment.primitive
    if primitive is not None:
        lines.append(f'<axis xyz="{_vector(_normalized(primitive.axis))}"/>')
        _add_limits(lines, segment, primitive)
        axis = primitive.limits if segment.is_primary else None
        if axis is not None and (axis.damping or axis.friction):
            damping = axis.damping / primitive.ratio**2
            friction = axis.friction / abs(primitive.ratio)
            lines.append(f'<dynamics damping="{damping!r}" friction="{friction!r}"/>')
    lines.append("</joint>")


def _joint_type(segment: Segment) -> str:
    primitive = segment.primitive
    if primitive is None:
        return "fixed"
    if primitive.kind is PrimitiveKind.HINGE and displacement_limits(segment) == (
        -math.inf,
        math.inf,
    ):
        return "continuous"
    return _JOINT_TYPES[primitive.kind]


def displacement_limits(segment: Segment) -> tuple[float, float]:
    """Return the lower and upper limit of the joint position in PyBullet [rad or m]; infinite
    without a limit.
    """
    primitive = segment.primitive
    if (
        primitive is None
        or primitive.limits is None
        or not segment.is_primary
        or primitive.kind is PrimitiveKind.BALL
    ):
        return -math.inf, math.inf
    if primitive.limits.lower > primitive.limits.upper:
        return -math.inf, math.inf
    ends = sorted(
        (primitive.ratio * primitive.limits.lower, primitive.ratio * primitive.limits.upper)
    )
    return ends[0], ends[1]


def _add_limits(lines: list[str], segment: Segment, primitive: Primitive) -> None:
    """Add ``<limit>``; for PyBullet a lower limit above the upper one means no limit."""
    if primitive.kind is PrimitiveKind.BALL:
        return
    lower, upper = displacement_limits(segment)
    if (lower, upper) == (-math.inf, math.inf):
        lower, upper = 0.0, -1.0
    axis = primitive.limits if segment.is_primary else None
    effort = axis.effort / abs(primitive.ratio) if axis is not None else math.inf
    velocity = axis.velocity * abs(primitive.ratio) if axis is not None else math.inf
    lines.append(
        f'<limit lower="{lower!r}" upper="{upper!r}" effort="{effort!r}" velocity="{velocity!r}"/>'
    )


# --- numbers --------------------------------------------------------------------------------------


def _origin(X: Pose) -> list[str]:
    """Return the element of a pose; none for the identity, since PyBullet reads it in each load."""
    attributes = {"xyz": X.p, "rpy": None if X.R is IDENTITY.R else np.array(roll_pitch_yaw(X.R))}
    stated = {k: v.tolist() for k, v in attributes.items() if v is not None and v.any()}
    text = " ".join(f'{name}="{_vector(values)}"' for name, values in stated.items())
    return [f"<origin {text}/>"] if text else []


def _normalized(axis: Array) -> list[float]:
    unit: list[float] = axis.tolist()
    if sorted(map(abs, unit)) != [0.0, 0.0, 1.0]:
        unit = (axis / np.linalg.norm(axis)).tolist()
    return unit


def _vector(values: Iterable[float]) -> str:
    """Return numbers of Python as text with every digit."""
    return " ".join(map(repr, values))
