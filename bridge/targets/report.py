"""Findings of an export, fields of the scene that a target lacks, FIDELITY.md, provenance, and the
check by reading back.

Findings that differ in one argument only, and are more than a few, are one line: their number, the
values and places.

One table for each target has the fields that are left out, with the finding about a value that
differs from the default, which a field has when the source states nothing. All other fields the
target represents.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

import numpy as np

import loaders
from bridge.codes import MESH_SHAPE
from bridge.diff import Difference, differences
from bridge.diff.differences import TOLERANCE
from bridge.diff.mechanics import mechanical_error
from bridge.geometry.collision_shapes import ShapeCertificate
from bridge.installed_packages import own_version
from bridge.lowering.transform import mechanism_of
from bridge.output import scratch_folder, write_folder
from bridge.robot_checks import doubts
from loaders import model
from loaders.diagnostics import (
    NOWHERE,
    Argument,
    Code,
    Diagnostic,
    Diagnostics,
    ExportError,
    Fate,
    LoadError,
    ModelError,
    Placed,
    Where,
    finding_of,
    is_vector,
    without_repeats,
)
from loaders.engine_settings import (
    MUJOCO,
    Effect,
    SettingGroup,
    acting_physics_settings,
    acting_settings,
    grouped,
    physics_settings,
    solved_settings,
    stated_settings,
)
from loaders.files.read_file import file_of, main_file, read, read_start
from loaders.limits import FileError, raised_limits
from loaders.model import Actuator, Light, Material, Physics, SceneData, Sensor, settings_of
from loaders.pose import Pose
from loaders.scene import Scene
from loaders.text import by_harm, code, counted, plain, printable, shortened

_HEADINGS = {
    Fate.DROPPED: "dropped: it has a meaning that the {format} does not represent",
    Fate.SKIPPED: "skipped: invalid in the source, and left out or assumed by lenient loading",
    Fate.APPROXIMATED: "approximated: represented, with the error stated",
    Fate.REPAIRED: "repaired: changed on request",
    Fate.ASSUMED: "assumed: the source gives no usable value",
    Fate.NOTED: "noted: nothing that moves or collides depends on it",
    Fate.INVALID: "invalid",
}
"""Meaning of each fate, in the order of the report."""

_MOST_ITEMS = 3
"""Number of findings that differ in one argument that have a line each; more are one line."""


class _Omitted(str):
    """Stands for an argument whose values are listed below the message."""

    __slots__ = ()

    def __format__(self, _spec: str) -> str:
        return "…"

    def __repr__(self) -> str:
        return "…"


def fidelity_text(scene: Scene, diagnostics: Iterable[Diagnostic], form: str = "MJCF") -> str:
    """Return the report of everything that is not represented exactly; what it does not list is
    exact.

    Args:
        scene: The exported scene, with the findings of its reader.
        diagnostics: The findings of lowering and export.
        form: Name of the format.
    """
    entries = by_harm(without_repeats((*scene.diagnostics, *diagnostics)))
    counts = Counter(entry.fate for entry in entries)
    lines = ["# Fidelity", "", "What is not listed here is represented exactly.", ""]
    lines += [
        f"- {counts[fate]} {text.format(format=form)}"
        for fate, text in _HEADINGS.items()
        if counts[fate]
    ] or ["- nothing was lost"]
    for fate, text in _HEADINGS.items():
        if counts[fate]:
            lines += ["", f"## {text.partition(':')[0].capitalize()}"]
            lines += _section([entry for entry in entries if entry.fate is fate], scene)
    doubtful = _doubts_of(scene)
    if doubtful:
        lines += ["", "## Doubtful numbers of the source", "", _DOUBTFUL]
        lines += _section(by_harm(doubtful), scene)
    return printable("\n".join(lines) + "\n", lines=True)


_DOUBTFUL = "They are written as they stand, and change the motion or contact of the robot."


def _doubts_of(scene: Scene) -> tuple[Diagnostic, ...]:
    """Return what `check` doubts of the numbers of a robot; nothing of one that cannot move."""
    try:
        return doubts(mechanism_of(scene))
    except ModelError:
        return ()


def _section(entries: Iterable[Diagnostic], scene: Scene) -> Iterator[str]:
    """Yield a heading for each code, and below it each message once."""
    codes: dict[str, dict[tuple[str, str], list[Diagnostic]]] = {}
    for entry in entries:
        codes.setdefault(entry.code, {}).setdefault((entry.template, entry.hint), []).append(entry)
    for name, groups in codes.items():
        yield from ("", f"### {code(name)} ({sum(map(len, groups.values()))})")
        if name == MESH_SHAPE.name:
            yield from _shapes_table(itertools.chain.from_iterable(groups.values()))
            continue
        for group in groups.values():
            for part in _message_parts(_merged(group)):
                yield from _group(part, scene)


def _range_text(distance: float, error: float) -> str:
    return f"{distance:.3g} to {distance + error:.3g}" if error > 0.0 else f"{distance:.3g}"


def _shapes_table(entries: Iterable[Diagnostic]) -> Iterator[str]:
    """Yield a table of what collision meshes became, with the certificate of each."""
    columns = (
        "link", "mesh", "shape", "parts", "vertices", "beyond the mesh [m]", "at, in the link",
        "mesh beyond it [m]", "at, in the link", "volume ratio",
    )  # fmt: skip
    yield from ("", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}")
    for entry in entries:
        found = ShapeCertificate.of(entry)
        cells = (
            code(found.link, cell=True),
            code(found.mesh, cell=True),
            found.shape,
            str(found.parts),
            str(found.vertices),
            _range_text(found.outward, found.outward_error),
            value_text(found.p_LOutward),
            _range_text(found.inward, found.inward_error),
            value_text(found.p_LInward),
            "open mesh" if found.volume_ratio is None else f"{found.volume_ratio:.4g}",
        )
        yield f"| {' | '.join(cells)} |"


def _merged(entries: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Return findings of one template, those about the same item at the same place as one, with the
    values of each.
    """
    for name in entries[0].arguments:
        if f"{{{name}}}" in entries[0].template:
            entries = _merged_by(entries, name)
    return entries


def _merged_by(entries: Iterable[Diagnostic], name: str) -> Sequence[Diagnostic]:
    """Return findings, those that differ in one argument only as one, unless it names what they are
    about.
    """
    groups: dict[object, list[Diagnostic]] = {}
    for i, entry in enumerate(entries):
        is_detail = bool(entry.subjects) and _is_detail(entry, name)
        rest = tuple(pair for pair in entry.arguments.items() if pair[0] != name)
        groups.setdefault((entry.where, entry.subjects, rest) if is_detail else i, []).append(entry)
    return [_with_all(group, name) for group in groups.values()]


def _with_all(group: Sequence[Diagnostic], name: str) -> Diagnostic:
    values = ", ".join(text for entry in group for text in _argument_texts(entry, (name,)))
    if len(group) == 1:
        return group[0]
    return replace(group[0], arguments={**group[0].arguments, name: values})


def _message_parts(entries: Sequence[Diagnostic]) -> Iterable[Sequence[Diagnostic]]:
    """Return findings of one template in parts, such that a message keeps the arguments that many
    of them share.
    """
    values: dict[str, list[str]] = {}
    for name in entries[0].arguments:
        values[name] = [str(entry.arguments[name]) for entry in entries]
    counts = {name: len(set(texts)) for name, texts in values.items()}
    varying = {name: count for name, count in counts.items() if count > 1}
    shared = [name for name, count in varying.items() if _is_shared(name, count, entries)]
    if len(varying) < 2 or not shared:
        return [entries]
    if len(shared) == len(varying):
        shared.remove(max(shared, key=varying.__getitem__))
    parts: dict[tuple[str, ...], list[Diagnostic]] = {}
    for i, entry in enumerate(entries):
        parts.setdefault(tuple(values[name][i] for name in shared), []).append(entry)
    return parts.values()


def _is_shared(name: str, count: int, entries: Sequence[Diagnostic]) -> bool:
    """Return whether an argument has few values: half as many as findings, or two thirds if they
    are words.
    """
    words = all(_is_detail(entry, name) for entry in entries)
    return (3 * count <= 2 * len(entries)) if words else (2 * count <= len(entries))


def _is_detail(entry: Diagnostic, name: str) -> bool:
    """Return whether an argument is a vector, or text that names nothing the finding is about."""
    value = entry.arguments[name]
    return is_vector(value) or (isinstance(value, str) and value not in entry.subjects)


def _group(entries: Sequence[Diagnostic], scene: Scene) -> Iterator[str]:
    """Yield the message that entries share, then a line for each of their different arguments, with
    the places.
    """
    first = entries[0]
    varying = [
        name
        for name in first.arguments
        if len({str(entry.arguments[name]) for entry in entries}) > 1
    ]
    omitted: dict[str, Argument] = {name: _Omitted() for name in varying}
    message = _capitalized(
        replace(first, arguments={**first.arguments, **omitted}).message, first.template
    )
    remedy = f" To do: {plain(first.hint, tags=True)}." if first.hint else ""
    yield ""
    yield f"{plain(message, tags=True)}.{remedy}"
    places: dict[str, list[Where]] = {}
    for entry in entries:
        values = ", ".join(code(text) for text in _argument_texts(entry, varying))
        places.setdefault(values, []).append(entry.where)
    items = [_line(values, _places_text(where, scene)) for values, where in places.items()]
    lines = [line for line in items if line]
    if len(varying) == 1 and len(lines) > _MOST_ITEMS:
        lines = [f"{counted(len(lines), 'time')}: {', '.join(lines)}"]
    if lines:
        yield ""
        yield from (f"- {line}" for line in lines)


def _line(values: str, places: str) -> str:
    """Return an item of a list, with what varies and the places; empty if there is neither."""
    return f"{values} ({places})" if values and places else values or places


def _argument_texts(entry: Diagnostic, names: Sequence[str]) -> list[str]:
    """Return the texts of arguments, formatted and ordered as in the template."""
    fields = {name: spec for _, name, spec, _ in Formatter().parse(entry.template) if name}
    texts: list[str] = []
    for name, spec in fields.items():
        if name in names:
            template = f"{{{name}:{spec}}}" if spec else f"{{{name}}}"
            texts.append(replace(entry, template=template).message)
    return texts


def _capitalized(message: str, template: str) -> str:
    """Return a message with a capital letter, unless its first word is an argument or a name with
    punctuation.
    """
    begins_with_word = re.match(r"[a-z]+\s", template) is not None
    return message[:1].upper() + message[1:] if begins_with_word else message


def _places_text(places: Iterable[Where], scene: Scene) -> str:
    """Return the files, each with its lines."""
    files: dict[str, set[int]] = {}
    for where in places:
        lines = files.setdefault(_relative_path(where.file, scene), set())
        if where.line:
            lines.add(where.line)
    texts = []
    for file, lines in files.items():
        numbers = ", ".join(map(str, sorted(lines)))
        texts.append(plain(f"{file}:{numbers}" if lines else file))
    return "; ".join(texts)


def _relative_path(file: str, scene: Scene) -> str:
    """Return a file relative to the source's folder, or its folder and name: the report is the same
    on any machine.
    """
    path, folder = Path(file), Path(file_of(scene.source)).parent
    if scene.source and path.is_relative_to(folder):
        return path.relative_to(folder).as_posix()
    return "/".join(path.parts[-2:])


WRITTEN_BY = "Written by sdfbridge "
"""Beginning of the comment at the top of an exported model."""
_ORIGIN = re.compile(
    rb"^(?:<\?xml[^\n]*\n)?(?:<!--|#) Written by sdfbridge \S+ from "
    rb"([^\n]+?)(?:; see README|\.(?: -->)?\n)"
)
_HEAD = 1000
"""Length of the beginning of a file that has the comment [bytes]."""


def origin_comment(scene: Scene, *, alone: bool = False) -> str:
    """Return the line at the top of a file that names the program and the source.

    Args:
        scene: The exported scene.
        alone: Whether the file has no README and no report beside it.
    """
    origin = f"{WRITTEN_BY}{own_version()} from {printable(_first_source(scene))}"
    return f"{origin}." if alone else f"{origin}; see README.md and FIDELITY.md."


def derivation(scene: Scene, function: str, name: str, options: Mapping[str, object]) -> list[str]:
    """Return the section of README.md that states how the model was made.

    Args:
        scene: The exported scene.
        function: Name of the function that exports it.
        name: Name of the model's file, without suffix.
        options: The options that differ from their defaults.
    """
    source = source_file(scene)
    changed = [
        f'{key}="{value}"' if isinstance(value, str) else f"{key}={value}"
        for key, value in options.items()
    ]
    call = ", ".join([f'"{source}"', f'"{name}"', *changed])
    return [
        "## Derivation",
        "",
        "| | |",
        "|---|---|",
        f"| source | {code(source, cell=True)} |",
        f"| SHA-256 of the source | {_hash(scene)} |",
        f"| written by | sdfbridge {own_version()} |",
        f"| command | {code(f'sdfbridge.{function}({call})', cell=True)} |",
    ]


def _first_source(scene: Scene) -> str:
    """Return the name of the file from which a scene was first written, so that a second writing is
    the same text.
    """
    with suppress(FileError):
        found = _ORIGIN.search(read_start(scene.source, _HEAD, option="text_file_bytes"))
        if found is not None:
            return found[1].decode(errors="replace")
    return source_file(scene)


def source_file(scene: Scene) -> str:
    """Return the name of the file that a scene was read from.

    A model in an archive has the name of the archive, followed by its path in there if it is not
    the main model.
    """
    path, file = Path(scene.source), Path(file_of(scene.source))
    if path == file:
        return path.name or "a scene in memory"
    with suppress(FileError):
        if main_file(str(file)) == scene.source:
            return file.name
    return path.relative_to(file.parent).as_posix()


def _hash(scene: Scene) -> str:
    file = file_of(scene.source)
    option = "text_file_bytes" if file == scene.source else "mesh_file_bytes"
    with suppress(FileError):
        return f"`{hashlib.sha256(read(file, option=option)).hexdigest()}`"
    return "none"


_MAX_LISTED = 5


def read_back(
    files: Mapping[str, bytes],
    main: str,
    scene: Scene,
    code: Code,
    *,
    package_map: Mapping[str, str] | None = None,
) -> tuple[Diagnostic, ...]:
    """Read the files of an export and compare them with the scene that they should say.

    Args:
        files: Content of each file, by its path in the folder.
        main: Path of the model's file.
        scene: The scene that the files should say.
        code: Code of the findings about an export that fails.
        package_map: Folder, in the export, of each package that its URIs name.

    Returns:
        The reasons why the export fails; empty if it succeeds.
    """
    with scratch_folder() as scratch:
        folder = write_folder(scratch / "export", files)
        packages = {name: str(Path(folder, place)) for name, place in (package_map or {}).items()}
        try:
            found = _loaded(Path(folder, main), packages)
        except LoadError as error:
            return tuple(
                _failure(code, str(entry.message), entry.subjects) for entry in error.diagnostics
            )
        return tuple(_difference(code, entry) for entry in differences(scene, found))


def read_back_mechanics(
    files: Mapping[str, bytes],
    main: str,
    scene: Scene,
    names: Mapping[str, str],
    code: Code,
    *,
    package_map: Mapping[str, str],
    as_source: Callable[[Scene], Scene],
) -> tuple[Diagnostic, ...]:
    """Read the files of an export and compare the mechanics of what they say with those of the
    exported scene.

    Args:
        files: Content of each file, by its path in the folder.
        main: Path of the main file.
        scene: The exported scene.
        names: Names in the files by name in the scene, where they differ.
        code: Code of the findings about an export that fails.
        package_map: Folder, in the export, of each package that its URIs name.
        as_source: Returns what was read, with the frames of links where the scene has them.

    Returns:
        The reasons why the export fails; empty if it succeeds.
    """
    with scratch_folder() as scratch:
        folder = write_folder(scratch / "export", files)
        packages = {name: str(Path(folder, place)) for name, place in package_map.items()}
        try:
            found = as_source(_loaded(Path(folder, main), packages))
            error = mechanical_error(scene, found, names, pairs=False)
        except LoadError as failed:
            return tuple(
                _failure(code, str(entry.message), entry.subjects) for entry in failed.diagnostics
            )
        except ExportError:  # the scene itself cannot move: there is nothing to compare
            return ()
    lost = [_failure(code, f"{name} is only in A", (name,)) for name in error.missing]
    lost += [
        _failure(code, f"joint {name} has other coordinates in B", (name,))
        for name in error.changed
    ]
    problems = []
    for quantity in ("pose", "mass", "mass_matrix"):
        if getattr(error, quantity) > TOLERANCE:
            problems.append(
                f"the error of the {quantity.replace('_', ' ')} is {getattr(error, quantity):.3g}"
            )
    return (*lost, *(_failure(code, problem, ()) for problem in problems))


def _loaded(path: Path, packages: Mapping[str, str]) -> Scene:
    """Read a file of the export, within the limits that its caller raised."""
    return loaders.load(str(path), quiet=True, package_map=packages, limits=raised_limits())


def require_equal(failures: tuple[Diagnostic, ...]) -> None:
    """Refuse an export that does not read back.

    Args:
        failures: The result of `read_back`.

    Raises:
        ExportError: if there are failures; it lists the first ones.
    """
    if failures:
        raise ExportError(failures[:_MAX_LISTED])


def _difference(code: Code, entry: Difference) -> Diagnostic:
    return _failure(code, str(entry), (entry.name,))


def _failure(code: Code, problem: str, subjects: Iterable[str]) -> Diagnostic:
    return finding_of(code, subjects=subjects, problem=problem)


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of an export to one format."""

    target: str
    """Name of the format in the findings."""
    entries: Diagnostics = field(default_factory=Diagnostics)
    """The findings so far."""

    def add(
        self,
        code: Code,
        where: Where | Placed = NOWHERE,
        *,
        hint: str = "",
        subjects: Iterable[str] = (),
        **arguments: object,
    ) -> None:
        """Record a finding; see `loaders.diagnostics.Diagnostics.add` for the arguments.

        Args:
            code: The declaration of the finding.
            where: The place in the source, or the item that the finding is about.
            hint: The advice to the user, an imperative; empty for that of the code.
            subjects: Scoped names of the items that the finding is about; that of the item by
                default.
            arguments: The values of the template's arguments.
        """
        self.entries.add(
            code, where, target=self.target, hint=hint, subjects=subjects, leniency="", **arguments
        )


def value_text(value: object) -> str:
    """Return the value of a field for a message, with numbers of six digits; of a matrix what is
    not zero.
    """
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Pose):
        return value_text(tuple(value.to_vector()))
    if isinstance(value, np.ndarray) and value.ndim > 1:
        entries = zip(np.argwhere(value).tolist(), value[value != 0.0].tolist(), strict=True)
        return ", ".join(f"{number:g} at {' '.join(map(str, index))}" for index, number in entries)
    if isinstance(value, tuple | np.ndarray):
        return " ".join(map(value_text, value))
    if dataclasses.is_dataclass(value):
        stated = [(entry.name, getattr(value, entry.name)) for entry in dataclasses.fields(value)]
        return ", ".join(f"{name} {value_text(item)}" for name, item in stated if item is not None)
    return " ".join(str(value).split())


Losses = Mapping[type, Mapping[str, Code]]
"""The finding about each field that a target lacks, by class and name of the field."""
_CLASSES = frozenset(
    {Scene, *(entry for entry in vars(model).values() if dataclasses.is_dataclass(entry))}
)
_NAMES = ("name", "follower", "link_A", "link")
"""Fields that name a part of a scene: its own name, or the joint or link that it acts on."""
_FIELD_WORDS = dict.fromkeys(("engine_settings", "engine_elements"), "MuJoCo's settings")
"""Fields whose names are not the words for them."""


def losses(*rows: tuple[type, str, Code]) -> dict[type, dict[str, Code]]:
    """Return a table of losses.

    Args:
        rows: A class, names of its fields, separated by spaces, and the finding about them.
    """
    table: dict[type, dict[str, Code]] = {}
    for cls, names, finding in rows:
        table.setdefault(cls, {}).update(dict.fromkeys(names.split(), finding))
    return table


def lost_values(item: Any, lost: Mapping[str, Code]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, the value and the default of each field that is lost and does not have its
    default.

    Args:
        item: The item.
        lost: The fields of its class that the target lacks.
    """
    if not lost:
        return
    for entry in dataclasses.fields(item):
        if entry.name in lost:
            default = (
                entry.default
                if entry.default_factory is dataclasses.MISSING
                else entry.default_factory()
            )
            value = getattr(item, entry.name)
            if not _is_equal(value, default):
                yield entry.name, value, default


def _is_equal(value: Any, default: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value is default or np.array_equal(value, default)
    return value is default or bool(value == default)


class LostValue(NamedTuple):
    """A value that the target lacks."""

    item: Any
    field: str
    code: Code
    owner: str
    """Name of the item, or of what it acts on, or of the item around it."""
    where: Where
    """Place of the item, or of the item around it."""
    depth: int
    """Number of items around the item."""


class _Walk(NamedTuple):
    lost_of: Callable[[Any], Mapping[str, Code]]
    found: list[LostValue]

    def without(self, item: Any, around: str, place: Where, depth: int = 0) -> Any:
        """Return an item without losses.

        Args:
            item: The item.
            around: Name of the item around it.
            place: Place of the item around it.
            depth: Number of items around it.
        """
        owner = part_name(item, around)
        own_place = getattr(item, "where", NOWHERE)
        where = place if own_place == NOWHERE else own_place
        lost = self.lost_of(item)
        changed: dict[str, Any] = {}
        defaults = {name: default for name, _, default in lost_values(item, lost)}
        for entry in dataclasses.fields(item):
            name = entry.name
            if name in defaults:
                changed[name] = defaults[name]
                if not is_stated_elsewhere(item, name):
                    self.found.append(LostValue(item, name, lost[name], owner, where, depth))
            elif name not in lost:
                value = getattr(item, name)
                new = self._without_in(value, owner, where, depth + 1)
                if new is not value:
                    changed[name] = new
        return dataclasses.replace(item, **changed) if changed else item

    def _without_in(self, value: Any, owner: str, where: Where, depth: int) -> Any:
        """Return the value of a field without losses in the items that it has."""
        if type(value) in _CLASSES:
            return self.without(value, owner, where, depth)
        if not isinstance(value, tuple) or not value or type(value[0]) not in _CLASSES:
            return value
        items = tuple(self.without(item, owner, where, depth) for item in value)
        is_changed = any(new is not old for new, old in zip(items, value, strict=True))
        return items if is_changed else value


def without_lost_fields(
    scene: Scene, lost_of: Callable[[Any], Mapping[str, Code]]
) -> tuple[Scene, list[LostValue]]:
    """Return a scene with defaults in the fields that a target lacks, and the values that are lost.

    Args:
        scene: The scene.
        lost_of: Returns the fields of an item that the target lacks, each with its finding.
    """
    walk = _Walk(lost_of, [])
    return walk.without(scene, scene.name, NOWHERE), walk.found


class LostSettings(NamedTuple):
    """The findings of a target about settings of MuJoCo that it lacks."""

    of_motion: Code
    """The finding about a setting of the motion, with ``{setting}``, and ``{of}`` for its items."""
    of_contact: Code
    """The same about a setting of contacts."""
    of_accuracy: Code
    """The finding about all settings of the accuracy, with ``{names}``."""


def report_lost_settings(
    scene: SceneData, codes: LostSettings, add: Callable[..., None], kept: Set[str] = frozenset()
) -> None:
    """Report the settings of MuJoCo that a target lacks: each that acts on motion or contact by its
    full name, and the others, if they are options or act on the accuracy, together. The laws of
    actuators are findings of their own.

    Args:
        scene: The scene.
        codes: The findings.
        add: Records a finding, as `loaders.diagnostics.Diagnostics.add` does.
        kept: Settings that the target obeys beside `solved_settings`: element and attribute, such
            as ``body/gravcomp``, or with a value, ``geom/condim=1``.
    """
    acting = {setting.path for setting in acting_settings(scene)}
    groups = [g for g in grouped(stated_settings(scene)) if not g.path.startswith("actuator/")]
    obeyed = kept | solved_settings(scene.physics)
    without_kept = [group.without(obeyed) for group in groups]
    lost = [group for group in without_kept if group is not None]
    others = [group for group in lost if group.path not in acting and group.is_of_solver]
    _report([group for group in lost if group.path in acting], others, codes, add)


def report_lost_physics(physics: Physics, codes: LostSettings, add: Callable[..., None]) -> None:
    """Report the settings of an engine of Gazebo, as `report_lost_settings` does.

    Args:
        physics: The physics of the scene.
        codes: The findings.
        add: Records a finding, as `loaders.diagnostics.Diagnostics.add` does.
    """
    acting = {setting.path for setting in acting_physics_settings(physics)}
    groups = grouped(physics_settings(physics))
    others = [group for group in groups if group.path not in acting]
    _report([group for group in groups if group.path in acting], others, codes, add)


def _report(
    acting: Iterable[SettingGroup],
    others: Sequence[SettingGroup],
    codes: LostSettings,
    add: Callable[..., None],
) -> None:
    for group in acting:
        code = codes.of_contact if group.effect is Effect.CONTACT else codes.of_motion
        of = f" of {shortened(', '.join(group.subjects))}" if group.subjects else ""
        add(code, group.where, subjects=group.subjects, setting=str(group), of=of)
    if others:
        subjects = dict.fromkeys(name for group in others for name in group.subjects)
        names = tuple(map(str, others))
        add(codes.of_accuracy, others[0].where, subjects=subjects, names=names)


def is_stated_elsewhere(item: Any, field: str) -> bool:
    """Return whether a field has nothing but settings of MuJoCo that `report_lost_settings`
    reports, or that mean nothing elsewhere.

    Args:
        item: A part of a scene.
        field: The name of one of its fields.
    """
    if field != "engine_settings":
        return False
    if isinstance(item, Sensor):  # a camera whose image has no stated size
        return dict(settings_of(item, MUJOCO)).keys() <= {"resolution"}
    return not isinstance(item, Actuator | Light | Material)


def part_name(part: Any, owner: str) -> str:
    """Return the name of a part of a scene: its own, or that of the joint or link that it acts on.

    Args:
        part: The part.
        owner: Name of the item around it, for parts without a name.
    """
    return str(next(filter(None, (getattr(part, field, "") for field in _NAMES)), owner))


def kind_words(kind: type) -> str:
    """Return the words for a type of the scene in messages: ``joint axis`` for `JointAxis`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()


def field_words(name: str) -> str:
    """Return the words for a field of the scene in messages.

    Args:
        name: Name of the field.
    """
    return _FIELD_WORDS.get(name, name.replace("_", " "))
