"""Play the first ten minutes of a new user, outside the repository, on Python 3.11 and on one newer Python.

python .ci/first_ten_minutes.py [VERSION ...]

Wheel and sdist are built. On each Python a fresh environment gets the package, on the first by name, on the second from
the sdist, with the dependencies that pip chooses. Then every command and block of Python of README.md and every command
of docs/cli.md runs in a folder that holds the bundled models only, and so do the pytest plugin and the examples. A
Python that is not on this machine is left out, with a line that says so.
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
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12 3.13")
"""Versions to play on; of several in one word, the first that is there."""
PLACEHOLDERS = {"FILE": "assets/arm/model.sdf", "FILES": "assets/arm/model.sdf", "DIR": "out/cli", "SHELL": "bash"}
"""Words that stand for arguments of the commands in docs/cli.md."""
NEEDS_DISPLAY = ("view",)
"""Commands that end with status 3 on a machine without a display."""
LIMIT = 300
"""Seconds after which a command is stopped."""


class PlayError(Exception):
    """A step failed; the message has its output."""


def main(words: list[str]) -> int:
    """Play on every version; return 1 if a step fails."""
    with tempfile.TemporaryDirectory(prefix="first-ten-minutes-") as scratch:
        folder = Path(scratch)
        try:
            dist: Path | None = None
            for number, versions in enumerate(words or VERSIONS):
                python = interpreter(versions)
                if python is None:
                    print(f"Python {versions.replace(' ', ' or ')}: not on this machine, left out")
                    continue
                place = folder / f"python-{number}"
                environment = create_environment(python, place)
                dist = dist or build(environment, folder / "dist")
                play(environment, place, dist, from_sdist=number > 0)
        except PlayError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


def interpreter(versions: str) -> str | None:
    """Return the first interpreter of one of these versions that starts; those of pyenv are tried too."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in versions.split():
        for name in (f"python{version}", *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))):
            probe = [name, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            if shutil.which(name) and _output(probe).strip() == version:
                return name
    return None


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def create_environment(python: str, place: Path) -> Path:
    """Create an environment; return the folder of its programs."""
    run("create an environment", [python, "-m", "venv", str(place / "venv")], ROOT)
    return place / "venv" / "bin"


def build(environment: Path, dist: Path) -> Path:
    """Build the wheel and the sdist with hatchling; return their folder."""
    pip = [str(environment / "pip"), "install", "--quiet", "--disable-pip-version-check", "hatchling>=1.27"]
    run("install hatchling", pip, ROOT)
    run("build wheel and sdist", [str(environment / "python"), "-m", "hatchling", "build", "-d", str(dist)], ROOT)
    return dist


def play(environment: Path, place: Path, dist: Path, *, from_sdist: bool) -> None:
    """Install the package and run everything that the documentation shows.

    Args:
        environment: Folder of the programs of a fresh environment.
        place: An empty folder, to work in.
        dist: Folder of the wheel and the sdist.
        from_sdist: Whether the sdist is installed; otherwise the wheel, by name.
    """
    name = str(next(dist.glob("*.tar.gz"))) if from_sdist else "sdfbridge"
    pip = [str(environment / "pip"), "install", "--quiet", "--disable-pip-version-check", "--find-links", str(dist)]
    run(f"install {Path(name).name}", [*pip, f"{name}[report]", "pytest"], place)
    desk = place / "desk"
    shutil.copytree(ROOT / "assets", desk / "assets")
    shutil.copytree(ROOT / "examples", desk / "examples")
    python = str(environment / "python")
    run("import, with both simulators", [python, "-W", "error", "-c", IMPORT], desk)
    for number, text in enumerate(blocks("README.md", "python"), start=1):
        run(f"README.md, block {number} of Python", [python, "-c", text], desk)
    for command in readme_commands():
        run(f"README.md: sdfbridge {command[0]}", [str(environment / "sdfbridge"), *command], desk)
    for command in cli_commands():
        allowed = {0, 3} if command[0] in NEEDS_DISPLAY and not os.environ.get("DISPLAY") else {0}
        run(f"docs/cli.md: {command[0]}", [str(environment / "sdfbridge"), *command], desk, allowed)
    for example in sorted((desk / "examples").glob("*.py")):
        run(f"examples/{example.name}", [python, str(example)], desk)
    run("pytest --parity", [python, "-m", "pytest", "--parity", "assets/double_pendulum.urdf"], desk)


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
    """Yield the words of every command in the table of docs/cli.md, with arguments in place of the placeholders.

    Raises:
        PlayError: if the table has a placeholder that is not known here.
    """
    table = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").partition("## Commands")[2].partition("\n## ")[0]
    commands = re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
    if not commands:
        raise PlayError("docs/cli.md: no table of commands below the heading 'Commands'")
    for command in commands:
        words = re.sub(r"\[[^]]*\]|\.\.\.", "", command).split()
        unknown = [word for word in words if word.isupper() and word not in PLACEHOLDERS]
        if unknown:
            raise PlayError(f"docs/cli.md: {command!r} has the placeholder {unknown[0]}; add it to PLACEHOLDERS")
        yield [PLACEHOLDERS.get(word, word) for word in words]


def run(title: str, command: list[str], folder: Path, allowed: frozenset[int] | set[int] = frozenset({0})) -> None:
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
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT
        )
    except subprocess.TimeoutExpired as error:
        raise PlayError(f"{title}: not finished after {LIMIT} s") from error
    if done.returncode not in allowed:
        raise PlayError(f"{title}: status {done.returncode}\n{shlex.join(command)}\n{done.stdout}{done.stderr}")
    print(f"{time.monotonic() - start:6.1f} s  {title}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
