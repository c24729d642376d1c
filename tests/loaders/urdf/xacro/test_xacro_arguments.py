"""Arguments of xacro: texts, numbers and Booleans by name."""

from __future__ import annotations

from typing import Any

import pytest

from loaders.urdf.xacro import xacro_arguments


def test_numbers_and_booleans_become_the_texts_of_xacro() -> None:
    given = {"name": "ur5e", "n": 2, "length": 0.5, "gripper": True}
    assert xacro_arguments(given) == {"name": "ur5e", "n": "2", "length": "0.5", "gripper": "true"}


@pytest.mark.parametrize("given", [["n:=2"], "n:=2", {"n": None}, {1: "a"}, {"n": [2]}])
def test_anything_else_is_refused_with_an_example(given: Any) -> None:
    with pytest.raises(TypeError, match="expected texts, numbers or Booleans by name, such as"):
        xacro_arguments(given)
