"""Fields that MJCF or MJX cannot hold are reported, and elements that only MuJoCo has are kept."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import bridge
import loaders
from bridge import to_mjcf
from loaders.diagnostics import Diagnostic, Fate
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Box,
    Collision,
    Cylinder,
    Ellipsoid,
    EngineElement,
    Friction,
    Geometry,
    Joint,
    JointAxis,
    JointType,
    Link,
    Material,
    Model,
    Physics,
    Sensor,
    Sphere,
    Visual,
)
from loaders.pose import IDENTITY, frozen
from loaders.scene import Scene
from tests.support.mjcf_documents import BALL, read
from tests.support.mjcf_scenes import ball, link, one_joint, scene_of, z_axis

# Fields that MJCF cannot hold are reported with field, value, subjects and place, and only if they
# are stated.


def findings(scene: Scene, code: str) -> list[Diagnostic]:
    return [entry for entry in to_mjcf(scene).diagnostics if entry.code == f"mjcf.{code}"]


def test_a_velocity_limit_is_reported_at_its_joint() -> None:
    (entry,) = findings(one_joint(z_axis(velocity=2.0)), "velocity-limit")
    assert (entry.fate, entry.subjects, entry.where.line) == (Fate.DROPPED, ("elbow",), 20)
    assert (entry.arguments["field"], entry.arguments["value"]) == ("velocity", "2")
    assert (
        entry.message
        == "joint elbow: velocity = 2 is left out; MuJoCo does not support velocity limits"
    )


def test_a_default_value_is_not_reported() -> None:
    assert findings(one_joint(z_axis()), "velocity-limit") == []


def test_findings_of_one_rule_share_their_template() -> None:
    scene = scene_of(
        *(link(name, collisions=(ball("c", friction=Friction(mu_static=0.9)),)) for name in "ab")
    )
    entries = findings(scene, "static-friction")
    assert [entry.subjects for entry in entries] == [("a", "a::c"), ("b", "b::c")]
    assert len({entry.template for entry in entries}) == 1


def test_an_invalid_time_step_states_the_one_that_is_used() -> None:
    (entry,) = findings(
        dataclasses.replace(one_joint(), physics=Physics(time_step=0.0)), "time-step"
    )
    assert entry.message == "invalid time step 0 s; using 0.001 s"


# The diagnostics list what MJX refuses; MJX itself confirms the rules:
# docs/make_accelerators_table.py.

UNIT = SpatialInertia.of(1.0, I_Lcm=np.eye(3))


def mjx_link(name: str, geometry: Geometry, **more: object) -> Link:
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
    (message,) = reasons(scene(mjx_link("a", shape), mjx_link("b", Box(size=(1, 1, 1)))))
    assert f"a {type(shape).__name__.lower()} of a with a box of b" in message


def test_round_shapes_among_themselves_and_with_balls_are_fine() -> None:
    shapes = (
        Cylinder(radius=0.1, length=0.2),
        Ellipsoid(radii=(0.1, 0.2, 0.3)),
        Sphere(radius=0.1),
    )
    assert reasons(scene(*(mjx_link(f"l{i}", shape) for i, shape in enumerate(shapes)))) == []
    assert (
        reasons(scene(mjx_link("a", Box(size=(1, 1, 1))), mjx_link("b", Sphere(radius=0.1)))) == []
    )


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
    links = (mjx_link("a", Cylinder(radius=0.1, length=0.2)), mjx_link("b", Box(size=(1, 1, 1))))
    assert reasons(scene(*links, joints=(hinge,))) == []
    weld = dataclasses.replace(hinge, type=JointType.FIXED, parent=WORLD, child="a", axes=())
    assert len(reasons(scene(*links, joints=(weld,)))) == 1


def test_range_finders_without_a_material_are_reported() -> None:
    lidar = Sensor(name="eye", type="ray", X_LS=IDENTITY)
    plain = mjx_link("a", Sphere(radius=0.1), sensors=(lidar,))
    (message,) = reasons(scene(plain))
    assert "range finders in a model without a material" in message
    shape = Visual(
        name="v",
        X_LG=IDENTITY,
        geometry=Sphere(radius=0.1),
        material=Material(name="red", diffuse=(1, 0, 0, 1), specular=(1, 1, 1, 1)),
    )
    assert reasons(scene(dataclasses.replace(plain, visuals=(shape,)))) == []


def test_contact_sensors_and_wind_are_reported_in_the_same_entry() -> None:
    sensor = Sensor(name="bump", type="contact", X_LS=IDENTITY)
    windy = dataclasses.replace(
        scene(mjx_link("a", Sphere(radius=0.1), sensors=(sensor,))), wind=frozen((1.0, 0.0, 0.0))
    )
    (message,) = reasons(windy)
    assert "contact sensors that sum forces (bump)" in message
    assert "wind" in message


def test_a_contact_sensor_without_a_name_is_reported_too() -> None:
    body = '<body name="a"><geom size=".1"/><joint/></body>'
    text = f'<mujoco><worldbody>{body}</worldbody><sensor><contact body1="a"/></sensor></mujoco>'
    (message,) = reasons(loaders.load_string(text, format="mjcf"))
    assert "contact sensors that sum forces;" in message


# Elements that only MuJoCo has; for their effect see the tests of the reader.


def with_element(element: EngineElement) -> Scene:
    return dataclasses.replace(
        read(f'<body name="a"><joint name="j"/>{BALL}</body>'), engine_elements=(element,)
    )


def sensor(joint: str, section: str = "sensor") -> EngineElement:
    return EngineElement(
        engine="mujoco", name="n", section=section, tag="jointpos", references=(("joint", joint),)
    )


def test_an_element_is_written_with_its_attributes() -> None:
    element = dataclasses.replace(sensor("j"), settings=(("cutoff", "2"), ("noise", "0.1")))
    assert '<jointpos name="n" joint="j" cutoff="2" noise="0.1"/>' in bridge.to_mjcf(
        with_element(element), quiet=True
    )


LIMIT = dataclasses.replace(sensor("j"), tag="jointlimitpos")


@pytest.mark.parametrize("element", [sensor("gone"), sensor("j", "custom"), LIMIT])
def test_an_element_that_has_no_place_is_reported(element: EngineElement) -> None:
    mjcf = bridge.to_mjcf(with_element(element), quiet=True)
    assert [e.code for e in mjcf.diagnostics if e.subjects[:1] == ("n",)] == ["mjcf.mujoco-element"]
    assert "jointpos" not in mjcf


def test_an_included_robot_keeps_its_sensors(tmp_path) -> None:  # type: ignore[no-untyped-def]
    import mujoco

    (tmp_path / "r.xml").write_text(
        '<mujoco model="r"><worldbody><body name="a"><joint name="j"/><geom '
        'size="0.1"/></body></worldbody>'
        '<sensor><jointpos name="q" joint="j"/></sensor></mujoco>'
    )
    include = "<include><uri>r.xml</uri><name>{}</name></include>"
    world = (
        f'<sdf version="1.9"><world '
        f'name="w">{include.format("left")}{include.format("right")}</world></sdf>'
    )
    (tmp_path / "w.sdf").write_text(world)
    mjcf = bridge.to_mjcf(loaders.load(tmp_path / "w.sdf", quiet=True), quiet=True)
    model = mujoco.MjModel.from_xml_string(mjcf)
    assert [model.sensor(i).name for i in range(model.nsensor)] == ["left::q", "right::q"]
    assert sorted(model.sensor_objid.tolist()) == [0, 1]
