"""Shapes, drawings and friction that a scene states."""

from __future__ import annotations

import dataclasses

import bridge
from bridge.parity.readings import has_drawn_poses, model_surfaces, shapes_of
from loaders.model import Box, Collision, Empty, Friction, Mesh, Plane, Surface, Visual
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import UNIT_BOX, link, scene

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
