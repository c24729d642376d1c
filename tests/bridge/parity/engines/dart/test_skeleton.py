"""Skeletons of DART have the joints, inertias, shapes and constraints of the mechanism; a change is
found and named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.mechanism import Mechanism
from bridge.parity import BaseEngine, Outcome, compare
from bridge.parity.engines.dart.engine import DartEngine
from bridge.parity.engines.dart.skeleton import is_supported
from bridge.parity.engines.dart.worker import DartSimulation
from bridge.parity.quantity import matrix
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cone,
    Coupling,
    Cylinder,
    Ellipsoid,
    Friction,
    Geometry,
    JointType,
    Mesh,
    Plane,
    Sphere,
    Surface,
)
from loaders.pose import IDENTITY, Pose, rotation_about
from tests.support.scenes import joint, link, random_scene, scene

dartpy = pytest.importorskip("dartpy")


# Skeletons of DART have the joints, poses and inertias of the mechanism, for trees of all types of
# joint.


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_random_trees_have_the_kinematics_and_dynamics_of_the_reference(
    seed: int, fixed: bool
) -> None:
    mechanism = bridge.lower(
        random_scene(seed, fixed=fixed, axis={"damping": 0.3, "lower": -2.0, "upper": 3.0})
    )
    dart, reference = DartEngine(mechanism), ReferenceEngine(mechanism)
    state = random_states(mechanism, 1, seed)[0]
    accelerations = np.random.default_rng(seed).uniform(-1.0, 1.0, len(mechanism.v_order))
    for engine in (dart, reference):
        engine.set_state(*state)
    for name, X in reference.link_poses().items():
        assert matrix(dart.link_poses()[name]) == pytest.approx(matrix(X), abs=1e-12)
        assert dart.jacobians()[name] == pytest.approx(reference.jacobians()[name], abs=1e-12)
    assert dart.mass_matrix() == pytest.approx(reference.mass_matrix(), abs=1e-11)
    assert dart.inverse_dynamics(accelerations) == pytest.approx(
        reference.inverse_dynamics(accelerations), abs=1e-9
    )
    assert dart.joint_parameters() == reference.joint_parameters()
    for name, inertia in reference.inertias().items():
        assert dart.inertias()[name].mass == pytest.approx(inertia.mass, rel=1e-14)
        assert dart.inertias()[name].I_Lcm == pytest.approx(inertia.I_Lcm, rel=1e-12, abs=1e-15)
    dart.close()


def test_gravity_and_time_step_are_those_of_the_world() -> None:
    scene = random_scene(1, fixed=True, size=2)
    mechanism = bridge.lower(scene)
    settings = DartEngine(mechanism).settings()
    assert settings.gravity.tolist() == list(scene.gravity)
    assert settings.time_step == scene.physics.time_step


# Shapes touch in DART where they are, with their friction, and only the pairs that may.

POINT = SpatialInertia.of(1.0, I_Lcm=np.diag((0.1, 0.1, 0.1)))


def resting(
    shape: Geometry, height: float, mu: float = 1.0, gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
) -> DartEngine:
    surface = Surface(friction=Friction(mu=mu, mu2=mu))
    ground = Collision(name="g", X_LG=IDENTITY, geometry=Plane(), surface=surface)
    body = Collision(name="c", X_LG=IDENTITY, geometry=shape, surface=surface)
    links = [
        link("ground", model="n", collisions=(ground,)),
        link("a", inertia=POINT, X_WL=Pose.of(p=(0.0, 0.0, height)), collisions=(body,)),
    ]
    weld = joint("w", WORLD, "ground", JointType.FIXED)
    return DartEngine.as_exported(bridge.lower(scene(links, [weld], gravity=np.array(gravity))))


@pytest.mark.parametrize(
    ("shape", "height"),
    [
        (Box(size=(0.4, 0.6, 0.3)), 0.15),
        (Sphere(radius=0.2), 0.2),
        (Cylinder(radius=0.3, length=0.5), 0.25),
        (Capsule(radius=0.2, length=0.4), 0.4),
    ],
)
def test_a_shape_comes_to_rest_at_its_height(shape: Geometry, height: float) -> None:
    dart = resting(shape, height + 0.002)
    dart.set_step(1e-3)
    dart.set_state({}, {})
    dart.step(200)
    assert dart.link_poses()["a"].p[2] == pytest.approx(height, abs=2e-3)
    dart.close()


def test_a_block_slides_as_its_friction_says() -> None:
    slope = math.radians(15.0)
    gravity = (9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope))
    dart = resting(Box(size=(0.4, 0.4, 0.1)), 0.05, 0.2, gravity)
    dart.set_step(1e-3)
    dart.set_state({}, {})
    dart.step(500)
    exact = 0.5 * 9.81 * (math.sin(slope) - 0.2 * math.cos(slope)) * 0.5**2
    assert dart.link_poses()["a"].p[0] == pytest.approx(exact, rel=0.02)
    dart.close()


def test_pairs_that_touch_are_those_of_the_mechanism() -> None:
    made = random_scene(5, fixed=True, kinds=(JointType.REVOLUTE,), size=6)
    shaped = [
        link(one.name, X_WL=one.X_WL, inertia=one.inertia, shape=Box(size=(0.1, 0.1, 0.1)))
        for one in made.links
    ]
    mechanism = bridge.lower(scene(shaped, made.joints))
    dart = DartEngine(mechanism)
    welded = {
        pair
        for pair in mechanism.collidable_pairs()
        if len({mechanism.weld_group_of(n) for n in pair}) > 1
    }
    assert dart.collidable_pairs() == welded
    dart.close()


def test_meshes_are_not_supported() -> None:
    assert not is_supported(
        Collision(name="c", X_LG=IDENTITY, geometry=Mesh(uri="a.obj", path=None))
    )


# Shapes, friction and filters are read back from the running skeleton: a change of one of them is
# found and named.

SHAPES: tuple[Geometry, ...] = (
    Box(size=(0.1, 0.2, 0.3)),
    Sphere(radius=0.1),
    Cylinder(radius=0.1, length=0.3),
    Capsule(radius=0.1, length=0.3),
    Ellipsoid(radii=(0.1, 0.2, 0.3)),
    Cone(radius=0.1, length=0.3),
    Plane(normal=(0.0, 0.6, 0.8)),
)
TURNED = Pose.of(rotation_about(np.array((0.6, 0.0, 0.8)), 0.5), (0.1, -0.2, 0.3))


def shaped(name: str, geometry: Geometry) -> Any:
    surface = Surface(friction=Friction(mu=0.7, mu2=0.7))
    return link(
        name, collisions=(Collision(name="c", X_LG=TURNED, geometry=geometry, surface=surface),)
    )


def chain() -> Mechanism:
    names = "abc"
    links = [shaped(name, Box(size=(0.1, 0.2, 0.3))) for name in names]
    hinges = [
        joint(f"j{b}", a, b, JointType.REVOLUTE) for a, b in ((WORLD, "a"), ("a", "b"), ("b", "c"))
    ]
    return bridge.lower(scene(links, hinges, collision_policy="drake"))


class Running(DartSimulation, BaseEngine):
    """DART in this process, so that its skeleton can be changed."""

    name, version, diagnostics, refusal = "dart", "", (), ""
    change: Callable[[DartSimulation], object]

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        type(self).change(self)

    def close(self) -> None:
        """Keep nothing open."""


def frame(simulation: DartSimulation) -> Any:
    return simulation.skeleton.getBodyNode("b").getShapeNode(0)


def longer(simulation: DartSimulation) -> None:
    frame(simulation).getShape().setSize(np.array((0.101, 0.2, 0.3)))


def moved(simulation: DartSimulation) -> None:
    X = frame(simulation).getRelativeTransform()
    X.set_translation(X.translation() + np.array((1e-3, 0.0, 0.0)))
    frame(simulation).setRelativeTransform(X)


def another(simulation: DartSimulation) -> None:
    frame(simulation).setShape(dartpy.dynamics.CylinderShape(0.1, 0.3))


def added(simulation: DartSimulation) -> None:
    node = simulation.skeleton.getBodyNode("b").createShapeNode(dartpy.dynamics.SphereShape(0.05))
    node.createCollisionAspect()
    node.createDynamicsAspect()


def slippery(simulation: DartSimulation) -> None:
    frame(simulation).getDynamicsAspect().setFrictionCoeff(0.35)


def filtered(simulation: DartSimulation) -> None:
    nodes = (simulation.skeleton.getBodyNode(name) for name in ("a", "c"))
    collision_filter = simulation.world.getConstraintSolver().getCollisionOption().collisionFilter
    collision_filter.addBodyNodePairToBlackList(*nodes)


def unfiltered(simulation: DartSimulation) -> None:
    simulation.world.getConstraintSolver().getCollisionOption().collisionFilter.removeAllBodyNodePairsFromBlackList()


@pytest.mark.parametrize(
    ("change", "level", "quantity", "named"),
    [
        (longer, "L0", "shapes", {"b"}),
        (moved, "L0", "shapes", {"b"}),
        (another, "L0", "shapes", {"b"}),
        (added, "L0", "shapes", {"b"}),
        (slippery, "L0", "friction of shapes", {"b"}),
        (filtered, "L1", "collidable pairs", {"a", "c"}),
    ],
)
def test_a_change_of_the_running_skeleton_is_found_and_named(
    change: Callable[[DartSimulation], object], level: str, quantity: str, named: set[str]
) -> None:
    faulty = type("Faulty", (Running,), {"change": staticmethod(change)})
    found = compare(chain(), (faulty,), levels=(level,), configurations=1)
    failed = {
        row.quantity: set(row.subjects) for row in found.rows if row.outcome is Outcome.FAILED
    }
    assert failed[quantity] == named


def test_a_filter_that_is_removed_is_found() -> None:
    faulty = type("Faulty", (Running,), {"change": staticmethod(unfiltered)})
    assert not chain().collidable_pairs() >= {frozenset("ab")}, (
        "this test needs a pair that is filtered"
    )
    found = compare(chain(), (faulty,), levels=("L1",), configurations=1)
    assert "collidable pairs" in {row.quantity for row in found.failures}


@pytest.fixture
def dart() -> Iterator[DartEngine]:
    ground = joint("w", WORLD, "l6", JointType.FIXED)
    opened = DartEngine(
        bridge.lower(scene([shaped(f"l{k}", shape) for k, shape in enumerate(SHAPES)], [ground]))
    )
    yield opened
    opened.close()


def test_every_shape_reaches_as_far_as_the_file_says(dart: DartEngine) -> None:
    found = compare(dart.mechanism, ("dart",), levels=("L0",), configurations=1)
    rows = {row.quantity: row for row in found.rows}
    assert [rows[name].outcome for name in ("shapes", "meshes", "friction of shapes")] == [
        Outcome.PASSED
    ] * 3
    R, p = TURNED.R, TURNED.p
    box = dart.surfaces().supports["l0"][0]
    assert box[0] == pytest.approx(p[0] + 0.5 * np.abs(R[0]) @ (0.1, 0.2, 0.3))
    assert dart.surfaces().friction["l0"] == [pytest.approx(0.7)]


def test_pairs_are_the_same_when_they_are_asked_again(dart: DartEngine) -> None:
    surfaces, pairs = dart.surfaces(), dart.collidable_pairs()
    assert dart.collidable_pairs() == pairs
    assert {name: len(each) for name, each in dart.surfaces().supports.items()} == dict.fromkeys(
        surfaces.supports, 1
    )


def test_meshes_that_dart_does_not_get_are_differences_with_their_cause() -> None:
    found = compare("assets/gripper/model.sdf", ("dart",), levels=("L0",), configurations=1)
    assert {(row.quantity, row.code) for row in found.failures} == {
        (quantity, "dart.shape") for quantity in ("meshes", "mesh volumes", "friction of shapes")
    }


# Couplings and loops hold in DART's motion.

LINKS = [link("a"), link("b")]
HINGES = [joint("j", WORLD, "a", xyz=(0, 1, 0)), joint("k", WORLD, "b", xyz=(0, 1, 0))]


@pytest.mark.parametrize("multiplier", [-0.5, 1.0, -1.5])
def test_a_joint_of_a_chain_follows_another(multiplier: float) -> None:
    coupling = Coupling(follower="k", leader="j", multiplier=multiplier, offset=0.1)
    chain = [HINGES[0], joint("k", "a", "b", xyz=(0, 1, 0))]
    dart = DartEngine(bridge.lower(scene(LINKS, chain, couplings=(coupling,))))
    ((ends, law),) = dart.couplings().items()
    assert ends == (("k", 0), ("j", 0))
    assert law.coefficients == pytest.approx((0.1, multiplier))
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
