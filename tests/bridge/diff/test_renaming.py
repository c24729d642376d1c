"""A renamed item is renamed wherever it is referred to."""

from __future__ import annotations

from pathlib import Path

import pytest

import bridge
import loaders
from loaders import model as m
from loaders.finish.transform import renamed
from loaders.pose import IDENTITY
from tests.support.scenes import joint, link, scene

SITE = """
<mujoco>
  <worldbody>
    <site name="world"/>
    <body pos="1 0 0">
      <joint name="x" type="slide" axis="1 0 0"/>
      <geom type="sphere" size=".1" mass="1"/>
      <site name="end"/>
    </body>
  </worldbody>
  <tendon>
    <spatial armature="5">
      <site site="world"/>
      <site site="end"/>
    </spatial>
  </tendon>
</mujoco>
"""

"""A site called world, and a tendon whose inertia directives lack."""


def test_references_follow_and_the_world_stays() -> None:
    sensor = m.Sensor(name="s", type="force_torque", X_LS=IDENTITY, joint="j")
    given = scene(
        [link("a"), link("b")],
        [joint("j", "a", "b", sensors=(sensor,)), joint("k", m.WORLD, "a")],
        couplings=(m.Coupling(follower="j", leader="k"),),
        filter_groups=(m.FilterGroup(name="g", links=("a", "b")),),
    )
    found = renamed(given, {"link": {"a": "x", m.WORLD: "no"}, "joint": {"j": "y"}})
    assert [(item.name, item.parent, item.child) for item in found.joints] == [
        ("y", "x", "b"),
        ("k", m.WORLD, "x"),
    ]
    assert found.joints[0].sensors[0].joint == found.couplings[0].follower == "y"
    assert found.filter_groups[0].links == ("x", "b")
    assert found.models[0].canonical_link == "x"


def test_parts_of_tendons_and_positions_in_keyframes_follow() -> None:
    parts = (
        m.TendonPart(type=m.TendonPartType.POINT, link="a"),
        m.TendonPart(type=m.TendonPartType.POINT, link=m.WORLD),
    )
    given = scene(
        [link("a"), link("b")],
        [joint("j", "a", "b")],
        tendons=(m.Tendon(name="t", parts=parts),),
        keyframes=(m.Keyframe(name="k", joints=("j",), positions=((0.5,),)),),
    )
    found = renamed(given, {"link": {"a": "x"}, "joint": {"j": "y"}})
    assert [part.link for part in found.tendons[0].parts] == ["x", m.WORLD]
    assert found.keyframes[0].joints == ("y",)


def test_a_frame_that_is_called_world_can_be_renamed_and_the_world_of_its_pose_stays() -> None:
    given = scene([link("a")], frames=(m.Frame(name=m.WORLD, link=m.WORLD, X_LF=IDENTITY),))
    (frame,) = renamed(given, {"frame": {m.WORLD: "origin"}, "link": {m.WORLD: "no"}}).frames
    assert (frame.name, frame.link) == ("origin", m.WORLD)


@pytest.mark.parametrize("form", ["sdf", "urdf", "directives"])
def test_a_frame_called_world_is_written_under_another_name(tmp_path: Path, form: str) -> None:
    given = loaders.load_string(SITE, format="mjcf", quiet=True)
    result = getattr(bridge, f"export_{form}")(given, tmp_path / "out", quiet=True)
    found = [frame.name for frame in loaders.load(str(result.path), quiet=True).frames]
    assert "world_frame" in found
    assert "world" not in found
