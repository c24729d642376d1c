"""Joints that only rotors give an inertia: the running engine does not move them, and they are
reported.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, lower
from bridge.targets.pybullet.features import articulated_inertias, locked_joints
from loaders import load_string
from loaders.scene import Scene
from tests.support.scenes import random_scene, random_state

BACKLASH = """<mujoco><worldbody><body name="base"><geom size="0.1"/><body name="arm" pos="0.3 0 0.2">
<joint name="motor" axis="0 0 1" frictionloss="0.07" {motor}/><joint name="gear" {gear}/>
<geom type="box" size="0.05 0.1 0.02" pos="0.02 0 0" mass="0.2"/></body></body></worldbody></mujoco>"""
"""A motor and the backlash of its gear, as in models of servos: two joints of one body."""
ROTOR = 'armature="0.027"'


def backlash(motor: str = ROTOR, gear: str = f'axis="0 0 1" {ROTOR}') -> Scene:
    return load_string(BACKLASH.format(motor=motor, gear=gear), format="mjcf", quiet=True)


def names(source: Scene) -> list[str]:
    return [item.name for item in locked_joints(lower(source))]


def pushed(client: int, source: Scene, joint: str) -> Any:
    """The speed of a joint after an effort of 1 N m in ten steps."""
    robot = load_into_pybullet(source, physicsClientId=client, quiet=True)
    for _ in range(10):
        pybullet.setJointMotorControl2(
            robot, robot.joints[joint], pybullet.TORQUE_CONTROL, force=1.0, physicsClientId=client
        )
        pybullet.stepSimulation(physicsClientId=client)
    return robot.velocities()[joint]


LOCKED = {
    "hinges about one line": backlash(),
    "in opposite directions": backlash(gear=f'axis="0 0 -1" {ROTOR}'),
    "the rotor at the second hinge alone": backlash(motor="", gear=f'axis="0 0 1" {ROTOR}'),
}
MOVING = {
    "hinges across": backlash(gear=f'axis="0 1 0" {ROTOR}'),
    "a slide beyond a hinge": backlash(gear=f'type="slide" axis="0 0 1" {ROTOR}'),
    "a hinge beside a hinge": backlash(gear=f'axis="0 0 1" pos="0 0.2 0" {ROTOR}'),
}


@pytest.mark.parametrize("name", LOCKED)
def test_pybullet_does_not_move_what_is_reported(bullet_client: int, name: str) -> None:
    assert names(LOCKED[name]) == ["motor"]
    assert pushed(bullet_client, LOCKED[name], "motor") == 0.0


@pytest.mark.parametrize("name", MOVING)
def test_pybullet_moves_what_is_not_reported(bullet_client: int, name: str) -> None:
    assert names(MOVING[name]) == []
    assert abs(pushed(bullet_client, MOVING[name], "motor")) > 1.0


def test_without_rotors_the_model_itself_does_not_say_how_the_joints_move() -> None:
    assert names(backlash(motor="", gear='axis="0 0 1"')) == []


def test_the_inertias_are_those_of_the_inverse_mass_matrix() -> None:
    """With the joints before a joint locked, the inverse of what remains states what the joint
    moves.
    """
    mechanism = lower(random_scene(3, fixed=True))
    M = mechanism.mass_matrix(random_state(mechanism, seed=1)[0])
    expected = [1.0 / np.linalg.inv(M[k:, k:])[0, 0] for k in range(len(M))]
    np.testing.assert_allclose(articulated_inertias(M), expected, rtol=1e-9)


def test_the_comparison_names_the_cause_of_missing_friction(bullet_client: int) -> None:
    from bridge import compare

    result = compare(backlash(), levels="L0", quiet=True)
    rows = [row for row in result.rows if row.quantity == "friction" and "pybullet" in row.engines]
    assert {row.known_cause.code if row.known_cause else None for row in rows} == {
        "pybullet.locked-joint"
    }
    assert {row.subjects for row in rows} == {("motor",)}
    assert result.verdict == "DIFFERS"
