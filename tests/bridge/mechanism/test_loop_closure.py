"""Positions at which joints that carry parts of split links close their loops."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.lowering import lower
from bridge.mechanism.dynamics import relative_pose
from bridge.mechanism.loop_closure import closing_position, parts
from loaders.model import WORLD, JointType
from tests.support.scenes import joint, link, random_axes, random_pose, scene


@pytest.mark.parametrize("backwards", [False, True], ids=["forward", "reversed"])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "universal", "planar", "screw", "ball"])
def test_the_position_that_gives_a_pose_is_found_again(kind: str, backwards: bool) -> None:
    rng = np.random.default_rng(3)
    ends = ("y", "x") if backwards else ("x", "y")
    moving = joint(
        "j", *ends, JointType(kind), axes=random_axes(JointType(kind), rng), X_PJ=random_pose(rng),
        X_CJ=random_pose(rng), pitch=0.3,
    )  # fmt: skip
    joints = [joint("hold", WORLD, "x", JointType.FIXED), moving]
    mechanism = lower(scene([link("x"), link("y")], joints))
    body = mechanism.bodies[mechanism.body_index["y"]]
    position = {1: (0.9,), 2: (0.4, -0.7), 3: (0.1, 0.2, 0.3)}[body.nv] if kind != "ball" else (0.5, -0.5, 0.5, 0.5)
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
    joints = [joint(f"j{i}", parent, child, axis=limited) for i, (parent, child) in enumerate(ends[:-1])]
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
    poses = mechanism.link_poses({name: q for name, q in given.items() if (name, 0) in mechanism.v_order})
    one, two = poses[mechanism.bodies[part].name], poses[mechanism.bodies[whole].name]
    np.testing.assert_allclose(one.R, two.R, atol=1e-12)
    np.testing.assert_allclose(one.p, two.p, atol=1e-12)


def test_a_loop_that_a_weld_closes_splits_no_link() -> None:
    """The child of the weld has a joint of another name."""
    mechanism = hinges((WORLD, "a"), ("a", "b"), (WORLD, "c"), ("b", "c"), kind=JointType.FIXED)
    assert [closure.joint.type for closure in mechanism.closures] == [JointType.FIXED]
    assert list(parts(mechanism.bodies, mechanism.closures)) == []
