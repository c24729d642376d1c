"""Worlds: the saved state, gravity, wind, physics and lights."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
import loaders
from loaders.diagnostics import Fate
from loaders.limits import Limits
from tests.support.sdf import read_sdf

# ``<state>``: where Gazebo classic puts models, links, lights and joints.

BOX = "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision>"
MASS = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
PENDULUM = f"""<model name='p'><link name='base'>{MASS}</link>
<link name='arm'><pose>0 0 1 0 0 0</pose>{MASS}</link>
<joint name='j' type='TYPE'><parent>base</parent><child>arm</child><axis><xyz>0 1 0</xyz></axis></joint></model>"""


def read(models: str, state: str) -> loaders.Scene:
    """Return the scene of a world with models and a state."""
    text = (
        f"<sdf version='1.6'><world name='w'>{models}<state "
        f"world_name='w'>{state}</state></world></sdf>"
    )
    return loaders.load_string(text, format="sdf", quiet=True)


def codes(scene: loaders.Scene) -> set[str]:
    return {entry.code for entry in scene.diagnostics if entry.code.startswith("sdf.state")}


# ``<population>``: copies of a model, as Gazebo classic places them.

TYPE = "<distribution><type>{}</type>{}</distribution>"


def populated(
    distribution: str, rest: str = "", pose: str = "1 2 3 0 0 0", limits: Limits | None = None
) -> loaders.Scene:
    population = (
        f"<population name='p'><model name='m'><pose>9 9 9 0 0 1</pose><link name='l'/></model>"
        f"<pose>{pose}</pose>{distribution}{rest}</population>"
    )
    text = f"<sdf version='1.9'><world name='w'>{population}</world></sdf>"
    return loaders.load_string(text, format="sdf", quiet=True, limits=limits or Limits())


def test_a_grid_of_models_is_centered_on_its_pose() -> None:
    size = "<rows>2</rows><cols>3</cols><step>0.5 2 7</step>"
    scene = populated(TYPE.format("grid", size))
    found = {link.name: link.X_WL for link in scene.links}
    expected = [(x, y, 3.0) for y in (1.0, 3.0) for x in (0.5, 1.0, 1.5)]
    assert list(found) == [f"m_clone_{number}::l" for number in range(6)]
    np.testing.assert_allclose([pose.p for pose in found.values()], expected)
    assert all((np.eye(3) == pose.R).all() for pose in found.values())
    # Gazebo moves the corner along the axes of the world, then turns the offsets.
    turned = populated(TYPE.format("grid", size), pose="1 2 3 0 0 1.5707963267948966")
    corner = np.array((0.5, 1.0, 3.0))
    expected_turned = [corner + np.array((-y, x, 0.0)) for y in (0.0, 2.0) for x in (0.0, 0.5, 1.0)]
    np.testing.assert_allclose([link.X_WL.p for link in turned.links], expected_turned, atol=1e-12)


@pytest.mark.parametrize(("axis", "number"), [("x", 0), ("y", 1), ("z", 2)])
def test_a_line_of_models_divides_the_box(axis: str, number: int) -> None:
    scene = populated(
        TYPE.format(f"linear-{axis}", ""),
        "<model_count>4</model_count><box><size>2 4 8</size></box>",
    )
    size = (2.0, 4.0, 8.0)[number]
    expected = np.tile((1.0, 2.0, 3.0), (4, 1))
    expected[:, number] += size * (np.arange(4) / 4 - 0.5)
    np.testing.assert_allclose([link.X_WL.p for link in scene.links], expected)


@pytest.mark.parametrize(
    ("distribution", "rest", "words"),
    [
        (TYPE.format("random", ""), "<box><size>1 1 1</size></box>", "'random' is random"),
        (TYPE.format("uniform", ""), "<box><size>1 1 1</size></box>", "'uniform' is random"),
        (TYPE.format("grid", "<rows>0</rows><cols>2</cols>"), "", "no 0 x 2 models"),
        (TYPE.format("linear-x", ""), "<cylinder><radius>1</radius></cylinder>", "no <box>"),
        ("", "", "no <distribution>"),
    ],
)
def test_other_populations_are_named(distribution: str, rest: str, words: str) -> None:
    scene = populated(distribution, rest)
    assert not scene.links
    (entry,) = scene.diagnostics
    assert (entry.code, entry.fate) == ("sdf.population", Fate.DROPPED)
    assert words in entry.message


def test_a_population_has_at_most_as_many_elements_as_a_load() -> None:
    with pytest.raises(loaders.LoadError, match="elements"):
        populated(
            TYPE.format("grid", "<rows>100000</rows><cols>100000</cols>"),
            limits=Limits(elements=20_000),
        )


@pytest.mark.parametrize("static", [False, True])
def test_a_model_starts_at_its_saved_pose(static: bool) -> None:
    model = (
        f"<model name='box'><static>{int(static)}</static><link name='l'><pose>0 0 1 0 0 "
        f"0</pose>{BOX}</link></model>"
    )
    scene = read(model, "<model name='box'><pose>3 0 0 0 0 1.5</pose></model>")
    assert np.allclose(scene.links[0].X_WL.p, (3, 0, 1))
    assert math.isclose(scene.models[0].X_WM.R[1, 0], math.sin(1.5))
    (noted,) = [entry for entry in scene.diagnostics if entry.code == "sdf.state"]
    assert (noted.fate, noted.arguments["distance"]) == (Fate.NOTED, 3.0)


def test_the_saved_pose_of_a_link_is_in_the_world_and_wins() -> None:
    model = f"<model name='box'><link name='l'><pose>0 0 1 0 0 0</pose>{BOX}</link></model>"
    scene = read(
        model,
        (
            "<model name='box'><pose>3 0 0 0 0 0</pose><link name='l'><pose>4 0 2 0 0 "
            "0</pose></link></model>"
        ),
    )
    assert np.allclose(scene.links[0].X_WL.p, (4, 0, 2))


@pytest.mark.parametrize(
    ("kind", "pose", "position"),
    [("revolute", "5 0 1 0 0.3 0", 0.3), ("prismatic", "5 0.2 1 0 0 0", 0.2)],
)
def test_joints_start_at_the_positions_that_saved_poses_imply_in_both_engines(
    kind: str, pose: str, position: float
) -> None:
    links = (
        f"<link name='base'><pose>5 0 0 0 0 0</pose></link><link "
        f"name='arm'><pose>{pose}</pose></link>"
    )
    scene = read(
        PENDULUM.replace("TYPE", kind), f"<model name='p'><pose>5 0 0 0 0 0</pose>{links}</model>"
    )
    assert codes(scene) == {"sdf.state"}
    assert scene.joints[0].default_position == pytest.approx((position,))
    assert np.allclose(scene.links[1].X_WL.p, (5, 0, 1))  # at the zero configuration
    expected = [float(word) for word in pose.split()[:3]]
    model = bridge.to_mjspec(scene, quiet=True).compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    assert np.allclose(data.body("p::arm").xpos, expected)
    client = pybullet.connect(pybullet.DIRECT)
    try:
        robot = bridge.load_world_into_pybullet(scene, physicsClientId=client, quiet=True)[0]
        assert np.allclose(robot.link_pose("p::arm").p, expected)
    finally:
        pybullet.disconnect(physicsClientId=client)


def test_poses_that_a_joint_cannot_reach_are_reported_with_their_error() -> None:
    links = (
        "<link name='base'><pose>0 0 0 0 0 0</pose></link><link name='arm'><pose>0 0.5 1 0 0 "
        "0</pose></link>"
    )
    scene = read(PENDULUM.replace("TYPE", "revolute"), f"<model name='p'>{links}</model>")
    (entry,) = [entry for entry in scene.diagnostics if entry.code == "sdf.state-unreached"]
    assert (entry.subjects, entry.arguments["error"]) == (("p::j",), pytest.approx(0.5))


def test_anchors_in_the_world_and_nested_models_follow_the_model() -> None:
    inner = f"<model name='b'><link name='l'>{MASS}</link></model>"
    nested = (
        f"<model name='a'>{inner}<joint name='f' "
        f"type='fixed'><parent>world</parent><child>b::l</child></joint></model>"
    )
    scene = read(nested, "<model name='a'><pose>0 2 0 0 0 0</pose></model>")
    assert np.allclose(scene.links[0].X_WL.p, (0, 2, 0))
    assert np.allclose(scene.joints[0].X_PJ.p, (0, 2, 0))
    assert [model.X_WM.p[1] for model in scene.models] == [2.0, 2.0]


def test_lights_move_and_what_is_not_kept_is_reported() -> None:
    models = "<light name='lamp' type='point'><pose>0 0 1 0 0 0</pose></light>" + PENDULUM.replace(
        "TYPE", "revolute"
    )
    link = "<link name='base'><pose>0 0 0 0 0 0</pose><velocity>1 0 0 0 0 0</velocity></link>"
    state = (
        f"<light name='lamp'><pose>0 0 7 0 0 0</pose></light><model name='p'><scale>2 1 "
        f"1</scale>{link}</model>"
    )
    scene = read(models, state + "<model name='gone'><pose>1 0 0 0 0 0</pose></model>")
    assert scene.lights[0].X_LLight.p[2] == 7.0
    assert codes(scene) == {
        "sdf.state",
        "sdf.state-velocity",
        "sdf.state-scale",
        "sdf.state-unknown",
    }


def test_only_the_first_state_counts() -> None:
    model = f"<model name='box'><link name='l'>{BOX}</link></model>"
    first = "<model name='box'><pose>1 0 0 0 0 0</pose></model></state><state world_name='w'>"
    scene = read(model, first + "<model name='box'><pose>2 0 0 0 0 0</pose></model>")
    assert scene.links[0].X_WL.p[0] == 1.0


# Worlds: gravity, wind, magnetic field and physics.


def test_an_empty_world_has_the_defaults_of_the_specification() -> None:
    scene = read_sdf("<world name='w'/>")
    assert scene.gravity.tolist() == [0, 0, -9.8]
    assert scene.wind.tolist() == [0, 0, 0]
    assert scene.magnetic_field.tolist() == [5.5645e-6, 22.8758e-6, -42.3884e-6]
    physics = scene.physics
    assert (physics.time_step, physics.real_time_factor, physics.engine, physics.max_contacts) == (
        0.001,
        1,
        "ode",
        20,
    )


def test_gravity_wind_and_the_default_physics_profile_are_read() -> None:
    scene = read_sdf(
        "<world name='w'><gravity>0 0 -1.6</gravity><wind><linear_velocity>1 2 "
        "3</linear_velocity></wind>"
        "<physics name='a' type='ode'/><physics name='b' type='bullet' default='true'>"
        "<max_step_size>0.005</max_step_size><bullet><solver><iters>77</iters></solver></bullet></physics></world>"
    )
    assert (scene.gravity.tolist(), scene.wind.tolist()) == ([0, 0, -1.6], [1, 2, 3])
    assert (scene.physics.engine, scene.physics.time_step) == ("bullet", 0.005)
    assert ("bullet/solver/iters", "77") in scene.physics.parameters


# Lights in worlds and on links.


def test_lights_are_fixed_to_the_world_or_a_link() -> None:
    scene = read_sdf(
        "<world name='w'><light name='sun' type='directional'><pose>0 0 9 0 0 "
        "0</pose><direction>1 0 -1</direction>"
        "<attenuation><range>50</range><quadratic>0.5</quadratic></attenuation></light>"
        "<model name='m'><link name='l'><light name='lamp' "
        "type='spot'><spot><outer_angle>0.6</outer_angle></spot>"
        "</light></link></model></world>"
    )
    sun, lamp = scene.lights
    assert (sun.name, sun.link, sun.direction, sun.range, sun.attenuation) == (
        "sun",
        "world",
        (1, 0, -1),
        50,
        (1, 1, 0.5),
    )
    assert sun.X_LLight.p.tolist() == [0, 0, 9]
    assert (lamp.name, lamp.link, lamp.type, lamp.outer_angle) == (
        "m::l::lamp",
        "m::l",
        "spot",
        0.6,
    )
