"""The assertion that engines agree; the items of pytest are tested with the plugin in `tests/sdfbridge`."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.pytest_plugin import assert_parity, simulators

pytest.importorskip("mujoco")


def test_the_assertion_holds_for_mujoco_and_fails_for_its_own_reader(assets: Path) -> None:
    assert assert_parity(assets / "double_pendulum.urdf", ["mujoco"]).agreement == "EQUIVALENT"
    with pytest.raises(AssertionError, match="repeat with: sdfbridge compare"):
        assert_parity(assets / "double_pendulum.urdf", ["mujoco-urdf"])


def test_every_simulator_is_closed_at_the_end(assets: Path) -> None:
    pybullet = pytest.importorskip("pybullet")
    with simulators() as start:
        engine = start(assets / "double_pendulum.urdf", "pybullet")
        assert pybullet.isConnected(engine._client)
    assert not pybullet.isConnected(engine._client)
