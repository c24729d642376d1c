"""The lowest point of a model is known from its collision shapes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loaders
from bridge import lower
from bridge.parity.contact import CONTACT_SOFTNESS, G, RestScenario, rest_scenario
from loaders.pose import Pose

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
    scenario = rest_scenario(
        lower(thing("<box><size>.2 .2 .2</size></box>", pose=f"0 0 0 {math.pi / 4} 0 0"))
    )
    assert not isinstance(scenario, str)
    assert scenario.lowest({"body": Pose.of(p=np.zeros(3))})[0] == pytest.approx(
        -0.1 * math.sqrt(2.0)
    )


def rest(scene: loaders.Scene) -> RestScenario:
    found = rest_scenario(lower(scene))
    assert isinstance(found, RestScenario)
    return found


def ball(name: str, surface: str = "", x: float = 0.0, mass: float = 2.0) -> str:
    return (
        f"<link name='{name}'><pose>{x} 0 0 0 0 0</pose><inertial><mass>{mass}</mass>"
        "<inertia><ixx>.02</ixx><iyy>.02</iyy><izz>.02</izz></inertia></inertial><collision "
        "name='c'><geometry><sphere>"
        f"<radius>.1</radius></sphere></geometry>{surface}</collision></link>"
    )


def test_the_softest_spring_of_a_link_decides_how_deep_it_sinks() -> None:
    stiff, soft = (
        f"<surface><contact><ode><kp>{kp}</kp></ode></contact></surface>" for kp in (1e6, 1e4)
    )
    link = ball("a", stiff).replace(
        "</link>",
        "<collision name='d'><geometry><sphere><radius>.1</radius></sphere>"
        f"</geometry>{soft}</collision></link>",
    )
    scene = loaders.load_string(
        f"<sdf version='1.9'><model name='m'>{link}</model></sdf>", format="sdf"
    )
    assert rest(scene).allowed_penetration["a"] == pytest.approx(G * (CONTACT_SOFTNESS + 2.0 / 1e4))


def test_a_link_far_from_the_center_of_mass_sinks_deeper() -> None:
    """The inverse mass of a body of 4 kg at 0.5 m from its center is 1/4 + r^2/I in two directions
    of three.
    """
    weld = "<joint name='j' type='fixed'><parent>a</parent><child>b</child></joint>"
    text = f"<sdf version='1.9'><model name='m'>{ball('a')}{ball('b', x=1.0)}{weld}</model></sdf>"
    moment = 2 * 0.02 + 4.0 * 0.25
    inverse_mass = 1.0 / 4.0 + 2.0 / 3.0 * 0.25 / moment
    allowed = rest(loaders.load_string(text, format="sdf")).allowed_penetration
    assert allowed["a"] == pytest.approx(G * CONTACT_SOFTNESS * 4.0 * inverse_mass)
    assert allowed["b"] == pytest.approx(allowed["a"])


def test_the_heaviest_tree_rests() -> None:
    models = "".join(
        f"<model name='{n}'>{ball('a', mass=mass)}</model>"
        for n, mass in (("s", 1.0), ("h", 3.0), ("t", 2.0))
    )
    scene = loaders.load_string(
        f"<sdf version='1.9'><world name='w'>{models}</world></sdf>", format="sdf"
    )
    assert set(rest(scene).allowed_penetration) == {"h::a"}
