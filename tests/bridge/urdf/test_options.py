"""Unknown options and values are refused with the choices."""

from __future__ import annotations

import pytest

import bridge
from tests.support.scenes import link, scene


def test_unknown_options_and_values() -> None:
    given = scene([link("a")])
    with pytest.raises(TypeError, match="did you mean 'extensions'"):
        bridge.to_urdf(given, extension=())  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="drake, gazebo, pybullet"):
        bridge.to_urdf(given, extensions=("ros",))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a sequence"):
        bridge.to_urdf(given, extensions="drake")  # type: ignore[arg-type]
