"""Shapes, drawings, friction, stops and speed limits that are wrong in a running engine are found."""

from __future__ import annotations

import math
from contextlib import closing
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Comparison, Outcome, compare
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.quantities.shapes import (
    SHAPE_QUANTITIES,
    drawn_distance,
    mesh_distance,
    shape_distance,
)
from bridge.parity.reference import ReferenceEngine
from loaders.model import WORLD
from tests.support.fault_search import search
from tests.support.running_faults import faulty_mujoco, faulty_pybullet
from tests.support.scenes import joint, link, scene

mujoco = pytest.importorskip("mujoco")
pybullet = pytest.importorskip("pybullet")


# Shapes, drawings and friction that are wrong in a running engine are found, and the link is named.

NAMES = {quantity.name for quantity in SHAPE_QUANTITIES}
MOMENTS = "<inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.25</izz></inertia>"
SOLID = f"<inertial><pose>.1 .2 .3 .4 .5 .6</pose><mass>1</mass>{MOMENTS}</inertial>"
FRICTION = "<surface><friction><ode><mu>{0}</mu><mu2>{0}</mu2></ode></friction></surface>"


def shape(
    tag: str, name: str, geometry: str, pose: str = ".1 0 .2 .1 .2 .3", mu: float = 0.7
) -> str:
    surface = FRICTION.format(mu) if tag == "collision" else ""
    return (
        f"<{tag} name='{name}'><pose>{pose}</pose><geometry>{geometry}</geometry>{surface}</{tag}>"
    )


BOX = "<box><size>1 2 3</size></box>"
ROUND = "<sphere><radius>.4</radius></sphere>"
ROLL = "<cylinder><radius>.2</radius><length>.7</length></cylinder>"
PILL = "<capsule><radius>.2</radius><length>.7</length></capsule>"


def links() -> str:
    a = (
        shape("collision", "box", BOX)
        + shape("collision", "ball", ROUND)
        + shape("visual", "seen", BOX)
    )
    b = (
        shape("collision", "roll", ROLL)
        + shape("collision", "pill", PILL, "0 0 1 0 1 0")
        + shape("visual", "v", ROLL)
    )
    hinge = (
        "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 "
        "0</xyz></axis></joint>"
    )
    return f"<link name='a'>{SOLID}{a}</link><link name='b'>{SOLID}{b}</link>{hinge}"


def model() -> loaders.Scene:
    return loaders.load_string(
        f"<sdf version='1.9'><model name='m'>{links()}</model></sdf>", format="sdf"
    )


def found(*engines: Any, scene: loaders.Scene | None = None) -> Comparison:
    return compare(scene or model(), engines, levels=("L0",), configurations=1)


def failed(comparison: Comparison) -> set[tuple[str, str]]:
    """The rows that differ, but for the one that sees every change of a running engine."""
    return {
        (row.quantity, str(row.where))
        for row in comparison.rows
        if row.outcome is Outcome.FAILED and row.quantity != "running settings"
    }


def test_sound_engines_have_the_shapes_of_the_model() -> None:
    rows = {
        (row.quantity, row.engines): row
        for row in found("mujoco", "pybullet").rows
        if row.quantity in NAMES
    }
    for name in ("shapes", "visual shapes", "friction of shapes"):
        for engine in ("mujoco", "pybullet"):
            assert rows[name, ("reference", engine)].outcome is Outcome.PASSED
            assert rows[name, ("reference", engine)].where


def longer(m: Any) -> None:
    m.geom_size[m.geom("box").id, 0] *= 1.01


def turned(m: Any) -> None:
    m.geom_quat[m.geom("pill").id] = (1.0, 0.0, 0.0, 0.0)


def moved(m: Any) -> None:
    m.geom_pos[m.geom("ball").id] += 0.001


def slippery(m: Any) -> None:
    m.geom_friction[m.geom("pill").id, 0] *= 0.5


def redrawn(m: Any) -> None:
    m.geom_pos[m.geom("v").id] += 0.01


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (longer, ("shapes", "a")),
        (turned, ("shapes", "b")),
        (moved, ("shapes", "a")),
        (slippery, ("friction of shapes", "b")),
        (redrawn, ("visual shapes", "b")),
    ],
)
def test_a_wrong_geom_of_mujoco_is_found_and_its_link_named(
    change: Any, expected: tuple[str, str]
) -> None:
    assert failed(found(faulty_mujoco(change), "pybullet")) == {expected}


def test_a_wrong_friction_of_pybullet_is_found_and_its_link_named() -> None:
    def change(engine: PyBulletEngine) -> None:
        (body,) = engine._bodies
        pybullet.changeDynamics(
            int(body), body.links["b"], lateralFriction=0.9, physicsClientId=engine._client
        )

    assert failed(found("mujoco", faulty_pybullet(change))) == {("friction of shapes", "b")}


def test_the_friction_of_pairs_of_a_world_is_compared_as_the_engines_combine_it() -> None:
    floor = f"<collision name='c'><geometry><plane/></geometry>{FRICTION.format(0.7)}</collision>"
    ground = f"<model name='g'><static>1</static><link name='g'>{floor}</link></model>"
    text = (
        f"<sdf version='1.9'><world name='w'>{ground}<model "
        f"name='m'>{links()}</model></world></sdf>"
    )
    world = loaders.load_string(text, format="sdf")
    sound = found("mujoco", "pybullet", scene=world)
    rows = [row for row in sound.rows if row.quantity == "friction of pairs"]
    assert [row.outcome for row in rows] == [Outcome.PASSED] * 3
    assert "friction of shapes" not in {gap.quantity for gap in sound.gaps}

    def change(engine: PyBulletEngine) -> None:
        for body in engine._bodies:
            pybullet.changeDynamics(
                int(body), -1, lateralFriction=0.7, physicsClientId=engine._client
            )

    wrong = failed(found("mujoco", faulty_pybullet(change), scene=world))
    assert {quantity for quantity, _ in wrong} == {"friction of pairs"}


@pytest.mark.parametrize(
    ("floor", "ball", "pair"),
    [
        ("friction='.3'", "friction='.7'", ""),
        ("friction='1'", "friction='.5' priority='1'", ""),
        ("friction='.5' priority='2'", "friction='.9' priority='1'", ""),
        ("friction='.5' condim='1' priority='2'", "friction='.9'", ""),
        ("condim='1'", "condim='1'", ""),
        ("condim='1'", "friction='.4'", ""),
        ("", "", "<pair geom1='f' geom2='b' friction='.2 .2'/>"),
        ("", "", "<pair geom1='f' geom2='b' friction='.2 .2' condim='1'/>"),
        ("priority='1' friction='.3'", "", "<pair geom1='f' geom2='b'/>"),
    ],
)  # fmt: skip
def test_the_friction_of_pairs_is_that_of_the_contacts_that_mujoco_makes(
    floor: str, ball: str, pair: str
) -> None:
    text = f"""<mujoco><worldbody><geom name="f" type="plane" size="9 9 9" {floor}/><body name="o"
    pos="0 0 .09"><freejoint/><geom name="b" size=".1" mass="1" {ball}/></body></worldbody>
    <contact>{pair}</contact></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    (contact,) = data.contact
    wanted = contact.friction[0] if contact.dim > 1 else 0.0
    (quantity,) = (each for each in SHAPE_QUANTITIES if each.name == "friction of pairs")
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    engines: list[Any] = [ReferenceEngine, MujocoEngine]
    if not pair:  # PyBullet lists no pairs
        engines.append(PyBulletEngine)
    for opened in engines:
        with closing(opened(mechanism)) as engine:
            (found,) = quantity.read(engine, mechanism).values()
        assert found == pytest.approx(wanted, abs=1e-12)


TWO_GEOMS = """<mujoco><worldbody><geom name="f" type="plane" size="9 9 9" friction=".5"/><body
pos="0 0 .09"><freejoint/>{}</body></worldbody><contact>{}</contact></mujoco>"""


@pytest.mark.parametrize("masks", ["", "contype='0' conaffinity='0'"])
def test_the_friction_of_a_pair_that_pybullet_cannot_hold_names_the_pair(masks: str) -> None:
    ball = f"<geom name='b' size='.1' friction='.3' {masks}/>"
    text = TWO_GEOMS.format(ball, "<pair geom1='f' geom2='b' friction='.6 .6'/>")
    world = loaders.load_string(text, format="mjcf")
    comparison = bridge.compare(world, ("mujoco", "pybullet"), levels=("L0",))
    rows = [row for row in comparison.rows if row.quantity == "friction of pairs"]
    errors = {row.engines: (round(row.error, 9), row.code) for row in rows}
    lost = (0.1, "pybullet.contact-pair")  # the larger one, 0.5, in place of 0.6
    assert errors == {
        ("reference", "mujoco"): (0.0, ""),
        ("reference", "pybullet"): lost,
        ("mujoco", "pybullet"): lost,
    }


SECOND = (
    "friction='.9' condim='1' priority='1'",
    "friction='.2' priority='1'",
    "friction='.3' contype='0' conaffinity='0'",
)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("pair", ["", "<pair geom1='f' geom2='g0' friction='.4 .4'/>"])
def test_the_friction_of_pairs_is_that_of_all_shapes_of_two_links(
    order: int, second: str, pair: str
) -> None:
    """The contacts that MuJoCo makes are the oracle; a fault of either shape fails the row."""
    geoms = [
        f'<geom name="g{k}" size=".1" mass="1" pos="{k} 0 0" {stated}/>'
        for k, stated in enumerate(("friction='.7'", second))
    ][::order]
    text = TWO_GEOMS.format("".join(geoms), pair)
    data = mujoco.MjData(mujoco.MjModel.from_xml_string(text))
    mujoco.mj_forward(data.model, data)
    wanted = {float(each.friction[0]) if each.dim > 1 else 0.0 for each in data.contact}
    (quantity,) = (each for each in SHAPE_QUANTITIES if each.name == "friction of pairs")
    world = loaders.load_string(text, format="mjcf")
    for opened in (ReferenceEngine, MujocoEngine):
        with closing(opened(bridge.lower(world))) as engine:
            (found_here,) = quantity.read(engine, engine.mechanism).values()
        assert sorted(found_here.tolist()) == pytest.approx(sorted(wanted), abs=1e-12)
    touching = [each for each in ("g0", "g1") if "contype" not in second or each == "g0"]
    for name in touching if not pair else touching[1:]:

        def change(running: Any, name: str = name) -> None:
            geom = running.geom(name).id
            running.geom_condim[geom] = 3 if running.geom_condim[geom] == 1 else 1
            running.geom_priority[geom] = 2

        wrong = failed(found("reference", faulty_mujoco(change), scene=world))
        assert "friction of pairs" in {what for what, _ in wrong}


SILENT = (
    ("<geometry><empty/></geometry>", ""),
    (f"<geometry>{BOX}</geometry>", "<contact><collide_bitmask>0</collide_bitmask></contact>"),
    (
        f"<geometry>{BOX}</geometry>",
        "<contact><collide_without_contact>1</collide_without_contact></contact>",
    ),
)


@pytest.mark.parametrize(("geometry", "contact"), SILENT)
def test_a_first_shape_without_forces_decides_on_no_friction(geometry: str, contact: str) -> None:
    silent = FRICTION.format(0.2).replace("</surface>", f"{contact}</surface>")
    shapes = f"<collision name='s'>{geometry}{silent}</collision>{shape('collision', 'b', ROUND, mu=0.9)}"
    floor = f"<collision name='c'><geometry><plane/></geometry>{FRICTION.format(1.0)}</collision>"
    text = (
        f"<sdf version='1.9'><world name='w'><model name='g'><static>1</static><link name='g'>{floor}"
        f"</link></model><model name='m'><link name='l'>{SOLID}{shapes}</link></model></world></sdf>"
    )
    world = loaders.load_string(text, format="sdf", quiet=True)
    with closing(PyBulletEngine(bridge.lower(world))) as engine:
        mu = [values[0] for values in engine.surfaces().friction.values()]
    assert math.prod(mu) == pytest.approx(0.9, abs=1e-12)
    rows = [
        row for row in found("pybullet", scene=world).rows if row.quantity == "friction of pairs"
    ]
    assert [row.outcome for row in rows] == [Outcome.PASSED]


def test_restitution_of_one_of_two_welded_links_is_compared() -> None:
    """PyBullet keeps links that are welded together apart, each with its own settings."""
    bounce = "<bounce><restitution_coefficient>.3</restitution_coefficient></bounce>"
    ball = "<geometry><sphere><radius>.1</radius></sphere></geometry>"
    parts = "".join(
        f"<link name='{name}'>{SOLID}<collision name='c'>{ball}{surface}</collision></link>"
        for name, surface in (("a", ""), ("b", f"<surface>{bounce}</surface>"))
    )
    weld = "<joint name='w' type='fixed'><parent>a</parent><child>b</child></joint>"
    text = f"<sdf version='1.9'><model name='m'>{parts}{weld}</model></sdf>"
    model = loaders.load_string(text, format="sdf")
    assert failed(found("mujoco", "pybullet", scene=model)) == set()

    def change(engine: PyBulletEngine) -> None:
        (body,) = engine._bodies
        pybullet.changeDynamics(
            int(body), body.links["b"], restitution=0.0, physicsClientId=engine._client
        )

    wrong = failed(found("mujoco", faulty_pybullet(change), scene=model))
    assert wrong == {("settings of contact", "b")}


def test_an_ellipsoid_of_pybullet_is_explained_within_the_depth_of_its_hull() -> None:
    egg = shape("collision", "egg", "<ellipsoid><radii>.1 .2 .3</radii></ellipsoid>")
    text = f"<sdf version='1.9'><model name='m'><link name='a'>{SOLID}{egg}</link></model></sdf>"
    result = found("mujoco", "pybullet", scene=loaders.load_string(text, format="sdf"))
    row = next(
        row
        for row in result.rows
        if row.quantity == "meshes" and row.engines == ("reference", "pybullet")
    )
    assert (row.outcome, row.code) == (Outcome.EXPLAINED, "pybullet.shape-as-hull")
    assert row.error <= row.known_cause.bound < 2e-2  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "weld", ["", "<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>"]
)
def test_a_mesh_is_compared_with_its_file(tmp_path: Any, weld: str) -> None:
    import trimesh

    trimesh.creation.icosphere(subdivisions=2, radius=0.3).export(tmp_path / "ball.stl")
    mesh = "<mesh><uri>ball.stl</uri><scale>1 1 2</scale></mesh>"
    body = shape("collision", "c", mesh) + shape("visual", "v", mesh)
    (tmp_path / "m.sdf").write_text(
        (
            f"<sdf version='1.9'><model name='m'><link "
            f"name='a'>{SOLID}{body}</link>{weld}</model></sdf>"
        ),
        encoding="utf-8",
    )
    scene = loaders.load(tmp_path / "m.sdf")
    sound = [
        row
        for row in found("mujoco", "pybullet", scene=scene).rows
        if row.quantity in {"meshes", "visual shapes"}
    ]
    assert {row.outcome for row in sound} == {Outcome.PASSED}

    def larger(m: Any) -> None:
        m.mesh_vert[:] *= 1.001

    assert ("meshes", "a") in failed(found(faulty_mujoco(larger), "pybullet", scene=scene))


CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
SIDES = "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"


def cube(folder: Any, weld: str = "") -> loaders.Scene:
    (folder / "cube.obj").write_text(CUBE + SIDES, encoding="utf-8")
    body = shape("collision", "c", "<mesh><uri>cube.obj</uri></mesh>")
    text = (
        f"<sdf version='1.9'><model name='m'><link "
        f"name='a'>{SOLID}{body}</link>{weld}</model></sdf>"
    )
    (folder / "m.sdf").write_text(text, encoding="utf-8")
    return loaders.load(folder / "m.sdf")


def outcomes(comparison: Comparison, quantity: str) -> list[Outcome]:
    return [row.outcome for row in comparison.rows if row.quantity == quantity]


def pushed_in(m: Any) -> None:
    """Move one corner of the cube, which the hull keeps as a corner."""
    corner = np.argmax(np.abs(m.mesh_vert).sum(axis=1))
    m.mesh_vert[corner] *= 0.99


def test_a_wrong_volume_of_a_mesh_of_mujoco_is_found(tmp_path: Any) -> None:
    scene = cube(tmp_path)
    assert (
        outcomes(found("mujoco", "pybullet", scene=scene), "mesh volumes") == [Outcome.PASSED] * 3
    )
    assert ("mesh volumes", "a") in failed(found(faulty_mujoco(pushed_in), scene=scene))


def test_a_wrong_volume_of_a_mesh_of_pybullet_is_found(tmp_path: Any) -> None:
    """PyBullet has no call that changes a mesh of a running body; the shape of another body takes
    its place.
    """
    scene = cube(
        tmp_path, "<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>"
    )

    class Smaller(PyBulletEngine):
        def __init__(self, mechanism: Any) -> None:
            small = CUBE.replace("v 1 1 1", "v .9 .9 .9")
            changed = loaders.load(smaller_file(tmp_path, small))
            super().__init__(bridge.lower(changed))
            self.mechanism = mechanism

    assert ("mesh volumes", "a") in failed(found(Smaller, scene=scene))


def smaller_file(folder: Any, vertices: str) -> Any:
    (folder / "other.obj").write_text(vertices + SIDES, encoding="utf-8")
    text = (folder / "m.sdf").read_text(encoding="utf-8").replace("cube.obj", "other.obj")
    (folder / "other.sdf").write_text(text, encoding="utf-8")
    return folder / "other.sdf"


def test_a_mesh_that_pybullet_does_not_show_is_unknown() -> None:
    """A polyline becomes a mesh in a file that is gone once it is loaded; PyBullet shows no
    vertices at rest.
    """
    points = "".join(f"<point>{x} {y}</point>" for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)))
    body = shape("collision", "c", f"<polyline><height>.2</height>{points}</polyline>")
    text = (
        f"<sdf version='1.9'><model name='m'><static>1</static><link "
        f"name='a'>{body}</link></model></sdf>"
    )
    result = found("mujoco", "pybullet", scene=loaders.load_string(text, format="sdf"))
    assert outcomes(result, "meshes") == [Outcome.PASSED, Outcome.UNKNOWN, Outcome.UNKNOWN]
    assert "meshes" in {gap.quantity for gap in result.gaps}


# --- errors ---------------------------------------------------------------------------------------


def test_shapes_in_another_order_are_the_same_and_a_missing_one_is_not() -> None:
    a, b = np.arange(10.0).reshape(2, 5), np.ones((1, 5))
    assert shape_distance(a, a[::-1], 0.0) == 0.0
    assert shape_distance(a, a + 0.25, 0.0) == 0.25
    assert shape_distance(a, b, 0.0) == math.inf


def test_a_mesh_that_became_several_is_compared_as_a_whole() -> None:
    whole = np.ones((1, 66))
    halves = np.vstack((np.full(66, 0.5), np.ones(66)))
    assert mesh_distance(whole, halves, 0.0) == 0.0
    assert mesh_distance(whole, 0.9 * halves, 0.0) == pytest.approx(0.05)


def test_a_drawn_shape_has_a_nearest_one_in_the_other_engine() -> None:
    X = np.array([[0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0, 0]], dtype=float)
    assert drawn_distance(X, X[::-1], 0.0) == 0.0
    assert drawn_distance(X, X[:1], 0.0) == 1.0
    half = math.cos(0.1), math.sin(0.1)
    turned_X = np.array([[0, 0, 0, -half[0], -half[1], 0, 0]])
    assert drawn_distance(X[:1], turned_X, 0.0) == pytest.approx(0.2)


def test_what_a_model_does_not_state_leaves_no_gap() -> None:
    plain = bridge.lower(
        loaders.load_string("<robot name='r'><link name='a'/></robot>", format="urdf")
    )
    assert not any(quantity.is_stated(plain) for quantity in SHAPE_QUANTITIES)


@pytest.mark.parametrize(
    "kind",
    [
        "torsional friction added",
        "rolling friction added",
        "restitution added",
        "contacts softened",
    ],
)
def test_settings_of_contact_that_pybullet_gets_by_mistake_are_found_in_mjcf_too(kind: str) -> None:
    text = (
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='a' pos='0 0 1'><joint "
        "name='j'/>"
        "<geom size='.1'/><body name='b' pos='0 0 1'><joint name='k'/><geom size='.2' solref='.1 "
        "1'/></body></body>"
        "</worldbody></mujoco>"
    )
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf", quiet=True))
    assert search(mechanism, "pybullet", kind) == "found"
    assert bridge.compare(mechanism, ("pybullet",), levels=("L0",), configurations=1).failures == ()


# Stops that yield and limits of speed, in the running engines.


def arm(**axis: float) -> Any:
    return scene(
        [link("a")],
        [joint("j", WORLD, "a", axis={"lower": -1.0, "upper": 1.0, "velocity": 3.0, **axis})],
    )


def rows(source: Any, first: Any = "mujoco") -> dict[Any, Any]:
    result = compare(source, (first, "pybullet"), levels=("L0",), configurations=1)
    return {(row.quantity, row.engines): row for row in result.rows}


def test_a_hard_stop_that_is_soft_in_mujoco_is_found() -> None:
    def soften(model: Any) -> None:
        model.jnt_solref[:, 0] *= 10.0

    assert rows(arm())["compliance of stops", ("reference", "mujoco")].outcome is Outcome.PASSED
    row = rows(arm(), faulty_mujoco(soften))["compliance of stops", ("reference", "mujoco")]
    assert (row.outcome, row.where) == (Outcome.FAILED, "j")


def test_a_soft_stop_is_compared_by_its_stiffness() -> None:
    def stiffen(model: Any) -> None:
        model.jnt_solref[:, 0] *= 2.0

    soft = arm(limit_stiffness=50.0, limit_dissipation=1.0)
    row = rows(soft)["compliance of stops", ("reference", "mujoco")]
    assert row.outcome is Outcome.PASSED
    row = rows(soft, faulty_mujoco(stiffen))["compliance of stops", ("reference", "mujoco")]
    assert row.error == pytest.approx(0.01)


def test_a_stop_that_the_time_step_cannot_hold_is_explained_by_its_own_compliance() -> None:
    row = rows(arm(limit_stiffness=1e8, limit_dissipation=1.0))[
        "compliance of stops", ("reference", "mujoco")
    ]
    assert (row.outcome, row.code) == (Outcome.EXPLAINED, "mjcf.rigid-stops")
    assert row.error == pytest.approx(1e-8)


def test_limits_of_speed_are_those_that_pybullet_was_given() -> None:
    found = rows(arm())
    assert found["velocity limits", ("reference", "pybullet")].outcome is Outcome.PASSED
    assert found["velocity limits", ("reference", "pybullet")].where == "j"
    assert not found["velocity limits", ("reference", "mujoco")].is_stated


def test_limits_beyond_all_motion_are_no_stops() -> None:
    """Engines take limits of 1e12 rad for none."""
    row = rows(arm(lower=-1e12, upper=1e12)).get(("compliance of stops", ("reference", "mujoco")))
    assert row is None or row.outcome is Outcome.PASSED


def test_the_rule_of_friction_explains_every_pair(tmp_path: Any) -> None:
    """The finding about the product names the pair that differs most, and bounds all others."""
    bodies = "".join(
        f"<body name='b{k}' pos='{k} 0 1'><freejoint/><geom size='.1' friction='{mu}'/></body>"
        for k, mu in enumerate((2.0, 0.2, 1.0, 0.5))
    )
    ground = "<geom type='plane' size='9 9 1' friction='1'/>"
    path = tmp_path / "m.xml"
    path.write_text(f"<mujoco><worldbody>{bodies}{ground}</worldbody></mujoco>", encoding="utf-8")
    comparison = found("mujoco", "pybullet", scene=loaders.load(path, quiet=True))
    rows = [row for row in comparison.rows if row.quantity == "friction of pairs"]
    explained = {row.outcome for row in rows if "pybullet" in row.engines}
    assert explained == {Outcome.EXPLAINED}
    assert not comparison.failures
