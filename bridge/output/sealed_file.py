"""Files that end with a seal, the hash of their content, from which a later output decides whether it may replace them.

A file without a seal was not written by sdfbridge, and one whose content has another hash was edited since. The seal is
a comment in the last line of XML, HTML, Markdown, YAML and DOT, the last member of a JSON object, a property of a log
in SARIF, and a text chunk of a PNG picture.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path

from loaders.keyword_options import check_flag

from .output_file import write_file
from .output_folder import OutputFolderError

_WORDS = b"written by sdfbridge, sha256 of the text above"
_COMMENT = re.compile(rb"(?:<!--|#) %s: ([0-9a-f]{64})(?: -->)?\n?\Z" % _WORDS)
SEAL = "sdfbridge seal"
"""Name of the member of a JSON object that is its seal."""
_MEMBER = re.compile(rb',\n (?:"properties": {)?"%s": "([0-9a-f]{64})"}?\n}\n?\Z' % SEAL.encode())
_CHUNK = re.compile(rb"\x00\x00\x00\x4atEXtsdfbridge\x00([0-9a-f]{64})....", re.DOTALL)
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
        ValueError: if it is no JSON object with a member in each line, or no PNG picture, though it should be.
    """
    if form is Form.PNG and text.endswith(_END_OF_PNG):
        body = text[: -len(_END_OF_PNG)]
        chunk = b"tEXtsdfbridge\0" + _hash(text)
        return body + struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + _END_OF_PNG
    if form is Form.PNG:
        raise ValueError(f"the content is not {form.value}")
    return b"".join(_with_seal((text,), form))


def _hash(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _with_seal(pieces: Iterable[bytes], form: Form) -> Iterator[bytes]:
    """Return the pieces of a text, and its seal at the end."""
    return _with_member(pieces, form) if form in (Form.JSON, Form.SARIF) else _with_comment(pieces, form)


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
    yield (f',\n "properties": {{{member}}}\n}}\n' if form is Form.SARIF else f",\n {member}\n}}\n").encode()


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
        reason = "sdfbridge did not write it" if found is None else "it was edited since it was written"
        raise OutputFolderError(
            f"the output file {path} is not replaced: {reason}; choose another file, or overwrite with force (--force)"
        )


def _seal_of(place: Path) -> bool | None:
    """Return whether the seal of a file is that of its content; None if it has none."""
    with place.open("rb") as stream:
        stream.seek(max(0, place.stat().st_size - _LONGEST_SEAL))
        end = stream.read()
    if not (_COMMENT.search(end) or _MEMBER.search(end) or _CHUNK.search(end)):
        return None
    content = place.read_bytes()
    begin = max(0, len(content) - _LONGEST_SEAL)
    if match := _COMMENT.search(content, begin):
        return _hash(content[: match.start()]) == match[1]
    if match := _MEMBER.search(content, begin):
        return _hash(content[: match.start()] + b"\n}\n") == match[1]
    if match := _CHUNK.search(content, begin):
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
