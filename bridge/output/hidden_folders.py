"""The hidden folders beside an output folder: drafts, and the old content that a draft was exchanged for.

A hidden folder ``.NAME.sdfbridge-INODE-XXXX`` is made with its own inode in its name. After the exchange the old
content has this name, and another inode. After a kill, the inode distinguishes a draft from old content: a draft is
removed; old content is removed unless it has files that were edited or added at the last moment.
"""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import os
import re
import secrets
import shutil
import stat
from pathlib import Path

from .manifest import MANIFEST, folder_state

_HIDDEN = ".sdfbridge-"
_TOKENS = re.compile(r"(?:(?P<inode>[0-9a-f]+)-)?[0-9a-f]{8}(?P<aside>-old)?")
"""Tokens that follow in the name of a hidden folder."""
_ASIDE = "-old"
"""Suffix of an old folder that is moved aside where the system cannot exchange folders."""
_MAX_NAME = 200
"""Longest name of a folder [bytes] that the names of its hidden folders repeat; file systems allow about 255."""


def _prefix(place: Path) -> str:
    """Return how the names of the hidden folders beside an output folder begin."""
    name = os.fsencode(place.name)
    return f".{place.name if len(name) <= _MAX_NAME else hashlib.sha256(name).hexdigest()}{_HIDDEN}"


def new_hidden_folder(place: Path) -> Path:
    """Make an empty hidden folder beside an output folder and return it.

    Args:
        place: The output folder.

    Raises:
        OSError: if it cannot be made.
    """
    token = secrets.token_hex(4)
    nameless = place.with_name(f"{_prefix(place)}{token}")
    nameless.mkdir()
    hidden = place.with_name(f"{_prefix(place)}{nameless.stat().st_ino:x}-{token}")
    try:
        nameless.rename(hidden)
    except BaseException:
        shutil.rmtree(nameless, ignore_errors=True)
        raise
    return hidden


def aside_of(hidden: Path) -> Path:
    """Return where the old content is moved, beside a hidden folder, where folders cannot be exchanged."""
    return hidden.with_name(hidden.name + _ASIDE)


def remove_leftovers(place: Path) -> None:
    """Remove the hidden folders that killed processes left; nobody else may write any meanwhile.

    Args:
        place: The output folder. If it does not exist, the old content that was moved aside is put back.
    """
    prefix = _prefix(place)
    hidden = (entry for entry in os.scandir(place.parent) if entry.name.startswith(prefix))
    for entry in sorted(hidden, key=lambda entry: entry.name):
        tokens = _tokens(entry.name, place)
        if tokens is not None and entry.is_dir(follow_symlinks=False):
            if tokens["aside"] and not place.exists():
                Path(entry.path).rename(place)
            else:
                discard(Path(entry.path), place)


def _tokens(name: str, place: Path) -> re.Match[str] | None:
    """Return what the name of a hidden folder of this output folder says; None for any other name."""
    prefix = _prefix(place)
    return _TOKENS.fullmatch(name.removeprefix(prefix)) if name.startswith(prefix) else None


def discard(hidden: Path, place: Path) -> None:
    """Remove a hidden folder if it exists, but no file of the user's that is nowhere else.

    Args:
        hidden: The hidden folder.
        place: The output folder.
    """
    if hidden.is_dir() and (_is_draft(hidden, place) or not _has_more(hidden, place)):
        remove_output(hidden)


def remove_output(folder: Path) -> None:
    """Remove a folder, its manifest last, so that a folder that a kill leaves still lists what belongs to it.

    Args:
        folder: The folder.
    """
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            elif entry.name != MANIFEST:
                os.remove(entry.path)
        shutil.rmtree(folder)


def _is_draft(hidden: Path, place: Path) -> bool:
    tokens = _tokens(hidden.name, place)
    if tokens is None or tokens["aside"]:
        return False
    return tokens["inode"] is None or tokens["inode"] == f"{hidden.stat().st_ino:x}"


def _has_more(old: Path, place: Path) -> bool:
    """Return whether old content has files that were edited, or foreign ones that are not in place too."""
    state = folder_state(old)
    return bool(state.edited) or any(not _is_copied(old / path, place / path) for path in state.foreign)


def _is_copied(old: Path, new: Path) -> bool:
    """Return whether a file, or every file below a folder, has a second name or a copy at another place."""
    pending = [(old, new)]
    while pending:
        a, b = pending.pop()
        if stat.S_ISDIR(a.lstat().st_mode):
            pending += [(a / name, b / name) for name in os.listdir(a)]
        elif not _is_same(a, b):
            return False
    return True


def _is_same(a: Path, b: Path) -> bool:
    try:
        first, second = a.lstat(), b.lstat()
        if os.path.samestat(first, second):
            return True
        if stat.S_ISREG(first.st_mode) and stat.S_ISREG(second.st_mode):
            return filecmp.cmp(a, b, shallow=False)
        return stat.S_ISLNK(first.st_mode) and stat.S_ISLNK(second.st_mode) and os.readlink(a) == os.readlink(b)
    except OSError:
        return False
