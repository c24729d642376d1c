"""Minimal inputs for the codes of what DART does not represent."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bridge
from bridge.parity.engines.dart.engine import losses
from loaders import Diagnostic, Scene
from loaders import model as m
from tests.code_examples.scenes import ORIGIN, chain, hinge, one
from tests.support.code_example import Example
from tests.support.scenes import joint, link, scene

T = m.JointType


def in_dart(made: Scene, *subjects: str) -> Example:
    def diagnose(_folder: Path) -> Iterable[Diagnostic]:
        return losses(bridge.lower(made))

    return Example(diagnose, subjects)


def rough(mu: float) -> m.Surface:
    return m.Surface(friction=m.Friction(mu=mu, mu2=mu))


def coupled(follower: m.JointType) -> Scene:
    joints = [joint("j", m.WORLD, "a"), joint("k", m.WORLD, "b", follower)]
    return scene([link("a"), link("b")], joints, couplings=(m.Coupling(follower="k", leader="j"),))


ROD = m.DistanceConstraint(link_A="a", link_B="b", p_AP=ORIGIN, p_BQ=ORIGIN, distance=1.0)
BALL = m.Sphere(radius=1.0)
MESH = m.Collision(name="c", X_LG=link("a").X_WL, geometry=m.Mesh(uri="a.obj", path=None))
SPRING = m.SpringDamper(
    link_A="a", link_B="b", p_AP=ORIGIN, p_BQ=ORIGIN, free_length=1.0, stiffness=1.0, damping=0.0
)

FRICTIONS = scene(
    [
        link(
            name,
            collisions=(m.Collision(name="c", X_LG=link("a").X_WL, geometry=BALL, surface=mu),),
        )
        for name, mu in (("a", rough(0.5)), ("b", rough(1.0)))
    ],
    [],
    friction_rule="larger",
)

EXAMPLES = {
    "dart.constraint": in_dart(chain(T.REVOLUTE, constraints=(ROD,))),
    "dart.coupling": in_dart(coupled(T.UNIVERSAL), "k", "j"),
    "dart.one-way-coupling": in_dart(coupled(T.REVOLUTE), "k", "j"),
    "dart.force-element": in_dart(chain(T.REVOLUTE, forces=(SPRING,))),
    "dart.friction-rule": in_dart(FRICTIONS, "a", "b"),
    "dart.rotor-inertia": in_dart(hinge(inertia=0.1), "j"),
    "dart.shape": in_dart(one(collisions=(MESH,)), "a"),
}
