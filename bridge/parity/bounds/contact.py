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
from typing import NamedTuple

import numpy as np

from bridge import codes
from bridge.geometry.convex_decomposition import grid_resolution
from bridge.mechanism import Mechanism
from bridge.parity.engine import BALL_RADIUS
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
_LEAST_FRICTION, _LEAST = 1e-5, 1e-15
"""Coefficient to which MuJoCo raises those that are less (``mjMINMU``), and other numbers up to
which they are zero (``mjMINVAL``)."""
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

    def sag(self, acceleration: float) -> float:
        """Return how deep it yields at most under a steady acceleration [m].

        Args:
            acceleration: The acceleration without the constraint [m/s^2].
        """
        return self.stretch * self.admitted * acceleration


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


class Stepping(NamedTuple):
    """The settings by which MuJoCo solves for the forces of contacts, and takes steps.

    Attributes:
        is_pyramidal: Whether cones of friction are pyramids.
        ratio: Ratio of the impedances of friction and of the normal force.
        is_rk4: Whether a step has the four stages of Runge and Kutta.
        is_exact: Whether mobilities are exact.
        prevents_slip: Whether friction is solved for again, and then admits nothing.
    """

    is_pyramidal: bool = False
    ratio: float = 1.0
    is_rk4: bool = False
    is_exact: bool = False
    prevents_slip: bool = False

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
            prevents_slip=int(stated.get("option/noslip_iterations", "0")) > 0,
        )


BallState = tuple[float, float, float, float]
"""Height of a ball above that at which a contact begins [m], its velocities outwards and along the
surface [m/s], and that with which it turns as it rolls backwards [rad/s]."""


class ContactLaw(NamedTuple):
    """MuJoCo's law for the contact of a solid ball of 1 kg with a surface that does not move.

    The contact has the velocities v outwards and u along the surface, and would have the
    accelerations a and c without its forces f and g, which add f and ``w g``. In the depth r these
    are, with the impedance d of that depth, ``R = (1 - d) / d`` and ``S = R / impratio``,

        ``(1 + R) f = d k r - b v - a``,  ``(w + S) g = -b u - c``,

    or along the side of the cone of friction, ``g = +-mu f``, where only the sum of both equations
    over that side holds. A pyramid has two edges ``f (1, +-mu)`` for each dimension of the contact
    but the normal, each of which only pushes and admits ``R = 2 mu^2 (1 + mu^2) / impratio
    (1 - d) / d``, with ``1 + w mu^2`` if mobilities are exact. The edges across the direction of
    sliding carry but do not brake, and the one that brakes pushes the ball off the surface (MuJoCo
    documentation, "Computation"; ``mj_makeImpedance``, ``mj_diagApprox``).

    Attributes:
        stiffness: Factor k of the depth [1/s^2].
        damping: Factor b of the speed [1/s].
        solimp: The numbers of the impedance by the depth.
        mu: The coefficient of friction; zero for none.
        across: The number of edges of a pyramid across the direction of sliding; zero for cones.
        margin: Distance at which the contact begins [m].
        step: The time step [s].
        stepping: How MuJoCo takes steps.
        contacts: The number of equal contacts.
    """

    stiffness: float
    damping: float
    solimp: tuple[float, ...]
    mu: float
    across: int
    margin: float
    step: float
    stepping: Stepping
    contacts: int

    @classmethod
    def of(
        cls, settings: Settings, mu: float, step: float, stepping: Stepping, contacts: int = 1
    ) -> ContactLaw:
        """Return the law that the settings of a shape state.

        Args:
            settings: Attributes of the shape by name; ``solref``, ``solimp``, ``condim`` and
                ``margin`` count.
            mu: The coefficient of friction.
            step: The time step [s].
            stepping: How MuJoCo takes steps.
            contacts: The number of equal contacts.
        """
        stated = dict(settings)
        first, second = _numbers(stated.get("solref", ""), _SOLREF)
        if (first > 0.0) != (second > 0.0):  # MuJoCo warns, and takes its default
            first, second = _SOLREF
        words = [float(word) for word in stated.get("solimp", "").split()]
        d_min, d_max, width, middle, power = (*words, *_WHOLE_SOLIMP[len(words) :])
        d_min, d_max, middle = (min(max(x, 1e-4), 0.9999) for x in (d_min, d_max, middle))
        flat = 0.5 * (d_min + d_max)
        impedances = (d_min, d_max) if width > _LEAST else (flat, flat)
        period, dimensions = d_max * max(first, 2.0 * step), int(stated.get("condim", "3"))
        return cls(
            stiffness=max(-first / d_max**2 if first <= 0.0 else (period * second) ** -2, _LEAST),
            damping=max(-second / d_max if first <= 0.0 else 2.0 / period, _LEAST),
            solimp=(*impedances, width, middle, max(power, 1.0)),
            mu=max(mu, _LEAST_FRICTION) if dimensions > 1 else 0.0,
            across=2 * (dimensions - 2) if stepping.is_pyramidal and dimensions > 1 else 0,
            margin=float(stated.get("margin", 0.0)),
            step=step,
            stepping=stepping,
            contacts=contacts,
        )

    @property
    def lag(self) -> float:
        """The time constant of the damper at most [s]."""
        return 1.0 / (min(self.solimp[:2]) * self.damping)

    def impedance(self, depth: float) -> float:
        """Return the impedance in a depth [m]; see MuJoCo's documentation, ``solimp``."""
        d_min, d_max, width, middle, power = self.solimp
        if depth >= width:
            return d_max
        x = depth / width
        upper = 1.0 - (1.0 - middle) * ((1.0 - x) / (1.0 - middle)) ** power
        risen = middle * (x / middle) ** power if x <= middle else upper
        return float(d_min + risen * (d_max - d_min))

    def _admitted(self, d: float, mobility: float) -> tuple[float, float, float]:
        """Return what both forces admit of an acceleration with an impedance d, and what the side
        of the cone does.
        """
        mu, (is_pyramidal, ratio, _, is_exact, _) = self.mu, self.stepping
        soft = (1.0 - d) / d / self.contacts
        if not (is_pyramidal and mu):
            return soft, soft / ratio, soft * (1.0 + mu**2 / ratio)
        edge = soft * 2.0 * mu**2 / ratio * (1.0 + (mobility if is_exact else 1.0) * mu**2)
        return edge / (2.0 + self.across), edge / (2.0 * mu**2), edge

    def forces(
        self,
        depth: float,
        velocity: tuple[float, float],
        acceleration: tuple[float, float],
        mobility: float,
    ) -> tuple[float, float]:
        """Return the forces outwards and along the surface [N].

        Args:
            depth: The depth [m].
            velocity: That of the contact outwards and along the surface [m/s].
            acceleration: That which it would have without its forces [m/s^2].
            mobility: That along the surface w [1/kg]; it is 1 outwards.
        """
        mu, w, m, b, d = self.mu, mobility, self.across, self.damping, self.impedance(depth)
        normal, along, edge = self._admitted(d, mobility)
        pull = d * self.stiffness * depth - acceleration[0] - b * velocity[0]
        slip = acceleration[1] + b * velocity[1]
        f, g = pull / (1.0 + normal), abs(slip) / (w + along)
        aside = f * m / (2.0 + m)
        if g * (1.0 + 0.5 * m) > mu * f or f < 0.0:
            both = edge + w * mu**2
            aside = m * (pull * both - mu * abs(slip)) / ((edge + 1.0 + m) * both - w * mu**2)
            aside = max(aside, 0.0)
            braking = max((pull + mu * abs(slip) - aside) / (1.0 + both), 0.0)
            f, g = aside + braking, mu * braking
        if self.stepping.prevents_slip:
            g = min(abs(slip) / w, mu * (f - aside))
        return f, -math.copysign(g, slip)

    def depth_at_rest(self, weight: float) -> float:
        """Return the depth in which a body rests [m] under an acceleration [m/s^2]."""
        depth = 0.0
        for _ in range(_FIXED_POINT):
            d = self.impedance(depth)
            depth = self._admitted(d, 1.0)[0] * weight / (d * self.stiffness)
        return depth

    def _rates(self, ball: BallState, push: tuple[float, float], moment: float) -> BallState:
        """Return the rates of change of the state of a ball."""
        height, up, along, spin = ball
        if height >= 0.0:
            return (up, *push, 0.0)
        arm = BALL_RADIUS + 0.5 * (self.margin + height)
        f, g = self.forces(-height, (up, along + arm * spin), push, 1.0 + arm**2 / moment)
        return up, push[0] + f, push[1] + g, arm * g / moment

    def after_step(self, ball: BallState, push: tuple[float, float], moment: float) -> BallState:
        """Return the state of a ball after a step: ``v' = v + h a``, ``r' = r - h v'``, or the four
        stages of Runge and Kutta.

        Args:
            ball: The state.
            push: The force that acts on its center, outwards and along the surface [N].
            moment: Its moment of inertia [kg m^2].
        """
        first, h = self._rates(ball, push, moment), self.step
        if not self.stepping.is_rk4:
            return _moved(ball, (ball[1] + h * first[1], *first[1:]), h)
        second = self._rates(_moved(ball, first, 0.5 * h), push, moment)
        third = self._rates(_moved(ball, second, 0.5 * h), push, moment)
        fourth = self._rates(_moved(ball, third, h), push, moment)
        for rates, part in ((first, 1.0), (second, 2.0), (third, 2.0), (fourth, 1.0)):
            ball = _moved(ball, rates, part * h / 6.0)
        return ball

    def rebound(self, start: float, duration: float) -> float:
        """Return the speed with which a ball leaves that arrives with 1 m/s, without its weight.

        Args:
            start: The depth in which it begins to touch the surface [m].
            duration: Duration in which it leaves, at most [s].
        """
        ball = (-start, -1.0, 0.0, 0.0)
        for _ in range(round(duration / self.step)):
            ball = self.after_step(ball, (0.0, 0.0), 1.0)
            if ball[0] >= 0.0 <= ball[1]:
                break
        return max(ball[1], 0.0)


def _moved(ball: BallState, rates: BallState, step: float) -> BallState:
    """Return the state of a ball after a time step [s] at some rates."""
    (height, up, along, spin), (v, a, c, turn) = ball, rates
    return height + step * v, up + step * a, along + step * c, spin + step * turn


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
