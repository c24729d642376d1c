"""``<inertial>``: declared, missing, and computed from the collisions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.sdf import (
    Q,
    link_with,
    read_sdf,
    transform,
)


def inertia_of(body: str, version: str = "1.7") -> tuple[float, list[float], NDArray[np.float64]]:
    found = (
        read_sdf(f"<model name='m'><link name='l'>{body}</link></model>", version).links[0].inertia
    )
    assert found is not None
    return found.mass, found.p_LLcm.tolist(), found.I_Lcm


@pytest.mark.parametrize(
    "inertial", ["", "<inertial/>", "<inertial><mass>1</mass><inertia/></inertial>"]
)
def test_a_missing_inertia_is_one_kilogram_with_unit_moments(inertial: str) -> None:
    inertia = link_with(inertial).inertia
    assert inertia is not None
    assert inertia.mass == 1
    assert np.array_equal(inertia.I_Lcm, np.eye(3))


def test_missing_moments_are_the_identity_for_any_mass() -> None:
    for body in ("", "<inertial/>"):
        mass, com, moments = inertia_of(body)
        assert (mass, com, moments.tolist()) == (1.0, [0.0, 0.0, 0.0], np.eye(3).tolist())
    mass, _, moments = inertia_of("<inertial><mass>3</mass></inertial>")
    assert (mass, moments.tolist()) == (3.0, np.eye(3).tolist())


def test_moments_are_rotated_from_the_inertial_frame_to_the_link() -> None:
    inertia = link_with(
        "<inertial><pose degrees='true'>0.1 0.2 0.3 0 0 "
        "90</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy>"
        "<izz>2.5</izz><ixy>0.1</ixy><ixz>0.2</ixz><iyz>0.3</iyz></inertia></inertial>"
    ).inertia
    assert inertia is not None
    assert inertia.p_LLcm.tolist() == [0.1, 0.2, 0.3]
    # x of the inertial frame is y of the link, and y is -x
    assert np.allclose(
        inertia.I_Lcm, [[2, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2.5]], atol=1e-15
    )


def test_the_pose_of_an_inertial_rotates_its_moments() -> None:
    values = "<ixx>2</ixx><iyy>3</iyy><izz>4</izz><ixz>0.5</ixz>"
    _, com, moments = inertia_of(
        f"<inertial><pose>0 0.3 0 {Q} 0 "
        f"0</pose><mass>5</mass><inertia>{values}</inertia></inertial>"
    )
    R = transform(0, 0, 0, roll=Q)[:3, :3]
    assert com == [0.0, 0.3, 0.0]
    np.testing.assert_allclose(
        moments, R @ np.array(((2, 0, 0.5), (0, 3, 0), (0.5, 0, 4))) @ R.T, atol=1e-15
    )


def test_moments_at_the_triangle_limit_and_zero_mass_are_valid() -> None:
    inertia_of(
        "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>3</izz></inertia></inertial>"
    )
    nothing = "<inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia>"
    inertia_of(f"<inertial><mass>0</mass>{nothing}</inertial>")


def test_an_impossible_inertia_is_kept_with_a_warning() -> None:
    scene = read_sdf(
        "<model name='m'><link "
        "name='a'><inertial><inertia><ixx>9</ixx></inertia></inertial></link></model>"
    )
    assert [entry.code for entry in scene.diagnostics] == ["model.impossible-inertia"]


def test_fluid_added_mass_is_a_symmetric_matrix_linear_first() -> None:
    added = link_with(
        "<inertial><fluid_added_mass><xx>1</xx><xq>2</xq><rr>3</rr></fluid_added_mass></inertial>"
    ).added_mass
    assert added is not None
    assert (added[0, 0], added[0, 4], added[4, 0], added[5, 5], np.count_nonzero(added)) == (
        1,
        2,
        2,
        3,
        4,
    )


def test_a_computed_inertia_uses_the_density_of_the_collision_the_inertial_or_water() -> None:
    def ball(name: str, x: float, density: str = "") -> str:
        shape = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
        return f"<collision name='{name}'><pose>{x} 0 0 0 0 0</pose>{density}{shape}</collision>"

    volume = 4 / 3 * math.pi * 0.1**3
    two = ball("left", -1, "<density>300</density>") + ball("right", 1)
    mass, com, moments = inertia_of(
        f"<inertial auto='true'><density>100</density></inertial>{two}", "1.11"
    )
    assert mass == pytest.approx(400 * volume)
    np.testing.assert_allclose(com, (-0.5, 0, 0), atol=1e-15)
    own = 0.4 * mass * 0.1**2
    apart = volume * (300 * 0.5**2 + 100 * 1.5**2)
    np.testing.assert_allclose(
        moments, np.diag((own, own + apart, own + apart)), rtol=1e-12, atol=1e-12
    )
    water, _, _ = inertia_of(f"<inertial auto='true'/>{ball('drop', 0)}", "1.11")
    assert water == pytest.approx(1000 * volume)
    weighed, _, scaled = inertia_of(
        f"<inertial auto='true'><mass>8</mass><density>100</density></inertial>{two}", "1.11"
    )
    assert weighed == 8.0
    np.testing.assert_allclose(scaled, moments * (8.0 / mass), rtol=1e-12, atol=1e-15)


def test_a_shape_without_volume_is_reported_with_its_scoped_name() -> None:
    collision = "<collision name='c'><geometry><plane/></geometry></collision>"
    model = f"<model name='m'><link name='l'><inertial auto='true'/>{collision}</link></model>"
    for body, subjects in (
        (model, ("l", "l::c")),
        (f"<world name='w'>{model}</world>", ("m::l", "m::l::c")),
    ):
        (entry,) = read_sdf(body, "1.11").diagnostics
        assert (entry.code, entry.subjects) == ("sdf.auto-inertia-shape", subjects)
