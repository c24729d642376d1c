"""Mesh assets of exports: files to make them from, and an independent reader of the result."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import trimesh

from bridge.geometry.mesh import mesh_asset
from loaders.diagnostics import Diagnostics, Where
from loaders.model import Mesh

HERE = Where("robot.sdf", 3)
"""The element that names the mesh."""


def written(folder: Path, mesh: Any, name: str = "part.obj") -> Mesh:
    """Write a trimesh as a file and return the geometry that names it."""
    path = folder / name
    mesh.export(path)
    return Mesh(uri=name, path=str(path))


def read_back(asset: Any) -> Any:
    """Read an asset with trimesh, an independent reader of OBJ."""
    return trimesh.load(io.BytesIO(asset.data), file_type="obj", force="mesh", process=False)


def codes(diagnostics: Diagnostics) -> list[str]:
    """List the codes of findings in order."""
    return [entry.code for entry in diagnostics]


def made(mesh: Mesh, **options: Any) -> tuple[Any, Diagnostics]:
    """Convert a mesh for MuJoCo; return its assets and the findings."""
    diagnostics = Diagnostics()
    return mesh_asset(mesh, "mjcf", diagnostics, where=HERE, **options), diagnostics
