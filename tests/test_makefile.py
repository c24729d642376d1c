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


def make(programs: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["make", *words, ".venv/bin/python"]
    environment = {"PATH": str(programs)}
    return subprocess.run(
        command, cwd=programs.parent, env=environment, capture_output=True, text=True, check=False
    )


def fake(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def test_the_only_python_is_used_even_if_others_fail_to_start(programs: Path) -> None:
    fake(programs / "python3.11", "exit 127")  # as a shim of pyenv does without that version
    fake(programs / "python3", f'exec {sys.executable} "$@"')
    assert "\npython3 -m venv .venv\n" in make(programs, "--dry-run").stdout


def test_without_a_supported_python_it_says_what_is_needed(programs: Path) -> None:
    process = make(programs)
    assert process.returncode == 2
    assert (
        "Python 3.11, 3.12 or 3.13 is needed; try: make PYTHON=/path/to/python3" in process.stderr
    )
