"""Readings that differ only by rounding pass, losses with a known cause are explained, and NaN
fails.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bridge.parity import Outcome, Verdict, compare
from loaders.diagnostics import Where
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointAxis, JointType, Mesh
from loaders.pose import frozen
from tests.support.scenes import UNIT_BOX, joint, link, scene

WRITTEN = Where("robot.sdf", 3, "/model[m]/link[hollow]/collision[c]")

BALL = SpatialInertia.of(1.0, (0.0, 0.0, 0.0), 0.1 * np.eye(3))

AXES = tuple(JointAxis(xyz=frozen(xyz)) for xyz in ((1, 0, 0), (0, 1, 0)))


def rows(source, engine):
    return {
        row.quantity: row for row in compare(source, engines=(engine,), levels=("L0", "L1")).rows
    }


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_forces_that_are_nothing_but_rounding_are_equal(engine):
    balanced = scene(
        [link("ball", inertia=BALL)], [joint("j", WORLD, "ball", JointType.UNIVERSAL, axes=AXES)]
    )
    assert rows(balanced, engine)["bias forces"].passed


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_limits_that_no_joint_reaches_are_none(engine):
    far = {"lower": -1e12, "upper": 1e12}
    spinning = scene([link("rotor")], [joint("j", WORLD, "rotor", axis=far)])
    assert rows(spinning, engine)["limits"].passed


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_swapped_limits_are_none_and_explained(engine):
    swapped = scene([link("arm")], [joint("j", WORLD, "arm", axis={"lower": 2.0, "upper": 1.0})])
    assert rows(swapped, engine)["limits"].outcome is Outcome.EXPLAINED


def test_a_missing_mesh_explains_why_its_link_touches_nothing():
    hollow = link("hollow", shape=Mesh(uri="gone.stl", path=None))
    hollow = replace(hollow, collisions=tuple(replace(c, where=WRITTEN) for c in hollow.collisions))
    row = rows(scene([hollow, link("box", shape=UNIT_BOX)]), "mujoco")["collidable pairs"]
    assert row.outcome is Outcome.EXPLAINED
    assert "gone.stl" in row.cause


ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


def test_an_engine_that_answers_nan_fails() -> None:
    from bridge.parity.reference import ReferenceEngine

    class Broken(ReferenceEngine):
        name = "broken"

        def bias_forces(self) -> np.ndarray:
            return super().bias_forces() * math.nan

    found = compare(ARM, engines=("mujoco", Broken), levels=("L1",), configurations=1)
    assert found.verdict is Verdict.DIFFERS
    assert {r.quantity for r in found.failures} == {"bias forces", "inverse dynamics"}
    rows = json.loads(json.dumps(found.to_dict()))["rows"]
    assert [
        row["error"] for row in rows if row["quantity"] == "bias forces" and not row["passed"]
    ] == ["inf", "inf"]


TORUS = """<mujoco><extension><plugin plugin="mujoco.sdf.torus"><instance name="t"/></plugin></extension>
<asset><mesh name="m"><plugin instance="t"/></mesh></asset><worldbody><body name="b"><freejoint/>
<geom type="sdf" mesh="m"><plugin instance="t"/></geom></body></worldbody></mujoco>"""


@pytest.mark.slow
def test_shapes_that_the_reader_approximates_are_the_cause_where_the_engine_that_reads_the_file_differs(
    tmp_path,
):
    path = tmp_path / "torus.xml"
    path.write_text(TORUS)
    found = compare(path, engines=("mujoco", "mujoco-native"), levels=("L0",), configurations=1)
    failing = [row for row in found.rows if row.outcome is Outcome.FAILED]
    assert {row.quantity for row in failing} == {"meshes", "mesh volumes", "compiled meshes"}
    assert {row.known_cause.code for row in failing} <= {"mjcf-in.shape", "mjcf-in.plugin"}
    assert found.verdict is Verdict.DIFFERS
