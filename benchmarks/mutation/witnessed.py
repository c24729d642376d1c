"""Mutation of the shared core: change reading, lowering or the mechanism in one place, and see whether
`compare` with a foreign witness notices.

python -m benchmarks.mutation.witnessed [--seed N] [--count N] [--folder FOLDER]

The reading of a file and its lowering are shared by all engines and by the reference, so that only
an engine that reads the file by itself sees a fault there: Drake for SDFormat and URDF, MuJoCo's own
compiler for MJCF. The changes are a seeded sample of the lines that the models execute. Each is made
in the code of a forked process, on up to `MODELS` models that execute the line. Those count after
which a number that the scene or the mechanism of a model holds differs by more than `TOLERANCE`, in
the same states, or a name or choice differs. Of an MJCF file, the settings that a scene keeps for
MuJoCo count by the numbers that MuJoCo compiles from them, not as text, so that a default written out
is no change. What moves, touches and pushes nothing does not count: `IDLE_FIELDS`, axes of
joints that do not move, and whether a hinge without limits is called continuous. A change with which a model is refused says so by
itself, and does not count either. Changes of nothing but the fields that Drake's parser reads over
(`UNREAD` of its adapter, and `NOT_IN_DRAKE`), and of the canonical link of a model of URDF or MJCF,
which have none, are counted apart: no foreign witness has them.
Results go to ``FOLDER/results.jsonl``; a run that was interrupted continues where it ended. The exit
status is 1 if less than 95 % of the changes that count are seen.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import pickle
import random
import re
import select
import signal
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import bridge
import loaders
from benchmarks.mutation.__main__ import _known, _mutants_of
from benchmarks.mutation.mutants import Mutant
from bridge.parity import compare
from bridge.parity.engines.drake.engine import UNREAD
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states
from loaders.model import JointType
from loaders.pose import Pose

ROOT = Path(__file__).parents[2]
SHARED = (
    "loaders/sdf",
    "loaders/urdf",
    "loaders/mjcf",
    "loaders/drake",
    "loaders/finish",
    "loaders/pose.py",
    "loaders/inertia.py",
    "bridge/lowering",
    "bridge/mechanism",
)
"""Folders and modules of the shared core."""
SEEN = 0.95
"""Least part of the changes that act and that a witness must see."""
TIMEOUT = 60
"""Time limit of one change [s]; one that takes longer counts as refused."""
TOLERANCE = 1e-9
"""Difference of a number, relative to it if it is larger than one, up to which it is rounding."""
IDLE_FIELDS = frozenset({
    "where", "diagnostics", "Scene.name", "Scene.source", "Scene.lights", "Scene.magnetic_field",
    "Scene.spherical_coordinates", "Link.sensors", "Joint.sensors", "Joint.provide_feedback",
    "Visual.material", "Visual.transparency", "Visual.cast_shadows", "Visual.roles",
    "Visual.renderers", "Model.placement_frame", "Actuator.interfaces",
})  # fmt: skip
"""Fields of sensors, lights and looks, and of how a file states what other fields hold."""
NOT_IN_DRAKE = {
    *("Scene.gravity", "Scene.physics", "Scene.wind", "Scene.keyframes"),
    *("Scene.friction_rule", "Scene.collision_policy"),
} | {
    f"{kind.__name__}.{name}" for kind, names in UNREAD.items() for name in " ".join(names).split()
}
"""Fields that Drake's parser reads over, conventions that no file states, and gravity, which Drake is
given as the scene has it."""
MODELS = 3
"""Largest number of models on which a change is tried."""
_ASSETS = ("arm/model.sdf", "leg.sdf", "gripper/model.sdf", "double_pendulum.urdf")
_MJCF = [
    "classes",
    "frames",
    "equalities",
    "springs",
    "inertia_compiler",
    "inertiafromgeom",
    "refs_gear",
    "contacts",
    "static_tree",
    "names",
]
_SDF = """<sdf version="1.11"><model name="m"><pose>.1 .2 .3 .4 .5 .6</pose>
<frame name="f" attached_to="a"><pose>.1 0 .2 0 .3 0</pose></frame>
<link name="a"><pose>0 0 1 .1 0 0</pose><inertial><pose>.01 .02 .03 .1 .2 .3</pose><mass>2</mass><inertia>
<ixx>.02</ixx><iyy>.03</iyy><izz>.04</izz><ixy>.001</ixy><ixz>.002</ixz><iyz>.003</iyz></inertia></inertial>
<collision name="c"><pose>.1 0 0 0 .2 0</pose><geometry><box><size>.1 .2 .3</size></box></geometry></collision></link>
<link name="b"><pose relative_to="f">.2 .1 0 .3 0 .1</pose><inertial><mass>1</mass></inertial></link>
<link name="c"><pose relative_to="b">.3 0 0 0 0 .4</pose><inertial auto="true"/><collision name="c"><density>900</density>
<geometry><cylinder><radius>.05</radius><length>.2</length></cylinder></geometry></collision></link>
<link name="d"><pose relative_to="c">.3 0 0 0 0 .4</pose><inertial><mass>.5</mass></inertial></link>
<joint name="j" type="revolute"><pose relative_to="f">0 .1 0 .2 0 0</pose><parent>a</parent><child>b</child>
<axis><xyz expressed_in="a">.1 .2 1</xyz><limit><lower>-1</lower><upper>2</upper><effort>7</effort>
<velocity>3</velocity></limit><dynamics><damping>.2</damping><spring_stiffness>4</spring_stiffness>
<spring_reference>.1</spring_reference></dynamics></axis></joint>
<joint name="k" type="universal"><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz><dynamics>
<damping>.1</damping></dynamics></axis><axis2><xyz>0 1 0</xyz><dynamics><damping>.1</damping></dynamics></axis2></joint>
<joint name="s" type="prismatic"><parent>c</parent><child>d</child><axis><xyz>0 .6 .8</xyz>
<limit><lower>-.1</lower><upper>.2</upper></limit></axis></joint></model></sdf>"""
_URDF = """<robot name="r"><link name="base"><inertial><origin xyz=".1 0 .2" rpy=".1 .2 .3"/><mass value="3"/>
<inertia ixx=".03" iyy=".04" izz=".05" ixy=".001" ixz=".002" iyz=".003"/></inertial></link>
<link name="a"><inertial><mass value="1"/><inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz=".1 0 0" rpy="0 .3 0"/><geometry><cylinder radius=".05" length=".3"/></geometry></collision></link>
<link name="b"><inertial><origin xyz="0 .1 0"/><mass value=".7"/>
<inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><origin xyz=".1 .2 .3" rpy=".3 .2 .1"/><parent link="base"/><child link="a"/>
<axis xyz="0 .6 .8"/><limit lower="-1" upper="2" effort="5" velocity="4"/><dynamics damping=".3"/></joint>
<joint name="k" type="prismatic"><origin xyz="0 .2 0" rpy="0 1 0"/><parent link="a"/><child link="b"/>
<axis xyz="1 0 0"/><limit lower="-.1" upper=".2" effort="5" velocity="4"/>
<mimic joint="j" multiplier=".1" offset=".02"/></joint></robot>"""


_IDLE, _REFUSED, _UNSEEN = "changes nothing", "refused", "not seen"
_UNREAD = "not read by a witness"
_LEVELS = ("L0", "L1"), ("L2",)
_IMPORTED = (
    "mujoco", "trimesh", "scipy.spatial", "pydrake.geometry", "pydrake.multibody.parsing",
    "pydrake.multibody.plant", "pydrake.multibody.tree", "pydrake.systems.analysis", "loaders.sdf",
    "loaders.sdf.reader", "loaders.urdf.reader", "loaders.mjcf.reader", "loaders.finish.finish",
    "bridge.targets.mjcf", "bridge.parity.engines.drake.engine",
    "bridge.parity.engines.mujoco.engine", "bridge.parity.engines.mujoco.native",
)  # fmt: skip
"""What loading and comparing import; nothing is loaded before a fork, so that no cache is filled."""


def main(seed: int, count: int, folder: Path) -> int:
    """Run the sample, and return 1 if too few are seen."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in _IMPORTED:  # once, before the processes are forked
        importlib.import_module(name)
    results, known = folder / "results.jsonl", _known(folder / "results.jsonl")
    files = _files(folder)
    baseline = {name: _forked(partial(_measured, path)) for name, path in files.items()}
    failing: dict[tuple[str, tuple[str, ...]], set[tuple[str, ...]]] = {}
    acting = 0
    for mutant in _sample({name: found["lines"] for name, found in baseline.items()}, seed):
        if mutant.key not in known:
            names = _executing(mutant, baseline)[:MODELS]
            used = {name: (files[name], baseline[name]) for name in names}
            outcome = _judged(mutant, used, failing)
            known[mutant.key] = {"mutant": mutant.key, "outcome": outcome}
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(known[mutant.key]) + "\n")
            print(f"{outcome}: {mutant.key}", flush=True)
        acting += known[mutant.key]["outcome"] not in (_IDLE, _REFUSED, _UNREAD)
        if acting >= count:
            break
    unseen = [key for key, entry in known.items() if entry["outcome"] == _UNSEEN]
    print(f"{acting - len(unseen)} of {acting} seen; not seen:", *unseen, sep="\n")
    return int(acting - len(unseen) < SEEN * acting)


def _sample(executed: Mapping[str, Mapping[str, set[int]]], seed: int) -> Iterator[Mutant]:
    """Yield the changes of lines that a model executes in a random order."""
    lines: dict[str, set[int]] = {}
    for by_module in executed.values():
        for path, found in by_module.items():
            lines.setdefault(path, set()).update(found)
    mutants = [
        mutant
        for path in sorted(lines)
        for mutant in _mutants_of(ROOT / path, ROOT)
        if mutant.line in lines[path]
    ]
    random.Random(seed).shuffle(mutants)
    yield from mutants


def _executing(mutant: Mutant, baseline: Mapping[str, Any]) -> list[str]:
    """Return the models that execute the line of a change, one of each format first."""
    names = [
        n for n, found in baseline.items() if mutant.line in found["lines"].get(mutant.path, ())
    ]
    first = {Path(name).suffix: name for name in reversed(names)}.values()
    return [*first, *(name for name in names if name not in first)]


def _judged(
    mutant: Mutant,
    models: Mapping[str, tuple[Path, Mapping[str, Any]]],
    failing: dict[tuple[str, tuple[str, ...]], set[tuple[str, ...]]],
) -> str:
    """Return the outcome of a change: it is made in a process that first looks for a model with
    other numbers, and then for a row of a witness that fails.
    """

    def changed() -> dict[str, set[str]] | None:
        _patch(mutant)
        try:
            return {
                name: _differing(_numbers(path, found["states"]), found["numbers"])
                for name, (path, found) in models.items()
            }
        except Exception:  # noqa: BLE001 - any error is a refusal
            return None

    places = _forked(changed)
    if places is None or not any(places.values()):
        return _REFUSED if places is None else _IDLE
    names = [name for name, found in places.items() if not all(map(_is_unread(name), found))]
    if not names:
        return _UNREAD
    for levels in _LEVELS:
        for name in names:
            path = models[name][0]
            if (name, levels) not in failing:
                failing[name, levels] = _forked(partial(_rows, path, levels)) or set()
            rows = _forked(partial(_rows, path, levels, mutant))
            if rows is None:
                return _REFUSED
            new = rows - failing[name, levels]
            if new:
                return f"seen by {', '.join(min(new))}"
    return _UNSEEN


def _patch(mutant: Mutant) -> None:
    """Give the functions of the changed module their changed code."""
    path = ROOT / mutant.path
    source = mutant.apply(path.read_bytes())
    codes: dict[tuple[str, int], types.CodeType] = {}
    stack = [compile(source, str(path), "exec")]
    while stack:
        code = stack.pop()
        codes[code.co_qualname, code.co_firstlineno] = code
        stack += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    for function in gc.get_objects():
        if isinstance(function, types.FunctionType):
            old = function.__code__
            new = codes.get((old.co_qualname, old.co_firstlineno))
            if new is not None and os.path.realpath(old.co_filename) == str(path.resolve()):
                function.__code__ = new


def _forked(function: Callable[[], Any]) -> Any:
    """Return the result of a function in a forked process; None if it fails or takes too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        with open(os.devnull, "wb") as sink:
            os.dup2(sink.fileno(), 1)
            os.dup2(sink.fileno(), 2)
        try:
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(function(), pipe)
        finally:
            os._exit(0)
    os.close(writing)
    parts = []
    with os.fdopen(reading, "rb") as pipe:
        while select.select([pipe], [], [], TIMEOUT)[0]:
            part = os.read(pipe.fileno(), 1 << 16)
            if not part:
                break
            parts.append(part)
        else:
            parts.clear()
            os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return pickle.loads(b"".join(parts)) if parts else None


# --- in a forked process --------------------------------------------------------------------------


def _files(folder: Path) -> dict[str, Path]:
    """Return the models by name, small ones first."""
    own = {"own.sdf": _SDF, "own.urdf": _URDF}
    for name, text in own.items():
        (folder / name).write_text(text, encoding="utf-8")
    given = [Path("tests/loaders/mjcf/models") / f"{name}.xml" for name in _MJCF]
    given += [Path("assets") / name for name in _ASSETS]
    return {name: folder / name for name in own} | {str(path): ROOT / path for path in given}


def _measured(path: Path) -> dict[str, Any]:
    """Return the states of a model, its digest, and the lines of the shared core that it executes,
    by module.
    """
    import coverage

    measured = coverage.Coverage(data_file=None, include=[f"{ROOT}/*"])
    measured.start()
    mechanism = bridge.lower(loaders.load(path, quiet=True))
    states = random_states(mechanism, 2, 0)
    numbers = _numbers(path, states)
    measured.stop()
    data = measured.get_data()
    lines = {
        name: set(data.lines(str(ROOT / name)) or ())
        for name in (os.path.relpath(each, ROOT) for each in data.measured_files())
        if name.startswith(SHARED)
    }
    return {"states": states, "numbers": numbers, "lines": lines}


def _numbers(path: Path, states: Sequence[Any]) -> dict[str, Any]:
    """Return the numbers, names and choices of the scene and of the mechanism of a model in some
    states, by place.
    """
    scene = loaders.load(path, quiet=True)
    mechanism = bridge.lower(scene)
    reference = ReferenceEngine(mechanism)
    moving = []
    for q, v in states:
        reference.set_state(q, v)
        moving += [reference.link_poses(), reference.mass_matrix(), reference.bias_forces()]
        moving += [reference.violations()]
    held = [
        scene,
        moving,
        {body.name: [each.limits for each in body.primitives] for body in mechanism.bodies},
        sorted(sorted(pair) for pair in mechanism.collidable_pairs()),
        mechanism.couplings,
        mechanism.actuators,
        [(each.joint.name, each.parent, each.child) for each in mechanism.closures],
        mechanism.constraints,
        mechanism.force_elements,
    ]
    if path.suffix != ".xml":
        return dict(_leaves("", held))
    model = bridge.to_mjspec(mechanism).compile()
    leaves = dict(_leaves("", [*held, _arrays(model), _arrays(model.opt)]))
    return {place: each for place, each in leaves.items() if not _TEXT.search(place)}


_TEXT = re.compile(r"\.engine_settings/|\.engine_elements/")
"""Places of the settings that MuJoCo compiles."""
_LOOKS = re.compile(
    "_|actuator_ctrlspec|cam|light|mat_|tex|vis|skin|sensor|geom_rgba|site_rgba|names|text|n[a-z]+$"
)
"""Arrays of a compiled model for sensors, lights, looks and sizes, and what the one control of a
fixed gain is called."""


def _arrays(compiled: Any) -> dict[str, Any]:
    """Return the numbers of a compiled model that act."""
    values = {name: getattr(compiled, name) for name in dir(compiled) if not _LOOKS.match(name)}
    kinds = (np.ndarray, int, float)
    return {name: each for name, each in values.items() if isinstance(each, kinds)}


def _leaves(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the numbers, names and choices of a value by place, poses by matrix and position."""
    if isinstance(value, Pose):
        yield from (*_leaves(f"{place}/R", value.R), *_leaves(f"{place}/p", value.p))
    elif isinstance(value, np.ndarray):
        yield place, value.tolist()
    elif is_dataclass(value):
        kind = type(value).__name__
        names = [f"{kind}.{field.name}" for field in fields(value) if field.name not in IDLE_FIELDS]
        idle = IDLE_FIELDS | ({"Joint.axes"} if getattr(value, "type", "") == "fixed" else set())
        for name in names:
            if name not in idle:
                yield from _leaves(f"{place}/{name}", getattr(value, name.partition(".")[2]))
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaves(f"{place}/{key}", each)
    elif isinstance(value, list | tuple):
        yield f"{place}/length", len(value)
        for k, each in enumerate(value):
            yield from _leaves(f"{place}/{k}", each)
    else:
        yield place, JointType.REVOLUTE if value is JointType.CONTINUOUS else value


def _differing(one: Mapping[str, Any], two: Mapping[str, Any]) -> set[str]:
    """Return the places with other values."""
    return {
        place
        for place in one.keys() | two.keys()
        if place not in one or place not in two or _is_other(one[place], two[place])
    }


def _is_other(one: Any, two: Any) -> bool:
    if isinstance(one, float | list) and isinstance(two, float | list):
        x, y = np.asarray(one, dtype=float), np.asarray(two, dtype=float)
        same = x.shape == y.shape and np.allclose(x, y, rtol=TOLERANCE, atol=TOLERANCE)
        return not same
    return bool(one != two)


def _is_unread(model: str) -> Callable[[str], bool]:
    """Return whether no witness of a model reads a place."""
    left_out = set() if model.endswith(".xml") else set(NOT_IN_DRAKE)
    if not model.endswith(".sdf"):
        left_out.add("Model.canonical_link")
    return lambda place: not left_out.isdisjoint(place.split("/"))


def _rows(path: Path, levels: Sequence[str], mutant: Mutant | None = None) -> set[tuple[str, ...]]:
    """Return model, witness and quantity of each row of a witness that fails, after a change."""
    if mutant is not None:
        _patch(mutant)
    witness = "mujoco-native" if path.suffix == ".xml" else "drake"
    found = compare(path, ("mujoco", witness), levels=levels, configurations=2)
    failed = [row for row in found.failures if witness in row.engines]
    return {(path.name, witness, row.quantity) for row in failed}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200, help="number of changes that count")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/sdfbridge-witnessed"))
    options = parser.parse_args()
    sys.exit(main(options.seed, options.count, options.folder.absolute()))
