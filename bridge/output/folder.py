"""Writing of an output folder: manifest, drafts, exchange in one step, and the journal of a long
run.

Linux has ``renameat2`` with ``RENAME_EXCHANGE`` and macOS ``renamex_np`` with ``RENAME_SWAP``:
after any interruption one folder or the other is in its place, whole. Python offers neither, so
both are called through the C library.

A hidden folder ``.NAME.sdfbridge-INODE-XXXX`` is made with its own inode in its name. After the
exchange the old content has this name, and another inode. After a kill, the inode distinguishes a
draft from old content: a draft is removed; old content is removed unless it has files that were
edited or added at the last moment.

The manifest lies in the folder itself. A file that it lists with another hash was edited since; an
entry that it does not list belongs to somebody else.

The new content is written into a hidden folder beside the output folder and takes its place in one
step of the file system. A kill at any moment leaves the old folder or the new one; the hidden
folder that it may leave is removed by the next output in the same place. A lock on the parent
folder makes outputs at once wait for each other.

A journal is a file of lines that grows while a long run works, and survives its interruption at any
point. A line is appended with one call of the operating system, so that a kill leaves it whole or
not at all. After a power failure the last line may be torn, and those of the last moments may be
missing; a torn line is removed before more are appended.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import filecmp
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Self

from loaders.text import check_flag

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


class ExchangeUnsupportedError(OSError):
    """The operating system or the file system cannot exchange two folders in one step."""


@cache
def _library() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(None, use_errno=True)
    except (OSError, TypeError):  # Windows
        return None


def exchange(a: Path, b: Path) -> None:
    """Exchange two existing folders on one file system, in one step.

    Args:
        a: The first folder.
        b: The second folder.

    Raises:
        ExchangeUnsupportedError: if the system cannot do it.
        OSError: if the system refuses, for example for want of permission.
    """
    library = _library()
    first, second = os.fsencode(a), os.fsencode(b)
    if sys.platform.startswith("linux") and hasattr(library, "renameat2"):
        status = library.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, _RENAME_EXCHANGE)  # type: ignore[union-attr]
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        status = library.renamex_np(first, second, _RENAME_SWAP)  # type: ignore[union-attr]
    else:
        raise ExchangeUnsupportedError(
            errno.ENOSYS, "folders cannot be exchanged in one step on this system", str(a)
        )
    if status != 0:
        code = ctypes.get_errno()
        kind = ExchangeUnsupportedError if code in _UNSUPPORTED else OSError
        raise kind(code, os.strerror(code), str(b))


MANIFEST = ".sdfbridge-manifest.json"
"""Name of the manifest in an output folder."""

_FORMAT = 1
_MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FolderState:
    """The entries of an existing output folder, compared with its manifest.

    Attributes:
        edited: Files of the manifest whose content has changed since, or that are not regular files
            any more.
        foreign: Entries that no export wrote: files, links, and folders that the manifest does not
            need.
    """

    edited: tuple[str, ...]
    foreign: tuple[str, ...]


def manifest_text(files: Mapping[str, bytes]) -> bytes:
    """Return the manifest of these files.

    Args:
        files: Content of each file, by its path in the folder with ``/`` between the parts.
    """
    hashes = {file: hashlib.sha256(data).hexdigest() for file, data in sorted(files.items())}
    return (json.dumps({"sdfbridge": _FORMAT, "files": hashes}, indent=1) + "\n").encode()


def folder_state(folder: Path) -> FolderState:
    """Compare an existing folder with the manifest in it; without a manifest every entry is
    foreign.
    """
    hashes = _read_hashes(folder / MANIFEST)
    folders: set[str] = set()
    for file in hashes:
        parts = file.split("/")
        folders |= {"/".join(parts[:i]) for i in range(1, len(parts))}
    edited: list[str] = []
    foreign: list[str] = []
    for path, is_folder in _entries(folder, folders):
        if is_folder or path == MANIFEST:
            continue
        if path not in hashes:
            foreign.append(path)
        elif _hash(folder / path) != hashes[path]:
            edited.append(path)
    return FolderState(edited=tuple(sorted(edited)), foreign=tuple(sorted(foreign)))


def _entries(folder: Path, folders: Collection[str]) -> list[tuple[str, bool]]:
    """Every entry by its path, and whether it is a folder of the manifest, into which the walk
    descends.
    """
    found: list[tuple[str, bool]] = []
    pending = [""]
    while pending:
        prefix = pending.pop()
        for entry in os.scandir(folder / prefix):
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            is_folder = path in folders and entry.is_dir(follow_symlinks=False)
            found.append((path, is_folder))
            if is_folder:
                pending.append(path)
    return found


def _read_hashes(path: Path) -> dict[str, str]:
    """Return the hash of each file that a manifest lists; nothing if there is no manifest that can
    be trusted.
    """
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return {}
        content = json.loads(path.read_bytes())
        files = content["files"] if content["sdfbridge"] == _FORMAT else {}
        return {str(file): str(digest) for file, digest in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _hash(path: Path) -> str:
    """Return the hash of a regular file; empty for anything else."""
    if not stat.S_ISREG(path.lstat().st_mode):
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_HIDDEN = ".sdfbridge-"
_TOKENS = re.compile(r"(?:(?P<inode>[0-9a-f]+)-)?[0-9a-f]{8}(?P<aside>-old)?")
"""Tokens that follow in the name of a hidden folder."""
_ASIDE = "-old"
"""Suffix of an old folder that is moved aside where the system cannot exchange folders."""
_MAX_NAME = 200
"""Longest name of a folder [bytes] that the names of its hidden folders repeat; file systems allow
about 255."""


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
    """Return where the old content is moved, beside a hidden folder, where folders cannot be
    exchanged.
    """
    return hidden.with_name(hidden.name + _ASIDE)


def remove_leftovers(place: Path) -> None:
    """Remove the hidden folders that killed processes left; nobody else may write any meanwhile.

    Args:
        place: The output folder. If it does not exist, the old content that was moved aside is put
            back.
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
    """Return what the name of a hidden folder of this output folder says; None for any other
    name.
    """
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
    """Remove a folder, its manifest last, so that a folder that a kill leaves still lists what
    belongs to it.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
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
    """Return whether old content has files that were edited, or foreign ones that are not in place
    too.
    """
    state = folder_state(old)
    return bool(state.edited) or any(
        not _is_copied(old / path, place / path) for path in state.foreign
    )


def _is_copied(old: Path, new: Path) -> bool:
    """Return whether a file, or every file below a folder, has a second name or a copy at another
    place.
    """
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
        return (
            stat.S_ISLNK(first.st_mode)
            and stat.S_ISLNK(second.st_mode)
            and os.readlink(a) == os.readlink(b)
        )
    except OSError:
        return False


_MAX_NAMED = 10

_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF, errno.EINVAL, errno.ENOSYS}
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV, errno.ENOSYS}


class OutputFolderError(FileExistsError):
    """The output folder cannot be written without harm to files that are not the export's."""


def write_folder(
    folder: str | os.PathLike[str],
    files: Mapping[str, bytes],
    *,
    force: bool = False,
    private: bool = False,
) -> Path:
    """Write files as a folder that appears whole or not at all.

    An earlier output in its place is replaced if none of its files was edited and nothing was added
    to it.

    Args:
        folder: The folder to write. A symbolic link is followed to its folder.
        files: Content of each file, by its path in the folder with ``/`` between the parts.
        force: Whether files that were edited, and foreign files with the names of new ones, may be
            overwritten. Other foreign files stay in the folder.
        private: Whether only the user may read the files, and the folders that are made; the
            folder takes the place of a symbolic link then.

    Returns:
        The folder with symbolic links resolved.

    Raises:
        OutputFolderError: if the folder holds edited or foreign files, or is a file, read-only, a
            mount point, the current folder or above it. With ``force``: if a foreign folder stands
            where a file must be written.
        TypeError: if ``force`` is neither true nor false.
        ValueError: if a path in ``files`` leads out of the folder.
        OSError: if the file system refuses; the old content is in place then.
    """
    check_flag("force", force)
    _check_paths(files)
    place = Path(os.path.abspath(folder) if private else os.path.realpath(folder))
    with explained(place):
        if private and place.is_symlink():
            place.unlink()
        _check_place(place)
        make_folders(place.parent, private=private)
        with locked(place):
            replace_folder(place, files, force=force, private=private)
    return place


def make_folders(folder: Path, *, private: bool) -> None:
    """Make a folder and those around it, unless they exist.

    Args:
        folder: The folder.
        private: Whether only the user may list those that are made.

    Raises:
        OSError: if the file system refuses.
    """
    if not private:
        folder.mkdir(parents=True, exist_ok=True)
        return
    missing = [folder, *folder.parents]
    missing = missing[: next(i for i, place in enumerate(missing) if place.is_dir())]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)


def check_folder(folder: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse at once what `write_folder` would refuse, before the work for the output begins.

    Args:
        folder: The folder to write.
        force: See `write_folder`.

    Raises:
        OutputFolderError: if the folder cannot be written without harm to files that are not the
        output's.
        OSError: if the folder cannot be read.
    """
    check_flag("force", force)
    place = Path(os.path.realpath(folder))
    with explained(place):
        _check_place(place)
        _check_content(place, (), force=force)


def replace_folder(
    place: Path, files: Mapping[str, bytes], *, force: bool, private: bool = False
) -> None:
    """Write files as a folder whose parent folder is `locked`.

    Args:
        place: The folder, with symbolic links resolved.
        files: See `write_folder`.
        force: See `write_folder`.
        private: See `write_folder`.

    Raises:
        OutputFolderError: see `write_folder`.
        OSError: if the file system refuses; the old content is in place then.
    """
    state = _check_content(place, files, force=force)
    fresh = new_hidden_folder(place)
    try:
        if private:
            fresh.chmod(0o700)
        _fill(fresh, files, private=private)
        for path in state.foreign:
            _keep(place / path, fresh / path, {fresh / file for file in files})
        _take_place(fresh, place, state)
    finally:
        discard(fresh, place)


@contextlib.contextmanager
def explained(place: Path) -> Iterator[None]:
    """Name the output folder in the errors of the file system, which name hidden folders otherwise.

    Args:
        place: The output folder.

    Raises:
        OSError: with the name of the output folder, in the place of another one.
    """
    try:
        yield
    except OutputFolderError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(
            error.errno, f"the output folder cannot be written: {reason}", str(place)
        ) from error


# --- checks ---------------------------------------------------------------------------------------


def _check_paths(files: Mapping[str, bytes]) -> None:
    for file in files:
        parts = file.split("/")
        if (
            not file
            or file == MANIFEST
            or any(part in {"", ".", ".."} or "\0" in part for part in parts)
        ):
            raise ValueError(f"invalid path in an output folder: {file!r}")


def _check_place(place: Path) -> None:
    """Refuse a place that cannot be replaced: a file, a read-only or mounted folder, the current
    folder or above it.
    """
    if place.exists() and not place.is_dir():
        raise OutputFolderError(f"{place} is a file, not a folder; choose another output folder")
    above = next((parent for parent in place.parents if parent.exists()), None)
    if above is not None and not above.is_dir():
        raise OutputFolderError(
            f"{above} is a file, so that {place} cannot be written; choose another output folder"
        )
    if place.is_dir() and not os.access(
        place, os.W_OK, effective_ids=os.access in os.supports_effective_ids
    ):
        raise OutputFolderError(
            f"{place} is read-only; make it writable, or choose another output folder"
        )
    current = Path(os.path.realpath("."))
    if place == current or place in current.parents:
        raise OutputFolderError(
            f"{place} is the current folder or above it; choose a separate folder for the output"
        )
    if place.is_dir() and os.path.ismount(place):
        raise OutputFolderError(
            f"{place} is a mount point and cannot be replaced; choose a folder inside it"
        )


def _check_content(place: Path, files: Collection[str], *, force: bool) -> FolderState:
    """Refuse to replace what no export wrote, unless forced; return what is in the folder."""
    state = folder_state(place) if place.is_dir() else FolderState((), ())
    if not force and (state.edited or state.foreign):
        raise OutputFolderError(_refusal(place, state.edited, state.foreign))
    blocking = next((file for file in files if stat.S_ISDIR(_mode(place / file))), None)
    if blocking is not None and any(
        blocking == path or blocking.startswith(path + "/") for path in state.foreign
    ):
        raise OutputFolderError(
            f"{place / blocking} is a folder where a file must be written; move it"
        )
    return state


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _refusal(place: Path, edited: Sequence[str], foreign: Sequence[str]) -> str:
    lines = [f"the output folder {place} is not replaced:"]
    lines += [f"  edited since it was written: {_named(edited)}"] if edited else []
    lines += [f"  not written by sdfbridge: {_named(foreign)}"] if foreign else []
    return "\n".join(
        [*lines, "move these files, choose another folder, or overwrite with force (--force)"]
    )


def _named(paths: Sequence[str]) -> str:
    rest = len(paths) - _MAX_NAMED
    return ", ".join(paths[:_MAX_NAMED]) + (f" and {rest} more" if rest > 0 else "")


# --- writing --------------------------------------------------------------------------------------


@contextlib.contextmanager
def locked(place: Path) -> Iterator[None]:
    """Let no other process write an output folder, and remove what killed processes left beside it.

    The lock is that of the parent folder; it ends with the process and leaves no file.

    Args:
        place: The output folder; its parent folder exists.

    Raises:
        OSError: if the file system refuses.
    """
    try:
        import fcntl
    except (
        ImportError
    ):  # Windows has no lock on folders; a rename fails there instead of mixing two outputs
        yield
        return
    handle = os.open(place.parent, os.O_RDONLY)
    try:
        is_locked = True
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError as error:  # some network file systems
            if error.errno not in _NO_LOCKS:
                raise
            is_locked = False
        if is_locked:
            remove_leftovers(place)
        yield
    finally:
        os.close(handle)


def _fill(fresh: Path, files: Mapping[str, bytes], *, private: bool) -> None:
    """Write the new content and its manifest, over no file that exists, and through no link that
    somebody may put in the place of the new folder.
    """
    with _opened_folder(fresh) as folder:
        for file, data in {**files, MANIFEST: manifest_text(files)}.items():
            path = folder / PurePosixPath(file)
            make_folders(path.parent, private=private)
            with path.open("xb") as stream:
                stream.write(data)
            if private:
                path.chmod(0o600)


@contextlib.contextmanager
def _opened_folder(folder: Path) -> Iterator[Path]:
    """Provide a path to an open folder, which stays the same whatever takes its place; where the
    system has none, the path of the folder.

    Raises:
        OSError: if it is a link by now.
    """
    flags = [getattr(os, name, 0) for name in ("O_DIRECTORY", "O_NOFOLLOW")]
    if not all(flags) or not os.path.isdir("/proc/self/fd"):  # Windows opens no folder
        yield folder
        return
    handle = os.open(folder, sum(flags, os.O_RDONLY))
    try:
        yield Path(f"/proc/self/fd/{handle}")
    finally:
        os.close(handle)


def _keep(source: Path, target: Path, written: Collection[Path]) -> None:
    """Give a foreign file, or all files below a foreign folder, a second name, where no new file is
    written.
    """
    pending = [(source, target)]
    while pending:
        old, new = pending.pop()
        if stat.S_ISDIR(_mode(old)):
            new.mkdir(parents=True, exist_ok=True)
            pending.extend((Path(entry.path), new / entry.name) for entry in os.scandir(old))
            shutil.copystat(old, new)
        elif new not in written and not new.is_dir():
            _link(old, new)


def _link(old: Path, new: Path) -> None:
    """Give a file a second name; copy it where the file system has no links."""
    new.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(old, new, follow_symlinks=False)
    except (NotImplementedError, OSError) as error:  # Windows follows links, or cannot tell
        if isinstance(error, OSError) and error.errno not in _NO_LINKS:
            raise
        shutil.copy2(old, new, follow_symlinks=False)


def _take_place(fresh: Path, place: Path, state: FolderState) -> None:
    """Put the new folder in the place of the old one, and remove the old one.

    Raises:
        OutputFolderError: if the old folder changed since it was checked; it is back in its place
        then.
    """
    if place.is_dir():
        fresh.chmod(stat.S_IMODE(place.stat().st_mode))
    if not place.is_dir() or not os.listdir(place):
        fresh.rename(place)
        return
    _swap(fresh, place)
    changed = folder_state(fresh)
    if changed != state:
        _swap(fresh, place)
        raise OutputFolderError(_refusal(place, changed.edited, changed.foreign))
    remove_output(fresh)


def _swap(fresh: Path, place: Path) -> None:
    try:
        exchange(fresh, place)
    except ExchangeUnsupportedError:
        aside = aside_of(fresh)
        try:
            place.rename(aside)
            fresh.rename(place)
        except BaseException:
            if aside.exists() and not place.exists():
                aside.rename(place)
            raise
        aside.rename(fresh)


_SYNC_INTERVAL = 0.5
"""Time between two requests to the operating system to put lines on the disk [s]."""
_CHUNK = 1 << 16


class Journal:
    """An open file of lines to which one process appends.

    Attributes:
        path: The file.
    """

    def __init__(self, path: str | os.PathLike[str], *, keep: bool) -> None:
        """Open or create the file.

        Args:
            path: The file; its folder exists.
            keep: Whether to keep the whole lines of an existing file.

        Raises:
            OSError: if the file system refuses.
        """
        self.path = Path(path)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        self._handle = os.open(self.path, flags, 0o666)
        self._end = _end_of_whole_lines(self._handle) if keep else 0
        self._synced = time.monotonic()
        os.ftruncate(self._handle, self._end)

    def append(self, line: bytes) -> int:
        """Append a line and return where it begins.

        Args:
            line: The text without its end.

        Raises:
            OSError: if the file system refuses; nothing remains of the line then.
        """
        begin, data = self._end, memoryview(line + b"\n")
        os.lseek(self._handle, begin, os.SEEK_SET)
        try:
            while data:
                data = data[os.write(self._handle, data) :]
        except OSError as error:
            os.ftruncate(self._handle, begin)
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        self._end += len(line) + 1
        if time.monotonic() - self._synced > _SYNC_INTERVAL:
            self._sync()
        return begin

    def close(self) -> None:
        """Put all lines on the disk and close the file."""
        if self._handle >= 0:
            self._sync()
            os.close(self._handle)
            self._handle = -1

    def _sync(self) -> None:
        with contextlib.suppress(OSError):  # pipes and some network file systems have no such call
            os.fsync(self._handle)
        self._synced = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def whole_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """Yield where each line of a file begins, and its text; a last line without an end is left out.

    Args:
        path: The file; none is yielded if it does not exist.
    """
    if not Path(path).is_file():
        return
    begin = 0
    with open(path, "rb") as stream:
        for line in stream:
            if line.endswith(b"\n"):
                yield begin, line[:-1]
            begin += len(line)


def set_aside(path: Path, name: str) -> None:
    """Give a file of lines another name in the same folder, unless there is an earlier file of this
    name.

    Args:
        path: The file; nothing is done if it does not exist or has no whole line.
        name: The other name.

    Raises:
        OSError: if the file system refuses.
    """
    aside = path.with_name(name)
    if not aside.exists() and next(whole_lines(path), None) is not None:
        path.rename(aside)


def remove_aside(path: Path, name: str) -> None:
    """Remove the file that `set_aside` has left, if there is one.

    Args:
        path: The file that was set aside.
        name: The other name.

    Raises:
        OSError: if the file system refuses.
    """
    path.with_name(name).unlink(missing_ok=True)


def line_at(path: str | os.PathLike[str], begin: int) -> bytes:
    """Return the line of a file that begins at a place, without its end.

    Raises:
        OSError: if the file cannot be read.
    """
    with open(path, "rb") as stream:
        stream.seek(begin)
        return stream.readline().rstrip(b"\n")


def _end_of_whole_lines(handle: int) -> int:
    """Return the place after the last end of a line."""
    end = os.lseek(handle, 0, os.SEEK_END)
    while end > 0:
        begin = max(0, end - _CHUNK)
        os.lseek(handle, begin, os.SEEK_SET)
        last = os.read(handle, end - begin).rfind(b"\n")
        if last >= 0:
            return begin + last + 1
        end = begin
    return 0


class FolderInUseError(OSError):
    """Another process writes into the folder."""


@contextlib.contextmanager
def exclusive_use(folder: Path) -> Iterator[None]:
    """Make a folder if it does not exist, and let no other process into a block for it; the lock
    ends with the process.

    Raises:
        FolderInUseError: if another process is in such a block.
        OSError: if the folder cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # Windows has no lock on folders
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderInUseError(
                errno.EBUSY, "another run writes into this folder", str(folder)
            ) from error
        except OSError:
            pass  # some network file systems have no locks
        yield
    finally:
        os.close(handle)
