"""Faults to plant in the scene that one engine is given, each with the links or joints that it
concerns.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Outcome, compare
from bridge.parity.engine import factory_of, moving_links
from bridge.parity.engines.pybullet.shapes import with_overlapping_spheres
from loaders import Pose, Scene
from loaders.model import Coupling, FilterGroup, FilterRule, Joint, JointType, Link
from loaders.pose import rotation_about

Planted = tuple[Scene, set[str]]
"""The changed scene, and the names of links or joints of which a report must name one."""
Fault = Callable[[Scene, np.random.Generator], Planted]

_TURNING = {JointType.REVOLUTE, JointType.CONTINUOUS}
_SINGLE = _TURNING | {JointType.PRISMATIC}
ANISOTROPY = 1e-3
"""Smallest relative difference that a rotation must make to an inertia."""
TURN = rotation_about(np.ones(3) / math.sqrt(3.0), 0.2)


# --- preparation ----------------------------------------------------------------------------------


def prepared(scene: Scene) -> Scene:
    """Return the robot with spheres as shapes, and with a place for every fault.

    Damping, limits, a mimic joint, a collision filter and an asymmetric inertia are added if the
    robot has none.
    """
    scene = dataclasses.replace(
        with_overlapping_spheres(scene),
        actuators=(),
        forces=(),
        lights=(),
        diagnostics=(),
        collision_policy="drake",
    )
    joints = _single(scene)
    if not any(joint.axes[0].damping for joint in joints):
        scene = _with_axis(scene, joints[-1].name, damping=0.1)
    if not any(math.isfinite(joint.axes[0].lower) for joint in joints):
        scene = _with_axis(scene, joints[0].name, lower=-1.0, upper=1.0)
    if not scene.couplings:
        leader, follower = (joints[0], joints[-1]) if len(joints) > 1 else (None, None)
        if leader is not None:
            coupling = Coupling(
                follower=follower.name, leader=leader.name, multiplier=0.5, offset=0.0
            )
            scene = dataclasses.replace(scene, couplings=(coupling,))
    if not any(map(_shows_a_turn, _massive(scene))):
        link = _massive(scene)[-1]
        round_one = link.inertia.I_Lcm + 1e-3 * link.inertia.mass * np.eye(3)
        scene = _with_inertia(scene, link.name, I_Lcm=round_one * np.diag((1.0, 1.2, 1.4)))
    return _filtered(scene)


def _filtered(scene: Scene) -> Scene:
    """Return the scene with a filter for two links that can collide, if there are two."""
    mechanism = bridge.lower(scene)
    allowed = sorted(tuple(sorted(pair)) for pair in mechanism.collidable_pairs())
    moving = moving_links(mechanism)
    allowed = [pair for pair in allowed if set(pair) & moving]
    if not allowed:
        return scene
    group = FilterGroup(name="kept apart", links=allowed[len(allowed) // 2])
    rule = FilterRule(a=group.name, b=group.name)
    return dataclasses.replace(
        scene, filter_groups=(*scene.filter_groups, group), filter_rules=(*scene.filter_rules, rule)
    )


def _single(scene: Scene) -> list[Joint]:
    """Joints with one axis that carry a mass and are not part of a loop."""
    mechanism = bridge.lower(scene)
    massive = {
        link.name for link in scene.links if link.inertia is not None and link.inertia.mass > 0.0
    }
    carrying = {
        body.joint
        for body in mechanism.bodies
        if body.name in massive and len(body.primitives) == 1
    }
    return [joint for joint in scene.joints if joint.type in _SINGLE and joint.name in carrying]


def _with_axis(scene: Scene, name: str, **changes: Any) -> Scene:
    joint = next(joint for joint in scene.joints if joint.name == name)
    return _with_joint(scene, name, axes=(dataclasses.replace(joint.axes[0], **changes),))


def _with_joint(scene: Scene, name: str, **changes: Any) -> Scene:
    joints = tuple(dataclasses.replace(j, **changes) if j.name == name else j for j in scene.joints)
    return dataclasses.replace(scene, joints=joints)


def _with_inertia(scene: Scene, name: str, **changes: Any) -> Scene:
    links = tuple(
        dataclasses.replace(k, inertia=dataclasses.replace(k.inertia, **changes))
        if k.name == name
        else k
        for k in scene.links
    )
    return dataclasses.replace(scene, links=links)


def _massive(scene: Scene) -> list[Link]:
    moving = moving_links(bridge.lower(scene))
    return [
        k
        for k in scene.links
        if k.name in moving and k.inertia is not None and k.inertia.mass > 1e-6
    ]


def _any(things: Sequence[Any], rng: np.random.Generator) -> Any:
    return things[int(rng.integers(len(things)))]


# --- the faults -----------------------------------------------------------------------------------


def heavier(scene: Scene, rng: np.random.Generator) -> Planted:
    """Increase the mass of one link by 1 %."""
    link = _any(_massive(scene), rng)
    return _with_inertia(scene, link.name, mass=1.01 * link.inertia.mass), {link.name}


def turned_inertia(scene: Scene, rng: np.random.Generator) -> Planted:
    """Rotate the inertia of one link by 0.2 rad; the inertia of a sphere would not change."""
    link = _any([k for k in _massive(scene) if _shows_a_turn(k)], rng)
    return _with_inertia(scene, link.name, I_Lcm=TURN @ link.inertia.I_Lcm @ TURN.T), {link.name}


def _shows_a_turn(link: Link) -> bool:
    I_Lcm = link.inertia.I_Lcm
    return float(np.abs(TURN @ I_Lcm @ TURN.T - I_Lcm).max()) > ANISOTROPY * float(
        np.abs(I_Lcm).max()
    )


def flipped_axis(scene: Scene, rng: np.random.Generator) -> Planted:
    """Reverse the axis of one joint."""
    joint = _any(_single(scene), rng)
    return _with_axis(scene, joint.name, xyz=-joint.axes[0].xyz), {joint.name}


def moved_frame(scene: Scene, rng: np.random.Generator) -> Planted:
    """Move the frame of one joint by a millimeter."""
    joint = _any(_single(scene), rng)
    return _with_joint(scene, joint.name, X_PJ=joint.X_PJ @ Pose.of(p=(1e-3, 0.0, 0.0))), {
        joint.name
    }


def mirrored_mimic(scene: Scene, rng: np.random.Generator) -> Planted:
    """Change the sign of the multiplier of one coupling."""
    coupling = _any(scene.couplings, rng)
    mirrored = dataclasses.replace(coupling, multiplier=-coupling.multiplier)
    couplings = tuple(mirrored if c is coupling else c for c in scene.couplings)
    return dataclasses.replace(scene, couplings=couplings), {coupling.follower}


def missing_filter(scene: Scene, _rng: np.random.Generator) -> Planted:
    """Remove the last collision filter."""
    *rules, last = scene.filter_rules
    group = next(group for group in scene.filter_groups if group.name == last.a)
    return dataclasses.replace(scene, filter_rules=tuple(rules)), set(group.links)


def without_damping(scene: Scene, rng: np.random.Generator) -> Planted:
    """Remove the damping of one joint."""
    joint = _any([joint for joint in _single(scene) if joint.axes[0].damping], rng)
    return _with_axis(scene, joint.name, damping=0.0), {joint.name}


def without_limits(scene: Scene, rng: np.random.Generator) -> Planted:
    """Remove the limits of one joint."""
    joint = _any([joint for joint in _single(scene) if math.isfinite(joint.axes[0].lower)], rng)
    return _with_axis(scene, joint.name, lower=-math.inf, upper=math.inf), {joint.name}


FAULTS: dict[str, Fault] = {
    "mass of one link +1 %": heavier,
    "an axis flipped": flipped_axis,
    "an inertia turned": turned_inertia,
    "a joint frame moved 1 mm": moved_frame,
    "a mimic sign": mirrored_mimic,
    "a filter pair missing": missing_filter,
    "damping dropped": without_damping,
    "limits dropped": without_limits,
}
"""The faults by their names in the tables."""


# --- planting and finding -------------------------------------------------------------------------


def verdict_on(scene: Scene, changed: Scene, engine: str, names: set[str]) -> str:
    """Compare an engine that runs a changed scene with a sound engine.

    Args:
        scene: The scene that the sound engine runs.
        changed: The scene with the fault.
        engine: The engine with the fault.
        names: Links or joints of which the first difference must name one.

    Returns:
        The problem in words; empty if the report names the fault.
    """
    other = "pybullet" if engine == "mujoco" else "mujoco"

    def opened(_mechanism: Mechanism) -> Any:
        return factory_of(engine)(bridge.lower(changed))

    opened.name = engine  # type: ignore[attr-defined]
    found = compare(scene, engines=(opened, other), levels=("L0", "L1"), configurations=3)
    failed = [row for row in found.rows if row.outcome is Outcome.FAILED]
    if not failed:
        return f"not found: {found.agreement}"
    if not all(engine in row.engines for row in failed):
        return "a row without the faulty engine fails"
    first = failed[0]
    return (
        ""
        if names.intersection(first.subjects)
        else f"{first.quantity} at {first.where} instead of {', '.join(sorted(names))}"
    )


def false_alarm(scene: Scene, seed: int, levels: Sequence[str] = ("L0", "L1")) -> str:
    """Return the first difference of two sound engines in words; empty if there is none.

    Args:
        scene: The scene to compare.
        seed: Seed of the random states.
        levels: The levels to compare.
    """
    found = compare(scene, levels=levels, seed=seed, configurations=4)
    first = next((row for row in found.rows if row.outcome is Outcome.FAILED), None)
    return (
        ""
        if first is None
        else f"{first.level} {first.quantity} at {first.where}: {first.error:.1e}"
    )


# --- robots ---------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
TWENTY = (
    "assets/arm/model.sdf",
    "assets/gripper/model.sdf",
    "example-robot-data/robots/a1_description/urdf/a1.urdf",
    "example-robot-data/robots/alex_description/urdf/alex_nub_hands.urdf",
    "example-robot-data/robots/baxter_description/urdf/baxter.urdf",
    "example-robot-data/robots/finger_edu_description/robots/finger_edu.urdf",
    "example-robot-data/robots/g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "example-robot-data/robots/iris_description/robots/iris.urdf",
    "example-robot-data/robots/kinova_description/robots/kinova.urdf",
    "example-robot-data/robots/panda_description/urdf/panda.urdf",
    "example-robot-data/robots/go2_description/urdf/go2.urdf",
    "example-robot-data/robots/so_arm_description/urdf/so101.urdf",
    "example-robot-data/robots/ur_description/urdf/ur5_robot.urdf",
    "pybullet_data/franka_panda/panda.urdf",
    "pybullet_data/humanoid/humanoid.urdf",
    "pybullet_data/kuka_iiwa/model.urdf",
    "pybullet_data/laikago/laikago.urdf",
    "pybullet_data/quadruped/minitaur_rainbow_dash_v1.urdf",
    "pybullet_data/r2d2.urdf",
    "pybullet_data/racecar/racecar.urdf",
)
"""Arms, hands, legged, wheeled and flying robots, with fixed and floating bases."""


def twenty() -> dict[str, Scene]:
    """Return the robots of the installed packages by name, each prepared for every fault."""
    from tests.corpora import robots_corpus

    installed = {str(robot): robot for robot in robots_corpus.robots()}
    found = {}
    for name in TWENTY:
        if name.startswith("assets/"):
            found[name] = prepared(loaders.load(ROOT / name))
        elif name in installed:
            found[name] = prepared(loaders.load(installed[name].path, paths=[installed[name].root]))
    return found
