"""Items keyed by name, and the unit axes."""

from __future__ import annotations

import numpy as np
import pytest

from loaders.model import X_AXIS, Y_AXIS, Z_AXIS, FilterGroup, by_name


def test_items_are_keyed_by_name_in_their_order() -> None:
    groups = [FilterGroup(name=name, links=()) for name in "ba"]
    assert by_name(groups) == {"b": groups[0], "a": groups[1]}
    assert list(by_name(groups)) == ["b", "a"]


def test_unit_axes_are_right_handed_and_read_only() -> None:
    np.testing.assert_array_equal(np.cross(X_AXIS, Y_AXIS), Z_AXIS)
    with pytest.raises(ValueError, match="read-only"):
        X_AXIS[0] = 2.0
