"""A set of pairs answers as the set of its listed pairs does, and groups are never listed without
need.
"""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from loaders.collision_pairs import PairSet
from loaders.limits import LimitError, Limits, budgeted

ITEMS = range(9)


def drawn(seed: int) -> tuple[PairSet[int], frozenset[frozenset[int]]]:
    """A random set, and its pairs listed one by one."""
    rng = random.Random(seed)
    groups = [rng.sample(ITEMS, rng.randint(0, 6)) for _ in range(rng.randint(0, 3))]
    pairs = [frozenset(rng.sample(ITEMS, 2)) for _ in range(rng.randint(0, 6))]
    removed = [frozenset(rng.sample(ITEMS, 2)) for _ in range(rng.randint(0, 3))]
    listed = {frozenset(pair) for group in groups for pair in combinations(group, 2)} | set(pairs)
    return PairSet(groups, pairs).without(removed), frozenset(listed) - set(removed)


def test_it_is_the_set_of_its_listed_pairs() -> None:
    for seed in range(40):
        found, expected = drawn(seed)
        assert sorted(map(sorted, found)) == sorted(map(sorted, expected))  # each once
        assert found == expected
        assert hash(found) == hash(drawn(seed)[0])
        assert len(found) == len(expected) <= found.largest_size + 1
        assert {
            pair for pair in map(frozenset, combinations(ITEMS, 2)) if pair in found
        } == expected
        assert found - {frozenset((0, 1))} == expected - {frozenset((0, 1))}
        names = {item: str(item) for item in ITEMS if item != 3}
        assert found.renamed(names) == {
            frozenset(map(str, pair)) for pair in expected if 3 not in pair
        }


def test_pairs_between_parts_and_representatives() -> None:
    for seed in range(40):
        found, expected = drawn(seed)
        between = {pair for pair in expected if len({item % 3 for item in pair}) > 1}
        assert set(found.between(lambda item: item % 3)) == between
        if found.holds_all(ITEMS[:4]):
            assert {frozenset(pair) for pair in combinations(ITEMS[:4], 2)} <= expected
        few = found.representatives(ITEMS)
        for left_out in set(ITEMS) - set(few):  # two of the others stand for it
            partners = {other for other in few if frozenset((left_out, other)) in expected}
            alike = [
                one
                for one in few
                if {o for o in few if frozenset((one, o)) in expected} | {one} == partners | {one}
            ]
            assert len(alike) >= 2


def test_a_group_of_many_is_not_listed_unless_it_is_asked_for() -> None:
    many = PairSet([range(100_000)], [frozenset((0, 100_000))])
    assert frozenset((5, 99_999)) in many
    assert frozenset((5, 100_000)) not in many
    assert list(many.between(lambda item: item == 100_000)) == [frozenset((0, 100_000))]
    assert len(many.representatives(range(100_000))) == 3
    with budgeted(Limits(pairs=10)), pytest.raises(LimitError, match="pairs"):
        list(many)
