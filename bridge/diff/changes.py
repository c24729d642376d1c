"""Changes of a source, in words and units, and how many differences of two scenes follow from each.

A pose of a joint changes the pose of every link behind it, and an exchange of names changes
everything that has one: what was edited comes first, and what follows from it is counted.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np
from transforms3d.euler import mat2euler

from bridge import codes
from loaders.diagnostics import NOWHERE, Diagnostic, Diagnostics, Where, finding_of
from loaders.finish.transform import renamed
from loaders.meshes import read_mesh
from loaders.model import Joint, JointType, Link, Mesh, by_name
from loaders.pose import Pose
from loaders.scene import Scene
from loaders.text import counted, nearest_path, number

from .differences import Difference, Value, differences
from .matching import Names

_UNITS = {
    "m": (("millimeters", 1000.0), ("centimeters", 100.0), ("inches", 1.0 / 0.0254)),
    "rad": (("degrees", math.degrees(1.0)),),
    "kg": (("grams", 1000.0),),
}
"""Units in which a number may be written by mistake, and how many of them are one."""
_UNIT_TOLERANCE = 1e-2
"""Largest relative difference of the ratio of two numbers from that of units."""
_SAME_UNIT = 3
"""Number of changes by the ratio of a unit that are those of the whole file."""
_FEW_LEFT = 3
"""Names are exchanged if this many times fewer differences are left without the exchange."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of the source from which differences follow.

    Attributes:
        kind: Kind of the item: ``link``, ``joint``, ``scene`` and so on.
        name: Scoped name of the item in B; empty for the scene itself.
        text: What changed, in words and units.
        acts: Whether it changes the motion.
        follows: Number of further differences that follow from it.
        where_a: Place of the item in the source of A.
        where_b: Place of the item in the source of B.
    """

    kind: str
    name: str
    text: str
    acts: bool
    follows: int = 0
    where_a: Where = NOWHERE
    where_b: Where = NOWHERE

    @property
    def message(self) -> str:
        """The item, what changed, and how much follows from it."""
        owner = f"{self.kind} {self.name}: " if self.name else ""
        follows = counted(self.follows, "difference")
        verb = "follow" if self.follows > 1 else "follows"
        return f"{owner}{self.text}" + (f"; {follows} {verb} from it" if self.follows else "")

    def __str__(self) -> str:
        places = [
            f"{_shown_path(where.file)}:{where.line}: "
            for where in (self.where_a, self.where_b)
            if where.line
        ]
        return f"{''.join(places)}{self.message}"

    def diagnostic(self) -> Diagnostic:
        """Return the change as a finding at its place in B, an error if it changes the motion."""
        code = codes.COMPARE_CHANGE if self.acts else codes.COMPARE_CHANGE_NOTED
        where = self.where_b if self.where_b.file else self.where_a
        return finding_of(code, where, subjects=filter(None, (self.name,)), change=self.message)


def _shown_path(file: str) -> str:
    """Return the path of a file from the current folder; the name of one that lies far from it."""
    path = nearest_path(file)
    return PurePath(path).name if os.path.isabs(path) else path


def changes_of(
    found: Sequence[Difference], acting: Iterable[Difference], a: Scene, b: Scene
) -> tuple[Change, ...]:
    """Return the changes of which differences are the consequences: exchanged names and units
    first, then what changes the motion.

    Args:
        found: The differences of both scenes.
        acting: Those that act on the motion otherwise than by poses, masses and structure.
        a: Scene A, with the names of B.
        b: Scene B.
    """
    changes: list[Change] = []
    exchanged, left = _exchanged(found, a, b)
    if exchanged is not None:
        changes.append(exchanged)
        found = left
    follows = _followers(found, a, b)
    causes = [d for d in found if id(d) not in follows]
    of_units, causes = _changed_unit(causes, b)
    changes += of_units
    acts = {(d.kind, d.name, d.field) for d in acting}
    count = Counter(follows.values())
    items: defaultdict[tuple[str, str], list[Difference]] = defaultdict(list)
    for difference in causes:
        items[difference.kind, difference.name].append(difference)
    of_items = []
    for (kind, name), group in items.items():
        change = Change(
            kind=kind,
            name=name,
            text="; ".join(_text(d, a, b) for d in group),
            acts=any((d.kind, d.name, d.field) in acts or _is_mechanical(d) for d in group),
            follows=sum(count[id(d)] for d in group),
            where_a=group[0].where_a,
            where_b=group[0].where_b,
        )
        of_items.append(change)
    return (*changes, *sorted(of_items, key=lambda change: (not change.acts, -change.follows)))


_MECHANICAL = re.compile(
    r"X_PJ|X_CJ|X_WL|type|parent|child|inertia(\..*)?|axes|axes\[\d\]\.xyz|gear_ratio|pitch|"
)
"""Fields of links and joints that the mechanics depend on; the empty one is the item itself."""


def _is_mechanical(difference: Difference) -> bool:
    is_matched = difference.kind in {"link", "joint"}
    return is_matched and _MECHANICAL.fullmatch(difference.field) is not None


# --- what follows from what -----------------------------------------------------------------------

_POSES = frozenset({"X_PJ", "X_CJ", "parent", "child", "type"})
"""Fields of joints that place what is behind them."""


def _followers(found: Sequence[Difference], a: Scene, b: Scene) -> dict[int, int]:
    """Return the cause of each difference that follows from another one, both by their ids."""
    rows = {(d.kind, d.name, d.field): d for d in found}
    joint_to = {joint.child: joint for joint in b.joints}
    causes: dict[int, int] = {}
    for (kind, name, field), row in rows.items():
        cause: Difference | None = None
        if (kind, field) == ("link", "X_WL"):
            cause = _cause_of_pose(name, joint_to, rows)
        elif (kind, field) == ("joint", "X_PJ"):
            cause = _moved_parent(name, a, b, rows, joint_to)
        if cause is not None and cause is not row:
            causes[id(row)] = id(cause)
    return {row: _first_cause(row, causes) for row in causes}


def _first_cause(row: int, causes: dict[int, int]) -> int:
    seen = {row}
    while causes.get(row) is not None and causes[row] not in seen:
        row = causes[row]
        seen.add(row)
    return row


def _cause_of_pose(
    link: str, joint_to: dict[str, Joint], rows: dict[tuple[str, str, str], Difference]
) -> Difference | None:
    """Return the difference of the nearest joint before a link, or of its root."""
    seen: set[str] = set()
    while link in joint_to and link not in seen:
        seen.add(link)
        joint = joint_to[link]
        fields = [rows.get(("joint", joint.name, field)) for field in sorted(_POSES)]
        nearest = next((row for row in fields if row is not None), None)
        if nearest is not None:
            return nearest
        link = joint.parent
    return rows.get(("link", link, "X_WL"))


def _moved_parent(
    name: str,
    a: Scene,
    b: Scene,
    rows: dict[tuple[str, str, str], Difference],
    joint_to: dict[str, Joint],
) -> Difference | None:
    """Return the cause of a joint's place that only its parent changed: a format that places links
    in the model leaves those behind it where they are.
    """
    first, second = (by_name(scene.joints).get(name) for scene in (a, b))
    if first is None or second is None or second.parent not in joint_to:
        return None
    is_parent_moved = ("link", second.parent, "X_WL") in rows
    is_child_moved = ("link", second.child, "X_WL") in rows
    if not is_parent_moved or is_child_moved:
        return None
    return _cause_of_pose(second.parent, joint_to, rows)


# --- exchanged names ------------------------------------------------------------------------------

_WORDS = (("left", "right"), ("front", "rear"), ("front", "back"), ("upper", "lower"), ("l", "r"))
"""Words that are exchanged by mistake."""


def _exchanged(
    found: Sequence[Difference], a: Scene, b: Scene
) -> tuple[Change | None, Sequence[Difference]]:
    """Return the exchange of names that explains most differences, None if there is none, and the
    differences that are left without it.
    """
    names = _names_by_content(a, b)
    swapped = {old for old, new in names["link"].items() if new in by_name(a.links)}
    swapped |= {old for old, new in names["joint"].items() if new in by_name(a.joints)}
    if not swapped:
        return None, found
    other = _with_renamed_shapes(renamed(a, names), names["link"])
    left = differences(other, b)
    if len(left) * _FEW_LEFT > len(found):
        return None, found
    pairs = [pair for kind in ("link", "joint") for pair in names[kind].items()]
    words = _exchanged_words(pairs)
    if words is None:
        text = "names are exchanged: " + ", ".join(f"{old} is {new} in B" for old, new in pairs)
    else:
        links, joints = counted(len(names["link"]), "link"), counted(len(names["joint"]), "joint")
        text = f"{words[0]} and {words[1]} are exchanged in the names of {links} and {joints}"
    first = next((d for d in found if d.where_a.line and d.where_b.line), None)
    where = {} if first is None else {"where_a": first.where_a, "where_b": first.where_b}
    change = Change(
        kind="scene", name="", text=text, acts=True, follows=len(found) - len(left), **where
    )
    return change, left


def _exchanged_words(pairs: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the two words whose exchange makes each new name of the old one; None without any."""
    for first, second in _WORDS:
        if all(_swap(old, first, second) == new for old, new in pairs):
            return first, second
    return None


def _swap(name: str, first: str, second: str) -> str:
    """Return a name with two words exchanged."""
    word = re.compile(rf"(?<![A-Za-z])({first}|{second})(?![a-z])", re.IGNORECASE)

    def other(match: re.Match[str]) -> str:
        new = second if match[0].lower() == first else first
        return new.capitalize() if match[0][0].isupper() else new

    return word.sub(other, name)


def _names_by_content(a: Scene, b: Scene) -> Names:
    """Return the other names in B of links at the same place with the same mass, and of the joints
    to them.
    """
    in_b = defaultdict(list)
    for link in b.links:
        in_b[_content(link)].append(link.name)
    links = {}
    for link in a.links:
        same = in_b[_content(link)]
        if len(same) == 1 and same[0] != link.name:
            links[link.name] = same[0]
    joints = {}
    to_b = {(joint.child, joint.type): joint.name for joint in b.joints}
    for joint in a.joints:
        new = to_b.get((links.get(joint.child, joint.child), joint.type))
        if new is not None and new != joint.name:
            joints[joint.name] = new
    return {"link": links, "joint": joints}


def _content(link: Link) -> tuple[Any, ...]:
    mass = () if link.inertia is None else (link.inertia.mass, *link.inertia.I_Lcm.ravel())
    return tuple(float(f"{x:.9g}") + 0.0 for x in (*np.round(link.X_WL.to_vector(), 9), *mass))


def _with_renamed_shapes(scene: Scene, names: dict[str, str]) -> Scene:
    """Return a scene whose shapes have the new name of their link in their own."""
    old = {new: old for old, new in names.items()}

    def new_name(link: Link, name: str) -> str:
        return name.replace(old[link.name], link.name)

    links = []
    for link in scene.links:
        if link.name in old:
            collisions = tuple(replace(c, name=new_name(link, c.name)) for c in link.collisions)
            visuals = tuple(replace(v, name=new_name(link, v.name)) for v in link.visuals)
            links.append(replace(link, collisions=collisions, visuals=visuals))
        else:
            links.append(link)
    return replace(scene, links=tuple(links))


# --- units ----------------------------------------------------------------------------------------


def _changed_unit(found: list[Difference], b: Scene) -> tuple[list[Change], list[Difference]]:
    """Return the change of the unit of a file, and the differences that it does not explain."""
    units = {id(d): _unit_of(d, b) for d in found}
    ((unit, count),) = Counter(filter(None, units.values())).most_common(1) or [("", 0)]
    if count < _SAME_UNIT or 2 * count < len(found):
        return [], found
    of_unit = [d for d in found if units[id(d)] == unit]
    change = Change(
        kind="scene",
        name="",
        text=f"{count} numbers are {unit}",
        acts=True,
        where_a=of_unit[0].where_a,
        where_b=of_unit[0].where_b,
    )
    return [change], [d for d in found if units[id(d)] != unit]


def _unit_of(difference: Difference, b: Scene) -> str:
    """Return by which unit two values differ, in words; empty if by none."""
    unit = _field(difference, b)[1]
    first, second = _lengths(difference.a), _lengths(difference.b)
    if difference.field.rpartition(".")[2].startswith("X_"):
        unit, first, second = "m", first[:3], second[:3]
    return _ratio_in_words(first, second, unit) if first and second else ""


def _lengths(value: Value) -> tuple[float, ...]:
    if isinstance(value, bool | str) or value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _ratio_in_words(a: Sequence[float], b: Sequence[float], unit: str) -> str:
    """Return the ratio of two values if it is that of two units."""
    first, second = np.asarray(a), np.asarray(b)
    if first.shape != second.shape or not (np.isfinite(first).all() and np.isfinite(second).all()):
        return ""
    size = float(first @ first)
    ratio = float(first @ second) / size if size else 0.0
    if not ratio or np.abs(second - ratio * first).max() > _UNIT_TOLERANCE * np.abs(second).max():
        return ""
    for name, factor in _UNITS.get(unit, ()):
        if abs(ratio / factor - 1.0) < _UNIT_TOLERANCE:
            return f"{factor:.4g} times as large: {name}?"
        if abs(ratio * factor - 1.0) < _UNIT_TOLERANCE:
            return f"{factor:.4g} times as small: {name} before?"
    return ""


# --- words ----------------------------------------------------------------------------------------

_ANGULAR = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.UNIVERSAL, JointType.REVOLUTE2)
_AXIS_WORDS: dict[str, tuple[str, str, str]] = {
    "lower": ("lower limit", "rad", "m"),
    "upper": ("upper limit", "rad", "m"),
    "effort": ("effort", "N m", "N"),
    "velocity": ("velocity limit", "rad/s", "m/s"),
    "acceleration": ("acceleration limit", "rad/s^2", "m/s^2"),
    "damping": ("damping", "N m s/rad", "N s/m"),
    "friction": ("friction", "N m", "N"),
    "spring_stiffness": ("spring stiffness", "N m/rad", "N/m"),
    "spring_reference": ("spring reference", "rad", "m"),
    "inertia": ("reflected inertia", "kg m^2", "kg"),
    "xyz": ("axis", "", ""),
}
"""Words of the fields of an axis, with their units for an angle and for a length."""
_WORDS_OF_FIELDS = {
    "inertia.mass": ("mass", "kg"),
    "inertia.p_LLcm": ("center of mass", "m"),
    "inertia.I_Lcm": ("inertia", "kg m^2"),
    "gravity": ("gravity", "m/s^2"),
}
_LENGTHS = frozenset({"size", "radius", "length", "radii"})
"""Fields of shapes that are lengths."""
_AXIS = re.compile(r"axes\[(\d)\]\.(\w+)")
_SHAPE = re.compile(r"(collision|visual|sensor)s\[(?P<name>.*?)\](?:\.(?P<field>.*))?")


def _field(difference: Difference, b: Scene) -> tuple[str, str]:
    """Return a field in words, and its unit."""
    axis, shape = _AXIS.fullmatch(difference.field), _SHAPE.fullmatch(difference.field)
    if axis is not None:
        joint = by_name(b.joints)[difference.name]
        default = (axis[2].replace("_", " "), "", "")
        word, angular, linear = _AXIS_WORDS.get(axis[2], default)
        second = f" {int(axis[1]) + 1}" if len(joint.axes) > 1 else ""
        return f"{word}{second}", angular if joint.type in _ANGULAR else linear
    if shape is not None:
        field = (shape["field"] or "").removeprefix("geometry.")
        unit = "m" if field in _LENGTHS else ""
        return f"{shape[1]} {shape['name']} {field.replace('path', 'mesh')}".rstrip(), unit
    return _WORDS_OF_FIELDS.get(difference.field, (difference.field, ""))


def _text(difference: Difference, a: Scene, b: Scene) -> str:
    """Return a difference in words and units."""
    values = difference.a, difference.b
    if not difference.field:
        return f"only in {'A' if difference.b is None else 'B'}"
    if difference.field == "name":
        return f"renamed, {difference.a} before"
    word, unit = _field(difference, b)
    last = difference.field.rpartition(".")[2]
    if last.startswith("X_") and all(isinstance(v, tuple) for v in values):
        return _pose_text(difference, word)
    if last == "path":
        return f"{word} {_mesh_text(difference, a, b)}"
    if last == "I_Lcm":
        values = tuple(_six(value) for value in values)  # type: ignore[assignment]
    text = f"{word} {_shown(values[0])} to {_shown(values[1])} {unit}".rstrip()
    notes = _notes(values[0], values[1], unit)
    return f"{text} ({notes})" if notes else text


def _six(value: Value) -> Value:
    """Return the six numbers of a symmetric matrix, in the order of URDF."""
    if not isinstance(value, tuple):
        return value
    return tuple(value[i] for i in (0, 1, 2, 4, 5, 8))


def _shown(value: Value) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, tuple):
        return " ".join(map(_rounded, value))
    return _rounded(value) if isinstance(value, float) else str(value)


def _rounded(value: float) -> str:
    return number(float(f"{value:.6g}") + 0.0)


def _notes(a: Value, b: Value, unit: str) -> str:
    """Return two numbers in degrees, and their ratio: of units, as a factor or a percentage."""
    first, second = _lengths(a), _lengths(b)
    if not first or len(first) != len(second):
        return ""
    notes = []
    if unit == "rad":
        notes.append(" to ".join(_degrees(values) for values in (first, second)) + " deg")
    notes.append(_ratio_in_words(first, second, unit) or _factor(first, second, unit))
    return "; ".join(filter(None, notes))


def _degrees(values: Iterable[float]) -> str:
    return " ".join(_rounded(round(math.degrees(value), 4)) for value in values)


def _factor(a: Sequence[float], b: Sequence[float], unit: str) -> str:
    x, y = np.asarray(a, float), np.asarray(b, float)
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return ""
    if unit == "m" and len(a) == 3:
        return f"by {_millimeters(float(np.linalg.norm(y - x)))}"
    if np.allclose(y, -x):
        return "the sign is reversed"
    ratio = float(x @ y / (x @ x)) if x.any() else 0.0
    if ratio <= 0.0 or not np.allclose(y, ratio * x, rtol=1e-6):
        return ""
    return _times(ratio)


def _times(ratio: float) -> str:
    """Return a positive ratio as a percentage, or as a factor if it is 2 or more."""
    twice = 2.0 * (1.0 - 1e-9)
    return f"{ratio:.4g} times" if ratio >= twice else f"{100.0 * (ratio - 1.0):+.3g} %"


def _millimeters(length: float) -> str:
    return f"{1e3 * length:.4g} mm" if length < 1.0 else f"{length:.4g} m"


def _pose_text(difference: Difference, word: str) -> str:
    """Return the parts of a pose that differ, in the words of the format of B."""
    first, second = (Pose.from_vector(_lengths(value)) for value in (difference.a, difference.b))
    suffix = PurePath(difference.where_b.file).suffix
    owner = word.rpartition(" ")[0] if word.startswith(("collision", "visual", "sensor")) else ""
    name = {".urdf": "origin", ".xacro": "origin", ".xml": ""}.get(suffix, "pose")
    parts = []
    if not np.allclose(first.p, second.p, rtol=0.0, atol=1e-9):
        moved = float(np.linalg.norm(second.p - first.p))
        note = _ratio_in_words(first.p.tolist(), second.p.tolist(), "m")
        note = note or f"by {_millimeters(moved)}"
        axis = "xyz" if name else "pos"
        parts.append(f"{axis} {_shown(tuple(first.p))} to {_shown(tuple(second.p))} m ({note})")
    if not np.allclose(first.R, second.R, rtol=0.0, atol=1e-9):
        parts.append(_turn_text(first, second, with_angles=bool(name)))
    place = "in the child" if word == "X_CJ" else ""
    return " ".join(filter(None, (owner, name, place, " and ".join(parts))))


def _turn_text(first: Pose, second: Pose, *, with_angles: bool) -> str:
    cosine = (float(np.trace(first.R.T @ second.R)) - 1.0) / 2.0
    turn = f"turned by {math.degrees(math.acos(max(-1.0, min(1.0, cosine)))):.4g} deg"
    if not with_angles:
        quaternions = (_shown(tuple(pose.to_vector()[3:])) for pose in (first, second))
        return f"quat {' to '.join(quaternions)} ({turn})"
    angles = [tuple(round(x, 9) for x in mat2euler(pose.R)) for pose in (first, second)]
    in_degrees = " to ".join(_degrees(values) for values in angles)
    return f"rpy {' to '.join(map(_shown, angles))} rad ({in_degrees} deg; {turn})"


def _mesh_text(difference: Difference, a: Scene, b: Scene) -> str:
    """Return what became of a file that a shape names, with the ratio of the sizes of meshes."""
    first, second = difference.a, difference.b
    if first is None or second is None:
        missing = _uri_of(difference, a if first is None else b)
        return f"{missing or 'file'} is missing in {'A' if first is None else 'B'}"
    names = [PurePath(str(path)).name for path in (first, second)]
    sizes = [_mesh_size(difference, scene) for scene in (a, b)]
    text = f"{names[0]} to {names[1]}" if names[0] != names[1] else f"{names[0]}, other content"
    size, other = sizes
    if size is None or other is None:
        return text
    note = _notes(size, other, "m") or "of the same size"
    return f"{text}, {_shown(size)} to {_shown(other)} m large ({note})"


def _mesh_of(difference: Difference, scene: Scene) -> Mesh | None:
    match = _SHAPE.fullmatch(difference.field)
    link = by_name(scene.links).get(difference.name)
    if match is None or link is None:
        return None
    shapes: tuple[Any, ...] = getattr(link, f"{match[1]}s")
    geometries = (shape.geometry for shape in shapes if shape.name == match["name"])
    return next((geometry for geometry in geometries if isinstance(geometry, Mesh)), None)


def _uri_of(difference: Difference, scene: Scene) -> str:
    mesh = _mesh_of(difference, scene)
    return mesh.uri if mesh is not None else ""


def _mesh_size(difference: Difference, scene: Scene) -> float | None:
    """Return the diagonal of the box around a mesh [m]; None if it cannot be read."""
    mesh = _mesh_of(difference, scene)
    data = None if mesh is None else read_mesh(mesh, Diagnostics())
    if data is None or not len(data.vertices):
        return None
    return float(f"{np.linalg.norm(np.ptp(data.vertices, axis=0)):.6g}")
