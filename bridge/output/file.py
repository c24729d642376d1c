"""Writing of one file, sealed files, and a document with its folder of files.

The files lie in a folder that is named after their content, inside the folder beside the document.
So new ones never take the place of those to which the old document refers: first the new files are
written beside the old ones, then the document is replaced, in one step of the file system, and then
the files are removed to which no document refers any more. A kill at any moment leaves the old
document with its files, or the new one with its files.

The new content is written into a hidden draft beside the file and takes its place in one step of
the file system. A kill leaves the old file or the new one, and perhaps the draft. Each process
holds a lock on its drafts, which ends with the process: a later process that writes into the same
folder removes drafts that nobody holds.

A file without a seal was not written by sdfbridge, and one whose content has another hash was
edited since. The seal is a comment in the last line of XML, HTML, Markdown, YAML and DOT, the last
member of a JSON object, a property of a log in SARIF, and a text chunk of a PNG picture.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import stat
import struct
import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from pathlib import Path

from loaders.text import check_flag

from .folder import (
    MANIFEST,
    OutputFolderError,
    check_folder,
    explained,
    folder_state,
    locked,
    make_folders,
    remove_output,
    replace_folder,
)

_DRAFT = re.compile(r"\.sdfbridge-[0-9a-f]{16}")
_FRESH = 60.0
"""Age below which a draft is left alone, because its process may not have locked it yet [s]."""
_CHUNK = 1 << 20
"""Number of bytes from which pieces are written."""
_FORGOTTEN = 24 * 3600.0
"""Age from which a draft is removed where there are no locks [s]."""


def write_file(
    path: str | os.PathLike[str],
    data: bytes | Iterable[bytes],
    *,
    make_folder: bool = False,
    private: bool = False,
) -> Path:
    """Write a file in one step of the file system, over an existing one; return its path.

    A symbolic link is followed to its file; a pipe or a device, such as ``/dev/stdout``, is written
    to directly.

    Args:
        path: The file to write.
        data: The content, or its pieces in order.
        make_folder: Whether to make the folder of the file if it does not exist.
        private: Whether only the user may read the file and the folders that are made; it takes
            the place of a symbolic link, a pipe or a device then.

    Raises:
        OSError: if the file system refuses; the old content is in place then.
    """
    place = Path(os.path.abspath(path) if private else os.path.realpath(path))
    pieces = (data,) if isinstance(data, bytes) else data
    if not private and place.exists() and not place.is_file():
        place.write_bytes(b"".join(pieces))
        return Path(path)
    if make_folder:
        make_folders(place.parent, private=private)
    draft = place.with_name(f".sdfbridge-{secrets.token_hex(8)}")
    try:
        _write_draft(draft, place, pieces, private=private)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
    _sweep_once(str(place.parent), os.getpid())
    return Path(path)


def _write_draft(draft: Path, place: Path, pieces: Iterable[bytes], *, private: bool) -> None:
    """Write a draft and put it in its place, with the mode of the old file unless it is private."""
    with open(draft, "xb", buffering=0, opener=_open_private if private else None) as stream:
        _lock(stream.fileno())
        for piece in _gathered(pieces):
            view = memoryview(piece)
            while view:
                view = view[stream.write(view) :]
        if not private and place.exists():
            draft.chmod(stat.S_IMODE(place.stat().st_mode))
        if os.name == "posix":  # the lock is held until the draft has its place
            draft.replace(place)
    if os.name != "posix":
        draft.replace(place)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in larger pieces, for fewer calls of the system."""
    kept: list[bytes] = []
    size = 0
    for piece in pieces:
        kept.append(piece)
        size += len(piece)
        if size > _CHUNK:
            yield b"".join(kept)
            kept, size = [], 0
    yield b"".join(kept)


def _lock(handle: int) -> bool:
    """Lock an open file unless another process has; return whether it is locked now."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


@cache
def _sweep_once(folder: str, _process: int) -> None:
    """Remove the drafts that killed processes left in a folder; once in each process."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if _DRAFT.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_if_left(entry)


def _remove_if_left(entry: os.DirEntry[str]) -> None:
    age = time.time() - entry.stat(follow_symlinks=False).st_mtime
    if age < _FRESH:
        return
    handle = os.open(entry.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        is_left = _lock(handle) or age > _FORGOTTEN
    finally:
        os.close(handle)
    if is_left:
        os.remove(entry.path)


_WORDS = b"written by sdfbridge, sha256 of the text above"
_COMMENT = re.compile(rb"(?:<!--|#) %s: ([0-9a-f]{64})(?: -->)?\n?\Z" % _WORDS)
SEAL = "sdfbridge seal"
"""Name of the member of a JSON object that is its seal."""
_MEMBER = re.compile(rb',\n (?:"properties": {)?"%s": "([0-9a-f]{64})"}?\n}\n?\Z' % SEAL.encode())
_SEAL_CHUNK = re.compile(rb"\x00\x00\x00\x4atEXtsdfbridge\x00([0-9a-f]{64})....", re.DOTALL)
_END_OF_PNG = b"\x00\x00\x00\x00IEND\xae\x42\x60\x82"
_LONGEST_SEAL = 256
"""Bytes at the end of a file that hold its seal."""


class Form(Enum):
    """The form of a file, which decides how it holds its seal."""

    MARKUP = "XML, HTML or Markdown"
    LINES = "YAML or DOT"
    JSON = "a JSON object"
    SARIF = "a log in SARIF"
    PNG = "a PNG picture"


def sealed(text: bytes, form: Form) -> bytes:
    """Return a file with its seal.

    Args:
        text: The file.
        form: Its form.

    Raises:
        ValueError: if it is no JSON object with a member in each line, or no PNG picture, though it
        should be.
    """
    if form is Form.PNG and text.endswith(_END_OF_PNG):
        body = text[: -len(_END_OF_PNG)]
        chunk = b"tEXtsdfbridge\0" + _hash(text)
        return (
            body
            + struct.pack(">I", len(chunk) - 4)
            + chunk
            + struct.pack(">I", zlib.crc32(chunk))
            + _END_OF_PNG
        )
    if form is Form.PNG:
        raise ValueError(f"the content is not {form.value}")
    return b"".join(_with_seal((text,), form))


def _hash(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _with_seal(pieces: Iterable[bytes], form: Form) -> Iterator[bytes]:
    """Return the pieces of a text, and its seal at the end."""
    return (
        _with_member(pieces, form)
        if form in (Form.JSON, Form.SARIF)
        else _with_comment(pieces, form)
    )


def _with_member(pieces: Iterable[bytes], form: Form) -> Iterator[bytes]:
    """Yield the pieces of a JSON object, with its hash as the last member."""
    digest, end = hashlib.sha256(), b""
    for piece in pieces:
        text = end + piece
        ready, end = text[:-3], text[-3:]
        digest.update(ready)
        yield ready
    if end != b"\n}\n":
        raise ValueError(f"the content is not {form.value} with a member in each line")
    digest.update(end)
    member = f'"{SEAL}": "{digest.hexdigest()}"'
    yield (
        f',\n "properties": {{{member}}}\n}}\n' if form is Form.SARIF else f",\n {member}\n}}\n"
    ).encode()


def _with_comment(pieces: Iterable[bytes], form: Form) -> Iterator[bytes]:
    """Yield the pieces of a text, and the comment with their hash."""
    digest, last = hashlib.sha256(), b""
    for piece in pieces:
        digest.update(piece)
        last = piece or last
        yield piece
    if not last.endswith(b"\n"):
        digest.update(b"\n")
        yield b"\n"
    seal = _WORDS + b": " + digest.hexdigest().encode()
    yield b"<!-- " + seal + b" -->\n" if form is Form.MARKUP else b"# " + seal + b"\n"


def check_file(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse to replace a file that sdfbridge did not write, or that was edited since.

    Args:
        path: The file; pipes, devices and empty files may be written.
        force: Whether it may be replaced.

    Raises:
        OutputFolderError: if it may not be replaced, or is a folder.
        OSError: if it cannot be read.
    """
    check_flag("force", force)
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise OutputFolderError(f"{path} is a folder, not a file; choose another output file")
    if force or not place.is_file() or not place.stat().st_size:
        return
    found = _seal_of(place)
    if found is None or not found:
        reason = (
            "sdfbridge did not write it" if found is None else "it was edited since it was written"
        )
        raise OutputFolderError(
            f"the output file {path} is not replaced: {reason}; choose another file, or overwrite "
            f"with force (--force)"
        )


def _seal_of(place: Path) -> bool | None:
    """Return whether the seal of a file is that of its content; None if it has none."""
    with place.open("rb") as stream:
        stream.seek(max(0, place.stat().st_size - _LONGEST_SEAL))
        end = stream.read()
    if not (_COMMENT.search(end) or _MEMBER.search(end) or _SEAL_CHUNK.search(end)):
        return None
    content = place.read_bytes()
    begin = max(0, len(content) - _LONGEST_SEAL)
    if match := _COMMENT.search(content, begin):
        return _hash(content[: match.start()]) == match[1]
    if match := _MEMBER.search(content, begin):
        return _hash(content[: match.start()] + b"\n}\n") == match[1]
    if match := _SEAL_CHUNK.search(content, begin):
        return _hash(content[: match.start()] + content[match.end() :]) == match[1]
    return None


def write_sealed(
    path: str | os.PathLike[str],
    content: bytes | Iterable[bytes],
    form: Form,
    *,
    force: bool = False,
    make_folder: bool = False,
) -> Path:
    """Write a file with its seal in one step; return its path.

    Args:
        path: The file.
        content: Its content; or its pieces in order, unless it is a picture.
        form: Its form.
        force: Whether to replace a file that sdfbridge did not write, or that was edited since.
        make_folder: Whether to make the folder of the file if it does not exist.

    Raises:
        OutputFolderError: if there is such a file; it is in place then.
        OSError: if the file system refuses; the old content is in place then.
    """
    check_file(path, force=force)
    data = sealed(content, form) if isinstance(content, bytes) else _with_seal(content, form)
    return write_file(path, data, make_folder=make_folder)


PACKAGE_XML = "package.xml"
"""The one file that may lie in the folder beside the document itself, because it makes that folder
a package."""
_CONTENT_NAME = re.compile(r"[0-9a-f]{16}")
_LARGEST = 64 * 1024 * 1024
"""Size from which a document beside is not searched, but is taken to refer to all files [bytes]."""


def write_document(
    path: str | os.PathLike[str],
    text: bytes,
    folder: Path,
    assets: Mapping[str, bytes],
    *,
    form: Form,
    force: bool = False,
) -> tuple[Path, ...]:
    """Write a document with its seal, and the files that it refers to; return all their paths.

    Args:
        path: The document.
        text: Its text.
        folder: The folder beside the document.
        assets: Content of each file, by its path in the folder with ``/`` between the parts: in one
            folder that is named after the content by 16 hexadecimal digits, or `PACKAGE_XML`.
        form: Form of the document.
        force: Whether to replace what no export wrote, or was edited since.

    Raises:
        OutputFolderError: if the document or the folder holds what no export wrote, or was edited
        since.
        OSError: if the file system refuses; the old document is in place then, with its files.
    """
    place = Path(os.path.realpath(path)).parent / folder.name
    check_file(path, force=force)
    if assets:
        _check_assets(place, force=force)
    with explained(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place):
            try:
                if assets:
                    stored = _stored(place, _referred(place))
                    replace_folder(place, {**stored, **assets}, force=force)
                write_sealed(path, text, form, force=force)
            finally:
                with contextlib.suppress(OSError):  # the next output removes what is left
                    _remove_unused(place)
    return (Path(path), *(folder / file for file in sorted(assets)))


def _check_assets(place: Path, *, force: bool) -> None:
    """Refuse a folder that holds anything but folders of content, unless forced."""
    check_folder(place, force=force)
    if force or not place.is_dir():
        return
    own = {MANIFEST, PACKAGE_XML}
    others = [
        name for name in os.listdir(place) if name not in own and not _CONTENT_NAME.fullmatch(name)
    ]
    if others:
        raise OutputFolderError(
            f"the output folder {place} is not replaced: it is another export, with {others[0]}; "
            "choose another name for the document, or overwrite with force (--force)"
        )


def _stored(place: Path, names: Collection[str]) -> dict[str, bytes]:
    """Return the files of an earlier output in these folders, unless somebody edited them."""
    if not place.is_dir():
        return {}
    state = folder_state(place)
    skipped = {*state.edited, *state.foreign}
    paths: list[Path] = []
    for name in sorted(names):
        for top, _, files in os.walk(place / name, onerror=_raise):
            paths += [Path(top, file) for file in files]
    if (place / PACKAGE_XML).is_file():
        paths.append(place / PACKAGE_XML)
    found = {path.relative_to(place).as_posix(): path for path in paths}
    return {file: path.read_bytes() for file, path in found.items() if file not in skipped}


def _raise(error: OSError) -> None:
    """Raise the error of a folder that cannot be listed, without which `os.walk` has no files."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _referred(place: Path) -> set[str]:
    """Return the names of the folders of content to which a document beside refers."""
    if not place.is_dir():
        return set()
    names = {name for name in os.listdir(place) if _CONTENT_NAME.fullmatch(name)}
    found: set[str] = set()
    for document in _documents(place.parent):
        if found == names:
            break
        if document.stat().st_size > _LARGEST:
            return names
        text = document.read_bytes()
        found |= {name for name in names if name.encode() in text}
    return found


def _documents(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder that may be documents."""
    endings = (".sdf", ".world", ".urdf", ".xml", ".mjcf", ".yaml", ".yml", ".xacro")
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.lower().endswith(endings):
                with contextlib.suppress(OSError):
                    if stat.S_ISREG(entry.stat().st_mode):
                        yield Path(entry.path)


def _remove_unused(place: Path) -> None:
    """Remove the folders of content to which no document refers, and the whole folder if nothing
    else is in it.
    """
    if not place.is_dir():
        return
    state = folder_state(place)
    names = {name for name in os.listdir(place) if _CONTENT_NAME.fullmatch(name)}
    referred = _referred(place)
    if referred == names or state.edited or state.foreign:
        return
    if referred:
        replace_folder(place, _stored(place, referred), force=False)
    else:
        remove_output(place)
