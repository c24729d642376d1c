"""``make`` finds a supported Python, whatever it is called."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder that is the whole PATH, with the shell and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("make", "sh"):
        (folder / name).symlink_to(str(shutil.which(name)))
    shutil.copy(ROOT / "Makefile", tmp_path)
    return folder


def make(programs: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["make", *words, ".venv/bin/python"]
    settings = {"PATH": str(programs), **environment}
    return subprocess.run(
        command, cwd=programs.parent, env=settings, capture_output=True, text=True, check=False
    )


def fake(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def test_the_only_python_is_used_even_if_others_fail_to_start(programs: Path) -> None:
    fake(programs / "python3.11", "exit 127")  # as a shim of pyenv does without that version
    fake(programs / "python3", f'exec {sys.executable} "$@"')
    assert "\npython3 -m venv .venv\n" in make(programs, "--dry-run").stdout


def test_bytecode_is_kept_whatever_the_shell_says(programs: Path) -> None:
    shown = 'test "$1" = -m && echo "forbidden: [$PYTHONDONTWRITEBYTECODE]"'
    fake(programs / "python3", f'{shown} || exec {sys.executable} "$@"')
    assert "forbidden: []" in make(programs, PYTHONDONTWRITEBYTECODE="1").stdout


def test_without_a_supported_python_it_says_what_is_needed(programs: Path) -> None:
    process = make(programs)
    assert process.returncode == 2
    assert "Python 3.11 to 3.14 is needed; try: make PYTHON=/path/to/python3" in process.stderr


def test_test_and_test_slow_together_run_every_test_once(programs: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", programs.parent)
    fake(programs / "python3", f'exec {sys.executable} "$@"')
    assert (
        "pytest -n 2 --dist worksteal -m 'not slow' \n"
        in make(programs, "--dry-run", "test").stdout
    )
    assert (
        "pytest -n 2 --dist loadgroup -m slow \n" in make(programs, "--dry-run", "test-slow").stdout
    )


JUNIT = """<testsuites><testsuite name="pytest" errors="{}" failures="{}" skipped="{}" tests="{}"
 time="{}"/></testsuites>"""


def test_the_closing_line_of_two_runs_is_their_sum(tmp_path: Path) -> None:
    runs = {"quick.xml": (0, 1, 2, 10, 1.5), "slow.xml": (1, 0, 0, 5, 2.25)}
    for name, counts in runs.items():
        (tmp_path / name).write_text(JUNIT.format(*counts), encoding="utf-8")
    command = [sys.executable, str(ROOT / ".ci" / "closing_line.py"), *runs]
    line = subprocess.check_output(command, cwd=tmp_path, text=True)
    assert line == "1 failed, 11 passed, 2 skipped, 1 errors in 3.75s\n"
