"""Pairs of links that random positions exclude from contact."""

from __future__ import annotations

import dataclasses
import itertools
import math
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pybullet_data
import pytest

import bridge
import loaders
from bridge.choices import Exclusion
from bridge.lowering.sampling import random_positions
from bridge.lowering.transform import with_exclusions
from bridge.mechanism import Mechanism
from bridge.mechanism.mechanism import SampledPairs
from loaders.diagnostics import Diagnostic
from loaders.model import WORLD, Coupling, JointType, Sphere
from loaders.pose import Pose
from loaders.scene import Scene
from tests.support.scenes import joint, link, scene

BALL = Sphere(radius=0.1)


def sampled(source: Scene | Mechanism, samples: int = 1000, seed: int = 0) -> SampledPairs:
    mechanism = source if isinstance(source, Mechanism) else bridge.lower(source)
    exclusion = Exclusion(exclude="sampled", samples=samples, seed=seed)
    found = with_exclusions(mechanism, exclusion).sampled
    assert found is not None
    return found


def reasons(source: Scene, **options: Any) -> dict[str, str]:
    found = sampled(source, **options)
    return {pair.link_A + pair.link_B: pair.reason for pair in found.pairs}


def arm(lower: float, upper: float) -> Scene:
    """A ball o at (1, 0, 0), fixed, and a ball t that turns about the origin at the same distance:
    both touch at angles below 2 asin(0.1), 0.2003 rad. Links m and n are between them.
    """
    links = [
        link("o", shape=BALL, X_WL=Pose.of(p=(1.0, 0.0, 0.0))),
        link("m", shape=Sphere(radius=0.01)),
        link("n", shape=Sphere(radius=0.01)),
        link("t", shape=BALL, X_WL=Pose.of(p=(1.0, 0.0, 0.0))),
    ]
    still = {"axis": {"lower": 0.0, "upper": 0.0}}
    limits = {"axis": {"lower": lower, "upper": upper}}
    joints = [
        joint("w", WORLD, "o", JointType.FIXED, X_PJ=links[0].X_WL),
        joint("jm", "o", "m", X_PJ=Pose.of(p=(-1.0, 0.0, 0.0)), **still),
        joint("jn", "m", "n", **limits),
        joint("jt", "n", "t", X_PJ=Pose.of(p=(1.0, 0.0, 0.0)), **still),
    ]
    return scene(links, joints)


TOUCHING = 2.0 * math.asin(0.1)
"""Largest angle at which the balls touch."""


@pytest.mark.parametrize(
    ("lower", "upper", "reason"),
    [
        (TOUCHING + 0.01, 3.0, "Never"),
        (TOUCHING - 0.02, 3.0, None),
        (-3.0, -TOUCHING - 0.01, "Never"),
        (0.12, TOUCHING - 0.001, "Always"),
        (-math.inf, math.inf, None),
        (TOUCHING + 0.01, math.inf, None),
        (1.0, 0.5, None),
    ],
)
def test_two_balls_are_excluded_if_all_angles_let_them_touch_or_none(
    lower: float, upper: float, reason: str | None
) -> None:
    kept = dataclasses.replace(bridge.lower(arm(lower, upper)), overlap_choice="keep")
    found = sampled(kept)
    assert found.reasons.get(frozenset("ot")) == reason
    assert found.reasons[frozenset("om")] == found.reasons[frozenset("nt")] == "Adjacent"


def test_links_that_overlap_initially_are_excluded_by_default_unless_they_are_kept() -> None:
    mechanism = bridge.lower(arm(-3.0, 3.0))
    assert sampled(mechanism).reasons[frozenset("ot")] == "Default"
    kept = dataclasses.replace(mechanism, overlap_choice="keep")
    assert frozenset("ot") not in sampled(kept).reasons


@pytest.mark.parametrize("within", [1e-3, 1e-5])
def test_a_pair_that_touches_at_rare_positions_is_not_excluded(within: float) -> None:
    """Of 1000 angles about none is in the range of contact, which is at the lower limit."""
    rare, never = (bridge.lower(arm(TOUCHING + x, 3.0)) for x in (-within, within))
    kept = dataclasses.replace(rare, overlap_choice="keep")
    assert frozenset("ot") not in sampled(kept).reasons
    kept = dataclasses.replace(never, overlap_choice="keep")
    assert sampled(kept).reasons[frozenset("ot")] == "Never"


def test_a_follower_follows() -> None:
    """Ball t turns by q, and its parent by -q, so that it stays where it is."""
    links = [
        link("o", shape=BALL, X_WL=Pose.of(p=(1.0, 0.0, 0.0))),
        *(link(name, shape=Sphere(radius=0.01)) for name in "mn"),
        link("t", shape=BALL),
    ]
    joints = [
        joint("w", WORLD, "o", JointType.FIXED, X_PJ=links[0].X_WL),
        joint("jm", "o", "m", X_PJ=Pose.of(p=(-1.0, 0.0, 0.0))),
        joint("jn", "m", "n"),
        joint("jt", "n", "t", X_PJ=Pose.of(p=(0.0, 1.0, 0.0))),
    ]
    opposite = (Coupling(follower="jn", leader="jm", multiplier=-1.0),)
    assert reasons(scene(links, joints, couplings=opposite))["ot"] == "Never"
    assert "ot" not in reasons(scene(links, joints))


def rail(upper: float) -> Scene:
    """A ball t on a slide that starts 5 m away from a ball o."""
    links = [link("o", shape=BALL), *(link(n, shape=Sphere(radius=0.01)) for n in "mt")]
    joints = [
        joint("w", WORLD, "o", JointType.FIXED),
        joint("jm", "o", "m", X_PJ=Pose.of(p=(0.0, 5.0, 0.0))),
        joint(
            "jt", "m", "t", JointType.PRISMATIC, xyz=(0, 0, 1), axis={"lower": 0.0, "upper": upper}
        ),
    ]
    return scene(links, joints)


def test_nothing_is_said_of_links_that_an_unlimited_slide_takes_apart() -> None:
    assert reasons(rail(1.0))["ot"] == "Never"
    assert "ot" not in reasons(rail(math.inf))


def test_a_free_link_may_touch_everything() -> None:
    links = [link("a", shape=BALL), link("b", shape=BALL, X_WL=Pose.of(p=(9.0, 0.0, 0.0)))]
    assert reasons(scene(links)) == {}


def test_links_joined_by_a_link_without_collisions_are_adjacent() -> None:
    def chain(middle: Sphere | None) -> Scene:
        links = [link("a", shape=BALL), link("b", shape=middle), link("c", shape=BALL)]
        places = {"X_PJ": Pose.of(p=(0.0, 0.0, 0.15)), "xyz": (0, 1, 0)}
        joints = [joint(f"{p}{c}", p, c, **places) for p, c in itertools.pairwise("abc")]
        return scene(links, joints)

    assert reasons(chain(None)) == {"ac": "Adjacent"}
    assert "ac" not in reasons(chain(BALL))


def test_the_bound_holds_for_the_exact_probability() -> None:
    """No contact in n samples has the probability (1 - p)^n, which is 5 % at the exact bound."""
    for n in (10, 100, 10_000):
        exact = 1.0 - 0.05 ** (1.0 / n)
        bound = SampledPairs(pairs=(), samples=n, seed=0).bound
        assert exact <= bound <= 1.2 * exact
    assert SampledPairs(pairs=(), samples=1, seed=0).bound == 1.0


def test_positions_are_within_the_limits_and_of_a_full_turn_without() -> None:
    mechanism = bridge.lower(arm(-0.2, 0.7))
    q = np.asarray(random_positions(mechanism, np.random.default_rng(0), 5000)["jn"])
    assert -0.2 <= q.min() < -0.19
    assert 0.69 < q.max() <= 0.7
    endless = bridge.lower(arm(-math.inf, math.inf))
    q = np.asarray(random_positions(endless, np.random.default_rng(0), 5000)["jn"])
    assert q.max() - q.min() == pytest.approx(math.tau, rel=1e-2)


# --- targets --------------------------------------------------------------------------------------

NEVER = arm(1.0, 3.0)
OPTIONS: dict[str, Any] = {"exclude": "sampled", "exclude_samples": 100, "exclude_seed": 3}


def finding(entries: Any) -> Diagnostic:
    (entry,) = (entry for entry in entries if entry.code == "lower.sampled-pairs")
    return entry


def contacts(xml: str) -> set[frozenset[str]]:
    """Return the pairs of bodies that touch in MuJoCo with ball t moved onto ball o."""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.qpos[:] = 0.0
    mujoco.mj_forward(model, data)
    bodies = [model.geom_bodyid[contact.geom] for contact in data.contact]
    return {frozenset(model.body(int(i)).name for i in pair) for pair in bodies}


def test_mujoco_does_not_find_contacts_of_excluded_pairs() -> None:
    assert frozenset("ot") in contacts(bridge.to_mjcf(NEVER, overlaps="keep"))
    mjcf = bridge.to_mjcf(NEVER, overlaps="keep", **OPTIONS)
    assert contacts(mjcf) == set()
    text = finding(mjcf.diagnostics).message
    assert "100 random positions (seed 3)" in text
    assert "below 0.03" in text
    assert "95 %" in text


def test_pybullet_does_not_find_contacts_of_excluded_pairs() -> None:
    pybullet = pytest.importorskip("pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    try:
        counts = []
        for options in ({}, OPTIONS):
            robot = bridge.load_into_pybullet(
                NEVER, physicsClientId=client, overlaps="keep", quiet=True, **options
            )
            robot.set_positions({"jn": 0.0})
            pybullet.performCollisionDetection(physicsClientId=client)
            counts.append(
                len(pybullet.getContactPoints(int(robot), int(robot), physicsClientId=client))
            )
            robot.remove()
        assert counts[0] > 0
        assert counts[1] == 0
    finally:
        pybullet.disconnect(client)


@pytest.mark.parametrize(
    "export", [bridge.export_sdf, bridge.export_urdf, bridge.export_directives]
)
def test_the_files_of_drake_have_filter_groups_for_the_pairs(export: Any, tmp_path: Path) -> None:
    result = export(NEVER, tmp_path / "out", **OPTIONS)
    finding(result.diagnostics)
    excluded = loaders.load(result.path, quiet=True).excluded_collision_pairs("drake")
    names = {frozenset(name.rpartition("::")[2] for name in pair) for pair in excluded}
    assert {frozenset("ot"), frozenset("on")} <= names
    plain = export(NEVER, tmp_path / "plain")
    excluded = loaders.load(plain.path, quiet=True).excluded_collision_pairs("drake")
    assert frozenset("ot") not in {frozenset(n.rpartition("::")[2] for n in p) for p in excluded}


def test_the_srdf_has_the_reasons_of_moveit(tmp_path: Path) -> None:
    result = bridge.export_urdf(NEVER, tmp_path / "m", write_srdf=True, extensions=(), **OPTIONS)
    text = (tmp_path / "m" / "test.srdf").read_text()
    assert '<disable_collisions link1="o" link2="t" reason="Default"/>' in text
    assert '<disable_collisions link1="o" link2="n" reason="Never"/>' in text
    assert '<disable_collisions link1="o" link2="m" reason="Adjacent"/>' in text
    found = loaders.load(result.path, srdf=tmp_path / "m" / "test.srdf")
    pairs = found.excluded_collision_pairs()
    assert pairs == {frozenset(pair) for pair in sampled(NEVER, 100, 3).reasons}


def test_a_mechanism_keeps_its_pairs_in_every_target(tmp_path: Path) -> None:
    exclusion = Exclusion(exclude="sampled", samples=100, seed=3)
    mechanism = with_exclusions(bridge.lower(NEVER), exclusion)
    assert with_exclusions(mechanism, exclusion) is mechanism
    bridge.export_urdf(mechanism, tmp_path / "a", write_srdf=True)
    bridge.export_urdf(NEVER, tmp_path / "b", write_srdf=True, **OPTIONS)
    one, other = ((tmp_path / name / "test.srdf").read_text() for name in "ab")
    assert one == other


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"exclude": "all"}, "unknown value 'all' of exclude; expected one of: as_is, sampled"),
        ({"exclude_samples": 0}, "exclude_samples = 0; expected a whole number of at least 1"),
        ({"exclude_seed": -1}, "exclude_seed = -1; expected a whole number of at least 0"),
        ({"exclude_seed": 0.5}, "exclude_seed = 0.5; expected a whole number of at least 0"),
    ],
)
def test_unknown_values_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        bridge.to_sdf(NEVER, **options)
    with pytest.raises(ValueError, match=f"^{message}$"):
        bridge.to_mjcf(NEVER, **options)


# Overlaps at random positions.


def test_the_share_of_positions_with_an_overlap_and_its_depth_follow_from_the_angle() -> None:
    """Between 0 and 1 rad the balls overlap below the angle `TOUCHING`; the distance of their
    centers is 2 sin(angle / 2).
    """
    kept = dataclasses.replace(bridge.lower(arm(0.0, 1.0)), overlap_choice="keep")
    (found,) = bridge.overlaps_in_motion(kept, samples=4000, seed=2)
    assert {found.deepest.link_A, found.deepest.link_B} == {"o", "t"}
    assert found.share == pytest.approx(TOUCHING, abs=0.02)
    angle = found.positions["jn"]
    assert isinstance(angle, float)
    assert found.deepest.depth == pytest.approx(0.2 - 2.0 * math.sin(angle / 2.0), abs=1e-6)
    assert 0.0 <= angle < 2e-3


def test_links_that_cannot_collide_do_not_overlap_in_motion() -> None:
    assert bridge.overlaps_in_motion(arm(0.0, 1.0), samples=100) == ()  # left out: they overlap
    assert bridge.overlaps_in_motion(arm(TOUCHING + 0.01, 3.0), samples=100) == ()
    assert bridge.overlaps_in_motion(arm(0.0, 1.0), samples=100, policy="pybullet") == ()
    found = bridge.overlaps_in_motion(arm(0.0, 1.0), samples=100, policy="drake")
    assert {(entry.deepest.link_A, entry.deepest.link_B) for entry in found} == {("o", "t")}


@pytest.mark.parametrize("name", ["franka_panda/panda.urdf", "laikago/laikago_toes.urdf"])
def test_overlaps_in_motion_are_those_of_each_position(name: str) -> None:
    mechanism = bridge.lower(loaders.load(Path(pybullet_data.getDataPath()) / name, quiet=True))
    found = bridge.overlaps_in_motion(mechanism, samples=40, seed=1)
    q = random_positions(mechanism, np.random.default_rng(1), 40)
    deepest: dict[tuple[str, str], list[float]] = {}
    for k in range(40):
        at = {joint: np.asarray(values)[k].tolist() for joint, values in q.items()}
        for entry in mechanism.that_may_collide(mechanism.overlaps_at(at)):
            deepest.setdefault((entry.link_A, entry.link_B), []).append(entry.depth)
    assert {(e.deepest.link_A, e.deepest.link_B): e.deepest.depth for e in found} == pytest.approx(
        {pair: max(depths) for pair, depths in deepest.items()}
    )
    assert {(e.deepest.link_A, e.deepest.link_B): e.share for e in found} == pytest.approx(
        {pair: len(depths) / 40 for pair, depths in deepest.items()}
    )
