"""What holds a mechanism, where the caller asks for something else than the source says."""

from __future__ import annotations

import dataclasses

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import FREE, ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.mechanism.renumbering import with_bodies
from loaders.model import WORLD
from loaders.spatial import IDENTITY


def with_base(mechanism: Mechanism, *, fixed: bool) -> Mechanism:
    """With every free link held where it stands, or with every link that is held by no moving joint set free."""
    bodies = [_based(body, fixed) for body in mechanism.bodies]
    return with_bodies(mechanism, bodies, range(len(bodies)))


def _based(body: Body, fixed: bool) -> Body:
    if body.parent != ROOT:
        return body
    if fixed and kind_of(body) is PrimitiveKind.FREE:
        return dataclasses.replace(
            body, joint=None, source=None, X_PF=body.link.X_WL, primitives=(), reflected_inertia=()
        )
    if not fixed and not body.primitives and body.name != WORLD:
        return dataclasses.replace(
            body, joint=body.name, source=None, X_PF=IDENTITY, X_BM=IDENTITY, primitives=FREE,
            reflected_inertia=(0.0,) * 6,
        )  # fmt: skip
    return body
