"""Level L3: conservation of energy and momentum in every engine, and the torque-free tumbling of a
rigid body.

The exact motion conserves the energy and, without gravity, the momentum of floating models.
Semi-implicit Euler conserves them up to a drift of first order in the step. Therefore the order of
the drift is compared: a wrong mass, inertia or frame inside an engine causes a drift that does not
shrink with the step.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from bridge.lowering import lower
from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.parity.convergence import (
    HALVINGS,
    MIN_FIRST_ORDER,
    ROUNDING_ERROR,
    STEPS,
    Rollout,
    RolloutCache,
    convergence_to_exact,
    exact_motion,
    order_row,
)
from bridge.parity.engine import (
    BaseEngine,
    Engine,
    Factory,
    is_slow,
    screw_like_joints,
    unit_roundoff,
)
from bridge.parity.quantity import matrix
from bridge.parity.states import MAX_STEP, State, random_states, without_solver_effects
from bridge.parity.verdict import EXACT_MOTION, Level, Outcome, Row
from bridge.targets.pybullet import codes as pybullet_codes
from loaders.diagnostics import Diagnostic
from loaders.inertia import SpatialInertia
from loaders.model import Link, Model
from loaders.pose import IDENTITY, Array, Pose, frozen
from loaders.scene import Scene

SAMPLES = 10
"""Number of times at which the conserved quantities are computed."""
WINDOWS = ((1.0, MAX_STEP), *((STEPS * MAX_STEP / n, MAX_STEP / n) for n in (1, 8, 64)))
"""Durations and longest steps [s]: first a second, then shorter ones for joints that move too fast
to measure an order.

A loss of energy grows with time like the drift, but does not shrink with the step: it shows better
at shorter steps."""
MAX_DOFS = 60
"""Degrees of freedom above which energy and momentum, which need thousands of steps, are left
out."""
SPIN = (0.3, 5.0, 0.2)
"""Angular velocity of the tumbling body about its axes of least, middle and greatest moment
[rad/s].

Rotation about the middle axis is unstable, so the body tumbles."""
MIN_MOMENT_RATIO = 1e-3
"""Smallest ratio of the least to the greatest moment of inertia of a tumbling link.

By conservation of energy the link rotates about its thin axis at most ``sqrt(1 /
MIN_MOMENT_RATIO)`` times as fast as about the middle axis at the start, which is 0.3 rad in the
longest step."""
_SPLIT_LINKS = pybullet_codes.CUT_LINKS
_Named = Sequence[tuple[str, Factory]]


def invariant_rows(mechanism: Mechanism, factories: _Named, seed: int) -> Iterator[Row]:
    """Yield the rows of energy, momentum and tumbling for each engine, and those of what is left
    out.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name; slow ones, such as the reference, are left out.
        seed: Seed of the random initial states.
    """
    engines = [
        (name, factory)
        for name, factory in factories
        if not is_slow(factory) and unit_roundoff(factory) <= BaseEngine.unit_roundoff
    ]
    undamped = without_solver_effects(mechanism, damped=False)
    if not undamped.v_order or not engines:
        return
    if len(undamped.v_order) > MAX_DOFS:
        cause = (
            f"measured for at most {MAX_DOFS} degrees of freedom; the model has "
            f"{len(undamped.v_order)}"
        )
        yield _unknown("energy drift", engines, cause)
    else:
        if undamped.scene.gravity.any():
            yield from _drifts(undamped, _energy, ("energy",), engines, seed)
        weightless = _without_gravity(undamped)
        has_floating = bool(_floating_bases(weightless))
        momenta = ("linear momentum", "angular momentum") if has_floating else ()
        yield from _drifts(
            weightless, _kinetic_quantities, ("kinetic energy", *momenta), engines, seed
        )
        if not has_floating:
            yield _unknown(
                "momentum drift",
                engines,
                "the model is fixed to the world, which takes up its momentum",
            )
    yield from _tumbling(mechanism, engines)
    yield from _rows_of_omissions(mechanism, engines)


def _without_gravity(mechanism: Mechanism) -> Mechanism:
    return relowered(
        mechanism, dataclasses.replace(mechanism.scene, gravity=frozen((0.0, 0.0, 0.0)))
    )


# --- conserved quantities -------------------------------------------------------------------------


def _energy(engine: Engine, mechanism: Mechanism) -> dict[str, tuple[Array, float]]:
    """Return the total energy of the mechanism in the state of an engine [J], with the kinetic
    energy as its scale.
    """
    q, v = engine.positions(), engine.velocities()
    kinetic = 0.5 * float(v @ mechanism.mass_matrix(q) @ v)
    poses, g = mechanism.link_poses(q), np.asarray(mechanism.gravity)
    centers = (
        (body.inertia.mass, poses[body.name] @ Pose.of(p=body.inertia.p_LLcm))
        for body in mechanism.bodies
        if body.link.gravity
    )
    potential = -sum(mass * float(g @ X_WLcm.p) for mass, X_WLcm in centers)
    return {"energy": (np.array([kinetic + potential]), kinetic)}


def _kinetic_quantities(engine: Engine, mechanism: Mechanism) -> dict[str, tuple[Array, float]]:
    """Kinetic energy and momenta, which are conserved without gravity; small losses show in their
    small drift.
    """
    return {"kinetic energy": _energy(engine, mechanism)["energy"], **_momenta(engine, mechanism)}


def _momenta(engine: Engine, mechanism: Mechanism) -> dict[str, tuple[Array, float]]:
    """Linear momentum [kg m/s], angular momentum about the origin [kg m^2/s], and their scales."""
    q, v = engine.positions(), engine.velocities()
    h, poses = mechanism.mass_matrix(q) @ v, mechanism.link_poses(q)
    P, L, p_scale, l_scale = np.zeros(3), np.zeros(3), 0.0, 0.0
    for body in _floating_bases(mechanism):
        p, l_body = h[body.v_start : body.v_start + 3], h[body.v_start + 3 : body.v_start + 6]
        l_origin = l_body + np.cross(poses[body.name].p, p)
        P, L = P + p, L + l_origin
        p_scale, l_scale = (
            p_scale + float(np.linalg.norm(p)),
            l_scale + float(np.linalg.norm(l_origin)),
        )
    return {"linear momentum": (P, p_scale), "angular momentum": (L, l_scale)}


def _floating_bases(mechanism: Mechanism) -> list[Body]:
    """Return the bodies that float freely in the world."""
    return [
        body
        for body in mechanism.bodies
        if body.parent == ROOT and kind_of(body) is PrimitiveKind.FREE
    ]


# --- drift ----------------------------------------------------------------------------------------


def _drifts(
    mechanism: Mechanism,
    conserved: Callable[[Engine, Mechanism], dict[str, tuple[Array, float]]],
    quantities: Sequence[str],
    factories: _Named,
    seed: int,
) -> Iterator[Row]:
    start = random_states(mechanism, 1, seed)[0]
    for name, factory in factories:
        engine = factory(mechanism)
        try:
            rows = _drift_rows(name, engine, lambda e: conserved(e, mechanism), quantities, start)
            yield from (
                _judged(row, engine.diagnostics, screw_like_joints(mechanism)) for row in rows
            )
        finally:
            engine.close()


def _drift_rows(
    name: str,
    engine: Engine,
    conserved: Callable[[Engine], dict[str, tuple[Array, float]]],
    quantities: Sequence[str],
    start: State,
) -> list[Row]:
    """One row for each quantity, over the longest of `WINDOWS` in which an order can be
    measured.
    """
    rows: list[Row] = []
    for duration, longest in WINDOWS:
        drifts = [
            _drift(engine, conserved, start, longest / 2**k, duration) for k in range(HALVINGS)
        ]
        rows = []
        for quantity in quantities:
            errors = [(step, drift[quantity]) for step, drift in drifts]
            rows.append(_row(quantity, name, errors, duration))
        if all(_shows_order(row) for row in rows):
            break
    return rows


def _shows_order(row: Row) -> bool:
    """Return whether there is no drift, or it shrinks by the same power of two at every halving of
    the step.

    Otherwise terms of several orders, or a loss, are superimposed.
    """
    errors = [error for _, error in row.convergence]
    if errors[0] < ROUNDING_ERROR:
        return True
    if row.order is None:
        return False
    slopes = -np.diff(np.log2(errors))
    power = max(1, round(float(slopes[-1])))
    return bool(np.abs(slopes - power).max() <= 1.0 - MIN_FIRST_ORDER)


def _row(quantity: str, engine: str, points: Sequence[tuple[float, float]], duration: float) -> Row:
    row = order_row(Level.INVARIANTS, f"{quantity} drift", engine, tuple(points), "all links")
    longest, drift = points[0]
    exactly = row.order is None or drift < ROUNDING_ERROR
    order = "up to rounding" if exactly else f"to first order, measured {row.order:.2f}"
    drifted = (
        f"the relative drift is {drift:.1e} in {duration:g} s at steps of {1e3 * longest:g} ms"
    )
    return dataclasses.replace(
        row, cause=f"semi-implicit Euler conserves it {order}; {drifted}" if row.passed else ""
    )


def _drift(
    engine: Engine,
    conserved: Callable[[Engine], Mapping[str, tuple[Array, float]]],
    start: State,
    step: float,
    duration: float,
) -> tuple[float, dict[str, float]]:
    """Return the step, and the largest change of each quantity relative to its scale."""
    engine.set_step(step)
    engine.set_state(*start)
    initial = conserved(engine)
    worst = dict.fromkeys(initial, 0.0)
    scale = {name: size for name, (_, size) in initial.items()}
    for _ in range(SAMPLES):
        engine.step(round(duration / step / SAMPLES))
        for name, (value, size) in conserved(engine).items():
            worst[name] = max(worst[name], float(np.abs(value - initial[name][0]).max()))
            scale[name] = max(scale[name], size)
    return step, {name: drift / (scale[name] or 1.0) for name, drift in worst.items()}


def _judged(row: Row, diagnostics: Sequence[Diagnostic], screws: Sequence[str]) -> Row:
    """Return the row; a drift is not judged where a constraint of the solver holds the model
    together.
    """
    if row.passed:
        return row
    halves = next((entry for entry in diagnostics if entry.code == _SPLIT_LINKS.name), None)
    if halves is None and not screws:
        return row
    held = (
        f"the halves of links: {halves.message}"
        if halves is not None
        else f"the screws {', '.join(screws)}"
    )
    return dataclasses.replace(
        row,
        outcome=Outcome.UNKNOWN,
        is_stated=False,
        cause=f"a constraint, which changes the energy, holds {held}",
    )


# --- tumbling -------------------------------------------------------------------------------------


def _tumbling(mechanism: Mechanism, factories: _Named) -> Iterator[Row]:
    """Yield the rows of the link with the most distinct moments of inertia, spun about its middle
    axis without torque.
    """
    suitable = [link for link in mechanism.scene.links if _asymmetry(link) > 0.0]
    if not suitable:
        yield _unknown(
            "torque-free tumbling",
            factories,
            "no link has distinct moments of inertia of similar size",
        )
        return
    link = max(suitable, key=_asymmetry)
    single = lower(_single_link_scene(link))
    start = _spinning_state(link.name, single.bodies[0].inertia)
    duration = STEPS * MAX_STEP
    final = exact_motion(single, start, MAX_STEP / 4, 4 * STEPS)
    exact = {name: matrix(X_WL) for name, X_WL in single.link_poses(final).items()}
    rollout = Rollout(mechanism=single, start=start, step=MAX_STEP, duration=duration)
    for name, factory in factories:
        points, _ = convergence_to_exact(name, RolloutCache({name: factory}), rollout, exact)
        yield order_row(Level.INVARIANTS, "torque-free tumbling", name, points, link.name)


def _asymmetry(link: Link) -> float:
    """Return the mass of a link times the relative difference of its moments; zero if the inertia
    is thin or invalid.
    """
    inertia = link.inertia
    if inertia is None or inertia.mass <= 0.0 or inertia.defects():
        return 0.0
    least, _, greatest = np.sort(inertia.principal_axes()[1])
    return (
        inertia.mass * (1.0 - float(least / greatest))
        if least > MIN_MOMENT_RATIO * greatest
        else 0.0
    )


def _single_link_scene(link: Link) -> Scene:
    bare = dataclasses.replace(
        link, X_WL=IDENTITY, model="alone", collisions=(), visuals=(), sensors=(), kinematic=False
    )
    model = Model(name="alone", X_WM=IDENTITY, canonical_link=link.name)
    return Scene(name="alone", gravity=frozen((0.0, 0.0, 0.0)), models=(model,), links=(bare,))


def _spinning_state(name: str, inertia: SpatialInertia) -> State:
    """Return the state of a link that rotates about its center of mass, which is at rest."""
    R_LI, moments = inertia.principal_axes()
    w = R_LI[:, np.argsort(moments)] @ np.array(SPIN)
    v = -np.cross(w, inertia.p_LLcm)
    return {name: (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}, {name: (*v.tolist(), *w.tolist())}


def _rows_of_omissions(mechanism: Mechanism, factories: _Named) -> Iterator[Row]:
    """Yield a row for everything of the model that is left out: constraints, forces between links,
    and rotors.
    """
    constraints = [coupling.name for coupling in mechanism.couplings]
    constraints += [closure.joint.name for closure in mechanism.closures]
    forces = [force.link_A for force in mechanism.scene.forces]
    forces += [force.link for force in mechanism.fluid_forces]
    rotors = [str(body.joint) for body in mechanism.bodies if any(body.reflected_inertia)]
    for quantity, places, cause in (
        (
            "energy with constraints",
            constraints,
            "couplings and loops are removed, because constraint solvers change the energy",
        ),
        (
            "energy of forces between links",
            forces,
            "forces between links, and of a fluid, are removed",
        ),
        ("energy of rotors", rotors, "rotors are removed; L2 compares their motion"),
    ):
        if places:
            yield _unknown(quantity, factories, cause, places[0])


def _unknown(quantity: str, factories: _Named, cause: str, where: str = "") -> Row:
    return Row(
        level=Level.INVARIANTS,
        quantity=quantity,
        engines=(EXACT_MOTION, factories[0][0]),
        tolerance=1.0 - MIN_FIRST_ORDER,
        where=where,
        outcome=Outcome.UNKNOWN,
        cause=cause,
        is_stated=False,
    )
