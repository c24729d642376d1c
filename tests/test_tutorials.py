"""The blocks of Python and the commands of the tutorials and introductory pages run, page by page, in their order."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.cli.parser import make_parser

ROOT = Path(__file__).parents[1]
PAGES = [
    *sorted((ROOT / "docs" / "tutorials").glob("*.md")),
    ROOT / "docs" / "index.md",
    ROOT / "docs" / "install.md",
    ROOT / "docs" / "migration.md",
    ROOT / "docs" / "faq.md",
]
FINISHES_WITH = {"--engines mujoco,mujoco-urdf": 1, "--engines mujoco,drake": 4}
"""Exit status of the commands that find a difference, or cannot compare everything; it is 0 for all others."""
ELSEWHERE = ("pip ", "python -m mujoco.viewer", "sdfbridge demo")
"""Commands that ``.ci/first_ten_minutes.py`` and other tests run, or that need a display."""


def blocks(page: Path, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the bundled models, in which a page may write."""
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    return tmp_path


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=240
    )


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.stem)
def test_the_python_of_a_page_runs(page: Path, folder: Path) -> None:
    (folder / "page.py").write_text("\n".join(blocks(page, "python")), encoding="utf-8")
    done = run([sys.executable, "page.py"], folder)
    assert done.returncode == 0, done.stderr


COMMANDS = sorted(
    {
        line
        for page in PAGES
        for text in blocks(page, "sh")
        for line in text.splitlines()
        if not line.startswith(ELSEWHERE)
    }
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_a_page_ends_as_expected(command: str, folder: Path) -> None:
    program, *words = shlex.split(command)
    assert program == "sdfbridge"
    make_parser().parse_args(words)
    status = next((value for part, value in FINISHES_WITH.items() if part in command), 0)
    done = run([sys.executable, "-m", "sdfbridge", *words], folder)
    assert done.returncode == status, done.stdout + done.stderr
