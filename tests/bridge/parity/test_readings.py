"""Readings of shapes and actuators: hulls of known solids, what a scene states, and the trials of
actuators.
"""

from __future__ import annotations

import dataclasses
from itertools import product

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge.parity.readings import (
    actuator_trials,
    has_drawn_poses,
    hull_in_mujoco,
    hull_of_points,
    model_surfaces,
    shapes_of,
    stacked,
    untried_actuators,
    volume_and_sensitivity,
)
from loaders.model import Box, Collision, Empty, Friction, Mesh, Plane, Surface, Visual
from loaders.pose import IDENTITY, Pose
from tests.support.actuated_model import sdf
from tests.support.fault_robots import four_bar
from tests.support.scenes import UNIT_BOX, link, scene

# Hulls of points have the volumes of solids that are known in closed form.

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


# Shapes, drawings and friction that a scene states.

X_LG = Pose.of(p=(1.0, 0.0, 0.0))
SLIPPERY = Surface(friction=Friction(mu=0.3))


def test_the_shapes_of_a_link_are_those_with_extent() -> None:
    shapes = (
        Collision(name="box", X_LG=X_LG, geometry=Box(size=(2.0, 4.0, 6.0)), surface=SLIPPERY),
        Collision(name="none", X_LG=IDENTITY, geometry=Empty()),
    )
    carrier = dataclasses.replace(link("a"), collisions=shapes)
    found = model_surfaces(bridge.lower(scene([carrier, link("b")])))
    assert [shape.name for shape in shapes_of(carrier)] == ["box"]
    assert found.supports["a"][0, :6].tolist() == [2.0, 2.0, 3.0, 0.0, 2.0, 3.0]
    assert found.friction == {"a": [0.3]}
    assert "b" not in found.supports


def test_a_link_with_a_mesh_that_is_missing_has_no_reading() -> None:
    shapes = (
        Collision(name="gone", X_LG=X_LG, geometry=Mesh(uri="gone.stl", path=None)),
        Collision(name="box", X_LG=X_LG, geometry=UNIT_BOX),
    )
    carrier = dataclasses.replace(link("a"), collisions=shapes)
    assert model_surfaces(bridge.lower(scene([carrier]))).supports == {}


def test_planes_are_not_drawn_in_their_own_frame() -> None:
    drawn = {
        name: dataclasses.replace(
            link("a"), visuals=(Visual(name="v", X_LG=X_LG, geometry=geometry),)
        )
        for name, geometry in {"box": UNIT_BOX, "plane": Plane()}.items()
    }
    assert has_drawn_poses(drawn["box"])
    assert not has_drawn_poses(drawn["plane"])
    assert not has_drawn_poses(link("a"))
    assert model_surfaces(bridge.lower(scene([drawn["box"]]))).visuals == {"a": [X_LG]}


# The trials of actuators: which joints are tried, and what must follow.


def test_a_trial_stays_within_the_limits_of_the_joint_and_goes_beyond_those_of_the_effort() -> None:
    mechanism = bridge.lower(loaders.load_string(sdf(), format="sdf"))
    trials = actuator_trials(mechanism)
    hinge = trials["ja"]
    assert untried_actuators(mechanism) == ()
    assert (hinge.position, hinge.limit, hinge.gains) == (0.5, 10.0, (40.0, 6.0))
    assert -1.0 < hinge.position + hinge.displacement < 2.0
    assert max(hinge.commands) > hinge.limit > -hinge.limit > min(hinge.commands)
    assert hinge.efforts(10.0, (40.0, 6.0)) == pytest.approx([5.0, 10.0, -10.0, 4.0, -1.8])


def test_an_effort_of_zero_states_nothing() -> None:
    mechanism = bridge.lower(loaders.load_string(sdf(effort="0", gains=""), format="sdf"))
    assert set(actuator_trials(mechanism)) == {"jc"}


def test_a_law_of_mujoco_is_not_tried() -> None:
    text = (
        "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
        "<actuator><motor joint='j'/></actuator></mujoco>"
    )
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    assert (actuator_trials(mechanism), untried_actuators(mechanism)) == ({}, ("j",))


def test_a_joint_that_closes_a_loop_is_not_tried() -> None:
    mechanism = bridge.lower(four_bar())
    assert [closure.joint.name for closure in mechanism.closures] == ["close"]
    assert (set(actuator_trials(mechanism)), untried_actuators(mechanism)) == (
        {"ja", "jb", "jc"},
        ("close",),
    )


# The form of the readings of shapes.


def test_shapes_are_stacked_by_link() -> None:
    found = stacked([("a", np.zeros(2)), ("b", np.ones(2)), ("a", np.ones(2))])
    assert {name: each.shape for name, each in found.items()} == {"a": (2, 2), "b": (1, 2)}
