"""Tendons: lengths that depend on joint positions or on a path in space, with springs, limits and drives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from loaders.diagnostics import NOWHERE, Where
from loaders.spatial import IDENTITY, Array, Pose

from .common import WORLD, Settings


class TendonPartType(StrEnum):
    """Parts of a tendon."""

    JOINT = "joint"
    """Term ``value * q(joint)`` of a sum of joint positions."""
    POINT = "point"
    """Point through which the path leads: the origin of the frame on the link."""
    SPHERE = "sphere"
    """Sphere of radius ``value`` around which the path wraps."""
    CYLINDER = "cylinder"
    """Cylinder of radius ``value``, along z of the frame, around which the path wraps."""
    PULLEY = "pulley"
    """End of a branch; the length of the next branch is divided by ``value``."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TendonPart:
    """One part of a tendon; fields that its type does not need have their defaults."""

    type: TendonPartType
    """Type of the part."""
    value: float = 1.0
    """Coefficient, radius [m] or divisor."""
    joint: str = ""
    """Name of the joint."""
    link: str = WORLD
    """Name of the link."""
    X_LP: Pose = IDENTITY
    """Frame of the part on the link."""
    p_LS: Array | None = None
    """Point S on link_S [m], shape (3,), on whose side the path wraps; None if the side is free."""
    link_S: str = WORLD
    """Name of the link of S."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tendon:
    """A tendon, as in MuJoCo: a weighted sum of joint positions, or a path in space. Units are m and N for a path."""

    name: str
    """Scoped name."""
    parts: tuple[TendonPart, ...]
    """Joints, or the parts of the path in order."""
    lower: float = -math.inf
    """Lower limit of the length."""
    upper: float = math.inf
    """Upper limit of the length."""
    stiffness: float = 0.0
    """Stiffness of the spring."""
    rest: tuple[float, float] = (0.0, 0.0)
    """Range of lengths in which the spring exerts no force."""
    damping: float = 0.0
    """Viscous damping."""
    friction: float = 0.0
    """Coulomb friction."""
    inertia: float = 0.0
    """Inertia of the change of length."""
    mujoco: Settings = ()
    """Further settings of MuJoCo's element."""
    where: Where = NOWHERE
