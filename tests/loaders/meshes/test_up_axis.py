"""The collision mesh of a link tells which way up its COLLADA visual is, against the statement of
the file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

import bridge
from bridge.lowering.transform import scaled
from loaders.diagnostics import Diagnostics
from loaders.finish.finish import with_references
from loaders.meshes import read_mesh
from loaders.meshes.collada import is_turned
from loaders.model import Collision, Link, Mesh, Visual
from loaders.pose import IDENTITY, Array, Pose
from tests.support.mesh_files import collada
from tests.support.scenes import link, scene

CARELESS, CAREFUL = "OpenCOLLADA2010", "Maya 8.0"
PLAIN = ((0.0, 0.0, 0.0), (1.0, 2.0, 3.0))
"""Corners of the box of the file, as its coordinates are."""
TURNED = ((0.0, -3.0, 0.0), (1.0, 0.0, 2.0))
"""Corners of the box with y up."""


def visual(folder: Path, exporter: str, axis: str = "Y_UP") -> Mesh:
    """A COLLADA file."""
    path = folder / "visual.dae"
    tool = f"<contributor><authoring_tool>{exporter}</authoring_tool></contributor>"
    path.write_text(collada(asset=f"{tool}<unit meter='1'/><up_axis>{axis}</up_axis>"))
    return Mesh(uri="visual.dae", path=str(path))


def collision(folder: Path, corners: object, name: str = "collision.stl") -> Mesh:
    """An STL file of a box."""
    trimesh.creation.box(bounds=np.array(corners)).export(folder / name)
    return Mesh(uri=name, path=str(folder / name))


def body(seen: Mesh, touched: Mesh, *, at: Pose = IDENTITY, name: str = "a") -> Link:
    shapes = (Collision(name="c", X_LG=at, geometry=touched),)
    made: Link = link(
        name, collisions=shapes, visuals=(Visual(name="v", X_LG=IDENTITY, geometry=seen),)
    )
    return made


def decided(item: Link) -> bool | None:
    ((shape,),) = (found.visuals for found in with_references(scene([item])).links)
    assert isinstance(shape.geometry, Mesh)
    return is_turned(shape.geometry, Path(str(shape.geometry.path)).read_bytes())


def read_box(shape: object) -> tuple[tuple[float, ...], ...]:
    """The corners of the box of a mesh as it is read."""
    assert isinstance(shape, Mesh)
    data = read_mesh(shape, Diagnostics())
    assert data is not None
    return tuple(tuple(corner.round(6).tolist()) for corner in data.bounds)


@pytest.mark.parametrize("exporter", [CARELESS, CAREFUL])
@pytest.mark.parametrize(("corners", "turned"), [(PLAIN, False), (TURNED, True)])
def test_the_collision_mesh_counts_whatever_the_exporter(
    tmp_path: Path, exporter: str, corners: object, turned: bool
) -> None:
    mesh = visual(tmp_path, exporter)
    item = body(mesh, collision(tmp_path, corners))
    assert decided(item) is turned
    assert read_box(bridge.lower(scene([item])).bodies[0].link.visuals[0].geometry) == corners


def test_two_links_may_decide_about_one_file(tmp_path: Path) -> None:
    mesh = visual(tmp_path, CAREFUL)
    links = [
        body(mesh, collision(tmp_path, corners, f"{name}.stl"), name=name)
        for name, corners in (("a", PLAIN), ("b", TURNED))
    ]
    shapes = [found.visuals[0].geometry for found in with_references(scene(links)).links]
    assert [read_box(shape) for shape in shapes] == [PLAIN, TURNED]
    assert bridge.to_mjspec(scene(links)).compile().nmesh == 4


def test_the_scales_of_both_meshes_count(tmp_path: Path) -> None:
    seen, touched = visual(tmp_path, CARELESS), collision(tmp_path, 1000.0 * np.array(TURNED))
    milli = Mesh(uri=touched.uri, path=touched.path, scale=(0.001, 0.001, 0.001))
    assert decided(body(seen, milli)) is True
    assert decided(body(seen, touched)) is None


@pytest.mark.parametrize(
    ("corners", "at", "axis"),
    [
        ((PLAIN[0], (9.0, 9.0, 9.0)), IDENTITY, "Y_UP"),
        (TURNED, Pose.of(p=(0.0, 0.0, 1.0)), "Y_UP"),
        (TURNED, IDENTITY, "Z_UP"),
        (0.5 * (np.array(PLAIN) + np.array(TURNED)), IDENTITY, "Y_UP"),
    ],
    ids=["another shape", "another pose", "z up", "between both"],
)
def test_without_a_clear_answer_the_exporter_decides(
    tmp_path: Path, corners: Array, at: Pose, axis: str
) -> None:
    assert (
        decided(body(visual(tmp_path, CAREFUL, axis), collision(tmp_path, corners), at=at)) is None
    )


def test_a_collision_mesh_that_cannot_be_read_decides_nothing(tmp_path: Path) -> None:
    broken = tmp_path / "broken.stl"
    broken.write_bytes(b"solid")
    assert (
        decided(body(visual(tmp_path, CAREFUL), Mesh(uri="broken.stl", path=str(broken)))) is None
    )


def test_a_changed_collision_mesh_changes_a_cached_conversion(tmp_path: Path) -> None:
    item = body(visual(tmp_path, CAREFUL), collision(tmp_path, PLAIN))
    heights = []
    for corners in (PLAIN, TURNED):
        collision(tmp_path, corners)
        model = bridge.to_mjspec(scene([item])).compile()
        drawn = next(geom for geom in range(model.ngeom) if not model.geom_contype[geom])
        heights.append(model.geom_pos[drawn][2])
    np.testing.assert_allclose(heights, (1.5, 1.0), atol=1e-6)


def test_a_scaled_mechanism_decides_alike(tmp_path: Path) -> None:
    item = body(visual(tmp_path, CAREFUL), collision(tmp_path, TURNED))
    shape = scaled(bridge.lower(scene([item])), 10.0).bodies[0].link.visuals[0].geometry
    assert read_box(shape) == ((0.0, -30.0, 0.0), (10.0, 0.0, 20.0))
