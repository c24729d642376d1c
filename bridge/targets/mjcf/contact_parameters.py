"""Friction, stiffness and restitution of geoms, and contact: pair and exclude.

MuJoCo's contact is a spring of acceleration, not of force: with ``solref="-k -b"`` and a constant
impedance d, a body that is pressed with a force f sinks by ``f (1 - d) w / k``, where w is the sum
of both bodies' inverse masses as MuJoCo computes them: the mean over the three directions, at the
zero configuration. Hence ``k = K (1 - d) w`` for a stiffness K. While they touch, both bodies move
as if their mass were ``1 / (1 - d)`` times as large: d is as small as the time step allows.

A spring in which gravity presses a body less deep than the body falls in a step throws it out of
the contact again and again, unless it is damped: one step of fall is more motion than the spring
can hold. Boxes, plates and balls, dropped flat and tilted, rest with the damping ratio of
`_resting_ratio`, for stiffnesses of 0.005 to 100 times ``1 / (w h^2)``.

Source: MuJoCo's documentation, "Computation", constraint model; restitution of a linear spring and
damper that do not pull: Schwager and Pöschel, "Coefficient of restitution and linear-dashpot model
revisited", 2007, equation 21.

MuJoCo combines two geoms by the larger coefficient, element by element, and by the harder
``solref`` of two that are negative. It would average the impedances; ``solmix`` gives all the
weight to the geom whose compliance is stated.

A geom has one coefficient of friction, and MuJoCo takes the larger of two. Other simulators combine
them by other rules, which MJCF can express only pair by pair. So can the damping of friction: a
geom has one damping for the normal and for friction, and with the little damping of a contact that
bounces, friction would slow nothing down.

MuJoCo takes the inverse mass of both bodies for the compliance of a contact. That of a link is
zero, because no velocity of its joints moves its center of mass, so that the contact is infinitely
stiff.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, combinations_with_replacement, islice, product
from typing import Any

import numpy as np

from bridge.geometry.shapes import support_function
from bridge.lowering.lower import ignored_by_policy, pairs_of_rules
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.targets.elements import frictions_of
from bridge.targets.mjcf import codes
from bridge.targets.mjcf.collision_filter import Filters, Mask, filters, welded_partners
from bridge.targets.mjcf.context import MjcfContext, own_settings
from loaders.collision_pairs import BITMASKED, bitmasks
from loaders.diagnostics import Code, Where
from loaders.engine_settings import conventions_of, friction_rule, worst_of
from loaders.limits import limited
from loaders.model import WORLD, Collision, Friction, Link, Surface
from loaders.model.contact import torsional_length
from loaders.pose import Array, Pose, skew
from loaders.scoped_names import SEPARATOR
from loaders.text import numbers

_MIN_IMPEDANCE, _MAX_IMPEDANCE = 0.01, 0.9999
"""The impedance that changes the motion by 1 %, and MuJoCo's largest."""
_BOUNCE_IMPEDANCE = 0.85
"""Impedance of a contact that bounces, at most: with it, bodies of a restitution of 0.8 come to
rest; with 0.9 those of 0.7, and with 0.99 those of 0.2."""
_BOUNCE_RATIO = 0.94
"""Factor of the damping ratio of a restitution; with it, balls lose as much too little speed as
cubes lose too much, at most 0.024 of it."""
_CRITICAL_MASS_FACTOR = 50.0
"""Factor of the mass in contact from which only a critically damped contact comes to rest."""
_MAX_K_STEP_SQUARED = 0.01
"""Largest product of ``k`` and the squared time step; at a few times as much, boxes shake on their
corners."""
_BOUNCE_STEPS = 10.0
"""Time constant of a contact with restitution only, in time steps."""
_MAX_DAMPING_RATIO = 2.5
"""Damping ratio at which ``b`` times the time step is 0.5."""
_DEFAULT_ERP = 0.2
"""SDFormat's default of ``soft_erp``."""


@dataclass(frozen=True, slots=True)
class ContactSpring:
    """MuJoCo's parameters of a compliant contact."""

    solref: tuple[float, float]
    solimp: tuple[float, float, float]

    @classmethod
    def from_stiffness(
        cls, stiffness: float, ratio: float, w: float, step: float, *, bounces: bool = False
    ) -> ContactSpring:
        """Return a spring of a given stiffness, or of the largest that the time step can hold.

        Args:
            stiffness: Stiffness [N/m], positive.
            ratio: Damping ratio of both bodies on the spring, which is raised to one with which
                they come to rest, unless they bounce.
            w: Sum of the bodies' inverse masses [1/kg], positive.
            step: Time step [s].
            bounces: Whether the ratio follows from a restitution.
        """
        max_impedance = _BOUNCE_IMPEDANCE if bounces else _MAX_IMPEDANCE
        limit = _MAX_K_STEP_SQUARED / (stiffness * w * step**2)
        impedance = min(max(1.0 - limit, _MIN_IMPEDANCE), max_impedance)
        k = min(stiffness * w * (1.0 - impedance), _MAX_K_STEP_SQUARED / step**2)
        if not bounces:
            ratio = max(ratio, _resting_ratio(impedance))
        return cls._of(k, min(ratio, _MAX_DAMPING_RATIO), impedance)

    @classmethod
    def from_restitution(cls, restitution: float, step: float) -> ContactSpring:
        """Return the hardest contact that bounces with a given restitution at a time step [s]."""
        return cls._of(
            (_BOUNCE_STEPS * step) ** -2,
            _BOUNCE_RATIO * damping_ratio_of_restitution(restitution),
            _BOUNCE_IMPEDANCE,
        )

    @staticmethod
    def friction_solref(step: float) -> tuple[float, float]:
        """Return ``solreffriction`` at a time step [s]: friction is damped critically, however the
        contact bounces.

        With the damping of the bounce it would slow a sliding body down by a multiple of the speed
        that is as small as that damping, and not at all for a restitution of one. Blocks stop
        within 1.5 % of the closed form with this time constant, for a friction of 0.05 to 2 and a
        restitution of 0.1 to 1; with 2 or 20 steps, within 38 or 3 %.
        """
        return (_BOUNCE_STEPS * step, 1.0)

    @property
    def ratio(self) -> float:
        """Damping ratio."""
        k, b = -self.solref[0], -self.solref[1]
        return 0.5 * b / math.sqrt(k)

    @property
    def slowest_rate(self) -> float:
        """The rate at which a body comes to rest at least [1/s], whatever its mass."""
        root = math.sqrt(max(self.ratio**2 - 1.0, 0.0))
        return (self.ratio - root) * math.sqrt(-self.solref[0])

    @property
    def mass_factor(self) -> float:
        """Factor of the mass with which bodies move while they touch."""
        return 1.0 / (1.0 - self.solimp[0])

    def stiffness(self, w: float) -> float:
        """Return the stiffness [N/m] between bodies whose inverse masses add up to w [1/kg]."""
        return -self.solref[0] * self.mass_factor / w

    def depth(self, gravity: float) -> float:
        """Return the depth [m] in which a body rests on one contact point under gravity
        [m/s^2].
        """
        return -gravity / (self.solref[0] * self.mass_factor)

    @classmethod
    def _of(cls, k: float, ratio: float, impedance: float) -> ContactSpring:
        return cls((-k, -2.0 * ratio * math.sqrt(k)), (impedance, impedance, 0.001))


def _resting_ratio(impedance: float) -> float:
    """Return the damping ratio with which a spring comes to rest."""
    mass_factor = 1.0 / (1.0 - impedance)
    excess = mass_factor - 1.0 / (1.0 - _MIN_IMPEDANCE)
    return min(1.0, math.sqrt(max(excess, 0.0) / _CRITICAL_MASS_FACTOR))


def resolving_step(stiffness: float, w: float) -> float:
    """Return the time step [s] up to which a contact has its stiffness [N/m] and damping as
    stated, for a sum w of inverse masses [1/kg].
    """
    return math.sqrt(_MAX_K_STEP_SQUARED / ((1.0 - _MIN_IMPEDANCE) * stiffness * w))


def default_depth(gravity: float) -> float:
    """Return the depth [m] in which a body rests on one point of MuJoCo's default contact.

    There, ``gravity (1 - d(r)) = d(r)^2 r / (d_max t)^2`` holds, where the impedance d grows with
    the depth r (MuJoCo's documentation, "Computation", and its defaults).
    """
    time, d_0, d_max, width = 0.02, 0.9, 0.95, 0.001
    low, high = 0.0, gravity * (1.0 - d_0) * (time * d_max / d_0) ** 2
    for _ in range(50):
        r = 0.5 * (low + high)
        x = min(r / width, 1.0)
        d = d_0 + (d_max - d_0) * (2.0 * x**2 if x < 0.5 else 1.0 - 2.0 * (1.0 - x) ** 2)
        is_too_deep = d**2 * r / (d_max * time) ** 2 > gravity * (1.0 - d)
        low, high = (low, r) if is_too_deep else (r, high)
    return low


def inverse_masses(mechanism: Mechanism) -> dict[str, float]:
    """Return the inverse mass [1/kg] that MuJoCo assigns to each link with collisions; 0 for one
    that cannot move.

    The result is empty if no contact needs one, or if they cannot be computed.
    """
    at_zero = mechanism.mass_matrix_at_zero if _has_compliant_contacts(mechanism) else None
    if at_zero is None or at_zero.pseudo_inverse is None:
        return {}
    jacobians, poses = mechanism.jacobians(), mechanism.link_poses()
    masses = {}
    for i, body in enumerate(mechanism.bodies):
        if body.link.collisions:
            p_cm = poses[body.name].R @ body.inertia.p_LLcm
            J = jacobians[body.name]
            J_cm = J[3:] - skew(p_cm) @ J[:3]
            is_fixed = mechanism.moving_ancestor(i) == ROOT
            A = J_cm @ at_zero.pseudo_inverse @ J_cm.T
            masses[body.name] = 0.0 if is_fixed else float(np.trace(A)) / 3.0
    return masses if all(math.isfinite(w) and w >= 0.0 for w in masses.values()) else {}


def _has_compliant_contacts(mechanism: Mechanism) -> bool:
    surfaces = (
        collision.surface for body in mechanism.bodies for collision in body.link.collisions
    )
    return any(surface.stiffness is not None or surface.soft_cfm for surface in surfaces)


def damping_ratio(surface: Surface, stiffness: float, w: float, gravity: float) -> float:
    """Return the damping ratio of a spring between two bodies.

    It follows from restitution, damping, dissipation or relaxation time, in that order, or else is
    critical. Hunt-Crossley dissipation depends on the penetration; its value at rest under the
    bodies' own weight is used.

    Args:
        surface: The surface that states the damping.
        stiffness: Stiffness of the spring [N/m].
        w: Sum of the bodies' inverse masses [1/kg].
        gravity: Magnitude of gravity [m/s^2].
    """
    if surface.restitution > 0.0:
        return damping_ratio_of_restitution(surface.restitution)
    if surface.damping is not None:
        damping = surface.damping
    elif surface.dissipation is not None:
        damping = surface.dissipation * gravity / w
    elif surface.relaxation_time is not None:
        damping = surface.relaxation_time * stiffness
    else:
        return 1.0
    return 0.5 * damping * math.sqrt(w / stiffness) if stiffness > 0.0 else 1.0


def with_ode_spring(surface: Surface, step: float) -> Surface:
    """Return the surface with the stiffness and damping that ODE's ``soft_cfm`` and ``soft_erp``
    represent, if any.

    Source: ODE's manual, "ERP and CFM": ``ERP = h kp / (h kp + kd)``, ``CFM = 1 / (h kp + kd)``.
    """
    cfm, erp = (
        surface.soft_cfm or 0.0,
        _DEFAULT_ERP if surface.soft_erp is None else surface.soft_erp,
    )
    if surface.stiffness is not None or cfm <= 0.0 or not 0.0 < erp <= 1.0:
        return surface
    return dataclasses.replace(surface, stiffness=erp / (step * cfm), damping=(1.0 - erp) / cfm)


def damping_ratio_of_restitution(restitution: float) -> float:
    """Return the damping ratio at which a spring that does not pull has a given coefficient of
    restitution.
    """
    e = min(restitution, 1.0)
    low, high = 0.0, 1.0 - 1e-9
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _restitution(middle) > e else (low, middle)
    return low


def rebound_of(restitution: float) -> float:
    """Return the ratio of the speeds of a ball after and before an impact on a contact of
    `ContactSpring.from_restitution`, as the step vanishes.
    """
    return _restitution(_BOUNCE_RATIO * damping_ratio_of_restitution(restitution))


def late_start(ratio: float, angle: float) -> float:
    """Return the speed of an impact on a spring and damper, over the speed that a body still has
    where these act for the first time.

    The form ``v^2 + 2 z w r v + w^2 r^2`` decays with ``exp(-2 z w t)``, so that a body with the
    depth r and the speed v had the speed ``sqrt(1 + 2 z a + a^2) exp(z w t) v`` at the surface,
    with ``a = w r / v`` and ``tan(sqrt(1 - z^2) w t) = sqrt(1 - z^2) a / (1 + z a)``.

    Args:
        ratio: The damping ratio z, below 1.
        angle: The number a.
    """
    root = math.sqrt(1.0 - ratio**2)
    time = math.atan2(root * angle, 1.0 + ratio * angle) / root
    return math.sqrt(1.0 + 2.0 * ratio * angle + angle**2) * math.exp(ratio * time)


def _restitution(ratio: float) -> float:
    w = math.sqrt(1.0 - ratio**2)
    time = (math.pi - math.atan2(2.0 * ratio * w, w**2 - ratio**2)) / w
    return math.exp(-ratio * time)


DEFAULT_FRICTION = (1.0, 0.005, 0.0001)
"""MuJoCo's sliding [-], torsional [m] and rolling [m] friction."""
_VISCOUS_SPEED = 0.02
"""Product of length and angular speed [m/s] below which MuJoCo's rolling friction is viscous,
measured."""
_ROUNDING = 1e-9
"""Relative difference that is an error of rounding."""
_ALL_WEIGHT = 1e6
"""``solmix`` of a geom that determines the impedance, beside others of 1: with less, their share is
more than the rest to 1 of a high impedance."""
_DAMPING = ("damping", "dissipation", "relaxation_time")
_SOLVER_PARAMETERS = ("soft_cfm", "soft_erp")


@dataclass(frozen=True, slots=True)
class ContactData:
    """The data of an export that the contact parameters of all geoms need.

    Attributes:
        filters: The collision filters in MuJoCo's form.
        inverse_masses: Inverse mass of each link, see `inverse_masses`.
        has_turning_friction: Whether any collision has torsional or rolling friction, which MuJoCo
            combines with that of the geom that it touches, whatever that one states.
    """

    @classmethod
    def of(cls, mechanism: Mechanism, policy: str) -> ContactData:
        """Return the data of a mechanism under a collision policy."""
        frictions = (
            collision.surface.friction
            for body in mechanism.bodies
            for collision in body.link.collisions
        )
        return cls(
            filters(mechanism, policy),
            inverse_masses(mechanism),
            any((friction.torsional, friction.rolling) != (None, None) for friction in frictions),
        )

    filters: Filters
    inverse_masses: Mapping[str, float]
    has_turning_friction: bool


@dataclass(frozen=True, slots=True)
class _Owner:
    """A collision and its link, for diagnostics."""

    link: Link
    collision: Collision

    @property
    def named(self) -> dict[str, str]:
        """The names, as arguments of a diagnostic."""
        return {"link": self.link.name, "collision": self.collision.name}

    def report(self, code: Code, context: MjcfContext, hint: str = "", **values: object) -> None:
        """Report a finding about the collision.

        Args:
            code: The code, whose message has ``{link}`` and ``{collision}``.
            context: The export.
            hint: What to do about it; empty for the hint of the code.
            values: Further arguments of the template.
        """
        where, subjects = (
            self.collision.where,
            (self.link.name, f"{self.link.name}{SEPARATOR}{self.collision.name}"),
        )
        context.add(code, where, hint=hint, subjects=subjects, **self.named, **values)


def contact_attributes(
    collision: Collision, link: Link, data: ContactData, context: MjcfContext
) -> dict[str, Any]:
    """Return the attributes of a collision geom that differ from MuJoCo's defaults.

    If any geom has bitmasks, every geom has them.

    Args:
        collision: The collision.
        link: Its link.
        data: Collision filters and inverse masses.
        context: The export.
    """
    owner = _Owner(link, collision)
    inverse_mass = data.inverse_masses.get(link.name, 0.0)
    spring = contact_spring((collision.surface,), inverse_mass, *_step_and_gravity(context))
    return {
        **_masks(collision, context.mechanism.body_index[link.name], data.filters),
        **_friction(owner, spring, data, context),
        **_compliance(owner, spring, inverse_mass, context),
        **_stated_settings(collision.surface),
    }


def _stated_settings(surface: Surface) -> dict[str, str]:
    """Return MuJoCo's own settings of the source; sliding friction is a field of the scene."""
    settings = own_settings(surface)
    if "friction" in settings:
        _, spin, roll = map(float, settings["friction"].split())
        settings["friction"] = numbers(_without_defaults((surface.friction.mu, spin, roll)))
    return settings


# --- friction -------------------------------------------------------------------------------------


def _friction(
    owner: _Owner, spring: ContactSpring | None, data: ContactData, context: MjcfContext
) -> dict[str, Any]:
    friction = owner.collision.surface.friction
    depth = resting_depth(spring, context)
    coefficients = friction_of(friction, depth)
    attributes: dict[str, Any] = {}
    if friction.torsional is not None:
        if coefficients[1] > 0.0:
            attributes["condim"] = 4
        code = (
            codes.TORSIONAL_FRICTION
            if friction.use_patch_radius
            else codes.TORSIONAL_FRICTION_OF_SPHERE
        )
        owner.report(
            code, context, length=coefficients[1], radius=friction.surface_radius, depth=depth
        )
    if friction.rolling is not None and friction.rolling > 0.0:
        attributes["condim"] = 6
        owner.report(
            codes.ROLLING_FRICTION,
            context,
            length=friction.rolling,
            speed=_VISCOUS_SPEED / friction.rolling,
        )
    if not data.has_turning_friction:
        coefficients = (friction.mu, *DEFAULT_FRICTION[1:])
    if coefficients != DEFAULT_FRICTION:
        attributes["friction"] = _without_defaults(coefficients)
    return attributes


def resting_depth(spring: ContactSpring | None, context: MjcfContext) -> float:
    """Return the depth [m] in which a body rests by its weight on one contact point; None is
    MuJoCo's default contact.
    """
    gravity = float(np.linalg.norm(context.mechanism.gravity))
    return default_depth(gravity) if spring is None else spring.depth(gravity)


def friction_of(friction: Friction, depth: float) -> tuple[float, float, float]:
    """Return sliding [-], torsional [m] and rolling [m] friction; zero where the source states
    none.

    Args:
        friction: The friction.
        depth: Depth of the contact [m].
    """
    return friction.mu, torsional_length(friction, depth), friction.rolling or 0.0


def _without_defaults(friction: tuple[float, float, float]) -> tuple[float, ...]:
    """Return the coefficients without trailing ones that have MuJoCo's default."""
    count = 3
    while count > 1 and friction[count - 1] == DEFAULT_FRICTION[count - 1]:
        count -= 1
    return friction[:count]


# --- stiffness and restitution --------------------------------------------------------------------


def contact_spring(
    stated: Sequence[Surface], w: float, step: float, gravity: float
) -> ContactSpring | None:
    """Return the springs of surfaces in series, with the largest damping ratio; without springs,
    the contact of the largest restitution; None if the surfaces state neither.

    Args:
        stated: The surfaces of a contact; one touches a rigid body.
        w: Sum of the bodies' inverse masses [1/kg]; zero if they cannot move.
        step: Time step [s].
        gravity: Magnitude of gravity [m/s^2].
    """
    surfaces = [with_ode_spring(surface, step) for surface in stated]
    springs = [(s, s.stiffness) for s in surfaces if s.stiffness is not None and s.stiffness > 0.0]
    restitution = max(surface.restitution for surface in surfaces)
    if springs and w > 0.0:
        stiffness = 1.0 / sum(1.0 / stiffness for _, stiffness in springs)
        ratio = max(damping_ratio(surface, stiffness, w, gravity) for surface, _ in springs)
        return ContactSpring.from_stiffness(stiffness, ratio, w, step, bounces=restitution > 0.0)
    if any(surface.stiffness is not None for surface in surfaces) or restitution <= 0.0:
        return None
    return ContactSpring.from_restitution(restitution, step)


def _step_and_gravity(context: MjcfContext) -> tuple[float, float]:
    return context.time_step, float(np.linalg.norm(context.mechanism.gravity))


def _compliance(
    owner: _Owner, spring: ContactSpring | None, inverse_mass: float, context: MjcfContext
) -> dict[str, Any]:
    """Return how a contact with a rigid and fixed body yields or bounces."""
    stated = owner.collision.surface
    surface = with_ode_spring(stated, context.time_step)
    if surface.stiffness is not None:
        _report_spring(surface, surface.stiffness, spring, inverse_mass, owner, context)
    if surface is stated:
        for name in _SOLVER_PARAMETERS:
            if getattr(surface, name) is not None:
                owner.report(
                    codes.CONTACT_SOLVER, context, parameter=name, value=getattr(surface, name)
                )
    _report_damping(surface, owner, context)
    if surface.restitution > 0.0:
        owner.report(
            codes.RESTITUTION,
            context,
            restitution=surface.restitution,
            rate=-ContactSpring.from_restitution(surface.restitution, context.time_step).solref[1],
        )
    if spring is None:
        return {}
    return {"solref": spring.solref, "solimp": spring.solimp, "solmix": _ALL_WEIGHT}


def _report_spring(
    surface: Surface,
    stiffness: float,
    spring: ContactSpring | None,
    inverse_mass: float,
    owner: _Owner,
    context: MjcfContext,
) -> None:
    """Report how far the spring differs from the stiffness [N/m] and the damping of the source."""
    if spring is None:
        is_rigid = stiffness > 0.0
        code = codes.CONTACT_STIFFNESS_DROPPED if is_rigid else codes.CONTACT_STIFFNESS_NONE
        owner.report(code, context, stiffness=stiffness)
        return
    held = spring.stiffness(inverse_mass)
    ratio = damping_ratio(surface, stiffness, inverse_mass, _step_and_gravity(context)[1])
    values: dict[str, Any] = {
        "stiffness": stiffness,
        "held": held,
        "mass": 1.0 / inverse_mass,
        "ratio": ratio,
        "written_ratio": spring.ratio,
        "mass_factor": spring.mass_factor,
        "time_step": context.time_step,
        "resolving_step": resolving_step(stiffness, inverse_mass),
    }
    is_reduced = held < stiffness * (1.0 - _ROUNDING)
    code = codes.CONTACT_STIFFNESS_REDUCED if is_reduced else codes.CONTACT_STIFFNESS
    owner.report(code, context, **values)
    if abs(spring.ratio - ratio) > _ROUNDING * ratio:
        is_raised = spring.ratio > ratio
        code = codes.CONTACT_DAMPING_RAISED if is_raised else codes.CONTACT_DAMPING
        owner.report(code, context, **values)


def _report_damping(surface: Surface, owner: _Owner, context: MjcfContext) -> None:
    """Report the damping parameters that have no effect.

    The first that is stated damps a spring without restitution. Others, and any without a
    stiffness, are left out.
    """
    stated = [name for name in _DAMPING if getattr(surface, name) is not None]
    if surface.stiffness is not None and surface.restitution <= 0.0:
        if stated[:1] == ["dissipation"]:
            owner.report(
                codes.CONTACT_DISSIPATION_APPROXIMATED, context, dissipation=surface.dissipation
            )
        stated = stated[1:]
    for name in stated:
        owner.report(
            codes.CONTACT_DISSIPATION, context, parameter=name, value=getattr(surface, name)
        )


# --- bitmasks -------------------------------------------------------------------------------------


def _masks(collision: Collision, body: int, filters: Filters) -> dict[str, int]:
    """Return ``contype`` and ``conaffinity``, if bitmasks decide which geoms collide."""
    if collision.surface.collide_without_contact:
        return {"contype": 0, "conaffinity": 0}
    if filters.masks is not None:
        mask = filters.masks[body]
        return {"contype": mask.kind, "conaffinity": mask.touches}
    if filters.bitmasks:
        category, touches = bitmasks(collision.surface)
        return {"contype": _signed(category), "conaffinity": _signed(touches)}
    return {}


def _signed(mask: int) -> int:
    """Return the same 32 bits as a signed integer, as in MuJoCo."""
    return (mask & 0xFFFFFFFF) - ((mask & 0x80000000) << 1)


MAX_PAIRS = 2000
"""Largest number of pairs that are written: more make an unreadable file that is slow to
simulate."""

_FRICTION_RATIO = 0.3
"""Damping ratio from which the damping of a geom is enough for its friction, within 1 %."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """A collision, its link, and the names of its geoms."""

    link: str
    collision: Collision
    geoms: tuple[str, ...]


def write_contact_pairs(
    geom_names: Mapping[tuple[str, str], tuple[str, ...]],
    masses: Mapping[str, float],
    context: MjcfContext,
) -> None:
    """Write the pairs if the caller asks for them; else report how far the friction of pairs
    differs without them.

    Args:
        geom_names: Names of the geoms of each collision, by link and collision.
        masses: Inverse mass of each link, see `inverse_masses`.
        context: The export.
    """
    if context.options.contacts == "geoms":
        _report_friction_difference(context)
        _write_lightly_damped_pairs(geom_names, masses, context)
        return
    pairs = list(islice(_colliding_shapes(geom_names, context), MAX_PAIRS + 1))
    if sum(len(a.geoms) * len(b.geoms) for a, b in pairs) > MAX_PAIRS:
        context.add(
            codes.CONTACT_PAIRS,
            subjects=(link.name for link in context.mechanism.scene.links if link.collisions),
            limit=MAX_PAIRS,
        )
        _report_friction_difference(context)
        return
    for a, b in pairs:
        _write_pair(
            a,
            b,
            friction_rule(context.mechanism.scene).combined,
            _spring_between(a, b, masses, context),
            context,
        )


def write_stated_pairs(
    geom_names: Mapping[tuple[str, str], tuple[str, ...]], context: MjcfContext
) -> None:
    """Write the contact pairs of the source.

    Args:
        geom_names: Names of the geoms of each collision, by link and collision.
        context: The export.
    """
    for pair in context.mechanism.contact_pairs:
        first = geom_names.get((pair.link_A, pair.collision_A), ())
        second = geom_names.get((pair.link_B, pair.collision_B), ())
        for a, b in product(first, second):
            context.document["contact"].add("pair", geom1=a, geom2=b, **own_settings(pair))
        if not first or not second:
            context.add(
                codes.CONTACT_PAIR,
                pair.where,
                subjects=(pair.link_A, pair.link_B),
                collision_a=pair.collision_A,
                collision_b=pair.collision_B,
            )


def _colliding_shapes(
    geom_names: Mapping[tuple[str, str], tuple[str, ...]], context: MjcfContext
) -> Iterator[tuple[_Shape, _Shape]]:
    """Yield every two shapes of different links that may collide."""
    is_masked = context.options.policy in BITMASKED
    for A, B in _colliding_links(context):
        for a, b in product(A.collisions, B.collisions):
            if a.surface.collide_without_contact or b.surface.collide_without_contact:
                continue
            if not is_masked or Mask(*bitmasks(a.surface)).meets(Mask(*bitmasks(b.surface))):
                first, second = (
                    geom_names.get((A.name, a.name), ()),
                    geom_names.get((B.name, b.name), ()),
                )
                yield _Shape(A.name, a, first), _Shape(B.name, b, second)


def _colliding_links(context: MjcfContext) -> Iterator[tuple[Link, Link]]:
    """Yield every two links that are not welded together and may collide."""
    mechanism, policy = context.mechanism, context.options.policy
    excluded, index = mechanism.excluded_pairs(policy), mechanism.body_index
    links = (link for link in mechanism.scene.links if link.collisions)
    for A, B in limited("pairs", combinations(links, 2)):
        a, b = index[A.name], index[B.name]
        if frozenset((a, b)) not in excluded and mechanism.moving_ancestor(
            a
        ) != mechanism.moving_ancestor(b):
            yield A, B


def _write_lightly_damped_pairs(
    geom_names: Mapping[tuple[str, str], tuple[str, ...]],
    masses: Mapping[str, float],
    context: MjcfContext,
) -> None:
    """Write the pairs of shapes whose contact has little damping, with what their geoms state and
    hard friction.
    """
    springs = {
        (body.name, collision.name): contact_spring(
            (collision.surface,), masses.get(body.name, 0.0), *_step_and_gravity(context)
        )
        for body in context.mechanism.bodies
        for collision in body.link.collisions
    }
    if not any(map(_is_light, springs.values())):
        return
    pairs: list[tuple[_Shape, _Shape, ContactSpring | None]] = []
    for a, b in _colliding_shapes(geom_names, context):
        spring_a = springs[a.link, a.collision.name]
        spring = _harder(spring_a, springs[b.link, b.collision.name])
        if _is_light(spring):
            pairs.append((a, b, spring))
        if len(pairs) > MAX_PAIRS:
            break
    if sum(len(a.geoms) * len(b.geoms) for a, b, _ in pairs) > MAX_PAIRS:
        context.add(
            codes.CONTACT_PAIRS_BOUNCING,
            subjects=(link.name for link in context.mechanism.scene.links if link.collisions),
            limit=MAX_PAIRS,
        )
        return
    for a, b, spring in pairs:
        _write_pair(a, b, max, spring, context)


def _is_light(spring: ContactSpring | None) -> bool:
    """Return whether a spring has too little damping for friction."""
    return spring is not None and spring.ratio < _FRICTION_RATIO


def _harder(a: ContactSpring | None, b: ContactSpring | None) -> ContactSpring | None:
    """Return the contact that MuJoCo computes for two geoms: of the larger stiffness, or else
    damping.
    """
    springs = [spring for spring in (a, b) if spring is not None]
    return max(springs, key=lambda spring: (-spring.solref[0], spring.ratio), default=None)


def _spring_between(
    a: _Shape, b: _Shape, masses: Mapping[str, float], context: MjcfContext
) -> ContactSpring | None:
    surfaces = [shape.collision.surface for shape in (a, b)]
    w = sum(masses.get(shape.link, 0.0) for shape in (a, b))
    return contact_spring(surfaces, w, *_step_and_gravity(context))


def _write_pair(
    a: _Shape,
    b: _Shape,
    rule: Callable[[float, float], float],
    contact: ContactSpring | None,
    context: MjcfContext,
) -> None:
    depth = resting_depth(contact, context)
    (slide_a, *rest_a), (slide_b, *rest_b) = (
        friction_of(shape.collision.surface.friction, depth) for shape in (a, b)
    )
    slide = rule(slide_a, slide_b)
    spin, roll = (max(pair) for pair in zip(rest_a, rest_b, strict=True))
    for first, second in product(a.geoms, b.geoms):
        context.document["contact"].add(
            "pair",
            geom1=first,
            geom2=second,
            condim=max(_condim(shape.collision, depth) for shape in (a, b)),
            friction=(slide, slide, spin, roll, roll),
            solref=contact.solref if contact else None,
            solimp=contact.solimp if contact else None,
            solreffriction=contact.friction_solref(context.time_step) if contact else None,
        )


def _condim(collision: Collision, depth: float) -> int:
    friction = collision.surface.friction
    _, spin, roll = friction_of(friction, depth)
    if friction.rolling is not None and roll > 0.0:
        return 6
    return 4 if friction.torsional is not None and spin > 0.0 else 3


def _report_friction_difference(context: MjcfContext) -> None:
    """Report the two shapes that may touch for which MuJoCo's rule differs most from that of the
    source.
    """
    rule = friction_rule(context.mechanism.scene)
    if rule.combined is max:
        return
    worst = worst_of(frictions_of(_touching_kinds(context), rule, max))
    if worst is not None:
        context.add(
            codes.FRICTION_COMBINATION,
            subjects=(worst.link_A, worst.link_B),
            link_a=worst.link_A,
            link_b=worst.link_B,
            a=worst.coefficients[0],
            b=worst.coefficients[1],
            larger=worst.found,
            rule_name=rule.words,
            combined=worst.wanted,
        )


def _touching_kinds(context: MjcfContext) -> Iterator[tuple[Link, Link]]:
    """Yield a pair of links that may touch for every two kinds of links with the same coefficients
    that have one.
    """
    mechanism = context.mechanism
    excluded = mechanism.excluded_pairs(context.options.policy)
    links = {
        mechanism.body_index[link.name]: link
        for link in mechanism.scene.links
        if link.collisions and link.name in mechanism.body_index
    }
    kinds: dict[tuple[bool, frozenset[float]], list[int]] = {}
    for i, link in links.items():
        coefficients = frozenset(c.surface.friction.mu for c in link.collisions)
        kinds.setdefault((mechanism.moving_ancestor(i) == ROOT, coefficients), []).append(i)
    members = {kind: excluded.representatives(found) for kind, found in kinds.items()}
    for (one, first), (other, second) in combinations_with_replacement(members.items(), 2):
        if not (one[0] and other[0]):
            pairs = combinations(first, 2) if first is second else product(first, second)
            touching = (pair for pair in pairs if frozenset(pair) not in excluded)
            yield from ((links[a], links[b]) for a, b in islice(touching, 1))


def write_excludes(filters: Filters, context: MjcfContext) -> None:
    """Write the excludes and the flag that they need; bitmasks are attributes of the geoms.

    Args:
        filters: The collision filters in MuJoCo's form.
        context: The export.
    """
    if not filters.parent_filter:
        option = context.document["option"]
        flags = [child for child in option.children if child.tag == "flag"] or [option.add("flag")]
        flags[0].set(filterparent="disable")
    for a, b in (*filters.excludes, *_without_effect(filters, context)):
        context.document["contact"].add("exclude", body1=_name(a, context), body2=_name(b, context))


def _without_effect(filters: Filters, context: MjcfContext) -> list[tuple[int, int]]:
    """Return the excludes of an MJCF source without which the same pairs collide, such as those of
    a cable.
    """
    mechanism = context.mechanism
    filters_are_pairs = conventions_of(mechanism.physics).filters_are_pairs
    if not filters_are_pairs or context.options.policy != "mujoco":
        return []
    written = set(map(frozenset, filters.excludes))
    return [pair for pair in pairs_of_rules(mechanism) if frozenset(pair) not in written]


def _name(body: int, context: MjcfContext) -> str:
    return WORLD if body == ROOT else context.mechanism.bodies[body].name


def report_ignored_filters(context: MjcfContext) -> None:
    """Report the pairs that MuJoCo never lets collide, and the filters that the collision policy
    ignores.
    """
    scene, policy = context.mechanism.scene, context.options.policy
    partners = welded_partners(context.mechanism, policy)
    if partners:
        context.add(
            codes.WELDED_CONTACT,
            subjects=(_name(body, context) for body in partners),
            count=sum(partners.values()) // 2,
        )
    ignored = ignored_by_policy(scene, policy)
    if ignored:
        context.add(
            codes.CONTACT_POLICY,
            Where(scene.source),
            subjects=dict.fromkeys(chain.from_iterable(ignored.values())),
            policy=policy,
            properties=tuple(ignored),
        )


_TURNS = frozenset({PrimitiveKind.HINGE, PrimitiveKind.BALL})
_NOTHING = 1e-12
"""Way of the center of mass per angle, relative to the size of the link, that is a rounding
error."""


def report_pivoted_contacts(context: MjcfContext) -> None:
    """Report the links that only turn about their center of mass and may touch another such link.

    Args:
        context: The export.
    """
    touching = _touching(context)
    if touching:
        context.add(codes.PIVOTED_CONTACT, subjects=touching, count=len(touching))


def _touching(context: MjcfContext) -> list[str]:
    """Return the names of the pivoted links that may collide with another one whose shapes are near
    at the zero position.
    """
    mechanism = context.mechanism
    candidates = [(i, body) for i, body in enumerate(mechanism.bodies) if _may_be_pivoted(body)]
    if len(candidates) < 2:
        return []
    jacobians, poses = mechanism.jacobians(), mechanism.link_poses()
    excluded = mechanism.excluded_pairs(context.options.policy)
    pivoted = []
    for i, body in candidates:
        X_WL, radius = poses[body.name], _radius(body)
        speed = _speed_of_center(body, X_WL, jacobians[body.name])
        if radius > 0.0 and speed <= _NOTHING * radius:
            pivoted.append((i, X_WL.R @ body.inertia.p_LLcm + X_WL.p, radius))
    pivoted.sort(key=lambda each: each[1][0] - each[2])  # along x, by where the spheres begin
    centers = np.array([center for _, center, _ in pivoted]).reshape(-1, 3)
    radii = np.array([radius for *_, radius in pivoted])
    ends = np.searchsorted(centers[:, 0] - radii, centers[:, 0] + radii, side="right")
    found: set[int] = set()
    for k, (i, center, radius) in enumerate(pivoted):
        rest = slice(k + 1, int(ends[k]))
        gaps = np.linalg.norm(centers[rest] - center, axis=1) - radii[rest]
        for m in k + 1 + np.flatnonzero(gaps <= radius):
            j = pivoted[m][0]
            if not (i in found and j in found) and frozenset((i, j)) not in excluded:
                found |= {i, j}
    return [mechanism.bodies[i].name for i in sorted(found)]


def _may_be_pivoted(body: Body) -> bool:
    """Return whether a link with collisions is held by the world and turns."""
    kinds = {primitive.kind for primitive in body.primitives}
    return body.parent == ROOT and bool(body.link.collisions) and bool(kinds) and kinds <= _TURNS


def _speed_of_center(body: Body, X_WL: Pose, J: Array) -> float:
    """Return the largest speed of the center of mass per speed of a joint."""
    return float(np.abs(J[3:] - skew(X_WL.R @ body.inertia.p_LLcm) @ J[:3]).max(initial=0.0))


def _radius(body: Body) -> float:
    """Return the radius of a sphere about the center of mass around the primitive shapes of a link;
    zero if it has none.
    """
    radii = [0.0]
    for collision in body.link.collisions:
        support = support_function(collision.geometry)
        if support is not None:
            reach = math.sqrt(sum(max(support(axis), support(-axis)) ** 2 for axis in np.eye(3)))
            radii.append(reach + float(np.linalg.norm(collision.X_LG.p - body.inertia.p_LLcm)))
    return max(radii)
