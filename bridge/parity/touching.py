"""Balls on the running exports: contacts carry weight, brake, hold, roll and bounce as stated.

Balls touch each shape of the model as it is exported, in the running engine with its options,
masks, surfaces and solver, while the model is too heavy to move. On each shape two of them do not
turn, and slide in opposite directions; two others turn. What they do follows from the stated
surface alone, whatever the shape: balls are so large that the normal of the contact hardly turns
(`BALL_RADIUS`), and the mean over both directions is free of its inclination. Each is measured at
two time steps, and what remains must vanish with the step. Engines that obey MuJoCo's settings show
what balls do by the law of these settings, solved here for the same motion (`ContactLaw`); others,
and surfaces that bounce, the closed forms of rigid contact.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from bridge.geometry.convex_decomposition import is_simplified
from bridge.geometry.shapes import (
    SupportFunction,
    directions,
    half_space,
    support_function,
    support_of_points,
)
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.targets.mjcf import codes as mjcf_codes
from loaders.collision_pairs import exerts_forces
from loaders.diagnostics import Diagnostics
from loaders.engine_settings import MUJOCO, with_override
from loaders.meshes import read_mesh
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Sphere,
    Surface,
    settings_of,
)
from loaders.pose import IDENTITY, Array, Pose
from loaders.text import counted

from .bounds.contact import BallState, ContactLaw, Softness, Stepping
from .engine import (
    BALL_RADIUS,
    BALL_WEIGHT,
    Ball,
    Engine,
    Factory,
    NotReportedError,
    Surfaces,
    TouchedModel,
    as_exported,
    solves_constraints,
)
from .motion.stops import limited_dofs
from .readings import shapes_of
from .verdict import EXACT_MOTION, Level, Outcome, Row

ACTING = (
    "force of contact",
    "friction of contact",
    "grip of contact",
    "rolling contact",
    "bounce of contact",
)
"""The quantities that balls on the running exports show."""
REST_TIME, MAX_RESTS, REST_ERROR = 0.05, 40, 2e-3
"""Duration in which balls must be at rest [s], largest number of such durations, and error of the
force below which a ball is at rest, relative to its weight."""
MAX_REST_STEPS = 2700
"""The same in steps of the model: those in which the spring that MuJoCo gets for `MAX_RESTITUTION`
comes to rest, whose time constant is ten steps."""
SETTLED = 6.0
"""Number of time constants of a soft contact after which a ball is at rest."""
MAX_MODEL_SPEED = 5e-3
"""Speed of the model up to which balls are at rest on it [rad/s, m/s], over the distance of the
farthest shapes if that is more than 1 m."""
SLIDE_STEPS, ROLL_STEPS, FALL_STEPS = 10, 3, 10
"""Number of steps in which balls slide, in which rigid friction makes a ball roll, and in which a
ball falls."""
SLIDE_TIME, HOLD_TIME, ROLL_TIME, BOUNCE_TIME = 0.05, 0.05, 0.05, 0.06
"""Duration in which a ball slides at most at the step of the export, unless that is longer, so that
it moves by a small part of its radius; durations in which friction holds it, makes it roll, and in
which it bounces [s]."""
IMPACT_STEPS = 33
"""Steps of the model that an impact on a contact of a stated restitution takes at most: half a
period of MuJoCo's spring, whose time constant is ten steps."""
FIRST_DEPTH, IMPACT_PHASES = 0.3, 8
"""Part of a step by which a ball with 1 m/s is deep in a shape when it begins to touch it, far from
the stages of a step; number of depths in which an impact on several shapes may begin."""
HELD, PULLED, SPARE = 0.8, 4.0, 3.0
"""Forces, over that of friction, that must not and that must move a ball; and speed of a sliding
ball over that which friction takes away, or at which a soft contact brakes with all of its
friction."""
MAX_BALLS = 40
"""Largest number of shapes that balls touch."""
MAX_TRIANGLES = 20_000
"""Largest number of triangles of a mesh on which balls are pressed and that PyBullet does not hold
as convex: with 127,264 of them four balls take 0.1 s a step.
"""
MAX_FRICTION = 2.0
"""Coefficient of friction above which a pull by it lifts balls off."""
MAX_RESTITUTION = 0.95
"""Restitution above which a ball bounces on in MuJoCo when it should be at rest: with 0.98 for more
than 2 s."""
ROUNDING = 1e-3
"""Part of a weight or of a speed that solvers leave, which stop after a number of iterations or
when little changes."""
LEFT = {ACTING[0]: REST_ERROR + math.exp(-SETTLED)}
"""The same of quantities for which it is not `ROUNDING`: a ball counts as at rest if its force has
that error, and after all durations a contact has settled but for that part."""
_DISTINCT = 0.005
"""Distance by which a shape must be higher than all others with another surface [m]."""
_SWITCH, _NEAR_SWITCH = 0.5, 0.05
"""Component of a normal along y beyond which MuJoCo's pyramids of friction have edges towards
another axis, and how near to it a ball may slide across it."""
PRESSED_DIRECTIONS = tuple(
    sorted(directions(), key=lambda n: bool(abs(abs(n[1]) - _SWITCH) < _NEAR_SWITCH))
)
"""Directions from which balls are pressed; last those from which friction may change its edges."""
_ASIDE, _ASIDE_ON_PLANE = 0.01, 1e3
"""How far the directions are turned whose points lie around the one below a ball [rad]; how far
from its origin a plane gets a ball [m]."""
_PUSHING = {"adhesion", "surfacevel"}
"""MuJoCo's settings of a shape that push a ball which slides on it."""
_FLUSH, _BASE = 1e-9, 0.01
"""Depth in another plane in which a ball still lies on it; thickness of a height map below its
lowest point, which MuJoCo demands [m]."""
_WIDE = 4.0
"""Width of a mesh up to which balls are pressed on it [m]."""
_ENDLESS = 1e5
"""Reach from which a shape has no end in a direction [m]."""
_INSET = 1e-2
"""Distance of the position from all stops [rad or m]."""
_MOMENTS = [
    Ball(center=np.zeros(3), turns=turns, touches=frozenset()).moment for turns in (False, True)
]
"""Moments of inertia of balls that do not turn, and that do [kg m^2]."""
_MAX_SAG, MIN_STIFFNESS = 0.05, 1e-5
"""Penetration at rest up to which a ball is pressed on a shape [m]; least stiffness [N/m]."""
_Named = Sequence[tuple[str, Factory]]
_Limits = tuple[float | Array, float | Array]
"""The least and the largest value, or those of both motions in which balls slide."""
_Shown = Mapping[int, _Limits]
"""The limits of a quantity by the number of the shape."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """A shape at its place in the world.

    Attributes:
        link: The link of the shape.
        collision: The shape.
        X_WG: Its pose.
        support: Its support function in the world.
        triangles: Number of triangles that PyBullet tests against each ball in each step: those of
            a mesh that does not move and is not simplified.
    """

    link: str
    collision: Collision
    X_WG: Pose
    support: SupportFunction
    triangles: int = 0

    @property
    def mu(self) -> float:
        """The coefficient of friction."""
        return self.collision.surface.friction.mu

    @property
    def is_plane(self) -> bool:
        """True for a plane."""
        return isinstance(self.collision.geometry, Plane)

    @property
    def normal(self) -> Array:
        """The normal of a plane in the world."""
        shape = self.collision.geometry
        normal = shape.normal if isinstance(shape, Plane) else (0.0,) * 3
        return np.asarray(self.X_WG.R @ np.array(normal))

    @property
    def surface(self) -> tuple[object, ...]:
        """The properties that decide on the friction of its contacts."""
        friction = self.collision.surface.friction
        return friction.mu, friction.mu2, self.is_frictionless, self.hides_friction

    @property
    def bounce(self) -> tuple[object, ...]:
        """The properties that decide on how it bounces."""
        surface = self.collision.surface
        return surface.restitution, surface.stiffness, surface.damping, surface.engine_settings

    @property
    def is_frictionless(self) -> bool:
        """True if MuJoCo's contacts with the shape have one dimension."""
        return self._settings.get("condim") == "1"

    @property
    def hides_friction(self) -> str:
        """The reason why a ball does not show the friction; empty if it does."""
        surface, friction = self.collision.surface, self.collision.surface.friction
        if friction.mu != friction.mu2:
            return "have another friction in a second direction"
        if friction.mu > MAX_FRICTION:
            return f"have a friction above {MAX_FRICTION:g}"
        if surface.restitution or (surface.stiffness, surface.damping) != (None, None):
            return "bounce or sway"
        return "move or hold what touches them" if self._settings.keys() & _PUSHING else ""

    @property
    def refusal(self) -> str:
        """The reason why the shape does not carry a ball at rest; empty if it does."""
        surface = self.collision.surface
        if isinstance(self.collision.geometry, Heightmap):
            return "have no outermost point"
        if isinstance(self.collision.geometry, Mesh) and _width(self.support) > _WIDE:
            return f"are meshes wider than {_WIDE:g} m, in whose gaps a ball may lie"
        if self.triangles > MAX_TRIANGLES:
            return f"are fixed meshes of more than {MAX_TRIANGLES} triangles, which take too long"
        sag, rate = Softness.of(tuple(self._settings.items()), 0.0).sag(BALL_WEIGHT), math.inf
        if surface.stiffness is not None:
            sag = max(sag, BALL_WEIGHT / max(surface.stiffness, MIN_STIFFNESS))
            half = 0.5 * (math.inf if surface.damping is None else surface.damping)
            slow = half - math.sqrt(max(half**2 - surface.stiffness, 0.0))
            rate = rate if math.isinf(half) else slow
        if sag > _MAX_SAG:
            return f"yield by more than {_MAX_SAG:g} m under a ball"
        return "come to rest too slowly" if rate * MAX_RESTS * REST_TIME < SETTLED else ""

    @property
    def has_extent(self) -> bool:
        """True for a primitive shape whose sizes are all positive and finite, and other shapes."""
        shape = self.collision.geometry
        if isinstance(shape, Box | Sphere | Cylinder | Capsule | Ellipsoid):
            return all(0.0 < size < math.inf for size in np.hstack(astuple(shape)))
        return True

    @property
    def _settings(self) -> dict[str, str]:
        """MuJoCo's settings that the surface states."""
        return dict(settings_of(self.collision.surface, MUJOCO))

    @property
    def hides_rolling(self) -> str:
        """The reason why a ball does not show that it rolls; empty if it does."""
        rolling = self.collision.surface.friction.rolling
        if rolling or self._settings.get("condim") == "6":
            return "brake what rolls"
        return self.hides_friction

    @property
    def hides_bounce(self) -> str:
        """The reason why a ball does not show how it bounces; empty if it does."""
        surface = self.collision.surface
        if surface.stiffness is not None or surface.damping is not None:
            return "sway"
        return "hold what touches them" if self._settings.keys() & _PUSHING else ""

    @property
    def lean(self) -> float:
        """The tangent of the angle by which normals of a contact with a mesh are inclined at most.

        A ball may span a gap of a mesh that runs as triangles, and touch its two sides, where the
        normals are inclined by at most theta, ``sin(theta) = w / (2 R)`` with the width w of the
        mesh and the radius R.
        """
        if not isinstance(self.collision.geometry, Mesh):
            return 0.0
        return math.tan(math.asin(0.5 * _width(self.support) / BALL_RADIUS))

    def most_friction(self, mu: float | Array) -> float | Array:
        """Return the largest coefficient of friction that the mean over two opposite directions
        may show: ``mu (1 + tan^2(theta)) / (1 - mu^2 tan^2(theta))``, see `lean`.

        Args:
            mu: The coefficient of friction.
        """
        tangent_squared = self.lean**2
        return mu * (1.0 + tangent_squared) / (1.0 - mu**2 * tangent_squared)

    def sliding_speed(self, step: float, count: int) -> float:
        """Return the speed with which a ball begins to slide in a number of steps [m/s].

        Args:
            step: Time step [s].
            count: The number of steps.
        """
        taken = BALL_WEIGHT * self.mu * count * step
        law = ContactLaw.of(tuple(self._settings.items()), self.mu, step, Stepping())
        lag = min(law.lag, MAX_RESTS * REST_TIME / SETTLED)  # balls rest only with a shorter one
        return SPARE * (taken + 0.5 * BALL_WEIGHT * self.mu * lag)

    def clearance(self, center: Array, axes: Sequence[Array]) -> float:
        """Return how far a ball is from the shape, or from its extent along some axes [m]; negative
        where it overlaps.

        Args:
            center: The center of the ball in the world [m].
            axes: The axes for a shape that is no plane, in the world.
        """
        if self.is_plane:
            return float(self.normal @ (center - self.X_WG.p)) - BALL_RADIUS
        return max(float(d @ center) - self.support(d) for d in axes) - BALL_RADIUS

    def point(self, n: Array) -> Array:
        """Return a point at which the shape is outermost in a direction, amid all of them, in the
        world [m].
        """
        if self.is_plane:
            return np.asarray(self.X_WG.p)
        _, t, s = axes_of(n)
        steps = _ASIDE * np.array((t, s))
        around = [
            outermost_point(self.support, n + _ASIDE * (a * t + b * s), steps)
            for a, b in ((1.0, 0.7), (1.0, -0.7), (-1.0, 0.7), (-1.0, -0.7))
        ]
        return np.asarray(self.support(n) * n + np.mean(around, axis=0))


def axes_of(n: Array) -> tuple[Array, Array, Array]:
    """Return a direction, one in which MuJoCo's pyramids of friction have an edge, and their
    normal.
    """
    start = np.array((0.0, 1.0, 0.0) if abs(n[1]) < _SWITCH else (0.0, 0.0, 1.0))
    t = start - (start @ n) * n
    t /= np.linalg.norm(t)
    return n, t, np.cross(n, t)


def slide_steps(exported: float) -> int:
    """Return the number of steps in which balls slide, the same at all steps, so that their way
    becomes less with the step.

    Args:
        exported: Time step of the export [s].
    """
    return max(1, min(SLIDE_STEPS, math.floor(SLIDE_TIME / exported)))


def roll_time(step: float) -> float:
    """Return for how long balls roll that are no longer pulled [s], at a time step [s]."""
    return max(ROLL_TIME, 2 * ROLL_STEPS * step)


def rolling_speed(mu: float, step: float) -> float:
    """Return the speed with which a ball begins that rigid friction makes roll in `ROLL_STEPS`
    [m/s].

    Args:
        mu: The coefficient of friction.
        step: Time step [s].
    """
    return 3.5 * BALL_WEIGHT * max(mu, ROUNDING) * ROLL_STEPS * step


class _Pressed(NamedTuple):
    """A shape that balls touch, and from where.

    Attributes:
        target: The shape.
        n: The direction from the shape to the balls, in the world.
        shift: Displacement of the balls [m].
        others: How much lower other shapes are that do not move against it [m]; and zero for the
            shape itself if it collides as several parts.
        law: The law by which balls move on it; None for that of rigid contact.
    """

    target: _Target
    n: Array
    shift: Array
    others: tuple[tuple[float, _Target], ...] = ()
    law: ContactLaw | None = None

    @property
    def lift(self) -> float:
        """The height above that at rest of a ball at the end of a step of its fall [m].

        By a law it begins to touch `FIRST_DEPTH` steps deep, however little that is at rest.
        """
        law = self.law
        if law is None:
            return 0.0
        return min(law.depth_at_rest(BALL_WEIGHT), _MAX_SAG) - FIRST_DEPTH * law.step

    def beside(self, depth: float = _DISTINCT) -> list[_Target]:
        """Return the others that a ball touches in a depth [m]; those that are as high."""
        return [each for drop, each in self.others if drop < depth]

    def by_law(self, steps: tuple[float, float]) -> dict[str, _Limits]:
        """Return the least and the largest value of each quantity by the law; nothing without one.

        Args:
            steps: Time step, and that for which the model is exported [s].
        """
        if self.law is None:
            return {}
        return _shown_by(self.law, self.target.collision.surface, len(self.beside()), steps)

    def hides_bounce(self, step: float) -> str:
        """Return the reason why a ball does not show how the shape bounces, in an export for a
        time step [s]; empty if it does. An impact is at most half of a period of a spring, so that
        the ball goes as deep as its duration over pi, times 1 m/s.
        """
        own, depth = self.target.bounce, max(BOUNCE_TIME, IMPACT_STEPS * step) / math.pi
        is_alone = all(each.bounce == own for each in self.beside(depth))
        return "" if is_alone else "bounce with others that do so in another way"

    def inclination(self) -> float:
        """Return how far the normal of a contact with a shape beside is inclined at most [rad]; a
        plane that is as high has the same normal.
        """
        point, (_, *tangents) = self.target.point(self.n), axes_of(self.n)
        sides = [sign * t for t in tangents for sign in (1.0, -1.0)]
        beside = [each for each in self.beside() if not each.is_plane]
        reach = max((each.support(d) - d @ point for each in beside for d in sides), default=0)
        return math.atan(math.sqrt(2.0) * float(reach) / BALL_RADIUS)


def touch_rows(mechanism: Mechanism, factories: _Named) -> Iterator[Row]:
    """Yield rows for each engine in which balls touch the model as it is exported: whether the
    shapes carry their weight, whether they slide with the stated friction, are held by it, roll and
    bounce, and how many shapes do not show it, with the reasons.

    Args:
        mechanism: The mechanism.
        factories: The engines by name.
    """
    q = _still_position(mechanism)
    pressed, left_out = _targets(mechanism, q)
    total = len(pressed) + left_out.total()
    balls = [
        _ball(mechanism, each, turns) for turns in (False, False, True, True) for each in pressed
    ]
    for name, factory in factories if total else ():
        if not solves_constraints(factory):
            continue
        if balls:
            try:
                yield from _rows_of(mechanism, factory, q, pressed, balls, total)
            except NotReportedError as error:
                yield _not_shown(ACTING[0], name, str(error))
                continue
        if left_out:
            yield _not_shown(ACTING[0], name, _counted_reasons(left_out, total, "were not pressed"))


def _ball(mechanism: Mechanism, pressed: _Pressed, turns: bool) -> Ball:
    group = mechanism.weld_group_of(pressed.target.link)
    links = (link.name for link in mechanism.scene.links)
    return Ball(
        center=pressed.target.point(pressed.n) + BALL_RADIUS * pressed.n + pressed.shift,
        turns=turns,
        touches=frozenset(name for name in links if mechanism.weld_group_of(name) == group),
    )


def _rows_of(
    mechanism: Mechanism,
    factory: Factory,
    q: Mapping[str, Position],
    pressed: Sequence[_Pressed],
    balls: Sequence[Ball],
    total: int,
) -> Iterator[Row]:
    """Yield the rows of balls in one engine at two steps, which say on how many of all shapes they
    were.
    """
    found: list[dict[str, Array]] = []
    stated: list[tuple[dict[str, dict[int, _Limits]], dict[str, Counter[str]]]] = []
    stepping = Stepping.of(mechanism.physics)
    exported = mechanism.physics.time_step
    counts = {link.name: len(shapes_of(link)) for link in mechanism.scene.links}
    for step in (exported, exported / 2.0):
        with closing(as_exported(factory)(mechanism)) as engine:
            engine.set_step(step)
            engine.set_state(q, {})
            surfaces = engine.surfaces()
            as_held = (_as_held(each, surfaces, counts[each.target.link]) for each in pressed)
            held = [_with_law(engine, each, stepping, step) for each in as_held]
            targets = [each.target for each in held]
            longest = _most_rests(exported) * REST_TIME
            steps = step, exported
            unfit = [_unfit(engine, each, longest, steps) for each in held]
            stated.append(_expected(engine, held, unfit, surfaces, steps))
            fit = np.array([not lack for lack in unfit])
            depths = [_depth(engine, each, longest) for each in held]
            sunk = [
                replace(ball, center=ball.center - depth * each.n)
                for ball, each, depth in zip(balls, held * 4, depths * 4, strict=True)
            ]
            found.append(_Session(engine.touch(sunk), held, fit, steps).found())
    for quantity in ACTING:
        limits = [shown[quantity] for shown, _ in stated]
        numbers = sorted(limits[0].keys() & limits[1].keys())
        if numbers:
            yield _row(quantity, engine.name, targets, numbers, found, limits, step, total)
        hidden = stated[0][1][quantity] | stated[1][1][quantity]
        if hidden:
            reasons = _counted_reasons(hidden, len(targets), "do not show it")
            yield _not_shown(quantity, engine.name, reasons)


def _most_rests(exported: float) -> int:
    """Return the largest number of durations in which balls must be at rest, for the time step of
    an export [s].
    """
    return max(MAX_RESTS, math.ceil(MAX_REST_STEPS * exported / REST_TIME))


def _depth(engine: Engine, pressed: _Pressed, longest: float) -> float:
    """Return the depth in which a ball begins [m]: where it rests on a contact that is so slow that
    it would not come to rest in a duration [s]; and where contacts begin by a law.
    """
    if pressed.law:
        return -pressed.law.margin
    rate, depth = engine.resting(pressed.target.link, pressed.target.collision)
    return depth if rate * longest < SETTLED else 0.0


def _unfit(engine: Engine, pressed: _Pressed, longest: float, steps: tuple[float, float]) -> str:
    """Return the reason why a shape shows nothing in an engine; empty if it does not.

    Args:
        engine: The engine.
        pressed: The shape.
        longest: Longest duration in which balls come to rest [s].
        steps: Time step, and that for which the model is exported [s].
    """
    target = pressed.target
    carried = np.array(pressed.by_law(steps).get(ACTING[0], (1.0, 1.0)))
    if np.abs(carried - 1.0).max() > LEFT[ACTING[0]]:
        return "let no ball come to rest at these time steps"
    if pressed.beside(_depth(engine, pressed, longest)):
        return "come to rest too slowly beside others"
    reports = [d for d in engine.diagnostics if target.link in d.subjects]
    if not target.has_extent and any(d.is_one_of({mjcf_codes.EMPTY_SHAPE}) for d in reports):
        return "have no extent"
    if target.is_plane and any(d.is_one_of({mjcf_codes.MOVING_PLANE}) for d in reports):
        return "are planes on links that move, which the export leaves out"
    return ""


def _as_held(pressed: _Pressed, surfaces: Surfaces, count: int) -> _Pressed:
    """Return a shape as an engine holds it: beside itself if it collides as several parts, which
    may carry a ball together; and with the friction of an engine that has one coefficient for all
    shapes of its link, and another one than the file, which other rows compare.

    Args:
        pressed: The shape.
        surfaces: Those of the engine.
        count: Number of shapes that the link states.
    """
    target = pressed.target
    is_mesh = isinstance(target.collision.geometry, Mesh)
    if is_mesh and len(surfaces.supports.get(target.link, ())) > count:
        pressed = pressed._replace(others=((0.0, target), *pressed.others))
    coefficients, surface = set(surfaces.friction.get(target.link, ())), target.collision.surface
    if len(coefficients) != 1 or target.mu != surface.friction.mu2:
        return pressed
    (mu,) = coefficients
    held = replace(surface, friction=replace(surface.friction, mu=mu, mu2=mu))
    collision = replace(target.collision, surface=held)
    return pressed._replace(target=replace(target, collision=collision))


def _with_law(engine: Engine, pressed: _Pressed, stepping: Stepping, step: float) -> _Pressed:
    """Return a shape with the law of its settings, in an engine that obeys them and in which it
    neither bounces nor sways as the file states.

    Args:
        engine: The engine.
        pressed: The shape.
        stepping: How MuJoCo takes steps.
        step: The time step [s].
    """
    surface = pressed.target.collision.surface
    is_plain = not surface.restitution and (surface.stiffness, surface.damping) == (None, None)
    if not (engine.obeys_mjcf_settings and is_plain):
        return pressed
    settings = settings_of(surface, MUJOCO)
    return pressed._replace(law=ContactLaw.of(settings, pressed.target.mu, step, stepping))


def _expected(
    engine: Engine,
    pressed: Sequence[_Pressed],
    unfit: Sequence[str],
    surfaces: Surfaces,
    steps: tuple[float, float],
) -> tuple[dict[str, dict[int, _Limits]], dict[str, Counter[str]]]:
    """Return what shapes show by quantity, and the number of those that do not by reason.

    Args:
        engine: The engine.
        pressed: The shapes.
        unfit: The reason why each shows nothing; empty if it does not.
        surfaces: Its surfaces.
        steps: Time step, and that for which the model is exported [s].
    """
    shown: dict[str, dict[int, _Limits]] = {quantity: {} for quantity in ACTING}
    hidden: dict[str, Counter[str]] = {quantity: Counter() for quantity in ACTING}
    for k, each in enumerate(pressed):
        target = each.target
        is_smooth = target.is_frictionless and engine.obeys_mjcf_settings
        mu = 0.0 if is_smooth else target.mu
        is_stated = is_smooth or mu in surfaces.friction.get(target.link, ())
        other = "" if is_stated else "have another coefficient, which another row compares"
        slides, smooth = target.hides_friction or other, "" if mu else "have no friction"
        holds, rolls = slides or smooth, target.hides_rolling or other or smooth
        held = set(surfaces.restitution.get(target.link, ()))
        (restitution,) = held if len(held) == 1 else (target.collision.surface.restitution,)
        bounces_on = engine.obeys_mjcf_settings and restitution > MAX_RESTITUTION
        presses = "bounce a ball for seconds" if bounces_on else ""
        rate, _ = engine.resting(target.link, target.collision)
        sways = "" if math.isinf(rate) else "sway"
        is_thick = engine.excess(target.link, target.collision) > 0.0
        early = "are thicker in this engine" if is_thick else ""
        bounces = target.hides_bounce or sways or early or each.hides_bounce(steps[1])
        reasons = (presses, slides, holds, rolls, bounces)
        rigid = zip(ACTING, _rigid(mu, engine.bounce(restitution)), strict=True)
        values = {**dict[str, _Limits](rigid), **each.by_law(steps)}
        limits = _limits(each, mu, values, steps)
        for quantity, hides in zip(ACTING, reasons, strict=True):
            reason = unfit[k] or hides
            if reason:
                hidden[quantity][reason] += 1
            else:
                shown[quantity][k] = limits[quantity]
    return shown, hidden


def _rigid(mu: float, bounce: tuple[float, float]) -> Iterator[tuple[float, float]]:
    """Yield the least and the largest value of each quantity by rigid contact on a flat surface."""
    yield from ((value, value) for value in (1.0, mu, 0.0, 5.0 / 7.0))
    yield bounce


def _limits(
    pressed: _Pressed, mu: float, values: Mapping[str, _Limits], steps: tuple[float, float]
) -> dict[str, _Limits]:
    """Return the least and the largest value of each quantity that a shape may show, where balls
    show some on a flat surface.

    A ball that moves turns the normal by its way over its radius: while it slides, while friction
    holds it, which creeps, and while it is pulled away. That pushes it on by this part of its
    weight. If shapes beside the ball carry it, ahead of it or behind it, whose normals are inclined
    by theta, it is braked or pushed by ``tan(theta)`` times its weight; and so it is where it spans
    a gap of a mesh. By a normal that is inclined it shows the friction ``tan(atan(mu) +- theta)``.

    Args:
        pressed: The shape.
        mu: The coefficient of friction.
        values: The least and the largest value of each quantity on a flat surface.
        steps: Time step, and that for which the model is exported [s].
    """
    _, slide, hold, roll, _ = ACTING
    step, count = steps[0], slide_steps(steps[1])
    slid = count * step * pressed.target.sliding_speed(step, count)
    crept = slid + values[hold][1] * mu * BALL_WEIGHT * HOLD_TIME**2
    pulled = crept + 0.5 * PULLED * mu * BALL_WEIGHT * (count * step) ** 2
    theta = pressed.inclination() if mu else 0.0
    least, most = values[slide]
    angle = np.arctan(pressed.target.most_friction(most)) + np.full(2, theta)
    tangent = np.where(angle < math.pi / 2.0, np.tan(angle), math.inf)
    turned = np.array((slid, pulled)) / BALL_RADIUS
    slides = np.tan(np.arctan(least) - theta - turned), tangent
    held, yields = values[hold]
    yields = yields * (1.0 + crept / BALL_RADIUS / (HELD * max(mu, ROUNDING)))
    slope = math.tan(theta) + pressed.target.lean
    yields += 0.5 * max(slope / max(mu, ROUNDING) - (1.0 - HELD), 0.0)  # one of two balls slides
    rolls = count * step + roll_time(step)
    pushed = 0.5 * BALL_WEIGHT * rolls**2 / BALL_RADIUS
    aside = BALL_WEIGHT * math.tan(theta) * rolls / rolling_speed(mu, step)
    slowest, fastest = values[roll]
    return {
        **values,
        slide: slides,
        hold: (held, yields),
        roll: (slowest - aside, fastest + aside + pushed),
    }


@lru_cache(maxsize=1024)
def _shown_by(
    law: ContactLaw, surface: Surface, others: int, steps: tuple[float, float]
) -> dict[str, _Limits]:
    """Return the least and the largest value of each quantity that a law lets balls show on a flat
    surface: that of a shape alone, and of it and others that a ball may touch as well, each of
    which it reaches at any time within a step.

    Args:
        law: The law.
        surface: The surface.
        others: The number of others.
        steps: Time step, and that for which the model is exported [s].
    """
    up = np.array((0.0, 0.0, 1.0))
    flat = Collision(name="", X_LG=IDENTITY, geometry=Plane(), surface=surface)
    target = _Target(link="", collision=flat, X_WG=IDENTITY, support=half_space(up))
    laws = [law._replace(contacts=n) for n in {1, min(2, 1 + others), 1 + others}]
    if law.stepping.prevents_slip:  # as far as the iterations do
        admits = law.stepping._replace(prevents_slip=False)
        laws += [each._replace(stepping=admits) for each in laws]
    found: dict[str, list[Array]] = {quantity: [] for quantity in ACTING}
    for each in laws:
        pressed = [_Pressed(target, up, np.zeros(3), law=each)]
        session = _Session(_LawfulBalls(each, up), pressed, np.ones(1, bool), steps)
        for quantity, values in session.found().items():
            found[quantity].append(values[..., 0])
    if others:
        depths = (np.linspace(ROUNDING, 1.0, IMPACT_PHASES) * law.step).tolist()
        longest = max(BOUNCE_TIME, IMPACT_STEPS * steps[1])
        rebounds = [each.rebound(depth, longest) for each in laws for depth in depths]
        found[ACTING[-1]] = [np.asarray(rebound) for rebound in rebounds]
    return {name: (np.min(each, axis=0), np.max(each, axis=0)) for name, each in found.items()}


class _LawfulBalls:
    """The balls of one shape, which is flat, by a law; see `bridge.parity.engine.TouchedModel`.

    Of each two that move in opposite directions one is computed.

    Args:
        law: The law.
        n: The normal.
    """

    def __init__(self, law: ContactLaw, n: Array) -> None:
        _, t, _ = axes_of(n)
        self._law, self._axes = law, np.array((n, t))
        self._both = np.array(((n, t), (n, -t)))
        start: BallState = (0.0, 0.0, 0.0, 0.0)
        self._balls, self._pushes = [start, start], [[0.0, 0.0]] * 2

    def positions(self) -> Array:
        return np.outer(np.repeat([height for height, *_ in self._balls], 2), self._axes[0])

    def velocities(self) -> Array:
        velocities = np.array([(up, along) for _, up, along, _ in self._balls])
        return np.asarray(np.einsum("bi,sij->bsj", velocities, self._both).reshape(-1, 3))

    def model_speed(self) -> float:
        return 0.0

    def set_velocities(self, velocities: Array) -> None:
        for k, (up, along) in enumerate((velocities[::2] @ self._axes.T).tolist()):
            self._balls[k] = (self._balls[k][0], up, along, 0.0)

    def push(self, forces: Array) -> None:
        self._pushes = (forces[::2] @ self._axes.T).tolist()

    def step(self, count: int) -> None:
        for k, (up, along) in enumerate(self._pushes):
            for _ in range(count):
                self._balls[k] = self._law.after_step(self._balls[k], (up, along), _MOMENTS[k])


def _row(
    quantity: str,
    name: str,
    targets: Sequence[_Target],
    numbers: Sequence[int],
    found: Sequence[Mapping[str, Array]],
    limits: Sequence[_Shown],
    step: float,
    total: int,
) -> Row:
    """Return the row of the shape that is worst: its error is what remains as the step vanishes.

    An error of first order halves with the step, so that twice the second error minus the first is
    zero; one whose sign changes, because an impact ends within a step, is smaller at the shorter
    step; and one that does not depend on the step stays as it is. The tolerance is by how much the
    error becomes smaller, which the step explains, and what solvers leave.
    """
    values = [each[quantity][..., numbers] for each in found]
    ranges = [np.moveaxis(np.array([each[k] for k in numbers]), 0, -1) for each in limits]
    coarse, fine = (value - np.clip(value, *r) for value, r in zip(values, ranges, strict=True))
    explained = np.maximum(np.abs(coarse) - np.abs(fine), 0.0)
    tolerances = explained + LEFT.get(quantity, ROUNDING)
    errors = np.minimum(np.abs(2.0 * fine - coarse), np.abs(fine))
    errors = np.where(np.isfinite(tolerances), errors, math.inf)
    tolerances = np.where(np.isfinite(tolerances), tolerances, ROUNDING)
    worst = np.unravel_index(int(np.argmax(errors / tolerances)), errors.shape)
    error, tolerance, link = errors[worst], tolerances[worst], targets[numbers[int(worst[-1])]].link
    return Row(
        level=Level.MOTION,
        quantity=quantity,
        engines=(EXACT_MOTION, name),
        error=float(error),
        tolerance=float(tolerance),
        where=link,
        subjects=(link,),
        outcome=Outcome.PASSED if error <= tolerance else Outcome.FAILED,
        is_stated=False,
        loaded=(len(numbers), total),
        convergence=((2.0 * step, abs(coarse[worst])), (step, abs(fine[worst]))),
    )


class _Session:
    """Balls on a model at one time step: for each shape two that do not turn, which slide in
    opposite directions, and then two that turn.

    Args:
        model: The model with the balls.
        pressed: The shapes.
        fit: Whether each shape shows anything; others need not be at rest.
        steps: Time step, and that for which the model is exported [s].
    """

    def __init__(
        self,
        model: TouchedModel,
        pressed: Sequence[_Pressed],
        fit: Array,
        steps: tuple[float, float],
    ) -> None:
        self._model, (self._step, exported) = model, steps
        self._impact = max(BOUNCE_TIME, IMPACT_STEPS * exported)
        self._rests, self._rest = _most_rests(exported), np.tile(fit, 4)
        self._n, self._slides = 2 * len(pressed), slide_steps(exported)
        axes = [axes_of(each.n) for each in pressed]
        frames = [np.column_stack((t, s, n)) for n, t, s in axes]
        self._frames = np.array(frames * 4)
        self._mu = np.array([each.target.mu for each in pressed] * 2)
        speeds = [each.target.sliding_speed(self._step, self._slides) for each in pressed]
        self._speeds = np.array(speeds * 2)
        self._sign = np.repeat((1.0, -1.0), len(pressed))
        self._forces = np.zeros((2 * self._n, 3))
        points = np.array([each.target.point(each.n) for each in pressed])
        self._reach = max(1.0, float(np.linalg.norm(np.ptp(points, axis=0))))
        self._lifts = np.array([each.lift for each in pressed] * 2)

    def found(self) -> dict[str, Array]:
        """Return what the shapes show by quantity; the last axis is that of the shapes."""
        force, slide, hold, roll, bounce = ACTING
        carried = self._settle()
        slid, rebound = self._slide_and_bounce()
        held, slipped, rolled = self._hold_and_roll()
        pairs = {force: carried, bounce: rebound, hold: held, roll: rolled}
        found = {name: each.reshape(2, -1).mean(axis=0) for name, each in pairs.items()}
        return found | {slide: np.array((slid, slipped)).reshape(2, 2, -1).mean(axis=1)}

    def _velocities(self) -> Array:
        """Return the velocities in the frames of the shapes, whose z axis is the normal [m/s]."""
        return np.asarray(np.einsum("nij,ni->nj", self._frames, self._model.velocities()))

    def _set_velocities(self, velocities: Array) -> None:
        self._model.set_velocities(np.einsum("nij,nj->ni", self._frames, velocities))

    def _push(self, along: Array, weights: float) -> None:
        """Push the sliding balls along their shapes, and press the others with their weights."""
        self._forces[:, 2] = -BALL_WEIGHT
        self._forces[: self._n, 0], self._forces[self._n :, 2] = along, -weights
        self._model.push(np.einsum("nij,nj->ni", self._frames, self._forces))

    def _run(self, seconds: float) -> None:
        self._model.step(max(1, round(seconds / self._step)))
        if not self._model.model_speed() * self._reach < MAX_MODEL_SPEED:
            raise NotReportedError("the model moves when it should be at rest")

    def _settle(self) -> Array:
        """Return the part of its weight that carries each ball that does not turn at rest, by the
        change of its momentum; a ball that moves on is not at rest.
        """
        self._push(np.zeros(self._n), BALL_WEIGHT)
        self._run(self._step)
        before, fall = self._velocities(), BALL_WEIGHT * REST_TIME
        for _ in range(self._rests):
            self._run(REST_TIME)
            start, before = before, self._velocities()
            gained = np.abs((start, before - start))[..., 2] / fall
            before[self._n :, :2] = 0.0
            self._set_velocities(before)
            if gained[:, self._rest].max(initial=0.0) < REST_ERROR:
                break
        speed = (before[:, 2] / fall)[: self._n]
        changed = ((before - start)[:, 2] / fall)[: self._n]
        return np.asarray(1.0 + np.where(np.abs(speed) > np.abs(changed), speed, changed))

    def _slide_and_bounce(self) -> tuple[Array, Array]:
        """Return the coefficient of friction of each ball that slides, the momentum that it loses
        over that which carries it; and the speed with which each other ball leaves that arrives
        with 1 m/s.

        The ball is first moved away, so that it arrives at the end of a step at the height at which
        it was at rest, or that which `_Pressed.lift` states.
        """
        before, heights = self._velocities(), self._heights()
        taken = BALL_WEIGHT * self._slides * self._step
        before[: self._n, 0] += self._sign * self._speeds
        before[self._n :, :2] = 0.0
        before[self._n :, 2] = 1.0 + self._lifts / (self._slides * self._step)
        self._set_velocities(before)
        self._push(np.zeros(self._n), 0.0)
        self._model.step(self._slides)
        after = self._velocities()
        lost = self._sign * (before - after)[: self._n, 0]
        carrying = (after - before)[: self._n, 2] + taken
        after[: self._n], after[self._n :] = 0.0, (0.0, 0.0, -1.0)
        self._set_velocities(after)
        speeds = np.zeros(self._n)
        for _ in range(self._slides + round(self._impact / self._step)):
            self._model.step(1)
            speeds = np.maximum(speeds, self._velocities()[self._n :, 2])
        after = self._velocities()
        after[self._n :] = 0.0
        after[self._n :, 2] = (heights - self._heights()) / (FALL_STEPS * self._step)
        self._set_velocities(after)
        self._model.step(FALL_STEPS)
        return _ratio(lost, carrying), speeds

    def _heights(self) -> Array:
        """Return the positions of the turning balls along the normals [m]."""
        positions = self._model.positions()[self._n :]
        return np.asarray(np.einsum("ni,ni->n", self._frames[self._n :, :, 2], positions))

    def _hold_and_roll(self) -> tuple[Array, Array, Array]:
        """Return the part of the friction that each ball gains that friction should hold; the
        coefficient of friction of each ball that is pulled away; and the speed that each other ball
        keeps that begins to slide and then rolls.
        """
        friction = self._mu * BALL_WEIGHT
        self._set_velocities(np.zeros((2 * self._n, 3)))
        self._push(HELD * self._sign * friction, BALL_WEIGHT)
        self._run(HOLD_TIME)
        before = self._velocities()
        speed = np.array([rolling_speed(mu, self._step) for mu in self._mu])
        before[self._n :] = 0.0
        before[self._n :, 0] = self._sign * speed
        self._set_velocities(before)
        self._push(PULLED * self._sign * friction, BALL_WEIGHT)
        self._model.step(self._slides)
        after, taken = self._velocities(), self._slides * self._step
        gained = self._sign * (after - before)[: self._n, 0]
        slipped = PULLED * friction * taken - gained
        carrying = (after - before)[: self._n, 2] + BALL_WEIGHT * taken
        self._push(np.zeros(self._n), BALL_WEIGHT)
        self._run(roll_time(self._step))
        rolled = self._sign * self._velocities()[self._n :, 0] / speed
        held = self._sign * before[: self._n, 0]
        return _ratio(held, friction * HOLD_TIME), _ratio(slipped, carrying), rolled


def _ratio(parts: Array, wholes: Array) -> Array:
    """Return parts over wholes; zero for no whole, as that of friction that nothing carries."""
    return np.divide(parts, wholes, out=np.zeros(len(parts)), where=wholes != 0.0)


def _counted_reasons(reasons: Counter[str], total: int, lack: str) -> str:
    listed = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    return f"{reasons.total()} of {counted(total, 'shape')} {lack}: {listed}"


def _not_shown(quantity: str, name: str, cause: str) -> Row:
    return Row(
        level=Level.MOTION,
        quantity=quantity,
        engines=(EXACT_MOTION, name),
        tolerance=ROUNDING,
        outcome=Outcome.UNKNOWN,
        cause=cause,
        is_stated=False,
    )


def _still_position(mechanism: Mechanism) -> Mapping[str, Position]:
    """Return the home position, away from the stops."""
    q = {name: np.array(np.atleast_1d(x), float) for name, x in mechanism.home_positions().items()}
    for (joint, k), (least, most) in limited_dofs(mechanism).items():
        inset = min(_INSET, (most - least) / 4.0)
        q[joint][k] = np.clip(q[joint][k], least + inset, most - inset)
    return {name: tuple(x.tolist()) for name, x in q.items()}


def _targets(
    mechanism: Mechanism, q: Mapping[str, Position]
) -> tuple[list[_Pressed], Counter[str]]:
    """Return the shapes on which balls are pressed, with the direction and a displacement of each,
    and the number of those that get none, by reason.
    """
    poses, left_out = mechanism.link_poses(q), Counter[str]()
    groups: dict[int, list[_Target]] = {}
    fixed = mechanism.weld_group_of(WORLD)
    for link in mechanism.scene.links:
        group = mechanism.weld_group_of(link.name)
        for collision in filter(exerts_forces, link.collisions):
            X_WG = poses[link.name] @ collision.X_LG
            support = _support_or_extent(collision.geometry)
            if support is None or not math.isfinite(support(np.array((0.0, 0.0, 1.0)))):
                left_out["cannot be read"] += 1
            else:
                target = _Target(
                    link=link.name,
                    collision=replace(
                        collision, surface=with_override(collision.surface, mechanism.physics)
                    ),
                    X_WG=X_WG,
                    support=moved_support(support, X_WG),
                    triangles=_triangles(collision.geometry) if group == fixed else 0,
                )
                groups.setdefault(group, []).append(target)
    found: list[_Pressed] = []
    for shapes in groups.values():
        pressed = _pressed_in(shapes)
        left_out.update(
            each.refusal or "lie within other shapes that do not move against them"
            for each in shapes
            if not any(each is other.target for other in pressed)
        )
        found += pressed
    if len(found) > MAX_BALLS:
        left_out[f"are beyond the first {MAX_BALLS}"] += len(found) - MAX_BALLS
    return found[:MAX_BALLS], left_out


def _triangles(shape: Geometry) -> int:
    """Return the number of triangles of a mesh that collides as it is; zero for other shapes."""
    if not isinstance(shape, Mesh) or is_simplified(shape):
        return 0
    data = read_mesh(shape, Diagnostics())
    return 0 if data is None else sum(len(part.faces) for part in data.parts)


def _width(support: SupportFunction) -> float:
    return max(support(d) + support(-d) for d in np.eye(3))


def _support_or_extent(shape: Geometry) -> SupportFunction | None:
    """Return the support function of a shape; that of a height map is of the box around it, in
    which no ball may be.
    """
    if isinstance(shape, Heightmap):
        x, y, height = shape.size
        corners = product((-0.5 * x, 0.5 * x), (-0.5 * y, 0.5 * y), (-_BASE, height))
        return support_of_points(np.array(list(corners)) + shape.position)
    return half_space(np.array(shape.normal)) if isinstance(shape, Plane) else support_of(shape)


def _pressed_in(group: Sequence[_Target]) -> list[_Pressed]:
    """Return the shapes of links that do not move against each other on which balls are pressed,
    with the direction and a displacement of each.
    """
    refused = {id(each) for each in group if each.refusal}
    found: dict[int, _Pressed] = {}
    with_others: dict[int, _Pressed] = {}
    for each in (each for each in group if each.is_plane and id(each) not in refused):
        place = _place_on_plane(each, group, refused)
        if place is not None:
            (with_others if place.beside() else found)[id(each)] = place
    for n in PRESSED_DIRECTIONS:
        if len(found) == len(group):
            break
        highest = _outermost(group, n, refused)
        if highest and not highest[0][1].is_plane:
            (_, top), *others = highest
            place = _Pressed(top, n, np.zeros(3), tuple(others))
            places = with_others if place.beside() else found
            places.setdefault(id(top), place)
    return list((with_others | found).values())


def _place_on_plane(
    plane: _Target, group: Sequence[_Target], refused: Collection[int]
) -> _Pressed | None:
    """Return where balls are pressed on a plane, far from its origin and, if that is among others,
    away from other planes; None if other surfaces are everywhere.
    """
    n = plane.normal
    _, t, s = axes_of(n)
    others = [each for each in group if each is not plane]
    sides = [np.array((each.normal @ t, each.normal @ s)) for each in others if each.is_plane]
    away = sum(sides, np.zeros(2))
    for a, b in ((1.0, 0.0), away / max(float(np.linalg.norm(away)), ROUNDING)):
        shift = _ASIDE_ON_PLANE * (a * t + b * s)
        center = plane.point(n) + BALL_RADIUS * n + shift
        drops = [each.clearance(center, (n, a * t + b * s)) for each in others]
        place = _Pressed(plane, n, shift, tuple(zip(drops, others, strict=True)))
        if min(drops, default=0.0) >= -_FLUSH and _is_one(plane, place.beside(), refused):
            return place
    return None


def moved_support(support: SupportFunction, X_WG: Pose) -> SupportFunction:
    """Return the support function of a shape that is moved."""
    return lambda d: float(d @ X_WG.p) + support(X_WG.R.T @ d)


def _outermost(
    shapes: Sequence[_Target], n: Array, refused: Collection[int]
) -> list[tuple[float, _Target]]:
    """Return the shape that is outermost in a direction, then the others, with how much lower each
    is; nothing if another surface is as far out, or a shape on which no ball is pressed.
    """
    heights = [shape.support(n) for shape in shapes]
    order = sorted(range(len(shapes)), key=lambda k: -heights[k])
    if not order or heights[order[0]] > _ENDLESS:
        return []
    found = [(heights[order[0]] - heights[k], shapes[k]) for k in order]
    near = [each for drop, each in found if drop < _DISTINCT]
    return found if _is_one(found[0][1], near, refused) else []


def _is_one(top: _Target, near: Sequence[_Target], refused: Collection[int]) -> bool:
    """Return whether shapes that are as far out as another one have its surface."""
    return all(each.surface == top.surface and id(each) not in refused for each in near)


def support_of(shape: Geometry) -> SupportFunction | None:
    """Return the support function of a shape; None if it has no lowest point."""
    if isinstance(shape, Mesh):
        data = read_mesh(shape, Diagnostics())
        return (lambda _d: -math.inf) if data is None else support_of_points(data.vertices)
    return support_function(shape)


def outermost_point(support: SupportFunction, direction: Array, steps: Array) -> Array:
    """Return the part along some orthogonal steps of the point of a shape that is outermost in a
    direction: the gradient of its support function, by differences.

    Args:
        support: The support function.
        direction: The direction, shape (3,).
        steps: Orthogonal steps of the differences, one in each row.
    """

    def stretched(d: Array) -> float:
        length = float(np.linalg.norm(d))
        return length * support(d / length)

    found = [
        (stretched(direction + u) - stretched(direction - u)) / (2.0 * float(u @ u)) * u
        for u in steps
    ]
    return np.asarray(np.sum(found, axis=0))
