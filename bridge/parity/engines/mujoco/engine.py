"""The adapter of MuJoCo, with actuators and stops.

MuJoCo expresses the linear velocity of a free body in the world and its angular velocity in the
body, and the angular velocity of a ball joint in the body. With ``v_mujoco = B v``, mass matrix and
forces become ``B.T M B`` and ``B.T f``. For both kinds of joint the rate of ``B`` times ``v`` is
zero, because a rotation does not change its own axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, Position, joint_position, kind_of
from bridge.parity.engine import (
    BALL_RADIUS,
    BALL_WEIGHT,
    HEAVY,
    SOFTNESS,
    ActuatorKind,
    ActuatorTrial,
    Ball,
    BaseEngine,
    ConstraintSoftness,
    DivergedError,
    Dof,
    JointParameters,
    NotReportedError,
    ScalarDof,
    Settings,
    Statements,
    Surfaces,
    TouchedModel,
    moving_links,
    positions_by_joint,
    scalar_dofs,
    without_sentinel,
)
from bridge.sensors import FORCE_TYPES, STATE_TYPES, force_readings, state_readings
from bridge.targets.mjcf.contact_parameters import (
    ContactSpring,
    contact_spring,
    inverse_masses,
    late_start,
    rebound_of,
    with_ode_spring,
)
from bridge.targets.mjcf.document import build
from bridge.targets.mjcf.keyframe import ball_map, qpos
from bridge.targets.mjcf.spec import to_spec
from bridge.targets.options import Actuators, MjcfExportOptions
from loaders.engine_settings import FRICTION_RULES, Grip
from loaders.inertia import SpatialInertia
from loaders.mjcf.compiler import engine_warnings
from loaders.model import Collision, CouplingLaw
from loaders.pose import Array, Pose, quaternion_to_matrix

from .compiled_model import (
    BodyIndices,
    View,
    actuator_numbers,
    at_zero,
    dofs_of,
    equality_elements,
    exported_indices,
    exported_names,
    forms,
    joint_equalities,
    statements,
    view_of,
)
from .shapes import (
    Roles,
    acting_model,
    acting_options,
    forward,
    has_distance_fields,
    idle_actuators,
    is_off,
    pairs_in_mujoco,
    roles_in_export,
    site_distances,
    surfaces_in_mujoco,
)

_LAW = (
    "gear", "gaintype", "gainprm", "biastype", "biasprm", "dyntype", "dynprm", "trntype",
    "ctrllimited", "ctrlrange", "forcelimited", "forcerange", "actlimited", "actrange", "actnum",
    "damping", "dampingpoly", "delay", "history",
)  # fmt: skip
"""Arrays of a compiled model, without their prefix, that determine the force of an actuator.

An actuator with a fixed gain has one control, whatever its signature (``ctrlspec``) calls it."""


def efforts_in_mujoco(
    mujoco: Any,
    compile_with: Callable[[Actuators], Any],
    joints: Mapping[str, tuple[int, float]],
    trials: Mapping[str, ActuatorTrial],
) -> dict[str, Array]:
    """Return the efforts at the joints after the commands of their trials.

    Args:
        mujoco: The module.
        compile_with: Returns the compiled export with actuators of a kind.
        joints: Joint id and ratio of the coordinates of each joint.
        trials: The trials by joint.
    """
    motors = compile_with("motor")
    has_gains = any(trial.gains is not None for trial in trials.values())
    servos = compile_with("position") if has_gains else None
    found = {}
    for name, trial in trials.items():
        joint, ratio = joints[name]
        at_rest = [(motors, c * ratio, 0.0) for c in trial.commands]
        if trial.gains is not None:
            at_rest.append((servos, (trial.position + trial.displacement) * ratio, 0.0))
            at_rest.append((servos, trial.position * ratio, trial.speed * ratio))
        forces = [_force(mujoco, m, joint, trial.position * ratio, c, v) for m, c, v in at_rest]
        found[name] = np.array(forces) * ratio
    return found


def _force(
    mujoco: Any, model: Any, joint: int, position: float, control: float, velocity: float
) -> float:
    """Return the force of the actuators of one joint, in the coordinate of the MJCF joint."""
    data = mujoco.MjData(model)
    data.qpos[model.jnt_qposadr[joint]] = position
    data.qvel[model.jnt_dofadr[joint]] = velocity
    data.ctrl[_of_joint(mujoco, model, joint)] = control
    mujoco.mj_forward(model, data)
    return float(data.qfrc_actuator[model.jnt_dofadr[joint]])


def _of_joint(mujoco: Any, model: Any, joint: int) -> Array:
    """Return whether each actuator drives a joint, shape (nu,)."""
    return np.asarray(
        (model.actuator_trntype == mujoco.mjtTrn.mjTRN_JOINT)
        & (model.actuator_trnid[:, 0] == joint)
    )


def driving_actuators(
    mujoco: Any, model: Any, joints: Mapping[str, tuple[int, float]]
) -> dict[str, tuple[Array, float]]:
    """Return which actuators drive each joint and the ratio of its coordinate; all others lose
    their gains.

    Args:
        mujoco: The module.
        model: The compiled model.
        joints: Joint id and ratio of the coordinates of each joint.
    """
    found = {
        name: (_of_joint(mujoco, model, joint), ratio) for name, (joint, ratio) in joints.items()
    }
    idle = ~np.any([numbers for numbers, _ in found.values()], axis=0)
    model.actuator_gainprm[idle] = model.actuator_biasprm[idle] = 0.0
    return found


def laws_in_mujoco(model: Any) -> list[Array]:
    """Return the numbers that determine the force of each actuator of a compiled model, in its
    order; a range that is no limit is zero.

    Args:
        model: The compiled model.
    """
    model = copy(model)
    for kind in ("ctrl", "force", "act"):
        is_limited = getattr(model, f"actuator_{kind}limited").astype(np.bool_)
        getattr(model, f"actuator_{kind}range")[~is_limited] = 0.0
    kinds = [int(kind) for kind in model.actuator_gaintype]
    keys = [(*_LAW, "ctrlspec") if kind else _LAW for kind in kinds]
    return [actuator_numbers(model, i, *of_actuator) for i, of_actuator in enumerate(keys)]


_HARDEST = 2.0
"""Time constant of the hardest stable stop, in time steps."""
_ROUNDING = 1.001


def stop_compliance(model: Any, joint: int, ratio: float) -> float:
    """Return how far a joint yields beyond its stop per effort, at the zero position [rad/(N m) or
    m/N].

    A stop as hard as the solver allows, with a time constant of two steps, has none.

    Args:
        model: The compiled model.
        joint: The joint.
        ratio: The position of the MuJoCo joint divided by that of the model.
    """
    solref, solimp = model.jnt_solref[joint], model.jnt_solimp[joint]
    impedance, w = float(solimp[1]), float(model.dof_invweight0[model.jnt_dofadr[joint]])
    if solref[0] > 0.0:
        hardest = _HARDEST * float(model.opt.timestep) * _ROUNDING
        if solref[0] <= hardest and impedance > 0.99:
            return 0.0
        stiffness = 1.0 / (impedance * float(solref[0]) * float(solref[1])) ** 2
    else:
        stiffness = -float(solref[0])
    return float((1.0 - impedance) * w / stiffness / ratio**2)


def stop_settings(model: Any, joint: int) -> Array:
    """Return the limits of a joint, which count from the pose that the document draws, and the
    softness of its stops.

    Args:
        model: The compiled model.
        joint: The joint.
    """
    tables = (model.jnt_range, model.jnt_solref, model.jnt_solimp, model.jnt_margin)
    return np.concatenate([np.ravel(table[joint]) for table in tables]).astype(np.float64)


_CALLBACK = "get_mjcb_"
"""Beginning of the names of functions that return a callback of MuJoCo."""
_CONTACT_ARRAYS = (
    "geom_contype", "geom_conaffinity", "geom_condim", "geom_priority", "geom_solmix",
    "geom_solref", "geom_solimp", "geom_margin", "geom_gap", "geom_friction", "geom_size",
    "geom_pos", "geom_quat",
)  # fmt: skip
"""Arrays of a compiled model that determine the contacts of each geom."""
_LEAST_ITERATIONS = {"iterations": 100, "ls_iterations": 50}
"""MuJoCo's default numbers of iterations, with which the contacts of balls converge."""
_BALL, _LEAST_PRIORITY, _LAST_BIT = "parity ball", -(2**30), 30
"""Names of balls; their priority: a contact has the surface of the other shape; and the number of
the last bit of their bitmasks: MuJoCo tests each pair of bodies against all that are excluded."""


def _with_balls(
    mujoco: Any, spec: Any, running: Any, balls: Sequence[Ball], links: Mapping[int, str]
) -> Any:
    """Return a compiled model with balls, and with the options and surfaces of a running one,
    which neither gravity nor a medium moves and which is too heavy to move.

    Args:
        mujoco: The module.
        spec: The spec of the running model, which is changed.
        running: The running model.
        balls: The balls, whose bodies are the last ones.
        links: The link of each body of the running model.
    """
    for key in list(spec.keys):
        spec.delete(key)
    bits = _touch_bits(balls)
    for number, ball in enumerate(balls):
        body = spec.worldbody.add_body(name=f"{_BALL} {number}", pos=ball.center)
        body.explicitinertial, body.mass, body.inertia = True, 1.0, (ball.moment,) * 3
        body.ipos = (0.0, 0.0, 0.0)  # otherwise that of the body
        body.add_freejoint()
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=(BALL_RADIUS, 0.0, 0.0),
            contype=bits[ball.touches],
            conaffinity=0,
            condim=1,
            priority=_LEAST_PRIORITY,
            friction=(1e-5, 0.0, 0.0),
        )
        sharing = (others for others, bit in bits.items() if bit == bits[ball.touches])
        passed = frozenset[str]().union(*sharing) - ball.touches
        for other in (running.body(i).name for i, link in links.items() if link in passed):
            spec.add_exclude(bodyname1=body.name, bodyname2=other)
    model = spec.compile()
    for name in _CONTACT_ARRAYS:
        getattr(model, name)[: running.ngeom] = getattr(running, name)
    _let_touch_balls(model, running, bits, links)
    for name in (name for name in dir(running.opt) if not name.startswith("_")):
        value = getattr(running.opt, name)
        if isinstance(value, np.ndarray):
            getattr(model.opt, name)[:] = value
        else:
            setattr(model.opt, name, value)
    model.opt.gravity[:] = model.opt.wind[:] = 0.0
    model.opt.density = model.opt.viscosity = 0.0
    model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)  # changed speeds wake no ball
    model.dof_armature[: running.nv] += HEAVY
    mujoco.mj_setConst(model, mujoco.MjData(model))
    mobilities = model.body_invweight0[: running.nbody]  # those of slides are without armature
    np.minimum(mobilities, 1.0 / HEAVY, out=mobilities)
    for name, least in _LEAST_ITERATIONS.items():  # balls add contacts to those of the model
        setattr(model.opt, name, max(getattr(model.opt, name), least))
    model.opt.tolerance /= HEAVY  # MuJoCo takes improvements relative to the inertia
    model.opt.noslip_tolerance /= HEAVY
    return model


def _touch_bits(balls: Sequence[Ball]) -> dict[frozenset[str], int]:
    """Return the bit of a bitmask for balls by the links that they touch; those beyond the last bit
    share it.
    """
    kinds = dict.fromkeys(ball.touches for ball in balls)
    return {touches: 1 << min(number, _LAST_BIT) for number, touches in enumerate(kinds)}


def _let_touch_balls(
    model: Any, running: Any, bits: Mapping[frozenset[str], int], links: Mapping[int, str]
) -> None:
    """Let shapes that collide in a running model touch the balls of their links, and not each
    other, which is too heavy to matter and takes long.

    Args:
        model: The model with balls, which is changed.
        running: The running model.
        bits: The bit of the balls that touch some links.
        links: The link of each body of the running model.
    """
    bit_of = {name: bit for touches, bit in bits.items() for name in touches}
    of_bodies = np.array(
        [bit_of.get(links[i], 0) if i in links else -1 for i in range(running.nbody)]
    )
    collides = (running.geom_contype | running.geom_conaffinity) != 0
    model.geom_contype[: running.ngeom], model.body_contype[: running.nbody] = 0, 0
    model.geom_conaffinity[: running.ngeom] = np.where(collides, of_bodies[running.geom_bodyid], 0)
    model.body_conaffinity[: running.nbody] = of_bodies


def _diverging(mujoco: Any) -> list[int]:
    """Return the numbers of the warnings that a motion diverges."""
    kind = mujoco.mjtWarning
    return [int(each) for each in (kind.mjWARN_BADQPOS, kind.mjWARN_BADQVEL, kind.mjWARN_BADQACC)]


class _Touched:
    """Balls in MuJoCo; see `bridge.parity.engine.TouchedModel`.

    Args:
        mujoco: The module.
        model: A model, whose last bodies are the balls.
        qpos: The position of all other joints.
        warnings: MuJoCo's warnings, to which others are added.
    """

    def __init__(self, mujoco: Any, model: Any, qpos: Array, warnings: list[str]) -> None:
        self._mujoco, self._model, self._warnings = mujoco, model, warnings
        self._data = mujoco.MjData(model)
        self._data.qpos[: len(qpos)] = qpos
        n = (model.nq - len(qpos)) // 7
        self._poses = self._data.qpos[len(qpos) :].reshape(n, 7)
        self._speeds = self._data.qvel[model.nv - 6 * n :].reshape(n, 6)
        self._forces = self._data.xfrc_applied[model.nbody - n :, :3]

    def positions(self) -> Array:
        return np.array(self._poses[:, :3])

    def velocities(self) -> Array:
        return np.array(self._speeds[:, :3])

    def model_speed(self) -> float:
        return float(np.abs(self._data.qvel[: -self._speeds.size]).max(initial=0.0))

    def set_velocities(self, velocities: Array) -> None:
        self._speeds[:, :3], self._speeds[:, 3:] = velocities, 0.0

    def push(self, forces: Array) -> None:
        self._forces[:] = forces

    def step(self, count: int) -> None:
        with engine_warnings(self._mujoco, self._warnings):
            self._mujoco.mj_step(self._model, self._data, count)
        if self._data.warning.number[_diverging(self._mujoco)].any():
            raise NotReportedError("the motion in MuJoCo diverges")


class MujocoEngine(BaseEngine):
    """A mechanism in MuJoCo.

    Its hardest constraints have a time constant of two steps.
    """

    name = "mujoco"
    target = "mjcf"
    obeys_mjcf_settings = True
    constraint_softness = ConstraintSoftness(
        stretch=4.0, admitted=SOFTNESS, obeys_settings=True, approximates_mobility=True
    )

    def __init__(self, mechanism: Mechanism, *, as_exported: bool = False) -> None:
        """Compile the export of a mechanism.

        Args:
            mechanism: The mechanism.
            as_exported: Whether to keep the integrator and the damping of the export.
        """
        import mujoco

        self._mujoco: Any = mujoco
        super().__init__(mechanism)
        self.version = str(mujoco.__version__)
        built = build(mechanism, MjcfExportOptions(policy=mechanism.default_policy))
        self.diagnostics = built.diagnostics
        self.warnings: list[str] = []
        """MuJoCo's warnings."""
        with engine_warnings(mujoco, self.warnings):
            self.model: Any = to_spec(built.root, built.assets, built.digests).compile()
            """The compiled MuJoCo model."""
        self._reader = built.reader
        self._changed_names, self._initial_key = built.names, built.initial_key
        self._options = {
            name: int(getattr(self.model.opt, name)) for name in ("integrator", "disableflags")
        }
        if not as_exported:
            self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
            self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP
            needs_discrete = getattr(mujoco.mjtEnableBit, "mjENBL_IPC", 0)  # in MuJoCo since 3.17
            self.model.opt.enableflags &= ~int(needs_discrete)
        self._opened: Any = copy(self.model)
        self._data: Any = mujoco.MjData(self.model)
        self._indices = exported_indices(mechanism, self.model)
        self._elements = equality_elements(built.root)
        self._positions: list[Coordinates] = []
        self._driven: Mapping[str, tuple[Array, float]] = {}
        self._stepped: Any = None
        self._has_distance_fields = False
        self._diverging = _diverging(mujoco)
        self._addresses: dict[tuple[str, ...], tuple[Array, Array, Array]] = {}

    @classmethod
    def as_exported(cls, mechanism: Mechanism) -> Self:
        """Open the export as it is, with its own integrator and damping."""
        return cls(mechanism, as_exported=True)

    # --- state ------------------------------------------------------------------------------------

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        self._mujoco.mj_resetData(self.model, self._data)
        self._positions = self.mechanism.positions_by_body(q)
        self._data.qpos[:] = self._qpos(q)
        self._data.qvel[:] = self._velocity_map() @ self.mechanism.velocities(v)
        self._forward()

    def _forward(self) -> None:
        """Compute everything at the current state."""
        with engine_warnings(self._mujoco, self.warnings):
            forward(self._mujoco, self.model, self._data)

    def _kinematics(self, data: Any) -> None:
        """Compute the poses and the motion axes of a state."""
        self._mujoco.mj_kinematics(self.model, data)
        self._mujoco.mj_comPos(self.model, data)

    def _qpos(self, q: Mapping[str, Position]) -> Array:
        return qpos(self.mechanism, q)

    @property
    def _ids(self) -> list[int]:
        return [indices.body for indices in self._indices]

    def _first(self, body: int, addresses: Any) -> int:
        return int(addresses[self._indices[body].joints[0]])

    def _velocity_map(self) -> Array:
        """Return the matrix ``B``, shape (nv of MuJoCo, nv)."""
        B = np.zeros((self.model.nv, len(self.mechanism.v_order)))
        for i, (body, position) in enumerate(
            zip(self.mechanism.bodies, self._positions, strict=True)
        ):
            for number, primitive in enumerate(body.primitives):
                row, column = (
                    self._first(i, self.model.jnt_dofadr) + number,
                    body.v_start + primitive.dof_index,
                )
                if primitive.kind is PrimitiveKind.FREE:
                    B[row : row + 3, column : column + 3] = np.eye(3)
                    B[row + 3 : row + 6, column + 3 : column + 6] = quaternion_to_matrix(
                        position[3:]
                    ).T
                elif primitive.kind is PrimitiveKind.BALL:
                    B[row : row + 3, column : column + 3] = self._ball_map(body, position)
                else:
                    B[row, column] = primitive.ratio
        return B

    @staticmethod
    def _ball_map(body: Body, position: Coordinates) -> Array:
        """Return the matrix from the angular velocity in the parent's joint frame to that in the
        frame of the body.
        """
        return ball_map(body, position)

    def link_poses(self) -> dict[str, Pose]:
        self._kinematics(self._data)
        pairs = zip(self.mechanism.bodies, self._indices, strict=True)
        return {
            body.name: _pose_of(indices.body, self._data_before(indices, self._data))
            for body, indices in pairs
        }

    def _data_before(self, indices: BodyIndices, state: Any) -> Any:
        """Return the data of a state, in which the joints beyond a virtual link are at zero."""
        if not indices.beyond:
            return state
        data = self._mujoco.MjData(self.model)
        data.qpos[:] = at_zero(state.qpos, indices.beyond, self.model)
        self._kinematics(data)
        return data

    def sensor_readings(self) -> dict[str, Array]:
        return state_readings(self._reader.of_types(STATE_TYPES).read(self._data))

    def sensor_forces(self) -> dict[str, Array]:
        return force_readings(self._reader.of_types(FORCE_TYPES).read(self._data))

    def jacobians(self) -> dict[str, Array]:
        B, jacobians = self._velocity_map(), {}
        for body, indices in zip(self.mechanism.bodies, self._indices, strict=True):
            J = np.zeros((2, 3, self.model.nv))
            self._mujoco.mj_jacBody(
                self.model, self._data_before(indices, self._data), J[1], J[0], indices.body
            )
            J[:, :, dofs_of(indices.beyond, self.model)] = 0.0
            jacobians[body.name] = J.reshape(6, self.model.nv) @ B
        return jacobians

    def contact_points(self) -> Array:
        contacts = self._data.contact
        touching = np.array(contacts.dist).reshape(-1) <= 0.0
        return np.array(contacts.pos).reshape(-1, 3)[touching]

    def positions(self) -> dict[str, Position]:
        qpos = np.array(self._data.qpos)
        self._positions = [
            self._position(i, body, qpos) for i, body in enumerate(self.mechanism.bodies)
        ]
        return positions_by_joint(self.mechanism, self._positions)

    def joint_states(self, joints: Sequence[str]) -> tuple[Array, Array]:
        """See `Engine.joint_states`; of the arrays themselves, because replays ask at each step."""
        addresses = self._addresses.get(tuple(joints))
        if addresses is None:
            known = list(self._joints_and_ratios(joints).values())
            ids, ratios = [joint for joint, _ in known], np.array([ratio for _, ratio in known])
            m = self.model
            addresses = m.jnt_qposadr[ids], m.jnt_dofadr[ids], ratios
            self._addresses[tuple(joints)] = addresses
        positions, velocities, ratios = addresses
        return self._data.qpos[positions] / ratios, self._data.qvel[velocities] / ratios

    def velocities(self) -> Array:
        self.positions()
        B = self._velocity_map()  # its columns are orthogonal
        v: Array = self._data.qvel @ B / np.einsum("ij,ij->j", B, B)
        return v

    def _position(self, number: int, body: Body, qpos: Array) -> Coordinates:
        """Return the position of a body's joint in the coordinates of the mechanism, the inverse of
        `qpos.body_qpos`.
        """
        if not body.primitives:
            return ()
        start = self._first(number, self.model.jnt_qposadr)
        if kind_of(body) is PrimitiveKind.BALL:
            w, *v = qpos[start : start + 4].tolist()
            return joint_position(body, ((w, *(body.X_BM.R.T @ v).tolist()),))
        if kind_of(body) is PrimitiveKind.FREE:
            return tuple(qpos[start : start + 7].tolist())
        return joint_position(
            body, [(float(qpos[start + k]),) for k in range(len(body.primitives))]
        )

    # --- parameters of the model ------------------------------------------------------------------

    def inertias(self) -> dict[str, SpatialInertia]:
        moving, m = moving_links(self.mechanism), self.model
        inertias = {}
        for body, indices in zip(self.mechanism.bodies, self._indices, strict=True):
            i = indices.body
            if body.name in moving and indices.beyond:
                inertias[body.name] = SpatialInertia.of(0.0)
            elif body.name in moving:
                X_LI = Pose.of(quaternion_to_matrix(m.body_iquat[i]), m.body_ipos[i])
                moments = np.diag(m.body_inertia[i])
                inertias[body.name] = SpatialInertia.in_frame(float(m.body_mass[i]), X_LI, moments)
        return inertias

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        locked = self._locked()
        return {
            dof: self._parameters(scalar, locked)
            for dof, scalar in scalar_dofs(self.mechanism).items()
        }

    def _locked(self) -> dict[int, float]:
        """Return the position of each joint that the export holds because its limits allow one
        position.
        """
        return {joint: law.offset for joint, other, law in self._joint_equalities() if other < 0}

    def _parameters(self, scalar: ScalarDof, locked: Mapping[int, float]) -> JointParameters:
        m, r = self.model, scalar.primitive.ratio
        joint = self._joint(scalar)
        is_limited = m.jnt_limited[joint] and not self._is_off("limit")
        lower, upper = m.jnt_range[joint] if is_limited else (-np.inf, np.inf)
        if joint in locked:
            lower = upper = locked[joint]
        lower, upper = sorted(without_sentinel(float(x)) / r for x in (lower, upper))
        dof = int(m.jnt_dofadr[joint])
        return JointParameters(
            lower=lower,
            upper=upper,
            damping=0.0 if self._is_off("damper") else float(m.dof_damping[dof].flat[0]) * r**2,
            friction=0.0
            if self._is_off("frictionloss")
            else float(m.dof_frictionloss[dof]) * abs(r),
        )

    def _is_off(self, flag: str) -> bool:
        return is_off(self._mujoco, self.model, flag)

    def _joint(self, scalar: ScalarDof) -> int:
        return self._indices[scalar.body].joints[scalar.number]

    def _joint_equalities(self) -> Iterator[tuple[int, int, CouplingLaw]]:
        return joint_equalities(self._mujoco, self.model, self._elements)

    def couplings(self) -> dict[tuple[Dof, Dof], CouplingLaw]:
        dofs = {
            self._joint(scalar): (dof, scalar)
            for dof, scalar in scalar_dofs(self.mechanism).items()
        }
        couplings = {}
        for one, two, law in self._joint_equalities():
            if one in dofs and two in dofs:
                (follower, f), (leader, k) = dofs[one], dofs[two]
                ratios = (1.0 / f.primitive.ratio, 1.0 / k.primitive.ratio)
                couplings[follower, leader] = law.scaled(*ratios)
        return couplings

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`; a loop is measured between the sites of its two frames."""
        m, qpos = self.model, self._data.qpos
        pairs = zip(self.mechanism.bodies, self._indices, strict=True)
        owners = {joint: str(body.joint) for body, indices in pairs for joint in indices.joints}
        violations = {}
        for one, two, law in self._joint_equalities():
            if two >= 0:
                follower, leader = (float(qpos[m.jnt_qposadr[joint]]) for joint in (one, two))
                violations[owners[one]] = abs(follower - float(law.at(leader)))
        return violations | site_distances(
            self._mujoco, m, self.mechanism, self._links(), self._site
        )

    def _site(self, number: int) -> Pose:
        return Pose.of(self._data.site_xmat[number].reshape(3, 3), self._data.site_xpos[number])

    def _initial_data(self) -> Any:
        """Return data at the initial position: a key of the export, or zero where it has none for
        it.
        """
        data = self._mujoco.MjData(self.model)
        if self._initial_key is not None:
            self._mujoco.mj_resetDataKeyframe(self.model, data, self._initial_key)
        return data

    def settings(self) -> Settings:
        """See `Engine.settings`; those of the compiled model."""
        m, data = self.model, self._initial_data()
        self._kinematics(data)
        pairs = zip(self.mechanism.bodies, self._indices, strict=True)
        dofs = scalar_dofs(self.mechanism).items()
        return Settings(
            gravity=np.zeros(3) if self._is_off("gravity") else np.array(m.opt.gravity),
            time_step=float(m.opt.timestep),
            initial_poses={
                body.name: _pose_of(i.body, self._data_before(i, data)) for body, i in pairs
            },
            efforts={
                dof: self._effort(self._joint(scalar)) * abs(scalar.primitive.ratio)
                for dof, scalar in dofs
            },
        )

    def _effort(self, joint: int) -> float:
        return (
            float(abs(self.model.jnt_actfrcrange[joint]).max())
            if self.model.jnt_actfrclimited[joint]
            else np.inf
        )

    def surfaces(self) -> Surfaces:
        """See `Engine.surfaces`; those of the compiled model."""
        return self._surfaces(self.model, ())

    def combined_friction(self, one: Grip, other: Grip) -> float:
        return FRICTION_RULES["larger"].of_grips(one, other)

    def bounce(self, restitution: float) -> tuple[float, float]:
        """See `Engine.bounce`; the export makes contacts that bounce a little livelier, because
        MuJoCo takes from bodies that touch in several points. At the end of a step a ball is in
        contact for the first time, not deeper than where it rests or than it moves in a step.
        """
        spring = ContactSpring.from_restitution(restitution, self.mechanism.physics.time_step)
        depth = min(spring.depth(BALL_WEIGHT), float(self.model.opt.timestep))
        late = late_start(spring.ratio, math.sqrt(-spring.solref[0]) * depth)
        return restitution, rebound_of(restitution) * late

    def resting(self, link: str, collision: Collision) -> tuple[float, float]:
        """See `Engine.resting`; a spring is exported for the mass of the link, and accelerates a
        ball of any mass alike.
        """
        step, surface = self.mechanism.physics.time_step, collision.surface
        if with_ode_spring(surface, step).stiffness is None:
            return math.inf, 0.0
        w = inverse_masses(self.mechanism).get(link, 0.0)
        spring = contact_spring((surface,), w, step, float(np.linalg.norm(self.mechanism.gravity)))
        if spring is None:
            return math.inf, 0.0
        return spring.slowest_rate, spring.depth(BALL_WEIGHT)

    def _surfaces(self, model: Any, inline: Collection[int]) -> Surfaces:
        return surfaces_in_mujoco(self._mujoco, model, self._links(), self._roles(), inline)

    def _links(self) -> dict[int, str]:
        return dict(zip(self._ids, (body.name for body in self.mechanism.bodies), strict=True))

    def _roles(self) -> Roles:
        """Return whether each geom collides, and is drawn."""
        return roles_in_export(self._mujoco, self.model)

    def _carried_roles(self) -> Roles:
        """Return the roles of the geoms, none of those that a scene lacks."""
        return self._roles()

    def stop_compliance(self) -> dict[Dof, float]:
        dofs = scalar_dofs(self.mechanism).items()
        joints = ((dof, self._joint(scalar), scalar.primitive.ratio) for dof, scalar in dofs)
        limited = (
            (dof, joint, ratio) for dof, joint, ratio in joints if self.model.jnt_limited[joint]
        )
        return {dof: stop_compliance(self.model, joint, ratio) for dof, joint, ratio in limited}

    def stop_settings(self) -> dict[Dof, Array]:
        """See `Engine.stop_settings`; those of the compiled model."""
        joints = ((dof, self._joint(scalar)) for dof, scalar in scalar_dofs(self.mechanism).items())
        return {
            dof: stop_settings(self.model, joint)
            for dof, joint in joints
            if self.model.jnt_limited[joint] and not self._is_off("limit")
        }

    def actuator_efforts(self, trials: Mapping[str, ActuatorTrial]) -> dict[str, Array]:
        """See `Engine.actuator_efforts`; in the export with actuators."""
        if not trials:
            return {}
        return efforts_in_mujoco(
            self._mujoco, self.compile_with, self._joints_and_ratios(trials), trials
        )

    def _joints_and_ratios(self, names: Iterable[str]) -> dict[str, tuple[int, float]]:
        dofs = scalar_dofs(self.mechanism)
        return {
            name: (self._joint(dofs[name, 0]), float(dofs[name, 0].primitive.ratio))
            for name in names
        }

    def compile_with(self, actuators: Actuators) -> Any:
        """Return the compiled export with actuators of a kind."""
        built = build(
            self.mechanism,
            MjcfExportOptions(policy=self.mechanism.default_policy, actuators=actuators),
        )
        return to_spec(built.root, built.assets, built.digests).compile()

    def start_actuators(self, actuators: ActuatorKind, joints: Iterable[str]) -> None:
        """See `Engine.start_actuators`; the export with these actuators is compiled."""
        self.model = self.compile_with(actuators)
        self._data = self._mujoco.MjData(self.model)
        self._driven = driving_actuators(self._mujoco, self.model, self._joints_and_ratios(joints))

    def set_controls(self, controls: Mapping[str, float]) -> None:
        for name, (numbers, ratio) in self._driven.items():
            self._data.ctrl[numbers] = controls[name] * ratio

    def actuator_laws(self) -> list[Array]:
        """See `Engine.actuator_laws`; those of the compiled model."""
        idle = idle_actuators(self._mujoco, self.model)
        laws = enumerate(laws_in_mujoco(self._acting()))
        return [law for i, law in laws if i not in idle]

    def compiled_statements(self) -> Statements:
        return statements(self._view())

    def running_statements(self) -> tuple[Statements, Statements]:
        """See `Engine.running_statements`; what the model states, each number and array of the
        compiled model that has changed, among them those that MuJoCo derives, and whether the
        process has a callback, which all models of a process share.
        """
        running, opened = (dict(self._statements_of(m)) for m in (self.model, self._opened))
        for name in (name for name in dir(self._mujoco) if name.startswith(_CALLBACK)):
            is_set = getattr(self._mujoco, name)() is not None
            place = f"callback {name.removeprefix(_CALLBACK)}", ()
            running[place], opened[place] = np.array([float(is_set)]), np.zeros(1)
        now, before = (_numbers(m) for m in (self.model, self._opened))
        for name in before:
            if not np.array_equal(now[name], before[name]):
                running[name, ()], opened[name, ()] = (
                    each[name].astype(np.float64) for each in (now, before)
                )
        return running, opened

    def _statements_of(self, model: Any) -> Statements:
        roles = roles_in_export(self._mujoco, self._opened)
        indices, names = self._indices, self._name_of()
        return statements(
            view_of(self._mujoco, model, self.mechanism, indices, roles, names, options_of={})
        )

    def compiled_forms(self) -> Statements:
        return forms(self._view())

    def _view(self) -> View:
        roles, mujoco = self._carried_roles(), self._mujoco
        flags = self._options.get("disableflags", self.model.opt.disableflags)
        options = self._options | acting_options(mujoco, self.model, flags)
        return view_of(
            mujoco, self._acting(), self.mechanism, self._indices, roles, self._name_of(), options
        )

    def _acting(self) -> Any:
        """Return the compiled model with what acts."""
        return acting_model(self._mujoco, self.model)

    def _name_of(self) -> Callable[[str, int], str | None]:
        return exported_names(self._mujoco, self.model, self.mechanism, self._changed_names)

    # --- dynamics ---------------------------------------------------------------------------------

    def mass_matrix(self) -> Array:
        B = self._velocity_map()
        MB, product = np.zeros_like(B), np.zeros(self.model.nv)
        for column in range(B.shape[1]):
            self._mujoco.mj_mulM(
                self.model, self._data, product, np.ascontiguousarray(B[:, column])
            )
            MB[:, column] = product
        projected: Array = B.T @ MB
        return projected

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`; gravity compensation of links without gravity is included."""
        forces: Array = self._velocity_map().T @ (self._data.qfrc_bias - self._data.qfrc_gravcomp)
        return forces

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`; springs are subtracted; dampers, which may be huge, are
        off for accuracy.
        """
        m, data, bit = self.model, self._data, self._mujoco.mjtDisableBit
        flags = int(m.opt.disableflags)
        m.opt.disableflags = flags | int(bit.mjDSBL_CONSTRAINT) | int(bit.mjDSBL_DAMPER)
        data.qacc[:] = (B := self._velocity_map()) @ accelerations
        self._mujoco.mj_inverse(m, data)
        m.opt.disableflags = flags
        forces: Array = B.T @ (data.qfrc_inverse + data.qfrc_passive - data.qfrc_gravcomp)
        return forces

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`; by the filter rules in MuJoCo's documentation."""
        return pairs_in_mujoco(self._mujoco, self.model, self._links())

    def set_step(self, seconds: float) -> None:
        self.model.opt.timestep = seconds

    def step(self, count: int) -> None:
        """See `Engine.step`.

        Raises:
            DivergedError: if MuJoCo found a number that is too large, and therefore went back to
            the initial state.
            NotReportedError: if the model has signed distance fields, on whose contacts MuJoCo
            may crash.
        """
        if self._stepped is not self.model:  # asked once, because replays take single steps
            self._stepped = self.model
            self._has_distance_fields = has_distance_fields(self._mujoco, self.model)
        if self._has_distance_fields:
            raise NotReportedError("MuJoCo may crash on contacts of signed distance fields")
        with engine_warnings(self._mujoco, self.warnings):
            self._mujoco.mj_step(self.model, self._data, count)
        if self._data.warning.number[self._diverging].any():
            raise DivergedError("the motion in MuJoCo diverges")

    def touch(self, balls: Sequence[Ball]) -> TouchedModel:
        """See `Engine.touch`; the export is compiled again with the balls, and gets the options
        and surfaces of the running model.

        Raises:
            NotReportedError: if the model has signed distance fields, on whose contacts MuJoCo
            may crash.
        """
        if has_distance_fields(self._mujoco, self.model):
            raise NotReportedError("MuJoCo may crash on contacts of signed distance fields")
        built = build(self.mechanism, MjcfExportOptions(policy=self.mechanism.default_policy))
        spec = to_spec(built.root, built.assets, built.digests)
        with engine_warnings(self._mujoco, self.warnings):
            model = _with_balls(self._mujoco, spec, self.model, balls, self._links())
        return _Touched(self._mujoco, model, self._data.qpos, self.warnings)

    def close(self) -> None:
        self._data = self.model = self._opened = None


def _numbers(model: Any) -> dict[str, Array]:
    """Return the numbers and arrays of a compiled model that act on its motion: of its statistics
    the inertia by which solvers scale what they leave.
    """
    held = {name: getattr(model, name) for name in dir(model) if not name.startswith("_")}
    held["meaninertia"] = model.stat.meaninertia
    return {
        name: np.ravel(value)
        for name, value in held.items()
        if isinstance(value, np.ndarray | int | float)
    }


def _pose_of(body: int, data: Any) -> Pose:
    return Pose.of(data.xmat[body].reshape(3, 3), data.xpos[body])
