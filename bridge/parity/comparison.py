"""compare: levels, rows and verdict for several engines."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, Unpack, cast

import numpy as np

from bridge.choices import AS_STATED, Base, Exclude, Exclusion, Overlaps
from bridge.geometry.cache import cache_path
from bridge.installed_packages import own_version_and_commit
from bridge.lowering.transform import Source, mechanism_of, switched
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position, all_positions
from bridge.output import Form, write_folder, write_sealed
from bridge.sensors import FORCE_TYPES
from loaders import LoadOptions, Search
from loaders.collision_pairs import exerts_forces
from loaders.diagnostics import Diagnostic, Diagnostics, ExportError, without_repeats
from loaders.files.read_file import file_of, recorded
from loaders.model import JointType
from loaders.text import (
    check_option_names,
    check_option_value,
    check_whole_number,
    counted,
    encoded,
)

from .attribution import attribute_differences
from .causes import conditions
from .contact import SCENARIOS, contact_rows
from .engine import (
    DivergedError,
    Engine,
    Factory,
    NotReportedError,
    default_engines,
    factory_of,
    is_witness_of_motion,
    name_of,
    open_engine,
    reads_file,
)
from .motion.conservation import invariant_rows
from .motion.trajectory import joint_motion, motion_rows
from .motion.witness import witness_rows
from .quantities.model import STATED_QUANTITIES, running_rows
from .quantities.rows import find_gaps, quantity_rows, refusal_rows
from .quantity import MAX_COLLIDING_LINKS, QUANTITIES, SENSOR_FORCES
from .report.report import html, junit, verdict_card
from .states import State, random_states, without_solver_effects
from .touching import ACTING, touch_rows
from .verdict import (
    DEFAULT_CONFIGURATIONS,
    DEFAULT_LEVELS,
    REFERENCE,
    Findings,
    Level,
    Outcome,
    Row,
)

_T = TypeVar("_T")
_NamedFactory = tuple[str, Factory]
_Progress = Callable[[str], None]

_OPTIONS = frozenset(
    {
        "levels", "seed", "configurations", "positions", "base", "inertia", "overlaps", "exclude",
        "exclude_samples", "exclude_seed", "progress",
    }
)  # fmt: skip


def _ignore(_message: str) -> None:
    """Ignore a progress message."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(Findings):
    """The result of `compare`, which can be written as JSON, HTML and JUnit XML.

    Attributes:
        report_name: The file of the report in a folder.
    """

    report_name: ClassVar[str] = "report.html"

    def _repr_html_(self) -> str:
        return verdict_card(self)

    def to_json(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write `to_dict` as JSON, with a hash of the text as its last member, and return the path.

        Args:
            path: The file to write.
            force: Whether to overwrite a file that sdfbridge did not write, or that was edited
                since.

        Raises:
            OutputFolderError: If there is such a file; a `FileExistsError`.
        """
        return write_sealed(path, encoded(self._json()), Form.JSON, force=force)

    def to_html(
        self,
        path: str | os.PathLike[str],
        pictures: Mapping[str, bytes] | None = None,
        *,
        date: str = "",
        force: bool = False,
    ) -> Path:
        """Write one self-contained HTML file and return the path.

        Args:
            path: The file to write.
            pictures: PNG images by caption.
            date: The date that the page states; by default that of ``SOURCE_DATE_EPOCH``, else
                today's.
            force: Whether to overwrite a file that sdfbridge did not write, or that was edited
                since.

        Raises:
            ImportError: If jinja2 or matplotlib is not installed.
            OutputFolderError: If there is such a file; a `FileExistsError`.
            ValueError: If the environment variable ``SOURCE_DATE_EPOCH`` is not a number of
            seconds.
        """
        return write_sealed(
            path, encoded(html(self, pictures or {}, date)), Form.MARKUP, force=force
        )

    def to_junit(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write one JUnit test case for each row and return the path.

        Args:
            path: The file to write.
            force: Whether to overwrite a file that sdfbridge did not write, or that was edited
                since.

        Raises:
            OutputFolderError: If there is such a file; a `FileExistsError`.
        """
        return write_sealed(path, encoded(junit(self)), Form.MARKUP, force=force)

    def to_folder(
        self,
        folder: str | os.PathLike[str],
        pictures: Mapping[str, bytes] | None = None,
        *,
        force: bool = False,
    ) -> Path:
        """Write ``results.json``, ``junit.xml`` and ``report.html`` as a folder that appears whole
        or not at all.

        Args:
            folder: The folder to write; an earlier report in its place is replaced.
            pictures: PNG images by caption.
            force: Whether to overwrite files of these names that were edited or that no report
                wrote.

        Raises:
            ImportError: If jinja2 or matplotlib is not installed.
            OutputFolderError: If the folder holds files that were edited or that no report wrote.
        """
        return write_folder(
            folder,
            {**self.files(), self.report_name: encoded(html(self, pictures or {}))},
            force=force,
        )

    def files(self) -> dict[str, bytes]:
        """Return ``results.json`` and ``junit.xml``: the content by name."""
        return {"results.json": encoded(self._json()), "junit.xml": encoded(junit(self))}

    def _json(self) -> str:
        return json.dumps(self.to_dict(), indent=1) + "\n"


def compare(  # noqa: PLR0913 - the options of one comparison
    source: Source,
    engines: str | Sequence[str | Factory] | None = None,
    *,
    levels: str | Sequence[Level | str] = DEFAULT_LEVELS,
    seed: int = 0,
    configurations: int = DEFAULT_CONFIGURATIONS,
    positions: Mapping[str, Position] | None = None,
    base: Base = "as_is",
    inertia: Literal["keep", "repair"] = "keep",
    overlaps: Overlaps = "exclude",
    exclude: Exclude = "as_is",
    exclude_samples: int = AS_STATED.samples,
    exclude_seed: int = AS_STATED.seed,
    progress: Callable[[str], None] = _ignore,
    **load_options: Unpack[LoadOptions],
) -> Comparison:
    """Compare how simulators run a model, with each other and with the reference.

    The reference computes the kinematics and dynamics of the `bridge.Mechanism` from first
    principles.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        engines: Names of engines, or callables that open one with a mechanism; None for MuJoCo and
            PyBullet, or MuJoCo alone where PyBullet is not installed. For a second file or scene
            see `bridge.compare_files`.
        levels: What to compare; L3 (invariants) and L4 (contact) only if they are named.
        seed: Seed of the random states.
        configurations: Number of random states.
        positions: Positions of joints in a state to compare in addition to the random ones, and to
            draw. Free links that are not in it are where they are, followers of couplings as these
            require, and other joints at zero.
        base: Whether free links are welded to the world where they are (``fixed``), or links that
            are welded to the world become free (``free``), in every engine. Engines that read the
            file themselves cannot do this.
        inertia: Treatment of invalid inertias: ``repair`` replaces them by the nearest valid ones
            in every engine.
        overlaps: Links that overlap initially, where the source does not state which links collide:
            ``exclude`` lets them not collide, ``keep`` lets them collide, in every engine.
        exclude: Pairs of links that do not collide in any engine: those that the source states, or,
            with ``sampled``, also those that are adjacent, that overlap initially, and that touch
            always or never at random positions. Engines that read the file themselves do not know
            the latter.
        exclude_samples: Number of random positions of ``exclude="sampled"``.
        exclude_seed: Seed of these positions.
        progress: Called with a message at each stage.
        load_options: Options of `loaders.load` if ``source`` is a path. With ``strict``, anything
            that an engine cannot represent is an error too. Engines that read the file themselves
            use the options in `loaders.Search`.

    Returns:
        One row for each quantity and pair of engines, with the verdict over all of them.

    Raises:
        LoadError: If the file has errors.
        ExportError: If an engine cannot represent the model.
        EngineMissingError: If an engine is not installed.
        TypeError: If an option is unknown, or ``engines`` or ``levels`` is no sequence.
        ValueError: If an engine, a level or a joint in ``positions`` is unknown, no engine or level
            is given, ``configurations`` or ``exclude_samples`` is less than 1, or ``base`` is
            unknown or given for an engine that reads the file itself.

    Example:
        >>> import bridge
        >>> levels = "L0", "L1"
        >>> result = bridge.compare("assets/double_pendulum.urdf", levels=levels, configurations=3)
        >>> print(result.verdict, result.agreement)
        INCOMPLETE EQUIVALENT
        >>> result.assert_no_difference()
    """
    check_option_names(load_options, LoadOptions, _OPTIONS)
    selected = [_level(level) for level in _several("levels", levels, "L0,L1")]
    named = _chosen_engines(engines, base)
    check_option_value("inertia", inertia, ("keep", "repair"))
    exclusion = Exclusion(exclude=exclude, samples=exclude_samples, seed=exclude_seed)
    load_options["quiet"] = True  # the result holds the diagnostics of all engines
    read: dict[str, str | None] = {}

    def note(path: str, digest: str | None) -> None:
        read[path] = digest or read.get(path)

    with recorded(note):
        mechanism = mechanism_of(
            source,
            base=base,
            overlaps=overlaps,
            exclusion=exclusion,
            repair_inertia=inertia == "repair",
            **load_options,
        )
    mechanism = switched(mechanism)
    states = _states(mechanism, configurations, seed, positions or {})
    names = tuple(name for name, _ in named[1:])
    progress(f"loading into {', '.join(names)}")
    search = cast(
        Search,
        {key: value for key, value in load_options.items() if key in Search.__optional_keys__},
    )
    with recorded(note), _open_engines(mechanism, named, search) as opened:
        _diagnostics(opened, load_options)  # raises before the long work
        answering = {name: engine for name, engine in opened.items() if not engine.refusal}
        rows = [
            *refusal_rows(opened),
            *_static_rows(selected, mechanism, answering, states, progress),
        ]
        diagnostics = _diagnostics(opened, load_options)  # now with findings about shapes
        reported = [entry for engine in opened.values() for entry in engine.diagnostics]
        details = _details(mechanism, answering, states) | {
            "positions": dict(positions or {}),
            "inertia": inertia,
        }
        details |= {
            "base": base,
            "overlaps": overlaps,
            "exclusion": exclusion,
            "load_options": dict(load_options),
            "levels": selected,
        }
        environment = _environment(opened, mechanism, seed, configurations)
        able = [(name, factory) for name, factory in named if name in answering]
    rows += motion_level_rows(selected, mechanism, able, seed, progress)
    if Level.MOTION in selected:
        moving = [(n, factory) for n, factory in able if n != REFERENCE and not reads_file(factory)]
        details["joint_motion"] = joint_motion(mechanism, moving, seed)
        rows += touch_rows(mechanism, moving)
    rows += _force_rows(selected, mechanism, able, seed)
    rows += witnessed_rows(selected, mechanism, able, seed, search)
    found = Comparison(
        model=mechanism.scene.name,
        source=mechanism.scene.source,
        rows=attribute_differences(rows, reported),
        engines=names,
        environment=environment,
        inputs=_digests(mechanism.scene.source, read),
        contact=_contact(mechanism, rows),
        diagnostics=diagnostics,
        details=details,
    )
    judged = {name: opened[name] for name in names}
    return _with_gaps(found, mechanism, selected, judged, reported)


def _with_gaps(
    found: Comparison,
    mechanism: Mechanism,
    levels: Sequence[Level],
    engines: Mapping[str, Engine],
    reported: Sequence[Diagnostic],
) -> Comparison:
    """Return the comparison with what was not compared, and with the conditions of its verdict.

    Every finding of the engines counts, also one that the result does not list because the reader
    reports its cause.
    """
    known = (*mechanism.scene.diagnostics, *reported)
    gaps = find_gaps(found.rows, mechanism, levels, engines, known)
    return dataclasses.replace(found, gaps=gaps, conditions=conditions(known))


# --- preparation ----------------------------------------------------------------------------------


def _chosen_engines(
    engines: str | Sequence[str | Factory] | None, base: Base
) -> list[_NamedFactory]:
    """Return the reference and the engines by name; refuse another base for engines that read the
    file themselves.
    """
    chosen = (
        default_engines() if engines is None else _several("engines", engines, "mujoco,pybullet")
    )
    others = [engine for engine in chosen if engine != REFERENCE]
    named = [_named(engine) for engine in (REFERENCE, *others)]
    reading = [name for name, factory in named if reads_file(factory)]
    if base in {"fixed", "free"} and reading:
        raise ValueError(
            f"base={base!r} cannot be used with {', '.join(reading)}, which read the file as it is"
        )
    return named


def check_choices(engines: Iterable[str | Factory], levels: Iterable[Level | str]) -> None:
    """Refuse engines and levels that `compare` would refuse.

    Raises:
        ValueError: If one is unknown.
        EngineMissingError: If an engine is not installed.
    """
    for engine in engines:
        _named(engine)
    for level in levels:
        _level(level)


def _level(level: Level | str) -> Level:
    try:
        return Level(level)
    except ValueError as error:
        raise ValueError(f"unknown level {level!r}; expected one of: {', '.join(Level)}") from error


def _several(option: str, values: str | Sequence[_T], example: str) -> Sequence[str | _T]:
    """Return the values of an option, at least one; text may state several, separated by commas."""
    if not isinstance(values, Iterable):
        raise TypeError(f"{option} = {values!r}; expected one or more {option}, such as {example}")
    several = (
        [word.strip() for word in values.split(",") if values]
        if isinstance(values, str)
        else list(values)
    )
    if not several:
        raise ValueError(f"{option} is empty; expected one or more {option}, such as {example}")
    return several


def _named(engine: str | Factory) -> _NamedFactory:
    if isinstance(engine, str):
        return engine, factory_of(engine)
    return name_of(engine), engine


def _states(
    mechanism: Mechanism, count: int, seed: int, positions: Mapping[str, Position]
) -> list[State]:
    """Return the random states, after a state with the given positions if there are any."""
    check_whole_number("configurations", count, 1)
    check_whole_number("seed", seed)
    states = random_states(mechanism, count, seed)
    if not positions:
        return states
    return [*((all_positions(mechanism, positions), v) for _, v in states[:1]), *states]


@contextmanager
def _open_engines(
    mechanism: Mechanism, named: Sequence[_NamedFactory], search: Search
) -> Iterator[dict[str, Engine]]:
    """Open all engines with the mechanism, and close them at the end."""
    opened: dict[str, Engine] = {}
    try:
        for name, factory in named:
            opened[name] = open_engine(factory, mechanism, search)
        yield opened
    finally:
        for engine in opened.values():
            engine.close()


def _diagnostics(engines: Mapping[str, Engine], options: LoadOptions) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of all engines; with ``strict``, every warning is an error."""
    diagnostics = without_repeats(
        entry for engine in engines.values() for entry in engine.diagnostics
    )
    if options.get("strict", False):
        Diagnostics(diagnostics).raise_for(ExportError, strict=True)
    return diagnostics


# --- rows -----------------------------------------------------------------------------------------


def _static_rows(
    levels: Sequence[Level],
    mechanism: Mechanism,
    engines: Mapping[str, Engine],
    states: Sequence[State],
    progress: _Progress,
) -> Iterator[Row]:
    """Yield the rows of all quantities at these levels."""
    for engine in engines.values():
        engine.prepare(states)
    for quantity in (*QUANTITIES, *STATED_QUANTITIES):
        if quantity.level in levels:
            progress(f"{quantity.level} {quantity.name}")
            yield from quantity_rows(quantity, mechanism, engines, states)
    if Level.MODEL in levels:
        yield from running_rows(engines)


_FORCE_STATES = 4
"""Number of states in which accelerations and forces are read."""


def _force_rows(
    levels: Sequence[Level], mechanism: Mechanism, named: Sequence[_NamedFactory], seed: int
) -> list[Row]:
    """Return the rows of accelerometers and force-torque sensors in the engines that read them,
    unless the constraint of a screw, which is soft, acts on them.
    """
    scene = mechanism.scene
    types = {sensor.type for link in scene.links for sensor in link.sensors}
    types |= {sensor.type for joint in scene.joints for sensor in joint.sensors}
    has_screw = any(joint.type is JointType.SCREW for joint in scene.joints)
    if Level.MOTION not in levels or not types & FORCE_TYPES or has_screw:
        return []
    moving = without_solver_effects(mechanism, damped=False, measured=True)
    states = random_states(moving, _FORCE_STATES, seed)
    reading = [(name, factory) for name, factory in named if not reads_file(factory)]
    with _open_engines(moving, reading, {}) as opened:
        able = {name: engine for name, engine in opened.items() if _reads_forces(engine, states[0])}
        return list(quantity_rows(SENSOR_FORCES, moving, able, states))


def _reads_forces(engine: Engine, state: State) -> bool:
    try:
        engine.set_state(*state)
        engine.sensor_forces()
    except NotReportedError:
        return False
    return True


# --- data of the report ---------------------------------------------------------------------------


def _environment(
    engines: Mapping[str, Engine], mechanism: Mechanism, seed: int, configurations: int
) -> dict[str, str]:
    versions = {name: engine.version for name, engine in engines.items() if engine.version}
    return {
        "sdfbridge": own_version_and_commit(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        **versions,
        "machine": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "degrees of freedom": str(len(mechanism.v_order)),
        "seed": str(seed),
        "configurations": str(configurations),
    }


def _processor() -> str:
    """Return the name of the processor, or of its kind if the system gives no name."""
    with suppress(OSError):
        for text in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if text.startswith("model name"):
                return text.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _digests(source: str, read: Mapping[str, str | None]) -> dict[str, str]:
    """Return the SHA-256 of each file that was read, by its path, the model first.

    Args:
        source: The file of the model.
        read: The digest of each file that the result depends on; None where it was not read anew.
    """
    first = [os.path.abspath(file_of(source))] if source else []
    cache, found = "", {}
    with suppress(OSError):
        cache = os.path.abspath(cache_path())
    for path in dict.fromkeys((*first, *sorted(read))):
        if cache and path.startswith(f"{cache}{os.sep}"):
            continue  # a file that was computed from others
        if read.get(path):
            found[path] = str(read[path])
        elif os.path.isfile(path):
            with suppress(OSError), open(path, "rb") as file:
                found[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _contact(mechanism: Mechanism, rows: Sequence[Row]) -> str:
    """Return what was compared of motion in contact, and how well; empty if nothing can touch."""
    shapes = [shape for link in mechanism.scene.links for shape in link.collisions]
    if not any(map(exerts_forces, shapes)):
        return ""
    compared = [row for row in rows if row.outcome in {Outcome.PASSED, Outcome.EXPLAINED}]
    names = (*ACTING, *(row.quantity for row in compared if row.level is Level.CONTACT))
    found = [_worst_of(name, compared) for name in dict.fromkeys(names)]
    shown = ", ".join(text for text in found if text)
    return (
        f"also in contact, within these errors of closed forms: {shown}"
        if shown
        else "motion in contact was not compared"
    )


def _worst_of(quantity: str, rows: Sequence[Row]) -> str:
    """Return the largest error of a quantity of contact, and of how many shapes; empty if there is
    none.
    """
    worst = max(
        (row for row in rows if row.quantity == quantity), key=lambda r: r.error, default=None
    )
    if worst is None:
        return ""
    shapes = f" on {worst.loaded[0]} of {counted(worst.loaded[1], 'shape')}" if worst.loaded else ""
    return (
        f"{quantity.removesuffix(' of contact')} {worst.error:.1g} {worst.unit}".rstrip() + shapes
    )


def _details(
    mechanism: Mechanism, engines: Mapping[str, Engine], states: Sequence[State]
) -> dict[str, Any]:
    """Return the data that the report draws."""
    masses, inertias = {}, {}
    for name, engine in engines.items():
        with suppress(NotReportedError):
            engine.set_state(*states[0])
            inertias[name] = engine.inertias()
            masses[name] = engine.mass_matrix()
    links = [link.name for link in mechanism.scene.links if link.collisions]
    group = {name: mechanism.weld_group_of(name) for name in links}
    return {
        "v_order": mechanism.v_order,
        "mass_matrices": masses,
        "inertias": inertias,
        "links": links,
        "pairs": mechanism.collidable_pairs(),
        "movable_pairs": frozenset(
            frozenset((a, b)) for a, b in combinations(links, 2) if group[a] != group[b]
        ),
        "pairs_by_engine": _pairs_by_engine(engines) if len(links) <= MAX_COLLIDING_LINKS else {},
        "random_positions": [q for q, _ in states[-1:]],
    }


def _pairs_by_engine(engines: Mapping[str, Engine]) -> dict[str, frozenset[frozenset[str]]]:
    pairs = {}
    for name, engine in engines.items():
        with suppress(NotReportedError):
            pairs[name] = engine.collidable_pairs()
    return pairs


_MOTION_LEVELS: dict[Level, Callable[[Mechanism, Sequence[_NamedFactory], int], Iterator[Row]]] = {
    Level.MOTION: motion_rows,
    Level.INVARIANTS: invariant_rows,
    Level.CONTACT: contact_rows,
}
"""The levels in which engines simulate motion: functions of a mechanism, the engines by name, and a
seed."""
_DESCRIPTIONS = {
    Level.MOTION: "one step, order of convergence, a second of motion",
    Level.INVARIANTS: "energy, momentum, a tumbling body",
    Level.CONTACT: ", ".join(SCENARIOS),
}
"""The contents of these levels, for the progress messages."""


def motion_level_rows(
    levels: Sequence[Level],
    mechanism: Mechanism,
    named: Sequence[_NamedFactory],
    seed: int,
    progress: _Progress,
) -> Iterator[Row]:
    """Yield the rows of these levels, for all engines that simulate the motion of mechanisms.

    Args:
        levels: The levels; those without motion have no rows here.
        mechanism: The mechanism.
        named: The reference and the engines by name.
        seed: Seed of the random initial states.
        progress: Called with a message at each level.
    """
    moving = [(name, factory) for name, factory in named if not reads_file(factory)]
    for level, rows in _MOTION_LEVELS.items():
        if level in levels:
            progress(f"{level} {_DESCRIPTIONS[level]}")
            try:
                yield from rows(mechanism, moving, seed)
            except (DivergedError, NotReportedError) as error:
                yield _interrupted(level, moving, str(error))


def _interrupted(level: Level, engines: Sequence[_NamedFactory], cause: str) -> Row:
    """Return the row of a level whose remaining rows an engine prevents, because it crashed or its
    motion diverges.
    """
    pair = engines[0][0], engines[-1][0]
    return Row(
        level=level,
        quantity="motion",
        engines=pair,
        tolerance=0.0,
        outcome=Outcome.UNKNOWN,
        cause=cause,
    )


def witnessed_rows(
    levels: Sequence[Level],
    mechanism: Mechanism,
    named: Sequence[_NamedFactory],
    seed: int,
    search: Search,
) -> Iterator[Row]:
    """Yield the rows of engines that read the file themselves and move.

    Args:
        levels: The levels; there are rows at the level of motion only.
        mechanism: The mechanism.
        named: The reference and the engines by name.
        seed: Seed of the random initial states.
        search: Where the engines find packages.
    """
    if Level.MOTION in levels:
        witnesses = {
            name: partial(_opened, factory=factory, search=search)
            for name, factory in named
            if is_witness_of_motion(factory)
        }
        moving = [(name, factory) for name, factory in named if not reads_file(factory)]
        yield from witness_rows(mechanism, moving, witnesses, seed)


def _opened(mechanism: Mechanism, factory: Factory, search: Search) -> Engine:
    return factory(mechanism, search)
