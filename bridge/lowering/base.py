"""Hold or release the base of a mechanism on request of the caller."""

from __future__ import annotations

import dataclasses
from typing import Literal, get_args

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import FREE, ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.mechanism.renumbering import with_bodies
from loaders.keyword_options import check_option_value
from loaders.model import WORLD
from loaders.spatial import IDENTITY

Base = Literal["as_is", "fixed", "free"]
"""Treatment of the base: as the source states it, welded to the world, or free."""


def with_chosen_base(mechanism: Mechanism, base: Base) -> Mechanism:
    """Return the mechanism with its bases as chosen.

    Args:
        mechanism: The mechanism to change.
        base: ``as_is`` returns it unchanged; ``fixed`` and ``free`` are as in `with_base`.

    Raises:
        ValueError: if ``base`` has another value.
    """
    check_option_value("base", base, get_args(Base))
    return mechanism if base == "as_is" else with_base(mechanism, fixed=base == "fixed")


def with_base(mechanism: Mechanism, *, fixed: bool) -> Mechanism:
    """Return the mechanism with every base fixed or free.

    Args:
        mechanism: The mechanism to change.
        fixed: Whether free links are welded to the world where they are; else links that are welded to the world
            become free.
    """
    rebased = _weld if fixed else _release
    bodies = [rebased(body) if body.parent == ROOT else body for body in mechanism.bodies]
    return with_bodies(mechanism, bodies, range(len(bodies)))


def _weld(body: Body) -> Body:
    """Return a free body welded to the world, and any other body as it is."""
    if kind_of(body) is not PrimitiveKind.FREE:
        return body
    return dataclasses.replace(body, joint=None, source=None, X_PF=body.link.X_WL, primitives=(), reflected_inertia=())


def _release(body: Body) -> Body:
    """Return a body that is welded to the world as a free one, and any other body as it is."""
    if body.primitives or body.name == WORLD:
        return body
    return dataclasses.replace(
        body, joint=body.name, source=None, X_PF=IDENTITY, X_BM=IDENTITY, primitives=FREE,
        reflected_inertia=(0.0,) * 6,
    )  # fmt: skip
