"""The commands doctor, completion and demo, and the versions of installed packages."""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from bridge.cli import main
from bridge.installed_packages import is_installed, own_version, version_of
from tests.support.command_line import call, run

# The command doctor lists installed versions.

PROJECT = Path(__file__).parents[4] / "pyproject.toml"
USERS_EXTRAS = ("batch", "convex", "dart", "report", "view", "xacro")


def test_doctor_prints_the_installed_versions(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mujoco")
    pytest.importorskip("pybullet")
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["versions"]["python"] == platform.python_version()
    assert report["versions"]["numpy"] == metadata.version("numpy")
    assert {"mujoco", "pybullet"} <= set(report["engines"])


def test_a_missing_simulator_is_status_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def version(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", version)
    assert main(["doctor"]) == 3
    assert "not installed" in capsys.readouterr().out


def test_doctor_lists_the_packages_of_every_extra(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json"])
    listed = json.loads(capsys.readouterr().out)["versions"]
    extras = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    names = {
        re.split(r"[><=!;\[ ]", package)[0] for extra in USERS_EXTRAS for package in extras[extra]
    }
    assert names | {"robot_descriptions"} <= listed.keys()


# Versions are those that the packages state themselves.

ROOT = Path(__file__).parents[4]


def test_versions_are_found_by_the_name_that_is_imported() -> None:
    assert version_of("numpy") == np.__version__
    yaml = pytest.importorskip("yaml")
    assert version_of("yaml") == yaml.__version__, "the distribution is named PyYAML"


def test_a_package_that_is_not_installed_has_no_version() -> None:
    assert version_of("no_such_package") is None
    assert not is_installed("no_such_package")
    assert is_installed("numpy")


def test_the_own_version_is_that_of_the_distribution_and_of_the_project_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert own_version() == metadata.version("sdfbridge") == project["version"]


def test_a_source_tree_that_is_not_installed_states_its_version() -> None:
    """``-S`` leaves out the installed packages; this module needs none of them."""
    code = "from bridge.installed_packages import own_version; print(own_version())"
    printed = subprocess.check_output([sys.executable, "-S", "-c", code], text=True, cwd=ROOT)
    assert printed.strip() == metadata.version("sdfbridge")


# The command completion prints scripts that the shells accept.


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_names_every_command_and_the_shell_accepts_it(shell: str) -> None:
    done = call("completion", shell)
    assert done.returncode == 0, done.stderr
    for word in ("check", "compare", "doctor", "--strict" if shell != "fish" else "strict"):
        assert word in done.stdout
    if shutil.which(shell):
        parsed = subprocess.run(
            [shell, "-n"], input=done.stdout, capture_output=True, text=True, check=False
        )
        assert (parsed.returncode, parsed.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["ch"], {"check"}),
        (["compare", "--lev"], {"--level"}),
        (["view", "--actuators", "po"], {"position"}),
    ],
)
def test_bash_completes_commands_options_and_values(words: list[str], completed: set[str]) -> None:
    script = call("completion", "bash").stdout
    line = (
        f"COMP_WORDS=(sdfbridge {' '.join(words)}); COMP_CWORD={len(words)}; _shtab_sdfbridge; "
        f"echo ${{COMPREPLY[@]}}"
    )
    code = f"{script}\n{line}\n"
    done = subprocess.run(["bash"], input=code, capture_output=True, text=True, check=False)
    assert set(done.stdout.split()) == completed, done.stderr


# The command demo writes its files and finds both simulators equivalent.


@pytest.mark.slow
def test_the_demonstration_writes_all_that_it_promises_and_finds_both_engines_equivalent(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pybullet")
    done = run("demo", "--out", tmp_path / "demo", DISPLAY="")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("arm: EQUIVALENT"), "the verdict comes first"
    assert "Warning" not in done.stderr
    for name in ("arm/arm.xml", "side_by_side.png", "results.json", "junit.xml", "report.html"):
        assert (tmp_path / "demo" / name).stat().st_size > 500, name
    assert "try next:" in done.stderr
    assert done.stderr.rstrip().endswith("sdfbridge compare YOUR_ROBOT.sdf --report out/report")
