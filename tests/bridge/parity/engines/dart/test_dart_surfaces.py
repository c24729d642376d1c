"""Shapes, friction and filters are read back from the running skeleton: a change of one of them is
found and named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import bridge
from bridge.mechanism import Mechanism
from bridge.parity import BaseEngine, Outcome, compare
from bridge.parity.engines.dart.engine import DartEngine
from bridge.parity.engines.dart.simulation import DartSimulation
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Friction,
    Geometry,
    JointType,
    Plane,
    Sphere,
    Surface,
)
from loaders.pose import Pose, rotation_about
from tests.support.scenes import joint, link, scene

dartpy = pytest.importorskip("dartpy")

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
    return bridge.lower(scene(links, hinges))


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
