"""The form of the readings of shapes."""

from __future__ import annotations

import numpy as np

from bridge.parity.readings import stacked


def test_shapes_are_stacked_by_link() -> None:
    found = stacked([("a", np.zeros(2)), ("b", np.ones(2)), ("a", np.ones(2))])
    assert {name: each.shape for name, each in found.items()} == {"a": (2, 2), "b": (1, 2)}
