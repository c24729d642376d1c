"""Checks of a scene: poses that contradict joints, by MuJoCo, and values that no model has."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, compare
from loaders import ExportError, Scene
from loaders.diagnostics import Diagnostics
from loaders.finish.validation import report_contradictions, require_consistent
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType, Link
from loaders.pose import Pose, rotation_about
from tests.support.running_faults import faulty_mujoco
from tests.support.scenes import joint, link, scene

# Poses of links that contradict their joints: MuJoCo, which places links by joints, shows by how
# much.

CODE = "model.pose-against-joint"
X_WB = Pose.of(p=(0.0, 0.0, 1.0))
CHAIN = scene(
    [link("a"), link("b", X_WL=X_WB), link("c", X_WL=Pose.of(p=(0.0, 0.0, 3.0)))],
    [
        joint("j", WORLD, "a"),
        joint("k", "a", "b", X_PJ=X_WB),
        joint("l", "b", "c", X_PJ=Pose.of(p=(0.0, 0.0, 2.0))),
    ],
)


def with_pose(name: str, X_WL: Pose, source: Scene = CHAIN) -> Scene:
    """A scene with another pose of a link."""
    links: list[Link] = [
        dataclasses.replace(x, X_WL=X_WL) if x.name == name else x for x in source.links
    ]
    return dataclasses.replace(source, links=tuple(links))


def findings(source: Scene) -> list[tuple[Any, ...]]:
    """The joint, the link, the distance and the angle of each finding."""
    diagnostics = Diagnostics()
    report_contradictions(source, diagnostics)
    return [
        tuple(entry.arguments[key] for key in ("joint", "link", "distance", "angle"))
        for entry in diagnostics
    ]


def test_the_joint_and_the_distance_from_where_mujoco_has_the_link() -> None:
    moved = with_pose(
        "c", Pose.of(rotation_about(np.array((0.0, 1.0, 0.0)), 0.25), (0.003, 0.004, 3.0))
    )
    model = bridge.to_mjspec(moved, quiet=True).compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    distance = float(np.linalg.norm(data.body("c").xpos - (0.003, 0.004, 3.0)))
    assert distance == pytest.approx(0.005)
    assert findings(moved) == [("l", "c", pytest.approx(distance), pytest.approx(0.25))]


def test_a_link_between_two_joints_is_off_at_both_and_what_it_carries_is_not_named() -> None:
    assert [found[:2] for found in findings(with_pose("b", Pose.of(p=(0.1, 0.0, 1.0))))] == [
        ("k", "b"),
        ("l", "c"),
    ]
    both = with_pose("c", Pose.of(p=(0.1, 0.0, 3.0)), with_pose("b", Pose.of(p=(0.1, 0.0, 1.0))))
    assert [found[:2] for found in findings(both)] == [("k", "b")]


def test_a_joint_that_is_open_at_zero_in_a_loop_is_no_contradiction() -> None:
    closing = joint("m", WORLD, "c", X_PJ=Pose.of(p=(0.5, 0.0, 3.0)))
    assert findings(dataclasses.replace(CHAIN, joints=(closing, *CHAIN.joints))) == []


@pytest.mark.parametrize("x", [0.0, 1e6, -4e9])
def test_rounding_is_no_contradiction(x: float) -> None:
    R = rotation_about(np.array((0.6, 0.0, 0.8)), 1.1)
    X_WA, X_PJ, X_CJ = (
        Pose.of(R, (x, 1.0, x)),
        Pose.of(R.T, (0.1, 0.2, 0.3)),
        Pose.of(R @ R, (0.3, 0.0, 0.1)),
    )
    links = [link("a", X_WL=X_WA), link("b", X_WL=X_WA @ X_PJ @ X_CJ.inverse())]
    assert findings(scene(links, [joint("k", "a", "b", X_PJ=X_PJ, X_CJ=X_CJ)])) == []


def test_a_floating_joint_has_no_pose_to_contradict() -> None:
    assert (
        findings(scene([link("a", X_WL=X_WB)], [joint("f", WORLD, "a", JointType.FLOATING)])) == []
    )


@pytest.mark.parametrize("path", sorted(Path("assets").rglob("*.[su]*d[f]")), ids=str)
def test_files_have_none(path: Path) -> None:
    assert findings(loaders.load(path, quiet=True)) == []


@pytest.mark.parametrize(
    "export", [bridge.to_mjcf, bridge.to_sdf, bridge.to_urdf], ids=lambda f: f.__name__
)
def test_every_export_reports_it(export: Any) -> None:
    moved = with_pose("b", Pose.of(p=(0.1, 0.0, 1.0)), scene(CHAIN.links[:2], CHAIN.joints[:2]))
    assert [
        entry.subjects[:2] for entry in export(moved, quiet=True).diagnostics if entry.code == CODE
    ] == [("b", "k")]


def moved_by(distance: float) -> Any:
    """MuJoCo with the last link elsewhere."""

    def change(model: Any) -> None:
        model.body("c").pos[0] += distance

    return faulty_mujoco(change)


@pytest.mark.parametrize("turn", [0.0, math.radians(3.0)])
def test_a_comparison_names_the_joint_and_no_engine_and_still_finds_a_wrong_engine(
    turn: float,
) -> None:
    moved = with_pose(
        "b", Pose.of(rotation_about(np.array((1.0, 0.0, 0.0)), turn), (0.01, 0.0, 1.0))
    )
    moved = with_pose("c", Pose.of(p=(0.01, 0.0, 3.0)), moved)
    found = compare(moved, "mujoco", levels=("L0",), configurations=1)
    rows = [row for row in found.rows if row.outcome in {Outcome.EXPLAINED, Outcome.FAILED}]
    assert {(row.quantity, row.outcome) for row in rows} == {("poses at zero", Outcome.EXPLAINED)}
    assert all(row.known_cause is not None and row.known_cause.code == CODE for row in rows)
    found = compare(moved, (moved_by(-0.1),), levels=("L0",), configurations=1)
    assert {row.outcome for row in found.rows if row.quantity == "poses at zero" and row.error} >= {
        Outcome.FAILED
    }


# Scenes that were changed in Python: each target refuses names and numbers that no model has, with
# one clear error.

ARM = loaders.load("assets/double_pendulum.urdf", quiet=True)


def into_pybullet(scene: Scene) -> None:
    """Load a scene into a server of its own."""
    pybullet = pytest.importorskip("pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    try:
        bridge.load_into_pybullet(scene, physicsClientId=client)
    finally:
        pybullet.disconnect(client)


TARGETS: dict[str, Callable[[Scene], Any]] = {
    "mechanism": bridge.lower,
    "MJCF": bridge.to_mjcf,
    "SDFormat": bridge.to_sdf,
    "URDF": bridge.to_urdf,
    "PyBullet": into_pybullet,
}


def with_link(**fields: Any) -> Scene:
    """The arm, with other fields of its last link."""
    return dataclasses.replace(
        ARM, links=(*ARM.links[:-1], dataclasses.replace(ARM.links[-1], **fields))
    )


def with_joint(**fields: Any) -> Scene:
    """The arm, with other fields of its last joint."""
    return dataclasses.replace(
        ARM, joints=(*ARM.joints[:-1], dataclasses.replace(ARM.joints[-1], **fields))
    )


LAST = ARM.links[-1].name
ROUNDED = (
    Pose.from_xyz_rpy((0.0, 0.0, 0.0), (0.3, 0.1, 0.2)).R.astype(np.float32).astype(np.float64)
)
SCENES = {
    "unknown parent": (with_joint(parent="nothing"), "'nothing' is the parent of joint elbow"),
    "link twice": (
        dataclasses.replace(ARM, links=(*ARM.links, ARM.links[-1])),
        f"2 links of the scene are named {LAST}",
    ),
    "mass that is no number": (
        with_link(inertia=SpatialInertia.of(np.nan)),
        f"link {LAST} is not finite",
    ),
    "axis that is not a unit vector": (
        with_joint(
            axes=(dataclasses.replace(ARM.joints[-1].axes[0], xyz=np.array((0.0, 0.6, 0.7))),)
        ),
        "an axis of joint elbow is not a unit vector",
    ),
    "rotation of single precision": (
        with_link(X_WL=Pose(R=ROUNDED, p=np.zeros(3))),
        f"the rotation of the pose of link {LAST} is not orthogonal",
    ),
    "mirror": (
        with_joint(X_PJ=Pose(R=np.diag((1.0, 1.0, -1.0)), p=np.zeros(3))),
        "the rotation of the pose of joint elbow is not orthogonal, or mirrors",
    ),
    "place that is infinite": (
        with_link(X_WL=Pose.of(p=(np.inf, 0.0, 0.0))),
        f"link {LAST} is not finite",
    ),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("change", SCENES)
def test_every_target_refuses_a_scene_that_is_not_consistent(change: str, target: str) -> None:
    scene, message = SCENES[change]
    with pytest.raises(ExportError, match=message) as error:
        TARGETS[target](scene)
    assert "report a bug" not in str(error.value)


def test_all_errors_are_listed() -> None:
    joint = dataclasses.replace(ARM.joints[-1], parent="one", child="two")
    scene = dataclasses.replace(
        with_link(inertia=SpatialInertia.of(np.inf)), joints=(*ARM.joints[:-1], joint)
    )
    with pytest.raises(ExportError) as error:
        require_consistent(scene)
    assert [entry.code for entry in error.value.diagnostics] == ["model.unknown-name"] * 2 + [
        "model.bad-number"
    ]


def test_what_readers_return_is_consistent() -> None:
    for path in ("assets/arm/model.sdf", "assets/leg.sdf", "assets/double_pendulum.urdf"):
        require_consistent(loaders.load(path, quiet=True))


# Checks of a scene: inertias, sizes and pairs of axes.

URDF = """<robot name="r"><link name="l"><inertial><mass value="1"/>
<inertia ixx="{}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
JOINT = """<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/>
<joint name="j" type="universal"><parent>a</parent><child>b</child>
<axis><xyz>1 0 0</xyz></axis><axis2><xyz>{}</xyz></axis2></joint></model></sdf>"""


@pytest.mark.parametrize(("ixx", "codes"), [(1, []), (2, []), (3, ["model.impossible-inertia"])])
def test_inertias_must_be_physically_valid(ixx: float, codes: list[str]) -> None:
    scene = loaders.load_string(URDF.format(ixx), format="urdf")
    assert [entry.code for entry in scene.diagnostics] == codes
    assert all(entry.subjects == ("l",) for entry in scene.diagnostics)


@pytest.mark.parametrize(
    ("axis", "codes"),
    [("0 1 0", []), ("1 1 0", ["model.skew-axes"]), ("1 0 0", ["model.parallel-axes"])],
)
def test_axes_of_a_universal_joint_must_be_perpendicular(axis: str, codes: list[str]) -> None:
    scene = loaders.load_string(JOINT.format(axis), format="sdf")
    entries = [entry for entry in scene.diagnostics if entry.code.startswith("model.")]
    assert [entry.code for entry in entries] == codes
    assert all(entry.subjects == ("j",) for entry in entries)


@pytest.mark.parametrize(
    "shape", ["<box size='0 1 1'/>", "<sphere radius='0'/>", "<cylinder radius='1' length='0'/>"]
)
def test_a_shape_without_volume_is_noticed(shape: str) -> None:
    text = (
        f"<robot name='r'><link name='l'><collision "
        f"name='c'><geometry>{shape}</geometry></collision></link></robot>"
    )
    (entry,) = loaders.load_string(text, format="urdf", quiet=True).diagnostics
    assert (entry.code, entry.subjects) == ("model.zero-size", ("l", "l::c"))
