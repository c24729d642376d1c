"""Connection to a physics server: by id or ``BulletClient``; bodies of several servers are
independent.
"""

import numpy as np
import pybullet
import pytest
from pybullet_utils.bullet_client import BulletClient

from bridge import load_into_pybullet
from tests.support.scenes import joint, link, scene


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_way_to_name_a_server_is_taken():
    client = BulletClient(pybullet.DIRECT)
    other = pybullet.connect(pybullet.DIRECT)
    source = scene([link("a"), link("b")], [joint("j", "a", "b")])
    by_object = load_into_pybullet(source, physicsClientId=client)
    by_id = load_into_pybullet(source, physicsClientId=other)
    by_numpy = load_into_pybullet(source, physicsClientId=np.int64(other))
    assert (by_object, by_id, by_numpy) == (0, 0, 1)
    by_object.set_positions({"j": 0.3})
    assert client.getJointState(by_object, by_object.joints["j"])[0] == 0.3
    assert (by_id.positions()["j"], by_numpy.positions()["j"]) == (0.0, 0.0)
    by_id.remove()
    assert client.getNumBodies() == 1
    assert pybullet.getNumBodies(other) == 1
    pybullet.disconnect(other)
    client.disconnect()


def test_bodies_of_several_servers_do_not_know_of_each_other():
    """Ids are the same; states, gravity and time are each server's own."""
    clients = [pybullet.connect(pybullet.DIRECT) for _ in range(4)]
    bodies = [load_into_pybullet(scene([link("a")]), physicsClientId=client) for client in clients]
    for k, client in enumerate(clients):
        pybullet.setGravity(0, 0, -float(k), physicsClientId=client)
        pybullet.setTimeStep(0.01 * (k + 1), client)
        pybullet.stepSimulation(client)
    assert [body.velocities()["a"][2] for body in bodies] == pytest.approx(
        [0.0, -0.02, -0.06, -0.12]
    )
    for client in clients:
        pybullet.disconnect(client)


def test_a_closed_server_is_an_error():
    client = pybullet.connect(pybullet.DIRECT)
    body = load_into_pybullet(scene([link("a")]), physicsClientId=client)
    pybullet.disconnect(client)
    body.remove()
    with pytest.raises(ValueError, match="no physics server"):
        load_into_pybullet(scene([link("a")]), physicsClientId=client)
