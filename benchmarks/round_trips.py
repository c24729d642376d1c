"""Write every file of a corpus in another format, read it back, and count what moves as before.

python benchmarks/round_trips.py FOLDER [--every N] [--drake] [--formats SDF,URDF]

One row for each pair of formats: files that load; those that cannot be written; those whose links have the same poses
at random positions, masses, mass matrix and colliding pairs within 1e-9; those that differ with a finding that says
so; those that differ without one; those whose second writing is the same text. With ``--drake``: the files that Drake
opens both as they are and as written, and those of them in which it finds the same poses and mass matrix.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import bridge
import loaders
from bridge.diff.mechanics import mechanical_error
from bridge.export.result import Document
from loaders.diagnostics import ModelError
from tests.support.drake_oracle import open_in_drake

TOLERANCE = 1e-9
FORMATS = {".sdf": "SDF", ".world": "SDF", ".urdf": "URDF", ".yaml": "directives", ".xml": "MJCF"}
COLUMNS = ("loaded", "refused", "alike", "reported", "silent", "same text", "Drake opens", "Drake alike")


def sources(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each model file below a folder with its format."""
    for path in sorted(folder.rglob("*")):
        is_model = path.suffix in FORMATS and (path.suffix != ".yaml" or path.name.endswith(".dmd.yaml"))
        if is_model and "golden" not in path.parts and (path.suffix != ".xml" or "mjcf" in path.parts):
            yield path, FORMATS[path.suffix]


def save(document: Document, folder: Path) -> Path:
    """Write a document and its assets into a folder; return the file."""
    path = folder / "model.sdf"
    path.write_text(document, encoding="utf-8")
    for name, data in document.assets.items():
        (folder / "assets" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "assets" / name).write_bytes(data)
    return path


def judge(source: Path, paths: list[Path], *, drake: bool) -> Iterator[str]:
    """Yield the columns in which a file counts."""
    try:
        scene = loaders.load(source, quiet=True, paths=paths)
    except ModelError:
        return
    yield "loaded"
    with tempfile.TemporaryDirectory() as folder:
        try:
            document = bridge.to_sdf(scene, quiet=True)
            path = save(document, Path(folder))
            found = loaders.load(path, quiet=True, paths=paths)
            alike = mechanical_error(scene, found, document.names).is_within(TOLERANCE)
        except ModelError:
            yield "refused"
            return
        losses = any(entry.severity == "warning" for entry in document.diagnostics)
        yield "alike" if alike else "reported" if losses else "silent"
        if not alike and not losses:
            print("silent:", source)
        if str(bridge.to_sdf(found, quiet=True)) == str(document):
            yield "same text"
        else:
            print("other text:", source)
        if drake and not document.names:
            yield from in_a_process(lambda: judge_drake(source, scene, path, found))


def in_a_process(work: Callable[[], Iterator[str]]) -> list[str]:
    """Return what a function yields; nothing if its process ends, as Drake's does for limits in the wrong order."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, ",".join(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        words = stream.read()
    os.waitpid(child, 0)
    return list(filter(None, words.split(",")))


def judge_drake(source: Path, scene: loaders.Scene, path: Path, found: loaders.Scene) -> Iterator[str]:
    """Yield the columns about Drake in which a file counts."""
    try:
        theirs, ours = open_in_drake(source, scene), open_in_drake(path, found)
    except (RuntimeError, AssertionError):  # Drake refuses one of them, or names its joints in another way
        return
    if theirs.joints.keys() != ours.joints.keys():
        return
    yield "Drake opens"
    q = theirs.random_positions(0, scene)
    poses = ours.link_poses(q)
    v_order = [(name, i) for name, joint in theirs.joints.items() for i in range(joint.num_velocities())]
    errors = [float(np.abs(poses[name] - X_WL).max()) for name, X_WL in theirs.link_poses(q).items()]
    M, N = theirs.mass_matrix(q, v_order), ours.mass_matrix(q, v_order)
    largest = max(float(np.abs(M).max(initial=0.0)), 1e-12)
    if max(errors, default=0.0) < TOLERANCE and float(np.abs(M - N).max(initial=0.0)) < TOLERANCE * largest:
        yield "Drake alike"
    else:
        print("Drake differs:", source)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, help="take every n-th file only")
    parser.add_argument("--drake", action="store_true", help="compare what Drake reads too")
    parser.add_argument("--formats", default=",".join(sorted(set(FORMATS.values()))), help="formats to read")
    options = parser.parse_args()
    wanted = options.formats.split(",")
    warnings.simplefilter("ignore")
    counts: dict[str, Counter[str]] = {}
    paths = [options.folder, *(path for path in sorted(options.folder.iterdir()) if path.is_dir())]
    for i, (source, form) in enumerate(pair for pair in sources(options.folder) if pair[1] in wanted):
        if i % options.every == 0:
            counts.setdefault(form, Counter()).update(judge(source, paths, drake=options.drake))
    print("| from | to |", " | ".join(COLUMNS), "|")
    print("|---|---|" + "---|" * len(COLUMNS))
    for form, count in counts.items():
        print(f"| {form} | SDF |", " | ".join(str(count[column]) for column in COLUMNS), "|")


if __name__ == "__main__":
    main()
