"""MuJoCo plugin: lets MuJoCo open SDFormat files and resolve ``model://`` and ``package://`` URIs.

After ``import sdfbridge.mujoco_plugin``, which calls `register`::

    mujoco.MjSpec.from_file("arm.sdf")
    <asset> <model name="arm" file="arm.sdf"/> </asset>          in an MJCF file, to attach it
    <asset> <mesh file="package://arm_description/base.obj"/> </asset>

MuJoCo's decoders and resource providers are C function pointers (``mjplugin.h``). They are
registered through ctypes and stay registered until the process ends. No Python exception crosses
into C: MuJoCo reports the text of an error as its own. Losses of a file, and the places that were
searched for a missing URI, are logged to ``bridge.mujoco_plugin``.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import loaders
from loaders.context import Context, Resources
from loaders.diagnostics import Diagnostics, ModelError
from loaders.files.read_file import read
from loaders.formats import read_file
from loaders.node import Node

from .geometry.cache import stored_folder
from .targets.mjcf import Actuators, Base, MjcfOptions, to_mjcf
from .targets.options import MjcfExportOptions

SUFFIXES = (".sdf", ".world")
SCHEMES = ("model", "package")

_ERROR_SIZE = 4096

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

_CanDecode = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_Decode = ctypes.CFUNCTYPE(
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int
)
_SilentDecode = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
"""Type of a decoder before MuJoCo 3.16: it cannot return an error text, so the error is logged."""
_Open = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_Read = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
_Close = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Resource(ctypes.Structure):
    """First fields of ``mjResource``, the same in every version."""

    _fields_ = (("name", ctypes.c_char_p), ("data", ctypes.c_void_p))


class _Decoder(ctypes.Structure):
    """Layout of ``mjpDecoder``."""

    _fields_ = (
        ("content_type", ctypes.c_char_p),
        ("extension", ctypes.c_char_p),
        ("can_decode", ctypes.c_void_p),
        ("decode", ctypes.c_void_p),
    )


class _Provider(ctypes.Structure):
    """Layout of ``mjpResourceProvider``; the fields after ``close`` differ between versions and
    stay null.
    """

    _fields_ = (
        ("prefix", ctypes.c_char_p),
        ("open", ctypes.c_void_p),
        ("read", ctypes.c_void_p),
        ("close", ctypes.c_void_p),
        ("optional", ctypes.c_void_p * 8),
    )


@dataclass(slots=True)
class _Settings:
    """The options of the last calls of `register`, which the callbacks use."""

    package_map: dict[str, Path]
    paths: tuple[Path, ...]
    mjcf: MjcfOptions


_settings = _Settings({}, (), {"quiet": True})

_registered: list[object] = []
"""Objects that C points to, kept alive until the process ends."""


def register(
    *,
    package_map: Mapping[str, str | os.PathLike[str]] | None = None,
    paths: Sequence[str | os.PathLike[str]] | None = None,
    actuators: Actuators | None = None,
    base: Base | None = None,
) -> None:
    """Let MuJoCo open SDFormat files and resolve model and package URIs, for the rest of this
    process.

    A later call changes the options that it gives, for the files that are opened after it.

    Args:
        package_map: Folders of packages and models by name, as for `loaders.load`.
        paths: Folders to search, as for `loaders.load`.
        actuators: The actuators of the joints that a file drives, as for `bridge.to_mjcf`: ``none``
            at first.
        base: The base of a model that no joint connects to the world, as for `bridge.to_mjcf`:
            ``as_is`` at first.

    Raises:
        ImportError: if MuJoCo is not installed.
        ValueError: if an option has an unknown value.
    """
    if actuators is not None:
        MjcfExportOptions(actuators=actuators)  # refuses an unknown value
        _settings.mjcf["actuators"] = actuators
    if base is not None:
        MjcfExportOptions(base=base)
        _settings.mjcf["base"] = base
    if package_map is not None:
        _settings.package_map = {name: Path(folder) for name, folder in package_map.items()}
    if paths is not None:
        _settings.paths = tuple(map(Path, paths))
    if not _registered:
        _register_callbacks()


def _register_callbacks() -> None:
    library = _library()
    for suffix in SUFFIXES:
        decoder = _decoder(library, suffix)
        library.mjp_registerDecoder(ctypes.byref(decoder))
    for scheme in SCHEMES:
        provider = _provider(scheme)
        _register_provider(library)(ctypes.byref(provider))


# --- decoders -------------------------------------------------------------------------------------


def _decoder(library: ctypes.CDLL, suffix: str) -> _Decoder:
    def can_decode(resource: int) -> int:
        return int(_name(resource).lower().endswith(suffix))

    def decode(resource: int, _vfs: int | None, error: int | None, size: int) -> int | None:
        message, spec = _guarded(lambda: _spec(library, Path(_name(resource))))
        if message and error and size > 0:
            text = message.encode()[: size - 1] + b"\0"
            ctypes.memmove(error, text, len(text))
        return spec

    def decode_silently(resource: int, _vfs: int | None) -> int | None:
        message, spec = _guarded(lambda: _spec(library, Path(_name(resource))))
        if message:
            _LOG.error(message)
        return spec

    run = _Decode(decode) if _version() >= (3, 16) else _SilentDecode(decode_silently)
    decoder = _Decoder(
        b"model/sdformat+" + suffix[1:].encode(),
        suffix.encode(),
        _keep_alive(_CanDecode(can_decode)),
        _keep_alive(run),
    )
    _registered.append(decoder)
    return decoder


def _spec(library: ctypes.CDLL, path: Path) -> int:
    """Return the address of a new ``mjSpec``, which the caller of the decoder owns."""
    file = _convert(path)
    error = ctypes.create_string_buffer(_ERROR_SIZE)
    spec: int | None = library.mj_parseXML(os.fsencode(file), None, error, _ERROR_SIZE)
    if not spec:
        raise ValueError(error.value.decode(errors="replace"))
    return spec


def _convert(path: Path) -> Path:
    """Convert a file to MJCF in the cache, in a folder named by path and content; return the path
    of the MJCF.
    """
    scene = loaders.load(path, package_map=_settings.package_map, paths=_settings.paths, quiet=True)
    text = to_mjcf(scene, **_settings.mjcf)
    entries = (*scene.diagnostics, *text.diagnostics)
    losses = Counter(str(entry.fate) for entry in entries if entry.severity == "warning")
    if losses:
        counts = ", ".join(f"{count} {fate}" for fate, count in losses.items())
        _LOG.warning("%s: %s; each is logged at level INFO", path, counts)
    for entry in entries:
        _LOG.info("%s", entry)
    files = {f"assets/{name}": data for name, data in text.assets.items()} | {
        f"{path.stem}.xml": text.encode()
    }
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    return stored_folder(files, f"mujoco/{name}") / f"{path.stem}.xml"


# --- resource providers ---------------------------------------------------------------------------


def _provider(scheme: str) -> _Provider:
    opened: dict[int, ctypes.Array[ctypes.c_char]] = {}

    def open_(resource: int) -> int:
        _, data = _guarded(lambda: _contents(_name(resource)))
        if data is None:
            return 0
        opened[resource] = ctypes.create_string_buffer(data, len(data))
        return 1

    def read(resource: int, buffer: Any) -> int:
        data = opened.get(resource)
        if data is None:
            return -1
        buffer[0] = ctypes.addressof(data)
        return len(data)

    def close(resource: int) -> None:
        opened.pop(resource, None)

    callbacks = (_keep_alive(_Open(open_)), _keep_alive(_Read(read)), _keep_alive(_Close(close)))
    provider = _Provider(scheme.encode(), *callbacks)
    _registered.append(provider)
    return provider


def _contents(uri: str) -> bytes | None:
    diagnostics = Diagnostics()
    resources = Resources(package_map=_settings.package_map, paths=_settings.paths)
    context = Context(resources=resources, diagnostics=diagnostics, read_file=read_file)
    requester = Node("mesh", {}, file="MuJoCo", line=0, diagnostics=diagnostics)
    path = context.resources.find(uri, Path.cwd(), requester)
    for entry in diagnostics:
        _LOG.warning("%s", entry)
    return None if path is None else read(path, option="mesh_file_bytes")


# --- calls from C ---------------------------------------------------------------------------------
def _guarded(action: Callable[[], T]) -> tuple[str, T | None]:
    """Run an action for C; return the text of its error, or an empty text and its result."""
    try:
        return "", action()
    except ModelError as error:
        return str(error), None
    except Exception as error:  # noqa: BLE001  (nothing may unwind through C)
        return f"{type(error).__name__}: {error}", None


def _name(resource: int) -> str:
    return os.fsdecode(_Resource.from_address(resource).name or b"")


def _keep_alive(callback: Any) -> int | None:
    """Keep a callback alive and return its address."""
    _registered.append(callback)
    return ctypes.cast(callback, ctypes.c_void_p).value


@cache
def _version() -> tuple[int, ...]:
    import mujoco

    return tuple(int(part) for part in mujoco.__version__.split(".")[:2])


@cache
def _library() -> ctypes.CDLL:
    """Return the shared library that the module ``mujoco`` uses."""
    import mujoco

    folder = Path(mujoco.__file__).parent
    names = ("libmujoco.so*", "libmujoco*.dylib", "mujoco.dll")
    library = ctypes.CDLL(str(next(file for name in names for file in sorted(folder.glob(name)))))
    library.mj_parseXML.restype = ctypes.c_void_p
    library.mj_parseXML.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    library.mjp_registerDecoder.argtypes = [ctypes.POINTER(_Decoder)]
    return library


def _register_provider(library: ctypes.CDLL) -> Any:
    """Return ``mjp_registerProvider``, whose name depends on the version of MuJoCo."""
    current = hasattr(library, "mjp_registerProvider")
    function = library.mjp_registerProvider if current else library.mjp_registerResourceProvider
    function.argtypes = [ctypes.POINTER(_Provider)]
    return function
