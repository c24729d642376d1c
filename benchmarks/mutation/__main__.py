"""Mutation testing: change the source in one place, and see whether the tests of its package
notice.

python -m benchmarks.mutation [--seed N] [--count N] [--folder FOLDER] [--own-folder] [--again]
[--tests FILE ...]

The changes are a seeded sample of lowering, dynamics, exporters and loaders. The tests run in a
copy of the repository. Results go to ``FOLDER/results.jsonl``; a run that was interrupted continues
where it ended. Only tests that execute the changed line run, those in the folder of the module
first. With ``--again`` the files of tests that were added or edited since are copied, and the
survivors are tried on those that pass without a change of the source; with ``--tests`` they are
tried on other files of tests, which takes less time than to measure all tests of a package. With
``--own-folder`` only the tests in the folder of the changed module run, which is faster; a run
without this option then tries the survivors on all tests. The exit status is 1 if more than 5 %
survive.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from benchmarks.mutation.measured_tests import MeasuredTests, own_tests, run
from benchmarks.mutation.mutants import Mutant, mutants

ROOT = Path(__file__).parents[2]
SHARES: Mapping[str, int] = {
    "bridge/lowering": 20,
    "bridge/mechanism": 20,
    "bridge/targets/mjcf": 10,
    "bridge/targets/pybullet": 10,
    "bridge/targets/sdf": 5,
    "bridge/targets/urdf": 5,
    "loaders": 30,
}
"""Percentage of the sample in each package."""
SURVIVORS = 0.05
"""Largest fraction of mutants that may survive."""

_ORIGINAL = "original.json"
"""File with the name and the content of the file of the copy that is changed at the moment."""
_OPEN = "open"
"""Outcome of a mutant that survived the tests in the folder of its module and was not tried on
other tests.
"""


def main(
    seed: int, count: int, folder: Path, *, again: bool, own_folder: bool, tests: Sequence[str] = ()
) -> int:
    """Run the sample and return whether more survived than the limit."""
    copy = _copied(folder)
    _restore(folder, copy)
    results = folder / "results.jsonl"
    known = _known(results)
    more = [*(_copied_tests(copy) if again else []), *tests]
    chosen = sample(copy, seed, count)
    for mutant in chosen:
        outcome = _outcome(known, mutant)
        if own_folder and not outcome:
            known[mutant.key] = _judged(mutant, copy, folder, [own_tests(mutant)])
            known[mutant.key]["outcome"] = str(known[mutant.key]["outcome"]).replace(
                "survived", _OPEN
            )
        elif more and outcome in {"survived", _OPEN}:
            known[mutant.key] = _judged(mutant, copy, folder, more)
        elif not more and not own_folder and outcome in {"", _OPEN}:
            known[mutant.key] = _judged(mutant, copy, folder, None)
        else:
            continue
        if _outcome(known, mutant) != outcome:
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(known[mutant.key]) + "\n")
            print(f"{_outcome(known, mutant):9} {mutant.key}", flush=True)
    survivors = [mutant.key for mutant in chosen if _outcome(known, mutant) in {"survived", _OPEN}]
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} killed; survivors:")
    print("\n".join(survivors))
    return len(survivors) > SURVIVORS * len(chosen)


def _known(results: Path) -> dict[str, dict[str, object]]:
    if not results.exists():
        return {}
    return {
        entry["mutant"]: entry
        for entry in map(json.loads, results.read_text(encoding="utf-8").splitlines())
    }


def _outcome(known: Mapping[str, Mapping[str, object]], mutant: Mutant) -> str:
    return str(known.get(mutant.key, {}).get("outcome", ""))


def sample(root: Path, seed: int, count: int) -> list[Mutant]:
    """Return a random sample of all mutants, with the `SHARES` of each package.

    Args:
        root: The repository.
        seed: Seed of the sample.
        count: Number of mutants.
    """
    rng, chosen = random.Random(seed), []
    for package, share in SHARES.items():
        found = [
            m for path in sorted((root / package).rglob("*.py")) for m in _mutants_of(path, root)
        ]
        chosen += rng.sample(found, min(len(found), round(share * count / 100)))
    return chosen


def _mutants_of(path: Path, root: Path) -> list[Mutant]:
    return list(mutants(str(path.relative_to(root)), path.read_text(encoding="utf-8")))


def _listed(*arguments: str) -> list[str]:
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *arguments]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, check=True, text=True)
    return [name for name in done.stdout.split("\0") if name]


def _copied(folder: Path) -> Path:
    """Copy the files of the repository, unless an earlier run did."""
    copy = folder / "copy"
    if not copy.exists():
        for name in _listed():
            _copy_file(name, copy)
    return copy


def _copy_file(name: str, copy: Path) -> None:
    target = copy / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes((ROOT / name).read_bytes())


def _copied_tests(copy: Path) -> list[str]:
    """Copy the test files that were added or edited since the last copy, and return their names."""
    names = _listed("tests")
    edited = [
        n
        for n in names
        if not (copy / n).exists() or (copy / n).read_bytes() != (ROOT / n).read_bytes()
    ]
    for name in edited:
        _copy_file(name, copy)
    tests = [name for name in edited if Path(name).name.startswith("test_")]
    return [name for name in tests if run([name], copy, copy.parent) == "survived"]


def _judged(
    mutant: Mutant, copy: Path, folder: Path, files: Sequence[str] | None
) -> dict[str, object]:
    """Judge a mutant by the tests that execute it, or by some tests of its package."""
    begin, path, package = time.perf_counter(), copy / mutant.path, _package(mutant.path)
    if files is None:
        tests = _measured(package, copy, folder).of(mutant)
    else:
        tests = [
            file
            for file in files
            if f"{file}/".startswith(f"tests/{package}/") and (copy / file).exists()
        ]
    original = path.read_bytes()
    (folder / _ORIGINAL).write_text(json.dumps([mutant.path, original.decode()]), encoding="utf-8")
    try:
        path.write_bytes(mutant.apply(original))
        outcome = run(tests, copy, folder)
    finally:
        _restore(folder, copy)
    seconds = round(time.perf_counter() - begin)
    return {"mutant": mutant.key, "outcome": outcome, "seconds": seconds, "tests": len(tests)}


def _restore(folder: Path, copy: Path) -> None:
    """Undo the change of the copy, if there is one: a run that was ended may have left its last
    mutant.
    """
    kept = folder / _ORIGINAL
    if kept.exists():
        path, original = json.loads(kept.read_text(encoding="utf-8"))
        (copy / path).write_bytes(original.encode())
        kept.unlink()


@cache
def _measured(package: str, copy: Path, folder: Path) -> MeasuredTests:
    return MeasuredTests(package, copy, folder)


def _package(path: str) -> str:
    return next(package for package in SHARES if path.startswith(f"{package}/"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/sdfbridge-mutation"))
    parser.add_argument(
        "--again", action="store_true", help="try the survivors on the tests that were edited since"
    )
    parser.add_argument(
        "--own-folder",
        action="store_true",
        help="run only the tests in the folder of the changed module",
    )
    parser.add_argument(
        "--tests", nargs="+", default=(), metavar="FILE", help="try the survivors on these files"
    )
    options = parser.parse_args()
    folder = options.folder.absolute()
    sys.exit(
        main(
            options.seed,
            options.count,
            folder,
            again=options.again,
            own_folder=options.own_folder,
            tests=options.tests,
        )
    )
