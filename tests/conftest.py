"""What many tests share: models, and engines that forget everything between tests."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parents[1]

# Two processes of pytest share two cores: threads of BLAS would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
settings.register_profile("sdfbridge", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(
    "sdfbridge"
)  # a busy machine fails no test: none depends on the time that it takes


WITNESSES = re.compile(r"No module named '(pydrake|mujoco_menagerie|jsonschema|scipy)\b")
"""Packages with which tests compare, which the lowest versions of the dependencies lack."""


def _skipped_without_witness(
    report: pytest.CollectReport | pytest.TestReport, path: Path
) -> pytest.CollectReport | pytest.TestReport:
    missing = WITNESSES.search(str(report.longrepr)) if report.failed else None
    if missing:
        reason = f"Skipped: {missing[1]} is not installed: a witness that others wrote"
        report.outcome, report.longrepr = "skipped", (str(path), 0, reason)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Skip the tests of a module that compares with a package that is not installed."""
    return _skipped_without_witness((yield), collector.path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Skip a test that compares with a package that is not installed."""
    return _skipped_without_witness((yield), item.path)


def pytest_collection_finish() -> None:
    """Leave what was collected out of every later search for garbage: each would take a second."""
    gc.freeze()


GROUPS = {
    "site": r"tests/test_site\.py",
    "accelerators": r"tests/bridge/parity/engines/test_accelerated\.py|::.*(mjx|warp|accelerators|computes_many_states)",
    "report": r"tests/bridge/parity/report/test_html_report\.py",
    "demonstration": r"tests/bridge/test_demo\.py",
    "cluster": r"tests/bridge/batches/test_dask\.py",
    "files": r".*::test_pybullet_survives",
}
"""Patterns of the tests that one process runs, since it builds, imports or compiles once what takes seconds."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return what gives each group to one process: of a mark, pytest-xdist 3.8 learns nothing from pytest 9.2."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Grouped(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            found = (name for name, pattern in GROUPS.items() if re.search(pattern, nodeid))
            return next(found, nodeid)

    return Grouped(config, log)


@pytest.fixture(autouse=True, scope="session")
def signals_as_in_a_terminal() -> Iterator[None]:
    """Ignore no signal, neither here nor in child processes: a background job of a shell, or nohup, ignores some."""
    defaults = {
        "SIGINT": signal.default_int_handler,
        **dict.fromkeys(("SIGHUP", "SIGQUIT", "SIGTERM"), signal.SIG_DFL),
    }
    handlers = {
        getattr(signal, name): handler
        for name, handler in defaults.items()
        if hasattr(signal, name)
    }
    ignored = [number for number in handlers if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, handlers[number])
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(scope="session")
def assets() -> Path:
    """The folder of the models that come with the project."""
    return ROOT / "assets"


@pytest.fixture(scope="session")
def pybullet_robots() -> Path:
    """The folder of the robots that come with PyBullet."""
    pybullet_data = pytest.importorskip("pybullet_data")
    return Path(pybullet_data.getDataPath())


@pytest.fixture
def bullet_client() -> Iterator[int]:
    """A PyBullet of its own: it caches inverse dynamics by address, so no two models may share
    one.
    """
    pybullet = pytest.importorskip("pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    yield client
    pybullet.disconnect(client)


def connected_servers() -> set[int]:
    """The physics servers that PyBullet has open, if a test has imported it."""
    pybullet = sys.modules.get("pybullet")
    return set() if pybullet is None else {i for i in range(8) if pybullet.isConnected(i)}


@pytest.fixture
def servers_of_scripts() -> Iterator[None]:
    """Disconnect the physics servers that scripts of the test leave to the end of their process."""
    before = connected_servers()
    yield
    for server in connected_servers() - before:
        sys.modules["pybullet"].disconnect(server)


@pytest.fixture(autouse=True, scope="module")
def no_open_pybullet_client() -> Iterator[None]:
    """Fail if a module leaves a physics server connected: calls of the next module may reach the
    wrong server.
    """
    before = connected_servers()
    yield
    assert connected_servers() <= before
