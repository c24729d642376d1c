"""Drake as a witness: it reads the original file with its own parser, and answers under our names.

Only names are taken from the mechanism, to say which of Drake's joints is which of ours; every number is Drake's.
It reads without a scene graph, hence without any mesh, and takes no part in motion.
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
from bridge.parity.levels.attribution import names_in
from loaders import Search
from loaders.diagnostics import Diagnostic
from loaders.model import WORLD
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR, local_name
from loaders.spatial import Array, Pose, SpatialInertia

from .dofs import bound, moving_links, single_freedoms
from .drake_differences import ledger
from .protocol import Freedom, JointParameters, NotReportedError

_WELD, _FLOATING, _BALL = "weld", "quaternion_floating", "ball_rpy"
_RAISED = (RuntimeError, ValueError, IndexError, OverflowError, MemoryError, SystemExit)
"""What exceptions of C++ are in Python, and the exit in which its assertions end."""
_LEFT_OUT = {"drake.deformable", "lower.curve-of-several-pieces", "lower.kinematic", "lower.kinematic-in-joint"}
_MARKERS = ("model.config", "model.sdf", "package.xml")
"""A folder that holds one of these, beside the model's own, is a package that the model may name."""


class _RefusedError(Exception):
    """Drake does not read the file; the message is Drake's."""


class _OtherError(Exception):
    """Drake reads other links, joints or freedoms than there are here."""

    def __init__(self, message: str, *names: str) -> None:
        super().__init__(message)
        self.names = set(names)


class DrakeEngine:
    """What Drake makes of the file that a mechanism comes from.

    A file that Drake does not read is no error: ``refusal`` says why, and nothing else is told. Where it reads another
    mechanism, that is a difference: it is ``blamed``.
    """

    name = "drake"
    reads_file = True

    def __init__(self, mechanism: Mechanism, search: Search | None = None) -> None:
        self.mechanism = mechanism
        self.version = metadata.version("drake")
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.refusal, self.blamed = "", False
        with _Log() as log:
            try:
                self._plant = _read(mechanism.scene, search or {})
            except _RefusedError as error:
                self.refusal = f"Drake does not take part: {str(error).partition(chr(10))[0]}"
                return
        try:
            self._name(log.lines)
        except _RefusedError as error:
            self.refusal = f"Drake does not take part: {error}"
        except _OtherError as error:
            known = next((entry for entry in _left_out(mechanism) if error.names & names_in(entry)), None)
            self.refusal = f"Drake reads another mechanism: {error}"
            self.refusal += f"; {known.message} [{known.code}]" if known is not None else ""
            self.blamed = known is None

    def _name(self, lines: list[str]) -> None:
        """Find our links, joints and velocities in Drake's plant."""
        mechanism = self.mechanism
        self._context: Any = self._plant.CreateDefaultContext()
        self._links = _named_links(self._plant, mechanism)
        self._joints = _named_joints(self._plant, mechanism, self._links)
        self._order = _order(self._plant, mechanism, self._joints)
        self.diagnostics = ledger(mechanism, self._links, self._joints, lines)

    def _heard(self) -> None:
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
                velocities[start : start + len(rates)] = np.roll(rates, 3) if _floats(joint) else rates
        self._plant.SetPositions(self._context, positions)
        self._plant.SetVelocities(self._context, velocities)

    def link_poses(self) -> dict[str, Pose]:
        """See `Engine.link_poses`."""
        self._heard()
        found = {name: body.EvalPoseInWorld(self._context).GetAsMatrix4() for name, body in self._links.items()}
        return {name: Pose.of(X[:3, :3], X[:3, 3]) for name, X in found.items()}

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`."""
        self._heard()
        moving = moving_links(self.mechanism)
        return {name: _inertia(body) for name, body in self._links.items() if name in moving}

    def joint_parameters(self) -> dict[Freedom, JointParameters]:
        """See `Engine.joint_parameters`; Drake has no dry friction, and limits of single axes alone."""
        self._heard()
        found = {}
        for key in single_freedoms(self.mechanism):
            joint, component = self._joints[key[0]], key[1]
            if joint.num_velocities() > 1:
                raise NotReportedError(f"Drake has no limits for the {joint.type_name()} joint {key[0]}")
            found[key] = JointParameters(
                lower=bound(float(joint.position_lower_limits()[component])),
                upper=bound(float(joint.position_upper_limits()[component])),
                damping=float(joint.default_damping_vector()[component]),
                friction=None,
            )
        return found

    def couplings(self) -> dict[tuple[Freedom, Freedom], tuple[float, float]]:
        """See `Engine.couplings`."""
        raise NotReportedError("Drake couples joints in discrete time alone")

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        self._heard()
        return np.asarray(self._plant.CalcMassMatrix(self._context))[np.ix_(self._order, self._order)]

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        self._heard()
        gravity = self._plant.CalcGravityGeneralizedForces(self._context)
        forces: Array = np.asarray(self._plant.CalcBiasTerm(self._context) - gravity)[self._order]
        return forces

    def jacobians(self) -> dict[str, Array]:
        """See `Engine.jacobians`."""
        self._heard()
        from pydrake.multibody.tree import JacobianWrtVariable

        world, v = self._plant.world_frame(), JacobianWrtVariable.kV
        ask = self._plant.CalcJacobianSpatialVelocity
        found = {
            name: ask(self._context, v, body.body_frame(), np.zeros(3), world, world)
            for name, body in self._links.items()
        }
        return {name: np.asarray(J)[:, self._order] for name, J in found.items()}

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`."""
        self._heard()
        from pydrake.multibody.tree import MultibodyForces

        theirs = np.zeros(len(self._order))
        theirs[self._order] = accelerations
        forces = self._plant.CalcInverseDynamics(self._context, theirs, MultibodyForces(self._plant))
        found: Array = (forces - self._plant.CalcGravityGeneralizedForces(self._context))[self._order]
        return found

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`."""
        raise NotReportedError("Drake couples joints in discrete time alone")

    def velocities(self) -> Array:
        """See `Engine.velocities`."""
        self._heard()
        return np.asarray(self._plant.GetVelocities(self._context))[self._order]

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`."""
        raise NotReportedError("Drake reads no shapes here")

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`; a witness does not move."""

    def step(self, count: int) -> None:
        """See `Engine.step`; a witness does not move."""

    def close(self) -> None:
        """See `Engine.close`."""


def _read(scene: Scene, search: Search) -> Any:
    """A plant of Drake's; nothing is fetched from the network, and a world's gravity, which Drake ignores, is given."""
    if not Path(scene.source).is_file():
        raise _RefusedError("the model comes from no file")
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
        raise _RefusedError(str(error) or type(error).__name__) from error
    gravity: Any = scene.gravity
    plant.mutable_gravity_field().set_gravity_vector(gravity)
    return plant


def _packages(source: Path, search: Search) -> Iterator[tuple[str, Path]]:
    """What the user names, then what lies in the given folders, then what lies beside the model; absolute."""
    yield from ((name, Path(folder).resolve()) for name, folder in (search.get("package_map") or {}).items())
    for top in (*(Path(path).resolve() for path in search.get("paths", ())), *source.parents[:3]):
        folders = (folder for folder in sorted(top.iterdir() if top.is_dir() else ()) if folder.is_dir())
        yield from ((f.name, f) for f in folders if any((f / marker).is_file() for marker in _MARKERS))


# --- names -----------------------------------------------------------------------------------------------------------


def _named_links(plant: Any, mechanism: Mechanism) -> dict[str, Any]:
    """Drake scopes every body by its model instance; we leave out the scope of a root that is one model."""
    from pydrake.multibody.tree import BodyIndex

    ours = {body.name for body in mechanism.bodies}
    named = {}
    for index in range(1, plant.num_bodies()):
        body = plant.get_body(BodyIndex(index))
        full = f"{plant.GetModelInstanceName(body.model_instance())}{SEPARATOR}{body.name()}"
        name = full if full in ours else full.partition(SEPARATOR)[2]
        if name not in ours:
            raise _OtherError(f"it has a link {full}, which the model has not", name)
        named[name] = body
    if WORLD in ours:
        named[WORLD] = plant.world_body()
    missing = sorted(ours - named.keys())
    if missing:
        raise _OtherError(f"it has no link {missing[0]}", *missing)
    return named


def _named_joints(plant: Any, mechanism: Mechanism, links: Mapping[str, Any]) -> dict[str, Any]:
    """Drake puts a joint into the scope of its child body; we leave it where the file has it."""
    link_of = {body.index(): name for name, body in links.items()}
    ours = {(joint.child, local_name(joint.name)): joint.name for joint in mechanism.scene.joints}
    named = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.type_name() == _WELD:
            continue
        child = link_of.get(joint.child_body().index(), WORLD)
        name = ours.get((child, joint.name()), child if _floats(joint) else "")
        if not name:
            raise _OtherError(
                f"it has a joint {joint.name()} that carries {child}, which the model has not", joint.name()
            )
        if _floats(joint) and joint.frame_on_parent().index() != plant.world_frame().index():
            raise _RefusedError(f"it measures the free link {child} from the frame {joint.frame_on_parent().name()}")
        named[name] = joint
    return named


def _order(plant: Any, mechanism: Mechanism, joints: Mapping[str, Any]) -> list[int]:
    """Drake's velocity for each component of ours."""
    order = []
    for name, component in mechanism.v_order:
        if name not in joints:
            raise _OtherError(f"it has no joint {name} that moves", name)
        joint = joints[name]
        order.append(joint.velocity_start() + ((component + 3) % 6 if _floats(joint) else component))
    others = sorted(name for name, joint in joints.items() if joint.num_velocities() and not _covers(joint, order))
    if others:
        raise _OtherError(f"its joint {others[0]} moves", *others)
    if sorted(order) != list(range(plant.num_velocities())):
        raise _OtherError("its degrees of freedom are others")
    return order


def _covers(joint: Any, order: list[int]) -> bool:
    return joint.velocity_start() in order


def _left_out(mechanism: Mechanism) -> Iterator[Diagnostic]:
    """What reading and lowering say that they leave out, and Drake has."""
    return (d for d in (*mechanism.scene.diagnostics, *mechanism.diagnostics) if d.code in _LEFT_OUT)


# --- numbers ---------------------------------------------------------------------------------------------------------


def _floats(joint: Any) -> bool:
    return bool(joint.type_name() == _FLOATING)


def _position(joint: Any, value: Position) -> Array:
    numbers: Array = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if _floats(joint):
        return np.roll(numbers, 4)
    if joint.type_name() == _BALL:
        from pydrake.common.eigen_geometry import Quaternion
        from pydrake.math import RollPitchYaw

        return np.asarray(RollPitchYaw(Quaternion(numbers / np.linalg.norm(numbers))).vector())
    return numbers


def _inertia(body: Any) -> SpatialInertia:
    held = body.default_spatial_inertia()
    if not math.isfinite(held.get_mass()) or held.get_mass() == 0.0:
        return SpatialInertia.in_frame(0.0, Pose.of(), np.zeros((3, 3)))
    p_LLcm = np.asarray(held.get_com())
    I_Lcm = np.asarray(held.Shift(p_LLcm).CalcRotationalInertia().CopyToFullMatrix3())
    return SpatialInertia.in_frame(float(held.get_mass()), Pose.of(p=tuple(p_LLcm.tolist())), I_Lcm)


class _Log(logging.Handler):
    """Collects what Drake says while it reads."""

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
