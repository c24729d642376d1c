"""Scenes placed in scopes, merged and joined."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from loaders.finish.transform import attach_joints, merge, place
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
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene
from loaders.scoped_names import root_model

X_WM = Pose.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3))
ZERO = frozen((0, 0, 0))


def at(x, y=0.0, z=0.0):
    return Pose.of(p=(x, y, z))


def link(name, X_WL=IDENTITY, model="m"):
    return Link(name=name, model=model, X_WL=X_WL)


def hinge(name, parent, child, X_PJ=IDENTITY, X_CJ=IDENTITY, kind=JointType.REVOLUTE):
    return Joint(name=name, type=kind, parent=parent, child=child, X_PJ=X_PJ, X_CJ=X_CJ)


@pytest.fixture
def scene():
    """A model of its own pose with one of everything that has a name."""
    return Scene(
        name="m",
        models=(
            Model(name="m", X_WM=at(5), canonical_link="a"),
            Model(name="n", X_WM=at(6), canonical_link="n::c"),
        ),
        links=(link("a", at(5)), link("b", at(6)), link("n::c", at(7), "n")),
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


def test_every_name_is_put_into_the_scope_but_for_the_world(scene):
    before, after = names(scene), names(place(scene, "s::t"))
    expected = [
        name if name in {"", WORLD} else "s::t" if name == "m" else f"s::t::{name}"
        for name in before
    ]
    assert after == expected


def test_a_root_model_goes_where_it_is_told(scene):
    there = place(scene, "s", X_WM)
    assert there.models[0].X_WM.is_close(X_WM, 1e-12)
    moved = by_name(there.links)["s::n::c"].X_WL
    assert moved.is_close(X_WM @ at(2), 1e-12)


def test_what_is_fixed_to_the_world_moves_with_the_model(scene):
    there = place(scene, "s", X_WM)
    frame, joint = by_name(there.frames)["s::g"], by_name(there.joints)["s::w"]
    assert frame.link == joint.parent == WORLD
    assert frame.X_LF.is_close(X_WM @ at(4), 1e-12)
    assert joint.X_PJ.is_close(by_name(there.links)["s::a"].X_WL, 1e-12)
    np.testing.assert_allclose(there.constraints[0].p_AP, (X_WM @ at(2)).p, atol=1e-12)
    assert there.forces[0].X_LA.is_close(X_WM @ at(2), 1e-12)


def test_what_is_fixed_to_a_link_stays_as_it_is(scene):
    there = place(scene, "s", X_WM)
    assert by_name(there.frames)["s::f"].X_LF is scene.frames[0].X_LF
    assert there.constraints[0].p_BQ is scene.constraints[0].p_BQ
    assert there.forces[0].X_LC is scene.forces[0].X_LC
    assert there.lights[0].X_LLight is scene.lights[0].X_LLight


def test_shapes_of_the_world_move_and_its_origin_does_not():
    shape = Visual(name="v", X_LG=at(1), geometry=Sphere(radius=1))
    floor = Link(name=WORLD, model="m", X_WL=IDENTITY, visuals=(shape,))
    scene = Scene(
        name="m",
        models=(Model(name="m", X_WM=IDENTITY, canonical_link="a"),),
        links=(link("a"), floor),
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
        links=(link("a"),),
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
        links=(link("a"),),
        joints=(joint,),
        keyframes=(key,),
    )
    (there,) = place(scene, "s", X_WM).keyframes
    assert there.joints == ("s::b",)
    np.testing.assert_allclose(there.positions[0], (X_WM @ at(1)).to_vector(), atol=1e-12)


def test_the_empty_scope_leaves_names_as_they_are(scene):
    assert names(place(scene, "", X_WM)) == names(scene)


def test_a_placed_scene_is_no_longer_one_model(scene):
    assert root_model(scene) is scene.models[0]
    assert root_model(place(scene, "s")) is None
    assert root_model(Scene(name="w")) is None


def test_placing_twice_is_placing_in_the_scope_of_both(scene):
    twice, once = place(place(scene, "b"), "a"), place(scene, "a::b")
    assert names(dataclasses.replace(twice, name="")) == names(dataclasses.replace(once, name=""))


def test_merged_scenes_hold_everything_in_order(scene):
    both = merge(place(scene, "p"), place(scene, "q"), name="both")
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
        assert len(getattr(both, field)) == 2 * len(getattr(scene, field))


# --- joined ---------------------------------------------------------------------------------------


def test_a_joint_brings_its_child_and_all_that_hangs_on_it_to_its_place():
    links = (link("a", at(1)), link("b", at(2), "n"), link("c", at(3), "n"))
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
    links = (link("a", at(1)), link("b", at(2)))
    scene = Scene(name="s", links=links, joints=(hinge("w", WORLD, "b", at(2)),))
    whole = attach_joints(scene, [hinge("j", "a", "b", at(0, 1), kind=JointType.FIXED)])
    X_WL = {item.name: item.X_WL for item in whole.links}
    assert X_WL["b"].is_close(at(2), 0.0)
    assert X_WL["a"].is_close(at(2, -1), 1e-15)


def test_ten_thousand_welds_are_placed_in_a_row():
    count = 10_000
    scene = Scene(name="s", links=tuple(link(f"l{i}") for i in range(count)))
    welds = [
        hinge(f"j{i}", f"l{i}", f"l{i + 1}", at(1), kind=JointType.FIXED) for i in range(count - 1)
    ]
    assert attach_joints(scene, welds).links[-1].X_WL.is_close(at(count - 1), 1e-9)
