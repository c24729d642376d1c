"""The links that may collide by the rule of the source's format, read here from the same random
tree as its text, are the pairs that running PyBullet and compiled MuJoCo let touch.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from tests.support.mujoco_oracle import can_touch, compiled
from tests.support.scenes import touching
from tests.support.seeds import seeds

Pairs = set[frozenset[str]]
MASS = "<mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"


@dataclass(frozen=True)
class Tree:
    """A robot of balls in one place.

    Attributes:
        parents: Number of the parent of each link but the first.
        welds: Which links are welded to their parent; the first one to the world.
        excluded: Pairs that the file excludes by name.
        masks: Bits of each ball.
    """

    parents: tuple[int, ...]
    welds: tuple[bool, ...]
    excluded: tuple[tuple[int, int], ...]
    masks: tuple[int, ...]

    @classmethod
    def drawn(cls, seed: int) -> Tree:
        rng = np.random.default_rng(seed)
        count = int(rng.integers(4, 9))
        parents = (int(rng.integers(max(0, k - 3), k)) for k in range(1, count))
        pairs = list(itertools.combinations(range(count), 2))
        return cls(
            parents=tuple(parents),
            welds=tuple((rng.random(count) < 0.35).tolist()),
            excluded=tuple(pairs[k] for k in rng.choice(len(pairs), 3, replace=False)),
            masks=tuple(rng.integers(0, 8, count).tolist()),
        )

    @property
    def count(self) -> int:
        return len(self.welds)

    @property
    def joints(self) -> Iterator[tuple[int, int, bool]]:
        """Parent, child, and whether they are welded together."""
        for child, parent in enumerate(self.parents, start=1):
            yield parent, child, self.welds[child]

    @cached_property
    def group(self) -> list[int]:
        """The first of the links that each link is welded to."""
        group = list(range(self.count))
        for parent, child, is_weld in self.joints:
            if is_weld:
                group[child] = group[parent]
        return group

    def pairs(self, *excluded: Callable[[int, int], bool]) -> Pairs:
        """The pairs of links that no rule excludes."""
        return {
            frozenset((f"l{a}", f"l{b}"))
            for a, b in itertools.combinations(range(self.count), 2)
            if not any(rule(a, b) for rule in excluded)
        }

    # --- rules of pairs ---------------------------------------------------------------------------

    def is_welded(self, a: int, b: int) -> bool:
        return self.group[a] == self.group[b]

    def is_near(self, a: int, b: int) -> bool:
        """Whether a joint connects two links, or links that are welded to them."""
        groups = {self.group[a], self.group[b]}
        return any({self.group[p], self.group[c]} == groups for p, c, _ in self.joints)

    def is_jointed(self, a: int, b: int) -> bool:
        return any({p, c} == {a, b} for p, c, _ in self.joints)

    def is_named(self, a: int, b: int) -> bool:
        return (a, b) in self.excluded

    def is_masked(self, a: int, b: int) -> bool:
        return not self.masks[a] & self.masks[b]

    # --- texts ------------------------------------------------------------------------------------

    def urdf(self) -> str:
        links = "".join(
            f"<link name='l{k}'><inertial>{MASS}</inertial><collision><geometry><sphere radius='1'/>"
            "</geometry></collision></link>"
            for k in range(self.count)
        )
        joints = "".join(
            f"<joint name='j{c}' type='{'fixed' if is_weld else 'continuous'}'>"
            f"<parent link='l{p}'/><child link='l{c}'/><axis xyz='0 0 1'/></joint>"
            for p, c, is_weld in self.joints
        )
        world = "<link name='world'/><joint name='w' type='fixed'><parent link='world'/>"
        world = f"{world}<child link='l0'/></joint>" if self.welds[0] else ""
        return f"<robot name='r'>{world}{links}{joints}</robot>"

    def srdf(self) -> str:
        pairs = "".join(
            f"<disable_collisions link1='l{a}' link2='l{b}' reason='Never'/>"
            for a, b in self.excluded
        )
        return f"<robot name='r'>{pairs}</robot>"

    def sdf(self, *, groups: bool) -> str:
        masks = [
            ""
            if groups
            else f"<surface><contact><collide_bitmask>{mask}</collide_bitmask></contact></surface>"
            for mask in self.masks
        ]
        links = "".join(
            f"<link name='l{k}'><collision name='c'><geometry><sphere><radius>1</radius></sphere>"
            f"</geometry>{mask}</collision></link>"
            for k, mask in enumerate(masks)
        )
        joints = "".join(
            f"<joint name='j{c}' type='{'fixed' if is_weld else 'revolute'}'><parent>l{p}</parent>"
            f"<child>l{c}</child>{'' if is_weld else '<axis><xyz>0 0 1</xyz></axis>'}</joint>"
            for p, c, is_weld in self.joints
        )
        if self.welds[0]:
            joints += "<joint name='w' type='fixed'><parent>world</parent><child>l0</child></joint>"
        if groups:
            joints += "".join(
                f"<drake:collision_filter_group name='{name}'><drake:member>l{k}</drake:member>"
                f"<drake:ignored_collision_filter_group>{other}"
                "</drake:ignored_collision_filter_group></drake:collision_filter_group>"
                for n, (a, b) in enumerate(self.excluded)
                for name, k, other in ((f"a{n}", a, f"b{n}"), (f"b{n}", b, f"a{n}"))
            )
        return (
            "<sdf version='1.11' xmlns:drake='http://drake.mit.edu'><model name='r'>"
            f"<self_collide>true</self_collide>{links}{joints}</model></sdf>"
        )

    def mjcf(self) -> str:
        def body(k: int) -> str:
            children = "".join(body(c) for p, c, _ in self.joints if p == k)
            free = "<freejoint/>" if k == 0 else "<joint axis='0 0 1'/>"
            mask = f"contype='{self.masks[k]}' conaffinity='{self.masks[-1 - k]}'"
            own = f"{'' if self.welds[k] else free}<geom size='1' {mask}/>"
            return f"<body name='l{k}'>{own}{children}</body>"

        excludes = "".join(f"<exclude body1='l{a}' body2='l{b}'/>" for a, b in self.excluded)
        return f"<mujoco><worldbody>{body(0)}</worldbody><contact>{excludes}</contact></mujoco>"


def stated(tree: Tree, form: str) -> tuple[str, str, Pairs]:
    """The name and the text of a file, and the pairs that may collide by the rule of its format."""
    if form in ("urdf", "srdf"):
        named = () if form == "urdf" else (tree.is_named,)
        return "r.urdf", tree.urdf(), tree.pairs(tree.is_welded, tree.is_near, *named)
    if form == "bitmasks":
        return "r.sdf", tree.sdf(groups=False), tree.pairs(tree.is_jointed, tree.is_masked)
    if form == "groups":
        rules = (tree.is_jointed, tree.is_welded, tree.is_named)
        return "r.sdf", tree.sdf(groups=True), tree.pairs(*rules)
    text = tree.mjcf()
    return "r.xml", text, can_touch(mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize("form", ["urdf", "srdf", "bitmasks", "groups", "mjcf"])
@pytest.mark.parametrize("seed", seeds(6))
def test_the_links_that_may_collide_by_the_format_are_those_that_touch(
    bullet_client: int, tmp_path: Path, form: str, seed: int
) -> None:
    tree = Tree.drawn(seed)
    name, text, expected = stated(tree, form)
    (tmp_path / name).write_text(text)
    (tmp_path / "r.srdf").write_text(tree.srdf())
    options: dict[str, Any] = {"srdf": tmp_path / "r.srdf"} if form == "srdf" else {}
    scene = loaders.load(tmp_path / name, quiet=True, **options)
    kept: dict[str, Any] = {"overlaps": "keep", "quiet": True}
    loaded = bridge.load_into_pybullet(scene, physicsClientId=bullet_client, **kept)
    assert touching(loaded, bullet_client) == expected
    model = compiled(bridge.to_mjcf(scene, inertia="repair", **kept))
    assert can_touch(model) == expected & tree.pairs(tree.is_welded)  # MuJoCo takes them as one
