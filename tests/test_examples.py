"""Every example runs, in a folder of its own, and does what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def run(path: Path, folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
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


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_from_any_folder(path: Path, tmp_path: Path) -> None:
    assert run(path, tmp_path)


def test_the_joint_motion_is_drawn_and_the_simulators_agree_on_it(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "joint_motion.py", tmp_path)
    differences = [float(number) for number in re.findall(r"differ by (\S+) m", text)]
    assert len(differences) == 2
    assert max(differences) <= 1e-9
    assert (tmp_path / "out" / "joint_motion.png").read_bytes().startswith(b"\x89PNG")


def test_the_arm_reaches_its_goal_in_pybullet(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "drive_in_pybullet.py", tmp_path)
    pairs = re.findall(r"goal +(\S+) rad, reached +(\S+) rad", text)
    assert len(pairs) == 4
    for goal, reached in pairs:
        assert float(reached) == pytest.approx(float(goal), abs=0.02)


def test_the_exported_folder_holds_what_the_example_says(tmp_path: Path) -> None:
    run(ROOT / "examples" / "sdf_to_mjcf.py", tmp_path)
    folder = tmp_path / "out" / "arm"
    for name in ("arm.xml", "scene.xml", "FIDELITY.md", "assets"):
        assert (folder / name).exists(), name


def test_every_episode_with_the_same_seed_ends_alike(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "reset_loop.py", tmp_path)
    first, other, again = re.findall(r"last reward (\S+)", text)
    assert first == again != other
    assert float(first) > -0.02


def test_two_arms_of_one_world_swing_alike_and_leave_nothing_behind(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "from_loadsdf.py", tmp_path)
    left, right = (float(number) for number in re.findall(r"elbow: (\S+) rad", text))
    assert left == pytest.approx(right, abs=1e-5)
    assert left != -0.4
    assert "0 bodies are left" in text


def test_each_control_mode_does_what_its_name_says(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "control_modes.py", tmp_path)
    found = {m: (float(q), float(v)) for m, q, v in re.findall(r"(\w+) +elbow at +(\S+) rad, +(\S+) rad/s", text)}
    assert found["position"] == pytest.approx((-0.5, 0.0), abs=1e-3)
    assert found["velocity"][1] == pytest.approx(-0.3, abs=1e-3)
    assert found["off"] == pytest.approx((0.0, 0.0), abs=1e-6)
    assert found["torque"][1] < -0.05


def test_the_simulators_own_loaders_are_judged_and_what_they_get_wrong_is_told(tmp_path: Path) -> None:
    text = run(ROOT / "examples" / "own_loaders.py", tmp_path)
    assert "PyBullet's own loader: DIFFERS" in text
    assert re.search(r"inertia at \w+: off by \S+ ; .*collision shapes", text)
    assert re.search(r"couplings at follow on close: .*mimic", text)
    assert re.search(r"through this package, both: EQUIVALENT", text)


def test_the_recipe_for_continuous_integration_uses_commands_that_there_are() -> None:
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load((ROOT / "examples" / "ci" / "parity.yml").read_text(encoding="utf-8"))
    commands = [step["run"] for step in recipe["jobs"]["parity"]["steps"] if "run" in step]
    assert any(command.startswith("pytest --parity") for command in commands)
    (compared,) = (command for command in commands if command.startswith("sdfbridge"))
    from bridge.cli import _parser

    options = _parser().parse_args(compared.split()[1:])
    assert options.report == Path("report")
