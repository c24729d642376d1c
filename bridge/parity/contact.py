"""Contact scenarios: rest, standing, slide, topple, roll, bounce, stack and grasp.

Every simulator has its own contact model, so results are not equal: each scenario has its own
tolerance, which its row states. For the rest height the model itself, as one rigid body, is dropped
on a plane, and its lowest point must end up on the plane; a robot with feet stands on them at its
home position. The other scenarios are standard cases in exports with the physics of the model, its
options and flags: bodies with a surface of the model on a plane with the same surface, compared
with closed forms at two time steps.
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
    directions,
    half_space,
    support_function,
    support_of_points,
)
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body
from bridge.mechanism.coordinates import Position
from bridge.targets.mjcf import codes as mjcf_codes
from loaders.diagnostics import Diagnostics
from loaders.engine_settings import MUJOCO, grip_of
from loaders.inertia import SpatialInertia
from loaders.meshes import read_mesh
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Empty,
    FilterGroup,
    FilterRule,
    Friction,
    Geometry,
    Joint,
    JointAxis,
    JointType,
    Link,
    Mesh,
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

from .bounds.contact import stated_sag
from .causes import CONTACT_MODEL, Cause, cause_of
from .engine import (
    MAX_RESTS,
    PLATE_HALF_SIZE,
    PLATE_WEIGHT,
    REST_TIME,
    SLIDE_STEPS,
    DivergedError,
    Engine,
    Factory,
    NotReportedError,
    Plate,
    as_exported,
    solves_constraints,
)
from .engines.pybullet.engine import CONTACT_MARGIN
from .motion.stops import limited_dofs
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
    links = [dataclasses.replace(body.link, inertia=body.inertia) for body in tree]
    shapes = []
    for link in links:
        for collision in filter(_collides, link.collisions):
            support = _support(collision.geometry)
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


def _collides(collision: Collision) -> bool:
    surface = collision.surface
    return bool(surface.collide_bitmask) and not surface.collide_without_contact


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
        has_shapes = any(_collides(s) and not isinstance(s.geometry, Empty) for s in shapes)
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


# --- shapes ---------------------------------------------------------------------------------------


def _support(shape: Geometry) -> SupportFunction | None:
    """Return the support function of a shape; None if it has no lowest point."""
    if isinstance(shape, Mesh):
        data = read_mesh(shape, Diagnostics())
        return (lambda _d: -math.inf) if data is None else support_of_points(data.vertices)
    return support_function(shape)


STEP = 1e-3
"""Largest time step [s]; each scenario runs with that of the model, if it is less, and with half of
it."""
HEIGHT_SAMPLES, MAX_WINDOWS = 25, 12
"""Number of height samples in half a second, and number of such windows in which a model must come
to rest."""
BOUNCE_TOLERANCE = 0.02
"""Tolerance of the ratio of speeds after and before an impact, which MuJoCo resolves in about ten
steps; measured."""
_STACKED = 3 / 4 + 2 * 2 / 4 + 2 * 1 / 4
"""Height of a stack of three cubes that a unit of softness takes: the sum over the contacts of the
weight above on four corners, times the inverse masses in contact."""
SOFT_CONTACT = 5e-3
"""Penetration under the weight of a body beyond which closed forms of rigid contact say nothing
[m]."""
_NOT_RIGID = ("margin", "gap", "adhesion", "surfacevel")
"""MuJoCo's settings of a shape with which closed forms of rigid contact do not hold."""
MIN_FRICTION, MAX_FRICTION = 0.01, 2.0
"""Coefficients of friction for which a block slides a measurable distance, at least 0.1 mm, and
does not tip over."""
MAX_SURFACES = 2
"""Number of kinds of surfaces that are tested, the most frequent first."""
BOUNCING_BOUND = 0.02
"""Largest error of a scenario on a surface that bounces, relative to the distance, or in meters;
measured is 0.015."""
_RESTITUTION = mjcf_codes.RESTITUTION
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
        for collision in filter(_collides, link.collisions)
        for surface in [collision.surface]
    )
    return [
        Surface(friction=Friction(mu=mu, mu2=mu), restitution=e, engine_settings=settings)
        for (mu, e, settings), _ in kinds.most_common(MAX_SURFACES)
    ]


# --- plates on the running exports ----------------------------------------------------------------


ACTING = "force of contact", "friction of contact"
"""The quantities that plates on the running exports show."""
FORCE_ERROR, FRICTION_ERROR = 0.1, 0.02
"""Largest error of the force on a plate relative to its weight, and of a coefficient of friction
relative to what is stated."""
MAX_PLATES = 40
"""Largest number of plates that are pressed on a model."""
_DISTINCT = 0.005
"""Distance by which a shape must be higher than all others with another surface [m]."""
PRESSED_DIRECTIONS = tuple(directions())
"""Directions from which plates are pressed."""
_ASIDE, _ASIDE_ON_PLANE, _SPARE = 0.01, 1e3, 3.0
"""How far the direction of the point below a plate is turned, so that it is a single one [rad]; how
far from its origin a plane gets a plate [m]; speed over that which friction takes away."""
_PUSHING = {"adhesion", "surfacevel"}
"""MuJoCo's settings of a shape that push a plate which slides on it."""
_EXACT_NORMALS = (Box, Capsule, Cylinder, Plane, Sphere)
"""Shapes whose contacts have the exact normal in every engine."""
_ENDLESS = 1e5
"""Reach from which a shape has no end in a direction [m]."""
_INSET = 1e-2
"""Distance of the position from all stops [rad or m]."""
_MAX_SAG = 0.05
"""Penetration at rest up to which a plate is pressed on a shape [m]."""
_SETTLED = 6.0
"""Number of time constants of a soft contact after which a plate is at rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """A shape at its place in the world.

    Attributes:
        link: The link of the shape.
        collision: The shape.
        X_WG: Its pose.
        support: Its support function in the world.
        has_exact_normals: Whether contacts of all shapes of its link have the exact normal in every
            engine.
    """

    link: str
    collision: Collision
    X_WG: Pose
    support: SupportFunction
    has_exact_normals: bool

    @property
    def mu(self) -> float:
        """The coefficient of friction."""
        return self.collision.surface.friction.mu

    @property
    def surface(self) -> tuple[object, ...]:
        """The properties that decide on the friction of its contacts."""
        friction = self.collision.surface.friction
        return friction.mu, friction.mu2, self.is_frictionless, self.hides_friction

    @property
    def is_frictionless(self) -> bool:
        """True if MuJoCo's contacts with the shape have one dimension."""
        return self._settings.get("condim") == "1"

    @property
    def hides_friction(self) -> str:
        """The reason why a plate does not show the friction; empty if it does."""
        surface, friction = self.collision.surface, self.collision.surface.friction
        if friction.mu != friction.mu2:
            return "have another friction in a second direction"
        if friction.mu > MAX_FRICTION:
            return f"have a friction above {MAX_FRICTION:g}"
        if surface.restitution or surface.damping is not None:
            return "bounce or sway"
        return "move or hold what touches them" if self._settings.keys() & _PUSHING else ""

    @property
    def too_soft(self) -> str:
        """The reason why the shape does not carry a plate at rest; empty if it does."""
        surface = self.collision.surface
        sag, rate = stated_sag(tuple(self._settings.items()), PLATE_WEIGHT)
        if surface.stiffness is not None:
            sag = max(sag, PLATE_WEIGHT / max(surface.stiffness, MIN_MASS))
            half = 0.5 * (math.inf if surface.damping is None else surface.damping)
            slow = half - math.sqrt(max(half**2 - surface.stiffness, 0.0))
            rate = rate if math.isinf(half) else min(rate, slow)
        if sag > _MAX_SAG:
            return f"yield by more than {_MAX_SAG:g} m under a plate"
        return "come to rest too slowly" if rate * MAX_RESTS * REST_TIME < _SETTLED else ""

    @property
    def _settings(self) -> dict[str, str]:
        """MuJoCo's settings that the surface states."""
        return dict(settings_of(self.collision.surface, MUJOCO))

    def point(self, n: Array) -> Array:
        """Return a point at which the shape is outermost in a direction, in the world [m]."""
        if isinstance(self.collision.geometry, Plane):
            return np.asarray(self.X_WG.p)
        _, t, s = _axes(n)
        d = n + _ASIDE * (t + 0.7 * s)
        across = _outermost_point(self.support, d, _ASIDE * np.array((t, s)))
        return np.asarray(self.support(n) * n + across)


def _axes(n: Array) -> tuple[Array, Array, Array]:
    """Return a direction, one in which MuJoCo's pyramids of friction have an edge, and their
    normal.
    """
    start = np.array((0.0, 1.0, 0.0) if abs(n[1]) < 0.5 else (0.0, 0.0, 1.0))
    t = start - (start @ n) * n
    t /= np.linalg.norm(t)
    return n, t, np.cross(n, t)


def plate_rows(mechanism: Mechanism, factories: _Named) -> Iterator[Row]:
    """Yield rows for each engine that presses plates on the model as it is exported: whether the
    shapes carry the weight of plates at rest, whether plates slide with the stated friction, and
    how many shapes show neither, with the reasons.

    Args:
        mechanism: The mechanism.
        factories: The engines by name.
    """
    q = _still_position(mechanism)
    pressed, left_out = _targets(mechanism, q)
    total = len(pressed) + left_out.total()
    speed = SLIDE_STEPS * mechanism.physics.time_step * PLATE_WEIGHT
    plates = [_plate(mechanism, target, n, X_shift, speed) for target, n, X_shift in pressed]
    targets = [target for target, _, _ in pressed]
    for name, factory in factories if total else ():
        if not solves_constraints(factory):
            continue
        if plates:
            with closing(as_exported(factory)(mechanism)) as engine:
                try:
                    engine.set_state(q, {})
                    yield from _pressed_rows(engine, targets, plates, total)
                except NotReportedError as error:
                    yield _not_shown(ACTING[0], name, str(error))
                    continue
        if left_out:
            yield _not_shown(ACTING[0], name, _counted_reasons(left_out, total, "were not pressed"))


def _pressed_rows(
    engine: Engine, targets: Sequence[_Target], plates: Sequence[Plate], total: int
) -> Iterator[Row]:
    """Yield the rows of plates in one engine, which say on how many of all shapes they were."""
    friction, obeys = engine.surfaces().friction, engine.obeys_mjcf_settings
    motion, step = engine.press(plates)
    force = _force_row(engine.name, targets, motion)
    yield dataclasses.replace(force, loaded=(len(targets), total))
    hidden, expected = Counter[str](), dict[int, float]()
    for k, each in enumerate(targets):
        mu = 0.0 if each.is_frictionless and obeys else each.mu
        if each.hides_friction:
            hidden[each.hides_friction] += 1
        elif mu in friction.get(each.link, ()) or (each.is_frictionless and obeys):
            expected[k] = mu
        else:
            hidden["have another coefficient, which another row compares"] += 1
    if expected:
        row = _friction_row(engine.name, targets, motion, step, expected)
        yield dataclasses.replace(row, loaded=(len(expected), total))
    if hidden:
        reasons = _counted_reasons(hidden, len(targets), "do not show their friction")
        yield _not_shown(ACTING[1], engine.name, reasons)


def _counted_reasons(reasons: Counter[str], total: int, lack: str) -> str:
    listed = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    return f"{reasons.total()} of {counted(total, 'shape')} {lack}: {listed}"


def _not_shown(quantity: str, name: str, cause: str) -> Row:
    row = _unknown(quantity, name, cause)
    return dataclasses.replace(row, level=Level.MOTION, is_stated=False)


def _still_position(mechanism: Mechanism) -> Mapping[str, Position]:
    """Return the home position, away from the stops."""
    q = {name: np.array(np.atleast_1d(x), float) for name, x in mechanism.home_positions().items()}
    for (joint, k), (least, most) in limited_dofs(mechanism).items():
        inset = min(_INSET, (most - least) / 4.0)
        q[joint][k] = np.clip(q[joint][k], least + inset, most - inset)
    return {name: tuple(x.tolist()) for name, x in q.items()}


def _targets(
    mechanism: Mechanism, q: Mapping[str, Position]
) -> tuple[list[tuple[_Target, Array, Array]], Counter[str]]:
    """Return the shapes on which plates are pressed, with the direction and a displacement of each,
    and the number of those that get none, by reason.
    """
    poses, left_out = mechanism.link_poses(q), Counter[str]()
    groups: dict[int, list[_Target]] = {}
    for link in mechanism.scene.links:
        for collision in filter(_acts, link.collisions):
            X_WG = poses[link.name] @ collision.X_LG
            support = _support_with_planes(collision.geometry)
            if support is None:
                left_out["have no outermost point"] += 1
            elif not math.isfinite(support(np.array((0.0, 0.0, 1.0)))):
                left_out["cannot be read"] += 1
            else:
                exact = all(isinstance(each.geometry, _EXACT_NORMALS) for each in link.collisions)
                target = _Target(
                    link=link.name,
                    collision=collision,
                    X_WG=X_WG,
                    support=_moved(support, X_WG),
                    has_exact_normals=exact,
                )
                groups.setdefault(mechanism.weld_group_of(link.name), []).append(target)
    found: list[tuple[_Target, Array, Array]] = []
    for group in groups.values():
        pressed = _pressed_in(group)
        left_out.update(
            each.too_soft or "lie within other shapes that do not move against them"
            for each in group
            if not any(each is target for target, _, _ in pressed)
        )
        found += pressed
    if len(found) > MAX_PLATES:
        left_out[f"are beyond the first {MAX_PLATES}"] += len(found) - MAX_PLATES
    return found[:MAX_PLATES], left_out


def _acts(collision: Collision) -> bool:
    return _collides(collision) and not isinstance(collision.geometry, Empty)


def _support_with_planes(shape: Geometry) -> SupportFunction | None:
    return half_space(np.array(shape.normal)) if isinstance(shape, Plane) else _support(shape)


def _pressed_in(group: Sequence[_Target]) -> list[tuple[_Target, Array, Array]]:
    """Return the shapes of links that do not move against each other on which plates are pressed,
    with the direction and a displacement of each.
    """
    found: dict[int, tuple[_Target, Array, Array]] = {}
    for each in group:
        shape = each.collision.geometry
        if isinstance(shape, Plane) and not each.too_soft:
            n = each.X_WG.R @ np.array(shape.normal)
            found[id(each)] = each, n, _ASIDE_ON_PLANE * _axes(n)[1]
    for n in PRESSED_DIRECTIONS:
        if len(found) == len(group):
            break
        top = _outermost(group, n)
        if top is not None:
            found.setdefault(id(top), (top, n, np.zeros(3)))
    return list(found.values())


def _moved(support: SupportFunction, X_WG: Pose) -> SupportFunction:
    return lambda d: float(d @ X_WG.p) + support(X_WG.R.T @ d)


def _outermost(shapes: Sequence[_Target], n: Array) -> _Target | None:
    """Return the shape that is outermost in a direction; None if there is none, or another surface
    is as far out.
    """
    heights = [shape.support(n) for shape in shapes]
    if not heights or max(heights) > _ENDLESS:
        return None
    top = shapes[int(np.argmax(heights))]
    near = (s for s, h in zip(shapes, heights, strict=True) if h > max(heights) - _DISTINCT)
    is_one = all(each.surface == top.surface and not each.too_soft for each in near)
    return top if is_one else None


def _plate(mechanism: Mechanism, target: _Target, n: Array, shift: Array, speed: float) -> Plate:
    _, t, s = _axes(n)
    center = target.point(n) + PLATE_HALF_SIZE[2] * n + shift
    group = mechanism.weld_group_of(target.link)
    links = (link.name for link in mechanism.scene.links)
    slides = not target.hides_friction
    return Plate(
        X_WP=Pose.of(np.column_stack((t, s, n)), center),
        speed=_SPARE * speed * target.mu if slides else 0.0,
        touches=frozenset(name for name in links if mechanism.weld_group_of(name) == group),
    )


def _force_row(name: str, targets: Sequence[_Target], motion: Array) -> Row:
    """Return the largest error of the force on a plate at rest, by the change of its momentum; a
    plate that moves on is not at rest.
    """
    fall = PLATE_WEIGHT * REST_TIME
    speeds = motion[:, :2, 2] / fall
    carried = 1.0 + speeds[:, 1] - speeds[:, 0]
    errors = np.maximum(np.abs(carried - 1.0), np.abs(speeds[:, 1]))
    return _acting_row(ACTING[0], name, targets, errors, FORCE_ERROR)


def _friction_row(
    name: str, targets: Sequence[_Target], motion: Array, step: float, expected: Mapping[int, float]
) -> Row:
    """Return the largest error of a coefficient of friction: the ratio of the momentum that a
    sliding plate loses to that which carries it.

    Args:
        name: The name of the engine.
        targets: The shapes.
        motion: The motion of the plate on each.
        step: Time step [s].
        expected: The coefficient of those shapes that show theirs, by their numbers.
    """
    before, after = motion[:, 2], motion[:, 3]
    lost = before[:, 0] - after[:, 0]
    carrying = after[:, 2] - before[:, 2] + PLATE_WEIGHT * SLIDE_STEPS * step
    shown, stated = list(expected), np.array([*expected.values()])
    spread = np.array([_spread(targets[k]) for k in shown])
    found = lost[shown] / carrying[shown]
    errors = np.maximum(np.maximum(found - spread * stated, stated / spread - found), 0.0)
    return _acting_row(ACTING[1], name, [targets[k] for k in shown], errors, FRICTION_ERROR)


def _spread(target: _Target) -> float:
    """Return the largest ratio of the friction that a plate shows to the stated one, or inversely.

    Contacts with meshes and ellipsoids have inexact normals: their edges carry part of the weight,
    and MuJoCo's pyramid has less friction between its edges, whose directions follow from the
    normal.
    """
    return 1.0 if target.has_exact_normals else math.sqrt(2.0)


def _acting_row(
    quantity: str, name: str, targets: Sequence[_Target], errors: Array, tolerance: float
) -> Row:
    errors = np.where(np.isfinite(errors), errors, math.inf)
    worst = int(np.argmax(errors))
    return Row(
        level=Level.MOTION,
        quantity=quantity,
        engines=(EXACT_MOTION, name),
        error=float(errors[worst]),
        tolerance=tolerance,
        where=targets[worst].link,
        subjects=(targets[worst].link,),
        outcome=Outcome.PASSED if errors[worst] <= tolerance else Outcome.FAILED,
        is_stated=False,
    )


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
    return _row("rest height", "m", engine.name, abs(height), tolerance, where, expected)


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
        physics = dataclasses.replace(mechanism.physics, time_step=step)
        scene = dataclasses.replace(scenario.scene, physics=physics)
        with closing(as_exported(factory)(lower(scene))) as engine:
            engine.set_step(step)
            engine.set_state({}, {})
            before = engine.link_poses()
            engine.step(round(_STANDS_FOR / step))
            after = engine.link_poses()
        moved = (float(np.linalg.norm(after[each].p - before[each].p)) for each in before)
        errors.append((step, max(moved)))
    expected = (
        f"stands on {counted(count, 'link')} for {_STANDS_FOR:g} s within {tolerance:.2g} m; its "
        f"center of mass is {support:.2g} m from the edge"
    )
    worst = max(error for _, error in errors)
    row = _row(STANDING, "m", name, worst, tolerance, scenario.scene.links[1].name, expected)
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
        lowest = _moved(support, poses[name] @ X_LG)
        for u in around:
            down = _FOOT_ANGLE * u - np.array((0.0, 0.0, 1.0))
            point = _outermost_point(lowest, down, _FOOT_STEP * np.eye(3))
            if point[2] < _FOOT_HEIGHT:
                touching.setdefault(name, []).append(point)
    if len(touching) < 2 or links[0].name in touching:
        return None
    inertias = [link.inertia.moved(poses[link.name]) for link in links if link.inertia is not None]
    center = functools.reduce(operator.add, inertias).p_LLcm
    points = np.array([point for found in touching.values() for point in found])
    return len(touching), float(((points - center) @ around.T).max(axis=0).min())


def _outermost_point(support: SupportFunction, direction: Array, steps: Array) -> Array:
    """Return the part along some orthogonal steps of the point of a shape that is outermost in a
    direction: the gradient of its support function, by differences.
    """

    def stretched(d: Array) -> float:
        length = float(np.linalg.norm(d))
        return length * support(d / length)

    found = [
        (stretched(direction + u) - stretched(direction - u)) / (2.0 * float(u @ u)) * u
        for u in steps
    ]
    return np.asarray(np.sum(found, axis=0))


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
        return max(CONTACT_SOFTNESS * G, stated_sag(settings, G, self.step)[0])

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


def _slide(bench: _Bench) -> _Found | str:
    """Compare the distance that a block slides down a slope half as steep as friction can hold; it
    stops within three steps.
    """
    mu, duration = bench.mu, 0.3
    slope = math.atan(mu / 2.0)
    deceleration = G * (mu * math.cos(slope) - math.sin(slope))
    speed = duration * deceleration
    with bench.open([_block(bench, (0.4, 0.4, 0.1))], slope) as engine:
        engine.step(bench.steps(0.2))  # contact forces build up first
        start = engine.link_poses()["block::link"].p[0]
        engine.set_state(engine.positions(), {"block::link": (speed, 0.0, 0.0, *_ZERO)})
        engine.step(bench.steps(0.5))
        distance = float(engine.link_poses()["block::link"].p[0] - start)
    exact = speed**2 / (2.0 * deceleration)
    expected = f"stops after {distance:.4g} m, closed form {exact:.4g} m"
    return _Found(abs(distance / exact - 1.0), 3.0 * STEP / duration, expected)


def _bounce(bench: _Bench) -> _Found:
    """Compare the ratio of speeds after and before the impact of a ball on a plane."""
    drop, radius, restitution = 0.2, 0.1, bench.surface.restitution
    ball = _body("ball", Sphere(radius=radius), bench.surface, radius + drop)
    speeds = []
    with bench.open([ball]) as engine:
        bounce = engine.bounce(restitution)
        for _ in range(bench.steps(0.6)):
            engine.step(1)
            speeds.append(float(engine.velocities()[2]))
    impact = int(np.argmin(speeds))
    ratio = max(0.0, *speeds[impact:]) / (-speeds[impact] or math.nan)
    expected = f"leaves with {ratio:.3f} of its speed, closed form {bounce.ratio:.3g}{bounce.rule}"
    return _Found(abs(ratio - bounce.ratio), BOUNCE_TOLERANCE + bounce.spread, expected)


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


def _rest(bench: _Bench) -> _Found:
    """Compare the place of a block after five seconds with where it was put."""
    with bench.open([_block(bench, (0.3, 0.2, 0.1))]) as engine:
        engine.step(bench.steps(5.0))
        moved = float(np.linalg.norm(engine.link_poses()["block::link"].p - (0.0, 0.0, 0.05)))
    return _Found(moved, bench.sag, f"a block stays within {bench.sag:.2g} m for 5 s", "m")


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


def _roll(bench: _Bench) -> _Found:
    """Compare the acceleration of a ball on a slope that it does not slip on, over gravity."""
    radius, slope, window = 0.1, math.atan(min(0.5, bench.mu)), 0.2
    ball = _body("ball", Sphere(radius=radius), bench.surface, radius, moment=0.4 * radius**2)
    with bench.open([ball], slope) as engine:
        engine.step(bench.steps(0.2))
        before = float(engine.velocities()[0])
        engine.step(bench.steps(window))
        found = (float(engine.velocities()[0]) - before) / (window * G)
    exact = 5.0 / 7.0 * math.sin(slope)
    expected = f"accelerates by {found:.4g} g, closed form {exact:.4g} g"
    return _Found(abs(found - exact), _one_step(window), expected)


def _one_step(window: float) -> float:
    """Return the tolerance of an acceleration over gravity: one step of the window in which the
    change of the speed is read [s].
    """
    return STEP / window


def _grasp(bench: _Bench) -> _Found:
    """Press two fingers on a cube on a vertical rail, with more and with less force than friction
    needs to hold it, and compare its acceleration over gravity; the momentum that the fingers gain
    presses nothing.
    """
    needed, window, errors, words = G / (2.0 * bench.mu), 0.2, [], []
    for part in (1.25, 0.8):
        effort = part * needed
        rail = _on_rail(_block(bench, (0.1, 0.1, 0.1), "cube"), (0.0, 0.0, -1.0), 0.0)
        fingers = [
            _on_rail(_block(bench, (0.02, 0.1, 0.4), name), (-side, 0.0, 0.0), side * 0.06, effort)
            for name, side in (("left", -1.0), ("right", 1.0))
        ]
        links, joints = zip(rail, *fingers, strict=True)
        with bench.open(links, joints=joints) as engine:
            names = [joint.name for joint in joints]
            engine.step(bench.steps(window))
            _, before = engine.joint_states(names)
            engine.step(bench.steps(window))
            gained = (engine.joint_states(names)[1] - before) / (window * G)
        slips = 1.0 - part + bench.mu * float(gained[1:].sum())
        found, exact = float(gained[0]), slips if part < 1.0 else 0.0
        errors.append(abs(found - exact))
        words.append(f"{found:.4g} g with {part:g} of the force (closed form {exact:.4g} g)")
    return _Found(max(errors), _one_step(window), f"falls by {' and '.join(words)}")


_SOFT_SPRING = 1e-2
"""Stiffness of a spring whose force does not change while fingers close [N/m]."""


def _on_rail(
    link: Link, direction: tuple[float, float, float], x: float, effort: float = 0.0
) -> tuple[Link, Joint]:
    """Return a link a meter above the plane, and the joint on which it slides in a direction, where
    a long spring pushes it with an effort [N].
    """
    X_WL = Pose.of(p=(x, 0.0, 1.0))
    axis = JointAxis(
        xyz=frozen(direction),
        lower=-math.inf,
        upper=math.inf,
        spring_stiffness=_SOFT_SPRING if effort else 0.0,
        spring_reference=effort / _SOFT_SPRING,
    )
    joint = Joint(
        name=f"{link.model}::joint",
        type=JointType.PRISMATIC,
        parent=WORLD,
        child=link.name,
        X_PJ=X_WL,
        X_CJ=IDENTITY,
        axes=(axis,),
    )
    return dataclasses.replace(link, X_WL=X_WL), joint


SCENARIOS: Mapping[str, Callable[[_Bench], _Found | str]] = {
    "rest": _rest,
    "slide": _slide,
    "topple": _topple,
    "roll": _roll,
    "bounce": _bounce,
    "stack": _stack,
    "grasp": _grasp,
}
"""Bodies with a surface of the model, in an export with its physics, against closed forms."""
_WITH_FRICTION = {"slide", "topple", "roll", "grasp"}


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
    bench = _Bench(factory=factory, physics=mechanism.physics, surface=surface, step=step)
    for quantity in scenarios:
        reason = _not_measured(bench, quantity)
        if reason:
            yield _unknown(quantity, name, reason)
            continue
        row = _scenario_row(quantity, name, bench)
        yield _unless_it_bounces(quantity, name, bench, row)


def _not_measured(bench: _Bench, quantity: str) -> str:
    """Return why a surface has no closed form in a scenario; empty if it has one."""
    stated = dict(settings_of(bench.surface, MUJOCO))
    other = next((setting for setting in _NOT_RIGID if setting in stated), "")
    if other:
        return f"the surface states {other}, with which rigid contact has no closed form"
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


def _unless_it_bounces(quantity: str, name: str, bench: _Bench, row: Row) -> Row:
    """Return the row; a failure is explained by restitution if the engine reports it and the
    scenario passes without it.
    """
    if row.passed or not bench.surface.restitution or quantity == "bounce":
        return row
    with bench.open([_block(bench, (0.1, 0.1, 0.1))]) as engine:
        reported = (entry for entry in engine.diagnostics if entry.code == _RESTITUTION.name)
        entry = next(reported, None)
    if entry is None:
        return row
    dull = dataclasses.replace(bench, surface=dataclasses.replace(bench.surface, restitution=0.0))
    without = _scenario_row(quantity, name, dull)
    remark = f"; without restitution the error is {without.error:.1g}"
    return (
        explained(row, cause_of(entry, row.quantity, BOUNCING_BOUND, remark))
        if without.passed
        else row
    )


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
