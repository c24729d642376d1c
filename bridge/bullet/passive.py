"""Forces of the model that PyBullet has no element for: applied by hand before every step.

They are explicit: evaluated at the state before the step. A spring of stiffness k on inertia I stays stable as long as
the step is well below ``2 sqrt(I / k)``, and its error is of first order in the step, as all of PyBullet's integration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bridge.coordinates import joint_index, kind_of
from bridge.forces import Motion, bushing_wrench, can_be_strung, tendon_force
from bridge.mechanism import Body, Kind, Mechanism, Position, Primitive
from loaders.model import (
    WORLD,
    Bushing,
    Constraint,
    DistanceConstraint,
    ForceElement,
    Link,
    SpringDamper,
    TendonConstraint,
)
from loaders.spatial import IDENTITY, Array, Pose

from .segments import BASE
from .state import State


def apply_efforts(state: State, efforts: Mapping[str, Position], *, limited: bool = True) -> None:
    """Apply forces and torques of actuators for one step, each cut to the joint's effort limit.

    Raises:
        ValueError: for an unknown joint or an effort of the wrong size.
    """
    mechanism = state.articulation.mechanism
    index = joint_index(mechanism)
    for name, effort in efforts.items():
        if name not in index:
            raise ValueError(f"there is no joint {name!r} here; there are: {', '.join(sorted(index))}")
        link, drives = mechanism.bodies[index[name]], state.articulation.drives[index[name]]
        numbers = np.atleast_1d(np.asarray(effort, dtype=np.float64))
        if numbers.shape != (len(link.reflected_inertia),):
            raise ValueError(f"joint {name!r} takes {len(link.reflected_inertia)} effort(s), not {effort!r}")
        _apply(state, link, drives, numbers, limited)


def _apply(state: State, link: Body, drives: tuple[int, ...], efforts: Array, limited: bool) -> None:
    kind = kind_of(link)
    if kind is Kind.FREE:
        _push_base(state, efforts)
    elif kind is Kind.BALL:
        _twist(state, link, drives[0], efforts)
    else:
        for index, primitive in zip(drives, link.primitives, strict=True):
            if state.articulation.segments[index + 1].leads:
                most = _effort_limit(state.articulation.mechanism, link, primitive) if limited else np.inf
                effort = float(np.clip(efforts[primitive.component], -most, most))
                modes = state.client.modes
                state.client.setJointMotorControl2(
                    state.body, index, modes.TORQUE_CONTROL, force=effort / primitive.ratio
                )


def _effort_limit(mechanism: Mechanism, link: Body, primitive: Primitive) -> float:
    """Of the axis, and of what drives it."""
    actuators = (actuator.effort for actuator in mechanism.scene.actuators if actuator.joint == link.joint)
    return min((primitive.limits.effort if primitive.limits is not None else np.inf, *actuators))


def _push_base(state: State, wrench: Array) -> None:
    """A force at the link's origin and a torque, in the world."""
    origin = state.segment_pose(BASE).p
    world = state.client.modes.WORLD_FRAME
    state.client.applyExternalForce(state.body, BASE, wrench[:3].tolist(), origin.tolist(), world)
    _torque(state, BASE, wrench[3:])


def _twist(state: State, link: Body, index: int, torque: Array) -> None:
    """A torque of a ball joint on its child, in its frame on its parent, and the opposite on the parent."""
    parent = state.articulation.segments[index + 1].parent
    X_WF = state.segment_pose(parent) @ state.articulation.segments[index + 1].X_PJ
    R_WJ = state.segment_pose(index).R if link.reversed else X_WF.R
    torque_W = (-1.0 if link.reversed else 1.0) * R_WJ @ torque
    _torque(state, index, torque_W)
    _torque(state, parent, -torque_W)


def _torque(state: State, index: int, torque_W: Array) -> None:
    state.client.applyExternalTorque(state.body, index, torque_W.tolist(), state.client.modes.WORLD_FRAME)


# --- springs and weights ---------------------------------------------------------------------------------------------


def apply_passive_forces(states: Iterable[State], mechanism: Mechanism) -> None:
    """Apply for one step what PyBullet lacks.

    That is springs in joints, the weightlessness of links without gravity, and springs, bushings and yielding tendons
    between links and joints.
    """
    states = list(states)
    for state in states:
        _apply_springs(state)
        _lift_weightless(state)
    links = {link for state in states for link in state.articulation.places} | {WORLD}
    for element in (*mechanism.scene.forces, *mechanism.scene.constraints):
        if _ends(element) <= links:
            _apply_element(states, element, mechanism)


def _apply_element(states: list[State], element: ForceElement | Constraint, mechanism: Mechanism) -> None:
    """Apply one force element, or one constraint that yields."""
    if isinstance(element, SpringDamper):
        _pull(states, element, element.free_length)
    elif isinstance(element, Bushing):
        _bear(states, element)
    elif isinstance(element, DistanceConstraint) and np.isfinite(element.stiffness):
        _pull(states, element, element.distance)
    elif isinstance(element, TendonConstraint) and np.isfinite(element.stiffness):
        _strain(states, element, mechanism)


def _ends(element: ForceElement | Constraint) -> set[str]:
    """The links that it holds on to."""
    if isinstance(element, TendonConstraint):
        return set()
    return {element.link_A, element.link_C if isinstance(element, Bushing) else element.link_B}


def _apply_springs(state: State) -> None:
    sprung = [link for link in state.articulation.mechanism.bodies if _springs(link)]
    if not sprung:
        return
    q = state.positions()
    efforts = {}
    for link in sprung:
        position, total = np.atleast_1d(q[str(link.joint)]), np.zeros(len(link.reflected_inertia))
        for component, (stiffness, reference) in _springs(link).items():
            total[component] = -stiffness * (position[component] - reference)
        efforts[str(link.joint)] = tuple(total.tolist())
    apply_efforts(state, efforts, limited=False)


def _springs(link: Body) -> dict[int, tuple[float, float]]:
    """Stiffness and reference of each component with a spring."""
    return {
        p.component: (p.limits.spring_stiffness, p.limits.spring_reference)
        for p in link.primitives
        if p.limits is not None and p.limits.spring_stiffness and p.kind in {Kind.HINGE, Kind.SLIDE}
    }


def _lift_weightless(state: State) -> None:
    weightless = [body.link for body in state.articulation.mechanism.bodies if not body.link.gravity]
    if not weightless:
        return
    g = np.array(state.gravity())
    for link in weightless:
        _lift(state, link, g)


def _lift(state: State, link: Link, g: Array) -> None:
    if link.inertia is None:
        return
    X_WL = state.link_pose(link.name)
    force, at = -link.inertia.mass * g, X_WL.p + X_WL.R @ link.inertia.p_LLcm
    _push(state, link.name, force, at)


def _push(state: State, link: str, force_W: Array, p_WQ: Array) -> None:
    """A force on a link at a point of the world."""
    index, _ = state.articulation.places[link]
    world = state.client.modes.WORLD_FRAME
    state.client.applyExternalForce(state.body, index, force_W.tolist(), p_WQ.tolist(), world)


def _pull(states: list[State], spring: SpringDamper | DistanceConstraint, length: float) -> None:
    state_A, P = motion_of(states, spring.link_A, Pose.of(p=spring.p_AP))
    state_B, Q = motion_of(states, spring.link_B, Pose.of(p=spring.p_BQ))
    p_PQ = Q.X_WF.p - P.X_WF.p
    distance = float(np.linalg.norm(p_PQ))
    if distance == 0.0:
        return
    along = p_PQ / distance
    pull = spring.stiffness * (distance - length) + spring.damping * float(along @ (Q.v - P.v))
    if state_A is not None:
        _push(state_A, spring.link_A, pull * along, P.X_WF.p)
    if state_B is not None:
        _push(state_B, spring.link_B, -pull * along, Q.X_WF.p)


def _bear(states: list[State], bushing: Bushing) -> None:
    state_A, A = motion_of(states, bushing.link_A, bushing.X_LA)
    state_C, C = motion_of(states, bushing.link_C, bushing.X_LC)
    wrench = bushing_wrench(bushing, A, C)
    for sign, state, link in ((-1.0, state_A, bushing.link_A), (1.0, state_C, bushing.link_C)):
        if state is not None:
            _push(state, link, sign * wrench.force, wrench.p_WQ)
            _torque(state, state.articulation.places[link][0], sign * wrench.torque)


def _strain(states: list[State], tendon: TendonConstraint, mechanism: Mechanism) -> None:
    """Pull at the joints of a tendon, if each of them is one freedom of these bodies."""
    if not can_be_strung(tendon, mechanism.v_order):
        return
    q, v = ({n: x for s in states for n, x in read(s).items()} for read in (State.positions, State.velocities))
    weights = dict(zip(tendon.joints, tendon.coefficients, strict=True))
    length, rate = (sum(a * float(np.atleast_1d(x[name])[0]) for name, a in weights.items()) for x in (q, v))
    force = tendon_force(tendon, length + tendon.offset, rate)
    for state in states if force else ():
        own = joint_index(state.articulation.mechanism).keys() & weights.keys()
        apply_efforts(state, {name: weights[name] * force for name in sorted(own)}, limited=False)


def motion_of(states: Sequence[State], link: str, X_LF: Pose) -> tuple[State | None, Motion]:
    """Who has a link, and how a frame on it moves; of the world nobody."""
    state = next((state for state in states if link in state.articulation.places), None)
    if state is None:
        return None, Motion(X_LF, IDENTITY.p, IDENTITY.p)
    X_WF = state.link_pose(link) @ X_LF
    p_Wcm, v, w = state.segment_motion(state.articulation.places[link][0])
    return state, Motion(X_WF, w, v + np.cross(w, X_WF.p - p_Wcm))
