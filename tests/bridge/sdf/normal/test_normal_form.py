"""What SDFormat cannot say as it stands is said in another way, or left out with a finding."""

from __future__ import annotations

import dataclasses

import pytest

import bridge
import loaders
from bridge.diff.mechanics import mechanical_error
from loaders import model as m
from loaders.pose import IDENTITY, Pose, frozen
from tests.support.scenes import UNIT_BOX, joint, link, scene

T = m.JointType


def read(sdf: bridge.targets.sdf.Sdf) -> loaders.Scene:
    return loaders.load_string(sdf, format="sdf")


def test_names_that_several_kinds_share_are_distinguished_and_mapped() -> None:
    sdf = bridge.to_sdf(scene([link("a"), link("b")], [joint("a", "a", "b")]))
    found = read(sdf)
    assert [j.name for j in found.joints] == ["a_joint"]
    assert sdf.names == {"joint a": "a_joint"}


@pytest.mark.parametrize("name", ["__x__", "x::y", "world_", "a b", 'é<&>"'])
def test_illegal_names_are_changed_and_legal_ones_kept(name: str) -> None:
    found = read(bridge.to_sdf(scene([link(name)])))
    illegal = {"__x__": "x_link", "x::y": "x__y"}
    assert [item.name for item in found.links] == [illegal.get(name, name)]


def test_a_link_named_world_is_fixed_to_the_world() -> None:
    given = scene([link("world", shape=UNIT_BOX), link("a")], [joint("j", m.WORLD, "a")])
    sdf = bridge.to_sdf(given)
    assert sdf.names["world"] == "world_link"
    assert mechanical_error(dataclasses.replace(given), read(sdf), sdf.names).pose < 1e-12


def test_gravity_makes_a_world_whose_names_start_with_the_model() -> None:
    given = dataclasses.replace(scene([link("a")]), gravity=frozen((0.0, 0.0, -1.62)))
    sdf = bridge.to_sdf(given)
    found = read(sdf)
    assert found.gravity.tolist() == [0.0, 0.0, -1.62]
    assert [item.name for item in found.links] == [sdf.names["a"]] == ["m::a"]
    assert read(bridge.to_sdf(given, world="never")).gravity.tolist() == [0.0, 0.0, -9.8]


@pytest.mark.parametrize("kind", [T.REVOLUTE, T.PRISMATIC, T.SCREW, T.FIXED])
def test_a_joint_to_the_world_is_reversed_with_the_same_positions(kind: T) -> None:
    X_WL = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    X_CJ = Pose.of(p=(0.0, 1.0, 0.0))
    given = scene(
        [link("a", X_WL=X_WL)],
        [joint("j", "a", m.WORLD, kind, X_PJ=X_WL.inverse() @ X_CJ, X_CJ=X_CJ, pitch=0.5)],
    )
    assert mechanical_error(given, read(bridge.to_sdf(given))).is_within(1e-12)


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
    found = read(bridge.to_sdf(scene([link("a")], forces=(spring,))))
    (force,) = found.forces
    assert (force.link_A, force.link_B) == ("a", "world_anchor")
    assert next(j for j in found.joints if j.child == "world_anchor").parent == m.WORLD


def test_of_two_transmissions_of_a_joint_the_last_one_stays_as_in_drake() -> None:
    drives = tuple(
        m.Actuator(name=n, joint="j", gear_ratio=g, rotor_inertia=0.1)
        for n, g in (("x", 2.0), ("y", 3.0))
    )
    given = scene([link("a")], [joint("j", m.WORLD, "a")], actuators=drives)
    assert mechanical_error(given, read(bridge.to_sdf(given))).is_within(1e-12)


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
    found = read(bridge.to_sdf(given))
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
    (found,) = read(bridge.to_sdf(scene([link("a", sensors=(sensor,))]))).links[0].sensors
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
        "option/integrator" in str(entry.message)
        for entry in text.diagnostics
        if entry.code == "sdfout.field"
    )
