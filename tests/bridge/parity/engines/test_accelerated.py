"""MJX and MuJoCo Warp compute what MuJoCo computes, within bounds of their numbers."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, compare
from bridge.parity.engine import Engine, factory_of
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states

ASSETS = Path(__file__).parents[4] / "assets"
ARM = ASSETS / "double_pendulum.urdf"
needs_mjx = pytest.mark.skipif(find_spec("jax") is None, reason="jax is not installed")
needs_warp = pytest.mark.skipif(find_spec("mujoco_warp") is None, reason="warp is not installed")
TREE = """<robot name="r"><link name="a">{i}</link><link name="b">{i}</link><link name="c">{i}</link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz=".1 .2 .3" rpy=".4 .5 .6"/>
<axis xyz="0 .6 .8"/><limit lower="-1" upper="2" effort="3" velocity="4"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><origin xyz=".3 0 -.2" rpy=".1 .2 .3"/>
<axis xyz="1 0 0"/><limit lower="-1" upper="2" effort="3" velocity="4"/></joint></robot>""".replace(
    "{i}",
    '<inertial><origin xyz=".1 .05 -.2" rpy=".3 .2 .1"/><mass value="2"/>'
    '<inertia ixx=".3" iyy=".4" izz=".5" ixy=".05" ixz="0" iyz="0"/></inertial>',
)
"""A free body with a hinge and a slide."""


def readings(engine: Engine) -> list[np.ndarray]:
    """The numbers of an engine in its state, in one order."""
    poses = [X.p for X in engine.link_poses().values()]
    return [*poses, *engine.jacobians().values(), engine.mass_matrix(), engine.bias_forces()]


@pytest.mark.slow
@needs_mjx
def test_mjx_computes_a_free_tree_as_the_reference_does(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(TREE)
    mechanism = bridge.lower(loaders.load(tmp_path / "r.urdf"))
    engine, reference = factory_of("mjx")(mechanism), ReferenceEngine(mechanism)
    states = random_states(mechanism, 4, 1)
    engine.prepare(states)
    for q, v in states:
        engine.set_state(q, v)
        reference.set_state(q, v)
        for one, two in zip(readings(engine), readings(reference), strict=True):
            np.testing.assert_allclose(one, two, atol=1e-12)
    # a number that the device holds otherwise shows
    mass = np.asarray(engine._device_model.body_mass) * 1.01
    engine._device_model = engine._device_model.replace(body_mass=mass)
    engine._batch, engine._current = {}, None
    engine.set_state(*states[0])
    reference.set_state(*states[0])
    np.testing.assert_allclose(engine.mass_matrix()[0, 0], 1.01 * reference.mass_matrix()[0, 0])


@needs_mjx
def test_jax_keeps_its_defaults() -> None:
    import jax

    before = jax.numpy.zeros(1).dtype
    factory_of("mjx")(bridge.lower(loaders.load(ARM)))
    assert jax.numpy.zeros(1).dtype == before == np.float32


def test_an_import_imports_neither_jax_nor_warp() -> None:
    code = (
        "import sys, bridge, sdfbridge, bridge.parity.engine, bridge.parity.comparison;"
        "print(*{'jax', 'warp', 'newton', 'mujoco_warp'} & {*sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


@pytest.mark.slow
@needs_mjx
def test_mjx_moves_as_the_reference_does() -> None:
    result = compare(ARM, engines=("mjx",), levels=("L0", "L1", "L2"))
    judged = [row for row in result.rows if row.outcome is not Outcome.UNKNOWN]
    assert {row.outcome for row in judged} == {Outcome.PASSED}
    assert {"mass matrix", "one step", "motion without damping"} <= {row.quantity for row in judged}
    assert any(gap.quantity == "motion with constraints" for gap in result.gaps)


@pytest.mark.slow
@needs_warp
def test_warp_differs_by_less_than_rounding_explains(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(TREE)
    result = compare(tmp_path / "r.urdf", engines=("warp",), configurations=200)
    outcomes = {row.quantity: row for row in result.rows}
    assert not result.failures
    for name in ("link poses", "mass matrix", "bias forces", "one step"):
        assert outcomes[name].code == "parity.single-precision", name
        assert outcomes[name].error < 1e-4


@pytest.mark.slow
@needs_warp
def test_a_wrong_number_in_warp_is_more_than_rounding_explains(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(TREE)

    class Heavier(factory_of("warp")):
        name = "heavier"

        def _put(self):
            self.model.body_mass[:] *= 1.05
            return super()._put()

    result = compare(tmp_path / "r.urdf", engines=(Heavier,), levels=("L0", "L1"), configurations=4)
    assert {"mass", "mass matrix", "bias forces"} <= {row.quantity for row in result.failures}


@pytest.mark.slow
@needs_warp
def test_warp_keeps_the_level_of_its_log() -> None:
    import warp

    before = warp.config.log_level
    factory_of("warp")(bridge.lower(loaders.load(ARM)))
    assert warp.config.log_level == before
