"""Random small models: what every writer lets touch, read by the rule of its format, is what the
source lets touch, or a finding names each pair that differs.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.targets.elements import touching_pairs
from loaders.collision_pairs import default_policy
from tests.support.mujoco_oracle import can_touch
from tests.support.seeds import seeds

Pairs = set[frozenset[str]]


def _mjcf(rng: np.random.Generator) -> str:
    """A tree of bodies on hinges, welds and free joints, with masks, excludes and a floor."""
    count = int(rng.integers(3, 6))
    parents = [int(rng.integers(-1, i)) for i in range(count)]

    def mask() -> str:
        a, b = rng.integers(0, 4, 2)
        return f'contype="{a}" conaffinity="{b}"' if rng.random() < 0.4 else ""

    def body(i: int) -> str:
        free = parents[i] < 0 and rng.random() < 0.5
        joint = '<joint axis="0 1 0"/>' if rng.random() < 0.75 else ""
        children = "".join(body(k) for k in range(count) if parents[k] == i)
        held = "<freejoint/>" if free else joint
        return f'<body name="b{i}">{held}<geom size=".1" {mask()}/>{children}</body>'

    bodies = "".join(body(i) for i in range(count) if parents[i] < 0)
    floor = '<geom type="plane" size="5 5 .1"/>' if rng.random() < 0.5 else ""
    excludes = "".join(
        f'<exclude body1="b{a}" body2="b{b}"/>'
        for a, b in itertools.combinations(range(count), 2)
        if rng.random() < 0.15
    )
    flag = '<option><flag filterparent="disable"/></option>' if rng.random() < 0.2 else ""
    world = f"<worldbody>{floor}{bodies}</worldbody>"
    return f"<mujoco>{flag}{world}<contact>{excludes}</contact></mujoco>"


def _sdf(rng: np.random.Generator) -> str:
    """A tree of links on hinges and welds, with <self_collide> of the model and of links, and
    bitmasks.
    """

    def link(i: int) -> str:
        own = f"<self_collide>{'true' if rng.random() < 0.5 else 'false'}</self_collide>"
        mask = f"<collide_bitmask>{rng.integers(0, 4)}</collide_bitmask>"
        surface = f"<surface><contact>{mask}</contact></surface>" if rng.random() < 0.3 else ""
        ball = "<geometry><sphere><radius>.1</radius></sphere></geometry>"
        return (
            f"<link name='b{i}'>{own if rng.random() < 0.3 else ''}"
            f"<collision name='c'>{ball}{surface}</collision></link>"
        )

    count = int(rng.integers(3, 6))
    joints = "".join(
        f"<joint name='j{i}' type='{rng.choice(['revolute', 'fixed'])}'>"
        f"<parent>b{rng.integers(0, i)}</parent><child>b{i}</child><axis><xyz>0 1 0</xyz></axis>"
        "</joint>"
        for i in range(1, count)
    )
    links = "".join(map(link, range(count)))
    return (
        "<sdf version='1.11'><model name='m'><self_collide>true</self_collide>"
        f"{links}{joints}</model></sdf>"
    )


def _urdf(rng: np.random.Generator) -> str:
    """A tree of links on hinges and welds, with filter groups of Drake."""
    count = int(rng.integers(4, 7))
    ball = "<collision><geometry><sphere radius='.1'/></geometry></collision>"
    links = "".join(f"<link name='b{i}'>{ball}</link>" for i in range(count))
    joints = "".join(
        f"<joint name='j{i}' type='{rng.choice(['continuous', 'fixed'])}'>"
        f"<parent link='b{rng.integers(0, i)}'/><child link='b{i}'/></joint>"
        for i in range(1, count)
    )
    groups = "".join(
        f"<drake:collision_filter_group name='g{k}'>"
        + "".join(f"<drake:member link='b{i}'/>" for i in rng.permutation(count)[:2])
        + f"<drake:ignored_collision_filter_group name='g{rng.integers(0, 2)}'/>"
        "</drake:collision_filter_group>"
        for k in range(2)
    )
    space = "xmlns:drake='http://drake.mit.edu'"
    return f"<robot name='m' {space}>{links}{joints}{groups}</robot>"


SOURCES: dict[str, Callable[[np.random.Generator], str]] = {
    "mjcf": _mjcf,
    "sdf": _sdf,
    "urdf": _urdf,
}


def _source(form: str, seed: int) -> loaders.Scene:
    text = SOURCES[form](np.random.default_rng(seed))
    scene = loaders.load_string(text, format=form, quiet=True)
    assert default_policy(scene) == {"mjcf": "mujoco", "sdf": "sdformat", "urdf": "drake"}[form]
    return scene


def _in_source(pairs: Collection[frozenset[str]]) -> Pairs:
    """The pairs by the names that the links have in the source."""
    names = {"world_link": "world", "ground": "world"}
    local = (frozenset(name.rpartition("::")[2] for name in pair) for pair in pairs)
    return {frozenset(names.get(name, name) for name in pair) for pair in local}


def _named(findings: Collection[loaders.Diagnostic], *codes: str) -> Pairs:
    """The pairs that findings name."""
    found = [entry for entry in findings if entry.code in codes]
    listed = {
        frozenset(text.split(" and "))
        for entry in found
        for text in entry.arguments.get("pairs", ())
    }
    return listed | {frozenset(e.subjects) for e in found if "pairs" not in e.arguments}


@pytest.mark.parametrize("form", ["mjcf", "sdf"])
@pytest.mark.parametrize("seed", seeds(12))
def test_gazebo_reads_the_pairs_of_the_source(form: str, seed: int) -> None:
    source = _source(form, seed)
    text = bridge.to_sdf(source, quiet=True)
    read = loaders.load_string(text, format="sdf", quiet=True)
    plain = dataclasses.replace(read, filter_groups=(), filter_rules=())
    found = _in_source(touching_pairs(plain, "sdformat"))
    differing = found ^ touching_pairs(source)
    assert differing == _named(text.diagnostics, "sdfout.pairs-together", "sdfout.pairs-apart")


@pytest.mark.parametrize("extensions", [("drake", "gazebo"), ("gazebo",)], ids=["drake", "plain"])
@pytest.mark.parametrize("form", SOURCES)
@pytest.mark.parametrize("seed", seeds(12))
def test_readers_of_a_urdf_find_the_pairs_of_the_source(
    form: str, seed: int, extensions: tuple[str, ...]
) -> None:
    source = _source(form, seed)
    try:
        text = bridge.to_urdf(source, quiet=True, extensions=extensions)
    except loaders.ExportError as error:
        assert "a URDF has one tree" in str(error)  # noqa: PT017
        return
    read = loaders.load_string(text, format="urdf", quiet=True)
    named = _named(
        text.diagnostics, "urdfout.joined-links", "urdfout.pairs-together", "urdfout.pairs-apart"
    )
    assert _in_source(touching_pairs(read)) ^ touching_pairs(source) == named


@pytest.mark.parametrize("form", SOURCES)
@pytest.mark.parametrize("seed", seeds(12))
def test_directives_have_the_pairs_of_the_source(form: str, seed: int, tmp_path: Path) -> None:
    source = _source(form, seed)
    done = bridge.export_directives(source, tmp_path / "out", quiet=True)
    read = loaders.load(done.path, quiet=True)
    found = _in_source(touching_pairs(read, "drake"))
    assert found ^ touching_pairs(source) == _named(done.diagnostics, "dmdout.joined-links")


@pytest.mark.parametrize("form", SOURCES)
@pytest.mark.parametrize("seed", seeds(12))
def test_mujoco_lets_the_pairs_of_the_source_touch(form: str, seed: int) -> None:
    source = _source(form, seed)
    group = bridge.lower(source).weld_group_of
    touching = can_touch(bridge.to_mjspec(source, quiet=True).compile())
    moving = {pair for pair in touching if len({group(name) for name in pair}) == 2}
    assert moving == touching_pairs(source)
