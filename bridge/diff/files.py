"""Comparison of two files or scenes: what differs, and whether both move alike."""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from pathlib import PurePath
from typing import Any, Literal, Unpack, get_args

import loaders
from loaders import LoadOptions
from loaders.diagnostics import ExportError, Where
from loaders.keyword_options import check_option_names, check_option_value
from loaders.notebook import card, details, table
from loaders.safety.text import shortened
from loaders.scene import Scene
from loaders.scene_operations.link_frames import moved_frames
from loaders.spatial import Pose

from .differences import TOLERANCE, Difference, differences, place_of
from .link_frames import other_frames
from .matching import Names, names_by_prefix, names_by_scope, names_by_structure, names_of_map
from .mechanics import MechanicalError, mechanical_error
from .motion import acting
from .page import page
from .page import table as page_table
from .renaming import renamed
from .world_shapes import with_fixed_world

Model = str | os.PathLike[str] | Scene
"""A path of any format that can be read, or a scene."""
Match = Literal["structure", "name"]
SIMULATOR_TOLERANCE = 1e-7
"""Largest difference of equal numbers of simulators, whose solvers round."""
_HEADS = ("kind", "name", "field", "A", "B")
_FEW = 10
"""Number of differences that the card in a notebook shows at once."""


class Verdict(StrEnum):
    """The verdict on two files."""

    EQUAL = "EQUAL"
    """Nothing differs."""
    ALIKE = "ALIKE"
    """Items differ, but none that changes the motion, and links have the same poses, masses, mass matrices and pairs.

    A link whose frame alone differs, with everything on it in the same place, has the pose of the frame of B.
    """
    DIFFERENT = "DIFFERENT"
    """Both do not move alike, or one cannot move."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FileComparison:
    """The result of `compare_files`.

    Attributes:
        differences: What differs, item by item, in the order of A, by the names in B.
        mechanics: How far poses, masses, mass matrices and colliding pairs differ; None if a scene has no mechanism.
        tolerance: Largest difference of equal numbers.
        acting: Those of the differences that change how a model moves, such as a damping, a coupling or a shape.
        names: Names in B by name in A of the items that were matched by a map or by structure, by kind.
        frames: The pose of the frame of B in that of A, by the name in A, of each link whose frame alone differs.
        simulators: How far the same quantities differ between both files in each simulator, by its name.
    """

    differences: tuple[Difference, ...]
    mechanics: MechanicalError | None
    tolerance: float
    acting: tuple[Difference, ...] = ()
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    frames: Mapping[str, Pose] = field(default_factory=dict)
    simulators: Mapping[str, MechanicalError] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<FileComparison {self.verdict}: {self.summary}>"

    def _repr_html_(self) -> str:
        rows = self._rows()
        shown = [table(_HEADS, rows[:_FEW])] if rows else []
        if len(rows) > _FEW:
            shown.append(details(f"all {len(rows)} differences", table(_HEADS, rows)))
        return card(f"{self.verdict}: two files", (self.summary,), *shown)

    @property
    def summary(self) -> str:
        """The number of differences, and whether both move alike, in one line."""
        if self.equal:
            return "no item differs"
        count = len(self.differences)
        motion = "both move alike" if self.moves_alike else f"they do not move alike: {'; '.join(self.reasons)}"
        found = f"{count} difference{'' if count == 1 else 's'}" if count else "no item differs"
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
        """True if the same links have the same poses, masses, mass matrix and colliding pairs, and no force differs."""
        return not self.reasons

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for which both do not move alike, in the mechanism and in each simulator; empty if they do."""
        if self.mechanics is None:
            return ("one of them cannot move",)
        in_mechanism = (*self.mechanics.reasons(self.tolerance), *_acting_reasons(self.acting))
        in_simulators = {name: error.reasons(self._simulator_tolerance) for name, error in self.simulators.items()}
        return (*in_mechanism, *(f"in {name}, {text}" for name, texts in in_simulators.items() for text in texts))

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The simulators that could not compare both files, each with its reason; the verdict is without them."""
        return tuple(f"in {name}: {error.refusal}" for name, error in self.simulators.items() if error.refusal)

    @property
    def _simulator_tolerance(self) -> float:
        return max(self.tolerance, SIMULATOR_TOLERANCE)

    @property
    def verdict(self) -> Verdict:
        """The verdict over all that was compared."""
        if self.equal:
            return Verdict.EQUAL
        return Verdict.ALIKE if self.moves_alike else Verdict.DIFFERENT

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        plain: dict[str, Any] = {
            "equal": self.equal,
            "moves_alike": self.moves_alike,
            "verdict": str(self.verdict),
            "reasons": list(self.reasons),
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

    def html(self, title: str = "Comparison of two files") -> str:
        """Return the result as an HTML page.

        Args:
            title: Its title.
        """
        rows = [(*row, places_of(d)) for row, d in zip(self._rows(), self.differences, strict=True)]
        found = page_table((*_HEADS, "place"), rows) if rows else "<p>No item differs.</p>"
        sections = [("Items", found)]
        errors = {"mechanism": self.mechanics, **self.simulators}
        listed = [(name, *_cells(error)) for name, error in errors.items()]
        sections.append(("Mechanics", page_table(("", "pose", "mass", "mass matrix", "missing", "pairs"), listed)))
        matched = [(kind, old, new) for kind, names in self.names.items() for old, new in names.items()]
        if matched:
            sections.append(("Names", page_table(("kind", "A", "B"), matched)))
        return page(title, str(self.verdict), sections)

    def _rows(self) -> list[tuple[str, ...]]:
        return [(d.kind, d.name, d.field or "only in one", text_of(d.a), text_of(d.b)) for d in self.differences]


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
        names: Names in B by name in A, where they differ; a key may start with the kind, such as ``joint elbow``.
        match: Whether links and joints whose name the other file lacks are matched by their places in the ``structure``
            of joints, or not at all (``name``). An item that was matched in this way differs in its name.
        options: Options of `loaders.load` for both files.

    Raises:
        LoadError: if a file is invalid.
        TypeError: if an option is unknown.
        ValueError: if ``match`` has an unknown value, ``tolerance`` is negative or no number, or ``names`` has a name
            that A or B does not have.

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
        mapped = {kind: scoped.get(kind, {}) | mapped.get(kind, {}) for kind in {**scoped, **mapped}}
    frames = other_frames(first, second, tolerance)
    noted = (*_other_names(found, first, second), *_other_frames(first, second, frames))
    first = moved_frames(first, frames)
    matched = {kind: mapped.get(kind, {}) | found.get(kind, {}) for kind in {**mapped, **found}}
    items = differences(first, second, tolerance=tolerance)
    old = {new: old for old, new in matched.get("link", {}).items()}
    return FileComparison(
        differences=(*noted, *items),
        acting=acting(items, first, second),
        mechanics=_mechanics(first, second),
        tolerance=tolerance,
        names=matched,
        frames={old.get(name, name): X_LN for name, X_LN in frames.items()},
    )


def _matched_by_structure(a: Scene, b: Scene) -> tuple[Scene, Scene, Names, Names]:
    """Return A with the names of B, and B; and the names in B of those with another scope, and with another name."""
    scoped = names_by_scope(a, b)
    a = renamed(a, scoped)
    prefixed = names_by_prefix(a, b)
    a = renamed(a, prefixed)
    found = names_by_structure(a, b)
    a, b, worlds = with_fixed_world(renamed(a, found), b)
    steps = (prefixed, found, worlds)
    return a, b, scoped, {kind: dict(ChainMap(*(step.get(kind, {}) for step in steps[::-1]))) for kind in chain(*steps)}


def _mechanics(a: Scene, b: Scene) -> MechanicalError | None:
    """Return how far the mechanics differ; None if one of them cannot move."""
    try:
        return mechanical_error(a, b)
    except ExportError:
        return None


def _acting_reasons(acting: tuple[Difference, ...]) -> tuple[str, ...]:
    """Return what acting differences are about, once for each field of an item, in one reason."""
    words = dict.fromkeys(f"{d.field or 'presence'} of {' '.join(filter(None, (d.kind, d.name)))}" for d in acting)
    return (f"what acts on the motion differs: {shortened(', '.join(words))}",) if words else ()


def _other_names(found: Mapping[str, Mapping[str, str]], a: Scene, b: Scene) -> tuple[Difference, ...]:
    return tuple(
        Difference(kind=kind, name=new, field="name", a=old, b=new, **_places(kind, new, a, b))
        for kind, pairs in found.items()
        for old, new in pairs.items()
    )


def _other_frames(a: Scene, b: Scene, frames: Mapping[str, Pose]) -> tuple[Difference, ...]:
    in_a, in_b = ({link.name: link.X_WL for link in scene.links if link.name in frames} for scene in (a, b))
    vectors = {name: tuple(tuple(poses[name].to_vector()) for poses in (in_a, in_b)) for name in frames}
    return tuple(
        Difference(kind="link", name=name, field="X_WL", a=one, b=two, **_places("link", name, a, b))
        for name, (one, two) in vectors.items()
    )


def _places(kind: str, name: str, a: Scene, b: Scene) -> dict[str, Where]:
    """Return the places of a link or a joint in both scenes, of which A has the names of B."""
    items = ((scene.joints if kind == "joint" else scene.links) for scene in (a, b))
    found = (next((item for item in each if item.name == name), None) for each in items)
    return dict(zip(("where_a", "where_b"), map(place_of, found), strict=True))


def text_of(value: object) -> str:
    """Return a value as the text of a cell; a dash for none."""
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return " ".join(f"{x:.6g}" for x in value)
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def places_of(difference: Difference) -> str:
    """Return file and line of an item in A and in B, without folders.

    Args:
        difference: The difference.
    """
    places = (difference.where_a, difference.where_b)
    return " ".join(f"{PurePath(where.file).name}:{where.line}" for where in places if where.line)


def _cells(error: MechanicalError | None) -> tuple[str, ...]:
    if error is None or error.refusal:
        return ("cannot move" if error is None else f"not compared: {error.refusal}", "", "", "", "")
    numbers = (error.pose, error.mass, error.mass_matrix)
    return (*(f"{x:.3g}" for x in numbers), ", ".join(error.missing), ", ".join(error.pairs))


def _json(value: Any) -> Any:
    """Return a value of a report as JSON has it: infinity is the word ``inf``."""
    if isinstance(value, tuple):
        return [_json(x) for x in value]
    return str(value) if isinstance(value, float) and value in (float("inf"), float("-inf")) else value
