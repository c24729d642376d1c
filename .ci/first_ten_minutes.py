"""Play the first ten minutes of a new user, outside the repository, on Python 3.11 and on one newer
Python.

.venv/bin/python .ci/first_ten_minutes.py [VERSION ...]

The wheel is built as README.md says, and the sdist. Each Python gets a fresh environment with the
package, the first by name from the wheel, the second from the sdist, with the dependencies that pip
chooses. Then every command and block of Python of README.md and every command of docs/cli.md runs
in a folder that holds the bundled models only, and so do the pytest plugin and the examples. The
Pythons play side by side. A Python that is not on this machine, neither on PATH nor among those of
pyenv, is left out with a line that says so; nothing is fetched but packages.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12 3.13 3.14")
"""Versions to play on; of several in one word, the first that is there."""
PLACEHOLDERS = {
    "FILE": "assets/arm/model.sdf",
    "FILES": "assets/arm/model.sdf",
    "DIR": "out/cli/{command}",
    "SHELL": "bash",
    "CODE": "robot.degrees",
    "TASK": "check",
    "INPUT": "assets",
    "LOG": "assets/arm/swing.csv",
}
"""Words that stand for arguments of the commands in docs/cli.md."""
NEEDS_DISPLAY = ("view",)
"""Commands that end with status 3 on a machine without a display."""
LIMIT = 900
"""Seconds after which a command is stopped."""
Statuses = frozenset[int]
SUCCESS: Statuses = frozenset({0})
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


class PlayError(Exception):
    """A step failed; the message has its output."""


def main(words: list[str]) -> int:
    """Play on every version; return 1 if a step fails, or if no Python is there to play on."""
    try:
        with tempfile.TemporaryDirectory(prefix="dist-") as scratch:
            return 0 if play(words or VERSIONS, build(Path(scratch))) else 1
    except PlayError as error:
        print(error, file=sys.stderr)
        return 1


def play(versions: Iterable[str], dist: Path) -> int:
    """Play on each version that is on this machine; return their number.

    Args:
        versions: The versions; of several in one word, the first that is there.
        dist: The folder with the wheel and the sdist.

    Raises:
        PlayError: if a step fails.
    """
    found = {version: interpreter(version) for version in versions}
    for version, python in found.items():
        if python is None:
            print(f"Python {version.replace(' ', ' or ')}: not on this machine, left out")
    with tempfile.TemporaryDirectory(prefix="first-ten-minutes-") as scratch:
        players = [
            Player(*python, Path(scratch, f"python-{number}"), from_sdist=number > 0)
            for number, python in enumerate(filter(None, found.values()))
        ]
        with ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(lambda player: player.play(dist.resolve()), players))
    return len(players)


def interpreter(versions: str) -> tuple[str, str] | None:
    """Return the first of these versions whose interpreter starts, with it; those of pyenv are
    tried too.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in versions.split():
        for name in (f"python{version}", *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))):
            probe = [name, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            if shutil.which(name) and _output(probe).strip() == version:
                return version, name
    return None


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def build(dist: Path) -> Path:
    """Build the wheel with the command of README.md, and the sdist; return their folder."""
    run("build the wheel", [sys.executable, *PIP, "wheel", "--no-deps", "-w", str(dist), "."], ROOT)
    run(
        "build the sdist",
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(dist)],
        ROOT,
    )
    return dist


@dataclass(frozen=True)
class Player:
    """A new user with one Python.

    Attributes:
        version: The version of Python.
        python: The interpreter.
        place: A folder that does not exist yet.
        from_sdist: Whether the sdist is installed; otherwise the wheel, by name.
    """

    version: str
    python: str
    place: Path
    from_sdist: bool

    def play(self, dist: Path) -> None:
        """Install the package from ``dist`` and run everything that the documentation shows."""
        programs, desk = self.install(dist), self.place / "desk"
        shutil.copytree(ROOT / "assets", desk / "assets")
        shutil.copytree(ROOT / "examples", desk / "examples")
        python, command_line = str(programs / "python"), str(programs / "sdfbridge")
        self.run("import, with both simulators", [python, "-W", "error", "-c", IMPORT], desk)
        for number, text in enumerate(blocks("README.md", "python"), start=1):
            self.run(f"README.md, block {number} of Python", [python, "-c", text], desk)
        for command in readme_commands():
            self.run(f"README.md: sdfbridge {command[0]}", [command_line, *command], desk)
        for command in cli_commands():
            hidden = command[0] in NEEDS_DISPLAY and not os.environ.get("DISPLAY")
            allowed = frozenset({0, 3}) if hidden else SUCCESS
            self.run(f"docs/cli.md: {command[0]}", [command_line, *command], desk, allowed)
        for example in sorted((desk / "examples").glob("*.py")):
            self.run(f"examples/{example.name}", [python, str(example)], desk)
        pytest = [python, "-m", "pytest", "--parity", "assets/double_pendulum.urdf"]
        self.run("pytest --parity", pytest, desk)

    def install(self, dist: Path) -> Path:
        """Create an environment with the package; return the folder of its programs.

        The pip that runs this script fills it, so that no environment needs a pip of its own.
        """
        name = str(next(dist.glob("*.tar.gz"))) if self.from_sdist else "sdfbridge"
        environment = self.place / "venv"
        self.run(
            "create an environment",
            [self.python, "-m", "venv", "--without-pip", str(environment)],
            ROOT,
        )
        programs = environment / "bin"
        pip = [
            sys.executable,
            *PIP,
            "--python",
            str(programs / "python"),
            "install",
            "--no-compile",
        ]
        self.run(
            f"install {Path(name).name}",
            [*pip, "--find-links", str(dist), f"{name}[completion,report]", "pytest"],
            self.place,
        )
        return programs

    def run(
        self, title: str, command: list[str], folder: Path, allowed: Statuses = SUCCESS
    ) -> None:
        """Run a command of this user; see the function `run`."""
        run(f"{self.version}  {title}", command, folder, allowed)


IMPORT = """
import sys, sdfbridge
from importlib.metadata import distribution
assert sys.prefix in sdfbridge.__file__, sdfbridge.__file__
assert sdfbridge.__version__ == distribution("sdfbridge").version
import mujoco, pybullet
"""


def blocks(page: str, kind: str) -> list[str]:
    """Return the blocks of code of a kind on a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def readme_commands() -> Iterator[list[str]]:
    """Yield the words of every command of sdfbridge in README.md."""
    for line in "".join(blocks("README.md", "sh")).splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["sdfbridge"]:
            yield words[1:]


def cli_commands() -> Iterator[list[str]]:
    """Yield the words of every command in the table of docs/cli.md, with arguments in place of the
    placeholders.

    Raises:
        PlayError: if the table has a placeholder that is not known here.
    """
    table = (
        (ROOT / "docs" / "cli.md")
        .read_text(encoding="utf-8")
        .partition("## Commands")[2]
        .partition("\n## ")[0]
    )
    commands = re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
    if not commands:
        raise PlayError("docs/cli.md: no table of commands below the heading 'Commands'")
    for command in commands:
        words = re.sub(r"\[[^]]*\]|\.\.\.", "", command).split()
        unknown = [word for word in words if word.isupper() and word not in PLACEHOLDERS]
        if unknown:
            raise PlayError(
                f"docs/cli.md: {command!r} has the placeholder {unknown[0]}; add it to PLACEHOLDERS"
            )
        yield [PLACEHOLDERS.get(word, word).format(command=words[0]) for word in words]


def run(title: str, command: list[str], folder: Path, allowed: Statuses = SUCCESS) -> None:
    """Run a command without the settings of the caller's Python, and print how long it took.

    Args:
        title: The description of the step.
        command: The words of the command.
        folder: The folder to run it in; it is created if necessary.
        allowed: The exit statuses that are right.

    Raises:
        PlayError: if the command fails or takes too long.
    """
    folder.mkdir(parents=True, exist_ok=True)
    foreign = ("PYTHON", "VIRTUAL_ENV", "COVERAGE", "PYTEST_ADDOPTS")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    start = time.monotonic()
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )
    except subprocess.TimeoutExpired as error:
        raise PlayError(f"{title}: not finished after {LIMIT} s") from error
    if done.returncode not in allowed:
        raise PlayError(
            f"{title}: status {done.returncode}\n{shlex.join(command)}\n{done.stdout}{done.stderr}"
        )
    print(f"{time.monotonic() - start:6.1f} s  {title}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
