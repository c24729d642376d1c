"""Writing an output folder: the old content or the new one, whole, whatever happens.

The new content is written into a hidden folder beside the output folder and takes its place in one step of the file
system. A kill at any moment leaves the old folder or the new one; the hidden folder that it may leave is removed by
the next output in the same place. A lock on the parent folder makes outputs at once wait for each other.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from loaders.keyword_options import check_flag

from .exchange import ExchangeUnsupportedError, exchange
from .hidden_folders import aside_of, discard, new_hidden_folder, remove_leftovers, remove_output
from .manifest import MANIFEST, FolderState, folder_state, manifest_text

_MAX_NAMED = 10

_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF, errno.EINVAL, errno.ENOSYS}
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV, errno.ENOSYS}


class OutputFolderError(FileExistsError):
    """The output folder cannot be written without harm to files that are not the export's."""


def write_folder(folder: str | os.PathLike[str], files: Mapping[str, bytes], *, force: bool = False) -> Path:
    """Write files as a folder that appears whole or not at all.

    An earlier output in its place is replaced if none of its files was edited and nothing was added to it.

    Args:
        folder: The folder to write. A symbolic link is followed to its folder.
        files: Content of each file, by its path in the folder with ``/`` between the parts.
        force: Whether files that were edited, and foreign files with the names of new ones, may be overwritten.
            Other foreign files stay in the folder.

    Returns:
        The folder with symbolic links resolved.

    Raises:
        OutputFolderError: if the folder holds edited or foreign files, or is a file, read-only, a mount point, the
            current folder or above it. With ``force``: if a foreign folder stands where a file must be written.
        TypeError: if ``force`` is neither true nor false.
        ValueError: if a path in ``files`` leads out of the folder.
        OSError: if the file system refuses; the old content is in place then.
    """
    check_flag("force", force)
    _check_paths(files)
    place = Path(os.path.realpath(folder))
    with explained(place):
        _check_place(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place):
            replace_folder(place, files, force=force)
    return place


def check_folder(folder: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse at once what `write_folder` would refuse, before the work of which the output is the result.

    Args:
        folder: The folder to write.
        force: See `write_folder`.

    Raises:
        OutputFolderError: if the folder cannot be written without harm to files that are not the output's.
        OSError: if the folder cannot be read.
    """
    check_flag("force", force)
    place = Path(os.path.realpath(folder))
    with explained(place):
        _check_place(place)
        _check_content(place, (), force=force)


def replace_folder(place: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    """Write files as a folder whose parent folder is `locked`.

    Args:
        place: The folder, with symbolic links resolved.
        files: See `write_folder`.
        force: See `write_folder`.

    Raises:
        OutputFolderError: see `write_folder`.
        OSError: if the file system refuses; the old content is in place then.
    """
    state = _check_content(place, files, force=force)
    fresh = new_hidden_folder(place)
    try:
        _fill(fresh, files)
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
        raise OSError(error.errno, f"the output folder cannot be written: {reason}", str(place)) from error


# --- checks ----------------------------------------------------------------------------------------------------------


def _check_paths(files: Mapping[str, bytes]) -> None:
    for file in files:
        parts = file.split("/")
        if not file or file == MANIFEST or any(part in {"", ".", ".."} or "\0" in part for part in parts):
            raise ValueError(f"invalid path in an output folder: {file!r}")


def _check_place(place: Path) -> None:
    """Refuse a place that cannot be replaced: a file, a read-only or mounted folder, the current folder or above it."""
    if place.exists() and not place.is_dir():
        raise OutputFolderError(f"{place} is a file, not a folder; choose another output folder")
    above = next((parent for parent in place.parents if parent.exists()), None)
    if above is not None and not above.is_dir():
        raise OutputFolderError(f"{above} is a file, so that {place} cannot be written; choose another output folder")
    if place.is_dir() and not os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise OutputFolderError(f"{place} is read-only; make it writable, or choose another output folder")
    current = Path(os.path.realpath("."))
    if place == current or place in current.parents:
        raise OutputFolderError(f"{place} is the current folder or above it; choose a separate folder for the output")
    if place.is_dir() and os.path.ismount(place):
        raise OutputFolderError(f"{place} is a mount point and cannot be replaced; choose a folder inside it")


def _check_content(place: Path, files: Collection[str], *, force: bool) -> FolderState:
    """Refuse to replace what no export wrote, unless forced; return what is in the folder."""
    state = folder_state(place) if place.is_dir() else FolderState((), ())
    if not force and (state.edited or state.foreign):
        raise OutputFolderError(_refusal(place, state.edited, state.foreign))
    blocking = next((file for file in files if stat.S_ISDIR(_mode(place / file))), None)
    if blocking is not None and any(blocking == path or blocking.startswith(path + "/") for path in state.foreign):
        raise OutputFolderError(f"{place / blocking} is a folder where a file must be written; move it")
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
    return "\n".join([*lines, "move these files, choose another folder, or overwrite with force (--force)"])


def _named(paths: Sequence[str]) -> str:
    rest = len(paths) - _MAX_NAMED
    return ", ".join(paths[:_MAX_NAMED]) + (f" and {rest} more" if rest > 0 else "")


# --- writing ---------------------------------------------------------------------------------------------------------


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
    except ImportError:  # Windows has no lock on folders; a rename fails there instead of mixing two outputs
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


def _fill(fresh: Path, files: Mapping[str, bytes]) -> None:
    """Write the new content and its manifest."""
    for file, data in {**files, MANIFEST: manifest_text(files)}.items():
        path = fresh / PurePosixPath(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _keep(source: Path, target: Path, written: Collection[Path]) -> None:
    """Give a foreign file, or all files below a foreign folder, a second name, where no new file is written."""
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
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        shutil.copy2(old, new, follow_symlinks=False)


def _take_place(fresh: Path, place: Path, state: FolderState) -> None:
    """Put the new folder in the place of the old one, and remove the old one.

    Raises:
        OutputFolderError: if the old folder changed since it was checked; it is back in its place then.
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
