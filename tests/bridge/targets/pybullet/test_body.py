"""The handle of a body, its interactive use, and the traces of loading in PyBullet and on the disk."""

from __future__ import annotations

import copy
import pickle
import tempfile
from typing import Any

import numpy as np
import pybullet
import pytest
from pybullet_utils.bullet_client import BulletClient

import bridge.targets.pybullet.load
from bridge import load_into_pybullet, load_world_into_pybullet, lower
from bridge.targets.pybullet import Bodies, PyBulletBody
from loaders import ExportError
from loaders.model import WORLD, Coupling, Ellipsoid, JointType, Model
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import codes, joint, link, random_scene, random_state, relative, scene

# The handle of a body, and the traces of loading in PyBullet and on the disk.

ARM = scene(
    [link("base"), link("upper"), link("fore")],
    [
        joint("shoulder", "base", "upper", X_PJ=Pose.of(p=(0, 0, 1))),
        joint("elbow", "upper", "fore", JointType.UNIVERSAL),
    ],
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of temporary files, empty."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


# --- the body id ----------------------------------------------------------------------------------


def test_the_handle_is_pybullets_body_id(bullet_client):
    robot = load_into_pybullet(ARM, physicsClientId=bullet_client)
    assert isinstance(robot, int)
    assert robot == pybullet.getBodyUniqueId(0, bullet_client)
    assert {robot: "x"}[int(robot)] == "x"
    assert f"{robot}" == str(int(robot)) == str(robot)
    assert f"{robot:03d}" == "000"
    assert pickle.loads(pickle.dumps(robot)) == copy.copy(robot) == int(robot)
    assert "base" not in repr(robot)
    assert pybullet.getNumJoints(robot, bullet_client) == 3
    assert pybullet.getBodyInfo(robot, bullet_client)[1] == b"m"


def test_names_give_pybullets_indices(bullet_client):
    robot = load_into_pybullet(ARM, physicsClientId=bullet_client)
    assert robot.links == {"base": -1, "upper": 0, "fore": 2}
    assert robot.joints == {"shoulder": 0, "elbow_1": 1, "elbow_2": 2, "elbow": 2}
    for name in ("shoulder", "elbow_1", "elbow_2"):
        assert pybullet.getJointInfo(robot, robot.joints[name], bullet_client)[1].decode() == name
    for name in ("upper", "fore"):
        assert pybullet.getJointInfo(robot, robot.links[name], bullet_client)[12].decode() == name


def test_an_unknown_link_or_joint_is_named_with_those_that_there_are(bullet_client):
    robot = load_into_pybullet(ARM, physicsClientId=bullet_client)
    with pytest.raises(ValueError, match=r"unknown link 'hand'.*base, upper, fore"):
        robot.link_pose("hand")
    with pytest.raises(ValueError, match="joint 'wrist'"):
        robot.set_positions({"wrist": 1.0})
    with pytest.raises(ValueError, match="elbow"):
        robot.set_positions({"elbow": 1.0})
    with pytest.raises(ValueError, match="joint 'wrist'"):
        robot.apply_efforts({"wrist": 1.0})


def test_a_joint_that_closes_a_loop_is_said_to_be_a_constraint(bullet_client):
    bars = [
        joint("near", "base", "rod", JointType.BALL),
        joint("far", "rod", "tip"),
        joint("end", "base", "tip", JointType.BALL),
    ]
    model = scene([link("base"), link("rod"), link("tip")], bars)
    robot = load_world_into_pybullet(model, physicsClientId=bullet_client)
    (cut,) = {one.name for one in bars} - set(robot.joints)
    assert cut in robot.constraints
    with pytest.raises(
        KeyError, match=f"the joint '{cut}' closes a kinematic loop: PyBullet has a constraint"
    ):
        robot.joints[cut]
    with pytest.raises(KeyError, match="closes a kinematic loop"):
        robot[0].joints[cut]


def test_a_removed_body_raises_an_error(bullet_client):
    with load_into_pybullet(ARM, physicsClientId=bullet_client) as robot:
        assert pybullet.getNumBodies(bullet_client) == 1
    assert pybullet.getNumBodies(bullet_client) == 0
    with pytest.raises(RuntimeError, match="removed"):
        robot.positions()
    robot.remove()
    again = load_into_pybullet(ARM, physicsClientId=bullet_client)
    assert again == robot, "PyBullet gives ids again"
    robot.remove()
    assert again.positions()["shoulder"] == 0.0


CALLS = [
    ("positions",),
    ("velocities",),
    ("set_positions", {"shoulder": 0.1}),
    ("set_velocities", {"shoulder": 0.1}),
    ("reset",),
    ("link_pose", "fore"),
    ("mass_matrix",),
    ("bias_forces",),
    ("apply_efforts", {"shoulder": 0.1}),
    ("apply_physics",),
    ("step",),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
def test_a_body_that_a_reset_of_the_server_removed_raises_an_error(call):
    client = pybullet.connect(pybullet.DIRECT)
    robot = load_into_pybullet(ARM, physicsClientId=client)
    bodies = load_world_into_pybullet(ARM, physicsClientId=client)
    pybullet.resetSimulation(physicsClientId=client)
    for handle in (robot, bodies):
        with pytest.raises(
            RuntimeError,
            match="m is no longer in PyBullet: resetSimulation or removeBody removed it",
        ):
            getattr(handle, call[0])(*call[1:])
    pybullet.disconnect(client)
    with pytest.raises(RuntimeError, match="the physics server of m is closed; connect again"):
        getattr(robot, call[0])(*call[1:])
    robot.remove()


def test_a_body_that_has_the_id_of_a_removed_one_is_left_alone(bullet_client, capfd):
    robot = load_into_pybullet(ARM, physicsClientId=bullet_client)
    pybullet.resetSimulation(physicsClientId=bullet_client)
    other = load_into_pybullet(scene([link("cart")]), physicsClientId=bullet_client)
    assert int(other) == int(robot)
    with pytest.raises(RuntimeError, match="no longer in PyBullet"):
        robot.set_positions({"shoulder": 0.1})
    robot.remove()
    assert pybullet.getNumBodies(bullet_client) == 1
    other.remove()
    assert "failed" not in capfd.readouterr().out


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1.0, 2.0], "fast"])
@pytest.mark.parametrize("method", ["apply_efforts", "inverse_dynamics", "set_velocities"])
def test_a_value_that_is_no_number_does_not_reach_pybullet(bullet_client, method, value):
    robot = load_into_pybullet(ARM, physicsClientId=bullet_client)
    for handle in (robot, load_world_into_pybullet(ARM, physicsClientId=bullet_client)):
        with pytest.raises(ValueError, match="joint 'shoulder' needs 1 finite number"):
            getattr(handle, method)({"shoulder": value})
        with pytest.raises(ValueError, match="unknown joint 'sholder'; did you mean 'shoulder'"):
            getattr(handle, method)({"sholder": 1.0})
    pybullet.stepSimulation(bullet_client)
    assert np.isfinite(robot.positions()["shoulder"])


# --- clients --------------------------------------------------------------------------------------


def test_clients_are_apart(bullet_client):
    other = BulletClient(pybullet.DIRECT)
    first = load_into_pybullet(ARM, physicsClientId=bullet_client)
    second = load_into_pybullet(ARM, physicsClientId=other)
    first.set_positions({"shoulder": 0.5})
    assert second.positions()["shoulder"] == 0.0
    assert other.getNumBodies() == 1
    second.remove()
    assert (other.getNumBodies(), pybullet.getNumBodies(bullet_client)) == (0, 1)


def test_without_a_server_the_call_says_what_to_do():
    with pytest.raises(ValueError, match=r"pybullet\.connect"):
        load_into_pybullet(ARM, physicsClientId=77)


# --- where it stands ------------------------------------------------------------------------------


@pytest.mark.parametrize("fixed", [True, False])
def test_base_position_and_orientation_move_the_whole_scene(bullet_client, fixed):
    source = random_scene(1, fixed=fixed)
    X_WN = Pose.from_vector((1.0, 2.0, 3.0, 0.9, -0.2, 0.3, 0.1))
    w, *xyz = X_WN.to_vector()[3:]
    robot = load_into_pybullet(
        source,
        physicsClientId=bullet_client,
        basePosition=X_WN.p.tolist(),
        baseOrientation=[*xyz, w],
    )
    for name, pose in lower(source).link_poses().items():
        assert robot.link_pose(name).is_close(X_WN @ pose, 1e-12)


def test_the_base_of_a_urdf_goes_where_loadurdf_puts_it(bullet_client, tmp_path):
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    inertial = f'<inertial><origin xyz=".1 .2 .3"/><mass value="1"/>{inertia}</inertial>'
    path = tmp_path / "r.urdf"
    path.write_text(f'<robot name="r"><link name="a">{inertial}</link></robot>')
    place = {"basePosition": (1, 2, 3), "baseOrientation": (0.5, 0.5, 0.5, 0.5)}
    native = pybullet.loadURDF(str(path), **place, physicsClientId=bullet_client)
    robot = load_into_pybullet(path, **place, physicsClientId=bullet_client)
    expected = pybullet.getBasePositionAndOrientation(native, bullet_client)
    for ours, theirs in zip(
        pybullet.getBasePositionAndOrientation(robot, bullet_client), expected, strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-7)


def test_use_fixed_base_holds_a_free_robot_and_keeps_its_indices(bullet_client):
    free = load_into_pybullet(ARM, physicsClientId=bullet_client)
    fixed = load_into_pybullet(ARM, physicsClientId=bullet_client, useFixedBase=True)
    assert free.joints == fixed.joints
    assert fixed.mechanism.v_order == (("shoulder", 0), ("elbow", 0), ("elbow", 1))
    pybullet.setGravity(0, 0, -9.81, physicsClientId=bullet_client)
    for _ in range(20):
        pybullet.stepSimulation(bullet_client)
    assert fixed.link_pose("base").is_close(IDENTITY)
    assert free.link_pose("base").p[2] < -0.01


def test_use_fixed_base_false_frees_what_is_welded_to_the_world(bullet_client):
    source = random_scene(3, fixed=True)
    free = load_into_pybullet(source, physicsClientId=bullet_client, useFixedBase=False)
    assert free.mechanism.v_order[:6] == tuple(("l0", i) for i in range(6))
    q, _ = random_state(free.mechanism, 0)
    free.set_positions(q)
    assert relative(free.mass_matrix(), free.mechanism.mass_matrix(q)) <= 1e-12


def test_a_static_model_is_the_base_itself(bullet_client):
    models = (Model(name="m", X_WM=IDENTITY, canonical_link="table", static=True),)
    X_WL = Pose.from_vector((1, 2, 3, 0.9, 0.1, 0.2, 0.3))
    legs = link("legs", X_WL=Pose.of(p=(0, 0, 5)))
    table = load_into_pybullet(
        scene([link("table", X_WL=X_WL), legs], models=models), physicsClientId=bullet_client
    )
    assert table.links == {"table": -1, "legs": 0}
    assert table.link_pose("table").is_close(X_WL)
    assert table.link_pose("legs").is_close(legs.X_WL, 1e-12)
    assert table.mechanism.v_order == ()
    assert table.mass_matrix().shape == (0, 0)
    assert table.bias_forces().shape == (0,)
    position, _ = pybullet.getBasePositionAndOrientation(table, bullet_client)
    np.testing.assert_allclose(position, (1, 2, 3))


def test_global_scaling_scales_lengths_and_keeps_masses(bullet_client):
    source = random_scene(4, fixed=True)
    robot = load_into_pybullet(source, physicsClientId=bullet_client, globalScaling=2.0)
    plain = lower(source)
    q, _ = random_state(plain, 0)
    doubled = {
        name: tuple(2.0 * x for x in value)
        if source_joint(plain, name).type is JointType.PRISMATIC
        else (2.0 * value[0], 2.0 * value[1], value[2])
        if source_joint(plain, name).type is JointType.PLANAR
        else value
        for name, value in q.items()
    }
    robot.set_positions(doubled)
    for name, pose in plain.link_poses(q).items():
        assert robot.link_pose(name).is_close(Pose.of(pose.R, 2.0 * pose.p), 1e-12)
    mass = sum(pybullet.getDynamicsInfo(robot, i, bullet_client)[0] for i in robot.links.values())
    assert mass == pytest.approx(sum(link.inertia.mass for link in source.links))


def source_joint(mechanism, name):
    return next(body.source for body in mechanism.bodies if body.joint == name)


def test_global_scaling_must_be_positive(bullet_client):
    with pytest.raises(ValueError, match="globalScaling"):
        load_into_pybullet(ARM, physicsClientId=bullet_client, globalScaling=0.0)


# --- several bodies -------------------------------------------------------------------------------


# --- what stays behind ----------------------------------------------------------------------------


def test_loading_changes_nothing_of_the_world(bullet_client):
    pybullet.setTimeStep(0.0123, bullet_client)
    before = pybullet.getPhysicsEngineParameters(bullet_client)
    robot = load_into_pybullet(ARM, physicsClientId=bullet_client)
    robot.mass_matrix()
    robot.bias_forces()
    assert pybullet.getPhysicsEngineParameters(bullet_client) == before
    robot.apply_physics()
    after = pybullet.getPhysicsEngineParameters(bullet_client)
    assert (after["gravityAccelerationZ"], after["fixedTimeStep"]) == (-9.8, 0.001)


def test_no_file_is_left_behind(bullet_client, folder):
    load_into_pybullet(
        scene([link("a", shape=Ellipsoid(radii=(1, 2, 3)))]), physicsClientId=bullet_client
    )
    assert list(folder.iterdir()) == []


def test_no_file_and_no_body_is_left_behind_by_a_failure(bullet_client, folder, monkeypatch):
    def fail(*_):
        raise OSError("on purpose")

    monkeypatch.setattr(bridge.targets.pybullet.load, "_configure", fail)
    with pytest.raises(OSError, match="on purpose"):
        load_into_pybullet(ARM, physicsClientId=bullet_client)
    assert list(folder.iterdir()) == []
    assert pybullet.getNumBodies(bullet_client) == 0


def test_a_flag_that_would_change_the_model_is_ignored_and_reported(bullet_client):
    flags = (
        pybullet.URDF_MERGE_FIXED_LINKS
        | pybullet.URDF_USE_SELF_COLLISION
        | pybullet.URDF_USE_INERTIA_FROM_FILE
    )
    source = scene([link("a"), link("b")], [joint("j", "a", "b", JointType.FIXED)])
    robot = load_into_pybullet(source, physicsClientId=bullet_client, flags=flags)
    assert robot.links == {"a": -1, "b": 0}
    (entry,) = [entry for entry in robot.diagnostics if entry.code == "pybullet.flag-ignored"]
    flags = [flag.partition(" ")[0] for flag in entry.arguments["flags"]]
    assert flags == ["URDF_USE_SELF_COLLISION", "URDF_MERGE_FIXED_LINKS"]


def test_strict_refuses_what_would_be_lost_before_pybullet_is_touched(bullet_client):
    source = scene([link("a")], [joint("j", WORLD, "a", axis={"velocity": 1.0})])
    assert "pybullet.velocity-limit" in codes(
        load_into_pybullet(source, physicsClientId=bullet_client)
    )
    with pytest.raises(ExportError, match="velocity-limit"):
        load_into_pybullet(source, physicsClientId=bullet_client, strict=True)
    assert pybullet.getNumBodies(bullet_client) == 1


def test_a_default_position_is_where_the_robot_starts(bullet_client):
    source = scene([link("a")], [joint("j", WORLD, "a", default_position=(0.4,))])
    assert load_into_pybullet(source, physicsClientId=bullet_client).positions()["j"] == 0.4


@pytest.mark.parametrize("call", ["apply_control", "inverse_dynamics"])
def test_what_is_no_mapping_is_refused(bullet_client: int, call: str) -> None:
    robot = load_into_pybullet(ARM, physicsClientId=bullet_client)
    with pytest.raises(
        TypeError, match=r"expected a mapping by name of joint, such as .* not \[0\.3\]"
    ):
        getattr(robot, call)([0.3])


def test_reset_restores_the_positions_of_loading(bullet_client):
    """A floating robot falls and turns; its base, its joints and a joint that follows are then as
    loaded.
    """
    coupling = Coupling(follower="b", leader="a", multiplier=2.0, offset=0.25)
    links = [link("base", X_WL=Pose.of(p=(0.1, 0.2, 3.0))), link("x"), link("y")]
    source = scene(links, [joint("a", "base", "x"), joint("b", "x", "y")], couplings=(coupling,))
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    start = robot.positions()
    assert start["b"] == pytest.approx(0.25)
    robot.set_positions({"a": 0.7, "base": (1, 2, 3, 0, 1, 0, 0)})
    robot.set_velocities({"a": 2.0, "base": (1, 2, 3, 4, 5, 6)})
    robot.reset()
    assert {name: pytest.approx(q, abs=1e-12) for name, q in robot.positions().items()} == start
    assert all(not np.any(v) for v in robot.velocities().values())


# Interactive use of handles: short representations, and completion of public names only.


def test_the_representation_of_a_body_is_short_and_useful(bullet_client: int) -> None:
    name = "very_" * 100 + "long"
    robot = load_into_pybullet(
        scene([link(name)], [joint("j", WORLD, name)]), physicsClientId=bullet_client
    )
    assert isinstance(robot, PyBulletBody)
    assert repr(robot).startswith(f"<PyBulletBody {int(robot)} ")
    assert "1 joint" in repr(robot)
    assert len(repr(robot)) < 200


def test_the_representation_of_a_sequence_is_short(bullet_client: int) -> None:
    bodies = load_into_pybullet(
        scene([link(f"l{i}") for i in range(50)]), physicsClientId=bullet_client
    )
    assert isinstance(bodies, Bodies)
    assert "50 PyBullet bodies" in repr(bodies)
    assert len(repr(bodies)) < 200


def test_completion_offers_public_names_only(bullet_client: int) -> None:
    robot = load_into_pybullet(
        scene([link("a")], [joint("j", WORLD, "a")]), physicsClientId=bullet_client
    )
    assert {"joints", "links", "link_pose", "set_positions", "diagnostics"} <= set(dir(robot))
    assert not [name for name in dir(robot) if name.startswith("_")]
    assert "bit_length" not in dir(robot)
    bodies = load_into_pybullet(scene([link("a"), link("b")]), physicsClientId=bullet_client)
    assert {"with_link", "mechanism", "link_separation"} <= set(dir(bodies))
    assert not [name for name in dir(bodies) if name.startswith("_")]


def test_a_step_of_bodies_without_forces_of_their_own_asks_only_whether_they_are_there(
    bullet_client: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = load_into_pybullet(ARM, physicsClientId=bullet_client)
    several = load_world_into_pybullet(scene([link("a"), link("b")]), physicsClientId=bullet_client)
    assert len(several) == 2
    calls: list[str] = []
    for name in ("getBodyInfo", "getPhysicsEngineParameters", "stepSimulation"):
        original = getattr(pybullet, name)

        def noted(*given: Any, name: str = name, original: Any = original, **options: Any) -> Any:
            calls.append(name)
            return original(*given, **options)

        monkeypatch.setattr(pybullet, name, noted)
    for handle, count in ((one, 1), (several, 2)):
        handle.step()
        calls.clear()
        handle.step()
        assert calls == ["getBodyInfo"] * count + ["stepSimulation"]
    one.remove()
    again = load_into_pybullet(ARM, physicsClientId=bullet_client)
    assert again == one, "PyBullet gives ids again"
    with pytest.raises(RuntimeError, match="was removed from PyBullet"):
        one.step()
