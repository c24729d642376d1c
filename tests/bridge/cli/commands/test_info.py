"""The command info shows exactly the links and joints of the scene."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import loaders
from bridge.cli import main

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


LINK = re.compile(r"^([ |`-]+ )(\S+)  <- (\S+ \(\w+)")
"""A line of the tree: indentation, link, joint and its type."""


def test_info_prints_every_link_below_its_parent_with_its_joint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["info", str(ARM)]) == 0
    lines = capsys.readouterr().out.splitlines()
    scene = loaders.load(ARM)
    printed = {match[2]: (len(match[1]), match[3]) for line in lines if (match := LINK.match(line))}
    assert printed.keys() == {link.name for link in scene.links if link.name != loaders.WORLD}
    for joint in scene.joints:
        depth, carrier = printed[joint.child]
        assert carrier == f"{joint.name} ({joint.type}"
        assert depth == (printed[joint.parent][0] + 4 if joint.parent in printed else 4)


def test_info_as_json_is_the_conformance_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json", str(ARM)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["sdfbridge"] == 1
    assert data["name"] == "arm"
    elbow = data["joints"]["elbow"]
    assert (elbow["type"], elbow["parent"], elbow["child"]) == ("revolute", "upper_arm", "forearm")
