"""Pinocchio reads the original file itself, and agrees in kinematics and dynamics."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.choices import Base
from bridge.lowering.transform import mechanism_of
from bridge.parity import Comparison, Outcome, Verdict, compare
from bridge.parity.engine import Engine, factory_of
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states
from loaders import Scene

pytestmark = pytest.mark.skipif(find_spec("pinocchio") is None, reason="pinocchio is not installed")
ASSETS = Path(__file__).parents[4] / "assets"
INERTIAL = (
    '<inertial><origin xyz=".1 .05 -.2" rpy=".3 .2 .1"/><mass value="2"/>'
    '<inertia ixx=".3" iyy=".4" izz=".5" ixy=".05" ixz="0" iyz="0"/></inertial>'
)
JOINT = (
    '<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
    '<origin xyz=".1 .2 .3" rpy=".4 .5 .6"/><axis xyz="0 .6 .8"/>'
    '<limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping=".3" friction=".1"/>'
    "{more}</joint>"
)
MIMIC = '<mimic joint="k" multiplier="-.5" offset=".1"/>'
TREE = (
    '<robot name="r">'
    + "".join(f'<link name="{name}">{INERTIAL}</link>' for name in "abcde")
    + JOINT.format(name="j", kind="continuous", parent="a", child="b", more="")
    + JOINT.format(name="k", kind="prismatic", parent="b", child="c", more="")
    + JOINT.format(name="m", kind="revolute", parent="a", child="d", more=MIMIC)
    + JOINT.format(name="w", kind="fixed", parent="d", child="e", more="")
    + "</robot>"
)
"""A free body with a hinge without limits, a slide, a hinge that follows, and a weld."""
MJCF = """<mujoco><compiler angle="radian"/><option gravity="0 0 -3"/><worldbody>
<body name="a" pos="0 .1 1" quat=".6 .8 0 0">{root}<inertial pos=".1 0 .2" mass="3" diaginertia=".2 .2 .3"/>
<body name="b" pos="0 0 .5" quat=".8 0 .6 0"><joint name="j" axis="0 1 1" pos="0 .1 0" range="-1 1" armature=".2"
 damping=".3" frictionloss=".1"{more}/><inertial pos=".1 0 0" mass="2" diaginertia=".1 .1 .1"/>
<body name="c" pos="0 0 .2"><inertial pos=".1 0 0" mass="1" diaginertia=".1 .1 .1"/>
<body name="d" pos="0 .3 0"><joint name="s" type="ball"/><geom size=".1"/></body></body></body></body></worldbody></mujoco>"""
ROWS = {
    "mass", "center of mass", "inertia", "limits", "damping", "friction", "joint motion",
    "link poses", "Jacobians", "mass matrix", "bias forces", "inverse dynamics",
}  # fmt: skip


def compared(robot: Path | Scene) -> Comparison:
    return compare(robot, ("pinocchio",), levels=("L0", "L1"), configurations=5)


def outcomes(found: Comparison) -> dict[str, Outcome]:
    return {row.quantity: row.outcome for row in found.rows if "pinocchio" in row.engines}


def largest_difference(engine: Engine, mechanism: bridge.Mechanism) -> float:
    """The largest relative difference from the reference in poses, Jacobians and dynamics."""
    reference, differences = ReferenceEngine(mechanism), []
    for q, v in random_states(mechanism, 5, 1):
        engine.set_state(q, v)
        reference.set_state(q, v)
        for name, X_WL in reference.link_poses().items():
            differences.append(np.subtract(X_WL.p, engine.link_poses()[name].p))
            differences.append(np.subtract(X_WL.R, engine.link_poses()[name].R))
            differences.append(reference.jacobians()[name] - engine.jacobians()[name])
        M, bias = reference.mass_matrix(), reference.bias_forces()
        differences.append((engine.mass_matrix() - M) / np.abs(M).max())
        differences.append((engine.bias_forces() - bias) / np.abs(bias).max(initial=1.0))
    return max(float(np.abs(each).max(initial=0.0)) for each in differences)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "tree.urdf"
    path.write_text(TREE)
    return path


@pytest.mark.parametrize("base", ["free", "fixed"])
def test_a_tree_agrees_with_each_base(tree: Path, base: Base) -> None:
    mechanism = mechanism_of(loaders.load(tree), base=base)
    engine = factory_of("pinocchio")(mechanism, {})
    assert engine.refusal == ""
    assert engine.version
    assert largest_difference(engine, mechanism) < 1e-9
    found = outcomes(compared(tree))
    assert {found[row] for row in (*ROWS, "couplings", "effort limits")} == {Outcome.PASSED}
    assert Outcome.FAILED not in found.values()


def test_the_bundled_arm_and_panda_agree() -> None:
    robots = [ASSETS / "double_pendulum.urdf"]
    if find_spec("example_robot_data") is not None:
        import example_robot_data

        folder = Path(str(example_robot_data.__file__)).parents[4]
        robots += folder.glob("share/example-robot-data/robots/panda_description/urdf/panda.urdf")
    for robot in robots:
        mechanism = bridge.lower(loaders.load(robot))
        engine = factory_of("pinocchio")(mechanism, {})
        assert largest_difference(engine, mechanism) < 1e-9
        assert Outcome.FAILED not in outcomes(compared(robot)).values()


@pytest.mark.parametrize("root", ["<freejoint/>", '<joint name="r" type="slide"/>'])
def test_an_mjcf_file_with_a_ball_agrees(tmp_path: Path, root: str) -> None:
    path = tmp_path / "m.xml"
    path.write_text(MJCF.format(root=root, more=""))
    mechanism = bridge.lower(loaders.load(path))
    assert largest_difference(factory_of("pinocchio")(mechanism, {}), mechanism) < 1e-9
    found = outcomes(compared(path))
    assert {found[row] for row in ROWS} == {Outcome.PASSED}
    assert Outcome.FAILED not in found.values()


def test_a_fault_in_a_mass_is_found_at_its_link(tree: Path) -> None:
    scene = loaders.load(tree)
    for name in "abcde":
        links = tuple(
            replace(link, inertia=replace(link.inertia, mass=link.inertia.mass * (1 + 1e-6)))
            if link.name == name and link.inertia is not None
            else link
            for link in scene.links
        )
        found = compared(replace(scene, links=links))
        assert found.verdict is Verdict.DIFFERS
        failed = {(row.quantity, row.where) for row in found.failures}
        assert ("mass", name) in failed
        assert "mass matrix" in {quantity for quantity, _ in failed}


@pytest.mark.parametrize(
    ("name", "text", "cause"),
    [
        (
            "m.xml",
            MJCF.format(root="<freejoint/>", more=' ref=".4"'),
            "subtracts ref from limits",
        ),
        ("m.urdf", TREE.replace('lower="-1" upper="2" ', ""), "as locked at zero"),
    ],
)
def test_what_pinocchio_reads_otherwise_has_its_cause(
    name: str, text: str, cause: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    found = compared(tmp_path / name)
    assert {row.quantity for row in found.failures} == {"limits"}
    assert cause in found.failures[0].cause


@pytest.mark.parametrize(
    ("robot", "reason"),
    [
        (ASSETS / "arm" / "model.sdf", "it reads URDF and MJCF only"),
        (
            MJCF.format(root='<joint name="x" axis="1 0 0"/><joint name="y"/>', more=""),
            "6, of which",
        ),
    ],
)
def test_what_pinocchio_does_not_read_is_unknown(
    robot: Path | str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.xml" if isinstance(robot, str) else robot
    if isinstance(robot, str):
        path.write_text(robot)
    found = compared(path)
    assert found.verdict is Verdict.INCOMPLETE
    rows = [row for row in found.rows if row.quantity == "reading"]
    assert [row.outcome for row in rows] == [Outcome.UNKNOWN]
    assert reason in rows[0].cause.replace(" degrees of freedom", "")


def test_the_cause_of_a_dropped_pose_is_stated(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(MJCF.format(root="", more=""))
    causes = {row.quantity: row.cause for row in compared(path).failures}
    assert "mass matrix" not in causes
    assert "drops the pose of a single body" in causes["joint motion"]


def test_the_cause_of_a_missing_mass_is_stated(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    drawn = '<geom size=".1"/><geom pos=".2 0 0" size=".1" contype="0" conaffinity="0"/>'
    text = MJCF.format(root="<freejoint/>", more="").replace('<geom size=".1"/>', drawn)
    path.write_text(text)
    causes = {row.quantity: row.cause for row in compared(path).failures}
    assert "contype and conaffinity are both zero" in causes["mass"]


def test_a_compensation_of_gravity_leaves_bias_forces_unknown(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(MJCF.format(root="", more="").replace('name="c"', 'name="c" gravcomp=".5"'))
    found = outcomes(compared(path))
    assert found["bias forces"] is Outcome.UNKNOWN
    assert found["mass matrix"] is Outcome.PASSED
