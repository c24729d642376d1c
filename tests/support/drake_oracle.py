"""Drake as a witness: its answers under our names, in our coordinates.

Drake reads the same file with its own parser. Only names are taken from the scene, to say which of its joints is which
of ours; every number is Drake's. It reads without a scene graph, hence ignores all geometry and every mesh.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from loaders import Scene
from loaders.model import WORLD
from loaders.spatial import matrix_to_quaternion

os.environ.setdefault("DRAKE_ALLOW_NETWORK", "package_map")

Q = dict[str, float | tuple[float, ...]]
"""Positions by joint name, in our convention: see `bridge.mechanism.coordinates`."""

_WELD, _FLOATING, _BALL = "weld", "quaternion_floating", "ball_rpy"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrakeOracle:
    """A plant of Drake's and the names that its parts have with us."""

    plant: Any
    context: Any
    links: Mapping[str, Any]
    """Drake's bodies by our link names, the world's left out."""
    joints: Mapping[str, Any]
    """Drake's moving joints by our names; a floating base by the name of its link."""
    repaired: tuple[str, ...]
    """What Drake said about inertias that it replaced by those of a ball of water; empty if it kept them all."""

    # --- asking ------------------------------------------------------------------------------------------------------

    def link_poses(self, q: Q) -> dict[str, np.ndarray]:
        """``X_WL`` of every link as a matrix of shape (4, 4); joints that ``q`` leaves out stand at zero."""
        self._set(q, {})
        return {name: body.EvalPoseInWorld(self.context).GetAsMatrix4() for name, body in self.links.items()}

    def total_mass(self) -> float:
        """The mass of everything [kg]."""
        return float(self.plant.CalcTotalMass(self.context))

    def masses(self) -> dict[str, float]:
        """The mass of every link [kg]."""
        return {name: float(body.default_mass()) for name, body in self.links.items()}

    def mass_matrix(self, q: Q, v_order: Sequence[tuple[str, int]]) -> np.ndarray:
        """The mass matrix in the given order of velocities, reflected inertia included."""
        self._set(q, {})
        order = self._order(v_order)
        return np.asarray(self.plant.CalcMassMatrix(self.context))[np.ix_(order, order)]

    def gravity_forces(self, q: Q, v_order: Sequence[tuple[str, int]]) -> np.ndarray:
        """The generalised forces by which gravity pulls, in the given order."""
        self._set(q, {})
        return np.asarray(self.plant.CalcGravityGeneralizedForces(self.context))[self._order(v_order)]

    def bias_forces(self, q: Q, v: Q, v_order: Sequence[tuple[str, int]]) -> np.ndarray:
        """Coriolis, centrifugal and gravity terms, in the given order; `bridge.mechanism` has the sign."""
        self._set(q, v)
        bias = self.plant.CalcBiasTerm(self.context) - self.plant.CalcGravityGeneralizedForces(self.context)
        return np.asarray(bias)[self._order(v_order)]

    def random_positions(self, seed: int, scene: Scene) -> Q:
        """Random positions inside the limits; what the scene couples follows its leader."""
        rng = np.random.default_rng(seed)
        q = {name: _sample(joint, rng) for name, joint in sorted(self.joints.items())}
        for coupling in scene.couplings:
            leader = q[coupling.leader]
            assert isinstance(leader, float)
            q[coupling.follower] = coupling.multiplier * leader + coupling.offset
        return q

    def random_velocities(self, seed: int) -> Q:
        """Random velocities of all joints."""
        rng = np.random.default_rng(seed)
        drawn = {name: rng.uniform(-1.0, 1.0, joint.num_velocities()) for name, joint in sorted(self.joints.items())}
        return {name: float(v[0]) if len(v) == 1 else tuple(v.tolist()) for name, v in drawn.items()}

    # --- coordinates -------------------------------------------------------------------------------------------------

    def _set(self, q: Q, v: Q) -> None:
        positions = self.plant.GetPositions(self.plant.CreateDefaultContext())
        velocities = np.zeros(self.plant.num_velocities())
        unknown = (q.keys() | v.keys()) - self.joints.keys()
        assert not unknown, f"Drake has no joints {sorted(unknown)}"
        for name, value in q.items():
            joint = self.joints[name]
            start = joint.position_start()
            positions[start : start + joint.num_positions()] = _position_to_drake(joint, value)
        for name, value in v.items():
            joint = self.joints[name]
            start = joint.velocity_start()
            numbers = np.atleast_1d(value)
            velocities[start : start + len(numbers)] = (
                np.roll(numbers, 3) if joint.type_name() == _FLOATING else numbers
            )
        self.plant.SetPositions(self.context, positions)
        self.plant.SetVelocities(self.context, velocities)

    def _order(self, v_order: Sequence[tuple[str, int]]) -> list[int]:
        order = []
        for name, component in v_order:
            joint = self.joints[name]
            shift = (component + 3) % 6 if joint.type_name() == _FLOATING else component
            order.append(joint.velocity_start() + shift)
        assert sorted(order) == list(range(self.plant.num_velocities())), "the degrees of freedom differ"
        return order


def open_in_drake(
    path: Path,
    scene: Scene,
    *,
    packages: Mapping[str, Path] | None = None,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
) -> DrakeOracle:
    """Read a file with Drake, and name what it found as ``scene`` does.

    Args:
        path: The file.
        scene: The same file as we read it: the source of names, and of nothing else.
        packages: Folders by the names that ``package://`` and ``model://`` use.
        gravity: Acceleration [m/s^2]; Drake ignores that of a world.
    """
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    for name, folder in (packages or {}).items():
        parser.package_map().Add(name, str(folder))
    with _Log() as log:
        parser.AddModels(str(path))
    plant.mutable_gravity_field().set_gravity_vector(np.array(gravity))
    plant.Finalize()
    links = _named_links(plant, scene)
    return DrakeOracle(
        plant=plant,
        context=plant.CreateDefaultContext(),
        links=links,
        joints=_named_joints(plant, scene, links),
        repaired=tuple(line for line in log.lines if "inertia" in line),
    )


def _named_links(plant: Any, scene: Scene) -> dict[str, Any]:
    """Drake scopes every body by its model instance; we leave out the scope of a root that is one model."""
    ours = {link.name for link in scene.links}
    named = {}
    for index in _body_indices(plant):
        body = plant.get_body(index)
        full = f"{plant.GetModelInstanceName(body.model_instance())}::{body.name()}"
        name = full if full in ours else full.partition("::")[2]
        assert name in ours, f"Drake has a link {full}, the scene has not"
        named[name] = body
    missing = ours - named.keys() - {WORLD}
    assert not missing, f"the scene has links {sorted(missing)}, Drake has not"
    return named


def _body_indices(plant: Any) -> list[Any]:
    from pydrake.multibody.tree import BodyIndex

    return [BodyIndex(i) for i in range(1, plant.num_bodies())]


def _named_joints(plant: Any, scene: Scene, links: Mapping[str, Any]) -> dict[str, Any]:
    """Drake puts a joint into the scope of its child body; we leave it where the file has it."""
    link_of = {body.index(): name for name, body in links.items()}
    ours = {(joint.child, joint.name.rpartition("::")[2]): joint.name for joint in scene.joints}
    named = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.type_name() == _WELD:
            continue
        child = link_of.get(joint.child_body().index(), WORLD)
        name = ours.get((child, joint.name()), child if joint.type_name() == _FLOATING else None)
        assert name is not None, f"Drake has a joint {joint.name()} that carries {child}, the scene has not"
        named[name] = joint
    return named


def _position_to_drake(joint: Any, value: float | tuple[float, ...]) -> np.ndarray:
    numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if joint.type_name() == _FLOATING:
        return np.roll(numbers, 4)
    if joint.type_name() == _BALL:
        from pydrake.common.eigen_geometry import Quaternion
        from pydrake.math import RollPitchYaw

        return np.asarray(RollPitchYaw(Quaternion(numbers / np.linalg.norm(numbers))).vector())
    return numbers


def _sample(joint: Any, rng: np.random.Generator) -> float | tuple[float, ...]:
    kind = joint.type_name()
    if kind in {_BALL, _FLOATING}:
        quaternion = rng.normal(size=4)
        w_x_y_z = (quaternion / np.linalg.norm(quaternion)).tolist()
        return tuple(w_x_y_z if kind == _BALL else [*rng.uniform(-1.0, 1.0, 3).tolist(), *w_x_y_z])
    reach = 0.5 if kind == "prismatic" else 2.0
    lower = np.maximum(joint.position_lower_limits(), -reach)
    upper = np.minimum(joint.position_upper_limits(), reach)
    drawn = rng.uniform(np.minimum(lower, upper), np.maximum(lower, upper)).tolist()
    return drawn[0] if len(drawn) == 1 else tuple(drawn)


class _Log(logging.Handler):
    """Collects what Drake says while it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def __enter__(self) -> _Log:
        logger = logging.getLogger("drake")
        self._propagate = logger.propagate
        logger.propagate = False
        logger.addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logger = logging.getLogger("drake")
        logger.removeHandler(self)
        logger.propagate = self._propagate


def pose_error(ours: Any, theirs: np.ndarray) -> float:
    """How far two poses are apart: the larger of the distance [m] and the angle [rad]."""
    distance = float(np.linalg.norm(np.asarray(ours.p) - theirs[:3, 3]))
    w, x, y, z = matrix_to_quaternion(np.asarray(ours.R).T @ theirs[:3, :3])
    return max(distance, 2.0 * math.atan2(math.hypot(x, y, z), w))
