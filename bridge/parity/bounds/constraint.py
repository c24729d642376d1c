"""Largest violations of couplings, screws and loops.

MuJoCo is given constraints with a time constant of two steps h and an impedance of d = 0.9999:
against a relative acceleration that the constraint must take up, the part ``(1 - d) / d`` of it
stretches the constraint by ``4 h^2`` times that part. MuJoCo takes the mobility of the constraint
for the sum of those of its joints at the zero position, without the multiplier (``diagApprox``),
and is softer by the ratio of that to the true mobility. The acceleration that follows from the
curvature of a loop is not foreseen and counts in full. PyBullet removes at least a fifth of the
error at each step, so that one step of relative acceleration remains five times. An MJCF source
states the softness of its constraints in MuJoCo; see `stated_softness`.

Engines hold the hinge and the slide of a screw together by a constraint. If its force is wrong by
an unknown amount, velocities change along one known direction: the response of the model, with
hinge and slide independent, to a unit force between them. What does not lie along these directions
is not due to screws.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.mechanism.coordinates import Position, scalar_positions
from bridge.parity.engine import ConstraintSoftness, held_frames, screw_like_joints
from bridge.parity.reference import accelerations
from bridge.parity.states import State
from loaders.model import Joint, JointType, Link
from loaders.pose import IDENTITY, Array, Pose
from loaders.scene import Scene

from .contact import Softness, stated_softness

MARGIN = 5.0
"""Factor of the bound, for accelerations between the sampled times."""
ROUNDING = 1e-9
"""Violation that is not a difference [rad or m]."""


def violation_bounds(
    mechanism: Mechanism, solver: ConstraintSoftness, states: Iterable[State], step: float
) -> dict[str, float]:
    """Return the largest violation of each constraint that an engine's solver may leave [rad or m].

    A state in which the mass matrix is singular, where a motion ends that diverges, adds nothing.

    Args:
        mechanism: The mechanism with its constraints.
        solver: How far constraints give way in the engine.
        states: States of the motion in which the violation was measured.
        step: Time step [s].
    """
    return bounds_of_loads(mechanism, solver, loads_in(mechanism, states), step)


Loads = Mapping[str, tuple[float, float, float]]
"""The acceleration that each constraint takes up, that by its curvature, and the mobility that
MuJoCo takes for it relative to the true one."""


def loads_in(mechanism: Mechanism, states: Iterable[State]) -> Iterator[Loads]:
    """Yield the loads of the constraints in each state whose mass matrix is not singular.

    Args:
        mechanism: The mechanism with its constraints.
        states: States of the motion.
    """
    for state in states:
        try:
            loads = _loads(mechanism, state)
        except np.linalg.LinAlgError:
            continue
        yield loads


def bounds_of_loads(
    mechanism: Mechanism, solver: ConstraintSoftness, loads: Iterable[Loads], step: float
) -> dict[str, float]:
    """Return the bounds of `violation_bounds` from the loads in the states of a motion.

    Args:
        mechanism: The mechanism with its constraints.
        solver: How far constraints give way in the engine.
        loads: The loads in each state.
        step: Time step [s].
    """
    bounds: dict[str, float] = {}
    hardest = Softness(solver.stretch * step**2, solver.admitted)
    stated = stated_softness(mechanism, step) if solver.obeys_settings else {}
    for of_state in loads:
        for name, (foreseen, curvature, taken_for) in of_state.items():
            softness = stated.get(name, hardest)
            admitted = softness.admitted * (taken_for if solver.approximates_mobility else 1.0)
            violation = softness.stretch * (admitted * foreseen + curvature)
            bounds[name] = max(bounds.get(name, ROUNDING), MARGIN * violation)
    return bounds


def screw_load(mechanism: Mechanism, state: State) -> dict[str, float]:
    """Return the relative acceleration of rotation and translation that each screw takes up, per
    radian.
    """
    return {name: load for name, (load, _) in _screw_loads(mechanism, state).items()}


def _screw_loads(mechanism: Mechanism, state: State) -> dict[str, tuple[float, float]]:
    """Return the load of each screw, and the mobility that MuJoCo takes for its constraint relative
    to the true one.
    """
    screws = [
        joint for joint in mechanism.scene.joints if joint.name in screw_like_joints(mechanism)
    ]
    if not screws:
        return {}
    free = relowered(mechanism, with_unlocked(mechanism, screws))
    ratios = {joint.name: screw_ratios(mechanism, joint.name) for joint in screws}
    q, v = ({**dict(part)} for part in state)
    for name, (slide, _) in ratios.items():
        for part in (q, v):
            value = float(np.atleast_1d(part.get(name, 0.0))[0])
            part[name], part[f"{name}::slide"] = value, value * slide
    q, v = known_positions(q, free), known_positions(v, free)
    a, index = accelerations(free, q, v), free.dof_index
    at_zero, here = _mobility(free, {}), _mobility(free, q)
    loads = {}
    for name, (slide, _) in ratios.items():
        if (name, 0) in index and (f"{name}::slide", 0) in index:
            s, h = index[f"{name}::slide", 0], index[name, 0]
            load = abs(a[s] / (slide or 1.0) - a[h]) * max(1.0, abs(slide))
            loads[name] = load, _taken_for(at_zero, here, s, h, slide)
    return loads


def _mobility(mechanism: Mechanism, q: Mapping[str, Position]) -> Array:
    """Return the inverse of the mass matrix; its pseudoinverse if that is singular."""
    return np.asarray(np.linalg.pinv(mechanism.mass_matrix(q), hermitian=True), dtype=np.float64)


def _taken_for(at_zero: Array, here: Array, follower: int, leader: int, multiplier: float) -> float:
    """Return the mobility that MuJoCo takes for the coupling of two coordinates, relative to the
    true one.
    """
    taken = at_zero[follower, follower] + at_zero[leader, leader]
    row = np.zeros(len(here))
    row[follower], row[leader] = 1.0, -multiplier
    true = float(row @ here @ row)
    return float(taken / true) if true > 0.0 else 1.0


def known_positions(values: Mapping[str, Position], mechanism: Mechanism) -> dict[str, Position]:
    """Return the values of the joints that a mechanism has.

    Args:
        values: Positions or velocities by joint.
        mechanism: The mechanism.
    """
    joints = {joint for joint, _ in mechanism.v_order}
    return {name: value for name, value in values.items() if name in joints}


def screw_ratios(mechanism: Mechanism, joint: str) -> tuple[float, float]:
    """Return the ratio of the slide of a screw, and that of its hinge.

    Args:
        mechanism: The mechanism.
        joint: The name of the screw.
    """
    body = next(body for body in mechanism.bodies if body.joint == joint)
    by_kind = {primitive.kind.name: primitive.ratio for primitive in body.primitives}
    return by_kind.get("SLIDE", 1.0), by_kind.get("HINGE", 1.0)


def with_unlocked(mechanism: Mechanism, screws: Sequence[Joint]) -> Scene:
    """Return the scene with a slide and a hinge, which are independent, in place of each screw."""
    names = {joint.name for joint in screws}
    joints = [joint for joint in mechanism.scene.joints if joint.name not in names]
    links: list[Link] = list(mechanism.scene.links)
    for joint in screws:
        between = f"{joint.name}::between"
        links.append(Link(name=between, model=links[0].model, X_WL=IDENTITY))
        slide = dataclasses.replace(
            joint,
            name=f"{joint.name}::slide",
            type=JointType.PRISMATIC,
            child=between,
            X_CJ=IDENTITY,
        )
        hinge = dataclasses.replace(joint, type=JointType.REVOLUTE, parent=between, X_PJ=IDENTITY)
        joints += [slide, hinge]
    return dataclasses.replace(mechanism.scene, links=tuple(links), joints=tuple(joints))


# --- loads ----------------------------------------------------------------------------------------


def _loads(mechanism: Mechanism, state: State) -> Loads:
    rows, owners, curvature, turning = _jacobian(mechanism, state)
    loads = {
        name: (load, 0.0, taken_for)
        for name, (load, taken_for) in _screw_loads(mechanism, state).items()
    }
    if not len(rows):
        return loads
    a = accelerations(mechanism, *state)
    here = _mobility(mechanism, state[0])
    taken_for = _couplings_taken_for(mechanism, here, state)
    A = rows @ here @ rows.T
    relative = rows @ a + curvature
    forces = np.linalg.lstsq(A, relative, rcond=1e-10)[0]
    taken = np.maximum(np.abs(relative), np.diag(A) * np.abs(forces))
    turns = _turns_taken_for(mechanism, turning, np.diag(A))
    for name in dict.fromkeys(owners):
        own = [k for k, owner in enumerate(owners) if owner == name]
        foreseen, curved = float(np.linalg.norm(taken[own])), float(np.linalg.norm(curvature[own]))
        of_weld = float(np.linalg.norm((taken * turns)[own])) / foreseen if foreseen else 1.0
        loads[name] = foreseen, curved, taken_for.get(name, 1.0) * of_weld
    return loads


def _couplings_taken_for(mechanism: Mechanism, here: Array, state: State) -> dict[str, float]:
    at_zero = _mobility(mechanism, {}) if mechanism.couplings else here
    q = _scalar_positions(mechanism, state)
    return {
        c.name: _taken_for(at_zero, here, c.follower, c.leader, float(c.at(q[c.leader], 1)))
        for c in mechanism.couplings
    }


def _scalar_positions(mechanism: Mechanism, state: State) -> Array:
    return scalar_positions(mechanism.bodies, mechanism.positions_by_body(state[0]))


def _turns_taken_for(
    mechanism: Mechanism, turning: Sequence[Sequence[int]], mobility: Array
) -> Array:
    """Return the mobility that MuJoCo takes for the rotations of welds, relative to the true one; 1
    for other rows.

    MuJoCo holds half of the angle to zero, which has a quarter of the mobility of the angle. It
    takes the mean of the mobilities of the angle about three axes, at the zero position, of both
    bodies.

    Args:
        mechanism: The mechanism.
        turning: The bodies of each row that is a rotation; none for other rows.
        mobility: The mobility of each row.
    """
    ratios = np.ones(len(turning))
    if not any(turning):
        return ratios
    J, at_zero = mechanism.jacobians({}), _mobility(mechanism, {})
    for k, bodies in enumerate(turning):
        if bodies and mobility[k] > ROUNDING * mobility.max():
            turns = (_turn_jacobian(mechanism, J, body) for body in bodies)
            ratios[k] = (
                sum(4.0 * np.trace(turn @ at_zero @ turn.T) / 3.0 for turn in turns) / mobility[k]
            )
    return ratios


def _jacobian(
    mechanism: Mechanism, state: State
) -> tuple[Array, list[str], Array, list[Sequence[int]]]:
    """Return the Jacobian of all constraints; of each row the constraint, acceleration by
    curvature, and turning bodies.
    """
    rows: list[Array] = []
    owners: list[str] = []
    q, v = state[0], mechanism.velocities(state[1])
    values = _scalar_positions(mechanism, state)
    curvature: list[float] = []
    for c in mechanism.couplings:
        row = np.zeros(len(mechanism.v_order))
        row[c.follower], row[c.leader] = 1.0, -c.at(values[c.leader], 1)
        rows.append(row)
        owners.append(c.name)
        curvature.append(float(abs(c.at(values[c.leader], 2)) * v[c.leader] ** 2))
    turning: list[Sequence[int]] = [()] * len(rows)
    frames = list(held_frames(mechanism))
    J = mechanism.jacobians(q) if frames else {}
    poses = mechanism.link_poses(q) if frames else {}
    for name, ends, is_weld in frames:
        one, two = (_point_jacobian(mechanism, J, poses, *end) for end in ends)
        rows += list(one - two)
        speeds = [_speed(mechanism, J, body, v) for body, _ in ends]
        reach = max((float(np.linalg.norm(X.p)) for _, X in ends), default=0.0) + 0.1
        curvature += [sum(w * w * reach + 2.0 * w * u for w, u in speeds)] * 3
        turning += [()] * 3
        if is_weld:
            rows += list(
                _turn_jacobian(mechanism, J, ends[0][0]) - _turn_jacobian(mechanism, J, ends[1][0])
            )
            curvature += [sum(w * w for w, _ in speeds)] * 3
            turning += [(ends[0][0], ends[1][0])] * 3
        owners += [name] * (6 if is_weld else 3)
    return np.array(rows), owners, np.array(curvature), turning


def _turn_jacobian(mechanism: Mechanism, J: Mapping[str, Array], body: int) -> Array:
    """Return the Jacobian of the rotation of a body in the world, shape (3, nv)."""
    return (
        np.zeros((3, len(mechanism.v_order)))
        if body == ROOT
        else J[mechanism.bodies[body].name][:3]
    )


def _point_jacobian(
    mechanism: Mechanism, J: Mapping[str, Array], poses: Mapping[str, Pose], body: int, X_BP: Pose
) -> Array:
    """Return the Jacobian of a point of a body in the world, shape (3, nv)."""
    if body == ROOT:
        return np.zeros((3, len(mechanism.v_order)))
    name = mechanism.bodies[body].name
    x, y, z = poses[name].R @ X_BP.p
    skew = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    of_link = J[name]
    point: Array = of_link[3:] - skew @ of_link[:3]
    return point


def _speed(
    mechanism: Mechanism, J: Mapping[str, Array], body: int, v: Array
) -> tuple[float, float]:
    """Return the angular speed of a body and the speed of its origin."""
    if body == ROOT:
        return 0.0, 0.0
    motion = J[mechanism.bodies[body].name] @ v
    return float(np.linalg.norm(motion[:3])), float(np.linalg.norm(motion[3:]))


def without_screw_forces(mechanism: Mechanism, states: Sequence[State]) -> Array:
    """Return, for each state, the matrix that removes from velocities what forces of screws may
    change.

    Args:
        mechanism: The mechanism.
        states: The states, with the positions of all joints.

    Returns:
        Projections of shape (number of states, nv, nv); identities if there is no screw.
    """
    identity = np.eye(len(mechanism.v_order))
    screws = [
        joint for joint in mechanism.scene.joints if joint.name in screw_like_joints(mechanism)
    ]
    if not screws:
        return np.broadcast_to(identity, (len(states), *identity.shape))
    free = relowered(mechanism, with_unlocked(mechanism, screws))
    ratios = {joint.name: screw_ratios(mechanism, joint.name) for joint in screws}
    responses = (_responses(mechanism, free, ratios, state) for state in states)
    return np.array([identity - D @ np.linalg.pinv(D) for D in responses])


def _responses(
    mechanism: Mechanism, free: Mechanism, ratios: dict[str, tuple[float, float]], state: State
) -> Array:
    """Return the change of velocities by a unit impulse between hinge and slide of each screw, one
    column for each.

    The columns after these are the velocities of the screws themselves, for which engines report
    that of the hinge or a mean of hinge and slide.
    """
    q = dict(state[0])
    constraints, index = np.zeros((len(ratios), len(free.v_order))), free.dof_index
    for row, (name, (slide, hinge)) in zip(constraints, ratios.items(), strict=True):
        value = float(np.atleast_1d(q[name])[0])
        q[name], q[f"{name}::slide"] = value * hinge, value * slide
        row[index[f"{name}::slide", 0]], row[index[name, 0]] = hinge, -slide
    responses = np.linalg.solve(free.mass_matrix(known_positions(q, free)), constraints.T)
    own = [[float(name == screw) for screw in ratios] for name, _ in mechanism.v_order]
    columns: Array = np.hstack((responses[[index[dof] for dof in mechanism.v_order]], own))
    return columns
