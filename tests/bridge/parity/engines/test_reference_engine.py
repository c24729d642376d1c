"""The reference integrates by the semi-implicit Euler method; all engines agree with closed forms
of free motion.
"""

from __future__ import annotations

import math

import pytest

import bridge
import loaders
from bridge.parity import Outcome, compare
from bridge.parity.engine import factory_of
from bridge.parity.reference import ReferenceEngine

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


INERTIA = (
    "<inertial><pose>.1 .2 -.3 0 0 "
    "0</pose><mass>2</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.5</izz></inertia></inertial>"
)


def test_the_reference_swings_a_pendulum_as_semi_implicit_euler_does() -> None:
    text = (
        f"<sdf version='1.11'><model name='m'><link name='a'>{INERTIA}</link><joint name='j' "
        f"type='revolute'>"
        "<parent>world</parent><child>a</child><axis><xyz>0 1 "
        "0</xyz><dynamics><damping>.3</damping></dynamics></axis>"
        "</joint></model></sdf>"
    )
    engine = ReferenceEngine(bridge.lower(loaders.load_string(text, format="sdf")))
    engine.set_step(1e-3)
    engine.set_state({"j": 0.4}, {"j": 0.2})
    engine.step(500)
    q, v, moment, arm, lean = 0.4, 0.2, 0.4 + 2.0 * (0.1**2 + 0.3**2), 0.0, 0.0
    for _ in range(500):
        arm = 0.1 * math.cos(q) - 0.3 * math.sin(q)  # of the weight about the axis
        lean = (2.0 * 9.8 * arm - 0.3 * v) / moment
        v += 1e-3 * lean
        q += 1e-3 * v
    assert engine.link_poses()["a"].R[0, 2] == pytest.approx(math.sin(q), abs=1e-12)


def test_a_body_without_forces_falls_and_keeps_its_spin() -> None:
    text = (
        f"<sdf version='1.11'><model name='m'><link "
        f"name='a'>{INERTIA.replace('.1 .2 -.3', '0 0 0')}</link></model></sdf>"
    )
    mechanism = bridge.lower(loaders.load_string(text, format="sdf"))
    for name in ("reference", "mujoco", "pybullet"):
        engine = factory_of(name)(mechanism)
        engine.set_step(1e-3)
        engine.set_state({}, {"a": (1.0, 0.0, 0.0, 0.0, 0.0, 2.0)})
        engine.step(1000)
        X_WA = engine.link_poses()["a"]
        engine.close()
        assert X_WA.p == pytest.approx((1.0, 0.0, -9.8 * 1e-6 * 1000 * 1001 / 2), abs=1e-9), name
        assert X_WA.R[:, 0] == pytest.approx((math.cos(2.0), math.sin(2.0), 0.0), abs=1e-9), name


def test_a_link_whose_mass_and_moments_lie_far_apart_moves_as_in_mujoco() -> None:
    """A kilogram with moments of 1e-9 kg m^2: if both are solved for together, the motion is 2e-9 m
    off.
    """
    moments = "<ixx>1e-9</ixx><iyy>1e-9</iyy><izz>1e-9</izz>"
    inertial = f"<inertial><mass>1</mass><inertia>{moments}</inertia></inertial>"
    text = f"<sdf version='1.11'><model name='m'><link name='a'>{inertial}</link></model></sdf>"
    found = compare(
        loaders.load_string(text, format="sdf"), ("mujoco",), levels=("L2",), configurations=1
    )
    (row,) = (row for row in found.rows if row.quantity == "motion without damping")
    assert row.outcome is Outcome.PASSED
