"""Kinematics and dynamics against pydrake and first principles; modes of dampers and the mass
matrix at zero.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BallRpyJoint,
    FixedOffsetFrame,
    JointIndex,
    PlanarJoint,
    PrismaticJoint,
    QuaternionFloatingJoint,
    RevoluteJoint,
    RotationalInertia,
    ScrewJoint,
    UniversalJoint,
    WeldJoint,
)
from pydrake.multibody.tree import SpatialInertia as DrakeInertia

import loaders
from bridge.lowering import lower
from bridge.mechanism.coordinates import joint_coefficients, relative_pose
from bridge.mechanism.dynamics import (
    MassMatrixAtZero,
    bias_accelerations,
    mass_matrix_and_bias_forces,
    mode_rates,
    modes,
)
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Actuator, Joint, JointAxis, JointType, Link, Model, by_name
from loaders.pose import IDENTITY, Pose, frozen, matrix_to_quaternion
from loaders.scene import Scene
from tests.support.scenes import random_scene
from tests.support.seeds import seeds

# Kinematics and dynamics of a mechanism against pydrake, built joint by joint, and against first
# principles.

MOVING = [
    JointType.REVOLUTE,
    JointType.PRISMATIC,
    JointType.BALL,
    JointType.UNIVERSAL,
    JointType.PLANAR,
    JointType.SCREW,
]
SCALAR = [
    JointType.REVOLUTE,
    JointType.PRISMATIC,
    JointType.UNIVERSAL,
    JointType.PLANAR,
    JointType.SCREW,
]
GRAVITY = (0.3, -1.2, -9.81)


def random_pose(rng):
    return Pose.from_vector([*rng.normal(size=3), *rng.normal(size=4)])


def random_inertia(rng):
    A = rng.normal(size=(3, 3))
    points = A @ A.T
    return SpatialInertia.of(
        rng.uniform(0.5, 3), rng.normal(size=3), np.trace(points) * np.eye(3) - points
    )


def axes_of(kind, rng):
    x, y, z = np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    z = np.cross(x, y)
    count = {
        JointType.UNIVERSAL: 2,
        JointType.PLANAR: 3,
        JointType.FIXED: 0,
        JointType.BALL: 0,
    }.get(kind, 1)
    return tuple(JointAxis(xyz=frozen(axis)) for axis in (x, y, z)[:count])


def dynamics_random_scene(seed, *, fixed, kinds=MOVING, size=7, chain=False):
    """Links ``l0``.. in a random tree; link 0 welded to the world or free."""
    rng = np.random.default_rng(seed)
    poses, links, joints = [], [], []
    for i in range(size):
        parent = i - 1 if chain else int(rng.integers(0, i)) if i else -1
        X_PJ, X_CJ = random_pose(rng), random_pose(rng)
        X_WP = IDENTITY if i == 0 else poses[parent]
        poses.append(X_WP @ X_PJ @ X_CJ.inverse())
        links.append(Link(name=f"l{i}", model="m", X_WL=poses[i], inertia=random_inertia(rng)))
        kind = JointType.FIXED if i == 0 else kinds[int(rng.integers(len(kinds)))]
        if i or fixed:
            joints.append(
                Joint(
                    name=f"j{i}",
                    type=kind,
                    parent=f"l{parent}" if i else WORLD,
                    child=f"l{i}",
                    X_PJ=X_PJ,
                    X_CJ=X_CJ,
                    axes=axes_of(kind, rng),
                    pitch=rng.normal(),
                )
            )
    model = Model(name="m", X_WM=IDENTITY, canonical_link="l0")
    return Scene(name="random", models=(model,), links=tuple(links), joints=tuple(joints))


def drake_pose(X):
    return RigidTransform(RotationMatrix(X.R), X.p)


def drake_joint(plant, joint):
    def frame(link, X):
        body = plant.world_body() if link == WORLD else plant.GetBodyByName(link)
        return plant.AddFrame(
            FixedOffsetFrame(f"{joint.name}_{link}", body.body_frame(), drake_pose(X))
        )

    R_JA = np.eye(3)
    if joint.type in {JointType.UNIVERSAL, JointType.PLANAR}:
        x, y = (axis.xyz for axis in joint.axes[:2])
        R_JA = np.column_stack((x, y, np.cross(x, y)))
    X_JA = Pose.of(R_JA)
    F, M = frame(joint.parent, joint.X_PJ @ X_JA), frame(joint.child, joint.X_CJ @ X_JA)
    axis = joint.axes[0].xyz if joint.axes else None
    made = {
        JointType.FIXED: lambda: WeldJoint(joint.name, F, M, RigidTransform()),
        JointType.REVOLUTE: lambda: RevoluteJoint(joint.name, F, M, axis),
        JointType.PRISMATIC: lambda: PrismaticJoint(joint.name, F, M, axis),
        JointType.BALL: lambda: BallRpyJoint(joint.name, F, M),
        JointType.UNIVERSAL: lambda: UniversalJoint(joint.name, F, M),
        JointType.PLANAR: lambda: PlanarJoint(joint.name, F, M),
        JointType.SCREW: lambda: ScrewJoint(joint.name, F, M, axis, joint.pitch, 0.0),
    }[joint.type]()
    return plant.AddJoint(made)


def drake_plant(scene):
    plant = MultibodyPlant(0.0)
    for link in scene.links:
        inertia = link.inertia
        I = inertia.I_Lcm  # noqa: E741
        central = RotationalInertia(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        plant.AddRigidBody(
            link.name, DrakeInertia.MakeFromCentralInertia(inertia.mass, inertia.p_LLcm, central)
        )
    for joint in scene.joints:
        drake_joint(plant, joint)
    plant.mutable_gravity_field().set_gravity_vector(GRAVITY)
    plant.Finalize()
    return plant


def state(plant, mechanism, rng):
    """A random state: Drake's q and v, ours by joint, and Drake's index of each of our
    velocities.
    """
    context = plant.CreateDefaultContext()
    q, v = {}, {}
    plant.SetPositions(context, rng.uniform(-1.2, 1.2, plant.num_positions()))
    plant.SetVelocities(context, rng.normal(size=plant.num_velocities()))
    index = {}
    for joint in (plant.get_joint(JointIndex(i)) for i in range(plant.num_joints())):
        if joint.num_velocities() == 0:
            continue
        name = joint.name()
        q_j = plant.GetPositions(context)[joint.position_start() :][: joint.num_positions()]
        v_j = plant.GetVelocities(context)[joint.velocity_start() :][: joint.num_velocities()]
        order = list(range(joint.num_velocities()))
        if isinstance(joint, QuaternionFloatingJoint):
            unit = q_j[:4] / np.linalg.norm(q_j[:4])
            full = plant.GetPositions(context)
            full[joint.position_start() :][:4] = unit
            plant.SetPositions(context, full)
            q_j, order = np.array([*q_j[4:], *unit]), [3, 4, 5, 0, 1, 2]
        elif isinstance(joint, BallRpyJoint):
            q_j = matrix_to_quaternion(Pose.from_xyz_rpy((0, 0, 0), q_j).R)
        q[name], v[name] = q_j, v_j[order]
        index[name] = [joint.velocity_start() + k for k in order]
    return context, q, v, [index[name][component] for name, component in mechanism.v_order]


@pytest.mark.parametrize("fixed", [True, False], ids=["fixed base", "floating base"])
@pytest.mark.parametrize("seed", seeds(6))
def test_random_trees_move_as_in_drake(seed, fixed):
    scene = dynamics_random_scene(seed, fixed=fixed)
    mechanism, plant = lower(scene), drake_plant(scene)
    context, q, v, index = state(plant, mechanism, np.random.default_rng(seed))

    for name, X_WL in mechanism.link_poses(q).items():
        expected = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(name)).GetAsMatrix34()
        np.testing.assert_allclose(np.column_stack((X_WL.R, X_WL.p)), expected, atol=1e-12)

    M = plant.CalcMassMatrixViaInverseDynamics(context)
    np.testing.assert_allclose(
        mechanism.mass_matrix(q), M[np.ix_(index, index)], atol=1e-12 * np.abs(M).max()
    )
    tau_g = plant.CalcGravityGeneralizedForces(context)
    scale = max(1.0, np.abs(tau_g).max())
    np.testing.assert_allclose(
        mechanism.gravity_forces(q, GRAVITY), tau_g[index], atol=1e-12 * scale
    )
    bias = plant.CalcBiasTerm(context) - tau_g
    scale = max(1.0, np.abs(bias).max())
    np.testing.assert_allclose(
        mechanism.bias_forces(q, v, GRAVITY), bias[index], atol=1e-11 * scale
    )


def reversed_scene(kind, seed):
    """A chain in which the joint points at the world: link ``a`` hangs from link ``b``, which is
    welded.
    """
    rng = np.random.default_rng(seed)
    X_PJ, X_CJ, X_Wb = random_pose(rng), random_pose(rng), random_pose(rng)
    joint = Joint(
        name="j",
        type=kind,
        parent="a",
        child="b",
        X_PJ=X_PJ,
        X_CJ=X_CJ,
        axes=axes_of(kind, rng),
        pitch=0.7,
    )
    weld = Joint(name="w", type=JointType.FIXED, parent=WORLD, child="b", X_PJ=X_Wb, X_CJ=IDENTITY)
    links = (
        Link(name="a", model="m", X_WL=X_Wb @ X_CJ @ X_PJ.inverse(), inertia=random_inertia(rng)),
        Link(name="b", model="m", X_WL=X_Wb, inertia=random_inertia(rng)),
    )
    return Scene(name="reversed", links=links, joints=(weld, joint))


def some_position(kind, rng):
    if kind is JointType.BALL:
        q = rng.normal(size=4)
        return q / np.linalg.norm(q)
    return rng.normal(size={JointType.UNIVERSAL: 2, JointType.PLANAR: 3}.get(kind, 1))


@pytest.mark.parametrize("kind", MOVING, ids=str)
def test_a_reversed_joint_has_the_same_position_as_a_forward_one(kind):
    scene = reversed_scene(kind, 3)
    mechanism = lower(scene)
    (joint,) = (joint for joint in scene.joints if joint.name == "j")
    forward = Scene(name="forward", links=scene.links, joints=(joint,))
    position = some_position(kind, np.random.default_rng(5))
    poses = mechanism.link_poses({"j": position})
    child = by_name(lower(forward).bodies)["b"]
    expected = relative_pose(child, tuple(position))
    assert by_name(mechanism.bodies)["a"].reversed
    assert (poses["a"].inverse() @ poses["b"]).is_close(expected, 1e-12)


@pytest.mark.parametrize("kind", MOVING, ids=str)
def test_kinetic_energy_of_a_reversed_joint_is_that_of_its_motion(kind):
    """``v M v / 2`` equals the energy of the links, whose velocities come from differences of their
    poses.
    """
    mechanism = lower(reversed_scene(kind, 4))
    rng = np.random.default_rng(6)
    position, h = some_position(kind, rng), 1e-5
    rate = rng.normal(size=3 if kind is JointType.BALL else len(position))
    before, after = (
        mechanism.link_poses({"j": moved(kind, position, rate, s * h)}) for s in (-1, 1)
    )
    now = mechanism.link_poses({"j": position})
    inertia = by_name(mechanism.bodies)["a"].inertia
    com = [X["a"].p + X["a"].R @ inertia.p_LLcm for X in (before, after)]
    R_dot = (after["a"].R - before["a"].R) / (2 * h)
    spin = now["a"].R.T @ R_dot
    omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    speed = (com[1] - com[0]) / (2 * h)
    energy = 0.5 * inertia.mass * speed @ speed + 0.5 * omega @ inertia.I_Lcm @ omega
    assert 0.5 * rate @ mechanism.mass_matrix({"j": position}) @ rate == pytest.approx(
        energy, rel=1e-6
    )


def moved(kind, position, rate, h):
    """The position after a time ``h`` at a constant rate."""
    if kind is not JointType.BALL:
        return position + h * rate
    angle = (
        np.linalg.norm(rate) * h
    )  # the rate is in the parent's joint frame: rotate from the left
    w, x, y, z = math.cos(angle / 2), *(rate / np.linalg.norm(rate) * math.sin(angle / 2))
    a, b, c, d = position
    return np.array(
        [
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        ]
    )


def test_a_rotor_adds_its_reflected_inertia_to_the_diagonal():
    scene = dynamics_random_scene(1, fixed=True, kinds=[JointType.REVOLUTE])
    motors = (Actuator(name="motor", joint="j2", gear_ratio=50.0, rotor_inertia=1e-4),)
    geared = Scene(name=scene.name, links=scene.links, joints=scene.joints, actuators=motors)
    difference = lower(geared).mass_matrix() - lower(scene).mass_matrix()
    i = lower(scene).v_order.index(("j2", 0))
    expected = np.zeros_like(difference)
    expected[i, i] = 50.0**2 * 1e-4
    np.testing.assert_allclose(difference, expected, atol=1e-14)


@pytest.mark.slow
def test_a_long_chain_needs_no_recursion():
    mechanism = lower(
        dynamics_random_scene(0, fixed=True, kinds=[JointType.REVOLUTE], size=3000, chain=True)
    )
    assert len(mechanism.link_poses()) == 3000
    assert len(mechanism.v_order) == 2999


def test_mass_matrix_and_bias_forces_of_one_state_are_those_of_each(assets: Path) -> None:
    mechanism = lower(loaders.load(assets / "arm" / "model.sdf", quiet=True))
    rng = np.random.default_rng(3)
    q, v = ({name: float(rng.uniform(-0.02, 0.02)) for name, _ in mechanism.v_order} for _ in "qv")
    gravity = np.array((0.5, -1.0, -9.0))
    M, bias = mass_matrix_and_bias_forces(
        mechanism.bodies, mechanism.positions_by_body(q), mechanism.velocities(v), gravity
    )
    assert M.tobytes() == mechanism.mass_matrix(q).tobytes()
    assert bias.tobytes() == mechanism.bias_forces(q, v, gravity.tolist()).tobytes()


@pytest.mark.parametrize("seed", range(3))
def test_jacobians_are_the_motions_of_the_links(seed):
    """The columns of a Jacobian are the velocities of the origin of a link, in the world, by
    central differences.
    """
    mechanism = lower(dynamics_random_scene(seed, fixed=True, kinds=SCALAR))
    rng, step = np.random.default_rng(seed), 1e-6
    sizes = Counter(name for name, _ in mechanism.v_order)
    q = {name: rng.uniform(-1.0, 1.0, size) for name, size in sizes.items()}
    jacobians, poses = mechanism.jacobians(q), mechanism.link_poses(q)
    for column, (name, component) in enumerate(mechanism.v_order):
        unit = np.eye(sizes[name])[component] * step
        ahead, behind = (
            mechanism.link_poses({**q, name: q[name] + sign * unit}) for sign in (1.0, -1.0)
        )
        for link_name, J in jacobians.items():
            v = (ahead[link_name].p - behind[link_name].p) / (2.0 * step)
            W = (ahead[link_name].R - behind[link_name].R) / (2.0 * step) @ poses[link_name].R.T
            np.testing.assert_allclose(J[:, column], (W[2, 1], W[0, 2], W[1, 0], *v), atol=1e-8)


@pytest.mark.parametrize("seed", seeds(20))
def test_a_ball_without_forces_has_no_moment_whatever_its_speed(seed):
    """``v x m v`` is zero; its rounding would turn a kilogram with moments of 1e-9 kg m^2."""
    rng = np.random.default_rng(seed)
    ball = SpatialInertia.of(rng.uniform(0.5, 3), np.zeros(3), 1e-9 * np.eye(3))
    alone = Link(name="a", model="m", X_WL=IDENTITY, inertia=ball)
    model = Model(name="m", X_WM=IDENTITY, canonical_link="a")
    mechanism = lower(
        Scene(name="ball", models=(model,), links=(alone,), gravity=frozen((0.0, 0.0, 0.0)))
    )
    moments = mechanism.bias_forces({"a": random_pose(rng).to_vector()}, {"a": rng.normal(size=6)})[
        3:
    ]
    assert np.abs(moments).max() < 1e-22


@pytest.mark.parametrize("seed", range(3))
def test_bias_accelerations_are_the_rate_of_the_motion_at_constant_velocities(seed: int) -> None:
    mechanism = lower(
        dynamics_random_scene(seed, fixed=True, kinds=[JointType.REVOLUTE, JointType.PRISMATIC])
    )
    rng, step = np.random.default_rng(seed), 1e-5
    q, rates = rng.uniform(-0.5, 0.5, (2, len(mechanism.v_order)))

    def motions(t: float) -> dict[str, np.ndarray]:
        at = {name: x + t * v for (name, _), x, v in zip(mechanism.v_order, q, rates, strict=True)}
        return {link: J @ rates for link, J in mechanism.jacobians(at).items()}

    positions = mechanism.positions_by_body(
        {name: x for (name, _), x in zip(mechanism.v_order, q, strict=True)}
    )
    before, after = motions(-step), motions(step)
    for link, found in bias_accelerations(mechanism.bodies, positions, rates).items():
        np.testing.assert_allclose(found, (after[link] - before[link]) / (2.0 * step), atol=1e-8)


# Rates and modes of dampers against powers of the matrix of one step, and against their definition.


def test_coefficients_hold_for_each_velocity_of_a_joint_and_for_none_of_a_free_link():
    kinds = [
        JointType.REVOLUTE,
        JointType.BALL,
        JointType.SCREW,
        JointType.UNIVERSAL,
        JointType.PLANAR,
    ]
    mechanism = lower(random_scene(3, fixed=False, kinds=kinds, size=12))
    counted = joint_coefficients(mechanism.bodies, lambda axis: 2.0)
    free = next(body for body in mechanism.bodies if body.joint == mechanism.v_order[0][0])
    with_axis = {
        body.joint
        for body in mechanism.bodies
        if body is not free and body.primitives[0].limits is not None
    }
    assert counted.tolist() == [2.0 if name in with_axis else 0.0 for name, _ in mechanism.v_order]


def test_the_largest_rate_divides_stable_from_unstable_explicit_integration():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(5, 5))
    mobility, damping = A @ A.T + 0.1 * np.eye(5), np.array([0.0, 1.0, 2.0, 0.5, 3.0])
    rates = mode_rates(mobility, damping)
    for factor, is_stable in ((1.9, True), (2.1, False)):
        step = np.eye(5) - factor / rates[-1] * mobility @ np.diag(damping)
        assert bool(np.linalg.norm(np.linalg.matrix_power(step, 500)) < 1e3) is is_stable


def test_modes_are_the_eigenvectors_of_their_rates_also_of_equal_ones():
    """Two arms that are alike have each rate twice."""
    rng = np.random.default_rng(2)
    A = rng.normal(size=(15, 15))
    mobility, damping = (
        np.kron(np.eye(2), A @ A.T + 0.1 * np.eye(15)),
        np.tile(rng.uniform(0.0, 3.0, 15), 2),
    )
    rates = mode_rates(mobility, damping)[-8:]
    root = np.sqrt(damping)
    found = modes(mobility, damping, rates)
    np.testing.assert_allclose(
        root[:, None] * mobility * root @ found, rates * found, atol=1e-9 * rates[-1]
    )
    np.testing.assert_allclose(found.T @ found, np.eye(8), atol=1e-9)
    assert modes(mobility, damping, rates[:0]).shape == (30, 0)


# The mass matrix at zero and its inverses.


def test_a_regular_matrix_has_its_inverse() -> None:
    M = np.array(((2.0, 1.0), (1.0, 3.0)))
    at_zero = MassMatrixAtZero(M)
    assert at_zero.inverse is not None
    np.testing.assert_allclose(at_zero.inverse @ M, np.eye(2), atol=1e-15)
    assert at_zero.pseudo_inverse is at_zero.inverse is at_zero.inverse


def test_a_singular_matrix_has_a_pseudo_inverse_only() -> None:
    M = np.diag((2.0, 0.0))
    at_zero = MassMatrixAtZero(M)
    assert at_zero.inverse is None
    assert at_zero.pseudo_inverse is not None
    np.testing.assert_allclose(M @ at_zero.pseudo_inverse @ M, M)


def test_a_matrix_that_is_not_finite_has_none() -> None:
    at_zero = MassMatrixAtZero(np.array(((np.nan,),)))
    assert at_zero.inverse is None
    assert at_zero.pseudo_inverse is None
