"""Mutation testing: change the source in one place, and see whether the tests of its package notice.

python -m benchmarks.mutation [--seed N] [--count N] [--folder FOLDER]

The changes are a seeded sample of lowering, dynamics, exporters and loaders. The tests run in a copy of the repository.
Results go to ``FOLDER/results.jsonl``; a run that was interrupted continues where it ended. Only tests that execute the
changed line run, those of the module's own test file first. The exit status is 1 if more than 5 % survive.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from .mutants import Mutant, mutants

ROOT = Path(__file__).parents[2]
SHARES: Mapping[str, int] = {
    "bridge/lowering": 20, "bridge/mechanism": 20, "bridge/mjcf": 10, "bridge/bullet": 10, "bridge/sdf": 5,
    "bridge/urdf": 5, "loaders": 30,
}  # fmt: skip
"""Percentage of the sample in each package."""
TIMEOUT = 600
"""Time limit of the tests of one mutant [s]; one that takes longer counts as noticed."""
MAX_TESTS = 400
"""Largest number of tests that are named on a command line; beyond it the whole folder runs."""
SURVIVORS = 0.05
"""Largest fraction of mutants that may survive."""


def main(seed: int, count: int, folder: Path) -> int:
    """Run the sample and return the number of survivors beyond the limit."""
    copy = _copied(folder)
    results, known = folder / "results.jsonl", {}
    if results.exists():
        known = {entry["mutant"]: entry for entry in map(json.loads, results.read_text().splitlines())}
    chosen = sample(copy, seed, count)
    for mutant in chosen:
        if mutant.key not in known:
            known[mutant.key] = _judged(mutant, copy, folder)
            with results.open("a") as file:
                file.write(json.dumps(known[mutant.key]) + "\n")
            print(f"{known[mutant.key]['outcome']:9} {mutant.key}", flush=True)
    survivors = [mutant.key for mutant in chosen if known[mutant.key]["outcome"] == "survived"]
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} killed; survivors:")
    print("\n".join(survivors))
    return len(survivors) > SURVIVORS * len(chosen)


def sample(root: Path, seed: int, count: int) -> list[Mutant]:
    """Return a random sample of all mutants, with the `SHARES` of each package.

    Args:
        root: The repository.
        seed: Seed of the sample.
        count: Number of mutants.
    """
    rng, chosen = random.Random(seed), []
    for package, share in SHARES.items():
        found = [m for path in sorted((root / package).rglob("*.py")) for m in _mutants_of(path, root)]
        chosen += rng.sample(found, min(len(found), round(share * count / 100)))
    return chosen


def _mutants_of(path: Path, root: Path) -> list[Mutant]:
    return list(mutants(str(path.relative_to(root)), path.read_text(encoding="utf-8")))


def _copied(folder: Path) -> Path:
    """Copy the files of the repository, unless an earlier run did."""
    copy = folder / "copy"
    if not copy.exists():
        copy.mkdir(parents=True)
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        archive = subprocess.run(
            ["tar", "--null", "-T", "-", "-c"], cwd=ROOT, input=listed, capture_output=True, check=True
        ).stdout
        subprocess.run(["tar", "-x"], cwd=copy, input=archive, check=True)
    return copy


# --- tests -----------------------------------------------------------------------------------------------------------


def _package(path: str) -> str:
    return "/".join(Path(path).parts[:2]) if path.count("/") > 1 else path.split("/", maxsplit=1)[0]


def _tests_folder(path: str) -> str:
    return f"tests/{_package(path)}"


def _environment(copy: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}


def _pytest(copy: Path, arguments: Sequence[str]) -> int:
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider", *arguments]
    try:
        done = subprocess.run(
            words, cwd=copy, env=_environment(copy), capture_output=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return -1
    return done.returncode


def _judged(mutant: Mutant, copy: Path, folder: Path) -> dict[str, object]:
    begin, path = time.perf_counter(), copy / mutant.path
    tests = _tests_of(mutant, copy, folder)
    original = path.read_bytes()
    try:
        path.write_bytes(mutant.apply(original))
        code = next((code for part in tests if (code := _pytest(copy, part)) not in {0, 5}), 0)
    finally:
        path.write_bytes(original)
    outcome = {0: "survived", -1: "timed out"}.get(code, "killed")
    return {"mutant": mutant.key, "outcome": outcome, "seconds": round(time.perf_counter() - begin)}


def _tests_of(mutant: Mutant, copy: Path, folder: Path) -> list[list[str]]:
    """The tests of the package that execute the line of a mutant: first those of its own test file."""
    named = _covering(mutant, copy, folder)
    module = Path(mutant.path)
    own = str(Path("tests") / module.parent / f"test_{module.name}")
    first = [test for test in named if test.startswith(own)]
    rest = [test for test in named if not test.startswith(own)]
    groups = [group if len(group) <= MAX_TESTS else [_tests_folder(mutant.path)] for group in (first, rest)]
    return [group for group in groups if group]


def _covering(mutant: Mutant, copy: Path, folder: Path) -> list[str]:
    """The tests that execute the line, from a measurement of the package that is made once.

    A line that a shared fixture executes may matter to all tests of its file, and one that a test module executes when
    it is imported, or that none executes, to all tests.
    """
    from coverage import CoverageData

    data = CoverageData(str(_measured(_package(mutant.path), copy, folder)))
    data.read()
    file = next((name for name in data.measured_files() if name.endswith(f"copy/{mutant.path}")), None)
    by_line = {} if file is None else data.contexts_by_lineno(file)
    contexts = {context for line in _lines(mutant) for context in by_line.get(line, ())}
    if not contexts or "" in contexts:
        return [_tests_folder(mutant.path)]
    phases = [context.rpartition("|") for context in contexts]
    return sorted({test.partition("::")[0] if phase == "setup" else test for test, _, phase in phases})


def _lines(mutant: Mutant) -> range:
    return range(mutant.line, mutant.line + mutant.before.count("\n") + 1)


def _measured(package: str, copy: Path, folder: Path) -> Path:
    """The file of the coverage of each test of a package."""
    data = folder / f"coverage.{package.replace('/', '.')}"
    if not data.exists():
        settings = folder / "coverage.ini"
        settings.write_text("[run]\nsource =\n    bridge\n    loaders\n")
        words = [
            sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "--cov", "--cov-context=test",
            "--cov-report=", f"--cov-config={settings}", f"tests/{package}",
        ]  # fmt: skip
        environment = {**_environment(copy), "COVERAGE_FILE": f"{data}.partial"}
        subprocess.run(words, cwd=copy, env=environment, capture_output=True, check=False)
        Path(f"{data}.partial").replace(data)
    return data


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/sdfbridge-mutation"))
    options = parser.parse_args()
    sys.exit(main(options.seed, options.count, options.folder.absolute()))
