"""Level L2: simulate a second of motion without contact in every engine, and explain the differences that are known."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from bridge.mechanism import Mechanism
from bridge.parity.engines.constraint_violation import constraint_subjects
from bridge.parity.engines.dofs import has_free_or_ball, screw_like_joints
from bridge.parity.engines.protocol import Factory
from bridge.parity.results.verdict import Level, Outcome, Row, explained, explained_by, failed
from loaders.diagnostics import Diagnostic

from .convergence import MIN_FIRST_ORDER, STEPS, errors_over_steps, log_log_slope, order_rows
from .quantities import TOLERANCE, names_at
from .random_states import State, random_states, time_step, without_solver_effects
from .rollouts import Rollout, RolloutCache
from .single_step import step_rows

DURATION = 1.0
"""Duration of a compared motion [s]."""
MAX_REFERENCE_WORK = 5000
"""Degrees of freedom times steps above which the reference, which is slow, does not simulate a second of motion."""
ROUNDING_ERROR = 1e-14
"""Relative rounding error of one step, which grows with the sensitivity of the motion."""
CONSTRAINT_STEP = 1e-3
"""Time step for which the fidelity reports state how well constraints hold [s]."""
_LOST_DYNAMICS = frozenset({"pybullet.link-without-gravity", "pybullet.rotor-inertia"})
_SOFT_CONSTRAINTS = frozenset({
    "mjcf.coupling-soft-constraint", "mjcf.screw-soft-constraint", "mjcf.loop-soft-constraint",
    "mjcf.ball-soft-constraint", "mjcf.coupling", "mjcf.open-at-zero", "pybullet.gear",
    "pybullet.coupling", "pybullet.coupling-across-bodies", "pybullet.loop",
    "pybullet.ball-constraint", "pybullet.cut-links",
})  # fmt: skip
_Named = Sequence[tuple[str, Factory]]


def motion_rows(mechanism: Mechanism, factories: _Named, seed: int) -> Iterator[Row]:
    """Yield the rows of one step, order of convergence and a second of motion, and those of what is left out.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name.
        seed: Seed of the random initial states.
    """
    yield from step_rows(mechanism, factories, seed)
    yield from order_rows(mechanism, factories, seed)
    undamped, damped = without_solver_effects(mechanism, damped=False), without_solver_effects(mechanism)
    start = random_states(undamped, 1, seed)[0]
    yield from _rows("motion without damping", undamped, start, factories)
    if time_step(damped) is None:
        yield _too_stiff(factories)
    elif _has_dampers_or_springs(damped):
        yield from _rows("motion with damping", damped, start, factories)
    if any(rotor for body in mechanism.bodies for rotor in body.reflected_inertia):
        geared = without_solver_effects(mechanism, damped=False, rotors=True)
        yield from _rows("motion with rotors", geared, start, factories)
    yield from _constraint_rows(mechanism, factories, seed)
    yield from _rows_of_omissions(mechanism, factories)


def _has_dampers_or_springs(mechanism: Mechanism) -> bool:
    axes = [axis for joint in mechanism.scene.joints for axis in joint.axes]
    return any(axis.damping or axis.spring_stiffness for axis in axes)


def _too_stiff(factories: _Named) -> Row:
    cause = "dampers or springs are so stiff that explicit integration would be unstable at steps of 1/16 ms"
    return _unknown("motion with damping", (factories[0][0], factories[1][0]), cause)


def _unknown(quantity: str, engines: tuple[str, str], cause: str, where: str = "") -> Row:
    return Row(
        level=Level.MOTION, quantity=quantity, unit="m or rad", engines=engines, error=0.0, tolerance=TOLERANCE,
        where=where, outcome=Outcome.UNKNOWN, cause=cause,
    )  # fmt: skip


def _rows(quantity: str, mechanism: Mechanism, start: State, factories: _Named) -> Iterator[Row]:
    """The rows of one motion, for all pairs of engines."""
    if not mechanism.v_order:
        return
    rollout = Rollout(mechanism=mechanism, start=start, step=time_step(mechanism) or math.nan, duration=DURATION)
    cache = RolloutCache(dict(factories))
    names = [name for name, _ in factories]
    work = round(len(mechanism.v_order) * rollout.duration / rollout.step)
    if work > MAX_REFERENCE_WORK and names[0] == "reference":
        cause = (
            "the reference simulates a second of motion for at most "
            f"{MAX_REFERENCE_WORK} degrees of freedom times steps; the model has {work}"
        )
        yield _unknown(quantity, ("reference", names[1]), cause)
        names = names[1:]
    for engines in combinations(names, 2):
        worst, series = cache.distance(engines, rollout)
        row = Row(
            level=Level.MOTION, quantity=quantity, unit="m or rad", engines=engines, error=worst.error,
            tolerance=TOLERANCE, where=worst.where, subjects=names_at(worst.where), outcome=Outcome.PASSED,
            series=series, sensitivity=cache.sensitivity(engines[1], rollout),
        )  # fmt: skip
        yield row if worst.error <= TOLERANCE else _judged(row, rollout, cache)


# --- causes of a difference ------------------------------------------------------------------------------------------


def _judged(row: Row, rollout: Rollout, cache: RolloutCache) -> Row:
    """The row of a difference beyond the tolerance.

    It is explained by chaos, by dynamics that an engine does not have, by the violation of a constraint, or by the
    order of the integration method; otherwise it fails.
    """
    sensitivity = row.sensitivity or 1.0
    if not math.isfinite(row.error):
        return failed(row)
    if row.error <= ROUNDING_ERROR * sensitivity:
        cause = f"chaotic motion: an initial difference of 1e-10 grows {sensitivity:.0e} times, and rounding with it"
        return explained(row, cause)
    diagnostics = (entry for name in row.engines for entry in cache.trajectory(name, rollout).diagnostics)
    lost = next((entry for entry in diagnostics if entry.code in _LOST_DYNAMICS), None)
    if lost is not None:
        return explained_by(row, lost)
    violation = _screw_violation(row.engines, rollout, cache)
    if row.error <= violation * sensitivity:
        joints = ", ".join(screw_like_joints(rollout.mechanism))
        cause = f"the engines connect rotation and translation of {joints} by a constraint"
        return explained(row, f"{cause}, which is violated by {violation:.0e} rad and grows {sensitivity:.0e} times")
    return _judged_by_order(row, rollout, cache) if has_free_or_ball(rollout.mechanism) else failed(row)


def _screw_violation(engines: tuple[str, str], rollout: Rollout, cache: RolloutCache) -> float:
    """The largest difference between rotation and translation of a screw, as an angle [rad]; zero without screws."""
    screws = screw_like_joints(rollout.mechanism)
    ratios = {
        str(body.joint): min(abs(p.ratio) for p in body.primitives)
        for body in rollout.mechanism.bodies
        if str(body.joint) in screws
    }
    violations = [cache.trajectory(name, rollout).constraint_violation for name in engines]
    return max(
        (by_joint.get(joint, 0.0) / min(ratio, 1.0) for by_joint in violations for joint, ratio in ratios.items()),
        default=0.0,
    )


def _judged_by_order(row: Row, rollout: Rollout, cache: RolloutCache) -> Row:
    """Explained if the difference shrinks with the step at first order."""
    brief = dataclasses.replace(rollout, duration=STEPS * rollout.step)
    points = errors_over_steps(
        rollout.step, lambda step: cache.distance(row.engines, dataclasses.replace(brief, step=step))[0].error
    )
    order = log_log_slope(points)
    row = dataclasses.replace(row, convergence=points, order=order)
    if order is None or order < MIN_FIRST_ORDER:
        return failed(row)
    cause = f"the engines integrate different points of a free body; the difference is of order {order:.2f} in the step"
    return explained(row, cause)


# --- constraints, and what is left out -------------------------------------------------------------------------------


def _constraint_rows(mechanism: Mechanism, factories: _Named, seed: int) -> Iterator[Row]:
    """The largest violation of couplings, screws and loops in each engine while the model moves for a second."""
    constrained = without_solver_effects(mechanism, damped=False, constrained=True)
    has_loops = bool(constrained.closures or constrained.scene.constraints)
    if not (constrained.couplings or has_loops or screw_like_joints(constrained)):
        return
    start = ({}, {}) if has_loops else random_states(constrained, 1, seed)[0]  # loops are closed at zero
    rollout = Rollout(mechanism=constrained, start=start, step=CONSTRAINT_STEP, duration=DURATION)
    cache = RolloutCache(dict(factories))
    subjects = constraint_subjects(constrained)
    for name, _ in factories:
        if name != "reference":
            trajectory = cache.trajectory(name, rollout)
            violations = trajectory.constraint_violation
            where = max(violations, key=violations.__getitem__, default="")
            row = Row(
                level=Level.MOTION, quantity="constraints in motion", unit="m or rad", engines=("reference", name),
                error=violations.get(where, math.inf), tolerance=TOLERANCE, where=where,
                subjects=subjects.get(where, (where,)), outcome=Outcome.PASSED,
            )  # fmt: skip
            held = row.error <= TOLERANCE
            yield row if held else _violated(row, trajectory.diagnostics, screw_like_joints(constrained))


def _violated(row: Row, diagnostics: Sequence[Diagnostic], screws: Sequence[str]) -> Row:
    """The row of a violated constraint, explained if the engine reports that it is soft or missing."""
    reported = (entry for entry in diagnostics if entry.code in _SOFT_CONSTRAINTS)
    cause = next((entry for entry in reported if set(row.subjects).issubset(entry.subjects)), None)
    if cause is not None:
        return explained_by(row, cause, f"; the measured violation is {row.error:.0e}")
    if row.where in screws:
        return explained(row, f"a constraint connects rotation and translation of {row.where}")
    return failed(row)


def _rows_of_omissions(mechanism: Mechanism, factories: _Named) -> Iterator[Row]:
    """A row for everything of the model that no compared motion includes."""
    axes = [(joint.name, axis) for joint in mechanism.scene.joints for axis in joint.axes]
    limited = [name for name, axis in axes if math.isfinite(axis.lower) or math.isfinite(axis.upper)]
    rough = [name for name, axis in axes if axis.friction]
    forces = [force.link_A for force in mechanism.scene.forces]
    reason = "each engine has its own method; only the parameters are compared, at L0"
    for quantity, places, cause in (
        ("stops in motion", limited, f"motion against joint limits is not compared: {reason}"),
        ("dry friction in motion", rough, f"motion with dry friction is not compared: {reason}"),
        ("forces between links in motion", forces, "motion with forces between links is not compared"),
    ):
        if places:
            yield _unknown(quantity, (factories[0][0], factories[1][0]), cause, places[0])
