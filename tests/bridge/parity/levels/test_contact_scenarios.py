"""Both simulators stay within the stated tolerances of contact, and a wrong shape is found."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loaders
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.engines.mujoco.engine import MujocoEngine
from loaders.inertia import SpatialInertia

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


ASSETS = Path(__file__).parents[4] / "assets"


def thing(geometry: str, surface: str = "", pose: str = "0 0 0 0 0 0") -> loaders.Scene:
    return loaders.load_string(
        f"""<sdf version="1.9"><model name="m"><link name="body"><inertial><mass>2</mass>
        <inertia><ixx>.02</ixx><iyy>.02</iyy><izz>.02</izz></inertia></inertial>
        <collision name="c"><pose>{pose}</pose><geometry>{geometry}</geometry>{surface}</collision>
        </link></model></sdf>""",
        format="sdf",
    )


def rough(mu: float, restitution: float = 0.0) -> str:
    return (
        f"<surface><friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction>"
        f"<bounce><restitution_coefficient>{restitution}</restitution_coefficient></bounce></surface>"
    )


BOX = "<box><size>.2 .3 .4</size></box>"


def rows(source: Any, *engines: Any) -> dict[tuple[str, str], Any]:
    return {
        (row.quantity, row.engines[1]): row for row in compare(source, engines, levels=("L4",)).rows
    }


@pytest.mark.parametrize("name", ["arm/model.sdf", "double_pendulum.urdf", "leg.sdf"])
def test_models_agree_within_the_classes_in_both(name: str) -> None:
    found = compare(ASSETS / name, levels=("L4",))
    assert found.agreement is Verdict.AGREES
    assert all(
        row.outcome is Outcome.EXPLAINED and row.error <= row.tolerance for row in found.rows
    )
    assert {row.quantity for row in found.rows} == {"rest height", "slide", "bounce", "stack"}


@pytest.mark.parametrize("mu", [0.4, 0.8])
@pytest.mark.parametrize("restitution", [0.4, 0.8])
def test_blocks_stop_and_balls_bounce_as_closed_forms_say(mu: float, restitution: float) -> None:
    found = rows(thing(BOX, rough(mu, restitution)), "mujoco", "pybullet")
    for quantity in ("slide", "bounce"):
        for engine in ("mujoco", "pybullet"):
            assert found[quantity, engine].outcome is Outcome.EXPLAINED, found[quantity, engine]
    assert (
        f"closed form {0.3**2 * 9.8 * _braking(mu) / 2.0:.2g}" in found["slide", "pybullet"].cause
    )


def _braking(mu: float) -> float:
    """Deceleration, over the gravity, on a slope half as steep as the friction can hold."""
    slope = math.atan(mu / 2.0)
    return mu * math.cos(slope) - math.sin(slope)


class Thinner(MujocoEngine):
    """Every box is a tenth less high."""

    name = "thinner"

    def __init__(self, mechanism: Any) -> None:
        super().__init__(mechanism)
        boxes = self.model.geom_type == self._mujoco.mjtGeom.mjGEOM_BOX
        self.model.geom_size[boxes, 2] *= 0.9


class Smoother(MujocoEngine):
    """Friction is a hundredth less than the model says."""

    name = "smoother"

    def __init__(self, mechanism: Any) -> None:
        super().__init__(mechanism)
        self.model.geom_friction[:, 0] *= 0.99
        self.model.pair_friction[:, :2] *= 0.99


class Duller(MujocoEngine):
    """Contacts are damped a tenth more than restitution says."""

    name = "mujoco"

    def __init__(self, mechanism: Any) -> None:
        super().__init__(mechanism)
        self.model.pair_solref[:, 1] *= 1.1


def test_a_little_less_restitution_is_a_difference() -> None:
    row = rows(thing(BOX, rough(0.8, 0.5)), Duller)["bounce", "mujoco"]
    assert row.outcome is Outcome.FAILED


@pytest.mark.parametrize("restitution", [0.0, 0.05])
def test_contacts_of_mujoco_leave_what_a_critically_damped_spring_leaves(
    restitution: float,
) -> None:
    row = rows(thing(BOX, rough(0.8, restitution)), "mujoco")["bounce", "mujoco"]
    assert (row.outcome, f"{math.exp(-2.0):.3g}" in row.cause) == (Outcome.EXPLAINED, True)


@pytest.mark.parametrize("restitution", [0.8, 0.95, 1.0])
def test_friction_stops_a_block_that_bounces_where_it_should(restitution: float) -> None:
    row = rows(thing(BOX, rough(0.8, restitution)), "mujoco")["slide", "mujoco"]
    assert row.outcome is Outcome.EXPLAINED
    assert row.error < 0.015


class Slippery(MujocoEngine):
    """Friction has the damping of the bounce, as it has in MuJoCo without a list of pairs."""

    name = "mujoco"

    def __init__(self, mechanism: Any) -> None:
        super().__init__(mechanism)
        self.model.pair_solreffriction[:] = self.model.pair_solref


def test_friction_with_the_damping_of_a_bounce_is_a_difference() -> None:
    """The block slides 1.8 times as far, because friction only slows it down by 1 1/s times its
    speed.
    """
    row = rows(thing(BOX, rough(0.8, 0.95)), Slippery)["slide", "mujoco"]
    assert (row.outcome, row.error > 0.5) == (Outcome.FAILED, True)


def test_a_thing_without_inertia_about_an_axis_has_no_rest_height() -> None:
    egg = thing("<ellipsoid><radii>.1 .2 .3</radii></ellipsoid>", pose="0 0 0 .3 .4 0")
    link = dataclasses.replace(
        egg.links[0], inertia=SpatialInertia.of(0.1, I_Lcm=np.diag((1.0, 1.0, 0.0)))
    )
    row = rows(dataclasses.replace(egg, links=(link,)), "pybullet")["rest height", "pybullet"]
    assert (row.outcome, row.error > row.tolerance) == (Outcome.UNKNOWN, True)
    assert "lower.thin-link" in row.cause


@pytest.mark.parametrize(
    ("geometry", "surface", "told"),
    [
        (
            BOX,
            "<surface><contact><ode><kp>1.0</kp></ode></contact></surface>",
            "so soft that it may sink",
        ),
        ("<mesh><uri>nowhere.stl</uri></mesh>", "", "none of the meshes"),
    ],
)
def test_contacts_too_soft_to_support_and_unreadable_files_are_reported(
    geometry: str, surface: str, told: str
) -> None:
    row = rows(thing(geometry, surface), "mujoco")["rest height", "mujoco"]
    assert (row.outcome, told in row.cause) == (Outcome.UNKNOWN, True), row


@pytest.mark.parametrize(
    ("engine", "quantity"), [(Thinner, "rest height"), (Thinner, "stack"), (Smoother, "slide")]
)
def test_another_shape_or_friction_is_a_difference(
    engine: type[MujocoEngine], quantity: str
) -> None:
    row = rows(thing(BOX, rough(0.8)), engine)[quantity, engine.name]
    assert row.outcome is Outcome.FAILED
    assert row.error > row.tolerance


def test_missing_shapes_and_coarse_shapes_are_reported() -> None:
    bare = rows(ASSETS / "orthogonal_x.sdf", "mujoco")
    assert all(row.outcome in {Outcome.UNKNOWN, Outcome.EXPLAINED} for row in bare.values())
    row = rows(thing(BOX, rough(50.0)), "mujoco")["slide", "mujoco"]
    assert (row.outcome, "not for 50" in row.cause) == (Outcome.UNKNOWN, True)
