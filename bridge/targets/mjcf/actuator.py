"""actuator."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

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
        context.add(
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
    tag, settings = _short_form(own_settings(actuator))
    element = context.document["actuator"].add(tag, name=name)
    element.set(**target)
    lower, upper = actuator.control
    if math.isfinite(lower) or math.isfinite(upper):
        element.set(
            ctrllimited=True if lower == upper else None,
            ctrlrange=(max(lower, -UNLIMITED), min(upper, UNLIMITED)),
        )
    element.set(**(settings | target))


_DEFAULTS = {"gaintype": "fixed", "dyntype": "none"}
"""Values of MuJoCo's own defaults, which are not written."""
_CONTROLLER = {"gaintype": "fixed", "dyntype": "none", "biastype": "affine", "input": "pos"}
"""Settings of a position controller."""
_PARAMETERS = {"gainprm", "biasprm", "dynprm"}


def _short_form(settings: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the tag of an actuator and its attributes as people write them: those of a position
    controller as such, any other without the zeros at the end and what MuJoCo assumes.
    """
    short = {name: text for name, text in settings.items() if _DEFAULTS.get(name) != text}
    for name in _PARAMETERS & short.keys():
        short[name] = _without_last_zeros(short[name])
    stiffness = short.get("gainprm", "1")
    spring, _, damping = short.get("biasprm", "0").removeprefix("0 -").partition(" -")
    is_one = _CONTROLLER.items() <= settings.items() and "dynprm" not in settings
    if not is_one or spring != stiffness or " " in spring + damping:
        return "general", short
    gains = {"kp": stiffness, "kv": damping} if damping else {"kp": stiffness}
    others = short.keys() - _PARAMETERS - _CONTROLLER.keys()
    return "position", gains | {name: text for name, text in short.items() if name in others}


def _without_last_zeros(text: str) -> str:
    """Return numbers without the zeros at their end, at least one."""
    values = text.split()
    last = max((i for i, value in enumerate(values) if value != "0"), default=0)
    return " ".join(values[: last + 1])


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
_IMPOSED = 10.0
"""Product of gain, inverse inertia and time step of a speed that the source imposes: the integrator
``implicitfast`` damps implicitly, so that the gain may exceed 1. With 100, a contact with the
ground turns the wheel by jumps; with 1, light wheels of a heavy car miss their speed."""
_MAX_STIFFNESS = 0.25
"""Largest product of gain, inverse inertia and squared time step while other joints move freely;
twice is stable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drive:
    """A joint and its actuator, in the coordinate of the MJCF joint."""

    actuator: Actuator
    joint: str
    axis: JointAxis
    """Limits of the joint."""
    efforts: tuple[float, float]
    """Least and largest effort that the source permits [N m or N]."""
    control: tuple[float, float]
    """Range of the control that the source states; infinite if it is one of another quantity."""
    feedforward: float
    """Constant effort of the controller [N m or N]."""
    imposes_velocity: bool
    """Whether the source sets the velocity that is commanded, whatever effort that takes."""
    inertia: EffectiveInertia | None
    """Effective inertia of all joints; None if unknown."""
    v: int
    """Index of the joint's velocity component."""
    ratio: float
    """Position of the MJCF joint divided by the mechanism's."""

    @property
    def effort(self) -> float:
        """Largest magnitude of the effort [N m or N]."""
        return max(map(abs, self.efforts))

    @property
    def subjects(self) -> tuple[str, ...]:
        """The actuator and its joint, as subjects of a diagnostic."""
        return _subjects(self.actuator)

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
        slow = math.inf if self.imposes_velocity else _BANDWIDTH**2 * locked
        return _round_to_three_digits(min(slow, _MAX_STIFFNESS * free / step**2) / self.ratio**2)

    def damping(self, step: float) -> float:
        """Return the gain of a velocity controller: the stiffest that the time step can hold if the
        source imposes the speed, else that of the default bandwidth.
        """
        if not self.imposes_velocity or self.inertia is None:
            return _round_to_three_digits(2.0 * self.stiffness(step) / _BANDWIDTH)
        free = self.inertia.min_free[self.v] / self.ratio**2
        return _round_to_three_digits(_IMPOSED * float(free) / step)


@dataclass(frozen=True, slots=True)
class WrittenActuators:
    """The actuators, as far as other sections need them."""

    speed_limited: frozenset[str] = frozenset()
    """Joints of the source whose actuators have no effort beyond the joint's speed limit."""
    targets: Mapping[str, float] = field(default_factory=dict)
    """Control at the start of each actuator for which the source states one, by its name."""


def write_actuators(
    scalar_joints: dict[int, ScalarJoint], context: MjcfContext
) -> WrittenActuators:
    """Write one actuator for each joint for which the source states an actuator or an effort limit.

    Args:
        scalar_joints: The MJCF joint of each velocity component.
        context: The export.
    """
    inertia = effective_inertia(context.mechanism)
    if inertia is not None:
        report_light_joints(inertia, scalar_joints, context)
    kind: str = context.options.actuators
    if kind == "none" and not is_for_ros2_control(context):
        _report_omitted(context)
        return WrittenActuators()
    actuators = _stated_actuators(context)
    if kind == "none":  # ros2_control commands what the source does not drive already
        kind, driven = "stated", stated_actuators(context)
        actuators = [
            item
            for item in actuators
            if item.actuator.interfaces and item.actuator.name not in driven
        ]
    else:
        actuators += _implied_actuators(context.mechanism)
    targets: dict[str, float] = {}
    drives = [
        _write_actuator(actuator, kind, scalar_joints, inertia, targets, context)
        for actuator in actuators
    ]
    limited = (d.actuator.joint for d in drives if d and _ends_at_speed_limit(d, context))
    return WrittenActuators(frozenset(limited), targets)


def _report_omitted(context: MjcfContext) -> None:
    actuators = [a.actuator for a in context.mechanism.actuators if not own_settings(a.actuator)]
    if actuators:
        names = tuple(actuator.name for actuator in actuators)
        context.add(codes.NO_ACTUATORS, actuators[0].where, subjects=names, actuators=names)


def _write_actuator(
    driven: MechanismActuator,
    kind: str,
    scalar_joints: dict[int, ScalarJoint],
    inertia: EffectiveInertia | None,
    targets: dict[str, float],
    context: MjcfContext,
) -> _Drive | None:
    """Write an actuator, and add its control at the start to the targets; return None, with a
    diagnostic, if its joint is not a hinge or slide of the tree.
    """
    actuator = driven.actuator
    joint = None if driven.dof is None else scalar_joints.get(driven.dof)
    if joint is None or driven.dof is None:
        context.add(
            codes.ACTUATOR,
            actuator.where,
            subjects=_subjects(actuator),
            actuator=actuator.name,
            joint=actuator.joint,
        )
        return None
    said = _stated_quantity(actuator)
    if kind == "stated":
        kind = _KINDS.get(said or "effort", "motor")
    quantity = kind if kind in _KINDS else "effort"
    scale = 1.0 / joint.ratio if quantity == "effort" else joint.ratio
    is_meant = said in {None, quantity}
    drive = _drive(actuator, joint, driven.dof, inertia, scale if is_meant else None, context)
    name = context.names.claim(
        "actuator", actuator.name, alternative=f"{actuator.joint}{SEPARATOR}{actuator.name}"
    )
    element = context.document["actuator"].add(_TAGS.get(kind, kind), name=name, joint=joint.joint)
    _WRITERS[kind](element, drive, context)
    if not is_meant and _commands_something(actuator):
        context.add(
            codes.OTHER_COMMAND,
            actuator.where,
            subjects=_subjects(actuator),
            actuator=actuator.name,
            commanded=actuator.interfaces[0],
            kind=kind,
        )
    if actuator.target is not None and is_meant:
        targets[name] = actuator.target * scale
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
        context.add(codes.IDLE_FOLLOWERS, idle[0].actuator.where, subjects=joints, joints=joints)
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
    scale: float | None,
    context: MjcfContext,
) -> _Drive:
    """Return the drive of a joint; ``scale`` is the control of the MJCF joint per control of the
    source, None if that is of another quantity.
    """
    primitive = context.mechanism.bodies[joint.body].primitives[joint.primitive]
    axis, r = primitive.limits or JointAxis(xyz=primitive.axis), abs(joint.ratio)
    lower, upper = _scaled((axis.lower, axis.upper), joint.ratio)
    return _Drive(
        actuator=actuator,
        joint=joint.joint,
        axis=replace(axis, lower=lower, upper=upper, velocity=axis.velocity * r),
        efforts=_efforts(actuator, axis, joint.ratio),
        control=_scaled(actuator.control, scale) if scale else (-math.inf, math.inf),
        feedforward=actuator.feedforward / joint.ratio if scale else 0.0,
        imposes_velocity=actuator.imposes_velocity and scale is not None,
        inertia=inertia,
        v=v,
        ratio=r,
    )


def _stated_quantity(actuator: Actuator) -> str | None:
    """Return what the control of an actuator is in the source; None if it does not say."""
    text = "".join(actuator.interfaces[:1]).lower()
    return next((name for name in ("position", "velocity", "effort") if name in text), None)


def _commands_something(actuator: Actuator) -> bool:
    """Return whether a source says more of the control than its quantity."""
    is_limited = any(map(math.isfinite, actuator.control))
    return is_limited or actuator.target is not None or actuator.feedforward != 0.0


def _scaled(bounds: tuple[float, float], scale: float) -> tuple[float, float]:
    lower, upper = sorted(bound * scale for bound in bounds)
    return lower, upper


def _efforts(actuator: Actuator, axis: JointAxis, ratio: float) -> tuple[float, float]:
    """Return the least and the largest effort of an actuator on the MJCF joint."""
    limit = axis.effort if axis.effort > 0.0 else math.inf
    least = -actuator.effort if actuator.min_effort is None else actuator.min_effort
    return _scaled((max(least, -limit), min(actuator.effort, limit)), 1.0 / ratio)


_KINDS = {"position": "position", "velocity": "velocity"}
"""The kind of actuator for each quantity but the effort."""


# --- types of actuators ---------------------------------------------------------------------------


def _motor(element: MjcfElement, drive: _Drive, _context: MjcfContext) -> None:
    """Write an actuator whose effort is its control."""
    element.set(ctrlrange=_range(_common(drive.efforts, drive.control)))


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
        context.add(
            codes.VELOCITY_LIMIT,
            drive.actuator.where,
            subjects=drive.subjects,
            joint=drive.joint,
            speed=speed,
        )
    else:
        missing = "speed" if math.isfinite(effort) else "effort"
        context.add(
            codes.NO_SPEED_LINE,
            drive.actuator.where,
            subjects=drive.subjects,
            joint=drive.joint,
            missing=missing,
        )
        speed = math.inf
    control = _max_control(drive, speed, context)
    element.set(ctrlrange=_range((-control, control)), forcerange=_range(drive.efforts))


def _max_control(drive: _Drive, speed: float, context: MjcfContext) -> float:
    """Return the effort limit, or what the time step can hold if that is less, which is
    reported.
    """
    effort, step = drive.effort, context.time_step
    limit = drive.max_effort(step, speed)
    if limit < effort < math.inf:
        context.add(
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
    kp, kv = stiffness if actuator.p_gain is None else actuator.p_gain, actuator.d_gain
    has_range = -UNLIMITED < drive.axis.lower < drive.axis.upper < UNLIMITED
    bounds = (drive.axis.lower, drive.axis.upper) if has_range else (-math.inf, math.inf)
    control = _common(bounds, drive.control)
    if drive.feedforward:
        _affine(element, (kp, -kp, -(kv or 0.0)), drive)
    else:
        element.set(kp=kp, kv=kv, dampratio=1.0 if kv is None else None)
    if has_range and control == bounds and not drive.feedforward:
        element.set(inheritrange=1.0)
    else:
        element.set(ctrlrange=_range(control))
    element.set(forcerange=_range(drive.efforts))
    if actuator.p_gain is None:
        _report_gain("position", drive, stiffness, context)


def _velocity(element: MjcfElement, drive: _Drive, context: MjcfContext) -> None:
    """Write a damper to the commanded speed."""
    stated, damping = drive.actuator.d_gain, drive.damping(context.time_step)
    kv, speed = damping if stated is None else stated, drive.axis.velocity
    if drive.feedforward:
        _affine(element, (kv, 0.0, -kv), drive)
    else:
        element.set(kv=kv)
    element.set(
        ctrlrange=_range(_common((-speed, speed), drive.control)), forcerange=_range(drive.efforts)
    )
    if stated is None:
        _report_gain("velocity", drive, damping, context)


def _affine(element: MjcfElement, gains: tuple[float, float, float], drive: _Drive) -> None:
    """Write a controller with a constant effort, from the gain of its control and those of position
    and velocity.
    """
    gain, *bias = gains
    element.tag = "general"
    element.set(biastype="affine", gainprm=(gain,), biasprm=(drive.feedforward, *bias))


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


def _range(bounds: tuple[float, float]) -> tuple[float, float] | None:
    """Return a range with finite bounds; None if there is none, or if nothing lies in it."""
    lower, upper = bounds
    if not lower < upper or (math.isinf(lower) and math.isinf(upper)):
        return None
    return max(lower, -UNLIMITED), min(upper, UNLIMITED)


def _common(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return max(a[0], b[0]), min(a[1], b[1])


def _round_to_three_digits(x: float) -> float:
    return float(f"{x:.3g}")


_STIFFEST = {"position": codes.ASSUMED_GAIN_OF_POSITION, "velocity": codes.ASSUMED_GAIN_OF_SPEED}


def _report_gain(kind: str, drive: _Drive, gain: float, context: MjcfContext) -> None:
    context.add(
        _STIFFEST[kind] if drive.imposes_velocity else codes.ASSUMED_GAIN,
        drive.actuator.where,
        subjects=drive.subjects,
        actuator=drive.actuator.name,
        gain=gain,
        time=1.0 / _BANDWIDTH,
        time_step=context.time_step,
        inverse=1.0 / gain if gain else math.inf,
    )
