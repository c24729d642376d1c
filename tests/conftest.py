"""What many tests share: models, and engines that forget everything between tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


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
    """A PyBullet of its own: it caches inverse dynamics by address, so no two models may share one."""
    pybullet = pytest.importorskip("pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    yield client
    pybullet.disconnect(client)
