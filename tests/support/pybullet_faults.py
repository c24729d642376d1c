"""Faults in bodies that run in PyBullet, each with the level and the quantity that must show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pybullet

from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.parity.engine import moving_links
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.engines.pybullet.shapes import observe_pairs
from bridge.targets.pybullet.client import BASE
from tests.support.mujoco_faults import Fault, Plant, pick
from tests.support.pybullet_documents import DOCUMENT_FAULTS
from tests.support.pybullet_settings import SETTING_FAULTS, has_shape, joints, links

# --- places ---------------------------------------------------------------------------------------


def _on_link(**change: Callable[[Any], Any]) -> Plant:
    """Change a link by ``changeDynamics``; each argument is a function of ``getDynamicsInfo``."""

    def plant(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
        chosen = pick(links(engine), rng)
        if chosen is None:
            return None
        name, body, index = chosen
        info = pybullet.getDynamicsInfo(int(body), index, physicsClientId=engine._client)
        values = {key: function(info) for key, function in change.items()}
        pybullet.changeDynamics(int(body), index, physicsClientId=engine._client, **values)
        return {name}

    return plant


def _on_joint(
    wanted: Callable[[Any], bool] = lambda _info: True, **change: Callable[[Any], Any]
) -> Plant:
    """Change a joint by ``changeDynamics``; each argument is a function of ``getJointInfo``."""

    def plant(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
        client = engine._client
        infos = [
            (n, b, i, pybullet.getJointInfo(int(b), i, physicsClientId=client))
            for n, b, i in joints(engine)
        ]
        chosen = pick([entry for entry in infos if wanted(entry[3])], rng)
        if chosen is None:
            return None
        name, body, index, info = chosen
        values = {key: function(info) for key, function in change.items()}
        pybullet.changeDynamics(int(body), index, physicsClientId=client, **values)
        return {name}

    return plant


def _limited(info: Any) -> bool:
    return -1e8 < info[8] < info[9] < 1e8


# --- changes --------------------------------------------------------------------------------------


def _gravity(engine: PyBulletEngine, _rng: np.random.Generator) -> set[str] | None:
    g = engine.settings().gravity
    pybullet.setGravity(g[0] + 1e-3, g[1], g[2], physicsClientId=engine._client)
    return {"world"}


def _no_gravity(engine: PyBulletEngine, _rng: np.random.Generator) -> set[str] | None:
    pybullet.setGravity(0.0, 0.0, 0.0, physicsClientId=engine._client)
    return {dof[0] for dof in engine.mechanism.v_order}


def _time_step(engine: PyBulletEngine, _rng: np.random.Generator) -> set[str] | None:
    pybullet.setTimeStep(2.0 * engine.settings().time_step, physicsClientId=engine._client)
    return {"world"}


def _start_elsewhere(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
    bases = {
        b.mechanism.bodies[0].name: b
        for b in engine._bodies
        if kind_of(b.mechanism.bodies[0]) is PrimitiveKind.FREE
    }
    name = pick(sorted(bases), rng)
    if name is None:
        return None
    p, q = pybullet.getBasePositionAndOrientation(int(bases[name]), physicsClientId=engine._client)
    shifted = (p[0] + 0.01, p[1], p[2])
    pybullet.resetBasePositionAndOrientation(
        int(bases[name]), shifted, q, physicsClientId=engine._client
    )
    engine._initial_poses = engine.link_poses()
    return {name}


def _fixed_base_moved(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
    fixed = [b for b in engine._bodies if kind_of(b.mechanism.bodies[0]) is not PrimitiveKind.FREE]
    body = pick([b for b in fixed if moving_links(engine.mechanism) & b.links.keys()], rng)
    if body is None:
        return None
    (x, y, z), q = pybullet.getBasePositionAndOrientation(int(body), physicsClientId=engine._client)
    pybullet.resetBasePositionAndOrientation(
        int(body), (x + 1e-3, y, z), q, physicsClientId=engine._client
    )
    return set(body.links)


def _constraints(engine: PyBulletEngine, gears: bool) -> list[tuple[str, int]]:
    client = engine._client
    every = sorted({(name, k) for name, ids in engine._loaded.constraints.items() for k in ids})
    kinds = {k: pybullet.getConstraintInfo(k, physicsClientId=client)[4] for _, k in every}
    return [(name, k) for name, k in every if (kinds[k] == pybullet.JOINT_GEAR) is gears]


def _gear(change: Callable[[Any], dict[str, float]]) -> Plant:
    def plant(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
        names = {name for pair in engine.couplings() for name, _ in pair[:1]}
        gears = [(n, k) for n, k in _constraints(engine, gears=True) if n in names]
        chosen = pick(gears, rng)
        if chosen is None:
            return None
        info = pybullet.getConstraintInfo(chosen[1], physicsClientId=engine._client)
        pybullet.changeConstraint(chosen[1], physicsClientId=engine._client, **change(info))
        return {chosen[0]}

    return plant


def _pivot(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
    chosen = pick(_constraints(engine, gears=False), rng)
    if chosen is None:
        return None
    info = pybullet.getConstraintInfo(chosen[1], physicsClientId=engine._client)
    moved = (info[7][0] + 1e-3, info[7][1], info[7][2])
    pybullet.changeConstraint(chosen[1], jointChildPivot=moved, physicsClientId=engine._client)
    return {chosen[0]}


def _friction(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
    shaped = [entry for entry in links(engine) if has_shape(engine, entry)]
    chosen = pick(shaped, rng)
    if chosen is None:
        return None
    name, body, index = chosen
    mu = pybullet.getDynamicsInfo(int(body), index, physicsClientId=engine._client)[1]
    pybullet.changeDynamics(
        int(body), index, lateralFriction=0.5 * mu, physicsClientId=engine._client
    )
    return {name} if mu else None


def _pair(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
    """Disable a pair that touches at some position of the joints.

    PyBullet applies the filter when the boxes around both links begin to overlap, so that the
    joints move afterwards; a filter of links whose boxes always overlap has no effect, and is no
    fault.
    """
    q = engine._loaded.positions()
    observed = observe_pairs(pybullet, engine._client, engine._bodies, {frozenset()})  # type: ignore[arg-type]
    engine._loaded.set_positions(q)
    names = {(int(b), i): n for b in engine._bodies for n, i in b.links.items()}
    touching = [
        tuple(sorted(pair)) for pair in observed.touching if {x in names for x in pair} == {True}
    ]
    one = {n for n, _, _ in links(engine)}
    candidates = sorted(p for p in touching if {names[x] for x in p} & one)
    for (a, i), (b, j) in rng.permutation(np.array(candidates)).tolist():
        pybullet.setCollisionFilterPair(a, b, i, j, 0, physicsClientId=engine._client)
        after = observe_pairs(pybullet, engine._client, engine._bodies, {frozenset()})  # type: ignore[arg-type]
        engine._loaded.set_positions(q)
        if frozenset(((a, i), (b, j))) not in after.touching:
            return {names[a, i], names[b, j]}
    return None


def _unfiltered(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
    """Let a pair collide that a filter of the model disables, and that overlaps at some position of
    the joints.
    """
    q = engine._loaded.positions()
    observed = observe_pairs(pybullet, engine._client, engine._bodies, {frozenset()})  # type: ignore[arg-type]
    engine._loaded.set_positions(q)
    names = {(int(b), i): n for b in engine._bodies for n, i in b.links.items()}
    group = engine.mechanism.weld_group_of
    disabled = [tuple(sorted(pair)) for pair in observed.disabled if pair <= names.keys()]
    candidates = sorted(p for p in disabled if group(names[p[0]]) != group(names[p[1]]))
    for (a, i), (b, j) in rng.permutation(np.array(candidates)).tolist():
        pybullet.setCollisionFilterPair(a, b, i, j, 1, physicsClientId=engine._client)
        after = observe_pairs(pybullet, engine._client, engine._bodies, {frozenset()})  # type: ignore[arg-type]
        engine._loaded.set_positions(q)
        if frozenset(((a, i), (b, j))) in after.touching:
            return {names[a, i], names[b, j]}
    return None


def _masks(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
    q = engine._loaded.positions()
    observed = observe_pairs(pybullet, engine._client, engine._bodies, {frozenset()})  # type: ignore[arg-type]
    engine._loaded.set_positions(q)
    names = {(int(b), i): n for b in engine._bodies for n, i in b.links.items()}
    chosen = pick(sorted({x for pair in observed.touching for x in pair if x in names}), rng)
    if chosen is None:
        return None
    pybullet.setCollisionFilterGroupMask(chosen[0], chosen[1], 0, 0, physicsClientId=engine._client)
    return {names[chosen]}


def _motor(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
    chosen = pick(list(joints(engine)), rng)
    if chosen is None:
        return None
    name, body, index = chosen
    pybullet.setJointMotorControl2(
        int(body), index, pybullet.VELOCITY_CONTROL, force=1.0, physicsClientId=engine._client
    )
    return {name}


def _air(engine: PyBulletEngine, _rng: np.random.Generator) -> set[str] | None:
    for body in engine._bodies:
        pybullet.changeDynamics(
            int(body), BASE, linearDamping=0.04, angularDamping=0.04, physicsClientId=engine._client
        )
    return {dof[0] for dof in engine.mechanism.v_order}


FAULTS: Mapping[str, Fault] = {
    "mass +1 %": Fault(quantity="mass", plant=_on_link(mass=lambda info: 1.01 * info[0])),
    "a moment of inertia +1 %": Fault(
        quantity="inertia",
        plant=_on_link(localInertiaDiagonal=lambda info: (1.01 * info[2][0], *info[2][1:])),
    ),
    "a limit moved 1 %": Fault(
        quantity="limits",
        plant=_on_joint(
            _limited,
            jointLowerLimit=lambda info: info[8],
            jointUpperLimit=lambda i: i[9] + 0.01 * (i[9] - i[8]),
        ),
    ),
    "limits removed": Fault(
        quantity="limits",
        plant=_on_joint(
            _limited, jointLowerLimit=lambda _i: -1e10, jointUpperLimit=lambda _i: 1e10
        ),
    ),
    "damping +0.1": Fault(
        quantity="damping", plant=_on_joint(jointDamping=lambda info: info[6] + 0.1)
    ),
    "a fixed base moved 1 mm": Fault(quantity="link poses", plant=_fixed_base_moved),
    "gravity tilted": Fault(quantity="gravity", plant=_gravity),
    "time step doubled": Fault(quantity="time step", plant=_time_step),
    "a base starts 1 cm away": Fault(quantity="initial poses", plant=_start_elsewhere),
    "friction of a shape halved": Fault(quantity="friction of shapes", plant=_friction),
    "a mimic sign": Fault(quantity="couplings", plant=_gear(lambda info: {"gearRatio": -info[11]})),
    "a mimic offset": Fault(
        quantity="couplings", plant=_gear(lambda info: {"relativePositionTarget": info[13] + 1e-3})
    ),
    "gravity switched off": Fault(quantity="bias forces", level="L1", plant=_no_gravity),
    "a loop's end moved 1 mm": Fault(quantity="constraint violation", level="L1", plant=_pivot),
    "a link without collisions": Fault(quantity="collidable pairs", level="L1", plant=_masks),
    "a filter removed": Fault(quantity="collidable pairs", level="L1", plant=_unfiltered),
    "a pair disabled": Fault(quantity="collidable pairs", level="L1", plant=_pair),
    "a motor left on": Fault(quantity="one step", level="L2", plant=_motor),
    "damping of links 0.04": Fault(quantity="one step", level="L2", plant=_air),
    **DOCUMENT_FAULTS,
    **SETTING_FAULTS,
}
"""The kinds of faults by name."""
