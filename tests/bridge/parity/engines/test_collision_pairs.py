"""Which pairs may touch is asked of the engines, so that a pair that one of them filters amiss is
found and named.
"""

from __future__ import annotations

import dataclasses
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Verdict, compare
from bridge.parity.engine import factory_of
from bridge.parity.engines.mujoco.shapes import forward, has_distance_fields
from bridge.parity.engines.pybullet.shapes import with_overlapping_spheres
from loaders.model import FilterGroup, FilterRule
from loaders.scene import Scene

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
from tests.support.mujoco_oracle import can_touch, compiled

ASSETS = Path(__file__).parents[4] / "assets"
ENGINES = ("mujoco", "pybullet")


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


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", ["arm/model.sdf", "leg.sdf"])
def test_a_filter_pair_that_an_engine_lacks_is_named(engine: str, model: str) -> None:
    plain = dataclasses.replace(loaders.load(ASSETS / model), collision_policy="drake")
    kept, pair = filtered(plain)
    others = [name for name in ENGINES if name != engine]
    found = compare(kept, (holding(engine, plain), *others), levels=("L1",), configurations=1)
    assert found.verdict is Verdict.DIFFERS
    assert {(row.quantity, row.where) for row in found.failures} == {("collidable pairs", pair)}
    assert all(engine in row.engines for row in found.failures)


@pytest.mark.parametrize("engine", ENGINES)
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
