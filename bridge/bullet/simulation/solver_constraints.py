"""Couplings as gears and kinematic loops as constraints between two segments.

Gear, measured on PyBullet 3.2.7: with the follower as parent, ``q_follower + gearRatio * q_leader`` is driven to
``relativePositionTarget``. With ``erp=1`` it holds to 1e-6 rad where the joints carry one another and to 1e-16 where
not. Between two bodies PyBullet reads the wrong position, so there only the velocities can be coupled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from bridge.bullet.urdf.articulation import Articulation
from bridge.bullet.urdf.segments import BASE, TARGET
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Closure, DofCoupling, PrimitiveKind
from loaders.diagnostics import NOWHERE, Diagnostics, Fate
from loaders.model import WORLD, BallConstraint, Joint, JointType
from loaders.spatial import IDENTITY, Pose

from .state import State, quaternion_of

MAX_FORCE = 1e9
"""An impulse in PyBullet's sense, large enough to be none."""
NO_RATIO = 1e-30
"""PyBullet takes a ratio of zero for one that is not given."""
HINGE_ARM = 0.1
"""Half the distance of the two points that hold a hinge [m]."""


@dataclass(frozen=True, slots=True)
class _Drive:
    """One component of a joint as PyBullet has it: the coordinate of one of its joints is ``ratio`` times it."""

    spot: int
    index: int
    ratio: float


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    """A segment, or the world, and a frame on it: ``X_IK`` in its inertial frame, ``X_WK`` for the world."""

    body: int
    index: int
    X_IK: Pose


@dataclass(slots=True, eq=False)
class Constraints:
    """Makes the constraints of a mechanism between the bodies that hold it."""

    mechanism: Mechanism
    states: Sequence[State]
    made: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """PyBullet's constraint ids by the name of the joint that they stand for."""

    def make(self) -> None:
        """Make them all."""
        for state in self.states:
            if state.articulation.seam is not None:
                self._join(state, state.articulation.seam)
        for k, state in enumerate(self.states):
            for name, follower, leader in _shared(k, state.articulation):
                self._gear(name, follower, leader, follower.ratio / leader.ratio, 0.0)
        drives = _drives([state.articulation for state in self.states])
        for coupling in self.mechanism.couplings:
            self._couple(coupling, drives)
        for closure in self.mechanism.closures:
            self._close(closure)
        for constraint in self.mechanism.scene.constraints:
            if isinstance(constraint, BallConstraint):
                self._pin_points(constraint)

    # --- gears -------------------------------------------------------------------------------------------------------

    def _couple(self, coupling: DofCoupling, drives: dict[tuple[str, int], _Drive]) -> None:
        follower = drives.get(self.mechanism.v_order[coupling.follower])
        leader = drives.get(self.mechanism.v_order[coupling.leader])
        if follower is None or leader is None:
            return
        multiplier = coupling.multiplier * follower.ratio / leader.ratio
        self._gear(coupling.name, follower, leader, multiplier, coupling.offset * follower.ratio)

    def _gear(self, name: str, follower: _Drive, leader: _Drive, multiplier: float, offset: float) -> None:
        a, b = self.states[follower.spot], self.states[leader.spot]
        client, ratio = a.client, -multiplier or NO_RATIO
        gear = client.createConstraint(
            a.body, follower.index, b.body, leader.index, client.modes.JOINT_GEAR, (0, 0, 1), (0, 0, 0), (0, 0, 0)
        )
        if a is b:
            client.changeConstraint(gear, gearRatio=ratio, relativePositionTarget=offset, erp=1.0, maxForce=MAX_FORCE)
        else:
            client.changeConstraint(gear, gearRatio=ratio, maxForce=MAX_FORCE)
        self.made[name].append(gear)

    # --- links that are cut ------------------------------------------------------------------------------------------

    def _join(self, state: State, link: str) -> None:
        """Weld a base to the link that it is a part of."""
        base = state.articulation.mechanism.bodies[0].name
        self.made[base] += self.weld(None, self._end_on(link, IDENTITY), self._end_on(base, IDENTITY))

    # --- loops -------------------------------------------------------------------------------------------------------

    def _close(self, closure: Closure) -> None:
        joint = closure.joint
        maker = _CLOSERS[joint.type]
        parent = self._end(closure.parent, joint.X_PJ)
        child = self._end(closure.child, joint.X_CJ)
        if parent.index == child.index and parent.body == child.body:
            return
        self.made[joint.name] += maker(self, joint, parent, child)

    def _pin_points(self, constraint: BallConstraint) -> None:
        number = {body.name: i for i, body in enumerate(self.mechanism.bodies)} | {WORLD: ROOT}
        a = self._end(number[constraint.link_A], Pose.of(p=constraint.p_AP))
        b = self._end(number[constraint.link_B], Pose.of(p=constraint.p_BQ))
        self.made[f"{constraint.link_A}, {constraint.link_B}"] += self.pin(None, a, b)

    def _end(self, body: int, X_LK: Pose) -> _End:
        """The end of a constraint on a body of the mechanism."""
        return _End(BASE, BASE, X_LK) if body == ROOT else self._end_on(self.mechanism.bodies[body].name, X_LK)

    def _end_on(self, name: str, X_LK: Pose) -> _End:
        """The end of a constraint on a link."""
        state = next(state for state in self.states if name in state.articulation.places)
        index, X_SL = state.articulation.places[name]
        return _End(state.body, index, state.inertial_pose(index).inverse() @ X_SL @ X_LK)

    def weld(self, _joint: Joint | None, parent: _End, child: _End) -> list[int]:
        """Hold two frames together."""
        return [self._create(self.states[0].client.modes.JOINT_FIXED, parent, child)]

    def pin(self, _joint: Joint | None, parent: _End, child: _End) -> list[int]:
        """Hold two points together."""
        return [self._create(self.states[0].client.modes.JOINT_POINT2POINT, parent, child)]

    def hinge(self, joint: Joint, parent: _End, child: _End) -> list[int]:
        """Hold two points on the axis together: PyBullet has no hinge between bodies."""
        arms = (Pose.of(p=side * HINGE_ARM * joint.axes[0].xyz) for side in (-1.0, 1.0))
        return [made for arm in arms for made in self.pin(joint, _moved(parent, arm), _moved(child, arm))]

    def _create(self, kind: int, parent: _End, child: _End) -> int:
        """PyBullet wants a body as the parent; the world is the absence of a child."""
        if parent.body == BASE:
            parent, child = child, parent
        client = self.states[0].client
        made: int = client.createConstraint(
            parent.body, parent.index, child.body, child.index, kind, (0, 0, 0),
            parent.X_IK.p.tolist(), child.X_IK.p.tolist(),
            quaternion_of(parent.X_IK.R), quaternion_of(child.X_IK.R),
        )  # fmt: skip
        client.changeConstraint(made, maxForce=MAX_FORCE)
        return made


_CLOSERS: dict[JointType, Callable[..., list[int]]] = {
    JointType.FIXED: Constraints.weld,
    JointType.BALL: Constraints.pin,
    JointType.REVOLUTE: Constraints.hinge,
    JointType.CONTINUOUS: Constraints.hinge,
}


def _moved(end: _End, X_KA: Pose) -> _End:
    return _End(end.body, end.index, end.X_IK @ X_KA)


# --- joints as PyBullet has them -------------------------------------------------------------------------------------


def _shared(spot: int, articulation: Articulation) -> Iterator[tuple[str, _Drive, _Drive]]:
    """Name, follower and leader of primitives that share a component, as those of a screw."""
    for body, drives in zip(articulation.mechanism.bodies, articulation.drives, strict=True):
        leaders: dict[int, _Drive] = {}
        steps = zip(drives, body.primitives, strict=False)
        for index, primitive in sorted(steps, key=lambda step: not articulation.segments[step[0] + 1].leads):
            drive = _Drive(spot, index, primitive.ratio)
            leader = leaders.setdefault(primitive.dof_index, drive)
            if leader is not drive:
                yield str(body.joint), drive, leader


def _drives(articulations: Sequence[Articulation]) -> dict[tuple[str, int], _Drive]:
    """Where PyBullet has each component that is a number of its own."""
    found: dict[tuple[str, int], _Drive] = {}
    for spot, articulation in enumerate(articulations):
        for body, drives in zip(articulation.mechanism.bodies, articulation.drives, strict=True):
            for index, primitive in zip(drives, body.primitives, strict=False):
                if primitive.kind is not PrimitiveKind.BALL and articulation.segments[index + 1].leads:
                    found[str(body.joint), primitive.dof_index] = _Drive(spot, index, primitive.ratio)
    return found


# --- what is lost ----------------------------------------------------------------------------------------------------


def report_constraints(mechanism: Mechanism, articulations: Sequence[Articulation], diagnostics: Diagnostics) -> None:
    """Say how well PyBullet holds couplings and loops, and which it cannot."""
    drives = _drives(articulations)
    for coupling in mechanism.couplings:
        ends = [drives.get(mechanism.v_order[i]) for i in (coupling.follower, coupling.leader)]
        where = next((joint.where for joint in mechanism.scene.joints if joint.name == coupling.name), NOWHERE)
        code, fate, problem = _coupling_fate(ends)
        diagnostics.add(
            fate, code, "joint {coupling} {problem}", where, target=TARGET, coupling=coupling.name, problem=problem
        )
    for closure in mechanism.closures:
        _report_closure(closure.joint, diagnostics)
    for constraint in mechanism.scene.constraints:
        if isinstance(constraint, BallConstraint):
            links = f"{constraint.link_A} and {constraint.link_B}"
            message = f"the solver holds a point of {links} together, within 1e-4 m in 1 s at 1 kHz"
            code = "pybullet.ball-constraint"
            diagnostics.add(Fate.APPROXIMATED, code, message, constraint.where, target=TARGET)


def _coupling_fate(ends: Sequence[_Drive | None]) -> tuple[str, Fate, str]:
    spots = {end.spot for end in ends if end is not None}
    if None in ends:
        return (
            "pybullet.coupling",
            Fate.DROPPED,
            "is coupled with a ball or a free joint, which no gear can be",
        )
    if len(spots) > 1:
        problem = "follows one of another body: PyBullet couples their velocities, and positions drift apart slowly"
        return "pybullet.coupling-across-bodies", Fate.APPROXIMATED, problem
    return (
        "pybullet.gear",
        Fate.APPROXIMATED,
        "follows by a gear of the solver, within 5e-6 in 1 s at 1 kHz",
    )


def _report_closure(joint: Joint, diagnostics: Diagnostics) -> None:
    """Whatever acts along the joint stays: `bridge.lowering.loop_cutting` leaves only joints that merely connect."""
    held = "to 0.1 mm at 1 kHz, 2 mm at 240 Hz, on 1 m links"
    if joint.type is JointType.FIXED:
        held = "to 1e-5 m and 2e-5 rad in 1 s at 1 kHz, on links of a few kilograms"
    diagnostics.add(
        Fate.APPROXIMATED,
        "pybullet.loop",
        "joint {joint} closes a loop by a constraint of the solver: {held}",
        joint.where,
        target=TARGET,
        subjects=(joint.name,),
        joint=joint.name,
        held=held,
    )
