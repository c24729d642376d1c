"""The command and ``python -m sdfbridge`` run the command line, and say so where another package
hides it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "sdfbridge", *words]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def test_the_module_runs_the_command_line(tmp_path: Path) -> None:
    process = run(tmp_path, "info", str(ROOT / "assets" / "double_pendulum.urdf"))
    assert process.returncode == 0, process.stderr
    assert "elbow" in process.stdout


def test_another_bridge_in_the_folder_is_an_error_that_names_both_paths(tmp_path: Path) -> None:
    (tmp_path / "bridge").mkdir()
    (tmp_path / "bridge" / "__init__.py").write_text("", encoding="utf-8")
    process = run(tmp_path, "doctor")
    assert process.returncode == 2
    assert process.stdout == ""
    assert process.stderr.splitlines() == [
        (
            f"sdfbridge: error: package 'bridge' of sdfbridge in {ROOT / 'bridge'} is hidden by "
            f"{tmp_path / 'bridge'}"
        ),
        "rename that folder, or start Python in another folder and without it in PYTHONPATH",
    ]
