"""A diagnostic stands for a changed mechanism, whose difference from the model has the size that it
states.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Comparison, Outcome, Row, compare
from bridge.parity.bounds.counterfactual import AddedInertia, added_inertia, counterfactual
from bridge.parity.causes import Cause
from bridge.parity.states import MAX_STEP
from bridge.parity.verdict import Level
from loaders.diagnostics import Argument, Diagnostic, Fate
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Actuator, JointType
from tests.support.running_faults import faulty_mujoco
from tests.support.scenes import joint, link, scene

# Inertia that MuJoCo adds to a point mass explains the difference that it makes by the closed form,
# and no other.

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
            f"<link name='{name}'><inertial><origin xyz='{RADIUS} 0 0'/><mass "
            f"value='{mass}'/><inertia {inertia}/>"
            f"</inertial></link><joint name='j_{name}' type='continuous'><parent "
            f"link='world'/><child link='{name}'/>"
            "<axis xyz='0 1 0'/></joint>"
        )
    return loaders.load_string(f"<robot name='r'>{''.join(parts)}</robot>", format="urdf")


def moved(fault: Callable[[Any], None] | None = None) -> Comparison:
    engine = "mujoco" if fault is None else faulty_mujoco(fault)
    return compare(pendulum(), (engine, "pybullet"), levels=("L2",), configurations=1)


def rows_of(found: Comparison, quantity: str) -> list[Row]:
    return [row for row in found.rows if row.quantity == quantity and "mujoco" in row.engines]


@pytest.mark.slow
def test_the_bound_is_what_the_added_inertia_changes() -> None:
    found = moved()
    assert not found.failures, repr(found)
    for row in rows_of(found, "one step"):
        assert row.outcome is Outcome.EXPLAINED
        assert (row.known_cause.code, row.known_cause.subjects) == (
            "mjcf.massless-link",
            ("point",),
        )
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


@pytest.mark.slow
@pytest.mark.parametrize("fault", [more_inertia, less_inertia, other_gravity, other_link])
def test_a_fault_as_large_as_the_added_inertia_is_a_difference(
    fault: Callable[[Any], None],
) -> None:
    """Also less inertia than stated, whose error is within the bound, and a fault of a link that
    gets none.
    """
    found = moved(fault)
    assert {row.outcome for row in rows_of(found, "one step")} == {Outcome.FAILED}
    assert Outcome.FAILED in {row.outcome for row in rows_of(found, "motion without damping")}
    assert {row.outcome for row in rows_of(found, "exported motion")} <= {
        Outcome.FAILED,
        Outcome.UNKNOWN,
    }


def test_losses_add_no_inertia() -> None:
    mechanism = bridge.lower(pendulum())
    lost = Diagnostic("pybullet.rotor-inertia", Fate.DROPPED, "", subjects=("j_body",))
    assert added_inertia(mechanism, (lost,)) is None
    massless = Diagnostic(
        "mjcf.massless-link",
        Fate.ASSUMED,
        "",
        subjects=("point",),
        arguments={"mass": MASS, "moments": (1.0, 1.0, 1.0)},
    )
    added = added_inertia(mechanism, (lost, massless))
    assert added is not None
    assert added.subjects == ("point",)


def least(link: str, moment: float) -> Diagnostic:
    """MuJoCo's report of a link that gets a moment about every axis [kg m^2]."""
    arguments = {"mass": MASS, "moments": (moment, moment, moment)}
    return Diagnostic("mjcf.massless-link", Fate.ASSUMED, "", subjects=(link,), arguments=arguments)


def test_each_of_several_links_gets_its_own_inertia_about_its_hinge() -> None:
    """By Steiner's theorem: I + m r^2."""
    entries = (least("point", 0.25), least("body", 0.5), least("point", 0.25))
    added = added_inertia(bridge.lower(pendulum()), entries)
    assert added is not None
    M = dict(zip(added.mechanism.v_order, np.diag(added.mechanism.mass_matrix()), strict=True))
    assert M["j_point", 0] == pytest.approx(0.25 + MASS * RADIUS**2, rel=1e-12)
    assert M["j_body", 0] == pytest.approx(0.5 + 1.0 * RADIUS**2, rel=1e-12)
    assert added.subjects == ("point", "body")


@pytest.mark.parametrize("code", ["pybullet.base-without-inertia", "pybullet.ball-without-inertia"])
def test_pybullet_adds_to_the_inertia_that_a_link_has(code: str) -> None:
    entry = Diagnostic(code, Fate.ASSUMED, "", subjects=("body",), arguments={"inertia": 0.25})
    added = added_inertia(bridge.lower(pendulum()), (entry,))
    assert added is not None
    assert added.code == code
    M = dict(zip(added.mechanism.v_order, np.diag(added.mechanism.mass_matrix()), strict=True))
    assert M["j_body", 0] == pytest.approx(0.01 + 0.25 + 1.0 * RADIUS**2, rel=1e-12)


def acceleration(moment: float) -> float:
    """The acceleration of a horizontal pendulum of a kilogram with a moment of inertia about its
    center [rad/s^2].
    """
    return RADIUS * GRAVITY / (moment + RADIUS**2)


def row(error: float, tolerance: float, outcome: Outcome, known_cause: Cause | None = None) -> Row:
    return Row(
        level=Level.MOTION,
        quantity="one step",
        unit="rad/s^2",
        engines=("mujoco", "pybullet"),
        error=error,
        tolerance=tolerance,
        where="body",
        outcome=outcome,
        known_cause=known_cause,
    )


@pytest.mark.parametrize("other", [0.25, 0.25 + 1e-6, 0.3])
def test_what_remains_adds_to_what_the_inertia_changes(other: float) -> None:
    """By the triangle inequality: |a(0) - a(other)| <= |a(0) - a(0.25)| + |a(0.25) - a(other)|,
    equal if monotonic.
    """
    added = added_inertia(bridge.lower(pendulum()), (least("body", 0.25),))
    assert isinstance(added, AddedInertia)
    difference = row(acceleration(0.0) - acceleration(other), 1e-9, Outcome.FAILED)
    change, left = acceleration(0.0) - acceleration(0.25), acceleration(0.25) - acceleration(other)
    passed = added.cause(difference, change, row(left, left, Outcome.PASSED))
    assert passed is not None
    assert passed.bound == pytest.approx(difference.error, rel=1e-12)
    known = Cause(code="parity.chaos", subjects=("body",), quantity="one step", bound=left)
    explained = added.cause(difference, change, row(left, 0.5 * left, Outcome.EXPLAINED, known))
    assert explained is not None
    assert explained.bound == pytest.approx(difference.error, rel=1e-12)
    assert added.cause(difference, change, row(left, 0.5 * left, Outcome.FAILED)) is None
    assert added.cause(difference, change, row(left, left, Outcome.UNKNOWN)) is None


# A diagnostic stands for a changed mechanism, whose difference from the model has the size that it
# states.

ARM = scene([link("a"), link("b")], [joint("j", WORLD, "a"), joint("k", "a", "b", xyz=(0, 1, 0))])


def entry(code: str, *subjects: str, **arguments: Argument) -> Diagnostic:
    return Diagnostic(code, Fate.ASSUMED, "", subjects=subjects, arguments=arguments)


def test_a_missing_rotor_changes_one_diagonal_entry() -> None:
    geared = dataclasses.replace(
        ARM, actuators=(Actuator(name="m", joint="k", gear_ratio=10.0, rotor_inertia=1e-3),)
    )
    mechanism = bridge.lower(geared)
    without = counterfactual(entry("pybullet.rotor-inertia", "k"), mechanism)
    assert without is not None
    assert np.allclose(mechanism.mass_matrix() - without.mass_matrix(), np.diag((0.0, 0.1)))


def test_a_massless_link_gets_what_the_diagnostic_states() -> None:
    bare = dataclasses.replace(
        ARM, links=(ARM.links[0], dataclasses.replace(ARM.links[1], inertia=None))
    )
    changed = counterfactual(
        entry("mjcf.massless-link", "b", mass=1e-15, moments=(1e-15, 1e-15, 1e-15)),
        bridge.lower(bare),
    )
    assert changed is not None
    assert [body.inertia.mass for body in changed.bodies] == [ARM.links[0].inertia.mass, 1e-15]


def test_gravity_acts_again_on_the_link_of_the_diagnostic_only() -> None:
    weightless = dataclasses.replace(
        ARM, links=tuple(dataclasses.replace(each, gravity=False) for each in ARM.links)
    )
    changed = counterfactual(entry("pybullet.link-without-gravity", "b"), bridge.lower(weightless))
    assert changed is not None
    assert [body.link.gravity for body in changed.bodies] == [False, True]


@pytest.mark.parametrize("name", ["b", "b (with a)"])
def test_merged_links_move_their_inertia_to_the_link_that_carries_them(name: str) -> None:
    fixed = dataclasses.replace(ARM.joints[1], type=JointType.FIXED, axes=(), child=name)
    welded = dataclasses.replace(
        ARM,
        links=(ARM.links[0], dataclasses.replace(ARM.links[1], name=name)),
        joints=(ARM.joints[0], fixed),
    )
    mechanism = bridge.lower(welded)
    changed = counterfactual(
        entry("pybullet.folded-links", "a", name, links=((name, "a"),)), mechanism
    )
    assert changed is not None
    total = sum(body.inertia.mass for body in mechanism.bodies)
    assert [body.inertia.mass for body in changed.bodies] == pytest.approx([total, 0.0])
    assert changed.mass_matrix() == pytest.approx(mechanism.mass_matrix())


def test_other_codes_change_nothing() -> None:
    assert counterfactual(entry("pybullet.gear", "k"), bridge.lower(ARM)) is None
    assert SpatialInertia.of(0.0).mass == 0.0
