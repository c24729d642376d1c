"""Pytest plugin: ``pytest --parity robots/`` compares simulators on every model file.

Each model file becomes one test for each level. The fixtures `parity`, `scene` and `simulator` and
the assertion `assert_parity` serve other tests. Options are read from the table
``[tool.sdfbridge.parity]`` of ``pyproject.toml``: ``engines``, ``levels``, ``seed``,
``configurations``, ``tolerance``, ``tolerances`` for each level, ``base``, ``inertia``, and those
of `loaders.load` such as ``package_map`` and ``paths``.

Every run of pytest loads this module, also the tests of projects that have a package ``bridge`` or
``loaders`` of their own. It therefore imports nothing of sdfbridge's code until a hook or a fixture
needs it. Where another package hides that code, a line in the header of the report says so, and
only the use of the plugin is an error.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .location import hidden_packages, hidden_text, require_own_packages

if TYPE_CHECKING:
    from bridge.diff.files import FileComparison, Model
    from bridge.lowering.transform import Source
    from bridge.parity import Comparison
    from loaders import Scene

SUFFIXES = (".sdf", ".urdf", ".world", ".dmd.yaml")
"""Suffixes of the files that ``--parity`` collects."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options ``--parity`` and ``--parity-report``."""
    group = parser.getgroup("sdfbridge")
    group.addoption(
        "--parity",
        action="store_true",
        help="compare simulators on every model file that is collected",
    )
    group.addoption(
        "--parity-report", metavar="DIR", help="folder of a report of each comparison of --parity"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse ``--parity`` where another package hides one of sdfbridge.

    Raises:
        pytest.UsageError: if ``--parity`` is given there.
    """
    if config.getoption("parity") and hidden_packages():
        raise pytest.UsageError(f"--parity cannot be used: {hidden_text()}")


def pytest_report_header() -> list[str]:
    """Return a line for each package that hides one of sdfbridge; none in other cases."""
    return [
        f"sdfbridge: inactive, because package {name!r} is {place}"
        for name, place in sorted(hidden_packages().items())
    ]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Collect model files if ``--parity`` is given."""
    if parent.config.getoption("parity") and file_path.name.endswith(SUFFIXES):
        file: pytest.File = _bridge().ModelFile.from_parent(parent, path=file_path)
        return file
    return None


def assert_parity(
    model: Source, engines: Sequence[str] | None = None, tol: float | None = None, **options: Any
) -> Comparison:
    """Compare engines on a model at L0 and L1, and fail if they differ.

    Args:
        model: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        engines: Names of the engines; None for MuJoCo and PyBullet, of those that are installed.
        tol: The largest error that is allowed; None uses the tolerance of each quantity.
        options: Further options of `bridge.compare`, such as ``levels``, ``base`` and
            ``package_map``.

    Returns:
        The comparison.

    Raises:
        AssertionError: if a quantity differs without a known cause; the text lists each of them.
        TypeError: if an option is unknown.
    """
    __tracebackhide__ = True
    comparison: Comparison = _bridge().assert_parity(model, engines, tol, **options)
    return comparison


def assert_same_robot(
    old: Model, new: Model, allow: Sequence[str] = (), **options: Any
) -> FileComparison:
    """Compare two files, or two revisions of one, and fail if they differ in what is not allowed.

    Args:
        old: A path or a `loaders.Scene`.
        new: The same.
        allow: Patterns of differences that are allowed: ``joint elbow``, ``joint * effort``, or
            ``visual``; see `bridge.diff.Difference` for the kind, the name and the field.
        options: Further options of `bridge.compare_files`, such as ``names`` and ``tolerance``.

    Returns:
        The comparison.

    Raises:
        AssertionError: if another difference is found; the text lists each of them.
        TypeError: if an option is unknown.
    """
    __tracebackhide__ = True
    comparison: FileComparison = _bridge().assert_same_robot(old, new, allow, **options)
    return comparison


# --- fixtures -------------------------------------------------------------------------------------


@pytest.fixture
def parity(pytestconfig: pytest.Config) -> Callable[..., Comparison]:
    """Return `assert_parity` with the options of ``pyproject.toml``."""
    check: Callable[..., Comparison] = _bridge().check_with_options(pytestconfig)
    return check


@pytest.fixture
def scene() -> Callable[..., Scene]:
    """Return `loaders.load`."""
    require_own_packages()
    load: Callable[..., Scene] = importlib.import_module("loaders").load
    return load


@pytest.fixture
def simulator() -> Iterator[Callable[..., Any]]:
    """Yield a function that opens a model in an engine: ``simulator("arm.sdf", "mujoco")``.

    All engines that it opened are closed after the test.
    """
    with _bridge().simulators() as start:
        yield start


def _bridge() -> Any:
    """Import `bridge.pytest_plugin`, which compares."""
    require_own_packages()
    return importlib.import_module("bridge.pytest_plugin")
