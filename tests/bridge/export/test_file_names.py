"""File names are plain, short and never those of the scene."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge.targets.xml import file_name

ARM = Path(__file__).parents[3] / "assets" / "double_pendulum.urdf"


def test_names_of_files() -> None:
    assert file_name("a b/c.urdf") == "a_b_c"
    assert file_name("Scene") == "Scene_model"
    assert file_name("...") == "model"
    assert len(file_name("x" * 300)) == 100


@pytest.mark.parametrize(
    "export", [bridge.export_mjcf, bridge.export_sdf, bridge.export_urdf, bridge.export_directives]
)
def test_an_export_makes_no_folder_that_is_named_as_a_file(
    export: Callable[..., Any], tmp_path: Path
) -> None:
    for name in ("x.xml", "x.sdf", "x.urdf", "x.dmd.yaml", "x.foo"):
        with pytest.raises(
            ValueError, match=f"{name} is named as a file, but an export is a folder"
        ):
            export(ARM, tmp_path / name, quiet=True)
    assert not list(tmp_path.iterdir())
    (tmp_path / "x.xml").mkdir()
    assert export(ARM, tmp_path / "x.xml", quiet=True).path.is_file()
    assert export(ARM, tmp_path / "arm_1.2", quiet=True).path.is_file()
