"""Constraints, force elements and filter groups read back with all their values."""

from __future__ import annotations

import numpy as np

from bridge.diff import differences
from bridge.targets.sdf.document import build
from loaders import model as m
from loaders.pose import Pose, frozen
from tests.support.scenes import UNIT_BOX, joint, link, scene
from tests.support.sdf_writer import read

P, Q = frozen((0.1, 0.2, 0.3)), frozen((-0.1, 0.0, 0.4))
ENDS = {"link_A": "a", "link_B": "b", "p_AP": P, "p_BQ": Q}


def test_all_kinds() -> None:
    k = frozen(np.array((1.0, 2.0, 3.0)))
    given = scene(
        [link("a", shape=UNIT_BOX), link("b", shape=UNIT_BOX)],
        [joint("j", "a", "b")],
        constraints=(
            m.BallConstraint(**ENDS),
            m.DistanceConstraint(**ENDS, distance=1.5),
            m.TendonConstraint(joints=("j",), coefficients=(2.0,), lower=-1.0, damping=3.0),
        ),
        forces=(
            m.SpringDamper(**ENDS, free_length=0.5, stiffness=7.0, damping=8.0),
            m.Bushing(
                link_A="a",
                X_LA=Pose.of(p=P),
                link_C="b",
                X_LC=Pose.of(p=Q),
                torque_stiffness=k,
                torque_damping=k,
                force_stiffness=k,
                force_damping=k,
            ),
        ),
        filter_groups=(
            m.FilterGroup(name="g", links=("a", "b")),
            m.FilterGroup(name="h", links=("b",)),
        ),
        filter_rules=(m.FilterRule(a="g", b="g"), m.FilterRule(a="g", b="h")),
    )
    found = read(given)
    assert differences(build(given, {}).form.scene, found) == ()
    assert len(found.constraints) == 3
    assert len(found.forces) == 2
    assert found.excluded_collision_pairs() == {frozenset({"a", "b"})}
