"""The diagnostics list what MJX refuses; MJX itself confirms the rules:
docs/make_accelerators_table.py.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import loaders
from bridge import to_mjcf
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Box,
    Collision,
    Cylinder,
    Ellipsoid,
    Geometry,
    Joint,
    JointAxis,
    JointType,
    Link,
    Model,
    Sensor,
    Sphere,
)
from loaders.pose import IDENTITY, frozen
from loaders.scene import Scene

UNIT = SpatialInertia.of(1.0, I_Lcm=np.eye(3))


def link(name: str, geometry: Geometry, **more: object) -> Link:
    shape = Collision(name=f"{name}_shape", X_LG=IDENTITY, geometry=geometry)
    return Link(name=name, model="m", X_WL=IDENTITY, inertia=UNIT, collisions=(shape,), **more)


def scene(*links: Link, joints: tuple[Joint, ...] = ()) -> Scene:
    model = Model(name="m", X_WM=IDENTITY, canonical_link=links[0].name)
    return Scene(name="m", models=(model,), links=links, joints=joints)


def reasons(of: Scene) -> list[str]:
    return [entry.message for entry in to_mjcf(of).diagnostics if entry.code == "mjcf.mjx"]


@pytest.mark.parametrize(
    "shape", [Cylinder(radius=0.1, length=0.2), Ellipsoid(radii=(0.1, 0.2, 0.3))]
)
def test_a_round_shape_that_may_touch_a_flat_one_is_reported(shape: Geometry) -> None:
    (message,) = reasons(scene(link("a", shape), link("b", Box(size=(1, 1, 1)))))
    assert f"a {type(shape).__name__.lower()} of a with a box of b" in message


def test_round_shapes_among_themselves_and_with_balls_are_fine() -> None:
    shapes = (
        Cylinder(radius=0.1, length=0.2),
        Ellipsoid(radii=(0.1, 0.2, 0.3)),
        Sphere(radius=0.1),
    )
    assert reasons(scene(*(link(f"l{i}", shape) for i, shape in enumerate(shapes)))) == []
    assert reasons(scene(link("a", Box(size=(1, 1, 1))), link("b", Sphere(radius=0.1)))) == []


def test_a_pair_that_never_touches_is_no_obstacle() -> None:
    hinge = Joint(
        name="j",
        type=JointType.REVOLUTE,
        parent="a",
        child="b",
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(JointAxis(xyz=frozen((0.0, 0.0, 1.0))),),
    )
    links = (link("a", Cylinder(radius=0.1, length=0.2)), link("b", Box(size=(1, 1, 1))))
    assert reasons(scene(*links, joints=(hinge,))) == []
    weld = dataclasses.replace(hinge, type=JointType.FIXED, parent=WORLD, child="a", axes=())
    assert len(reasons(scene(*links, joints=(weld,)))) == 1


def test_contact_sensors_and_wind_are_reported_in_the_same_entry() -> None:
    sensor = Sensor(name="bump", type="contact", X_LS=IDENTITY)
    windy = dataclasses.replace(
        scene(link("a", Sphere(radius=0.1), sensors=(sensor,))), wind=frozen((1.0, 0.0, 0.0))
    )
    (message,) = reasons(windy)
    assert "contact sensors that sum forces (bump)" in message
    assert "wind" in message


def test_a_contact_sensor_without_a_name_is_reported_too() -> None:
    body = '<body name="a"><geom size=".1"/><joint/></body>'
    text = f'<mujoco><worldbody>{body}</worldbody><sensor><contact body1="a"/></sensor></mujoco>'
    (message,) = reasons(loaders.load_string(text, format="mjcf"))
    assert "contact sensors that sum forces;" in message
