"""Suggestions for misspelt names."""

from __future__ import annotations

from loaders.limits import MAX_COMPARISONS, budgeted
from loaders.text import MAX_LENGTH, closest


def test_the_closest_name_is_suggested() -> None:
    assert closest("inertiall", ["collision", "inertial"]) == "inertial"
    assert closest("zzz", ["collision", "inertial"]) == ""


def test_long_names_and_many_names_are_not_compared() -> None:
    """The standard library's comparison takes minutes for one pair of these."""
    long = "ab" * 100_000
    assert closest(long, [long + "c"] * 100) == ""
    assert closest("ab", [long] * 1000) == ""
    assert closest("name", [f"{'x' * MAX_LENGTH}{i}" for i in range(10**5)]) == ""


def test_a_load_with_thousands_of_misspelt_names_makes_some_suggestions_only() -> None:
    names = [f"link_{i:03}_{'x' * 40}" for i in range(300)]
    cost = len(names[0]) * sum(map(len, names))
    with budgeted():
        made = sum(bool(closest(f"lonk_{i % 300:03}_{'x' * 40}", names)) for i in range(10))
    assert made == MAX_COMPARISONS // cost
    assert closest("lonk_001_" + "x" * 40, names) == names[1]
