"""Minimal scenes for the codes of the MJCF export."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import trimesh

from bridge.targets.mjcf import export_mjcf
from loaders import Scene
from loaders import model as m
from loaders.pose import IDENTITY, Pose, frozen
from tests.code_examples import scenes as s
from tests.code_examples.lowering import from_folder
from tests.support.code_example import Example, exporting, findings
from tests.support.scenes import UNIT_BOX, joint, link, scene

T = m.JointType
SPHERE = m.Sphere(radius=0.5)


def many_boxes() -> Scene:
    """Two links with so many collisions that more than 2000 pairs may touch."""
    shapes = tuple(m.Collision(name=f"c{i}", X_LG=IDENTITY, geometry=UNIT_BOX) for i in range(46))
    return scene([link("a", collisions=shapes), link("b", collisions=shapes)])


def welded() -> Scene:
    """Links b and c of two models, both welded to a, each with a collision."""
    links = [link("a"), link("b", shape=UNIT_BOX), link("c", model="n", shape=UNIT_BOX)]
    models = tuple(
        m.Model(name=n, X_WM=IDENTITY, canonical_link=k) for n, k in (("m", "a"), ("n", "c"))
    )
    return scene(
        links, [joint("j", "a", "b", T.FIXED), joint("k", "a", "c", T.FIXED)], models=models
    )


def round_and_flat() -> Scene:
    """An ellipsoid and a box."""
    shapes = (m.Ellipsoid(radii=(1.0, 2.0, 3.0)), UNIT_BOX)
    return scene([link(name, shape=shape) for name, shape in zip("ab", shapes, strict=True)])


def two_frictions() -> Scene:
    shapes = (s.shape(SPHERE, friction=m.Friction(mu=mu, mu2=mu)) for mu in (0.2, 0.8))
    return scene(
        [link(name, collisions=(shape,)) for name, shape in zip("ab", shapes, strict=True)]
    )


def hovering() -> Scene:
    """A free robot of two links, the lower of which is 2.5 m above a plane."""
    links = [
        link("floor", shape=m.Plane()),
        link("a", X_WL=Pose.of(p=(0.0, 0.0, 4.0))),
        link("b", X_WL=Pose.of(p=(0.0, 0.0, 3.0)), shape=UNIT_BOX),
    ]
    return scene(links, [joint("j", m.WORLD, "floor", T.FIXED), joint("k", "a", "b")])


def following() -> Scene:
    """A follower with an effort limit and no gains."""
    chain = s.coupled("bc", "ab", T.REVOLUTE, T.REVOLUTE)
    where = next(joint.where for joint in chain.joints if joint.name == "bc")
    return dataclasses.replace(
        chain, actuators=(m.Actuator(name="bc", joint="bc", effort=1.0, where=where),)
    )


def torque_sensor(*parameters: tuple[str, str]) -> Scene:
    sensor = m.Sensor(
        name="ft", type="force_torque", X_LS=IDENTITY, joint="j", parameters=parameters
    )
    return s.hinge(fields={"sensors": (sensor,)})


def deep() -> Scene:
    """A chain of 500 links."""
    names = [f"l{i}" for i in range(500)]
    joints = [joint(f"j{i}", names[i - 1], names[i]) for i in range(1, 500)]
    return scene([link(name) for name in names], joints)


def same_names() -> Scene:
    """A collision and a visual of one name."""
    visual = m.Visual(name="c", X_LG=IDENTITY, geometry=SPHERE)
    return s.one(collisions=(s.shape(SPHERE),), visuals=(visual,))


def grouped() -> Scene:
    return dataclasses.replace(s.one(), filter_groups=(m.FilterGroup(name="g", links=("a",)),))


def apart(length: float) -> Scene:
    """Two pendulums 0.5 m apart, with points at this distance from their axes to be held
    together.
    """
    ends = frozen((0.0, 0.0, length))
    joints = [
        joint("ja", m.WORLD, "a", xyz=(0, 1, 0)),
        joint("jb", m.WORLD, "b", xyz=(0, 1, 0), X_PJ=Pose.of(p=(0.5, 0.0, 0.0))),
    ]
    links = [link("a"), link("b", X_WL=Pose.of(p=(0.5, 0.0, 0.0)))]
    ball = m.BallConstraint(link_A="a", link_B="b", p_AP=ends, p_BQ=ends)
    return scene(links, joints, constraints=(ball,))


def refused() -> Example:
    """A cone of a nanometer, exported to a folder."""
    cone = m.Visual(name="v", X_LG=IDENTITY, geometry=m.Cone(radius=1e-9, length=1e-9))
    scene = s.one(visuals=(cone,))
    return Example(
        lambda folder: findings(lambda: export_mjcf(scene, folder / "out").diagnostics), ("a",)
    )


LIMITED = {"lower": -1.0, "upper": 1.0}
BODIES = {
    "mjcf.acceleration-limit": exporting(s.hinge(acceleration=1.0), "j"),
    "mjcf.mujoco-inputs": exporting(
        dataclasses.replace(
            s.one(),
            engine_elements=(
                m.EngineElement(
                    engine="ros2_control",
                    name="x",
                    section="mujoco_inputs",
                    tag="x",
                    settings=(("text", "<x/>"),),
                ),
            ),
        ),
        program="ros2_control",
    ),
    "mjcf.added-mass": exporting(s.one(added_mass=np.eye(6)), "a"),
    "mjcf.deformable": exporting(s.one(deformable=(("youngs_modulus", "1e5"),)), "a"),
    "mjcf.empty-range": exporting(s.hinge(lower=2.0, upper=1.0), "j"),
    "mjcf.force-torque-axes": exporting(torque_sensor(("force_torque/frame", "parent")), "ft", "j"),
    "mjcf.force-torque-sign": exporting(torque_sensor(), "ft"),
    "mjcf.impossible-inertia": exporting(s.one(inertia=s.IMPOSSIBLE), "a"),
    "mjcf.inertia-from-geometry": exporting(
        s.one(inertia=None, collisions=(s.shape(SPHERE),)), "a", inertia="from_geometry"
    ),
    "mjcf.several-joints": exporting(s.universal((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), "j"),
    "mjcf.joint-coordinate": exporting(
        s.hinge(T.CURVILINEAR, s.curved(1) | {"curve": s.arc(2.0)}), "j"
    ),
    "mjcf.joint-feedback": exporting(s.hinge(fields={"provide_feedback": True}), "j"),
    "mjcf.light": exporting(s.lit("area"), "lamp"),
    "mjcf.keyframe-actuator": exporting(s.posed(0.5, actuator="motor"), "up", "motor"),
    "mjcf.home-stands": exporting(hovering(), "a"),
    "mjcf.keyframe-joint": exporting(s.posed(0.5, joint="wheel"), "up", "wheel"),
    "mjcf.keyframe-limits": exporting(s.posed(3.0), "j"),
    "mjcf.keyframe-pose": exporting(
        s.posed(0.5, links=("a",), poses=((0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0),)), "up", "a"
    ),
    "mjcf.light-joint": exporting(s.hinge(effort=1e4), "j"),
    "mjcf.light-parameters": exporting(s.lit("spot", inner_angle=0.1), "lamp"),
    "mjcf.massless-link": exporting(
        scene([link("a", inertia=s.NOTHING)], [joint("j", m.WORLD, "a")]), "a"
    ),
    "mjcf.no-inertia": exporting(s.one(inertia=None), "a", inertia="error"),
    "mjcf.parallel-axes": exporting(s.universal((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)), "j"),
    "mjcf.repaired-inertia": exporting(s.one(inertia=s.IMPOSSIBLE), "a", inertia="repair"),
    "mjcf.rigid-stops": exporting(
        s.hinge(**LIMITED, limit_stiffness=1e12, limit_dissipation=1.0), "j"
    ),
    "mjcf.sensor": exporting(s.sensing("nose"), "s"),
    "mjcf.sensor-collision": exporting(
        s.sensing("contact", parameters=(("contact/collision", "none"),)), "s"
    ),
    "mjcf.sensor-parameters": exporting(s.sensing("imu", update_rate=100.0), "s"),
    "mjcf.sensor-reading": exporting(s.sensing("navsat"), "s"),
    "mjcf.dm-control": exporting(s.sensing("imu", name="i/u"), "i/u_acceleration"),
    "mjcf.camera-pose": exporting(
        s.sensing("camera", parameters=(("camera/pose", "1 0 0 0 0 0"),)), "s"
    ),
    "mjcf.spherical-coordinates": exporting(
        dataclasses.replace(s.one(), spherical_coordinates=(("latitude_deg", "47"),))
    ),
    "mjcf.sensor-rays": exporting(
        s.sensing("lidar", parameters=(("lidar/scan/horizontal/samples", "1000"),)), "s"
    ),
    "mjcf.velocity-decay": exporting(s.one(velocity_decay=(0.1, 0.0)), "a"),
    "mjcf.velocity-limit": exporting(s.hinge(velocity=1.0), "j"),
    "mjcf.yielding-stops": exporting(
        s.hinge(**LIMITED, limit_stiffness=1e3, limit_dissipation=1.0), "j"
    ),
    "mjcf.view-target": exporting(s.lit("spot", target="moon"), "lamp", "moon"),
    "mjcf.zero-effort": exporting(s.hinge(effort=0.0), "j"),
    "mjcf.zero-outside-limits": exporting(s.hinge(lower=1.0, upper=2.0), "j"),
}
CONSTRAINTS = {
    "mjcf.actuator": exporting(s.driven({"kind": T.BALL}), "motor", actuators="motor"),
    "mjcf.actuator-interfaces": exporting(s.driven(interfaces=("effort",)), "motor"),
    "mjcf.assumed-gain": exporting(s.driven(effort=1.0), "motor", actuators="position"),
    "mjcf.initial-control": exporting(
        s.driven(target=0.5, effort=1.0), "motor", actuators="position"
    ),
    "mjcf.other-command": exporting(
        s.driven(target=0.5, interfaces=("velocity",)), "motor", actuators="position"
    ),
    "mjcf.ball-soft-constraint": exporting(s.held(), "a", "b"),
    "mjcf.bushing": exporting(s.bushed(), "a"),
    "mjcf.control-range": exporting(
        s.driven({"velocity": 1e3, "effort": 1e6}, effort=1e6), "j", actuators="dcmotor"
    ),
    "mjcf.coupling": exporting(s.coupled("bc", "ab", T.REVOLUTE, T.BALL), "bc"),
    "mjcf.coupling-soft-constraint": exporting(s.coupled("bc", "ab", T.REVOLUTE, T.REVOLUTE), "bc"),
    "mjcf.curve": exporting(s.hinge(T.CURVILINEAR, s.curved(1)), "j"),
    "mjcf.distance-soft-constraint": exporting(s.distance(), "a"),
    "mjcf.fluid-force": exporting(s.immersed(), "a"),
    "mjcf.idle-followers": exporting(following(), "bc", actuators="motor"),
    "mjcf.locked-joint": exporting(s.hinge(lower=0.0, upper=0.0), "j"),
    "mjcf.loop-soft-constraint": exporting(s.looped(), "ca"),
    "mjcf.never-closes": exporting(apart(0.1), "a", "b"),
    "mjcf.no-actuators": exporting(s.driven(), "motor"),
    "mjcf.no-speed-line": exporting(s.driven(effort=1.0), "j", actuators="dcmotor"),
    "mjcf.open-at-zero": exporting(apart(1.0), "a", "b"),
    "mjcf.screw-soft-constraint": exporting(s.hinge(T.SCREW), "j"),
    "mjcf.tendon": exporting(s.strung("ab", "cd"), "ab", "cd"),
    "mjcf.tendon-damping": exporting(s.strung("ab", "bc", stiffness=1.0, damping=1.0), "ab", "bc"),
    "mjcf.tendon-soft-constraint": exporting(s.strung("ab", "bc"), "ab", "bc"),
}
CONTACT = {
    "mjcf.collide-without-contact": exporting(s.touching(collide_without_contact=True), "a"),
    "mjcf.contact-damping": exporting(s.touching(stiffness=1e7, damping=1.0), "a"),
    "mjcf.contact-dissipation": exporting(s.touching(dissipation=1.0), "a"),
    "mjcf.contact-pairs": exporting(many_boxes(), "a", "b", contacts="pairs"),
    "mjcf.contact-policy": exporting(s.touching(collide_bitmask=1), "a::c"),
    "mjcf.contact-solver": exporting(s.touching(soft_erp=0.5), "a"),
    "mjcf.contact-stiffness": exporting(s.touching(stiffness=1e4), "a"),
    "mjcf.density": exporting(
        s.one(collisions=(dataclasses.replace(s.shape(SPHERE), density=7.0),)), "a"
    ),
    "mjcf.empty-shape": exporting(s.touching(m.Sphere(radius=0.0)), "a"),
    "mjcf.filter-groups": exporting(grouped(), "g"),
    "mjcf.friction-combination": exporting(two_frictions(), "a", "b"),
    "mjcf.friction-direction": exporting(s.rubbing(mu2=0.5), "a"),
    "mjcf.heightmap": exporting(
        scene(
            [link("a", collisions=(s.shape(m.Heightmap(uri="none.png", path=None)),))],
            [joint("w", m.WORLD, "a", T.FIXED)],
        ),
        "a",
    ),
    "mjcf.hydroelastic": exporting(
        s.touching(hydroelastic=m.Hydroelastic(compliance="rigid")), "a"
    ),
    "mjcf.material": exporting(s.seen(material=m.Material(maps=(("normal", "normal.png"),))), "a"),
    "mjcf.moving-plane": exporting(s.touching(m.Plane()), "a"),
    "mjcf.no-shape": exporting(s.seen(m.Empty()), "a"),
    "mjcf.fewer-vertices": from_folder(
        s.written(trimesh.creation.icosphere(2)), "a", maxhullvert=20
    ),
    "mjcf.no-texture-coordinates": from_folder(s.bare_textured),
    "mjcf.pivoted-contact": exporting(s.pivoted(), "a", "b"),
    "mjcf.restitution": exporting(s.touching(restitution=0.5), "a"),
    "mjcf.restitution-threshold": exporting(
        s.touching(restitution=0.5, restitution_threshold=1.0), "a"
    ),
    "mjcf.rolling-friction": exporting(s.rubbing(rolling=0.01), "a"),
    "mjcf.slip": exporting(s.rubbing(slip1=0.1), "a"),
    "mjcf.static-friction": exporting(s.rubbing(mu_static=2.0), "a"),
    "mjcf.surface-velocity": exporting(s.one(surface_velocity_axis=(1.0, 0.0, 0.0)), "a"),
    "mjcf.texture-transparency": from_folder(s.textured(None, "RGBA")),
    "mjcf.torsional-friction": exporting(s.rubbing(torsional=0.1, patch_radius=0.2), "a"),
    "mjcf.visual": exporting(s.seen(cast_shadows=False), "a"),
    "mjcf.visual-names": exporting(same_names(), "a::c"),
    "mjcf.welded-contact": exporting(welded(), "b", "c", policy="sdformat"),
}
DOCUMENT = {
    "mjcf.mjx": exporting(round_and_flat()),
    "mjcf.model-scopes": exporting(s.nested(), "m::n"),
    "mjcf.physics": exporting(dataclasses.replace(s.one(), physics=m.Physics(max_contacts=3))),
    "mjcf.refused": refused(),
    "mjcf.sleep": exporting(s.in_model(allow_auto_disable=False), "m"),
    "mjcf.time-step": exporting(
        dataclasses.replace(s.one(), physics=m.Physics(time_step=math.inf))
    ),
    "mjcf.too-deep": exporting(deep()),
    "mjcf.wind": exporting(
        dataclasses.replace(s.one(enable_wind=True), wind=frozen((1.0, 0.0, 0.0))), "a"
    ),
}

EXAMPLES: dict[str, Example] = BODIES | CONSTRAINTS | CONTACT | DOCUMENT
