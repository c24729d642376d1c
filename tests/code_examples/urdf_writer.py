"""Minimal scenes for the codes of the export to URDF."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import bridge
from bridge.diagnostic_codes import CODES
from bridge.targets.report import read_back
from loaders import Diagnostic, Scene
from loaders import model as m
from loaders.pose import IDENTITY, Pose
from tests.code_examples import scenes as s
from tests.support.code_example import Example, findings
from tests.support.scenes import joint, link, scene

T = m.JointType
BESIDE = Pose.of(p=(0.1, 0.0, 0.0))


def writing(given: Scene, *subjects: str, **options: Any) -> Example:
    """A scene to write as URDF."""
    return Example(
        lambda _: findings(lambda: bridge.to_urdf(given, **options).diagnostics), subjects
    )


def loop(kind: T) -> Scene:
    """Links a, b and c in a loop."""
    joints = [joint("ab", "a", "b"), joint("ac", "a", "c"), joint("bc", "b", "c", kind)]
    return scene([link(name) for name in "abc"], joints)


def static() -> Scene:
    """A static model."""
    return scene(
        [link("a")], models=(m.Model(name="m", X_WM=IDENTITY, canonical_link="a", static=True),)
    )


def two_models() -> Scene:
    """A model nested in another."""
    models = tuple(
        m.Model(name=n, X_WM=IDENTITY, canonical_link=k)
        for n, k in (("m", "a"), ("m::n", "m::n::b"))
    )
    return scene(
        [link("a"), link("m::n::b", model="m::n")], [joint("j", "a", "m::n::b")], models=models
    )


def not_equal(_folder: Path) -> Iterable[Diagnostic]:
    """A scene, and files that say another one."""
    text = str(bridge.to_urdf(scene([link("a")])))
    return read_back(
        {"x.urdf": text.encode()}, "x.urdf", scene([link("b")]), CODES["urdfout.read-back"]
    )


ANCHORED = m.SpringDamper(
    link_A=m.WORLD,
    link_B="a",
    p_AP=IDENTITY.p,
    p_BQ=IDENTITY.p,
    free_length=1.0,
    stiffness=1.0,
    damping=0.0,
)
WELD = m.WeldConstraint(link_A="a", link_B="b", X_AP=IDENTITY, X_BQ=IDENTITY)
EXAMPLES = {
    "urdfout.actuator": writing(s.driven({"kind": T.BALL}), "motor"),
    "urdfout.actuator-property": writing(s.driven({"effort": 3.0}, effort=2.0), "motor", "j"),
    "urdfout.anchor": writing(dataclasses.replace(s.hinge(), forces=(ANCHORED,)), "world_anchor"),
    "urdfout.chain": writing(
        scene([link("a"), link("b")], [joint("j", "a", "b", T.REVOLUTE2)]), "j"
    ),
    "urdfout.constraint": writing(
        scene([link("a"), link("b")], [joint("j", "a", "b")], constraints=(WELD,)), "a", "b"
    ),
    "urdfout.coupling": writing(s.coupled("bc", "ab", T.REVOLUTE, T.BALL), "bc"),
    "urdfout.friction-rule": writing(s.of_two_frictions(), "a", "b"),
    "urdfout.joined-links": writing(s.touching_in_mujoco(), "arm", "base"),
    "urdfout.pairs-apart": writing(s.touching_in_mujoco(), "arm", "base", extensions=("gazebo",)),
    "urdfout.pairs-together": writing(s.kept_apart(), "a", "b", extensions=("gazebo",)),
    "urdfout.published-sensor": writing(s.measured(), "j"),
    "urdfout.field": writing(s.one(gravity=False), "a", extensions=("drake",)),
    "urdfout.fluid-force": writing(s.immersed(), "a"),
    "urdfout.frame-link": writing(
        scene([link("a"), link("b")], [joint("j", "a", "b", X_CJ=BESIDE)]), "b_origin"
    ),
    "urdfout.joint-property": writing(
        scene([link("a"), link("b")], [joint("j", "a", "b", T.CONTINUOUS, axis={"lower": -1.0})]),
        "j",
    ),
    "urdfout.gearbox": writing(s.geared(), "gears", "left", "right"),
    "urdfout.idle-gearbox": writing(s.geared(reference="left"), "gears"),
    "urdfout.joint-type": writing(
        scene([link("a"), link("b")], [joint("j", "a", "b", T.BALL)]), "j", extensions=("gazebo",)
    ),
    "urdfout.link-frame": writing(
        scene([link("a"), link("b")], [joint("j", "a", "b", X_CJ=BESIDE)]), "b"
    ),
    "urdfout.loop": writing(loop(T.REVOLUTE), "bc"),
    "urdfout.material": writing(s.seen(material=m.Material(texture="no.png")), "a"),
    "urdfout.merged-models": writing(two_models(), "m", "m::n"),
    "urdfout.missing-file": writing(s.seen(geometry=m.Mesh(uri="no.stl", path=None))),
    "urdfout.name": writing(two_models(), "m::n::b"),
    "urdfout.no-inertia": writing(
        scene([link("a"), link("b", inertia=None)], [joint("j", "a", "b")]), "b"
    ),
    "urdfout.read-back": Example(not_equal, ("a",)),
    "urdfout.reversed-joint": writing(
        scene([link("a")], [joint("j", "a", m.WORLD, T.REVOLUTE)]), "j"
    ),
    "urdfout.root-pose": writing(s.one(X_WL=BESIDE), "a"),
    "urdfout.rotor-inertia": writing(
        scene([link("a"), link("b")], [joint("j", "a", "b", axis={"inertia": 0.1})]), "j"
    ),
    "urdfout.several-roots": writing(scene([link("a"), link("b")]), "a", "b"),
    "urdfout.shape": writing(s.seen(geometry=m.Cone(radius=1.0, length=1.0)), "a"),
    "urdfout.static": writing(static(), "a"),
    "urdfout.surface": writing(s.rubbing(mu=1.0, mu2=0.5, mu_static=2.0), "a"),
}
