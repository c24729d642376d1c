"""Couplings and gearboxes of a lowered scene."""

import math

import pytest

from bridge.lowering import lower
from loaders.model import WORLD, X_AXIS, Y_AXIS, Z_AXIS, Coupling, JointType
from loaders.pose import Pose, frozen
from tests.support.simple_scenes import joint, link, scene


def test_couplings_are_by_velocity_component():
    joints = [
        joint("a", WORLD, "x"),
        joint("b", "x", "y", JointType.UNIVERSAL, axes=(X_AXIS, Y_AXIS)),
    ]
    follow = Coupling(follower="b", follower_axis=1, leader="a", multiplier=-2.0, offset=0.5)
    (coupling,) = lower(scene([link("x"), link("y")], joints, couplings=(follow,))).couplings
    assert (coupling.follower, coupling.leader) == (2, 0)
    assert (coupling.multiplier, coupling.offset) == (-2.0, 0.5)


@pytest.mark.parametrize(("follower", "leader"), ["aw", "wa"])
def test_a_coupling_to_a_weld_is_reported(follower, leader):
    joints = [joint("a", WORLD, "x"), joint("w", "x", "y", JointType.FIXED)]
    coupling = Coupling(follower=follower, leader=leader)
    mechanism = lower(scene([link("x"), link("y")], joints, couplings=(coupling,)))
    assert mechanism.couplings == ()
    (entry,) = mechanism.diagnostics
    assert (entry.code, entry.arguments["immobile"]) == ("lower.coupling-without-freedom", "w")


def test_a_gearbox_turns_its_second_link_against_the_first():
    links = [link("frame"), link("in"), link("out")]
    joints = [
        joint("hold", WORLD, "frame", JointType.FIXED),
        joint("j_in", "frame", "in"),
        joint("j_out", "frame", "out", axes=(frozen((0, 0, -1)),)),
        joint(
            "gears",
            "in",
            "out",
            JointType.GEARBOX,
            axes=(Z_AXIS, Z_AXIS),
            gear_ratio=3.0,
            gear_reference="frame",
        ),
    ]
    mechanism = lower(scene(links, joints))
    (coupling,) = mechanism.couplings
    assert mechanism.closures == ()
    assert [mechanism.v_order[i][0] for i in (coupling.leader, coupling.follower)] == [
        "j_in",
        "j_out",
    ]
    assert coupling.multiplier == 3.0  # -3 about z is 3 about the hinge that points down


def test_a_bevel_gear_with_one_stated_axis_turns_by_the_ratio_of_sdformat():
    """``theta_2 = -gearbox_ratio * theta_1``: the axis of the first shaft is normal to the
    second.
    """
    joints = [
        joint("hold", WORLD, "frame", JointType.FIXED),
        joint("j_in", "frame", "in", axes=(X_AXIS,)),
        joint("j_out", "frame", "out", axes=(Y_AXIS,)),
        joint(
            "gears",
            "in",
            "out",
            JointType.GEARBOX,
            axes=(X_AXIS,),
            gear_ratio=3.0,
            gear_reference="frame",
        ),
    ]
    (coupling,) = lower(scene([link("frame"), link("in"), link("out")], joints)).couplings
    assert coupling.multiplier == -3.0


def test_each_axis_of_a_gearbox_is_compared_with_its_hinge_in_the_frame_of_its_link():
    """The second link is turned by half a turn about x, so that x axes agree and z axes are
    opposite.
    """
    X_turned = Pose.from_xyz_rpy((0, 0, 0), (math.pi, 0, 0))
    joints = [
        joint("hold", WORLD, "frame", JointType.FIXED),
        joint("j_in", "frame", "in", axes=(X_AXIS,)),
        joint("j_out", "frame", "out", X_PJ=X_turned),
        joint(
            "gears",
            "in",
            "out",
            JointType.GEARBOX,
            axes=(X_AXIS, Z_AXIS),
            X_CJ=X_turned,
            gear_ratio=3.0,
            gear_reference="frame",
        ),
    ]
    (coupling,) = lower(scene([link("frame"), link("in"), link("out")], joints)).couplings
    assert coupling.multiplier == 3.0


def test_a_gearbox_has_an_axis_for_each_link():
    joints = [
        joint("hold", WORLD, "frame", JointType.FIXED),
        joint("j_in", "frame", "in"),
        joint("j_out", "frame", "out"),
        joint(
            "gears",
            "in",
            "out",
            JointType.GEARBOX,
            axes=(Z_AXIS, frozen((0, 0, -1))),
            gear_ratio=3.0,
            gear_reference="frame",
        ),
    ]
    (coupling,) = lower(scene([link("frame"), link("in"), link("out")], joints)).couplings
    assert coupling.multiplier == 3.0
