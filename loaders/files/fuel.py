"""Download from Gazebo Fuel, and packages in Drake's cache.

The standard library suffices: one request for each model, of the archive that Gazebo's own tools
download too, ``server/1.0/owner/models/name/version/name.zip``. It is unpacked beside its final
place and moved there as a whole.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from .folders import declared_name, fuel_caches, fuel_model

if TYPE_CHECKING:
    from zipfile import ZipInfo


def drake_cache() -> Path | None:
    """Return the folder of the packages that Drake has downloaded, or None if there is no home
    folder.

    It is ``$XDG_CACHE_HOME/drake/package_map`` if that variable names a folder, else
    ``~/.cache/drake/package_map``, as in Drake's ``FindOrCreateCache``.
    """
    named = os.environ.get("XDG_CACHE_HOME", "")
    cache = named if named and os.path.isdir(named) else os.path.expanduser("~/.cache")
    return None if cache.startswith("~") else Path(cache) / "drake" / "package_map"


def drake_packages(name: str) -> Iterator[Path]:
    """Yield the folders of a package that Drake has downloaded, newest first.

    Args:
        name: The name that the package's ``package.xml`` declares.
    """
    cache = drake_cache()
    try:
        folders = (
            []
            if cache is None
            else [Path(entry.path) for entry in os.scandir(cache) if entry.is_dir()]
        )
        folders.sort(key=lambda folder: (-folder.stat().st_mtime, folder.name))
    except OSError:
        return
    yield from (folder for folder in folders if declared_name(folder / "package.xml") == name)


MAX_BYTES = 512 * 1024 * 1024
"""Largest sum of the sizes of the archives of one load, and of what is unpacked from each of
them.
"""
MAX_FILES = 10_000
"""Largest number of files in an archive."""
_TIMEOUT = 30.0
"""Longest wait for an answer of the server [s]."""
_PIECE = 1 << 16
_VERSIONS = ("X-Gz-Resource-Version", "X-Ign-Resource-Version")
_SCHEMES = {"https": "https", "http": "http", "fuel": "https"}


class DownloadError(Exception):
    """A model cannot be downloaded; the message says why."""


@dataclass(slots=True, eq=False)
class FuelDownload:
    """The downloads of one load."""

    spent: int = 0
    """Bytes received."""
    _failed: dict[object, str] = field(default_factory=dict)
    """Reason of each failure by model, so that the server is asked once."""

    def failure(self, rest: str) -> str:
        """Return why the model of a URI, without its scheme, could not be downloaded; empty if
        nothing failed.
        """
        return self._failed.get(_key(rest), "")

    def fetch(self, scheme: str, rest: str) -> None:
        """Download the model that a URI names into the first cache of Fuel.

        Args:
            scheme: Scheme of the URI.
            rest: The URI after ``scheme://``.

        Raises:
            DownloadError: if the URI names no model, or the model cannot be downloaded.
        """
        from http.client import (
            HTTPException,
        )  # these modules take long to import, and few loads download
        from zipfile import BadZipFile

        if known := self.failure(rest):
            raise DownloadError(known)
        try:
            self._fetch(scheme, rest)
        except (HTTPException, OSError, ValueError, BadZipFile, DownloadError) as error:
            self._failed[_key(rest)] = str(error)
            raise DownloadError(str(error)) from error

    def _fetch(self, scheme: str, rest: str) -> None:
        from urllib.parse import quote

        model, caches = fuel_model(rest), fuel_caches()
        if model is None or scheme not in _SCHEMES:
            raise DownloadError("it is not the URI of a model of Fuel")
        if not caches:
            raise DownloadError("there is no cache; set GZ_FUEL_CACHE_PATH")
        server, owner, name, version = model
        words = (owner, "models", name, version or "tip", f"{name}.zip")
        url = f"{_SCHEMES[scheme]}://{server}/1.0/{'/'.join(map(quote, words))}"
        folder = caches[0].joinpath(server, owner.lower(), "models", name.lower())
        caches[0].mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=caches[0], prefix=".part-") as scratch:
            archive = Path(scratch) / "archive"
            served = self._receive(url, archive, name)
            _unpack(archive, Path(scratch) / "model")
            folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):  # another process has been faster
                os.rename(Path(scratch) / "model", folder / (version or served or "1"))

    def _receive(self, url: str, archive: Path, name: str) -> str:
        """Save the answer of a server; return the version of the model that it states."""
        from urllib.request import urlopen

        with urlopen(url, timeout=_TIMEOUT) as answer, archive.open("wb") as file:  # noqa: S310 - the scheme is http or https
            size = int(answer.headers.get("Content-Length") or 0)
            with _progress(name, size) as advance:
                while piece := answer.read(_PIECE):
                    self.spent += len(piece)
                    if max(self.spent, size) > MAX_BYTES:
                        raise DownloadError(f"more than {MAX_BYTES >> 20} MiB would be downloaded")
                    file.write(piece)
                    advance(len(piece))
            version = next(
                (answer.headers[key] for key in _VERSIONS if answer.headers.get(key)), ""
            )
        return version if re.fullmatch(r"[0-9]{1,9}", version) else ""


def _key(rest: str) -> object:
    """Return what identifies the model of a URI without its scheme."""
    return fuel_model(rest) or rest


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack the regular files of an archive.

    Raises:
        DownloadError: if a name leads out of the folder, or the archive is too large.
    """
    from zipfile import ZipFile

    with ZipFile(archive) as zipped:
        entries = [entry for entry in zipped.infolist() if not entry.is_dir()]
        if len(entries) > MAX_FILES or sum(entry.file_size for entry in entries) > MAX_BYTES:
            raise DownloadError(
                f"the archive has more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB"
            )
        for entry in entries:
            path = PurePosixPath(entry.filename.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts or ":" in path.parts[0] or _is_link(entry):
                raise DownloadError(
                    f"the archive has a file outside its folder: {entry.filename[:80]!r}"
                )
            target = folder.joinpath(*path.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            with zipped.open(entry) as source, target.open("xb") as file:
                _copy(source, file, entry.file_size)


def _is_link(entry: ZipInfo) -> bool:
    return stat.S_ISLNK(entry.external_attr >> 16)


def _copy(source: IO[bytes], file: IO[bytes], size: int) -> None:
    """Copy a file of an archive, at most as much as the archive says that it has."""
    while size > 0 and (piece := source.read(min(size, _PIECE))):
        file.write(piece)
        size -= len(piece)


@contextmanager
def _progress(name: str, size: int) -> Iterator[Callable[[int], Any]]:
    """Show a progress bar on a terminal; yield the function that advances it by some bytes."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (
        TextColumn("downloading {task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name[:60], total=size or None)
        yield lambda count: bar.advance(task, count)
