"""Inertia that MuJoCo adds to a point mass explains the difference that it makes by the closed form, and no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bridge
import loaders
from bridge.parity import Comparison, Outcome, Row, compare
from bridge.parity.levels.bounds.added_inertia import added_inertia
from bridge.parity.levels.random_states import MAX_STEP
from loaders.diagnostics import Diagnostic, Fate
from tests.support.running_faults import faulty_mujoco

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

MASS, RADIUS, GRAVITY, ADDED = 1e-6, 0.1, 9.8, 1e-14
LARGEST_CHANGE = ADDED / (MASS * RADIUS**2) * GRAVITY / RADIUS * MAX_STEP
"""By I/(m r^2) of the largest acceleration g/r, in one step [rad/s]."""


def pendulum() -> loaders.Scene:
    """A milligram on a hinge, without moments of inertia, beside a link of a kilogram."""
    none = "ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'"
    full = none.replace("='0'", "='.01'", 3)
    parts = ["<link name='world'/>"]
    for name, mass, inertia in (("point", MASS, none), ("body", 1.0, full)):
        parts.append(
            f"<link name='{name}'><inertial><origin xyz='{RADIUS} 0 0'/><mass value='{mass}'/><inertia {inertia}/>"
            f"</inertial></link><joint name='j_{name}' type='continuous'><parent link='world'/><child link='{name}'/>"
            "<axis xyz='0 1 0'/></joint>"
        )
    return loaders.load_string(f"<robot name='r'>{''.join(parts)}</robot>", format="urdf")


def moved(fault: Callable[[Any], None] | None = None) -> Comparison:
    engine = "mujoco" if fault is None else faulty_mujoco(fault)
    return compare(pendulum(), (engine, "pybullet"), levels=("L2",), configurations=1)


def rows_of(found: Comparison, quantity: str) -> list[Row]:
    return [row for row in found.rows if row.quantity == quantity and "mujoco" in row.engines]


def test_the_bound_is_what_the_added_inertia_changes() -> None:
    found = moved()
    assert not found.failures, repr(found)
    for row in rows_of(found, "one step"):
        assert row.outcome is Outcome.EXPLAINED
        assert (row.known_cause.code, row.known_cause.subjects) == ("mjcf.massless-link", ("point",))
        assert row.error <= row.known_cause.bound <= LARGEST_CHANGE + 2.0 * row.tolerance
    motion = rows_of(found, "motion without damping")
    assert {row.code for row in motion} == {"mjcf.massless-link"}
    assert all(row.error <= row.known_cause.bound <= 1.1 * row.error for row in motion)
    (exported,) = rows_of(found, "exported motion")
    assert exported.code == "mjcf.massless-link"
    assert exported.error <= exported.known_cause.bound <= 1.1 * exported.error


def more_inertia(model: Any) -> None:
    model.body_inertia[model.body("point").id] *= 2.0


def less_inertia(model: Any) -> None:
    model.body_inertia[model.body("point").id] *= 0.5


def other_gravity(model: Any) -> None:
    model.opt.gravity[2] *= 1.0 + 1e-6


def other_link(model: Any) -> None:
    model.body_inertia[model.body("body").id] *= 1.0 + 1e-6


@pytest.mark.parametrize("fault", [more_inertia, less_inertia, other_gravity, other_link])
def test_a_fault_as_large_as_the_added_inertia_is_a_difference(fault: Callable[[Any], None]) -> None:
    """Also less inertia than stated, whose error is within the bound, and a fault of a link that gets none."""
    found = moved(fault)
    assert {row.outcome for row in rows_of(found, "one step")} == {Outcome.FAILED}
    assert Outcome.FAILED in {row.outcome for row in rows_of(found, "motion without damping")}
    assert {row.outcome for row in rows_of(found, "exported motion")} <= {Outcome.FAILED, Outcome.UNKNOWN}


def test_losses_add_no_inertia() -> None:
    mechanism = bridge.lower(pendulum())
    lost = Diagnostic("pybullet.rotor-inertia", Fate.DROPPED, "", subjects=("j_body",))
    assert added_inertia(mechanism, (lost,)) is None
    massless = Diagnostic(
        "mjcf.massless-link", Fate.ASSUMED, "", subjects=("point",), arguments={"mass": MASS, "moments": "1 1 1"}
    )
    added = added_inertia(mechanism, (lost, massless))
    assert added is not None
    assert added.subjects == ("point",)
