"""The text of directives is YAML with the same names and numbers."""

from __future__ import annotations

import math

import pytest
import yaml

from bridge.targets.assembly import (
    add_frame,
    add_group,
    add_instance,
    add_model,
    add_weld,
    values,
    word,
)
from loaders.pose import IDENTITY, Pose


@pytest.mark.parametrize(
    "name",
    ["a", "m::a", "on", "1", "a b", "a: b", "#x", "ä", "-", "'", '"', "x::", "package://m/a.sdf"],
)
def test_a_name_stays_the_same_text(name: str) -> None:
    assert yaml.safe_load(f"k: {word(name)}") == {"k": name}
    assert yaml.safe_load(f"- {word(name)}") == [name]


def test_numbers_stay_the_same() -> None:
    assert yaml.safe_load(values((0.1, -2.0, 1e-7))) == [0.1, -2.0, 1e-7]


def test_the_directives() -> None:
    X = Pose.of(p=(1.0, 2.0, 3.0))
    lines = [
        *add_instance("n"),
        *add_model("m", "package://p/m.sdf", {"j": (0.5,)}, ("base", X)),
        *add_frame("f", "world", X),
        *add_weld("m::a", "n::b", IDENTITY),
        *add_group("g", ["m::a"], [], ["g"]),
    ]
    place = {"translation": [1, 2, 3]}
    assert yaml.safe_load("\n".join(lines)) == [
        {"add_model_instance": {"name": "n"}},
        {
            "add_model": {
                "name": "m",
                "file": "package://p/m.sdf",
                "default_joint_positions": {"j": [0.5]},
                "default_free_body_pose": {"base": place},
            }
        },
        {"add_frame": {"name": "f", "X_PF": {"base_frame": "world", **place}}},
        {"add_weld": {"parent": "m::a", "child": "n::b", "X_PC": {"translation": [0, 0, 0]}}},
        {
            "add_collision_filter_group": {
                "name": "g",
                "members": ["m::a"],
                "ignored_collision_filter_groups": ["g"],
            }
        },
    ]


def test_angles_are_in_degrees() -> None:
    X = Pose.from_xyz_rpy((0.0, 0.0, 0.0), (0.0, 0.0, math.pi / 2))
    assert any("!Rpy { deg: [0, 0, 90] }" in line for line in add_frame("f", "world", X))
