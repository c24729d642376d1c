"""The command print writes a document that reads back as the model."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from bridge.cli import main

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


def test_includes_are_inserted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["print", str(ARM)]) == 0
    text = capsys.readouterr().out
    assert "<include>" not in text
    found = loaders.load_string(text, format="sdf", base=ARM.parent)
    assert [link.name for link in found.links] == [link.name for link in loaders.load(ARM).links]
    meshes = [
        {
            v.geometry.path
            for link in scene.links
            for v in link.visuals
            if isinstance(v.geometry, loaders.model.Mesh)
        }
        for scene in (found, loaders.load(ARM))
    ]
    assert meshes[0] == meshes[1] != {None}
