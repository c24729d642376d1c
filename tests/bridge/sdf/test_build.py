"""The options are checked, and a loss is an error if that is asked for."""

from __future__ import annotations

import pytest

import bridge
from bridge.targets.sdf.document import build
from loaders.diagnostics import ExportError
from tests.support.scenes import joint, link, scene


def test_strict_refuses_a_loss() -> None:
    given = scene(
        [link("a")], [joint("j", "world", "a", default_position=(0.5,), axis={"effort": 0.0})]
    )
    assert [entry.code for entry in build(given, {}).diagnostics] == ["sdfout.default-position"]
    with pytest.raises(ExportError, match="initial positions"):
        bridge.to_sdf(given, strict=True)
