"""Minimal scenes for the codes of `load_into_pybullet`."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from loaders import Diagnostic, Scene
from loaders import model as m
from loaders.inertia import SpatialInertia
from loaders.pose import IDENTITY, Pose, frozen
from tests.code_examples import scenes as s
from tests.code_examples.lowering import from_folder
from tests.support.code_example import Example, loading_into_pybullet
from tests.support.scenes import UNIT_BOX, joint, link, scene

T = m.JointType


def loading(source: Scene, *subjects: str, **options: Any) -> Example:
    return loading_into_pybullet(source, *subjects, **options)


def surfaces(*surfaces: m.Surface) -> Scene:
    """A link with a collision for each surface."""
    shapes = (
        m.Collision(name=f"c{i}", X_LG=IDENTITY, geometry=UNIT_BOX, surface=each)
        for i, each in enumerate(surfaces)
    )
    return s.one(collisions=tuple(shapes))


def chain(kinds: list[m.JointType], inertia: SpatialInertia = s.POINT, **fields: Any) -> Scene:
    """A chain of links l0, l1..., each with a collision."""
    links = [link(f"l{i}", inertia=inertia, shape=UNIT_BOX) for i in range(len(kinds) + 1)]
    joints = [joint(f"j{i}", f"l{i - 1}", f"l{i}", kind) for i, kind in enumerate(kinds, 1)]
    return scene(links, joints, **fields)


WELDED = [T.FIXED] * 100 + [T.REVOLUTE] * 39
GROUPS = {
    "filter_groups": (
        m.FilterGroup(name="g", links=("l1",)),
        m.FilterGroup(name="h", links=("l139",)),
    ),
    "filter_rules": (m.FilterRule(a="g", b="h"),),
}


def lent() -> Scene:
    """A free base without mass, with a link welded to it, and one on a hinge."""
    links = [link("base", inertia=s.NOTHING), link("arm"), link("tip")]
    return scene(links, [joint("w", "base", "arm", T.FIXED), joint("j", "base", "tip")])


def trunk_on_a_marker() -> Scene:
    """A heavy link welded to a tiny one whose principal axes are turned."""
    links = [
        link("marker", inertia=SpatialInertia.of(1e-6, I_Lcm=np.full((3, 3), 1e-6))),
        link("trunk"),
    ]
    return scene(links, [joint("w", "marker", "trunk", T.FIXED)])


def few_pixels(_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.targets.pybullet.load._MOST_PIXELS", 1)


def servo() -> Scene:
    """Two hinges about one line, of which the first one moves a massless link and a rotor."""
    links = [link("between", inertia=s.NOTHING), link("arm")]
    motor = m.Actuator(name="motor", joint="j", rotor_inertia=0.1)
    return scene(
        links, [joint("j", m.WORLD, "between"), joint("k", "between", "arm")], actuators=(motor,)
    )


def across() -> Scene:
    """A hinge on each of two free links, coupled."""
    links = [link(name) for name in "abcd"]
    joints = [joint("j", "a", "b"), joint("k", "c", "d")]
    return scene(links, joints, couplings=(m.Coupling(follower="k", leader="j"),))


def long_folder(_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the path of the temporary folder too long."""
    load = importlib.import_module("bridge.targets.pybullet.load")
    name = next(name for name in vars(load) if "MAX_PATH" in name or "LONGEST" in name)
    monkeypatch.setattr(load, name, 1)


def nonsense(_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write joints of a type that PyBullet refuses."""
    monkeypatch.setattr(
        importlib.import_module("bridge.targets.pybullet.geometry"),
        "_joint_type",
        lambda _: "nonsense",
    )


def no_axis(_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write joints without an axis, about which PyBullet prints a warning."""
    load = importlib.import_module("bridge.targets.pybullet.load")
    plain = load.urdf_text
    monkeypatch.setattr(
        load, "urdf_text", lambda *a, **k: plain(*a, **k).replace("<axis", "<no_axis")
    )


def flagged() -> Example:
    """A flag of PyBullet that would change the model."""

    def diagnose(folder: Path) -> Iterable[Diagnostic]:
        pybullet = pytest.importorskip("pybullet")
        return loading(s.one(), flags=pybullet.URDF_USE_SELF_COLLISION).diagnose(folder)

    return Example(diagnose)


LIMITED_BALL = scene(
    [link("a")],
    [joint("j", m.WORLD, "a", T.BALL, axes=joint("x", "p", "c", axis={"friction": 1.0}).axes)],
)
TENDON = m.TendonConstraint(joints=("j",), coefficients=(1.0,))
FLAT_MAP = m.Heightmap(uri="none.png", path=None)
SKEWED = SpatialInertia.of(1.0, I_Lcm=((0.2, 0.05, 0.0), (0.05, 0.3, 0.0), (0.0, 0.0, 0.4)))
ASKEW = Pose.from_vector((0, 0, 0, 0.9, 0.1, 0, 0))


def strung(**fields: Any) -> Scene:
    return dataclasses.replace(s.hinge(), constraints=(dataclasses.replace(TENDON, **fields),))


EXAMPLES: dict[str, Example] = {
    "pybullet.acceleration-limit": loading(s.hinge(acceleration=1.0), "j"),
    "pybullet.added-mass": loading(s.one(added_mass=np.eye(6)), "a"),
    "pybullet.appearance": loading(s.seen(material=m.Material(shininess=3.0)), "a"),
    "pybullet.ball-constraint": loading(s.held(), "a", "b"),
    "pybullet.ball-limit": loading(LIMITED_BALL, "j"),
    "pybullet.ball-without-inertia": loading(
        scene(
            [link("a"), link("b", inertia=s.NOTHING), link("c")],
            [joint("j", "a", "b", T.BALL), joint("k", "b", "c")],
        ),
        "j",
    ),
    "pybullet.base-without-inertia": loading(
        scene([link("a", inertia=s.POINT), link("b")], [joint("j", "a", "b", T.FIXED)]), "a"
    ),
    "pybullet.bitmask-per-link": loading(
        surfaces(m.Surface(collide_bitmask=1), m.Surface(collide_bitmask=2)), "a"
    ),
    "pybullet.bushing": loading(s.bushed(), "a"),
    "pybullet.emission": from_folder(s.glowing, target="pybullet"),
    "pybullet.fluid-force": loading(s.immersed(), "a"),
    "pybullet.console": dataclasses.replace(loading(s.hinge()), setup=no_axis),
    "pybullet.contact-combination": loading(s.touching(restitution=0.5), "a::c"),
    "pybullet.contact-policy": loading(s.touching(collide_bitmask=1), "a::c"),
    "pybullet.contact-property": loading(s.touching(soft_cfm=0.5), "a"),
    "pybullet.controller-gains": loading(s.driven(p_gain=10.0), "j"),
    "pybullet.coupling": loading(s.coupled("bc", "ab", T.REVOLUTE, T.BALL), "bc"),
    "pybullet.coupling-across-bodies": loading(across(), "k"),
    "pybullet.cut-links": loading(chain([T.REVOLUTE] * 150, s.BULK), "l29"),
    "pybullet.deformable": loading(s.one(deformable=(("youngs_modulus", "1e5"),)), "a"),
    "pybullet.dry-friction": loading(s.hinge(friction=1.0), "j"),
    "pybullet.effort-limit": loading(s.hinge(effort=1.0), "j"),
    "pybullet.empty-range": loading(s.hinge(lower=2.0, upper=1.0), "j"),
    "pybullet.flag-ignored": flagged(),
    "pybullet.folded-links": loading(chain(WELDED), "l0", "l12"),
    "pybullet.friction-product": loading(s.rubbing(mu=0.5, mu2=0.5), "a"),
    "pybullet.gear": loading(s.coupled("bc", "ab", T.REVOLUTE, T.REVOLUTE), "bc"),
    "pybullet.hull-margin": from_folder(s.jointed_mesh, target="pybullet"),
    "pybullet.keyframes": loading(s.posed(0.5), "up", "j"),
    "pybullet.lent-inertia": loading(lent(), "base"),
    "pybullet.limited-damping": loading(s.hinge(damping=1e4), "j"),
    "pybullet.light": loading(s.lit("point"), "lamp"),
    "pybullet.link-without-gravity": loading(s.one(gravity=False), "a"),
    "pybullet.load-failed": dataclasses.replace(loading(s.hinge(), "m"), setup=nonsense),
    "pybullet.locked-joint": loading(servo(), "j"),
    "pybullet.refused-inertia": loading(s.one(inertia=s.IMPOSSIBLE), "a"),
    "pybullet.long-path": dataclasses.replace(loading(s.hinge()), setup=long_folder),
    "pybullet.loop": loading(s.looped(), "ca"),
    "pybullet.merged-filters": loading(chain(WELDED, **GROUPS), "l1", "l139"),
    "pybullet.moved-products": loading(trunk_on_a_marker(), "marker", "trunk"),
    "pybullet.name-shortened": loading(scene([link("a" * 1001)]), "a" * 1001),
    "pybullet.no-texture-coordinates": from_folder(s.bare_textured, target="pybullet"),
    "pybullet.physics": loading(dataclasses.replace(s.one(), physics=m.Physics(max_contacts=3))),
    "pybullet.restitution": loading(s.touching(restitution=0.5), "a"),
    "pybullet.rigid-distance": loading(s.distance(), "a"),
    "pybullet.rigid-tendon": loading(strung(lower=-1.0, upper=1.0), "j"),
    "pybullet.rotated-fixed-base": loading(
        scene([link("a", X_WL=ASKEW), link("b")], [joint("j", "a", "b")]), "a", useFixedBase=True
    ),
    "pybullet.rotor-inertia": loading(s.driven(rotor_inertia=0.1), "j"),
    "pybullet.sensor": loading(s.sensing("rfid"), "a"),
    "pybullet.sensor-parameters": loading(s.sensing("imu", update_rate=100.0), "a"),
    "pybullet.sensor-reading": loading(s.sensing("lidar"), "a"),
    "pybullet.several-bodies": loading(chain([T.REVOLUTE] * 150, s.BULK), "m"),
    "pybullet.shape-as-hull": loading(s.touching(m.Ellipsoid(radii=(1.0, 2.0, 3.0))), "a"),
    "pybullet.shape-dropped": loading(s.touching(FLAT_MAP), "a"),
    "pybullet.soft-stop": loading(s.hinge(limit_stiffness=1e4), "j"),
    "pybullet.spring": loading(s.hinge(spring_stiffness=1.0), "j"),
    "pybullet.spring-damper": loading(s.sprung(), "a"),
    "pybullet.stiff-damping": loading(s.hinge(damping=1e4), "j", damping="exact"),
    "pybullet.surface-per-link": loading(surfaces(m.Surface(restitution=0.5), m.Surface()), "a"),
    "pybullet.start-outside-limits": loading(s.hinge(lower=1.0, upper=2.0), "j"),
    "pybullet.surface-velocity": loading(s.one(surface_velocity_axis=(1.0, 0.0, 0.0)), "a"),
    "pybullet.tendon": loading(strung(stiffness=1.0, lower=-1.0, upper=1.0), "j"),
    "pybullet.tendon-joint": loading(strung(joints=("none",))),
    "pybullet.texture-size": from_folder(
        s.textured(None, "RGB"), target="pybullet", setup=few_pixels
    ),
    "pybullet.texture-transparency": from_folder(s.textured(None, "RGBA"), target="pybullet"),
    "pybullet.too-many-joints": loading(chain([T.REVOLUTE] * 150, s.NOTHING), "m"),
    "pybullet.thin-shape": loading(
        scene([link("a"), link("b", shape=m.Box(size=(0.1, 0.1, 0.001)))], [joint("j", "a", "b")]),
        "b",
    ),
    "pybullet.turned-base": loading(s.one(inertia=SKEWED), "a"),
    "pybullet.velocity-decay": loading(s.one(velocity_decay=(0.1, 0.0)), "a"),
    "pybullet.velocity-limit": loading(s.hinge(velocity=1.0), "j"),
    "pybullet.visual-roles": loading(s.seen(roles=("perception",)), "a"),
    "pybullet.wind": loading(
        dataclasses.replace(s.one(enable_wind=True), wind=frozen((1.0, 0.0, 0.0))), "a"
    ),
}
