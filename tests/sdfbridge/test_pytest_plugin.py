"""The pytest plugin, in separate runs of pytest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

ROOT = Path(__file__).parents[2]
ARM = (ROOT / "assets" / "double_pendulum.urdf").read_text(encoding="utf-8")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONPATH": str(ROOT),
        "PYTEST_ADDOPTS": "",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "sdfbridge.pytest_plugin",
        "-p",
        "no:cacheprovider",
        *arguments,
    ]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "arm.urdf").write_text(ARM, encoding="utf-8")
    (tmp_path / "robots" / "notes.txt").write_text("no model", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_every_model_is_an_item_for_each_level(folder: Path) -> None:
    (folder / "robots" / "bad.sdf").write_text(
        "<sdf version='1.11'><model/></sdf>", encoding="utf-8"
    )
    process = run(folder, "--parity", "robots", "-v")
    assert "robots/arm.urdf::L0 PASSED" in process.stdout
    assert "robots/arm.urdf::L1 PASSED" in process.stdout
    assert "2 failed, 2 passed" in process.stdout
    assert "bad.sdf:1" in process.stdout
    assert "Traceback" not in process.stdout


@pytest.mark.slow
def test_a_level_may_be_stated_without_a_list(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(
        "[tool.sdfbridge.parity]\nlevels = 'L0'\n", encoding="utf-8"
    )
    process = run(folder, "--parity", "robots", "-v")
    assert "robots/arm.urdf::L0 PASSED" in process.stdout
    assert "1 passed" in process.stdout


@pytest.mark.slow
def test_a_failing_assertion_shows_the_test_and_the_reason_alone(folder: Path) -> None:
    (folder / "test_mine.py").write_text(
        "import sdfbridge\nfrom sdfbridge.pytest_plugin import assert_parity\n"
        "def test_difference(): assert_parity('robots/arm.urdf', ['mujoco-urdf'])\n"
        "def test_file(parity): parity('missing.urdf')\n"
        "def test_verdict(): sdfbridge.compare('robots/arm.urdf', ['mujoco-urdf'], "
        "levels='L0').assert_equivalent()\n",
        encoding="utf-8",
    )
    output = run(folder, "test_mine.py").stdout
    assert "3 failed" in output
    assert "repeat with: sdfbridge compare" in output
    assert "cannot read the file" in output
    assert "bridge/p" not in output.replace("bridge/pytest_plugin.py:", ""), output
    assert '"""' not in output, "no source of this project is printed"


def test_without_the_option_no_model_is_collected(folder: Path) -> None:
    assert "no tests ran" in run(folder, "robots").stdout


@pytest.mark.slow
def test_options_are_read_from_pyproject(folder: Path) -> None:
    table = (
        "[tool.sdfbridge.parity]\nengines = ['mujoco-urdf']\nlevels = ['L0']\nconfigurations = 2\n"
    )
    (folder / "pyproject.toml").write_text(table, encoding="utf-8")
    process = run(folder, "--parity", "robots")
    assert "1 failed" in process.stdout
    assert "merges links that are connected by fixed joints" in process.stdout
    (folder / "pyproject.toml").write_text(
        "[tool.sdfbridge.parity]\nlevel = 'L0'\n", encoding="utf-8"
    )
    assert "unknown option 'level'" in run(folder, "--parity", "robots").stdout


@pytest.mark.slow
def test_packages_and_paths_of_pyproject_count_from_its_folder(folder: Path) -> None:
    mesh = "<visual><geometry><mesh filename='package://parts/box.obj'/></geometry></visual>"
    text = ARM.replace("</inertial>", f"</inertial>{mesh}", 1)
    (folder / "robots" / "arm.urdf").write_text(text, encoding="utf-8")
    (folder / "lib").mkdir()
    (folder / "lib" / "box.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    options = "[tool.sdfbridge.parity]\nlevels = ['L0']\nconfigurations = 1\nstrict = true\n"
    (folder / "pyproject.toml").write_text(options, encoding="utf-8")
    assert "package://parts" in run(folder, "--parity", "robots").stdout
    package = "package_map = { parts = 'lib' }\n"
    (folder / "pyproject.toml").write_text(options + package, encoding="utf-8")
    assert "package://parts" not in run(folder, "--parity", "robots").stdout
    (folder / "pyproject.toml").write_text(
        "[tool.sdfbridge.parity]\npaths = 'lib'\n", encoding="utf-8"
    )
    assert "paths must be a list of folders" in run(folder, "--parity", "robots").stdout


@pytest.mark.slow
def test_a_report_is_written_for_each_model_and_level(folder: Path) -> None:
    options = "[tool.sdfbridge.parity]\nlevels = ['L0', 'L1']\nconfigurations = 1\nbase = 'free'\n"
    (folder / "pyproject.toml").write_text(options, encoding="utf-8")
    process = run(folder, "--parity", "robots", "--parity-report", "out")
    found = {str(path.relative_to(folder)) for path in folder.glob("out/**/report.html")}
    assert found == {f"out/robots__arm.urdf/{level}/report.html" for level in ("L0", "L1")}, (
        process.stdout
    )
    report = json.loads(
        (folder / "out" / "robots__arm.urdf" / "L0" / "results.json").read_text(encoding="utf-8")
    )
    assert "--base free" in report["command"]


@pytest.mark.slow
def test_each_level_may_have_its_own_tolerance(folder: Path) -> None:
    common = (
        "[tool.sdfbridge.parity]\nengines = ['mujoco-urdf']\nlevels = ['L0', "
        "'L1']\nconfigurations = 2\n"
    )
    loose = "[tool.sdfbridge.parity.tolerances]\nL1 = inf\n"
    (folder / "pyproject.toml").write_text(common + loose, encoding="utf-8")
    process = run(folder, "--parity", "robots", "-v")
    assert "arm.urdf::L0 FAILED" in process.stdout
    assert "arm.urdf::L1 SKIPPED" in process.stdout, (
        "its reader does not report everything of this level"
    )


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["L9 = 1e-6", "L0 = 'small'", "L0 = -1.0"])
def test_an_invalid_tolerance_is_wrong_usage(folder: Path, wrong: str) -> None:
    (folder / "pyproject.toml").write_text(
        f"[tool.sdfbridge.parity.tolerances]\n{wrong}\n", encoding="utf-8"
    )
    process = run(folder, "--parity", "robots")
    assert process.returncode != 0
    assert "[tool.sdfbridge.parity" in process.stdout + process.stderr


@pytest.mark.slow
def test_fixtures_and_the_assertion_serve_other_tests(folder: Path) -> None:
    (folder / "test_mine.py").write_text(
        "import pytest\nfrom sdfbridge.pytest_plugin import assert_parity\nFILE = "
        "'robots/arm.urdf'\n"
        "def test_parity(parity): assert parity(FILE).agreement == 'EQUIVALENT'\n"
        "def test_scene(scene): assert scene(FILE).links\n"
        "def test_simulator(simulator): assert simulator(FILE, 'pybullet').link_poses()\n"
        "def test_difference():\n"
        "    with pytest.raises(AssertionError, match='repeat with: sdfbridge compare'):\n"
        "        assert_parity(FILE, ['mujoco-urdf'])\n"
        "def test_tolerance():\n"
        "    assert_parity(FILE, ['mujoco-urdf'], tol=float('inf'))\n",
        encoding="utf-8",
    )
    process = run(folder, "test_mine.py")
    assert "5 passed" in process.stdout, process.stdout


def test_loading_the_plugin_imports_nothing_of_the_code() -> None:
    code = (
        "import sys, sdfbridge.pytest_plugin; print(sorted({'bridge', 'loaders', 'mujoco', "
        "'pybullet', 'numpy'} & sys.modules.keys()))"
    )
    assert (
        subprocess.check_output([sys.executable, "-c", code], text=True, cwd=ROOT).strip() == "[]"
    )


@pytest.mark.slow
def test_the_wheel_brings_the_plugin_and_pytest_finds_it(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The plugin of a wheel that is installed in a separate folder, without the source on the
    path.
    """
    pytest.importorskip("hatchling")
    place = tmp_path_factory.mktemp("installed")
    python = [sys.executable, "-m"]
    build = [*python, "hatchling", "build", "-t", "wheel", "-d", str(place)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=200)
    (wheel,) = place.glob("sdfbridge-*.whl")
    target = place / "site"
    options = ("--no-deps", "--no-compile", "-q")
    install = [*python, "pip", "install", *options, "--target", str(target), str(wheel)]
    subprocess.run(install, check=True, capture_output=True, timeout=200)
    environment = {**os.environ, "PYTHONPATH": str(target), "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "--parity", "robots", "-v", "-p", "no:cacheprovider"]
    process = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert "robots/arm.urdf::L0 PASSED" in process.stdout, process.stdout + process.stderr
    where = "import sdfbridge.pytest_plugin as p; print(p.__file__)"
    location = subprocess.check_output(
        [sys.executable, "-c", where], env=environment, text=True, cwd=folder
    )
    assert str(target) in location


# --- beside packages of the same name -------------------------------------------------------------


@pytest.fixture
def foreign(folder: Path) -> Path:
    """A project with a package ``bridge`` of its own, whose tests use it."""
    (folder / "bridge").mkdir()
    (folder / "bridge" / "__init__.py").write_text("def span(): return 42\n", encoding="utf-8")
    (folder / "test_span.py").write_text(
        "import bridge\ndef test_span(): assert bridge.span() == 42\n"
        "def test_own(): assert not hasattr(bridge, 'lower')\n",
        encoding="utf-8",
    )
    return folder


def run_in_foreign(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -W error -m pytest``, which finds packages in its folder first."""
    return run(folder, "-W", "error", *arguments)


def test_the_tests_of_a_project_with_its_own_bridge_pass_and_the_header_says_what_is_inactive(
    foreign: Path,
) -> None:
    process = run_in_foreign(foreign, "test_span.py")
    assert "2 passed" in process.stdout, process.stdout + process.stderr
    assert (
        f"sdfbridge: inactive, because package 'bridge' is {foreign / 'bridge'}" in process.stdout
    )
    assert "warning" not in process.stdout + process.stderr


def test_the_header_says_nothing_if_all_packages_are_our_own(folder: Path) -> None:
    assert "sdfbridge:" not in run(folder, "robots").stdout


def test_parity_beside_another_bridge_is_wrong_usage_that_names_both_paths(foreign: Path) -> None:
    process = run_in_foreign(foreign, "--parity", "robots")
    text = process.stdout + process.stderr
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"in {ROOT / 'bridge'} is hidden by {foreign / 'bridge'}" in text
    assert "rename that folder" in text


def test_a_fixture_beside_another_bridge_fails_with_the_same_message(foreign: Path) -> None:
    (foreign / "test_use.py").write_text(
        "def test_use(scene): pass\ndef test_not(): pass\n", encoding="utf-8"
    )
    process = run_in_foreign(foreign, "test_use.py")
    assert "1 passed, 1 error" in process.stdout, process.stdout
    assert f"is hidden by {foreign / 'bridge'}" in process.stdout
