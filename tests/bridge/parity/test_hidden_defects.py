"""A defect of a running engine is a difference although a known cause is about the same link, joint
or motion.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import loaders
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Actuator, Box, JointType, Sphere
from loaders.pose import Pose
from loaders.scene import Scene
from tests.support.running_faults import faulty_mujoco, faulty_pybullet
from tests.support.scenes import joint, link, scene

mujoco = pytest.importorskip("mujoco")
pybullet = pytest.importorskip("pybullet")

LIMITS = {"lower": -1.0, "upper": 1.0, "effort": 5.0, "velocity": 5.0}
DOWN = Pose.of(p=(0.0, 0.1, -0.3))


def chain(**rest: Any) -> Scene:
    """Two links on hinges below the world."""
    joints = [
        joint("ja", WORLD, "a", xyz=(0, 1, 0), axis=LIMITS),
        joint("jb", "a", "b", xyz=(1, 0, 0), axis=LIMITS, X_PJ=DOWN),
    ]
    return scene([link("a"), link("b")], joints, **rest)


def with_rotor() -> Scene:
    return chain(actuators=(Actuator(name="m", joint="jb", gear_ratio=10.0, rotor_inertia=1e-3),))


def with_screw() -> Scene:
    """A screw carries a hinge."""
    joints = [
        joint("turn", WORLD, "a", JointType.SCREW, xyz=(0, 0.6, 0.8), pitch=0.05),
        joint("jb", "a", "b", xyz=(1, 0, 0), X_PJ=DOWN),
    ]
    return scene([link("a"), link("b")], joints)


def with_massless_link() -> Scene:
    """A link without mass carries two links with mass."""
    joints = [
        joint("ja", WORLD, "a", xyz=(0, 1, 0)),
        joint("jb", "a", "b", xyz=(1, 0, 0), X_PJ=DOWN),
        joint("jc", "b", "c", xyz=(0, 1, 0), X_PJ=DOWN),
    ]
    return scene([link("a", inertia=SpatialInertia.of(0.0)), link("b"), link("c")], joints)


def with_mimic() -> Scene:
    coupling = loaders.model.Coupling(follower="jb", leader="ja", multiplier=0.5, offset=0.1)
    return chain(couplings=(coupling,))


def free() -> Scene:
    """A free link with an arm."""
    return scene(
        [link("a", shape=Sphere(radius=0.1)), link("b")],
        [joint("jb", "a", "b", xyz=(1, 0, 0), X_PJ=DOWN)],
    )


def with_shapes() -> Scene:
    base = chain()
    return dataclasses.replace(
        base,
        links=tuple(
            dataclasses.replace(
                each, collisions=link("x", shape=Box(size=(0.1, 0.1, 0.1))).collisions
            )
            for each in base.links
        ),
    )


# --- defects --------------------------------------------------------------------------------------


def half_a_rotor(model: Any) -> None:
    model.dof_armature[:] *= 0.5


def wrong_pitch(model: Any) -> None:
    model.eq_data[0, 1] *= 1.001


def damped(model: Any) -> None:
    model.dof_damping[-1] += 1e-4


def heavier(model: Any) -> None:
    model.body_mass[2] *= 1.0 + 1e-6


def softer_mimic(model: Any) -> None:
    model.eq_solref[:, 0] *= 100.0


def weak_motor(engine: PyBulletEngine) -> None:
    (body,) = engine._bodies
    pybullet.setJointMotorControl2(
        int(body),
        body.links["b"],
        pybullet.VELOCITY_CONTROL,
        force=1e-3,
        physicsClientId=engine._client,
    )


def weak_gear(engine: PyBulletEngine) -> None:
    for ids in engine._loaded.constraints.values():
        for number in ids:
            pybullet.changeConstraint(number, maxForce=1e-3, physicsClientId=engine._client)


def slippery(engine: PyBulletEngine) -> None:
    (body,) = engine._bodies
    pybullet.changeDynamics(
        int(body), body.links["b"], lateralFriction=0.9, physicsClientId=engine._client
    )


def stiff_air(engine: PyBulletEngine) -> None:
    (body,) = engine._bodies
    pybullet.changeDynamics(int(body), -1, linearDamping=1e-3, physicsClientId=engine._client)


CASES: dict[str, tuple[Callable[[], Scene], Any, str, str]] = {
    "half a rotor, where PyBullet lacks all of it": (
        with_rotor,
        faulty_mujoco(half_a_rotor),
        "L1",
        "mass matrix",
    ),
    "damping beside a rotor": (with_rotor, faulty_mujoco(damped), "L0", "damping"),
    "a wrong pitch of a soft screw": (
        with_screw,
        faulty_mujoco(wrong_pitch),
        "L2",
        "motion without damping",
    ),
    "a weak motor beside a screw": (
        with_screw,
        faulty_pybullet(weak_motor),
        "L2",
        "order of convergence",
    ),
    "a heavier link beside one without mass": (
        with_massless_link,
        faulty_mujoco(heavier),
        "L0",
        "mass",
    ),
    "a weak motor beside a link without mass": (
        with_massless_link,
        faulty_pybullet(weak_motor),
        "L2",
        "one step",
    ),
    "a mimic a hundred times softer": (
        with_mimic,
        faulty_mujoco(softer_mimic),
        "L2",
        "constraints in motion",
    ),
    "a mimic without strength": (
        with_mimic,
        faulty_pybullet(weak_gear),
        "L2",
        "constraints in motion",
    ),
    "damping of a free link": (free, faulty_pybullet(stiff_air), "L2", "one step"),
    "friction of one link": (with_shapes, faulty_pybullet(slippery), "L0", "friction of shapes"),
}
"""The model, the engine with the defect, and the level and quantity that must show it."""


@pytest.mark.slow
@pytest.mark.parametrize(("model", "engine", "level", "quantity"), CASES.values(), ids=CASES)
def test_a_defect_beside_a_known_cause_is_a_difference(
    model: Callable[[], Scene], engine: Any, level: str, quantity: str
) -> None:
    found = compare(model(), (engine,), levels=(level,), configurations=2)
    assert found.verdict is Verdict.DIFFERS
    failed = [row for row in found.rows if row.outcome is Outcome.FAILED]
    assert quantity in {
        row.quantity for row in failed if not (row.known_cause and row.known_cause.is_loss)
    }
