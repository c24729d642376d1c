"""A verdict claims only what was compared: models and running engines whose difference was once
called equivalent.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from bridge.parity import Comparison, Outcome, Verdict, compare
from bridge.parity.causes import Cause
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from tests.support.running_faults import faulty_mujoco, faulty_pybullet

pytest.importorskip("mujoco")
pybullet = pytest.importorskip("pybullet")


# --- models ---------------------------------------------------------------------------------------


def link(name: str, mass: float = 1.0, moment: float = 0.02) -> str:
    moments = f"ixx='{moment}' iyy='{1.2 * moment}' izz='{1.4 * moment}' ixy='0' ixz='0' iyz='0'"
    inertial = f"<origin xyz='.02 .01 -.1'/><mass value='{mass}'/><inertia {moments}/>"
    return f"<link name='{name}'><inertial>{inertial}</inertial></link>"


def hinge(name: str, parent: str, child: str, extra: str = "") -> str:
    return (
        f"<joint name='{name}' type='revolute'><parent link='{parent}'/><child "
        f"link='{child}'/><origin xyz='.1 0 -.2'/>"
        f"<axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='5' velocity='5'/>{extra}</joint>"
    )


def urdf(*parts: str) -> loaders.Scene:
    return loaders.load_string(
        f"<robot name='r'><link name='world'/>{''.join(parts)}</robot>", format="urdf"
    )


def sdf(*parts: str) -> loaders.Scene:
    head = "<sdf version='1.9' xmlns:drake='drake.mit.edu'><model name='m'>"
    return loaders.load_string(f"{head}{''.join(parts)}</model></sdf>", format="sdf")


BALL = "<inertia><ixx>{0}</ixx><iyy>{1}</iyy><izz>{1}</izz></inertia>"
SOLID = f"<inertial><pose>.1 0 0 0 0 0</pose><mass>1</mass>{BALL.format('.01', '.02')}</inertial>"


def motion_of(found: Comparison, quantity: str) -> Any:
    return next(row for row in found.rows if row.quantity == quantity)


def differs(
    scene: loaders.Scene, engines: Sequence[Any], levels: Sequence[str] = ("L2",)
) -> Comparison:
    found = compare(scene, engines, levels=levels, configurations=2)
    assert found.verdict is Verdict.DIFFERS, repr(found)
    with pytest.raises(AssertionError, match="DIFFERS"):
        found.assert_no_difference()
    return found


def mimic() -> loaders.Scene:
    follow = "<mimic joint='ja' multiplier='.5' offset='.1'/>"
    return urdf(
        link("a"),
        link("b"),
        link("c"),
        hinge("ja", "world", "a"),
        hinge("jb", "a", "b"),
        hinge("jc", "b", "c", follow),
    )


# --- a force or a part that an engine lacks -------------------------------------------------------


@pytest.mark.slow
def test_a_bushing_that_mujoco_drops_is_a_difference() -> None:
    links = "".join(f"<link name='{name}'>{SOLID}</link>" for name in "ab")
    frames = "".join(f"<frame name='f{name}' attached_to='{name}'/>" for name in "ab")
    ends = "<drake:bushing_frameA>fa</drake:bushing_frameA><drake:bushing_frameC>fb</drake:bushing_frameC>"
    parameters = {
        "torque_stiffness": "9 8 7",
        "torque_damping": "1 1 1",
        "force_stiffness": "90 80 70",
        "force_damping": "2 2 2",
    }
    values = "".join(
        f"<drake:bushing_{name}>{value}</drake:bushing_{name}>"
        for name, value in parameters.items()
    )
    bushing = f"<drake:linear_bushing_rpy>{ends}{values}</drake:linear_bushing_rpy>"
    found = differs(sdf(links, frames, bushing), ("mujoco", "pybullet"))
    assert motion_of(found, "exported motion").code == "mjcf.bushing"
    assert "forces between links" in {gap.quantity for gap in found.gaps}


def test_a_rotor_that_pybullet_lacks_is_a_difference() -> None:
    axis = "<axis><xyz>0 1 0</xyz><limit><effort>10</effort></limit></axis>"
    rotor = (
        "<drake:rotor_inertia>1e-4</drake:rotor_inertia><drake:gear_ratio>100</drake:gear_ratio>"
    )
    geared = (
        f"<joint name='ja' "
        f"type='revolute'><parent>world</parent><child>a</child>{axis}{rotor}</joint>"
    )
    found = differs(sdf(f"<link name='a'>{SOLID}</link>", geared), ("mujoco", "pybullet"), ("L1",))
    row = next(row for row in found.failures if row.quantity == "mass matrix")
    assert row.code == "pybullet.rotor-inertia"
    assert row.known_cause.is_loss


def test_a_tendon_with_inertia_that_pybullet_lacks_is_a_difference(tmp_path: Path) -> None:
    """The tendon adds 5 (a + 2 b)^2 / 2 to the kinetic energy, so that the mass matrix couples both
    joints.
    """
    path = tmp_path / "m.xml"
    arm = "<body><joint name='{}' axis='0 1 0'/><geom size='.1' pos='.3 0 0'/></body>"
    tendon = "<joint joint='a' coef='1'/><joint joint='b' coef='2'/>"
    path.write_text(
        f"<mujoco><worldbody>{arm.format('a')}{arm.format('b')}</worldbody><tendon>"
        f"<fixed name='t' armature='5'>{tendon}</fixed></tendon></mujoco>",
        encoding="utf-8",
    )
    found = compare(path, ("mujoco", "pybullet"), levels=("L1",), configurations=1)
    assert found.verdict is Verdict.DIFFERS
    failing = {row.quantity: row.code for row in found.failures}
    assert failing.keys() >= {"mass matrix", "inverse dynamics"}
    assert set(failing.values()) == {"pybullet.stated-tendon"}


@pytest.mark.slow
def test_an_engine_that_reads_the_file_itself_leaves_motion_open(assets: Path) -> None:
    found = compare(assets / "double_pendulum.urdf", ("mujoco", "pybullet-urdf"), configurations=2)
    assert found.verdict is Verdict.INCOMPLETE
    assert ("motion", ("pybullet-urdf",)) in {(gap.quantity, gap.engines) for gap in found.gaps}
    with pytest.raises(
        AssertionError, match=r"(?s)INCOMPLETE.*not compared: motion in pybullet-urdf"
    ):
        found.assert_equivalent()


# --- a constraint, a friction or an operator that is wrong in the running engine ------------------


@pytest.mark.slow
def test_an_inactive_mimic_in_mujoco_is_a_difference() -> None:
    def deactivate(model: Any) -> None:
        model.eq_active0[:] = 0

    found = differs(mimic(), (faulty_mujoco(deactivate), "pybullet"))
    row = next(row for row in found.failures if row.quantity == "constraints in motion")
    assert row.engines == ("reference", "mujoco")
    assert row.known_cause.code == "mjcf.coupling-soft-constraint"
    assert row.error > 100.0 * row.known_cause.bound


@pytest.mark.slow
def test_a_gear_without_force_in_pybullet_is_a_difference() -> None:
    def release(engine: PyBulletEngine) -> None:
        client = engine._client
        for k in range(pybullet.getNumConstraints(physicsClientId=client)):
            number = pybullet.getConstraintUniqueId(k, physicsClientId=client)
            pybullet.changeConstraint(number, maxForce=0, physicsClientId=client)

    found = differs(mimic(), ("mujoco", faulty_pybullet(release)))
    row = next(row for row in found.failures if row.quantity == "constraints in motion")
    assert (row.engines, row.code) == (("reference", "pybullet"), "pybullet.gear")


@pytest.mark.slow
def test_a_sound_mimic_stays_within_the_bound_of_its_constraint() -> None:
    found = compare(mimic(), levels=("L2",))
    rows = [row for row in found.rows if row.quantity == "constraints in motion"]
    assert len(rows) == 2
    assert all(row.outcome in {Outcome.PASSED, Outcome.EXPLAINED} for row in rows)
    assert not found.failures


@pytest.mark.parametrize("name", ["link", "upper"])
def test_a_massless_tip_excuses_no_other_link(name: str) -> None:
    def heavier(model: Any) -> None:
        body = model.body(name).id
        model.body_inertia[body] *= 3.0
        model.body_ipos[body] += (0.1, 0.1, 0.1)

    scene = urdf(
        link(name, 5.0, 0.2),
        "<link name='tip'/>",
        hinge("ja", "world", name),
        hinge("jb", name, "tip"),
    )
    found = differs(scene, (faulty_mujoco(heavier), "pybullet"), ("L0", "L1"))
    assert {row.where for row in found.failures if row.quantity == "inertia"} == {name}


@pytest.mark.slow
def test_a_link_without_gravity_excuses_no_spring() -> None:
    def stiffen(model: Any) -> None:
        model.jnt_stiffness *= 2.0

    gram = f"<inertial><mass>.001</mass>{BALL.format('1e-6', '1e-6')}</inertial>"
    spring = "<spring_stiffness>3</spring_stiffness><spring_reference>.4</spring_reference>"
    axis = f"<axis><xyz>0 1 0</xyz><dynamics><damping>.01</damping>{spring}</dynamics></axis>"
    scene = sdf(
        f"<link name='a'>{SOLID}</link><link name='b'><gravity>false</gravity>{gram}</link>",
        f"<joint name='ja' type='revolute'><parent>world</parent><child>a</child>{axis}</joint>",
        (
            "<joint name='jb' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 "
            "0</xyz></axis></joint>"
        ),
    )
    assert not compare(scene, levels=("L0", "L1", "L2"), configurations=2).failures
    found = differs(scene, (faulty_mujoco(stiffen), "pybullet"))
    assert found.failures[0].quantity == "one step"


@pytest.mark.slow
def test_dry_friction_that_is_removed_from_pybullet_is_a_difference() -> None:
    def loosen(engine: PyBulletEngine) -> None:
        for body in engine._bodies:
            for i in range(pybullet.getNumJoints(int(body), physicsClientId=engine._client)):
                pybullet.setJointMotorControl2(
                    int(body), i, pybullet.VELOCITY_CONTROL, force=0, physicsClientId=engine._client
                )

    scene = urdf(
        link("a"),
        link("b"),
        hinge("ja", "world", "a", "<dynamics friction='2'/>"),
        hinge("jb", "a", "b"),
    )
    assert not compare(scene, levels=("L2",)).failures
    found = differs(scene, ("mujoco", faulty_pybullet(loosen)))
    assert [row.quantity for row in found.failures] == ["exported motion"]


@pytest.mark.parametrize("factor", [2.0, 1.001, 1.0 + 1e-7])
def test_a_wrong_mass_matrix_of_pybullet_is_a_difference(
    monkeypatch: pytest.MonkeyPatch, factor: float
) -> None:
    query = pybullet.calculateMassMatrix

    def wrong(*words: Any, **options: Any) -> list[list[float]]:
        return [[factor * x for x in row] for row in query(*words, **options)]

    monkeypatch.setattr(pybullet, "calculateMassMatrix", wrong)
    found = differs(mimic(), ("mujoco", "pybullet"), ("L1",))
    assert "mass matrix" in {row.quantity for row in found.failures}


@pytest.mark.parametrize("mass_factor", [1.0, 2.0])
def test_wrong_inverse_dynamics_of_pybullet_are_a_difference(
    monkeypatch: pytest.MonkeyPatch, mass_factor: float
) -> None:
    """Both operators are wrong, or one: neither is replaced by ours, and neither vouches for the
    other.
    """
    inertia, forces = pybullet.calculateMassMatrix, pybullet.calculateInverseDynamics

    def wrong_inertia(*words: Any, **options: Any) -> list[list[float]]:
        return [[mass_factor * x for x in row] for row in inertia(*words, **options)]

    def wrong_forces(*words: Any, **options: Any) -> list[float]:
        return [3.0 * x for x in forces(*words, **options)]

    monkeypatch.setattr(pybullet, "calculateMassMatrix", wrong_inertia)
    monkeypatch.setattr(pybullet, "calculateInverseDynamics", wrong_forces)
    found = differs(mimic(), ("mujoco", "pybullet"), ("L1",))
    wrong = {row.quantity for row in found.failures if row.engines == ("reference", "pybullet")}
    assert wrong >= {"bias forces", "inverse dynamics"}
    assert ("mass matrix" in wrong) == (mass_factor != 1.0)


# --- models whose engines move alike --------------------------------------------------------------


@pytest.mark.slow
def test_planar_damping_shared_by_both_engines_is_no_difference() -> None:
    """Both engines converge to Drake's motion; a verdict of DIFFERS would be as wrong as EQUIVALENT
    elsewhere.
    """
    ends = "<drake:parent>base</drake:parent><drake:child>a</drake:child>"
    planar = (
        f"<drake:joint name='ja' type='planar'>{ends}<drake:damping>.5 .6 "
        f".7</drake:damping></drake:joint>"
    )
    anchor = "<joint name='w' type='fixed'><parent>world</parent><child>base</child></joint>"
    found = compare(
        sdf(f"<link name='base'>{SOLID}</link><link name='a'>{SOLID}</link>", anchor, planar),
        configurations=2,
    )
    assert found.verdict is Verdict.EQUIVALENT, repr(found)


@pytest.mark.slow
def test_a_spring_between_links_moves_alike_in_both_engines_or_is_a_gap() -> None:
    """MuJoCo holds it as a tendon; nothing that is compared may differ, and nothing dropped may be
    EQUIVALENT.
    """
    links = "".join(f"<link name='{name}'>{SOLID}</link>" for name in "ab")
    axis = "<axis><xyz>0 1 0</xyz></axis>"
    joints = "".join(
        (
            f"<joint name='j{child}' "
            f"type='revolute'><parent>{parent}</parent><child>{child}</child>{axis}</joint>"
        )
        for parent, child in (("world", "a"), ("a", "b"))
    )
    parameters = {
        "body_A": "a",
        "body_B": "b",
        "p_AP": ".1 .2 -.1",
        "p_BQ": "-.2 .1 .3",
        "free_length": ".4",
        "stiffness": "30",
        "damping": ".7",
    }
    values = "".join(
        f"<drake:linear_spring_damper_{name}>{value}</drake:linear_spring_damper_{name}>"
        for name, value in parameters.items()
    )
    spring = f"<drake:linear_spring_damper>{values}</drake:linear_spring_damper>"
    found = compare(sdf(links, joints, spring), configurations=2)
    assert not found.failures, repr(found)
    assert motion_of(found, "exported motion").outcome is Outcome.PASSED


# --- causes and gaps ------------------------------------------------------------------------------


def test_a_cause_explains_up_to_its_bound_and_never_a_loss() -> None:
    cause = Cause(code="c", subjects=("a",), quantity="mass", bound=1e-6)
    assert cause.explains(1e-6)
    assert not cause.explains(1.1e-6)
    lost = Cause(code="c", subjects=("a",), quantity="mass", bound=float("inf"), is_loss=True)
    assert not lost.explains(1e-9)


def test_a_level_that_was_not_run_is_a_gap(assets: Path) -> None:
    found = compare(assets / "double_pendulum.urdf", levels=("L0",), configurations=1)
    assert found.verdict is Verdict.INCOMPLETE
    assert {gap.quantity for gap in found.gaps} >= {
        "motion",
        "mass matrix, forces and collidable pairs",
    }
    found.assert_no_difference()


def test_a_missing_mesh_is_a_gap(tmp_path: Path) -> None:
    shape = "<collision><geometry><mesh filename='gone.stl'/></geometry></collision>"
    file = tmp_path / "r.urdf"
    file.write_text(
        f"<robot name='r'>{link('a').replace('</link>', f'{shape}</link>')}</robot>",
        encoding="utf-8",
    )
    found = compare(file, levels=("L0", "L1"), configurations=1, quiet=True)
    assert "mesh.missing" in {gap.code for gap in found.gaps}
    assert bridge.parity.Verdict.INCOMPLETE is found.verdict


def test_an_effort_limit_of_zero_which_mujoco_reads_as_no_limit_is_a_gap() -> None:
    scene = urdf(link("a"), hinge("j", "world", "a").replace("effort='5'", "effort='0'"))
    found = compare(scene, levels=("L0",), configurations=1)
    assert found.verdict is Verdict.INCOMPLETE
    (gap,) = (gap for gap in found.gaps if gap.code == "mjcf.zero-effort")
    assert (gap.quantity, gap.engines, gap.subjects) == ("effort limits", ("mujoco",), ("j",))


@pytest.mark.slow
def test_a_constraint_that_no_position_obeys_leaves_its_motion_open() -> None:
    """Two links of 0.2 m cannot meet at 3 m: each solver pulls in its own way, and none is
    right.
    """
    ends = "<drake:ball_constraint_body_A name='a'/><drake:ball_constraint_body_B name='b'/>"
    points = (
        "<drake:ball_constraint_p_AP value='0 0 0'/><drake:ball_constraint_p_BQ value='0 3 0'/>"
    )
    pin = f"<drake:ball_constraint>{ends}{points}</drake:ball_constraint>"
    parts = (link("a"), link("b"), hinge("ja", "world", "a"), hinge("jb", "a", "b"), pin)
    text = (
        f"<robot name='r' xmlns:drake='http://drake.mit.edu'><link "
        f"name='world'/>{''.join(parts)}</robot>"
    )
    found = compare(loaders.load_string(text, format="urdf"), levels=("L2",), configurations=1)
    disturbed = [
        row for row in found.rows if row.quantity in {"constraints in motion", "exported motion"}
    ]
    assert {row.outcome for row in disturbed} == {Outcome.UNKNOWN}
    assert all("mjcf.never-closes" in row.cause for row in disturbed)
    assert found.verdict is Verdict.INCOMPLETE
