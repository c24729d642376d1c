"""What holds a mechanism, where the caller asks for something else than the source says."""

from __future__ import annotations

import dataclasses

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import FREE, ROOT, Body, PrimitiveKind, renumbered
from bridge.mechanism.coordinates import kind_of
from loaders.model import WORLD
from loaders.spatial import IDENTITY


def with_base(mechanism: Mechanism, *, fixed: bool) -> Mechanism:
    """With every free link held where it stands, or with every link that is held by no moving joint set free."""
    return _renumbered(mechanism, tuple(_based(body, fixed) for body in mechanism.bodies))


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


def _renumbered(mechanism: Mechanism, bodies: tuple[Body, ...]) -> Mechanism:
    """The mechanism with other bodies, of which some have more or fewer velocities than before."""
    starts: list[int] = []
    v_order: list[tuple[str, int]] = []
    for body in bodies:
        starts.append(len(v_order))
        v_order += body.dofs
    index = {freedom: i for i, freedom in enumerate(v_order)}
    number = {old: index[freedom] for old, freedom in enumerate(mechanism.v_order) if freedom in index}
    moved = tuple(dataclasses.replace(body, v_start=start) for body, start in zip(bodies, starts, strict=True))
    return dataclasses.replace(
        mechanism, bodies=moved, v_order=tuple(v_order), couplings=renumbered(mechanism.couplings, number)
    )
