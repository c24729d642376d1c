"""The log that comes with the arm is the motion of the arm in Drake."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bridge
from bridge.lowering.transform import mechanism_of
from bridge.mechanism import Mechanism
from bridge.parity.engine import Engine
from bridge.parity.replay.log import read_log
from bridge.parity.replay.replay import experiment_of, openers
from bridge.parity.replay.rollout import first_speed, roll_out, roll_out_all
from loaders.diagnostics import Diagnostics
from tests.support.seeds import few

STEP = 1e-3
GRAVITY = 9.8  # [m/s^2]: what SDFormat assumes; Drake assumes 9.81
HALF_DIGIT = 0.500001e-6
"""Half the last decimal of positions and velocities in the log [rad, m]."""


def test_the_bundled_log_is_a_motion_in_drake(assets: Path) -> None:
    plants = pytest.importorskip("pydrake.multibody.plant")
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    analysis = pytest.importorskip("pydrake.systems.analysis")
    plant = plants.MultibodyPlant(STEP)
    parser = parsing.Parser(plant)
    parser.package_map().Add("gripper", str(assets / "gripper"))
    parser.AddModels(str(assets / "arm" / "model.sdf"))
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -GRAVITY])
    plant.Finalize()
    simulator = analysis.Simulator(plant)
    context = simulator.get_mutable_context()
    actuators = [plant.get_joint_actuator(i) for i in plant.GetJointActuatorIndices()]
    found, stated = [], []
    with (assets / "arm" / "swing.csv").open() as file:
        rows = [{key: float(x) for key, x in row.items()} for row in csv.DictReader(file)]
    for row in rows:
        q, v = plant.GetPositions(context), plant.GetVelocities(context)
        efforts = np.zeros(plant.num_actuated_dofs())
        for actuator in actuators:
            joint = actuator.joint()
            name = f"gripper::{joint.name()}" if "slide" in joint.name() else joint.name()
            found.append((q[joint.position_start()], v[joint.velocity_start()]))
            stated.append((row[f"{name}.position"], row[f"{name}.velocity"]))
            efforts[actuator.input_start()] = row[f"{name}.command_effort"]
        plant.get_actuation_input_port().FixValue(context, efforts)
        simulator.AdvanceTo(row["time"] + rows[1]["time"] - STEP / 2)
    assert np.array(found) == pytest.approx(np.array(stated), abs=HALF_DIGIT)


@pytest.mark.slow
@pytest.mark.parametrize("columns", few(["all", "no velocities"], 1))
def test_mujoco_repeats_the_bundled_log_to_its_last_decimal(
    assets: Path, tmp_path: Path, columns: str
) -> None:
    """Velocities between two samples are no velocities of the robot, and those that are not
    measured are estimated.
    """
    pytest.importorskip("mujoco")
    with (assets / "arm" / "swing.csv").open() as file:
        rows = list(csv.reader(file))
    kept = [i for i, name in enumerate(rows[0]) if columns == "all" or "velocity" not in name]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(",".join(row[i] for i in kept) for row in rows))
    result = bridge.replay(assets / "arm" / "model.sdf", log, engines="mujoco", quiet=True)
    (engine,) = result.engines
    assert result.verdict == "agrees"
    if columns == "all":
        assert max(error.largest for error in engine.errors) <= 2.0 * HALF_DIGIT
        assert not any(parting.quantity for parting in result.partings)


def test_times_that_are_rounded_give_the_stated_step(assets: Path, tmp_path: Path) -> None:
    """240 samples a second, to the microsecond: an interval is longer than the step by 7e-8."""
    times = np.round(np.arange(30) / 240.0, 6)
    rows = (f"{t:.6f},0.1,0" for t in times)
    log = tmp_path / "log.csv"
    log.write_text("\n".join(("time,elbow.position,elbow.command_effort", *rows)))
    mechanism = mechanism_of(assets / "double_pendulum.urdf", quiet=True)
    experiment = experiment_of(
        mechanism, log, controller="auto", gains={}, names={}, step=1.0 / 240.0,
        diagnostics=Diagnostics(),
    )  # fmt: skip
    assert experiment.step == pytest.approx(1.0 / 240.0, rel=1e-3)


@pytest.mark.parametrize("frequency", [0.5, 0.756])
def test_a_curve_from_rest_has_no_velocity_at_its_start(tmp_path: Path, frequency: float) -> None:
    """Half a period of a sine is no parabola, and its two best fits agree by chance."""
    t = 0.02 * np.arange(51)
    q = 0.5 * np.sin(2.0 * np.pi * frequency * t) ** 2 + 3e-4 * (-1.0) ** np.arange(51)
    rows = (f"{time:.2f},{x:.6f},0" for time, x in zip(t, q, strict=True))
    log = tmp_path / "log.csv"
    log.write_text("\n".join(("time,j.q,j.tau_cmd", *rows)))
    found = read_log(log, ("j",), Diagnostics())
    assert abs(first_speed(found, "j", 0.0, degree=2)) < 0.1


def test_a_model_is_compiled_once_for_all_starts(assets: Path) -> None:
    arm = assets / "arm"
    mechanism = mechanism_of(arm / "model.sdf", base="fixed")
    experiment = experiment_of(
        mechanism,
        arm / "swing.csv",
        controller="auto",
        gains={},
        names={},
        step=None,
        diagnostics=Diagnostics(),
    )
    experiment = replace(experiment, duration=0.1)
    ((_, open_engine),) = openers("mujoco")
    opened = []

    def counted(moved: Mechanism) -> Engine:
        opened.append(moved)
        return open_engine(moved)

    offsets = 1e-3 * np.random.default_rng(0).standard_normal((4, len(experiment.watched)))
    motions = roll_out_all(counted, mechanism, experiment, offsets)
    assert len(opened) == 1
    alone = [roll_out(open_engine, mechanism, experiment, offset).q for offset in offsets]
    np.testing.assert_array_equal(motions, alone)
