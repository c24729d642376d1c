"""Rows of a comparison: error measures, rounding, losses with a known cause, and gaps."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.parity import BaseEngine, Level, Outcome, Row, Verdict, compare
from bridge.parity.quantities.rows import find_gaps
from bridge.parity.quantity import (
    QUANTITIES,
    WorstErrors,
    absolute,
    compare_readings,
    norm_relative,
    pose_distance,
    relative,
)
from bridge.parity.reference import ReferenceEngine
from loaders.diagnostics import Where
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointAxis, JointType, Mesh
from loaders.pose import frozen
from tests.support.scenes import UNIT_BOX, joint, link, scene

# Readings that differ only by rounding pass, losses with a known cause are explained, and NaN
# fails.

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


# Error measures treat NaN, infinity and missing places as differences.


@pytest.mark.parametrize("error", [absolute, relative, norm_relative])
def test_what_is_no_number_is_the_worst_of_errors(error: object) -> None:
    worst = WorstErrors()
    one, two = (
        {"a": np.array([1.0]), "b": np.array([1.0])},
        {"a": np.array([math.nan]), "b": np.array([2.0])},
    )
    compare_readings(one, two, error, worst)  # type: ignore[arg-type]
    assert (worst.error, worst.where) == (math.inf, "a")


def test_a_link_that_one_engine_lacks_differs_without_bound() -> None:
    worst = WorstErrors()
    compare_readings({"a": np.ones(1)}, {"a": np.ones(1), "ghost": np.ones(1)}, relative, worst)
    assert (worst.error, worst.where) == (math.inf, "ghost")


def test_infinite_limits_are_equal_only_to_their_like() -> None:
    free, stopped = np.array((-math.inf, math.inf)), np.array((-math.inf, 2.0))
    assert absolute(free, free, 1.0) == 0.0
    assert absolute(free, stopped, 1.0) == math.inf


def test_the_distance_of_poses_is_the_larger_of_meters_and_radians() -> None:
    a, b = np.eye(4), np.eye(4)
    b[:3, :3] = ((math.cos(0.2), -math.sin(0.2), 0), (math.sin(0.2), math.cos(0.2), 0), (0, 0, 1))
    b[0, 3] = 0.1
    assert pose_distance(a, b, 1.0) == pytest.approx(0.2, abs=1e-15)
    b[0, 3] = 0.3
    assert pose_distance(a, b, 1.0) == pytest.approx(0.3, abs=1e-15)


def reading(
    name: str, mechanism: Mechanism, q: dict[str, float], v: dict[str, float]
) -> dict[Any, Any]:
    engine = ReferenceEngine(mechanism)
    engine.set_state(q, v)
    quantity = next(quantity for quantity in QUANTITIES if quantity.name == name)
    found = quantity.read(engine, mechanism)
    assert found is not None
    return dict(found)


def test_forces_and_masses_are_relative_to_those_of_the_zero_position() -> None:
    mechanism = lower(loaders.load(ARM, quiet=True))
    M = mechanism.mass_matrix()
    rows = np.array(list(reading("mass matrix", mechanism, {}, {}).values()))
    np.testing.assert_allclose(np.diag(rows), 1.0, rtol=1e-12)
    np.testing.assert_allclose(rows, M / np.sqrt(np.outer(np.diag(M), np.diag(M))), rtol=1e-12)
    q, v = {"elbow": 0.4, "shoulder": -0.3}, {"elbow": 1.0, "waist": 0.5}
    forces = np.concatenate(list(reading("bias forces", mechanism, q, v).values()))
    np.testing.assert_allclose(forces, mechanism.bias_forces(q, v) / M.max(), rtol=1e-12)


# Gaps: levels that were not run, engines that do not move, and rows without a comparison that
# nothing replaces.

COVERAGE_ARM = bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))
STILL = bridge.lower(scene([link("a")], [joint("j", WORLD, "a", "fixed")]))
ALL = (Level.MODEL, Level.OPERATORS, Level.MOTION)


class Drawn(BaseEngine):
    """An engine that reads the file itself and does not move."""

    reads_file = True


BOTH = {"mujoco": BaseEngine(COVERAGE_ARM), "pybullet": BaseEngine(COVERAGE_ARM)}


def row(
    quantity: str,
    outcome: Outcome,
    engines: tuple[str, str] = ("mujoco", "pybullet"),
    *,
    stated: bool = True,
) -> Row:
    return Row(
        level=Level.MOTION,
        quantity=quantity,
        unit="",
        engines=("mujoco", "pybullet"),
        error=0.0,
        tolerance=1e-9,
        where="",
        outcome=outcome,
        cause="too large",
        is_stated=stated,
    )


def test_a_complete_comparison_has_no_gap() -> None:
    assert find_gaps([row("one step", Outcome.PASSED)], COVERAGE_ARM, ALL, BOTH, ()) == ()


def test_a_level_is_a_gap_only_if_the_model_has_something_to_compare_there() -> None:
    assert [gap.reason for gap in find_gaps([], COVERAGE_ARM, ALL[:1], BOTH, ())] == [
        "level L1 was not run",
        "level L2 was not run",
    ]
    assert find_gaps([], STILL, ALL[:1], BOTH, ()) == ()


def test_an_engine_without_motion_is_a_gap() -> None:
    (gap,) = find_gaps(
        [],
        COVERAGE_ARM,
        ALL,
        {"mujoco": BaseEngine(COVERAGE_ARM), "drake": Drawn(COVERAGE_ARM)},
        (),
    )
    assert (gap.quantity, gap.engines) == ("motion", ("drake",))


def test_a_row_without_a_comparison_is_a_gap_unless_another_shows_the_same() -> None:
    unknown = row("mass matrix", Outcome.UNKNOWN)
    assert [gap.quantity for gap in find_gaps([unknown], COVERAGE_ARM, ALL, BOTH, ())] == [
        "mass matrix"
    ]
    step = row("one step", Outcome.PASSED)
    assert find_gaps([unknown, step], COVERAGE_ARM, ALL, BOTH, ()) == ()
    by_reference = [dataclasses.replace(step, engines=("reference", name)) for name in BOTH]
    assert find_gaps([unknown, *by_reference], COVERAGE_ARM, ALL, BOTH, ()) == ()
    assert find_gaps([unknown, by_reference[0]], COVERAGE_ARM, ALL, BOTH, ()) != ()


def test_what_the_model_does_not_state_is_no_gap() -> None:
    assert (
        find_gaps(
            [row("momentum drift", Outcome.UNKNOWN, stated=False)], COVERAGE_ARM, ALL, BOTH, ()
        )
        == ()
    )
