"""Run the command line, in this process or in a separate one."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

from bridge.cli import main

ROOT = Path(__file__).parents[2]


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m sdfbridge`` with these words and additional environment variables."""
    command = [sys.executable, "-m", "sdfbridge", *map(str, words)]
    settings = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        command, env=settings, capture_output=True, text=True, check=False, timeout=120
    )


def call(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Do what :func:`run` does, in this process: quicker, for tests that are not about a process."""
    printed, said = io.BytesIO(), io.BytesIO()
    out, err = (
        io.TextIOWrapper(to, encoding="utf-8", write_through=True) for to in (printed, said)
    )
    with (
        mock.patch.dict(os.environ, environment),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = main([*map(str, words)])
    texts = (text.getvalue().decode() for text in (printed, said))
    return subprocess.CompletedProcess(words, status, *texts)
