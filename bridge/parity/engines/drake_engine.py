"""The adapter of Drake, which reads the original file with its own parser as an independent check.

The mechanism provides only names, to match Drake's links and joints with those of the model; every number is Drake's.
Drake reads without a scene graph, hence without meshes, and does not take part in the levels with motion.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Self

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from loaders import Search
from loaders.diagnostics import Diagnostic
from loaders.model import WORLD
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR, local_name
from loaders.spatial import Array, Pose, SpatialInertia

from .dofs import moving_links, scalar_dofs, without_sentinel
from .drake_differences import known_differences
from .protocol import Dof, JointParameters, NotReportedError

_WELD, _FLOATING, _BALL = "weld", "quaternion_floating", "ball_rpy"
_RAISED = (RuntimeError, ValueError, IndexError, OverflowError, MemoryError, SystemExit)
"""The Python exceptions for C++ exceptions and failed assertions."""
_IGNORED_HERE = {"drake.deformable", "lower.curve-of-several-pieces", "lower.kinematic", "lower.kinematic-in-joint"}
"""Codes of diagnostics about what this project leaves out and Drake reads."""
_MARKERS = ("model.config", "model.sdf", "package.xml")
"""Files that mark a folder as a package to which the model can refer by name."""


class _UnsupportedModelError(Exception):
    """Drake does not read the file, or the adapter cannot compare what it reads; the message is the reason."""


class _ModelMismatchError(Exception):
    """Drake reads other links, joints or degrees of freedom than the mechanism has.

    Attributes:
        names: The links and joints that differ.
    """

    def __init__(self, message: str, *names: str) -> None:
        super().__init__(message)
        self.names = frozenset(names)


class DrakeEngine:
    """The model that Drake reads from the file of a mechanism.

    A file that Drake does not read is not an error: ``refusal`` states the reason, and every query raises
    `NotReportedError`. If Drake reads another mechanism, ``refusal_is_difference`` is true, unless a diagnostic of this
    project reports the part that differs.

    Attributes:
        refusal: Why Drake cannot be compared; empty if it can.
        refusal_is_difference: Whether the refusal is an unexplained difference.
    """

    name = "drake"
    reads_file = True

    def __init__(self, mechanism: Mechanism, search: Search | None = None) -> None:
        self.mechanism = mechanism
        self.version = metadata.version("drake")
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.refusal, self.refusal_is_difference = "", False
        with _Log() as log:
            try:
                self._plant = _read(mechanism.scene, search or {})
            except _UnsupportedModelError as error:
                self.refusal = f"Drake does not take part: {str(error).partition(chr(10))[0]}"
                return
        try:
            self._match_names(log.lines)
        except _UnsupportedModelError as error:
            self.refusal = f"Drake does not take part: {error}"
        except _ModelMismatchError as error:
            self._report_mismatch(error)

    def _match_names(self, log: list[str]) -> None:
        """Match the links, joints and velocities of the mechanism with those of Drake's plant."""
        mechanism = self.mechanism
        self._context: Any = self._plant.CreateDefaultContext()
        self._links = _links_by_name(self._plant, mechanism)
        self._joints = _joints_by_name(self._plant, mechanism, self._links)
        self._order = _velocity_order(self._plant, mechanism, self._joints)
        self.diagnostics = known_differences(mechanism, self._links, self._joints, log)

    def _report_mismatch(self, error: _ModelMismatchError) -> None:
        reported = (*self.mechanism.scene.diagnostics, *self.mechanism.diagnostics)
        ignored = (entry for entry in reported if entry.code in _IGNORED_HERE)
        cause = next((entry for entry in ignored if error.names.intersection(entry.subjects)), None)
        self.refusal = f"Drake reads another mechanism: {error}"
        self.refusal += f"; {cause.message} [{cause.code}]" if cause is not None else ""
        self.refusal_is_difference = cause is None

    def _require_model(self) -> None:
        if self.refusal:
            raise NotReportedError(self.refusal)

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`."""
        if self.refusal:
            return
        positions = self._plant.GetPositions(self._plant.CreateDefaultContext())
        velocities = np.zeros(self._plant.num_velocities())
        for name, joint in self._joints.items():
            if name in q:
                start = joint.position_start()
                positions[start : start + joint.num_positions()] = _position(joint, q[name])
            if name in v:
                rates, start = np.atleast_1d(np.asarray(v[name], dtype=np.float64)), joint.velocity_start()
                velocities[start : start + len(rates)] = np.roll(rates, 3) if _is_floating(joint) else rates
        self._plant.SetPositions(self._context, positions)
        self._plant.SetVelocities(self._context, velocities)

    def link_poses(self) -> dict[str, Pose]:
        """See `Engine.link_poses`."""
        self._require_model()
        poses = {name: body.EvalPoseInWorld(self._context).GetAsMatrix4() for name, body in self._links.items()}
        return {name: Pose.of(X[:3, :3], X[:3, 3]) for name, X in poses.items()}

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`."""
        self._require_model()
        moving = moving_links(self.mechanism)
        return {name: _inertia(body) for name, body in self._links.items() if name in moving}

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """See `Engine.joint_parameters`; Drake has no dry friction, and limits only for joints with one axis.

        Raises:
            NotReportedError: For joints with several axes, and for a file that Drake does not read.
        """
        self._require_model()
        parameters = {}
        for dof in scalar_dofs(self.mechanism):
            joint, component = self._joints[dof[0]], dof[1]
            if joint.num_velocities() > 1:
                raise NotReportedError(f"Drake does not report limits of the {joint.type_name()} joint {dof[0]}")
            parameters[dof] = JointParameters(
                lower=without_sentinel(float(joint.position_lower_limits()[component])),
                upper=without_sentinel(float(joint.position_upper_limits()[component])),
                damping=float(joint.default_damping_vector()[component]),
                friction=None,
            )
        return parameters

    def couplings(self) -> dict[tuple[Dof, Dof], tuple[float, float]]:
        """See `Engine.couplings`.

        Raises:
            NotReportedError: Always.
        """
        raise NotReportedError("Drake couples joints only in discrete-time plants")

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        self._require_model()
        return np.asarray(self._plant.CalcMassMatrix(self._context))[np.ix_(self._order, self._order)]

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        self._require_model()
        gravity = self._plant.CalcGravityGeneralizedForces(self._context)
        forces: Array = np.asarray(self._plant.CalcBiasTerm(self._context) - gravity)[self._order]
        return forces

    def jacobians(self) -> dict[str, Array]:
        """See `Engine.jacobians`."""
        self._require_model()
        from pydrake.multibody.tree import JacobianWrtVariable

        world, v = self._plant.world_frame(), JacobianWrtVariable.kV
        jacobian = self._plant.CalcJacobianSpatialVelocity
        jacobians = {
            name: jacobian(self._context, v, body.body_frame(), np.zeros(3), world, world)
            for name, body in self._links.items()
        }
        return {name: np.asarray(J)[:, self._order] for name, J in jacobians.items()}

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`."""
        self._require_model()
        from pydrake.multibody.tree import MultibodyForces

        vdot = np.zeros(len(self._order))
        vdot[self._order] = accelerations
        forces = self._plant.CalcInverseDynamics(self._context, vdot, MultibodyForces(self._plant))
        gravity = self._plant.CalcGravityGeneralizedForces(self._context)
        total: Array = (forces - gravity)[self._order]
        return total

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`.

        Raises:
            NotReportedError: Always.
        """
        raise NotReportedError("Drake couples joints only in discrete-time plants")

    def velocities(self) -> Array:
        """See `Engine.velocities`."""
        self._require_model()
        return np.asarray(self._plant.GetVelocities(self._context))[self._order]

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`.

        Raises:
            NotReportedError: Always.
        """
        raise NotReportedError("Drake is used without collision shapes")

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`; Drake does not take part in motion."""

    def step(self, count: int) -> None:
        """See `Engine.step`; Drake does not take part in motion."""

    def close(self) -> None:
        """See `Engine.close`."""


def _read(scene: Scene, search: Search) -> Any:
    """Return Drake's plant of the scene's file.

    Nothing is fetched from the network. The gravity of the scene is set, because Drake ignores that of the file.
    """
    if not Path(scene.source).is_file():
        raise _UnsupportedModelError("the model was not loaded from a file")
    os.environ.setdefault("DRAKE_ALLOW_NETWORK", "package_map")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    packages = parser.package_map()
    for name, package in _packages(Path(scene.source).resolve(), search):
        if not packages.Contains(name):
            packages.Add(name, package)
    try:
        parser.AddModels(Path(scene.source))
        plant.Finalize()
    except _RAISED as error:
        raise _UnsupportedModelError(str(error) or type(error).__name__) from error
    gravity: Any = scene.gravity
    plant.mutable_gravity_field().set_gravity_vector(gravity)
    return plant


def _packages(source: Path, search: Search) -> Iterator[tuple[str, Path]]:
    """Yield names and absolute folders of packages, in order of precedence.

    First come the packages of the user's map, then those in the user's folders, then those near the model.
    """
    yield from ((name, Path(folder).resolve()) for name, folder in (search.get("package_map") or {}).items())
    for top in (*(Path(path).resolve() for path in search.get("paths", ())), *source.parents[:3]):
        folders = (folder for folder in sorted(top.iterdir() if top.is_dir() else ()) if folder.is_dir())
        yield from ((f.name, f) for f in folders if any((f / marker).is_file() for marker in _MARKERS))


# --- names -----------------------------------------------------------------------------------------------------------


def _links_by_name(plant: Any, mechanism: Mechanism) -> dict[str, Any]:
    """Drake's bodies by scoped link name; Drake adds the scope of the model to files whose root is one model."""
    from pydrake.multibody.tree import BodyIndex

    expected = {body.name for body in mechanism.bodies}
    links = {}
    for index in range(1, plant.num_bodies()):
        body = plant.get_body(BodyIndex(index))
        full = f"{plant.GetModelInstanceName(body.model_instance())}{SEPARATOR}{body.name()}"
        name = full if full in expected else full.partition(SEPARATOR)[2]
        if name not in expected:
            raise _ModelMismatchError(f"it has a link {full}, which the model does not have", name)
        links[name] = body
    if WORLD in expected:
        links[WORLD] = plant.world_body()
    missing = sorted(expected - links.keys())
    if missing:
        raise _ModelMismatchError(f"it does not have the link {missing[0]}", *missing)
    return links


def _joints_by_name(plant: Any, mechanism: Mechanism, links: Mapping[str, Any]) -> dict[str, Any]:
    """Drake's joints by scoped name; Drake puts a joint into the scope of its child, not where the file has it."""
    link_of = {body.index(): name for name, body in links.items()}
    names = {(joint.child, local_name(joint.name)): joint.name for joint in mechanism.scene.joints}
    joints = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.type_name() == _WELD:
            continue
        child = link_of.get(joint.child_body().index(), WORLD)
        name = names.get((child, joint.name()), child if _is_floating(joint) else "")
        if not name:
            message = f"it has a joint {joint.name()} with child {child}, which the model does not have"
            raise _ModelMismatchError(message, joint.name())
        if _is_floating(joint) and joint.frame_on_parent().index() != plant.world_frame().index():
            frame = joint.frame_on_parent().name()
            raise _UnsupportedModelError(
                f"it measures the pose of free link {child} in frame {frame}, not in the world"
            )
        joints[name] = joint
    return joints


def _velocity_order(plant: Any, mechanism: Mechanism, joints: Mapping[str, Any]) -> list[int]:
    """The index of Drake's velocity for each component of the mechanism's ``v_order``."""
    order = []
    for name, component in mechanism.v_order:
        if name not in joints:
            raise _ModelMismatchError(f"its joint {name} is fixed or missing", name)
        joint = joints[name]
        order.append(joint.velocity_start() + ((component + 3) % 6 if _is_floating(joint) else component))
    unmatched = sorted(name for name, joint in joints.items() if joint.num_velocities() and not _covers(joint, order))
    if unmatched:
        raise _ModelMismatchError(f"its joint {unmatched[0]} moves; that of the model is fixed", *unmatched)
    if sorted(order) != list(range(plant.num_velocities())):
        raise _ModelMismatchError("it has other degrees of freedom")
    return order


def _covers(joint: Any, order: list[int]) -> bool:
    return joint.velocity_start() in order


# --- numbers ---------------------------------------------------------------------------------------------------------


def _is_floating(joint: Any) -> bool:
    return bool(joint.type_name() == _FLOATING)


def _position(joint: Any, value: Position) -> Array:
    numbers: Array = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if _is_floating(joint):
        return np.roll(numbers, 4)
    if joint.type_name() == _BALL:
        from pydrake.common.eigen_geometry import Quaternion
        from pydrake.math import RollPitchYaw

        return np.asarray(RollPitchYaw(Quaternion(numbers / np.linalg.norm(numbers))).vector())
    return numbers


def _inertia(body: Any) -> SpatialInertia:
    spatial_inertia = body.default_spatial_inertia()
    if not math.isfinite(spatial_inertia.get_mass()) or spatial_inertia.get_mass() == 0.0:
        return SpatialInertia.in_frame(0.0, Pose.of(), np.zeros((3, 3)))
    p_LLcm = np.asarray(spatial_inertia.get_com())
    I_Lcm = np.asarray(spatial_inertia.Shift(p_LLcm).CalcRotationalInertia().CopyToFullMatrix3())
    return SpatialInertia.in_frame(float(spatial_inertia.get_mass()), Pose.of(p=tuple(p_LLcm.tolist())), I_Lcm)


class _Log(logging.Handler):
    """A context manager that collects the lines that Drake logs."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def __enter__(self) -> Self:
        logger = logging.getLogger("drake")
        self._propagate = logger.propagate
        logger.propagate = False
        logger.addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logger = logging.getLogger("drake")
        logger.removeHandler(self)
        logger.propagate = self._propagate
