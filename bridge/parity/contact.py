"""Contact scenarios: rest height, standing, columns and stacks.

Every simulator has its own contact model, so results are not equal: each scenario has its own
tolerance, which its row states. For the rest height the model itself, as one rigid body, is dropped
on a plane, and its lowest point must end up on the plane; a robot with feet stands on them at its
home position. Columns that topple and stacks are standard cases in exports with the physics of the
model, its options and flags but for a medium and sleep: bodies with a surface of the model on a
plane with the same surface, compared with closed forms at two time steps. What single contacts of
the model do is measured in `bridge.parity.touching`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bridge import codes
from bridge.geometry.shapes import (
    SupportFunction,
)
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body
from bridge.mechanism.coordinates import Position
from loaders.collision_pairs import exerts_forces
from loaders.diagnostics import Diagnostic
from loaders.engine_settings import FLUID, MUJOCO, grip_of, with_override
from loaders.finish.mesh_check import with_meshes_as_they_are
from loaders.inertia import SpatialInertia
from loaders.model import (
    Box,
    Collision,
    FilterGroup,
    FilterRule,
    Friction,
    Joint,
    JointType,
    Link,
    Model,
    Physics,
    Plane,
    Sphere,
    Surface,
    settings_of,
)
from loaders.pose import IDENTITY, Array, Pose, frozen, skew
from loaders.scene import Scene
from loaders.text import counted

from .bounds.contact import Softness
from .causes import CONTACT_MODEL, Cause, cause_of
from .engine import (
    DivergedError,
    Engine,
    Factory,
    NotReportedError,
    as_exported,
    solves_constraints,
)
from .engines.pybullet.engine import CONTACT_MARGIN
from .quantity import LOST_SHAPE
from .touching import moved_support, outermost_point, support_of
from .verdict import EXACT_MOTION, Level, Outcome, Row, explained

CLEARANCE = 1e-3
"""Initial height of the lowest point above the plane [m]."""
MIN_MASS = 1e-5
"""Mass up to which a tree of links counts as massless [kg]."""
GROUND = "parity ground"
"""The name of the link with the plane."""
CONTACT_SOFTNESS = (0.95 * 0.02) ** 2 * (1.0 - 0.9) / 0.9**2
"""Penetration at rest over the weight per inverse mass, of MuJoCo's default contacts [s^2].

It follows from the default ``solref`` time constant of 0.02 s and ``solimp`` impedances of 0.9 and
0.95. No default contact of another engine is softer."""
G = 9.8
"""Gravity in all contact scenarios [m/s^2]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestScenario:
    """The heaviest tree of a model as one rigid body above a plane.

    Attributes:
        scene: The scene to simulate.
        allowed_penetration: Penetration of each link if it carries the whole weight [m].
        shapes: Link, pose on the link and support function of each collision shape.
    """

    scene: Scene
    allowed_penetration: Mapping[str, float]
    shapes: tuple[tuple[str, Pose, SupportFunction], ...]

    def lowest(self, poses: Mapping[str, Pose]) -> tuple[float, str]:
        """Return the height of the lowest point of all shapes above the plane [m], and its link."""
        heights = []
        for link, X_LG, support in self.shapes:
            X_WG = poses[link] @ X_LG
            heights.append((float(X_WG.p[2]) - support(-X_WG.R[2]), link))
        return min(heights)

    def size(self) -> float:
        """Return the longest edge of the bounding box [m]."""
        poses = {link.name: link.X_WL for link in self.scene.links}
        placed = [(poses[link] @ X_LG, support) for link, X_LG, support in self.shapes]
        edges = []
        for axis in np.eye(3):
            up = max(float(axis @ X.p) + support(X.R.T @ axis) for X, support in placed)
            down = max(-float(axis @ X.p) + support(-X.R.T @ axis) for X, support in placed)
            edges.append(up + down)
        return max(edges)


def rest_scenario(
    mechanism: Mechanism, q: Mapping[str, Position] | None = None, clearance: float = CLEARANCE
) -> RestScenario | str:
    """Return the rest scenario of a model, or the reason why there is none.

    Args:
        mechanism: The mechanism.
        q: The positions at which its joints are held; None for zero.
        clearance: Initial height of the lowest point above the plane [m].
    """
    tree = _heaviest_tree(mechanism)
    if not tree:
        return "no tree of links has both mass and collision shapes"
    links = [
        with_meshes_as_they_are(dataclasses.replace(body.link, inertia=body.inertia))
        for body in tree
    ]
    shapes = []
    for link in links:
        for collision in filter(exerts_forces, link.collisions):
            support = support_of(collision.geometry)
            if support is None:
                return (
                    f"the {type(collision.geometry).__name__.lower()} of link {link.name} has "
                    f"no lowest point"
                )
            shapes.append((link.name, collision.X_LG, support))
    poses = mechanism.link_poses(q or {})
    penetration = _allowed_penetration(links, poses)
    scenario = RestScenario(
        scene=mechanism.scene, allowed_penetration=penetration, shapes=tuple(shapes)
    )
    height, _ = scenario.lowest(poses)
    if not math.isfinite(height):
        return "none of the meshes of the collision shapes can be read"
    lift = Pose.of(p=(0.0, 0.0, clearance - height))
    return dataclasses.replace(
        scenario, scene=_rigid_scene(links, {name: lift @ pose for name, pose in poses.items()})
    )


def _heaviest_tree(mechanism: Mechanism) -> list[Body]:
    """Return the heaviest tree that has collision shapes and can fall; empty if there is none."""
    trees: list[list[Body]] = []
    tree_of: list[int] = []
    for body in mechanism.bodies:
        tree_of.append(len(trees) if body.parent == ROOT else tree_of[body.parent])
        if body.parent == ROOT:
            trees.append([])
        trees[tree_of[-1]].append(body)
    heaviest, most = list[Body](), MIN_MASS
    for tree in trees:
        mass = sum(body.inertia.mass for body in tree)
        shapes = [shape for body in tree for shape in body.link.collisions]
        has_shapes = any(map(exerts_forces, shapes))
        can_fall = tree[0].joint is not None and tree[0].link.gravity
        if can_fall and has_shapes and mass > most:
            heaviest, most = tree, mass
    return heaviest


def _rigid_scene(links: list[Link], poses: Mapping[str, Pose]) -> Scene:
    """All links welded to the first one, which is free, without collisions among them."""
    names = [link.name for link in links]
    root = poses[names[0]]
    moved = [
        dataclasses.replace(
            link,
            model="rigid",
            X_WL=poses[link.name],
            visuals=(),
            sensors=(),
            gravity=True,
            kinematic=False,
        )
        for link in links
    ]
    welds = [
        Joint(
            name=f"weld {name}",
            type=JointType.FIXED,
            parent=names[0],
            child=name,
            X_PJ=root.inverse() @ poses[name],
            X_CJ=IDENTITY,
        )
        for name in names[1:]
    ]
    plane = Collision(name="plane", X_LG=IDENTITY, geometry=Plane())
    ground = Link(name=GROUND, model=GROUND, X_WL=IDENTITY, collisions=(plane,))
    models = (
        Model(name=GROUND, X_WM=IDENTITY, canonical_link=GROUND, static=True),
        Model(name="rigid", X_WM=IDENTITY, canonical_link=names[0]),
    )
    return Scene(
        name="rest",
        models=models,
        links=(ground, *moved),
        joints=tuple(welds),
        physics=Physics(),
        filter_groups=(FilterGroup(name="rigid", links=tuple(names)),),
        filter_rules=(FilterRule(a="rigid", b="rigid"),),
    )


def _allowed_penetration(links: Sequence[Link], poses: Mapping[str, Pose]) -> dict[str, float]:
    """Return the penetration that the softness of the engines and the stiffness of each link allow
    [m].

    The softness of a contact is multiplied by the inverse mass of the body at the link's center of
    mass, averaged over three directions, which grows with the distance from the center of mass of
    the body.
    """
    inertias = {
        link.name: link.inertia.moved(poses[link.name])
        for link in links
        if link.inertia is not None
    }
    total = functools.reduce(operator.add, inertias.values())
    inverse = np.linalg.pinv(total.I_Lcm, hermitian=True)
    penetration = {}
    for link in links:
        lever = (
            skew(inertias[link.name].p_LLcm - total.p_LLcm)
            if link.name in inertias
            else np.zeros((3, 3))
        )
        softness = CONTACT_SOFTNESS * (
            1.0 + total.mass * float(np.trace(lever @ inverse @ lever.T)) / 3.0
        )
        springs = [c.surface.stiffness for c in link.collisions if c.surface.stiffness]
        penetration[link.name] = G * (softness + (total.mass / min(springs) if springs else 0.0))
    return penetration


STEP = 1e-3
"""Largest time step [s]; each scenario runs with that of the model, if it is less, and with half of
it."""
HEIGHT_SAMPLES, MAX_WINDOWS = 25, 12
"""Number of height samples in half a second, and number of such windows in which a model must come
to rest."""
_STACKED = 3 / 4 + 2 * 2 / 4 + 2 * 1 / 4
"""Height of a stack of three cubes that a unit of softness takes: the sum over the contacts of the
weight above on four corners, times the inverse masses in contact."""
SOFT_CONTACT = 5e-3
"""Penetration under the weight of a body beyond which closed forms of rigid contact say nothing
[m]."""
_NOT_RIGID = ("margin", "gap", "adhesion", "surfacevel")
"""MuJoCo's settings of a shape with which closed forms of rigid contact do not hold."""
_NOT_FREE = frozenset({*FLUID, "flag/sleep"})
"""Options of MuJoCo with which a column does not begin to fall: a medium carries it, or it sleeps.
"""
MIN_FRICTION, MAX_FRICTION = 0.01, 2.0
"""Coefficients of friction for which a block slides a measurable distance, at least 0.1 mm, and
does not tip over."""
MAX_SURFACES = 2
"""Number of kinds of surfaces that are tested, the most frequent first."""
_ADDED_INERTIA = frozenset({codes.LOWER_THIN_LINK, codes.LOWER_MASSLESS_FREE_LINK})
_Named = Sequence[tuple[str, Factory]]
_ZERO = (0.0, 0.0, 0.0)


def contact_rows(
    mechanism: Mechanism, factories: _Named, _seed: int, scenarios: Collection[str] | None = None
) -> Iterator[Row]:
    """Yield the rows of all contact scenarios for each engine; nothing in them is random.

    Args:
        mechanism: The mechanism to simulate.
        factories: The engines by name.
        _seed: Unused.
        scenarios: Names of the scenarios beside the rest height; None for all.
    """
    scenarios = tuple(SCENARIOS) if scenarios is None else scenarios
    engines = [(name, factory) for name, factory in factories if solves_constraints(factory)]
    if not engines:
        return
    scenario = rest_scenario(mechanism)
    surfaces = _surfaces(mechanism)
    for name, factory in engines:
        if isinstance(scenario, str):
            yield dataclasses.replace(_unknown("rest height", name, scenario), is_stated=False)
        else:
            yield _rest_row(mechanism, factory, scenario)
        yield from _standing_rows(mechanism, name, factory)
        for number, surface in enumerate(surfaces, start=1):
            suffix = f" of surface {number}" if number > 1 else ""
            for row in scenario_rows(mechanism, name, factory, surface, scenarios):
                yield dataclasses.replace(row, quantity=f"{row.quantity}{suffix}")
        if not surfaces:
            cause = "the model has no collision shapes"
            yield dataclasses.replace(_unknown(", ".join(SCENARIOS), name, cause), is_stated=False)


def _surfaces(mechanism: Mechanism) -> list[Surface]:
    """Return the most frequent surfaces of the collision shapes: friction, restitution and settings
    of MuJoCo.
    """
    kinds = Counter(
        (surface.friction.mu, surface.restitution, surface.engine_settings)
        for link in mechanism.scene.links
        for collision in filter(exerts_forces, link.collisions)
        for surface in [with_override(collision.surface, mechanism.physics)]
    )
    return [
        Surface(friction=Friction(mu=mu, mu2=mu), restitution=e, engine_settings=settings)
        for (mu, e, settings), _ in kinds.most_common(MAX_SURFACES)
    ]


# --- the model at rest ----------------------------------------------------------------------------


def _rest_row(mechanism: Mechanism, factory: Factory, scenario: RestScenario) -> Row:
    """Return the rest height; a difference is explained by a link to which inertia about an axis
    had to be added.
    """
    row = _rest_height_row(factory, scenario)
    links = scenario.allowed_penetration.keys()
    added = (
        d
        for d in mechanism.diagnostics
        if d.is_one_of(_ADDED_INERTIA) and not links.isdisjoint(d.subjects)
    )
    cause = None if row.passed else next(added, None)
    if cause is None:
        return row
    remark = "; any contact makes the link spin without bound"
    return dataclasses.replace(
        row, outcome=Outcome.UNKNOWN, cause=f"{cause.message}{remark} [{cause.code}]"
    )


def _rest_height_row(factory: Factory, scenario: RestScenario) -> Row:
    engine = _open(factory, scenario.scene)
    try:
        height, tolerance, where = _rest_height(engine, scenario)
        findings = engine.diagnostics
    finally:
        engine.close()
    if tolerance >= scenario.size():
        return _unknown(
            "rest height",
            engine.name,
            f"link {where} is so soft that it may sink {tolerance:.2g} m deep",
        )
    expected = (
        f"within {tolerance:.2g} m of the plane, for compliant contacts and margins of convex hulls"
    )
    row = _row("rest height", "m", engine.name, abs(height), tolerance, where, expected)
    return _without_shapes(row, findings, scenario)


def _without_shapes(row: Row, findings: Sequence[Diagnostic], scenario: RestScenario) -> Row:
    """Return the row; one that fails has the loss of a shape in the engine as its cause."""
    links = scenario.allowed_penetration.keys()
    lost = (d for d in findings if d.is_one_of(LOST_SHAPE) and not links.isdisjoint(d.subjects))
    entry = None if row.passed else next(lost, None)
    return row if entry is None else explained(row, cause_of(entry, row.quantity, 0.0))


def _rest_height(engine: Engine, scenario: RestScenario) -> tuple[float, float, str]:
    """Height and tolerance at rest [m], and the lowest link.

    Both are averages over half a second, because the contact force of a body that rocks equals its
    weight only on average.
    """
    heights, allowed, where = np.zeros(1), np.zeros(1), ""
    engine.step(1500)
    for _ in range(MAX_WINDOWS):
        samples = [_height_sample(engine, scenario) for _ in range(HEIGHT_SAMPLES)]
        heights, allowed = (np.array([sample[k] for sample in samples]) for k in (0, 1))
        where = samples[-1][2]
        if np.abs(heights - heights.mean()).max() <= allowed.mean():
            break
    return float(heights.mean()), float(allowed.mean()), where


def _height_sample(engine: Engine, scenario: RestScenario) -> tuple[float, float, str]:
    """Height and tolerance after some more steps [m], and the lowest link."""
    engine.step(500 // HEIGHT_SAMPLES)
    height, where = scenario.lowest(engine.link_poses())
    return height, CONTACT_MARGIN + scenario.allowed_penetration[where], where


# --- standing -------------------------------------------------------------------------------------


STANDING = "standing"
_FOOT_HEIGHT, _FOOT_ANGLE, _FOOT_STEP = 2e-3, 0.02, 1e-4
"""Height above the plane up to which a shape touches it [m]; angle from the vertical of the
directions in which its lowest points are sought, and step of the differences [rad].
"""
_LEAST_SUPPORT = 0.01
"""Distance of the center of mass from the edge of the feet below which a robot may fall [m]."""
_STANDS_FOR = 5.0
"""Duration [s]."""


def _standing_rows(mechanism: Mechanism, name: str, factory: Factory) -> Iterator[Row]:
    """Yield the row of a robot with feet, with its own shapes, that stands on them for five seconds
    at its home position, with its joints held: it stays where it is, because its center of mass is
    above its feet.

    The feet sink by the penetration that the softness allows, and the robot tilts by that over the
    distance of its center of mass from the edge of the feet.
    """
    scenario = rest_scenario(mechanism, mechanism.home_positions(), 0.0)
    feet = None if isinstance(scenario, str) else _feet(scenario)
    if isinstance(scenario, str) or feet is None:
        return
    count, support = feet
    if support < _LEAST_SUPPORT:
        reason = "the center of mass is not above the feet at the home position: the robot falls"
        yield dataclasses.replace(_unknown(STANDING, name, reason), is_stated=False)
        return
    sinking = CONTACT_MARGIN + max(scenario.allowed_penetration.values())
    tolerance = sinking * (1.0 + scenario.size() / support)
    errors = []
    for step in (STEP, STEP / 2.0):
        physics = dataclasses.replace(_without_medium(mechanism.physics), time_step=step)
        scene = dataclasses.replace(scenario.scene, physics=physics)
        with closing(as_exported(factory)(lower(scene))) as engine:
            engine.set_step(step)
            engine.set_state({}, {})
            before = engine.link_poses()
            engine.step(round(_STANDS_FOR / step))
            after, findings = engine.link_poses(), engine.diagnostics
        moved = (float(np.linalg.norm(after[each].p - before[each].p)) for each in before)
        errors.append((step, max(moved)))
    expected = (
        f"stands on {counted(count, 'link')} for {_STANDS_FOR:g} s within {tolerance:.2g} m; its "
        f"center of mass is {support:.2g} m from the edge"
    )
    worst = max(error for _, error in errors)
    row = _row(STANDING, "m", name, worst, tolerance, scenario.scene.links[1].name, expected)
    row = _without_shapes(row, findings, scenario)
    yield dataclasses.replace(row, convergence=tuple(errors))


def _feet(scenario: RestScenario) -> tuple[int, float] | None:
    """Return the number of links on which a robot stands, and the distance of its center of mass
    from the edge of their polygon [m]; None if it does not stand on several links.
    """
    links = [link for link in scenario.scene.links if link.name != GROUND]
    poses = {link.name: link.X_WL for link in links}
    angles = np.linspace(0.0, math.tau, 16, endpoint=False)
    around = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(len(angles))))
    touching: dict[str, list[Array]] = {}
    for name, X_LG, support in scenario.shapes:
        lowest = moved_support(support, poses[name] @ X_LG)
        for u in around:
            down = _FOOT_ANGLE * u - np.array((0.0, 0.0, 1.0))
            point = outermost_point(lowest, down, _FOOT_STEP * np.eye(3))
            if point[2] < _FOOT_HEIGHT:
                touching.setdefault(name, []).append(point)
    if len(touching) < 2 or links[0].name in touching:
        return None
    inertias = [link.inertia.moved(poses[link.name]) for link in links if link.inertia is not None]
    center = functools.reduce(operator.add, inertias).p_LLcm
    points = np.array([point for found in touching.values() for point in found])
    return len(touching), float(((points - center) @ around.T).max(axis=0).min())


# --- standard scenarios ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """A plane and bodies with a surface of the model, in an export with the physics of the model.

    Attributes:
        factory: The engine.
        physics: The physics, with all options and flags of the export.
        surface: The surface.
        step: Time step [s].
    """

    factory: Factory
    physics: Physics
    surface: Surface
    step: float

    @property
    def mu(self) -> float:
        """The coefficient of friction between two of these surfaces."""
        grip = grip_of(self.surface)
        return grip.mu if grip.dimension > 1 else 0.0

    @property
    def sag(self) -> float:
        """Penetration of a body of 1 kg under its weight [m]."""
        settings = settings_of(self.surface, MUJOCO)
        return max(CONTACT_SOFTNESS * G, Softness.of(settings, self.step).sag(G))

    @contextmanager
    def open(
        self, bodies: Sequence[Link], tilt: float = 0.0, joints: Sequence[Joint] = ()
    ) -> Iterator[Engine]:
        """Open bodies above the plane, with gravity that is tilted by an angle towards x."""
        plane = Collision(name="plane", X_LG=IDENTITY, geometry=Plane(), surface=self.surface)
        ground = Link(name="ground::link", model="ground", X_WL=IDENTITY, collisions=(plane,))
        models = [
            Model(name=k.model, X_WM=IDENTITY, canonical_link=k.name, static=k is ground)
            for k in (ground, *bodies)
        ]
        scene = Scene(
            name="contact",
            gravity=frozen((G * math.sin(tilt), 0.0, -G * math.cos(tilt))),
            physics=dataclasses.replace(self.physics, time_step=self.step),
            models=tuple(models),
            links=(ground, *bodies),
            joints=tuple(joints),
        )
        with closing(as_exported(self.factory)(lower(scene))) as engine:
            engine.set_step(self.step)
            engine.set_state({}, {})
            yield engine

    def steps(self, seconds: float) -> int:
        """Return the number of steps of a duration [s]."""
        return round(seconds / self.step)


class _Found(NamedTuple):
    """The result of a scenario."""

    error: float
    tolerance: float
    expected: str
    unit: str = ""


def _block(bench: _Bench, size: tuple[float, float, float], name: str = "block") -> Link:
    return _body(name, Box(size=size), bench.surface, size[2] / 2.0)


def _stack(bench: _Bench) -> _Found:
    """Compare the displacement of three stacked cubes after a second with how far they sink."""
    cubes = [
        _body(f"cube {k + 1}", Box(size=(0.2, 0.2, 0.2)), bench.surface, 0.1 + 0.2 * k)
        for k in range(3)
    ]
    with bench.open(cubes) as engine:
        engine.step(bench.steps(1.0))
        poses = engine.link_poses()
    moved = max(float(np.linalg.norm(poses[cube.name].p - cube.X_WL.p)) for cube in cubes)
    tolerance = _STACKED * bench.sag
    return _Found(moved, tolerance, f"cubes of 0.2 m stay within {tolerance:.2g} m", "m")


def _topple(bench: _Bench) -> _Found | str:
    """Tilt gravity to a little below and above the slope at which a column falls over its edge.

    The column sinks at first, which gives it the energy to pass the edge from an angle d before it:
    ``L d^2 / 2`` is the height by which its center rises, L the distance of the edge.
    """
    height, ratio = 4.0, min(0.5, 0.8 * bench.mu)
    width, lever = ratio * height, 0.5 * height * math.hypot(1.0, ratio)
    before_edge = math.sqrt(2.0 * (bench.sag + G * bench.step**2) / lever)
    tolerance = before_edge * (1.0 + ratio**2) / ratio
    if tolerance > 0.5:
        return f"a friction of {bench.mu:g} lets a column slide that would fall"
    angles = []
    for factor in (1.0 - tolerance, 1.0 + tolerance):
        column = _block(bench, (width, width, height), "column")
        with bench.open([column], math.atan(ratio * factor)) as engine:
            engine.step(bench.steps(3.0))
            up = float(engine.link_poses()["column::link"].R[2, 2])
        angles.append(math.acos(max(-1.0, min(1.0, up))))
    stands, falls = angles[0] < 0.1, angles[1] > 0.5
    expected = (
        f"stands at {1.0 - tolerance:.3f} and falls at {1.0 + tolerance:.3f} of the slope of its "
        f"diagonal"
        if stands and falls
        else f"turned by {angles[0]:.2g} rad below and {angles[1]:.2g} rad above that slope"
    )
    return _Found(0.0 if stands and falls else math.inf, tolerance, expected)


SCENARIOS: Mapping[str, Callable[[_Bench], _Found | str]] = {
    "topple": _topple,
    "stack": _stack,
}
"""Bodies with a surface of the model, in an export with its physics, against closed forms."""
_WITH_FRICTION = {"topple"}


def scenario_rows(
    mechanism: Mechanism, name: str, factory: Factory, surface: Surface, scenarios: Collection[str]
) -> Iterator[Row]:
    """Yield the row of each scenario: the worse one of two time steps.

    Args:
        mechanism: The model, whose physics holds.
        name: The name of the engine.
        factory: The engine.
        surface: A surface of the model.
        scenarios: Names of the scenarios.
    """
    step = min(STEP, mechanism.physics.time_step)
    physics = _without_medium(mechanism.physics)
    bench = _Bench(factory=factory, physics=physics, surface=surface, step=step)
    for quantity in scenarios:
        reason = _not_measured(bench, quantity)
        if reason:
            row = _unknown(quantity, name, reason)
            yield dataclasses.replace(row, is_stated=not surface.restitution)
            continue
        yield _scenario_row(quantity, name, bench)


def _without_medium(physics: Physics) -> Physics:
    """Return physics with which a body falls as in a vacuum, and does not sleep."""
    kept = tuple((path, text) for path, text in physics.parameters if path not in _NOT_FREE)
    return dataclasses.replace(physics, parameters=kept)


def _not_measured(bench: _Bench, quantity: str) -> str:
    """Return why a surface has no closed form in a scenario; empty if it has one."""
    stated = dict(settings_of(bench.surface, MUJOCO))
    other = next((setting for setting in _NOT_RIGID if setting in stated), "")
    if other:
        return f"the surface states {other}, with which rigid contact has no closed form"
    if bench.surface.restitution:
        return "the surface bounces, so that bodies do not stay where they are put"
    if bench.sag > SOFT_CONTACT:
        return f"the surface is so soft that a body may sink {bench.sag:.2g} m deep"
    if quantity in _WITH_FRICTION and not MIN_FRICTION <= bench.mu <= MAX_FRICTION:
        return (
            f"measured for friction of {MIN_FRICTION:g} to {MAX_FRICTION:g}, not for {bench.mu:g}"
        )
    return ""


def _scenario_row(quantity: str, name: str, bench: _Bench) -> Row:
    """Return the row of a scenario at two time steps; within its wide tolerance it is explained,
    not exact.
    """
    found = []
    for each in (bench, dataclasses.replace(bench, step=bench.step / 2.0)):
        try:
            shown = SCENARIOS[quantity](each)
        except (DivergedError, NotReportedError) as error:
            return _unknown(quantity, name, str(error))
        if isinstance(shown, str):
            return _unknown(quantity, name, shown)
        found.append((each.step, shown))
    errors = [math.inf if math.isnan(shown.error) else shown.error for _, shown in found]
    worst = max((0, 1), key=lambda k: errors[k] / found[k][1].tolerance)
    shown = found[worst][1]
    place = f"friction {bench.mu:g}, restitution {bench.surface.restitution:g}"
    row = _row(quantity, shown.unit, name, errors[worst], shown.tolerance, place, shown.expected)
    convergence = tuple((step, error) for (step, _), error in zip(found, errors, strict=True))
    return dataclasses.replace(row, convergence=convergence)


def _body(
    name: str, shape: Box | Sphere, surface: Surface, height: float, moment: float | None = None
) -> Link:
    """Return a link of 1 kg with one shape; with the moments of a box that bounds it, if there is
    no other.
    """
    size = shape.size if isinstance(shape, Box) else (2.0 * shape.radius,) * 3
    moments = [(sum(x**2 for x in size) - x**2) / 12.0 for x in size]
    collision = Collision(name="shape", X_LG=IDENTITY, geometry=shape, surface=surface)
    inertia = SpatialInertia.of(1.0, I_Lcm=np.diag(moments if moment is None else [moment] * 3))
    return Link(
        name=f"{name}::link",
        model=name,
        X_WL=Pose.of(p=(0.0, 0.0, height)),
        inertia=inertia,
        collisions=(collision,),
    )


def _open(factory: Factory, scene: Scene) -> Engine:
    engine = factory(lower(scene))
    engine.set_step(STEP)
    engine.set_state({}, {})
    return engine


# --- rows -----------------------------------------------------------------------------------------


def _row(
    quantity: str, unit: str, engine: str, error: float, tolerance: float, where: str, expected: str
) -> Row:
    """Return the row of a scenario; within its wide tolerance it is explained, not exact."""
    row = Row(
        level=Level.CONTACT,
        quantity=quantity,
        unit=unit,
        engines=(EXACT_MOTION, engine),
        error=math.inf if math.isnan(error) else error,
        tolerance=tolerance,
        where=where,
        outcome=Outcome.PASSED,
    )
    return explained(
        row,
        Cause(code=CONTACT_MODEL, subjects=(), quantity=quantity, bound=tolerance, text=expected),
    )


def _unknown(quantity: str, engine: str, cause: str) -> Row:
    return Row(
        level=Level.CONTACT,
        quantity=quantity,
        engines=(EXACT_MOTION, engine),
        tolerance=CONTACT_MARGIN,
        outcome=Outcome.UNKNOWN,
        cause=cause,
    )
