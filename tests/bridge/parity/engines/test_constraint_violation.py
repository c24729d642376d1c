"""Violations of loops and couplings in each engine, compared with closed forms."""

from __future__ import annotations

import math

import pytest

import bridge
import loaders
from bridge.parity.engine import factory_of

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


ENGINES = ("reference", "mujoco", "pybullet")

MASS = (
    "<inertial><mass>2</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.5</izz></inertia></inertial>"
)

BAR = (
    "<joint name='{0}' type='revolute'><pose>{3}</pose><parent>{1}</parent><child>{2}</child>"
    "<axis><xyz>0 1 0</xyz></axis></joint>"
)

FOUR_BARS = (
    "<sdf version='1.11'><model name='m'>"
    f"<link name='a'>{MASS}</link><link name='b'><pose>1 0 1 0 0 0</pose>{MASS}</link>"
    f"<link name='c'><pose>1 0 0 0 0 0</pose>{MASS}</link>"
    + BAR.format("left", "world", "a", "0 0 0 0 0 0")
    + BAR.format("right", "world", "c", "0 0 0 0 0 0")
    + BAR.format("top", "a", "b", "-1 0 0 0 0 0")
    + BAR.format("close", "c", "b", "0 0 0 0 0 0")
    + "</model></sdf>"
)
"""Three links of one meter between two points of the ground that are a meter apart."""


def opened(name: str, scene: loaders.Scene):
    return factory_of(name)(bridge.lower(scene))


@pytest.mark.parametrize("name", ENGINES)
def test_an_open_loop_has_the_gap_that_geometry_gives(name: str) -> None:
    engine = opened(name, loaders.load_string(FOUR_BARS, format="sdf"))
    engine.set_state({"left": 0.3, "right": 0.0, "top": 0.0}, {})
    s, c = math.sin(0.3), math.cos(0.3)
    assert engine.violations()["close"] == pytest.approx(
        math.hypot(s + c - 1.0, c - s - 1.0), abs=1e-9
    )
    engine.close()


@pytest.mark.parametrize("name", ENGINES)
def test_a_follower_that_is_off_by_a_tenth_violates_its_coupling_by_a_tenth(name: str) -> None:
    mimic = (
        "<mimic "
        "joint='lead'><multiplier>-2</multiplier><offset>.3</offset><reference>0</reference></mimic>"
    )
    text = (
        (
            f"<sdf version='1.11'><model name='m'><link name='a'>{MASS}</link><link "
            f"name='b'>{MASS}</link>"
        )
        + BAR.format("lead", "world", "a", "0 0 0 0 0 0")
        + BAR.format("follow", "a", "b", "0 0 0 0 0 0").replace("</xyz>", f"</xyz>{mimic}")
        + "</model></sdf>"
    )
    engine = opened(name, loaders.load_string(text, format="sdf"))
    engine.set_state({"lead": 0.5, "follow": -2.0 * 0.5 + 0.3 + 0.1}, {})
    assert engine.violations() == pytest.approx({"follow": 0.1}, abs=1e-12)
    engine.close()
