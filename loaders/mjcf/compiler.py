"""MuJoCo as the compiler of numbers, its warnings, and all errors that it finds in a document.

MuJoCo gets text and the contents of files, never a path.
"""

from __future__ import annotations

import math
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from loaders import codes as loaders_codes
from loaders.deferred import hold_at_fork
from loaders.diagnostics import Diagnostics, Fate
from loaders.limits import LimitError, describe_exception, raised_as
from loaders.mjcf import codes
from loaders.node import Node

from .limits import Inputs


def needed_files(spec: Any, mujoco: Any) -> tuple[set[str], set[str]]:
    """Return the names of the meshes, and of the height fields, that MuJoCo has to decode.

    The others are drawn and touched, which a scene says with the names of their files.

    Args:
        spec: The ``mujoco.MjSpec``.
        mujoco: The module.
    """
    infers, kinds = mujoco.mjtInertiaFromGeom, mujoco.mjtGeom
    stated = spec.compiler.inertiafromgeom
    always, never = (
        stated == infers.mjINERTIAFROMGEOM_TRUE,
        stated == infers.mjINERTIAFROMGEOM_FALSE,
    )
    plain = {int(kinds.mjGEOM_MESH), int(kinds.mjGEOM_HFIELD)}
    meshes: set[str] = set()
    hfields: set[str] = set()
    has_hfields = bool(spec.hfields)
    for geom in spec.geoms:
        mesh, hfield = geom.meshname, geom.hfieldname if has_hfields else ""
        if not (mesh or hfield) or (mesh and mesh in meshes):
            continue
        has_mass = not never and (always or not geom.parent.explicitinertial) and _weighs(geom)
        if has_mass or int(geom.type) not in plain:
            meshes.add(mesh)
            hfields.add(hfield)
    return meshes - {""}, hfields - {""}


def _weighs(geom: Any) -> bool:
    """Return whether a geom may give its body mass; an unstated mass is NaN."""
    mass = geom.mass
    return bool(mass != 0.0 and (not math.isnan(mass) or geom.density != 0.0))


Handler = Callable[[str], None]


class _Collection:
    """The blocks of all threads; MuJoCo has one handler for the process, and so has Python, whose
    warnings MuJoCo's package raises in this module. The last block gives both back.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._blocks = 0
        self._before: Handler | None = None
        self._shown: Callable[..., Any] = warnings.showwarning
        self._local = threading.local()

    def begin(self, mujoco: Any, messages: list[str]) -> list[str] | None:
        """Collect the warnings of this thread; return the list that collected them before."""
        outer: list[str] | None = getattr(self._local, "messages", None)
        with self.lock:
            if not self._blocks:
                self._before = mujoco.get_mju_user_warning()
                mujoco.set_mju_user_warning(self._hear)
            if warnings.showwarning != self._show:
                self._shown, warnings.showwarning = warnings.showwarning, self._show
            if warnings.filters[:1] != [_ALL_OF_THIS_MODULE]:
                warnings.filterwarnings("always", module=_THIS_MODULE)
            self._blocks += 1
        self._local.messages = messages
        return outer

    def end(self, mujoco: Any, outer: list[str] | None) -> None:
        """End a block."""
        self._local.messages = outer
        with self.lock:
            self._blocks -= 1
            if not self._blocks:
                mujoco.set_mju_user_warning(self._before)
                self._before = None
                if warnings.showwarning == self._show:
                    warnings.showwarning = self._shown

    def _show(
        self, message: Warning | str, category: type[Warning], filename: str, *more: Any, **how: Any
    ) -> None:
        """Take a warning of Python, as `warnings.showwarning` does."""
        messages = getattr(self._local, "messages", None)
        if messages is not None and filename == __file__:
            messages.append(str(message))
        else:
            self._shown(message, category, filename, *more, **how)

    def _hear(self, text: str) -> None:
        messages = getattr(self._local, "messages", None)
        before = self._before
        if messages is not None:
            messages.append(text)
        elif before is not None:
            before(text)
        else:
            warnings.warn(text, RuntimeWarning, stacklevel=2)


_THIS_MODULE = re.escape(__name__) + r"\Z"
_ALL_OF_THIS_MODULE = ("always", None, Warning, re.compile(_THIS_MODULE), 0)
"""The filter of `warnings` that lets `_Collection` hear all that is raised here."""
_COLLECTION = _Collection()


class _Block:
    """A block whose warnings are collected; a class, as a generator takes 2 us."""

    __slots__ = ("_messages", "_mujoco", "_outer")

    def __init__(self, mujoco: Any, messages: list[str]) -> None:
        self._mujoco, self._messages = mujoco, messages

    def __enter__(self) -> None:
        self._outer = _COLLECTION.begin(self._mujoco, self._messages)

    def __exit__(self, *_: object) -> None:
        _COLLECTION.end(self._mujoco, self._outer)


def engine_warnings(mujoco: Any, messages: list[str]) -> AbstractContextManager[None]:
    """Append the warnings of MuJoCo's code in the block to a list. Blocks may be nested, and
    overlap in threads.

    Args:
        mujoco: The module.
        messages: The list.
    """
    return _Block(mujoco, messages)


Fetch = Callable[[str, str], tuple[str, bytes] | None]

_LOCK = threading.RLock()
"""Held while MuJoCo compiles, and while the process is forked."""
hold_at_fork(_LOCK, _COLLECTION.lock)

_NO_CONTACTS = 1 << 4
"""MuJoCo's ``mjDSBL_CONTACT``."""
_LARGE = 1 << 20
"""Number of bytes of files from which MuJoCo reads them in several threads."""
_LINE = re.compile(r"line (\d+)")
_OF_MESHES = (" refpos=", " refquat=", " maxhullvert=")
"""Attributes of a `MeshSource`, as texts have them."""
_KINDS = {
    "body": "bodies",
    "joint": "joints",
    "geom": "geoms",
    "site": "sites",
    "camera": "cameras",
    "light": "lights",
    "mesh": "meshes",
    "hfield": "hfields",
    "texture": "textures",
    "material": "materials",
    "tendon": "tendons",
    "actuator": "actuators",
    "sensor": "sensors",
    "eq": "equalities",
    "key": "keys",
    "pair": "pairs",
    "exclude": "excludes",
}
"""Lists of the specification, by the name of the kind in the compiled model."""


class CompileError(Exception):
    """MuJoCo refuses a document."""

    @property
    def line(self) -> int:
        """Line of the text, from 1; 0 if MuJoCo states none."""
        return _line_in(str(self))


class MeshSource(NamedTuple):
    """The statements of the document on a mesh, which MuJoCo moves to its center and principal
    axes.
    """

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
    default_spec: Callable[[], Any]
    """Returns the specification of an empty model."""
    names: Mapping[str, Mapping[int, str]]
    """Names of MuJoCo's enumerations, such as ``mjtSensor``, by number."""
    warnings: list[str]
    """MuJoCo's warnings."""

    def lines(self, kind: str) -> list[int]:
        """Return the line of each element of a kind, by its index in the compiled model; 0 if
        unknown.
        """
        return _lines(getattr(self.spec, _KINDS[kind])) if kind in _KINDS else []


def compile_text(
    text: str, models: Mapping[str, str], assets: Mapping[str, bytes], fetch: Fetch | None = None
) -> Compiled:
    """Compile a document.

    Args:
        text: The document, which names no file but those given.
        models: Texts of the attached models, by name.
        assets: Contents of the other files, by name.
        fetch: Returns the name and the contents of the file of a mesh or a height field, given its
            kind and name, that takes the place of the one in ``assets`` if a number of the model
            depends on it.

    Raises:
        CompileError: if MuJoCo refuses it.
    """
    import mujoco

    messages: list[str] = []
    refusals = raised_as(CompileError, f"MuJoCo {mujoco.__version__} refuses the model")
    with _LOCK, engine_warnings(mujoco, messages), refusals:
        attached = {name: model.encode() for name, model in models.items()}
        if assets and (models or "<flexcomp" in text):  # soft bodies read their files while parsing
            attached |= assets  # the copies take time
        spec = mujoco.MjSpec.from_string(text, include=attached, assets=dict(assets))
        spec.compiler.discardvisual = False
        if fetch is not None:
            _fetch_files(spec, mujoco, fetch)
        model = _compiled(spec, sum(map(len, assets.values())))
        return Compiled(
            model=model,
            spec=spec,
            version=mujoco.__version__,
            meshes=_mesh_sources(spec, model, text, models) if model.nmesh else (),
            hfields=tuple(hfield.file for hfield in spec.hfields) if model.nhfield else (),
            flexes=tuple(spec.flexes) if model.nflex else (),
            disabled=_flags(model.opt.disableflags, mujoco.mjtDisableBit, "mjDSBL_"),
            enabled=_flags(model.opt.enableflags, mujoco.mjtEnableBit, "mjENBL_"),
            default_options=mujoco.MjOption,
            default_spec=mujoco.MjSpec,
            names=_enumerations(mujoco),
            warnings=messages,
        )


def _compiled(spec: Any, size: int) -> Any:
    """Return the compiled model of a specification; MuJoCo tries a step at the end, which needs no
    contacts.

    They take half of the time that MuJoCo needs for a scene of a robot, and no number of the model
    depends on them. On some of signed distance fields MuJoCo 3.17 writes beyond the end of its
    memory. Threads are started for large files
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


def _mesh_sources(
    spec: Any, model: Any, text: str, models: Mapping[str, str]
) -> tuple[MeshSource, ...]:
    """Return the source of each mesh; its file is that of the model if the text states nothing
    else.
    """
    if models or any(word in text for word in _OF_MESHES):
        return tuple(
            MeshSource(
                mesh.file,
                tuple(mesh.refpos.tolist()),
                tuple(mesh.refquat.tolist()),
                int(mesh.maxhullvert),
            )
            for mesh in spec.meshes
        )
    paths, starts = model.paths, model.mesh_pathadr.tolist()
    return tuple(
        MeshSource("" if start < 0 else paths[start : paths.index(b"\0", start)].decode())
        for start in starts
    )


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


MAX_REFUSALS = 20
"""Largest number of errors that are searched for in one document."""
MAX_SECONDS = 5.0
"""Longest time after which MuJoCo is asked again; a document of a few lines may take it seconds."""
MAX_CHARACTERS = 500_000
"""Largest length of texts in which further errors are searched for."""
_CABLE = re.compile(r'<composite [^>]*\bcount="\s*[^\s"]{3,}')
"""A cable of 100 parts or more: without its first error, 1,000 parts take half a minute to be
compiled."""

_TAG = re.compile(r"<(/?)([^\s/>]+)([^>]*?)(/?)>")
_ATTRIBUTES = (
    (re.compile(r"attribute:? '([^']+)'"), r' {}="[^"]*"'),
    (re.compile(r"invalid keyword: '([^']*)'"), r' [\w:.-]+="{}"'),
    (re.compile(r"repeated name '([^']*)'"), r' name="{}"'),
    (re.compile(r"unknown default (childclass)"), r' {}="[^"]*"'),
    (re.compile(r"unknown default class name '([^']*)'"), r' class="{}"'),
    (re.compile(r"material '([^']*)' not found"), r' material="{}"'),
    (
        re.compile(r"multiple (orientation) specifiers"),
        r' (?:quat|axisangle|xyaxes|zaxis|euler)="[^"]*"',
    ),
    (re.compile(r"keyframe .*invalid (\w+) size"), r' {}="[^"]*"'),
)
"""Patterns of messages that name an attribute, each with the pattern of that attribute."""
_PREFIX = re.compile(
    r"^ValueError: (?:(?:XML )?Error: |could not parse model file with error: |Schema violation: )*"
)
_PLACE = re.compile(r"\s*Element (?:'[^']*'|name '[^']*'(?:, id -?\d+)?)(?:,? line \d+\.?)?\s*")
_SECTIONS = (
    ("keyframe", re.compile(r"keyframe .*Element name '(?P<name>[^']*)', id (?P<index>\d+)")),
    ("actuator", re.compile(r"in actuator (?P<index>\d+)")),
)
"""Sections whose elements MuJoCo names by name or number, without a line."""
_NO_INERTIA = "mass and inertia of moving bodies"
_INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
_OF_CHILDREN = "unknown default childclass"
_MISSING_NUMBER = re.compile(r"must be positive|mass and inertia|range|required|missing|without")
"""Errors of elements that may have no number only because a class lacks it."""
_NAME = re.compile(r' (?:name|class)="([^"]*)"')
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")

Compile = Callable[[str, Mapping[str, str]], object]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One part of a document that MuJoCo refuses."""

    line: int
    """Line of the text, from 1; 0 if MuJoCo states none."""
    reason: str
    """MuJoCo's message, without the place."""
    is_of_text: bool = False
    """Whether it is about the text, which MuJoCo reads before it compiles what the text makes."""


def refusals(
    error: CompileError, text: str, models: Mapping[str, str], compile_: Compile
) -> list[Refusal]:
    """Return what MuJoCo refuses in a document, in the order in which MuJoCo finds it.

    The attribute that a message names is taken out of the text, else the element, and MuJoCo is
    asked again. What only follows from a part that was taken out is left out.

    Args:
        error: The first error.
        text: The document, with a line for each element.
        models: Texts of the attached models, by name; no two texts share a line.
        compile_: Compiles the document and the attached models.
    """
    search = _Search({"": text, **models})
    is_small = sum(map(len, search.texts.values())) <= MAX_CHARACTERS
    is_small = is_small and not any(map(_CABLE.search, search.texts.values()))
    found: list[Refusal] = []
    next_error: CompileError | None = error
    start = time.perf_counter()
    for _ in range(MAX_REFUSALS):
        if next_error is None:
            break
        refusal = _refusal(next_error, search)
        place = search.element(refusal.line)
        is_new = refusal not in found
        if is_new and not search.follows(refusal, place):
            found.append(refusal)
        if place is None or not is_small or time.perf_counter() - start > MAX_SECONDS:
            break
        search.correct(refusal, place, by_inertia=is_new)
        next_error = _error(search.texts, compile_)
    return found


def _error(texts: Mapping[str, str], compile_: Compile) -> CompileError | None:
    try:
        compile_(texts[""], {name: text for name, text in texts.items() if name})
    except CompileError as error:
        return error
    except LimitError:
        return None
    return None


def _refusal(error: CompileError, search: _Search) -> Refusal:
    """Return an error with the message of MuJoCo without the place in the text, which is not that
    in the source.
    """
    cause = error.__cause__
    text = " ".join((str(error) if cause is None else describe_exception(cause)).split())
    reason = _PLACE.sub(" ", _PREFIX.sub("", text)).strip()
    return Refusal(error.line or search.line_in_section(text), reason, "XML Error" in text)


@dataclass(frozen=True, slots=True)
class _Element:
    """The place of an element."""

    model: str
    """Name of the text."""
    tag: re.Match[str]
    """Its start tag."""
    end: int
    """Its end in the text."""
    lines: range
    """Its line, and those of the elements in it."""


@dataclass(slots=True)
class _Search:
    """The texts, and what was taken out of them."""

    texts: dict[str, str]
    names: set[str] = field(default_factory=set)
    """Names of elements and classes that were taken out."""
    lines: set[int] = field(default_factory=set)
    """Lines from which something was removed."""
    lacks_classes: bool = False
    """Whether something was taken out of the defaults, from which any element may have its
    numbers."""
    lacks_elements: bool = False
    """Whether an element was taken out, so that keyframes have too many numbers."""

    def element(self, line: int) -> _Element | None:
        """Return the element of a line; None if there is none, or if it is the root."""
        for name, text in self.texts.items():
            above = _start(text, line)
            tags = (
                [] if above is None else [tag for tag in _TAG.finditer(text, *above) if not tag[1]]
            )
            if tags and tags[-1][2] not in {"mujoco", "mujocoinclude"}:
                end = tags[-1].end() if tags[-1][4] else _end(text, tags[-1].end())
                count = text.count("\n", tags[-1].start(), end)
                return _Element(name, tags[-1], end, range(line, line + max(count, 1)))
        return None

    def line_in_section(self, message: str) -> int:
        """Return the line of the element of the document that a message names without a line; 0 if
        it names none.

        A number counts the elements of attached models too.
        """
        for section, pattern in _SECTIONS:
            if named := pattern.search(message):
                tags, name = list(_children(self.texts[""], section)), named.groupdict().get("name")
                by_number = tags[int(named["index"]) :] if len(self.texts) == 1 else []
                found = [tag for tag in tags if f' name="{name}"' in tag[3]] if name else by_number
                return self.texts[""].count("\n", 0, found[0].start()) + 1 if found else 0
        return 0

    def follows(self, refusal: Refusal, place: _Element | None) -> bool:
        """Return whether an error only follows from what was taken out: of its element, or of what
        it refers to.
        """
        quoted = {a or b for a, b in _QUOTED.findall(refusal.reason)}
        is_changed = place is not None and any(line in self.lines for line in place.lines)
        if self.lacks_elements and refusal.reason.startswith("keyframe "):
            return True
        if self.lacks_classes and not refusal.is_of_text and _MISSING_NUMBER.search(refusal.reason):
            return True
        return bool(quoted & self.names) or (is_changed and _attribute(place, refusal) is None)

    def correct(self, refusal: Refusal, place: _Element, *, by_inertia: bool) -> None:
        """Change a text so that an error is gone: add the inertia that a body lacks, else take a
        part out.

        Args:
            refusal: The error.
            place: Its element.
            by_inertia: Whether an inertia may help; the error stays where geoms are to give it.
        """
        text, start, end = self.texts[place.model], place.tag.end(), place.end
        if (
            by_inertia
            and _NO_INERTIA in refusal.reason
            and "<inertial" not in text[start:end].partition("<body")[0]
        ):
            self.texts[place.model] = text[:start] + _INERTIAL + text[start:]
        else:
            self.take_out(refusal, place)

    def take_out(self, refusal: Refusal, place: _Element) -> None:
        """Take the attribute that an error names out of a text, else the element."""
        text, tag = self.texts[place.model], place.tag
        attribute = _attribute(place, refusal)
        self.lacks_elements |= attribute is None
        self.lacks_classes |= refusal.reason == _OF_CHILDREN or _is_of_defaults(text, tag)
        start, end = attribute or (tag.start(), place.end)
        removed = text[start:end]
        self.texts[place.model] = text[:start] + "\n" * removed.count("\n") + text[end:]
        self.lines.update(place.lines[:1])
        if attribute is None:
            self.names.update(_NAME.findall(removed))


def _start(text: str, line: int) -> tuple[int, int] | None:
    """Return where a line starts and ends in a text; None if it is empty or missing."""
    lines = text.split("\n")
    if not 0 < line <= len(lines) or not lines[line - 1]:
        return None
    start = sum(map(len, lines[: line - 1])) + line - 1
    return start, start + len(lines[line - 1])


def _attribute(place: _Element | None, refusal: Refusal) -> tuple[int, int] | None:
    """Return start and end of the attribute that an error names; None if the element has no such
    attribute.
    """
    if place is None:
        return None
    for pattern, attribute in _ATTRIBUTES:
        if named := pattern.search(refusal.reason):
            found = re.search(attribute.format(re.escape(named[1])), place.tag[3])
            first = place.tag.start(3)
            return None if found is None else (first + found.start(), first + found.end())
    return None


def _depth_step(tag: re.Match[str]) -> int:
    """Return the change of depth at a tag: 1 for a start, -1 for an end, 0 for an empty element."""
    if tag[1]:
        return -1
    return 0 if tag[4] else 1


def _is_of_defaults(text: str, place: re.Match[str]) -> bool:
    """Return whether an element, given by its start tag, is in the defaults."""
    tags = [tag for tag in _TAG.finditer(text, 0, place.end()) if tag[2] == "default"]
    return place[2] == "default" or sum(map(_depth_step, tags)) > 0


def _children(text: str, section: str) -> Iterator[re.Match[str]]:
    """Yield the start tags of the elements in all sections of a kind, without the elements in
    them.
    """
    for opening in re.finditer(rf"<{section}>", text):
        depth = 0
        for tag in _TAG.finditer(text, opening.end()):
            if depth == 0 and not tag[1]:
                yield tag
            depth += _depth_step(tag)
            if depth < 0:
                break


def _end(text: str, start: int) -> int:
    """Return where the element ends whose start tag ends at a place."""
    depth = 1
    for tag in _TAG.finditer(text, start):
        depth += _depth_step(tag)
        if depth == 0:
            return tag.end()
    return len(text)


_OF_INCLUDES = frozenset(
    {
        codes.INCLUDE.name,
        codes.INCLUDED_TWICE.name,
        loaders_codes.RESOURCE_NOT_FOUND.name,
        loaders_codes.RESOURCE_OUTSIDE.name,
        loaders_codes.XML_MISSING.name,
        loaders_codes.XML_SYNTAX.name,
    }
)
_OF_NUMBERS = frozenset({codes.NOT_FINITE.name})
_OF_SCHEMA = re.compile(
    r"unrecognized|invalid keyword|required attribute|(?:bad|invalid) format|too (?:few|many|much)"
)
"""Beginnings of messages about one element, whatever else is in the document."""


def may_ask(diagnostics: Diagnostics, root: Node, inputs: Inputs) -> bool:
    """Return whether MuJoCo can be asked about a document with errors: nothing is too large, and it
    names no file.

    Args:
        diagnostics: The findings so far.
        root: The root element, without includes.
        inputs: The texts and files that MuJoCo gets.
    """
    found = {entry.code for entry in diagnostics if entry.fate is Fate.INVALID}
    files = [node.attributes.get("file", "") for node in root.walk() if node.tag == "model"]
    return found <= _OF_INCLUDES | _OF_NUMBERS and all(file in inputs.models for file in files)


def independent(
    found: Iterable[Refusal], diagnostics: Diagnostics, inputs: Inputs
) -> list[Refusal]:
    """Return the refusals that do not follow from the errors found before.

    If a file is missing, so may be all that others refer to; then only errors of the schema count.
    What is wrong about the element of an error counts once it is corrected.

    Args:
        found: What MuJoCo refuses.
        diagnostics: The findings before.
        inputs: The texts and files that MuJoCo got.
    """
    before = [entry for entry in diagnostics if entry.fate is Fate.INVALID]
    places = {entry.where for entry in before}
    is_whole = {entry.code for entry in before} <= _OF_NUMBERS
    own = []
    for refusal in found:
        node = inputs.lines.node(refusal.line)
        is_elsewhere = node is None or node.where not in places
        if is_elsewhere and (is_whole or _OF_SCHEMA.search(refusal.reason)):
            own.append(refusal)
    return own
