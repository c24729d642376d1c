"""Record what sdfbridge makes of the model files of the corpora, and say what a change did to it.

python benchmarks/outputs.py record FOLDER [--jobs N] [--only GLOB] [--stages
scene,mjcf,sdf,urdf,pybullet] [--all] python benchmarks/outputs.py compare BEFORE AFTER [--only
GLOB] [--stages ...] [--examples N]

``record`` writes ``FOLDER/STAGE/MODEL.json``, and continues where an earlier run ended. The code
that is examined is that which Python finds: ``PYTHONPATH`` chooses a checkout, ``python -m
benchmarks.outputs`` takes the present folder.

Stages: ``scene`` has every field of the scene and of its diagnostics; ``mjcf``, ``sdf`` and
``urdf`` have the exported files; ``pybullet`` has what PyBullet is given and what it answers;
``verdict``, only if it is named, has the rows of `bridge.compare` for 60 models. Each model has a
process of its own, with limits on time and memory; what ends it is recorded as well. Words replace
the paths of the machine. Hashes have one seed; with another one, in the variable
``PYTHONHASHSEED``, a second record shows what depends on the order of sets.

``compare`` counts the equal models of each stage and groups the differences by kind; the order of
the keys of mappings does not count. The exit status is 1 if there are differences, and 2 if nothing
can be compared.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__" and "PYTHONHASHSEED" not in os.environ:
    # sets have one order, and sums too; a given seed of hashes shows what depends on the order of
    # sets
    os.environ |= {
        "PYTHONHASHSEED": "0",
        **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1"),
    }
    os.execv(sys.executable, sys.orig_argv)

import numpy as np

import bridge
import loaders

ROOT = Path(bridge.__file__).resolve().parents[1]
"""The checkout that is examined."""
CORPUS = Path(os.environ.get("SDFBRIDGE_CORPUS", ROOT.parent / "shared" / "corpus")).resolve()
CASES = CORPUS.parent / "cases"
STAGES = ("scene", "mjcf", "sdf", "urdf", "pybullet", "verdict")
SUFFIXES = (".sdf", ".world", ".urdf", ".xacro", ".dmd.yaml", ".xml")
EVERY = {
    "gazebo_models": 2,
    "mjcf": 4,
    "example-robot-data": 2,
    "icub-models": 4,
    "pybullet_data": 4,
}
"""One of how many models of a corpus is examined without ``--all``; of the others, each."""
HEAVY = ("*/hostile/*-doubling/*", "*/hostile/colours/*")
"""Models that take minutes, which are examined with ``--all`` only."""
VERDICTS = 60
"""Number of models that have the stage ``verdict`` without ``--all``."""
SECONDS, PATIENCE, MEMORY = 60, 600.0, 8 << 30
"""Limits of one model: processor time of a stage [s], time of its process [s], and memory
[bytes].
"""
LONGEST_TEXT, LARGEST_ARRAY = 200_000, 600
"""Length of a text and number of entries of an array from which their hash is recorded."""
PLACES = sorted(
    {
        str(CORPUS): "<corpus>", str(CASES): "<cases>", str(ROOT): "<root>",
        sys.prefix: "<python>", sys.base_prefix: "<base python>",
    }.items(), key=lambda place: -len(place[0]),
)  # fmt: skip
"""Folders and the words that replace them, the longest path first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model file and the folders that it needs."""

    name: str
    path: Path
    paths: tuple[Path, ...] = ()
    packages: Mapping[str, Path] = field(default_factory=dict)


class Difference(NamedTuple):
    """A difference of two records: what changed, and the values."""

    kind: str
    example: str


# --- models ---------------------------------------------------------------------------------------


def models(*, complete: bool) -> list[Model]:
    """Return the models in a fixed order: all of them, or a sample that depends on their names
    only.
    """
    found = [
        *_libsdformat(),
        *_drake(),
        *_files("gazebo_models", CORPUS / "gazebo_models"),
        *_mjcf(),
        *_installed(),
    ]
    found += [*_files("cases", CASES), *_files("assets", ROOT / "assets")]
    return [model for model in found if complete or _is_drawn(model)]


def _is_drawn(model: Model) -> bool:
    is_heavy = any(fnmatch(model.name, pattern) for pattern in HEAVY)
    return not is_heavy and _draw(model) % EVERY.get(model.name.split("/")[0], 1) == 0


def _draw(model: Model) -> int:
    return int(hashlib.sha256(model.name.encode()).hexdigest()[:8], 16)


def verdict_names(found: Iterable[Model]) -> set[str]:
    """Return the models that are compared in simulators: as many of each corpus."""
    groups: dict[str, list[Model]] = defaultdict(list)
    for model in found:
        groups[model.name.split("/")[0]].append(model)
    each = VERDICTS // max(len(groups), 1)
    return {
        model.name
        for group in groups.values()
        for model in sorted(group, key=_draw, reverse=True)[:each]
    }


def _files(name: str, root: Path, below: Path | None = None) -> Iterator[Model]:
    for path in sorted((below or root).rglob("*")):
        if path.name.endswith(SUFFIXES) and path.name != "package.xml" and path.is_file():
            yield Model(
                name=f"{name}/{path.relative_to(root).as_posix()}", path=path, paths=(root,)
            )


def _mjcf() -> Iterator[Model]:
    yield from _files("mjcf", CORPUS / "mjcf" / "inputs")


def _libsdformat() -> Iterator[Model]:
    folder = CORPUS / "libsdformat"
    entries = (
        json.loads((folder / "manifest.json").read_text())["shared"] if folder.is_dir() else ()
    )
    for source, paths in sorted({entry["source"]: entry["paths"] for entry in entries}.items()):
        needed = tuple(folder / "inputs" / path for path in paths)
        yield Model(name=f"libsdformat/{source}", path=folder / "inputs" / source, paths=needed)


def _drake() -> Iterator[Model]:
    folder = CORPUS / "drake"
    entries = (
        json.loads((folder / "manifest.json").read_text())["entries"] if folder.is_dir() else ()
    )
    files = (path for path in sorted(folder.rglob("package.xml")) if "conflicting" not in str(path))
    named = ((re.search(r"<name>\s*([^<\s]+)", path.read_text()), path.parent) for path in files)
    packages = {match[1]: path for match, path in named if match}
    for entry in entries:
        if entry["pip_path"] is None:
            yield Model(
                name=f"drake/{entry['id']}", path=folder / entry["input"], packages=packages
            )


def _installed() -> Iterator[Model]:
    """The URDF files of installed packages."""
    share = (Path(folder) / "cmeel.prefix" / "share" / "example-robot-data" for folder in sys.path)
    data = importlib.util.find_spec("pybullet_data")
    roots = {
        "example-robot-data": next(filter(Path.is_dir, share), None),
        "icub-models": Path(sys.prefix) / "share" / "iCub",
        "pybullet_data": Path(data.origin).parent if data and data.origin else None,
    }
    for name, root in roots.items():
        found = _files(name, root) if root else ()
        yield from (
            model
            for model in found
            if model.path.suffix == ".urdf" and "random_urdfs" not in str(model.path)
        )


# --- values as plain data -------------------------------------------------------------------------


def relocated(text: str) -> str:
    """Return a text without the paths of this machine and the numbers of this process."""
    changing = (
        (os.environ.get("SDFBRIDGE_CACHE"), "<cache>"),
        (tempfile.gettempdir(), "<temporary>"),
    )
    for folder, word in (*changing, *PLACES):
        text = text.replace(folder, word) if folder else text
    return re.sub(r"sdfbridge-([0-9a-f]{32})-\d+(-[0-9a-f]{16})?", r"<file \1>", text)


def plain(value: Any) -> Any:  # noqa: PLR0911 - one answer for each type
    """Return a value as plain data, with every field of every dataclass, and classes by their bare
    names.
    """
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str | os.PathLike):
        return relocated(os.fspath(value))
    if isinstance(value, bytes):
        return {"bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()}
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, np.ndarray):
        return _plain_array(value)
    if is_dataclass(value) or hasattr(value, "_fields"):
        return _plain_record(value)
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, Set):
        return sorted(map(plain, value), key=json.dumps)
    return [*map(plain, value)] if isinstance(value, Sequence) else {"class": type(value).__name__}


def _plain_array(array: Any) -> Any:
    if array.size and array.size < LARGEST_ARRAY:
        return array.tolist()
    return {"shape": list(array.shape), "dtype": str(array.dtype)} | plain(array.tobytes())


def _plain_record(value: Any) -> dict[str, Any]:
    names = value._fields if hasattr(value, "_fields") else [entry.name for entry in fields(value)]
    message = {"message": relocated(value.message)} if isinstance(value, loaders.Diagnostic) else {}
    return (
        {"class": type(value).__name__}
        | {name: plain(getattr(value, name)) for name in names}
        | message
    )


def _plain_mapping(value: Mapping[Any, Any]) -> Any:
    if all(isinstance(key, str) and not isinstance(key, Enum) for key in value):
        return {relocated(key): plain(item) for key, item in value.items()}
    return [[plain(key), plain(item)] for key, item in value.items()]


def refusal(error: Exception) -> dict[str, Any]:
    """Return an error as plain data."""
    findings = {
        name: plain(getattr(error, name, ())) for name in ("diagnostics", "others", "skipped")
    }
    return {"error": type(error).__name__, "text": relocated(str(error)), **findings}


# --- stages ---------------------------------------------------------------------------------------


def exported(scene: Any, form: str) -> dict[str, Any]:
    """Return the files of an export, those with text as text, and its diagnostics."""
    folder = Path(tempfile.gettempdir(), f"as {form}")
    result = getattr(bridge, f"export_{form}")(scene, folder, quiet=True)
    files = [{"name": name, **_content(folder / name)} for name in sorted(result.files)]
    main = result.path.relative_to(folder).as_posix()
    return {"main": main, "files": files, "diagnostics": plain(result.diagnostics)}


def _content(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    try:
        text = relocated(data.decode())
    except UnicodeDecodeError:
        text = ""
    is_short = "\0" not in text and 0 < len(text) < LONGEST_TEXT and "assets" not in path.parts
    content: dict[str, Any] = {"text": text} if is_short else plain(text.encode() or data)
    return content


TRACED = (
    "loadURDF",
    "changeDynamics",
    "setCollisionFilterPair",
    "createConstraint",
    "changeConstraint",
)
"""Functions of PyBullet whose arguments are recorded, since it cannot be asked for all that they
set.
"""
QUERIES = ("getDynamicsInfo", "getJointInfo", "getJointStateMultiDof", "getCollisionShapeData")
"""Functions of PyBullet that are called with each link of each body."""


def in_pybullet(scene: Any) -> dict[str, Any]:
    """Load a scene into PyBullet; return what PyBullet is given, and what it answers about bodies
    and constraints.
    """
    import pybullet

    calls: list[Any] = []
    for name in TRACED:
        setattr(pybullet, name, _traced(getattr(pybullet, name), calls))
    client = pybullet.connect(pybullet.DIRECT)
    loaded = bridge.load_world_into_pybullet(scene, physicsClientId=client, quiet=True)
    constraints = map(pybullet.getConstraintUniqueId, range(pybullet.getNumConstraints()))
    return {
        "calls": plain(calls),
        "bodies": [_answers(pybullet, i) for i in range(pybullet.getNumBodies())],
        "constraints": [plain(pybullet.getConstraintInfo(i)) for i in constraints],
        "handles": [
            plain([body.name, body.links, body.joints, body.positions()]) for body in loaded
        ],
        "diagnostics": plain(loaded.diagnostics),
    }


def _traced(function: Callable[..., Any], calls: list[Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **keywords: Any) -> Any:
        name = function.__name__
        given = (
            [Path(arguments[0]).read_text(), *arguments[1:]] if name == "loadURDF" else [*arguments]
        )
        calls.append([name, given, dict(sorted(keywords.items()))])
        return function(*arguments, **keywords)

    return call


def _answers(pybullet: Any, body: int) -> dict[str, Any]:
    links = range(-1, pybullet.getNumJoints(body))
    answers = {
        "name": [part.decode() for part in pybullet.getBodyInfo(body)],
        "base": pybullet.getBasePositionAndOrientation(body),
        "visuals": pybullet.getVisualShapeData(body),
    }
    for query in QUERIES:
        first = 1 if "Joint" in query else 0
        answers[query] = [getattr(pybullet, query)(body, link) for link in links[first:]]
    return {key: _decoded(value) for key, value in answers.items()}


def _decoded(value: Any) -> Any:
    if isinstance(value, bytes):
        return relocated(value.decode(errors="replace"))
    return [*map(_decoded, value)] if isinstance(value, tuple | list) else plain(value)


def verdict(scene: Any) -> dict[str, Any]:
    """Return the rows of a quick comparison of the simulators."""
    result = bridge.compare(scene, levels=("L0", "L1"), configurations=2, quiet=True)
    return {
        "verdict": str(result.verdict),
        "agreement": str(result.agreement),
        "rows": plain(result.rows),
        "diagnostics": plain(result.diagnostics),
    }


def examined(scene: Any, stage: str) -> dict[str, Any]:
    """Return the record of a stage of a scene."""
    if stage == "scene":
        return dict(plain(scene))
    if stage in ("mjcf", "sdf", "urdf"):
        return exported(scene, stage)
    return in_pybullet(scene) if stage == "pybullet" else verdict(scene)


# --- processes ------------------------------------------------------------------------------------


def write(folder: Path, stage: str, model: str, record: Mapping[str, Any]) -> None:
    """Write the record of a stage; the file appears complete or not at all."""
    path = record_path(folder, stage, model)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".part").write_text(json.dumps(record, indent=0))
    path.with_suffix(".part").replace(path)


def record_path(folder: Path, stage: str, model: str) -> Path:
    """Return the file of the record of a stage."""
    return folder / stage / f"{model}.json"


def examine(model: Model, stages: Iterable[str], folder: Path) -> None:
    """Write the records of a model."""
    scene: Any = None
    error: dict[str, Any] = {}
    try:
        _limit_time()
        scene = loaders.load(
            model.path, paths=list(model.paths), package_map=dict(model.packages), quiet=True
        )
    except Exception as caught:  # noqa: BLE001 - an error of the code under test is a result
        error = refusal(caught)
    for stage in stages:
        _limit_time()
        write(
            folder,
            stage,
            model.name,
            error if scene is None and stage == "scene" else _result(scene, stage),
        )


def _result(scene: Any, stage: str) -> dict[str, Any]:
    if scene is None:
        return {"refused": "by the reader"}
    try:
        return examined(scene, stage)
    except Exception as caught:  # noqa: BLE001 - an error of the code under test is a result
        return refusal(caught)


def _limit_time() -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + SECONDS, resource.RLIM_INFINITY)
    )


def start(model: Model, stages: Iterable[str], folder: Path, scratch: str) -> int:
    """Examine a model in a process that works in an empty folder; return the number of the
    process.
    """
    process = os.fork()
    if process:
        return process
    failed = 1
    try:
        os.setsid()
        os.chdir(scratch)
        os.environ["TMPDIR"] = tempfile.tempdir = scratch
        silent = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(silent, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        examine(model, stages, folder)
        failed = 0
    finally:
        os._exit(failed)


def end(status: int) -> dict[str, Any]:
    """Return the record of a stage that ended its process."""
    code = os.waitstatus_to_exitcode(status)
    is_late = code in (-signal.SIGXCPU, -signal.SIGKILL)
    return (
        {"late": SECONDS}
        if is_late
        else {"crash": signal.Signals(-code).name if code < 0 else f"exit status {code}"}
    )


def record(todo: Sequence[tuple[Model, list[str]]], folder: Path, jobs: int) -> None:
    """Write the records of stages of models, several models at a time."""
    waiting, running = [*reversed(todo)], dict[int, tuple[Model, list[str], str, float]]()
    while waiting or running:
        while waiting and len(running) < jobs:
            model, stages = waiting.pop()
            scratch = tempfile.mkdtemp(prefix="outputs-")
            process = start(model, stages, folder, scratch)
            running[process] = (model, stages, scratch, time.monotonic() + PATIENCE)
        process, status = os.waitpid(-1, os.WNOHANG)
        if process:
            model, stages, scratch, _ = running.pop(process)
            shutil.rmtree(scratch, ignore_errors=True)
            rest = [
                stage for stage in stages if not record_path(folder, stage, model.name).exists()
            ]
            if rest:
                write(folder, rest[0], model.name, end(status))
            waiting += [(model, rest[1:])] if rest[1:] else []
        else:
            _end_late(running)
            time.sleep(0.005)


def _end_late(running: Mapping[int, tuple[Model, list[str], str, float]]) -> None:
    for process, (*_, latest) in running.items():
        if time.monotonic() > latest:
            os.killpg(process, signal.SIGKILL)


def warm_up() -> None:
    """Import what the stages need, so that the process of each model need not."""
    from loaders import load_string

    text = '<robot name="r"><link name="a"/></robot>'
    with tempfile.TemporaryDirectory() as scratch:
        for form in ("mjcf", "sdf", "urdf"):
            getattr(bridge, f"export_{form}")(
                load_string(text, format="urdf"), Path(scratch, form), quiet=True
            )


def main_record(options: argparse.Namespace) -> int:
    """Record what has no record yet."""
    warnings.simplefilter("ignore")
    for name in (
        "ROS_PACKAGE_PATH",
        "SDF_PATH",
        "GAZEBO_MODEL_PATH",
        "GZ_SIM_RESOURCE_PATH",
        "SOURCE_DATE_EPOCH",
    ):
        os.environ.pop(name, None)
    chosen = models(complete=options.all)
    compared = {model.name for model in chosen} if options.all else verdict_names(chosen)
    began, todo = time.monotonic(), []
    if not CORPUS.is_dir():
        print(
            f"there is no folder {CORPUS}; set SDFBRIDGE_CORPUS to that of the corpora",
            file=sys.stderr,
        )
    for model in chosen:
        stages = [stage for stage in options.stages if stage != "verdict" or model.name in compared]
        missing = [
            stage for stage in stages if not record_path(options.folder, stage, model.name).exists()
        ]
        if missing and fnmatch(model.name, options.only):
            todo.append((model, missing))
    print(f"{len(todo)} of {len(chosen)} models to examine, with the code in {ROOT}", flush=True)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["SDFBRIDGE_CACHE"] = cache
        warm_up()
        record(todo, options.folder.resolve(), options.jobs)
    print(f"done in {time.monotonic() - began:.0f} s")
    return 0


# --- comparison -----------------------------------------------------------------------------------


def differences(a: Any, b: Any, path: str = "") -> Iterator[Difference]:
    """Yield the differences of two records; the kind is the path of the value, without indices."""
    if a == b:
        return
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys((*a, *b)):
            if key in a and key in b:
                yield from differences(a[key], b[key], f"{path}.{key}".lstrip("."))
            else:
                yield _one_sided(
                    f"{path}.{key}".lstrip("."), a.get(key), b.get(key), is_before=key in a
                )
    elif isinstance(a, list) and isinstance(b, list):
        yield from _list_differences(a, b, path)
    elif isinstance(a, str) and isinstance(b, str) and "\n" in a + b:
        yield from _text_differences(a, b, path)
    else:
        yield Difference(path, f"{_short(a)} -> {_short(b)}")


def _list_differences(a: list[Any], b: list[Any], path: str) -> Iterator[Difference]:
    key = "code" if _have(a + b, "fate") else "name"
    if not _have(a + b, key):
        if len(a) != len(b):
            yield Difference(f"{path}: number of entries", f"{len(a)} -> {len(b)}")
        for one, other in zip(a, b, strict=False):
            yield from differences(one, other, f"{path}[]")
        return
    before, after = _grouped(a, b, key), _grouped(b, a, key)
    if not before and not after:
        yield Difference(
            f"{path}: order", f"{_short([e[key] for e in a])} -> {_short([e[key] for e in b])}"
        )
    for name in dict.fromkeys((*before, *after)):
        ones, others = before.get(name, []), after.get(name, [])
        entry = f"diagnostic {name}" if key == "code" else f"{path}[]"
        if path == "files":
            entry = f"files[*{Path(name).suffix}]"
        for one, other in zip(ones, others, strict=False):
            yield from differences(one, other, entry)
        common = min(len(ones), len(others))
        for extra, is_before in ((ones, True), (others, False)):
            yield from (
                _one_sided(entry, item, item, is_before=is_before) for item in extra[common:]
            )


def _have(entries: list[Any], key: str) -> bool:
    return bool(entries) and all(
        isinstance(entry, dict) and isinstance(entry.get(key), str) for entry in entries
    )


def _grouped(entries: list[Any], others: list[Any], key: str) -> dict[str, list[Any]]:
    """The entries that the other list lacks, by the value of a key."""
    known, groups = Counter(map(json.dumps, others)), defaultdict[str, list[Any]](list)
    for entry in entries:
        text = json.dumps(entry)
        known[text] -= 1
        if known[text] < 0:
            groups[entry[key]].append(entry)
    return groups


def _one_sided(kind: str, a: Any, b: Any, *, is_before: bool) -> Difference:
    value = a if is_before else b
    shown = value.get("message", value.get("name", value)) if isinstance(value, dict) else value
    return Difference(f"{kind}: only {'before' if is_before else 'after'}", _short(shown))


def _text_differences(a: str, b: str, path: str) -> Iterator[Difference]:
    """The differences of two texts by element and attribute, or by line."""
    one, other = _parts(a, b), _parts(b, a)
    if not one and not other:
        yield Difference(f"{path}: order of lines, or spaces", "")
    for tag in dict.fromkeys((*one, *other)):
        yield from _part_differences(one.get(tag, []), other.get(tag, []), f"{path} {tag}")


def _parts(text: str, other: str) -> dict[str, list[str]]:
    """The elements and lines that the other text lacks, by the tag of the element."""
    known, groups = Counter(_split(other)), defaultdict[str, list[str]](list)
    for part in _split(text):
        known[part] -= 1
        if known[part] < 0:
            match = re.match(r"<[\w:.-]+", part)
            groups[f"{match[0]}>" if match else "line"].append(part)
    return groups


def _split(text: str) -> list[str]:
    """The elements of a text with their attributes and their text, without end tags, and the other
    lines.
    """
    parts = re.findall(r"<[\w:.-][^<>]*>(?:[^<>\n]*</[\w:.-]+>)?|</[\w:.-]+>|[^<>\n]+|<", text)
    return [part.strip() for part in parts if part.strip() and not part.startswith("</")]


def _part_differences(one: list[str], other: list[str], kind: str) -> Iterator[Difference]:
    for a, b in zip(one, other, strict=False):
        before, after = (dict(re.findall(r'([\w:.-]+)="([^"]*)"', part)) for part in (a, b))
        changed = sorted(name for name in before | after if before.get(name) != after.get(name))
        shown = [] if kind.endswith(" line") else changed
        yield Difference(" ".join((kind, *shown)), f"{_short(a)} -> {_short(b)}")
    common = min(len(one), len(other))
    for parts, is_before in ((one, True), (other, False)):
        yield from (_one_sided(kind, part, part, is_before=is_before) for part in parts[common:])


def _short(value: Any) -> str:
    text = " ".join((value if isinstance(value, str) else json.dumps(value)).split())
    return text if len(text) <= 200 else f"{text[:200]}..."


def records(folder: Path, stage: str, only: str) -> dict[str, Path]:
    """Return the files of the records of a stage by model."""
    paths = {
        p.relative_to(folder / stage).as_posix()[:-5]: p
        for p in sorted((folder / stage).rglob("*.json"))
    }
    return {name: path for name, path in paths.items() if fnmatch(name, only)}


def read(path: Path) -> Any:
    """Return a record with its numbers as text, since 1, 1.0 and -0.0 are to differ, and NaN is
    not.
    """
    return json.loads(path.read_text(), parse_float=str, parse_int=str, parse_constant=str)


def outcome(entry: Mapping[str, Any]) -> str:
    """Return how a stage ended: empty if it has a result."""
    return next(
        (f"{key} {entry[key]}" for key in ("error", "refused", "crash", "late") if key in entry), ""
    )


def _of_outcome(a: Mapping[str, Any], b: Mapping[str, Any]) -> Difference:
    kind = f"outcome: {outcome(a) or 'a result'} -> {outcome(b) or 'a result'}"
    return Difference(kind, _short(b.get("text") or a.get("text") or ""))


def compared(
    before: Mapping[str, Path], after: Mapping[str, Path], shown: int
) -> tuple[list[str], bool]:
    """Return the lines about a stage, and whether there is a difference."""
    found: dict[str, list[str]] = defaultdict(list)
    models_of: dict[str, set[str]] = defaultdict(set)
    differing, common = 0, [name for name in before if name in after]
    for name in common:
        if before[name].read_bytes() == after[name].read_bytes():
            continue
        a, b = read(before[name]), read(after[name])
        entries = [*(differences(a, b) if outcome(a) == outcome(b) else [_of_outcome(a, b)])]
        differing += bool(entries)
        for entry in entries:
            found[entry.kind].append(f"{name}: {entry.example}")
            models_of[entry.kind].add(name)
    counts = f"{len(common) - differing} of {len(common)} models equal, {differing} differ"
    lines = [
        f"{counts}, {len(before) - len(common)} only before, {len(after) - len(common)} only after"
    ]
    for kind in sorted(found, key=lambda kind: -len(models_of[kind])):
        lines.append(f"  {kind}: {len(found[kind])} times in {len(models_of[kind])} models")
        lines += [f"      {example}" for example in found[kind][:shown]]
    return lines, bool(differing)


def main_compare(options: argparse.Namespace) -> int:
    """Print what differs; return the exit status."""
    is_different, is_empty = False, True
    for stage in options.stages:
        before, after = (
            records(folder, stage, options.only) for folder in (options.before, options.after)
        )
        if before and after:
            lines, differs = compared(before, after, options.examples)
            print("\n".join([f"{stage}: {lines[0]}", *lines[1:]]), flush=True)
            is_different, is_empty = (
                is_different or differs,
                is_empty and not before.keys() & after.keys(),
            )
    if is_empty:
        print("there is nothing to compare: no stage has records of a model in both folders")
    return 2 if is_empty else int(is_different)


def _stages(text: str) -> list[str]:
    unknown = [stage for stage in text.split(",") if stage not in STAGES]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"unknown stage {unknown[0]!r}; expected some of {', '.join(STAGES)}"
        )
    return text.split(",")


def main(arguments: Sequence[str] | None = None) -> int:
    """Record or compare; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    recorder = commands.add_parser("record", help="write the records that are missing")
    recorder.add_argument("folder", type=Path)
    recorder.add_argument("--jobs", type=int, default=1, help="number of models at a time")
    recorder.add_argument("--all", action="store_true", help="take every model, not a sample")
    recorder.set_defaults(run=main_record)
    comparer = commands.add_parser("compare", help="say what differs")
    comparer.add_argument("before", type=Path)
    comparer.add_argument("after", type=Path)
    comparer.add_argument("--examples", type=int, default=1, help="number of examples of each kind")
    comparer.set_defaults(run=main_compare)
    for command, default in ((recorder, STAGES[:-1]), (comparer, STAGES)):
        command.add_argument("--only", default="*", metavar="GLOB", help="names of models")
        command.add_argument(
            "--stages", type=_stages, default=[*default], help=f"some of {','.join(STAGES)}"
        )
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except BrokenPipeError:  # the reader of the output ended, such as head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
