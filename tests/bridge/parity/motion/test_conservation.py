"""Energy, momentum and tumbling: kept to first order of the step in both simulators, unless a fault
is planted.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Level, Outcome, Verdict, compare
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.motion.conservation import SPIN, _asymmetry, _spinning_state
from loaders.inertia import SpatialInertia
from loaders.model import Link
from loaders.pose import IDENTITY

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
ASSETS = Path(__file__).parents[4] / "assets"
FLOATING = """<sdf version="1.9"><model name="m"><link name="hull"><inertial><pose>.1 .2 0 0 0 0</pose><mass>2</mass>
<inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.25</izz></inertia></inertial></link>
<link name="arm"><pose>.5 0 0 0 0 0</pose><inertial>
<pose>.2 0 .1 0 0 0</pose><mass>1</mass><inertia><ixx>.02</ixx><iyy>.03</iyy><izz>.04</izz></inertia></inertial></link>
<joint name="elbow" type="revolute"><parent>hull</parent><child>arm</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""


def rows(source: Any, *engines: Any) -> dict[tuple[str, str], Any]:
    found = compare(source, engines or ("mujoco", "pybullet"), levels=("L3",))
    return {(row.quantity, row.engines[1]): row for row in found.rows}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["arm/model.sdf", "double_pendulum.urdf", "orthogonal_x.sdf", "leg.sdf"]
)
def test_energy_and_a_tumbling_body_are_kept_to_first_order_in_both(name: str) -> None:
    found = compare(ASSETS / name, levels=("L3",))
    assert found.agreement is Verdict.EQUIVALENT
    judged = [row for row in found.rows if row.outcome is Outcome.PASSED]
    assert {row.engines[1] for row in judged} == {"mujoco", "pybullet"}
    assert {row.level for row in judged} == {Level.INVARIANTS}
    assert all(
        row.order == pytest.approx(1.0, abs=0.1) for row in judged if row.convergence[0][1] > 1e-9
    )


def test_what_floats_keeps_its_momentum_as_the_step_shrinks() -> None:
    found = rows(loaders.load_string(FLOATING, format="sdf"))
    drifts = (
        "energy drift",
        "kinetic energy drift",
        "linear momentum drift",
        "angular momentum drift",
    )
    for quantity in (*drifts, "torque-free tumbling"):
        for engine in ("mujoco", "pybullet"):
            assert found[quantity, engine].outcome is Outcome.PASSED, (quantity, engine)
    assert all("in 1 s" in found[drift, "mujoco"].cause for drift in drifts)


class Heavier(MujocoEngine):
    """One link weighs a tenth more than the model says."""

    name = "heavier"

    def __init__(self, mechanism: Any) -> None:
        super().__init__(mechanism)
        self.model.body_mass[-1] *= 1.1
        self._mujoco.mj_setConst(self.model, self._data)


class Damped(MujocoEngine):
    """Every joint is damped, which the model is not."""

    name = "damped"

    def __init__(self, mechanism: Any) -> None:
        super().__init__(mechanism)
        self.model.dof_damping[:] = 0.05


@pytest.mark.parametrize("engine", [Heavier, Damped])
def test_a_drift_that_does_not_shrink_with_the_step_is_a_difference(
    engine: type[MujocoEngine],
) -> None:
    row = rows(ASSETS / "double_pendulum.urdf", engine)["energy drift", engine.name]
    assert row.outcome is Outcome.FAILED
    assert row.error > row.tolerance


@pytest.mark.slow
@pytest.mark.parametrize("damping", [5e-4, 1e-3, 2e-3, 5e-3, 2e-2])
def test_a_small_loss_that_falling_hides_shows_without_gravity(damping: float) -> None:
    """From a hundredth of the elbow's speed in a second, whether the loss adds to the drift or
    takes from it.
    """

    class HardlyDamped(MujocoEngine):
        name = "hardly damped"

        def __init__(self, mechanism: Any) -> None:
            super().__init__(mechanism)
            self.model.dof_damping[self.model.jnt_dofadr[self.model.jnt_type == 3]] = damping

    found = rows(loaders.load_string(FLOATING, format="sdf"), HardlyDamped)
    assert found["energy drift", "hardly damped"].outcome is Outcome.PASSED
    assert found["kinetic energy drift", "hardly damped"].outcome is Outcome.FAILED


def test_a_rod_without_a_moment_about_its_axis_is_not_tumbled() -> None:
    rod = FLOATING.replace("<ixx>.1</ixx>", "<ixx>1e-9</ixx>").replace(
        "<izz>.25</izz>", "<izz>.2</izz>"
    )
    row = rows(loaders.load_string(rod, format="sdf"), "mujoco")["torque-free tumbling", "mujoco"]
    assert (row.outcome, row.where) == (Outcome.PASSED, "arm")


def test_what_has_no_energy_here_is_named() -> None:
    scene = loaders.load(ASSETS / "double_pendulum.urdf")
    joints = tuple(joint for joint in scene.joints if joint.axes)
    coupled = dataclasses.replace(
        scene, couplings=(loaders.model.Coupling(follower=joints[1].name, leader=joints[0].name),)
    )
    row = rows(coupled)["energy with constraints", "mujoco"]
    assert (row.outcome, row.where) == (Outcome.UNKNOWN, joints[1].name)


@pytest.mark.slow
def test_invariants_are_looked_at_where_they_are_asked_for_and_the_command_repeats_them() -> None:
    plain = bridge.compare(ASSETS / "double_pendulum.urdf", configurations=2)
    assert {row.level for row in plain.rows} == {"L0", "L1", "L2"}
    deep = bridge.compare(ASSETS / "double_pendulum.urdf", levels=("L3",))
    assert "--level L3" in deep.command
    assert np.isfinite([row.error for row in deep.rows]).all()


SKEWED = SpatialInertia.of(2.0, (0.3, -0.1, 0.2), np.diag((3.0, 1.0, 2.5)))


def test_a_tumbling_body_starts_about_its_middle_axis_with_its_center_of_mass_at_rest() -> None:
    q, v = _spinning_state("a", SKEWED)
    velocity, w = np.array(v["a"][:3]), np.array(v["a"][3:])
    np.testing.assert_allclose(velocity + np.cross(w, SKEWED.p_LLcm), 0.0, atol=1e-15)
    np.testing.assert_allclose(
        np.abs(w), (SPIN[2], SPIN[0], SPIN[1])
    )  # the moments are greatest, least, middle
    assert q["a"] == (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def test_the_link_with_the_most_distinct_moments_tumbles() -> None:
    """Mass times one minus the ratio of the least to the greatest moment."""
    link = Link(name="a", model="m", X_WL=IDENTITY, inertia=SKEWED)
    assert _asymmetry(link) == pytest.approx(2.0 * (1.0 - 1.0 / 3.0))
    assert (
        _asymmetry(dataclasses.replace(link, inertia=SpatialInertia.of(2.0, I_Lcm=np.eye(3))))
        == 0.0
    )
