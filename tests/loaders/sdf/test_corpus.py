"""Every file of the libsdformat corpus is read, or rejected with a `LoadError`."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import pytest

import loaders
from loaders import LoadError

ROOT = Path(__file__).parents[3]
CORPUS = Path(os.environ.get("SDFBRIDGE_CORPUS", ROOT.parent / "shared" / "corpus")) / "libsdformat"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not on this machine")


def entries() -> list[tuple[Path, list[Path]]]:
    if not CORPUS.is_dir():
        return []
    inputs = CORPUS / "inputs"
    listed = json.loads((CORPUS / "manifest.json").read_text())["shared"]
    files = {
        entry["source"]: entry["paths"] for entry in listed if not entry["source"].endswith(".urdf")
    }
    return [(inputs / source, [inputs / path for path in paths]) for source, paths in files.items()]


def outcome(source: Path, paths: list[Path]) -> object:
    """Return the scene as plain data, or the errors as text."""
    try:
        return loaders.load(source, paths=paths).to_dict()
    except LoadError as error:
        return str(error)


def test_no_file_raises_another_exception_than_load_error() -> None:
    for source, paths in entries():
        with contextlib.suppress(LoadError):
            loaders.load(source, paths=paths)


def test_loading_a_file_twice_gives_the_same_result() -> None:
    for source, paths in entries()[::40]:
        assert outcome(source, paths) == outcome(source, paths)
