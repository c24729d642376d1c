"""PyBullet as an engine, in a physics server of its own: it caches dynamics by address, so that none may be shared."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any

import numpy as np

from bridge.bullet import PyBulletBody, load_into_pybullet
from bridge.bullet.simulation.state import pose_from
from bridge.bullet.urdf.segments import BASE
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from loaders.spatial import Array, Pose, SpatialInertia

from .collision_pairs import pairs_in_pybullet
from .constraint_violation import apart
from .dofs import bound, moving_links, single_freedoms
from .protocol import Freedom, JointParameters


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
            self._loaded = load_into_pybullet(mechanism, physicsClientId=self._client)
        except BaseException:
            self.close()
            raise
        self._bodies = [self._loaded] if isinstance(self._loaded, PyBulletBody) else list(self._loaded)
        self._seams = {body.mechanism.bodies[0].name for body in self._bodies if body.seam is not None}
        self.diagnostics = self._loaded.diagnostics
        self.version = metadata.version("pybullet")
        if self._bodies:
            self._loaded.apply_physics()

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`."""
        self._loaded.set_positions(q)
        self._loaded.set_velocities(v)

    def link_poses(self) -> dict[str, Pose]:
        """See `Engine.link_poses`."""
        return {name: self._loaded.link_pose(name) for name in self._loaded.links}

    def jacobians(self) -> dict[str, Array]:
        """See `Engine.jacobians`; as the links move where one freedom alone has a velocity of one."""
        order = self.mechanism.v_order
        still: dict[str, Position] = {name: (0.0,) * size for name, size in Counter(name for name, _ in order).items()}
        followers = {name: still[name] for name in {order[c.follower][0] for c in self.mechanism.couplings}}
        present, poses = self._loaded.velocities(), self.link_poses()
        found = {name: np.zeros((6, len(order))) for name in poses}
        self._loaded.set_velocities(still)
        for column, (joint, component) in enumerate(order):
            unit = np.eye(np.size(still[joint]))[component].tolist()
            self._loaded.set_velocities({**followers, joint: unit})
            for name, w, v_P, p_P in self._motions(found):
                found[name][:, column] = (*w, *(v_P + np.cross(w, poses[name].p - p_P)))
            self._loaded.set_velocities({joint: still[joint], **followers})
        self._loaded.set_velocities(present)
        return found

    def _motions(self, wanted: Container[str]) -> Iterator[tuple[str, Array, Array, Array]]:
        """Of every wanted link its name, its angular velocity, and the velocity and place of a point of it."""
        for body in self._bodies:
            v, w = self._pybullet.getBaseVelocity(int(body), physicsClientId=self._client)
            p, _ = self._pybullet.getBasePositionAndOrientation(int(body), physicsClientId=self._client)
            told = {BASE: (np.array(w), np.array(v), np.array(p))}
            indices = sorted({index for index in body.links.values() if index != BASE})
            states = indices and self._pybullet.getLinkStates(
                int(body), indices, computeLinkVelocity=1, computeForwardKinematics=1, physicsClientId=self._client
            )
            told |= {i: (np.array(s[7]), np.array(s[6]), np.array(s[0])) for i, s in zip(indices, states, strict=True)}
            yield from ((name, *told[index]) for name, index in body.links.items() if name in wanted)

    def positions(self) -> dict[str, Position]:
        """See `Engine.positions`."""
        return dict(self._loaded.positions())

    def velocities(self) -> Array:
        """See `Engine.velocities`."""
        held = self._loaded.velocities()
        return np.array([np.atleast_1d(held[name])[k] for name, k in self.mechanism.v_order], dtype=np.float64)

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`; a link that is one with another counts as part of that one."""
        moving = moving_links(self.mechanism)
        return {link.name: link.inertia for link in self._loaded.readback().bodies if link.name in moving}

    def joint_parameters(self) -> dict[Freedom, JointParameters]:
        """See `Engine.joint_parameters`; dry friction is a motor, whose strength PyBullet does not tell."""
        return {key: self._parameters(body, index, ratio) for key, body, index, ratio in self._drives()}

    def _parameters(self, body: PyBulletBody, index: int, ratio: float) -> JointParameters:
        info = self._pybullet.getJointInfo(int(body), index, physicsClientId=self._client)
        lower, upper = (info[8], info[9]) if info[8] <= info[9] else (-math.inf, math.inf)
        lower, upper = sorted(bound(x) / ratio for x in (lower, upper))
        return JointParameters(lower=lower, upper=upper, damping=info[6] * ratio**2, friction=None)

    def _drives(self) -> Iterator[tuple[Freedom, PyBulletBody, int, float]]:
        """Freedom, body, joint index and ratio of every hinge and slide that carries a component."""
        for body in self._bodies:
            drives = body.state.articulation.drives
            for key, single in single_freedoms(body.mechanism).items():
                yield key, body, drives[single.body][single.number], single.primitive.ratio

    def couplings(self) -> dict[tuple[Freedom, Freedom], tuple[float, float]]:
        """See `Engine.couplings`: every gear between two freedoms."""
        carried = {(int(body), index): (key, ratio) for key, body, index, ratio in self._drives()}
        found = {}
        for number in {number for body in self._bodies for ids in body.constraints.values() for number in ids}:
            info = self._pybullet.getConstraintInfo(number, physicsClientId=self._client)
            one, two = carried.get((info[0], info[1])), carried.get((info[2], info[3]))
            if info[4] == self._pybullet.JOINT_GEAR and one is not None and two is not None:
                (follower, f), (leader, k) = one, two
                found[follower, leader] = (-info[11] * k / f, info[13] / f)
        return found

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`; of loops by the points that constraints hold, at a hinge by their middle."""
        found: dict[str, float] = {}
        welded: dict[str, float] = {}
        gaps: dict[str, list[Array]] = defaultdict(list)
        for name, number in {(name, k) for name, ids in self._loaded.constraints.items() for k in ids}:
            if name in self._seams:
                continue
            info = self._pybullet.getConstraintInfo(number, physicsClientId=self._client)
            if info[4] == self._pybullet.JOINT_GEAR:
                follower, leader = self._displacement(info[0], info[1]), self._displacement(info[2], info[3])
                found[name] = abs(follower + info[11] * leader - info[13])
            else:
                P, Q = self._frame(info[0], info[1], info[6], info[8]), self._frame(info[2], info[3], info[7], info[9])
                if info[4] == self._pybullet.JOINT_FIXED:
                    welded[name] = apart(P, Q, True)
                else:
                    gaps[name].append(P.p - Q.p)
        return found | welded | {name: float(np.linalg.norm(np.mean(each, axis=0))) for name, each in gaps.items()}

    def _displacement(self, body: int, index: int) -> float:
        return float(self._pybullet.getJointState(body, index, physicsClientId=self._client)[0])

    def _frame(self, body: int, index: int, pivot: Sequence[float], xyzw: Sequence[float]) -> Pose:
        """In the world; a constraint has it in the inertial frame, and that of the world itself as it is."""
        X_IK = pose_from(pivot, xyzw)
        if body < 0:
            return X_IK
        if index == BASE:
            return pose_from(*self._pybullet.getBasePositionAndOrientation(body, physicsClientId=self._client)) @ X_IK
        state = self._pybullet.getLinkState(body, index, computeForwardKinematics=1, physicsClientId=self._client)
        return pose_from(*state[:2]) @ X_IK

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        return self._loaded.mass_matrix()

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        return self._loaded.bias_forces()

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`."""
        by_joint: dict[str, list[float]] = defaultdict(list)
        for (name, _), acceleration in zip(self.mechanism.v_order, accelerations.tolist(), strict=True):
            by_joint[name].append(acceleration)
        return self._loaded.inverse_dynamics(by_joint)

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`; by the contacts of balls that reach each other."""
        if self._pairs is None:
            self._pairs = pairs_in_pybullet(self._pybullet, self.mechanism)
        return self._pairs

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`."""
        self._pybullet.setTimeStep(seconds, physicsClientId=self._client)

    def step(self, count: int) -> None:
        """See `Engine.step`."""
        for _ in range(count):
            self._loaded.step()

    def close(self) -> None:
        """See `Engine.close`."""
        if self._pybullet.isConnected(self._client):
            self._pybullet.disconnect(self._client)
