"""Shapes and materials, against MuJoCo's reference, in files and in the document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import bridge
import loaders
from loaders.files.images import gray_levels
from loaders.model import Box, Capsule, Cylinder, Ellipsoid, Heightmap, Plane, Sphere
from tests.support.mjcf_documents import document, read, written

# Shapes, against MuJoCo's reference.

SHAPES = {
    'type="box" size="1 2 3"': Box(size=(2.0, 4.0, 6.0)),
    'type="sphere" size="0.5"': Sphere(radius=0.5),
    'type="capsule" size="0.5 1"': Capsule(radius=0.5, length=2.0),
    'type="cylinder" size="0.5 1"': Cylinder(radius=0.5, length=2.0),
    'type="ellipsoid" size="1 2 3"': Ellipsoid(radii=(1.0, 2.0, 3.0)),
    'type="plane" size="1 0 1"': Plane(size=(2.0, 100.0)),
    'type="capsule" size="0.5" fromto="0 0 0 0 0 3"': Capsule(radius=0.5, length=3.0),
}


@pytest.mark.parametrize(("text", "shape"), SHAPES.items())
def test_sizes_are_full_lengths(text: str, shape: object) -> None:
    collision = read(f"<body><geom {text}/></body>").links[0].collisions[0]
    assert collision.geometry == shape


def test_both_ends_of_fromto_count() -> None:
    (collision,) = (
        read('<body><geom type="cylinder" size="0.1" fromto="0 0 0 2 0 0"/></body>')
        .links[0]
        .collisions
    )
    assert collision.X_LG.p.tolist() == pytest.approx([1.0, 0.0, 0.0])
    assert np.abs(collision.X_LG.R[:, 2]) == pytest.approx([1.0, 0.0, 0.0])


def test_a_geom_without_contact_is_a_visual_and_one_in_a_hidden_group_a_collision() -> None:
    geoms = {"v": 'contype="0" conaffinity="0"', "c": 'group="3"', "b": ""}
    text = "".join(f'<geom name="{name}" size="1" {more}/>' for name, more in geoms.items())
    (link,) = read(f"<body>{text}</body>").links
    assert [shape.name for shape in link.visuals] == ["v", "b"]
    assert [shape.name for shape in link.collisions] == ["c", "b"]


def test_bitmasks_and_friction() -> None:
    (collision,) = (
        read('<body><geom size="1" contype="2" conaffinity="-1" friction="0.7"/></body>')
        .links[0]
        .collisions
    )
    surface = collision.surface
    assert (surface.category_bitmask, surface.collide_bitmask, surface.friction.mu) == (
        2,
        0xFFFFFFFF,
        0.7,
    )


def test_a_height_field_of_a_picture(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("L", (4, 3), 128).save(tmp_path / "hill.png")
    asset = '<asset><hfield name="h" file="hill.png" size="2 3 0.5 0.1"/></asset>'
    scene = loaders.load(
        written(tmp_path, document('<geom type="hfield" hfield="h"/>', asset)), quiet=True
    )
    assert [
        str(entry.arguments["shape"])
        for entry in scene.diagnostics
        if entry.code == "mjcf-in.shape"
    ] == ["a height field, whose base becomes 0.01 m thick instead of 0.1 m"]
    geometry = scene.links[0].collisions[0].geometry
    assert isinstance(geometry, Heightmap)
    assert (geometry.size, geometry.path) == ((4.0, 6.0, 0.5), str(tmp_path / "hill.png"))


def heights_of(levels: NDArray[Any], tmp_path: Path) -> tuple[Path, loaders.Scene]:
    """The file and the scene of a height field that is 0.5 m high."""
    Image.fromarray(levels).save(tmp_path / "h.png")
    asset = '<asset><hfield name="h" file="h.png" size="1 2 0.5 0.01"/></asset>'
    path = written(tmp_path, document('<geom type="hfield" hfield="h"/>', asset))
    return path, loaders.load(path, quiet=True)


@pytest.mark.parametrize(("lowest", "highest"), [(0, 255), (40, 200), (3, 4), (77, 77), (0, 0)])
def test_the_heights_of_a_picture_are_those_to_which_mujoco_stretches_it(
    lowest: int, highest: int, tmp_path: Path
) -> None:
    import mujoco

    levels = np.random.default_rng(0).integers(lowest, highest + 1, (4, 5))
    levels[0, :2] = lowest, highest
    path, scene = heights_of(levels.astype(np.uint8), tmp_path)
    (collision,) = scene.links[0].collisions
    shape = collision.geometry
    assert isinstance(shape, Heightmap)
    gray = gray_levels(shape.path)
    heights = gray.levels[::-1] * shape.size[2] / gray.max_level + shape.position[2]
    model = mujoco.MjModel.from_xml_path(str(path))
    np.testing.assert_allclose(heights.ravel(), 0.5 * model.hfield_data, atol=1e-7)
    assert "mjcf-in.shape" not in {entry.code for entry in scene.diagnostics}


@pytest.mark.parametrize("channels", [1, 3], ids=["16 bits", "colors"])
def test_a_picture_of_which_mujoco_reads_a_part_has_the_heights_of_mujoco(
    channels: int, tmp_path: Path
) -> None:
    """MuJoCo takes the red channel, and of 16 bits the upper 8."""
    import mujoco

    rng = np.random.default_rng(2)
    deep = rng.integers(0, 65536, (4, 5)).astype(np.uint16)
    path, scene = heights_of(
        deep if channels == 1 else rng.integers(0, 256, (4, 5, 3)).astype(np.uint8), tmp_path
    )
    exported = bridge.to_mjcf(scene, quiet=True)
    models = (
        mujoco.MjModel.from_xml_path(str(path)),
        mujoco.MjModel.from_xml_string(str(exported), exported.assets),
    )
    heights = [model.hfield_size[0, 2] * model.hfield_data for model in models]
    np.testing.assert_allclose(heights[1], heights[0], atol=1e-7)
    assert "mjcf-in.shape" not in {entry.code for entry in scene.diagnostics}


def test_heights_in_the_document_are_exported_with_16_bits(tmp_path: Path) -> None:
    import mujoco

    elevation = " ".join(map(str, np.random.default_rng(3).uniform(0.0, 1.0, 20)))
    asset = (
        f'<asset><hfield name="h" nrow="4" ncol="5" elevation="{elevation}" size="1 2 0.5 '
        f'0.01"/></asset>'
    )
    path = written(tmp_path, document('<geom type="hfield" hfield="h"/>', asset))
    exported = bridge.to_mjcf(loaders.load(path, quiet=True), quiet=True)
    models = (
        mujoco.MjModel.from_xml_path(str(path)),
        mujoco.MjModel.from_xml_string(str(exported), exported.assets),
    )
    heights = [model.hfield_size[0, 2] * model.hfield_data for model in models]
    np.testing.assert_allclose(heights[1], heights[0], atol=0.5 / 65535)


def test_a_mesh_that_stands_still_collides_in_pybullet_as_its_hull_as_in_mujoco(
    tmp_path: Path,
) -> None:
    """A ball between two solids of a mesh, within their hull."""
    pybullet = pytest.importorskip("pybullet")
    corners = [
        (x + d, y, z) for d in (0, 3) for x, y, z in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    ]
    faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n"
    (tmp_path / "two.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + faces)
    path = tmp_path / "model.xml"
    ball = '<body name="ball" pos="2 0.2 0.2"><freejoint/><geom size="0.05"/></body>'
    path.write_text(
        document(f'<geom type="mesh" mesh="two"/>{ball}', '<asset><mesh file="two.obj"/></asset>')
    )
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.ncon == 1
    client = pybullet.connect(pybullet.DIRECT)
    try:
        bodies = bridge.load_into_pybullet(path, physicsClientId=client)
        pybullet.performCollisionDetection(client)
        points = pybullet.getContactPoints(physicsClientId=client)
    finally:
        pybullet.disconnect(client)
    assert points
    assert min(point[8] for point in points) == pytest.approx(data.contact[0].dist, abs=2e-3)
    assert "mesh.convex-hull" not in {entry.code for entry in bodies.diagnostics}


@pytest.mark.parametrize(("limit", "touch"), [(6, True), (-1, True), (6, False)])
def test_a_limit_on_the_corners_of_a_hull_is_reported_where_it_changes_contacts(
    limit: int, touch: bool
) -> None:
    mesh = f'<asset><mesh name="m" builtin="sphere" params="2" maxhullvert="{limit}"/></asset>'
    text = document(
        f'<geom name="g" type="mesh" mesh="m" contype="{touch:d}" conaffinity="{touch:d}"/>', mesh
    )
    scene = loaders.load_string(text, format="mjcf", quiet=True)
    exported = bridge.to_mjcf(scene, quiet=True)
    corners = [
        [int(model.mesh_graph[start]) for start in model.mesh_graphadr if start >= 0]
        for model in (
            mujoco.MjModel.from_xml_string(text),
            mujoco.MjModel.from_xml_string(str(exported), exported.assets),
        )
    ]
    told = [
        entry.arguments["shape"] for entry in scene.diagnostics if entry.code == "mjcf-in.shape"
    ]
    assert (corners[0] != corners[1]) == bool(told) == (limit > 0 and touch)
    assert all("keeps 6 at most" in str(each) for each in told)


# Meshes and height fields in the document, against MuJoCo's own after an export.

MESH = '<mesh name="m" vertex="0 0 0 1 0 0 0 2 0 0 0 3" scale="0.5 1 1"/>'
FIELD = '<hfield name="h" nrow="2" ncol="3" size="1 2 0.5 0.1" elevation="0 1 2 3 4 6"/>'


@pytest.fixture
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    import mujoco

    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path))

    def make(asset: str, geom: str) -> tuple[Any, Any]:
        text = document(
            f'<body pos="0 0 1"><geom {geom} euler="10 20 30"/></body>', f"<asset>{asset}</asset>"
        )
        mjcf = bridge.to_mjcf(loaders.load_string(text, format="mjcf", quiet=True), quiet=True)
        return mujoco.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(
            mjcf, mjcf.assets
        )

    return make


def corners(model: Any) -> np.ndarray:
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    g = int(np.flatnonzero(model.geom_contype)[0])
    vertices = model.mesh_vert @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]
    return vertices[np.lexsort(vertices.round(5).T)]


def test_a_mesh_of_the_document_is_where_it_was(exported: Any) -> None:
    original, other = exported(MESH, 'type="mesh" mesh="m"')
    assert np.allclose(corners(original), corners(other), atol=1e-6)


def test_the_heights_of_the_document_are_those_of_the_export(exported: Any) -> None:
    """MuJoCo reads pictures with eight bits."""
    original, other = exported(FIELD, 'type="hfield" hfield="h"')
    assert np.allclose(original.hfield_data, other.hfield_data, atol=1.0 / 255.0)
    assert original.hfield_size[0, :3].tolist() == other.hfield_size[0, :3].tolist()


# Colors and materials.

PAINT = (
    '<asset><material name="paint" rgba="1 0 0 0.5" specular="0.2" shininess="0.5" '
    'emission="1"/></asset>'
)


def look(geom: str):
    visual = read(f"<body><geom size='1' {geom}/></body>", PAINT).links[0].visuals[0]
    assert visual.material is not None
    return visual.material, visual.transparency


def test_the_color_of_a_geom_goes_before_that_of_its_material() -> None:
    assert look('material="paint"')[0].diffuse == (1.0, 0.0, 0.0, 1.0)
    assert look('material="paint" rgba="0 1 0 1"')[0].diffuse == (0.0, 1.0, 0.0, 1.0)
    assert look("")[0].diffuse == (0.5, 0.5, 0.5, 1.0)


def test_opacity_shininess_and_emission() -> None:
    material, transparency = look('material="paint"')
    assert transparency == 0.5
    assert (material.name, material.shininess, material.emissive) == (
        "paint",
        64.0,
        (1.0, 0.0, 0.0, 1.0),
    )
    assert material.specular == pytest.approx((0.2, 0.2, 0.2, 1.0))
