"""Level L2: the motion of an engine that reads the file itself, to which all other motions must
converge.

Such a witness shares neither the reading of the file nor the lowering to a mechanism with the other
engines. The exact motion of the smooth model is compared with it in numbers; the motion of each
simulator, as it is exported, must approach it when the time step becomes small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bridge import codes
from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.parity.convergence import (
    CONFIDENCE,
    MAX_EXACT_DOFS,
    SINGULAR,
    condition,
    displacement,
    exact_motion,
    limit_at_zero,
    log_log_slope,
)
from bridge.parity.engine import (
    DivergedError,
    Engine,
    Factory,
    NotReportedError,
    as_exported,
    moving_links,
    solves_constraints,
)
from bridge.parity.quantity import (
    TOLERANCE,
    WorstErrors,
    compare_readings,
    matrix,
    names_at,
    pose_distance,
)
from bridge.parity.states import (
    State,
    fastest_rate,
    random_states,
    time_step,
    without_solver_effects,
)
from bridge.parity.verdict import REFERENCE, Level, Outcome, Row, failed
from loaders.model import Joint
from loaders.pose import Array

from .model_motion import (
    LONGEST_STEP,
    SHORTENINGS,
    SHRINKS,
    STAYS,
    STEPS,
    STOP_IS_NEAR,
    ExportedMotion,
    Motions,
    lost_by,
    shrinkage,
    start_of,
)

QUANTITY, SMOOTH_QUANTITY = "witnessed motion", "witnessed smooth motion"
DURATION = 0.1
"""Duration of the smooth motion [s]."""
REFINEMENTS = (1, 4, 16)
"""Divisors of the steps of the exact motion until it is known."""
MAX_STIFFNESS = 1e5
"""Rate of dampers and springs times the duration above which the witness, which follows them, does
not move."""
MAX_EXACT_WORK = 2000
"""Degrees of freedom times steps of the exact motion from which its steps are not divided
further."""
RESOLUTION = 0.1
"""Error of the exact motion, relative to the tolerance, at which it is known."""
RUNGE_KUTTA = 15.0
"""Ratio of the change to the remaining error when steps of a method of fourth order are halved."""
OTHER_MODEL = frozenset(
    {
        codes.DRAKE_COUPLING,
        codes.DRAKE_LINK_WITHOUT_GRAVITY,
        codes.DRAKE_REPLACED_INERTIA,
        codes.DRAKE_SHARED_DAMPING,
    }
)
"""Codes of diagnostics that report another mass, weight, damping or coupling in the witness, which
moves differently with it."""
_Open = Callable[[Mechanism], Engine]


def witness_rows(
    mechanism: Mechanism,
    factories: Sequence[tuple[str, Factory]],
    witnesses: Mapping[str, _Open],
    seed: int,
) -> Iterator[Row]:
    """Yield the rows of each witness with the exact motion, and with each simulator.

    Args:
        mechanism: The complete mechanism.
        factories: The reference and the simulators by name.
        witnesses: Functions that open an engine which reads the file of a mechanism, by name.
        seed: Seed of the random initial states.
    """
    if not mechanism.v_order:
        return
    for name, open_witness in witnesses.items():
        reason = _refusal(mechanism, open_witness)
        if reason is None:
            continue  # the refusal to read the file has its own row
        if reason:
            yield from (_unknown(QUANTITY, (other, name), reason) for other, _ in factories)
            continue
        if _is_smooth(mechanism):
            yield _smooth_row(mechanism, name, open_witness, seed)
        yield from _simulator_rows(mechanism, factories, name, open_witness, seed)


def _refusal(mechanism: Mechanism, open_witness: _Open) -> str | None:
    """Return why the motion of a witness cannot be compared: None if it does not read the file,
    empty if it can be.
    """
    engine = open_witness(mechanism)
    try:
        if engine.refusal:
            return None
        moving = moving_links(mechanism) | {joint for joint, _ in mechanism.v_order}
        others = (
            entry
            for entry in engine.diagnostics
            if entry.is_one_of(OTHER_MODEL) and moving & {*entry.subjects}
        )
        return next((f"{entry.message}, so that it moves differently" for entry in others), "")
    finally:
        engine.close()


def _is_smooth(mechanism: Mechanism) -> bool:
    """Return whether only gravity, dampers, springs and dry friction, which is left out, act on the
    model.
    """
    return not (_is_constrained(mechanism) or mechanism.scene.forces or mechanism.fluid_forces)


def _is_constrained(mechanism: Mechanism) -> bool:
    """Return whether solvers hold something, so that a difference is not a power series in the
    step.
    """
    scene = mechanism.scene
    is_locked = any(axis.lower == axis.upper for joint in scene.joints for axis in joint.axes)
    return bool(is_locked or mechanism.couplings or mechanism.closures or scene.constraints)


# --- the exact motion -----------------------------------------------------------------------------


def _smooth_row(mechanism: Mechanism, name: str, open_witness: _Open, seed: int) -> Row:
    """Return the row of the exact motion and the witness."""
    engines = REFERENCE, name
    moving = without_solver_effects(mechanism, rotors=True)
    step = time_step(moving)
    if step is None or len(moving.v_order) > MAX_EXACT_DOFS:
        return _unknown(
            SMOOTH_QUANTITY, engines, "the model is too stiff or too large for the exact motion"
        )
    start = random_states(moving, 1, seed)[0]
    if condition(moving, start) >= SINGULAR:
        return _unknown(
            SMOOTH_QUANTITY,
            engines,
            "the mass matrix is singular, so that there is no exact motion",
        )
    try:
        exact, remaining = _exact_poses(moving, start, step)
    except DivergedError as error:
        return _unknown(SMOOTH_QUANTITY, engines, str(error))
    if remaining > TOLERANCE:
        return _unknown(
            SMOOTH_QUANTITY, engines, f"the exact motion is known to {remaining:.0e} only"
        )
    try:
        witness = _witness_poses(mechanism, open_witness, start)
    except NotReportedError as error:
        return _unknown(SMOOTH_QUANTITY, engines, str(error))
    worst = WorstErrors()
    compare_readings(exact, witness, pose_distance, worst)
    row = _row(SMOOTH_QUANTITY, engines, worst, Outcome.PASSED)
    return row if row.error <= TOLERANCE else failed(row)


def _exact_poses(mechanism: Mechanism, start: State, step: float) -> tuple[dict[str, Array], float]:
    """Return the link poses after `DURATION`, and the error of them that remains."""
    poses: dict[str, Array] = {}
    remaining = np.inf
    for refinement in REFINEMENTS:
        count = round(DURATION / step) * refinement
        coarse = poses or _poses_at(mechanism, start, count)
        poses = _poses_at(mechanism, start, 2 * count)
        worst = WorstErrors()
        compare_readings(coarse, poses, pose_distance, worst)
        remaining = worst.error / RUNGE_KUTTA
        if remaining <= RESOLUTION * TOLERANCE or count * len(mechanism.v_order) > MAX_EXACT_WORK:
            break
    return poses, remaining


def _poses_at(mechanism: Mechanism, start: State, count: int) -> dict[str, Array]:
    q = exact_motion(mechanism, start, DURATION / count, count)
    return {link: matrix(X_WL) for link, X_WL in mechanism.link_poses(q).items()}


def _witness_poses(mechanism: Mechanism, open_witness: _Open, start: State) -> dict[str, Array]:
    engine = open_witness(mechanism)
    try:
        engine.set_step(DURATION)
        engine.set_state(*start)
        engine.step(1)
        return {link: matrix(X_WL) for link, X_WL in engine.link_poses().items()}
    finally:
        engine.close()


# --- the simulators -------------------------------------------------------------------------------


def _simulator_rows(
    mechanism: Mechanism,
    factories: Sequence[tuple[str, Factory]],
    name: str,
    open_witness: _Open,
    seed: int,
) -> Iterator[Row]:
    """Yield the rows of the exported motions of all simulators and the witness; dry friction, which
    it lacks, is left out.
    """
    simulators = {other: as_exported(f) for other, f in factories if solves_constraints(f)}
    model = _without_friction(mechanism)
    motions = Motions(
        mechanism=model, start=start_of(model, seed), engines={**simulators, name: open_witness}
    )
    longest = min(mechanism.scene.physics.time_step, LONGEST_STEP)
    rate = fastest_rate(model, motions.start[0])
    if rate * STEPS * longest > MAX_STIFFNESS:
        cause = (
            f"dampers or springs act at a rate of {rate:.1e} 1/s, which takes the witness too "
            f"many steps"
        )
        yield from (_unknown(QUANTITY, (other, name), cause) for other in simulators)
        return
    for other in simulators:
        try:
            yield _judged(motions, (other, name), longest, in_series=not _is_constrained(mechanism))
        except NotReportedError as error:
            yield _unknown(QUANTITY, (other, name), str(error))


def _judged(motions: Motions, pair: tuple[str, str], longest: float, *, in_series: bool) -> Row:
    """Return the row of the limit of the distance for a step of zero.

    Its tolerance is the uncertainty of the limit; the distance must also shrink. A motion that does
    neither is shortened, because a difference of the models shows in a short motion, too. Where the
    distance is not a power series in the step, it must shrink, and its limit is shown with the
    distance at the shortest step as its uncertainty.
    """
    found = []
    for shortening in SHORTENINGS:
        at_steps = motions.at_halved_steps(pair, longest / shortening)
        if not at_steps:
            continue
        shortest, row, shrinks = _measured(pair, at_steps)
        if not in_series:
            row = replace(row, tolerance=max(row.tolerance, row.convergence[-1][1]))
        if row.error <= row.tolerance and shrinks <= SHRINKS:
            return row
        found.append((shortest, row, shrinks))
    if not found:
        return _unknown(QUANTITY, pair, STOP_IS_NEAR)
    shortest, first, _ = found[0]
    if all(row.error > row.tolerance or shrinks >= STAYS for _, row, shrinks in found):
        return lost_by(replace(first, error=first.convergence[-1][1]), shortest) or failed(first)
    cause = (
        "the motions show no order in the step, or none that is the same in an eighth of the time"
    )
    return replace(first, outcome=Outcome.UNKNOWN, cause=cause)


def _measured(
    pair: tuple[str, str], at_steps: Sequence[tuple[float, tuple[ExportedMotion, ExportedMotion]]]
) -> tuple[tuple[ExportedMotion, ExportedMotion], Row, float]:
    """Return the motions at the shortest step, the row of the limit, and the ratio of the distances
    at the shortest and at the longest step.
    """
    points, differences = [], []
    for step, (one, two) in at_steps:
        worst = WorstErrors()
        a, b = one.poses[-1], two.poses[-1]
        compare_readings(a, b, pose_distance, worst)
        points.append((step, worst.error))
        differences.append(np.concatenate([displacement(b[name], a[name]) for name in b]))
    limit, uncertainty = limit_at_zero(differences)
    error = float(np.abs(limit).max(initial=0.0))
    row = replace(
        _row(QUANTITY, pair, worst, Outcome.PASSED),
        error=error if np.isfinite(error) else np.inf,
        tolerance=CONFIDENCE * uncertainty + TOLERANCE,
        convergence=tuple(points),
        order=log_log_slope(points),
    )
    return at_steps[-1][1], row, shrinkage(points[0][1], points[-1][1])


def _without_friction(mechanism: Mechanism) -> Mechanism:
    scene = mechanism.scene
    if not any(axis.friction for joint in scene.joints for axis in joint.axes):
        return mechanism
    joints: list[Joint] = []
    for joint in scene.joints:
        axes = tuple(replace(axis, friction=0.0) for axis in joint.axes)
        joints.append(replace(joint, axes=axes))
    return relowered(mechanism, replace(scene, joints=tuple(joints)))


def _row(
    quantity: str, engines: tuple[str, str], worst: WorstErrors, outcome: Outcome, cause: str = ""
) -> Row:
    return Row(
        level=Level.MOTION,
        quantity=quantity,
        unit="m or rad",
        engines=engines,
        error=worst.error,
        tolerance=TOLERANCE,
        where=worst.where,
        subjects=names_at(worst.where) if worst.where else (),
        outcome=outcome,
        cause=cause,
    )


def _unknown(quantity: str, engines: tuple[str, str], cause: str) -> Row:
    return _row(quantity, engines, WorstErrors(), Outcome.UNKNOWN, cause)
