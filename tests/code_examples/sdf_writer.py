"""Minimal scenes for the codes of the export to SDFormat."""

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
from tests.support.scenes import UNIT_BOX, joint, link, scene

T = m.JointType


def writing(given: Scene, *subjects: str, **options: Any) -> Example:
    """A scene to write as SDFormat."""
    return Example(
        lambda _: findings(lambda: bridge.to_sdf(given, **options).diagnostics), subjects
    )


def two_models(**more: Any) -> Scene:
    """Links a and b in two models of a world."""
    links = [link("m::a", model="m", shape=UNIT_BOX), link("n::b", model="n", shape=UNIT_BOX)]
    models = tuple(
        m.Model(name=n, X_WM=IDENTITY, canonical_link=k) for n, k in (("m", "m::a"), ("n", "n::b"))
    )
    return scene(links, models=models, **more)


def groups() -> dict[str, Any]:
    """A filter group in each of two models, and a rule between them."""
    listed = (
        m.FilterGroup(name="m::g", links=("m::a",)),
        m.FilterGroup(name="n::h", links=("n::b",)),
    )
    return {"filter_groups": listed, "filter_rules": (m.FilterRule(a="m::g", b="n::h"),)}


def to_the_world(kind: T) -> Scene:
    """A joint whose child is the world."""
    return scene([link("a")], [joint("j", "a", m.WORLD, kind)])


def not_equal(_folder: Path) -> Iterable[Diagnostic]:
    """A scene, and files that say another one."""
    text = str(bridge.to_sdf(scene([link("a")])))
    return read_back(
        {"x.sdf": text.encode()}, "x.sdf", scene([link("b")]), CODES["sdfout.read-back"]
    )


UP = m.Keyframe(name="up", joints=("j",), positions=((1.0,),))
WORLD_SPRING = m.SpringDamper(
    link_A=m.WORLD,
    link_B="a",
    p_AP=IDENTITY.p,
    p_BQ=IDENTITY.p,
    free_length=1.0,
    stiffness=1.0,
    damping=0.0,
)
EXAMPLES = {
    "sdfout.actuator": writing(s.driven({"kind": T.BALL}), "motor"),
    "sdfout.actuator-property": writing(s.driven(interfaces=("effort",)), "motor"),
    "sdfout.added-actuator": writing(
        dataclasses.replace(
            s.coupled("bc", "ab", T.REVOLUTE, T.REVOLUTE),
            actuators=(m.Actuator(name="x", joint="ab"),),
        ),
        "bc",
    ),
    "sdfout.added-scope": writing(
        scene(
            [link("m::n::a", model="m::n")],
            models=(m.Model(name="m::n", X_WM=IDENTITY, canonical_link=None),),
        ),
        "m",
    ),
    "sdfout.anchor": writing(scene([link("a")], forces=(WORLD_SPRING,)), "world_anchor"),
    "sdfout.coupling": writing(s.coupled("bc", "ab", T.REVOLUTE, T.BALL), "bc"),
    "sdfout.default-position": writing(s.hinge(fields={"default_position": (0.5,)}), "j"),
    "sdfout.empty-model": writing(
        scene(
            [link("a")],
            models=(
                *scene([link("a")]).models,
                m.Model(name="n", X_WM=IDENTITY, canonical_link=None),
            ),
        ),
        "n",
    ),
    "sdfout.published-sensor": writing(s.measured(), "j"),
    "sdfout.field": writing(s.driven(control=(-1.0, 1.0)), "motor"),
    "sdfout.filter-rule": writing(two_models(**groups()), "m::g", "n::h"),
    "sdfout.fluid-force": writing(s.immersed(), "a"),
    "sdfout.floating-joint": writing(
        scene([link("a")], [joint("j", m.WORLD, "a", T.FLOATING, axes=())]), "j", "a"
    ),
    "sdfout.friction": writing(s.rubbing(mu_static=2.0, rolling=0.1), "a"),
    "sdfout.friction-rule": writing(s.of_two_frictions(), "a", "b"),
    "sdfout.joint-frame": writing(
        scene([link("a"), link("b")], [joint("j", "a", "b", X_PJ=Pose.of(p=(0.0, 0.0, 1.0)))]), "j"
    ),
    "sdfout.joint-property": writing(
        scene([link("a"), link("b")], [joint("j", "a", "b", T.CONTINUOUS, axis={"lower": -1.0})]),
        "j",
    ),
    "sdfout.keyframe": writing(dataclasses.replace(s.hinge(), keyframes=(UP,)), "up", "j"),
    "sdfout.material": writing(s.seen(material=m.Material(name="paint")), "a"),
    "sdfout.missing-file": writing(s.seen(geometry=m.Mesh(uri="no.stl", path=None))),
    "sdfout.model-config": writing(two_models(), "m", "n", model_config=True),
    "sdfout.name": writing(scene([link("a"), link("b")], [joint("a", "a", "b")]), "a"),
    "sdfout.no-inertia": writing(s.one(inertia=None), "a"),
    "sdfout.out-of-scope": writing(
        two_models(
            constraints=(
                m.BallConstraint(link_A="m::a", link_B="n::b", p_AP=IDENTITY.p, p_BQ=IDENTITY.p),
            )
        ),
        "m::a",
    ),
    "sdfout.pairs-apart": writing(s.touching_in_mujoco(), "arm", "base"),
    "sdfout.pairs-together": writing(
        two_models(**groups(), physics=m.Physics(engine="mujoco")), "m::a", "n::b"
    ),
    "sdfout.read-back": Example(not_equal, ("a",)),
    "sdfout.reversed-joint": writing(to_the_world(T.REVOLUTE), "j"),
    "sdfout.rotor-inertia": writing(
        scene([link("a"), link("b")], [joint("j", "a", "b", axis={"inertia": 0.1})]), "j"
    ),
    "sdfout.version": writing(s.seen(geometry=m.Cone(radius=1.0, length=1.0)), version="1.9"),
    "sdfout.world-link": writing(scene([link("world")]), "world"),
    "sdfout.world-settings": writing(
        dataclasses.replace(scene([link("a")]), gravity=IDENTITY.p), "test", world="never"
    ),
}
