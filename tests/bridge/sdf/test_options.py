"""Unknown options and values are refused with the choices."""

from __future__ import annotations

import pytest

import bridge
from tests.support.scenes import link, scene


def test_unknown_options_and_values() -> None:
    given = scene([link("a")])
    with pytest.raises(TypeError, match="did you mean 'world'"):
        bridge.to_sdf(given, wrld="auto")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="auto, always, never"):
        bridge.to_sdf(given, world="perhaps")  # type: ignore[arg-type]
