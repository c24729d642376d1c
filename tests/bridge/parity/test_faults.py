"""Faults of running engines and lost attributes of exports are found and named, beside known causes
too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.engines.mujoco import engine
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.targets.mjcf.context import MjcfElement
from bridge.targets.mjcf.document import BuiltMjcf
from bridge.targets.mjcf.document import build as build_document
from bridge.targets.options import MjcfExportOptions
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Actuator, Box, JointType, Sphere
from loaders.pose import Pose
from loaders.scene import Scene
from tests.support.fault_robots import ROBOTS, drake_model, four_bar, robot, springs
from tests.support.fault_search import FAULTS, NOT_APPLICABLE, false_alarms, search
from tests.support.running_faults import faulty_mujoco, faulty_pybullet
from tests.support.scenes import joint, link, scene

mujoco = pytest.importorskip("mujoco")


# Faults in running engines are found by the quantity that claims to show them, and named; sound
# engines are quiet.

MODELS = {"four bars": four_bar, "springs": springs, "drake": drake_model}
HELD = ("a constraint removed", "a constraint without force")
APPLICABLE = [
    *(
        ("springs", "mujoco", kind)
        for kind in FAULTS["mujoco"]
        if "mimic" not in kind and "mesh" not in kind
    ),
    *(
        ("springs", "pybullet", kind)
        for kind in FAULTS["pybullet"]
        if "mimic" not in kind and "mesh" not in kind
    ),
    *(("drake", engine, kind) for engine in FAULTS for kind in ("a mimic sign", "a mimic offset")),
    ("four bars", "mujoco", "a loop's end moved 1 mm"),
    ("four bars", "pybullet", "a loop's end moved 1 mm"),
    ("four bars", "pybullet", "a fixed base moved 1 mm"),
    *((name, "pybullet", kind) for name in ("four bars", "drake") for kind in HELD),
]
ELSEWHERE = {
    "mujoco": {"a loop's end moved 1 mm", "a filter removed"},
    "pybullet": {"a loop's end moved 1 mm", "a fixed base moved 1 mm", *HELD},
}
"""Faults that the chain with springs has no place for."""


@cache
def mechanism(name: str) -> Mechanism:
    return bridge.lower(MODELS[name]())


@pytest.mark.parametrize(("name", "engine", "kind"), APPLICABLE)
def test_a_fault_is_found_and_named(name: str, engine: str, kind: str) -> None:
    expected = NOT_APPLICABLE if name == "springs" and kind in ELSEWHERE[engine] else "found"
    assert search(mechanism(name), engine, kind) == expected


def test_a_fault_beside_a_screw_is_found_although_engines_hold_the_screw_by_a_constraint() -> None:
    """Damping by the air changes velocities by less than MuJoCo's soft constraint, but not along
    its direction.
    """
    assert (
        search(bridge.lower(robot("leg.sdf")), "pybullet", "damping of links 0.04", seed=5)
        == "found"
    )


@pytest.mark.parametrize("name", MODELS)
def test_sound_engines_are_quiet(name: str) -> None:
    assert false_alarms(mechanism(name), 2) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_moved_end_of_a_loop_is_found_although_the_loop_is_far_from_closed(seed: int) -> None:
    """The angle between the two ends is larger than their distance at most random positions."""
    assert search(mechanism("four bars"), "pybullet", "a loop's end moved 1 mm", seed) == "found"


def test_there_are_thirty_kinds_in_each_engine_and_twenty_robots() -> None:
    assert all(len(faults) >= 30 for faults in FAULTS.values())
    assert len(ROBOTS) == 20
    assert robot("double_pendulum.urdf") is not None


def test_a_base_that_starts_elsewhere_is_found_in_a_model_that_starts_at_a_key() -> None:
    moved = dataclasses.replace(springs(), name="at a key")
    joint, *others = moved.joints
    moved = dataclasses.replace(
        moved, joints=(dataclasses.replace(joint, default_position=(0.2,)), *others)
    )
    assert search(bridge.lower(moved), "mujoco", "a base starts 1 cm away") == "found"


# Each attribute that the MJCF export writes is missed when it is lost: the original is the witness
# of the writer.

WRITTEN_FAULTS_MODELS = Path(__file__).parents[2] / "loaders" / "mjcf" / "models"
NEUTRAL = {
    "name",  # names are the subject of other tests, and many are references
    "group",  # groups of display are not carried
    "class",  # the class of sites and shapes for collision has a group of display
    "model",  # the name of the model
}
"""Attributes whose loss changes nothing that is compared."""
DERIVED = frozenset({"names", "paths", "names_map", "actuator_ctrlspec"})
"""Names, and what an actuator with a fixed gain calls its control."""


def arrays(model: Any) -> dict[str, Any]:
    """The numbers of a compiled model by their names."""
    found = {name: getattr(model, name) for name in dir(model) if not name.startswith("_")}
    numbers = {
        name: np.array(value)
        for name, value in found.items()
        if isinstance(value, np.ndarray | int | float)
    }
    options = {
        f"opt.{name}": np.array(getattr(model.opt, name))
        for name in dir(model.opt)
        if not name.startswith("_")
    }
    return {
        name: value
        for name, value in (numbers | options).items()
        if value.dtype.kind in "iuf" and name not in DERIVED
    }


def differ(one: dict[str, Any], two: dict[str, Any]) -> bool:
    """Whether the numbers of two compiled models differ by more than rounding errors."""
    return any(
        a.shape != two[name].shape or not np.allclose(a, two[name], 1e-12, 1e-14, True)
        for name, a in one.items()
    )


def places(root: MjcfElement) -> Iterator[tuple[int, str, str]]:
    """The number of the first element of each tag with each attribute."""
    seen = set()
    for i, element in enumerate(root.walk()):
        for attribute in element.attributes.keys() - NEUTRAL:
            if (element.tag, attribute) not in seen:
                seen.add((element.tag, attribute))
                yield i, element.tag, attribute


@pytest.mark.slow
@pytest.mark.parametrize("name", ["equalities", "contacts", "springs", "actuators"])
def test_an_attribute_that_the_writer_loses_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = loaders.load(WRITTEN_FAULTS_MODELS / f"{name}.xml", quiet=True)
    mechanism = bridge.lower(scene)
    sound = arrays(MujocoEngine(mechanism).model)
    root = build_document(mechanism, MjcfExportOptions(policy=mechanism.default_policy)).root
    missed, count = [], 0
    for i, tag, attribute in places(root):

        def faulty(*arguments: Any, i: int = i, attribute: str = attribute) -> BuiltMjcf:
            built = build_document(*arguments)
            del list(built.root.walk())[i].attributes[attribute]
            return built

        monkeypatch.setattr(engine, "build", faulty)
        try:
            if not differ(sound, arrays(MujocoEngine(mechanism).model)):
                continue
        except (ValueError, KeyError):
            continue  # MuJoCo refuses the document
        count += 1
        found = compare(scene, ("mujoco", "mujoco-native"), levels=("L0", "L1"), configurations=1)
        if not found.failures:
            missed.append(f"{tag}/{attribute}")
    assert missed == []
    assert count > 3


# A defect of a running engine is a difference although a known cause is about the same link, joint
# or motion.

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
