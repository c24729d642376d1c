"""Inertias that no rigid body has are repaired, and bodies that lack one get a minimum."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from bridge.lowering import lower
from bridge.lowering.inertia import with_repaired_inertia
from bridge.lowering.transform import mechanism_of
from loaders.diagnostics import Diagnostics, Fate
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, X_AXIS, Y_AXIS, Z_AXIS, JointType
from loaders.pose import Pose
from tests.support.scenes import link, scene
from tests.support.simple_scenes import joint
from tests.support.simple_scenes import link as simple_link
from tests.support.simple_scenes import scene as simple_scene

# Inertias that no rigid body can have, and the physical ones that replace them.

IMPOSSIBLE = SpatialInertia.of(1.0, I_Lcm=np.diag((1.0, 1.0, 3.0)))
"""One moment of inertia is larger than the sum of the others."""


def test_a_repair_names_the_link_and_what_is_wrong() -> None:
    diagnostics = Diagnostics()
    source = scene([dataclasses.replace(link("a"), inertia=IMPOSSIBLE), link("b")])
    repaired = with_repaired_inertia(source, diagnostics)
    (entry,) = diagnostics
    assert (entry.code, entry.fate, entry.subjects) == (
        "lower.repaired-inertia",
        Fate.REPAIRED,
        ("a",),
    )
    assert entry.arguments["mass"] == 1.0
    assert entry.arguments["defects"]
    a, b = repaired.links
    assert a.inertia is not None
    assert not a.inertia.defects()
    assert b.inertia is source.links[1].inertia


def test_a_scene_without_defects_is_returned_itself() -> None:
    diagnostics, source = Diagnostics(), scene([link("a")])
    assert with_repaired_inertia(source, diagnostics) is source
    assert not len(diagnostics)


def test_a_mechanism_is_repaired_through_its_scene() -> None:
    source = scene([dataclasses.replace(link("a"), inertia=IMPOSSIBLE)])
    for given in (source, mechanism_of(source)):
        mechanism = mechanism_of(given, repair_inertia=True)
        assert [entry.code for entry in mechanism.diagnostics] == ["lower.repaired-inertia"]
        assert not mechanism.bodies[0].inertia.defects()
    assert mechanism_of(source).bodies[0].inertia.defects()


# Minimum mass and inertia of bodies that lack them.


def test_a_free_link_without_mass_gets_a_speck_and_is_reported():
    mechanism = mechanism_of(
        simple_scene([simple_link("a", mass=0.0), simple_link("b")], [joint("j", "a", "b")])
    )
    assert [body.inertia.mass for body in mechanism.bodies] == [1e-9, 1.0]
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.massless-free-link"]
    assert np.linalg.eigvalsh(mechanism.mass_matrix())[0] > 0.0


def test_a_free_link_without_mass_needs_none_where_one_with_mass_is_welded_to_it():
    links = [
        simple_link("a", mass=0.0),
        simple_link("b", mass=0.0),
        simple_link("c"),
        simple_link("d", mass=0.0),
    ]
    joints = [
        joint("ab", "a", "b", JointType.FIXED),
        joint("bc", *"bc", JointType.FIXED),
        joint("cd", "c", "d"),
    ]
    mechanism = mechanism_of(simple_scene(links, joints))
    assert [body.inertia.mass for body in mechanism.bodies] == [0.0, 0.0, 1.0, 0.0]
    assert mechanism.diagnostics == ()


def test_a_free_point_mass_gets_an_inertia_and_is_reported():
    point = dataclasses.replace(simple_link("b", p=(0, 0, 1)), inertia=SpatialInertia.of(2.0))
    mechanism = mechanism_of(
        simple_scene(
            [simple_link("a", mass=0.0), point],
            [joint("ab", "a", "b", JointType.FIXED, X_PJ=point.X_WL)],
        )
    )
    assert [body.inertia.mass for body in mechanism.bodies] == [0.0, 2.0]
    assert [bool(body.inertia.I_Lcm.any()) for body in mechanism.bodies] == [False, True]
    assert mechanism.diagnostics[0].subjects == ("a", "b")
    assert [entry.code for entry in mechanism.diagnostics] == ["lower.thin-link"]
    assert np.linalg.eigvalsh(mechanism.mass_matrix())[0] > 0.0


def test_two_welded_point_masses_lack_inertia_about_their_line_and_three_do_not():
    points = [Pose.of(p=p) for p in ((0, 0, 0), (1, 0, 0), (0, 1, 0))]
    for count, codes in ((2, ["lower.thin-link"]), (3, [])):
        links = [
            dataclasses.replace(simple_link(f"l{i}"), X_WL=X_WL, inertia=SpatialInertia.of(1.0))
            for i, X_WL in enumerate(points[:count])
        ]
        joints = [
            joint(f"j{i}", "l0", f"l{i}", JointType.FIXED, X_PJ=points[i]) for i in range(1, count)
        ]
        assert [
            entry.code for entry in mechanism_of(simple_scene(links, joints)).diagnostics
        ] == codes


def gimbal(*axes, tip=1.0, between=0.0):
    """A point mass on hinges that meet in one point, on none of their axes."""
    names = ["stand", *(f"ring{i}" for i in range(len(axes) - 1))]
    links = [simple_link(name, mass=between) for name in names]
    point = dataclasses.replace(simple_link("tip"), inertia=SpatialInertia.of(tip, (0.5, 0.3, 0.2)))
    ends = zip(names, [*names[1:], "tip"], axes, strict=True)
    joints = [joint(f"j{child}", parent, child, axes=(axis,)) for parent, child, axis in ends]
    return simple_scene([*links, point], [joint("hold", WORLD, "stand", JointType.FIXED), *joints])


def test_a_point_mass_that_a_gimbal_turns_about_itself_gets_an_inertia_and_is_reported():
    spun = gimbal(Z_AXIS, Y_AXIS, X_AXIS)
    assert np.linalg.eigvalsh(lower(spun).mass_matrix())[0] == pytest.approx(0.0, abs=1e-15)
    mechanism = mechanism_of(spun)
    entry, still_light = mechanism.diagnostics
    assert (entry.code, "link tip" in entry.message) == ("lower.thin-link", True)
    assert still_light.code == "lower.singular-position"
    assert 1e-10 < np.linalg.eigvalsh(mechanism.mass_matrix())[0] < 1e-8


@pytest.mark.parametrize(
    "fine", [gimbal(Z_AXIS), gimbal(Z_AXIS, Y_AXIS), gimbal(Z_AXIS, Y_AXIS, X_AXIS, between=1.0)]
)
def test_a_point_mass_that_every_joint_must_push_is_left_as_it_is(fine):
    assert mechanism_of(fine).diagnostics == ()


def test_a_link_without_mass_that_hangs_from_the_world_is_left_as_it_is():
    mechanism = mechanism_of(simple_scene([simple_link("a", mass=0.0)], [joint("j", WORLD, "a")]))
    assert (mechanism.bodies[0].inertia.mass, mechanism.diagnostics) == (0.0, ())


def test_the_place_of_a_welded_mass_follows_from_both_frames_of_its_joint():
    """Joint frames 1 m along x on both links put the second mass at the first, so that all lie on
    one line.
    """
    places = zip("abc", (0, 0, 1), strict=True)
    links = [
        dataclasses.replace(simple_link(name, p=(0, y, 0)), inertia=SpatialInertia.of(1.0))
        for name, y in places
    ]
    at_x, at_y = Pose.of(p=(1, 0, 0)), Pose.of(p=(0, 1, 0))
    joints = [
        joint("ab", *"ab", JointType.FIXED, X_PJ=at_x, X_CJ=at_x),
        joint("ac", *"ac", JointType.FIXED, X_PJ=at_y),
    ]
    assert [entry.code for entry in mechanism_of(simple_scene(links, joints)).diagnostics] == [
        "lower.thin-link"
    ]


def test_the_first_welded_link_with_mass_gets_the_inertia():
    points = [
        dataclasses.replace(simple_link(name, p=p), inertia=SpatialInertia.of(1.0))
        for name, p in (("b", (0, 0, 1)), ("c", (0, 0, 2)))
    ]
    joints = [
        joint("ab", *"ab", JointType.FIXED, X_PJ=points[0].X_WL),
        joint("bc", *"bc", JointType.FIXED, X_PJ=Pose.of(p=(0, 0, 1))),
    ]
    mechanism = mechanism_of(simple_scene([simple_link("a", mass=0.0), *points], joints))
    assert [body.name for body in mechanism.bodies if body.inertia.I_Lcm.any()] == ["b"]


def test_a_point_mass_on_a_link_with_mass_needs_nothing_where_another_does():
    fine = dataclasses.replace(simple_link("fine"), inertia=SpatialInertia.of(1.0, (0.5, 0.3, 0.2)))
    spun = gimbal(Z_AXIS, Y_AXIS, X_AXIS)
    links, joints = (
        [*spun.links, simple_link("arm"), fine],
        [*spun.joints, joint("j1", WORLD, "arm"), joint("j2", "arm", "fine")],
    )
    entry, _ = mechanism_of(simple_scene(links, joints)).diagnostics
    assert entry.subjects == ("tip",)


# Positions at which almost nothing resists the motion of joints.


def shoulder(*axes, between=0.0, limit=np.inf, carried=1.0):
    """A body on hinges that meet in one point, of which each may have limits."""
    source = gimbal(*axes, between=between)
    body = dataclasses.replace(simple_link("tip"), inertia=SpatialInertia.of(carried, (0, 0, 0.3)))
    body = dataclasses.replace(body, inertia=dataclasses.replace(body.inertia, I_Lcm=np.eye(3)))
    limited = [
        dataclasses.replace(
            joint, axes=tuple(dataclasses.replace(a, lower=-limit, upper=limit) for a in joint.axes)
        )
        for joint in source.joints
    ]
    return dataclasses.replace(source, links=(*source.links[:-1], body), joints=tuple(limited))


def singular_positions(source):
    return [
        position
        for entry in mechanism_of(source).diagnostics
        if entry.code == "lower.singular-position"
        for position in entry.arguments["positions"]
    ]


TILTED = np.array((0.0, np.sin(1.0), np.cos(1.0)))
"""An axis at 1 rad from z, and at that angle from what the second hinge makes of z."""


@pytest.mark.parametrize(
    ("axes", "angles"),
    [
        ((Z_AXIS, X_AXIS, Y_AXIS), (-np.pi / 2, np.pi / 2)),
        ((Z_AXIS, Y_AXIS, Z_AXIS), (0.0, np.pi)),
        ((Z_AXIS, TILTED, Z_AXIS), (0.0,)),
        ((Z_AXIS, X_AXIS, TILTED), (1.0, 1.0 - np.pi)),
        ((X_AXIS, Z_AXIS, X_AXIS, Y_AXIS), (0.0, np.pi, -np.pi / 2, np.pi / 2)),
    ],
    ids=["x y z", "z y z", "tilted", "tilted last", "four hinges"],
)
def test_positions_at_which_a_hinge_aligns_its_neighbors_are_named(axes, angles):
    """The mass matrix is singular there, and nowhere between."""
    source = shoulder(*axes)
    named = singular_positions(source)
    mechanism = lower(source)
    joints = list(mechanism.v_order)
    for angle in angles:
        found = [
            float(np.linalg.eigvalsh(mechanism.mass_matrix({name: angle}))[0]) for name, _ in joints
        ]
        assert min(found) == pytest.approx(0.0, abs=1e-12)
        assert any(f"is {angle:.4g}" in each or "at the zero" in each for each in named)
    assert not any("nan" in each for each in named)


@pytest.mark.parametrize(
    "calm",
    [
        shoulder(Z_AXIS, X_AXIS),
        shoulder(Z_AXIS, X_AXIS, Y_AXIS, limit=1.5),
        shoulder(Z_AXIS, X_AXIS, Y_AXIS, between=0.1),
        shoulder(Z_AXIS, X_AXIS, np.array((np.sin(1.0), np.cos(1.0), 0.0))),
    ],
    ids=["two hinges", "limits", "links with mass", "never aligned"],
)
def test_hinges_that_always_push_a_mass_are_not_named(calm):
    assert singular_positions(calm) == []


def test_a_point_mass_in_the_plane_of_two_hinges_is_named():
    """Each hinge alone moves it; together they can turn about the line to it."""
    source = gimbal(Y_AXIS, Z_AXIS)
    for place, is_named in (((0.0, 0.3, 0.2), True), ((0.1, 0.3, 0.2), False)):
        point = dataclasses.replace(simple_link("tip"), inertia=SpatialInertia.of(1.0, place))
        placed = dataclasses.replace(source, links=(*source.links[:-1], point))
        least = np.linalg.eigvalsh(lower(placed).mass_matrix())[0]
        assert (least < 1e-15, bool(singular_positions(placed))) == (is_named, is_named)
