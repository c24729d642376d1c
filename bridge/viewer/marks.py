"""Marks that the viewer draws of a mechanism beside its shapes: boxes of equal inertia, axes and
ranges of joints, and a recorded motion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import Position, default_position, primitive_positions
from loaders.inertia import SpatialInertia
from loaders.pose import IDENTITY, Array, Pose, rotation_about, rotation_to

HINGE_COLOR = (40, 110, 220)
SLIDE_COLOR = (30, 150, 70)
LIMIT_COLOR = (150, 150, 150)
PRESENT_COLOR = (250, 200, 0)
OUTSIDE_COLOR = (230, 30, 30)
"""Colors of an axis that turns or slides, of its range, and of the present position within and
outside of its limits."""
_ARC_STEPS = 24
"""Number of segments of the arc of a joint that turns."""
_AT_LIMIT = 1e-9
"""Distance beyond a limit at which a position is outside [rad or m]."""


def inertia_box(inertia: SpatialInertia) -> tuple[Array, Pose] | None:
    """Return the size [m], shape (3,), and the pose in the link of the box of uniform density that
    has the same mass, center of mass and moments; None without a mass, or if no box has them.
    """
    axes, moments = inertia.principal_axes()
    if inertia.mass <= 0.0:
        return None
    squares = 6.0 / inertia.mass * (moments.sum() - 2.0 * moments)
    if not np.isfinite(squares).all() or squares.min() < -1e-9 * max(float(squares.max()), 1e-300):
        return None
    return np.sqrt(np.maximum(squares, 0.0)), Pose.of(axes, inertia.p_LLcm)


@dataclass(slots=True)
class JointMarks:
    """Axes, ranges and present positions of joints, in the frame of the model.

    Attributes:
        arrows: Start and end of each axis [m], (2, 3) each.
        arrow_colors: Red, green and blue of each.
        segments: Lines of ranges and present positions [m], (2, 3) each.
        segment_colors: Red, green and blue of each.
    """

    arrows: list[Array] = field(default_factory=list)
    arrow_colors: list[tuple[int, int, int]] = field(default_factory=list)
    segments: list[Array] = field(default_factory=list)
    segment_colors: list[tuple[int, int, int]] = field(default_factory=list)


def joint_marks(mechanism: Mechanism, q: Mapping[str, Position], length: float) -> JointMarks:
    """Return the marks of the joints that turn or slide.

    Args:
        mechanism: The mechanism.
        q: Positions by joint; those that are left out are at their default.
        length: Length of an axis, and twice the radius of a range of angles [m].
    """
    marks = JointMarks()
    X_WL = {**mechanism.link_poses(q)}
    for body in mechanism.bodies:
        parent = IDENTITY if body.parent == ROOT else X_WL.get(mechanism.bodies[body.parent].name)
        if parent is not None and body.joint is not None:
            for X_WA, primitive, value in _axes(body, parent @ body.X_PF, q):
                _mark(marks, X_WA, primitive, value, length)
    return marks


def _axes(
    body: Body, X_WF: Pose, q: Mapping[str, Position]
) -> Iterator[tuple[Pose, Primitive, float]]:
    """Yield each primitive that turns or slides, with the frame that those before it have moved and
    its displacement.
    """
    given = q.get(str(body.joint))
    position = default_position(body) if given is None else tuple(np.atleast_1d(given).tolist())
    for primitive, numbers in zip(
        body.primitives, primitive_positions(body, position), strict=True
    ):
        if primitive.kind is PrimitiveKind.HINGE:
            yield X_WF, primitive, numbers[0]
            X_WF = X_WF @ Pose.of(rotation_about(primitive.axis, numbers[0]))
        elif primitive.kind is PrimitiveKind.SLIDE:
            yield X_WF, primitive, numbers[0]
            X_WF = X_WF @ Pose.of(p=primitive.axis * numbers[0])


def _mark(marks: JointMarks, X_WA: Pose, primitive: Primitive, value: float, length: float) -> None:
    is_hinge = primitive.kind is PrimitiveKind.HINGE
    axis = X_WA.R @ primitive.axis
    marks.arrows.append(np.array((X_WA.p, X_WA.p + length * axis)))
    marks.arrow_colors.append(HINGE_COLOR if is_hinge else SLIDE_COLOR)
    low, high = _range(primitive)
    outside = not low - _AT_LIMIT <= value <= high + _AT_LIMIT
    across = X_WA.R @ rotation_to(primitive.axis)[:, 0]

    def point(displacement: float) -> Array:
        turned = rotation_about(axis, displacement) @ across
        found: Array = X_WA.p + (
            0.5 * length * turned if is_hinge else displacement * axis + 0.1 * length * across
        )
        return found

    if is_hinge:
        low, high = (low, high) if math.isfinite(low + high) else (-math.pi, math.pi)
        angles = np.linspace(low, min(high, low + 2.0 * math.pi), _ARC_STEPS + 1)
        line = [point(float(angle)) for angle in angles]
    else:
        low, high = (low, high) if math.isfinite(low + high) else (-length, length)
        line = [point(low), point(high)]
    for start, end in pairwise(line):
        marks.segments.append(np.array((start, end)))
        marks.segment_colors.append(LIMIT_COLOR)
    marks.segments.append(np.array((X_WA.p, point(value))))
    marks.segment_colors.append(OUTSIDE_COLOR if outside else PRESENT_COLOR)


def _range(primitive: Primitive) -> tuple[float, float]:
    """Return the limits of the displacement of a primitive, in order [rad or m]."""
    if primitive.limits is None:
        return -math.inf, math.inf
    ends = (primitive.ratio * primitive.limits.lower, primitive.ratio * primitive.limits.upper)
    return min(ends), max(ends)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recording:
    """A motion of a model, as a simulator or a log has it.

    Attributes:
        times: Increasing times [s], shape (n,).
        poses: ``X_WL`` by link at each time.
        positions: Positions by joint at each time.
        contacts: Points of contact in the world at each time [m], (k, 3) each; empty if they
            are not known.
    """

    times: Array
    poses: Sequence[Mapping[str, Pose]]
    positions: Sequence[Mapping[str, Position]]
    contacts: Sequence[Array] = ()

    def index(self, time: float) -> int:
        """Return the index of the last time that is not after a time [s]; 0 before the first."""
        return max(int(np.searchsorted(self.times, time + 1e-9, side="right")) - 1, 0)


def largest_distance(first: Mapping[str, Pose], second: Mapping[str, Pose]) -> tuple[float, str]:
    """Return the largest distance between the origins of links of one name [m], and the link."""
    distances = {
        name: float(np.linalg.norm(first[name].p - second[name].p))
        for name in first
        if name in second
    }
    worst = max(distances, key=distances.__getitem__, default="")
    return distances.get(worst, 0.0), worst
