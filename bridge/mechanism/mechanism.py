"""How a scene moves: a forest of bodies below the world, which close loops and follow each other.

`bridge.mechanism.bodies` has the parts and names the frames, `bridge.lowering` makes the whole from a scene,
`bridge.mechanism.dynamics` computes with it from first principles; the targets write it down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from loaders.diagnostics import Diagnostic
from loaders.scene import Scene
from loaders.spatial import Array, Pose

from . import coordinates, dynamics
from .bodies import Body, Closure, DofCoupling
from .coordinates import Coordinates, Position, joint_index
from .loop_closure import with_loops_closed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mechanism:
    """A scene in the form in which it moves.

    `bridge.mechanism.bodies` defines the frames; `bridge.lower` makes a mechanism from a scene.

    Positions and velocities are by joint, in the conventions of `bridge.mechanism.coordinates`; joints that are left
    out are at zero and at rest, free links where the scene has them, and a joint that carries a part of a link is
    where it closes its loop. Other closures, and couplings, are not enforced: ``q`` says where each joint is. Every
    method raises `ValueError` for an unknown joint, and for a position or velocity of the wrong size or that is not
    finite.
    """

    scene: Scene
    bodies: tuple[Body, ...]
    closures: tuple[Closure, ...]
    couplings: tuple[DofCoupling, ...]
    v_order: tuple[tuple[str, int], ...]
    """Joint and component of each velocity, in the order of ``mass_matrix``."""
    diagnostics: tuple[Diagnostic, ...]
    """What lowering itself had to decide; what reading found stays in the scene."""

    def positions_by_body(self, q: Mapping[str, Position] | None = None) -> list[Coordinates]:
        """The position of each body's joint, quaternions of unit length."""
        positions = coordinates.positions_by_body(self.bodies, q or {})
        if not self.closures:
            return positions
        index = joint_index(self.bodies)
        return with_loops_closed(self.bodies, self.closures, positions, {index[name] for name in q or {}})

    def velocities(self, v: Mapping[str, Position] | None = None) -> Array:
        """The velocities in ``v_order``, shape (nv,)."""
        by_body = coordinates.velocities_by_body(self.bodies, v or {})
        return np.array([rate for rates in by_body for rate in rates], dtype=np.float64)

    def link_poses(self, q: Mapping[str, Position] | None = None) -> dict[str, Pose]:
        """``X_WL`` of every link."""
        poses = dynamics.poses(self.bodies, self.positions_by_body(q))
        return {body.name: X_WL for body, X_WL in zip(self.bodies, poses, strict=True)}

    def jacobians(self, q: Mapping[str, Position] | None = None) -> dict[str, Array]:
        """The geometric Jacobian of every link, shape (6, nv): angular velocity, and that of its origin, in the world.

        Columns are in ``v_order``.
        """
        return dynamics.jacobians(self.bodies, self.positions_by_body(q))

    def mass_matrix(self, q: Mapping[str, Position] | None = None) -> Array:
        """The mass matrix, shape (nv, nv), in ``v_order``, with reflected inertia; coupled joints as if free."""
        return dynamics.mass_matrix(self.bodies, self.positions_by_body(q))

    def gravity_forces(self, q: Mapping[str, Position] | None = None, gravity: Sequence[float] | None = None) -> Array:
        """Generalised forces of gravity, shape (nv,): what pulls, not what holds. None is the scene's gravity."""
        return -self.bias_forces(q, gravity=gravity)

    def bias_forces(
        self,
        q: Mapping[str, Position] | None = None,
        v: Mapping[str, Position] | None = None,
        gravity: Sequence[float] | None = None,
    ) -> Array:
        """Coriolis, centrifugal and gravity terms, shape (nv,): the forces that hold the accelerations at zero."""
        g = np.asarray(self.scene.gravity if gravity is None else gravity, dtype=np.float64)
        return dynamics.bias_forces(self.bodies, self.positions_by_body(q), self.velocities(v), g)

    def collidable_pairs(self, policy: str = "drake") -> frozenset[frozenset[str]]:
        """Pairs of links with collisions that may touch; ``world`` stands for links of the world itself."""
        excluded = self.scene.excluded_collision_pairs(policy)
        names = [link.name for link in self.scene.links if link.collisions]
        pairs = {frozenset((a, b)) for i, a in enumerate(names) for b in names[i + 1 :]}
        return frozenset(pairs - excluded)
