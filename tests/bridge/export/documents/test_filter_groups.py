"""Pairs of links that MuJoCo excludes collide neither in the formats of Drake."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import mujoco
import pytest

import bridge
import loaders
from bridge.diagnostic_codes import CODES
from bridge.targets.elements import report_pairs_kept_apart, with_filter_groups
from bridge.targets.report import Report
from tests.code_examples import scenes as s

FEET_ONLY = """
<mujoco model="walker">
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" contype="1" conaffinity="0"/>
    <body name="trunk" pos="0 0 1"><freejoint/>
      <geom type="box" size="1 1 1" contype="0" conaffinity="0"/>
      <body name="left"><joint name="l"/><geom type="box" size="1 1 1" contype="2" conaffinity="0"/>
        <body name="left_foot"><joint name="lf"/><geom type="box" size="1 1 1" contype="0" conaffinity="1"/></body>
      </body>
      <body name="right"><joint name="r"/><geom type="box" size="1 1 1" contype="0" conaffinity="2"/>
        <body name="right_foot"><joint name="rf"/><geom type="box" size="1 1 1" contype="0" conaffinity="1"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
"""Links of which only the feet touch the floor, and of the others only the two legs touch each
other.
"""


def _in_mujoco() -> set[frozenset[str]]:
    """The pairs of bodies that MuJoCo lets touch, found by placing all at one point: contacts of
    its own engine.
    """
    model = mujoco.MjModel.from_xml_string(FEET_ONLY)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return {
        frozenset(model.body(model.geom_bodyid[g]).name for g in pair) for pair in data.contact.geom
    }


@pytest.fixture(scope="module")
def scene() -> loaders.Scene:
    return loaders.load_string(FEET_ONLY, format="mjcf")


@pytest.mark.parametrize("form", ["urdf", "directives"])
def test_the_pairs_that_touch_are_those_of_mujoco(
    form: str, scene: loaders.Scene, tmp_path: Path
) -> None:
    export = bridge.export_urdf if form == "urdf" else bridge.export_directives
    found = loaders.load(export(scene, tmp_path / "out", quiet=True).path, quiet=True)
    names = {
        link.name: link.name.rpartition("::")[2].replace("ground", "world") for link in found.links
    }
    pairs = {
        frozenset(names[name] for name in pair) for pair in bridge.lower(found).collidable_pairs()
    }
    assert pairs == _in_mujoco() | {frozenset(("left", "right"))}
    assert _in_mujoco() == {frozenset(("world", f"{side}_foot")) for side in ("left", "right")} | {
        frozenset(("left", "right"))
    }


def test_drake_lets_the_same_pairs_touch(scene: loaders.Scene, tmp_path: Path) -> None:
    multibody = pytest.importorskip("pydrake.multibody.plant")
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    framework = pytest.importorskip("pydrake.systems.framework")
    plant, graph = multibody.AddMultibodyPlantSceneGraph(framework.DiagramBuilder(), 0.001)
    parsing.Parser(plant).AddModels(
        str(bridge.export_urdf(scene, tmp_path / "out", quiet=True).path)
    )
    plant.Finalize()
    inspector = graph.model_inspector()
    body = {
        g: plant.GetBodyFromFrameId(inspector.GetFrameId(g)).name()
        for g in inspector.GetAllGeometryIds()
    }
    pairs = {
        frozenset(body[g].replace("ground", "world") for g in pair)
        for pair in inspector.GetCollisionCandidates()
    }
    assert pairs == _in_mujoco()


def test_links_with_the_same_neighbors_share_a_group(scene: loaders.Scene) -> None:
    groups = with_filter_groups(scene).filter_groups
    assert {frozenset(group.links) for group in groups} >= {frozenset(("left_foot", "right_foot"))}
    assert sum(len(group.links) for group in groups) == len(
        {name for group in groups for name in group.links}
    )
    excluded = with_filter_groups(scene).excluded_collision_pairs("drake")
    assert all(
        frozenset(pair) in excluded or frozenset(pair) in _in_mujoco()
        for pair in combinations([link.name for link in scene.links if link.collisions], 2)
    )


def test_a_scene_by_other_rules_stays_as_it_is() -> None:
    given = s.touching()
    assert with_filter_groups(given) is given


def test_pairs_that_drake_excludes_are_named() -> None:
    report = Report("urdf")
    report_pairs_kept_apart(s.touching(), report, CODES["urdfout.joined-links"])
    assert not report.entries
    report_pairs_kept_apart(s.touching_in_mujoco(), report, CODES["urdfout.joined-links"])
    assert [entry.subjects for entry in report.entries] == [("arm", "base")]
