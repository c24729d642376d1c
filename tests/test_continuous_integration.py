"""The check of a repository: the action, the hooks, the baseline, and the files that changed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trimesh
import yaml

import loaders
from bridge.cli.parser import make_parser
from sdfbridge.pytest_plugin import assert_same_robot
from tests.support.command_line import call

ROOT = Path(__file__).parents[1]
LINK = (
    '<link name="{name}"><inertial><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" '
    'iyz="0" izz=".01"/></inertial><visual><geometry>{shape}</geometry></visual><collision>'
    "<geometry>{shape}</geometry></collision></link>"
)
JOINT = (
    '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 .5"/>'
    '<axis xyz="0 0 1"/><limit lower="-1" upper="{upper}" effort="9" velocity="1"/></joint>'
)
BOX = '<box size=".2 .2 .3"/>'
MESH = '<mesh filename="meshes/part.stl"/>'


def robot(name: str, shape: str = BOX, upper: str = "1") -> str:
    """A robot of two links, one of a given shape."""
    links = LINK.format(name="a", shape=BOX) + "\n" + LINK.format(name="b", shape=shape)
    return f'<robot name="{name}">\n{links}\n{JOINT.format(upper=upper)}\n</robot>\n'


def git(folder: Path, *words: str) -> None:
    """Run git as a person with a name."""
    person = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *person, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a robot that has a mesh, one with a known mistake, and one without."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "repository"
    (folder / "meshes").mkdir(parents=True)
    box = trimesh.creation.box((0.2, 0.2, 0.3))
    (folder / "meshes" / "part.stl").write_bytes(box.export(file_type="stl"))
    (folder / "mesh.urdf").write_text(robot("mesh", MESH))
    (folder / "known.urdf").write_text(robot("known", upper="90"))
    (folder / "plain.urdf").write_text(robot("plain"))
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "robots")
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a step in which ``sdfbridge`` is installed."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "sdfbridge"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sdfbridge "$@"\n')
    command.chmod(0o755)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}


def run(
    command: str, folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in the repository, as a step of a workflow does; a command alone is run
    in this process.
    """
    if command.startswith("sdfbridge "):
        with contextlib.chdir(folder):
            return call(*shlex.split(command)[1:], **environment)
    words = ["bash", "-e", "-c", command]
    return subprocess.run(
        words, cwd=folder, env=environment, check=False, capture_output=True, text=True
    )


def checked(done: subprocess.CompletedProcess[str]) -> set[str]:
    """The files with a line in the output of a check."""
    return set(re.findall(r"^(\S+\.urdf): ", done.stdout, re.MULTILINE))


def test_the_action_annotates_what_is_wrong(repository: Path, environment: dict[str, str]) -> None:
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    step = action["runs"]["steps"][-1]
    values = {name: str(entry["default"]) for name, entry in action["inputs"].items()}
    inputs = {
        name: values[re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text)[1]]  # type: ignore[index]
        for name, text in step["env"].items()
    }
    done = run(step["run"], repository, {**environment, **inputs})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("::warning file=known.urdf,line=4,title=robot.degrees::")
    (repository / "plain.urdf").write_text(robot("plain").replace('"a"', '"z"', 1))
    done = run(step["run"], repository, {**environment, **inputs})
    assert done.returncode == 1
    assert "::error file=plain.urdf" in done.stdout


def test_the_hooks_check_the_models_that_are_committed(
    repository: Path, environment: dict[str, str]
) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    by_name, by_change = hooks
    assert re.search(by_name["files"], "robots/a.urdf")
    assert re.search(by_change["files"], "meshes/part.stl")
    done = run(f"{by_name['entry']} plain.urdf", repository, environment)
    assert (done.returncode, checked(done)) == (0, {"plain.urdf"})
    mesh = repository / "meshes" / "part.stl"
    mesh.write_bytes(b"solid broken")
    git(repository, "add", "-A")
    done = run(by_change["entry"], repository, environment)
    assert checked(done) == {"mesh.urdf"}
    assert "[mesh." in done.stderr


def test_a_changed_mesh_selects_its_robots(repository: Path, environment: dict[str, str]) -> None:
    command = "sdfbridge check . --changed-since HEAD"
    assert checked(run(command, repository, environment)) == set()
    (repository / "meshes" / "part.stl").unlink()
    assert checked(run(command, repository, environment)) == {"mesh.urdf"}
    git(repository, "checkout", "--", ".")
    (repository / "new.urdf").write_text(robot("new"))
    assert checked(run(command, repository, environment)) == {"new.urdf"}
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "more")
    assert checked(run(command, repository, environment)) == set()
    command = "sdfbridge check . --changed-since HEAD~1"
    assert checked(run(command, repository, environment)) == {"new.urdf"}
    unknown = run("sdfbridge check . --changed-since nowhere", repository, environment)
    assert unknown.returncode == 2
    assert "git:" in unknown.stderr


def test_a_baseline_accepts_what_is_known_and_refuses_what_is_new(
    repository: Path, environment: dict[str, str]
) -> None:
    base = "sdfbridge check . --baseline known.json"
    assert run(f"{base} --write-baseline", repository, environment).returncode == 0
    assert json.loads((repository / "known.json").read_text())["findings"] == {
        "known.urdf robot.degrees j": 1
    }
    assert run(base, repository, environment).returncode == 0
    moved = (repository / "known.urdf").read_text().replace("<robot", "\n\n<robot")
    (repository / "known.urdf").write_text(moved.replace('"90"', '"95"'))
    assert run(base, repository, environment).returncode == 0
    (repository / "plain.urdf").write_text(robot("plain", upper="90"))
    done = run(base, repository, environment)
    assert done.returncode == 1
    assert "plain.urdf:4: warning" in done.stderr
    assert "known.urdf:" not in done.stderr


@pytest.mark.parametrize("words", ["convert known.urdf out", "compare known.urdf --level L0"])
def test_other_commands_say_what_is_wrong_with_the_robot(
    words: str, repository: Path, environment: dict[str, str]
) -> None:
    done = run(f"sdfbridge {words}", repository, environment)
    assert done.returncode in (0, 4)  # 4: some of it was not compared
    assert "known.urdf:4: warning: the limits of joint j, -1 and 90 rad" in done.stderr


def test_states_of_git_are_compared_with_their_meshes(
    repository: Path, environment: dict[str, str]
) -> None:
    equal = run("sdfbridge compare HEAD:mesh.urdf mesh.urdf", repository, environment)
    assert equal.returncode == 0, equal.stdout + equal.stderr
    mesh = repository / "meshes" / "part.stl"
    mesh.write_bytes(trimesh.creation.box((0.2, 0.2, 0.6)).export(file_type="stl"))
    (repository / "mesh.urdf").write_text(robot("mesh", MESH, upper="2"))
    done = run("sdfbridge compare HEAD:mesh.urdf mesh.urdf", repository, environment)
    assert done.returncode == 1
    assert "upper" in done.stdout
    git(repository, "commit", "-qam", "more")
    for words in ("HEAD~1:mesh.urdf HEAD:mesh.urdf", "HEAD~1:./mesh.urdf mesh.urdf"):
        assert run(f"sdfbridge compare {words}", repository, environment).returncode == 1
    unknown = run("sdfbridge compare HEAD:none.urdf mesh.urdf", repository, environment)
    assert unknown.returncode == 3
    unknown = run("sdfbridge compare none:mesh.urdf mesh.urdf", repository, environment)
    assert unknown.returncode == 2
    status = ["git", "status", "--porcelain"]
    assert subprocess.run(status, cwd=repository, capture_output=True, check=True).stdout == b""


def test_two_robots_are_the_same_but_for_what_is_allowed() -> None:
    old = loaders.load_string(robot("r"), format="urdf")
    new = loaders.load_string(
        robot("r", upper="2").replace('effort="9"', 'effort="8"'), format="urdf"
    )
    assert assert_same_robot(old, old).equal
    with pytest.raises(AssertionError, match=r"upper is 1\.0 in A and 2\.0 in B") as caught:
        assert_same_robot(old, new)
    assert "effort is 9.0 in A and 8.0 in B" in str(caught.value)
    with pytest.raises(AssertionError, match="upper") as caught:
        assert_same_robot(old, new, allow=["joint * effort"])
    assert "effort" not in str(caught.value)
    for allowed in (["joint * effort", "joint j upper"], ["joint j"], ["joint"], ["joint *"]):
        assert not assert_same_robot(old, new, allow=allowed).equal


def test_the_template_of_a_workflow_has_valid_commands() -> None:
    text = (ROOT / "examples" / "ci" / "parity.yml").read_text(encoding="utf-8")
    commands = [
        step["run"].replace("$MODEL", "robots/arm.sdf")
        for step in yaml.safe_load(text)["jobs"]["parity"]["steps"]
        if step.get("run", "").startswith("sdfbridge ")
    ]
    assert len(commands) == 2
    for command in commands:
        make_parser().parse_args(shlex.split(command)[1:])
