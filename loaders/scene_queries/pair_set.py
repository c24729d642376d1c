"""A set of pairs in which groups of items, each two of which are a pair, are kept as groups.

Thousands of links that are welded together are one group, and their pairs are never listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Set
from functools import cached_property
from itertools import combinations, product
from typing import TypeVar

from loaders.safety.limits import limited

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
            groups: Groups of items, each two of which are a pair.
            pairs: Further pairs.
            removed: Pairs that are not in the set, whatever the others say.
        """
        self.groups = tuple(tuple(group) for group in groups if len(group) > 1)
        """Groups of items, each two of which are a pair."""
        self._removed = frozenset(removed)
        self._groups_of: dict[T, set[int]] = {}
        for number, group in enumerate(self.groups):
            for item in group:
                self._groups_of.setdefault(item, set()).add(number)
        self._pairs = frozenset(pair for pair in pairs if len(pair) == 2 and not self._common_groups(*pair))

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

    def without(self, pairs: Iterable[frozenset[T]]) -> PairSet[T]:
        """Return the set without some pairs.

        Args:
            pairs: The pairs.
        """
        removed = frozenset(pairs)
        return PairSet(self.groups, self._pairs, self._removed | removed) if removed else self

    def renamed(self, names: Mapping[T, U]) -> PairSet[U]:
        """Return the set with other items; pairs of items without a new name are left out.

        Args:
            names: The new items by the old ones.
        """
        groups = ([names[item] for item in group if item in names] for group in self.groups)
        pairs = (frozenset(names[item] for item in pair) for pair in self._pairs if names.keys() >= pair)
        removed = (frozenset(names[item] for item in pair) for pair in self._removed if names.keys() >= pair)
        return PairSet(groups, pairs, removed)

    @property
    def largest_size(self) -> int:
        """A number that the number of pairs does not exceed."""
        return len(self._pairs) + sum(len(group) * (len(group) - 1) // 2 for group in self.groups)

    def holds_all(self, items: Collection[T]) -> bool:
        """Return whether one group holds all items, so that each two are a pair; False says nothing."""
        inside = set.intersection(*(self._groups_of.get(item, set()) for item in items)) if items else set()
        return bool(inside) and not self._removed

    def representatives(self, items: Iterable[T]) -> list[T]:
        """Return some of the items, so that each other one forms pairs with the same others as two of these.

        Args:
            items: The items.
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
