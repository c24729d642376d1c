"""PyBulletBody and sequences of bodies, with their notebook cards."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import TYPE_CHECKING, Any, NoReturn, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from bridge.camera import FIELD_OF_VIEW, SIZE, Camera, Image, composite_on_background, fit_camera
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, held_together
from bridge.mechanism.coordinates import (
    Position,
    check_names,
    joint_index,
    velocities_by_body,
    with_followers,
)
from bridge.stdout_capture import capture_stdout
from loaders.deferred import Deferred, cached_property
from loaders.diagnostics import Diagnostic, FindingList
from loaders.model import WORLD, by_name
from loaders.pose import IDENTITY, Array, Pose
from loaders.scoped_names import SEPARATOR
from loaders.text import (
    NameIndex,
    UnknownNameError,
    card,
    counted,
    details,
    findings_table,
    summary_of,
    table,
    unknown_name,
)

from .articulation import Articulation, has_sensors
from .client import BASE, Call, Client
from .constraint import Gear, connection_name
from .contact import LinkPair, forget_pairs
from .damping import adapt_to_step, depends_on_step, disable_motors
from .dynamics import DynamicsQueries
from .passive_force import apply_control, apply_passive_forces, has_passive_forces
from .state import (
    Layout,
    Separation,
    State,
    Value,
    align_split_links,
    apply_efforts,
    apply_force,
    apply_torque,
    float_array,
    hold,
    link_separation,
    merge_partitions,
    numbers,
    pose_of,
    q_order,
)

if TYPE_CHECKING:
    from .sensor import LastStep, PyBulletSensor, SegmentMotion

# not imported for a body without sensors
segment_motions: Callable[..., dict[int, SegmentMotion]] = Deferred(
    "bridge.targets.pybullet.sensor:segment_motions"
)
segments_with_imus: Callable[..., list[int]] = Deferred(
    "bridge.targets.pybullet.sensor:segments_with_imus"
)
record_step: Callable[..., dict[int, LastStep]] = Deferred(
    "bridge.targets.pybullet.sensor:record_step"
)
sensors_of: Callable[..., dict[str, PyBulletSensor]] = Deferred(
    "bridge.targets.pybullet.sensor:sensors_of"
)


def loop_joints(mechanism: Mechanism) -> dict[str, str]:
    """Return, for each joint that closes a kinematic loop, why PyBullet has no joint of its name.

    Args:
        mechanism: The mechanism of the scene.
    """
    reason = (
        "closes a kinematic loop: PyBullet has a constraint in its place, whose id is in "
        "`constraints`"
    )
    return {closure.joint.name: reason for closure in mechanism.closures}


def by_joint(values: Mapping[str, Value], mechanism: Mechanism) -> NameIndex[Value]:
    """Return positions or velocities by joint, in which a name that is missing raises an error with
    the reason.

    Args:
        values: The values.
        mechanism: The mechanism of the scene.
    """
    return NameIndex("joint", values, loop_joints(mechanism))


def loop_gaps(mechanism: Mechanism, link_pose: Callable[[str], Pose]) -> dict[str, float]:
    """Return the distance of the two frames or points of each connection that closes a kinematic
    loop [m].

    A joint that closes a loop is a weld, hinge or ball with frames of one origin; see
    `bridge.lowering.tree`. So do constraints that hold points or frames of two links together, such
    as ``connect`` and ``weld`` of MJCF, by the names of both links, as in
    `PyBulletBody.constraints`; of several between the same links the largest gap counts.

    Args:
        mechanism: The mechanism of the body.
        link_pose: Function that returns the present pose of a link.
    """

    def X_WB(body: int) -> Pose:
        return IDENTITY if body == ROOT else link_pose(mechanism.bodies[body].name)

    def gap(body_a: int, X_AP: Pose, body_b: int, X_BQ: Pose) -> float:
        p_WP, p_WQ = (X_WB(body_a) @ X_AP).p, (X_WB(body_b) @ X_BQ).p
        return float(np.linalg.norm(p_WQ - p_WP))

    gaps = {
        c.joint.name: gap(c.parent, c.joint.X_PJ, c.child, c.joint.X_CJ) for c in mechanism.closures
    }
    for c in held_together(mechanism.constraints):
        name = connection_name(mechanism, c)
        gaps[name] = max(gaps.get(name, 0.0), gap(c.body_a, c.X_AP, c.body_b, c.X_BQ))
    return gaps


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NotebookSummary:
    """Data that a notebook shows of one body."""

    name: str
    link_count: int
    joint_count: int
    diagnostics: Sequence[Diagnostic]
    state: State | None
    """State of the body; None if it was removed."""


def bodies_card(summaries: Sequence[NotebookSummary]) -> str:
    """Return a card of bodies: an image of them and their surroundings in the present state, and a
    table.
    """
    names = ", ".join(summary.name for summary in summaries if summary.state is not None)
    states = [summary.state for summary in summaries if summary.state is not None]
    findings = list(dict.fromkeys(entry for summary in summaries for entry in summary.diagnostics))
    listed = [details(summary_of(findings), findings_table(findings))] if findings else []
    heads = ("id", "model", "links", "joints", "diagnostics")
    parts = (table(heads, map(_cells, summaries)), *listed)
    return card(f"PyBullet: {names or 'removed'}", (), *parts, png=_image(states))


def _cells(summary: NotebookSummary) -> tuple[str, ...]:
    fates = Counter(entry.fate.value for entry in summary.diagnostics)
    findings = ", ".join(f"{count} {fate}" for fate, count in sorted(fates.items())) or "none"
    number = "removed" if summary.state is None else str(summary.state.body)
    return number, summary.name, str(summary.link_count), str(summary.joint_count), findings


def _image(states: Sequence[State]) -> bytes | None:
    """Return an image in PNG format; None of no bodies."""
    if not states:
        return None
    client = states[0].client
    with capture_stdout([]):
        image = bullet_image(
            client.modes,
            client.id,
            fit_camera(np.concatenate([_corners(state) for state in states])),
        )
    return _png(image)


_UNBOUNDED = 1e6
"""Extent above which a bounding box is that of an infinite plane [m]."""


def _corners(state: State) -> Array:
    """Return the corners of the bounding boxes of the body's links, and their origins, shape (n,
    3).
    """
    link_segments = state.articulation.link_segments
    indices = sorted({BASE, *(index for index, _ in link_segments.values())})
    boxes = [state.client.getAABB(state.body, index) for index in indices]
    boxes = [box for box in boxes if np.abs(box).max() < _UNBOUNDED]
    origins = [state.link_pose(name).p for name in link_segments]
    boxes += [(p, p) for p in origins]
    return np.array(
        [corner for low, high in boxes for corner in product(*zip(low, high, strict=True))]
    )


def bullet_image(pybullet: Any, client: int, camera: Camera) -> Image:
    """Return an image of the present state of a physics server, by PyBullet's software renderer.

    Args:
        pybullet: The module.
        client: Id of the physics server.
        camera: The camera.
    """
    width, height = SIZE
    view = pybullet.computeViewMatrix(camera.eye.tolist(), camera.target.tolist(), (0, 0, 1))
    projection = pybullet.computeProjectionMatrixFOV(
        FIELD_OF_VIEW, width / height, 0.02 * camera.distance, 10.0 * camera.distance
    )
    light = camera.eye - camera.target + np.array((0.0, 0.0, camera.distance))
    result = pybullet.getCameraImage(
        width,
        height,
        view,
        projection,
        lightDirection=light.tolist(),
        shadow=0,
        lightAmbientCoeff=0.6,
        lightDiffuseCoeff=0.35,
        lightSpecularCoeff=0.05,
        renderer=pybullet.ER_TINY_RENDERER,
        physicsClientId=client,
    )
    pixels = np.reshape(np.array(result[2], dtype=np.uint8), (height, width, -1))[:, :, :3]
    return composite_on_background(pixels, np.reshape(np.array(result[4]), (height, width)) >= 0)


def _png(image: Image) -> bytes:
    """Return an image in PNG format."""
    from PIL import Image as PilImage

    stream = io.BytesIO()
    PilImage.fromarray(image).save(stream, "PNG")
    return stream.getvalue()


_MAX_LENGTH = 60


def abbreviated(name: str) -> str:
    """Return a name, cut to 60 characters if it is longer."""
    return name if len(name) <= _MAX_LENGTH else f"{name[: _MAX_LENGTH - 3]}..."


def public_names(handle_type: type, attributes: Iterable[str]) -> list[str]:
    """Return the public names of a handle, without those that it inherits.

    Args:
        handle_type: The class that defines the public methods.
        attributes: Names of the attributes of one instance.
    """
    return sorted({name for name in (*vars(handle_type), *attributes) if not name.startswith("_")})


_Readiness = tuple[
    Callable[[], tuple[bytes, bytes]],
    tuple[bytes, bytes],
    Callable[[], Mapping[str, Any]] | None,
    type[Exception],
    Callable[[], object],
]
"""Function that returns the names of the body with this id; the names of one that needs no work of
its own in a step; function that returns the parameters of the server, if a force depends on the
time step; PyBullet's error; function that steps.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyTraits:
    """Common part of the handles of all bodies of one document."""

    layout: Layout
    depends_on_step: bool
    """Whether a force of the body depends on the time step; see `adapt_to_step`."""
    has_passive_forces: bool
    """Whether there are forces that PyBullet lacks."""
    has_sensors: bool

    @classmethod
    def of(cls, articulation: Articulation) -> Self:
        """Return the traits of the bodies of an articulation."""
        mechanism = articulation.mechanism
        return cls(
            layout=Layout.of(articulation),
            depends_on_step=depends_on_step(articulation),
            has_passive_forces=has_passive_forces(mechanism),
            has_sensors=has_sensors(mechanism),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedBody:
    """First body of a document in a physics server, whose calls those that follow repeat."""

    path: str
    """Path of the document: the server keeps the text of a path, and needs no file again."""
    body: int
    """PyBullet's id of the body."""
    is_silent: bool
    """Whether the server printed nothing about the document."""
    names: tuple[bytes, bytes]
    """PyBullet's names of the base and of the body."""
    calls: tuple[Call, ...]
    """The calls that set what the document cannot state."""
    start: tuple[float, ...]
    """Its initial positions."""
    X_WN: Pose
    """Pose of the source in the world."""
    step: float
    """The time step for which they are [s]."""

    def start_of(self, state: State) -> list[float]:
        """Return the initial positions of a body, which may have another place."""
        start, a = list(self.start), state.articulation
        for _, span in state.layout.others if a.X_WN is not self.X_WN else ():
            if not span.segments:
                start[span.q] = a.X_WS.to_vector()
        return start


class PyBulletBody(int):
    """A PyBullet body: its id, accepted by every PyBullet function, and the names of its links and
    joints.

    Positions and velocities are keyed by joint, in the conventions of
    `bridge.mechanism.coordinates`.
    """

    name: str
    """Name of the model."""
    constraints: Mapping[str, tuple[int, ...]]
    """PyBullet's constraint ids, keyed by the joint that they represent: couplings, screws and
    closed loops."""
    diagnostics: tuple[Diagnostic, ...]
    """Findings of reading, lowering and loading."""
    gears: tuple[Gear, ...]
    """The gears of couplings whose law is no line; `step` sets them to its tangent."""
    sensors: Mapping[str, PyBulletSensor]
    """The sensors by scoped name; ``sensors["imu"].read()`` is what Gazebo would publish."""
    split_link: str | None
    """Name of the link, on another body, whose other half is the base; see
    `bridge.targets.pybullet.articulation`."""

    _state: State | None
    _articulation: Articulation
    _traits: BodyTraits
    _imu_segments: list[int]
    _step: float
    _start: Callable[[], Sequence[float]]
    _disabled: Callable[[], Sequence[LinkPair]]
    _last_steps: dict[int, LastStep]

    def __new__(
        cls,
        state: State,
        traits: BodyTraits,
        constraints: Mapping[str, tuple[int, ...]],
        diagnostics: tuple[Diagnostic, ...],
        disabled: Callable[[], Sequence[LinkPair]],
        gears: Sequence[Gear],
        *,
        step: float,
        start: Callable[[], Sequence[float]],
    ) -> Self:
        """Create the handle of the body whose state is ``state``; ``disabled`` returns its pairs
        that never collide, ``gears`` hold couplings whose leaders it has, ``step`` is the time step
        for which its forces are, and ``start`` returns its initial positions.
        """
        articulation: Articulation = state.articulation
        self = super().__new__(cls, state.body)
        self.name = articulation.model
        self.constraints = constraints
        self.diagnostics = FindingList(diagnostics)
        self.split_link = articulation.split_link
        self.gears = tuple(gears)
        self._state = state
        self._articulation = articulation
        self._traits = traits
        self._step, self._start = step, start
        self._disabled = disabled
        self._last_steps = {}
        self.sensors, self._imu_segments = NameIndex("sensor", {}), []
        if traits.has_sensors:
            self.sensors = sensors_of(state, lambda: self.state, self._last_steps)
            self._imu_segments = segments_with_imus(self.sensors, state)
        return self

    @property
    def mechanism(self) -> Mechanism:
        """The part of the mechanism that the body holds; matrices and forces are in its
        ``v_order``.
        """
        return self._articulation.mechanism

    @property
    def q_order(self) -> tuple[tuple[str, int], ...]:
        """Joint and component of each number of `q`."""
        return self._traits.layout.q_order

    @property
    def v_order(self) -> tuple[tuple[str, int], ...]:
        """Joint and component of each number of `v` and of efforts: the order of the mechanism."""
        return self._articulation.unplaced.v_order

    @cached_property
    def joints(self) -> Mapping[str, int]:
        """PyBullet's joint indices by name; a joint with several axes also by its own name, for the
        last of them.
        """
        a = self._articulation
        return NameIndex("joint", a.joints, loop_joints(a.unplaced))

    @cached_property
    def links(self) -> Mapping[str, int]:
        """PyBullet's link indices by name; the base is -1, and a merged link has the index of the
        link that carries it.
        """
        found = self._articulation.link_segments.items()
        return NameIndex("link", {name: index for name, (index, _) in found})

    @cached_property
    def _dynamics(self) -> DynamicsQueries:
        return DynamicsQueries(self.state)

    @property
    def state(self) -> State:
        """Interface to the state of this body in PyBullet.

        Raises:
            RuntimeError: if the body was removed, or the physics server was reset or closed.
        """
        state = self._state
        if state is not None:
            try:
                if state.identify() == state.names:
                    return state  # after a reset another body may have its id, but other names
            except state.client.modes.error:
                pass
        raise RuntimeError(self._reason_of_absence())

    @property
    def dynamics(self) -> DynamicsQueries:
        """Interface to PyBullet's dynamics queries for this body.

        Raises:
            RuntimeError: if the body was removed, or the physics server was reset or closed.
        """
        self.state  # noqa: B018 - raises an error if the body is gone
        return self._dynamics

    def _reason_of_absence(self) -> str:
        name = abbreviated(self.name)
        if self._state is None:
            return f"{name} was removed from PyBullet"
        if not self._state.client.is_connected():
            return f"the physics server of {name} is closed; connect again and load the model again"
        return (
            f"{name} is no longer in PyBullet: resetSimulation or removeBody removed it; load "
            f"the model again"
        )

    # --- positions and poses ----------------------------------------------------------------------

    def link_pose(self, name: str) -> Pose:
        """Return the pose ``X_WL`` of a link, in double precision.

        Raises:
            ValueError: if the body has no such link.
        """
        return self.state.link_pose(name)

    def frame_pose(self, name: str) -> Pose:
        """Return the pose ``X_WF`` of a frame of the file, in double precision.

        Raises:
            ValueError: if no link of the body has such a frame.
        """
        return frame_pose(name, self.mechanism, self.link_pose)

    def positions(self) -> dict[str, Value]:
        """Return the position of every joint with degrees of freedom, and of a free base under its
        link's name.
        """
        return by_joint(self.state.positions(), self.mechanism)

    def velocities(self) -> dict[str, Value]:
        """Return the velocity of every joint with degrees of freedom, and of a free base under its
        link's name.
        """
        return by_joint(self.state.velocities(), self.mechanism)

    def efforts(self) -> dict[str, Value]:
        """Return by joint the force or torque of PyBullet's motors in the last step: of
        `hold`, of your own motors, and of dry friction. Those of `apply_efforts` are not in it.
        """
        state = self.state
        return by_joint(state.by_joint(state.read_efforts()), self.mechanism)

    @property
    def q(self) -> Array:
        """Present positions in `q_order`, shape (nq,)."""
        return np.array(self.state.read_positions())

    @property
    def v(self) -> Array:
        """Present velocities in `v_order`, shape (nv,)."""
        return np.array(self.state.read_motion()[1])

    @property
    def tau(self) -> Array:
        """Efforts of PyBullet's motors in the last step, in `v_order`, shape (nv,); see
        `efforts`.
        """
        return np.array(self.state.read_efforts())

    def motion(self) -> tuple[Array, Array]:
        """Return `q` and `v`, for which PyBullet is asked once."""
        q, v = self.state.read_motion()
        return np.array(q), np.array(v)

    def set_motion(self, q: ArrayLike, v: ArrayLike) -> None:
        """Set all positions and velocities.

        Args:
            q: Positions in `q_order`, shape (nq,).
            v: Velocities in `v_order`, shape (nv,).

        Raises:
            ValueError: for an array of the wrong size or with numbers that are not finite.
        """
        self.state.write(q, v)
        self._follow(0.0)

    def set_positions(self, q: Mapping[str, Position] | ArrayLike) -> None:
        """Set joint positions, at rest; coupled joints follow, and other joints stay.

        So do those of a kinematic loop: give positions at which the loop is closed, see
        `loop_gaps`. PyBullet's solver pulls an open loop shut in the steps that follow, with large
        forces.

        Args:
            q: Positions by joint. A follower that is named gets its own position, even one that
                contradicts its coupling, and its leader stays: name the leader to move both.
                Or the positions of all joints, followers too, in `q_order`.

        Raises:
            ValueError: for an unknown joint or a position of the wrong size.
        """
        self.state.set_positions(q)
        self._follow(0.0)

    def _follow(self, step: float) -> None:
        """Set the gears of couplings to the tangents at the end of a step [s]."""
        for gear in self.gears:
            gear.follow(step)

    def loop_gaps(self) -> dict[str, float]:
        """Return by how much each kinematic loop is open at present, by the joint that closes it
        [m].

        Constraints that hold points or frames of two links together have the names of both links,
        as in `constraints`.
        """
        return loop_gaps(self.mechanism, self.link_pose)

    def set_velocities(self, v: Mapping[str, Position] | ArrayLike) -> None:
        """Set joint velocities; coupled joints follow, and positions stay.

        Args:
            v: Velocities by joint; or those of all joints, followers too, in `v_order`.

        Raises:
            ValueError: for an unknown joint or a velocity of the wrong size.
        """
        self.state.set_velocities(v)

    def reset(self) -> None:
        """Set all joints and a free base to the positions in which the model was loaded, at rest;
        followers too.
        """
        self.state.set_positions(self._start())
        self._follow(0.0)

    # --- base -------------------------------------------------------------------------------------

    def base_pose(self) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
        """Return the pose of the base link's frame in the world: position [m] and quaternion
        ``x y z w``.

        PyBullet's ``getBasePositionAndOrientation`` returns that of its inertial frame.
        """
        x, y, z, qw, qx, qy, qz = self.state.base_motion()[0]
        return (x, y, z), (qx, qy, qz, qw)

    def set_base_pose(
        self, position: Sequence[float], orientation: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    ) -> None:
        """Set the pose of the base link's frame in the world, at rest; joints stay.

        A base that is fixed to the world moves too; `mechanism` keeps its pose of loading.

        Args:
            position: Position [m].
            orientation: Quaternion ``x y z w``.

        Raises:
            ValueError: if a number is missing, superfluous or not finite, or if the quaternion is
                zero.
        """
        self.state.set_base_motion(pose_of(position, orientation), np.zeros(6))

    def base_velocity(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Return the velocity of the base link's origin [m/s] and its angular velocity [rad/s],
        both in the world.

        PyBullet's ``getBaseVelocity`` returns the velocity of the center of mass.
        """
        vx, vy, vz, wx, wy, wz = self.state.base_motion()[1]
        return (vx, vy, vz), (wx, wy, wz)

    def set_base_velocity(
        self, linear: Sequence[float] = (0.0, 0.0, 0.0), angular: Sequence[float] = (0.0, 0.0, 0.0)
    ) -> None:
        """Set the velocity of the base link's origin and its angular velocity, both in the world.

        Args:
            linear: Velocity of the origin [m/s].
            angular: Angular velocity [rad/s].

        Raises:
            ValueError: if a number is missing, superfluous or not finite.
        """
        v = numbers("linear", linear, "x, y, z") + numbers("angular", angular, "x, y, z")
        self.state.set_base_velocity(np.array(v))

    def apply_force(
        self,
        link: str,
        force: Sequence[float],
        position: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        in_world: bool = False,
    ) -> None:
        """Apply a force to a link for one step.

        Args:
            link: Name of the link.
            force: Force [N], in the link's frame.
            position: Point of application [m], in the link's frame.
            in_world: Whether force and position are in the world.

        Raises:
            ValueError: if the body has no such link, or if a number is missing, superfluous or not
                finite.
        """
        f, p = numbers("force", force, "x, y, z"), numbers("position", position, "x, y, z")
        X_WK = IDENTITY if in_world else self.link_pose(link)
        apply_force(self.state, link, X_WK.R @ f, X_WK.p + X_WK.R @ p)

    def apply_torque(self, link: str, torque: Sequence[float], *, in_world: bool = False) -> None:
        """Apply a torque to a link for one step.

        Args:
            link: Name of the link.
            torque: Torque [N m], in the link's frame.
            in_world: Whether the torque is in the world.

        Raises:
            ValueError: if the body has no such link, or if a number is missing, superfluous or not
                finite.
        """
        index = self.links[link]
        R_WK = IDENTITY.R if in_world else self.link_pose(link).R
        apply_torque(self.state, index, R_WK @ numbers("torque", torque, "x, y, z"))

    # --- dynamics ---------------------------------------------------------------------------------

    @property
    def dynamics_source(self) -> str:
        """Source of `mass_matrix` and `bias_forces`: ``pybullet`` or ``readback``.

        See `bridge.targets.pybullet.dynamics`.
        """
        return self.dynamics.source

    def mechanism_from_pybullet(self) -> Mechanism:
        """Return the mechanism with the masses and inertias that PyBullet holds, without rotor
        inertia and tendons.
        """
        return self.dynamics.mechanism_from_pybullet()

    def mass_matrix(self) -> Array:
        """Return the mass matrix at the present position, shape (nv, nv), in ``mechanism.v_order``;
        without rotors.
        """
        return self.dynamics.mass_matrix()

    def bias_forces(self, gravity: Sequence[float] | None = None) -> Array:
        """Return the forces that hold all accelerations at zero, shape (nv,), in
        ``mechanism.v_order``.

        Args:
            gravity: Gravity in the world [m/s^2]; None for PyBullet's present gravity.
        """
        return self.dynamics.bias_forces(gravity)

    def inverse_dynamics(
        self, accelerations: Mapping[str, Position], gravity: Sequence[float] | None = None
    ) -> Array:
        """Return the forces that cause the given accelerations, shape (nv,), in
        ``mechanism.v_order``.

        Args:
            accelerations: Acceleration by joint, in the convention of velocities; zero for a joint
                without one.
            gravity: Gravity in the world [m/s^2]; None for PyBullet's present gravity.

        Raises:
            ValueError: for an unknown joint, and for an acceleration of the wrong size or that is
            not finite.
        """
        return self.dynamics.inverse_dynamics(as_vector(accelerations, self.mechanism), gravity)

    def apply_efforts(self, efforts: Mapping[str, Position] | ArrayLike) -> None:
        """Apply joint forces and torques for one step, each clipped to the effort limit of its
        joint.

        PyBullet adds the efforts of several calls before one step, so that their sum may exceed the
        limit.

        Args:
            efforts: Efforts by joint; or those of all joints, in `v_order`.

        Raises:
            ValueError: for an unknown joint, and for an effort of the wrong size or that is not
            finite.
        """
        apply_efforts(self.state, efforts)

    def apply_control(
        self,
        positions: Mapping[str, Position] | None = None,
        velocities: Mapping[str, Position] | None = None,
    ) -> None:
        """Apply for one step the efforts of the file's controllers, with their offsets and limits.

        A joint whose velocity the file imposes, such as a wheel of a differential drive, gets
        PyBullet's motor for its desired velocity, which keeps it until the next call.

        Args:
            positions: Desired positions by joint; None for those of the file at the start, zero
                where it states none.
            velocities: Desired velocities by joint; zero for a joint without one.

        Raises:
            ValueError: if a joint has no gains in the file.
        """
        apply_control(self.state, positions, velocities or {})

    def hold(self) -> None:
        """Hold every joint at its present position by PyBullet's motors, with the effort limits of
        the file.

        A joint without a limit, and a ball joint, is held with 1e5 N or N m, PyBullet's own
        default; one whose limit is 0 is not held. PyBullet stores the limit as an impulse: call
        `hold` again after changing the time step. `release` ends it.
        """
        hold(self.state)

    def release(self) -> None:
        """Switch off all motors of the body, those of `hold` and your own; dry friction remains."""
        state = self.state
        disable_motors(state.client, state.body, state.articulation)
        if self._traits.depends_on_step:
            self._step = adapt_to_step(state.client, state.body, state.articulation)

    def apply_passive_forces(self) -> None:
        """Apply for one step the forces that PyBullet does not compute, and set the gears of
        couplings whose law is no line to its tangent.

        See `bridge.targets.pybullet.passive_force`. If the time step has changed, dry friction is
        set again, which replaces the motors of the joints that have some.
        """
        self._apply_passive_forces(self.state)

    def _apply_passive_forces(self, state: State) -> None:
        self._adapt_friction(state)
        if self._traits.has_passive_forces:
            apply_passive_forces([state], self.mechanism)

    def adapt_friction(self) -> None:
        """Set dry friction again if the time step has changed, because PyBullet stores it as an
        impulse per step; and damping that is limited for the time step.
        """
        self._adapt_friction(self.state)

    def _adapt_friction(self, state: State) -> None:
        if not self._traits.depends_on_step and not self.gears:
            return
        step = state.parameters()["fixedTimeStep"]
        if self.gears:
            self._follow(step)
        if self._traits.depends_on_step and step != self._step:
            self._step = adapt_to_step(state.client, state.body, state.articulation)

    @cached_property
    def _readiness(self) -> _Readiness:
        """Values that a step looks at first."""
        state, traits = self.state, self._traits
        has_work = traits.has_passive_forces or self.gears or self._imu_segments
        return (
            state.identify,
            (b"", b"") if has_work else state.names,
            state.parameters if traits.depends_on_step else None,
            state.client.modes.error,
            state.step,
        )

    def _is_ready(self) -> bool:
        """Return whether a step needs nothing but PyBullet's own: the body is there, nothing acts
        on it that PyBullet lacks, and the time step is that of its forces; `step` asks.
        """
        identify, names, parameters, error, _ = self._readiness
        try:  # a step of a small robot takes 3 us, so that each function counts
            is_step = parameters is None or parameters()["fixedTimeStep"] == self._step
            return is_step and identify() == names
        except error:
            return False

    def step(self) -> None:
        """Apply the passive forces of this body and step the whole simulation."""
        if self._is_ready():
            self._readiness[-1]()
            return
        self._apply_passive_forces(self.state)
        before = self.imu_motions()
        self._readiness[-1]()
        self.record_step(before)

    def imu_motions(self) -> dict[int, SegmentMotion]:
        """Return the motion of each link of PyBullet that carries an IMU, by its index."""
        segments = self._imu_segments
        return segment_motions(self.state, segments) if segments else {}

    def record_step(self, before: dict[int, SegmentMotion]) -> None:
        """Note the motion in a step that is done, for the accelerations of IMUs; `step` calls it.

        Args:
            before: What `imu_motions` returned before the step.
        """
        if before:
            self._last_steps |= record_step(before, self.state)

    def apply_physics(self) -> None:
        """Set the physics server's gravity and time step to those of the file; loading does not.

        If the solver holds couplings, screws or loops of the body, all its iterations are done:
        PyBullet would stop once the square of the change of the impulses is below 1e-7.
        """
        apply_physics(self.state.client, self.mechanism, solve_fully=bool(self.constraints))
        self.adapt_friction()

    # --- removal ----------------------------------------------------------------------------------

    def remove(self) -> None:
        """Remove the body and its constraints from PyBullet; a second call has no effect."""
        remove_bodies([self])

    def _is_loaded(self) -> bool:
        try:
            return self.state is not None
        except RuntimeError:
            return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    # --- display ----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return (
            f"<PyBulletBody {int(self)} {abbreviated(self.name)!r}: "
            f"{counted(len(self.links), 'link')}, {counted(len(self.joints), 'joint')}, "
            f"{counted(len(self.diagnostics), 'diagnostic')}>"
        )

    def __dir__(self) -> list[str]:
        return public_names(PyBulletBody, vars(self))

    def notebook_summary(self) -> NotebookSummary:
        """Return the data that a notebook shows of the body."""
        return NotebookSummary(
            name=self.name,
            link_count=len(self.links),
            joint_count=len(self.joints),
            diagnostics=self.diagnostics,
            state=self.state if self._is_loaded() else None,
        )

    def _repr_html_(self) -> str:
        return bodies_card([self.notebook_summary()])

    def __str__(self) -> str:
        return int.__repr__(self)

    def __format__(self, spec: str) -> str:
        return int.__format__(self, spec)

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)


def remove_bodies(bodies: Sequence[PyBulletBody]) -> None:
    """Remove bodies from PyBullet, and then the collision filters that they leave there.

    Args:
        bodies: The bodies; those that are removed already are left out.
    """
    loaded = [(body, body.state.client) for body in bodies if body._is_loaded()]
    for body, client in loaded:
        client.removeBody(int(body))
    for body, client in loaded:
        forget_pairs(client, body._disabled())
    for body in bodies:
        body._state = None
        vars(body).pop("_readiness", None)


def frame_pose(name: str, mechanism: Mechanism, link_pose: Callable[[str], Pose]) -> Pose:
    """Return the pose ``X_WF`` of a frame of the scene.

    Args:
        name: Name of the frame.
        mechanism: The mechanism whose scene has the frame.
        link_pose: Function that returns the present pose of a link.

    Raises:
        ValueError: if the frame or its link is unknown.
    """
    frames = by_name(mechanism.scene.frames)
    if name not in frames:
        raise unknown_name("frame", name, frames)
    frame = frames[name]
    X_WL = IDENTITY if frame.link == WORLD else link_pose(frame.link)
    return X_WL @ frame.X_LF


def as_vector(accelerations: Mapping[str, Position], mechanism: Mechanism) -> Array:
    """Return accelerations in ``v_order``, shape (nv,); zero for a joint without one.

    Raises:
        ValueError: for an unknown joint, and for an acceleration of the wrong size or that is not
        finite.
    """
    by_body = velocities_by_body(mechanism.bodies, accelerations)
    return np.array([number for numbers in by_body for number in numbers], dtype=np.float64)


def apply_physics(client: Client, mechanism: Mechanism, *, solve_fully: bool) -> None:
    """Set a physics server's gravity and time step to those of a scene.

    Args:
        client: The physics server.
        mechanism: The mechanism of the scene.
        solve_fully: Whether the solver does all its iterations, whatever remains of the error.
    """
    client.setGravity(*mechanism.gravity.tolist())
    client.setTimeStep(mechanism.physics.time_step)
    if solve_fully:
        client.setPhysicsEngineParameter(solverResidualThreshold=0.0)


_MAX_NAMED = 5
"""Number of models that an error names."""


class Bodies(Sequence[PyBulletBody]):
    """The bodies of one scene: by number, by the name of their model, and as one mechanism."""

    def __init__(
        self,
        bodies: Sequence[PyBulletBody],
        mechanism: Mechanism,
        constraints: Mapping[str, tuple[int, ...]],
        diagnostics: tuple[Diagnostic, ...],
    ) -> None:
        self._bodies = tuple(bodies)
        self.mechanism = mechanism
        """The mechanism of all bodies; matrices and forces are in its ``v_order``."""
        self.q_order = q_order(mechanism)
        """Joint and component of each number of `q`."""
        self.v_order = mechanism.v_order
        """Joint and component of each number of `v` and of efforts: the order of the mechanism."""
        self.constraints = constraints
        """PyBullet's constraint ids, keyed by the joint that they represent."""
        self.diagnostics = FindingList(diagnostics)
        """Findings of reading, lowering and loading."""
        self._has_forces = has_passive_forces(mechanism)
        joints, links = joint_index(mechanism.bodies), {body.name for body in mechanism.bodies}
        self._of_joint = {
            name: body
            for body in self
            for name in joint_index(body.mechanism.bodies)
            if name in joints
        }
        self._of_link = {name: body for body in self for name in body.links if name in links}
        q, v = (_rows(order) for order in (self.q_order, self.v_order))
        self._places = [
            (body, (_places(q, body.q_order), _places(v, body.v_order))) for body in self
        ]
        self._parts = _consecutive(self._places, (len(self.q_order), len(self.v_order)))

    @classmethod
    def of(cls, body: PyBulletBody) -> Self:
        """Return the sequence of one body."""
        return cls([body], body.mechanism, body.constraints, body.diagnostics)

    @overload
    def __getitem__(self, key: int | str) -> PyBulletBody: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[PyBulletBody]: ...
    def __getitem__(self, key: int | slice | str) -> PyBulletBody | Sequence[PyBulletBody]:
        if not isinstance(key, str):
            return self._bodies[key]
        named = [body for body in self if body.name == key]
        if not named:
            named = [body for body in self if key in _scoped_models(body)]
        if not named:
            raise unknown_name("model", key, dict.fromkeys(body.name for body in self))
        if len(named) > 1:
            raise UnknownNameError(
                f"model {key!r} has {counted(len(named), 'body')}; choose one by a link, with "
                f"with_link"
            )
        return named[0]

    def __len__(self) -> int:
        return len(self._bodies)

    def __index__(self) -> NoReturn:
        """Raise an error that states how to choose a body: PyBullet's functions expect one body id.

        Raises:
            TypeError: always.
        """
        names = ", ".join(dict.fromkeys(abbreviated(body.name) for body in self[:_MAX_NAMED]))
        rest = ", ..." if len(self) > _MAX_NAMED else ""
        raise TypeError(
            f"{len(self)} PyBullet bodies have no single id; choose one by number, by the name of "
            f"its model ({names or 'none'}{rest}), or by a link, with with_link"
        )

    def with_link(self, name: str) -> PyBulletBody:
        """Return the body that has a link.

        Raises:
            ValueError: if no body has the link.
        """
        if name not in self._of_link:
            raise unknown_name("link", name, self._of_link)
        return self._of_link[name]

    @property
    def links(self) -> dict[str, tuple[PyBulletBody, int]]:
        """Body and PyBullet's link index of every link."""
        return NameIndex(
            "link", {name: (body, body.links[name]) for name, body in self._of_link.items()}
        )

    @property
    def joints(self) -> dict[str, tuple[PyBulletBody, int]]:
        """Body and PyBullet's joint index of every joint."""
        entries = {name: (body, index) for body in self for name, index in body.joints.items()}
        return NameIndex("joint", entries, loop_joints(self.mechanism))

    # --- positions and poses ----------------------------------------------------------------------

    def link_pose(self, name: str) -> Pose:
        """Return the pose ``X_WL`` of a link of any body; see `PyBulletBody.link_pose`."""
        return self.with_link(name).link_pose(name)

    def frame_pose(self, name: str) -> Pose:
        """Return the pose ``X_WF`` of a frame of the file; see `PyBulletBody.frame_pose`."""
        return frame_pose(name, self.mechanism, self.link_pose)

    def positions(self) -> dict[str, Value]:
        """Return the position of every joint of all bodies; see `PyBulletBody.positions`."""
        return self._by_joint(PyBulletBody.positions)

    def velocities(self) -> dict[str, Value]:
        """Return the velocity of every joint of all bodies; see `PyBulletBody.velocities`."""
        return self._by_joint(PyBulletBody.velocities)

    def efforts(self) -> dict[str, Value]:
        """Return the effort of the motors of every joint of all bodies; see
        `PyBulletBody.efforts`.
        """
        return self._by_joint(PyBulletBody.efforts)

    def _by_joint(self, read: Callable[[PyBulletBody], dict[str, Value]]) -> dict[str, Value]:
        parts = (read(body).items() for body in self)
        found = {name: value for part in parts for name, value in part if name in self._of_joint}
        return by_joint(found, self.mechanism)

    @property
    def q(self) -> Array:
        """Present positions of all bodies in `q_order`, shape (nq,)."""
        return self._joined([body.state.read_positions() for body in self._bodies], 0)

    @property
    def v(self) -> Array:
        """Present velocities of all bodies in `v_order`, shape (nv,)."""
        return self.motion()[1]

    @property
    def tau(self) -> Array:
        """Efforts of PyBullet's motors of all bodies in the last step, in `v_order`, shape (nv,);
        see `PyBulletBody.efforts`.
        """
        return self._joined([body.state.read_efforts() for body in self._bodies], 1)

    def motion(self) -> tuple[Array, Array]:
        """Return `q` and `v`, for which PyBullet is asked once."""
        motions = [body.state.read_motion() for body in self._bodies]
        return self._joined([q for q, _ in motions], 0), self._joined([v for _, v in motions], 1)

    def _joined(self, parts: Sequence[Sequence[float]], k: int) -> Array:
        """Return positions (k is 0), velocities or efforts (1) of the bodies in one array."""
        if self._parts:
            return np.array(list(chain.from_iterable(parts)))
        values = np.empty(len(self.v_order if k else self.q_order))
        for (_, places), part in zip(self._places, parts, strict=True):
            rows, own = places[k]
            values[rows] = np.array(part)[own]
        return values

    def set_motion(self, q: ArrayLike, v: ArrayLike) -> None:
        """Set all positions and velocities; split links are realigned.

        Args:
            q: Positions in `q_order`, shape (nq,).
            v: Velocities in `v_order`, shape (nv,).

        Raises:
            ValueError: for an array of the wrong size or with numbers that are not finite.
        """
        positions = float_array("positions", q, len(self.q_order))
        velocities = float_array("velocities", v, len(self.v_order))
        for body, q_part, v_part in self._parts:
            body.set_motion(positions[q_part], velocities[v_part])
        if not self._parts:
            for body, ((rows, own), (v_rows, v_own)) in self._places:
                all_q, all_v = body.motion()
                all_q[own], all_v[v_own] = positions[rows], velocities[v_rows]
                body.set_motion(all_q, all_v)
        self._align_split_links()

    def set_positions(self, q: Mapping[str, Position] | ArrayLike) -> None:
        """Set joint positions, at rest; joints coupled across bodies follow, and split links are
        realigned.

        Args:
            q: Positions by joint; or those of all joints, followers too, in `q_order`.

        Raises:
            ValueError: for an unknown joint or a position of the wrong size.
        """
        if not isinstance(q, Mapping):
            self.set_motion(q, np.zeros(len(self.v_order)))
            return
        for body, part in self._by_body(with_followers(self.mechanism, q)):
            body.set_positions(part)
        self._align_split_links()

    def loop_gaps(self) -> dict[str, float]:
        """Return by how much each kinematic loop of any body is open; see
        `PyBulletBody.loop_gaps`.
        """
        return loop_gaps(self.mechanism, self.link_pose)

    def set_velocities(self, v: Mapping[str, Position] | ArrayLike) -> None:
        """Set joint velocities; joints coupled across bodies follow, and split links are realigned.

        Args:
            v: Velocities by joint; or those of all joints, followers too, in `v_order`.

        Raises:
            ValueError: for an unknown joint or a velocity of the wrong size.
        """
        if not isinstance(v, Mapping):
            self.set_motion(self.q, v)
            return
        at = self.positions() if self.mechanism.couplings else {}
        for body, part in self._by_body(with_followers(self.mechanism, v, at=at)):
            body.set_velocities(part)
        self._align_split_links()

    def reset(self) -> None:
        """Set all joints and free bases to the positions in which they were loaded, at rest;
        followers too.
        """
        for body in self:
            body.reset()
        self._align_split_links()

    # --- split links ------------------------------------------------------------------------------

    @property
    def has_split_links(self) -> bool:
        """Return whether a link is split across several bodies; see
        `bridge.targets.pybullet.articulation`.
        """
        return any(body.split_link is not None for body in self)

    def link_separation(self) -> dict[str, Separation]:
        """Return the distance and angle between the halves of split links, by the name of the half
        that is a base.
        """
        return link_separation([body.state for body in self])

    def gaps(self) -> dict[str, Separation]:
        """Return the result of `link_separation`; this is its former name."""
        return self.link_separation()

    def _align_split_links(self) -> None:
        if self.has_split_links:
            align_split_links([body.state for body in self])

    # --- dynamics ---------------------------------------------------------------------------------

    def mechanism_from_pybullet(self) -> Mechanism:
        """Return the mechanism with the masses and inertias that PyBullet holds, without rotor
        inertia and tendons.
        """
        return merge_partitions(
            self.mechanism, [(body.split_link, body.mechanism_from_pybullet()) for body in self]
        )

    def mass_matrix(self) -> Array:
        """Return the mass matrix of all bodies at the present position, shape (nv, nv), in
        ``mechanism.v_order``.

        If a link is split, it is computed from `mechanism_from_pybullet`.
        """
        if self.has_split_links:
            return self.mechanism_from_pybullet().mass_matrix(self.positions())
        nv = len(self.mechanism.v_order)
        M = np.zeros((nv, nv))
        for body in self:
            rows = self._rows(body)
            M[np.ix_(rows, rows)] = body.mass_matrix()
        return M

    def bias_forces(self, gravity: Sequence[float] | None = None) -> Array:
        """Return the forces that hold all accelerations at zero, shape (nv,), in
        ``mechanism.v_order``.

        Args:
            gravity: Gravity in the world [m/s^2]; None for PyBullet's present gravity.
        """
        return self.inverse_dynamics({}, gravity)

    def inverse_dynamics(
        self, accelerations: Mapping[str, Position], gravity: Sequence[float] | None = None
    ) -> Array:
        """Return the forces that cause the given accelerations, shape (nv,), in
        ``mechanism.v_order``.

        If a link is split, they are computed from `mechanism_from_pybullet`.

        Args:
            accelerations: Acceleration by joint, in the convention of velocities; zero for a joint
                without one.
            gravity: Gravity in the world [m/s^2]; None for PyBullet's present gravity.

        Raises:
            ValueError: for an unknown joint, and for an acceleration of the wrong size or that is
            not finite.
        """
        if self.has_split_links:
            return self._merged_inverse_dynamics(accelerations, gravity)
        forces = np.zeros(len(self.mechanism.v_order))
        parts = dict(self._by_body(accelerations))
        for body in self:
            forces[self._rows(body)] = body.inverse_dynamics(parts.get(body, {}), gravity)
        return forces

    def _merged_inverse_dynamics(
        self, accelerations: Mapping[str, Position], gravity: Sequence[float] | None
    ) -> Array:
        mechanism, q = self.mechanism_from_pybullet(), self.positions()
        g = self[0].state.gravity() if gravity is None else gravity
        bias = mechanism.bias_forces(q, self.velocities(), g)
        forces: Array = mechanism.mass_matrix(q) @ as_vector(accelerations, mechanism) + bias
        return forces

    def apply_efforts(self, efforts: Mapping[str, Position] | ArrayLike) -> None:
        """Apply forces and torques to joints of any body for one step; see
        `PyBulletBody.apply_efforts`.

        Args:
            efforts: Efforts by joint; or those of all joints, in `v_order`.

        Raises:
            ValueError: for an unknown joint, and for an effort of the wrong size or that is not
            finite.
        """
        if not isinstance(efforts, Mapping):
            values = float_array("efforts", efforts, len(self.v_order))
            for body, _, v_part in self._parts:
                apply_efforts(body.state, values[v_part])
            if self._parts:
                return
            for body, (_, (rows, own)) in self._places:
                of_body = np.zeros(len(body.v_order))
                of_body[own] = values[rows]
                body.apply_efforts(of_body)
            return
        for body, part in self._by_body(efforts):
            body.apply_efforts(part)

    def apply_control(
        self,
        positions: Mapping[str, Position] | None = None,
        velocities: Mapping[str, Position] | None = None,
    ) -> None:
        """Apply for one step the efforts of the file's controllers, for joints of any body; see
        `PyBulletBody.apply_control`.

        Args:
            positions: Desired positions by joint; None for those of the file at the start.
            velocities: Desired velocities by joint; zero for a joint without one.

        Raises:
            ValueError: for an unknown joint or one without gains in the file.
        """
        speeds = dict(self._by_body(velocities or {}))
        for body in self:
            own = None
            if positions is not None:
                own = dict(self._by_body(positions)).get(body, {})
            body.apply_control(own, speeds.get(body, {}))

    def hold(self) -> None:
        """Hold every joint of all bodies at its present position; see `PyBulletBody.hold`."""
        for body in self:
            body.hold()

    def release(self) -> None:
        """Switch off all motors of all bodies; see `PyBulletBody.release`."""
        for body in self:
            body.release()

    def apply_passive_forces(self) -> None:
        """Apply for one step the passive forces of all bodies and between them; see
        `PyBulletBody`.
        """
        self._apply_passive_forces([body.state for body in self])

    def _apply_passive_forces(self, states: list[State]) -> None:
        for body, state in zip(self, states, strict=True):
            body._adapt_friction(state)
        if self._has_forces:
            apply_passive_forces(states, self.mechanism)

    def step(self) -> None:
        """Apply the passive forces of all bodies and step the whole simulation."""
        if not self._has_forces and self._bodies and all(map(PyBulletBody._is_ready, self._bodies)):
            self._bodies[0]._readiness[-1]()
            return
        states = [body.state for body in self]
        self._apply_passive_forces(states)
        before = [body.imu_motions() for body in self]
        for state in states[:1]:
            state.step()
        for body, motions in zip(self, before, strict=True):
            body.record_step(motions)

    @property
    def sensors(self) -> dict[str, PyBulletSensor]:
        """The sensors of all bodies by scoped name; see `PyBulletBody.sensors`."""
        entries = {name: sensor for body in self for name, sensor in body.sensors.items()}
        return NameIndex("sensor", entries)

    def apply_physics(self) -> None:
        """Set the physics server's gravity and time step to those of the file; see
        `PyBulletBody.apply_physics`.
        """
        for body in self[:1]:
            apply_physics(body.state.client, self.mechanism, solve_fully=bool(self.constraints))
        for body in self:
            body.adapt_friction()

    # --- removal and display ----------------------------------------------------------------------

    def remove(self) -> None:
        """Remove all bodies from PyBullet."""
        remove_bodies(list(self))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        models = dict.fromkeys(body.name for body in self)
        listed = ", ".join(abbreviated(name) for name in list(models)[:2]) + (
            ", ..." if len(models) > 2 else ""
        )
        return (
            f"<Bodies: {counted(len(self), 'PyBullet body')} of "
            f"{counted(len(models), 'model')} ({listed})>"
        )

    def __reduce__(self) -> tuple[type[tuple[int, ...]], tuple[tuple[int, ...]]]:
        return tuple, (tuple(map(int, self)),)

    def __dir__(self) -> list[str]:
        return public_names(Bodies, vars(self))

    def _repr_html_(self) -> str:
        return bodies_card([body.notebook_summary() for body in self])

    # --- division by body -------------------------------------------------------------------------

    def _rows(self, body: PyBulletBody) -> list[int]:
        return [self.mechanism.dof_index[key] for key in body.mechanism.v_order]

    def _by_body(
        self, by_joint: Mapping[str, Position]
    ) -> Iterator[tuple[PyBulletBody, dict[str, Position]]]:
        check_names(by_joint, self._of_joint, self.mechanism.bodies)
        parts: dict[int, dict[str, Position]] = {}
        for name, value in by_joint.items():
            parts.setdefault(id(self._of_joint[name]), {})[name] = value
        for body in self:
            if part := parts.get(id(body)):
                yield body, part


def _rows(order: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
    """Return the place of each number in an array."""
    return {key: row for row, key in enumerate(order)}


def _places(
    whole: Mapping[tuple[str, int], int], part: Sequence[tuple[str, int]]
) -> tuple[list[int], list[int]]:
    """Return the places of the numbers of a body in the arrays of all bodies, and in its own."""
    own = [k for k, key in enumerate(part) if key in whole]
    return [whole[part[k]] for k in own], own


_Share = tuple[PyBulletBody, tuple[tuple[list[int], list[int]], tuple[list[int], list[int]]]]
"""A body, and the places of its positions and velocities in all arrays and in its own."""


def _consecutive(
    places: Sequence[_Share], sizes: tuple[int, int]
) -> tuple[tuple[PyBulletBody, slice, slice], ...]:
    """Return the parts of the arrays of positions and velocities that the bodies have; none if the
    arrays do not consist of those of the bodies, one after the other.
    """
    found: list[tuple[PyBulletBody, slice, slice]] = []
    stops = 0, 0
    for body, shares in places:
        own = len(body.q_order), len(body.v_order)
        starts, stops = stops, (stops[0] + own[0], stops[1] + own[1])
        for (rows, places_in_body), start, stop in zip(shares, starts, stops, strict=True):
            if rows != list(range(start, stop)) or len(places_in_body) != stop - start:
                return ()
        found.append((body, slice(starts[0], stops[0]), slice(starts[1], stops[1])))
    return tuple(found) if stops == sizes else ()


def _scoped_models(body: PyBulletBody) -> set[str]:
    """Return the scoped names of the models whose links a body has, and of the models that contain
    them.
    """
    scopes = [part.link.model.split(SEPARATOR) for part in body.mechanism.bodies]
    return {SEPARATOR.join(scope[: depth + 1]) for scope in scopes for depth in range(len(scope))}
