"""An export states its source and the program."""

from __future__ import annotations

import hashlib
from pathlib import Path

from bridge.export.provenance import WRITTEN_BY, derivation, origin_comment, source_file
from loaders.scene import Scene


def test_the_derivation_has_the_hash_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "a.sdf").write_bytes(b"x")
    scene = Scene(name="a", source=str(tmp_path / "a.sdf"))
    text = "\n".join(derivation(scene, "export_sdf", "a", {"world": "never"}))
    assert hashlib.sha256(b"x").hexdigest() in text
    assert '`bridge.export_sdf("a.sdf", "a", world="never")`' in text
    assert origin_comment(scene).startswith(WRITTEN_BY)
    assert source_file(Scene(name="a")) == "a scene in memory"
