"""The constraints of PyBullet's solver that hold bodies: those of a model, and those that something else has added."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bridge.bullet import PyBulletBody
from bridge.bullet.client.replies import ConstraintInfo, named
from bridge.bullet.simulation.solver_constraints import MAX_FORCE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldConstraints:
    """The constraints that act on bodies.

    Attributes:
        stated: Name and ``getConstraintInfo`` of each constraint of the model; of a name of which a constraint was
            removed, or can exert less than its full force, nothing.
        others: The links that any other constraint connects.
    """

    stated: Collection[tuple[str, ConstraintInfo]]
    others: Collection[tuple[str, ...]]


def held_constraints(
    pybullet: Any, client: int, bodies: Iterable[PyBulletBody], stated: Mapping[str, Iterable[int]]
) -> HeldConstraints:
    """Return the constraints that act on bodies.

    Args:
        pybullet: The module.
        client: The physics server.
        bodies: The bodies.
        stated: The numbers of the constraints of the model, by name.
    """
    count = pybullet.getNumConstraints(physicsClientId=client)
    present = sorted({pybullet.getConstraintUniqueId(k, physicsClientId=client) for k in range(count)})
    infos = {n: named(ConstraintInfo, pybullet.getConstraintInfo(n, physicsClientId=client)) for n in present}
    ours = sorted({(name, number) for name, numbers in stated.items() for number in numbers})
    lost = {name for name, n in ours if n not in infos or infos[n].max_force < MAX_FORCE}
    link_names = {(int(body), index): name for body in bodies for name, index in body.links.items()}
    foreign = infos.keys() - {number for _, number in ours}
    connected = (tuple(_links(infos[number], link_names)) for number in foreign)
    return HeldConstraints(
        stated=[(name, infos[n]) for name, n in ours if name not in lost],
        others=[links for links in connected if links],
    )


def _links(info: ConstraintInfo, names: Mapping[tuple[int, int], str]) -> Iterator[str]:
    return (names[end] for end in (info.parent, info.child) if end in names)
