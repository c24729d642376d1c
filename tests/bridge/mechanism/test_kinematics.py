"""Positions of joints, displacements of primitives, couplings, poses of links, and positions that
close loops.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

import numpy as np
import pytest

import loaders
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Closure
from bridge.mechanism.coordinates import (
    joint_position,
    primitive_positions,
    random_position,
    relative_pose,
    with_followers,
)
from bridge.mechanism.kinematics import closing_position, parts, relative_motions
from loaders.model import WORLD, X_AXIS, Y_AXIS, Z_AXIS, Coupling, JointType, by_name
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import joint, link, random_axes, random_pose, random_scene, scene
from tests.support.simple_scenes import joint as simple_joint
from tests.support.simple_scenes import link as simple_link
from tests.support.simple_scenes import scene as simple_scene

# Positions at which joints that carry parts of split links close their loops.


@pytest.mark.parametrize("backwards", [False, True], ids=["forward", "reversed"])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "universal", "planar", "screw", "ball"])
def test_the_position_that_gives_a_pose_is_found_again(kind: str, backwards: bool) -> None:
    rng = np.random.default_rng(3)
    ends = ("y", "x") if backwards else ("x", "y")
    moving = joint(
        "j",
        *ends,
        JointType(kind),
        axes=random_axes(JointType(kind), rng),
        X_PJ=random_pose(rng),
        X_CJ=random_pose(rng),
        pitch=0.3,
    )
    joints = [joint("hold", WORLD, "x", JointType.FIXED), moving]
    mechanism = lower(scene([link("x"), link("y")], joints))
    body = mechanism.bodies[mechanism.body_index["y"]]
    position = (
        {1: (0.9,), 2: (0.4, -0.7), 3: (0.1, 0.2, 0.3)}[body.nv]
        if kind != "ball"
        else (0.5, -0.5, 0.5, 0.5)
    )
    found = np.array(closing_position(body, relative_pose(body, position)))
    np.testing.assert_allclose(found * np.sign(found[0] * position[0]), position, atol=1e-12)


def test_a_screw_that_turned_several_times_keeps_its_turns() -> None:
    screw = joint("j", WORLD, "x", JointType.SCREW, pitch=0.3)
    (body,) = lower(scene([link("x")], [screw])).bodies
    (angle,) = closing_position(body, relative_pose(body, (100.0,)))
    assert angle == pytest.approx(100.0, abs=1e-10)


def test_the_parts_of_split_links_are_those_of_the_welds() -> None:
    limited = {"lower": -1.0, "upper": 1.0}
    ends = [(WORLD, "a"), ("a", "b"), ("b", WORLD)]
    joints = [joint(f"j{i}", parent, child, axis=limited) for i, (parent, child) in enumerate(ends)]
    mechanism = lower(scene([link("a"), link("b")], joints))
    ((part, whole),) = parts(mechanism.bodies, mechanism.closures)
    assert mechanism.bodies[part].name.startswith(f"{mechanism.bodies[whole].name}_at_")


def hinges(*ends: tuple[str, str], kind: JointType = JointType.REVOLUTE):
    """Links whose hinges turn about one line: the loop is closed at any angles."""
    limited = {"lower": -1.0, "upper": 1.0}
    joints = [
        joint(f"j{i}", parent, child, axis=limited) for i, (parent, child) in enumerate(ends[:-1])
    ]
    names = dict.fromkeys(name for pair in ends for name in pair if name != WORLD)
    last = joint("last", *ends[-1], kind, **({} if kind is JointType.FIXED else {"axis": limited}))
    return lower(scene([link(name) for name in names], [*joints, last]))


@pytest.mark.parametrize(
    "ends",
    [
        [(WORLD, "a"), ("a", "b"), ("b", WORLD)],
        [(WORLD, "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")],
        [(WORLD, "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("b", "d")],
    ],
    ids=["at the world", "within a tree", "from the tree"],
)
def test_both_parts_of_a_split_link_are_in_one_place(ends: list[tuple[str, str]]) -> None:
    mechanism = hinges(*ends)
    ((part, whole),) = parts(mechanism.bodies, mechanism.closures)
    given = {f"j{i}": 0.2 + 0.3 * i for i in range(len(ends) - 1)}
    poses = mechanism.link_poses(
        {name: q for name, q in given.items() if (name, 0) in mechanism.v_order}
    )
    one, two = poses[mechanism.bodies[part].name], poses[mechanism.bodies[whole].name]
    np.testing.assert_allclose(one.R, two.R, atol=1e-12)
    np.testing.assert_allclose(one.p, two.p, atol=1e-12)


def test_a_loop_that_a_weld_closes_splits_no_link() -> None:
    """The child of the weld has a joint of another name."""
    mechanism = hinges((WORLD, "a"), ("a", "b"), (WORLD, "c"), ("b", "c"), kind=JointType.FIXED)
    assert [closure.joint.type for closure in mechanism.closures] == [JointType.FIXED]
    assert list(parts(mechanism.bodies, mechanism.closures)) == []


@pytest.mark.parametrize(("kind", "count"), [("fixed", 6), ("revolute", 5), ("ball", 3)])
@pytest.mark.parametrize("backwards", [False, True])
def test_the_motions_that_a_closure_prevents_are_those_that_move_its_frames_apart(
    kind: str, count: int, backwards: bool
) -> None:
    """Finite differences of the poses of its frames, at a position of two ball joints that move at
    random rates.
    """
    rng = np.random.default_rng(5)
    ends = ("b", WORLD) if backwards else (WORLD, "b")
    balls = [
        joint(f"to {b}", a, b, JointType.BALL, X_PJ=random_pose(rng))
        for a, b in ((WORLD, "a"), ("a", "b"))
    ]
    frames = {"X_PJ": random_pose(rng), "X_CJ": random_pose(rng)}
    closing = joint(
        "loop", *ends, JointType(kind), axes=random_axes(JointType(kind), rng), **frames
    )
    mechanism = lower(scene([link("a"), link("b")], balls))
    closure = Closure(
        joint=closing, parent=ROOT if not backwards else 1, child=1 if not backwards else ROOT
    )
    q = {"to a": (0.5, -0.5, 0.5, 0.5), "to b": (0.8, 0.6, 0.0, 0.0)}
    rates, h = rng.normal(size=6), 1e-6

    def ends_at(time: float) -> tuple[Pose, Pose]:
        moved = {name: turned(q[name], time * rates[3 * k : 3 * k + 3]) for k, name in enumerate(q)}
        X_WB = {WORLD: IDENTITY, **mechanism.link_poses(moved)}
        return X_WB[ends[0]] @ frames["X_PJ"], X_WB[ends[1]] @ frames["X_CJ"]

    (P, C), (P_after, C_after) = ends_at(0.0), ends_at(h)
    turn = P_after.R.T @ C_after.R @ (P.R.T @ C.R).T
    w = np.array((turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1])) / (
        2.0 * h
    )
    across = {
        "fixed": w,
        "revolute": np.cross(closing.axes[0].xyz, w) if closing.axes else w,
        "ball": np.zeros(3),
    }
    prevented = relative_motions(mechanism.bodies, (closure,), (), mechanism.positions_by_body(q))
    speeds = prevented @ rates
    assert len(prevented) == count
    assert np.linalg.norm(speeds[:3]) == pytest.approx(
        np.linalg.norm(P_after.p - C_after.p - P.p + C.p) / h, rel=1e-5
    )
    assert np.linalg.norm(speeds[3:]) == pytest.approx(np.linalg.norm(across[kind]), rel=1e-5)


def turned(q: tuple[float, ...], turn: np.ndarray) -> tuple[float, ...]:
    """A quaternion w x y z after a small rotation that is given in the parent's frame."""
    w, v = q[0], np.array(q[1:])
    return (float(w - 0.5 * turn @ v), *(v + 0.5 * (w * turn + np.cross(turn, v))).tolist())


# Poses of the links at many positions at once: those of `link_poses` at each of them.

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


# Positions of joints and displacements of primitives.


@pytest.mark.parametrize(
    "bad", [{"nope": 1.0}, {"j": (1.0, 2.0)}, {"j": math.nan}], ids=["name", "size", "nan"]
)
def test_wrong_positions_are_refused_with_the_names_that_exist(bad):
    mechanism = lower(simple_scene([simple_link("x")], [simple_joint("j", WORLD, "x")]))
    with pytest.raises(ValueError, match=r"'(nope|j)'"):
        mechanism.link_poses(bad)


@pytest.mark.parametrize("backwards", [False, True], ids=["forward", "reversed"])
@pytest.mark.parametrize("kind", ["revolute", "universal", "planar", "screw", "ball"])
def test_displacements_and_positions_are_inverse(kind, backwards):
    axes = {"universal": (X_AXIS, Y_AXIS), "planar": (X_AXIS, Y_AXIS, Z_AXIS), "ball": ()}.get(
        kind, (Z_AXIS,)
    )
    ends = ("y", "x") if backwards else ("x", "y")
    joints = [
        simple_joint("hold", WORLD, "x", JointType.FIXED),
        simple_joint("j", *ends, JointType(kind), axes=axes, pitch=0.3),
    ]
    mechanism = lower(simple_scene([simple_link("x"), simple_link("y")], joints))
    body = by_name(mechanism.bodies)["y"]
    position = {1: (0.4,), 2: (0.4, -0.7), 3: (0.1, 0.2, 0.3)}.get(len(axes), (0.5, 0.5, 0.5, 0.5))
    assert body.reversed is backwards
    np.testing.assert_allclose(
        joint_position(body, primitive_positions(body, position)), position, atol=1e-15
    )
    (used,) = (
        p
        for b, p in zip(mechanism.bodies, mechanism.positions_by_body({"j": position}), strict=True)
        if b is body
    )
    assert relative_pose(body, used).is_close(mechanism.link_poses({"j": position})["y"])


def test_the_quaternion_of_a_floating_joint_is_normalized_and_its_translation_stays():
    mechanism = lower(
        simple_scene(
            [simple_link("x"), simple_link("y")],
            [simple_joint("j", "x", "y", JointType.FLOATING, axes=())],
        )
    )
    pose = mechanism.link_poses({"j": (1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 2.0)})["y"]
    np.testing.assert_allclose(pose.p, (1.0, 2.0, 3.0), atol=1e-15)
    np.testing.assert_allclose(pose.R, np.diag((-1.0, -1.0, 1.0)), atol=1e-15)


def test_the_hinge_of_a_screw_decides_where_its_slide_differs():
    mechanism = lower(
        simple_scene(
            [simple_link("x")], [simple_joint("j", WORLD, "x", JointType.SCREW, pitch=0.3)]
        )
    )
    assert joint_position(mechanism.bodies[0], ((0.4,), (99.0,))) == (0.4,)


@pytest.mark.parametrize(
    ("limits", "lowest", "highest"),
    [
        ((-0.5, 2.0), -0.5, 2.0),
        ((-100.0, 120.0), 10.0 - 2.0 * math.pi, 10.0 + 2.0 * math.pi),
        ((-math.inf, -10.0), -10.0 - math.pi, -10.0),
        ((10.0, math.inf), 10.0, 10.0 + math.pi),
        ((-math.inf, 1.0), -math.pi, 1.0),
        ((-1.0, math.inf), -1.0, math.pi),
        ((-math.inf, math.inf), -math.pi, math.pi),
        ((2.0, 1.0), -math.pi, math.pi),
    ],
)
def test_random_positions_fill_the_limits_or_a_range_at_the_finite_one(limits, lowest, highest):
    turn = simple_joint("j", WORLD, "x")
    axis = dataclasses.replace(turn.axes[0], lower=limits[0], upper=limits[1])
    body = lower(
        simple_scene([simple_link("x")], [dataclasses.replace(turn, axes=(axis,))])
    ).bodies[0]
    rng = np.random.default_rng(0)
    drawn = [random_position(body, rng)[0] for _ in range(300)]
    size = highest - lowest
    assert lowest <= min(drawn) < lowest + 0.05 * size
    assert highest - 0.05 * size < max(drawn) <= highest


# Joints that follow others through couplings.


@pytest.fixture
def chain() -> Mechanism:
    """Three joints: b follows a, c follows b."""
    links = [link(name) for name in ("x", "y", "z")]
    joints = [joint("a", WORLD, "x"), joint("b", "x", "y"), joint("c", "y", "z")]
    couplings = (
        Coupling(follower="c", leader="b", multiplier=3.0, offset=0.5),
        Coupling(follower="b", leader="a", multiplier=2.0, offset=0.25),
    )
    return lower(scene(links, joints, couplings=couplings))


def test_positions_follow_through_several_couplings(chain: Mechanism) -> None:
    assert with_followers(chain, {"a": 1.0}) == {"a": 1.0, "b": (2.25,), "c": (7.25,)}


def test_velocities_follow_without_the_offset(chain: Mechanism) -> None:
    assert with_followers(chain, {"a": 1.0}, at={}) == {"a": 1.0, "b": (2.0,), "c": (6.0,)}


def test_given_values_do_not_change(chain: Mechanism) -> None:
    assert with_followers(chain, {"a": 1.0, "b": 0.0}) == {"a": 1.0, "b": 0.0, "c": (0.5,)}
    assert with_followers(chain, {"c": 1.0}) == {"c": 1.0}
