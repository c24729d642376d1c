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
from collections.abc import Iterator, Sequence

import numpy as np

from bridge.lowering import lower
from bridge.mechanism import Mechanism
from loaders.model import Box, Collision, Friction, Link, Model, Physics, Plane, Scene, Sphere, Surface
from loaders.spatial import IDENTITY, Pose, SpatialInertia, frozen

from .convergence import EXACTLY
from .engines import Engine, Factory
from .standing import Standing, standing
from .verdict import Level, Outcome, Row

STEP = 1e-3
"""[s]."""
G = 9.8
RESTING, SLIDING, BOUNCING, STACKING = 3e-3, 0.1, 0.1, 3e-3
"""Tolerances: of a height [m]; of a way, relative; of the speed after an impact over that before; of a height [m]."""
SLIPPERY, ROUGH = 0.1, 1.2
"""Coefficients of friction between which a block slides a way that can be measured."""
MOST_SURFACES = 2
"""Kinds of surfaces that are tried, the most frequent first."""
SOFTER = 3.0
"""How many times its tolerance a class may be missed where the ledger tells of a soft contact."""
_SOFT = frozenset({"mjcf.restitution", "mjcf.contact-stiffness"})
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
        yield _unknown("rest height", name, stood) if isinstance(stood, str) else _rested(factory, stood)
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


def _rested(factory: Factory, stood: Standing) -> Row:
    engine = _opened(factory, stood.scene)
    try:
        engine.step(round(2.0 / STEP))
        height, where = stood.lowest(engine.link_poses())
    finally:
        engine.close()
    tolerance = RESTING + stood.yielding
    told = f"contacts yield and hulls have margins: within {tolerance:.1g} m of the plane"
    return _judged("rest height", "m", engine, abs(height), tolerance, where, told)


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
    return _judged("slide", "", engine, abs(way / exact - 1.0), SLIDING, f"friction {file:g}", told)


def _bounced(name: str, factory: Factory, surface: Surface) -> Row:
    """A ball that falls on the plane, against the speed that restitution leaves it."""
    drop, radius, file = 0.2, 0.1, surface.restitution
    e = _combined(name, file)
    engine = _opened(factory, _scene([_thing("ball", Sphere(radius=radius), surface, radius + drop)], surface))
    heights = []
    try:
        for _ in range(round(0.6 / STEP)):
            engine.step(1)
            heights.append(float(engine.link_poses()["ball"].p[2]) - radius)
    finally:
        engine.close()
    impact = next((k for k in range(1, len(heights)) if heights[k] > heights[k - 1]), len(heights) - 1)
    left = math.sqrt(max(0.0, *heights[impact:]) / drop)
    rule = "" if e == file else f"; {name} multiplies two restitutions of {file:g}"
    told = f"leaves with {left:.3f} of its speed, closed form {e:.3g}{rule}"
    return _judged("bounce", "", engine, abs(left - e), BOUNCING, f"restitution {file:g}", told)


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
    told = f"cubes of 0.2 m stay within {STACKING:g} m"
    return _judged("stack", "m", engine, moved[where], STACKING, f"{where}, friction {surface.friction.mu:g}", told)


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
    """Within its class it agrees, and the class is named; a little beyond it the ledger may explain it."""
    soft = next((entry for entry in engine.diagnostics if entry.code in _SOFT), None)
    outcome, cause = Outcome.FAILED, f"beyond its class: {told}"
    if error <= tolerance:
        outcome, cause = Outcome.EXPLAINED, told
    elif soft is not None and error <= SOFTER * tolerance:
        outcome, cause = Outcome.EXPLAINED, f"{soft.message} [{soft.code}]; {told}"
    return Row(
        level=Level.CONTACT, quantity=quantity, unit=unit, engines=(EXACTLY, engine.name),
        error=math.inf if math.isnan(error) else error, tolerance=tolerance, where=where, outcome=outcome, cause=cause,
    )  # fmt: skip


def _unknown(quantity: str, engine: str, cause: str) -> Row:
    return Row(
        level=Level.CONTACT, quantity=quantity, unit="", engines=(EXACTLY, engine), error=0.0, tolerance=RESTING,
        where="", outcome=Outcome.UNKNOWN, cause=cause,
    )  # fmt: skip
