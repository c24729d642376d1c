"""Properties of a mechanism that engine adapters share: degrees of freedom, limits, and the links that can move."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, Position, kind_of

from .protocol import Dof

UNLIMITED = 1e9
"""Magnitude from which a limit means that there is none [rad or m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarDof:
    """The hinge or slide of one velocity component.

    Attributes:
        body: Index of the body in the mechanism.
        number: Index of the primitive in the body.
        primitive: The hinge or slide.
    """

    body: int
    number: int
    primitive: Primitive


def scalar_dofs(mechanism: Mechanism) -> dict[Dof, ScalarDof]:
    """Return the hinge or slide of each scalar component; if both share one, as in a screw joint, the hinge."""
    dofs: dict[Dof, ScalarDof] = {}
    for i, body in enumerate(mechanism.bodies):
        if kind_of(body) is not None:
            continue
        numbered = sorted(enumerate(body.primitives), key=lambda item: item[1].kind is not PrimitiveKind.HINGE)
        for number, primitive in numbered:
            dof = (str(body.joint), primitive.dof_index)
            dofs.setdefault(dof, ScalarDof(body=i, number=number, primitive=primitive))
    return dofs


def without_sentinel(limit: float) -> float:
    """Return a limit, infinite if its magnitude is at least `UNLIMITED`."""
    return math.copysign(math.inf, limit) if abs(limit) >= UNLIMITED else limit


def moving_links(mechanism: Mechanism) -> set[str]:
    """Return the links that a joint can move; the mass of all others has no effect."""
    moving: list[bool] = []
    for body in mechanism.bodies:
        carried = body.parent != ROOT and moving[body.parent]
        moving.append(carried or bool(body.primitives))
    return {body.name for body, moves in zip(mechanism.bodies, moving, strict=True) if moves}


def positions_by_joint(mechanism: Mechanism, by_body: Sequence[Coordinates]) -> dict[str, Position]:
    """Return positions by joint name, given those of each body."""
    return {str(body.joint): q for body, q in zip(mechanism.bodies, by_body, strict=True) if body.primitives}


def screw_like_joints(mechanism: Mechanism) -> list[str]:
    """Return the joints whose primitives share a component, as in a screw; engines hold these by a constraint."""
    return [
        str(body.joint)
        for body in mechanism.bodies
        if len({p.dof_index for p in body.primitives}) < len(body.primitives)
    ]


def has_free_or_ball(mechanism: Mechanism) -> bool:
    """Return whether a body rotates freely, for which engines integrate different coordinates."""
    return any(kind_of(body) is not None for body in mechanism.bodies)
