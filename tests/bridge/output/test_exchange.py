"""The exchange of two folders in one step of the file system."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.output.folder import exchange


def test_exchange_is_one_step_and_refuses_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "x").touch()
    exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b" / "x").exists()
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "a", tmp_path / "nowhere")
