"""A lowered scene: bodies, names, reports, and references as indices; sources that public functions
take.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import pybullet
import pytest

import loaders
from bridge import load_into_pybullet, to_mjcf
from bridge.lowering import lower
from bridge.lowering.lower import Indices
from bridge.lowering.transform import mechanism_of, split_options
from bridge.mechanism.bodies import ROOT, BodyConnection, TendonConnection
from loaders.model import (
    WORLD,
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    Actuator,
    BallConstraint,
    Bushing,
    JointAxis,
    JointType,
    Model,
    Sphere,
    Tendon,
    TendonConstraint,
    TendonPart,
    TendonPartType,
    by_name,
)
from loaders.pose import IDENTITY, Pose, frozen
from tests.support import scenes
from tests.support.mujoco_oracle import compiled
from tests.support.simple_scenes import joint, link, scene

# Bodies, names and reports of a lowered scene.


def test_a_free_link_with_the_name_of_a_joint_is_distinguished():
    mechanism = lower(scene([link("base"), link("arm")], [joint("base", "base", "arm")]))
    assert [body.joint for body in mechanism.bodies] == ["_base", "base"]


def test_static_models_are_held_where_they_stand():
    statue = Model(name="statue", X_WM=IDENTITY, canonical_link="s", static=True)
    links = [
        link("s", model="statue", p=(0, 0, 1)),
        link("t", model="statue", p=(0, 0, 2)),
        link("arm", p=(0, 0, 3)),
    ]
    joints = [joint("inside", "s", "t"), joint("shoulder", "t", "arm", X_PJ=Pose.of(p=(0, 0, 1)))]
    mechanism = lower(scene(links, joints, models=(statue,)))
    assert mechanism.v_order == (("shoulder", 0),)
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.static-joint"]
    assert mechanism.link_poses({"shoulder": 1.0})["t"].p.tolist() == [0, 0, 2]


def test_the_worlds_own_link_stays_with_the_world():
    mechanism = lower(scene([link("a"), link(WORLD)], [joint("j", WORLD, "a")]))
    assert mechanism.v_order == (("j", 0),)
    assert by_name(mechanism.bodies)["a"].parent == ROOT


def test_a_kinematic_link_on_a_joint_moves_and_is_reported():
    mechanism = lower(
        scene([dataclasses.replace(link("a"), kinematic=True)], [joint("j", WORLD, "a")])
    )
    assert mechanism.v_order == (("j", 0),)
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.kinematic-in-joint"]


HEIGHT = 2.0


def pendulum():
    """Return a bar on a hinge below a kinematic link, far above the ground."""
    X_WL = Pose.of(p=(0, 0, HEIGHT))
    platform = dataclasses.replace(
        scenes.link("platform", X_WL=X_WL, shape=Sphere(radius=0.1)), kinematic=True
    )
    hinge = scenes.joint("hinge", "platform", "bar", xyz=(0, 1, 0))
    return scenes.scene([scenes.link("bar", X_WL=X_WL), platform], [hinge])


def test_mujoco_moves_a_kinematic_link_by_mocap_alone():
    model = compiled(to_mjcf(pendulum()))
    assert (model.nmocap, model.nv) == (1, 1)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 200)
    np.testing.assert_array_equal(data.body("platform").xpos, (0, 0, HEIGHT))
    assert abs(data.joint("hinge").qpos[0]) > 0.1
    data.mocap_pos[0] = (1.0, 0, HEIGHT)
    mujoco.mj_step(model, data)
    np.testing.assert_array_equal(data.body("platform").xpos, (1.0, 0, HEIGHT))
    np.testing.assert_allclose(data.body("bar").xpos, (1.0, 0, HEIGHT), atol=1e-12)


def test_pybullet_leaves_a_kinematic_link_where_it_is_put(bullet_client):
    pybullet.setGravity(0, 0, -9.8, physicsClientId=bullet_client)
    robot = load_into_pybullet(pendulum(), physicsClientId=bullet_client)
    for _ in range(200):
        robot.step()
    assert robot.link_pose("platform").p == pytest.approx((0, 0, HEIGHT), abs=1e-12)
    assert abs(robot.positions()["hinge"]) > 0.1
    pybullet.resetBasePositionAndOrientation(
        robot, (1.0, 0, HEIGHT), (0, 0, 0, 1), physicsClientId=bullet_client
    )
    robot.step()
    assert robot.link_pose("platform").p == pytest.approx((1.0, 0, HEIGHT), abs=1e-12)


def reflected(kind, axes, **rest):
    """The diagonal that rotors and axes add to the mass matrix of one joint."""
    parts = {
        "actuators": (Actuator(name="m", joint="j", gear_ratio=3.0, rotor_inertia=0.1),),
        **rest,
    }
    with_rotor = lower(scene([link("a")], [joint("j", WORLD, "a", kind, axes=axes)], **parts))
    without = lower(scene([link("a")], [joint("j", WORLD, "a", kind, axes=axes)]))
    added = with_rotor.mass_matrix() - without.mass_matrix()
    np.testing.assert_allclose(added, np.diag(np.diag(added)), atol=1e-15)
    return np.diag(added)


@pytest.mark.parametrize(
    "kind", [JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.SCREW]
)
def test_a_rotor_is_felt_with_the_square_of_its_gear_ratio(kind):
    """The rotor turns three times as fast as the joint: its energy is ``(0.1 * 3^2) / 2`` times the
    squared rate.
    """
    np.testing.assert_allclose(reflected(kind, (Z_AXIS,)), [0.9], rtol=1e-15)


def test_an_actuator_turns_the_one_velocity_of_its_joint_only():
    np.testing.assert_array_equal(reflected(JointType.UNIVERSAL, (X_AXIS, Y_AXIS)), [0.0, 0.0])
    np.testing.assert_array_equal(reflected(JointType.BALL, ()), [0.0, 0.0, 0.0])


def test_inertia_that_axes_state_is_felt_at_the_velocity_of_its_axis():
    axes = tuple(
        JointAxis(xyz=xyz, inertia=value)
        for xyz, value in ((X_AXIS, 0.1), (Y_AXIS, 0.2), (Z_AXIS, 0.4))
    )

    def inertia(kind, count):
        moved = dataclasses.replace(joint("j", WORLD, "a", kind), axes=axes[:count])
        return lower(scene([link("a")], [moved])).bodies[0].reflected_inertia

    assert inertia(JointType.PLANAR, 3) == (0.1, 0.2, 0.4)
    assert inertia(JointType.UNIVERSAL, 2) == (0.1, 0.2)
    assert inertia(JointType.BALL, 1) == (0.1, 0.1, 0.1)
    assert inertia(JointType.FLOATING, 2) == (0.1, 0.1, 0.1, 0.2, 0.2, 0.2)
    assert inertia(JointType.SCREW, 1) == (0.1,)


def test_inertia_of_tendons_that_no_two_branches_move_is_not_reported():
    """One end on the world, both ends on one link, or both on a chain."""
    links = [link("a"), link("b", p=(0, 0, 1)), link("c", p=(0, 0, 2))]
    joints = [joint(f"a{x.name}", "a", x.name, X_PJ=x.X_WL) for x in links[1:]]

    def codes(one, two):
        ends = tuple(
            TendonPart(type=TendonPartType.POINT, link=name, X_LP=Pose.of(p=(x, 0, 0)))
            for x, name in enumerate((one, two))
        )
        mechanism = lower(
            scene(links, joints, tendons=(Tendon(name="t", parts=ends, inertia=0.1),))
        )
        return [entry.code for entry in mechanism.diagnostics]

    assert codes(WORLD, WORLD) == codes("a", "a") == codes(WORLD, "b") == codes("a", "c") == []
    assert codes("b", "c") == ["lower.tendon-inertia"]


@pytest.mark.parametrize("given", ["arm.sdf", None, 3])
def test_something_else_than_a_scene_is_refused(given):
    with pytest.raises(
        TypeError, match=r"expected a Scene, not \w+; sdfbridge.load\(path\) returns one"
    ):
        lower(given)


# Names in actuators, constraints and force elements, resolved to indices.

INDICES = Indices(
    bodies={"a": 0, "b": 1, WORLD: ROOT}, dofs={("j", 0): 0, ("u", 0): 1, ("u", 1): 2}
)
ONE = frozen((1.0, 1.0, 1.0))


def test_an_actuator_drives_the_first_velocity_of_its_joint() -> None:
    assert INDICES.actuator(Actuator(name="m", joint="u")).dof == 1
    assert INDICES.actuator(Actuator(name="m", joint="weld")).dof is None


def test_a_point_constraint_has_bodies_and_frames_without_rotation() -> None:
    ball = BallConstraint(link_A="b", link_B=WORLD, p_AP=ONE, p_BQ=2.0 * ONE)
    connection = INDICES.constraint(ball)
    assert isinstance(connection, BodyConnection)
    assert (connection.element, connection.body_a, connection.body_b) == (ball, 1, ROOT)
    np.testing.assert_array_equal(connection.X_BQ.p, (2.0, 2.0, 2.0))
    np.testing.assert_array_equal(connection.X_AP.R, np.eye(3))


def test_a_tendon_has_one_index_for_each_joint() -> None:
    connection = INDICES.constraint(
        TendonConstraint(joints=("u", "weld", "j"), coefficients=(1.0, 1.0, 1.0))
    )
    assert isinstance(connection, TendonConnection)
    assert connection.dofs == (1, None, 0)


def test_a_bushing_keeps_its_frames() -> None:
    X = Pose.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    bushing = Bushing(
        link_A="a",
        X_LA=X,
        link_C="b",
        X_LC=X.inverse(),
        torque_stiffness=ONE,
        torque_damping=ONE,
        force_stiffness=ONE,
        force_damping=ONE,
    )
    connection = INDICES.force_element(bushing)
    assert (connection.body_a, connection.body_b, connection.X_AP) == (0, 1, X)


def test_an_unknown_link_is_an_error_of_the_caller() -> None:
    with pytest.raises(KeyError):
        INDICES.constraint(BallConstraint(link_A="x", link_B="a", p_AP=ONE, p_BQ=ONE))


# Sources that public functions take.

PENDULUM = Path(__file__).parents[3] / "assets" / "double_pendulum.urdf"


def test_a_path_a_scene_and_a_mechanism_give_the_same_mechanism() -> None:
    scene = loaders.load(PENDULUM)
    for source in (PENDULUM, str(PENDULUM), scene, lower(scene)):
        assert mechanism_of(source).v_order == (("shoulder", 0), ("elbow", 0))


def test_other_sources_and_unknown_options_are_refused() -> None:
    with pytest.raises(TypeError, match="expected a path, a Scene or a Mechanism, not int"):
        mechanism_of(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="strickt"):
        mechanism_of(PENDULUM, strickt=True)  # type: ignore[call-arg]


@dataclass
class Options:
    strict: bool = False
    scale: float = 1.0


def test_options_go_to_the_export_or_to_the_load_and_strict_to_both() -> None:
    keywords = {"strict": True, "scale": 2.0, "quiet": True, "paths": None}
    of_export, of_load = split_options(Options, keywords)
    assert of_export == Options(strict=True, scale=2.0)
    assert of_load == {"strict": True, "quiet": True}
