"""The working parts of the pytest plugin: the items of ``pytest --parity``, and the assertion that
engines agree.

The plugin itself, with hooks and fixtures, is `sdfbridge.pytest_plugin`, which imports this module
on first use.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import bridge
import bridge.lowering.transform
import bridge.parity
import bridge.parity.engine
import bridge.parity.verdict
import loaders

if TYPE_CHECKING:
    from bridge.lowering.transform import Source

    from .diff import Difference
    from .diff.files import FileComparison, Model
    from .parity import Comparison

_DEFAULTS: dict[str, Any] = {
    "engines": None,
    "levels": ["L0", "L1"],
    "seed": 0,
    "configurations": 20,
}
_COMPARE_OPTIONS = {
    "allow_xacro", "base", "exclude", "exclude_samples", "exclude_seed", "inertia", "lenient",
    "overlaps", "overrides", "package_map", "paths", "srdf", "strict", "unsafe_paths", "up_axis",
    "xacro_args",
}  # fmt: skip
"""Options of `bridge.compare` that are passed on."""
_KNOWN = {*_DEFAULTS, *_COMPARE_OPTIONS, "tolerance", "tolerances"}
_REPORTED = (bridge.parity.EngineMissingError, loaders.ModelError)
"""Errors whose text says all, so that no traceback is shown."""
_TABLE = "[tool.sdfbridge.parity]"


class ModelFile(pytest.File):
    """A model file with one test for each level."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for each level of the options."""
        for level in options_of(self.config)["levels"]:
            yield LevelItem.from_parent(self, name=str(level))


class LevelItem(pytest.Item):
    """The comparison of one model at one level."""

    def runtest(self) -> None:
        """Compare the engines; fail if they differ, and skip the test if the level was not compared
        completely.
        """
        options = options_of(self.config)
        report = self.config.getoption("parity_report")
        folder = (
            None
            if report is None
            else Path(report) / _place(self.path, self.config.rootpath) / self.name
        )
        found = _assert(self.path, options, (self.name,), _tolerances(options), folder)
        gaps = [gap for gap in found.gaps if gap.level in {"", self.name}]
        if gaps:
            pytest.skip(f"INCOMPLETE: {'; '.join(map(str, gaps))}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the differences, or the errors of the file, without a traceback."""
        if isinstance(excinfo.value, (AssertionError, *_REPORTED)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the file and a title with its name and the level."""
        return self.path, None, f"parity {self.path.name} {self.name}"


def options_of(config: pytest.Config) -> dict[str, Any]:
    """Return the options of ``pyproject.toml``, completed by the defaults.

    Raises:
        pytest.UsageError: if an option is unknown, a tolerance is invalid, or the file is not valid
            TOML.
    """
    path = config.rootpath / "pyproject.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except tomllib.TOMLDecodeError as error:
        raise pytest.UsageError(f"{path}: {error}") from error
    given: dict[str, Any] = table.get("tool", {}).get("sdfbridge", {}).get("parity", {})
    unknown = sorted(given.keys() - _KNOWN)
    if unknown:
        known = ", ".join(sorted(_KNOWN))
        raise pytest.UsageError(
            f"{_TABLE}: unknown option {unknown[0]!r}; expected one of: {known}"
        )
    try:
        _check_tolerances(given)
    except ValueError as error:
        raise pytest.UsageError(f"{_TABLE}: {error}") from error
    levels = (
        [given["levels"]]
        if isinstance(given.get("levels"), str)
        else given.get("levels", _DEFAULTS["levels"])
    )
    return _DEFAULTS | _with_folders(given, config.rootpath) | {"levels": levels}


def _with_folders(given: dict[str, Any], root: Path) -> dict[str, Any]:
    """Return the options with absolute paths; those of the file count from its folder.

    Raises:
        pytest.UsageError: if ``paths`` is not a list, or ``package_map`` is not a table.
    """
    found = dict(given)
    if "paths" in given:
        if not isinstance(given["paths"], list):
            raise pytest.UsageError(f"{_TABLE}: paths must be a list of folders")
        found["paths"] = [root / str(folder) for folder in given["paths"]]
    if "package_map" in given:
        if not isinstance(given["package_map"], dict):
            raise pytest.UsageError(
                f"{_TABLE}: package_map must be a table with a folder for each package"
            )
        found["package_map"] = {
            name: root / str(folder) for name, folder in given["package_map"].items()
        }
    for name in ("srdf", "overrides"):
        if name in given:
            found[name] = root / str(given[name])
    return found


def _place(path: Path, root: Path) -> str:
    """Return the name of the folder of a model's reports."""
    relative = path.relative_to(root) if path.is_relative_to(root) else Path(path.name)
    return "__".join(relative.parts)


def _check_tolerances(given: Mapping[str, Any]) -> None:
    """Raise `ValueError` for a tolerance that is not a number, and for a tolerance of an unknown
    level.
    """
    levels = [str(level) for level in bridge.parity.Level]
    by_level = given.get("tolerances", {})
    if not isinstance(by_level, Mapping):
        raise ValueError(
            f"tolerances must be a table with a number for each of {', '.join(levels)}"
        )
    unknown = sorted(by_level.keys() - set(levels))
    if unknown:
        raise ValueError(
            f"unknown level {unknown[0]!r} of tolerances; expected one of: {', '.join(levels)}"
        )
    for value in (*by_level.values(), given.get("tolerance", 0.0)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0.0:
            raise ValueError(f"invalid tolerance {value!r}; expected a number of at least 0")


def _tolerances(options: Mapping[str, Any]) -> dict[str, float]:
    """Return the allowed error of each level; the empty name holds for all other levels."""
    common = {"": options["tolerance"]} if "tolerance" in options else {}
    return {**common, **options.get("tolerances", {})}


def assert_parity(
    model: Source, engines: Sequence[str] | None = None, tol: float | None = None, **options: Any
) -> Comparison:
    """Compare engines on a model at L0 and L1, and fail if they differ.

    The verdict is INCOMPLETE where nothing differs, because L2 is not compared; `Comparison.gaps`
    lists what was not.

    Args:
        model: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        engines: Names of the engines; None for those of `bridge.compare`.
        tol: The largest error that is allowed; None uses the tolerance of each quantity.
        options: Further options of `bridge.compare`, such as ``levels``, ``base`` and
            ``package_map``; ``tolerance``, which is ``tol``; and ``tolerances``, the largest error
            by level.

    Returns:
        The comparison.

    Raises:
        AssertionError: if a quantity differs without a known cause; the text lists each of them.
        TypeError: if an option is unknown.
        ValueError: if a tolerance is invalid.
    """
    __tracebackhide__ = True
    if tol is not None:
        if "tolerance" in options:
            raise ValueError("tol and tolerance are the same option; give one of them")
        options["tolerance"] = tol
    _check_tolerances(options)
    options = _DEFAULTS | options | {"engines": engines}
    return _assert(model, options, options.pop("levels"), _tolerances(options))


def _assert(
    model: Source,
    options: Mapping[str, Any],
    levels: Sequence[str],
    tolerances: Mapping[str, float],
    report: Path | None = None,
) -> Comparison:
    """Compare, write the report if a folder is given, and fail for a difference beyond the
    tolerances.
    """
    __tracebackhide__ = True
    passed = {
        name: value
        for name, value in options.items()
        if name not in {"levels", "tolerance", "tolerances"}
    }
    try:
        comparison = bridge.compare(model, levels=levels, **passed)
    except _REPORTED as error:
        raise error.with_traceback(None) from None
    if report is not None:
        comparison.to_folder(report)
    allowed = {
        row: tolerances.get(row.level, tolerances.get("", -1.0)) for row in comparison.failures
    }
    differing = [row for row, tolerance in allowed.items() if not row.error <= tolerance]
    if differing:
        lines = map(bridge.parity.verdict.line, differing)
        header, footer = f"{comparison.model}: DIFFERS", f"repeat with: {comparison.command}"
        raise AssertionError("\n".join([header, *lines, footer]))
    return comparison


def check_with_options(config: pytest.Config) -> Callable[..., Comparison]:
    """Return `assert_parity` with the options of ``pyproject.toml``."""
    options = options_of(config)

    def check(model: Source, engines: Sequence[str] = (), tol: float | None = None) -> Comparison:
        """Compare engines on a model and fail if they differ.

        Args:
            model: A path, a `loaders.Scene` or a `bridge.Mechanism`.
            engines: Names of the engines; by default those of the options.
            tol: The largest error that is allowed; by default that of the options.
        """
        __tracebackhide__ = True
        if tol is not None:
            _check_tolerances({"tolerance": tol})
        tolerances = _tolerances(options) if tol is None else {"": tol}
        chosen = options | {"engines": engines or options["engines"]}
        return _assert(model, chosen, options["levels"], tolerances)

    return check


@contextmanager
def simulators() -> Iterator[Callable[..., Any]]:
    """Yield a function that opens a model in an engine; all engines that it opened are closed at
    the end.
    """
    opened: list[Any] = []

    def start(model: Source, engine: str = "mujoco") -> Any:
        factory = bridge.parity.engine.factory_of(engine)
        opened.append(factory(bridge.lowering.transform.mechanism_of(model, quiet=True)))
        return opened[-1]

    yield start
    for engine in opened:
        engine.close()


def assert_same_robot(
    old: Model, new: Model, allow: Sequence[str] = (), **options: Any
) -> FileComparison:
    """Compare two files; see `sdfbridge.pytest_plugin.assert_same_robot`.

    Args:
        old: A path or a scene.
        new: The same.
        allow: Patterns of differences that are allowed.
        options: Further options of `bridge.compare_files`.

    Raises:
        AssertionError: if another difference is found.
    """
    __tracebackhide__ = True
    comparison = bridge.compare_files(old, new, **options)
    refused = [d for d in comparison.differences if not _is_allowed(d, allow)]
    if refused:
        listed = "\n".join(f"  {difference}" for difference in refused)
        raise AssertionError(f"the robots differ (A is {old}, B is {new}):\n{listed}")
    return comparison


def _is_allowed(difference: Difference, allow: Sequence[str]) -> bool:
    """Return whether a pattern fits the kind, the name and the last parts of the field."""
    text = f"{difference.kind} {difference.name}"
    field = difference.field.rpartition(".")[2]
    texts = (difference.kind, text, f"{text} {difference.field}", f"{text} {field}")
    return any(fnmatchcase(found, pattern) for found in texts for pattern in allow)
