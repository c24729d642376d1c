"""Excluded pairs and stated pairs."""

from __future__ import annotations

from tests.support.mjcf_documents import read
from tests.support.mjcf_round_trip import compiled

BODIES = "".join(
    f'<body name="{n}"><freejoint/><geom name="g{n}" size="0.1"/></body>' for n in "abc"
)


def test_an_exclude_keeps_two_links_apart() -> None:
    scene = read(BODIES, '<contact><exclude body1="a" body2="c"/></contact>')
    assert scene.excluded_collision_pairs() == {frozenset("ac")}


def test_a_pair_beats_an_exclude() -> None:
    contact = '<exclude body1="a" body2="c"/><pair geom1="ga" geom2="gc" condim="1" margin="0.2"/>'
    scene = read(BODIES, f"<contact>{contact}</contact>")
    assert scene.excluded_collision_pairs() == frozenset()
    original, exported = compiled(BODIES, f"<contact>{contact}</contact>")
    assert (exported.nexclude, exported.npair) == (original.nexclude, original.npair) == (1, 1)
    assert (exported.pair_dim[0], exported.pair_margin[0]) == (1, 0.2)


def test_masks_count_without_an_option() -> None:
    masked = BODIES.replace('name="gc"', 'name="gc" contype="2" conaffinity="2"')
    assert read(masked).excluded_collision_pairs() == {frozenset("ac"), frozenset("bc")}


def test_the_parent_filter_looks_through_virtual_links_and_may_be_off() -> None:
    chain = (
        '<body name="p"><joint/><geom size="0.1"/><body name="c"><joint axis="1 0 '
        '0"/><joint/><geom size="0.1"/>'
    )
    chain += "</body></body>"
    assert read(chain).excluded_collision_pairs() == {frozenset("pc")}
    off = '<option><flag filterparent="disable"/></option>'
    assert read(chain, off).excluded_collision_pairs() == frozenset()
    original, exported = compiled(chain, off)
    assert exported.opt.disableflags == original.opt.disableflags
