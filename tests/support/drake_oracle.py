"""Drake as a reference: its own parser reads a file, and its answers are compared with ours.

`DrakePlant` has Drake's names. `DrakeOracle` has our names and coordinates: only the names come
import dataclasses
from our scene, to map its joints to ours; every number is Drake's. It reads without a scene graph,
and so ignores all geometry and every mesh.
"""

from __future__ import annotations

import dataclasses
import logging
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from loaders import Scene
from loaders.model import WORLD
from loaders.pose import matrix_to_quaternion

os.environ.setdefault("DRAKE_ALLOW_NETWORK", "package_map")

Q = dict[str, float | tuple[float, ...]]
"""Positions by joint name, in our convention: see `bridge.mechanism.coordinates`."""

_WELD, _FLOATING, _BALL = "weld", "quaternion_floating", "ball_rpy"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrakeOracle:
    """A plant of Drake, with our names of its bodies and joints."""

    plant: Any
    context: Any
    links: Mapping[str, Any]
    """Bodies of Drake without the world, keyed by our link names."""
    joints: Mapping[str, Any]
    """Moving joints of Drake, keyed by our names; a floating base is keyed by the name of its
    link.
    """
    repaired: tuple[str, ...]
    """Messages of Drake about invalid inertias, which it replaces by that of a ball of water."""

    # --- queries ----------------------------------------------------------------------------------

    def link_poses(self, q: Q) -> dict[str, np.ndarray]:
        """Return ``X_WL`` of every link, shape (4, 4); joints that ``q`` does not contain are at
        zero.
        """
        self._set(q, {})
        return {
            name: body.EvalPoseInWorld(self.context).GetAsMatrix4()
            for name, body in self.links.items()
        }

    def total_mass(self) -> float:
        """Return the total mass [kg]."""
        return float(self.plant.CalcTotalMass(self.context))

    def masses(self) -> dict[str, float]:
        """Return the mass of every link [kg]."""
        return {name: float(body.default_mass()) for name, body in self.links.items()}

    def mass_matrix(self, q: Q, v_order: Sequence[tuple[str, int]]) -> np.ndarray:
        """Return the mass matrix, with reflected inertia, in the given order of velocities."""
        self._set(q, {})
        order = self._order(v_order)
        return np.asarray(self.plant.CalcMassMatrix(self.context))[np.ix_(order, order)]

    def gravity_forces(self, q: Q, v_order: Sequence[tuple[str, int]]) -> np.ndarray:
        """Return the generalized gravity forces in the given order."""
        self._set(q, {})
        return np.asarray(self.plant.CalcGravityGeneralizedForces(self.context))[
            self._order(v_order)
        ]

    def bias_forces(self, q: Q, v: Q, v_order: Sequence[tuple[str, int]]) -> np.ndarray:
        """Return Coriolis, centrifugal and gravity terms in the given order, with the sign of
        `bridge.mechanism`.
        """
        self._set(q, v)
        bias = self.plant.CalcBiasTerm(self.context) - self.plant.CalcGravityGeneralizedForces(
            self.context
        )
        return np.asarray(bias)[self._order(v_order)]

    def random_positions(self, seed: int, scene: Scene) -> Q:
        """Return random positions within the limits; coupled joints follow their leaders."""
        rng = np.random.default_rng(seed)
        q = {name: _sample(joint, rng) for name, joint in sorted(self.joints.items())}
        for coupling in scene.couplings:
            leader = q[coupling.leader]
            assert isinstance(leader, float)
            q[coupling.follower] = coupling.multiplier * leader + coupling.offset
        return q

    def random_velocities(self, seed: int) -> Q:
        """Return random velocities of all joints."""
        rng = np.random.default_rng(seed)
        drawn = {
            name: rng.uniform(-1.0, 1.0, joint.num_velocities())
            for name, joint in sorted(self.joints.items())
        }
        return {
            name: float(v[0]) if len(v) == 1 else tuple(v.tolist()) for name, v in drawn.items()
        }

    # --- coordinates ------------------------------------------------------------------------------

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
        assert sorted(order) == list(range(self.plant.num_velocities())), (
            "the degrees of freedom differ"
        )
        return order


def with_free_roots(scene: Scene) -> Scene:
    """Return the scene with the root links that a mass of 0 holds free, as Drake reads them."""
    joints = tuple(joint for joint in scene.joints if not joint.virtual)
    return dataclasses.replace(scene, joints=joints)


def open_in_drake(
    path: Path,
    scene: Scene,
    *,
    packages: Mapping[str, Path] | None = None,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
) -> DrakeOracle:
    """Read a file with Drake, and map its names to those of a scene.

    Args:
        path: The file.
        scene: Our scene of the same file; only its names are used.
        packages: Folders, keyed by the names in ``package://`` and ``model://``.
        gravity: Acceleration [m/s^2]; Drake ignores that of a world.
    """
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    for name, folder in (packages or {}).items():
        parser.package_map().Add(name, str(folder))
    with _drake_log() as log:
        parser.AddModels(str(path))
    plant.mutable_gravity_field().set_gravity_vector(np.array(gravity))
    plant.Finalize()
    links = _named_links(plant, scene)
    return DrakeOracle(
        plant=plant,
        context=plant.CreateDefaultContext(),
        links=links,
        joints=_named_joints(plant, scene, links),
        repaired=tuple(line for line in log if "inertia" in line),
    )


def _named_links(plant: Any, scene: Scene) -> dict[str, Any]:
    """Return Drake's bodies, keyed by our names, which have no scope for a scene of one model."""
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
    """Return Drake's joints, keyed by our names; Drake's name of a joint has the scope of its
    child.
    """
    link_of = {body.index(): name for name, body in links.items()}
    ours = {(joint.child, joint.name.rpartition("::")[2]): joint.name for joint in scene.joints}
    named = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.type_name() == _WELD:
            continue
        child = link_of.get(joint.child_body().index(), WORLD)
        name = ours.get((child, joint.name()), child if joint.type_name() == _FLOATING else None)
        assert name is not None, (
            f"Drake has a joint {joint.name()} that carries {child}, the scene has not"
        )
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


@contextmanager
def _drake_log() -> Iterator[list[str]]:
    """Collect the messages that Drake logs, instead of printing them."""
    lines: list[str] = []
    logger = logging.getLogger("drake")
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    propagate, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate


def pose_error(ours: Any, theirs: np.ndarray) -> float:
    """Return the larger of the distance [m] and the angle [rad] between two poses."""
    distance = float(np.linalg.norm(np.asarray(ours.p) - theirs[:3, 3]))
    w, x, y, z = matrix_to_quaternion(np.asarray(ours.R).T @ theirs[:3, :3])
    return max(distance, 2.0 * math.atan2(math.hypot(x, y, z), w))


class DrakePlant:
    """A finalized plant of Drake, with its scene graph and the filter groups of the parser."""

    def __init__(
        self, source: str | Path, form: str = "", packages: dict[str, Path] | None = None
    ) -> None:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
        from pydrake.systems.framework import DiagramBuilder

        builder = DiagramBuilder()
        self.plant, self.scene_graph = AddMultibodyPlantSceneGraph(builder, 0.0)
        parser = Parser(builder)
        for name, folder in (packages or {}).items():
            parser.package_map().Add(name, str(folder))
        if form:
            self.instances = parser.AddModelsFromString(str(source), form)
        else:
            self.instances = parser.AddModels(str(source))
        self.plant.Finalize()
        self.groups = parser.GetCollisionFilterGroups()
        self.diagram = builder.Build()
        self.context = self.plant.GetMyContextFromRoot(self.diagram.CreateDefaultContext())

    def name(self, body: Any) -> str:
        """Return the name of a body with the scope of its model, as in a world."""
        if body.index() == self.plant.world_body().index():
            return "world"
        return f"{self.plant.GetModelInstanceName(body.model_instance())}::{body.name()}"

    def filtered_pairs(self) -> set[frozenset[str]]:
        """Return the pairs of bodies whose proximity geometries are all filtered."""
        from pydrake.geometry import Role

        inspector = self.scene_graph.model_inspector()
        geometries: dict[str, list[Any]] = {}
        for gid in inspector.GetAllGeometryIds(Role.kProximity):
            body = self.plant.GetBodyFromFrameId(inspector.GetFrameId(gid))
            geometries.setdefault(self.name(body), []).append(gid)
        return {
            frozenset((a, b))
            for a, b in combinations(geometries, 2)
            if all(inspector.CollisionFiltered(g, h) for g in geometries[a] for h in geometries[b])
        }

    def proximity(self, group: str, name: str) -> Any:
        """Return a proximity property of the only collision geometry, or None."""
        from pydrake.geometry import Role

        inspector = self.scene_graph.model_inspector()
        (gid,) = inspector.GetAllGeometryIds(Role.kProximity)
        properties = inspector.GetProximityProperties(gid)
        return properties.GetProperty(group, name) if properties.HasProperty(group, name) else None

    def mass_matrix(self) -> np.ndarray:
        """Return the mass matrix at the default configuration."""
        return np.asarray(self.plant.CalcMassMatrix(self.context))
