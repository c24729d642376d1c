"""Replay of logs that Drake and DART made, of malformed logs, and of logs in other forms."""

from __future__ import annotations

import io
import struct
import tomllib
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import bridge
from bridge.cli import main
from bridge.parity.replay.errors import delay_of
from bridge.parity.replay.log import Log, Series, key_of, read_log
from bridge.parity.replay.replay import Replay
from loaders.diagnostics import Diagnostics, LoadError
from tests.support.foreign_logs import JOINTS, Arm, gains, in_dart, in_drake, write_log, write_model
from tests.support.planted_causes import BARE, MODEL, PLANTED

ASSETS = Path(__file__).parents[3] / "assets"
EXACT = 1e-12
"""Error of a motion whose steps are equal in numbers [rad]."""
WITHOUT_ROTORS = Arm(armature=(0.0, 0.0, 0.0))


def replayed(folder: Path, arm: Arm, **options: object) -> Replay:
    choices = {"gains": gains(arm), "engines": "mujoco", **options}
    model = folder / "arm.urdf" if (folder / "arm.urdf").exists() else write_model(folder, arm)
    return bridge.replay(
        model, folder / "log.csv", overrides=folder / "arm.toml", quiet=True, **choices
    )


@pytest.mark.parametrize(
    ("simulate", "arm"), [(in_drake, Arm()), (in_dart, WITHOUT_ROTORS)], ids=["drake", "dart"]
)
@pytest.mark.parametrize("efforts", [False, True], ids=["targets", "efforts"])
def test_the_motion_of_another_simulator_is_repeated(
    tmp_path: Path, simulate: object, arm: Arm, efforts: bool
) -> None:
    pytest.importorskip("pydrake" if simulate is in_drake else "dartpy")
    write_log(tmp_path / "log.csv", arm, simulate, efforts=efforts)
    result = replayed(tmp_path, arm)
    (engine,) = result.engines
    assert [error.joint for error in engine.errors] == list(JOINTS)
    assert max(error.largest for error in engine.errors) < EXACT
    assert result.is_within_bound
    assert not any(parting.quantity for parting in result.partings)
    assert result.explanations == ()
    assert "mass of l0" in result.unobservable  # it turns about a vertical axis
    assert "not observable in this log" in " ".join(result.answer)
    assert not {"mass of l1", "mass of l2", "sign of elbow"} & set(result.unobservable)


@pytest.mark.slow
def test_an_engine_that_computes_many_states_replays_all_starts_at_once(tmp_path: Path) -> None:
    """Friction and limits of effort act too; MuJoCo moves from one start after the other."""
    pytest.importorskip("pydrake")
    pytest.importorskip("mujoco_warp")
    arm = replace(Arm(), effort=(60.0, 2.0, 40.0), friction=(0.0, 0.0, 0.3))
    write_log(tmp_path / "log.csv", Arm(), count=12)
    result = replayed(tmp_path, arm, engines=("mujoco", "warp"), explained=False, starts=3)
    reference, engine = result.engines
    assert np.abs(engine.motion.q - reference.motion.q).max() < 1e-3
    assert np.abs(reference.motion.efforts[:, 1]).max() == 2.0
    for joint in JOINTS:
        assert engine.starts.rms[joint] == pytest.approx(reference.starts.rms[joint], abs=1e-3)
        low, middle, high = engine.starts.rms[joint]
        assert low < middle < high
    assert "RMS from 3 starts" in engine.sensitivity


@pytest.mark.slow
@pytest.mark.parametrize("simulate", [in_drake, in_dart], ids=["drake", "dart"])
def test_a_controller_of_velocities_alone_is_repeated(tmp_path: Path, simulate: object) -> None:
    pytest.importorskip("pydrake" if simulate is in_drake else "dartpy")
    arm = replace(WITHOUT_ROTORS, p=(0.0, 0.0, 0.0), d=(8.0, 9.0, 5.0))
    write_log(tmp_path / "log.csv", arm, simulate, speeds=True)
    for controller in ("velocity", "auto"):
        result = replayed(tmp_path, arm, controller=controller)
        (engine,) = result.engines
        assert max(error.largest for error in engine.errors) < EXACT
        assert np.ptp(engine.motion.q, axis=0).min() > 0.1
        assert result.is_within_bound


SERVOS = """<mujoco><option timestep="0.002"/><worldbody><body name="a"><joint name="j" axis="0 1 0"/>
<geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/><body name="b" pos=".3 0 0">
<joint name="k" axis="0 1 0" damping=".1"/><geom type="capsule" size=".04" fromto="0 0 0 .2 0 0"/>
</body></body></worldbody><actuator><position name="s" joint="j" kp="90" kv="3"/>
<motor name="t" joint="j" gear="5"/></actuator></mujoco>"""


def test_actuators_of_the_model_do_not_act_beside_the_controller(tmp_path: Path) -> None:
    """One joint has a servo and a motor in the file, the other one neither actuator nor limit."""
    (tmp_path / "servos.xml").write_text(SERVOS)
    model = mujoco.MjModel.from_xml_string(SERVOS)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.actuator_gainprm[:] = model.actuator_biasprm[:] = 0.0
    data, rows = mujoco.MjData(model), []
    for i in range(150):
        goal = 0.4 * np.sin(0.02 * i * np.array([1.0, 1.5]))
        rows.append([0.002 * i, *data.qpos, *data.qvel, *goal])
        data.qfrc_applied[:] = 40.0 * (goal - data.qpos) - 2.0 * data.qvel
        mujoco.mj_step(model, data)
    names = [f"{joint}.{quantity}" for quantity in ("q", "qd", "q_cmd") for joint in "jk"]
    lines = [",".join(("time", *names)), *(",".join(f"{x:.15g}" for x in row) for row in rows)]
    (tmp_path / "log.csv").write_text("\n".join(lines))
    both = dict.fromkeys("jk", (40.0, 2.0))
    result = bridge.replay(
        tmp_path / "servos.xml", tmp_path / "log.csv", engines="mujoco", gains=both, quiet=True
    )
    assert max(error.largest for error in result.engines[0].errors) < EXACT


def test_engines_that_differ_from_the_log_part_by_a_named_quantity(tmp_path: Path) -> None:
    """PyBullet has no armature."""
    pytest.importorskip("pydrake")
    pytest.importorskip("pybullet")
    write_log(tmp_path / "log.csv", Arm())
    result = replayed(tmp_path, Arm(), engines=("mujoco", "pybullet"), explained=False)
    mujoco, pybullet = result.engines
    assert mujoco.is_within_bound
    assert not pybullet.is_within_bound
    partings = {(parting.first, parting.second): parting for parting in result.partings}
    assert not partings["log", "mujoco"].quantity
    assert partings["mujoco", "pybullet"].quantity in {"velocity", "effort"}
    assert 0.0 < partings["log", "pybullet"].time < 0.1


def test_a_chaotic_motion_is_not_blamed_on_the_model(tmp_path: Path) -> None:
    """Gains that are unstable at this step let any difference grow."""
    pytest.importorskip("pydrake")
    write_log(tmp_path / "log.csv", Arm(), count=60)
    (engine,) = replayed(tmp_path, replace(Arm(), d=(900.0,) * 3, effort=(1e5,) * 3)).engines
    assert engine.is_chaotic
    assert not engine.is_within_bound
    assert "diverges" in engine.sensitivity


@pytest.mark.parametrize("delay", [-0.03, 0.0, 0.004, 0.05])
def test_the_delay_of_a_curve_is_found(delay: float) -> None:
    times = np.linspace(0.0, 2.0, 400)
    curves = (np.sin(5.0 * t) + 0.4 * np.sin(11.0 * t) for t in (times - delay, times))
    assert delay_of(times, *curves) == pytest.approx(delay, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_difference_is_the_first_cause(tmp_path: Path, name: str) -> None:
    planted = PLANTED[name]
    pytest.importorskip("pydrake" if planted.simulate is in_drake else "dartpy")
    write_model(tmp_path, planted.model)
    log = tmp_path / "log.csv"
    write_log(
        log, planted.arm, planted.simulate, count=200, stated=planted.model, **planted.options
    )
    cause = replayed(tmp_path, planted.model).causes[0]
    assert (cause.kind, cause.subjects) == (planted.kind, planted.subjects)
    assert cause.values[: len(planted.values)] == pytest.approx(planted.values, rel=0.05)
    assert cause.share > 0.99


TWO_CAUSES = {
    "load and gain": (
        replace(MODEL, masses=(2.0, 1.5, 1.4), d=(4.0, 7.0, 2.0)), in_drake,
        {("mass", "l2"): 1.4, ("velocity gain", "shoulder"): 7.0},
    ),
    "friction beside damping": (
        replace(BARE, friction=(0.0, 0.0, 0.8), damping=(0.05, 0.08, 0.5)), in_dart,
        {("friction", "elbow"): 0.8, ("damping", "elbow"): 0.5},
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", TWO_CAUSES)
def test_two_planted_differences_are_named_together(tmp_path: Path, name: str) -> None:
    arm, simulate, expected = TWO_CAUSES[name]
    pytest.importorskip("pydrake" if simulate is in_drake else "dartpy")
    model = replace(arm, masses=MODEL.masses, friction=MODEL.friction, damping=MODEL.damping)
    model = replace(model, d=MODEL.d)
    write_model(tmp_path, model)
    write_log(tmp_path / "log.csv", arm, simulate, count=120, stated=model)
    cause = replayed(tmp_path, model).causes[0]
    assert cause.further is not None
    found = {(each.kind, *each.subjects): each.values[0] for each in (cause, cause.further)}
    assert found == pytest.approx(expected, rel=0.05)
    assert cause.share > 0.99
    assert f"and {cause.further.kind}" in str(cause)


def thinned(source: Path, target: Path, noise: float) -> None:
    """Write every fifth row of a log, with noise, without velocities, in six decimals."""
    header, *rows = (line.split(",") for line in source.read_text().split())
    kept = [i for i, name in enumerate(header) if "velocity" not in name]
    values = np.array(rows, dtype=float)[::5, kept]
    positions = [k for k, i in enumerate(kept) if header[i].endswith(".position")]
    rng = np.random.default_rng(1)
    values[:, positions] += noise * rng.standard_normal((len(values), len(positions)))
    lines = [",".join(header[i] for i in kept), *(",".join(f"{x:.6f}" for x in r) for r in values)]
    target.write_text("\n".join(lines) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("planted", ["degrees", "gravity turned"])
def test_a_planar_arm_names_what_is_planted(tmp_path: Path, planted: str) -> None:
    """One of the two angles of gravity changes nothing where it is zero."""
    (tmp_path / "arm.toml").write_text("[options]\ngravity = [0.0, 0.0, -9.8]\n")
    model, joints = ASSETS / "double_pendulum.urdf", ("shoulder", "elbow")
    spec = bridge.to_mjspec(model, quiet=True)
    spec.option.timestep = 0.002
    if planted == "gravity turned":
        spec.option.gravity = 9.8 * np.array([-0.2, 0.0, -np.sqrt(1.0 - 0.04)])
    robot = spec.compile()
    data, rows = mujoco.MjData(robot), []
    for i in range(250):
        q, v = ([float(getattr(data.joint(j), k)[0]) for j in joints] for k in ("qpos", "qvel"))
        goal = [0.6 * np.sin(0.01 * i), -0.8 * np.sin(0.017 * i)]
        rows.append([data.time, *q, *goal])
        for j, p, d, a, b, c in zip(joints, (60.0, 20.0), (6.0, 2.0), goal, q, v, strict=True):
            data.joint(j).qfrc_applied[0] = p * (a - b) - d * c
        mujoco.mj_step(robot, data)
    table = np.array(rows)
    if planted == "degrees":
        table[:, 1:] = np.degrees(table[:, 1:])
    names = [f"{j}.{word}" for word in ("position", "command_position") for j in joints]
    lines = [",".join(("time", *names)), *(",".join(f"{x:.12g}" for x in row) for row in table)]
    (tmp_path / "log.csv").write_text("\n".join(lines))
    result = bridge.replay(
        model, tmp_path / "log.csv", engines="mujoco", step=0.002, quiet=True,
        gains={"shoulder": (60.0, 6.0), "elbow": (20.0, 2.0)},
    )  # fmt: skip
    assert result.causes[0].kind == planted
    assert result.causes[0].share > 0.99


@pytest.mark.slow
def test_a_coarse_and_noisy_log_names_the_cause_and_blames_no_sound_model(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pydrake")
    for arm, expected in ((Arm(), None), (PLANTED["payload"].arm, "mass")):
        write_log(tmp_path / "fine.csv", arm, step=1e-3, count=1000)
        thinned(tmp_path / "fine.csv", tmp_path / "log.csv", 1e-3)
        result = replayed(tmp_path, Arm(), step=1e-3)
        assert (result.verdict == "agrees") == (expected is None)
        if expected is not None:
            first = result.causes[0]
            assert (first.kind, first.subjects) == (expected, ("l2",))
            assert first.values[0] == pytest.approx(1.4, rel=0.05)


@pytest.mark.slow
def test_the_command_writes_a_page_and_the_overrides_with_which_the_model_moves_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("dartpy")
    arm = replace(WITHOUT_ROTORS, damping=(0.05, 0.9, 0.04))
    model = write_model(tmp_path, WITHOUT_ROTORS)
    log, page, new = (tmp_path / name for name in ("log.csv", "page.html", "new.toml"))
    write_log(log, arm, in_dart, count=100)
    words = ["replay", str(model), str(log), "--engines", "mujoco"]
    for name, (p, d) in gains(arm).items():
        words += ["--gains", f"{name}={p},{d}"]
    given = ["--overrides", str(tmp_path / "arm.toml")]
    assert main([*words, *given, "--report", str(page), "--write-overrides", str(new)]) == 1
    assert "cause 1: damping of shoulder" in capsys.readouterr().out
    text = page.read_text()
    assert text.count("<svg") == len(JOINTS)
    assert "damping of shoulder" in text
    stated = tomllib.loads(new.read_text())
    assert stated["joints"]["shoulder"]["damping"] == pytest.approx(0.9, rel=1e-3)
    assert stated["options"] == tomllib.loads((tmp_path / "arm.toml").read_text())["options"]
    assert main([*words, "--overrides", str(new)]) == 0


# --- forms of logs --------------------------------------------------------------------------------

ROWS = "time,elbow.position,elbow.command_effort\n0,0,1\n0.1,0,1\n0.2,0,1\n"


@pytest.mark.parametrize(
    ("column", "key"),
    [
        ("elbow.position", ("measured", "position", "elbow")),
        ("q_elbow", ("measured", "position", "elbow")),
        ("elbow/vel [rad/s]", ("measured", "velocity", "elbow")),
        ("tau_cmd_elbow", ("command", "effort", "elbow")),
        ("elbow_target_position", ("command", "position", "elbow")),
        ("joint_states/elbow/position", ("measured", "position", "elbow")),
        ("elbow_2.position", ("measured", "position", "elbow_2")),
        ("wrist.position", None),
        ("elbow", None),
        ("elbow.p_gain", ("gain", "p", "elbow")),
    ],
)
def test_columns_are_mapped_to_joints(column: str, key: object) -> None:
    assert key_of(column, {name: name for name in ("elbow", "elbow_2")}) == key


def findings(tmp_path: Path, content: str | bytes, name: str = "log.csv") -> list[str]:
    data = content.encode() if isinstance(content, str) else content
    (tmp_path / name).write_bytes(data)
    record = Diagnostics()
    try:
        read_log(tmp_path / name, ("elbow", "shoulder"), record)
    except LoadError as error:
        return [str(entry) + " " + entry.hint for entry in error.findings]
    return [str(entry) + " " + entry.hint for entry in record]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (ROWS, []),
        (ROWS.replace(",", ";"), []),
        (ROWS.replace("0.1,0", "0.1,inf"), ["log.csv:3", "'inf' in row 2", "elbow.position"]),
        (ROWS.replace("0.1,0", ",0"), ["log.csv:3", "nothing in row 2"]),
        (ROWS.replace(",0,", ",nan,"), ["'nan' in row 1 and in 2 more", "elbow.position"]),
        (ROWS.replace("0.2,0", "0.2,"), ["elbow has 2 samples of its position"]),
        (ROWS.replace("0.2,0", "0.05,0"), ["log.csv:4", "row 3"]),
        (ROWS.replace("0.2,0,1", "0.1,0,2"), ["log.csv:4", "row 3"]),
        (ROWS.replace("0.1,", "10,").replace("0.2,", "20,"), ["did you mean time_ms"]),
        (ROWS.replace("0.1,", "1e7,").replace("0.2,", "2e7,"), ["did you mean time_ns"]),
        (ROWS.replace("elbow", "robot_elbw"), ["did you mean elbow"]),
        (ROWS.replace("time", "tiem"), ["did you mean tiem"]),
        (ROWS.replace("elbow.position", "elbwo.position"), ["did you mean elbow", "measured"]),
        (ROWS.replace("0.1,0,1", "0.1,0"), ["log.csv:3", "2 cells", "expected 3"]),
        (ROWS.replace(".command_effort", ".q"), ["both hold"]),
        (ROWS.replace("0.1,0,1", "0,x,1"), ["'x' in row 2"]),
        ("1,2\n3,4\n", ["log.csv:1", "header"]),
        ("", ["header"]),
        (b"\xff\xfe\x00", ["no UTF-8"]),
        ("time,a\0b\n", ["null"]),
        ("time,elbow.position\n0,0\n.1,0\n.2,0\n", ["no joint of the model has commanded"]),
        ("time,q0,q_des0\n0,0,0\n.1,0,0\n.2,0,0\n", ["measured", "commanded", "'q_des0'", "--map"]),
        (ROWS.replace("0.1,", "100,").replace("0.2,", "200,"), ["100 s apart", "time_ms"]),
    ],
)
def test_a_malformed_log_is_refused_with_its_places(
    tmp_path: Path, content: str | bytes, expected: list[str]
) -> None:
    found = " ".join(findings(tmp_path, content))
    assert bool(found) == bool(expected)
    assert [part for part in expected if part not in found] == []


@pytest.mark.parametrize(
    ("content", "positions", "rule"),
    [
        ("time,elbow.position,elbow.command_effort\n0,1,5\n.1,2,\n.2,3,nan\n.3,4,7\n", 4, "NaN"),
        ("time,elbow.q,elbow.tau_cmd\n0,1,5\n.1,2,7\n.1,2,7\n.2,3,7\n.3,4,7\n", 4, "repeated"),
        ("elbow.tau_cmd;TIME_NS;elbow.q\n5;7e18;1\n7;7000000000100000000;2\n7;7.0000000002e18;3", 3,
         ""),
        ("__time,/rob/joint_states/elbow/position,/rob/controller/command/elbow/effort\n"
         "0,1,5\n.1,2,7\n.2,3,7\n", 3, ""),
        ("t,rob1_elbow.position,rob1_elbow.effort_cmd\n0,1,5\n.1,2,7\n.2,3,7\n", 3, ""),
    ],
)  # fmt: skip
def test_logs_as_people_have_them_are_read(
    tmp_path: Path, content: str, positions: int, rule: str
) -> None:
    """The first command is 5, those from 0.1 s on are 7 or none."""
    (tmp_path / "log.csv").write_text(content)
    log = read_log(tmp_path / "log.csv", ("elbow", "shoulder"), Diagnostics())
    measured = log.series["measured", "position", "elbow"]
    assert measured.values.tolist() == [1.0, 2.0, 3.0, 4.0][:positions]
    assert np.diff(measured.times) == pytest.approx([0.1] * (positions - 1), abs=1e-6)
    commands = log.series["command", "effort", "elbow"]
    assert commands.held(measured.times[[0, -1]]).tolist() == [5.0, 7.0]
    assert rule in " ".join(log.rules)
    assert bool(rule) == bool(log.rules)


def test_a_prefix_that_all_joints_share_may_be_missing_in_the_log(tmp_path: Path) -> None:
    joints = ("arm_elbow", "arm_shoulder", "arm_1")
    (tmp_path / "log.csv").write_text(ROWS)
    log = read_log(tmp_path / "log.csv", joints, Diagnostics())
    assert set(log.joints("measured", "position")) == {"arm_elbow"}


def test_a_column_with_any_name_is_mapped(tmp_path: Path) -> None:
    content = ROWS.replace("elbow.position", "ang_1").replace("elbow.command_effort", "tau_con_1")
    (tmp_path / "log.csv").write_text(content)
    names = {"ang_1": "elbow.position", "tau_con_1": "elbow.command_effort"}
    log = read_log(tmp_path / "log.csv", ("elbow", "shoulder"), Diagnostics(), names)
    assert set(log.series) == {("measured", "position", "elbow"), ("command", "effort", "elbow")}


def test_angles_in_degrees_are_converted(tmp_path: Path) -> None:
    content = ROWS.replace("elbow.position", "elbow.position_deg").replace("0,0,1", "0,90,1")
    (tmp_path / "log.csv").write_text(content)
    log = read_log(tmp_path / "log.csv", ("elbow", "shoulder"), Diagnostics())
    assert log.series["measured", "position", "elbow"].values[0] == pytest.approx(np.pi / 2)
    assert log.series["command", "effort", "elbow"].values[0] == 1.0


def test_commands_since_1970_act_at_their_own_times() -> None:
    times = 1.7e9 + 0.01 * np.arange(100)
    series = Series(times, np.arange(100.0))
    assert series.held(times).tolist() == series.values.tolist()
    assert series.held(times + 0.009).tolist() == series.values.tolist()


def test_columns_of_no_joint_are_named_where_commands_are_missing(tmp_path: Path) -> None:
    found = findings(tmp_path, ROWS.replace("elbow.command_effort", "tau_con_1"))
    assert any("commanded" in line and "'tau_con_1'" in line and "--map" in line for line in found)


def npz(**arrays: object) -> bytes:
    target = io.BytesIO()
    np.savez(target, **arrays)
    return target.getvalue()


def test_an_npz_has_matrices_of_all_joints(tmp_path: Path) -> None:
    times, q = 0.1 * np.arange(4.0), np.arange(8.0).reshape(4, 2)
    names = ["shoulder", "elbow"]
    data = npz(time=times, joints=names, position=q, command_effort=-q, kp=[3.0, 4.0])
    (tmp_path / "a.npz").write_bytes(data)
    log = read_log(tmp_path / "a.npz", ("elbow", "shoulder"), Diagnostics())
    assert log.series["measured", "position", "elbow"].values.tolist() == q[:, 1].tolist()
    assert log.series["command", "effort", "shoulder"].values.tolist() == (-q[:, 0]).tolist()
    assert log.series["gain", "p", "elbow"].values.tolist() == [4.0]


def test_an_npz_may_have_a_row_for_each_joint(tmp_path: Path) -> None:
    times, q = 0.1 * np.arange(4.0), np.arange(8.0).reshape(4, 2)
    data = npz(t=times, joint_names=["shoulder", "elbow"], position=q.T, command_effort=-q)
    (tmp_path / "a.npz").write_bytes(data)
    log = read_log(tmp_path / "a.npz", ("elbow", "shoulder"), Diagnostics())
    assert log.series["measured", "position", "elbow"].values.tolist() == q[:, 1].tolist()
    assert log.series["command", "effort", "elbow"].values.tolist() == (-q[:, 1]).tolist()
    assert log.rules == ("the array 'position' has a row for each joint, and is transposed",)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"no archive", "no npz archive"),
        (npz(time=np.arange(3.0), position=np.zeros((3, 2))), "'position' has shape (3 x 2)"),
        (npz(time=np.array([{}], dtype=object)), "no npz archive of plain arrays"),
        (npz(time=np.arange(3.0), elbow_q=np.zeros(2)), "has 2 rows"),
    ],
)
def test_a_malformed_npz_is_refused(tmp_path: Path, data: bytes, expected: str) -> None:
    assert expected in " ".join(findings(tmp_path, data, "a.npz"))


# --- MCAP -----------------------------------------------------------------------------------------

HEADER = """std_msgs/Header header
{}
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
STATE = HEADER.format("string[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort")
TRAJECTORY = (
    HEADER.format("string[] joint_names\ntrajectory_msgs/JointTrajectoryPoint[] points")
    + """================================================================================
MSG: trajectory_msgs/JointTrajectoryPoint
float64[] positions
float64[] velocities
float64[] accelerations
float64[] effort
builtin_interfaces/Duration time_from_start
================================================================================
MSG: builtin_interfaces/Duration
int32 sec
uint32 nanosec
"""
)
CONTROLLER = (
    HEADER.format(
        "string[] joint_names\ntrajectory_msgs/JointTrajectoryPoint reference\n"
        "trajectory_msgs/JointTrajectoryPoint feedback"
    )
    + TRAJECTORY[len(HEADER.format("string[] joint_names\n"
                                   "trajectory_msgs/JointTrajectoryPoint[] points")):]
)  # fmt: skip


def stamp(seconds: float) -> dict[str, int]:
    return {"sec": int(seconds), "nanosec": round((seconds - int(seconds)) * 1e9)}


def point(time: float, position: float) -> dict[str, object]:
    numbers = {"velocities": [], "accelerations": [], "effort": []}
    return {"positions": [position], "time_from_start": stamp(time), **numbers}


def mcap(
    names: tuple[str, ...] = ("elbow", "shoulder"),
    *,
    states: tuple[str, ...] = ("/joint_states",),
    controller: bool = False,
    starts: tuple[tuple[float, float], ...] = ((5.0, 1.0), (5.5, 3.0)),
    first: float = 0.0,
    zero: float = 5.0,
) -> bytes:
    """Four states from 5 s on in each topic, twice as many in the first one, and trajectories of a
    second to a goal.
    """
    writer_of = pytest.importorskip("mcap_ros2.writer")
    target = io.BytesIO()
    writer = writer_of.Writer(target)
    state = writer.register_msgdef("sensor_msgs/msg/JointState", STATE)
    trajectory = writer.register_msgdef("trajectory_msgs/msg/JointTrajectory", TRAJECTORY)
    of_controller = writer.register_msgdef(
        "control_msgs/msg/JointTrajectoryControllerState", CONTROLLER
    )
    for n, topic in enumerate(states):
        count = 4 if n == len(states) - 1 else 8
        for k in range(count):
            header = {"stamp": stamp(zero + 0.25 * k * 4 / count), "frame_id": ""}
            message = {"name": names, "position": [k, -k], "velocity": [1.0, -1.0], "effort": []}
            writer.write_message(topic, state, {"header": header, **message}, log_time=k)
    for k in range(4 if controller else 0):
        message = {"header": {"stamp": stamp(zero + 0.25 * k), "frame_id": ""}}
        message |= {"joint_names": ["elbow"], "reference": point(0, 2 * k), "feedback": point(0, k)}
        writer.write_message("/arm/state", of_controller, message, log_time=k)
    for start, goal in starts:
        points = [point(t, p) for t, p in ((first, 0.0), (1.0, goal))]
        header = {"stamp": stamp(start), "frame_id": ""}
        message = {"header": header, "joint_names": ["elbow"], "points": points}
        writer.write_message("/arm/joint_trajectory", trajectory, message, log_time=9)
    writer.finish()
    return target.getvalue()


def from_mcap(tmp_path: Path, **options: object) -> Log:
    (tmp_path / "a.mcap").write_bytes(mcap(**options))
    return read_log(tmp_path / "a.mcap", ("elbow", "shoulder"), Diagnostics())


def test_of_several_topics_the_one_with_most_samples_is_taken(tmp_path: Path) -> None:
    log = from_mcap(tmp_path, states=("/fast", "/slow"))
    assert len(log.series["measured", "position", "elbow"].times) == 8
    assert (
        "measured position is that of the topic /fast, which has more samples than /slow"
    ) in log.rules


def test_the_state_of_a_controller_has_commands_and_measured_positions(tmp_path: Path) -> None:
    log = from_mcap(tmp_path, states=(), controller=True, starts=())
    assert log.series["measured", "position", "elbow"].values.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert log.series["command", "position", "elbow"].held(np.array([5.3])).tolist() == [2.0]
    assert not log.rules


def test_a_new_trajectory_starts_where_the_one_before_is(tmp_path: Path) -> None:
    """The first one leads from 0 at 5.2 s to 1 at 6 s; the second one starts at 5.6 s."""
    log = from_mcap(tmp_path, starts=((5.0, 1.0), (5.6, 3.0)), first=0.2)
    path = log.series["command", "position", "elbow"]
    assert path.times == pytest.approx([5.2, 5.6, 5.8, 6.6])
    assert path.values == pytest.approx([0.0, 0.5, 0.0, 3.0])
    late = from_mcap(tmp_path, starts=((5.0, 1.0), (9.0, 3.0)), first=0.2)
    held = late.series["command", "position", "elbow"].held(np.array([7.0, 8.99]))
    assert held.tolist() == [1.0, 1.0]


def test_commands_and_positions_of_different_clocks_are_refused(tmp_path: Path) -> None:
    found = " ".join(findings(tmp_path, mcap(zero=1.7e9), "a.mcap"))
    assert "commands of joint elbow have times 5 to 6.5 s, positions 1.7e+09" in found
    assert "the same clock" in found


def test_an_mcap_has_states_and_trajectories_of_ros(tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_bytes(mcap())
    log = read_log(tmp_path / "a.mcap", ("elbow", "shoulder"), Diagnostics())
    measured = log.series["measured", "position", "shoulder"]
    assert measured.times.tolist() == [5.0, 5.25, 5.5, 5.75]
    assert measured.values.tolist() == [0.0, -1.0, -2.0, -3.0]
    assert ("measured", "effort", "elbow") not in log.series
    path = log.series["command", "position", "elbow"]
    assert path.times.tolist() == [5.0, 5.5, 6.5]  # the second trajectory replaces the first
    assert path.held(np.array([5.25, 6.0])).tolist() == [0.0, 1.5]


def test_a_joint_of_an_mcap_that_the_model_lacks_is_named(tmp_path: Path) -> None:
    found = " ".join(findings(tmp_path, mcap(("elbow", "shouldr")), "a.mcap"))
    assert "/joint_states:shouldr" in found
    assert "did you mean shoulder" in found


def test_damaged_mcaps_are_refused_or_read(tmp_path: Path) -> None:
    good, rng = mcap(), np.random.default_rng(0)
    for _ in range(150):
        data = bytearray(good)
        for place in rng.integers(0, len(data), 3):
            data[place] = int(rng.integers(0, 256))
        findings(tmp_path, bytes(data[: int(rng.integers(1, len(data) + 1))]), "a.mcap")
    assert "no MCAP file" in " ".join(findings(tmp_path, good[:200], "a.mcap"))


def npy(kind: str, shape: str, data: bytes = b"") -> bytes:
    """Return an array as a file states it, whatever its content."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def packed(array: bytes, *, damaged: bool = False) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("time.npy", array)
    data = bytearray(target.getvalue())
    if damaged:
        data[38:48] = b"\xff" * 10
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (packed(npy("<f8", "(1000000000000000,)")), "no npz archive"),
        (packed(npy("|u1", "(60000000,)", bytes(60_000_000))), "100 times its size"),
        (packed(npy("|V0", "(100000000000,)")), "100000000000 numbers"),
        (packed(npy("<f8", "(3,")), "no npz archive"),
        (packed(npy("<f8", "(3,)", bytes(24)), damaged=True), "no npz archive"),
        (packed(npy("<c16", "(3,)", bytes(48))), "complex128, not of numbers"),
    ],
)
def test_an_npz_that_is_hostile_is_a_finding(tmp_path: Path, data: bytes, expected: str) -> None:
    assert expected in " ".join(findings(tmp_path, data, "a.npz"))


def test_columns_are_as_many_and_as_long_as_a_log_needs(tmp_path: Path) -> None:
    wide = "time," + ",".join(f"c{i}" for i in range(10_000)) + "\n0" + ",1" * 10_000 + "\n"
    long = ROWS.replace("elbow.position", "elbow " * 200)
    for text in (wide + 2 * wide.partition("\n")[2], long):
        assert "columns, whose names" in " ".join(findings(tmp_path, text))


def mcap_part(method: str = "", size: int = 0, text: str = STATE) -> bytes:
    """Return an MCAP file of one message, with a packed part that states a size if it has one."""
    mcap_writer = pytest.importorskip("mcap.writer")
    opcode = pytest.importorskip("mcap.opcode").Opcode
    target = io.BytesIO()
    writer = mcap_writer.Writer(target, use_chunking=False)
    writer.start()
    schema = writer.register_schema("sensor_msgs/msg/JointState", "ros2msg", text.encode())
    channel = writer.register_channel("/joint_states", "cdr", schema)
    writer.add_message(channel, 0, b"\0\1\0\0" + b"\xff" * 8, 0)
    writer.finish()
    data, magic = target.getvalue(), 8
    if not method:
        return data
    content = b"\x63" + struct.pack("<Q", 20_000_000) + bytes(20_000_000)
    packer = pytest.importorskip("zstandard").compress if method == "zstd" else None
    inner = (packer or pytest.importorskip("lz4.frame").compress)(content)
    body = struct.pack("<QQQI", 0, 1, size, 0) + struct.pack("<I", len(method)) + method.encode()
    body += struct.pack("<Q", len(inner)) + inner
    part = bytes([opcode.CHUNK]) + struct.pack("<Q", len(body)) + body
    return data[:magic] + part + data[magic:]


@pytest.mark.parametrize("method", ["zstd", "lz4"])
@pytest.mark.parametrize("size", [20_000_009, 100])
def test_a_part_of_an_mcap_is_not_unpacked_past_its_size(
    tmp_path: Path, method: str, size: int
) -> None:
    data = mcap_part(method, size)
    tracemalloc.start()
    found = " ".join(findings(tmp_path, data, "a.mcap"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ("100 times its size" if size > 100 else "another size than it states") in found
    assert peak < 10_000_000


@pytest.mark.parametrize("field", ["uint8[0] a", "uint8[ <= 5] a", "uint8[4000000000] a"])
def test_a_message_of_a_definition_without_bytes_is_not_read(tmp_path: Path, field: str) -> None:
    text = f"E[] all\n{'=' * 80}\nMSG: sensor_msgs/E\n{field}\n"
    found = " ".join(findings(tmp_path, mcap_part(text=text), "a.mcap"))
    assert "arrays of a fixed length" in found
