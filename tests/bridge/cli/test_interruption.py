"""A command that is interrupted ends, also where a library discards the interruption or mistakes
it.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from bridge.cli.errors import INTERRUPTED
from tests.support.command_line import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
PROGRAM = """
import contextlib, os, signal, sys, time
import bridge.cli
import bridge.cli.execution

def discarding(options, words):
    with contextlib.suppress(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    time.sleep(60)

def mistaking(options, words):
    with contextlib.suppress(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    return 3

def ending(options, words):
    with contextlib.suppress(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    return 0

bridge.cli.execution.execute = {name}
status = bridge.cli.main(["check", "robot.urdf"])
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
sys.exit(status)
"""


@pytest.mark.parametrize(
    ("name", "status"), [("discarding", INTERRUPTED), ("mistaking", INTERRUPTED), ("ending", 0)]
)
def test_an_interruption_ends_the_command(name: str, status: int) -> None:
    program = PROGRAM.replace("{name}", name)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        timeout=50,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert ("interrupted" in done.stderr) == (status == INTERRUPTED)
    assert "Traceback" not in done.stderr
