"""A process that runs DART, which can crash: pickled requests on stdin, pickled replies on stdout.

A request is the number of an engine, the name of a method and its arguments. Both ends are this
package, so that pickles are safe here.

`DartSimulation` is a mechanism in DART: coordinates, steps and surfaces. DART expresses the
rotation of a ball joint or free body as a rotation vector. It has the velocities of the mechanism,
but in another order for a free body, and of reversed sign in the other frame for a reversed ball
joint. With ``v_dart = B v``, mass matrix and forces become ``B.T M B`` and ``B.T f``; the rate of
``B`` times ``v`` is zero.

To be comparable with other engines, dampers and springs act explicitly, as forces of the state
before the step. As exported, DART simulates them itself, implicitly, with limits, dry friction,
couplings and loops.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np

from bridge.geometry.shapes import SupportFunction, half_space, support_function, supports_of
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import (
    Coordinates,
    Position,
    initial_positions,
    joint_position,
    kind_of,
    primitive_positions,
)
from bridge.mechanism.dynamics import damper_and_spring_forces
from bridge.parity.engine import (
    Dof,
    JointParameters,
    Settings,
    Surfaces,
    constraint_violations,
    moving_links,
    positions_by_joint,
    scalar_dofs,
    without_sentinel,
)
from bridge.parity.engines.dart.skeleton import (
    SkeletonIndices,
    add_couplings,
    add_loops,
    add_shapes,
    build_skeleton,
    follows,
    isometry,
    mimic_of,
    pose_of,
    set_passive_forces,
)
from bridge.parity.readings import stacked
from loaders.inertia import SpatialInertia
from loaders.model import Box, Capsule, Cone, CouplingLaw, Cylinder, Ellipsoid, Geometry, Sphere
from loaders.pose import Array, Pose, matrix_to_quaternion, quaternion_to_matrix

OPEN, CLOSE = "open", "close"
"""Requests that open and close an engine; all others are methods of `DartSimulation`."""
Request = tuple[int, str, tuple[Any, ...]]
_RAISED = (
    RuntimeError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, ImportError,
    MemoryError,
)  # fmt: skip


def main() -> None:
    """Reply to requests until stdin is closed."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keeps what DART prints out of the replies
    serve(sys.stdin.buffer, replies)


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Reply to each request with whether it succeeded, and the answer or the message of the error.

    Args:
        requests: The stream of requests.
        replies: The stream of replies.
    """
    engines: dict[int, DartSimulation] = {}
    while True:
        try:
            request: Request = pickle.load(requests)  # noqa: S301 - written by `DartProcess`
        except EOFError:
            return
        try:
            reply = True, _answer(engines, *request)
        except _RAISED as error:
            reply = False, f"{type(error).__name__}: {error}"
        pickle.dump(reply, replies)
        replies.flush()


def _answer(
    engines: dict[int, DartSimulation], number: int, method: str, arguments: Sequence[Any]
) -> Any:
    if method == OPEN:
        mechanism, as_exported = arguments
        engines[number] = DartSimulation(mechanism, as_exported=as_exported)
        return None
    if method == CLOSE:
        return engines.pop(number, None) and None
    return getattr(engines[number], method)(*arguments)


def dart_positions(
    dartpy: Any,
    mechanism: Mechanism,
    indices: Sequence[SkeletonIndices],
    positions: Sequence[Coordinates],
    count: int,
) -> Array:
    """Return DART's positions, shape (count,).

    Args:
        dartpy: The module.
        mechanism: The mechanism.
        indices: The indices of each body.
        positions: The position of each body's joint.
        count: Number of degrees of freedom in DART.
    """
    q = np.zeros(count)
    for body, at, position in zip(mechanism.bodies, indices, positions, strict=True):
        kind, displacements = kind_of(body), primitive_positions(body, position)
        if kind is PrimitiveKind.BALL:
            R = quaternion_to_matrix(displacements[0])
            q[at.start : at.start + 3] = dartpy.dynamics.BallJoint.convertToPositions(R)
        elif kind is PrimitiveKind.FREE:
            X_WL = Pose.of(quaternion_to_matrix(position[3:]), position[:3])
            q[at.start : at.start + 6] = dartpy.dynamics.FreeJoint.convertToPositions(
                isometry(dartpy, X_WL)
            )
        else:
            for k, (displacement,) in _own(body, displacements):
                q[at.start + k] = displacement
    return q


def _own(body: Body, values: Sequence[Any]) -> list[tuple[int, Any]]:
    """Return the displacements of the degrees of freedom; a screw has one, that of its hinge."""
    numbered = list(zip(body.primitives, values, strict=True))
    if len(numbered) == 2 and numbered[0][0].dof_index == numbered[1][0].dof_index:
        return [
            (0, value) for primitive, value in numbered if primitive.kind is PrimitiveKind.HINGE
        ]
    return [(k, value) for k, (_, value) in enumerate(numbered)]


def mechanism_positions(
    dartpy: Any, mechanism: Mechanism, indices: Sequence[SkeletonIndices], q: Array
) -> list[Coordinates]:
    """Return the position of each body's joint, the inverse of `dart_positions`.

    Args:
        dartpy: The module.
        mechanism: The mechanism.
        indices: The indices of each body.
        q: DART's positions.
    """
    positions: list[Coordinates] = []
    for body, at in zip(mechanism.bodies, indices, strict=True):
        kind = kind_of(body)
        if kind is not None:
            rotation = tuple(
                matrix_to_quaternion(dartpy.math.expMapRot(q[at.start : at.start + 3]))
            )
            origin = tuple(q[at.start + 3 : at.start + 6].tolist())
            positions.append(
                joint_position(
                    body, ((*origin, *rotation) if kind is PrimitiveKind.FREE else rotation,)
                )
            )
        else:
            own = dict(_own(body, body.primitives))
            shared = {p.dof_index: float(q[at.start + k]) / p.ratio for k, p in own.items()}
            values = [(p.ratio * shared[p.dof_index],) for p in body.primitives]
            positions.append(joint_position(body, values) if body.primitives else ())
    return positions


def velocity_map(
    mechanism: Mechanism, indices: Sequence[SkeletonIndices], positions: Sequence[Coordinates]
) -> Array:
    """Return the matrix ``B``, shape (velocities in DART, nv).

    Args:
        mechanism: The mechanism.
        indices: The indices of each body.
        positions: The position of each body's joint.
    """
    rows = sum(
        len(_own(body, body.primitives)) if kind_of(body) is None else body.nv
        for body in mechanism.bodies
    )
    B = np.zeros((rows, len(mechanism.v_order)))
    for body, at, position in zip(mechanism.bodies, indices, positions, strict=True):
        kind, column = kind_of(body), body.v_start
        if kind is PrimitiveKind.FREE:
            B[at.start : at.start + 3, column + 3 : column + 6] = np.eye(3)
            B[at.start + 3 : at.start + 6, column : column + 3] = np.eye(3)
        elif kind is PrimitiveKind.BALL:
            B[at.start : at.start + 3, column : column + 3] = _ball_map(body, position)
        else:
            for k, primitive in _own(body, body.primitives):
                B[at.start + k, column + primitive.dof_index] = primitive.ratio
    return B


def _ball_map(body: Body, position: Coordinates) -> Array:
    if body.reversed:
        return -np.eye(3)
    (wxyz,) = primitive_positions(body, position)
    rotation: Array = quaternion_to_matrix(wxyz).T
    return rotation


_MAX_CONTACTS = 1_000_000
_REACH = 1e3
"""Radius of the spheres that show which pairs of links the filter lets collide [m]."""
_GEOMETRIES: Mapping[str, Callable[[Any], Geometry]] = {
    "BoxShape": lambda shape: Box(size=_three(shape.getSize())),
    "SphereShape": lambda shape: Sphere(radius=shape.getRadius()),
    "CylinderShape": lambda shape: Cylinder(radius=shape.getRadius(), length=shape.getHeight()),
    "CapsuleShape": lambda shape: Capsule(radius=shape.getRadius(), length=shape.getHeight()),
    "EllipsoidShape": lambda shape: Ellipsoid(radii=_three(shape.getRadii())),
    "ConeShape": lambda shape: Cone(radius=shape.getRadius(), length=shape.getHeight()),
}
"""The geometry of each type of shape in DART."""


def surfaces_in_dart(nodes: Mapping[str, Any]) -> Surfaces:
    """Return the shapes that collide, as DART holds them, and their friction.

    Args:
        nodes: The body node of each link.
    """
    supports: list[tuple[str, Array]] = []
    friction: dict[str, list[float]] = {}
    for link, node in nodes.items():
        for frame in _solid(node):
            form, X_LG = _form(frame.getShape()), pose_of(frame.getRelativeTransform())
            if form is not None:
                supports.append((link, supports_of(form, X_LG)))
            friction.setdefault(link, []).append(
                float(frame.getDynamicsAspect().getFrictionCoeff())
            )
    return Surfaces(supports=stacked(supports), visuals=None, friction=friction)


def _solid(node: Any) -> Iterator[Any]:
    """Yield the shape frames of a body node that collide."""
    return (frame for frame in node.getShapeNodes() if frame.hasCollisionAspect())


def _form(shape: Any) -> SupportFunction | None:
    """Return the support function of a shape."""
    kind = str(shape.getType())
    if kind == "PlaneShape":
        normal, offset = np.asarray(shape.getNormal(), dtype=np.float64), float(shape.getOffset())
        below = half_space(normal)
        return lambda direction: below(direction) + offset * float(direction @ normal)
    return support_function(_GEOMETRIES[kind](shape)) if kind in _GEOMETRIES else None


def _three(numbers: Any) -> tuple[float, float, float]:
    x, y, z = np.asarray(numbers, dtype=np.float64).tolist()
    return x, y, z


def colliding_pairs(dartpy: Any, world: Any, nodes: Mapping[str, Any]) -> frozenset[frozenset[str]]:
    """Return the pairs of links that the filter of a running world lets collide if all of them
    overlap.

    A sphere that reaches all other links is added to each link with shapes, and collides no more
    afterwards.

    Args:
        dartpy: The module.
        world: The world.
        nodes: The body node of each link.
    """
    solver = world.getConstraintSolver()
    group = dartpy.collision.OdeCollisionDetector().createCollisionGroup()
    spheres = []
    for node in nodes.values():
        solid = list(_solid(node))
        if solid:
            sphere = node.createShapeNode(dartpy.dynamics.SphereShape(_REACH))
            sphere.createCollisionAspect()
            sphere.getCollisionAspect().setCollidable(
                any(f.getCollisionAspect().isCollidable() for f in solid)
            )
            group.addShapeFrame(sphere)
            spheres.append(sphere)
    option = dartpy.collision.CollisionOption(
        True, _MAX_CONTACTS, solver.getCollisionOption().collisionFilter
    )
    result = dartpy.collision.CollisionResult()
    group.collide(option, result)
    names = {node.getName(): link for link, node in nodes.items()}
    touching = [
        {_node_of(c.collisionObject1), _node_of(c.collisionObject2)} for c in result.getContacts()
    ]
    group.removeAllShapeFrames()
    for sphere in spheres:
        sphere.removeCollisionAspect()
    return frozenset(frozenset(names[name] for name in pair) for pair in touching)


def _node_of(collision_object: Any) -> str:
    return str(collision_object.getShapeFrame().getBodyNodePtr().getName())


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
        self._parameters: dict[Dof, JointParameters] | None = None
        if not as_exported:
            self._clear_passive_forces()

    def _clear_passive_forces(self) -> None:
        """Leave dampers and springs to `_passive_forces`; the numbers that DART had stay known for
        L0.
        """
        self._parameters = self._read_parameters()
        for k in range(self.skeleton.getNumJoints()):
            joint = self.skeleton.getJoint(k)
            for number in range(joint.getNumDofs()):
                joint.setDampingCoefficient(number, 0.0)
                joint.setSpringStiffness(number, 0.0)

    # --- state ------------------------------------------------------------------------------------

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`."""
        positions = self.mechanism.positions_by_body(q)
        count = self.skeleton.getNumDofs()
        self.skeleton.setPositions(
            dart_positions(self._dartpy, self.mechanism, self._indices, positions, count)
        )
        self.skeleton.setVelocities(self._map(positions) @ self.mechanism.velocities(v))

    def _positions(self) -> list[Coordinates]:
        q = np.asarray(self.skeleton.getPositions())
        return mechanism_positions(self._dartpy, self.mechanism, self._indices, q)

    def _map(self, positions: list[Coordinates] | None = None) -> Array:
        return velocity_map(
            self.mechanism, self._indices, self._positions() if positions is None else positions
        )

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
            body.name: np.asarray(
                self.skeleton.getWorldJacobian(self.skeleton.getBodyNode(at.body))
            )
            @ B
            for body, at in zip(self.mechanism.bodies, self._indices, strict=True)
        }

    # --- parameters -------------------------------------------------------------------------------

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`."""
        moving, found = moving_links(self.mechanism), {}
        for body, at in zip(self.mechanism.bodies, self._indices, strict=True):
            if body.name in moving:
                inertia = self.skeleton.getBodyNode(at.body).getInertia()
                center = Pose.of(p=inertia.getLocalCOM())
                found[body.name] = SpatialInertia.in_frame(
                    inertia.getMass(), center, np.asarray(inertia.getMoment())
                )
        return found

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """See `Engine.joint_parameters`; those of the model also where steps leave them out."""
        return self._read_parameters() if self._parameters is None else self._parameters

    def _read_parameters(self) -> dict[Dof, JointParameters]:
        found = {}
        for dof, scalar in scalar_dofs(self.mechanism).items():
            number, number_in_joint = self._indices[scalar.body].joints[scalar.number]
            joint, r = self.skeleton.getJoint(number), scalar.primitive.ratio
            bounds = (
                joint.getPositionLowerLimit(number_in_joint),
                joint.getPositionUpperLimit(number_in_joint),
            )
            lower, upper = sorted(without_sentinel(bound / r) for bound in bounds)
            found[dof] = JointParameters(
                lower=lower,
                upper=upper,
                damping=joint.getDampingCoefficient(number_in_joint) * r**2,
                friction=joint.getCoulombFriction(number_in_joint) * abs(r),
            )
        return found

    def settings(self) -> Settings:
        """Return gravity and time step of the world, the initial poses, and the force limits of the
        joints.
        """
        return Settings(
            gravity=np.asarray(self.world.getGravity()),
            time_step=float(self.world.getTimeStep()),
            initial_poses=self._initial_poses,
            efforts=self._efforts(),
        )

    def _efforts(self) -> dict[Dof, float]:
        efforts = {}
        for dof, scalar in scalar_dofs(self.mechanism).items():
            if scalar.primitive.limits is not None:
                number, k = self._indices[scalar.body].joints[scalar.number]
                bound = self.skeleton.getJoint(number).getForceUpperLimit(k)
                efforts[dof] = without_sentinel(float(bound) * abs(scalar.primitive.ratio))
        return efforts

    def couplings(self) -> dict[tuple[Dof, Dof], CouplingLaw]:
        """See `Engine.couplings`."""
        found, order = {}, self.mechanism.v_order
        for coupling in self.mechanism.couplings:
            pair = follows(self.mechanism, coupling)
            if pair is not None:
                joint = self.skeleton.getJoint(self._indices[pair[0].body].joints[0][0])
                mimic, (one, two) = mimic_of(joint), (dof.primitive.ratio for dof in pair)
                law = CouplingLaw(multiplier=float(mimic.mMultiplier), offset=float(mimic.mOffset))
                ends = order[coupling.follower], order[coupling.leader]
                found[ends] = law.scaled(1.0 / one, 1.0 / two)
        return found

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`; of the positions that DART reports."""
        return constraint_violations(self.mechanism, self.positions())

    # --- dynamics ---------------------------------------------------------------------------------

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        B = self._map()
        M: Array = B.T @ np.asarray(self.skeleton.getMassMatrix()) @ B
        return M

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        return self.inverse_dynamics(np.zeros(len(self.mechanism.v_order)))

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`; DART's own, without external forces, dampers and
        springs.
        """
        B = self._map()
        self.skeleton.setAccelerations(B @ accelerations)
        self.skeleton.computeInverseDynamics(False, False, False)
        forces: Array = B.T @ np.asarray(self.skeleton.getForces())
        self.skeleton.resetGeneralizedForces()
        self.skeleton.resetAccelerations()
        return forces

    # --- motion -----------------------------------------------------------------------------------

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
        limits = [p.limits for body in self.mechanism.bodies for p in body.primitives]
        axes = [axis for axis in limits if axis is not None]
        return any(axis.damping or axis.spring_stiffness for axis in axes)

    def _passive_forces(self) -> Array:
        """Return the forces of dampers and springs on the velocities of the mechanism."""
        bodies = self.mechanism.bodies
        return damper_and_spring_forces(bodies, self._positions(), self.velocities())

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`; which large spheres on the links touch with the filter of
        the world.
        """
        return colliding_pairs(self._dartpy, self.world, self._nodes())

    def surfaces(self) -> Surfaces:
        """Return the shapes of the skeleton and their friction."""
        return surfaces_in_dart(self._nodes())

    def _nodes(self) -> dict[str, Any]:
        """Return the body node of each link."""
        pairs = zip(self.mechanism.bodies, self._indices, strict=True)
        return {body.name: self.skeleton.getBodyNode(at.body) for body, at in pairs}


if __name__ == "__main__":
    main()
