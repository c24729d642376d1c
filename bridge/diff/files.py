"""compare_files: text and page of what differs."""

from __future__ import annotations

import base64
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from html import escape
from pathlib import PurePath
from typing import Any, Literal, Unpack, get_args

import numpy as np
from lxml import etree

import loaders
from loaders import LoadOptions
from loaders.diagnostics import ExportError, Where
from loaders.finish.transform import moved_frames, renamed
from loaders.model import WORLD, Joint, JointType, Link, by_name
from loaders.pose import IDENTITY, Array, Pose
from loaders.scene import Scene
from loaders.text import (
    MAX_WORST,
    card,
    check_option_names,
    check_option_value,
    counted,
    details,
    printable,
    table,
)

from .changes import Change, changes_of
from .differences import TOLERANCE, Difference, differences, place_of
from .matching import Names, names_by_prefix, names_by_scope, names_by_structure, names_of_map
from .mechanics import MechanicalError, acting, mechanical_error


def other_frames(a: Scene, b: Scene, tolerance: float) -> dict[str, Pose]:
    """Return the pose of the frame that B gives a link, in its frame in A, for each link whose
    frame alone differs.

    Such a link has an inertia or shapes, and their places in the world are those of B. The children
    of floating joints are left out, because their positions are those of their frames.

    Args:
        a: Scene A.
        b: Scene B, with the names of A.
        tolerance: Largest difference of equal lengths [m] and entries of rotation matrices,
            absolute below 1 and relative above.
    """
    others = {link.name: link for link in b.links}
    floating = {joint.child for joint in (*a.joints, *b.joints) if joint.type is JointType.FLOATING}
    frames = {}
    for link in a.links:
        other = others.get(link.name)
        if other is None or link.name in floating or _equal(link.X_WL, other.X_WL, tolerance):
            continue
        if _same_places(link, other, tolerance):
            frames[link.name] = link.X_WL.inverse() @ other.X_WL
    return frames


def _same_places(a: Link, b: Link, tolerance: float) -> bool:
    """Return whether the centers of mass and the shapes of a link are where they are in the other
    scene.
    """
    if a.inertia is not None and b.inertia is not None:
        p_a, p_b = _center_of_mass(a), _center_of_mass(b)
        if np.abs(p_a - p_b).max() > _scaled(tolerance, p_a):
            return False
    elif a.inertia is not None or b.inertia is not None:
        return False
    in_b = dict(_shapes_at(b))
    both = [(X_WG, in_b[key]) for key, X_WG in _shapes_at(a) if key in in_b]
    if a.inertia is None and not both:
        return False
    return all(_equal(X, Y, tolerance) for X, Y in both)


def _center_of_mass(link: Link) -> Array:
    """Return the center of mass in the world [m], shape (3,), of a link with an inertia."""
    assert link.inertia is not None  # noqa: S101
    p_W: Array = link.X_WL.p + link.X_WL.R @ link.inertia.p_LLcm
    return p_W


def _shapes_at(link: Link) -> Iterator[tuple[tuple[str, str], Pose]]:
    """Yield kind and name of each shape, and its pose in the world."""
    for kind, shapes in (("collision", link.collisions), ("visual", link.visuals)):
        for shape in shapes:
            yield (kind, shape.name), link.X_WL @ shape.X_LG


def _equal(a: Pose, b: Pose, tolerance: float) -> bool:
    return a.is_close(b, _scaled(tolerance, a.p))


def _scaled(tolerance: float, p: Array) -> float:
    return tolerance * max(1.0, float(np.abs(p).max()))


_STYLE = """
:root { color-scheme: light dark; --good: #067d17; --alike: #9a6700; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --good: #3fb950; --alike: #e6b450; --bad: #ff7b72; }
  body { background: #14181d; color: #e3e7ec; }
}
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5em auto; max-width: 90em; padding: 0 1em; }
h1, p { overflow-wrap: anywhere; } td { overflow-wrap: break-word; max-width: 40em; }
table { border-collapse: collapse; margin: .5em 0; } .wide { overflow-x: auto; }
summary { cursor: pointer; }
th, td { border-bottom: 1px solid #8886; padding: .25em .8em .25em 0; text-align: left;
  vertical-align: top; }
td { font-size: 14px; min-width: 6em; }
figure { margin: 0; overflow-x: auto; } img, svg { max-width: 100%; } svg { height: auto; }
@media (max-width: 700px) { img, svg { max-width: none; width: 44rem; } }
@media (prefers-color-scheme: dark) {
  img { filter: brightness(.8); } svg { filter: invert(.92) hue-rotate(180deg); }
}
strong { text-transform: uppercase; }
.EQUAL, .agrees { color: var(--good); } .ALIKE, .undecided { color: var(--alike); }
.DIFFERENT, .differs { color: var(--bad); }
"""


def difference_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table.

    Args:
        header: The titles of the columns.
        rows: The texts of the cells.
    """
    head = "".join(f"<th>{escape(title)}</th>" for title in header)
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    return f'<div class="wide">{table}</div>'


def page(title: str, verdict: str, sections: Iterable[tuple[str, str]], claim: str = "") -> str:
    """Return a page.

    Args:
        title: Its title.
        verdict: The verdict, a word.
        sections: The title and the content, as HTML, of each section.
        claim: What the verdict means, in a sentence; empty for none.
    """
    parts = "\n".join(f"<h2>{escape(name)}</h2>\n{content}" for name, content in sections)
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style></head>
<body>
<h1>{escape(title)}</h1>
<p><strong class="{escape(verdict)}">{escape(verdict)}</strong> {escape(claim)}</p>
{parts}
</body>
</html>
"""


def with_fixed_world(a: Scene, b: Scene) -> tuple[Scene, Scene, Names]:
    """Return two scenes that have the shapes of the world alike, and the names in B of what was
    named ``world`` in A.

    If one of them has a link named ``world`` and the other one a link without mass that is fixed to
    the world with as many shapes of each type, the first one gets such a link too, with the name of
    the other. If there is none, or there are several, both are returned as they are.

    Args:
        a: Scene A.
        b: Scene B.
    """
    in_a, in_b = (WORLD in by_name(scene.links) for scene in (a, b))
    if in_a and not in_b:
        weld = _weld_like_world(a, b)
        if weld is not None:
            return _fixed(a, weld), b, {"link": {WORLD: weld.child}}
    if in_b and not in_a:
        weld = _weld_like_world(b, a)
        if weld is not None:
            return a, _fixed(b, weld), {}
    return a, b, {}


def _weld_like_world(scene: Scene, other: Scene) -> Joint | None:
    """Return the joint to the only link of another scene that may be the link named ``world`` of a
    scene.
    """
    shapes = _shapes_of_world(by_name(scene.links)[WORLD])
    links = by_name(other.links)
    taken = {item.name for items in (scene.links, scene.joints) for item in items}
    found = []
    for joint in other.joints:
        child = links.get(joint.child)
        is_weld = joint.parent == WORLD and joint.type is JointType.FIXED
        if child is None or not is_weld or {joint.name, joint.child} & taken:
            continue
        inertia = child.inertia
        has_mass = inertia is not None and (inertia.mass or inertia.I_Lcm.any())
        if not has_mass and _shapes_of_world(child) == shapes:
            found.append(joint)
    return found[0] if len(found) == 1 else None


def _shapes_of_world(link: Link) -> Counter[tuple[str, str]]:
    """Return the number of collisions and visuals of each type."""
    parts = (("collision", link.collisions), ("visual", link.visuals))
    return Counter(
        (kind, type(shape.geometry).__name__) for kind, shapes in parts for shape in shapes
    )


def _fixed(scene: Scene, weld: Joint) -> Scene:
    """Return a scene whose link named ``world`` is a link that a joint fixes to the world."""
    link = by_name(scene.links)[WORLD]
    moved = replace(link, name=weld.child)
    joint = replace(weld, X_PJ=link.X_WL, X_CJ=IDENTITY, where=link.where)
    models = (
        replace(m, canonical_link=weld.child) if m.canonical_link == WORLD else m
        for m in scene.models
    )
    return replace(
        scene,
        links=tuple(moved if other is link else other for other in scene.links),
        joints=(*scene.joints, joint),
        models=tuple(models),
    )


Model = str | os.PathLike[str] | Scene
"""A path of any format that can be read, or a scene."""
Match = Literal["structure", "name"]
SIMULATOR_TOLERANCE = 1e-7
"""Largest difference of equal numbers of simulators, whose solvers round."""
_HEADS = ("kind", "name", "field", "A", "B")
_MECHANICAL_HEADS = (
    "in", "largest difference of a pose [m, rad]", "of a mass (relative)",
    "of the mass matrix (relative to its diagonal)", "links in one only", "pairs that differ",
)  # fmt: skip
_FEW = 10
"""Number of differences that the card in a notebook shows at once."""


class FileVerdict(StrEnum):
    """The verdict on two files."""

    EQUAL = "EQUAL"
    """Nothing differs."""
    ALIKE = "ALIKE"
    """Items differ, but none that changes the motion, and links have the same poses, masses, mass
    matrices and pairs.

    A link whose frame alone differs, with everything on it in the same place, has the pose of the
    frame of B."""
    DIFFERENT = "DIFFERENT"
    """Both do not move alike, or one cannot move."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FileComparison:
    """The result of `compare_files`.

    Attributes:
        differences: What differs, item by item, in the order of A, by the names in B.
        mechanics: How far poses, masses, mass matrices and colliding pairs differ; None if a scene
            has no mechanism.
        tolerance: Largest difference of equal numbers.
        acting: Those of the differences that change how a model moves, such as a damping, a
            coupling or a shape.
        names: Names in B by name in A of the items that were matched by a map or by structure, by
            kind.
        frames: The pose of the frame of B in that of A, by the name in A, of each link whose frame
            alone differs.
        simulators: How far the same quantities differ between both files in each simulator, by its
            name.
    """

    differences: tuple[Difference, ...]
    mechanics: MechanicalError | None
    tolerance: float
    acting: tuple[Difference, ...] = ()
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    frames: Mapping[str, Pose] = field(default_factory=dict)
    simulators: Mapping[str, MechanicalError] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<FileComparison {self.verdict}: {self.summary}>"

    def _repr_html_(self) -> str:
        rows = self._rows()
        shown = [table(_HEADS, rows[:_FEW])] if rows else []
        if len(rows) > _FEW:
            shown.append(details(f"all of {counted(len(rows), 'difference')}", table(_HEADS, rows)))
        return card(f"{self.verdict}: two files", (self.summary,), *shown)

    @property
    def summary(self) -> str:
        """The number of differences, and whether both move alike, in one line."""
        if self.equal:
            return "no item differs"
        count = len(self.differences)
        motion = (
            "both move alike"
            if self.moves_alike
            else f"they do not move alike: {'; '.join(self.reasons)}"
        )
        found = counted(count, "difference") if count else "no item differs"
        return f"{found}; {motion}"

    @property
    def equal(self) -> bool:
        """True if nothing differs."""
        moves = self.mechanics is None or self.mechanics.is_within(self.tolerance)
        return not self.differences and moves and self.in_simulators

    @property
    def in_simulators(self) -> bool:
        """True if no simulator finds a difference; also if none was given."""
        return all(error.is_within(self._simulator_tolerance) for error in self.simulators.values())

    @property
    def moves_alike(self) -> bool:
        """True if the same links have the same poses, masses, mass matrix and colliding pairs, and
        no force differs.
        """
        return not self.reasons

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for which both do not move alike, in the mechanism and in each simulator;
        empty if they do.
        """
        if self.mechanics is None:
            return ("one of them cannot move",)
        in_mechanism = (*self.mechanics.reasons(self.tolerance), *_acting_reasons(self.acting))
        in_simulators = {
            name: error.reasons(self._simulator_tolerance)
            for name, error in self.simulators.items()
        }
        return (
            *in_mechanism,
            *(f"in {name}, {text}" for name, texts in in_simulators.items() for text in texts),
        )

    @property
    def effects(self) -> tuple[str, ...]:
        """The effects of the differences on the motion, in words and units."""
        return () if self.mechanics is None else self.mechanics.effects

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The simulators that could not compare both files, each with its reason; the verdict is
        without them.
        """
        return tuple(
            f"in {name}: {error.refusal}"
            for name, error in self.simulators.items()
            if error.refusal
        )

    @property
    def _simulator_tolerance(self) -> float:
        return max(self.tolerance, SIMULATOR_TOLERANCE)

    @property
    def verdict(self) -> FileVerdict:
        """The verdict over all that was compared."""
        if self.equal:
            return FileVerdict.EQUAL
        return FileVerdict.ALIKE if self.moves_alike else FileVerdict.DIFFERENT

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        plain: dict[str, Any] = {
            "equal": self.equal,
            "moves_alike": self.moves_alike,
            "verdict": str(self.verdict),
            "reasons": list(self.reasons),
            "changes": [
                {
                    "kind": change.kind,
                    "name": change.name,
                    "text": change.text,
                    "acts": change.acts,
                    "follows": change.follows,
                    "where_a": str(change.where_a),
                    "where_b": str(change.where_b),
                }
                for change in self.changes
            ],
            "effects": list(self.effects),
            "differences": [
                {
                    "kind": d.kind,
                    "name": d.name,
                    "field": d.field,
                    "a": _json(d.a),
                    "b": _json(d.b),
                    "where_a": str(d.where_a),
                    "where_b": str(d.where_b),
                }
                for d in self.differences
            ],
        }
        if any(self.names.values()):
            plain["names"] = {kind: dict(names) for kind, names in self.names.items() if names}
        if self.simulators:
            plain["simulators"] = {name: error.to_dict() for name, error in self.simulators.items()}
        return plain

    def junit(self, title: str = "comparison of two files") -> str:
        """Return the result as JUnit XML: a test case for each change, which fails if it changes
        the motion, and one for the motion itself.

        Args:
            title: The name of the suite.
        """
        failures = sum(change.acts for change in self.changes) + (not self.moves_alike)
        suite = etree.Element(
            "testsuite",
            name=printable(title),
            tests=str(len(self.changes) + 1),
            failures=str(failures),
            errors="0",
            skipped="0",
        )
        for change in self.changes:
            name = printable(f"{change.kind} {change.name}".rstrip())
            case = etree.SubElement(suite, "testcase", classname=printable(title), name=name)
            if change.acts:
                etree.SubElement(case, "failure", message=printable(str(change)))
            else:
                etree.SubElement(case, "system-out").text = printable(str(change))
        case = etree.SubElement(
            suite, "testcase", classname=printable(title), name="both move alike"
        )
        if not self.moves_alike:
            etree.SubElement(case, "failure", message=printable("; ".join(self.reasons)))
        return etree.tostring(suite, pretty_print=True, encoding="unicode")

    def html(self, title: str = "Comparison of two files", png: bytes | None = None) -> str:
        """Return the result as an HTML page: what changed in words, then each field.

        Args:
            title: Its title.
            png: A picture of both and of their difference; None for none.
        """
        data = "" if png is None else base64.b64encode(png).decode()
        alt = "A, B, and where only one of them is"
        pictures = (
            [f'<figure><img alt="{alt}" src="data:image/png;base64,{data}"></figure>']
            if data
            else []
        )
        rows = [(*row, places_of(d)) for row, d in zip(self._rows(), self.differences, strict=True)]
        changed = [
            ("changes the motion" if change.acts else "does not", change.message, places_of(change))
            for change in sorted(self.changes, key=lambda change: not change.acts)
        ]
        heads = ("motion", "what changed from A to B", "place")
        found = difference_table(heads, changed) if changed else "<p>No item differs.</p>"
        sections = [*(("Pictures", picture) for picture in pictures), ("Changes", found)]
        if rows:
            title_of_rows = counted(len(rows), "difference") + " field by field"
            table_of_rows = difference_table((*_HEADS, "place"), rows)
            folded = f"<details><summary>{title_of_rows}</summary>{table_of_rows}</details>"
            sections.append(("Differences", folded))
        errors = {"mechanism": self.mechanics, **self.simulators}
        listed = [(name, *_cells(error)) for name, error in errors.items()]
        sections.append(("Mechanics", difference_table(_MECHANICAL_HEADS, listed)))
        matched = [
            (kind, old, new) for kind, names in self.names.items() for old, new in names.items()
        ]
        if matched:
            sections.append(("Names", difference_table(("kind", "A", "B"), matched)))
        return page(title, str(self.verdict), sections, f"{self.summary}.")

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (d.kind, d.name, d.field or "only in one", text_of(d.a), text_of(d.b))
            for d in self.differences
        ]


def compare_files(
    a: Model,
    b: Model,
    *,
    tolerance: float = TOLERANCE,
    names: Mapping[str, str] | None = None,
    match: Match = "structure",
    **options: Unpack[LoadOptions],
) -> FileComparison:
    """Compare two files of any format, or two revisions of one file; items are matched by name.

    Args:
        a: The first file or scene.
        b: The second file or scene.
        tolerance: Largest difference of equal numbers, absolute below 1 and relative above.
        names: Names in B by name in A, where they differ; a key may start with the kind, such as
            ``joint elbow``.
        match: Whether links and joints whose name the other file lacks are matched by their places
            in the ``structure`` of joints, or not at all (``name``). An item that was matched in
            this way differs in its name.
        options: Options of `loaders.load` for both files.

    Raises:
        LoadError: if a file is invalid.
        TypeError: if an option is unknown.
        ValueError: if ``match`` has an unknown value, ``tolerance`` is negative or no number, or
            ``names`` has a name that A or B does not have.

    Example:
        >>> import bridge
        >>> comparison = bridge.compare_files("assets/orthogonal_x.sdf", "assets/orthogonal_z.sdf")
        >>> comparison.equal
        False
    """
    check_option_names(options, LoadOptions, {"tolerance", "names", "match"})
    check_option_value("match", match, get_args(Match))
    if isinstance(tolerance, bool | str) or not tolerance >= 0.0:
        raise ValueError(f"tolerance = {tolerance!r}; expected a number of at least 0")
    first, second = (m if isinstance(m, Scene) else loaders.load(m, **options) for m in (a, b))
    mapped = names_of_map(first, second, names or {})
    first = renamed(first, mapped)
    found: dict[str, dict[str, str]] = {}
    if match == "structure":
        first, second, scoped, found = _matched_by_structure(first, second)
        mapped = {
            kind: scoped.get(kind, {}) | mapped.get(kind, {}) for kind in {**scoped, **mapped}
        }
    frames = other_frames(first, second, tolerance)
    noted = (*_other_names(found, first, second), *_other_frames(first, second, frames))
    first = moved_frames(first, frames)
    matched = {kind: mapped.get(kind, {}) | found.get(kind, {}) for kind in {**mapped, **found}}
    items = differences(first, second, tolerance=tolerance)
    old = {new: old for old, new in matched.get("link", {}).items()}
    found_acting = acting(items, first, second)
    return FileComparison(
        differences=(*noted, *items),
        acting=found_acting,
        changes=changes_of((*noted, *items), found_acting, first, second),
        mechanics=_mechanics(first, second),
        tolerance=tolerance,
        names=matched,
        frames={old.get(name, name): X_LN for name, X_LN in frames.items()},
    )


def _matched_by_structure(a: Scene, b: Scene) -> tuple[Scene, Scene, Names, Names]:
    """Return A with the names of B, and B; and the names in B of those with another scope, and with
    another name.
    """
    scoped = names_by_scope(a, b)
    a = renamed(a, scoped)
    prefixed = names_by_prefix(a, b)
    a = renamed(a, prefixed)
    found = names_by_structure(a, b)
    a, b, worlds = with_fixed_world(renamed(a, found), b)
    others: Names = {}
    for step in (prefixed, found, worlds):
        for kind, names in step.items():
            others[kind] = {**others.get(kind, {}), **names}
    return a, b, scoped, others


def _mechanics(a: Scene, b: Scene) -> MechanicalError | None:
    """Return how far the mechanics differ; None if one of them cannot move."""
    try:
        return mechanical_error(a, b)
    except ExportError:
        return None


def _acting_reasons(acting: tuple[Difference, ...]) -> tuple[str, ...]:
    """Return what acting differences are about, once for each field of an item, in one reason."""
    words = [
        *dict.fromkeys(
            f"{d.field or 'presence'} of {' '.join(filter(None, (d.kind, d.name)))}" for d in acting
        )
    ]
    if len(words) > MAX_WORST + 1:
        words[MAX_WORST:] = [f"and {len(words) - MAX_WORST} more"]
    return (f"what acts on the motion differs: {', '.join(words)}",) if words else ()


def _other_names(
    found: Mapping[str, Mapping[str, str]], a: Scene, b: Scene
) -> tuple[Difference, ...]:
    return tuple(
        Difference(kind=kind, name=new, field="name", a=old, b=new, **_places(kind, new, a, b))
        for kind, pairs in found.items()
        for old, new in pairs.items()
    )


def _other_frames(a: Scene, b: Scene, frames: Mapping[str, Pose]) -> tuple[Difference, ...]:
    in_a, in_b = by_name(a.links), by_name(b.links)
    return tuple(
        Difference(
            kind="link",
            name=name,
            field="X_WL",
            a=tuple(in_a[name].X_WL.to_vector()),
            b=tuple(in_b[name].X_WL.to_vector()),
            **_places("link", name, a, b),
        )
        for name in frames
    )


def _places(kind: str, name: str, a: Scene, b: Scene) -> dict[str, Where]:
    """Return the places of a link or a joint in both scenes; A has the names of B."""
    of_a, of_b = (a.joints, b.joints) if kind == "joint" else (a.links, b.links)
    return {
        "where_a": place_of(next((item for item in of_a if item.name == name), None)),
        "where_b": place_of(next((item for item in of_b if item.name == name), None)),
    }


def text_of(value: object) -> str:
    """Return a value as the text of a cell; a dash for none."""
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return " ".join(f"{x:.6g}" for x in value)
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def places_of(found: Difference | Change) -> str:
    """Return file and line of an item in A and in B, without folders."""
    places = (found.where_a, found.where_b)
    return " ".join(f"{PurePath(where.file).name}:{where.line}" for where in places if where.line)


def _cells(error: MechanicalError | None) -> tuple[str, ...]:
    if error is None or error.refusal:
        return (
            "cannot move" if error is None else f"not compared: {error.refusal}",
            "",
            "",
            "",
            "",
        )
    numbers = (error.pose, error.mass, error.mass_matrix)
    return (
        *(f"{x:.3g}" for x in numbers),
        ", ".join((*error.missing, *error.changed)),
        ", ".join(error.pairs),
    )


def _json(value: Any) -> Any:
    """Return a value of a report as JSON has it: infinity is the word ``inf``."""
    if isinstance(value, tuple):
        return [_json(x) for x in value]
    return (
        str(value) if isinstance(value, float) and value in (float("inf"), float("-inf")) else value
    )
