"""The bounds of constraints follow from the load and grow with the square of the step."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.parity import Outcome
from bridge.parity.bounds.constraint import (
    MARGIN,
    _couplings_taken_for,
    screw_load,
    violation_bounds,
)
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from loaders import load_string
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Coupling, JointType
from loaders.pose import IDENTITY
from tests.support.running_faults import faulty_mujoco
from tests.support.scenes import joint, link, scene

ARM = dataclasses.replace(
    scene(
        [link("a"), link("b")],
        [joint("j", WORLD, "a", xyz=(0, 1, 0)), joint("k", "a", "b", xyz=(0, 1, 0))],
    ),
    couplings=(Coupling(follower="k", leader="j", multiplier=0.5),),
)
MUJOCO, PYBULLET = MujocoEngine.constraint_softness, PyBulletEngine.constraint_softness
STATE = ({"j": 0.7, "k": 0.35}, {"j": 1.0, "k": 0.5})


def test_the_bound_is_the_relative_acceleration_times_the_stretch_of_one_step() -> None:
    mechanism = bridge.lower(ARM)
    coarse, fine = (
        violation_bounds(mechanism, MUJOCO, [STATE], step)["k"] for step in (1e-2, 5e-3)
    )
    assert coarse == pytest.approx(4.0 * fine, rel=1e-6)
    assert 1e-9 < coarse < 1e-3


def test_pybullet_has_no_soft_constraint() -> None:
    mechanism = bridge.lower(ARM)
    bounds = [
        violation_bounds(mechanism, solver, [STATE], 1e-3)["k"] for solver in (MUJOCO, PYBULLET)
    ]
    assert bounds[0] < bounds[1] < 1e-2


def test_a_vertical_screw_under_gravity_takes_up_its_weight() -> None:
    """Without the screw the link falls at g and does not turn."""
    screw = joint("s", WORLD, "a", JointType.SCREW, xyz=(0, 0, 1))
    mechanism = bridge.lower(scene([link("a")], [dataclasses.replace(screw, pitch=0.02)]))
    loads = screw_load(mechanism, ({"s": 0.0}, {"s": 0.0}))
    assert loads["s"] > 9.0
    assert screw_load(bridge.lower(ARM), STATE) == {}


def test_the_mobility_that_mujoco_takes_for_a_coupling_is_that_of_its_joints() -> None:
    """MuJoCo's own number, ``diagApprox``, ignores the multiplier; it shows in the regularization
    of the constraint.
    """
    mujoco = pytest.importorskip("mujoco")
    mechanism = bridge.lower(ARM)
    (coupling,) = mechanism.couplings
    model = mujoco.MjModel.from_xml_string(str(bridge.to_mjcf(mechanism)))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mobility = np.linalg.inv(mechanism.mass_matrix())
    row = np.zeros(len(mobility))
    row[coupling.follower], row[coupling.leader] = 1.0, -coupling.multiplier
    stated = _couplings_taken_for(mechanism, mobility)[coupling.name]
    impedance = data.efc_KBIP[0, 2]
    taken = data.efc_R[0] * impedance / (1.0 - impedance)
    assert stated * (row @ mobility @ row) == pytest.approx(taken, rel=1e-6)
    assert abs(stated - 1.0) > 0.05


def test_a_state_with_a_singular_mass_matrix_adds_nothing() -> None:
    """So ends a motion that diverges; here a link without mass makes the matrix singular."""
    massless = dataclasses.replace(
        link("b"), inertia=SpatialInertia.in_frame(0.0, IDENTITY, np.zeros((3, 3)))
    )
    mechanism = bridge.lower(dataclasses.replace(ARM, links=(ARM.links[0], massless)))
    assert violation_bounds(mechanism, MUJOCO, [STATE], 1e-3) == {}


WELDED = """<mujoco><option timestep="0.001"/><worldbody><body name="a"><joint name="j" axis="0 1 0"/>
<geom type="box" size="0.2 0.1 0.05" pos="0.002 0 0" mass="1"/></body></worldbody>
<equality><weld name="w" body1="a" anchor="0 0 0" solref="0.02 1" solimp="0.9 0.9 0.001"/></equality></mujoco>"""
"""A body that hangs on a hinge and a weld with one origin, so that gravity can only turn it."""


def test_the_rotation_of_a_weld_is_that_of_mujoco_at_rest() -> None:
    """MuJoCo holds half of the angle, with the mean mobility of three axes, of which the hinge has
    one: 4/3.
    """
    mujoco = pytest.importorskip("mujoco")
    mechanism = bridge.lower(load_string(WELDED, format="mjcf", quiet=True))
    model = mujoco.MjModel.from_xml_string(WELDED)
    data = mujoco.MjData(model)
    for _ in range(2000):
        mujoco.mj_step(model, data)
    angle = abs(float(data.qpos[0]))
    (bound,) = violation_bounds(mechanism, MUJOCO, [({}, {})], 1e-3).values()
    assert angle > 1e-5
    assert bound / MARGIN == pytest.approx(angle, rel=1e-3)


@pytest.mark.slow
def test_a_weld_that_does_not_hold_the_rotation_is_a_difference() -> None:
    pytest.importorskip("pybullet")
    source = load_string(WELDED.replace("0.002 0 0", "0.2 0 0"), format="mjcf", quiet=True)

    def quantity(mujoco: Any) -> Outcome:
        rows = bridge.compare(source, engines=(mujoco, "pybullet"), quiet=True).rows
        return next(
            row.outcome
            for row in rows
            if row.quantity == "constraints in motion" and "mujoco" in row.engines
        )

    def turnable(model: Any) -> None:
        model.eq_data[:, 10] = 0.0  # torquescale

    assert quantity("mujoco") is Outcome.EXPLAINED
    assert quantity(faulty_mujoco(turnable)) is Outcome.FAILED
