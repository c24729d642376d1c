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
    with pytest.raises(ValueError, match=r"expected one of: .*, lowest"):
        bridge.to_sdf(given, version="1.13")
    with pytest.raises(ValueError, match="beside model_config"):
        bridge.to_sdf(given, world="always", model_config=True)
