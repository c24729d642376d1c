"""The pairs that never collide, read from the written SRDF, are those of the model."""

from __future__ import annotations

import itertools
from pathlib import Path

import bridge
import loaders
from bridge.targets.urdf.document import srdf_text
from loaders import model as m
from tests.support.scenes import UNIT_BOX, joint, link, scene

LINKS = [link(name, shape=UNIT_BOX) for name in "abcd"]
CHAIN = scene(
    LINKS,
    [joint(f"{p}{c}", p, c) for p, c in itertools.pairwise("abcd")],
    filter_groups=(m.FilterGroup(name="g", links=("a", "d")),),
    filter_rules=(m.FilterRule(a="g", b="g"),),
)


def test_each_excluded_pair_is_listed_once_with_its_reason() -> None:
    text = srdf_text(CHAIN, CHAIN, {})
    assert '<disable_collisions link1="a" link2="d" reason="Never"/>' in text
    pairs = CHAIN.excluded_collision_pairs()
    assert text.count("<disable_collisions") == len(pairs)
    assert text.count("Adjacent") == sum(
        pair in pairs for pair in map(frozenset, itertools.pairwise("abcd"))
    )


def test_a_reader_finds_the_pairs_of_the_model(tmp_path: Path) -> None:
    result = bridge.export_urdf(CHAIN, tmp_path / "m", write_srdf=True, extensions=())
    assert "test.srdf" in result.files
    found = loaders.load(result.path, srdf=tmp_path / "m" / "test.srdf")
    assert CHAIN.excluded_collision_pairs() <= found.excluded_collision_pairs()
    assert frozenset("ad") not in loaders.load(result.path).excluded_collision_pairs()
