"""File names are plain, short and never those of the scene."""

from __future__ import annotations

from bridge.export.file_names import file_name


def test_names_of_files() -> None:
    assert file_name("a b/c.urdf") == "a_b_c"
    assert file_name("Scene") == "Scene_model"
    assert file_name("...") == "model"
    assert len(file_name("x" * 300)) == 100
