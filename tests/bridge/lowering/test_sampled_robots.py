"""The pairs of links that random positions exclude, against SRDF files that others have published."""

from __future__ import annotations

import pytest

import bridge
import loaders
from benchmarks.srdf_pairs import ROBOTS, late_contacts, robots_folder, row_of
from bridge.choices import Exclusion
from bridge.lowering.transform import with_exclusions
from tests.support.seeds import few

pytest.importorskip("cmeel", reason="example-robot-data is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("name", few(["panda", "solo", "xarm7"], 1))
def test_the_pairs_of_the_setup_assistant_are_excluded_too(name: str) -> None:
    """A pair that is not excluded does touch, or is apart, as the shapes of both links show."""
    row = row_of(name, samples=10_000, seed=0, further=0)
    of_assistant = [pair for pair, reason in row.listed.items() if reason != "User"]
    assert len(of_assistant) >= 4
    assert len(row.missing) <= max(1, 0.05 * len(of_assistant))
    assert all(depth >= 0.0 for depth in row.missing.values())


@pytest.mark.slow
def test_a_seed_gives_the_same_pairs_and_none_of_them_touches_at_other_positions() -> None:
    mechanism = bridge.lower(loaders.load(robots_folder() / ROBOTS["panda"][0], quiet=True))
    exclusion = Exclusion(exclude="sampled", samples=10_000, seed=0)
    found = with_exclusions(mechanism, exclusion)
    assert with_exclusions(mechanism, exclusion).sampled == found.sampled
    assert late_contacts(found, 20_000, seed=1) == {}
