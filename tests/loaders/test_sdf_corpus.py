"""Every file of the corpus is read or refused, quickly, and never with anything but a `LoadError`."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

import pytest

import loaders
from loaders import LoadError

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("SDFBRIDGE_CORPUS", ROOT.parent / "shared" / "corpus")) / "libsdformat"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not on this machine")


def entries() -> list[tuple[Path, list[Path]]]:
    if not CORPUS.is_dir():
        return []
    inputs = CORPUS / "inputs"
    listed = json.loads((CORPUS / "manifest.json").read_text())["shared"]
    files = {entry["source"]: entry["paths"] for entry in listed if not entry["source"].endswith(".urdf")}
    return [(inputs / source, [inputs / path for path in paths]) for source, paths in files.items()]


def outcome(source: Path, paths: list[Path]) -> object:
    """The scene as plain data, or the errors as text."""
    try:
        return loaders.load(source, paths=paths).to_dict()
    except LoadError as error:
        return str(error)


def seconds(source: Path, paths: list[Path]) -> float:
    start = time.process_time()
    with contextlib.suppress(LoadError):
        loaders.load(source, paths=paths)
    return time.process_time() - start


def test_no_file_brings_the_reader_down_or_keeps_it_long() -> None:
    slow = []
    for source, paths in entries():
        allowed = 0.05 + 30e-6 * source.read_bytes().count(b"<") / 2
        # once more if it took too long: a garbage collection or a busy machine is not the reader's
        if any(seconds(source, paths) <= allowed for _ in range(3)):
            continue
        slow.append(source)
    assert not slow


def test_the_same_file_gives_the_same_outcome() -> None:
    for source, paths in entries()[::40]:
        assert outcome(source, paths) == outcome(source, paths)
