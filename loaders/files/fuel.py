"""Download from Gazebo Fuel, and packages in Drake's cache.

The standard library suffices: one request for each model, of the archive that Gazebo's own tools
download too, ``server/1.0/owner/models/name/version/name.zip``. It is unpacked beside its final
place and moved there as a whole. A file names models of any server; only those of Fuel and those
that the caller names are asked, by https, also where the file says http.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaders.limits import FileError, raised_as

from .folders import declared_name, fuel_caches, fuel_model, is_model_file
from .read_file import member_sizes, read_inside

if TYPE_CHECKING:
    from http.client import HTTPResponse, HTTPSConnection


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
"""Largest number of bytes that the downloads of one load may have together, packed and unpacked,
each."""
MAX_SECONDS = 600.0
"""Longest time that the downloads of one load may take together [s]."""
MAX_REDIRECTIONS = 5
"""Largest number of redirections of one request."""
FUEL_HOSTS = ("fuel.gazebosim.org", "fuel.ignitionrobotics.org")
"""Servers of Gazebo Fuel, which are asked unless the caller names others too."""
HTTPS_PORT = 443
HTTP_OK = 200
_TIMEOUT = 30.0
"""Longest wait for an answer of the server [s]."""
_PIECE = 1 << 16
_VERSIONS = ("X-Gz-Resource-Version", "X-Ign-Resource-Version")
_REDIRECTIONS = frozenset({301, 302, 303, 307, 308})
_SCRATCH = ".part-"
_LOCK = ".sdfbridge.lock"


class DownloadError(Exception):
    """A model cannot be downloaded; the message says why."""


@dataclass(slots=True, eq=False)
class FuelDownload:
    """The downloads of one load."""

    hosts: Iterable[str] = ()
    """Servers that may be asked beside those of Fuel: ``name`` or ``name:port``."""
    spent: int = 0
    """Bytes received."""
    _unpacked: int = 0
    """Bytes unpacked."""
    _seconds: float = 0.0
    """Time that downloads have taken [s]."""
    _failed: dict[object, str] = field(default_factory=dict)
    """Reason of each failure by model, so that the server is asked once."""

    def failure(self, rest: str) -> str:
        """Return why the model of a URI, without its scheme, could not be downloaded; empty if
        nothing failed.
        """
        return self._failed.get(_key(rest), "")

    def fetch(self, rest: str) -> None:
        """Download the model that a URI names into the first cache of Fuel, by https.

        Args:
            rest: The URI after ``scheme://``.

        Raises:
            DownloadError: if the URI names no model, or the model cannot be downloaded.
        """
        if known := self.failure(rest):
            raise DownloadError(known)
        start = time.monotonic()
        try:
            with raised_as(DownloadError, "the download failed"):
                self._fetch(rest)
        except DownloadError as error:
            seconds = self._seconds + time.monotonic() - start
            late = f"the downloads take more than {MAX_SECONDS:g} s together: "
            reason = f"{late if seconds > MAX_SECONDS else ''}{error}"
            self._failed[_key(rest)] = reason
            raise DownloadError(reason) from error
        finally:
            self._seconds += time.monotonic() - start

    def _fetch(self, rest: str) -> None:
        from urllib.parse import quote

        model, caches = fuel_model(rest), fuel_caches()
        if model is None:
            raise DownloadError("it is not the URI of a model of Fuel")
        if not caches:
            raise DownloadError("there is no cache; set GZ_FUEL_CACHE_PATH")
        server, owner, name, version = model
        host, port = self._allowed(server)
        words = (owner, "models", name, version or "tip", f"{name}.zip")
        path = f"/1.0/{'/'.join(map(quote, words))}"
        folder = caches[0].joinpath(server, owner.lower(), "models", name.lower())
        caches[0].mkdir(parents=True, exist_ok=True)
        with (
            _only_downloads(caches[0]),
            tempfile.TemporaryDirectory(dir=caches[0], prefix=_SCRATCH) as scratch,
        ):
            archive, unpacked = Path(scratch, "download.zip"), Path(scratch, "model")
            try:
                with raised_as(DownloadError, "the download failed"):
                    served = self._receive(host, port, path, archive)
                    self._unpack(archive, unpacked)
            except DownloadError as error:
                raise DownloadError(f"{error} (https://{host}:{port}{path})") from error
            folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):  # another process has been faster
                os.rename(unpacked, folder / (version or served or "1"))

    def _allowed(self, server: str) -> tuple[str, int]:
        """Return the name and the port of a server that may be asked."""
        allowed = {host_and_port(word) for word in (*FUEL_HOSTS, *self.hosts)}
        host, port = host_and_port(server)
        if (host, port) not in allowed:
            raise DownloadError(
                f"{server[:80]} is not a server that may be asked; name it with fetch_hosts if you "
                f"trust it"
            )
        return host, port

    def _receive(self, host: str, port: int, path: str, archive: Path) -> str:
        """Save the answer of a server; return the version of the model that it states."""
        deadline = time.monotonic() + MAX_SECONDS - self._seconds
        with _answer(host, port, path, deadline) as answer, archive.open("xb") as file:
            size = int(answer.headers.get("Content-Length") or 0)
            with _progress(path.rpartition("/")[2], size) as advance:
                while piece := answer.read1(_PIECE):
                    self.spent += len(piece)
                    if max(self.spent, size) > MAX_BYTES:
                        raise DownloadError(f"more than {MAX_BYTES >> 20} MiB would be downloaded")
                    file.write(piece)
                    advance(len(piece))
            if size and file.tell() != size:
                raise DownloadError(f"the answer ends after {file.tell()} of {size} bytes")
            version = next(
                (answer.headers[key] for key in _VERSIONS if answer.headers.get(key)), ""
            )
        return version if re.fullmatch(r"[0-9]{1,9}", version) else ""

    def _unpack(self, archive: Path, folder: Path) -> None:
        """Unpack an archive, whose members are checked as those of all archives are.

        Raises:
            DownloadError: if the archive is damaged, has a member that is no plain file, holds no
            model, or is too large.
        """
        try:
            sizes = member_sizes(str(archive))
            self._unpacked += sum(sizes.values())
            if self._unpacked > MAX_BYTES:
                raise DownloadError(f"more than {MAX_BYTES >> 20} MiB would be unpacked")
            if not any(is_model_file(name) for name in sizes):
                raise DownloadError("the archive has neither model.config nor a file of SDFormat")
            for name, size in sizes.items():
                target = folder.joinpath(*name.split("/"))
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb") as file:
                    file.write(read_inside(f"{archive}/{name}", size + 1) or b"")
        except FileError as error:
            raise DownloadError(error.reason) from error


def _key(rest: str) -> object:
    """Return what identifies the model of a URI without its scheme."""
    return fuel_model(rest) or rest


def host_and_port(server: str) -> tuple[str, int]:
    """Return the name of a server of https in lower case, and its port.

    Args:
        server: ``name`` or ``name:port``.

    Raises:
        ValueError: if it is something else.
    """
    from urllib.parse import urlsplit

    parts = urlsplit(f"//{server}")
    if not parts.hostname or parts.netloc != server or parts.username is not None:
        raise ValueError(f"expected the name of a server, with or without a port, not {server!r}")
    return parts.hostname, parts.port or HTTPS_PORT


@contextmanager
def _only_downloads(cache: Path) -> Iterator[None]:
    """Share the lock of those who download into a cache; who is alone removes what others that were
    killed have left.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(cache / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for left in cache.glob(f"{_SCRATCH}*"):
                shutil.rmtree(left, ignore_errors=True)
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


# --- requests -------------------------------------------------------------------------------------


@contextmanager
def _answer(host: str, port: int, path: str, deadline: float) -> Iterator[HTTPResponse]:
    """Ask a server for a file, also where it says that the file has moved on the same server."""
    for _ in range(MAX_REDIRECTIONS):
        with _connected(host, port, deadline) as connection:
            connection.request("GET", path, headers={"User-Agent": "sdfbridge"})
            answer = connection.getresponse()
            if answer.status == HTTP_OK:
                yield answer
                return
            path = _moved_to(answer, host, port, path)
    raise DownloadError(f"the server redirects more than {MAX_REDIRECTIONS - 1} times")


def _moved_to(answer: HTTPResponse, host: str, port: int, path: str) -> str:
    """Return the path to which an answer redirects.

    Raises:
        DownloadError: if it does not, or if it leads to another server or scheme.
    """
    from urllib.parse import urljoin, urlsplit

    if answer.status not in _REDIRECTIONS:
        raise DownloadError(f"the server answers {answer.status} {answer.reason[:80]}")
    place = urljoin(f"https://{host}:{port}{path}", answer.headers.get("Location") or "")
    parts = urlsplit(place)
    if parts.scheme != "https" or host_and_port(parts.netloc) != (host, port):
        raise DownloadError(f"the server redirects to {place[:200]!r}, which is not followed")
    redirected = parts.path or "/"
    return f"{redirected}?{parts.query}" if parts.query else redirected


@contextmanager
def _connected(host: str, port: int, deadline: float) -> Iterator[HTTPSConnection]:
    """Connect to a server, directly or through the proxy of the environment; close the connection
    at a time, whatever the server sends.
    """
    from http.client import HTTPSConnection
    from ssl import create_default_context
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    seconds = min(_TIMEOUT, deadline - time.monotonic())
    proxy = "" if proxy_bypass(host) else getproxies().get("https", "")
    if proxy:
        through = urlsplit(proxy if "://" in proxy else f"//{proxy}")
        connection = HTTPSConnection(through.hostname or "", through.port, timeout=seconds)
        connection.set_tunnel(host, port)
        connection.connect()
    else:
        connection = HTTPSConnection(host, port, timeout=seconds)
        plain = socket.create_connection(_public_address(host, port), seconds)
        connection.sock = create_default_context().wrap_socket(
            plain, server_hostname=host, do_handshake_on_connect=False
        )
    channel = connection.sock
    end = threading.Timer(deadline - time.monotonic(), _shut, (channel,))
    end.daemon = True
    end.start()
    try:
        channel.do_handshake()
        yield connection
    finally:
        end.cancel()
        connection.close()
        channel.close()


def _shut(channel: socket.socket) -> None:
    """Let all who read from a connection reach its end."""
    with suppress(OSError, ValueError):
        channel.shutdown(socket.SHUT_RDWR)


def _public_address(host: str, port: int) -> tuple[str, int]:
    """Return the address and the port of a server.

    Raises:
        DownloadError: if a name leads to an address that is not public. An address that the caller
            named may be any.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(entry[4][0]) for entry in found]
    if host not in addresses and not all(map(_is_public, addresses)):
        raise DownloadError(f"{host} leads to an address that is not public")
    return addresses[0], port


_NAT64 = 0x64FF9B << 96
"""The IPv6 addresses below which a translator reaches those of IPv4."""
_GLOBAL = 0b001
"""First bits of the IPv6 addresses that are assigned to the Internet, 2000::/3; others lead to a
site (fec0::/10) or to a translator of its own (64:ff9b:1::/48, ::ffff:0:0:0/96)."""


def _is_public(text: str) -> bool:
    from ipaddress import IPv4Address, IPv6Address, ip_address

    address = ip_address(text.partition("%")[0])
    inner = None
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if int(address) >> 32 in {0, _NAT64 >> 32}:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is None and int(address) >> 125 != _GLOBAL:
            return False
    reached = inner or address
    return reached.is_global and not reached.is_multicast


@contextmanager
def _progress(name: str, size: int) -> Iterator[Callable[[int], Any]]:
    """Show on a terminal how much is there; yield the function that adds some bytes to it."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    done, total = 0, f" of {size / 1e6:.1f}" if size else ""

    def add(count: int) -> None:
        nonlocal done
        done += count
        text = f"downloading {name[:60]}: {done / 1e6:.1f}{total} MB"
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    add(0)
    try:
        yield add
    finally:
        sys.stderr.write("\r\x1b[K")
