"""Friction, surfaces, collision filter groups and pairs.

SDFormat states a coefficient and the radius of a round patch of contact; PyBullet, URDF's
``<spinning_friction>`` and MuJoCo state the length itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from loaders.diagnostics import NOWHERE, Where

from .settings import EngineSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterGroup:
    """A named set of links."""

    name: str
    """Scoped name."""
    links: tuple[str, ...]
    """Names of the member links."""
    groups: tuple[str, ...] = ()
    """Names of member groups, resolved at the end of a load: empty in a loaded scene."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactPair:
    """Two collisions that may touch whatever the filters say."""

    link_A: str
    """Name of link A."""
    collision_A: str
    """Name of the collision of link A."""
    link_B: str
    """Name of link B."""
    collision_B: str
    """Name of the collision of link B."""
    engine_settings: EngineSettings = ()
    """Settings of simulators that no other field holds."""
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterRule:
    """Rule that no link of group ``a`` collides with a link of group ``b``, which may be the same
    group.
    """

    a: str
    b: str
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class Friction:
    """Coulomb friction; None leaves the value to the engine."""

    mu: float = 1.0
    """Coefficient of friction in the first direction, and in every direction unless ``mu2``
    differs."""
    mu2: float = 1.0
    """Coefficient of friction perpendicular to the first direction."""
    mu_static: float | None = None
    """Coefficient of static friction, if the source states one that differs from ``mu``."""
    fdir1: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """First friction direction in G; zero leaves it to the engine."""
    slip1: float = 0.0
    """Force-dependent slip in the first direction [m/(N s)]."""
    slip2: float = 0.0
    """Force-dependent slip perpendicular to the first direction [m/(N s)]."""
    rolling: float | None = None
    """Coefficient of rolling friction."""
    torsional: float | None = None
    """Coefficient of torsional friction."""
    patch_radius: float = 0.0
    """Radius of the contact patch [m]."""
    surface_radius: float = 0.0
    """Radius of curvature at the contact [m], used if ``use_patch_radius`` is false."""
    use_patch_radius: bool = True
    """Whether torsional friction uses ``patch_radius``."""
    torsional_slip: float = 0.0
    """Force-dependent torsional slip [rad/(N m s)]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hydroelastic:
    """Parameters of Drake's hydroelastic contact; None leaves the value to Drake."""

    compliance: str | None = None
    """``rigid`` or ``compliant``."""
    resolution_hint: float | None = None
    """Target edge length of the contact mesh [m]."""
    modulus: float | None = None
    """Elastic modulus [Pa]."""
    margin: float | None = None
    """Thickness of the margin [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """Contact properties of a collision; None leaves the value to the engine."""

    friction: Friction = Friction()
    """Coulomb friction."""
    restitution: float = 0.0
    """Coefficient of restitution."""
    restitution_threshold: float = 1e5
    """Speed [m/s] below which restitution is zero."""
    stiffness: float | None = None
    """Contact stiffness [N/m]."""
    damping: float | None = None
    """Contact damping [N s/m]."""
    dissipation: float | None = None
    """Hunt-Crossley dissipation [s/m]."""
    relaxation_time: float | None = None
    """Relaxation time of linear dissipation [s]."""
    max_velocity: float | None = None
    """Maximum speed at which penetration is corrected [m/s]."""
    min_depth: float | None = None
    """Penetration depth [m] that is not corrected."""
    soft_cfm: float | None = None
    """Constraint force mixing, a parameter of ODE and Bullet."""
    soft_erp: float | None = None
    """Error reduction parameter of ODE and Bullet."""
    collide_bitmask: int = 0xFFFF
    """Bitmask of the categories with which it collides."""
    category_bitmask: int | None = None
    """Bitmask of its own categories; None is ``collide_bitmask``."""
    collide_without_contact: bool = False
    """Whether contacts are reported but exert no force."""
    engine_settings: EngineSettings = ()
    """Settings of simulators that no other field holds."""
    hydroelastic: Hydroelastic | None = None
    """Parameters of Drake's hydroelastic contact."""


_SHARE = 3.0 * math.pi / 16.0
"""Length over coefficient and radius, for the pressure of a sphere on a plane (Hertz); SDFormat,
``torsional``."""
UNIT_PATCH_RADIUS = 1.0 / _SHARE
"""Radius of a patch at which coefficient and length are the same number [m]."""


def torsional_length(friction: Friction, depth: float = 0.0) -> float:
    """Return the length of torsional friction [m], zero if the source states none.

    Args:
        friction: The friction.
        depth: Depth of the contact [m], on which the patch depends if the source states the radius
            R of the surface: its radius is ``sqrt(R * depth)`` then (SDFormat,
            ``use_patch_radius``).
    """
    sphere_patch = math.sqrt(friction.surface_radius * depth)
    radius = friction.patch_radius if friction.use_patch_radius else sphere_patch
    return _SHARE * radius * (friction.torsional or 0.0)
