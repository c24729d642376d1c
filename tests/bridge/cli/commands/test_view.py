"""The command view: in a browser, or in MuJoCo's viewer, which needs a display."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from bridge.cli import main
from tests.support.command_line import ROOT, call, run

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


@pytest.mark.parametrize("display", ["", ":4095"])
def test_view_without_a_display_is_an_error_of_one_line(display: str) -> None:
    process = run("view", ARM, DISPLAY=display, WAYLAND_DISPLAY="")
    assert (process.returncode, process.stdout) == (3, "")
    assert process.stderr.startswith("sdfbridge: MuJoCo's viewer needs a display")
    assert process.stderr.count("\n") == 1


@pytest.mark.slow
def test_the_browser_gets_its_page_until_the_command_is_interrupted() -> None:
    pytest.importorskip("viser")
    words = [
        sys.executable,
        "-m",
        "sdfbridge",
        "view",
        str(ARM),
        str(ARM),
        "--browser",
        "--no-open",
        "--port",
        "0",
    ]
    with subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            url = process.stdout.readline().strip()
            with urllib.request.urlopen(url, timeout=30) as page:
                assert b"<html" in page.read()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 0
            assert "Ctrl-C" in process.stderr.read()
        finally:
            process.kill()


def test_the_view_is_written_as_a_page(tmp_path: Path) -> None:
    pytest.importorskip("viser")
    process = call("view", ARM, "--html", tmp_path / "arm.html")
    assert (process.returncode, process.stdout.strip()) == (0, str(tmp_path / "arm.html"))
    assert re.search("<html", (tmp_path / "arm.html").read_text(encoding="utf-8"))


def test_the_viewer_of_mujoco_shows_one_file() -> None:
    process = call("view", ARM, ARM)
    assert process.returncode == 2
    assert "--browser" in process.stderr


@pytest.mark.parametrize(
    "option", [("--actuators", "position"), ("--inertia", "repair"), ("--policy", "drake")]
)
def test_options_of_mujoco_are_refused_for_a_page(option: tuple[str, str], tmp_path: Path) -> None:
    assert main(["view", str(ARM), "--html", str(tmp_path / "arm.html"), *option]) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_page_is_named_as_json(tmp_path: Path) -> None:
    pytest.importorskip("viser")
    done = run("view", ROOT / "assets" / "leg.sdf", "--html", tmp_path / "leg.html", "--json")
    assert json.loads(done.stdout) == {"files": [str(tmp_path / "leg.html")]}
    assert (tmp_path / "leg.html").is_file()
