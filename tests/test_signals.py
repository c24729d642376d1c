"""The tests find the signals as a program in a terminal does, also where the shell has told them to ignore some."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def test_no_signal_that_ends_a_program_is_ignored() -> None:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert [
        s
        for s in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM)
        if signal.getsignal(s) == signal.SIG_IGN
    ] == []


@pytest.mark.slow
def test_so_it_is_in_a_background_job_of_a_shell() -> None:
    """A shell without job control starts such a job with SIGINT and SIGQUIT ignored, ``nohup`` with SIGHUP."""
    tests = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"{__file__}::{ALONE}"]
    shell = ["sh", "-c", "trap '' INT QUIT HUP TERM; exec \"$@\"", "sh"]
    done = subprocess.run(
        [*shell, *tests], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout


ALONE = test_no_signal_that_ends_a_program_is_ignored.__name__
