"""PyBullet as an engine, in a physics server of its own: it caches dynamics by address, so that none may be shared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Any

from bridge.bullet import Body, load_into_pybullet
from bridge.mechanism import Mechanism, Position
from loaders.spatial import Array, Pose, SpatialInertia

from .engines import Freedom, JointParameters
from .freedoms import bound, moving_links, single_freedoms
from .pairs import pairs_in_pybullet


class PyBulletEngine:
    """A mechanism in PyBullet."""

    name = "pybullet"

    def __init__(self, mechanism: Mechanism) -> None:
        import pybullet

        self._pybullet: Any = pybullet
        self.mechanism = mechanism
        self._client: int = pybullet.connect(pybullet.DIRECT)
        try:
            self._loaded = load_into_pybullet(mechanism, physicsClientId=self._client)
        except BaseException:
            self.close()
            raise
        self._bodies = [self._loaded] if isinstance(self._loaded, Body) else list(self._loaded)
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
        return {name: body.link_pose(name) for body in self._bodies for name in body.links}

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`; a link that is one with another counts as part of that one."""
        moving = moving_links(self.mechanism)
        held = (body.operators.readback() for body in self._bodies)
        return {link.name: link.inertia for part in held for link in part.bodies if link.name in moving}

    def joint_parameters(self) -> dict[Freedom, JointParameters]:
        """See `Engine.joint_parameters`; dry friction is a motor, whose strength PyBullet does not tell."""
        return {key: self._parameters(body, index, ratio) for key, body, index, ratio in self._drives()}

    def _parameters(self, body: Body, index: int, ratio: float) -> JointParameters:
        info = self._pybullet.getJointInfo(int(body), index, physicsClientId=self._client)
        lower, upper = (info[8], info[9]) if info[8] <= info[9] else (-math.inf, math.inf)
        lower, upper = sorted(bound(x) / ratio for x in (lower, upper))
        return JointParameters(lower=lower, upper=upper, damping=info[6] * ratio**2, friction=None)

    def _drives(self) -> Iterator[tuple[Freedom, Body, int, float]]:
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

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        return self._loaded.mass_matrix()

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        return self._loaded.bias_forces()

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`; by the contacts of balls that reach each other."""
        return pairs_in_pybullet(self._pybullet, self.mechanism)

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
