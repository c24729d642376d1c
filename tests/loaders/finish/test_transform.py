"""Scenes placed in scopes, merged, renamed and joined, and link frames that move."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.diff import differences
from bridge.diff.mechanics import mechanical_error
from loaders import model as m
from loaders.finish.transform import attach_joints, merge, moved_frames, place, renamed
from loaders.model import (
    WORLD,
    Actuator,
    BallConstraint,
    Bushing,
    Coupling,
    FilterGroup,
    FilterRule,
    Frame,
    Joint,
    JointType,
    Keyframe,
    Light,
    Link,
    Model,
    Sphere,
    TendonConstraint,
    Visual,
    by_name,
)
from loaders.pose import IDENTITY, Array, Pose, frozen
from loaders.scene import Scene
from loaders.scoped_names import root_model
from tests.support.scenes import joint, link, random_pose, random_scene, scene
from tests.support.urdf_writer import with_poses

# Scenes placed in scopes, merged and joined.

X_WM = Pose.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3))
ZERO = frozen((0, 0, 0))


def at(x, y=0.0, z=0.0):
    return Pose.of(p=(x, y, z))


def bare_link(name, X_WL=IDENTITY, model="m"):
    return Link(name=name, model=model, X_WL=X_WL)


def hinge(name, parent, child, X_PJ=IDENTITY, X_CJ=IDENTITY, kind=JointType.REVOLUTE):
    return Joint(name=name, type=kind, parent=parent, child=child, X_PJ=X_PJ, X_CJ=X_CJ)


@pytest.fixture
def full_scene():
    """A model of its own pose with one of everything that has a name."""
    return Scene(
        name="m",
        models=(
            Model(name="m", X_WM=at(5), canonical_link="a"),
            Model(name="n", X_WM=at(6), canonical_link="n::c"),
        ),
        links=(bare_link("a", at(5)), bare_link("b", at(6)), bare_link("n::c", at(7), "n")),
        joints=(
            hinge("w", WORLD, "a", at(5)),
            hinge("j", "a", "b", at(1)),
            hinge("n::k", "b", "n::c", at(1)),
        ),
        frames=(Frame(name="f", link="b", X_LF=at(0.5)), Frame(name="g", link=WORLD, X_LF=at(9))),
        lights=(Light(name="a::lamp", type="point", link="a", X_LLight=at(1)),),
        couplings=(Coupling(follower="n::k", leader="j"),),
        actuators=(Actuator(name="motor", joint="j"),),
        constraints=(
            BallConstraint(
                link_A=WORLD, link_B="b", p_AP=frozen((7, 0, 0)), p_BQ=frozen((1, 0, 0))
            ),
            TendonConstraint(joints=("j", "n::k"), coefficients=(1.0, 2.0)),
        ),
        forces=(
            Bushing(
                link_A=WORLD,
                X_LA=at(7),
                link_C="b",
                X_LC=at(1),
                torque_stiffness=ZERO,
                torque_damping=ZERO,
                force_stiffness=ZERO,
                force_damping=ZERO,
            ),
        ),
        filter_groups=(
            FilterGroup(name="p", links=("a", "n::c"), groups=("n::q",)),
            FilterGroup(name="n::q", links=()),
        ),
        filter_rules=(FilterRule(a="p", b="n::q"),),
    )


def names(value):
    """Every string below a value, but for kinds of things."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [name for item in value for name in names(item)]
    if dataclasses.is_dataclass(value) and not isinstance(value, Pose):
        skipped = {"where", "type", "physics", "source"}
        keys = [f.name for f in dataclasses.fields(value) if f.name not in skipped]
        return [name for key in keys for name in names(getattr(value, key))]
    return []


def test_every_name_is_put_into_the_scope_but_for_the_world(full_scene):
    before, after = names(full_scene), names(place(full_scene, "s::t"))
    expected = [
        name if name in {"", WORLD} else "s::t" if name == "m" else f"s::t::{name}"
        for name in before
    ]
    assert after == expected


def test_a_root_model_goes_where_it_is_told(full_scene):
    there = place(full_scene, "s", X_WM)
    assert there.models[0].X_WM.is_close(X_WM, 1e-12)
    moved = by_name(there.links)["s::n::c"].X_WL
    assert moved.is_close(X_WM @ at(2), 1e-12)


def test_what_is_fixed_to_the_world_moves_with_the_model(full_scene):
    there = place(full_scene, "s", X_WM)
    frame, joint = by_name(there.frames)["s::g"], by_name(there.joints)["s::w"]
    assert frame.link == joint.parent == WORLD
    assert frame.X_LF.is_close(X_WM @ at(4), 1e-12)
    assert joint.X_PJ.is_close(by_name(there.links)["s::a"].X_WL, 1e-12)
    np.testing.assert_allclose(there.constraints[0].p_AP, (X_WM @ at(2)).p, atol=1e-12)
    assert there.forces[0].X_LA.is_close(X_WM @ at(2), 1e-12)


def test_what_is_fixed_to_a_link_stays_as_it_is(full_scene):
    there = place(full_scene, "s", X_WM)
    assert by_name(there.frames)["s::f"].X_LF is full_scene.frames[0].X_LF
    assert there.constraints[0].p_BQ is full_scene.constraints[0].p_BQ
    assert there.forces[0].X_LC is full_scene.forces[0].X_LC
    assert there.lights[0].X_LLight is full_scene.lights[0].X_LLight


def test_shapes_of_the_world_move_and_its_origin_does_not():
    shape = Visual(name="v", X_LG=at(1), geometry=Sphere(radius=1))
    floor = Link(name=WORLD, model="m", X_WL=IDENTITY, visuals=(shape,))
    scene = Scene(
        name="m",
        models=(Model(name="m", X_WM=IDENTITY, canonical_link="a"),),
        links=(bare_link("a"), floor),
    )
    there = by_name(place(scene, "s", X_WM).links)[WORLD]
    assert there.X_WL is IDENTITY
    assert there.visuals[0].X_LG.is_close(X_WM @ at(1), 1e-12)


def test_a_floating_joint_starts_where_its_link_goes():
    start = tuple(at(1).to_vector())
    joint = dataclasses.replace(
        hinge("b", WORLD, "a", kind=JointType.FLOATING), default_position=start
    )
    scene = Scene(
        name="m",
        models=(Model(name="m", X_WM=IDENTITY, canonical_link="a"),),
        links=(bare_link("a"),),
        joints=(joint,),
    )
    there = place(scene, "s", X_WM).joints[0]
    np.testing.assert_allclose(there.default_position, (X_WM @ at(1)).to_vector(), atol=1e-12)


def test_a_keyframe_has_a_floating_joint_where_its_link_goes():
    joint = hinge("b", WORLD, "a", kind=JointType.FLOATING)
    key = Keyframe(name="k", joints=("b",), positions=(tuple(at(1).to_vector()),))
    scene = Scene(
        name="m",
        models=(Model(name="m", X_WM=IDENTITY, canonical_link="a"),),
        links=(bare_link("a"),),
        joints=(joint,),
        keyframes=(key,),
    )
    (there,) = place(scene, "s", X_WM).keyframes
    assert there.joints == ("s::b",)
    np.testing.assert_allclose(there.positions[0], (X_WM @ at(1)).to_vector(), atol=1e-12)


def test_the_empty_scope_leaves_names_as_they_are(full_scene):
    assert names(place(full_scene, "", X_WM)) == names(full_scene)


def test_a_placed_scene_is_no_longer_one_model(full_scene):
    assert root_model(full_scene) is full_scene.models[0]
    assert root_model(place(full_scene, "s")) is None
    assert root_model(Scene(name="w")) is None


def test_placing_twice_is_placing_in_the_scope_of_both(full_scene):
    twice, once = place(place(full_scene, "b"), "a"), place(full_scene, "a::b")
    assert names(dataclasses.replace(twice, name="")) == names(dataclasses.replace(once, name=""))


def test_merged_scenes_hold_everything_in_order(full_scene):
    both = merge(place(full_scene, "p"), place(full_scene, "q"), name="both")
    assert both.name == "both"
    assert [item.name for item in both.links] == [
        f"{s}::{n}" for s in "pq" for n in ("a", "b", "n::c")
    ]
    for field in (
        "models",
        "joints",
        "frames",
        "lights",
        "couplings",
        "actuators",
        "constraints",
        "forces",
    ):
        assert len(getattr(both, field)) == 2 * len(getattr(full_scene, field))


# --- joined ---------------------------------------------------------------------------------------


def test_a_joint_brings_its_child_and_all_that_hangs_on_it_to_its_place():
    links = (bare_link("a", at(1)), bare_link("b", at(2), "n"), bare_link("c", at(3), "n"))
    models = (
        Model(name="m", X_WM=at(1), canonical_link="a"),
        Model(name="n", X_WM=at(2), canonical_link="b"),
    )
    scene = Scene(name="s", models=models, links=links, joints=(hinge("k", "b", "c", at(1)),))
    whole = attach_joints(scene, [hinge("w", "a", "c", at(0, 5), at(0, 0, 1), JointType.FIXED)])
    X_WL = {item.name: item.X_WL for item in whole.links}
    assert X_WL["a"] is links[0].X_WL
    assert (X_WL["c"] @ at(0, 0, 1)).is_close(at(1, 5), 1e-15)
    assert X_WL["b"].is_close(X_WL["c"] @ at(-1), 1e-15)
    assert whole.models[1].X_WM.is_close(X_WL["b"], 1e-15)


def test_what_is_fixed_to_the_world_stays_and_its_parent_comes():
    links = (bare_link("a", at(1)), bare_link("b", at(2)))
    scene = Scene(name="s", links=links, joints=(hinge("w", WORLD, "b", at(2)),))
    whole = attach_joints(scene, [hinge("j", "a", "b", at(0, 1), kind=JointType.FIXED)])
    X_WL = {item.name: item.X_WL for item in whole.links}
    assert X_WL["b"].is_close(at(2), 0.0)
    assert X_WL["a"].is_close(at(2, -1), 1e-15)


def test_ten_thousand_welds_are_placed_in_a_row():
    count = 10_000
    scene = Scene(name="s", links=tuple(bare_link(f"l{i}") for i in range(count)))
    welds = [
        hinge(f"j{i}", f"l{i}", f"l{i + 1}", at(1), kind=JointType.FIXED) for i in range(count - 1)
    ]
    assert attach_joints(scene, welds).links[-1].X_WL.is_close(at(count - 1), 1e-9)


# Moving the frames of links and back changes nothing; what is on a link stays where it is in the
# world.


def test_frames_moved_and_moved_back() -> None:
    scene = with_poses(random_scene(1, fixed=True))
    rng = np.random.default_rng(0)
    frames = {link.name: random_pose(rng) for link in scene.links}
    moved = moved_frames(scene, frames)
    assert differences(scene, moved)
    back = moved_frames(moved, {name: X.inverse() for name, X in frames.items()})
    assert differences(scene, back) == ()
    assert mechanical_error(scene, moved).mass_matrix < 1e-12


def places(scene: Scene) -> list[Array]:
    """Positions in the world of the lights and of the points of tendons."""
    links = {link.name: link.X_WL for link in scene.links}
    parts = [part for tendon in scene.tendons for part in tendon.parts]
    return [
        *((links[light.link] @ light.X_LLight).p for light in scene.lights),
        *((links[part.link] @ part.X_LP).p for part in parts),
        *((links[part.link_S] @ Pose.of(p=part.p_LS)).p for part in parts if part.p_LS is not None),
    ]


def test_lights_and_points_of_tendons_stay_where_they_are() -> None:
    mjcf = """<mujoco><worldbody><body name="a" pos="1 2 3"><geom size=".1"/><site name="s" pos="0 1 0"/>
      <site name="t" pos="0 2 0"/><geom name="g" type="cylinder" size=".1 1"/></body></worldbody>
      <tendon><spatial name="r"><site site="s"/><geom geom="g" sidesite="t"/><site site="t"/></spatial></tendon>
      </mujoco>"""
    light = Light(name="lamp", type="point", link="a", X_LLight=Pose.of(p=(0.0, 0.0, 1.0)))
    scene = dataclasses.replace(loaders.load_string(mjcf, format="mjcf"), lights=(light,))
    moved = moved_frames(scene, {"a": random_pose(np.random.default_rng(1))})
    assert not np.allclose(scene.links[0].X_WL.p, moved.links[0].X_WL.p)
    assert len(places(scene)) == 5
    np.testing.assert_allclose(places(scene), places(moved), atol=1e-12)


# Merged scenes have one world with the shapes of all; `tests/loaders/mjcf/test_includes.py` asks
# the simulators.

FLOOR = """<mujoco model="r"><worldbody><geom name="floor" type="plane" size="1 1 1"/><geom name="r_floor" size="1"/>
<body name="b"><geom name="g" size=".1"/></body></worldbody>
<contact><pair geom1="floor" geom2="g"/></contact></mujoco>"""


def merged(*scopes: str) -> loaders.Scene:
    scene = loaders.load_string(FLOOR, format="mjcf", quiet=True)
    return merge(*(place(scene, scope) for scope in scopes))


def world(scene: loaders.Scene) -> Link:
    (link,) = (link for link in scene.links if link.name == WORLD)
    return link


def test_one_scene_keeps_the_names_of_its_shapes() -> None:
    assert [shape.name for shape in world(merged("q")).collisions] == ["floor", "r_floor"]


def test_names_that_another_scene_has_get_that_of_their_own_scene() -> None:
    scene = merged("p", "q", "r")
    names = ["floor", "r_floor", "q_floor", "q_r_floor", "r_floor_2", "r_r_floor"]
    assert [shape.name for shape in world(scene).collisions] == names
    assert [shape.name for shape in world(scene).visuals] == names


def test_contact_pairs_keep_their_shapes() -> None:
    pairs = [(pair.collision_A, pair.link_B) for pair in merged("p", "q", "r").contact_pairs]
    assert pairs == [("floor", "p::b"), ("q_floor", "q::b"), ("r_floor_2", "r::b")]


def test_the_other_links_stay_in_order() -> None:
    assert [link.name for link in merged("p", "q").links] == [WORLD, "p::b", "q::b"]


# A renamed item is renamed wherever it is referred to.

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
