"""The URDF text that PyBullet reads: one articulation, written so that its parser takes every digit.

That parser splits lines past 8191 bytes, takes vectors only with single spaces, crashes on two roots, on duplicate
joint names and on links out of order, invents 1 kg for a link without inertia, and diagonalises inertias to nine digits
only. So: one element a line, every inertia on its principal axes, every link after the one that carries it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import quoteattr

import numpy as np

from bridge.bullet.geometry.shapes import Shape, Shapes, Use
from bridge.mechanism.bodies import Primitive, PrimitiveKind
from loaders.model import Rgba, Visual
from loaders.spatial import IDENTITY, Array, Pose

from .articulation import Articulation
from .segments import Part, Segment

_TYPES = {PrimitiveKind.HINGE: "revolute", PrimitiveKind.SLIDE: "prismatic", PrimitiveKind.BALL: "spherical"}
_WHITE = (1.0, 1.0, 1.0, 1.0)


def urdf(articulation: Articulation, shapes: Shapes) -> str:
    """The text; meshes that it names are written through ``shapes``."""
    segments, anchored = articulation.segments, _anchored(articulation)
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(articulation.model)}>"]
    for i, segment in enumerate(segments):
        lines += _link(segment, i == 0 and articulation.is_fixed, shapes, held=anchored[i])
    lines += [_joint(segment, segments[segment.parent + 1].name) for segment in segments[1:]]
    return "\n".join((*lines, "</robot>", ""))


def _anchored(articulation: Articulation) -> list[bool]:
    """For each segment, whether the world holds it still."""
    anchored = [articulation.is_fixed]
    for segment in articulation.segments[1:]:
        anchored.append(segment.primitive is None and anchored[segment.parent + 1])
    return anchored


# --- links -----------------------------------------------------------------------------------------------------------


def _link(segment: Segment, is_fixed_base: bool, shapes: Shapes, *, held: bool) -> Iterator[str]:
    yield f"<link name={quoteattr(segment.name)}>"
    yield _inertial(segment, is_fixed_base)
    for part in segment.parts:
        yield from _collisions(part, shapes, Use.STILL if held else Use.MOVING)
        for visual in part.link.visuals:
            yield from _visual(visual, part.X_SL @ visual.X_LG, shapes)
    yield "</link>"


def _inertial(segment: Segment, is_fixed_base: bool) -> str:
    """A base that is fixed gets its axes straight: PyBullet's inverse dynamics forgets a rotation there."""
    R_SI, moments = segment.principal
    X_SI = IDENTITY if is_fixed_base else Pose(R_SI, segment.inertia.p_LLcm)
    ixx, iyy, izz = moments.tolist()
    return (
        f'<inertial>\n{origin(X_SI)}\n<mass value="{segment.inertia.mass!r}"/>\n'
        f'<inertia ixx="{ixx!r}" iyy="{iyy!r}" izz="{izz!r}" ixy="0" ixz="0" iyz="0"/>\n</inertial>'
    )


def _collisions(part: Part, shapes: Shapes, use: Use) -> Iterator[str]:
    for collision in part.link.collisions:
        X_SG = part.X_SL @ collision.X_LG
        for shape in shapes.of(collision.geometry, collision.where, use):
            concave = ' concave="yes"' if shape.concave else ""
            yield f"<collision{concave}>\n{_placed(shape, X_SG)}\n</collision>"


def _visual(visual: Visual, X_SG: Pose, shapes: Shapes) -> Iterator[str]:
    picture = visual.material.texture if visual.material is not None else None
    for shape in shapes.of(visual.geometry, visual.where, Use.SEEN, picture):
        rgba = _vector(_colour(visual, shape.rgba))
        material = f'<material name="{shapes.material_name()}">\n<color rgba="{rgba}"/>\n</material>'
        yield f"<visual>\n{_placed(shape, X_SG)}\n{material}\n</visual>"


def _colour(visual: Visual, own: Rgba | None) -> Rgba:
    material = visual.material
    r, g, b, a = (material.diffuse if material is not None else None) or own or _WHITE
    return r, g, b, a * (1.0 - visual.transparency)


def _placed(shape: Shape, X_SG: Pose) -> str:
    return f"{origin(X_SG @ shape.X_GS)}\n<geometry>\n{shape.element}\n</geometry>"


# --- joints ----------------------------------------------------------------------------------------------------------


def _joint(segment: Segment, parent: str) -> str:
    step = segment.primitive
    lines = [
        f'<joint name={quoteattr(segment.joint)} type="{_type(segment)}">',
        f"<parent link={quoteattr(parent)}/>",
        f"<child link={quoteattr(segment.name)}/>",
        origin(segment.X_PJ),
    ]
    if step is not None:
        lines.append(f'<axis xyz="{_vector(_unit(step.axis))}"/>')
        lines += _limits(segment, step)
        lines += _dynamics(segment, step)
    return "\n".join((*lines, "</joint>"))


def _type(segment: Segment) -> str:
    step = segment.primitive
    if step is None:
        return "fixed"
    if step.kind is PrimitiveKind.HINGE and displacement_limits(segment) == (-math.inf, math.inf):
        return "continuous"
    return _TYPES[step.kind]


def displacement_limits(segment: Segment) -> tuple[float, float]:
    """Lower and upper limit of what PyBullet calls the joint's position."""
    step = segment.primitive
    if step is None or step.limits is None or not segment.leads or step.kind is PrimitiveKind.BALL:
        return -math.inf, math.inf
    if step.limits.lower > step.limits.upper:
        return -math.inf, math.inf
    ends = sorted((step.ratio * step.limits.lower, step.ratio * step.limits.upper))
    return ends[0], ends[1]


def _limits(segment: Segment, step: Primitive) -> Iterator[str]:
    """PyBullet takes a lower limit above the upper one for none."""
    if step.kind is PrimitiveKind.BALL:
        return
    lower, upper = displacement_limits(segment)
    if (lower, upper) == (-math.inf, math.inf):
        lower, upper = 0.0, -1.0
    axis = step.limits if segment.leads else None
    effort = axis.effort / abs(step.ratio) if axis is not None else math.inf
    velocity = axis.velocity * abs(step.ratio) if axis is not None else math.inf
    yield f'<limit lower="{lower!r}" upper="{upper!r}" effort="{effort!r}" velocity="{velocity!r}"/>'


def _dynamics(segment: Segment, step: Primitive) -> Iterator[str]:
    axis = step.limits if segment.leads else None
    if axis is not None and (axis.damping or axis.friction):
        damping, friction = axis.damping / step.ratio**2, axis.friction / abs(step.ratio)
        yield f'<dynamics damping="{damping!r}" friction="{friction!r}"/>'


# --- numbers ---------------------------------------------------------------------------------------------------------


def origin(X: Pose) -> str:
    """The ``<origin>`` of a pose."""
    return f'<origin xyz="{_vector(X.p.tolist())}" rpy="{_vector(roll_pitch_yaw(X.R))}"/>'


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Fixed-axis angles of a rotation matrix that give it back to rounding, near a pitch of 90 degrees too.

    The yaw is that of what is left when the roll is undone, so that an ill-defined roll is made up for.
    """
    if R is IDENTITY.R:
        return 0.0, 0.0, 0.0
    (_, b, c), (_, e, f), (g, h, i) = R.tolist()
    roll = math.atan2(h, i)
    s, k = math.sin(roll), math.cos(roll)
    pitch = math.atan2(-g, math.hypot(h, i))
    yaw = math.atan2(s * c - k * b, k * e - s * f)
    return roll, pitch, yaw


def _unit(axis: Array) -> list[float]:
    unit: list[float] = (axis / np.linalg.norm(axis)).tolist()
    return unit


def _vector(values: Iterable[float]) -> str:
    return " ".join(map(repr, map(float, values)))
