"""What a comparison needs to know of a mechanism: which links move, and which primitive carries each freedom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, Position, kind_of

from .protocol import Freedom

UNLIMITED = 1e9
"""A limit as large as this stands for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """The primitive that carries one velocity component, a hinge or a slide."""

    body: int
    number: int
    """Of the primitive, in its body."""
    primitive: Primitive


def single_freedoms(mechanism: Mechanism) -> dict[Freedom, Single]:
    """The carrier of each component of hinges and slides: of those that share one, as in a screw, the hinge."""
    found: dict[Freedom, Single] = {}
    for i, body in enumerate(mechanism.bodies):
        if kind_of(body) is not None:
            continue
        numbered = sorted(enumerate(body.primitives), key=lambda item: item[1].kind is not PrimitiveKind.HINGE)
        for number, primitive in numbered:
            key = (str(body.joint), primitive.dof_index)
            found.setdefault(key, Single(body=i, number=number, primitive=primitive))
    return found


def bound(limit: float) -> float:
    """A limit, infinite where it stands for none."""
    return math.copysign(math.inf, limit) if abs(limit) >= UNLIMITED else limit


def moving_links(mechanism: Mechanism) -> set[str]:
    """Links that some joint can move; the mass of all others is of no consequence."""
    moving: list[bool] = []
    for body in mechanism.bodies:
        carried = body.parent != ROOT and moving[body.parent]
        moving.append(carried or bool(body.primitives))
    return {body.name for body, moves in zip(mechanism.bodies, moving, strict=True) if moves}


def named_positions(mechanism: Mechanism, by_body: Sequence[Coordinates]) -> dict[str, Position]:
    """Positions of bodies as those of the joints that move them."""
    return {str(body.joint): q for body, q in zip(mechanism.bodies, by_body, strict=True) if body.primitives}


def soft_joints(mechanism: Mechanism) -> list[str]:
    """Joints that a constraint holds together: two primitives share a component, as in a screw."""
    return [
        str(body.joint)
        for body in mechanism.bodies
        if len({p.dof_index for p in body.primitives}) < len(body.primitives)
    ]


def has_free_or_ball(mechanism: Mechanism) -> bool:
    """Whether some body turns freely: engines then integrate in different coordinates."""
    return any(kind_of(body) is not None for body in mechanism.bodies)
