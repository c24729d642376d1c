"""Context, options and elements of an MJCF document.

The tree and the writer are our own instead of lxml's. MJCF files are read and edited by people, and
lxml cannot wrap the attributes of a long start tag, so the writer stays in any case. As a tree,
lxml has no place for the model file that an element belongs to, moves an element that several files
share (``<compiler>``) instead of sharing it, and can insert an attribute only by rewriting all:
measured on 60,000 elements, naming a class first takes 4.1 us per element (0.7 us here), a walk
0.63 us (0.38 us), and building the tree takes as long (7.5 us against 7.1 us).

MuJoCo enforces equalities and limits by soft constraints. ``solref`` of two time steps and
``solimp`` of 0.9999 make them as hard as its solver allows; the remaining error is stated in the
diagnostics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from bridge.choices import Base, CollisionMeshes, Fit, Overlaps, Shapes
from bridge.geometry.collision_shapes import ShapeChoice
from bridge.lowering.transform import Source, SourceOptions, mechanism_of, split_options
from bridge.mechanism import Mechanism
from bridge.targets.options import Actuators, Contacts, MjcfExportOptions, MjcfInertia, Program
from bridge.targets.report import Report
from bridge.targets.xml import Names
from loaders.engine_settings import MUJOCO
from loaders.model import HasEngineSettings, Physics, settings_of
from loaders.node import escaped
from loaders.text import number, numbers

Value = str | float | bool | Sequence[float] | None

_WIDTH = 110


class MjcfElement:
    """One element of an MJCF document.

    Attributes are text, formatted when they are set. An attribute whose value is None is left out.
    """

    __slots__ = ("attributes", "children", "is_stated", "owner", "tag")

    def __init__(self, tag: str, **attributes: Value) -> None:
        self.tag = tag
        self.attributes: dict[str, str] = {}
        self.children: list[MjcfElement] = []
        self.owner = ""
        """The model whose file holds the element; empty for the main file. See
        `bridge.targets.mjcf.submodel`."""
        self.is_stated = False
        """Whether it writes an element of MuJoCo that the scene holds as such."""
        self.set(**attributes)

    def set(self, **attributes: Value) -> None:
        """Set attributes; ``class_`` sets the attribute ``class``."""
        for name, value in attributes.items():
            if value is not None:
                self.attributes[name.rstrip("_")] = _text(value)

    def add(self, tag: str, **attributes: Value) -> MjcfElement:
        """Append a new child and return it."""
        child = MjcfElement(tag, **attributes)
        self.children.append(child)
        return child

    def walk(self) -> Iterator[MjcfElement]:
        """Yield this element and all its descendants, in document order."""
        pending = [self]
        while pending:
            element = pending.pop()
            yield element
            pending.extend(reversed(element.children))


def _text(value: str | float | bool | Sequence[float]) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return number(value) if isinstance(value, int | float) else numbers(value)


def write(root: MjcfElement, comments: Iterable[str] = ()) -> str:
    """Return the document as text: one comment line per entry of ``comments``, then the tree.

    Blank lines separate the sections below the root.
    """
    lines = [f"<!-- {line.replace('--', '- -')} -->" for line in comments]
    pending: list[tuple[MjcfElement, int, bool]] = [(root, 0, False)]
    while pending:
        element, depth, closing = pending.pop()
        if closing:
            lines.append(f"{'  ' * depth}</{element.tag}>")
            continue
        if depth == 1 and lines[-1] != "":
            lines.append("")
        lines.extend(_start_tag(element, depth))
        if element.children:
            pending.append((element, depth, True))
            pending.extend((child, depth + 1, False) for child in reversed(element.children))
    return "\n".join(lines) + "\n"


def _start_tag(element: MjcfElement, depth: int) -> list[str]:
    """Return the start tag, wrapped between attributes into lines of at most `_WIDTH` characters
    where possible.
    """
    indent = "  " * depth
    words = [f'{name}="{escaped(text)}"' for name, text in element.attributes.items()]
    end = ">" if element.children else "/>"
    lines, line = [], f"{indent}<{element.tag}"
    for i, word in enumerate(words):
        room = _WIDTH - (len(end) if i == len(words) - 1 else 0)
        if len(line) + 1 + len(word) > room and line.strip() != f"<{element.tag}":
            lines.append(line)
            line = f"{indent}  {word}"
        else:
            line += f" {word}"
    return [*lines, line + end]


HARD_SOLIMP = (0.9999, 0.9999, 0.001)
"""Impedance of a hard constraint; 0.9999 is the largest value that MuJoCo allows."""
DEFAULT_SOLREF, DEFAULT_SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001)
"""MuJoCo's default time constant [s], damping ratio and impedance, for constraints that cannot be
satisfied."""
DEFAULT_SOLIMP_SHAPE = (0.5, 2.0)
"""MuJoCo's default of the last two numbers of ``solimp``, the midpoint and the power of its
curve."""
UNLIMITED = 1e10
"""The missing bound of a range that has the other one; MuJoCo reads ``inf`` as unlimited on both
sides."""


def hard_solref(time_step: float) -> tuple[float, float]:
    """Return time constant [s] and damping ratio of a hard constraint: MuJoCo's minimum is two time
    steps.
    """
    return (2.0 * time_step, 1.0)


TARGET = "mjcf"
"""The target of this package's diagnostics and the prefix of their codes."""


def own_settings(item: HasEngineSettings) -> dict[str, str]:
    """Return the text of each setting of an item that only MuJoCo has, by its attribute."""
    return dict(settings_of(item, MUJOCO))


class MjcfOptions(SourceOptions, total=False):
    """Keywords of `bridge.to_mjcf`, which documents them, and of the other exports to MJCF; each
    may be omitted.
    """

    actuators: Actuators
    base: Base
    inertia: MjcfInertia
    policy: str | None
    overlaps: Overlaps
    collision_meshes: CollisionMeshes
    shapes: Shapes
    fit: Fit
    maxhullvert: int
    contacts: Contacts
    program: Program


def mechanism_and_options(
    source: Source, keywords: MjcfOptions
) -> tuple[Mechanism, MjcfExportOptions]:
    """Load and lower a source, apply the option ``base``, and return the mechanism with the checked
    options.

    Raises:
        TypeError: if a keyword is unknown; the message suggests the closest one.
        ValueError: if an option has an unknown value.
        LoadError: if the source cannot be read.
        ExportError: if the scene cannot be lowered.
    """
    options, load_options = split_options(MjcfExportOptions, keywords)
    mechanism = mechanism_of(
        source,
        base=options.base,
        overlaps=options.overlaps,
        shapes=ShapeChoice.of(options.shapes, options.fit, options.collision_meshes),
        target=TARGET,
        exclusion=options.exclusion,
        **load_options,
    )
    if keywords.get("policy") is None:
        options = replace(options, policy=mechanism.default_policy)
    return mechanism, options


_SECTIONS = (
    "compiler", "option", "size", "visual", "statistic", "default", "asset", "worldbody",
    "deformable", "contact", "tendon", "equality", "actuator", "sensor", "keyframe",
)  # fmt: skip
ASSETS = ("texture", "material", "mesh", "hfield")
"""Elements of ``<asset>``, in the order of the document."""


def asset_name(asset: MjcfElement) -> str:
    """Return the name of an asset; without one that of its file."""
    return asset.attributes.get("name") or PurePath(asset.attributes.get("file", "")).stem


class MjcfDocument:
    """The sections of an MJCF file, in MuJoCo's customary order, and the element of each body."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._sections = {tag: MjcfElement(tag) for tag in _SECTIONS}
        self.bodies: list[MjcfElement] = []
        """Element of each body of the mechanism, by index; a link named ``world`` has the
        ``<worldbody>``."""

    def __getitem__(self, section: str) -> MjcfElement:
        return self._sections[section]

    def body(self, index: int) -> MjcfElement:
        """Return the element of a body; ``<worldbody>`` for `bridge.mechanism.bodies.ROOT`."""
        return self["worldbody"] if index < 0 else self.bodies[index]

    def root(self) -> MjcfElement:
        """Return the complete document without empty sections, its assets sorted by kind."""
        self["asset"].children.sort(key=lambda asset: ASSETS.index(asset.tag))
        root = MjcfElement("mujoco", model=self._name)
        root.children = [e for e in self._sections.values() if e.attributes or e.children]
        return root


@dataclass(frozen=True, slots=True, kw_only=True)
class MjcfContext(Report):
    """One export in progress, with its findings about what MJCF cannot hold.

    The document, the names and the findings grow; whatever else one section needs of another is
    passed to it.
    """

    target: str = TARGET
    mechanism: Mechanism
    options: MjcfExportOptions
    document: MjcfDocument
    names: Names = field(default_factory=Names)

    @property
    def time_step(self) -> float:
        """Time step of the integrator [s]: the scene's, or the default if the scene's is not a
        positive number.
        """
        step = self.mechanism.physics.time_step
        return step if 0.0 < step < math.inf else Physics().time_step
