"""Collision filters from an SRDF file."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from loaders.scene import Scene
from tests.support.urdf_robots import SPHERE, codes

CHAIN = "".join(f"<link name='{name}'>{SPHERE}</link>" for name in "abcd") + "".join(
    f"<joint name='{a}{b}' type='continuous'><parent link='{a}'/><child link='{b}'/></joint>"
    for a, b in ("ab", "bc", "cd")
)


def load_with_srdf(tmp_path: Path, srdf: str) -> Scene:
    (tmp_path / "r.urdf").write_text(f"<robot name='r'>{CHAIN}</robot>")
    (tmp_path / "r.srdf").write_text(f"<robot name='r'>{srdf}</robot>")
    return loaders.load(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf")


def excluded(scene: Scene) -> set[frozenset[str]]:
    """What the file alone excludes: Drake's own rule is about neighbors."""
    neighbors = {frozenset(pair) for pair in ("ab", "bc", "cd")}
    return set(scene.excluded_collision_pairs("drake")) - neighbors


def test_disabled_pairs_become_collision_filters(tmp_path: Path) -> None:
    pair = "<disable_collisions link1='a' link2='c' reason='Never'/>"
    scene = load_with_srdf(
        tmp_path, f"{pair}<group name='arm'><chain base_link='a' tip_link='d'/></group>"
    )
    assert excluded(scene) == {frozenset("ac")}
    assert codes(scene) == ["srdf.planning"]


def test_a_link_disabled_by_default_touches_only_what_is_enabled_for_it(tmp_path: Path) -> None:
    scene = load_with_srdf(
        tmp_path, "<disable_default_collisions link='a'/><enable_collisions link1='d' link2='a'/>"
    )
    assert excluded(scene) == {frozenset("ac")}


def test_an_unknown_link_in_an_srdf_is_reported(tmp_path: Path) -> None:
    scene = load_with_srdf(tmp_path, "<disable_collisions link1='a' link2='z'/>")
    assert codes(scene) == ["srdf.unknown-link"]
    assert scene.filter_rules == ()


@pytest.mark.parametrize(
    ("srdf", "code"),
    [
        ("<robot><disable_collisions link1='a' link2='a'/></robot>", "srdf.same-link"),
        ("<arm/>", "srdf.root"),
        ("<robot", "xml.syntax"),
    ],
)
def test_what_is_wrong_in_an_srdf_is_reported(tmp_path: Path, srdf: str, code: str) -> None:
    (tmp_path / "r.urdf").write_text(f"<robot name='r'>{CHAIN}</robot>")
    (tmp_path / "r.srdf").write_text(srdf)
    try:
        found = loaders.load(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf").diagnostics
    except loaders.LoadError as error:
        found = error.diagnostics
    assert [entry.code for entry in found] == [code]
