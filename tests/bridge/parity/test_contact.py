"""Contact in both simulators, against closed forms and within the stated tolerances."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge import lower
from bridge.lowering.transform import mechanism_of
from bridge.mechanism import Mechanism
from bridge.parity import Outcome, Verdict, compare, contact
from bridge.parity.contact import (
    CONTACT_SOFTNESS,
    SCENARIOS,
    G,
    RestScenario,
    contact_rows,
    rest_scenario,
)
from bridge.parity.engine import factory_of
from bridge.parity.engines.mujoco.engine import MujocoEngine
from loaders.inertia import SpatialInertia
from loaders.pose import Pose
from tests.support.mesh_files import BOX_CORNERS, collada
from tests.support.running_faults import faulty_mujoco

mujoco = pytest.importorskip("mujoco")
pybullet = pytest.importorskip("pybullet")


# One world through both loaders, against closed forms, and the verdict on it: a block and a ball on
# a plane.

STEP, CONTACT_WORLDS_G = 1e-3, 9.8
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
        f"<sdf version='1.9'><world name='w'><gravity>{CONTACT_WORLDS_G * math.sin(slope)} 0 "
        f"{-CONTACT_WORLDS_G * math.cos(slope)}</gravity>"
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
    exact = max(0.0, CONTACT_WORLDS_G * (math.sin(SLOPE) - mu * math.cos(SLOPE))) / 2.0
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
    down = CONTACT_WORLDS_G * math.sin(SLOPE)
    scene = dataclasses.replace(
        scene, gravity=np.array((down * c, down * s, -CONTACT_WORLDS_G * math.cos(SLOPE)))
    )
    x, y, _ = simulate(scene, 500)[-1]
    exact = (down - 0.2 * CONTACT_WORLDS_G * math.cos(SLOPE)) / 2.0 * 0.25
    assert (x, y) == pytest.approx((exact * c, exact * s), abs=2e-3)


def pushed(simulate: Any, ratio: float, heading: float) -> tuple[float, float]:
    """The way [m] of a block along a push, and across it; the push in half a second is relative to
    its friction.
    """
    mu, c, s = 0.5, math.cos(math.radians(heading)), math.sin(math.radians(heading))
    push = ratio * mu * CONTACT_WORLDS_G
    scene = dataclasses.replace(
        world(BLOCK, mu, 0.0, 0.0), gravity=np.array((push * c, push * s, -CONTACT_WORLDS_G))
    )
    x, y, _ = simulate(scene, round(0.5 / STEP))[-1]
    return c * x + s * y, c * y - s * x


@pytest.mark.parametrize("heading", [0.0, 30.0, 45.0])
@pytest.mark.parametrize("simulate", [in_mujoco, in_pybullet])
@pytest.mark.parametrize("ratio", [0.8, 1.2])
def test_a_pushed_block_slides_beyond_its_friction_cone_only(
    simulate: Any, ratio: float, heading: float
) -> None:
    exact = max(0.0, ratio - 1.0) * 0.5 * CONTACT_WORLDS_G / 2.0 * 0.25
    along, across = pushed(simulate, ratio, heading)
    assert along == pytest.approx(exact, abs=2e-3)
    assert across == pytest.approx(0.0, abs=2e-3)


@pytest.mark.parametrize("slope", [5.0, 15.0, 30.0])
@pytest.mark.parametrize("simulate", [in_mujoco, in_pybullet])
def test_a_ball_rolls_down_an_incline_without_slipping(simulate: Any, slope: float) -> None:
    """A solid ball takes up two sevenths of the acceleration by its rotation."""
    ball, angle = (BALL[0], 0.1, BALL[2]), math.radians(slope)
    x = simulate(world(ball, 1.0, 0.0, angle), round(0.5 / STEP))[-1][0]
    assert x == pytest.approx(5.0 / 7.0 * CONTACT_WORLDS_G * math.sin(angle) / 2.0 * 0.25, abs=2e-3)


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
    assert {(name, engine) for name in SCENARIOS for engine in ("mujoco", "pybullet")} <= contact
    assert not found.failures


# Both simulators stay within the stated tolerances of contact, and a wrong shape is found.

ASSETS = Path(__file__).parents[3] / "assets"


def thing(geometry: str, surface: str = "", pose: str = "0 0 0 0 0 0") -> loaders.Scene:
    return loaders.load_string(
        f"""<sdf version="1.9"><model name="m"><link name="body"><inertial><mass>2</mass>
        <inertia><ixx>.02</ixx><iyy>.02</iyy><izz>.02</izz></inertia></inertial>
        <collision name="c"><pose>{pose}</pose><geometry>{geometry}</geometry>{surface}</collision>
        </link></model></sdf>""",
        format="sdf",
    )


def rough(mu: float, restitution: float = 0.0) -> str:
    return (
        f"<surface><friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction>"
        f"<bounce><restitution_coefficient>{restitution}</restitution_coefficient></bounce></surface>"
    )


BOX = "<box><size>.2 .3 .4</size></box>"


def rows(
    source: Any, *engines: Any, scenarios: tuple[str, ...] = ("rest height",)
) -> dict[tuple[str, str], Any]:
    """The rows of some scenarios, and of the rest height."""
    mechanism = mechanism_of(source)
    factories = [
        (each, factory_of(each)) if isinstance(each, str) else (each.name, each) for each in engines
    ]
    others = tuple(name for name in scenarios if name != "rest height")
    found = contact_rows(mechanism, factories, 0, others)
    return {(row.quantity, row.engines[1]): row for row in found}


@pytest.mark.parametrize(
    "name",
    [
        "double_pendulum.urdf",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("arm/model.sdf", "leg.sdf")),
    ],
)
def test_models_agree_within_the_classes_in_both(name: str) -> None:
    found = compare(ASSETS / name, levels=("L4",))
    assert found.agreement is Verdict.AGREES
    assert all(
        row.outcome is Outcome.EXPLAINED and row.error <= row.tolerance for row in found.rows
    )
    assert {row.quantity for row in found.rows} == {"rest height", *SCENARIOS}


def planted(**factors: Any) -> Any:
    """An engine whose arrays are multiplied."""

    def change(model: Any) -> None:
        for name, factor in factors.items():
            array = getattr(model, name)
            array[:] = array * factor

    return faulty_mujoco(change)


THINNER = planted(geom_size=(1.0, 1.0, 0.9))


def test_a_thing_without_inertia_about_an_axis_has_no_rest_height() -> None:
    egg = thing("<ellipsoid><radii>.1 .2 .3</radii></ellipsoid>", pose="0 0 0 .3 .4 0")
    link = dataclasses.replace(
        egg.links[0], inertia=SpatialInertia.of(0.1, I_Lcm=np.diag((1.0, 1.0, 0.0)))
    )
    row = rows(dataclasses.replace(egg, links=(link,)), "pybullet")["rest height", "pybullet"]
    assert (row.outcome, row.error > row.tolerance) == (Outcome.UNKNOWN, True)
    assert "lower.thin-link" in row.cause


@pytest.mark.parametrize(
    ("geometry", "surface", "told"),
    [
        (
            BOX,
            "<surface><contact><ode><kp>1.0</kp></ode></contact></surface>",
            "so soft that it may sink",
        ),
        ("<mesh><uri>nowhere.stl</uri></mesh>", "", "none of the meshes"),
    ],
)
def test_contacts_too_soft_to_support_and_unreadable_files_are_reported(
    geometry: str, surface: str, told: str
) -> None:
    row = rows(thing(geometry, surface), "mujoco")["rest height", "mujoco"]
    assert (row.outcome, told in row.cause) == (Outcome.UNKNOWN, True), row


@pytest.mark.parametrize(("engine", "quantity"), [(THINNER, "rest height"), (THINNER, "stack")])
def test_another_shape_is_a_difference(engine: Any, quantity: str) -> None:
    row = rows(thing(BOX, rough(0.8)), engine, scenarios=(quantity,))[quantity, "mujoco"]
    assert row.outcome is Outcome.FAILED
    assert row.error > row.tolerance


def test_missing_shapes_and_coarse_shapes_are_reported() -> None:
    bare = rows(ASSETS / "orthogonal_x.sdf", "mujoco")
    assert all(row.outcome in {Outcome.UNKNOWN, Outcome.EXPLAINED} for row in bare.values())
    row = rows(thing(BOX, rough(50.0)), "mujoco", scenarios=("topple",))["topple", "mujoco"]
    assert (row.outcome, "not for 50" in row.cause) == (Outcome.UNKNOWN, True)


# The scenarios run in an export with the physics and the surfaces of the model.

MOVING = ("topple", "stack")
ON_PLANE = """<mujoco><option {option}/><worldbody><geom type="plane" size="2 2 .1" {geom}/><body
pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1" {geom}/></body></worldbody></mujoco>"""


FLAG = '{}><flag {}="enable"/></option><option'


def on_plane(option: str = "", geom: str = "") -> loaders.Scene:
    return loaders.load_string(ON_PLANE.format(option=option, geom=geom), format="mjcf")


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
@pytest.mark.parametrize("mu", [0.2, pytest.param(1.0, marks=pytest.mark.slow)])
def test_columns_and_stacks_follow_the_closed_forms_at_two_steps(engine: str, mu: float) -> None:
    found = rows(thing(BOX, rough(mu)), engine, scenarios=MOVING)
    for row in (found[name, engine] for name in MOVING):
        assert row.outcome is Outcome.EXPLAINED, row
        assert len(row.convergence) == 2


def ghost(model: Any) -> None:
    """Contacts are off in the running engine."""
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)


@pytest.mark.parametrize("scenario", MOVING)
def test_what_stops_a_contact_fails_its_scenario(scenario: str) -> None:
    engine = faulty_mujoco(ghost)
    row = rows(thing(BOX, rough(0.5)), engine, scenarios=(scenario,))[scenario, "mujoco"]
    assert row.outcome is Outcome.FAILED, row


@pytest.mark.parametrize(
    ("option", "geom", "told"),
    [
        ('integrator="RK4" cone="elliptic" impratio="10"', "", ""),
        ('timestep=".0005"', 'solref=".004 1"', ""),
        ("", 'condim="6"', ""),
        (FLAG.format('viscosity="1" sleep_tolerance=".01"', "sleep"), "", ""),
        ("", 'margin=".05"', "states margin"),
        (FLAG.format('o_margin=".05"', "override"), "", "states margin"),
        ("", 'solref=".3 1"', "so soft"),
        ("", 'condim="1"', "not for 0"),
        ("", 'friction="5"', "not for 5"),
    ],
)
def test_options_and_surfaces_of_the_source_are_in_the_scenarios(
    option: str, geom: str, told: str
) -> None:
    row = rows(on_plane(option, geom), "mujoco", scenarios=("topple",))["topple", "mujoco"]
    assert (row.outcome is Outcome.UNKNOWN, told in row.cause) == (bool(told), True), row
    assert row.passed


# The lowest point of a model is known from its collision shapes.


RODS = {"a": (0.02, 0.02, 3.0), "b": (0.02, -3.0, 0.02), "c": (0.02, 0.02, 0.02)}
"""A rod up, one to the right from its foot to a cube at its end, by the size from the origin [m]."""


def test_a_robot_at_rest_has_the_meshes_of_the_robot_that_moves(tmp_path: Path) -> None:
    """Its links, all welded to the first one, would touch if their meshes were turned to the stated
    up axis; those of the robot touch as they are.
    """
    links, joints = [], []
    for name, size in RODS.items():
        scaling = np.diag((*(np.array(size) / np.max(BOX_CORNERS, 0)), 1.0))
        matrix = f"<matrix>{' '.join(map(str, scaling.ravel()))}</matrix>"
        node = f"<node>{matrix}<instance_geometry url='#box-mesh'/></node>"
        text = collada(asset="<up_axis>Y_UP</up_axis>", nodes=node)
        (tmp_path / f"{name}.dae").write_text(text)
        links.append(
            f"<link name='{name}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
            f"ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><mesh filename='{name}.dae'/>"
            "</geometry></collision></link>"
        )
    for parent, child, y in (("a", "b", 0), ("b", "c", -3)):
        joints.append(
            f"<joint name='{child}' type='continuous'><parent link='{parent}'/><child "
            f"link='{child}'/><origin xyz='0 {y} 0'/></joint>"
        )
    path = tmp_path / "rods.urdf"
    path.write_text(f"<robot name='r'>{''.join(links + joints)}</robot>")
    scenario = rest_scenario(lower(loaders.load(path, quiet=True)))
    assert not isinstance(scenario, str)
    model = MujocoEngine(lower(scenario.scene)).model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    heights = [
        float((vertices @ data.geom_xmat[g].reshape(3, 3)[2]).min() + data.geom_xpos[g][2])
        for g, mesh in enumerate(model.geom_dataid)
        if mesh >= 0
        for start in (model.mesh_vertadr[mesh],)
        for vertices in (model.mesh_vert[start : start + model.mesh_vertnum[mesh]],)
    ]
    assert len(heights) == 3
    assert min(heights) == pytest.approx(contact.CLEARANCE, abs=1e-6)


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


def test_a_model_whose_contacts_are_switched_off_has_no_scenario_of_contact() -> None:
    """It falls through every floor in MuJoCo; a scenario in which it slides says nothing about
    it.
    """
    model = (
        "<mujoco><option><flag contact='{}'/></option><worldbody><body><freejoint/>"
        "<geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>"
    )
    compared = {}
    for flag in ("enable", "disable"):
        scene = loaders.load_string(model.format(flag), format="mjcf")
        found = bridge.compare(scene, "mujoco", levels=("L4",), configurations=1)
        compared[flag] = {row.quantity for row in found.rows if row.outcome is not Outcome.UNKNOWN}
    assert len(compared["enable"]) >= 3
    assert compared["disable"] == set()


# A robot with feet stands where its center of mass is above them.


def _table(shift: float) -> Mechanism:
    """Return a plate on four legs, whose center of mass is aside of its middle."""
    box = "<geometry><box><size>{0} {0} {1}</size></box></geometry>"
    inertia = "<inertia><ixx>.02</ixx><iyy>.02</iyy><izz>.02</izz></inertia>"
    plate = (
        f"<link name='plate'><pose>0 0 .5 0 0 0</pose><inertial><pose>{shift} 0 0 0 0 0</pose>"
        f"<mass>9</mass>{inertia}</inertial><collision name='c'>{box.format('.4', '.02')}"
        "</collision></link>"
    )
    corners = [(x, y) for x in (-0.15, 0.15) for y in (-0.15, 0.15)]
    legs = [
        f"<link name='leg{k}'><pose>{x} {y} .25 0 0 0</pose><inertial><mass>.25</mass>{inertia}"
        f"</inertial><collision name='c'>{box.format('.04', '.5')}</collision></link>"
        f"<joint name='j{k}' type='revolute'><parent>plate</parent><child>leg{k}</child><axis>"
        "<xyz>0 1 0</xyz></axis></joint>"
        for k, (x, y) in enumerate(corners)
    ]
    text = f"<sdf version='1.11'><model name='t'>{plate}{''.join(legs)}</model></sdf>"
    return bridge.lower(loaders.load_string(text, format="sdf"))


def test_the_feet_of_a_table_reach_as_far_as_its_legs() -> None:
    scenario = contact.rest_scenario(_table(0.1), {}, 0.0)
    assert isinstance(scenario, contact.RestScenario)
    assert contact._feet(scenario) == (4, pytest.approx(0.17 - 0.1 * 9.0 / 10.0, abs=1e-6))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_a_table_stands_and_one_that_would_fall_over_is_left_out(engine: str) -> None:
    (row,) = contact._standing_rows(_table(0.0), engine, factory_of(engine))
    assert row.outcome is Outcome.EXPLAINED
    assert row.error < 1e-3 < row.tolerance
    (falling,) = contact._standing_rows(_table(0.3), engine, factory_of(engine))
    assert (falling.outcome, falling.is_stated) == (Outcome.UNKNOWN, False)


def test_a_table_that_slips_away_does_not_stand() -> None:
    """Gravity that is tilted by the friction angle pulls it away, as a fault in the engine would."""

    class Tilted(MujocoEngine):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.model.opt.gravity[:] = (9.8, 0.0, -4.0)

    (row,) = contact._standing_rows(_table(0.0), "mujoco", Tilted)
    assert row.outcome is Outcome.FAILED
