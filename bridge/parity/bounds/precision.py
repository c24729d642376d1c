"""Bounds of what rounding does to the answers of an engine that computes in single precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.mechanism.coordinates import kind_of
from bridge.mechanism.dynamics import joint_coefficients
from bridge.parity.causes import SINGLE_PRECISION, Cause
from bridge.parity.reference import accelerations
from bridge.parity.states import State
from loaders.pose import Array, Pose

DOUBLE = float(np.finfo(np.float64).eps) / 2.0
"""Largest relative error of a number that is rounded to double precision."""
SINGLE = float(np.finfo(np.float32).eps) / 2.0
"""The same in single precision."""
PER_JOINT = 36.0
"""Roundings of the angle of a link at each joint: the product of two unit quaternions has four sums
of four products (8), each factor is rounded and normalized (8), the sine and cosine of half the
angle too (2), and an angle is twice the error of a quaternion.
"""
PER_OFFSET = 16.0
"""Roundings of an offset that is turned by a rotation: 15 operations, and that of the offset."""
PER_PRODUCT = 60.0
"""Roundings of an entry of the mass matrix or a bias force beside the sums over links: two products
of an inertia with a twist, of at most 30 operations each.
"""
OF_PARAMETER = 64.0
"""Roundings of a parameter that is turned from one frame to another: an inertia by two products
with a rotation.
"""
LARGEST_PART = 0.5
"""Largest relative change of the solution of the equations of motion at which bounds of first order
hold.
"""


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


def rounding_of_velocity(mechanism: Mechanism, state: State, step: float, unit: float) -> float:
    """Return the largest error that rounding causes in the velocities after one step, relative to
    the largest velocity, at least one.

    The acceleration ``a`` solves ``M a = f``. To first order it is wrong by at most
    ``|inv(M)| (df + E |a|)``, where E is the error of the mass matrix with the ``3 nv`` roundings
    of its factors, and df that of the forces. If this changes a solution by more than
    `LARGEST_PART`, single precision does not determine the acceleration, and the bound is infinite.
    The velocities are rounded when they are set, added and read.

    Args:
        mechanism: The mechanism.
        state: Positions and velocities by joint before the step.
        step: Time step [s].
        unit: Unit roundoff of the engine.
    """
    r = _rounding(mechanism, state, unit)
    M, v = mechanism.mass_matrix(state[0]), mechanism.velocities(state[1])
    try:
        a = accelerations(mechanism, *state)
    except np.linalg.LinAlgError:
        return float("inf")
    roots = np.sqrt(np.maximum(np.diag(M), 0.0))
    E = np.outer(np.sqrt(r.M), np.sqrt(r.M)) + (3 * len(v) + 10) * unit * np.outer(roots, roots)
    passive = np.abs(joint_coefficients(mechanism.bodies, attrgetter("damping")) * v)
    stiffness = joint_coefficients(mechanism.bodies, attrgetter("spring_stiffness"))
    passive += np.abs(stiffness) * _largest_position(mechanism, state)
    mobility = np.abs(np.linalg.pinv(M))
    part = float(np.abs(np.linalg.eigvals(mobility @ E)).max(initial=0.0))
    if part > LARGEST_PART:
        return float("inf")
    da = mobility @ (r.forces + 4.0 * unit * passive + E @ np.abs(a)) / (1.0 - part)
    scale = max(float(np.abs(v).max(initial=0.0)), 1.0)
    return step * float(da.max(initial=0.0)) / scale + 3.0 * unit


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
        text=(
            f"{' and '.join(engines)} in single precision: rounding changes the quantity of this "
            f"model by at most {bound:.1e}"
        ),
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
    J = np.array([*mechanism.jacobians(q).values()])
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
