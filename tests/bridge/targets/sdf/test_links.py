"""Links, shapes, surfaces, materials, lights and sensors read back with all that they state."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.diff import differences
from bridge.targets.elements import add_if, add_parameters, add_pose, scale_of
from bridge.targets.sdf import to_sdf
from bridge.targets.sdf.document import build
from bridge.targets.sdf.link import References
from bridge.targets.xml import root_element, write
from loaders import model as m
from loaders.inertia import SpatialInertia
from loaders.pose import IDENTITY, Pose, frozen
from tests.support.scenes import UNIT_BOX, link, scene
from tests.support.sdf_writer import collision, read, shaped

# Links read back with all that they state.

X = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))


def test_all_values_of_a_link() -> None:
    looks = {
        "transparency": 0.5,
        "cast_shadows": False,
        "roles": ("perception",),
        "renderers": ("r",),
    }
    visual = m.Visual(name="v", X_LG=X, geometry=UNIT_BOX, **looks)
    given = scene(
        [
            link(
                "a",
                collisions=(m.Collision(name="c", X_LG=X, geometry=UNIT_BOX, density=5.0),),
                visuals=(visual,),
                sensors=(m.Sensor(name="s", type="imu", X_LS=X, update_rate=50.0),),
                gravity=False,
                kinematic=True,
                self_collide=False,
                enable_wind=True,
                velocity_decay=(0.1, 0.2),
                added_mass=frozen(np.arange(36.0).reshape(6, 6) + np.arange(36.0).reshape(6, 6).T),
                surface_velocity_axis=(0.0, 1.0, 0.0),
            )
        ],
        lights=(
            m.Light(
                name="a::lamp", type="spot", link="a", X_LLight=X, inner_angle=0.1, outer_angle=0.2
            ),
        ),
    )
    assert differences(build(given, {}).form.scene, read(given)) == ()


def test_a_deformable_link_keeps_its_properties() -> None:
    shape = m.Collision(name="c", X_LG=IDENTITY, geometry=UNIT_BOX)
    wall = ("wall_boundary_condition", "0.0 0.0 0.0 0.0 0.0 1.0")
    properties = (("youngs_modulus", "100000.0"), ("material_model", "linear"), wall)
    given = scene([link("a", collisions=(shape,), deformable=properties)])
    assert read(given).links[0].deformable == properties
    assert "<drake:point_on_plane>0.0 0.0 0.0</drake:point_on_plane>" in to_sdf(given)


@pytest.mark.parametrize("moments", [(0.0038, 0.0036, 0.0002), (1.0, 0.6, 0.4), (0.3, 0.3, 0.0)])
def test_drake_opens_flat_and_thin_links_in_any_orientation(
    moments: tuple[float, float, float],
) -> None:
    """libsdformat computes the principal moments of an inertia with products, and its errors made
    it refuse a world.
    """
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    from pydrake.multibody.plant import MultibodyPlant

    rotations = np.random.default_rng(0).uniform(-3.0, 3.0, (60, 3))
    frames = [Pose.from_xyz_rpy((0.1, 0.2, 0.3), rpy) for rpy in rotations.tolist()]
    inertias = [SpatialInertia.in_frame(2.0, X_LI, np.diag(moments)) for X_LI in frames]
    given = scene([link(f"l{i}", inertia=inertia) for i, inertia in enumerate(inertias)])
    text = str(to_sdf(given, quiet=True))
    model = text[text.index("<model") : text.rindex("</sdf>")]
    plant = MultibodyPlant(0.0)
    world = f'<sdf version="1.12"><world name="w">{model}</world></sdf>'
    parsing.Parser(plant).AddModelsFromString(world, "sdf")
    plant.Finalize()
    context = plant.CreateDefaultContext()
    for i, inertia in enumerate(inertias):
        found = plant.GetBodyByName(f"l{i}").CalcSpatialInertiaInBodyFrame(context)
        about_origin = np.asarray(found.CalcRotationalInertia().CopyToFullMatrix3())
        assert np.asarray(found.get_com()) == pytest.approx(inertia.p_LLcm, abs=1e-12)
        assert about_origin == pytest.approx(inertia.about((0.0, 0.0, 0.0)), abs=1e-12)


# Shapes of every kind read back with all their sizes.

SHAPES = (
    m.Box(size=(1.0, 2.0, 3.0)),
    m.Sphere(radius=0.1),
    m.Cylinder(radius=0.1, length=0.2),
    m.Capsule(radius=0.1, length=0.2),
    m.Cone(radius=0.1, length=0.2),
    m.Ellipsoid(radii=(0.1, 0.2, 0.3)),
    m.Plane(normal=(0.0, 0.6, 0.8), size=(2.0, 3.0)),
    m.Polyline(
        outlines=(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), ((0.1, 0.1), (0.2, 0.1), (0.1, 0.2))),
        height=0.5,
    ),
    m.Empty(),
    m.Mesh(
        uri="no.dae",
        path=None,
        scale=(1.0, 2.0, 3.0),
        submesh="part",
        center=True,
        convex=True,
        decomposition="convex_decomposition",
        max_convex_hulls=3,
        voxel_resolution=9,
    ),
    m.Heightmap(
        uri="no.png", path=None, size=(2.0, 3.0, 4.0), position=(1.0, 0.0, 0.0), sampling=2
    ),
)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_a_shape_reads_back(shape: m.Geometry) -> None:
    assert collision(shaped(shape)).geometry == shape


# Contact properties read back with all their values.

SURFACES = (
    m.Surface(restitution=0.5, restitution_threshold=0.1),
    m.Surface(
        stiffness=1e4,
        damping=2.0,
        max_velocity=0.1,
        min_depth=0.001,
        soft_cfm=0.1,
        soft_erp=0.2,
        collide_bitmask=3,
        category_bitmask=5,
        collide_without_contact=True,
    ),
    m.Surface(
        friction=m.Friction(
            mu=0.5, mu2=0.4, fdir1=(1.0, 0.0, 0.0), slip1=0.1, slip2=0.2, rolling=0.3
        )
    ),
    m.Surface(friction=m.Friction(torsional=0.1, patch_radius=0.2, torsional_slip=0.3)),
    m.Surface(friction=m.Friction(torsional=0.1, surface_radius=0.2, use_patch_radius=False)),
    m.Surface(
        friction=m.Friction(mu=0.3, mu2=0.3, mu_static=0.4), dissipation=1.0, relaxation_time=0.1
    ),
    m.Surface(
        hydroelastic=m.Hydroelastic(
            compliance="compliant", resolution_hint=0.1, modulus=1e7, margin=0.01
        )
    ),
)


@pytest.mark.parametrize("surface", SURFACES, ids=range(len(SURFACES)))
def test_a_surface_reads_back(surface: m.Surface) -> None:
    given = shaped(m.Sphere(radius=1.0), **{f: getattr(surface, f) for f in surface.__slots__})
    assert collision(given).surface == surface


# Materials and lights read back with all that they state.


def seen(material: m.Material) -> loaders.Scene:
    return scene(
        [
            link(
                "a",
                visuals=(m.Visual(name="v", X_LG=IDENTITY, geometry=UNIT_BOX, material=material),),
            )
        ]
    )


def test_colors_and_numbers_of_a_material() -> None:
    material = m.Material(
        diffuse=(0.1, 0.2, 0.3, 1.0),
        ambient=(0.4, 0.5, 0.6, 1.0),
        specular=(0.7, 0.8, 0.9, 1.0),
        emissive=(0.1, 0.1, 0.1, 1.0),
        shininess=3.0,
        metalness=0.5,
        roughness=0.25,
    )
    assert read(seen(material)).links[0].visuals[0].material == material


def test_a_texture_is_copied(tmp_path: Path) -> None:
    (tmp_path / "t.png").write_bytes(b"png")
    sdf = bridge.to_sdf(seen(m.Material(texture=str(tmp_path / "t.png"))))
    assert sdf.assets == {"t.png": b"png"}
    assert "<albedo_map>assets/t.png</albedo_map>" in sdf
    mapped = m.Material(
        texture=str(tmp_path / "t.png"), maps=(("albedo_map", str(tmp_path / "t.png")),)
    )
    assert bridge.to_sdf(seen(mapped)).count("<albedo_map>") == 1
    assert "albedo_map" not in bridge.to_sdf(seen(m.Material(roughness=0.5)))


def test_a_light_of_the_world() -> None:
    light = m.Light(
        name="sun",
        type="point",
        link=m.WORLD,
        X_LLight=Pose.of(p=(0.0, 0.0, 5.0)),
        range=20.0,
        attenuation=(0.5, 0.1, 0.2),
        cast_shadows=True,
        on=False,
        direction=(1.0, 0.0, 0.0),
    )
    (found,) = read(scene([link("a")], lights=(light,))).lights
    fields = (
        "type",
        "range",
        "attenuation",
        "cast_shadows",
        "on",
        "direction",
        "diffuse",
        "specular",
    )
    assert [getattr(found, field) for field in fields] == [
        getattr(light, field) for field in fields
    ]


@pytest.mark.parametrize("intensity", [1.0, 2.0, 0.5])
@pytest.mark.parametrize(
    "angles", [(0.1, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.3), (0.1, 0.2, 0.3)]
)
def test_each_number_of_a_light_is_read_back(
    intensity: float, angles: tuple[float, float, float]
) -> None:
    inner, outer, falloff = angles
    light = m.Light(
        name="sun",
        type="point",
        link=m.WORLD,
        X_LLight=IDENTITY,
        intensity=intensity,
        inner_angle=inner,
        outer_angle=outer,
        falloff=falloff,
    )
    (found,) = read(scene([link("a")], lights=(light,))).lights
    assert (found.intensity, found.inner_angle, found.outer_angle, found.falloff) == (
        intensity,
        *angles,
    )


@pytest.mark.parametrize("attenuation", [(2.0, 1.0, 0.0), (1.0, 2.0, 0.0), (1.0, 1.0, 1.0)])
def test_each_coefficient_of_attenuation_is_read_back(
    attenuation: tuple[float, float, float],
) -> None:
    light = m.Light(
        name="sun",
        type="point",
        link=m.WORLD,
        X_LLight=IDENTITY,
        range=10.0,
        attenuation=attenuation,
    )
    (found,) = read(scene([link("a")], lights=(light,))).lights
    assert found.attenuation == attenuation


@pytest.mark.parametrize("rate", [0.0, 1.0, 30.0])
def test_the_rate_of_a_sensor(rate: float) -> None:
    sensor = m.Sensor(name="s", type="imu", X_LS=IDENTITY, update_rate=rate)
    assert read(scene([link("a", sensors=(sensor,))])).links[0].sensors[0].update_rate == rate


# References are relative to the model that contains them.


def test_names_and_frames_in_a_scope() -> None:
    X = Pose.of(p=(1.0, 0.0, 0.0))
    given = scene([link("n::a", model="n")], frames=(m.Frame(name="n::f", link="n::a", X_LF=X),))
    names = References(given, "n::", {"n::a": Pose.of(p=(9.0, 0.0, 0.0))})
    assert names.link("n::a") == "a"
    assert names.link(m.WORLD) == m.WORLD
    assert names.frame("n::a", X) == "f"
    assert names.frame("n::a", IDENTITY) == "a"
    assert (names.scale("n::a"), names.scale(m.WORLD)) == (9.0, 1.0)


# Flat parameters become the elements that they were read from.


def test_repeated_paths_begin_a_new_element() -> None:
    root = root_element("sensor")
    add_parameters(root, [("a/b", "1"), ("a/c", "2"), ("a/b", "3"), ("a@x", "4"), ("a/b", "5")])
    parts = [[(child.tag, child.text) for child in part] for part in ET.fromstring(write(root))]
    assert parts == [[("b", "1"), ("c", "2"), ("b", "3")], [("b", "5")]]


def test_defaults_and_the_identity_are_left_out() -> None:
    root = root_element("link")
    add_if(root, "gravity", True, True)
    add_if(root, "mass", None)
    add_pose(root, Pose.of())
    assert len(root) == 0
    add_pose(root, Pose.from_xyz_rpy((0, 0, 0), (0, 1.57, 0.5)))
    assert root[0].get("rotation_format") == "quat_xyzw"
    assert scale_of(Pose.of(p=(-7.0, 0.0, 0.0))) == 7.0
