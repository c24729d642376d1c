"""The adapter of Drake, with motion and actuators.

The mechanism provides only names, to match Drake's links and joints with those of the model; every
number is Drake's. The plant that moves has no scene graph, hence no meshes; shapes are read apart
from it. Its motion is a reference for that of the other engines: it is integrated to a given
accuracy or, where Drake knows discrete time only, in steps that are shorter than theirs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib import metadata
from itertools import permutations
from typing import Any

import numpy as np

from bridge import codes
from bridge.codes import (
    DRAKE_CONTINUOUS_LIMITS,
    DRAKE_COUPLING,
    DRAKE_FRAME_ON_FRAME,
    DRAKE_FRICTION,
    DRAKE_FRICTION_UNSTATED,
    DRAKE_LINK_WITHOUT_GRAVITY,
    DRAKE_ONE_HULL,
    DRAKE_REPLACED_INERTIA,
    DRAKE_SCREW_LIMITS,
    DRAKE_SHAPE,
    DRAKE_SHARED_DAMPING,
    DRAKE_UNIVERSAL_LIMITS,
    DRAKE_UNREAD,
    DRAKE_UNREAD_CONTACT,
    DRAKE_UNREAD_DETAIL,
)
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position, initial_positions
from bridge.parity.engine import (
    ActuatorTrial,
    BaseEngine,
    Dof,
    JointParameters,
    NotReportedError,
    Settings,
    Surfaces,
    moving_links,
    scalar_dofs,
    stated_frames,
    without_sentinel,
)
from bridge.parity.readings import model_surfaces
from loaders import Search
from loaders import codes as loaders_codes
from loaders.diagnostics import Code, Diagnostic, finding_of
from loaders.drake import codes as drake_codes
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Actuator,
    Collision,
    Cone,
    CouplingLaw,
    Frame,
    Friction,
    Heightmap,
    Joint,
    JointAxis,
    Link,
    Material,
    Mesh,
    Model,
    Plane,
    Polyline,
    Surface,
    Visual,
)
from loaders.pose import Array, Pose
from loaders.scene import Scene
from loaders.scoped_names import MODEL_FRAME, SEPARATOR, local_name
from loaders.text import counted
from loaders.urdf import codes as urdf_codes

from .plant import (
    RAISED,
    DrakeGeometry,
    ModelMismatchError,
    UnsupportedModelError,
    is_floating,
    joints_by_name,
    links_by_name,
    needs_steps,
    position_in_drake,
    position_of,
    read_plant,
    velocity_order,
    without_log,
)


def efforts_in_drake(
    plant: Any, joints: Mapping[str, Any], trials: Mapping[str, ActuatorTrial]
) -> dict[str, Array]:
    """Return the efforts that follow from the limits and gains of the plant, for joints that have
    an actuator there.

    Args:
        plant: The plant.
        joints: Drake's joints by name.
        trials: The trials by joint.
    """
    driven = _actuators(plant, joints)
    return {
        name: trial.efforts(float(driven[name].effort_limit()), _gains(driven[name]))
        for name, trial in trials.items()
        if name in driven
    }


def _actuators(plant: Any, joints: Mapping[str, Any]) -> dict[str, Any]:
    """Return Drake's actuators by the names of their joints."""
    found = (plant.get_joint_actuator(index) for index in plant.GetJointActuatorIndices())
    by_joint = {int(actuator.joint().index()): actuator for actuator in found}
    indices = {name: int(joint.index()) for name, joint in joints.items()}
    return {name: by_joint[index] for name, index in indices.items() if index in by_joint}


def _gains(actuator: Any) -> tuple[float, float] | None:
    if not actuator.has_controller():
        return None
    gains = actuator.get_controller_gains()
    return float(gains.p), float(gains.d)


ACCURACY = 1e-11
"""Accuracy of the integrator in continuous time, relative to the state."""
SMALL_STEP = 1e-3
"""Time step of a plant whose constraints are counted [s]."""
SUBSTEPS = 8
"""Number of Drake's steps in one step of the engine, for models that Drake simulates in discrete
time only."""


class NoMotionError(Exception):
    """Drake cannot simulate the model; the message states why."""


class DrakeMotion:
    """Advances the context of a plant.

    Args:
        plant: Drake's plant.
        context: The context to advance, whose time is zero.
    """

    def __init__(self, plant: Any, context: Any) -> None:
        self._plant = plant
        self._context = context
        self._simulator = None if plant.time_step() > 0.0 else _simulator(plant, context)
        self._time = 0.0

    def advance(self, seconds: float) -> None:
        """Advance by a time [s]; in discrete time, by the next whole number of steps.

        Raises:
            NoMotionError: If Drake cannot simulate the model.
        """
        self._time += seconds
        try:
            with without_log():
                if self._simulator is None:
                    self._take_steps(round(seconds / self._plant.time_step()))
                else:
                    self._simulator.AdvanceTo(self._time)
        except RAISED as error:
            raise NoMotionError(str(error).partition("\n")[0] or type(error).__name__) from error

    def _take_steps(self, count: int) -> None:
        for _ in range(count):
            self._context.SetDiscreteState(
                self._plant.EvalUniquePeriodicDiscreteUpdate(self._context)
            )


def _simulator(plant: Any, context: Any) -> Any:
    from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig

    simulator = Simulator(plant, context)
    config = SimulatorConfig(
        integration_scheme="runge_kutta3", max_step_size=1e-2, accuracy=ACCURACY
    )
    ApplySimulatorConfig(config, simulator)
    return simulator


_IGNORED_HERE = {
    drake_codes.DEFORMABLE,
    codes.LOWER_CURVE_OF_SEVERAL_PIECES,
    codes.LOWER_KINEMATIC,
    codes.LOWER_KINEMATIC_IN_JOINT,
    loaders_codes.URDF_HELD_ROOT,
}
"""Codes of diagnostics about what this project leaves out, or reads by another rule, and Drake
reads."""


class DrakeEngine(BaseEngine):
    """The model that Drake reads from the file of a mechanism.

    A file that Drake does not read is not an error: ``refusal`` states the reason, and every query
    raises `NotReportedError`. If Drake reads another mechanism, ``refusal_is_difference`` is true,
    unless a diagnostic of this project reports the part that differs.

    Its motion is the limit to which those of the other engines must converge.
    """

    name = "drake"
    reads_file = True
    is_witness_of_motion = True
    collision_policy = "drake"

    def __init__(self, mechanism: Mechanism, search: Search | None = None) -> None:
        super().__init__(mechanism)
        self.version = metadata.version("drake")
        self._search: Search = search or {}
        self._geometry: DrakeGeometry | None = None
        self._seconds = mechanism.scene.physics.time_step
        self._open()

    def _open(self) -> None:
        """Read the file, and match the links, joints and velocities with those of the mechanism."""
        step = self._seconds / SUBSTEPS if needs_steps(self.mechanism) else 0.0
        try:
            with without_log():
                self._plant = read_plant(self.mechanism.scene, self._search, step)
            self._match_names()
        except UnsupportedModelError as error:
            self.refusal = f"Drake does not take part: {str(error).partition(chr(10))[0]}"
        except ModelMismatchError as error:
            self._report_mismatch(error)

    def _match_names(self) -> None:
        mechanism = self.mechanism
        self._context: Any = self._plant.CreateDefaultContext()
        self._links = links_by_name(self._plant, mechanism)
        self._joints = joints_by_name(self._plant, mechanism, self._links)
        self._order = velocity_order(self._plant, mechanism, self._joints)
        self._require_no_more_constraints()
        self._motion: DrakeMotion | None = None
        self.diagnostics = (
            *known_differences(mechanism, self._links, self._joints, self._plant),
            *_frames_on_frames(mechanism.scene, self._poses_in_links),
        )

    def _require_no_more_constraints(self) -> None:
        """Raise if Drake holds a coupling or constraint that the model does not have; in continuous
        time it reads none, so that the file is read in discrete time.
        """
        scene = self.mechanism.scene
        known = len(self.mechanism.couplings) + len(scene.constraints)
        plant = self._plant
        if not self.is_discrete:
            with without_log():
                plant = read_plant(scene, self._search, SMALL_STEP)
        count = plant.num_constraints()
        if count > known:
            raise ModelMismatchError(
                f"it holds {counted(count, 'constraint')}, the model states {known}"
            )

    @property
    def is_discrete(self) -> bool:
        """True if Drake simulates the model in discrete time, in `SUBSTEPS` of each step."""
        return not self.refusal and self._plant.time_step() > 0.0

    def _report_mismatch(self, error: ModelMismatchError) -> None:
        reported = (*self.mechanism.scene.diagnostics, *self.mechanism.diagnostics)
        ignored = (entry for entry in reported if entry.is_one_of(_IGNORED_HERE))
        cause = next((entry for entry in ignored if error.names.intersection(entry.subjects)), None)
        self.refusal = f"Drake reads another mechanism: {error}"
        self.refusal += f"; {cause.message} [{cause.code}]" if cause is not None else ""
        self.refusal_is_difference = cause is None

    def _require_model(self) -> None:
        if self.refusal:
            raise NotReportedError(self.refusal)

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        if self.refusal:
            return
        positions = self._plant.GetPositions(self._plant.CreateDefaultContext())
        velocities = np.zeros(self._plant.num_velocities())
        for name, joint in self._joints.items():
            if name in q:
                start = joint.position_start()
                positions[start : start + joint.num_positions()] = position_in_drake(joint, q[name])
            if name in v:
                rates, start = (
                    np.atleast_1d(np.asarray(v[name], dtype=np.float64)),
                    joint.velocity_start(),
                )
                velocities[start : start + len(rates)] = (
                    np.roll(rates, 3) if is_floating(joint) else rates
                )
        self._plant.SetPositions(self._context, positions)
        self._plant.SetVelocities(self._context, velocities)
        self._context.SetTime(0.0)
        self._motion = None

    def positions(self) -> dict[str, Position]:
        self._require_model()
        positions = np.asarray(self._plant.GetPositions(self._context))
        return {name: position_of(joint, positions) for name, joint in self._joints.items()}

    def link_poses(self) -> dict[str, Pose]:
        self._require_model()
        poses = {
            name: body.EvalPoseInWorld(self._context).GetAsMatrix4()
            for name, body in self._links.items()
        }
        return {name: Pose.of(X[:3, :3], X[:3, 3]) for name, X in poses.items()}

    def frame_poses(self) -> dict[str, Pose]:
        """See `Engine.frame_poses`; Drake puts a frame into the scope of its link. The frame of a
        model that the scene does not name is among them.

        Raises:
            NotReportedError: unless Drake has all of them.
        """
        self._require_model()
        stated = {frame.name for frame in stated_frames(self.mechanism.scene)}
        found = self._poses_in_links()
        lacking = stated - found.keys()
        if lacking and not found.keys() - stated:
            raise NotReportedError(f"Drake has no frame {min(lacking)}")
        return found

    def _poses_in_links(self) -> dict[str, Pose]:
        """Return the pose in its link of each frame that Drake has; infinite in another link."""
        from pydrake.multibody.tree import FrameIndex

        stated = {frame.name: frame.link for frame in stated_frames(self.mechanism.scene)}
        links = {0: WORLD} | {int(body.index()): name for name, body in self._links.items()}
        found = {}
        for frame in map(self._plant.get_frame, map(FrameIndex, range(self._plant.num_frames()))):
            link = links[int(frame.body().index())]
            name = self._name_of_frame(frame, link, stated)
            if name is not None:
                X_LF = frame.CalcPoseInBodyFrame(self._context).GetAsMatrix4()
                is_there = stated.get(name, link) == link
                found[name] = Pose.of(X_LF[:3, :3], X_LF[:3, 3] if is_there else 3 * [math.inf])
        return found

    def _name_of_frame(self, frame: Any, link: str, stated: Mapping[str, str]) -> str | None:
        """Return the scoped name of a frame of Drake in a link; None for one that no file names."""
        instance, local = frame.model_instance(), str(frame.name())
        if local == MODEL_FRAME:
            owned = (n for n, body in self._links.items() if body.model_instance() == instance)
            own = next(owned, None)
            if own is not None:
                return own.removesuffix(local_name(own)) + local
        full = f"{self._plant.GetModelInstanceName(instance)}{SEPARATOR}{local}"
        names = [name for name in (full, full.partition(SEPARATOR)[2]) if name in stated]
        names += [n for n, of in stated.items() if (of, local_name(n)) == (link, local)]
        return next(iter(names), None)

    def inertias(self) -> dict[str, SpatialInertia]:
        self._require_model()
        moving = moving_links(self.mechanism)
        return {name: _inertia(body) for name, body in self._links.items() if name in moving}

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """See `Engine.joint_parameters`; Drake has no dry friction."""
        self._require_model()
        parameters = {}
        for dof in scalar_dofs(self.mechanism):
            joint, component = self._joints[dof[0]], dof[1]
            parameters[dof] = JointParameters(
                lower=without_sentinel(float(joint.position_lower_limits()[component])),
                upper=without_sentinel(float(joint.position_upper_limits()[component])),
                damping=float(joint.default_damping_vector()[component]),
                friction=None,
            )
        return parameters

    def actuator_efforts(self, trials: Mapping[str, ActuatorTrial]) -> dict[str, Array]:
        """See `Engine.actuator_efforts`; by the effort limits and gains of Drake's actuators, with
        the limits of those of which the mechanism knows nothing.
        """
        self._require_model()
        driven = (item for item in self.mechanism.actuators if item.dof is not None)
        stated = {item.actuator.joint for item in driven}
        unstated = {
            name: np.array([actuator.effort_limit()])
            for name, actuator in _actuators(self._plant, self._joints).items()
            if name not in stated
        }
        return efforts_in_drake(self._plant, self._joints, trials) | unstated

    def couplings(self) -> dict[tuple[Dof, Dof], CouplingLaw]:
        self._require_constraints()
        raise NotReportedError("Drake does not report its couplings; its motion shows them")

    def _require_constraints(self) -> None:
        self._require_model()
        if not self._plant.num_constraints():
            raise NotReportedError("Drake has read no constraint from the file")

    def mass_matrix(self) -> Array:
        self._require_model()
        return np.asarray(self._plant.CalcMassMatrix(self._context))[
            np.ix_(self._order, self._order)
        ]

    def bias_forces(self) -> Array:
        self._require_model()
        gravity = self._plant.CalcGravityGeneralizedForces(self._context)
        forces: Array = np.asarray(self._plant.CalcBiasTerm(self._context) - gravity)[self._order]
        return forces

    def jacobians(self) -> dict[str, Array]:
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
        self._require_model()
        from pydrake.multibody.tree import MultibodyForces

        vdot = np.zeros(len(self._order))
        vdot[self._order] = accelerations
        forces = self._plant.CalcInverseDynamics(self._context, vdot, MultibodyForces(self._plant))
        gravity = self._plant.CalcGravityGeneralizedForces(self._context)
        total: Array = (forces - gravity)[self._order]
        return total

    def violations(self) -> dict[str, float]:
        self._require_constraints()
        raise NotReportedError(
            "Drake does not report violations of its constraints; its motion shows them"
        )

    def velocities(self) -> Array:
        self._require_model()
        return np.asarray(self._plant.GetVelocities(self._context))[self._order]

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`; Drake's own filters decide."""
        return self._with_shapes().collidable_pairs()

    def surfaces(self) -> Surfaces:
        """See `Engine.surfaces`; friction is dynamic friction."""
        surfaces = self._with_shapes().surfaces()
        found = (
            *friction_differences(self.mechanism.scene, surfaces.friction),
            *_shape_differences(self.mechanism, surfaces),
        )
        self.diagnostics += tuple(entry for entry in found if entry not in self.diagnostics)
        return surfaces

    def _with_shapes(self) -> DrakeGeometry:
        self._require_model()
        self._geometry = self._geometry or DrakeGeometry(self.mechanism, self._search)
        return self._geometry

    def settings(self) -> Settings:
        """See `Engine.settings`; bases are where Drake has them, and joints at their initial
        positions, which it does not read. It reads neither gravity nor a time step from files.
        """
        self._require_model()
        initial = self._plant.CreateDefaultContext()
        positions = self._plant.GetPositions(initial)
        for name, q in initial_positions(self.mechanism).items():
            joint = self._joints[name]
            if not is_floating(joint):
                start = joint.position_start()
                positions[start : start + joint.num_positions()] = position_in_drake(joint, q)
        self._plant.SetPositions(initial, positions)
        poses = {
            name: body.EvalPoseInWorld(initial).GetAsMatrix4() for name, body in self._links.items()
        }
        return Settings(
            gravity=None,
            time_step=None,
            initial_poses={name: Pose.of(X[:3, :3], X[:3, 3]) for name, X in poses.items()},
            efforts=None,
        )

    def velocity_limits(self) -> dict[Dof, float]:
        """See `Engine.velocity_limits`; those of hinges and slides."""
        self._require_model()
        return {
            (name, 0): float(joint.velocity_upper_limits()[0])
            for name, joint in self._joints.items()
            if joint.num_velocities() == 1 and joint.type_name() in {"revolute", "prismatic"}
        }

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`; in continuous time it determines only how far a step goes."""
        if seconds != self._seconds and not self.refusal:
            self._seconds = seconds
            if self.is_discrete:
                self._open()

    def step(self, count: int) -> None:
        """See `Engine.step`.

        Raises:
            NotReportedError: If Drake cannot simulate the model.
        """
        self._require_model()
        try:
            self._motion = self._motion or DrakeMotion(self._plant, self._context)
            self._motion.advance(count * self._seconds)
        except NoMotionError as error:
            raise NotReportedError(f"Drake does not simulate the model: {error}") from error


def _inertia(body: Any) -> SpatialInertia:
    spatial_inertia = body.default_spatial_inertia()
    if not math.isfinite(spatial_inertia.get_mass()) or spatial_inertia.get_mass() == 0.0:
        return SpatialInertia.in_frame(0.0, Pose.of(), np.zeros((3, 3)))
    p_LLcm = np.asarray(spatial_inertia.get_com())
    I_Lcm = np.asarray(spatial_inertia.Shift(p_LLcm).CalcRotationalInertia().CopyToFullMatrix3())
    return SpatialInertia.in_frame(
        float(spatial_inertia.get_mass()), Pose.of(p=tuple(p_LLcm.tolist())), I_Lcm
    )


# --- what Drake reads otherwise than this project, as diagnostics about links and joints ----------

_TARGET = "drake"
_WATER = 1000.0
"""Density of the ball whose inertia replaces an invalid one [kg/m^3]."""


def known_differences(
    mechanism: Mechanism, links: Mapping[str, Any], joints: Mapping[str, Any], plant: Any
) -> tuple[Diagnostic, ...]:
    """Return all known differences of one model.

    Args:
        mechanism: The model as this project reads it.
        links: Drake's bodies by scoped link name.
        joints: Drake's joints by scoped joint name.
        plant: Drake's plant.
    """
    return (
        *_couplings(mechanism.scene, plant.num_constraints()),
        *_replaced_inertias(links, mechanism.scene),
        *_limits_of_continuous_joints(joints, mechanism.scene),
        *_limits_of_screws(joints, mechanism.scene),
        *_second_axes(joints, mechanism.scene),
        *_gravity(mechanism.scene.links),
        *_unread(mechanism.scene, joints, plant),
    )


def friction_differences(
    scene: Scene, friction: Mapping[str, Sequence[float]]
) -> Iterator[Diagnostic]:
    """Yield one diagnostic for each link whose dynamic friction Drake takes from another element,
    or from none.

    Drake takes ``mu2`` of SDFormat for it, and 1 where URDF states the friction in elements of
    Gazebo or PyBullet only.

    Args:
        scene: The scene.
        friction: Drake's coefficients of the shapes of each link, by scoped name.
    """
    for link in scene.links:
        stated = [shape.surface.friction for shape in link.collisions]
        wanted, found = sorted(each.mu for each in stated), sorted(friction.get(link.name, ()))
        if len(found) != len(wanted) or found == wanted:
            continue
        readings = (
            (DRAKE_FRICTION, sorted(each.mu2 for each in stated)),
            (DRAKE_FRICTION_UNSTATED, [1.0] * len(stated)),
        )
        for code, expected in readings:
            if found == expected:
                difference = max(abs(x - y) for x, y in zip(expected, wanted, strict=True))
                yield _about_link(code, link, difference=difference)
                break


_NO_SHAPE = {Cone: "cone", Heightmap: "height map", Polyline: "polyline"}
"""Shapes that Drake's parser reads over."""


def _shape_differences(mechanism: Mechanism, found: Surfaces) -> Iterator[Diagnostic]:
    """Yield the collisions to which Drake gives no shape, and the links of whose meshes it makes
    fewer hulls than they have separate convex parts.
    """
    stated = model_surfaces(mechanism).hulls
    for link in mechanism.scene.links:
        if len(found.friction.get(link.name, ())) < len(link.collisions):
            for shape in link.collisions:
                kind = _NO_SHAPE.get(type(shape.geometry))
                if kind is not None:
                    yield _about_link(DRAKE_SHAPE, link, collision=shape.name, kind=kind)
        parts, hulls = len(stated.get(link.name, ())), len(found.hulls.get(link.name, ()))
        if 0 < hulls < parts:
            yield _about_link(DRAKE_ONE_HULL, link, hulls=hulls, parts=parts)


def _couplings(scene: Scene, constraints: int) -> Iterator[Diagnostic]:
    """Yield the couplings of a model of which Drake reads fewer constraints than it has
    couplings.
    """
    if constraints >= len(scene.couplings):
        return
    for coupling in scene.couplings:
        yield finding_of(
            DRAKE_COUPLING,
            coupling.where,
            target=_TARGET,
            subjects=(coupling.follower, coupling.leader),
            follower=coupling.follower,
            leader=coupling.leader,
            count=constraints,
        )


def _frames_on_frames(
    scene: Scene, poses_in_links: Callable[[], Mapping[str, Pose]]
) -> Iterator[Diagnostic]:
    """Yield the frames that Drake gives the pose in a link of a nested model that they have in
    another frame of their own model.

    Args:
        scene: The scene.
        poses_in_links: Function that returns the pose in its link of each frame of Drake.
    """
    siblings: dict[tuple[str, str], list[Frame]] = {}
    for frame in scene.frames:
        model, of_link = (name.rpartition(SEPARATOR)[0] for name in (frame.name, frame.link))
        if of_link != model:
            siblings.setdefault((model, frame.link), []).append(frame)
    pairs = [pair for frames in siblings.values() for pair in permutations(frames, 2)]
    poses = poses_in_links() if pairs else {}
    for frame, base in pairs:
        X = poses.get(frame.name, frame.X_LF)
        if not _is_at(X, frame.X_LF) and _is_at(X, base.X_LF.inverse() @ frame.X_LF):
            yield finding_of(
                DRAKE_FRAME_ON_FRAME,
                frame.where,
                target=_TARGET,
                subjects=(frame.name,),
                frame=frame.name,
                link=frame.link,
                base=base.name,
            )


def _is_at(one: Pose, two: Pose) -> bool:
    return _is_close(one.R, two.R) and bool(np.abs(one.p - two.p).max() <= 1e-9)


def _replaced_inertias(links: Mapping[str, Any], scene: Scene) -> Iterator[Diagnostic]:
    """Yield the links to which Drake gives the inertia of a ball of water, because it finds their
    own invalid.
    """
    for link in scene.links:
        body = links.get(link.name)
        if body is not None and _is_ball_of_water(body) and not _has_inertia_of(link, body):
            yield _about_link(DRAKE_REPLACED_INERTIA, link)


def _is_ball_of_water(body: Any) -> bool:
    mass = float(body.default_mass())
    return math.isfinite(mass) and mass > 0.0 and _is_close(_moments(body), _ball_of_water(mass))


def _has_inertia_of(link: Link, body: Any) -> bool:
    """Return whether a link states the inertia that Drake has."""
    if (
        link.inertia is None
        or abs(link.inertia.mass - body.default_mass()) > 1e-9 * link.inertia.mass
    ):
        return False
    return _is_close(link.inertia.I_Lcm, _moments(body))


def _ball_of_water(mass: float) -> Array:
    radius = math.cbrt(3.0 * mass / (4.0 * math.pi * _WATER))
    moments: Array = 0.4 * mass * radius**2 * np.eye(3)
    return moments


def _moments(body: Any) -> Array:
    """Return the inertia of Drake's body about its center of mass, shape (3, 3)."""
    inertia = body.default_spatial_inertia()
    about_center = inertia.Shift(inertia.get_com()).CalcRotationalInertia()
    moments: Array = np.asarray(about_center.CopyToFullMatrix3(), dtype=np.float64)
    return moments


def _is_close(one: Array, two: Array) -> bool:
    return bool(np.abs(one - two).max() <= 1e-9 * np.abs(two).max())


def _gravity(links: Iterable[Link]) -> Iterator[Diagnostic]:
    """Yield the links without gravity."""
    for link in links:
        if not link.gravity:
            yield _about_link(DRAKE_LINK_WITHOUT_GRAVITY, link)


def _limits_of_continuous_joints(joints: Mapping[str, Any], scene: Scene) -> Iterator[Diagnostic]:
    """Yield the continuous joints to which Drake gives limits."""
    for joint in scene.joints:
        if joint.type == "continuous" and joint.name in joints and _has_limits(joints[joint.name]):
            yield _about_joint(DRAKE_CONTINUOUS_LIMITS, joint)


def _limits_of_screws(joints: Mapping[str, Any], scene: Scene) -> Iterator[Diagnostic]:
    """Yield the screw joints whose limits Drake drops."""
    for joint in scene.joints:
        limited = (
            joint.type == "screw" and np.isfinite([joint.axes[0].lower, joint.axes[0].upper]).any()
        )
        if limited and joint.name in joints and not _has_limits(joints[joint.name]):
            yield _about_joint(DRAKE_SCREW_LIMITS, joint)


def _second_axes(joints: Mapping[str, Any], scene: Scene) -> Iterator[Diagnostic]:
    """Yield the universal joints whose limits Drake drops, or whose second axis gets the damping of
    the first one.
    """
    for joint in scene.joints:
        if joint.type != "universal" or joint.name not in joints:
            continue
        if np.isfinite([(axis.lower, axis.upper) for axis in joint.axes]).any() and not _has_limits(
            joints[joint.name]
        ):
            yield _about_joint(DRAKE_UNIVERSAL_LIMITS, joint)
        damping = joints[joint.name].default_damping_vector()
        if len(joint.axes) == 2 and joint.axes[1].damping != damping[1]:
            yield _about_joint(DRAKE_SHARED_DAMPING, joint)


UNREAD: Mapping[type, tuple[str, str, str]] = {
    Model: ("", "self_collide", "allow_auto_disable enable_wind"),
    Link: ("kinematic velocity_decay added_mass", "self_collide", "enable_wind sensors"),
    Collision: ("", "", "density"),
    Surface: (
        "",
        "restitution restitution_threshold stiffness damping max_velocity min_depth soft_cfm "
        "soft_erp collide_bitmask category_bitmask collide_without_contact",
        "",
    ),
    Friction: (
        "",
        "fdir1 slip1 slip2 rolling torsional patch_radius surface_radius use_patch_radius "
        "torsional_slip",
        "",
    ),
    Visual: ("", "", "transparency cast_shadows"),
    Material: ("", "", "shininess metalness roughness texture maps"),
    Cone: ("", "radius length", ""),
    Heightmap: ("", "uri", ""),
    Polyline: ("", "outlines height", ""),
    Mesh: ("", "decomposition submesh", "max_convex_hulls voxel_resolution"),
    Plane: ("", "", "size"),
    Actuator: ("", "", "interfaces"),
    Joint: ("", "", "provide_feedback sensors default_position"),
    JointAxis: ("friction limit_stiffness limit_dissipation", "", ""),
}
"""Fields of the scene that Drake's parser ignores: those that act on motion, on contact, and on
neither."""
_UNREAD_CODES = (DRAKE_UNREAD, DRAKE_UNREAD_CONTACT, DRAKE_UNREAD_DETAIL)


def _unread(scene: Scene, joints: Mapping[str, Any], plant: Any) -> Iterator[Diagnostic]:
    """Yield what the scene states and Drake's parser ignores, each field once."""
    found: dict[tuple[Code, str], dict[str, None]] = {}
    for name, code, word in (*_unread_fields(scene), *_unread_in_plant(scene, joints, plant)):
        found.setdefault((code, word), {})[name] = None
    for (code, word), names in found.items():
        listed = ", ".join([*names][:_LISTED]) + (", ..." if len(names) > _LISTED else "")
        yield finding_of(
            code, scene.models[0].where, target=_TARGET, subjects=names, element=word, names=listed
        )


_LISTED = 3


def _unread_fields(scene: Scene) -> Iterator[tuple[str, Code, str]]:
    """Yield name, finding and words of each field that Drake never reads."""
    for name, part in _parts(scene):
        yield from ((name, code, word) for code, word in _unread_of(part))
    for link in scene.links:
        for visual in link.visuals:
            for part in (visual, visual.geometry, visual.material):
                for _, word in _unread_of(part):
                    yield link.name, DRAKE_UNREAD_DETAIL, word


def _unread_of(part: Any) -> Iterator[tuple[Code, str]]:
    """Yield finding and words of each field of a part that Drake never reads."""
    kind: Any = type(part)
    for code, names in zip(_UNREAD_CODES, UNREAD.get(kind, ()), strict=False):
        for name in names.split():
            if not np.array_equal(getattr(part, name), _defaults(kind)[name]):
                yield code, name.replace("_", " ")


def _unread_in_plant(
    scene: Scene, joints: Mapping[str, Any], plant: Any
) -> Iterator[tuple[str, Code, str]]:
    """Yield what Drake reads in one format or joint and not in another, by what its plant has."""
    springs = [joint.name for joint in scene.joints for a in joint.axes if a.spring_stiffness]
    if plant.num_force_elements() - _GRAVITY_ELEMENTS - len(scene.forces) < len(springs):
        yield from ((name, DRAKE_UNREAD, "spring") for name in springs)
        turned = (joint for joint in scene.joints if any(a.spring_reference for a in joint.axes))
        yield from ((joint.name, DRAKE_UNREAD, "spring reference") for joint in turned)
    driven = _actuators(plant, joints)
    for joint in scene.joints:
        is_limited = any(math.isfinite(axis.effort) for axis in joint.axes)
        if is_limited and joint.name not in driven:
            yield joint.name, DRAKE_UNREAD, "effort limit"
        yield from ((joint.name, DRAKE_UNREAD_DETAIL, word) for word in _idle(joint, joints))
    placed = _placed_by_libsdformat(scene, plant)
    yield from ((name, DRAKE_UNREAD, "origin of the robot") for name in placed)
    yield from ((light.name, DRAKE_UNREAD_DETAIL, "light") for light in scene.lights)
    for each in scene.actuators:
        drake = driven.get(each.joint)
        if drake is not None and drake.default_gear_ratio() != each.gear_ratio:
            yield each.joint, DRAKE_UNREAD_DETAIL, "reduction of the transmission"


def _placed_by_libsdformat(scene: Scene, plant: Any) -> list[str]:
    """Return the links of each robot with an origin, unless Drake has the frame of a model, which
    only libsdformat makes.
    """
    from pydrake.multibody.tree import FrameIndex

    frames = (plant.get_frame(FrameIndex(index)) for index in range(plant.num_frames()))
    if any(frame.name() == MODEL_FRAME for frame in frames):
        return []
    found = [entry.where for entry in scene.diagnostics if entry.is_one_of(_ROBOT_ORIGIN)]
    placed = {model.name for model in scene.models if model.where in found}
    return [link.name for link in scene.links if link.model in placed]


_ROBOT_ORIGIN = frozenset({urdf_codes.ROBOT_ORIGIN})


def _idle(joint: Joint, joints: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a joint states without effect, and the limits of speed that Drake lacks."""
    if joint.pitch != 1.0 and joint.type != "screw":
        yield "thread pitch"
    if joint.gear_ratio != 1.0 and joint.type != "gearbox":
        yield "gear ratio"
    if any(axis.spring_reference and not axis.spring_stiffness for axis in joint.axes):
        yield "spring reference"
    limits = np.array([axis.velocity for axis in joint.axes])
    if joint.name in joints and len(limits) == joints[joint.name].num_velocities():
        found = np.asarray(joints[joint.name].velocity_upper_limits())
        if (np.isfinite(limits) & ~np.isfinite(found)).any():
            yield "velocity limit"


_GRAVITY_ELEMENTS = 1
"""Number of force elements of an empty plant."""


def _parts(scene: Scene) -> Iterator[tuple[str, Any]]:
    """Yield the parts that move or touch, with the link, joint or model that they are of."""
    yield from ((model.name, model) for model in scene.models)
    for link in scene.links:
        yield link.name, link
        for shape in link.collisions:
            for part in (shape, shape.geometry, shape.surface, shape.surface.friction):
                yield link.name, part
    yield from ((actuator.joint, actuator) for actuator in scene.actuators)
    for joint in scene.joints:
        yield joint.name, joint
        yield from ((joint.name, axis) for axis in joint.axes)


@cache
def _defaults(kind: type) -> dict[str, Any]:
    return {each.name: each.default for each in fields(kind)}


def _has_limits(joint: Any) -> bool:
    return bool(np.isfinite(joint.position_lower_limits()).any())


def _about_link(code: Code, link: Link, **arguments: Any) -> Diagnostic:
    return finding_of(code, link, target=_TARGET, link=link.name, **arguments)


def _about_joint(code: Code, joint: Joint) -> Diagnostic:
    return finding_of(code, joint, target=_TARGET, joint=joint.name)
