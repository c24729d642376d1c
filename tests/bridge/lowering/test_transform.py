"""A mechanism that is fixed, moved or scaled as a whole."""

from __future__ import annotations

import dataclasses

import mujoco
import numpy as np
import pytest

import loaders
from bridge.lowering import lower
from bridge.lowering.transform import placed, scaled
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, BodyConnection
from bridge.targets.mjcf import export_mjcf, to_mjcf, to_mjspec
from loaders.model import (
    WORLD,
    BallConstraint,
    Box,
    Buoyancy,
    Coupling,
    DistanceConstraint,
    FluidDrag,
    JointAxis,
    JointType,
    SpringDamper,
    TendonConstraint,
    Wing,
)
from loaders.pose import IDENTITY, Pose, frozen
from tests.support.mujoco_oracle import compiled
from tests.support.scenes import INERTIA, joint, link, scene

# A base that is fixed on request is the same as a base that the file fixes.

ARM = """
<sdf version="1.11"><model name="arm"><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>
  <link name="foot"><inertial><mass>2</mass></inertial>
    <collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision></link>
  <link name="upper"><pose>0 0 0.3 0 0 0</pose><inertial><pose>0.1 0 0.2 0 0 0</pose><mass>1</mass></inertial>
    <collision name="c"><geometry><box><size>0.1 0.1 0.5</size></box></geometry></collision></link>
  <link name="tip"><pose>0 0 0.6 0.1 0 0</pose><inertial><mass>0.5</mass></inertial></link>
  <joint name="shoulder" type="revolute"><parent>foot</parent><child>upper</child>
    <axis><xyz>0 1 0</xyz><limit><lower>0.2</lower><upper>1</upper><effort>30</effort></limit></axis></joint>
  <joint name="elbow" type="revolute"><parent>upper</parent><child>tip</child>
    <axis><xyz>0 1 0</xyz><mimic joint="shoulder"><multiplier>2</multiplier><offset>0</offset>
    <reference>0</reference></mimic></axis></joint>
  {weld}
</model></sdf>
"""
WELD = '<joint name="mount" type="fixed"><parent>world</parent><child>foot</child></joint>'


def arm(weld=""):
    return loaders.load_string(ARM.format(weld=weld), format="sdf")


def names_of(model, kind, count):
    return [mujoco.mj_id2name(model, kind, i) for i in range(count)]


@pytest.mark.parametrize("make", [to_mjcf, to_mjspec])
def test_a_base_that_is_fixed_on_request_is_one_that_the_file_fixes(make):
    found, expected = (
        make(arm(), base="fixed", actuators="motor"),
        make(arm(WELD), actuators="motor"),
    )
    asked, stated = (x.compile() if make is to_mjspec else compiled(x) for x in (found, expected))
    arrays = [name for name in dir(stated) if isinstance(getattr(stated, name, None), np.ndarray)]
    assert len(arrays) > 100
    for name in arrays:  # a pose that goes through a joint may be off by rounding
        assert np.allclose(
            getattr(asked, name), getattr(stated, name), rtol=0.0, atol=1e-15, equal_nan=True
        ), name
    assert (asked.nq, asked.neq) == (2, 1)


def test_a_base_that_is_freed_on_request_moves_from_where_it_stood():
    freed, free = compiled(to_mjcf(arm(WELD), base="free")), compiled(to_mjcf(arm()))
    assert names_of(freed, mujoco.mjtObj.mjOBJ_JOINT, freed.njnt) == ["foot", "shoulder", "elbow"]
    assert np.array_equal(freed.qpos0, free.qpos0)


def test_the_policy_of_the_file_is_the_default():
    assert to_mjcf(arm(), base="as_is") == to_mjcf(arm())


def test_the_papers_of_a_fixed_base_say_how_it_was_made(tmp_path):
    export_mjcf(arm(), tmp_path / "arm", base="fixed")
    papers = (tmp_path / "arm" / "README.md").read_text()
    assert 'base="fixed"' in papers
    assert "Nothing in the source holds" not in papers


def test_a_base_that_there_is_not_is_the_callers_mistake():
    with pytest.raises(
        ValueError, match="unknown value 'welded' of base; expected one of: as_is, fixed, free"
    ):
        to_mjcf(arm(), base="welded")


# A mechanism that is moved as a whole: all that is fixed in the world moves, nothing moves within
# the mechanism.

X_WN = Pose.from_xyz_rpy((1.0, -2.0, 3.0), (0.1, 0.2, 0.3))
POINT = frozen((0.1, 0.2, 0.3))


@pytest.fixture
def mechanism() -> Mechanism:
    """A four-bar linkage on the world, with constraints and a spring to the world, and a free
    link.
    """
    links = [link(name) for name in ("crank", "coupler", "rocker", "free")]
    joints = [
        joint("a", WORLD, "crank", xyz=(0, 1, 0)),
        joint("b", "crank", "coupler", xyz=(0, 1, 0), X_PJ=Pose.of(p=(0.3, 0.0, 0.0))),
        joint("c", "coupler", "rocker", xyz=(0, 1, 0), X_PJ=Pose.of(p=(0.5, 0.0, 0.1))),
        joint(
            "d",
            "rocker",
            WORLD,
            JointType.BALL,
            X_PJ=Pose.of(p=(0.0, 0.0, 0.4)),
            X_CJ=Pose.of(p=(0.8, 0.0, 0.5)),
        ),
    ]
    ends = {"link_A": "crank", "link_B": WORLD, "p_AP": POINT, "p_BQ": frozen((0.5, 0.0, 0.0))}
    return lower(
        scene(
            links,
            joints,
            constraints=(BallConstraint(**ends), DistanceConstraint(**ends, distance=0.5)),
            forces=(SpringDamper(**ends, free_length=0.2, stiffness=10.0, damping=1.0),),
        )
    )


def separations(mechanism: Mechanism, q: dict[str, float]) -> list[float]:
    """Return the distances between the ends of closures, constraints and force elements."""
    poses = {i: mechanism.link_poses(q)[body.name] for i, body in enumerate(mechanism.bodies)} | {
        ROOT: IDENTITY
    }
    ends = [(c.parent, c.joint.X_PJ, c.child, c.joint.X_CJ) for c in mechanism.closures]
    connections = [
        c
        for c in (*mechanism.constraints, *mechanism.force_elements)
        if isinstance(c, BodyConnection)
    ]
    ends += [(c.body_a, c.X_AP, c.body_b, c.X_BQ) for c in connections]
    return [
        float(np.linalg.norm((poses[a] @ X_AP).p - (poses[b] @ X_BQ).p))
        for a, X_AP, b, X_BQ in ends
    ]


Q = {"a": 0.3, "b": -0.4, "c": 0.7}


def test_every_link_but_free_ones_in_given_positions_moves_with_the_frame(
    mechanism: Mechanism,
) -> None:
    before, after = mechanism.link_poses(Q), placed(mechanism, X_WN).link_poses(Q)
    for name, X_WL in before.items():
        assert after[name].is_close(X_WN @ X_WL)


def test_distances_of_closures_constraints_and_springs_stay(mechanism: Mechanism) -> None:
    before = separations(mechanism, Q)
    assert len(before) == 4
    assert min(before) > 0.0
    np.testing.assert_allclose(separations(placed(mechanism, X_WN), Q), before, atol=1e-14)


def test_distances_of_closures_constraints_and_springs_scale(mechanism: Mechanism) -> None:
    twice = scaled(mechanism, 2.0)
    np.testing.assert_allclose(
        separations(twice, Q), 2.0 * np.array(separations(mechanism, Q)), rtol=1e-14
    )
    elements = [c.element for c in (*twice.constraints, *twice.force_elements)]
    assert [getattr(e, "distance", getattr(e, "free_length", None)) for e in elements] == [
        None,
        1.0,
        0.4,
    ]


# A scaled mechanism: lengths change by the factor, masses stay.

SCALE = 3.0
LENGTHS = {"lower", "upper", "spring_reference"}
"""Fields of the axis of a slide that are lengths."""
NO_LENGTHS = {
    "effort", "velocity", "acceleration", "damping", "friction", "spring_stiffness", "inertia",
    "limit_stiffness", "limit_dissipation",
}  # fmt: skip
"""Fields that PyBullet keeps with ``globalScaling``."""


def test_a_field_of_an_axis_is_a_length_or_stays() -> None:
    values = {field.name: 0.5 for field in dataclasses.fields(JointAxis) if field.name != "xyz"}
    slide = joint("slide", WORLD, "a", JointType.PRISMATIC, axis=values)
    larger = scaled(lower(scene([link("a")], [slide])), SCALE).bodies[0].primitives[0].limits
    assert {name for name in values if getattr(larger, name) != values[name]} == LENGTHS
    assert {*values} == LENGTHS | NO_LENGTHS, "a new field is in one of the two tables"


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
