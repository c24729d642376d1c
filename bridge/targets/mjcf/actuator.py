"""actuator."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, MechanismActuator
from bridge.mechanism.coordinates import floating_joint_names
from bridge.targets.mjcf import codes
from loaders.model import Actuator, JointAxis
from loaders.scoped_names import SEPARATOR

from .context import UNLIMITED, MjcfContext, MjcfElement, own_settings
from .inertial import EffectiveInertia, effective_inertia, max_effort, report_light_joints
from .joint import ScalarJoint, where_of
from .ros2_control import is_for_ros2_control, stated_actuators


def write_actuator_laws(
    scalar_joints: dict[int, ScalarJoint], tendons: Mapping[str, str], context: MjcfContext
) -> None:
    """Write each actuator that has a law.

    Args:
        scalar_joints: The MJCF joint of each velocity component.
        tendons: The name of each written tendon, by its name in the scene.
        context: The export.
    """
    for driven in context.mechanism.actuators:
        if own_settings(driven.actuator):
            _write(driven.actuator, scalar_joints, tendons, context)


def _write(
    actuator: Actuator,
    scalar_joints: dict[int, ScalarJoint],
    tendons: Mapping[str, str],
    context: MjcfContext,
) -> None:
    target = _target(actuator, scalar_joints, tendons, context)
    if target is None:
        context.report(
            codes.ACTUATOR,
            actuator.where,
            subjects=(actuator.name, actuator.joint or actuator.tendon),
            actuator=actuator.name,
            joint=actuator.joint or actuator.tendon,
        )
        return
    name = context.names.claim("actuator", actuator.name)
    if name != actuator.name:
        context.names.changed.setdefault(actuator.name, name)
    element = context.document["actuator"].add("general", name=name)
    element.set(**target)
    lower, upper = actuator.control
    if math.isfinite(lower) or math.isfinite(upper):
        element.set(ctrllimited=True, ctrlrange=(max(lower, -UNLIMITED), min(upper, UNLIMITED)))
    element.set(**(own_settings(actuator) | target))


def _target(
    actuator: Actuator,
    scalar_joints: dict[int, ScalarJoint],
    tendons: Mapping[str, str],
    context: MjcfContext,
) -> dict[str, str] | None:
    """Return the attribute that names what an actuator drives; None if it is not written."""
    if actuator.tendon:
        return {"tendon": tendons[actuator.tendon]} if actuator.tendon in tendons else None
    if not actuator.joint:
        return {}
    key = "jointinparent" if "jointinparent" in own_settings(actuator) else "joint"
    mechanism = context.mechanism
    joint = scalar_joints.get(mechanism.dof_index.get((actuator.joint, 0), -1))
    if joint is not None:
        return {key: joint.joint}
    name = floating_joint_names(mechanism.scene, mechanism.bodies).get(
        actuator.joint, actuator.joint
    )
    return {key: name} if (name, 0) in mechanism.dof_index else None


_BANDWIDTH = 30.0
"""Frequency [rad/s] of a controller without a stated gain, while all other joints are locked."""
_MAX_STIFFNESS = 0.25
"""Largest product of gain, inverse inertia and squared time step while other joints move freely;
twice is stable.
"""


_CONTROLLED = {"position": "position", "velocity": "velocity"}
"""Type of the actuator that an interface of ros2_control controls; that of any other is a motor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drive:
    """A joint and its actuator, in the coordinate of the MJCF joint."""

    actuator: Actuator
    joint: str
    axis: JointAxis
    """Limits of the joint."""
    effort: float
    """Least effort limit that the source states [N m or N]."""
    inertia: EffectiveInertia | None
    """Effective inertia of all joints; None if unknown."""
    v: int
    """Index of the joint's velocity component."""
    ratio: float
    """Position of the MJCF joint divided by the mechanism's."""

    @property
    def subjects(self) -> tuple[str, ...]:
        """The actuator and its joint, as subjects of a diagnostic."""
        return _subjects(self.actuator)

    def stated_range(self, kind: str) -> tuple[float, float] | None:
        """Return the range of the control that the source states for the first interface of the
        actuator, within the limits of the joint; None if it states none for actuators of a type.

        Args:
            kind: The type of actuator that is written.
        """
        if _kind_of(self.actuator) != kind or not any(map(math.isfinite, self.actuator.control)):
            return None
        factor = 1.0 / self.ratio if kind == "motor" else self.ratio
        lower, upper = sorted(bound * factor for bound in self.actuator.control)
        bounds = {
            "position": (self.axis.lower, self.axis.upper),
            "velocity": (-self.axis.velocity, self.axis.velocity),
            "motor": (-self.effort, self.effort),
        }[kind]
        lower, upper = max(lower, bounds[0]), min(upper, bounds[1])
        return (max(lower, -UNLIMITED), min(upper, UNLIMITED)) if lower < upper else None

    def max_effort(self, step: float, speed: float) -> float:
        """Return the largest effort that the time step can hold, to three digits; see
        `max_effort`.
        """
        free = self.inertia.free[self.v] / self.ratio**2 if self.inertia else math.inf
        return _round_to_three_digits(max_effort(free, self.axis, step, speed=speed))

    def stiffness(self, step: float) -> float:
        """Return the gain of a position controller of the default bandwidth, within what the time
        step can hold.
        """
        if self.inertia is None:
            return _BANDWIDTH**2
        locked, free = self.inertia.locked[self.v], self.inertia.min_free[self.v]
        return _round_to_three_digits(
            min(_BANDWIDTH**2 * locked, _MAX_STIFFNESS * free / step**2) / self.ratio**2
        )


def write_actuators(scalar_joints: dict[int, ScalarJoint], context: MjcfContext) -> frozenset[str]:
    """Write one actuator for each joint for which the source states an actuator or an effort limit.

    Args:
        scalar_joints: The MJCF joint of each velocity component.
        context: The export.

    Returns:
        The joints of the source whose actuators have no effort beyond the joint's speed limit.
    """
    inertia = effective_inertia(context.mechanism)
    if inertia is not None:
        report_light_joints(inertia, scalar_joints, context)
    kind = context.options.actuators
    if kind == "none" and not is_for_ros2_control(context):
        _report_omitted(context)
        return frozenset()
    actuators: list[tuple[MechanismActuator, str]] = [
        (actuator, kind) for actuator in _stated_actuators(context)
    ]
    if kind == "none":  # each has the type that its interface controls
        actuators = [(item, _kind_of(item.actuator)) for item, _ in actuators]
        stated = stated_actuators(context)
        actuators = [
            entry
            for entry in actuators
            if entry[0].actuator.interfaces and entry[0].actuator.name not in stated
        ]
    else:
        actuators += [(item, kind) for item in _implied_actuators(context.mechanism)]
    drives = [
        _write_actuator(actuator, kind, scalar_joints, inertia, context)
        for actuator, kind in actuators
    ]
    return frozenset(
        drive.actuator.joint for drive in drives if drive and _ends_at_speed_limit(drive, context)
    )


def _kind_of(actuator: Actuator) -> str:
    """Return the type of the actuator that the first interface controls."""
    return _CONTROLLED.get(next(iter(actuator.interfaces), ""), "motor")


def _report_omitted(context: MjcfContext) -> None:
    actuators = [a.actuator for a in context.mechanism.actuators if not own_settings(a.actuator)]
    if actuators:
        names = tuple(actuator.name for actuator in actuators)
        context.report(codes.NO_ACTUATORS, actuators[0].where, subjects=names, actuators=names)


def _write_actuator(
    driven: MechanismActuator,
    kind: str,
    scalar_joints: dict[int, ScalarJoint],
    inertia: EffectiveInertia | None,
    context: MjcfContext,
) -> _Drive | None:
    """Write an actuator; return None, with a diagnostic, if its joint is not a hinge or slide of
    the tree.
    """
    actuator = driven.actuator
    joint = None if driven.dof is None else scalar_joints.get(driven.dof)
    if joint is None or driven.dof is None:
        context.report(
            codes.ACTUATOR,
            actuator.where,
            subjects=_subjects(actuator),
            actuator=actuator.name,
            joint=actuator.joint,
        )
        return None
    drive = _drive(actuator, joint, driven.dof, inertia, context.mechanism)
    name = context.names.claim(
        "actuator", actuator.name, alternative=f"{actuator.joint}{SEPARATOR}{actuator.name}"
    )
    element = context.document["actuator"].add(_TAGS.get(kind, kind), name=name, joint=joint.joint)
    _WRITERS[kind](element, drive, context)
    stated = drive.stated_range(kind)
    if stated is not None:
        element.set(ctrlrange=stated)
    return drive


# --- which joints are driven ----------------------------------------------------------------------


def _stated_actuators(context: MjcfContext) -> list[MechanismActuator]:
    """Return the actuators of the source, without those that only state the effort limit of a
    follower.
    """
    followers = _followers(context.mechanism)
    places = {
        body.joint: where_of(body) for body in context.mechanism.bodies if body.joint in followers
    }
    idle = [
        a
        for a in context.mechanism.actuators
        if a.actuator.where == places.get(a.actuator.joint) and _has_no_gain(a)
    ]
    if idle:
        joints = tuple(a.actuator.joint for a in idle)
        context.report(codes.IDLE_FOLLOWERS, idle[0].actuator.where, subjects=joints, joints=joints)
    return [
        a for a in context.mechanism.actuators if a not in idle and not own_settings(a.actuator)
    ]


def _followers(mechanism: Mechanism) -> set[str]:
    return {mechanism.v_order[coupling.follower][0] for coupling in mechanism.couplings}


def _has_no_gain(driven: MechanismActuator) -> bool:
    return driven.actuator.p_gain is None and driven.actuator.d_gain is None


def _implied_actuators(mechanism: Mechanism) -> list[MechanismActuator]:
    """Return an actuator for each joint that has an effort limit, no actuator in the source, and no
    leader.
    """
    excluded = {a.actuator.joint for a in mechanism.actuators} | _followers(mechanism)
    actuators = []
    for body in mechanism.bodies:
        effort = _effort_limit(body)
        if body.joint is not None and body.joint not in excluded and effort is not None:
            actuator = Actuator(
                name=body.joint, joint=body.joint, effort=effort, where=where_of(body)
            )
            actuators.append(MechanismActuator(actuator=actuator, dof=body.v_start))
    return actuators


def _effort_limit(body: Body) -> float | None:
    """Return the effort limit of a joint of one degree of freedom; None if it states none."""
    limits = body.primitives[0].limits if body.nv == 1 else None
    return limits.effort if limits is not None and 0.0 < limits.effort < math.inf else None


def _drive(
    actuator: Actuator,
    joint: ScalarJoint,
    v: int,
    inertia: EffectiveInertia | None,
    mechanism: Mechanism,
) -> _Drive:
    primitive = mechanism.bodies[joint.body].primitives[joint.primitive]
    axis, r = primitive.limits or JointAxis(xyz=primitive.axis), abs(joint.ratio)
    lower, upper = sorted((axis.lower * joint.ratio, axis.upper * joint.ratio))
    return _Drive(
        actuator=actuator,
        joint=joint.joint,
        axis=replace(axis, lower=lower, upper=upper, velocity=axis.velocity * r),
        effort=min(actuator.effort, axis.effort if axis.effort > 0.0 else math.inf) / r,
        inertia=inertia,
        v=v,
        ratio=r,
    )


# --- types of actuators ---------------------------------------------------------------------------


def _motor(element: MjcfElement, drive: _Drive, _context: MjcfContext) -> None:
    """Write an actuator whose effort is its control."""
    element.set(ctrlrange=_symmetric_range(drive.effort))


def _ends_at_speed_limit(drive: _Drive, context: MjcfContext) -> bool:
    """Return whether the actuator has no effort beyond the joint's speed limit."""
    has_limits = math.isfinite(drive.effort) and 0.0 < drive.axis.velocity < math.inf
    return context.options.actuators == "dcmotor" and has_limits


def _dc_motor(element: MjcfElement, drive: _Drive, context: MjcfContext) -> None:
    """Write an actuator whose effort falls linearly with speed: at full control it is zero at the
    speed limit.
    """
    effort, speed = drive.effort, drive.axis.velocity
    if _ends_at_speed_limit(drive, context):
        element.set(biastype="affine", biasprm=(0.0, 0.0, -effort / speed))
        context.report(
            codes.VELOCITY_LIMIT,
            drive.actuator.where,
            subjects=drive.subjects,
            joint=drive.joint,
            speed=speed,
        )
    else:
        missing = "speed" if math.isfinite(effort) else "effort"
        context.report(
            codes.NO_SPEED_LINE,
            drive.actuator.where,
            subjects=drive.subjects,
            joint=drive.joint,
            missing=missing,
        )
        speed = math.inf
    control = _max_control(drive, speed, context)
    element.set(ctrlrange=_symmetric_range(control), forcerange=_symmetric_range(effort))


def _max_control(drive: _Drive, speed: float, context: MjcfContext) -> float:
    """Return the effort limit, or what the time step can hold if that is less, which is
    reported.
    """
    effort, step = drive.effort, context.time_step
    limit = drive.max_effort(step, speed)
    if limit < effort < math.inf:
        context.report(
            codes.CONTROL_RANGE,
            drive.actuator.where,
            subjects=drive.subjects,
            joint=drive.joint,
            effort=effort,
            speed=speed,
            step=step,
            limit=limit,
        )
    return min(limit, effort) if math.isfinite(effort) else effort


def _position(element: MjcfElement, drive: _Drive, context: MjcfContext) -> None:
    """Write a spring and a damper to the commanded position."""
    actuator, stiffness = drive.actuator, drive.stiffness(context.time_step)
    element.set(kp=stiffness if actuator.p_gain is None else actuator.p_gain)
    if actuator.d_gain is None:
        element.set(dampratio=1.0)
    else:
        element.set(kv=actuator.d_gain)
    if drive.stated_range("position") is not None:
        pass  # which is written for every type of actuator
    elif -UNLIMITED < drive.axis.lower < drive.axis.upper < UNLIMITED:
        element.set(inheritrange=1.0)
    element.set(forcerange=_symmetric_range(drive.effort))
    if actuator.p_gain is None:
        _report_gain(drive, stiffness, context)


def _velocity(element: MjcfElement, drive: _Drive, context: MjcfContext) -> None:
    """Write a damper to the commanded speed."""
    gain = drive.actuator.d_gain
    damping = _round_to_three_digits(2.0 * drive.stiffness(context.time_step) / _BANDWIDTH)
    element.set(
        kv=damping if gain is None else gain,
        ctrlrange=_symmetric_range(drive.axis.velocity),
        forcerange=_symmetric_range(drive.effort),
    )
    if gain is None:
        _report_gain(drive, damping, context)


_WRITERS: dict[str, Callable[[MjcfElement, _Drive, MjcfContext], None]] = {
    "motor": _motor,
    "dcmotor": _dc_motor,
    "position": _position,
    "velocity": _velocity,
}
_TAGS = {"dcmotor": "general"}
"""MJCF's element, if its name differs; MJCF's own ``dcmotor`` takes volts."""


def _subjects(actuator: Actuator) -> tuple[str, ...]:
    return tuple(dict.fromkeys((actuator.name, actuator.joint)))


def _symmetric_range(limit: float) -> tuple[float, float] | None:
    return (-limit, limit) if math.isfinite(limit) else None


def _round_to_three_digits(x: float) -> float:
    return float(f"{x:.3g}")


def _report_gain(drive: _Drive, gain: float, context: MjcfContext) -> None:
    context.report(
        codes.ASSUMED_GAIN,
        drive.actuator.where,
        subjects=drive.subjects,
        actuator=drive.actuator.name,
        gain=gain,
        time=1.0 / _BANDWIDTH,
    )
