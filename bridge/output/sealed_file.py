"""Single documents that end with a seal, the hash of their text: a later export knows whether it may replace them.

A file without a seal was not written by an export, and one whose text has another hash was edited since.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from .output_file import write_file
from .output_folder import OutputFolderError

_SEAL = re.compile(rb"(?:<!--|#) written by sdfbridge, sha256 of the text above: ([0-9a-f]{64})(?: -->)?\n")


def sealed(text: bytes, *, is_xml: bool) -> bytes:
    """Return a document with its seal, a comment in the last line.

    Args:
        text: The document.
        is_xml: Whether it is XML; if not, it is YAML.
    """
    body = text if text.endswith(b"\n") else text + b"\n"
    seal = f"written by sdfbridge, sha256 of the text above: {hashlib.sha256(body).hexdigest()}"
    return body + (f"<!-- {seal} -->\n" if is_xml else f"# {seal}\n").encode()


def check_file(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse to replace a file that no export wrote, or that was edited since.

    Args:
        path: The file; pipes and devices may be written.
        force: Whether it may be replaced.

    Raises:
        OutputFolderError: if it may not be replaced, or is a folder.
        OSError: if it cannot be read.
    """
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise OutputFolderError(f"{path} is a folder, not a file; choose another output file")
    if force or not place.is_file():
        return
    body, end, last = place.read_bytes().rstrip(b"\n").rpartition(b"\n")
    seal = _SEAL.fullmatch(last + b"\n")
    if seal is None or hashlib.sha256(body + end).hexdigest().encode() != seal[1]:
        reason = "sdfbridge did not write it" if seal is None else "it was edited since it was written"
        raise OutputFolderError(
            f"the output file {path} is not replaced: {reason}; choose another file, or overwrite with force (--force)"
        )


def write_sealed(path: str | os.PathLike[str], text: bytes, *, is_xml: bool, force: bool = False) -> Path:
    """Write a document with its seal in one step; return its path.

    Args:
        path: The file.
        text: The document.
        is_xml: Whether it is XML; if not, it is YAML.
        force: Whether to replace a file that no export wrote, or that was edited since.

    Raises:
        OutputFolderError: if there is such a file; it is in place then.
        OSError: if the file system refuses; the old content is in place then.
    """
    check_file(path, force=force)
    return write_file(path, sealed(text, is_xml=is_xml))
