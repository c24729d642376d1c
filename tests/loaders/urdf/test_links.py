"""Mass properties of the links of a URDF."""

from __future__ import annotations

import numpy as np
import pytest

import loaders
from tests.support.urdf_documents import codes, robot


def test_an_inertia_is_turned_into_the_axes_of_the_link() -> None:
    """A quarter turn about z swaps the x and y moments."""
    scene = robot(
        "<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass "
        "value='2'/>"
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


def test_lenient_loading_takes_a_mass_from_a_density_as_isaac_gym_does() -> None:
    """A box of 0.2 m x 0.3 m x 0.4 m at 500 kg/m^3, moved by 1 m in x, has 12 kg."""
    collision = (
        "<collision><origin xyz='1 0 0'/><geometry><box size='.2 .3 .4'/></geometry></collision>"
    )
    text = (
        f"<robot name='r'><link name='a'>{collision}<inertial><density "
        f"value='500'/></inertial></link></robot>"
    )
    with pytest.raises(loaders.LoadError, match="lenient=True"):
        loaders.load_string(text, format="urdf")
    inertia = loaders.load_string(text, format="urdf", lenient=True, quiet=True).links[0].inertia
    assert inertia is not None
    np.testing.assert_allclose((inertia.mass, *inertia.p_LLcm), (12, 1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(inertia.I_Lcm, np.diag((0.25, 0.2, 0.13)), atol=1e-15)


@pytest.mark.parametrize("inside", ["", "<density value='0'/>", "<density value='500'/>"])
def test_lenient_loading_leaves_out_an_inertial_without_a_mass(inside: str) -> None:
    text = f"<robot name='r'><link name='a'><inertial>{inside}</inertial></link></robot>"
    (link,) = loaders.load_string(text, format="urdf", lenient=True, quiet=True).links
    assert link.inertia is None
