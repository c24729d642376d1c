"""Mass properties of the links of a URDF."""

from __future__ import annotations

import numpy as np

from tests.support.urdf_documents import codes, robot


def test_an_inertia_is_turned_into_the_axes_of_the_link() -> None:
    """A quarter turn about z swaps the x and y moments."""
    scene = robot(
        "<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
        "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1'/></inertial></link>"
    )
    inertia = scene.links[0].inertia
    assert inertia is not None
    assert inertia.mass == 2.0
    np.testing.assert_allclose(inertia.p_LLcm, (1, 2, 3))
    np.testing.assert_allclose(inertia.I_Lcm, ((2, -0.1, 0), (-0.1, 1, 0), (0, 0, 2.5)), atol=1e-15)


def test_a_missing_inertial_stays_missing() -> None:
    assert robot("<link name='a'/>").links[0].inertia is None


def test_a_mass_without_inertia_is_a_point() -> None:
    scene = robot("<link name='a'><inertial><mass value='2'/></inertial></link>")
    assert scene.links[0].inertia is not None
    assert not scene.links[0].inertia.I_Lcm.any()
    assert codes(scene) == ["urdf.missing-inertia"]
