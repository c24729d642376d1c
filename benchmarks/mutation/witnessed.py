"""Mutation of the shared core: change reading, lowering or the mechanism in one place, and see whether
`compare` with a foreign witness notices.

python -m benchmarks.mutation.witnessed [--seed N] [--count N] [--folder FOLDER]

The reading of a file and its lowering are shared by all engines and by the reference, so that only
an engine that reads the file by itself sees a fault there: Drake for SDFormat and URDF, MuJoCo's own
compiler for MJCF. The changes are a seeded sample of the lines that the models execute, and of those
the ones that act: after which the scene or the mechanism of a model has other numbers. Results go to
``FOLDER/results.jsonl``; a run that was interrupted continues where it ended. The exit status is 1 if
less than 95 % of the changes that act are seen.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.mutation.__main__ import _copied, _known, _mutants_of, _restore
from benchmarks.mutation.mutants import Mutant

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
TIMEOUT = 600
"""Time limit of one stage [s]; one that takes longer counts as noticed."""
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


def main(seed: int, count: int, folder: Path) -> int:
    """Run the sample, and return 1 if too few are seen."""
    copy = _copied(folder)
    _restore(folder, copy)
    baseline = _baseline(copy, folder)
    results, known = folder / "results.jsonl", _known(folder / "results.jsonl")
    acting = 0
    for mutant in _sample(copy, baseline["lines"], seed):
        if mutant.key not in known:
            outcome = _judged(mutant, copy, folder, baseline)
            known[mutant.key] = {"mutant": mutant.key, "outcome": outcome}
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(known[mutant.key]) + "\n")
            print(f"{outcome}: {mutant.key}", flush=True)
        acting += known[mutant.key]["outcome"] != _IDLE
        if acting >= count:
            break
    unseen = [key for key, entry in known.items() if entry["outcome"] == _UNSEEN]
    print(f"{acting - len(unseen)} of {acting} seen; not seen:", *unseen, sep="\n")
    return int(acting - len(unseen) < SEEN * acting)


_IDLE, _UNSEEN = "changes nothing", "not seen"


def _sample(copy: Path, executed: Mapping[str, list[int]], seed: int) -> Iterator[Mutant]:
    """Yield the changes of executed lines in a random order."""
    found = [
        mutant
        for path, lines in sorted(executed.items())
        for mutant in _mutants_of(copy / path, copy)
        if mutant.line in set(lines)
    ]
    random.Random(seed).shuffle(found)
    yield from found


def _judged(mutant: Mutant, copy: Path, folder: Path, baseline: Mapping[str, Any]) -> str:
    path = copy / mutant.path
    original = path.read_bytes()
    (folder / "original.json").write_text(
        json.dumps([mutant.path, original.decode()]), encoding="utf-8"
    )
    try:
        path.write_bytes(mutant.apply(original))
        numbers = _child("numbers", copy, folder)
        if numbers is None:
            return "refused"
        changed = [name for name, text in baseline["numbers"].items() if numbers.get(name) != text]
        if not changed:
            return _IDLE
        for level in ("L0,L1", "L2"):
            rows = _child(f"rows {level}", copy, folder, *changed)
            if rows is None:
                return "refused"
            new = set(map(tuple, rows)) - set(map(tuple, baseline[level]))
            if new:
                return f"seen by {', '.join(min(new)[1:])}"
        return _UNSEEN
    finally:
        _restore(folder, copy)


def _baseline(copy: Path, folder: Path) -> dict[str, Any]:
    """Return the executed lines by module, the numbers by model, and the rows that fail without a
    change.
    """
    kept = folder / "baseline.json"
    if not kept.exists():
        found = {
            "lines": _child("lines", copy, folder),
            "numbers": _child("numbers", copy, folder),
            **{level: _child(f"rows {level}", copy, folder) for level in ("L0,L1", "L2")},
        }
        if None in found.values():
            raise SystemExit("the models cannot be compared without a change")
        kept.write_text(json.dumps(found), encoding="utf-8")
    loaded: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return loaded


def _child(stage: str, copy: Path, folder: Path, *models: str) -> Any:
    """Return the answer of a process in the copy; None if it fails or takes too long."""
    answer = folder / "answer.json"
    answer.unlink(missing_ok=True)
    words = [sys.executable, "-m", "benchmarks.mutation.witnessed", "--child", stage, str(answer)]
    try:
        subprocess.run(
            [*words, *models],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else None


# --- in the copy ----------------------------------------------------------------------------------


def _files() -> dict[str, Path]:
    """Return the models by name."""
    own = Path("own_models")
    own.mkdir(exist_ok=True)
    for name, text in (("own.sdf", _SDF), ("own.urdf", _URDF)):
        (own / name).write_text(text, encoding="utf-8")
    folder = Path("tests/loaders/mjcf/models")
    paths = [*(Path("assets") / name for name in _ASSETS), own / "own.sdf", own / "own.urdf"]
    paths += [folder / f"{name}.xml" for name in _MJCF]
    return {str(path): path for path in paths}


def _numbers(path: Path) -> str:
    """Return a digest of the scene and of the mechanism of a model."""
    import numpy as np

    import bridge
    import loaders
    from bridge.parity.states import random_states

    scene = loaders.load(path, quiet=True)
    mechanism = bridge.lower(scene)
    stated = {key: value for key, value in scene.to_dict().items() if key != "diagnostics"}
    found = [json.dumps(stated, sort_keys=True, default=str)]
    for q, v in random_states(mechanism, 2, 0):
        poses = mechanism.link_poses(q)
        arrays = [np.array(pose.to_vector()) for pose in poses.values()]
        arrays += [mechanism.mass_matrix(q).ravel(), mechanism.bias_forces(q, v)]
        found += [np.array2string(each, precision=7, threshold=10**6) for each in arrays]
    pairs = sorted(sorted(pair) for pair in mechanism.collidable_pairs())
    return hashlib.sha256(
        "".join([*found, str(pairs), str(mechanism.couplings)]).encode()
    ).hexdigest()


def _rows(path: Path, levels: str) -> list[list[str]]:
    """Return model, witness and quantity of each row of a witness that fails."""
    from bridge.parity import compare

    witness = "mujoco-native" if path.suffix == ".xml" else "drake"
    found = compare(path, ("mujoco", witness), levels=levels.split(","), configurations=2)
    failed = [row for row in found.failures if witness in row.engines]
    return [[str(path), witness, row.quantity] for row in failed]


def _lines() -> dict[str, list[int]]:
    """Return the lines of the shared core that the models execute, by module."""
    import coverage

    measured = coverage.Coverage(data_file=None, include=[f"{os.getcwd()}/*"])
    measured.start()
    for path in _files().values():
        _numbers(path)
    measured.stop()
    data = measured.get_data()
    found = {}
    for name in sorted(data.measured_files()):
        path = os.path.relpath(name)
        if path.startswith(SHARED):
            found[path] = sorted(data.lines(name) or ())
    return found


def _answered(stage: str, names: list[str]) -> Any:
    files = {name: path for name, path in _files().items() if not names or name in names}
    if stage == "lines":
        return _lines()
    if stage == "numbers":
        return {name: _numbers(path) for name, path in files.items()}
    return [row for path in files.values() for row in _rows(path, stage.removeprefix("rows "))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200, help="number of changes that act")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/sdfbridge-witnessed"))
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        stage, answer, *names = options.child
        Path(answer).write_text(json.dumps(_answered(stage, names)), encoding="utf-8")
        sys.exit(0)
    sys.exit(main(options.seed, options.count, options.folder.absolute()))
