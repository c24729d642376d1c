"""The tests of a package: which lines each executes, how long it takes, and running some of
them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.mutation.mutants import Mutant

TIMEOUT = 600
"""Time limit of the tests of one mutant [s]; one that takes longer counts as noticed."""
_PYTEST = ("-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider")


class MeasuredTests:
    """The tests of a package in a copy of the repository.

    The package's tests run once, with the lines of the package that each executes. A test that
    fails in the unchanged copy is never used.

    Args:
        package: The folder of the package.
        copy: The copy.
        folder: Where the measurement is kept for the next run.
    """

    def __init__(self, package: str, copy: Path, folder: Path) -> None:
        self._package, self._copy, self._folder = package, copy, folder
        name = package.replace("/", ".")
        self._data, self._record = folder / f"coverage.{name}", folder / f"tests.{name}.jsonl"
        if not self._data.exists():
            self._measure()
        known = [json.loads(line) for line in self._record.read_text(encoding="utf-8").splitlines()]
        self._seconds = {test: seconds for test, outcome, seconds in known if outcome == "passed"}

    def _measure(self) -> None:
        settings = self._folder / "coverage.ini"
        settings.write_text(
            f"[run]\ninclude =\n    {self._copy}/{self._package}/*\n", encoding="utf-8"
        )
        partial = Path(f"{self._data}.partial")
        words = [
            "--cov",
            "--cov-context=test",
            "--cov-report=",
            f"--cov-config={settings}",
            f"tests/{self._package}",
        ]
        extra = {"COVERAGE_FILE": str(partial), "SDFBRIDGE_RECORD": str(self._record)}
        subprocess.run(
            [sys.executable, *_PYTEST, "-p", "benchmarks.mutation.recorder", *words],
            cwd=self._copy,
            env={**_environment(self._copy), **extra},
            capture_output=True,
            check=False,
        )
        partial.replace(self._data)

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests that execute a mutant: those in the folder of its module
        first, and the fastest files before the others.

        A line that a shared fixture executes may matter to all tests of its file, and one that is
        executed when a test module is imported to all tests.

        Args:
            mutant: The mutant.
        """
        contexts = self._contexts(mutant)
        tests: set[str] = set(self._seconds) if "" in contexts else set()
        for test, _, phase in (context.rpartition("|") for context in contexts):
            tests |= self._of_file(test) if phase == "setup" else {test} & set(self._seconds)
        return self._ordered(tests, mutant)

    def _contexts(self, mutant: Mutant) -> set[str]:
        from coverage import CoverageData

        data = CoverageData(str(self._data))
        data.read()
        file = next(
            (name for name in data.measured_files() if name.endswith(f"copy/{mutant.path}")), None
        )
        by_line = {} if file is None else data.contexts_by_lineno(file)
        return {context for line in mutant.lines for context in by_line.get(line, ())}

    def _of_file(self, test: str) -> set[str]:
        file = test.partition("::")[0]
        return {each for each in self._seconds if each.partition("::")[0] == file}

    def _ordered(self, tests: Iterable[str], mutant: Mutant) -> list[str]:
        own = own_tests(mutant)
        files: dict[str, list[str]] = {}
        for test in sorted(tests):
            files.setdefault(test.partition("::")[0], []).append(test)
        fastest = sorted(
            files,
            key=lambda file: (
                not file.startswith(f"{own}/"),
                sum(self._seconds[test] for test in files[file]),
            ),
        )
        return [test for file in fastest for test in files[file]]


def own_tests(mutant: Mutant) -> str:
    """Return the folder with the tests of a mutant's module, relative to the root of the
    repository.

    Args:
        mutant: The mutant.
    """
    return str(Path("tests") / Path(mutant.path).parent)


def run(tests: Sequence[str], copy: Path, folder: Path) -> str:
    """Run tests until one fails, and return ``survived``, ``killed`` or ``timed out``.

    Args:
        tests: Tests or files of tests; those of the first file run alone, since they fail most
            often.
        copy: The copy of the repository.
        folder: Where the list of tests is written.
    """
    files = [test.partition("::")[0] for test in tests]
    first = files.count(files[0]) if files else 0
    outcomes = (_run(part, copy, folder) for part in (tests[:first], tests[first:]) if part)
    return next((outcome for outcome in outcomes if outcome != "survived"), "survived")


def _run(tests: Sequence[str], copy: Path, folder: Path) -> str:
    listed = folder / "tests.txt"
    listed.write_text("\n".join(tests), encoding="utf-8")
    words = [sys.executable, *_PYTEST, "-x", f"@{listed}"]
    try:
        done = subprocess.run(
            words,
            cwd=copy,
            env=_environment(copy),
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "timed out"
    return "survived" if done.returncode in {0, 5} else "killed"


def _environment(copy: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
