"""Contact, by class: how the model comes to rest on a plane, and how its surfaces slide, bounce and bear a stack.

Simulators make contact each in its own way, so that nothing here is equal: each class has a tolerance of its own, which
its rows state. The model itself, all joints held, is dropped on a plane: its lowest point must end up on it. The
other classes are standard cases with the friction and the restitution of the model, against closed forms; what an
engine makes of two coefficients is its own rule, and is said where it is not the file's.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bridge.bullet.geometry.shapes import HULL_MARGIN
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.parity.engines.protocol import Engine, Factory
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders.model import Box, Collision, Friction, Link, Model, Physics, Plane, Sphere, Surface
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Pose, SpatialInertia, frozen

from .attribution import names_in
from .convergence import EXACTLY
from .rest_height import SOFTNESS, G, Standing, standing

STEP = 1e-3
"""[s]."""
WATCHED, WINDOWS = 25, 12
"""Times in half a second at which a height is taken, and how often a thing that falls over is given as long again."""
SLIDING = 0.01
"""Tolerance of a way, relative: three steps of the 300 in which it stops."""
BOUNCING = 0.02
"""Tolerance of the speed after an impact over that before: a step's part in MuJoCo's ten of an impact, measured."""
STACKING = (3 / 4 + 2 * 2 / 4 + 2 * 1 / 4) * SOFTNESS * G
"""Tolerance of a height [m]: by weights over four corners, times the inverse masses in touch. Only MuJoCo sinks."""
SLIPPERY, ROUGH = 0.01, 2.0
"""Coefficients of friction between which a block slides: a tenth of a millimetre at least; at 4 it would tip over."""
MOST_SURFACES = 2
"""Kinds of surfaces that are tried, the most frequent first."""
CRITICAL = math.exp(-2.0)
"""What a critically damped spring that does not pull leaves of a speed: MuJoCo's contacts bounce no less."""
PUSHED_OUT = 0.08
"""Of the depth that a body has after the step of its impact, PyBullet pushes it out in the next, where it bounces."""
_BOUNCY = "mjcf.restitution"
_THIN = frozenset({"lower.thin-link", "lower.massless-free-link"})
_MULTIPLIES = frozenset({"pybullet"})
"""Engines that multiply the coefficients of two surfaces; of two that are alike all others keep the one."""
_Named = Sequence[tuple[str, Factory]]
_FREE = (0.0, 0.0, 0.0)


def contact_rows(mechanism: Mechanism, factories: _Named, _seed: int) -> Iterator[Row]:
    """All classes in every engine; those that this model does not have say so. Nothing is random."""
    engines = [(name, factory) for name, factory in factories if name != "reference"]
    if not engines:
        return
    stood = standing(mechanism)
    surfaces = _surfaces(mechanism)
    for name, factory in engines:
        yield _unknown("rest height", name, stood) if isinstance(stood, str) else _stood(mechanism, factory, stood)
        for number, surface in enumerate(surfaces, start=1):
            rows = (_slid(name, factory, surface), _bounced(name, factory, surface), _stacked(factory, surface))
            again = f" of surface {number}" if number > 1 else ""
            yield from (dataclasses.replace(row, quantity=f"{row.quantity}{again}") for row in rows)
        if not surfaces:
            yield _unknown("slide, bounce and stack", name, "the model has no shapes that collide")


def _surfaces(mechanism: Mechanism) -> list[Surface]:
    """Friction and restitution of the model's shapes, each pair of numbers once."""
    kinds = Counter(
        (collision.surface.friction.mu, collision.surface.restitution)
        for link in mechanism.scene.links
        for collision in link.collisions
        if not collision.surface.collide_without_contact
    )
    return [
        Surface(friction=dataclasses.replace(Friction(), mu=mu, mu2=mu), restitution=e)
        for (mu, e), _ in kinds.most_common(MOST_SURFACES)
    ]


# --- the model -------------------------------------------------------------------------------------------------------


def _stood(mechanism: Mechanism, factory: Factory, stood: Standing) -> Row:
    """At rest; explained, if it is not, by a link that has no inertia about some axis."""
    row = _rested(factory, stood)
    thin = (d for d in mechanism.diagnostics if d.code in _THIN and names_in(d) & stood.sinks.keys())
    entry = None if row.passed else next(thin, None)
    if entry is None:
        return row
    cause = f"{entry.message}: what touches it turns it without bounds [{entry.code}]"
    return dataclasses.replace(row, outcome=Outcome.EXPLAINED, cause=cause)


def _rested(factory: Factory, stood: Standing) -> Row:
    engine = _opened(factory, stood.scene)
    try:
        height, tolerance, where = _settled(engine, stood)
    finally:
        engine.close()
    if tolerance >= stood.size():
        return _unknown("rest height", engine.name, f"{where} is so soft that it may sink by {tolerance:.2g} m")
    told = f"contacts yield and hulls have margins: within {tolerance:.2g} m of the plane"
    return _judged("rest height", "m", engine, abs(height), tolerance, where, told)


def _settled(engine: Engine, stood: Standing) -> tuple[float, float, str]:
    """Height and tolerance [m] once it stays where it is, and its lowest link.

    Both are means over half a second: what rocks or rings presses with its weight on average.
    """
    heights, allowed, where = np.zeros(1), np.zeros(1), ""
    engine.step(1500)
    for _ in range(WINDOWS):
        seen = [_lowered(engine, stood) for _ in range(WATCHED)]
        heights, allowed = (np.array([each[k] for each in seen]) for k in (0, 1))
        where = seen[-1][2]
        if np.abs(heights - heights.mean()).max() <= allowed.mean():
            break
    return float(heights.mean()), float(allowed.mean()), where


def _lowered(engine: Engine, stood: Standing) -> tuple[float, float, str]:
    engine.step(500 // WATCHED)
    height, where = stood.lowest(engine.link_poses())
    return height, HULL_MARGIN + stood.sinks[where], where


# --- standard cases --------------------------------------------------------------------------------------------------


def _slid(name: str, factory: Factory, surface: Surface) -> Row:
    """A block pushed down a slope that is half as steep as friction bears, against where it must stop."""
    file = surface.friction.mu
    mu = _combined(name, file)
    if not SLIPPERY <= mu <= ROUGH:
        return _unknown("slide", name, f"a block slides measurably for {SLIPPERY:g} to {ROUGH:g}, not for {mu:g}")
    slope = math.atan(mu / 2.0)
    slowing = G * (mu * math.cos(slope) - math.sin(slope))
    speed = 0.3 * slowing
    block = _thing("block", Box(size=(0.4, 0.4, 0.1)), surface, 0.05)
    scene = _scene([block], surface, (G * math.sin(slope), 0.0, -G * math.cos(slope)))
    engine = _opened(factory, scene)
    try:
        engine.step(200)  # contact forces build up first
        start = engine.link_poses()["block"].p[0]
        engine.set_state(engine.positions(), {"block": (speed, 0.0, 0.0, *_FREE)})
        engine.step(500)
        way = float(engine.link_poses()["block"].p[0] - start)
    finally:
        engine.close()
    exact = speed**2 / (2.0 * slowing)
    rule = "" if mu == file else f"; {name} multiplies two coefficients of {file:g}: it slides with {mu:g}"
    told = f"stops after {way:.4g} m, closed form {exact:.4g} m{rule}"
    row = _judged("slide", "", engine, abs(way / exact - 1.0), SLIDING, f"friction {file:g}", told)
    return _unless_it_bounces(row, engine, surface, lambda dull: _slid(name, factory, dull))


def _bounced(name: str, factory: Factory, surface: Surface) -> Row:
    """A ball that falls on the plane, against the speed that restitution leaves it."""
    drop, radius, file = 0.2, 0.1, surface.restitution
    e, allowed, rule = _rebound(name, file)
    engine = _opened(factory, _scene([_thing("ball", Sphere(radius=radius), surface, radius + drop)], surface))
    speeds = []
    try:
        for _ in range(round(0.6 / STEP)):
            engine.step(1)
            speeds.append(float(engine.velocities()[2]))
    finally:
        engine.close()
    impact = int(np.argmin(speeds))
    left = max(0.0, *speeds[impact:]) / (-speeds[impact] or math.nan)
    told = f"leaves with {left:.3f} of its speed, closed form {e:.3g}{rule}"
    return _judged("bounce", "", engine, abs(left - e), allowed, f"restitution {file:g}", told)


def _rebound(engine: str, file: float) -> tuple[float, float, str]:
    """What an engine leaves of the speed of an impact, how far it may be from that, and by which rule."""
    if engine == "mujoco":
        return max(file, CRITICAL), BOUNCING, "; MuJoCo's contacts are damped critically at most" * (file < CRITICAL)
    if engine in _MULTIPLIES and file:
        rule = f"; {engine} multiplies two restitutions of {file:g}, and pushes out up to {PUSHED_OUT:g} of the speed"
        return _combined(engine, file), BOUNCING + PUSHED_OUT, rule
    return file, BOUNCING + (0.0 if engine in _MULTIPLIES else CRITICAL), ""


def _stacked(factory: Factory, surface: Surface) -> Row:
    """Three cubes on one another for a second."""
    cubes = [_thing(f"cube {k + 1}", Box(size=(0.2, 0.2, 0.2)), surface, 0.1 + 0.2 * k) for k in range(3)]
    engine = _opened(factory, _scene(cubes, surface))
    try:
        engine.step(round(1.0 / STEP))
        poses = engine.link_poses()
    finally:
        engine.close()
    moved = {cube.name: float(np.linalg.norm(poses[cube.name].p - cube.X_WL.p)) for cube in cubes}
    where = max(moved, key=lambda cube: math.inf if math.isnan(moved[cube]) else moved[cube])
    told = f"cubes of 0.2 m stay within {STACKING:.2g} m"
    row = _judged("stack", "m", engine, moved[where], STACKING, f"{where}, friction {surface.friction.mu:g}", told)
    return _unless_it_bounces(row, engine, surface, lambda dull: _stacked(factory, dull))


def _unless_it_bounces(row: Row, engine: Engine, surface: Surface, again: Callable[[Surface], Row]) -> Row:
    """A case that is missed: explained by the restitution that the ledger tells of, if it is not missed without."""
    entry = next((entry for entry in engine.diagnostics if entry.code == _BOUNCY), None)
    if row.passed or entry is None:
        return row
    dull = again(dataclasses.replace(surface, restitution=0.0))
    cause = f"{entry.message} [{entry.code}]; without restitution the error is {dull.error:.1g}"
    return dataclasses.replace(row, outcome=Outcome.EXPLAINED, cause=cause) if dull.passed else row


def _combined(engine: str, coefficient: float) -> float:
    return coefficient**2 if engine in _MULTIPLIES else coefficient


def _thing(name: str, shape: Box | Sphere, surface: Surface, height: float) -> Link:
    size = shape.size if isinstance(shape, Box) else (2.0 * shape.radius,) * 3
    moments = [sum(x**2 for x in size) - x**2 for x in size]
    collision = Collision(name="shape", X_LG=IDENTITY, geometry=shape, surface=surface)
    inertia = SpatialInertia.of(1.0, I_Lcm=np.diag(moments) / 12.0)
    return Link(name=name, model=name, X_WL=Pose.of(p=(0.0, 0.0, height)), inertia=inertia, collisions=(collision,))


def _scene(things: Sequence[Link], surface: Surface, gravity: tuple[float, float, float] = (0.0, 0.0, -G)) -> Scene:
    plane = Collision(name="plane", X_LG=IDENTITY, geometry=Plane(), surface=surface)
    ground = Link(name="ground", model="ground", X_WL=IDENTITY, collisions=(plane,))
    models = [Model(name=k.name, X_WM=IDENTITY, canonical_link=k.name, static=k is ground) for k in (ground, *things)]
    return Scene(
        name="contact", gravity=frozen(gravity), physics=Physics(time_step=STEP), models=tuple(models),
        links=(ground, *things),
    )  # fmt: skip


def _opened(factory: Factory, scene: Scene) -> Engine:
    engine = factory(lower(scene))
    engine.set_step(STEP)
    engine.set_state({}, {})
    return engine


# --- rows ------------------------------------------------------------------------------------------------------------


def _judged(
    quantity: str, unit: str, engine: Engine, error: float, tolerance: float, where: str, told: str
) -> Row:  # fmt: skip
    """Within its class it agrees, and the class is named."""
    within = error <= tolerance
    outcome, cause = (Outcome.EXPLAINED, told) if within else (Outcome.FAILED, f"beyond its class: {told}")
    return Row(
        level=Level.CONTACT, quantity=quantity, unit=unit, engines=(EXACTLY, engine.name),
        error=math.inf if math.isnan(error) else error, tolerance=tolerance, where=where, outcome=outcome, cause=cause,
    )  # fmt: skip


def _unknown(quantity: str, engine: str, cause: str) -> Row:
    return Row(
        level=Level.CONTACT, quantity=quantity, unit="", engines=(EXACTLY, engine), error=0.0, tolerance=HULL_MARGIN,
        where="", outcome=Outcome.UNKNOWN, cause=cause,
    )  # fmt: skip
