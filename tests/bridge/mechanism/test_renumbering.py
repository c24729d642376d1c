"""Exchanged bodies: all indices still refer to the bodies and joints of the same names."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from bridge.lowering import lower
from bridge.lowering.transform import with_base
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, BodyConnection, TendonConnection
from bridge.mechanism.mechanism import with_bodies
from loaders.model import (
    WORLD,
    Actuator,
    BallConstraint,
    Bushing,
    Coupling,
    JointType,
    SpringDamper,
    TendonConstraint,
)
from loaders.pose import IDENTITY, frozen
from tests.support.scenes import joint, link, random_axes, scene

POINT = frozen((0.1, 0.2, 0.3))


@pytest.fixture
def mechanism() -> Mechanism:
    """A free trunk with two legs, each of two links, and a weight that is fixed to the world."""
    links = [link(name) for name in ("trunk", "left", "left_foot", "right", "right_foot", "weight")]
    joints = [
        joint("left_hip", "trunk", "left"),
        joint("left_knee", "left", "left_foot"),
        joint("right_hip", "trunk", "right"),
        joint("right_knee", "right", "right_foot"),
        joint("ankle", "left_foot", "right_foot", JointType.BALL),
        joint("anchor", WORLD, "weight", JointType.FIXED),
    ]
    stiffness = frozen((1.0, 2.0, 3.0))
    return lower(
        scene(
            links,
            joints,
            actuators=(
                Actuator(name="m", joint="right_knee"),
                Actuator(name="none", joint="anchor"),
            ),
            couplings=(Coupling(follower="right_hip", leader="left_hip"),),
            constraints=(
                BallConstraint(link_A="left", link_B=WORLD, p_AP=POINT, p_BQ=POINT),
                TendonConstraint(joints=("left_knee", "right_knee"), coefficients=(1.0, -1.0)),
            ),
            forces=(
                SpringDamper(
                    link_A="trunk",
                    link_B="right",
                    p_AP=POINT,
                    p_BQ=POINT,
                    free_length=1.0,
                    stiffness=1.0,
                    damping=0.0,
                ),
                Bushing(
                    link_A="left",
                    link_C="weight",
                    X_LA=IDENTITY,
                    X_LC=IDENTITY,
                    torque_stiffness=stiffness,
                    torque_damping=stiffness,
                    force_stiffness=stiffness,
                    force_damping=stiffness,
                ),
            ),
        )
    )


def name_of(mechanism: Mechanism, body: int) -> str:
    return WORLD if body == ROOT else mechanism.bodies[body].name


def ends(
    mechanism: Mechanism, connections: tuple[BodyConnection | TendonConnection, ...]
) -> list[tuple[str, ...]]:
    """Return the names of the bodies of connections, and of the joints of tendons."""
    return [
        tuple("" if dof is None else mechanism.v_order[dof][0] for dof in c.dofs)
        if isinstance(c, TendonConnection)
        else (name_of(mechanism, c.body_a), name_of(mechanism, c.body_b))
        for c in connections
    ]


def test_lowering_resolves_names_to_indices(mechanism: Mechanism) -> None:
    dofs = [actuator.dof for actuator in mechanism.actuators]
    assert dofs == [mechanism.dof_index["right_knee", 0], None]
    assert ends(mechanism, mechanism.constraints) == [("left", WORLD), ("left_knee", "right_knee")]
    assert ends(mechanism, mechanism.force_elements) == [("trunk", "right"), ("left", "weight")]


def test_a_fixed_base_takes_its_velocities_out_of_all_indices(mechanism: Mechanism) -> None:
    fixed = with_base(mechanism, fixed=True)
    assert len(fixed.v_order) == len(mechanism.v_order) - 6
    assert [fixed.v_order[a.dof][0] for a in fixed.actuators if a.dof is not None] == ["right_knee"]
    (coupling,) = fixed.couplings
    assert [fixed.v_order[i][0] for i in (coupling.leader, coupling.follower)] == [
        "left_hip",
        "right_hip",
    ]
    assert ends(fixed, fixed.constraints) == ends(mechanism, mechanism.constraints)
    assert ends(fixed, fixed.force_elements) == ends(mechanism, mechanism.force_elements)
    starts = np.cumsum([0, *(body.nv for body in fixed.bodies)])[:-1]
    assert [body.v_start for body in fixed.bodies] == starts.tolist()


def test_a_freed_base_is_renumbered_and_back(mechanism: Mechanism) -> None:
    again = with_base(with_base(mechanism, fixed=True), fixed=False)
    assert {name for name, _ in again.v_order} == {name for name, _ in mechanism.v_order} | {
        "weight"
    }
    assert [again.v_order[a.dof][0] for a in again.actuators if a.dof is not None] == ["right_knee"]


def test_what_refers_to_a_body_that_is_gone_is_left_out(mechanism: Mechanism) -> None:
    index = mechanism.body_index
    names = ("trunk", "right", "right_foot")
    origins = [index[name] for name in names]
    number = {old: new for new, old in enumerate(origins)} | {ROOT: ROOT}
    bodies = [
        dataclasses.replace(mechanism.bodies[i], parent=number[mechanism.bodies[i].parent])
        for i in origins
    ]
    part = with_bodies(mechanism, bodies, origins)
    assert part.closures == ()
    assert part.couplings == ()
    assert ends(part, part.constraints) == [("", "right_knee")]
    assert ends(part, part.force_elements) == [("trunk", "right")]
    assert [a.dof for a in part.actuators] == [part.dof_index["right_knee", 0], None]


def test_each_velocity_of_a_joint_keeps_its_number() -> None:
    """A hinge follows the third velocity of a planar joint behind a base that is then fixed."""
    joints = [
        joint(
            "table",
            "base",
            "plate",
            JointType.PLANAR,
            axes=random_axes(JointType.PLANAR, np.random.default_rng(0)),
        ),
        joint("hinge", "plate", "flap"),
    ]
    couplings = (Coupling(follower="hinge", leader="table", leader_axis=2),)
    mechanism = lower(
        scene([link("base"), link("plate"), link("flap")], joints, couplings=couplings)
    )
    for changed in (mechanism, with_base(mechanism, fixed=True)):
        (coupling,) = changed.couplings
        assert changed.v_order[coupling.leader] == ("table", 2)
        assert changed.v_order[coupling.follower] == ("hinge", 0)
