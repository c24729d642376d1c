"""Forces of the model that PyBullet has no element for: applied by hand before every step.

They are explicit: evaluated at the state before the step. A spring of stiffness k on inertia I stays stable as long as
the step is well below ``2 sqrt(I / k)``, and its error is of first order in the step, as all of PyBullet's integration.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.force_laws import bushing_wrench, is_tendon_representable, tendon_force
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
from loaders.spatial import Array

from .efforts import apply_efforts, line_of, motion_of, push, strain, strung, torque
from .rigid_constraints import hold
from .state import State, joint_motion


def apply_passive_forces(states: Iterable[State], mechanism: Mechanism) -> None:
    """Apply for one step what PyBullet lacks.

    That is springs in joints, the weightlessness of links without gravity, and springs, bushings and yielding tendons
    between links and joints; what does not yield is held by `bridge.bullet.simulation.rigid_constraints`.
    """
    states = list(states)
    for state in states:
        _apply_springs(state)
        _lift_weightless(state)
    hold(states, mechanism)
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
        _draw(states, element, mechanism)


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
        position, total = np.atleast_1d(q[str(link.joint)]), np.zeros(link.nv)
        for component, (stiffness, reference) in _springs(link).items():
            total[component] = -stiffness * (position[component] - reference)
        efforts[str(link.joint)] = tuple(total.tolist())
    apply_efforts(state, efforts, limited=False)


def _springs(link: Body) -> dict[int, tuple[float, float]]:
    """Stiffness and reference of each component with a spring."""
    return {
        p.dof_index: (p.limits.spring_stiffness, p.limits.spring_reference)
        for p in link.primitives
        if p.limits is not None and p.limits.spring_stiffness and p.kind in {PrimitiveKind.HINGE, PrimitiveKind.SLIDE}
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
    push(state, link.name, force, at)


def _pull(states: list[State], spring: SpringDamper | DistanceConstraint, length: float) -> None:
    line = line_of(states, spring)
    if line is not None:
        rate = float(line.along @ (line.Q.v - line.P.v))
        line.pull(spring.stiffness * (line.length - length) + spring.damping * rate)


def _bear(states: list[State], bushing: Bushing) -> None:
    state_A, A = motion_of(states, bushing.link_A, bushing.X_LA)
    state_C, C = motion_of(states, bushing.link_C, bushing.X_LC)
    wrench = bushing_wrench(bushing, A, C)
    for sign, state, link in ((-1.0, state_A, bushing.link_A), (1.0, state_C, bushing.link_C)):
        if state is not None:
            push(state, link, sign * wrench.force, wrench.p_WQ)
            torque(state, state.articulation.places[link][0], sign * wrench.torque)


def _draw(states: list[State], tendon: TendonConstraint, mechanism: Mechanism) -> None:
    """Pull at the joints of a tendon, if each of them is one freedom of these bodies."""
    if not is_tendon_representable(tendon, mechanism.v_order):
        return
    q, v = joint_motion(states)
    force = tendon_force(tendon, strung(tendon, q) + tendon.offset, strung(tendon, v))
    if force:
        strain(states, tendon, force)
