"""The assertion that engines agree; the items of pytest are tested with the plugin in
`tests/sdfbridge`.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from bridge.pytest_plugin import assert_parity, simulators

pytest.importorskip("mujoco")


def test_the_assertion_holds_for_mujoco_and_fails_for_its_own_reader(assets: Path) -> None:
    assert assert_parity(assets / "double_pendulum.urdf", ["mujoco"]).agreement == "EQUIVALENT"
    with pytest.raises(AssertionError, match="repeat with: sdfbridge compare"):
        assert_parity(assets / "double_pendulum.urdf", ["mujoco-urdf"])


def test_the_tolerances_of_pyproject_are_keywords_too(assets: Path) -> None:
    native = (assets / "double_pendulum.urdf", ["mujoco-urdf"])
    assert assert_parity(*native, tolerance=math.inf).agreement == "DIFFERS"
    assert (
        assert_parity(*native, tolerances={"L0": math.inf, "L1": math.inf}).agreement == "DIFFERS"
    )
    with pytest.raises(AssertionError, match="L1 "):
        assert_parity(*native, tolerances={"L0": math.inf})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"tolerance": -1.0}, "invalid tolerance -1.0; expected a number of at least 0"),
        ({"tolerance": math.nan}, "invalid tolerance nan"),
        ({"tol": "0.1"}, "invalid tolerance '0.1'"),
        ({"tolerances": {"L9": 1.0}}, "unknown level 'L9' of tolerances; expected one of: L0, L1"),
        ({"tolerances": 1.0}, "tolerances must be a table with a number for each of L0, L1"),
        ({"tol": 1.0, "tolerance": 1.0}, "tol and tolerance are the same option; give one of them"),
    ],
)
def test_a_tolerance_that_is_none_is_refused_before_anything_is_compared(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        assert_parity("no such file", **wrong)


def test_every_simulator_is_closed_at_the_end(assets: Path) -> None:
    pybullet = pytest.importorskip("pybullet")
    with simulators() as start:
        engine = start(assets / "double_pendulum.urdf", "pybullet")
        assert pybullet.isConnected(engine._client)
    assert not pybullet.isConnected(engine._client)
