"""Mass matrix and bias forces: of the model, and of PyBullet itself.

The numbers are those of ``calculateMassMatrix`` and ``calculateInverseDynamics``. Only their
arguments and results are converted, and known errors of PyBullet are avoided:

* PyBullet's velocities are ``w, v`` of the base's center of mass in the base's inertial frame, then
  one per joint.
* For a floating base PyBullet builds the orientation from Euler angles in the wrong order; it is
  therefore given the quaternion that it misreads as the right orientation.
* For a fixed base PyBullet ignores the orientation of the base; gravity is therefore rotated during
  the computation.
* Both functions are wrong for a ball joint that carries a chain, may use a stale tree after another
  body was removed, and refuse inertias that violate the triangle inequality by a rounding error. In
  these cases the masses and inertias that PyBullet holds are read back, and the mechanism computes
  with them; `DynamicsQueries.source` tells the two cases apart.

A screw is a hinge and a slide of one velocity; PyBullet has two joints, and a constraint that holds
them together.

What PyBullet itself computes is its answer to these queries where they are right, and follows from
its steps otherwise, which are right in both cases; where neither works, the result is None. Known
forces are
applied for one very short step without solver iterations, so that no contact, motor, limit or
constraint acts, and the change of velocity is read. The forces are those of a nominal mass matrix
``N``: if ``A`` are the accelerations that its columns cause, the mass matrix is ``N inv(A)``. Any
other invertible ``N`` gives the same result.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body
from bridge.mechanism.coordinates import Position, kind_of
from bridge.stdout_capture import capture_stdout
from loaders.inertia import SpatialInertia
from loaders.pose import IDENTITY, Array, Pose, frozen, matrix_to_quaternion, rotation_about

from .articulation import Articulation, welded_pose
from .client import BASE
from .damping import joint_damping
from .state import Layout, State, apply_efforts, without_tendons

AGREEMENT = 1e-6
"""Relative difference to the mass matrix of PyBullet's inertias above which PyBullet's own is
considered stale."""


@dataclass(slots=True, eq=False)
class DynamicsQueries:
    """Queries the dynamics of one PyBullet body."""

    state: State
    _trusted: bool | None = None

    @property
    def source(self) -> str:
        """``pybullet`` if PyBullet computes the results, ``readback`` if they follow from the
        inertias it holds.
        """
        if self._trusted is None:
            self._trusted = self._is_trustworthy()
        return "pybullet" if self._trusted else "readback"

    def mass_matrix(self) -> Array:
        """Return the mass matrix at the present position, shape (nv, nv), in ``v_order``, without
        reflected inertia.
        """
        if self.source == "readback":
            return self.mechanism_from_pybullet().mass_matrix(self.state.positions())
        return self.queried_mass_matrix()

    def bias_forces(self, gravity: Sequence[float] | None = None) -> Array:
        """Return the forces that hold the accelerations at zero in the present state, shape (nv,),
        in ``v_order``.
        """
        return self.inverse_dynamics(
            np.zeros(len(self.state.articulation.mechanism.v_order)), gravity
        )

    def inverse_dynamics(
        self, accelerations: Array, gravity: Sequence[float] | None = None, *, trusted: bool = False
    ) -> Array:
        """Return the forces that cause given accelerations in the present state, both shape (nv,),
        in ``v_order``.

        Args:
            accelerations: The accelerations.
            gravity: Gravity in the world [m/s^2]; None for PyBullet's present gravity.
            trusted: Whether to return PyBullet's own answer in any case.
        """
        with self._gravity(gravity) as g:
            if not trusted and self.source == "readback":
                mechanism, q = self.mechanism_from_pybullet(), self.state.positions()
                bias = mechanism.bias_forces(q, self.state.velocities(), g.tolist())
                return (
                    mechanism.mass_matrix(q) @ accelerations + bias if accelerations.any() else bias
                )
            return self._projected_forces(accelerations)

    def nominal_forces(self, accelerations: Array) -> Array:
        """Return the forces for given accelerations that follow from the inertias that PyBullet
        holds, shape (nv,).
        """
        mechanism, q = self.mechanism_from_pybullet(), self.state.positions()
        bias = mechanism.bias_forces(q, self.state.velocities(), self.state.gravity())
        return mechanism.mass_matrix(q) @ accelerations + bias

    def mechanism_from_pybullet(self) -> Mechanism:
        """Return the mechanism with the masses and inertias that PyBullet holds, without rotor
        inertia and tendons.
        """
        articulation = self.state.articulation
        bodies, assigned = [], set[int]()
        for body in articulation.mechanism.bodies:
            index, X_SL = articulation.link_segments[body.name]
            inertia = SpatialInertia.of(
                0.0
            )  # of a merged link: the first link of the segment has all of it
            if index not in assigned:
                inertia = self._segment_inertia(index).moved(X_SL.inverse())
            assigned.add(index)
            rotors = (0.0,) * body.nv
            bodies.append(dataclasses.replace(body, inertia=inertia, reflected_inertia=rotors))
        return dataclasses.replace(without_tendons(articulation.mechanism), bodies=tuple(bodies))

    def _segment_inertia(self, index: int) -> SpatialInertia:
        """Return the inertia of a segment in its frame; another segment may hold parts of it."""
        base = self.state.articulation.segments[0]
        if base.inertia_lender is not None and index in {BASE, base.inertia_lender}:
            return self._lent_inertia(index, base.inertia_lender, base.own_moments)
        inertia = self._pybullet_inertia(index)
        if (
            base.moved_products is None
            or base.products_holder is None
            or index not in {BASE, base.products_holder}
        ):
            return inertia
        if index == BASE:
            return dataclasses.replace(inertia, I_Lcm=frozen(inertia.I_Lcm + base.moved_products))
        R_BS = self._pose_on_base(index).R
        return dataclasses.replace(
            inertia, I_Lcm=frozen(inertia.I_Lcm - R_BS.T @ base.moved_products @ R_BS)
        )

    def _lent_inertia(self, index: int, lender: int, own: Array | None) -> SpatialInertia:
        """Return the inertia of the base or of the segment that lent its inertia to the base, in
        its frame.
        """
        if index == BASE:
            return SpatialInertia.of(0.0, I_Lcm=own)
        total = self._pybullet_inertia(BASE)
        lent = total.I_Lcm if own is None else total.I_Lcm - own
        return dataclasses.replace(total, I_Lcm=frozen(lent)).moved(
            self._pose_on_base(lender).inverse()
        )

    def _pose_on_base(self, index: int) -> Pose:
        return welded_pose(self.state.articulation.segments, index) or IDENTITY

    def _pybullet_inertia(self, index: int) -> SpatialInertia:
        info = self.state.client.getDynamicsInfo(self.state.body, index)
        return SpatialInertia.in_frame(info[0], self.state.inertial_pose(index), np.diag(info[2]))

    # --- computed by PyBullet ---------------------------------------------------------------------

    def _is_trustworthy(self) -> bool:
        if self.state.articulation.has_ball:
            return False
        expected = self.mechanism_from_pybullet().mass_matrix(self.state.positions())
        try:
            with capture_stdout([]):
                M = self.queried_mass_matrix()
        except (
            SystemError,
            TypeError,
            ValueError,
        ):  # PyBullet raises these, with its own error as the cause
            return False
        return M.shape == expected.shape and bool(
            np.abs(M - expected).max(initial=0.0) <= AGREEMENT * np.abs(expected).max(initial=0.0)
        )

    def queried_mass_matrix(self) -> Array:
        """Return what ``calculateMassMatrix`` answers, in ``v_order``.

        Raises:
            SystemError: if PyBullet refuses the body.
            ValueError: if PyBullet does not answer.
        """
        G = self._velocity_map()
        n = G.shape[0]
        if n == 0:
            return np.zeros((0, 0))
        M = np.array(
            self.state.client.calculateMassMatrix(self.state.body, self._joint_positions()),
            dtype=np.float64,
        )
        projected: Array = G.T @ M.reshape(n, n) @ G
        return projected

    def _projected_forces(self, accelerations: Array) -> Array:
        G = self._velocity_map()
        if G.shape[0] == 0:
            return np.zeros(0)
        state, articulation = self.state, self.state.articulation
        v, a = G @ self._velocities(), G @ accelerations
        if articulation.is_fixed:
            q = self._joint_positions()
        else:
            q, a = (
                [*self._base_coordinates(), *self._joint_positions()],
                a + self._base_acceleration(len(v)),
            )
        tau = np.array(state.client.calculateInverseDynamics(state.body, q, v.tolist(), a.tolist()))
        if not articulation.is_fixed:
            tau[:6] = np.roll(tau[:6], 3)
        forces: Array = G.T @ tau
        return forces

    def _joint_positions(self) -> list[float]:
        joints = self._joints()  # without any, PyBullet returns None
        return (
            [joint[0] for joint in self.state.client.getJointStates(self.state.body, joints)]
            if joints
            else []
        )

    def _joints(self) -> list[int]:
        return [i for segments in self.state.articulation.joint_segments for i in segments]

    def _velocities(self) -> Array:
        v = self.state.velocities()
        numbers = [
            np.atleast_1d(v[name])[k] for name, k in self.state.articulation.mechanism.v_order
        ]
        return np.array(numbers, dtype=np.float64)

    def _velocity_map(self) -> Array:
        """Return ``G``, where ``G @ v`` are PyBullet's velocities; shape (number of PyBullet's
        velocities, nv).
        """
        articulation = self.state.articulation
        joints = self._joints()
        row = {
            index: k + (0 if articulation.is_fixed else 6) for k, index in enumerate(sorted(joints))
        }
        G = np.zeros(
            (len(joints) + (0 if articulation.is_fixed else 6), len(articulation.mechanism.v_order))
        )
        for body, segments in zip(
            articulation.mechanism.bodies, articulation.joint_segments, strict=True
        ):
            for index, primitive in zip(segments, body.primitives, strict=False):
                G[row[index], body.v_start + primitive.dof_index] = primitive.ratio
        if not articulation.is_fixed:
            start = articulation.mechanism.bodies[0].v_start
            G[:6, start : start + 6] = self._base_map()
        return G

    def _base_map(self) -> Array:
        """Return the map from ``v, w`` of the base's origin in the world to PyBullet's ``w, v``,
        shape (6, 6).
        """
        X_WS, X_SI = self.state.segment_pose(BASE), self.state.inertial_pose(BASE)
        R_IW = (X_WS.R @ X_SI.R).T
        x, y, z = (X_WS.R @ X_SI.p).tolist()
        p_skew = np.array(((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)))
        return np.block([[np.zeros((3, 3)), R_IW], [R_IW, R_IW @ p_skew]])

    def _base_acceleration(self, size: int) -> Array:
        """Return PyBullet's accelerations of a base whose origin has constant velocities, shape
        (size,).
        """
        X_WS, X_SI = self.state.segment_pose(BASE), self.state.inertial_pose(BASE)
        w = np.array(self.state.client.getBaseVelocity(self.state.body)[1])
        a = np.zeros(size)
        a[3:6] = (X_WS.R @ X_SI.R).T @ np.cross(w, np.cross(w, X_WS.R @ X_SI.p))
        return a

    def _base_coordinates(self) -> list[float]:
        """Return the base's position and the quaternion that PyBullet misreads as the right
        orientation.

        With ``R = Rx(a) Ry(b) Rz(c)`` it needs the quaternion of ``Rz(c) Ry(b) Rx(a)``.
        """
        position, _ = self.state.client.getBasePositionAndOrientation(self.state.body)
        R = self.state.segment_pose(BASE).R @ self.state.inertial_pose(BASE).R
        a, b, c = _euler_angles(R)
        w, x, y, z = matrix_to_quaternion(
            rotation_about((0, 0, 1), c)
            @ rotation_about((0, 1, 0), b)
            @ rotation_about((1, 0, 0), a)
        )
        return [*position, x, y, z, w]

    @contextmanager
    def _gravity(self, requested: Sequence[float] | None) -> Iterator[Array]:
        """Set the gravity that PyBullet needs for the computation; yield gravity in the world."""
        client, articulation = self.state.client, self.state.articulation
        present = self.state.gravity()
        g = np.array(present if requested is None else requested, dtype=np.float64)
        R_WS = articulation.X_WS.R if articulation.is_fixed else np.eye(3)
        client.setGravity(*(R_WS.T @ g).tolist())
        try:
            yield g
        finally:
            client.setGravity(*present)


def _euler_angles(R: Array) -> tuple[float, float, float]:
    """Return the angles of ``R = Rx(a) Ry(b) Rz(c)`` [rad]."""
    a = math.atan2(-R[1, 2], R[2, 2])
    s, k = math.sin(a), math.cos(a)
    b = math.atan2(R[0, 2], math.hypot(R[1, 2], R[2, 2]))
    c = math.atan2(s * R[2, 0] + k * R[1, 0], k * R[1, 1] + s * R[2, 1])
    return a, b, c


def with_independent_axes(state: State) -> tuple[State, Array]:
    """Return the state with a velocity for each axis, and the map to these velocities from those of
    the mechanism.

    Args:
        state: State of the body.

    Returns:
        The state, whose mechanism has neither couplings nor closures, and the map, shape (number of
        axes, nv).
    """
    mechanism = state.articulation.mechanism
    bodies, rows = list[Body](), list[Array]()
    for body in mechanism.bodies:
        start = len(rows)
        unit = np.eye(len(mechanism.v_order))[body.v_start : body.v_start + body.nv]
        if kind_of(body) is not None:
            rows.extend(unit)
            bodies.append(dataclasses.replace(body, v_start=start))
        else:
            rows.extend(
                primitive.ratio * unit[primitive.dof_index] for primitive in body.primitives
            )
            bodies.append(_independent(body, start))
    order = tuple(dof for body in bodies for dof in body.dofs)
    free = dataclasses.replace(
        mechanism,
        bodies=tuple(bodies),
        v_order=order,
        closures=(),
        couplings=(),
        actuators=(),
        constraints=(),
        force_elements=(),
    )
    segments = tuple(
        dataclasses.replace(segment, is_primary=True) for segment in state.articulation.segments
    )
    articulation = dataclasses.replace(
        state.articulation, unplaced=free, X_WN=IDENTITY, segments=segments
    )
    layout = Layout.of(articulation)
    independent = dataclasses.replace(state, articulation=articulation, layout=layout)
    return independent, np.array(rows).reshape(-1, len(mechanism.v_order))


def _independent(body: Body, v_start: int) -> Body:
    primitives = tuple(
        dataclasses.replace(p, dof_index=k, ratio=1.0) for k, p in enumerate(body.primitives)
    )
    return dataclasses.replace(
        body, primitives=primitives, v_start=v_start, reflected_inertia=(0.0,) * len(primitives)
    )


REST_STEP = 1e-6
"""Time step of a body that starts at rest [s]: its velocity is then the acceleration times the
step."""
MOVING_STEP = 1e-4
"""Longest time step of a body that moves [s]; the answers of three steps are extrapolated to
zero."""


def stepped_mass_matrix(state: State, nominal: Array, loaded: Articulation) -> Array:
    """Return the mass matrix at the present position, shape (nv, nv), in ``v_order``.

    Args:
        state: State of the body.
        nominal: An invertible mass matrix close to the expected one.
        loaded: The articulation that the body was loaded from, whose damping it has again
            afterwards; that of the state may have a velocity for each axis.

    Raises:
        numpy.linalg.LinAlgError: if the body does not respond to the forces.
    """
    columns = []
    with _undisturbed(state, (0.0, 0.0, 0.0), loaded) as restore:
        for forces in nominal.T:
            restore()
            mechanism = state.articulation.mechanism
            state.set_velocities(_by_joint(np.zeros(len(mechanism.v_order)), mechanism))
            columns.append(_velocity_change(state, forces, REST_STEP) / REST_STEP)
    measured: Array = nominal @ np.linalg.inv(np.array(columns).T)
    return measured


def stepped_accelerations(
    state: State, forces: Array, gravity: Sequence[float], loaded: Articulation
) -> Array:
    """Return the accelerations that forces cause in the present state, both shape (nv,), in
    ``v_order``.

    Args:
        state: State of the body.
        forces: The forces.
        gravity: Gravity in the world [m/s^2].
        loaded: See `stepped_mass_matrix`.
    """
    answers = []
    with _undisturbed(state, gravity, loaded) as restore:
        for step in (MOVING_STEP, MOVING_STEP / 2.0, MOVING_STEP / 4.0):
            restore()
            answers.append(_velocity_change(state, forces, step) / step)
    long, medium, short = answers
    accelerations: Array = (
        long - 6.0 * medium + 8.0 * short
    ) / 3.0  # without errors of first and second order
    return accelerations


def _velocity_change(state: State, forces: Array, time_step: float) -> Array:
    before = _velocities(state)
    state.client.setTimeStep(time_step)
    apply_efforts(state, _by_joint(forces, state.articulation.mechanism), limited=False)
    state.client.stepSimulation()
    return _velocities(state) - before


def _velocities(state: State) -> Array:
    velocities = state.velocities()
    order = state.articulation.mechanism.v_order
    return np.array([np.atleast_1d(velocities[name])[k] for name, k in order], dtype=np.float64)


def _by_joint(forces: Array, mechanism: Mechanism) -> Mapping[str, Position]:
    by_joint: dict[str, list[float]] = {}
    for (name, _), force in zip(mechanism.v_order, forces.tolist(), strict=True):
        by_joint.setdefault(name, []).append(force)
    return by_joint


@contextmanager
def _undisturbed(
    state: State, gravity: Sequence[float], loaded: Articulation
) -> Iterator[Callable[[], None]]:
    """Set gravity, and switch off damping and PyBullet's solver; yield a function that restores the
    state.

    In the end, the state, the damping and the parameters of the server are as before.
    """
    client = state.client
    present, parameters = state.gravity(), client.getPhysicsEngineParameters()
    damping = joint_damping(loaded, parameters["fixedTimeStep"])
    saved: int = client.saveState()
    client.setGravity(*gravity)
    client.setPhysicsEngineParameter(numSolverIterations=0)
    _set_damping(state, dict.fromkeys(damping, 0.0))
    try:
        yield lambda: client.restoreState(stateId=saved)
    finally:
        client.restoreState(stateId=saved)
        client.removeState(saved)
        _set_damping(state, damping)
        client.setPhysicsEngineParameter(numSolverIterations=parameters["numSolverIterations"])
        client.setTimeStep(parameters["fixedTimeStep"])
        client.setGravity(*present)


def _set_damping(state: State, damping: Mapping[int, float]) -> None:
    for index, value in damping.items():
        state.client.changeDynamics(state.body, index, jointDamping=value)


OwnSource = Literal["query", "steps"]
"""``query`` for `calculateMassMatrix` and `calculateInverseDynamics`, ``steps`` for measured
accelerations."""
_MAX_CONDITION = 1e13
"""Condition number above which a nominal mass matrix cannot be inverted."""


_MAX_ASYMMETRY = 1e-10
"""Asymmetry of a measured mass matrix, scaled to ones on its diagonal, from which rounding errors
spoil it."""


class NoAnswerError(Exception):
    """PyBullet can neither be queried nor measured; the message states why."""


@dataclass(slots=True, eq=False)
class OwnDynamics:
    """The dynamics of one body that PyBullet computes."""

    queries: DynamicsQueries
    _source: OwnSource | None = None

    @property
    def source(self) -> OwnSource:
        """The way in which PyBullet is asked about this body."""
        if self._source is None:
            self._source = "query" if self._answers() else "steps"
        return self._source

    def mass_matrix(self) -> Array:
        """Return the mass matrix at the present position, shape (nv, nv), in ``v_order``, without
        reflected inertia.

        Raises:
            NoAnswerError: if PyBullet can neither be queried nor measured.
        """
        if self.source == "query":
            return self.queries.queried_mass_matrix()
        axes, G = self._axes()
        M: Array = G.T @ _stepped_mass_matrix(axes, self.queries.state.articulation) @ G
        return M

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """Return the forces that cause accelerations in the present state, both shape (nv,), in
        ``v_order``.

        Raises:
            NoAnswerError: if PyBullet can neither be queried nor measured.
        """
        queries = self.queries
        if self.source == "query":
            return queries.inverse_dynamics(accelerations, trusted=True)
        axes, G = self._axes()
        loaded, gravity = queries.state.articulation, queries.state.gravity()
        wanted = G @ accelerations
        guess = axes.nominal_forces(wanted)
        remaining = wanted - stepped_accelerations(axes.state, guess, gravity, loaded)
        forces: Array = G.T @ (guess + _stepped_mass_matrix(axes, loaded) @ remaining)
        return forces

    def _answers(self) -> bool:
        """Return whether PyBullet's queries are valid for this body."""
        if self.queries.state.articulation.has_ball:
            return False
        try:
            with capture_stdout([]):
                self.queries.queried_mass_matrix()
        except (
            SystemError,
            TypeError,
            ValueError,
        ):  # PyBullet raises these, with its own error as the cause
            return False
        return True

    def _axes(self) -> tuple[DynamicsQueries, Array]:
        state, G = with_independent_axes(self.queries.state)
        return DynamicsQueries(state), G


def _stepped_mass_matrix(axes: DynamicsQueries, loaded: Articulation) -> Array:
    nominal = axes.mechanism_from_pybullet().mass_matrix(axes.state.positions())
    if not np.linalg.cond(nominal) < _MAX_CONDITION:
        raise NoAnswerError(
            "PyBullet's queries refuse the body, and a link without inertia cannot be accelerated"
        )
    try:
        M = stepped_mass_matrix(axes.state, nominal, loaded)
    except np.linalg.LinAlgError as error:
        raise NoAnswerError(
            "PyBullet's queries refuse the body, and it does not respond to forces"
        ) from error
    asymmetry = _asymmetry(M, nominal)
    if not asymmetry < _MAX_ASYMMETRY:
        raise NoAnswerError(
            "PyBullet's queries refuse the body, and a link has so little inertia that rounding "
            "errors spoil its "
            f"steps: the mass matrix that they give is asymmetric by {asymmetry:.0e}"
        )
    return M


def _asymmetry(M: Array, nominal: Array) -> float:
    """Return the largest difference between opposite entries, relative to the diagonal of the
    nominal mass matrix.
    """
    scale = np.sqrt(np.diag(nominal))
    return float(np.abs((M - M.T) / np.outer(scale, scale)).max(initial=0.0))
