"""Meshes with a scale, and missing meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.model import Mesh
from tests.support.mesh_files import assert_box, collada


@pytest.mark.parametrize("scale", [(2, 3, 4), (-1, 1, 1), (1, -2, 1), (-1, -1, 1), (-1, -2, -3)])
def test_every_scale_keeps_the_outside_outside(read, scale: tuple[float, float, float]) -> None:
    corners = np.array(((0.0, 0.0, 0.0), np.multiply(scale, (1, 2, 3))))
    assert_box(read(collada(), scale=scale), tuple(corners.min(axis=0)), tuple(corners.max(axis=0)))


def test_a_missing_file_is_left_out(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    assert read_mesh(Mesh(uri="", path=str(tmp_path / "none.stl")), diagnostics) is None
    assert [entry.code for entry in diagnostics] == ["mesh.unreadable"]
    assert read_mesh(Mesh(uri="", path=None), diagnostics) is None


@pytest.mark.filterwarnings("error")
def test_a_number_past_all_others_is_reported_once_and_not_by_a_warning_of_numpy(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.obj").write_text("v 1e400 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    diagnostics = Diagnostics()
    assert read_mesh(Mesh(uri="", path=str(tmp_path / "a.obj")), diagnostics) is None
    assert [entry.code for entry in diagnostics] == ["mesh.unreadable"]
    assert "a coordinate is not finite" in next(iter(diagnostics)).message
