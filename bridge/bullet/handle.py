"""What `load_into_pybullet` gives back: PyBullet's body id with the model's names, and a sequence of such bodies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Self, overload

import numpy as np

from bridge.coordinates import joint_index
from bridge.mechanism import Mechanism, Position
from loaders.diagnostics import Diagnostic
from loaders.model import WORLD, by_name
from loaders.spatial import IDENTITY, Array, Pose

from .articulation import Articulation
from .client import Client
from .control import control_efforts
from .operators import Operators
from .passive import apply_efforts, apply_passive_forces
from .picture import Pictured
from .settings import set_friction
from .state import State, Value, with_followers


class Body(Pictured, int):
    """A body in PyBullet: its id, which every function of PyBullet takes, and the names that the model gave its parts.

    Positions and velocities are by joint, in the conventions of `bridge.coordinates`.
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
        return _frame_pose(self, self.mechanism, name)

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
        """Who computes `mass_matrix` and `bias_forces`: ``pybullet`` or ``readback``; see `bridge.bullet.operators`."""
        return self.operators.source

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
        a = [np.atleast_1d(accelerations.get(name, np.zeros(6)))[k] for name, k in self.mechanism.v_order]
        return self.operators.inverse_dynamics(np.array(a, dtype=np.float64), gravity)

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
        """Apply for one step what the model has and PyBullet has not; see `bridge.bullet.passive`.

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
        _apply_physics(self.state.client, self.mechanism)
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

    def __str__(self) -> str:
        return int.__repr__(self)

    def __format__(self, spec: str) -> str:
        return int.__format__(self, spec)

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)


class Bodies(Pictured, Sequence[Body]):
    """The bodies of one scene: by number, by the name of their model, and as one mechanism."""

    def __init__(
        self,
        bodies: Sequence[Body],
        mechanism: Mechanism,
        constraints: Mapping[str, tuple[int, ...]],
        diagnostics: tuple[Diagnostic, ...],
    ) -> None:
        self._bodies = tuple(bodies)
        self.mechanism = mechanism
        """All bodies as one; matrices and forces are in its ``v_order``."""
        self.constraints = constraints
        """PyBullet's constraint ids by the joint that they stand for."""
        self.diagnostics = diagnostics
        """What became of everything in the file, from reading to here."""
        self._of_joint = {name: body for body in self for name in _joint_names(body)}
        self._of_link = {name: body for body in self for name in body.links}

    @overload
    def __getitem__(self, key: int | str) -> Body: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Body]: ...
    def __getitem__(self, key: int | slice | str) -> Body | Sequence[Body]:
        if not isinstance(key, str):
            return self._bodies[key]
        found = [body for body in self if body.name == key]
        if len(found) != 1:
            names = ", ".join(dict.fromkeys(body.name for body in self))
            problem = f"{len(found)} bodies; use with_link" if found else f"none; there are: {names}"
            raise KeyError(f"model {key!r} has {problem}")
        return found[0]

    def __len__(self) -> int:
        return len(self._bodies)

    def with_link(self, name: str) -> Body:
        """The body that has a link.

        Raises:
            ValueError: if none has.
        """
        if name not in self._of_link:
            raise ValueError(f"there is no link {name!r}; there are: {', '.join(self._of_link)}")
        return self._of_link[name]

    @property
    def links(self) -> dict[str, tuple[Body, int]]:
        """Body and PyBullet's link index of every link."""
        return {name: (body, body.links[name]) for name, body in self._of_link.items()}

    @property
    def joints(self) -> dict[str, tuple[Body, int]]:
        """Body and PyBullet's joint index of every joint."""
        return {name: (body, index) for body in self for name, index in body.joints.items()}

    def link_pose(self, name: str) -> Pose:
        """``X_WL`` of a link of any body; see `Body.link_pose`."""
        return self.with_link(name).link_pose(name)

    def frame_pose(self, name: str) -> Pose:
        """``X_WF`` of a frame of the file; see `Body.frame_pose`."""
        return _frame_pose(self, self.mechanism, name)

    def positions(self) -> dict[str, Value]:
        """As `Body.positions`, of all."""
        return {name: value for body in self for name, value in body.positions().items()}

    def velocities(self) -> dict[str, Value]:
        """As `Body.velocities`, of all."""
        return {name: value for body in self for name, value in body.velocities().items()}

    def set_positions(self, q: Mapping[str, Position]) -> None:
        """As `Body.set_positions`; couplings between bodies count too."""
        for body, part in self._split(with_followers(self.mechanism, q)):
            body.set_positions(part)

    def set_velocities(self, v: Mapping[str, Position]) -> None:
        """As `Body.set_velocities`; couplings between bodies count too."""
        for body, part in self._split(with_followers(self.mechanism, v, rates=True)):
            body.set_velocities(part)

    def mass_matrix(self) -> Array:
        """As `Body.mass_matrix`, in the ``v_order`` of all."""
        nv = len(self.mechanism.v_order)
        M = np.zeros((nv, nv))
        for body in self:
            rows = self._rows(body)
            M[np.ix_(rows, rows)] = body.mass_matrix()
        return M

    def bias_forces(self, gravity: Sequence[float] | None = None) -> Array:
        """As `Body.bias_forces`, in the ``v_order`` of all."""
        forces = np.zeros(len(self.mechanism.v_order))
        for body in self:
            forces[self._rows(body)] = body.bias_forces(gravity)
        return forces

    def apply_efforts(self, efforts: Mapping[str, Position]) -> None:
        """As `Body.apply_efforts`, for joints of any body."""
        for body, part in self._split(efforts):
            body.apply_efforts(part)

    def apply_control(
        self, positions: Mapping[str, Position], velocities: Mapping[str, Position] | None = None
    ) -> None:
        """As `Body.apply_control`, for joints of any body."""
        for body, part in self._split(positions):
            body.apply_control(part, velocities)

    def apply_passive_forces(self) -> None:
        """As `Body.apply_passive_forces`, of all, and springs between them."""
        for body in self:
            body.adapt_friction()
        apply_passive_forces([body.state for body in self], self.mechanism)

    def step(self) -> None:
        """Apply the passive forces of all bodies and step the whole simulation."""
        self.apply_passive_forces()
        for body in self[:1]:
            body.state.client.stepSimulation()

    def apply_physics(self) -> None:
        """As `Body.apply_physics`."""
        for body in self[:1]:
            _apply_physics(body.state.client, self.mechanism)
        for body in self:
            body.adapt_friction()

    def remove(self) -> None:
        """Remove all bodies from PyBullet."""
        for body in self:
            body.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"Bodies({', '.join(map(repr, self))})"

    def _rows(self, body: Body) -> list[int]:
        number = {key: i for i, key in enumerate(self.mechanism.v_order)}
        return [number[key] for key in body.mechanism.v_order]

    def _split(self, by_joint: Mapping[str, Position]) -> Iterator[tuple[Body, dict[str, Position]]]:
        unknown = sorted(by_joint.keys() - self._of_joint.keys())
        if unknown:
            raise ValueError(f"there is no joint {unknown[0]!r}; there are: {', '.join(sorted(self._of_joint))}")
        for body in self:
            part = {name: value for name, value in by_joint.items() if self._of_joint[name] == body}
            if part:
                yield body, part


def _joint_names(body: Body) -> Iterator[str]:
    yield from joint_index(body.mechanism)


def _frame_pose(owner: Body | Bodies, mechanism: Mechanism, name: str) -> Pose:
    frames = by_name(mechanism.scene.frames)
    if name not in frames:
        raise ValueError(f"there is no frame {name!r}; there are: {', '.join(frames) or 'none'}")
    frame = frames[name]
    X_WL = IDENTITY if frame.link == WORLD else owner.link_pose(frame.link)
    return X_WL @ frame.X_LF


def _apply_physics(client: Client, mechanism: Mechanism) -> None:
    client.setGravity(*mechanism.scene.gravity.tolist())
    client.setTimeStep(mechanism.scene.physics.time_step)
