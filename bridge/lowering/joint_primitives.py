"""The primitive degrees of freedom of each joint type."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bridge.mechanism.bodies import Primitive, PrimitiveKind
from loaders.diagnostics import Diagnostics, Fate
from loaders.model import Z_AXIS, Joint, JointType
from loaders.spatial import IDENTITY, Pose, frozen

Composition = tuple[Pose, tuple[Primitive, ...]]
"""``X_JO``, where O is the frame in which the primitives act, and the primitives from the parent outwards."""


def compose(joint: Joint, diagnostics: Diagnostics) -> Composition:
    """Return the primitives of a joint, with the frame in which they act.

    Args:
        joint: A joint of any type but floating and gearbox.
        diagnostics: Receives a finding if the joint cannot be expressed exactly.
    """
    return _COMPOSITIONS[joint.type](joint, diagnostics)


def reverse(primitives: tuple[Primitive, ...]) -> tuple[Primitive, ...]:
    """Return the primitives of a joint whose child carries its parent: in reverse order, with negated axes."""
    return tuple(
        Primitive(kind=p.kind, axis=frozen(-p.axis), dof_index=p.dof_index, ratio=p.ratio, limits=p.limits)
        for p in reversed(primitives)
    )


def _weld(_joint: Joint, _diagnostics: Diagnostics) -> Composition:
    return IDENTITY, ()


def _series(*kinds: PrimitiveKind) -> Callable[[Joint, Diagnostics], Composition]:
    """Return a function that makes one primitive along each axis of a joint, in order."""

    def compose_series(joint: Joint, _diagnostics: Diagnostics) -> Composition:
        axes = zip(kinds, joint.axes, strict=True)
        return IDENTITY, tuple(
            Primitive(kind=kind, axis=axis.xyz, dof_index=i, limits=axis) for i, (kind, axis) in enumerate(axes)
        )

    return compose_series


def _ball(joint: Joint, _diagnostics: Diagnostics) -> Composition:
    limits = joint.axes[0] if joint.axes else None
    return IDENTITY, (Primitive(kind=PrimitiveKind.BALL, axis=Z_AXIS, limits=limits),)


def _screw(joint: Joint, _diagnostics: Diagnostics) -> Composition:
    """Return a hinge and a slide that share one velocity."""
    (axis,) = joint.axes
    hinge = Primitive(kind=PrimitiveKind.HINGE, axis=axis.xyz, limits=axis)
    slide = Primitive(kind=PrimitiveKind.SLIDE, axis=axis.xyz, ratio=joint.pitch / math.tau, limits=axis)
    return IDENTITY, (hinge, slide)


def _curvilinear(joint: Joint, diagnostics: Diagnostics) -> Composition:
    """Return a slide for a line; for an arc a hinge about its center, whose angle is the arc length over the radius."""
    curve = joint.curve
    if curve is None or len(curve.arcs) != 1:
        diagnostics.add(
            Fate.DROPPED,
            "lower.curve-of-several-pieces",
            "no engine supports a curve of several pieces; joint {joint} is fixed at the start of its curve",
            joint.where,
            hint="use a single line or arc",
            subjects=(joint.name,),
            joint=joint.name,
        )
        return IDENTITY, ()
    (axis,), (arc,) = joint.axes, curve.arcs
    if arc.curvature == 0.0:
        return IDENTITY, (Primitive(kind=PrimitiveKind.SLIDE, axis=curve.initial_tangent, limits=axis),)
    center = np.cross(curve.plane_normal, curve.initial_tangent) / arc.curvature
    hinge = Primitive(kind=PrimitiveKind.HINGE, axis=curve.plane_normal, ratio=arc.curvature, limits=axis)
    return Pose.of(p=center), (hinge,)


_COMPOSITIONS: dict[JointType, Callable[[Joint, Diagnostics], Composition]] = {
    JointType.FIXED: _weld,
    JointType.REVOLUTE: _series(PrimitiveKind.HINGE),
    JointType.CONTINUOUS: _series(PrimitiveKind.HINGE),
    JointType.PRISMATIC: _series(PrimitiveKind.SLIDE),
    JointType.UNIVERSAL: _series(PrimitiveKind.HINGE, PrimitiveKind.HINGE),
    JointType.REVOLUTE2: _series(PrimitiveKind.HINGE, PrimitiveKind.HINGE),
    JointType.PLANAR: _series(PrimitiveKind.SLIDE, PrimitiveKind.SLIDE, PrimitiveKind.HINGE),
    JointType.BALL: _ball,
    JointType.SCREW: _screw,
    JointType.CURVILINEAR: _curvilinear,
}
