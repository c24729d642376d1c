"""Contact parameters, and pairs that may collide.

The friction of a pair is that of the rule of the source: the smaller coefficient in SDFormat, the
larger one in MJCF. If moving links can touch links that are fixed to the world of the file, such as
the ground, the coefficients are chosen so that the products are right: for equal surfaces the
square root. In a file of one model without shapes of the world the ground is unknown: its
coefficients are kept, which are right on a ground of coefficient 1, as PyBullet's own plane has it.

PyBullet can disable a pair, but cannot enable one that the flags of its loader exclude. A body in
which any pair may collide is therefore loaded with all pairs enabled, and the others are disabled.
Collision masks are not used, because they also affect bodies that are loaded later: two robots
whose masks prevent self-collision would not collide with each other. Only a link that may touch
nothing at all has a mask, which is 0.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, combinations_with_replacement, islice, product
from operator import attrgetter
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bridge.lowering.lower import ignored_by_policy
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.targets.elements import grips_of
from bridge.targets.pybullet import codes
from bridge.targets.report import Report
from loaders.collision_pairs import BITMASKED, PairSet, bitmasks, exerts_forces
from loaders.diagnostics import Where
from loaders.engine_settings import (
    FrictionRule,
    Grip,
    PairFriction,
    friction_rule,
    grip_of,
    worst_of,
)
from loaders.limits import limited
from loaders.model import (
    Box,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Friction,
    Link,
    Mesh,
    Polyline,
    Surface,
)
from loaders.model.contact import torsional_length
from loaders.pose import Array
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR, root_model

from .articulation import Articulation, Segment, welded_pose
from .client import BASE, HULL_MARGIN, Client

_GROUND_WEIGHT = 100.0
"""Weight of contacts with the ground, if the coefficients of all pairs cannot be right at once."""
_MAX_ENTRIES = 1_000_000
"""Largest number of entries of the matrix of all pairs; the normal equations take less memory."""
Indices = NDArray[np.intp]
_START = 1.0
"""Coefficient from which one is chosen that is zero in the file, for pairs that need another."""


class _Grip(NamedTuple):
    """The properties of a link that decide on its friction."""

    grip: Grip
    fixed: bool

    @property
    def value(self) -> float:
        return self.grip.mu


class _Bounce(NamedTuple):
    """The properties of a link that decide on its restitution."""

    value: float
    fixed: bool


_Kind = TypeVar("_Kind", _Grip, _Bounce)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairCoefficients:
    """Coefficients to set in PyBullet by link; links that are not in here keep those of the
    file.
    """

    friction: Mapping[str, float]
    restitution: Mapping[str, float]
    friction_rule: FrictionRule
    """The rule of the source for two coefficients of friction."""
    pairs: Sequence[tuple[Link, Link]] | None
    """A pair of links that may touch for every two kinds of surface; None if the file has no ground
    for which coefficients are chosen."""

    def obeyed_settings(self) -> frozenset[str]:
        """Return the settings of MuJoCo that the coefficients obey; see
        `bridge.targets.report.report_lost_settings`.
        """
        return frozenset(() if self.pairs is None else {"geom/priority", "geom/condim=1"})

    def of_link(self, name: str) -> dict[str, float]:
        """Return the arguments of ``changeDynamics`` for a link.

        Args:
            name: Name of the link.
        """
        values = {
            "lateralFriction": self.friction.get(name),
            "restitution": self.restitution.get(name),
        }
        return {argument: value for argument, value in values.items() if value is not None}


def pair_coefficients(mechanism: Mechanism, excluded: PairSet[int]) -> PairCoefficients:
    """Choose the coefficients of all links.

    Args:
        mechanism: The whole mechanism.
        excluded: Pairs of bodies that never collide.
    """
    rule = friction_rule(mechanism.scene)
    links = {
        mechanism.body_index[link.name]: link
        for link in mechanism.scene.links
        if link.collisions and link.name in mechanism.body_index
    }
    if root_model(mechanism.scene) is not None and ROOT not in links:
        return PairCoefficients(friction={}, restitution={}, friction_rule=rule, pairs=None)
    surfaces = {i: surface_of(link.collisions) for i, link in links.items()}
    fixed = {i: mechanism.moving_ancestor(i) == ROOT for i in surfaces}
    kinds = {
        i: (grip_of(surfaces[i]), surfaces[i].restitution, fixed[i], frozenset(grips_of(link)))
        for i, link in links.items()
    }
    pairs = list(_touching(kinds, fixed, excluded))
    friction = {i: _Grip(grip_of(surface), fixed[i]) for i, surface in surfaces.items()}
    restitution = {i: _Bounce(surface.restitution, fixed[i]) for i, surface in surfaces.items()}
    is_simple = not any(map(_rolls_or_spins, surfaces.values()))
    chosen: dict[_Grip, float] = {}
    if is_simple:
        chosen = _products(friction, pairs, lambda a, b: rule.of_grips(a.grip, b.grip))
    bounces = _products(restitution, pairs, lambda a, b: min(a.value, b.value))
    return PairCoefficients(
        friction={links[i].name: value for i, value in _by_link(friction, chosen)},
        restitution={links[i].name: value for i, value in _by_link(restitution, bounces)},
        friction_rule=rule,
        pairs=[(links[a], links[b]) for a, b in pairs] if chosen else None,
    )


def _touching(
    kinds: Mapping[int, Hashable], fixed: Mapping[int, bool], excluded: PairSet[int]
) -> Iterator[tuple[int, int]]:
    """Yield a pair of bodies that may touch for every two kinds of bodies that have one."""
    by_kind: dict[Hashable, list[int]] = {}
    for i, kind in kinds.items():
        by_kind.setdefault(kind, []).append(i)
    bodies = [excluded.representatives(members) for members in by_kind.values()]
    for one, other in limited("pairs", combinations_with_replacement(bodies, 2)):
        if not (fixed[one[0]] and fixed[other[0]]):
            pairs = combinations(one, 2) if one is other else product(one, other)
            yield from islice((pair for pair in pairs if frozenset(pair) not in excluded), 1)


def _by_link(
    kinds: Mapping[int, _Kind], chosen: Mapping[_Kind, float]
) -> Iterator[tuple[int, float]]:
    yield from ((i, chosen[kind]) for i, kind in kinds.items() if kind in chosen)


def _rolls_or_spins(surface: Surface) -> bool:
    """Return whether a surface has rolling or torsional friction, which PyBullet scales by the
    lateral friction.
    """
    return bool(surface.friction.rolling or surface.friction.torsional)


def _products(
    kinds: Mapping[int, _Kind],
    pairs: Collection[tuple[int, int]],
    rule: Callable[[_Kind, _Kind], float],
) -> dict[_Kind, float]:
    """Return the coefficient of each kind of link in some pair, closest to the file's; none without
    a ground. Their products are those of a rule for two kinds.

    The logarithms of the products are linear in those of the coefficients. Where the product of two
    kinds has to be zero, those have the coefficient zero that need no other.
    """
    touching = {tuple(sorted((kinds[a], kinds[b]))) for a, b in pairs}
    values = {(a, b): rule(a, b) for a, b in touching}
    wanted = {(a, b): x for (a, b), x in values.items() if x or (a.value and b.value)}
    if not any(a.fixed or b.fixed for a, b in wanted):
        return {}
    rows = sorted(pair for pair, value in wanted.items() if value > 0.0)
    unknowns = sorted({kind for pair in rows for kind in pair})
    zero = dict.fromkeys((kind for pair in wanted for kind in pair), 0.0)
    if not rows:
        return zero
    index = {kind: k for k, kind in enumerate(unknowns)}
    start = np.log([kind.value or _START for kind in unknowns])
    ends = np.array([(index[a], index[b]) for a, b in rows], dtype=np.intp)
    weights = np.array([_GROUND_WEIGHT if a.fixed or b.fixed else 1.0 for a, b in rows])
    missing = np.log([wanted[pair] for pair in rows]) - start[ends[:, 0]] - start[ends[:, 1]]
    solution = start + _least_squares(ends, weights, missing, len(unknowns))
    return zero | dict(zip(unknowns, np.exp(solution).tolist(), strict=True))


def _least_squares(ends: Indices, weights: Array, wanted: Array, count: int) -> Array:
    """Return the smallest values whose weighted sums of two are closest to those wanted.

    Args:
        ends: The two unknowns of each sum.
        weights: Weight of each sum.
        wanted: The sums.
        count: Number of unknowns.
    """
    if len(ends) * count <= _MAX_ENTRIES:
        A = np.zeros((len(ends), count))
        np.add.at(A, (np.arange(len(ends))[:, None], ends), weights[:, None])
        return np.asarray(np.linalg.lstsq(A, wanted * weights, rcond=None)[0])
    square, right = (
        np.zeros((count, count)),
        np.zeros(count),
    )  # the same in the normal equations, which are smaller
    for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
        np.add.at(square, (ends[:, a], ends[:, b]), weights**2)
    np.add.at(right, ends, (wanted * weights**2)[:, None])
    return np.asarray(np.linalg.lstsq(square, right, rcond=None)[0])


Pair = frozenset[int]
"""Indices of two bodies of the mechanism."""
LinkRef = tuple[int, int]
"""A PyBullet body, or the number of its articulation, and the index of one of its links."""
LinkPair = tuple[LinkRef, LinkRef]

MIN_PAIRS_TO_KNOW_IDS = 25
"""Number of pairs from which the ids that the bodies will have are found out before they are
loaded, if they are not certain.

After loading, PyBullet examines all shapes of both bodies for every pair, which takes up to
milliseconds; before loading a pair takes a microsecond. To find out the ids takes 0.1 to 0.4 ms, so
for fewer pairs they are assumed."""


def any_may_collide(refs: Mapping[int, LinkRef], excluded: Collection[Pair]) -> bool:
    """Return whether any two bodies that are not merged may collide.

    Args:
        refs: PyBullet's body and link index of each body of the mechanism; merged bodies have the
            same.
        excluded: Pairs of bodies that never collide.
    """
    if isinstance(excluded, PairSet) and excluded.holds_all(refs.keys()):
        return False
    pairs = limited("pairs", combinations(refs, 2))
    return any(refs[a] != refs[b] and frozenset((a, b)) not in excluded for a, b in pairs)


def forbidden_pairs(
    refs: Mapping[int, LinkRef], excluded: Iterable[Pair]
) -> tuple[tuple[LinkRef, LinkRef], ...]:
    """Return the pairs of PyBullet links whose bodies may not collide.

    Args:
        refs: PyBullet's body and link index of each body of the mechanism; merged bodies have the
            same.
        excluded: Pairs of bodies that never collide.

    Returns:
        Pairs of different PyBullet links, sorted.
    """
    body_counts = Counter(refs.values())
    known = ((refs[i], refs[j]) for i, j in excluded if i in refs and j in refs)
    counts = Counter((a, b) if a <= b else (b, a) for a, b in known)
    return tuple(
        (a, b)
        for (a, b), count in sorted(counts.items())
        if a != b and count == body_counts[a] * body_counts[b]
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairFilters:
    """The pairs of links to disable in the bodies of a mechanism."""

    articulations: Sequence[Articulation]
    """The bodies, in the order in which they are loaded."""
    body_index: Mapping[str, int]
    """Index in the whole mechanism of each link."""
    excluded: PairSet[int]
    """Pairs of bodies of the mechanism that never collide."""

    def collides_with_itself(self, articulation: Articulation) -> bool:
        """Return whether any two links of one body may collide."""
        return any_may_collide(self._refs([articulation]), self.excluded)

    def forbidden(self) -> list[LinkPair]:
        """Return the pairs to disable, without those within bodies that are loaded without
        self-collision.
        """
        no_self_collision = {
            k for k, body in enumerate(self.articulations) if not self.collides_with_itself(body)
        }
        refs = self._refs(self.articulations)
        parts = {i: ref[0] if ref[0] in no_self_collision else ref for i, ref in refs.items()}
        return list(forbidden_pairs(refs, self.excluded.between(parts.get)))

    def wrongly_enabled(self) -> list[Pair]:
        """Return the excluded pairs that collide in PyBullet, because merged bodies collide
        together or not at all.
        """
        refs = self._refs(self.articulations)
        if len(set(refs.values())) == len(refs):
            return []
        excluded = [pair for pair in self.excluded.between(refs.get) if pair <= refs.keys()]
        forbidden = set(forbidden_pairs(refs, excluded))
        sorted_refs = [(pair, tuple(sorted(refs[i] for i in pair))) for pair in excluded]
        return [pair for pair, of_pair in sorted_refs if of_pair not in forbidden]

    def _refs(self, articulations: Sequence[Articulation]) -> dict[int, LinkRef]:
        """Return the number of the articulation and the link index of each body with collisions."""
        refs: dict[int, LinkRef] = {}
        for number, articulation in enumerate(articulations):
            for index, segment in enumerate(articulation.segments, start=BASE):
                for carried in segment.links:
                    if carried.link.collisions:
                        refs[self.body_index[carried.link.name]] = (number, index)
        return refs


def filter_ahead(client: Client, pairs: Sequence[LinkPair], count: int) -> list[int]:
    """Disable the pairs of links that never collide, for bodies that will be loaded, and return the
    ids that they will have, as far as these are known.

    Args:
        client: The physics server.
        pairs: The pairs to disable, by number of the body.
        count: Number of bodies.
    """
    expected = _expected_ids(client, count, len(pairs)) if len(pairs) > 1 else []
    if expected:
        set_filters(client, pairs, expected, enabled=0)
    return expected


def filter_loaded(
    client: Client, pairs: Sequence[LinkPair], expected: Sequence[int], bodies: Sequence[int]
) -> None:
    """Disable the pairs of links that never collide, of bodies that were loaded.

    Args:
        client: The physics server.
        pairs: The pairs to disable, by number of the body.
        expected: What `filter_ahead` returned.
        bodies: PyBullet's ids of the bodies.
    """
    if bodies == expected:
        last = {number: pair for pair in pairs for number in (pair[0][0], pair[1][0])}
        set_filters(
            client, last.values(), bodies, enabled=0
        )  # PyBullet then applies the filters of each body once
        return
    set_filters(client, pairs if expected else [], expected, enabled=1)
    set_filters(client, pairs, bodies, enabled=0)


def _expected_ids(client: Client, count: int, pairs: int) -> list[int]:
    """Return the ids that the next bodies will have.

    PyBullet reuses the ids that were freed last. Without a gap among the present ids they are the
    lowest free ones, unless several were removed in another order; where there are gaps and many
    pairs depend on it, bodies that are created and removed tell them.
    """
    taken = {client.getBodyUniqueId(k) for k in range(client.getNumBodies())}
    if pairs < MIN_PAIRS_TO_KNOW_IDS or taken == set(range(len(taken))):
        return list(islice((i for i in itertools.count() if i not in taken), count))
    ids = [client.createMultiBody() for _ in range(count)]
    for body in reversed(ids):
        client.removeBody(body)
    return ids


def pairs_of_body(pairs: Iterable[LinkPair], bodies: Sequence[int], body: int) -> list[LinkPair]:
    """Return the pairs of a body, by PyBullet's ids.

    Args:
        pairs: Pairs by number of the body.
        bodies: PyBullet's ids by that number.
        body: PyBullet's id of the body.
    """
    by_id = (((bodies[i], a), (bodies[j], b)) for (i, a), (j, b) in pairs)
    return [pair for pair in by_id if body in {pair[0][0], pair[1][0]}]


def forget_pairs(client: Client, pairs: Iterable[LinkPair]) -> None:
    """Enable pairs of bodies that were removed: PyBullet would disable them for the next bodies
    that have their ids.

    Args:
        client: The physics server.
        pairs: The pairs, by PyBullet's ids.
    """
    for (i, a), (j, b) in pairs:
        client.setCollisionFilterPair(i, j, a, b, 1)


def set_filters(
    client: Client, pairs: Iterable[LinkPair], bodies: Sequence[int], *, enabled: int
) -> None:
    """Enable or disable pairs of links.

    Args:
        client: The physics server.
        pairs: The pairs, by number of the body.
        bodies: PyBullet's ids by that number; of bodies that were removed, they are those of the
            next bodies.
        enabled: 1 to enable the pairs, 0 to disable them.
    """
    set_pair = client.setCollisionFilterPair
    for (i, a), (j, b) in pairs:
        set_pair(bodies[i], bodies[j], a, b, enabled)


def report_filters(mechanism: Mechanism, filters: PairFilters, report: Report) -> None:
    """Report merged links that collide although the model excludes the pair.

    Args:
        mechanism: The whole mechanism.
        filters: The pairs to disable.
        report: Record of the findings.
    """
    names = {i: name for name, i in mechanism.body_index.items()}
    named = [tuple(sorted(names[i] for i in pair)) for pair in filters.wrongly_enabled()]
    pairs = sorted(named)
    if pairs:
        report.add(
            codes.MERGED_FILTERS,
            subjects=dict.fromkeys(name for pair in pairs for name in pair),
            pairs=tuple(pairs),
        )


def report_policy(scene: Scene, policy: str, report: Report) -> None:
    """Report the properties of the scene that the collision policy ignores.

    Args:
        scene: The scene.
        policy: The collision policy; see `loaders.collision_pairs`.
        report: Record of the findings.
    """
    ignored = ignored_by_policy(scene, policy)
    if ignored:
        report.add(
            codes.CONTACT_POLICY,
            Where(scene.source),
            subjects=dict.fromkeys(chain.from_iterable(ignored.values())),
            policy=policy,
            properties=tuple(ignored),
        )


_LEAST_MARGIN = 1e-9
"""Margin of the hulls of a base [m]; rays pass through hulls without any."""


def contact_changes(
    articulation: Articulation, coefficients: PairCoefficients
) -> list[tuple[int, dict[str, float]]]:
    """Return PyBullet's index of each link with collisions, and its arguments of
    ``changeDynamics``.

    Args:
        articulation: The articulation of the links.
        coefficients: Friction and restitution of the links whose products must be right.
    """
    changes = []
    for index, segment in enumerate(articulation.segments, start=BASE):
        with_shapes = [carried for carried in segment.links if carried.link.collisions]
        acting = (each for each in with_shapes if any(map(exerts_forces, each.link.collisions)))
        carried = next(chain(acting, with_shapes), None)
        if carried is not None:
            parameters = contact_parameters(surface_of(carried.link.collisions))
            changes.append((index, parameters | coefficients.of_link(carried.link.name)))
    base = collisions_of(articulation.segments[0])
    if any(is_hull(collision) or excess_of(collision) for collision in base):
        # PyBullet ignores the margin of other links
        changes[0][1]["collisionMargin"] = _LEAST_MARGIN
    return changes


def surface_of(collisions: Sequence[Collision]) -> Surface:
    """Return the surface that a link of PyBullet has for all of its shapes: that of the first one
    that exerts forces.

    Args:
        collisions: The shapes, at least one.
    """
    return next(filter(exerts_forces, collisions), collisions[0]).surface


def collisions_of(segment: Segment) -> list[Collision]:
    """Return the collisions of all links that a segment carries."""
    return [collision for carried in segment.links for collision in carried.link.collisions]


def is_hull(collision: Collision) -> bool:
    """Return whether PyBullet uses a convex hull, inflated by a margin, if the link moves."""
    return isinstance(collision.geometry, Mesh | Cone | Ellipsoid | Polyline)


def excess_of(collision: Collision) -> float:
    """Return by how much PyBullet's box or cylinder of a link is larger than stated at most [m].

    It is the part of the shape within a margin, with that margin around it. A half h that is
    thinner than the margin m gives a part of ``m - h``, turned inside out, and ``2 m - h`` in all.
    """
    match collision.geometry:
        case Box(size=size):
            halves = np.array(size) / 2.0
        case Cylinder(radius=radius, length=length):
            halves = np.array((radius, radius, length / 2.0))
        case _:
            return 0.0
    return float(2.0 * np.linalg.norm(np.maximum(HULL_MARGIN - halves, 0.0)))


def contact_parameters(surface: Surface) -> dict[str, float]:
    """Return the arguments of ``changeDynamics`` for a surface.

    A surface with restitution has a processing threshold of zero: otherwise PyBullet slows links
    down before they touch, and they hardly bounce.
    """
    values = {
        "lateralFriction": surface.friction.mu,
        "rollingFriction": surface.friction.rolling or 0.0,
        "spinningFriction": torsional_length(surface.friction),
        "restitution": surface.restitution,
    }
    if surface.stiffness is not None:
        values |= {"contactStiffness": surface.stiffness, "contactDamping": surface.damping or 0.0}
    if surface.restitution:
        values["contactProcessingThreshold"] = 0.0
    return values


_UNSUPPORTED = (
    "restitution_threshold", "dissipation", "relaxation_time", "max_velocity", "min_depth",
    "soft_cfm", "soft_erp", "collide_without_contact", "hydroelastic",
)  # fmt: skip
_UNSUPPORTED_FRICTION = ("mu_static", "fdir1", "slip1", "slip2", "torsional_slip")
_unsupported_of, _unsupported_friction_of = (
    attrgetter(*_UNSUPPORTED),
    attrgetter(*_UNSUPPORTED_FRICTION),
)
_DEFAULT, _DEFAULT_FRICTION = _unsupported_of(Surface()), _unsupported_friction_of(Friction())


@dataclass(frozen=True, slots=True, eq=False)
class _LinkCollision:
    """A collision and the name of its link."""

    link: str
    collision: Collision

    @property
    def surface(self) -> Surface:
        return self.collision.surface

    @property
    def scoped_name(self) -> str:
        return f"{self.link}{SEPARATOR}{self.collision.name}"


def report_contacts(
    articulations: Sequence[Articulation], chosen: PairCoefficients, report: Report
) -> None:
    """Report the contact parameters of all collisions that PyBullet does not support.

    Args:
        articulations: The bodies to load.
        chosen: The coefficients whose products are as close as possible to those of the pairs.
        report: Record of the findings.
    """
    segments = [segment for articulation in articulations for segment in articulation.segments]
    for segment in segments:
        _report_bitmasks(segment, report)
        _report_mixed_surfaces(segment, report)
    collisions = [collision for segment in segments for collision in _link_collisions(segment)]
    _report_unsupported(collisions, report)
    _report_friction_products(collisions, chosen, report)
    _report_restitution(collisions, report)
    _report_combination_rules(collisions, report)
    for articulation in articulations:
        _report_margins(articulation, report)


def _link_collisions(segment: Segment) -> list[_LinkCollision]:
    return [
        _LinkCollision(carried.link.name, c)
        for carried in segment.links
        for c in carried.link.collisions
    ]


def _subjects(collisions: Sequence[_LinkCollision]) -> tuple[str, ...]:
    """Return the names of the collisions and of their links."""
    links = dict.fromkeys(collision.link for collision in collisions)
    return (*links, *dict.fromkeys(collision.scoped_name for collision in collisions))


def _names(collisions: Sequence[_LinkCollision]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(collision.scoped_name for collision in collisions))


def untouchable(articulation: Articulation, mechanism: Mechanism, policy: str) -> list[int]:
    """Return PyBullet's indices of the links that touch nothing, not even bodies of other files:
    those without shapes, and those whose bitmasks say so.

    PyBullet gives a link without shapes an empty one, which it compares with its neighbors in each
    step: of ANYmal C that takes a quarter of the time.

    Args:
        articulation: The articulation of the links.
        mechanism: The mechanism that it belongs to.
        policy: The rule for pairs that no collision filter names.
    """
    paired = {name for pair in mechanism.contact_pairs for name in (pair.link_A, pair.link_B)}

    def is_masked(segment: Segment) -> bool:
        masks = (bitmasks(collision.surface) for collision in collisions_of(segment))
        names = (carried.link.name for carried in segment.links)
        return policy in BITMASKED and not any(map(any, masks)) and paired.isdisjoint(names)

    return [
        index
        for index, segment in enumerate(articulation.segments, start=BASE)
        if not collisions_of(segment) or is_masked(segment)
    ]


# --- one set of parameters for each link ----------------------------------------------------------


def _report_bitmasks(segment: Segment, report: Report) -> None:
    for link in (carried.link for carried in segment.links if len(carried.link.collisions) > 1):
        masks = {(c.surface.collide_bitmask, c.surface.category_bitmask) for c in link.collisions}
        if len(masks) > 1:
            report.add(codes.BITMASK_PER_LINK, link, link=link.name)


def _report_mixed_surfaces(segment: Segment, report: Report) -> None:
    surfaces = [each.surface for each in filter(exerts_forces, collisions_of(segment))]
    if len({(*contact_parameters(each).items(), *grip_of(each)[1:]) for each in surfaces}) > 1:
        link = segment.links[0].link
        report.add(
            codes.SURFACE_PER_LINK,
            link.where,
            subjects=tuple(carried.link.name for carried in segment.links),
            link=link.name,
        )


# --- unsupported parameters -----------------------------------------------------------------------


def _report_unsupported(collisions: Sequence[_LinkCollision], report: Report) -> None:
    by_parameter: dict[str, list[_LinkCollision]] = {}
    for collision in collisions:
        for parameter in _unsupported(collision.surface):
            by_parameter.setdefault(parameter, []).append(collision)
    for parameter, concerned in sorted(by_parameter.items()):
        report.add(
            codes.CONTACT_PROPERTY,
            concerned[0].collision.where,
            subjects=_subjects(concerned),
            parameter=parameter,
            count=len(concerned),
            collisions=_names(concerned),
        )


def _unsupported(surface: Surface) -> Iterator[str]:
    """Yield the parameters of a surface that PyBullet does not support."""
    values = _unsupported_of(surface)
    for name, value, default in (
        zip(_UNSUPPORTED, values, _DEFAULT, strict=True) if values != _DEFAULT else ()
    ):
        if value != default and (name != "restitution_threshold" or surface.restitution > 0.0):
            yield name
    yield from _unsupported_friction(surface.friction)
    if surface.damping is not None and surface.stiffness is None:
        yield "damping"


def _unsupported_friction(friction: Friction) -> Iterator[str]:
    values = _unsupported_friction_of(friction)
    stated = values != _DEFAULT_FRICTION
    for name, value, default in (
        zip(_UNSUPPORTED_FRICTION, values, _DEFAULT_FRICTION, strict=True) if stated else ()
    ):
        if value not in (default, friction.mu):
            yield name
    if friction.mu2 != friction.mu:
        yield "mu2"
    if friction.torsional and not friction.use_patch_radius:
        yield "surface_radius"


# --- combination of two surfaces ------------------------------------------------------------------


def _report_friction_products(
    collisions: Sequence[_LinkCollision], chosen: PairCoefficients, report: Report
) -> None:
    """Report the pair for which PyBullet's friction differs most from that of the source."""
    worst = _worst_product(collisions, chosen)
    if worst is None:
        return
    report.add(
        codes.FRICTION_PRODUCT,
        subjects=dict.fromkeys((worst.link_A, worst.link_B)),
        link_a=worst.link_A,
        link_b=worst.link_B,
        found=worst.found,
        wanted=worst.wanted,
        rule_name=chosen.friction_rule.words,
        difference=worst.difference,
    )


def _worst_product(
    collisions: Sequence[_LinkCollision], chosen: PairCoefficients
) -> PairFriction | None:
    """Return the pair of links that may touch whose friction differs most from that of the source;
    without a ground in the file, of any two links, and of one with a ground like it.
    """
    if chosen.pairs is None:
        between = chosen.friction_rule.between
        kinds = {grip_of(c.surface): c for c in collisions if exerts_forces(c.collision)}
        return worst_of(
            PairFriction(
                link_A=a.link,
                link_B=b.link,
                coefficients=(a.surface.friction.mu, b.surface.friction.mu),
                wanted=between(a.surface, b.surface),
                found=a.surface.friction.mu * b.surface.friction.mu,
            )
            for a, b in combinations_with_replacement([kinds[kind] for kind in sorted(kinds)], 2)
        )
    set_to = {k.name: surface_of(k.collisions).friction.mu for pair in chosen.pairs for k in pair}
    set_to |= chosen.friction
    return worst_of(
        PairFriction(
            link_A=A.name,
            link_B=B.name,
            coefficients=(a.mu, b.mu),
            wanted=chosen.friction_rule.of_grips(a, b),
            found=set_to[A.name] * set_to[B.name],
        )
        for A, B in chosen.pairs
        for a, b in product(grips_of(A), grips_of(B))
    )


def _report_restitution(collisions: Sequence[_LinkCollision], report: Report) -> None:
    bouncing = [collision for collision in collisions if collision.surface.restitution]
    if bouncing:
        report.add(
            codes.RESTITUTION,
            bouncing[0].collision.where,
            subjects=_subjects(bouncing),
            collisions=_names(bouncing),
        )


_COMBINATION_RULES = {
    "restitution": "restitution: the product",
    "stiffness": "stiffness: that of both in series",
    "damping": "damping: the sum",
    "rolling": "rolling friction: the sum of each times the lateral friction of the other",
    "torsional": "torsional friction: the sum of each times the lateral friction of the other",
}
"""Rules of PyBullet for combining the parameters of the two surfaces of a contact."""


def _combined_parameters(surface: Surface) -> Iterator[str]:
    """Yield the parameters of a surface to which a combination rule applies."""
    is_stated = {
        "restitution": surface.restitution not in {0.0, 1.0},
        "stiffness": surface.stiffness is not None,
        "damping": surface.stiffness is not None and surface.damping,
        "rolling": surface.friction.rolling,
        "torsional": torsional_length(surface.friction),
    }
    return (name for name, stated in is_stated.items() if stated)


def _report_combination_rules(collisions: Sequence[_LinkCollision], report: Report) -> None:
    concerned = [
        collision for collision in collisions if any(_combined_parameters(collision.surface))
    ]
    parameters = {
        name for collision in concerned for name in _combined_parameters(collision.surface)
    }
    if parameters:
        report.add(
            codes.CONTACT_COMBINATION,
            subjects=_subjects(concerned),
            rules=tuple(rule for name, rule in _COMBINATION_RULES.items() if name in parameters),
        )


# --- margins --------------------------------------------------------------------------------------


def _report_margins(articulation: Articulation, report: Report) -> None:
    """Report convex hulls with a margin: those of moving links, because a base has none and static
    meshes are exact; and boxes and cylinders of links that are thinner than two margins.
    """
    inflated, thin = list[_LinkCollision](), list[_LinkCollision]()
    for index, segment in enumerate(articulation.segments[1:]):
        collisions = _link_collisions(segment)
        thin += [shape for shape in collisions if excess_of(shape.collision)]
        if articulation.is_free or welded_pose(articulation.segments, index) is None:
            inflated += [shape for shape in collisions if is_hull(shape.collision)]
    if thin:
        report.add(
            codes.THIN_SHAPE,
            thin[0].collision.where,
            subjects=_subjects(thin),
            count=len(thin),
            thickness=2.0 * HULL_MARGIN,
            error=max(excess_of(shape.collision) for shape in thin),
            collisions=_names(thin),
        )
    if inflated:
        report.add(
            codes.HULL_MARGIN,
            inflated[0].collision.where,
            subjects=_subjects(inflated),
            count=len(inflated),
            margin=HULL_MARGIN,
            collisions=_names(inflated),
        )
