"""What SDFormat cannot say is said in another way or left out with a finding; items are in the
innermost model.
"""

from __future__ import annotations

import dataclasses

import pytest

import bridge
import loaders
from bridge.diff.mechanics import mechanical_error
from bridge.targets.report import Report
from bridge.targets.sdf.normal_form import (
    settings_of_world,
    with_representable_models,
    with_representable_parts,
    without_settings,
)
from bridge.targets.sdf.scope import by_prefix, common, innermost, scopes_of, set_prefixes
from loaders import model as m
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, joint, link, scene
from tests.support.sdf_writer import read

# What SDFormat cannot say as it stands is said in another way, or left out with a finding.

T = m.JointType


def normal_form_read(sdf: bridge.targets.sdf.Sdf) -> loaders.Scene:
    return loaders.load_string(sdf, format="sdf")


def test_names_that_several_kinds_share_are_distinguished_and_mapped() -> None:
    sdf = bridge.to_sdf(scene([link("a"), link("b")], [joint("a", "a", "b")]))
    found = normal_form_read(sdf)
    assert [j.name for j in found.joints] == ["a_joint"]
    assert sdf.names == {"joint a": "a_joint"}


@pytest.mark.parametrize("name", ["__x__", "x::y", "world_", "a b", 'é<&>"'])
def test_illegal_names_are_changed_and_legal_ones_kept(name: str) -> None:
    found = normal_form_read(bridge.to_sdf(scene([link(name)])))
    illegal = {"__x__": "x_link", "x::y": "x__y"}
    assert [item.name for item in found.links] == [illegal.get(name, name)]


def test_a_link_named_world_is_fixed_to_the_world() -> None:
    given = scene([link("world", shape=UNIT_BOX), link("a")], [joint("j", m.WORLD, "a")])
    sdf = bridge.to_sdf(given)
    assert sdf.names["world"] == "world_link"
    assert (
        mechanical_error(dataclasses.replace(given), normal_form_read(sdf), sdf.names).pose < 1e-12
    )


def test_gravity_makes_a_world_whose_names_start_with_the_model() -> None:
    given = dataclasses.replace(scene([link("a")]), gravity=frozen((0.0, 0.0, -1.62)))
    sdf = bridge.to_sdf(given)
    found = normal_form_read(sdf)
    assert found.gravity.tolist() == [0.0, 0.0, -1.62]
    assert [item.name for item in found.links] == [sdf.names["a"]] == ["m::a"]
    assert normal_form_read(bridge.to_sdf(given, world="never")).gravity.tolist() == [
        0.0,
        0.0,
        -9.8,
    ]


@pytest.mark.parametrize("kind", [T.REVOLUTE, T.PRISMATIC, T.SCREW, T.FIXED])
def test_a_joint_to_the_world_is_reversed_with_the_same_positions(kind: T) -> None:
    X_WL = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    X_CJ = Pose.of(p=(0.0, 1.0, 0.0))
    given = scene(
        [link("a", X_WL=X_WL)],
        [joint("j", "a", m.WORLD, kind, X_PJ=X_WL.inverse() @ X_CJ, X_CJ=X_CJ, pitch=0.5)],
    )
    assert mechanical_error(given, normal_form_read(bridge.to_sdf(given))).is_within(1e-12)


def test_a_spring_to_the_world_holds_a_link_of_its_own() -> None:
    spring = m.SpringDamper(
        link_A="a",
        link_B=m.WORLD,
        p_AP=IDENTITY.p,
        p_BQ=IDENTITY.p,
        free_length=1.0,
        stiffness=2.0,
        damping=0.0,
    )
    found = normal_form_read(bridge.to_sdf(scene([link("a")], forces=(spring,))))
    (force,) = found.forces
    assert (force.link_A, force.link_B) == ("a", "world_anchor")
    assert next(j for j in found.joints if j.child == "world_anchor").parent == m.WORLD


def test_of_two_transmissions_of_a_joint_the_last_one_stays_as_in_drake() -> None:
    drives = tuple(
        m.Actuator(name=n, joint="j", gear_ratio=g, rotor_inertia=0.1)
        for n, g in (("x", 2.0), ("y", 3.0))
    )
    given = scene([link("a")], [joint("j", m.WORLD, "a")], actuators=drives)
    assert mechanical_error(given, normal_form_read(bridge.to_sdf(given))).is_within(1e-12)


def test_filter_groups_of_nested_models_exclude_the_same_pairs() -> None:
    links = [
        link("a", shape=UNIT_BOX),
        link("n::b", model="n", shape=UNIT_BOX),
        link("o::c", model="o", shape=UNIT_BOX),
    ]
    groups = (
        m.FilterGroup(name="n::g", links=("n::b",)),
        m.FilterGroup(name="o::h", links=("o::c", "a")),
    )
    models = (
        *scene([links[0]]).models,
        *(m.Model(name=n, X_WM=IDENTITY, canonical_link=None) for n in "no"),
    )
    given = scene(
        links, models=models, filter_groups=groups, filter_rules=(m.FilterRule(a="n::g", b="o::h"),)
    )
    found = normal_form_read(bridge.to_sdf(given))
    assert found.excluded_collision_pairs() == given.excluded_collision_pairs() != frozenset()


def test_sensor_parameters_are_the_same_after_reading() -> None:
    parameters = (
        ("camera@name", "left"),
        ("camera/image/width", "64"),
        ("camera/image/height", "48"),
        ("camera@name", "right"),
        ("camera/image/width", "32"),
        ("always_on", "true"),
    )
    sensor = m.Sensor(name="eyes", type="multicamera", X_LS=IDENTITY, parameters=parameters)
    (found,) = (
        normal_form_read(bridge.to_sdf(scene([link("a", sensors=(sensor,))]))).links[0].sensors
    )
    assert found.parameters == parameters


def test_settings_of_mujoco_are_no_settings_of_sdformat() -> None:
    """Drake 1.51: XML Element[option], child of element[physics], not defined in SDF."""
    settings = (("option/integrator", "RK4"),)
    given = dataclasses.replace(
        scene([link("a")]), physics=m.Physics(engine="mujoco", parameters=settings)
    )
    text = bridge.to_sdf(given)
    assert "<option" not in text
    assert any(
        'option integrator="RK4"' in str(entry.message)
        for entry in text.diagnostics
        if entry.code == "sdfout.field"
    )


# Each link is in a model, and each model has a link.


def test_links_without_a_model_get_one() -> None:
    found = with_representable_models(Scene(name="x", links=(link("a", model=""),)), Report("sdf"))
    assert found.links[0].model == found.models[0].name


def test_a_root_model_whose_links_are_all_nested_stays() -> None:
    models = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link="n::a") for name in "rn")
    given = scene([link("n::a", model="n")], models=models, name="r")
    assert [model.name for model in with_representable_models(given, Report("sdf")).models] == [
        "r",
        "n",
    ]


def test_frames_of_a_joint_that_lie_apart_are_reported() -> None:
    report = Report("sdf")
    given = scene([link("a"), link("b")], [joint("j", "a", "b", X_PJ=Pose.of(p=(0.0, 0.0, 1.0)))])
    assert with_representable_models(given, report).joints[0].X_PJ.is_close(IDENTITY)
    assert [entry.arguments["distance"] for entry in report.entries] == [1.0]


# Parts of links have legal names and values that do not exclude each other.


def test_names_of_parts_are_unique_and_legal() -> None:
    shapes = tuple(
        m.Collision(name=name, X_LG=IDENTITY, geometry=UNIT_BOX)
        for name in ("c", "c", "", "a::b", "world")
    )
    (found,) = with_representable_parts(scene([link("a", collisions=shapes)]), Report("sdf")).links
    assert [part.name for part in found.collisions] == [
        "c",
        "c_2",
        "collision",
        "a__b",
        "world_part",
    ]


def test_a_link_without_inertia_is_massless() -> None:
    (found,) = with_representable_parts(scene([link("a", inertia=None)]), Report("sdf")).links
    assert found.inertia is not None
    assert found.inertia.mass == 0.0


# Settings of a world are found, and left out on request.


def test_settings_are_found_and_removed() -> None:
    assert settings_of_world(scene([link("a")])) == ()
    light = m.Light(name="sun", type="point", link=m.WORLD, X_LLight=IDENTITY)
    frame = m.Frame(name="f", link=m.WORLD, X_LF=IDENTITY)
    given = scene([link("a")], gravity=frozen((0, 0, 0)), lights=(light,), frames=(frame,))
    settings = settings_of_world(given)
    assert settings == ("gravity", "lights", "frames")
    assert settings_of_world(without_settings(given, settings, Report("sdf"))) == ()


# Items are in the innermost model that contains what they refer to.

MODELS = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in "mn")
LINKS = [link(f"{name}::a", model=name, shape=UNIT_BOX) for name in "mn"]


def test_a_joint_between_models_of_a_world_belongs_to_the_world() -> None:
    given = scene(LINKS, [joint("m::j", "m::a", "n::a")], models=MODELS)
    assert [(item.name, item.parent) for item in read(given).joints] == [("m__j", "m::a")]


def test_a_follower_is_in_a_model_that_contains_its_leader() -> None:
    links = [link("b", model="r"), *LINKS, link("m::c", model="m")]
    joints = [joint("m::j", "m::a", "m::c"), joint("n::k", "n::a", "b")]
    models = (m.Model(name="r", X_WM=IDENTITY, canonical_link="b"), *MODELS)
    given = scene(
        links, joints, models=models, couplings=(m.Coupling(follower="m::j", leader="n::k"),)
    )
    (found,) = read(given).couplings
    assert (found.follower, found.leader) == ("m__j", "n__k")


def test_names_of_lights_are_unique() -> None:
    lights = tuple(
        m.Light(name=name, type="point", link=m.WORLD, X_LLight=IDENTITY)
        for name in ("x::y", "x__y")
    )
    assert [light.name for light in read(scene(LINKS, models=MODELS, lights=lights)).lights] == [
        "x__y",
        "x__y_",
    ]


def test_no_two_children_of_a_model_have_the_same_name_as_drake_demands() -> None:
    """Drake 1.51: Non-unique name[a] detected 2 times in XML children of model."""
    groups = (m.FilterGroup(name="a", links=("a",)), m.FilterGroup(name="b", links=("b",)))
    given = scene(
        [link("a"), link("b")], filter_groups=groups, filter_rules=(m.FilterRule(a="a", b="b"),)
    )
    found = read(given)
    assert [group.name for group in found.filter_groups] == ["a_group", "b_group"]
    assert [(rule.a, rule.b) for rule in found.filter_rules] == [("a_group", "b_group")]
    assert [group.name for group in read(found).filter_groups] == ["a_group", "b_group"]


def test_a_model_whose_name_must_change_keeps_its_canonical_link() -> None:
    links = [link("a", model="x::y"), link("b", model="x::y")]
    models = (m.Model(name="x::y", X_WM=IDENTITY, canonical_link="b"),)
    found = read(scene(links, [joint("j", "a", "b")], models=models))
    (model,) = (model for model in found.models if model.canonical_link is not None)
    assert model.canonical_link == found.links[1].name
    assert {each.model for each in found.links} == {model.name}


def test_a_filter_rule_between_two_models_of_a_world_is_reported() -> None:
    groups = (
        m.FilterGroup(name="m::g", links=("m::a",)),
        m.FilterGroup(name="n::h", links=("n::a",)),
    )
    given = scene(
        LINKS, models=MODELS, filter_groups=groups, filter_rules=(m.FilterRule(a="m::g", b="n::h"),)
    )
    reported = [
        e.subjects for e in bridge.to_sdf(given).diagnostics if e.code == "sdfout.filter-rule"
    ]
    assert reported == [("m::g", "n::h")]
    assert read(given).filter_rules == ()


# Scopes follow the names of models.


def model(name: str) -> m.Model:
    return m.Model(name=name, X_WM=IDENTITY, canonical_link=None)


def test_implied_models_are_added_and_names_find_their_scope() -> None:
    given = scene([link("a::b::c::x", model="a::b::c")], models=(model("a::b::c"),))
    scopes = scopes_of(given, as_world=True)
    set_prefixes(scopes.root)
    assert scopes.added == ("a", "a::b")
    assert innermost(by_prefix(scopes.root), "a::b::x").prefix == "a::b::"
    assert common([scopes.of_name("a::b::c::x"), scopes.of_name("a::y")]).prefix == "a::"


def test_a_nested_model_may_have_the_name_of_the_outermost_one() -> None:
    given = scene(
        [link("x", model="r"), link("r::y", model="r::r")],
        models=(model("r"), model("r::r")),
        name="r",
    )
    scopes = scopes_of(given, as_world=False)
    set_prefixes(scopes.root)
    assert [scope.prefix for scope in scopes.root.walk()] == ["", "r::"]
    assert [scope.model.name for scope in scopes.root.walk() if scope.model] == ["r", "r::r"]


def test_claimed_names_are_legal_and_unique() -> None:
    scope = scopes_of(scene([link("a")]), as_world=False).root
    assert [scope.claim(name, "link") for name in ("a", "a", "a", "__a__", "", "x::y")] == [
        "a",
        "a_link",
        "a_link_2",
        "a_link_3",
        "link",
        "x__y",
    ]
