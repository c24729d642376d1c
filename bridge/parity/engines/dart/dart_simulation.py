"""A mechanism in DART, in this process: the part of the adapter that calls DART.

To be comparable with other engines, dampers and springs act explicitly, as forces of the state before the step. As
exported, DART simulates them itself, implicitly, with limits, dry friction, couplings and loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, Position
from bridge.mechanism.couplings import initial_positions
from bridge.parity.engines.constraint_violation import constraint_violations
from bridge.parity.engines.dofs import moving_links, positions_by_joint, scalar_dofs, without_sentinel
from bridge.parity.engines.protocol import Dof, JointParameters, Settings
from bridge.parity.engines.stated.shapes import Surfaces
from loaders.spatial import Array, Pose, SpatialInertia

from .dart_constraints import add_couplings, add_loops, follows, mimic_of
from .dart_coordinates import dart_positions, mechanism_positions, velocity_map
from .dart_shapes import add_shapes
from .dart_skeleton import build_skeleton, pose_of, set_passive_forces
from .dart_surfaces import colliding_pairs, surfaces_in_dart


class DartSimulation:
    """A world of DART with the skeleton of a mechanism.

    Args:
        mechanism: The mechanism.
        as_exported: Whether DART itself simulates passive forces, limits and couplings.
    """

    def __init__(self, mechanism: Mechanism, *, as_exported: bool = False) -> None:
        import dartpy

        self._dartpy: Any = dartpy
        self.mechanism = mechanism
        self._is_exported = as_exported
        built = build_skeleton(mechanism)
        self.skeleton, self._indices = built.skeleton, built.bodies
        add_couplings(dartpy, built, mechanism)
        set_passive_forces(built, mechanism)
        self.world: Any = dartpy.simulation.World()
        self.world.setGravity(np.asarray(mechanism.scene.gravity))
        self.world.setTimeStep(mechanism.scene.physics.time_step)
        deactivation = self.world.getDeactivationOptions()
        deactivation.mEnabled = False  # bodies that move slowly must not fall asleep
        self.world.setDeactivationOptions(deactivation)
        add_shapes(dartpy, self.world, built, mechanism)
        self.world.addSkeleton(self.skeleton)
        self._initial_poses = {}
        self.set_state(initial_positions(mechanism), {})
        self._initial_poses = self.link_poses()
        add_loops(dartpy, self.world, built, mechanism)
        if not as_exported:
            self._clear_passive_forces()

    def _clear_passive_forces(self) -> None:
        """Leave dampers and springs to `_passive_forces`; the numbers that DART had stay known for L0."""
        self._parameters = self.joint_parameters()
        for k in range(self.skeleton.getNumJoints()):
            joint = self.skeleton.getJoint(k)
            for number in range(joint.getNumDofs()):
                joint.setDampingCoefficient(number, 0.0)
                joint.setSpringStiffness(number, 0.0)

    # --- state -------------------------------------------------------------------------------------------------------

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`."""
        positions = self.mechanism.positions_by_body(q)
        count = self.skeleton.getNumDofs()
        self.skeleton.setPositions(dart_positions(self._dartpy, self.mechanism, self._indices, positions, count))
        self.skeleton.setVelocities(self._map(positions) @ self.mechanism.velocities(v))

    def _positions(self) -> list[Coordinates]:
        q = np.asarray(self.skeleton.getPositions())
        return mechanism_positions(self._dartpy, self.mechanism, self._indices, q)

    def _map(self, positions: list[Coordinates] | None = None) -> Array:
        return velocity_map(self.mechanism, self._indices, self._positions() if positions is None else positions)

    def positions(self) -> dict[str, Position]:
        """See `Engine.positions`."""
        return positions_by_joint(self.mechanism, self._positions())

    def velocities(self) -> Array:
        """See `Engine.velocities`."""
        v: Array = np.linalg.pinv(self._map()) @ np.asarray(self.skeleton.getVelocities())
        return v

    def link_poses(self) -> dict[str, Pose]:
        """See `Engine.link_poses`."""
        return {
            body.name: pose_of(self.skeleton.getBodyNode(at.body).getWorldTransform())
            for body, at in zip(self.mechanism.bodies, self._indices, strict=True)
        }

    def jacobians(self) -> dict[str, Array]:
        """See `Engine.jacobians`."""
        B = self._map()
        return {
            body.name: np.asarray(self.skeleton.getWorldJacobian(self.skeleton.getBodyNode(at.body))) @ B
            for body, at in zip(self.mechanism.bodies, self._indices, strict=True)
        }

    # --- parameters --------------------------------------------------------------------------------------------------

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`."""
        moving, found = moving_links(self.mechanism), {}
        for body, at in zip(self.mechanism.bodies, self._indices, strict=True):
            if body.name in moving:
                inertia = self.skeleton.getBodyNode(at.body).getInertia()
                center = Pose.of(p=inertia.getLocalCOM())
                found[body.name] = SpatialInertia.in_frame(inertia.getMass(), center, np.asarray(inertia.getMoment()))
        return found

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """See `Engine.joint_parameters`."""
        if hasattr(self, "_parameters"):
            return self._parameters
        found = {}
        for dof, scalar in scalar_dofs(self.mechanism).items():
            number, number_in_joint = self._indices[scalar.body].joints[scalar.number]
            joint, r = self.skeleton.getJoint(number), scalar.primitive.ratio
            bounds = joint.getPositionLowerLimit(number_in_joint), joint.getPositionUpperLimit(number_in_joint)
            lower, upper = sorted(without_sentinel(bound / r) for bound in bounds)
            found[dof] = JointParameters(
                lower=lower, upper=upper, damping=joint.getDampingCoefficient(number_in_joint) * r**2,
                friction=joint.getCoulombFriction(number_in_joint) * abs(r),
            )  # fmt: skip
        return found

    def settings(self) -> Settings:
        """Return gravity and time step of the world, the initial poses, and the force limits of the joints."""
        return Settings(
            gravity=np.asarray(self.world.getGravity()), time_step=float(self.world.getTimeStep()),
            initial_poses=self._initial_poses, efforts=self._efforts(),
        )  # fmt: skip

    def _efforts(self) -> dict[Dof, float]:
        efforts = {}
        for dof, scalar in scalar_dofs(self.mechanism).items():
            if scalar.primitive.limits is not None:
                number, k = self._indices[scalar.body].joints[scalar.number]
                bound = self.skeleton.getJoint(number).getForceUpperLimit(k)
                efforts[dof] = without_sentinel(float(bound) * abs(scalar.primitive.ratio))
        return efforts

    def couplings(self) -> dict[tuple[Dof, Dof], tuple[float, float]]:
        """See `Engine.couplings`."""
        found, order = {}, self.mechanism.v_order
        for coupling in self.mechanism.couplings:
            pair = follows(self.mechanism, coupling)
            if pair is not None:
                joint = self.skeleton.getJoint(self._indices[pair[0].body].joints[0][0])
                mimic, (one, two) = mimic_of(joint), (dof.primitive.ratio for dof in pair)
                values = float(mimic.mMultiplier) * two / one, float(mimic.mOffset) / one
                found[order[coupling.follower], order[coupling.leader]] = values
        return found

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`; of the positions that DART reports."""
        return constraint_violations(self.mechanism, self.positions())

    # --- dynamics ----------------------------------------------------------------------------------------------------

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        B = self._map()
        M: Array = B.T @ np.asarray(self.skeleton.getMassMatrix()) @ B
        return M

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        return self.inverse_dynamics(np.zeros(len(self.mechanism.v_order)))

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`; DART's own, without external forces, dampers and springs."""
        B = self._map()
        self.skeleton.setAccelerations(B @ accelerations)
        self.skeleton.computeInverseDynamics(False, False, False)
        forces: Array = B.T @ np.asarray(self.skeleton.getForces())
        self.skeleton.resetGeneralizedForces()
        self.skeleton.resetAccelerations()
        return forces

    # --- motion ------------------------------------------------------------------------------------------------------

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`."""
        self.world.setTimeStep(seconds)

    def step(self, count: int) -> None:
        """See `Engine.step`."""
        has_forces = not self._is_exported and self._has_passive_forces()
        for _ in range(count):
            if has_forces:
                B = self._map()
                self.skeleton.setForces(np.linalg.pinv(B).T @ self._passive_forces())
            self.world.step()

    def _has_passive_forces(self) -> bool:
        axes = (p.limits for body in self.mechanism.bodies for p in body.primitives if p.limits is not None)
        return any(axis.damping or axis.spring_stiffness for axis in axes)

    def _passive_forces(self) -> Array:
        """The forces of dampers and springs on the velocities of the mechanism."""
        positions, v = self._positions(), self.velocities()
        forces = np.zeros(len(v))
        for body, position in zip(self.mechanism.bodies, positions, strict=True):
            for p in body.primitives:
                if p.limits is None or p.kind is PrimitiveKind.FREE:
                    continue
                size = 3 if p.kind is PrimitiveKind.BALL else 1
                k = slice(body.v_start + p.dof_index, body.v_start + p.dof_index + size)
                forces[k] = -p.limits.damping * v[k]
                if size == 1 and p.limits.spring_stiffness:
                    forces[k] -= p.limits.spring_stiffness * (position[p.dof_index] - p.limits.spring_reference)
        return forces

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`; which large spheres on the links touch with the filter of the world."""
        return colliding_pairs(self._dartpy, self.world, self._nodes())

    def surfaces(self) -> Surfaces:
        """Return the shapes of the skeleton and their friction."""
        return surfaces_in_dart(self._nodes())

    def _nodes(self) -> dict[str, Any]:
        """The body node of each link."""
        pairs = zip(self.mechanism.bodies, self._indices, strict=True)
        return {body.name: self.skeleton.getBodyNode(at.body) for body, at in pairs}
