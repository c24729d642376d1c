"""Hulls of points have the volumes of solids that are known in closed form."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from bridge.parity.readings import hull_in_mujoco, hull_of_points, volume_and_sensitivity

mujoco = pytest.importorskip("mujoco")
CORNERS = np.array(list(product((0.0, 1.0), (0.0, 2.0), (0.0, 3.0))))


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e3])
def test_a_box_with_points_inside_has_its_volume_and_area(scale: float) -> None:
    inside = np.random.default_rng(0).uniform(0.1, 0.9, (50, 3))
    hull = hull_of_points(scale * (np.vstack((CORNERS, inside)) + 7.0))
    assert hull is not None
    volume, room = volume_and_sensitivity([hull, hull])
    assert volume == pytest.approx(2.0 * 6.0 * scale**3, rel=1e-6)
    assert room == pytest.approx(2.0 * 22.0 * 3.0 * scale**3, rel=1e-6)


def test_points_in_a_plane_have_no_hull() -> None:
    assert hull_of_points(CORNERS[:4]) is None
    assert hull_of_points(np.zeros((5, 3))) is None


def test_the_hull_of_a_compiled_model_is_that_with_which_it_collides() -> None:
    """A mesh that only draws has no hull."""
    vertices = " ".join(map(str, CORNERS.ravel()))
    model = mujoco.MjModel.from_xml_string(f"""
    <mujoco><asset><mesh name="a" vertex="{vertices}"/><mesh name="b" vertex="{vertices}"/></asset><worldbody>
    <geom type="mesh" mesh="a"/><geom type="mesh" mesh="b" contype="0" conaffinity="0"/></worldbody></mujoco>""")
    hull = hull_in_mujoco(model, 0)
    assert hull is not None
    assert volume_and_sensitivity([hull])[0] == pytest.approx(6.0, rel=1e-6)
    model.mesh_vert[:] *= 2.0
    doubled = hull_in_mujoco(model, 0)
    assert doubled is not None
    assert volume_and_sensitivity([doubled])[0] == pytest.approx(48.0, rel=1e-6)
