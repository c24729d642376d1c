"""PyBullet's hidden defaults have no effect: no drag, no velocity limit, and dry friction is
Coulomb's.
"""

import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType
from tests.support import stick_slip
from tests.support.scenes import (
    joint,
    link,
    scene,
)


def test_dry_friction_stops_a_slider_as_coulomb_says(bullet_client):
    slide = joint("s", WORLD, "a", JointType.PRISMATIC, xyz=(1, 0, 0), axis={"friction": 2.0})
    robot = load_into_pybullet(scene([link("a")], [slide]), physicsClientId=bullet_client)
    pybullet.setTimeStep(1e-3, bullet_client)
    robot.set_velocities({"s": 1.0})
    for _ in range(250):
        robot.step()  # which notices that the time step is not what it was
    assert robot.velocities()["s"] == pytest.approx(0.5, abs=1e-12)  # mass 1 kg, friction 2 N
    for _ in range(400):
        pybullet.stepSimulation(bullet_client)
    assert robot.velocities()["s"] == pytest.approx(0.0, abs=1e-12)


def test_dry_friction_converges_to_the_exact_stick_slip_motion(bullet_client):
    errors = [_stick_slip_error(bullet_client, step) for step in (2e-3, 1e-3, 5e-4)]
    assert errors[0] < 6e-3
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx([1.0, 1.0], abs=0.05)


def _stick_slip_error(client, step):
    """The largest error [m] until 0.5 s after the mass sticks."""
    robot = load_into_pybullet(stick_slip.oscillator(step), physicsClientId=client)
    robot.apply_physics()
    robot.set_positions({"s": stick_slip.START})
    errors = []
    for k in range(round((stick_slip.STOP + 0.5) / step)):
        robot.step()
        errors.append(abs(robot.positions()["s"] - stick_slip.position((k + 1) * step)))
    robot.remove()
    assert errors[-1] < 5e-5
    return max(errors)


def test_joints_turn_faster_than_pybullets_own_limit(bullet_client):
    wheel = scene(
        [link("a", inertia=SpatialInertia.of(1.0, (0, 0, 0), np.eye(3)))], [joint("j", WORLD, "a")]
    )
    robot = load_into_pybullet(wheel, physicsClientId=bullet_client)
    robot.set_velocities({"j": 300.0})
    pybullet.stepSimulation(bullet_client)
    assert robot.velocities()["j"] == pytest.approx(300.0, abs=1e-9)


def test_a_free_body_falls_without_drag(bullet_client):
    pybullet.setGravity(0, 0, -10.0, physicsClientId=bullet_client)
    pybullet.setTimeStep(1e-3, bullet_client)
    robot = load_into_pybullet(scene([link("a")]), physicsClientId=bullet_client)
    for _ in range(1000):
        pybullet.stepSimulation(bullet_client)
    assert robot.velocities()["a"][2] == pytest.approx(-10.0, abs=1e-9)
