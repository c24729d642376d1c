"""Forces of the model for which PyBullet has no element, applied explicitly before every step.

They are evaluated at the state before the step. A spring of stiffness k on inertia I is stable as long as the step is
well below ``2 sqrt(I / k)``, and its error is of first order in the step, as is PyBullet's own integration.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bridge.fluid.forces import LinkForce, fluid_forces
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.connections import BodyConnection, MechanismConstraint
from bridge.mechanism.force_laws import bushing_wrench, is_tendon_representable, tendon_force
from loaders.model import Bushing, DistanceConstraint, Link, SpringDamper, TendonConstraint
from loaders.scene_queries.gravity_share import gravity_share
from loaders.spatial import Array

from .efforts import (
    apply_efforts,
    apply_force,
    apply_tension,
    apply_torque,
    line_of,
    link_name,
    motion_of,
    tendon_length,
)
from .rigid_constraints import enforce
from .state import State, joint_motion


def apply_passive_forces(states: Iterable[State], mechanism: Mechanism) -> None:
    """Apply for one step the forces that PyBullet does not compute.

    These are joint springs, the compensation of gravity for links without it, springs and bushings between links,
    compliant tendons, and the buoyancy, drag and lift of a fluid. Rigid distances and tendons are enforced by
    `bridge.bullet.simulation.rigid_constraints`.

    Args:
        states: States of the bodies.
        mechanism: The mechanism that these bodies make up.
    """
    states = list(states)
    for state in states:
        _apply_joint_springs(state)
        _compensate_gravity(state)
    enforce(states, mechanism)
    for element in (*mechanism.force_elements, *mechanism.constraints):
        _apply_element(states, mechanism, element)
    for force in fluid_forces(mechanism):
        _apply_fluid(states, force)


def _apply_element(states: list[State], mechanism: Mechanism, connection: BodyConnection | MechanismConstraint) -> None:
    """Apply one force element, or one compliant constraint."""
    element = connection.element
    if isinstance(connection, BodyConnection):
        if isinstance(element, SpringDamper):
            _apply_spring(states, mechanism, connection, element, element.free_length)
        elif isinstance(element, Bushing):
            _apply_bushing(states, mechanism, connection, element)
        elif isinstance(element, DistanceConstraint) and np.isfinite(element.stiffness):
            _apply_spring(states, mechanism, connection, element, element.distance)
    elif np.isfinite(connection.element.stiffness):
        _apply_tendon(states, connection.element, mechanism)


# --- one body --------------------------------------------------------------------------------------------------------


def _apply_joint_springs(state: State) -> None:
    bodies = [body for body in state.articulation.mechanism.bodies if _springs(body)]
    if not bodies:
        return
    q = state.positions()
    efforts = {}
    for body in bodies:
        position, total = np.atleast_1d(q[str(body.joint)]), np.zeros(body.nv)
        for dof, (stiffness, reference) in _springs(body).items():
            total[dof] = -stiffness * (position[dof] - reference)
        efforts[str(body.joint)] = tuple(total.tolist())
    apply_efforts(state, efforts, limited=False)


def _springs(body: Body) -> dict[int, tuple[float, float]]:
    """Return the stiffness and reference position of each degree of freedom with a spring."""
    return {
        p.dof_index: (p.limits.spring_stiffness, p.limits.spring_reference)
        for p in body.primitives
        if p.limits is not None and p.limits.spring_stiffness and p.kind in {PrimitiveKind.HINGE, PrimitiveKind.SLIDE}
    }


def _compensate_gravity(state: State) -> None:
    """Apply the opposite of the weight that each link lacks, at its center of mass."""
    links = (body.link for body in state.articulation.mechanism.bodies)
    lacking = [(link, 1.0 - share) for link in links if (share := gravity_share(link)) != 1.0]
    if not lacking:
        return
    g = np.array(state.gravity())
    for link, part in lacking:
        _lift(state, link, part * g)


def _lift(state: State, link: Link, g: Array) -> None:
    if link.inertia is None:
        return
    X_WL = state.link_pose(link.name)
    force, p_WLcm = -link.inertia.mass * g, X_WL.p + X_WL.R @ link.inertia.p_LLcm
    apply_force(state, link.name, force, p_WLcm)


# --- several bodies --------------------------------------------------------------------------------------------------


def _apply_spring(
    states: list[State],
    mechanism: Mechanism,
    connection: BodyConnection,
    spring: SpringDamper | DistanceConstraint,
    free_length: float,
) -> None:
    line = line_of(states, mechanism, connection)
    if line is not None:
        rate = float(line.direction @ (line.Q.v - line.P.v))
        line.pull(spring.stiffness * (line.length - free_length) + spring.damping * rate)


def _apply_bushing(states: list[State], mechanism: Mechanism, connection: BodyConnection, bushing: Bushing) -> None:
    link_A, link_C = link_name(mechanism, connection.body_a), link_name(mechanism, connection.body_b)
    state_A, A = motion_of(states, link_A, connection.X_AP)
    state_C, C = motion_of(states, link_C, connection.X_BQ)
    wrench = bushing_wrench(bushing, A, C)
    for sign, state, link in ((-1.0, state_A, link_A), (1.0, state_C, link_C)):
        if state is not None:
            apply_force(state, link, sign * wrench.force, wrench.p_WQ)
            apply_torque(state, state.articulation.link_segments[link][0], sign * wrench.torque)


def _apply_fluid(states: list[State], force: LinkForce) -> None:
    state, F = motion_of(states, force.link, force.X_LF)
    if state is None:
        return
    position = 0.0 if force.joint is None else float(np.atleast_1d(joint_motion(states)[0].get(force.joint, 0.0))[0])
    wrench = force.wrench(F, np.array(state.gravity()), position)
    apply_force(state, force.link, wrench.force, wrench.p_WQ)
    apply_torque(state, state.articulation.link_segments[force.link][0], wrench.torque)


def _apply_tendon(states: list[State], tendon: TendonConstraint, mechanism: Mechanism) -> None:
    """Apply the tension of a compliant tendon if each of its joints is one degree of freedom of these bodies."""
    if not is_tendon_representable(tendon, mechanism.v_order):
        return
    q, v = joint_motion(states)
    force = tendon_force(tendon, tendon_length(tendon, q) + tendon.offset, tendon_length(tendon, v))
    if force:
        apply_tension(states, tendon, force)
