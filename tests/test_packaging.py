"""What pip installs on each platform, what the distributions hold, and how they are released."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import subprocess
import sys
import tomllib
from itertools import product
from pathlib import Path

import pytest
import trimesh
import yaml
from packaging.requirements import Requirement

import sdfbridge
from bridge.cli import errors
from bridge.parity import engine
from bridge.targets import target
from loaders import formats
from tests.support.without_posix import MODULES, OS_NAMES, SIGNAL_NAMES

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / ".ci"))
import release  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# --- PyBullet only where there is a wheel ---------------------------------------------------------

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = {
    "Linux x86_64": ("linux", "x86_64", "6.8.0"),
    "Linux aarch64": ("linux", "aarch64", "6.8.0"),
    "macOS 14, Apple silicon": ("darwin", "arm64", "23.6.0"),
    "macOS 13, Apple silicon": ("darwin", "arm64", "22.6.0"),
    "macOS 14, Intel": ("darwin", "x86_64", "23.6.0"),
    "Windows x86_64": ("win32", "AMD64", "10"),
    "Windows ARM64": ("win32", "ARM64", "10"),
    "FreeBSD": ("freebsd14", "amd64", "14.0"),
}
WHEELS = {
    "Linux x86_64": {
        "3.11": "pybullet",
        "3.12": "pybullet-arm64",
        "3.13": "pybullet-arm64",
    },
    "macOS 14, Apple silicon": dict.fromkeys(PYTHONS[:3], "pybullet-arm64"),
    "macOS 13, Apple silicon": dict.fromkeys(PYTHONS[:2], "pybullet-arm64"),
    "macOS 14, Intel": dict.fromkeys(PYTHONS[:2], "pybullet-arm64"),
    "Windows x86_64": dict.fromkeys(PYTHONS[:3], "pybullet-arm64"),
}
"""Distribution with a wheel on PyPI, by platform and Python; `pip download --only-binary=:all:`
with `--platform` and `--python-version`, pybullet 3.2.7 and pybullet-arm64 3.2.8, November 2026.
"""


def pybullets(requirements: list[str], environment: dict[str, str]) -> list[str]:
    """Return the distributions of PyBullet that these requirements name in an environment."""
    parsed = [Requirement(text) for text in requirements if text.startswith("pybullet")]
    return [
        wanted.name for wanted in parsed if wanted.marker and wanted.marker.evaluate(environment)
    ]


@pytest.mark.parametrize(
    ("platform", "python", "implementation"),
    [*product(PLATFORMS, PYTHONS, ["CPython"]), *product(PLATFORMS, PYTHONS[:1], ["PyPy"])],
)
def test_pybullet_is_a_dependency_where_there_is_a_wheel_and_of_the_extra_elsewhere(
    platform: str, python: str, implementation: str
) -> None:
    system, machine, release = PLATFORMS[platform]
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": system,
        "platform_machine": machine,
        "platform_release": release,
        "platform_python_implementation": implementation,
        "extra": "",
    }
    wheel = WHEELS.get(platform, {}).get(python) if implementation == "CPython" else None
    of_extra = PROJECT["optional-dependencies"]["pybullet"]
    assert pybullets(PROJECT["dependencies"], environment) == ([wheel] if wheel else [])
    assert pybullets(of_extra, environment) == ([] if wheel else ["pybullet"])


# --- systems without POSIX ------------------------------------------------------------------------

PACKAGES = ("bridge", "loaders", "sdfbridge")
ELSEWHERE = {
    "bridge/batches/server.py": "batches say at their start that they need os.fork",
    "bridge/batches/run_batch.py": "os.cpu_count where there is no sched_getaffinity",
    "bridge/cli/errors.py": "one interruption instead of a repeated one",
    "bridge/geometry/cache.py": "the cache is in the folder of the user, which is not checked",
    "bridge/output/file.py": "no lock: drafts are removed by their age",
    "bridge/output/folder.py": "no lock: a rename fails instead of mixing two outputs",
    "bridge/output/scratch.py": "files are left by their age, not by their process",
    "bridge/parity/engines/pybullet/native.py": "a worker that ended is compared with a number",
    "bridge/stdout_capture.py": "file descriptors are redirected",
    "loaders/deferred.py": "nothing to do after a fork",
    "loaders/files/fuel.py": "no lock",
    "loaders/limits.py": "nothing to do after a fork",
    "loaders/urdf/xacro_process.py": "xacro runs without limits of memory and time",
}
"""What the modules that name something of POSIX do where it lacks."""


def posix_names(path: Path) -> set[str]:
    """Return the names of POSIX that a module uses."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in {"os", "signal"}
    }
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    return used & {*OS_NAMES, *SIGNAL_NAMES} | imported & set(MODULES)


def test_every_module_that_needs_posix_has_an_alternative() -> None:
    using = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if posix_names(path)
    }
    assert using == set(ELSEWHERE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("check", "assets/arm/model.sdf"), 0, "valid"),
        (("convert", "assets/gripper", "{folder}/mjcf"), 0, "compiled with MuJoCo"),
        (("convert", "assets/leg.sdf", "{folder}/sdf", "--to", "sdf"), 0, "nothing lost"),
        (("compare", "assets/double_pendulum.urdf"), 0, "EQUIVALENT"),
        (("batch", "check", "assets", "--out", "{folder}/batch"), 3, "batches need os.fork"),
    ],
)
def test_commands_work_without_posix(
    words: tuple[str, ...], status: int, said: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "tests.support.without_posix", "sdfbridge"]
    command += [word.format(folder=tmp_path) for word in words]
    for _ in range(2 if "convert" in words else 1):  # the second time a folder is replaced
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, said in done.stdout + done.stderr) == (status, True), done.stderr
        command += ["--force"] if "convert" in words else []


def test_no_file_of_an_export_has_the_name_of_a_device_or_of_another_but_for_its_case(
    tmp_path: Path,
) -> None:
    parts = [
        Path("a", "Part.stl"),
        Path("b", "part.STL"),
        Path("a", "con.stl"),
        Path("a", "NUL.stl"),
    ]
    shapes = []
    for number, part in enumerate(parts):
        (tmp_path / part).parent.mkdir(exist_ok=True)
        box = trimesh.creation.box((0.1, 0.1, 0.1 + number))
        (tmp_path / part).write_bytes(box.export(file_type="stl"))
        mesh = f"<mesh><uri>{part}</uri></mesh>"
        shapes.append(f"<visual name='v{number}'><geometry>{mesh}</geometry></visual>")
    text = f"<sdf version='1.9'><model name='AUX'><link name='l'>{''.join(shapes)}</link></model></sdf>"
    (tmp_path / "r.sdf").write_text(text)
    for export in (sdfbridge.export_mjcf, sdfbridge.export_sdf, sdfbridge.export_urdf):
        folder = tmp_path / export.__name__
        export(tmp_path / "r.sdf", folder, quiet=True)
        names = [
            path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
        ]
        assert len({name.casefold() for name in names}) == len(names)
        stems = {Path(name).name.partition(".")[0].casefold() for name in names}
        assert not stems & {"con", "nul", "aux"}


# --- what the distributions hold ------------------------------------------------------------------


def test_the_conda_recipe_names_every_dependency_and_renders() -> None:
    recipe = yaml.safe_load(release.conda_recipe(PROJECT, "0" * 64))
    assert recipe["package"] == {"name": "sdfbridge", "version": PROJECT["version"]}
    run = {text.partition(" ")[0] for text in recipe["requirements"]["run"]}
    wanted = {Requirement(text).name for text in PROJECT["dependencies"]} - {"pybullet-arm64"}
    assert run == {release.CONDA_NAMES.get(name, name) for name in wanted} | {"python"}
    assert recipe["about"].keys() == {"summary", "license", "license_file", "homepage"}
    assert recipe["extra"]["recipe-maintainers"]


def test_the_changelog_has_notes_for_the_version_of_the_project_file() -> None:
    assert release.notes(PROJECT["version"]).startswith("**Reading**")


# --- what stays stable ----------------------------------------------------------------------------


def listed(heading: str) -> set[str]:
    """Return the names in code in a section of the page on what stays stable."""
    page = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"`([\w.]+)`", section))


def test_the_page_lists_what_is_public() -> None:
    functions = {name for name in sdfbridge.__all__ if inspect.isfunction(getattr(sdfbridge, name))}
    assert listed("Functions") == functions
    assert listed("Classes and constants") - {"sdfbridge"} == set(sdfbridge.__all__) - functions
    assert listed("Entry points") == {
        engine.ENTRY_POINTS, formats.ENTRY_POINTS, target.ENTRY_POINTS,
    }  # fmt: skip


def test_the_page_lists_the_exit_statuses_and_the_fields_of_results() -> None:
    statuses = {
        value for name, value in vars(errors).items() if name.isupper() and type(value) is int
    }
    assert {int(text) for text in listed("Exit statuses")} == statuses
    fields = {field.name for field in dataclasses.fields(sdfbridge.BatchResult)}
    assert listed("Files") >= fields
    assert listed("Files") - fields <= {
        "results.json", "results.jsonl", "junit.xml", "scene.xml", "FIDELITY.md",
    }  # fmt: skip
