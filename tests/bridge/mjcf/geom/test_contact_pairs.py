"""Pairs of geoms have the friction that the simulator of the policy computes."""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest

from bridge import to_mjcf
from loaders.model import Box, Collision, Friction, Surface
from loaders.pose import IDENTITY, Pose, frozen
from tests.bridge.mjcf.geom.test_contact_parameters import (
    BALL,
    CUBE,
    G,
    codes,
    on_the_floor,
    settled,
)
from tests.support.mujoco_oracle import compiled
from tests.support.scenes import joint, link, scene

SHAPE = Collision(name="c", X_LG=IDENTITY, geometry=BALL)
RULES = {"drake": 2 * 0.3 * 0.8 / 1.1, "sdformat": 0.3, "mujoco": 0.8, "pybullet": 0.24}


def slides(source, slope, **options):
    """Whether a thing on the floor slides, gravity being tilted by a slope."""
    angle = math.atan(slope)
    tilted = dataclasses.replace(
        source, gravity=frozen((G * math.sin(angle), 0, -G * math.cos(angle)))
    )
    _, data = settled(to_mjcf(tilted, **options), 1.0)
    return data.qvel[0] > 0.1


@pytest.mark.parametrize("policy", list(RULES))
def test_a_block_slides_at_the_slope_of_the_combined_friction_if_pairs_are_written(policy):
    source = on_the_floor(
        CUBE, friction=Friction(mu=0.3, mu2=0.3), floor={"friction": Friction(mu=0.8, mu2=0.8)}
    )
    mu = RULES[policy]
    assert not slides(source, 0.97 * mu, contacts="pairs", policy=policy)
    assert slides(source, 1.05 * mu, contacts="pairs", policy=policy)


def test_without_pairs_the_larger_friction_counts_and_the_diagnostics_say_so():
    source = on_the_floor(
        CUBE, friction=Friction(mu=0.3, mu2=0.3), floor={"friction": Friction(mu=0.8, mu2=0.8)}
    )
    assert not slides(source, 0.97 * 0.8)
    assert slides(source, 1.05 * 0.8)
    (entry,) = [e for e in to_mjcf(source).diagnostics if e.code == "mjcf.friction-combination"]
    assert f"{RULES['drake']:g}" in entry.message
    assert "mjcf.friction-combination" not in codes(to_mjcf(source, policy="mujoco"))
    assert "mjcf.friction-combination" not in codes(to_mjcf(source, contacts="pairs"))


def test_a_pair_is_written_once_for_all_that_touch_and_for_nothing_else():
    """The contacts are those of the geoms, no more: MuJoCo leaves a pair of the list out of its own
    search.
    """
    balls = [link(f"l{i}", X_WL=Pose.of(p=(0.15 * i, 0, 0)), shape=BALL) for i in range(4)]
    source = scene(balls, [joint("j", "l0", "l1", X_PJ=Pose.of(p=(0.15, 0, 0)))])
    found = []
    for contacts in ("geoms", "pairs"):
        model = compiled(to_mjcf(source, contacts=contacts))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        found.append(sorted(sorted(c.geom) for c in data.contact[: data.ncon]))
        assert model.npair == (0 if contacts == "geoms" else 5)
    assert found[0] == found[1]
    assert len(found[0]) == 2


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("contacts", ["geoms", "pairs"])
def test_a_bouncing_block_that_slides_on_the_floor_stops_where_friction_stops_it(
    contacts, restitution
):
    """A geom has one damping for the normal and for friction; without pairs a block slides up to
    3.5 times as far.
    """
    mu, v = Friction(mu=0.5, mu2=0.5), 1.0
    source = on_the_floor(
        Box(size=(0.4, 0.4, 0.1)),
        height=0.05,
        friction=mu,
        restitution=restitution,
        floor={"friction": mu},
    )
    model, data = settled(to_mjcf(source, contacts=contacts), 0.2)
    start = data.qpos[0]
    data.qvel[:] = (v, 0, 0, 0, 0, 0)
    mujoco.mj_step(model, data, round(1.0 / model.opt.timestep))
    assert data.qpos[0] - start == pytest.approx(v**2 / (2.0 * 0.5 * G), rel=0.03)


def test_only_shapes_that_bounce_get_pairs_of_their_own():
    """Pairs have the larger friction, as geoms have; a pair without a bounce is left to the
    geoms.
    """
    surfaces = (Surface(restitution=0.5), Surface(), Surface())
    balls = [
        link(
            f"l{i}",
            X_WL=Pose.of(p=(0.15 * i, 0, 0)),
            collisions=(dataclasses.replace(SHAPE, surface=surface),),
        )
        for i, surface in enumerate(surfaces)
    ]
    mjcf = to_mjcf(scene(balls))
    assert mjcf.count("<pair ") == 2
    assert compiled(mjcf).npair == 2


def test_too_many_contact_pairs_are_refused_with_a_remedy():
    balls = [link(f"l{i}", X_WL=Pose.of(p=(i, 0, 0)), shape=BALL) for i in range(70)]
    mjcf = to_mjcf(scene(balls), contacts="pairs")
    assert "<pair" not in mjcf
    assert "mjcf.contact-pairs" in codes(mjcf)
    rubber = dataclasses.replace(SHAPE, surface=Surface(restitution=0.5))
    bouncing = to_mjcf(scene([dataclasses.replace(ball, collisions=(rubber,)) for ball in balls]))
    assert "<pair" not in bouncing
    assert "mjcf.contact-pairs" in codes(bouncing)


def test_an_unknown_place_for_contacts_is_refused():
    with pytest.raises(
        ValueError, match=r"unknown value .both. of contacts; expected one of: geoms, pairs"
    ):
        to_mjcf(on_the_floor(BALL), contacts="both")


@pytest.mark.parametrize("direction", [0.0, 0.4, math.pi / 4])
def test_pairs_have_friction_that_is_the_same_in_every_direction(direction):
    source = on_the_floor(
        CUBE, friction=Friction(mu=0.5, mu2=0.5), floor={"friction": Friction(mu=0.5, mu2=0.5)}
    )
    for slope, moves in ((0.48, False), (0.53, True)):
        angle = math.atan(slope)
        along = (
            math.sin(angle) * math.cos(direction),
            math.sin(angle) * math.sin(direction),
            -math.cos(angle),
        )
        tilted = dataclasses.replace(source, gravity=frozen(G * np.array(along)))
        _, data = settled(to_mjcf(tilted, contacts="pairs"), 1.0)
        assert (np.linalg.norm(data.qvel[:2]) > 0.1) == moves
