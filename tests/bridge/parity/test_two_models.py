"""A simulator that runs two models finds the difference that one has from the other."""

from __future__ import annotations

import pytest

from bridge.diff.files import compare_files
from bridge.parity.two_models import errors_in_simulators
from loaders.model import JointType
from loaders.scene import Scene
from loaders.spatial import Pose, SpatialInertia, frozen_matrix
from tests.support.scenes import joint, link, scene


def pendulum(mass: float, *names: str) -> Scene:
    base, bob, hinge = names
    inertia = SpatialInertia.in_frame(mass, Pose.of(p=(1.0, 0.0, 0.0)), frozen_matrix(1, 0, 0, 0, 1, 0, 0, 0, 1))
    joints = [joint(f"{hinge}_hold", "world", base, JointType.FIXED, axes=()), joint(hinge, base, bob)]
    return scene([link(base), link(bob, inertia=inertia)], joints)


@pytest.mark.parametrize("engine", ["reference", "mujoco"])
def test_equal_models_under_other_names_agree(engine: str) -> None:
    a, b = pendulum(2.0, "base", "bob", "hinge"), pendulum(2.0, "x", "y", "z")
    error = errors_in_simulators(a, b, [engine], compare_files(a, b))[engine]
    assert error.is_within(1e-9)


@pytest.mark.parametrize("engine", ["reference", "mujoco"])
def test_another_mass_is_found(engine: str) -> None:
    a, b = pendulum(2.0, "base", "bob", "hinge"), pendulum(3.0, "base", "bob", "hinge")
    error = errors_in_simulators(a, b, [engine], compare_files(a, b))[engine]
    assert error.mass == pytest.approx(0.5)
    assert error.mass_matrix > 0.1
    assert error.pose == 0.0


def test_a_missing_joint_is_named() -> None:
    a, b = pendulum(2.0, "base", "bob", "hinge"), scene([link("base")])
    error = errors_in_simulators(a, b, ["reference"], compare_files(a, b))["reference"]
    assert "hinge" in error.missing
