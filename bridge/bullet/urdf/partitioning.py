"""What of a mechanism becomes one body of PyBullet's, which can hold only so many joints.

A model that has more is taken apart, in this order: welded links are made one with what carries them, which is exact;
what hangs from a link that the world holds hangs from the world itself, in as many bodies as needed, which is exact
too; and a link that moves is cut in two, each half with half of its inertia, which the solver holds together.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import FREE, ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.mechanism.renumbering import with_bodies
from loaders.diagnostics import Diagnostics, Fate
from loaders.spatial import IDENTITY, Pose, SpatialInertia, frozen

from .segments import TARGET

MAX_JOINTS = 127
"""The most joints of a body whose state PyBullet can still report."""
MAX_COORDINATES = 121
"""The most position coordinates of its joints that PyBullet can still set."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Piece:
    """What of a mechanism one body holds."""

    mechanism: Mechanism
    folded: frozenset[int] = frozenset()
    """The bodies of the mechanism that are made one with what carries them."""
    seam: str | None = None
    """The link, on another piece, of which this one's base is the other part; None if the base is a link itself."""


def fitting(mechanism: Mechanism, indices: Sequence[int], model: str, diagnostics: Diagnostics) -> list[Piece]:
    """The pieces of a model, each after the one that its base is cut from; none if it does not fit."""
    part = _part(mechanism, indices)
    found = _whole(part, None, diagnostics)
    if found is not None:
        return [found]
    pieces, lost = [], False
    for pack in _packs(_unanchored(part)):
        groups = _cut(pack)
        lost = lost or groups is None
        pieces += [_whole(piece, seam, diagnostics) for piece, seam in _divided(pack, groups or [])]
    if lost or None in pieces:
        _report_excess(part, model, diagnostics)
        return []
    kept = [piece for piece in pieces if piece is not None]
    _report_pieces(kept, model, diagnostics)
    return kept


def _whole(part: Mechanism, seam: str | None, diagnostics: Diagnostics) -> Piece | None:
    """As one piece, with as few welded links made one as needed, if that is enough."""
    if _excess(part, frozenset()) <= 0:
        return Piece(mechanism=part, seam=seam)
    folded = _fold(part)
    if _excess(part, folded) > 0:
        return None
    _report_folded(part, folded, diagnostics)
    return Piece(mechanism=part, folded=folded, seam=seam)


def _part(mechanism: Mechanism, indices: Sequence[int], base: tuple[int, Body] | None = None) -> Mechanism:
    """The part of a mechanism that these bodies make, with the couplings and closures inside it.

    Args:
        mechanism: The whole.
        indices: Its bodies, in order.
        base: What stands in the part, as its first body, for the one that they hang from.
    """
    if len(indices) == len(mechanism.bodies):
        return mechanism
    first = 0 if base is None else 1
    parents = {old: new for new, old in enumerate(indices, first)} | {ROOT: ROOT}
    parents |= {} if base is None else {base[0]: 0}
    bodies = [dataclasses.replace(mechanism.bodies[i], parent=parents[mechanism.bodies[i].parent]) for i in indices]
    if base is None:
        return with_bodies(mechanism, bodies, indices)
    return with_bodies(mechanism, [base[1], *bodies], [None, *indices])


# --- how much fits ---------------------------------------------------------------------------------------------------


def _size(body: Body) -> tuple[int, int]:
    """Joints and coordinates that a body takes."""
    if kind_of(body) is PrimitiveKind.FREE:
        return 0, 0
    return len(body.primitives) or 1, sum(4 if p.kind is PrimitiveKind.BALL else 1 for p in body.primitives)


def _weight(body: Body) -> int:
    """What a body takes of `MAX_COORDINATES`, welds counted as what they are as joints."""
    return max(_size(body))


def _excess(mechanism: Mechanism, folded: Iterable[int]) -> int:
    """By how many joints or coordinates a body would be too large."""
    left = set(folded)
    sizes = [_size(body) for i, body in enumerate(mechanism.bodies) if i not in left]
    return max(sum(j for j, _ in sizes) - MAX_JOINTS, sum(c for _, c in sizes) - MAX_COORDINATES)


def _fold(mechanism: Mechanism) -> frozenset[int]:
    """Welded links to be made one with what they are welded to: as few as needed, first those that touch nothing."""
    welded = [i for i, body in enumerate(mechanism.bodies) if not body.primitives and body.parent != ROOT]
    welded.sort(key=lambda i: bool(mechanism.bodies[i].link.collisions))
    return frozenset(welded[: max(0, _excess(mechanism, ()))])


# --- what the world holds --------------------------------------------------------------------------------------------


def _unanchored(mechanism: Mechanism) -> Mechanism:
    """The same, with what hangs from links that the world holds hung from the world itself."""
    held: dict[int, Pose] = {ROOT: IDENTITY}
    bodies = []
    for i, body in enumerate(mechanism.bodies):
        if body.parent not in held:
            bodies.append(body)
            continue
        X_WF = held[body.parent] @ body.X_PF
        if not body.primitives:
            held[i] = X_WF @ body.X_BM.inverse()
        bodies.append(dataclasses.replace(body, parent=ROOT, X_PF=X_WF))
    return dataclasses.replace(mechanism, bodies=tuple(bodies))


def _packs(mechanism: Mechanism) -> Iterator[Mechanism]:
    """Trees below the world, neighbours together as far as they fit into one body."""
    pack, weight = list[int](), 0
    for tree in mechanism.trees.values():
        added = sum(_weight(mechanism.bodies[i]) for i in tree)
        if pack and weight + added > MAX_COORDINATES:
            yield _part(mechanism, sorted(pack))
            pack, weight = [], 0
        pack, weight = [*pack, *tree], weight + added
    yield _part(mechanism, sorted(pack))


# --- what moves ------------------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Group:
    """Subtrees that are cut from a link together."""

    link: int
    members: list[int] = field(default_factory=list)
    """The roots of the subtrees."""


def _cut(mechanism: Mechanism) -> list[_Group] | None:
    """What to cut off, from the leaves on as late as possible, so that each piece fits; None if it cannot be done."""
    weights = [_weight(body) if body.primitives else 0 for body in mechanism.bodies]
    load, kept, groups = list(weights), [list[int]() for _ in weights], list[_Group]()
    for i in range(len(weights) - 1, -1, -1):
        while load[i] > MAX_COORDINATES:
            path = _path_to_cut(mechanism.bodies, i, kept, load)
            if path is None:
                return None
            group = _shed(path[-1], kept, load, load[i] - MAX_COORDINATES)
            groups.append(group)
            for above in path[:-1]:
                load[above] -= sum(load[k] for k in group.members)
        parent = mechanism.bodies[i].parent
        if parent != ROOT:
            load[parent] += load[i]
            kept[parent].append(i)
    return groups


def _path_to_cut(bodies: Sequence[Body], i: int, kept: list[list[int]], load: list[int]) -> list[int] | None:
    """From a body down the heaviest branches to the first that can be cut and carries something."""
    path = [i]
    while not (_can_be_cut(bodies[path[-1]]) and any(load[k] for k in kept[path[-1]])):
        below = kept[path[-1]]
        if not below:
            return None
        path.append(max(below, key=lambda k: load[k]))
    return path


def _shed(i: int, kept: list[list[int]], load: list[int], excess: int) -> _Group:
    """Take subtrees off a body, the heaviest first, until the excess is gone or another would make them too many."""
    group, weight = _Group(link=i), 0
    for k in sorted(kept[i], key=lambda k: -load[k]):
        if weight and (weight >= excess or weight + load[k] > MAX_COORDINATES):
            break
        group.members.append(k)
        weight += load[k]
    kept[i] = [k for k in kept[i] if k not in set(group.members)]
    load[i] -= weight
    return group


def _can_be_cut(body: Body) -> bool:
    """Whether both halves can move freely: PyBullet fixes what has no mass."""
    return body.inertia.mass > 0.0 and bool(np.linalg.eigvalsh(body.inertia.about(np.zeros(3)))[0] > 0.0)


def _divided(mechanism: Mechanism, groups: list[_Group]) -> list[tuple[Mechanism, str | None]]:
    """The pieces and the seam of each, each after the one that its base is cut from."""
    starts = {k: number for number, group in enumerate(groups) for k in group.members}
    piece_of = list[int]()
    members: dict[int, list[int]] = {}
    for i, body in enumerate(mechanism.bodies):
        inherited = ROOT if body.parent == ROOT else piece_of[body.parent]
        piece_of.append(starts.get(i, inherited))
        members.setdefault(piece_of[i], []).append(i)
    shares = Counter(group.link for group in groups)
    shared = dataclasses.replace(
        mechanism,
        bodies=tuple(_shared(body, 1 + shares[i]) if shares[i] else body for i, body in enumerate(mechanism.bodies)),
    )
    taken = {body.name for body in mechanism.bodies} | {str(body.joint) for body in mechanism.bodies}
    taken |= {link.name for link in mechanism.scene.links}
    found: list[tuple[Mechanism, str | None]] = []
    for number, indices in members.items():
        if number == ROOT:
            found.append((_part(shared, indices), None))
            continue
        link = groups[number].link
        base = _continued(shared.bodies[link], taken)
        taken.add(base.name)
        found.append((_part(shared, indices, (link, base)), shared.bodies[link].name))
    return found


def _shared(body: Body, count: int) -> Body:
    """One of ``count`` equal parts of a body's inertia, in the same place."""
    inertia = SpatialInertia(body.inertia.mass / count, body.inertia.p_LLcm, frozen(body.inertia.I_Lcm / count))
    return dataclasses.replace(body, inertia=inertia, link=dataclasses.replace(body.link, inertia=inertia))


def _continued(body: Body, taken: set[str]) -> Body:
    """The other part of a link that is cut: it moves freely, and has nothing but inertia."""
    name = f"{body.name}_continued"
    while name in taken:
        name += "_"
    link = dataclasses.replace(body.link, name=name, collisions=(), visuals=(), sensors=())
    return dataclasses.replace(
        body, link=link, parent=ROOT, X_PF=IDENTITY, X_BM=IDENTITY, joint=name, source=None, reversed=False,
        primitives=FREE, reflected_inertia=(0.0,) * 6, v_start=0,
    )  # fmt: skip


# --- what is said of it ----------------------------------------------------------------------------------------------


def _report_excess(part: Mechanism, model: str, diagnostics: Diagnostics) -> None:
    diagnostics.add(
        Fate.INVALID,
        "pybullet.too-many-joints",
        (
            "model {model} needs more than PyBullet's {max_joints} joints and "
            "{max_coordinates} coordinates of one body, and has too few links with mass and inertia to be cut at"
        ),
        part.bodies[0].link.where,
        target=TARGET,
        hint="give masses to links, split the model, or weld joints that need not move",
        model=model,
        max_joints=MAX_JOINTS,
        max_coordinates=MAX_COORDINATES,
    )


def _report_folded(mechanism: Mechanism, folded: frozenset[int], diagnostics: Diagnostics) -> None:
    names = ", ".join(f"{mechanism.bodies[i].name} ({_carrier(mechanism, i, folded)})" for i in sorted(folded))
    message = f"{len(folded)} welded links are one with the link that carries them, as PyBullet has {MAX_JOINTS} joints"
    hint = f"they have poses by name but no PyBullet index of their own (carried by): {names}"
    where = mechanism.bodies[min(folded)].link.where
    diagnostics.add(Fate.NOTED, "pybullet.folded-links", message, where, target=TARGET, hint=hint)


def _carrier(mechanism: Mechanism, i: int, folded: frozenset[int]) -> str:
    """The link that a folded one is made one with."""
    while i in folded:
        i = mechanism.bodies[i].parent
    return mechanism.bodies[i].name


def _report_pieces(pieces: Sequence[Piece], model: str, diagnostics: Diagnostics) -> None:
    """Say how many bodies a model became, and which of its links are cut."""
    where = pieces[0].mechanism.bodies[0].link.where
    message = f"model {model} is {len(pieces)} bodies, as one of PyBullet's holds {MAX_JOINTS} joints"
    hint = "the sequence answers as one mechanism, by names"
    diagnostics.add(Fate.NOTED, "pybullet.several-bodies", message, where, target=TARGET, hint=hint)
    seams = [piece.seam for piece in pieces if piece.seam is not None]
    if seams:
        message = (
            f"links of {model} are cut in parts, on two bodies each, which the solver holds together: to 0.14 mm "
            f"and 3e-4 rad at 1 kHz in a whip of 4 m: {', '.join(dict.fromkeys(seams))}"
        )
        hint = "gaps() tells how far they are apart; smaller steps: the gap falls with their square"
        diagnostics.add(Fate.APPROXIMATED, "pybullet.cut-links", message, where, target=TARGET, hint=hint)
