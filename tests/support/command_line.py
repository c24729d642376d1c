"""Run the command line as a separate process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m bridge`` with these words and additional environment variables."""
    command = [sys.executable, "-m", "bridge", *map(str, words)]
    settings = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        command, env=settings, capture_output=True, text=True, check=False, timeout=120
    )
