"""Partitioning: divide a mechanism so that each part fits into one PyBullet body, which has a
maximum size.

A model with more joints is divided in this order. First, welded links are merged with the links
that carry them; this is exact. Then subtrees below links that are welded to the world are attached
to the world itself, and distributed over as many bodies as needed; this is exact too. Finally, a
moving link is split between two bodies, each with half of its inertia, and a solver constraint
holds the halves together.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import FREE, ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.mechanism.mechanism import with_bodies
from bridge.targets.pybullet import codes
from bridge.targets.report import Report
from loaders.inertia import SpatialInertia
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scoped_names import UnusedNames, underscores_behind

MAX_JOINTS = 127
"""Maximum number of joints of a body whose state PyBullet can report."""
MAX_COORDINATES = 121
"""Maximum number of joint position coordinates of a body that PyBullet can set."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Partition:
    """The part of a mechanism that one PyBullet body holds."""

    mechanism: Mechanism
    merged: frozenset[int] = frozenset()
    """Indices of the welded bodies that are merged with the bodies that carry them."""
    split_link: str | None = None
    """Name of the link, in another partition, whose other half is the base; None if the base is a
    whole link."""


def partition(
    mechanism: Mechanism, indices: Sequence[int], model: str, report: Report
) -> list[Partition]:
    """Divide the bodies of one model into partitions that fit into one PyBullet body each.

    Args:
        mechanism: The whole mechanism.
        indices: Bodies of the model, in order.
        model: Name of the model, for diagnostics.
        report: Record of merged and split links.

    Returns:
        The partitions, each after the one that holds the other half of its base; empty, with an
        error in ``report``, if the model cannot be divided.
    """
    submechanism = _submechanism(mechanism, indices)
    single = _as_one_partition(submechanism, None, report)
    if single is not None:
        return [single]
    partitions, is_too_large = [], False
    for packed in _bin_pack(_reattached_to_world(submechanism)):
        cuts = _choose_cuts(packed)
        is_too_large = is_too_large or cuts is None
        partitions += [
            _as_one_partition(part, link, report) for part, link in _split(packed, cuts or [])
        ]
    if is_too_large or None in partitions:
        _report_excess(submechanism, model, report)
        return []
    fitting = [part for part in partitions if part is not None]
    _report_partitions(fitting, model, report)
    return fitting


def _as_one_partition(
    mechanism: Mechanism, split_link: str | None, report: Report
) -> Partition | None:
    """Return a single partition with as few merged links as needed; None if it is still too
    large.
    """
    if _excess(mechanism, frozenset()) <= 0:
        return Partition(mechanism=mechanism, split_link=split_link)
    merged = _links_to_merge(mechanism)
    if _excess(mechanism, merged) > 0:
        return None
    carriers = {mechanism.bodies[i].name: _carrier(mechanism, i, merged) for i in sorted(merged)}
    report.add(
        codes.FOLDED_LINKS,
        mechanism.bodies[min(merged)].link.where,
        subjects=dict.fromkeys((*carriers, *carriers.values())),
        count=len(merged),
        max_joints=MAX_JOINTS,
        links=tuple(carriers.items()),
    )
    return Partition(mechanism=mechanism, merged=merged, split_link=split_link)


def _submechanism(
    mechanism: Mechanism, indices: Sequence[int], base: tuple[int, Body] | None = None
) -> Mechanism:
    """Return the mechanism of some of the bodies, with the couplings and closures among them.

    Args:
        mechanism: The whole mechanism.
        indices: Bodies to keep, in order.
        base: Index of the body that the kept ones are attached to, and the body that replaces it as
            the first body.
    """
    if len(indices) == len(mechanism.bodies):
        return mechanism
    first = 0 if base is None else 1
    parents = {old: new for new, old in enumerate(indices, first)} | {ROOT: ROOT}
    parents |= {} if base is None else {base[0]: 0}
    bodies = [
        dataclasses.replace(mechanism.bodies[i], parent=parents[mechanism.bodies[i].parent])
        for i in indices
    ]
    if base is None:
        return with_bodies(mechanism, bodies, indices)
    return with_bodies(mechanism, [base[1], *bodies], [None, *indices])


# --- size limits ----------------------------------------------------------------------------------


def _size(body: Body) -> tuple[int, int]:
    """Return the number of joints and of position coordinates that a body needs."""
    if kind_of(body) is PrimitiveKind.FREE:
        return 0, 0
    return len(body.primitives) or 1, sum(
        4 if p.kind is PrimitiveKind.BALL else 1 for p in body.primitives
    )


def _weight(body: Body) -> int:
    """Return the share of `MAX_COORDINATES` that a body needs; a weld counts as one joint."""
    return max(_size(body))


def _excess(mechanism: Mechanism, merged: Iterable[int]) -> int:
    """Return the number of joints or coordinates above PyBullet's maximum; zero or less if the
    mechanism fits.
    """
    omitted = set(merged)
    sizes = [_size(body) for i, body in enumerate(mechanism.bodies) if i not in omitted]
    return max(sum(j for j, _ in sizes) - MAX_JOINTS, sum(c for _, c in sizes) - MAX_COORDINATES)


def _links_to_merge(mechanism: Mechanism) -> frozenset[int]:
    """Choose as few welded links as needed to merge, links without collisions first."""
    welded = [
        i for i, body in enumerate(mechanism.bodies) if not body.primitives and body.parent != ROOT
    ]
    welded.sort(key=lambda i: bool(mechanism.bodies[i].link.collisions))
    return frozenset(welded[: max(0, _excess(mechanism, ()))])


# --- trees below the world ------------------------------------------------------------------------


def _reattached_to_world(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with the children of links that are welded to the world attached to the
    world itself.
    """
    static: dict[int, Pose] = {ROOT: IDENTITY}
    bodies = []
    for i, body in enumerate(mechanism.bodies):
        if body.parent not in static:
            bodies.append(body)
            continue
        X_WF = static[body.parent] @ body.X_PF
        if not body.primitives:
            static[i] = X_WF @ body.X_BM.inverse()
        bodies.append(dataclasses.replace(body, parent=ROOT, X_PF=X_WF))
    return dataclasses.replace(mechanism, bodies=tuple(bodies))


def _bin_pack(mechanism: Mechanism) -> Iterator[Mechanism]:
    """Distribute the trees below the world over bodies: consecutive trees together, as many as fit
    (next fit).
    """
    packed, weight = list[int](), 0
    for tree in mechanism.trees.values():
        added = sum(_weight(mechanism.bodies[i]) for i in tree)
        if packed and weight + added > MAX_COORDINATES:
            yield _submechanism(mechanism, sorted(packed))
            packed, weight = [], 0
        packed, weight = [*packed, *tree], weight + added
    yield _submechanism(mechanism, sorted(packed))


# --- splitting moving links -----------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Cut:
    """Subtrees that are detached from a link together."""

    link: int
    """Index of the body that is split."""
    subtrees: list[int] = field(default_factory=list)
    """Indices of the roots of the detached subtrees."""


def _choose_cuts(mechanism: Mechanism) -> list[_Cut] | None:
    """Choose the subtrees to detach so that every part fits, from the leaves towards the root.

    A subtree is detached only where the bodies collected so far exceed the maximum, so cuts lie as
    close to the root as possible.

    Returns:
        The cuts, those nearest to the leaves first; None if no choice of cuts is sufficient.
    """
    weights = [_weight(body) if body.primitives else 0 for body in mechanism.bodies]
    load, children, cuts = list(weights), [list[int]() for _ in weights], list[_Cut]()
    for i in range(len(weights) - 1, -1, -1):
        while load[i] > MAX_COORDINATES:
            path = _path_to_cut(mechanism.bodies, i, children, load)
            if path is None:
                return None
            cut = _detach(path[-1], children, load, load[i] - MAX_COORDINATES)
            cuts.append(cut)
            for ancestor in path[:-1]:
                load[ancestor] -= sum(load[k] for k in cut.subtrees)
        parent = mechanism.bodies[i].parent
        if parent != ROOT:
            load[parent] += load[i]
            children[parent].append(i)
    return cuts


def _path_to_cut(
    bodies: Sequence[Body], i: int, children: list[list[int]], load: list[int]
) -> list[int] | None:
    """Return the path from a body along the heaviest branches to the first body that can be
    split.
    """
    path = [i]
    while not (_can_be_split(bodies[path[-1]]) and any(load[k] for k in children[path[-1]])):
        candidates = children[path[-1]]
        if not candidates:
            return None
        path.append(max(candidates, key=lambda k: load[k]))
    return path


def _detach(i: int, children: list[list[int]], load: list[int], excess: int) -> _Cut:
    """Detach subtrees from a body, the heaviest first, until the excess is gone or the detached
    part is full.
    """
    cut, weight = _Cut(link=i), 0
    for k in sorted(children[i], key=lambda k: -load[k]):
        if weight and (weight >= excess or weight + load[k] > MAX_COORDINATES):
            break
        cut.subtrees.append(k)
        weight += load[k]
    children[i] = [k for k in children[i] if k not in set(cut.subtrees)]
    load[i] -= weight
    return cut


def _can_be_split(body: Body) -> bool:
    """Return whether both halves would move: PyBullet fixes a body without mass or inertia to the
    world.
    """
    return body.inertia.mass > 0.0 and body.inertia.smallest_moment_about_origin() > 0.0


def _split(mechanism: Mechanism, cuts: list[_Cut]) -> list[tuple[Mechanism, str | None]]:
    """Return the parts, each with the link that its base is the other half of, after the part that
    has that link.
    """
    members = _members_by_cut(mechanism.bodies, cuts)
    half_count = Counter(cut.link for cut in cuts)
    divided = dataclasses.replace(
        mechanism,
        bodies=tuple(
            _with_divided_inertia(body, 1 + half_count[i]) if half_count[i] else body
            for i, body in enumerate(mechanism.bodies)
        ),
    )
    taken = {body.name for body in mechanism.bodies} | {
        str(body.joint) for body in mechanism.bodies
    }
    taken |= {link.name for link in mechanism.scene.links}
    unused = UnusedNames(taken, underscores_behind)
    parts: list[tuple[Mechanism, str | None]] = []
    for number, indices in members.items():
        if number == ROOT:
            parts.append((_submechanism(divided, indices), None))
            continue
        link = cuts[number].link
        name = unused.claim(f"{divided.bodies[link].name}_continued")
        base = _second_half(divided.bodies[link], name)
        parts.append((_submechanism(divided, indices, (link, base)), divided.bodies[link].name))
    return parts


def _members_by_cut(bodies: Sequence[Body], cuts: list[_Cut]) -> dict[int, list[int]]:
    """Return the bodies below each cut, by the number of the cut; the key `ROOT` has those above
    all cuts.
    """
    starts = {k: number for number, cut in enumerate(cuts) for k in cut.subtrees}
    part_of = list[int]()
    members: dict[int, list[int]] = {}
    for i, body in enumerate(bodies):
        inherited = ROOT if body.parent == ROOT else part_of[body.parent]
        part_of.append(starts.get(i, inherited))
        members.setdefault(part_of[i], []).append(i)
    return members


def _with_divided_inertia(body: Body, count: int) -> Body:
    """Return the body with its inertia divided by ``count``, at the same center of mass."""
    inertia = SpatialInertia(
        body.inertia.mass / count, body.inertia.p_LLcm, frozen(body.inertia.I_Lcm / count)
    )
    return dataclasses.replace(
        body, inertia=inertia, link=dataclasses.replace(body.link, inertia=inertia)
    )


def _second_half(body: Body, name: str) -> Body:
    """Return the other half of a split link: a free body with inertia only."""
    link = dataclasses.replace(body.link, name=name, collisions=(), visuals=(), sensors=())
    return dataclasses.replace(
        body,
        link=link,
        parent=ROOT,
        X_PF=IDENTITY,
        X_BM=IDENTITY,
        joint=name,
        source=None,
        reversed=False,
        primitives=FREE,
        reflected_inertia=(0.0,) * 6,
        v_start=0,
    )


# --- diagnostics ----------------------------------------------------------------------------------


def _report_excess(mechanism: Mechanism, model: str, report: Report) -> None:
    report.add(
        codes.TOO_MANY_JOINTS,
        mechanism.bodies[0].link.where,
        subjects=(model,),
        model=model,
        max_joints=MAX_JOINTS,
        max_coordinates=MAX_COORDINATES,
    )


def _carrier(mechanism: Mechanism, i: int, merged: frozenset[int]) -> str:
    """Return the name of the link that a welded link is merged with."""
    while i in merged:
        i = mechanism.bodies[i].parent
    return mechanism.bodies[i].name


def _report_partitions(partitions: Sequence[Partition], model: str, report: Report) -> None:
    """Report the number of bodies that a model needs, and the links that are split between them."""
    where = partitions[0].mechanism.bodies[0].link.where
    report.add(
        codes.SEVERAL_BODIES,
        where,
        subjects=(model,),
        model=model,
        count=len(partitions),
        max_joints=MAX_JOINTS,
    )
    split_links = tuple(
        dict.fromkeys(part.split_link for part in partitions if part.split_link is not None)
    )
    if split_links:
        report.add(codes.CUT_LINKS, where, subjects=split_links, model=model, links=split_links)
