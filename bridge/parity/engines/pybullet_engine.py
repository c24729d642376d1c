"""The adapter of PyBullet, with a separate physics server for each mechanism.

PyBullet caches the dynamics of bodies by memory address, so that a server must not be reused.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from bridge.bullet import PyBulletBody, load_into_pybullet
from bridge.bullet.client.client import HULL_MARGIN
from bridge.bullet.client.replies import JointInfo, named
from bridge.bullet.simulation.own_dynamics import NoAnswerError, OwnDynamics
from bridge.bullet.simulation.state import pose_from
from bridge.bullet.target import BASE
from bridge.installed_packages import version_of
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from loaders.spatial import Array, Pose, SpatialInertia

from .collision_pairs import links_by_index, pairs_in_pybullet
from .constraint_violation import add_violation, frame_distance
from .dofs import moving_links, scalar_dofs, without_sentinel
from .protocol import Dof, JointParameters, NotReportedError, Settings
from .stated.actuator_trials import ActuatorTrial
from .stated.observed_pairs import observe_pairs, of_links
from .stated.pybullet_actuators import efforts_in_pybullet
from .stated.pybullet_constraints import HeldConstraints, held_constraints
from .stated.pybullet_joints import FastJoint, fast_joints
from .stated.pybullet_surfaces import surfaces_in_pybullet
from .stated.shapes import Surfaces

CONTACT_MARGIN = HULL_MARGIN
"""Distance at which PyBullet's convex hulls touch, the largest contact margin of any engine [m]."""


class PyBulletEngine:
    """A mechanism in PyBullet."""

    name = "pybullet"

    def __init__(self, mechanism: Mechanism) -> None:
        import pybullet

        self._pybullet: Any = pybullet
        self.mechanism = mechanism
        self._pairs: frozenset[frozenset[str]] | None = None
        self._client: int = pybullet.connect(pybullet.DIRECT)
        try:
            pybullet.setTimeStep(mechanism.physics.time_step, physicsClientId=self._client)
            self._loaded = load_into_pybullet(mechanism, physicsClientId=self._client, quiet=True)
        except BaseException:
            self.close()
            raise
        self._bodies = [self._loaded] if isinstance(self._loaded, PyBulletBody) else list(self._loaded)
        index = mechanism.dof_index  # a joint that continues a split link has no velocity: -1
        self._dynamics = [
            (OwnDynamics(body.dynamics), [index.get(dof, -1) for dof in body.mechanism.v_order])
            for body in self._bodies
        ]
        self._split_links = {body.mechanism.bodies[0].name for body in self._bodies if body.split_link is not None}
        self.diagnostics = self._loaded.diagnostics
        self.version = version_of("pybullet") or "unknown"
        if self._bodies:
            self._loaded.apply_physics()
        self._initial_poses = self.link_poses()
        self._act: Callable[[Mapping[str, Position]], None] = self._loaded.apply_efforts
        self._controls: dict[str, Position] = {}

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`."""
        self._loaded.set_positions(q)
        self._loaded.set_velocities(v)

    def link_poses(self) -> dict[str, Pose]:
        """See `Engine.link_poses`."""
        return {name: self._loaded.link_pose(name) for name in self._loaded.links}

    def jacobians(self) -> dict[str, Array]:
        """See `Engine.jacobians`; each column is the velocity of the links if only one component has unit velocity."""
        order = self.mechanism.v_order
        zero: dict[str, Position] = {name: (0.0,) * size for name, size in Counter(name for name, _ in order).items()}
        followers = {name: zero[name] for name in {order[c.follower][0] for c in self.mechanism.couplings}}
        current, poses = self._loaded.velocities(), self.link_poses()
        jacobians = {name: np.zeros((6, len(order))) for name in poses}
        self._loaded.set_velocities(zero)
        for column, (joint, component) in enumerate(order):
            unit = np.eye(np.size(zero[joint]))[component].tolist()
            self._loaded.set_velocities({**followers, joint: unit})
            for name, w, v_P, p_P in self._motions(jacobians):
                jacobians[name][:, column] = (*w, *(v_P + np.cross(w, poses[name].p - p_P)))
            self._loaded.set_velocities({joint: zero[joint], **followers})
        self._loaded.set_velocities(current)
        return jacobians

    def _motions(self, wanted: Container[str]) -> Iterator[tuple[str, Array, Array, Array]]:
        """Yield name, angular velocity, and velocity and position of one point of each wanted link, in the world."""
        for body in self._bodies:
            v, w = self._pybullet.getBaseVelocity(int(body), physicsClientId=self._client)
            p, _ = self._pybullet.getBasePositionAndOrientation(int(body), physicsClientId=self._client)
            motions = {BASE: (np.array(w), np.array(v), np.array(p))}
            indices = sorted({index for index in body.links.values() if index != BASE})
            states = indices and self._pybullet.getLinkStates(
                int(body), indices, computeLinkVelocity=1, computeForwardKinematics=1, physicsClientId=self._client
            )
            motions |= {
                i: (np.array(s[7]), np.array(s[6]), np.array(s[0])) for i, s in zip(indices, states, strict=True)
            }
            yield from ((name, *motions[index]) for name, index in body.links.items() if name in wanted)

    def positions(self) -> dict[str, Position]:
        """See `Engine.positions`."""
        return dict(self._loaded.positions())

    def velocities(self) -> Array:
        """See `Engine.velocities`."""
        by_joint = self._loaded.velocities()
        return np.array([np.atleast_1d(by_joint[name])[k] for name, k in self.mechanism.v_order], dtype=np.float64)

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`; the inertia of a merged link is added to that of the link that carries it."""
        moving = moving_links(self.mechanism)
        return {
            link.name: link.inertia for link in self._loaded.mechanism_from_pybullet().bodies if link.name in moving
        }

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """See `Engine.joint_parameters`; dry friction is the largest force of a motor, which a short step shows."""
        self._refresh()
        fast = self._fast_joints()
        return {
            dof: self._parameters(body, index, ratio, fast[int(body), index].friction)
            for dof, body, index, ratio in self._drives()
        }

    def enforced_speed_limits(self) -> dict[Dof, float]:
        """Return the speed at which PyBullet cuts off each hinge and slide; of joints that it does not, nothing."""
        fast = self._fast_joints()
        limits = {dof: fast[int(b), index].speed_limit / abs(ratio) for dof, b, index, ratio in self._drives()}
        return {dof: limit for dof, limit in limits.items() if limit < math.inf}

    def _fast_joints(self) -> dict[tuple[int, int], FastJoint]:
        q, v = self._loaded.positions(), self._loaded.velocities()
        for body in self._bodies:
            body.adapt_friction()
        joints = [(int(body), index) for _, body, index, _ in self._drives()]
        found = fast_joints(self._pybullet, self._client, joints)
        self._loaded.set_positions(q)
        self._loaded.set_velocities(v)
        return found

    def _refresh(self) -> None:
        """Fetch what `getJointInfo` reports from the running bodies; otherwise it is what they were loaded with."""
        self._pybullet.syncBodyInfo(physicsClientId=self._client)

    def _parameters(self, body: PyBulletBody, index: int, ratio: float, friction: float | None) -> JointParameters:
        info = self._joint_info(body, index)
        limits = (info.lower, info.upper) if info.lower <= info.upper else (-math.inf, math.inf)
        lower, upper = sorted(without_sentinel(limit) / ratio for limit in limits)
        friction = None if friction is None else friction * abs(ratio)
        return JointParameters(lower=lower, upper=upper, damping=info.damping * ratio**2, friction=friction)

    def _joint_info(self, body: PyBulletBody, index: int) -> JointInfo:
        return named(JointInfo, self._pybullet.getJointInfo(int(body), index, physicsClientId=self._client))

    def _drives(self) -> Iterator[tuple[Dof, PyBulletBody, int, float]]:
        """Yield degree of freedom, body, joint index and ratio of every hinge and slide."""
        for body in self._bodies:
            joint_segments = body.state.articulation.joint_segments
            for dof, scalar in scalar_dofs(body.mechanism).items():
                yield dof, body, joint_segments[scalar.body][scalar.number], scalar.primitive.ratio

    def settings(self) -> Settings:
        """Return gravity and time step of the server, initial poses, and the effort limits of `getJointInfo`."""
        self._refresh()
        world = self._pybullet.getPhysicsEngineParameters(physicsClientId=self._client)
        return Settings(
            gravity=np.array([world[f"gravityAcceleration{axis}"] for axis in "XYZ"]),
            time_step=float(world["fixedTimeStep"]) / max(1, world["numSubSteps"]),
            initial_poses=self._initial_poses,
            efforts={dof: self._effort(body, index) * abs(ratio) for dof, body, index, ratio in self._drives()},
        )

    def _effort(self, body: PyBulletBody, index: int) -> float:
        return without_sentinel(float(self._pybullet.getJointInfo(int(body), index, physicsClientId=self._client)[10]))

    def surfaces(self) -> Surfaces:
        """Return the shapes of the running bodies and their friction."""
        return surfaces_in_pybullet(self._pybullet, self._client, self._bodies, self.mechanism)

    def actuator_efforts(self, trials: Mapping[str, ActuatorTrial], bare: Mechanism) -> dict[str, Array]:
        """Return the efforts of trials, measured in a second server without constraints, stops and dry friction."""
        other = type(self)(bare)
        try:
            return efforts_in_pybullet(other, other._loaded, bare, trials)
        finally:
            other.close()

    def velocity_limits(self) -> dict[Dof, float]:
        """Return the limit of speed of each hinge and slide that `getJointInfo` reports; PyBullet enforces none."""
        self._refresh()
        return {
            dof: without_sentinel(float(self._joint_info(body, index).max_velocity)) / abs(ratio)
            for dof, body, index, ratio in self._drives()
        }

    def couplings(self) -> dict[tuple[Dof, Dof], tuple[float, float]]:
        """See `Engine.couplings`; these are the gear constraints."""
        dofs = {(int(body), index): (dof, ratio) for dof, body, index, ratio in self._drives()}
        couplings = {}
        for _, info in self._held(self._body_constraints()).stated:
            one, two = dofs.get(info.parent), dofs.get(info.child)
            if info.type == self._pybullet.JOINT_GEAR and one is not None and two is not None:
                (follower, f), (leader, k) = one, two
                couplings[follower, leader] = (-info.gear_ratio * k / f, info.relative_position_target / f)
        return couplings

    def _body_constraints(self) -> dict[str, set[int]]:
        """The constraints of all bodies by name."""
        found: dict[str, set[int]] = defaultdict(set)
        for body in self._bodies:
            for name, numbers in body.constraints.items():
                found[name].update(numbers)
        return found

    def _held(self, constraints: Mapping[str, Iterable[int]]) -> HeldConstraints:
        return held_constraints(self._pybullet, self._client, self._bodies, constraints)

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`; a loop is measured at the pivots of its constraints, a hinge at their mean.

        A constraint that the model does not have is named by its links; one that does not hold is left out.
        """
        held = self._held(self._loaded.constraints)
        violations: dict[str, float] = {", ".join(links): 0.0 for links in held.others}
        loops = {closure.joint.name for closure in self.mechanism.closures}
        separations: dict[str, list[Array]] = defaultdict(list)
        for name, info in held.stated:
            if name in self._split_links:
                continue
            if info.type == self._pybullet.JOINT_GEAR:
                follower, leader = self._displacement(*info.parent), self._displacement(*info.child)
                violations[name] = abs(follower + info.gear_ratio * leader - info.relative_position_target)
                continue
            P = self._frame(*info.parent, info.parent_position, info.parent_orientation)
            Q = self._frame(*info.child, info.child_position, info.child_orientation)
            is_weld = info.type == self._pybullet.JOINT_FIXED
            if is_weld or name not in loops:
                add_violation(violations, name, frame_distance(P, Q, welded=is_weld))
            else:
                separations[name].append(P.p - Q.p)
        return violations | {n: float(np.linalg.norm(np.mean(each, axis=0))) for n, each in separations.items()}

    def _displacement(self, body: int, index: int) -> float:
        return float(self._pybullet.getJointState(body, index, physicsClientId=self._client)[0])

    def _frame(self, body: int, index: int, pivot: Sequence[float], xyzw: Sequence[float]) -> Pose:
        """The pose of a constraint frame in the world; PyBullet states it in the inertial frame of the link."""
        X_IK = pose_from(pivot, xyzw)
        if body < 0:
            return X_IK
        if index == BASE:
            return pose_from(*self._pybullet.getBasePositionAndOrientation(body, physicsClientId=self._client)) @ X_IK
        state = self._pybullet.getLinkState(body, index, computeForwardKinematics=1, physicsClientId=self._client)
        return pose_from(*state[:2]) @ X_IK

    @property
    def dynamics_source(self) -> str:
        """The way in which PyBullet is asked for mass matrices and forces: ``query``, ``steps`` or ``query, steps``."""
        return ", ".join(sorted({own.source for own, rows in self._dynamics if rows}))

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`; always PyBullet's own, see `bridge.bullet.simulation.own_dynamics`."""
        M = np.zeros((len(self.mechanism.v_order),) * 2)
        for own, rows in self._dynamics:
            M[np.ix_(rows, rows)] = self._answer(own.mass_matrix)
        return M

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        return self.inverse_dynamics(np.zeros(len(self.mechanism.v_order)))

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`; always PyBullet's own, see `bridge.bullet.simulation.own_dynamics`."""
        forces = np.zeros(len(self.mechanism.v_order))
        for own, rows in self._dynamics:
            forces[rows] = self._answer(partial(own.inverse_dynamics, accelerations[rows]))
        return forces

    def _answer(self, query: Callable[[], Array]) -> Array:
        if self._split_links:
            raise NotReportedError(f"PyBullet has no mass matrix across the halves of link {min(self._split_links)}")
        try:
            return query()
        except NoAnswerError as error:
            raise NotReportedError(str(error)) from error

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`; observed in the running bodies, otherwise measured by `pairs_in_pybullet`."""
        if self._pairs is None:
            self._pairs = self._observed_pairs(pairs_in_pybullet(self._pybullet, self.mechanism))
        return self._pairs

    def _observed_pairs(self, expected: frozenset[frozenset[str]]) -> frozenset[frozenset[str]]:
        """The pairs that touch in the running bodies, and those that never overlap there as expected."""
        names = links_by_index(self._bodies)
        wanted = {frozenset(pair) for pair in combinations(names, 2)}
        q, v = self._loaded.positions(), self._loaded.velocities()
        observed = observe_pairs(self._pybullet, self._client, self._bodies, wanted)
        self._loaded.set_positions(q)
        self._loaded.set_velocities(v)
        return (expected - of_links(observed.disabled, names)) | of_links(observed.touching, names)

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`."""
        self._pybullet.setTimeStep(seconds, physicsClientId=self._client)

    def solver_iterations(self) -> int:
        """Return the number of iterations of the solver in each step, which is PyBullet's default unless it was set."""
        return int(self._pybullet.getPhysicsEngineParameters(physicsClientId=self._client)["numSolverIterations"])

    def set_solver_iterations(self, count: int) -> None:
        """Set the number of iterations of the solver in each step."""
        self._pybullet.setPhysicsEngineParameter(numSolverIterations=count, physicsClientId=self._client)

    def step(self, count: int) -> None:
        """See `Engine.step`."""
        for _ in range(count):
            if self._controls:
                self._act(self._controls)
            self._loaded.step()

    def start_actuators(self, actuators: str, _joints: Sequence[str]) -> None:
        """Let `set_controls` take targets of the file's controllers for ``position``, otherwise efforts."""
        self._act = self._loaded.apply_control if actuators == "position" else self._loaded.apply_efforts

    def set_controls(self, controls: Mapping[str, float]) -> None:
        """Set the efforts or targets of some joints, which act in every step from now on."""
        self._controls = dict(controls)

    def close(self) -> None:
        """See `Engine.close`."""
        if self._pybullet.isConnected(self._client):
            self._pybullet.disconnect(self._client)
