"""A document that is one file, and the folder beside it with the files that it refers to: replaced in one step.

The files lie in a folder that is named after their content, inside the folder beside the document. So new ones never
take the place of those to which the old document refers: first the new files are written beside the old ones, then the
document is replaced, in one step of the file system, and then the files are removed to which no document refers any
more. A kill at any moment leaves the old document with its files, or the new one with its files.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from .hidden_folders import remove_output
from .manifest import MANIFEST, folder_state
from .output_folder import OutputFolderError, check_folder, explained, locked, replace_folder
from .sealed_file import Form, check_file, write_sealed

CONTENT = "sdfbridge-content"
"""Stands for the name of the folder of the content, in a document and in its files that are not written yet."""
PACKAGE_XML = "package.xml"
"""The one file that may lie in the folder beside the document itself, because it makes that folder a package."""
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
        text: Its text. It refers to each file as ``FOLDER/CONTENT/FILE``, with the word `CONTENT`.
        folder: The folder beside the document.
        assets: Content of each file, by its path with ``/`` between the parts. `PACKAGE_XML` is written into the folder
            itself.
        form: Form of the document.
        force: Whether to replace what no export wrote, or was edited since.

    Raises:
        OutputFolderError: if the document or the folder holds what no export wrote, or was edited since.
        OSError: if the file system refuses; the old document is in place then, with its files.
    """
    place = Path(os.path.realpath(path)).parent / folder.name
    check_file(path, force=force)
    if assets:
        _check_assets(place, force=force)
    text, files = _named_by_content(text, assets)
    with explained(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place):
            if files:
                replace_folder(place, _stored(place, _referred(place)) | files, force=force)
            write_sealed(path, text, form, force=force)
            with contextlib.suppress(OSError):  # the next output removes what is left
                _remove_unused(place)
    return (Path(path), *(folder / file for file in sorted(files)))


def _named_by_content(text: bytes, assets: Mapping[str, bytes]) -> tuple[bytes, dict[str, bytes]]:
    """Return a document and its files with the name of the folder of their content."""
    digest = hashlib.sha256()
    for file, data in sorted(assets.items()):
        digest.update(f"{file}\0{len(data)}\0".encode(errors="surrogateescape"))
        digest.update(data)
    name = digest.hexdigest()[:16]
    mark, own = CONTENT.encode(), name.encode()
    files = {
        file if file == PACKAGE_XML else f"{name}/{file}": data.replace(mark, own) for file, data in assets.items()
    }
    return text.replace(mark, own), files


def _check_assets(place: Path, *, force: bool) -> None:
    """Refuse a folder that holds anything but folders of content, unless forced."""
    check_folder(place, force=force)
    if force or not place.is_dir():
        return
    own = {MANIFEST, PACKAGE_XML}
    others = [name for name in os.listdir(place) if name not in own and not _CONTENT_NAME.fullmatch(name)]
    if others:
        raise OutputFolderError(
            f"the output folder {place} is not replaced: it is another export, with {others[0]}; choose another name "
            "for the document, or overwrite with force (--force)"
        )


def _stored(place: Path, names: Collection[str]) -> dict[str, bytes]:
    """Return the files of an earlier output in these folders, unless somebody edited them."""
    if not place.is_dir():
        return {}
    state = folder_state(place)
    skipped = {*state.edited, *state.foreign}
    paths = [Path(top, file) for name in sorted(names) for top, _, files in os.walk(place / name) for file in files]
    paths += [path for path in (place / PACKAGE_XML,) if path.is_file()]
    found = {path.relative_to(place).as_posix(): path for path in paths}
    return {file: path.read_bytes() for file, path in found.items() if file not in skipped}


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
    for entry in os.scandir(folder):
        name = entry.name.lower()
        if name.endswith((".sdf", ".world", ".urdf", ".xml", ".mjcf", ".yaml", ".yml", ".xacro")):
            with contextlib.suppress(OSError):
                if stat.S_ISREG(entry.stat().st_mode):
                    yield Path(entry.path)


def _remove_unused(place: Path) -> None:
    """Remove the folders of content to which no document refers, and the whole folder if nothing else is in it."""
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
