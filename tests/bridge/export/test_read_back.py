"""A written file is compared with the scene that it should say."""

from __future__ import annotations

import pytest

import bridge
from bridge.export.read_back import read_back, require_equal
from bridge.sdf.build import build
from loaders.diagnostics import ExportError
from tests.support.scenes import link, scene

CODE = "sdfout.read-back"


def test_equal_and_other_scenes_and_invalid_files() -> None:
    given = scene([link("a")])
    files = {"x.sdf": str(bridge.to_sdf(given)).encode()}
    same = build(given, {}).form.scene
    assert read_back(files, "x.sdf", same, CODE) == ()
    assert read_back({"x.sdf": b"<sdf"}, "x.sdf", same, CODE) != ()
    with pytest.raises(ExportError):
        require_equal(read_back(files, "x.sdf", scene([link("b")]), CODE))
