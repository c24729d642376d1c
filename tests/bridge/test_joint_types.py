"""Every joint type in every reader, target, engine and comparison of files; and a type that none of
them knows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.lowering import lower
from loaders.drake.directives import displacement, initial_link_poses
from loaders.model import TRAITS, WORLD, Arc, Curve, JointType, Motion
from loaders.model import JointAxis as Axis
from loaders.pose import Pose, frozen
from loaders.scene import Scene
from tests.support.scenes import joint, link, scene

T = JointType
BAR = Curve(
    initial_tangent=frozen((1.0, 0.0, 0.0)),
    plane_normal=frozen((0.0, 0.0, 1.0)),
    arcs=(Arc(length=2.0, curvature=0.5),),
)
VELOCITIES = {
    T.FIXED: 0,
    T.REVOLUTE: 1,
    T.CONTINUOUS: 1,
    T.PRISMATIC: 1,
    T.BALL: 3,
    T.UNIVERSAL: 2,
    T.SCREW: 1,
    T.PLANAR: 3,
    T.REVOLUTE2: 2,
    T.GEARBOX: 0,
    T.CURVILINEAR: 1,
    T.FLOATING: 6,
}
"""Degrees of freedom of each type, by its definition."""


def unknown_type() -> JointType:
    """Return a joint type that no part of the program knows."""
    kind = str.__new__(JointType, "foo")
    kind._name_, kind._value_ = "FOO", "foo"
    return kind


def scene_with(kind: JointType) -> Scene:
    """Return a scene in which one joint of a type connects two links, on a link that is welded to
    the world; a gearbox couples two hinges instead.
    """
    axes = tuple(Axis(xyz=frozen(np.eye(3)[i])) for i in range(3))
    hold = joint("hold", WORLD, "a", T.FIXED)
    if kind is T.GEARBOX:
        hinges = [joint("j1", "a", "b", T.CONTINUOUS), joint("j2", "a", "c", T.CONTINUOUS)]
        gears = joint("j", "b", "c", kind, axes=axes[2:] * 2, gear_ratio=2.0, gear_reference="a")
        return scene([link("a"), link("b"), link("c")], [hold, *hinges, gears])
    count = TRAITS[kind].axis_count if kind in TRAITS else 1
    used = axes[:count]
    if kind is T.CURVILINEAR:
        used = (dataclasses.replace(axes[0], lower=0.0, upper=2.0),)
    if kind in (T.REVOLUTE, T.PRISMATIC):
        used = (dataclasses.replace(axes[0], lower=-1.0, upper=1.0),)
    moving = joint(
        "j",
        WORLD if kind is T.FLOATING else "a",
        "b",
        kind,
        axes=used,
        pitch=0.3 if kind is T.SCREW else 1.0,
        curve=BAR if kind is T.CURVILINEAR else None,
    )
    return scene([link("a"), link("b")], [hold, moving])


def types_of(read: Scene) -> dict[str, JointType]:
    return {each.name.rpartition("::")[2]: each.type for each in read.joints if each.name != "hold"}


def velocities_of(given: Scene) -> int:
    return len(lower(given).v_order)


def expected_velocities(kind: JointType) -> int:
    """Return the number of velocities of a scene: those of the joint, and of the two hinges that a
    gearbox couples.
    """
    return VELOCITIES[kind] + (2 if kind is T.GEARBOX else 0)


# --- the table ------------------------------------------------------------------------------------


def test_every_type_has_a_row() -> None:
    assert set(TRAITS) == set(JointType) == set(VELOCITIES)


@pytest.mark.parametrize("kind", JointType)
def test_the_table_states_the_degrees_of_freedom(kind: JointType) -> None:
    traits = kind.traits
    assert traits.velocity_count == VELOCITIES[kind]
    quaternions = sum(motion in (Motion.BALL, Motion.FREE) for motion in traits.motions)
    assert traits.position_count == VELOCITIES[kind] + quaternions
    assert velocities_of(scene_with(kind)) == expected_velocities(kind)


@pytest.mark.parametrize("kind", [kind for kind in JointType if len(kind.traits.motions) > 0])
def test_the_motions_are_the_primitives_of_the_mechanism(kind: JointType) -> None:
    (body,) = (body for body in lower(scene_with(kind)).bodies if body.name == "b")
    replaced = {Motion.SCREW: ["hinge", "slide"], Motion.CURVE: ["hinge"]}
    expected = [name for motion in kind.traits.motions for name in replaced.get(motion, [motion])]
    assert [primitive.kind.value for primitive in body.primitives] == expected


# --- readers and targets --------------------------------------------------------------------------

IN_SDF = {T.FLOATING: {}, T.GEARBOX: {"j": T.GEARBOX, "j1": T.CONTINUOUS, "j2": T.CONTINUOUS}}
IN_URDF = {
    T.REVOLUTE2: {"j_axis1": T.CONTINUOUS, "j_axis2": T.CONTINUOUS},
    T.GEARBOX: {"j1": T.CONTINUOUS, "j2": T.CONTINUOUS},
}
IN_PLAIN_URDF = {
    **IN_URDF,
    T.UNIVERSAL: {"j_axis1": T.CONTINUOUS, "j_axis2": T.CONTINUOUS},
    T.BALL: {f"j_{axis}": T.CONTINUOUS for axis in "xyz"},
    T.PLANAR: {"j_axis1": T.PRISMATIC, "j_axis2": T.PRISMATIC, "j_axis3": T.CONTINUOUS},
    T.SCREW: {"j": T.CONTINUOUS, "j_slide": T.PRISMATIC},
}
"""Joints that a format has instead of a joint ``j`` of a type; other types stay as they are."""


@pytest.mark.parametrize("kind", JointType)
def test_sdf_keeps_the_type(kind: JointType) -> None:
    read = loaders.load_string(str(bridge.to_sdf(scene_with(kind))), format="sdf")
    assert types_of(read) == IN_SDF.get(kind, {"j": kind})
    assert velocities_of(read) == expected_velocities(kind)


def urdf_scene(kind: JointType) -> Scene:
    """Return a scene with one root, as URDF needs it."""
    given = scene_with(kind)
    if kind is not T.FLOATING:
        return given
    joints = tuple(
        dataclasses.replace(each, parent="a") if each.name == "j" else each for each in given.joints
    )
    return dataclasses.replace(given, joints=joints)


@pytest.mark.parametrize("kind", JointType)
@pytest.mark.parametrize(("joints", "replaced"), [("all", IN_URDF), ("plain", IN_PLAIN_URDF)])
def test_urdf_keeps_the_type_or_has_a_chain(
    kind: JointType, joints: str, replaced: dict[JointType, dict[str, JointType]]
) -> None:
    urdf = bridge.to_urdf(urdf_scene(kind), joints=joints)
    read = loaders.load_string(str(urdf), format="urdf", quiet=True)
    assert types_of(read) == replaced.get(kind, {"j": kind})
    followers = 1 if kind is T.SCREW and joints == "plain" else 0  # the slide follows the hinge
    assert velocities_of(read) == expected_velocities(kind) + followers


@pytest.mark.parametrize("kind", JointType)
def test_directives_keep_the_type(kind: JointType, tmp_path: Path) -> None:
    bridge.export_directives(scene_with(kind), tmp_path / "out")
    (path,) = (tmp_path / "out").glob("*.dmd.yaml")
    read = loaders.load(path, quiet=True)
    types = types_of(read)
    assert types.get("j") is (None if kind is T.FLOATING else kind)
    assert velocities_of(read) == expected_velocities(kind)


@pytest.mark.parametrize("kind", JointType)
def test_mjcf_has_the_motions(kind: JointType) -> None:
    mujoco = pytest.importorskip("mujoco")
    mjcf = str(bridge.to_mjcf(scene_with(kind)))
    model = mujoco.MjModel.from_xml_string(mjcf)
    followers = 1 if kind is T.SCREW else 0  # the slide follows the hinge
    assert model.nv == expected_velocities(kind) + followers
    assert velocities_of(loaders.load_string(mjcf, format="mjcf", quiet=True)) == model.nv


# --- engines and comparisons ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", JointType)
def test_simulators_move_as_the_reference(kind: JointType) -> None:
    pytest.importorskip("mujoco")
    pytest.importorskip("pybullet")
    comparison = bridge.compare(
        scene_with(kind), ["mujoco", "pybullet"], levels=["L0", "L1", "L2"], configurations=1
    )
    assert comparison.verdict.value in {"EQUIVALENT", "AGREES"}, str(comparison)


@pytest.mark.parametrize("kind", JointType)
def test_drake_moves_as_the_reference(kind: JointType, tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / "robot.sdf"
    path.write_text(str(bridge.to_sdf(scene_with(kind))), encoding="utf-8")
    comparison = bridge.compare(path, ["drake"], levels=["L0", "L1"], configurations=1, quiet=True)
    if kind in (T.REVOLUTE2, T.GEARBOX):
        (row,) = comparison.rows
        assert f"Joint type ({kind}) not supported" in row.cause
        return
    assert not comparison.failures
    passed = {row.quantity for row in comparison.rows if row.outcome.value == "passed"}
    assert "link poses" in passed
    assert "mass matrix" in passed or kind is T.FIXED


@pytest.mark.parametrize("kind", JointType)
def test_files_with_one_type_are_equal_and_with_another_are_not(kind: JointType) -> None:
    assert not bridge.compare_files(scene_with(kind), scene_with(kind)).differences
    for other in JointType:
        if other is not kind:
            found = bridge.compare_files(scene_with(kind), scene_with(other))
            assert found.differences
            are_alike = {kind, other} == {T.UNIVERSAL, T.REVOLUTE2}  # about the same axes
            assert are_alike == ("both move alike" in str(found)), (other, str(found))


# --- a type that nothing knows --------------------------------------------------------------------


def into_pybullet(given: Scene) -> None:
    """Load a scene into a server that is closed afterwards."""
    pybullet = pytest.importorskip("pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    try:
        bridge.load_into_pybullet(given, physicsClientId=client)
    finally:
        pybullet.disconnect(client)


USES: dict[str, Callable[[Scene], object]] = {
    "lower": lower,
    "mjcf": bridge.to_mjcf,
    "sdf": bridge.to_sdf,
    "urdf": bridge.to_urdf,
    "plain urdf": lambda given: bridge.to_urdf(given, joints="plain"),
    "directives": bridge.to_directives,
    "pybullet": into_pybullet,
    "compare": bridge.compare,
    "compare_files": lambda given: bridge.compare_files(given, scene_with(T.REVOLUTE)),
    "compare_files of equal files": lambda given: bridge.compare_files(given, given),
    "initial poses": lambda given: initial_link_poses(given, ()),
}


@pytest.mark.parametrize("use", USES)
def test_an_unknown_type_is_refused(use: str) -> None:
    given = scene_with(unknown_type())
    moving = dataclasses.replace(given.joints[1], default_position=(0.5,))
    given = dataclasses.replace(given, joints=(given.joints[0], moving))
    with pytest.raises((NotImplementedError, AssertionError), match="foo"):
        USES[use](given)


@pytest.mark.parametrize(
    "export",
    [bridge.export_mjcf, bridge.export_sdf, bridge.export_urdf, bridge.export_directives],
    ids=lambda function: function.__name__,
)
def test_an_unknown_type_leaves_no_file(
    export: Callable[[Scene, Path], object], tmp_path: Path
) -> None:
    with pytest.raises((NotImplementedError, AssertionError), match="foo"):
        export(scene_with(unknown_type()), tmp_path / "out")
    assert not list(tmp_path.iterdir())


# --- initial positions ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in JointType if kind.traits.velocity_count == 1])
def test_the_displacement_at_a_position_is_that_of_the_mechanism(kind: JointType) -> None:
    given = scene_with(kind)
    moving = dataclasses.replace(given.joints[1], default_position=(0.7,))
    X_WB = lower(given).link_poses({"j": 0.7})["b"]
    assert displacement(moving).is_close(X_WB, 1e-12)
    assert initial_link_poses(dataclasses.replace(given, joints=(given.joints[0], moving)), ())[
        "b"
    ].is_close(X_WB, 1e-12)


def test_a_curve_of_several_pieces_is_followed_piece_by_piece() -> None:
    quarter = Arc(length=0.5 * np.pi, curvature=1.0)
    curve = dataclasses.replace(BAR, arcs=(Arc(length=1.0), quarter, Arc(length=1.0)))
    rail = joint("j", WORLD, "b", T.CURVILINEAR, curve=curve)
    position = 1.0 + 0.5 * np.pi + 0.25
    moved = displacement(dataclasses.replace(rail, default_position=(position,)))
    assert moved.is_close(Pose.from_xyz_rpy((2.0, 1.25, 0.0), (0.0, 0.0, 0.5 * np.pi)), 1e-12)
