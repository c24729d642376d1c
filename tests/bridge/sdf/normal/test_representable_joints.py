"""Joints are written so that their positions keep their meaning."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bridge
from bridge.diff.mechanics import mechanical_error
from bridge.targets.sdf.normal_joint import curve_range
from loaders import model as m
from loaders.pose import frozen
from tests.support.scenes import joint, link, random_axes, scene
from tests.support.sdf_writer import read

T = m.JointType


def test_a_planar_joint_in_any_axes_moves_the_same() -> None:
    axes = random_axes(T.PLANAR, np.random.default_rng(1), damping=0.5, friction=0.1)
    given = scene([link("a"), link("b")], [joint("j", "a", "b", T.PLANAR, axes=axes)])
    assert mechanical_error(given, read(given)).is_within(1e-9)
    assert {entry.code for entry in bridge.to_sdf(given).diagnostics} == {"sdfout.joint-property"}


def test_a_floating_joint_leaves_its_link_free() -> None:
    given = scene([link("a"), link("b")], [joint("j", "a", "b", T.FLOATING, axes=())])
    assert read(given).joints == ()


def test_limits_of_a_continuous_joint_are_left_out() -> None:
    axis = m.JointAxis(xyz=frozen((0, 0, 1)), lower=-1.0)
    given = scene([link("a"), link("b")], [joint("j", "a", "b", T.CONTINUOUS, axes=(axis,))])
    assert read(given).joints[0].axes[0].lower == -float("inf")


@pytest.mark.parametrize(
    ("periodic", "limits"),
    [(False, (0.0, 3.0)), (True, (-math.inf, math.inf))],
    ids=["open", "closed"],
)
def test_an_open_curve_has_limits_at_its_ends_and_a_closed_one_has_none(
    periodic: bool, limits: tuple[float, float]
) -> None:
    curve = m.Curve(
        initial_tangent=m.X_AXIS,
        plane_normal=m.Z_AXIS,
        arcs=(m.Arc(length=1.0, curvature=2.0), m.Arc(length=2.0)),
        periodic=periodic,
    )
    axes = (m.JointAxis(xyz=m.X_AXIS, lower=limits[0], upper=limits[1]),)
    given = joint("j", "b", "a", T.CURVILINEAR, axes=axes, curve=curve)
    assert curve_range(given) == limits
    found = next(
        each for each in read(scene([link("b"), link("a")], [given])).joints if each.name == "j"
    )
    assert (found.axes[0].lower, found.axes[0].upper) == limits
    assert bridge.to_sdf(scene([link("b"), link("a")], [given])).diagnostics == ()
