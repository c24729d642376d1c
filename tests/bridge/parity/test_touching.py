"""Balls on the running exports: contacts carry, brake, hold, roll and bounce them as closed forms say,
and a switch, mask or setting that a running engine gets after loading fails a row.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pybullet
import pytest
import trimesh

import bridge
import loaders
from bridge.lowering.transform import switched
from bridge.mechanism import Mechanism
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.bounds.contact import ContactLaw, Stepping
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.touching import ACTING, FIRST_DEPTH, touch_rows
from tests.support.running_faults import faulty_mujoco, faulty_pybullet
from tests.support.seeds import few, seeds

ASSETS = Path(__file__).parents[3] / "assets"
FORCE, FRICTION, GRIP, ROLL, BOUNCE = ACTING
ENGINES = (("mujoco", MujocoEngine), ("pybullet", PyBulletEngine))
SURFACE = "<surface><friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction></surface>"
BODY = """<sdf version="1.10"><model name="m"><pose>0 0 1 0.3 0.2 0.1</pose><link name="l"><inertial>
<mass>2</mass></inertial><collision name="c"><geometry>{shape}</geometry>{surface}</collision></link>
</model></sdf>"""
SHAPES = {
    "box": "<box><size>.4 .3 .2</size></box>",
    "ball": "<sphere><radius>.1</radius></sphere>",
    "capsule": "<capsule><radius>.05</radius><length>.3</length></capsule>",
    "cylinder": "<cylinder><radius>.1</radius><length>.3</length></cylinder>",
    "mesh": "<mesh><uri>mesh.obj</uri></mesh>",
}
MJCF = """<mujoco><option><flag {flag}/></option><worldbody><geom type="plane" size="2 2 .1" {geom}/>
<body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1" mass="1" {geom}/></body></worldbody>
</mujoco>"""


@cache
def thing(shape: str, mu: float = 0.5) -> Mechanism:
    text = BODY.format(shape=SHAPES[shape], surface=SURFACE.format(mu=mu))
    return bridge.lower(loaders.load_string(text, format="sdf"))


@cache
def model(name: str) -> Mechanism:
    return bridge.lower(loaders.load(ASSETS / name, quiet=True))


def outcomes(mechanism: Mechanism, *factories: tuple[str, Any]) -> dict[tuple[str, str], Outcome]:
    return {(row.quantity, row.engines[1]): row.outcome for row in touch_rows(mechanism, factories)}


BOTH_PASS = {
    (quantity, name): Outcome.PASSED for quantity in ACTING for name in ("mujoco", "pybullet")
}


@pytest.mark.parametrize("mu", [0.2, 1.0])
@pytest.mark.parametrize("shape", ["box", "ball", "capsule"])
def test_what_touches_a_shape_moves_as_closed_forms_say(shape: str, mu: float) -> None:
    assert outcomes(thing(shape, mu), *ENGINES) == BOTH_PASS


@pytest.mark.parametrize(
    "name", few(["gripper/model.sdf", "double_pendulum.urdf", "arm/model.sdf"], 1)
)
def test_shapes_of_robots_do_so_too(name: str) -> None:
    assert outcomes(model(name), *ENGINES) == BOTH_PASS
    assert all(row.error >= 0.0 for row in touch_rows(model(name), ENGINES))


def _flush_boxes(mu: float) -> Mechanism:
    """Five boxes whose ends are as high, of which none is alone at an end."""
    sizes = {(0.0, 0.0): "0.34 0.1 0.07", (0.06, 0.0): "0.34 0.02 0.3", (0.0, 0.1): "0.34 0.1 0.13"}
    boxes = {(a * y, a * z): size for (y, z), size in sizes.items() for a in (1, -1)}
    collisions = "".join(
        f"<collision name='c{k}'><pose>0 {y} {z} 0 0 0</pose><geometry><box><size>{size}</size></box>"
        f"</geometry>{SURFACE.format(mu=mu)}</collision>"
        for k, ((y, z), size) in enumerate(boxes.items())
    )
    text = f"<sdf version='1.10'><model name='m'><link name='l'>{collisions}</link></model></sdf>"
    return bridge.lower(loaders.load_string(text, format="sdf"))


def test_shapes_beside_a_ball_that_are_as_high_are_no_false_alarm() -> None:
    """A ball on a flat end touches the edge of the next box ahead of it, whose normal brakes it."""
    boxes = _flush_boxes(1.7)
    assert outcomes(boxes, *ENGINES) == BOTH_PASS
    more = _overridden(friction=2.0)
    assert outcomes(boxes, ("mujoco", more))[FRICTION, "mujoco"] is Outcome.FAILED


def test_parts_of_a_mesh_that_carry_a_ball_together_are_no_false_alarm(tmp_path: Path) -> None:
    """A ball lies on the inner edges of two blocks; where it slides, the one ahead carries it, whose
    normal is inclined by 0.15 m / 10 m. Up to their far sides 0.25 m / 10 m may be, on a diagonal.
    """
    blocks = [
        trimesh.creation.box((0.3, 0.1, 0.1)).apply_translation((0, y, 0)) for y in (-0.2, 0.2)
    ]
    lines = [f"v {x} {y} {z}" for block in blocks for x, y, z in block.vertices]
    for k, block in enumerate(blocks):
        corners = block.faces + 1 + k * len(block.vertices)
        lines += [f"o b{k}", *(f"f {a} {b} {c}" for a, b, c in corners)]
    (tmp_path / "blocks.obj").write_text("\n".join(lines), encoding="utf-8")
    text = BODY.replace("0.3 0.2 0.1", "0 0 0").format(
        shape="<mesh><uri>blocks.obj</uri></mesh>", surface=SURFACE.format(mu=1.0)
    )
    (tmp_path / "blocks.sdf").write_text(text, encoding="utf-8")
    found = bridge.lower(loaders.load(tmp_path / "blocks.sdf", quiet=True))
    assert outcomes(found, *ENGINES) == BOTH_PASS
    twice = 2.0 * (math.tan(math.pi / 4.0 + math.sqrt(2.0) * 0.25 / 10.0) - 1.0)
    slippery = _on_pybullet(anisotropicFriction=(1.0 - twice,) * 3)
    for name, fault in (("mujoco", _overridden(friction=1.0 + twice)), ("pybullet", slippery)):
        assert outcomes(found, (name, fault))[FRICTION, name] is Outcome.FAILED


def test_buildings_in_whose_gaps_a_ball_may_lie_are_counted(pybullet_robots: Path) -> None:
    """In PyBullet a ball would lie between roofs that are 11 m apart."""
    building = bridge.lower(loaders.load(pybullet_robots / "samurai.urdf", quiet=True))
    rows = list(touch_rows(building, ENGINES))
    assert {row.outcome for row in rows} == {Outcome.UNKNOWN}
    assert all("wider than 4 m" in row.cause for row in rows)


def test_a_plane_on_a_link_that_moves_shows_nothing_in_mujoco() -> None:
    shape = "<plane><normal>0 0 1</normal></plane>"
    text = BODY.format(shape=shape, surface=SURFACE.format(mu=0.5))
    plane = bridge.lower(loaders.load_string(text, format="sdf", quiet=True))
    found = rows_of(plane)
    assert "the export leaves out" in found[FORCE, "mujoco", True].cause
    assert [row for row in found.values() if row.outcome is Outcome.FAILED] == []


PLANE = "<geom type='plane' size='1 1 1' zaxis='{}' pos='{}'/>"
FLOOR = PLANE.format("0 0 1", "0 0 0")
WORLDS = {  # what is pressed, and what there is
    "corner": (FLOOR + PLANE.format("1 0 0", "-1 0 0") + PLANE.format("0 1 0", "0 -1 0"), (3, 3)),
    "groove": (FLOOR + PLANE.format("1 0 1", "-1 0 0") + PLANE.format("-1 0 1", "1 0 0"), (2, 3)),
    "box beside a height map": (
        "<geom type='box' size='.1 .1 .1'/><geom type='hfield' hfield='h' pos='1.2 0 0'/>",
        (1, 2),
    ),
}
"""In a corner a ball lies far away on each plane; the bottom of the groove is too narrow for it."""


@pytest.mark.parametrize("world", WORLDS)
def test_balls_touch_no_other_shape_of_the_world(world: str) -> None:
    geoms, loaded = WORLDS[world]
    text = f"""<mujoco><asset><hfield name="h" nrow="2" ncol="2" size=".5 .5 .5 .1"
    elevation="0 1 1 0"/></asset><worldbody>{geoms}</worldbody></mujoco>"""
    found = rows_of(bridge.lower(loaders.load_string(text, format="mjcf")))
    assert [row for row in found.values() if row.outcome is Outcome.FAILED] == []
    assert {found[FORCE, name, False].loaded for name, _ in ENGINES} == {loaded}


def test_balls_on_more_bodies_than_bitmasks_have_bits_touch_their_own_alone() -> None:
    """Balls of 10 m lie on bodies that are 0.3 m apart, and each lies on its own."""
    body = """<body pos="{} 0 0"><freejoint/><geom type="sphere" size=".1" mass="1"
    friction="{}"/></body>"""
    bodies = "".join(body.format(0.3 * k, 0.1 + 0.01 * k) for k in range(36))
    text = f"<mujoco><worldbody>{bodies}</worldbody></mujoco>"
    found = list(touch_rows(bridge.lower(loaders.load_string(text, format="mjcf")), ENGINES[:1]))
    assert [(row.loaded, row.outcome) for row in found] == [((36, 36), Outcome.PASSED)] * 5


def test_no_ball_is_pressed_on_a_fixed_mesh_of_many_triangles(tmp_path: Path) -> None:
    """PyBullet tests each of them against a ball, but holds a mesh that moves as its hull."""
    sphere = trimesh.creation.icosphere(subdivisions=5, radius=0.1)
    sphere.export(tmp_path / "mesh.stl")
    text = BODY.format(shape="<mesh><uri>mesh.stl</uri></mesh>", surface="")
    for static, pressed in (("<static>true</static>", 0), ("", 1)):
        (tmp_path / "m.sdf").write_text(text.replace("<pose>", f"{static}<pose>"), "utf-8")
        found = rows_of(bridge.lower(loaders.load(tmp_path / "m.sdf", quiet=True)))
        shown = {row.loaded for row in found.values() if row.outcome is Outcome.PASSED}
        assert shown == ({(1, 1)} if pressed else set())
        assert pressed or "more than 20000 triangles" in found[FORCE, "pybullet", True].cause


def test_a_sound_box_is_equivalent_and_all_rows_are_part_of_it() -> None:
    found = compare(thing("box"), configurations=1)
    assert found.verdict is Verdict.EQUIVALENT
    assert {row.quantity for row in found.rows} >= set(ACTING)


def _disable(flag: str) -> Any:
    def change(running: Any) -> None:
        running.opt.disableflags |= getattr(mujoco.mjtDisableBit, flag)

    return change


def _set(array: str, value: float) -> Any:
    def change(running: Any) -> None:
        getattr(running, array)[:] = value

    return change


@pytest.mark.parametrize("name", few(["gripper/model.sdf", "arm/model.sdf"], 1))
@pytest.mark.parametrize(
    ("change", "quantity"),
    [
        (_disable("mjDSBL_CONTACT"), FORCE),
        (_disable("mjDSBL_CONSTRAINT"), FORCE),
        (_set("geom_contype", 0), FORCE),
        (_set("geom_condim", 1), FRICTION),
    ],
    ids=["contact", "constraint", "mask", "condim"],
)
def test_what_stops_a_contact_of_mujoco_fails_a_row(change: Any, quantity: str, name: str) -> None:
    def planted(running: Any) -> None:
        change(running)
        if quantity == FORCE and running.geom_contype.max() == 0:
            running.geom_conaffinity[:] = 0

    found = outcomes(model(name), ("mujoco", faulty_mujoco(planted)))
    assert found[quantity, "mujoco"] is Outcome.FAILED


def _on_each_link(change: Any) -> Any:
    def planted(engine: Any) -> None:
        client = engine._client
        for body in engine._bodies:
            for link in range(-1, pybullet.getNumJoints(int(body), physicsClientId=client)):
                change(int(body), link, physicsClientId=client)

    return planted


def _masked(body: int, link: int, **server: int) -> None:
    pybullet.setCollisionFilterGroupMask(body, link, 0, 0, **server)


def _soft(body: int, link: int, **server: int) -> None:
    pybullet.changeDynamics(body, link, contactStiffness=50.0, contactDamping=0.1, **server)


@pytest.mark.parametrize("change", [_masked, _soft])
@pytest.mark.parametrize("name", few(["gripper/model.sdf", "arm/model.sdf"], 1))
def test_what_stops_a_contact_of_pybullet_fails_a_row(change: Any, name: str) -> None:
    found = outcomes(model(name), ("pybullet", faulty_pybullet(_on_each_link(change))))
    assert found[FORCE, "pybullet"] is Outcome.FAILED


@pytest.mark.parametrize(
    ("flag", "geom"),
    few([("contact='disable'", ""), ("constraint='disable'", ""), ("", "condim='1'")], 1),
)
def test_contacts_that_a_file_switches_off_act_in_no_engine(flag: str, geom: str) -> None:
    scene = loaders.load_string(MJCF.format(flag=flag, geom=geom), format="mjcf")
    found = compare(scene, configurations=1)
    failed = {row.quantity for row in found.failures} & set(ACTING)
    assert not failed
    acting = {row.quantity for row in found.rows} & set(ACTING)
    assert acting == (set() if flag else set(ACTING))


def test_a_model_that_its_own_shapes_push_shows_nothing_where_they_touch() -> None:
    """In MuJoCo shapes touch balls alone."""
    text = """<mujoco><worldbody><geom type="box" size=".1 .1 .1"/><body><freejoint/>
    <geom type="box" size=".1 .1 .09" mass="1"/></body></worldbody></mujoco>"""
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    found = outcomes(mechanism, *ENGINES)
    assert {found.pop((quantity, "mujoco")) for quantity in ACTING} == {Outcome.PASSED}
    assert set(found.values()) == {Outcome.UNKNOWN}


# --- no shape is left out silently ----------------------------------------------------------------

PARTS = """<mujoco><worldbody><body><freejoint/><geom name="a" type="box" size=".1 .1 .1"/>
<body pos="0 0 .5"><joint axis="0 1 0"/><geom name="b" type="sphere" size=".1" {}/></body></body>
</worldbody></mujoco>"""
PRESSED = {
    'solref=".05 1"': (2, 2),
    'solref="-2000 -100"': (2, 2),
    'solimp=".5 .9 .01"': (2, 2),
    'condim="1"': (2, 2),
    'condim="6"': (2, 2),
    'priority="3"': (2, 2),
    'friction=".2"': (2, 2),
    'margin=".01"': (2, 2),
    'adhesion="3"': (2, 1),
    'solref="3 1"': (1, 1),
    'solref="-1 -2"': (1, 1),
}
"""How many of two shapes are pressed, and show their friction, by the settings of one of them."""


def rows_of(mechanism: Mechanism) -> dict[tuple[str, str, bool], Any]:
    return {
        (row.quantity, row.engines[1], row.outcome is Outcome.UNKNOWN): row
        for row in touch_rows(mechanism, ENGINES)
    }


@pytest.mark.parametrize("setting", PRESSED)
def test_shapes_with_settings_of_mujoco_are_pressed_or_counted(setting: str) -> None:
    mechanism = bridge.lower(loaders.load_string(PARTS.format(setting), format="mjcf"))
    found, (pressed, shown) = rows_of(mechanism), PRESSED[setting]
    row, friction = found[FORCE, "mujoco", False], found[FRICTION, "mujoco", False]
    assert (row.loaded, row.passed) == ((pressed, 2), True)
    assert (friction.loaded, friction.passed) == ((shown, 2), True)
    assert ((FORCE, "mujoco", True) in found) == (pressed < 2)
    assert ((FRICTION, "mujoco", True) in found) == (shown < pressed)


def test_a_medium_does_not_carry_balls() -> None:
    text = PARTS.format("").replace("<worldbody>", '<option density="1000"/><worldbody>', 1)
    found = rows_of(bridge.lower(loaders.load_string(text, format="mjcf")))
    row = found[FORCE, "mujoco", False]
    assert (row.loaded, row.outcome) == ((2, 2), Outcome.PASSED)


def test_an_override_stands_for_the_surfaces_of_all_shapes() -> None:
    """Without it what slides is braked faster, and bounces more."""
    option = '<option o_solimp=".5 .6 .01"><flag override="enable"/></option><worldbody>'
    mechanism = switched(
        bridge.lower(
            loaders.load_string(PARTS.format("").replace("<worldbody>", option, 1), format="mjcf")
        )
    )
    lost = faulty_mujoco(lambda running: setattr(running.opt, "enableflags", 0))
    assert Outcome.FAILED not in outcomes(mechanism, *ENGINES[:1]).values()
    assert Outcome.FAILED in outcomes(mechanism, ("mujoco", lost)).values()


@pytest.mark.parametrize("masks", ['contype="1" conaffinity="0"', 'contype="0" conaffinity="1"'])
def test_shapes_with_one_bitmask_of_zero_are_pressed(masks: str) -> None:
    """Geoms touch if the contype of one has a bit of the conaffinity of the other."""
    mechanism = bridge.lower(loaders.load_string(PARTS.format(masks), format="mjcf"))
    found = rows_of(mechanism)
    for engine, quantity in itertools.product(("mujoco", "pybullet"), ACTING):
        row = found[quantity, engine, False]
        assert (row.loaded, row.outcome) == ((2, 2), Outcome.PASSED)


@pytest.mark.parametrize(
    ("change", "quantity"),
    [
        (lambda running: running.geom_solref.__imul__((1.0, 0.9)), BOUNCE),
        (lambda running: running.geom_solimp.__imul__(0.9), GRIP),
    ],
    ids=["damping", "impedance"],
)
def test_small_changes_of_a_surface_in_mujoco_fail_a_row(change: Any, quantity: str) -> None:
    found = outcomes(thing("box"), ("mujoco", faulty_mujoco(change)))
    assert found[quantity, "mujoco"] is Outcome.FAILED


@pytest.mark.parametrize(
    ("values", "quantity"),
    [
        ({"rollingFriction": 0.1}, ROLL),
        ({"contactStiffness": 5e3, "contactDamping": 50.0}, BOUNCE),
    ],
)
def test_changes_of_a_surface_in_pybullet_fail_a_row(values: Any, quantity: str) -> None:
    def change(body: int, link: int, **server: int) -> None:
        pybullet.changeDynamics(body, link, **values, **server)

    planted = faulty_pybullet(_on_each_link(change))
    found = outcomes(model("arm/model.sdf"), ("pybullet", planted))
    assert found[quantity, "pybullet"] is Outcome.FAILED


@pytest.mark.parametrize("restitution", [0.3, 1.0])
def test_balls_leave_with_the_stated_part_of_their_speed(restitution: float) -> None:
    bounce = f"<bounce><restitution_coefficient>{restitution}</restitution_coefficient></bounce>"
    text = BODY.format(shape=SHAPES["box"], surface=f"<surface>{bounce}</surface>")
    mechanism = bridge.lower(loaders.load_string(text, format="sdf"))
    found = outcomes(mechanism, *ENGINES)
    assert {found[BOUNCE, name] for name, _ in ENGINES} == {Outcome.PASSED}


SOLVERS = {
    "long step": ('timestep="0.05"', ""),
    "steep pyramid": ("", 'friction="1.9"'),
    "pyramid of six edges": ("", 'condim="4" solimp=".8 .8"'),
    "cones": ('cone="elliptic"', 'friction="1.9"'),
    "unequal impedances": ('impratio="3"', 'friction="1.9"'),
    "four stages": ('integrator="RK4"', ""),
    "exact mobilities": ('> <flag diagexact="enable"/></option><option', 'friction="1.9"'),
    "sleep": ('sleep_tolerance="0.1"> <flag sleep="enable"/></option><option', ""),
}


@pytest.mark.parametrize("solver", SOLVERS)
def test_balls_bounce_as_the_solver_of_a_file_steps(solver: str) -> None:
    option, geom = SOLVERS[solver]
    text = f"""<mujoco><option {option}/><worldbody><geom type="plane" size="1 1 1" {geom}/>
    <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1" {geom}/>
    <geom type="box" size=".1 .1 .1" pos="0.2 0 0" {geom}/></body></worldbody></mujoco>"""
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    assert outcomes(mechanism, ENGINES[0])[BOUNCE, "mujoco"] is Outcome.PASSED
    damped = faulty_mujoco(lambda running: running.geom_solref.__imul__((1.0, 0.8)))
    assert outcomes(mechanism, ("mujoco", damped))[BOUNCE, "mujoco"] is Outcome.FAILED


def test_balls_do_not_depend_on_how_often_a_file_lets_the_solver_iterate() -> None:
    few_times = '<option iterations="1" ls_iterations="4" impratio="10"/><worldbody>'
    text = PARTS.format("").replace("<worldbody>", few_times, 1)
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    assert outcomes(mechanism, *ENGINES) == BOTH_PASS


@pytest.mark.parametrize("step", ["0.01", "0.02"])
def test_balls_stay_on_small_shapes_at_long_steps(step: str) -> None:
    """In ten steps of 20 ms a ball would slide by 1.2 m, past shapes of 10 cm."""
    text = PARTS.format("").replace("<worldbody>", f'<option timestep="{step}"/><worldbody>', 1)
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    assert outcomes(mechanism, *ENGINES) == BOTH_PASS
    faults = (
        (FRICTION, "mujoco", _overridden(friction=0.8)),
        (FRICTION, "pybullet", _on_pybullet(anisotropicFriction=(0.8,) * 3)),
        (GRIP, "pybullet", _on_pybullet(anisotropicFriction=(0.7,) * 3)),
        (ROLL, "mujoco", _rolling(1.0)),
    )
    for quantity, name, fault in faults:
        assert outcomes(mechanism, (name, fault))[quantity, name] is Outcome.FAILED


SURFACES = {
    "<bounce><restitution_coefficient>.5</restitution_coefficient></bounce>": (2, 1, "bounce"),
    "<contact><ode><kp>1e7</kp><kd>1</kd></ode></contact>": (1, 1, "too slowly"),
    "<contact><ode><kp>10</kp></ode></contact>": (1, 1, "yield by more"),
    "<friction><ode><mu>.5</mu><mu2>.3</mu2></ode></friction>": (2, 1, "second direction"),
    "<friction><ode><mu>9</mu><mu2>9</mu2></ode></friction>": (2, 1, "friction above"),
}


@pytest.mark.parametrize("surface", SURFACES)
def test_shapes_with_surfaces_are_pressed_or_counted_with_the_reason(surface: str) -> None:
    pressed, shown, reason = SURFACES[surface]
    shapes = (f"<surface>{surface}</surface>", "")
    links = "".join(
        f"<link name='l{k}'><pose>0 0 {k} 0 0 0</pose><collision name='c'><geometry>"
        f"{SHAPES['box']}</geometry>{text}</collision></link>"
        for k, text in enumerate(shapes)
    )
    text = f"<sdf version='1.10'><model name='m'>{links}</model></sdf>"
    found = rows_of(bridge.lower(loaders.load_string(text, format="sdf")))
    for name, _ in ENGINES:
        assert found[FORCE, name, False].loaded == (pressed, 2)
        quantity = FRICTION if shown < pressed else FORCE
        row = found[quantity, name, True]
        assert (row.is_stated, reason in row.cause, "1 of 2 shapes" in row.cause) == (
            False,
            True,
            True,
        )


SPRING = "<surface><contact><ode>{}</ode></contact></surface>"
SLOW = {
    ("<kp>1e4</kp><kd>10</kd>", 8.0): "mujoco",
    ("<kp>1e4</kp><kd>10</kd>", 1.0): "",
    ("<kp>1e3</kp>", 1.0): "pybullet",
    ("<kp>1e3</kp><kd>20</kd>", 1.0): "",
}
"""The engine in which a ball takes more than 2.7 s to rest on a surface of a link of a mass [kg].

MuJoCo's spring is exported for the link, so that a ball of any mass comes to rest with half of the
damping over that mass, here 0.6 1/s; PyBullet has no damping for a surface without one, where
MuJoCo's is critical.
"""


def _sprung(spring: str, mass: float) -> Mechanism:
    links = "".join(
        f"<link name='l{k}'><pose>0 0 {k} 0 0 0</pose><inertial><mass>{mass}</mass></inertial>"
        f"<collision name='c'><geometry>{SHAPES['box']}</geometry>{surface}</collision></link>"
        for k, surface in enumerate((SPRING.format(spring), ""))
    )
    text = f"<sdf version='1.10'><model name='m'>{links}</model></sdf>"
    return bridge.lower(loaders.load_string(text, format="sdf"))


@pytest.mark.parametrize("order", [1, -1])
def test_the_surface_of_a_link_in_pybullet_is_that_of_its_first_shape(order: int) -> None:
    """A sprung shape beside a rigid one is rigid in PyBullet, or both are sprung, as its order says."""
    shapes = [
        f"<collision name='c{k}'><pose>0 0 {k} 0 0 0</pose><geometry>{SHAPES['box']}</geometry>"
        f"{surface}</collision>"
        for k, surface in enumerate([SPRING.format("<kp>1e3</kp>"), ""][::order])
    ]
    text = f"<model name='m'><link name='l'>{''.join(shapes)}</link></model>"
    scene = loaders.load_string(f"<sdf version='1.10'>{text}</sdf>", format="sdf", quiet=True)
    found = compare(scene, ("reference", "pybullet"), configurations=1)
    failed = [row for row in found.rows if row.outcome is Outcome.FAILED]
    assert [row.quantity for row in failed] == ["settings of contact"]
    assert "uses those of the first" in failed[0].cause
    shown = [row.loaded for row in found.rows if row.quantity == FORCE and row.loaded]
    assert shown == [(2, 2)]


def _stiffer(factor: float) -> Any:
    def change(running: Any) -> None:
        running.geom_solref[0, 0] *= factor

    return faulty_mujoco(change)


def _stiffer_in_pybullet(factor: float) -> Any:
    def change(body: int, link: int, **server: int) -> None:
        stiffness = pybullet.getDynamicsInfo(body, link, **server)[9]
        if stiffness > 0.0:
            values = {"contactStiffness": factor * stiffness, "contactDamping": 0.0}
            pybullet.changeDynamics(body, link, **values, **server)

    return faulty_pybullet(_on_each_link(change))


@pytest.mark.parametrize("surface", SLOW, ids=str)
def test_slow_contacts_begin_at_rest(surface: tuple[str, float]) -> None:
    """The depth at rest is that of the stated spring: with one that is stiffer by a tenth, whose
    force is wrong by twice the bound in 0.05 s, the ball moves.
    """
    mechanism, slow = _sprung(*surface), SLOW[surface]
    found = rows_of(mechanism)
    assert [row for row in found.values() if row.outcome is Outcome.FAILED] == []
    for name, _ in ENGINES:
        assert found[FORCE, name, False].loaded == (2, 2)
    if slow:
        fault = {"mujoco": _stiffer, "pybullet": _stiffer_in_pybullet}[slow]
        assert outcomes(mechanism, (slow, fault(1.1)))[FORCE, slow] is Outcome.FAILED


def test_a_contact_that_is_softer_than_stated_is_no_slow_one() -> None:
    mechanism = _sprung("<kp>1e4</kp><kd>60</kd>", 1.0)
    faults = {
        "mujoco": faulty_mujoco(lambda running: running.geom_solref.__setitem__(0, (-1e3, -0.1))),
        "pybullet": _on_pybullet(contactStiffness=1e3, contactDamping=0.1),
    }
    for name, engine in ENGINES:
        assert outcomes(mechanism, (name, engine))[FORCE, name] is Outcome.PASSED
        assert outcomes(mechanism, (name, faults[name]))[FORCE, name] is Outcome.FAILED


def test_shapes_without_extent_are_counted_where_the_export_leaves_them_out() -> None:
    links = "".join(
        f"<link name='l{k}'><pose>0 0 {k} 0 0 0</pose><collision name='c'><geometry><sphere>"
        f"<radius>{radius}</radius></sphere></geometry></collision></link>"
        for k, radius in enumerate((0.0, 0.1))
    )
    text = f"<sdf version='1.10'><model name='m'>{links}</model></sdf>"
    found = rows_of(bridge.lower(loaders.load_string(text, format="sdf")))
    assert [row for row in found.values() if row.outcome is Outcome.FAILED] == []
    assert "1 of 2 shapes do not show it: 1 have no extent" in found[FORCE, "mujoco", True].cause
    assert found[FORCE, "pybullet", False].loaded == (2, 2)


def test_hidden_shapes_and_those_without_an_outermost_point_are_counted() -> None:
    text = """<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="0 0 0 0"/>
    </asset><worldbody><geom type="hfield" hfield="h" pos="9 0 0"/><body><freejoint/>
    <geom type="box" size=".1 .1 .1"/><geom size=".05" friction=".3"/></body></worldbody></mujoco>"""
    found = rows_of(bridge.lower(loaders.load_string(text, format="mjcf")))
    assert found[FORCE, "mujoco", False].loaded == (1, 3)
    cause = found[FORCE, "mujoco", True].cause
    assert "2 of 3 shapes were not pressed" in cause
    assert "1 have no outermost point" in cause
    assert "1 lie within other shapes" in cause


@pytest.mark.parametrize("name", few(["leg.sdf", "gripper/model.sdf", "arm/model.sdf"], 1))
def test_all_shapes_of_robots_are_pressed(name: str) -> None:
    rows = [row for row in touch_rows(model(name), ENGINES) if row.quantity == FORCE]
    assert [row.loaded[0] == row.loaded[1] for row in rows if row.loaded] == [True, True]


# --- contacts as a kind ---------------------------------------------------------------------------


def _surface(rng: np.random.Generator, bounce: float) -> str:
    bounces = f"<bounce><restitution_coefficient>{bounce}</restitution_coefficient></bounce>"
    mu = f"<mu>{rng.uniform(0.05, 1.5):.3f}</mu>"
    friction = f"<friction><ode>{mu}{mu.replace('mu>', 'mu2>')}</ode></friction>"
    return f"<surface>{bounces}{friction}</surface>"


def _flush_shapes(rng: np.random.Generator, surface: str) -> tuple[str, float]:
    """A shape and up to three beside and below it, each of which touches the one before it, has an
    end in the plane of one of its ends, or both, or is turned; and the height at which they begin.
    """
    place, half, shapes = np.zeros(3), 10.0 ** rng.uniform(-1.7, -0.3, 3), []
    for k in range(rng.integers(1, 5)):
        if k:
            before, half = half, 10.0 ** rng.uniform(-1.7, -0.3, 3)
            beside, flush = rng.permutation(3)[:2]
            place[beside] += rng.choice((-1.0, 1.0)) * (before[beside] + half[beside])
            place[flush] += rng.choice((-1.0, 1.0)) * (before[flush] - half[flush])
        a, b, c = 2.0 * half
        shape = (
            f"<box><size>{a} {b} {c}</size></box>",
            f"<sphere><radius>{half.min()}</radius></sphere>",
            f"<cylinder><radius>{half[:2].min()}</radius><length>{c}</length></cylinder>",
            f"<capsule><radius>{half.min() / 2}</radius><length>{half.max()}</length></capsule>",
        )[rng.choice(4, p=(0.6, 0.1, 0.2, 0.1))]
        other = surface if rng.random() < 0.8 else _surface(rng, 0.0)
        turns = rng.uniform(-3.0, 3.0, 3) if rng.random() < 0.2 else np.zeros(3)
        pose = " ".join(map(str, (*place, *turns)))
        shapes.append(
            f"<collision name='c{k}'><pose>{pose}</pose>"
            f"<geometry>{shape}</geometry>{other}</collision>"
        )
    return "".join(shapes), float(place[2] - half[2])


def _random_world(seed: int) -> Mechanism:
    """One to three models of one or two links that touch, of shapes that do, of 2 cm to 1 m and of
    10 g to 100 kg above an inclined floor, with a step of 1 to 4 ms; half of them are turned by a
    multiple of a right angle, and a quarter bounce.
    """
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(rng.integers(1, 4)):
        bounce = rng.uniform(0.1, 0.9) if rng.random() < 0.25 else 0.0
        turns = rng.integers(4, size=3) * math.pi / 2.0 if k % 2 else rng.uniform(-3.0, 3.0, 3)
        links, height = "", 0.0
        for n in range(rng.integers(1, 3)):
            mass, surface = 10.0 ** rng.uniform(-2.0, 2.0), _surface(rng, bounce)
            inertia = "".join(f"<{name}>{mass / 9.0}</{name}>" for name in ("ixx", "iyy", "izz"))
            shapes, lowest = _flush_shapes(rng, surface)
            links += (
                f"<link name='l{n}'><pose>0 0 {height} 0 0 0</pose><inertial><mass>{mass}</mass>"
                f"<inertia>{inertia}</inertia></inertial>{shapes}</link>"
            )
            height += lowest
        if "l1" in links:
            kind = ("fixed", "revolute")[rng.integers(2)]
            links += f"<joint name='j' type='{kind}'><parent>l0</parent><child>l1</child>"
            links += "<axis><xyz>0 0 1</xyz></axis></joint>"
        pose = " ".join(map(str, (9 * k, 0, 5, *turns)))
        bodies.append(f"<model name='m{k}'><pose>{pose}</pose>{links}</model>")
    step, tilt = rng.uniform(1e-3, 4e-3), " ".join(map(str, rng.uniform(-0.5, 0.5, 2)))
    text = (
        f"<sdf version='1.10'><world name='w'><physics type='ode'><max_step_size>{step}"
        f"</max_step_size></physics><model name='floor'><pose>0 0 -20 {tilt} 0</pose><static>1"
        f"</static><link name='l'>"
        f"<collision name='c'><geometry><plane/></geometry>{_surface(rng, 0.0)}</collision></link>"
        f"</model>{''.join(bodies)}</world></sdf>"
    )
    return bridge.lower(loaders.load_string(text, format="sdf"))


@pytest.mark.parametrize("seed", seeds(40))
def test_no_contact_of_a_random_world_is_a_false_alarm(seed: int) -> None:
    rows = list(touch_rows(_random_world(seed), ENGINES))
    assert {row.engines[1] for row in rows} == {"mujoco", "pybullet"}
    assert [row for row in rows if row.outcome is Outcome.FAILED] == []
    assert {(row.quantity, row.engines[1]) for row in rows if row.loaded} >= {
        (quantity, name) for quantity in (FORCE, BOUNCE) for name in ("mujoco", "pybullet")
    }


def _overridden(
    friction: float = 0.5,
    solref: tuple[float, float] = (0.02, 1.0),
    solimp: tuple[float, float] = (0.9, 0.95),
) -> Any:
    """A running MuJoCo with the parameters of all contacts overridden, as no number of a shape
    shows.
    """

    def change(running: Any) -> None:
        running.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
        running.opt.o_margin = 0.0
        running.opt.o_friction[:2] = friction
        running.opt.o_solref[:] = solref
        running.opt.o_solimp[:2] = solimp

    return faulty_mujoco(change)


def _rolling(radius: float) -> Any:
    def change(running: Any) -> None:
        running.geom_condim[:], running.geom_friction[:, 2] = 6, radius

    return faulty_mujoco(change)


def _on_pybullet(**values: float | tuple[float, ...]) -> Any:
    def change(body: int, link: int, **server: int) -> None:
        pybullet.changeDynamics(body, link, **values, **server)

    return faulty_pybullet(_on_each_link(change))


_DAMPING = 2.0 / 0.02
"""Rate of MuJoCo's damper with an impedance that is its largest one [1/s]."""


def _planted(quantity: str, tolerance: float, engine: str) -> Iterator[Any]:
    """Yield engines whose contacts on a shape with a friction of 0.5 are wrong by twice what a row
    allows, with a step of 1 ms.
    """
    twice, speed = 2.0 * tolerance, 3.5 * 9.8 * 0.5 * 3e-3
    if quantity == FORCE:  # the ball sinks with a steady speed
        damping = 9.8 / (twice * 9.8 * 0.05)
        if engine == "mujoco":
            yield _overridden(solref=(-1e-9, -damping / 9.0 * 0.9), solimp=(0.9, 0.9))
        else:
            yield _on_pybullet(contactStiffness=1e-3, contactDamping=damping)
    elif quantity == ROLL:  # the torque r N delays a rolling ball by 5/7 r g / R
        radius = (twice + 5e-3) * speed * 10.0 * 1.4 / (9.8 * 0.05)
        if engine == "mujoco":  # as a damper, below 0.02 m/s
            yield _rolling(math.sqrt(radius * 0.02 / (speed * 5.0 / 7.0 / 10.0)))
        else:
            yield _on_pybullet(rollingFriction=radius)
    elif engine == "pybullet" and quantity == BOUNCE:
        yield _on_pybullet(restitution=twice)
    elif engine == "pybullet":  # a factor of friction that PyBullet does not report; 0.8 is held
        factors = (1.0 + 2.0 * twice, 1.0 - 2.0 * twice) if quantity == FRICTION else (0.8 - twice,)
        yield from (_on_pybullet(anisotropicFriction=(factor,) * 3) for factor in factors)
    elif quantity == FRICTION:
        yield from (_overridden(friction=0.5 + sign * twice) for sign in (1.0, -1.0))
    elif quantity == GRIP:  # it creeps with (1 - d) / b
        creep = twice + 2.0 * 0.8 * (0.1 / 0.9) * 0.95 / _DAMPING / 0.05
        impedance = 1.0 - creep * 0.05 * _DAMPING / 0.8
        yield _overridden(solimp=(impedance, impedance))
    else:
        ratios = {
            ratio: ContactLaw.of(
                (("solref", f"{0.02 / ratio} {ratio}"),), 0.5, 5e-4, Stepping()
            ).rebound(FIRST_DEPTH * 5e-4, 0.06)
            for ratio in np.linspace(0.9, 1.1, 401).tolist()
        }
        for wanted in (ratios[1.0] + twice, ratios[1.0] - twice):
            ratio = min(ratios, key=lambda ratio: abs(ratios[ratio] - wanted))
            yield _overridden(solref=(0.02 / ratio, ratio))


PLANTED = [
    (quantity, shape, *engine)
    for shape, quantity, engine in itertools.product(
        ("box", "cylinder", "capsule", "ball", "mesh"), ACTING, ENGINES
    )
    if (quantity, shape, engine[0]) != (BOUNCE, "ball", "pybullet")
]
"""Balls bounce on a ball with the coefficient that PyBullet holds, which `settings of contact` compares;
from flat shapes they do not bounce without the settings that a stated coefficient brings.
"""


@pytest.mark.parametrize(("quantity", "shape", "name", "engine"), few(PLANTED, 10))
def test_a_contact_that_is_wrong_by_twice_what_is_allowed_fails(
    quantity: str, shape: str, name: str, engine: Any, tmp_path: Path
) -> None:
    trimesh.creation.icosphere(subdivisions=2, radius=0.1).export(tmp_path / "mesh.obj")
    path = tmp_path / "m.sdf"
    path.write_text(BODY.format(shape=SHAPES[shape], surface=SURFACE.format(mu=0.5)))
    mechanism = bridge.lower(loaders.load(path, quiet=True))
    sound = {row.quantity: row for row in touch_rows(mechanism, [(name, engine)])}
    for planted in _planted(quantity, sound[quantity].tolerance, name):
        assert outcomes(mechanism, (name, planted))[quantity, name] is Outcome.FAILED
