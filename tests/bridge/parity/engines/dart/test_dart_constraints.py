"""Couplings and loops hold in DART's motion."""

from __future__ import annotations

import pytest

import bridge
from bridge.parity.engines.dart.engine import DartEngine
from loaders.model import WORLD, Coupling, JointType
from loaders.pose import Pose
from tests.support.scenes import joint, link, scene

pytest.importorskip("dartpy")

LINKS = [link("a"), link("b")]
HINGES = [joint("j", WORLD, "a", xyz=(0, 1, 0)), joint("k", WORLD, "b", xyz=(0, 1, 0))]


@pytest.mark.parametrize("multiplier", [-0.5, 1.0, -1.5])
def test_a_joint_of_a_chain_follows_another(multiplier: float) -> None:
    coupling = Coupling(follower="k", leader="j", multiplier=multiplier, offset=0.1)
    chain = [HINGES[0], joint("k", "a", "b", xyz=(0, 1, 0))]
    dart = DartEngine(bridge.lower(scene(LINKS, chain, couplings=(coupling,))))
    assert dart.couplings() == {(("k", 0), ("j", 0)): pytest.approx((multiplier, 0.1))}
    violations = []
    for step in (1e-3, 2.5e-4):
        dart.set_step(step)
        dart.set_state({"j": 0.4, "k": 0.4 * multiplier + 0.1}, {})
        dart.step(round(0.3 / step))
        violations.append(dart.violations()["k"])
    assert violations[1] < 0.4 * violations[0] < 0.05
    dart.close()


@pytest.mark.parametrize("kind", [JointType.BALL, JointType.REVOLUTE, JointType.FIXED])
def test_a_loop_stays_closed(kind: JointType) -> None:
    closing = joint(
        "loop",
        "a",
        "b",
        kind,
        xyz=(0, 1, 0),
        X_PJ=Pose.of(p=(0.3, 0.0, 0.2)),
        X_CJ=Pose.of(p=(0.3, 0, 0.2)),
    )
    dart = DartEngine(bridge.lower(scene(LINKS, [*HINGES, closing])))
    dart.set_step(1e-3)
    dart.set_state({}, {})
    dart.step(300)
    assert max(dart.violations().values()) < 1e-4
    dart.close()
