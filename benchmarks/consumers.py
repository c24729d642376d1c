"""Write a sample of a corpus as URDF and SDFormat, and count what readers open that other people
wrote.

python benchmarks/consumers.py CORPUS FOLDER RESULTS [--count 120] [--python PYTHON] [--write]

The files are written below FOLDER, and RESULTS has the message of each reader about each file, by
which a second run continues. PYTHON is an interpreter that has pinocchio and yourdfpy. Readers that
are not installed are named. A reader runs in a process of its own, and each file in a child of it,
which may crash. ``--write`` puts the table into ``docs/writers.md``.
"""

from __future__ import annotations

import argparse
import datetime
import json
import random
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bridge
import loaders
from benchmarks.round_trips import sources
from bridge.targets.urdf.tree import has_several_roots
from loaders.diagnostics import ModelError

MARKS = ("<!-- consumers: begin -->", "<!-- consumers: end -->")
FORMS = {
    "plain": 'URDF with `joints="plain", extensions=()`',
    "urdf": "URDF with the defaults",
    "sdf": "SDFormat 1.12",
    "sdf19": 'SDFormat with `version="1.9"`',
}
WORKER = """
import os, sys
{setup}
for path in map(str.strip, sys.stdin):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writing, 2); os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 1
        try:
            {check}
            code = 0
        except BaseException as error:
            os.write(2, str(error).encode()[-600:])
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        said = stream.read()
    status = os.waitpid(child, 0)[1]
    text = "" if status == 0 else said.decode(errors="replace")[-600:].replace("\\n", " ") or f"status {{status}}"
    print(text, flush=True)
"""
SETUPS = {
    "pinocchio": ("import pinocchio", "pinocchio.buildModelFromUrdf(path)"),
    "yourdfpy": ("from yourdfpy import URDF", "URDF.load(path, load_meshes=False).update_cfg({})"),
    "PyBullet": (
        "import pybullet",
        (
            "client = pybullet.connect(pybullet.DIRECT); pybullet.loadURDF(path, "
            "physicsClientId=client)"
        ),
    ),
    "MuJoCo": ("import mujoco", "mujoco.MjModel.from_xml_path(path)"),
    "Drake": (
        "from pydrake.all import AddMultibodyPlantSceneGraph, DiagramBuilder, Parser",
        "plant = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.001)[0]; "
        "Parser(plant).AddModels(path); plant.Finalize()",
    ),
    "DART": (
        "import dartpy",
        "assert dartpy.utils.DartLoader().parseSkeleton(path) is not None, 'no skeleton'",
    ),
    "DART's SDFormat": (
        "import dartpy",
        (
            "found = dartpy.utils.SdfParser.readSkeleton(path); assert found is not None, 'no "
            "skeleton'"
        ),
    ),
}
"""Preparation of each reader, and what opens a file."""
LIBSDFORMAT = """
#include <sdf/sdf.hh>
#include <iostream>
#include <string>
int main() {
  std::string path;
  while (std::getline(std::cin, path)) {
    sdf::Root root;
    auto errors = root.Load(path);
    std::string text;
    for (auto &error : errors) text += error.Message() + " ";
    for (auto &c : text) if (c == '\\n') c = ' ';
    std::cout << text << std::endl;
  }
}
"""
ASKED = (
    ("check_urdf", "plain"),
    ("pinocchio", "plain"),
    ("yourdfpy", "plain"),
    ("DART", "plain"),
    ("PyBullet", "plain"),
    ("MuJoCo", "plain"),
    ("Drake", "plain"),
    ("Drake", "urdf"),
    ("PyBullet", "urdf"),
    ("MuJoCo", "urdf"),
    ("Drake", "sdf"),
    ("DART's SDFormat", "sdf"),
    ("libsdformat 12", "sdf19"),
)


def written_files(corpus: Path, folder: Path, count: int) -> dict[str, list[Path]]:
    """Write a seeded sample of a corpus in each form, and return the files; those of models with
    one tree only.
    """
    files: dict[str, list[Path]] = {form: [] for form in FORMS}
    listed = [path for path, _ in sources(corpus)]
    random.Random(2026).shuffle(listed)
    paths = [corpus, *(path for path in sorted(corpus.iterdir()) if path.is_dir())]
    for i, source in enumerate(listed):
        if len(files["plain"]) >= count:
            break
        try:
            scene = loaders.load(source, quiet=True, paths=paths)
            if has_several_roots(scene) or not any(link.name != "world" for link in scene.links):
                continue
            made = {
                "plain": bridge.to_urdf(scene, joints="plain", extensions=(), quiet=True),
                "urdf": bridge.to_urdf(scene, quiet=True),
                "sdf": bridge.to_sdf(scene, quiet=True),
                "sdf19": bridge.to_sdf(scene, version="1.9", quiet=True),
            }
        except (ModelError, OSError):
            continue
        for form, text in made.items():
            place = folder / form / f"{i:04d}_{source.stem}"
            place.mkdir(parents=True, exist_ok=True)
            path = place / ("model.urdf" if form in ("plain", "urdf") else "model.sdf")
            path.write_text(text, encoding="utf-8")
            for name, data in text.assets.items():
                (place / "assets" / name).parent.mkdir(parents=True, exist_ok=True)
                (place / "assets" / name).write_bytes(data)
            files[form].append(path)
    return files


def answers(reader: str, files: list[Path], folder: Path, python: str) -> list[str] | None:
    """Return the message of a reader about each file, empty if it opens it; None if it is not
    installed.
    """
    if reader == "check_urdf":
        if shutil.which(reader) is None:
            return None
        runs = [
            subprocess.run([reader, path], capture_output=True, text=True, check=False)
            for path in files
        ]
        return [
            "" if run.returncode == 0 else run.stderr[-600:].replace("\n", " ") or "refused"
            for run in runs
        ]
    if reader == "libsdformat 12":
        command = _libsdformat(folder)
    else:
        setup, check = SETUPS[reader]
        interpreter = python if reader in ("pinocchio", "yourdfpy") else sys.executable
        command = [interpreter, "-W", "ignore", "-c", WORKER.format(setup=setup, check=check)]
    if command is None:
        return None
    text = "".join(f"{path}\n" for path in files)
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    found = run.stdout.split("\n")[:-1]
    if len(found) != len(files):
        print(f"{reader} is not installed: {run.stderr[-300:]}", file=sys.stderr)
        return None
    return found


def _libsdformat(folder: Path) -> list[str] | None:
    """Compile a program that reads files by libsdformat, and return its command."""
    if shutil.which("g++") is None:
        return None
    code, program = folder / "read.cc", folder / "read"
    code.write_text(LIBSDFORMAT)
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "sdformat12"],
        capture_output=True,
        text=True,
        check=False,
    )
    built = subprocess.run(
        ["g++", "-std=c++17", "-o", program, code, *flags.stdout.split()], check=False
    )
    return [str(program)] if built.returncode == 0 else None


def main() -> None:
    """Write the sample, ask each reader, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    known: dict[str, dict[str, str]] = (
        json.loads(options.results.read_text()) if options.results.exists() else {}
    )
    files = None
    for reader, form in ASKED:
        if f"{reader}, {form}" in known:
            continue
        files = files or written_files(options.corpus, options.folder, options.count)
        found = answers(reader, files[form], options.folder, options.python)
        if found is not None:
            names = [path.parent.name for path in files[form]]
            known[f"{reader}, {form}"] = dict(zip(names, found, strict=True))
            options.results.write_text(json.dumps(known, indent=1) + "\n")
    text = table(known)
    print(text)
    if options.write:
        page = Path(__file__).parents[1] / "docs" / "writers.md"
        before, rest = page.read_text(encoding="utf-8").split(MARKS[0])
        after = rest.split(MARKS[1])[1]
        page.write_text(f"{before}{MARKS[0]}\n\n{text}\n{MARKS[1]}{after}", encoding="utf-8")


def table(known: dict[str, dict[str, str]]) -> str:
    """Return the table of the answers, with today's date."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    rows = [f"| reader, {today} | reads | files | opens |", "|---|---|---|---|"]
    for reader, form in ASKED:
        found = known.get(f"{reader}, {form}")
        if found is not None:
            opened = sum(not message for message in found.values())
            rows.append(f"| {reader} | {FORMS[form]} | {len(found)} | {opened} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    main()
