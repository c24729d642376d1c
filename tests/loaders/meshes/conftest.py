"""Fixtures of the tests in this folder."""

from __future__ import annotations

from pathlib import Path

import pytest
import trimesh

from loaders.diagnostics import Diagnostics
from loaders.meshes import MeshData, read_mesh
from loaders.model import Mesh
from tests.support.mesh_files import BOX_CORNERS, BOX_FACES


@pytest.fixture
def read(tmp_path: Path):
    """Write a file and read it as a mesh; the codes of what was reported stand in
    ``read.codes``.
    """

    def run(content: str | bytes, name: str = "mesh.dae", **options: object) -> MeshData | None:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        diagnostics = Diagnostics()
        data = read_mesh(Mesh(uri=name, path=str(path), **options), diagnostics)  # type: ignore[arg-type]
        run.codes = [entry.code for entry in diagnostics]  # type: ignore[attr-defined]
        run.messages = [entry.message for entry in diagnostics]  # type: ignore[attr-defined]
        return data

    return run


@pytest.fixture
def box() -> trimesh.Trimesh:
    return trimesh.Trimesh(BOX_CORNERS, BOX_FACES, process=False)
