"""Connectivity of links, and the pairs of links that are excluded from contact.

The filter groups of the source apply under every policy. A policy adds the default rule of one
simulator.

Thousands of links that are welded together are one group, and their pairs are never listed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Set
from itertools import chain, combinations, product
from typing import TypeVar

from loaders.deferred import cached_property

from .engine_settings import MUJOCO, conventions_of
from .limits import limited, spend
from .model import (
    WORLD,
    Collision,
    Empty,
    Joint,
    JointType,
    Link,
    SceneData,
    Surface,
    settings_of,
)
from .scoped_names import SEPARATOR, outermost_scope, root_model


def static_links(scene: SceneData) -> set[str]:
    """Return the links that are fixed to the world without a joint: including the link of the
    world.
    """
    static = {model.name for model in scene.models if model.static}
    return {link.name for link in scene.links if link.model in static or link.name == WORLD}


def is_weld(joint: Joint) -> bool:
    """Return whether a joint allows no motion."""
    return joint.type is JointType.FIXED


def is_connection(joint: Joint) -> bool:
    """Return whether a joint restricts the relative motion of its links."""
    return joint.type is not JointType.FLOATING


def connected_components(
    scene: SceneData, connects: Callable[[Joint], bool], *, with_world: bool = True
) -> list[list[str]]:
    """Return the connected components of the links, in linear time; static models connect their
    links to the world.

    Args:
        scene: The scene.
        connects: Function that returns whether a joint connects its links.
        with_world: Whether static models, and joints of the world, connect anything.

    Returns:
        Components in the order of the scene; the first contains `WORLD`, which need not be a link,
        possibly alone.
    """
    neighbors: dict[str, list[str]] = defaultdict(list)
    edges = [(joint.parent, joint.child) for joint in scene.joints if connects(joint)]
    edges += [(WORLD, name) for name in sorted(static_links(scene))]
    for a, b in edges if with_world else [edge for edge in edges if WORLD not in edge]:
        neighbors[a].append(b)
        neighbors[b].append(a)
    components: list[list[str]] = []
    seen: set[str] = set()
    for name in (WORLD, *(link.name for link in scene.links)):
        if name not in seen:
            components.append(_component(name, neighbors, seen))
    return components


def _component(start: str, neighbors: dict[str, list[str]], seen: set[str]) -> list[str]:
    """Return the names that are reachable from a start, and add them to those seen."""
    seen.add(start)
    component = [start]
    for name in component:  # the list grows during the loop
        for other in neighbors[name]:
            if other not in seen:
                seen.add(other)
                component.append(other)
    return component


T = TypeVar("T", bound=Hashable)
U = TypeVar("U", bound=Hashable)


class PairSet(Set[frozenset[T]]):
    """An immutable set of unordered pairs."""

    def __init__(
        self,
        groups: Iterable[Collection[T]] = (),
        pairs: Iterable[frozenset[T]] = (),
        removed: Iterable[frozenset[T]] = (),
    ) -> None:
        """Make a set.

        Args:
            groups: Groups of items; each two items of a group are a pair.
            pairs: Further pairs.
            removed: Pairs that are not in the set, whatever the others say.
        """
        self.groups = tuple(tuple(group) for group in groups if len(group) > 1)
        """Groups of items; each two items of a group are a pair."""
        self._removed = frozenset(removed)
        self._groups_of: dict[T, set[int]] = {}
        for number, group in enumerate(self.groups):
            for item in group:
                self._groups_of.setdefault(item, set()).add(number)
        self._pairs = frozenset(
            pair for pair in pairs if len(pair) == 2 and not self._common_groups(*pair)
        )

    def __contains__(self, pair: object) -> bool:
        """Return whether a pair is in the set."""
        if not isinstance(pair, frozenset) or len(pair) != 2 or pair in self._removed:
            return False
        return pair in self._pairs or bool(self._common_groups(*pair))

    def __iter__(self) -> Iterator[frozenset[T]]:
        """Yield each pair once.

        Raises:
            LimitError: if there are more pairs than the limit ``pairs``.
        """
        return self.between(lambda item: item)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return self._size

    @cached_property
    def _size(self) -> int:
        return sum(1 for _ in self)

    @classmethod
    def _from_iterable(cls, pairs: Iterable[frozenset[T]]) -> Set[frozenset[T]]:  # type: ignore[override]
        """Return the result of an operation of sets."""
        return frozenset(pairs)

    def __hash__(self) -> int:
        """Return the hash of an equal frozenset."""
        return self._hash()

    def with_pairs(self, pairs: Iterable[frozenset[T]]) -> PairSet[T]:
        """Return the set with further pairs."""
        further = frozenset(pairs)
        removed = self._removed - further
        return PairSet(self.groups, self._pairs | further, removed) if further else self

    def without(self, pairs: Iterable[frozenset[T]]) -> PairSet[T]:
        """Return the set without some pairs."""
        removed = frozenset(pairs)
        return PairSet(self.groups, self._pairs, self._removed | removed) if removed else self

    def renamed(self, names: Mapping[T, U]) -> PairSet[U]:
        """Return the set with other items; pairs of items without a new name are left out.

        Args:
            names: The new items by the old ones.
        """
        groups = ([names[item] for item in group if item in names] for group in self.groups)
        return PairSet(groups, _renamed(self._pairs, names), _renamed(self._removed, names))

    @property
    def content(self) -> tuple[object, ...]:
        """Text that tells the set from others, the same in each process."""
        return self.groups, _sorted_texts(self._pairs), _sorted_texts(self._removed)

    @property
    def largest_size(self) -> int:
        """A number that the number of pairs does not exceed."""
        return len(self._pairs) + sum(len(group) * (len(group) - 1) // 2 for group in self.groups)

    def holds_all(self, items: Collection[T]) -> bool:
        """Return whether one group holds all items, so that each two are a pair; False says
        nothing.
        """
        inside = (
            set.intersection(*(self._groups_of.get(item, set()) for item in items))
            if items
            else set()
        )
        return bool(inside) and not self._removed

    def representatives(self, items: Iterable[T]) -> list[T]:
        """Return some of the items, so that each other one forms pairs with the same others as two
        of these.
        """
        listed = {item for pair in (*self._pairs, *self._removed) for item in pair}
        chosen: list[T] = []
        count: Counter[frozenset[int]] = Counter()
        for item in items:
            kind = frozenset(self._groups_of.get(item, ()))
            if item in listed or count[kind] < 2:
                chosen.append(item)
                count[kind] += item not in listed
        return chosen

    def between(self, part: Callable[[T], Hashable]) -> Iterator[frozenset[T]]:
        """Yield each pair of items of different parts once, in a time that grows with their number.

        Args:
            part: The part of an item.

        Raises:
            LimitError: if there are more pairs than the limit ``pairs``.
        """
        return limited("pairs", self._listed(part))

    def _listed(self, part: Callable[[T], Hashable]) -> Iterator[frozenset[T]]:
        for pair in self._pairs:
            a, b = pair
            if part(a) != part(b) and pair not in self._removed:
                yield pair
        for number, group in enumerate(self.groups):
            members: dict[Hashable, list[T]] = {}
            for item in group:
                members.setdefault(part(item), []).append(item)
            for one, other in combinations(members.values(), 2):
                for a, b in product(one, other):
                    pair = frozenset((a, b))
                    is_first = min(self._common_groups(a, b)) == number
                    if is_first and pair not in self._removed:
                        yield pair

    def _common_groups(self, a: T, b: T) -> set[int]:
        one, other = self._groups_of.get(a), self._groups_of.get(b)
        return one & other if one and other else set()


def _renamed(pairs: Iterable[frozenset[T]], names: Mapping[T, U]) -> Iterator[frozenset[U]]:
    """Yield the pairs whose items have new names, with these."""
    for pair in pairs:
        if names.keys() >= pair:
            yield frozenset(names[item] for item in pair)


def _sorted_texts(pairs: Iterable[frozenset[T]]) -> list[list[str]]:
    return sorted(sorted(map(repr, pair)) for pair in pairs)


def renamed_pairs(
    pairs: Iterable[frozenset[str]], names: Mapping[str, str]
) -> frozenset[frozenset[str]]:
    """Return pairs of names with other names, where ``names`` has them."""
    return frozenset(frozenset(names.get(name, name) for name in pair) for pair in pairs)


Group = list[str]
"""Links that may not touch one another."""
Excluded = tuple[str, str] | Group
"""A pair, or a group: what the rules yield."""
_CHUNK = 10_000
"""Number of pairs that are made before they are counted."""


def default_policy(scene: SceneData) -> str:
    """Return the policy that a scene states, else that of the engine for which it was written."""
    return scene.collision_policy or conventions_of(scene.physics).policy


def excluded_pairs(scene: SceneData, policy: str | None = None) -> frozenset[frozenset[str]]:
    """Return the pairs of links with collisions that are excluded from contact; the link of the
    world is ``world``.

    Links are not excluded if a contact pair of the source lets two of their collisions touch.

    Args:
        scene: The scene.
        policy: See `filtered_pairs`.

    Raises:
        ValueError: if the policy is not one of `POLICIES`.
        LimitError: if there are more pairs than the call that is running may have.
    """
    paired = (frozenset((pair.link_A, pair.link_B)) for pair in scene.contact_pairs)
    return frozenset(filtered_pairs(scene, policy).without(paired))


def filtered_pairs(scene: SceneData, policy: str | None = None) -> PairSet[str]:
    """Return the pairs of links with collisions that the filters exclude, whatever the contact
    pairs of the source say.

    Args:
        scene: The scene.
        policy: The rule for pairs that no filter group names; None is that of `default_policy`.
            ``neighbors`` excludes links welded together, and the links of one joint, with welded
            links as one. ``drake`` excludes the links of one joint, unless its parent is the world,
            and links welded together, directly or through the world. ``sdformat`` excludes the
            links of one joint, links of one model unless one of them self-collides, pairs of static
            links, and pairs whose bitmasks have no common bit. ``mujoco`` excludes links welded
            together and the links of one joint, with welded links as one and unless one is fixed to
            the world, and pairs whose bitmasks, where stated, have no common bit. ``pybullet``
            excludes links of one root model, and pairs of links fixed to the world.

    Raises:
        ValueError: if the policy is not one of `POLICIES`.
        LimitError: if there are more pairs, beside the groups, than the call that is running may
        have.
    """
    policy = default_policy(scene) if policy is None else policy
    if policy not in POLICIES:
        raise ValueError(f"unknown policy {policy!r}; expected one of: {', '.join(POLICIES)}")
    colliding = {link.name: link for link in scene.links if link.collisions}
    return _collected(chain(POLICIES[policy](scene, colliding), _group_pairs(scene, colliding)))


def adjacent_pairs(scene: SceneData) -> PairSet[str]:
    """Return the pairs of links with collisions that are neighbors, as under the policy
    ``neighbors``, or would be without the links between them, which have no collisions.

    MoveIt's setup assistant calls these adjacent. Filters and bitmasks do not count.

    Raises:
        LimitError: if there are more pairs, beside the groups, than the call that is running may
        have.
    """
    colliding = {link.name: link for link in scene.links if link.collisions}
    return _collected(chain(_neighbors(scene, colliding), _across_shapeless(scene, colliding)))


def masked_pairs(scene: SceneData) -> PairSet[str]:
    """Return the pairs of links whose bitmasks let no collisions touch."""
    return _collected(_masked(scene))


def _collected(found: Iterator[Excluded]) -> PairSet[str]:
    groups: list[Group] = []
    pairs: set[frozenset[str]] = set()
    made = 0
    for entry in found:
        if isinstance(entry, list):
            groups.append(entry)
            continue
        pairs.add(frozenset(entry))
        made += 1
        if made == _CHUNK:
            spend("pairs", made)
            made = 0
    spend("pairs", made)
    return PairSet(groups, pairs)


def weld_groups(scene: SceneData) -> list[list[str]]:
    """Return the groups of links welded together, in the order of the scene; the first contains
    `WORLD`.
    """
    return connected_components(scene, is_weld)


def _group_pairs(scene: SceneData, colliding: Collection[str]) -> Iterator[Excluded]:
    members: dict[str, list[str]] = {}
    for group in scene.filter_groups:
        members[group.name] = [link for link in group.links if link in colliding]
    for rule in scene.filter_rules:
        a = members.get(rule.a, [])
        b = members.get(rule.b, [])
        yield from [a] if rule.a == rule.b else product(a, b)


def _jointed(scene: SceneData) -> Iterator[tuple[str, str]]:
    """Yield parent and child of each joint; in place of a virtual parent the link that carries
    it.
    """
    carrier = {joint.child: joint.parent for joint in scene.joints}
    virtual = {link.name for link in scene.links if link.virtual}
    for joint in filter(is_connection, scene.joints):
        parent = joint.parent
        seen = set()
        while parent in virtual and parent in carrier and parent not in seen:
            seen.add(parent)
            parent = carrier[parent]
        yield parent, joint.child


# --- the default rule of each simulator -----------------------------------------------------------

_Links = dict[str, Link]


def _neighbors(scene: SceneData, colliding: _Links) -> Iterator[Excluded]:
    """Yield what MuJoCo excludes by itself, and the links of one joint also if one is fixed to the
    world.

    PyBullet with ``URDF_USE_SELF_COLLISION_EXCLUDE_PARENT`` excludes the latter too. What is welded
    to the world elsewhere, such as a table, is no neighbor.
    """
    yield [name for name in weld_groups(scene)[0] if name in colliding]
    members: dict[str, list[str]] = {}
    for group in connected_components(scene, is_weld, with_world=False):
        held = [name for name in group if name in colliding]
        members |= dict.fromkeys(group, held)
        yield held
    joined = {(parent, child): None for parent, child in _jointed(scene) if parent != WORLD}
    done: set[frozenset[int]] = set()
    for parent, child in joined:
        one, other = members.get(parent, []), members.get(child, [])
        pair = frozenset((id(one), id(other)))
        if one is not other and pair not in done:
            done.add(pair)
            yield from product(one, other)


def _across_shapeless(scene: SceneData, colliding: _Links) -> Iterator[Excluded]:
    """Yield the pairs of links that joints connect to the same links without collisions, or to each
    other through them; links that are welded together are one.
    """
    groups = connected_components(scene, is_weld, with_world=False)
    members = [[name for name in group if name in colliding] for group in groups]
    group_of = {name: i for i, group in enumerate(groups) for name in group}
    joined: dict[int, set[int]] = defaultdict(set)
    for parent, child in _jointed(scene):
        if parent != WORLD and group_of[parent] != group_of[child]:
            joined[group_of[parent]].add(group_of[child])
            joined[group_of[child]].add(group_of[parent])
    for i in [i for i in sorted(joined) if not members[i]]:
        around = sorted(joined.pop(i))
        for a, b in combinations(around, 2):
            joined[a].add(b)
            joined[b].add(a)
            yield from product(members[a], members[b])
        for a in around:
            joined[a].discard(i)


def _drake(scene: SceneData, colliding: _Links) -> Iterator[Excluded]:
    for parent, child in _jointed(scene):
        if parent != WORLD and parent in colliding and child in colliding:
            yield parent, child
    for group in weld_groups(scene):
        yield [name for name in group if name in colliding]


def _sdformat(scene: SceneData, colliding: _Links) -> Iterator[Excluded]:
    for parent, child in _jointed(scene):
        if parent in colliding and child in colliding:
            yield parent, child
    yield sorted(static_links(scene) & colliding.keys())
    self_colliding = {model.name for model in scene.models if model.self_collide}
    excluded: dict[str, list[str]] = defaultdict(list)
    for link in colliding.values():
        if not (link.model in self_colliding if link.self_collide is None else link.self_collide):
            excluded[link.model].append(link.name)
    yield from excluded.values()
    yield from _masked(scene)


def bitmasks(surface: Surface) -> tuple[int, int]:
    """Return the category and the collision bitmask of a surface.

    Two collisions touch if the category of one shares a bit with the collision bitmask of the
    other. Source: SDFormat 1.12, ``contact/category_bitmask``; ``collide_bitmask`` is its default.
    """
    category = (
        surface.collide_bitmask if surface.category_bitmask is None else surface.category_bitmask
    )
    return category, surface.collide_bitmask


def exerts_forces(collision: Collision) -> bool:
    """Return whether a collision has a shape that exerts forces on something that it may touch.

    Args:
        collision: The collision.
    """
    surface, is_empty = collision.surface, isinstance(collision.geometry, Empty)
    return any(bitmasks(surface)) and not surface.collide_without_contact and not is_empty


def has_bitmasks(scene: SceneData) -> bool:
    """Return whether any collision has other bitmasks than the default."""
    return any(True for _ in collisions_with_bitmasks(scene))


def collisions_with_bitmasks(scene: SceneData) -> Iterator[str]:
    """Yield the names of the collisions that have other bitmasks than the default."""
    default = (Surface().collide_bitmask, Surface().category_bitmask)
    for link in scene.links:
        for collision in link.collisions:
            if (collision.surface.collide_bitmask, collision.surface.category_bitmask) != default:
                yield f"{link.name}{SEPARATOR}{collision.name}"


def _masked(scene: SceneData) -> Iterator[Excluded]:
    classes: dict[tuple[int, int], list[str]] = defaultdict(list)
    for link in scene.links:
        category = mask = 0
        for bits, touched_bits in (bitmasks(collision.surface) for collision in link.collisions):
            category |= bits
            mask |= touched_bits
        if link.collisions:
            classes[category, mask].append(link.name)
    for (category, mask), names in classes.items():
        if not category & mask:
            yield names
    for ((category_a, mask_a), a), ((category_b, mask_b), b) in combinations(classes.items(), 2):
        if not (category_a & mask_b or category_b & mask_a):
            yield from product(a, b)


def _mujoco(scene: SceneData, colliding: _Links) -> Iterator[Excluded]:
    groups = weld_groups(scene)
    colliding_groups = [[name for name in group if name in colliding] for group in groups]
    yield from colliding_groups
    if has_bitmasks(scene):
        yield from _masked(scene)
    if FILTER_PARENT_OFF in settings_of(scene.physics, MUJOCO):
        return
    group_of = {name: i for i, group in enumerate(groups) for name in group}
    joined = {
        tuple(sorted((group_of[parent], group_of[child]))) for parent, child in _jointed(scene)
    }
    for a, b in sorted(joined):
        if a and a != b:  # group 0 is the world
            yield from product(colliding_groups[a], colliding_groups[b])


def _pybullet(scene: SceneData, colliding: _Links) -> Iterator[Excluded]:
    yield [name for name in weld_groups(scene)[0] if name in colliding]
    bodies: dict[str, list[str]] = defaultdict(list)
    is_one_model = root_model(scene) is not None
    for link in colliding.values():
        bodies["" if is_one_model else outermost_scope(link.model)].append(link.name)
    yield from bodies.values()


POLICIES: dict[str, Callable[[SceneData, _Links], Iterator[Excluded]]] = {
    "neighbors": _neighbors,
    "drake": _drake,
    "sdformat": _sdformat,
    "mujoco": _mujoco,
    "pybullet": _pybullet,
}
"""Default rules, keyed by policy."""
BITMASKED = frozenset({"sdformat", "mujoco"})
"""Policies that use the bitmasks of collisions."""
FILTER_PARENT_OFF = ("flag/filterparent", "disable")
"""MuJoCo's setting that lets parent and child collide."""
