"""Invariants: what no motion without losses changes, in every engine, and the tumbling of a body that nothing turns.

Energy, and without gravity the momentum of what floats, stay as they are in the exact motion. Semi-implicit Euler keeps
them to first order of the step: hence their drift must shrink with the step, and it is the order that is judged. A
mass, an inertia or a frame that is wrong inside an engine shows as a drift that does not shrink.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from bridge.lowering import lower
from bridge.lowering.regularization import with_minimum_inertia
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.parity.engines.dofs import soft_joints
from bridge.parity.engines.protocol import Engine, Factory
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders.diagnostics import Diagnostic
from loaders.model import Link, Model
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Array, Pose, SpatialInertia, frozen

from .convergence import EXACTLY, FIRST_ORDER, HALVINGS, NOTHING, STEPS, exact_motion, nearing, order_row
from .quantities import matrix
from .random_states import MAX_STEP, State, random_states, undisturbed
from .rollouts import Ride, Rides

SAMPLES = 10
"""Times at which an engine is asked what it keeps."""
WINDOWS = ((1.0, MAX_STEP), *((STEPS * MAX_STEP / n, MAX_STEP / n) for n in (1, 8, 64)))
"""Durations and longest steps [s]: a second; where joints move too fast for the order to show, less and finer ones.

A loss grows with time as the drift does, but does not shrink with the step: the finer the step, the more it stands out.
"""
LARGEST = 60
"""Degrees of freedom beyond which energy and momentum, which take thousands of steps, are left out."""
SPIN = (0.3, 5.0, 0.2)
"""Of a tumbling body about its axes of least, middle and greatest moment [rad/s]: about the middle one it tumbles."""
THINNEST = 1e-3
"""Least moment of inertia over the greatest, of a link that tumbles.

By its energy it turns about its thin axis at most ``sqrt(1 / THINNEST)`` times as fast as it is spun about the middle
one, which is 0.3 rad in the longest step.
"""
_LOST = frozenset({"pybullet.link-without-gravity", "pybullet.cut-links"})
_Named = Sequence[tuple[str, Factory]]


def invariant_rows(mechanism: Mechanism, factories: _Named, seed: int) -> Iterator[Row]:
    """Drift of energy and momentum, and tumbling, for each engine; what is left out says so."""
    engines = [(name, factory) for name, factory in factories if name != "reference"]
    falling = undisturbed(mechanism, damped=False)
    if not falling.v_order or not engines:
        return
    if len(falling.v_order) > LARGEST:
        cause = f"measured up to {LARGEST} degrees of freedom; here are {len(falling.v_order)}"
        yield _unknown("energy drift", engines, cause)
    else:
        if falling.scene.gravity.any():
            yield from _drifts(falling, _energy, ("energy",), engines, seed)
        weightless = _weightless(falling)
        floats = bool(_floating(weightless))
        momenta = ("linear momentum", "angular momentum") if floats else ()
        yield from _drifts(weightless, _of_motion, ("kinetic energy", *momenta), engines, seed)
        if not floats:
            yield _unknown("momentum drift", engines, "no link floats: what holds the model takes up its momentum")
    yield from _tumbling(mechanism, engines)
    yield from _left_out(mechanism, engines)


def _weightless(mechanism: Mechanism) -> Mechanism:
    return with_minimum_inertia(lower(dataclasses.replace(mechanism.scene, gravity=frozen((0.0, 0.0, 0.0)))))


# --- what is kept ----------------------------------------------------------------------------------------------------


def _energy(engine: Engine, mechanism: Mechanism) -> dict[str, tuple[Array, float]]:
    """Kinetic and potential energy together [J], as the mechanism has them, and the kinetic part as their scale."""
    q, v = engine.positions(), engine.velocities()
    kinetic = 0.5 * float(v @ mechanism.mass_matrix(q) @ v)
    poses, g = mechanism.link_poses(q), np.asarray(mechanism.scene.gravity)
    centres = (
        (body.inertia.mass, poses[body.name] @ Pose.of(p=body.inertia.p_LLcm))
        for body in mechanism.bodies
        if body.link.gravity
    )
    potential = -sum(mass * float(g @ X_WLcm.p) for mass, X_WLcm in centres)
    return {"energy": (np.array([kinetic + potential]), kinetic)}


def _of_motion(engine: Engine, mechanism: Mechanism) -> dict[str, tuple[Array, float]]:
    """What is kept without gravity. Kinetic energy drifts far less than energy, so that small losses show in it."""
    return {"kinetic energy": _energy(engine, mechanism)["energy"], **_momenta(engine, mechanism)}


def _momenta(engine: Engine, mechanism: Mechanism) -> dict[str, tuple[Array, float]]:
    """Of all that floats: linear momentum [kg m/s], angular momentum about the origin [kg m^2/s], and their scales."""
    q, v = engine.positions(), engine.velocities()
    h, poses = mechanism.mass_matrix(q) @ v, mechanism.link_poses(q)
    P, L, p_scale, l_scale = np.zeros(3), np.zeros(3), 0.0, 0.0
    for body in _floating(mechanism):
        p, turn = h[body.v_start : body.v_start + 3], h[body.v_start + 3 : body.v_start + 6]
        turn = turn + np.cross(poses[body.name].p, p)
        P, L = P + p, L + turn
        p_scale, l_scale = p_scale + float(np.linalg.norm(p)), l_scale + float(np.linalg.norm(turn))
    return {"linear momentum": (P, p_scale), "angular momentum": (L, l_scale)}


def _floating(mechanism: Mechanism) -> list[Body]:
    """The links that nothing holds, with all that they carry."""
    return [body for body in mechanism.bodies if body.parent == ROOT and kind_of(body) is PrimitiveKind.FREE]


# --- how it drifts ---------------------------------------------------------------------------------------------------


def _drifts(
    mechanism: Mechanism,
    kept: Callable[[Engine, Mechanism], dict[str, tuple[Array, float]]],
    quantities: Sequence[str],
    factories: _Named,
    seed: int,
) -> Iterator[Row]:
    start = random_states(mechanism, 1, seed)[0]
    for name, factory in factories:
        engine = factory(mechanism)
        try:
            rows = _drift_rows(name, engine, lambda e: kept(e, mechanism), quantities, start)
            yield from (_judged(row, engine.diagnostics, soft_joints(mechanism)) for row in rows)
        finally:
            engine.close()


def _drift_rows(
    name: str,
    engine: Engine,
    kept: Callable[[Engine], dict[str, tuple[Array, float]]],
    quantities: Sequence[str],
    start: State,
) -> list[Row]:
    """One row for each quantity, over the longest time in which the order shows."""
    rows: list[Row] = []
    for duration, longest in WINDOWS:
        drifts = [_drift(engine, kept, start, longest / 2**k, duration) for k in range(HALVINGS)]
        rows = [_row(each, name, [(h, drift[each]) for h, drift in drifts], duration) for each in quantities]
        if all(_shows_order(row) for row in rows):
            break
    return rows


def _shows_order(row: Row) -> bool:
    """Whether nothing drifts, or as a whole power of the step at every halving: else powers are mixed, or a loss in."""
    errors = [error for _, error in row.convergence]
    if errors[0] < NOTHING:
        return True
    if row.order is None:
        return False
    slopes = -np.diff(np.log2(errors))
    power = max(1, round(float(slopes[-1])))
    return bool(np.abs(slopes - power).max() <= 1.0 - FIRST_ORDER)


def _row(quantity: str, engine: str, points: Sequence[tuple[float, float]], duration: float) -> Row:
    row = order_row(Level.INVARIANTS, f"{quantity} drift", engine, tuple(points), "all links")
    longest, drift = points[0]
    order = "but for rounding" if row.order is None or drift < NOTHING else f"to first order: measured {row.order:.2f}"
    told = f"{drift:.1e} of it in {duration:g} s at steps of {1e3 * longest:g} ms"
    return dataclasses.replace(row, cause=f"semi-implicit Euler keeps it {order}; {told}" if row.passed else "")


def _drift(
    engine: Engine,
    kept: Callable[[Engine], Mapping[str, tuple[Array, float]]],
    start: State,
    step: float,
    duration: float,
) -> tuple[float, dict[str, float]]:
    """The step, and how far each quantity goes from where it began, relative to its scale."""
    engine.set_step(step)
    engine.set_state(*start)
    begun = kept(engine)
    worst = dict.fromkeys(begun, 0.0)
    scale = {name: size for name, (_, size) in begun.items()}
    for _ in range(SAMPLES):
        engine.step(round(duration / step / SAMPLES))
        for name, (value, size) in kept(engine).items():
            worst[name] = max(worst[name], float(np.abs(value - begun[name][0]).max()))
            scale[name] = max(scale[name], size)
    return step, {name: drift / (scale[name] or 1.0) for name, drift in worst.items()}


def _judged(row: Row, ledger: Sequence[Diagnostic], soft: Sequence[str]) -> Row:
    """A drift that does not shrink: by an entry of the ledger, a constraint within a joint, or a fault."""
    if row.passed:
        return row
    known = next((entry for entry in ledger if entry.code in _LOST), None)
    if known is not None:
        return dataclasses.replace(row, outcome=Outcome.EXPLAINED, cause=f"{known.message} [{known.code}]")
    if soft:
        cause = f"the engines hold hinge and slide of {', '.join(soft)} together by a constraint"
        return dataclasses.replace(row, outcome=Outcome.EXPLAINED, cause=cause)
    return row


# --- tumbling --------------------------------------------------------------------------------------------------------


def _tumbling(mechanism: Mechanism, factories: _Named) -> Iterator[Row]:
    """The link whose inertia is most uneven, spun about its middle axis where nothing turns it."""
    solid = [link for link in mechanism.scene.links if _unevenness(link) > 0.0]
    if not solid:
        yield _unknown("torque-free tumbling", factories, "no link has moments of inertia apart and none of them small")
        return
    link = max(solid, key=_unevenness)
    alone = lower(_alone(link))
    start = _spun(link.name, alone.bodies[0].inertia)
    duration = STEPS * MAX_STEP
    exactly = exact_motion(alone, start, MAX_STEP / 4, 4 * STEPS)
    exact = {name: matrix(X_WL) for name, X_WL in alone.link_poses(exactly).items()}
    ride = Ride(mechanism=alone, start=start, step=MAX_STEP, duration=duration)
    for name, factory in factories:
        points, _ = nearing(name, Rides({name: factory}), ride, exact)
        yield order_row(Level.INVARIANTS, "torque-free tumbling", name, points, link.name)


def _unevenness(link: Link) -> float:
    """How heavy a link is, times how far its moments of inertia are apart; none if it is thin, or no body."""
    inertia = link.inertia
    if inertia is None or inertia.mass <= 0.0 or inertia.defects():
        return 0.0
    least, _, greatest = np.sort(inertia.principal_axes()[1])
    return inertia.mass * (1.0 - float(least / greatest)) if least > THINNEST * greatest else 0.0


def _alone(link: Link) -> Scene:
    bare = dataclasses.replace(
        link, X_WL=IDENTITY, model="alone", collisions=(), visuals=(), sensors=(), kinematic=False
    )
    model = Model(name="alone", X_WM=IDENTITY, canonical_link=link.name)
    return Scene(name="alone", gravity=frozen((0.0, 0.0, 0.0)), models=(model,), links=(bare,))


def _spun(name: str, inertia: SpatialInertia) -> State:
    """At rest but for its turning, with the centre of mass where it is."""
    R_LI, moments = inertia.principal_axes()
    w = R_LI[:, np.argsort(moments)] @ np.array(SPIN)
    v = -np.cross(w, inertia.p_LLcm)
    return {name: (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}, {name: (*v.tolist(), *w.tolist())}


def _left_out(mechanism: Mechanism, factories: _Named) -> Iterator[Row]:
    """A row for all that has no energy here: what solvers hold, and forces between links."""
    held = [*(c.name for c in mechanism.couplings), *(c.joint.name for c in mechanism.closures)]
    forces = [force.link_A for force in mechanism.scene.forces]
    rotors = [str(body.joint) for body in mechanism.bodies if any(body.reflected_inertia)]
    for quantity, places, cause in (
        (
            "energy with constraints",
            held,
            "what solvers hold takes and gives energy: couplings and loops are taken off",
        ),
        ("energy of forces between links", forces, "forces between links are taken off"),
        ("energy of rotors", rotors, "rotors are taken off; L2 moves them"),
    ):
        if places:
            yield _unknown(quantity, factories, cause, places[0])


def _unknown(quantity: str, factories: _Named, cause: str, where: str = "") -> Row:
    return Row(
        level=Level.INVARIANTS, quantity=quantity, unit="", engines=(EXACTLY, factories[0][0]), error=0.0,
        tolerance=1.0 - FIRST_ORDER, where=where, outcome=Outcome.UNKNOWN, cause=cause,
    )  # fmt: skip
