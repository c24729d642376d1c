"""State of a body, efforts for one step, and links split across bodies.

PyBullet reports the pose of a link's frame in single precision but that of its inertial frame I in
double precision, hence ``X_WS = X_WI @ X_SI.inverse()``. It stores the quaternion and velocity of a
ball joint in the inertial frame of its link: ``R_SI.T @ R_FM @ R_SI``, and ``R_SI.T @ w_FM`` with
the velocity expressed in M.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, BodyConnection, Primitive
from bridge.mechanism.coordinates import (
    Coordinates,
    Position,
    check_names,
    checked_numbers,
    default_position,
    joint_index,
    joint_position,
    kind_of,
    primitive_positions,
    velocities_by_body,
    with_followers,
)
from bridge.mechanism.force_laws import FrameMotion
from bridge.mechanism.kinematics import closing_position, parts
from loaders.deferred import cached_property
from loaders.inertia import SpatialInertia
from loaders.model import TendonConstraint
from loaders.pose import IDENTITY, Array, Pose, matrix_to_quaternion, quaternion_to_matrix
from loaders.text import card, counted, table, unknown_name

from .articulation import Articulation
from .client import BASE, Client

_FLOATS = np.dtype(np.float64)
Quaternion = tuple[float, float, float, float]
Value = float | Coordinates
"""Position or velocity of a joint: a number for a single degree of freedom, otherwise a tuple."""


def pose_from(position: Sequence[float], xyzw: Sequence[float]) -> Pose:
    """Return a pose from a position and a quaternion ``x y z w``, as PyBullet gives them."""
    x, y, z, w = xyzw
    return Pose.of(quaternion_to_matrix((w, x, y, z)), position)


def pose_of(
    position: Sequence[float],
    xyzw: Sequence[float],
    names: tuple[str, str] = ("position", "orientation"),
) -> Pose:
    """Return a pose from a position and a quaternion ``x y z w`` that a user gives.

    Args:
        position: The position [m].
        xyzw: The quaternion.
        names: What both are called in messages.

    Raises:
        ValueError: if a number is missing, superfluous or not finite, or if the quaternion is zero.
    """
    p = numbers(names[0], position, "x, y, z")
    q = numbers(names[1], xyzw, "a quaternion x, y, z, w")
    if math.hypot(*q) < 1e-9:
        raise ValueError(
            f"invalid {names[1]} {tuple(q)}: a quaternion of zeros does not represent a rotation; "
            "the identity is [0, 0, 0, 1], and pybullet.getQuaternionFromEuler converts angles"
        )
    return pose_from(p, q)


def numbers(name: str, values: Sequence[float], expected: str) -> list[float]:
    """Return finite numbers that a user gives.

    Args:
        name: What they are called in messages.
        values: The numbers.
        expected: What is expected, with a comma between two numbers.

    Raises:
        ValueError: if a number is missing, superfluous or not finite.
    """
    try:
        if any(isinstance(value, str) for value in values):
            raise TypeError("a word is no number")
        found = [float(value) for value in values]
    except (TypeError, ValueError) as error:
        raise ValueError(f"invalid {name} {values!r}; expected {expected}") from error
    if len(found) != expected.count(",") + 1 or not all(map(math.isfinite, found)):
        raise ValueError(f"invalid {name} {tuple(found)}; expected {expected}")
    return found


def quaternion_of(R: Array) -> tuple[float, float, float, float]:
    """Return the quaternion ``x y z w`` of a rotation matrix, as PyBullet takes it."""
    w, x, y, z = matrix_to_quaternion(R)
    return x, y, z, w


class Axis(NamedTuple):
    """A degree of freedom that one hinge or slide of PyBullet measures and drives."""

    joint: int
    """PyBullet's index of the joint."""
    ratio: float
    """Displacement of PyBullet's joint for one unit of the degree of freedom."""
    limit: float
    """Effort limit of the joint and of its actuators [N or N m]; infinite without one."""


class Span(NamedTuple):
    """The place of one joint, or of a free base, in the arrays of a body."""

    name: str
    body: Body
    segments: tuple[int, ...]
    q: slice
    v: slice


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The order of the positions, velocities and efforts of one body in arrays."""

    spans: dict[int, Span]
    """Every joint with degrees of freedom, by the index of its body, in order."""
    axes: tuple[Axis, ...]
    """The degrees of freedom of hinges and slides, in order."""
    others: tuple[tuple[int, Span], ...]
    """The free base and the ball joints, each with the number of axes before it."""
    by_name: dict[str, Axis]
    """The axis of each joint that has one."""
    scalars: dict[int, tuple[int, float]]
    """PyBullet's index and the ratio of each joint that is one hinge or slide, by the index of its
    body."""
    indices: tuple[int, ...]
    """PyBullet's indices of the axes."""
    ratios: tuple[float, ...] | None
    """One divided by the ratio of each axis; None if all are 1."""
    safe_square: float
    """Square of the smallest effort limit."""
    is_plain: bool
    """Whether there are axes, and all have the numbers of PyBullet's hinges and slides."""
    is_direct: bool
    """Whether each hinge and slide is an axis of its own."""
    shape: tuple[int]
    """Shape of the velocities and efforts."""
    q_order: tuple[tuple[str, int], ...]
    """Joint and component of each position."""

    @classmethod
    def of(cls, articulation: Articulation) -> Layout:
        """Return the order of the joints of an articulation: that of its mechanism."""
        mechanism = articulation.mechanism
        spans, axes, others = dict[int, Span](), list[Axis](), list[tuple[int, Span]]()
        by_name: dict[str, Axis] = {}
        nq = nv = 0
        for i, body in enumerate(mechanism.bodies):
            if not body.primitives:
                continue
            segments, size = articulation.joint_segments[i], len(default_position(body))
            places = slice(nq, nq + size), slice(nv, nv + body.nv)
            span = spans[i] = Span(str(body.joint), body, segments, *places)
            nq, nv = nq + size, nv + body.nv
            if kind_of(body) is not None:
                others.append((len(axes), span))
                continue
            own = _axes(articulation, body, segments)
            axes += own
            if len(own) == 1:
                by_name[span.name] = own[0]
        is_unscaled = all(axis.ratio == 1.0 for axis in axes)
        inverse = tuple(1.0 / axis.ratio if axis.ratio else 0.0 for axis in axes)
        return cls(
            spans=spans,
            axes=tuple(axes),
            others=tuple(others),
            by_name=by_name,
            scalars={
                i: (span.segments[0], span.body.primitives[0].ratio)
                for i, span in spans.items()
                if len(span.segments) == 1 and kind_of(span.body) is None
            },
            indices=tuple(axis.joint for axis in axes),
            ratios=None if is_unscaled else inverse,
            safe_square=min((axis.limit for axis in axes), default=math.inf) ** 2,
            is_plain=is_unscaled and bool(axes),
            is_direct=len(axes)
            == sum(len(span.segments) for span in spans.values() if kind_of(span.body) is None),
            shape=(nv,),
            q_order=q_order(mechanism),
        )


def _axes(articulation: Articulation, body: Body, segments: tuple[int, ...]) -> list[Axis]:
    """Return the degrees of freedom of a body on hinges and slides, in order.

    Where a hinge and a slide share one, as in a screw, it is that of the hinge.
    """
    primary = {
        primitive.dof_index: (index, primitive)
        for index, primitive in zip(segments, body.primitives, strict=True)
        if articulation.segments[index + 1].is_primary
    }
    return [
        Axis(index, primitive.ratio, _effort_limit(articulation.mechanism, body, primitive))
        for _, (index, primitive) in sorted(primary.items(), key=lambda item: item[0])
    ]


@dataclass(frozen=True, eq=False)
class State:
    """Reads and writes the state of one PyBullet body."""

    client: Client
    body: int
    articulation: Articulation
    layout: Layout
    names: tuple[bytes, bytes]
    """PyBullet's names of the base and of the body."""

    @cached_property
    def p_SI(self) -> Coordinates:
        """Origin of the inertial frame I of the base, in which PyBullet expresses its pose."""
        p_SI: Coordinates = self.client.getDynamicsInfo(self.body, BASE)[3]
        return p_SI

    @cached_property
    def q_SI(self) -> Coordinates:
        """Quaternion ``w x y z`` of the inertial frame of the base in the base."""
        x, y, z, w = self.client.getDynamicsInfo(self.body, BASE)[4]
        return w, x, y, z

    @cached_property
    def q_IS(self) -> Coordinates:
        """Quaternion ``w x y z`` of the base in its inertial frame."""
        w, x, y, z = self.q_SI
        return w, -x, -y, -z

    @cached_property
    def identify(self) -> Callable[[], tuple[bytes, bytes]]:
        """Function that returns the present names of the base and of the body with this id."""
        return partial(self.client.modes.getBodyInfo, self.body, self.client.id)

    @cached_property
    def parameters(self) -> Callable[[], Mapping[str, Any]]:
        """Function that returns the parameters of the physics server."""
        return partial(self.client.modes.getPhysicsEngineParameters, self.client.id)

    @cached_property
    def step(self) -> Callable[[], object]:
        """Function that steps the whole simulation."""
        return partial(self.client.modes.stepSimulation, self.client.id)

    @cached_property
    def joint_states(self) -> Callable[[], Sequence[Any]]:
        """Function that returns PyBullet's states of all axes."""
        ask = self.client.modes.getJointStates
        return partial(ask, self.body, self.layout.indices, self.client.id)

    @cached_property
    def base_states(self) -> tuple[Callable[[], Any], Callable[[], Any]]:
        """Functions that return PyBullet's pose and velocity of the base."""
        modes, own = self.client.modes, (self.body, self.client.id)
        asked = modes.getBasePositionAndOrientation, modes.getBaseVelocity
        return partial(asked[0], *own), partial(asked[1], *own)

    @cached_property
    def command(self) -> Callable[..., None]:
        """Function that applies forces to all axes for one step."""
        modes, indices = self.client.modes, self.layout.indices
        fixed = self.body, indices, modes.TORQUE_CONTROL
        return partial(modes.setJointMotorControlArray, *fixed, physicsClientId=self.client.id)

    def __repr__(self) -> str:
        links = counted(len(self.articulation.segments), "link")
        return f"<State of PyBullet body {self.body}: {links}>"

    def _repr_html_(self) -> str:
        velocities = self.velocities()
        rows = [
            (name, _short_text(q), _short_text(velocities[name]))
            for name, q in self.positions().items()
        ]
        title = f"State of PyBullet body {self.body}"
        return card(title, (), table(("joint", "position [rad, m]", "velocity [rad/s, m/s]"), rows))

    def gravity(self) -> list[float]:
        """Return the present gravity of the physics server [m/s^2]."""
        parameters = self.parameters()
        return [parameters[f"gravityAcceleration{axis}"] for axis in "XYZ"]

    # --- frames -----------------------------------------------------------------------------------

    def inertial_pose(self, index: int) -> Pose:
        """Return ``X_SI``, the inertial frame of a segment; PyBullet expresses poses, constraints
        and balls in it.
        """
        info = self.client.getDynamicsInfo(self.body, index)
        return pose_from(info[3], info[4])

    def segment_pose(self, index: int) -> Pose:
        """Return the pose ``X_WS`` of a segment in double precision."""
        if index == BASE:
            X_WI = pose_from(*self.client.getBasePositionAndOrientation(self.body))
            return X_WI @ self.inertial_pose(BASE).inverse()
        state = self.client.getLinkState(self.body, index, computeForwardKinematics=True)
        return pose_from(state[0], state[1]) @ pose_from(state[2], state[3]).inverse()

    def segment_motion(self, index: int) -> tuple[Array, Array, Array]:
        """Return position and velocity of a segment's center of mass, and its angular velocity, in
        the world.
        """
        if index == BASE:
            p, (v, w) = (
                self.client.getBasePositionAndOrientation(self.body)[0],
                self.client.getBaseVelocity(self.body),
            )
        else:
            state = self.client.getLinkState(
                self.body, index, computeLinkVelocity=True, computeForwardKinematics=True
            )
            p, v, w = state[0], state[6], state[7]
        return np.array(p), np.array(v), np.array(w)

    def link_pose(self, name: str) -> Pose:
        """Return the pose ``X_WL`` of a link of the scene.

        Raises:
            ValueError: if the body has no such link.
        """
        if name not in self.articulation.link_segments:
            raise unknown_name("link", name, self.articulation.link_segments)
        index, X_SL = self.articulation.link_segments[name]
        return self.segment_pose(index) @ X_SL

    # --- reading ----------------------------------------------------------------------------------

    def read_positions(self) -> list[float]:
        """Return all positions, in the order of the layout; PyBullet is asked once for all hinges
        and slides.
        """
        layout = self.layout
        q = [state[0] for state in self.joint_states()] if layout.indices else []
        if layout.ratios is not None:
            q = [x * inverse for x, inverse in zip(q, layout.ratios, strict=True)]
        for k, (_, body, segments, *_) in reversed(layout.others):
            q[k:k] = self._ball_motion(body, segments[0])[0] if segments else self._base_place()
        return q

    def read_motion(self) -> tuple[list[float], list[float]]:
        """Return all positions and velocities, in the order of the layout."""
        layout = self.layout
        states = self.joint_states() if layout.indices else ()
        q, v = [state[0] for state in states], [state[1] for state in states]
        if layout.ratios is not None:
            q = [x * inverse for x, inverse in zip(q, layout.ratios, strict=True)]
            v = [x * inverse for x, inverse in zip(v, layout.ratios, strict=True)]
        for k, (_, body, segments, *_) in reversed(layout.others):
            own = self._ball_motion(body, segments[0])[:2] if segments else self.base_motion()
            q[k:k], v[k:k] = own
        return q, v

    def read_efforts(self) -> list[float]:
        """Return the efforts of PyBullet's motors in the last step, in the order of the layout; a
        free base has none.
        """
        layout = self.layout
        efforts = [state[3] for state in self.joint_states()] if layout.indices else []
        if layout.ratios is not None:
            efforts = [x * axis.ratio for x, axis in zip(efforts, layout.axes, strict=True)]
        for k, (_, body, segments, *_) in reversed(layout.others):
            efforts[k:k] = self._ball_motion(body, segments[0])[2] if segments else _NONE
        return efforts

    def positions(self) -> dict[str, Value]:
        """Return the position of every joint with degrees of freedom."""
        q = self.read_positions()
        return {span.name: _value(q[span.q]) for span in self.layout.spans.values()}

    def velocities(self) -> dict[str, Value]:
        """Return the velocity of every joint with degrees of freedom."""
        return self.by_joint(self.read_motion()[1])

    def by_joint(self, values: Sequence[float]) -> dict[str, Value]:
        """Return velocities or efforts in the order of the layout by joint."""
        return {span.name: _value(values[span.v]) for span in self.layout.spans.values()}

    def base_motion(self) -> tuple[Coordinates, Coordinates]:
        """Return the pose of the base, ``x y z qw qx qy qz``, and the velocity of its origin, ``vx
        vy vz wx wy wz``, in the world.
        """
        place = self._base_place()
        (vx, vy, vz), (wx, wy, wz) = self.base_states[1]()
        rx, ry, rz = _rotated(place[3:], self.p_SI)
        v = (vx - wy * rz + wz * ry, vy - wz * rx + wx * rz, vz - wx * ry + wy * rx)
        return place, (*v, wx, wy, wz)

    def _base_place(self) -> Coordinates:
        """Return the pose of the base, ``x y z qw qx qy qz``, in the world."""
        (x, y, z), (qx, qy, qz, qw) = self.base_states[0]()
        q_WS = _product((qw, qx, qy, qz), self.q_IS)
        rx, ry, rz = _rotated(q_WS, self.p_SI)
        return (x - rx, y - ry, z - rz, *q_WS)

    def _ball_motion(self, body: Body, index: int) -> tuple[Coordinates, Coordinates, Coordinates]:
        (x, y, z, w), w_I, _, torque = self.client.getJointStateMultiDof(self.body, index)
        qx, qy, qz, qw = self.client.getDynamicsInfo(self.body, index)[4]
        q_SI = (qw, qx, qy, qz)
        q_FI = _product(q_SI, (w, x, y, z))
        q_FM = _product(q_FI, (qw, -qx, -qy, -qz))
        q, sign = (q_SI, -1.0) if body.reversed else (q_FI, 1.0)
        v = tuple(sign * c for c in _rotated(q, w_I))
        effort = tuple(sign * c for c in _rotated(q, torque))
        return joint_position(body, (q_FM,)), v, effort

    # --- writing ----------------------------------------------------------------------------------

    def set_positions(self, q: Mapping[str, Position] | ArrayLike) -> None:
        """Set the positions of joints and of those coupled to them, at rest; close loops where
        possible.

        Args:
            q: Positions by joint; or all of them, in the order of the layout.

        Raises:
            ValueError: for an unknown joint or a position of the wrong size.
        """
        mechanism = self.articulation.mechanism
        if not isinstance(q, Mapping):
            size, nv = len(self.layout.q_order), self.layout.shape[0]
            self._write_all(checked_array("positions", q, size), [0.0] * nv)
            return
        q = with_followers(mechanism, q)
        if not q and not mechanism.closures:
            return
        moved = _named(mechanism, q)
        by_body = mechanism.positions_by_body(q)
        self._write({i: by_body[i] for i in self.layout.spans if i in moved})
        for part, link in parts(mechanism.bodies, mechanism.closures):
            if part not in moved and part in self.layout.spans:
                self._write({part: self._closing(part, link)})

    def _closing(self, part: int, link: int) -> Coordinates:
        """Return the joint position that makes a part of a link coincide with the link."""
        bodies = self.articulation.mechanism.bodies
        body = bodies[part]
        X_WP = IDENTITY if body.parent == ROOT else self.link_pose(bodies[body.parent].name)
        return closing_position(body, X_WP.inverse() @ self.link_pose(bodies[link].name))

    def set_velocities(self, v: Mapping[str, Position] | ArrayLike) -> None:
        """Set the velocities of joints and of those coupled to them; positions stay.

        Args:
            v: Velocities by joint; or all of them, in the order of the layout.

        Raises:
            ValueError: for an unknown joint or a velocity of the wrong size.
        """
        q = self.read_positions()
        if not isinstance(v, Mapping):
            self.write(q, v)
            return
        mechanism = self.articulation.mechanism
        v = with_followers(mechanism, v, at=self.positions() if mechanism.couplings else {})
        moved = _named(mechanism, v)
        by_body = velocities_by_body(mechanism.bodies, v)
        spans = {i: span for i, span in self.layout.spans.items() if i in moved}
        self._write({i: tuple(q[span.q]) for i, span in spans.items()}, by_body)

    def write(self, q: ArrayLike, v: ArrayLike) -> None:
        """Set all positions and velocities, in the order of the layout.

        Args:
            q: The positions.
            v: The velocities.

        Raises:
            ValueError: for an array of the wrong size or with numbers that are not finite.
        """
        positions = checked_array("positions", q, len(self.layout.q_order))
        self._write_all(positions, checked_array("velocities", v, self.layout.shape[0]))

    def _write_all(self, positions: list[float], rates: list[float]) -> None:
        layout = self.layout
        if layout.is_direct and layout.ratios is None:
            for _, span in reversed(layout.others):
                own = span, tuple(positions[span.q]), tuple(rates[span.v])
                del positions[span.q], rates[span.v]
                self._write_other(*own)
            if layout.indices:
                self.client.resetJointStatesMultiDof(
                    self.body, layout.indices, list(zip(positions)), list(zip(rates))
                )
            return
        self._write(
            {i: tuple(positions[span.q]) for i, span in layout.spans.items()},
            {i: tuple(rates[span.v]) for i, span in layout.spans.items()},
        )

    def _write_other(self, span: Span, position: Coordinates, velocity: Coordinates) -> None:
        """Set the position and the velocity of a free base or of a ball joint."""
        if span.segments:
            self._reset_ball(span.body, span.segments[0], position, np.array(velocity))
        else:
            self._set_base(position, velocity)

    def _write(
        self,
        positions: Mapping[int, Coordinates],
        velocities: Mapping[int, Coordinates] | Sequence[Coordinates] | None = None,
    ) -> None:
        """Set the positions and velocities of some bodies of the mechanism, by index."""
        indices, displacements, rates = list[int](), list[Coordinates](), list[Coordinates]()
        spans, scalars = self.layout.spans, self.layout.scalars
        for i, position in positions.items():
            velocity = None if velocities is None else velocities[i]
            if i in scalars:
                index, ratio = scalars[i]
                indices.append(index)
                displacements.append((ratio * position[0],))
                rates.append((0.0 if velocity is None else ratio * velocity[0],))
                continue
            span = spans[i]
            velocity = (0.0,) * span.body.nv if velocity is None else velocity
            if kind_of(span.body) is not None:
                self._write_other(span, position, velocity)
            else:
                indices += span.segments
                displacements += primitive_positions(span.body, position)
                rates += primitive_positions(span.body, velocity)
        if indices:
            self.client.resetJointStatesMultiDof(self.body, indices, displacements, rates)

    def set_base_motion(self, X_WS: Pose, velocity: Array) -> None:
        """Set the pose of the base and the velocity of its origin, ``vx vy vz wx wy wz``, in the
        world.
        """
        X_WI = X_WS @ self.inertial_pose(BASE)
        self.client.resetBasePositionAndOrientation(
            self.body, X_WI.p.tolist(), quaternion_of(X_WI.R)
        )
        self.set_base_velocity(velocity)

    def _set_base(self, position: Coordinates, velocity: Coordinates) -> None:
        """Set what `set_base_motion` sets, in plain numbers: a loop sets it often."""
        x, y, z, *wxyz = position
        length = math.hypot(*wxyz)
        if length == 0.0:
            raise ValueError(f"invalid position {position}: the quaternion is zero")
        q_WS = [number / length for number in wxyz]
        qw, qx, qy, qz = _product(q_WS, self.q_SI)
        rx, ry, rz = _rotated(q_WS, self.p_SI)
        self.client.resetBasePositionAndOrientation(
            self.body, (x + rx, y + ry, z + rz), (qx, qy, qz, qw)
        )
        if any(velocity):  # else it is at rest: PyBullet's function of the pose stops it
            vx, vy, vz, wx, wy, wz = velocity
            v = (vx + wy * rz - wz * ry, vy + wz * rx - wx * rz, vz + wx * ry - wy * rx)
            self.client.resetBaseVelocity(self.body, v, (wx, wy, wz))

    def set_base_velocity(self, velocity: Array) -> None:
        """Set the velocity of the origin of the base, ``vx vy vz wx wy wz``, in the world."""
        v, w = velocity[:3], velocity[3:]
        _, (x, y, z, qw) = self.client.getBasePositionAndOrientation(self.body)
        v_com = v + np.cross(w, _rotated(_product((qw, x, y, z), self.q_IS), self.p_SI))
        self.client.resetBaseVelocity(self.body, v_com.tolist(), w.tolist())

    def _reset_ball(self, body: Body, index: int, position: Coordinates, w: Array) -> None:
        (wxyz,) = primitive_positions(body, position)
        R_FM, R_SI = quaternion_to_matrix(wxyz), self.inertial_pose(index).R
        w_M = -w if body.reversed else R_FM.T @ w
        self.client.resetJointStateMultiDof(
            self.body, index, quaternion_of(R_SI.T @ R_FM @ R_SI), (R_SI.T @ w_M).tolist()
        )


_NONE = (0.0,) * 6


def _product(p: Sequence[float], q: Sequence[float]) -> Quaternion:
    """Return the product of two quaternions ``w x y z``, with a first number that is not negative;
    in plain numbers, since arrays take five times as long.
    """
    a, b, c, d = p
    w, x, y, z = q
    u = a * w - b * x - c * y - d * z
    sign = -1.0 if u < 0.0 else 1.0
    return (
        sign * u,
        sign * (a * x + b * w + c * z - d * y),
        sign * (a * y - b * z + c * w + d * x),
        sign * (a * z + b * y - c * x + d * w),
    )


def _rotated(q: Sequence[float], p: Sequence[float]) -> Coordinates:
    """Return a vector rotated by a quaternion ``w x y z``."""
    w, a, b, c = q
    x, y, z = p
    s, t, u = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return x + w * s + b * u - c * t, y + w * t + c * s - a * u, z + w * u + a * t - b * s


def checked_array(what: str, values: ArrayLike, size: int) -> list[float]:
    """Return the numbers of an array of positions, velocities or efforts.

    Args:
        what: What they are, for the message.
        values: The array that was given.
        size: How many numbers there must be.

    Raises:
        TypeError: if it is no array of numbers.
        ValueError: if it is of the wrong size or has numbers that are not finite.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" and array.size:
        raise TypeError(
            f"expected a mapping by name of joint, such as {{'elbow': 0.3}}, or an array of "
            f"{size} {what}, not {values!r:.60}"
        )
    if array.shape != (size,):
        raise ValueError(
            f"expected {size} {what} in one array, or a mapping by name of joint, not "
            f"{values!r:.60}"
        )
    numbers: list[float] = array.tolist()
    if not math.isfinite(sum(numbers)) and not all(map(math.isfinite, numbers)):
        raise ValueError(f"{what} must be finite, not {values!r:.60}")
    return numbers


def float_array(what: str, values: ArrayLike, size: int) -> Array:
    """Return an array of positions, velocities or efforts, which is checked as by `checked_array`.

    Args:
        what: What they are, for the message.
        values: The array that was given.
        size: How many numbers there must be.
    """
    is_plain = type(values) is np.ndarray and values.dtype is _FLOATS and values.shape == (size,)
    if isinstance(values, np.ndarray) and is_plain and math.isfinite(values.dot(values)):
        return values
    return np.array(checked_array(what, values, size))


def joint_motion(states: Iterable[State]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Return positions and velocities of the joints of several bodies."""
    q: dict[str, Value] = {}
    v: dict[str, Value] = {}
    for state in states:
        q |= state.positions()
        v |= state.velocities()
    return q, v


def _value(coordinates: Sequence[float]) -> Value:
    return coordinates[0] if len(coordinates) == 1 else tuple(coordinates)


def _named(mechanism: Mechanism, given: Mapping[str, Position]) -> set[int]:
    index = joint_index(mechanism.bodies)
    return {index[name] for name in given if name in index}


def apply_efforts(
    state: State, efforts: Mapping[str, Position] | ArrayLike, *, limited: bool = True
) -> None:
    """Apply joint forces and torques for one step.

    Args:
        state: State of the body that has the joints.
        efforts: Force or torque by joint, in the convention of velocities [N or N m]; or all of
            them, in the order of the layout.
        limited: Whether to clip each effort to the limit of its joint and actuators.

    Raises:
        ValueError: for an unknown joint, and for an effort of the wrong size or that is not finite.
    """
    layout = state.layout
    if (
        limited
        and layout.is_plain
        and type(efforts) is np.ndarray
        and efforts.dtype is _FLOATS
        and efforts.shape == layout.shape
        and efforts.dot(efforts) < layout.safe_square
    ):  # most calls of a loop: finite numbers, none of which needs to be clipped
        values: list[float] = efforts.tolist()
        others = _taken_out(values, layout) if layout.others else []
        state.command(forces=values)
    else:
        indices: Sequence[int] = layout.indices
        if isinstance(efforts, Mapping):
            indices, values, others = _forces_by_name(state, efforts, limited=limited)
        else:
            values = checked_array("efforts", efforts, layout.shape[0])
            others = _taken_out(values, layout)
            values = _forces(values, layout.axes, limited=limited)
        if indices:
            state.client.setJointMotorControlArray(
                state.body, indices, state.client.modes.TORQUE_CONTROL, forces=values
            )
    for span, wrench in others:
        if span.segments:
            _apply_ball_torque(state, span.body, span.segments[0], np.array(wrench))
        else:
            _apply_base_wrench(state, np.array(wrench))


def _taken_out(values: list[float], layout: Layout) -> list[tuple[Span, Coordinates]]:
    """Remove the numbers of free bases and ball joints from those of a layout, and return those
    that are not zero.
    """
    taken: list[tuple[Span, Coordinates]] = []
    for _, span in reversed(layout.others):
        wrench = tuple(values[span.v])
        del values[span.v]
        if any(wrench):
            taken.append((span, wrench))
    return taken


def _forces(efforts: Sequence[float], axes: Sequence[Axis], *, limited: bool) -> list[float]:
    """Return the forces of PyBullet's joints for efforts on axes, clipped to their limits if
    ``limited``.
    """
    clipped = [
        min(max(effort, -axis.limit), axis.limit) if limited else effort
        for effort, axis in zip(efforts, axes, strict=True)
    ]
    return [effort / axis.ratio for effort, axis in zip(clipped, axes, strict=True)]


def _forces_by_name(
    state: State, efforts: Mapping[str, Position], *, limited: bool
) -> tuple[list[int], list[float], list[tuple[Span, Coordinates]]]:
    """Return PyBullet's joints and forces for efforts by joint, and the efforts of free bases and
    ball joints.
    """
    by_name = state.layout.by_name
    indices: list[int] = []
    forces: list[float] = []
    others: list[tuple[Span, Coordinates]] = []
    for name, effort in efforts.items():
        if type(effort) is float and name in by_name and -math.inf < effort < math.inf:
            index, ratio, limit = by_name[name]
            if limited and not -limit <= effort <= limit:
                effort = math.copysign(limit, effort)  # noqa: PLW2901 - the clipped effort
            indices.append(index)
            forces.append(effort / ratio)
            continue
        i, numbers = _checked_effort(state, efforts, name)
        span = state.layout.spans.get(i)
        if span is not None and kind_of(span.body) is not None:
            others += [(span, numbers)] if any(numbers) else []
        elif span is not None:
            axes = _axes(state.articulation, span.body, span.segments)
            indices += [axis.joint for axis in axes]
            forces += _forces(numbers, axes, limited=limited)
    return indices, forces, others


def _checked_effort(
    state: State, efforts: Mapping[str, Position], name: str
) -> tuple[int, Coordinates]:
    bodies = state.articulation.mechanism.bodies
    index = joint_index(bodies)
    check_names(efforts, index, bodies)
    return index[name], checked_numbers(name, bodies[index[name]].nv, efforts[name])


MAX_FORCE = 1e5
"""Largest force or torque of a motor that holds a joint without a limit [N or N m]: PyBullet's own
default."""


def hold(state: State) -> None:
    """Hold every joint at its present position by PyBullet's motors, with its effort limit.

    Args:
        state: State of the body.
    """
    client, layout = state.client, state.layout
    control = client.modes.POSITION_CONTROL
    if layout.indices:
        joints = client.getJointStates(state.body, layout.indices)
        forces = [
            min(axis.limit / abs(axis.ratio), MAX_FORCE) if axis.ratio else 0.0
            for axis in layout.axes
        ]
        client.setJointMotorControlArray(
            state.body,
            layout.indices,
            control,
            targetPositions=[joint[0] for joint in joints],
            forces=forces,
        )
    for _, span in layout.others:
        for index in span.segments:
            target = client.getJointStateMultiDof(state.body, index)[0]
            client.setJointMotorControlMultiDof(
                state.body, index, control, targetPosition=target, force=(MAX_FORCE,) * 3
            )


def impose_velocities(state: State, velocities: Mapping[str, Position]) -> None:
    """Set the motors of hinges and slides to velocities, with the effort limits of the joints.

    Args:
        state: State of the body.
        velocities: Velocity by joint; the motors keep it until they are set again.
    """
    for name, velocity in velocities.items():
        axis = state.layout.by_name[name]
        state.client.setJointMotorControl2(
            state.body,
            axis.joint,
            state.client.modes.VELOCITY_CONTROL,
            targetVelocity=float(np.atleast_1d(velocity)[0]) * axis.ratio,
            force=min(axis.limit / abs(axis.ratio), MAX_FORCE) if axis.ratio else 0.0,
        )


def q_order(mechanism: Mechanism) -> tuple[tuple[str, int], ...]:
    """Return joint and component of each position in arrays.

    Args:
        mechanism: The mechanism, in whose order they are.
    """
    moving = (body for body in mechanism.bodies if body.primitives)
    return tuple(
        (str(body.joint), k) for body in moving for k in range(len(default_position(body)))
    )


def _effort_limit(mechanism: Mechanism, body: Body, primitive: Primitive) -> float:
    """Return the smallest effort limit of a joint axis and of the actuators of the joint."""
    limits = (
        driven.actuator.effort
        for driven in mechanism.actuators
        if driven.actuator.joint == body.joint
    )
    return min((primitive.limits.effort if primitive.limits is not None else np.inf, *limits))


def _apply_base_wrench(state: State, wrench: Array) -> None:
    """Apply a force at the origin of the base and a torque, both in the world."""
    origin = state.segment_pose(BASE).p
    world = state.client.modes.WORLD_FRAME
    state.client.applyExternalForce(state.body, BASE, wrench[:3].tolist(), origin.tolist(), world)
    apply_torque(state, BASE, wrench[3:])


def _apply_ball_torque(state: State, body: Body, index: int, efforts: Array) -> None:
    """Apply the torque of a ball joint, given in its frame on the parent, and the opposite torque
    on the parent.
    """
    parent = state.articulation.segments[index + 1].parent
    X_WF = state.segment_pose(parent) @ state.articulation.segments[index + 1].X_PJ
    R_WJ = state.segment_pose(index).R if body.reversed else X_WF.R
    torque_W = (-1.0 if body.reversed else 1.0) * R_WJ @ efforts
    apply_torque(state, index, torque_W)
    apply_torque(state, parent, -torque_W)


def apply_torque(state: State, index: int, torque_W: Array) -> None:
    """Apply a torque to a segment for one step.

    Args:
        state: State of the body.
        index: PyBullet's index of the segment.
        torque_W: Torque in the world [N m], shape (3,).
    """
    state.client.applyExternalTorque(
        state.body, index, torque_W.tolist(), state.client.modes.WORLD_FRAME
    )


def apply_force(state: State, link: str, force_W: Array, p_WQ: Array) -> None:
    """Apply a force to a link for one step.

    Args:
        state: State of the body that has the link.
        link: Name of the link.
        force_W: Force in the world [N], shape (3,).
        p_WQ: Point of application in the world [m], shape (3,).
    """
    index, _ = state.articulation.link_segments[link]
    world = state.client.modes.WORLD_FRAME
    state.client.applyExternalForce(state.body, index, force_W.tolist(), p_WQ.tolist(), world)


def motion_of(states: Sequence[State], link: str, X_LF: Pose) -> tuple[State | None, FrameMotion]:
    """Return the body that has a link, or None for the world, and the motion of a frame F on the
    link.

    Args:
        states: States of all bodies.
        link: Name of the link, or ``world``.
        X_LF: Frame F on the link.
    """
    state = next((state for state in states if link in state.articulation.link_segments), None)
    if state is None:
        return None, FrameMotion(X_LF, IDENTITY.p, IDENTITY.p)
    X_WF = state.link_pose(link) @ X_LF
    p_Wcm, v, w = state.segment_motion(state.articulation.link_segments[link][0])
    return state, FrameMotion(X_WF, w, v + np.cross(w, X_WF.p - p_Wcm))


# --- tendons --------------------------------------------------------------------------------------


def coefficients_of(tendon: TendonConstraint) -> dict[str, float]:
    """Return the coefficients of a tendon, keyed by joint name."""
    return dict(zip(tendon.joints, tendon.coefficients, strict=True))


def tendon_length(tendon: TendonConstraint, values: Mapping[str, Value]) -> float:
    """Return ``sum(coefficient * value(joint))``: a tendon's length without offset, or its rate
    from velocities.

    Args:
        tendon: The tendon.
        values: Positions or velocities by joint.
    """
    return sum(
        a * float(np.atleast_1d(values[name])[0]) for name, a in coefficients_of(tendon).items()
    )


def apply_tension(states: Iterable[State], tendon: TendonConstraint, force: float) -> None:
    """Apply a force along a tendon to each of its joints for one step.

    Args:
        states: States of the bodies that have the joints.
        tendon: The tendon.
        force: Force along the tendon; a negative one shortens it.
    """
    coefficients = coefficients_of(tendon)
    for state in states:
        joints = joint_index(state.articulation.mechanism.bodies).keys() & coefficients.keys()
        apply_efforts(
            state, {name: coefficients[name] * force for name in sorted(joints)}, limited=False
        )


# --- lines between two links ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """The straight line from a point P on body A to a point Q on body B."""

    P: FrameMotion
    Q: FrameMotion
    length: float
    """Distance of P and Q [m]."""
    direction: Array
    """Unit vector from P to Q in the world, shape (3,)."""
    pull: Callable[[float], None]
    """Function that applies a tension [N] between both bodies for one step; a negative one pushes
    them apart."""


def line_of(
    states: Sequence[State], mechanism: Mechanism, connection: BodyConnection
) -> Line | None:
    """Return the line between the two points of a connection; None while they coincide.

    Args:
        states: States of all bodies.
        mechanism: The mechanism that has the connection.
        connection: A distance constraint or a spring between two points.
    """
    link_A, link_B = (
        mechanism.link_name(connection.body_a),
        mechanism.link_name(connection.body_b),
    )
    state_A, P = motion_of(states, link_A, connection.X_AP)
    state_B, Q = motion_of(states, link_B, connection.X_BQ)
    p_PQ = Q.X_WF.p - P.X_WF.p
    length = float(np.linalg.norm(p_PQ))
    if length == 0.0:
        return None
    direction = p_PQ / length

    def pull(tension: float) -> None:
        for state, link, force, end in (
            (state_A, link_A, tension, P),
            (state_B, link_B, -tension, Q),
        ):
            if state is not None:
                apply_force(state, link, force * direction, end.X_WF.p)

    return Line(P=P, Q=Q, length=length, direction=direction, pull=pull)


class Separation(NamedTuple):
    """Distance and angle between the two halves of a split link."""

    distance: float
    """Distance between their origins [m]."""
    angle: float
    """Angle between their orientations [rad]."""


def align_split_links(states: Sequence[State]) -> None:
    """Give every base that is half of a link the pose and velocity of the other half."""
    for state, link, base in _split_links(states):
        _, motion = motion_of(states, link, IDENTITY)
        state.set_positions({base: tuple(motion.X_WF.to_vector())})
        state.set_velocities({base: (*motion.v.tolist(), *motion.w.tolist())})


def link_separation(states: Sequence[State]) -> dict[str, Separation]:
    """Return the separation of the halves of split links, by the name of the half that is a
    base.
    """
    separations = {}
    for state, link, base in _split_links(states):
        X = motion_of(states, link, IDENTITY)[1].X_WF.inverse() @ state.link_pose(base)
        chord = float(np.linalg.norm(X.R - np.eye(3))) / math.sqrt(8.0)
        separations[base] = Separation(float(np.linalg.norm(X.p)), 2.0 * math.asin(min(1.0, chord)))
    return separations


def _split_links(states: Sequence[State]) -> Iterator[tuple[State, str, str]]:
    """Yield each body whose base is half of a link, with the names of the link and of the base."""
    for state in states:
        if state.articulation.split_link is not None:
            yield state, state.articulation.split_link, state.articulation.mechanism.bodies[0].name


def without_tendons(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism without the tendons of its source, which PyBullet lacks with their
    inertia.

    Args:
        mechanism: The mechanism.
    """
    if not mechanism.tendons:
        return mechanism
    return dataclasses.replace(mechanism, scene=dataclasses.replace(mechanism.scene, tendons=()))


def merge_partitions(
    mechanism: Mechanism, partitions: Iterable[tuple[str | None, Mechanism]]
) -> Mechanism:
    """Return a mechanism with the inertias of its partitions, without rotor inertia and tendons.

    The inertia of a split link is the sum of those of its halves.

    Args:
        mechanism: The whole mechanism.
        partitions: The partitions, each with the name of the link whose other half is its base, or
            None.
    """
    inertias: dict[str, SpatialInertia] = {}
    for split_link, part in partitions:
        for i, body in enumerate(part.bodies):
            name = split_link if split_link is not None and i == 0 else body.name
            inertias[name] = inertias[name] + body.inertia if name in inertias else body.inertia
    bodies = tuple(
        dataclasses.replace(body, inertia=inertias[body.name], reflected_inertia=(0.0,) * body.nv)
        for body in mechanism.bodies
    )
    return dataclasses.replace(without_tendons(mechanism), bodies=bodies)


def _short_text(values: Position) -> str:
    return " ".join(f"{x:.4g}" for x in np.ravel(values))
