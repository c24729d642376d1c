"""Handle of a PyBullet body: PyBullet's body id, with access to links and joints by their names in the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Self

import numpy as np

from bridge.bullet.client.client import Client
from bridge.bullet.contact.pair_filters import LinkPair, forget_pairs
from bridge.bullet.simulation.dynamics_queries import DynamicsQueries
from bridge.bullet.simulation.efforts import apply_efforts
from bridge.bullet.simulation.engine_defaults import set_friction
from bridge.bullet.simulation.passive_forces import apply_passive_forces
from bridge.bullet.simulation.pd_control import control_efforts
from bridge.bullet.simulation.state import State, Value
from bridge.bullet.urdf.articulation import Articulation
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position, velocities_by_body
from loaders.diagnostics import Diagnostic
from loaders.display.finding_list import FindingList
from loaders.model import WORLD, by_name
from loaders.reading.deferred import Deferred
from loaders.safety.unknown_names import NameIndex, unknown_name
from loaders.spatial import IDENTITY, Array, Pose

from .kinematic_loops import by_joint, loop_gaps, loop_joints
from .notebook_summary import NotebookSummary
from .public_names import abbreviated, public_names

bodies_card: Callable[..., str] = Deferred("bridge.bullet.handle.notebook:bodies_card")
"""Function that returns the table and the image of bodies from their summaries."""


class PyBulletBody(int):
    """A PyBullet body: its id, accepted by every PyBullet function, and the names of its links and joints.

    Positions and velocities are keyed by joint, in the conventions of `bridge.mechanism.coordinates`.
    """

    mechanism: Mechanism
    """The part of the mechanism that the body holds; matrices and forces are in its ``v_order``."""
    name: str
    """Name of the model."""
    joints: Mapping[str, int]
    """PyBullet's joint indices by name; a joint with several axes also by its own name, for the last of them."""
    links: Mapping[str, int]
    """PyBullet's link indices by name; the base is -1, and a merged link has the index of the link that carries it."""
    constraints: Mapping[str, tuple[int, ...]]
    """PyBullet's constraint ids, keyed by the joint that they represent: couplings, screws and closed loops."""
    diagnostics: tuple[Diagnostic, ...]
    """Findings of reading, lowering and loading."""
    split_link: str | None
    """Name of the link, on another body, whose other half is the base; see `bridge.bullet.urdf.partitioning`."""

    _dynamics: DynamicsQueries | None
    _pybullet_names: tuple[bytes, bytes] | None
    _friction_step: float
    _start: Mapping[str, Value]
    _disabled: Sequence[LinkPair]

    def __new__(
        cls,
        state: State,
        constraints: Mapping[str, tuple[int, ...]],
        diagnostics: tuple[Diagnostic, ...],
        disabled: Sequence[LinkPair] = (),
    ) -> Self:
        """Create the handle of the body whose state is ``state``; ``disabled`` are its pairs that never collide."""
        articulation: Articulation = state.articulation
        self = super().__new__(cls, state.body)
        self.mechanism = articulation.mechanism
        self.name = articulation.model
        self.joints = NameIndex("joint", articulation.joints, loop_joints(self.mechanism))
        self.links = NameIndex("link", {name: index for name, (index, _) in articulation.link_segments.items()})
        self.constraints = constraints
        self.diagnostics = FindingList(diagnostics)
        self.split_link = articulation.split_link
        self._dynamics = DynamicsQueries(state)
        self._pybullet_names = state.client.body_names(state.body)
        self._friction_step = set_friction(state.client, state.body, articulation)
        self._start = state.positions()
        self._disabled = disabled
        return self

    @property
    def dynamics(self) -> DynamicsQueries:
        """Interface to PyBullet's dynamics queries for this body.

        Raises:
            RuntimeError: if the body was removed, or the physics server was reset or closed.
        """
        if self._dynamics is None or not self._is_loaded():
            raise RuntimeError(self._reason_of_absence())
        return self._dynamics

    def _reason_of_absence(self) -> str:
        name = abbreviated(self.name)
        if self._dynamics is None:
            return f"{name} was removed from PyBullet"
        if not self._dynamics.state.client.is_connected():
            return f"the physics server of {name} is closed; connect again and load the model again"
        return f"{name} is no longer in PyBullet: resetSimulation or removeBody removed it; load the model again"

    @property
    def state(self) -> State:
        """Interface to the state of this body in PyBullet.

        Raises:
            RuntimeError: if the body was removed.
        """
        return self.dynamics.state

    # --- positions and poses -----------------------------------------------------------------------------------------

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
        """Return the position of every joint with degrees of freedom, and of a free base under its link's name."""
        return by_joint(self.state.positions(), self.mechanism)

    def velocities(self) -> dict[str, Value]:
        """Return the velocity of every joint with degrees of freedom, and of a free base under its link's name."""
        return by_joint(self.state.velocities(), self.mechanism)

    def set_positions(self, q: Mapping[str, Position]) -> None:
        """Set joint positions, at rest; coupled joints follow, and other joints stay.

        So do those of a kinematic loop: give positions at which the loop is closed, see `loop_gaps`. PyBullet's solver
        pulls an open loop shut in the steps that follow, with large forces.

        Args:
            q: Positions by joint. A follower that is named gets its own position, even one that contradicts its
                coupling, and its leader stays: name the leader to move both.

        Raises:
            ValueError: for an unknown joint or a position of the wrong size.
        """
        self.state.set_positions(q)

    def loop_gaps(self) -> dict[str, float]:
        """Return by how much each kinematic loop is open at present, by the joint that closes it [m].

        Constraints that hold points or frames of two links together have the names of both links, as in `constraints`.
        """
        return loop_gaps(self.mechanism, self.link_pose)

    def set_velocities(self, v: Mapping[str, Position]) -> None:
        """Set joint velocities; coupled joints follow, and positions stay.

        Raises:
            ValueError: for an unknown joint or a velocity of the wrong size.
        """
        self.state.set_velocities(v)

    def reset(self) -> None:
        """Set all joints and a free base to the positions in which the model was loaded, at rest; followers too."""
        self.state.set_positions(self._start)

    # --- dynamics ----------------------------------------------------------------------------------------------------

    @property
    def dynamics_source(self) -> str:
        """Source of `mass_matrix` and `bias_forces`: ``pybullet`` or ``readback``.

        See `bridge.bullet.simulation.dynamics_queries`.
        """
        return self.dynamics.source

    def mechanism_from_pybullet(self) -> Mechanism:
        """Return the mechanism with the masses and inertias that PyBullet holds, without rotor inertia."""
        return self.dynamics.mechanism_from_pybullet()

    def mass_matrix(self) -> Array:
        """Return the mass matrix at the present position, shape (nv, nv), in ``mechanism.v_order``; without rotors."""
        return self.dynamics.mass_matrix()

    def bias_forces(self, gravity: Sequence[float] | None = None) -> Array:
        """Return the forces that hold all accelerations at zero, shape (nv,), in ``mechanism.v_order``.

        Args:
            gravity: Gravity in the world [m/s^2]; None for PyBullet's present gravity.
        """
        return self.dynamics.bias_forces(gravity)

    def inverse_dynamics(self, accelerations: Mapping[str, Position], gravity: Sequence[float] | None = None) -> Array:
        """Return the forces that cause the given accelerations, shape (nv,), in ``mechanism.v_order``.

        Args:
            accelerations: Acceleration by joint, in the convention of velocities; zero for a joint without one.
            gravity: Gravity in the world [m/s^2]; None for PyBullet's present gravity.

        Raises:
            ValueError: for an unknown joint, and for an acceleration of the wrong size or that is not finite.
        """
        return self.dynamics.inverse_dynamics(as_vector(accelerations, self.mechanism), gravity)

    def apply_efforts(self, efforts: Mapping[str, Position]) -> None:
        """Apply joint forces and torques for one step, each clipped to the effort limit of its joint.

        PyBullet adds the efforts of several calls before one step, so that their sum may exceed the limit.

        Raises:
            ValueError: for an unknown joint, and for an effort of the wrong size or that is not finite.
        """
        apply_efforts(self.state, efforts)

    def apply_control(
        self, positions: Mapping[str, Position], velocities: Mapping[str, Position] | None = None
    ) -> None:
        """Apply for one step the efforts of the file's controllers.

        Args:
            positions: Desired positions by joint.
            velocities: Desired velocities by joint; zero for a joint without one.

        Raises:
            ValueError: if a joint has no gains in the file.
        """
        apply_efforts(self.state, control_efforts(self.state, positions, velocities or {}))

    def apply_passive_forces(self) -> None:
        """Apply for one step the forces that PyBullet does not compute.

        See `bridge.bullet.simulation.passive_forces`. If the time step has changed, dry friction is set again, which
        replaces the motors of the joints that have some.
        """
        self.adapt_friction()
        apply_passive_forces([self.state], self.mechanism)

    def adapt_friction(self) -> None:
        """Set dry friction again if the time step has changed, because PyBullet stores it as an impulse per step."""
        state = self.state
        if state.client.getPhysicsEngineParameters()["fixedTimeStep"] != self._friction_step:
            self._friction_step = set_friction(state.client, state.body, state.articulation)

    def step(self) -> None:
        """Apply the passive forces of this body and step the whole simulation."""
        self.apply_passive_forces()
        self.state.client.stepSimulation()

    def apply_physics(self) -> None:
        """Set the physics server's gravity and time step to those of the file; loading does not.

        If the solver holds couplings, screws or loops of the body, all its iterations are done: PyBullet would stop
        once the square of the change of the impulses is below 1e-7.
        """
        apply_physics(self.state.client, self.mechanism, solve_fully=bool(self.constraints))
        self.adapt_friction()

    # --- removal -----------------------------------------------------------------------------------------------------

    def remove(self) -> None:
        """Remove the body and its constraints from PyBullet; a second call has no effect."""
        remove_bodies([self])

    def _is_loaded(self) -> bool:
        """Return whether PyBullet has the body; after a reset another body may have its id, but other names."""
        if self._dynamics is None or self._pybullet_names is None:
            return False
        return self._dynamics.state.client.body_names(int(self)) == self._pybullet_names

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    # --- display -----------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return (
            f"<PyBulletBody {int(self)} {abbreviated(self.name)!r}: {len(self.links)} links, "
            f"{len(self.joints)} joints, {len(self.diagnostics)} diagnostics>"
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
        forget_pairs(client, body._disabled)
    for body in bodies:
        body._dynamics = None


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
        ValueError: for an unknown joint, and for an acceleration of the wrong size or that is not finite.
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
