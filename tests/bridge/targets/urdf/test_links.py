"""Poses, inertias, shapes and contact properties of links, read back."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bridge.targets.urdf.link import axis_text, pose_attributes, vector
from loaders import model as m
from loaders.model.contact import UNIT_PATCH_RADIUS, torsional_length
from loaders.pose import IDENTITY, Pose, rotation_about
from tests.code_examples import scenes as s
from tests.support.urdf_writer import element, read

# Inertias, shapes and contact properties of links, read back.


@pytest.mark.parametrize(
    "shape",
    [
        m.Box(size=(1.0, 2.0, 3.0)),
        m.Sphere(radius=2.0),
        m.Cylinder(radius=1.0, length=2.0),
        m.Capsule(radius=1.0, length=2.0),
    ],
)
def test_shapes(shape: m.Geometry) -> None:
    assert read(s.touching(shape)).links[0].collisions[0].geometry == shape


@pytest.mark.parametrize(
    ("shape", "extension"),
    [(m.Ellipsoid(radii=(1.0, 2.0, 3.0)), "drake"), (m.Plane(normal=(0.0, 1.0, 0.0)), "pybullet")],
)
def test_shapes_that_one_reader_knows(shape: m.Geometry, extension: str) -> None:
    assert read(s.touching(shape), extensions=(extension,)).links[0].collisions[0].geometry == shape


def test_a_mesh_before_a_capsule_is_for_readers_that_do_not_know_it() -> None:
    capsule = s.touching(m.Capsule(radius=1.0, length=2.0))
    shapes = element(capsule, ".//collision/geometry")
    assert [shape.tag for shape in shapes] == ["mesh", "capsule"]
    shapes = element(capsule, ".//collision/geometry", extensions=("drake", "pybullet"))
    assert [shape.tag for shape in shapes] == ["capsule"]


@pytest.mark.parametrize(
    "surface",
    [
        {"friction": m.Friction(mu=0.5, mu2=0.5)},
        {"friction": m.Friction(mu=0.5, mu2=0.25, fdir1=(1.0, 0.0, 0.0))},
        {"friction": m.Friction(mu=0.5, mu2=0.5, mu_static=0.75)},
        {
            "friction": m.Friction(
                mu=0.5, mu2=0.5, rolling=0.1, torsional=0.2, patch_radius=UNIT_PATCH_RADIUS
            )
        },
        {"stiffness": 100.0, "damping": 3.0, "max_velocity": 0.5, "min_depth": 0.01},
        {"restitution": 0.5, "soft_cfm": 0.1, "soft_erp": 0.2},
        {"dissipation": 0.5, "relaxation_time": 0.1},
        {
            "hydroelastic": m.Hydroelastic(
                compliance="compliant", modulus=1e6, resolution_hint=0.1, margin=0.01
            )
        },
    ],
)
def test_surfaces(surface: dict[str, object]) -> None:
    found = read(s.touching(m.Sphere(radius=1.0), **surface)).links[0].collisions[0].surface
    assert found == m.Surface(**surface)  # type: ignore[arg-type]


def test_torsional_friction_is_written_as_a_length() -> None:
    """URDF's ``<spinning_friction>`` is that of PyBullet: torque over normal force [m]."""
    scene = s.touching(
        m.Sphere(radius=1.0), friction=m.Friction(mu=0.5, mu2=0.5, torsional=0.5, patch_radius=0.02)
    )
    length = 3.0 * math.pi / 16.0 * 0.5 * 0.02
    written = element(scene, ".//contact/spinning_friction")
    assert float(written.get("value")) == pytest.approx(length, rel=1e-12)
    assert torsional_length(read(scene).links[0].collisions[0].surface.friction) == pytest.approx(
        length, rel=1e-12
    )


def test_materials() -> None:
    material = m.Material(name="red", diffuse=(1.0, 0.0, 0.0, 0.5), specular=(0.5, 0.5, 0.5, 1.0))
    assert read(s.seen(material=material)).links[0].visuals[0].material == material


def test_roles_and_renderers() -> None:
    found = read(s.seen(roles=("perception",), renderers=("vtk",))).links[0].visuals[0]
    assert (found.roles, found.renderers) == (("perception",), ("vtk",))


def test_the_surface_velocity_of_a_conveyor() -> None:
    assert read(s.one(surface_velocity_axis=(0.0, 1.0, 0.0))).links[0].surface_velocity_axis == (
        0.0,
        1.0,
        0.0,
    )


def test_a_declared_convex_mesh() -> None:
    shape = m.Collision(
        name="c", X_LG=IDENTITY, geometry=m.Mesh(uri="no.obj", path=None, convex=True)
    )
    assert element(s.one(collisions=(shape,)), ".//mesh/drake:declare_convex") is not None


# Poses read back as they were and keep their text, also where roll and yaw are hardly defined.


def parsed(attributes: dict[str, object]) -> Pose:
    xyz, rpy = (
        [float(word) for word in str(attributes.get(key, "0 0 0")).split()]
        for key in ("xyz", "rpy")
    )
    return Pose.from_xyz_rpy(xyz, rpy)


@pytest.mark.parametrize("distance", [0.5, 0.019, 1e-3, 1e-6, 1e-9, 1e-12, 0.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rotations_near_a_pitch_of_90_degrees(distance: float, sign: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        roll, yaw = rng.uniform(-3.0, 3.0, 2)
        X = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (roll, sign * (math.pi / 2 - distance), yaw))
        other = Pose.from_xyz_rpy((0.0, 0.0, 0.0), rng.uniform(-1.0, 1.0, 3))
        X = other @ (other.inverse() @ X)  # with the rounding errors of a computed pose
        text = pose_attributes(X)
        again = parsed(text)
        assert again.is_close(X, 1e-12)
        assert pose_attributes(again) == text


def test_the_identity_is_written_as_nothing() -> None:
    assert pose_attributes(Pose.of()) == {}


def test_an_axis_keeps_its_text_when_it_is_read() -> None:
    rng = np.random.default_rng(0)
    for v in rng.normal(size=(200, 3)):
        text = axis_text(v / np.linalg.norm(v))
        values = [float(word) for word in text.split()]
        assert axis_text([x / math.hypot(*values) for x in values]) == text


def test_rounding_errors_are_removed() -> None:
    assert vector((0.1 + 0.2, 1e-17, 1.0)) == (0.3, 0.0, 1.0)


@pytest.mark.parametrize("roll", [math.pi - 1e-11, 1e-11 - math.pi])
def test_half_a_turn_near_a_pitch_of_90_degrees_has_one_sign(roll: float) -> None:
    pitch = 1.5705926535898
    R = rotation_about((0.0, 1.0, 0.0), pitch) @ rotation_about((1.0, 0.0, 0.0), roll)
    first = pose_attributes(Pose.of(R))
    assert first == pose_attributes(parsed(first))
    assert str(first["rpy"]).startswith("3.141592653589793 ")
