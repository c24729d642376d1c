"""Shapes, materials and surfaces that URDF lacks: their meshes mean the same in MuJoCo and
PyBullet, or they are left out.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import trimesh

import bridge
from bridge.targets.report import Report
from bridge.targets.urdf.normal_link import box_of_plane, friction_of_link, meshes_of
from loaders import model as m
from loaders.diagnostics import NOWHERE
from loaders.model.link import DEFAULT_COLOR
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from tests.code_examples import scenes as s
from tests.support.scenes import UNIT_BOX, joint, link, scene
from tests.support.urdf_writer import read

# A document with shapes that URDF lacks opens in MuJoCo and PyBullet too, and means the same there.

SHAPES = {
    "capsule": m.Capsule(radius=0.1, length=0.4),
    "ellipsoid": m.Ellipsoid(radii=(0.1, 0.2, 0.3)),
    "plane": m.Plane(normal=(0.6, 0.0, 0.8)),
}


@pytest.fixture(params=SHAPES)
def document(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    shape = SHAPES[request.param]
    (drawn,) = s.seen(shape).links
    given = s.touching(shape)
    given = dataclasses.replace(
        given, links=(dataclasses.replace(given.links[0], visuals=drawn.visuals),)
    )
    return bridge.export_urdf(given, tmp_path / "out", quiet=True).path


def test_mujoco_opens_each_shape(document: Path) -> None:
    assert mujoco.MjModel.from_xml_path(str(document)).ngeom == 1


def test_pybullet_opens_each_shape(document: Path) -> None:
    pybullet = pytest.importorskip("pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    try:
        body = pybullet.loadURDF(str(document), physicsClientId=client)
        assert len(pybullet.getCollisionShapeData(body, -1, physicsClientId=client)) == 1
    finally:
        pybullet.disconnect(physicsClientId=client)


def test_drake_opens_each_shape(document: Path) -> None:
    plant_module = pytest.importorskip("pydrake.multibody.plant")
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    framework = pytest.importorskip("pydrake.systems.framework")
    plant, graph = plant_module.AddMultibodyPlantSceneGraph(framework.DiagramBuilder(), 0.001)
    parsing.Parser(plant).AddModels(str(document))
    plant.Finalize()
    assert graph.model_inspector().num_geometries() == 2


def test_a_capsule_stays_exact_in_mujoco(tmp_path: Path) -> None:
    path = bridge.export_urdf(s.touching(SHAPES["capsule"]), tmp_path / "out", quiet=True).path
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.geom_type[0] == mujoco.mjtGeom.mjGEOM_CAPSULE
    np.testing.assert_allclose(model.geom_size[0, :2], (0.1, 0.2), atol=1e-12)


@pytest.mark.parametrize("normal", [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.6, 0.0, 0.8)])
def test_a_side_of_the_box_is_in_the_plane(normal: tuple[float, float, float]) -> None:
    box, X_GB = box_of_plane(m.Plane(normal=normal), collides=True)
    above, below = ((0.0, 0.0, sign * box.size[2] / 2.0) for sign in (1.0, -1.0))
    top, bottom = ((X_GB @ Pose.of(p=p)).p @ np.array(normal) for p in (above, below))
    assert top == pytest.approx(0.0, abs=1e-12)
    assert bottom == pytest.approx(-box.size[2])


def test_a_plane_that_is_only_drawn_keeps_its_size() -> None:
    visual = read(s.seen(m.Plane(size=(3.0, 4.0)))).links[0].visuals[0]
    assert isinstance(visual.geometry, m.Box)
    assert visual.geometry.size[:2] == (3.0, 4.0)


def test_the_box_of_a_plane_is_an_approximation_that_is_reported() -> None:
    (entry,) = [entry for entry in _written().diagnostics if entry.code == "urdfout.shape"]
    assert entry.fate == "approximated"
    assert "200 m x 200 m x 10 m" in entry.message


def _written() -> bridge.Urdf:
    given: Scene = s.touching(m.Plane())
    return bridge.to_urdf(given, quiet=True)


# Meshes of shapes lie on the shapes, and are closed.


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        (m.Ellipsoid(radii=(1.0, 2.0, 3.0)), 4.0 / 3.0 * np.pi * 6.0),
        (m.Capsule(radius=0.5, length=2.0), np.pi * 0.25 * 2.0 + 4.0 / 3.0 * np.pi * 0.125),
        (m.Cone(radius=1.0, length=2.0), np.pi * 2.0 / 3.0),
        (m.Polyline(outlines=(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),), height=2.0), 1.0),
    ],
)
def test_a_mesh_is_closed_and_has_almost_the_volume_of_its_shape(
    shape: m.Geometry, volume: float
) -> None:
    (mesh,) = meshes_of(shape, Report("urdf"), NOWHERE)
    found = trimesh.load(mesh.path)
    assert found.is_watertight
    assert found.volume == pytest.approx(volume, rel=0.01)
    assert found.volume <= volume * (1.0 + 1e-6)


def test_a_terrain_has_the_heights_of_its_picture(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.array([[0, 255], [51, 0]], dtype=np.uint8)).save(tmp_path / "t.png")
    terrain = m.Heightmap(uri="t.png", path=str(tmp_path / "t.png"), size=(2.0, 4.0, 5.0))
    (mesh,) = meshes_of(terrain, Report("urdf"), NOWHERE)
    assert sorted(np.array(trimesh.load(mesh.path).vertices).tolist()) == [
        [-1.0, -2.0, 1.0],
        [-1.0, 2.0, 0.0],
        [1.0, -2.0, 0.0],
        [1.0, 2.0, 5.0],
    ]


def test_a_shape_that_urdf_has_needs_no_mesh() -> None:
    assert meshes_of(m.Sphere(radius=1.0), Report("urdf"), NOWHERE) == ()


# Shapes that URDF lacks become meshes, or are left out.


@pytest.mark.parametrize(
    ("shape", "extensions"),
    [
        (m.Cone(radius=1.0, length=1.0), ("drake",)),
        (m.Polyline(outlines=(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),)), ("drake",)),
        (m.Capsule(radius=1.0, length=1.0), ()),
        (m.Ellipsoid(radii=(1.0, 2.0, 3.0)), ()),
        (m.Ellipsoid(radii=(1.0, 2.0, 3.0)), ("drake", "gazebo")),
    ],
)
def test_a_shape_that_urdf_lacks_becomes_a_mesh(shape: m.Geometry, extensions: Any) -> None:
    urdf = bridge.to_urdf(s.touching(shape), extensions=extensions)
    name = f"{type(shape).__name__.lower()}.obj"
    assert f'<mesh filename="assets/{name}"' in urdf
    assert set(urdf.assets) == {name}
    (entry,) = [entry for entry in urdf.diagnostics if entry.code == "urdfout.shape"]
    assert entry.fate == "approximated"


def test_a_terrain_without_its_picture_is_left_out() -> None:
    urdf = bridge.to_urdf(s.touching(m.Heightmap(uri="no.png", path=None)))
    assert "<collision" not in urdf
    assert [entry.fate for entry in urdf.diagnostics if entry.code == "urdfout.shape"] == [
        "dropped"
    ]


def test_a_link_without_inertia_has_no_mass_in_pybullet_either() -> None:
    given = scene([link("a"), link("b", inertia=None)], [joint("j", "a", "b")])
    assert "urdfout.no-inertia" in {entry.code for entry in bridge.to_urdf(given).diagnostics}
    found = read(given).links[1].inertia
    assert found is not None
    assert found.mass == 0.0
    assert read(given, extensions=("drake",)).links[1].inertia is None


# Names of materials are unique; one without a color is Gazebo's, since other readers refuse it.


def _visuals(*looks: m.Material | None) -> tuple[m.Visual, ...]:
    return tuple(
        m.Visual(name=f"v{i}", X_LG=IDENTITY, geometry=UNIT_BOX, material=look)
        for i, look in enumerate(looks)
    )


def test_two_materials_of_one_name_get_two_names() -> None:
    looks = [m.Material(name="paint", diffuse=(x, 0.0, 0.0, 1.0)) for x in (0.0, 1.0, 0.0)]
    found = [v.material for v in read(s.one(visuals=_visuals(*looks))).links[0].visuals]
    assert [material.name for material in found if material] == ["paint", "paint_2", "paint"]
    assert [material.diffuse for material in found if material] == [look.diffuse for look in looks]


def test_the_name_of_a_material_without_color_is_in_gazebos_element() -> None:
    given = s.one(visuals=_visuals(*[m.Material(name="Own/Wood")] * 2))
    assert "<material>Own/Wood</material>" in bridge.to_urdf(given)
    assert "<material name" not in bridge.to_urdf(given)
    assert {v.material for v in read(given).links[0].visuals} == {m.Material(name="Own/Wood")}


@pytest.mark.parametrize(
    ("looks", "extensions"),
    [
        ([m.Material(name="a"), m.Material(name="b")], ("gazebo",)),
        ([m.Material(name="a"), None], ("gazebo",)),
        ([m.Material(name="a"), m.Material(name="a", diffuse=(1.0, 0.0, 0.0, 1.0))], ("gazebo",)),
        ([m.Material(name="a")], ("drake", "pybullet")),
    ],
)
def test_a_name_that_has_no_place_is_reported(
    looks: list[m.Material | None], extensions: tuple[str, ...]
) -> None:
    urdf = bridge.to_urdf(s.one(visuals=_visuals(*looks)), extensions=extensions)  # type: ignore[arg-type]
    assert "<material>" not in urdf
    assert "urdfout.material" in {entry.code for entry in urdf.diagnostics}
    found = read(s.one(visuals=_visuals(*looks)), extensions=extensions).links[0].visuals
    gray = m.Material(name="material", diffuse=DEFAULT_COLOR)
    assert [v.material for v in found] == [k if k and k.diffuse else gray for k in looks]


# Contact properties that differ between the collisions of a link are Drake's, or are left out.


def two(first: m.Surface, second: m.Surface) -> m.SceneData:
    shapes = [
        m.Collision(name=n, X_LG=IDENTITY, geometry=UNIT_BOX, surface=s)
        for n, s in (("c", first), ("d", second))
    ]
    return scene([link("a", collisions=tuple(shapes))])


def test_each_collision_has_its_own_friction_and_stiffness() -> None:
    surfaces = [
        m.Surface(friction=m.Friction(mu=mu, mu2=mu), stiffness=1000.0 * mu) for mu in (0.5, 0.25)
    ]
    found = read(two(*surfaces)).links[0].collisions  # type: ignore[arg-type]
    assert [collision.surface for collision in found] == surfaces


def test_a_different_restitution_is_left_out() -> None:
    given = two(m.Surface(restitution=0.5), m.Surface(restitution=0.25))
    (first, second) = bridge.to_urdf(given).diagnostics  # type: ignore[arg-type]
    assert {first.code, second.code} == {"urdfout.surface"}
    assert "restitution" in first.message


def test_a_link_has_one_friction_if_all_its_collisions_have_it() -> None:
    rough, smooth = (m.Surface(friction=m.Friction(mu=mu)) for mu in (0.9, 0.1))
    assert friction_of_link([rough], ("gazebo",)) == rough.friction
    assert friction_of_link([rough, rough], ("gazebo",)) == rough.friction
    assert friction_of_link([rough, smooth], ("gazebo",)) is None
    assert friction_of_link([rough], ("drake",)) is None
