"""Every block of Python and every command in the documentation and the README runs: the blocks page
by page, in the order of the page, in a process of their own, and the commands in this process.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sdfbridge
from bridge.cli.parser import make_parser
from tests.support.command_line import call

ROOT = Path(__file__).parents[1]
ASSETS = ROOT / "assets"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
KINDS = {"python", "sh", "text", "xml", "yaml", "toml", "json", "ini", "mermaid", "srdf"}
FINISHES_WITH = {
    "--map elbow=joint_2": 5,
    "--engines mujoco,mujoco-urdf": 1,
    "--engines mujoco,drake": 4,
    "--engines mujoco,mjx": 4,
    "batch compare": 4,
}
"""Exit status of the commands that find a difference, or cannot compare everything; it is 0 for all
others.
"""
ELSEWHERE = (
    "pip ",
    "python -m mujoco.viewer",
    "sdfbridge demo",
    "python -m benchmarks.",
    "make ",
    "dask ",
)
"""Commands that ``.ci/first_ten_minutes.py`` and other tests run, that need a display, or that take
an hour.
"""
CLUSTER = "://10.0.0.1"
"""The address of another machine, in blocks and commands that need a cluster."""
TWO_LINKS = (
    '<robot name="robot"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
    'izz="1" ixy="0" '
    'ixz="0" iyz="0"/></inertial></link></robot>'
)
WORLD = (
    '<sdf version="1.11"><world name="room"><model name="box"><link '
    'name="body"><inertial><mass>1</mass></inertial>'
    "</link></model></world></sdf>"
)
MJCF = (
    '<mujoco model="scene"><worldbody><body name="ball"><freejoint/><geom '
    'size="0.1"/></body></worldbody></mujoco>'
)


def blocks(page: Path, kind: str) -> list[str]:
    found = re.findall(
        rf"^```{kind}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    return [text for text in found if kind == "sh" or CLUSTER not in text]


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled arm in a separate folder, with its gripper in the same file."""
    folder = tmp_path_factory.mktemp("arm")
    sdfbridge.export_sdf(ASSETS / "arm" / "model.sdf", folder / "arm", quiet=True)
    return folder / "arm"


@pytest.fixture
def folder(tmp_path: Path, arm: Path) -> Path:
    """The folder of a reader: the bundled models, and files of the names that the pages use."""
    shutil.copytree(arm, tmp_path, dirs_exist_ok=True)
    shutil.copytree(ASSETS, tmp_path / "assets", dirs_exist_ok=True)
    for name in ("models", "src/my_robot", "arm_description"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("robot.sdf", "model.sdf"):
        shutil.copy(tmp_path / "arm.sdf", tmp_path / name)
    shutil.copy(ASSETS / "double_pendulum.urdf", tmp_path / "robot.urdf")
    shutil.copy(ASSETS / "double_pendulum.urdf", tmp_path / "old.urdf")
    renamed = sdfbridge.to_sdf(tmp_path / "old.urdf", quiet=True).replace("elbow", "joint_2")
    (tmp_path / "new.sdf").write_text(renamed, encoding="utf-8")
    (tmp_path / "robot.urdf.xacro").write_text(TWO_LINKS, encoding="utf-8")
    (tmp_path / "robot.srdf").write_text('<robot name="double_pendulum"/>', encoding="utf-8")
    (tmp_path / "world.sdf").write_text(WORLD, encoding="utf-8")
    (tmp_path / "scene.xml").write_text(MJCF, encoding="utf-8")
    (tmp_path / "models" / "box.sdf").write_text(WORLD, encoding="utf-8")
    (tmp_path / "scene.dmd.yaml").write_text("directives: []\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def environment(folder: Path) -> dict[str, str]:
    """The folder is the home of the user; kernels, fonts and hulls are cached where they always are,
    so that no command makes them anew.
    """
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    return {"PYTHONPATH": str(ROOT), "HOME": str(folder), "XDG_CACHE_HOME": cache}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix().removeprefix("docs/")


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name_of)
def test_the_python_of_a_page_runs(page: Path, folder: Path, environment: dict[str, str]) -> None:
    (folder / "page.py").write_text("\n".join(blocks(page, "python")), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "page.py"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr


COMMANDS = sorted(
    {
        line.partition("  #")[0].strip()
        for page in PAGES
        for text in blocks(page, "sh")
        for line in text.splitlines()
        if not line.startswith(ELSEWHERE) and CLUSTER not in line
    }
)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("servers_of_scripts")
def test_a_command_of_a_page_ends_as_expected(
    command: str, folder: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program, *words = shlex.split(command)
    assert program == "sdfbridge"
    make_parser().parse_args(words)
    status = next((value for part, value in FINISHES_WITH.items() if part in command), 0)
    words = [word.replace("~", str(folder), 1) if word.startswith("~/") else word for word in words]
    monkeypatch.chdir(folder)
    done = call(*words, **environment)
    assert done.returncode == status, done.stdout + done.stderr


def test_every_block_is_of_a_known_kind() -> None:
    kinds = {
        kind
        for page in PAGES
        for kind in re.findall(r"^```([a-z]+)$", page.read_text("utf-8"), re.MULTILINE)
    }
    assert kinds <= KINDS


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "(?:xml|yaml|toml|json)")], ids=name_of
)
def test_blocks_of_data_are_well_formed(page: Path) -> None:
    import json
    import tomllib

    import yaml
    from lxml import etree

    for kind, parse in (("json", json.loads), ("toml", tomllib.loads), ("yaml", yaml.safe_load)):
        for text in blocks(page, kind):
            parse(text)
    for text in blocks(page, "xml"):
        etree.fromstring(f'<page xmlns:drake="drake.mit.edu" xmlns:xacro="x">{text}</page>')
