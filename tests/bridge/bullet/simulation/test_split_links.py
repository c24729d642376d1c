"""Links split across several bodies: masses, alignment and separation in motion."""

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
from bridge import load_into_pybullet
from loaders.inertia import SpatialInertia
from loaders.model import WORLD
from loaders.pose import Pose
from tests.support.scenes import (
    joint,
    link,
    random_state,
    scene,
)

ROD = SpatialInertia.of(0.1, (0.05, 0, 0), np.diag((1e-5, 1e-4, 1e-4)))


def whip(count, *, fixed=True):
    """A chain of hinges in turns about y and askew of it."""
    links = [link(f"l{i}", inertia=ROD) for i in range(count)]
    axes = [(0, 1, 0) if i % 2 else (0, 0.6, 0.8) for i in range(count)]
    joints = [
        joint(f"j{i}", f"l{i - 1}", f"l{i}", xyz=axes[i], X_PJ=Pose.of(p=(0.1, 0, 0)))
        for i in range(1, count)
    ]
    return scene(links, [joint("j0", WORLD, "l0", xyz=(0, 1, 0)), *joints] if fixed else joints)


def test_a_link_that_is_cut_keeps_its_mass_and_the_speed_of_its_carrier(bullet_client):
    bodies = load_into_pybullet(whip(300), physicsClientId=bullet_client)
    _, v = random_state(bodies.mechanism, 5)
    bodies.set_velocities(v)
    halves = [body for body in bodies if body.split_link is not None]
    assert [body.split_link for body in halves] == ["l57", "l178"]
    for body in halves:
        carrier = bodies.with_link(body.split_link)
        parts = (
            pybullet.getDynamicsInfo(carrier, carrier.links[body.split_link], bullet_client)[0],
            pybullet.getDynamicsInfo(body, -1, bullet_client)[0],
        )
        assert parts == pytest.approx((0.05, 0.05))
        state = pybullet.getLinkState(carrier, carrier.links[body.split_link], 1, 1, bullet_client)
        np.testing.assert_allclose(
            pybullet.getBaseVelocity(body, bullet_client), state[6:8], atol=1e-9
        )
    assert max(max(separation) for separation in bodies.link_separation().values()) <= 1e-9


def fallen(bodies, client, seconds, step):
    """The largest separation on the way."""
    pybullet.setGravity(0, 0, -9.81, physicsClientId=client)
    pybullet.setTimeStep(step, client)
    worst = 0.0
    for k in range(round(seconds / step)):
        pybullet.stepSimulation(client)
        if k % 10 == 0:
            worst = max(
                worst, *(separation.distance for separation in bodies.link_separation().values())
            )
    return worst


def test_a_long_chain_in_several_bodies_moves_as_in_one_body(bullet_client, monkeypatch):
    """40 hinges, 4 m, in two bodies: against the same whip in one, and against MuJoCo."""
    source = whip(40)
    whole = load_into_pybullet(source, physicsClientId=bullet_client)
    monkeypatch.setattr(bridge.targets.pybullet.partition, "MAX_COORDINATES", 20)
    other = pybullet.connect(pybullet.DIRECT)
    bodies = load_into_pybullet(source, physicsClientId=other)
    assert len(bodies) == 2
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    pybullet.setTimeStep(1e-3, bullet_client)
    worst = fallen(bodies, other, 0.3, 1e-3)
    for _ in range(300):
        pybullet.stepSimulation(bullet_client)
    reference = _in_mujoco(source, 0.3, 1e-4)
    ours, single = bodies.link_pose("l39").p, whole.link_pose("l39").p
    pybullet.disconnect(other)
    assert worst <= 5e-5
    assert np.linalg.norm(ours - single) <= 2e-3
    assert np.linalg.norm(ours - reference) <= 5e-3


def _in_mujoco(source, seconds, step):
    """Return the position of the last link."""
    model = bridge.to_mjspec(source).compile()
    model.opt.timestep = step
    model.opt.gravity = (0, 0, -9.81)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(seconds / step))
    mujoco.mj_forward(model, data)
    return data.body("l39").xpos.copy()


def test_the_gap_between_the_bodies_of_a_long_chain_falls_with_the_square_of_the_step():
    worst = {}
    for step in (2e-3, 1e-3):
        client = pybullet.connect(pybullet.DIRECT)
        worst[step] = fallen(
            load_into_pybullet(whip(130), physicsClientId=client), client, 0.2, step
        )
        pybullet.disconnect(client)
    assert worst[1e-3] <= 1e-4
    assert worst[2e-3] / worst[1e-3] == pytest.approx(4.0, rel=0.3)
