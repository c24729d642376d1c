"""Motion: a second of motion without contact in every engine alike, and what is known of where it differs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from bridge.mechanism import Mechanism
from bridge.parity.engines.dofs import has_free_or_ball, soft_joints
from bridge.parity.engines.protocol import Factory
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders.diagnostics import Diagnostic

from .convergence import FIRST_ORDER, STEPS, ladder, order_rows, slope
from .quantities import EXACT
from .random_states import State, random_states, time_step, undisturbed
from .rollouts import Ride, Rides
from .single_step import step_rows

DURATION = 1.0
"""Of a compared motion [s]."""
MOST_WORK = 5000
"""Degrees of freedom times steps beyond which the reference, which is slow, is left out of a second of motion."""
ROUNDING = 1e-14
"""What one step of one engine rounds away, relative; grows as a motion parts from its neighbours."""
HELD_STEP = 1e-3
"""Step at which the ledgers state how well constraints hold [s]."""
_LOST = frozenset({"pybullet.link-without-gravity", "pybullet.rotor-inertia"})
_HELD = frozenset({
    "mjcf.coupling-soft-constraint", "mjcf.screw-soft-constraint", "mjcf.loop-soft-constraint",
    "mjcf.ball-soft-constraint", "mjcf.coupling", "mjcf.open-at-zero", "pybullet.gear",
    "pybullet.coupling", "pybullet.coupling-across-bodies", "pybullet.loop",
    "pybullet.ball-constraint", "pybullet.cut-links",
})  # fmt: skip
_Named = Sequence[tuple[str, Factory]]


def motion_rows(mechanism: Mechanism, factories: _Named, seed: int) -> Iterator[Row]:
    """One step from many states, the order of convergence, and a second of motion; what is left out says so."""
    yield from step_rows(mechanism, factories, seed)
    yield from order_rows(mechanism, factories, seed)
    plain, damped = undisturbed(mechanism, damped=False), undisturbed(mechanism)
    start = random_states(plain, 1, seed)[0]
    yield from _rows("motion without damping", plain, start, factories)
    if time_step(damped) is None:
        yield _too_stiff(factories)
    elif _acts(damped):
        yield from _rows("motion with damping", damped, start, factories)
    if any(rotor for body in mechanism.bodies for rotor in body.reflected_inertia):
        yield from _rows("motion with rotors", undisturbed(mechanism, damped=False, geared=True), start, factories)
    yield from _held_rows(mechanism, factories, seed)
    yield from _left_out(mechanism, factories)


def _acts(mechanism: Mechanism) -> bool:
    axes = [axis for joint in mechanism.scene.joints for axis in joint.axes]
    return any(axis.damping or axis.spring_stiffness for axis in axes)


def _too_stiff(factories: _Named) -> Row:
    cause = "dampers or springs are so stiff that explicit steps of 1/16 ms would not follow them"
    return _unknown("motion with damping", (factories[0][0], factories[1][0]), cause)


def _unknown(quantity: str, engines: tuple[str, str], cause: str, where: str = "") -> Row:
    return Row(
        level=Level.MOTION, quantity=quantity, unit="m or rad", engines=engines, error=0.0, tolerance=EXACT,
        where=where, outcome=Outcome.UNKNOWN, cause=cause,
    )  # fmt: skip


def _rows(quantity: str, mechanism: Mechanism, start: State, factories: _Named) -> Iterator[Row]:
    if not mechanism.v_order:
        return
    ride = Ride(mechanism=mechanism, start=start, step=time_step(mechanism) or math.nan, duration=DURATION)
    rides = Rides(dict(factories))
    taking_part = [name for name, _ in factories]
    work = round(len(mechanism.v_order) * ride.duration / ride.step)
    if work > MOST_WORK and taking_part[0] == "reference":
        cause = (
            f"a second of the reference's motion is computed up to {MOST_WORK} freedoms times steps; here are {work}"
        )
        yield _unknown(quantity, ("reference", taking_part[1]), cause)
        taking_part = taking_part[1:]
    for engines in combinations(taking_part, 2):
        worst, series = rides.distance(engines, ride)
        row = Row(
            level=Level.MOTION, quantity=quantity, unit="m or rad", engines=engines, error=worst.error,
            tolerance=EXACT, where=worst.where, outcome=Outcome.PASSED, series=series,
            sensitivity=rides.sensitivity(engines[1], ride),
        )  # fmt: skip
        yield row if worst.error <= EXACT else _judged(row, ride, rides)


# --- what a difference means -----------------------------------------------------------------------------------------


def _judged(row: Row, ride: Ride, rides: Rides) -> Row:
    """A difference beyond rounding: chaos, a known loss, a slipping constraint, the order of the method, or a fault."""
    growth = row.sensitivity or 1.0
    if not math.isfinite(row.error):
        return _failed(row)
    if row.error <= ROUNDING * growth:
        cause = f"motions that start 1e-10 apart are {growth:.0e} times as far apart at the end: rounding does the rest"
        return _explained(row, cause)
    known = [entry for name in row.engines for entry in rides.track(name, ride).ledger if entry.code in _LOST]
    if known:
        return _explained(row, f"{known[0].message} [{known[0].code}]")
    slip = _slip(row.engines, ride, rides)
    if row.error <= slip * growth:
        joints = ", ".join(soft_joints(ride.mechanism))
        cause = f"the engines hold hinge and slide of {joints} together by a constraint, which slips by {slip:.0e} rad"
        return _explained(row, f"{cause} and shows {growth:.0e} times as large")
    return _by_order(row, ride, rides) if has_free_or_ball(ride.mechanism) else _failed(row)


def _slip(engines: tuple[str, str], ride: Ride, rides: Rides) -> float:
    """By how much the turn and the advance of a screw parted, as a turn [rad]; zero without screws."""
    ratios = {
        str(body.joint): min(abs(p.ratio) for p in body.primitives)
        for body in ride.mechanism.bodies
        if str(body.joint) in soft_joints(ride.mechanism)
    }
    slips = [rides.track(name, ride).slips for name in engines]
    return max(
        (by_joint.get(j, 0.0) / min(ratio, 1.0) for by_joint in slips for j, ratio in ratios.items()), default=0.0
    )


def _by_order(row: Row, ride: Ride, rides: Rides) -> Row:
    brief = dataclasses.replace(ride, duration=STEPS * ride.step)
    points = ladder(ride.step, lambda h: rides.distance(row.engines, dataclasses.replace(brief, step=h))[0].error)
    order = slope(points)
    row = dataclasses.replace(row, convergence=points, order=order)
    if order is None or order < FIRST_ORDER:
        return _failed(row)
    return _explained(row, f"the engines integrate different points of a free body; order {order:.2f} in the step")


def _explained(row: Row, cause: str) -> Row:
    return dataclasses.replace(row, outcome=Outcome.EXPLAINED, cause=cause)


def _failed(row: Row) -> Row:
    return dataclasses.replace(row, outcome=Outcome.FAILED, cause="")


# --- what each engine has a solver of its own for --------------------------------------------------------------------


def _held_rows(mechanism: Mechanism, factories: _Named, seed: int) -> Iterator[Row]:
    """How well each engine holds couplings, screws and loops while the model moves for a second."""
    held = undisturbed(mechanism, damped=False, held=True)
    if not (held.couplings or held.closures or held.scene.constraints or soft_joints(held)):
        return
    looped = bool(held.closures or held.scene.constraints)  # loops close where the file has them, hardly anywhere else
    start = ({}, {}) if looped else random_states(held, 1, seed)[0]
    ride = Ride(mechanism=held, start=start, step=HELD_STEP, duration=DURATION)
    rides = Rides(dict(factories))
    for name, _ in factories:
        if name != "reference":
            track = rides.track(name, ride)
            where = max(track.slips, key=track.slips.__getitem__, default="")
            row = Row(
                level=Level.MOTION, quantity="constraints in motion", unit="m or rad", engines=("reference", name),
                error=track.slips.get(where, math.inf), tolerance=EXACT, where=where, outcome=Outcome.PASSED,
            )  # fmt: skip
            yield row if row.error <= EXACT else _slipping(row, track.ledger, soft_joints(held))


def _slipping(row: Row, ledger: Sequence[Diagnostic], soft: Sequence[str]) -> Row:
    known = [entry for entry in ledger if entry.code in _HELD]
    entry = next((entry for entry in known if row.where in entry.message.split()), None)
    if entry is not None:
        return _explained(row, f"{entry.message} [{entry.code}]; here it is {row.error:.0e}")
    if row.where in soft:
        return _explained(row, f"hinge and slide of {row.where} are held together by a constraint")
    return _failed(row)


def _left_out(mechanism: Mechanism, factories: _Named) -> Iterator[Row]:
    """A row for everything of the model that no compared motion has."""
    axes = [(joint.name, axis) for joint in mechanism.scene.joints for axis in joint.axes]
    stopped = [name for name, axis in axes if math.isfinite(axis.lower) or math.isfinite(axis.upper)]
    rough = [name for name, axis in axes if axis.friction]
    own = "is solved by each engine in its own way, and compared at L0 alone"
    for quantity, places, cause in (
        ("stops in motion", stopped, f"what a joint does at its limits {own}"),
        ("dry friction in motion", rough, f"dry friction {own}"),
        ("forces between links in motion", [force.link_A for force in mechanism.scene.forces], "left out of motion"),
    ):
        if places:
            yield _unknown(quantity, (factories[0][0], factories[1][0]), cause, places[0])
