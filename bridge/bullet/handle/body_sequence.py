"""What `load_into_pybullet` gives back for a world, or where one model needs several bodies: a sequence of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Self, overload

import numpy as np

from bridge.bullet.simulation.passive_forces import apply_passive_forces
from bridge.bullet.simulation.split_links import Gap, assembled, gaps, seat
from bridge.bullet.simulation.state import Value
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position, joint_index
from bridge.mechanism.couplings import with_followers
from loaders.diagnostics import Diagnostic
from loaders.spatial import Array, Pose

from .body import PyBulletBody, apply_physics, frame_pose, stacked
from .notebook import shown


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
        """All bodies as one; matrices and forces are in its ``v_order``."""
        self.constraints = constraints
        """PyBullet's constraint ids by the joint that they stand for."""
        self.diagnostics = diagnostics
        """What became of everything in the file, from reading to here."""
        joints, links = joint_index(mechanism.bodies), {body.name for body in mechanism.bodies}
        self._of_joint = {name: body for body in self for name in joint_index(body.mechanism.bodies) if name in joints}
        self._of_link = {name: body for body in self for name in body.links if name in links}

    @overload
    def __getitem__(self, key: int | str) -> PyBulletBody: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[PyBulletBody]: ...
    def __getitem__(self, key: int | slice | str) -> PyBulletBody | Sequence[PyBulletBody]:
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

    def with_link(self, name: str) -> PyBulletBody:
        """The body that has a link.

        Raises:
            ValueError: if none has.
        """
        if name not in self._of_link:
            raise ValueError(f"there is no link {name!r}; there are: {', '.join(self._of_link)}")
        return self._of_link[name]

    @property
    def links(self) -> dict[str, tuple[PyBulletBody, int]]:
        """Body and PyBullet's link index of every link."""
        return {name: (body, body.links[name]) for name, body in self._of_link.items()}

    @property
    def joints(self) -> dict[str, tuple[PyBulletBody, int]]:
        """Body and PyBullet's joint index of every joint."""
        return {name: (body, index) for body in self for name, index in body.joints.items()}

    def link_pose(self, name: str) -> Pose:
        """``X_WL`` of a link of any body; see `Body.link_pose`."""
        return self.with_link(name).link_pose(name)

    def frame_pose(self, name: str) -> Pose:
        """``X_WF`` of a frame of the file; see `Body.frame_pose`."""
        return frame_pose(name, self.mechanism, self.link_pose)

    def positions(self) -> dict[str, Value]:
        """As `Body.positions`, of all."""
        return {name: q for body in self for name, q in body.positions().items() if name in self._of_joint}

    def velocities(self) -> dict[str, Value]:
        """As `Body.velocities`, of all."""
        return {name: v for body in self for name, v in body.velocities().items() if name in self._of_joint}

    def set_positions(self, q: Mapping[str, Position]) -> None:
        """As `Body.set_positions`; couplings between bodies count too, and links that are cut are put together."""
        for body, part in self._split(with_followers(self.mechanism, q)):
            body.set_positions(part)
        self._seat()

    def set_velocities(self, v: Mapping[str, Position]) -> None:
        """As `Body.set_velocities`; couplings between bodies count too."""
        for body, part in self._split(with_followers(self.mechanism, v, rates=True)):
            body.set_velocities(part)
        self._seat()

    @property
    def is_cut(self) -> bool:
        """Whether a link is in parts, on several bodies; see `bridge.bullet.urdf.partitioning`."""
        return any(body.seam is not None for body in self)

    def gaps(self) -> dict[str, Gap]:
        """How far the parts of links that are cut are apart, by the name of the part that is a base."""
        return gaps([body.state for body in self])

    def readback(self) -> Mechanism:
        """The mechanism with the masses and inertias that PyBullet holds, of which rotors are no part."""
        return assembled(self.mechanism, [(body.seam, body.operators.readback()) for body in self])

    def mass_matrix(self) -> Array:
        """As `Body.mass_matrix`, in the ``v_order`` of all; by `readback` if a link is cut."""
        if self.is_cut:
            return self.readback().mass_matrix(self.positions())
        nv = len(self.mechanism.v_order)
        M = np.zeros((nv, nv))
        for body in self:
            rows = self._rows(body)
            M[np.ix_(rows, rows)] = body.mass_matrix()
        return M

    def bias_forces(self, gravity: Sequence[float] | None = None) -> Array:
        """As `Body.bias_forces`, in the ``v_order`` of all."""
        return self.inverse_dynamics({}, gravity)

    def inverse_dynamics(self, accelerations: Mapping[str, Position], gravity: Sequence[float] | None = None) -> Array:
        """As `Body.inverse_dynamics`, in the ``v_order`` of all; by `readback` if a link is cut."""
        if self.is_cut:
            return self._assembled_dynamics(accelerations, gravity)
        forces = np.zeros(len(self.mechanism.v_order))
        for body in self:
            forces[self._rows(body)] = body.inverse_dynamics(accelerations, gravity)
        return forces

    def _assembled_dynamics(self, accelerations: Mapping[str, Position], gravity: Sequence[float] | None) -> Array:
        held, q = self.readback(), self.positions()
        g = self[0].state.gravity() if gravity is None else gravity
        forces: Array = held.mass_matrix(q) @ stacked(accelerations, held) + held.bias_forces(q, self.velocities(), g)
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
            apply_physics(body.state.client, self.mechanism)
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

    def _repr_html_(self) -> str:
        return shown([body.card() for body in self])

    def _seat(self) -> None:
        if self.is_cut:
            seat([body.state for body in self])

    def _rows(self, body: PyBulletBody) -> list[int]:
        number = {key: i for i, key in enumerate(self.mechanism.v_order)}
        return [number[key] for key in body.mechanism.v_order]

    def _split(self, by_joint: Mapping[str, Position]) -> Iterator[tuple[PyBulletBody, dict[str, Position]]]:
        unknown = sorted(by_joint.keys() - self._of_joint.keys())
        if unknown:
            raise ValueError(f"there is no joint {unknown[0]!r}; there are: {', '.join(sorted(self._of_joint))}")
        for body in self:
            part = {name: value for name, value in by_joint.items() if self._of_joint[name] == body}
            if part:
                yield body, part
