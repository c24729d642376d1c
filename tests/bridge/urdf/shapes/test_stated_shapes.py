"""A document with shapes that URDF lacks opens in MuJoCo and PyBullet too, and means the same
there.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import mujoco
import numpy as np
import pytest

import bridge
from bridge.targets.urdf.normal_link import box_of_plane
from loaders import model as m
from loaders.pose import Pose
from loaders.scene import Scene
from tests.code_examples import scenes as s
from tests.support.urdf_writer import read

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
