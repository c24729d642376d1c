"""Each kind of failure has its exit status, one message, and no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.cli.errors import DIFFERENT, INTERRUPTED, MISSING, USAGE, UsageError
from tests.support.command_line import ROOT, call

ARM = Path(__file__).parents[3] / "assets" / "arm" / "model.sdf"


def test_wrong_usage_has_its_status() -> None:
    error = UsageError("expected a file", "usage: ...")
    assert (error.status, str(error), error.usage) == (USAGE, "expected a file", "usage: ...")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["compare", ARM, "--engines", "ode", "--level", "L0"], USAGE, "unknown engine 'ode'"),
        (["compare", ARM, "--set", "elbo=0.3", "--level", "L0"], USAGE, "unknown joint 'elbo'"),
        (["convert", ARM, "/proc/x"], USAGE, "cannot write /proc/x: "),
        (["demo", "/proc/x"], USAGE, "cannot write /proc/x: "),
        (["compare", ARM, "--report", "/proc/x", "--level", "L0"], USAGE, "cannot write /proc/x: "),
        (["graph", ARM, "-o", "/proc/x.svg"], USAGE, "cannot write /proc/x.svg: "),
        (["graph", ARM, "-o", "arm.jpg"], USAGE, "expected a file that ends in .dot, .svg or .png"),
        (["resolve", "-"], USAGE, "expected its name, not standard input"),
        (["check", ARM, "--json", "--format", "sarif"], USAGE, "exclude each other"),
        (["info", "/no/such/file.sdf"], DIFFERENT, "cannot read the file"),
        (["view", ARM], MISSING, "needs a display"),
    ],
    ids=lambda value: " ".join(map(str, value))[:40] if isinstance(value, list) else "",
)
def test_a_failure_has_a_status_and_a_message(
    words: list[object], status: int, message: str
) -> None:
    done = call(*words, DISPLAY="", WAYLAND_DISPLAY="")
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "Errno" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupted_command_ends_without_a_traceback() -> None:
    command = [sys.executable, "-m", "bridge", "compare", str(ARM), "--configurations", "1000000"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        try:
            assert process.stderr is not None
            assert process.stderr.readline().startswith("comparing")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, out) == (INTERRUPTED, "")
    assert "interrupted" in err
    assert "Traceback" not in err
