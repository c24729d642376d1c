"""Queries on a mechanism: constraints between bodies by MuJoCo, properties of bodies, indices and
renumbering.
"""

from __future__ import annotations

import dataclasses
import doctest

import mujoco
import numpy as np
import pytest

import bridge
import bridge.mechanism.mechanism
from bridge.lowering import lower
from bridge.lowering.transform import with_base
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import (
    ROOT,
    BodyConnection,
    TendonConnection,
    held_together,
    members_by_key,
    moving_ancestors,
    primitive_names,
    root_bodies,
)
from bridge.mechanism.mechanism import with_bodies
from loaders import load_string
from loaders.model import (
    WORLD,
    Actuator,
    BallConstraint,
    Bushing,
    Coupling,
    FilterGroup,
    FilterRule,
    JointType,
    Sphere,
    SpringDamper,
    TendonConstraint,
)
from loaders.pose import IDENTITY, frozen
from tests.support.scenes import joint, link, random_axes, scene
from tests.support.seeds import seeds

# Constraints that hold two bodies together; MuJoCo says how many motions they prevent.

TEXT = """<mujoco><worldbody>
<body name="a"><freejoint/><geom size=".1"/></body>
<body name="b" pos="1 0 0"><freejoint/><geom size=".1"/></body>
</worldbody><equality>{equality}</equality></mujoco>"""


@pytest.mark.parametrize(
    ("equality", "prevented"),
    [
        ('<connect body1="a" body2="b" anchor=".5 0 0"/>', 3),
        ('<weld body1="a" body2="b"/>', 6),
        ('<weld body1="a" body2="b" active="false"/>', 0),
        ('<connect body1="a" body2="b" anchor=".5 0 0"/><weld body1="a"/>', 9),
        ("", 0),
    ],
)
def test_constraints_that_hold_are_those_of_mujoco(equality: str, prevented: int) -> None:
    text = TEXT.format(equality=equality)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mechanism = bridge.lower(load_string(text, format="mjcf", quiet=True))
    held = list(held_together(mechanism.constraints))
    assert (
        sum(6 if type(each.element).__name__ == "WeldConstraint" else 3 for each in held)
        == data.ne
        == prevented
    )


# Properties of bodies.


def test_a_body_has_the_velocities_of_its_joint() -> None:
    mechanism = lower(scene([link("a"), link("b")], [joint("j", "a", "b", JointType.UNIVERSAL)]))
    a, b = mechanism.bodies
    assert (a.name, a.nv, a.dofs) == ("a", 6, tuple(("a", k) for k in range(6)))
    assert (b.name, b.nv, b.dofs) == ("b", 2, (("j", 0), ("j", 1)))
    assert a.dofs + b.dofs == mechanism.v_order


def test_only_a_kinematic_link_without_a_joint_is_a_kinematic_body() -> None:
    alone = dataclasses.replace(link("alone"), kinematic=True)
    carried = dataclasses.replace(link("carried"), kinematic=True)
    bodies = lower(scene([alone, carried, link("free")], [joint("j", WORLD, "carried")])).bodies
    assert {body.name: body.is_kinematic for body in bodies} == {
        "alone": True,
        "carried": False,
        "free": False,
    }


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (JointType.REVOLUTE, ("j",)),
        (JointType.FIXED, ()),
        (JointType.BALL, ("j",)),
        (JointType.UNIVERSAL, ("j_1", "j_2")),
        (JointType.REVOLUTE2, ("j_1", "j_2")),
        (JointType.PLANAR, ("j_x", "j_y", "j_theta")),
        (JointType.SCREW, ("j", "j_slide")),
    ],
)
def test_each_primitive_has_the_name_of_the_joint_with_a_suffix(
    kind: JointType, names: tuple[str, ...]
) -> None:
    (body,) = lower(scene([link("a")], [joint("j", WORLD, "a", kind)])).bodies
    assert primitive_names(body) == names


# --- trees, against a walk up the tree from each body ---------------------------------------------


def random_forest(seed: int) -> Mechanism:
    rng = np.random.default_rng(seed)
    names = [f"l{i}" for i in range(12)]
    joints = []
    for i, name in enumerate(names):
        parent = [None, WORLD, *names[:i]][int(rng.integers(0, i + 2))]
        kind = JointType.FIXED if rng.random() < 0.5 else JointType.REVOLUTE
        if parent is not None:
            joints.append(joint(f"j{i}", parent, name, kind))
    return lower(scene([link(name) for name in names], joints))


def ancestors(mechanism: Mechanism, i: int) -> list[int]:
    """Return the body itself and all its ancestors, nearest first."""
    chain = []
    while i != ROOT:
        chain.append(i)
        i = mechanism.bodies[i].parent
    return chain


@pytest.mark.parametrize("seed", seeds(10))
def test_roots_and_moving_ancestors_are_those_of_a_walk_up_the_tree(seed: int) -> None:
    mechanism = random_forest(seed)
    chains = [ancestors(mechanism, i) for i in range(len(mechanism.bodies))]
    moving = [next((k for k in chain if mechanism.bodies[k].primitives), ROOT) for chain in chains]
    assert root_bodies(mechanism.bodies) == tuple(chain[-1] for chain in chains)
    assert moving_ancestors(mechanism.bodies) == tuple(moving)


def test_members_are_grouped_in_order() -> None:
    assert members_by_key([5, 3, 5, 3, 4]) == {5: (0, 2), 3: (1, 3), 4: (4,)}


# Queries on a mechanism: indices, trees, weld groups, collision pairs, and its representation.

BALL = Sphere(radius=0.1)


@pytest.fixture
def mechanism() -> Mechanism:
    """A column fixed to the world, with an arm of two links on a hinge and a plate welded to its
    tip; a free stone.
    """
    links = [link(name, shape=BALL) for name in ("column", "arm", "tip", "plate", "stone")]
    joints = [
        joint("anchor", WORLD, "column", JointType.FIXED),
        joint("shoulder", "column", "arm"),
        joint("elbow", "arm", "tip"),
        joint("bolt", "tip", "plate", JointType.FIXED),
    ]
    group = FilterGroup(name="g", links=("arm", "stone"))
    return lower(
        scene(links, joints, filter_groups=(group,), filter_rules=(FilterRule(a="g", b="g"),))
    )


def test_the_example_of_the_docstring_runs() -> None:
    result = doctest.testmod(bridge.mechanism.mechanism)
    assert result.attempted > 0
    assert result.failed == 0


def test_names_have_indices(mechanism: Mechanism) -> None:
    assert [mechanism.bodies[mechanism.body_index[name]].name for name in ("arm", "stone")] == [
        "arm",
        "stone",
    ]
    assert mechanism.body_index[WORLD] == ROOT
    assert [mechanism.v_order[i] for i in mechanism.dof_index.values()] == list(mechanism.dof_index)


def test_trees_and_weld_groups(mechanism: Mechanism) -> None:
    index = mechanism.body_index
    column, arm, tip, plate, stone = (
        index[name] for name in ("column", "arm", "tip", "plate", "stone")
    )
    assert mechanism.trees == {column: (column, arm, tip, plate), stone: (stone,)}
    assert mechanism.root_of(plate) == column
    assert mechanism.root_of(ROOT) == ROOT
    assert [mechanism.moving_ancestor(i) for i in (ROOT, column, arm, plate)] == [
        ROOT,
        ROOT,
        arm,
        tip,
    ]
    assert mechanism.weld_groups == {
        ROOT: (column,),
        arm: (arm,),
        tip: (tip, plate),
        stone: (stone,),
    }
    assert mechanism.weld_group_of("plate") == mechanism.weld_group_of("tip") == tip
    assert mechanism.weld_group_of(WORLD) == mechanism.weld_group_of("column") == ROOT
    with pytest.raises(KeyError):
        mechanism.weld_group_of("unknown")


@pytest.mark.parametrize("policy", ["drake", "sdformat"])
def test_excluded_pairs_are_those_of_the_scene_by_index(mechanism: Mechanism, policy: str) -> None:
    names = {
        frozenset(mechanism.bodies[i].name for i in pair)
        for pair in mechanism.excluded_pairs(policy)
    }
    assert names == mechanism.scene.excluded_collision_pairs(policy)
    assert frozenset(("arm", "stone")) in names
    assert mechanism.excluded_pairs(policy) is mechanism.excluded_pairs(policy)


def test_an_unknown_policy_is_refused(mechanism: Mechanism) -> None:
    with pytest.raises(ValueError, match="policy"):
        mechanism.excluded_pairs("unknown")


def test_bodies_with_collisions_are_in_the_order_of_the_scene(mechanism: Mechanism) -> None:
    names = [mechanism.bodies[i].name for i in mechanism.colliding_bodies]
    assert names == [item.name for item in mechanism.scene.links if item.collisions]


def test_the_mass_matrix_at_zero_is_computed_once(mechanism: Mechanism) -> None:
    at_zero = mechanism.mass_matrix_at_zero
    assert at_zero is not None
    assert at_zero is mechanism.mass_matrix_at_zero
    np.testing.assert_array_equal(at_zero.matrix, mechanism.mass_matrix())


def test_the_representation_is_short(mechanism: Mechanism) -> None:
    text = "Mechanism('test': 5 bodies, 8 velocities, 0 closures, 0 couplings, 0 actuators)"
    assert repr(mechanism) == text
    long_name = lower(scene([link("a")], name="x" * 1000))
    assert len(repr(long_name)) < 200


# Exchanged bodies: all indices still refer to the bodies and joints of the same names.

POINT = frozen((0.1, 0.2, 0.3))


@pytest.fixture
def renumbering_mechanism() -> Mechanism:
    """A free trunk with two legs, each of two links, and a weight that is fixed to the world."""
    links = [link(name) for name in ("trunk", "left", "left_foot", "right", "right_foot", "weight")]
    joints = [
        joint("left_hip", "trunk", "left"),
        joint("left_knee", "left", "left_foot"),
        joint("right_hip", "trunk", "right"),
        joint("right_knee", "right", "right_foot"),
        joint("ankle", "left_foot", "right_foot", JointType.BALL),
        joint("anchor", WORLD, "weight", JointType.FIXED),
    ]
    stiffness = frozen((1.0, 2.0, 3.0))
    return lower(
        scene(
            links,
            joints,
            actuators=(
                Actuator(name="m", joint="right_knee"),
                Actuator(name="none", joint="anchor"),
            ),
            couplings=(Coupling(follower="right_hip", leader="left_hip"),),
            constraints=(
                BallConstraint(link_A="left", link_B=WORLD, p_AP=POINT, p_BQ=POINT),
                TendonConstraint(joints=("left_knee", "right_knee"), coefficients=(1.0, -1.0)),
            ),
            forces=(
                SpringDamper(
                    link_A="trunk",
                    link_B="right",
                    p_AP=POINT,
                    p_BQ=POINT,
                    free_length=1.0,
                    stiffness=1.0,
                    damping=0.0,
                ),
                Bushing(
                    link_A="left",
                    link_C="weight",
                    X_LA=IDENTITY,
                    X_LC=IDENTITY,
                    torque_stiffness=stiffness,
                    torque_damping=stiffness,
                    force_stiffness=stiffness,
                    force_damping=stiffness,
                ),
            ),
        )
    )


def name_of(mechanism: Mechanism, body: int) -> str:
    return WORLD if body == ROOT else mechanism.bodies[body].name


def ends(
    mechanism: Mechanism, connections: tuple[BodyConnection | TendonConnection, ...]
) -> list[tuple[str, ...]]:
    """Return the names of the bodies of connections, and of the joints of tendons."""
    return [
        tuple("" if dof is None else mechanism.v_order[dof][0] for dof in c.dofs)
        if isinstance(c, TendonConnection)
        else (name_of(mechanism, c.body_a), name_of(mechanism, c.body_b))
        for c in connections
    ]


def test_lowering_resolves_names_to_indices(renumbering_mechanism: Mechanism) -> None:
    dofs = [actuator.dof for actuator in renumbering_mechanism.actuators]
    assert dofs == [renumbering_mechanism.dof_index["right_knee", 0], None]
    assert ends(renumbering_mechanism, renumbering_mechanism.constraints) == [
        ("left", WORLD),
        ("left_knee", "right_knee"),
    ]
    assert ends(renumbering_mechanism, renumbering_mechanism.force_elements) == [
        ("trunk", "right"),
        ("left", "weight"),
    ]


def test_a_fixed_base_takes_its_velocities_out_of_all_indices(
    renumbering_mechanism: Mechanism,
) -> None:
    fixed = with_base(renumbering_mechanism, fixed=True)
    assert len(fixed.v_order) == len(renumbering_mechanism.v_order) - 6
    assert [fixed.v_order[a.dof][0] for a in fixed.actuators if a.dof is not None] == ["right_knee"]
    (coupling,) = fixed.couplings
    assert [fixed.v_order[i][0] for i in (coupling.leader, coupling.follower)] == [
        "left_hip",
        "right_hip",
    ]
    assert ends(fixed, fixed.constraints) == ends(
        renumbering_mechanism, renumbering_mechanism.constraints
    )
    assert ends(fixed, fixed.force_elements) == ends(
        renumbering_mechanism, renumbering_mechanism.force_elements
    )
    starts = np.cumsum([0, *(body.nv for body in fixed.bodies)])[:-1]
    assert [body.v_start for body in fixed.bodies] == starts.tolist()


def test_a_freed_base_is_renumbered_and_back(renumbering_mechanism: Mechanism) -> None:
    again = with_base(with_base(renumbering_mechanism, fixed=True), fixed=False)
    assert {name for name, _ in again.v_order} == {
        name for name, _ in renumbering_mechanism.v_order
    } | {"weight"}
    assert [again.v_order[a.dof][0] for a in again.actuators if a.dof is not None] == ["right_knee"]


def test_what_refers_to_a_body_that_is_gone_is_left_out(renumbering_mechanism: Mechanism) -> None:
    index = renumbering_mechanism.body_index
    names = ("trunk", "right", "right_foot")
    origins = [index[name] for name in names]
    number = {old: new for new, old in enumerate(origins)} | {ROOT: ROOT}
    bodies = [
        dataclasses.replace(
            renumbering_mechanism.bodies[i], parent=number[renumbering_mechanism.bodies[i].parent]
        )
        for i in origins
    ]
    part = with_bodies(renumbering_mechanism, bodies, origins)
    assert part.closures == ()
    assert part.couplings == ()
    assert ends(part, part.constraints) == [("", "right_knee")]
    assert ends(part, part.force_elements) == [("trunk", "right")]
    assert [a.dof for a in part.actuators] == [part.dof_index["right_knee", 0], None]


def test_each_velocity_of_a_joint_keeps_its_number() -> None:
    """A hinge follows the third velocity of a planar joint behind a base that is then fixed."""
    joints = [
        joint(
            "table",
            "base",
            "plate",
            JointType.PLANAR,
            axes=random_axes(JointType.PLANAR, np.random.default_rng(0)),
        ),
        joint("hinge", "plate", "flap"),
    ]
    couplings = (Coupling(follower="hinge", leader="table", leader_axis=2),)
    mechanism = lower(
        scene([link("base"), link("plate"), link("flap")], joints, couplings=couplings)
    )
    for changed in (mechanism, with_base(mechanism, fixed=True)):
        (coupling,) = changed.couplings
        assert changed.v_order[coupling.leader] == ("table", 2)
        assert changed.v_order[coupling.follower] == ("hinge", 0)
