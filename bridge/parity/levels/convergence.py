"""Order of convergence: how errors shrink with the step, and the exact motion that every engine must come nearer to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.coordinates import Position, default_position, kind_of
from bridge.parity.engines.protocol import Factory
from bridge.parity.engines.reference_engine import accelerations
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders.spatial import Array

from .quantities import Worst, compare_readings, matrix, pose_distance
from .random_states import State, random_states, time_step, undisturbed
from .rollouts import Ride, Rides

Points = tuple[tuple[float, float], ...]
"""Steps [s] and errors."""
HALVINGS = 4
"""Steps of a ladder, each half as long as the one before."""
STEPS = 40
"""Of the longest step, in a motion whose order is measured."""
FIRST_ORDER = 0.9
"""Least order of a method of first order; what is missing to one, higher terms take."""
LARGEST_EXACT = 40
"""Degrees of freedom beyond which the exact motion, which is slow to compute, is left out."""
EXACTLY = "exact"
"""What the exact motion is called in a row."""
LARGEST_REFERENCE = 9
"""Degrees of freedom beyond which the order of the reference itself is left out."""
NOTHING = 1e-10
"""An error at the longest step that is none: then there is no order."""


def slope(points: Sequence[tuple[float, float]]) -> float | None:
    """The slope of errors over steps on logarithmic axes, by least squares; None if it has none."""
    if len(points) < 2 or not all(0.0 < error < math.inf for _, error in points):
        return None
    steps, errors = np.log(np.array(points)).T
    return float(np.polyfit(steps, errors, 1)[0])


def ladder(longest: float, error: Callable[[float], float]) -> Points:
    """Steps and errors, from the longest step down."""
    return tuple((longest / 2**k, error(longest / 2**k)) for k in range(HALVINGS))


def order_rows(mechanism: Mechanism, factories: Sequence[tuple[str, Factory]], seed: int) -> Iterator[Row]:
    """For each engine, how its motion nears the exact one as the step shrinks."""
    moving = undisturbed(mechanism)
    step = time_step(moving)
    if step is None:
        moving = undisturbed(mechanism, damped=False)
        step = time_step(moving)
    if not moving.v_order or step is None:
        return
    if len(moving.v_order) > LARGEST_EXACT:
        yield _too_large(factories[0][0], len(moving.v_order))
        return
    start = random_states(moving, 1, seed)[0]
    duration = STEPS * step
    exact = {link: matrix(X_WL) for link, X_WL in moving.link_poses(exact_motion(moving, start, step, STEPS)).items()}
    for name, factory in factories:
        if name == "reference" and len(moving.v_order) > LARGEST_REFERENCE:
            continue  # it takes the same steps as MuJoCo, which one step has shown, and takes them slowly
        yield _row(
            name, Rides({name: factory}), Ride(mechanism=moving, start=start, step=step, duration=duration), exact
        )


def _too_large(engine: str, freedoms: int) -> Row:
    cause = f"the exact motion is computed up to {LARGEST_EXACT} degrees of freedom; here are {freedoms}"
    return Row(
        level=Level.MOTION, quantity="order of convergence", unit="", engines=(EXACTLY, engine), error=0.0,
        tolerance=1.0 - FIRST_ORDER, where="", outcome=Outcome.UNKNOWN, cause=cause,
    )  # fmt: skip


def _row(engine: str, rides: Rides, ride: Ride, exact: dict[str, Array]) -> Row:
    points, where = nearing(engine, rides, ride, exact)
    return order_row(Level.MOTION, "order of convergence", engine, points, where)


def nearing(engine: str, rides: Rides, ride: Ride, exact: dict[str, Array]) -> tuple[Points, str]:
    """Steps and distances from the exact poses at the end of a ride, and the link with the largest."""
    worst = Worst()

    def error(step: float) -> float:
        reached = rides.track(
            engine, Ride(mechanism=ride.mechanism, start=ride.start, step=step, duration=ride.duration)
        )
        here = Worst()
        compare_readings(exact, reached.poses[-1], pose_distance, here)
        worst.see(here.error, here.where)
        return here.error

    return ladder(ride.step, error), worst.where


def order_row(level: Level, quantity: str, engine: str, points: Points, where: str) -> Row:
    """The row of errors that must shrink with the step at first order; its error is what the order lacks of one."""
    order = slope(points)
    missing = 0.0 if points[0][1] < NOTHING else math.inf if order is None else max(0.0, 1.0 - order)
    outcome = Outcome.PASSED if missing <= 1.0 - FIRST_ORDER else Outcome.FAILED
    return Row(
        level=level, quantity=quantity, unit="", engines=(EXACTLY, engine), error=missing,
        tolerance=1.0 - FIRST_ORDER, where=where, outcome=outcome, convergence=points, order=order,
    )  # fmt: skip


# --- the exact motion ------------------------------------------------------------------------------------------------


def exact_motion(mechanism: Mechanism, start: State, step: float, count: int) -> dict[str, Position]:
    """Positions after some steps of the classical Runge-Kutta method of fourth order."""
    q = np.concatenate([np.zeros(0), *mechanism.positions_by_body(start[0])])
    v = mechanism.velocities(start[1])
    for _ in range(count):
        q, v = _stepped(mechanism, q, v, step)
    return _named(mechanism, q)


def _stepped(mechanism: Mechanism, q: Array, v: Array, h: float) -> tuple[Array, Array]:
    def rate(dq: Array, dv: Array, part: float) -> tuple[Array, Array]:
        at, speed = q + part * h * dq, v + part * h * dv
        return _rates(mechanism, at, speed), accelerations(mechanism, _named(mechanism, at), _rated(mechanism, speed))

    k1 = rate(np.zeros_like(q), np.zeros_like(v), 0.0)
    k2 = rate(*k1, 0.5)
    k3 = rate(*k2, 0.5)
    k4 = rate(*k3, 1.0)
    dq, dv = ((a + 2.0 * b + 2.0 * c + d) / 6.0 for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    return q + h * dq, v + h * dv


def _rates(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """How fast the positions change: of a quaternion, half the angular velocity times it."""
    rates, start = np.zeros_like(q), 0
    for body in mechanism.bodies:
        kind, k = kind_of(body), body.v_start
        size = len(default_position(body))
        here = slice(start, start + size)
        if kind is None:
            rates[here] = v[k : k + size]
        else:
            turning = k + 3 if kind is PrimitiveKind.FREE else k
            rates[start : start + size - 4] = v[k:turning]
            rates[start + size - 4 : start + size] = _spun(q[start + size - 4 : start + size], v[turning : turning + 3])
        start += size
    return rates


def _spun(wxyz: Array, w: Array) -> Array:
    scalar, vector = wxyz[0], wxyz[1:]
    return 0.5 * np.concatenate(([-w @ vector], scalar * w + np.cross(w, vector)))


def _named(mechanism: Mechanism, q: Array) -> dict[str, Position]:
    found: dict[str, Position] = {}
    start = 0
    for body, default in zip(mechanism.bodies, mechanism.positions_by_body(), strict=True):
        if default:
            found[str(body.joint)] = q[start : start + len(default)].tolist()
        start += len(default)
    return found


def _rated(mechanism: Mechanism, v: Array) -> dict[str, Position]:
    return {
        str(body.joint): v[body.v_start : body.v_start + body.nv].tolist()
        for body in mechanism.bodies
        if body.primitives
    }
