"""Jacobians and dynamics from first principles, and modes of dampers.

Spatial vectors are ``(angular, linear)``, shape (6,), at the origin of the frame in which they are
expressed. Every primitive is a segment; the last segment of a body carries the body's inertia.

Source: Featherstone, "Rigid Body Dynamics Algorithms", 2008: recursive Newton-Euler (table 5.1) and
composite rigid body algorithm (table 6.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bridge.mechanism.coordinates import AXIAL, displaced, poses
from loaders.deferred import cached_property
from loaders.engine_settings import gravity_share
from loaders.inertia import SpatialInertia
from loaders.pose import IDENTITY, Array, Pose, skew

from .bodies import ROOT, Body, Primitive, PrimitiveKind
from .coordinates import Coordinates, kind_of, primitive_positions

STABILITY_LIMIT = 2.0
"""Product of the time step and the fastest rate of dampers or springs beyond which explicit
integration is unstable."""


def mode_rates(mobility: Array, coefficients: Array) -> Array:
    """Return the eigenvalues of ``mobility @ diag(coefficients)``, ascending, shape (nv,).

    For dampers they are the rates of the modes [1/s]: explicit integration is stable for time steps
    below two divided by the largest one. For springs they are the squares of the rates.

    Args:
        mobility: The inverse of the mass matrix, shape (nv, nv).
        coefficients: Damping or stiffness of each velocity; the magnitude counts; shape
            (nv,).
    """
    return np.asarray(np.linalg.eigvalsh(_symmetric(mobility, coefficients)), dtype=np.float64)


def modes(mobility: Array, coefficients: Array, rates: Array) -> Array:
    """Return the modes of some of `mode_rates` as columns, of which the squares are the parts of
    the joints.

    This is inverse iteration, since `numpy.linalg.eigh` starts threads for more than 25 rows: it
    then takes 5 to 20 ms where `mode_rates` and this function together take less than 1 ms.

    Args:
        mobility: The inverse of the mass matrix, shape (nv, nv).
        coefficients: Damping or stiffness of each velocity, as for `mode_rates`.
        rates: The rates, ascending, shape (n,).
    """
    A = _symmetric(mobility, coefficients)
    found = np.zeros((len(A), 0))
    offset = (
        8.0 * np.finfo(np.float64).eps * np.abs(rates).max(initial=0.0)
    )  # so that the matrix can be inverted
    for rate in rates:
        shifted = A - (rate + offset) * np.eye(len(A))
        x = np.cos(
            np.arange(1.0, len(A) + 1.0)
        )  # a start with a part in every mode, whatever symmetry A has
        for _ in range(3):
            x = np.linalg.solve(shifted, x - found @ (found.T @ x))
            x /= np.linalg.norm(x)
            if np.abs(shifted @ x).max() <= 2.0 * offset:
                break
        x -= found @ (found.T @ x)  # equal rates have orthogonal modes
        found = np.column_stack((found, x / np.linalg.norm(x)))
    return found


def _symmetric(mobility: Array, coefficients: Array) -> Array:
    """Return the symmetric matrix with the eigenvalues of ``mobility @ diag(coefficients)``."""
    root = np.sqrt(np.abs(coefficients))
    return np.asarray(root[:, np.newaxis] * mobility * root)


def mass_matrix(
    bodies: Sequence[Body], positions: Sequence[Coordinates], *, with_rotors: bool = True
) -> Array:
    """Return the mass matrix by the composite rigid body algorithm; see
    `bridge.Mechanism.mass_matrix`.

    Args:
        bodies: The bodies of the mechanism.
        positions: Position of each body's joint.
        with_rotors: Whether it has reflected inertia.
    """
    return mass_matrices(bodies, [positions], with_rotors=with_rotors)[0]


def mass_matrices(
    bodies: Sequence[Body], sampled: Sequence[Sequence[Coordinates]], *, with_rotors: bool = True
) -> list[Array]:
    """Return the mass matrix at each of several positions.

    Args:
        bodies: The bodies of the mechanism.
        sampled: The positions, each as for `mass_matrix`.
        with_rotors: Whether it has reflected inertia.
    """
    places = _places(tuple(bodies))
    return [
        _mass_matrix(bodies, _segments_at(places, bodies, positions), with_rotors=with_rotors)
        for positions in sampled
    ]


def _mass_matrix(
    bodies: Sequence[Body], segments: list[_Segment], *, with_rotors: bool = True
) -> Array:
    rotors = [rotor for body in bodies for rotor in body.reflected_inertia]
    dofs = [k for segment in segments for k in range(segment.v.start, segment.v.stop)]
    by_segment = _between_segments(segments, len(dofs))
    if dofs == list(range(len(rotors))):
        M = by_segment
    else:  # primitives that share a velocity
        M = np.zeros((len(rotors), len(rotors)))
        np.add.at(M, np.ix_(dofs, dofs), by_segment)
    if with_rotors:
        M[np.diag_indices(len(rotors))] += rotors
    return M


def _between_segments(segments: list[_Segment], count: int) -> Array:
    """Return the mass matrix with a row and a column for each of the ``count`` velocities of all
    segments.

    The forces that a unit of each acceleration needs move from segment to parent, those of a
    subtree together.
    """
    M, F, stop = np.zeros((count, count)), np.zeros((6, count)), count
    columns: list[list[int]] = [
        [] for _ in segments
    ]  # the velocities of the subtree of each segment
    composite = [segment.inertia.copy() for segment in segments]
    for i in reversed(range(len(segments))):
        segment, carried = segments[i], columns[i]
        own = slice(stop - segment.S.shape[1], stop)
        stop = own.start
        if own.start < own.stop:
            carried += range(own.start, own.stop)
            F[:, own] = composite[i] @ segment.S
            subtree = _consecutive(carried)
            block = segment.S.T @ F[:, subtree]
            M[subtree, own], M[own, subtree] = block.T, block
        if segment.parent != ROOT:
            composite[segment.parent] += segment.X.T @ composite[i] @ segment.X
            if carried:
                subtree = _consecutive(carried)
                F[:, subtree] = segment.X.T @ F[:, subtree]
                columns[segment.parent] += carried
    return M


def _consecutive(columns: list[int]) -> slice | list[int]:
    """Return columns as a slice if they follow one another, as a slice needs no copy."""
    first, last = min(columns), max(columns)
    return slice(first, last + 1) if last - first < len(columns) else columns


def bias_forces(
    bodies: Sequence[Body], positions: Sequence[Coordinates], rates: Array, gravity: Array
) -> Array:
    """Return the bias forces by recursive Newton-Euler with zero accelerations; see
    `bridge.Mechanism.bias_forces`.

    Args:
        bodies: The bodies of the mechanism.
        positions: Position of each body's joint.
        rates: Velocities in ``v_order``, shape (nv,).
        gravity: Acceleration of gravity in the world [m/s^2], shape (3,).
    """
    return _bias_forces(_segments(bodies, positions), rates, gravity)


def mass_matrix_and_bias_forces(
    bodies: Sequence[Body], positions: Sequence[Coordinates], rates: Array, gravity: Array
) -> tuple[Array, Array]:
    """Return the mass matrix and the bias forces of one state, whose kinematics are computed once.

    Args:
        bodies: The bodies of the mechanism.
        positions: Position of each body's joint.
        rates: Velocities in ``v_order``, shape (nv,).
        gravity: Acceleration of gravity in the world [m/s^2], shape (3,).
    """
    segments = _segments(bodies, positions)
    return _mass_matrix(bodies, segments), _bias_forces(segments, rates, gravity)


def _bias_forces(segments: list[_Segment], rates: Array, gravity: Array) -> Array:
    base = np.concatenate((np.zeros(3), -gravity))
    forces: list[Array] = []
    for segment, X_WS, (V_i, A_i) in zip(
        segments, _world_poses(segments), _motions(segments, rates), strict=True
    ):
        fictitious = A_i + np.concatenate((np.zeros(3), X_WS.R.T @ (segment.weight * base)[3:]))
        forces.append(segment.inertia @ fictitious + _momentum_rate(segment.inertia, V_i))
    return _summed_up(segments, forces, len(rates))


def _summed_up(segments: Sequence[_Segment], forces: list[Array], nv: int) -> Array:
    """Return the efforts of joints that balance forces on segments, to which those of the segments
    behind each are added.
    """
    tau = np.zeros(nv)
    for i in range(len(segments) - 1, -1, -1):
        segment = segments[i]
        tau[segment.v] += segment.S.T @ forces[i]
        if segment.parent != ROOT:
            forces[segment.parent] = forces[segment.parent] + segment.X.T @ forces[i]
    return tau


def _momentum_rate(inertia: Array, V: Array) -> Array:
    """Return ``V x* (inertia V)``, shape (6,), without the moment ``v x (m v)``.

    That moment is zero, but its rounding is as large as the other moments of a kilogram with
    moments of 1e-9 kg m^2.
    """
    momentum = inertia @ V
    linear = inertia[3:, 3:] @ V[3:]
    momentum[3:] = inertia[3:, :3] @ V[:3]
    force: Array = -_cross(V).T @ momentum
    force[3:] += skew(V[:3]) @ linear
    return force


def _motions(segments: list[_Segment], rates: Array) -> list[tuple[Array, Array]]:
    """Return the velocity of each segment, and its acceleration where the velocities do not
    change.
    """
    motions: list[tuple[Array, Array]] = []
    for segment in segments:
        V_P = A_P = np.zeros(6)
        if segment.parent != ROOT:
            V_P, A_P = (segment.X @ motion for motion in motions[segment.parent])
        S_v = segment.S @ rates[segment.v]
        V_i = V_P + S_v
        A_i = A_P + _cross(V_i) @ S_v
        A_i += segment.apparent(S_v)
        motions.append((V_i, A_i))
    return motions


def bias_accelerations(
    bodies: Sequence[Body], positions: Sequence[Coordinates], rates: Array
) -> dict[str, Array]:
    """Return the acceleration of every link where the velocities do not change, shape (6,): the
    rate of `jacobians`.

    It is the angular acceleration of the link and the acceleration of its origin, in the world.

    Args:
        bodies: The bodies of the mechanism.
        positions: Position of each body's joint.
        rates: Velocities in ``v_order``, shape (nv,).
    """
    segments = _segments(bodies, positions)
    X_WS, motions = _world_poses(segments), _motions(segments, rates)
    by_link, last = {}, -1
    for body in bodies:
        last += max(len(body.primitives), 1)
        R, (V, A) = X_WS[last].R, motions[last]
        w, alpha, a = R @ V[:3], R @ A[:3], R @ (A[3:] + np.cross(V[:3], V[3:]))
        r = R @ body.X_BM.inverse().p
        by_link[body.name] = np.concatenate(
            (alpha, a + np.cross(alpha, r) + np.cross(w, np.cross(w, r)))
        )
    return by_link


def reactions_to_bias(
    bodies: Sequence[Body], positions: Sequence[Coordinates], rates: Array
) -> dict[str, Array]:
    """Return the reaction of each joint to some velocity products of its tree alone, shape (6,):
    moment about the origin of the joint frame on the body, and force, in the world.

    They are those that PyBullet counts twice: of joint rates with the velocities of bodies,
    gyroscopic moments about centers of mass, and ``m w x v`` of a free body. No gravity and no
    efforts act.

    Args:
        bodies: The bodies of the mechanism.
        positions: Position of each body's joint.
        rates: Velocities in ``v_order``, shape (nv,).
    """
    segments = _segments(bodies, positions)
    V: list[Array] = []
    A: list[Array] = []
    for segment in segments:
        V_P, A_P = np.zeros(6), np.zeros(6)
        if segment.parent != ROOT:
            V_P, A_P = segment.X @ V[segment.parent], segment.X @ A[segment.parent]
        S_v = segment.S @ rates[segment.v]
        V.append(V_P + S_v)
        A.append(A_P + _cross(V[-1]) @ S_v)
    loads = [_gyroscopic(segment, motion) for segment, motion in zip(segments, V, strict=True)]
    tau = _efforts_and_reactions(segments, A, loads, len(rates))[0]
    accelerations = np.linalg.lstsq(_mass_matrix(bodies, segments), -tau, rcond=None)[0]
    change: list[Array] = []
    for segment in segments:
        change.append(segment.S @ accelerations[segment.v])
        if segment.parent != ROOT:
            change[-1] = change[-1] + segment.X @ change[segment.parent]
    total = [a + b for a, b in zip(A, change, strict=True)]
    reactions = _efforts_and_reactions(segments, total, loads, len(rates))[1]
    found, last, X_WS = {}, -1, _world_poses(segments)
    for body in bodies:
        last += max(len(body.primitives), 1)
        moment, force = np.split(reactions[last], 2)
        found[body.name] = np.concatenate((X_WS[last].R @ moment, X_WS[last].R @ force))
    return found


def _gyroscopic(segment: _Segment, V: Array) -> Array:
    """Return the gyroscopic moment about the center of mass, shape (6,); of a free body also ``m w
    x v`` there.
    """
    inertia, w = segment.inertia, V[:3]
    mass = inertia[3, 3]
    S = inertia[:3, 3:] / mass if mass else np.zeros((3, 3))
    I_cm = inertia[:3, :3] + mass * S @ S
    force = mass * np.cross(w, V[3:] - S @ w) if segment.is_free else np.zeros(3)
    return np.concatenate((np.cross(w, I_cm @ w) + S @ force, force))


def _efforts_and_reactions(
    segments: list[_Segment], accelerations: Sequence[Array], loads: Sequence[Array], nv: int
) -> tuple[Array, list[Array]]:
    """Return the efforts and the reactions of joints that cause the accelerations of segments and
    balance loads.
    """
    forces = [
        segment.inertia @ A + load
        for segment, A, load in zip(segments, accelerations, loads, strict=True)
    ]
    return _summed_up(segments, forces, nv), forces


def damper_and_spring_forces(
    bodies: Sequence[Body], positions: Sequence[Coordinates], velocities: Array
) -> Array:
    """Return the forces of the dampers and springs of joints, shape (nv,).

    Args:
        bodies: The bodies of a mechanism.
        positions: Position of each body's joint.
        velocities: Velocities, shape (nv,).
    """
    forces = np.zeros(len(velocities))
    for body, position in zip(bodies, positions, strict=True):
        for p in body.primitives:
            if p.limits is None or p.kind is PrimitiveKind.FREE:
                continue
            size = 3 if p.kind is PrimitiveKind.BALL else 1
            k = slice(body.v_start + p.dof_index, body.v_start + p.dof_index + size)
            forces[k] = -p.limits.damping * velocities[k]
            if size == 1 and p.limits.spring_stiffness:
                forces[k] -= p.limits.spring_stiffness * (
                    position[p.dof_index] - p.limits.spring_reference
                )
    return forces


class _Jacobians(Mapping[str, Array]):
    """The Jacobians of links, each computed when it is asked for: to hold all takes a memory that
    grows as the number of links times that of velocities.

    Motions are kept at the origin of the world, where those of a chain add up.
    """

    def __init__(self, bodies: Sequence[Body], positions: Sequence[Coordinates]) -> None:
        segments = _segments(bodies, positions)
        self._columns = np.zeros((6, sum(body.nv for body in bodies)))
        self._links = {
            body.name: (i, X_WB.p)
            for i, (body, X_WB) in enumerate(zip(bodies, poses(bodies, positions), strict=True))
        }
        self._parents = [body.parent for body in bodies]
        self._own = [range(body.v_start, body.v_start + body.nv) for body in bodies]
        for segment, X_WS in zip(segments, _world_poses(segments), strict=True):
            w, v = X_WS.R @ segment.S[:3], X_WS.R @ segment.S[3:]
            self._columns[:3, segment.v] += w
            self._columns[3:, segment.v] += v + skew(X_WS.p) @ w

    def __getitem__(self, link: str) -> Array:
        """Return the Jacobian of a link, shape (6, nv)."""
        body, p_WB = self._links[link]
        moving: list[int] = []
        while body != ROOT:
            moving += self._own[body]
            body = self._parents[body]
        J = np.zeros_like(self._columns)
        J[:, moving] = self._columns[:, moving]
        J[3:] -= skew(p_WB) @ J[:3]
        return J

    def __iter__(self) -> Iterator[str]:
        return iter(self._links)

    def __len__(self) -> int:
        return len(self._links)


def jacobians(bodies: Sequence[Body], positions: Sequence[Coordinates]) -> Mapping[str, Array]:
    """Return the Jacobians of all links; see `bridge.Mechanism.jacobians`."""
    return _Jacobians(bodies, positions)


# --- segments -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Segment:
    """One primitive, or one weld, at a given position."""

    parent: int
    """Index of the parent segment, or `ROOT`."""
    X: Array
    """Motion transform from the parent segment's frame to this one's, shape (6, 6)."""
    S: Array
    """Motion subspace: the motion of each of its velocities, in its own frame, shape (6, n)."""
    v: slice
    """Indices of its velocities in ``v_order``."""
    inertia: Array
    """Spatial inertia of its body, shape (6, 6); zero for all but the last segment of a body."""
    X_PS: Pose
    """Pose in the parent segment, or in the world."""
    weight: float
    """Share of gravity that acts on it."""
    is_free: bool

    def apparent(self, S_v: Array) -> Array:
        """Return the rate of ``S`` in its own frame, times the velocities; nonzero for a free
        segment only.

        Its velocities are those of the origin in the world, so their components change as the
        segment rotates.
        """
        if not self.is_free:
            return np.zeros(6)
        return np.concatenate((np.zeros(3), -np.cross(S_v[:3], S_v[3:])))


class _Place(NamedTuple):
    """A segment without what depends on positions."""

    parent: int
    X_PF: Pose
    """Pose of the frame before its motion in the parent segment."""
    body: Body
    primitive: Primitive | None
    motion: tuple[Array, slice]
    """``S`` of a hinge or a slide, and the indices of the velocities."""
    inertia: Array
    weight: float
    is_free: bool


@lru_cache(maxsize=1)  # a motion of the reference asks at each step
def _places(bodies: tuple[Body, ...]) -> list[_Place]:
    found: list[tuple[int, Pose, Body, Primitive | None, tuple[Array, slice]]] = []
    last: list[int] = []
    X_MB = [body.X_BM.inverse() for body in bodies]
    for body in bodies:
        parent, X_PF = (
            (ROOT, body.X_PF)
            if body.parent == ROOT
            else (last[body.parent], X_MB[body.parent] @ body.X_PF)
        )
        if not body.primitives:
            found.append((parent, X_PF, body, None, (np.zeros((6, 0)), slice(0, 0))))
        for primitive in body.primitives:
            found.append((parent, X_PF, body, primitive, _motion(body, primitive, IDENTITY)))
            parent, X_PF = len(found) - 1, IDENTITY
        last.append(len(found) - 1)
    inertias = np.zeros((len(found), 6, 6))
    inertias[last] = _matrices(
        [body.inertia.moved(X) for body, X in zip(bodies, X_MB, strict=True)]
    )
    return [
        _Place(
            *place, inertia, gravity_share(place[2].link), kind_of(place[2]) is PrimitiveKind.FREE
        )
        for place, inertia in zip(found, inertias, strict=True)
    ]


def _segments(bodies: Sequence[Body], positions: Sequence[Coordinates]) -> list[_Segment]:
    return _segments_at(_places(tuple(bodies)), bodies, positions)


def _segments_at(
    places: Sequence[_Place], bodies: Sequence[Body], positions: Sequence[Coordinates]
) -> list[_Segment]:
    displacements = [
        displacement
        for body, position in zip(bodies, positions, strict=True)
        for displacement in (primitive_positions(body, position) if body.primitives else ((),))
    ]
    moved: list[tuple[Pose, tuple[Array, slice]]] = []
    for place, displacement in zip(places, displacements, strict=True):
        X_PS, motion = place.X_PF, place.motion
        if place.primitive is not None:
            X_step = displaced(place.primitive, displacement)
            X_PS = X_PS @ X_step
            if place.primitive.kind not in AXIAL:
                motion = _motion(place.body, place.primitive, X_step)
        moved.append((X_PS, motion))
    transforms = _motion_transforms([X_PS for X_PS, _ in moved])
    return [
        _Segment(place.parent, X, S, v, place.inertia, X_PS, place.weight, place.is_free)
        for place, X, (X_PS, (S, v)) in zip(places, transforms, moved, strict=True)
    ]


def _world_poses(segments: Sequence[_Segment]) -> list[Pose]:
    """Return ``X_WS`` of each segment."""
    poses_W: list[Pose] = []
    for segment in segments:
        poses_W.append(
            (IDENTITY if segment.parent == ROOT else poses_W[segment.parent]) @ segment.X_PS
        )
    return poses_W


def _motion(body: Body, primitive: Primitive, X_step: Pose) -> tuple[Array, slice]:
    """Return ``S`` of a primitive, in the frame behind it, and the indices of its velocities."""
    start = body.v_start + primitive.dof_index
    if primitive.kind in AXIAL:
        S = np.zeros((6, 1))
        k = 0 if primitive.kind is PrimitiveKind.HINGE else 3
        S[k : k + 3, 0] = primitive.ratio * primitive.axis
    elif primitive.kind is PrimitiveKind.BALL:
        S = np.zeros((6, 3))
        S[:3] = -np.eye(3) if body.reversed else X_step.R.T
    else:
        S = np.zeros((6, 6))
        S[:3, 3:] = S[3:, :3] = X_step.R.T
    return S, slice(start, start + S.shape[1])


def _motion_transforms(X_AB: Sequence[Pose]) -> Array:
    """Return the matrices that transform motions from frame A to frame B, shape (n, 6, 6)."""
    R_BA = np.array([X.R for X in X_AB]).reshape(-1, 3, 3).transpose(0, 2, 1)
    X = np.zeros((len(X_AB), 6, 6))
    X[:, :3, :3] = X[:, 3:, 3:] = R_BA
    X[:, 3:, :3] = -R_BA @ _skews(np.array([X.p for X in X_AB]))
    return X


def _matrices(inertias: Sequence[SpatialInertia]) -> Array:
    """Return the spatial inertias about the origins of their frames, shape (n, 6, 6)."""
    masses = np.array([inertia.mass for inertia in inertias])[:, None, None]
    S = _skews(np.array([inertia.p_LLcm for inertia in inertias]))
    I = np.zeros((len(inertias), 6, 6))  # noqa: E741
    I[:, :3, :3] = (
        np.array([inertia.I_Lcm for inertia in inertias]).reshape(-1, 3, 3) - masses * S @ S
    )
    I[:, :3, 3:], I[:, 3:, :3] = masses * S, -masses * S
    I[:, 3:, 3:] = masses * np.eye(3)
    return I


def _skews(vectors: Array) -> Array:
    """Return the matrices of the cross products with vectors, shape (n, 3, 3)."""
    x, y, z = vectors.reshape(-1, 3).T
    S = np.zeros((len(x), 3, 3))
    S[:, 0, 1], S[:, 0, 2], S[:, 1, 2] = -z, y, -x
    S[:, 1, 0], S[:, 2, 0], S[:, 2, 1] = z, -y, x
    return S


def _cross(V: Array) -> Array:
    """Return the matrix of ``V x`` on motions, shape (6, 6); on forces it is the negative
    transpose.
    """
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = skew(V[:3])
    X[3:, :3] = skew(V[3:])
    return X


MAX_DOFS = 1000
"""Largest number of velocities for which the mass matrix is computed: its inverse takes cubic
time."""


@dataclass(frozen=True, eq=False)
class MassMatrixAtZero:
    """The mass matrix at the zero configuration.

    Attributes:
        matrix: The mass matrix, shape (nv, nv), read-only.
    """

    matrix: Array

    @cached_property
    def inverse(self) -> Array | None:
        """The inverse mass matrix, shape (nv, nv); None if the matrix is singular or not finite."""
        if not np.all(np.isfinite(self.matrix)):
            return None
        try:
            return np.asarray(np.linalg.inv(self.matrix), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None

    @cached_property
    def pseudo_inverse(self) -> Array | None:
        """The inverse, or the pseudo-inverse of a singular matrix; None if the matrix is not
        finite.
        """
        if self.inverse is not None or not np.all(np.isfinite(self.matrix)):
            return self.inverse
        return np.asarray(np.linalg.pinv(self.matrix, hermitian=True), dtype=np.float64)
