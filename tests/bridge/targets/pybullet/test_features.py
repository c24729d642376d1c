"""What PyBullet lacks is reported with its place; joints that only rotors give an inertia stay
still.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet
import pytest

import bridge
from bridge import load_into_pybullet, lower
from bridge.targets.pybullet.features import articulated_inertias, locked_joints
from loaders import load_string
from loaders.diagnostics import Fate, Where
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Actuator,
    Buoyancy,
    Bushing,
    Collision,
    DistanceConstraint,
    FilterGroup,
    FilterRule,
    Heightmap,
    JointType,
    Light,
    Material,
    Physics,
    Sensor,
    Sphere,
    SpringDamper,
    Surface,
    TendonConstraint,
    Visual,
)
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene
from tests.support.mjcf_documents import BALL, read
from tests.support.scenes import UNIT_BOX, codes, joint, link, random_scene, random_state, scene

# Joints that only rotors give an inertia: the running engine does not move them, and they are
# reported.

BACKLASH = """<mujoco><worldbody><body name="base"><geom size="0.1"/><body name="arm" pos="0.3 0 0.2">
<joint name="motor" axis="0 0 1" frictionloss="0.07" {motor}/><joint name="gear" {gear}/>
<geom type="box" size="0.05 0.1 0.02" pos="0.02 0 0" mass="0.2"/></body></body></worldbody></mujoco>"""
"""A motor and the backlash of its gear, as in models of servos: two joints of one body."""
ROTOR = 'armature="0.027"'


def backlash(motor: str = ROTOR, gear: str = f'axis="0 0 1" {ROTOR}') -> Scene:
    return load_string(BACKLASH.format(motor=motor, gear=gear), format="mjcf", quiet=True)


def names(source: Scene) -> list[str]:
    return [item.name for item in locked_joints(lower(source))]


def pushed(client: int, source: Scene, joint: str) -> Any:
    """The speed of a joint after an effort of 1 N m in ten steps."""
    robot = load_into_pybullet(source, physicsClientId=client, quiet=True)
    for _ in range(10):
        pybullet.setJointMotorControl2(
            robot, robot.joints[joint], pybullet.TORQUE_CONTROL, force=1.0, physicsClientId=client
        )
        pybullet.stepSimulation(physicsClientId=client)
    return robot.velocities()[joint]


LOCKED = {
    "hinges about one line": backlash(),
    "in opposite directions": backlash(gear=f'axis="0 0 -1" {ROTOR}'),
    "the rotor at the second hinge alone": backlash(motor="", gear=f'axis="0 0 1" {ROTOR}'),
}
MOVING = {
    "hinges across": backlash(gear=f'axis="0 1 0" {ROTOR}'),
    "a slide beyond a hinge": backlash(gear=f'type="slide" axis="0 0 1" {ROTOR}'),
    "a hinge beside a hinge": backlash(gear=f'axis="0 0 1" pos="0 0.2 0" {ROTOR}'),
}


@pytest.mark.parametrize("name", LOCKED)
def test_pybullet_does_not_move_what_is_reported(bullet_client: int, name: str) -> None:
    assert names(LOCKED[name]) == ["motor"]
    assert pushed(bullet_client, LOCKED[name], "motor") == 0.0


@pytest.mark.parametrize("name", MOVING)
def test_pybullet_moves_what_is_not_reported(bullet_client: int, name: str) -> None:
    assert names(MOVING[name]) == []
    assert abs(pushed(bullet_client, MOVING[name], "motor")) > 1.0


def test_without_rotors_the_model_itself_does_not_say_how_the_joints_move() -> None:
    assert names(backlash(motor="", gear='axis="0 0 1"')) == []


def test_the_inertias_are_those_of_the_inverse_mass_matrix() -> None:
    """With the joints before a joint locked, the inverse of what remains states what the joint
    moves.
    """
    mechanism = lower(random_scene(3, fixed=True))
    M = mechanism.mass_matrix(random_state(mechanism, seed=1)[0])
    expected = [1.0 / np.linalg.inv(M[k:, k:])[0, 0] for k in range(len(M))]
    np.testing.assert_allclose(articulated_inertias(M), expected, rtol=1e-9)


def test_the_comparison_names_the_cause_of_missing_friction(bullet_client: int) -> None:
    from bridge import compare

    result = compare(backlash(), levels="L0", quiet=True)
    rows = [row for row in result.rows if row.quantity == "friction" and "pybullet" in row.engines]
    assert {row.known_cause.code if row.known_cause else None for row in rows} == {
        "pybullet.locked-joint"
    }
    assert {row.subjects for row in rows} == {("motor",)}
    assert result.verdict == "DIFFERS"


# MJCF in PyBullet: welds hold, and what PyBullet lacks is reported.

BODIES = (
    f'<body name="a"><freejoint/>{BALL}</body><body name="b" pos="1 0 0"><freejoint/>{BALL}</body>'
)


def distance_after_a_second(section: str) -> float:
    client = pybullet.connect(pybullet.DIRECT)
    try:
        bodies = bridge.load_world_into_pybullet(
            read(BODIES, section), physicsClientId=client, quiet=True
        )
        pybullet.setTimeStep(0.001, client)
        pybullet.resetBaseVelocity(bodies[0], (0, 0.5, 0), (0, 0, 1), physicsClientId=client)
        for _ in range(1000):
            pybullet.stepSimulation(client)
        (p, q) = (pybullet.getBasePositionAndOrientation(body, client)[0] for body in bodies)
    finally:
        pybullet.disconnect(client)
    return float(sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) ** 0.5)


def test_a_weld_holds_two_links_together() -> None:
    assert distance_after_a_second(
        '<equality><weld body1="a" body2="b"/></equality>'
    ) == pytest.approx(1.0, abs=1e-3)


def test_a_weld_that_is_switched_off_does_not() -> None:
    section = '<equality><weld body1="a" body2="b" active="false"/></equality>'
    assert abs(distance_after_a_second(section) - 1.0) > 0.1


# Each diagnostic of the PyBullet side is provoked once, with its place.

ZERO = frozen((0, 0, 0))
ENDS = {"link_A": "a", "link_B": WORLD, "p_AP": ZERO, "p_BQ": ZERO}
FLEX = dict.fromkeys(
    ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping"), ZERO
)
HERE = Where("robot.sdf", 41)


def hinge(**axis):
    return scene([link("a")], [joint("j", WORLD, "a", axis=axis, where=HERE)])


def one(**what):
    return scene([link("a", where=HERE, **what)])


def seen(**what):
    return one(visuals=(Visual(name="v", X_LG=IDENTITY, geometry=UNIT_BOX, where=HERE, **what),))


def touched(*surfaces):
    shapes = (
        Collision(name=f"c{i}", X_LG=IDENTITY, geometry=UNIT_BOX, surface=surface, where=HERE)
        for i, surface in enumerate(surfaces)
    )
    return one(collisions=tuple(shapes))


def driven(**what):
    return scene(
        [link("a")],
        [joint("j", WORLD, "a")],
        actuators=(Actuator(name="m", joint="j", where=HERE, **what),),
    )


def strung(joints, **what):
    tendon = TendonConstraint(joints=joints, coefficients=(1.0,), where=HERE, **what)
    return scene([link("a")], [joint("j", WORLD, "a")], constraints=(tendon,))


SCENES = {
    "rotor-inertia": driven(rotor_inertia=0.1),
    "controller-gains": driven(p_gain=10.0),
    "empty-range": hinge(lower=2.0, upper=1.0),
    "velocity-limit": hinge(velocity=1.0),
    "acceleration-limit": hinge(acceleration=1.0),
    "effort-limit": hinge(effort=1.0),
    "dry-friction": hinge(friction=1.0),
    "spring": hinge(spring_stiffness=1.0),
    "soft-stop": hinge(limit_stiffness=1e4),
    "ball-limit": scene(
        [link("a")],
        [
            joint(
                "j",
                WORLD,
                "a",
                JointType.BALL,
                where=HERE,
                axes=joint("x", "p", "c", axis={"friction": 1.0}).axes,
            )
        ],
    ),
    "link-without-gravity": one(gravity=False),
    "velocity-decay": one(velocity_decay=(0.1, 0.0)),
    "added-mass": one(added_mass=np.eye(6)),
    "surface-velocity": one(surface_velocity_axis=(1.0, 0.0, 0.0)),
    "deformable": one(deformable=(("youngs_modulus", "1e5"),)),
    "wind": scene([link("a", enable_wind=True, where=HERE)], wind=frozen((1, 0, 0))),
    "bushing": scene(
        [link("a")],
        forces=(
            Bushing(link_A="a", X_LA=IDENTITY, link_C=WORLD, X_LC=IDENTITY, where=HERE, **FLEX),
        ),
    ),
    "fluid-force": scene([link("a")], fluid_forces=(Buoyancy(link="a", where=HERE),)),
    "tendon": strung(("j",), stiffness=1.0),
    "rigid-tendon": strung(("j",)),
    "tendon-joint": strung(("none",)),
    "rigid-distance": scene(
        [link("a")], constraints=(DistanceConstraint(**ENDS, distance=1.0, where=HERE),)
    ),
    "spring-damper": scene(
        [link("a")],
        forces=(SpringDamper(**ENDS, free_length=1.0, stiffness=1.0, damping=0.0, where=HERE),),
    ),
    "sensor": one(sensors=(Sensor(name="imu", type="rfid", X_LS=IDENTITY, where=HERE),)),
    "light": scene(
        [link("a")],
        lights=(Light(name="l", type="point", link="a", X_LLight=IDENTITY, where=HERE),),
    ),
    "appearance": seen(material=Material(shininess=3.0)),
    "visual-roles": seen(roles=("perception",)),
    "physics": scene([link("a")], physics=Physics(max_contacts=3)),
    "shape-dropped": one(
        collisions=(
            Collision(
                name="c", X_LG=IDENTITY, geometry=Heightmap(uri="h.png", path=None), where=HERE
            ),
        )
    ),
    "bitmask-per-link": touched(Surface(collide_bitmask=1), Surface(collide_bitmask=2)),
    "surface-per-link": touched(Surface(restitution=0.5), Surface()),
    "contact-property": touched(Surface(soft_cfm=0.5)),
}
PLACELESS = {"physics"}

DROPPED = {
    "rotor-inertia",
    "empty-range",
    "velocity-limit",
    "acceleration-limit",
    "soft-stop",
    "ball-limit",
    "velocity-decay",
    "added-mass",
    "surface-velocity",
    "deformable",
    "wind",
    "tendon-joint",
    "shape-dropped",
    "contact-property",
}
NOTED = {"effort-limit", "sensor", "light", "appearance", "visual-roles", "physics"}
FATES = {
    code: Fate.DROPPED if code in DROPPED else Fate.NOTED if code in NOTED else Fate.APPROXIMATED
    for code in SCENES
}
OF_JOINT = {
    "empty-range",
    "velocity-limit",
    "acceleration-limit",
    "effort-limit",
    "dry-friction",
    "spring",
    "soft-stop",
    "ball-limit",
    "tendon",
    "rigid-tendon",
}
SUBJECTS = {code: {"j"} if code in OF_JOINT else {"a"} for code in SCENES} | {
    "rotor-inertia": {"j", "m"},
    "controller-gains": {"j", "m"},
    "bushing": {"a", WORLD},
    "tendon-joint": {"none"},
    "rigid-distance": {"a", WORLD},
    "spring-damper": {"a", WORLD},
    "sensor": {"a", "a::imu"},
    "light": {"l"},
    "appearance": {"a", "a::v"},
    "visual-roles": {"a", "a::v"},
    "physics": set[str](),
    "shape-dropped": {"a", "a::c"},
    "contact-property": {"a", "a::c0"},
}
"""Scoped names that each finding is about."""


@pytest.mark.parametrize("code", SCENES)
def test_features_that_pybullet_lacks_are_reported_with_their_place(bullet_client, code):
    loaded = load_into_pybullet(SCENES[code], physicsClientId=bullet_client)
    (entry,) = [entry for entry in loaded.diagnostics if entry.code == f"pybullet.{code}"]
    assert entry.target == "pybullet"
    assert entry.message
    if code not in PLACELESS:
        assert entry.where == HERE
    assert entry.fate is FATES[code]
    assert set(entry.subjects) == SUBJECTS[code]


def test_a_plain_robot_loses_nothing(bullet_client):
    parts = {
        "collisions": (Collision(name="c", X_LG=IDENTITY, geometry=Sphere(radius=0.1)),),
        "visuals": (Visual(name="v", X_LG=IDENTITY, geometry=Sphere(radius=0.1)),),
    }
    source = scene(
        [link("a", **parts), link("b", **parts)],
        [joint("j", "a", "b", axis={"lower": -1, "upper": 1})],
    )
    assert codes(load_into_pybullet(source, physicsClientId=bullet_client)) == set()


def test_a_rotated_fixed_base_is_reported(bullet_client):
    askew = Pose.from_vector((0, 0, 0, 0.9, 0.1, 0, 0))
    source = scene([link("a", X_WL=askew), link("b")], [joint("j", "a", "b")])
    assert "pybullet.rotated-fixed-base" in codes(
        load_into_pybullet(source, physicsClientId=bullet_client, useFixedBase=True)
    )


def test_merged_links_with_different_filters_are_reported(bullet_client):
    """Merge ``l1`` and ``l2`` in a chain too long for PyBullet, of which only ``l2`` may collide
    with ``l139``.
    """
    count = 140
    point, touching = SpatialInertia.of(1.0), {*range(100), count - 1}
    links = [
        link(f"l{i}", shape=UNIT_BOX if i in touching else None, inertia=point)
        for i in range(count)
    ]
    kinds = [JointType.FIXED if i < 100 else JointType.REVOLUTE for i in range(count)]
    joints = [joint(f"j{i}", f"l{i - 1}", f"l{i}", kinds[i]) for i in range(1, count)]
    groups = (FilterGroup(name="g", links=("l1",)), FilterGroup(name="h", links=("l139",)))
    source = scene(links, joints, filter_groups=groups, filter_rules=(FilterRule(a="g", b="h"),))
    loaded = load_into_pybullet(source, physicsClientId=bullet_client)
    assert "pybullet.folded-links" in codes(loaded)
    (entry,) = [entry for entry in loaded.diagnostics if entry.code == "pybullet.merged-filters"]
    assert loaded.links["l1"] == loaded.links["l2"]
    assert set(entry.subjects) == {"l1", "l139"}


def test_a_refusal_of_pybullet_is_an_error_with_its_message(bullet_client, monkeypatch):
    from bridge.targets.pybullet import geometry
    from loaders import ExportError

    monkeypatch.setattr(geometry, "_joint_type", lambda _: "nonsense")
    with pytest.raises(ExportError, match=r"Cannot load URDF.*pybullet\.load-failed"):
        load_into_pybullet(hinge(), physicsClientId=bullet_client)
    assert pybullet.getNumBodies(bullet_client) == 0


def test_what_pybullet_prints_is_kept(bullet_client, monkeypatch):
    import os

    from bridge.targets.pybullet import load

    monkeypatch.setattr(
        load,
        "urdf_text",
        lambda *a, plain=load.urdf_text, **k: plain(*a, **k).replace("<axis", "<no_axis"),
    )
    loaded = load_into_pybullet(hinge(), physicsClientId=bullet_client)
    (entry,) = [entry for entry in loaded.diagnostics if entry.code == "pybullet.console"]
    assert "no axis" in entry.message
    assert os.sep not in entry.message


# Joints that start outside their limits: PyBullet pushes them; at home it does not.


@pytest.mark.parametrize(("lower", "upper"), [(0.01, 2.0), (-2.0, -0.01), (1.0, 2.0)])
def test_a_robot_at_home_stays_where_zero_is_outside_its_limits(
    bullet_client: int, lower: float, upper: float
) -> None:
    links = [link("a", shape=UNIT_BOX), link("b", shape=UNIT_BOX)]
    fixed = joint("w", WORLD, "a", JointType.FIXED)
    hinge = joint("j", "a", "b", axis={"lower": lower, "upper": upper})
    source = scene(links, [fixed, hinge])
    robot = load_into_pybullet(source, physicsClientId=bullet_client, quiet=True)
    (finding,) = [e for e in robot.diagnostics if e.code == "pybullet.start-outside-limits"]
    assert finding.subjects == ("j",)
    home = bridge.lower(source).home_positions()
    assert home == {"j": lower if lower > 0.0 else upper}
    robot.set_positions(home)
    for _ in range(120):
        pybullet.stepSimulation(physicsClientId=bullet_client)
    assert robot.positions() == pytest.approx(home, abs=1e-6)


def test_joints_that_start_within_their_limits_are_not_named(bullet_client: int) -> None:
    hinge = joint("j", "a", "b", axis={"lower": 0.0, "upper": 1.0})
    source = scene([link("a"), link("b")], [hinge])
    robot = load_into_pybullet(source, physicsClientId=bullet_client, quiet=True)
    assert "pybullet.start-outside-limits" not in codes(robot)
