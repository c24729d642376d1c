"""Interactive use of handles: short representations, and completion of public names only."""

from __future__ import annotations

from bridge import load_into_pybullet
from bridge.targets.pybullet import Bodies, PyBulletBody
from loaders.model import WORLD
from tests.support.scenes import joint, link, scene


def test_the_representation_of_a_body_is_short_and_useful(bullet_client: int) -> None:
    name = "very_" * 100 + "long"
    robot = load_into_pybullet(
        scene([link(name)], [joint("j", WORLD, name)]), physicsClientId=bullet_client
    )
    assert isinstance(robot, PyBulletBody)
    assert repr(robot).startswith(f"<PyBulletBody {int(robot)} ")
    assert "1 joints" in repr(robot)
    assert len(repr(robot)) < 200


def test_the_representation_of_a_sequence_is_short(bullet_client: int) -> None:
    bodies = load_into_pybullet(
        scene([link(f"l{i}") for i in range(50)]), physicsClientId=bullet_client
    )
    assert isinstance(bodies, Bodies)
    assert "50 PyBullet bodies" in repr(bodies)
    assert len(repr(bodies)) < 200


def test_completion_offers_public_names_only(bullet_client: int) -> None:
    robot = load_into_pybullet(
        scene([link("a")], [joint("j", WORLD, "a")]), physicsClientId=bullet_client
    )
    assert {"joints", "links", "link_pose", "set_positions", "diagnostics"} <= set(dir(robot))
    assert not [name for name in dir(robot) if name.startswith("_")]
    assert "bit_length" not in dir(robot)
    bodies = load_into_pybullet(scene([link("a"), link("b")]), physicsClientId=bullet_client)
    assert {"with_link", "mechanism", "link_separation"} <= set(dir(bodies))
    assert not [name for name in dir(bodies) if name.startswith("_")]
