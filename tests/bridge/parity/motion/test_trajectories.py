"""A second of motion in three engines: exact for fixed bases, of first order for floating bases."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Level, Outcome, Row, Verdict, compare
from bridge.parity.convergence import Rollout, RolloutCache
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.motion.model_motion import _felt_rows
from bridge.parity.motion.trajectory import _constraint_rows
from bridge.parity.states import random_states
from loaders.inertia import SpatialInertia
from loaders.model import WORLD
from loaders.pose import Pose, frozen
from tests.support.running_faults import faulty_mujoco
from tests.support.scenes import joint, link, scene

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


ASSETS = Path(__file__).parents[4] / "assets"

INERTIA = (
    "<inertial><pose>.1 .2 -.3 0 0 "
    "0</pose><mass>2</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.5</izz></inertia></inertial>"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["arm/model.sdf", "double_pendulum.urdf", "orthogonal_x.sdf", "orthogonal_z.sdf"]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_three_engines_move_a_tree_of_hinges_and_slides_alike_for_a_second(
    name: str, seed: int
) -> None:
    found = compare(ASSETS / name, levels=("L2",), seed=seed)
    assert found.agreement is Verdict.EQUIVALENT
    moved = [row for row in found.rows if row.series]
    assert {row.engines for row in moved} == {
        ("reference", "mujoco"),
        ("reference", "pybullet"),
        ("mujoco", "pybullet"),
    }
    assert max(row.error for row in moved) <= 1e-9
    exact = [row for row in found.rows if row.engines[0] == "exact" and row.order is not None]
    orders = {row.engines[1]: row.order for row in exact}
    assert orders == pytest.approx(dict.fromkeys(("reference", "mujoco", "pybullet"), 1.0), abs=0.1)


@pytest.mark.slow
def test_a_floating_base_differs_by_the_order_of_the_step_and_is_reported() -> None:
    found = compare(ASSETS / "gripper" / "model.sdf", levels=("L2",))
    assert found.agreement is Verdict.AGREES
    by_pair = {row.engines: row for row in found.rows if row.quantity == "motion without damping"}
    assert by_pair["reference", "mujoco"].outcome is Outcome.PASSED, (
        "both integrate the origin of the link"
    )
    assert by_pair["mujoco", "pybullet"].code == "parity.step-order"
    assert by_pair["mujoco", "pybullet"].error <= by_pair["mujoco", "pybullet"].known_cause.bound


def rows_of(source: object, **options: object) -> dict[tuple[str, str, str], Row]:
    found = compare(source, levels=("L2",), **options)
    return {(row.quantity, *row.engines): row for row in found.rows}


@pytest.mark.slow
def test_stops_and_everything_else_that_is_exported_move() -> None:
    found = rows_of(ASSETS / "arm" / "model.sdf")
    assert found["exported motion", "mujoco", "pybullet"].outcome is Outcome.PASSED
    for engine in ("mujoco", "pybullet"):
        assert found["stops in motion", "reference", engine].outcome is Outcome.PASSED


def chain_of_22(gravity: float) -> loaders.Scene:
    """A chain of short pendulums, whose motion is the more chaotic the larger gravity is."""
    inertia = (
        "<pose>0 0 -.05 0 0 "
        "0</pose><mass>.3</mass><inertia><ixx>1e-5</ixx><iyy>1e-5</iyy><izz>1e-5</izz></inertia>"
    )
    links = "".join(
        f"<link name='l{i}'><pose>0 0 {-0.05 * i} 0 0 0</pose><inertial>{inertia}</inertial></link>"
        f"<joint name='j{i}' "
        f"type='revolute'><parent>{f'l{i - 1}' if i else 'world'}</parent><child>l{i}</child>"
        "<axis><xyz>0 1 0</xyz></axis></joint>"
        for i in range(22)
    )
    text = f"<sdf version='1.9'><model name='chain'>{links}</model></sdf>"
    chain = loaders.load_string(text, format="sdf")
    return dataclasses.replace(chain, gravity=frozen((0.0, 0.0, -gravity)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gravity", "outcome"), [(10.0, Outcome.EXPLAINED), (15.0, Outcome.UNKNOWN)]
)
def test_rounding_that_grows_to_a_visible_part_of_the_motion_explains_nothing_and_leaves_a_gap(
    gravity: float, outcome: Outcome
) -> None:
    """An initial difference of 1e-10 grows 2e7 or 4e9 times in a second, so that rounding may be
    2e-4 or 4e-2 rad.
    """
    found = compare(chain_of_22(gravity), levels=("L2",), engines=("mujoco", "pybullet"))
    row = next(
        row
        for row in found.rows
        if row.engines == ("mujoco", "pybullet") and row.quantity == "motion without damping"
    )
    assert (row.outcome, row.code) == (outcome, "parity.chaos"), row
    gaps = {gap.code: gap for gap in found.gaps if gap.engines == row.engines}
    assert ("parity.chaos" in gaps) == (outcome is Outcome.UNKNOWN)
    assert outcome is Outcome.EXPLAINED or found.verdict is Verdict.INCOMPLETE


def test_a_large_model_says_that_the_reference_does_not_ride_along() -> None:
    chain = "".join(
        f"<link name='l{i}'>{INERTIA}</link><joint name='j{i}' "
        f"type='revolute'><parent>{f'l{i - 1}' if i else 'world'}"
        f"</parent><child>l{i}</child><axis><xyz>0 1 0</xyz></axis></joint>"
        for i in range(11)
    )
    text = f"<sdf version='1.11'><model name='m'>{chain}</model></sdf>"
    found = rows_of(loaders.load_string(text, format="sdf"), engines=("mujoco",))
    assert (
        "degrees of freedom times steps"
        in found["motion without damping", "reference", "mujoco"].cause
    )


@pytest.mark.slow
def test_rotors_move_as_the_model_says_in_mujoco_and_pybullet_says_that_it_has_none() -> None:
    text = (ASSETS / "double_pendulum.urdf").read_text(encoding="utf-8")
    geared = text.replace(
        "</robot>",
        "<transmission name='t'><type>transmission_interface/SimpleTransmission</type><joint "
        "name='elbow'>"
        "<hardwareInterface>EffortJointInterface</hardwareInterface></joint><actuator name='a'>"
        "<drake:rotor_inertia xmlns:drake='http://drake.mit.edu' "
        "value='.01'/></actuator></transmission></robot>",
    )
    found = rows_of(loaders.load_string(geared, format="urdf"))
    assert found["motion with rotors", "reference", "mujoco"].outcome is Outcome.PASSED
    assert "rotor" in found["motion with rotors", "mujoco", "pybullet"].cause


@pytest.mark.slow
def test_how_well_a_coupling_holds_in_motion_is_measured() -> None:
    text = (ASSETS / "double_pendulum.urdf").read_text(encoding="utf-8")
    mimic = (
        "<joint name='elbow' type='continuous'>\n    <mimic joint='shoulder' multiplier='-2' "
        "offset='.1'/>"
    )
    coupled = re.sub(r"<joint name=.elbow. type=.\w+.>", mimic, text)
    found = rows_of(loaders.load_string(coupled, format="urdf"))
    for engine in ("mujoco", "pybullet"):
        row = found["constraints in motion", "reference", engine]
        assert row.where == "elbow"
        assert row.outcome in {Outcome.PASSED, Outcome.EXPLAINED}
        assert row.error < 1e-4


TWO_WHEELS = """<robot name="r"><link name="world"/>{}{}</robot>"""
WHEEL = """<link name="{0}"><inertial><mass value="1"/><inertia ixx=".02" iyy=".02" izz=".02" ixy="0"
ixz="0" iyz="0"/></inertial></link><joint name="{0}" type="continuous"><parent link="world"/>
<child link="{0}"/><axis xyz="0 0 1"/>{1}</joint>"""
IDLE = TWO_WHEELS.format(WHEEL.format("a", ""), WHEEL.format("b", "<mimic joint='a'/>"))


@pytest.mark.parametrize(
    ("array", "value", "outcome"),
    [
        ("", 0.0, Outcome.PASSED),
        ("eq_active0", 0, Outcome.FAILED),
        ("eq_solref", (0.5, 1.0), Outcome.FAILED),
        ("eq_data", 0.5, Outcome.FAILED),
    ],
)
def test_a_coupling_that_nothing_loads_is_pushed(array: str, value: Any, outcome: Outcome) -> None:
    """Two wheels about vertical axes keep equal speeds without their coupling, too."""

    def change(model: Any) -> None:
        if array:
            getattr(model, array)[:] = value

    mechanism = bridge.lower(loaders.load_string(IDLE, format="urdf"))
    engines = (("mujoco", faulty_mujoco(change)), ("pybullet", PyBulletEngine))
    rows = {row.engines[1]: row for row in _constraint_rows(mechanism, engines, 0)}
    assert {name: row.loaded for name, row in rows.items()} == {
        "mujoco": (1, 1),
        "pybullet": (1, 1),
    }
    assert rows["mujoco"].outcome is outcome, rows["mujoco"]
    assert rows["pybullet"].outcome is Outcome.PASSED


@pytest.mark.parametrize("offset", [0.0, 0.5])
def test_a_coupling_beside_a_loop_is_pushed(offset: float) -> None:
    """A loop starts closed at zero, where no velocity is stated, and a follower starts at its
    offset.
    """
    wheel = '<body name="{0}"><joint name="{0}" axis="0 0 1"/><geom size=".1"/></body>'
    text = f"""<mujoco><worldbody>{wheel.format("a")}{wheel.format("b")}
    <body name="c"><joint axis="0 1 0"/><geom size=".1" pos=".5 0 0"/></body></worldbody><equality>
    <joint joint1="a" joint2="b" polycoef="{offset} 1 0 0 0"/><connect body1="c" anchor=".5 0 0"/>
    </equality></mujoco>"""
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    engines = (("mujoco", MujocoEngine), ("pybullet", PyBulletEngine))
    rows = list(_constraint_rows(mechanism, engines, 0))
    assert [(row.engines[1], row.loaded) for row in rows] == [
        ("mujoco", (2, 2)),
        ("pybullet", (2, 2)),
    ]
    assert {row.outcome for row in rows} <= {Outcome.PASSED, Outcome.EXPLAINED}, rows


def test_a_loop_that_nothing_loads_leaves_a_gap() -> None:
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body name="a"><joint axis="0 0 1"/>
    <geom size=".1" pos=".5 0 0"/></body><body name="b" pos="1 0 0"><joint axis="0 0 1"/>
    <geom size=".1" pos="-.4 0 0"/></body></worldbody><equality>
    <connect body1="a" body2="b" anchor=".5 0 0"/></equality></mujoco>"""
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    rows = list(_constraint_rows(mechanism, (("pybullet", PyBulletEngine),), 0))
    assert rows[0].loaded == (0, 1)
    assert (rows[1].outcome, rows[1].is_stated) == (Outcome.UNKNOWN, True)
    assert "no load acts on" in rows[1].cause


def test_friction_and_springs_that_change_nothing_are_named() -> None:
    axes = ({"friction": 0.5}, {"friction": 1e-13}, {"spring_stiffness": 3.0}, {})
    names = "abcd"
    mechanism = bridge.lower(
        scene(
            [link(name) for name in names],
            [
                joint(f"j{name}", WORLD, name, xyz=(0, 1, 0), axis=axis)
                for name, axis in zip(names, axes, strict=True)
            ],
        )
    )
    start = random_states(mechanism, 1, 0)[0]
    row = Row(
        level=Level.MOTION,
        quantity="exported motion",
        engines=("mujoco", "pybullet"),
        tolerance=0.4,
        outcome=Outcome.PASSED,
        convergence=((2e-3, 1e-5), (1e-3, 1e-6)),
    )
    whole, idle = _felt_rows(mechanism, start, row)
    assert whole.loaded == (2, 3)
    assert (idle.outcome, idle.subjects, idle.is_stated) == (Outcome.UNKNOWN, ("jb",), False)


@pytest.mark.slow
def test_a_single_engine_that_reads_the_file_has_no_motion_to_compare() -> None:
    """More work than the reference simulates, and no other engine."""
    found = compare("assets/arm/model.sdf", engines="mujoco-urdf", levels="L2")
    assert {row.quantity for row in found.rows} == {"reading", "order of convergence"}


SCREW_ON_A_FLOATING_BASE = f"""<sdf version='1.11'><model name='m'>
<link name='a'><pose>0 0 .5 0 0 0</pose>{INERTIA}</link><link name='b'><pose>.2 0 .7 .1 0 0</pose>{INERTIA}</link>
<joint name='scr' type='screw'><pose>.01 0 .02 .1 0 0</pose><parent>a</parent><child>b</child>
<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>.02</screw_thread_pitch></joint></model></sdf>"""


@pytest.mark.slow
def test_a_screw_on_a_floating_base_differs_by_its_violation_and_by_the_order_of_the_step() -> None:
    """Either cause alone explains less than the engines differ."""
    floating = loaders.load_string(SCREW_ON_A_FLOATING_BASE, format="sdf")
    row = rows_of(floating, engines=("mujoco", "pybullet"))[
        "motion without damping", "mujoco", "pybullet"
    ]
    assert row.outcome is Outcome.EXPLAINED, row.cause
    assert 1e-9 < row.error <= row.known_cause.bound < 1e-2  # type: ignore[union-attr]


def spinning_chain(length: float, inertia: float) -> Mechanism:
    """Two short and light pendulums on a heavy one."""
    heavy = SpatialInertia.of(1.0, (0.3, 0.0, 0.0), 0.01 * np.eye(3))
    light = SpatialInertia.of(0.02, (length, 0.0, 0.0), inertia * np.eye(3))
    links = [link("a", inertia=heavy), link("b", inertia=light), link("c", inertia=light)]
    joints = [joint("j", WORLD, "a", xyz=(0, 1, 0))]
    for parent, child, x in (("a", "b", 0.3), ("b", "c", 2.0 * length)):
        joints.append(joint(child, parent, child, xyz=(0, 1, 0), X_PJ=Pose.of(p=(x, 0.0, 0.0))))
    return bridge.lower(scene(links, joints))


@pytest.mark.slow
def test_a_step_in_which_links_turn_too_far_is_halved_until_no_engine_diverges() -> None:
    """The links of a millimeter turn so fast that MuJoCo leaves the finite numbers in steps of 2
    ms, not of 1 ms.
    """
    mechanism = spinning_chain(1e-3, 1e-10)
    start = random_states(mechanism, 1, 0)[0]
    cache = RolloutCache({"mujoco": MujocoEngine})
    coarse, fine = (
        Rollout(mechanism=mechanism, start=start, step=step, duration=1.0) for step in (2e-3, 1e-3)
    )
    assert cache.trajectory("mujoco", coarse).has_diverged
    assert not cache.trajectory("mujoco", fine).has_diverged
    row = rows_of(mechanism, engines=("mujoco", "pybullet"))[
        "motion without damping", "mujoco", "pybullet"
    ]
    assert row.outcome is Outcome.PASSED or row.code == "parity.chaos", row


def test_a_motion_that_diverges_at_every_step_is_unknown() -> None:
    found = compare(spinning_chain(1e-5, 1e-15), levels="L2")
    row = next(
        row
        for row in found.rows
        if row.quantity == "motion without damping" and "pybullet" in row.engines
    )
    assert row.outcome is Outcome.UNKNOWN
    assert "diverges at this time step in" in row.cause
    assert found.verdict is not Verdict.EQUIVALENT
