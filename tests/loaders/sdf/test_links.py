"""Links: inertias, flags, and the poses and parameters of what is on them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from loaders.model import by_name
from tests.support.sdf import Q, assert_pose, inverse, joint_of, link_with, read_sdf, transform

# ``<inertial>``: declared, missing, and computed from the collisions.


def inertia_of(body: str, version: str = "1.7") -> tuple[float, list[float], NDArray[np.float64]]:
    found = (
        read_sdf(f"<model name='m'><link name='l'>{body}</link></model>", version).links[0].inertia
    )
    assert found is not None
    return found.mass, found.p_LLcm.tolist(), found.I_Lcm


@pytest.mark.parametrize(
    "inertial", ["", "<inertial/>", "<inertial><mass>1</mass><inertia/></inertial>"]
)
def test_a_missing_inertia_is_one_kilogram_with_unit_moments(inertial: str) -> None:
    inertia = link_with(inertial).inertia
    assert inertia is not None
    assert inertia.mass == 1
    assert np.array_equal(inertia.I_Lcm, np.eye(3))


def test_missing_moments_are_the_identity_for_any_mass() -> None:
    for body in ("", "<inertial/>"):
        mass, com, moments = inertia_of(body)
        assert (mass, com, moments.tolist()) == (1.0, [0.0, 0.0, 0.0], np.eye(3).tolist())
    mass, _, moments = inertia_of("<inertial><mass>3</mass></inertial>")
    assert (mass, moments.tolist()) == (3.0, np.eye(3).tolist())


def test_moments_are_rotated_from_the_inertial_frame_to_the_link() -> None:
    inertia = link_with(
        "<inertial><pose degrees='true'>0.1 0.2 0.3 0 0 "
        "90</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy>"
        "<izz>2.5</izz><ixy>0.1</ixy><ixz>0.2</ixz><iyz>0.3</iyz></inertia></inertial>"
    ).inertia
    assert inertia is not None
    assert inertia.p_LLcm.tolist() == [0.1, 0.2, 0.3]
    # x of the inertial frame is y of the link, and y is -x
    assert np.allclose(
        inertia.I_Lcm, [[2, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2.5]], atol=1e-15
    )


def test_the_pose_of_an_inertial_rotates_its_moments() -> None:
    values = "<ixx>2</ixx><iyy>3</iyy><izz>4</izz><ixz>0.5</ixz>"
    _, com, moments = inertia_of(
        f"<inertial><pose>0 0.3 0 {Q} 0 "
        f"0</pose><mass>5</mass><inertia>{values}</inertia></inertial>"
    )
    R = transform(0, 0, 0, roll=Q)[:3, :3]
    assert com == [0.0, 0.3, 0.0]
    np.testing.assert_allclose(
        moments, R @ np.array(((2, 0, 0.5), (0, 3, 0), (0.5, 0, 4))) @ R.T, atol=1e-15
    )


def test_moments_at_the_triangle_limit_and_zero_mass_are_valid() -> None:
    inertia_of(
        "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>3</izz></inertia></inertial>"
    )
    nothing = "<inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia>"
    inertia_of(f"<inertial><mass>0</mass>{nothing}</inertial>")


def test_an_impossible_inertia_is_kept_with_a_warning() -> None:
    scene = read_sdf(
        "<model name='m'><link "
        "name='a'><inertial><inertia><ixx>9</ixx></inertia></inertial></link></model>"
    )
    assert [entry.code for entry in scene.diagnostics] == ["model.impossible-inertia"]


def test_fluid_added_mass_is_a_symmetric_matrix_linear_first() -> None:
    added = link_with(
        "<inertial><fluid_added_mass><xx>1</xx><xq>2</xq><rr>3</rr></fluid_added_mass></inertial>"
    ).added_mass
    assert added is not None
    assert (added[0, 0], added[0, 4], added[4, 0], added[5, 5], np.count_nonzero(added)) == (
        1,
        2,
        2,
        3,
        4,
    )


def test_a_computed_inertia_uses_the_density_of_the_collision_the_inertial_or_water() -> None:
    def ball(name: str, x: float, density: str = "") -> str:
        shape = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
        return f"<collision name='{name}'><pose>{x} 0 0 0 0 0</pose>{density}{shape}</collision>"

    volume = 4 / 3 * math.pi * 0.1**3
    two = ball("left", -1, "<density>300</density>") + ball("right", 1)
    mass, com, moments = inertia_of(
        f"<inertial auto='true'><density>100</density></inertial>{two}", "1.11"
    )
    assert mass == pytest.approx(400 * volume)
    np.testing.assert_allclose(com, (-0.5, 0, 0), atol=1e-15)
    own = 0.4 * mass * 0.1**2
    apart = volume * (300 * 0.5**2 + 100 * 1.5**2)
    np.testing.assert_allclose(
        moments, np.diag((own, own + apart, own + apart)), rtol=1e-12, atol=1e-12
    )
    water, _, _ = inertia_of(f"<inertial auto='true'/>{ball('drop', 0)}", "1.11")
    assert water == pytest.approx(1000 * volume)
    weighed, _, scaled = inertia_of(
        f"<inertial auto='true'><mass>8</mass><density>100</density></inertial>{two}", "1.11"
    )
    assert weighed == 8.0
    np.testing.assert_allclose(scaled, moments * (8.0 / mass), rtol=1e-12, atol=1e-15)


def test_a_shape_without_volume_is_reported_with_its_scoped_name() -> None:
    collision = "<collision name='c'><geometry><plane/></geometry></collision>"
    model = f"<model name='m'><link name='l'><inertial auto='true'/>{collision}</link></model>"
    for body, subjects in (
        (model, ("l", "l::c")),
        (f"<world name='w'>{model}</world>", ("m::l", "m::l::c")),
    ):
        (entry,) = read_sdf(body, "1.11").diagnostics
        assert (entry.code, entry.subjects) == ("sdf.auto-inertia-shape", subjects)


# Links: flags, and the poses of their collisions, visuals, lights and sensors.


def test_flags_of_links_and_models_have_the_defaults_of_the_specification() -> None:
    scene = read_sdf(
        "<model "
        "name='m'><self_collide>1</self_collide><allow_auto_disable>false</allow_auto_disable>"
        "<link name='a'/><link name='b'><gravity>FALSE</gravity><kinematic>True</kinematic>"
        "<self_collide>0</self_collide><enable_wind>1</enable_wind>"
        "<velocity_decay><linear>0.1</linear></velocity_decay></link></model>"
    )
    model, (plain, flagged) = scene.models[0], scene.links
    assert (model.self_collide, model.allow_auto_disable, model.static, model.enable_wind) == (
        True,
        False,
        False,
        False,
    )
    assert (plain.gravity, plain.kinematic, plain.self_collide, plain.enable_wind) == (
        True,
        False,
        None,
        False,
    )
    assert (flagged.gravity, flagged.kinematic, flagged.self_collide, flagged.enable_wind) == (
        False,
        True,
        False,
        True,
    )
    assert flagged.velocity_decay == (0.1, 0)


def test_collisions_and_sensors_can_be_posed_relative_to_frames_of_the_model() -> None:
    scene = read_sdf(
        "<model name='m'><pose>7 7 7 1 2 3</pose><link name='a'><pose>0 0 1 0 0 0</pose>"
        "<collision name='c'><pose relative_to='f'>0 0 0.5 0 0 0</pose></collision>"
        "<sensor name='s' type='imu'><pose relative_to='__model__'>0 0 0 0 0 "
        "0</pose></sensor></link>"
        "<frame name='f'><pose>1 2 3 0 0 0</pose></frame></model>"
    )
    assert np.allclose(scene.links[0].collisions[0].X_LG.p, (1, 2, 2.5), atol=1e-14)
    assert np.allclose(scene.links[0].sensors[0].X_LS.p, (0, 0, -1), atol=1e-14)


def test_poses_in_a_link_can_be_relative_to_links_joints_frames_and_nested_models() -> None:
    box = "<geometry><box><size>1 1 1</size></box></geometry>"
    scene = read_sdf(
        f"""<model name='m'><link name='a'><pose>0 1 0 0 0 {Q}</pose>
          <collision name='c'><pose relative_to='peg'>0 0 0 0 0 0</pose>{box}</collision>
          <visual name='v'><pose relative_to='j'/>{box}</visual>
          <visual name='home'><pose relative_to='__model__'/>{box}</visual>
          <light name='lamp' type='point'><pose relative_to='b'>0 0 1 0 0 0</pose></light>
          <sensor name='eye' type='imu'><pose relative_to='n::spot'/></sensor></link>
        <link name='b'><pose>5 0 0 0 0 0</pose></link>
        <frame name='peg' attached_to='b'><pose>0 0 2 0 0 0</pose></frame>
        <joint name='j' type='revolute'><pose>0 0.5 0 0 0 0</pose><parent>a</parent><child>b</child><axis/>
          <sensor name='gauge' type='force_torque'><pose>0 0 0.2 0 0 0</pose></sensor></joint>
        <model name='n'><pose>0 0 -1 0 0 0</pose><link name='l'/><frame name='spot'><pose>3 0 0 0 0 0</pose></frame>
        </model></model>"""
    )
    X_aW = inverse(transform(0, 1, 0, yaw=Q))
    link = by_name(scene.links)["a"]
    assert_pose(link.collisions[0].X_LG, X_aW, transform(5, 0, 2))
    assert_pose(link.visuals[0].X_LG, X_aW, transform(5, 0.5, 0))
    assert_pose(link.visuals[1].X_LG, X_aW)
    assert_pose(link.sensors[0].X_LS, X_aW, transform(3, 0, -1))
    assert scene.lights[0].link == "a"
    assert_pose(scene.lights[0].X_LLight, X_aW, transform(5, 0, 1))
    assert_pose(joint_of(scene, "j").sensors[0].X_LS, transform(0, 0.5, 0.2))


# Sensors: their parameters as text.


def test_the_parameters_of_a_sensor_are_kept_as_text() -> None:
    sensor = link_with(
        "<sensor name='eye' type='camera'><update_rate>30</update_rate><camera name='c'>"
        "<horizontal_fov>1.5</horizontal_fov><image><width>64</width></image></camera><plugin "
        "filename='x'/></sensor>"
    ).sensors[0]
    assert (sensor.name, sensor.type, sensor.update_rate) == ("eye", "camera", 30)
    assert sensor.parameters == (
        ("camera@name", "c"),
        ("camera/horizontal_fov", "1.5"),
        ("camera/image/width", "64"),
    )
