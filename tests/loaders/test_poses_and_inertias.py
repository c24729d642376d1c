"""Rigid transforms and spatial inertia: algebra, and Drake as the witness."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from transforms3d.euler import euler2mat

from loaders.inertia import SpatialInertia, _is_plainly_physical, are_physical, exceeds
from loaders.pose import (
    IDENTITY,
    Pose,
    frozen,
    matrix_to_quaternion,
    principal_axes_of,
    quaternion_to_matrix,
    rotation_about,
    rotation_to,
    skew,
)

QUICK = settings(max_examples=60, deadline=None)
NUMBER = st.floats(-5.0, 5.0)
THREE = st.tuples(NUMBER, NUMBER, NUMBER)
QUATERNION = st.tuples(*(st.floats(-1.0, 1.0),) * 4).filter(lambda q: math.hypot(*q) > 1e-3)
UNIT = THREE.filter(lambda v: math.hypot(*v) > 1e-3).map(lambda v: np.array(v) / math.hypot(*v))
POSE = st.builds(lambda p, q: Pose.from_vector((*p, *q)), THREE, QUATERNION)
BODY = st.builds(
    lambda mass, com, sizes, q: SpatialInertia.in_frame(
        mass, Pose.from_vector((*com, *q)), mass * np.diag(sum(sizes) - np.array(sizes))
    ),
    st.floats(0.1, 10.0),
    THREE,
    st.tuples(*(st.floats(0.01, 2.0),) * 3),
    QUATERNION,
)


def assert_close(a: Pose, b: Pose) -> None:
    np.testing.assert_allclose(a.R, b.R, atol=1e-12)
    np.testing.assert_allclose(a.p, b.p, atol=1e-11)


def assert_same_body(a: SpatialInertia, b: SpatialInertia, atol: float = 1e-9) -> None:
    assert a.mass == pytest.approx(b.mass)
    np.testing.assert_allclose(a.p_LLcm, b.p_LLcm, atol=atol)
    np.testing.assert_allclose(a.I_Lcm, b.I_Lcm, atol=atol)


@QUICK
@given(THREE, THREE)
@example((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
@example((0.0, 0.0, 0.0), (0.0, 0.5, 0.0))
def test_a_pose_from_angles_has_the_bits_of_transforms3d(
    xyz: tuple[float, float, float], rpy: tuple[float, float, float]
) -> None:
    pose = Pose.from_xyz_rpy(xyz, rpy)
    np.testing.assert_array_equal(pose.R, euler2mat(*rpy, "sxyz"))
    assert pose.p.tolist() == list(xyz)
    assert not pose.R.flags.writeable
    assert not pose.p.flags.writeable


@QUICK
@given(THREE, THREE, THREE, st.sampled_from((0.0, 0.4)), st.sampled_from((0.0, -0.7)))
def test_products_and_inverses_without_rotation_are_those_of_matrices(
    p: tuple[float, float, float],
    q: tuple[float, float, float],
    rpy: tuple[float, float, float],
    a: float,
    b: float,
) -> None:
    X, Y = (
        Pose.from_xyz_rpy(p, [a * angle for angle in rpy]),
        Pose.from_xyz_rpy(q, [b * angle for angle in rpy]),
    )
    product, inverse = X @ Y, X.inverse()
    np.testing.assert_allclose(product.R, X.R @ Y.R, atol=1e-15)
    np.testing.assert_allclose(product.p, X.p + X.R @ Y.p, atol=1e-14)
    np.testing.assert_allclose(inverse.R, X.R.T, atol=0.0)
    np.testing.assert_allclose(inverse.p, -(X.R.T @ X.p), atol=1e-15)


@QUICK
@given(
    st.lists(
        st.builds(
            lambda mass, moments, product, com: SpatialInertia.of(
                mass, (com, 0.0, 0.0), np.diag(moments) + product * (np.ones((3, 3)) - np.eye(3))
            ),
            st.sampled_from((1.0, 0.0, -1.0, math.nan, math.inf)),
            st.tuples(*(st.sampled_from((0.0, 1.0, 2.0, 2.0 + 1e-15, 3.1, -1.0, math.inf)),) * 3),
            st.sampled_from((0.0, 0.5, math.nan)),
            st.sampled_from((0.0, math.nan)),
        ),
        max_size=5,
    )
)
def test_inertias_are_judged_together_as_each_alone(inertias: list[SpatialInertia]) -> None:
    assert are_physical(inertias) == [not inertia.defects() for inertia in inertias]
    assert are_physical(inertias) == [has_physical_moments(inertia) for inertia in inertias]


def has_physical_moments(inertia: SpatialInertia) -> bool:
    """Whether all is finite, and no moment is negative or larger than the sum of the others:
    libsdformat's rule.
    """
    if not all(
        np.isfinite(values).all() for values in (inertia.mass, inertia.p_LLcm, inertia.I_Lcm)
    ):
        return False
    a, b, c = np.linalg.eigvalsh(inertia.I_Lcm)
    tolerance = 5.0 * np.finfo(np.float64).eps * abs(np.trace(inertia.I_Lcm))
    return bool(inertia.mass >= 0.0 and a >= -tolerance and a + b >= c - tolerance)


@QUICK
@given(
    st.tuples(*(st.sampled_from((0.0, 1e-16, 1e-9, 1.0, 1.0 + 1e-12, 2.0, 2.0 + 1e-9)),) * 3),
    THREE,
    st.sampled_from((1e-300, 1e-120, 1.0, 1e150)),
)
def test_inertias_about_any_axes_are_judged_together_as_each_alone(
    moments: tuple[float, ...], rpy: tuple[float, float, float], scale: float
) -> None:
    R = euler2mat(*rpy, "sxyz")
    inertia = SpatialInertia.of(1.0, I_Lcm=scale * (R @ np.diag(moments) @ R.T))
    assert are_physical([inertia]) == [not inertia.defects()] == [has_physical_moments(inertia)]


@QUICK
@given(
    st.tuples(*(st.sampled_from((-1.0, 0.0, 1e-14, 1e-9, 1.0, 1.0 + 1e-12, 1e6)),) * 3),
    THREE,
    st.sampled_from((1e-300, 1.0, 1e150)),
    st.sampled_from((0.0, 1e-14, 1.0)),
)
def test_eigenvalues_that_exceed_a_bound_do_so(
    moments: tuple[float, ...], rpy: tuple[float, float, float], scale: float, bound: float
) -> None:
    R = euler2mat(*rpy, "sxyz")
    matrix = scale * (R @ np.diag(moments) @ R.T)
    rounding = 4.0 * np.finfo(float).eps * np.abs(matrix).max()  # of LAPACK's eigenvalues
    assert not exceeds(matrix, bound) or np.linalg.eigvalsh(matrix)[0] > bound - rounding


def test_plain_eigenvalues_exceed_a_bound() -> None:
    matrix = np.array(((2.0, 0.3, 0.1), (0.3, 3.0, -0.2), (0.1, -0.2, 4.0)))
    assert exceeds(matrix, 1e-14)
    assert exceeds(matrix, 1.5)
    assert not exceeds(matrix, np.linalg.eigvalsh(matrix)[0] + 1e-9)
    assert not exceeds(np.full((3, 3), math.nan), 0.0)


# --- rotations ------------------------------------------------------------------------------------


@QUICK
@given(QUATERNION)
def test_a_quaternion_of_any_length_is_a_rotation_and_comes_back_with_unit_length(
    q: tuple[float, ...],
) -> None:
    R = quaternion_to_matrix(q)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(R) == pytest.approx(1.0)
    back = np.array(matrix_to_quaternion(R))
    unit = np.array(q) / math.hypot(*q)
    assert back[0] >= 0.0
    assert abs(back @ unit) == pytest.approx(1.0)


@QUICK
@given(QUATERNION)
def test_quaternions_turn_as_drakes_do(q: tuple[float, ...]) -> None:
    eigen = pytest.importorskip("pydrake.common.eigen_geometry")
    unit = np.array(q) / math.hypot(*q)
    np.testing.assert_allclose(
        quaternion_to_matrix(q), eigen.Quaternion(wxyz=unit).rotation(), atol=1e-12
    )


@pytest.mark.parametrize("axis", range(3))
def test_half_turns_have_an_exact_quaternion(axis: int) -> None:
    half = np.diag([1.0 if i == axis else -1.0 for i in range(3)])
    q = matrix_to_quaternion(half)
    assert abs(q[axis + 1]) == 1.0
    np.testing.assert_array_equal(quaternion_to_matrix(q), half)


@QUICK
@given(THREE, THREE)
def test_angles_are_about_fixed_axes_x_then_y_then_z(
    xyz: tuple[float, ...], rpy: tuple[float, ...]
) -> None:
    math_ = pytest.importorskip("pydrake.math")
    pose = Pose.from_xyz_rpy(xyz, rpy)
    np.testing.assert_allclose(
        pose.R, math_.RollPitchYaw(*rpy).ToRotationMatrix().matrix(), atol=1e-12
    )
    assert pose.p.tolist() == list(xyz)
    turned = (
        rotation_about((0, 0, 1), rpy[2])
        @ rotation_about((0, 1, 0), rpy[1])
        @ rotation_about((1, 0, 0), rpy[0])
    )
    np.testing.assert_allclose(pose.R, turned, atol=1e-12)


@QUICK
@given(UNIT, st.floats(-7.0, 7.0))
def test_a_rotation_keeps_its_axis_and_turns_by_its_angle(axis: np.ndarray, angle: float) -> None:
    R = rotation_about(axis, angle)
    np.testing.assert_allclose(R @ axis, axis, atol=1e-12)
    assert np.trace(R) == pytest.approx(1.0 + 2.0 * math.cos(angle), abs=1e-12)
    np.testing.assert_allclose((R - R.T) / 2.0, math.sin(angle) * skew(axis), atol=1e-12)


@QUICK
@given(UNIT)
@example(np.array((2.2e-313, 2.2e-313, -1.0)))
def test_a_rotation_to_a_direction_puts_z_there_by_the_shortest_way(direction: np.ndarray) -> None:
    R = rotation_to(direction)
    np.testing.assert_allclose(R[:, 2], direction, atol=1e-12)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
    assert (np.trace(R) - 1.0) / 2.0 == pytest.approx(direction[2], abs=1e-12)


def test_up_is_no_rotation_and_down_is_half_a_turn() -> None:
    np.testing.assert_array_equal(rotation_to((0.0, 0.0, 1.0)), np.eye(3))
    down = rotation_to((0.0, 0.0, -1.0))
    assert down[:, 2].tolist() == [0.0, 0.0, -1.0]
    assert np.linalg.det(down) == 1.0


# --- poses ----------------------------------------------------------------------------------------


@QUICK
@given(POSE, POSE, POSE)
def test_poses_are_a_group(X_AB: Pose, X_BC: Pose, X_CD: Pose) -> None:
    assert_close((X_AB @ X_BC) @ X_CD, X_AB @ (X_BC @ X_CD))
    assert_close(X_AB @ X_AB.inverse(), IDENTITY)
    assert_close((X_AB @ X_BC).inverse(), X_BC.inverse() @ X_AB.inverse())
    assert X_AB @ IDENTITY is X_AB
    assert IDENTITY @ X_AB is X_AB


@QUICK
@given(POSE, POSE)
def test_composition_is_what_4x4_matrices_do(X_AB: Pose, X_BC: Pose) -> None:
    def dense(X: Pose) -> np.ndarray:
        return np.block([[X.R, X.p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

    np.testing.assert_allclose(dense(X_AB @ X_BC), dense(X_AB) @ dense(X_BC), atol=1e-12)
    np.testing.assert_allclose(dense(X_AB.inverse()), np.linalg.inv(dense(X_AB)), atol=1e-11)


@QUICK
@given(POSE)
def test_a_pose_survives_as_seven_numbers_and_as_a_pickle(pose: Pose) -> None:
    assert_close(Pose.from_vector(pose.to_vector()), pose)
    copy = pickle.loads(pickle.dumps(pose))
    assert copy.R.tolist() == pose.R.tolist()
    assert copy.p.tolist() == pose.p.tolist()


def test_a_pose_is_immutable_and_independent_of_its_arguments() -> None:
    source = np.zeros(3)
    pose = Pose.of(p=source) @ Pose.of(p=(1.0, 0.0, 0.0))
    source[0] = 9.0
    assert pose.p.tolist() == [1.0, 0.0, 0.0]
    for array in (pose.R, pose.p, IDENTITY.R, frozen([1.0])):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5.0


# --- inertia --------------------------------------------------------------------------------------


@QUICK
@given(BODY, POSE)
def test_a_body_moved_there_and_back_is_the_same(body: SpatialInertia, X_AL: Pose) -> None:
    assert_same_body(body.moved(X_AL).moved(X_AL.inverse()), body)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(body.moved(X_AL).I_Lcm), np.linalg.eigvalsh(body.I_Lcm), atol=1e-9
    )


@QUICK
@given(BODY, BODY, BODY)
def test_bodies_add_up_in_any_order(
    a: SpatialInertia, b: SpatialInertia, c: SpatialInertia
) -> None:
    assert_same_body(a + b, b + a)
    assert_same_body((a + b) + c, a + (b + c))
    np.testing.assert_allclose(
        (a + b).about((1, 2, 3)), a.about((1, 2, 3)) + b.about((1, 2, 3)), atol=1e-8
    )


@QUICK
@given(BODY, POSE, BODY)
def test_moving_and_adding_agree_with_drake(
    body: SpatialInertia, X_AL: Pose, other: SpatialInertia
) -> None:
    tree = pytest.importorskip("pydrake.multibody.tree")
    math_ = pytest.importorskip("pydrake.math")

    def drakes(one: SpatialInertia):
        I = one.I_Lcm  # noqa: E741
        moments = tree.RotationalInertia(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        return tree.SpatialInertia.MakeFromCentralInertia(one.mass, one.p_LLcm, moments)

    theirs = drakes(body).ReExpress(math_.RotationMatrix(X_AL.R)).Shift(-X_AL.p)
    theirs += drakes(other)
    own = body.moved(X_AL) + other
    np.testing.assert_allclose(own.p_LLcm, theirs.get_com(), atol=1e-10)
    about_origin = theirs.CalcRotationalInertia().CopyToFullMatrix3()
    np.testing.assert_allclose(own.about((0, 0, 0)), about_origin, rtol=1e-9, atol=1e-9)


@QUICK
@given(BODY)
def test_principal_axes_are_a_rotation_that_makes_the_inertia_diagonal(
    body: SpatialInertia,
) -> None:
    R, moments = body.principal_axes()
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_allclose(R @ np.diag(moments) @ R.T, body.I_Lcm, atol=1e-9)


def nearest_angle(inertia: np.ndarray) -> float:
    """The smallest angle [rad] of the right-handed orders and signs of eigenvectors."""
    _, axes = np.linalg.eigh(inertia)
    signed = [
        axes[:, order] * signs
        for order in ORDERS
        for signs in itertools.product((1.0, -1.0), repeat=3)
    ]
    angles = [angle_of(R) for R in signed if np.linalg.det(R) > 0.0]
    assert len(angles) == 24
    return min(angles)


def angle_of(R: np.ndarray) -> float:
    """The angle [rad] of a rotation, from the distance ``|R - 1| = sqrt(8) sin(angle / 2)``."""
    return 2.0 * math.asin(min(1.0, float(np.linalg.norm(R - np.eye(3))) / math.sqrt(8.0)))


ORDERS = list(map(list, itertools.permutations(range(3))))
MOMENT = st.floats(1e-3, 10.0)
MOMENTS = st.tuples(MOMENT, MOMENT, MOMENT)
TWO_EQUAL = st.builds(
    lambda a, b, k: tuple(b if i == k else a for i in range(3)), MOMENT, MOMENT, st.integers(0, 2)
).filter(lambda moments: not min(moments) / max(moments) > 0.99)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.one_of(MOMENTS, TWO_EQUAL, MOMENT.map(lambda m: (m, m, m))), QUATERNION, st.integers(-12, 3)
)
@example((1e-12, 1e-12, 3e-6), (0.88, 0.325, -0.325, 0.1), 0)
@example((0.3, 0.2, 0.1), (0.0, 1.0, 0.0, 0.0), 0)
def test_no_order_and_no_signs_of_the_principal_axes_are_nearer_to_those_of_the_link(
    moments: tuple[float, float, float], wxyz: tuple[float, float, float, float], exponent: int
) -> None:
    turn = quaternion_to_matrix(wxyz)
    inertia = turn @ np.diag(moments) @ turn.T * 10.0**exponent
    inertia = 0.5 * (inertia + inertia.T)
    R, found = SpatialInertia.of(1.0, I_Lcm=inertia).principal_axes()
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(
        R @ np.diag(found) @ R.T, inertia, rtol=0, atol=1e-12 * np.abs(inertia).max()
    )
    assert angle_of(R) <= nearest_angle(inertia) + 1e-7


@given(st.integers(0, 2), MOMENT, MOMENT, UNIT)
@QUICK
def test_axes_in_the_plane_of_equal_moments_do_not_turn_about_its_normal(
    k: int, equal: float, single: float, normal: np.ndarray
) -> None:
    """The angle is then that from the normal to the nearest axis of the link."""
    assume(abs(equal / single - 1.0) > 0.01)
    inertia = equal * np.eye(3) + (single - equal) * np.outer(normal, normal)
    R, _ = SpatialInertia.of(1.0, I_Lcm=inertia).principal_axes()
    cosine = float(np.abs(normal).max())
    assert angle_of(R) == pytest.approx(
        math.atan2(math.sqrt(max(0.0, 1.0 - cosine**2)), cosine), abs=1e-7
    )


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (1.0, 1.0, 1.0), (1.0, 2.0, -3.0)])
def test_the_inertia_of_a_sphere_has_the_axes_of_the_link(axis: tuple[float, float, float]) -> None:
    turn = rotation_about(np.array(axis) / np.linalg.norm(axis), 0.7)
    sphere = SpatialInertia.of(
        1.0, I_Lcm=turn @ (0.3 * np.eye(3)) @ turn.T + 1e-17 * (np.ones((3, 3)) - np.eye(3))
    )
    R, moments = sphere.principal_axes()
    assert R.tolist() == np.eye(3).tolist()
    np.testing.assert_allclose(moments, 0.3, rtol=1e-15)


def test_the_principal_axes_of_many_inertias_are_those_of_each() -> None:
    rng = np.random.default_rng(3)
    matrices = np.array(
        [A @ A.T for A in rng.normal(size=(20, 3, 3))] + [np.ones((3, 3)), 2.0 * np.eye(3)]
    )
    axes, moments = principal_axes_of(matrices)
    for matrix, R, sizes in zip(matrices, axes, moments, strict=True):
        one_R, one_sizes = SpatialInertia.of(1.0, I_Lcm=matrix).principal_axes()
        np.testing.assert_allclose(R, one_R, atol=1e-12)
        np.testing.assert_allclose(sizes, one_sizes, atol=1e-12)


def test_a_diagonal_inertia_keeps_its_axes_in_their_order() -> None:
    R, moments = SpatialInertia.of(1.0, I_Lcm=np.diag((3.0, 1.0, 2.5))).principal_axes()
    assert R.tolist() == np.eye(3).tolist()
    assert moments.tolist() == [3.0, 1.0, 2.5]


def test_the_sum_with_a_zero_inertia_is_the_other_inertia() -> None:
    nothing, something = SpatialInertia.of(0.0), SpatialInertia.of(2.0, (1.0, 0.0, 0.0), np.eye(3))
    assert_same_body(nothing + something, something)
    assert (nothing + nothing).mass == 0.0


def test_moments_of_inertia_without_mass_add_up() -> None:
    one, other = (
        SpatialInertia.of(0.0, I_Lcm=np.eye(3)),
        SpatialInertia.of(0.0, I_Lcm=np.diag((0.5, 0.25, 0.5))),
    )
    np.testing.assert_array_equal((one + other).I_Lcm, np.diag((1.5, 1.25, 1.5)))


@pytest.mark.parametrize(
    ("mass", "moments", "words"),
    [
        (-1.0, (1.0, 1.0, 1.0), ["the mass -1 kg is negative"]),
        (1.0, (-1.0, 1.0, 1.0), ["negative"]),
        (1.0, (1.0, 1.0, 3.0), ["triangle inequality"]),
        (-1.0, (1.0, 1.0, 3.0), ["mass", "triangle"]),
        (math.nan, (1.0, 1.0, 1.0), ["finite"]),
        (1.0, (math.inf, 1.0, 1.0), ["finite"]),
        (1.0, (1.0, 2.0, 3.0), []),
        (0.0, (0.0, 0.0, 0.0), []),
        (1.0, (1e-12, 1e-12, 1e-12), []),
        (1.0, (1e9, 1e9, 1e-9), []),
    ],
)
def test_impossible_inertias_are_named_by_their_defect(
    mass: float, moments: tuple[float, ...], words: list[str]
) -> None:
    defects = SpatialInertia.of(mass, I_Lcm=np.diag(moments)).defects()
    assert len(defects) == len(words)
    assert all(word in defect for word, defect in zip(words, defects, strict=True))


@QUICK
@given(BODY)
def test_a_body_made_of_real_parts_has_no_defects(body: SpatialInertia) -> None:
    assert body.defects() == []
    assert (body + body.moved(Pose.of(p=(1.0, 2.0, 3.0)))).defects() == []


@QUICK
@given(BODY)
def test_an_inertia_survives_as_a_pickle(body: SpatialInertia) -> None:
    copy = pickle.loads(pickle.dumps(body))
    assert (copy.mass, copy.p_LLcm.tolist(), copy.I_Lcm.tolist()) == (
        body.mass,
        body.p_LLcm.tolist(),
        body.I_Lcm.tolist(),
    )


@pytest.mark.parametrize("beyond", [-1, 1])
@pytest.mark.parametrize("moments", [(1.0, 1.0, 2.0), (1.0, 0.0, 1.0)])
def test_the_tolerance_of_moments_is_that_of_libsdformat(
    moments: tuple[float, ...], beyond: int
) -> None:
    """Source: gz-math, ``MassMatrix3::ValidMoments``: ten times the machine epsilon times half the
    trace.
    """
    tolerance = 10.0 * np.finfo(float).eps * sum(moments) / 2.0
    largest = moments[0] + moments[1]
    excess = (1.0 + 0.1 * beyond) * tolerance
    inertia = SpatialInertia.of(1.0, I_Lcm=np.diag((moments[0], moments[1], largest + excess)))
    negative = SpatialInertia.of(1.0, I_Lcm=np.diag((1.0, 1.0, -excess * 2.0 / sum(moments))))
    assert bool(inertia.defects()) == bool(negative.defects()) == (beyond > 0)
    assert are_physical([inertia, negative]) == [beyond < 0, beyond < 0]


def test_a_diagonal_inertia_at_the_triangle_inequality_is_plainly_physical() -> None:
    assert _is_plainly_physical(SpatialInertia.of(1.0, I_Lcm=np.diag((1.0, 2.0, 3.0))))
    assert not _is_plainly_physical(SpatialInertia.of(1.0, I_Lcm=np.diag((1.0, 2.0, 3.0 + 1e-15))))


@QUICK
@given(st.permutations([0, 1, 2]), QUATERNION)
def test_a_repair_changes_the_moments_least(order: list[int], q: tuple[float, ...]) -> None:
    """The nearest point of ``c <= a + b`` to (1, 2, 9) is (3, 4, 7): each moment changes by a third
    of the excess.
    """
    R = quaternion_to_matrix(q)
    moments, mended = np.array((1.0, 2.0, 9.0))[order], np.array((3.0, 4.0, 7.0))[order]
    repaired = SpatialInertia.of(2.0, (1.0, 0.0, 0.0), R @ np.diag(moments) @ R.T).repaired()
    assert np.abs(repaired.I_Lcm - R @ np.diag(mended) @ R.T).max() < 1e-12
    assert (repaired.mass, repaired.p_LLcm.tolist()) == (2.0, [1.0, 0.0, 0.0])


def test_a_repair_makes_a_negative_mass_and_negative_moments_zero() -> None:
    repaired = SpatialInertia.of(-2.0, I_Lcm=np.diag((-1.0, 3.0, 4.0))).repaired()
    assert repaired.mass == 0.0
    assert (
        np.abs(repaired.I_Lcm - np.diag((1.0 / 3.0, 3.0 + 1.0 / 3.0, 4.0 - 1.0 / 3.0))).max()
        < 1e-15
    )


def test_a_body_too_far_away_has_an_infinite_moment_about_the_origin() -> None:
    eye = frozen(np.eye(3))
    assert SpatialInertia(
        2.0, frozen((3.0, 0.0, 0.0)), eye
    ).smallest_moment_about_origin() == pytest.approx(1.0)
    assert (
        SpatialInertia(2.0, frozen((1e300, 0.0, 0.0)), eye).smallest_moment_about_origin() == np.inf
    )
