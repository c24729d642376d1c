"""Faults that calls of PyBullet cause in contacts, constraints, motors and settings, and in forces
of the handle.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pybullet

from bridge.mechanism.bodies import PrimitiveKind
from bridge.parity.engine import moving_links
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.targets.pybullet.client import BASE
from loaders.model import JointAxis
from tests.support.mujoco_faults import Fault, Plant, pick

Place = tuple[str, Any, int]
"""Name, body and index of a link or joint."""


def links(engine: PyBulletEngine) -> list[Place]:
    """The moving links with mass that share their PyBullet link with no other."""
    moving, found = moving_links(engine.mechanism), []
    for body in engine._bodies:
        indices = list(body.links.values())
        for name, index in body.links.items():
            mass = pybullet.getDynamicsInfo(int(body), index, physicsClientId=engine._client)[0]
            if name in moving and indices.count(index) == 1 and mass > 1e-3:
                found.append((name, body, index))
    return found


def joints(engine: PyBulletEngine) -> Iterator[Place]:
    """Yield the hinges and slides."""
    for dof, body, index, _ in engine._drives():
        yield dof[0], body, index


def has_shape(engine: PyBulletEngine, place: Place) -> bool:
    """Return whether a link has a collision shape."""
    _, body, index = place
    return bool(pybullet.getCollisionShapeData(int(body), index, physicsClientId=engine._client))


def _on_shape(**change: float) -> Plant:
    """Change the contact parameters of a link with shapes."""

    def plant(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
        chosen = pick([place for place in links(engine) if has_shape(engine, place)], rng)
        if chosen is None:
            return None
        name, body, index = chosen
        pybullet.changeDynamics(int(body), index, physicsClientId=engine._client, **change)
        return {name}

    return plant


# --- joints ---------------------------------------------------------------------------------------


def _brake(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
    chosen = pick(list(joints(engine)), rng)
    if chosen is None:
        return None
    name, body, index = chosen
    friction = 0.0 if (axis := _axis(body, name)) is None else axis.friction
    pybullet.setJointMotorControl2(
        int(body),
        index,
        pybullet.VELOCITY_CONTROL,
        force=friction + 0.1,
        physicsClientId=engine._client,
    )
    return {name}


def _axis(body: Any, joint: str) -> JointAxis | None:
    found: JointAxis | None = (
        next(b for b in body.mechanism.bodies if b.joint == joint).primitives[0].limits
    )
    return found


def _slow(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
    """Give a body the limit of speed that PyBullet gives each body by default."""
    chosen = pick(list(joints(engine)), rng)
    if chosen is None:
        return None
    _, body, _ = chosen
    pybullet.changeDynamics(int(body), BASE, maxJointVelocity=100.0, physicsClientId=engine._client)
    return {name for name, other, _ in joints(engine) if other is body}


def _spring(factor: float, added: float, shift: float, *, stiff: bool) -> Plant:
    """Change the spring that the handle applies to a joint before each step."""

    def plant(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
        places = []
        for body in engine._bodies:
            for number, part in enumerate(body.mechanism.bodies):
                if (
                    len(part.primitives) != 1
                    or part.primitives[0].kind not in _SCALAR
                    or part.inertia.mass < 1e-3
                ):
                    continue
                axis = part.primitives[0].limits
                if axis is not None and (axis.spring_stiffness > 0.0 or not stiff):
                    places.append((body, number))
        chosen = pick(places, rng)
        if chosen is None:
            return None
        body, number = chosen
        articulation = body.state.articulation
        parts = list(articulation.mechanism.bodies)
        axis = parts[number].primitives[0].limits
        stiffness, rest = factor * axis.spring_stiffness + added, axis.spring_reference + shift
        axis = dataclasses.replace(axis, spring_stiffness=stiffness, spring_reference=rest)
        primitive = dataclasses.replace(parts[number].primitives[0], limits=axis)
        parts[number] = dataclasses.replace(parts[number], primitives=(primitive,))
        changed = dataclasses.replace(articulation.mechanism, bodies=tuple(parts))
        object.__setattr__(articulation, "mechanism", changed)
        return {str(parts[number].joint)}

    return plant


_SCALAR = {PrimitiveKind.HINGE, PrimitiveKind.SLIDE}


# --- constraints ----------------------------------------------------------------------------------


def _on_constraint(change: Callable[[int, int], object]) -> Plant:
    """Change a constraint of the model, given its number and the server."""

    def plant(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
        split = engine._split_links
        every = sorted(
            {(n, k) for n, ids in engine._loaded.constraints.items() if n not in split for k in ids}
        )
        chosen = pick(every, rng)
        if chosen is None:
            return None
        change(chosen[1], engine._client)
        return {chosen[0]}

    return plant


def _added(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
    """Hold a point of a link where it is in the world."""
    chosen = pick(links(engine), rng)
    if chosen is None:
        return None
    name, body, index = chosen
    point = engine.link_poses()[name].p.tolist()
    pybullet.createConstraint(
        int(body),
        index,
        -1,
        -1,
        pybullet.JOINT_POINT2POINT,
        (0, 0, 0),
        (0, 0, 0),
        point,
        physicsClientId=engine._client,
    )
    return {name}


# --- settings -------------------------------------------------------------------------------------


def _sub_steps(engine: PyBulletEngine, _rng: np.random.Generator) -> set[str]:
    pybullet.setPhysicsEngineParameter(numSubSteps=4, physicsClientId=engine._client)
    return {"world"}


SETTING_FAULTS: Mapping[str, Fault] = {
    "dry friction +0.1": Fault(quantity="friction", plant=_brake),
    "speeds cut off at 100 rad/s": Fault(quantity="enforced limits of speed", plant=_slow),
    "torsional friction added": Fault(
        quantity="settings of contact", plant=_on_shape(spinningFriction=1e-3)
    ),
    "rolling friction added": Fault(
        quantity="settings of contact", plant=_on_shape(rollingFriction=1e-3)
    ),
    "restitution added": Fault(quantity="settings of contact", plant=_on_shape(restitution=0.137)),
    "contacts softened": Fault(
        quantity="settings of contact", plant=_on_shape(contactStiffness=1e4, contactDamping=10.0)
    ),
    "four steps in one": Fault(quantity="time step", plant=_sub_steps),
    "a constraint removed": Fault(
        quantity="constraint violation",
        level="L1",
        plant=_on_constraint(
            lambda number, client: pybullet.removeConstraint(number, physicsClientId=client)
        ),
    ),
    "a constraint without force": Fault(
        quantity="constraint violation",
        level="L1",
        plant=_on_constraint(
            lambda number, client: pybullet.changeConstraint(
                number, maxForce=0.0, physicsClientId=client
            )
        ),
    ),
    "a constraint added": Fault(quantity="constraint violation", level="L1", plant=_added),
    "a spring added": Fault(
        quantity="one step", level="L2", plant=_spring(1.0, 1.0, 0.0, stiff=False)
    ),
    "a spring 1 % stiffer": Fault(
        quantity="one step", level="L2", plant=_spring(1.01, 0.0, 0.0, stiff=True)
    ),
    "a spring's rest moved": Fault(
        quantity="one step", level="L2", plant=_spring(1.0, 0.0, 0.01, stiff=True)
    ),
}
"""The kinds of faults by name."""
