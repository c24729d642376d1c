"""Names of files in what people read."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.cli.json_report import shown_path


def test_a_path_below_the_current_folder_is_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown_path(str(tmp_path / "robots" / "a.sdf")) == "robots/a.sdf"
    assert shown_path("robots/a.sdf") == "robots/a.sdf"
    assert shown_path("/elsewhere/a.sdf") == "/elsewhere/a.sdf"
    assert shown_path("<string>.sdf") == "<stdin>"
    assert shown_path("") == ""
