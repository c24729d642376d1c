"""The mechanics of two scenes are compared at random positions."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.diff.mechanics import MAX_DOFS, SMALLEST, mechanical_error
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType
from loaders.pose import Pose
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, joint, link, scene

ASSETS = Path(__file__).parents[3] / "assets"
ARM = scene([link("a"), link("b")], [joint("j", "a", "b")])


def test_equal_scenes_have_no_error() -> None:
    assert mechanical_error(ARM, ARM).is_within(0.0)


def test_a_moved_joint_a_mass_and_a_pair_are_found() -> None:
    moved = scene([link("a"), link("b")], [joint("j", "a", "b", X_PJ=Pose.of(p=(0.0, 0.0, 0.5)))])
    assert abs(mechanical_error(ARM, moved).pose - 0.5) < 0.5
    heavy = scene(
        [link("a", inertia=SpatialInertia.of(2.0, I_Lcm=ARM.links[0].inertia.I_Lcm)), link("b")],
        ARM.joints,
    )
    assert mechanical_error(ARM, heavy).mass == 1.0
    boxes = scene([link("a", shape=UNIT_BOX), link("b", shape=UNIT_BOX)])
    joined = dataclasses.replace(boxes, joints=ARM.joints)
    assert mechanical_error(joined, boxes).missing == ("j",)


@pytest.mark.parametrize("factor", [1.00001, 2.0])
def test_the_inertia_of_a_small_link_is_compared_beside_a_heavy_one(factor: float) -> None:
    """The mass matrix of two hinges on the world is diagonal: 10 and 1e-6 kg m^2; the small one
    differs.
    """

    def hinges(small: float) -> Scene:
        moments = {"big": 10.0, "small": small}
        links = [
            link(name, inertia=SpatialInertia.of(1.0, I_Lcm=J * np.eye(3)))
            for name, J in moments.items()
        ]
        return scene(links, [joint(f"j_{name}", WORLD, name) for name in moments])

    error = mechanical_error(hinges(1e-6), hinges(factor * 1e-6))
    assert error.mass_matrix == pytest.approx((factor - 1.0) * 1e-6 / (SMALLEST * 10.0), rel=1e-6)
    assert error.mass_matrix > 1e-9
    comparison = bridge.compare_files(hinges(1e-6), hinges(factor * 1e-6))
    assert comparison.verdict == "DIFFERENT"
    assert comparison.summary.startswith(
        "1 difference; they do not move alike: mass matrices differ by"
    )


def test_other_names_are_followed() -> None:
    other = scene([link("a"), link("c")], [joint("k", "a", "c")])
    assert mechanical_error(ARM, other).missing == ("b", "j")
    assert mechanical_error(ARM, other, {"b": "c", "j": "k"}).is_within(1e-12)


def test_a_free_link_moves_by_its_joint_whatever_the_name_of_that() -> None:
    """SDFormat has no floating joint: a link without a joint is free. MJCF names the joint as it
    likes.
    """
    implicit = scene([link("a")])
    stated = scene([link("a")], [joint("base", WORLD, "a", JointType.FLOATING, axes=())])
    assert mechanical_error(implicit, stated).is_within(1e-12)
    assert mechanical_error(stated, implicit).is_within(1e-12)
    assert mechanical_error(implicit, stated, {"joint a": "base"}).is_within(1e-12)
    held = scene([link("a")], [joint("base", WORLD, "a", JointType.FIXED)])
    assert mechanical_error(implicit, held).missing == ("a",)


def test_a_joint_that_moves_in_b_only_is_found() -> None:
    held = dataclasses.replace(
        ARM, joints=(*ARM.joints, joint("mount", WORLD, "a", JointType.FIXED, axes=()))
    )
    assert mechanical_error(held, ARM).added == ("a",)
    assert mechanical_error(held, ARM).reasons(1e-9) == ("only B moves a",)
    assert mechanical_error(ARM, held).missing == ("a",)


def test_pairs_that_may_touch_are_compared_on_request() -> None:
    boxes = scene([link("a", shape=UNIT_BOX), link("b", shape=UNIT_BOX)])
    bare = scene([link("a", shape=UNIT_BOX), link("b")])
    assert mechanical_error(boxes, bare).pairs == ("a and b",)
    assert mechanical_error(boxes, bare, pairs=False).pairs == ()


def test_pairs_of_two_formats_are_those_of_the_rule_of_each(tmp_path: Path) -> None:
    """The rules of Drake and of MuJoCo for links that no file names differ; the export states the
    pairs.
    """
    source, written = (
        loaders.load(ASSETS / "arm" / "model.sdf"),
        bridge.export_mjcf(ASSETS / "arm" / "model.sdf", tmp_path / "arm").path,
    )
    assert source.excluded_collision_pairs("mujoco") != source.excluded_collision_pairs("drake")
    assert mechanical_error(source, loaders.load(written)).pairs == ()
    text = written.read_text()
    written.write_text(text.replace('<exclude body1="pedestal" body2="turret"/>', ""))
    assert text != written.read_text()
    assert mechanical_error(source, loaders.load(written)).pairs == ("pedestal and turret",)


@pytest.mark.parametrize("count", [MAX_DOFS, MAX_DOFS + 1])
def test_mass_matrices_are_compared_up_to_a_number_of_velocities(count: int) -> None:
    """The closed form of a slider: its mass matrix is its mass, and the masses of the links are
    compared always.
    """

    def sliders(mass: float) -> Scene:
        inertia = SpatialInertia.of(mass, I_Lcm=ARM.links[0].inertia.I_Lcm)
        links = [link(f"l{i}", inertia=inertia) for i in range(count)]
        return scene(
            links, [joint(f"j{i}", WORLD, f"l{i}", JointType.PRISMATIC) for i in range(count)]
        )

    error = mechanical_error(sliders(1.0), sliders(3.0), configurations=1, pairs=False)
    assert error.mass == 2.0
    assert error.mass_matrix == (2.0 if count <= MAX_DOFS else 0.0)
