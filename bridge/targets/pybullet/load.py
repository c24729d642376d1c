"""load_into_pybullet: plan, then load with rollback."""

from __future__ import annotations

import math
import operator
import os
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, Literal, SupportsIndex, Unpack, cast, get_args

from bridge.choices import Base, CollisionMeshes, Exclude, Exclusion, Fit, Overlaps, Shapes
from bridge.geometry.cache import SETTLED, Stamp, stamp_of
from bridge.geometry.collision_shapes import ShapeChoice
from bridge.lowering.lower import report_overlaps
from bridge.lowering.transform import Source, loss_summary, mechanism_of, placed, scaled, switched
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.mechanism.coordinates import Position, initial_positions, positions_of
from bridge.robot_checks import doubts
from bridge.stdout_capture import capture_stdout
from bridge.targets.pybullet import codes
from bridge.targets.pybullet.articulation import report_refused_inertias
from bridge.targets.pybullet.geometry import urdf_text
from bridge.targets.report import Report
from loaders import LoadOptions
from loaders import codes as loaders_codes
from loaders.diagnostics import (
    Diagnostic,
    Diagnostics,
    ExportError,
    LossSummary,
    Where,
    without_repeats,
)
from loaders.files.folders import ENVIRONMENT
from loaders.files.read_file import note_file, note_files, recorded
from loaders.files.robot_descriptions import is_robot_name, search_folders, source_text
from loaders.finish.finish import MissingFileError
from loaders.limits import collector_paused
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.text import check_flag, check_option_names, check_option_value

from .articulation import Articulation, articulate
from .body import Bodies, BodyTraits, LoadedBody, PyBulletBody
from .client import BASE, TARGET, Client, RecordingClient, allowed_flags, required_flags
from .constraint import Constraints, has_constraints, report_constraints
from .contact import (
    LinkPair,
    PairFilters,
    contact_changes,
    filter_ahead,
    filter_loaded,
    pair_coefficients,
    pairs_of_body,
    report_contacts,
    report_filters,
    report_policy,
    set_filters,
    untouchable,
)
from .damping import adapt_to_step, clear_pybullet_defaults, with_limited_damping
from .features import report_unsupported_features
from .geometry import ShapeWriter
from .mesh import MAX_PATH, Drawing, TemporaryFiles, temporary_files
from .state import State, align_split_links, pose_of


def base_pose(position: Sequence[float] | None, xyzw: Sequence[float] | None) -> Pose:
    """Return the pose of ``basePosition`` and ``baseOrientation``; the identity if neither is
    given.

    Raises:
        ValueError: if a number is missing, superfluous or not finite, or if the quaternion is zero.
    """
    if position is None and xyzw is None:
        return IDENTITY
    return pose_of(
        (0.0, 0.0, 0.0) if position is None else position,
        (0.0, 0.0, 0.0, 1.0) if xyzw is None else xyzw,
        ("basePosition", "baseOrientation"),
    )


def refuse_maximal_coordinates(wanted: object) -> None:
    """Refuse ``useMaximalCoordinates``, with which PyBullet would solve joints as constraints.

    Raises:
        ValueError: if it is true.
    """
    if wanted:
        raise ValueError(
            "useMaximalCoordinates is not supported, since joints would then drift; omit it or "
            "pass False"
        )


def flag_bits(flags: object) -> int:
    """Return the caller's flags as bits.

    Raises:
        TypeError: if they are not a whole number.
    """
    try:
        return operator.index(cast(SupportsIndex, flags))
    except TypeError as error:
        raise TypeError(
            f"flags: expected PyBullet's flags, such as pybullet.URDF_ENABLE_SLEEPING, not "
            f"{flags!r}"
        ) from error


def given_source(source: Source | None, fileName: Source | None) -> Source:
    """Return the source, which may have the name that it has in ``loadURDF``.

    Raises:
        TypeError: if there is none, or if there are two.
    """
    if source is not None and fileName is not None:
        raise TypeError("source and fileName are two names of one argument; omit one of them")
    given = fileName if source is None else source
    if given is None:
        raise TypeError("expected a path, a Scene or a Mechanism as the first argument or fileName")
    return given


def find_source(source: Source, paths: Sequence[str | os.PathLike[str]] | None) -> Source:
    """Return a source; a relative path that is not there is searched in the folders, as
    ``loadURDF`` does.

    PyBullet cannot be asked for the folder of ``setAdditionalSearchPath``, so the caller passes it.

    Args:
        source: A path, a scene or a mechanism.
        paths: The folders.

    Raises:
        LoadError: if the file is in none of them; it is a `FileNotFoundError` too.
        TypeError: if the folders are no sequence of folders.
        ValueError: if the source is the text of a document, or if there is no such folder.
    """
    if not isinstance(source, str | os.PathLike) or is_robot_name(source_text(source, ())):
        return source
    if os.path.exists(source) or os.path.isabs(source):
        return source
    path, folders = Path(source), search_folders(paths)
    for folder in (Path(), *folders):
        note_file(folder / path)  # also where it is missing: it may appear
        if (folder / path).exists():
            return folder / path
    diagnostics = Diagnostics()
    diagnostics.add(
        loaders_codes.FILE_UNREADABLE_BY_PYBULLET,
        Where(os.fspath(path)),
        hint="check the name, or add its folder to paths" if folders else "",
        present=str(Path.cwd()),
        folders=tuple(map(os.fspath, folders)) or "[]",
    )
    raise MissingFileError(tuple(diagnostics))


Damping = Literal["limited", "exact"]
"""Damping that is unstable at the time step: limited to what is stable, or as the file states."""
_INVISIBLE = (1.0, 1.0, 1.0, 0.0)


def links_to_hide(articulation: Articulation, scene: Scene) -> list[int]:
    """Return PyBullet's indices of the links that have collisions but no visuals: they are
    invisible, as they are in Gazebo, RViz and MuJoCo.

    A scene without any visual keeps PyBullet's picture of its collisions; otherwise there would be
    nothing to see.

    Args:
        articulation: The articulation of the links.
        scene: The scene that it belongs to.
    """
    if not any(link.visuals for link in scene.links):
        return []
    links = [[carried.link for carried in segment.links] for segment in articulation.segments]
    return [
        index
        for index, own in enumerate(links, start=BASE)
        if any(link.collisions for link in own) and not any(link.visuals for link in own)
    ]


_BASES: dict[bool | None, Base] = {None: "as_is", True: "fixed", False: "free"}
"""The base by the value of ``useFixedBase``."""
_OPTIONS = {
    "basePosition", "baseOrientation", "useMaximalCoordinates", "useFixedBase", "flags",
    "globalScaling", "physicsClientId", "policy", "overlaps", "exclude", "exclude_samples",
    "exclude_seed", "collision_meshes", "shapes", "fit", "damping", "smooth_visuals",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """The options of a load that decide what is loaded, beside those of `loaders.load`."""

    base: Base
    scale: float
    flags: int
    policy: str | None
    overlaps: Overlaps
    exclusion: Exclusion
    shapes: ShapeChoice
    damping: Damping
    smooth_visuals: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _BodyPlan:
    """One body that is loaded into PyBullet."""

    articulation: Articulation
    document: bytes
    """The URDF document."""
    traits: BodyTraits
    flags: int
    """PyBullet's flags, beside those of the caller."""
    contacts: list[tuple[int, dict[str, float]]]
    """Index of a link, and its contact parameters."""
    hidden: list[int]
    """Indices of links that are invisible."""
    untouchable: list[int]
    """Indices of links that collide with nothing."""
    loaded: dict[int, LoadedBody] = field(default_factory=dict)
    """First of these bodies in each physics server, by its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """Everything that is loaded into PyBullet."""

    mechanism: Mechanism
    bodies: list[_BodyPlan]
    pairs: list[LinkPair]
    """The pairs of links to disable."""
    positions: dict[str, Position]
    """The default positions of the source, and the positions of coupled joints."""
    has_constraints: bool
    """Whether the bodies need constraints, such as those of couplings and loops."""
    flags: int

    def states_only_bases_in_world(self, *, turned: bool) -> bool:
        """Return whether `at` may move the plan, or turn it: no document, and no finding about a
        base that is fixed and turned, depends on it.
        """
        mechanism = self.mechanism
        in_world = (
            *mechanism.closures,
            *mechanism.constraints,
            *mechanism.force_elements,
            *mechanism.fluid_forces,
        )

        def states_only_base(a: Articulation) -> bool:
            base, links = a.mechanism.bodies[0], a.segments[0].links
            if not links:  # the link in place of the world
                return not turned
            has_base = bool(links) and links[0].link.name == base.name
            has_one_base = sum(body.parent == ROOT for body in a.mechanism.bodies) == 1
            is_placed = base.joint in self.positions or (a.is_fixed and turned)
            return has_base and has_one_base and not is_placed

        return not in_world and all(states_only_base(body.articulation) for body in self.bodies)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Prepared:
    """The plan of a source, before it is placed in the world."""

    source: Source
    """The source, found."""
    settings: _Settings
    mechanism: Mechanism
    plan: _Plan
    """The plan for a load at the identity."""
    findings: tuple[Diagnostic, ...]
    """Findings of reading, lowering and planning."""
    doubts: tuple[Diagnostic, ...]
    """Findings about doubtful numbers of the robot, which no ``strict`` refuses."""
    stamps: Mapping[str, Stamp | None]
    """Size and times of each file that was read, or looked for and missing."""
    variables: tuple[str | None, ...]
    """The environment variables with folders, as they were."""
    can_move: bool
    can_turn: bool
    """Whether the plan can be placed elsewhere as it is, and turned."""

    def can_be_at(self, X_WN: Pose) -> bool:
        """Return whether the plan can be placed at a pose as it is."""
        is_turned = X_WN.R is not IDENTITY.R and bool((X_WN.R != IDENTITY.R).any())
        return X_WN is IDENTITY or (self.can_turn if is_turned else self.can_move)

    def is_current(self) -> bool:
        """Return whether no file has changed, nor the folders in which files were looked for: where
        one was, there is more than one stamp.
        """
        has_searched = len(self.stamps) > 1
        if has_searched and self.variables != _variables():
            return False
        return all(stamp_of(path) == stamp for path, stamp in self.stamps.items())


def _variables() -> tuple[str | None, ...]:
    """Return the environment variables with folders in which files are looked for."""
    return tuple(map(os.environ.get, (*ENVIRONMENT, "SDFBRIDGE_CACHE")))


_MAX_PREPARED = 32
"""Number of sources that are kept prepared; the one that was not used for the longest time goes."""
_PREPARED: OrderedDict[object, _Prepared] = OrderedDict()


def forget_sources() -> None:
    """Read every source again at its next load."""
    _PREPARED.clear()


_UNKEPT = ("allow_xacro", "fetch", "finder", "limits", "xacro_args")
"""Options with which the result depends on more than files."""


def load_into_pybullet(  # noqa: PLR0913 - PyBullet's own arguments, with its own names
    source: Source | None = None,
    basePosition: Sequence[float] | None = None,
    baseOrientation: Sequence[float] | None = None,
    useMaximalCoordinates: bool = False,
    useFixedBase: bool | None = None,
    flags: int = 0,
    globalScaling: float = 1.0,
    physicsClientId: Any = 0,
    *,
    fileName: Source | None = None,
    policy: str | None = None,
    overlaps: Overlaps = "exclude",
    exclude: Exclude = "as_is",
    exclude_samples: int = 10_000,
    exclude_seed: int = 0,
    collision_meshes: CollisionMeshes = "as_is",
    shapes: Shapes = None,
    fit: Fit = "contain",
    damping: Damping = "limited",
    smooth_visuals: bool = False,
    **load_options: Unpack[LoadOptions],
) -> PyBulletBody | Bodies:
    """Load a model or a world into PyBullet with the physics that it states.

    The gravity and time step of the physics server stay as they are; `PyBulletBody.apply_physics`
    sets those of the file. The motors and the damping that PyBullet adds by default are disabled.

    The arguments ``source`` to ``physicsClientId`` have the names and the order of PyBullet's
    ``loadURDF``.

    Args:
        source: A path, a scene or a mechanism. A relative path is searched in the present folder,
            then in ``paths``.
        basePosition: Position of the scene's world frame [m]; for a URDF it is that of the root
            link.
        baseOrientation: Orientation of the scene's world frame, as a quaternion ``x y z w``.
        useMaximalCoordinates: True is refused.
        useFixedBase: True fixes free links to the world, False frees the links that only welds
            hold, None leaves both as the file states.
        flags: PyBullet's flags of ``loadURDF``; those that would change the model are ignored, with
            a diagnostic.
        globalScaling: Factor on all lengths; masses stay.
        physicsClientId: The physics server: its id, or a ``BulletClient``.
        fileName: The source, by the name that it has in ``loadURDF``.
        policy: The rule for pairs of links that no collision filter names; see
            `loaders.collision_pairs`. None is that of the source's format.
        overlaps: The links of a URDF that overlap initially. ``exclude`` lets them not collide,
            because a URDF does not state which links do; ``keep`` lets them collide.
        exclude: The pairs of links that do not collide: ``as_is`` follows the source; ``sampled``
            adds the links that are adjacent, that overlap initially, and that touch always or never
            at random positions, as MoveIt's setup assistant does.
        exclude_samples: Number of random positions of ``sampled``.
        exclude_seed: Seed of the random positions.
        collision_meshes: The collision geometry of meshes. ``as_is`` follows the file: on moving
            links the separate convex parts of a mesh that consists of such, or else its convex
            hull; on links welded to the world the mesh itself, unless the file asks for a hull or a
            convex decomposition. ``hull`` is the convex hull everywhere.
            ``decompose`` divides every mesh that is not convex into convex parts (`pip install
            "sdfbridge[convex]"`).
        shapes: The collision shape of the meshes of each link, by name or pattern of links; see
            `bridge.to_mjcf`.
        fit: Whether a fitted shape contains the mesh (``contain``), or is the closest to it
            (``closest``).
        damping: Damping of joints that is unstable at the time step of the physics server:
            ``limited`` to what stops the joint within one step, with a finding, or ``exact``, the
            number of the file.
        smooth_visuals: Whether round visuals are smooth meshes. False lets PyBullet draw them, with
            facets; ``getVisualShapeData`` then has the shapes and sizes of the file.
        load_options: The options of `loaders.load`. ``strict=True`` makes everything that is lost
            or approximated an error, in reading and in PyBullet; the others apply if ``source`` is
            a path.

    Returns:
        The body, which is PyBullet's body id, if PyBullet holds the file as one body; otherwise a
        sequence of bodies, for several models and for a model that PyBullet cannot hold in one
        body. `load_world_into_pybullet` returns a sequence in every case.

    Raises:
        LoadError: if the file has errors, or there is none; the error is then a `FileNotFoundError`
        too.
        ExportError: if PyBullet cannot hold the model; PyBullet is unchanged in this case.
        TypeError: if an option is unknown, or the source is not a path, a scene or a mechanism.
        ValueError: if no physics server has the id, or for an invalid pose, policy, choice or
        scale.

    Example:
        >>> import pybullet
        >>> from bridge import load_into_pybullet
        >>> client = pybullet.connect(pybullet.DIRECT)
        >>> robot = load_into_pybullet("assets/double_pendulum.urdf", physicsClientId=client)
        >>> robot.set_positions({"elbow": 0.3})
        >>> joint = robot.joints["elbow"]
        >>> round(pybullet.getJointState(robot, joint, physicsClientId=client)[0], 9)
        0.3
        >>> pybullet.disconnect(client)
    """
    options = {
        "useMaximalCoordinates": useMaximalCoordinates,
        "useFixedBase": useFixedBase,
        "flags": flags,
        "globalScaling": globalScaling,
        "policy": policy,
        "overlaps": overlaps,
        "exclude": exclude,
        "exclude_samples": exclude_samples,
        "exclude_seed": exclude_seed,
        "collision_meshes": collision_meshes,
        "shapes": shapes,
        "fit": fit,
        "damping": damping,
        "smooth_visuals": smooth_visuals,
    }
    places = [base_pose(basePosition, baseOrientation)]
    given = given_source(source, fileName)
    return _load_copies(given, physicsClientId, places, options, load_options)[0]


def _settings(  # noqa: PLR0913 - the options of both functions
    load_options: LoadOptions,
    *,
    useMaximalCoordinates: bool = False,
    useFixedBase: bool | None = None,
    flags: int = 0,
    globalScaling: float = 1.0,
    policy: str | None = None,
    overlaps: Overlaps = "exclude",
    exclude: Exclude = "as_is",
    exclude_samples: int = 10_000,
    exclude_seed: int = 0,
    collision_meshes: CollisionMeshes = "as_is",
    shapes: Shapes = None,
    fit: Fit = "contain",
    damping: Damping = "limited",
    smooth_visuals: bool = False,
) -> _Settings:
    """Return the checked options of a load."""
    check_option_names(load_options, LoadOptions, _OPTIONS)
    check_option_value("damping", damping, get_args(Damping))
    check_flag("smooth_visuals", smooth_visuals)
    if useFixedBase is not None:
        check_flag("useFixedBase", useFixedBase)
    refuse_maximal_coordinates(useMaximalCoordinates)
    return _Settings(
        base=_BASES[useFixedBase],
        scale=_checked_scale(globalScaling),
        flags=flag_bits(flags),
        policy=policy,
        overlaps=overlaps,
        exclusion=Exclusion(exclude=exclude, samples=exclude_samples, seed=exclude_seed),
        shapes=ShapeChoice.of(shapes, fit, collision_meshes),
        damping=damping,
        smooth_visuals=bool(smooth_visuals),
    )


def load_copies_into_pybullet(
    source: Source,
    basePositions: Sequence[Sequence[float]],
    baseOrientations: Sequence[Sequence[float]] | None = None,
    *,
    physicsClientId: Any = 0,
    **options: Any,
) -> tuple[PyBulletBody | Bodies, ...]:
    """Load several copies of a model or a world into PyBullet; it is read once.

    Args:
        source: A path, a scene or a mechanism.
        basePositions: Position of each copy, as for `load_into_pybullet` [m].
        baseOrientations: Orientation of each copy, as a quaternion ``x y z w``; None for the
            identity.
        physicsClientId: The physics server: its id, or a ``BulletClient``.
        options: The other options of `load_into_pybullet`, by name.

    Returns:
        What `load_into_pybullet` returns, for each copy. Each has its own findings.

    Raises:
        LoadError: if the file has errors, or there is none.
        ExportError: if PyBullet cannot hold the model; PyBullet is unchanged in this case.
        TypeError: if an option is unknown, or the source is not a path, a scene or a mechanism.
        ValueError: if there are not as many orientations as positions, and as for
            `load_into_pybullet`.

    Example:
        >>> import pybullet
        >>> from bridge import load_copies_into_pybullet
        >>> client = pybullet.connect(pybullet.DIRECT)
        >>> path, places = "assets/double_pendulum.urdf", [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
        >>> robots = load_copies_into_pybullet(path, places, physicsClientId=client)
        >>> [robot.link_pose("upper").p[0].round(9).item() for robot in robots]
        [0.0, 1.0, 2.0]
        >>> pybullet.disconnect(client)
    """
    own = {name: options.pop(name) for name in sorted(_OPTIONS & options.keys())}
    turns: Sequence[Sequence[float] | None] = [None] * len(basePositions)
    if baseOrientations is not None:
        turns = baseOrientations
    if len(turns) != len(basePositions):
        raise ValueError(
            f"expected as many baseOrientations as basePositions, {len(basePositions)}, not "
            f"{len(turns)}"
        )
    places = [base_pose(p, q) for p, q in zip(basePositions, turns, strict=True)]
    return _load_copies(source, physicsClientId, places, own, cast(LoadOptions, options))


def _load_copies(
    source: Source,
    server: Any,
    places: Sequence[Pose],
    options: Mapping[str, Any],
    load_options: LoadOptions,
) -> tuple[PyBulletBody | Bodies, ...]:
    client, start = Client(server), time.time_ns()
    key = _key(source, client, options, load_options)
    prepared = _current(key)
    if prepared is not None and all(map(prepared.can_be_at, places)):
        copies = _placed_copies(prepared, places, client, None, load_options)
        found = (*copies[0].diagnostics, *prepared.doubts) if copies else ()
        LossSummary.repeat(prepared.source, load_options, found)
        return copies
    paths, strict = set[str](), load_options.get("strict", False)
    if prepared is None:
        settings = _settings(load_options, **options)
        with recorded(lambda path, _: paths.add(path)):
            source = find_source(source, load_options.get("paths"))
    else:
        source = prepared.source
    summary = loss_summary(source, load_options)
    with summary as losses, temporary_files() as files, collector_paused():
        if prepared is None:
            prepared = _prepared(source, client, settings, load_options, files, paths)
            Diagnostics(prepared.findings).raise_for(ExportError, strict=strict)
            if not files:
                _keep(key, prepared, start)
        copies = _placed_copies(prepared, places, client, files, load_options)
        is_path = isinstance(source, str | os.PathLike)
        known = () if is_path else prepared.mechanism.scene.diagnostics
        losses.add((*copies[0].diagnostics, *prepared.doubts) if copies else (), without=known)
    return copies


def _placed_copies(
    prepared: _Prepared,
    places: Sequence[Pose],
    client: Client,
    files: TemporaryFiles | None,
    load_options: LoadOptions,
) -> tuple[PyBulletBody | Bodies, ...]:
    """Load a source at each of several poses, or at none."""
    copies: list[PyBulletBody | Bodies] = []
    try:
        for X_WN in places:
            plan, findings, X_WP = prepared.plan, prepared.findings, X_WN
            if files is not None and not prepared.can_be_at(X_WN):
                plan, findings = _planned_at(prepared, X_WN, client, files, load_options)
                X_WP = IDENTITY  # the plan itself is at the pose
            copies.append(_load_plan(plan, X_WP, client, findings))
    except BaseException:
        for copy in copies:
            copy.remove()
        raise
    return tuple(copies)


def _planned_at(
    prepared: _Prepared,
    X_WN: Pose,
    client: Client,
    files: TemporaryFiles,
    load_options: LoadOptions,
) -> tuple[_Plan, tuple[Diagnostic, ...]]:
    """Return the plan of a source at a pose, and the findings."""
    mechanism = placed(prepared.mechanism, X_WN)
    diagnostics = Diagnostics((*mechanism.scene.diagnostics, *mechanism.diagnostics))
    plan = _plan(mechanism, prepared.settings, client, files, diagnostics)
    diagnostics.raise_for(ExportError, strict=load_options.get("strict", False))
    return plan, without_repeats(diagnostics)


def _current(key: object | None) -> _Prepared | None:
    """Return a source that was loaded before, if no file has changed."""
    found = None if key is None else _PREPARED.pop(key, None)
    if found is None or not found.is_current():
        return None
    _PREPARED[key] = found
    note_files(found.stamps)
    return found


def _keep(key: object | None, prepared: _Prepared, start: int) -> None:
    """Keep a source for the next load; not one that depends on more than its key, or of which a
    file has just changed.

    Args:
        key: All but the files that the load depends on.
        prepared: The source.
        start: The time before it was read [ns].
    """
    newest = max((max(stamp[1:]) for stamp in prepared.stamps.values() if stamp), default=start)
    if key is not None and newest < start - SETTLED:
        _PREPARED[key] = prepared
        if len(_PREPARED) > _MAX_PREPARED:
            _PREPARED.popitem(last=False)


def _prepared(
    source: Source,
    client: Client,
    settings: _Settings,
    load_options: LoadOptions,
    files: TemporaryFiles,
    paths: set[str],
) -> _Prepared:
    """Return a source as it is to be loaded; the files on which it depends are added to
    ``paths``.
    """
    with recorded(lambda path, _: paths.add(path)):
        mechanism = mechanism_of(
            source,
            base=settings.base,
            overlaps=settings.overlaps,
            shapes=settings.shapes,
            target=TARGET,
            exclusion=settings.exclusion,
            **load_options,
        )
        doubtful = doubts(mechanism, load_options.get("limits"))
        if settings.scale != 1.0:
            mechanism = scaled(mechanism, settings.scale)
        mechanism = switched(mechanism)
        diagnostics = Diagnostics((*mechanism.scene.diagnostics, *mechanism.diagnostics))
        plan = _plan(mechanism, settings, client, files, diagnostics)
    return _Prepared(
        source=source,
        settings=settings,
        mechanism=mechanism,
        plan=plan,
        findings=without_repeats(diagnostics),
        doubts=doubtful,
        stamps={path: stamp_of(path) for path in paths},
        variables=_variables(),
        can_move=plan.states_only_bases_in_world(turned=False),
        can_turn=plan.states_only_bases_in_world(turned=True),
    )


def _key(
    source: Source, client: Client, options: Mapping[str, Any], load_options: LoadOptions
) -> object | None:
    """Return all but the files and their folders that a load depends on; None if it depends on
    more.
    """
    if not isinstance(source, str | os.PathLike) or any(map(load_options.get, _UNKEPT)):
        return None
    place = os.fspath(source)
    if not isinstance(place, str) or is_robot_name(place):
        return None
    if not isinstance(load_options.get("paths"), list | tuple | None):
        return None
    own = {name: value for name, value in load_options.items() if name != "quiet"}
    step = client.modes.getPhysicsEngineParameters(client.id)["fixedTimeStep"]
    return os.getcwd(), place, repr(options), repr(own), step


def load_world_into_pybullet(
    source: Source | None = None, *arguments: Any, fileName: Source | None = None, **options: Any
) -> Bodies:
    """Load a model or a world into PyBullet as a sequence of bodies, also if there is one body only
    or none.

    Args:
        source: See `load_into_pybullet`.
        fileName: The source, by the name that it has in ``loadURDF``.
        arguments: The further arguments of `load_into_pybullet`, in its order.
        options: The options of `load_into_pybullet`.

    Returns:
        The bodies: by number, by the name of their model, and as one mechanism.

    Raises:
        LoadError: if the file has errors.
        ExportError: if PyBullet cannot hold the model; PyBullet is unchanged in this case.
    """
    source = given_source(source, fileName)
    with loss_summary(source, cast(LoadOptions, options)):
        loaded = load_into_pybullet(source, *arguments, **options)
    return loaded if isinstance(loaded, Bodies) else Bodies.of(loaded)


def _checked_scale(scale: float) -> float:
    if not isinstance(scale, Real) or not 0.0 < float(scale) < math.inf:
        raise ValueError(f"invalid globalScaling {scale!r}; expected a positive number")
    return float(scale)


# --- preparation, without changes in PyBullet -----------------------------------------------------


def _plan(
    mechanism: Mechanism,
    settings: _Settings,
    client: Client,
    files: TemporaryFiles,
    diagnostics: Diagnostics,
) -> _Plan:
    report = Report(TARGET, diagnostics)
    policy = mechanism.default_policy if settings.policy is None else settings.policy
    excluded = mechanism.excluded_pairs(policy)
    report_overlaps(mechanism, policy, diagnostics)
    positions = initial_positions(mechanism)
    articulations = with_limited_damping(
        articulate(mechanism, report), positions, client, report, exact=settings.damping == "exact"
    )
    filters = PairFilters(
        articulations=articulations, body_index=mechanism.body_index, excluded=excluded
    )
    coefficients = pair_coefficients(mechanism, excluded)
    report_unsupported_features(mechanism, report, coefficients.obeyed_settings())
    report_contacts(articulations, coefficients, report)
    report_constraints(mechanism, articulations, report)
    report_refused_inertias(articulations, report)
    report_filters(mechanism, filters, report)
    report_policy(mechanism.scene, policy, report)
    documents, shapes = _documents(articulations, filters, settings, files)
    bodies = []
    for articulation, document in zip(articulations, documents, strict=True):
        bodies.append(
            _BodyPlan(
                articulation=articulation,
                document=document.encode(),
                traits=BodyTraits.of(articulation),
                flags=_flags(client.modes, filters.collides_with_itself(articulation)),
                contacts=contact_changes(articulation, coefficients),
                hidden=links_to_hide(articulation, mechanism.scene),
                untouchable=untouchable(articulation, mechanism, policy),
            )
        )
    shapes.report(diagnostics)
    if shapes.drawing.largest is not None:
        report.add(codes.TEXTURE_SIZE, size=shapes.drawing.largest)
    _check_folder(shapes.files.folder, report)
    return _Plan(
        mechanism=mechanism,
        bodies=bodies,
        pairs=filters.forbidden(),
        positions=positions,
        has_constraints=has_constraints(mechanism, articulations),
        flags=allowed_flags(
            settings.flags, client.modes, report, is_file_order=_is_file_order(mechanism)
        ),
    )


_MOST_PIXELS = 80_000_000
"""Largest number of pixels of the textures of all visuals; PyBullet keeps 4.6 bytes of each."""
_SIZES = (None, 1024, 512, 256)
"""Largest widths and heights of textures; the first with no more pixels than that is taken."""


def _documents(
    articulations: Sequence[Articulation],
    filters: PairFilters,
    settings: _Settings,
    files: TemporaryFiles,
) -> tuple[list[str], ShapeWriter]:
    """Return the URDF document of each body, and the shapes that they name."""
    for largest in _SIZES:
        shapes = ShapeWriter(files, Drawing(settings.smooth_visuals, largest))
        documents = [
            urdf_text(body, shapes, collides_with_itself=filters.collides_with_itself(body))
            for body in articulations
        ]
        if shapes.pixels <= _MOST_PIXELS:
            break
    return documents, shapes


def _is_file_order(mechanism: Mechanism) -> bool:
    """Return whether the links of the mechanism are in the order in which the source lists them."""
    names = [body.name for body in mechanism.bodies]
    known = set(names)
    return names == [link.name for link in mechanism.scene.links if link.name in known]


def _check_folder(folder: str, report: Report) -> None:
    length = len(os.fsencode(folder))
    if length > MAX_PATH - 100:
        report.add(codes.LONG_PATH, length=length)


# --- loading --------------------------------------------------------------------------------------


def _load_plan(
    plan: _Plan, X_WN: Pose, client: Client, findings: tuple[Diagnostic, ...]
) -> PyBulletBody | Bodies:
    """Load a plan at a place; the handle has its findings and those of loading."""
    states: list[State] = []
    pairs, new, constraints = plan.pairs, list[Diagnostic](), None
    expected: list[int] = []
    try:
        if pairs:
            expected = filter_ahead(client, pairs, len(plan.bodies))
        for planned in plan.bodies:
            articulation = planned.articulation.moved(X_WN)
            states.append(_load_body(plan, planned, articulation, client, new))
        if pairs:
            filter_loaded(client, pairs, expected, [state.body for state in states])
        if plan.has_constraints:
            align_split_links(states)
            constraints = Constraints(plan.mechanism, states)
            constraints.create_all()
    except BaseException:
        for planned in plan.bodies:
            planned.loaded.clear()
        ids = [state.body for state in states]
        for body in ids:
            client.removeBody(body)
        for each in (expected, ids if len(ids) == len(plan.bodies) else []):
            set_filters(client, pairs if each else [], each, enabled=1)
        raise
    if new:
        findings = without_repeats((*findings, *new))
    return _handle(plan, X_WN, states, constraints, findings)


def _flags(modes: Any, collides_with_itself: bool) -> int:
    """Return the flags that a body is loaded with."""
    if not collides_with_itself:
        return required_flags(modes)
    own: int = modes.URDF_USE_SELF_COLLISION | modes.URDF_USE_SELF_COLLISION_INCLUDE_PARENT
    return required_flags(modes) | own


def _load_body(
    plan: _Plan,
    planned: _BodyPlan,
    articulation: Articulation,
    client: Client,
    new: list[Diagnostic],
) -> State:
    """Return the state of a new body. Of a document that a server has read before, it gets the
    calls that the first body needed.
    """
    flags, layout = plan.flags | planned.flags, planned.traits.layout
    known = planned.loaded.get(client.id)
    if known is not None:
        body = _load_again(client, known, articulation, flags, new)
        if body is None:
            with temporary_files() as files:
                path = files.write(planned.document, ".urdf", known.path)
                body, _ = _load_document(client, articulation, path, flags, new)
        for function, arguments, options in known.calls:
            function(body, *arguments, **options)
        return State(client, body, articulation, layout, known.names)
    with temporary_files() as files:
        path = files.write(planned.document, ".urdf")
        body, is_silent = _load_document(client, articulation, path, flags, new)
    names, recorder = client.getBodyInfo(body), RecordingClient(client)
    state = State(recorder, body, articulation, layout, names)
    try:
        step = _configure(plan, planned, state)
    except BaseException:
        client.removeBody(body)
        raise
    planned.loaded[client.id] = LoadedBody(
        path=path,
        body=body,
        is_silent=is_silent,
        names=names,
        calls=tuple(recorder.calls),
        start=tuple(state.read_positions()),
        X_WN=articulation.X_WN,
        step=step,
    )
    return replace(state, client=client)


def _load_again(
    client: Client, known: LoadedBody, articulation: Articulation, flags: int, new: list[Diagnostic]
) -> int | None:
    """Return the id of a new body of a document whose text a server keeps; None if it is another
    server, with the id of one that was closed, or perhaps is.
    """
    modes = client.modes
    if not modes.getNumBodies(client.id):
        return None
    try:
        if known.is_silent and modes.getBodyInfo(known.body, client.id) == known.names:
            body: int = modes.loadURDF(
                known.path,
                *articulation.start,
                useFixedBase=articulation.is_fixed,
                flags=flags,
                physicsClientId=client.id,
            )
            return body
    except modes.error:  # the first body was removed
        pass
    with suppress(ExportError):
        return _load_document(client, articulation, known.path, flags, new)[0]
    return None


def _configure(plan: _Plan, planned: _BodyPlan, state: State) -> float:
    """Set what the document of a new body cannot state, and return the present time step [s]."""
    client, body, articulation = state.client, state.body, state.articulation
    _check_indices(state)
    clear_pybullet_defaults(client, body, articulation)
    for index, parameters in planned.contacts:
        client.changeDynamics(body, index, **parameters)
    for index in planned.hidden:
        client.changeVisualShape(body, index, rgbaColor=_INVISIBLE)
    for index in planned.untouchable:
        client.setCollisionFilterGroupMask(body, index, 0, 0)
    state.set_positions(positions_of(articulation.mechanism.bodies, plan.positions))
    return adapt_to_step(client, body, articulation)


def _load_document(
    client: Client, articulation: Articulation, path: str, flags: int, new: list[Diagnostic]
) -> tuple[int, bool]:
    """Return the id of a new body, and whether the server printed nothing."""
    modes, lines, diagnostics = client.modes, list[str](), Diagnostics()
    everything = bool(flags & modes.URDF_PRINT_URDF_INFO)
    try:
        with capture_stdout(lines, everything=everything) as capture:
            body: int = client.loadURDF(
                path, *articulation.start, useFixedBase=articulation.is_fixed, flags=flags
            )
    except modes.error as error:
        diagnostics.add(
            codes.LOAD_FAILED,
            target=TARGET,
            subjects=(articulation.model,),
            model=articulation.model,
            output="; ".join((str(error), *lines)),
        )
        raise ExportError(tuple(diagnostics)) from error
    for line in dict.fromkeys(lines):
        if not line.startswith(_EXPECTED):
            diagnostics.add(codes.CONSOLE, target=TARGET, subjects=(articulation.model,), line=line)
    new += diagnostics
    return body, not capture.has_text


_EXPECTED = "No default visual for URDF_GEOM_PLANE"
"""Output of PyBullet about planes without a visual."""


def _check_indices(state: State) -> None:
    """Check that PyBullet has joints and links in the order of the document, because later calls
    use indices.
    """
    info_of = state.client.getJointInfo
    infos = (info_of(state.body, i) for i in range(state.client.getNumJoints(state.body)))
    loaded = [(info[1].decode(), info[12].decode()) for info in infos]
    expected = [(segment.joint, segment.name) for segment in state.articulation.segments[1:]]
    if loaded != expected:
        raise RuntimeError(f"PyBullet loaded the joints and links {loaded}; expected {expected}")


def _handle(
    plan: _Plan,
    X_WN: Pose,
    states: list[State],
    constraints: Constraints | None,
    findings: tuple[Diagnostic, ...],
) -> PyBulletBody | Bodies:
    created = {name: tuple(ids) for name, ids in constraints.created.items()} if constraints else {}
    gears = constraints.gears if constraints else []
    ids, bodies = [state.body for state in states], []
    for planned, state in zip(plan.bodies, states, strict=True):
        first = planned.loaded[state.client.id]
        body = PyBulletBody(
            state,
            planned.traits,
            created,
            findings,
            partial(pairs_of_body, plan.pairs, ids, state.body),
            [gear for gear in gears if gear.leader[0] == state.body],
            step=first.step,
            start=partial(first.start_of, state),
        )
        bodies.append(body)
    if len(bodies) == 1:
        return bodies[0]
    mechanism = plan.mechanism if X_WN is IDENTITY else placed(plan.mechanism, X_WN)
    return Bodies(bodies, mechanism, created, findings)
