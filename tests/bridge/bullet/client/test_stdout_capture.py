"""Capture of PyBullet's output: nothing reaches the console, and the caller gets the lines."""

import os

from bridge import load_into_pybullet
from loaders.model import JointType
from tests.support.scenes import UNIT_BOX, joint, link, scene


def test_the_console_stays_silent(bullet_client, capfd):
    source = scene([link("a", shape=UNIT_BOX), link("b")], [joint("j", "a", "b", JointType.BALL)])
    load_into_pybullet(source, physicsClientId=bullet_client)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_what_is_printed_meanwhile_is_kept_for_the_caller():
    from bridge.bullet.client.stdout_capture import capture_stdout

    lines = []
    with capture_stdout(lines):
        os.write(1, b"b3Warning[examples/x.cpp,126]:\nhello\n")
        os.write(2, b"there")
    assert lines == ["hello", "there"]
