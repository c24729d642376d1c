"""A loss is an error if that is asked for."""

from __future__ import annotations

import pytest

import bridge
from bridge.targets.urdf.document import build
from loaders.diagnostics import ExportError
from tests.support.scenes import joint, link, scene


def test_strict_refuses_a_loss() -> None:
    given = scene([link("a")], [joint("j", "world", "a", default_position=(0.5,))])
    assert [entry.code for entry in build(given, {}).diagnostics] == ["urdfout.field"]
    with pytest.raises(ExportError, match="default position"):
        bridge.to_urdf(given, strict=True)
