"""A link in the place of a folder, at any moment of an output, leads no file to where it points."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.output import write_folder

FILES = {"README.md": b"new", "meshes/a.obj": b"new"}
_looks: list[Callable[[], None]] = []


def _tell(event: str, _arguments: tuple[object, ...]) -> None:
    if _looks and event.startswith(("os.", "open", "shutil.")):
        look = _looks.pop()
        look()
        _looks.append(look)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no paths of open folders")
def test_a_link_in_the_place_of_the_new_folder_changes_nothing_outside(tmp_path: Path) -> None:
    """Before the n-th operation on files the new folder, which is hidden, becomes a link to a
    folder that has files of the same names, for each n.
    """
    outside = tmp_path / "outside"
    (outside / "meshes").mkdir(parents=True)
    for name in FILES:
        (outside / name).write_bytes(b"mine")
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    count = turn = exchanged = 0

    def look() -> None:
        nonlocal count, exchanged
        count += 1
        hidden = [path for path in place.iterdir() if path.name.startswith(".out.sdfbridge")]
        if count >= turn and exchanged < turn and hidden and not hidden[0].is_symlink():
            exchanged = turn
            hidden[0].rename(tmp_path / f"taken{turn}")
            hidden[0].symlink_to(outside)

    sys.addaudithook(_tell)
    while count >= turn:
        count, turn = 0, turn + 1
        place = tmp_path / f"place{turn}"
        place.mkdir()
        _looks.append(look)
        with contextlib.suppress(OSError):
            write_folder(place / "out", FILES)
        _looks.clear()
        after = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
        assert after == before, turn
    assert turn > 10
