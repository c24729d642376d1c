"""The files of an assembly that do not read back are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import bridge
from bridge.directives.folder import _contents as contents_of
from loaders import model as m
from loaders.diagnostics import ExportError
from loaders.spatial import IDENTITY
from tests.support.scenes import UNIT_BOX, link, scene

MODELS = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in "mn")
TWO = scene([link("m::a", model="m"), link("n::a", model="n")], models=MODELS)


def test_a_missing_model_is_found() -> None:
    contents = contents_of(TWO, {})
    contents.require_equal()
    text = contents.files[contents.main].decode()
    contents.files[contents.main] = text.replace("name: n\n", "name: other\n").encode()
    with pytest.raises(ExportError, match="n::a is only in A"):
        contents.require_equal()


def test_models_with_files_of_the_same_name_keep_their_own(tmp_path: Path) -> None:
    names = ("M", "m")
    links = [link(f"{name}::a", model=name, shape=UNIT_BOX) for name in names]
    models = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in names)
    result = bridge.export_directives(scene(links, models=models), tmp_path / "out")
    assert {file.lower() for file in result.files if file.endswith(".sdf")} == {"m.sdf", "m_2.sdf"}
