"""Shapes, friction and collision filters of Drake agree with the file; a fault in the running scene
graph is found.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, compare

pytest.importorskip("mujoco")
pytest.importorskip("pydrake")
from bridge.parity.engine import NotReportedError
from bridge.parity.engines.drake.engine import DrakeEngine
from bridge.parity.engines.drake.plant import DrakeGeometry

INERTIAL = (
    "<inertial><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' "
    "iyz='0'/></inertial>"
)
SHAPES = {
    "a": "<box size='1 2 3'/>",
    "b": "<sphere radius='.3'/>",
    "c": "<cylinder radius='.2' length='.7'/>",
    "d": "<drake:capsule radius='.2' length='.7'/>",
    "e": "<mesh filename='cube.obj' scale='1 2 1'/>",
}
CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
SIDES = "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
QUANTITIES = ("shapes", "meshes", "mesh volumes", "friction of shapes", "collidable pairs")


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """Five links in a row, each with another shape and another coefficient of friction."""
    (tmp_path / "cube.obj").write_text(CUBE + SIDES, encoding="utf-8")
    parts = []
    for k, (name, geometry) in enumerate(SHAPES.items()):
        coefficients = f"<drake:mu_dynamic value='{0.2 + k}'/><drake:mu_static value='{9 + k}'/>"
        friction = f"<drake:proximity_properties>{coefficients}</drake:proximity_properties>"
        origin = "<origin xyz='.1 .2 .3' rpy='.1 .2 .3'/>"
        collision = f"<collision>{origin}<geometry>{geometry}</geometry>{friction}</collision>"
        parts.append(f"<link name='{name}'>{INERTIAL}{collision}</link>")
    names = list(SHAPES)
    for one, two in pairwise(names):
        ends = f"<parent link='{one}'/><child link='{two}'/><axis xyz='0 1 0'/>"
        parts.append(f"<joint name='{one}{two}' type='continuous'>{ends}</joint>")
    path = tmp_path / "chain.urdf"
    text = f"<robot name='r' xmlns:drake='http://drake.mit.edu'>{''.join(parts)}</robot>"
    path.write_text(text, encoding="utf-8")
    return path


def rows(path: Path, engine: Any) -> dict[str, tuple[Outcome, str]]:
    found = compare(path, (engine,), levels=("L0", "L1"), configurations=1)
    return {
        row.quantity: (row.outcome, str(row.where))
        for row in found.rows
        if row.quantity in QUANTITIES
    }


def faulty(change: Callable[[DrakeGeometry], None]) -> Any:
    """Return a class of engines whose running scene graph is changed."""

    class Faulty(DrakeEngine):
        def _with_shapes(self) -> DrakeGeometry:
            is_new = self._geometry is None
            geometry = super()._with_shapes()
            if is_new:
                change(geometry)
            return geometry

    return Faulty


def shape_of(geometry: DrakeGeometry, link: str) -> Any:
    (index,) = (index for index, name in geometry._link_of.items() if name == link)
    return geometry._plant.GetCollisionGeometriesForBody(geometry._body(index))[0]


def test_drake_reads_the_same_shapes_friction_and_pairs(chain: Path) -> None:
    assert {
        quantity: outcome for quantity, (outcome, _) in rows(chain, "drake").items()
    } == dict.fromkeys(QUANTITIES, Outcome.PASSED)


def test_another_friction_in_drake_is_found(chain: Path) -> None:
    from pydrake.geometry import AddContactMaterial, ProximityProperties, RoleAssign
    from pydrake.multibody.plant import CoulombFriction

    def change(geometry: DrakeGeometry) -> None:
        properties = ProximityProperties()
        AddContactMaterial(friction=CoulombFriction(0.9, 0.9), properties=properties)
        source = geometry._plant.get_source_id()
        geometry._graph.AssignRole(source, shape_of(geometry, "b"), properties, RoleAssign.kReplace)

    assert rows(chain, faulty(change))["friction of shapes"] == (Outcome.FAILED, "b")


def test_a_pair_that_drake_filters_is_found(chain: Path) -> None:
    from pydrake.geometry import CollisionFilterDeclaration, GeometrySet

    def change(geometry: DrakeGeometry) -> None:
        sets = (GeometrySet(shape_of(geometry, link)) for link in ("a", "d"))
        geometry._graph.collision_filter_manager().Apply(
            CollisionFilterDeclaration().ExcludeBetween(*sets)
        )

    assert rows(chain, faulty(change))["collidable pairs"] == (Outcome.FAILED, "a with d")


@pytest.mark.parametrize(("link", "quantity"), [("c", "shapes"), ("e", "meshes")])
def test_another_shape_in_drake_is_found(link: str, quantity: str, chain: Path) -> None:
    from pydrake.geometry import Cylinder

    def change(geometry: DrakeGeometry) -> None:
        geometry._graph.ChangeShape(
            geometry._plant.get_source_id(), shape_of(geometry, link), Cylinder(0.2, 0.71)
        )

    assert rows(chain, faulty(change))[quantity] == (Outcome.FAILED, link)


def test_a_mesh_that_drake_does_not_read_leaves_shapes_unknown(chain: Path) -> None:
    text = chain.read_text(encoding="utf-8").replace("cube.obj", "missing.obj")
    chain.write_text(text, encoding="utf-8")
    mechanism = bridge.lower(loaders.load(chain, quiet=True))
    with pytest.raises(NotReportedError, match="Drake does not read the shapes"):
        DrakeGeometry(mechanism, {})
    assert np.isfinite(DrakeEngine(mechanism).mass_matrix()).all()
