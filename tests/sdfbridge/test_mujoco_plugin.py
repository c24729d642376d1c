"""Importing the plugin registers it; the rest is tested with `bridge.mujoco_plugin`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_another_bridge_is_an_import_error_with_both_paths(tmp_path: Path) -> None:
    (tmp_path / "bridge.py").write_text("", encoding="utf-8")
    command = [sys.executable, "-c", "import sdfbridge.mujoco_plugin"]
    environment = {"PYTHONPATH": str(ROOT)}
    child = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert f"in {ROOT / 'bridge'} is hidden by {tmp_path / 'bridge.py'}" in child.stderr
