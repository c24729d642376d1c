"""The package `sdfbridge`: its names, its command, its plugin for MuJoCo, and packages that hide
it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bridge
import loaders
import sdfbridge
from sdfbridge.location import hidden_packages, hidden_text, require_own_packages

# The package `sdfbridge` offers what `loaders` and `bridge` offer, without importing either at
# first.

ROOT = Path(__file__).parents[2]


def test_it_offers_every_public_name_of_both_packages() -> None:
    """A name that is added to ``bridge.__all__`` or ``loaders.__all__`` is added to
    ``sdfbridge/__init__.py`` too.
    """
    names = {*bridge.__all__, *loaders.__all__} - {
        "mujoco_plugin"
    }  # a module that registers itself when imported
    assert set(sdfbridge.__all__) == names


@pytest.mark.parametrize("name", sdfbridge.__all__)
def test_a_name_is_that_of_its_package(name: str) -> None:
    package = bridge if name in bridge.__all__ else loaders
    assert getattr(sdfbridge, name) is getattr(package, name)


def test_completion_offers_the_public_names_and_the_version() -> None:
    assert set(dir(sdfbridge)) == {*sdfbridge.__all__, "__version__"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'sdfbridge' has no attribute 'lode'"):
        _ = sdfbridge.lode  # type: ignore[attr-defined]


def test_the_version_is_that_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sdfbridge.__version__ == project["version"]


def test_importing_it_imports_no_code_and_nothing_heavy() -> None:
    code = (
        "import sys, sdfbridge; print(sorted({'bridge', 'loaders', 'numpy', 'lxml', 'mujoco'} "
        "& sys.modules.keys()))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True, cwd=ROOT) == "[]\n"


# The command and ``python -m sdfbridge`` run the command line, and say so where another package
# hides it.


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


# Packages of other projects that hide those of sdfbridge are found before they are imported.


def test_our_own_packages_are_not_hidden() -> None:
    assert hidden_packages() == {}
    assert hidden_text() == ""
    require_own_packages()


@pytest.mark.parametrize("name", ["bridge", "loaders"])
@pytest.mark.parametrize("file", ["{}/__init__.py", "{}.py"])
def test_a_package_or_module_in_the_folder_hides_ours(name: str, file: str, tmp_path: Path) -> None:
    path = tmp_path / file.format(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("raise RuntimeError('imported')\n", encoding="utf-8")
    place = path.parent if path.name == "__init__.py" else path
    code = (
        "import sdfbridge\ntry:\n    from sdfbridge import load\nexcept ImportError as error: "
        "print(error)"
    )
    text = location_run(code, tmp_path)
    assert text.splitlines() == [
        f"package {name!r} of sdfbridge in {ROOT / name} is hidden by {place}",
        "rename that folder, or start Python in another folder and without it in PYTHONPATH",
    ]


def test_a_folder_without_a_package_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "bridge").mkdir()
    code = "import sdfbridge, loaders; print(sdfbridge.load is loaders.load, loaders.__file__)"
    assert location_run(code, tmp_path) == f"True {ROOT / 'loaders' / '__init__.py'}\n"


def test_a_package_that_another_program_imported_is_found(tmp_path: Path) -> None:
    code = "import sys, types; sys.modules['loaders'] = types.ModuleType('loaders')\n"
    code += "from sdfbridge.location import hidden_packages; print(hidden_packages())"
    assert location_run(code, tmp_path) == "{'loaders': 'a package without files'}\n"


def location_run(code: str, folder: Path) -> str:
    """Run code in a folder, whose packages come first, then ours; return what it prints."""
    command, environment = [sys.executable, "-c", code], {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout


# Importing the plugin registers it; the rest is tested with `bridge.mujoco_plugin`.


def test_another_bridge_is_an_import_error_with_both_paths(tmp_path: Path) -> None:
    (tmp_path / "bridge.py").write_text("", encoding="utf-8")
    command = [sys.executable, "-c", "import sdfbridge.mujoco_plugin"]
    environment = {"PYTHONPATH": str(ROOT)}
    child = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert f"in {ROOT / 'bridge'} is hidden by {tmp_path / 'bridge.py'}" in child.stderr
