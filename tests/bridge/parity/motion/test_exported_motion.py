"""The exported model moves alike in both engines: dry friction, stops, couplings and changing
commands.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Outcome, Row, Verdict, compare
from bridge.parity.engine import factory_of
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.motion.model_motion import (
    EFFORTS,
    LONGEST_STEP,
    QUANTITY,
    STEPS,
    TARGETS,
    Convergence,
    ExportedMotion,
    Motions,
    _convergence,
    _judged,
    driven_rows,
    exported_rows,
    start_of,
)
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import exported
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType
from loaders.pose import Array
from tests.support.actuated_model import sdf
from tests.support.running_faults import faulty_mujoco
from tests.support.scenes import joint, link, scene
from tests.support.seeds import few

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


# The exported model moves alike in both engines; dry friction, stops and couplings included.

AXIS = {"damping": 0.1, "friction": 0.5, "lower": -2.0, "upper": 2.0}
ARM = bridge.lower(
    scene(
        [link("a"), link("b")],
        [
            joint("j", WORLD, "a", xyz=(0, 1, 0), axis=AXIS),
            joint("k", "a", "b", xyz=(0, 1, 0), axis=AXIS),
        ],
    )
)


FAILED = Outcome.FAILED


def rows(mujoco: Any = MujocoEngine) -> list[Row]:
    engines = [("reference", ReferenceEngine), ("mujoco", mujoco), ("pybullet", PyBulletEngine)]
    return list(exported_rows(ARM, engines, 0))


def test_a_sound_model_converges_and_its_stops_hold() -> None:
    found = rows()
    assert [row.quantity for row in found] == [
        "exported motion",
        "stops in motion",
        "stops in motion",
    ]
    assert {row.outcome for row in found} == {Outcome.PASSED}
    assert found[0].error < 0.3


@pytest.mark.parametrize(
    ("field", "factor"), [("dof_frictionloss", 0.9), ("dof_damping", 0.5), ("body_inertia", 1.2)]
)
def test_a_changed_parameter_stops_the_convergence(field: str, factor: float) -> None:
    def change(model: Any) -> None:
        getattr(model, field)[:] *= factor

    found = rows(faulty_mujoco(change))
    assert found[0].outcome is Outcome.FAILED
    assert "do not converge" in found[0].cause


def test_a_missing_stop_is_passed() -> None:
    def unlimit(model: Any) -> None:
        model.jnt_limited[:] = 0

    failed = [row for row in rows(faulty_mujoco(unlimit)) if row.outcome is Outcome.FAILED]
    assert {(row.quantity, row.engines[1]) for row in failed} == {("stops in motion", "mujoco")}


def test_a_model_that_is_too_large_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.parity.motion.model_motion.MAX_WORK", 1)
    assert [row.outcome for row in rows()] == [Outcome.UNKNOWN]
    assert dataclasses.is_dataclass(ARM)


HANDLE = bridge.lower(
    scene(
        [link("a", inertia=SpatialInertia.of(0.1, (0, 0, 0), 2e-4 * np.eye(3)))],
        [joint("j", WORLD, "a", xyz=(0, 1, 0), axis={"damping": 0.3, "friction": 10.0})],
    )
)
"""The handle of a valve, whose friction stops it within 0.02 ms, as in `drc_practice_ball_valve` of
Gazebo.
"""


def handle_row(mujoco: Any = MujocoEngine) -> Row:
    return next(exported_rows(HANDLE, [("mujoco", mujoco), ("pybullet", PyBulletEngine)], 0))


def test_a_joint_that_friction_stops_at_once_is_compared_in_steps_that_are_short_enough() -> None:
    row = handle_row()
    assert row.outcome is Outcome.PASSED
    assert row.convergence[-1][0] < 2e-5


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_wrong_friction_of_a_joint_that_it_stops_at_once_is_found(factor: float) -> None:
    def change(model: Any) -> None:
        model.dof_frictionloss[:] *= factor

    row = handle_row(faulty_mujoco(change))
    assert row.outcome is Outcome.FAILED
    assert "do not converge" in row.cause


def _with_damping(damping: float) -> list[Row]:
    """Rows of a link of 1e-4 kg m^2 on a damped hinge, so that the rate of the damper is 1e4 times
    the damping.
    """
    damped = joint("j", WORLD, "a", xyz=(0, 1, 0), axis={"damping": damping})
    inertia = SpatialInertia.of(0.1, (0, 0, 0), 1e-4 * np.eye(3))
    mechanism = bridge.lower(scene([link("a", inertia=inertia)], [damped]))
    return list(
        exported_rows(
            mechanism, [("mujoco", MujocoEngine.as_exported), ("pybullet", PyBulletEngine)], 0
        )
    )


BAR = """<body pos="0 {y} 1"><joint name="{name}" axis="0 1 0" {joint}/>
<geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" contype="0" conaffinity="0"/></body>"""
SOFT = """<mujoco><worldbody>{}</worldbody>{}</mujoco>"""
COUPLED = '<equality><joint joint1="follow" joint2="lead" polycoef="0 -1 0 0 0"/></equality>'
SOFT_PARTS = {
    "friction": (BAR.format(y=0, name="rub", joint='frictionloss=".4"'), "", "dof_frictionloss"),
    "coupling": (
        BAR.format(y=1, name="lead", joint="")
        + BAR.format(y=2, name="follow", joint='frictionloss="0"'),
        COUPLED,
        "eq_data",
    ),
}


@pytest.mark.parametrize("part", SOFT_PARTS)
def test_what_mjcf_makes_soft_is_explained_and_a_wrong_value_is_not(part: str) -> None:
    """MuJoCo's own defaults make dry friction a damper near zero speed, and a coupling a spring."""
    bodies, equality, array = SOFT_PARTS[part]
    mechanism = bridge.lower(loaders.load_string(SOFT.format(bodies, equality), format="mjcf"))

    def wrong(model: Any) -> None:
        getattr(model, array)[:] *= 0.9

    for engine, outcome in ((MujocoEngine, Outcome.EXPLAINED), (faulty_mujoco(wrong), FAILED)):
        engines = [("mujoco", engine), ("pybullet", PyBulletEngine)]
        row = next(iter(exported_rows(mechanism, engines, 0)))
        assert (row.quantity, row.outcome) == (QUANTITY, outcome), row
        assert row.code == ("parity.soft-constraints" if outcome is Outcome.EXPLAINED else "")


def test_an_actuator_that_an_engine_lacks_is_no_cause_while_it_exerts_no_force() -> None:
    """A motor without a command moves nothing, so that the soft coupling explains the motion."""
    bodies, equality, _ = SOFT_PARTS["coupling"]
    motor = '<actuator><general joint="lead" gainprm="3"/></actuator>'
    text = SOFT.format(bodies, equality + motor)
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    engines = [("mujoco", MujocoEngine), ("pybullet", PyBulletEngine)]
    row = next(iter(exported_rows(mechanism, engines, 0)))
    assert (row.outcome, row.code) == (Outcome.EXPLAINED, "parity.soft-constraints")


def test_of_several_losses_one_that_always_acts_is_the_cause() -> None:
    """PyBullet lacks the motor, which has no command, and the inertia of the rotor."""
    bar = BAR.format(y=0, name="j", joint='armature=".1"')
    motor = '<actuator><general joint="j" gainprm="3"/></actuator>'
    mechanism = bridge.lower(loaders.load_string(SOFT.format(bar, motor), format="mjcf"))
    engines = [("mujoco", MujocoEngine), ("pybullet", PyBulletEngine)]
    row = next(iter(exported_rows(mechanism, engines, 0)))
    assert (row.outcome, row.code) == (Outcome.FAILED, "pybullet.rotor-inertia")


def test_a_damper_that_no_compared_step_resolves_is_a_gap_and_never_passes() -> None:
    row = _with_damping(10.0)[0]
    assert row.outcome is Outcome.UNKNOWN
    assert row.cause.startswith(
        "dampers or springs act at a rate of 1.0e+05 1/s; PyBullet integrates them explicitly"
    )


@pytest.mark.parametrize("damping", [0.1, 0.5])
def test_a_damper_that_the_compared_steps_resolve_is_compared(damping: float) -> None:
    """At 1 ms, the product of rate and step is 1 and 5; an eighth of the step resolves the
    latter.
    """
    assert _with_damping(damping)[0].outcome is Outcome.PASSED


def test_a_stop_behind_a_damper_that_diverges_is_unknown_in_pybullet_only() -> None:
    axis = {"damping": 10.0, "lower": -1.0, "upper": 1.0}
    inertia = SpatialInertia.of(0.06, (0, 0, 0), 5e-5 * np.eye(3))
    hinge = joint("j", WORLD, "a", xyz=(0, 1, 0), axis=axis)
    mechanism = bridge.lower(scene([link("a", inertia=inertia)], [hinge]))
    engines = [("mujoco", MujocoEngine.as_exported), ("pybullet", PyBulletEngine)]
    found = [
        (row.engines[1], row.outcome, row.where, row.loaded)
        for row in exported_rows(mechanism, engines, 0)
        if row.quantity == "stops in motion"
    ]
    assert found == [
        ("mujoco", Outcome.PASSED, "j", (0, 1)),
        ("mujoco", Outcome.UNKNOWN, "j", None),
        ("pybullet", Outcome.UNKNOWN, "j", None),
    ]


@pytest.mark.parametrize(("moved", "outcome"), [(3.0, Outcome.PASSED), (2.0, Outcome.UNKNOWN)])
def test_motions_as_far_apart_as_the_links_move_show_no_order(
    moved: float, outcome: Outcome
) -> None:
    """A distance of 1 m that shrank is 0.33 of 3 m, and 0.5 of 2 m; the links move all the time."""
    row = dataclasses.replace(rows()[0], error=0.3, convergence=((1e-3, 3.3), (1.25e-4, 1.0)))
    poses = [{"a": _moved(distance)} for distance in (0.0, moved, -moved)]
    moving = ExportedMotion(poses=poses, before_stops=2, diagnostics=())
    found = Convergence(row=row, shortest=(moving, moving))
    motions = Motions(mechanism=ARM, start=({}, {}), engines={})
    assert _judged(motions, [found]).outcome is outcome


def _moved(distance: float) -> Array:
    X = np.eye(4)
    X[0, 3] = distance
    return X


def test_the_extent_of_a_motion_is_how_far_a_link_moves() -> None:
    """A link that slides at 2 m/s without forces."""
    slide = joint("s", WORLD, "a", JointType.PRISMATIC, xyz=(1, 0, 0))
    mechanism = bridge.lower(scene([link("a")], [slide]))
    start = start_of(mechanism, 0)
    engines = {"mujoco": MujocoEngine.as_exported, "pybullet": PyBulletEngine}
    motions = Motions(mechanism=mechanism, start=start, engines=engines)
    found = _convergence(motions, ("mujoco", "pybullet"), LONGEST_STEP)
    assert found is not None
    speed = abs(float(np.ravel(start[1]["s"])[0]))
    assert found.extent == pytest.approx(speed * STEPS * LONGEST_STEP, rel=1e-6)


# Actuators in motion: running engines follow changing commands alike, and an engine that does not
# is found.

ENGINES = (MujocoEngine, PyBulletEngine)
DAMPED = "<drake:controller_gains p='40' d='6'/>"
TURNED = "<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>"


def mechanism(text: str) -> Mechanism:
    return bridge.lower(loaders.load_string(text, format="sdf"))


def driven_motion_rows(model: Mechanism, *engines: Any, seed: int = 0) -> dict[str, Row]:
    named = [
        ("reference", ReferenceEngine),
        *((engine.name, engine) for engine in engines or ENGINES),
    ]
    return {row.quantity: row for row in driven_rows(model, named, seed)}


# --- one actuator against closed forms ------------------------------------------------------------

WHEEL = """<sdf version='1.9' xmlns:drake='drake.mit.edu'><model name='m'>
<link name='a'><inertial><mass>1</mass><inertia><ixx>2</ixx><iyy>2</iyy><izz>2</izz></inertia></inertial></link>
<joint name='j' type='revolute'><parent>world</parent><child>a</child>
<axis><xyz>0 0 1</xyz><limit><effort>4</effort></limit></axis>
<drake:controller_gains p='8' d='8'/></joint></model></sdf>"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("command", "effort"), [(3.0, 3.0), (-3.0, -3.0), (9.0, 4.0), (-9.0, -4.0)]
)
def test_a_wheel_accelerates_as_commanded_up_to_its_limit(
    engine: Any, command: float, effort: float
) -> None:
    opened = engine.as_exported(mechanism(WHEEL))
    opened.start_actuators("motor", ("j",))
    opened.set_state({"j": 0.0}, {"j": 0.5})
    opened.set_controls({"j": command})
    opened.step(100)
    assert opened.velocities()[0] == pytest.approx(0.5 + effort / 2.0 * 0.1, rel=1e-9)
    opened.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_wheel_approaches_its_target_critically_damped(engine: Any) -> None:
    """The inertia is 2 and the gains are 8 and 8: ``e = 0.1 (1 + 2 t) exp(-2 t)``."""
    opened = engine.as_exported(mechanism(WHEEL))
    opened.start_actuators("position", ("j",))
    opened.set_state({"j": 0.4}, {"j": 0.0})
    opened.set_controls({"j": 0.5})
    opened.step(500)
    error = 0.1 * (1.0 + 2.0 * 0.5) * math.exp(-2.0 * 0.5)
    assert float(
        opened.positions()["j"][0] if engine is MujocoEngine else opened.positions()["j"]
    ) == pytest.approx(0.5 - error, abs=2e-4)
    opened.close()


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", few([0, 1], 1))
@pytest.mark.parametrize("text", [sdf(), sdf(weld=TURNED)])
def test_sound_engines_move_alike_under_changing_commands(text: str, seed: int) -> None:
    found = driven_motion_rows(mechanism(text), seed=seed)
    assert {quantity: row.outcome for quantity, row in found.items()} == dict.fromkeys(
        (EFFORTS, TARGETS), Outcome.PASSED
    )
    assert all(row.convergence[0][1] > 1e-6 for row in found.values()), (
        "this test needs motions that differ at first"
    )


def test_a_model_without_controllers_gets_efforts_only_and_one_without_actuators_nothing() -> None:
    assert set(driven_motion_rows(mechanism(sdf(gains="")))) == {EFFORTS}
    bare = "<sdf version='1.9'><model name='m'><link name='a'/></model></sdf>"
    assert driven_motion_rows(mechanism(bare)) == {}


class WeakServo(MujocoEngine):
    """MuJoCo with 1.2 times the gain of position."""

    def compile_with(self, actuators: Any) -> Any:
        model = super().compile_with(actuators)
        model.actuator_gainprm[:, 0] *= 1.2
        return model


class Unlimited(MujocoEngine):
    """MuJoCo without the limits of efforts."""

    def compile_with(self, actuators: Any) -> Any:
        model = super().compile_with(actuators)
        model.actuator_ctrllimited[:] = model.actuator_forcelimited[:] = model.jnt_actfrclimited[
            :
        ] = 0
        return model


class Late(PyBulletEngine):
    """PyBullet whose commands never change after the first ones."""

    def set_controls(self, controls: Mapping[str, float]) -> None:
        if not self._controls:
            super().set_controls(controls)


class Backwards(PyBulletEngine):
    """PyBullet with all efforts in reverse."""

    def set_controls(self, controls: Mapping[str, float]) -> None:
        super().set_controls({joint: -control for joint, control in controls.items()})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engines", "text", "quantity"),
    [
        ((WeakServo, PyBulletEngine), sdf(), TARGETS),
        ((Unlimited, PyBulletEngine), sdf(effort=".5"), EFFORTS),
        ((MujocoEngine, Late), sdf(), EFFORTS),
        ((MujocoEngine, Late), sdf(), TARGETS),
        ((MujocoEngine, Backwards), sdf(gains=""), EFFORTS),
    ],
)
def test_an_engine_that_follows_commands_otherwise_is_found(
    engines: Any, text: str, quantity: str
) -> None:
    row = driven_motion_rows(mechanism(text), *engines)[quantity]
    assert (row.outcome, row.where in {"a", "b", "c"}) == (Outcome.FAILED, True)


@pytest.mark.slow
def test_compare_moves_the_actuators_at_level_two() -> None:
    found = compare(mechanism(sdf(gains="")), levels=("L2",))
    moved = {row.quantity: row.outcome for row in found.rows if row.quantity in {EFFORTS, TARGETS}}
    assert moved == {EFFORTS: Outcome.PASSED}
    assert found.verdict is not Verdict.DIFFERS


def test_an_engine_without_actuators_says_so() -> None:
    pytest.importorskip("dartpy")
    row = driven_motion_rows(mechanism(sdf()), MujocoEngine, factory_of("dart"))[EFFORTS]
    assert (row.outcome, row.cause) == (Outcome.UNKNOWN, "the engine dart does not run actuators")


@pytest.mark.slow
@pytest.mark.parametrize("degrees", few([0.3, 0.05, 2.0], 1))
def test_an_arm_that_falls_on_a_near_stop_is_no_other_robot(tmp_path: Path, degrees: float) -> None:
    """Both simulators solve stops otherwise, which is the row of stops, not of the motion."""
    (tmp_path / "arm.xml").write_text(
        f"""<mujoco><worldbody><body name="arm"><joint name="j" axis="0 1 0" limited="true"
        range="-{degrees} {degrees}"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".04"
        contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
    )
    comparison = compare(tmp_path / "arm.xml", engines=("mujoco", "pybullet"), quiet=True)
    rows = [row for row in comparison.rows if row.quantity == QUANTITY]
    assert rows
    assert all(row.outcome is not Outcome.FAILED for row in rows)


def test_sensors_of_contacts_do_not_outlive_the_shapes() -> None:
    text = """<mujoco><worldbody><body name="a"><freejoint/><geom name="a" size=".1"/></body>
    <body name="b" pos="1 0 0"><freejoint/><geom name="b" size=".1"/></body></worldbody>
    <sensor><contact subtree1="a" geom2="b"/><contact geom1="a" geom2="b"/></sensor></mujoco>"""
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    engine = MujocoEngine(exported(mechanism, 1e-3))
    assert engine.model.nsensor == engine.model.ngeom == 0
