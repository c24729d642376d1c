"""A scaled mechanism: lengths change by the factor, masses stay."""

from __future__ import annotations

import numpy as np

from bridge.lowering import lower
from bridge.lowering.transform import scaled
from loaders.model import (
    WORLD,
    Box,
    Buoyancy,
    Coupling,
    DistanceConstraint,
    FluidDrag,
    JointType,
    SpringDamper,
    TendonConstraint,
    Wing,
)
from loaders.pose import Pose, frozen
from tests.support.scenes import INERTIA, joint, link, scene

SCALE = 3.0


def test_links_move_in_a_larger_space() -> None:
    links = [link("x", shape=Box(size=(1.0, 2.0, 3.0))), link("y"), link("z")]
    joints = [
        joint("turn", WORLD, "x", X_PJ=Pose.of(p=(0.1, 0.2, 0.3))),
        joint("slide", "x", "y", JointType.PRISMATIC, axis={"lower": -0.5, "upper": 1.0}),
        joint("bolt", "y", "z", JointType.SCREW, pitch=0.1),
    ]
    couplings = (Coupling(follower="slide", leader="turn", multiplier=2.0, offset=0.1),)
    mechanism = lower(scene(links, joints, couplings=couplings))
    larger = scaled(mechanism, SCALE)
    before = mechanism.link_poses({"turn": 0.4, "slide": 0.2, "bolt": 5.0})
    after = larger.link_poses({"turn": 0.4, "slide": SCALE * 0.2, "bolt": 5.0})
    for name in before:
        np.testing.assert_allclose(after[name].p, SCALE * before[name].p, atol=1e-14)
        np.testing.assert_allclose(after[name].R, before[name].R, atol=1e-14)
    (coupling,) = larger.couplings
    assert (coupling.multiplier, coupling.offset) == (SCALE * 2.0, SCALE * 0.1)
    x, y, _ = larger.bodies
    assert x.inertia.mass == INERTIA.mass
    np.testing.assert_allclose(x.inertia.I_Lcm, SCALE**2 * INERTIA.I_Lcm)
    assert x.link.collisions[0].geometry == Box(size=(3.0, 6.0, 9.0))
    limits = y.primitives[0].limits
    assert limits is not None
    assert (limits.lower, limits.upper) == (-1.5, 3.0)


def test_fluids_keep_their_densities_and_coefficients_in_a_larger_space() -> None:
    slopes = Wing(link="x").slopes
    fluids = (
        Buoyancy(
            link="x", layers=((1.0, 900.0), (2.0, 1.2)), volume=0.5, p_LV=frozen((0.0, 0.0, 0.1))
        ),
        Wing(link="x", area=2.0, X_LF=Pose.of(p=(1.0, 0.0, 0.0))),
        FluidDrag(link="x", X_LF=Pose.of(p=(0.0, 1.0, 0.0))),
    )
    water, wing, drag = scaled(lower(scene([link("x")], fluid_forces=fluids)), SCALE).fluid_forces
    assert isinstance(water, Buoyancy)
    assert (water.layers, water.volume) == (((3.0, 900.0), (6.0, 1.2)), 13.5)
    np.testing.assert_allclose(water.p_LV, (0.0, 0.0, 0.3))
    assert isinstance(wing, Wing)
    assert (wing.area, wing.slopes) == (18.0, slopes)
    np.testing.assert_allclose((wing.X_LF.p, drag.X_LF.p), ((3.0, 0.0, 0.0), (0.0, 3.0, 0.0)))


def test_springs_and_distances_grow_with_the_space_and_tendons_stay() -> None:
    ends = {
        "link_A": "x",
        "link_B": "y",
        "p_AP": frozen((0.0, 0.0, 0.0)),
        "p_BQ": frozen((0.0, 0.0, 0.1)),
    }
    constraints = (
        DistanceConstraint(**ends, distance=0.5),
        TendonConstraint(joints=("turn",), coefficients=(1.0,), lower=-1.0, upper=1.0),
    )
    parts = scene([link("x"), link("y")], [joint("turn", "x", "y")], constraints=constraints)
    rod, tendon = scaled(lower(parts), SCALE).constraints
    assert isinstance(rod.element, DistanceConstraint)
    assert rod.element.distance == 1.5
    assert tendon.element is constraints[1]


def test_the_reference_of_a_spring_and_its_free_length_are_lengths() -> None:
    slide = joint(
        "slide",
        "x",
        "y",
        JointType.PRISMATIC,
        axis={"spring_stiffness": 5.0, "spring_reference": 0.2},
    )
    turn = joint("turn", WORLD, "x", axis={"spring_stiffness": 5.0, "spring_reference": 0.2})
    zero = frozen((0.0, 0.0, 0.0))
    spring = SpringDamper(
        link_A="x", p_AP=zero, link_B="y", p_BQ=zero, free_length=0.5, stiffness=7.0, damping=0.0
    )
    larger = scaled(lower(scene([link("x"), link("y")], [turn, slide], forces=(spring,))), SCALE)
    references = [body.primitives[0].limits.spring_reference for body in larger.bodies]  # type: ignore[union-attr]
    np.testing.assert_allclose(references, (0.2, SCALE * 0.2))
    (element,) = larger.force_elements
    assert isinstance(element.element, SpringDamper)
    assert (element.element.free_length, element.element.stiffness) == (SCALE * 0.5, 7.0)
