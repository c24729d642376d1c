"""Links: flags, and the poses of their collisions, visuals, lights and sensors."""

from __future__ import annotations

import numpy as np

from loaders.model import by_name
from tests.support.sdf import (
    Q,
    assert_pose,
    inverse,
    joint_of,
    read_sdf,
    transform,
)


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
