"""One world through both loaders, against closed forms, and the verdict on it: a block and a ball
on a plane.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Verdict, compare

mujoco = pytest.importorskip("mujoco")
pybullet = pytest.importorskip("pybullet")

STEP, G = 1e-3, 9.8
SLOPE = math.radians(15.0)
BLOCK = ("<box><size>.4 .4 .1</size></box>", 0.05, (0.0142, 0.0142, 0.0267))
BALL = ("<sphere><radius>.1</radius></sphere>", 0.6, (0.004, 0.004, 0.004))
LEVELS = ("L0", "L1", "L2", "L4")


def world(
    thing: tuple[str, float, tuple[float, ...]],
    mu: float,
    restitution: float,
    slope: float,
    extra: str = "",
) -> loaders.Scene:
    """A body above a plane with the same surface; gravity is inclined instead of the plane."""
    geometry, height, (ixx, iyy, izz) = thing
    surface = (
        f"<surface><friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction>"
        f"<bounce><restitution_coefficient>{restitution}</restitution_coefficient>{extra}</bounce></surface>"
    )
    text = (
        f"<sdf version='1.9'><world name='w'><gravity>{G * math.sin(slope)} 0 "
        f"{-G * math.cos(slope)}</gravity>"
        f"<physics name='p' type='ode'><max_step_size>{STEP}</max_step_size></physics>"
        "<model name='ground'><static>true</static><link name='l'><collision "
        "name='c'><geometry><plane>"
        f"<normal>0 0 1</normal><size>100 "
        f"100</size></plane></geometry>{surface}</collision></link></model>"
        f"<model name='b'><pose>0 0 {height} 0 0 0</pose><link "
        f"name='l'><inertial><mass>1</mass><inertia>"
        f"<ixx>{ixx}</ixx><iyy>{iyy}</iyy><izz>{izz}</izz></inertia></inertial>"
        f"<collision "
        f"name='c'><geometry>{geometry}</geometry>{surface}</collision></link></model></world></sdf>"
    )
    return loaders.load_string(text, format="sdf")


def in_mujoco(scene: loaders.Scene, count: int) -> list[Any]:
    """Positions of the body after each step of the exported model."""
    xml = bridge.to_mjcf(bridge.lower(scene))
    model = mujoco.MjModel.from_xml_string(str(xml), xml.assets)
    data, positions = mujoco.MjData(model), []
    for _ in range(count):
        mujoco.mj_step(model, data)
        positions.append(data.qpos[:3].copy())
    return positions


def in_pybullet(scene: loaders.Scene, count: int) -> list[Any]:
    """Positions of the body after each step."""
    client, positions = pybullet.connect(pybullet.DIRECT), []
    try:
        robot = bridge.load_into_pybullet(scene, physicsClientId=client, quiet=True)
        robot.apply_physics()
        for _ in range(count):
            robot.step()
            positions.append(robot.link_pose("b::l").p)
        return positions
    finally:
        pybullet.disconnect(client)


@pytest.mark.parametrize("mu", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("simulate", [in_mujoco, in_pybullet])
def test_a_block_on_an_incline_moves_as_the_closed_form_says(simulate: Any, mu: float) -> None:
    """Soft contacts of MuJoCo creep by a millimeter in a second; friction of mu^2 would slide 0.7 m
    further.
    """
    exact = max(0.0, G * (math.sin(SLOPE) - mu * math.cos(SLOPE))) / 2.0
    assert simulate(world(BLOCK, mu, 0.0, SLOPE), round(1.0 / STEP))[-1][0] == pytest.approx(
        exact, abs=2e-3
    )


@pytest.mark.parametrize("heading", [45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0])
@pytest.mark.parametrize("simulate", [in_mujoco, in_pybullet])
def test_a_block_slides_alike_down_an_incline_in_every_direction(
    simulate: Any, heading: float
) -> None:
    """A pyramid of friction would let it slide 0.28 m further along the diagonals of the
    contact.
    """
    c, s = math.cos(math.radians(heading)), math.sin(math.radians(heading))
    scene = world(BLOCK, 0.2, 0.0, 0.0)
    down = G * math.sin(SLOPE)
    scene = dataclasses.replace(scene, gravity=np.array((down * c, down * s, -G * math.cos(SLOPE))))
    x, y, _ = simulate(scene, 500)[-1]
    exact = (down - 0.2 * G * math.cos(SLOPE)) / 2.0 * 0.25
    assert (x, y) == pytest.approx((exact * c, exact * s), abs=2e-3)


def pushed(simulate: Any, ratio: float, heading: float) -> tuple[float, float]:
    """The way [m] of a block along a push, and across it; the push in half a second is relative to
    its friction.
    """
    mu, c, s = 0.5, math.cos(math.radians(heading)), math.sin(math.radians(heading))
    push = ratio * mu * G
    scene = dataclasses.replace(
        world(BLOCK, mu, 0.0, 0.0), gravity=np.array((push * c, push * s, -G))
    )
    x, y, _ = simulate(scene, round(0.5 / STEP))[-1]
    return c * x + s * y, c * y - s * x


@pytest.mark.parametrize("heading", [0.0, 30.0, 45.0])
@pytest.mark.parametrize("simulate", [in_mujoco, in_pybullet])
@pytest.mark.parametrize("ratio", [0.8, 1.2])
def test_a_pushed_block_slides_beyond_its_friction_cone_only(
    simulate: Any, ratio: float, heading: float
) -> None:
    exact = max(0.0, ratio - 1.0) * 0.5 * G / 2.0 * 0.25
    along, across = pushed(simulate, ratio, heading)
    assert along == pytest.approx(exact, abs=2e-3)
    assert across == pytest.approx(0.0, abs=2e-3)


@pytest.mark.parametrize("slope", [5.0, 15.0, 30.0])
@pytest.mark.parametrize("simulate", [in_mujoco, in_pybullet])
def test_a_ball_rolls_down_an_incline_without_slipping(simulate: Any, slope: float) -> None:
    """A solid ball takes up two sevenths of the acceleration by its rotation."""
    ball, angle = (BALL[0], 0.1, BALL[2]), math.radians(slope)
    x = simulate(world(ball, 1.0, 0.0, angle), round(0.5 / STEP))[-1][0]
    assert x == pytest.approx(5.0 / 7.0 * G * math.sin(angle) / 2.0 * 0.25, abs=2e-3)


@pytest.mark.parametrize("restitution", [0.5, 0.8])
@pytest.mark.parametrize("simulate", [in_mujoco, in_pybullet])
def test_a_ball_leaves_with_the_stated_fraction_of_its_speed(
    simulate: Any, restitution: float
) -> None:
    heights = [p[2] - 0.1 for p in simulate(world(BALL, 1.0, restitution, 0.0), 700)]
    impact = min(range(500), key=heights.__getitem__)
    assert math.sqrt(max(heights[impact:]) / 0.5) == pytest.approx(restitution, abs=0.04)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("thing", "mu", "restitution", "slope", "extra", "verdict"),
    [
        (BLOCK, 0.2, 0.0, SLOPE, "", Verdict.AGREES),
        (BALL, 1.0, 0.5, 0.0, "", Verdict.AGREES),
        (BALL, 1.0, 0.5, 0.0, "<threshold>0</threshold>", Verdict.INCOMPLETE),
        (BALL, 1.0, 1.0, 0.0, "", Verdict.AGREES),
    ],
)
def test_the_verdict_on_contact_is_never_equivalent(
    thing: Any, mu: float, restitution: float, slope: float, extra: str, verdict: Verdict
) -> None:
    """A threshold that engines drop is a gap."""
    found = compare(world(thing, mu, restitution, slope, extra), levels=LEVELS, configurations=1)
    assert found.verdict is verdict, repr(found)
    contact = {(row.quantity, row.engines[1]) for row in found.rows if row.level == "L4"}
    assert {
        (name, engine) for name in ("slide", "bounce", "stack") for engine in ("mujoco", "pybullet")
    } <= contact
    assert not found.failures
