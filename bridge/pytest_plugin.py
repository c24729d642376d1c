"""``pytest --parity robots/``: a test for each model file and level; fixtures and an assertion for other tests.

Loaded with every run of pytest, so that it imports nothing of weight until it is asked. Options stand in
``[tool.sdfbridge.parity]`` of ``pyproject.toml``: ``engines``, ``levels``, ``seed``, ``configurations``, ``tolerance``,
and ``tolerances`` by level.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bridge.lowering.inputs import Source
    from loaders import Scene

    from .parity import Comparison

SUFFIXES = (".sdf", ".urdf", ".world", ".dmd.yaml")
"""Of the files that ``--parity`` collects."""
_DEFAULTS: dict[str, Any] = {"engines": ["mujoco", "pybullet"], "levels": ["L0", "L1"], "seed": 0, "configurations": 20}
_KNOWN = {*_DEFAULTS, "tolerance", "tolerances"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--parity``."""
    group = parser.getgroup("sdfbridge")
    group.addoption("--parity", action="store_true", help="compare simulators on every model file that is collected")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Collect model files, if asked."""
    if parent.config.getoption("parity") and file_path.name.endswith(SUFFIXES):
        found: pytest.File = ModelFile.from_parent(parent, path=file_path)
        return found
    return None


class ModelFile(pytest.File):
    """A model file: one test for each level."""

    def collect(self) -> Iterator[pytest.Item]:
        """The levels that the options name."""
        for level in options_of(self.config)["levels"]:
            yield LevelItem.from_parent(self, name=str(level))


class LevelItem(pytest.Item):
    """One level of the comparison of one model."""

    def runtest(self) -> None:
        """Compare."""
        options = options_of(self.config)
        _assert(self.path, options["engines"], options, (self.name,), _tolerances(options))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What differs, or what is wrong with the file, without a traceback."""
        from loaders.diagnostics import ModelError

        from .parity import EngineMissingError

        if isinstance(excinfo.value, AssertionError | EngineMissingError | ModelError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The file, and which level of it."""
        return self.path, None, f"parity {self.path.name} {self.name}"


def options_of(config: pytest.Config) -> dict[str, Any]:
    """The options of ``pyproject.toml`` over the defaults.

    Raises:
        pytest.UsageError: for an option that there is not, or a file that is no TOML.
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
        raise pytest.UsageError(f"[tool.sdfbridge.parity] has no option {unknown[0]!r}; there are: {known}")
    _check_tolerances(given)
    return _DEFAULTS | given


def _check_tolerances(given: Mapping[str, Any]) -> None:
    """Raise for tolerances that are no numbers, or of no level."""
    from bridge.parity.results.verdict import Level

    by_level = given.get("tolerances", {})
    known = [str(level) for level in Level]
    if not isinstance(by_level, Mapping) or by_level.keys() - set(known):
        raise pytest.UsageError(f"[tool.sdfbridge.parity.tolerances] takes a number for each of {', '.join(known)}")
    for value in (*by_level.values(), given.get("tolerance", 0.0)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0.0:
            raise pytest.UsageError(f"[tool.sdfbridge.parity]: a tolerance is a number, not {value!r}")


def _tolerances(options: Mapping[str, Any]) -> dict[str, float]:
    """The largest error that is let pass at each level that has one; for all others under the empty name."""
    common = {"": options["tolerance"]} if "tolerance" in options else {}
    return {**common, **options.get("tolerances", {})}


def assert_parity(
    model: Source, engines: Sequence[str] = ("mujoco", "pybullet"), tol: float | None = None
) -> Comparison:
    """Compare engines on a model at L0 and L1; the comparison.

    Args:
        model: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        engines: Their names.
        tol: Largest error that is let pass; None for the tolerance of each quantity.

    Raises:
        AssertionError: if a quantity differs that nothing known explains, with each of them.
    """
    return _assert(model, engines, _DEFAULTS, _DEFAULTS["levels"], {} if tol is None else {"": tol})


def _assert(
    model: Source,
    engines: Sequence[str],
    options: Mapping[str, Any],
    levels: Sequence[str],
    tolerances: Mapping[str, float],
) -> Comparison:
    from bridge.parity.results.verdict import line

    from .parity import compare

    __tracebackhide__ = True
    found = compare(
        model, tuple(engines), levels=levels, seed=options["seed"], configurations=options["configurations"]
    )
    allowed = {row: tolerances.get(row.level, tolerances.get("", -1.0)) for row in found.failures}
    differing = [row for row, most in allowed.items() if not row.error <= most]
    if differing:
        raise AssertionError("\n".join([f"{found.model}: DIFFERS", *map(line, differing), f"again: {found.command}"]))
    return found


# --- fixtures --------------------------------------------------------------------------------------------------------


@pytest.fixture
def parity(pytestconfig: pytest.Config) -> Callable[..., Comparison]:
    """`assert_parity` with the engines and the tolerances of ``pyproject.toml``."""
    options = options_of(pytestconfig)

    def check(model: Source, engines: Sequence[str] = (), tol: float | None = None) -> Comparison:
        __tracebackhide__ = True
        tolerances = _tolerances(options) if tol is None else {"": tol}
        return _assert(model, engines or options["engines"], options, options["levels"], tolerances)

    return check


@pytest.fixture
def scene() -> Callable[..., Scene]:
    """`loaders.load`."""
    import loaders

    return loaders.load


@pytest.fixture
def simulator() -> Iterator[Callable[..., Any]]:
    """Opens a model in an engine, by name: ``simulator("arm.sdf", "mujoco")``; all are closed after the test."""
    from bridge.lowering.inputs import mechanism_of
    from bridge.parity.engines.protocol import factory_of

    opened: list[Any] = []

    def start(model: Source, engine: str = "mujoco") -> Any:
        opened.append(factory_of(engine)(mechanism_of(model)))
        return opened[-1]

    yield start
    for engine in opened:
        engine.close()
