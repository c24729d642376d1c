"""Links that collide in MuJoCo collide by SDFormat's rule in the document, and no others."""

from __future__ import annotations

import dataclasses
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

import bridge
import loaders

BOX_ON_FLOOR = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="box" pos="0 0 .5"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="ball" pos="1 0 .3"><joint axis="0 1 0"/><geom size=".1"/></body>
  </worldbody>
</mujoco>
"""
WRIST = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="trunk" pos="0 0 1"><freejoint/><geom size=".1"/>
      <body name="upper"><joint axis="1 0 0"/><geom size=".1"/>
        <body name="lower"><joint axis="0 1 0"/><geom size=".1"/>
          <body name="hand"><geom size=".1"/>
            <body name="finger"><joint axis="0 0 1"/><geom size=".1"/></body>
          </body>
        </body>
      </body>
    </body>
    <body name="other" pos="0 0 1"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <contact><exclude body1="trunk" body2="hand"/></contact>
</mujoco>
"""
"""MuJoCo takes the hand, welded to the lower arm, as one with it: neither touches the upper arm or
the finger.
"""
FIXED_ARM = """
<mujoco>
  <worldbody>
    <body name="base"><geom size=".1"/>
      <body name="arm"><joint axis="0 1 0"/><geom size=".1"/></body>
    </body>
  </worldbody>
</mujoco>
"""
"""MuJoCo's filter of parents leaves out a parent that is fixed to the world."""
Pairs = set[frozenset[str]]


def _in_mujoco(text: str) -> Pairs:
    """The pairs of bodies with contacts, with all bodies at the height of the floor."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    data.geom_xpos[:] = 0.0
    mujoco.mj_collision(model, data)
    bodies = (model.geom_bodyid[list(pair)] for pair in data.contact.geom)
    return {frozenset(model.body(i).name for i in pair) for pair in bodies}


def _by_sdformat(text: str) -> Pairs:
    """The pairs that may touch by SDFormat's rule without Drake's groups, by the names in
    MuJoCo.
    """
    scene = loaders.load_string(text, format="sdf", quiet=True)
    scene = dataclasses.replace(scene, filter_groups=(), filter_rules=())
    collidable = bridge.lower(scene).collidable_pairs("sdformat")
    return {
        frozenset(name.rpartition("::")[2].replace("world_link", "world") for name in pair)
        for pair in collidable
    }


@pytest.mark.parametrize("world", ["auto", "never"])
@pytest.mark.parametrize("mjcf", [BOX_ON_FLOOR, WRIST], ids=["floor", "wrist"])
def test_the_pairs_that_collide_are_those_of_mujoco(mjcf: str, world: str) -> None:
    source = loaders.load_string(mjcf, format="mjcf", quiet=True)
    text = bridge.to_sdf(source, world=world, quiet=True)
    welded = {frozenset(("lower", "hand"))}
    named = {
        frozenset(pair.split(" and "))
        for entry in text.diagnostics
        if entry.code == "sdfout.pairs-together"
        for pair in entry.arguments["pairs"]
    }
    assert _by_sdformat(text) - welded == _in_mujoco(mjcf) | named
    assert len(named) <= 1
    assert not any(entry.code == "sdfout.pairs-apart" for entry in text.diagnostics)


def test_a_pair_that_sdformat_never_lets_touch_is_named() -> None:
    text = bridge.to_sdf(loaders.load_string(FIXED_ARM, format="mjcf", quiet=True), quiet=True)
    (entry,) = (entry for entry in text.diagnostics if entry.code == "sdfout.pairs-apart")
    assert set(entry.subjects) == {"base", "arm"}
    assert _in_mujoco(FIXED_ARM) == {frozenset(("base", "arm"))}
    assert not _by_sdformat(text)


def test_what_comes_back_in_mjcf_is_complete() -> None:
    source = loaders.load_string(WRIST, format="mjcf", quiet=True)
    found = loaders.load_string(bridge.to_sdf(source, quiet=True), format="sdf", quiet=True)
    mjcf = bridge.to_mjcf(found, quiet=True)
    assert not any(entry.code == "mjcf.contact-policy" for entry in mjcf.diagnostics)
    names = {
        frozenset(name.rpartition("::")[2].replace("world_link", "world") for name in pair)
        for pair in bridge.lower(found).collidable_pairs()
    }
    assert names == {*_in_mujoco(WRIST)}


@pytest.mark.parametrize("rule", ["none", "neighbors", "drake"])
def test_a_source_without_mujoco_s_rule_states_what_it_stated(rule: str) -> None:
    group = "<drake:collision_filter_group name='g'><drake:member link='a'/></drake:collision_filter_group>"
    urdf = f"""<robot name="r" xmlns:drake="http://drake.mit.edu">{group if rule == "drake" else ""}
    <link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link>
    <link name="b"><collision><geometry><sphere radius="1"/></geometry></collision></link>
    <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""
    scene = loaders.load_string(urdf, format="urdf", quiet=True)
    assert "self_collide" not in bridge.to_sdf(scene, quiet=True)


def _height_in_dart(text: str) -> float:
    """The height of the box of `BOX_ON_FLOOR` after a second in DART, whose skeleton of a model
    checks its own links where the model self-collides, as Gazebo builds it.
    """
    dart = pytest.importorskip("dartpy")
    model = ElementTree.fromstring(text).find("world/model")
    assert model is not None
    skeleton = dart.dynamics.Skeleton(str(model.get("name")))
    bodies = {}
    for link in model.iterfind("link"):
        kind = dart.dynamics.FreeJoint
        if link.get("name") != "box":
            kind = dart.dynamics.WeldJoint
        joint, body = getattr(skeleton, f"create{kind.__name__}AndBodyNodePair")(None)
        z = float((link.findtext("pose") or "0 0 0").split()[2])
        size, p = ((0.2, 0.2, 0.2), z) if link.get("name") == "box" else ((9.0, 9.0, 0.1), -0.05)
        if link.get("name") == "ball":
            size, p = (0.1, 0.1, 0.1), 3.0
        node = body.createShapeNode(dart.dynamics.BoxShape(np.array(size)))
        node.createCollisionAspect()
        node.createDynamicsAspect()
        joint.setTransformFromParentBodyNode(dart.math.Isometry3(np.eye(3), np.array((0, 0, p))))
        bodies[link.get("name")] = body
    if model.findtext("self_collide") == "true":
        skeleton.enableSelfCollisionCheck()
    world = dart.simulation.World()
    world.addSkeleton(skeleton)
    for _ in range(1000):
        world.step()
    return float(bodies["box"].getWorldTransform().translation()[2])


def test_the_box_stands_on_the_floor_in_dart() -> None:
    source = loaders.load_string(BOX_ON_FLOOR, format="mjcf", quiet=True)
    text = bridge.to_sdf(source, quiet=True)
    assert _height_in_dart(text) == pytest.approx(0.1, abs=2e-3)
    assert _height_in_dart(text.replace("<self_collide>true</self_collide>", "")) < -1.0
