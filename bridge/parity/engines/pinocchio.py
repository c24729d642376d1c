"""URDF and MJCF files as pinocchio itself reads them, in double precision.

Pinocchio expresses the velocity of a free or ball joint in the child's frame. The
mechanism provides names, gravity and the choice of the base; every other number is pinocchio's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, Position, initial_positions, kind_of
from bridge.parity.engine import (
    Dof,
    JointParameters,
    NotReportedError,
    Settings,
    moving_links,
    without_sentinel,
)
from bridge.parity.engines.native import OwnVelocities
from loaders import Search
from loaders.diagnostics import Diagnostics
from loaders.engine_settings import gravity_share
from loaders.inertia import SpatialInertia
from loaders.model import CouplingLaw
from loaders.pose import Array, Pose, matrix_to_quaternion, quaternion_to_matrix
from loaders.text import counted
from loaders.xml import parse, read_bytes

_REFUSALS = (ValueError, RuntimeError, LookupError, TypeError, OSError)
"""The errors that pinocchio's readers raise on a file that they do not read."""
_UNIVERSE = 0
"""Index of pinocchio's frame of the world."""
_PLACED = "pinocchio's MJCF reader drops the pose of a single body that is welded to the world"
_PLACED_QUANTITIES = (
    "joint motion", "link poses", "Jacobians", "bias forces", "inverse dynamics", "initial poses",
    "poses at zero",
)  # fmt: skip
_WITHOUT_MASS = (
    "pinocchio's MJCF reader gives no mass to geoms whose contype and conaffinity are both zero"
)
_CAUSES = {
    "mujoco": {
        "limits": (
            "pinocchio's MJCF reader subtracts ref from limits, but not from positions, multiplies "
            "the limits of slides by pi / 180 in files with angles in degrees, and ignores "
            "limited='false'"
        ),
        **dict.fromkeys(_PLACED_QUANTITIES, _PLACED),
        **dict.fromkeys(("mass", "center of mass", "inertia", "mass matrix"), _WITHOUT_MASS),
    },
    "robot": {
        "limits": "pinocchio reads a revolute joint without lower and upper limit as locked at zero"
    },
}
"""The likely causes of differences, by the root element of the file and by quantity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Joint:
    """A joint of pinocchio and the body of the mechanism that it moves.

    Attributes:
        body: The body of the mechanism.
        index: Index of the joint in pinocchio.
        position: Index of its first position in pinocchio.
        velocity: Index of its first velocity in pinocchio.
        nq: Number of its positions in pinocchio.
    """

    body: Body
    index: int
    position: int
    velocity: int
    nq: int


class PinocchioEngine(OwnVelocities):
    """Pinocchio's readers of URDF and MJCF, for L0 and L1."""

    name = "pinocchio"
    refusal_is_difference = False
    solves_constraints = False

    def __init__(self, mechanism: Mechanism, search: Search | None = None) -> None:
        import pinocchio

        super().__init__(mechanism, search)
        self._pinocchio: Any = pinocchio
        self.version = str(pinocchio.__version__)
        self._format = _root_element(mechanism.scene.source)
        self.likely_causes = _CAUSES.get(self._format, {})
        try:
            self._model: Any = self._read(mimic=False)
        except _REFUSALS as error:
            reason = " ".join(str(error).rpartition("message:")[2].split())
            self.refusal = f"pinocchio does not read the file: {reason}"
            return
        self._model.gravity.linear = np.array(mechanism.gravity)
        self._data: Any = self._model.createData()
        self._frames = {
            self.links[frame.name]: k
            for k, frame in enumerate(self._model.frames)
            if frame.type == pinocchio.FrameType.BODY and frame.name in self.links
        }
        if self._format == "mujoco" and "world" in self.links:  # the shapes of worldbody
            self._frames.setdefault(self.links["world"], _UNIVERSE)
        self._joints = list(self._matched())
        missing = [body.name for body in mechanism.bodies if body.name not in self._frames]
        covered = sum(joint.body.nv for joint in self._joints)
        if not covered == len(mechanism.v_order) == self._model.nv:
            self.refusal = (
                f"pinocchio has {counted(self._model.nv, 'degree')} of freedom, of which "
                f"{covered} are hinges, slides, balls and free bodies of the model, which has "
                f"{len(mechanism.v_order)}"
            )
        elif missing:
            self.refusal = f"pinocchio has no body of the name {', '.join(missing)}"

    def _read(self, *, mimic: bool) -> Any:
        """Return the model of the file; with couplings in place of the joints that follow others,
        if asked.
        """
        pinocchio, source = self._pinocchio, self.mechanism.scene.source
        if self._format == "mujoco":
            return pinocchio.buildModelFromMJCF(source)
        if self._format != "robot":
            raise ValueError("it reads URDF and MJCF only")
        root = self.mechanism.bodies[0] if self.mechanism.bodies else None
        base = (
            (pinocchio.JointModelFreeFlyer(),)
            if root and kind_of(root) is PrimitiveKind.FREE
            else ()
        )
        arguments = (True,) if mimic else ()
        return pinocchio.buildModelFromUrdf(source, *base, *arguments)

    def _matched(self) -> Iterator[_Joint]:
        """Yield the joints that move one body of the mechanism alike."""
        seen: set[int] = set()
        for body in self.mechanism.bodies:
            if body.name not in self._frames or not _is_simple(body):
                continue
            index = int(self._model.frames[self._frames[body.name]].parentJoint)
            joint = self._model.joints[index]
            if joint.nv == body.nv and index not in seen:
                seen.add(index)
                position, velocity = int(joint.idx_q), int(joint.idx_v)
                yield _Joint(
                    body=body, index=index, position=position, velocity=velocity, nq=int(joint.nq)
                )

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        if self.refusal:
            return
        pinocchio, model = self._pinocchio, self._model
        positions = self._positions_by_name(q)
        self._velocity = self.mechanism.velocities(v)
        size = len(self._velocity)
        self._q = np.array(pinocchio.neutral(model))
        self._B, self._rate = np.zeros((size, size)), np.zeros(size)
        for joint in self._joints:
            start, end = joint.velocity, joint.body.v_start
            numbers = self._in_pinocchio(joint, positions[joint.body.name])
            self._q[joint.position : joint.position + joint.nq] = numbers
            block, rate = self._map(joint, positions[joint.body.name])
            self._B[start : start + joint.body.nv, end : end + joint.body.nv] = block
            self._rate[start : start + joint.body.nv] = rate
        self._v = self._B @ self._velocity
        pinocchio.forwardKinematics(model, self._data, self._q, self._v)
        pinocchio.updateFramePlacements(model, self._data)

    def _in_pinocchio(self, joint: _Joint, position: Coordinates) -> list[float]:
        """Return a position in the coordinates of pinocchio, with quaternions ``x y z w``."""
        kind = kind_of(joint.body)
        if kind is PrimitiveKind.BALL:
            return [*position[1:], position[0]]
        if kind is PrimitiveKind.FREE:
            X_WF = _pose(self._model.jointPlacements[joint.index])
            X_WB = Pose.of(quaternion_to_matrix(position[3:]), position[:3])
            X_FB = X_WF.inverse() @ X_WB
            w, x, y, z = matrix_to_quaternion(X_FB.R)
            return [*X_FB.p.tolist(), x, y, z, w]
        if joint.nq == 2:  # cosine and sine of an angle without limits
            return [math.cos(position[0]), math.sin(position[0])]
        return [position[0]]

    def _map(self, joint: _Joint, position: Coordinates) -> tuple[Array, Array]:
        """Return the block of the matrix B, and the rate of B times the velocities."""
        kind, nv = kind_of(joint.body), joint.body.nv
        if kind is None:
            return np.eye(nv), np.zeros(nv)
        R: Array = quaternion_to_matrix(position[-4:]).T
        if kind is PrimitiveKind.BALL:
            return R, np.zeros(nv)
        start = joint.body.v_start
        linear, angular = self._velocity[start : start + 3], self._velocity[start + 3 : start + 6]
        block = np.zeros((6, 6))
        block[:3, :3] = block[3:, 3:] = R
        return block, np.concatenate((-R @ np.cross(angular, linear), np.zeros(3)))

    def link_poses(self) -> dict[str, Pose]:
        self._require_model()
        return {name: _pose(self._data.oMf[k]) for name, k in self._frames.items()}

    def jacobians(self) -> dict[str, Array]:
        self._require_model()
        pinocchio, model, data = self._pinocchio, self._model, self._data
        pinocchio.computeJointJacobians(model, data, self._q)
        frame = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        found = {}
        for name, k in self._frames.items():
            J = np.reshape(pinocchio.getFrameJacobian(model, data, k, frame), (6, -1)) @ self._B
            found[name] = np.concatenate((J[3:], J[:3]))
        return found

    def _own_mass_matrix(self) -> Array:
        """Return the mass matrix in the coordinates of pinocchio."""
        nv = self._model.nv
        upper = np.triu(
            np.reshape(self._pinocchio.crba(self._model, self._data, self._q), (nv, nv))
        )
        M: Array = upper + np.triu(upper, 1).T
        return M

    def _own_bias_forces(self) -> Array:
        """Return the bias forces in the coordinates of pinocchio.

        Raises:
            NotReportedError: If gravity acts on a link in part, which pinocchio does not read.
        """
        partial = [body.name for body in self.mechanism.bodies if gravity_share(body.link) != 1.0]
        if partial:
            raise NotReportedError(
                f"pinocchio reads no compensation of gravity, which {', '.join(partial)} has"
            )
        return np.array(self._pinocchio.nonLinearEffects(self._model, self._data, self._q, self._v))

    def settings(self) -> Settings:
        """See `Engine.settings`; pinocchio reads no gravity, no time step and no initial state, so
        that the poses are those in the initial positions of the mechanism.
        """
        self._require_model()
        self.set_state(initial_positions(self.mechanism), {})
        efforts = self._per_dof(self._model.effortLimit) if self._format == "robot" else None
        return Settings(
            gravity=None, time_step=None, initial_poses=self.link_poses(), efforts=efforts
        )

    def velocity_limits(self) -> dict[Dof, float]:
        """See `Engine.velocity_limits`.

        Raises:
            NotReportedError: For MJCF, which states none.
        """
        self._require_model()
        if self._format != "robot":
            raise NotReportedError("MJCF states no velocity limits")
        return self._per_dof(self._model.velocityLimit)

    def _per_dof(self, numbers: Any) -> dict[Dof, float]:
        return {
            (str(joint.body.joint), 0): without_sentinel(float(numbers[joint.velocity]))
            for joint in self._joints
            if kind_of(joint.body) is None
        }

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        self._require_model()
        m = self._model
        found = {}
        for joint in self._joints:
            if kind_of(joint.body) is not None:
                continue
            lower, upper = -math.inf, math.inf
            if joint.nq == 1:
                lower = without_sentinel(float(m.lowerPositionLimit[joint.position]))
                upper = without_sentinel(float(m.upperPositionLimit[joint.position]))
            found[str(joint.body.joint), 0] = JointParameters(
                lower=lower,
                upper=upper,
                damping=float(m.damping[joint.velocity]),
                friction=float(m.friction[joint.velocity]),
            )
        return found

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`.

        Pinocchio adds the inertias of welded links to that of their joint, and keeps each of them
        at the frame of its weld.
        """
        self._require_model()
        m, welds = self._model, self._pinocchio.FrameType.FIXED_JOINT
        own = [np.array(inertia.matrix()) for inertia in m.inertias]
        for frame in m.frames:
            if frame.type == welds:
                own[frame.parentJoint] -= np.array(frame.placement.act(frame.inertia).matrix())
        moving, found = moving_links(self.mechanism), {}
        for name in self._frames.keys() & moving:
            frame = m.frames[self._frames[name]]
            weld = m.frames[frame.parentFrame]
            if weld.type == welds:
                found[name] = _inertia(np.array(weld.inertia.matrix()))
            else:
                X_JB = _pose(frame.placement)
                found[name] = _inertia(own[frame.parentJoint]).moved(X_JB.inverse())
        return found

    def couplings(self) -> dict[tuple[Dof, Dof], CouplingLaw]:
        """See `Engine.couplings`.

        Raises:
            NotReportedError: If the model has couplings, and pinocchio does not read them.
        """
        self._require_model()
        if not self.mechanism.couplings:
            return {}
        if self._format != "robot":
            raise NotReportedError("pinocchio is not asked for couplings of MJCF")
        try:
            model = self._read(mimic=True)
        except _REFUSALS as error:
            raise NotReportedError(f"pinocchio does not read the couplings: {error}") from error
        found = {}
        for follower, leader in zip(model.mimicking_joints, model.mimicked_joints, strict=True):
            joint = model.joints[follower].extract()
            law = CouplingLaw.of((float(joint.offset), float(joint.scaling)))
            ends = [self.joints[model.names[k]] for k in (follower, leader)]
            found[(ends[0], 0), (ends[1], 0)] = law
        return found


def _root_element(source: str) -> str:
    """Return the name of the root element of a file; empty if it is no XML file."""
    diagnostics = Diagnostics()
    data = read_bytes(source, diagnostics)
    root = None if data is None else parse(data, source, diagnostics)
    return "" if root is None else root.tag


def _is_simple(body: Body) -> bool:
    """Return whether a body has one hinge or slide, a ball, or moves freely in the world."""
    if kind_of(body) is PrimitiveKind.FREE:
        return body.parent == ROOT
    return len(body.primitives) == 1


def _pose(placement: Any) -> Pose:
    return Pose.of(np.array(placement.rotation), np.array(placement.translation))


def _inertia(matrix: Array) -> SpatialInertia:
    """Return the inertia of a spatial inertia matrix about the origin, linear part first."""
    mass = float(matrix[0, 0])
    if mass == 0.0:
        return SpatialInertia.of(0.0, np.zeros(3), matrix[3:, 3:])
    S = matrix[3:, :3] / mass
    return SpatialInertia.of(mass, (S[2, 1], S[0, 2], S[1, 0]), matrix[3:, 3:] + mass * S @ S)
