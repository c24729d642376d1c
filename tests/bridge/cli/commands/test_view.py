"""The command view needs a display."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import run

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


@pytest.mark.parametrize("display", ["", ":4095"])
def test_view_without_a_display_is_an_error_of_one_line(display: str) -> None:
    process = run("view", ARM, DISPLAY=display, WAYLAND_DISPLAY="")
    assert (process.returncode, process.stdout) == (3, "")
    assert process.stderr.startswith("sdfbridge: MuJoCo's viewer needs a display")
    assert process.stderr.count("\n") == 1
