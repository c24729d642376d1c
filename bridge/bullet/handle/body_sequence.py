"""Handle of several PyBullet bodies: those of a world, or of a model that needs more than one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn, Self, overload

import numpy as np

from bridge.bullet.simulation.passive_forces import apply_passive_forces
from bridge.bullet.simulation.split_links import (
    Separation,
    align_split_links,
    link_separation,
    merge_partitions,
)
from bridge.bullet.simulation.state import Value
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position, check_names, joint_index
from bridge.mechanism.couplings import with_followers
from loaders.diagnostics import Diagnostic
from loaders.display.finding_list import FindingList
from loaders.safety.unknown_names import NameIndex, UnknownNameError, unknown_name
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import Array, Pose

from .body import PyBulletBody, apply_physics, as_vector, bodies_card, frame_pose, remove_bodies
from .kinematic_loops import by_joint, loop_gaps, loop_joints
from .public_names import abbreviated, public_names

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
        self.constraints = constraints
        """PyBullet's constraint ids, keyed by the joint that they represent."""
        self.diagnostics = FindingList(diagnostics)
        """Findings of reading, lowering and loading."""
        joints, links = joint_index(mechanism.bodies), {body.name for body in mechanism.bodies}
        self._of_joint = {name: body for body in self for name in joint_index(body.mechanism.bodies) if name in joints}
        self._of_link = {name: body for body in self for name in body.links if name in links}

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
            raise UnknownNameError(f"model {key!r} has {len(named)} bodies; choose one by a link, with with_link")
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
            f"{len(self)} PyBullet bodies have no single id; choose one by number, by the name of its model "
            f"({names or 'none'}{rest}), or by a link, with with_link"
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
        return NameIndex("link", {name: (body, body.links[name]) for name, body in self._of_link.items()})

    @property
    def joints(self) -> dict[str, tuple[PyBulletBody, int]]:
        """Body and PyBullet's joint index of every joint."""
        entries = {name: (body, index) for body in self for name, index in body.joints.items()}
        return NameIndex("joint", entries, loop_joints(self.mechanism))

    # --- positions and poses -----------------------------------------------------------------------------------------

    def link_pose(self, name: str) -> Pose:
        """Return the pose ``X_WL`` of a link of any body; see `PyBulletBody.link_pose`."""
        return self.with_link(name).link_pose(name)

    def frame_pose(self, name: str) -> Pose:
        """Return the pose ``X_WF`` of a frame of the file; see `PyBulletBody.frame_pose`."""
        return frame_pose(name, self.mechanism, self.link_pose)

    def positions(self) -> dict[str, Value]:
        """Return the position of every joint of all bodies; see `PyBulletBody.positions`."""
        found = {name: q for body in self for name, q in body.positions().items() if name in self._of_joint}
        return by_joint(found, self.mechanism)

    def velocities(self) -> dict[str, Value]:
        """Return the velocity of every joint of all bodies; see `PyBulletBody.velocities`."""
        found = {name: v for body in self for name, v in body.velocities().items() if name in self._of_joint}
        return by_joint(found, self.mechanism)

    def set_positions(self, q: Mapping[str, Position]) -> None:
        """Set joint positions, at rest; joints coupled across bodies follow, and split links are realigned.

        Raises:
            ValueError: for an unknown joint or a position of the wrong size.
        """
        for body, part in self._by_body(with_followers(self.mechanism, q)):
            body.set_positions(part)
        self._align_split_links()

    def loop_gaps(self) -> dict[str, float]:
        """Return by how much each kinematic loop of any body is open; see `PyBulletBody.loop_gaps`."""
        return loop_gaps(self.mechanism, self.link_pose)

    def set_velocities(self, v: Mapping[str, Position]) -> None:
        """Set joint velocities; joints coupled across bodies follow, and split links are realigned.

        Raises:
            ValueError: for an unknown joint or a velocity of the wrong size.
        """
        for body, part in self._by_body(with_followers(self.mechanism, v, rates=True)):
            body.set_velocities(part)
        self._align_split_links()

    def reset(self) -> None:
        """Set all joints and free bases to the positions in which they were loaded, at rest; followers too."""
        for body in self:
            body.reset()
        self._align_split_links()

    # --- split links -------------------------------------------------------------------------------------------------

    @property
    def has_split_links(self) -> bool:
        """Return whether a link is split across several bodies; see `bridge.bullet.urdf.partitioning`."""
        return any(body.split_link is not None for body in self)

    def link_separation(self) -> dict[str, Separation]:
        """Return the distance and angle between the halves of split links, by the name of the half that is a base."""
        return link_separation([body.state for body in self])

    def gaps(self) -> dict[str, Separation]:
        """Return the result of `link_separation`, of which this is the former name."""
        return self.link_separation()

    def _align_split_links(self) -> None:
        if self.has_split_links:
            align_split_links([body.state for body in self])

    # --- dynamics ----------------------------------------------------------------------------------------------------

    def mechanism_from_pybullet(self) -> Mechanism:
        """Return the mechanism with the masses and inertias that PyBullet holds, without rotor inertia."""
        return merge_partitions(self.mechanism, [(body.split_link, body.mechanism_from_pybullet()) for body in self])

    def mass_matrix(self) -> Array:
        """Return the mass matrix of all bodies at the present position, shape (nv, nv), in ``mechanism.v_order``.

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
        """Return the forces that hold all accelerations at zero, shape (nv,), in ``mechanism.v_order``.

        Args:
            gravity: Gravity in the world [m/s^2]; None for PyBullet's present gravity.
        """
        return self.inverse_dynamics({}, gravity)

    def inverse_dynamics(self, accelerations: Mapping[str, Position], gravity: Sequence[float] | None = None) -> Array:
        """Return the forces that cause the given accelerations, shape (nv,), in ``mechanism.v_order``.

        If a link is split, they are computed from `mechanism_from_pybullet`.

        Args:
            accelerations: Acceleration by joint, in the convention of velocities; zero for a joint without one.
            gravity: Gravity in the world [m/s^2]; None for PyBullet's present gravity.

        Raises:
            ValueError: for an unknown joint, and for an acceleration of the wrong size or that is not finite.
        """
        if self.has_split_links:
            return self._merged_inverse_dynamics(accelerations, gravity)
        forces = np.zeros(len(self.mechanism.v_order))
        parts = dict(self._by_body(accelerations))
        for body in self:
            forces[self._rows(body)] = body.inverse_dynamics(parts.get(body, {}), gravity)
        return forces

    def _merged_inverse_dynamics(self, accelerations: Mapping[str, Position], gravity: Sequence[float] | None) -> Array:
        mechanism, q = self.mechanism_from_pybullet(), self.positions()
        g = self[0].state.gravity() if gravity is None else gravity
        bias = mechanism.bias_forces(q, self.velocities(), g)
        forces: Array = mechanism.mass_matrix(q) @ as_vector(accelerations, mechanism) + bias
        return forces

    def apply_efforts(self, efforts: Mapping[str, Position]) -> None:
        """Apply forces and torques to joints of any body for one step; see `PyBulletBody.apply_efforts`.

        Raises:
            ValueError: for an unknown joint, and for an effort of the wrong size or that is not finite.
        """
        for body, part in self._by_body(efforts):
            body.apply_efforts(part)

    def apply_control(
        self, positions: Mapping[str, Position], velocities: Mapping[str, Position] | None = None
    ) -> None:
        """Apply for one step the efforts of the file's controllers, for joints of any body.

        Args:
            positions: Desired positions by joint.
            velocities: Desired velocities by joint; zero for a joint without one.

        Raises:
            ValueError: for an unknown joint or one without gains in the file.
        """
        for body, part in self._by_body(positions):
            body.apply_control(part, velocities)

    def apply_passive_forces(self) -> None:
        """Apply for one step the passive forces of all bodies and between them; see `PyBulletBody`."""
        for body in self:
            body.adapt_friction()
        apply_passive_forces([body.state for body in self], self.mechanism)

    def step(self) -> None:
        """Apply the passive forces of all bodies and step the whole simulation."""
        self.apply_passive_forces()
        for body in self[:1]:
            body.state.client.stepSimulation()

    def apply_physics(self) -> None:
        """Set the physics server's gravity and time step to those of the file; see `PyBulletBody.apply_physics`."""
        for body in self[:1]:
            apply_physics(body.state.client, self.mechanism, solve_fully=bool(self.constraints))
        for body in self:
            body.adapt_friction()

    # --- removal and display -----------------------------------------------------------------------------------------

    def remove(self) -> None:
        """Remove all bodies from PyBullet."""
        remove_bodies(list(self))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        models = dict.fromkeys(body.name for body in self)
        listed = ", ".join(abbreviated(name) for name in list(models)[:2]) + (", ..." if len(models) > 2 else "")
        return f"<Bodies: {len(self)} PyBullet bodies of {len(models)} models ({listed})>"

    def __dir__(self) -> list[str]:
        return public_names(Bodies, vars(self))

    def _repr_html_(self) -> str:
        return bodies_card([body.notebook_summary() for body in self])

    # --- division by body --------------------------------------------------------------------------------------------

    def _rows(self, body: PyBulletBody) -> list[int]:
        return [self.mechanism.dof_index[key] for key in body.mechanism.v_order]

    def _by_body(self, by_joint: Mapping[str, Position]) -> Iterator[tuple[PyBulletBody, dict[str, Position]]]:
        check_names(by_joint, self._of_joint, self.mechanism.bodies)
        for body in self:
            part = {name: value for name, value in by_joint.items() if self._of_joint[name] == body}
            if part:
                yield body, part


def _scoped_models(body: PyBulletBody) -> set[str]:
    """Return the scoped names of the models whose links a body has, and of the models that contain them."""
    scopes = [part.link.model.split(SEPARATOR) for part in body.mechanism.bodies]
    return {SEPARATOR.join(scope[: depth + 1]) for scope in scopes for depth in range(len(scope))}
