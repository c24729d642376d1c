"""Real models become MJCF that compiles, moves and touches as the model does; a second export has
the same text.
"""

from __future__ import annotations

import os
from pathlib import Path

import mujoco
import numpy as np
import pytest

import loaders
from bridge import lower
from bridge.targets.mjcf import export_mjcf, to_mjcf
from tests.support.mjcf_scenes import leg, random_tree
from tests.support.mujoco_oracle import Running, can_touch, compiled, quietly
from tests.support.seeds import seeds, spread

# Real models, with their meshes: each becomes an MJCF that compiles, moves and touches as the model
# does.

CORPUS = Path(os.environ.get("SDFBRIDGE_CORPUS", Path(__file__).parents[5] / "shared" / "corpus"))
MODELS = sorted((CORPUS / "gazebo_models").glob("*/model.sdf"))
WITHOUT_SHAPES = {
    "mjcf.welded-contact",
    "mjcf.empty-shape",
    "mjcf.moving-plane",
    "mjcf.heightmap",
    "mjcf.no-shape",
}
"""Findings about shapes that have no geom to touch with."""
ABSENT = "sdf.include-not-found"
UNSTABLE = {"breakable_test"}
"""Models that MuJoCo cannot simulate: a hundred cubes that turn about their centers and touch each
other. MuJoCo takes their inverse mass in translation, which is zero, for the compliance of
contacts, and its solver fails.
"""


def loaded(path):
    try:
        return loaders.load(path, paths=[CORPUS / "gazebo_models"])
    except loaders.LoadError as error:
        if ABSENT not in {entry.code for entry in error.diagnostics}:
            raise
        pytest.skip("includes a model that is not in the corpus")


def drawn(mechanism, rng):
    """Random positions, free links in random poses."""
    q = {}
    for body in mechanism.bodies:
        kinds = [primitive.kind for primitive in body.primitives]
        if kinds:
            size = {"free": 7, "ball": 4}.get(kinds[0], len(body.reflected_inertia))
            q[body.joint] = rng.uniform(-1.0, 1.0, size)
    return q


@pytest.mark.skipif(not MODELS, reason="the corpus is not here")
@pytest.mark.filterwarnings("ignore:the matrix subclass")  # of pycollada's
@pytest.mark.parametrize("path", spread(MODELS, 4), ids=lambda path: path.parent.name)
def test_a_real_model_runs_in_mujoco_as_it_is(path):
    mechanism = lower(loaded(path))
    mjcf = to_mjcf(mechanism, actuators="motor")
    model = compiled(mjcf)
    running, rng = Running(model, mechanism), np.random.default_rng(0)
    for q in ({}, drawn(mechanism, rng)):
        expected = mechanism.link_poses(q)
        assert all(
            X_WL.is_close(expected[name], 1e-9) for name, X_WL in running.set(q).poses().items()
        )
        M = mechanism.mass_matrix(q)
        assert np.abs(running.mass_matrix() - M).max(initial=0.0) <= 1e-9 * np.abs(M).max(
            initial=0.0
        )
    if not WITHOUT_SHAPES & {entry.code for entry in mjcf.diagnostics}:
        assert can_touch(model) == mechanism.collidable_pairs()
    if path.parent.name not in UNSTABLE:
        quietly(lambda: shaken(model, rng))


def shaken(model, rng):
    """A tenth of a second under random controls."""
    data = mujoco.MjData(model)
    while data.time < 0.1:
        data.ctrl[:] = rng.uniform(-1.0, 1.0, model.nu)
        mujoco.mj_step(model, data)


# MJCF that was written is read and written again as the same text.

ASSETS = Path(__file__).parents[4] / "assets"
FEATURES = """
<mujoco model="features">
  <option timestep="0.002" cone="elliptic" density="1.2" magnetic="0 -0.5 0"/>
  <default><geom solref="0.01 1" friction="0.9 0.01 0.0001"/></default>
  <asset>
    <material name="red" rgba="0.8 0.1 0.1 1" specular="0.2"/>
    <material name="blue" rgba="0.1 0.1 0.8 1" shininess="0.3"/>
  </asset>
  <worldbody>
    <geom type="plane" size="0 0 1" material="blue"/>
    <geom name="post" type="box" size="0.1 0.1 0.5" pos="0 1 0.5" rgba="0.2 0.3 0.04966 1" contype="3"/>
    <site name="anchor" pos="0 0 2"/>
    <body name="slider" pos="0.1 0.2 1" euler="10 20 30">
      <joint name="slide" type="slide" axis="1 2 3" pos="0.3 0 0" range="-0.1 0.2" ref="0.05" solreflimit="0.01 0.9"/>
      <geom type="capsule" fromto="0 0 0 0.3 0.1 0.2" size="0.05" material="red"/>
      <site name="hook" pos="0.1 0 0" euler="30 0 10"/>
      <body name="arm" pos="0.3 0.1 0.2" quat="0.7 -0.1 0.2 0.3">
        <joint name="yaw" axis="1 0 1" pos="0 0.1 0" range="-1 1" frictionloss="0.1"/>
        <joint name="pitch" axis="0 1 0.5" damping="0.1"/>
        <geom type="ellipsoid" size="0.1 0.2 0.3" euler="40 50 60"/>
        <geom name="roller" type="cylinder" size="0.05 0.1" contype="0" conaffinity="0" group="4"/>
        <site name="tip" pos="0 0 0.3"/>
        <body name="hand" pos="0 0 0.3">
          <joint name="wrist" axis="0 0 1"/>
          <geom type="sphere" size="0.1" rgba="0.5 0.5 0.5 1"/>
        </body>
      </body>
    </body>
    <body name="ball" pos="0 0 3"><freejoint/><geom type="box" size="0.1 0.2 0.3" pos="0.01 0.02 0.03"/></body>
  </worldbody>
  <contact><exclude body1="slider" body2="hand"/><exclude body1="ball" body2="arm"/></contact>
  <tendon>
    <spatial name="cable" stiffness="10" springlength="0.5">
      <site site="anchor"/><geom geom="roller" sidesite="tip"/><site site="hook"/>
    </spatial>
    <fixed name="sum"><joint joint="yaw" coef="1"/><joint joint="wrist" coef="-2"/></fixed>
  </tendon>
  <equality>
    <joint joint1="wrist" joint2="yaw" polycoef="0.1 2 0 0 0" solref="0.01 1"/>
    <connect body1="hand" body2="slider" anchor="0 0 0.1"/>
    <joint joint1="pitch" polycoef="0.1 0 0 0 0"/>
  </equality>
  <actuator><position joint="wrist" kp="5"/><motor name="m" joint="yaw" gear="2"/></actuator>
  <sensor><jointpos joint="wrist"/><framequat name="q" objtype="site" objname="tip"/></sensor>
  <keyframe><key name="home" qpos="0.05 0.1 0.2 0.3 0 0 3 1 0 0 0"/><key qpos="0 0 0 0 1 0 3 0.6 0 0.8 0"/></keyframe>
</mujoco>
"""


def rewritten(first, folder):
    (folder / "first.xml").write_text(first)
    for name, data in first.assets.items():
        (folder / "assets").mkdir(exist_ok=True)
        (folder / "assets" / name).write_bytes(data)
    return to_mjcf(folder / "first.xml", quiet=True)


@pytest.mark.parametrize(
    "name", ["double_pendulum.urdf", "leg.sdf", "orthogonal_x.sdf", "arm/model.sdf"]
)
def test_a_model_of_another_format_is_the_same_text_again(name, tmp_path):
    first = to_mjcf(ASSETS / name, quiet=True)
    assert rewritten(first, tmp_path) == first


def test_every_element_of_mjcf_is_the_same_text_again(tmp_path):
    first = to_mjcf(loaders.load_string(FEATURES, format="mjcf"), quiet=True)
    assert rewritten(first, tmp_path) == first


@pytest.mark.parametrize("seed", seeds(12))
def test_a_random_tree_is_the_same_text_again(seed, tmp_path):
    first = to_mjcf(random_tree(seed), quiet=True)
    assert rewritten(first, tmp_path) == first


def test_a_loop_and_couplings_are_the_same_text_again(tmp_path):
    first = to_mjcf(leg(), quiet=True)
    assert rewritten(first, tmp_path) == first


def test_a_file_keeps_the_name_of_its_first_source(tmp_path):
    first = export_mjcf(ASSETS / "leg.sdf", tmp_path / "a" / "leg", quiet=True)
    second = export_mjcf(first.path, tmp_path / "b" / "leg", quiet=True)
    assert first.path.read_bytes() == second.path.read_bytes()
    assert b"from leg.sdf" in first.path.read_bytes()
