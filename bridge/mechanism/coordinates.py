"""Positions and velocities of joints and primitives, the poses of bodies at them, and couplings.

One convention holds everywhere. Positions: hinge, slide and screw have one number; universal and
revolute2 two angles; planar ``x, y, theta``; ball a quaternion ``w x y z`` of the child's joint
frame in the parent's; free ``x y z qw qx qy qz`` of the link in the world. Velocities are the rates
of these, except that a ball has the angular velocity of the child in the parent, in the parent's
joint frame, and a free link ``vx vy vz wx wy wz`` of its origin, in the world.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from bridge.mechanism.bodies import ROOT, Body, DofCoupling, Primitive, PrimitiveKind
from loaders.model import JointAxis, JointType, Keyframe
from loaders.pose import IDENTITY, Array, Pose, frozen, quaternion_to_matrix, rotation_about
from loaders.scene import Scene
from loaders.text import counted, unknown_name

Position = float | Sequence[float]
"""Position or velocity of one joint as a user gives it, in the convention of its type."""
Coordinates = tuple[float, ...]
"""Position or velocity of one joint, or of one primitive, as numbers."""
_REACH_OF_HINGE, _REACH_OF_SLIDE = math.pi, 0.5
"""Largest displacement of a joint without limits in a random position [rad or m]."""


def kind_of(body: Body) -> PrimitiveKind | None:
    """Return `PrimitiveKind.BALL` or `PrimitiveKind.FREE` if the body has that primitive, else
    None.
    """
    kind = body.primitives[0].kind if body.primitives else None
    return kind if kind is PrimitiveKind.BALL or kind is PrimitiveKind.FREE else None


def scalar_joints(bodies: Iterable[Body]) -> dict[str, Body]:
    """Return the bodies on hinges and slides, by joint: they have as many positions as
    velocities.
    """
    return {
        body.joint: body
        for body in bodies
        if body.joint is not None and body.primitives and kind_of(body) is None
    }


def coordinate_limits(body: Body, dof: int) -> tuple[float, float]:
    """Return the limits of one coordinate of a joint [rad or m]."""
    stated = (p.limits for p in body.primitives if p.dof_index == dof and p.limits is not None)
    axis = next(stated, None)
    if axis is None or axis.lower > axis.upper:
        return -math.inf, math.inf
    return axis.lower, axis.upper


def floating_joint_names(scene: Scene, bodies: Iterable[Body]) -> dict[str, str]:
    """Return the name in the mechanism of each floating joint of a scene; empty if the mechanism
    fixes its link.

    Args:
        scene: The scene.
        bodies: The bodies of the mechanism.
    """
    free = {body.name: str(body.joint) for body in bodies if kind_of(body) is PrimitiveKind.FREE}
    return {
        joint.name: free.get(joint.child, "")
        for joint in scene.joints
        if joint.type is JointType.FLOATING
    }


def keyframes_by_joint(scene: Scene, bodies: Sequence[Body]) -> tuple[Keyframe, ...]:
    """Return the keyframes of a scene with the names that joints have in the mechanism.

    A floating joint has the name of the joint of its free link; that of a link that the mechanism
    fixes is left out.

    Args:
        scene: The scene.
        bodies: The bodies of the mechanism.
    """
    names = floating_joint_names(scene, bodies)
    keyframes = []
    for keyframe in scene.keyframes:
        joints = [names.get(joint, joint) for joint in keyframe.joints]
        kept = [i for i, name in enumerate(joints) if name]
        velocities = keyframe.velocities
        keyframes.append(
            replace(
                keyframe,
                joints=tuple(joints[i] for i in kept),
                positions=tuple(keyframe.positions[i] for i in kept),
                velocities=tuple(velocities[i] for i in kept) if velocities else (),
            )
        )
    return tuple(keyframes)


def default_position(body: Body) -> Coordinates:
    """Return the position of the body's joint in the scene."""
    kind = kind_of(body)
    if kind is PrimitiveKind.FREE:
        return tuple(body.link.X_WL.to_vector())
    if kind is PrimitiveKind.BALL:
        return (1.0, 0.0, 0.0, 0.0)
    return (0.0,) * body.nv


def positions_by_body(bodies: Sequence[Body], q: Mapping[str, Position]) -> list[Coordinates]:
    """Return the position of each body's joint, quaternions of unit length; loops may stay open.

    Args:
        bodies: The bodies of the mechanism.
        q: Positions by joint; joints that are not given have their defaults.

    Raises:
        ValueError: for an unknown joint, and for a position of the wrong size or that is not
        finite.
    """
    given = _given(bodies, q, lambda body: POSITION_SIZES.get(kind_of(body), body.nv))
    return [given[i] if i in given else default_position(b) for i, b in enumerate(bodies)]


def velocities_by_body(bodies: Sequence[Body], v: Mapping[str, Position]) -> list[Coordinates]:
    """Return the velocity of each body's joint.

    Args:
        bodies: The bodies of the mechanism.
        v: Velocities by joint; joints that are not given have zero.

    Raises:
        ValueError: for an unknown joint, and for a velocity of the wrong size or that is not
        finite.
    """
    given = _given(bodies, v, lambda body: body.nv)
    return [given.get(i, (0.0,) * body.nv) for i, body in enumerate(bodies)]


POSITION_SIZES: dict[PrimitiveKind | None, int] = {PrimitiveKind.FREE: 7, PrimitiveKind.BALL: 4}
"""Number of coordinates of joints that have more of them than velocities."""


def _given(
    bodies: Sequence[Body], values: Mapping[str, Position], size: Callable[[Body], int]
) -> dict[int, Coordinates]:
    """Return what was given of joints by the index of their bodies."""
    index = joint_index(bodies)
    check_names(values, index, bodies)
    given: dict[int, Coordinates] = {}
    for name, value in values.items():
        numbers = checked_numbers(name, size(bodies[index[name]]), value)
        given[index[name]] = _normalized(numbers) if len(numbers) in {4, 7} else numbers
    return given


def positions_of(bodies: Iterable[Body], q: Mapping[str, Position]) -> dict[str, Position]:
    """Return the positions of the joints of some bodies, of those of a larger mechanism.

    Args:
        bodies: The bodies.
        q: Positions by joint.
    """
    names = {body.joint for body in bodies}
    return {name: position for name, position in q.items() if name in names}


def check_mapping(given: object) -> None:
    """Raise an error if positions, velocities or efforts are not a mapping by name of joint.

    Args:
        given: What the caller passed.

    Raises:
        TypeError: if it is no mapping.
    """
    if not isinstance(given, Mapping):
        what = f"{given!r:.60}".replace("\n", " ")
        raise TypeError(
            f"expected a mapping by name of joint, such as {{'elbow': 0.3}}, not {what}"
        )


def check_names(
    given: Mapping[str, object], known: Collection[str], bodies: Iterable[Body]
) -> None:
    """Raise an error if an argument is not a mapping by name of joints that can move.

    Args:
        given: Positions, velocities or efforts by joint.
        known: Names of all joints.
        bodies: The bodies of the mechanism.

    Raises:
        TypeError: if ``given`` is no mapping by name.
        UnknownNameError: for an unknown joint, which is a `ValueError`.
    """
    check_mapping(given)
    if all(name in known for name in given):
        return
    movable = {name for body in bodies if body.nv for name in _names(body)}
    unknown = next(name for name in given if name not in known)
    raise unknown_name("joint", unknown, sorted(movable & set(known)))


def checked_numbers(name: str, size: int, value: Position) -> Coordinates:
    """Return the numbers of a position, velocity or effort of a joint.

    Args:
        name: Name of the joint.
        size: How many numbers it takes.
        value: What was given.

    Raises:
        ValueError: if it is of the wrong size or not finite.
    """
    numbers = _numbers(value)
    if len(numbers) != size or not all(map(math.isfinite, numbers)):
        raise ValueError(wrong_value(name, size, value))
    return numbers


def wrong_value(name: str, size: int, value: object) -> str:
    """Return the text of an error about a value of the wrong size, or that is not finite.

    Args:
        name: Name of the joint.
        size: How many numbers it takes.
        value: What was given.
    """
    if not size:
        return f"joint {name!r} is fixed and takes no value, not {value!r}"
    return f"joint {name!r} needs {counted(size, 'finite number')}, not {value!r}"


_NO_NUMBERS = "USb"
"""Kinds of arrays of NumPy that hold words or truth values."""


def _names(body: Body) -> tuple[str, ...]:
    """Return the names of a body's joint."""
    source = () if body.source is None else (body.source.name,)
    return source if body.joint is None else (*source, body.joint)


def _numbers(value: Position) -> Coordinates:
    """Return the numbers of a position; none if it is something else, such as a word or a truth
    value.
    """
    if isinstance(value, float):
        return (float(value),)
    try:
        given = np.atleast_1d(np.asarray(value))
        return (
            () if given.dtype.kind in _NO_NUMBERS else tuple(map(float, given.astype(np.float64)))
        )
    except (TypeError, ValueError):
        return ()


def _normalized(position: Coordinates) -> Coordinates:
    """Return a position whose quaternion, the last four numbers, has unit length."""
    length = float(np.linalg.norm(position[-4:]))
    if length == 0.0:
        raise ValueError("invalid quaternion: all components are zero")
    return (*position[:-4], *(c / length for c in position[-4:]))


def joint_index(bodies: Sequence[Body]) -> dict[str, int]:
    """Return the index of each joint's body by the joint's name; a floating joint has its own name
    and its link's.
    """
    index = {body.source.name: i for i, body in enumerate(bodies) if body.source is not None}
    return index | {body.joint: i for i, body in enumerate(bodies) if body.joint is not None}


def primitive_positions(body: Body, position: Coordinates) -> tuple[Coordinates, ...]:
    """Return the displacement of each primitive: M in F for a ball, the link in the world for a
    free body.

    Args:
        body: The body.
        position: Position, or velocity, of its joint.
    """
    kind = kind_of(body)
    if kind is PrimitiveKind.BALL and body.reversed:
        w, x, y, z = position
        return ((w, -x, -y, -z),)
    if kind is not None:
        return (position,)
    return tuple((p.ratio * position[p.dof_index],) for p in body.primitives)


def joint_position(body: Body, displacements: Sequence[Coordinates]) -> Coordinates:
    """Return the joint's position for given displacements of its primitives: the inverse of
    `primitive_positions`.

    Where a hinge and a slide share a coordinate, as in a screw, that of the hinge counts.

    Args:
        body: The body.
        displacements: Displacement of each primitive.
    """
    kind = kind_of(body)
    if kind is PrimitiveKind.BALL and body.reversed:
        w, x, y, z = displacements[0]
        return (w, -x, -y, -z)
    if kind is not None:
        return displacements[0]
    if len(body.primitives) == 1:
        (displacement,), ratio = displacements[0], body.primitives[0].ratio
        return (displacement / ratio if ratio else 0.0,)
    position = [0.0] * body.nv
    pairs = zip(body.primitives, displacements, strict=True)
    for p, (displacement,) in sorted(pairs, key=lambda pair: pair[0].kind is PrimitiveKind.HINGE):
        if p.ratio:
            position[p.dof_index] = displacement / p.ratio
    return tuple(position)


def random_position(body: Body, rng: np.random.Generator) -> Coordinates:
    """Return a random position of the body's joint within its limits.

    A free body is within 1 m of the origin in each direction; every orientation of it, and of a
    ball joint, is equally likely. The range of a joint with infinite limits is as long as that from
    -pi to pi rad, or from -0.5 to 0.5 m.

    Args:
        body: The body.
        rng: Source of the random numbers.
    """
    kind = kind_of(body)
    if kind is not None:
        w = rng.normal(size=4)
        quaternion = (w / np.linalg.norm(w)).tolist()
        return tuple(
            quaternion
            if kind is PrimitiveKind.BALL
            else [*rng.uniform(-1.0, 1.0, 3).tolist(), *quaternion]
        )
    position = [0.0] * body.nv
    for primitive in body.primitives:
        is_hinge = primitive.kind is PrimitiveKind.HINGE
        lowest, highest = finite_range(primitive.limits, is_hinge=is_hinge)
        position[primitive.dof_index] = float(rng.uniform(lowest, highest))
    return tuple(position)


def dof_range(bodies: Sequence[Body], dof: int) -> tuple[float, float]:
    """Return the `finite_range` of a coordinate of a hinge or slide.

    Args:
        bodies: The bodies of the mechanism.
        dof: Index of its velocity.
    """
    primitives = ((body.v_start + p.dof_index, p) for body in bodies for p in body.primitives)
    primitive = next(p for index, p in primitives if index == dof)
    return finite_range(primitive.limits, is_hinge=primitive.kind is PrimitiveKind.HINGE)


def finite_range(axis: JointAxis | None, *, is_hinge: bool) -> tuple[float, float]:
    """Return the limits of an axis; if one is infinite, a range at the finite one that is as long
    as from -pi to pi rad, or from -0.5 to 0.5 m.

    Args:
        axis: The axis; None has no limits.
        is_hinge: Whether it is an axis of rotation.
    """
    reach = _REACH_OF_HINGE if is_hinge else _REACH_OF_SLIDE
    if axis is None or axis.lower > axis.upper:
        return -reach, reach
    if math.isfinite(axis.lower) and math.isfinite(axis.upper):
        center, half = (axis.lower + axis.upper) / 2.0, (axis.upper - axis.lower) / 2.0
        half = min(half, 2.0 * reach)
        return center - half, center + half
    return max(axis.lower, min(-reach, axis.upper - reach)), min(
        axis.upper, max(reach, axis.lower + reach)
    )


class Coupled(Protocol):
    """A mechanism with coupled joints, as `bridge.Mechanism` is."""

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies."""

    @property
    def couplings(self) -> tuple[DofCoupling, ...]:
        """The couplings."""

    @property
    def v_order(self) -> tuple[tuple[str, int], ...]:
        """Joint and component of each velocity."""


def with_followers(
    mechanism: Coupled, given: Mapping[str, Position], *, at: Mapping[str, Position] | None = None
) -> dict[str, Position]:
    """Return ``given`` and the values of all joints that follow from it through couplings.

    Given values are never changed. Ball and free joints neither lead nor follow.

    Args:
        mechanism: The mechanism that has the couplings.
        given: Positions or velocities by joint; or arrays of n of them, as for
            `bridge.Mechanism.batched_link_poses`.
        at: Positions by joint at which ``given`` are velocities; None if these are positions.
            Joints that are not in it are at zero.

    Raises:
        TypeError: if ``given`` is no mapping.
        ValueError: if the value of a leader is no number, or has the wrong size.
    """
    check_mapping(given)
    values: dict[str, Position] = dict(given)
    if not mechanism.couplings:
        return values
    turning = {body.joint for body in mechanism.bodies if kind_of(body) is not None}
    sizes = Counter(name for name, _ in mechanism.v_order)
    pending = list(mechanism.couplings)
    while pending:
        waiting = []
        for coupling in pending:
            follower, f = mechanism.v_order[coupling.follower]
            leader, k = mechanism.v_order[coupling.leader]
            if follower in given or turning & {leader, follower}:
                continue
            if leader not in values:
                waiting.append(coupling)
                continue
            value = _component(leader, values[leader], sizes[leader], k)
            if at is None:
                value = coupling.at(value)
            else:
                place = at.get(leader, (0.0,) * sizes[leader])
                value = coupling.at(_component(leader, place, sizes[leader], k), 1) * value
            values[follower] = _with_component(values.get(follower), sizes[follower], f, value)
        if len(waiting) == len(pending):
            break
        pending = waiting
    return values


def scalar_positions(bodies: Sequence[Body], positions: Sequence[Coordinates]) -> Array:
    """Return the position of each coordinate of a hinge or slide, and zero for balls and free
    bodies, shape (nv,), in the order of the velocities.

    Args:
        bodies: The bodies of the mechanism.
        positions: Position of each body's joint.
    """
    values = np.zeros(sum(body.nv for body in bodies))
    for body, position in zip(bodies, positions, strict=True):
        if kind_of(body) is None and body.nv:
            values[body.v_start : body.v_start + body.nv] = position
    return values


def independent_motions(mechanism: Coupled, positions: Sequence[Coordinates]) -> Array:
    """Return the velocities that couplings allow at a position, as columns that span all of them,
    shape (nv, n): tangents of the laws.

    Args:
        mechanism: The mechanism that has the couplings.
        positions: Position of each body's joint.
    """
    G = np.eye(len(mechanism.v_order))
    values = scalar_positions(mechanism.bodies, positions)
    for _ in mechanism.couplings:  # a leader may follow another joint
        for coupling in mechanism.couplings:
            G[coupling.follower] = coupling.at(values[coupling.leader], 1) * G[coupling.leader]
    followers = {coupling.follower for coupling in mechanism.couplings}
    return G[:, [k for k in range(len(G)) if k not in followers]]


def leading_positions(mechanism: Coupled) -> dict[str, Coordinates]:
    """Return the initial positions from which `with_followers` finds all others that are not zero.

    They are the default positions that the source states, and the positions of all joints that
    others follow and that follow none.

    Args:
        mechanism: The mechanism that has the couplings.
    """
    leaders = {mechanism.v_order[coupling.leader][0] for coupling in mechanism.couplings}
    leaders -= {mechanism.v_order[coupling.follower][0] for coupling in mechanism.couplings}
    q: dict[str, Coordinates] = {}
    for body in mechanism.bodies:
        if body.joint is not None and body.source is not None and body.primitives:
            stated = body.source.default_position
            if stated or body.joint in leaders:
                q[body.joint] = stated or default_position(body)
    return q


def initial_positions(mechanism: Coupled) -> dict[str, Position]:
    """Return the positions in which the model starts, as far as they are not zero; they may be
    beyond limits.

    Args:
        mechanism: The mechanism that has the joints and couplings.
    """
    return with_followers(mechanism, leading_positions(mechanism))


def all_positions(mechanism: Coupled, given: Mapping[str, Position]) -> dict[str, Position]:
    """Return the position of every joint: as given, as couplings require, or zero; a free body is
    where its link is.

    Args:
        mechanism: The mechanism that has the joints and couplings.
        given: Positions by joint.

    Raises:
        ValueError: for an unknown joint, and for a position of the wrong size or that is not
        finite.
    """
    by_body = positions_by_body(mechanism.bodies, with_followers(mechanism, given))
    return {
        str(body.joint): q
        for body, q in zip(mechanism.bodies, by_body, strict=True)
        if body.primitives
    }


def _component(name: str, value: Position, size: int, k: int) -> Array:
    """Return one number of a joint's value, shape (), or of n values, shape (n,)."""
    given = np.asarray(value)
    is_wrong = value is None or given.dtype.kind in _NO_NUMBERS
    if is_wrong or (size > 1 and given.shape[-1:] != (size,)):
        raise ValueError(wrong_value(name, size, value))
    numbers = given.astype(np.float64)
    if size == 1:
        return numbers.reshape(-1)[0] if numbers.size == 1 else numbers
    return np.asarray(numbers[..., k])


def _with_component(value: Position | None, size: int, k: int, component: Array) -> Position:
    """Return a joint's value, or n values, with another number in one place; None is zero."""
    numbers = np.zeros((*np.shape(component), size))
    if value is not None:
        numbers += np.reshape(
            np.asarray(value, dtype=np.float64), (-1, size) if numbers.ndim > 1 else size
        )
    numbers[..., k] = component
    return tuple((numbers[..., 0] if size == 1 and numbers.ndim > 1 else numbers).tolist())


AXIAL = (PrimitiveKind.HINGE, PrimitiveKind.SLIDE)
"""Primitives with one axis and one displacement along or about it."""


def poses(bodies: Sequence[Body], positions: Sequence[Coordinates]) -> list[Pose]:
    """Return ``X_WB`` of each body.

    Args:
        bodies: The bodies of the mechanism.
        positions: Position of each body's joint.
    """
    X_WB: list[Pose] = []
    for body, position in zip(bodies, positions, strict=True):
        X_WP = IDENTITY if body.parent == ROOT else X_WB[body.parent]
        X_WB.append(X_WP @ relative_pose(body, position))
    return X_WB


def relative_pose(body: Body, position: Coordinates) -> Pose:
    """Return ``X_PB`` at a position of the body's joint."""
    X_FM = IDENTITY
    for primitive, displacement in zip(
        body.primitives, primitive_positions(body, position), strict=True
    ):
        X_FM = X_FM @ displaced(primitive, displacement)
    return body.X_PF @ X_FM @ body.X_BM.inverse()


def displaced(primitive: Primitive, displacement: Coordinates) -> Pose:
    """Return the transform of one primitive at a displacement."""
    if primitive.kind in AXIAL and not displacement[0]:
        return IDENTITY
    if primitive.kind is PrimitiveKind.HINGE:
        return Pose(frozen(rotation_about(primitive.axis, displacement[0])), IDENTITY.p)
    if primitive.kind is PrimitiveKind.SLIDE:
        return Pose(IDENTITY.R, frozen(primitive.axis * displacement[0]))
    if primitive.kind is PrimitiveKind.BALL:
        return Pose(frozen(quaternion_to_matrix(displacement)), IDENTITY.p)
    return Pose.from_vector(displacement)


def joint_coefficients(bodies: Sequence[Body], coefficient: Callable[[JointAxis], float]) -> Array:
    """Return a coefficient of the joints for each velocity, shape (nv,); zero for free joints and
    those without axis.

    Args:
        bodies: The bodies of the mechanism.
        coefficient: Function that returns the coefficient of an axis, such as its damping.
    """
    coefficients = np.zeros(sum(body.nv for body in bodies))
    for body in bodies:
        for p in body.primitives:
            if p.limits is not None and p.kind is not PrimitiveKind.FREE:
                start = body.v_start + p.dof_index
                coefficients[start : start + (3 if p.kind is PrimitiveKind.BALL else 1)] = (
                    coefficient(p.limits)
                )
    return coefficients
