"""Hidden defaults that are cleared, and dampers too stiff for the step.

PyBullet applies the force of a damper once per step, ``-d v`` at the velocity v before it: a damper
of d on an inertia of I changes the velocity by ``-h d / I v`` in a step h. It stops the joint
within the step if ``d = I / h``, reverses the velocity beyond that, and is unstable from ``2 I /
h``. In a body, the largest eigenvalue of ``M^-1 D`` takes the place of ``d / I``, over the motions
that its couplings, loops and constraints allow. PyBullet's ``numSubSteps`` does not help, because
the forces of dampers stay for the whole step. Measured on PyBullet 3.2.7.

The inertia that a damper moves while all other joints are free is one divided by its diagonal entry
of ``M^-1``, at most that of ``M``. Where dampers are unstable, each is limited to this inertia
divided by the step, and then all limited ones by one factor, until the largest eigenvalue of ``h
M^-1 D`` is 1, so that no motion reverses within a step.

Both hold at the positions that are examined: the initial one, random ones, and those to which a
search leads. It starts at the position with the fastest damped motion, changes the coordinates of
the joints that take part in it, since where a hinge aligns two others these may move little mass,
and adds positions as long as the limited dampers are unstable there. Joints that together move no
mass at all are not damped.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import (
    Coordinates,
    Position,
    finite_range,
    independent_motions,
    joint_coefficients,
    kind_of,
    positions_of,
    random_position,
)
from bridge.mechanism.dynamics import STABILITY_LIMIT, mass_matrices, mode_rates, modes
from bridge.mechanism.kinematics import relative_motions
from bridge.targets.pybullet import codes
from bridge.targets.report import Report
from loaders.pose import Array

from .articulation import Articulation, Dampers, Segment
from .client import BASE, Client

NO_VELOCITY_LIMIT = 1e9
"""Joint velocity limit that has no effect [rad/s or m/s]; PyBullet's default is 100 rad/s."""


def clear_pybullet_defaults(client: Client, body: int, articulation: Articulation) -> None:
    """Remove the damping, velocity limits and motors that PyBullet adds, and restore inertias that
    it sets to zero.

    Inertias are restored first, because PyBullet's inverse dynamics ignores later changes.

    Args:
        client: The physics server.
        body: PyBullet's id of the body.
        articulation: The articulation that the body was loaded from.
    """
    info_of = client.getDynamicsInfo
    for index, segment in enumerate(articulation.segments, start=BASE):
        if not (index == BASE and articulation.is_fixed):
            mass, _, moments, *_ = info_of(body, index)
            expected = segment.principal[1].tolist()
            if mass != segment.inertia.mass or list(moments) != expected:
                client.changeDynamics(
                    body, index, mass=segment.inertia.mass, localInertiaDiagonal=expected
                )
    client.changeDynamics(
        body, BASE, linearDamping=0.0, angularDamping=0.0, maxJointVelocity=NO_VELOCITY_LIMIT
    )
    disable_motors(client, body, articulation)


def disable_motors(client: Client, body: int, articulation: Articulation) -> None:
    """Set the force of the motor that brakes every PyBullet joint to zero.

    Args:
        client: The physics server.
        body: PyBullet's id of the body.
        articulation: The articulation that the body was loaded from.
    """
    kinds = {
        i: segment.primitive.kind
        for i, segment in enumerate(articulation.segments[1:])
        if segment.primitive
    }
    balls = [index for index, kind in kinds.items() if kind is PrimitiveKind.BALL]
    scalars = [index for index, kind in kinds.items() if kind is not PrimitiveKind.BALL]
    for index in balls:
        client.setJointMotorControlMultiDof(
            body, index, client.modes.POSITION_CONTROL, targetPosition=(0, 0, 0, 1), force=(0, 0, 0)
        )
    if scalars:
        client.setJointMotorControlArray(
            body, scalars, client.modes.VELOCITY_CONTROL, forces=(0.0,) * len(scalars)
        )


def adapt_to_step(client: Client, body: int, articulation: Articulation) -> float:
    """Give joints what depends on the time step: their dry friction, and the damping that is
    limited.

    Dry friction is a motor that brakes with that force: this is exactly Coulomb friction. PyBullet
    stores the impulse of this force over one step, so both are correct only for the present time
    step.

    Args:
        client: The physics server.
        body: PyBullet's id of the body.
        articulation: The articulation that the body was loaded from.

    Returns:
        The present time step [s].
    """
    time_step: float = client.getPhysicsEngineParameters()["fixedTimeStep"]
    for index, segment in enumerate(articulation.segments[1:]):
        friction = dry_friction(segment)
        if friction:
            client.setJointMotorControl2(
                body, index, client.modes.VELOCITY_CONTROL, targetVelocity=0.0, force=friction
            )
    if articulation.dampers is not None:
        for index, damping in joint_damping(articulation, time_step).items():
            client.changeDynamics(body, index, jointDamping=damping)
    return time_step


def depends_on_step(articulation: Articulation) -> bool:
    """Return whether `adapt_to_step` has anything to do."""
    return articulation.dampers is not None or any(map(dry_friction, articulation.segments[1:]))


def joint_damping(articulation: Articulation, step: float) -> dict[int, float]:
    """Return the damping of each of PyBullet's joints that has some, by its index.

    Args:
        articulation: The articulation of the body.
        step: Time step [s], for which stiff damping is limited.
    """
    mechanism, dampers = articulation.mechanism, articulation.dampers
    damping = joint_coefficients(mechanism.bodies, attrgetter("damping"))
    if dampers is not None:
        damping = dampers.limited(step)
    found: dict[int, float] = {}
    for body, segments in zip(mechanism.bodies, articulation.joint_segments, strict=True):
        for index, primitive in zip(segments, body.primitives, strict=False):
            value = float(damping[body.v_start + primitive.dof_index])
            if value and articulation.segments[index + 1].is_primary:
                found[index] = value / primitive.ratio**2
    return found


def dry_friction(segment: Segment) -> float:
    """Return the dry friction of a segment's joint, for PyBullet's joint coordinate [N m or N]."""
    primitive = segment.primitive
    if (
        primitive is None
        or primitive.kind is PrimitiveKind.BALL
        or primitive.limits is None
        or not segment.is_primary
    ):
        return 0.0
    return primitive.limits.friction / abs(primitive.ratio)


_DEPENDENT = 1e-10
"""Size of a motion, relative to the largest one, below which constraints prevent it by rounding
only."""


def with_limited_damping(
    articulations: Sequence[Articulation],
    q: Mapping[str, Position],
    client: Client,
    report: Report,
    *,
    exact: bool,
) -> list[Articulation]:
    """Return the bodies to load, with limited dampers where they are unstable at the present time
    step of a physics server, and report them.

    Models with split links are left as they are, because the constraint between their halves may
    hold what the damping excites.

    Args:
        articulations: The bodies to load.
        q: Their positions, by joint.
        client: The physics server.
        report: Record of the findings.
        exact: Whether damping stays as it is, and is only reported.
    """
    step = float(client.getPhysicsEngineParameters()["fixedTimeStep"])
    if any(articulation.split_link is not None for articulation in articulations):
        return list(articulations)
    dampers = [_dampers(a.mechanism, q, step) for a in articulations]
    found = [
        each for each in dampers if each is not None and each.stated_rate * step > STABILITY_LIMIT
    ]
    if not found:
        return list(articulations)
    if exact:
        _report_stiff(found, step, articulations[0].mechanism.physics.time_step, report)
        return list(articulations)
    _report_limited(found, step, articulations[0].mechanism.physics.time_step, report)
    return [
        dataclasses.replace(a, dampers=each if each in found else None)
        for a, each in zip(articulations, dampers, strict=True)
    ]


def _report_stiff(found: Sequence[Dampers], step: float, file_step: float, report: Report) -> None:
    max_step = min(dampers.max_step() for dampers in found)
    names = tuple(
        dict.fromkeys(name for dampers in found for name in dampers.unstable_joints(step))
    )
    report.add(
        codes.STIFF_DAMPING,
        hint=_hint(file_step, max_step),
        subjects=names,
        step=step,
        max_step=max_step,
        names=names,
    )


def _report_limited(
    found: Sequence[Dampers], step: float, file_step: float, report: Report
) -> None:
    changed: dict[str, tuple[float, float]] = {}
    for dampers in found:
        all_stated, all_limited = dampers.damping.tolist(), dampers.limited(step).tolist()
        rows = zip(dampers.v_order, all_stated, all_limited, strict=True)
        for (name, _), stated, limited in rows:
            if limited < stated:
                changed[name] = (stated, limited)
    report.add(
        codes.LIMITED_DAMPING,
        hint=_hint(file_step, min(dampers.max_step() for dampers in found)),
        subjects=tuple(changed),
        step=step,
        factor=max(stated / limited for stated, limited in changed.values()),
        names=tuple(
            f"{name} ({stated:.3g} becomes {limited:.3g})"
            for name, (stated, limited) in changed.items()
        ),
    )


def _hint(file_step: float, max_step: float) -> str:
    digits = 10.0 ** (math.floor(math.log10(max_step)) - 1)
    shorter = (
        f"set a shorter time step, such as "
        f"pybullet.setTimeStep({math.floor(0.9 * max_step / digits) * digits:.2g})"
    )
    if file_step < max_step:
        return f"{shorter}, or call apply_physics(), which sets that of the scene, {file_step:g} s"
    return shorter


def rate_bound(mechanism: Mechanism, damping: Array) -> float:
    """Return an upper bound of the rates of dampers at every position [1/s]; infinite if there is
    no simple one.

    A hinge turns with the difference of two angular velocities, whose square is at most twice the
    sum of their squares, and links that are welded together have at least the rotational energy of
    their smallest moments of inertia.

    Args:
        mechanism: The body.
        damping: Damping of each velocity.
    """
    damped = [
        body for body in mechanism.bodies if damping[body.v_start : body.v_start + body.nv].any()
    ]
    damped = [body for body in damped if kind_of(body) is not PrimitiveKind.FREE]
    if any(
        len(body.primitives) > 1 or body.primitives[0].kind is PrimitiveKind.SLIDE
        for body in damped
    ):
        return math.inf
    carried: dict[int, float] = defaultdict(float)
    for body in damped:
        (hinge,), parent = body.primitives, mechanism.moving_ancestor(body.parent)
        d = abs(float(damping[body.v_start + hinge.dof_index])) / hinge.ratio**2
        carried[mechanism.body_index[body.name]] += d if parent == ROOT else 2.0 * d
        carried[parent] += 2.0 * d
    groups = {i: mechanism.weld_groups[i] for i in carried if i != ROOT}
    smallest = _smallest_moments([mechanism.bodies[k] for group in groups.values() for k in group])
    rates = [0.0]
    for i, group in groups.items():
        moment = sum(smallest[mechanism.bodies[k].name] for k in group)
        rates.append(carried[i] / moment if moment > 0.0 else math.inf)
    return max(rates)


def _smallest_moments(bodies: Sequence[Body]) -> dict[str, float]:
    """Return a lower bound of the moments of inertia of each body, by name."""
    matrices = np.array([body.inertia.I_Lcm for body in bodies]).reshape(-1, 3, 3)
    lowest: list[float] = np.linalg.eigvalsh(matrices)[:, 0].tolist()
    return dict(zip((body.name for body in bodies), lowest, strict=True))


_SAMPLES = 4
"""Number of random positions at which dampers are examined, beside the initial one."""
_SEARCHES = 8
"""Largest number of positions that the search for less stable ones adds."""
_JOINTS = 3
"""Number of joints of a mode whose coordinates, and those between them, the search changes."""
_GRID = np.array((-0.5, 0.5))
"""Shares of its range by which the search changes a coordinate."""
_PROBES = (1.0, 0.5, 1.0 / 32.0)
"""Parts of these changes with which the search begins."""
_SHARES = tuple(0.5**k for k in range(2, 21))
"""Parts of these changes with which it goes on."""
_SINGULAR = 1e6
"""Ratio of the inertia that a joint moves with all others held to that with them free, from which
the search leaves a position aside: `lower.singular-position` names it, and no damping mends it."""
_GAIN = 1.2
"""Ratio of rates from which it goes on."""
_Place = tuple[list[Coordinates], Array]
"""A position, and the mobility there."""


def _dampers(mechanism: Mechanism, q: Mapping[str, Position], step: float) -> Dampers | None:
    """Return the dampers of a body; None if they are stable at a time step [s], or their rates are
    not known.

    They are examined at the initial positions and, unless loops or constraints hold the joints, at
    random ones within the limits, and where a search from these finds that they are not stable
    though limited.
    """
    damping = joint_coefficients(mechanism.bodies, attrgetter("damping"))
    if rate_bound(mechanism, damping) * step <= STABILITY_LIMIT:
        return None
    sampled = [mechanism.positions_by_body(positions_of(mechanism.bodies, q))]
    is_free = not mechanism.closures and not mechanism.constraints
    if is_free:
        rng = np.random.default_rng(0)
        for _ in range(_SAMPLES):
            sampled.append(
                [random_position(body, rng) if body.primitives else () for body in mechanism.bodies]
            )
    places = _places(mechanism, sampled, damping, step)
    found = [mobility for _, mobility in places]
    if is_free:
        places = places or _places(mechanism, sampled, damping, math.inf)
        found += _found_by_search(
            mechanism, places, Dampers(mechanism.v_order, found, damping), step
        )
    return Dampers(mechanism.v_order, found, damping) if found else None


def _found_by_search(
    mechanism: Mechanism, places: list[_Place], dampers: Dampers, step: float
) -> list[Array]:
    """Return the mobilities where dampers, though limited, are not stable at a time step [s], at
    positions to which a search from some places leads.
    """
    found: list[Array] = []
    while places and len(found) < _SEARCHES:
        limited = dampers.limited(step)
        if rate_bound(mechanism, limited) * step <= STABILITY_LIMIT:
            break
        place = _less_stable(mechanism, places, limited)
        if _rate(place, limited) * step <= STABILITY_LIMIT or _is_singular(place[1]):
            break
        found.append(place[1])
        dampers = Dampers(dampers.v_order, (*dampers.mobilities, place[1]), dampers.damping)
        places = [*places, place]
    return found


def _is_singular(mobility: Array) -> bool:
    inertia = np.linalg.pinv(mobility, hermitian=True)
    return bool(np.max(np.diag(inertia) * np.diag(mobility)) > _SINGULAR)


def _rate(place: _Place, damping: Array) -> float:
    return float(mode_rates(place[1], damping)[-1])


def _less_stable(mechanism: Mechanism, places: Sequence[_Place], damping: Array) -> _Place:
    """Return the place to which a search leads that starts at the fastest of some places, and
    changes the coordinates of the joints that take the largest part in the fastest mode, and of
    those between them.
    """

    def rate(place: _Place) -> float:
        return _rate(place, damping)

    best = start = max(places, key=rate)
    parts = modes(start[1], damping, np.array([rate(start)]))[:, 0] ** 2
    moved = _between(mechanism, np.argsort(-parts)[:_JOINTS].tolist())
    for share in (*_PROBES, *_SHARES):
        if share == _SHARES[0] and rate(best) < _GAIN * rate(start):
            break
        changed = [
            positions
            for i in moved
            for positions in _changed(mechanism.bodies[i], best[0], i, share)
        ]
        if changed:
            best = max((best, *_places(mechanism, changed, damping, math.inf)), key=rate)
    return best


def _between(mechanism: Mechanism, dofs: Sequence[int]) -> list[int]:
    """Return the indices of the bodies of some velocities, and of those between them."""
    chains: list[list[int]] = []
    for dof in dofs:
        i = next(i for i, b in enumerate(mechanism.bodies) if 0 <= dof - b.v_start < b.nv)
        chains.append([i])
        while (i := mechanism.moving_ancestor(mechanism.bodies[i].parent)) != ROOT:
            chains[-1].append(i)
    shared = set(chains[0]).intersection(*chains[1:])
    between = (i for chain in chains for i in chain if i not in shared)
    return list(dict.fromkeys((*between, *(chain[0] for chain in chains))))


def _changed(
    body: Body, positions: Sequence[Coordinates], i: int, share: float
) -> Iterator[list[Coordinates]]:
    """Yield positions in which a coordinate of a body's joint is changed by shares of its range."""
    if kind_of(body) is not None:
        return
    for primitive in body.primitives:
        k, is_hinge = primitive.dof_index, primitive.kind is PrimitiveKind.HINGE
        lowest, highest = finite_range(primitive.limits, is_hinge=is_hinge)
        for x in positions[i][k] + share * (highest - lowest) * _GRID:
            own = list(positions[i])
            own[k] = float(np.clip(x, lowest, highest))
            yield [*positions[:i], tuple(own), *positions[i + 1 :]]


def _places(
    mechanism: Mechanism, sampled: Sequence[list[Coordinates]], damping: Array, step: float
) -> list[_Place]:
    """Return those of some positions at which dampers are not known to be stable at a time step
    [s], or at any if it is infinite, with the mobility there.
    """
    matrices = mass_matrices(mechanism.bodies, sampled, with_rotors=False)  # PyBullet has none
    found = [
        (positions, _mobility(mechanism, positions, M, damping, step))
        for positions, M in zip(sampled, matrices, strict=True)
    ]
    return [(positions, mobility) for positions, mobility in found if mobility is not None]


def _mobility(
    mechanism: Mechanism, positions: Sequence[Coordinates], M: Array, damping: Array, step: float
) -> Array | None:
    """Return the inverse of the mass matrix M for motions that couplings, loops and constraints
    allow; None if dampers are stable at a time step [s], or their rates are not known.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            G = _independent_motions(mechanism, positions)
            if _are_stable(M, damping, G, step):
                return None
            mobility: Array = G @ _inverse(G.T @ M @ G) @ G.T
            fastest = mode_rates(mobility, damping)[-1]
    except np.linalg.LinAlgError:  # numbers that are too large or too small
        return None
    return mobility if 0.0 < fastest < math.inf else None


def _are_stable(M: Array, damping: Array, G: Array, step: float) -> bool:
    """Return whether dampers are stable at a time step [s]; False decides nothing.

    They are if ``2 / h M - D`` is positive definite.

    Args:
        M: Mass matrix.
        damping: Damping of each velocity.
        G: The independent motions, as columns.
        step: Time step [s].
    """
    margin = STABILITY_LIMIT / step * M - np.diag(np.abs(damping))
    try:
        np.linalg.cholesky(G.T @ margin @ G)
    except np.linalg.LinAlgError:
        return False
    return bool(np.isfinite(margin).all())


_SMALLEST = 1e-15
"""Smallest eigenvalue, relative to the largest, that counts as more than rounding."""


def _inverse(M: Array) -> Array:
    """Return the inverse of a mass matrix, in which motions together that move no mass but for
    rounding move the least that is more; without joints that move none alone, which PyBullet locks.
    """
    moments = np.linalg.eigvalsh(M)
    if np.all(moments > _SMALLEST * moments[-1:]):
        return np.asarray(np.linalg.inv(M), dtype=np.float64)
    (rows,) = np.nonzero(np.diag(M) > _SMALLEST * moments[-1])
    scale = 1.0 / np.sqrt(np.diag(M)[rows])
    values, vectors = np.linalg.eigh(scale[:, np.newaxis] * M[np.ix_(rows, rows)] * scale)
    inverse = np.zeros_like(M)
    inverse[np.ix_(rows, rows)] = (
        scale[:, np.newaxis] * ((vectors / np.maximum(values, _SMALLEST)) @ vectors.T) * scale
    )
    return inverse


def _independent_motions(mechanism: Mechanism, positions: Sequence[Coordinates]) -> Array:
    """Return velocities that couplings, loops and constraints allow, as columns that span all of
    them.
    """
    G = independent_motions(mechanism, positions)
    if not mechanism.closures and not mechanism.constraints:
        return G
    prevented = (
        relative_motions(mechanism.bodies, mechanism.closures, mechanism.constraints, positions) @ G
    )
    if not len(prevented):
        return G
    _, sizes, motions = np.linalg.svd(prevented)
    allowed: Array = motions[np.count_nonzero(sizes > _DEPENDENT * sizes[:1].max(initial=0.0)) :].T
    return np.asarray(G @ allowed, dtype=np.float64)
