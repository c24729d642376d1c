"""Build a release of the committed tree, try it, and write what is published beside it.

.venv/bin/python .ci/release.py FOLDER [--platforms]

The folder gets the wheel and the sdist, a conda recipe, a bill of materials, the notes of the
release and the checksums. Whatever does not hold ends the script with status 1: two builds with
the same bytes, valid metadata, the first ten minutes of a new user on every Python at hand, the
command by uvx within its time, and with --platforms a wheel of every dependency on each platform
and Python that the documentation names.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import first_ten_minutes
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = {
    "Linux x86_64": "x86_64-manylinux_2_28",
    "Linux aarch64": "aarch64-manylinux_2_28",
    "macOS, Apple silicon": "aarch64-apple-darwin",
    "macOS, Intel": "x86_64-apple-darwin",
    "Windows x86_64": "x86_64-pc-windows-msvc",
}
"""The names of uv for the platforms of the documentation."""
CONDA_NAMES = {"mujoco": "mujoco-python"}
"""Packages of conda-forge whose names are not those of PyPI."""
START = {("--version",): 0.5, ("check", "assets/leg.sdf"): 2.0}
"""Largest processor time of a command, beyond what uvx needs to start Python from its cache [s]."""


class ReleaseError(Exception):
    """Something that must hold of a release does not."""


def main(words: list[str]) -> int:
    """Make the release; return 1 if something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--platforms", action="store_true")
    options = parser.parse_args(words)
    try:
        release(options.folder, platforms=options.platforms)
    except (ReleaseError, first_ten_minutes.PlayError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def release(folder: Path, *, platforms: bool) -> None:
    """Make the release in a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    built = build_twice()
    for name, content in built.items():
        (folder / name).write_bytes(content)
    wheel = next(folder.glob("*.whl"))
    run(sys.executable, "-m", "twine", "check", "--strict", *map(str, sorted(folder.iterdir())))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sdist = next(folder.glob("*.tar.gz"))
    recipe = conda_recipe(project, hashlib.sha256(built[sdist.name]).hexdigest())
    render(recipe)
    (folder / "recipe.yaml").write_text(recipe, encoding="utf-8")
    (folder / "NOTES.md").write_text(notes(project["version"]), encoding="utf-8")
    if platforms:
        table = platform_table(wheel)
        (folder / "platforms.json").write_text(json.dumps(table, indent=1) + "\n", "utf-8")
    write_bill_of_materials(wheel, folder / "sbom.json")
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(install_everywhere, (wheel, sdist)))
    try_by_uvx(wheel)
    if not first_ten_minutes.play(first_ten_minutes.VERSIONS, folder):
        raise ReleaseError("no Python to try the release on")
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(folder.iterdir())
    ]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    print("".join(sums), end="")


def run(*command: str, **options: Any) -> str:
    """Run a command; return what it prints.

    Raises:
        ReleaseError: if it fails.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise ReleaseError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def build_twice() -> dict[str, bytes]:
    """Return the distributions, by file name, of two builds in two folders at two times.

    Raises:
        ReleaseError: if the bytes differ.
    """
    stamp = run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()
    first, second = _build(stamp), _build(stamp)
    differing = [
        name for name in first.keys() | second.keys() if first.get(name) != second.get(name)
    ]
    if differing:
        raise ReleaseError(f"two builds differ: {', '.join(sorted(differing))}")
    return first


def _build(stamp: str) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch, "tree")
        archive = subprocess.run(
            ["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True
        ).stdout
        Path(scratch, "tree.tar").write_bytes(archive)
        with tarfile.open(Path(scratch, "tree.tar")) as tar:
            tar.extractall(tree, filter="data")
        run(
            sys.executable, "-m", "hatchling", "build", "-d", str(Path(scratch, "dist")),
            cwd=tree,
            env={**os.environ, "SOURCE_DATE_EPOCH": stamp},
        )  # fmt: skip
        return {path.name: path.read_bytes() for path in Path(scratch, "dist").iterdir()}


def conda_recipe(project: dict[str, Any], sha256: str) -> str:
    """Return the recipe for conda-forge, with the dependencies of the project file.

    PyBullet is in it once, since conda-forge has it for every Python.

    Args:
        project: The table ``project`` of the project file.
        sha256: The hash of the sdist.
    """
    wanted = [Requirement(text) for text in project["dependencies"]]
    named = {
        CONDA_NAMES.get(one.name, one.name): str(one.specifier)
        for one in wanted
        if one.name != "pybullet-arm64"
    }
    name, version = project["name"], project["version"]
    lowest = project["requires-python"].removeprefix(">=")
    source = f"https://pypi.org/packages/source/{name[0]}/{name}/{name}-{version}.tar.gz"
    recipe = {
        "schema_version": 1,
        "context": {"python_min": lowest},
        "package": {"name": name, "version": version},
        "source": {"url": source, "sha256": sha256},
        "build": {
            "number": 0,
            "noarch": "python",
            "script": "python -m pip install . -vv --no-deps --no-build-isolation",
            "python": {
                "entry_points": [f"{key} = {value}" for key, value in project["scripts"].items()]
            },
        },
        "requirements": {
            "host": ["python ${{ python_min }}.*", "pip", "hatchling >=1.27"],
            "run": [
                "python >=${{ python_min }}",
                *(f"{name} {bounds}".strip() for name, bounds in sorted(named.items())),
            ],
        },
        "tests": [
            {
                "python": {
                    "imports": ["bridge", "loaders", "sdfbridge"],
                    "pip_check": False,
                    "python_version": "${{ python_min }}.*",
                }
            },
            {
                "script": ["sdfbridge --version", "sdfbridge doctor"],
                "requirements": {"run": ["python ${{ python_min }}.*"]},
            },
        ],
        "about": {
            "summary": project["description"],
            "license": project["license"],
            "license_file": project["license-files"],
            "homepage": f"https://pypi.org/project/{name}/",
        },
        "extra": {"recipe-maintainers": [os.environ.get("GITHUB_REPOSITORY_OWNER", name)]},
    }
    return str(yaml.safe_dump(recipe, sort_keys=False, width=100))


def render(recipe: str) -> None:
    """Read and render a recipe as conda's builder does, for Linux.

    Raises:
        ReleaseError: if it is not a valid recipe.
    """
    from rattler_build import PlatformConfig, RattlerBuildError, RenderConfig, Stage0Recipe

    try:
        variants = Stage0Recipe.from_yaml(recipe).render(
            None, RenderConfig(platform=PlatformConfig(target_platform="linux-64"))
        )
    except RattlerBuildError as error:
        raise ReleaseError(f"the conda recipe does not render: {error}") from error
    if not variants:
        raise ReleaseError("the conda recipe renders to no package")


def notes(version: str) -> str:
    """Return the section of the changelog for a version.

    Raises:
        ReleaseError: if there is none.
    """
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _, found, section = text.partition(f"\n## [{version}]")
    if not found:
        raise ReleaseError(f"CHANGELOG.md has no section for {version}")
    return section.partition("\n")[2].partition("\n## ")[0].strip() + "\n"


def platform_table(wheel: Path) -> dict[str, dict[str, list[str]]]:
    """Return the packages that are installed with the wheel, by platform and Python; all of them
    have wheels.

    Raises:
        ReleaseError: if one would be compiled.
    """
    table: dict[str, dict[str, list[str]]] = {}
    for (platform, name), python in product(PLATFORMS.items(), PYTHONS):
        command = [
            *uv(), "pip", "compile", "--quiet", "--no-header", "--no-annotate",
            "--only-binary", ":all:", "--python-platform", name, "--python-version", python, "-",
        ]  # fmt: skip
        text = run(*command, input=f"sdfbridge @ {wheel.resolve().as_uri()}\n")
        packages = [line for line in text.splitlines() if not line.startswith("sdfbridge")]
        table.setdefault(platform, {})[python] = packages
        found = next((line for line in packages if line.startswith("pybullet")), "no PyBullet")
        print(f"{platform}, Python {python}: {len(packages)} packages, {found}", flush=True)
    return table


def write_bill_of_materials(wheel: Path, path: Path) -> None:
    """Write the packages of a new environment with the wheel, in CycloneDX's JSON."""
    with tempfile.TemporaryDirectory() as scratch:
        environment = str(Path(scratch, "venv"))
        run(*uv(), "venv", "--quiet", environment)
        run(*uv(), "pip", "install", "--quiet", "--python", environment, str(wheel))
        run(
            sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible",
            "--output-file", str(path), environment,
        )  # fmt: skip
        packages = Path(scratch, "venv", "lib").rglob("*")
        size = sum(file.stat().st_size for file in packages if file.is_file())
    count = len(json.loads(path.read_text(encoding="utf-8"))["components"])
    print(f"installed: {size / 1e6:.0f} MB in {count} packages; wheel {wheel.stat().st_size} bytes")


def install_everywhere(distribution: Path) -> None:
    """Install a distribution in a new environment of each Python at hand, and check a model."""
    for version in PYTHONS:
        found = first_ten_minutes.interpreter(version)
        if found is None:
            print(f"{distribution.name}, Python {version}: not on this machine, left out")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            environment = str(Path(scratch, "venv"))
            run(*uv(), "venv", "--quiet", "--python", found[1], environment)
            run(*uv(), "pip", "install", "--quiet", "--python", environment, str(distribution))
            run(str(Path(environment, "bin", "sdfbridge")), "check", str(ROOT / "assets/leg.sdf"))
        print(f"{distribution.name}, Python {version}: installed, and checks a model", flush=True)


def try_by_uvx(wheel: Path) -> None:
    """Start the command as a user does who has uv and nothing else.

    Raises:
        ReleaseError: if it fails, or takes too long to start from uv's cache.
    """
    program = str(Path(sys.executable).with_name("uv"))
    uvx = (program, "tool", "run", "--from", str(wheel))
    # What uvx itself needs depends on the index that it asks, which is none of the command's time.
    python = _seconds(*uvx, "python", "-c", "pass")
    for words, limit in START.items():
        seconds = _seconds(*uvx, "sdfbridge", *words) - python
        print(f"uvx sdfbridge {' '.join(words)}: {python:.2f} s for uvx and {seconds:.2f} s")
        if seconds > limit:
            raise ReleaseError(f"sdfbridge {' '.join(words)} took {seconds:.2f} s, not {limit} s")


def _seconds(*command: str) -> float:
    """Return the least processor time of a command after its first start [s]."""
    run(*command, cwd=ROOT)
    return min(_times(command))


def _times(command: tuple[str, ...]) -> Iterator[float]:
    """Yield the processor time of a command, some times [s]."""
    for _ in range(5):
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(*command, cwd=ROOT)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        yield end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def uv() -> tuple[str, ...]:
    """Return the words that start uv."""
    return (sys.executable, "-m", "uv")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
