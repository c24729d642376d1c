"""fix: repairs of what is wrong with certainty, as a minimal change of the text of a file.

Each repair replaces numbers, or adds one attribute or element; comments, order and every other
character stay. What is wrong is found by the readers and by `bridge.robot_checks`; after each
repair the text is read again, so that a second run changes nothing.
"""

from __future__ import annotations

import difflib
import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Unpack

import numpy as np

import loaders
from bridge import codes
from bridge.lowering.transform import mechanism_of
from bridge.markup import Element, TextSpan, root_of
from bridge.mechanism import Mechanism
from bridge.output import write_file
from bridge.robot_checks import check_robot
from loaders import Search
from loaders.code import Code
from loaders.diagnostics import Diagnostic, Diagnostics, ModelError, Where, limited
from loaders.files.read_file import read
from loaders.finish.mass_properties import shape_inertia
from loaders.inertia import SpatialInertia
from loaders.limits import FileError, budgeted
from loaders.model import WORLD, Link
from loaders.pose import Array, Pose
from loaders.scene import Scene
from loaders.text import number

_ROUNDS = 4
"""Largest number of times that a text is read again after repairs."""
_MARGIN = 1e-6
"""Moments about each axis that are added to the nearest ones that a body can have, as a share of
their sum, so that they stay such when they are rounded."""
_SMALL_CHANGE = 0.1
"""Largest change of the largest moment by the nearest physical ones; else those of the shapes."""
_UNIT = 1e-3
"""Deviation of the length of an axis from 1 from which it is no rounding."""
_MILLI = 1e-3
"""Meters in a millimeter."""
_SIZES = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length")}
"""Lengths of shapes of URDF and SDFormat."""
_SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair.

    Attributes:
        line: Line of the element that was changed, in the file before.
        text: The element, what was wrong, and what takes its place.
    """

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """The repairs of a file; it is written by `write` only.

    Attributes:
        path: The file.
        old: Its text.
        new: Its text with the repairs.
        repairs: The repairs, in the order of the text.
        left: Sentences about what is wrong and was not repaired, with the reason.
    """

    path: Path
    old: str
    new: str
    repairs: tuple[Repair, ...]
    left: tuple[str, ...]

    @property
    def diff(self) -> str:
        """The change as a unified diff; empty if nothing is repaired."""
        name = self.path.as_posix()
        lines = difflib.unified_diff(
            self.old.splitlines(keepends=True), self.new.splitlines(keepends=True), name, name
        )
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )

    def write(self) -> Path:
        """Write the repaired text over the file in one step; return its path.

        Raises:
            OSError: if the file system refuses; the old content is in place then.
        """
        return write_file(self.path, self.new.encode())


def fix(path: str | os.PathLike[str], **search: Unpack[Search]) -> Fix:
    """Return the repairs of a URDF, SDFormat or MJCF file as a change of its text.

    Repaired are moments of inertia that no body has, or that the shapes of the link cannot have;
    reversed limits; axes that are no unit vectors; meshes, shapes and offsets in millimeters; and
    pairs of links that overlap at the start and are not excluded.

    Args:
        path: The file.
        search: Where to search for the files that it refers to; see `loaders.Search`.

    Raises:
        ValueError: if it is no such file, or was written by xacro.
    """
    place = Path(path)
    old = _text_of(place)
    root = root_of(old)
    kind = None if root is None else _KINDS.get(root.tag)
    if kind is None or root is None:
        raise ValueError(
            f"{place} is no URDF, SDFormat or MJCF; fix repairs files of these formats"
        )
    _refuse_xacro(place, old, root)
    repairs: dict[tuple[str, str], Repair] = {}
    left: list[str] = []
    text = old
    for _ in range(_ROUNDS):
        work = _Work(text, kind, place, search)
        changed = work.repaired()
        for repair_path, repair in work.repairs:
            repairs.setdefault((repair_path, repair.text), repair)
        left = work.left
        if changed == text:
            break
        text = changed
    ordered = sorted(repairs.values(), key=lambda repair: repair.line)
    return Fix(place, old, text, tuple(ordered), tuple(left))


_KINDS = {"robot": "urdf", "sdf": "sdf", "mujoco": "mjcf"}
"""Formats by the root element."""


def _text_of(path: Path) -> str:
    try:
        data = read(str(path))
    except FileError as error:
        raise ValueError(f"cannot read {path}: {error}") from error
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8; write it as UTF-8 first") from error


_XACRO = re.compile(r"autogenerated by xacro(?: from (?P<source>\S+))?")


def _refuse_xacro(path: Path, text: str, root: Element) -> None:
    """Refuse a source or an output of xacro.

    Raises:
        ValueError: if it is one.
    """
    match = _XACRO.search(text)
    if match is not None:
        source = match["source"] or "its source"
        raise ValueError(
            f"{path} was written by xacro from {source}, and the next run of xacro would undo the "
            f"repair; repair {source}"
        )
    if any(name.startswith("xmlns:xacro") for name in root.attributes):
        raise ValueError(
            f"{path} is a source of xacro, whose numbers may be computed; repair it by hand"
        )


# --- one pass -------------------------------------------------------------------------------------


@dataclass
class _Work:
    """One pass over a text: the edits and what they mean.

    Attributes:
        text: The text.
        kind: The format: ``urdf``, ``sdf`` or ``mjcf``.
        path: The file.
        search: Where to search for files.
        edits: Places with the text that takes theirs.
        repairs: The repairs, with the paths of their elements.
        left: What was not repaired.
        links: The links by the paths of their elements.
    """

    text: str
    kind: str
    path: Path
    search: Search
    edits: dict[tuple[int, int], str] = field(default_factory=dict)
    repairs: list[tuple[str, Repair]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    links: dict[str, Link] = field(default_factory=dict)

    def __post_init__(self) -> None:
        root = root_of(self.text)
        assert root is not None  # noqa: S101
        self.root = root

    def repaired(self) -> str:
        """Return the text with the repairs.

        A text with moments that no body has, or with reversed limits, may be refused; its shapes
        are read with the nearest moments.
        """
        self._repair_numbers()
        scene = self._scene(self._edited())
        if scene is not None and self.edits:
            self.edits, self.repairs, self.left = {}, [], []
            self.links = {link.where.path: link for link in scene.links}
            self._repair_numbers()
        elif scene is not None:
            self.links = {link.where.path: link for link in scene.links}
            self._repair_what_check_finds(scene)
        return self._edited()

    def _repair_numbers(self) -> None:
        for element in self.root.below():
            _repair_moments(self, element)
            _repair_limits(self, element)
            _repair_axis(self, element)

    def _edited(self) -> str:
        text = self.text
        for (start, end), new in sorted(self.edits.items(), reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def _scene(self, text: str) -> Scene | None:
        """Return the scene of a text; None if it cannot be read, even without what is invalid."""
        try:
            return loaders.load_string(
                text.removeprefix("\ufeff"),
                format=self.kind,
                base=self.path.parent,
                lenient=True,
                quiet=True,
                **self.search,
            )
        except ModelError as error:
            self.left += [str(entry) for entry in error.findings if entry.severity == "error"]
            return None

    def _repair_what_check_finds(self, scene: Scene) -> None:
        found = Diagnostics()
        try:
            mechanism = mechanism_of(scene)
        except ModelError as error:
            self.left += [str(entry) for entry in error.findings if entry.severity == "error"]
            return
        with budgeted(self.search.get("limits")), limited(found, scene.name):
            check_robot(mechanism, found)
        for entry in found:
            for code, repair in _REPAIRS.items():
                if entry.severity == "warning" and entry.is_one_of((code,)):
                    repair(self, entry)
        _exclude(self, mechanism)

    def at(self, where: Where) -> Element | None:
        """Return the element at a place; None if it lies in another file."""
        if not Path(where.file).name.startswith("<string>"):
            return None
        found = [each for each in self.root.below() if each.path == where.path]
        lines = [each for each in found if each.line <= where.line <= each.last_line]
        candidates = lines or found
        return candidates[0] if len(candidates) == 1 else None

    def replace(self, span: TextSpan, numbers: Sequence[float]) -> None:
        """Replace the numbers of a span."""
        lead = span.text[: len(span.text) - len(span.text.lstrip())]
        tail = span.text[len(span.text.rstrip()) :]
        self.edits[span.start, span.end] = f"{lead}{_written(numbers)}{tail}"

    def note(self, element: Element, text: str) -> None:
        """Note a repair."""
        self.repairs.append((element.path, Repair(element.line, text)))

    def spans(self, element: Element, names: Sequence[str]) -> list[TextSpan] | None:
        """Return the values of an element with some names: attributes, or the text of children in
        SDFormat; None if one is missing.
        """
        found = [self.span(element, name) for name in names]
        known = [span for span in found if span is not None]
        return known if len(known) == len(found) else None

    def span(self, element: Element, name: str) -> TextSpan | None:
        """Return the value of an element with a name; None if it has none."""
        if self.kind != "sdf":
            return element.attributes.get(name)
        child = element.child(name)
        if child is None or child.children:
            return None
        return TextSpan(self.text[child.inside : child.outside], child.inside, child.outside)


def _written(numbers: Sequence[float]) -> str:
    return " ".join(number(float(f"{value:.9g}") + 0.0) for value in numbers)


def _numbers(span: TextSpan | None, count: int = 0) -> list[float] | None:
    """Return the numbers of a value; None if it has others, or another number of them."""
    if span is None:
        return None
    try:
        values = [float(word) for word in span.text.split()]
    except ValueError:
        return None
    if not values or (count and len(values) != count):
        return None
    return values if all(map(math.isfinite, values)) else None


def _owner(element: Element, *tags: str) -> Element:
    """Return the element with one of some tags around an element; the element itself if there is
    none.
    """
    around: Element | None = element
    while around is not None and around.tag not in tags:
        around = around.parent
    return element if around is None else around


def _said(element: Element) -> str:
    """Return the kind and the name of an element."""
    return f"{element.tag} {element.name}".rstrip()


# --- moments of inertia ---------------------------------------------------------------------------


def _repair_moments(work: _Work, element: Element) -> None:
    """Replace moments that no body has: by the nearest ones, or by those of the shapes."""
    stated = _stated_moments(work, element)
    if stated is None:
        return
    body, inertial, spans, matrix = stated
    defects = SpatialInertia.of(1.0, I_Lcm=matrix).defects()
    if not defects:
        return
    of_shapes = _moments_of_shapes(work, inertial, work.links.get(body.path))
    nearest = SpatialInertia.of(1.0, I_Lcm=matrix).repaired().I_Lcm
    nearest = nearest + _MARGIN * float(np.trace(nearest)) * np.eye(3)
    largest = float(np.abs(matrix).max())
    is_near = np.abs(nearest - matrix).max() <= _SMALL_CHANGE * largest
    if of_shapes is not None and not is_near:
        _write_moments(work, body, spans, of_shapes, f"{defects[0]}; those of its shapes")
    elif nearest.any():
        _write_moments(work, body, spans, nearest, f"{defects[0]}; the nearest that a body has")
    else:
        work.left.append(f"line {body.line}: {_said(body)}: {defects[0]}; it has no shapes")


def _stated_moments(
    work: _Work, element: Element
) -> tuple[Element, Element, list[TextSpan], Array] | None:
    """Return body, inertial, spans and matrix of an element that states moments; None of others."""
    tag = "inertial" if work.kind == "mjcf" else "inertia"
    inertial = element if work.kind == "mjcf" else element.parent
    if element.tag != tag or inertial is None or inertial.parent is None:
        return None
    if work.kind != "mjcf":
        spans = work.spans(element, _SIX)
        values = [_numbers(span, 1) for span in spans or ()]
    else:
        name, count = ("fullinertia", 6) if "fullinertia" in element.attributes else _DIAGONAL
        spans = work.spans(element, (name,))
        values = [_numbers(span, count) for span in spans or ()]
    known = [value for value in values if value is not None]
    if not spans or len(known) < len(values):
        return None
    flat = [x for value in known for x in value]
    return inertial.parent, inertial, spans, _matrix(flat, in_mjcf=work.kind == "mjcf")


_DIAGONAL = ("diaginertia", 3)


def _matrix(flat: Sequence[float], *, in_mjcf: bool) -> Array:
    if len(flat) == _DIAGONAL[1]:
        return np.diag(flat)
    xx, xy, xz, yy, yz, zz = flat
    if in_mjcf:
        xx, yy, zz, xy, xz, yz = flat
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _write_moments(
    work: _Work, body: Element, spans: list[TextSpan], matrix: Array, reason: str
) -> None:
    diagonal, others = np.diag(matrix).tolist(), [matrix[0, 1], matrix[0, 2], matrix[1, 2]]
    if len(spans) == len(_SIX):
        xx, yy, zz = diagonal
        xy, xz, yz = (float(x) for x in others)
        for span, value in zip(spans, (xx, xy, xz, yy, yz, zz), strict=True):
            if _numbers(span) != [value]:
                work.replace(span, [value])
    elif len(spans[0].text.split()) == len(_SIX):
        work.replace(spans[0], [*diagonal, *others])
    else:
        work.replace(spans[0], diagonal)
    work.note(body, f"{_said(body)}: {reason} take their place: {_written(diagonal)} kg m^2")


def _mass(work: _Work, inertial: Element) -> float:
    values = _numbers(work.span(inertial, "mass"), 1)
    if values is None and (child := inertial.child("mass")) is not None:  # URDF
        values = _numbers(child.attributes.get("value"), 1)
    return values[0] if values else 0.0


def _moments_of_shapes(work: _Work, inertial: Element, link: Link | None) -> Array | None:
    """Return the moments of the shapes of a link at its mass, in the axes of its inertial frame;
    None if it has no shapes with a volume, or if the frame is not plain.
    """
    R_LI, mass = _inertial_rotation(work, inertial), _mass(work, inertial)
    if link is None or mass <= 0.0 or R_LI is None:
        return None
    for shapes in (link.collisions, link.visuals):
        found = [(shape.X_LG, shape_inertia(shape.geometry, 1.0)) for shape in shapes]
        parts = [body.moved(X_LG) for X_LG, body in found if body is not None and body.mass > 0.0]
        if parts:
            total = sum(parts[1:], start=parts[0])
            moments: Array = R_LI.T @ total.I_Lcm @ R_LI * (mass / total.mass)
            has_frame = work.kind != "mjcf" or "fullinertia" in inertial.attributes
            moments = moments if has_frame else np.diag(np.diag(moments))
            if _are_of_a_body(moments):  # not so where triangles of a mesh are turned
                return moments
    return None


def _are_of_a_body(moments: Array) -> bool:
    smallest = float(np.linalg.eigvalsh(moments)[0])
    return smallest > 0.0 and not SpatialInertia.of(1.0, I_Lcm=moments).defects()


_FRAMES = {"quat", "axisangle", "xyaxes", "zaxis", "euler"}
"""Attributes of MJCF that turn a frame."""


def _inertial_rotation(work: _Work, inertial: Element) -> Array | None:
    if work.kind == "mjcf":
        return None if _FRAMES & inertial.attributes.keys() else np.eye(3)
    if work.kind == "urdf":
        origin = inertial.child("origin")
        angles = origin.attributes.get("rpy") if origin is not None else None
        if angles is None:
            return np.eye(3)
        values = _numbers(angles, 3)
        return None if values is None else Pose.from_xyz_rpy((0, 0, 0), values).R
    pose = inertial.child("pose")
    if pose is None:
        return np.eye(3)
    values = _numbers(work.span(inertial, "pose"), 6)
    is_plain = values is not None and not pose.attributes
    return Pose.from_xyz_rpy(values[:3], values[3:]).R if is_plain and values else None


def _repair_with_shapes(work: _Work, entry: Diagnostic) -> None:
    """Replace moments that are 0, or need mass far outside the shapes, by those of the shapes."""
    is_zero = entry.is_one_of((codes.ROBOT_NO_MOMENTS,))
    what = "the moments are 0" if is_zero else "the moments need mass far outside the shapes"
    names = {link.name: link for link in work.links.values()}
    for link in (names[name] for name in entry.subjects if name in names):
        body = work.at(link.where)
        inertial = None if body is None else body.child("inertial")
        holder = inertial if work.kind == "mjcf" or inertial is None else inertial.child("inertia")
        stated = None if holder is None else _stated_moments(work, holder)
        if stated is None or inertial is None:
            continue
        moments = _moments_of_shapes(work, inertial, link)
        if moments is not None:
            _write_moments(work, stated[0], stated[2], moments, f"{what}; those of the shapes")


# --- joints ---------------------------------------------------------------------------------------


def _repair_limits(work: _Work, element: Element) -> None:
    """Exchange limits of which the lower is above the upper."""
    joint = _owner(element, "joint")
    if work.kind == "mjcf":
        spans = work.spans(element, ("range",)) if element.tag == "joint" else None
        values = _numbers(spans[0], 2) if spans else None
    else:
        is_limit = element.tag == "limit" and joint is not element
        spans = work.spans(element, ("lower", "upper")) if is_limit else None
        pairs = [_numbers(span, 1) for span in spans or ()]
        values = [pair[0] for pair in pairs if pair is not None]
    if not spans or values is None or len(values) != 2 or values[0] <= values[1]:
        return
    if len(spans) == 1:
        work.replace(spans[0], values[::-1])
    else:
        for span, other in zip(spans, reversed(spans), strict=True):
            work.edits[span.start, span.end] = other.text
    lower, upper = values
    work.note(joint, f"{_said(joint)}: the limits {lower:g} and {upper:g} are exchanged")


def _repair_axis(work: _Work, element: Element) -> None:
    """Give an axis of a joint the length 1; MuJoCo accepts any length."""
    if work.kind == "mjcf" or element.tag != "axis" or element.parent is None:
        return
    span = work.span(element, "xyz")
    values = _numbers(span, 3)
    if span is None or values is None:
        return
    length = math.sqrt(sum(x * x for x in values))
    if length <= _UNIT or abs(length - 1.0) <= _UNIT:
        return
    joint = _owner(element, "joint")
    work.replace(span, [x / length for x in values])
    work.note(joint, f"{_said(joint)}: the axis has the length {length:.4g}; 1 takes its place")


# --- millimeters ----------------------------------------------------------------------------------


_IN_MILLIMETERS = "the size is in millimeters; meters take its place"


def _repair_shape(work: _Work, entry: Diagnostic) -> None:
    """Scale a mesh or a shape that is in millimeters."""
    if entry.arguments.get("unit") != "millimeters":
        return
    place = work.at(entry.where)
    if place is None:
        return
    owner = _owner(place, "visual", "collision", "geom")
    if work.kind == "mjcf":
        _scale_geom(work, owner)
        return
    for element in owner.below():
        if element.tag == "mesh":
            _scale_mesh(work, element, owner)
        for name in _SIZES.get(element.tag, ()):
            span = work.span(element, name)
            values = _numbers(span)
            if span is not None and values is not None:
                work.replace(span, [_MILLI * x for x in values])
                work.note(
                    owner, f"{_where(owner)}: the size is in millimeters; meters take its place"
                )


def _where(owner: Element) -> str:
    link = _owner(owner, "link", "body")
    return f"{_said(link)}, {_said(owner)}"


def _scale_mesh(work: _Work, mesh: Element, owner: Element) -> None:
    span = work.span(mesh, "scale")
    values = _numbers(span)
    scale = [_MILLI * x for x in values or (1.0, 1.0, 1.0)]
    if span is not None and values is not None:
        work.replace(span, scale)
    elif work.kind == "sdf":
        uri = mesh.child("uri")
        if uri is None:
            return
        end = work.text.index(">", uri.outside) + 1
        work.edits[end, end] = f"{_indent(work.text, uri.start)}<scale>{_written(scale)}</scale>"
    else:
        _add_attribute(work, mesh, f'scale="{_written(scale)}"')
    work.note(owner, f"{_where(owner)}: the mesh is in millimeters; a scale of 0.001 is added")


def _indent(text: str, start: int) -> str:
    """Return the new line and the spaces before a place; nothing if other text is before it."""
    line = text.rfind("\n", 0, start) + 1
    if text[line:start].strip():
        return ""
    newline = "\r\n" if text[line - 2 : line] == "\r\n" else "\n"
    return newline + text[line:start]


def _add_attribute(work: _Work, element: Element, attribute: str) -> None:
    """Add an attribute behind the others of an element."""
    end = element.inside - (2 if work.text[element.inside - 2] == "/" else 1)
    while work.text[end - 1].isspace():
        end -= 1
    work.edits[end, end] = f" {attribute}"


def _scale_geom(work: _Work, geom: Element) -> None:
    """Scale the asset of a mesh, or the size of a shape, of MJCF."""
    mesh = geom.attributes.get("mesh")
    if mesh is None:
        span = geom.attributes.get("size")
        values = _numbers(span)
        if span is not None and values is not None and "fromto" not in geom.attributes:
            work.replace(span, [_MILLI * x for x in values])
            work.note(geom, f"{_where(geom)}: {_IN_MILLIMETERS}")
        return
    for asset in _assets(work.root, mesh.text):
        span = asset.attributes.get("scale")
        values = _numbers(span, 3)
        scale = [_MILLI * x for x in values or (1.0, 1.0, 1.0)]
        if span is not None and values is not None:
            work.replace(span, scale)
        else:
            _add_attribute(work, asset, f'scale="{_written(scale)}"')
        work.note(asset, f"mesh {mesh.text}: it is in millimeters; a scale of 0.001 is added")


def _assets(root: Element, name: str) -> Iterator[Element]:
    """Yield the assets of MJCF that a geom means: by their name, or that of their file."""
    for element in root.below():
        if element.tag == "mesh" and element.parent is not None and element.parent.tag == "asset":
            file = element.attributes.get("file")
            stem = "" if file is None else Path(file.text).stem
            if name == (element.name or stem):
                yield element


def _repair_offset(work: _Work, entry: Diagnostic) -> None:
    """Write the place of a joint in meters that is in millimeters."""
    values = [entry.arguments.get(key) for key in ("offset", "typical")]
    offset, typical = (value if isinstance(value, float) else 0.0 for value in values)
    joint = work.at(entry.where)
    if work.kind != "urdf" or joint is None or not 0.01 * typical < _MILLI * offset < 5.0 * typical:
        return
    origin = joint.child("origin")
    span = None if origin is None else origin.attributes.get("xyz")
    numbers = _numbers(span, 3)
    if span is not None and numbers is not None:
        work.replace(span, [_MILLI * x for x in numbers])
        work.note(joint, f"{_said(joint)}: the origin is in millimeters; meters take its place")


_REPAIRS: dict[Code, Callable[[_Work, Diagnostic], None]] = {
    codes.ROBOT_GYRATION: _repair_with_shapes,
    codes.ROBOT_NO_MOMENTS: _repair_with_shapes,
    codes.ROBOT_SHAPE_UNIT: _repair_shape,
    codes.ROBOT_OFFSET: _repair_offset,
}
"""Repairs of findings of `check_robot`."""


# --- exclusions -----------------------------------------------------------------------------------


def _exclude(work: _Work, mechanism: Mechanism) -> None:
    """Exclude the pairs that overlap at the start, or are left out because a URDF does not state
    which links collide; say which the file cannot exclude.
    """
    colliding = mechanism.colliding_overlaps()
    pairs = (*colliding, *mechanism.assumed_exclusions)
    written: dict[Element, list[str]] = {}
    elements = {link.name: work.at(link.where) for link in mechanism.scene.links}
    elements[WORLD] = work.root.child("worldbody")
    for pair in pairs:
        first, second = (elements.get(name) for name in (pair.link_A, pair.link_B))
        place = _place_of_exclusion(work, first, second)
        overlap = f"overlap by {1e3 * pair.depth:.3g} mm" if pair.depth > 0.0 else "touch"
        words = f"{pair.link_A} and {pair.link_B}: {overlap} at the start"
        if place is None or first is None or second is None:
            work.left.append(f"{words}; {_NOT_EXCLUDED}")
            continue
        written.setdefault(place, []).extend(_EXCLUSIONS[work.kind](first, second))
        kind = "bodies" if work.kind == "mjcf" else "links"
        work.note(place, f"{kind} {words}; they are excluded")
    for place, lines in written.items():
        contact = place.child("contact") if work.kind == "mjcf" else None
        if contact is not None and not contact.is_empty:
            _append(work, contact, lines)
        elif work.kind == "mjcf":
            _append(work, place, ("<contact>", *(f"  {line}" for line in lines), "</contact>"))
        else:
            _append(work, place, lines)


_NOT_EXCLUDED = (
    "the file cannot exclude them, since they are not two named links of one model in it"
)


def _place_of_exclusion(
    work: _Work, first: Element | None, second: Element | None
) -> Element | None:
    """Return the element that can exclude a pair: the root of MJCF, or the only model or robot that
    has both links; None if there is none.
    """
    if first is None or second is None:
        return None
    if work.kind != "mjcf":
        return first.parent if first.parent is second.parent else None
    is_named = all(each.name or each.tag == "worldbody" for each in (first, second))
    return work.root if is_named else None


def _excluded_bodies(first: Element, second: Element) -> tuple[str, ...]:
    names = (WORLD if each.tag == "worldbody" else each.name for each in (first, second))
    return ('<exclude body1="{}" body2="{}"/>'.format(*names),)


def _filter_group(member: str, ignored: str, first: Element, second: Element) -> tuple[str, ...]:
    """Return Drake's filter group of two links, which ignores itself."""
    group = f"{first.name}_and_{second.name}"
    return (
        f'<drake:collision_filter_group xmlns:drake="http://drake.mit.edu" name="{group}">',
        *("  " + member.format(each.name) for each in (first, second)),
        f"  {ignored.format(group)}",
        "</drake:collision_filter_group>",
    )


_EXCLUSIONS: dict[str, Callable[[Element, Element], tuple[str, ...]]] = {
    "mjcf": _excluded_bodies,
    "urdf": partial(
        _filter_group,
        '<drake:member link="{}"/>',
        '<drake:ignored_collision_filter_group name="{}"/>',
    ),
    "sdf": partial(
        _filter_group,
        "<drake:member>{}</drake:member>",
        "<drake:ignored_collision_filter_group>{}</drake:ignored_collision_filter_group>",
    ),
}
"""Lines that exclude a pair, by format."""


def _append(work: _Work, element: Element, lines: Sequence[str]) -> None:
    """Add lines at the end of an element, indented as its children."""
    indent = _indent(work.text, element.children[0].start)
    place = element.outside
    newline = work.text.rfind("\n", 0, place)
    if indent and not work.text[newline:place].strip():
        place = newline - (work.text[newline - 1] == "\r")
    work.edits[place, place] = "".join(indent + line for line in lines)
