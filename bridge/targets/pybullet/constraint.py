"""Constraints of PyBullet's solver: gears for couplings, and constraints between two segments for
kinematic loops.

Gear, measured on PyBullet 3.2.7: with the follower as parent, ``q_follower + gearRatio * q_leader``
is driven to ``relativePositionTarget``. With ``erp=1`` it holds to 1e-6 rad if one joint carries
the other, and to 1e-16 otherwise. Between two bodies PyBullet reads the wrong position; only
velocities can be coupled there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import (
    ROOT,
    BodyConnection,
    Closure,
    DofCoupling,
    PrimitiveKind,
    held_together,
)
from bridge.mechanism.coordinates import dof_range, initial_positions
from bridge.targets.pybullet import codes
from bridge.targets.report import Report
from loaders.diagnostics import Code
from loaders.model import CouplingLaw, Joint, JointType, Motion, WeldConstraint
from loaders.pose import IDENTITY, Pose

from .articulation import Articulation
from .client import BASE, Client
from .state import State, quaternion_of

MAX_FORCE = 1e9
"""Maximum force of a constraint [N], large enough to have no effect."""
NO_RATIO = 1e-30
"""Gear ratio in place of zero, which PyBullet takes for a missing value."""
_TOUCHING = 1e-9
"""Difference of a law and its tangent that is a rounding error."""
HINGE_ARM = 0.1
"""Distance from the joint frame of the two points on the axis that replace a hinge [m]."""


@dataclass(frozen=True, slots=True)
class _ScalarJoint:
    """One degree of freedom as a PyBullet joint, whose coordinate is ``ratio`` times that of the
    mechanism.
    """

    body: int
    """Number of the articulation."""
    index: int
    """PyBullet's joint index."""
    ratio: float


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    """One end of a constraint: a segment or the world, and a frame K on it."""

    body: int
    index: int
    X_IK: Pose
    """Frame K in the segment's inertial frame; ``X_WK`` for the world."""


@dataclass(frozen=True, slots=True, eq=False)
class Gear:
    """A gear of the solver that holds a coupling whose law is no line: its tangent at the present
    position of the leader.
    """

    client: Client
    constraint: int
    """PyBullet's id of the gear."""
    follower: tuple[int, int]
    """PyBullet's body and joint index of the follower."""
    leader: tuple[int, int]
    """The same of the leader."""
    law: CouplingLaw
    """The law between the positions of PyBullet's joints."""

    def is_tangent(self, line: CouplingLaw) -> bool:
        """Return whether a line touches the law at the present position of the leader.

        Args:
            line: A line between the positions of PyBullet's joints.
        """
        q = self.client.getJointState(*self.leader)[0]
        return all(abs(self.law.at(q, k) - line.at(q, k)) < _TOUCHING for k in (0, 1))

    def follow(self, step: float = 0.0) -> None:
        """Set the gear to the tangent at the position of the leader, at the end of a step.

        Args:
            step: Length of the step [s].
        """
        position, velocity, *_ = self.client.getJointState(*self.leader)
        q = position + step * velocity
        slope, value = float(self.law.at(q, 1)), float(self.law.at(q))
        values = {"gearRatio": -slope or NO_RATIO, "maxForce": MAX_FORCE}
        if self.follower[0] == self.leader[0]:  # PyBullet holds positions within one body only
            values |= {"relativePositionTarget": value - slope * q, "erp": 1.0}
        self.client.changeConstraint(self.constraint, **values)


@dataclass(slots=True, eq=False)
class Constraints:
    """Creates the constraints of a mechanism between the bodies that hold it."""

    mechanism: Mechanism
    states: Sequence[State]
    created: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """PyBullet's constraint ids, keyed by the name of the joint that they represent."""
    gears: list[Gear] = field(default_factory=list)
    """The gears of couplings whose law is no line."""

    def create_all(self) -> None:
        """Create all constraints."""
        for state in self.states:
            if state.articulation.split_link is not None:
                self._join_halves(state, state.articulation.split_link)
        for number, state in enumerate(self.states):
            for name, follower, leader in _shared_dofs(number, state.articulation):
                law = CouplingLaw(multiplier=follower.ratio / leader.ratio)
                self._gear(name, follower, leader, law)
        couplings = self.mechanism.couplings
        joints = _scalar_joints([state.articulation for state in self.states]) if couplings else {}
        for coupling in couplings:
            self._couple(coupling, joints)
        for closure in self.mechanism.closures:
            self._close(closure)
        for connection in held_together(self.mechanism.constraints):
            self._connect_points(connection)

    # --- gears ------------------------------------------------------------------------------------

    def _couple(
        self, coupling: DofCoupling, joints: Mapping[tuple[str, int], _ScalarJoint]
    ) -> None:
        follower = joints.get(self.mechanism.v_order[coupling.follower])
        leader = joints.get(self.mechanism.v_order[coupling.leader])
        if follower is None or leader is None:
            return
        law = coupling.scaled(follower.ratio, leader.ratio)
        self._gear(coupling.name, follower, leader, law)

    def _gear(
        self, name: str, follower: _ScalarJoint, leader: _ScalarJoint, law: CouplingLaw
    ) -> None:
        a, b = self.states[follower.body], self.states[leader.body]
        client = a.client
        number = client.createConstraint(
            a.body,
            follower.index,
            b.body,
            leader.index,
            client.modes.JOINT_GEAR,
            (0, 0, 1),
            (0, 0, 0),
            (0, 0, 0),
        )
        ends = (a.body, follower.index), (b.body, leader.index)
        gear = Gear(client, number, *ends, law)
        gear.follow()
        self.created[name].append(number)
        if law.higher:
            self.gears.append(gear)

    # --- split links ------------------------------------------------------------------------------

    def _join_halves(self, state: State, link: str) -> None:
        """Weld a base to the link whose other half it is."""
        base = state.articulation.mechanism.bodies[0].name
        self.created[base] += self.weld(
            None, self._end_on(link, IDENTITY), self._end_on(base, IDENTITY)
        )

    # --- loops ------------------------------------------------------------------------------------

    def _close(self, closure: Closure) -> None:
        joint = closure.joint
        create = _CLOSURES[joint.type.traits.motions]
        parent = self._end(closure.parent, joint.X_PJ)
        child = self._end(closure.child, joint.X_CJ)
        if parent.index == child.index and parent.body == child.body:
            return
        self.created[joint.name] += create(self, joint, parent, child)

    def _connect_points(self, connection: BodyConnection) -> None:
        a = self._end(connection.body_a, connection.X_AP)
        b = self._end(connection.body_b, connection.X_BQ)
        create = (
            self.weld if isinstance(connection.element, WeldConstraint) else self.point_to_point
        )
        self.created[connection_name(self.mechanism, connection)] += create(None, a, b)

    def _end(self, body: int, X_LK: Pose) -> _End:
        """Return the end of a constraint on a body of the mechanism."""
        return (
            _End(BASE, BASE, X_LK)
            if body == ROOT
            else self._end_on(self.mechanism.bodies[body].name, X_LK)
        )

    def _end_on(self, name: str, X_LK: Pose) -> _End:
        """Return the end of a constraint on a link."""
        state = next(state for state in self.states if name in state.articulation.link_segments)
        index, X_SL = state.articulation.link_segments[name]
        return _End(state.body, index, state.inertial_pose(index).inverse() @ X_SL @ X_LK)

    def weld(self, _joint: Joint | None, parent: _End, child: _End) -> list[int]:
        """Create a constraint that holds two frames together, and return its id.

        Args:
            _joint: The joint that closes the loop; not used.
            parent: First frame.
            child: Second frame.
        """
        return [self._create(self.states[0].client.modes.JOINT_FIXED, parent, child)]

    def point_to_point(self, _joint: Joint | None, parent: _End, child: _End) -> list[int]:
        """Create a constraint that holds two points together, and return its id.

        Args:
            _joint: The joint that closes the loop; not used.
            parent: Frame at the first point.
            child: Frame at the second point.
        """
        return [self._create(self.states[0].client.modes.JOINT_POINT2POINT, parent, child)]

    def hinge(self, joint: Joint, parent: _End, child: _End) -> list[int]:
        """Create constraints that hold two points on an axis together, because PyBullet has no
        hinge between bodies.

        Args:
            joint: The joint that closes the loop.
            parent: Joint frame on the parent.
            child: Joint frame on the child.
        """
        offsets = (Pose.of(p=side * HINGE_ARM * joint.axes[0].xyz) for side in (-1.0, 1.0))
        return [
            constraint
            for X_KA in offsets
            for constraint in self.point_to_point(
                joint, _offset(parent, X_KA), _offset(child, X_KA)
            )
        ]

    def _create(self, kind: int, parent: _End, child: _End) -> int:
        """Create a constraint; PyBullet needs a body as the parent, and the world as the child."""
        if parent.body == BASE:
            parent, child = child, parent
        client = self.states[0].client
        constraint: int = client.createConstraint(
            parent.body,
            parent.index,
            child.body,
            child.index,
            kind,
            (0, 0, 0),
            parent.X_IK.p.tolist(),
            child.X_IK.p.tolist(),
            quaternion_of(parent.X_IK.R),
            quaternion_of(child.X_IK.R),
        )
        client.changeConstraint(constraint, maxForce=MAX_FORCE)
        return constraint


_CLOSURES: dict[tuple[Motion, ...], Callable[..., list[int]]] = {
    (): Constraints.weld,
    (Motion.BALL,): Constraints.point_to_point,
    (Motion.HINGE,): Constraints.hinge,
}
"""Constraints that close a loop, by the motions of the joint at which it is cut."""


def _offset(end: _End, X_KA: Pose) -> _End:
    return _End(end.body, end.index, end.X_IK @ X_KA)


def connection_name(mechanism: Mechanism, connection: BodyConnection) -> str:
    """Return the names of the two links that a constraint connects, the key of its ids."""
    return ", ".join(_link_names(mechanism, connection))


def _link_names(mechanism: Mechanism, connection: BodyConnection) -> tuple[str, str]:
    return mechanism.link_name(connection.body_a), mechanism.link_name(connection.body_b)


# --- degrees of freedom as PyBullet joints --------------------------------------------------------


def _shared_dofs(
    body: int, articulation: Articulation
) -> Iterator[tuple[str, _ScalarJoint, _ScalarJoint]]:
    """Yield joint name, follower and leader of primitives that share a degree of freedom, as those
    of a screw do.

    Args:
        body: Number of the articulation.
        articulation: The articulation.
    """
    for mechanism_body, segments in zip(
        articulation.mechanism.bodies, articulation.joint_segments, strict=True
    ):
        if len(segments) < 2:
            continue
        leaders: dict[int, _ScalarJoint] = {}
        pairs = zip(segments, mechanism_body.primitives, strict=False)
        for index, primitive in sorted(
            pairs, key=lambda pair: not articulation.segments[pair[0] + 1].is_primary
        ):
            joint = _ScalarJoint(body, index, primitive.ratio)
            leader = leaders.setdefault(primitive.dof_index, joint)
            if leader is not joint:
                yield str(mechanism_body.joint), joint, leader


def _scalar_joints(articulations: Sequence[Articulation]) -> dict[tuple[str, int], _ScalarJoint]:
    """Return the PyBullet joint of each scalar degree of freedom, by joint name and component."""
    joints: dict[tuple[str, int], _ScalarJoint] = {}
    for number, articulation in enumerate(articulations):
        for body, segments in zip(
            articulation.mechanism.bodies, articulation.joint_segments, strict=True
        ):
            for index, primitive in zip(segments, body.primitives, strict=False):
                if (
                    primitive.kind is not PrimitiveKind.BALL
                    and articulation.segments[index + 1].is_primary
                ):
                    joints[str(body.joint), primitive.dof_index] = _ScalarJoint(
                        number, index, primitive.ratio
                    )
    return joints


def has_constraints(mechanism: Mechanism, articulations: Sequence[Articulation]) -> bool:
    """Return whether `Constraints` has anything to create."""
    return bool(
        mechanism.couplings
        or mechanism.closures
        or list(held_together(mechanism.constraints))
        or any(a.split_link is not None or any(_shared_dofs(0, a)) for a in articulations)
    )


# --- diagnostics ----------------------------------------------------------------------------------


def report_constraints(
    mechanism: Mechanism, articulations: Sequence[Articulation], report: Report
) -> None:
    """Report how accurately PyBullet enforces couplings and loops, and those that it does not
    support.

    Args:
        mechanism: The whole mechanism.
        articulations: The bodies to load.
        report: Record of the findings.
    """
    joints = _scalar_joints(articulations)
    for coupling in mechanism.couplings:
        _report_coupling(mechanism, coupling, joints, report)
    for closure in mechanism.closures:
        joint = closure.joint  # its limits, friction and springs act at joints that are not cut
        accuracy = "0.1 mm at 1 kHz and 2 mm at 240 Hz, on 1 m links"
        if joint.type is JointType.FIXED:
            accuracy = "1e-5 m and 2e-5 rad in 1 s at 1 kHz, on links of a few kilograms"
        report.add(codes.LOOP, joint, joint=joint.name, accuracy=accuracy)
    for connection in held_together(mechanism.constraints):
        link_A, link_B = _link_names(mechanism, connection)
        part = "frame" if isinstance(connection.element, WeldConstraint) else "point"
        report.add(
            codes.BALL_CONSTRAINT,
            connection.element.where,
            subjects=(link_A, link_B),
            part=part,
            link_A=link_A,
            link_B=link_B,
        )


def _report_coupling(
    mechanism: Mechanism,
    coupling: DofCoupling,
    joints: Mapping[tuple[str, int], _ScalarJoint],
    report: Report,
) -> None:
    follower, leader = mechanism.v_order[coupling.follower], mechanism.v_order[coupling.leader]
    code = _coupling_code(joints.get(follower), joints.get(leader))
    arguments: dict[str, Any] = {}
    if code is codes.GEAR and coupling.higher:
        code = codes.GEAR_OF_TANGENT
        low, high = dof_range(mechanism.bodies, coupling.leader)
        q = initial_positions(mechanism).get(leader[0], (0.0,) * (leader[1] + 1))
        start = float(np.atleast_1d(q)[leader[1]])
        arguments = {"error": coupling.tangent_error(start, low, high), "low": low, "high": high}
    elif code is codes.GEAR and len(mechanism.couplings) > 1:
        code, arguments = codes.GEAR_OF_SEVERAL, {"count": len(mechanism.couplings)}
    report.add(
        code,
        coupling.where,
        subjects=dict.fromkeys((coupling.name, follower[0], leader[0])),
        joint=coupling.name,
        leader=leader[0],
        **arguments,
    )


def _coupling_code(follower: _ScalarJoint | None, leader: _ScalarJoint | None) -> Code:
    """Return the finding about a coupling."""
    if follower is None or leader is None:
        return codes.COUPLING
    if follower.body != leader.body:
        return codes.COUPLING_ACROSS_BODIES
    return codes.GEAR
