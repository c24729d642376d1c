"""Report links that only turn about their center of mass and touch each other: MuJoCo's solver fails on their contacts.

MuJoCo takes the inverse mass of both bodies for the compliance of a contact. That of such a link is zero, because no
velocity of its joints moves its center of mass, so that the contact is infinitely stiff.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from bridge.geometry.support import support_function
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate
from loaders.spatial import Array, Pose, skew

_TURNS = frozenset({PrimitiveKind.HINGE, PrimitiveKind.BALL})
_NOTHING = 1e-12
"""Way of the center of mass per angle, relative to the size of the link, that is a rounding error."""


def report_pivoted_contacts(context: Context) -> None:
    """Report the links that only turn about their center of mass and may touch another such link.

    Args:
        context: The export.
    """
    touching = dict.fromkeys(name for pair in _touching_pairs(context) for name in pair)
    if touching:
        context.report(
            Fate.NOTED,
            "pivoted-contact",
            "{count} links only turn about their center of mass and touch one another; MuJoCo takes the inverse mass "
            "there, which is zero, for the compliance of contacts, and its solver may fail",
            hint='set solver="PGS" in <option>, or model.body_invweight0[body, 0] = 1 / model.body_mass[body]',
            subjects=touching,
            count=len(touching),
        )


def _touching_pairs(context: Context) -> Iterator[tuple[str, str]]:
    """Yield the names of every two pivoted links that may collide and whose shapes are near at the zero position."""
    mechanism = context.mechanism
    candidates = [(i, body) for i, body in enumerate(mechanism.bodies) if _may_be_pivoted(body)]
    if len(candidates) < 2:
        return
    jacobians, poses = mechanism.jacobians(), mechanism.link_poses()
    excluded = mechanism.excluded_pairs(context.options.policy)
    pivoted = [
        (i, body.name, poses[body.name].R @ body.inertia.p_LLcm + poses[body.name].p, radius)
        for i, body in candidates
        if (radius := _radius(body)) > 0.0
        and _speed_of_center(body, poses[body.name], jacobians[body.name]) <= _NOTHING * radius
    ]
    for (i, a, p, r), (j, b, q, s) in combinations(pivoted, 2):
        if frozenset((i, j)) not in excluded and float(np.linalg.norm(p - q)) <= r + s:
            yield a, b


def _may_be_pivoted(body: Body) -> bool:
    """Return whether a link with collisions is held by the world and turns."""
    kinds = {primitive.kind for primitive in body.primitives}
    return body.parent == ROOT and bool(body.link.collisions) and bool(kinds) and kinds <= _TURNS


def _speed_of_center(body: Body, X_WL: Pose, J: Array) -> float:
    """The largest speed of the center of mass per speed of a joint."""
    return float(np.abs(J[3:] - skew(X_WL.R @ body.inertia.p_LLcm) @ J[:3]).max(initial=0.0))


def _radius(body: Body) -> float:
    """The radius of a sphere about the center of mass around the primitive shapes of a link; zero if it has none."""
    radii = [0.0]
    for collision in body.link.collisions:
        support = support_function(collision.geometry)
        if support is not None:
            reach = math.sqrt(sum(max(support(axis), support(-axis)) ** 2 for axis in np.eye(3)))
            radii.append(reach + float(np.linalg.norm(collision.X_LG.p - body.inertia.p_LLcm)))
    return max(radii)
