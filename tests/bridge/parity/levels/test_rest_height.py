"""The lowest point of a model is known from its collision shapes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loaders
from bridge import lower
from bridge.parity.levels.rest_height import rest_scenario
from loaders.spatial import Pose

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


def thing(geometry: str, surface: str = "", pose: str = "0 0 0 0 0 0") -> loaders.Scene:
    return loaders.load_string(
        f"""<sdf version="1.9"><model name="m"><link name="body"><inertial><mass>2</mass>
        <inertia><ixx>.02</ixx><iyy>.02</iyy><izz>.02</izz></inertia></inertial>
        <collision name="c"><pose>{pose}</pose><geometry>{geometry}</geometry>{surface}</collision>
        </link></model></sdf>""",
        format="sdf",
    )


BOX = "<box><size>.2 .3 .4</size></box>"


@pytest.mark.parametrize(
    ("geometry", "reach"),
    [
        (BOX, 0.2),
        ("<sphere><radius>.3</radius></sphere>", 0.3),
        ("<cylinder><radius>.1</radius><length>.5</length></cylinder>", 0.25),
        ("<capsule><radius>.1</radius><length>.5</length></capsule>", 0.35),
        ("<ellipsoid><radii>.1 .2 .3</radii></ellipsoid>", 0.3),
    ],
)
def test_the_lowest_point_of_a_shape_is_known(geometry: str, reach: float) -> None:
    scenario = rest_scenario(lower(thing(geometry)))
    assert not isinstance(scenario, str)
    assert scenario.lowest({"body": Pose.of(p=(0, 0, 1.0))})[0] == pytest.approx(1.0 - reach)


def test_a_box_that_is_tilted_stands_on_its_edge() -> None:
    scenario = rest_scenario(lower(thing("<box><size>.2 .2 .2</size></box>", pose=f"0 0 0 {math.pi / 4} 0 0")))
    assert not isinstance(scenario, str)
    assert scenario.lowest({"body": Pose.of(p=np.zeros(3))})[0] == pytest.approx(-0.1 * math.sqrt(2.0))
