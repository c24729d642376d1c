"""Contact properties of a collision."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Friction:
    """Coulomb friction; None is what the source leaves to the engine."""

    mu: float = 1.0
    """Coefficient in the first direction, and in every direction unless ``mu2`` differs."""
    mu2: float = 1.0
    """Coefficient across the first direction."""
    mu_static: float | None = None
    """Coefficient at rest, where the source tells it apart from ``mu``."""
    fdir1: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """First friction direction in G; zero leaves it to the engine."""
    slip1: float = 0.0
    slip2: float = 0.0
    rolling: float | None = None
    torsional: float | None = None
    """Coefficient of torsional friction."""
    patch_radius: float = 0.0
    """Radius of the contact patch [m]."""
    surface_radius: float = 0.0
    """Radius of curvature at the contact [m], used where ``use_patch_radius`` is false."""
    use_patch_radius: bool = True
    torsional_slip: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hydroelastic:
    """Drake's pressure-field contact."""

    compliance: str | None = None
    """``rigid`` or ``compliant``."""
    resolution_hint: float | None = None
    """Edge length of the mesh [m]."""
    modulus: float | None = None
    """Elastic modulus [Pa]."""
    margin: float | None = None
    """Thickness of the margin [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """How a collision touches others; None is what the source leaves to the engine."""

    friction: Friction = Friction()
    restitution: float = 0.0
    restitution_threshold: float = 1e5
    """Speed [m/s] below which nothing bounces."""
    stiffness: float | None = None
    """Contact stiffness [N/m]."""
    damping: float | None = None
    """Contact damping [N s/m]."""
    dissipation: float | None = None
    """Hunt-Crossley dissipation [s/m]."""
    relaxation_time: float | None = None
    """Relaxation time of linear dissipation [s]."""
    max_velocity: float | None = None
    """Largest speed of penetration correction [m/s]."""
    min_depth: float | None = None
    """Penetration [m] that is not corrected."""
    soft_cfm: float | None = None
    soft_erp: float | None = None
    collide_bitmask: int = 0xFFFF
    """Two collisions touch if their masks share a bit."""
    category_bitmask: int | None = None
    collide_without_contact: bool = False
    hydroelastic: Hydroelastic | None = None
