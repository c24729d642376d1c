"""Unknown options and values are refused with the choices."""

from __future__ import annotations

from pathlib import Path

import pytest

import bridge
from tests.support.scenes import link, scene


def test_unknown_options_and_values(tmp_path: Path) -> None:
    given = scene([link("a")])
    with pytest.raises(TypeError, match="did you mean 'models'"):
        bridge.export_directives(given, tmp_path / "x", model="sdf")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="expected one of: sdf, urdf"):
        bridge.export_directives(given, tmp_path / "x", models="mjcf")  # type: ignore[arg-type]
    assert not (tmp_path / "x").exists()
