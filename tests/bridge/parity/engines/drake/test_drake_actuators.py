"""Drake's effort limits and gains are those that the reader finds in the same file."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.parity import Outcome, compare
from tests.support.actuated_model import sdf


def test_drakes_limits_and_gains_are_those_of_the_model(tmp_path: Any) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / "m.sdf"
    path.write_text(sdf(), encoding="utf-8")
    found = compare(path, ("mujoco", "drake"), levels=("L0",), configurations=1)
    row = next(
        r
        for r in found.rows
        if r.quantity == "actuator efforts" and r.engines == ("reference", "drake")
    )
    assert (row.outcome, row.error) == (Outcome.PASSED, 0.0)
