"""A source into PyBullet: prepared and checked as a whole first, then handed over body by body."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.bullet.client.client import Client
from bridge.bullet.client.engine_defaults import clear_pybullet_defaults
from bridge.bullet.client.flags import always, permitted
from bridge.bullet.client.stdout_capture import capture_stdout
from bridge.bullet.contact.coefficients import report_contacts, set_contacts
from bridge.bullet.contact.pair_filters import Pair, filtered, report_filters, report_policy, touches_itself
from bridge.bullet.geometry.mesh_files import MAX_PATH
from bridge.bullet.geometry.shapes import Shapes
from bridge.bullet.geometry.temporary_files import scratch
from bridge.bullet.handle.body import PyBulletBody
from bridge.bullet.handle.body_sequence import Bodies
from bridge.bullet.simulation.solver_constraints import Constraints, report_constraints
from bridge.bullet.simulation.split_links import seat
from bridge.bullet.simulation.state import State, pose_from
from bridge.bullet.urdf.articulation import Articulation, articulate
from bridge.bullet.urdf.document import urdf
from bridge.bullet.urdf.segments import TARGET
from bridge.geometry.convex_decomposition import CollisionMeshes, check_choice
from bridge.lowering.base import with_base
from bridge.lowering.inputs import Source, mechanism_of
from bridge.lowering.placement import placed
from bridge.lowering.scaling import scaled
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import default_position
from bridge.mechanism.couplings import with_followers
from loaders.diagnostics import Diagnostics, ExportError, Fate, without_repeats
from loaders.scene_queries.scoped_names import root_model
from loaders.spatial import IDENTITY, Pose

from .unsupported_features import report_losses


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """All that PyBullet is to be told."""

    mechanism: Mechanism
    articulations: list[Articulation]
    documents: list[str]
    excluded: frozenset[Pair]
    flags: int


def load_into_pybullet(  # noqa: PLR0913 - PyBullet's own arguments, with its own names
    source: Source,
    *,
    physicsClientId: Any = 0,
    basePosition: Sequence[float] | None = None,
    baseOrientation: Sequence[float] | None = None,
    useFixedBase: bool | None = None,
    globalScaling: float = 1.0,
    flags: int = 0,
    policy: str = "drake",
    collision_meshes: CollisionMeshes = "as_is",
    strict: bool = False,
    **load_options: Any,
) -> PyBulletBody | Bodies:
    """Instantiate a model or a world in PyBullet with the physics that it states.

    Nothing of PyBullet's world changes: no gravity, no time step. Motors and damping that PyBullet would add are off.

    Args:
        source: A file, a scene or a mechanism.
        physicsClientId: Where: PyBullet's id, or a ``BulletClient``.
        basePosition: Where the scene's world frame goes [m]; for a URDF that is where its root link goes.
        baseOrientation: The same, as a quaternion ``x y z w``.
        useFixedBase: True holds free links where they are, False frees what no moving joint holds; None is as the file
            says.
        globalScaling: Factor on all lengths; masses stay.
        flags: PyBullet's flags of ``loadURDF``; those that would change the model are ignored, with a diagnostic.
        policy: The rule for pairs of links that no filter names; see `loaders.scene_queries.excluded_pairs`.
        collision_meshes: How meshes collide: ``as_is`` is as the file says, which for PyBullet is the convex hull on
            links that move and the mesh itself on what the world holds, unless the file asks for the hull or a convex
            decomposition; ``hull`` is the convex hull everywhere; ``decompose`` takes apart every mesh that is not
            convex (`pip install "sdfbridge[convex]"`).
        strict: Whether anything that is lost is an error.
        **load_options: Of `loaders.load`, if ``source`` is a path.

    Returns:
        The body, which is PyBullet's id; a sequence of bodies for a world or where one model needs several.

    Raises:
        LoadError: if the file is wrong.
        ExportError: if PyBullet cannot hold the model; PyBullet is as before then.
        ValueError: if there is no such physics server, or for a policy or choice that there is not.
    """
    check_choice(collision_meshes, TARGET)
    client = Client(physicsClientId)
    mechanism = mechanism_of(source, **load_options)
    mechanism = _adapted(mechanism, _placement(basePosition, baseOrientation), useFixedBase, globalScaling)
    diagnostics = Diagnostics((*mechanism.scene.diagnostics, *mechanism.diagnostics))
    with scratch() as files:
        shapes = Shapes(files, diagnostics, collision_meshes)
        plan = _plan(mechanism, policy, flags, shapes, client, diagnostics)
        own = Diagnostics(entry for entry in diagnostics if entry.target == TARGET)
        own.raise_for(ExportError, strict=strict)
        return _carry_out(plan, client, diagnostics)


def _placement(position: Sequence[float] | None, xyzw: Sequence[float] | None) -> Pose:
    if position is None and xyzw is None:
        return IDENTITY
    return pose_from((0.0, 0.0, 0.0) if position is None else position, (0.0, 0.0, 0.0, 1.0) if xyzw is None else xyzw)


def _adapted(mechanism: Mechanism, X_WN: Pose, fixed: bool | None, scale: float) -> Mechanism:
    if not (scale > 0.0 and np.isfinite(scale)):
        raise ValueError(f"globalScaling must be positive, not {scale!r}")
    if scale != 1.0:
        mechanism = scaled(mechanism, scale)
    if X_WN is not IDENTITY:
        mechanism = placed(mechanism, X_WN)
    return mechanism if fixed is None else with_base(mechanism, fixed=bool(fixed))


# --- before PyBullet is touched --------------------------------------------------------------------------------------


def _plan(
    mechanism: Mechanism, policy: str, flags: int, shapes: Shapes, client: Client, diagnostics: Diagnostics
) -> _Plan:
    excluded = mechanism.scene.excluded_collision_pairs(policy)
    articulations = articulate(mechanism, diagnostics)
    report_losses(mechanism, diagnostics)
    report_contacts(articulations, diagnostics)
    report_constraints(mechanism, articulations, diagnostics)
    report_filters(articulations, excluded, diagnostics)
    report_policy(mechanism.scene, policy, diagnostics)
    documents = [shapes.files.file(urdf(articulation, shapes).encode(), ".urdf") for articulation in articulations]
    length = len(os.fsencode(shapes.files.folder))
    if length > MAX_PATH - 100:
        diagnostics.add(
            Fate.INVALID,
            "pybullet.long-path",
            "the temporary folder has a path of {length} bytes, too long for PyBullet",
            target=TARGET,
            hint="set TMPDIR to a shorter one",
            length=length,
        )
    return _Plan(
        mechanism=mechanism,
        articulations=articulations,
        documents=documents,
        excluded=excluded,
        flags=permitted(flags, client.modes, diagnostics),
    )


# --- PyBullet --------------------------------------------------------------------------------------------------------


def _carry_out(plan: _Plan, client: Client, diagnostics: Diagnostics) -> PyBulletBody | Bodies:
    states: list[State] = []
    try:
        with filtered(client, plan.articulations, plan.excluded) as bodies:
            for articulation, document in zip(plan.articulations, plan.documents, strict=True):
                bodies.append(_load(client, articulation, document, plan, diagnostics))
                states.append(State(client, bodies[-1], articulation))
                _check(states[-1])
                clear_pybullet_defaults(client, bodies[-1], articulation)
                set_contacts(client, bodies[-1], articulation)
        _start(plan.mechanism, states)
        constraints = Constraints(plan.mechanism, states)
        constraints.make()
    except BaseException:
        for state in states:
            client.removeBody(state.body)
        raise
    return _handle(plan, states, constraints, diagnostics)


def _load(client: Client, articulation: Articulation, document: str, plan: _Plan, diagnostics: Diagnostics) -> int:
    modes, lines = client.modes, list[str]()
    flags = always(modes)
    if touches_itself(articulation, plan.excluded):
        flags |= modes.URDF_USE_SELF_COLLISION | modes.URDF_USE_SELF_COLLISION_INCLUDE_PARENT
    X = articulation.X_WS
    w, *xyz = X.to_vector()[3:]
    try:
        with capture_stdout(lines):
            body: int = client.loadURDF(
                document, X.p.tolist(), [*xyz, w],
                useFixedBase=articulation.is_fixed, flags=flags | plan.flags,
            )  # fmt: skip
    except modes.error as error:
        said = "; ".join((str(error), *lines))
        diagnostics.add(
            Fate.INVALID,
            "pybullet.load-failed",
            "PyBullet does not load the body that model {model} became: {said}",
            target=TARGET,
            model=articulation.model,
            said=said,
        )
        raise ExportError(tuple(diagnostics)) from error
    for line in _worth_telling(lines):
        diagnostics.add(Fate.NOTED, "pybullet.console", "PyBullet printed: {line}", target=TARGET, line=line)
    return body


_EXPECTED = ("Bad inertia tensor properties", "No default visual for URDF_GEOM_PLANE")
"""What PyBullet says of inertias that are put right after loading, and of planes that nobody wants drawn."""


def _worth_telling(lines: list[str]) -> Iterator[str]:
    return (line for line in dict.fromkeys(lines) if not line.startswith(_EXPECTED))


def _check(state: State) -> None:
    """That PyBullet has the joints and links where they are expected; all later calls go by index."""
    found = [
        (info[1].decode(), info[12].decode())
        for info in (state.client.getJointInfo(state.body, i) for i in range(state.client.getNumJoints(state.body)))
    ]
    wanted = [(segment.joint, segment.name) for segment in state.articulation.segments[1:]]
    if found != wanted:
        raise RuntimeError(f"PyBullet has joints {found} where {wanted} were written")


def _start(mechanism: Mechanism, states: list[State]) -> None:
    """Put joints where the source starts from, and what is coupled to them where it belongs."""
    leaders = {mechanism.v_order[coupling.leader][0] for coupling in mechanism.couplings}
    q: dict[str, Any] = {}
    for body in mechanism.bodies:
        if body.joint is not None and body.source is not None and body.primitives:
            start = body.source.default_position
            if start or body.joint in leaders:
                q[body.joint] = start or default_position(body)
    q = with_followers(mechanism, q)
    for state in states:
        names = {body.joint for body in state.articulation.mechanism.bodies}
        state.set_positions({name: value for name, value in q.items() if name in names})
    seat(states)


def _handle(
    plan: _Plan, states: list[State], constraints: Constraints, diagnostics: Diagnostics
) -> PyBulletBody | Bodies:
    made = {name: tuple(ids) for name, ids in constraints.made.items()}
    everything = without_repeats(diagnostics)
    bodies = [PyBulletBody(state, made, everything) for state in states]
    is_one = len(bodies) == 1 and root_model(plan.mechanism.scene) is not None
    return bodies[0] if is_one else Bodies(bodies, plan.mechanism, made, everything)
