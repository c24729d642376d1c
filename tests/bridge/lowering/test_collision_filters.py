"""The pairs of links that touch in the running engines are those that the policy lets touch.

Every shape of a scene becomes a ball that reaches all others, so that an engine reports all pairs
that nothing forbids. Pairs that are welded together are left out in MuJoCo: it never lets them
touch, and they could not move if they did.
"""

import dataclasses
import json
import os
import random
from pathlib import Path

import mujoco
import numpy as np
import pybullet
import pybullet_data
import pytest

import loaders
from bridge import load_into_pybullet, lower, to_mjcf, to_mjspec
from bridge.lowering.lower import ignored_by_policy, pairs_of_rules
from bridge.targets.mjcf.collision_filter import filters
from loaders.collision_pairs import has_bitmasks
from loaders.model import (
    WORLD,
    Collision,
    FilterGroup,
    FilterRule,
    JointType,
    Model,
    Sphere,
    Surface,
)
from loaders.pose import IDENTITY
from tests.support.mujoco_oracle import can_touch, compiled
from tests.support.scenes import UNIT_BOX, joint, link, scene, touching
from tests.support.seeds import few, seeds

CORPUS = Path(os.environ.get("SDFBRIDGE_CORPUS", Path(__file__).parents[4] / "shared" / "corpus"))
POLICIES = ("drake", "sdformat")
EVERYWHERE = Sphere(radius=1e4)
MOST = 40
"""Links with collisions of a model that is looked at."""
COUNT = 24
"""Models that are drawn from each corpus."""


# --- what is asked --------------------------------------------------------------------------------


def as_balls(source):
    """The scene with one ball for each pair of bitmasks of a link, and nothing to see."""
    return dataclasses.replace(source, links=tuple(_as_balls(item) for item in source.links))


def _as_balls(item):
    masks = {(c.surface.collide_bitmask, c.surface.category_bitmask): c for c in item.collisions}
    balls = tuple(
        dataclasses.replace(
            c,
            X_LG=IDENTITY,
            geometry=EVERYWHERE,
            surface=Surface(collide_bitmask=a, category_bitmask=b),
        )
        for (a, b), c in masks.items()
    )
    return dataclasses.replace(item, collisions=balls, visuals=(), sensors=())


def movable(mechanism, pairs):
    """Those pairs of which one link can move against the other."""
    return {pair for pair in pairs if len({mechanism.weld_group_of(name) for name in pair}) == 2}


def in_mujoco(mechanism, policy):
    return can_touch(compiled(to_mjcf(mechanism, policy=policy, inertia="repair")))


def in_pybullet(mechanism, policy, client):
    pybullet.resetSimulation(physicsClientId=client)
    return touching(load_into_pybullet(mechanism, physicsClientId=client, policy=policy), client)


def assert_as_the_policy_says(source, client):
    mechanism = lower(as_balls(source))
    for policy in POLICIES:
        allowed = mechanism.collidable_pairs(policy)
        assert in_mujoco(mechanism, policy) == movable(mechanism, allowed)
        assert in_pybullet(mechanism, policy, client) == allowed


# --- drawn at random ------------------------------------------------------------------------------


def masked(rng):
    """A collision, sometimes with bitmasks."""
    a, b = (int(rng.choice((0xFFFF, 0x0, 0x1, 0x3, 0x80000000))) for _ in range(2))
    surface = Surface(collide_bitmask=a, category_bitmask=b) if rng.random() < 0.2 else Surface()
    return Collision(name="c", X_LG=IDENTITY, geometry=UNIT_BOX, surface=surface)


def world(seed, count, *, aloof=False):
    """Models in a world, one of them static, with joints, some to the world, and filter groups.

    ``aloof`` models do not touch themselves and have no bitmasks.
    """
    rng = np.random.default_rng(seed)
    has_masks = not aloof and bool(rng.integers(2))
    models, links, joints = [], [], []
    for name in "abc":
        willing = not aloof and rng.random() < 0.5
        models.append(
            Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::l0", self_collide=willing)
        )
        for i in range(int(rng.integers(2, count))):
            shapes = [masked(rng) for _ in range(int(rng.integers(3)))] if has_masks else None
            more = {} if shapes is None else {"collisions": tuple(shapes)}
            links.append(link(f"{name}::l{i}", model=name, shape=UNIT_BOX, **more))
            parent = f"{name}::l{rng.integers(i)}" if i else WORLD
            kind = JointType.FIXED if rng.random() < 0.3 else JointType.REVOLUTE
            if rng.random() < (0.8 if i else 0.4):
                joints.append(joint(f"{name}::j{i}", parent, f"{name}::l{i}", kind))
    models.append(Model(name="s", X_WM=IDENTITY, canonical_link="s::l0", static=True))
    links += [link(f"s::l{i}", model="s", shape=UNIT_BOX) for i in range(2)]
    names = [item.name for item in links]
    groups = tuple(
        FilterGroup(name=k, links=tuple(rng.choice(names, 3, replace=False).tolist())) for k in "gh"
    )
    rules = (FilterRule(a="g", b="h"), FilterRule(a="h", b="h"))
    return scene(links, joints, models=tuple(models), filter_groups=groups, filter_rules=rules)


@pytest.mark.parametrize("seed", seeds(20))
def test_worlds_of_several_models_touch_in_both_engines_as_their_policy_says(seed, bullet_client):
    assert_as_the_policy_says(world(seed, 6), bullet_client)


@pytest.mark.parametrize("seed", range(4))
def test_so_do_worlds_of_many_links_that_masks_describe(seed, bullet_client):
    source = world(seed, 24, aloof=True)
    assert filters(lower(source), "sdformat").masks is not None
    assert_as_the_policy_says(source, bullet_client)


def test_who_names_no_policy_gets_that_of_drake_everywhere(bullet_client):
    mechanism = lower(as_balls(world(0, 6, aloof=True)))
    allowed = mechanism.collidable_pairs("drake")
    assert allowed != mechanism.collidable_pairs("sdformat")
    assert mechanism.collidable_pairs() == allowed
    assert can_touch(compiled(to_mjcf(mechanism))) == movable(mechanism, allowed)
    assert can_touch(to_mjspec(mechanism).compile()) == movable(mechanism, allowed)
    assert (
        touching(load_into_pybullet(mechanism, physicsClientId=bullet_client), bullet_client)
        == allowed
    )


def robot(count):
    """Links that never touch each other under SDFormat's rule."""
    return scene([link(f"l{i}", shape=EVERYWHERE) for i in range(count)])


def test_a_robot_that_masks_keep_from_itself_touches_what_is_added():
    spec = to_mjspec(robot(12), policy="sdformat")
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(1.0, 0, 0))
    model = spec.compile()
    assert set(zip(model.geom_contype.tolist(), model.geom_conaffinity.tolist(), strict=True)) == {
        (1, 0),
        (1, 1),
    }
    assert can_touch(model) == {frozenset(("world", f"l{i}")) for i in range(12)}


def test_robots_that_are_loaded_one_after_another_touch_each_other_and_not_themselves(
    bullet_client,
):
    bodies = [
        load_into_pybullet(robot(12), physicsClientId=bullet_client, policy="sdformat")
        for _ in range(2)
    ]
    first, second = ({int(body) for body in loaded} for loaded in bodies)
    pybullet.performCollisionDetection(bullet_client)
    contacts = {frozenset(c[1:3]) for c in pybullet.getContactPoints(physicsClientId=bullet_client)}
    assert contacts == {frozenset((a, b)) for a in first for b in second}


# --- models of the corpora ------------------------------------------------------------------------


def of_drake():
    """Files and the folders that they need; some stand in the package ``pybullet_data``, beside
    their meshes.
    """
    folder, installed = CORPUS / "drake", Path(pybullet_data.getDataPath())
    entries = json.loads((folder / "manifest.json").read_text())["entries"]
    return [
        (installed.parent / e["pip_path"] if e["pip_path"] else folder / e["input"], (installed,))
        for e in entries
    ]


def of_libsdformat():
    folder = CORPUS / "libsdformat" / "inputs"
    entries = json.loads((CORPUS / "libsdformat" / "manifest.json").read_text())["shared"]
    found = {e["source"]: tuple(folder / path for path in e["paths"]) for e in entries if e["ok"]}
    return [(folder / name, paths) for name, paths in found.items()]


def of_gazebo():
    folder = CORPUS / "gazebo_models"
    return [(path, (folder,)) for path in sorted(folder.glob("*/model.sdf"))]


def colliding(source):
    """Return the number of links with collisions."""
    return sum(bool(item.collisions) for item in source.links)


def sample(files, count, seed):
    """The first that load and have pairs, in an order drawn at random."""
    found = []
    for path, paths in random.Random(seed).sample(files, len(files)):
        if len(found) == count:
            break
        try:
            source = loaders.load(path, paths=paths)
        except loaders.LoadError:
            continue
        if 2 <= colliding(source) <= MOST:
            found.append(source)
    return found


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("files", few([of_libsdformat, of_drake, of_gazebo], 1))
def test_models_of_the_corpora_touch_in_both_engines_as_their_policy_says(files, bullet_client):
    found = sample(files(), COUNT, seed=0)
    assert len(found) == COUNT
    for source in found:
        assert_as_the_policy_says(source, bullet_client)


# --- what a policy ignores ------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["drake", "pybullet"])
def test_bitmasks_and_self_collision_are_ignored_by_other_policies(policy):
    masked = Collision(
        name="c", X_LG=IDENTITY, geometry=UNIT_BOX, surface=Surface(collide_bitmask=2)
    )
    source = scene([link("a", collisions=(masked,), self_collide=True), link("b", shape=UNIT_BOX)])
    assert has_bitmasks(source)
    assert ignored_by_policy(source, policy) == {
        "collide_bitmask": ("a::c",),
        "self_collide": ("a",),
    }
    assert ignored_by_policy(source, "mujoco") == {"self_collide": ("a",)}
    assert ignored_by_policy(source, "sdformat") == {}
    assert ignored_by_policy(scene([link("a", shape=UNIT_BOX)]), policy) == {}


def test_the_pairs_of_rules_are_the_excludes_of_mjcf() -> None:
    bodies = "".join(f"<body name='{name}'><joint/><geom size='1'/></body>" for name in "abc")
    text = (
        f"<mujoco><worldbody><geom size='1'/>{bodies}</worldbody><contact><exclude body1='c' "
        f"body2='a'/>"
        "<exclude body1='world' body2='b'/></contact></mujoco>"
    )
    mechanism = lower(loaders.load_string(text, format="mjcf", quiet=True))
    names = [
        tuple(mechanism.bodies[i].name if i >= 0 else "" for i in pair)
        for pair in pairs_of_rules(mechanism)
    ]
    assert {frozenset(pair) for pair in names} == {frozenset(("a", "c")), frozenset(("", "b"))}


@pytest.mark.parametrize(("limits", "touch"), [((-1, 1), False), ((1.2, 2), True)])
def test_links_that_overlap_at_home_only_are_left_out(
    limits: tuple[float, float], touch: bool
) -> None:
    """Zero is beyond the limits, so that home is not zero; the file states no pairs."""
    bar = (
        "<link name='{0}'><collision><origin xyz='.3 0 0'/><geometry><box size='.4 .1 .1'/>"
        "</geometry></collision></link>"
    )
    post = "<link name='post'><collision><geometry><box size='.1 .1 .1'/></geometry></collision></link>"
    text = (
        f"<robot name='r'><link name='base'/>{bar.format('arm')}{post}"
        "<joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>"
        f"<limit lower='{limits[0]}' upper='{limits[1]}' effort='1' velocity='1'/></joint>"
        "<joint name='k' type='continuous'><parent link='base'/><child link='post'/>"
        "<origin xyz='.1 .25 0'/><axis xyz='0 0 1'/></joint></robot>"
    )
    mechanism = lower(loaders.load_string(text, format="urdf", quiet=True))
    home = mechanism.overlaps_at(mechanism.home_positions())
    assert bool(home) is touch
    assert not mechanism.overlaps_at({})
    found = {frozenset((e.link_A, e.link_B)) for e in mechanism.assumed_exclusions}
    assert found == {frozenset((e.link_A, e.link_B)) for e in home}
