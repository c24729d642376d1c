"""Drake's plant of a file: shapes, friction, filters and positions, without network access."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.engine import NotReportedError
from bridge.parity.engines.drake.engine import DrakeEngine
from bridge.parity.engines.drake.plant import (
    DrakeGeometry,
    UnsupportedModelError,
    needs_steps,
    read_plant,
)
from bridge.parity.quantity import matrix, pose_distance
from bridge.parity.states import random_states
from tests.support.command_line import run

pytest.importorskip("pydrake")


# Shapes, friction and collision filters of Drake agree with the file; a fault in the running scene
# graph is found.

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


# Positions of Drake's joints are those of the mechanism: there and back, for every type of joint.

ASSETS = Path(__file__).parents[5] / "assets"

BALL_AND_BASE = (
    "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/>"
    "<joint name='j' type='ball'><parent>a</parent><child>b</child></joint></model></sdf>"
)


@pytest.mark.parametrize("model", ["leg.sdf", "ball"])
def test_positions_and_velocities_come_back(model: str, tmp_path: Path) -> None:
    path = ASSETS / model
    if model == "ball":
        path = tmp_path / "ball.sdf"
        path.write_text(BALL_AND_BASE, encoding="utf-8")
    mechanism = bridge.lower(loaders.load(path))
    engine = DrakeEngine(mechanism)
    q, v = random_states(mechanism, 1, 3)[0]
    engine.set_state(q, v)
    poses = mechanism.link_poses(engine.positions())
    assert (
        max(
            pose_distance(matrix(X), matrix(mechanism.link_poses(q)[n]), 0.0)
            for n, X in poses.items()
        )
        < 1e-12
    )
    assert engine.velocities() == pytest.approx(mechanism.velocities(v), abs=1e-12)
    assert set(engine.positions()) == {name for name, _ in mechanism.v_order}
    assert all(np.isfinite(np.atleast_1d(value)).all() for value in engine.positions().values())


# Drake reads a file without network access, and with the same result under every setting of the
# environment.

PENDULUM = ASSETS / "double_pendulum.urdf"
NETWORK = "DRAKE_ALLOW_NETWORK"

HEAVY = (
    "<robot name='r'><link name='world'/><link name='arm'><inertial><mass value='2'/><origin "
    "xyz='0 0 -.1'/>"
    "<inertia ixx='.02' iyy='.03' izz='{izz}' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='swing' type='revolute'><parent link='world'/><child link='arm'/><axis xyz='0 1 "
    "0'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"
)


@pytest.mark.parametrize("allowed", [None, "none", "package_map", "lcm"])
def test_no_setting_of_the_network_changes_the_verdict(
    allowed: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(NETWORK, raising=False)
    if allowed is not None:
        monkeypatch.setenv(NETWORK, allowed)
    found = compare(PENDULUM, ("drake",), levels=("L0", "L1"), configurations=1)
    assert found.agreement is Verdict.EQUIVALENT
    assert os.environ.get(NETWORK) == allowed


@pytest.mark.slow
def test_the_command_runs_where_the_network_is_forbidden() -> None:
    done = run(
        "compare", PENDULUM, "--engines", "drake", "--level", "L0,L1", DRAKE_ALLOW_NETWORK="none"
    )
    assert done.returncode == 4, done.stderr  # incomplete: Drake reports no pairs
    assert "does not take part" not in done.stdout + done.stderr


def test_a_package_that_drake_would_download_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(NETWORK, "package_map")
    path = tmp_path / "far.dmd.yaml"
    file = "package://drake_models/iiwa_description/urdf/iiwa14_no_collision.urdf"
    path.write_text(f"directives:\n- add_model: {{name: one, file: '{file}'}}\n", encoding="utf-8")
    scene = replace(loaders.load(PENDULUM), source=str(path))
    with pytest.raises(UnsupportedModelError, match="drake_models"):
        read_plant(scene, {})
    assert "ownload" not in caplog.text


@pytest.mark.parametrize("level", [logging.DEBUG, logging.CRITICAL])
def test_the_log_level_of_drake_does_not_decide_what_it_is_known_to_repair(
    level: int, tmp_path: Path
) -> None:
    logger = logging.getLogger("drake")
    before = logger.level
    path = tmp_path / "arm.urdf"
    path.write_text(HEAVY.format(izz="4"), encoding="utf-8")
    try:
        logger.setLevel(level)
        found = compare(path, ("drake",), levels=("L0", "L1"), configurations=1)
    finally:
        logger.setLevel(before)
    assert found.agreement is Verdict.AGREES
    assert "drake.replaced-inertia" in {row.code for row in found.rows}


def test_drake_logs_nothing_while_it_reads(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(HEAVY.format(izz="4"), encoding="utf-8")
    DrakeEngine(bridge.lower(loaders.load(path)))
    assert [record for record in caplog.records if record.name == "drake"] == []


def test_couplings_need_discrete_time() -> None:
    assert not needs_steps(bridge.lower(loaders.load(PENDULUM)))
    links = "".join(f"<link name='{name}'/>" for name in ("world", "a", "b"))
    joint = (
        "<joint name='{0}' type='continuous'><parent link='world'/><child link='{1}'/><axis "
        "xyz='0 0 1'/>{2}</joint>"
    )
    joints = joint.format("ja", "a", "") + joint.format("jb", "b", "<mimic joint='ja'/>")
    coupled = loaders.load_string(f"<robot name='r'>{links}{joints}</robot>", format="urdf")
    assert needs_steps(bridge.lower(coupled))
