"""Pairs that may touch and violations of constraints are asked of each engine, and compared with
closed forms.
"""

from __future__ import annotations

import dataclasses
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import pybullet_data
import pytest

import bridge
import loaders
from bridge.choices import Exclusion
from bridge.lowering.transform import with_exclusions
from bridge.mechanism import Mechanism
from bridge.parity import Verdict, compare
from bridge.parity.engine import factory_of
from bridge.parity.engines.mujoco.shapes import forward, has_distance_fields
from bridge.parity.engines.pybullet.shapes import with_overlapping_spheres
from loaders.model import FilterGroup, FilterRule, JointType
from loaders.scene import Scene
from tests.support.mjcf_scenes import four_bar
from tests.support.mujoco_oracle import can_touch, compiled

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


# Violations of loops and couplings in each engine, compared with closed forms.

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


# Several constraints of the same links: their violations add up as the root of the sum of squares,
# in each engine.

SITE_DISTANCES_ENGINES = ("reference", "mujoco", "mujoco-native", "pybullet")
POINTS = (
    "<mujoco><worldbody><body name='a'><freejoint/><geom size='0.1'/></body>"
    "<body name='b' pos='3 0 0'><freejoint/><geom size='0.1'/></body></worldbody><equality>"
    "<connect body1='a' body2='b' anchor='0 0 1'/><connect body1='a' body2='b' anchor='0 2 0'/>"
    "<weld body1='a' body2='b' active='false'/></equality></mujoco>"
)


@pytest.mark.parametrize("name", SITE_DISTANCES_ENGINES)
def test_two_points_of_a_moved_link_are_as_far_from_their_places_as_it_moved(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "m.xml").write_text(POINTS)
    engine = factory_of(name)(bridge.lower(loaders.load(tmp_path / "m.xml", quiet=True)))
    engine.set_state({"a": (0, 0, 0.5, 1, 0, 0, 0), "b": (3, 0, 0, 1, 0, 0, 0)}, {})
    assert engine.violations() == pytest.approx({"a, b": math.sqrt(2.0) * 0.5})
    engine.close()


@pytest.mark.parametrize("name", SITE_DISTANCES_ENGINES[:2] + SITE_DISTANCES_ENGINES[3:])
def test_a_hinge_that_closes_a_loop_has_the_violation_of_its_point(name: str) -> None:
    engine = factory_of(name)(bridge.lower(four_bar(JointType.REVOLUTE)))
    engine.set_state({}, {})
    assert set(engine.violations()) == {closure.joint.name for closure in engine.mechanism.closures}
    engine.close()


# Which pairs may touch is asked of the engines, so that a pair that one of them filters amiss is
# found and named.

ASSETS = Path(__file__).parents[4] / "assets"
COLLISION_PAIRS_ENGINES = ("mujoco", "pybullet")


def filtered(scene: Scene) -> tuple[Scene, str]:
    """The scene with a rule that keeps two links apart which may touch, and their place in a
    report.
    """
    links = [link.name for link in scene.links if link.collisions]
    allowed = bridge.lower(scene).collidable_pairs()
    a, b = [pair for pair in combinations(links, 2) if frozenset(pair) in allowed][-1]
    group = FilterGroup(name="kept apart", links=(a, b))
    rule = FilterRule(a=group.name, b=group.name)
    kept = dataclasses.replace(
        scene, filter_groups=(*scene.filter_groups, group), filter_rules=(*scene.filter_rules, rule)
    )
    return kept, f"{a} with {b}"


def holding(engine: str, scene: Scene) -> Any:
    """Opens an engine that holds another scene than it is given."""

    def opened(_mechanism: Mechanism) -> Any:
        return factory_of(engine)(bridge.lower(scene))

    opened.name = engine  # type: ignore[attr-defined]
    return opened


@pytest.mark.parametrize("engine", COLLISION_PAIRS_ENGINES)
@pytest.mark.parametrize("model", ["arm/model.sdf", "leg.sdf"])
def test_a_filter_pair_that_an_engine_lacks_is_named(engine: str, model: str) -> None:
    plain = dataclasses.replace(loaders.load(ASSETS / model), collision_policy="drake")
    kept, pair = filtered(plain)
    others = [name for name in COLLISION_PAIRS_ENGINES if name != engine]
    found = compare(kept, (holding(engine, plain), *others), levels=("L1",), configurations=1)
    assert found.verdict is Verdict.DIFFERS
    assert {(row.quantity, row.where) for row in found.failures} == {("collidable pairs", pair)}
    assert all(engine in row.engines for row in found.failures)


@pytest.mark.parametrize("engine", COLLISION_PAIRS_ENGINES)
def test_a_pair_that_an_engine_filters_and_the_model_does_not_is_named(engine: str) -> None:
    plain = loaders.load(ASSETS / "arm" / "model.sdf")
    kept, pair = filtered(plain)
    found = compare(plain, (holding(engine, kept),), levels=("L1",), configurations=1)
    assert [(row.quantity, row.where) for row in found.failures] == [("collidable pairs", pair)]


@pytest.mark.parametrize("model", ["arm/model.sdf", "leg.sdf", "double_pendulum.urdf"])
def test_the_pairs_of_the_compiled_model_are_those_that_touch_when_it_runs(model: str) -> None:
    mechanism = bridge.lower(loaders.load(ASSETS / model))
    engine = factory_of("mujoco")(mechanism)
    told = engine.collidable_pairs()
    engine.close()
    assert told == can_touch(compiled(bridge.to_mjcf(mechanism)))


def test_balls_keep_the_bitmasks_of_the_shapes_that_they_stand_for() -> None:
    scene = loaders.load(ASSETS / "leg.sdf")
    for link, ball in zip(scene.links, with_overlapping_spheres(scene).links, strict=True):
        masks = {(c.surface.collide_bitmask, c.surface.category_bitmask) for c in link.collisions}
        assert {
            (c.surface.collide_bitmask, c.surface.category_bitmask) for c in ball.collisions
        } == masks


SDF = """<mujoco><extension><plugin plugin="mujoco.sdf.torus"><instance name="t"><config key="radius1" value="0.35"/>
  <config key="radius2" value="0.15"/></instance></plugin></extension>
  <asset><mesh name="t"><plugin instance="t"/></mesh></asset><worldbody>
  <body name="t" pos="0 0 1"><freejoint/><geom type="sdf" mesh="t"><plugin instance="t"/></geom></body>
  <geom type="plane" size="1 1 .1"/></worldbody></mujoco>"""


def test_contacts_of_signed_distance_fields_are_not_tried() -> None:
    """MuJoCo 3.17 may write beyond the end of its memory when it looks for them."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(SDF)
    data = mujoco.MjData(model)
    data.qpos[2] = 0.0
    forward(mujoco, model, data)
    assert data.ncon == 0
    assert not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    assert has_distance_fields(mujoco, model)
    assert not has_distance_fields(mujoco, mujoco.MjModel.from_xml_string("<mujoco/>"))


# Assumed and sampled exclusions hold in both simulators.


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "franka_panda/panda.urdf",
        pytest.param("laikago/laikago_toes.urdf", marks=pytest.mark.slow),
    ],
)
def test_both_simulators_leave_out_the_same_pairs_of_a_robot(name: str) -> None:
    path = Path(pybullet_data.getDataPath()) / name
    chosen: dict[str, dict[str, Any]] = {
        "keep": {"overlaps": "keep"},
        "default": {},
        "sampled": {"exclude": "sampled", "exclude_samples": 200},
    }
    found = {}
    for case, options in chosen.items():
        details = compare(path, levels=["L0"], configurations=1, **options).details
        by_engine = details["pairs_by_engine"]
        assert by_engine["mujoco"] == by_engine["pybullet"] == details["pairs"]
        found[case] = details["pairs"]
    mechanism = bridge.lower(loaders.load(path, quiet=True))
    assumed = {frozenset((e.link_A, e.link_B)) for e in mechanism.assumed_exclusions}
    assert found["keep"] - found["default"] == assumed
    assert found["sampled"] < found["default"]
    exclusion = Exclusion(exclude="sampled", samples=200)
    assert found["sampled"] == with_exclusions(mechanism, exclusion).collidable_pairs()


def test_a_comparison_with_exclusions_states_the_command_that_repeats_it() -> None:
    found = compare(
        "assets/double_pendulum.urdf", "mujoco", levels="L0", configurations=1, overlaps="keep",
        exclude="sampled", exclude_samples=50, exclude_seed=3,
    )  # fmt: skip
    words = "--overlaps keep --exclude sampled --exclude-samples 50 --exclude-seed 3"
    assert words in found.command
