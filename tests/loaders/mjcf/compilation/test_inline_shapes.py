"""Meshes and height fields in the document, against MuJoCo's own after an export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from tests.support.mjcf_documents import document

MESH = '<mesh name="m" vertex="0 0 0 1 0 0 0 2 0 0 0 3" scale="0.5 1 1"/>'
FIELD = '<hfield name="h" nrow="2" ncol="3" size="1 2 0.5 0.1" elevation="0 1 2 3 4 6"/>'


@pytest.fixture
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    import mujoco

    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path))

    def make(asset: str, geom: str) -> tuple[Any, Any]:
        text = document(
            f'<body pos="0 0 1"><geom {geom} euler="10 20 30"/></body>', f"<asset>{asset}</asset>"
        )
        mjcf = bridge.to_mjcf(loaders.load_string(text, format="mjcf", quiet=True), quiet=True)
        return mujoco.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(
            mjcf, mjcf.assets
        )

    return make


def corners(model: Any) -> np.ndarray:
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    g = int(np.flatnonzero(model.geom_contype)[0])
    vertices = model.mesh_vert @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]
    return vertices[np.lexsort(vertices.round(5).T)]


def test_a_mesh_of_the_document_is_where_it_was(exported: Any) -> None:
    original, other = exported(MESH, 'type="mesh" mesh="m"')
    assert np.allclose(corners(original), corners(other), atol=1e-6)


def test_the_heights_of_the_document_are_those_of_the_export(exported: Any) -> None:
    """MuJoCo reads pictures with eight bits."""
    original, other = exported(FIELD, 'type="hfield" hfield="h"')
    assert np.allclose(original.hfield_data, other.hfield_data, atol=1.0 / 255.0)
    assert original.hfield_size[0, :3].tolist() == other.hfield_size[0, :3].tolist()
