"""Largest errors of stops, softness and surfaces.

Beyond a stop by r, MuJoCo accelerates a joint by ``(1 - d) a - d (b v + k r)``, where a is the
acceleration without the stop, towards it; see `stated_softness` for k, and ``b = 2 / (dmax T)`` or
``B / dmax``. These are a spring and a damper of the frequency ``w = sqrt(d k)`` and the damping
ratio ``z = b sqrt(d / k) / 2``. A joint that arrives with a speed passes the stop by at most ``p(z)
v / w + 2 (1 - d) a / w^2``: the first peak of the free motion, and twice the deflection at rest. An
impedance that grows with r makes both smaller.

MuJoCo accelerates a constraint with a violation r by ``(1 - d) a0 - d (b v + k r)``, where a0 is
the acceleration without the constraint and d the impedance. At rest ``r = (1 - d) / (d k) a0``.
With ``solref="T Z"``, a time constant and a damping ratio, ``k = d / (dmax T Z)^2``; with
``solref="-K -B"``, ``k = K d / dmax^2`` (MuJoCo documentation, "Solver parameters"). The impedance
d is at least ``solimp[0]``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bridge import codes
from bridge.geometry.convex_decomposition import grid_resolution
from bridge.mechanism import Mechanism
from bridge.targets.mjcf import codes as mjcf_codes
from bridge.targets.pybullet import codes as pybullet_codes
from loaders.diagnostics import Diagnostic, Diagnostics
from loaders.engine_settings import MUJOCO, conventions_of
from loaders.meshes import read_mesh
from loaders.model import (
    BallConstraint,
    Cone,
    Ellipsoid,
    Link,
    Mesh,
    Physics,
    Settings,
    WeldConstraint,
    settings_of,
)
from loaders.pose import Array

_SOLREF = (0.02, 1.0)
_SOLIMP = (0.9, 0.95)
_WHOLE_SOLIMP = (*_SOLIMP, 0.001, 0.5, 2.0)
"""MuJoCo's defaults."""
_APPROACH = 10
"""Number of steps in which a body approaches."""
_FIXED_POINT = 60
"""Number of iterations for the depth at rest, which contract as the impedance grows with it."""


class Softness(NamedTuple):
    """The softness of a constraint of MuJoCo.

    Attributes:
        stretch: ``1 / k`` [s^2]: violation for each unit of acceleration that only the constraint's
            spring takes up.
        admitted: Part ``(1 - d) / d`` of an acceleration that the spring takes up.
    """

    stretch: float
    admitted: float

    @classmethod
    def of(cls, settings: Settings, step: float) -> Softness:
        """Return the softness that settings state.

        Args:
            settings: Attributes of the constraint by name; ``solref`` and ``solimp`` count.
            step: Time step [s]; a time constant is at least two of them.
        """
        stated = dict(settings)
        first, second, d_max = stated_numbers(stated)
        d_min, _ = _numbers(stated.get("solimp", ""), _SOLIMP)
        d_min = min(max(d_min, 0.0001), 0.9999)
        inverse = 1.0 / -first if first < 0.0 else (max(first, 2.0 * step) * second) ** 2
        return cls(d_max**2 / d_min * inverse, (1.0 - d_min) / d_min)


def stated_numbers(settings: Mapping[str, str]) -> tuple[float, float, float]:
    """Return both numbers of ``solref``, and the largest impedance.

    Args:
        settings: Attributes of the constraint by name; what they do not state is MuJoCo's default.
    """
    d_max = min(max(_numbers(settings.get("solimp", ""), _SOLIMP)), 0.9999)
    return (*_numbers(settings.get("solref", ""), _SOLREF), d_max)


def _numbers(text: str, default: tuple[float, float]) -> tuple[float, float]:
    """Return the first two numbers of an attribute; what it does not state is the default."""
    words = [float(word) for word in text.split()[:2]]
    return (*words, *default[len(words) :])[0], (*words, *default[len(words) :])[1]


def stated_softness(mechanism: Mechanism, step: float) -> dict[str, Softness]:
    """Return the softness of each coupling and constraint of an MJCF source by its name; empty for
    other sources.

    Args:
        mechanism: The mechanism.
        step: Time step [s].
    """
    if not conventions_of(mechanism.physics).has_solver_settings:
        return {}
    found = {
        coupling.name: Softness.of(settings_of(coupling, MUJOCO), step)
        for coupling in mechanism.couplings
    }
    for constraint in mechanism.scene.constraints:
        if isinstance(constraint, BallConstraint | WeldConstraint):
            found[f"{constraint.link_A}, {constraint.link_B}"] = Softness.of(
                settings_of(constraint, MUJOCO), step
            )
    return found


class SoftStop(NamedTuple):
    """A stop of MuJoCo as a spring and a damper.

    Attributes:
        softness: The spring.
        damping: Factor b of the speed [1/s].
    """

    softness: Softness
    damping: float

    @classmethod
    def of(cls, settings: Settings, step: float) -> SoftStop:
        """Return the stop that the settings of a joint state.

        Args:
            settings: Attributes of the joint by name; ``solreflimit`` and ``solimplimit`` count.
            step: Time step [s].
        """
        stated = {
            name.removesuffix("limit"): value
            for name, value in settings
            if name in ("solreflimit", "solimplimit")
        }
        softness = Softness.of(tuple(stated.items()), step)
        first, second, d_max = stated_numbers(stated)
        return cls(
            softness, -second / d_max if first < 0.0 else 2.0 / (d_max * max(first, 2.0 * step))
        )

    def overshoot(self, speed: float, acceleration: float, taken_for: float) -> float:
        """Return the largest distance of a joint beyond its stop [rad or m].

        Args:
            speed: Speed at which it arrives [rad/s or m/s].
            acceleration: Acceleration towards the stop that the joint would have without it.
            taken_for: The mobility that MuJoCo takes for the joint, relative to the true one.
        """
        d, k = 1.0 / (1.0 + self.softness.admitted * taken_for), 1.0 / self.softness.stretch
        w = math.sqrt(d * k)
        ratio = 0.5 * self.damping * math.sqrt(d / k)
        return first_peak(ratio) * speed / w + 2.0 * (1.0 - d) * acceleration / w**2


class SoftContact(NamedTuple):
    """A contact of MuJoCo as a spring and a damper.

    Attributes:
        softness: The spring.
        damping: Factor b of the speed [1/s].
    """

    softness: Softness
    damping: float

    @classmethod
    def of(cls, settings: Settings, step: float = 0.0) -> SoftContact:
        """Return the contact that the settings of a shape state.

        Args:
            settings: Attributes of the shape by name; ``solref`` and ``solimp`` count.
            step: Time step [s]; a time constant is at least two of them.
        """
        first, second, d_max = stated_numbers(dict(settings))
        damping = -second / d_max if first < 0.0 else 2.0 / (d_max * max(first, 2.0 * step))
        return cls(Softness.of(settings, step), damping)

    @property
    def impedance(self) -> float:
        """The least impedance."""
        return 1.0 / (1.0 + self.softness.admitted)

    @property
    def frequency(self) -> float:
        """The frequency without damping [1/s]."""
        return math.sqrt(self.impedance / self.softness.stretch)

    @property
    def ratio(self) -> float:
        """The damping ratio."""
        return self.impedance * self.damping / (2.0 * self.frequency)

    @property
    def slowest_rate(self) -> float:
        """The rate at which it comes to rest at least [1/s]."""
        root = math.sqrt(max(self.ratio**2 - 1.0, 0.0))
        return (self.ratio - root) * self.frequency

    @property
    def lag(self) -> float:
        """The time constant of its damper [s]."""
        return 1.0 / (self.impedance * self.damping)

    @property
    def creep(self) -> float:
        """Speed at which friction that holds yields, over the acceleration that it holds [s]."""
        return self.softness.admitted / self.damping

    @property
    def rebound(self) -> float:
        """Ratio of speeds after and before an impact: ``exp(-2 z acos(z) / sqrt(1 - z^2))``.

        The contact ends where its force vanishes, after twice the angle of the first peak.
        """
        return first_peak(self.ratio) ** 2

    @property
    def duration(self) -> float:
        """Duration of an impact with a damping ratio of 1 [s], the longest up to that ratio."""
        return 2.0 / self.frequency

    def sag(self, acceleration: float) -> float:
        """Return how deep it yields at most under a steady acceleration towards it [m].

        Args:
            acceleration: The acceleration without the contact [m/s^2].
        """
        return self.softness.stretch * self.softness.admitted * acceleration


class Stepping(NamedTuple):
    """The steps that MuJoCo takes through a contact of a solid ball.

    A pyramid has two edges for each dimension of the contact but the normal, each of which takes up
    ``2 mu^2 (1 + mu^2)`` times what a contact does that has an elliptic cone (MuJoCo,
    ``mj_makeImpedance``, ``mj_diagApprox``); with the exact mobility along the edge, to which the
    turning of the ball adds, ``2 mu^2 (1 + 7/2 mu^2)`` times.

    Attributes:
        is_pyramidal: Whether cones of friction are pyramids.
        ratio: Ratio of the impedances of friction and of the normal force.
        is_rk4: Whether a step has the four stages of Runge and Kutta.
        is_exact: Whether mobilities are exact.
    """

    is_pyramidal: bool = False
    ratio: float = 1.0
    is_rk4: bool = False
    is_exact: bool = False

    @classmethod
    def of(cls, physics: Physics) -> Stepping:
        """Return that of a scene, by the settings that it states or those of the export."""
        if not conventions_of(physics).has_solver_settings:
            return cls()
        stated = {path: text.lower() for path, text in settings_of(physics, MUJOCO)}
        return cls(
            is_pyramidal=stated.get("option/cone") != "elliptic",
            ratio=float(stated.get("option/impratio", "1")),
            is_rk4=stated.get("option/integrator") == "rk4",
            is_exact=stated.get("flag/diagexact") == "enable",
        )

    def admitted(self, mu: float, dimensions: int) -> float:
        """Return what a contact admits of an acceleration, over that of one with an elliptic cone.

        Args:
            mu: Its coefficient of friction.
            dimensions: Its dimensions, MuJoCo's ``condim``.
        """
        if not self.is_pyramidal or dimensions == 1:
            return 1.0
        along = 1.0 + (3.5 if self.is_exact else 1.0) * mu**2
        return mu**2 / self.ratio * along / (dimensions - 1)


@lru_cache(maxsize=4096)
def stepped_rebound(
    settings: Settings,
    step: float,
    duration: float,
    weight: float,
    *,
    admitted: float = 1.0,
    is_rk4: bool = False,
    start: float | None = None,
) -> float:
    """Return the ratio of speeds after and before an impact with 1 m/s of a body that comes from
    above a surface, and without it would be at the depth in which it rests at the end of a step.

    That is what MuJoCo computes for one contact, in steps of ``v' = v + h a``, ``r' = r - h v'``,
    with the speed outwards v, the depth r, and ``a = d max(d k r - b v, 0) / (d + e (1 - d))``.

    Args:
        settings: Attributes of the shape by name; ``solref`` and ``solimp`` count.
        step: Time step h [s].
        duration: Duration in which the body leaves, at most [s].
        weight: Acceleration under which the body rests [m/s^2].
        admitted: What it admits e, see `Stepping.admitted`; over the number of equal contacts.
        is_rk4: Whether a step has the four stages of Runge and Kutta.
        start: That depth [m]; None for the one in which it rests.
    """
    stated = dict(settings)
    first, second, d_max = stated_numbers(stated)
    b = -second / d_max if first < 0.0 else 2.0 / (d_max * max(first, 2.0 * step))
    k = -first / d_max**2 if first < 0.0 else (d_max * max(first, 2.0 * step) * second) ** -2
    depth, speed = 0.0, -1.0
    for _ in range(_FIXED_POINT):
        d = _impedance(stated, depth)
        depth = admitted * (1.0 - d) * weight / (d**2 * k)
    depth = (depth if start is None else start) - _APPROACH * step

    def acceleration(r: float, v: float) -> float:
        d = _impedance(stated, r)
        return d * max(d * k * r - b * v, 0.0) / (d + admitted * (1.0 - d)) if r > 0.0 else 0.0

    for _ in range(_APPROACH + round(duration / step)):
        if is_rk4:
            speed, depth = _rk4_step(acceleration, speed, depth, step)
        else:
            speed += step * acceleration(depth, speed)
            depth -= step * speed
        if depth <= 0.0 <= speed:
            break
    return max(speed, 0.0)


def _rk4_step(
    acceleration: Callable[[float, float], float], speed: float, depth: float, step: float
) -> tuple[float, float]:
    """Return speed and depth after a step with the four stages of Runge and Kutta."""
    speeds, accelerations = [speed], [acceleration(depth, speed)]
    for part in (0.5 * step, 0.5 * step, step):
        v = speed + part * accelerations[-1]
        accelerations.append(acceleration(depth - part * speeds[-1], v))
        speeds.append(v)
    weights = step / 6.0 * np.array((1.0, 2.0, 2.0, 1.0))
    return speed + float(weights @ accelerations), depth - float(weights @ speeds)


def _impedance(stated: Mapping[str, str], depth: float) -> float:
    """Return the impedance in a depth [m]; see MuJoCo's documentation, ``solimp``."""
    words = [float(word) for word in stated.get("solimp", "").split()]
    d_min, d_max, width, middle, power = (*words, *_WHOLE_SOLIMP[len(words) :])
    d_min, d_max, middle = (min(max(x, 1e-4), 0.9999) for x in (d_min, d_max, middle))
    x, power = min(depth / max(width, 1e-15), 1.0), max(power, 1.0)
    upper = 1.0 - (1.0 - middle) * ((1.0 - x) / (1.0 - middle)) ** power
    risen = middle * (x / middle) ** power if x <= middle else upper
    return float(d_min + risen * (d_max - d_min))


def first_peak(ratio: float) -> float:
    """Return the first peak of a spring and damper that starts with a speed, in units of speed over
    frequency.

    Args:
        ratio: The damping ratio; zero for no damping.
    """
    if abs(ratio - 1.0) < 1e-6:
        return math.exp(-1.0)
    root = math.sqrt(abs(1.0 - ratio**2))
    angle = math.acos(ratio) if ratio < 1.0 else math.acosh(ratio)
    return math.exp(-ratio / root * angle)


_Bound = Callable[[Diagnostic, list[Link], Mechanism], float]


def surface_bound(entry: Diagnostic, names: Collection[str], mechanism: Mechanism) -> float | None:
    """Return the largest error that a diagnostic may explain; None if it is not about shapes,
    friction or stops.

    Args:
        entry: The diagnostic of an engine.
        names: The links or joints of the place of the error.
        mechanism: The mechanism.
    """
    bound = _BOUNDS.get(entry.code)
    if bound is None:
        return None
    return bound(entry, [link for link in mechanism.scene.links if link.name in names], mechanism)


def _hull(entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    """Return the distance of the faces from the surface, relative to the smallest ellipsoid."""
    shapes = [c.geometry for link in links for c in link.collisions]
    extents = [2.0 * max(shape.radii) for shape in shapes if isinstance(shape, Ellipsoid)]
    return entry.number("error") / min(extents, default=math.inf)


def _cone(entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    """Return the depth of the sides of the mesh below the cone, relative to the radius, which no
    extent is less than.
    """
    has_cone = any(isinstance(c.geometry, Cone) for link in links for c in link.collisions)
    return 1.0 - math.cos(math.pi / entry.number("sides")) if has_cone else 0.0


def _flat(entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    """Half of the thickness that a flat mesh gets, by which each side moves, relative to the extent
    in its link.
    """
    extents = [float(np.ptp(vertices, axis=0).max()) for vertices in _vertices(links)]
    return 0.5 * entry.number("thickness") / max(extents, default=math.inf)


def _parts(_entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    """Return the largest distance of convex parts from the surface that they are made of, relative
    to its extent.

    CoACD closes an open mesh on a grid with cells of the extent over the resolution; the surface
    lies within one diagonal of a cell of the mesh. Cuts by planes add nothing: all parts together
    reach as far as that surface.
    """
    geometries = [collision.geometry for link in links for collision in link.collisions]
    resolutions = [g.voxel_resolution for g in geometries if isinstance(g, Mesh)]
    return math.sqrt(3.0) / min(map(grid_resolution, resolutions), default=math.inf)


def _vertices(links: list[Link]) -> list[Array]:
    """Return the vertices of the meshes that collide, in the frames of their links."""
    vertices: list[Array] = []
    for collision in (collision for link in links for collision in link.collisions):
        data = (
            read_mesh(collision.geometry, Diagnostics())
            if isinstance(collision.geometry, Mesh)
            else None
        )
        if data is not None and len(data.vertices):
            vertices.append(data.vertices @ collision.X_LG.R.T)
    return vertices


def _friction_range(_entry: Diagnostic, links: list[Link], _mechanism: Mechanism) -> float:
    coefficients = [c.surface.friction.mu for link in links for c in link.collisions]
    return max(coefficients, default=0.0) - min(coefficients, default=0.0)


def _segment_friction(entry: Diagnostic, _links: list[Link], mechanism: Mechanism) -> float:
    """Return the range of the coefficients of all links that share one PyBullet link."""
    return _friction_range(
        entry, [k for k in mechanism.scene.links if k.name in entry.subjects], mechanism
    )


def _stated_difference(entry: Diagnostic, _links: list[Link], _mechanism: Mechanism) -> float:
    return entry.number("difference")


def _combined_difference(entry: Diagnostic, _links: list[Link], _mechanism: Mechanism) -> float:
    return abs(entry.number("larger") - entry.number("combined"))


def _hard_stop(entry: Diagnostic, _links: list[Link], _mechanism: Mechanism) -> float:
    """Return the compliance that the model states."""
    stiffness = entry.number("stiffness")
    return 1.0 / stiffness if stiffness > 0.0 else 0.0


_BOUNDS: Mapping[str, _Bound] = {
    pybullet_codes.SHAPE_AS_HULL.name: _hull,
    codes.MESH_CONE.name: _cone,
    codes.MESH_FLAT.name: _flat,
    codes.MESH_CONVEX_PARTS.name: _parts,
    pybullet_codes.SURFACE_PER_LINK.name: _segment_friction,
    pybullet_codes.FRICTION_PRODUCT.name: _stated_difference,
    codes.DART_FRICTION_RULE.name: _stated_difference,
    codes.DRAKE_FRICTION.name: _stated_difference,
    mjcf_codes.FRICTION_COMBINATION.name: _combined_difference,
    mjcf_codes.RIGID_STOPS.name: _hard_stop,
}
"""Bounds by code, relative to the extent of the shapes for meshes."""
