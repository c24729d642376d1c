"""A body that `load_into_pybullet` gives back: PyBullet's own id, with the names that the model gave its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Self

import numpy as np

from bridge.bullet.client.client import Client
from bridge.bullet.client.engine_defaults import set_friction
from bridge.bullet.simulation.dynamics_queries import Operators
from bridge.bullet.simulation.efforts import apply_efforts
from bridge.bullet.simulation.passive_forces import apply_passive_forces
from bridge.bullet.simulation.pd_control import control_efforts
from bridge.bullet.simulation.state import State, Value
from bridge.bullet.urdf.articulation import Articulation
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from loaders.diagnostics import Diagnostic
from loaders.model import WORLD, by_name
from loaders.spatial import IDENTITY, Array, Pose

from .notebook import Card, shown


class PyBulletBody(int):
    """A body in PyBullet: its id, which every function of PyBullet takes, and the names that the model gave its parts.

    Positions and velocities are by joint, in the conventions of `bridge.mechanism.coordinates`.
    """

    mechanism: Mechanism
    """What the body is; matrices and forces are in its ``v_order``."""
    name: str
    """Of the model."""
    joints: Mapping[str, int]
    """PyBullet's joint indices by name; a joint of several axes has one name for each, and its own for the last."""
    links: Mapping[str, int]
    """PyBullet's link indices by name; the base is -1. A link that was made one with another has that one's."""
    constraints: Mapping[str, tuple[int, ...]]
    """PyBullet's constraint ids by the joint that they stand for: gears of couplings and screws, closed loops."""
    diagnostics: tuple[Diagnostic, ...]
    """What became of everything in the file, from reading to here."""
    seam: str | None
    """The link, on another body, of which the base is the other part; see `bridge.bullet.urdf.partitioning`."""

    _operators: Operators | None
    _friction_step: float

    def __new__(
        cls,
        state: State,
        constraints: Mapping[str, tuple[int, ...]],
        diagnostics: tuple[Diagnostic, ...],
    ) -> Self:
        """The body that ``state`` asks about."""
        articulation: Articulation = state.articulation
        self = super().__new__(cls, state.body)
        self.mechanism = articulation.mechanism
        self.name = articulation.model
        self.joints = dict(articulation.joints)
        self.links = {name: index for name, (index, _) in articulation.places.items()}
        self.constraints = constraints
        self.diagnostics = diagnostics
        self.seam = articulation.seam
        self._operators = Operators(state)
        self._friction_step = set_friction(state.client, state.body, articulation)
        return self

    @property
    def operators(self) -> Operators:
        """Who asks PyBullet for the body's dynamics.

        Raises:
            RuntimeError: if the body was removed.
        """
        if self._operators is None:
            raise RuntimeError(f"{self.name} was removed from PyBullet")
        return self._operators

    @property
    def state(self) -> State:
        """Who asks PyBullet for the body's state.

        Raises:
            RuntimeError: if the body was removed.
        """
        return self.operators.state

    # --- where it is -------------------------------------------------------------------------------------------------

    def link_pose(self, name: str) -> Pose:
        """``X_WL`` of a link, in double precision.

        Raises:
            ValueError: if the body has no such link.
        """
        return self.state.link_pose(name)

    def frame_pose(self, name: str) -> Pose:
        """``X_WF`` of a frame of the file, in double precision.

        Raises:
            ValueError: if there is no such frame on a link of the body.
        """
        return frame_pose(name, self.mechanism, self.link_pose)

    def positions(self) -> dict[str, Value]:
        """The position of every joint that moves, and of a free base by its link's name."""
        return self.state.positions()

    def velocities(self) -> dict[str, Value]:
        """The velocity of every joint that moves, and of a free base by its link's name."""
        return self.state.velocities()

    def set_positions(self, q: Mapping[str, Position]) -> None:
        """Put joints where ``q`` says, at rest; what is coupled to them follows, the others stay.

        Raises:
            ValueError: for an unknown joint or a position of the wrong size.
        """
        self.state.set_positions(q)

    def set_velocities(self, v: Mapping[str, Position]) -> None:
        """Give joints these velocities where they are; what is coupled to them follows.

        Raises:
            ValueError: for an unknown joint or a velocity of the wrong size.
        """
        self.state.set_velocities(v)

    # --- how it moves ------------------------------------------------------------------------------------------------

    @property
    def dynamics_source(self) -> str:
        """What computes `mass_matrix` and `bias_forces`: ``pybullet`` or ``readback``.

        See `bridge.bullet.simulation.dynamics_queries`.
        """
        return self.operators.source

    def readback(self) -> Mechanism:
        """The mechanism with the masses and inertias that PyBullet holds, of which rotors are no part."""
        return self.operators.readback()

    def mass_matrix(self) -> Array:
        """The mass matrix at the present position, shape (nv, nv), in ``mechanism.v_order``; without rotors."""
        return self.operators.mass_matrix()

    def bias_forces(self, gravity: Sequence[float] | None = None) -> Array:
        """The forces that hold all accelerations at zero in the present state, shape (nv,), in ``mechanism.v_order``.

        Args:
            gravity: In the world [m/s^2]; None is PyBullet's present gravity.
        """
        return self.operators.bias_forces(gravity)

    def inverse_dynamics(self, accelerations: Mapping[str, Position], gravity: Sequence[float] | None = None) -> Array:
        """The forces that make these accelerations in the present state, shape (nv,), in ``mechanism.v_order``."""
        return self.operators.inverse_dynamics(stacked(accelerations, self.mechanism), gravity)

    def apply_efforts(self, efforts: Mapping[str, Position]) -> None:
        """Apply forces and torques by joint for one step, each cut to the joint's effort limit.

        Raises:
            ValueError: for an unknown joint or an effort of the wrong size.
        """
        apply_efforts(self.state, efforts)

    def apply_control(
        self, positions: Mapping[str, Position], velocities: Mapping[str, Position] | None = None
    ) -> None:
        """Let the file's controllers drive joints to positions and velocities (zero if not given), for one step.

        Raises:
            ValueError: for a joint without gains in the file.
        """
        apply_efforts(self.state, control_efforts(self.state, positions, velocities or {}))

    def apply_passive_forces(self) -> None:
        """Apply for one step what the model has and PyBullet has not; see `bridge.bullet.simulation.passive_forces`.

        Where joints have dry friction and the time step is not what it was, their friction is set anew, which replaces
        any motor of theirs.
        """
        self.adapt_friction()
        apply_passive_forces([self.state], self.mechanism)

    def adapt_friction(self) -> None:
        """Set dry friction anew if the time step has changed: PyBullet keeps it as an impulse for each step."""
        state = self.state
        if state.client.getPhysicsEngineParameters()["fixedTimeStep"] != self._friction_step:
            self._friction_step = set_friction(state.client, state.body, state.articulation)

    def step(self) -> None:
        """Apply the passive forces of this body and step the whole simulation."""
        self.apply_passive_forces()
        self.state.client.stepSimulation()

    def apply_physics(self) -> None:
        """Give PyBullet's world the gravity and the time step of the file; loading never does."""
        apply_physics(self.state.client, self.mechanism)
        self.adapt_friction()

    # --- its life ----------------------------------------------------------------------------------------------------

    def remove(self) -> None:
        """Remove the body and its constraints from PyBullet; a second call does nothing."""
        if self._operators is not None and self.state.client.is_connected():
            self.state.client.removeBody(int(self))
        self._operators = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<Body {int(self)} {self.name!r}: {len(self.links)} links, {len(self.joints)} joints>"

    def card(self) -> Card:
        """What there is to show of it."""
        is_loaded = self._operators is not None and self.state.client.is_connected()
        return Card(
            name=self.name,
            link_count=len(self.links),
            joint_count=len(self.joints),
            diagnostics=self.diagnostics,
            state=self.state if is_loaded else None,
        )

    def _repr_html_(self) -> str:
        return shown([self.card()])

    def __str__(self) -> str:
        return int.__repr__(self)

    def __format__(self, spec: str) -> str:
        return int.__format__(self, spec)

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)


def frame_pose(name: str, mechanism: Mechanism, link_pose: Callable[[str], Pose]) -> Pose:
    """``X_WF`` of a frame of the scene, from where links are.

    Raises:
        ValueError: if there is no such frame, or link.
    """
    frames = by_name(mechanism.scene.frames)
    if name not in frames:
        raise ValueError(f"there is no frame {name!r}; there are: {', '.join(frames) or 'none'}")
    frame = frames[name]
    X_WL = IDENTITY if frame.link == WORLD else link_pose(frame.link)
    return X_WL @ frame.X_LF


def stacked(accelerations: Mapping[str, Position], mechanism: Mechanism) -> Array:
    """Accelerations in ``v_order``, shape (nv,); those of other joints do not count."""
    known = [np.atleast_1d(accelerations.get(name, np.zeros(6)))[k] for name, k in mechanism.v_order]
    return np.array(known, dtype=np.float64)


def apply_physics(client: Client, mechanism: Mechanism) -> None:
    """Give PyBullet's world the gravity and the time step of a scene."""
    client.setGravity(*mechanism.scene.gravity.tolist())
    client.setTimeStep(mechanism.scene.physics.time_step)
