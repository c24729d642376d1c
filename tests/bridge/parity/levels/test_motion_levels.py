"""Levels of motion keep the rows that they have if an engine stops answering."""

from __future__ import annotations

from pathlib import Path

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Level, Outcome
from bridge.parity.comparison import motion_level_rows, witnessed_rows
from bridge.parity.engine import NotReportedError
from bridge.parity.reference import ReferenceEngine

MECHANISM = bridge.lower(
    loaders.load(Path(__file__).parents[4] / "assets" / "double_pendulum.urdf")
)


class Stopping(ReferenceEngine):
    """An engine that steps only so often."""

    name = "stopping"
    reads_file = False

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.left = 10

    def step(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise NotReportedError("it stopped")
        super().step(count)


def test_an_engine_that_stops_leaves_an_unknown_row_and_the_rows_before() -> None:
    engines = [("reference", ReferenceEngine), ("stopping", Stopping)]
    rows = list(motion_level_rows([Level.MOTION], MECHANISM, engines, 0, lambda _message: None))
    assert rows[-1].outcome is Outcome.UNKNOWN
    assert rows[-1].cause == "it stopped"


def test_other_levels_have_no_rows() -> None:
    engines = [("reference", ReferenceEngine)]
    assert (
        list(motion_level_rows([Level.MODEL], MECHANISM, engines, 0, lambda _message: None)) == []
    )
    assert list(witnessed_rows([Level.MODEL], MECHANISM, engines, 0, {})) == []
