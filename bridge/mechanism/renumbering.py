"""Exchange the bodies of a mechanism and renumber everything that refers to them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .bodies import ROOT, Body, Closure, DofCoupling
from .connections import BodyConnection, MechanismActuator, MechanismConstraint, TendonConnection
from .mechanism import Mechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbers:
    """New indices by old index; elements that are gone have no entry."""

    bodies: Mapping[int, int]
    dofs: Mapping[int, int]

    def closure(self, closure: Closure) -> Closure | None:
        if not {closure.parent, closure.child} <= self.bodies.keys():
            return None
        return dataclasses.replace(closure, parent=self.bodies[closure.parent], child=self.bodies[closure.child])

    def coupling(self, coupling: DofCoupling) -> DofCoupling | None:
        if not {coupling.follower, coupling.leader} <= self.dofs.keys():
            return None
        return dataclasses.replace(coupling, follower=self.dofs[coupling.follower], leader=self.dofs[coupling.leader])

    def dof(self, old: int | None) -> int | None:
        return None if old is None else self.dofs.get(old)

    def actuator(self, actuator: MechanismActuator) -> MechanismActuator:
        return dataclasses.replace(actuator, dof=self.dof(actuator.dof))

    def connection(self, connection: BodyConnection) -> BodyConnection | None:
        if not {connection.body_a, connection.body_b} <= self.bodies.keys():
            return None
        a, b = self.bodies[connection.body_a], self.bodies[connection.body_b]
        return dataclasses.replace(connection, body_a=a, body_b=b)

    def constraint(self, constraint: MechanismConstraint) -> MechanismConstraint | None:
        if isinstance(constraint, TendonConnection):
            return dataclasses.replace(constraint, dofs=tuple(self.dof(dof) for dof in constraint.dofs))
        return self.connection(constraint)


def with_bodies(mechanism: Mechanism, bodies: Iterable[Body], origins: Sequence[int | None]) -> Mechanism:
    """Return the mechanism with other bodies; velocities, couplings, closures and elements are renumbered.

    Couplings, closures, constraints and force elements that refer to a body or velocity that is gone are left out.
    Actuators and tendons stay; their index is None where the velocity is gone.

    Args:
        mechanism: The mechanism whose bodies are exchanged.
        bodies: The new bodies, each after its parent; their ``v_start`` is computed here.
        origins: For each new body the index of the body of ``mechanism`` that it replaces, or None if it is new.
    """
    placed: list[Body] = []
    v_order: list[tuple[str, int]] = []
    dofs: dict[int, int] = {}
    for body, origin in zip(bodies, origins, strict=True):
        start = len(v_order)
        placed.append(dataclasses.replace(body, v_start=start))
        v_order += body.dofs
        if origin is not None and mechanism.bodies[origin].dofs == body.dofs:
            dofs |= {mechanism.bodies[origin].v_start + k: start + k for k in range(body.nv)}
    indices = {origin: i for i, origin in enumerate(origins) if origin is not None} | {ROOT: ROOT}
    numbers = _Numbers(bodies=indices, dofs=dofs)
    names = {body.name for body in placed}
    return dataclasses.replace(
        mechanism,
        bodies=tuple(placed),
        v_order=tuple(v_order),
        closures=tuple(filter(None, map(numbers.closure, mechanism.closures))),
        couplings=tuple(filter(None, map(numbers.coupling, mechanism.couplings))),
        actuators=tuple(map(numbers.actuator, mechanism.actuators)),
        constraints=tuple(filter(None, map(numbers.constraint, mechanism.constraints))),
        force_elements=tuple(filter(None, map(numbers.connection, mechanism.force_elements))),
        fluid_forces=tuple(force for force in mechanism.fluid_forces if force.link in names),
    )
