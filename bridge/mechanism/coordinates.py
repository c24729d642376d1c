"""Positions and velocities: from a user's mapping, in each joint's convention, to each primitive's.

One convention holds everywhere: hinge, slide and screw one number; universal and revolute2 two angles; planar
``x, y, theta``; ball a quaternion ``w x y z`` of the child's joint frame in the parent's; free
``x y z qw qx qy qz`` of the link in the world. A ball's velocity is the angular velocity of child in parent, in the
parent's joint frame; a free link's is ``vx vy vz wx wy wz`` of its origin, in the world.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from .bodies import Body, PrimitiveKind

Position = float | Sequence[float]
"""The position or velocity of one joint as a user gives it, in the convention of its type."""
Coordinates = tuple[float, ...]
"""The same in numbers, or that of one primitive."""


def kind_of(body: Body) -> PrimitiveKind | None:
    """`Kind.BALL` or `Kind.FREE` if that is what moves the body, else None."""
    if body.primitives and body.primitives[0].kind in {PrimitiveKind.BALL, PrimitiveKind.FREE}:
        return body.primitives[0].kind
    return None


def scalar_joints(bodies: Iterable[Body]) -> dict[str, Body]:
    """The bodies that hinges and slides carry, by their joints: their positions are as many numbers as velocities."""
    return {body.joint: body for body in bodies if body.joint is not None and body.primitives and kind_of(body) is None}


def default_position(body: Body) -> Coordinates:
    """The position in which the scene has the body."""
    kind = kind_of(body)
    if kind is PrimitiveKind.FREE:
        return tuple(body.link.X_WL.to_vector())
    if kind is PrimitiveKind.BALL:
        return (1.0, 0.0, 0.0, 0.0)
    return (0.0,) * body.nv


def positions_by_body(bodies: Sequence[Body], q: Mapping[str, Position]) -> list[Coordinates]:
    """The position of each body's joint, defaults filled in, quaternions of unit length; loops may stay open.

    Raises:
        ValueError: for an unknown joint, a position of the wrong size or one that is not finite.
    """
    return _by_body(bodies, q, [default_position(body) for body in bodies])


def velocities_by_body(bodies: Sequence[Body], v: Mapping[str, Position]) -> list[Coordinates]:
    """The velocity of each body's joint, zero where none is given.

    Raises:
        ValueError: as `positions_by_body`.
    """
    return _by_body(bodies, v, [(0.0,) * body.nv for body in bodies])


def _by_body(bodies: Sequence[Body], given: Mapping[str, Position], values: list[Coordinates]) -> list[Coordinates]:
    index = joint_index(bodies)
    for name, value in given.items():
        if name not in index:
            known = ", ".join(sorted(index)) or "none"
            raise ValueError(f"there is no joint {name!r} that moves or holds a link; there are: {known}")
        i = index[name]
        numbers = tuple(float(x) for x in np.atleast_1d(np.asarray(value, dtype=np.float64)))
        if len(numbers) != len(values[i]) or not np.all(np.isfinite(numbers)):
            raise ValueError(f"joint {name!r} takes {len(values[i])} finite number(s), not {value!r}")
        values[i] = _normalized(numbers) if len(numbers) in {4, 7} else numbers
    return values


def _normalized(position: Coordinates) -> Coordinates:
    """The same position with its quaternion, the last four numbers, of unit length."""
    length = float(np.linalg.norm(position[-4:]))
    if length == 0.0:
        raise ValueError("a quaternion must not be zero")
    return (*position[:-4], *(c / length for c in position[-4:]))


def joint_index(bodies: Sequence[Body]) -> dict[str, int]:
    """The body that each joint moves or holds, by the joint's name; a floating joint's own name counts too."""
    index = {body.source.name: i for i, body in enumerate(bodies) if body.source is not None}
    return index | {body.joint: i for i, body in enumerate(bodies) if body.joint is not None}


def primitive_positions(body: Body, position: Coordinates) -> tuple[Coordinates, ...]:
    """The displacement of each primitive: M in F for a ball, the link in the world for a free one."""
    kind = kind_of(body)
    if kind is PrimitiveKind.BALL and body.reversed:
        w, x, y, z = position
        return ((w, -x, -y, -z),)
    if kind is not None:
        return (position,)
    return tuple((p.ratio * position[p.dof_index],) for p in body.primitives)


def joint_position(body: Body, displacements: Sequence[Coordinates]) -> Coordinates:
    """The joint's position for given displacements of its primitives: the inverse of `primitive_positions`.

    Where a hinge and a slide share a component, as in a screw, the hinge tells.
    """
    kind = kind_of(body)
    if kind is PrimitiveKind.BALL and body.reversed:
        w, x, y, z = displacements[0]
        return (w, -x, -y, -z)
    if kind is not None:
        return displacements[0]
    position = [0.0] * body.nv
    moved = sorted(
        zip(body.primitives, displacements, strict=True), key=lambda pair: pair[0].kind is PrimitiveKind.HINGE
    )
    for p, (displacement,) in moved:
        if p.ratio:
            position[p.dof_index] = displacement / p.ratio
    return tuple(position)
