"""A massless link stands for the world at the end of a spring."""

from __future__ import annotations

import dataclasses

from loaders import model as m
from loaders.pose import IDENTITY
from tests.code_examples import scenes as s
from tests.support.urdf_writer import read


def test_a_spring_to_the_world() -> None:
    spring = m.SpringDamper(
        link_A=m.WORLD,
        link_B="a",
        p_AP=IDENTITY.p,
        p_BQ=IDENTITY.p,
        free_length=1.0,
        stiffness=1.0,
        damping=0.0,
    )
    found = read(dataclasses.replace(s.hinge(), forces=(spring,)))
    assert found.forces[0].link_A == "world_anchor"  # type: ignore[union-attr]
    assert [(j.parent, j.child) for j in found.joints if j.child == "world_anchor"] == [
        ("world", "world_anchor")
    ]
