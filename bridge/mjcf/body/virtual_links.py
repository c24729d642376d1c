"""Virtual links: MJCF has several joints in one body, where a scene has a chain of massless links.

The frame of a virtual link coincides with that of the body that it carries at the zero configuration, so that its joint
is written into that body as it is.
"""

from __future__ import annotations

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind

_SAME = 1e-9
"""Largest difference of two frames that coincide."""


def carried_bodies(mechanism: Mechanism) -> dict[int, int]:
    """Return the body into which each virtual link is written, by index; a link that does not fit is left out."""
    children: dict[int, list[int]] = {}
    for i, body in enumerate(mechanism.bodies):
        children.setdefault(body.parent, []).append(i)
    carried: dict[int, int] = {}
    for i, body in reversed(list(enumerate(mechanism.bodies))):
        below = children.get(i, [])
        if len(below) == 1 and _fits(body, mechanism.bodies[below[0]]):
            carried[i] = carried.get(below[0], below[0])
    return carried


def _fits(body: Body, child: Body) -> bool:
    """Return whether the joint of a virtual link can belong to the body that the link carries."""
    link = body.link
    is_empty = link.virtual and not (link.inertia or link.collisions or link.visuals or link.sensors)
    joints = [p.kind for p in (*body.primitives, *child.primitives)]
    is_joint = bool(body.primitives) and bool(child.primitives) and PrimitiveKind.FREE not in joints
    return is_empty and is_joint and link.X_WL.is_close(child.link.X_WL, _SAME)
