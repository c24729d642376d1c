"""Bounds of what rounding does to the answers of an engine that computes in single precision."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body
from bridge.mechanism.coordinates import Coordinates, joint_coefficients, kind_of
from bridge.mechanism.dynamics import damper_and_spring_forces, mass_matrix_and_bias_forces
from bridge.parity.causes import SINGLE_PRECISION, Cause
from bridge.parity.reference import accelerations, solved
from bridge.parity.states import State
from loaders.inertia import SpatialInertia
from loaders.pose import Array, Pose, skew

DOUBLE = float(np.finfo(np.float64).eps) / 2.0
"""Largest relative error of a number that is rounded to double precision."""
SINGLE = float(np.finfo(np.float32).eps) / 2.0
"""The same in single precision."""
PER_JOINT = 36.0
"""Roundings of the angle of a link at each joint: the product of two unit quaternions has four sums
of four products (8), each factor is rounded and normalized (8), the sine and cosine of half the
angle too (2), and an angle is twice the error of a quaternion."""
PER_OFFSET = 16.0
"""Roundings of an offset that is turned by a rotation: 15 operations, and that of the offset."""
PER_PRODUCT = 60.0
"""Roundings of an entry of the mass matrix or a bias force beside the sums over links: two products
of an inertia with a twist, of at most 30 operations each."""
OF_PARAMETER = 64.0
"""Roundings of a parameter that is turned from one frame to another: an inertia by two products
with a rotation."""
DRAWS = 8
"""Number of random errors of a step."""
DRAW_MARGIN = 10.0
"""Factor of the largest of `DRAWS` random errors: more than five standard deviations with a
probability of 0.9995."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rounding:
    """Rounding errors in one state: of all poses, of the mass matrix and of the bias forces.

    Attributes:
        angle: Error of the orientation of a link [rad].
        place: Error of the position of a link [m].
        reach: Largest distance between two points of the model [m].
        M: Errors of the diagonal of the mass matrix, shape (nv,); that of an entry is at most the
            geometric mean of the two.
        forces: Errors of the bias forces, shape (nv,).
    """

    angle: float
    place: float
    reach: float
    M: Array
    forces: Array


def rounding_bounds(
    mechanism: Mechanism, states: Sequence[State], unit: float, floor_part: float
) -> Mapping[str, float]:
    """Return the largest error that rounding causes in each quantity that depends on the state.

    They are bounds of first order in the unit roundoff ``u``, computed from the model:

    * A pose is a chain of rotations and offsets. The angle of a link is wrong by at most
      ``u (PER_JOINT + |q|)`` for each joint below it. An offset ``p`` is wrong by that angle times
      ``|p|``, by ``u PER_OFFSET |p|`` for its own product, and by ``u |x|`` when it is added to the
      position ``x``.
    * An entry of a Jacobian is the product of an axis and a lever, at most the reach of the model.
    * The mass matrix is a sum over the links that a joint carries of ``m (d + r)^2 + I``, where d
      and r are the distances of the link and of the joint from the center of mass of the model,
      about which engines add inertias. These terms do not cancel, their sum does. With n terms each
      has ``PER_PRODUCT + n`` roundings, and the error of a lever by the poses counts twice.
    * Bias forces are sums of ``m (d + r) a``, where the acceleration a is at most
      ``g + 2 w V`` with the sums of the angular and linear speeds of the joints.
    * Forces of inverse dynamics add the errors of a row of the mass matrix.

    Args:
        mechanism: The mechanism.
        states: The states that are compared.
        unit: Unit roundoff of the engine.
        floor_part: The part of the largest entry of the mass matrix below which entries are
            compared relative to it.
    """
    key = tuple((tuple(q.items()), tuple(v.items())) for q, v in states)
    return _bounds(mechanism, key, unit, floor_part)


@lru_cache(maxsize=4)
def _bounds(
    mechanism: Mechanism, states: tuple[Any, ...], unit: float, floor_part: float
) -> dict[str, float]:
    found: dict[str, float] = {}
    scale = np.abs(mechanism.mass_matrix())
    diagonal = np.diag(scale)
    floor = np.maximum(diagonal, floor_part * diagonal.max(initial=0.0))
    largest = float(scale.max(initial=0.0)) or 1.0
    for q, v in ((dict(q), dict(v)) for q, v in states):
        r = _rounding(mechanism, (q, v), unit)
        speed = float(np.abs(mechanism.velocities(v)).sum())
        pose = max(r.angle, r.place)
        jacobian = 4.0 * (r.reach * r.angle + r.place) + 24.0 * unit * r.reach + r.angle
        row = float(np.sqrt(r.M).sum() * np.sqrt(r.M.max(initial=0.0)))
        forces = float(r.forces.max(initial=0.0))
        bounds = {
            "link poses": pose,
            "joint motion": 2.0 * pose,
            "constraint violation": 2.0 * pose,
            "initial poses": 2.0 * pose,
            "poses at zero": pose,
            "Jacobians": jacobian,
            "sensor readings": 2.0 * pose + jacobian * speed,
            "mass matrix": float((r.M / np.where(floor > 0.0, floor, 1.0)).max(initial=0.0)),
            "bias forces": forces / largest,
            "inverse dynamics": (forces + row) / largest,
        }
        for name, bound in bounds.items():
            found[name] = max(bound, found.get(name, 0.0))
    return found


def rounding_of_velocity(mechanism: Mechanism, state: State, step: float, unit: float) -> Array:
    """Return the errors that rounding causes in the velocities after one step, shape (nv,).

    Roundings are random: the sum of n of them has the standard deviation ``u sqrt(n / 3)``. The
    step is computed in double precision with `DRAWS` such errors of everything that an engine
    rounds, and the bound is `DRAW_MARGIN` times the largest change.

    * Orientations and offsets of links, masses, centers of mass, moments and velocities are wrong
      in a way that leaves the model a mechanism: light links keep accelerations of the size that
      they have.
    * Each entry of the mass matrix, of its factors and of the bias forces is wrong by the rounding
      of the products that add up in it. Engines compute them about the center of mass of a tree:
      there the moments of a light link far away are large, and they nearly cancel.

    Velocities are rounded when they are set, added and read; engines turn those of a free body or
    ball into other axes.

    Args:
        mechanism: The mechanism.
        state: Positions and velocities by joint before the step.
        step: Time step [s].
        unit: Unit roundoff of the engine.
    """
    q, v = mechanism.positions_by_body(state[0]), mechanism.velocities(state[1])
    sizes = _sizes_of_errors(mechanism, state)
    rng = np.random.default_rng(0)
    try:
        exact = accelerations(mechanism, *state)
        drawn = [_drawn(mechanism, q, v, sizes, unit, rng) for _ in range(DRAWS)]
    except np.linalg.LinAlgError:
        return np.full(len(v), np.inf)
    change: Array = np.abs(np.array(drawn) - exact).max(axis=0)
    speeds = np.abs(v) + step * np.abs(exact)
    rounded = np.zeros(len(v))
    for body in mechanism.bodies:
        own = slice(body.v_start, body.v_start + body.nv)
        roundings = 4.0 if body.nv == 1 else PER_OFFSET
        rounded[own] = unit * roundings * np.linalg.norm(speeds[own])
    return DRAW_MARGIN * step * change + rounded


def _deviation(count: Array | float) -> Any:
    """Return the standard deviation of the sum of a number of roundings of one unit."""
    return np.sqrt(np.asarray(count) / 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sizes:
    """Standard deviations of errors in one state, in units of roundoff.

    Attributes:
        turn: Those of the orientations of links in their parents [rad], shape (n,).
        offset: Those of the positions of links in their parents [m], shape (n,).
        place: Those of positions in the world [m], shape (n,).
        M: Those of the mass matrix, shape (nv, nv).
        forces: Those of the forces of joints, shape (nv,).
    """

    turn: Array
    offset: Array
    place: Array
    M: Array
    forces: Array


def _sizes_of_errors(mechanism: Mechanism, state: State) -> _Sizes:
    bodies, positions = mechanism.bodies, mechanism.positions_by_body(state[0])
    poses, rates = mechanism.link_poses(state[0]), mechanism.velocities(state[1])
    x = np.array([poses[body.name].p for body in bodies]).reshape(-1, 3)
    start = np.array([x[b.parent] if b.parent != ROOT else np.zeros(3) for b in bodies])
    turned = [
        1.0 if kind_of(body) is not None else float(np.abs(position).sum())
        for body, position in zip(bodies, positions, strict=True)
    ]
    length = np.linalg.norm(x - start.reshape(-1, 3), axis=1)
    M, forces = _sums_of_products(mechanism, state, x)
    roots = np.sqrt(np.maximum(np.diag(mechanism.mass_matrix(state[0])), 0.0))
    terms = _deviation(PER_PRODUCT + len(bodies))
    factors = np.where(M > 0.0, _deviation(3.0 * len(rates) + 10.0) * np.outer(roots, roots), 0.0)
    passive = np.abs(joint_coefficients(bodies, attrgetter("damping")) * rates)
    stiffness = np.abs(joint_coefficients(bodies, attrgetter("spring_stiffness")))
    passive += stiffness * _largest_position(mechanism, state)
    return _Sizes(
        turn=_deviation(PER_JOINT) + np.array(turned),
        offset=_deviation(PER_OFFSET) * length,
        place=np.linalg.norm(x, axis=1),
        M=np.hypot(terms * M, factors),
        forces=np.hypot(terms * forces, 4.0 * passive),
    )


def _sums_of_products(mechanism: Mechanism, state: State, x: Array) -> tuple[Array, Array]:
    """Return the sums of the magnitudes of the products that add up in the entries of the mass
    matrix and in the bias forces, in world axes about the center of mass of each tree.

    Args:
        mechanism: The mechanism.
        state: Positions and velocities by joint.
        x: Positions of the links [m], shape (n, 3).
    """
    bodies, poses = mechanism.bodies, mechanism.link_poses(state[0])
    inertias = [body.inertia.moved(poses[body.name]) for body in bodies]
    center = _centers_of_trees(mechanism, inertias)
    about = np.array([_spatial(i, c) for i, c in zip(inertias, center, strict=True)])
    jacobians = mechanism.jacobians(state[0])
    J = np.array([jacobians[body.name] for body in bodies])
    J[:, 3:] += np.cross(J[:, :3], (center - x)[:, :, None], axis=1)
    carried = (np.abs(J).max(axis=1, initial=0.0) > 0.0).astype(float)
    owner = [i for i, body in enumerate(bodies) for _ in range(body.nv)]
    S = np.abs(np.array([J[i, :, k] for k, i in enumerate(owner)])).reshape(-1, 6)
    composite = np.einsum("bi,brc->irc", carried, about)
    products = np.einsum("ir,jrc,jc->ij", S, composite, S)
    is_chain = (carried.T @ carried) > 0.0
    M = np.where(is_chain, np.minimum(products, products.T), 0.0)
    V = np.abs(J) @ np.abs(mechanism.velocities(state[1]))
    gravity = np.concatenate((np.zeros(3), np.abs(mechanism.gravity)))
    A = gravity + _crossed(V, V)
    momentum = np.einsum("brc,bc->br", about, V)
    f = np.einsum("brc,bc->br", about, A) + _crossed(V, momentum)
    return M, np.einsum("ir,bi,br->i", S, carried, f)


def _centers_of_trees(mechanism: Mechanism, inertias: Sequence[SpatialInertia]) -> Array:
    """Return the center of mass of the tree of each link, shape (n, 3)."""
    roots: list[int] = []
    for i, body in enumerate(mechanism.bodies):
        roots.append(i if body.parent == ROOT else roots[body.parent])
    mass = np.array([inertia.mass for inertia in inertias])
    moments = mass[:, None] * np.array([i.p_LLcm for i in inertias]).reshape(-1, 3)
    of_tree = np.equal.outer(roots, roots).astype(float)
    centers: Array = of_tree @ moments / np.maximum(of_tree @ mass, 1e-300)[:, None]
    return centers


def _spatial(inertia: SpatialInertia, center: Array) -> Array:
    """Return the magnitudes of a spatial inertia about a point, without their cancellation."""
    S = np.abs(skew(inertia.p_LLcm - center))
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = np.abs(inertia.I_Lcm) + inertia.mass * S @ S
    matrix[:3, 3:] = matrix[3:, :3] = inertia.mass * S
    matrix[3:, 3:] = inertia.mass * np.eye(3)
    return matrix


def _crossed(V: Array, W: Array) -> Array:
    """Return sums of magnitudes of a cross product of spatial vectors, shape (n, 6)."""
    w, v, a, b = V[:, :3], V[:, 3:], W[:, :3], W[:, 3:]
    return np.hstack((_cross(w, a) + _cross(v, b), _cross(w, b) + _cross(v, a)))


def _cross(a: Array, b: Array) -> Array:
    product: Array = np.roll(a, -1, 1) * np.roll(b, 1, 1) + np.roll(a, 1, 1) * np.roll(b, -1, 1)
    return product


def _drawn(
    mechanism: Mechanism,
    positions: Sequence[Coordinates],
    rates: Array,
    sizes: _Sizes,
    unit: float,
    rng: np.random.Generator,
) -> Array:
    """Return the accelerations with errors of everything that an engine rounds."""
    bodies = [_rounded(body, k, sizes, unit, rng) for k, body in enumerate(mechanism.bodies)]
    rates = rates * (1.0 + unit * rng.standard_normal(len(rates)))
    gravity = np.asarray(mechanism.gravity, dtype=np.float64)
    M, bias = mass_matrix_and_bias_forces(bodies, positions, rates, gravity)
    forces = damper_and_spring_forces(bodies, positions, rates) - bias
    errors = np.tril(rng.standard_normal(M.shape))
    errors += np.tril(errors, -1).T
    forces += unit * sizes.forces * rng.standard_normal(len(forces))
    return solved(M + unit * sizes.M * errors, forces)


def _rounded(body: Body, k: int, sizes: _Sizes, unit: float, rng: np.random.Generator) -> Body:
    """Return a body at a place and with an inertia that are rounded."""
    turn = skew(unit * sizes.turn[k] * rng.standard_normal(3))
    place = np.hypot(sizes.offset[k], sizes.place[k])
    X_PF = Pose(
        body.X_PF.R + turn @ body.X_PF.R, body.X_PF.p + unit * place * rng.standard_normal(3)
    )
    inertia = body.inertia
    lever = np.hypot(_deviation(PER_OFFSET) * np.linalg.norm(inertia.p_LLcm), sizes.place[k])
    errors = rng.standard_normal((3, 3))
    moment = _deviation(OF_PARAMETER) * float(np.trace(inertia.I_Lcm))
    return dataclasses.replace(
        body,
        X_PF=X_PF,
        inertia=SpatialInertia(
            inertia.mass * (1.0 + unit * rng.standard_normal()),
            inertia.p_LLcm + unit * lever * rng.standard_normal(3),
            inertia.I_Lcm + 0.5 * unit * moment * (errors + errors.T),
        ),
    )


def rounding_of_position(mechanism: Mechanism, state: State, unit: float) -> float:
    """Return the largest error that rounding causes in a pose [rad or m].

    Args:
        mechanism: The mechanism.
        state: Positions and velocities by joint.
        unit: Unit roundoff of the engine.
    """
    r = _rounding(mechanism, state, unit)
    return max(r.angle, r.place)


def single_precision(
    quantity: str, subjects: tuple[str, ...], bound: float, engines: Sequence[str]
) -> Cause:
    """Return rounding in single precision as the cause of a difference.

    Args:
        quantity: The quantity.
        subjects: Scoped names of the links and joints.
        bound: The largest difference that it explains.
        engines: The engines that compute so.
    """
    return Cause(
        code=SINGLE_PRECISION,
        subjects=subjects,
        quantity=quantity,
        bound=bound,
        text=f"{' and '.join(engines)} in single precision: rounding changes the quantity of this "
        f"model by at most {bound:.1e}",
    )


def _largest_position(mechanism: Mechanism, state: State) -> float:
    numbers = np.concatenate([np.zeros(1), *mechanism.positions_by_body(state[0])])
    return float(np.abs(numbers).max())


def _rounding(mechanism: Mechanism, state: State, unit: float) -> _Rounding:
    q, v = state
    bodies, poses = mechanism.bodies, mechanism.link_poses(q)
    x = np.array([poses[body.name].p for body in bodies]).reshape(-1, 3)
    angles, places = np.zeros(len(bodies)), np.zeros(len(bodies))
    for i, (body, position) in enumerate(zip(bodies, mechanism.positions_by_body(q), strict=True)):
        start, before, below = np.zeros(3), 0.0, 0.0
        if body.parent != ROOT:
            start, before, below = x[body.parent], angles[body.parent], places[body.parent]
        offset = float(np.linalg.norm(x[i] - start))
        turned = 1.0 if kind_of(body) is not None else float(np.abs(position).sum())
        angles[i] = before + unit * (PER_JOINT + turned)
        places[i] = below + (before + PER_OFFSET * unit) * offset + unit * np.linalg.norm(x[i])
    angle, place = float(angles.max(initial=0.0)), float(places.max(initial=0.0))
    return _dynamic_rounding(mechanism, (q, v), unit, x, (angle, place))


def _dynamic_rounding(
    mechanism: Mechanism, state: State, unit: float, x: Array, errors: tuple[float, float]
) -> _Rounding:
    """Return the rounding errors of a state, given the positions of the links and the errors of
    angles and positions.
    """
    (angle, place), bodies = errors, mechanism.bodies
    q, v = state
    jacobians = mechanism.jacobians(q)
    J = np.array([jacobians[body.name] for body in bodies])
    rates = np.abs(mechanism.velocities(v))
    mass = np.array([body.inertia.mass for body in bodies])
    moment = np.array([float(np.trace(body.inertia.I_Lcm)) for body in bodies])
    poses = mechanism.link_poses(q)
    com = np.array([_at(poses[body.name], body.inertia.p_LLcm) for body in bodies]).reshape(-1, 3)
    center = mass @ com / (mass.sum() or 1.0)
    owner = [i for i, body in enumerate(bodies) for _ in range(body.nv)]
    d, r = np.linalg.norm(com - center, axis=1), np.linalg.norm(x[owner] - center, axis=1)
    reach = float(np.linalg.norm(x - center, axis=1).max(initial=0.0) + d.max(initial=0.0))
    reach += float(np.linalg.norm(center))
    carried = np.abs(J).max(axis=1, initial=0.0) > 0.0
    turns = np.abs(J[:, :3, :]).max(axis=1, initial=0.0) > 0.0
    lever = np.where(turns, d[:, None] + r[None, :], 1.0) * carried
    spin = np.where(turns, 1.0, 0.0)
    count = unit * (PER_PRODUCT + len(bodies)) + 2.0 * angle
    rotors = np.concatenate([np.zeros(0), *(body.reflected_inertia for body in bodies)])
    M = count * (mass @ lever**2 + moment @ spin + rotors) + 4.0 * place * (mass @ (lever * spin))
    w, speed = spin @ rates, lever @ rates
    pull = mass * (float(np.linalg.norm(mechanism.gravity)) + 2.0 * w * speed)
    forces = (count + 2.0 * angle) * (pull @ lever + (moment * w**2) @ spin)
    forces += 2.0 * place * (pull @ spin)
    return _Rounding(angle=angle, place=place, reach=reach, M=M, forces=forces)


def _at(X_WL: Pose, p_LP: Array) -> Array:
    p_WP: Array = X_WL.R @ p_LP + X_WL.p
    return p_WP


def unit_of_pair(one: float, two: float) -> float:
    """Return the unit roundoff of the differences of two engines; zero if both compute in double
    precision.
    """
    return sum(unit for unit in (one, two) if unit > DOUBLE)
