"""MuJoCo itself opens SDFormat, and finds ``model://`` and ``package://``.

After ``bridge.mujoco_plugin.register()``::

    mujoco.MjSpec.from_file("arm.sdf")
    <asset> <model name="arm" file="arm.sdf"/> </asset>          in an MJCF file, to attach it
    <asset> <mesh file="package://arm_description/base.obj"/> </asset>

MuJoCo's decoders and resource providers are C function pointers (``mjplugin.h``); they are registered through ctypes
and live as long as the process. Nothing that goes wrong in them crosses into C: it comes back as MuJoCo's own error,
with our text. What a file loses on the way, and where a URI was looked for in vain, the logger of this module tells.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from bridge.geometry.mesh_assets import cache_folder
from loaders.context import Context
from loaders.diagnostics import Diagnostic, Diagnostics, ModelError
from loaders.formats import read_file
from loaders.node import Node
from loaders.resources import Resources

from .mjcf import to_mjcf

SUFFIXES = (".sdf", ".world")
SCHEMES = ("model", "package")

_ERROR_SIZE = 4096

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

_CanDecode = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_Decode = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_SilentDecode = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
"""Before MuJoCo 3.16 a decoder cannot say why it failed; the log says it then."""
_Open = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_Read = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
_Close = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Resource(ctypes.Structure):
    """The head of ``mjResource``, the same in every version."""

    _fields_ = (("name", ctypes.c_char_p), ("data", ctypes.c_void_p))


class _Decoder(ctypes.Structure):
    """``mjpDecoder``."""

    _fields_ = (
        ("content_type", ctypes.c_char_p),
        ("extension", ctypes.c_char_p),
        ("can_decode", ctypes.c_void_p),
        ("decode", ctypes.c_void_p),
    )


class _Provider(ctypes.Structure):
    """``mjpResourceProvider``; what follows ``close`` is optional and differs between versions: left null."""

    _fields_ = (
        ("prefix", ctypes.c_char_p),
        ("open", ctypes.c_void_p),
        ("read", ctypes.c_void_p),
        ("close", ctypes.c_void_p),
        ("optional", ctypes.c_void_p * 8),
    )


_registered: list[object] = []
"""What C points to must outlive it: kept until the process ends."""


def register(
    *, package_map: Mapping[str, str | os.PathLike[str]] | None = None, paths: Sequence[str | os.PathLike[str]] = ()
) -> None:
    """Teach MuJoCo, for the rest of this process, to open SDFormat and to resolve model and package URIs.

    A second call has no effect.

    Args:
        package_map: As for `loaders.load`, for everything that MuJoCo opens.
        paths: As for `loaders.load`.

    Raises:
        ImportError: if MuJoCo is not installed.
    """
    if _registered:
        return
    library = _library()
    resources = Resources(
        package_map={name: Path(folder) for name, folder in (package_map or {}).items()},
        paths=tuple(map(Path, paths)),
    )
    for suffix in SUFFIXES:
        decoder = _decoder(library, suffix, resources)
        library.mjp_registerDecoder(ctypes.byref(decoder))
    for scheme in SCHEMES:
        provider = _provider(scheme, resources)
        _register_provider(library)(ctypes.byref(provider))


# --- decoders --------------------------------------------------------------------------------------------------------


def _decoder(library: ctypes.CDLL, suffix: str, resources: Resources) -> _Decoder:
    def can_decode(resource: int) -> int:
        return int(_name(resource).lower().endswith(suffix))

    def decode(resource: int, _vfs: int | None, error: int | None, size: int) -> int | None:
        message, spec = _guarded(lambda: _spec(library, Path(_name(resource)), resources))
        _write(message, error, size)
        return spec

    def decode_silently(resource: int, _vfs: int | None) -> int | None:
        message, spec = _guarded(lambda: _spec(library, Path(_name(resource)), resources))
        if message:
            _LOG.error(message)
        return spec

    run = _Decode(decode) if _version() >= (3, 16) else _SilentDecode(decode_silently)
    decoder = _Decoder(
        b"model/sdformat+" + suffix[1:].encode(),
        suffix.encode(),
        _kept(_CanDecode(can_decode)),
        _kept(run),
    )
    _registered.append(decoder)
    return decoder


def _spec(library: ctypes.CDLL, path: Path, resources: Resources) -> int:
    """Address of a new ``mjSpec``, which the caller of the decoder owns."""
    file = _converted(path, resources)
    error = ctypes.create_string_buffer(_ERROR_SIZE)
    spec: int | None = library.mj_parseXML(os.fsencode(file), None, error, _ERROR_SIZE)
    if not spec:
        raise ValueError(error.value.decode(errors="replace"))
    return spec


def _converted(path: Path, resources: Resources) -> Path:
    """The MJCF of a file, in a folder of the cache that is the file's own."""
    import loaders

    scene = loaders.load(path, package_map=resources.package_map, paths=resources.paths)
    text = to_mjcf(scene)
    _tell(path, (*scene.diagnostics, *text.diagnostics))
    folder = cache_folder() / "mujoco" / hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    for name, data in text.assets.items():
        _replace(folder / "assets" / name, data)
    return _replace(folder / f"{path.stem}.xml", text.encode())


def _tell(path: Path, entries: Sequence[Diagnostic]) -> None:
    """Log how much was lost, and at level INFO what."""
    lost = Counter(str(entry.fate) for entry in entries if entry.severity == "warning")
    if lost:
        counts = ", ".join(f"{count} {fate}" for fate, count in lost.items())
        _LOG.warning("%s: %s; each is logged at level INFO", path, counts)
    for entry in entries:
        _LOG.info("%s", entry)


def _replace(path: Path, data: bytes) -> Path:
    """Write a file so that nobody sees half of it."""
    if not path.exists() or path.read_bytes() != data:
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.write_bytes(data)
        draft.replace(path)
    return path


# --- resource providers ----------------------------------------------------------------------------------------------


def _provider(scheme: str, resources: Resources) -> _Provider:
    opened: dict[int, ctypes.Array[ctypes.c_char]] = {}

    def open_(resource: int) -> int:
        _, data = _guarded(lambda: _contents(_name(resource), resources))
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

    callbacks = (_kept(_Open(open_)), _kept(_Read(read)), _kept(_Close(close)))
    provider = _Provider(scheme.encode(), *callbacks)
    _registered.append(provider)
    return provider


def _contents(uri: str, resources: Resources) -> bytes | None:
    diagnostics = Diagnostics()
    context = Context(resources=resources, diagnostics=diagnostics, read_file=read_file)
    asking = Node("mesh", {}, file="MuJoCo", line=0, diagnostics=diagnostics)
    path = context.resources.find(uri, Path.cwd(), asking)
    for entry in diagnostics:
        _LOG.warning("%s", entry)
    return None if path is None else path.read_bytes()


# --- the border to C -------------------------------------------------------------------------------------------------


def _guarded(action: Callable[[], T]) -> tuple[str, T | None]:
    """Run what C called: its result, or why there is none."""
    try:
        return "", action()
    except ModelError as error:
        return str(error), None
    except Exception as error:  # noqa: BLE001  (nothing may unwind through C)
        return f"{type(error).__name__}: {error}", None


def _write(message: str, error: int | None, size: int) -> None:
    """Copy a message into C's buffer, cut to its size."""
    if message and error and size > 0:
        text = message.encode()[: size - 1] + b"\0"
        ctypes.memmove(error, text, len(text))


def _name(resource: int) -> str:
    return os.fsdecode(_Resource.from_address(resource).name or b"")


def _kept(callback: Any) -> int | None:
    """Address of a callback that C will keep."""
    _registered.append(callback)
    return ctypes.cast(callback, ctypes.c_void_p).value


@cache
def _version() -> tuple[int, ...]:
    import mujoco

    return tuple(int(part) for part in mujoco.__version__.split(".")[:2])


@cache
def _library() -> ctypes.CDLL:
    """The library that the mujoco module itself uses."""
    import mujoco

    folder = Path(mujoco.__file__).parent
    names = ("libmujoco.so*", "libmujoco*.dylib", "mujoco.dll")
    library = ctypes.CDLL(str(next(file for name in names for file in sorted(folder.glob(name)))))
    library.mj_parseXML.restype = ctypes.c_void_p
    library.mj_parseXML.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    library.mjp_registerDecoder.argtypes = [ctypes.POINTER(_Decoder)]
    return library


def _register_provider(library: ctypes.CDLL) -> Any:
    """``mjp_registerProvider``, by the name that it has in this version."""
    current = hasattr(library, "mjp_registerProvider")
    function = library.mjp_registerProvider if current else library.mjp_registerResourceProvider
    function.argtypes = [ctypes.POINTER(_Provider)]
    return function
