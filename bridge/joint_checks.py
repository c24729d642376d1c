"""Checks of the joints of a robot: limits, drives, and what differs from the other side.

Like those of `bridge.robot_checks`, which calls them, each compares numbers of the model with a
closed form and a range that robots in use keep.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bridge import codes
from bridge.mechanism import Mechanism
from loaders.diagnostics import Diagnostics
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Joint, JointAxis, JointType, Link
from loaders.scene import Scene

DEGREES = 4.0 * math.pi
"""Limit of a revolute joint from which it is one in degrees [rad]; 0 of 1,314 axes have such."""
SLOW = 0.01
"""Smallest speed that a drive reaches against its damping [rad/s or m/s]; it is at least 0.45 in
329 files."""
UNLIMITED = 1e9
"""Limit from which there is none [rad]."""
_ANGLES = (JointType.REVOLUTE, JointType.UNIVERSAL)


def check_limits(scene: Scene, diagnostics: Diagnostics) -> None:
    """Report limits of angles that can only be in degrees."""
    for joint in scene.joints:
        for axis in joint.axes if joint.type in _ANGLES else ():
            finite = [abs(limit) for limit in (axis.lower, axis.upper) if abs(limit) < UNLIMITED]
            if finite and max(finite) > DEGREES:
                diagnostics.add(
                    codes.ROBOT_DEGREES,
                    joint,
                    joint=joint.name,
                    lower=axis.lower,
                    upper=axis.upper,
                    lower_in_rad=math.radians(axis.lower),
                    upper_in_rad=math.radians(axis.upper),
                )


def check_drives(scene: Scene, diagnostics: Diagnostics) -> None:
    """Report drives without effort or speed beside others that have some, and those that their
    damping stops.
    """
    followers, passive = {c.follower for c in scene.couplings}, _passive_base(scene)
    free = [joint for joint in scene.joints if joint.name not in followers | passive]
    driven = [(joint, axis) for joint in free for axis in joint.axes]
    for quantity, code in (
        ("effort", codes.ROBOT_NO_EFFORT),
        ("velocity", codes.ROBOT_NO_VELOCITY),
    ):
        values = [getattr(axis, quantity) for _, axis in driven]
        if not any(0.0 < value < math.inf for value in values):
            continue
        for joint, axis in driven:
            if getattr(axis, quantity) == 0.0:
                diagnostics.add(code, joint, joint=joint.name)
    for joint, axis in driven:
        if 0.0 < axis.effort < SLOW * axis.damping:
            diagnostics.add(
                codes.ROBOT_SLOW,
                joint,
                joint=joint.name,
                effort=axis.effort,
                damping=axis.damping,
                speed=axis.effort / axis.damping,
            )


def _passive_base(scene: Scene) -> frozenset[str]:
    """Return the joints of a chain from the world without shapes and effort, such as those that
    hold a biped in a plane.
    """
    bare = {link.name for link in scene.links if not (link.collisions or link.visuals)} | {WORLD}
    chain = [
        joint
        for joint in scene.joints
        if joint.parent in bare and all(axis.effort == 0.0 for axis in joint.axes)
    ]
    moving = [joint.name for joint in chain if joint.axes and joint.type is not JointType.FIXED]
    return frozenset(moving if len(moving) > 1 else ())


def check_weights(mechanism: Mechanism, diagnostics: Diagnostics) -> None:
    """Report drives that cannot hold what they carry at the zero position on a held base."""
    forces = mechanism.gravity_forces()
    for index, (joint, axis) in _single_axes(mechanism).items():
        needed = abs(float(forces[index]))
        is_short = 0.0 < axis.effort < needed and axis.lower <= 0.0 <= axis.upper
        if is_short and axis.spring_stiffness == 0.0:
            diagnostics.add(
                codes.ROBOT_WEAK, joint, joint=joint.name, effort=axis.effort, needed=needed
            )


def _single_axes(mechanism: Mechanism) -> dict[int, tuple[Joint, JointAxis]]:
    """Return the joints with one axis, by the index of their velocity."""
    single = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
    return {
        mechanism.dof_index[joint.name, 0]: (joint, joint.axes[0])
        for joint in mechanism.scene.joints
        if joint.type in single and joint.axes and (joint.name, 0) in mechanism.dof_index
    }


# --- siblings -------------------------------------------------------------------------------------

_SIDES = re.compile(
    r"(?:(?<=_)|(?<![A-Za-z]))(?:(?P<end>[fhrb])?[lr]|[lr](?P<start>[fh]))(?![a-z])|left|right",
    re.IGNORECASE,
)
"""The side in a name: ``left``, ``l``; in ``fl``, ``rr`` after the end of the robot, in ``lf``
before it."""
_OFFSET = "offset from the parent"
_FIELDS: dict[str, tuple[Callable[[Joint, Link | None], float], float]] = {
    "damping": (lambda joint, _: joint.axes[0].damping, 0.0),
    "friction": (lambda joint, _: joint.axes[0].friction, 0.0),
    "effort": (lambda joint, _: joint.axes[0].effort, 0.0),
    "velocity": (lambda joint, _: joint.axes[0].velocity, 0.0),
    "inertia": (lambda joint, _: joint.axes[0].inertia, 0.0),
    _OFFSET: (lambda joint, _: float(np.linalg.norm(joint.X_PJ.p)), 1e-3),
    "mass of the child": (lambda _, link: _inertia(link).mass, 0.0),
    "sum of the moments of the child": (lambda _, link: float(np.trace(_inertia(link).I_Lcm)), 0.0),
    "distance of the child's center of mass": (
        lambda _, link: float(np.linalg.norm(_inertia(link).p_LLcm)),
        1e-3,
    ),
}
"""Quantities of a joint and of its child that are alike on both sides of a robot, whatever axes
their frames have, with the difference that does not count."""
_ALIKE = 0.01
"""Relative difference that does not count."""


def _inertia(link: Link | None) -> SpatialInertia:
    return SpatialInertia.of(0.0) if link is None or link.inertia is None else link.inertia


@dataclass(frozen=True)
class _Odd:
    """Two joints that should be alike, the values in which they differ, and how many others of the
    kind agree.
    """

    first: Joint
    second: Joint
    fields: Mapping[str, tuple[float, float]]
    others: int


def check_siblings(scene: Scene, diagnostics: Diagnostics) -> None:
    """Report values of one joint that differ from those of its sibling on the other side, or of the
    copies of its part. What another finding is about is not reported again.
    """
    links = {link.name: link for link in scene.links}
    odd = _odd_side(scene, links) or _odd_copy(scene, links)
    if odd is None:
        return
    named = {name for entry in diagnostics for name in entry.subjects}
    first, second = odd.first, odd.second
    if not named.isdisjoint((first.name, first.child, second.name, second.child)):
        return
    for name, (value, other) in odd.fields.items():
        diagnostics.add(
            codes.ROBOT_SIBLINGS,
            second.where,
            subjects=(first.name, second.name),
            first=first.name,
            second=second.name,
            field=name,
            value=value,
            other=other,
            others=odd.others,
        )


def _odd_side(scene: Scene, links: Mapping[str, Link]) -> _Odd | None:
    """Return the only joint that differs from that on the other side, in less than half of the
    values; if there is no other such pair, where a value is missing on one side.
    """
    pairs = [pair for pair in _siblings(scene) if len(pair) == 2]
    compared = [(pair, _different(pair, links)) for pair in pairs]
    odd = [(pair, fields) for pair, fields in compared if fields]
    if len(odd) != 1:
        return None
    ((first, second), fields) = odd[0]
    if len(pairs) == 1:
        fields = {name: values for name, values in fields.items() if 0.0 in values}
    if not fields or 2 * len(fields) >= len(_FIELDS):
        return None
    return _Odd(first, second, fields, len(pairs) - 1)


def _odd_copy(scene: Scene, links: Mapping[str, Link]) -> _Odd | None:
    """Return the only joint that differs in one value from two or more that agree in all but
    their places: the fingers of a hand, the wheels of a car.
    """
    fields = {name: read for name, (read, _) in _FIELDS.items() if name != _OFFSET}
    rows: dict[Joint, list[float]] = {}
    for joint in scene.joints:
        child = links.get(joint.child)
        if joint.axes and _inertia(child).mass > 0.0:
            rows[joint] = [float(read(joint, child)) for read in fields.values()]
    found: list[_Odd] = []
    for index, name in enumerate(fields):
        groups: defaultdict[tuple[str, ...], list[Joint]] = defaultdict(list)
        for joint, values in rows.items():
            rest = values[:index] + values[index + 1 :]
            groups[joint.type.name, *(f"{value:.2e}" for value in rest)].append(joint)
        for group in groups.values():
            by_value = sorted(group, key=lambda joint: rows[joint][index])
            for odd, copies in ((by_value[0], by_value[1:]), (by_value[-1], by_value[:-1])):
                value, *others = (rows[joint][index] for joint in (odd, *copies))
                if len(copies) >= _COPIES and _is_odd(value, others):
                    found.append(_Odd(copies[0], odd, {name: (others[0], value)}, len(copies) - 1))
    return found[0] if len(found) == 1 else None


_COPIES = 2
"""Smallest number of equal parts of which another is a copy with a mistake."""


def _is_odd(value: float, others: Sequence[float]) -> bool:
    """Return whether a value differs from others, which are alike."""
    are_alike = math.isclose(min(others), max(others), rel_tol=_ALIKE)
    return are_alike and not math.isclose(value, others[0], rel_tol=_ALIKE, abs_tol=1e-9)


def _different(pair: Sequence[Joint], links: Mapping[str, Link]) -> dict[str, tuple[float, float]]:
    """Return the values in which two joints differ."""
    found: dict[str, tuple[float, float]] = {}
    for name, (read, least) in _FIELDS.items():
        first, second = (float(read(joint, links.get(joint.child))) for joint in pair)
        if not math.isclose(first, second, rel_tol=_ALIKE, abs_tol=least):
            found[name] = (first, second)
    return found


def _siblings(scene: Scene) -> Iterator[tuple[Joint, ...]]:
    """Yield the joints whose names differ in the side alone, in the order of the file."""
    groups: defaultdict[tuple[str, JointType], list[Joint]] = defaultdict(list)
    for joint in scene.joints:
        key, count = _SIDES.subn(
            lambda side: f"{side['end'] or ''}*{side['start'] or ''}", joint.name
        )
        if count and joint.axes:
            groups[key, joint.type].append(joint)
    yield from map(tuple, groups.values())
