"""Hold or release the base of a mechanism on request of the caller, and keep the choice when its scene changes.

A mechanism states what became of its bases in `Mechanism.base`; its scene still has them as the source states them.
"""

from __future__ import annotations

import dataclasses
from typing import get_args

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import FREE, ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.mechanism.mechanism import Base
from bridge.mechanism.renumbering import with_bodies
from loaders.keyword_options import check_option_value
from loaders.model import WORLD
from loaders.scene import Scene
from loaders.spatial import IDENTITY

from .lower import free_joint_name, lower
from .regularization import with_minimum_inertia


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
    joints = {joint for joint, _ in mechanism.v_order}
    bodies = [
        body if body.parent != ROOT else _weld(body) if fixed else _release(body, joints) for body in mechanism.bodies
    ]
    rebased = with_bodies(mechanism, bodies, range(len(bodies)))
    return dataclasses.replace(rebased, base="fixed" if fixed else "free")


def relowered(mechanism: Mechanism, scene: Scene) -> Mechanism:
    """Return the mechanism of a changed scene, with the base and the minimum inertia that were chosen for the first.

    Args:
        mechanism: The mechanism from whose scene the changed one was made.
        scene: The changed scene.

    Raises:
        ExportError: if the scene cannot be lowered.
    """
    return with_minimum_inertia(with_chosen_base(lower(scene), mechanism.base))


def _weld(body: Body) -> Body:
    """Return a free body welded to the world, and any other body as it is."""
    if kind_of(body) is not PrimitiveKind.FREE:
        return body
    return dataclasses.replace(body, joint=None, source=None, X_PF=body.link.X_WL, primitives=(), reflected_inertia=())


def _release(body: Body, joints: set[str]) -> Body:
    """Return a body that is welded to the world as a free one, and any other body as it is."""
    if body.primitives or body.name == WORLD:
        return body
    return dataclasses.replace(
        body, joint=free_joint_name(body.name, joints), source=None, X_PF=IDENTITY, X_BM=IDENTITY, primitives=FREE,
        reflected_inertia=(0.0,) * 6,
    )  # fmt: skip
