"""Excluded pairs."""

from __future__ import annotations

from tests.support.mjcf_documents import BALL, read


def test_an_exclude_keeps_two_links_apart() -> None:
    bodies = "".join(f'<body name="{name}"><freejoint/>{BALL}</body>' for name in "abc")
    scene = read(bodies, '<contact><exclude body1="a" body2="c"/></contact>')
    assert scene.excluded_collision_pairs("mujoco") == {frozenset("ac")}
