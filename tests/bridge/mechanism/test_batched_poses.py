"""Poses of the links at many positions at once: those of `link_poses` at each of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import loaders
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import random_position
from loaders.model import WORLD, Coupling, JointType
from tests.support.scenes import joint, link, random_axes, random_pose, random_scene, scene

N = 5


def random_batch(mechanism: Mechanism, seed: int = 0) -> dict[str, np.ndarray]:
    """N positions of every joint that moves."""
    rng = np.random.default_rng(seed)
    moving = [body for body in mechanism.bodies if body.primitives]
    drawn = {
        str(body.joint): np.array([random_position(body, rng) for _ in range(N)]) for body in moving
    }
    return {name: rows[:, 0] if rows.shape[1] == 1 else rows for name, rows in drawn.items()}


def assert_as_one_by_one(mechanism: Mechanism, batch: Mapping[str, np.ndarray]) -> None:
    poses = mechanism.batched_link_poses(batch)
    for i in range(N if batch else 1):
        expected = mechanism.link_poses({name: rows[i] for name, rows in batch.items()})
        assert list(poses) == list(expected)
        for name, X_WL in expected.items():
            np.testing.assert_allclose(poses[name].R[i], X_WL.R, rtol=0, atol=1e-12)
            np.testing.assert_allclose(poses[name].p[i], X_WL.p, rtol=0, atol=1e-12)


@pytest.mark.parametrize("fixed", [False, True], ids=["floating", "fixed"])
@pytest.mark.parametrize("seed", range(4))
def test_random_trees_of_all_joints(seed: int, fixed: bool) -> None:
    mechanism = lower(random_scene(seed, fixed=fixed, size=12))
    assert_as_one_by_one(mechanism, random_batch(mechanism, seed))


@pytest.mark.parametrize("backwards", [False, True], ids=["forward", "reversed"])
@pytest.mark.parametrize(
    "kind", [kind for kind in JointType if kind not in {JointType.FIXED, JointType.FLOATING}]
)
def test_each_type_of_joint(kind: JointType, backwards: bool) -> None:
    rng = np.random.default_rng(3)
    ends = ("y", "x") if backwards else ("x", "y")
    moving = joint(
        "j",
        *ends,
        kind,
        axes=random_axes(kind, rng),
        X_PJ=random_pose(rng),
        X_CJ=random_pose(rng),
        pitch=0.3,
        gear_ratio=2.5,
    )
    joints = [joint("hold", WORLD, "x", JointType.FIXED, X_PJ=random_pose(rng)), moving]
    mechanism = lower(scene([link("x"), link("y")], joints))
    assert_as_one_by_one(mechanism, random_batch(mechanism))


def test_loops_are_closed_at_each_position() -> None:
    limited = {"lower": -1.0, "upper": 1.0}
    joints = [
        joint(f"j{i}", *ends, axis=limited)
        for i, ends in enumerate([(WORLD, "a"), ("a", "b"), ("b", WORLD)])
    ]
    mechanism = lower(scene([link("a"), link("b")], joints))
    assert mechanism.closures
    batch = {"j0": np.linspace(-0.5, 0.5, N), "j1": np.linspace(0.1, 0.9, N)}
    assert_as_one_by_one(
        mechanism, {name: rows for name, rows in batch.items() if (name, 0) in mechanism.dof_index}
    )


def test_followers_are_added_for_all_positions() -> None:
    joints = [joint("a", WORLD, "x"), joint("b", "x", "y")]
    coupling = Coupling(follower="b", leader="a", multiplier=2.0, offset=0.25)
    mechanism = lower(scene([link("x"), link("y")], joints, couplings=(coupling,)))
    angles = np.linspace(-1.0, 1.0, N)
    poses = mechanism.batched_link_poses(mechanism.with_followers({"a": angles}))
    for i, angle in enumerate(angles):
        expected = mechanism.link_poses(mechanism.with_followers({"a": angle}))["y"]
        np.testing.assert_allclose(poses["y"].R[i], expected.R, atol=1e-12)
        total = 3.0 * angle + 0.25
        np.testing.assert_allclose(expected.R[:2, 0], (np.cos(total), np.sin(total)), atol=1e-12)


def test_a_single_position_holds_for_all() -> None:
    mechanism = lower(loaders.load("assets/double_pendulum.urdf"))
    poses = mechanism.batched_link_poses({"shoulder": [0.1, 0.2, 0.3], "elbow": 0.5})
    assert {(len(X), X.R.shape, X.p.shape) for X in poses.values()} == {(3, (3, 3, 3), (3, 3))}
    X_WL = mechanism.link_poses({"shoulder": 0.3, "elbow": 0.5})["lower"]
    np.testing.assert_allclose(poses["lower"][2].p, X_WL.p, atol=1e-12)
    np.testing.assert_allclose(poses["lower"][2].R, X_WL.R, atol=1e-12)
    assert {len(X) for X in mechanism.batched_link_poses().values()} == {1}
    assert {len(X) for X in mechanism.batched_link_poses({"elbow": np.zeros(0)}).values()} == {0}


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        ({"elbo": [1.0]}, ValueError, "unknown joint 'elbo'; did you mean 'elbow'"),
        (
            {"elbow": np.zeros((3, 2))},
            ValueError,
            r"'elbow' needs an array of finite numbers of shape \(n,\), not one of",
        ),
        ({"elbow": [0.0, np.nan]}, ValueError, "finite"),
        ({"elbow": ["a", "b"]}, ValueError, "finite"),
        ({"elbow": np.zeros(3), "shoulder": np.zeros(4)}, ValueError, "'elbow': 3, 'shoulder': 4"),
        ({"hand": np.zeros((3, 7))}, ValueError, "all components are zero"),
        ({"hand": np.zeros((3, 4))}, ValueError, r"shape \(n, 7\)"),
        ({"weld": np.zeros(3)}, ValueError, "'weld' is fixed"),
        (np.zeros((3, 2)), TypeError, "expected a mapping by name of joint"),
    ],
)
def test_wrong_arrays_are_refused(batch: object, error: type[Exception], message: str) -> None:
    joints = [
        joint("shoulder", WORLD, "a"),
        joint("elbow", "a", "b"),
        joint("weld", "b", "c", JointType.FIXED),
    ]
    mechanism = lower(scene([link(name) for name in ("a", "b", "c", "hand")], joints))
    with pytest.raises(error, match=message):
        mechanism.batched_link_poses(batch)  # type: ignore[arg-type]
