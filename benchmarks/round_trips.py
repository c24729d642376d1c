"""Write every file of a corpus in each format, and back in its own, and count what moves as before.

python benchmarks/round_trips.py FOLDER [--every N] [--drake] [--results FILE] [--write]

One row for each ordered pair of formats A and B, over the files of format A: those that load; those
that a writer refuses; those whose links have the same poses at random positions, masses, mass
matrix and colliding pairs within 1e-9 after A -> B -> A; those that differ, where for each kind of
difference there is a finding that can explain it (`EXPLANATIONS`); those that differ otherwise;
those whose second writing as B is the same text.

With ``--drake``: the SDFormat and URDF files that Drake opens both as they are and as written in B,
and those of them in which it finds the same poses and mass matrix.

Results go to a file, one line for each chain, and a second run continues where the first one ended.
``--write`` puts the table into ``docs/writers.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import bridge
import loaders
from bridge.diff.mechanics import MechanicalError, mechanical_error
from bridge.targets.assembly import AssemblyFiles
from bridge.targets.directives import folder_files
from bridge.targets.urdf.document import urdf_assembly
from bridge.targets.urdf.tree import has_several_roots
from loaders import Pose
from loaders.diagnostics import Diagnostic, ModelError
from loaders.finish.transform import moved_frames
from tests.support.drake_oracle import open_in_drake

ROOT = Path(__file__).parents[1]
WARM_UP = ROOT / "assets" / "leg.sdf"
TOLERANCE = 1e-9
FORMATS = {".sdf": "SDF", ".world": "SDF", ".urdf": "URDF", ".yaml": "directives", ".xml": "MJCF"}
TARGETS = ("SDF", "URDF", "directives", "MJCF")
COLUMNS = (
    "loaded",
    "refused",
    "alike",
    "explained",
    "unexplained",
    "same text",
    "late",
    "failed",
    "Drake opens",
    "Drake alike",
)
ALWAYS = COLUMNS[:6]
"""Columns that the table has even where they are empty."""
SECONDS = 240
"""Time for one chain of a file, after which it counts as late."""
EXPLANATIONS: Mapping[str, frozenset[str]] = {
    "missing": frozenset(
        {
            "dmdout.out-of-scope",
            "mesh.unreadable",
            "mjcf.locked-joint",
            "mjcf.several-joints",
            "urdfout.chain",
            "urdfout.loop",
            "urdfout.static",
        }
    ),
    "pairs": frozenset(
        {
            "dmdout.joined-links",
            "dmdout.out-of-scope",
            "dmdout.split-model",
            "mesh.missing",
            "mjcf.collide-without-contact",
            "mjcf.contact-policy",
            "mjcf.empty-shape",
            "mjcf.filter-groups",
            "mjcf.model-scopes",
            "mjcf.no-shape",
            "mjcf.welded-contact",
            "sdfout.field contact pairs",
            "sdfout.field flag/filterparent",
            "sdfout.filter-rule",
            "sdfout.out-of-scope",
            "sdfout.field virtual",
            "urdfout.field category bitmask",
            "urdfout.field collide bitmask",
            "urdfout.field contact pairs",
            "urdfout.field virtual",
            "urdfout.gearbox",
            "urdfout.idle-gearbox",
            "urdfout.joined-links",
            "urdfout.merged-models",
        }
    ),
    "pose": frozenset({"mjcf.joint-coordinate", "mjcf.screw-soft-constraint"}),
    "mass": frozenset({"lower.loop", "lower.massless-free-link"}),
    "mass_matrix": frozenset(
        {
            "dmdout.world-settings tendons",
            "lower.massless-free-link",
            "mjcf.joint-coordinate",
            "mjcf.massless-link",
            "mjcf.screw-soft-constraint",
            "sdfout.field inertia",
            "sdfout.field tendons",
            "urdfout.field inertia",
            "urdfout.field tendons",
        }
    ),
}
"""Findings that can explain each kind of difference; of a code for any field of the scene, with the
field.
"""
MARKS = ("<!-- round trips: begin -->", "<!-- round trips: end -->")


class Step(NamedTuple):
    """A scene, written and read."""

    path: Path
    found: loaders.Scene
    text: str
    raw: loaders.Scene
    """The scene as it was read; in `found`, the frames of links are where an assembly had them."""
    names: Mapping[str, str]
    """Names in what was found by name in the scene."""
    frames: Mapping[str, Pose]
    """Frame of each link that moved, in its frame in the scene, by name in the scene."""
    diagnostics: tuple[Diagnostic, ...]


def sources(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each model file below a folder with its format."""
    for path in sorted(folder.rglob("*")):
        is_model = path.suffix in FORMATS and (
            path.suffix != ".yaml" or path.name.endswith(".dmd.yaml")
        )
        if (
            is_model
            and "golden" not in path.parts
            and (path.suffix != ".xml" or "mjcf" in path.parts)
        ):
            yield path, FORMATS[path.suffix]


# --- one step -------------------------------------------------------------------------------------


def written(scene: loaders.Scene, form: str, folder: Path) -> Step:
    """Write a scene into a folder, and read it."""
    frames: Mapping[str, Pose] = {}
    if form == "directives":
        return _assembled(folder_files(scene, {}), folder)
    if form == "URDF" and has_several_roots(scene):
        return _assembled(urdf_assembly(scene, {}, "export_urdf", {}), folder)
    if form == "MJCF":
        mjcf = bridge.to_mjcf(scene, quiet=True)
        files = {"model.xml": str(mjcf).encode()} | {
            f"assets/{name}": data for name, data in mjcf.assets.items()
        }
        return _read(folder, "model.xml", files, str(mjcf), mjcf.names, frames, mjcf.diagnostics)
    if form == "URDF":
        urdf = bridge.to_urdf(scene, quiet=True)
        document, frames, main = urdf, urdf.frames, "model.urdf"
    else:
        document, main = bridge.to_sdf(scene, quiet=True), "model.sdf"  # type: ignore[assignment]
    files = {main: str(document).encode()} | {
        f"assets/{name}": data for name, data in document.assets.items()
    }
    return _read(folder, main, files, str(document), document.names, frames, document.diagnostics)


def _assembled(contents: AssemblyFiles, folder: Path) -> Step:
    text = "".join(
        data.decode()
        for name, data in sorted(contents.files.items())
        if not name.startswith("assets/") and not name.endswith(".md")
    )
    step = _read(
        folder,
        contents.main,
        contents.files,
        re.sub("#.*", "", text),
        contents.names,
        {},
        contents.diagnostics,
    )
    return step._replace(found=contents.as_source(step.found))


def _read(folder: Path, main: str, files: Mapping[str, bytes], text: str, *rest: Any) -> Step:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    found = loaders.load(folder / main, quiet=True)
    return Step(folder / main, found, text, found, *rest)


def chained(first: Step, second: Step) -> tuple[dict[str, str], dict[str, Pose]]:
    """Return the names after two steps, and the frames of links that either moved."""
    names = {old: _name(second.names, new, old) for old, new in first.names.items()}
    names = dict(second.names) | names
    frames = {}
    back = {new: old for old, new in first.names.items() if not old.startswith("joint ")}
    for link in {*first.frames, *(back.get(name, name) for name in second.frames)}:
        middle = first.names.get(link, link)
        X = first.frames.get(link, loaders.Pose.of()) @ second.frames.get(middle, loaders.Pose.of())
        frames[second.names.get(middle, middle)] = X.inverse()
    return names, frames


def _name(names: Mapping[str, str], name: str, key: str) -> str:
    if key.startswith("joint ") and f"joint {name}" in names:
        return names[f"joint {name}"]
    return names.get(name, name)


# --- judgement ------------------------------------------------------------------------------------


def judge(
    source: Path, scene: loaders.Scene | None, form: str, target: str, *, drake: bool
) -> Iterator[str]:
    """Yield the columns in which a chain counts; none for a file that does not load."""
    if scene is None:
        return
    yield "loaded"
    with tempfile.TemporaryDirectory() as folder:
        there, again, back = (Path(folder, name) for name in ("there", "again", "back"))
        try:
            first = written(scene, target, there)
            second = written(first.found, form, back)
            names, frames = chained(first, second)
            error = mechanical_error(scene, moved_frames(second.found, frames), names)
        except ModelError:
            yield "refused"
            return
        differing = kinds_of(error)
        found = {
            label
            for step in (first, second)
            for entry in step.diagnostics
            for label in labels_of(entry)
        }
        unexplained = [kind for kind in differing if not found & EXPLANATIONS[kind]]
        yield "unexplained" if unexplained else "explained" if differing else "alike"
        if differing:
            yield f"differ: {' '.join(differing)}; unexplained: {' '.join(unexplained)}"
        if unexplained:
            print("unexplained:", target, source, error, sorted(found), file=sys.stderr)
        if written(first.raw, target, again).text == first.text:
            yield "same text"
        else:
            print("other text:", target, source, file=sys.stderr)
        if drake and {form, target} <= {"SDF", "URDF"} and not first.names and not first.frames:
            yield "asks Drake"
            yield from judge_drake(source, scene, first.path, first.found)


def kinds_of(error: MechanicalError) -> list[str]:
    """Return the kinds of difference, keys of `EXPLANATIONS`, that are not within the tolerance."""
    plain = error.to_dict()
    return [
        kind
        for kind in EXPLANATIONS
        if (plain[kind] if kind in ("missing", "pairs") else plain[kind] > TOLERANCE)
    ]


def labels_of(entry: Diagnostic) -> Iterator[str]:
    """Yield the code of a finding, with each field of the scene that it is about if the code is for
    any field.
    """
    if entry.code.endswith(".field"):
        field = str(entry.arguments["field"])
        yield from (
            f"{entry.code} {name}" for name in field.removeprefix("the settings ").split(", ")
        )
    elif entry.code == "dmdout.world-settings":
        yield from (f"{entry.code} {setting}" for setting in entry.arguments["settings"])
    else:
        yield entry.code


def judge_drake(
    source: Path, scene: loaders.Scene, path: Path, found: loaders.Scene
) -> Iterator[str]:
    """Yield the columns about Drake in which a file counts."""
    try:
        theirs, ours = open_in_drake(source, scene), open_in_drake(path, found)
        q = theirs.random_positions(0, scene)
    except (
        RuntimeError,
        AssertionError,
    ):  # Drake refuses one of them, or has other joints or couplings
        return
    if theirs.joints.keys() != ours.joints.keys():
        return
    yield "Drake opens"
    poses = ours.link_poses(q)
    v_order = [
        (name, i) for name, joint in theirs.joints.items() for i in range(joint.num_velocities())
    ]
    errors = [
        float(np.abs(poses[name] - X_WL).max()) for name, X_WL in theirs.link_poses(q).items()
    ]
    M, N = theirs.mass_matrix(q, v_order), ours.mass_matrix(q, v_order)
    largest = max(float(np.abs(M).max(initial=0.0)), 1e-12)
    if (
        max(errors, default=0.0) < TOLERANCE
        and float(np.abs(M - N).max(initial=0.0)) < TOLERANCE * largest
    ):
        yield "Drake alike"
    else:
        print("Drake differs:", source, file=sys.stderr)


def in_a_process(work: Callable[[], Iterator[str]]) -> list[str]:
    """Return what a function yields until its process ends, as Drake's does for limits in the wrong
    order.

    The last word is "late" if the time was over, and "failed" if the process ended in another way
    than it should and Drake was not asked.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            signal.alarm(SECONDS)
            for word in work():
                os.write(writing, f"{word},".encode())
            status = 0
        finally:
            if status:
                traceback.print_exc()
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as stream:
        words = stream.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    end = (
        "late"
        if status == -signal.SIGALRM
        else "failed"
        if status and not words.endswith("asks Drake,")
        else ""
    )
    return list(filter(None, [*words.split(","), end]))


# --- the table ------------------------------------------------------------------------------------


def table(results: Path) -> str:
    """Return the table of the results in a file."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for line in results.read_text().splitlines():
        entry = json.loads(line)
        counts[entry["from"], entry["to"]].update(entry["columns"])
    asked = [
        column
        for column in COLUMNS
        if column in ALWAYS or any(count[column] for count in counts.values())
    ]
    rows = ["| from | through | " + " | ".join(asked) + " |", "|---|---|" + "---|" * len(asked)]
    for form in TARGETS:
        for target in TARGETS:
            if (form, target) in counts:
                cells = " | ".join(_cell(counts[form, target], column) for column in asked)
                rows.append(f"| {form} | {target} | {cells} |")
    return "\n".join(rows) + "\n"


def _cell(count: Counter[str], column: str) -> str:
    """Return the count of a column, empty if Drake was not asked; if not all texts were compared,
    of how many.
    """
    if "Drake" in column and not count["asks Drake"]:
        return ""
    compared = count["loaded"] - count["refused"] - count["text not compared"]
    is_part = column == "same text" and count["text not compared"]
    return f"{count[column]} of {compared}" if is_part else str(count[column])


def write_table(results: Path) -> None:
    """Put the table into the documentation, between its marks."""
    page = ROOT / "docs" / "writers.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    page.write_text(f"{before}{MARKS[0]}\n\n{table(results)}\n{MARKS[1]}{after}", encoding="utf-8")


def run_chains(
    source: Path,
    form: str,
    targets: list[str],
    key: str,
    paths: list[Path],
    options: argparse.Namespace,
) -> None:
    """Add the results of the chains of a file to those in the file of results."""
    try:
        scene = loaders.load(source, quiet=True, paths=paths)
    except ModelError:
        scene = None
    for target in targets:
        began = time.monotonic()
        columns = in_a_process(lambda: judge(source, scene, form, target, drake=options.drake))  # noqa: B023
        seconds = round(time.monotonic() - began, 2)
        entry = {"file": key, "from": form, "to": target, "columns": columns, "seconds": seconds}
        with options.results.open("a") as stream:
            stream.write(json.dumps(entry) + "\n")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--every", type=int, default=1, help="take every n-th file of each format only"
    )
    parser.add_argument("--drake", action="store_true", help="compare what Drake reads too")
    parser.add_argument("--formats", default=",".join(TARGETS), help="formats to read")
    parser.add_argument(
        "--results", type=Path, default=Path("round_trips.jsonl"), help="file with the results"
    )
    parser.add_argument("--write", action="store_true", help="put the table into docs/writers.md")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    # so that the processes of the chains need not import the modules and libraries of each format
    for target in TARGETS:
        list(judge(WARM_UP, loaders.load(WARM_UP, quiet=True), "SDF", target, drake=options.drake))
    done = set()
    if options.results.exists():
        done = {
            (e["file"], e["to"]) for e in map(json.loads, options.results.read_text().splitlines())
        }
    paths = [options.folder, *(path for path in sorted(options.folder.iterdir()) if path.is_dir())]
    seen: Counter[str] = Counter()
    for source, form in sources(options.folder):
        seen[form] += 1
        if form not in options.formats.split(",") or (seen[form] - 1) % options.every:
            continue
        key = source.relative_to(options.folder).as_posix()
        targets = [target for target in TARGETS if (key, target) not in done]
        if targets:
            run_chains(source, form, targets, key, paths, options)
    print(table(options.results))
    if options.write:
        write_table(options.results)


if __name__ == "__main__":
    main()
