"""Names in PyBullet: those of the model, whatever characters they have."""

import itertools
import subprocess
import sys

import pybullet

from bridge import load_into_pybullet
from loaders.model import JointType
from loaders.pose import IDENTITY
from tests.support.scenes import joint, link, scene


def test_names_that_collide_with_generated_ones_are_kept(bullet_client):
    links = [link("base"), link("elbow_1_link"), link("fore")]
    joints = [
        joint("elbow_1", "base", "elbow_1_link"),
        joint("elbow", "elbow_1_link", "fore", JointType.UNIVERSAL),
    ]
    robot = load_into_pybullet(scene(links, joints), physicsClientId=bullet_client)
    found = [pybullet.getJointInfo(robot, i, bullet_client)[1].decode() for i in range(3)]
    assert found[0] == "elbow_1"
    assert len(set(found)) == 3
    assert robot.link_pose("elbow_1_link").is_close(IDENTITY)


def test_names_with_special_characters_are_kept(bullet_client):
    names = ["größe", "a b", "x::y/z", '<&">', "'"]
    links = [link(name) for name in names]
    joints = [joint(f"j {b}", a, b) for a, b in itertools.pairwise(names)]
    robot = load_into_pybullet(scene(links, joints), physicsClientId=bullet_client)
    assert list(robot.links) == names
    for name in names[1:]:
        assert pybullet.getJointInfo(robot, robot.links[name], bullet_client)[12].decode() == name


def test_a_long_name_of_a_model_does_not_end_the_process():
    """PyBullet copies it into 1,024 bytes; a child process shows whether it survives."""
    code = (
        "import pybullet, bridge, loaders; pybullet.connect(pybullet.DIRECT)\n"
        "name = 'é' * 66_000\n"
        'text = f\'<robot name="{name}"><link name="a"/></robot>\'\n'
        "print(bridge.load_into_pybullet(loaders.load_string(text, format='urdf')).name == name)"
    )
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert "True" in found.stdout
