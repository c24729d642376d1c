"""Packages of other projects that hide those of sdfbridge are found before they are imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sdfbridge.location import hidden_packages, hidden_text, require_own_packages

ROOT = Path(__file__).parents[2]


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
    text = run(code, tmp_path)
    assert text.splitlines() == [
        f"package {name!r} of sdfbridge in {ROOT / name} is hidden by {place}",
        "rename that folder, or start Python in another folder and without it in PYTHONPATH",
    ]


def test_a_folder_without_a_package_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "bridge").mkdir()
    code = "import sdfbridge, loaders; print(sdfbridge.load is loaders.load, loaders.__file__)"
    assert run(code, tmp_path) == f"True {ROOT / 'loaders' / '__init__.py'}\n"


def test_a_package_that_another_program_imported_is_found(tmp_path: Path) -> None:
    code = "import sys, types; sys.modules['loaders'] = types.ModuleType('loaders')\n"
    code += "from sdfbridge.location import hidden_packages; print(hidden_packages())"
    assert run(code, tmp_path) == "{'loaders': 'a package without files'}\n"


def run(code: str, folder: Path) -> str:
    """Run code in a folder, whose packages come first, then ours; return what it prints."""
    command, environment = [sys.executable, "-c", code], {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout
