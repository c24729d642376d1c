"""Every example runs in an empty folder and prints or writes what it promises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bridge
import loaders

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def run(path: Path, folder: Path) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "error,ignore::UserWarning",
    }  # losses
    done = subprocess.run(
        [sys.executable, str(path)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_tested() -> None:
    tested = set(re.findall(r'"(\w+\.py)"', Path(__file__).read_text(encoding="utf-8")))
    assert {path.name for path in EXAMPLES} == tested


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_docstring_of_an_example_states_its_command(path: Path) -> None:
    assert f"\n    python examples/{path.name}" in path.read_text(encoding="utf-8").split('"""')[1]


@pytest.mark.slow
def test_the_episodes_and_control_modes_of_the_migrated_script_reach_their_goals(
    tmp_path: Path,
) -> None:
    text = run(ROOT / "examples" / "from_loadurdf.py", tmp_path)
    ends = [float(number) for number in re.findall(r"the elbow ends at (\S+) rad", text)]
    assert len(ends) == 3
    assert ends == sorted(ends), "a larger torque lifts the elbow further"
    (position,) = re.findall(r"position control: (\S+) rad", text)
    assert float(position) == pytest.approx(-0.5, abs=0.01)
    (velocity,) = re.findall(r"velocity control: (\S+) rad/s", text)
    assert float(velocity) == pytest.approx(0.2, abs=0.01)


@pytest.mark.slow
def test_the_joint_motion_is_drawn_and_the_simulators_agree_on_it(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "joint_motion.py", tmp_path)
    differences = [float(number) for number in re.findall(r"differ by (\S+) m", text)]
    assert len(differences) == 2
    assert max(differences) <= 1e-9
    assert (tmp_path / "out" / "joint_motion.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_arm_reaches_its_goal_in_pybullet(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "drive_in_pybullet.py", tmp_path)
    pairs = re.findall(r"goal +(\S+) rad, reached +(\S+) rad", text)
    assert len(pairs) == 4
    for goal, reached in pairs:
        assert float(reached) == pytest.approx(float(goal), abs=0.02)


@pytest.mark.slow
def test_the_exported_folder_holds_the_files_of_the_docstring(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "sdf_to_mjcf.py", tmp_path)
    folder = tmp_path / "out" / "arm"
    for name in ("arm.xml", "scene.xml", "FIDELITY.md", "assets"):
        assert (folder / name).exists(), name
    palm = bridge.lower(loaders.load(ROOT / "assets" / "arm" / "model.sdf")).link_poses(
        {"elbow": 0.5}
    )["gripper::palm"]
    (printed,) = re.findall(r"gripper::palm is at \[(.*)\]", text)
    assert [float(number) for number in printed.split()] == pytest.approx(palm.p, abs=1e-6)


@pytest.mark.slow
def test_every_episode_with_the_same_seed_ends_alike(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "reset_loop.py", tmp_path)
    first, other, again = re.findall(r"last reward (\S+)", text)
    assert first == again != other
    assert float(first) > -0.02


@pytest.mark.slow
def test_two_arms_of_one_world_swing_alike_and_leave_nothing_behind(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "from_loadsdf.py", tmp_path)
    left, right = (float(number) for number in re.findall(r"elbow: (\S+) rad", text))
    assert left == pytest.approx(right, abs=1e-5)
    assert left != -0.4
    assert "0 bodies are left" in text


@pytest.mark.slow
def test_each_control_mode_does_what_its_name_says(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "control_modes.py", tmp_path)
    states = {
        m: (float(q), float(v))
        for m, q, v in re.findall(r"(\w+) +elbow at +(\S+) rad, +(\S+) rad/s", text)
    }
    assert states["position"] == pytest.approx((-0.5, 0.0), abs=1e-3)
    assert states["velocity"][1] == pytest.approx(-0.3, abs=1e-3)
    assert states["off"] == pytest.approx((0.0, 0.0), abs=1e-6)
    assert states["torque"][1] < -0.05


@pytest.mark.slow
def test_the_errors_of_the_native_loaders_are_printed_with_their_causes(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "own_loaders.py", tmp_path)
    assert "PyBullet's native loader: DIFFERS" in text
    assert re.search(r"inertia at \w+: off by \S+ ; .*collision shapes", text)
    assert re.search(r"couplings at follow on close: .*mimic", text)
    assert re.search(r"both simulators through this package: EQUIVALENT", text)
