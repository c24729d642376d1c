"""MuJoCo as the compiler of numbers: the only module of the loaders that imports an engine.

MuJoCo gets text and the contents of files, never a path.
"""

from __future__ import annotations

import os
import re
import threading
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from loaders.mjcf.engine_warnings import engine_warnings
from loaders.safety.library_errors import raised_as

from .needed_files import needed_files

Fetch = Callable[[str, str], tuple[str, bytes] | None]

_LOCK = threading.RLock()
"""Held while the warnings of Python are recorded, which belong to the whole process, and while it is forked."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)

_NO_CONTACTS = 1 << 4
"""MuJoCo's ``mjDSBL_CONTACT``."""
_SAFE_HULLS = (3, 12)
"""Version from which MuJoCo survives the inertia of the hull of a mesh that no geom of the type mesh has."""
_LARGE = 1 << 20
"""Number of bytes of files from which MuJoCo reads them in several threads."""
_LINE = re.compile(r"line (\d+)")
_OF_MESHES = (" refpos=", " refquat=", " maxhullvert=")
"""Attributes of a `MeshSource`, as texts have them."""
_KINDS = {
    "body": "bodies", "joint": "joints", "geom": "geoms", "site": "sites", "camera": "cameras", "light": "lights",
    "mesh": "meshes", "hfield": "hfields", "texture": "textures", "material": "materials", "tendon": "tendons",
    "actuator": "actuators", "sensor": "sensors", "eq": "equalities", "key": "keys", "pair": "pairs",
    "exclude": "excludes",
}  # fmt: skip
"""Lists of the specification, by the name of the kind in the compiled model."""


class CompileError(Exception):
    """MuJoCo refuses a document."""

    @property
    def line(self) -> int:
        """Line of the text, from 1; 0 if MuJoCo states none."""
        return _line_in(str(self))


class MeshSource(NamedTuple):
    """The statements of the document on a mesh, which MuJoCo moves to its center and principal axes."""

    file: str
    """Name of its file; empty if it has none."""
    refpos: tuple[float, ...] = (0.0, 0.0, 0.0)
    """Position that is subtracted from the vertices [m]."""
    refquat: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    """Rotation ``w x y z`` that is undone."""
    hull_corners: int = -1
    """Largest number of corners of its convex hull; no limit if it is negative."""


class Compiled(NamedTuple):
    """A compiled model, and the parts of its specification that the model does not keep."""

    model: Any
    """The ``mujoco.MjModel``."""
    spec: Any
    """The ``mujoco.MjSpec``."""
    version: str
    """Version of MuJoCo."""
    meshes: tuple[MeshSource, ...]
    """The source of each mesh."""
    hfields: tuple[str, ...]
    """Name of the file of each height field; empty if it has none."""
    flexes: tuple[Any, ...]
    """Specification of each soft body."""
    disabled: frozenset[str]
    """Names of the features that the options switch off, such as ``gravity``."""
    enabled: frozenset[str]
    """Names of the features that the options switch on, such as ``energy``."""
    default_options: Callable[[], Any]
    """Returns MuJoCo's default of all options."""
    names: Mapping[str, Mapping[int, str]]
    """Names of MuJoCo's enumerations, such as ``mjtSensor``, by number."""
    warnings: list[str]
    """MuJoCo's warnings."""

    def lines(self, kind: str) -> list[int]:
        """Return the line of each element of a kind, by its index in the compiled model; 0 if unknown."""
        return _lines(getattr(self.spec, _KINDS[kind])) if kind in _KINDS else []


def compile_text(
    text: str, models: Mapping[str, str], assets: Mapping[str, bytes], fetch: Fetch | None = None
) -> Compiled:
    """Compile a document.

    Args:
        text: The document, which names no file but those given.
        models: Texts of the attached models, by name.
        assets: Contents of the other files, by name.
        fetch: Returns the name and the contents of the file of a mesh or a height field, given its kind and name, that
            takes the place of the one in ``assets`` if a number of the model depends on it.

    Raises:
        CompileError: if MuJoCo refuses it.
    """
    import mujoco

    messages: list[str] = []
    refusals = raised_as(CompileError, f"MuJoCo {mujoco.__version__} refuses the model")
    with _LOCK, engine_warnings(mujoco, messages), warnings.catch_warnings(record=True) as caught, refusals:
        warnings.simplefilter("always")
        attached = {name: model.encode() for name, model in models.items()}
        if assets and (models or "<flexcomp" in text):  # soft bodies read their files while parsing
            attached |= assets  # the copies take time
        spec = mujoco.MjSpec.from_string(text, include=attached, assets=dict(assets))
        spec.compiler.discardvisual = False
        if fetch is not None:
            _fetch_files(spec, mujoco, fetch)
        _replace_convex_inertias(spec, mujoco)
        model = _compiled(spec, sum(map(len, assets.values())))
        compiled = Compiled(
            model=model,
            spec=spec,
            version=mujoco.__version__,
            meshes=_mesh_sources(spec, model, text, models) if model.nmesh else (),
            hfields=tuple(hfield.file for hfield in spec.hfields) if model.nhfield else (),
            flexes=tuple(spec.flexes) if model.nflex else (),
            disabled=_flags(model.opt.disableflags, mujoco.mjtDisableBit, "mjDSBL_"),
            enabled=_flags(model.opt.enableflags, mujoco.mjtEnableBit, "mjENBL_"),
            default_options=mujoco.MjOption,
            names=_enumerations(mujoco),
            warnings=messages,
        )
        messages += [str(warning.message) for warning in caught]  # those of MuJoCo's Python package
        return compiled


def _compiled(spec: Any, size: int) -> Any:
    """Return the compiled model of a specification; MuJoCo tries a step at the end, which needs no contacts.

    They take half of the time that MuJoCo needs for a scene of a robot, and no number of the model depends on them. On
    some of signed distance fields MuJoCo 3.17 writes beyond the end of its memory. Threads are started for large files
    only: with small ones they take more time than they save.

    Args:
        spec: The ``mujoco.MjSpec``, which is as before in the end.
        size: Number of bytes of all files.
    """
    option, compiler = spec.option, spec.compiler
    flags, threads = int(option.disableflags), compiler.usethread
    option.disableflags = flags | _NO_CONTACTS
    if size < _LARGE:
        compiler.usethread = False
    model = spec.compile()
    option.disableflags = model.opt.disableflags = flags
    compiler.usethread = threads
    return model


def _fetch_files(spec: Any, mujoco: Any, fetch: Fetch) -> None:
    """Give a specification the files of the meshes and height fields on which a number depends."""
    meshes, hfields = needed_files(spec, mujoco)
    for kind, items, names in (("mesh", spec.meshes, meshes), ("hfield", spec.hfields, hfields)):
        for item in items if names else ():
            found = fetch(kind, item.name) if item.name in names else None
            if found is not None:
                item.file = found[0]
                spec.assets[found[0]] = found[1]


def _replace_convex_inertias(spec: Any, mujoco: Any) -> None:
    """Take away the inertia of convex hulls from meshes that no geom of the type mesh has, if MuJoCo crashes on them.

    No number depends on a mesh that no geom names.

    Raises:
        CompileError: if a fitted shape depends on such an inertia.
    """
    if _survives_hulls(mujoco.__version__):
        return
    convex, shell = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX, mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    named = {geom.meshname for geom in spec.geoms}
    drawn = {geom.meshname for geom in spec.geoms if int(geom.type) == mujoco.mjtGeom.mjGEOM_MESH}
    for mesh in spec.meshes:
        if mesh.inertia == convex and mesh.name not in drawn:
            if mesh.name in named:
                needed = ".".join(map(str, _SAFE_HULLS))
                reason = f"this version crashes on inertia='convex' of a mesh to which a shape is fitted; use {needed}"
                raise CompileError(f"{reason}\nElement 'mesh', {mesh.info}")
            mesh.inertia = shell


@cache
def _survives_hulls(version: str) -> bool:
    return tuple(map(int, version.split(".")[:2])) >= _SAFE_HULLS


def _lines(items: Any) -> list[int]:
    """Return the line of each element, in the order of the compiled model."""
    lines = [0] * len(items)
    for item in items:
        line, i = item.info[5:], item.id  # such as line 12
        if 0 <= i < len(lines):
            lines[i] = int(line) if line.isdecimal() else _line_in(item.info)
    return lines


def _line_in(text: str) -> int:
    match = _LINE.search(text)
    return int(match[1]) if match else 0


def _mesh_sources(spec: Any, model: Any, text: str, models: Mapping[str, str]) -> tuple[MeshSource, ...]:
    """Return the source of each mesh; its file is that of the model if the text states nothing else."""
    if models or any(word in text for word in _OF_MESHES):
        return tuple(
            MeshSource(mesh.file, tuple(mesh.refpos.tolist()), tuple(mesh.refquat.tolist()), int(mesh.maxhullvert))
            for mesh in spec.meshes
        )
    paths, starts = model.paths, model.mesh_pathadr.tolist()
    return tuple(MeshSource("" if start < 0 else paths[start : paths.index(b"\0", start)].decode()) for start in starts)


@cache
def _flags(bits: int, enumeration: Any, prefix: str) -> frozenset[str]:
    members = enumeration.__members__.items()
    return frozenset(
        name.removeprefix(prefix).lower()
        for name, bit in members
        if bits & int(bit.value) and not name.startswith("mjN")
    )


@cache
def _enumerations(mujoco: Any) -> Mapping[str, Mapping[int, str]]:
    """Return the names of the members of each enumeration that a reader needs, by number."""
    kinds = ("mjtSensor", "mjtGain", "mjtBias", "mjtDyn", "mjtObj", "mjtEq")
    return {kind: _numbered(getattr(mujoco, kind)) for kind in kinds}


def _numbered(enumeration: Any) -> dict[int, str]:
    return {int(member.value): name for name, member in enumeration.__members__.items()}
