"""Positions at which joints that carry parts of split links close their loops."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.lowering import lower
from bridge.mechanism.bodies import ROOT, Closure
from bridge.mechanism.dynamics import relative_pose
from bridge.mechanism.kinematics import closing_position, parts, relative_motions
from loaders.model import WORLD, JointType
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import joint, link, random_axes, random_pose, scene


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
